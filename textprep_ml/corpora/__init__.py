"""Readers and writers between files and rows ``{"id", "text", "sentences": [[start, end], ...]}``, and
`datasets.Dataset`.

`iter_rows` streams documents as plain dictionaries, `read_corpus` gives them as one table, `write_corpus` is their
inverse. Spans are half-open and count Python characters (code points). A broken file raises `CorpusFormatError`
with file and line.
"""

from textprep_ml.corpora.io import FORMATS, guess_format, iter_rows, read_corpus, write_corpus
from textprep_ml.corpora.registry import KnownCorpus, known_corpora

__all__ = ["FORMATS", "KnownCorpus", "guess_format", "iter_rows", "known_corpora", "read_corpus", "write_corpus"]
