"""UnigramTokenizer: what training, encoding, decoding, sampling and saving promise."""

from __future__ import annotations

import math
import pickle
import random
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_growth
from textprep_ml._kernels import COMPILED
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword import StreamDecoder, UnigramTokenizer

CORPUS = ["the cat sat on the mat, the hat on the cat", "naïve café 你好 🙂🙂 don't", "  spaces   and\nlines\n\n"] * 3
CHARS = st.one_of(
    st.sampled_from("abcé \n'_9你🙂"), st.characters(exclude_categories=["Cs"], exclude_characters="\u2581")
)
TEXT = st.text(CHARS, max_size=40)


def quiet_fit(X: Any, method: str = "fit", **params: Any) -> UnigramTokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        return getattr(UnigramTokenizer(**params), method)(X)


@pytest.fixture(scope="module")
def tokenizer() -> UnigramTokenizer:
    return quiet_fit(CORPUS, vocab_size=330, byte_fallback=True, special_tokens=["<|end|>"])


FITTED: dict[str, UnigramTokenizer] = {}


@pytest.mark.parametrize("add_prefix_space", [True, False])
@given(text=TEXT)
@settings(max_examples=80)
def test_decode_undoes_encode(add_prefix_space: bool, text: str) -> None:
    params = {"vocab_size": 320, "byte_fallback": True, "add_prefix_space": add_prefix_space}
    fitted = FITTED.setdefault(str(params), quiet_fit(CORPUS, **params))
    ids = fitted.encode(text)
    assert fitted.decode(ids) == text
    assert fitted.encode(text, as_array=True).tolist() == ids
    decoder = StreamDecoder(fitted)
    assert "".join(decoder.feed([index]) for index in ids) + decoder.finish() == text


@pytest.mark.parametrize(
    "text", ["   three leading", "trailing   ", "a  b    c", "well !", "\tx\r\n", "", " ", "é🙂 ½ﬁ"]
)
def test_white_space_comes_back(tokenizer: UnigramTokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(text=TEXT)
@settings(max_examples=80)
def test_spans_cover_the_text(tokenizer: UnigramTokenizer, text: str) -> None:
    ids, spans = tokenizer.encode_with_spans(text)
    assert ids == tokenizer.encode(text)
    data = text.encode()
    byte_spans = tokenizer.spans(text, unit="bytes")
    assert sorted({place for start, end in spans.tolist() for place in range(start, end)}) == list(range(len(text)))
    for (start, end), (first, last) in zip(spans.tolist(), byte_spans.tolist(), strict=True):
        assert text[start:end].encode() == data[first:last]  # bytes have the span of their whole character


def test_spans_of_normalized_text_are_those_of_the_raw_one() -> None:
    text = "  ﬁne   ﬁsh "
    for normalizer in ({"type": "NFKC"}, {"type": "SentencePiece", "remove_extra_whitespaces": True}):
        fitted = quiet_fit(["fine fish"] * 3, vocab_size=12, normalizer=normalizer)
        ids, spans = fitted.encode_with_spans(text)
        assert ids == fitted.encode(text)
        assert spans[:, 1].max() <= len(text)
        assert (np.diff(spans[:, 0]) >= 0).all()


def test_special_tokens_are_text_unless_allowed(tokenizer: UnigramTokenizer) -> None:
    text = "The mark <|end|> is literal."
    special = tokenizer.special_tokens_["<|end|>"]
    assert special not in tokenizer.encode(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    ids = tokenizer.encode(text, allowed_special={"<|end|>"})
    assert ids.count(special) == 1
    assert tokenizer.decode(ids) == text
    assert tokenizer.encode_with_spans(text, allowed_special="all")[0] == ids
    with pytest.raises(ValueError, match=r"'<\|end\|>' at position 9"):
        tokenizer.encode(text, on_special="raise")


def test_unknown_characters_are_one_piece_an_error_or_bytes() -> None:
    assert quiet_fit(["cat hat"] * 3, vocab_size=8).transform(["z cäzt"]) == [["▁", "<unk>", "▁", "c", "<unk>", "t"]]
    with pytest.raises(ValueError, match="No piece covers 'z'"):
        quiet_fit(["cat hat"] * 3, vocab_size=7, unk_token=None).encode("cazt")
    fitted = quiet_fit(["cat hat"] * 3, vocab_size=270, byte_fallback=True, unk_token=None)
    assert fitted.transform(["ä"]) == [["▁", "<0xC3>", "<0xA4>"]]


def test_user_defined_symbols_are_always_one_piece() -> None:
    params = {"user_defined_symbols": ["ca", "t", "﹟"], "normalizer": {"type": "NFKC"}}
    fitted = quiet_fit(CORPUS, vocab_size=80, **params)
    assert {"ca", "t", "﹟"} <= set(fitted.pieces_)
    assert len(fitted.pieces_) == len(set(fitted.pieces_))
    assert fitted.transform(["the cats"]) == [["▁", "t", "he", "▁", "ca", "t", "s"]]
    rules = quiet_fit(CORPUS, vocab_size=80, **params | {"normalizer": {"type": "SentencePiece"}})
    assert rules.transform(["﹟t"])[0][-2:] == ["﹟", "t"]


def test_scores_are_logarithms_of_probabilities() -> None:
    fitted = quiet_fit(CORPUS, vocab_size=80)
    scores = fitted.scores_[[piece is not None for piece in fitted.pieces_]]
    assert np.isfinite(scores).all()
    assert math.isclose(np.exp(scores).sum(), 1, rel_tol=1e-5)


def test_size_is_exact_and_pieces_are_bounded() -> None:
    for size in (36, 40, 44):
        fitted = UnigramTokenizer(vocab_size=size, max_piece_length=4, special_tokens=["<s>"]).fit(CORPUS)
        assert len(fitted.vocabulary_) == size
        assert max(map(len, filter(None, fitted.pieces_))) == 4


def test_training_is_deterministic_and_independent_of_threads_and_cuts() -> None:
    expected = quiet_fit(CORPUS, vocab_size=80)
    for other in (
        quiet_fit(CORPUS, vocab_size=80, n_jobs=2),
        quiet_fit((text for text in CORPUS), vocab_size=80),
        quiet_fit(expected.count_words(CORPUS), "fit_counts", vocab_size=80),
    ):
        assert other.pieces_ == expected.pieces_
        assert np.array_equal(other.scores_, expected.scores_)


def test_files_are_documents(tmp_path: Path, tokenizer: UnigramTokenizer) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(CORPUS), encoding="utf-8")
    fitted = quiet_fit([path], "fit_files", vocab_size=80)
    assert len(fitted.vocabulary_) <= 80
    (ids,) = tokenizer.encode_files([path])
    assert ids.tolist() == tokenizer.encode("\n".join(CORPUS))


@pytest.mark.parametrize("X", [[], ["  "], ["", "\n"]])
def test_an_empty_corpus_is_refused(X: Any) -> None:
    with pytest.raises(ValueError, match=r"UnigramTokenizer got a(n empty| blank) corpus"):
        UnigramTokenizer().fit(X)


def test_sizes_that_cannot_be_are_refused_or_told() -> None:
    with pytest.raises(ValueError, match="vocab_size=10 is smaller than the alphabet"):
        UnigramTokenizer(vocab_size=10).fit(CORPUS)
    with pytest.raises(ValueError, match="special, byte and user-defined"):
        UnigramTokenizer(vocab_size=200, byte_fallback=True).fit(CORPUS)
    with pytest.warns(VocabularyWarning, match="fewer than asked for"):
        UnigramTokenizer(vocab_size=5000).fit(CORPUS)


@pytest.mark.parametrize(
    "params",
    [
        {"special_tokens": ["<s>", "<s>"]},
        {"special_tokens": ["<s>"], "user_defined_symbols": ["<s>"]},
        {"user_defined_symbols": ["<unk>"]},
        {"special_tokens": [""]},
        {"unk_token": ""},
        {"normalizer": {"type": "SentencePiece", "precompiled_charsmap": "AAAA"}},
        {"normalizer": {"type": "SentencePiece", "colour": 1}},
        {"space_as_suffix": True},
    ],
)
def test_parameters_that_do_not_go_together_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"token|twice|empty|normalizer|suffix"):
        UnigramTokenizer(**params).fit(CORPUS)


def letters(n: int, seed: int, alphabet: str) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=n))


# The twin of the trainer looks at every substring anew.
LONG = 200_000 if COMPILED else 4_000


@pytest.mark.parametrize(
    "corpus",
    [
        [letters(LONG // 100, number, "ACGT") for number in range(40)],
        [letters(30, number, "abcdefg ") for number in range(50)] * 100,
        [letters(LONG, 0, "abcdefghijklmnopqrstuvwxyz")],
    ],
    ids=["dna", "repeated", "long"],
)
def test_odd_corpora_end_with_finite_scores(corpus: list[str]) -> None:
    fitted = quiet_fit(corpus, vocab_size=64)
    scores = fitted.scores_[[piece is not None for piece in fitted.pieces_]]
    assert np.isfinite(scores).all()
    assert math.isclose(np.exp(scores).sum(), 1, rel_tol=1e-5)
    assert fitted.decode(fitted.encode(corpus[0])) == corpus[0]


# Other ways


def test_n_best_ways_are_different_and_in_order(tokenizer: UnigramTokenizer) -> None:
    ways = tokenizer.encode_n_best_with_scores("the cat on the hat", 20)
    assert len({tuple(ids) for ids, _ in ways}) == 20
    scores = [score for _, score in ways]
    assert scores == sorted(scores, reverse=True)
    assert ways[0][0] == tokenizer.encode("the cat on the hat")
    assert all(tokenizer.decode(ids) == "the cat on the hat" for ids, _ in ways)
    for n in (0, -1, True, 1.5):
        with pytest.raises(ValueError, match="encode_n_best expects"):
            tokenizer.encode_n_best("a", n)  # type: ignore[arg-type]


def test_samples_follow_the_seed_and_alpha(tokenizer: UnigramTokenizer) -> None:
    text = "the cat sat on the mat"
    for options in ({"alpha": 0.2}, {"alpha": 0.5, "n_best": 8}):
        rows = tokenizer.sample_batch([text] * 50, random_state=1, **options)
        assert rows == tokenizer.sample_batch([text] * 50, random_state=1, **options)
        assert rows != tokenizer.sample_batch([text] * 50, random_state=2, **options)
        assert len({tuple(row) for row in rows}) >= 3
        assert {tokenizer.decode(row) for row in rows} == {text}
    assert tokenizer.sample_encode(text, alpha=500, random_state=0) == tokenizer.encode(text)
    with pytest.raises(ValueError, match="alpha from 0 on"):
        tokenizer.sample_encode(text, alpha=-1)


def test_log_likelihood_is_that_of_all_ways(tokenizer: UnigramTokenizer) -> None:
    ways = tokenizer.encode_n_best_with_scores("the cat", 10_000)
    total = math.log(sum(math.exp(score) for _, score in ways))
    assert math.isclose(tokenizer.log_likelihood("the cat"), total, rel_tol=1e-9)


# Files


def test_saving_and_pickling_keep_everything(tokenizer: UnigramTokenizer, tmp_path: Path) -> None:
    path, again = tmp_path / "a.json", tmp_path / "b.json"
    tokenizer.save(path)
    loaded = UnigramTokenizer.load(path)
    loaded.save(again)
    assert path.read_bytes() == again.read_bytes()
    for other in (loaded, pickle.loads(pickle.dumps(tokenizer))):
        assert other.encode_batch(CORPUS) == tokenizer.encode_batch(CORPUS)
        assert other.special_tokens_ == tokenizer.special_tokens_
        assert np.array_equal(other.scores_, tokenizer.scores_)


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: state["scores"].__setitem__(300, math.nan),
        lambda state: state["scores"].pop(),
        lambda state: state["pieces"].__setitem__(300, state["pieces"][301]),
        lambda state: state["pieces"].__setitem__(300, ""),
        lambda state: state["byte_pieces"].pop(),
        lambda state: state["added_tokens"]["<unk>"].__setitem__("id", 300),
        lambda state: state.__setitem__("user_defined", [10_000]),
        lambda state: state.__setitem__("template", [[10_000], []]),
    ],
)
def test_a_damaged_file_is_refused(
    tokenizer: UnigramTokenizer, tmp_path: Path, damage: Callable[[dict[str, Any]], Any]
) -> None:
    import json

    path = tmp_path / "model.json"
    tokenizer.save(path)
    document = json.loads(path.read_text())
    damage(document["state"])
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError):
        UnigramTokenizer.load(path)


# Growth


@pytest.mark.parametrize("text", ["a", "-", " ", "▁", "ab", letters(2000, 1, "abcdefghijklmnopqrstuvwxyz")])
def test_encoding_takes_linear_time(tokenizer: UnigramTokenizer, text: str) -> None:
    assert_growth(lambda size: partial(tokenizer.encode, text * (size // len(text))), 20_000)
