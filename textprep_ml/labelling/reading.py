"""Raw files and files of labels, as labelling needs them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textprep_ml._files import document_id, fail, printable
from textprep_ml.corpora import iter_rows
from textprep_ml.labelling.exchange import iter_label_studio
from textprep_ml.labelling.suggestions import suggest
from textprep_ml.segmentation.windows import Window, read_windows

Row = dict[str, Any]


def read_documents(paths: Iterable[Path]) -> list[Row]:
    """Read raw text files, each as one document.

    Parameters
    ----------
    paths : iterable of Path
        Text files; ``.gz`` and ``.xz`` are unpacked.

    Returns
    -------
    list of dict
        "id" and "text". The id is the name of the file without its suffixes, or all of its path where several files
        have one name.

    Raises
    ------
    CorpusFormatError
        If a file is not UTF-8, or holds nothing.
    ValueError
        If a file is named twice.
    """
    paths = list(paths)
    names = [document_id(path) for path in paths]
    rows = []
    for path, name in zip(paths, names, strict=True):
        text = next(iter(iter_rows(path, "text")))["text"]
        rows.append({"id": name if names.count(name) == 1 else printable(path.as_posix()), "text": text})
    ids = [row["id"] for row in rows]
    for path, name in zip(paths, ids, strict=True):
        if ids.count(name) > 1:
            raise ValueError(f"{path} is named twice: give each file once.")
    return rows


def read_labels(path: Path) -> list[Row]:
    """Read labels that were made elsewhere.

    Parameters
    ----------
    path : Path
        A corpus in any format, or an export of Label Studio, whose suffix is ``.json``.

    Returns
    -------
    list of dict
        Labelled documents.

    Raises
    ------
    CorpusFormatError
        If the file is damaged, or has no labels.
    """
    rows = list(iter_label_studio(path) if path.suffix == ".json" else iter_rows(path))
    if not rows or any("sentences" not in row for row in rows):
        fail(path, None, "there are documents without labels, or none at all.")
    return rows


def labelled_places(path: Path) -> dict[str, tuple[set[int], list[list[int]] | None]]:
    """Read which places of which documents have labels.

    Parameters
    ----------
    path : Path
        Documents with their sentences, in any format of corpora.

    Returns
    -------
    dict
        Id -> where its sentences end, and the parts that are labelled; None for the whole.

    Raises
    ------
    CorpusFormatError
        If the file is damaged.
    """
    return {row["id"]: ({end for _, end in row["sentences"]}, row.get("labelled")) for row in iter_rows(path)}


def suggest_in_files(
    segmenter: Any, paths: Iterable[Path], n: int, labels: Mapping[str, tuple[set[int], list[list[int]] | None]]
) -> list[Row]:
    """Choose the places of files that are worth a label; see `suggest`.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        Fitted.
    paths : iterable of Path
        Text files, which are looked at in windows.
    n : int
        How many places.
    labels : mapping
        What `labelled_places` gives; a place that has a label is not suggested again.

    Returns
    -------
    list of dict
        As `suggest` gives them, but "end" and "start" are counted in the file, and there is no "document".
    """
    labelled: dict[int, Collection[int]] = {}
    starts: list[int] = []
    ids: list[str] = []

    def texts() -> Iterator[str]:
        for window in _windows(paths):
            name = document_id(window.name)
            if name in labels:
                labelled[len(starts)] = _done(window, labels[name][1])
            starts.append(window.start)
            ids.append(name)
            yield window.text

    rows = suggest(segmenter, texts(), n, labelled=labelled)
    for row in rows:
        number = row.pop("document")
        row.update(id=ids[number], end=row["end"] + starts[number], start=row["start"] + starts[number])
    return rows


def _windows(paths: Iterable[Path]) -> Iterator[Window]:
    for path in paths:
        yield from read_windows([path])


def _done(window: Window, parts: list[list[int]] | None) -> Collection[int]:
    """Give the places of a window that lie in labelled parts."""
    length = len(window.text)
    if parts is None:
        return range(length)
    bounds = np.clip(np.array(parts, dtype=np.int64).reshape(-1, 2) - window.start, 0, length)
    return np.concatenate([np.arange(start, end) for start, end in bounds.tolist()] or [np.empty(0, dtype=np.int64)])
