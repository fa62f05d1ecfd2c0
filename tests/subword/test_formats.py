"""Files of other libraries, without the libraries: what is written, what is read, what is refused."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword import BPETokenizer
from textprep_ml.subword.added_tokens import TokenMatcher
from textprep_ml.subword.bytemap import BYTE_ORDER, from_printable, to_printable
from textprep_ml.subword.normalizers import ChainNormalizer
from textprep_ml.subword.pretokenizers import make_pretokenizer

CHARACTERS: dict[str, Any] = {"byte_level": False, "pretokenizer": "blank"}


@pytest.fixture(scope="module")
def fitted() -> BPETokenizer:
    return BPETokenizer(vocab_size=270, special_tokens=["<s>"]).fit(["low lower lowest newer newest widest"])


# Bytes as printable characters


@given(data=st.binary(max_size=20))
def test_printable_characters_stand_for_bytes(data: bytes) -> None:
    text = to_printable(data)
    assert from_printable(text) == data
    assert text.isprintable()
    assert " " not in text


def test_the_order_of_bytes() -> None:
    assert BYTE_ORDER[:2] == [ord("!"), ord('"')]
    assert sorted(BYTE_ORDER) == list(range(256))
    assert BYTE_ORDER[-68:] == [*range(0x21), *range(0x7F, 0xA1), 0xAD]  # what has no character of its own
    with pytest.raises(ValueError, match="stands for no byte"):
        from_printable("a b")


# subword-nmt


@pytest.mark.parametrize(("joined", "version"), [(True, "0.2"), (False, "0.1")])
def test_codes_of_subword_nmt(joined: bool, version: str, tmp_path: Path) -> None:
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    params = {"end_of_word": "</w>", "join_end_of_word": joined, **CHARACTERS}
    ours = BPETokenizer(num_merges=6, **params).fit_counts(counts)
    path = tmp_path / "codes"
    ours.to_subword_nmt(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"#version: {version}"
    assert lines[1:3] == ["e s", "es t</w>"] if joined else ["e s", "es t"]
    again = BPETokenizer.from_subword_nmt(path, alphabet="lowernstid")
    assert again.merges_ == ours.merges_
    words = list(counts)
    assert again.transform(words) == ours.transform(words)


@pytest.mark.parametrize("content", ["#version: 0.2\na b c\n", "#version: 0.2\nab\n", "#version: 0.2\n a\n"])
def test_damaged_codes_name_the_line(content: str, tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelFormatError, match="codes, line 2"):
        BPETokenizer.from_subword_nmt(path)


# vocab.json and merges.txt


def test_vocab_and_merges(fitted: BPETokenizer, tmp_path: Path) -> None:
    paths = tmp_path / "vocab.json", tmp_path / "merges.txt"
    fitted.to_vocab_merges(*paths)
    vocabulary = json.loads(paths[0].read_text(encoding="utf-8"))
    assert vocabulary["<s>"] == 0
    assert vocabulary["Ġ"] == fitted.piece_to_id(" ")
    left, right = fitted.merges_[0]
    assert paths[1].read_text(encoding="utf-8").startswith(f"#version: 0.2\n{left} {right}\n")
    again = BPETokenizer.from_vocab_merges(*paths, special_tokens=["<s>"])
    assert again.vocabulary_ == fitted.vocabulary_
    assert again.merges_ == fitted.merges_
    assert again.special_tokens_ == {"<s>": 0}
    text = "the lowest é <s>"
    assert again.encode(text) == fitted.encode(text)
    with pytest.raises(ModelFormatError, match="no special token '<x>'"):
        BPETokenizer.from_vocab_merges(*paths, special_tokens=["<x>"])
    paths[1].write_text("#version: 0.2\nĠ nothing\n", encoding="utf-8")
    with pytest.raises(ModelFormatError, match="Merge 0"):
        BPETokenizer.from_vocab_merges(*paths)


def test_merges_may_begin_with_the_sign_of_the_header(tmp_path: Path) -> None:
    ours = BPETokenizer.from_merges([("#", "#"), ("##", "v")], pretokenizer="none")
    paths = tmp_path / "vocab.json", tmp_path / "merges.txt"
    ours.to_vocab_merges(*paths)
    assert BPETokenizer.from_vocab_merges(*paths, pretokenizer="none").merges_ == ours.merges_


# tiktoken


def test_ranks(fitted: BPETokenizer, tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    given = fitted.to_tiktoken(path)
    assert given["special_tokens"] == {"<s>": 0}
    first, rank = path.read_bytes().splitlines()[0].split()
    assert (base64.b64decode(first), int(rank)) == (b"!", 1)
    again = BPETokenizer.from_tiktoken(path, pretokenizer="gpt2", special_tokens={"<s>": 0})
    assert again.merges_ == fitted.merges_
    assert again.vocabulary_ == fitted.vocabulary_
    assert again.encode("newest <s>", allowed_special="all") == fitted.encode("newest <s>", allowed_special="all")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines, b"???? 5"], "line 270"),
        (lambda lines: [*lines, b"YQ=="], "line 270"),
        (lambda lines: lines[1:], "0x21"),
        (lambda lines: [*lines, b"YWJjZGVm 5"], "not unique"),
    ],
)
def test_damaged_ranks(fitted: BPETokenizer, change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    fitted.to_tiktoken(path)
    path.write_bytes(b"\n".join(change(path.read_bytes().splitlines())))
    with pytest.raises(ModelFormatError, match=message):
        BPETokenizer.from_tiktoken(path, pretokenizer="gpt2")


def test_ranks_that_no_merge_reaches_are_taken_as_whole_words() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256, b"bc": 257}
    ours = BPETokenizer.from_tiktoken(ranks, pretokenizer="none")
    assert ours.whole_words
    assert ours.encode("abc") == [256]
    assert ours.encode("xabc") == [ord("x"), ord("a"), 257]


def test_ids_that_are_not_in_the_order_of_merges_cannot_be_ranks(fitted: BPETokenizer) -> None:
    model = fitted._model()
    model.merges = np.ascontiguousarray(model.merges[::-1])
    swapped = BPETokenizer(special_tokens=["<s>"])._adopt(model)
    with pytest.raises(ModelFormatError, match="order of its merges"):
        swapped.to_tiktoken()


# tokenizer.json


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"model": {"type": "WordPiece"}}',
        '{"model": {"merges": [["a", "b"]], "vocab": {}}}',
        '{"model": 3}',
    ],
)
def test_damaged_tokenizer_json(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json"):
        BPETokenizer.from_tokenizers_json(path)
    with pytest.raises(ModelFormatError, match="cannot be read"):
        BPETokenizer.from_tokenizers_json(tmp_path / "none.json")


def test_tokenizer_json_keeps_ids_specials_and_template(fitted: BPETokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    fitted.to_tokenizers_json(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["model"]["merges"][0] == [to_printable(part.encode()) for part in fitted.merges_[0]]
    document["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
    }
    document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]  # the older form
    path.write_text(json.dumps(document), encoding="utf-8")
    again = BPETokenizer.from_tokenizers_json(path)
    assert again.vocabulary_ == fitted.vocabulary_
    assert again.encode("low", add_special_tokens=True) == [0, *fitted.encode("low")]
    again.to_tokenizers_json(path)
    assert (
        json.loads(path.read_text(encoding="utf-8"))["post_processor"]["single"] == document["post_processor"]["single"]
    )


# The parts


@given(
    tokens=st.lists(st.text("ab<", min_size=1, max_size=6), max_size=6, unique=True), text=st.text("ab<", max_size=20)
)
def test_tokens_are_found_leftmost_longest(tokens: list[str], text: str) -> None:
    expected = []
    at = 0
    while at < len(text):
        found = max((token for token in tokens if text.startswith(token, at)), key=len, default="")
        if found:
            expected.append((at, at + len(found)))
        at += len(found) or 1
    assert list(TokenMatcher(tokens).find(text)) == expected


COMPONENTS = [
    {"type": "NFC"},
    {"type": "NFKD"},
    {"type": "Lowercase"},
    {"type": "StripAccents"},
    {"type": "Strip"},
    {"type": "Prepend", "prepend": "_"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "xyz"},
    {"type": "Replace", "pattern": {"Regex": " +"}, "content": ""},
]


@given(
    text=st.text(st.sampled_from("aÀİé\u0301\u0323ﬁ 각ᄀ\u1161\u11a8"), max_size=12),
    steps=st.lists(st.sampled_from(COMPONENTS), max_size=4),
)
def test_normalizers_know_where_characters_come_from(text: str, steps: list[dict[str, Any]]) -> None:
    normalizer = ChainNormalizer({"type": "Sequence", "normalizers": steps})
    normalized, offsets = normalizer.align(text)
    assert normalized == normalizer.normalize(text)
    spans = offsets.to_raw(np.array([[i, i + 1] for i in range(len(normalized))], dtype=np.int64).reshape(-1, 2))
    assert ((spans >= 0) & (spans <= len(text))).all()
    assert (np.diff(spans, axis=0) >= 0).all()
    assert (spans[:, 0] <= spans[:, 1]).all()
    if not any(step["type"] in ("Replace", "Prepend", "Strip", "StripAccents") for step in steps):
        assert sorted({place for start, end in spans.tolist() for place in range(start, end)}) == list(range(len(text)))


@pytest.mark.parametrize(
    ("behavior", "expected"),
    [
        ("Isolated", ["a", "-", "-", "b", "-", "c"]),
        ("Removed", ["a", "b", "c"]),
        ("Contiguous", ["a", "--", "b", "-", "c"]),
        ("MergedWithPrevious", ["a-", "-", "b-", "c"]),
        ("MergedWithNext", ["a", "-", "-b", "-c"]),
    ],
)
def test_behaviors_of_a_split(behavior: str, expected: list[str]) -> None:
    component = {"type": "Split", "pattern": {"String": "-"}, "behavior": behavior, "invert": False}
    text = "a--b-c"
    assert [text[start:end] for start, end in make_pretokenizer(component).spans(text)] == expected


def test_line_ends_in_foreign_patterns() -> None:
    component = {"type": "Split", "pattern": {"Regex": r"\s+$"}, "behavior": "Isolated"}
    assert make_pretokenizer(component).spans("a \nb ") == [(0, 1), (1, 2), (2, 4), (4, 5)]
