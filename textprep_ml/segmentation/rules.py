"""Baselines without training: hand-written rules over the abbreviation lexicon, and the split at every mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from textprep_ml._validation import StrOptions
from textprep_ml.abbreviations import normalize_abbreviations
from textprep_ml.segmentation.attributes import ATTRIBUTES, COLUMN, GROUPS, KINDS
from textprep_ml.segmentation.base import BaseSegmenter, Finder
from textprep_ml.segmentation.runtime import NEWLINES, BoundaryModel, join_boundaries
from textprep_ml.segmentation.words import WordTable


def _codes(name: str, *values: str) -> list[int]:
    return [ATTRIBUTES[COLUMN[name]].values.index(value) for value in values]


class UntrainedSegmenter(BaseSegmenter):
    """Base of the segmenters that learn nothing."""

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that no fitting is needed."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : object
            Ignored.
        y : object
            Ignored.

        Returns
        -------
        self
            The segmenter.
        """
        self._validate_params()
        return self


class RuleSegmenter(UntrainedSegmenter):
    """Sentence segmenter by hand-written rules.

    A mark followed by white space ends a sentence unless the next word starts in lower case, or the mark is the
    period of an abbreviation after which a sentence rarely ends, of an initial before a name, or of the number of a
    list item.

    Parameters
    ----------
    abbreviations : str, mapping, sequence or None, default="en"
        Lexicon of a language, or entries with or without their classes.
    newline : {"auto", "hard", "soft", "paragraph"}, default="auto"
        What a line break means; "auto" is "paragraph", but a line break after an end mark is a boundary.

    Examples
    --------
    >>> from textprep_ml import RuleSegmenter
    >>> RuleSegmenter().split("We met Dr. Ito. It cost 3.50!")
    ['We met Dr. Ito.', 'It cost 3.50!']
    """

    _parameter_constraints = {
        "abbreviations": [str, Mapping, list, tuple, set, None],
        "newline": [StrOptions(set(NEWLINES))],
    }

    def __init__(
        self, *, abbreviations: str | Mapping[str, str] | Sequence[str] | None = "en", newline: str = "auto"
    ) -> None:
        self.abbreviations = abbreviations
        self.newline = newline

    def _finder(self) -> Finder:
        self._validate_params()
        words = WordTable(abbreviations=normalize_abbreviations(self.abbreviations))
        return partial(self._find, BoundaryModel(words, None, candidates=("mark",), newline=self.newline))

    def _find(self, model: BoundaryModel, texts: Sequence[str]) -> list[np.ndarray]:
        offsets, ends, starts, kinds, rows = model.describe(texts)
        return join_boundaries(texts, offsets, ends, starts, self._decide(rows, kinds))

    def _decide(self, rows: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        def has(name: str, *values: str) -> np.ndarray:
            return np.isin(rows[:, COLUMN[name]], _codes(name, *values))

        continues = has("right.shape", "lower", "single lower", "dotted lower") & has("right.lead", "none")
        group = rows[:, COLUMN["left.group"]]
        blocking = np.isin(
            group, [GROUPS.index(name) for name in ("name follows", "number follows", "date", "latin", "rest")]
        )
        initial = has("left.shape", "Initial") & has("right.shape", "Title", "Initial")
        item = has("line.start", "number only")
        period = has("left.mark", "period")
        after_mark = has("left.mark", "end mark and comma")
        refused = continues | after_mark | (period & (blocking | initial | item))
        inside = kinds == KINDS.index("inside")
        wide = has("left.mark", "wide stop", "stop")
        within = has("open.quote", "yes") | has("open.bracket", "yes")
        # Directly after the mark only scripts that write no blank have a boundary, and none inside brackets or quotes
        # that are still open.
        refused |= inside & (~wide | (within & has("left.closer", "none")))
        forced = kinds == KINDS.index("paragraph")
        if self.newline == "hard":
            forced |= np.isin(kinds, [KINDS.index("line"), KINDS.index("mark_line")])
        return forced | (~refused & (wide | has("left.mark", "period", "bang", "question", "multiple", "ellipsis")))


class NaiveSegmenter(UntrainedSegmenter):
    """The split after every ``.``, ``!`` or ``?`` that is followed by white space: the floor under every comparison.

    Examples
    --------
    >>> from textprep_ml import NaiveSegmenter
    >>> NaiveSegmenter().split("We met Dr. Ito. It cost 3.50!")
    ['We met Dr.', 'Ito.', 'It cost 3.50!']
    """

    def _finder(self) -> Finder:
        return _naive_spans_of


_NAIVE_GAP = re.compile(r"(?<=[.!?])\s+")


def _naive_spans_of(texts: Sequence[str]) -> list[np.ndarray]:
    return [_naive_spans(text) for text in texts]


def _naive_spans(text: str) -> np.ndarray:
    stripped = text.strip()
    if not stripped:
        return np.empty((0, 2), dtype=np.intp)
    first = text.index(stripped[0])
    last = first + len(stripped)
    gaps = [match.span() for match in _NAIVE_GAP.finditer(text, first, last)]
    starts = [first, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), last]
    return np.array(list(zip(starts, ends, strict=True)), dtype=np.intp)
