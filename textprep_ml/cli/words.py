"""``textprep words``: the words of files, counted as the classical pipelines count them."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from textprep_ml._files import CHUNK_BYTES, open_binary


def _chunks(files: list[Path]) -> Iterator[memoryview]:
    """Read the files as one stream, as ``cat`` does; the memory of a chunk is used again for the next."""
    buffer = memoryview(bytearray(CHUNK_BYTES))
    for path in files or [Path("-")]:
        with open_binary(path) as file:
            while size := cast(io.BufferedIOBase, file).readinto(buffer):
                yield buffer[:size]


def _list_words(kernel: Any, files: list[Path], ignore_case: bool) -> None:
    after_break = False
    for chunk in _chunks(files):
        lines = kernel.letter_lines(chunk, ignore_case, after_break)
        sys.stdout.buffer.write(lines)
        after_break = lines.endswith(b"\n") if lines else after_break


def _count_words(kernel: Any, files: list[Path], ignore_case: bool, unicode: bool) -> Any:
    table = kernel.WordTable(unicode=unicode, fold=ignore_case)
    at_start = True
    for chunk in _chunks(files):
        if at_start and not unicode and not bytes(chunk[:1]).isalpha():
            table.add_counts([(b"", 1)])  # `tr` makes an empty first line of what is before the first word
        at_start = False
        table.add(chunk)
    table.close()
    return _lower_all(kernel, table) if unicode and ignore_case else table


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
        _list_words(kernel, files, ignore_case)
        return
    table = _count_words(kernel, files, ignore_case, unicode)
    sys.stdout.buffer.write(table.lines(top is not None, top or -1))
