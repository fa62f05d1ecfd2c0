r"""Text without offsets: one sentence a line, text with markers, and raw text without labels.

Nothing inside a sentence is ever changed. Lines end at ``\n`` only: the other characters that `str.splitlines`
splits at (U+2028, U+0085, vertical tab, form feed, ``\r``) are text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise, zip_longest
from typing import NoReturn

from textprep_ml._files import document_id, iter_lines, open_atomically, read_text
from textprep_ml._unicode_table import IDEOGRAPH, LETTER, class_of
from textprep_ml.corpora._rows import WHITE_SPACE, Row, check_coverage, refuser, shorten, trim

#: Stands between the sentences of marked text when no other marker is given.
MARKER = "<|sentence|>"

PARAGRAPH = "\n\n"


# ---------------------------------------------------------------------------------------------- one sentence a line


def iter_sentence_lines(
    path: str | os.PathLike[str], *, join: str | None = None, blank_line: str = "paragraph"
) -> Iterator[Row]:
    r"""Stream the documents of a file with one sentence a line.

    Parameters
    ----------
    path : str or path-like
        The file. White space around a sentence, such as the ``\r`` of a Windows file, is no part of it.
    join : str, optional
        What stands between two sentences of a paragraph in the document's text. By default a blank, and nothing
        between Chinese or Japanese sentences. ``"\n"`` keeps the text of the file as it is.
    blank_line : {"paragraph", "document"}
        What a blank line begins. Paragraphs stand ``"\n\n"`` apart in the text.

    Yields
    ------
    dict
        One document; its id is the name of the file, with a number where blank lines begin documents.
    """
    if blank_line not in ("paragraph", "document"):
        raise ValueError(f"blank_line is {blank_line!r}; expected 'paragraph' or 'document'.")
    if blank_line == "paragraph":
        text = read_text(path)
        row = _as_is(text) if join == "\n" else _joined(_paragraphs(text.split("\n")), join)
        if row["sentences"]:
            yield {"id": document_id(path), **row}
        return
    for number, lines in enumerate(_paragraphs(line for _, line in iter_lines(path)), start=1):
        yield {"id": f"{document_id(path)}-{number:04d}", **_joined([lines], join)}


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for index, line in enumerate(lines):
        start, end = trim(line, 0, len(line)) if index == 0 else (0, len(line))
        sentence = line[start:end].strip(WHITE_SPACE)
        if sentence:
            paragraph.append(sentence)
        elif paragraph:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _joined(paragraphs: Iterable[list[str]], join: str | None) -> Row:
    pieces: list[str] = []
    sentences: list[list[int]] = []
    length = 0
    for paragraph in paragraphs:
        for index, sentence in enumerate(paragraph):
            gap = _gap(paragraph[index - 1], sentence, join) if index else PARAGRAPH if sentences else ""
            length += len(gap)
            sentences.append([length, length + len(sentence)])
            pieces += (gap, sentence)
            length += len(sentence)
    return {"text": "".join(pieces), "sentences": sentences}


def _as_is(text: str) -> Row:
    sentences = []
    position = 0
    for line in text.split("\n"):
        start, end = trim(text, position, position + len(line))
        if start < end:
            sentences.append([start, end])
        position += len(line) + 1
    return {"text": text, "sentences": sentences}


def _gap(before: str, after: str, join: str | None) -> str:
    if join is not None:
        return join
    return "" if _is_ideographic(reversed(before)) or _is_ideographic(after) else " "


def _is_ideographic(characters: Iterable[str]) -> bool:
    """Tell whether the first letter is Chinese or Japanese; digits, marks and quotes do not tell the script."""
    for character in characters:
        bits = class_of(character)
        if bits & LETTER:
            return bool(bits & IDEOGRAPH)
    return False


def write_sentence_lines(
    rows: Iterable[Row], path: str | os.PathLike[str], *, join: str | None = None, blank_line: str = "paragraph"
) -> None:
    r"""Write one sentence a line.

    Parameters
    ----------
    rows : iterable of dict
        One document; several with ``blank_line="document"``. Ids are not kept.
    path : str or path-like
        Where the file goes.
    join, blank_line : str
        As in `iter_sentence_lines`, which must be given the same to get the documents back.

    Raises
    ------
    CorpusFormatError
        If reading the file again would give another text or other sentences.
    """
    with open_atomically(path) as file:
        for index, row in enumerate(rows):
            refuse = refuser(row, "one sentence a line")
            if index and blank_line != "document":
                refuse('a file holds one document: pass blank_line="document", or write one file a document.')
            file.write("\n" * bool(index) + _as_lines(row, join, blank_line, refuse))


def _as_lines(row: Row, join: str | None, blank_line: str, refuse: Callable[[str], NoReturn]) -> str:
    check_coverage(row, refuse)
    text, sentences = row["text"], row["sentences"]
    if join == "\n" and blank_line == "paragraph":
        _check_same(row, _as_is(text), refuse)
        return text
    lines: list[str] = []
    previous = 0
    for start, end in sentences:
        if lines and PARAGRAPH in text[previous:start]:
            lines.append("")
        lines.append(text[start:end])
        previous = end
    rendered = "\n".join(lines) + "\n"
    paragraphs = list(_paragraphs(rendered.split("\n")))
    if blank_line == "document" and len(paragraphs) > 1:
        refuse("it has several paragraphs, but blank lines begin documents here.")
    _check_same(row, _joined(paragraphs, join), refuse)
    return rendered


def _check_same(row: Row, again: Row, refuse: Callable[[str], NoReturn]) -> None:
    """Refuse what would not be read again as it was; the message shows the first place."""
    if again["text"] != row["text"]:
        pairs = zip_longest(again["text"], row["text"])
        place = next(place for place, (mine, other) in enumerate(pairs) if mine != other)
        shown = shorten(row["text"][max(0, place - 20) : place + 20])
        refuse(f"its text would not be read again as it is, from character {place} on (near {shown}).")
    for mine, other in zip_longest(row["sentences"], again["sentences"]):
        if mine != other:
            refuse(f"its sentence {mine} would be read again as {other}.")


# ------------------------------------------------------------------------------------------------------ marked text


def iter_marked(
    path: str | os.PathLike[str], *, marker: str = MARKER, document_marker: str | None = None
) -> Iterator[Row]:
    """Stream the documents of a text with a marker between its sentences.

    Parameters
    ----------
    path : str or path-like
        The file. Its text without the markers is the text of the document; white space around sentences belongs to
        the text but to no sentence.
    marker : str
        Stands between sentences; markers before the first and after the last sentence do no harm.
    document_marker : str, optional
        Stands between documents. By default a file is one document.

    Yields
    ------
    dict
        One document; its id is the name of the file, with a number where there is a `document_marker`.
    """
    _check_marker(marker)
    text = read_text(path)
    if document_marker is None:
        row = _unmarked(text, marker)
        if row["sentences"]:
            yield {"id": document_id(path), **row}
        return
    _check_marker(document_marker)
    rows = (_unmarked(part, marker) for part in text.split(document_marker))
    for number, row in enumerate((row for row in rows if row["sentences"]), start=1):
        yield {"id": f"{document_id(path)}-{number:04d}", **row}


def _check_marker(marker: str) -> None:
    if not marker:
        raise ValueError("A marker is empty; expected a string that stands between sentences or documents.")


def _unmarked(marked: str, marker: str) -> Row:
    pieces = marked.split(marker)
    text = "".join(pieces)
    sentences = []
    position = 0
    for piece in pieces:
        start, end = trim(text, position, position + len(piece))
        if start < end:
            sentences.append([start, end])
        position += len(piece)
    return {"text": text, "sentences": sentences}


def write_marked(
    rows: Iterable[Row], path: str | os.PathLike[str], *, marker: str = MARKER, document_marker: str | None = None
) -> None:
    """Write text with a marker after each sentence but the last.

    Parameters
    ----------
    rows : iterable of dict
        One document; several with a `document_marker`. Ids are not kept.
    path : str or path-like
        Where the file goes.
    marker, document_marker : str
        As in `iter_marked`, which must be given the same to get the documents back.

    Raises
    ------
    CorpusFormatError
        If reading the file again would give another text or other sentences, for example because the text holds
        the marker.
    """
    _check_marker(marker)
    with open_atomically(path) as file:
        for index, row in enumerate(rows):
            refuse = refuser(row, "marked text")
            if index and document_marker is None:
                refuse("a file holds one document: pass document_marker, or write one file a document.")
            rendered = _as_marked(row, marker, refuse)
            if document_marker is not None and (rendered + document_marker).find(document_marker) < len(rendered):
                refuse(f"its text holds the document marker {document_marker!r} or a part of it at its end.")
            file.write((document_marker or "") * bool(index) + rendered)


def _as_marked(row: Row, marker: str, refuse: Callable[[str], NoReturn]) -> str:
    check_coverage(row, refuse)
    text, sentences = row["text"], row["sentences"]
    ends = [0, *(end for _, end in sentences[:-1]), len(text)]
    rendered = marker.join(text[start:end] for start, end in pairwise(ends))
    _check_same(row, _unmarked(rendered, marker), refuse)
    return rendered


# --------------------------------------------------------------------------------------------------------- raw text


def iter_text(path: str | os.PathLike[str], *, unit: str = "file") -> Iterator[Row]:
    r"""Stream raw text without labels.

    Parameters
    ----------
    path : str or path-like
        The file.
    unit : {"file", "paragraph", "line"}
        What becomes a document. Paragraphs are separated by blank lines; blank lines are no documents. Lines and
        paragraphs are streamed and come without their last ``\n``.

    Yields
    ------
    dict
        "id" and "text" only; the text is unchanged.
    """
    if unit not in ("file", "paragraph", "line"):
        raise ValueError(f"unit is {unit!r}; expected 'file', 'paragraph' or 'line'.")
    if unit == "file":
        text = read_text(path)
        if text:
            yield {"id": document_id(path), "text": text}
        return
    block: list[str] = []
    first = 1
    for number, line in chain(iter_lines(path), [(0, "")]):
        if block and (unit == "line" or not line.strip(WHITE_SPACE)):
            yield {"id": f"{document_id(path)}-{first:04d}", "text": "\n".join(block)}
            block = []
        if line.strip(WHITE_SPACE):
            first = first if block else number
            block.append(line)


def write_text(rows: Iterable[Row], path: str | os.PathLike[str], *, unit: str = "file") -> None:
    """Write the texts of documents without their labels.

    Parameters
    ----------
    rows : iterable of dict
        One document; several where `unit` separates them. Ids and labels are not kept.
    path : str or path-like
        Where the file goes.
    unit : {"file", "paragraph", "line"}
        As in `iter_text`.

    Raises
    ------
    CorpusFormatError
        If a text holds what separates documents.
    """
    separator = {"file": "", "line": "\n", "paragraph": PARAGRAPH}[unit]
    with open_atomically(path) as file:
        for index, row in enumerate(rows):
            refuse = refuser(row, f"raw text by {unit}")
            text = row["text"]
            if index and unit == "file":
                refuse("a file holds one document: pass unit=, or write one file a document.")
            blank = [not line.strip(WHITE_SPACE) for line in text.split("\n")]
            if unit != "file" and (any(blank) or (unit == "line" and len(blank) > 1)):
                refuse("its text holds the line break or blank line that separates documents.")
            file.write(separator * bool(index) + text)
