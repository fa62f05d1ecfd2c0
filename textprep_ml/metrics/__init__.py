"""Measures of segmentation: boundaries, spans, windows over the text, significance, kinds of error, vocabularies.

Everywhere `y_true` and `y_pred` hold one sequence of half-open spans per document, as `SentenceSegmenter.predict`
gives them. The scores are plain functions of the two, so that ``sklearn.metrics.make_scorer(boundary_f1_score)``
works as it stands.
"""

from textprep_ml.metrics.boundaries import (
    boundary_counts,
    boundary_f1_score,
    boundary_scores,
    candidate_error_rate,
    span_scores,
)
from textprep_ml.metrics.errors import ERROR_KINDS, boundary_errors, error_kind
from textprep_ml.metrics.offsets import drop_white_space, token_spans
from textprep_ml.metrics.significance import (
    bootstrap_intervals,
    compare_counts,
    intervals_of_counts,
    mcnemar,
    paired_bootstrap,
)
from textprep_ml.metrics.tokens import token_counts, token_errors, token_scores
from textprep_ml.metrics.vocabulary import (
    morpheme_scores,
    renyi_efficiency,
    vocabulary_curve,
    vocabulary_scores,
    word_spans,
)
from textprep_ml.metrics.vocabulary_scorer import vocabulary_scorer
from textprep_ml.metrics.windows import pk, window_diff

__all__ = [
    "ERROR_KINDS",
    "bootstrap_intervals",
    "boundary_counts",
    "boundary_errors",
    "boundary_f1_score",
    "boundary_scores",
    "candidate_error_rate",
    "compare_counts",
    "drop_white_space",
    "error_kind",
    "intervals_of_counts",
    "mcnemar",
    "morpheme_scores",
    "paired_bootstrap",
    "pk",
    "renyi_efficiency",
    "span_scores",
    "token_counts",
    "token_errors",
    "token_scores",
    "token_spans",
    "vocabulary_curve",
    "vocabulary_scorer",
    "vocabulary_scores",
    "window_diff",
    "word_spans",
]
