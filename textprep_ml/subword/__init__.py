"""Subword tokenizers: trained vocabularies of pieces that cover any text."""

from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bpe import BPETokenizer
from textprep_ml.subword.inspection import describe, measure
from textprep_ml.subword.streaming import StreamDecoder
from textprep_ml.subword.unigram import UnigramTokenizer
from textprep_ml.subword.wordpiece import WordPieceTokenizer

__all__ = [
    "AddedToken",
    "BPETokenizer",
    "StreamDecoder",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "describe",
    "measure",
]
