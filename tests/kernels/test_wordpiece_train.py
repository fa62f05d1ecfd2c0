"""The WordPiece trainer and its twin, which recounts everything each round, give the same pieces."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import Task, assert_growth
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import wordpiece_train as naive

MODULES = [pytest.param(naive, id="pure")]
if _exists("wordpiece_train"):
    from textprep_ml._kernels import _wordpiece_train

    MODULES.append(pytest.param(_wordpiece_train, id="compiled"))

LETTERS = "abcdefg#"
WORDS = st.dictionaries(
    st.text(st.sampled_from(LETTERS[:3] + "#"), min_size=1, max_size=12),
    st.sampled_from([1, 1, 2, 3, 100, 2**33 + 5]),
    min_size=1,
    max_size=12,
)
#: With more pairs than the heap holds at first.
MANY_WORDS = st.lists(st.text(st.sampled_from(LETTERS), min_size=1, max_size=14), min_size=10, max_size=30).map(
    lambda words: dict.fromkeys(words, 1)
)


def strings(prefix: bytes) -> list[bytes]:
    """Give the symbols to begin with: one that is none, letters, and letters inside a word."""
    letters = [letter.encode() for letter in LETTERS]
    return [b"", *letters, *(prefix + letter for letter in letters if prefix)]


def learner(module: ModuleType, words: dict[str, int], score: str, gaps: str = "", **options: Any) -> Any:
    """Make a trainer; letters are the symbols, those in `gaps` none."""
    options = {"min_frequency": 1, "max_length": 0, "expected": 10, "prefix": b"##", "taken": []} | options
    names, inside = strings(options["prefix"]), len(LETTERS) * bool(options["prefix"])

    def symbol(at: int, letter: str) -> int:
        return -1 if letter in gaps else 1 + LETTERS.index(letter) + (inside if at else 0)

    rows = [[symbol(at, letter) for at, letter in enumerate(word)] for word in words]
    return module.PieceLearner(
        np.array([number for row in rows for number in row], dtype=np.int32),
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array(list(words.values()), dtype=np.int64),
        np.ones(len(names), dtype=np.int32),
        names,
        score,
        *(options[name] for name in ("min_frequency", "max_length", "expected", "prefix")),
        1 + len(LETTERS),
        options["taken"],
    )


def made(module: ModuleType, words: dict[str, int], score: str, n: int, **options: Any) -> list[str]:
    """Name the pieces that are learned."""
    names = strings(b"##")
    first = len(names)
    for left, right in learner(module, words, score, **options).run(n)[0].tolist():
        names.append(names[left] + names[right][2:])
    return [name.decode() for name in names[first:]]


@pytest.mark.parametrize("module", MODULES[1:])
@given(
    words=st.one_of(WORDS, MANY_WORDS),
    score=st.sampled_from(naive.SCORES),
    gaps=st.sampled_from(["", "", "b"]),
    min_frequency=st.integers(1, 3),
    max_length=st.sampled_from([0, 3, 5]),
    expected=st.sampled_from([1, 1000]),
    prefix=st.sampled_from([b"##", b"##", b"#", b""]),
    taken=st.sampled_from([[], [b"ab", b"##ab"]]),
)
@settings(max_examples=250)
def test_pieces_are_those_of_the_naive_trainer(
    module: ModuleType, words: dict[str, int], score: str, gaps: str, **options: Any
) -> None:
    ours, textbook = learner(module, words, score, gaps, **options), learner(naive, words, score, gaps, **options)
    for n in (1, 3, 40):  # going on is the same as going through
        assert [part.tolist() for part in ours.run(n)] == [part.tolist() for part in textbook.run(n)]


@pytest.mark.parametrize("module", MODULES)
def test_likelihood_joins_what_hardly_occurs_apart(module: ModuleType) -> None:
    words = {"dag": 10, "bag": 5, "baf": 12, "caf": 4, "dage": 5}
    # count(ge) / (count(g) * count(e)) = 5 / (20 * 5); the more frequent pairs have at most 1 / 36.
    assert made(module, words, "likelihood", 3) == ["##ge", "ba", "da"]
    assert made(module, words, "frequency", 3) == ["##ag", "##af", "dag"]


@pytest.mark.parametrize("module", MODULES)
def test_scores_are_compared_exactly(module: ModuleType) -> None:
    n = 2**31 - 10
    assert float(n * n) == float((n - 1) * (n + 1))
    # a and b occur n times, c and d one time less and one time more: 7 / (n * n) < 7 / (n * n - 1).
    words = {"ab": 7, "a": n - 7, "#b": n - 7, "cd": 7, "c": n - 1 - 7, "#d": n + 1 - 7}
    assert made(module, words, "likelihood", 2, gaps="#") == ["cd", "ab"]


@pytest.mark.parametrize("module", MODULES)
def test_ties_go_to_the_more_frequent_then_the_smaller_pair(module: ModuleType) -> None:
    for score in naive.SCORES:
        assert made(module, {"cd": 3, "ab": 3}, score, 2) == ["ab", "cd"]
        assert made(module, {"acb": 1}, score, 1) == ["##cb"]
    # One half each: 1 / (2 * 1) and 2 / (2 * 2).
    assert made(module, {"ab": 1, "a": 1, "cd": 2}, "likelihood", 2) == ["cd", "ab"]


@pytest.mark.parametrize("module", MODULES)
def test_overlapping_pairs_merge_from_the_left(module: ModuleType) -> None:
    merges, counts = learner(module, {"baaaaaaa": 1}, "frequency").run(2)
    # aaaaaaa has six overlapping pairs; AAAa that comes of it has AA twice.
    assert merges.tolist() == [[9, 9], [17, 17]]
    assert counts.tolist() == [6, 2]


@pytest.mark.parametrize("module", MODULES)
def test_no_piece_is_spelled_like_a_special_token_or_a_piece_inside_a_word(module: ModuleType) -> None:
    assert made(module, {"##a": 5, "ba": 1}, "frequency", 9) == ["###a", "ba"]
    assert made(module, {"ab": 5, "abc": 2}, "frequency", 9, taken=[b"ab"]) == ["##bc", "abc"]


@pytest.mark.parametrize("module", MODULES[1:])
@pytest.mark.parametrize("score", naive.SCORES)
def test_time_grows_with_the_words(module: ModuleType, score: str) -> None:
    generator = np.random.default_rng(3)

    def learning(n: int) -> Task:
        words = {"".join(generator.choice(list(LETTERS), 9)): 1 for _ in range(n)}
        return lambda: learner(module, words, score).run(n // 10)

    # Its tables leave the cache. Quadratic time would be a hundred.
    assert_growth(learning, 4_000, at_most=35)
