"""Every error is listed once, with what the model says there."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_growth
from tests.report.conftest import labelled
from tests.segmentation.samples import changed, labelled_sample
from textprep_ml import RuleSegmenter, SentenceSegmenter, TextNormalizer
from textprep_ml.metrics import boundary_errors, token_errors
from textprep_ml.report import segmenter_report
from textprep_ml.report.candidates import score_candidates
from textprep_ml.report.listing import list_boundary_errors, list_token_errors

TEXTS, SPANS = labelled_sample("dev")


def listed(segmenter: Any, texts: list[str], spans: list[Any]) -> list[dict[str, Any]]:
    return list_boundary_errors(
        texts,
        spans,
        segmenter.predict(texts),
        segmenter=segmenter,
        candidates=score_candidates(segmenter, texts, spans),
    )


def test_errors_are_those_that_are_counted(english: SentenceSegmenter) -> None:
    errors = listed(english, TEXTS, SPANS)
    rows = boundary_errors(TEXTS, SPANS, english.predict(TEXTS))
    counted = {(row["kind"], type_): row[column] for row in rows for type_, column in COLUMNS if row[column]}
    assert Counter((error["kind"], error["type"]) for error in errors) == counted
    places = [(error["document"], error["position"]) for error in errors]
    assert places == sorted(set(places))
    for error in errors:
        text = TEXTS[error["document"]]
        assert text[: error["position"]].endswith(error["before"])
        assert text[error["position"] :].startswith(error["after"])


COLUMNS = (("false positive", "false_positives"), ("miss", "misses"))


@pytest.mark.parametrize("normalizer", [None, TextNormalizer(form="NFKC")])
def test_probabilities_and_reasons_are_those_of_explain(english: SentenceSegmenter, normalizer: Any) -> None:
    segmenter = changed(english, normalizer=normalizer)
    texts = [f"Oﬃce… {text}" for text in TEXTS]  # NFKC moves what comes after
    spans = [[(start + 6 if index else 0, end + 6) for index, (start, end) in enumerate(part)] for part in SPANS]
    errors = [error for error in listed(segmenter, texts, spans) if error["candidate"]]
    assert len(errors) > 10
    for error in errors:
        text = texts[error["document"]]
        seen, offsets = (text, None) if normalizer is None else normalizer.align(text)
        ends = {
            each.end if offsets is None else offsets.to_raw(each.end - 1, each.end)[1]: each
            for each in segmenter.explain(text, 3)
        }
        explained = ends[error["position"]]
        assert explained.kind == error["candidate"]
        assert explained.probability == pytest.approx(error["probability"], abs=1e-4)
        assert explained.reasons == [tuple(reason) for reason in error["reasons"]]
        assert explained.is_boundary == (error["type"] == "false positive")
        assert seen[: explained.end].endswith(explained.left)


def test_who_decided(english: SentenceSegmenter) -> None:
    texts, spans = labelled()
    errors = listed(english, texts, spans)
    counts = Counter(error["decided_by"] for error in errors)
    assert (counts["no candidate"], counts["blank line"]) == (3, 1)  # whatever the model says
    assert counts["model"] == len(errors) - 4 > 0
    text, span = "He said: “It is late. Let us go home.” We went.", [(0, 21), (22, 38), (39, 47)]
    kept = listed(changed(english, quotes="keep"), [text], [span])
    assert [(error["type"], error["decided_by"]) for error in kept] == [("miss", "policy")]
    limited = listed(changed(english, max_length=20), ["x" * 30], [[(0, 30)]])
    assert [(error["position"], error["candidate"], error["decided_by"]) for error in limited] == [(20, None, "policy")]


def test_confidence_is_that_of_the_wrong_decision(english: SentenceSegmenter) -> None:
    for error in listed(english, TEXTS, SPANS):
        if error["decided_by"] == "model":
            assert error["confidence"] >= 0.5 or error["candidate"] in ("gap", "inside")  # which have their thresholds
            sure = error["probability"] if error["type"] == "false positive" else 1 - error["probability"]
            assert error["confidence"] == sure


def test_baseline_is_right_or_not() -> None:
    texts, true = ["One. Two. Three."], [[(0, 4), (5, 16)]]
    errors = list_boundary_errors(texts, true, [[(0, 9), (10, 16)]], baseline=[[(0, 4), (5, 9), (10, 16)]])
    assert [(error["position"], error["type"], error["baseline_is_right"]) for error in errors] == [
        (4, "miss", True),
        (9, "false positive", False),
    ]


def test_rules_have_errors_without_probabilities(english: SentenceSegmenter) -> None:
    report = segmenter_report({"rules": RuleSegmenter(), "en": english}, {"made": labelled()})
    assert report["errors"]
    assert report["threshold"] is report["calibration"] is None
    assert not {"probability", "reasons"} & set(report["errors"][0])
    assert {"baseline_is_right"} <= set(report["errors"][0])


def test_wrong_cuts_by_hand() -> None:
    texts = ["a well-known it's"]
    true = [[(0, 1), (2, 6), (6, 7), (7, 12), (13, 15), (15, 17)]]
    found = [[(0, 1), (2, 12), (13, 16), (16, 17)]]
    errors = list_token_errors(texts, true, found, baseline=true)
    assert [(error["position"], error["type"], error["kind"]) for error in errors] == [
        (6, "miss", "hyphen"),
        (7, "miss", "hyphen"),
        (15, "miss", "contraction"),
        (16, "false positive", "contraction"),
    ]
    assert errors[0]["expected"] == ["well", "-", "known"]
    assert errors[0]["found"] == ["well-known"]
    assert (errors[3]["expected"], errors[3]["found"]) == (["it", "'s"], ["it'", "s"])
    assert all(error["baseline_is_right"] for error in errors)


SPANS_OF = st.lists(st.integers(0, 20), min_size=2, max_size=8, unique=True).map(
    lambda cuts: [(start, end) for start, end in zip(sorted(cuts), sorted(cuts)[1:], strict=False)]
)


@given(SPANS_OF, SPANS_OF)
def test_wrong_cuts_are_those_that_are_counted(true: list[tuple[int, int]], found: list[tuple[int, int]]) -> None:
    text = "It's 5pm, well-known!"
    errors = list_token_errors([text], [true], [found])
    counted = {
        (row["kind"], type_): row[column] for row in token_errors([text], [true], [found]) for type_, column in COLUMNS
    }
    assert Counter((error["kind"], error["type"]) for error in errors) == +Counter(counted)
    for error in errors:
        assert error["expected"] or error["found"]


def test_time_grows_with_the_errors(english: SentenceSegmenter) -> None:
    texts, spans = labelled()
    assert_growth(lambda n: partial(listed, english, texts * n, spans * n), 10)
