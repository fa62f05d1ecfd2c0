"""A segmenter inside scikit-learn's tools: cloning, pipelines, cross-validation, searches."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import FunctionTransformer, Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tests.segmentation.samples import assert_lossless, changed
from textprep_ml import NaiveSegmenter, RuleSegmenter, SentenceSegmenter, make_normalizer
from textprep_ml.metrics import boundary_f1_score

Labelled = tuple[list[str], list[Any]]

#: Few templates, so that a search takes a moment.
TEMPLATES = ("kind", "kind left.mark right.shape", "kind left.group", "kind right.word")


def quick(**params: Any) -> SentenceSegmenter:
    return SentenceSegmenter(**{"templates": TEMPLATES, "min_count": 2, **params})


def arrays(sample: Labelled) -> tuple[np.ndarray, np.ndarray]:
    """The sample in containers that scikit-learn indexes."""
    targets = np.empty(len(sample[1]), dtype=object)
    targets[:] = sample[1]
    return np.array(sample[0], dtype=object), targets


def test_clone_copies_every_parameter() -> None:
    changes: dict[str, Any] = {
        "estimator": DecisionTreeClassifier(max_depth=3),
        "candidates": ["mark"],
        "abbreviations": {"Dr": "title"},
        "normalizer": make_normalizer("segment"),
        "protected": ["Zing!"],
        "kind_thresholds": {"gap": 1.0},
        "threshold": 0.3,
    }
    copied = clone(quick(**changes))
    for name in changes.keys() - {"estimator", "normalizer"}:
        assert getattr(copied, name) == changes[name]
    assert copied.get_params()["estimator__max_depth"] == 3
    assert copied.get_params()["normalizer__form"] == "NFC"
    assert not hasattr(copied, "model_")
    assert "max_depth=3" in repr(copied)


def test_cross_val_predict_gives_spans_of_documents_not_seen(sample: Labelled) -> None:
    predicted = cross_val_predict(quick(), *sample, cv=4)
    assert predicted.shape == (len(sample[0]),)
    for text, spans in zip(sample[0], predicted, strict=True):
        assert_lossless(text, spans.tolist())
    assert 0.7 < boundary_f1_score(sample[1], predicted) < quick().fit(*sample).score(*sample)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_validate(sample: Labelled, n_jobs: int | None) -> None:
    result = cross_validate(quick(), *sample, cv=KFold(3), return_train_score=True, n_jobs=n_jobs)
    assert (result["test_score"] > 0.6).all()
    assert (result["train_score"] > result["test_score"]).all()


def test_groups_stay_together(sample: Labelled) -> None:
    groups = [index % 5 for index in range(len(sample[0]))]
    scores = cross_val_score(quick(), *sample, groups=groups, cv=GroupKFold(5))
    assert scores.shape == (5,)
    assert (scores > 0.5).all()


@pytest.mark.parametrize("container", [list, tuple, arrays, pd.Series])
def test_grid_search(sample: Labelled, container: Any) -> None:
    X, y = arrays(sample) if container is arrays else (container(part) for part in sample)
    grid = {"threshold": [0.02, 0.5], "estimator": [LogisticRegression(C=1.0), DecisionTreeClassifier(max_depth=4)]}
    search = GridSearchCV(quick(), grid, cv=2).fit(X, y)
    assert search.best_params_["threshold"] == 0.5
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    assert search.predict(X).shape == (len(X),)
    assert search.score(X, y) == search.best_estimator_.score(X, y)


def test_searches_reach_the_classifier_and_the_normalizer(sample: Labelled) -> None:
    segmenter = quick(estimator=LogisticRegression(), normalizer=make_normalizer("pdf"))
    grid = {"estimator__C": [0.001, 1.0], "normalizer__control": ["keep", "drop"]}
    search = GridSearchCV(segmenter, grid, cv=2).fit(*sample)
    assert search.best_params_["estimator__C"] == 1.0
    assert search.best_estimator_.estimator_.C == 1.0
    drawn = RandomizedSearchCV(quick(), {"threshold": np.linspace(0.2, 0.8, 7)}, n_iter=3, cv=2, random_state=0)
    assert drawn.fit(*sample).best_score_ > 0.6


def test_halving_search_halves_documents(sample: Labelled) -> None:
    search = HalvingGridSearchCV(
        quick(), {"threshold": [0.05, 0.3, 0.5, 0.9]}, cv=2, min_resources=12, factor=2, random_state=0
    )
    X, y = (part[:40] for part in sample)
    search.fit(X, y)
    assert search.n_resources_[0] < search.n_resources_[-1] <= len(X)
    assert search.best_params_["threshold"] in (0.3, 0.5)


def test_pipeline_trains_and_segments(sample: Labelled) -> None:
    same_length = FunctionTransformer(lambda texts: [text.replace("“", '"') for text in texts])
    pipeline = Pipeline([("plain", same_length), ("segmenter", quick())]).fit(*sample)
    assert pipeline.score(*sample) > 0.8
    assert pipeline.set_params(segmenter__newline="hard").predict(["a\nb"])[0].tolist() == [[0, 1], [2, 3]]
    assert pipeline.transform(["a\nb"]) == [["a", "b"]]


class Joined(TransformerMixin, BaseEstimator):
    """One line a sentence, so that a vectorizer can follow."""

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def transform(self, X: Any) -> list[str]:
        return ["\n".join(sentences) for sentences in X]


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_trained_segmenter_inside_a_document_classifier(linear: Any, sample: Labelled, output: str) -> None:
    labels = [len(spans) > 8 for spans in sample[1]]
    by_line = CountVectorizer(token_pattern=r"[^\n]+")
    with config_context(transform_output=output):
        model = make_pipeline(FrozenEstimator(linear), Joined(), by_line)
        counts = model.fit_transform(sample[0], labels)
    assert counts.sum() == sum(
        len([line for sentence in sentences for line in sentence.splitlines() if line])
        for sentences in linear.transform(sample[0])
    )
    assert clone(model).steps[0][1].predict(["One. Two."])[0].tolist() == linear.predict(["One. Two."])[0].tolist()


@pytest.mark.parametrize("segmenter", [quick(), RuleSegmenter(), NaiveSegmenter()], ids=lambda s: type(s).__name__)
def test_set_output_changes_nothing(segmenter: Any, sample: Labelled) -> None:
    with config_context(transform_output="pandas"):
        sentences = segmenter.fit(*sample).transform(["One here. Two there."])
    assert sentences == [["One here.", "Two there."]]


def test_joblib_workers_get_the_model_by_pickle(english: Any, sample: Labelled) -> None:
    segmenter = changed(english, threshold=0.4, newline="soft")
    expected = segmenter.transform(sample[0])
    assert pickle.loads(pickle.dumps(segmenter)).transform(sample[0]) == expected
