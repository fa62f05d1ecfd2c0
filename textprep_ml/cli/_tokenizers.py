"""What the commands around subword tokenizers share: loading models, lines of pieces, lines of input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from textprep_ml._files import decode, display_name, open_binary

if TYPE_CHECKING:
    from textprep_ml.subword.bpe import BPETokenizer


class Format(StrEnum):
    """How encoded text is written."""

    ids = "ids"
    pieces = "pieces"
    npy = "npy"


class OnError(StrEnum):
    """What to do with bytes that are not UTF-8."""

    strict = "strict"
    replace = "replace"  # type: ignore[assignment]  # hides str.replace, which no choice needs
    ignore = "ignore"


_SPECIAL = re.compile(r"[\s\\]")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def load_tokenizer(path: str) -> BPETokenizer:
    """Load a model of ours or a ``tokenizer.json``.

    Parameters
    ----------
    path : str
        A model file, or the name of a shipped model.

    Returns
    -------
    BPETokenizer
        Ready to encode.

    Raises
    ------
    ModelFormatError
        If the file is missing, damaged or something else.
    """
    from textprep_ml.subword.bpe import BPETokenizer

    file = Path(path)
    if file.is_file() and is_foreign(file):
        return BPETokenizer.from_tokenizers_json(file)
    return BPETokenizer.load(path)


def is_foreign(path: Path) -> bool:
    """Tell whether a file is a ``tokenizer.json``.

    Parameters
    ----------
    path : Path
        An existing file.

    Returns
    -------
    bool
        False for our own models, and for what is damaged.
    """
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False  # the loader tells what is wrong
    return isinstance(document, dict) and "format" not in document and "model" in document


def read_lines(paths: Iterable[str], on_error: OnError) -> Iterator[tuple[str, str]]:
    r"""Stream lines with their place; lines end at ``\n`` only.

    Parameters
    ----------
    paths : iterable of str
        File names or ``-``; none means standard input.
    on_error : OnError
        What to do with bytes that are not UTF-8.

    Yields
    ------
    place : str
        File and line, for messages.
    line : str
        Without its newline.
    """
    for path in paths or ["-"]:
        name = display_name(path)
        with open_binary(path) as file:
            for number, data in enumerate(file, start=1):
                data = data.removesuffix(b"\n")
                line = decode(data, name, number) if on_error == OnError.strict else data.decode("utf-8", on_error)
                yield f"{name}, line {number}", line


def show_piece(tokenizer: BPETokenizer, piece: str) -> str:
    r"""Write a piece without white space: bytes by their printable characters, else white space as ``\u0020``.

    Parameters
    ----------
    tokenizer : BPETokenizer
        Tells whether pieces are bytes.
    piece : str
        A piece.

    Returns
    -------
    str
        One field of a line.
    """
    if tokenizer.byte_level and piece not in tokenizer.added_tokens_:
        return tokenizer._style().to_file(piece) or ""
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", piece)


def read_piece(tokenizer: BPETokenizer, text: str) -> int:
    """Undo `show_piece` and look the piece up.

    Parameters
    ----------
    tokenizer : BPETokenizer
        Tells whether pieces are bytes.
    text : str
        One field of a line.

    Returns
    -------
    int
        The id.

    Raises
    ------
    ValueError
        If there is no such piece.
    """
    piece = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if piece in tokenizer.added_tokens_:
        return tokenizer.added_tokens_[piece].id
    return tokenizer.piece_to_id((tokenizer._style().from_file(text) or "") if tokenizer.byte_level else piece)
