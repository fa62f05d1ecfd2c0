"""The Penn Treebank conventions as published, by rules that only put blanks in."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np

from textprep_ml.tokenization._base import Tokenizer

# An opening straight quote while the rules run. It is one character, as the quote is: rules may add blanks, nothing
# else, and the nth character that is no blank stays the nth.
_OPEN = "\ue000"


def _open_quote(match: re.Match[str]) -> str:
    return f"{match[1]} {_OPEN * len(match[2])} "


# (pattern, replacement) in the order of the published script.
_PUNCTUATION = (
    (r'^"', _OPEN),
    (rf"({_OPEN}|``)", r" \1 "),
    (r"([ (\[{<])(\"|'')", _open_quote),
    (r"([:,])(\D)", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"(\.\.\.)", r" \1 "),
    (r"([;@#$%&])", r" \1 "),
    (r"([^.])(\.)([\])}>\"']*)\s*$", r"\1 \2\3 "),
    (r"([?!])", r" \1 "),
    (r"([^'])' ", r"\1 ' "),
    (r"([\[\](){}<>]|--)", r" \1 "),
)
_ENDINGS = (
    (r"(''|\")", r" \1 "),
    (r"([^' ])('[sSmMdD]|') ", r"\1 \2 "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
    (r"(?i)\b(can)(not)\b", r" \1 \2 "),
    (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
    (r"(?i)\b(gim|lem)(me)\b", r" \1 \2 "),
    (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
    (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
    (r"(?i)\b(more)('n)\b", r" \1 \2 "),
    (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
    (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
)


def _compile(rules: tuple[tuple[str, Any], ...]) -> list[tuple[re.Pattern[str], Any]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in rules]


class TreebankTokenizer(Tokenizer):
    r"""Cut a sentence as the Penn Treebank does.

    The tokens are those of NLTK's `TreebankWordTokenizer`, with one difference on purpose: quotes stay what they are in
    the text (``"`` never becomes `````` or ``''``), so that tokens are slices of it. As in the published script only
    the period at the end of the text is cut off: give it one sentence at a time.

    See Also
    --------
    WordTokenizer : Whole texts, abbreviations, web addresses and more.

    References
    ----------
    Robert MacIntyre, "Treebank tokenization", tokenizer.sed, University of Pennsylvania, 1995.

    Examples
    --------
    >>> from textprep_ml.tokenization import TreebankTokenizer
    >>> TreebankTokenizer().tokenize("They'll pay $3.88 in New York, won't they?")
    ['They', "'ll", 'pay', '$', '3.88', 'in', 'New', 'York', ',', 'wo', "n't", 'they', '?']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def _build(self) -> tuple[Any, Any]:
        return _compile(_PUNCTUATION), _compile(_ENDINGS)

    def _pieces(self, text: str, built: tuple[Any, Any]) -> list[str]:
        """Tokens in which opening quotes are stand-ins."""
        punctuation, endings = built
        for pattern, replacement in punctuation:
            text = pattern.sub(replacement, text)
        text = f" {text} "
        for pattern, replacement in endings:
            text = pattern.sub(replacement, text)
        return text.split()

    def _spans(self, text: str, built: tuple[Any, Any]) -> np.ndarray:
        kept = [index for index, char in enumerate(text) if not char.isspace()]
        spans, first = [], 0
        for piece in self._pieces(text, built):
            last = first + len(piece) - 1
            spans.append((kept[first], kept[last] + 1))
            first = last + 1
        return np.array(spans, dtype=np.intp).reshape(-1, 2)

    def _tokens(self, text: str, built: tuple[Any, Any]) -> list[str]:
        pieces = self._pieces(text, built)
        return super()._tokens(text, built) if any(_OPEN in piece for piece in pieces) else pieces
