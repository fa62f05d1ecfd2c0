"""Learn WordPiece merges by recounting everything each round (Schuster and Nakajima 2012; Sennrich et al. 2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from textprep_ml._kernels._pure.bpe_train import Pair, count_pairs, merge_word

#: What the best pair is: the one with the greatest count(ab) / (count(a) * count(b)), or with the greatest count(ab).
SCORES = ("likelihood", "frequency")


class PieceLearner:
    """The pieces of a corpus of weighted words, learned a few at a time; takes what the compiled twin takes."""

    def __init__(
        self,
        ids: np.ndarray,
        offsets: np.ndarray,
        counts: np.ndarray,
        lengths: np.ndarray,
        strings: Sequence[bytes],
        score: str,
        min_frequency: int,
        max_length: int,
        expected: int,
        prefix: bytes = b"",
        n_first: int = 0,
        taken: Sequence[bytes] = (),
    ) -> None:
        symbols = ids.tolist()
        bounds = offsets.tolist()
        self._words = [symbols[start:end] for start, end in zip(bounds, bounds[1:], strict=False)]
        self._counts = counts.tolist()
        self._lengths = lengths.tolist()
        self._strings = list(strings)
        self._rule = SCORES.index(score)
        self._min_frequency = max(1, min_frequency)
        self._max_length = max_length if max_length > 0 else 1 << 60
        self._prefix = prefix
        self._inside = [index >= n_first for index in range(len(strings))]
        self._taken = set(taken)

    def _join(self, pair: Pair) -> bytes:
        return self._strings[pair[0]] + self._strings[pair[1]][len(self._prefix) :]

    def _may_be_made(self, pair: Pair) -> bool:
        """Refuse what is too long, is a special token, or would be spelled as if it stood inside a word."""
        made = self._join(pair)
        is_misleading = self._prefix and made.startswith(self._prefix) and not self._inside[pair[0]]
        length = self._lengths[pair[0]] + self._lengths[pair[1]]
        return length <= self._max_length and made not in self._taken and not is_misleading

    def _best(self, pairs: dict[Pair, int]) -> Pair | None:
        """Choose the pair of the best score, of equal ones the more frequent, then the smaller pair of strings."""
        singles: Counter[int] = Counter()
        for word, count in zip(self._words, self._counts, strict=True):
            for symbol in word:
                singles[symbol] += count

        def key(pair: Pair) -> tuple[Fraction, int, bytes, bytes]:
            count = pairs[pair]
            score = Fraction(count, singles[pair[0]] * singles[pair[1]]) if self._rule == 0 else Fraction(count)
            return -score, -count, self._strings[pair[0]], self._strings[pair[1]]

        allowed = [pair for pair, count in pairs.items() if count >= self._min_frequency and self._may_be_made(pair)]
        return min(allowed, key=key, default=None)

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
            self._strings.append(self._join(best))
            self._inside.append(self._inside[best[0]])
            self._words = [merge_word(word, best, made) for word in self._words]
            merges.append(best)
            merge_counts.append(pairs[best])
        return np.array(merges, dtype=np.int32).reshape(-1, 2), np.array(merge_counts, dtype=np.int64)


def give_back_memory() -> None:
    """Give the system what was freed; the interpreter does so by itself as far as it can."""
