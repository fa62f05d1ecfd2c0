"""Sentence segmentation: candidates, what is seen at them, and a classifier that decides.

`candidates` says where a boundary may be (the compiled scanner), `features` what is seen there, a scikit-learn
classifier whether it is one, and `runtime` runs what was learned without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what `_LAZY` says, for type checkers and editors
    from textprep_ml.segmentation.abbreviation_learning import learn_abbreviations
    from textprep_ml.segmentation.rules import NaiveSegmenter, RuleSegmenter
    from textprep_ml.segmentation.runtime import BoundaryModel
    from textprep_ml.segmentation.segmenter import SentenceSegmenter

_LAZY = {
    "SentenceSegmenter": "segmenter",
    "RuleSegmenter": "rules",
    "NaiveSegmenter": "rules",
    "BoundaryModel": "runtime",
    "learn_abbreviations": "abbreviation_learning",
}

__all__ = [
    "BoundaryModel",
    "NaiveSegmenter",
    "RuleSegmenter",
    "SentenceSegmenter",
    "learn_abbreviations",
]


def __getattr__(name: str) -> Any:
    # Loaded on first use: the runtime must start without scikit-learn.
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
