"""The rules that look no farther than a word: plain data, each with a reach that tells how a text may be cut for it.

A rule has three methods. ``rewrite(text)`` gives the new text. ``edits(text)`` gives the same as replacements of
spans, the smallest that make sense. ``reach(char)`` gives the flags of the kernel: JOINS for a character that must be
seen together with the one before it, BLANK for one that makes a group with its BLANK neighbours, CONTEXT for one that
needs its whole word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from textprep_ml._kernels._pure.normalize import BLANK, CONTEXT, JOINS
from textprep_ml._unicode_table import EXTEND, LETTER, MARK, PICTOGRAPH, class_of
from textprep_ml.normalization.offsets import Edit, apply_edits

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

#: Beyond this length a group is put in order by our own sort: that of `unicodedata` takes quadratic time on many marks.
LONG_GROUP = 64


class LocalRule(Protocol):
    """What a pass expects of a rule."""

    def reach(self, char: str) -> int:
        """Give the flags of a character."""

    def rewrite(self, text: str) -> str:
        """Give the new text."""

    def edits(self, text: str) -> Iterator[Edit]:
        """Give the replacements that make the new text."""


def joins(char: str) -> bool:
    """Tell whether a character may compose with, or be ordered among, what stands before it.

    That are marks, the vowels and finals of decomposed Hangul, two letters of the Kirat Rai script, and whatever
    decomposes into something that starts with one. A superset does no harm, since it only makes the groups longer.
    """
    first = unicodedata.normalize("NFKD", char)[0]
    return (
        unicodedata.category(first)[0] == "M"
        or unicodedata.combining(first) != 0
        or "\u1160" <= first <= "\u11ff"
        or "\ud7b0" <= first <= "\ud7ff"
        or "\U00016d63" <= first <= "\U00016d6a"
    )


def groups(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text into a character each with those that join it."""
    joining = {char for char in set(text) if joins(char)}
    start = 0
    for index, char in enumerate(text):
        if index and char not in joining:
            yield start, index
            start = index
    if text:
        yield start, len(text)


def normalize_form(form: Form, text: str) -> str:
    """Give what `unicodedata.normalize` gives, in linear time for any text."""
    if len(text) <= LONG_GROUP:
        return unicodedata.normalize(form, text)
    return "".join(
        unicodedata.normalize(form, text[start:end])
        if end - start <= LONG_GROUP
        else _normalize_long(form, text[start:end])
        for start, end in groups(text)
    )


def _normalize_long(form: Form, group: str) -> str:
    """Decompose, order the marks, compose: the algorithm of Unicode Standard Annex #15."""
    decomposed_form: Form = "NFKD" if form in ("NFKC", "NFKD") else "NFD"
    known = {char: unicodedata.normalize(decomposed_form, char) for char in set(group)}
    chars = "".join(map(known.__getitem__, group))
    ordered: list[str] = []
    marks: list[str] = []
    for char in chars:
        if unicodedata.combining(char):
            marks.append(char)
        else:
            ordered += sorted(marks, key=unicodedata.combining)
            ordered.append(char)
            marks.clear()
    ordered += sorted(marks, key=unicodedata.combining)
    return "".join(ordered if form in ("NFD", "NFKD") else _compose(ordered))


def _compose(chars: list[str]) -> list[str]:
    composed: list[str] = []
    starter = -1
    last = 0
    pairs: dict[str, str] = {}
    for char in chars:
        order = unicodedata.combining(char)
        # A mark reaches the starter unless another one of its class, or a starter, stands between.
        if starter >= 0 and (last < order or (last == 0 and starter == len(composed) - 1)):
            pair = composed[starter] + char
            both = pairs.get(pair) or pairs.setdefault(pair, unicodedata.normalize("NFC", pair))
            if len(both) == 1:
                composed[starter] = both
                continue
        if order == 0:
            starter = len(composed)
        last = order
        composed.append(char)
    return composed


@dataclass(frozen=True)
class FormRule:
    """A Unicode normalization form."""

    form: Form

    def reach(self, char: str) -> int:
        return JOINS if joins(char) else 0

    def rewrite(self, text: str) -> str:
        return normalize_form(self.form, text)

    def edits(self, text: str) -> Iterator[Edit]:
        for start, end in groups(text):
            new = normalize_form(self.form, text[start:end])
            if new != text[start:end]:
                yield start, end, new


@dataclass(frozen=True)
class CaseRule:
    """Lower case or case folding."""

    case: Literal["lower", "casefold"]

    def reach(self, char: str) -> int:
        # A capital sigma becomes another letter at the end of a word.
        return CONTEXT if self.case == "lower" and char == "Σ" else 0

    def rewrite(self, text: str) -> str:
        return text.lower() if self.case == "lower" else text.casefold()

    def edits(self, text: str) -> Iterator[Edit]:
        whole = self.rewrite(text)
        position = 0
        for index, char in enumerate(text):
            width = len(self.rewrite(char))
            new = whole[position : position + width]
            if new != char:
                yield index, index + 1, new
            position += width


@dataclass(frozen=True)
class AccentRule:
    """Take the accents off letters.

    ``strip`` takes away the marks that are attached, above or below (combining classes from 200) and the points of
    Hebrew and Arabic (10 to 36), and leaves what makes another letter, vowel or symbol: nukta, virama, kana voicing,
    vowel signs, overlays. ``strip_all`` takes away every nonspacing mark.
    """

    accents: Literal["strip", "strip_all"]

    def reach(self, char: str) -> int:
        return JOINS if joins(char) else 0

    def is_accent(self, char: str) -> bool:
        if self.accents == "strip_all":
            return unicodedata.category(char) == "Mn"
        order = unicodedata.combining(char)
        return order >= 200 or 10 <= order <= 36

    def _strip(self, group: str) -> str:
        decomposed = normalize_form("NFD", group)
        stripped = "".join(char for char in decomposed if not self.is_accent(char))
        if stripped == decomposed:
            return group
        return normalize_form("NFC", stripped) if normalize_form("NFC", group) == group else stripped

    def rewrite(self, text: str) -> str:
        return apply_edits(text, self.edits(text))

    def edits(self, text: str) -> Iterator[Edit]:
        for start, end in groups(text):
            new = self._strip(text[start:end])
            if new != text[start:end]:
                yield start, end, new


# Control characters but white space, and format characters that show nothing.
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]+"
)
_JOINERS = re.compile("[\u180e\u200c\u200d]")
_FLAG_TAGS = re.compile("[\U000e0020-\U000e007e]+\U000e007f")
_BLACK_FLAG = "\U0001f3f4"

# Blocks of the scripts in which letters join or stack, so that a joiner changes what a word looks like.
_JOINING_SCRIPTS = (
    ("\u0600", "\u07ff"),
    ("\u0840", "\u0dff"),
    ("\u0f00", "\u109f"),
    ("\u1700", "\u18af"),
    ("\u1900", "\u1cff"),
    ("\ua800", "\uabff"),
    ("\ufb50", "\ufdff"),
    ("\ufe70", "\ufefc"),
    ("\U00010a00", "\U00010aff"),
    ("\U00010d00", "\U00010fff"),
    ("\U00011000", "\U00011fff"),
    ("\U0001e900", "\U0001e95f"),
)


def _in_joining_script(char: str) -> bool:
    return bool(class_of(char) & (LETTER | MARK)) and any(first <= char <= last for first, last in _JOINING_SCRIPTS)


def _joiner_is_needed(text: str, start: int, end: int) -> bool:
    """Tell whether joiners from `start` to `end` belong there: after a virama, in a joined word, in an emoji."""
    if not start:
        return False
    before = text[start - 1]
    after = text[end : end + 1]
    if unicodedata.combining(before) == 9:
        return True
    if not after:
        return False
    if _in_joining_script(before) and _in_joining_script(after):
        return True
    return bool(class_of(after) & PICTOGRAPH) and _ends_in_pictograph(text, start)


def _ends_in_pictograph(text: str, end: int) -> bool:
    while end and class_of(text[end - 1]) & EXTEND and not _DROPPED.match(text[end - 1]):
        end -= 1
    return end > 0 and bool(class_of(text[end - 1]) & PICTOGRAPH)


@dataclass(frozen=True)
class ControlRule:
    """Drop control and format characters; white space and joiners that are needed stay.

    A soft hyphen at the end of a line is one that shows, so it becomes a hyphen.
    """

    def reach(self, char: str) -> int:
        if _JOINERS.match(char):
            return CONTEXT
        return BLANK if char in "\r\n" else 0

    def rewrite(self, text: str) -> str:
        return apply_edits(text, self.edits(text))

    def edits(self, text: str) -> Iterator[Edit]:
        for match in _DROPPED.finditer(text):
            start, end = match.span()
            kept_start, kept_end, new = self._kept(text, start, end)
            if start < kept_start:
                yield start, kept_start, ""
            if new != text[kept_start:kept_end]:
                yield kept_start, kept_end, new
            if kept_end < end:
                yield kept_end, end, ""

    def _kept(self, text: str, start: int, end: int) -> Edit:
        """Choose what stays of a row of droppable characters, and as what."""
        if text[start - 1 : start] == _BLACK_FLAG and (tags := _FLAG_TAGS.match(text, start, end)):
            return start, tags.end(), tags.group()
        if (joiner := _JOINERS.search(text, start, end)) and _joiner_is_needed(text, start, end):
            return joiner.start(), joiner.end(), joiner.group()
        if text[end - 1] == "\xad" and text[end : end + 2].startswith(("\n", "\r\n")):
            return end - 1, end, "-"
        return end, end, ""


@dataclass(frozen=True)
class TableRule:
    """Replace single characters by a table."""

    table: Mapping[str, str] = field(hash=False)

    def reach(self, char: str) -> int:
        return 0

    def rewrite(self, text: str) -> str:
        return "".join(self.table.get(char, char) for char in text)

    def edits(self, text: str) -> Iterator[Edit]:
        for index, char in enumerate(text):
            new = self.table.get(char, char)
            if new != char:
                yield index, index + 1, new


@dataclass(frozen=True)
class DigitRule:
    """Put one character in the place of every decimal digit."""

    mask: str

    def reach(self, char: str) -> int:
        return 0

    def rewrite(self, text: str) -> str:
        return apply_edits(text, self.edits(text))

    def edits(self, text: str) -> Iterator[Edit]:
        for index, char in enumerate(text):
            if char != self.mask and unicodedata.category(char) == "Nd":
                yield index, index + 1, self.mask


WhitespaceMode = Literal["line_ends", "lines", "paragraphs", "collapse"]


@dataclass(frozen=True)
class WhitespaceRule:
    r"""Collapse runs of white space.

    A line ends at ``\n`` only; all other white space is blank, so a text never gets more lines than it had.
    """

    mode: WhitespaceMode

    @property
    def trimmed(self) -> str:
        """The white space that goes at both ends of the text."""
        return {"line_ends": "", "lines": " "}.get(self.mode, " \n")

    def reach(self, char: str) -> int:
        return BLANK if (char in "\r\n" if self.mode == "line_ends" else char.isspace()) else 0

    def _collapsed(self, run: str) -> str:
        n_lines = run.count("\n")
        if self.mode == "lines" and n_lines:
            return "\n" * n_lines
        return "\n\n" if self.mode == "paragraphs" and n_lines > 1 else " "

    def rewrite(self, text: str) -> str:
        return apply_edits(text, self.edits(text))

    def edits(self, text: str) -> Iterator[Edit]:
        for match in re.finditer(r"\r+\n" if self.mode == "line_ends" else r"\s+", text):
            new = "\n" if self.mode == "line_ends" else self._collapsed(match.group())
            if new != match.group():
                yield match.start(), match.end(), new
