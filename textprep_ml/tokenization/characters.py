"""The simplest tokenizers: white space, and characters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import regex

from textprep_ml._validation import StrOptions
from textprep_ml.tokenization._base import Tokenizer


class WhitespaceTokenizer(Tokenizer):
    """Cut text at white space (the Unicode property White_Space, which has no-break spaces, too).

    Examples
    --------
    >>> from textprep_ml.tokenization import WhitespaceTokenizer
    >>> WhitespaceTokenizer().tokenize("Good  morning, all.")
    ['Good', 'morning,', 'all.']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _build(self) -> Any:
        return regex.compile(r"\P{White_Space}+")

    def _spans(self, text: str, built: Any) -> np.ndarray:
        return np.array([match.span() for match in built.finditer(text)], dtype=np.intp).reshape(-1, 2)

    def _tokens(self, text: str, built: Any) -> list[str]:
        return built.findall(text)


class CharacterTokenizer(Tokenizer):
    r"""Cut text into characters.

    Parameters
    ----------
    unit : {"code_point", "grapheme"}, default="code_point"
        Code points, or extended grapheme clusters (Unicode Standard Annex 29): what a reader takes for one character.
    whitespace : {"keep", "drop"}, default="keep"
        Whether white space is a token.

    Examples
    --------
    >>> from textprep_ml.tokenization import CharacterTokenizer
    >>> CharacterTokenizer().tokenize("a b")
    ['a', ' ', 'b']
    >>> CharacterTokenizer(unit="grapheme", whitespace="drop").spans("e\u0301 x").tolist()
    [[0, 2], [3, 4]]
    """

    _parameter_constraints = {
        "unit": [StrOptions({"code_point", "grapheme"})],
        "whitespace": [StrOptions({"keep", "drop"})],
    }

    def __init__(self, *, unit: str = "code_point", whitespace: str = "keep") -> None:
        self.unit = unit
        self.whitespace = whitespace

    def _build(self) -> Any:
        character = r"\X" if self.unit == "grapheme" else r"(?s:.)"
        return regex.compile(character if self.whitespace == "keep" else rf"(?!\p{{White_Space}}){character}")

    def _spans(self, text: str, built: Any) -> np.ndarray:
        if self.unit == "code_point" and self.whitespace == "keep":
            starts = np.arange(len(text), dtype=np.intp)
            return np.stack([starts, starts + 1], axis=1)
        return np.array([match.span() for match in built.finditer(text)], dtype=np.intp).reshape(-1, 2)

    def _tokens(self, text: str, built: Any) -> list[str]:
        if self.unit == "code_point" and self.whitespace == "keep":
            return list(text)
        return built.findall(text)
