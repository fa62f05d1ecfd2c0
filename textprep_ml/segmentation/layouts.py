"""Variants of labelled documents in other layouts: lines, case, dashes, lists, speech, lost marks."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from textprep_ml.segmentation.documents import Document, Edit, Span, apply_edits

_BREAK = re.compile(r"[^\S\n]*\n\s*")


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


def lose_breaks(document: Document, blank_each: bool = False) -> Document:
    r"""Put everything on one line; a label that a colon ends becomes part of what follows.

    Within a line, edited text goes on after a colon far more often than a sentence starts there.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    blank_each : bool
        Whether each line break becomes a blank, so that two stand where a blank line was; else one does.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> lose_breaks(Document("Title\nTo:\nAnn", [(0, 5), (6, 9), (10, 13)]))
    Document(text='Title To: Ann', sentences=[(0, 5), (6, 13)])
    """
    text = document.text
    joined = _join_sentences(document, lambda end, start: text[end - 1] == ":" and "\n" in text[end:start])
    return Document(text.replace("\n", " "), joined.sentences) if blank_each else replace_breaks(joined, " ")


def join_at_colons(document: Document, rng: random.Random, share: float = 0.2) -> Document:
    """Join sentences to the next one by a colon.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    rng : random.Random
        Source of chance.
    share : float
        Share of the sentences that are joined, of those with a period and a capital after it.

    Returns
    -------
    Document
        The variant, of the same length.

    Examples
    --------
    >>> join_at_colons(Document("Look here. It rains.", [(0, 10), (11, 20)]), random.Random(0), share=1.0)
    Document(text='Look here: It rains.', sentences=[(0, 20)])
    """
    text = document.text
    edits: list[Edit] = []

    def decide(end: int, start: int) -> bool:
        possible = text[end - 1] == "." and text[end - 2].islower() and text[end:start] == " " and text[start].isupper()
        chosen = possible and rng.random() < share
        if chosen:
            edits.append((end - 1, end, ":"))
        return chosen

    joined = _join_sentences(document, decide)
    return apply_edits(joined, edits)


def _join_sentences(document: Document, decide: Callable[[int, int], bool]) -> Document:
    """Join each sentence to the next where `decide` says so, by the end of the one and the start of the other."""
    sentences: list[Span] = []
    for start, end in document.sentences:
        if sentences and decide(sentences[-1][1], start):
            sentences[-1] = (sentences[-1][0], end)
        else:
            sentences.append((start, end))
    return Document(document.text, sentences)


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


def space_sentences(document: Document) -> Document:
    """Put two blanks between sentences where there is one, as typists do.

    Parameters
    ----------
    document : Document
        The text and its sentences.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> space_sentences(Document("It rains. We left.", [(0, 9), (10, 18)])).text
    'It rains.  We left.'
    """
    text, spans = document.text, document.sentences
    pairs = zip(spans, spans[1:], strict=False)
    return apply_edits(document, [(end, end, " ") for (_, end), (start, _) in pairs if text[end:start] == " "])


def justify_lines(document: Document, width: int, rng: random.Random) -> Document:
    r"""Widen gaps between words until lines reach a width, as in text set flush right.

    Parameters
    ----------
    document : Document
        The text, wrapped, and its sentences.
    width : int
        In characters.
    rng : random.Random
        Source of chance.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> justify_lines(Document("One two\nthree.", [(0, 14)]), 8, random.Random(0)).text
    'One  two\nthree.'
    """
    edits: list[Edit] = []
    start = 0
    for line in document.text.split("\n")[:-1]:
        blanks = [start + index for index, character in enumerate(line) if character == " "]
        missing = width - len(line)
        if 0 < missing <= min(len(blanks), width // 4):  # the last line of a paragraph stays as it is
            edits += [(at, at, " ") for at in sorted(rng.sample(blanks, missing))]
        start += len(line) + 1
    return apply_edits(document, edits)


def verse_lines(document: Document, width: int, capitals: bool = True) -> Document:
    r"""Break a text without line breaks into short lines, as verse: sooner at a comma, with a capital at each start.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    width : int
        From how many characters on a line is broken; at a comma or the like from half as many.
    capitals : bool
        Whether each line starts with a capital.

    Returns
    -------
    Document
        The variant, of the same length.

    Examples
    --------
    >>> verse_lines(Document("The rain, it falls, and falls.", [(0, 30)]), 12).text
    'The rain,\nIt falls,\nAnd falls.'
    """
    characters = list(document.text)
    line_start = 0
    for index, character in enumerate(characters[:-1]):
        before = characters[index - 1]
        enough = width / 2 if before in ",;.!?" else width
        if character != " " or index - line_start < enough or before == ":":  # a list may start behind a colon
            continue
        characters[index] = "\n"
        line_start = index + 1
        if capitals and len(upper := characters[line_start].upper()) == 1:
            characters[line_start] = upper
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


def remove_case(document: Document) -> Document:
    """Write a text in letters without case, to learn what marks alone tell.

    Parameters
    ----------
    document : Document
        The text and its sentences.

    Returns
    -------
    Document
        The variant, of the same length, its Latin letters replaced by Hebrew ones.

    Examples
    --------
    >>> remove_case(Document("A bad cab.", [(0, 10)])).text
    'א באד גאב.'
    """
    return Document(lower_case(document).text.translate(_UNCASED), document.sentences)


_UNCASED = {ord("a") + number: chr(ord("א") + number) for number in range(26)}


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
            edits.append((start, start, style.format(n=number, a="abcdefgh"[number - 1]) + " "))
    return apply_edits(document, edits)


_NUMBER_STYLES = ("{n})", "{n}.", "{n}.", "({n})", "({a})", "{a})", "[{n}]")


def list_lines(document: Document, rng: random.Random, share: float = 0.3) -> Document:
    r"""Turn runs of sentences into lists, an item a line, with bullets or numbers, some without their period.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    rng : random.Random
        Source of chance.
    share : float
        Share of the runs that become lists.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> list_lines(Document("Go on. Eat it. Rest.", [(0, 6), (7, 14), (15, 20)]), random.Random(1), share=1.0).text
    '1. Go on.\n2. Eat it.\n3. Rest.'
    """
    edits: list[Edit] = []
    number, left, style, bare = 0, 0, "", False
    position = 0
    for start, end in document.sentences:
        if left == 0:
            left, number, bare = rng.randint(2, 6), 0, rng.random() < 0.5
            style = rng.choice(_LIST_STYLES) if rng.random() < share else ""
        number += 1
        left -= 1
        if style:
            edits.append((position, start, "" if position == 0 else "\n"))
            edits.append((start, start, style.format(n=number, a="abcdefgh"[number - 1]) + " "))
            if bare and document.text[end - 1] == ".":
                edits.append((end - 1, end, ""))
        position = end
    return apply_edits(document, edits)


_LIST_STYLES = ("{n}.", "{n}.", "{n})", "({n})", "({a})", "-", "-", "*", "•", "–")


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
