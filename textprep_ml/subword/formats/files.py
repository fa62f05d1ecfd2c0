"""Files of other libraries: what is wrong with one is told with its name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textprep_ml._modelfile import write_text_atomically
from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError

FilePath = str | os.PathLike[str]


def read_bytes(path: FilePath) -> bytes:
    """Read a file.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    bytes
        All of it.

    Raises
    ------
    ModelFormatError
        If it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ModelFormatError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from None


def read_text(path: FilePath) -> str:
    """Read a file of text.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    str
        All of it.

    Raises
    ------
    ModelFormatError
        If it cannot be read, or is no UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"{os.fspath(path)} is no UTF-8: byte {error.start}.") from None


def read_json(path: FilePath) -> dict[str, Any]:
    """Read a file that holds a JSON object.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        The object.

    Raises
    ------
    ModelFormatError
        If it cannot be read, or holds something else.
    """
    try:
        document = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ModelFormatError(f"{os.fspath(path)} is no JSON: {error}.") from None
    if not isinstance(document, dict):
        raise ModelFormatError(f"{os.fspath(path)} holds {shorten(document)}, no JSON object.")
    return document


def write_json(path: FilePath, document: dict[str, Any]) -> None:
    """Write a JSON object.

    Parameters
    ----------
    path : path-like
        The file; an old one is replaced when the new one is complete.
    document : dict
        Plain values.
    """
    write_text_atomically(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


@contextmanager
def naming_json(path: FilePath) -> Iterator[None]:
    """Tell which ``tokenizer.json`` it is that cannot be understood.

    Parameters
    ----------
    path : path-like
        The file.

    Yields
    ------
    None
        For the block that makes a tokenizer of its content.

    Raises
    ------
    ModelFormatError
        In place of what the block raises when a part is absent, of another kind or not honoured.
    """
    try:
        yield
    except ModelFormatError as error:
        raise ModelFormatError(f"{os.fspath(path)}: {error}") from None
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ModelFormatError(
            f"{os.fspath(path)} is a damaged tokenizer.json: {type(error).__name__}: {error}."
        ) from error
