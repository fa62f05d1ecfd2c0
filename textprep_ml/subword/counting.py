"""Words counted in processes or on a cluster: tables that travel, and one counter that adds them up in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from textprep_ml._files import PathLike
from textprep_ml._kernels import load
from textprep_ml._parallel import count_jobs, map_chunks
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.reading import CHUNK_BYTES, Batches, Chunks, Data, file_batches, split_file
from textprep_ml.subword.training import LongDocuments, Progress, count_words

#: Each worker gets about so many tasks, so that none of them waits long for the last one.
_TASKS_PER_JOB = 4

#: A task has so much text at least, which takes a second or so, and at most, which repays sending its table.
_SMALLEST_TASK, _LARGEST_TASK = 1 << 24, 1 << 30


class Preparation(NamedTuple):
    """What becomes of documents before their words are counted.

    Attributes
    ----------
    pretokenizer, normalizer : object
        Specifications for `make_pretokenizer` and `make_normalizer`.
    prefix_space : bool
        Whether a blank is put before every document.
    max_length : int or None
        Longer documents are left out.
    """

    pretokenizer: Any
    normalizer: Any
    prefix_space: bool
    max_length: int | None

    def prepare(self, batches: Batches, skipped: LongDocuments) -> Batches:
        """Leave out long documents, normalize the others.

        Parameters
        ----------
        batches : iterable of list of bytes
            The corpus.
        skipped : LongDocuments
            Keeps count.

        Returns
        -------
        iterable of list of bytes
            What is counted.
        """
        prepared = skipped.filter(batches)
        if self.normalizer is not None:
            prepared = self._normalized(prepared)
        if self.prefix_space:
            prepared = ([b" " + text for text in batch] for batch in prepared)
        return prepared

    def _normalized(self, batches: Batches) -> Iterator[list[bytes]]:
        normalizer = make_normalizer(self.normalizer)
        assert normalizer is not None
        for batch in batches:
            texts = [str(text, "utf-8", "surrogatepass") for text in batch]
            yield [normalizer.normalize(text).encode("utf-8", "surrogatepass") for text in texts]


class Table(NamedTuple):
    """The words of a part of the corpus, in the order first met, in a form that is sent quickly.

    Attributes
    ----------
    words : bytes
        One behind another.
    lengths, counts : ndarray of shape (n_words,)
        In bytes; occurrences.
    skipped : LongDocuments
        What was left out.
    n_bytes : int
        Text that was counted.
    """

    words: bytes
    lengths: np.ndarray
    counts: np.ndarray
    skipped: LongDocuments
    n_bytes: int


def count_table(preparation: Preparation, batches: Batches) -> Table:
    """Count the words of a part of the corpus.

    Parameters
    ----------
    preparation : Preparation
        What to do before.
    batches : iterable of list of bytes
        The part.

    Returns
    -------
    Table
        To be added by `add_tables`.
    """
    skipped, n_bytes = LongDocuments(preparation.max_length), 0

    def watched() -> Iterator[Sequence[Data]]:
        nonlocal n_bytes
        for batch in batches:
            n_bytes += sum(map(len, batch))
            yield batch

    counter = count_words(preparation.prepare(watched(), skipped), preparation.pretokenizer)
    words, lengths, counts = counter.table()
    return Table(words, lengths, counts, skipped, n_bytes)


def _count_chunks(
    preparation: Preparation, lines: bool, on_error: str, task: Sequence[tuple[PathLike, Chunks]]
) -> Table:
    batches = (batch for path, chunks in task for batch in file_batches([path], lines, on_error, chunks=chunks))
    return count_table(preparation, batches)


def tables_of_files(
    paths: Sequence[PathLike], lines: bool, on_error: str, preparation: Preparation, n_jobs: int | None
) -> Iterator[Table]:
    """Count the words of files in workers, which read them themselves.

    Parameters
    ----------
    paths : sequence of path-like
        UTF-8 files, at the same place for all workers.
    lines, on_error : bool, str
        As for `file_batches`.
    preparation : Preparation
        What to do before.
    n_jobs : int or None
        As for `count_jobs`.

    Returns
    -------
    iterator of Table
        In the order of the corpus.
    """
    whole = sum(len(split_file(path, 1)) for path in paths) * CHUNK_BYTES
    size = min(_LARGEST_TASK, max(_SMALLEST_TASK, whole // (_TASKS_PER_JOB * count_jobs(n_jobs))))
    tasks = [[(path, chunks)] for path in paths for chunks in split_file(path, max(1, size // CHUNK_BYTES))]
    return map_chunks(partial(_count_chunks, preparation, lines, on_error), tasks, n_jobs, near_files=True)


def tables_of_batches(batches: Batches, preparation: Preparation, n_jobs: int | None) -> Iterator[Table]:
    """Count the words of documents that are here, in workers.

    Parameters
    ----------
    batches : iterable of list of bytes
        The corpus.
    preparation : Preparation
        What to do before.
    n_jobs : int or None
        As for `count_jobs`.

    Returns
    -------
    iterator of Table
        In the order of the corpus.
    """
    return map_chunks(partial(count_table, preparation), _tasks(batches), n_jobs)


def _tasks(batches: Batches) -> Iterator[list[Sequence[Data]]]:
    task: list[Sequence[Data]] = []
    size = 0
    for batch in batches:
        task.append([bytes(text) for text in batch])
        size += sum(map(len, batch))
        if size >= _SMALLEST_TASK:
            yield task
            task, size = [], 0
    if task:
        yield task


def add_tables(tables: Iterable[Table], skipped: LongDocuments, progress: Progress, whole: int) -> Any:
    """Add up the tables of the parts of a corpus.

    Parameters
    ----------
    tables : iterable of Table
        In the order of the corpus, so that words are in the order first met in all of it.
    skipped : LongDocuments
        Takes what was left out of the parts.
    progress : callable
        Called after each table.
    whole : int
        Bytes in all, for the progress.

    Returns
    -------
    WordCounter
        The kernel's counter.
    """
    counter = load("bpe_words").WordCounter("none")
    done = 0
    for table in tables:
        counter.add_table(table.words, table.lengths, table.counts)
        skipped.add(table.skipped)
        done += table.n_bytes
        progress("counting", done, whole)
    return counter
