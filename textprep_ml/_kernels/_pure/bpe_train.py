"""Learn byte-pair merges by recounting everything each round (Sennrich, Haddow and Birch 2016, algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: How equal counts are decided: the pair met first in the corpus as it is now, the smaller pair of strings, the smaller
#: pair of ids.
TIE_RULES = ("first", "lexicographic", "id")

Pair = tuple[int, int]


def count_pairs(words: Sequence[list[int]], counts: Sequence[int]) -> dict[Pair, int]:
    """Count adjacent symbols in all words, in the order in which they are met; negative symbols are gaps."""
    pairs: dict[Pair, int] = {}
    for word, count in zip(words, counts, strict=True):
        for pair in zip(word, word[1:], strict=False):
            if min(pair) >= 0:
                pairs[pair] = pairs.get(pair, 0) + count
    return pairs


def merge_word(word: list[int], pair: Pair, made: int) -> list[int]:
    """Replace `pair` by `made` from left to right."""
    merged: list[int] = []
    at = 0
    while at < len(word):
        if tuple(word[at : at + 2]) == pair:
            merged.append(made)
            at += 2
        else:
            merged.append(word[at])
            at += 1
    return merged


class MergeLearner:
    """The merges of a corpus of weighted words, learned a few at a time; takes what the compiled twin takes."""

    def __init__(
        self,
        ids: np.ndarray,
        offsets: np.ndarray,
        counts: np.ndarray,
        lengths: np.ndarray,
        strings: Sequence[bytes],
        tie_break: str,
        min_frequency: int,
        max_length: int,
        expected: int,
        prefix_length: int = 0,
    ) -> None:
        symbols = ids.tolist()
        bounds = offsets.tolist()
        self._words = [symbols[start:end] for start, end in zip(bounds, bounds[1:], strict=False)]
        self._counts = counts.tolist()
        self._lengths = lengths.tolist()
        self._strings = list(strings) if tie_break == "lexicographic" else [b""] * len(self._lengths)
        self._rule = tie_break
        self._min_frequency = max(1, min_frequency)
        self._max_length = max_length if max_length > 0 else 1 << 60
        self._prefix_length = prefix_length

    def _best(self, pairs: dict[Pair, int]) -> Pair | None:
        """Choose the most frequent pair that may be merged.

        The dict is in the order of the corpus, and `max` keeps the first of equals.
        """
        allowed = [
            pair
            for pair, count in pairs.items()
            if count >= self._min_frequency and self._lengths[pair[0]] + self._lengths[pair[1]] <= self._max_length
        ]
        if not allowed:
            return None
        if self._rule == "first":
            return max(allowed, key=pairs.__getitem__)
        if self._rule == "id":
            return min(allowed, key=lambda pair: (-pairs[pair], pair))
        return min(allowed, key=lambda pair: (-pairs[pair], self._strings[pair[0]], self._strings[pair[1]], pair))

    def run(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Learn up to `n` more merges; give their ids and counts."""
        merges: list[Pair] = []
        merge_counts: list[int] = []
        while len(merges) < n:
            pairs = count_pairs(self._words, self._counts)
            best = self._best(pairs)
            if best is None:
                break
            made = len(self._lengths)
            self._lengths.append(self._lengths[best[0]] + self._lengths[best[1]])
            self._strings.append(self._strings[best[0]] + self._strings[best[1]][self._prefix_length :])
            self._words = [merge_word(word, best, made) for word in self._words]
            merges.append(best)
            merge_counts.append(pairs[best])
        return np.array(merges, dtype=np.int32).reshape(-1, 2), np.array(merge_counts, dtype=np.int64)
