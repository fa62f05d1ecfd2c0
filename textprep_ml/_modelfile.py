"""The model file: versioned JSON, written whole or not at all, read without running any code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from textprep_ml import _files
from textprep_ml.exceptions import ModelFormatError

FORMAT = "textprep_ml"
VERSION = 1

#: Models inside the wheel, loaded by name.
SHIPPED = Path(__file__).parent / "models"


def shipped_names() -> list[str]:
    """List the names of the models inside the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def resolve(path_or_name: str | os.PathLike[str]) -> Path:
    """Give the path of a model file, or of a shipped model by its name.

    Parameters
    ----------
    path_or_name : str or path-like
        A file, or a name such as ``"en"``. A file of that name wins.

    Returns
    -------
    Path
        An existing file.

    Raises
    ------
    ModelFormatError
        If there is no such file and no shipped model of that name.
    """
    path = Path(path_or_name)
    if path.is_file():
        return path
    shipped = SHIPPED / f"{path_or_name}.json"
    if os.fspath(path_or_name) in shipped_names():
        return shipped
    names = ", ".join(shipped_names()) or "none"
    raise ModelFormatError(
        f"No model file {os.fspath(path_or_name)!r}, and no shipped model of that name (shipped: {names})."
    )


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8 under a temporary name beside `path`, then move it into place.

    Parameters
    ----------
    path : str or path-like
        Where the file goes.
    text : str
        Its content.
    """
    with _files.replacing(path) as temporary:
        Path(temporary).write_text(text, encoding="utf-8", newline="\n")


def write(path: str | os.PathLike[str], class_name: str, content: dict[str, Any]) -> None:
    """Write a model file.

    Parameters
    ----------
    path : str or path-like
        Where the file goes; an old file is replaced only when the new one is complete.
    class_name : str
        The estimator that can read it.
    content : dict
        Parameters and fitted state; plain JSON values, no NaN.
    """
    document = {"format": FORMAT, "version": VERSION, "class": class_name, **content}
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ModelFormatError(f"A model file cannot hold this {class_name}: {error}. Use pickle.") from None
    write_text_atomically(path, text + "\n")


def read(path_or_name: str | os.PathLike[str], class_name: str | None = None) -> dict[str, Any]:
    """Read a model file and check its header.

    Parameters
    ----------
    path_or_name : str or path-like
        A file, or the name of a shipped model.
    class_name : str, optional
        The class that the file must be for.

    Returns
    -------
    dict
        The whole document.

    Raises
    ------
    ModelFormatError
        If the file is missing, not JSON, not ours, newer than this version, or for another class.
    """
    path = resolve(path_or_name)
    try:
        document = json.loads(path.read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ModelFormatError(f"{path} is damaged or no textprep_ml model: {error}.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFormatError(f'{path} is no textprep_ml model: its JSON has no "format": "{FORMAT}".')
    version = document.get("version")
    if version != VERSION:
        raise ModelFormatError(
            f"{path} has format version {version!r}; this textprep_ml reads version {VERSION}. "
            "Retrain it or install another release."
        )
    if class_name is not None and document.get("class") != class_name:
        raise ModelFormatError(f"{path} holds a {document.get('class')}, not a {class_name}.")
    return document
