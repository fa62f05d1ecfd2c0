"""Adapting a model: what the old training was sure of stays, what it never saw is learned."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from textprep_ml import SentenceSegmenter
from textprep_ml.segmentation.adaptation import count_evidence, fit_difference, unpack_evidence
from textprep_ml.segmentation.runtime import LinearScorer, scorer_from_state
from textprep_ml.segmentation.templates import TemplateLayout, move_weights
from textprep_ml.segmentation.training import widen

KINDS_ONLY = TemplateLayout(["kind"], 0)


def fit(columns: Any, labels: Any, scores: Any = None, evidence: Any = None, C: float = 1.0) -> np.ndarray:
    matrix = sparse.csr_matrix(np.array(columns, dtype=float))
    n, m = matrix.shape
    return fit_difference(
        matrix,
        np.array(labels, dtype=bool),
        np.ones(n),
        np.zeros(n) if scores is None else np.array(scores, dtype=float),
        np.zeros(m) if evidence is None else np.array(evidence, dtype=float),
        C,
        200,
    )


def test_without_an_old_model_it_is_logistic_regression() -> None:
    rng = np.random.default_rng(0)
    columns, labels = rng.integers(0, 2, (80, 5)), rng.integers(0, 2, 80)
    expected = LogisticRegression(C=0.3, fit_intercept=False, tol=1e-8).fit(columns, labels).coef_[0]
    np.testing.assert_allclose(fit(columns, labels, C=0.3), expected, atol=1e-3)


def test_what_the_old_model_decides_rightly_and_surely_teaches_nothing() -> None:
    for score, least, most in ((9.0, 0, 0), (2.1, 0, 0), (1.9, 0.1, 1), (-9.0, 2, 9)):
        (learned,) = fit([[1.0]] * 4, [1, 1, 1, 1], [score] * 4)
        (against,) = fit([[1.0]] * 4, [0, 0, 0, 0], [-score] * 4)
        assert least <= learned <= most
        assert against == pytest.approx(-learned, abs=1e-6)


def test_evidence_holds_a_weight_and_leaves_the_others_to_learn() -> None:
    known, new = fit([[1, 1]] * 5, [1] * 5, [-2.0] * 5, evidence=[100.0, 0.0])
    assert 0 < known < 0.02
    assert new > 1


def test_labels_of_one_class_are_enough() -> None:
    assert fit([[1.0]], [0], [0.5])[0] < 0


def test_evidence_is_the_sum_of_p_times_one_minus_p() -> None:
    weights = np.array([0, np.log(3), 0, 0, 0, 0], dtype=np.float32)
    rows = np.zeros((64 + 64, 50), dtype=np.int32)
    rows[64:, 0] = 1
    packed = count_evidence(KINDS_ONLY, weights, rows, np.full(128, 4.0), None)
    # 64 candidates of weight 4, p = 1/2, then p = 3/4: 64, and 48, which is nearer to 64 than to 32 by its logarithm.
    assert packed.dtype == np.int8
    assert unpack_evidence(packed).tolist() == [64.0, 64.0, 0, 0, 0, 0]
    twice = count_evidence(KINDS_ONLY, weights, rows[:64], np.full(64, 4.0), packed)
    assert unpack_evidence(twice).tolist() == [128.0, 64.0, 0, 0, 0, 0]


def test_little_evidence_is_not_kept_for_weights_that_are_zero() -> None:
    rows = np.zeros((8, 50), dtype=np.int32)
    for weight, kept in ((0.0, 0.0), (1e-6, 2.0)):
        weights = np.array([weight, 0, 0, 0, 0, 0], dtype=np.float32)
        assert unpack_evidence(count_evidence(KINDS_ONLY, weights, rows, np.ones(8), None))[0] == kept


def test_new_words_are_held_as_the_unknown_word_that_they_were() -> None:
    layout, wider = TemplateLayout(["left.word"], 1), TemplateLayout(["left.word"], 3)
    moved = move_weights(layout, np.array([7, 3], dtype=np.int8), wider)
    assert moved.dtype == np.int8
    assert moved.tolist() == [7, 3, 7, 7]


def test_evidence_is_saved_beside_the_weights() -> None:
    weights = np.array([0, 1.5, 0, 0, 0, 0], dtype=np.float32)
    evidence = np.array([9, 3, 0, 0, 0, 0], dtype=np.int8)
    state = json.loads(json.dumps(LinearScorer(KINDS_ONLY, weights, evidence).to_state()))
    assert state["places"] == [[0, 1]]
    again = scorer_from_state(state, 0)
    assert isinstance(again, LinearScorer)
    assert again.weights.tolist() == weights.tolist()
    assert again.evidence is not None
    assert again.evidence.tolist() == evidence.tolist()
    without = scorer_from_state(LinearScorer(KINDS_ONLY, weights).to_state(), 0)
    assert isinstance(without, LinearScorer)
    assert without.evidence is None


TEXTS = ["We met Dr. Ito. She left. It rained."] * 40
SPANS = [[(0, 15), (16, 25), (26, 36)]] * 40
NEW = ["See Kvt. Ito. She left."] * 6
NEW_SPANS = [[(0, 13), (14, 23)]] * 6


def test_a_saved_model_is_adapted_as_the_fitted_one(tmp_path: Any) -> None:
    base = SentenceSegmenter().fit(TEXTS, SPANS)
    assert base.model_.scorer.evidence.max() > 0
    base.save(tmp_path / "base.json")
    adapted = [
        SentenceSegmenter(warm_start_from=source).fit(NEW, NEW_SPANS) for source in (base, tmp_path / "base.json")
    ]
    assert (adapted[0].model_.scorer.weights == adapted[1].model_.scorer.weights).all()
    assert adapted[0].split(NEW[0]) == ["See Kvt. Ito.", "She left."]
    assert adapted[0].split(TEXTS[0]) == ["We met Dr. Ito.", "She left.", "It rained."]


def test_a_widened_model_keeps_its_evidence() -> None:
    base = SentenceSegmenter(min_word_count=1).fit(TEXTS, SPANS).model_
    _, scorer = widen(base, [], {"Kvt.": "title"}, 1)
    assert scorer.evidence is not None
    assert (scorer.evidence == base.scorer.evidence).all()


def test_a_single_label_adapts() -> None:
    base = SentenceSegmenter().fit(TEXTS, SPANS)
    text = "See Kvt. Ito. She left."
    before = dict(
        zip(base.candidate_positions([text])[0][:, 0].tolist(), base.predict_proba([text])[0][:, 1], strict=True)
    )
    adapted = SentenceSegmenter(warm_start_from=base, min_count=1).fit([text], [[(0, 23)]], labelled=[[(8, 9)]])
    after = dict(
        zip(adapted.candidate_positions([text])[0][:, 0].tolist(), adapted.predict_proba([text])[0][:, 1], strict=True)
    )
    assert after[8] < before[8]
    with pytest.raises(ValueError, match="No candidate is labelled"):
        SentenceSegmenter(warm_start_from=base).fit([text], [[(0, 23)]], labelled=[[]])


@pytest.mark.parametrize("choice", [{"estimator": "sgd"}, {"features": "ranked"}])
def test_only_logistic_regression_adapts(choice: dict[str, Any]) -> None:
    from sklearn.linear_model import SGDClassifier

    if choice.get("estimator"):
        choice = {"estimator": SGDClassifier(loss="log_loss")}
    base = SentenceSegmenter().fit(TEXTS, SPANS)
    with pytest.raises(ValueError, match="needs crossed features and a LogisticRegression"):
        SentenceSegmenter(warm_start_from=base, **choice).fit(TEXTS, SPANS)
