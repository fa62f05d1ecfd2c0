"""``textprep transform``: files in, parts out, on one machine or on a cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bulk.conftest import TEXTS, jsonl, read_part
from tests.cli.conftest import ROOT, Run, assert_one_line_error
from textprep_ml import SentenceSegmenter


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"part-{number}.jsonl" for number in range(3)]
    for path in paths:
        path.write_bytes(jsonl(TEXTS))
    return paths


def test_files_become_parts_once(run: Run, files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run("transform", "en", *files, "--out", out)
    assert first.returncode == 0
    assert first.stdout.startswith(f"{out}: 3 parts, 3 of them made in this run; 15 rows, 0 bad; ")
    assert first.stderr == ""
    expected = [spans.tolist() for spans in SentenceSegmenter.load("en").predict(TEXTS)]
    for path in files:
        assert read_part(out / f"{path.stem}.parquet", "sentences") == expected
    assert "0 of them made in this run" in run("transform", "en", *files, "--out", out).stdout


def test_options_reach_the_parts(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.data"
    path.write_bytes(b'{"body": "One. Two."}\n{"body": null}\n')
    options = ("--out", tmp_path, "--format", "jsonl", "--column", "body", "--on-error", "null", "--drop-text")
    result = run("transform", "WordTokenizer", path, *options)
    assert result.returncode == 0
    assert read_part(tmp_path / "a.parquet") == [
        {
            "row": 1,
            "id": None,
            "tokens": [[0, 3], [3, 4], [5, 8], [8, 9]],
            "token_texts": ["One", ".", "Two", "."],
            "error": None,
        },
        {"row": 2, "id": None, "tokens": None, "token_texts": None, "error": '"body" is null.'},
    ]
    assert result.stderr.splitlines() == [
        "textprep: 1 of 2 rows were bad and kept without a result:",
        f'textprep: {path}, line 2: "body" is null.',
    ]


def test_many_bad_rows_are_counted_and_some_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": 5}\n' * 25 + b'{"text": "A."}\n')
    result = run("transform", "rules", tmp_path / "a.jsonl", "--out", tmp_path, "--on-error", "skip")
    assert "26 rows, 25 bad" in result.stdout
    lines = result.stderr.splitlines()
    assert lines[0] == "textprep: 25 of 26 rows were bad and skipped:"
    assert len(lines) == 12
    assert lines[-1] == "textprep: and 15 more."


def test_errors_are_one_line(run: Run, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    assert_one_line_error(run("transform", "nothing", *files, "--out", out), "No model file 'nothing'")
    assert_one_line_error(run("transform", "rules", tmp_path / "none.jsonl", "--out", out), "none.jsonl")
    files[1].write_bytes(files[1].read_bytes() + b"{}\n")
    assert_one_line_error(run("transform", "rules", *files, "--out", out), "part-1.jsonl, line 6", 'no "text"')
    assert_one_line_error(run("transform", "rules", *files, "--out", out, "--n-jobs", "0"), "n_jobs must be")
    monkeypatch.setattr("textprep_ml.cli.transform.TIMEOUT", 0.3)
    unreachable = ("--dask", "tcp://127.0.0.1:1")
    assert_one_line_error(run("transform", "rules", *files, "--out", out, *unreachable), "no scheduler answers")


def test_an_error_in_a_worker_is_one_line_too(run: Run, files: list[Path], tmp_path: Path) -> None:
    files[1].write_bytes(files[1].read_bytes() + b"{}\n")
    result = run("transform", "rules", *files, "--out", tmp_path / "out", "--n-jobs", "2")
    assert_one_line_error(result, "part-1.jsonl, line 6", 'no "text"')


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for path in files[:3]:
        path.write_bytes(jsonl(TEXTS * 100))
    os.mkfifo(files[3])  # nobody writes into it: the run waits there until it is killed, however fast the machine is
    out = tmp_path / "out"
    program = "from textprep_ml.cli import main; main()"
    command = [sys.executable, "-c", program, "transform", "naive", *map(str, files), "--out", str(out), "--drop-text"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    while len(list(out.glob("*.parquet"))) < 3:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert all(len(read_part(out / name, "row")) == 500 for name in done)
    files[3].unlink()
    files[3].write_bytes(jsonl(TEXTS * 100))
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "4 parts, 1 of them made" in result.stdout
    assert {name: (out / name).stat().st_mtime_ns for name in done} == done
    assert sorted(path.name for path in out.iterdir()) == [f"{number}.parquet" for number in range(4)]


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster as it is set up by hand: ``dask scheduler``, and two times ``dask worker``."""
    from distributed import Client

    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    common = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]

    def start(kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *common, *options]
        return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)

    processes = [start("scheduler", "--port", "0")]
    try:
        while not file.exists():
            assert processes[0].poll() is None
            time.sleep(0.02)
        processes += [start("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        with Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(2)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_by_its_address(run: Run, scheduler: str, files: list[Path], tmp_path: Path) -> None:
    assert run("transform", "en", *files, "--out", tmp_path / "here").returncode == 0
    result = run("transform", "en", *files, "--out", tmp_path / "there", "--dask", scheduler)
    assert (result.returncode, result.stderr) == (0, "")
    assert "3 parts, 3 of them made" in result.stdout
    for path in (tmp_path / "here").iterdir():
        assert (tmp_path / "there" / path.name).read_bytes() == path.read_bytes()
