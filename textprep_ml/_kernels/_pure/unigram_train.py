"""Train a unigram model (Kudo 2018): seed pieces from a suffix array, expectation and maximization, pruning.

A piece is a string of symbols that occurs in the corpus. Seeds are the strings that are not always followed, nor always
preceded, by the same symbol: any other occurs only as a part of a longer one. Then the model is estimated, and the
pieces that its likelihood needs least are let go, in turns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

#: What a piece is counted at least, so that a character that occurs only inside of longer pieces has a probability.
LEAST = 0.5

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def _split_words(text: list[int], offsets: Any, counts: Any) -> Iterator[tuple[int, int, int]]:
    """Find the runs of symbols other than 0: where each begins and ends, and how often its word occurs."""
    for begin, end, count in zip(offsets[:-1], offsets[1:], counts, strict=True):
        while begin < end:
            stop = text.index(0, begin)
            if begin < stop:
                yield begin, stop, count
            begin = stop + 1


def digamma(values: Floats) -> Floats:
    """Give the derivative of the logarithm of the gamma function, for positive values.

    Values are raised above 6 by its recurrence, where the asymptotic series is exact enough (Abramowitz and Stegun
    1964, 6.3.5 and 6.3.18).
    """
    result = np.zeros_like(values)
    values = values.copy()
    while (small := values < 6).any():
        result[small] -= 1 / values[small]
        values[small] += 1
    square = 1 / (values * values)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return result + np.log(values) - 0.5 / values - series


def keep_best(values: npt.NDArray[Any], size: int) -> Ints:
    """Give the numbers of the largest values, in order; of equal ones the first are taken."""
    if size >= len(values):
        return np.arange(len(values), dtype=np.int64)
    return np.sort(np.argsort(-values, kind="stable")[:size]).astype(np.int64)


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


class UnigramLearner:
    """Learns from words in symbols.

    Parameters
    ----------
    text, offsets, counts : arrays
        Words in symbols from 1 on, each with a 0 behind it, where those of each word begin and the end, and how often
        each occurs. A 0 inside of a word is in no piece.
    n_symbols : int
        How many symbols there are; each is a piece that stays. In results they are numbered from 0 on.
    max_length : int
        Symbols in a piece, at most.
    """

    def __init__(self, text: Any, offsets: Any, counts: Any, n_symbols: int, max_length: int) -> None:
        self.n_symbols, self._longest = n_symbols, max_length
        self._text: list[int] = text.tolist()
        self._words = list(_split_words(self._text, offsets.tolist(), counts.tolist()))
        self._weights = [0] * len(self._text)
        for begin, end, weight in self._words:
            self._weights[begin:end] = [weight] * (end - begin)

    def find_seeds(self, seed_size: int) -> None:
        """Choose the pieces to begin with, at most so many: those whose occurrences cover most of the corpus."""
        n_symbols = self.n_symbols
        places = (place for place, symbol in enumerate(self._text) if symbol)
        order = sorted(places, key=self._suffix)
        found = list(self._intervals(order))
        gains = np.array([weight * depth for _, _, depth, weight in found], dtype=np.int64)
        seeds = [found[number] for number in keep_best(gains, seed_size).tolist()]
        symbol_counts = [LEAST] * n_symbols
        for symbol in range(n_symbols):
            places = (weight for place, weight in enumerate(self._weights) if self._text[place] == symbol + 1)
            symbol_counts[symbol] = max(sum(places), LEAST)
        self._starts = [-1] * n_symbols + [order[left] for left, _, _, _ in seeds]
        self._lengths = [1] * n_symbols + [depth for _, _, depth, _ in seeds]
        self._counts = np.array([*symbol_counts, *(weight for _, _, _, weight in seeds)], dtype=np.float64)
        self._scores = np.log(self._counts / self._counts.sum())
        self._edges: list[list[int]] = [[] for _ in self._text]
        for number, (left, right, _, _) in sorted(enumerate(seeds), key=lambda item: item[1][2]):
            for place in order[left:right]:
                self._edges[place].append(n_symbols + number)

    @property
    def n_pieces(self) -> int:
        """The number of pieces, characters included."""
        return len(self._starts)

    # Seeds

    def _suffix(self, place: int) -> list[int]:
        """Give what follows at a place, at most the longest piece, none of it behind the end of the word."""
        symbols = self._text[place : place + self._longest]
        return symbols[: symbols.index(0)] if 0 in symbols else symbols

    def _intervals(self, order: list[int]) -> Iterator[tuple[int, int, int, int]]:
        """Give the stretches of the order that share a prefix: left, right, depth, weight (Abouelhoda et al. 2004)."""
        suffixes = [self._suffix(place) for place in order]
        depths = [0, *(_common(a, b) for a, b in zip(suffixes[:-1], suffixes[1:], strict=True)), 0]
        stack: list[list[Any]] = []
        for number, place in enumerate(order):
            before = self._text[place - 1] if place else 0
            last, depth = depths[number], depths[number + 1]
            whole = number, number + 1, len(suffixes[number]), self._weights[place]
            is_word = not before and self._text[place + whole[2]] == 0
            if is_word and whole[3] > 1 and whole[2] > max(last, depth, 1):
                yield whole
            item: list[Any] = [number, None, self._weights[place], {before or -1 - place}]
            while stack and stack[-1][1] > depth:
                left, length, weight, befores = stack.pop()
                item = [left, length, weight + item[2], befores | item[3]]
                if length > 1 and (len(item[3]) > 1 or min(item[3]) < 0):
                    yield left, number + 1, length, item[2]
            if depth and stack and stack[-1][1] == depth:
                stack[-1][2] += item[2]
                stack[-1][3] |= item[3]
            elif depth:
                stack.append([item[0], depth, item[2], item[3]])

    # Estimation

    def _edges_at(self, place: int) -> list[int]:
        return [self._text[place] - 1, *self._edges[place]]

    def estimate(self, bayes: bool = True, least: int = 0) -> float:
        """Run one round: count the pieces as the model expects them, and set their scores by these counts.

        With `bayes` rare pieces get less than their share, and those expected less than half a time go, as long as
        `least` remain. Gives the logarithm of the likelihood that the corpus had before.
        """
        expected = np.zeros(self.n_pieces)
        total = sum(weight * self._count(begin, end, weight, expected) for begin, end, weight in self._words)
        self._counts = expected
        if bayes:
            kept = (np.arange(self.n_pieces) < self.n_symbols) | (expected >= LEAST)
            if kept.sum() >= least:
                self._keep(kept)
        counts = self._counts = np.maximum(self._counts, LEAST)
        whole = counts.sum(keepdims=True)
        self._scores = digamma(counts) - digamma(whole) if bayes else np.log(counts / whole)
        return float(total)

    def _count(self, begin: int, end: int, weight: int, expected: Floats) -> float:
        """Add the expected counts of one word by forward and backward sums; give the logarithm of its likelihood."""
        scores = self._scores
        forward, backward = np.full(end - begin + 1, -np.inf), np.full(end - begin + 1, -np.inf)
        forward[0] = backward[-1] = 0
        for i in range(end - begin):
            for piece in self._edges_at(begin + i):
                j = i + self._lengths[piece]
                forward[j] = np.logaddexp(forward[j], forward[i] + scores[piece])
        for i in range(end - begin - 1, -1, -1):
            for piece in self._edges_at(begin + i):
                behind = scores[piece] + backward[i + self._lengths[piece]]
                expected[piece] += weight * math.exp(forward[i] + behind - forward[-1])
                backward[i] = np.logaddexp(backward[i], behind)
        return float(forward[-1])

    def _keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Let go of all other pieces."""
        numbers = np.where(kept, np.cumsum(kept) - 1, -1).tolist()
        self._starts = [start for start, stays in zip(self._starts, kept, strict=True) if stays]
        self._lengths = [length for length, stays in zip(self._lengths, kept, strict=True) if stays]
        self._counts, self._scores = self._counts[kept], self._scores[kept]
        self._edges = [[numbers[piece] for piece in edges if numbers[piece] >= 0] for edges in self._edges]

    # Pruning

    def prune(self, goal: int) -> None:
        """Let go of the pieces that the likelihood loses least by, until `goal` remain; characters stay."""
        losses = np.array([math.inf if piece < self.n_symbols else self._loss(piece) for piece in range(self.n_pieces)])
        kept = np.zeros(self.n_pieces, dtype=bool)
        kept[keep_best(losses, max(goal, self.n_symbols))] = True
        self._keep(kept)

    def _loss(self, piece: int) -> float:
        """Tell what the logarithm of the likelihood loses when a piece is cut the second best way.

        Its occurrences go over to the parts, whose counts grow by as much.
        """
        counts, total, count = self._counts, self._counts.sum(), self._counts[piece]
        parts = self._second_best(piece)
        more = math.log(total + count * (len(parts) - 1))
        alternative = sum(math.log(counts[part] + count) - more for part in parts)
        return count * (math.log(count) - math.log(total) - alternative)

    def _second_best(self, piece: int) -> list[int]:
        start, length = self._starts[piece], self._lengths[piece]
        best = [0.0] + [-math.inf] * length
        last = [-1] * (length + 1)
        for i in range(length):
            for part in self._edges_at(start + i):
                end = i + self._lengths[part]
                if part != piece and end <= length and best[i] + self._scores[part] > best[end]:
                    best[end], last[end] = best[i] + self._scores[part], part
        parts = []
        while length:
            parts.append(last[length])
            length -= self._lengths[last[length]]
        return parts

    # Results

    def result(self) -> tuple[npt.NDArray[np.int32], Ints, Floats]:
        """Give the symbols of all pieces one after another, where those of each begin and the end, and the scores."""
        symbols = list(range(self.n_symbols))
        for start, length in zip(self._starts[self.n_symbols :], self._lengths[self.n_symbols :], strict=True):
            symbols += [symbol - 1 for symbol in self._text[start : start + length]]
        offsets = np.array([0, *np.cumsum(self._lengths).tolist()], dtype=np.int64)
        return np.array(symbols, dtype=np.int32), offsets, self._scores


def give_back_memory() -> None:
    """Give the system what was freed; the interpreter does so by itself as far as it can."""
