"""``textprep encode``: lines of text to lines of ids or pieces."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from textprep_ml._files import decode as decode_utf8
from textprep_ml._files import display_name, open_binary
from textprep_ml.cli._tokenizers import Format, OnError, load_tokenizer, read_lines, show_piece

if TYPE_CHECKING:
    from textprep_ml.subword.bpe import BPETokenizer


def encode(
    model: Annotated[str, typer.Option(help="A tokenizer of textprep train, or a tokenizer.json.")],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Text files; - or none reads standard input.")
    ] = None,
    format: Annotated[Format, typer.Option(help="npy is one int32 array of the whole input.")] = Format.ids,
    special: Annotated[bool, typer.Option("--special", help="Recognize special tokens in the text.")] = False,
    on_error: Annotated[OnError, typer.Option(help="What to do with bytes that are not UTF-8.")] = OnError.strict,
) -> None:
    """Turn each line into the ids or pieces of a subword tokenizer, separated by blanks."""
    tokenizer = load_tokenizer(model)
    allowed: Literal["all"] | tuple[()] = "all" if special else ()
    if format is Format.npy:
        _write_array(paths or ["-"], tokenizer, allowed, on_error)
        return
    names: dict[int, str] = {}
    for place, line in read_lines(paths or [], on_error):
        try:
            ids = tokenizer.encode(line, allowed_special=allowed)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        if format is Format.ids:
            sys.stdout.write(" ".join(map(str, ids)) + "\n")
            continue
        for index in ids:
            if index not in names:
                names[index] = show_piece(tokenizer, tokenizer.id_to_piece(index))
        sys.stdout.write(" ".join([names[index] for index in ids]) + "\n")


def _write_array(
    paths: list[str], tokenizer: BPETokenizer, allowed: Literal["all"] | tuple[()], on_error: OnError
) -> None:
    import numpy as np

    arrays = [np.empty(0, np.int32)]
    for path in paths:
        with open_binary(path) as file:
            data = file.read()
        text = decode_utf8(data, display_name(path)) if on_error is OnError.strict else data.decode("utf-8", on_error)
        arrays.append(tokenizer.encode(text, allowed_special=allowed, as_array=True))
    np.save(sys.stdout.buffer, np.concatenate(arrays), allow_pickle=False)
