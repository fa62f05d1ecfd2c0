"""Error rates: worked values, parity with jiwer, edge cases."""

from __future__ import annotations

import math
from typing import Any

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml.distance import align, cer, error_rates, mer, wer, wil, wip

WORD = st.sampled_from(["the", "cat", "sat", "on", "mat", "a", "Öl"])
UTTERANCE = st.lists(WORD, max_size=8).map(" ".join)
PAIRS = st.lists(st.tuples(UTTERANCE, UTTERANCE), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "counts", "rate"),
    [
        ("p q R s T u", "p q T s R u", (2, 0, 0, 4), 1 / 3),
        ("m n o p", "n o p q", (0, 1, 1, 3), 0.5),
        ("x", "x y z w", (0, 0, 3, 1), 3.0),
    ],
)
def test_worked_values(reference: str, hypothesis: str, counts: tuple[int, ...], rate: float) -> None:
    rates = error_rates(reference, hypothesis)
    assert (rates.substitutions, rates.deletions, rates.insertions, rates.hits) == counts
    assert wer(reference, hypothesis) == pytest.approx(rate)
    assert align(reference.split(), hypothesis.split()).operations == rates.utterances[0].alignment.operations


def test_all_rates_come_from_the_same_counts() -> None:
    assert mer("m n o p", "n o p q") == 0.4
    assert wip("m n o p", "n o p q") == 0.5625
    assert wil("m n o p", "n o p q") == 0.4375


@given(pairs=PAIRS)
def test_values_are_jiwer_s(pairs: list[tuple[str, str]]) -> None:
    references, hypotheses = map(list, zip(*pairs, strict=True))
    theirs = jiwer.process_words(references, hypotheses)
    ours = error_rates(references, hypotheses)
    assert (ours.hits, ours.substitutions, ours.deletions, ours.insertions) == (
        theirs.hits,
        theirs.substitutions,
        theirs.deletions,
        theirs.insertions,
    )
    assert (ours.error_rate, ours.match_error_rate) == pytest.approx((theirs.wer, theirs.mer))
    assert (ours.information_lost, ours.information_preserved) == pytest.approx((theirs.wil, theirs.wip))
    assert cer(references, hypotheses) == pytest.approx(jiwer.process_characters(references, hypotheses).cer)


@given(pairs=PAIRS)
def test_totals_are_the_sums_of_the_rows(pairs: list[tuple[str, str]]) -> None:
    rates = error_rates(*map(list, zip(*pairs, strict=True)))
    rows = rates.to_rows()
    assert len(rows) == len(pairs)
    for name in ("hits", "substitutions", "deletions", "insertions"):
        assert sum(row[name] for row in rows) == getattr(rates, name)
    assert not any(math.isnan(row["error_rate"]) or math.isnan(row["information_lost"]) for row in rows)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "values"),
    [
        ("", "", (0, 0, 0)),
        ("", "a b", (2, 1, 1)),
        ("a", "", (1, 1, 1)),
        (["a b", ""], ["a", "c"], (1, 2 / 3, 0.75)),
        ([], [], (0, 0, 0)),
    ],
)
def test_empty_sides_have_defined_values(reference: Any, hypothesis: Any, values: tuple[float, ...]) -> None:
    assert (wer(reference, hypothesis), mer(reference, hypothesis), wil(reference, hypothesis)) == pytest.approx(values)


@pytest.mark.parametrize("normalizer", ["NFC", "NFD", str.casefold])
def test_a_normalizer_makes_forms_equal(normalizer: Any) -> None:
    composed, other = ("Ä", "ä") if callable(normalizer) else ("\u00e4", "a\u0308")
    assert wer(composed, other) == 1.0
    assert wer(composed, other, normalizer=normalizer) == 0.0
    assert cer(composed, other, normalizer=normalizer) == 0.0


class Upper:
    def transform(self, X: list[str]) -> list[str]:
        return [text.upper() for text in X]


def test_a_transformer_is_a_normalizer() -> None:
    assert wer(["a b"], ["A b"], normalizer=Upper()) == 0.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"reference": ["a", "b"]}, ValueError, "2 references but 1 hypotheses"),
        ({"hypothesis": ["a", None], "reference": ["a", "b"]}, TypeError, "document 1 is NoneType"),
        ({"reference": 3}, TypeError, "reference"),
        ({"normalizer": "NFX"}, ValueError, "NFX"),
        ({"normalizer": 3}, TypeError, "normalizer"),
        ({"unit": "syllable"}, ValueError, "'word' or 'character'"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        error_rates(**{"reference": ["a"], "hypothesis": ["a"], **arguments})


def test_notebooks_see_the_errors() -> None:
    html = error_rates(["a <b>", "c"], ["a x", "c"])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "utterance 0" in html
    assert "utterance 1" not in html
