"""Byte-pair encoding of text with learned merges, and back: the textbook algorithm with a heap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from heapq import heapify, heappop, heappush
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels._pure.pretokenize import SCHEMES, characters, pretokenize

__all__ = ["SCHEMES", "BPEEncoder", "copy_strings", "pretokenize", "rows"]

#: A piece of a word: id, start and end byte in the word.
Piece = tuple[int, int, int]


def as_bytes(text: str | bytes) -> bytes:
    """Give UTF-8; a lone surrogate takes its three-byte form."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def copy_strings(items: list[Any]) -> list[str] | None:
    """Copy a list, if all that is in it is exact `str`; else give None."""
    return list(items) if set(map(type, items)) <= {str} else None


def rows(ids: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64]) -> list[list[int]]:
    """Give the ids of each text as a list; the offsets are those of `encode_batch`."""
    if len(ids) and ids.min() < 0:
        raise ValueError(f"Ids are 0 or more; got {ids[ids < 0][0]}.")
    for start, end in pairwise(offsets.tolist()):
        if not 0 <= start <= end <= len(ids):
            raise ValueError(f"Offsets go up from 0 to the number of ids, {len(ids)}; got {start} and {end}.")
    return [ids[start:end].tolist() for start, end in pairwise(offsets.tolist())]


class Chance:
    """Random numbers that are the same everywhere (SplitMix64: Steele, Lea and Flood 2014).

    Parameters
    ----------
    share : float
        How often `falls` is true.
    state : int
        Where to begin.
    """

    def __init__(self, share: float, state: int) -> None:
        self.share, self.state = share, state

    def falls(self) -> bool:
        """Draw."""
        mask = (1 << 64) - 1
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        z ^= z >> 31
        return (z >> 11) / (1 << 53) < self.share


class BPEEncoder:
    """Merges applied to the words of a text, always the one of lowest rank first, the leftmost of equal ones.

    Parameters
    ----------
    symbols : list of bytes
        What each id stands for.
    merges : (n, 3) integers
        Left id, right id and the id of the two joined, in the order of rank.
    scheme : int
        How the text is cut into words; see `SCHEMES`.
    byte_level : bool
        Words are sequences of bytes, else of characters.
    byte_ids : sequence of 256 int, optional
        The id of each byte, -1 for none. By default those of the one-byte symbols in byte-level mode; in character mode
        none. There they stand for the bytes of a character that is no symbol.
    unknown : int
        The id of a byte or character that has none, -1 for an error.
    fuse_unknown : bool
        Unknown neighbours become one.
    prefix, marker : bytes
        In character mode, what every character but the first begins with (as in ``##``), and what a word ends with.
    marker_joined : bool
        The last character carries the marker in its symbol; else the marker is a symbol of its own.
    specials : iterable of int
        Ids that no text gives.
    whole_words : bool
        A word that is a symbol is encoded as this symbol, whatever the merges say.
    shared_ranks : bool
        Merges that follow each other and make the same symbol have one rank.
    surfaces : list of bytes, optional
        What `decode` writes for each id, by default the symbols.
    """

    def __init__(
        self,
        symbols: Sequence[bytes],
        merges: npt.ArrayLike,
        *,
        scheme: int,
        byte_level: bool = True,
        byte_ids: Sequence[int] | None = None,
        unknown: int = -1,
        fuse_unknown: bool = False,
        prefix: bytes = b"",
        marker: bytes = b"",
        marker_joined: bool = False,
        specials: Iterable[int] = (),
        whole_words: bool = False,
        shared_ranks: bool = False,
        surfaces: Sequence[bytes] | None = None,
    ) -> None:
        hidden = set(specials)
        plain: dict[bytes, int] = {}
        for index, symbol in enumerate(symbols):
            if index not in hidden:
                plain.setdefault(symbol, index)
        rows = np.asarray(merges, dtype=np.int64).reshape(-1, 3).tolist()
        self._merges: dict[tuple[int, int], tuple[int, int]] = {}
        rank = -1
        for number, (left, right, joined) in enumerate(rows):
            rank += not (shared_ranks and number and joined == rows[number - 1][2])
            self._merges.setdefault((left, right), (rank, joined))
        if byte_ids is None and byte_level:
            byte_ids = [plain.get(bytes([byte]), -1) for byte in range(256)]
        self._ids = plain
        self._symbols = list(symbols)
        self._byte_level = byte_level
        self._byte_ids = byte_ids
        self._unknown = unknown
        self._fuse_unknown = fuse_unknown
        self._prefix, self._marker, self._marker_joined = prefix, marker, marker_joined
        self._whole_words = whole_words
        self._scheme = scheme
        self._chance: Chance | None = None
        self._surfaces = list(symbols if surfaces is None else surfaces)

    def encode(self, text: str | bytes) -> list[int]:
        """Give the ids of a text."""
        return [piece[0] for piece in self._pieces(as_bytes(text))]

    def encode_array(self, text: str | bytes, threads: int = 1) -> npt.NDArray[np.int32]:
        """Give the ids of a text as an array."""
        return np.array(self.encode(text), dtype=np.int32)

    def encode_batch(
        self, texts: Sequence[str], threads: int = 1
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Give the ids of all texts in one array, and where those of each text begin, and the end."""
        return self._batch(self.encode, texts)

    def encode_words(self, words: Sequence[bytes]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Give the ids of ready words, of which an empty one has none, like `encode_batch`."""
        return self._batch(lambda word: [piece[0] for piece in self._word(word)], words)

    def encode_with_offsets(
        self, text: str | bytes
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Give ids, their spans in characters (a piece of one has the span of the whole) and their spans in bytes."""
        data = as_bytes(text)
        pieces = list(self._pieces(data))
        begins = characters(data)[1]
        spans = [(bisect_right(begins, start) - 1, bisect_left(begins, end)) for _, start, end in pieces]
        return (
            np.array([piece[0] for piece in pieces], dtype=np.int32),
            np.array(spans, dtype=np.int64).reshape(-1, 2),
            np.array([piece[1:] for piece in pieces], dtype=np.int64).reshape(-1, 2),
        )

    def encode_by_chance(
        self, text: str | bytes, dropout: float, state: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Encode with merges left out by chance (Provilkov et al. 2020).

        At each merge every pair is left out with the chance of `dropout`, and there is none when all are. Gives ids and
        spans as `encode_with_offsets` does, and the state of the random numbers.
        """
        chance = Chance(dropout, state)
        encoder = copy(self)  # threads may share this one
        encoder._chance = chance
        return *encoder.encode_with_offsets(text), chance.state

    def decode(self, ids: Iterable[int]) -> bytes:
        """Join what the ids stand for."""
        return b"".join([self._surface(index) for index in ids])

    def decode_batch(self, ids: Sequence[int], offsets: Sequence[int]) -> list[bytes]:
        """Undo `encode_batch`."""
        return [self.decode(ids[start:end]) for start, end in pairwise(offsets)]

    def _surface(self, index: int) -> bytes:
        if isinstance(index, bool | np.bool_) or not hasattr(index, "__index__"):
            raise TypeError("BPEEncoder decodes a flat sequence of integers.")
        if not 0 <= index < len(self._surfaces):
            raise ValueError(f"No symbol has the id {index}; ids go from 0 to {len(self._surfaces) - 1}.")
        return self._surfaces[index]

    def _batch(
        self, encode: Callable[[Any], list[int]], texts: Sequence[Any]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        rows = [encode(text) for text in texts]
        offsets = np.array([0, *accumulate(map(len, rows))], dtype=np.int64)
        return np.array([index for row in rows for index in row], dtype=np.int32), offsets

    def _pieces(self, data: bytes) -> Iterator[Piece]:
        for start, end in pretokenize(data, self._scheme):
            for index, first, last in self._word(data[start:end], start):
                yield index, start + first, start + last

    def _word(self, word: bytes, at: int = 0) -> list[Piece]:
        """Encode one word, which begins at byte `at` of the text."""
        if not word:
            return []
        if self._whole_words and self._chance is None and word in self._ids:
            return [(self._ids[word], 0, len(word))]
        pieces = self._merge(list(self._bytes(word, 0) if self._byte_level else self._characters(word)))
        return list(self._name_unknown(pieces, word, at))

    def _bytes(self, part: bytes, at: int) -> Iterator[Piece]:
        ids = self._byte_ids or [-1] * 256
        return ((ids[byte], at + i, at + i + 1) for i, byte in enumerate(part))

    def _characters(self, word: bytes) -> Iterator[Piece]:
        begins = characters(word)[1]
        for start, end in pairwise(begins):
            ending = self._marker if self._marker_joined and end == len(word) else b""
            symbol = (self._prefix if start else b"") + word[start:end] + ending
            index = self._ids.get(symbol, -1)
            if index < 0 and self._byte_ids is not None and min(self._byte_ids[byte] for byte in word[start:end]) >= 0:
                yield from self._bytes(word[start:end], start)
            else:
                yield index, start, end
        if self._marker and not self._marker_joined:
            yield self._ids.get(self._marker, -1), len(word), len(word)

    def _merge(self, pieces: list[Piece]) -> list[Piece]:
        """Merge the neighbours of lowest rank until there are none; an id of -1 never merges."""
        ids = [piece[0] for piece in pieces]
        following = list(range(1, len(ids) + 1))
        previous = list(range(-1, len(ids) - 1))
        dead = -2

        def rank_at(i: int) -> tuple[int, int]:
            j = following[i]
            return self._merges.get((ids[i], ids[j]), (-1, -1)) if i >= 0 and j < len(ids) else (-1, -1)

        heap = [(rank, i) for i in range(len(ids)) if (rank := rank_at(i)[0]) >= 0]
        heapify(heap)
        aside: list[tuple[int, int]] = []
        while heap:
            rank, i = heappop(heap)
            if ids[i] == dead or rank_at(i)[0] != rank:
                continue  # one of the two has been merged since
            if self._chance is not None and self._chance.falls():
                aside.append((rank, i))
                continue
            j = following[i]
            ids[i], ids[j] = rank_at(i)[1], dead
            following[i] = following[j]
            if following[i] < len(ids):
                previous[following[i]] = i
            for k in (previous[i], i):
                if k >= 0 and (rank := rank_at(k)[0]) >= 0:
                    heappush(heap, (rank, k))
            while aside:
                heappush(heap, aside.pop())
        return [(ids[i], pieces[i][1], pieces[following[i] - 1][2]) for i in range(len(ids)) if ids[i] != dead]

    def _name_unknown(self, pieces: list[Piece], word: bytes, at: int) -> Iterator[Piece]:
        fused = None
        for index, start, end in pieces:
            if index < 0 and self._unknown < 0:
                char = word[start:end].decode("utf-8", "backslashreplace") or self._marker.decode(
                    "utf-8", "backslashreplace"
                )
                raise ValueError(
                    f"No symbol covers {char!r} at byte {at + start}; "
                    "give an unknown token, turn on byte fallback, or train with it."
                )
            if index < 0 and self._fuse_unknown:
                fused = (self._unknown, fused[1] if fused else start, end)
                continue
            if fused:
                yield fused
                fused = None
            yield (index if index >= 0 else self._unknown), start, end
        if fused:
            yield fused
