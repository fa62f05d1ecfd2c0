"""What a candidate needs to know beyond its own tokens: how words and lines of the text behave, what came before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from textprep_ml._kernels._pure.boundary_codes import STOPS_IN_BRACKETS, Closer, Kind, Lead, Mark, Shape
from textprep_ml._kernels._pure.boundary_parts import Token

LONGEST_LINE = 255
LONG_LINE = 160


# --- words ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class WordCount:
    """How often a word occurs, and how."""

    lower: int = 0
    #: Capitalised inside a sentence.
    upper_inside: int = 0
    period: int = 0
    period_then_lower: int = 0
    #: Without a period.
    bare: int = 0


def count_tokens(tokens: Sequence[Token], counts: dict[int, WordCount], before: Token | None = None) -> None:
    """Count the words of one text by their hashes; new words are appended in the order of their first occurrence.

    Where the text comes in pieces, `before` is the token before them.
    """
    for token in tokens:
        if token.is_word:
            count = counts.setdefault(token.hash, WordCount())
            count_case(count, token, before)
            count_period(count, token)
        if before is not None and before.is_word and before.mark == Mark.PERIOD and continues(token):
            counts[before.hash].period_then_lower += 1
        before = token


def count_case(count: WordCount, token: Token, before: Token | None) -> None:
    """Count a word in lower case, or one that is capitalised though no sentence starts with it."""
    if token.first == Kind.LOWER:
        count.lower += 1
    elif token.first == Kind.UPPER and token.lead == Lead.NONE and is_inside(token, before):
        count.upper_inside += 1


def count_period(count: WordCount, token: Token) -> None:
    """Count a word with a period, or without one; a comma after the period shows that the sentence goes on."""
    if token.mark in (Mark.PERIOD, Mark.END_THEN_COMMA):
        count.period += 1
        count.period_then_lower += token.mark == Mark.END_THEN_COMMA
    else:
        count.bare += 1


def is_inside(token: Token, before: Token | None) -> bool:
    """Whether the token follows another on the same line without a mark between them."""
    return before is not None and before.mark == Mark.NONE and not token.newlines


def continues(token: Token) -> bool:
    """Whether the token looks like the middle of a sentence."""
    return token.first == Kind.LOWER and token.lead == Lead.NONE and token.newlines < 2


# --- style ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Style:
    """What kind of text it is, as codes, and the line length that 19 of 20 lines do not pass."""

    marks: int
    lines: int
    line_ends: int
    capitals: int
    width: int


def bucket(value: float, limits: Sequence[float]) -> int:
    """Count the rising limits that `value` reaches."""
    return sum(value >= limit for limit in limits)


def share(part: int, whole: int, default: float = 0.0) -> float:
    """Divide, where there is anything to divide by."""
    return part / whole if whole else default


@dataclass(slots=True)
class StyleCounts:
    """What tells the style of a text: sums over its tokens, and the lengths of its lines."""

    tokens: int = 0
    ends: int = 0
    lower: int = 0
    #: Words in capitals.
    upper: int = 0
    capitalised: int = 0
    #: Tokens that follow another on the same line without a mark between them, and the capitalised ones of them.
    inside: int = 0
    inside_upper: int = 0
    #: Of all lines but the last one.
    lengths: list[int] = field(default_factory=list)
    marked_lines: int = 0
    line_start: int = 0

    def add(self, tokens: Sequence[Token], before: Token | None) -> None:
        """Count the next tokens of a text; `before` is the one before them."""
        for token in tokens:
            if before is None or token.newlines:
                if before is not None:
                    self.lengths.append(self.length_until(before))
                    self.marked_lines += before.ends
                self.line_start = token.start
            self.count(token, is_inside(token, before))
            before = token

    def count(self, token: Token, inside: bool) -> None:
        """Add one token to the sums."""
        is_upper = token.first == Kind.UPPER
        self.tokens += 1
        self.ends += token.ends
        self.lower += token.first == Kind.LOWER
        self.upper += token.shape == Shape.UPPER
        self.capitalised += is_upper
        self.inside += inside
        self.inside_upper += inside and is_upper

    def length_until(self, last: Token) -> int:
        """Measure the line that ends with a token."""
        return min(last.end - self.line_start, LONGEST_LINE)

    def measure(self, last: Token | None) -> Style:
        """Look at the marks, lines and capitals of a text that ends with a token."""
        lengths = self.lengths + ([self.length_until(last)] if last else [])
        marked_lines = self.marked_lines + (last is not None and last.ends)
        width = usual_width(lengths)
        return Style(
            marks=bucket(share(self.ends, self.tokens), (0.005, 0.02, 0.04, 0.07)),
            lines=line_code(lengths, width),
            line_ends=0 if len(lengths) < 2 else 1 + bucket(share(marked_lines, len(lengths)), (0.25, 0.6)),
            capitals=self.capitals_code(),
            width=width,
        )

    def capitals_code(self) -> int:
        """Say how usual capitals inside sentences are; 0 for a text in lower case, 4 for one in capitals."""
        if self.lower * 2 < self.upper:
            return 4
        if self.capitalised * 50 < self.lower:
            return 0
        return 1 + bucket(share(self.inside_upper, self.inside, 0.1), (0.08, 0.2))


class Evidence:
    """What a text says of itself."""

    def __init__(self) -> None:
        self.counts: dict[int, WordCount] = {}
        self.style_counts = StyleCounts()
        self.last: Token | None = None

    def add(self, tokens: Sequence[Token]) -> None:
        """Count the next tokens."""
        count_tokens(tokens, self.counts, self.last)
        self.style_counts.add(tokens, self.last)
        self.last = tokens[-1] if tokens else self.last

    @property
    def style(self) -> Style:
        """What kind of text it is so far."""
        return self.style_counts.measure(self.last)


def usual_width(lengths: Sequence[int]) -> int:
    """Find the length that 19 of 20 lines do not pass."""
    enough = -(-19 * len(lengths) // 20)
    return sorted(lengths)[enough - 1] if lengths else 0


def line_code(lengths: Sequence[int], width: int) -> int:
    """Tell one line (0), a paragraph to a line (1), lines wrapped at one width (2), and the rest (3) apart."""
    if len(lengths) < 2:
        return 0
    if width >= LONG_LINE:
        return 1
    n_full = sum(length * 10 >= width * 7 for length in lengths)
    return 2 if width >= 40 and n_full * 2 >= len(lengths) else 3


# --- place ------------------------------------------------------------------------------------------------------------


def is_enumerator(token: Token) -> bool:
    """Whether the token looks like the mark of a list item: ``2.``, ``(b)``, ``IV)``."""
    short = token.length <= 4 and token.shape in (Shape.NUMBER, Shape.INITIAL, Shape.SINGLE_LOWER, Shape.ROMAN)
    return short and (token.mark == Mark.PERIOD or token.closer == Closer.BRACKET_AFTER)


@dataclass(slots=True)
class Place:
    """How far a line and a sentence have come, and what is open."""

    line_start: int = 0
    line_tokens: int = 0
    line_code: int = 0
    since_end: int = 0
    quote: bool = False
    brackets: int = 0
    stops: int = 0

    def advance(self, token: Token) -> None:
        """Move past a token."""
        if token.newlines or not self.line_tokens:
            self.line_start = token.start
            self.line_tokens = self.since_end = 0
            self.line_code = line_start_code(token)
        if token.newlines >= 2:
            self.quote, self.brackets, self.stops = False, 0, 0
        self.line_tokens += 1
        self.since_end += 1
        self.quote = (self.quote or token.opens_quote) and not token.closes_quote
        self.brackets = max(0, self.brackets + token.brackets)
        self.stops = self.stops + (token.mark == Mark.WIDE) if self.brackets else 0
        if self.stops > STOPS_IN_BRACKETS:
            self.brackets = self.stops = 0


def line_start_code(token: Token) -> int:
    """Say how a line starts: with a bullet (1), a number (2), indented (4), or with a word (0)."""
    if token.lead in (Lead.BULLET, Lead.DASH):
        return 1
    if is_enumerator(token):
        return 2
    return 4 if token.blanks >= 2 else 0
