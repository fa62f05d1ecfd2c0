"""Intervals and tests, on cases whose distribution can be written down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from textprep_ml.metrics import bootstrap_intervals, boundary_f1_score, mcnemar, paired_bootstrap

ONE = [(0, 3), (4, 7)]  # one inner boundary
NONE = [(0, 7)]
WRONG = [(0, 2), (2, 7)]


def test_intervals_of_two_documents() -> None:
    """The two draws are right+right (1/4: F1 1), right+wrong (1/2: F1 1/2) and wrong+wrong (1/4: F1 0)."""
    true, pred = [ONE, ONE], [ONE, WRONG]
    wide = bootstrap_intervals(true, pred, confidence=0.9, n_resamples=4000)
    assert wide == {"precision": (0.0, 1.0), "recall": (0.0, 1.0), "f1": (0.0, 1.0)}
    assert bootstrap_intervals(true, pred, confidence=0.3, n_resamples=4000)["f1"] == (0.5, 0.5)


def test_intervals_surround_the_score_and_can_be_repeated() -> None:
    generator = np.random.default_rng(1)
    true = [ONE] * 200
    pred = [[ONE, NONE, WRONG][i] for i in generator.integers(3, size=200)]
    low, high = bootstrap_intervals(true, pred)["f1"]
    assert low < boundary_f1_score(true, pred) < high
    assert bootstrap_intervals(true, pred) == bootstrap_intervals(true, pred, random_state=0)
    assert bootstrap_intervals(true, pred, random_state=np.random.default_rng(5)) != bootstrap_intervals(true, pred)


def test_documents_without_boundaries_count_as_right() -> None:
    assert bootstrap_intervals([NONE, NONE], [NONE, NONE])["precision"] == (1.0, 1.0)
    assert bootstrap_intervals([NONE, NONE], [NONE, NONE], include_final=True)["f1"] == (1.0, 1.0)


def test_paired_bootstrap_of_two_documents() -> None:
    """System b misses the second document's boundary: F1 2/3, difference 1/3.

    The draws: first twice (1/4) difference 0, each once (1/2) 1/3, second twice (1/4) 1. All but the middle
    ones are at least 1/3 away from 1/3, so that p is 1/2.
    """
    result = paired_bootstrap([ONE, ONE], [ONE, ONE], [ONE, NONE], n_resamples=4000)
    assert result["difference"] == pytest.approx(1 / 3)
    assert (result["low"], result["high"]) == (0.0, 1.0)
    assert result["p_value"] == pytest.approx(0.5, abs=0.04)


def test_paired_bootstrap_is_antisymmetric() -> None:
    generator = np.random.default_rng(2)
    true = [ONE] * 50
    a, b = ([[ONE, NONE, WRONG][i] for i in generator.integers(3, size=50)] for _ in range(2))
    one, other = paired_bootstrap(true, a, b), paired_bootstrap(true, b, a)
    assert one["difference"] == -other["difference"]
    assert one["low"] == pytest.approx(-other["high"])
    assert one["p_value"] == other["p_value"]
    assert paired_bootstrap(true, a, a) == {"difference": 0.0, "low": 0.0, "high": 0.0, "p_value": 1.0}


def test_mcnemar() -> None:
    """Five places where a alone is right and one where b is: 2 (1 + 6) / 64 = 0.21875."""
    true = [ONE] * 5 + [ONE, NONE]
    a = [ONE] * 5 + [NONE, NONE]
    b = [NONE] * 5 + [ONE, NONE]
    assert mcnemar(true, a, b) == {"only_a": 5, "only_b": 1, "p_value": 0.21875}
    # An invented boundary is a place where the other system is right; a shift is two places.
    assert mcnemar([NONE], [NONE], [ONE]) == {"only_a": 1, "only_b": 0, "p_value": 1.0}
    assert mcnemar([ONE], [ONE], [WRONG])["only_a"] == 2
    assert mcnemar([ONE], [ONE], [ONE]) == {"only_a": 0, "only_b": 0, "p_value": 1.0}
    # Both wrong in the same way tells nothing.
    assert mcnemar([ONE], [WRONG], [WRONG])["p_value"] == 1.0
    assert mcnemar([ONE], [ONE], [[(0, 3), (4, 6)]])["only_a"] == 0
    assert mcnemar([ONE], [ONE], [[(0, 3), (4, 6)]], include_final=True)["only_a"] == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"confidence": 0}, "confidence is 0"),
        ({"confidence": 95}, "confidence is 95"),
        ({"n_resamples": 0}, "n_resamples is 0"),
    ],
)
def test_wrong_parameters_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        bootstrap_intervals([ONE, ONE], [ONE, ONE], **options)
    with pytest.raises(ValueError, match=words):
        paired_bootstrap([ONE, ONE], [ONE, ONE], [ONE, ONE], **options)


def test_one_document_is_too_few() -> None:
    with pytest.raises(ValueError, match="needs at least two, but there are 1"):
        bootstrap_intervals([ONE], [ONE])
