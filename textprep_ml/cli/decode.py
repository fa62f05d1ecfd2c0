"""``textprep decode``: lines of ids or pieces back to lines of text."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from textprep_ml._files import display_name, open_binary
from textprep_ml.cli._tokenizers import Format, OnError, load_tokenizer, read_lines, read_piece


def decode(
    model: Annotated[str, typer.Option(help="The tokenizer that encoded it.")],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="What textprep encode wrote; - or none reads standard input."),
    ] = None,
    format: Annotated[Format, typer.Option(help="What the input holds.")] = Format.ids,
    skip_special: Annotated[bool, typer.Option("--skip-special", help="Leave special tokens out.")] = False,
) -> None:
    """Turn each line of ids or pieces back into text."""
    tokenizer = load_tokenizer(model)
    if format is Format.npy:
        for path in paths or ["-"]:
            sys.stdout.write(tokenizer.decode(_read_array(path), skip_special_tokens=skip_special))
        return
    known: dict[str, int] = {}

    def look_up(field: str) -> int:
        if field not in known:
            known[field] = read_piece(tokenizer, field)
        return known[field]

    read: Callable[[str], int] = _read_id if format is Format.ids else look_up
    for place, line in read_lines(paths or [], OnError.strict):
        try:
            ids = [read(field) for field in line.split()]
            text = tokenizer.decode(ids, skip_special_tokens=skip_special)
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{place}: {error}") from None
        sys.stdout.write(text + "\n")


def _read_id(field: str) -> int:
    if not field.isdecimal():
        raise ValueError(f"{field[:80]!r} is no id.")
    return int(field)


def _read_array(path: str) -> list[int]:
    import numpy as np

    with open_binary(path) as file:
        data = file.read()
    try:
        ids = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise ValueError(f"{display_name(path)} is no .npy file.") from None
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(
            f"{display_name(path)} holds {ids.ndim} dimensions of {ids.dtype}, but ids are one of integers."
        )
    return ids.tolist()
