"""Abbreviation lexicons: entries sorted into classes, one TOML file per language, for segmenters and tokenizers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "lexicons"

#: The classes in the order of their codes. A class says how an abbreviation behaves, not only what it means.
CLASSES = (
    "title", "rank", "given", "number", "citation", "reporter", "court", "company", "suffix", "state", "country",
    "unit", "month", "weekday", "time", "latin", "etc", "street", "biomedical", "bible", "general", "learned", "user",
)  # fmt: skip


def languages() -> list[str]:
    """List the languages that have a lexicon.

    Returns
    -------
    list of str
        Codes such as ``"en"``.
    """
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_abbreviations(language: str = "en") -> dict[str, str]:
    """Load the lexicon of a language.

    Parameters
    ----------
    language : str
        A code out of `languages`.

    Returns
    -------
    dict of str to str
        Entry (without its final period) -> class.

    Raises
    ------
    ValueError
        If there is no such lexicon.

    Examples
    --------
    >>> load_abbreviations("en")["Dr"]
    'title'
    """
    path = FOLDER / f"{language}.toml"
    if language not in languages():
        raise ValueError(f"No abbreviation lexicon for {language!r}; there are {', '.join(languages())}.")
    import tomllib  # a model has its abbreviations inside

    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {entry: name for name, entries in table.items() for entry in entries.split()}


def normalize_abbreviations(
    abbreviations: str | Mapping[str, str] | Iterable[str] | None, *, optional: bool = True
) -> dict[str, str]:
    """Bring what a user may give into one form.

    Parameters
    ----------
    abbreviations : str, mapping, iterable of str or None
        A language code, entry -> class, or entries alone (class ``"user"``); with or without the final period.
    optional : bool, default=True
        Whether None is none of them, not an error.

    Returns
    -------
    dict of str to str
        Entry without its final period -> class.

    Raises
    ------
    ValueError
        If a class is unknown or an entry is empty or holds white space.
    TypeError
        If they are none of these.

    Examples
    --------
    >>> normalize_abbreviations({"Bros.": "company"})
    {'Bros': 'company'}
    >>> normalize_abbreviations(["табл.", "рис"])
    {'табл': 'user', 'рис': 'user'}
    """
    if abbreviations is None and optional:
        return {}
    if isinstance(abbreviations, str):
        return load_abbreviations(abbreviations)
    if not isinstance(abbreviations, Iterable):
        raise TypeError(
            "Abbreviations are a language, a mapping of entries to classes, or entries alone, "
            f"but got {type(abbreviations).__name__}."
        )
    pairs = (
        abbreviations.items() if isinstance(abbreviations, Mapping) else ((entry, "user") for entry in abbreviations)
    )
    result = {}
    for entry, name in pairs:
        if not isinstance(entry, str) or not entry.rstrip(".") or any(map(str.isspace, entry)):
            raise ValueError(f"An abbreviation is one word without blanks, got {entry!r}.")
        if name not in CLASSES:
            raise ValueError(
                f"Unknown abbreviation class {name!r} for {entry!r}; the classes are {', '.join(CLASSES)}."
            )
        result[entry.removesuffix(".")] = name
    return result
