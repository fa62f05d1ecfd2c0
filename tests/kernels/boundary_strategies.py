"""Texts, lexicons and models for the tests of the boundary scanner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from textprep_ml._kernels.boundary_checks import N_COLUMNS

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"

MARKS = ".!?…。！．.,;:-—–"
BRACKETS = "()（）[]{}「」\"'“”‘’«»„"
OTHERS = "@/\\#•*=_·$€"
BLANKS = " \t\n\r\u00a0\u0085\u2028"
LETTERS = "aAbIVXëÉßΣς१9٣אע天安说とㄅกǅ"
ODD = "😀❤️👍🏽\u200d\ud800\udfff\u00ad\u0301\u200b\x00\x1c\U000e0041\U0010ffff"
WORDS = (
    "Dr.", "No.", "e.g.", "U.S.", "Ph.D", "the", "The", "Smith", "don't", "XIV", "3.5", "2.", "(b)", "http://a.b",
    "a@b.c", ". . .", "www.A.com", "「天。」他说", "（安。字）", "  ", "\n\n", " A", ". B", "\n- ",
)  # fmt: skip

CHARACTERS = st.one_of(
    *(st.sampled_from(chars) for chars in (MARKS, BRACKETS, OTHERS, BLANKS, LETTERS, ODD)),
    st.characters(exclude_categories=()),
)
PIECES = st.one_of(st.sampled_from(WORDS), st.sampled_from(MARKS + BRACKETS + BLANKS), CHARACTERS)
TEXTS = st.lists(PIECES, max_size=40).map("".join)
DOCUMENTS = st.lists(TEXTS, max_size=4)


def sample_documents() -> list[str]:
    """Give the documents of the sample data."""
    texts = []
    for path in sorted(SAMPLE.glob("*.jsonl")):
        texts += [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    return texts


@st.composite
def lexicons(draw: st.DrawFn) -> tuple[Any, ...]:
    """Draw the arguments of a `Lexicon`."""
    words = draw(
        st.lists(
            st.one_of(
                st.sampled_from(["dr", "No", "the", "e.g", "u.s", "smith", "天安", "a", "ß"]), st.text(max_size=3)
            ),
            max_size=12,
        )
    )
    n_classes = draw(st.integers(1, 5))

    def numbers(highest: int) -> list[int]:
        return draw(st.lists(st.integers(0, highest), min_size=len(words), max_size=len(words)))

    classes = list(zip(numbers(n_classes - 1), numbers(n_classes - 1), strict=True))
    groups = draw(st.lists(st.integers(0, 7), min_size=n_classes, max_size=n_classes))
    return words, numbers(20), classes, numbers(5), numbers(5), groups


def linear_model(seed: int, highest: Sequence[int], n_templates: int = 12) -> tuple[np.ndarray, ...]:
    """Make random templates over one to four columns, with one weight per combination of codes."""
    random = np.random.default_rng(seed)
    offsets, columns, strides = [], [], []
    size = 0
    for _ in range(n_templates):
        chosen = random.choice(N_COLUMNS, random.integers(1, 5), replace=False)
        stride = 1
        columns.append([0] * 4)
        strides.append([0] * 4)
        for place, column in enumerate(chosen):
            columns[-1][place], strides[-1][place] = int(column), stride
            stride *= int(highest[column]) + 1
        offsets.append(size)
        size += stride
    return np.array(offsets), np.array(columns), np.array(strides), random.normal(size=size).astype(np.float32)


def tree_model(seed: int, highest: Sequence[int], n_splits: int = 15) -> tuple[np.ndarray, ...]:
    """Make a random tree by splitting random leaves, over random ranks of the codes."""
    random = np.random.default_rng(seed)
    cards = np.asarray(highest) + 1
    ranks = np.concatenate([random.permutation(card) for card in cards])
    column, threshold, left, right = [0], [0], [-1], [-1]
    for _ in range(n_splits):
        leaf = int(random.choice([node for node, child in enumerate(left) if child < 0]))
        column[leaf] = int(random.integers(N_COLUMNS))
        threshold[leaf] = int(random.integers(cards[column[leaf]]))
        left[leaf], right[leaf] = len(left), len(left) + 1
        for values, new in ((column, 0), (threshold, 0), (left, -1), (right, -1)):
            values += [new, new]
    scores = random.normal(size=len(left)).astype(np.float32)
    rank_offsets = np.concatenate([[0], np.cumsum(cards)[:-1]])
    return (*(np.array(values) for values in (column, threshold, left, right)), scores, rank_offsets, ranks)
