"""The compiled numbers score as the classifiers that they were compiled from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from tests.segmentation.candidates import random_rows
from tests.segmentation.samples import labelled_sample
from textprep_ml.segmentation.compilation import compile_scorer
from textprep_ml.segmentation.documents import Document
from textprep_ml.segmentation.features import CrossedEncoder, RankedEncoder
from textprep_ml.segmentation.runtime import BoundaryModel, LinearScorer, TreeScorer
from textprep_ml.segmentation.training import Examples, label_candidates, learn_words

FEW = ("kind", "kind left.mark right.shape", "kind left.word", "kind right.word")
DEV_TEXTS = labelled_sample("dev")[0]


@pytest.fixture(scope="module")
def examples(sample: Any) -> tuple[BoundaryModel, Examples]:
    """A model that has no scorer yet, and what to learn from."""
    documents = [Document(text, [tuple(span) for span in spans]) for text, spans in zip(*sample, strict=True)]
    model = BoundaryModel(learn_words(documents, None, "en", 3), None)
    return model, label_candidates(model, documents, np.ones(len(documents)))


def fitted(estimator: Any, encoder: Any, examples: tuple[BoundaryModel, Examples]) -> Any:
    model, learned = examples
    columns = encoder.fit_transform(learned.rows, learned.labels, model.words.vocabulary)
    return estimator.fit(columns, learned.labels)


def scored(model: BoundaryModel, scorer: Any) -> tuple[np.ndarray, np.ndarray]:
    """Give codes and compiled scores of text that was not trained on, without the blank lines."""
    model = BoundaryModel(model.words, scorer)
    rows, scores = model.describe(DEV_TEXTS)[4], model.score(DEV_TEXTS)[4]
    undecided = scores != 100
    assert undecided.sum() > 100
    return rows[undecided], scores[undecided]


def probability(scores: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-scores.astype(float)))


# Linear models


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(max_iter=300), SGDClassifier(loss="log_loss", random_state=0)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_linear_model_scores_alike(estimator: ClassifierMixin, examples: Any) -> None:
    encoder = CrossedEncoder(min_count=2)
    estimator = fitted(estimator, encoder, examples)
    scorer = compile_scorer(estimator, encoder, None, 0.0)
    assert isinstance(scorer, LinearScorer)
    rows, scores = scored(examples[0], scorer)
    expected = estimator.predict_proba(encoder.transform(rows))[:, 1]
    np.testing.assert_allclose(probability(scores), expected, atol=1e-5)


def test_a_model_without_probabilities_keeps_its_decisions(examples: Any) -> None:
    encoder = CrossedEncoder(min_count=2)
    estimator = fitted(LinearSVC(), encoder, examples)
    rows, scores = scored(examples[0], compile_scorer(estimator, encoder, None, 0.0))
    np.testing.assert_allclose(scores, estimator.decision_function(encoder.transform(rows)), atol=1e-4)


def test_an_adapted_model_scores_alike(examples: Any) -> None:
    model, learned = examples
    vocabulary = model.words.vocabulary
    first = CrossedEncoder(FEW, 2)
    base = compile_scorer(fitted(LogisticRegression(max_iter=300), first, examples), first, None, 0.0)
    encoder = CrossedEncoder(FEW, 10)

    def before(rows: np.ndarray) -> np.ndarray:
        return base.weights[base.layout.index(rows)].sum(axis=1)

    columns = encoder.fit_transform(learned.rows, learned.labels, vocabulary)
    # Half of the labels are turned, so that the base is wrong and much is learned on top of it.
    turned = learned.labels ^ (np.arange(len(learned.labels)) % 2 == 0)
    estimator = LogisticRegression().fit(columns, turned)
    rows, scores = scored(model, compile_scorer(estimator, encoder, base, 0.0))
    expected = probability(before(rows) + estimator.decision_function(encoder.transform(rows)))
    np.testing.assert_allclose(probability(scores), expected, atol=1e-5)


def test_small_weights_are_dropped(examples: Any) -> None:
    encoder = CrossedEncoder(min_count=2)
    estimator = fitted(LogisticRegression(max_iter=300), encoder, examples)
    whole, cut = (compile_scorer(estimator, encoder, None, least).weights for least in (0.0, 0.1))
    assert (cut == np.where(np.abs(whole) < 0.1, 0, whole)).all()
    assert 0 < np.count_nonzero(cut) < np.count_nonzero(whole)


# Trees


@pytest.mark.parametrize("leaf", [1, 5, 200])
def test_a_tree_scores_alike(leaf: int, examples: Any) -> None:
    encoder = RankedEncoder()
    estimator = fitted(DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0), encoder, examples)
    scorer = compile_scorer(estimator, encoder, None, 0.0)
    assert isinstance(scorer, TreeScorer)
    rows, scores = scored(examples[0], scorer)
    columns = encoder.transform(rows)
    # A leaf with n candidates counts half a candidate of each class more, so that it is never certain.
    n = estimator.tree_.n_node_samples[estimator.apply(columns)]
    expected = (estimator.predict_proba(columns)[:, 1] * n + 0.5) / (n + 1)
    np.testing.assert_allclose(probability(scores), expected, atol=1e-6)


def test_a_tree_that_asks_nothing_scores_the_share_of_boundaries(examples: Any) -> None:
    encoder = RankedEncoder()
    estimator = fitted(DecisionTreeClassifier(max_leaf_nodes=None, min_samples_leaf=10**6), encoder, examples)
    _, scores = scored(examples[0], compile_scorer(estimator, encoder, None, 0.0))
    labels = examples[1].labels
    np.testing.assert_allclose(probability(scores), (labels.sum() + 0.5) / (len(labels) + 1), atol=1e-6)


# Others


@pytest.mark.parametrize(
    ("estimator", "encoder"),
    [
        (RandomForestClassifier(2, max_depth=2), RankedEncoder()),
        (DecisionTreeClassifier(max_depth=2), CrossedEncoder(("kind",), 1)),
        (SGDClassifier(random_state=0), RankedEncoder()),
    ],
    ids=["forest", "tree over crossed columns", "linear over ranks"],
)
def test_what_cannot_be_compiled_is_left_to_the_classifier(estimator: Any, encoder: Any) -> None:
    rows = random_rows(100, 2)
    labels = rows[:, 0] < 3
    estimator.fit(encoder.fit_transform(rows, labels, ["a", "b"]), labels)
    assert compile_scorer(estimator, encoder, None, 0.0) is None
