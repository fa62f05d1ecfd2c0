"""What a page shows of the plain data: short names, bars, a fair choice of errors, axes with round numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml.report.charts import Axis, Chart, Series, nice_axis
from textprep_ml.report.drawings import learning_chart, short_count
from textprep_ml.report.views import choose_errors, kind_rows, short_names


def errors_of(*rows: tuple[str, float | None]) -> list[dict[str, Any]]:
    return [{"kind": kind, "confidence": confidence} for kind, confidence in rows]


def test_each_kind_has_its_turn() -> None:
    errors = errors_of(*(("many", 0.9 - index / 1000) for index in range(50)), ("rare", 0.2), ("other", None))
    chosen = choose_errors(errors, 5)
    assert [(error["kind"], error["order"]) for error in chosen] == [
        ("many", 0), ("many", 1), ("many", 2), ("rare", 50), ("other", 51),
    ]  # fmt: skip


def test_without_confidence_the_first_of_each_kind_are_shown_in_the_order_of_the_text() -> None:
    chosen = choose_errors([{"kind": kind} for kind in "aabab"], 3)
    assert [(error["kind"], error["order"]) for error in chosen] == [("a", 0), ("a", 1), ("b", 2)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.floats(0, 1)))), st.integers(0, 9))
def test_chosen_errors_are_different_and_sorted(rows: list[tuple[str, float | None]], n: int) -> None:
    chosen = choose_errors(errors_of(*rows), n)
    assert len({error["order"] for error in chosen}) == len(chosen) == min(n, len(rows))
    confidences = [-1 if error["confidence"] is None else error["confidence"] for error in chosen]
    assert confidences == sorted(confidences, reverse=True)


def test_names_are_short_only_where_they_stay_different() -> None:
    assert short_names(["x/dev.jsonl.gz", "y/test.conllu.xz"]) == {"x/dev.jsonl.gz": "dev", "y/test.conllu.xz": "test"}
    assert short_names(["x/dev.jsonl", "x/dev.txt", "x/a.txt"])["x/dev.txt"] == "x/dev.txt"
    assert short_names(["ud:en_ewt", "."]) == {"ud:en_ewt": "ud:en_ewt", ".": "."}


def test_kinds_of_both_systems() -> None:
    ours = [{"kind": "a", "false_positives": 2, "misses": 8}]
    theirs = [{"kind": "b", "false_positives": 1, "misses": 0}]
    first, second = kind_rows(ours, theirs)
    assert (first["invented_share"], first["missed_share"]) == (0.25, 1.0)
    assert (first["other_invented"], first["other_missed"]) == (0, 0)
    assert (second["kind"], second["invented"], second["other_invented"]) == ("b", 0, 1)


@given(st.lists(st.floats(0, 1), min_size=1), st.sampled_from([(0.0, 1.0), (float("-inf"), float("inf"))]))
def test_axes_hold_all_values_between_round_numbers(values: list[float], bounds: tuple[float, float]) -> None:
    axis = nice_axis("score", values, *bounds)
    assert axis.low <= min(values) + 1e-9
    assert axis.high >= max(values) - 1e-9
    assert bounds[0] <= axis.low < axis.high <= bounds[1]
    assert 2 <= len(axis.ticks) <= 8
    assert list(axis.ticks) == sorted(set(axis.ticks))


@pytest.mark.parametrize("scale", ["linear", "log", "logit"])
def test_a_scale_rises_from_0_to_1(scale: str) -> None:
    axis = Axis("x", 0.01, 0.99, [], scale)
    shares = [axis.share(value / 100) for value in range(1, 100)]
    assert (shares[0], shares[-1]) == pytest.approx((0, 1))
    assert shares == sorted(shares)
    assert (axis.share(0.001), axis.share(0.999)) == pytest.approx((0, 1))


def test_places_of_a_chart() -> None:
    line = Series("f", "model", [(0, 0), (1, 1), (1, 1)], band=[(0, 0), (0.5, 1), (0.5, 1)])
    chart = Chart("a line", Axis("x", 0, 1, [0, 1]), Axis("y", 0, 1, [0, 1]), [line], width=154, height=164)
    assert chart.frame == {"left": 40, "right": 140, "top": 24, "bottom": 124}
    assert chart.line(line.points) == "40,124 140,24"
    assert chart.outline(line) == "40,124 140,24 140,74 40,124"


def test_a_learning_curve_of_one_point_has_room() -> None:
    chart = learning_chart([{"sentences": 100, "f1": 0.9, "low": 0.8, "high": 1.0}], "en", None, None)
    assert (chart.x.low, chart.x.high) == (50, 200)
    assert chart.x.share(100) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("number", "text"), [(9, "9"), (999, "999"), (1200, "1.2k"), (9_960, "10k"), (123_456, "123k"), (1.5e6, "1.5M")]
)
def test_short_counts(number: float, text: str) -> None:
    assert short_count(number) == text
