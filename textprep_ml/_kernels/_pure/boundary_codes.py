"""The codes of the boundary scanner, and the hash by which it knows words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from textprep_ml._unicode_table import kind_of, lower_of

MASK_64 = 0xFFFFFFFFFFFFFFFF
HASH_SEED = 0xCBF29CE484222325
HASH_PRIME = 0x9E3779B97F4A7C15

#: A core with more ideographs is known by its beginning only: it is a sentence rather than a word.
HASHED_IDEOGRAPHS = 2
#: Brackets with more wide stops inside were forgotten to be closed.
STOPS_IN_BRACKETS = 2
#: Characters of a token without letters or digits by which it is known.
HASHED_MARKS = 8
MOST_NEWLINES = 255
MOST_BLANKS = 250
MOST_BRACKETS = 100
LONGEST = 255
#: Characters after an East Asian quotation among which one of saying makes them part of the sentence.
SPEECH_TAG = 5
SAYING = frozenset("说說道问問喊と")


class Kind(IntEnum):
    """What a character is to the scanner, numbered as in the character table."""

    OTHER, SPACE, NEWLINE, LOWER, UPPER, DIGIT, LETTER, IDEOGRAPH = range(8)
    PERIOD, BANG, QUESTION, ELLIPSIS, STOP, WIDE_STOP = range(8, 14)
    COMMA, COLON, SEMICOLON, DASH, HYPHEN = range(14, 19)
    OPEN_BRACKET, CLOSE_BRACKET, OPEN_QUOTE, CLOSE_QUOTE, QUOTE, APOSTROPHE = range(19, 25)
    BULLET, SLASH, AT, HASH, MARK, PICTOGRAPH, FORMAT = range(25, 32)


class Mark(IntEnum):
    """The trailing mark of a token."""

    NONE, PERIOD, BANG, QUESTION, MULTIPLE, ELLIPSIS, STOP, WIDE = range(8)
    COMMA, COLON, SEMICOLON, DASH, OTHER, END_THEN_COMMA = range(8, 14)


class Closer(IntEnum):
    """Closing quotes and brackets around the mark."""

    NONE, QUOTE_AFTER, BRACKET_AFTER, QUOTE_BEFORE, BRACKET_BEFORE, SEVERAL = range(6)


class Lead(IntEnum):
    """What stands before the core."""

    NONE, QUOTE, BRACKET, BULLET, DASH, HASH, AT, OTHER = range(8)


class Shape(IntEnum):
    """Form of the core."""

    EMPTY, LOWER, TITLE, UPPER, INITIAL, SINGLE_LOWER, MIXED, NUMBER, ALPHANUMERIC = range(9)
    DOTTED_UPPER, DOTTED_LOWER, LINK, UNCASED, IDEOGRAPH, PICTOGRAPH, ROMAN = range(9, 16)


class Newline(IntEnum):
    """What a newline is: evidence, a boundary, a blank, or a blank unless it is one of several."""

    AUTO, HARD, SOFT, PARAGRAPH = range(4)


BLANK = frozenset({Kind.SPACE, Kind.NEWLINE})
CASED = frozenset({Kind.LOWER, Kind.UPPER})
CORE = CASED | {Kind.DIGIT, Kind.LETTER, Kind.IDEOGRAPH, Kind.MARK, Kind.FORMAT}
WORD = CASED | {Kind.LETTER}
END = frozenset({Kind.PERIOD, Kind.BANG, Kind.QUESTION, Kind.ELLIPSIS, Kind.STOP, Kind.WIDE_STOP})
CLOSER = frozenset({Kind.CLOSE_BRACKET, Kind.CLOSE_QUOTE, Kind.QUOTE, Kind.APOSTROPHE})
OPENER = frozenset({Kind.OPEN_BRACKET, Kind.OPEN_QUOTE, Kind.QUOTE, Kind.APOSTROPHE})
#: What is taken for the first character of a sentence after an end mark without a blank.
STARTS = WORD | {Kind.IDEOGRAPH}
END_MARKS = frozenset({Mark.PERIOD, Mark.BANG, Mark.QUESTION, Mark.MULTIPLE, Mark.ELLIPSIS, Mark.STOP, Mark.WIDE})

MARK_OF_KIND = {
    Kind.PERIOD: Mark.PERIOD, Kind.BANG: Mark.BANG, Kind.QUESTION: Mark.QUESTION, Kind.ELLIPSIS: Mark.ELLIPSIS,
    Kind.STOP: Mark.STOP, Kind.WIDE_STOP: Mark.WIDE, Kind.COMMA: Mark.COMMA, Kind.COLON: Mark.COLON,
    Kind.SEMICOLON: Mark.SEMICOLON, Kind.DASH: Mark.DASH, Kind.HYPHEN: Mark.DASH,
}  # fmt: skip
LEAD_OF_KIND = {
    Kind.APOSTROPHE: Lead.QUOTE, Kind.BULLET: Lead.BULLET, Kind.DASH: Lead.DASH, Kind.HYPHEN: Lead.DASH,
    Kind.HASH: Lead.HASH, Kind.AT: Lead.AT,
}  # fmt: skip


def hash_codes(codes: Sequence[int]) -> int:
    """Give a 64-bit hash of lower-cased characters.

    It takes sixteen at a time: their low bytes as two numbers, then, where there are any, their high bytes as two
    others.
    """
    value = HASH_SEED
    for start in range(0, max(len(codes), 1), 16):
        low, high = [0, 0], [0, 0]
        for position, code in enumerate(codes[start : start + 16]):
            low[position // 8] |= (code & 255) << 8 * (position % 8)
            high[position // 8] ^= (code >> 8 << 8 * (position % 8)) & MASK_64
        value = fold(low[0] ^ value, low[1] ^ HASH_PRIME)
        if any(high):
            value = fold(high[0] ^ value ^ MASK_64, high[1] ^ HASH_PRIME)
    return value


def fold(a: int, b: int) -> int:
    """Multiply two numbers of 64 bits, and lay the halves of the product over each other."""
    product = a * b
    return (product & MASK_64) ^ (product >> 64)


def hash_word(word: str) -> int:
    """Give the 64-bit hash under which the scanner finds `word`, lower-cased."""
    return hash_codes([ord(lower_of(char)) for char in word if kind_of(char) != Kind.FORMAT])
