"""Count the distinct words of a text and turn them into symbols."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from textprep_ml._kernels._pure.pretokenize import SCHEMES as _NUMBERS
from textprep_ml._kernels._pure.pretokenize import pretokenize
from textprep_ml._unicode_table import LETTER, SPACE, class_of

#: The pre-tokenizers of `pretokenize.h`; the position is the number.
SCHEMES = tuple(sorted(_NUMBERS, key=_NUMBERS.__getitem__))

Symbols = tuple[np.ndarray, np.ndarray, np.ndarray]


def safe_cut(data: bytes | memoryview) -> int:
    """Give the last place before which the text may be cut without changing a word of any scheme, or 0.

    That is before a blank or newline that follows a letter.
    """
    for match in re.finditer(rb"[ \n](?=([\x80-\xbf]{0,3}[\x00-\x7f\xc0-\xff]))", bytes(data)[::-1]):
        try:
            before = match[1][::-1].decode("utf-8")
        except UnicodeDecodeError:
            continue
        if class_of(before) & LETTER:
            return len(data) - match.end()
    return 0


def invalid_at(data: bytes | memoryview) -> int:
    """Give the place of the first byte that begins no valid UTF-8 character, or -1."""
    try:
        str(data, "utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return -1


class WordCounter:
    """Distinct words with their counts, in the order first met."""

    def __init__(self, scheme: str = "none") -> None:
        self._scheme = SCHEMES.index(scheme)
        self._counts: dict[bytes, int] = {}
        self._places: dict[bytes, int] = {}
        self.clock = 0

    def __len__(self) -> int:
        return len(self._counts)

    def _add(self, word: bytes, count: int, place: int) -> None:
        self._counts[word] = self._counts.get(word, 0) + count
        self._places[word] = min(self._places.get(word, place), place)

    def count_text(self, text: bytes | memoryview, place: int = -1) -> None:
        """Count the words of a text that begins at `place` of the corpus, by default behind all before."""
        base = self.clock if place < 0 else place
        text = bytes(text)
        for start, end in pretokenize(text, self._scheme):
            self._add(text[start:end], 1, base + start)
        self.clock = max(self.clock, base + len(text))

    def add(self, word: bytes, count: int = 1) -> None:
        """Count one word `count` more times."""
        if word:
            self._add(word, count, self.clock)
        self.clock += 1

    def add_table(self, words: bytes, lengths: np.ndarray, counts: np.ndarray) -> None:
        """Count all words of a `table`, which come behind all that was counted before."""
        for index in np.flatnonzero(lengths < 0).tolist():
            raise ValueError(f"word {index} of the table has the length {lengths[index]}")
        ends = np.cumsum(lengths).tolist()
        if (ends[-1] if ends else 0) != len(words) or len(counts) != len(lengths):
            raise ValueError("the words, lengths and counts of the table do not fit together")
        for start, end, count in zip([0, *ends], ends, counts.tolist(), strict=False):
            self.add(bytes(words[start:end]), count)

    def merge(self, other: WordCounter, parallel: bool = False) -> None:
        """Add another counter's counts; its places are in the same corpus when `parallel`, else behind this one's."""
        shift = 0 if parallel else self.clock
        for word, count in other._counts.items():
            self._add(word, count, other._places[word] + shift)
        self.clock = max(self.clock, other.clock + shift)

    def is_blank(self) -> bool:
        """Tell whether there is nothing but white space in all words."""
        return all(class_of(char) & SPACE for word in self._counts for char in word.decode("utf-8", "surrogatepass"))

    def words(self) -> list[tuple[bytes, int]]:
        """List (word, count) in the order first met."""
        return sorted(self._counts.items(), key=lambda item: self._places[item[0]])

    def table(self) -> tuple[bytes, np.ndarray, np.ndarray]:
        """Give the words in the order first met: their bytes, one behind another, their lengths, and their counts."""
        found = self.words()
        lengths = np.array([len(word) for word, _ in found], dtype=np.int32)
        return b"".join(word for word, _ in found), lengths, np.array([count for _, count in found], dtype=np.int64)

    def byte_symbols(self, table: Sequence[int], threads: int = 1) -> Symbols:
        """Give all words as ids, one per byte, with the offsets and counts of the words."""
        return self._symbols([table[byte] for byte in word] for word, _ in self.words())

    def character_counts(self) -> dict[int, int]:
        """Count the characters of all words: code point -> how often it occurs in the corpus."""
        sums: dict[int, int] = {}
        for word, count in self.words():
            for char in word.decode("utf-8", "surrogatepass"):
                sums[ord(char)] = sums.get(ord(char), 0) + count
        return dict(sorted(sums.items()))

    def character_symbols(
        self,
        first: Sequence[int],
        middle: Sequence[int],
        last: Sequence[int],
        only: Sequence[int],
        end: int,
    ) -> Symbols:
        """Give all words as ids, one per character; see the compiled twin for the tables."""

        def ids_of(word: bytes) -> Iterator[int]:
            text = word.decode("utf-8", "surrogatepass")
            for at, char in enumerate(text):
                is_last = at == len(text) - 1
                table = (only if is_last else first) if at == 0 else (last if is_last else middle)
                yield table[ord(char)]
            if end >= 0:
                yield end

        return self._symbols(list(ids_of(word)) for word, _ in self.words())

    def _symbols(self, rows: Iterator[list[int]]) -> Symbols:
        ids: list[int] = []
        offsets = [0]
        for row in rows:
            ids += row
            offsets.append(len(ids))
        counts = [count for _, count in self.words()]
        return np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64), np.array(counts, dtype=np.int64)
