"""How a text is cut into the words inside which pairs are merged.

A specification is plain data: the name of a scheme (`SCHEMES`; the kernels do these by themselves), a regular
expression, one component or a list of components in the form of ``tokenizer.json``, or a tokenizer object.
`make_pretokenizer` turns it into an object with one method, ``spans(text)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import regex

from textprep_ml._kernels import load
from textprep_ml._unicode_table import PUNCTUATION, class_of
from textprep_ml._validation import shorten

#: The schemes that the kernels know. All but `blank` cover a text without gaps.
SCHEMES = ("none", "blank", "gpt2", "cl100k", "llama3", "qwen2", "o200k", "script")

#: Two more, for BERT's basic tokenization: words between white space; marks and (but for the second) ideographs alone.
BERT_SCHEMES = ("bert", "bert-joined")

Span = tuple[int, int]
Split = Callable[[str], list[Span]]

_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class PreTokenizer(Protocol):
    """Finds words."""

    def spans(self, text: str) -> Iterable[Span]:
        """Give the character spans of the words, in order and without overlap."""


class SchemeSplit:
    """One of the kernels' schemes.

    Parameters
    ----------
    name : str
        One of `SCHEMES`.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def spans(self, text: str) -> list[Span]:
        """Give the character spans of the words.

        Parameters
        ----------
        text : str
            A document.

        Returns
        -------
        list of (int, int)
            Half-open spans.
        """
        kernel = load("bpe_encode")
        data = text.encode("utf-8", "surrogatepass")
        bounds = [tuple(pair) for pair in kernel.pretokenize(data, kernel.SCHEMES[self.name])]
        if len(data) == len(text):
            return bounds
        spans = []
        char = byte = 0
        for start, end in bounds:
            char += _n_characters(data, byte, start)
            stop = char + _n_characters(data, start, end)
            spans.append((char, stop))
            char, byte = stop, end
        return spans


def _n_characters(data: bytes, start: int, end: int) -> int:
    return len(data[start:end].decode("utf-8", "surrogatepass"))


def compile_pattern(pattern: str, flags: int = 0) -> regex.Pattern[str]:
    """Compile a user's regular expression.

    Parameters
    ----------
    pattern : str
        In the syntax of the `regex` package.
    flags : int, default=0
        Flags of that package.

    Returns
    -------
    pattern
        The compiled expression.

    Raises
    ------
    ValueError
        If the pattern is no regular expression.
    """
    try:
        return regex.compile(pattern, flags)
    except regex.error as error:
        raise ValueError(f"The pre-tokenizer pattern {shorten(pattern)} is no regular expression: {error}.") from None


def _pieces(text: str, matches: Iterable[Span], invert: bool) -> Iterator[tuple[int, int, bool]]:
    """Cut the whole text into matches (True) and what lies between (False)."""
    at = 0
    for start, end in matches:
        if start > at:
            yield at, start, invert
        if end > start:
            yield start, end, not invert
        at = max(at, end)
    if at < len(text):
        yield at, len(text), invert


def _isolated(pieces: Iterable[tuple[int, int, bool]]) -> list[Span]:
    return [(start, end) for start, end, _ in pieces]


def _removed(pieces: Iterable[tuple[int, int, bool]]) -> list[Span]:
    return [(start, end) for start, end, is_match in pieces if not is_match]


def _contiguous(pieces: Iterable[tuple[int, int, bool]]) -> list[Span]:
    spans: list[Span] = []
    kind = None
    for start, end, is_match in pieces:
        if is_match == kind:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        kind = is_match
    return spans


def _merged_with_previous(pieces: Iterable[tuple[int, int, bool]]) -> list[Span]:
    spans: list[Span] = []
    before = False
    for start, end, is_match in pieces:
        if is_match and not before and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        before = is_match
    return spans


def _merged_with_next(pieces: Iterable[tuple[int, int, bool]]) -> list[Span]:
    spans: list[Span] = []
    after = False
    for start, end, is_match in reversed(list(pieces)):
        if is_match and not after and spans:
            spans[-1] = (start, spans[-1][1])
        else:
            spans.append((start, end))
        after = is_match
    return spans[::-1]


#: What becomes of the matches of a `Split`.
BEHAVIORS: dict[str, Callable[[Iterable[tuple[int, int, bool]]], list[Span]]] = {
    "Isolated": _isolated,
    "Removed": _removed,
    "Contiguous": _contiguous,
    "MergedWithPrevious": _merged_with_previous,
    "MergedWithNext": _merged_with_next,
}


def _pattern_split(pattern: regex.Pattern[str], behavior: str, invert: bool = False) -> Split:
    gather = BEHAVIORS[behavior]
    return lambda text: gather(_pieces(text, (match.span() for match in pattern.finditer(text)), invert))


def _punctuation_split(behavior: str) -> Split:
    gather = BEHAVIORS[behavior]

    def split(text: str) -> list[Span]:
        marks = (
            (i, i + 1) for i, char in enumerate(text) if char in _ASCII_PUNCTUATION or class_of(char) & PUNCTUATION
        )
        return gather(_pieces(text, marks, False))

    return split


def _component_pattern(component: dict[str, Any]) -> regex.Pattern[str]:
    pattern = component["pattern"]
    if "String" in pattern:
        return regex.compile(regex.escape(pattern["String"]))
    # The files are written for a dialect in which sets nest and ^ and $ stand at every line.
    return compile_pattern(pattern["Regex"], regex.V1 | regex.MULTILINE)


def _component_split(component: dict[str, Any]) -> Split | None:
    """Give the split of one ``tokenizer.json`` component; None where it splits nothing."""
    kind = component.get("type")
    if kind == "Split":
        return _pattern_split(_component_pattern(component), component["behavior"], component.get("invert", False))
    if kind == "ByteLevel":
        return SchemeSplit("gpt2").spans if component.get("use_regex", True) else None
    if kind == "Digits":
        one = component.get("individual_digits", False)
        return _pattern_split(regex.compile(r"\p{N}"), "Isolated" if one else "Contiguous")
    if kind == "Punctuation":
        return _punctuation_split(component.get("behavior", "Isolated"))
    if kind == "WhitespaceSplit":
        return SchemeSplit("blank").spans
    if kind == "Whitespace":
        return _pattern_split(regex.compile(r"\w+|[^\w\s]+"), "Removed", True)
    if kind == "BertPreTokenizer":
        return lambda text: load("wordpiece").words(text)
    if kind == "CharDelimiterSplit":
        return _pattern_split(regex.compile(regex.escape(component["delimiter"])), "Removed")
    raise ValueError(f"The pre-tokenizer component {shorten(kind)} is not supported.")


def _chain(text: str, splits: Iterable[Split]) -> list[Span]:
    """Let each split cut what the ones before left; every part is seen alone."""
    spans = [(0, len(text))] if text else []
    for split in splits:
        spans = [(start + first, start + last) for start, end in spans for first, last in split(text[start:end])]
    return spans


class ChainSplit:
    """Components in the form of ``tokenizer.json``, one after another.

    Parameters
    ----------
    components : list of dict
        Each with a ``"type"``; a ``Sequence`` holds more under ``"pretokenizers"``.
    """

    def __init__(self, components: list[dict[str, Any]]) -> None:
        self._splits = list(self._flatten(components))

    def _flatten(self, components: list[dict[str, Any]]) -> Iterator[Split]:
        for component in components:
            if component.get("type") == "Sequence":
                yield from self._flatten(component["pretokenizers"])
            else:
                split = _component_split(component)
                if split is not None:
                    yield split

    def spans(self, text: str) -> list[Span]:
        """Give the character spans of the words.

        Parameters
        ----------
        text : str
            A document.

        Returns
        -------
        list of (int, int)
            Half-open spans.
        """
        return _chain(text, self._splits)


class PatternSplit:
    """A regular expression: its matches are words, and so is what lies between them, so that no character is lost.

    Parameters
    ----------
    pattern : str
        In the syntax of the `regex` package.
    """

    def __init__(self, pattern: str) -> None:
        self._split = _pattern_split(compile_pattern(pattern), "Isolated")

    def spans(self, text: str) -> list[Span]:
        """Give the character spans of the words.

        Parameters
        ----------
        text : str
            A document.

        Returns
        -------
        list of (int, int)
            Half-open spans.
        """
        return self._split(text)


def make_pretokenizer(specification: Any) -> PreTokenizer:
    r"""Turn a specification into an object that finds words.

    Parameters
    ----------
    specification : str, dict, list of dict, or object with a ``spans`` method
        The name of a scheme, a regular expression, components of a ``tokenizer.json``, or a tokenizer.

    Returns
    -------
    object
        With a method ``spans(text)``.

    Raises
    ------
    ValueError
        If a name or a component is unknown, or a pattern is no regular expression.

    Examples
    --------
    >>> make_pretokenizer("gpt2").spans("two words")
    [(0, 3), (3, 9)]
    >>> make_pretokenizer(r"\d\d?").spans("1234a")
    [(0, 2), (2, 4), (4, 5)]
    """
    if isinstance(specification, str):
        if scheme_of(specification):
            return SchemeSplit(specification)
        if specification.isidentifier():
            raise ValueError(
                f"No pre-tokenizer is called {specification!r}; "
                f"take {', '.join((*SCHEMES, *BERT_SCHEMES))}, or a regular expression."
            )
        return PatternSplit(specification)
    if isinstance(specification, dict):
        return ChainSplit([specification])
    if isinstance(specification, list):
        return ChainSplit(specification)
    return specification


def scheme_of(specification: Any) -> str | None:
    """Name the kernel scheme that a specification stands for, or None.

    Parameters
    ----------
    specification : object
        As for `make_pretokenizer`.

    Returns
    -------
    str or None
        One of `SCHEMES` or `BERT_SCHEMES`.
    """
    return specification if isinstance(specification, str) and specification in (*SCHEMES, *BERT_SCHEMES) else None
