"""BPETokenizer: what training, encoding, decoding and going on promise."""

from __future__ import annotations

import lzma
import os
import pickle
import subprocess
import sys
import warnings
from collections import Counter, deque
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from textprep_ml.exceptions import CorpusFormatError, ModelFormatError, VocabularyWarning
from textprep_ml.normalization import TextNormalizer
from textprep_ml.subword.bpe import BPETokenizer
from textprep_ml.subword.pretokenizers import SCHEMES
from textprep_ml.subword.reading import file_batches, make_ring
from textprep_ml.subword.streaming import StreamDecoder

CHARS = st.one_of(st.sampled_from("abcé \n'_9你🙂\ud800\udc00"), st.characters())
TEXT = st.text(CHARS, max_size=40)
WORDS = st.dictionaries(
    st.text(st.sampled_from("abcd"), min_size=1, max_size=8), st.integers(1, 5), min_size=1, max_size=8
)
COVERING = sorted(set(SCHEMES) - {"blank"})
CHARACTERS: dict[str, Any] = {"byte_level": False, "pretokenizer": "blank"}

CORPUS = ["the cat sat on the mat, the hat on the cat", "naïve café 你好 🙂🙂 don't", "  spaces   and\nlines\n\n"]


def quiet_fit(X: Any, method: str = "fit", **params: Any) -> BPETokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        return getattr(BPETokenizer(**params), method)(X)


@pytest.fixture(scope="module")
def tokenizer() -> BPETokenizer:
    return quiet_fit(CORPUS, vocab_size=300, special_tokens=["<|end|>"])


# Round trips


@pytest.mark.parametrize("add_prefix_space", [False, True])
@pytest.mark.parametrize("pretokenizer", [*COVERING, r"\w+|\d", [{"type": "Digits", "individual_digits": True}]])
@given(text=TEXT)
@settings(max_examples=60)
def test_byte_level_decode_undoes_encode(pretokenizer: Any, add_prefix_space: bool, text: str) -> None:
    key = (str(pretokenizer), add_prefix_space)
    if key not in FITTED:
        params = {"pretokenizer": pretokenizer, "add_prefix_space": add_prefix_space}
        FITTED[key] = quiet_fit(CORPUS, vocab_size=290, **params)
    fitted = FITTED[key]
    ids = fitted.encode(text)
    assert fitted.decode(ids) == text
    assert fitted.encode(text, as_array=True).tolist() == ids
    decoder = StreamDecoder(fitted)
    assert "".join(decoder.feed([index]) for index in ids) + decoder.finish() == text
    pieces = fitted.transform([text])[0]
    raw = b"".join(piece.encode("utf-8", "surrogateescape") for piece in pieces)
    assert raw.decode("utf-8", "surrogatepass") == (" " + text if add_prefix_space and text else text)


FITTED: dict[Any, BPETokenizer] = {}


@given(text=TEXT)
def test_spans_cover_the_text(tokenizer: BPETokenizer, text: str) -> None:
    ids, spans = tokenizer.encode_with_spans(text)
    assert ids == tokenizer.encode(text)
    assert spans.shape == (len(ids), 2)
    data = text.encode("utf-8", "surrogatepass")
    byte_spans = tokenizer.spans(text, unit="bytes")
    assert b"".join(data[start:end] for start, end in byte_spans) == data
    assert [tokenizer.token_bytes(index) for index in ids] == [data[start:end] for start, end in byte_spans]
    for (start, end), (first, last) in zip(spans.tolist(), byte_spans.tolist(), strict=True):
        covered = text[start:end].encode("utf-8", "surrogatepass")
        assert data[first:last] in covered
        assert len(text[: start + 1].encode("utf-8", "surrogatepass")) > first


@pytest.mark.parametrize(
    "slow", [{"pretokenizer": r"\w+"}, {"normalizer": {"type": "NFC"}}, {"add_prefix_space": True}]
)
@given(text=st.text(st.sampled_from("ab é🙂你\n"), max_size=20))
@settings(max_examples=50)
def test_spans_of_the_slow_paths_agree_with_the_text(slow: dict[str, Any], text: str) -> None:
    fitted = FITTED.setdefault(str(slow), quiet_fit(CORPUS, vocab_size=280, **slow))
    ids, spans = fitted.encode_with_spans(text)
    assert ids == fitted.encode(text)
    data = text.encode()
    blank = slow.get("add_prefix_space") and bool(text)
    assert b"".join(map(fitted.token_bytes, ids)) == (b" " if blank else b"") + data
    assert sorted({place for start, end in spans.tolist() for place in range(start, end)}) == list(range(len(text)))
    if "normalizer" not in slow:  # with one, a part of a character has the bytes of the whole
        assert b"".join(data[start:end] for start, end in fitted.spans(text, unit="bytes")) == data


def test_a_normalizer_keeps_raw_offsets() -> None:
    for normalizer in (TextNormalizer(form="NFKC"), {"type": "NFKC"}):
        fitted = quiet_fit(["fine fine"], vocab_size=260, normalizer=normalizer)
        text = "a ﬁne e\u0301"
        ids, spans = fitted.encode_with_spans(text)
        assert fitted.decode(ids) == "a fine é"
        assert spans.max() == len(text)
        assert set(map(tuple, spans.tolist())) >= {(0, 1), (len(text) - 2, len(text))}


# What training promises


@given(counts=WORDS, n=st.integers(0, 12), rule=st.sampled_from(["first", "lexicographic", "id"]))
def test_a_training_word_is_encoded_as_it_stood_at_the_end_of_training(
    counts: dict[str, int], n: int, rule: Any
) -> None:
    fitted = quiet_fit(counts, "fit_counts", num_merges=n, tie_break=rule, end_of_word="_", **CHARACTERS)
    words = {word: [*word, "_"] for word in counts}
    for left, right in fitted.merges_:
        words = {word: replay(pieces, left, right) for word, pieces in words.items()}
    assert {word: fitted.transform([word])[0] for word in counts} == words


def replay(pieces: list[str], left: str, right: str) -> list[str]:
    merged: list[str] = []
    for piece in pieces:
        if merged and merged[-1] == left and piece == right:
            merged[-1] = left + right + "\0"  # not part of another merge in this round
        else:
            merged.append(piece)
    return [piece.removesuffix("\0") for piece in merged]


@given(counts=WORDS, n=st.integers(1, 12))
def test_a_prefix_of_the_merges_is_the_smaller_tokenizer(counts: dict[str, int], n: int) -> None:
    large = quiet_fit(counts, "fit_counts", num_merges=12, **CHARACTERS)
    assume(len(large.merges_) >= n)
    small = quiet_fit(counts, "fit_counts", num_merges=n, **CHARACTERS)
    cut = large.with_vocab_size(len(small.vocabulary_))
    assert cut.merges_ == small.merges_
    assert cut.vocabulary_ == small.vocabulary_
    assert [cut.encode(word) for word in counts] == [small.encode(word) for word in counts]


@given(counts=WORDS, size=st.integers(4, 20))
def test_the_vocabulary_has_the_size_asked_for_unless_the_corpus_runs_out(counts: dict[str, int], size: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = BPETokenizer(vocab_size=size, **CHARACTERS).fit_counts(counts)
    if len(fitted.vocabulary_) == size:
        assert not caught
    else:
        assert len(fitted.vocabulary_) < size
        assert [warning.category for warning in caught] == [VocabularyWarning]
        assert f"{len(fitted.vocabulary_)} pieces" in str(caught[0].message)


def test_no_merge_crosses_a_word_and_none_is_too_long_or_rare() -> None:
    fitted = quiet_fit(["aa aa aa aa ab"], num_merges=50, pretokenizer="blank", min_frequency=2)
    assert fitted.merges_ == [("a", "a")]
    fitted = quiet_fit(["abcdefgh abcdefgh"], num_merges=50, max_piece_length=3, **CHARACTERS)
    assert max(map(len, fitted.vocabulary_)) == 3


def test_all_ways_to_give_the_corpus_agree(tmp_path: Path) -> None:
    text = "one two three two three three\n" * 50
    path = tmp_path / "corpus.txt"
    path.write_text(text, encoding="utf-8")
    params: dict[str, Any] = {"vocab_size": 265}
    expected = BPETokenizer(**params).fit([text]).merges_
    fresh = BPETokenizer(**params)
    assert BPETokenizer(**params).fit(iter([text])).merges_ == expected
    assert BPETokenizer(**params).fit_files([path]).merges_ == expected
    assert BPETokenizer(**params).fit_counts(fresh.count_words([text])).merges_ == expected
    lines = text.splitlines()
    by_line = BPETokenizer(**params).fit(lines).merges_
    assert BPETokenizer(**params).fit_files([path], lines=True).merges_ == by_line
    parts = [fresh.count_words(lines[:20]), fresh.count_words(lines[20:])]
    assert BPETokenizer(**params).fit_counts(parts).merges_ == by_line
    assert BPETokenizer(**params).fit_counts(Counter(parts[0]) + Counter(parts[1])).merges_ == by_line
    nested = [line.split(" ") for line in lines]
    flat = [token for line in nested for token in line]
    params = {"num_merges": 5}
    assert BPETokenizer(**params).fit(nested).merges_ == BPETokenizer(**params).fit(flat).merges_


@pytest.mark.parametrize("tie_break", ["first", "lexicographic", "id"])
def test_threads_and_parts_change_nothing(tmp_path: Path, tie_break: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"w{i * i % 97} é{i % 13}" for i in range(4000)]
    path = tmp_path / "corpus.txt"
    path.write_text(" ".join(words), encoding="utf-8")
    expected = BPETokenizer(vocab_size=300, tie_break=tie_break).fit([" ".join(words)])
    monkeypatch.setattr("textprep_ml.subword.reading.CHUNK_BYTES", 1000)
    for n_jobs in (1, 2, 4):
        fitted = BPETokenizer(vocab_size=300, tie_break=tie_break, n_jobs=n_jobs).fit_files([path])
        assert fitted.merges_ == expected.merges_
        assert fitted.merge_counts_.tolist() == expected.merge_counts_.tolist()
    by_document = BPETokenizer(vocab_size=300, tie_break=tie_break).fit(words).merges_
    assert BPETokenizer(vocab_size=300, tie_break=tie_break, n_jobs=3).fit(words).merges_ == by_document


@pytest.mark.parametrize("text", ["ab " * 300, "x" * 700 + " y" * 50, "é" * 900, "", "one"])
def test_parts_of_a_file_stay_as_they_are_until_the_ring_has_gone_round(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textprep_ml.subword.reading.CHUNK_BYTES", 100)
    monkeypatch.setattr("textprep_ml.subword.reading.MAX_STRETCH", 400)
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path in paths:
        path.write_text(text, encoding="utf-8")
    ring = make_ring(2)
    kept: deque[Any] = deque()
    read = b""
    for batch in file_batches(paths, False, "strict", ring):
        kept.extend(batch)
        if len(kept) == len(ring):
            read += kept.popleft()
    read += b"".join(kept)
    assert read == 2 * text.encode()
    assert b"".join(chain.from_iterable(file_batches(paths, False, "strict"))) == read


def test_compressed_files_are_unpacked(tmp_path: Path) -> None:
    text = "low lower lowest " * 50
    packed = tmp_path / "corpus.txt.xz"
    with lzma.open(packed, "wt", encoding="utf-8") as file:
        file.write(text)
    seen: list[tuple[str, int, int]] = []
    tokenizer = BPETokenizer(num_merges=4).fit_files([packed], progress=lambda *place: seen.append(place))
    assert tokenizer.merges_ == BPETokenizer(num_merges=4).fit([text]).merges_
    size = packed.stat().st_size
    assert [place for place in seen if place[0] == "counting"][-1] == ("counting", size, size)
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(CorpusFormatError, match=r"corpus\.txt\.xz: the compressed file is damaged or cut short"):
        tokenizer.fit_files([packed])


def test_hash_seeds_change_nothing() -> None:
    code = (
        "from textprep_ml.subword.bpe import BPETokenizer;"
        "tokenizer = BPETokenizer(num_merges=9, byte_level=False, pretokenizer='blank');"
        "print(tokenizer.fit(['abcd cdab bcda dabc acbd'] * 2).merges_)"
    )
    results = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(results) == 1


def test_a_sample_is_a_part_of_the_documents_and_repeatable() -> None:
    documents = [f"word{i}" for i in range(400)]
    counts = [BPETokenizer(sample=0.25, random_state=seed).count_words(documents) for seed in (0, 0, 1)]
    assert counts[0] == counts[1] != counts[2]
    assert 50 < sum(counts[0].values()) / 2 < 150


def test_progress_is_told_in_both_stages(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("some text for this " * 100, encoding="utf-8")
    told: list[tuple[str, int, int]] = []
    BPETokenizer(vocab_size=262).fit_files([path], progress=lambda *call: told.append(call))
    assert list(dict.fromkeys(call[0] for call in told)) == ["counting", "merging"]
    assert told[0][2] == path.stat().st_size
    assert told[-1] == ("merging", 6, 6)


# Going on


def test_partial_fit_keeps_ids_and_adds_merges_of_the_new_text() -> None:
    fitted = quiet_fit(["low low lower"], vocab_size=260, special_tokens=["<s>"])
    old, ids = dict(fitted.vocabulary_), fitted.encode("low lower")
    fitted.set_params(vocab_size=263).partial_fit(["zzzz zzzz low"])
    assert {piece: fitted.vocabulary_[piece] for piece in old} == old
    assert fitted.merges_[3:] == [("z", "z"), ("zz", "zz"), (" ", "zzzz")]
    assert fitted.merge_counts_.tolist() == [3, 3, 2, 6, 2, 1]  # zzzz has three overlapping pairs, twice
    assert fitted.encode("low lower") == ids
    assert (
        BPETokenizer(num_merges=2).partial_fit(["ab ab"]).merges_ == BPETokenizer(num_merges=2).fit(["ab ab"]).merges_
    )


def test_partial_fit_learns_new_characters() -> None:
    fitted = BPETokenizer(num_merges=1, end_of_word="_", **CHARACTERS).fit(["ab ab"])
    old = dict(fitted.vocabulary_)
    fitted.set_params(num_merges=3).partial_fit(["éé éé ab"])
    assert {piece: fitted.vocabulary_[piece] for piece in old} == old
    assert fitted.transform(["éé ab"]) == [["éé_", "ab", "_"]]


@given(first=WORDS, second=WORDS, n=st.integers(0, 6), m=st.integers(0, 6))
def test_going_on_with_the_same_corpus_is_going_through(
    first: dict[str, int], second: dict[str, int], n: int, m: int
) -> None:
    words = [word for word, count in first.items() for _ in range(count)]
    fitted = quiet_fit(words, num_merges=n, **CHARACTERS)
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        fitted.set_params(num_merges=len(fitted.merges_) + m).partial_fit(words)
    through = quiet_fit(words, num_merges=n + m, **CHARACTERS)
    assert fitted.merges_ == through.merges_
    assert fitted.vocabulary_ == through.vocabulary_


# Special and added tokens


def test_added_tokens_are_found_first_and_the_longest_wins(tokenizer: BPETokenizer) -> None:
    fitted = quiet_fit(CORPUS, vocab_size=280).add_tokens(["<a>", "<a><b>", "cat"])
    assert [fitted.id_to_piece(index) for index in fitted.encode("<a><b><a>cats")] == ["<a><b>", "<a>", "cat", "s"]
    assert fitted.decode(fitted.encode("the <a> cat")) == "the <a> cat"
    ids, spans = fitted.encode_with_spans("é<a>x")
    assert spans[ids.index(fitted.piece_to_id("<a>"))].tolist() == [1, 4]
    before = fitted.vocabulary_
    assert fitted.add_tokens(["<a>"]).vocabulary_ == before


def test_special_tokens_in_decoding(tokenizer: BPETokenizer) -> None:
    ids = tokenizer.encode("the<|end|>cat", allowed_special={"<|end|>"})
    assert tokenizer.decode(ids) == "the<|end|>cat"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "thecat"
    assert tokenizer.special_tokens_ == {"<|end|>": 0}


@pytest.mark.parametrize(
    ("special_tokens", "message"),
    [
        ([""], "empty"),
        (["<a>", "<a>"], "twice"),
        ([3], "int"),
        ({"<a>": 5}, "not behind"),
        ({"<a>": 999, "<b>": 999}, "same id"),
    ],
)
def test_bad_special_tokens(special_tokens: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        quiet_fit(CORPUS, vocab_size=270, special_tokens=special_tokens)


# Streaming and raw bytes


def test_half_characters_wait(tokenizer: BPETokenizer) -> None:
    fitted = BPETokenizer(num_merges=0).fit(["x"])
    decoder = StreamDecoder(fitted)
    assert [decoder.feed([index]) for index in fitted.encode("🙂a")] == ["", "", "", "🙂", "a"]
    decoder = StreamDecoder(fitted)
    assert decoder.feed(fitted.encode("🙂")[:2]) == ""
    assert decoder.finish() == "\ufffd"
    assert fitted.decode(fitted.encode("🙂")[:2]) == "\ufffd"
    assert fitted.token_bytes(fitted.encode("🙂")[0]) == b"\xf0"


@given(data=st.binary(max_size=12))
def test_streaming_gives_what_decoding_gives(data: bytes) -> None:
    fitted = FITTED.setdefault("bytes", BPETokenizer(num_merges=0).fit(["x"]))
    ids = [fitted.piece_to_id(bytes([byte]).decode("utf-8", "surrogateescape")) for byte in data]
    decoder = StreamDecoder(fitted)
    assert "".join(decoder.feed([index]) for index in ids) + decoder.finish() == fitted.decode(ids)


@given(words=st.lists(st.text(st.sampled_from("abc_é"), min_size=1, max_size=5), max_size=5))
def test_words_with_an_end_marker_decode_with_blanks(words: list[str]) -> None:
    for params in (
        {"end_of_word": "_"},
        {"end_of_word": "</w>", "join_end_of_word": True},
        {"continuing_prefix": "##"},
    ):
        fitted = FITTED.setdefault(
            str(params), quiet_fit(["abc_é ab cab é _"] * 2, num_merges=6, **CHARACTERS, **params)
        )
        ids = fitted.encode("  ".join(words))
        assert fitted.decode(ids) == " ".join(words)
        decoder = StreamDecoder(fitted)
        assert "".join(decoder.feed([index]) for index in ids) + decoder.finish() == " ".join(words)


# Errors


@pytest.mark.parametrize("method", ["encode", "spans", "transform", "encode_batch", "decode", "save"])
def test_unfitted(method: str) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        getattr(BPETokenizer(), method)([])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"vocab_size": 100}, "at least 256"),
        ({"vocab_size": 2, **CHARACTERS}, "alphabet_limit"),
        ({"pretokenizer": "gtp2"}, "gpt2"),
        ({"pretokenizer": "(a"}, "no regular expression"),
        ({"pretokenizer": {"type": "UnicodeScripts"}}, "UnicodeScripts"),
        ({"normalizer": {"type": "Precompiled"}}, "Precompiled"),
        ({"end_of_word": "_"}, "byte_level=False"),
        ({"end_of_word": "", **CHARACTERS}, "empty"),
    ],
)
def test_bad_parameters(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BPETokenizer(**params).fit(["some text"])


@pytest.mark.parametrize(
    "counts", [{"a": -1}, {"a": 1.5}, {3: 1}, ["a"], {"a": True}, None, 3, {"a": 2**63}, {"a": 2**50 + 1}]
)
def test_bad_counts(counts: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="BPETokenizer"):
        BPETokenizer().fit_counts(counts)


def test_bad_input_to_a_fitted_tokenizer(tokenizer: BPETokenizer) -> None:
    with pytest.raises(ValueError, match="ids go from 0 to"):
        tokenizer.decode([10**6])
    with pytest.raises(ValueError, match="-1"):
        tokenizer.decode([-1])
    with pytest.raises(TypeError, match="encode_batch"):
        tokenizer.encode(["a"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no special token"):
        tokenizer.encode("a", allowed_special={"nope"})
    with pytest.raises(TypeError, match="collection"):
        tokenizer.encode("a", allowed_special="<|end|>")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_special"):
        tokenizer.encode("a", on_special="what")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="with_vocab_size"):
        tokenizer.with_vocab_size(3)
    with pytest.raises(ValueError, match="already"):
        quiet_fit(CORPUS, vocab_size=280).set_params(vocab_size=270).partial_fit(CORPUS)
    with pytest.raises(ValueError, match="no piece"):
        tokenizer.piece_to_id("not there")


@pytest.mark.parametrize("method", ["fit", "partial_fit", "count_words"])
def test_tables_are_refused_with_the_remedy(method: str) -> None:
    frame = pd.DataFrame({"text": ["low lower", "new newer"], "label": [0, 1]})
    call = getattr(BPETokenizer(vocab_size=256), method)
    for table in (frame, frame[["text"]], frame.to_numpy()):
        with pytest.raises(ValueError, match=r"^BPETokenizer expects a one-dimensional .* such as df\['text'\]\.$"):
            call(table)
    with pytest.raises(TypeError, match=r"document 1 > 0 is DataFrame: +text +label 0 +low lower .*Drop or convert"):
        call(["fine", [frame]])
    call(frame["text"])


def test_invalid_utf8_in_a_file_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes("fine line\né bad ".encode() + b"\xff here\n")
    with pytest.raises(CorpusFormatError, match=r"bad\.txt, line 2 byte 7: invalid UTF-8 \(0xff\)"):
        BPETokenizer(vocab_size=260).fit_files([path])
    fitted = BPETokenizer(vocab_size=260).fit_files([path], on_error="replace")
    with pytest.raises(CorpusFormatError, match="line 2 byte 7"):
        list(fitted.encode_files([path]))
    (ids,) = fitted.encode_files([path], on_error="ignore")
    assert fitted.decode(ids) == "fine line\né bad  here\n"
    with pytest.raises(TypeError, match=r"\[path\]"):
        BPETokenizer().fit_files(str(path))  # type: ignore[arg-type]


# Batches, files, saving


@pytest.mark.parametrize("params", [{}, {"n_jobs": 2}, {"pretokenizer": r"\w+"}])
def test_batches_and_files_give_what_single_texts_give(params: dict[str, Any], tmp_path: Path) -> None:
    fitted = quiet_fit(CORPUS, vocab_size=280, **params)
    texts = [*CORPUS, "", "🙂"]
    rows = fitted.encode_batch(texts)
    assert rows == [fitted.encode(text) for text in texts]
    ids, offsets = fitted.encode_batch(texts, as_array=True)
    assert ids.dtype == np.int32
    assert [ids[start:end].tolist() for start, end in zip(offsets, offsets[1:], strict=False)] == rows
    assert fitted.decode_batch(rows) == texts
    assert fitted.encode_batch([]) == []
    paths = [tmp_path / f"{index}.txt" for index in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    assert [array.tolist() for array in fitted.encode_files(paths)] == rows


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"special_tokens": ["<s>"], "add_prefix_space": True},
        {"special_tokens": {"<s>": 999}},
        {"end_of_word": "_", **CHARACTERS},
        {"byte_fallback": True, "unk_token": "<unk>", **CHARACTERS},
        {"pretokenizer": r"\w+|\W", "normalizer": {"type": "NFC"}},
    ],
)
def test_saving_and_loading(params: dict[str, Any], tmp_path: Path) -> None:
    corpus = [text.replace("🙂", "") for text in CORPUS]
    fitted = quiet_fit(corpus, num_merges=20, **params)
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    fitted.save(first)
    loaded = BPETokenizer.load(first)
    loaded.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert loaded.encode_batch(corpus) == fitted.encode_batch(corpus)
    assert loaded.vocabulary_ == fitted.vocabulary_
    assert loaded.merges_ == fitted.merges_
    again = pickle.loads(pickle.dumps(fitted))
    assert again.encode_batch(corpus) == fitted.encode_batch(corpus)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"merges":[[', '"merges":[[99999,1,2],['),
        ('"pieces":[', '"pieces":["你",'),
        ('"merges":', '"nomerges":'),
        ('"min_frequency":1', '"min_frequency":-1'),
        ('"min_frequency":1', '"what":1'),
        ("}", ""),
        ('"class":"BPETokenizer"', '"class":"Other"'),
    ],
)
def test_damaged_model_files(old: str, new: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    quiet_fit(CORPUS, num_merges=3).save(path)
    content = path.read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelFormatError):
        BPETokenizer.load(path)


def test_a_tokenizer_object_as_pretokenizer_cannot_be_saved(tmp_path: Path) -> None:
    class Halves:
        def spans(self, text: str) -> list[tuple[int, int]]:
            middle = len(text) // 2
            return [(0, middle), (middle, len(text))] if middle else [(0, len(text))]

    fitted = quiet_fit(["abab", "abab"], num_merges=3, pretokenizer=Halves())
    assert fitted.transform(["abab"]) == [["ab", "ab"]]
    with pytest.raises(ModelFormatError, match="Halves"):
        fitted.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_nested_lists_keep_their_nesting() -> None:
    fitted = BPETokenizer(num_merges=1, **CHARACTERS).fit([["ab", "ab"], ["abc"]])
    assert fitted.transform([["ab", ["c"]], "cab"]) == [[["ab"], [["c"]]], ["c", "ab"]]


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([-1], ValueError, "No symbol has the id -1"),
        ([2**32 + 65], ValueError, "No symbol has the id 4294967361"),
        ([65, 10**30], ValueError, f"No symbol has the id {10**30}"),
        ([65, 1.5], TypeError, "item 1 is float: 1.5"),
        ([True], TypeError, "item 0 is bool: True"),
        ([[65]], TypeError, "item 0 is list.*Use decode_batch"),
        ("65", TypeError, "got str: '65'"),
        (65, TypeError, "got int: 65"),
        (None, TypeError, "got NoneType"),
        (np.array(65), TypeError, "one flat sequence"),
    ],
)
@pytest.mark.parametrize("skip_special_tokens", [False, True])
def test_wrong_ids_are_named(
    tokenizer: BPETokenizer, ids: Any, error: type[Exception], message: str, skip_special_tokens: bool
) -> None:
    with pytest.raises(error, match=message):
        tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
