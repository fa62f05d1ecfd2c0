"""Labels survive what kills a process, and never overwrite each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.labelling.conftest import DOCUMENTS
from textprep_ml.exceptions import CorpusFormatError
from textprep_ml.labelling.labels import Change, ConflictError, LabelStore

Open = Callable[..., LabelStore]


def model(number: int) -> np.ndarray:
    """What a model says: boundaries of document 0 at 31 and 41, none elsewhere."""
    return np.array([[31, 41], []][number], dtype=np.int64)


def decide(store: LabelStore, number: int, *labels: tuple[int, bool | None]) -> None:
    store.decide(number, [Change(end, store.labels[number].get(end), now) for end, now in labels])


# Surviving


def test_a_decision_is_on_the_disk_when_it_is_confirmed(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    decide(store, 0, (25, False), (31, True))
    decide(store, 1, (11, False))
    decide(store, 0, (10, None))
    again = open_store()
    assert again.labels == [{25: False, 31: True}, {11: False}]
    assert not again.path.exists()


def test_the_journal_is_forced_to_the_disk(open_store: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    store = open_store()
    decide(store, 0, (10, False))
    assert synced == [store._journal.fileno()]


def test_a_line_that_was_cut_short_was_never_confirmed(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    with store.journal_path.open("ab") as file:
        file.write(b'{"id": "a", "changes": [[25, tr')
    again = open_store()
    assert again.labels[0] == {10: False}
    decide(again, 0, (31, True))
    assert open_store().labels[0] == {10: False, 31: True}


def test_a_damaged_line_in_the_middle_is_named(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    with store.journal_path.open("ab") as file:
        file.write(b'{"id": "a"}\n')
    with pytest.raises(CorpusFormatError, match=r"labels.jsonl.journal, line 2: no record of a decision"):
        open_store()


def test_saving_empties_the_journal_and_keeps_the_labels(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False), (25, True))
    store.save(model)
    assert store.journal_path.read_bytes() == b""
    decide(store, 0, (41, True))
    assert open_store().labels[0] == {10: False, 25: True, 41: True}


def test_a_journal_that_was_saved_already_does_no_harm(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False), (25, True))
    decide(store, 0, (25, None))
    journal = store.journal_path.read_bytes()
    store.save(model)
    store.journal_path.write_bytes(journal)  # killed between the two steps of saving
    assert open_store().labels[0] == {10: False}


def test_a_killed_process_loses_nothing_that_it_confirmed(tmp_path: Path) -> None:
    code = f"""
import numpy as np, os, signal
from pathlib import Path
from textprep_ml.labelling.labels import Change, LabelStore
rows = [{{"id": "a", "text": "x " * 500}}]
store = LabelStore(Path({str(tmp_path / "labels.jsonl")!r}), rows, lambda number: np.arange(1, 999, 2))
for end in range(1, 999, 2):
    store.decide(0, [Change(end, None, end % 4 == 1)])
    print(end, flush=True)
    if end == 61:
        os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    confirmed = [int(line) for line in done.stdout.split()]
    assert done.returncode == -9
    again = LabelStore(
        tmp_path / "labels.jsonl", [{"id": "a", "text": "x " * 500}], lambda number: np.arange(1, 999, 2)
    )
    assert again.labels[0] == {end: end % 4 == 1 for end in confirmed}


# Not overwriting


def test_a_decision_needs_the_label_that_is_there(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    before = store.journal_path.read_bytes()
    for was in (None, True):
        with pytest.raises(ConflictError, match="at 10 has been changed elsewhere"):
            store.decide(0, [Change(25, None, True), Change(10, was, True)])
    assert store.labels[0] == {10: False}
    assert store.journal_path.read_bytes() == before


@pytest.mark.parametrize("end", [0, -3, 68, 10**9])
def test_there_is_no_place_outside_of_the_text(open_store: Open, end: int) -> None:
    with pytest.raises(ValueError, match=f"no place {end} in a text of 68 characters"):
        open_store().decide(0, [Change(end, None, True)])


def test_each_change_has_a_version_of_its_own(open_store: Open) -> None:
    store = open_store()
    versions = [store.version]
    for label in (True, False, None):
        decide(store, 0, (10, label))
        versions.append(store.version)
    assert versions == sorted(set(versions))


def test_two_processes_cannot_share_a_file(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    with pytest.raises(ValueError, match="in use: another `textprep label` has the same --out"):
        LabelStore(store.path, DOCUMENTS, lambda number: np.array([]))


# The file


def test_the_file_is_what_training_reads(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False), (31, True), (41, False))
    store.save(model)
    (row,) = [json.loads(line) for line in store.path.read_text(encoding="utf-8").splitlines()]
    assert row["sentences"] == [[0, 31], [32, 68]]
    assert row["labelled"] == [[10, 11], [31, 32], [41, 42]]


def test_a_document_is_labelled_as_a_whole_when_every_candidate_is(open_store: Open) -> None:
    store = open_store()
    decide(store, 1, (11, False))
    assert "labelled" in store.collect(model)()[0]
    decide(store, 1, (16, True))
    (row,) = store.collect(model)()
    assert "labelled" not in row
    store.save(model)
    assert open_store().labels[1] == {11: False, 16: True}


def test_own_boundaries_come_back_too(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (6, True))  # between "met" and "Dr.", where no candidate is
    store.save(model)
    assert open_store().labels[0] == {6: True}


def test_taking_the_last_label_back_empties_the_file(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    store.save(model)
    decide(store, 0, (10, None))
    store.save(model)
    assert store.path.read_bytes() == b""
    assert open_store().n_labels == 0


def test_documents_that_are_not_open_keep_their_labels(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    decide(store, 1, (11, False))
    store.save(model)
    half = open_store(DOCUMENTS[:1])
    decide(half, 0, (31, True))
    half.save(model)
    assert open_store().labels == [{10: False, 31: True}, {11: False}]


def test_labels_of_another_text_are_refused(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    store.save(model)
    with pytest.raises(CorpusFormatError, match="document 'a' has another text now"):
        open_store([{"id": "a", "text": "Other."}])


# Taking over


def test_labels_of_others_are_added_where_there_are_none(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, True))
    text = DOCUMENTS[0]["text"]
    row: dict[str, Any] = {"id": "a", "text": text, "sentences": [[0, 31], [32, 68]]}
    assert store.add([{**row, "labelled": [[10, 11], [31, 32]]}]) == 1
    assert store.labels[0] == {10: True, 31: True}
    assert store.add([row]) == 4
    assert store.labels[0] == {10: True, 25: False, 31: True, 41: False, 52: False, 60: False}
    assert open_store().labels[0] == store.labels[0]


def test_labels_of_unknown_documents_change_nothing(open_store: Open) -> None:
    store = open_store()
    good = {"id": "b", "text": DOCUMENTS[1]["text"], "sentences": [[0, 16]]}
    with pytest.raises(ValueError, match="no open document is 'z' with the same text"):
        store.add([good, {"id": "z", "text": "A.", "sentences": [[0, 2]]}])
    assert store.n_labels == 0


def test_what_is_decided_while_labels_are_written_stays_in_the_journal(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    collect, version = store.collect(model), store.version
    decide(store, 0, (31, True))
    store.write(collect())
    store.written(version)
    assert json.loads(store.path.read_text(encoding="utf-8"))["labelled"] == [[10, 11]]
    assert open_store().labels[0] == {10: False, 31: True}


def test_a_clean_end_leaves_no_journal(open_store: Open) -> None:
    store = open_store()
    decide(store, 0, (10, False))
    store.save(model)
    store.close()
    assert not store.journal_path.exists()
