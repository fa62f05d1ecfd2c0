"""Measures of a vocabulary, against counts made by hand; their scorers in the searches of scikit-learn; curves."""

from __future__ import annotations

import math
import pickle
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score

from textprep_ml import BPETokenizer, CaseNormalizer, TextPipeline, WhitespaceTokenizer
from textprep_ml.exceptions import VocabularyWarning
from textprep_ml.metrics import (
    morpheme_scores,
    renyi_efficiency,
    vocabulary_curve,
    vocabulary_scorer,
    vocabulary_scores,
    word_spans,
)

TEXTS = ["low lower lowest", "slow slower slowest", "new newer newest", "wide wider widest"]


class Cutter:
    """A tokenizer of given pieces, found one after another in a text."""

    def __init__(self, pieces: list[str], special: tuple[str, ...] = (), unk_token: str | None = None) -> None:
        self.vocabulary_ = {piece: index for index, piece in enumerate(pieces)}
        self.special_tokens_ = {piece: self.vocabulary_[piece] for piece in special}
        self.unk_token = unk_token

    def encode_with_spans(self, text: str) -> tuple[list[int], np.ndarray]:
        ids, spans, at = [], [], 0
        while at < len(text):
            for piece in sorted(set(self.vocabulary_) - set(self.special_tokens_), key=len, reverse=True):
                if text.startswith(piece, at):
                    break
            else:
                piece = text[at]
            ids.append(self.vocabulary_.get(piece, self.vocabulary_.get(self.unk_token or "", -1)))
            spans.append((at, at + len(piece)))
            at += len(piece)
        return ids, np.array(spans, dtype=np.intp).reshape(-1, 2)


def quiet(**params: Any) -> BPETokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        return BPETokenizer(**params).fit(TEXTS)


# Words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 9pm, ok?", ["It", "s", "9pm", "ok"]),
        ("你好 world", ["你", "好", "world"]),
        ("東京タワーへ", ["東", "京", "タ", "ワ", "ー", "へ"]),
        ("ที่นี่", ["ที่", "นี่"]),  # a letter with the marks above it
        ("한국어 좋아요", ["한국어", "좋아요"]),
        ("naïve cafe\u0301", ["naïve", "cafe\u0301"]),
        ("می\u200cشود", ["می\u200cشود"]),
        ("...\n--", []),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words


# Measures


def test_all_measures_by_hand() -> None:
    tokenizer = Cutter(["<unk>", " ", "un", "do", "ing", "é", "x", "unused"], ("<unk>",), "<unk>")
    text = "undoing do é do?"  # un do ing _ do _ é _ do <unk>
    scores = vocabulary_scores(tokenizer, [text])
    assert scores == {
        "n_documents": 1,
        "n_bytes": 17,
        "n_characters": 16,
        "n_words": 4,
        "n_pieces": 10,
        "fertility": (3 + 1 + 1 + 1) / 4,
        "pieces_per_character": 10 / 16,
        "bytes_per_piece": 17 / 10,
        "whole_words": 3 / 4,
        "unknown_rate": 1 / 10,
        "renyi_efficiency": pytest.approx(
            math.log(sum((n / 10) ** 2.5 for n in (1, 3, 3, 1, 1, 1))) / (1 - 2.5) / math.log(8)
        ),
        "vocabulary_use": 5 / 7,
    }
    twice = vocabulary_scores(tokenizer, [text, text])
    assert {key: value for key, value in twice.items() if not key.startswith("n_")} == pytest.approx(
        {key: value for key, value in scores.items() if not key.startswith("n_")}
    )


def test_an_unknown_word_is_not_left_whole() -> None:
    tokenizer = Cutter(["<unk>", "a", " "], ("<unk>",), "<unk>")
    scores = vocabulary_scores(tokenizer, ["a z"])
    assert (scores["fertility"], scores["whole_words"], scores["unknown_rate"]) == (1.0, 0.5, 1 / 3)


def test_bytes_of_one_character_are_several_pieces() -> None:
    scores = vocabulary_scores(quiet(num_merges=0), ["你 ab"])
    assert (scores["fertility"], scores["n_pieces"], scores["n_words"]) == ((3 + 2) / 2, 6, 2)


def test_a_marker_of_the_end_belongs_to_its_word() -> None:
    params: dict[str, Any] = {"byte_level": False, "pretokenizer": "blank", "end_of_word": "_", "num_merges": 0}
    tokenizer = quiet(**params)
    assert tokenizer.transform(["low new"]) == [["l", "o", "w", "_", "n", "e", "w", "_"]]
    assert vocabulary_scores(tokenizer, ["low new"])["fertility"] == 4
    assert vocabulary_scores(quiet(**params, join_end_of_word=True), ["low new"])["fertility"] == 3


def test_words_may_be_given() -> None:
    tokenizer = quiet(num_merges=0)
    by_tokenizer = vocabulary_scores(tokenizer, ["low, new"], words=WhitespaceTokenizer())
    assert (by_tokenizer["n_words"], by_tokenizer["fertility"]) == (2, (4 + 3) / 2)
    by_spans = vocabulary_scores(tokenizer, ["low, new"], words=[[(0, 3), (3, 4), (5, 8)]])
    assert (by_spans["n_words"], by_spans["fertility"]) == (3, (3 + 1 + 3) / 3)


@given(texts=st.lists(st.text(st.sampled_from("ab é你.\n\ud800"), max_size=12), min_size=1, max_size=4))
@settings(max_examples=60)
def test_measures_are_those_of_a_plain_count(texts: list[str]) -> None:
    tokenizer = quiet(num_merges=5)
    if not any(texts):
        with pytest.raises(ValueError, match="no pieces"):
            vocabulary_scores(tokenizer, texts)
        return
    scores = vocabulary_scores(tokenizer, texts)
    touched, pieces = [], Counter[int]()
    for text in texts:
        ids, spans = tokenizer.encode_with_spans(text)
        pieces.update(ids)
        touched += [sum(a < end and b > start for a, b in spans.tolist()) for start, end in word_spans(text)]
    assert scores["n_words"] == len(touched)
    assert scores["fertility"] == pytest.approx(np.mean(touched) if touched else 0)
    assert scores["whole_words"] == pytest.approx(np.mean(np.array(touched) == 1) if touched else 0)
    assert scores["n_pieces"] == pieces.total()
    assert scores["vocabulary_use"] == len(pieces) / len(tokenizer.vocabulary_)
    assert 0 <= scores["renyi_efficiency"] <= 1


@pytest.mark.parametrize(
    ("counts", "alpha", "expected"),
    [
        ([4, 2, 1, 1], 2, -math.log(22 / 64) / math.log(4)),
        ([4, 2, 1, 1], 1, 1.75 * math.log(2) / math.log(4)),
        ([4, 2, 1, 1], math.inf, math.log(2) / math.log(4)),
        ([4, 2, 1, 1], 0.5, 2 * math.log((2 + math.sqrt(2) + 2) / math.sqrt(8)) / math.log(4)),
        ([10**9, 1], 700, 0.0),
        ([], 2, 0.0),
        ([3], 2, 0.0),
    ],
)
def test_renyi_efficiency_by_hand(counts: list[int], alpha: float, expected: float) -> None:
    assert renyi_efficiency(counts, alpha=alpha) == pytest.approx(expected, abs=1e-6)


@given(counts=st.lists(st.integers(0, 1000), min_size=2, max_size=20), alpha=st.floats(0.1, 50))
def test_renyi_efficiency_falls_with_its_order(counts: list[int], alpha: float) -> None:
    assert 0 <= renyi_efficiency(counts, alpha=alpha + 0.5) <= renyi_efficiency(counts, alpha=alpha) + 1e-9 <= 1 + 2e-9


def test_morphemes_by_hand() -> None:
    tokenizer = Cutter([" ", "un", "do", "ing", "hap", "pi", "ness", "cat", "s"])
    words = {"undoing": ["un", "do", "ing"], "happiness": ["happi", "ness"], "cats": ["cat", "s"], "cat": ["cat"]}
    # un|do|ing: 2 of 2 right; hap|pi|ness: 1 of 2; cat|s: 1 of 1
    assert morpheme_scores(tokenizer, words) == {
        "morpheme_precision": 4 / 5,
        "morpheme_recall": 4 / 4,
        "morpheme_f1": 8 / 9,
    }
    scores = vocabulary_scores(tokenizer, ["cats"], morphemes=words)
    assert scores["morpheme_f1"] == 8 / 9


# Scorers


def test_greater_is_better() -> None:
    small, large = quiet(num_merges=2), quiet(num_merges=12)
    for measure in ("fertility", "pieces_per_character", "bytes_per_piece", "whole_words"):
        scorer = vocabulary_scorer(measure)
        assert scorer(large, TEXTS) > scorer(small, TEXTS)
    scores = vocabulary_scores(small, TEXTS)
    assert vocabulary_scorer("fertility")(small, TEXTS) == -scores["fertility"]
    assert vocabulary_scorer(["fertility", "bytes_per_piece"])(small, TEXTS) == {
        "fertility": -scores["fertility"],
        "bytes_per_piece": scores["bytes_per_piece"],
    }


@pytest.mark.filterwarnings("ignore::textprep_ml.exceptions.VocabularyWarning")
def test_searches_over_a_tokenizer() -> None:
    grid = {"vocab_size": [257, 262], "pretokenizer": ["gpt2", "none"]}
    search = GridSearchCV(BPETokenizer(), grid, scoring=vocabulary_scorer("fertility"), cv=2, n_jobs=2).fit(TEXTS)
    assert search.best_params_["vocab_size"] == 262
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ == scores.max() < 0
    several = vocabulary_scorer(["bytes_per_piece", "renyi_efficiency"])
    options: dict[str, Any] = {"cv": 2, "n_iter": 3, "random_state": 0, "scoring": several, "refit": "bytes_per_piece"}
    random = RandomizedSearchCV(BPETokenizer(), {"num_merges": [1, 4, 9]}, **options).fit(TEXTS)
    assert random.best_params_ == {"num_merges": 9}
    assert set(random.cv_results_) >= {"mean_test_bytes_per_piece", "mean_test_renyi_efficiency"}


@pytest.mark.filterwarnings("ignore::textprep_ml.exceptions.VocabularyWarning")
def test_pipelines_and_given_words() -> None:
    pipeline = TextPipeline([("fold", CaseNormalizer()), ("pieces", BPETokenizer(num_merges=3))])
    plain = cross_val_score(pipeline, [text.upper() for text in TEXTS], scoring=vocabulary_scorer("fertility"), cv=2)
    lower = cross_val_score(BPETokenizer(num_merges=3), TEXTS, scoring=vocabulary_scorer("fertility"), cv=2)
    assert plain.tolist() == lower.tolist()
    letters = [[(index, index + 1) for index, char in enumerate(text) if char != " "] for text in TEXTS]
    scorer = vocabulary_scorer("fertility")
    assert cross_val_score(BPETokenizer(num_merges=3), TEXTS, letters, scoring=scorer, cv=2).tolist() == [-1, -1]


def test_scorers_travel_to_workers() -> None:
    scorer = vocabulary_scorer("morpheme_f1", morphemes={"lower": ["low", "er"]})
    copy = pickle.loads(pickle.dumps(scorer))
    tokenizer = quiet(num_merges=3)
    assert copy(tokenizer, TEXTS) == scorer(tokenizer, TEXTS)
    assert repr(copy) == "vocabulary_scorer('morpheme_f1')"


# Curves


def test_a_curve_is_made_of_smaller_trainings() -> None:
    sizes = [257, 260, 263]
    curve = vocabulary_curve(quiet(vocab_size=265), TEXTS, sizes, alpha=2)
    for size, row in zip(sizes, curve, strict=True):
        assert row == {"vocab_size": size, **vocabulary_scores(quiet(vocab_size=size), TEXTS, alpha=2)}


def test_default_sizes_go_from_the_alphabet_to_the_whole() -> None:
    tokenizer = quiet(vocab_size=290, special_tokens=["<end>"], min_frequency=1)
    sizes = [row["vocab_size"] for row in vocabulary_curve(tokenizer, TEXTS)]
    assert (sizes[0], sizes[-1]) == tokenizer.vocab_sizes_ == (257, len(tokenizer.vocabulary_))
    assert sizes == sorted(set(sizes))
    assert len(sizes) == 8


# Bad input


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: vocabulary_scores(t, "low"), TypeError, "got one str: 'low'"),
        (lambda t: vocabulary_scores(t, ["low", 3]), TypeError, "document 1 is int: 3"),
        (lambda t: vocabulary_scores(t, []), ValueError, "needs text to measure on, but 0 documents"),
        (lambda t: vocabulary_scores(t, ["low"], alpha=0), ValueError, "alpha is the order of an entropy"),
        (lambda t: vocabulary_scores(t, ["low"], words=[]), ValueError, "got 1 documents, but words of 0"),
        (lambda t: vocabulary_scores(t, ["low"], words=[[(0, 9)]]), ValueError, "words, document 0 is"),
        (lambda t: renyi_efficiency([1, 1, 1], 2), ValueError, "counts of at most 2 pieces"),
        (lambda t: renyi_efficiency([-1, 2]), ValueError, "none below 0"),
        (lambda t: morpheme_scores(t, {"lower": ["low", "e"]}), ValueError, "the parts of 'lower' do not join"),
        (lambda t: morpheme_scores(t, {"low": "low"}), ValueError, "the parts of 'low' do not join"),
        (lambda t: morpheme_scores(t, {}), ValueError, "morphemes is empty"),
        (lambda t: morpheme_scores(t, ["low"]), TypeError, "mapping from words to their parts"),
        (lambda t: vocabulary_curve(WhitespaceTokenizer(), ["low"]), TypeError, "holds no smaller vocabularies"),
        (lambda t: vocabulary_curve(t, ["low"], [9]), ValueError, r"with_vocab_size\(9\): between 256"),
        (lambda t: vocabulary_curve(t, ["low"], [257.0]), TypeError, "expects an int, but got float"),
        (lambda t: vocabulary_scorer("fertilty"), ValueError, "no measure 'fertilty'; there are fertility"),
        (lambda t: vocabulary_scorer("morpheme_f1"), ValueError, "needs morphemes"),
        (lambda t: vocabulary_scorer("fertility", apha=2), TypeError, "not 'apha'"),
    ],
)
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(quiet(num_merges=2))
