"""Trainable segmentation of text: sentences, words and subword pieces behind the scikit-learn estimator API."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what `_LAZY` says, for type checkers and editors
    from textprep_ml.annotation import Annotations, annotate
    from textprep_ml.batching import batch_function
    from textprep_ml.bulk import transform_files
    from textprep_ml.corpora import iter_rows, read_corpus, write_corpus
    from textprep_ml.counts import WordCounter
    from textprep_ml.distance import EditDistanceTransformer, edit_distance, pairwise_edit_distances
    from textprep_ml.exceptions import ConfigError, CorpusFormatError, ModelFormatError, TextPrepError
    from textprep_ml.metrics import boundary_f1_score, boundary_scores
    from textprep_ml.normalization import (
        AccentNormalizer,
        CaseNormalizer,
        ContractionNormalizer,
        ControlNormalizer,
        Dehyphenator,
        DigitNormalizer,
        OffsetMap,
        PunctuationNormalizer,
        RuleNormalizer,
        TextNormalizer,
        UnicodeNormalizer,
        WhitespaceNormalizer,
        make_normalizer,
    )
    from textprep_ml.persistence import load, save
    from textprep_ml.pipelines import LeafAnalyzer, TextPipeline, make_text_pipeline
    from textprep_ml.report import BoundaryCalibrationDisplay, BoundaryErrorDisplay, ThresholdDisplay
    from textprep_ml.segmentation import NaiveSegmenter, RuleSegmenter, SentenceSegmenter
    from textprep_ml.subword import BPETokenizer, StreamDecoder, UnigramTokenizer, WordPieceTokenizer
    from textprep_ml.tagging import PosTagger
    from textprep_ml.tokenization import (
        CharacterTokenizer,
        Detokenizer,
        RegexTokenizer,
        TreebankTokenizer,
        WhitespaceTokenizer,
        WordTokenizer,
    )

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

__all__ = [
    "AccentNormalizer",
    "Annotations",
    "BPETokenizer",
    "BoundaryCalibrationDisplay",
    "BoundaryErrorDisplay",
    "CaseNormalizer",
    "CharacterTokenizer",
    "ConfigError",
    "ContractionNormalizer",
    "ControlNormalizer",
    "CorpusFormatError",
    "Dehyphenator",
    "Detokenizer",
    "DigitNormalizer",
    "EditDistanceTransformer",
    "LeafAnalyzer",
    "ModelFormatError",
    "NaiveSegmenter",
    "OffsetMap",
    "PosTagger",
    "PunctuationNormalizer",
    "RegexTokenizer",
    "RuleNormalizer",
    "RuleSegmenter",
    "SentenceSegmenter",
    "StreamDecoder",
    "TextNormalizer",
    "TextPipeline",
    "TextPrepError",
    "ThresholdDisplay",
    "TreebankTokenizer",
    "UnicodeNormalizer",
    "UnigramTokenizer",
    "WhitespaceNormalizer",
    "WhitespaceTokenizer",
    "WordCounter",
    "WordPieceTokenizer",
    "WordTokenizer",
    "__version__",
    "annotate",
    "batch_function",
    "boundary_f1_score",
    "boundary_scores",
    "edit_distance",
    "iter_rows",
    "load",
    "make_normalizer",
    "make_text_pipeline",
    "pairwise_edit_distances",
    "read_corpus",
    "save",
    "transform_files",
    "write_corpus",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
