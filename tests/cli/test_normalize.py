"""``textprep normalize`` as a process: streams, presets, steps, errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str, data: str | bytes = "") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from textprep_ml.cli import main; main()", "normalize", *arguments]
    return subprocess.run(
        command, input=data if isinstance(data, bytes) else data.encode(), capture_output=True, timeout=60, check=False
    )


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
def test_lines(arguments: list[str], raw: str, expected: str) -> None:
    done = run(*arguments, data=raw)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == expected


def test_whole_files_are_joined_by_a_vocabulary(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("The represen-\ntatives agreed on price-\ndetermining rules.\n\nNext", encoding="utf-8")
    words = tmp_path / "words.txt"
    words.write_text("representatives\nprice\ndetermining\n", encoding="utf-8")
    done = run(str(page), "--preset", "pdf", "--whole", "--vocabulary", str(words))
    assert done.stdout.decode() == "The representatives agreed on price-determining rules.\n\nNext\n"
    assert run("--preset", "pdf", "--whole", data="known word\nkno-\nwn").stdout == b"known word known\n"


def test_many_lines_keep_their_number() -> None:
    raw = "".join(f"Line {number} \x0c…\r\n" for number in range(5000))
    done = run("--preset", "mt", data=raw)
    assert done.stdout.decode() == "".join(f"Line {number} ...\n" for number in range(5000))


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        (["--preset", "serch"], "", b"No normalizer preset 'serch'; there are search, mt,"),
        (["--case", "upper"], "", b"'case' parameter"),
        (["--preset", "pdf"], "", b"add --whole"),
        (["no-such-file"], "", b"no-such-file"),
        ([], b"fine\nb\xffd\n", b"standard input, line 2 byte 1: invalid UTF-8"),
    ],
)
def test_errors_are_one_line(arguments: list[str], data: str | bytes, message: bytes) -> None:
    done = run(*arguments, data=data)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count(b"\n") == 1
