"""Part-of-speech tagging: features, a small compiled runtime, and the estimator `PosTagger`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from textprep_ml.tagging.sentences import read_tagged
from textprep_ml.tagging.tagger import PosTagger

__all__ = ["PosTagger", "induce_word_classes", "read_tagged"]


def __getattr__(name: str) -> Any:
    if name == "induce_word_classes":  # needs scikit-learn's clustering, which tagging does not
        return import_module(f"{__name__}.word_classes").induce_word_classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
