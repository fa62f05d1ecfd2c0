"""The numbers by which the word kernel is told what to do; `_words.pyx` has the same ones."""

from __future__ import annotations

from enum import IntFlag


class Flag(IntFlag):
    """What a scan does."""

    SPLIT_HYPHENS = 1
    MARK_RUNS = 2
    UNSPACED_RUNS = 4
    SPLIT_UNITS = 8
    KEEP_DECADES = 16
    SPLIT_RANGES = 32
    URL = 64
    EMAIL = 128
    FILE = 256
    CODE = 512
    HASHTAG = 1024
    HANDLE = 2048
    EMOTICON = 4096
    NUMBERS = 8192
    DATE = 16384
    TIME = 32768
    CURRENCY = 65536
    CITATION = 131072


class Action(IntFlag):
    """What a word of the table may do."""

    ABBREVIATION = 1
    DOUBTFUL = 2
    CUT = 4
    PRONOUN = 8
    AUXILIARY = 16
    PREFIX = 32
    SUFFIX = 64
    DOMAIN = 128
    EXTENSION = 256
    UNIT = 512
