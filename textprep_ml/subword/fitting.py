"""How a subword tokenizer comes by the words that it learns from: documents, files, or words counted before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

from textprep_ml._parallel import count_jobs, is_remote, leaves_process
from textprep_ml.subword.counting import Preparation, Table, add_tables, tables_of_batches, tables_of_files
from textprep_ml.subword.reading import Batches, Meter, file_batches, make_ring, total_bytes
from textprep_ml.subword.training import (
    LongDocuments,
    Progress,
    count_words,
    counter_of,
    document_batches,
    nothing,
    sampled,
    text_leaves,
    word_table,
)

Path = str | os.PathLike[str]


class CorpusFitting:
    """Methods that count words and hand them to the learning of a tokenizer.

    The estimator brings what it is annotated with here: the parameters, a check of all of them, and ``_learn``, which
    gets the counter of the words and the progress, and gives the fitted estimator.
    """

    pretokenizer: Any
    normalizer: Any
    add_prefix_space: Any
    max_document_length: int | None
    sample: float
    random_state: int | None
    n_jobs: int | None
    _check: Callable[[], None]
    _learn: Callable[[Any, Progress], Any]

    def fit(self, X: Iterable[Any], y: Any = None, *, progress: Progress = nothing) -> Self:
        """Learn a vocabulary from documents.

        Parameters
        ----------
        X : iterable of str, or of nested lists of str
            Documents or lists of tokens; every string is cut by the pre-tokenizer by itself. A stream is read once.
        y : object
            Ignored.
        progress : callable, optional
            Called with the stage (``"counting"``, then those of learning), how much is done, and the whole, 0 if
            unknown.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If the corpus is empty or blank, or the vocabulary smaller than the alphabet.
        """
        self._check()
        return self._learn(self._count_documents(X, progress), progress)

    def fit_files(
        self,
        paths: Iterable[Path],
        *,
        lines: bool = False,
        on_error: Literal["strict", "replace", "ignore"] = "strict",
        progress: Progress = nothing,
    ) -> Self:
        """Learn a vocabulary from UTF-8 files, read in parts of a megabyte.

        Parameters
        ----------
        paths : iterable of path-like
            Files; each is one document. ``.gz``, ``.xz`` and ``.zst`` are unpacked.
        lines : bool, default=False
            Each line is a document instead, without its newline. Else parts end before a blank or newline that follows
            a letter, where no scheme joins anything; with a pattern of your own, words that span such places are cut
            there.
        on_error : {"strict", "replace", "ignore"}, default="strict"
            What to do with bytes that are not UTF-8.
        progress : callable, optional
            As for `fit`.

        Returns
        -------
        self
            Fitted.
        """
        self._check()
        return self._learn(self._count_files(paths, lines, on_error, progress), progress)

    def fit_counts(self, counts: Any, *, progress: Progress = nothing) -> Self:
        """Learn a vocabulary from words that were counted before.

        Parameters
        ----------
        counts : mapping of str to int, or iterable of such mappings
            Each key is one word as `count_words` gives it: with the blank, or its sign, that the tokenizer leaves at a
            word. Several tables, for instance from several machines, are added up.
        progress : callable, optional
            As for `fit`.

        Returns
        -------
        self
            Fitted.

        Examples
        --------
        >>> from textprep_ml.subword.bpe import BPETokenizer
        >>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
        >>> tokenizer = BPETokenizer(num_merges=3, byte_level=False, pretokenizer="blank", end_of_word="_")
        >>> tokenizer.fit_counts(counts).merges_
        [('e', 's'), ('es', 't'), ('est', '_')]
        """
        self._check()
        return self._learn(counter_of(counts, type(self).__name__), progress)

    def count_words(self, X: Iterable[Any]) -> dict[str, int]:
        """Count the words of documents as training would.

        Parameters
        ----------
        X : iterable of str, or of nested lists of str
            Documents.

        Returns
        -------
        dict of str to int
            In the order first met; for `fit_counts`.

        Examples
        --------
        >>> from textprep_ml.subword.bpe import BPETokenizer
        >>> BPETokenizer().count_words(["a cat, a hat"])
        {'a': 1, ' cat': 1, ',': 1, ' a': 1, ' hat': 1}
        """
        self._check()
        return word_table(self._count_documents(X, nothing))

    def count_files(
        self,
        paths: Iterable[Path],
        *,
        lines: bool = False,
        on_error: Literal["strict", "replace", "ignore"] = "strict",
        progress: Progress = nothing,
    ) -> dict[str, int]:
        """Count the words of UTF-8 files as training would.

        Parameters
        ----------
        paths : iterable of path-like
            As for `fit_files`.
        lines : bool, default=False
            As for `fit_files`.
        on_error : {"strict", "replace", "ignore"}, default="strict"
            As for `fit_files`.
        progress : callable, optional
            As for `fit`.

        Returns
        -------
        dict of str to int
            In the order first met; for `fit_counts` and `balance_counts`.
        """
        self._check()
        return word_table(self._count_files(paths, lines, on_error, progress))

    def _count_documents(self, X: Iterable[Any], progress: Progress) -> Any:
        return self._count(document_batches(text_leaves(X, type(self).__name__)), progress)

    def _count_files(self, paths: Iterable[Path], lines: bool, on_error: str, progress: Progress) -> Any:
        if isinstance(paths, str | os.PathLike):
            raise TypeError(f"fit_files expects a sequence of paths, but got one: {os.fspath(paths)!r}. Pass [path].")
        paths = list(paths)
        meter, preparation = Meter(paths), self._preparation(is_cut=not lines)
        if (
            is_remote() or leaves_process(self.n_jobs)
        ) and self.sample >= 1:  # one generator draws the sample, in the client
            tables = tables_of_files(paths, lines, on_error, preparation, self.n_jobs)
            return self._add_up(tables, progress, total_bytes(paths))
        ring = make_ring(count_jobs(self.n_jobs))
        batches = file_batches(paths, lines, on_error, ring, watch=meter.add)
        return self._count(batches, meter.shown_by(progress), preparation=preparation)

    def _preparation(self, is_cut: bool = False) -> Preparation:
        prefix_space = bool(self.add_prefix_space) and not is_cut
        return Preparation(self.pretokenizer, self.normalizer, prefix_space, self.max_document_length)

    def _count(self, batches: Batches, progress: Progress, preparation: Preparation | None = None) -> Any:
        preparation = preparation or self._preparation()
        chosen = sampled(batches, self.sample, self.random_state)
        if leaves_process(self.n_jobs):
            return self._add_up(tables_of_batches(chosen, preparation, self.n_jobs), progress, 0)
        skipped = LongDocuments(self.max_document_length)
        prepared = preparation.prepare(chosen, skipped)
        counter = count_words(prepared, preparation.pretokenizer, count_jobs(self.n_jobs), progress)
        skipped.warn()
        return counter

    def _add_up(self, tables: Iterable[Table], progress: Progress, whole: int) -> Any:
        skipped = LongDocuments(self.max_document_length)
        counter = add_tables(tables, skipped, progress, whole)
        skipped.warn()
        return counter


def refuse_blank(counter: Any, owner: str) -> None:
    """Refuse a corpus from which nothing can be learned.

    Parameters
    ----------
    counter : WordCounter
        Its words.
    owner : str
        The name that the error message opens with.

    Raises
    ------
    ValueError
        If there is no word, or nothing but white space.
    """
    if len(counter) == 0:
        raise ValueError(f"{owner} got an empty corpus: there is no word in it to learn from.")
    if counter.is_blank():
        raise ValueError(f"{owner} got a blank corpus: there is nothing but white space in it.")
