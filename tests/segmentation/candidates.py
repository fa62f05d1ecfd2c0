"""Candidates made by hand: rows of codes, written as the names of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from textprep_ml.segmentation.attributes import ATTRIBUTES, COLUMN, cardinalities


def rows_of(*seen: Mapping[str, str], vocabulary: Sequence[str] = ()) -> np.ndarray:
    """Give one row of codes per candidate; attributes that are not named have code 0."""
    rows = np.zeros((len(seen), len(ATTRIBUTES)), dtype=np.uint16)
    for row, values in zip(rows, seen, strict=True):
        for name, value in values.items():
            attribute = ATTRIBUTES[COLUMN[name]]
            codes = attribute.values or ("<other>", *vocabulary)
            row[COLUMN[name]] = codes.index(value)
    return rows


def random_rows(n_candidates: int, n_words: int, seed: int = 0) -> np.ndarray:
    """Give candidates of any codes."""
    sizes = cardinalities(n_words)
    return np.random.default_rng(seed).integers(0, sizes, (n_candidates, len(sizes)), dtype=np.uint16)
