"""Normalizers of foreign models: the components of ``tokenizer.json``, with offsets into the raw text.

A tokenizer that is trained here gets its normalizer as a collaborator and needs none of these.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt
import regex

from textprep_ml._kernels import load
from textprep_ml._validation import shorten
from textprep_ml.subword.bert import flags_of

#: A normalized text and, for each of its characters, where its source starts and ends in the text before.
Aligned = tuple[str, list[int], list[int]]
Step = Callable[[str], Aligned]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


class Offsets(Protocol):
    """Carries spans of a normalized text back."""

    def to_raw(self, spans: Any) -> Any:
        """Give the spans in the raw text."""


class Normalizer(Protocol):
    """Rewrites a text and knows where each character came from."""

    def normalize(self, text: str) -> str:
        """Give the normalized text."""

    def align(self, text: str) -> tuple[str, Offsets]:
        """Give the normalized text and the way back."""


class CharacterSpans:
    """Offsets kept as one source span per character.

    Parameters
    ----------
    starts, ends : list of int
        The source of each character of the normalized text.
    length : int
        Characters in the raw text.
    """

    def __init__(self, starts: list[int], ends: list[int], length: int) -> None:
        self._starts = np.array([*starts, length], dtype=np.int64)
        self._ends = np.array([0, *ends], dtype=np.int64)

    def to_raw(self, spans: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Give the spans in the raw text.

        Parameters
        ----------
        spans : ndarray of shape (n, 2)
            Spans of the normalized text.

        Returns
        -------
        ndarray of shape (n, 2)
            Half-open; an empty span stays empty.
        """
        starts = self._starts[spans[:, 0]]
        ends = np.where(spans[:, 1] > spans[:, 0], self._ends[spans[:, 1]], starts)
        return np.column_stack([starts, ends])


def _by_parts(parts: Iterator[tuple[int, int, str]]) -> Aligned:
    """Join replacements of consecutive stretches; all characters of a replacement come from the whole stretch."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, new in parts:
        texts.append(new)
        starts += [start] * len(new)
        ends += [end] * len(new)
    return "".join(texts), starts, ends


def _normal_form(form: Form) -> Step:
    def parts(text: str) -> Iterator[tuple[int, int, str]]:
        start = 0
        for at in range(1, len(text) + 1):
            # A stretch ends where the next character does not combine with it.
            if at == len(text) or _stays_apart(form, text[start:at], text[at]):
                yield start, at, unicodedata.normalize(form, text[start:at])
                start = at

    return lambda text: _unchanged(text) if unicodedata.is_normalized(form, text) else _by_parts(parts(text))


def _stays_apart(form: Form, before: str, char: str) -> bool:
    if char < "\x80":
        return True
    normalize = unicodedata.normalize
    if unicodedata.combining(char) or unicodedata.combining(normalize(form, char)[0]):
        return False
    return normalize(form, before + char) == normalize(form, before) + normalize(form, char)


def _unchanged(text: str) -> Aligned:
    return text, list(range(len(text))), list(range(1, len(text) + 1))


def _per_character(change: Callable[[str], str]) -> Step:
    return lambda text: _by_parts((at, at + 1, change(char)) for at, char in enumerate(text))


def _strip_accents(char: str) -> str:
    return "" if unicodedata.category(char)[0] == "M" else char


def _replacement(pattern: regex.Pattern[str], content: str) -> Step:
    def parts(text: str) -> Iterator[tuple[int, int, str]]:
        at = 0
        for match in pattern.finditer(text):
            yield from ((i, i + 1, text[i]) for i in range(at, match.start()))
            yield match.start(), match.end(), content
            at = match.end()
        yield from ((i, i + 1, text[i]) for i in range(at, len(text)))

    return lambda text: _by_parts(parts(text))


def _prepend(content: str) -> Step:
    def step(text: str) -> Aligned:
        _, starts, ends = _unchanged(text)
        return (content + text, [0] * len(content) + starts, [0] * len(content) + ends) if text else ("", [], [])

    return step


def _strip(left: bool, right: bool) -> Step:
    def step(text: str) -> Aligned:
        first = len(text) - len(text.lstrip()) if left else 0
        last = max(first, len(text.rstrip()) if right else len(text))
        return text[first:last], list(range(first, last)), list(range(first + 1, last + 1))

    return step


def _precompiled(component: dict[str, Any]) -> Step:
    from textprep_ml.subword.text_rules import RulesNormalizer

    charsmap = component.get("precompiled_charsmap")
    if not charsmap:
        raise ValueError("The normalizer component Precompiled is not supported without a precompiled_charsmap.")
    normalizer = RulesNormalizer(
        {"type": "SentencePiece", "precompiled_charsmap": charsmap, "escape_whitespaces": False}
    )

    def step(text: str) -> Aligned:
        normalized, offsets = normalizer.align(text)
        places = np.arange(len(normalized))
        spans = offsets.to_raw(np.column_stack([places, places + 1]))
        return normalized, spans[:, 0].tolist(), spans[:, 1].tolist()

    return step


def _component_step(component: dict[str, Any]) -> Step:
    kind = component.get("type")
    if kind in ("NFC", "NFD", "NFKC", "NFKD"):
        return _normal_form(cast(Form, kind))
    if kind == "Precompiled":
        return _precompiled(component)
    if kind == "BertNormalizer":
        flags = flags_of(component)
        return lambda text: load("wordpiece").normalize(text, flags)
    if kind == "Lowercase":
        return _per_character(str.lower)
    if kind == "StripAccents":
        return _per_character(_strip_accents)
    if kind == "Prepend":
        return _prepend(component["prepend"])
    if kind == "Strip":
        return _strip(component.get("strip_left", True), component.get("strip_right", True))
    if kind == "Replace":
        pattern = component["pattern"]
        source = regex.escape(pattern["String"], literal_spaces=True) if "String" in pattern else pattern["Regex"]
        return _replacement(regex.compile(source), component["content"])
    raise ValueError(f"The normalizer component {shorten(kind)} is not supported.")


class ChainNormalizer:
    """Components in the form of ``tokenizer.json``, one after another.

    Parameters
    ----------
    component : dict
        With a ``"type"``; a ``Sequence`` holds more under ``"normalizers"``.

    Examples
    --------
    >>> text, offsets = ChainNormalizer({"type": "NFC"}).align("e\u0301a")
    >>> text, offsets.to_raw(np.array([[0, 1], [1, 2]])).tolist()
    ('éa', [[0, 2], [2, 3]])
    """

    def __init__(self, component: dict[str, Any]) -> None:
        self._steps = list(self._flatten(component))

    def _flatten(self, component: dict[str, Any]) -> Iterator[Step]:
        if component.get("type") == "Sequence":
            for inner in component["normalizers"]:
                yield from self._flatten(inner)
        else:
            yield _component_step(component)

    def normalize(self, text: str) -> str:
        """Give the normalized text.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        str
            The result of all steps.
        """
        for step in self._steps:
            text = step(text)[0]
        return text

    def align(self, text: str) -> tuple[str, CharacterSpans]:
        """Give the normalized text and the way back.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        text : str
            The result of all steps.
        offsets : CharacterSpans
            Carries its spans to the text before.
        """
        length = len(text)
        text, starts, ends = _unchanged(text)
        for step in self._steps:
            text, first, last = step(text)
            # A character from nothing has an empty source; it stands at the end where there is nothing behind it.
            starts, ends = (
                [(*starts, length)[i] for i in first],
                [ends[j - 1] if j > i else (*starts, length)[i] for i, j in zip(first, last, strict=True)],
            )
        return text, CharacterSpans(starts, ends, length)


class TransformerNormalizer:
    """A text -> text transformer as normalizer.

    Parameters
    ----------
    transformer : object
        With ``transform``, and with ``align`` where spans are wanted.
    """

    def __init__(self, transformer: Any) -> None:
        self._transformer = transformer

    def normalize(self, text: str) -> str:
        """Give the normalized text.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        str
            What the transformer makes of it.
        """
        return self._transformer.transform([text])[0]

    def align(self, text: str) -> tuple[str, Offsets]:
        """Give the normalized text and the way back.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        text : str
            What the transformer makes of it.
        offsets : object
            With ``to_raw``.

        Raises
        ------
        ValueError
            If the transformer does not tell offsets.
        """
        if not hasattr(self._transformer, "align"):
            raise ValueError(
                f"{type(self._transformer).__name__} tells no offsets, so spans into the raw text are not known."
            )
        return self._transformer.align(text)


def make_normalizer(specification: Any) -> Normalizer | None:
    """Turn a specification into an object with `normalize` and `align`.

    Parameters
    ----------
    specification : None, dict, or transformer
        A component of ``tokenizer.json``, or an object with ``transform`` (and ``align`` where spans are wanted).

    Returns
    -------
    object or None
        None where there is nothing to do.
    """
    if specification is None:
        return None
    if isinstance(specification, dict):
        if specification.get("type") == "SentencePiece":
            from textprep_ml.subword.text_rules import RulesNormalizer

            return RulesNormalizer(specification)
        return ChainNormalizer(specification)
    return TransformerNormalizer(specification)
