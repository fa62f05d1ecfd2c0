"""Edit distances, alignments and error rates of strings and token sequences."""

from textprep_ml.distance.alignment import Alignment, Edit, EditTable
from textprep_ml.distance.edit import (
    align,
    edit_distance,
    edit_similarity,
    edit_table,
    indel_ratio,
    normalized_edit_distance,
)
from textprep_ml.distance.pairwise import EditDistanceTransformer, pairwise_edit_distances
from textprep_ml.distance.rates import ErrorRates, Utterance, cer, error_rates, mer, wer, wil, wip

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
