"""Ranks files as `tiktoken` reads them: one base64 token and its rank a line."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.formats.patterns import PATTERNS
from textprep_ml.subword.model import Model, Style
from textprep_ml.subword.pretokenizers import BERT_SCHEMES

#: Scheme -> expression in the dialect of tiktoken, where a possessive quantifier saves time.
_ANY = r"[\s\S]+"


def pattern_of(specification: object) -> str:
    """Give the expression that makes tiktoken find the same words.

    Parameters
    ----------
    specification : object
        The pre-tokenizer.

    Returns
    -------
    str
        A regular expression.

    Raises
    ------
    ModelFormatError
        If there is none.
    """
    if specification == "none":
        return _ANY
    if specification in ("blank", "script", *BERT_SCHEMES) or not isinstance(specification, str):
        raise ModelFormatError(f"tiktoken cannot express the pre-tokenizer {shorten(specification)}.")
    if specification in PATTERNS:
        return PATTERNS[specification]
    return f"{specification}|(?:(?!{specification})[\\s\\S])+"  # what lies between matches is a word too


def write(model: Model, style: Style) -> dict[bytes, int]:
    """Give the ranks of a byte-level model.

    Parameters
    ----------
    model : Model
        Vocabulary and merges.
    style : Style
        How pieces are written.

    Returns
    -------
    dict of bytes to int
        Token -> rank; the rank is the id.

    Raises
    ------
    ModelFormatError
        If joining by rank would give other ids than the merges.
    """
    if not style.byte_level:
        raise ModelFormatError("A tiktoken file holds bytes; train with byte_level=True.")
    made = model.merges[:, 2]
    if np.any(np.diff(made) <= 0):
        raise ModelFormatError("tiktoken joins by id, but the ids of this model are not in the order of its merges.")
    ranks = {style.to_bytes(piece): index for index, piece in enumerate(model.pieces) if piece is not None}
    if len(ranks) < sum(piece is not None for piece in model.pieces):
        raise ModelFormatError("tiktoken cannot express two ids of the same bytes.")
    for left, right, index in model.merges.tolist():
        piece = style.to_bytes(model.pieces[index] or "")
        parts = split(piece, ranks, index)
        if [ranks[part] for part in parts] != [left, right]:
            raise ModelFormatError(f"tiktoken would not make {shorten(piece)} of the two parts that the merge names.")
    return ranks


def split(piece: bytes, ranks: dict[bytes, int], limit: int) -> list[bytes]:
    """Join the bytes of a token by all ranks below a limit.

    Parameters
    ----------
    piece : bytes
        The token.
    ranks : dict of bytes to int
        Token -> rank.
    limit : int
        Rank of the first merge that is not done.

    Returns
    -------
    list of bytes
        The parts that are left.
    """
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while len(parts) > 2:
        rank, at = min((ranks.get(left + right, limit), at) for at, (left, right) in enumerate(pairwise(parts)))
        if rank >= limit:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def to_lines(ranks: dict[bytes, int]) -> str:
    """Write ranks as lines.

    Parameters
    ----------
    ranks : dict of bytes to int
        Token -> rank.

    Returns
    -------
    str
        The content of a ranks file.
    """
    rows = sorted(ranks.items(), key=lambda item: item[1])
    return "".join(f"{base64.b64encode(token).decode('ascii')} {rank}\n" for token, rank in rows)


def from_lines(lines: Sequence[bytes], name: str) -> dict[bytes, int]:
    """Read the lines of a ranks file.

    Parameters
    ----------
    lines : sequence of bytes
        Its content.
    name : str
        For the error message.

    Returns
    -------
    dict of bytes to int
        Token -> rank.

    Raises
    ------
    ModelFormatError
        If a line is something else; the message tells its number.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            raise ModelFormatError(
                f"{name}, line {number}: {shorten(line)} is no base64 token with its rank."
            ) from None
    return ranks


def read(ranks: dict[bytes, int]) -> tuple[Model, bool]:
    """Find the merges behind ranks.

    Parameters
    ----------
    ranks : dict of bytes to int
        Token -> rank.

    Returns
    -------
    model : Model
        Byte-level.
    whole_words : bool
        Whether some tokens are reached only as whole words.

    Raises
    ------
    ModelFormatError
        If a byte has no rank, or two tokens have the same.
    """
    style = Style()
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise ModelFormatError(
            f"The ranks have no token for the byte 0x{missing[0]:02x}; a byte-level vocabulary has all 256."
        )
    if len(set(ranks.values())) < len(ranks) or min(ranks.values()) < 0:
        raise ModelFormatError("The ranks are not unique numbers from 0 on.")
    pieces: list[str | None] = [None] * (max(ranks.values()) + 1)
    rows = []
    whole_words = False
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        pieces[rank] = style.to_piece(token)
        if len(token) == 1:
            continue
        parts = split(token, ranks, rank)
        if len(parts) == 2:
            rows.append((ranks[parts[0]], ranks[parts[1]], rank))
        else:
            whole_words = True
    return Model(pieces, np.array(rows, dtype=np.int32).reshape(-1, 3)), whole_words
