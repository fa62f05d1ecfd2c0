"""The pattern tokenizer: any regular expression of the `regex` package, with spans and a time limit."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
import regex

from textprep_ml._validation import Interval, shorten
from textprep_ml.tokenization._base import Tokenizer

#: Seconds that a pattern of the user may take on one text.
TIMEOUT = 10.0

#: Name -> pattern. The alternatives of a pattern are tried in order, so the special ones stand first.
PATTERNS: dict[str, str] = {
    "words": r"[\p{L}\p{M}\p{N}_]+",
    "words_and_marks": r"[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]+",
    "sklearn": r"(?u)\b\w\w+\b",
    "letters": r"[\p{L}\p{M}]+",
    "ascii_letters": r"[A-Za-z]+",
    "book": r"""(?x)
        (?:\p{L}\.){2,}                              # abbreviations: U.S.A., e.g.
      | [$£€¥]?\d+(?:[.,]\d+)*%?                     # currency, numbers, percentages: $12.40, 1,000, 82%
      | [\p{L}\p{M}\p{N}_]+(?:[-'’][\p{L}\p{M}\p{N}_]+)*  # words, with inner hyphens and apostrophes
      | \.\.\.|…                                     # ellipsis
      | [^\s\p{L}\p{M}\p{N}_]                        # single marks
    """,
    "hyphenated": r"[\p{L}\p{M}\p{N}_]+(?:[-\u2010\u2011'’][\p{L}\p{M}\p{N}_]+)*",
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": "|".join((
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    )),
    "graphemes": r"\X",
    "lines": r"[^\r\n]+",
}  # fmt: skip


def _refuse_slow(owner: str, pattern: str, text: str, timeout: float) -> TimeoutError:
    return TimeoutError(
        f"{owner} stopped the pattern {shorten(pattern)} after {timeout:g} s on a text of {len(text)} characters: "
        "it backtracks too much. "
        "Nested repeats such as (a+)+ or (a|a)* do that; write a+, or possessive a++, instead, or raise the timeout."
    )


def find_spans(pattern: Any, text: str, timeout: float | None, owner: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the non-empty matches of a compiled pattern; a pattern that takes too long is stopped.

    Parameters
    ----------
    pattern : regex.Pattern
        Compiled by the `regex` package.
    text : str
        Where to look.
    timeout : float or None
        Seconds for the whole text.
    owner : str
        The name that the error message opens with.

    Yields
    ------
    (int, int)
        Half-open spans, in order.

    Raises
    ------
    TimeoutError
        If the time is over.
    """
    try:
        for match in pattern.finditer(text, timeout=timeout):
            start, end = match.span()
            if start < end:
                yield start, end
    except TimeoutError:
        raise _refuse_slow(owner, pattern.pattern, text, timeout or 0) from None


class RegexTokenizer(Tokenizer):
    r"""Cut text by a regular expression: the results of NLTK's `regexp_tokenize` for the same pattern, and spans.

    Parameters
    ----------
    pattern : str, default="words"
        A name out of `textprep_ml.tokenization.PATTERNS`, or a regular expression of the `regex` package (Unicode
        classes such as ``\p{L}``; verbose with ``(?x)``). Alternatives are tried in order.
    gaps : bool, default=False
        Whether the pattern matches what stands between the tokens.
    discard_empty : bool, default=True
        Whether empty tokens are left out; only `gaps` makes them.
    flags : int, default=UNICODE | MULTILINE | DOTALL
        Flags of `re` or `regex`.
    timeout : float or None, default=10
        Seconds that one text may take; a pattern that backtracks without end is stopped with a TimeoutError.

    Notes
    -----
    Groups are handled as ``findall`` does, which is NLTK's way, too: one capturing group gives its text, several give
    tuples. Write ``(?:...)`` where a group only groups. `spans` are always those of the whole matches.

    Examples
    --------
    >>> from textprep_ml.tokenization import RegexTokenizer
    >>> RegexTokenizer("book").tokenize("That U.S.A. poster-print costs $12.40, 82% off...")
    ['That', 'U.S.A.', 'poster-print', 'costs', '$12.40', ',', '82%', 'off', '...']
    >>> RegexTokenizer(r"\w+|\$[\d.]+").tokenize("It costs $3.50")  # the order matters: \w+ does not see the $
    ['It', 'costs', '$3.50']
    >>> RegexTokenizer(r"\s*,\s*", gaps=True).spans("a , b").tolist()
    [[0, 1], [4, 5]]
    """

    _parameter_constraints = {
        "pattern": [str],
        "gaps": ["boolean"],
        "discard_empty": ["boolean"],
        "flags": [int],
        "timeout": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        pattern: str = "words",
        *,
        gaps: bool = False,
        discard_empty: bool = True,
        flags: int = int(regex.UNICODE | regex.MULTILINE | regex.DOTALL),
        timeout: float | None = TIMEOUT,
    ) -> None:
        self.pattern = pattern
        self.gaps = gaps
        self.discard_empty = discard_empty
        self.flags = flags
        self.timeout = timeout

    def _build(self) -> Any:
        pattern = PATTERNS.get(self.pattern, self.pattern)
        try:
            return regex.compile(pattern, self.flags)
        except regex.error as error:
            raise ValueError(f"RegexTokenizer cannot compile the pattern {shorten(pattern)}: {error}.") from None

    def _spans(self, text: str, built: Any) -> np.ndarray:
        try:
            spans = [match.span() for match in built.finditer(text, timeout=self.timeout)]
        except TimeoutError:
            raise _refuse_slow(type(self).__name__, built.pattern, text, self.timeout or 0) from None
        if self.gaps:
            edges = [0, *(edge for span in spans for edge in span), len(text)]
            spans = list(zip(edges[::2], edges[1::2], strict=True))
        if self.gaps and self.discard_empty:
            spans = [(start, end) for start, end in spans if start < end]
        return np.array(spans, dtype=np.intp).reshape(-1, 2)

    def _tokens(self, text: str, built: Any) -> list[Any]:
        try:
            if not self.gaps:
                return built.findall(text, timeout=self.timeout)
            tokens = built.split(text, timeout=self.timeout)
        except TimeoutError:
            raise _refuse_slow(type(self).__name__, built.pattern, text, self.timeout or 0) from None
        return [token for token in tokens if token] if self.discard_empty else tokens
