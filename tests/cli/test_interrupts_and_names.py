"""Ctrl-C, too little memory, and file names that are not UTF-8."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.cli.conftest import Run
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
