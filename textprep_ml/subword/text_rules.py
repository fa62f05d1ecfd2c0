"""Normalization by a compiled map of characters, and the white space of models with a marker for blanks."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

from textprep_ml._kernels import load
from textprep_ml._validation import shorten
from textprep_ml.subword.normalizers import CharacterSpans

#: The component's type and its flags, with what they are when not told.
TYPE = "SentencePiece"
_FLAGS = {"remove_extra_whitespaces": False, "escape_whitespaces": True, "add_dummy_prefix": False}


def make_component(charsmap: bytes = b"", keep: list[str] | None = None, **flags: bool) -> dict[str, Any]:
    """Describe a normalization as plain data.

    Parameters
    ----------
    charsmap : bytes
        The compiled map; nothing for none.
    keep : list of str, optional
        Strings that no rule changes.
    **flags
        ``remove_extra_whitespaces`` (no blanks at the ends, single ones inside), ``escape_whitespaces`` (a literal
        marker is a blank too; true unless told), ``add_dummy_prefix`` (a blank before every text).

    Returns
    -------
    dict
        A component for the `normalizer` of a subword tokenizer.
    """
    changed = {name: value for name, value in flags.items() if value != _FLAGS[name]}
    encoded = {"precompiled_charsmap": base64.b64encode(charsmap).decode("ascii")} if charsmap else {}
    return {"type": TYPE, **encoded, **changed, **({"keep": keep} if keep else {})}


def read_component(component: dict[str, Any]) -> dict[str, Any]:
    """Check a component and give the arguments of the kernel's `TextRules`.

    Parameters
    ----------
    component : dict
        As `make_component` gives it.

    Returns
    -------
    dict
        Keyword arguments.

    Raises
    ------
    ValueError
        If there is something unknown in it, or the map is damaged.
    """
    unknown = set(component) - {"type", "precompiled_charsmap", "keep", *_FLAGS}
    if unknown:
        raise ValueError(f"The normalizer {TYPE} has no {shorten(min(unknown))}.")
    flags = {name: component.get(name, default) for name, default in _FLAGS.items()}
    try:
        charsmap = base64.b64decode(component.get("precompiled_charsmap") or "", validate=True)
        if charsmap:
            load("unigram").split_map(charsmap)
    except (binascii.Error, TypeError, ValueError) as error:
        raise ValueError(f"The precompiled_charsmap of the normalizer is damaged: {error}.") from None
    return {
        "charsmap": charsmap,
        "kept": [string.encode("utf-8", "surrogatepass") for string in component.get("keep", ())],
        "remove_extra": flags["remove_extra_whitespaces"],
        "escape": flags["escape_whitespaces"],
        "prefix": flags["add_dummy_prefix"],
    }


class RulesNormalizer:
    """Applies such a component, and knows where each character came from.

    Blanks stay blanks, and a literal marker becomes one: tokenizers that use this write blanks as markers in the names
    of their pieces only.

    Parameters
    ----------
    component : dict
        As `make_component` gives it.

    Examples
    --------
    >>> normalizer = RulesNormalizer({"type": "SentencePiece", "remove_extra_whitespaces": True})
    >>> text, offsets = normalizer.align("  two   words ")
    >>> text, offsets.to_raw(np.array([[0, 3], [3, 9]])).tolist()
    ('two words', [[2, 5], [5, 13]])
    """

    def __init__(self, component: dict[str, Any]) -> None:
        self._rules = load("unigram").TextRules(**read_component(component))

    def normalize(self, text: str) -> str:
        """Give the normalized text.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        str
            Bytes of lone surrogates become U+FFFD.
        """
        return self._rules.normalize(text).decode("utf-8", "replace")

    def normalize_token(self, token: str) -> str:
        """Normalize a string that is looked for inside of normalized texts.

        Parameters
        ----------
        token : str
            An added token.

        Returns
        -------
        str
            Without a blank before it.
        """
        return self._rules.normalize(token, False).decode("utf-8", "replace")

    def align(self, text: str) -> tuple[str, CharacterSpans]:
        """Give the normalized text and the way back.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        text : str
            As from `normalize`.
        offsets : CharacterSpans
            Carries its spans to the text before.
        """
        raw = text.encode("utf-8", "surrogatepass")
        data, begins, ends = self._rules.align(raw)
        leads = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) & 0xC0 != 0x80)
        spans = load("unigram").character_spans(raw, np.column_stack([begins[leads], ends[leads]]))
        return data.decode("utf-8", "replace"), CharacterSpans(spans[:, 0].tolist(), spans[:, 1].tolist(), len(text))
