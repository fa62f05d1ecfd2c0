"""How bytes are written where a file format has room for characters only."""

from __future__ import annotations


def _printable() -> list[str]:
    """Give each byte a visible character (Radford et al. 2019, GPT-2).

    That is its own where Latin-1 has one; the rest follow in order from U+0100 on.
    """
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = iter(range(0x100, 0x200))
    return [chr(byte) if byte in visible else chr(next(hidden)) for byte in range(256)]


#: Byte -> its printable character.
PRINTABLE = _printable()

#: The bytes in the order of their printable characters: the order in which byte-level vocabularies number them.
BYTE_ORDER = sorted(range(256), key=PRINTABLE.__getitem__)

_BYTES = {char: byte for byte, char in enumerate(PRINTABLE)}
_TO_PRINTABLE = dict(enumerate(PRINTABLE))


def to_printable(piece: bytes) -> str:
    """Write bytes as printable characters.

    Parameters
    ----------
    piece : bytes
        Any bytes.

    Returns
    -------
    str
        As long as `piece`.

    Examples
    --------
    >>> to_printable(" é".encode())
    'ĠÃ©'
    """
    return piece.decode("latin-1").translate(_TO_PRINTABLE)


def from_printable(text: str) -> bytes:
    """Undo `to_printable`.

    Parameters
    ----------
    text : str
        Printable characters of bytes.

    Returns
    -------
    bytes
        As many as `text` has characters.

    Raises
    ------
    ValueError
        If a character stands for no byte.
    """
    try:
        return bytes([_BYTES[char] for char in text])
    except KeyError as error:
        raise ValueError(f"{text!r} is no byte-level piece: {error.args[0]!r} stands for no byte.") from None


def fallback_name(byte: int) -> str:
    """Name the piece of a byte in a vocabulary of characters.

    Parameters
    ----------
    byte : int
        0 to 255.

    Returns
    -------
    str
        Such as ``<0x0A>``.
    """
    return f"<0x{byte:02X}>"
