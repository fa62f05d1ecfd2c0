"""``textprep label``: what is refused before a page is served. The page itself is tested in tests/browser."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import ROOT, Run, assert_one_line_error

RAW = ROOT / "data" / "sample" / "raw" / "raw-en.txt"


def test_what_is_wrong_is_said_in_one_line(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "labels.jsonl"
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert_one_line_error(run("label", "nowhere.txt", "--out", out), "nowhere.txt")
    assert_one_line_error(run("label", empty, "--out", out), "empty.txt", "no documents")
    assert_one_line_error(run("label", RAW, RAW, "--out", out), "named twice")
    assert_one_line_error(run("label", RAW, "--out", out, "--model", "en-tree"), "linear model")
    assert_one_line_error(run("label", RAW, "--out", tmp_path / "no" / "labels.jsonl"), "No such file")
    assert_one_line_error(run("label", RAW, "--out", out, "--import", empty), "empty.txt")
    out.write_text(json.dumps({"id": "raw-en", "text": "Other.", "sentences": [[0, 6]]}) + "\n", encoding="utf-8")
    assert_one_line_error(run("label", RAW, "--out", out), "'raw-en' has another text now")


def test_partly_labelled_documents_do_not_measure(run: Run, tmp_path: Path) -> None:
    dev = tmp_path / "dev.jsonl"
    row = {"id": "x", "text": "One. Two.", "sentences": [[0, 4], [5, 9]], "labelled": [[4, 5]]}
    dev.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert_one_line_error(run("label", RAW, "--out", tmp_path / "labels.jsonl", "--dev", dev), "in parts only")
