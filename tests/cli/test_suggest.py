"""``textprep suggest``: JSON lines with the places worth labelling, counted in the characters of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import ROOT, Run, assert_one_line_error
from textprep_ml.segmentation import windows

RAW = ROOT / "data" / "sample" / "raw" / "raw-en.txt"


def rows_of(result: Any) -> list[dict[str, Any]]:
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_places_are_those_of_the_file(run: Run) -> None:
    text = RAW.read_text(encoding="utf-8")
    rows = rows_of(run("suggest", "en", RAW, "--n", 12))
    assert len(rows) == 12
    for row in rows:
        assert row["id"] == "raw-en"
        assert text[: row["end"]].endswith(row["left"])
        assert text[row["start"] :].startswith(row["right"])


def test_places_are_counted_on_from_window_to_window(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = RAW.read_text(encoding="utf-8")
    monkeypatch.setattr(windows.read_windows, "__defaults__", (2000,))
    rows = rows_of(run("suggest", "en", RAW, "--n", 30))
    assert max(row["end"] for row in rows) > 4000
    for row in rows:
        assert text[row["end"] - 1] == row["left"][-1]
        assert text[row["start"] :].startswith(row["right"])


def test_labelled_places_are_left_out(run: Run, tmp_path: Path) -> None:
    text = RAW.read_text(encoding="utf-8")
    first = {row["end"] for row in rows_of(run("suggest", "en", RAW, "--n", 9))}
    labels = tmp_path / "labels.jsonl"
    row = {"id": "raw-en", "text": text, "sentences": [[0, len(text)]], "labelled": [[e, e + 1] for e in sorted(first)]}
    labels.write_text(json.dumps(row) + "\n", encoding="utf-8")
    second = {row["end"] for row in rows_of(run("suggest", "en", RAW, "--n", 9, "--labels", labels))}
    assert len(second) == 9
    assert not first & second
    labels.write_text(json.dumps({**row, "labelled": None}) + "\n", encoding="utf-8")
    assert rows_of(run("suggest", "en", RAW, "--labels", labels)) == []


def test_standard_input_is_read(run: Run) -> None:
    (row,) = rows_of(run("suggest", "en", "-", stdin="We came. They left."))
    assert (row["end"], row["start"]) == (8, 9)


def test_what_is_wrong_is_said_in_one_line(run: Run) -> None:
    assert_one_line_error(run("suggest", "nowhere.json", RAW), "nowhere.json")
    assert_one_line_error(run("suggest", "en", "nowhere.txt"), "nowhere.txt")
    assert_one_line_error(run("suggest", "en", "-", stdin=b"a \xff"), "standard input, line 1 byte 2")
