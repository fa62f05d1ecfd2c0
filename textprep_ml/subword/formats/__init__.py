"""Readers and writers of byte-pair models, one module per format."""

from textprep_ml.subword.formats import state

__all__ = ["state"]
