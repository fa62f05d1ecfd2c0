"""Twin of the word counter: runs of letters in UTF-8 bytes, counted in a dictionary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from textprep_ml._unicode_table import LETTER, MARK, class_of

_ASCII_LETTERS = re.compile(rb"[A-Za-z]+")
_BLOCK = re.compile(rb"[A-Za-z]+|[\x80-\xff]|.", re.DOTALL)


def _is_letter(char: str) -> bool:
    return bool(class_of(char) & (LETTER | MARK))


def _unicode_runs(data: bytes) -> list[bytes]:
    # Bytes that are no UTF-8 become lone surrogates, which are no letters.
    marked = "".join(char if _is_letter(char) else "\n" for char in data.decode("utf-8", "surrogateescape"))
    return [run.encode() for run in marked.split("\n") if run]


def letter_runs(data: bytes, unicode: bool = False, fold: bool = False) -> list[bytes]:
    """Give the runs of letters in `data`; `fold` lowers A to Z."""
    data = data.lower() if fold else data
    return _unicode_runs(data) if unicode else _ASCII_LETTERS.findall(data)


def letter_lines(data: bytes | memoryview, fold: bool, after_break: bool) -> bytes:
    """Give the ASCII letters of `data`, a newline for each run of other bytes, none at the start if `after_break`."""
    text = bytes(data)
    lines = re.sub(rb"[^A-Za-z]+", b"\n", text.lower() if fold else text)
    return lines[1:] if after_break and lines[:1] == b"\n" else lines


class WordTable:
    """Counts of words; a word may go on from one `add` to the next until `close`."""

    def __init__(self, unicode: bool = False, fold: bool = False) -> None:
        self.unicode = bool(unicode)
        self.fold = bool(fold)
        self._counts: Counter[bytes] = Counter()
        self._rest = b""

    def __len__(self) -> int:
        return len(self._counts)

    def total(self) -> int:
        """Number of words counted."""
        return sum(self._counts.values())

    def add(self, data: bytes | memoryview) -> None:
        """Count the words of `data`; the last bytes wait where they may be part of a longer word."""
        text = self._rest + bytes(data)
        cut = len(text)
        while cut and (text[cut - 1 : cut].isalpha() or (self.unicode and text[cut - 1] > 127)):
            cut -= 1
        self._rest = text[cut:]
        self._counts.update(letter_runs(text[:cut], self.unicode, self.fold))

    def close(self) -> None:
        """End the word that `add` left open."""
        rest, self._rest = self._rest, b""
        self._counts.update(letter_runs(rest, self.unicode, self.fold))

    def add_counts(self, items: Iterable[tuple[bytes, int]]) -> None:
        """Add counts made elsewhere."""
        for word, count in items:
            self._counts[word] += count

    def items(self) -> list[tuple[bytes, int]]:
        """Words and counts in byte order."""
        return sorted(self._counts.items())

    def lines(self, by_count: bool = False, top: int = -1) -> bytes:
        """Give ``uniq -c`` lines in byte order, or both descending by count; at most `top` of them unless negative."""
        items = self.items()
        if by_count:
            items.sort(key=lambda item: (item[1], item[0]), reverse=True)
        if top >= 0:
            items = items[:top]
        return b"".join(b"%7d %b\n" % (count, word) for word, count in items)
