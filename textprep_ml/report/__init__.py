"""Reports: what was measured, as plain data first, then as text, as a page, or as plots for notebooks."""

from textprep_ml.report.curve_displays import BoundaryCalibrationDisplay, ThresholdDisplay
from textprep_ml.report.displays import BoundaryErrorDisplay
from textprep_ml.report.evaluation import (
    evaluate_predictions,
    format_comparison,
    format_errors,
    format_scores,
    without_line_breaks,
)
from textprep_ml.report.html import check_report_path, render_report, write_report
from textprep_ml.report.segmenters import segmenter_report
from textprep_ml.report.tokenizers import tokenizer_report
from textprep_ml.report.vocabularies import vocabulary_report
from textprep_ml.report.vocabulary_display import VocabularySizeDisplay

__all__ = [
    "BoundaryCalibrationDisplay",
    "BoundaryErrorDisplay",
    "ThresholdDisplay",
    "VocabularySizeDisplay",
    "check_report_path",
    "evaluate_predictions",
    "format_comparison",
    "format_errors",
    "format_scores",
    "render_report",
    "segmenter_report",
    "tokenizer_report",
    "vocabulary_report",
    "without_line_breaks",
    "write_report",
]
