"""``textprep decode``: lines of ids or pieces back to lines of text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from textprep_ml._files import display_name, open_binary
from textprep_ml.cli._rows import N_JOBS_HELP, ON_ERROR_HELP, OnError, write_rows
from textprep_ml.cli._tokenizers import Format, load_tokenizer, read_piece

if TYPE_CHECKING:
    from textprep_ml.subword.base import SubwordTokenizer

#: Ids of an array that are decoded at a time.
_IDS_AT_ONCE = 1 << 18


def decode(
    model: Annotated[str, typer.Option(help="The tokenizer that encoded it.")],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="What textprep encode wrote; - or none reads standard input."),
    ] = None,
    format: Annotated[Format, typer.Option(help="What the input holds.")] = Format.ids,
    skip_special: Annotated[bool, typer.Option("--skip-special", help="Leave special tokens out.")] = False,
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
    n_jobs: Annotated[int, typer.Option(help=N_JOBS_HELP)] = 1,
) -> None:
    """Turn each line of ids or pieces back into text."""
    tokenizer = load_tokenizer(model)
    if format is Format.npy:
        for path in paths or ["-"]:
            _write_array(path, tokenizer, skip_special)
        return
    read: Callable[[str], int] = _read_id if format is Format.ids else _Reader(tokenizer)
    write_rows(paths or [], partial(_as_text, tokenizer, read, skip_special), on_error=on_error, n_jobs=n_jobs)


def _as_text(
    tokenizer: SubwordTokenizer, read: Callable[[str], int], skip_special: bool, lines: list[str]
) -> list[str]:
    texts = []
    for line in lines:
        ids = [read(field) for field in line.split()]
        try:
            texts.append(tokenizer.decode(ids, skip_special_tokens=skip_special) + "\n")
        except OverflowError as error:
            raise ValueError(str(error)) from None
    return texts


def _read_id(field: str) -> int:
    if not field.isdecimal():
        raise ValueError(f"{field[:80]!r} is no id.")
    return int(field)


class _Reader:
    """Looks pieces up; remembers those that were met."""

    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}

    def __call__(self, field: str) -> int:
        if field not in self._known:
            self._known[field] = read_piece(self._tokenizer, field)
        return self._known[field]


def _write_array(path: str, tokenizer: SubwordTokenizer, skip_special: bool) -> None:
    """Decode an array by parts; the decoder keeps a character together whose bytes fall into two of them."""
    from textprep_ml.subword import StreamDecoder

    decoder = StreamDecoder(tokenizer, skip_special_tokens=skip_special)
    with open_binary(path) as file:
        for ids in _read_ids(file, display_name(path)):
            sys.stdout.write(decoder.feed(ids))
    sys.stdout.write(decoder.finish())


def _read_ids(file: BinaryIO, name: str) -> Iterator[list[int]]:
    import numpy as np

    try:
        version = np.lib.format.read_magic(file)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read_header(file)
    except ValueError:
        raise ValueError(f"{name} is no .npy file.") from None
    if len(shape) != 1 or kind.kind not in "iu":
        raise ValueError(f"{name} holds {len(shape)} dimensions of {kind}, but ids are one of integers.")
    left = shape[0] * kind.itemsize
    while left:
        data = file.read(min(left, _IDS_AT_ONCE * kind.itemsize))
        if not data or len(data) % kind.itemsize:
            raise ValueError(f"{name} is cut short: {left} bytes of its array are missing.")
        left -= len(data)
        yield np.frombuffer(data, dtype=kind).tolist()
