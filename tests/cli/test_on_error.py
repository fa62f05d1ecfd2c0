"""``--on-error`` of ``train``, ``evaluate`` and ``score``: bad rows are named and counted, the others are used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GOOD = [
    {"id": f"d{number}", "text": "Dr. Smith left. He was late.", "sentences": [[0, 15], [16, 28]]}
    for number in range(12)
]
LINES = [json.dumps(row).encode() for row in GOOD]
BAD = [
    (b'{"id": "x", "text": null, "sentences": []}', '"text" is NoneType, not a string'),
    (b'{"id": "x", "text": 7, "sentences": []}', '"text" is int, not a string'),
    (b'{"id": "x", "text": "caf\xe9", "sentences": []}', "byte 24: invalid UTF-8 (0xe9)"),
    (b'{"id": "x", "text": "A.", "sentences": [[0, 9]]}', "out of range"),
    (b"not json", "not JSON"),
]


def write(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Good rows with a bad one behind each of the first."""
    lines = [line for good, (bad, _) in zip(LINES, BAD, strict=False) for line in (good, bad)]
    return write(tmp_path / "damaged.jsonl", lines + LINES[len(BAD) :])


@pytest.fixture
def config(tmp_path: Path, damaged: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(
        f'[model]\ntype = "SentenceSegmenter"\n\n[data]\ntrain = ["{damaged}"]\ndev = ["{damaged}"]\n\n'
        f'[output]\nmodel = "{tmp_path / "out.json"}"\n',
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("choice", ["skip", "null"])
def test_evaluate_goes_on(choice: str, run: Run, damaged: Path, tmp_path: Path) -> None:
    found = run("evaluate", "rules", damaged, "--json", "--on-error", choice)
    assert found.returncode == 0, found.stderr
    assert f"{len(BAD)} of {len(BAD) + len(LINES)} rows were bad" in found.stderr
    for number, (_, message) in enumerate(BAD):
        assert f"{damaged}, line {2 * number + 2}" in found.stderr
        assert message in found.stderr
    clean = write(tmp_path / "clean.jsonl", LINES)
    expected = json.loads(run("evaluate", "rules", clean, "--json").stdout)
    assert json.loads(found.stdout) == {str(damaged): expected[str(clean)]}


def test_bad_rows_are_errors_unless_told(run: Run, damaged: Path, config: Path, tmp_path: Path) -> None:
    for found in (run("evaluate", "rules", damaged), run("train", config)):
        assert found.returncode == 2
        assert "line 2" in found.stderr
    assert not (tmp_path / "out.json").exists()


def test_train_goes_on(run: Run, damaged: Path, config: Path, tmp_path: Path) -> None:
    found = run("train", config, "--on-error", "skip")
    assert found.returncode == 0, found.stderr
    assert f"{len(BAD)} of {len(BAD) + len(LINES)} rows were bad and skipped" in found.stderr
    assert str(damaged) in found.stdout  # the file is called what it is called, not its cleaned copy
    saved = (tmp_path / "out.json").read_text(encoding="utf-8")
    assert "textprep-" not in saved
    model = json.loads(saved)
    assert model["config"]["data"]["train"] == [str(damaged)]


def test_vocabularies(run: Run, tmp_path: Path) -> None:
    text = write(tmp_path / "text.txt", [b"one two", b"bad \xff line", b"one three"] * 9)
    config = tmp_path / "bpe.toml"
    config.write_text(
        f'[model]\ntype = "BPETokenizer"\nparams = {{ vocab_size = 260 }}\n\n[data]\n'
        f'train = [{{ path = "{text}", format = "lines" }}]\n\n[output]\nmodel = "{tmp_path / "bpe.json"}"\n',
        encoding="utf-8",
    )
    assert run("train", config).returncode == 2
    found = run("train", config, "--on-error", "skip")
    assert found.returncode == 0, found.stderr
    assert f"9 of 27 rows were bad and skipped:\ntextprep: {text}, line 2 byte 4: invalid UTF-8" in found.stderr
    assert run("evaluate", tmp_path / "bpe.json", text).returncode == 2
    found = run("evaluate", tmp_path / "bpe.json", text, "--on-error", "null")
    assert found.returncode == 0, found.stderr
    assert "9 of 27 rows were bad" in found.stderr
    assert str(text) in found.stdout


def test_rows_without_a_fault_are_not_copied(run: Run, tmp_path: Path) -> None:
    clean = write(tmp_path / "clean.jsonl", LINES)
    plain = run("evaluate", "rules", clean, "--json")
    assert run("evaluate", "rules", clean, "--json", "--on-error", "skip") == plain


def test_mending_is_not_for_corpora(run: Run, damaged: Path) -> None:
    found = run("evaluate", "rules", damaged, "--on-error", "replace")
    assert found.returncode == 2
    assert "expected raise, skip or null" in found.stderr


def test_score(run: Run, tmp_path: Path) -> None:
    right = write(tmp_path / "right.txt", [b"a b", b"c \xff", b"d e", b"f"])
    other = write(tmp_path / "other.txt", [b"a b", b"c d", b"d \xfe", b"g"])
    found = run("score", right, other, "--counts")
    assert found.returncode == 2
    assert f"{right}, line 2 byte 2: invalid UTF-8 (0xff)" in found.stderr
    skipped = run("score", right, other, "--counts", "--rows", "--on-error", "skip")
    assert skipped.returncode == 0
    assert "2 of 4 rows were bad and skipped" in skipped.stderr
    assert f"{other}, line 3 byte 2" in skipped.stderr
    assert "hits\t2\nsubstitutions\t1" in skipped.stdout
    null = run("score", right, other, "--counts", "--rows", "--on-error", "null")
    assert null.stdout.splitlines()[1:3] == ["null", "null"]
    assert [line for line in null.stdout.splitlines() if line != "null"] == skipped.stdout.splitlines()
    aligned = run("score", right, other, "--align", "--on-error", "skip")
    assert "line 4\n" in aligned.stdout
    mended = run("score", right, other, "--counts", "--on-error", "replace")
    assert mended.returncode == 0
    assert "hits\t4\n" in mended.stdout
