"""BERT's basic tokenization, step by step: what a text becomes, and where its words are (Devlin and others 2019)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from textprep_ml._kernels._pure.bert_tables import (
    COMBINING_SHIFT,
    CONTROL,
    DECOMPOSED,
    LOWERED,
    NONSPACING,
    PUNCTUATION,
    class_of,
)
from textprep_ml._unicode_table import SPACE
from textprep_ml._unicode_table import class_of as unicode_class

#: What is done to a text, in this order: drop control characters and make all white space blanks; set ideographs apart
#: by blanks; decompose and drop the marks; lower the case.
CLEAN, IDEOGRAPHS, STRIP, LOWER = 1, 2, 4, 8

#: A character and the source that it comes from: start and end.
Char = tuple[str, int, int]

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def is_ideograph(char: str) -> bool:
    """Tell whether a character is one of the ideographs that are set apart."""
    return any(first <= ord(char) <= last for first, last in _IDEOGRAPHS)


def is_space(char: str) -> bool:
    """Tell whether a character is white space."""
    return bool(unicode_class(char) & SPACE)


def is_punctuation(char: str) -> bool:
    """Tell whether a character is a mark of punctuation, each of which is a word."""
    return bool(class_of(char) & PUNCTUATION)


def is_control(char: str) -> bool:
    """Tell whether cleaning drops a character."""
    return bool(class_of(char) & CONTROL)


def decompose(char: str) -> str:
    """Decompose a character canonically, without putting marks in order."""
    index = ord(char) - 0xAC00
    if 0 <= index < 11172:
        last = index % 28
        return chr(0x1100 + index // 588) + chr(0x1161 + index % 588 // 28) + (chr(0x11A7 + last) if last else "")
    return DECOMPOSED.get(char, char)


def _combining(char: Char) -> int:
    return class_of(char[0]) >> COMBINING_SHIFT


def _clean(chars: Iterable[Char]) -> list[Char]:
    return [
        (" " if is_space(char) else char, start, end)
        for char, start, end in chars
        if not class_of(char) & CONTROL
    ]  # fmt: skip


def _apart(chars: Iterable[Char]) -> list[Char]:
    return [
        (new, start, end)
        for char, start, end in chars
        for new in (f" {char} " if is_ideograph(char) else char)
    ]  # fmt: skip


def _strip(chars: Iterable[Char]) -> list[Char]:
    ordered: list[Char] = []
    marks: list[Char] = []
    for char, start, end in chars:
        for part in decompose(char):
            if _combining((part, start, end)):
                marks.append((part, start, end))
            else:
                ordered += sorted(marks, key=_combining)
                marks = []
                ordered.append((part, start, end))
    ordered += sorted(marks, key=_combining)
    return [char for char in ordered if not class_of(char[0]) & NONSPACING]


def _lower(chars: Iterable[Char]) -> list[Char]:
    return [(new, start, end) for char, start, end in chars for new in LOWERED.get(char, char)]


_STEPS: tuple[tuple[int, Callable[[Iterable[Char]], list[Char]]], ...] = (
    (CLEAN, _clean),
    (IDEOGRAPHS, _apart),
    (STRIP, _strip),
    (LOWER, _lower),
)


def rewrite(chars: Iterable[Char], flags: int) -> list[Char]:
    """Apply the steps that `flags` ask for to characters with their sources."""
    for flag, step in _STEPS:
        if flags & flag:
            chars = step(chars)
    return list(chars)


def normalize(text: str, flags: int) -> tuple[str, list[int], list[int]]:
    """Give the rewritten text, and where the source of each of its characters starts and ends."""
    chars = rewrite(((char, at, at + 1) for at, char in enumerate(text)), flags)
    return "".join(char for char, _, _ in chars), [start for _, start, _ in chars], [end for _, _, end in chars]


def _spans(text: str, is_gap: Callable[[str], bool], is_alone: Callable[[str], bool]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    is_open = False
    for at, char in enumerate(text):
        if is_gap(char):
            is_open = False
        elif is_open and not is_alone(char):
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
            is_open = not is_alone(char)
    return spans


def words(text: str) -> list[tuple[int, int]]:
    """Give the spans of the words of a rewritten text: between white space, every mark of punctuation alone."""
    return _spans(text, is_space, is_punctuation)


def raw_words(text: str, ideographs: bool) -> list[tuple[int, int]]:
    """Give the spans of the schemes ``bert`` and ``bert-joined``: where words of a raw text can be told apart.

    What they become, rewritten and cut by `words`, is what becomes of the whole text.
    """
    return _spans(
        text,
        lambda char: is_space(char) and not is_control(char),
        lambda char: is_punctuation(char) or (ideographs and is_ideograph(char)),
    )


def split(raw: Sequence[bytes], flags: int) -> tuple[list[bytes], list[int]]:
    """Rewrite raw words and cut them; give all parts, and which word each comes from."""
    parts: list[bytes] = []
    owners: list[int] = []
    for number, word in enumerate(raw):
        text = normalize(word.decode("utf-8", "surrogatepass"), flags)[0]
        for start, end in words(text):
            parts.append(text[start:end].encode("utf-8", "surrogatepass"))
            owners.append(number)
    return parts, owners
