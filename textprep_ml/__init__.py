"""Trainable segmentation of text: sentences, words and subword pieces behind the scikit-learn estimator API."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Public name -> module. Imported on first use, so that `import textprep_ml` and the command line start fast.
_LAZY = {
    "BPETokenizer": "subword",
    "StreamDecoder": "subword",
    "UnigramTokenizer": "subword",
    "WordPieceTokenizer": "subword",
    "SentenceSegmenter": "segmentation",
    "RuleSegmenter": "segmentation",
    "NaiveSegmenter": "segmentation",
    "WordTokenizer": "tokenization",
    "RegexTokenizer": "tokenization",
    "TreebankTokenizer": "tokenization",
    "WhitespaceTokenizer": "tokenization",
    "CharacterTokenizer": "tokenization",
    "Detokenizer": "tokenization",
    "WordCounter": "counts",
    "TextNormalizer": "normalization",
    "make_normalizer": "normalization",
    "OffsetMap": "normalization",
    "UnicodeNormalizer": "normalization",
    "CaseNormalizer": "normalization",
    "AccentNormalizer": "normalization",
    "ControlNormalizer": "normalization",
    "PunctuationNormalizer": "normalization",
    "ContractionNormalizer": "normalization",
    "Dehyphenator": "normalization",
    "WhitespaceNormalizer": "normalization",
    "DigitNormalizer": "normalization",
    "RuleNormalizer": "normalization",
    "LeafAnalyzer": "pipelines",
    "TextPipeline": "pipelines",
    "make_text_pipeline": "pipelines",
    "batch_function": "batching",
    "transform_files": "bulk",
    "annotate": "annotation",
    "Annotations": "annotation",
    "load": "persistence",
    "save": "persistence",
    "TextPrepError": "exceptions",
    "CorpusFormatError": "exceptions",
    "ConfigError": "exceptions",
    "ModelFormatError": "exceptions",
    "iter_rows": "corpora",
    "read_corpus": "corpora",
    "write_corpus": "corpora",
    "boundary_f1_score": "metrics",
    "boundary_scores": "metrics",
    "EditDistanceTransformer": "distance",
    "PosTagger": "tagging",
    "edit_distance": "distance",
    "BoundaryErrorDisplay": "report",
    "ThresholdDisplay": "report",
    "BoundaryCalibrationDisplay": "report",
    "pairwise_edit_distances": "distance",
}

__all__ = ["__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
