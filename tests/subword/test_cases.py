"""Faults that users of other tools reported, and worked examples; each stands for its kind."""

from __future__ import annotations

import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.growth import Task, assert_growth, cpu_seconds
from textprep_ml._kernels import COMPILED
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword import BPETokenizer

CHARACTERS: dict[str, Any] = {"byte_level": False, "pretokenizer": "blank"}

# Worked examples

COUNTS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def test_merges_of_counted_words_with_an_end_marker() -> None:
    """By hand: es 6 + 3 = 9, es-t 9, est-_ 9, l-o 7, lo-w 7, n-e 6 (first of three), ne-w 6, new-est_ 6, low-_ 5."""
    fitted = BPETokenizer(num_merges=9, end_of_word="_", **CHARACTERS).fit_counts(COUNTS)
    expected = ["e+s", "es+t", "est+_", "l+o", "lo+w", "n+e", "ne+w", "new+est_", "low+_"]
    assert fitted.merges_ == [tuple(pair.split("+")) for pair in expected]
    assert fitted.merge_counts_.tolist() == [9, 9, 9, 7, 7, 6, 6, 6, 5]
    assert fitted.transform(["lower newest widest"]) == [["low", "e", "r", "_", "newest_", "w", "i", "d", "est_"]]


def test_the_pair_met_first_wins_among_equals() -> None:
    corpus = ["low", "lowest", "newer", "wider", "new", "width"]
    fitted = BPETokenizer(num_merges=6, **CHARACTERS).fit(corpus)
    assert fitted.merges_ == [("l", "o"), ("lo", "w"), ("n", "e"), ("ne", "w"), ("e", "r"), ("w", "i")]
    assert fitted.merge_counts_.tolist() == [2] * 6


def test_the_other_tie_rules_on_the_same_corpus() -> None:
    corpus = ["low", "lowest", "newer", "wider", "new", "width"]
    # lo, ow, we, ne, ew, er, wi and id occur twice; (e, r) is the smallest, then (e, w), which newer and new still
    # have.
    fitted = BPETokenizer(num_merges=3, tie_break="lexicographic", **CHARACTERS).fit(corpus)
    assert fitted.merges_ == [("e", "r"), ("e", "w"), ("i", "d")]
    by_id = BPETokenizer(num_merges=3, tie_break="id", **CHARACTERS).fit(corpus)
    assert by_id.merges_ == fitted.merges_  # single characters are numbered in their order


def test_merges_in_another_order_give_other_pieces() -> None:
    merges = [("a", "b"), ("b", "c")]
    assert BPETokenizer.from_merges(merges, **CHARACTERS).transform(["abc"]) == [["ab", "c"]]
    assert BPETokenizer.from_merges(merges[::-1], **CHARACTERS).transform(["abc"]) == [["a", "bc"]]


def test_pieces_of_a_sentence_join_to_the_text() -> None:
    fitted = BPETokenizer(vocab_size=284).fit(["Dr. Smith paid for the app. Smith paid for it, it is amazing"])
    text = "Smith paid for the amazing zebra"
    pieces = fitted.transform([text])[0]
    assert "".join(pieces) == text
    assert " paid" in pieces
    assert " zebra" not in pieces


# Memory (B01)

# The peak is read from the process itself: getrusage would count the pages of the parent that started the program.
MEASURE = """
import pathlib, resource, sys
from textprep_ml.subword import BPETokenizer
params = {"vocab_size": 300, "pretokenizer": sys.argv[2]}
fitted = BPETokenizer(**params).fit_files([sys.argv[1]], lines=sys.argv[3] == "lines")
status = pathlib.Path("/proc/self/status")
own = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else []
print(own[0] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, fitted.merges_)
"""


def measured(path: Path, scheme: str, lines: str = "") -> tuple[int, str]:
    command = [sys.executable, "-c", MEASURE, str(path), scheme, lines]
    peak, merges = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(" ", 1)
    return int(peak), merges


def test_memory_grows_with_distinct_words_only(tmp_path: Path) -> None:
    generator = random.Random(0)
    words = ["".join(generator.choices("abcdefghijklmno", k=6)) for _ in range(1000)]
    block = " ".join(words) + "\n"
    small, large = tmp_path / "small.txt", tmp_path / "large.txt"
    factor = 10 if COMPILED else 2
    n_small = 5_000_000 if COMPILED else 200_000
    small.write_text(block * (n_small // len(block)), encoding="ascii")
    large.write_text(block * (factor * (n_small // len(block))), encoding="ascii")
    peak_small, merges_small = measured(small, "gpt2")
    peak_large, merges_large = measured(large, "gpt2")
    assert merges_small == merges_large
    assert peak_large <= 1.5 * peak_small


def test_text_without_blanks_stays_below_a_gigabyte(tmp_path: Path) -> None:
    generator = random.Random(0)
    n_lines = 2000 if COMPILED else 20
    path = tmp_path / "dna.txt"
    path.write_text(
        "".join("".join(generator.choices("ACGT", k=2000)) + "\n" for _ in range(n_lines)), encoding="ascii"
    )
    for scheme, lines in (("none", "lines"), ("gpt2", "")):
        assert measured(path, scheme, lines)[0] < 1_000_000  # kilobytes


# Determinism (B02)


@pytest.mark.parametrize("n_jobs", [1, 4])
@pytest.mark.parametrize("corpus", [["ab", "cd", "ab", "cd"], ["cd", "ab", "cd", "ab"]])
def test_ties_do_not_depend_on_the_order_of_documents(corpus: list[str], n_jobs: int) -> None:
    fitted = BPETokenizer(num_merges=2, tie_break="lexicographic", n_jobs=n_jobs, **CHARACTERS).fit(corpus)
    assert fitted.merges_ == [("a", "b"), ("c", "d")]


# Vocabulary size (B04)


def test_a_small_text_gives_a_small_vocabulary_and_one_warning() -> None:
    with pytest.warns(VocabularyWarning, match="4 pieces") as caught:
        fitted = BPETokenizer(vocab_size=1000, **CHARACTERS).fit(["aba aba"])
    assert len(caught) == 1
    assert set(fitted.vocabulary_) == {"a", "b", "ab", "aba"}


@pytest.mark.parametrize(
    ("corpus", "message"), [([], "empty corpus"), ([""], "empty corpus"), (["  "], "corpus"), (["\n", " \t"], "corpus")]
)
@pytest.mark.parametrize("pretokenizer", ["blank", "gpt2", r"\w+"])
def test_nothing_to_learn_from_is_an_error(corpus: list[str], message: str, pretokenizer: str) -> None:
    with pytest.raises(ValueError, match=message):
        BPETokenizer(pretokenizer=pretokenizer).fit(corpus)
    with pytest.raises(ValueError, match="empty corpus"):
        BPETokenizer().fit_counts({})


# Unknown characters (B05)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"unk_token": "<unk>"}, {"zat": ["<unk>", "at"], "azt": ["a", "<unk>", "t"], "zzt": ["<unk>", "<unk>", "t"]}),
        ({"unk_token": "<unk>", "fuse_unk": True}, {"zzt": ["<unk>", "t"]}),
        ({"byte_fallback": True}, {"azt": ["a", "<0x7A>", "t"], "é": ["<0xC3>", "<0xA9>"]}),
        ({"unk_token": "<unk>", "end_of_word": "_"}, {"az": ["a", "<unk>", "_"]}),
    ],
)
def test_an_unknown_letter_is_never_dropped(params: dict[str, Any], expected: dict[str, list[str]]) -> None:
    fitted = BPETokenizer(num_merges=1, **CHARACTERS, **params).fit(["cat", "hat", "mat", "at"])
    assert fitted.merges_ == [("a", "t")]
    assert {text: fitted.transform([text])[0] for text in expected} == expected


def test_without_an_unknown_token_it_is_an_error() -> None:
    fitted = BPETokenizer(num_merges=1, **CHARACTERS).fit(["cat", "hat", "mat", "at"])
    for method in (fitted.encode, fitted.spans, lambda text: fitted.encode_batch([text])):
        with pytest.raises(ValueError, match="'z'"):
            method("a zat")


# Round trips (B07)


@pytest.mark.parametrize("add_prefix_space", [False, True])
@pytest.mark.parametrize(
    "text", ["   three leading", "trailing   ", "a  b    c", "well !", "\tx\r\n", "", " ", "é🙂 ½ﬁ"]
)
@pytest.mark.parametrize("pretokenizer", ["gpt2", "cl100k", "none", r"\w+"])
def test_blanks_are_neither_lost_nor_added(text: str, add_prefix_space: bool, pretokenizer: str) -> None:
    params = {"vocab_size": 262, "pretokenizer": pretokenizer, "add_prefix_space": add_prefix_space}
    fitted = BPETokenizer(**params).fit(["three   leading well ! a  b three leading"])
    assert fitted.decode(fitted.encode(text)) == text


# Special tokens (B09)


def test_special_tokens_in_user_text_are_text_unless_allowed() -> None:
    fitted = BPETokenizer(num_merges=5, special_tokens={"<|end|>": 999}).fit(["The mark is literal."] * 2)
    text = "The mark <|end|> is literal."
    ids = fitted.encode(text)
    assert 999 not in ids
    assert fitted.decode(ids) == text
    assert fitted.encode_batch([text]) == [ids]
    allowed = fitted.encode(text, allowed_special={"<|end|>"})
    assert allowed.count(999) == 1
    assert fitted.decode(allowed) == text
    assert fitted.encode(text, allowed_special={"<|end|>"}, on_special="raise") == allowed
    with pytest.raises(ValueError, match=r"'<\|end\|>' at position 9"):
        fitted.encode(text, on_special="raise")


# Added tokens by the thousand (B11)


def test_fifty_thousand_added_tokens(tmp_path: Path) -> None:
    fitted = BPETokenizer(num_merges=0).fit(["a short sentence"])
    fitted.add_tokens(f"tok{i}" for i in range(50_000))
    text = "a short sentence with tok7 inside"
    few = BPETokenizer(num_merges=0).fit(["a short sentence"]).add_tokens(["tok7"])
    assert fitted.id_to_piece(fitted.encode(text)[22]) == "tok7"
    # Ratios, not seconds: thousands of tokens make one short sentence no slower than a few.
    assert _best(lambda: fitted.encode(text)) < 10 * _best(lambda: few.encode(text))
    fitted.save(tmp_path / "model.json")
    assert BPETokenizer.load(tmp_path / "model.json").encode(text) == fitted.encode(text)


def test_time_grows_with_the_added_tokens(tmp_path: Path) -> None:
    def adding(n: int) -> Task:
        def task() -> None:
            fitted = BPETokenizer(num_merges=0).fit(["a short sentence"]).add_tokens(f"tok{i}" for i in range(n))
            fitted.save(tmp_path / "model.json")
            BPETokenizer.load(tmp_path / "model.json")

        return task

    assert_growth(adding, 2_000)


def _best(call: Callable[[], Any], n: int = 5) -> float:
    return cpu_seconds(lambda: [call() for _ in range(20)], repeats=n)


# Slow input (B12)

SLOW = {
    "one letter": lambda n: "a" * n,
    "dashes": lambda n: "-" * n,
    "underscores": lambda n: "_" * n,
    "blanks": lambda n: " " * n,
    "random letters": lambda n: "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=n)),
    "emoji": lambda n: "🙂" * (n // 4),
    "marks": lambda n: "e" + "\u0301" * (n // 2),
}


@pytest.mark.parametrize("kind", SLOW)
def test_encoding_and_training_grow_with_the_text(kind: str) -> None:
    make, size = SLOW[kind], 20_000 if COMPILED else 2_000
    large = make(10 * size)
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        fitted = BPETokenizer(vocab_size=400).fit([make(2_000), "a b c"])
    assert fitted.decode(fitted.encode(large)) == large
    # The twin's objects leave the processor's caches between the two sizes.
    assert_growth(lambda n: partial(fitted.encode, make(n)), size, at_most=15 if COMPILED else 20)
    if COMPILED:
        learn = BPETokenizer(num_merges=20, pretokenizer="none")
        with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
            assert_growth(lambda n: partial(learn.fit, [make(n) + "b"]), size, at_most=15)


# Saving (B13)


@pytest.mark.parametrize("byte_level", [True, False])
def test_pieces_of_blanks_and_separators_survive_saving(byte_level: bool, tmp_path: Path) -> None:
    merges = [(" ", " "), ("  ", "x"), (" ", "y"), ("#", "version"), ("\n", "\n"), ("\u2028", "a")]
    if byte_level:
        parts = [("v", "e"), ("ve", "r"), ("ver", "s"), ("vers", "i"), ("versi", "o"), ("versio", "n")]
        lines = [(b"\xe2", b"\x80"), (b"\xe2\x80", b"\xa8")]
        merges = [*parts, *lines, *merges]  # type: ignore[list-item]
    fitted = BPETokenizer.from_merges(merges, byte_level=byte_level, pretokenizer="none")
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    fitted.save(first)
    loaded = BPETokenizer.load(first)
    loaded.save(second)
    assert loaded.merges_ == fitted.merges_
    assert [pair for pair in merges if isinstance(pair[0], str)] == [pair for pair in fitted.merges_ if pair in merges]
    assert first.read_bytes() == second.read_bytes()
    if byte_level:
        text = "  x  y#version\n\n\u2028a"
        assert loaded.encode(text) == fitted.encode(text)
        assert loaded.transform([text])[0][-1] == "\u2028a"
        with_files = tmp_path / "vocab.json", tmp_path / "merges.txt"
        fitted.to_vocab_merges(*with_files)
        assert BPETokenizer.from_vocab_merges(*with_files, pretokenizer="none").merges_ == fitted.merges_
    else:
        with pytest.raises(ModelFormatError, match="cannot hold"):
            fitted.to_vocab_merges(tmp_path / "vocab.json", tmp_path / "merges.txt")


# Continuing prefix (B14)


def test_the_prefix_is_left_out_where_parts_are_joined(tmp_path: Path) -> None:
    merges = [("##e", "##x"), ("t", "##e"), ("t", "##ex")]
    fitted = BPETokenizer.from_merges(merges, alphabet=["##t"], continuing_prefix="##", **CHARACTERS)
    assert {"##ex", "te", "tex"} <= set(fitted.vocabulary_)
    assert fitted.transform(["tex tet"]) == [["tex", "te", "##t"]]
    trained = BPETokenizer(num_merges=3, continuing_prefix="##", **CHARACTERS).fit(["text next"])
    assert trained.merges_ == [("##e", "##x"), ("##ex", "##t"), ("t", "##ext")]
    trained.save(tmp_path / "model.json")
    loaded = BPETokenizer.load(tmp_path / "model.json")
    assert loaded.transform(["text next"]) == [["text", "n", "##ext"]]
    assert loaded.decode(loaded.encode("text next")) == "text next"


# What cannot be exported is an error (B18; the parity itself is in test_formats_peers.py)


@pytest.mark.parametrize(
    ("params", "method", "message"),
    [
        ({**CHARACTERS, "end_of_word": "_"}, "to_tokenizers_json", "join_end_of_word"),
        (CHARACTERS, "to_tiktoken", "byte_level"),
        ({"pretokenizer": "blank"}, "to_tiktoken", "blank"),
        ({"normalizer": {"type": "NFC"}}, "to_tiktoken", "normalizer"),
        ({}, "to_subword_nmt", "byte_level=False"),
    ],
)
def test_what_a_format_cannot_say_is_an_error(
    params: dict[str, Any], method: str, message: str, tmp_path: Path
) -> None:
    fitted = BPETokenizer(num_merges=2, **params).fit(["some text some text"])
    with pytest.raises(ModelFormatError, match=message):
        getattr(fitted, method)(tmp_path / "file")
    assert not list(tmp_path.iterdir())


# Nothing is dropped in silence (B20)


def test_long_documents_are_counted_unless_a_limit_says_otherwise(tmp_path: Path) -> None:
    corpus = ["word " * 5000, "short line"]
    params: dict[str, Any] = {"num_merges": 2}
    assert BPETokenizer(**params).count_words(corpus)[" word"] == 4999
    with pytest.warns(UserWarning, match="1 of 2 lines.*25000 characters"):
        counts = BPETokenizer(max_document_length=100, **params).count_words(corpus)
    assert counts == {"short": 1, " line": 1}
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(corpus), encoding="utf-8")
    with pytest.warns(UserWarning, match="1 of 2 lines"):
        BPETokenizer(max_document_length=100, **params).fit_files([path], lines=True)
