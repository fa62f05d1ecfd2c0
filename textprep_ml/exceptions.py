"""Errors and warnings that a caller may want to catch."""

from __future__ import annotations


class TextPrepError(Exception):
    """Root of the errors that this package defines."""


class CorpusFormatError(TextPrepError, ValueError):
    """A corpus file breaks its format.

    The message names the file and the line.
    """


class ConfigError(TextPrepError, ValueError):
    """A configuration holds an unknown key, a wrong type or a value out of range."""


class ModelFormatError(TextPrepError, ValueError):
    """A model file is missing, damaged, foreign or from a newer version."""


class VocabularyWarning(UserWarning):
    """Training ended with another vocabulary size than the one that was asked for."""
