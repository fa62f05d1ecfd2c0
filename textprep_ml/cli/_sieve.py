"""Corpora without their bad rows: for commands that learn from whole files, or measure on them."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from textprep_ml._badrows import BadRows
from textprep_ml._files import BYTE_ORDER_MARK, bare_name, display_name, iter_raw_lines
from textprep_ml._validation import shorten
from textprep_ml.cli._rows import OnError, print_bad_rows
from textprep_ml.exceptions import CorpusFormatError

ON_ERROR_HELP = (
    "What to do with a row of JSON lines, a line of text, a sentence of CoNLL-U or a brat document that is not UTF-8, "
    "or breaks the format. raise: stop; skip, null: go on without it (there is no result whose place it could keep). "
    "What was left out is named and counted."
)

Check = Callable[[str, int, str], object]


class _Needs(NamedTuple):
    """What a row has to have: sentences in JSON lines, a column of tags in CoNLL-U."""

    labelled: bool
    column: str | None


class _Source(NamedTuple):
    """A corpus as the user names it, and where it is."""

    name: str
    place: Path


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
    corpora: Sequence[tuple[str, str | None]],
    on_error: OnError,
    *,
    labelled: bool = True,
    column: str | None = None,
) -> Iterator[dict[str, str]]:
    """Write corpora anew without their bad rows, for as long as the block lasts, and tell what was left out.

    Parameters
    ----------
    corpora : sequence of (str, str or None)
        Files or brat folders and their formats; None looks at the name. Data sets are not looked at.
    on_error : OnError
        Without one of the choices skip and null nothing is done.
    labelled : bool, default=True
        Whether rows of JSON lines need sentences.
    column : str, optional
        Tags that every word of CoNLL-U has to have.

    Yields
    ------
    dict of str to str
        Corpus -> the file to read in its place; files without bad rows stand for themselves.

    Raises
    ------
    CorpusFormatError
        If no row of a corpus can be used.
    """
    if on_error not in (OnError.skip, OnError.null):
        yield {path: path for path, _ in corpora}
        return
    bad = BadRows("skip")
    with tempfile.TemporaryDirectory(prefix="textprep-") as folder:
        files: dict[str, str] = {}
        for number, (path, format) in enumerate(corpora):
            if path not in files:
                files[path] = _sieve(path, format, Path(folder, str(number)), bad, _Needs(labelled, column))
        print_bad_rows(bad)
        yield files


def _sieve(path: str, format: str | None, folder: Path, bad: BadRows, needs: _Needs) -> str:
    """Write the good rows of a corpus into a folder if there are bad ones; give what to read."""
    from textprep_ml.config.files import locate
    from textprep_ml.corpora import guess_format

    place = locate(path)
    is_stream = path == "-" or place.is_fifo()
    if is_stream and format is None:
        return path  # there is no name to tell the format by: whoever reads it says so
    try:
        kind = format or guess_format(place)
    except CorpusFormatError:
        kind = "lines"  # it was looked into, and found to be text that is not UTF-8
    if kind not in _SIEVES or not (is_stream or place.is_file() or (kind == "brat" and place.is_dir())):
        return path
    cleaned = folder / (place.name if kind == "brat" else bare_name(place))
    folder.mkdir()
    seen = BadRows("skip")
    _SIEVES[kind](_Source(path, place), cleaned, seen, needs)
    if seen.n_bad and seen.n_bad == seen.n_rows:
        raise CorpusFormatError(f"{path}: none of its {seen.n_rows} rows can be used. {seen.messages[0]}")
    bad.add(seen)
    return str(cleaned) if seen.n_bad or is_stream else path  # nobody can read a stream twice


def _sieve_json(source: _Source, cleaned: Path, bad: BadRows, needs: _Needs) -> None:
    # JSON lines may be empty: where bad ones become empty, later ones keep their numbers.
    _sieve_lines(source, cleaned, bad, _check_labelled if needs.labelled else _check_text, b"\n")


def _sieve_text(source: _Source, cleaned: Path, bad: BadRows, needs: _Needs) -> None:
    _sieve_lines(source, cleaned, bad, _check_nothing, b"")


def _sieve_lines(source: _Source, cleaned: Path, bad: BadRows, check: Check, bad_line: bytes) -> None:
    with cleaned.open("wb") as file:
        for number, line in iter_raw_lines(source.place):
            bad.n_rows += bool(line.strip())
            message = _fault(line, number, source.name, check)
            if message:
                bad.refuse(message)
            file.write(bad_line if message else line + b"\n")


def _sieve_sentences(source: _Source, cleaned: Path, bad: BadRows, needs: _Needs) -> None:
    """Leave bad sentences of CoNLL-U out; what follows is a new paragraph, of the document that was opened last."""
    from textprep_ml.corpora.conllu import check_block, iter_blocks, opening_comments

    carried: list[bytes] = []
    with cleaned.open("wb") as file:
        for block in iter_blocks(source.place):
            bad.n_rows += 1
            try:
                check_block(block, source.name, needs.column)
            except CorpusFormatError as error:
                bad.refuse(str(error))
                carried += [*opening_comments(block), b"# newpar"]
                continue
            file.writelines(line + b"\n" for line in (*carried, *(line for _, line in block), b""))
            carried = []


def _sieve_documents(source: _Source, cleaned: Path, bad: BadRows, needs: _Needs) -> None:
    """Leave bad documents of a brat folder out."""
    from textprep_ml.corpora.brat import iter_names, pair_of, read_pair

    cleaned.mkdir()
    for name in iter_names(source.place):
        bad.n_rows += 1
        try:
            read_pair(name)
        except CorpusFormatError as error:
            bad.refuse(str(error))
            continue
        for file in pair_of(name):
            shutil.copyfile(file, cleaned / file.name)


#: Format -> what writes its good rows: source, target, what was bad, what rows need.
_SIEVES: dict[str, Callable[[_Source, Path, BadRows, _Needs], None]] = {
    "jsonl": _sieve_json,
    **dict.fromkeys(("lines", "marked", "text"), _sieve_text),
    "conllu": _sieve_sentences,
    "brat": _sieve_documents,
}


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
