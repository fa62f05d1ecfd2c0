"""The commands ``distance`` and ``score`` as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "first_line"),
    [
        (["intention", "execution"], "5"),
        (["intention", "execution", "--costs", "1,1,2"], "8"),
        (["form", "from", "--costs", "1,1,1,1"], "1"),
        (["xo", "oyx", "--costs", "1,1,1,1", "--osa"], "3"),
        (["q", "z", "--costs", "1,1,inf"], "2.0"),
        (["the cat", "a cat", "--words"], "1"),
        (["", "abc"], "3"),
    ],
)
def test_distance(run: Run, arguments: list[str], first_line: str) -> None:
    result = run("distance", *arguments)
    assert result == (0, first_line + "\n", "")


def test_distance_prints_alignment_and_table(run: Run) -> None:
    lines = run("distance", "cat", "at", "--align", "--table").stdout.splitlines()
    assert lines[0] == "1"
    assert lines[1].split() == ["#", "a", "t"]
    assert lines[6:9] == ["c a t", "* a t", "d"]
    assert lines[9] == "0:1\t0:0\t1\tdelete c"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--costs", "1,1"], "--costs takes insertion,deletion,substitution"),
        (["--costs", "1,x,1"], "--costs takes"),
        (["--costs", "1,-1,1"], "deletion must be a cost of 0 or more, but got -1"),
        (["--costs", "1,nan,1"], "deletion must be a cost"),
        (["--costs", "inf,inf,inf", "--align"], "no alignment"),
    ],
)
def test_distance_refuses_bad_costs_in_one_line(run: Run, arguments: list[str], message: str) -> None:
    result = run("distance", "a", "b", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_score(run: Run, tmp_path: Path) -> None:
    (tmp_path / "reference.txt").write_text("the cat sat\nä b\n", encoding="utf-8")
    (tmp_path / "hypothesis.txt").write_text("the cat sat down\na\u0308 b\n", encoding="utf-8")
    files = tmp_path / "reference.txt", tmp_path / "hypothesis.txt"
    assert run("score", "--wer", *files).stdout == "wer\t0.4\n"
    assert run("score", *files, "--form", "NFC", "--wer", "--cer", "--mer", "--wil", "--counts").stdout == (
        "wer\t0.2\ncer\t0.357143\nmer\t0.166667\nwil\t0.166667\nhits\t5\nsubstitutions\t0\ndeletions\t0\ninsertions\t1\n"
    )
    *rows, rate = run("score", *files, "--rows").stdout.splitlines()
    assert [json.loads(row)["insertions"] for row in rows] == [1, 0]
    assert rate == "wer\t0.4"
    assert run("score", *files, "--align", "--form", "NFC").stdout.startswith(
        "line 1\nthe cat sat *\nthe cat sat down\n"
    )
    assert run("score", files[0], "-", stdin="the cat sat\nä b\n").stdout == "wer\t0\n"


def test_score_refuses_files_that_do_not_correspond(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\ny\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "c.txt").write_bytes(b"x\n\xff\n")
    for other, message in (
        ("b.txt", "has 2 lines, but"),
        ("c.txt", "line 2 byte 0: invalid UTF-8"),
        ("d.txt", "No such file"),
    ):
        result = run("score", "--wer", tmp_path / "a.txt", tmp_path / other)
        assert result.returncode == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert run("score", tmp_path / "a.txt", tmp_path / "a.txt", "--form", "NFX").returncode == 2


def test_the_command_runs_in_its_own_process() -> None:
    command = [sys.executable, "-c", "from textprep_ml.cli import main; main()", "distance", "kitten", "sitting"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "3\n"
