"""A text in pieces has the boundaries of the whole text, wherever it is cut, and from both kernels piece by piece."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.boundary_strategies import TEXTS, sample_documents
from tests.kernels.test_boundaries import FAST, KIND_SETS, MODES, each_kernel, make
from textprep_ml._kernels._pure import boundaries as pure
from textprep_ml._unicode_table import kind_of
from textprep_ml.segmentation.attributes import COLUMN

Boundaries = tuple[list[int], list[int]]


def cut(text: str, size: int, seed: int) -> list[str]:
    """Cut a text at random where white space begins or ends."""
    chance = random.Random(seed)
    pieces, start = [], 0
    while start < len(text):
        end = min(start + chance.randint(1, 2 * size), len(text))
        while end < len(text) and kind_of(text[end]) not in pure.BLANK and kind_of(text[end - 1]) not in pure.BLANK:
            end += 1
        pieces.append(text[start:end])
        start = end
    return pieces or [""]


def decide(stream: Any, pieces: list[str]) -> list[Boundaries]:
    """Give what is found after each piece."""
    return [take(stream, piece, number == len(pieces)) for number, piece in enumerate(pieces, start=1)]


def take(stream: Any, piece: str, is_last: bool) -> Boundaries:
    """Give all that is found with a piece."""
    found = list(stream.decide(piece, is_last))
    assert all(values.dtype == np.int64 for both in found for values in both)
    return join((ends.tolist(), starts.tolist()) for ends, starts in found)


def join(found: Iterable[Boundaries]) -> Boundaries:
    ends, starts = zip(*found, strict=True)
    return list(chain.from_iterable(ends)), list(chain.from_iterable(starts))


def in_pieces(scanner: Any, first: list[str], second: list[str]) -> Boundaries:
    """Find the boundaries of a text that is cut in one way to collect, and in another to decide."""
    stream = scanner.stream()
    for piece in first:
        stream.collect(piece)
    return join(decide(stream, second))


def whole(scanner: Any, text: str) -> Boundaries:
    _, ends, starts = scanner.boundaries([text])
    return ends.tolist(), starts.tolist()


@each_kernel
@given(TEXTS, st.sampled_from(MODES), KIND_SETS, st.integers(0, 10**6), st.booleans(), st.integers(1, 30))
@settings(max_examples=150)
def test_pieces_have_the_boundaries_of_the_whole(
    kernel: ModuleType, text: str, newline: str, kinds: set[str], seed: int, tree: bool, size: int
) -> None:
    scanner = make(kernel, seed=seed, tree=tree, newline=newline, kinds=kinds)
    assert in_pieces(scanner, cut(text, size, seed), cut(text, size, seed + 1)) == whole(scanner, text)


@given(TEXTS, TEXTS, st.sampled_from(MODES), st.integers(0, 10**6), st.booleans(), st.integers(1, 30))
@settings(max_examples=150)
def test_kernels_give_piece_by_piece_alike(
    text: str, more: str, newline: str, seed: int, tree: bool, size: int
) -> None:
    pieces = cut(text + more, size, seed)
    found: list[list[Boundaries]] = []
    for kernel in (pure, FAST):
        stream = make(kernel, seed=seed, tree=tree, newline=newline).stream()
        found.append([])
        for number, piece in enumerate(pieces, start=1):
            stream.collect(piece)
            found[-1].append(take(stream, piece, number == len(pieces)))
    assert found[0] == found[1]


#: What a block could lose at its end: open quotes and brackets, stops in brackets, runs, blanks, lines.
HOSTILE = [
    "a.a.a." * 3000, "(((( ", "“", "「", "是。" * 300 + "\n", "(是。", " " * 9000, "\n" * 700, "。 ", "x" * 9000 + " ",
    "A.B! Cc?Dd " * 500, "\t \r\n", "www.x.y ", "🙂 ", "Łódź? ", "\u2028", "a b c d e f g h " * 900, "1. ", "- ",
]  # fmt: skip


def long_text(seed: int) -> str:
    """Join sample documents, over which blocks of tokens end, and hostile text."""
    chance = random.Random(seed)
    documents = sample_documents()
    parts = []
    for _ in range(60):
        parts += [chance.choice(HOSTILE), chance.choice(documents)[: chance.randrange(4000)]]
        parts.append(chance.choice([" ", "\n", "\n\n", ""]))
    return "\n\n".join(documents) * (FAST is not pure) + "".join(parts)


@pytest.mark.parametrize("change", [str, str.lower, str.upper])
@pytest.mark.parametrize("newline", MODES)
def test_blocks_of_a_long_text_leave_no_trace(newline: str, change: type[str]) -> None:
    text = change(long_text(MODES.index(newline)))
    scanner = make(FAST, seed=5, newline=newline)
    expected = whole(scanner, text)
    assert len(expected[0]) > 100
    for size in (40, 3000, 70_000, len(text)):
        assert in_pieces(scanner, cut(text, size, 1), cut(text, size, 2)) == expected


def test_what_was_not_read_yet_is_not_known() -> None:
    before, after = "It is said that we met Zorgle. " * 2, "a zorgle and a zorgle ran. " * 9
    scanner = make(pure, seed=3)
    stream = scanner.stream()
    for piece in (before, after):
        stream.collect(piece)
    late = stream.evidence.counts[pure.hash_word("zorgle")]
    assert (late.lower, late.upper_inside) == (18, 2)


@each_kernel
def test_pieces_that_tear_a_word_are_refused(kernel: ModuleType) -> None:
    for method in ("collect", "decide"):
        stream = make(kernel, seed=1).stream()
        list(getattr(stream, method)("A wo") or [])
        with pytest.raises(ValueError, match="begin or the one before it must end with white space"):
            getattr(stream, method)("rd. ")


@each_kernel
def test_a_stream_needs_a_model(kernel: ModuleType) -> None:
    stream = make(kernel).stream()
    stream.collect("A b. ")
    with pytest.raises(ValueError, match="has no model"):
        stream.decide("A b. ", True)


@each_kernel
def test_a_text_that_changed_meanwhile_is_still_cut(kernel: ModuleType) -> None:
    scanner = make(kernel, seed=1)
    found = in_pieces(scanner, ["Nothing of it. "], ["We met Dr. Ito. And Ms.\n\nShe left. Why? Nobody asked Zorgle."])
    assert 23 in found[0]


@pytest.mark.skipif(FAST is pure, reason="the twin counts all words, and would take minutes")
def test_words_after_the_first_two_million_stay_unknown() -> None:
    """Memory is bounded, in a whole text as in pieces."""
    column = COLUMN["right.evidence"]

    def evidence(n_words: int) -> int:
        text = " ".join(map("w{:x}q".format, range(n_words))) + " zebra zebra. We saw Zebra now."
        scanner = make(FAST, seed=1)
        assert in_pieces(scanner, cut(text, 300_000, 1), cut(text, 300_000, 2)) == whole(scanner, text)
        _, _, starts, _, rows = scanner.describe([text])
        (row,) = np.flatnonzero(starts == len(text) - len("Zebra now."))
        return int(rows[row, column])

    assert evidence(1 << 10) == 2
    assert evidence((1 << 21) + (1 << 14)) == 0
