"""Reports: what was measured, as plain data first, then as text."""

from textprep_ml.report.evaluation import (
    evaluate_predictions,
    format_comparison,
    format_errors,
    format_scores,
    without_line_breaks,
)

__all__ = [
    "evaluate_predictions",
    "format_comparison",
    "format_errors",
    "format_scores",
    "without_line_breaks",
]
