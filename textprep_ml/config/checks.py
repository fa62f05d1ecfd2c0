"""Checks of keys and types, with the nearest valid name in the message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ConfigError

_TYPE_NAMES = {
    list: "a list",
    str: "a string",
    dict: "a table",
    bool: "true or false",
    float: "a number",
    int: "a whole number",
}


def check_key(key: str, known: Iterable[str], where: str) -> None:
    """Refuse a key that is not known."""
    known = list(known)
    if key not in known:
        raise ConfigError(f"{where} has no key {key!r}{suggest(key, known)}")


def suggest(word: str, known: Iterable[str]) -> str:
    """Give the end of a message about a wrong name: the nearest right one, or all of them."""
    known = sorted(known)
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}."


def check_type(value: Any, expected: type, where: str) -> None:
    """Refuse a value of a wrong type; a whole number is a number too."""
    if expected is float and isinstance(value, int) and not isinstance(value, bool):
        return
    if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
        raise ConfigError(f"{where} must be {_TYPE_NAMES[expected]}, but is {shorten(value)}.")
