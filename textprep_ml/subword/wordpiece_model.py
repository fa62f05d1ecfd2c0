"""What the kernel's WordPiece encoder needs to know about a model."""

from __future__ import annotations

from typing import Any

from textprep_ml.subword.model import Model

#: What `clean_up` leaves the blank before out of, one mark or ending at a time; the rule of the `tokenizers` library.
_CLOSE = (" .", " ?", " !", " ,", " n't", " 'm", " 's", " 've", " 're")


def encoder_arguments(model: Model, prefix: str, clean_up: bool) -> dict[str, Any]:
    """Give pieces and what they decode to.

    Parameters
    ----------
    model : Model
        Vocabulary and added tokens.
    prefix : str
        What pieces inside a word begin with.
    clean_up : bool
        No blank before marks and contractions.

    Returns
    -------
    dict
        Arguments of the kernel's encoder.
    """
    pieces = [b""] * model.n_ids
    surfaces = [b""] * model.n_ids
    for index, piece in enumerate(model.pieces):
        if piece is not None:
            pieces[index] = piece.encode("utf-8", "surrogatepass")
            surfaces[index] = _surface(piece, prefix, clean_up)
    for token, added in model.added_tokens.items():
        if not pieces[added.id]:
            surfaces[added.id] = _surface(token, "", False, " " if prefix else "")
    return {
        "pieces": pieces,
        "prefix": prefix.encode("utf-8"),
        "specials": [index for index, piece in enumerate(pieces) if not piece],
        "surfaces": surfaces,
    }


def _surface(piece: str, prefix: str, clean_up: bool, blank: str = "") -> bytes:
    """Give what a piece decodes to: a blank and the piece, or what follows the prefix."""
    if prefix:
        is_inside = piece.startswith(prefix) and len(piece) > len(prefix)
        piece = piece.removeprefix(prefix) if is_inside else " " + piece
    piece = blank + piece
    for close in _CLOSE if clean_up else ():
        piece = piece.replace(close, close[1:])
    return piece.encode("utf-8", "surrogatepass")
