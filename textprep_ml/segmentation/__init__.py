"""Sentence segmentation: candidates, what is seen at them, and a classifier that decides.

`candidates` says where a boundary may be (the compiled scanner), `features` what is seen there, a scikit-learn
classifier whether it is one, and `runtime` runs what was learned without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

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
