"""Decisions about places, kept as they are made: a journal beside the file of labels that training reads.

The file of labels holds whole documents, so it is rewritten now and then only. Each decision is appended to the journal
at once and forced to the disk, before anyone is told that it was taken. Whoever opens the labels reads both; a process
that was killed has lost nothing but what it had not confirmed. Setting a place twice changes nothing, so a journal may
be read again onto labels that have it in them already.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from textprep_ml._files import fail
from textprep_ml.corpora import iter_rows, write_corpus
from textprep_ml.segmentation.training import covered, strip_span

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two processes from one file
    fcntl = None  # type: ignore[assignment]

Row = dict[str, Any]

#: True for a boundary, False for none, None for a place that has no label.
Label = bool | None


@dataclass(frozen=True)
class Change:
    """One place whose label changes.

    Attributes
    ----------
    end : int
        Where the token before it ends.
    was : bool or None
        The label that whoever decided saw there.
    now : bool or None
        The new label.
    """

    end: int
    was: Label
    now: Label


class ConflictError(Exception):
    """A place has another label than the one that was seen."""


class LabelStore:
    """The labels of some documents, in memory and on the disk.

    Parameters
    ----------
    path : Path
        The file of labels; the journal lies beside it.
    documents : sequence of dict
        Raw documents, with "id" and "text".
    places : callable
        Takes the number of a document, gives where the tokens before its candidates end.

    Attributes
    ----------
    labels : list of dict
        Per document: place -> whether it is a boundary.
    version : int
        How many changes have been made; each raises it.

    Raises
    ------
    CorpusFormatError
        If one of the files is damaged, or holds a document of the same name with another text.
    """

    def __init__(self, path: Path, documents: Sequence[Row], places: Callable[[int], np.ndarray]) -> None:
        self.path = path
        self.journal_path = path.with_name(path.name + ".journal")
        self.documents = documents
        self.labels: list[dict[int, bool]] = [{} for _ in documents]
        self.version = 0
        self._places = places
        self._numbers = {row["id"]: number for number, row in enumerate(documents)}
        self._others: list[Row] = []  # rows of documents that are not open now
        self._journal = _open_alone(self.journal_path)
        if path.exists() and path.stat().st_size:
            for row in iter_rows(path, "jsonl"):
                self._read_row(row)
        self._replay()

    def _read_row(self, row: Row) -> None:
        number = self._numbers.get(row["id"])
        if number is None:
            self._others.append(row)
            return
        if row["text"] != self.documents[number]["text"]:
            fail(self.path, None, f"document {row['id']!r} has another text now. Give another --out, or the old text.")
        self.labels[number].update(self._labels_of(number, row))

    def _labels_of(self, number: int, row: Row) -> dict[int, bool]:
        """Give the labels that a row stands for: those of its candidates, and of its boundaries that are none."""
        ends = np.array([end for _, end in row["sentences"]], dtype=np.int64)
        places = np.union1d(self._places(number), ends[:-1])
        if row.get("labelled") is not None:
            places = places[covered(places, row["labelled"])]
        return dict(zip(places.tolist(), np.isin(places, ends).tolist(), strict=True))

    def _replay(self) -> None:
        """Read the journal; a last line that was not written whole was never confirmed, and is cut off."""
        data = self.journal_path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        for line, text in enumerate(whole.splitlines(), start=1):
            try:
                record = json.loads(text)
                number = self._numbers.get(record["id"])
                changes = [(int(end), now) for end, now in record["changes"]]
            except (ValueError, KeyError, TypeError) as error:
                fail(
                    self.journal_path, line, f"no record of a decision ({error}). Move the file away to go on without."
                )
            if number is not None:
                self._set(number, changes)
        if len(whole) < len(data):
            os.truncate(self.journal_path, len(whole))

    def _set(self, number: int, changes: Sequence[tuple[int, Label]]) -> None:
        for end, now in changes:
            if now is None:
                self.labels[number].pop(end, None)
            else:
                self.labels[number][end] = now
        self.version += 1

    # Deciding

    def decide(self, number: int, changes: Sequence[Change]) -> None:
        """Change labels: all of them, or none.

        Parameters
        ----------
        number : int
            Of the document.
        changes : sequence of Change
            What changes.

        Raises
        ------
        ConflictError
            If one of the places has another label than the one that was seen.
        ValueError
            If there is no such place.
        """
        length = len(self.documents[number]["text"])
        for change in changes:
            if not 0 < change.end < length:
                raise ValueError(f"There is no place {change.end} in a text of {length} characters.")
            if self.labels[number].get(change.end) != change.was:
                raise ConflictError(f"The label at {change.end} has been changed elsewhere.")
        record = {"id": self.documents[number]["id"], "changes": [[change.end, change.now] for change in changes]}
        self._journal.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self._set(number, [(change.end, change.now) for change in changes])

    def add(self, rows: Sequence[Row]) -> int:
        """Take over labels that were made elsewhere; those that are here already stay.

        Parameters
        ----------
        rows : sequence of dict
            Labelled documents, whose ids and texts are those of documents that are open.

        Returns
        -------
        int
            How many labels were new.

        Raises
        ------
        ValueError
            If a document is not open, or has another text.
        """
        for row in rows:
            number = self._numbers.get(row["id"])
            if number is None or row["text"] != self.documents[number]["text"]:
                raise ValueError(f"Labels cannot be added: no open document is {row['id']!r} with the same text.")
        before = self.n_labels
        for row in rows:
            number = self._numbers[row["id"]]
            known = self.labels[number]
            new = [Change(end, None, now) for end, now in self._labels_of(number, row).items() if end not in known]
            if new:
                self.decide(number, new)
        return self.n_labels - before

    @property
    def n_labels(self) -> int:
        """How many places have a label."""
        return sum(map(len, self.labels))

    # Writing

    def collect(self, boundaries: Callable[[int], np.ndarray]) -> Callable[[], list[Row]]:
        """Take a picture of the labels as they are now.

        Parameters
        ----------
        boundaries : callable
            Takes the number of a document, gives where the model's sentences end, for the places without a label.

        Returns
        -------
        callable
            Gives the labelled documents as training reads them: "id", "text", "sentences" and, unless all candidates
            have a label, "labelled". May be called in another thread, since large documents take a while.
        """
        taken = [
            (row, dict(labels), self._places(number), boundaries(number))
            for number, (row, labels) in enumerate(zip(self.documents, self.labels, strict=True))
            if labels
        ]
        return lambda: [labelled_row(*each) for each in taken]

    def write(self, rows: Sequence[Row]) -> None:
        """Write the file of labels; may be called in another thread.

        Parameters
        ----------
        rows : sequence of dict
            As `collect` gives them. Documents that are not open now are written too.
        """
        rows = [*self._others, *rows]
        if rows:
            write_corpus(rows, self.path, "jsonl")
        elif self.path.exists():
            self.path.write_bytes(b"")  # every label was taken back

    def written(self, version: int) -> None:
        """Empty the journal after the labels have been written, unless others have been made since then.

        Parameters
        ----------
        version : int
            Of the labels that were written.
        """
        # A crash between writing and this leaves both, which does no harm.
        if version == self.version:
            self._journal.truncate(0)

    def save(self, boundaries: Callable[[int], np.ndarray]) -> None:
        """Write the file of labels and empty the journal.

        Parameters
        ----------
        boundaries : callable
            As for `collect`.
        """
        self.write(self.collect(boundaries)())
        self.written(self.version)

    def close(self) -> None:
        """Close the journal; an empty one is removed."""
        self._journal.close()
        if self.journal_path.exists() and not self.journal_path.stat().st_size:
            self.journal_path.unlink()


def _open_alone(path: Path) -> BinaryIO:
    """Open a file for appending, and keep other processes from doing the same; the lock goes when this one ends."""
    file = path.open("ab")
    if fcntl is not None:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise ValueError(f"{path} is in use: another `textprep label` has the same --out.") from None
    return file


def labelled_row(row: Row, labels: dict[int, bool], places: np.ndarray, boundaries: np.ndarray) -> Row:
    """Put labels and the decisions of a model together.

    Parameters
    ----------
    row : dict
        "id" and "text".
    labels : dict of int to bool
        Place -> whether it is a boundary.
    places : ndarray of int
        Where the tokens before the candidates end.
    boundaries : ndarray of int
        Where the model's sentences end.

    Returns
    -------
    dict
        With "sentences" and, unless all candidates have a label, "labelled": each labelled place as a span of length
        one.

    Examples
    --------
    >>> row = {"id": "a", "text": "See Fig. 3. It rose. We left."}
    >>> labelled_row(row, {8: False, 11: True}, np.array([8, 11, 20]), np.array([8, 20]))["sentences"]
    [[0, 11], [12, 20], [21, 29]]
    >>> labelled_row(row, {8: False, 11: True}, np.array([8, 11, 20]), np.array([8, 20]))["labelled"]
    [[8, 9], [11, 12]]
    """
    text = row["text"]
    ends = {*boundaries.tolist(), *(end for end, label in labels.items() if label)}
    ends -= {end for end, label in labels.items() if not label}
    bounds = [0, *sorted(ends), len(text)]
    spans = [strip_span(text, start, end) for start, end in zip(bounds[:-1], bounds[1:], strict=True)]
    labelled = {} if set(places.tolist()) <= set(labels) else {"labelled": [[end, end + 1] for end in sorted(labels)]}
    return {
        "id": row["id"],
        "text": text,
        "sentences": [[start, end] for start, end in spans if start < end],
        **labelled,
    }
