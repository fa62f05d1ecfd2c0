"""`textprep segment` reads plain arguments itself; it must read them as typer does, and leave the rest to typer."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from textprep_ml.cli import _sentences, segment
from textprep_ml.cli._plain import parse_plain
from textprep_ml.cli.app import build_app

PLAIN = [
    [],
    ["-"],
    ["a.txt"],
    ["a.txt", "b c.txt", "-"],
    ["--model", "m.json", "a.txt"],
    ["a.txt", "--model=x=y"],
    ["--format", "spans", "--newline", "soft", "--threshold", "0.25", "--n-jobs", "-1", "a.txt"],
    ["--threshold=1", "--n-jobs=2"],
    ["--threshold", "2", "é.txt"],
]
OTHER = [
    ["--help"],
    ["--version"],
    ["--", "a.txt"],
    ["-x"],
    [""],
    ["--model"],
    ["--model="],
    ["--model", ""],
    ["--model", "--help"],
    ["--model", "a", "--model", "b"],
    ["--format", "Lines"],
    ["--newline", "none"],
    ["--threshold", "x"],
    ["--threshold", "1e-3"],
    ["--threshold", "-1"],
    ["--n-jobs", "1.0"],
    ["--n-jobs", "1_0"],
    ["--n_jobs", "1"],
    ["--unknown", "1"],
    ["--mode", "en"],
]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect what the command is called with."""
    calls: list[Any] = []
    monkeypatch.setattr(segment, "segment_files", lambda *arguments: calls.append(arguments))
    return calls


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_plain_arguments_are_read_as_typer_reads_them(arguments: list[str], called: list[Any]) -> None:
    build_app(["segment"])(["segment", *arguments], standalone_mode=False)
    plain = parse_plain(arguments, _sentences.OPTIONS)
    assert plain is not None
    bound = inspect.signature(_sentences.segment_files).bind(plain[0], **plain[1])
    bound.apply_defaults()
    assert called == [bound.args]
    assert list(map(type, called[0])) == list(map(type, bound.args))


@pytest.mark.parametrize("arguments", OTHER, ids=" ".join)
def test_the_rest_is_left_to_typer(arguments: list[str]) -> None:
    assert parse_plain(["a.txt", *arguments], _sentences.OPTIONS) is None


def test_every_option_of_the_command_is_known() -> None:
    command = inspect.signature(segment.segment).parameters
    assert list(inspect.signature(_sentences.segment_files).parameters) == list(command)
    assert list(_sentences.OPTIONS) == [f"--{name.replace('_', '-')}" for name in command if name != "files"]
    for name in set(command) - {"files"}:
        assert inspect.signature(_sentences.segment_files).parameters[name].default == command[name].default


def test_files_come_as_paths() -> None:
    assert parse_plain(["a/b.txt", "-"], {}) == ([Path("a/b.txt"), Path("-")], {})


def test_the_package_runs_as_the_command(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Dr. Ito left. She came.", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "textprep_ml", "segment", str(text)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Dr. Ito left.\nShe came.\n"
