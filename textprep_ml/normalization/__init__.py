"""Normalization of text with a map back to the raw text."""

from __future__ import annotations

from textprep_ml.normalization.normalizer import TextNormalizer, make_normalizer
from textprep_ml.normalization.offsets import OffsetMap
from textprep_ml.normalization.steps import (
    AccentNormalizer,
    CaseNormalizer,
    ContractionNormalizer,
    ControlNormalizer,
    Dehyphenator,
    DigitNormalizer,
    PunctuationNormalizer,
    RuleNormalizer,
    UnicodeNormalizer,
    WhitespaceNormalizer,
)
from textprep_ml.normalization.tables import punctuation_table

__all__ = [
    "AccentNormalizer",
    "CaseNormalizer",
    "ContractionNormalizer",
    "ControlNormalizer",
    "Dehyphenator",
    "DigitNormalizer",
    "OffsetMap",
    "PunctuationNormalizer",
    "RuleNormalizer",
    "TextNormalizer",
    "UnicodeNormalizer",
    "WhitespaceNormalizer",
    "make_normalizer",
    "punctuation_table",
]
