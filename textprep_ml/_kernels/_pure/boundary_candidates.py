"""Candidates and their descriptions: one row of codes for a gap between two tokens.

A row has the codes of the token on the left and its neighbour, of the token on the right and its neighbour, of the
place in the line and the sentence, and of the text as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

import numpy.typing as npt

from textprep_ml._kernels._pure.boundary_codes import Kind, Lead, Mark, Shape, hash_word
from textprep_ml._kernels._pure.boundary_context import (
    LONG_LINE,
    Evidence,
    Place,
    Style,
    WordCount,
    bucket,
    is_enumerator,
)  # fmt: skip
from textprep_ml._kernels._pure.boundary_parts import Token
from textprep_ml._kernels._pure.boundary_tokens import read_tokens
from textprep_ml._kernels.boundary_checks import highest_codes, lexicon_tables

#: Tokens from the candidate on that its description counts.
LOOKAHEAD = 12
LENGTHS = (1, 2, 3, 4, 5, 6, 9)
PLACES = (2, 3, 4, 6, 9, 16)
RESTS = (2, 3, 4, 6, 10)
SINCE = (2, 3, 4, 6, 10, 18, 30)
UNTIL = (2, 3, 4, 6, 9, 13)
LINE_LENGTHS = (10, 20, 40, 60, 80, 120)
ROOM = (0, 4, 13, 31)


class CandidateKind(IntEnum):
    """Where a candidate stands; numbered as in `KIND_NAMES`."""

    MARK, INSIDE, MARK_LINE, LINE, PARAGRAPH, GAP = range(6)


class Lexicon:
    """What is known of words: vocabulary number, abbreviation class, usual case, abbreviation likelihood."""

    def __init__(
        self,
        words: Sequence[str],
        ids: npt.ArrayLike,
        classes: npt.ArrayLike,
        usual: npt.ArrayLike,
        raw: npt.ArrayLike,
        groups: npt.ArrayLike,
    ) -> None:
        tables = lexicon_tables(len(words), ids, classes, usual, raw, groups)
        self.highest = highest_codes(*tables)
        self.ids, self.classes, self.usual, self.raw, self.groups = (table.tolist() for table in tables)
        self.rows = {hash_word(word): row for row, word in enumerate(words, start=1)}

    def find(self, token: Token) -> int:
        """Give the row of a token's word, 0 if it is unknown."""
        return self.rows.get(token.hash, 0)

    def class_of(self, token: Token) -> int:
        """Give the class of the abbreviation that a token is."""
        code: int = self.classes[self.find(token)][token.first != Kind.LOWER]
        return code

    def group_of(self, token: Token) -> int:
        """Give the group of the abbreviation that a token with a period is."""
        group: int = self.groups[self.class_of(token)] if token.mark == Mark.PERIOD else 0
        return group


def is_candidate(left: Token, right: Token, style: Style, place: Place) -> bool:
    """Reject gaps between words that plainly go on with a sentence, and gaps before marks that stand alone."""
    if right.newlines:
        return True
    if right.shape == Shape.EMPTY and right.ends and right.lead != Lead.BULLET:
        return False
    if left.ends:
        # In East Asian text nothing ends inside brackets.
        return right.shape != Shape.PICTOGRAPH and not (left.mark == Mark.WIDE and place.brackets > 0)
    if right.softened:
        # A line break that is to mean nothing is no boundary without a mark.
        return False
    if left.mark > Mark.COMMA or right.lead != Lead.NONE or left.shape == Shape.PICTOGRAPH:
        return True
    if right.first == Kind.LOWER:
        # A text without capitals.
        return style.capitals == 0 and left.mark == Mark.NONE
    return right.first not in (Kind.LETTER, Kind.IDEOGRAPH)


def candidate_kind(left: Token, right: Token) -> CandidateKind:
    """Say where a candidate stands."""
    if right.newlines >= 2:
        return CandidateKind.PARAGRAPH
    if right.newlines:
        return CandidateKind.MARK_LINE if left.ends else CandidateKind.LINE
    if right.start == left.end:
        return CandidateKind.INSIDE
    return CandidateKind.MARK if left.ends else CandidateKind.GAP


class Document:
    """The tokens of one text, or those at hand where it comes in pieces, with what all of it says."""

    def __init__(self, tokens: list[Token], evidence: Evidence, lexicon: Lexicon) -> None:
        self.tokens = tokens
        self.lexicon = lexicon
        self.counts = evidence.counts
        self.style = evidence.style
        self.place = Place()
        self.first = 1

    @classmethod
    def read(cls, text: str, newline: int, lexicon: Lexicon) -> Document:
        """Read a whole text."""
        tokens = read_tokens(text, newline)
        evidence = Evidence()
        evidence.add(tokens)
        return cls(tokens, evidence, lexicon)

    def candidates(self, limit: int) -> Iterator[tuple[int, CandidateKind, Place]]:
        """Go through the candidates: index of the token on the right, kind, and place (of this moment).

        Those before token `limit` that no call before went through.
        """
        place = self.place
        for i in range(self.first, limit):
            left, right = self.tokens[i - 1], self.tokens[i]
            place.advance(left)
            if is_candidate(left, right, self.style, place):
                yield i, candidate_kind(left, right), place
            if left.ends:
                place.since_end = 0
        self.first = max(self.first, limit)

    def forget(self, n: int) -> None:
        """Drop the first tokens, which no candidate to come looks at."""
        del self.tokens[:n]
        self.first -= n

    # The columns of a row, from left to right.

    def describe(self, i: int, kind: CandidateKind, place: Place) -> list[int]:
        """Give the codes of the candidate before token `i`."""
        left, right = self.tokens[i - 1], self.tokens[i]
        return [
            kind,
            *self.describe_left(left),
            *self.describe_right(left, right),
            *self.describe_second_left(self.tokens[i - 2] if i >= 2 and left.newlines < 2 else None),
            *self.describe_second_right(self.tokens[i + 1] if i + 1 < len(self.tokens) else None),
            *self.describe_place(i, left, right, place),
            *(self.style.marks, self.style.lines, self.style.line_ends, self.style.capitals),
            *describe_lines(left, right, place),
        ]

    def describe_left(self, left: Token) -> list[int]:
        """Describe the token before the candidate, and what is known of its word."""
        lexicon, row = self.lexicon, self.lexicon.find(left)
        dotted = left.mark in (Mark.PERIOD, Mark.END_THEN_COMMA) or left.shape in (
            Shape.DOTTED_UPPER,
            Shape.DOTTED_LOWER,
        )
        code = lexicon.class_of(left) if dotted else 0
        return [
            left.mark,
            left.closer,
            left.shape,
            bucket(left.length, LENGTHS),
            lexicon.ids[row],
            code,
            lexicon.groups[code],
            evidence_of_abbreviation(left, self.counts),
            lexicon.raw[row] if dotted else 0,
            lexicon.usual[row],
        ]

    def describe_right(self, left: Token, right: Token) -> list[int]:
        """Describe the token after the candidate, and what is known of its word."""
        lexicon, row = self.lexicon, self.lexicon.find(right)
        self_counted = left.mark == Mark.NONE and not right.newlines and right.lead == Lead.NONE
        return [
            right.lead,
            right.shape,
            lexicon.ids[row],
            lexicon.group_of(right),
            evidence_of_case(right, self.counts, self_counted),
            lexicon.usual[row],
            right.mark,
            bucket(right.length, LENGTHS),
        ]

    def describe_second_left(self, token: Token | None) -> list[int]:
        """Shape, word, mark, group and usual case of the token before the one on the left."""
        if token is None:
            return [0] * 5
        lexicon, row = self.lexicon, self.lexicon.find(token)
        return [token.shape + 1, lexicon.ids[row], token.mark, lexicon.group_of(token), lexicon.usual[row]]

    def describe_second_right(self, token: Token | None) -> list[int]:
        """Shape, word, lead and usual case of the token after the one on the right, in the same paragraph."""
        if token is None or token.newlines >= 2:
            return [0] * 4
        lexicon, row = self.lexicon, self.lexicon.find(token)
        return [token.shape + 1, lexicon.ids[row], token.lead, lexicon.usual[row]]

    def describe_place(self, i: int, left: Token, right: Token, place: Place) -> list[int]:
        """Blanks, room left on the line, place in the line and the sentence, and what is open."""
        rest, until = self.look_ahead(i)
        return [
            4 + (right.blanks > 1) if right.newlines else min(right.blanks, 3),
            slack_code(left, right, place.line_start, self.style.width),
            bucket(place.line_tokens, PLACES),
            bucket(rest, RESTS) if rest else len(RESTS),
            bucket(place.since_end, SINCE),
            bucket(until, UNTIL) if until else len(UNTIL),
            place.quote,
            place.brackets > 0,
        ]

    def look_ahead(self, i: int) -> tuple[int, int]:
        """Count the tokens from `i` to the end of the line, and to the next end mark in it; 0 where it is too far."""
        until = 0
        for n in range(LOOKAHEAD):
            j = i + n
            if j >= len(self.tokens) or (n and self.tokens[j].newlines):
                return n, until or n
            if not until and self.tokens[j].ends:
                until = n + 1
        return 0, until


def describe_lines(left: Token, right: Token, place: Place) -> list[int]:
    """How the line starts, how long it is, and how the next one starts."""
    start = 3 if place.line_code == 2 and place.line_tokens == 1 else place.line_code
    if not right.newlines:
        return [start, 0, 0]
    length = 1 + bucket(left.end - place.line_start, LINE_LENGTHS)
    if right.lead in (Lead.BULLET, Lead.DASH):
        return [start, length, 2]
    if is_enumerator(right):
        return [start, length, 3]
    return [start, length, 4 if right.blanks > 1 else 1]


def slack_code(left: Token, right: Token, line_start: int, width: int) -> int:
    """How much room the next word would have had on the line before: hard-wrapped lines have none."""
    if not right.newlines:
        return 0
    if width >= LONG_LINE:
        return 6
    return 1 + bucket(width - (left.end - line_start + 1 + right.end - right.start), ROOM)


def evidence_of_abbreviation(token: Token, counts: dict[int, WordCount]) -> int:
    """How the word before a period behaves elsewhere in this text."""
    if not token.is_word or token.mark not in (Mark.PERIOD, Mark.END_THEN_COMMA):
        return 0
    count = counts.get(token.hash, WordCount())
    if count.period_then_lower:
        return 5 if count.bare else 3 if count.period_then_lower == 1 else 4
    if count.bare:
        return 2 if count.bare >= count.period else 1
    return 6 if count.period >= 3 else 7 if count.period == 2 else 0


def evidence_of_case(token: Token, counts: dict[int, WordCount], self_counted: bool) -> int:
    """How often a capitalised word stands in lower case, or capitalised inside sentences, elsewhere in this text."""
    if token.first != Kind.UPPER:
        return 7
    count = counts.get(token.hash, WordCount())
    upper = count.upper_inside - self_counted
    if upper <= 0:
        return min(count.lower, 2)
    if not count.lower:
        return min(upper, 2) + 2
    return 5 if count.lower > upper else 6
