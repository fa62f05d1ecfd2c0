"""Decisions on which users differ, taken after the classifier: protected names, quotations, missing blanks, length."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from textprep_ml.segmentation.attributes import KINDS

_OPENERS = "“„«「『《〈"
_CLOSERS = "”»」』》〉"
_CLAUSE_END = re.compile(r"[,;:—–]\s+|\s+[—–-]\s+")
_BLANK = re.compile(r"\s+")
_WORD_AND_MARK = re.compile(r"((?:[^\W\d_]+\.)*[^\W\d_]{2,}|(?<!\w)\d+)([.!?…]+)[\"'”’»)\]]*$")
_NARROW_MARK = re.compile(r"[.!?…][\"'”’»)\]]*$")
_CAPITALISED = re.compile(r"[\"'“‘«(\[]*([^\W\d_])(?:([^\W\d_])|\b)")
_LINK = re.compile(r"://|@|\bwww\.", re.IGNORECASE)
_WINDOW = 40


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
        Who decides at ``end.Next``: the model; always cut, save after abbreviations and in links; never cut. Marks of
        scripts that write no blank are the model's matter.
    max_length : int or None
        Longest sentence in characters.
    """

    protected: tuple[str, ...] = ()
    quotes: str = "split"
    missing_blank: str = "model"
    max_length: int | None = None

    def __post_init__(self) -> None:
        if self.quotes not in ("split", "keep"):
            raise ValueError(f"quotes must be 'split' or 'keep', got {self.quotes!r}.")
        if self.missing_blank not in ("model", "split", "join"):
            raise ValueError(f"missing_blank must be 'model', 'split' or 'join', got {self.missing_blank!r}.")
        if self.max_length is not None and self.max_length < 1:
            raise ValueError(f"max_length must be at least 1 character or None, got {self.max_length!r}.")
        bad = [name for name in self.protected if not isinstance(name, str) or not name]
        if bad:
            raise ValueError(f"protected must hold strings of one character or more, got {bad[0]!r}.")

    @property
    def is_default(self) -> bool:
        """Whether the classifier's decisions stand as they are."""
        return self == Policies()

    def decide(
        self, text: str, ends: np.ndarray, kinds: np.ndarray, chosen: np.ndarray, abbreviations: Container[str] = ()
    ) -> np.ndarray:
        """Change the classifier's decisions.

        Parameters
        ----------
        text : str
            The text.
        ends, kinds : ndarray of shape (n_candidates,)
            The candidates.
        chosen : ndarray of shape (n_candidates,)
            What the classifier decided.
        abbreviations : container of str
            Words, without their period, after which a missing blank tells nothing.

        Returns
        -------
        ndarray of shape (n_candidates,)
            What holds.
        """
        chosen = chosen.copy()
        inside = np.flatnonzero(kinds == KINDS.index("inside"))
        places = ends[inside].tolist()
        if self.missing_blank == "split":
            run_on = [_is_run_on(text, place, abbreviations) for place in places]
            chosen[inside] |= np.array(run_on, dtype=bool)
            chosen[inside] &= ~_inside_links(text, ends[inside])
        elif self.missing_blank == "join":
            joined = [bool(_NARROW_MARK.search(text[max(0, place - _WINDOW) : place])) for place in places]
            chosen[inside] &= ~np.array(joined, dtype=bool)
        if self.quotes == "keep":
            chosen &= ~_inside_quotes(text, ends)
        if self.protected:
            chosen &= ~_inside_protected(text, ends, self.protected)
        return chosen | (kinds == KINDS.index("paragraph"))

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


def _is_run_on(text: str, end: int, abbreviations: Container[str]) -> bool:
    """Whether a lower-case word or a number, a mark and a capitalised word meet at `end`."""
    before = _WORD_AND_MARK.search(text[max(0, end - _WINDOW) : end])
    after = _CAPITALISED.match(text[end : end + _WINDOW])
    if not before or not after:
        return False
    word, mark = before.groups()
    first, second = after.groups(default="")
    is_known = mark == "." and (word in abbreviations or word.lower() in abbreviations)
    return (word[-1].islower() or word.isdigit()) and not is_known and first.isupper() and not second.isupper()


def _inside_links(text: str, ends: np.ndarray) -> np.ndarray:
    """Whether each position lies inside an address or behind its first sign."""
    inside = np.zeros(len(ends), dtype=bool)
    for run in re.finditer(r"\S+", text) if len(ends) else ():
        first, last = np.searchsorted(ends, run.span(), side="right")
        if first < last and (link := _LINK.search(text, *run.span())):
            inside[first:last] = ends[first:last] > link.start() if link[0] != "@" else True
    return inside


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
        if text[start].isspace():  # a piece of nothing but controls that count as white space would be blank
            start += 1
            continue
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
