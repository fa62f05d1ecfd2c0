"""Words with counts: from documents, files and tables, with threads, always with the same result."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from textprep_ml._kernels import load
from textprep_ml._validation import refuse_container, shorten
from textprep_ml.subword.pretokenizers import make_pretokenizer, scheme_of
from textprep_ml.subword.reading import CHUNK_BYTES, Batches, Data, n_waiting

#: Called with the stage ("counting" or "merging"), how much of it is done, and the whole (0 where that is not known).
#: Counting goes in bytes.
Progress = Callable[[str, int, int], None]

#: Documents that are counted together, at most.
BATCH_DOCUMENTS = 512

#: Texts of the corpus, and where the first of them begins.
Batch = tuple[Sequence[Data], int]


def nothing(stage: str, done: int, whole: int) -> None:
    """Take no notice of progress.

    Parameters
    ----------
    stage : str
        Ignored.
    done, whole : int
        Ignored.
    """


def text_leaves(X: Iterable[Any], owner: str, place: tuple[int, ...] = ()) -> Iterator[str]:
    """Stream the strings in documents or nested lists of tokens.

    Parameters
    ----------
    X : iterable
        Of `str`, or of lists of such.
    owner : str
        The name that the error message opens with.
    place : tuple of int
        Where `X` lies in the whole.

    Yields
    ------
    str
        One document or token.

    Raises
    ------
    TypeError
        If `X` or a leaf is something else; the message names its position.
    ValueError
        If `X` has more than one dimension.
    """
    refuse_container(X, owner)
    for index, item in enumerate(X):
        if isinstance(item, str):
            yield str(item)
        elif isinstance(item, list | tuple):
            yield from text_leaves(item, owner, (*place, index))
        else:
            where = " > ".join(map(str, (*place, index)))
            raise TypeError(
                f"{owner} expects str documents, but document {where} is {type(item).__name__}: {shorten(item)}. "
                "Drop or convert it first."
            )


def document_batches(documents: Iterable[str]) -> Iterator[list[bytes]]:
    """Put documents into batches.

    Parameters
    ----------
    documents : iterable of str
        May be a stream; only one batch is held.

    Yields
    ------
    list of bytes
        In UTF-8; lone surrogates take their three-byte form.
    """
    stream = iter(documents)
    batch: list[bytes] = []
    size = 0
    for document in stream:
        batch.append(document.encode("utf-8", "surrogatepass"))
        size += len(batch[-1])
        if len(batch) >= BATCH_DOCUMENTS or size >= CHUNK_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def sampled(batches: Batches, fraction: float, seed: int | None) -> Iterator[Sequence[Data]]:
    """Keep a random part of the documents.

    Parameters
    ----------
    batches : iterable of list of bytes
        The corpus.
    fraction : float
        Chance of each document, or of each part of a file.
    seed : int or None
        For equal choices in every run.

    Yields
    ------
    list of bytes
        What was chosen.
    """
    if fraction >= 1:
        yield from batches
        return
    generator = random.Random(seed)
    for batch in batches:
        yield [document for document in batch if generator.random() < fraction]


class LongDocuments:
    """Leaves long documents out of a corpus and keeps count of them.

    Parameters
    ----------
    limit : int or None
        Characters that a document may have.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._n_documents = self._n_skipped = self._n_characters = 0

    def filter(self, batches: Batches) -> Batches:
        """Leave out what is too long.

        Parameters
        ----------
        batches : iterable of list of bytes
            The corpus.

        Returns
        -------
        iterable of list of bytes
            What is left.
        """
        return batches if self._limit is None else self._filtered(batches)

    def _filtered(self, batches: Batches) -> Iterator[Sequence[Data]]:
        for batch in batches:
            yield [text for text in batch if self._is_short(text)]

    def _is_short(self, text: Data) -> bool:
        assert self._limit is not None
        self._n_documents += 1
        length = len(text) if len(text) <= self._limit else len(str(text, "utf-8", "surrogatepass"))
        if length > self._limit:
            self._n_skipped += 1
            self._n_characters += length
        return length <= self._limit

    def add(self, other: LongDocuments) -> None:
        """Add what was left out of another part of the corpus.

        Parameters
        ----------
        other : LongDocuments
            Of that part.
        """
        self._n_documents += other._n_documents
        self._n_skipped += other._n_skipped
        self._n_characters += other._n_characters

    def warn(self) -> None:
        """Tell how much was left out, if anything."""
        if self._n_skipped:
            warnings.warn(
                f"{self._n_skipped} of {self._n_documents} lines or documents, {self._n_characters} characters, "
                "are longer than "
                f"max_document_length={self._limit} and were left out.",
                UserWarning,
                stacklevel=4,
            )


class _Counter:
    """A kernel counter with the pre-tokenizer that feeds it."""

    def __init__(self, pretokenizer: Any) -> None:
        scheme = scheme_of(pretokenizer)
        self.words = load("bpe_words").WordCounter(scheme or "none")
        self._splitter = None if scheme else make_pretokenizer(pretokenizer)

    def count(self, batch: Batch) -> None:
        texts, place = batch
        for text in texts:
            if self._splitter is None:
                self.words.count_text(text, place)
            else:
                self._count_spans(str(text, "utf-8", "surrogatepass"), place)
            place += len(text) + 1

    def _count_spans(self, text: str, place: int) -> None:
        assert self._splitter is not None
        for start, end in self._splitter.spans(text):
            # Every word takes a byte or more, so its character index is a place that lies in order and is used once.
            self.words.count_text(text[start:end].encode("utf-8", "surrogatepass"), place + int(start))


def count_words(
    batches: Batches, pretokenizer: Any, n_threads: int = 1, progress: Progress = nothing, whole: int = 0
) -> Any:
    """Count the words of a corpus.

    Parameters
    ----------
    batches : iterable of list of bytes
        UTF-8 texts.
    pretokenizer : object
        A specification for `make_pretokenizer`.
    n_threads : int
        Threads; the result does not depend on it.
    progress : callable
        Called after each batch.
    whole : int
        Bytes in all, for the progress.

    Returns
    -------
    WordCounter
        The kernel's counter.
    """
    placed = _placed(batches, progress, whole)
    first = _Counter(pretokenizer)
    if n_threads <= 1:
        for batch in placed:
            first.count(batch)
        return first.words
    counters = [first, *(_Counter(pretokenizer) for _ in range(n_threads - 1))]
    free: SimpleQueue[_Counter] = SimpleQueue()
    for counter in counters:
        free.put(counter)

    def work(batch: Batch) -> None:
        counter = free.get()
        try:
            counter.count(batch)
        finally:
            free.put(counter)

    with ThreadPoolExecutor(n_threads) as pool:
        _run_bounded(pool, work, placed, n_waiting(n_threads))
    for counter in counters[1:]:
        first.words.merge(counter.words, parallel=True)
    return first.words


def _placed(batches: Batches, progress: Progress, whole: int) -> Iterator[Batch]:
    place = 0
    for batch in batches:
        yield batch, place
        place += sum(map(len, batch)) + len(batch)
        progress("counting", place, whole)


def _run_bounded(pool: ThreadPoolExecutor, work: Callable[[Batch], None], batches: Iterable[Batch], limit: int) -> None:
    """Run `work` on all batches with at most `limit` of them waiting, so that memory stays bounded."""
    waiting: list[Future[None]] = []
    for batch in batches:
        waiting.append(pool.submit(work, batch))
        if len(waiting) >= limit:
            waiting.pop(0).result()
    for future in waiting:
        future.result()


#: How often a word may occur: no corpus has it so often, and sums of counts stay numbers that the kernels hold.
MOST_COUNT = 1 << 50


def counter_of(counts: Any, owner: str) -> Any:
    """Fill a counter from ready words.

    Parameters
    ----------
    counts : mapping of str or bytes to int, or iterable of such mappings
        Several are added up, for counts made on several machines.
    owner : str
        The name that the error message opens with.

    Returns
    -------
    WordCounter
        The kernel's counter.

    Raises
    ------
    TypeError
        If a word is not a string, or a count not an integer.
    ValueError
        If a count is negative, or larger than `MOST_COUNT`.
    """
    counter = load("bpe_words").WordCounter("none")
    for table in counts if isinstance(counts, Iterable) and not isinstance(counts, Mapping) else [counts]:
        if not isinstance(table, Mapping):
            raise TypeError(
                f"{owner} expects a mapping from words to counts, but got {type(table).__name__}: {shorten(table)}."
            )
        for word, count in table.items():
            if not isinstance(word, str | bytes):
                raise TypeError(f"{owner} expects str words, but one is {type(word).__name__}: {shorten(word)}.")
            if isinstance(count, bool) or not hasattr(count, "__index__"):
                raise TypeError(
                    f"{owner} expects integer counts, but the count of {shorten(word)} is {shorten(count)}."
                )
            if count < 0:
                raise ValueError(f"{owner} expects counts of at least 0, but the count of {shorten(word)} is {count}.")
            if count > MOST_COUNT:
                raise ValueError(
                    f"{owner} expects counts of at most {MOST_COUNT:,}, but the count of {shorten(word)} is {count}: "
                    "divide all of them by the same number."
                )
            if count:
                counter.add(word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass"), int(count))
    return counter


def word_table(counter: Any) -> dict[str, int]:
    """Turn a counter into plain data.

    Parameters
    ----------
    counter : WordCounter
        The kernel's counter.

    Returns
    -------
    dict of str to int
        In the order first met.
    """
    return {word.decode("utf-8", "surrogatepass"): count for word, count in counter.words()}
