"""Rewrite a text piece by piece with remembered results, and record which raw characters became which new ones.

The readable twin of ``_normalize.pyx``. A text is cut into the smallest pieces that no rule reaches across. Between
two characters there is no cut where the right one JOINS or both are BLANK; and a word (from SPACE to SPACE) that
holds a CONTEXT character is one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

Cell = tuple[int, int, int]

#: What `classify` may say of a character. JOINS: it never starts a piece. BLANK: it makes one piece with a BLANK
#: neighbour. CONTEXT: it must be seen together with its whole word. SPACE: it ends a word.
JOINS, BLANK, CONTEXT, SPACE = 1, 2, 4, 8

#: Pieces that are remembered; beyond, all are forgotten.
MAX_PIECES = 1 << 17


def close_join(left: int, right: int) -> bool:
    """Tell whether two neighbours with these flags always belong to one piece."""
    return bool(right & JOINS or left & right & BLANK)


def word_join(left: int, right: int) -> bool:
    """Tell whether two neighbours belong to one piece when their word is needed whole."""
    return close_join(left, right) or not (left | right) & SPACE


class Rewriter:
    """Rewrite texts; what was learned about characters and pieces is kept from text to text.

    Parameters
    ----------
    classify : callable
        Given one character, returns its flags and what it becomes alone.
    resolve : callable
        Given a piece, returns what it becomes and its cells, triples (raw width, new width, count).
    """

    def __init__(
        self, classify: Callable[[str], tuple[int, str]], resolve: Callable[[str], tuple[str, Sequence[Cell]]]
    ) -> None:
        self._classify = classify
        self._resolve = resolve
        self._characters: dict[str, tuple[int, str]] = {}
        self._pieces: dict[str, tuple[str, Sequence[Cell]]] = {}

    def _flags(self, text: str) -> list[int]:
        for char in set(text).difference(self._characters):
            self._characters[char] = self._classify(char)
        return [self._characters[char][0] for char in text]

    def _look_up(self, piece: str) -> tuple[str, Sequence[Cell]]:
        if len(piece) == 1 and not self._characters[piece][0] & (JOINS | CONTEXT):
            new = self._characters[piece][1]
            return new, ((1, len(new), 1),)
        if piece not in self._pieces:
            if len(self._pieces) >= MAX_PIECES:
                self._pieces.clear()
            self._pieces[piece] = self._resolve(piece)
        return self._pieces[piece]

    def new(self, text: str) -> str:
        """Give the new text alone.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        str
            The same object when nothing changes.
        """
        return self.rewrite(text)[0]

    def rewrite(self, text: str) -> tuple[str, np.ndarray | None]:
        """Give the new text and its runs.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        new : str
            The same object when nothing changes.
        runs : ndarray of shape (n_runs, 4) or None
            Raw start, new start, raw width, new width; None where all cells are of one character to one.
        """
        pieces: list[str] = []
        runs: list[tuple[int, int, int, int]] = []
        raw = new = 0
        for start, end in cut(self._flags(text)):
            piece, cells = self._look_up(text[start:end])
            pieces.append(piece)
            for raw_width, new_width, count in cells:
                if not runs or runs[-1][2:] != (raw_width, new_width):
                    runs.append((raw, new, raw_width, new_width))
                raw += raw_width * count
                new += new_width * count
        joined = "".join(pieces)
        trivial = all(run[2:] == (1, 1) for run in runs)
        return (text if joined == text else joined), (None if trivial else np.array(runs, dtype=np.int64))


def cut(flags: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut a text with these flags into pieces.

    Parameters
    ----------
    flags : sequence of int
        The flags of each character.

    Yields
    ------
    tuple of int
        Start and end of a piece.
    """
    start = 0
    while start < len(flags):
        end = _end(flags, start, word_join)
        if not any(flag & CONTEXT for flag in flags[start:end]):
            # No character needs this word whole, so its small pieces stand for themselves.
            while start < end:
                small = _end(flags, start, close_join)
                yield start, small
                start = small
        else:
            yield start, end
        start = end


def _end(flags: Sequence[int], start: int, joined: Callable[[int, int], bool]) -> int:
    end = start + 1
    while end < len(flags) and joined(flags[end - 1], flags[end]):
        end += 1
    return end
