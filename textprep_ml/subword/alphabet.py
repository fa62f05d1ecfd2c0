"""The symbols that training starts from: special tokens, bytes or characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bytemap import BYTE_ORDER, fallback_name
from textprep_ml.subword.model import Style

_N_CODES = 0x110000


def choose_characters(counts: dict[int, int], limit: int | None, coverage: float) -> list[str]:
    """Choose the characters that become symbols; the rest are unknown or fall back to bytes.

    Parameters
    ----------
    counts : dict of int to int
        Code point -> how often it occurs.
    limit : int or None
        At most so many.
    coverage : float
        As many of the most frequent as make up this part of the corpus.

    Returns
    -------
    list of str
        In the order of code points. Lone surrogates are never symbols.

    Examples
    --------
    >>> choose_characters({97: 8, 98: 1, 99: 1}, limit=None, coverage=0.85)
    ['a', 'b']
    """
    ranked = sorted((-count, code) for code, count in counts.items() if not 0xD800 <= code < 0xE000)
    if coverage < 1:
        sums = np.cumsum([-count for count, _ in ranked])
        wanted = coverage * sum(counts.values())
        ranked = ranked[: int(np.searchsorted(sums, wanted)) + 1]
    return [chr(code) for code in sorted(code for _, code in ranked[:limit])]


@dataclass
class Alphabet:
    """Base pieces, in the order of their ids.

    Attributes
    ----------
    pieces : list of str
        As users see them.
    n_before : int
        How many ids come before the symbols: the special tokens.
    byte_pieces : list of int, optional
        Ids of the 256 bytes in character mode with byte fallback.
    """

    pieces: list[str]
    n_before: int = 0
    byte_pieces: list[int] | None = None


def byte_alphabet(specials: list[str], style: Style) -> Alphabet:
    """Give special tokens and all bytes.

    Parameters
    ----------
    specials : list of str
        They take the first ids.
    style : Style
        How pieces are written.

    Returns
    -------
    Alphabet
        256 pieces and the specials.
    """
    return Alphabet([*specials, *(style.to_piece(bytes([byte])) for byte in BYTE_ORDER)], len(specials))


def character_alphabet(specials: list[str], characters: list[str], style: Style, byte_fallback: bool) -> Alphabet:
    """Give special tokens, bytes, the marker and the forms of all characters.

    Parameters
    ----------
    specials : list of str
        They take the first ids.
    characters : list of str
        What `choose_characters` chose.
    style : Style
        With a prefix or a joined marker a character has several forms.
    byte_fallback : bool
        Whether 256 pieces stand for bytes.

    Returns
    -------
    Alphabet
        All base pieces.
    """
    pieces = list(specials)
    byte_pieces = None
    if byte_fallback:
        byte_pieces = list(range(len(pieces), len(pieces) + 256))
        pieces += map(fallback_name, range(256))
    if style.marker and not style.marker_joined:
        pieces.append(style.marker)
    return Alphabet([*pieces, *character_forms(characters, style)], len(specials), byte_pieces)


def character_forms(characters: list[str], style: Style) -> list[str]:
    """Give every character at every place in a word.

    Parameters
    ----------
    characters : list of str
        Single characters.
    style : Style
        What first and last characters look like.

    Returns
    -------
    list of str
        All first forms, then all others.
    """
    ends = ["", style.marker] if style.marker and style.marker_joined else [""]
    begins = ["", style.prefix] if style.prefix else [""]
    shown = [style.space if style.space and char == " " else char for char in characters]
    return [begin + char + end for begin in begins for end in ends for char in shown]


def symbol_tables(alphabet: dict[str, int], characters: list[str], style: Style) -> list[npt.NDArray[np.int32]]:
    """Give the tables that the kernel looks characters up in: first, middle, last, only.

    Parameters
    ----------
    alphabet : dict of str to int
        Base piece -> id.
    characters : list of str
        Single characters.
    style : Style
        What first and last characters look like.

    Returns
    -------
    list of four int32 arrays of shape (0x110000,)
        The id of each code point, -1 where there is none.
    """
    end = style.marker if style.marker_joined else ""
    codes = np.array([ord(char) for char in characters], dtype=np.intp)
    shown = [style.space if style.space and char == " " else char for char in characters]

    def table(prefix: str, suffix: str) -> npt.NDArray[np.int32]:
        ids = np.full(_N_CODES, -1, dtype=np.int32)
        ids[codes] = [alphabet[prefix + char + suffix] for char in shown]
        return ids

    first = table("", "")
    middle = table(style.prefix, "") if style.prefix else first
    last = table(style.prefix, end) if end else middle
    only = table("", end) if end else first
    return [first, middle, last, only]


def special_list(special_tokens: Any, unk_token: str | None) -> list[str]:
    """Check special tokens that take the first ids, with the unknown token in front unless it is among them.

    Parameters
    ----------
    special_tokens : list, tuple or dict of str
        A dict gives ids of its own; then only the unknown token is left here.
    unk_token : str or None
        The unknown token.

    Returns
    -------
    list of str
        In the order of their ids.

    Raises
    ------
    TypeError
        If a token is no string.
    ValueError
        If a token is empty or there twice.
    """
    listed = list(special_tokens)
    seen: dict[str, int] = {}
    for index, token in enumerate(listed):
        if not isinstance(token, str):
            raise TypeError(f"special_tokens expects str, but token {index} is {type(token).__name__}: {token!r}.")
        if not token:
            raise ValueError(f"special_tokens: token {index} is empty; an empty token would match everywhere.")
        if seen.setdefault(token, index) != index:
            raise ValueError(
                f"special_tokens: {token!r} is there twice (tokens {seen[token]} and {index}); leave one out."
            )
    if isinstance(special_tokens, dict):
        listed = []
    if unk_token is None or unk_token in special_tokens:
        return listed
    return [unk_token, *listed]


def place_specials(tokens: Any, first_free: int) -> dict[str, AddedToken]:
    """Give special tokens with ids of their own their place.

    Parameters
    ----------
    tokens : dict of str to int, or anything else
        Only a dict has such ids.
    first_free : int
        The first id behind the vocabulary.

    Returns
    -------
    dict of str to AddedToken
        Empty unless `tokens` is a dict.

    Raises
    ------
    ValueError
        If an id is none, is taken, or is there twice.
    """
    if not isinstance(tokens, dict):
        return {}
    for token, index in tokens.items():
        if isinstance(index, bool) or not isinstance(index, Integral) or index < first_free:
            raise ValueError(
                f"special_tokens: the id {index!r} of {token!r} is not behind the vocabulary; take {first_free} on."
            )
    if len(set(tokens.values())) < len(tokens):
        raise ValueError("special_tokens: two tokens have the same id.")
    return {token: AddedToken(int(index), special=True) for token, index in tokens.items()}


def more_tokens(
    pieces: Sequence[str | None],
    added: Mapping[str, AddedToken],
    tokens: Iterable[str] | Mapping[str, int],
    special: bool,
) -> dict[str, AddedToken]:
    """Put tokens beside those that a model has.

    Parameters
    ----------
    pieces : sequence of str or None
        Id -> piece.
    added : dict of str to AddedToken
        The tokens so far, which stay as they are.
    tokens : iterable of str, or dict of str to int
        By default the next free ids are taken.
    special : bool
        Whether the new ones are control tokens.

    Returns
    -------
    dict of str to AddedToken
        All of them.

    Raises
    ------
    ValueError
        If a token is empty or there twice, or an id is taken.
    """
    tokens = tokens if isinstance(tokens, Mapping) else list(tokens)
    special_list(list(tokens), None)
    together = dict(added)
    taken = {index for index, piece in enumerate(pieces) if piece is not None} | {token.id for token in added.values()}
    next_id = max([len(pieces) - 1, *taken]) + 1
    for token in tokens:
        if token in together:
            continue
        index = tokens[token] if isinstance(tokens, Mapping) else next_id
        if not isinstance(index, Integral) or index < 0 or index in taken:
            raise ValueError(f"add_tokens: the id {index!r} of {token!r} is taken or no id.")
        together[token] = AddedToken(int(index), special=special)
        taken.add(int(index))
        next_id = max(next_id, int(index) + 1)
    return together
