"""Corpora without their bad rows: for commands that learn from whole files, or measure on them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from textprep_ml._badrows import BadRows
from textprep_ml._files import BYTE_ORDER_MARK, bare_name, display_name, iter_raw_lines
from textprep_ml._validation import shorten
from textprep_ml.cli._rows import OnError, print_bad_rows
from textprep_ml.exceptions import CorpusFormatError

ON_ERROR_HELP = (
    "What to do with a row of JSON lines or a line of text that is not UTF-8, or no document. raise: stop; skip, null: "
    "go on without it (there is no result whose place it could keep). What was left out is named and counted."
)

#: Formats with a row a line.
_SIEVED = ("jsonl", "lines", "marked", "text")

Check = Callable[[str, int, str], object]


def refuse_mending(on_error: OnError) -> None:
    """Refuse the choices that mend bytes, which are for text that is passed on.

    Parameters
    ----------
    on_error : OnError
        What was chosen.
    """
    if on_error.decoding != "strict":
        raise ValueError(f"--on-error is {on_error.value!r}; expected raise, skip or null here.")


@contextmanager
def sieved(
    corpora: Sequence[tuple[str, str | None]], on_error: OnError, *, labelled: bool = True
) -> Iterator[dict[str, str]]:
    """Write corpora anew without their bad rows, for as long as the block lasts, and tell what was left out.

    Parameters
    ----------
    corpora : sequence of (str, str or None)
        Files and their formats; None looks at the name. Other corpora than files with a row a line are not looked at.
    on_error : OnError
        Without one of the choices skip and null nothing is done.
    labelled : bool, default=True
        Whether rows of JSON lines need sentences.

    Yields
    ------
    dict of str to str
        Corpus -> the file to read in its place; those without bad rows stand for themselves.
    """
    if on_error not in (OnError.skip, OnError.null):
        yield {path: path for path, _ in corpora}
        return
    bad = BadRows("skip")
    with tempfile.TemporaryDirectory(prefix="textprep-") as folder:
        files: dict[str, str] = {}
        for number, (path, format) in enumerate(corpora):
            if path not in files:
                files[path] = _sieve(path, format, Path(folder, str(number)), bad, labelled)
        print_bad_rows(bad)
        yield files


def _sieve(path: str, format: str | None, folder: Path, bad: BadRows, labelled: bool) -> str:
    from textprep_ml.config.files import locate
    from textprep_ml.corpora import guess_format

    place = locate(path)
    try:
        kind = format or guess_format(place)
    except CorpusFormatError:
        kind = "lines"  # it was looked into, and found to be text that is not UTF-8
    if kind not in _SIEVED or not place.is_file():
        return path
    check = _check_nothing if kind != "jsonl" else _check_labelled if labelled else _check_text
    before = bad.n_bad
    bad_line = b"\n" if kind == "jsonl" else b""  # JSON lines may be empty: later ones keep their numbers
    folder.mkdir()
    cleaned = folder / Path(bare_name(place)).name
    with cleaned.open("wb") as file:
        for number, line in iter_raw_lines(place):
            bad.n_rows += bool(line.strip())
            message = _fault(line, number, path, check)
            if message:
                bad.refuse(message)
            file.write(bad_line if message else line + b"\n")
    return path if bad.n_bad == before else str(cleaned)


def _fault(line: bytes, number: int, path: str, check: Check) -> str:
    """Say what is wrong with a line, or nothing."""
    where = f"{display_name(path)}, line {number}"
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"{where} byte {error.start}: invalid UTF-8 (0x{line[error.start]:02x}). Convert the file to UTF-8."
    if number == 1:
        text = text.removeprefix(BYTE_ORDER_MARK)
    try:
        if text.strip():
            check(text, number, path)
    except CorpusFormatError as error:
        return str(error)
    return ""


def _check_nothing(line: str, number: int, path: str) -> None:
    pass


def _check_labelled(line: str, number: int, path: str) -> None:
    from textprep_ml.corpora.jsonl import parse_row

    parse_row(line, number, path)


def _check_text(line: str, number: int, path: str) -> None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusFormatError(f"{path}, line {number}: not JSON ({error}).") from None
    text = row.get("text") if isinstance(row, dict) else row
    if not isinstance(row, dict) or not isinstance(text, str):
        raise CorpusFormatError(f'{path}, line {number}: no "text" that is a string: {shorten(row)}.')
