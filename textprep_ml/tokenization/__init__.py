"""Tokenizers: words, patterns, the Penn Treebank, characters, and back to text."""

from __future__ import annotations

from textprep_ml.tokenization.characters import CharacterTokenizer, WhitespaceTokenizer
from textprep_ml.tokenization.detokenizer import Detokenizer
from textprep_ml.tokenization.regexp import PATTERNS, RegexTokenizer
from textprep_ml.tokenization.treebank import TreebankTokenizer
from textprep_ml.tokenization.vectorizing import make_vectorizer, stop_tokens
from textprep_ml.tokenization.words import PRESETS, WordTokenizer

__all__ = [
    "PATTERNS",
    "PRESETS",
    "CharacterTokenizer",
    "Detokenizer",
    "RegexTokenizer",
    "TreebankTokenizer",
    "WhitespaceTokenizer",
    "WordTokenizer",
    "make_vectorizer",
    "stop_tokens",
]
