"""``textprep encode``: lines of text to lines of ids or pieces."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from textprep_ml.cli._rows import N_JOBS_HELP, ON_ERROR_HELP, OnError, write_rows
from textprep_ml.cli._tokenizers import Format, load_tokenizer, show_piece

if TYPE_CHECKING:
    from textprep_ml.subword.base import SubwordTokenizer

Allowed = Literal["all"] | tuple[()]


def encode(
    model: Annotated[str, typer.Option(help="A tokenizer of textprep train, tokenizer.json or sentencepiece .model.")],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Text files (.gz, .xz and .zst too); - or none reads standard input."),
    ] = None,
    format: Annotated[Format, typer.Option(help="npy is one int32 array of the whole input.")] = Format.ids,
    special: Annotated[bool, typer.Option("--special", help="Recognize special tokens in the text.")] = False,
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
    n_jobs: Annotated[int, typer.Option(help=f"{N_JOBS_HELP} Threads for npy.")] = 1,
) -> None:
    """Turn each line into the ids or pieces of a subword tokenizer, separated by blanks."""
    tokenizer = load_tokenizer(model)
    allowed: Allowed = "all" if special else ()
    if format is Format.npy:
        if on_error in (OnError.skip, OnError.null):
            raise ValueError(f"--format npy has no lines: --on-error {on_error} does not go with it.")
        tokenizer.set_params(n_jobs=n_jobs)
        _write_array(_arrays(paths or ["-"], tokenizer, allowed, on_error.decoding))
        return
    function = partial(_as_ids, tokenizer, allowed) if format is Format.ids else _Pieces(tokenizer, allowed)
    write_rows(paths or [], function, on_error=on_error, n_jobs=n_jobs)


def _as_ids(tokenizer: SubwordTokenizer, allowed: Allowed, lines: list[str]) -> list[str]:
    return [" ".join(map(str, tokenizer.encode(line, allowed_special=allowed))) + "\n" for line in lines]


class _Pieces:
    """Writes pieces; remembers how those that were met are written."""

    def __init__(self, tokenizer: SubwordTokenizer, allowed: Allowed) -> None:
        self._tokenizer, self._allowed = tokenizer, allowed
        self._names: dict[int, str] = {}

    def __call__(self, lines: list[str]) -> list[str]:
        return [self._write(line) for line in lines]

    def _write(self, line: str) -> str:
        ids = self._tokenizer.encode(line, allowed_special=self._allowed)
        for index in ids:
            if index not in self._names:
                self._names[index] = show_piece(self._tokenizer, self._tokenizer.id_to_piece(index))
        return " ".join([self._names[index] for index in ids]) + "\n"


def _arrays(
    paths: list[str], tokenizer: SubwordTokenizer, allowed: Allowed, decoding: Literal["strict", "replace", "ignore"]
) -> Iterator[Any]:
    """Give the ids of files, part after part where a part alone tells its ids."""
    from textprep_ml._files import read_text

    for path in paths:
        if allowed:
            yield tokenizer.encode(read_text(path, decoding), allowed_special=allowed, as_array=True)
        else:
            yield from tokenizer.encode_parts(path, on_error=decoding)


def _write_array(arrays: Iterator[Any]) -> None:
    """Write one array to standard output; its length, which comes first, is known last."""
    import numpy as np

    with tempfile.TemporaryFile() as file:
        n = 0
        for array in arrays:
            file.write(memoryview(array))
            n += len(array)
        file.seek(0)
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(np.int32)), "fortran_order": False, "shape": (n,)}
        np.lib.format.write_array_header_1_0(sys.stdout.buffer, header)
        shutil.copyfileobj(file, sys.stdout.buffer, 1 << 20)
