"""The plain data of a byte-pair model, and what the kernel's encoder needs to know about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bytemap import from_printable, to_printable

# The kernel is told beginnings and ends of words by bytes that no UTF-8 holds: a marker such as "_" may be a letter of
# the corpus as well.
_PREFIX = b"\xfe"
_MARKER = b"\xff"


class Style(NamedTuple):
    """How words become symbols.

    Attributes
    ----------
    byte_level : bool
        Symbols are bytes, else characters.
    prefix : str
        What every character of a word but the first begins with.
    marker : str
        What a word ends with.
    marker_joined : bool
        The last character carries the marker; else it is a symbol of its own.
    space : str
        How blanks are written in pieces; as they are when empty.
    """

    byte_level: bool = True
    prefix: str = ""
    marker: str = ""
    marker_joined: bool = False
    space: str = ""

    def to_bytes(self, piece: str) -> bytes:
        """Give the bytes of a piece.

        Parameters
        ----------
        piece : str
            As users see it.

        Returns
        -------
        bytes
            Raw bytes in byte-level mode, else UTF-8.
        """
        shown = piece.replace(self.space, " ") if self.space else piece
        return shown.encode("utf-8", "surrogateescape" if self.byte_level else "surrogatepass")

    def to_piece(self, data: bytes) -> str:
        """Undo `to_bytes`.

        Parameters
        ----------
        data : bytes
            Bytes of a piece.

        Returns
        -------
        str
            As users see it.
        """
        piece = data.decode("utf-8", "surrogateescape" if self.byte_level else "surrogatepass")
        return piece.replace(" ", self.space) if self.space else piece

    def join(self, left: bytes, right: bytes) -> bytes:
        """Join two pieces; the prefix of the right one is left out.

        Parameters
        ----------
        left, right : bytes
            Bytes of pieces.

        Returns
        -------
        bytes
            Bytes of the piece that the two make.

        Examples
        --------
        >>> Style(byte_level=False, prefix="##").join(b"##e", b"##x")
        b'##ex'
        """
        return left + right.removeprefix(self.prefix.encode("utf-8"))

    def to_file(self, piece: str | None) -> str | None:
        """Write a piece in a way that every JSON file can hold.

        Parameters
        ----------
        piece : str or None
            As users see it.

        Returns
        -------
        str or None
            Printable characters for bytes in byte-level mode.
        """
        return piece if piece is None or not self.byte_level else to_printable(self.to_bytes(piece))

    def from_file(self, text: str | None) -> str | None:
        """Undo `to_file`.

        Parameters
        ----------
        text : str or None
            As in the file.

        Returns
        -------
        str or None
            As users see it.
        """
        return text if text is None or not self.byte_level else self.to_piece(from_printable(text))


@dataclass
class Model:
    """What training finds out or a file holds.

    Attributes
    ----------
    pieces : list of str or None
        Id -> piece; None where an id belongs to an added token or to nothing.
    merges : int32 array of shape (n_merges, 3)
        Left id, right id, id of the two joined; in the order of rank.
    added_tokens : dict of str to AddedToken
        What is found in a text before anything else.
    byte_pieces : list of int, optional
        In character mode with byte fallback, the ids of the 256 bytes.
    template : (list of int, list of int)
        Ids put before and behind a text on request.
    """

    pieces: list[str | None]
    merges: npt.NDArray[np.int32]
    added_tokens: dict[str, AddedToken] = field(default_factory=dict)
    byte_pieces: list[int] | None = None
    template: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))

    @property
    def n_ids(self) -> int:
        """One more than the greatest id."""
        return max([len(self.pieces), *(added.id + 1 for added in self.added_tokens.values())])

    def lengths(self, style: Style) -> npt.NDArray[np.int32]:
        """Count the symbols in each piece; an end-of-word marker of its own counts nothing.

        Parameters
        ----------
        style : Style
            How words become symbols.

        Returns
        -------
        int32 array of shape (n_ids,)
            1 for pieces that no merge makes.
        """
        lengths = np.ones(self.n_ids, dtype=np.int32)
        if style.marker and not style.marker_joined and style.marker in self.pieces:
            lengths[self.pieces.index(style.marker)] = 0
        for left, right, made in self.merges.tolist():
            lengths[made] = lengths[left] + lengths[right]
        return lengths


def all_splits(model: Model, style: Style) -> npt.NDArray[np.int32]:
    """Give every pair of pieces that joins to a piece made by a merge, in the order in which the pieces are made.

    Parameters
    ----------
    model : Model
        Vocabulary and merges.
    style : Style
        How pieces are joined.

    Returns
    -------
    int32 array of shape (n_pairs, 3)
        Left id, right id, id of the two joined.
    """
    ids = {style.to_bytes(piece): index for index, piece in enumerate(model.pieces) if piece is not None}
    rows: list[tuple[int, int, int]] = []
    for made in dict.fromkeys(model.merges[:, 2].tolist()):
        whole = style.to_bytes(model.pieces[made] or "")
        for cut in range(1, len(whole)):
            left, right = ids.get(whole[:cut]), ids.get(whole[cut:])
            if left is not None and right is not None:
                rows.append((left, right, made))
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def encoder_arguments(
    model: Model,
    style: Style,
    unknown: int,
    whole_words: bool = False,
    fuse_unknown: bool = False,
    any_split: bool = False,
) -> dict[str, Any]:
    """Give the arguments of the kernel's encoder, but for the scheme.

    Parameters
    ----------
    model : Model
        Vocabulary and merges.
    style : Style
        How words become symbols.
    unknown : int
        Id of what is not in the vocabulary, or -1.
    whole_words : bool
        A word that is a piece is encoded as this piece, whatever the merges say.
    fuse_unknown : bool
        Unknown neighbours become one.
    any_split : bool
        Any two pieces that join to a piece are joined, with the rank of that piece.

    Returns
    -------
    dict
        Plain data.
    """
    symbols, surfaces = _base_symbols(model, style)
    if not style.byte_level:  # bytes need no parts
        for left, right, made in model.merges.tolist():
            symbols[made] = symbols[left] + symbols[right].removeprefix(_PREFIX)
            surfaces[made] = surfaces[left] + surfaces[right]
    for token, added in model.added_tokens.items():
        if added.id >= len(model.pieces) or model.pieces[added.id] is None:
            surfaces[added.id] = token.encode("utf-8", "surrogatepass")
    hidden = [index for index, symbol in enumerate(symbols) if not symbol]
    return {
        "symbols": symbols,
        "merges": all_splits(model, style) if any_split else model.merges,
        "shared_ranks": any_split,
        "byte_level": style.byte_level,
        "byte_ids": model.byte_pieces,
        "unknown": unknown,
        "fuse_unknown": fuse_unknown,
        "prefix": _PREFIX if style.prefix else b"",
        "marker": _MARKER if style.marker else b"",
        "marker_joined": style.marker_joined,
        "specials": hidden,
        "whole_words": whole_words,
        "surfaces": surfaces,
    }


def _base_symbols(model: Model, style: Style) -> tuple[list[bytes], list[bytes]]:
    """Give the symbols and what they decode to, of all pieces as if none was made by a merge."""
    if style.byte_level and not model.byte_pieces:
        plain = [b"" if piece is None else style.to_bytes(piece) for piece in model.pieces]
        plain += [b""] * (model.n_ids - len(plain))
        return plain, plain.copy()
    symbols = [b""] * model.n_ids
    surfaces = [b""] * model.n_ids
    fallback = {index: byte for byte, index in enumerate(model.byte_pieces or ())}
    marker_found = False
    for index, piece in enumerate(model.pieces):
        if piece is None:
            continue
        if index in fallback:
            surfaces[index] = bytes([fallback[index]])
        elif style.byte_level:
            symbols[index] = surfaces[index] = style.to_bytes(piece)
        elif style.marker and not style.marker_joined and piece == style.marker and not marker_found:
            symbols[index], surfaces[index] = _MARKER, b" "
            marker_found = True
        else:
            symbols[index], surfaces[index] = _character_symbol(piece, style)
    return symbols, surfaces


def _character_symbol(piece: str, style: Style) -> tuple[bytes, bytes]:
    body = piece
    begins = bool(style.prefix) and not (piece.startswith(style.prefix) and len(piece) > len(style.prefix))
    if style.prefix and not begins:
        body = body[len(style.prefix) :]
    ends = bool(style.marker) and style.marker_joined and body.endswith(style.marker) and len(body) > len(style.marker)
    if ends:
        body = body[: -len(style.marker)]
    data = style.to_bytes(body)
    symbol = (_PREFIX if style.prefix and not begins else b"") + data + (_MARKER if ends else b"")
    opening = b" " if begins and not style.marker else b""
    return symbol, opening + data + (b" " if ends else b"")


def merges_from_pairs(
    pairs: Sequence[tuple[bytes, bytes]], ids: dict[bytes, int], style: Style
) -> npt.NDArray[np.int32]:
    """Turn pairs of pieces into ids.

    Parameters
    ----------
    pairs : sequence of (bytes, bytes)
        In the order of rank.
    ids : dict of bytes to int
        The vocabulary.
    style : Style
        How pieces are joined.

    Returns
    -------
    int32 array of shape (n_merges, 3)
        Left id, right id, id of the two joined.

    Raises
    ------
    ValueError
        If the vocabulary lacks a piece; the message names the pair.
    """
    rows = []
    for rank, (left, right) in enumerate(pairs):
        try:
            rows.append((ids[left], ids[right], ids[style.join(left, right)]))
        except KeyError as error:
            raise ValueError(
                f"Merge {rank}, {style.to_piece(left)!r} + {style.to_piece(right)!r}, needs {error.args[0]!r}, "
                "which is no piece."
            ) from None
    return np.array(rows, dtype=np.int32).reshape(-1, 3)
