"""Subword tokenizers: trained vocabularies of pieces that cover any text."""

from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.balancing import balance_counts, group_by_script
from textprep_ml.subword.bpe import BPETokenizer
from textprep_ml.subword.inspection import describe
from textprep_ml.subword.streaming import StreamDecoder
from textprep_ml.subword.unigram import UnigramTokenizer
from textprep_ml.subword.wordpiece import WordPieceTokenizer

__all__ = [
    "AddedToken",
    "BPETokenizer",
    "StreamDecoder",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "balance_counts",
    "describe",
    "group_by_script",
]
