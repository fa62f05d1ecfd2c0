"""Gaps between words that are not worth a look: most gaps before a capital, a digit or a quotation are.

No sentence ends after *the* or *of*, nor between a number and an upper-case word, unless a mark says so. Where training
saw enough of such gaps and next to no boundary in them, they are no candidates any more: what is left to describe and
score is half as much. Columns of cheap tests before dear ones are an old idea (Viola and Jones 2001, Rapid object
detection using a boosted cascade of simple features).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textprep_ml._kernels.boundary_checks import FORM_SIZES, check_forms
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import COLUMN, KINDS

#: What the form of a gap is made of.
FORM = ("left.mark", "left.shape", "right.shape", "right.lead")
_FORM_COLUMNS = [COLUMN[name] for name in FORM]

#: How many gaps after a word, or of a form, must have been seen, and which share of them may be boundaries.
_WORD_SEEN, _WORD_SHARE = 40, 0.003
_FORM_SEEN, _FORM_SHARE = 60, 0.008


@dataclass(frozen=True)
class HopelessGaps:
    """Which gaps between words are no candidates.

    Attributes
    ----------
    words : tuple of str
        Lower-cased words: gaps after them are hopeless where they have no mark.
    forms : tuple of (int, int, int, int)
        Codes of the attributes `FORM`: gaps of these forms are hopeless whatever the words.

    Examples
    --------
    >>> HopelessGaps(("the", "of")).to_state()
    {'words': 'the of', 'forms': []}
    """

    words: tuple[str, ...] = ()
    forms: tuple[tuple[int, ...], ...] = ()

    def among(self, rows: np.ndarray, vocabulary: Sequence[str]) -> np.ndarray:
        """Tell which candidates are hopeless.

        Parameters
        ----------
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.
        vocabulary : sequence of str
            The words whose codes start at 1.

        Returns
        -------
        ndarray of shape (n_candidates,)
            Bool.
        """
        after = _is_unmarked(rows) & np.isin(rows[:, COLUMN["left.word"]], self._word_codes(vocabulary))
        return _is_gap(rows) & (after | np.isin(_form(rows), self._form_codes()))

    def _word_codes(self, vocabulary: Sequence[str]) -> np.ndarray:
        numbers = dict(zip(vocabulary, range(1, len(vocabulary) + 1), strict=True))
        return np.array([numbers[word] for word in self.words if word in numbers], dtype=int)

    def _form_codes(self) -> np.ndarray:
        return np.ravel_multi_index(np.array(self.forms, dtype=int).reshape(-1, len(FORM)).T, FORM_SIZES)

    def to_state(self) -> dict[str, Any]:
        """Give plain JSON values.

        Returns
        -------
        dict
            What `from_state` reads.
        """
        return {"words": " ".join(self.words), "forms": [list(form) for form in self.forms]}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> HopelessGaps:
        """Read what `to_state` gave.

        Parameters
        ----------
        state : mapping
            Plain JSON values.

        Returns
        -------
        HopelessGaps
            The gaps.

        Raises
        ------
        ModelFormatError
            If something is missing, or a form has other than four codes, or one out of range.
        """
        words, forms = (state.get(key) if isinstance(state, Mapping) else None for key in ("words", "forms"))
        if not isinstance(words, str) or not isinstance(forms, list):
            raise ModelFormatError('The hopeless gaps of the model are no string of "words" and list of "forms".')
        for form in forms:
            if not isinstance(form, list) or not all(type(code) is int for code in form):
                raise ModelFormatError(f"A hopeless form of a gap in the model is no list of codes: {form!r:.80}.")
        try:
            return cls(tuple(words.split()), tuple(check_forms(forms)))
        except ValueError as error:
            raise ModelFormatError(f"The model has a hopeless form of a gap out of range: {error}") from None


#: What a model has that saw too little.
NONE_HOPELESS = HopelessGaps()


def find_hopeless(
    rows: np.ndarray,
    labels: np.ndarray,
    share: float,
    vocabulary: Sequence[str],
    before: HopelessGaps | None = None,
) -> HopelessGaps:
    """Learn from labelled candidates which gaps are hopeless.

    A few new documents must not make a model blind to what the old ones showed, so one to start from gets no others.

    Parameters
    ----------
    rows : ndarray of shape (n_candidates, n_attributes)
        Codes.
    labels : ndarray of shape (n_candidates,)
        Whether each is a boundary; at least 0.5 where they are probabilities.
    share : float
        What each candidate counts for: variants of a document say the same several times.
    vocabulary : sequence of str
        The words whose codes start at 1.
    before : HopelessGaps, optional
        Those of the model to start from: they hold where the candidates do not speak against them.

    Returns
    -------
    HopelessGaps
        In the order of the vocabulary and of the codes.
    """
    rows, labels = rows[_is_gap(rows)], labels[_is_gap(rows)] >= 0.5
    unmarked = _is_unmarked(rows)
    codes = rows[unmarked, COLUMN["left.word"]]
    seen, ends = _count(codes, labels[unmarked], share, len(vocabulary) + 1)
    known = _may_be_hopeless(seen, _WORD_SEEN, None if before is None else before._word_codes(vocabulary))
    known[0] = False
    words = tuple(vocabulary[code - 1] for code in np.flatnonzero(known & (ends <= _WORD_SHARE * seen)).tolist())

    left = ~HopelessGaps(words).among(rows, vocabulary)
    seen, ends = _count(_form(rows[left]), labels[left], share, int(np.prod(FORM_SIZES)))
    known = _may_be_hopeless(seen, _FORM_SEEN, None if before is None else before._form_codes())
    forms = np.array(np.unravel_index(np.flatnonzero(known & (ends <= _FORM_SHARE * seen)), FORM_SIZES)).T
    return HopelessGaps(words, tuple(tuple(form) for form in forms.tolist()))


def _may_be_hopeless(seen: np.ndarray, enough: int, before: np.ndarray | None) -> np.ndarray:
    """Tell which codes may be hopeless: those seen often enough, or those of the model to start from."""
    return seen >= enough if before is None else np.isin(np.arange(len(seen)), before)


def _is_gap(rows: np.ndarray) -> np.ndarray:
    return rows[:, COLUMN["kind"]] == KINDS.index("gap")


def _is_unmarked(rows: np.ndarray) -> np.ndarray:
    return rows[:, COLUMN["left.mark"]] == 0


def _form(rows: np.ndarray) -> np.ndarray:
    """One number for the form of each candidate."""
    return np.ravel_multi_index(rows[:, _FORM_COLUMNS].T.astype(int), FORM_SIZES)


def _count(codes: np.ndarray, ends: np.ndarray, share: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """How often each code was seen, and was a boundary."""
    return share * np.bincount(codes, minlength=size), share * np.bincount(codes[ends], minlength=size)
