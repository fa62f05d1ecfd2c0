"""Displays: what is drawn are the numbers, in the axes that are given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pytest

from tests.segmentation.samples import changed, labelled_sample
from textprep_ml import (
    BoundaryCalibrationDisplay,
    BoundaryErrorDisplay,
    RuleSegmenter,
    SentenceSegmenter,
    ThresholdDisplay,
)
from textprep_ml.metrics import boundary_errors

TEXTS, SPANS = labelled_sample("dev")


@pytest.fixture(autouse=True)
def pyplot() -> Iterator[Any]:
    """Matplotlib without a screen, and no figure left behind."""
    mpl.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_bars_are_the_errors(pyplot: Any) -> None:
    _, ax = pyplot.subplots()
    display = BoundaryErrorDisplay.from_estimator(RuleSegmenter(), TEXTS, SPANS, ax=ax, alpha=0.5)
    rows = boundary_errors(TEXTS, SPANS, RuleSegmenter().predict(TEXTS), n_examples=0)
    assert (display.ax_, display.figure_) == (ax, ax.figure)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [row["kind"] for row in reversed(rows)]
    invented, missed = ([bar.get_width() for bar in reversed(bars.patches)] for bars in display.bars_)
    assert invented == [-row["false_positives"] for row in rows]
    assert missed == [row["misses"] for row in rows]
    assert display.bars_[0].patches[0].get_alpha() == 0.5
    assert ax.get_title() == "RuleSegmenter"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["invented", "missed"]


def test_lines_are_the_curve(english: SentenceSegmenter) -> None:
    segmenter = changed(english, threshold=0.25, kind_thresholds=None)
    display = ThresholdDisplay.from_estimator(segmenter, TEXTS, SPANS, name="quarter")
    for line, name in zip(display.lines_, ("precision", "recall", "f1"), strict=True):
        assert line.get_xdata().tolist() == display.curve["threshold"]
        assert line.get_ydata().tolist() == display.curve[name]
    assert display.ax_.get_title() == "quarter"
    assert [line.get_xdata()[0] for line in display.ax_.get_lines() if line.get_label() == "in use"] == [0.25]
    other = ThresholdDisplay.from_predictions(
        SPANS, segmenter.candidate_positions(TEXTS), segmenter.predict_proba(TEXTS), color="k"
    )
    assert other.curve["f1"] == pytest.approx(display.curve["f1"])
    assert {line.get_color() for line in other.lines_} == {"k"}
    assert other.ax_ is not display.ax_


def test_points_are_the_calibration(english: SentenceSegmenter) -> None:
    display = BoundaryCalibrationDisplay.from_estimator(english, TEXTS, SPANS, n_bins=5)
    assert len(display.lines_) == len(display.curves) == 5
    for container, row in zip(display.lines_, display.curves, strict=True):
        assert container.lines[0].get_ydata().tolist() == [each["observed"] for each in row["bins"]]
        assert len(row["bins"]) <= 5


def test_one_display_is_drawn_again(pyplot: Any) -> None:
    display = BoundaryErrorDisplay(errors=[{"kind": "quote", "false_positives": 1, "misses": 2}], name="a")
    _, axes = pyplot.subplots(1, 2)
    for ax, name in zip(axes, ("a", "b"), strict=True):
        assert display.plot(ax, name=name) is display
        assert (display.ax_, ax.get_title()) == (ax, name)


def test_rules_have_no_curve() -> None:
    with pytest.raises(TypeError, match="RuleSegmenter gives none"):
        ThresholdDisplay.from_estimator(RuleSegmenter(), TEXTS, SPANS)


def test_matplotlib_is_loaded_when_something_is_drawn() -> None:
    code = """
import sys, textprep_ml
display = textprep_ml.BoundaryErrorDisplay(errors=[])
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None
try:
    display.plot()
except ImportError as error:
    assert "textprep_ml[report]" in str(error), error
else:
    raise AssertionError("drawn without matplotlib")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
