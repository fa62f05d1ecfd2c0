"""The plot of a measure over the size of a vocabulary."""

from __future__ import annotations

from typing import Any

import matplotlib
import pytest
from sklearn.model_selection import GridSearchCV

from textprep_ml import BPETokenizer
from textprep_ml.metrics import vocabulary_curve, vocabulary_scorer
from textprep_ml.metrics.vocabulary_scorer import SIGNS
from textprep_ml.report import VocabularySizeDisplay
from textprep_ml.report.vocabulary_display import _LABELS

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("ignore::textprep_ml.exceptions.VocabularyWarning")
TEXTS = ["low lower lowest slow slower slowest", "new newer newest wide wider widest"]


@pytest.fixture(scope="module")
def tokenizer() -> BPETokenizer:
    return BPETokenizer(num_merges=12).fit(TEXTS)


@pytest.mark.parametrize("measure", ["fertility", "bytes_per_piece", "renyi_efficiency"])
def test_a_line_shows_the_curve(tokenizer: BPETokenizer, measure: str) -> None:
    display = VocabularySizeDisplay.from_estimator(tokenizer, TEXTS, sizes=iter([256, 262, 268]), measure=measure)
    curve = vocabulary_curve(tokenizer, TEXTS, [256, 262, 268])
    (line,) = display.lines_
    assert line.get_xdata().tolist() == [256, 262, 268]
    assert line.get_ydata().tolist() == [row[measure] for row in curve]
    assert display.curves == {"BPETokenizer": curve}
    assert display.ax_.get_ylabel() == _LABELS[measure]
    assert display.ax_.get_legend() is None


def test_a_line_for_each_language(tokenizer: BPETokenizer) -> None:
    _, ax = matplotlib.pyplot.subplots()
    texts = {"one": TEXTS[:1], "two": TEXTS[1:]}
    display = VocabularySizeDisplay.from_estimator(tokenizer, texts, sizes=[260, 268], ax=ax, linewidth=3)
    assert display.ax_ is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    assert {line.get_linewidth() for line in display.lines_} == {3}
    again = VocabularySizeDisplay(curves=display.curves).plot(name="Sizes")
    assert again.ax_.get_title() == "Sizes"
    assert [line.get_ydata().tolist() for line in again.lines_] == [
        line.get_ydata().tolist() for line in display.lines_
    ]


def test_options_reach_the_measures(tokenizer: BPETokenizer) -> None:
    options = {"morphemes": {"lower": ["low", "er"], "newest": ["new", "est"]}}
    display = VocabularySizeDisplay.from_estimator(
        tokenizer, TEXTS, sizes=[256, 264], measure="morpheme_recall", options=options
    )
    assert display.lines_[0].get_ydata().tolist()[0] == 1.0  # single bytes cut everywhere


@pytest.mark.parametrize("several", [False, True])
def test_a_search_is_drawn_with_signs_as_they_are(several: bool) -> None:
    grid: dict[str, Any] = {"vocab_size": [262, 257], "pretokenizer": ["gpt2", "none"]}
    scoring = vocabulary_scorer(["fertility", "whole_words"] if several else "fertility")
    search = GridSearchCV(BPETokenizer(), grid, scoring=scoring, cv=2, refit="fertility" if several else True)
    search.fit(TEXTS)
    display = VocabularySizeDisplay.from_search(search, measure="fertility")
    assert [line.get_label() for line in display.lines_] == ["pretokenizer=gpt2", "pretokenizer=none"]
    for line in display.lines_:
        assert line.get_xdata().tolist() == [257, 262]
        assert line.get_ydata().min() > 1


def test_every_measure_has_a_label() -> None:
    assert set(_LABELS) == set(SIGNS)


def test_bad_input(tokenizer: BPETokenizer) -> None:
    with pytest.raises(ValueError, match="the curve 'BPETokenizer' has no measure 'morpheme_f1'"):
        VocabularySizeDisplay.from_estimator(tokenizer, TEXTS, sizes=[260], measure="morpheme_f1")
    search = GridSearchCV(BPETokenizer(), {"num_merges": [1, 2]}, scoring=vocabulary_scorer("fertility"), cv=2)
    with pytest.raises(ValueError, match=r"needs a search over one vocab_size, but it tried \{'num_merges': 1\}"):
        VocabularySizeDisplay.from_search(search.fit(TEXTS), measure="fertility")
