"""Edit distances, alignments and error rates of strings and token sequences."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from textprep_ml.distance.alignment import Alignment, Edit, EditTable
from textprep_ml.distance.edit import (
    align,
    edit_distance,
    edit_similarity,
    edit_table,
    indel_ratio,
    normalized_edit_distance,
)
from textprep_ml.distance.rates import ErrorRates, Utterance, cer, error_rates, mer, wer, wil, wip

if TYPE_CHECKING:  # what `_LATE` says, for type checkers and editors
    from textprep_ml.distance.pairwise import EditDistanceTransformer, pairwise_edit_distances

# Imported on first use: one distance is computed without scikit-learn.
_LATE = ("EditDistanceTransformer", "pairwise_edit_distances")

__all__ = [
    "Alignment",
    "Edit",
    "EditDistanceTransformer",
    "EditTable",
    "ErrorRates",
    "Utterance",
    "align",
    "cer",
    "edit_distance",
    "edit_similarity",
    "edit_table",
    "error_rates",
    "indel_ratio",
    "mer",
    "normalized_edit_distance",
    "pairwise_edit_distances",
    "wer",
    "wil",
    "wip",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(f"{__name__}.pairwise"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
