"""BERT's ``vocab.txt``: one piece a line; the line, counted from 0, is the id."""

from __future__ import annotations

from collections.abc import Sequence

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError


def to_lines(names: Sequence[str | None]) -> str:
    """Write a vocabulary.

    Parameters
    ----------
    names : sequence of str or None
        Id -> piece or special token.

    Returns
    -------
    str
        The content of the file.

    Raises
    ------
    ModelFormatError
        If an id has no piece, or a piece would not be read back.
    """
    for index, name in enumerate(names):
        if name is None:
            raise ModelFormatError(f"vocab.txt has a piece for every id, but nothing has the id {index}.")
        if not name or "\n" in name or name != name.strip():
            raise ModelFormatError(
                f"vocab.txt has a piece a line and drops white space around it, so it cannot hold {shorten(name)}."
            )
        if any("\ud800" <= char <= "\udfff" for char in name):
            raise ModelFormatError(f"vocab.txt is UTF-8 and cannot hold the lone surrogate in {shorten(name)}.")
    return "".join(f"{name}\n" for name in names)


def from_lines(text: str, name: str) -> list[str]:
    """Read a vocabulary.

    Parameters
    ----------
    text : str
        The content of the file.
    name : str
        For the error message.

    Returns
    -------
    list of str
        Id -> piece.

    Raises
    ------
    ModelFormatError
        If the file is empty, or a line is empty or there twice; the message tells its number.
    """
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]  # pieces may hold U+2028
    if lines[-1] == "":
        lines.pop()
    if not lines:
        raise ModelFormatError(f"{name} is empty; a vocab.txt has a piece a line.")
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise ModelFormatError(f"{name}, line {number}: there is no piece.")
        if "\0" in line:
            raise ModelFormatError(f"{name}, line {number}: {shorten(line)} is no piece; the file is no vocab.txt.")
        if seen.setdefault(line, number) != number:
            raise ModelFormatError(f"{name}, line {number}: {shorten(line)} is on line {seen[line]} already.")
    return lines
