"""Punctuation tables: single characters and what stands for them in plain text."""

from __future__ import annotations

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\u2e3a\u2e3b\u2043"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u00b4"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f"

#: Group -> table.
PUNCTUATION: dict[str, dict[str, str]] = {
    "dashes": dict.fromkeys(_DASHES, "-"),
    "quotes": dict.fromkeys(_SINGLE_QUOTES, "'") | dict.fromkeys(_DOUBLE_QUOTES, '"'),
    "ellipses": {"\u2026": "...", "\u2025": "..", "\u22ef": "..."},
    "fullwidth": {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"\u3000": " "},
}


def punctuation_table(*groups: str) -> dict[str, str]:
    """Give the table of some groups, or of all.

    Parameters
    ----------
    *groups : str
        Out of ``dashes``, ``quotes``, ``ellipses``, ``fullwidth``; none means all.

    Returns
    -------
    dict of str to str
        Character -> replacement; a new dict, ready to be changed.

    Raises
    ------
    ValueError
        If there is no such group.

    Examples
    --------
    >>> punctuation_table("ellipses")["…"]
    '...'
    """
    table: dict[str, str] = {}
    for group in groups or PUNCTUATION:
        if group not in PUNCTUATION:
            raise ValueError(f"No punctuation group {group!r}; there are {', '.join(PUNCTUATION)}.")
        table |= PUNCTUATION[group]
    return table
