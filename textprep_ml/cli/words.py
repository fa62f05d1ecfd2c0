"""``textprep words``: the words of files, counted as the classical pipelines count them."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from textprep_ml._files import CHUNK_BYTES, open_binary
from textprep_ml._parallel import count_jobs, map_chunks


def _chunks(files: list[Path]) -> Iterator[memoryview]:
    """Read the files as one stream, as ``cat`` does; the memory of a chunk is used again for the next."""
    buffer = memoryview(bytearray(CHUNK_BYTES))
    for path in files or [Path("-")]:
        with open_binary(path) as file:
            while size := cast(io.BufferedIOBase, file).readinto(buffer):
                yield buffer[:size]


def _whole_lines(files: list[Path]) -> Iterator[bytes]:
    """Read the files as one stream in parts that end with a line, so that each can be looked at alone."""
    rest: list[bytes] = []
    for chunk in _chunks(files):
        data = bytes(chunk)
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join([*rest, data[:end]])
            rest = []
        rest.append(data[end:])
    if any(rest):
        yield b"".join(rest)


def _list_words(kernel: Any, files: list[Path], ignore_case: bool, n_jobs: int | None) -> None:
    if count_jobs(n_jobs) > 1:
        # Behind a part that ends with a line there is a break.
        parts = ((part, index > 0) for index, part in enumerate(_whole_lines(files)))
        work = partial(_lines_of, kernel, ignore_case)
        sys.stdout.buffer.writelines(map_chunks(work, parts, n_jobs))
        return
    after_break = False
    for chunk in _chunks(files):
        lines = kernel.letter_lines(chunk, ignore_case, after_break)
        sys.stdout.buffer.write(lines)
        after_break = lines.endswith(b"\n") if lines else after_break


def _lines_of(kernel: Any, ignore_case: bool, part: tuple[bytes, bool]) -> bytes:
    lines: bytes = kernel.letter_lines(part[0], ignore_case, part[1])
    return lines


def _count_words(kernel: Any, files: list[Path], ignore_case: bool, unicode: bool, n_jobs: int | None) -> Any:
    new_table = partial(kernel.WordTable, unicode=unicode, fold=ignore_case)
    tables = _fill_tables(new_table, _whole_lines(files) if count_jobs(n_jobs) > 1 else _chunks(files), unicode, n_jobs)
    table = tables.pop()
    for other in tables:
        table.add_counts(other.items())
    return _lower_all(kernel, table) if unicode and ignore_case else table


def _fill_tables(new_table: Any, parts: Iterator[Any], unicode: bool, n_jobs: int | None) -> list[Any]:
    """Count the words of parts of a stream in a table for each thread; with one thread words go over their borders."""
    jobs = count_jobs(n_jobs)
    idle = [new_table() for _ in range(jobs)]
    tables = list(idle)

    def count(numbered: tuple[int, Any]) -> None:
        number, part = numbered
        table = idle.pop()
        if number == 0 and not unicode and not bytes(part[:1]).isalpha():
            table.add_counts([(b"", 1)])  # `tr` makes an empty first line of what is before the first word
        table.add(part)
        if jobs > 1:
            table.close()
        idle.append(table)

    for _ in map_chunks(count, enumerate(parts), n_jobs) if jobs > 1 else map(count, enumerate(parts)):
        pass
    for table in tables:
        table.close()
    return tables


def _lower_all(kernel: Any, table: Any) -> Any:
    lowered = kernel.WordTable(unicode=True)
    lowered.add_counts((word.decode().lower().encode(), count) for word, count in table.items())
    return lowered


def words(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files, or - for standard input. Default: standard input.")
    ] = None,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", "-i", help="Lower the words first.")] = False,
    count: Annotated[bool, typer.Option("--count", "-c", help="Count equal words; in byte order.")] = False,
    top: Annotated[
        int | None, typer.Option(min=0, help="Count; the N most frequent, or all of them by frequency with 0.")
    ] = None,
    unicode: Annotated[
        bool, typer.Option("--unicode", "-u", help="Letters of all scripts, not A to Z only; needs --count or --top.")
    ] = False,
    n_jobs: Annotated[int | None, typer.Option(help="Threads; -1 is one for each processor.")] = None,
) -> None:
    r"""List or count words, byte for byte as the Unix tools do under LC_ALL=C.

    Without options: tr -sc 'A-Za-z' '\n'. With --count: that, then sort | uniq -c. With --ignore-case: tr A-Z a-z
    between them. With --top 0: sort -n -r behind them; with --top N also head -n N.
    """
    from textprep_ml import _kernels

    kernel = _kernels.load("counts")
    files = files or []
    if not count and top is None:
        if unicode:
            raise ValueError("--unicode counts words: add --count or --top N.")
        _list_words(kernel, files, ignore_case, n_jobs)
        return
    table = _count_words(kernel, files, ignore_case, unicode, n_jobs)
    sys.stdout.buffer.write(table.lines(top is not None, top or -1))
