"""The kernel that trains unigram models, against its twin and against counting by hand."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from textprep_ml._kernels import load
from textprep_ml._kernels._pure import unigram_train as pure

WORDS = st.lists(st.tuples(st.lists(st.integers(-1, 3), max_size=12), st.integers(1, 5)), min_size=1, max_size=20)


def make(module: Any, words: list[tuple[list[int], int]], longest: int, seeds: int) -> Any:
    learner = module.UnigramLearner(*arrays(words), 4, longest)
    learner.find_seeds(seeds)
    return learner


def arrays(words: list[tuple[list[int], int]]) -> tuple[Any, ...]:
    text = np.array([symbol + 1 for word, _ in words for symbol in [*word, -1]], dtype=np.int32)
    offsets = np.array([0, *np.cumsum([len(word) + 1 for word, _ in words])], dtype=np.int64)
    return text, offsets, np.array([count for _, count in words], dtype=np.int64)


def pieces(learner: Any) -> dict[tuple[int, ...], float]:
    symbols, offsets, scores = learner.result()
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return {tuple(symbols[a:b].tolist()): score for (a, b), score in zip(bounds, scores.tolist(), strict=True)}


def same(a: Any, b: Any) -> bool:
    ours, theirs = pieces(a), pieces(b)
    return list(ours) == list(theirs) and np.allclose(list(ours.values()), list(theirs.values()), rtol=1e-8)


@given(words=WORDS, longest=st.sampled_from([2, 3, 5, 16]), seeds=st.sampled_from([3, 10, 1000]))
@settings(max_examples=150)
def test_kernel_and_twin_agree(words: list[tuple[list[int], int]], longest: int, seeds: int) -> None:
    both = [make(module, words, longest, seeds) for module in (load("unigram_train"), pure)]
    assert same(*both)
    for _ in range(2):
        likelihoods = [learner.estimate(True, 6) for learner in both]
        assert math.isclose(*likelihoods, rel_tol=1e-9, abs_tol=1e-9)
        assert same(*both)
        for learner in both:
            learner.prune(max(4, int(0.7 * learner.n_pieces)))
        assert same(*both)
    for learner in both:
        learner.estimate(False)
        assert math.isclose(sum(map(math.exp, pieces(learner).values())), 1, rel_tol=1e-9)
    assert same(*both)


@given(words=WORDS, longest=st.sampled_from([2, 4, 16]))
@settings(max_examples=100)
def test_seeds_are_the_strings_that_stand_by_themselves(words: list[tuple[list[int], int]], longest: int) -> None:
    """Every string that occurs twice is a seed, unless it always has the same neighbour."""
    counts: Counter[tuple[int, ...]] = Counter()
    neighbours: dict[tuple[int, ...], tuple[set[Any], set[Any]]] = {}
    for number, (word, count) in enumerate(words):
        for a in range(len(word)):
            for b in range(a + 1, min(a + longest, len(word)) + 1):
                string = tuple(word[a:b])
                if -1 in string:
                    break
                counts[string] += count
                left = word[a - 1] if a and word[a - 1] >= 0 else ("begin", number, a)
                right = word[b] if b < len(word) and word[b] >= 0 else ("end", number, b)
                known = neighbours.setdefault(string, (set(), set()))
                known[0].add(left)
                known[1].add(right)

    def stands(string: tuple[int, ...], longest_counts: bool) -> bool:
        left, right = neighbours[string]
        open_left = len(left) > 1 or not isinstance(next(iter(left)), int)
        open_right = len(right) > 1 or not isinstance(next(iter(right)), int) or longest_counts
        return open_left and open_right

    found = set(pieces(make(load("unigram_train"), words, longest, 10**6)))
    single = {string for string in found if len(string) == 1}
    assert single == {(symbol,) for symbol in range(4)}
    places: Counter[tuple[int, ...]] = Counter()
    for word, _ in words:
        for a in range(len(word)):
            for b in range(a + 2, min(a + longest, len(word)) + 1):
                places[tuple(word[a:b])] += 1
    expected = set()
    for string, n_places in places.items():
        if -1 in string:
            continue
        if n_places > 1 and stands(string, len(string) == longest):
            expected.add(string)
        left, right = neighbours[string]
        is_word = all(isinstance(side, tuple) for side in (*left, *right))
        if n_places == 1 and counts[string] > 1 and is_word:
            expected.add(string)
    assert found - single == expected


def test_estimation_never_lowers_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    words = [(rng.integers(0, 4, rng.integers(1, 15)).tolist(), int(rng.integers(1, 9))) for _ in range(60)]
    learner = make(load("unigram_train"), words, 6, 10**6)
    likelihoods = [learner.estimate(False) for _ in range(8)]
    assert all(b >= a - 1e-6 * abs(a) for a, b in zip(likelihoods[:-1], likelihoods[1:], strict=True))


def test_long_words_go_over_to_logarithms() -> None:
    rng = np.random.default_rng(1)
    words = [(rng.integers(0, 2, 3000).tolist(), 1), ([2, 3] * 4, 10_000), ([3] * 1500, 1)]
    both = [make(module, words, 3, 50) for module in (load("unigram_train"), pure)]
    for _ in range(2):
        assert math.isclose(*[learner.estimate(True, 4) for learner in both], rel_tol=1e-9)
    assert same(*both)
    assert np.isfinite(both[0].result()[2]).all()
