"""Decisions on which users differ, taken after the classifier: protected names, quotations, missing blanks, length."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textprep_ml.segmentation.attributes import KINDS

_OPENERS = "“„«「『《〈"
_CLOSERS = "”»」』》〉"
_CLAUSE_END = re.compile(r"[,;:—–]\s+|\s+[—–-]\s+")
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True)
class Policies:
    """What to do where users differ.

    Attributes
    ----------
    protected : tuple of str
        No boundary falls inside these strings, nor directly after them when the sentence goes on with a word.
    quotes : {"split", "keep"}
        Whether a quotation of several sentences is cut.
    missing_blank : {"model", "split", "join"}
        Who decides at ``end.Next``: the model, always cut, never cut.
    max_length : int or None
        Longest sentence in characters.
    """

    protected: tuple[str, ...] = ()
    quotes: str = "split"
    missing_blank: str = "model"
    max_length: int | None = None

    @property
    def is_default(self) -> bool:
        """Whether the classifier's decisions stand as they are."""
        return self == Policies()

    def decide(
        self, text: str, ends: np.ndarray, starts: np.ndarray, kinds: np.ndarray, chosen: np.ndarray
    ) -> np.ndarray:
        """Change the classifier's decisions.

        Parameters
        ----------
        text : str
            The text.
        ends, starts, kinds : ndarray of shape (n_candidates,)
            The candidates.
        chosen : ndarray of shape (n_candidates,)
            What the classifier decided.

        Returns
        -------
        ndarray of shape (n_candidates,)
            What holds.
        """
        chosen = chosen.copy()
        if self.missing_blank != "model":
            inside = kinds == KINDS.index("inside")
            chosen[inside] = self.missing_blank == "split"
        if self.quotes == "keep":
            chosen &= ~_inside_quotes(text, ends)
        if self.protected:
            chosen &= ~_inside_protected(text, ends, self.protected)
        return chosen

    def limit(self, text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Cut sentences that are too long.

        Parameters
        ----------
        text : str
            The text.
        spans : sequence of (int, int)
            Sentences.

        Returns
        -------
        list of (int, int)
            Sentences of at most `max_length` characters.
        """
        if self.max_length is None:
            return list(spans)
        return [piece for start, end in spans for piece in _cut(text, start, end, self.max_length)]


def _inside_quotes(text: str, ends: np.ndarray) -> np.ndarray:
    """Whether a quotation is open at each position; straight quotes toggle, a blank line closes."""
    marks = re.finditer(rf'["{_OPENERS}{_CLOSERS}]|\n\s*\n', text)
    positions, states, is_open = [0], [False], False
    for mark in marks:
        character = mark[0]
        is_open = not is_open if character == '"' else character in _OPENERS
        positions.append(mark.end())
        states.append(is_open)
    return np.array(states)[np.searchsorted(positions, ends, side="right") - 1]


def _inside_protected(text: str, ends: np.ndarray, protected: tuple[str, ...]) -> np.ndarray:
    """Whether each position lies inside a protected string or at its end."""
    pattern = re.compile("|".join(re.escape(name) for name in sorted(protected, key=len, reverse=True)))
    inside = np.zeros(len(ends), dtype=bool)
    for match in pattern.finditer(text):
        inside[
            np.searchsorted(ends, match.start(), side="right") : np.searchsorted(ends, match.end(), side="right")
        ] = True
    return inside


def _cut(text: str, start: int, end: int, limit: int) -> list[tuple[int, int]]:
    """Cut [start, end) at the last clause mark that leaves at most `limit` characters, else a blank, else anywhere."""
    pieces = []
    while end - start > limit:
        window = text[start : start + limit + 1]
        cut = _last_cut(_CLAUSE_END, window, limit // 3) or _last_cut(_BLANK, window, 0)
        left, right = cut or (limit, limit)
        pieces.append((start, start + left))
        start += right
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        pieces.append((start, end))
    return pieces


def _last_cut(pattern: re.Pattern[str], window: str, at_least: int) -> tuple[int, int] | None:
    """Where the last match leaves the piece before it (marks stay left) and where the next one starts."""
    found = None
    for match in pattern.finditer(window):
        left = match.start() + len(match[0].rstrip())
        if left > at_least and left < len(window):
            found = (left, match.end())
    return found
