"""Normalizers and pre-tokenizers in a ``tokenizer.json``, where words are found before pieces: BPE and WordPiece."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.formats.json_parts import Json, join
from textprep_ml.subword.formats.patterns import PATTERNS, scheme_of_pattern
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.pretokenizers import BERT_SCHEMES, SCHEMES, make_pretokenizer

#: The normalizer that puts a blank before every text.
PREPEND: Json = {"type": "Prepend", "prepend": " "}

# Reading


def check_words(normalizer: Json | None, pretokenizer: Any = "none") -> None:
    """Try whether components can be built.

    Parameters
    ----------
    normalizer : dict or None
        As `normalizer` of an estimator.
    pretokenizer : str, dict or list of dict
        As `pretokenizer` of an estimator.

    Raises
    ------
    ModelFormatError
        If one of them cannot; the message names it.
    """
    try:
        make_normalizer(normalizer)
        make_pretokenizer(pretokenizer)
    except (KeyError, ValueError) as error:
        raise ModelFormatError(f"tokenizer.json: {error}") from None


def read_scheme(parts: Sequence[Json]) -> Any:
    """Name the scheme that components stand for, or keep the components.

    Parameters
    ----------
    parts : sequence of dict
        Pre-tokenizers.

    Returns
    -------
    str or list of dict
        As `pretokenizer` of an estimator.
    """
    parts = [part for part in parts if part["type"] != "ByteLevel" or part.get("use_regex", True)]
    if not parts:
        return "none"
    if len(parts) > 1:
        return parts
    part = parts[0]
    if part["type"] == "ByteLevel":
        return "gpt2"
    if part["type"] == "WhitespaceSplit":
        return "blank"
    if part["type"] == "Split" and "Regex" in part["pattern"]:
        keeps_all = (part["behavior"], bool(part.get("invert"))) in (("Isolated", False), ("Removed", True))
        scheme = scheme_of_pattern(part["pattern"]["Regex"])
        if scheme and keeps_all:
            return scheme
        if part["behavior"] == "Isolated" and _is_plain_pattern(part["pattern"]["Regex"]):
            return part["pattern"]["Regex"]
    return [part]


def _is_plain_pattern(pattern: str) -> bool:
    """Tell whether an expression means the same to us: no line ends, no nested sets, and not the name of a scheme."""
    return not pattern.isidentifier() and not re.search(r"\$|(?<!\[)\^|\[.*\[|&&", pattern)


# Writing


def write_normalizer(normalizer: Any, prefix_space: Any) -> Json | None:
    """Describe what is done to a text before words are looked for.

    Parameters
    ----------
    normalizer : dict or None
        Of the estimator.
    prefix_space : bool or "if-missing"
        A blank before every text is the normalizer's.

    Returns
    -------
    dict or None
        The component.

    Raises
    ------
    ModelFormatError
        If the normalizer is an object of Python.
    """
    if normalizer is not None and not isinstance(normalizer, dict):
        raise ModelFormatError(f"tokenizer.json cannot hold the normalizer {type(normalizer).__name__}.")
    components = [] if normalizer is None else [normalizer]
    if prefix_space is True:
        components.append(PREPEND)
    return join(components, "normalizers")


def write_pretokenizer(specification: Any, prefix_space: Any = False, *, byte_level: bool = False) -> Json | None:
    """Describe how words are found.

    Parameters
    ----------
    specification : str, dict or list of dict
        The `pretokenizer` of the estimator.
    prefix_space : bool or "if-missing"
        A blank where there is none is the pre-tokenizer's.
    byte_level : bool
        Words are written as bytes.

    Returns
    -------
    dict or None
        The component.

    Raises
    ------
    ModelFormatError
        If the format has no way to say it.
    """
    missing = prefix_space == "if-missing"
    if specification in ("gpt2", "none") and byte_level:
        return _byte_level(missing, specification == "gpt2")
    if missing:
        raise ModelFormatError(
            "tokenizer.json has add_prefix_space='if-missing' only with byte_level and the schemes 'gpt2' and 'none'."
        )
    if isinstance(specification, str):
        parts = _scheme_parts(specification)
    elif isinstance(specification, dict | list):
        parts = [specification] if isinstance(specification, dict) else list(specification)
    else:
        raise ModelFormatError(f"tokenizer.json cannot hold the pre-tokenizer {type(specification).__name__}.")
    if byte_level and not any(part["type"] == "ByteLevel" for part in parts):
        parts = [*parts, _byte_level(False, False)]
    return join(parts, "pretokenizers")


def _byte_level(prefix_space: bool, use_regex: bool) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True, "use_regex": use_regex}


def _scheme_parts(specification: str) -> list[Json]:
    if specification == "none":
        return []
    if specification == "blank":
        return [{"type": "WhitespaceSplit"}]
    if specification in BERT_SCHEMES:
        raise ModelFormatError(f"tokenizer.json has the pre-tokenizer {specification!r} only with a BertNormalizer.")
    pattern = PATTERNS[specification] if specification in SCHEMES else specification
    return [{"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}]
