"""Parameters and learned values as plain JSON, and back: numbers, strings, tuples, arrays, types of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError

#: The key of tables that stand for what JSON has no way to say.
MARK = "$"


def to_plain(value: Any, where: str) -> Any:
    """Give a value as plain JSON; what JSON cannot say becomes a table with the key ``"$"``.

    Parameters
    ----------
    value : object
        None, a bool, number, string, list, tuple, set, dict, array, or a type of numbers.
    where : str
        What messages call it.

    Returns
    -------
    object
        Plain JSON values; floats are exact.

    Raises
    ------
    ModelFormatError
        If it is something else, such as a function.

    Examples
    --------
    >>> to_plain((1, 2), "ngram_range")
    {'$': 'tuple', 'items': [1, 2]}
    >>> from_plain(to_plain(np.array([0.1, -np.inf]), "weights"))
    array([ 0.1, -inf])
    """
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.generic):
        return to_plain(value.item(), where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {MARK: "float", "value": str(value)}
    if isinstance(value, np.ndarray):
        return _array_to_plain(value, where)
    if isinstance(value, list):
        return [to_plain(item, where) for item in value]
    if isinstance(value, tuple):
        return {MARK: "tuple", "items": [to_plain(item, where) for item in value]}
    if isinstance(value, set | frozenset):
        return {MARK: "set", "items": [to_plain(item, where) for item in sorted(value)]}
    if isinstance(value, Mapping):
        return _mapping_to_plain(value, where)
    if isinstance(value, type) and issubclass(value, np.number):
        return {MARK: "dtype", "name": np.dtype(value).name}
    raise ModelFormatError(
        f"{where} is {shorten(value)}: a model file holds plain data only, no {type(value).__name__}. "
        "Leave it out, or use pickle for files that you trust."
    )


def _mapping_to_plain(value: Mapping[Any, Any], where: str) -> dict[str, Any]:
    if all(isinstance(key, str) for key in value) and MARK not in value:
        return {str(key): to_plain(item, where) for key, item in value.items()}
    return {MARK: "dict", "items": [[to_plain(key, where), to_plain(item, where)] for key, item in value.items()]}


def _array_to_plain(value: np.ndarray, where: str) -> dict[str, Any]:
    if value.dtype.kind not in "biufUO":
        raise ModelFormatError(f"{where} is an array of {value.dtype}, which a model file does not hold.")
    items = [to_plain(item, where) for item in value.ravel().tolist()]
    if value.dtype.kind == "f":
        items = [item["value"] if isinstance(item, dict) else item for item in items]
    return {
        MARK: "array",
        "dtype": value.dtype.str if value.dtype.kind == "U" else value.dtype.name,
        "shape": list(value.shape),
        "items": items,
    }


def from_plain(value: Any) -> Any:
    """Undo `to_plain`.

    Parameters
    ----------
    value : object
        Plain JSON values.

    Returns
    -------
    object
        What they stand for.

    Raises
    ------
    ModelFormatError
        If a table stands for nothing that is known.
    """
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if MARK not in value:
        return {key: from_plain(item) for key, item in value.items()}
    decode = _DECODERS.get(value[MARK])
    if decode is None:
        raise ModelFormatError(f"The model holds a value of the unknown kind {shorten(value[MARK])}.")
    return decode(value)


def _array_from_plain(value: dict[str, Any]) -> np.ndarray:
    dtype = np.dtype(value["dtype"])
    if dtype.kind == "O":
        array = np.empty(len(value["items"]), dtype=object)
        array[:] = from_plain(value["items"])
    else:
        array = np.array(value["items"], dtype=dtype)
    return array.reshape(value["shape"])


_DECODERS: dict[Any, Callable[[dict[str, Any]], Any]] = {
    "array": _array_from_plain,
    "dict": lambda value: {from_plain(key): from_plain(item) for key, item in value["items"]},
    "dtype": lambda value: np.dtype(value["name"]).type,
    "float": lambda value: float(value["value"]),
    "set": lambda value: set(from_plain(value["items"])),
    "tuple": lambda value: tuple(from_plain(value["items"])),
}
