"""Cutting text by a unigram model (Kudo 2018): normalization, the best way through the lattice of pieces, and samples.

Scores are logarithms of probabilities. Ties and near ties are not rare ("aa" + "a" or "a" + "aa"), so it is a part of
what is promised how sums are made: places from left to right, at each the pieces from short to long, and a later way
must be better than the one before. Of the two arithmetics that are in use for models of this kind both are here: with
``single`` the sum goes on along the whole text in single precision, and begins with 0 again when it gets below
`LOWEST`; else every word begins with 0, in double precision.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels._pure.unigram_tables import (  # noqa: F401  # the kinds are a part of this kernel
    BYTE,
    CONTROL,
    MARKER,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    make_tables,
)

_REPLACEMENT = "\ufffd".encode()

#: A sum in single precision that gets below this begins with 0 again.
LOWEST = -100_000.0

#: Where words end: between bytes that no piece has next to each other, before every blank, or before every run of
#: blanks.
WORDS = ("pairs", "blanks", "runs")


def as_bytes(text: str | bytes) -> bytes:
    """Give UTF-8; a lone surrogate takes its three-byte form."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def single(value: float) -> float:
    """Round to single precision."""
    return float(np.float32(value))


# Normalization


class Part(NamedTuple):
    """What the first bytes of a text become."""

    data: bytes
    consumed: int


def character_size(data: bytes, at: int) -> int:
    """Give the bytes of the valid character at a place, 0 where there is none."""
    size = 1 if data[at] < 0x80 else 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
    try:
        return size if len(data[at : at + size].decode("utf-8")) == 1 else 0
    except UnicodeDecodeError:
        return 0


class CharacterMap:
    """The compiled map of a model file: a double array in the layout of Darts-clone, and the replacements.

    Parameters
    ----------
    blob : bytes
        Four bytes with the size of the array, the array, and the replacements, each ended by a zero byte.
    """

    def __init__(self, blob: bytes) -> None:
        units, self._strings = split_map(blob)
        self._units = units.tolist()

    def match(self, data: bytes, at: int) -> Part | None:
        """Give the longest rule that applies at a place."""
        found = None
        place = self._offset(self._units[0])
        for end in range(at, len(data)):
            place ^= data[end]
            if place >= len(self._units) or self._units[place] & (1 << 31 | 0xFF) != data[end]:
                break
            unit = self._units[place]
            place ^= self._offset(unit)
            if place >= len(self._units):
                break
            value = self._units[place] & 0x7FFFFFFF
            if unit >> 8 & 1 and value < len(self._strings):
                found = Part(self._strings[value : self._strings.index(0, value)], end + 1 - at)
        return found

    @staticmethod
    def _offset(unit: int) -> int:
        return unit >> 10 << ((unit & 1 << 9) >> 6)


def split_map(blob: bytes) -> tuple[npt.NDArray[np.uint32], bytes]:
    """Take a compiled map apart.

    Parameters
    ----------
    blob : bytes
        As in the file.

    Returns
    -------
    units : uint32 array
        The double array.
    strings : bytes
        The replacements; the last byte is 0.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    size = struct.unpack("<I", blob[:4])[0] if len(blob) >= 4 else 0
    strings = blob[4 + size :]
    if size < 4 or size % 4 or not strings or strings[-1]:
        raise ValueError("the compiled map of characters is damaged")
    return np.frombuffer(blob, dtype="<u4", count=size // 4, offset=4).astype(np.uint32), strings


class TextRules:
    """Normalization of a text as model files ask for it.

    In the result the marker (U+2581) is one blank: a text whose blanks are all markers has no other blanks.

    Parameters
    ----------
    charsmap : bytes
        A compiled map, or nothing.
    kept : iterable of bytes
        Strings that no rule changes.
    prefix, suffix : int
        Put a blank before or behind a text, unless it is empty; a prefix of 2 also not where there is one.
    remove_extra : bool
        No blanks at the ends, and single ones inside.
    escape : bool
        A blank in a text becomes a marker.
    """

    def __init__(
        self,
        charsmap: bytes = b"",
        kept: Iterable[bytes] = (),
        *,
        prefix: int = 0,
        suffix: bool = False,
        remove_extra: bool = False,
        escape: bool = True,
    ) -> None:
        self._map = CharacterMap(charsmap) if charsmap else None
        self._kept = sorted(filter(None, kept), key=len, reverse=True)
        self._prefix, self._suffix, self._remove_extra, self._escape = prefix, suffix, remove_extra, escape

    def normalize(self, text: str | bytes, prefix: bool = True) -> bytes:
        """Give the normalized text."""
        return b"".join(data for data, _, _ in self._parts(as_bytes(text), prefix))

    def align(
        self, text: str | bytes, prefix: bool = True
    ) -> tuple[bytes, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Give the normalized text, and for each of its bytes where its source begins and ends."""
        parts = list(self._parts(as_bytes(text), prefix))
        begins = [begin for data, begin, _ in parts for _ in data]
        ends = [end for data, _, end in parts for _ in data]
        return b"".join(data for data, _, _ in parts), np.array(begins, np.int64), np.array(ends, np.int64)

    def _first(self, data: bytes, at: int) -> Part:
        for kept in self._kept:
            if data.startswith(kept, at):
                return Part(kept, len(kept))
        rule = self._map.match(data, at) if self._map else None
        if rule:
            return rule
        size = character_size(data, at)
        return Part(data[at : at + size], size) if size else Part(_REPLACEMENT, 1)

    def _parts(self, data: bytes, prefix: bool) -> list[tuple[bytes, int, int]]:
        """List what is written, with the source of each."""
        at = 0
        while self._remove_extra and at < len(data) and self._first(data, at).data == b" ":
            at += self._first(data, at).consumed
        if at == len(data):
            return []
        parts = [(b" ", at, at)] if self._prefix and prefix else []
        after_blank = self._remove_extra
        while at < len(data):
            new, consumed = self._first(data, at)
            if after_blank:
                new = new.lstrip(b" ")
            if new:
                after_blank = self._remove_extra and new.endswith(b" ")
                shown = new.replace(MARKER, b" ") if self._escape else new
                parts += [(shown[i : i + 1], at, at + consumed) for i in range(len(shown))]
            at += consumed
        while self._remove_extra and parts and parts[-1][0] == b" ":
            at = parts.pop()[1]
        if self._prefix == 2 and prefix and [data for data, _, _ in parts[:2]] == [b" ", b" "]:
            del parts[0]
        if self._suffix and prefix:
            parts.append((b" ", at, at))
        return parts


def character_spans(data: bytes, spans: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Turn byte spans into spans of the characters that they touch; an empty one stays empty."""
    leads = np.frombuffer(data, dtype=np.uint8) & 0xC0 != 0x80
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(leads, dtype=np.int64)])
    starts = before[np.minimum(spans[:, 0] + 1, len(data))] - (spans[:, 0] < len(data))
    return np.column_stack([starts, np.where(spans[:, 1] > spans[:, 0], before[spans[:, 1]], starts)])


# What is known of the pieces


def joined_bytes(keys: Iterable[bytes], words: str) -> npt.NDArray[np.bool_]:
    """Tell between which two bytes no word ends: shape (256, 256), the left one first."""
    if words not in WORDS:
        raise ValueError(f"UnigramEncoder knows the words {WORDS}, got {words!r}.")
    joined = np.zeros((256, 256), dtype=bool)
    if words == "pairs":
        # Between two keys stands a byte that no key holds.
        data = np.frombuffer(b"\xff".join(keys), dtype=np.uint8)
        joined[data[:-1], data[1:]] = True
        joined[:, 0x80:0xC0] = True  # inside a character
    else:
        joined[:] = True
        joined[:, ord(" ")] = False
        joined[ord(" "), ord(" ")] = words == "runs"
    return joined


class Edge(NamedTuple):
    """A piece, or an unknown character (id -1), between two places of a text."""

    start: int
    end: int
    id: int
    score: float


class UnigramEncoder:
    """Texts to ids by the best way through the lattice of pieces.

    Parameters
    ----------
    pieces : list of bytes
        The pieces in UTF-8, with markers.
    scores : sequence of float
        Their scores.
    kinds : sequence of int
        `NORMAL`, `UNKNOWN`, `CONTROL`, `USER_DEFINED`, `UNUSED` or `BYTE`.
    unknown : int
        The id of a character that no piece covers, -1 for an error.
    byte_ids : sequence of 256 int, optional
        Stand for the bytes of such a character instead.
    fuse_unknown : bool
        Unknown neighbours become one.
    single : bool
        The arithmetic; see above.
    words : str
        One of `WORDS`.
    surfaces : list of bytes, optional
        What `decode` writes for each id, by default the pieces.
    charsmap, prefix, suffix, remove_extra, escape
        As for `TextRules`.
    """

    def __init__(
        self,
        pieces: Sequence[bytes],
        scores: Sequence[float],
        kinds: Sequence[int],
        *,
        unknown: int = -1,
        byte_ids: Sequence[int] | None = None,
        fuse_unknown: bool = True,
        single: bool = True,
        words: str = "pairs",
        surfaces: Sequence[bytes] | None = None,
        charsmap: bytes = b"",
        prefix: int = 1,
        suffix: bool = False,
        remove_extra: bool = False,
        escape: bool = True,
    ) -> None:
        tables = make_tables(pieces, scores, kinds, single, escape)
        self._keys, self._scores, self._unknown_score = tables.keys, tables.scores, tables.unknown_score
        self._longest = max(map(len, tables.keys), default=0)
        self._joined = joined_bytes(tables.keys, words)
        self._unknown, self._byte_ids, self._fuse = unknown, byte_ids, fuse_unknown and byte_ids is None
        self._single, self._escape = single, escape
        self._surfaces = list(pieces if surfaces is None else surfaces)
        self._rules = TextRules(
            charsmap, tables.kept, prefix=prefix, suffix=suffix, remove_extra=remove_extra, escape=escape
        )

    # Ids

    def encode(self, text: str | bytes, prefix: bool = True) -> list[int]:
        """Give the ids of a text."""
        return [index for index, _, _ in self._best(self._rules.normalize(text, prefix))]

    def encode_array(self, text: str | bytes, threads: int = 1) -> npt.NDArray[np.int32]:
        """Give the ids of a text as an array."""
        return np.array(self.encode(text), dtype=np.int32)

    def encode_batch(
        self, texts: Sequence[str], threads: int = 1
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Give the ids of all texts in one array, and where those of each text begin, and the end."""
        rows = [self.encode(text) for text in texts]
        offsets = np.array([0, *accumulate(map(len, rows))], dtype=np.int64)
        return np.array([index for row in rows for index in row], dtype=np.int32), offsets

    def encode_with_offsets(
        self, text: str | bytes, prefix: bool = True
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Give ids, their spans in characters (a piece of one has the span of the whole) and their spans in bytes."""
        data = as_bytes(text)
        normalized, begins, ends = self._rules.align(data, prefix)
        pieces = list(self._best(normalized))
        spans = [(begins[start], ends[end - 1]) for _, start, end in pieces]
        byte_spans = np.array(spans, dtype=np.int64).reshape(-1, 2)
        ids = np.array([index for index, _, _ in pieces], dtype=np.int32)
        return ids, character_spans(data, byte_spans), byte_spans

    def decode(self, ids: Iterable[int]) -> bytes:
        """Join what the ids stand for."""
        return b"".join([self._surface(index) for index in ids])

    def decode_batch(self, ids: Sequence[int], offsets: Sequence[int]) -> list[bytes]:
        """Undo `encode_batch`."""
        return [self.decode(ids[start:end]) for start, end in pairwise(offsets)]

    def _surface(self, index: int) -> bytes:
        if isinstance(index, bool | np.bool_) or not hasattr(index, "__index__"):
            raise TypeError("UnigramEncoder decodes a flat sequence of integers.")
        if not 0 <= index < len(self._surfaces):
            raise ValueError(f"No symbol has the id {index}; ids go from 0 to {len(self._surfaces) - 1}.")
        return self._surfaces[index]

    # The lattice

    def _edges(self, data: bytes, at: int, last: int) -> Iterator[Edge]:
        """Give what may begin at a place, the shortest first."""
        lead = data[at]
        size = min(1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4, last - at)
        alone = False
        for end in range(at + 1, min(at + self._longest, last) + 1):
            index = self._keys.get(data[at:end])
            if index is not None:
                alone |= end == at + size
                yield Edge(at, end, index, self._scores[index])
        if not alone:
            yield Edge(at, at + size, -1, self._unknown_score)

    def _places(self, data: bytes, start: int, end: int) -> Iterator[int]:
        return (at for at in range(start, end) if data[at] & 0xC0 != 0x80)

    def _words(self, data: bytes) -> list[tuple[int, int]]:
        codes = np.frombuffer(data, dtype=np.uint8)
        cuts = np.flatnonzero(~self._joined[codes[:-1], codes[1:]]) + 1
        return list(pairwise([0, *cuts.tolist(), len(data)])) if data else []

    def _best(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Give id, start and end of the pieces of a normalized text."""
        total = 0.0
        path: list[Edge] = []
        for start, end in self._words(data):
            found, total = self._search(data, start, end, total if self._single else 0.0)
            path += found
        return self._named(data, path)

    def _search(self, data: bytes, start: int, end: int, total: float) -> tuple[list[Edge], float]:
        """Viterbi's algorithm on one word: the best way, and the sum behind it."""
        sums = {start: total}
        last: dict[int, Edge] = {}
        for at in self._places(data, start, end):
            if self._single and sums[at] < LOWEST:
                taken = sums[at]
                sums |= {place: single(score - taken) for place, score in sums.items() if place >= at}
            for edge in self._edges(data, at, end):
                score = single(sums[at] + edge.score) if self._single else sums[at] + edge.score
                if edge.end not in sums or score > sums[edge.end]:
                    sums[edge.end] = score
                    last[edge.end] = edge
        path = []
        at = end
        while at > start:
            path.append(last[at])
            at = last[at].start
        return path[::-1], sums[end]

    def _named(self, data: bytes, path: Iterable[Edge]) -> Iterator[tuple[int, int, int]]:
        """Give unknown characters their ids."""
        fused: tuple[int, int, int] | None = None
        for edge in path:
            if edge.id >= 0:
                if fused:
                    yield fused
                    fused = None
                yield edge.id, edge.start, edge.end
            elif self._byte_ids is not None:
                char = data[edge.start : edge.end]
                for byte in MARKER if char == b" " and self._escape else char:
                    yield self._byte_ids[byte], edge.start, edge.end
            elif self._unknown < 0:
                raise ValueError(no_piece(data, edge.start))
            elif fused and self._fuse:
                fused = (self._unknown, fused[1], edge.end)
            else:
                if fused:
                    yield fused
                fused = (self._unknown, edge.start, edge.end)
        if fused:
            yield fused

    # Other ways than the best

    def normalize(self, text: str | bytes) -> bytes:
        """Give the normalized text."""
        return self._rules.normalize(text)

    def lattice(self, text: str | bytes) -> tuple[bytes, list[Edge]]:
        """Give the normalized text and all pieces in it, by where they begin and then by length."""
        data = self._rules.normalize(text)
        return data, [edge for at in self._places(data, 0, len(data)) for edge in self._edges(data, at, len(data))]

    def named(self, data: bytes, path: Sequence[tuple[int, int, int, float]]) -> list[int]:
        """Give the ids of a way through the lattice of a normalized text."""
        return [index for index, _, _ in self._named(data, [Edge(*edge) for edge in path])]

    def sample(self, text: str | bytes, alpha: float, uniforms: npt.NDArray[np.float64]) -> list[int]:
        """Draw a way: forward sums, then backward from the end, each piece by its share.

        Parameters
        ----------
        text : str or bytes
            Any text.
        alpha : float
            Scores are multiplied by it: 0 takes all ways alike, a large one the best.
        uniforms : float64 array
            Random numbers from 0 to 1, at least as many as there are bytes in the normalized text.
        """
        data, edges = self.lattice(text)
        sums = {0: 0.0}
        into: dict[int, list[Edge]] = {}
        for edge in edges:
            into.setdefault(edge.end, []).append(edge)
        for at in self._places(data, 0, len(data)):
            if at:
                sums[at] = _log_sum(sums[edge.start] + alpha * edge.score for edge in into[at])
        path = []
        end = len(data)
        if data:
            sums[end] = _log_sum(sums[edge.start] + alpha * edge.score for edge in into[end])
        for draw in uniforms.tolist():
            if not end:
                break
            reached = 0.0
            for edge in into[end]:
                reached += math.exp(sums[edge.start] + alpha * edge.score - sums[end])
                if reached > draw:
                    break
            path.append(edge)
            end = edge.start
        return [index for index, _, _ in self._named(data, path[::-1])]

    def log_likelihood(self, text: str | bytes) -> float:
        """Give the logarithm of the sum of the probabilities of all ways through a text."""
        total = 0.0
        data = self._rules.normalize(text)
        for start, end in self._words(data):
            sums = {start: 0.0}
            for at in self._places(data, start, end):
                for edge in self._edges(data, at, end):
                    score = sums[at] + edge.score
                    sums[edge.end] = _log_add(sums[edge.end], score) if edge.end in sums else score
            total += sums[end]
        return total


def _log_add(a: float, b: float) -> float:
    high, low = (a, b) if a > b else (b, a)
    return high + math.log1p(math.exp(low - high))


def _log_sum(values: Iterable[float]) -> float:
    total = None
    for value in values:
        total = value if total is None else _log_add(total, value)
    assert total is not None
    return total


def no_piece(data: bytes, at: int) -> str:
    """Say that a character has no id."""
    size = character_size(data, at) or 1
    char = data[at : at + size].decode("utf-8", "backslashreplace")
    return (
        f"No piece covers {char!r} at byte {at} of the normalized text; "
        "give an unknown token, turn on byte fallback, or train with it."
    )


def best_paths(data: bytes, edges: Sequence[Any], n: int) -> list[tuple[float, list[Any]]]:
    """Give the n best ways through a lattice, the best first.

    Every place keeps its n best ways; they are made from those of the places before (Huang and Chiang 2005). Of equal
    ones the one whose last pieces are longer comes first.

    Parameters
    ----------
    data : bytes
        The normalized text.
    edges : sequence of (start, end, id, score)
        As from `lattice`.
    n : int
        At most so many.

    Returns
    -------
    list of (score, path)
        Paths are lists of edges.
    """
    into: dict[int, list[Any]] = {}
    for edge in edges:
        into.setdefault(edge[1], []).append(edge)
    # Place -> (score, edge, rank of the way to the edge's start).
    ways: dict[int, list[tuple[float, Any, int]]] = {0: [(0.0, None, 0)]}
    for end in sorted(into):
        heap = [(-(ways[edge[0]][0][0] + edge[3]), number, 0) for number, edge in enumerate(into[end])]
        heapify(heap)
        best: list[tuple[float, Any, int]] = []
        while heap and len(best) < n:
            score, number, rank = heappop(heap)
            edge = into[end][number]
            best.append((-score, edge, rank))
            if rank + 1 < len(ways[edge[0]]):
                heappush(heap, (-(ways[edge[0]][rank + 1][0] + edge[3]), number, rank + 1))
        ways[end] = best
    results = []
    for score, edge, rank in ways[len(data)]:
        path = []
        while edge is not None:
            path.append(edge)
            _, edge, rank = ways[edge[0]][rank]
        results.append((score, path[::-1]))
    return results
