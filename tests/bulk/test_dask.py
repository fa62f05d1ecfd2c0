"""A real Dask cluster: scheduler and workers in processes of their own over TCP: the same bytes as in one process."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import pytest
from distributed import Client, LocalCluster

from tests.bulk.conftest import jsonl
from tests.segmentation.samples import labelled_sample
from textprep_ml import (
    BPETokenizer,
    PosTagger,
    SentenceSegmenter,
    WordCounter,
    WordTokenizer,
    _parallel,
    make_normalizer,
)
from textprep_ml._parallel import map_chunks
from textprep_ml.bulk import files, transform_files
from textprep_ml.subword import counting

SAMPLE = Path(__file__).parent.parent.parent / "data" / "sample"
N_FILES = 12


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        assert client.scheduler.address.startswith("tcp://127.0.0.1:")
        yield client


@pytest.fixture
def on_cluster(client: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What joblib does goes to the cluster, in chunks so small that there are many."""
    monkeypatch.setattr(_parallel, "SMALLEST_CHUNK", 2000)
    monkeypatch.setattr(counting, "_SMALLEST_TASK", 2000)
    with joblib.parallel_config(backend="dask", client=client):
        yield


@pytest.fixture(scope="module")
def texts() -> list[str]:
    raw = [path.read_text(encoding="utf-8") for path in sorted((SAMPLE / "raw").glob("*.txt"))]
    return [paragraph for text in raw for paragraph in text.split("\n\n")]


@pytest.fixture
def corpus(texts: list[str], tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{number:02}.jsonl" for number in range(N_FILES)]
    for number, path in enumerate(paths):
        path.write_bytes(jsonl(texts[number::N_FILES] * 20))
    return paths


def saved(model: Any, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


def process_ids(client: Client) -> set[int]:
    return set(client.run(os.getpid).values())


def test_training_gives_the_same_bytes(request: pytest.FixtureRequest, texts: list[str], tmp_path: Path) -> None:
    labelled = labelled_sample()
    models = {
        "segmenter": lambda: SentenceSegmenter(min_count=2, augment="standard").fit(*labelled, raw=iter(texts)),
        "bpe": lambda: BPETokenizer(num_merges=200, normalizer={"type": "NFC"}).fit(texts),
        "bpe of files": lambda: BPETokenizer(num_merges=200).fit_files(sorted((SAMPLE / "raw").glob("*.txt"))),
        "bpe of lines": lambda: BPETokenizer(num_merges=200).fit_files([SAMPLE / "train.jsonl"], lines=True),
        "counts": lambda: WordCounter(case="fold").fit(texts),
    }
    expected = {name: saved(train(), tmp_path / "one.json") for name, train in models.items()}
    request.getfixturevalue("on_cluster")
    assert {name: saved(train(), tmp_path / "many.json") for name, train in models.items()} == expected


@pytest.mark.filterwarnings("ignore:Sending large graph")  # the tagger goes along with each chunk
def test_use_gives_the_same_results(request: pytest.FixtureRequest, texts: list[str]) -> None:
    segmenter = SentenceSegmenter.load("en")
    bpe = BPETokenizer(num_merges=200).fit(texts)
    calls = {
        "sentences": lambda: segmenter.transform(texts),
        "spans": lambda: [spans.tolist() for spans in segmenter.predict(texts)],
        "tokens": lambda: WordTokenizer().transform(texts),
        "ids": lambda: bpe.encode_batch(texts),
        "packed ids": lambda: [part.tolist() for part in bpe.encode_batch(texts, as_array=True)],
        "tags": lambda: list(PosTagger.load("en-pos").predict([text.split() for text in texts])),
        "normalized": lambda: make_normalizer("search").transform(texts),
    }
    expected = {name: call() for name, call in calls.items()}
    request.getfixturevalue("on_cluster")
    for name, call in calls.items():
        assert call() == expected[name], name


def test_parts_are_the_same_and_made_by_the_workers(
    request: pytest.FixtureRequest, client: Client, corpus: list[Path], tmp_path: Path
) -> None:
    transform_files("en", corpus, tmp_path / "one")
    request.getfixturevalue("on_cluster")
    summary = transform_files("en", corpus, tmp_path / "many")
    assert summary.n_written == N_FILES
    for path in corpus:
        name = f"{path.stem}.parquet"
        assert (tmp_path / "many" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert transform_files("en", corpus, tmp_path / "many").n_written == 0


def test_no_text_goes_through_the_client(corpus: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []

    def measuring(function: Any, chunks: list[Any], *args: Any, **options: Any) -> Iterator[Any]:
        sent.extend(len(pickle.dumps((function, chunk))) for chunk in chunks)
        return map_chunks(function, chunks, *args, **options)

    monkeypatch.setattr(files, "map_chunks", measuring)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        transform_files("en", corpus, tmp_path / "out")
    assert sent
    assert max(sent) < 2000 < min(path.stat().st_size for path in corpus)


def test_a_killed_worker_costs_only_time(client: Client, on_cluster: None) -> None:
    def slow(number: int) -> tuple[int, int]:
        time.sleep(0.1)
        return number, os.getpid()

    before = process_ids(client)
    results = []
    for result in map_chunks(slow, list(range(16))):
        if not results:
            os.kill(min(before), signal.SIGKILL)
        results.append(result)
    assert [number for number, _ in results] == list(range(16))
    assert max(before) in {process for _, process in results}


def test_parts_of_a_killed_worker_are_made_by_another(
    request: pytest.FixtureRequest, client: Client, corpus: list[Path], tmp_path: Path
) -> None:
    transform_files("en", corpus, tmp_path / "one")
    request.getfixturevalue("on_cluster")
    client.wait_for_workers(2)
    victim = min(process_ids(client))
    killed: list[int] = []

    def kill_once(what: str, done: int, whole: int) -> None:
        if not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    summary = transform_files("en", corpus, tmp_path / "many", progress=kill_once)
    assert killed[0] < sum(path.stat().st_size for path in corpus)
    assert len(summary.parts) == N_FILES
    for path in (tmp_path / "one").iterdir():
        assert (tmp_path / "many" / path.name).read_bytes() == path.read_bytes()
    assert len(list((tmp_path / "many").iterdir())) == N_FILES
