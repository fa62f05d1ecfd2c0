"""Checks of what users pass to the steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import regex

from textprep_ml._validation import map_leaves, shorten
from textprep_ml.normalization._word_rules import PatternRule


def collect_leaves(X: Any, owner: str) -> list[str]:
    """Give all strings in nested lists.

    Parameters
    ----------
    X : sequence of str, or nested lists of str
        Documents.
    owner : str
        The name that an error message opens with.

    Returns
    -------
    list of str
        In order.
    """
    leaves: list[str] = []
    map_leaves(leaves.append, X, owner)
    return leaves


def check_table(table: Mapping[str, str] | None, name: str, *, single: bool = False) -> dict[str, str]:
    """Give a table of the user's as a dict after checking it.

    Parameters
    ----------
    table : mapping or None
        Text -> replacement.
    name : str
        The parameter, for the message.
    single : bool
        Whether the keys must be single characters.

    Returns
    -------
    dict of str to str
        A new dict.

    Raises
    ------
    ValueError
        If a key or a value is of the wrong kind.
    """
    for key, value in (table or {}).items():
        if not isinstance(key, str) or not key or (single and len(key) != 1) or not isinstance(value, str):
            kind = "a single character" if single else "a word"
            raise ValueError(
                f"{name} maps {kind} to a str, but has the entry {shorten(key)}: {shorten(value)}. "
                "Longer patterns belong into rules."
            )
    return dict(table or {})


def check_vocabulary(vocabulary: Collection[str]) -> frozenset[str]:
    """Give a vocabulary as a frozenset after checking that it holds strings.

    Parameters
    ----------
    vocabulary : collection of str
        Words.

    Returns
    -------
    frozenset of str
        The same words.

    Raises
    ------
    ValueError
        If an entry is no string.
    """
    for word in vocabulary:
        if not isinstance(word, str):
            raise ValueError(f"vocabulary holds {shorten(word)}, a {type(word).__name__}; it must hold str only.")
    return frozenset(vocabulary)


def check_mask(mask: str, name: str) -> str:
    """Give the mask after checking that it is one character.

    Parameters
    ----------
    mask : str
        The mask.
    name : str
        The parameter, for the message.

    Returns
    -------
    str
        The same.

    Raises
    ------
    ValueError
        If it is longer or empty.
    """
    if len(mask) != 1:
        raise ValueError(f"{name} must be one character, but is {shorten(mask)}.")
    return mask


def check_rules(rules: Sequence[Any]) -> list[PatternRule]:
    """Compile the user's rules.

    Parameters
    ----------
    rules : sequence of (str, str)
        Pattern and replacement.

    Returns
    -------
    list of PatternRule
        One each.

    Raises
    ------
    ValueError
        If a rule is no pair of strings, or its pattern or replacement does not compile.
    """
    compiled = []
    for index, rule in enumerate(rules):
        if not isinstance(rule, list | tuple) or len(rule) != 2 or not all(isinstance(part, str) for part in rule):
            raise ValueError(f"rules[{index}] is {shorten(rule)}; expected a pair of str, (pattern, replacement).")
        pattern, replacement = rule
        try:
            _empty_pattern(regex.compile(pattern)).sub(replacement, "")
        except (regex.error, IndexError) as error:
            raise ValueError(
                f"rules[{index}], {shorten(rule)}, is no regular expression with a replacement: {error}."
            ) from None
        compiled.append(PatternRule(pattern, replacement))
    return compiled


def _empty_pattern(pattern: regex.Pattern[str]) -> regex.Pattern[str]:
    """Give a pattern with the same groups that matches the empty text, to try a replacement on."""
    names = {index: name for name, index in pattern.groupindex.items()}
    return regex.compile(
        "".join(f"(?P<{names[index]}>)" if index in names else "()" for index in range(1, pattern.groups + 1))
    )
