"""Whole pipelines in scikit-learn's tools."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline

from tests.test_contract import CASES, Case
from textprep_ml import (
    BPETokenizer,
    ModelFormatError,
    NaiveSegmenter,
    RuleSegmenter,
    SentenceSegmenter,
    TextPipeline,
    WordCounter,
    WordTokenizer,
    annotate,
    make_normalizer,
    make_text_pipeline,
)
from textprep_ml.pipelines import stage_of, thawed

TEXTS = ["Great app. I love it!", "It crashes. I hate it.", "Love the new look!", "Crashes at 3 p.m. Bad app."] * 5
LABELS = ["praise", "complaint"] * 10


def whole(**changes: Any) -> TextPipeline:
    stages = {
        "normalizer": make_normalizer("search", case="keep"),
        "segmenter": "rules",
        "subword": BPETokenizer(vocab_size=280, pretokenizer="none"),
        "classifier": "logistic",
    }
    return make_text_pipeline(**(stages | changes))


def test_from_raw_text_to_labels() -> None:
    pipeline = whole(segmenter="en").fit(TEXTS, LABELS)
    assert list(pipeline.named_steps) == ["normalizer", "segmenter", "tokenizer", "subword", "vectorizer", "classifier"]
    assert pipeline.score(TEXTS, LABELS) == 1.0
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=2).tolist() == [1.0, 1.0]
    assert pipeline.predict_proba(["I love it"]).shape == (1, 2)


def test_a_search_reaches_every_step() -> None:
    grid = {
        "normalizer__case": ["keep", "casefold"],
        "segmenter": [RuleSegmenter(), NaiveSegmenter(), "passthrough"],
        "tokenizer__contractions": ["keep"],
        "subword__vocab_size": [260, 280],
        "vectorizer__analyzer__ngram_range": [(1, 2)],
        "classifier__C": [1.0],
    }
    search = GridSearchCV(whole(), grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 12
    assert search.predict(TEXTS[:2]).tolist() == LABELS[:2]


def test_what_is_trained_stays_as_it_is() -> None:
    trained = SentenceSegmenter.load("en")
    pieces = BPETokenizer(num_merges=3, pretokenizer="none").fit(["low low lower"])
    pipeline = whole(segmenter=trained, subword=pieces)
    assert thawed(pipeline["segmenter"]) is trained
    assert isinstance(pipeline["subword"], FrozenEstimator)
    pipeline.fit(TEXTS, LABELS)
    assert pipeline["subword"].merges_ == pieces.merges_
    assert thawed(clone(pipeline)["segmenter"]) is trained
    assert not isinstance(whole()["subword"], FrozenEstimator)  # it has learned nothing yet
    assert not isinstance(whole()["segmenter"], FrozenEstimator)  # it never learns


class Noting(WordTokenizer):
    """Notes in a file that it worked: a cache keeps nothing else of a call."""

    log: Path

    def transform(self, X: Any) -> list[Any]:
        """Tokenize, and note it."""
        with self.log.open("a") as file:
            file.write("x")
        return super().transform(X)


def test_a_memory_knows_steps_again(tmp_path: Path) -> None:
    Noting.log = tmp_path / "calls"
    for constant in (0.1, 1.0):
        pipeline = whole(tokenizer=Noting(), memory=str(tmp_path / "cache"), classifier=LogisticRegression(C=constant))
        pipeline.fit(TEXTS, LABELS)
        assert Noting.log.read_text() == "x"
        thawed(pipeline["normalizer"]).transform(["used between the fits"])
    pipeline = whole(tokenizer=Noting(contractions="keep"), memory=str(tmp_path / "cache")).fit(TEXTS, LABELS)
    assert Noting.log.read_text() == "xx"


FRAME = pd.DataFrame({"review": TEXTS, "stars": [5, 1] * 10})


def test_a_text_column_beside_others() -> None:
    words = make_text_pipeline(normalizer="search", vectorizer="counts")
    columns = ColumnTransformer([("words", words, "review"), ("stars", "passthrough", ["stars"])])
    matrix = columns.fit_transform(FRAME)
    names = columns.get_feature_names_out().tolist()
    assert matrix.shape == (20, len(names))
    assert names[-1] == "stars__stars"
    assert "words__crashes" in names
    model = make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(FRAME, LABELS)
    assert model.predict(FRAME[:2]).tolist() == LABELS[:2]


def test_set_output_gives_a_frame_with_names() -> None:
    words = make_pipeline(make_normalizer("search"), WordCounter(vocab_size=3, sparse_output=False))
    columns = ColumnTransformer([("words", words, "review"), ("stars", "passthrough", ["stars"])])
    found = columns.set_output(transform="pandas").fit_transform(FRAME)
    assert found.columns.tolist() == ["words__app", "words__crashes", "words__it", "stars__stars"]
    assert found["words__crashes"].tolist()[:4] == [0, 1, 0, 1]


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_text_stays_text_whatever_the_output(output: str) -> None:
    pipeline = whole(classifier=None)
    expected = pipeline.fit(TEXTS).transform(TEXTS)
    assert pipeline.set_output(transform=output) is pipeline
    assert pipeline.transform(TEXTS) == expected
    with config_context(transform_output=output):
        assert whole().fit(TEXTS, LABELS).predict(TEXTS[:2]).tolist() == LABELS[:2]


TEXT_STEPS = [case for case in CASES if stage_of(case.estimator) is not None]


@pytest.mark.parametrize("case", TEXT_STEPS, ids=lambda case: case.name)
def test_every_text_step_has_names_and_takes_set_output(case: Case) -> None:
    fitted = case.fit(clone(case.estimator))
    assert fitted.set_output(transform="pandas") is fitted
    assert fitted.get_feature_names_out().tolist() == (["tagged"] if case.name == "PosTagger" else ["text"])


def test_feature_names_go_through_all_steps() -> None:
    pipeline = whole(segmenter="en").fit(TEXTS, LABELS)
    names = pipeline[:-1].get_feature_names_out()
    assert len(names) == pipeline[-1].n_features_in_
    assert "love" in names
    union = FeatureUnion([("words", make_text_pipeline(vectorizer="counts")), ("pieces", whole()[:-1])]).fit(TEXTS)
    assert {name.partition("__")[0] for name in union.get_feature_names_out()} == {"words", "pieces"}


def test_parts_and_copies_are_text_pipelines() -> None:
    pipeline = whole().fit(TEXTS, LABELS)
    assert isinstance(pipeline[:3], TextPipeline)
    assert isinstance(clone(pipeline), TextPipeline)
    assert pipeline[:3].transform(["It rains. Stay in."]) == [[["It", "rains", "."], ["Stay", "in", "."]]]
    again = pickle.loads(pickle.dumps(pipeline))
    assert np.array_equal(again.predict_proba(TEXTS), pipeline.predict_proba(TEXTS))
    assert "TextPipeline" in repr(pipeline)


# The usual ones


def test_nothing_but_tokens_is_the_default() -> None:
    assert make_text_pipeline().transform(["It's so."]) == [["It", "'s", "so", "."]]


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ({"normalizer": "search"}, [["so", "it", "is", ".", "no", "!"]]),
        ({"segmenter": "naive"}, [[["So", "it", "is", "."], ["No", "!"]]]),
        ({"segmenter": "en", "tokenizer": None}, [["So it is.", "No!"]]),
        ({"tokenizer": "whitespace"}, [["So", "it", "is.", "No!"]]),
        ({"tokenizer": "characters"}, [list("So it is. No!")]),
        ({"tokenizer": "treebank"}, [["So", "it", "is.", "No", "!"]]),
        ({"tokenizer": "ud"}, [["So", "it", "is", ".", "No", "!"]]),
        ({"tokenizer": "ptb"}, [["So", "it", "is", ".", "No", "!"]]),
    ],
)
def test_steps_by_name(stages: dict[str, Any], expected: list[Any]) -> None:
    assert make_text_pipeline(**stages).transform(["So it is. No!"]) == expected


def test_a_tagger_by_name_and_a_model_by_its_file(tmp_path: Path) -> None:
    tagged = make_text_pipeline(tagger="en-pos").transform(["It rains"])
    assert tagged == [[("It", "PRON"), ("rains", "VERB")]]
    BPETokenizer(num_merges=1).fit(["low low"]).save(tmp_path / "bpe.json")
    pipeline = make_text_pipeline(subword=tmp_path / "bpe.json")
    assert pipeline.transform(["low"]) == [[["lo", "w"]]]


@pytest.mark.parametrize("name", ["bpe", "unigram"])
def test_pieces_by_name_are_learned(name: str) -> None:
    pipeline = make_text_pipeline(subword=name).set_params(subword__vocab_size=280 if name == "bpe" else 40).fit(TEXTS)
    found = annotate(pipeline, TEXTS[:2])
    leaves = [piece for document in pipeline.transform(TEXTS[:2]) for token in document for piece in token]
    assert leaves == found.pieces.texts
    assert "".join(found.surfaces("pieces")) == "".join(TEXTS[:2]).replace(" ", "")


def test_the_vectorizer_comes_with_the_classifier() -> None:
    assert type(make_text_pipeline(classifier="bayes")["vectorizer"]).__name__ == "TfidfVectorizer"
    assert type(make_text_pipeline(vectorizer="hashing")[-1]).__name__ == "HashingVectorizer"


def test_wrong_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"No tokenizer 'word'; there are words, ud, ptb"):
        make_text_pipeline(tokenizer="word")
    with pytest.raises(ValueError, match="No classifier 'svm'; there are logistic, bayes"):
        make_text_pipeline(classifier="svm")
    with pytest.raises(ValueError, match="No normalizer preset 'serach'"):
        make_text_pipeline(normalizer="serach")
    with pytest.raises(ModelFormatError, match="no shipped model of that name"):
        make_text_pipeline(segmenter="ne")
    with pytest.raises(ValueError, match="at least one step"):
        make_text_pipeline(tokenizer=None)


@pytest.mark.parametrize("stage", ["normalizer", "segmenter", "tokenizer", "tagger", "subword", "classifier"])
@pytest.mark.parametrize("value", [5, WordTokenizer])
def test_what_is_no_step_is_refused_at_once(stage: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"{stage} must be a name or an estimator, got "):
        make_text_pipeline(**{stage: value})
