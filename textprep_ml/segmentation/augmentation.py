"""Variants of labelled documents: other layouts, other abbreviations, marks that the corpus lacks.

A segmenter that saw one layout only takes the layout for the language. Each variant here changes the text and carries
the sentence spans along; none needs to know the domain.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
Edit = tuple[int, int, str]

_BREAK = re.compile(r"[^\S\n]*\n\s*")
_ABBREVIATION = re.compile(r"(?<![\w.])([A-Za-z][A-Za-z.]*)\.(?=[\s,;:)])")


@dataclass(frozen=True)
class Document:
    """A text and its sentences."""

    text: str
    sentences: Sequence[Span]


def apply_edits(document: Document, edits: Iterable[Edit]) -> Document:
    """Replace parts of a text and move the sentence spans along.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    edits : iterable of (start, end, replacement)
        Sorted, not overlapping. What is inserted at the start of a sentence belongs to it.

    Returns
    -------
    Document
        The changed text and the same sentences in it.

    Examples
    --------
    >>> apply_edits(Document("a b. c.", [(0, 4), (5, 7)]), [(0, 1, "xyz"), (4, 5, "")])
    Document(text='xyz b.c.', sentences=[(0, 6), (6, 8)])
    """
    parts: list[str] = []
    # (position in the old text, position in the new text, length of what replaces it there)
    anchors: list[tuple[int, int, int]] = []
    position = length = 0
    for start, end, replacement in edits:
        parts += (document.text[position:start], replacement)
        length += start - position
        anchors.append((start, end, length))
        length += len(replacement)
        position = end
    parts.append(document.text[position:])
    moved = _Mover(anchors, [len(part) for part in parts[1::2]])
    return Document("".join(parts), [(moved.move(start), moved.move(end)) for start, end in document.sentences])


class _Mover:
    """Carry positions over edits; positions must come in increasing order."""

    def __init__(self, anchors: list[tuple[int, int, int]], lengths: list[int]) -> None:
        self.anchors = anchors
        self.lengths = lengths
        self.next = 0
        self.shift = 0

    def move(self, position: int) -> int:
        while self.next < len(self.anchors):
            start, end, new = self.anchors[self.next]
            if end > position or start == end == position:
                break
            self.shift = new + self.lengths[self.next] - end
            self.next += 1
        return position + self.shift


def replace_breaks(document: Document, replacement: str) -> Document:
    r"""Replace every line break or blank line, with the blanks around it.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    replacement : str
        Such as ``" "`` (all on one line) or ``"\n"`` (blank lines become line breaks).

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> replace_breaks(Document("Title\n\nText.", [(0, 5), (7, 12)]), " ")
    Document(text='Title Text.', sentences=[(0, 5), (6, 11)])
    """
    return apply_edits(
        document, [(match.start(), match.end(), replacement) for match in _BREAK.finditer(document.text)]
    )


def wrap_lines(document: Document, width: int) -> Document:
    r"""Break lines at blanks so that none passes `width` where that can be helped.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    width : int
        In characters.

    Returns
    -------
    Document
        The variant, of the same length.

    Examples
    --------
    >>> wrap_lines(Document("One two three. Four.", [(0, 14), (15, 20)]), 10).text
    'One two\nthree.\nFour.'
    """
    characters = list(document.text)
    line_start, last_blank = 0, -1
    for index, character in enumerate(characters):
        if character == "\n":
            line_start, last_blank = index + 1, -1
        elif character == " ":
            last_blank = index
        if index - line_start >= width and last_blank >= 0:
            characters[last_blank] = "\n"
            line_start, last_blank = last_blank + 1, -1
    return Document("".join(characters), document.sentences)


def lower_case(document: Document) -> Document:
    """Lower-case a text, leaving the few characters whose lower case is longer.

    Parameters
    ----------
    document : Document
        The text and its sentences.

    Returns
    -------
    Document
        The variant, of the same length.

    Examples
    --------
    >>> lower_case(Document("Go HOME.", [(0, 8)])).text
    'go home.'
    """
    text = "".join(lower if len(lower := character.lower()) == 1 else character for character in document.text)
    return Document(text, document.sentences)


def swap_abbreviations(document: Document, groups: Mapping[str, Sequence[str]], rng: random.Random) -> Document:
    """Replace known abbreviations by others that behave alike, so that a model learns the group and not the word.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    groups : mapping of str to sequence of str
        Lower-cased abbreviation -> those that may take its place, without the final period.
    rng : random.Random
        Source of chance.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> swap_abbreviations(Document("Mr. Bo left.", [(0, 12)]), {"mr": ["Dr"]}, random.Random(0)).text
    'Dr. Bo left.'
    """
    edits = []
    for match in _ABBREVIATION.finditer(document.text):
        others = groups.get(match[1].lower())
        if others:
            edits.append((match.start(1), match.end(1), rng.choice(others)))
    return apply_edits(document, edits)


def add_dashes(document: Document, dash: str, rng: random.Random, share: float = 0.7) -> Document:
    """Open sentences with a dash, as in interviews and run-in lists.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    dash : str
        Such as ``"-"`` or ``"—"``.
    rng : random.Random
        Source of chance.
    share : float
        Share of the sentences that get one.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> add_dashes(Document("Who? Me.", [(0, 4), (5, 8)]), "-", random.Random(0), share=1.0)
    Document(text='- Who? - Me.', sentences=[(0, 6), (7, 12)])
    """
    return apply_edits(
        document, [(start, start, f"{dash} ") for start, _ in document.sentences if rng.random() < share]
    )


def drop_marks(document: Document, rng: random.Random, share: float = 0.15, longest: int = 80) -> Document:
    """Drop the final period of short sentences, as if they were headlines that lost their line.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    rng : random.Random
        Source of chance.
    share : float
        Share of the short sentences that lose their period.
    longest : int
        What counts as short, in characters.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> drop_marks(Document("No news. We met.", [(0, 8), (9, 16)]), random.Random(0), share=1.0)
    Document(text='No news We met', sentences=[(0, 7), (8, 14)])
    """
    edits = [
        (end - 1, end, "")
        for start, end in document.sentences
        if document.text[end - 1] == "." and end - start <= longest and rng.random() < share
    ]
    return apply_edits(document, edits)


def add_numbers(document: Document, rng: random.Random, share: float = 0.5) -> Document:
    """Number the sentences, as in run-in lists: ``1) ...  2) ...``.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    rng : random.Random
        Source of chance.
    share : float
        Share of the runs of sentences that get numbers.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> add_numbers(Document("Who? Me.", [(0, 4), (5, 8)]), random.Random(2), share=1.0).text
    '1. Who? 2. Me.'
    """
    edits: list[Edit] = []
    number, left, style = 0, 0, ""
    for start, _ in document.sentences:
        if left == 0:
            left, number = rng.randint(2, 6), 0
            style = rng.choice(_NUMBER_STYLES) if rng.random() < share else ""
        number += 1
        left -= 1
        if style:
            edits.append((start, start, style.format(n=number, a="abcdefgh"[number]) + " "))
    return apply_edits(document, edits)


_NUMBER_STYLES = ("{n})", "{n}.", "{n}.", "({n})", "({a})", "{a})", "[{n}]")


def add_speech(document: Document, rng: random.Random, share: float = 0.2) -> Document:
    """Put sentences between quotes and add who says them: ``“Who?” asked Nora.``

    Parameters
    ----------
    document : Document
        The text and its sentences.
    rng : random.Random
        Source of chance.
    share : float
        Share of the sentences with an end mark that become speech.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> add_speech(Document("Who?", [(0, 4)]), random.Random(0), share=1.0).text
    '‘Who?’ said Mrs. Ito.'
    """
    edits: list[Edit] = []
    for start, end in document.sentences:
        mark = document.text[end - 1]
        if mark not in ".!?" or rng.random() >= share:
            continue
        opening, closing = rng.choice(_QUOTES)
        verb, name = rng.choice(_SPEECH_VERBS), rng.choice(_SPEAKERS)
        pronoun = rng.choice(("he", "she", "they", "I", "the man", "his mother"))
        tag = rng.choice(
            (f"{name} {verb}", f"{name} {verb}", f"{pronoun} {verb}", f"{verb} {name}", f"{verb} {pronoun}")
        )
        said = mark if mark in "!?" else ","
        edits += [(start, start, opening), (end - 1, end, f"{said}{closing} {tag}.")]
    return apply_edits(document, edits)


_QUOTES = (("“", "”"), ("“", "”"), ('"', '"'), ("‘", "’"), ("'", "'"))
_SPEECH_VERBS = (
    "said",
    "asked",
    "asked",
    "replied",
    "cried",
    "shouted",
    "whispered",
    "answered",
    "says",
    "asks",
    "called",
)
_SPEAKERS = ("Nora", "Ines", "Tom", "Mr. Hale", "Mrs. Ito", "Dr. Lund", "Ada", "Paul", "Aunt May", "Smith")


@dataclass(frozen=True)
class AbbreviationInjector:
    """Put abbreviations where they belong: titles before names, companies after them, units after numbers.

    Corpora of one domain hold few of the abbreviations of another. The places are found by the case and the digits of
    the words alone, so the sentences make little sense but look right to a model that sees words by their class and
    form.

    Attributes
    ----------
    by_class : mapping of str to sequence of str
        Abbreviations, without the final period, of each class of `textprep_ml.abbreviations.CLASSES`.
    share : float
        Share of the possible places that get one.
    """

    by_class: Mapping[str, Sequence[str]]
    share: float = 0.2

    def __call__(self, document: Document, rng: random.Random) -> Document:
        """Make the variant.

        Parameters
        ----------
        document : Document
            The text and its sentences.
        rng : random.Random
            Source of chance.

        Returns
        -------
        Document
            The variant.
        """
        edits: list[Edit] = []
        names = re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", document.text) or ["Adler"]
        for start, end in document.sentences:
            words = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\S+", document.text[start:end])]
            for (_, _, before), (at, to, word), (_, _, after) in zip(words, words[1:], words[2:], strict=False):
                if rng.random() < self.share:
                    edits += self._inside(start + at, start + to, before, word, after, rng)
            if words and rng.random() < self.share:
                edits += self._final(start + words[-1][0], words[-1][2], names, rng)
        return apply_edits(document, edits)

    def _pick(self, rng: random.Random, *classes: str) -> str:
        choices = [name for name in classes if self.by_class.get(name)]
        return rng.choice(self.by_class[rng.choice(choices)]) if choices else "No"

    def _inside(self, at: int, to: int, before: str, word: str, after: str, rng: random.Random) -> list[Edit]:
        """Edits around `word`, which stands at [at, to) inside a sentence."""
        if _is_name(word) and _is_name(after):
            kind = rng.random()
            if kind < 0.6:
                return [(to, to, f" {rng.choice(_INITIALS)}.")]
            if kind < 0.75:
                return [(to, to, rng.choice((" v.", " v.", " vs.")))]
            if kind < 0.85:
                return [(to, to, f" {self._pick(rng, 'company', 'state', 'country')}.")]
            return [(at, at, f"{self._pick(rng, 'title', 'rank', 'given')}. ")]
        if _is_name(word) and after[:1].islower():
            if rng.random() < 0.4:
                return [(at, at, f"{self._pick(rng, 'title', 'rank')}. ")]
            comma = rng.choice(("", ","))
            return [(to, to, f"{comma} {self._pick(rng, 'company', 'suffix', 'state')}.{comma}")]
        if word.endswith(",") and after[:1].islower():
            label = rng.choice((f"{rng.randint(2, 9)}.", f"{rng.randint(2, 9)})", f"({rng.choice('abcdef')})"))
            return [(to, to, f" {label}")]
        if word.isdecimal() and before[-1:].isalpha():
            if rng.random() < 0.05:
                return [(at, to, f"{self._pick(rng, 'number')}. ??")]
            if rng.random() < 0.6:
                return [(at, at, f"{self._pick(rng, 'number', 'number', 'month', 'court')}. ")]
            if after[:1].islower():
                return [(to, to, f" {self._pick(rng, 'unit', 'time')}.")]
        return []

    def _final(self, at: int, word: str, names: Sequence[str], rng: random.Random) -> list[Edit]:
        """Edits that put an abbreviation before the final period of a sentence whose last word stands at `at`."""
        stem = word[:-1]
        if not word.endswith(".") or not stem.isalpha() or not stem.islower():
            return []
        end = at + len(stem)
        ends = (
            f" {rng.choice(names)} {self._pick(rng, 'company')}",
            f" {rng.choice(names)} {self._pick(rng, 'company', 'suffix')}",
            f" {rng.choice(names)}, {self._pick(rng, 'state', 'country')}",
            f" {rng.choice(_INITIALS)}",
            f" {rng.randint(1, 12)} {self._pick(rng, 'time', 'unit')}",
            f" {self._pick(rng, 'month')}. {rng.randint(1, 28)}",
            f" {self._pick(rng, 'number')}. {rng.randint(1, rng.choice((9, 99)))}",
            f" {self._pick(rng, 'general')}. {rng.randint(1, rng.choice((9, 99)))}",
            " etc",
        )
        return [(end, end, rng.choice(ends))]


_INITIALS = "ABCDEFGHJKLMNPRSTW"


def _is_name(word: str) -> bool:
    return len(word) > 2 and word.isalpha() and word[0].isupper() and word[1:].islower()


def substitutes(abbreviations: Mapping[str, str], group_of: Mapping[str, object]) -> dict[str, list[str]]:
    """List, for each abbreviation, those of its group.

    Parameters
    ----------
    abbreviations : mapping of str to str
        Entry -> class.
    group_of : mapping of str to object
        Class -> group; classes that map to one group may stand for each other.

    Returns
    -------
    dict of str to list of str
        Lower-cased entry -> entries of the same group.
    """
    members: dict[object, list[str]] = {}
    for entry, name in abbreviations.items():
        members.setdefault(group_of[name], []).append(entry)
    return {entry.lower(): members[group_of[name]] for entry, name in abbreviations.items()}


#: The variants, and how many of each a document gets on average where the caller does not say.
STANDARD = {
    "original": 1.0,
    "one_line": 0.5,
    "wrapped": 0.5,
    "line_breaks": 0.2,
    "wrapped_line_breaks": 0.3,
    "dashes": 0.2,
    "numbered": 0.1,
    "speech": 0.3,
    "unmarked": 0.2,
    "swapped": 0.4,
    "injected": 0.4,
    "lower_case": 0.1,
}


@dataclass(frozen=True)
class Variations:
    """Makes the variants of training documents that a plan asks for.

    Attributes
    ----------
    plan : mapping of str to float
        Name of a variant, out of `STANDARD` -> how many of it a document gets on average.
    abbreviations : mapping of str to str
        Entry -> class.
    group_of : mapping of str to object
        Class -> group.
    """

    plan: Mapping[str, float]
    abbreviations: Mapping[str, str]
    group_of: Mapping[str, object]

    def __call__(self, documents: Sequence[Document], rng: random.Random) -> tuple[list[Document], list[int]]:
        """Make the variants.

        Parameters
        ----------
        documents : sequence of Document
            The training documents.
        rng : random.Random
            Source of chance.

        Returns
        -------
        variants : list of Document
            In the order of the documents.
        sources : list of int
            Index of the document that each variant came from.
        """
        swaps = substitutes(self.abbreviations, self.group_of)
        by_class: dict[str, list[str]] = {}
        for entry, name in self.abbreviations.items():
            by_class.setdefault(name, []).append(entry)
        made = [
            (_MAKERS[name](document, rng, swaps, by_class), source)
            for source, document in enumerate(documents)
            for name, probability in self.plan.items()
            for _ in range(int(probability) + (rng.random() < probability % 1))
        ]
        return [variant for variant, _ in made], [source for _, source in made]


def _sometimes_one_line(document: Document, rng: random.Random, share: float) -> Document:
    return replace_breaks(document, " ") if rng.random() < share else document


def _wrapped(document: Document, rng: random.Random) -> Document:
    return wrap_lines(document, rng.randint(60, 100))


_MAKERS: dict[
    str, Callable[[Document, random.Random, Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]], Document]
] = {
    "original": lambda document, rng, swaps, by_class: document,
    "one_line": lambda document, rng, swaps, by_class: replace_breaks(document, " "),
    "wrapped": lambda document, rng, swaps, by_class: _wrapped(document, rng),
    "line_breaks": lambda document, rng, swaps, by_class: replace_breaks(document, "\n"),
    "wrapped_line_breaks": lambda document, rng, swaps, by_class: _wrapped(replace_breaks(document, "\n"), rng),
    "dashes": lambda document, rng, swaps, by_class: add_dashes(
        replace_breaks(document, " "), rng.choice(("-", "-", "--", "—", "–")), rng, rng.choice((0.3, 0.6, 0.9))
    ),
    "numbered": lambda document, rng, swaps, by_class: add_numbers(
        _sometimes_one_line(document, rng, 0.7), rng, rng.choice((0.3, 0.8))
    ),
    "speech": lambda document, rng, swaps, by_class: add_speech(
        _sometimes_one_line(document, rng, 0.5), rng, rng.choice((0.1, 0.3))
    ),
    "unmarked": lambda document, rng, swaps, by_class: drop_marks(replace_breaks(document, " "), rng),
    "swapped": lambda document, rng, swaps, by_class: _sometimes_one_line(
        swap_abbreviations(document, swaps, rng), rng, 0.5
    ),
    "injected": lambda document, rng, swaps, by_class: _sometimes_one_line(
        AbbreviationInjector(by_class, rng.choice((0.1, 0.3)))(document, rng), rng, 0.4
    ),
    "lower_case": lambda document, rng, swaps, by_class: lower_case(document),
}
