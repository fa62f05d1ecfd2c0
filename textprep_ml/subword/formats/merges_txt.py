"""Text files with one merge a line: ``merges.txt`` beside ``vocab.json``, and the codes of subword-nmt."""

from __future__ import annotations

from collections.abc import Sequence

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError

_HEADER = "#version:"


def to_lines(pairs: Sequence[tuple[str, str]], version: str = "0.2") -> str:
    """Write merges.

    Parameters
    ----------
    pairs : sequence of (str, str)
        In the order of rank.
    version : str, default="0.2"
        What the first line says.

    Returns
    -------
    str
        The content of the file.

    Raises
    ------
    ModelFormatError
        If a piece holds white space, which separates the two.
    """
    for left, right in pairs:
        for piece in (left, right):
            if piece.split() != [piece]:
                raise ModelFormatError(
                    f"A merges file separates pieces by blanks and lines, so it cannot hold {shorten(piece)}."
                )
    return f"{_HEADER} {version}\n" + "".join(f"{left} {right}\n" for left, right in pairs)


def from_lines(text: str, name: str) -> tuple[list[tuple[str, str]], str]:
    """Read merges.

    Parameters
    ----------
    text : str
        The content of the file.
    name : str
        For the error message.

    Returns
    -------
    pairs : list of (str, str)
        In the order of rank.
    version : str
        Of the header; ``"0.1"`` where there is none.

    Raises
    ------
    ModelFormatError
        If a line does not hold two pieces; the message tells its number.
    """
    lines = text.split("\n")  # pieces may hold other line separators, such as U+2028
    version = "0.1"
    first = 0
    if lines[0].startswith(_HEADER):
        version = lines[0].removeprefix(_HEADER).strip()
        first = 1
    pairs = []
    for number, line in enumerate(lines[first:], start=first + 1):
        parts = line.rstrip("\r").split(" ")
        if parts == [""]:
            continue
        if len(parts) != 2 or not all(parts):
            raise ModelFormatError(f"{name}, line {number}: {shorten(line)} is no pair of pieces.")
        pairs.append((parts[0], parts[1]))
    return pairs, version
