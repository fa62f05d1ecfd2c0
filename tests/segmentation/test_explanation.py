"""Explanations tell the probabilities and decisions that `predict` acts on, and what they add up from."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.segmentation.samples import changed
from textprep_ml.segmentation.explanation import explain_candidates

TEXT = "We met Dr. Ito. She left\n\nNotes\n1. Bread. No. 5 came!"


@pytest.mark.parametrize("fitted", ["linear", "tree", "english"])
def test_explanations_agree_with_the_prediction(fitted: str, request: pytest.FixtureRequest) -> None:
    segmenter = request.getfixturevalue(fitted)
    for threshold in (0.1, 0.5, 0.9):
        chosen = changed(segmenter, threshold=threshold)
        explained = chosen.explain(TEXT)
        proba = chosen.predict_proba([TEXT])[0][:, 1]
        np.testing.assert_allclose([each.probability for each in explained], proba, atol=1e-4)
        assert [each.end for each in explained if each.is_boundary] == [end for _, end in chosen.spans(TEXT)[:-1]]
        for each in explained:
            assert TEXT[: each.end].endswith(each.left)
            assert TEXT[each.start :].startswith(each.right)
            assert "\n" not in str(each)
            json.dumps(each.to_dict())


def test_all_reasons_of_a_linear_model_add_up(linear: Any) -> None:
    for each in linear.explain(TEXT, top=1000):
        if each.kind != "paragraph":
            total = sum(weight for _, weight in each.reasons)
            assert 1 / (1 + np.exp(-total)) == pytest.approx(each.probability, abs=0.02)


def test_few_reasons_are_the_strongest(linear: Any) -> None:
    for few, many in zip(linear.explain(TEXT, top=2), linear.explain(TEXT, top=1000), strict=True):
        assert set(few.reasons) <= set(many.reasons)
        assert len(few.reasons) <= 4
        weights = [abs(weight) for _, weight in many.reasons]
        assert weights == sorted(weights, reverse=True)


def test_chosen_candidates_are_explained_as_among_all(linear: Any) -> None:
    model, scores = linear.model_, linear.model_.score([TEXT])[4]
    everything = explain_candidates(model, TEXT, scores, 5)
    wanted = {each.end for each in everything[1::2]}
    assert explain_candidates(model, TEXT, scores, 5, ends=wanted) == everything[1::2]
    assert explain_candidates(model, TEXT, scores, 5, ends=[]) == []
