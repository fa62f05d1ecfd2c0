"""The attributes of a candidate: what the scanner's columns are called and what their codes mean.

The order of `ATTRIBUTES` is the order of the columns that the kernel writes. ``left`` is the token before the gap,
``right`` the token after it, ``left2`` and ``right2`` their outer neighbours; ``document`` attributes are the same
for all candidates of one text.
"""

from __future__ import annotations

from dataclasses import dataclass

from textprep_ml.abbreviations import CLASSES

KINDS = ("mark", "inside", "mark_line", "line", "paragraph", "gap")

#: How abbreviations behave, whatever they mean. The classes of the lexicon fall into these groups.
GROUPS = ("none", "name follows", "number follows", "may end", "date", "latin", "rest")
GROUP_OF_CLASS = {
    "title": 1, "rank": 1, "given": 1,
    "number": 2, "citation": 2, "reporter": 2, "court": 2, "bible": 2, "user": 2,
    "street": 3, "company": 3, "suffix": 3, "state": 3, "country": 3, "unit": 3, "etc": 3, "time": 3,
    "month": 4, "weekday": 4,
    "latin": 5,
    "biomedical": 6, "general": 6, "learned": 6,
}  # fmt: skip

_MARKS = (
    "none", "period", "bang", "question", "multiple", "ellipsis", "stop", "wide stop",
    "comma", "colon", "semicolon", "dash", "other", "end mark and comma",
)  # fmt: skip
_SHAPES = (
    "no letters", "lower", "Title", "UPPER", "Initial", "single lower", "mixed", "number", "alphanumeric",
    "dotted upper", "dotted lower", "link", "uncased", "ideograph", "pictograph", "ROMAN",
)  # fmt: skip
_LEADS = ("none", "quote", "bracket", "bullet", "dash", "hash", "at", "other")
_LENGTHS = ("0", "1", "2", "3", "4", "5", "6-8", "9+")
_USUAL = ("unknown", "lower", "mostly lower", "mixed", "mostly upper", "upper")
_RAW = ("unknown", "never abbreviated", "before lower case", "often with period", "mostly with period", "abbreviation")
_BEYOND = ("none",)


@dataclass(frozen=True)
class Attribute:
    """One column of what the scanner sees.

    Attributes
    ----------
    name : str
        Such as ``"left.shape"``.
    values : tuple of str
        What each code means; empty where the codes are the words of the vocabulary.
    ordered : bool
        Whether a larger code means more of the same.
    """

    name: str
    values: tuple[str, ...] = ()
    ordered: bool = False


ATTRIBUTES = (
    Attribute("kind", KINDS),
    Attribute("left.mark", _MARKS),
    Attribute("left.closer", ("none", "quote after", "bracket after", "quote before", "bracket before", "several")),
    Attribute("left.shape", _SHAPES),
    Attribute("left.length", _LENGTHS, ordered=True),
    Attribute("left.word"),
    Attribute("left.class", ("none", *CLASSES)),
    Attribute("left.group", GROUPS),
    Attribute(
        "left.evidence",
        (
            "none",
            "rarely without period",
            "often without period",
            "once before lower case",
            "before lower case",
            "both",
            "thrice with period",
            "twice with period",
        ),
    ),
    Attribute("left.raw", _RAW),
    Attribute("left.usual", _USUAL),
    Attribute("right.lead", _LEADS),
    Attribute("right.shape", _SHAPES),
    Attribute("right.word"),
    Attribute("right.group", GROUPS),
    Attribute(
        "right.evidence",
        ("none", "lower once", "lower", "name once", "name", "mostly lower", "mostly name", "no capital"),
    ),
    Attribute("right.usual", _USUAL),
    Attribute("right.mark", _MARKS),
    Attribute("right.length", _LENGTHS, ordered=True),
    Attribute("left2.shape", _BEYOND + _SHAPES),
    Attribute("left2.word"),
    Attribute("left2.mark", _MARKS),
    Attribute("left2.group", GROUPS),
    Attribute("left2.usual", _USUAL),
    Attribute("right2.shape", _BEYOND + _SHAPES),
    Attribute("right2.word"),
    Attribute("right2.lead", _LEADS),
    Attribute("right2.usual", _USUAL),
    Attribute("gap.blanks", ("0", "1", "2", "3+", "line start", "indented")),
    Attribute("line.slack", ("no line break", "full", "0-3", "4-12", "13-30", "31+", "long lines"), ordered=True),
    Attribute("line.place", ("1", "2", "3", "4-5", "6-8", "9-15", "16+"), ordered=True),
    Attribute("line.rest", ("1", "2", "3", "4-5", "6-9", "10+"), ordered=True),
    Attribute("since.end", ("0-1", "2", "3", "4-5", "6-9", "10-17", "18-29", "30+"), ordered=True),
    Attribute("until.end", ("1", "2", "3", "4-5", "6-8", "9-12", "13+"), ordered=True),
    Attribute("open.quote", ("no", "yes")),
    Attribute("open.bracket", ("no", "yes")),
    Attribute("document.marks", ("none", "few", "some", "usual", "many"), ordered=True),
    Attribute("document.lines", ("one line", "long", "wrapped", "ragged")),
    Attribute("document.line_ends", ("one line", "few marked", "some marked", "most marked"), ordered=True),
    Attribute("document.capitals", ("none", "few", "some", "many", "only"), ordered=True),
    Attribute("line.start", ("word", "bullet", "number", "number only", "indented")),
    Attribute("line.length", ("no line break", "<10", "<20", "<40", "<60", "<80", "<120", "120+"), ordered=True),
    Attribute("next_line.start", ("no line break", "word", "bullet", "number", "indented")),
)

NAMES = tuple(attribute.name for attribute in ATTRIBUTES)
COLUMN = {name: column for column, name in enumerate(NAMES)}


def cardinalities(n_words: int) -> list[int]:
    """Give the number of codes of each attribute.

    Parameters
    ----------
    n_words : int
        Words in the vocabulary, without the unknown one.

    Returns
    -------
    list of int
        One number per attribute.
    """
    return [len(attribute.values) or n_words + 1 for attribute in ATTRIBUTES]


def value_name(column: int, code: int, vocabulary: list[str]) -> str:
    """Name one code.

    Parameters
    ----------
    column : int
        Index into `ATTRIBUTES`.
    code : int
        What the scanner wrote.
    vocabulary : list of str
        The words whose codes start at 1.

    Returns
    -------
    str
        Such as ``"Title"``; a word itself; ``"<other>"`` for an unknown word.
    """
    values = ATTRIBUTES[column].values
    if values:
        return values[code]
    return vocabulary[code - 1] if code else "<other>"
