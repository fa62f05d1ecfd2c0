"""Ctrl-C, SIGTERM, readers that go, too little memory, and file names that are not UTF-8."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run
from textprep_ml.bulk import transform_files
from textprep_ml.cli import _sentences, words

BYTES = b"Dr. Ito left. He was late.\n"


@pytest.mark.parametrize(
    ("module", "name", "command"), [(words, "_list_words", ["words", "-"]), (_sentences, "segment_files", ["segment"])]
)
@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "interrupted."),
        (MemoryError("The table takes 7 GB."), 2, "The table takes 7 GB."),
        (MemoryError(), 2, "there is not enough memory."),
    ],
)
def test_one_line(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    command: list[str],
    error: BaseException,
    code: int,
    line: str,
) -> None:
    def fail(*args: Any, **kwargs: Any) -> NoReturn:
        raise error

    monkeypatch.setattr(module, name, fail)
    assert run(*command) == (code, "", f"textprep: {line}\n")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / os.fsdecode(b"caf\xe9.txt")
    path.write_bytes(BYTES)
    return path


def test_json_is_utf8_whatever_the_name_of_the_file(run: Run, odd: Path) -> None:
    found = run("segment", "--format", "jsonl", odd)
    assert json.loads(found.stdout)["id"] == f"{odd.parent}/caf\\xe9.txt"
    found = run("suggest", "en", odd)
    assert json.loads(found.stdout.splitlines()[0])["id"] == "caf\\xe9"
    for output in (run("evaluate", "rules", odd, "--json"), run("evaluate", "words:ud", _conllu(odd), "--json")):
        assert output.returncode == 0, output.stderr
        output.stdout.encode("utf-8")  # raises where it is not
        assert [Path(name).stem for name in json.loads(output.stdout)] == ["caf\\xe9"]


def _conllu(odd: Path) -> Path:
    path = odd.with_suffix(".conllu")
    path.write_text("\t".join(["1", "Go", *"________"]) + "\n", encoding="utf-8")
    return path


def test_reports_too(run: Run, odd: Path, tmp_path: Path) -> None:
    found = run("evaluate", "rules", odd, "--report", tmp_path / "report.html")
    assert found.returncode == 0, found.stderr
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [Path(name).name for name in data["corpora"]] == ["caf\\xe9.txt"]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("suffix", [".txt", ".parquet"])
def test_parts_too(run: Run, odd: Path, tmp_path: Path, n_jobs: int, suffix: str) -> None:
    """The part has a name that every reader can open."""
    source, out = odd.with_suffix(suffix), tmp_path / "out"
    if suffix == ".parquet":
        with source.open("wb") as file:
            pq.write_table(pa.table({"text": [BYTES.decode()]}), file)
    other = tmp_path / "other.txt"
    other.write_bytes(BYTES)
    for made in (2, 0):
        found = run("transform", "en", source, other, "--out", out, "--n-jobs", n_jobs)
        assert (found.returncode, found.stderr) == (0, "")
        assert f"2 parts, {made} of them made" in found.stdout
    assert {path.name for path in out.iterdir()} == {"caf\\xe9.parquet", "other.parquet"}
    assert pq.read_table(out / "caf\\xe9.parquet")["sentences"].to_pylist() == [[[0, 13], [14, 26]]]


def test_folders_too(odd: Path, tmp_path: Path) -> None:
    out = tmp_path / os.fsdecode(b"o\xe9")
    assert [transform_files("en", [odd], out).n_written for _ in range(2)] == [1, 0]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.txt"
    path.write_bytes(BYTES * 1_200_000)
    return path


@pytest.mark.parametrize("command", ["tokenize", "normalize"])
def test_no_advice_when_the_reader_of_the_output_has_gone(shell: Run, large: Path, command: str) -> None:
    found = shell(f"TOOL {command} {large} --n-jobs 2 | head -n 1")
    assert len(found.stdout.splitlines()) == 1
    assert found.stderr == ""


def _children(pid: int) -> set[int]:
    found = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, found.splitlines())}
    return {child for child, parent in parents.items() if pid in (parent, parents.get(parent))}


def _await(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")
@pytest.mark.parametrize("command", ["transform", "tokenize"])
def test_sigterm_ends_the_processes_and_leaves_no_half_written_files(large: Path, tmp_path: Path, command: str) -> None:
    out = tmp_path / "out"
    sources = [tmp_path / name for name in ("a.txt", "b.txt")]
    for source in sources:
        source.symlink_to(large)
    rest = ["transform", "en", *sources, "--out", out] if command == "transform" else ["tokenize", *sources]
    process = subprocess.Popen(
        [sys.executable, "-m", "textprep_ml", *map(str, rest), "--n-jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    if command == "transform":
        assert _await(lambda: any(out.glob(".*.part")))
    else:
        process.stdout.read(1000)  # the rest fills the pipe, so that the command waits in the middle of its work
    workers = _children(process.pid)
    assert len(workers) >= 2
    process.terminate()
    _, messages = process.communicate(timeout=60)
    assert (process.returncode, messages) == (143, b"")
    assert _await(lambda: not workers & _alive())
    assert not any(out.glob(".*"))


def _alive() -> set[int]:
    found = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True, check=True).stdout
    return {int(line.split()[0]) for line in found.splitlines() if not line.split()[1].startswith("Z")}
