"""Running the command line: in this process, which is fast, and in one of its own, which is the real thing."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from textprep_ml import SentenceSegmenter, iter_rows
from textprep_ml.cli import main

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "data" / "sample"

#: The command line of the checkout, as a word of a shell command.
TOOL = f"{sys.executable} -c 'from textprep_ml.cli import main; main()'"


class Result(NamedTuple):
    """What a command gave."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run the command line in this process, from the root of the checkout."""
    monkeypatch.chdir(ROOT)

    def call(*arguments: Any, stdin: str | bytes = "") -> Result:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "argv", ["textprep", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        return Result(code if isinstance(code, int) else 0, *capsys.readouterr())

    threshold = gc.get_threshold()
    yield call
    gc.set_threshold(*threshold)  # a command makes collections rarer for as long as its process lasts


@pytest.fixture(scope="session")
def shell() -> Run:
    """Run a shell command in which TOOL is the command line."""

    def call(command: str, **environment: str) -> Result:
        done = subprocess.run(
            ["bash", "-c", command.replace("TOOL", TOOL)],
            capture_output=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small trained model."""
    rows = [row for row in iter_rows(SAMPLE / "train.jsonl") if row["id"].split("-")[0] in ("news", "mail", "chat")]
    segmenter = SentenceSegmenter(min_count=2).fit([row["text"] for row in rows], [row["sentences"] for row in rows])
    path = tmp_path_factory.mktemp("models") / "small.json"
    segmenter.save(path)
    return path


def assert_one_line_error(result: Result, *parts: str) -> None:
    """Every error is one line on standard error, with exit code 2 and nothing on standard output."""
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("textprep: ")
    assert len(result.stderr.splitlines()) == 1
    for part in parts:
        assert part in result.stderr


def damaged(path: Path, tmp_path: Path, **changes: Any) -> Path:
    """Write a copy of a model file with changed keys."""
    document = json.loads(path.read_text(encoding="utf-8"))
    copy = tmp_path / "changed.json"
    copy.write_text(json.dumps({**document, **changes}), encoding="utf-8")
    return copy
