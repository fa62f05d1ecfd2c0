"""Work in chunks: bounded, in order, the same on any number of workers, for every estimator."""

from __future__ import annotations

import gc
import pickle
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import joblib
import pytest
from joblib.externals.loky import get_reusable_executor

from tests.checks import TEXTS, clone, plain
from tests.test_contract import CASES, Case
from textprep_ml import WhitespaceNormalizer, _parallel
from textprep_ml._parallel import (
    batch_stream,
    collector_paused,
    count_jobs,
    cut_documents,
    map_chunks,
    map_documents,
)

MANY = [f"{text} Dr. Who number {number}." for number in range(40) for text in TEXTS]
WITH_METHOD = [pytest.param(case, method, id=f"{case.name}-{method}") for case in CASES for method in case.methods]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_parallel, "SMALLEST_CHUNK", 200)


@pytest.mark.parametrize(("case", "method"), WITH_METHOD)
def test_results_do_not_depend_on_the_number_of_workers(case: Case, method: str) -> None:
    estimator = case.fit(clone(case.estimator))
    expected = plain(getattr(estimator, method)(MANY))
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert plain(getattr(estimator, method)(MANY)) == expected


def test_the_documents_really_go_to_other_threads() -> None:
    def names(texts: Any) -> list[str]:
        time.sleep(0.001)
        return [threading.current_thread().name] * len(texts)

    assert set(map_documents(names, MANY)) == {threading.current_thread().name}
    assert threading.current_thread().name not in map_documents(names, MANY, n_jobs=2)


def test_chunks_are_bounded_complete_and_in_order() -> None:
    chunks = cut_documents(MANY, 2)
    assert [text for chunk in chunks for text in chunk] == MANY
    total = sum(len(text) + 1 for text in MANY)
    assert len(chunks) >= 4
    assert max(sum(len(text) + 1 for text in chunk) for chunk in chunks) <= total // 8
    assert cut_documents(MANY, None) == [MANY]
    assert cut_documents([], 2) == [[]]


def test_a_long_document_is_a_chunk_of_its_own() -> None:
    texts = ["a", "b" * 3000, "c", "d"]
    assert cut_documents(texts, 2) == [["a"], ["b" * 3000], ["c", "d"]]


def test_nested_lists_count_by_what_is_in_them() -> None:
    documents = [[["word"] * 100] * 3, ["word"], ["word"] * 300]
    assert cut_documents(documents, 2) == [[documents[0]], [documents[1]], [documents[2]]]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_chunks_are_taken_as_they_are_needed(n_jobs: int | None) -> None:
    taken: list[int] = []

    def stream() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = map_chunks(lambda number: number * 2, stream(), n_jobs)
    assert next(results) == 0
    assert len(taken) <= 18
    assert list(results) == [number * 2 for number in range(1, 1000)]


def test_a_stream_is_put_into_bounded_batches() -> None:
    batches = list(batch_stream(iter(MANY), 500))
    assert [text for batch in batches for text in batch] == MANY
    longest = max(map(len, MANY))
    assert all(sum(map(len, batch)) < 500 + longest for batch in batches)
    assert len(batches) > 10


def test_errors_name_the_document_whatever_the_chunk() -> None:
    bad = [*MANY, None, *MANY]
    with (
        joblib.parallel_config(backend="threading", n_jobs=2),
        pytest.raises(TypeError, match=f"document {len(MANY)} is NoneType"),
    ):
        WhitespaceNormalizer().transform(bad)


@pytest.mark.parametrize("bad", [0, 1.5, "2"])
def test_nonsense_for_n_jobs_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="n_jobs must be a number of workers"):
        count_jobs(bad)


def test_n_jobs_follows_joblib() -> None:
    assert count_jobs(None) == 1
    assert count_jobs(3) == 3
    assert count_jobs(-1) == joblib.cpu_count()
    with joblib.parallel_config(backend="threading", n_jobs=5):
        assert count_jobs(None) == 5


def test_a_function_is_made_once_in_each_process() -> None:
    sent = pickle.loads(pickle.dumps(_parallel._Sent(_Counted())))  # as the scheduler passes it on
    made = [pickle.loads(pickle.dumps(sent))(chunk) for chunk in range(3)]
    assert len(set(made)) == 1
    other = pickle.loads(pickle.dumps(_parallel._Sent(_Counted())))
    assert other(0) not in made


class _Counted:
    """Gives the number of its copy."""

    n_made = 0

    def __init__(self) -> None:
        self.number = -1

    def __setstate__(self, state: dict[str, int]) -> None:
        type(self).n_made += 1
        self.number = self.n_made

    def __call__(self, chunk: int) -> int:
        return self.number


def test_what_was_made_in_a_pause_is_not_looked_at_at_once() -> None:
    """Thousands of new lists, and no collection due; what was put aside by others stays there."""
    gc.collect()
    before = [generation["collections"] for generation in gc.get_stats()]
    with collector_paused():
        made = [[str(number)] for number in range(20_000)]
    after_pause = [generation["collections"] for generation in gc.get_stats()]
    assert gc.isenabled()
    assert gc.get_count()[0] < 1000
    assert before == after_pause
    assert gc.get_freeze_count() == 0
    assert all(map(gc.is_tracked, made))
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collector_paused():
            more = [[str(number)] for number in range(20_000)]
        assert gc.get_freeze_count() == frozen > 0
        assert all(map(gc.is_tracked, more))
    finally:
        gc.unfreeze()


def test_cycles_of_a_pause_are_collected_later() -> None:
    class Loop:
        pass

    with collector_paused():
        kept = [[number] for number in range(20_000)]
        loop: Any = Loop()
        loop.itself = loop
        seen = weakref.ref(loop)
        del loop
    gc.collect()
    assert seen() is None
    assert len(kept) == 20_000


def _signals_held(_: Any) -> list[str]:
    return [signal.Signals(held).name for held in signal.pthread_sigmask(signal.SIG_BLOCK, [])]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows")
def test_an_interrupt_does_not_reach_the_processes_that_work() -> None:
    get_reusable_executor().shutdown(kill_workers=True)  # which other tests have started, perhaps otherwise
    for chunks in (iter(range(4)), list(range(4))):
        assert list(_parallel.map_chunks(_signals_held, chunks, 2, prefer="processes")) == [["SIGINT"]] * 4
    assert _signals_held(None) == []
