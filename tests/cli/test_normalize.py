"""``textprep normalize``: streams, presets, steps, errors."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def normalize(run: Run) -> Run:
    """Run the command in this process; a new one for each call would take seconds."""
    return partial(run, "normalize")


@pytest.mark.parametrize(
    ("arguments", "raw", "expected"),
    [
        (["--preset", "search"], "  Café—“NOIR” \r\n\ncafe\u0301  ﬁn\n", 'cafe-"noir"\n\ncafe fin\n'),
        (["--preset", "search", "--accents", "keep"], "CAFÉ", "café\n"),
        (["--preset", "mt"], "a  b\x0bc\u2028d\te \n\n\n f\u200b…\n", "a b c d e\n\n\nf...\n"),
        ([], "a  b\r\n\ufeffc\x00\u00a0\x85d e\u0301\n", "a  b\nc\u00a0\x85d é\n"),
        (["--preset", "none"], "a\r\n“b”\n", "a\r\n“b”\n"),
        (["--preset", "none", "--contractions", "expand", "--digits", "mask"], "It's 12\n", "It is 00\n"),
        (["--preset", "counts"], "It's 12\n", "it 's 00\n"),
        ([], "", ""),
    ],
)
def test_lines(normalize: Run, arguments: list[str], raw: str, expected: str) -> None:
    done = normalize(*arguments, stdin=raw)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == expected


def test_whole_files_are_joined_by_a_vocabulary(normalize: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("The represen-\ntatives agreed on price-\ndetermining rules.\n\nNext", encoding="utf-8")
    words = tmp_path / "words.txt"
    words.write_text("representatives\nprice\ndetermining\n", encoding="utf-8")
    done = normalize(str(page), "--preset", "pdf", "--whole", "--vocabulary", str(words))
    assert done.stdout == "The representatives agreed on price-determining rules.\n\nNext\n"
    assert normalize("--preset", "pdf", "--whole", stdin="known word\nkno-\nwn").stdout == "known word known\n"


def test_many_lines_keep_their_number(normalize: Run) -> None:
    raw = "".join(f"Line {number} \x0c…\r\n" for number in range(5000))
    done = normalize("--preset", "mt", stdin=raw)
    assert done.stdout == "".join(f"Line {number} ...\n" for number in range(5000))


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (["--preset", "serch"], "", "No normalizer preset 'serch'; there are search, mt,"),
        (["--case", "upper"], "", "'case' parameter"),
        (["--preset", "pdf"], "", "add --whole"),
        (["no-such-file"], "", "no-such-file"),
        ([], b"fine\nb\xffd\n", "standard input, line 2 byte 1: invalid UTF-8"),
    ],
)
def test_errors_are_one_line(normalize: Run, arguments: list[str], data: str | bytes, message: str) -> None:
    done = normalize(*arguments, stdin=data)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_process_streams_and_survives_a_closed_pipe() -> None:
    command = [sys.executable, "-c", "from textprep_ml.cli import main; main()", "normalize", "--preset", "search"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("CAFÉ…\n".encode() * 3_000)
        process.stdin.flush()
        assert process.stdout.readline() == b"cafe...\n"
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
