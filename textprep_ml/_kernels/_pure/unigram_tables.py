"""What the search for the best way knows of the pieces of a unigram model: their keys and scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

#: Kinds of pieces, by the numbers that model files have for them.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

MARKER = "\u2581".encode()
_UNKNOWN_PENALTY = 10.0
_BONUS = 0.1

#: The kinds of pieces that texts are cut into.
_FOUND = (NORMAL, USER_DEFINED)

#: A byte that is never in UTF-8.
_BETWEEN = b"\xff"


class Tables(NamedTuple):
    """A model in the form that the search needs."""

    keys: dict[bytes, int]
    scores: list[float]
    unknown_score: float
    kept: list[bytes]


def replace_each(strings: Sequence[bytes], old: bytes, new: bytes) -> list[bytes]:
    """Replace in each string: in all of them at once, unless there is one that is no UTF-8."""
    joined = _BETWEEN.join(strings)
    if joined.count(_BETWEEN) != len(strings) - 1:
        return [string.replace(old, new) for string in strings]
    return joined.replace(old, new).split(_BETWEEN)


def make_tables(
    pieces: Sequence[bytes],
    scores: Sequence[float],
    kinds: Sequence[int],
    is_single: bool,
    escape: bool,
) -> Tables:
    """Prepare a model.

    Pieces that are always taken (`USER_DEFINED`) gain by their length.
    """
    values = np.asarray(scores, dtype=np.float32 if is_single else np.float64)
    normal = values[np.asarray(kinds) == NORMAL]
    worst = float(normal.min()) if len(normal) else 0.0
    unknown_score = float(values.dtype.type(worst - _UNKNOWN_PENALTY))
    table = values.astype(np.float64).tolist()
    kept = []
    if USER_DEFINED in kinds:
        for index, (piece, kind) in enumerate(zip(pieces, kinds, strict=True)):
            if kind == USER_DEFINED:
                table[index] = float(values.dtype.type((len(piece) - 1) * _BONUS))
                kept.append(piece)
    is_key = np.isin(kinds, _FOUND).tolist()
    if escape and b" " in b"".join(pieces):
        is_key = [found and b" " not in piece for found, piece in zip(is_key, pieces, strict=True)]
    names = replace_each(pieces, MARKER, b" ") if escape else pieces
    keys = dict(compress(zip(names, range(len(names)), strict=True), is_key))
    return Tables(keys, table, unknown_score, kept)
