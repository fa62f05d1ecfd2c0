"""``textprep words --n-jobs``: the same output, however the stream is parted."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cli.conftest import SAMPLE, Run

FILES = sorted((SAMPLE / "raw").glob("*.txt"))
CHANCE = random.Random(5)
STREAM = "".join(CHANCE.choices("abZé犬 \n\n.-", k=4000)).encode()


@pytest.mark.parametrize("size", [7, 64, 1 << 20])
@pytest.mark.parametrize(
    "options", [(), ("-i",), ("-c",), ("-i", "-c"), ("--top", "0"), ("-c", "-u"), ("-i", "-u", "--top", "9")]
)
@pytest.mark.parametrize("data", [STREAM, b"..." + STREAM, b"", b"\n", b"one", b"one\ntwo one"])
def test_threads_change_nothing(
    size: int, options: tuple[str, ...], data: bytes, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = run("words", *options, stdin=data)
    monkeypatch.setattr("textprep_ml.cli.words.CHUNK_BYTES", size)
    assert run("words", *options, "--n-jobs", 3, stdin=data) == one
    assert one.returncode == 0


def test_files_on_threads(run: Run, tmp_path: Path) -> None:
    for options in ((), ("--count",)):
        assert run("words", *options, "--n-jobs", 2, *FILES) == run("words", *options, *FILES)


def test_no_workers_are_refused(run: Run) -> None:
    found = run("words", "--n-jobs", 0, stdin="a")
    assert found.returncode == 2
    assert "n_jobs" in found.stderr
