"""The parts of a token, described by what they are made of: lead, core, trail."""

from __future__ import annotations

from dataclasses import dataclass

from textprep_ml._kernels._pure.boundary_codes import (
    CASED,
    CORE,
    END,
    END_MARKS,
    HASHED_IDEOGRAPHS,
    LEAD_OF_KIND,
    LONGEST,
    MARK_OF_KIND,
    MOST_BRACKETS,
    WORD,
    Closer,
    Kind,
    Lead,
    Mark,
    Shape,
    hash_codes,
)
from textprep_ml._unicode_table import kind_of, lower_of


class Text:
    """Characters and their kinds."""

    def __init__(self, chars: str) -> None:
        known = {char: kind_of(char) for char in set(chars)}
        self.chars = chars
        self.kinds = bytes(known[char] for char in chars)

    def skip(self, kinds: frozenset[Kind], start: int, stop: int) -> int:
        """Find the end of the run of such characters at `start`."""
        while start < stop and self.kinds[start] in kinds:
            start += 1
        return start

    def skip_to(self, kinds: frozenset[Kind], start: int, stop: int) -> int:
        """Find the first such character from `start` on."""
        while start < stop and self.kinds[start] not in kinds:
            start += 1
        return start


@dataclass(slots=True)
class Token:
    """A run of non-blanks."""

    start: int
    core: int
    core_end: int
    end: int
    #: Blanks and newlines before it; blanks count from the last newline on, a tabulator as four.
    blanks: int = 0
    newlines: int = 0
    #: A line break before it was taken for a blank.
    softened: bool = False
    hash: int = 0
    #: Kind of the first character of the core that is neither a mark nor invisible.
    first: int = Kind.OTHER
    shape: int = Shape.EMPTY
    lead: int = Lead.NONE
    mark: int = Mark.NONE
    closer: int = Closer.NONE
    #: Opened minus closed.
    brackets: int = 0
    opens_quote: bool = False
    closes_quote: bool = False

    def move(self, offset: int) -> None:
        """Count positions from another place."""
        self.start += offset
        self.core += offset
        self.core_end += offset
        self.end += offset

    @property
    def length(self) -> int:
        """Length of the core, or of a token that has none."""
        return min(self.core_end - self.core, LONGEST)

    @property
    def ends(self) -> bool:
        """Whether it carries an end mark."""
        return self.mark in END_MARKS

    @property
    def is_word(self) -> bool:
        """Whether it counts as an occurrence of a word."""
        return self.first in WORD

    def count_bracket(self, change: int) -> None:
        """Open or close a bracket."""
        self.brackets = max(-MOST_BRACKETS, min(MOST_BRACKETS, self.brackets + change))


def read_lead(text: Text, token: Token, stop: int) -> None:
    """Describe what stands before the core."""
    for kind in text.kinds[token.start : stop]:
        if kind in (Kind.OPEN_QUOTE, Kind.QUOTE):
            token.lead = Lead.QUOTE
            token.opens_quote = True
        elif kind == Kind.OPEN_BRACKET:
            token.count_bracket(+1)
            if token.lead != Lead.QUOTE:
                token.lead = Lead.BRACKET
        elif kind == Kind.CLOSE_BRACKET:
            token.count_bracket(-1)
        elif token.lead == Lead.NONE:
            token.lead = LEAD_OF_KIND.get(Kind(kind), Lead.OTHER)


@dataclass(slots=True)
class Letters:
    """What a core is made of."""

    first: int = Kind.OTHER
    upper: int = 0
    lower: int = 0
    digits: int = 0
    letters: int = 0
    ideographs: int = 0
    #: Periods that stand alone between two letters or digits, and the most cased letters between two of them.
    periods: int = 0
    longest: int = 0
    roman: bool = True
    upper_inside: bool = False

    def shape(self) -> Shape:
        """Name the form."""
        cased = self.upper + self.lower
        if self.ideographs:
            return Shape.IDEOGRAPH
        if self.digits:
            return Shape.ALPHANUMERIC if cased + self.letters else Shape.NUMBER
        if not cased:
            return Shape.UNCASED if self.letters else Shape.EMPTY
        if self.periods:
            return self._dotted_shape()
        if not self.upper:
            return Shape.SINGLE_LOWER if self.lower == 1 else Shape.LOWER
        if not self.lower:
            return Shape.INITIAL if self.upper == 1 else Shape.ROMAN if self.roman else Shape.UPPER
        mostly_lower = self.upper == 1 or (self.upper_inside and self.lower > self.upper)
        return Shape.TITLE if self.first == Kind.UPPER and mostly_lower else Shape.MIXED

    def _dotted_shape(self) -> Shape:
        lower = self.first == Kind.LOWER
        if self.longest > 3:
            return Shape.LINK if lower else Shape.MIXED
        return Shape.DOTTED_LOWER if lower else Shape.DOTTED_UPPER


def read_core(text: Text, token: Token) -> Letters:
    """Count the letters of the core, hash it, and note the brackets and quotes inside."""
    letters = Letters()
    hashed, segment = [], 0
    for i in range(token.core, token.core_end):
        kind, char = text.kinds[i], text.chars[i]
        if kind in CORE:
            count_letter(letters, kind, char, inside=i > token.core)
            segment += kind in CASED
        else:
            note_inner_mark(token, kind)
            if char == "." and text.kinds[i - 1] in CORE and text.kinds[i + 1] in CORE:
                letters.periods += 1
                segment = 0
        letters.longest = max(letters.longest, segment)
        if kind != Kind.FORMAT and letters.ideographs <= HASHED_IDEOGRAPHS:
            hashed.append(ord(lower_of(char)))
    token.hash = hash_codes(hashed)
    return letters


def count_letter(letters: Letters, kind: int, char: str, inside: bool) -> None:
    """Count one character of the core."""
    if letters.first == Kind.OTHER and kind not in (Kind.MARK, Kind.FORMAT):
        letters.first = kind
    if kind == Kind.LOWER:
        letters.lower += 1
        letters.roman = False
    elif kind == Kind.UPPER:
        letters.upper += 1
        letters.upper_inside |= inside
        letters.roman &= char in "IVXLC"
    elif kind == Kind.DIGIT:
        letters.digits += 1
    elif kind == Kind.LETTER:
        letters.letters += 1
    elif kind == Kind.IDEOGRAPH:
        letters.ideographs += 1


def note_inner_mark(token: Token, kind: int) -> None:
    """Note a bracket or quote inside the core."""
    if kind == Kind.OPEN_BRACKET:
        token.count_bracket(+1)
    elif kind == Kind.CLOSE_BRACKET:
        token.count_bracket(-1)
    elif kind == Kind.OPEN_QUOTE:
        token.opens_quote = True
    elif kind == Kind.CLOSE_QUOTE:
        token.closes_quote = True


class Trail:
    """Marks and closers as they are read; closing quotes and brackets are counted before and after the last mark."""

    def __init__(self) -> None:
        self.mark: int = Mark.NONE
        self.ends: list[int] = []
        self.quotes_before = self.brackets_before = 0
        self.quotes_after = self.brackets_after = 0

    def add_mark(self, kind: int) -> None:
        """Take a mark; what was closed after the last one is now closed before it."""
        self.quotes_before += self.quotes_after
        self.brackets_before += self.brackets_after
        self.quotes_after = self.brackets_after = 0
        if kind in END:
            self.ends.append(kind)
            self.mark = MARK_OF_KIND[Kind(kind)]
        elif self.mark in END_MARKS or self.mark == Mark.END_THEN_COMMA:
            self.mark = Mark.END_THEN_COMMA
        else:
            self.mark = MARK_OF_KIND[Kind(kind)]

    def final_mark(self) -> int:
        """Several end marks are a mark of their own, unless wide or foreign."""
        if len(self.ends) < 2 or self.mark not in (Mark.PERIOD, Mark.BANG, Mark.QUESTION, Mark.ELLIPSIS):
            return self.mark
        periods = self.ends.count(Kind.PERIOD) + 3 * self.ends.count(Kind.ELLIPSIS)
        return Mark.ELLIPSIS if periods >= 2 and self.mark in (Mark.PERIOD, Mark.ELLIPSIS) else Mark.MULTIPLE

    def closer(self) -> Closer:
        """Say what is closed where."""
        if self.quotes_before + self.quotes_after and self.brackets_before + self.brackets_after:
            return Closer.SEVERAL
        if self.quotes_after:
            return Closer.QUOTE_AFTER
        if self.brackets_after:
            return Closer.BRACKET_AFTER
        if self.quotes_before:
            return Closer.QUOTE_BEFORE
        return Closer.BRACKET_BEFORE if self.brackets_before else Closer.NONE


def read_trail(text: Text, token: Token, start: int) -> None:
    """Describe the marks and closers from `start` to the end of the token."""
    trail = Trail()
    for kind in text.kinds[start : token.end]:
        if kind in MARK_OF_KIND:
            trail.add_mark(kind)
        elif kind in (Kind.CLOSE_QUOTE, Kind.QUOTE, Kind.APOSTROPHE):
            trail.quotes_after += 1
            token.closes_quote |= kind != Kind.APOSTROPHE
        elif kind == Kind.CLOSE_BRACKET:
            trail.brackets_after += 1
            token.count_bracket(-1)
        elif kind == Kind.OPEN_BRACKET:
            token.count_bracket(+1)
        elif kind == Kind.OPEN_QUOTE:
            token.opens_quote = True
        elif trail.mark == Mark.NONE and kind not in (Kind.PICTOGRAPH, Kind.MARK, Kind.FORMAT):
            trail.mark = Mark.OTHER
    token.mark = trail.final_mark()
    token.closer = trail.closer()
