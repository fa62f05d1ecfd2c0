"""JSON lines with spans: one document a line, ``{"id": ..., "text": ..., "sentences": [[start, end], ...]}``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from textprep_ml._files import document_id, fail, iter_lines, open_atomically
from textprep_ml.corpora._rows import Row, check_sentences, check_text, shorten


def iter_jsonl(path: str | os.PathLike[str]) -> Iterator[Row]:
    """Stream the documents of a JSON lines file.

    Parameters
    ----------
    path : str or path-like
        One JSON object a line, with "text" and "sentences" (half-open spans in code points). A missing "id"
        becomes the file name and the line. "labelled" holds the parts in which the sentences are known, where they
        are not known everywhere. Other keys are kept. Empty lines are skipped.

    Yields
    ------
    dict
        One document.

    Raises
    ------
    CorpusFormatError
        If a line is no such object, or a span is empty, out of range, unsorted or overlaps another.
    """
    for number, line in iter_lines(path):
        if number == 1:
            line = line.removeprefix("\ufeff")
        if line.strip():
            yield parse_row(line, number, path)


def parse_row(line: str, number: int, path: str | os.PathLike[str]) -> Row:
    """Read one document.

    Parameters
    ----------
    line : str
        A JSON object.
    number : int
        Of the line, from 1, for messages.
    path : str or path-like
        The file, for messages.

    Returns
    -------
    dict
        As from `iter_jsonl`.

    Raises
    ------
    CorpusFormatError
        If it is no such object.
    """
    complain = partial(fail, path, number)
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        complain(f"not JSON ({error}).")
    if not isinstance(value, dict):
        complain(f"not a JSON object: {shorten(value)}.")
    for key in ("text", "sentences"):
        if key not in value:
            complain(f'no "{key}" among the keys {shorten(sorted(value))}.')
    check_text(value["text"], complain)
    name = value.get("id", f"{document_id(path)}-{number:04d}")
    if not isinstance(name, str):
        complain(f'"id" is not a string: {shorten(name)}.')
    sentences = check_sentences(value["sentences"], value["text"], complain)
    if value.get("labelled") is not None:
        value["labelled"] = check_sentences(value["labelled"], value["text"], complain, "labelled")
    return {"id": name, "text": value["text"], "sentences": sentences} | {
        key: item for key, item in value.items() if key not in ("id", "text", "sentences")
    }


def write_jsonl(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Write documents as JSON lines; every column is kept.

    Parameters
    ----------
    rows : iterable of dict
        Documents.
    path : str or path-like
        Where the file goes.

    Raises
    ------
    CorpusFormatError
        If a column holds what JSON cannot.
    """
    with open_atomically(path) as file:
        for index, row in enumerate(rows):
            try:
                line = json.dumps(row, ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError) as error:
                fail(path, index + 1, f"row {index} cannot be written as JSON: {error}.")
            file.write(line + "\n")
