"""Commands that turn each line into a piece of output: in batches, on several processes, bad lines counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from enum import StrEnum
from functools import partial
from typing import Any, Literal, NamedTuple

from textprep_ml._badrows import BadRows, apply_to_rows
from textprep_ml._files import BYTE_ORDER_MARK, PathLike, display_name, iter_raw_lines
from textprep_ml._parallel import count_jobs, map_chunks
from textprep_ml.cli import terminable

#: Lines that are taken together: so many bytes, or so many lines; fewer without processes, so that output comes soon.
BATCH_BYTES = 1 << 20
BATCH_LINES, FEW_LINES = 1 << 14, 1 << 10


class OnError(StrEnum):
    """What to do with a row that cannot be used."""

    raise_ = "raise"
    skip = "skip"
    null = "null"
    replace = "replace"  # type: ignore[assignment]  # hides str.replace, which no choice needs
    ignore = "ignore"

    @property
    def decoding(self) -> Literal["strict", "replace", "ignore"]:
        """What to do with bytes that are not UTF-8."""
        return "replace" if self == OnError.replace else "ignore" if self == OnError.ignore else "strict"


#: What the option of every such command says.
ON_ERROR_HELP = (
    "What to do with a line that is not UTF-8, or cannot be used. raise: stop; skip: leave it out; null: write an "
    "empty result in its place; replace, ignore: mend the bytes that are not UTF-8. What was left out is counted."
)
N_JOBS_HELP = "Processes; -1 is one for each processor."


class _Batch(NamedTuple):
    """Neighbouring lines of a file, and the number of the first."""

    path: PathLike
    first: int
    lines: list[bytes]


class _Done(NamedTuple):
    """What became of a batch: a piece of output per line, None for the bad ones, and what is wrong with these."""

    pieces: list[str | None]
    problems: list[str]


def write_rows(
    paths: Iterable[PathLike],
    function: Callable[[list[str]], list[str]],
    *,
    on_error: OnError = OnError.raise_,
    null: str = "\n",
    n_jobs: int | None = None,
    write: Callable[[str], Any] | None = None,
) -> None:
    r"""Turn each line of files into a piece of output, and tell in the end how many could not be.

    Parameters
    ----------
    paths : iterable of path-like
        File names or ``-``; none means standard input.
    function : callable
        From lines without their ``\n`` to a piece of output for each; it raises `ValueError` or `TypeError` where it
        refuses a line.
    on_error : OnError
        What to do with a line that is not UTF-8, or that is refused.
    null : str
        What is written for such a line if it keeps its place.
    n_jobs : int, optional
        Processes.
    write : callable, optional
        Takes the output; by default it goes to standard output.

    Raises
    ------
    CorpusFormatError
        If a line is bad and that is an error; the message names file and line.
    """
    write = write or sys.stdout.write
    bad = BadRows("raise" if on_error.decoding != "strict" else str(on_error))
    work = partial(_do, function, on_error.decoding)
    batches = _batches(paths, FEW_LINES if count_jobs(n_jobs) == 1 else BATCH_LINES)
    with terminable(), closing(map_chunks(work, batches, n_jobs, prefer="processes")) as done:
        for pieces, problems in done:
            bad.n_rows += len(pieces)
            if problems and bad.policy == "raise":
                write("".join([piece for piece in pieces[: pieces.index(None)] if piece is not None]))
            for problem in problems:
                bad.refuse(problem)
            if problems:
                kept = null if on_error == OnError.null else ""
                write("".join([kept if piece is None else piece for piece in pieces]))
            else:
                write("".join(pieces))  # type: ignore[arg-type]  # without problems there is no None
    print_bad_rows(bad)


def _batches(paths: Iterable[PathLike], n_lines: int) -> Iterator[_Batch]:
    for path in paths or ["-"]:
        batch, size = _Batch(path, 1, []), 0
        for number, line in iter_raw_lines(path):
            batch.lines.append(line)
            size += len(line) + 1
            if size >= BATCH_BYTES or len(batch.lines) >= n_lines:
                yield batch
                batch, size = _Batch(path, number + 1, []), 0
        if batch.lines:
            yield batch


def _do(function: Callable[[list[str]], list[str]], decoding: str, batch: _Batch) -> _Done:
    """Decode the lines of a batch and apply the function; a bad line does not keep the others from it."""
    problems: dict[int, str] = {}
    texts: list[str] = []
    places: list[int] = []
    for place, line in enumerate(batch.lines):
        try:
            text = line.decode("utf-8", decoding)
        except UnicodeDecodeError as error:
            byte = f"invalid UTF-8 (0x{line[error.start]:02x}). Convert the file to UTF-8."
            problems[place] = f" byte {error.start}: {byte}"
            continue
        texts.append(text.removeprefix(BYTE_ORDER_MARK) if batch.first + place == 1 else text)
        places.append(place)

    def refuse(number: int, message: str) -> None:
        problems[places[number]] = f": {message}"

    pieces: list[str | None] = [None] * len(batch.lines)
    for place, piece in zip(places, apply_to_rows(function, texts, refuse), strict=True):
        pieces[place] = piece
    name = display_name(batch.path)
    told = [f"{name}, line {batch.first + place}{problems[place]}" for place in sorted(problems)]
    return _Done(pieces, told)


def print_bad_rows(bad: BadRows) -> None:
    """Tell on standard error what was left out.

    Parameters
    ----------
    bad : BadRows
        What was found.
    """
    for line in bad.report():
        print(f"textprep: {line}", file=sys.stderr)
