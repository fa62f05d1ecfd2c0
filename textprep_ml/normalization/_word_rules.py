"""The rules that look at neighbouring words or lines: contractions, hyphens at line ends, patterns of the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from textprep_ml.normalization.offsets import Edit, apply_edits

_HOSTS = {
    "'m": {"i": "am"},
    "'re": dict.fromkeys(("you", "we", "they", "there", "these", "those", "who", "what"), "are"),
    "'ve": dict.fromkeys(
        ("i", "you", "we", "they", "would", "could", "should", "might", "must", "may", "who", "these", "those"), "have"
    ),
    "'ll": dict.fromkeys(
        ("i", "you", "he", "she", "it", "we", "they", "that", "this", "these", "those", "there", "who", "what"), "will"
    ),
    # He's, she's, who's and what's are "has" or "does" too often to be sure.
    "'s": {"it": "is", "that": "is", "there": "is", "here": "is", "let": "us"},
}
_NEGATED = (
    *("are", "is", "was", "were", "do", "does", "did", "have", "has", "had"),
    *("could", "should", "would", "might", "must", "need", "ought"),
)

#: After these, "it's" is "it has".
_AFTER_HAS = frozenset({"been", "got", "gotten", "had", "become"})


def english_contractions() -> dict[str, str]:
    """Give the English contractions that have one expansion only.

    Returns
    -------
    dict of str to str
        Lower-case contraction with a plain apostrophe -> what it stands for. Ambiguous ones, such as ``he's``,
        ``he'd`` and every possessive, are not in it.

    Examples
    --------
    >>> english_contractions()["won't"]
    'will not'
    """
    table = {host + clitic: f"{host} {word}" for clitic, hosts in _HOSTS.items() for host, word in hosts.items()}
    table |= {f"{verb}n't": f"{verb} not" for verb in _NEGATED}
    return table | {"can't": "can not", "won't": "will not", "shan't": "shall not"}


_CLITIC = re.compile(r"n['’]t(?!\w)|['’](?:s|re|ve|ll|d|m)(?!\w)", re.IGNORECASE)
_APOSTROPHE = re.compile("['’]")
_NEXT_WORDS = re.compile(r"[ \t\r\n]+(\w+)(?:[ \t\r\n]+(\w+))?")


@dataclass(frozen=True)
class SplitRule:
    """Put a blank before the clitic of an English contraction: do n't, it 's."""

    def edits(self, text: str) -> Iterator[Edit]:
        for match in _CLITIC.finditer(text):
            start = match.start()
            if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
                yield start, start, " "


@dataclass(frozen=True)
class ExpandRule:
    """Write contractions out where the table is sure."""

    table: Mapping[str, str] = field(hash=False)

    def edits(self, text: str) -> Iterator[Edit]:
        for start, stop in self._candidates(text):
            word = text[start:stop]
            key = word.lower().replace("’", "'")
            expansion = self.table.get(key)
            if expansion is not None and not self._means_has(key, expansion, text, stop):
                yield from _expand(start, word, key, expansion)

    def _candidates(self, text: str) -> Iterator[tuple[int, int]]:
        """Give the spans of the words to look up; only entries without an apostrophe need a look at every word."""
        if any("'" not in key for key in self.table):
            for match in re.finditer(r"\w+(?:['’]\w+)*", text):
                yield match.span()
            return
        end = 0
        for apostrophe in _APOSTROPHE.finditer(text):
            if apostrophe.start() >= end:
                start, end = _word_around(text, apostrophe.start(), end)
                yield start, end

    @staticmethod
    def _means_has(key: str, expansion: str, text: str, stop: int) -> bool:
        if not (key.endswith("'s") and expansion.endswith(" is")):
            return False
        after = _NEXT_WORDS.match(text, stop)
        return after is not None and any(word and word.lower() in _AFTER_HAS for word in after.groups())


def _word_around(text: str, place: int, floor: int) -> tuple[int, int]:
    """Give the span of the letters and inner apostrophes around the apostrophe at `place`."""
    start = place
    while start > floor and text[start - 1].isalpha():
        start -= 1
    end = place + 1
    while end < len(text) and (text[end].isalpha() or (text[end] in "'’" and text[end + 1 : end + 2].isalpha())):
        end += 1
    return start, end


def _expand(start: int, word: str, key: str, expansion: str) -> Iterator[Edit]:
    """Replace the parts of a contraction one by one, in the case of the word."""
    split = len(key) - len("n't") if key.endswith("n't") else key.find("'")
    first, blank, rest = expansion.partition(" ")
    shouts = len(word) > 2 and word.isupper()
    if split <= 0 or not blank:
        new = expansion.upper() if shouts else _like(word, expansion)
        yield start, start + len(word), new
        return
    if first != key[:split]:
        yield start, start + split, first.upper() if shouts else _like(word, first)
    yield start + split, start + len(word), blank + (rest.upper() if shouts and len(key[:split]) > 1 else rest)


def _like(word: str, new: str) -> str:
    return new[0].upper() + new[1:] if word[0].isupper() and new else new


# A word that goes on in the next line. The hyphen may be a soft one; blanks may stand around the line end.
_WRAPPED = re.compile(r"[-\u2010\xad][ \t]*\r?\n[ \t]*(?=\w)")
_WORD = re.compile(r"\w+")

#: Before these a hyphen at the line end is a suspended one: "pre-\nand post-war".
_CONJUNCTIONS = frozenset(
    {"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "i", "en", "of", "och", "eller"}
)


@dataclass(frozen=True)
class HyphenRule:
    """Join words that were broken at a line end.

    The hyphen goes when the joined word is known and the hyphenated one is not; else the hyphen stays and only the
    line end goes.
    """

    vocabulary: frozenset[str] = field(hash=False)

    def edits(self, text: str) -> Iterator[Edit]:
        left_start = floor = 0
        left = ""
        for match in _WRAPPED.finditer(text):
            start, end = match.span()
            if start != floor or not left:
                left_start = _word_start(text, start, floor)
                left = text[left_start:start]
            word = _WORD.match(text, end)
            if not left or word is None:
                continue
            right = word.group()
            floor = word.end()
            if right.lower() in _CONJUNCTIONS:
                left = ""
                continue
            left, joined = self._join(left, right, self._rest(text, floor), text[start] == "\xad")
            yield (start, end, "") if joined else (start + 1, end, "")

    def _join(self, left: str, right: str, rest: str, soft: bool) -> tuple[str, bool]:
        """Give the word so far, and whether the hyphen goes."""
        joined, hyphenated = left + right, f"{left}-{right}"
        if soft or (rest and self._knows(joined + rest)):
            return joined, True
        if self._knows(joined) and not self._knows(hyphenated):
            return joined, True
        return right, False

    def _rest(self, text: str, place: int) -> str:
        """Give the part in the line after the next, when the word is broken twice."""
        again = _WRAPPED.match(text, place)
        word = again and _WORD.match(text, again.end())
        return word.group() if word else ""

    def _knows(self, word: str) -> bool:
        return word in self.vocabulary or word.lower() in self.vocabulary or word.casefold() in self.vocabulary


def _word_start(text: str, end: int, floor: int) -> int:
    start = end
    while start > floor and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return start


def learn_words(texts: Sequence[str]) -> set[str]:
    """Collect the words of texts, in lower case, but for the two halves of those broken at a line end.

    Parameters
    ----------
    texts : sequence of str
        The corpus.

    Returns
    -------
    set of str
        Words, and compounds with inner hyphens.
    """
    words: set[str] = set()
    for text in texts:
        for word in re.findall(r"\w+(?:-\w+)*", apply_edits(text, _broken_words(text)).lower()):
            words.add(word)
            words.update(word.split("-"))
    return words


def _broken_words(text: str) -> Iterator[Edit]:
    floor = 0
    for match in _WRAPPED.finditer(text):
        start = _word_start(text, match.start(), floor)
        word = _WORD.match(text, match.end())
        floor = word.end() if word else match.end()
        yield start, floor, " "


@dataclass(frozen=True)
class PatternRule:
    """Replace the matches of a regular expression."""

    pattern: str
    replacement: str

    def edits(self, text: str) -> Iterator[Edit]:
        compiled = regex.compile(self.pattern)
        for match in compiled.finditer(text):
            new = match.expand(self.replacement)
            if new != match.group():
                yield match.start(), match.end(), new
