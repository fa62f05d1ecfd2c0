"""Rows of input files, in batches of bounded size: read in one place, taken apart in another, bad ones marked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from textprep_ml._files import BYTE_ORDER_MARK, bare_name, fail, iter_raw_lines
from textprep_ml._validation import shorten
from textprep_ml.segmentation.windows import Window, read_windows

#: A batch has about so many bytes of input.
BATCH_BYTES = 1 << 21

#: And so many rows at most.
BATCH_ROWS = 1 << 16

#: Called with the number of bytes that were read from a file.
Watch = Callable[[int], None]


@dataclass(slots=True)
class Row:
    """A row of an input file.

    Attributes
    ----------
    number : int
        Its line, or its number in the file, from 1.
    text : str or None
        None where it is bad.
    id : str or None
        As the file has it.
    start : int
        Where a part of a text begins in it, in characters.
    problem : str
        What is wrong with it.
    """

    number: int
    text: str | None = None
    id: str | None = None
    start: int = 0
    problem: str = ""


class Reader(NamedTuple):
    """How a format is read.

    Attributes
    ----------
    batches : callable
        Path, name of the column, watch -> batches of raw rows.
    parse : callable
        A batch, name of the column -> rows.
    unit : str
        What messages call a row.
    """

    batches: Callable[[Path, str, Watch], Iterator[Any]]
    parse: Callable[[Any, str], Iterator[Row]]
    unit: str


def guess_format(path: Path, is_segmenter: bool) -> str:
    """Tell the format of an input file by its name.

    Parameters
    ----------
    path : Path
        The file; ``.gz``, ``.xz`` and ``.zst`` do not count.
    is_segmenter : bool
        Text files are whole texts for a segmenter, which finds its sentences across lines, and lines for all others.

    Returns
    -------
    str
        A key of `READERS`.

    Raises
    ------
    ValueError
        If the suffix tells nothing.
    """
    suffix = Path(bare_name(path)).suffix
    known = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".txt": "text" if is_segmenter else "lines"}
    if suffix not in known:
        raise ValueError(
            f"The suffix of {path} tells no format ({', '.join(known)}): pass one of {', '.join(READERS)} as format."
        )
    return known[suffix]


# Lines


def _line_batches(path: Path, column: str, watch: Watch) -> Iterator[list[tuple[int, bytes]]]:
    batch: list[tuple[int, bytes]] = []
    size = 0
    for number, line in iter_raw_lines(path, watch):
        batch.append((number, line))
        size += len(line) + 1
        if size >= BATCH_BYTES or len(batch) >= BATCH_ROWS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _decoded(row: Row, data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        row.problem = f"invalid UTF-8 at byte {error.start} (0x{data[error.start]:02x})."
        return None
    return text.removeprefix(BYTE_ORDER_MARK) if row.number == 1 else text


def _parse_lines(batch: Iterable[tuple[int, bytes]], column: str) -> Iterator[Row]:
    for number, line in batch:
        row = Row(number)
        row.text = _decoded(row, line)
        yield row


def _parse_jsonl(batch: Iterable[tuple[int, bytes]], column: str) -> Iterator[Row]:
    for number, line in batch:
        row = Row(number)
        text = _decoded(row, line)
        if text is None:
            yield row
        elif text.strip():
            _read_object(row, text, column)
            yield row


def _read_object(row: Row, line: str, column: str) -> None:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        row.problem = f"not JSON ({error})."
        return
    if not isinstance(value, dict):
        row.problem = f"not a JSON object: {shorten(value)}."
    elif column not in value:
        row.problem = f'no "{column}" among the keys {shorten(sorted(value))}.'
    else:
        row.id = _as_id(value.get("id"))
        _take_text(row, value[column], column)


def _take_text(row: Row, value: Any, column: str) -> None:
    if value is None:
        row.problem = f'"{column}" is null.'
    elif not isinstance(value, str):
        row.problem = f'"{column}" is {type(value).__name__}, not text: {shorten(value)}.'
    elif not value.isascii() and (surrogate := _find_surrogate(value)):
        row.problem = f'"{column}" has a lone surrogate ({surrogate}), which is no text.'
    else:
        row.text = value


def _find_surrogate(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"U+{ord(text[error.start]):04X} at character {error.start}"
    return ""


def _as_id(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


# Parquet


def _parquet_batches(path: Path, column: str, watch: Watch) -> Iterator[tuple[int, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open(path, "rb") as raw:  # Arrow opens no file whose name is not UTF-8
        try:
            file = pq.ParquetFile(raw)
        except pa.ArrowInvalid as error:
            fail(path, None, f"no Parquet file, or a damaged one ({error}).")
        names = file.schema_arrow.names
        if column not in names:
            fail(path, None, f'no column "{column}", only {", ".join(names)}: pass its name as column.')
        n_rows, size = file.metadata.num_rows, path.stat().st_size
        unpacked = sum(file.metadata.row_group(index).total_byte_size for index in range(file.num_row_groups))
        batch_rows = max(1, min(BATCH_ROWS, int(BATCH_BYTES / (unpacked / n_rows + 1)))) if n_rows else 1
        done = 0
        columns = [column, *(["id"] if "id" in names and column != "id" else [])]
        for batch in file.iter_batches(batch_rows, columns=columns):
            yield done + 1, batch
            watch((done + batch.num_rows) * size // n_rows - done * size // n_rows)
            done += batch.num_rows


def _parse_parquet(numbered: tuple[int, Any], column: str) -> Iterator[Row]:
    first, batch = numbered
    names = batch.schema.names
    ids = _values(batch.column(names.index("id"))) if "id" in names else [None] * batch.num_rows
    for number, (value, name) in enumerate(zip(_values(batch.column(names.index(column))), ids, strict=True), first):
        row = Row(number, id=_as_id(name if not isinstance(name, bytes) else name.decode("utf-8", "replace")))
        if isinstance(value, bytes):
            text = _decoded(row, value)
            if text is not None:
                _take_text(row, text, column)
        else:
            _take_text(row, value, column)
        yield row


def _values(array: Any) -> list[Any]:
    """Give the values of a column, strings as bytes: what Arrow calls a string may hold anything."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = array.cast(pa.large_binary() if pa.types.is_large_string(array.type) else pa.binary())
    return array.to_pylist()


# Whole texts


def _window_batches(path: Path, column: str, watch: Watch) -> Iterator[list[tuple[int, Window]]]:
    for number, window in enumerate(read_windows([path], tolerant=True, watch=watch), start=1):
        yield [(number, window)]


def _parse_windows(batch: Iterable[tuple[int, Window]], column: str) -> Iterator[Row]:
    for number, window in batch:
        yield row_of_window(number, window)


def row_of_window(number: int, window: Window) -> Row:
    """Make a row of a window of a text.

    Parameters
    ----------
    number : int
        Of the window in its text, from 1.
    window : Window
        As a tolerant `read_windows` gives it.

    Returns
    -------
    Row
        Bad where the window is.
    """
    problem = window.problem.removeprefix(f"{window.name}, ")
    return Row(number, None if problem else window.text, start=window.start, problem=problem)


#: Format -> how it is read.
READERS = {
    "jsonl": Reader(_line_batches, _parse_jsonl, "line"),
    "lines": Reader(_line_batches, _parse_lines, "line"),
    "parquet": Reader(_parquet_batches, _parse_parquet, "row"),
    "text": Reader(_window_batches, _parse_windows, "window"),
}
