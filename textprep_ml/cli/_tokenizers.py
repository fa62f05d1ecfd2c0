"""What the commands around subword tokenizers share: loading models, and lines of pieces."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textprep_ml.subword.bpe import BPETokenizer


class Format(StrEnum):
    """How encoded text is written."""

    ids = "ids"
    pieces = "pieces"
    npy = "npy"


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
