"""What the commands around subword tokenizers share: loading models, and lines of pieces."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textprep_ml._modelfile import resolve

if TYPE_CHECKING:
    from textprep_ml.subword.base import SubwordTokenizer


class Format(StrEnum):
    """How encoded text is written."""

    ids = "ids"
    pieces = "pieces"
    npy = "npy"


_SPECIAL = re.compile(r"[\s\\]")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def load_tokenizer(path: str) -> SubwordTokenizer:
    """Load a model of ours, a ``tokenizer.json``, or a ``.model`` of sentencepiece.

    Parameters
    ----------
    path : str
        A model file, or the name of a shipped model.

    Returns
    -------
    SubwordTokenizer
        Ready to encode.

    Raises
    ------
    ModelFormatError
        If the file is missing, damaged or something else.
    """
    resolve(path)  # where there is none, that is said before scikit-learn is imported
    from textprep_ml import subword

    file = Path(path)
    if not file.is_file():
        return subword.BPETokenizer.load(path)
    document = _read_document(file)
    if document is None and file.read_bytes()[:1] == _FIRST_OF_SENTENCEPIECE:
        return _from_sentencepiece(file)
    if is_foreign(file):
        kind = _of_kind(subword, (document or {})["model"], "type", _FOREIGN_KINDS)
        return kind.from_tokenizers_json(file)
    return _of_kind(subword, document, "class", {name: name for name in subword.__all__}).load(path)


#: The model of a ``tokenizer.json`` -> our class.
_FOREIGN_KINDS = {"Unigram": "UnigramTokenizer", "WordPiece": "WordPieceTokenizer"}
#: The field number and wire type of the first piece.
_FIRST_OF_SENTENCEPIECE = b"\x0a"


def _of_kind(module: Any, document: Any, key: str, names: dict[str, str]) -> Any:
    """Give the class that a document asks for; byte-pair encoding tells what is wrong with all others."""
    name = names.get(str(document.get(key)) if isinstance(document, dict) else "", "BPETokenizer")
    kind = getattr(module, name, module.BPETokenizer)
    return kind if hasattr(kind, "load") else module.BPETokenizer


def _from_sentencepiece(path: Path) -> SubwordTokenizer:
    from textprep_ml.exceptions import ModelFormatError
    from textprep_ml.subword import BPETokenizer, UnigramTokenizer
    from textprep_ml.subword.formats.sentencepiece_proto import parse
    from textprep_ml.subword.formats.sentencepiece_unigram import UNIGRAM

    try:
        model_type = parse(path.read_bytes()).trainer_spec.model_type
    except ValueError as error:
        raise ModelFormatError(f"{path}: {error}.") from None
    return (UnigramTokenizer if model_type == UNIGRAM else BPETokenizer).from_sentencepiece(path)


def _read_document(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None  # the loader tells what is wrong


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
    document = _read_document(path)
    return isinstance(document, dict) and "format" not in document and "model" in document


def show_piece(tokenizer: SubwordTokenizer, piece: str) -> str:
    r"""Write a piece without white space: bytes by their printable characters, else white space as ``\u0020``.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
        Tells whether pieces are bytes.
    piece : str
        A piece.

    Returns
    -------
    str
        One field of a line.
    """
    if getattr(tokenizer, "byte_level", False) and piece not in tokenizer.added_tokens_:
        from textprep_ml.subword.bytemap import to_printable

        return to_printable(piece.encode("utf-8", "surrogateescape"))
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", piece)


def read_piece(tokenizer: SubwordTokenizer, text: str) -> int:
    """Undo `show_piece` and look the piece up.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
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
    if getattr(tokenizer, "byte_level", False):
        from textprep_ml.subword.bytemap import from_printable

        return tokenizer.piece_to_id(from_printable(text).decode("utf-8", "surrogateescape"))
    return tokenizer.piece_to_id(piece)
