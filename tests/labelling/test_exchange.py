"""Labels go to Label Studio and brat and come back."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from textprep_ml import iter_rows
from textprep_ml.exceptions import CorpusFormatError
from textprep_ml.labelling.exchange import iter_label_studio, to_brat, to_jsonl, to_label_studio
from textprep_ml.labelling.reading import read_labels

ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "We ran 🙃. Then 👩‍👧 left.\nثم غادر.", "sentences": [[0, 9], [10, 24], [25, 33]]},
    {"id": "d/b", "text": "One. Two. X", "sentences": [[0, 4], [5, 11]], "labelled": [[4, 5], [9, 10]]},
]


def test_label_studio_gives_back_what_it_got(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(to_label_studio(ROWS), encoding="utf-8")
    assert list(iter_label_studio(path)) == ROWS
    assert read_labels(path) == ROWS


def test_label_studio_counts_utf16_units() -> None:
    text = ROWS[0]["text"]
    (task, _) = json.loads(to_label_studio(ROWS))
    units = text.encode("utf-16-le")
    for region, (start, end) in zip(task["annotations"][0]["result"], ROWS[0]["sentences"], strict=True):
        value = region["value"]
        assert units[2 * value["start"] : 2 * value["end"]].decode("utf-16-le") == text[start:end] == value["text"]


def test_cancelled_annotations_and_tasks_without_any_are_left_out(tmp_path: Path) -> None:
    tasks = json.loads(to_label_studio(ROWS))
    tasks[0]["annotations"] = [tasks[0]["annotations"][0], {"was_cancelled": True, "result": []}]
    tasks[1]["annotations"] = []
    (tmp_path / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    assert list(iter_label_studio(tmp_path / "tasks.json")) == ROWS[:1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense", "not JSON"),
        ("{}", "expected a list of tasks"),
        ("[{}]", "task 0 is no task of Label Studio"),
        ('[{"data": {"text": "A."}, "annotations": [{"result": [{"type": "labels", "value": {"start": 0, "end": 9, '
         '"labels": ["Sentence"]}}]}]}]', "task 0 is no task"),
        ('[{"data": {"text": "A."}, "annotations": [{"result": [{"type": "labels", "value": {"start": 0, "end": 2, '
         '"text": "B.", "labels": ["Sentence"]}}]}]}]', "a region says 'B.', the text has 'A.' there"),
    ],
)  # fmt: skip
def test_foreign_files_are_refused(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CorpusFormatError, match=message) as raised:
        list(iter_label_studio(path))
    assert "tasks.json" in str(raised.value)


def test_files_without_labels_are_no_labels(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text("[]", encoding="utf-8")
    with pytest.raises(CorpusFormatError, match="without labels"):
        read_labels(tmp_path / "tasks.json")


def test_brat_gives_back_what_it_got(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(to_brat(ROWS))) as archive:
        archive.extractall(tmp_path / "labels")
    rows = {row["id"]: row for row in iter_rows(tmp_path / "labels", "brat")}
    assert rows["a"] == ROWS[0]
    assert rows["d_b"] == {**ROWS[1], "id": "d_b"}


def test_json_lines_are_what_training_reads(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text(to_jsonl(ROWS), encoding="utf-8")
    assert list(iter_rows(tmp_path / "labels.jsonl")) == ROWS
