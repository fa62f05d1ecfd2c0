"""Tokens of the boundary scanner.

A token is a run of non-blanks, cut further where an end mark is followed by what looks like the start of a sentence.
It has three parts: the lead (opening quotes, brackets, bullets), the core (from the first letter or digit to the last),
and the trail (marks and closers). Whatever is asked of a text later is asked of its tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from textprep_ml._kernels._pure.boundary_codes import (
    BLANK,
    CLOSER,
    CORE,
    END,
    HASHED_MARKS,
    MOST_BLANKS,
    MOST_NEWLINES,
    OPENER,
    SAYING,
    SPEECH_TAG,
    STARTS,
    Kind,
    Mark,
    Newline,
    Shape,
    hash_codes,
)
from textprep_ml._kernels._pure.boundary_parts import Text, Token, read_core, read_lead, read_trail
from textprep_ml._unicode_table import lower_of


def read_tokens(chars: str, newline: int) -> list[Token]:
    """Cut a text into tokens, from left to right; nothing is looked at more than a few times."""
    return TokenReader(newline).read(chars)


class TokenReader:
    """Cuts a text that may come in pieces, none of which ends inside a run of non-blanks."""

    def __init__(self, newline: int) -> None:
        self.newline = newline
        self.offset = 0
        self.blanks = self.newlines = 0
        self.before: Token | None = None
        self.inside_run = False

    def read(self, chars: str) -> list[Token]:
        """Cut the next piece; positions count from the beginning of the text."""
        text, n = Text(chars), len(chars)
        if n and self.inside_run and text.kinds[0] not in BLANK:
            raise ValueError("A piece of a text must begin or the one before it must end with white space.")
        tokens: list[Token] = []
        position = self.skip_blanks(text, 0)
        while position < n:
            stop = text.skip_to(BLANK, position, n)
            for token in read_chunk(text, position, stop):
                if token.start == position:
                    self.set_blanks(token)
                if self.before is not None and token.newlines == 0:
                    inherit_mark(self.before, token)
                tokens.append(token)
                self.before = token
            self.blanks = self.newlines = 0
            position = self.skip_blanks(text, stop)
        for token in tokens:
            token.move(self.offset)
        self.offset += n
        self.inside_run = text.kinds[-1] not in BLANK if n else self.inside_run
        return tokens

    def skip_blanks(self, text: Text, position: int) -> int:
        """Skip white space, count its blanks and its newlines, and give where it ends."""
        while position < len(text.chars) and text.kinds[position] in BLANK:
            if text.kinds[position] == Kind.NEWLINE:
                self.newlines = min(self.newlines + 1, MOST_NEWLINES)
                self.blanks = 0
            elif self.blanks < MOST_BLANKS:
                self.blanks += 4 if text.chars[position] == "\t" else 1
            position += 1
        return position

    def set_blanks(self, token: Token) -> None:
        """Say what stands before the first token of a run."""
        token.blanks, token.newlines = self.blanks, self.newlines
        if self.newlines and (
            self.newline == Newline.SOFT or (self.newline == Newline.PARAGRAPH and self.newlines == 1)
        ):
            token.blanks, token.newlines, token.softened = max(self.blanks, 1), 0, True


def read_chunk(text: Text, start: int, stop: int) -> Iterator[Token]:
    """Cut the run of non-blanks ``[start, stop)`` into tokens."""
    link = is_link(text, start, stop)
    while start < stop:
        core = text.skip_to(CORE, start, stop)
        token = read_marks(text, start, stop) if core == stop else read_word(text, start, core, stop, link)
        yield token
        start = token.end


#: ``www.`` in upper and lower case.
WWW = frozenset(map("".join, product("wW", "wW", "wW", ".")))


def is_link(text: Text, start: int, stop: int) -> bool:
    """Whether the run starts with ``www.``, or holds ``://``, or ``@`` after a letter or digit."""
    if stop - start > 4 and text.chars[start : start + 4] in WWW:
        return True
    before: int = Kind.SPACE
    for i in range(start, stop):
        kind = text.kinds[i]
        if kind == Kind.AT and before in CORE:
            return True
        if before == Kind.SLASH and text.chars[i] == "/" and i - 2 >= start and text.chars[i - 2] == ":":
            return True
        before = kind
    return False


def inherit_mark(before: Token, token: Token) -> None:
    """Let an emoji go with the end mark before it, and a stray period make an ellipsis of it."""
    if not before.ends:
        return
    if token.shape == Shape.PICTOGRAPH and not token.ends:
        token.mark = before.mark
    elif token.shape == Shape.EMPTY and token.mark == Mark.PERIOD and before.mark not in (Mark.BANG, Mark.QUESTION):
        token.mark = Mark.ELLIPSIS


def read_marks(text: Text, start: int, stop: int) -> Token:
    """Describe a token without letters or digits: marks, rules, emoji."""
    token = Token(start, start, stop, stop)
    read_lead(text, token, start + 1)
    token.brackets, token.opens_quote = 0, False
    read_trail(text, token, start)
    token.shape = Shape.PICTOGRAPH if Kind.PICTOGRAPH in text.kinds[start:stop] else Shape.EMPTY
    token.hash = hash_codes([ord(lower_of(char)) for char in text.chars[start : min(stop, start + HASHED_MARKS)]])
    return token


def read_word(text: Text, start: int, core: int, stop: int, link: bool) -> Token:
    """Describe the token whose core starts at `core`; it ends at the first inner boundary."""
    core_end, end = find_end(text, core, stop, link)
    token = Token(start, core, core_end, end)
    read_lead(text, token, core)
    letters = read_core(text, token)
    read_trail(text, token, core_end)
    token.first = letters.first
    token.shape = Shape.LINK if link else letters.shape()
    return token


def find_end(text: Text, core: int, stop: int, link: bool) -> tuple[int, int]:
    """Find the end of the core and the end of the token."""
    position = core
    while True:
        core_end = text.skip(CORE, position, stop)
        position = text.skip_to(CORE, core_end, stop)
        if position == stop:
            return core_end, stop
        end = inner_boundary(text, core, core_end, position, stop, link)
        if end is not None:
            return core_end, end


def inner_boundary(text: Text, core: int, run: int, run_end: int, stop: int, link: bool) -> int | None:
    """Where the token ends if the marks ``[run, run_end)`` between two parts of the core end a sentence."""
    ends = [i for i in range(run, run_end) if text.kinds[i] in END]
    if not ends:
        return None
    kinds = [text.kinds[i] for i in ends]
    end = text.skip(CLOSER | {Kind.PICTOGRAPH}, ends[-1] + 1, run_end)
    if Kind.WIDE_STOP in kinds:
        # A wide full stop between digits is a decimal point.
        digits = text.kinds[run - 1] == Kind.DIGIT == text.kinds[run_end]
        decimal = text.chars[run:run_end] == "\uff0e" and digits
        closers = text.kinds[ends[-1] + 1 : end]
        # What was in brackets, or said, goes on where no blank and no opening mark follows.
        goes_on = (Kind.CLOSE_BRACKET in closers and end == run_end) or (
            len(closers) > 0 and is_speech_tag(text, end, stop)
        )
        return None if decimal or goes_on else end
    single_period = kinds[-1] == Kind.PERIOD and kinds.count(Kind.PERIOD) == 1
    is_initial = single_period and run - core < 2 and text.kinds[core] != Kind.DIGIT
    if link or is_initial:
        return None
    return end if starts_sentence(text, end, stop, single_period) else None


def is_speech_tag(text: Text, start: int, stop: int) -> bool:
    """Whether a verb of saying stands within a few characters after an East Asian quotation."""
    words = text.chars[start : text.skip(CORE, start, min(start + SPEECH_TAG, stop))]
    return not SAYING.isdisjoint(words)


def starts_sentence(text: Text, start: int, stop: int, after_single_period: bool) -> bool:
    """Whether what stands directly after an end mark looks like the start of a sentence."""
    start = text.skip(OPENER, start, stop)
    if start == stop:
        return False
    kind = text.kinds[start]
    if not after_single_period:
        return kind in STARTS
    if kind != Kind.UPPER:
        return kind in (Kind.LETTER, Kind.IDEOGRAPH)
    following: int = text.kinds[start + 1] if start + 1 < stop else Kind.SPACE
    return following == Kind.LOWER or (text.chars[start] == "I" and following not in CORE and following != Kind.PERIOD)
