"""Work in chunks of bounded size, through joblib: on threads, in processes, or on a cluster.

Whatever takes many documents cuts them into chunks and maps a function of one chunk over them. With ``n_jobs`` the
chunks go to threads, since the kernels work without the interpreter's lock; inside ``joblib.parallel_config(backend=
"dask")``, ``"ray"``, ``"spark"`` or ``"loky"`` they go there. The results come in the order of the chunks and do not
depend on how many there are.
"""

from __future__ import annotations

import gc
import signal
import sys
import warnings
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate, chain, islice, pairwise
from numbers import Integral
from typing import Any, TypeVar

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")
Item = TypeVar("Item")

#: A chunk has about so many characters, at most; a longer document is a chunk of its own.
LARGEST_CHUNK = 1 << 22

#: Less than this is not worth sending away: a few milliseconds of work.
SMALLEST_CHUNK = 1 << 16

#: So many chunks for each worker, so that none of them waits long for the last one.
_CHUNKS_PER_JOB = 4

#: Of a stream so many chunks for each process are under way or wait to be used.
_CHUNKS_AT_ONCE = 8


def count_jobs(n_jobs: int | None) -> int:
    """Turn `n_jobs` into a number of workers.

    Parameters
    ----------
    n_jobs : int or None
        None is 1 unless `joblib.parallel_config` says otherwise; -1 is one per processor, -2 all but one.

    Returns
    -------
    int
        At least 1. On a cluster, the number of all its workers' threads, whatever `n_jobs` says.

    Raises
    ------
    ValueError
        If it is 0 or no integer.
    """
    _check_jobs(n_jobs)
    if n_jobs in (None, 1) and "joblib" not in sys.modules:
        return 1  # nobody can have chosen a backend; importing joblib takes longer than a small text
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def _check_jobs(n_jobs: int | None) -> None:
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be a number of workers, -1 for one per processor, or None, got {n_jobs!r}.")


def map_chunks(
    function: Callable[[Chunk], Result],
    chunks: Iterable[Chunk],
    n_jobs: int | None = None,
    *,
    prefer: str = "threads",
    near_files: bool = False,
) -> Generator[Result]:
    """Apply a function to chunks, with as many of them under way as there are workers.

    Parameters
    ----------
    function : callable
        Of one chunk; for processes and clusters it is pickled with every one, so it should hold little else than what
        was learned.
    chunks : iterable
        Of a stream some for each worker are taken at a time, so that memory is bounded however slowly the results are
        used.
    n_jobs : int, optional
        As for `count_jobs`.
    prefer : {"threads", "processes"}
        What to use when no backend was chosen by `joblib.parallel_config`.
    near_files : bool, default=False
        The chunks name files, so a cluster gets even a single one; else that is not worth the way.

    Yields
    ------
    object
        The results, in the order of the chunks.
    """
    is_bounded = isinstance(chunks, Sequence)
    jobs, remote = count_jobs(n_jobs), near_files and is_remote()
    stream = iter(chunks)
    if jobs == 1 and not remote:
        yield from map(function, stream)
        return
    first = list(islice(stream, 2))
    stream = chain(first, stream)
    if len(first) < 2 and not remote:
        yield from map(function, stream)
    elif _goes_to_threads(prefer):
        yield from _map_on_threads(function, stream, jobs)
    else:
        yield from _map_by_joblib(function, stream, jobs, prefer, is_bounded)


def leaves_process(n_jobs: int | None) -> bool:
    """Tell whether `map_chunks` would send chunks to processes or a cluster, because `joblib.parallel_config` says so.

    Parameters
    ----------
    n_jobs : int or None
        As for `count_jobs`.

    Returns
    -------
    bool
        False where threads share the work, or there is one worker only.
    """
    return count_jobs(n_jobs) > 1 and not _goes_to_threads("threads")


def is_remote() -> bool:
    """Tell whether `joblib.parallel_config` sends work elsewhere than to threads and processes of this machine.

    Returns
    -------
    bool
        True for a cluster, even with one worker.
    """
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    return type(get_active_backend()[0]).__module__ != "joblib._parallel_backends"


def _goes_to_threads(prefer: str) -> bool:
    if prefer == "threads" and "joblib" not in sys.modules:
        return True
    from joblib.parallel import get_active_backend

    return getattr(get_active_backend(prefer)[0], "uses_threads", False)


def _map_on_threads(function: Callable[[Chunk], Result], chunks: Iterable[Chunk], jobs: int) -> Iterator[Result]:
    """Keep threads busy, and no more results waiting than a few for each; joblib looks every 10 ms only."""
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for chunk in chunks:
            waiting.append(pool.submit(function, chunk))
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _map_by_joblib(
    function: Callable[[Chunk], Result], chunks: Iterator[Chunk], jobs: int, prefer: str, is_bounded: bool
) -> Iterator[Result]:
    from joblib import Parallel, delayed

    task = delayed(_Sent(function))
    with Parallel(n_jobs=jobs, prefer=prefer, return_as="generator", batch_size=1) as parallel:
        if is_bounded:
            with _interrupts_held():
                results = parallel(map(task, chunks))
            yield from _take(results)
            return
        # Workers do not wait for whoever takes the results, so only so many chunks of a stream are given to them.
        while wave := list(islice(chunks, _CHUNKS_AT_ONCE * jobs)):
            with _interrupts_held():
                results = parallel(map(task, wave))
            yield from _take(results)


def _take(results: Generator[Result]) -> Iterator[Result]:
    """Give results until nobody wants more of them; joblib would give advice then."""
    try:
        for result in results:  # noqa: UP028  (the generator is not to be closed outside of what follows)
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: they hold back the signals that whoever makes them holds back.

    A terminal sends it to all processes. The one that the user started answers, and ends its workers; these would only
    show where they were.
    """
    if is_remote() or not hasattr(signal, "pthread_sigmask"):  # Windows has none
        yield
        return
    _start_trackers()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Start the processes that look after shared resources: starting them would let the signals through again."""
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()
    with suppress(ImportError, AttributeError):
        from joblib.externals.loky.backend import resource_tracker as tracker_of_workers

        tracker_of_workers.ensure_running()


class _Sent:
    """A function that goes with every chunk, but is unpickled only where it is called, and once only in each process.

    As an argument of its own, what the function holds would be scattered once by the Dask backend, and be lost with the
    worker that has it. Unpickled along with the task, it would be made in the scheduler, too, which passes tasks on.
    """

    def __init__(self, function: Callable[[Any], Any] | None, key: str = "", data: bytes = b"") -> None:
        from uuid import uuid4

        self._function = function
        self._key = key or uuid4().hex
        self._data = data

    def __call__(self, chunk: Any) -> Any:
        return (self._function or _unpack(self._key, self._data))(chunk)

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            from cloudpickle import dumps
        except ImportError:  # joblib before 1.6 has it inside
            from joblib.externals.cloudpickle import dumps

        self._data = self._data or dumps(self._function)
        return _Sent, (None, self._key, self._data)


#: What a worker process is working for: making a model ready takes longer than many a chunk.
_in_use: dict[str, Callable[[Any], Any]] = {}


def _unpack(key: str, data: bytes) -> Callable[[Any], Any]:
    function = _in_use.get(key)
    if function is None:
        import pickle

        function = pickle.loads(data)
        _in_use.clear()
        _in_use[key] = function
    return function


def cut_documents(documents: Sequence[Item], n_jobs: int | None) -> list[Sequence[Item]]:
    """Cut documents into chunks for `map_chunks`.

    Parameters
    ----------
    documents : sequence of str, or of nested lists of str
        All of them; no document is cut.
    n_jobs : int, optional
        As for `count_jobs`.

    Returns
    -------
    list of sequences
        Runs of documents, in order. One run where there is little to do, or one worker.
    """
    jobs = count_jobs(n_jobs) if len(documents) > 1 else 1
    if jobs == 1:
        return [documents]
    is_flat = set(map(type, documents)) == {str}
    sizes = list(map(len, documents) if is_flat else map(_size, documents))  # type: ignore[arg-type]
    ends = list(accumulate(sizes))
    limit = min(LARGEST_CHUNK, max(SMALLEST_CHUNK, ends[-1] // (_CHUNKS_PER_JOB * jobs)))
    bounds = [0]
    while (start := bounds[-1]) < len(ends):
        before = ends[start - 1] if start else 0
        bounds.append(max(start + 1, bisect_right(ends, before + limit, lo=start)))
    return [documents[start:end] for start, end in pairwise(bounds)]


def map_documents(
    function: Callable[[Sequence[Item]], Iterable[Result]], documents: Sequence[Item], n_jobs: int | None = None
) -> list[Result]:
    """Apply a function that takes many documents to all of them, in chunks.

    Parameters
    ----------
    function : callable
        Gives one result for each document of a chunk, which does not depend on the others.
    documents : sequence of str, or of nested lists of str
        All of them.
    n_jobs : int, optional
        As for `count_jobs`.

    Returns
    -------
    list
        One result per document.
    """
    if len(documents) < 2:  # asking joblib takes as long as a short text
        _check_jobs(n_jobs)
        return list(function(documents))
    with collector_paused():
        return list(chain.from_iterable(map_chunks(function, cut_documents(documents, n_jobs), n_jobs)))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Make many lists without the garbage collector, which would walk through all of them again and again.

    Lists of strings, numbers and arrays form no cycles; with the collector the same work takes up to three times as
    long. What was made meanwhile counts as old afterwards, or the next thing that is made would have the collector
    look at all of it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_count()[0] > gc.get_threshold()[0] and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def batch_stream(documents: Iterable[Item], limit: int = LARGEST_CHUNK) -> Iterator[list[Item]]:
    """Put a stream of documents into chunks; one is held at a time.

    Parameters
    ----------
    documents : iterable of str, or of nested lists of str
        A stream.
    limit : int
        A chunk is full when it has so many characters.

    Yields
    ------
    list
        Documents, in order.
    """
    batch: list[Item] = []
    filled = 0
    for document in documents:
        batch.append(document)
        filled += _size(document)
        if filled >= limit:
            yield batch
            batch, filled = [], 0
    if batch:
        yield batch


def _size(document: Any) -> int:
    """Characters of a document, one more for each string in it."""
    if isinstance(document, list | tuple):
        return sum(map(_size, document)) + 1
    return len(document) + 1 if hasattr(document, "__len__") else 1
