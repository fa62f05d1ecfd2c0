"""Curves: what they say of a threshold is what a segmenter with that threshold scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score

from tests.report.conftest import labelled
from tests.segmentation.samples import changed, labelled_sample
from textprep_ml import RuleSegmenter, SentenceSegmenter, TextNormalizer, boundary_scores
from textprep_ml.report.candidates import label_positions, score_candidates
from textprep_ml.report.curves import LOG_ODDS, calibration_curves, sigmoid, threshold_curve, wilson_interval
from textprep_ml.report.learning import learning_curve

TEXTS, SPANS = labelled_sample("dev")


@pytest.fixture(scope="module")
def segmenters(english: SentenceSegmenter) -> dict[str, Any]:
    texts, spans = labelled_sample("train")
    forest = RandomForestClassifier(10, random_state=0)
    return {
        "plain": english,
        "kinds": changed(english, kind_thresholds={"gap": 1.5, "mark": -0.5}),
        "normalizer": changed(english, normalizer=TextNormalizer(form="NFKC", case="lower")),
        "forest": SentenceSegmenter(forest, min_count=2).fit(texts, spans),
    }


@pytest.mark.parametrize("name", ["plain", "kinds", "normalizer", "forest"])
def test_the_curve_says_what_a_threshold_scores(segmenters: dict[str, Any], name: str) -> None:
    segmenter = segmenters[name]
    curve = threshold_curve(score_candidates(segmenter, TEXTS, SPANS))
    for index in (20, 61, 70, 85, 118):
        found = changed(segmenter, threshold=curve["threshold"][index]).predict(TEXTS)
        expected = boundary_scores(SPANS, found)
        assert {key: curve[key][index] for key in ("precision", "recall", "f1", "n_pred")} == pytest.approx(
            {key: expected[key] for key in ("precision", "recall", "f1", "n_pred")}
        )


def test_decisions_are_those_of_predict(segmenters: dict[str, Any]) -> None:
    for segmenter in segmenters.values():
        candidates = score_candidates(segmenter, TEXTS, SPANS)
        for document, found in enumerate(segmenter.predict(TEXTS)):
            chosen = candidates.decisions & (candidates.document == document)
            assert candidates.ends[chosen].tolist() == found[:-1, 1].tolist()


def test_average_precision_and_best(english: SentenceSegmenter) -> None:
    candidates = score_candidates(english, TEXTS, SPANS)
    curve = threshold_curve(candidates)
    expected = (
        average_precision_score(candidates.labels, candidates.scores - candidates.shifts) * candidates.labels.sum()
    )
    assert curve["average_precision"] == pytest.approx(expected / candidates.n_boundaries)
    assert curve["best"]["f1"] == max(curve["f1"])
    assert curve["coverage"] == candidates.labels.sum() / candidates.n_boundaries
    assert curve["recall"][0] <= curve["coverage"]
    assert np.all(np.diff(curve["n_pred"]) <= 0)


def test_boundaries_that_are_no_candidates_count_as_missed(english: SentenceSegmenter) -> None:
    texts, spans = labelled()
    candidates = score_candidates(english, texts, spans)
    assert candidates.n_boundaries == sum(len(each) - 1 for each in spans)
    assert threshold_curve(candidates)["coverage"] == pytest.approx(1 - 3 / candidates.n_boundaries)


def test_nothing_to_find() -> None:
    curve = threshold_curve(label_positions([[(0, 4)]], [[]], [[]]))
    assert set(curve["f1"]) == set(curve["recall"]) == {1.0}
    assert curve["average_precision"] == 1.0
    curve = threshold_curve(label_positions([[(0, 4)]], [[2]], [[0.5]]))
    assert (curve["f1"][0], curve["f1"][-1]) == (0.0, 1.0)


def test_given_positions_make_the_same_curve(english: SentenceSegmenter) -> None:
    given = label_positions(SPANS, english.candidate_positions(TEXTS), english.predict_proba(TEXTS))
    scored = score_candidates(english, TEXTS, SPANS)
    assert np.array_equal(given.ends, scored.ends)
    assert np.array_equal(given.labels, scored.labels)
    plain = changed(english, kind_thresholds=None)
    ours, theirs = threshold_curve(given), threshold_curve(score_candidates(plain, TEXTS, SPANS))
    assert ours["f1"] == pytest.approx(theirs["f1"])


@pytest.mark.parametrize(
    ("positions", "proba", "message"),
    [
        ([[1]], [[0.5], [0.5]], "1 documents, but 1 positions and 2 y_proba"),
        ([[1, 2]], [[0.5]], "2 positions, but 1 probabilities"),
        ([[1]], [[1.5]], "not between 0 and 1"),
        ([[1]], [[float("nan")]], "not between 0 and 1"),
    ],
)
def test_wrong_positions_are_refused(positions: Any, proba: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        label_positions([[(0, 4)]], positions, proba)


def test_rules_have_no_curve() -> None:
    with pytest.raises(TypeError, match="RuleSegmenter gives none"):
        score_candidates(RuleSegmenter(), ["A."], [[(0, 2)]])


def test_calibration_is_that_of_scikit_learn(english: SentenceSegmenter) -> None:
    candidates = score_candidates(english, TEXTS, SPANS)
    rows = calibration_curves(candidates)
    assert {row["kind"] for row in rows} == {"mark", "inside", "mark_line", "line", "gap"}
    row = next(row for row in rows if row["kind"] == "mark")
    chosen = candidates.kinds == 0
    observed, predicted = calibration_curve(candidates.labels[chosen], sigmoid(candidates.scores[chosen]), n_bins=10)
    assert [each["observed"] for each in row["bins"]] == pytest.approx(observed.tolist())
    assert [each["predicted"] for each in row["bins"]] == pytest.approx(predicted.tolist())
    assert sum(each["n"] for each in row["bins"]) == row["n"] == chosen.sum()
    for each in row["bins"]:
        assert 0 <= each["low"] <= each["observed"] <= each["high"] <= 1


def test_a_model_that_is_right_is_calibrated() -> None:
    labels = np.random.default_rng(0).random(20_000)
    proba = np.random.default_rng(1).random(20_000)
    ends = np.arange(1, 20_001)
    spans = [(end - 1, end) for end in ends[labels < proba].tolist()] + [(20_001, 20_002)]
    [row] = calibration_curves(label_positions([spans], [ends], [proba]))
    assert row["calibration_error"] < 0.015
    assert row["brier"] == pytest.approx(1 / 6, abs=0.01)


def test_wilson_interval_by_hand() -> None:
    assert wilson_interval(0.0, 4) == pytest.approx((0.0, 1.96**2 / (4 + 1.96**2)))
    assert wilson_interval(1.0, 4)[1] == 1.0
    assert all(wilson_interval(0.0, n)[0] == 0.0 and wilson_interval(1.0, n)[1] == 1.0 for n in range(1, 2000))


def test_thresholds_are_symmetric_around_a_half() -> None:
    assert pytest.approx(-LOG_ODDS[::-1]) == LOG_ODDS
    assert sigmoid(LOG_ODDS)[70] == 0.5


def test_learning_curve_doubles_and_ends_with_all_documents(english: SentenceSegmenter) -> None:
    texts, spans = labelled_sample("train")
    calls: list[tuple[int, int]] = []
    estimator = SentenceSegmenter(min_count=2)
    points = learning_curve(
        estimator,
        (texts, spans),
        (TEXTS, SPANS),
        n_sizes=3,
        progress=lambda _, done, total: calls.append((done, total)),
    )
    n = len(texts)
    assert [point["documents"] for point in points] == [n // 4, n // 2, n]
    assert points[-1]["sentences"] == sum(map(len, spans))
    assert calls == [(0, 3), (1, 3), (2, 3)]
    order = np.random.default_rng(0).permutation(n).tolist()
    whole = estimator.fit([texts[index] for index in order], [spans[index] for index in order])
    assert points[-1]["f1"] == whole.score(TEXTS, SPANS)
    assert points[0]["f1"] < points[-1]["f1"]
    for point in points:
        assert point["low"] <= point["f1"] <= point["high"]


def test_sizes_that_teach_nothing_are_marked() -> None:
    texts = ["One.", "Two.", "Dr. Ito met us. Two.", "We met Dr. Ito. Four."]
    spans = [[(0, 4)], [(0, 4)], [(0, 15), (16, 20)], [(0, 15), (16, 21)]]
    seed = next(seed for seed in range(99) if np.random.default_rng(seed).permutation(4)[0] == 0)
    points = learning_curve(SentenceSegmenter(min_count=1), (texts, spans), (texts, spans), random_state=seed)
    assert "inner sentence boundary" in points[0]["error"]
    assert "f1" in points[-1]
    with pytest.raises(ValueError, match="inner sentence boundary"):
        learning_curve(SentenceSegmenter(), (texts[:2], spans[:2]), (texts, spans))
