"""Rows -> CoNLL-U; the format and its conventions stand in `textprep_ml.corpora.conllu`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from textprep_ml._files import document_id, open_atomically
from textprep_ml.corpora._rows import WHITE_SPACE, Row, refuser, shorten
from textprep_ml.corpora.conllu import ESCAPES, PARAGRAPH, TOKEN_COLUMNS, word_spans

_SOLID = re.compile(f"[^{WHITE_SPACE}]+")
_TO_BLANKS = dict.fromkeys(map(ord, WHITE_SPACE), " ")
_ESCAPED = {character: escape for escape, character in ESCAPES.items()}

Refuse = Callable[[str], NoReturn]


def write_conllu(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Write documents as CoNLL-U.

    Parameters
    ----------
    rows : iterable of dict
        Documents with the columns that `iter_conllu` gives. Where "tokens" is missing, runs of characters between
        white space become the tokens; other missing columns become ``_``, and missing sentence ids are made of the
        document's.
    path : str or path-like
        Where the file goes.

    Raises
    ------
    CorpusFormatError
        If the columns contradict each other, or there is text outside of tokens.
    """
    with open_atomically(path) as file:
        for number, row in enumerate(rows, start=1):
            named = {"id": f"{document_id(path)}-{number:04d}"} | row
            file.writelines(line + "\n" for line in _render(named, refuser(named, "CoNLL-U")))


@dataclass
class _Surface:
    """A token to write: its span and the first six columns of its words, without the number."""

    start: int
    end: int
    words: list[list[str]]


def _render(row: Row, refuse: Refuse) -> Iterator[str]:
    text, sentences = row["text"], row.get("sentences") or []
    names = _sentence_names(row, refuse)
    surfaces = _surfaces(row, refuse) if "tokens" in row else _blank_separated(text, sentences)
    gaps = _gaps(text, surfaces, refuse)
    if not surfaces:
        refuse("it has no sentences.")
    yield f"# newdoc id = {_checked(row['id'], refuse)}"
    position = 0
    for (start, end), name in zip(sentences, names, strict=True):
        first = position
        while position < len(surfaces) and surfaces[position].start < end:
            position += 1
        inside = surfaces[first:position]
        if not inside or inside[0].start != start or inside[-1].end != end:
            refuse(f"the sentence [{start}, {end}) does not start and end with a token.")
        if not first or gaps[first] == PARAGRAPH:
            yield "# newpar"
        if name:
            yield f"# sent_id = {name}"
        forms = [_form(text[token.start : token.end]) for token in inside]
        between = [" " if gap else "" for gap in gaps[first + 1 : position]] + [""]
        yield "# text = " + "".join(form + gap for form, gap in zip(forms, between, strict=True))
        number = 1
        for index, token in enumerate(inside, start=first):
            yield from _token_lines(token, number, text, _misc(text, token, gaps, index, index + 1 == position))
            number += len(token.words)
        yield ""
    if position < len(surfaces):
        refuse(f"the token at character {surfaces[position].start} is in no sentence.")


def _checked(value: str, refuse: Refuse) -> str:
    if not isinstance(value, str) or not value or value != value.strip(WHITE_SPACE) or "\n" in value:
        refuse(
            f"{shorten(value)} cannot be the id of a document or sentence: "
            "it is empty, or has a line break or white space around it."
        )
    return value


def _sentence_names(row: Row, refuse: Refuse) -> list[str]:
    count = len(row.get("sentences") or [])
    names = row.get("sent_ids")
    if names is None:
        return [f"{row['id']}-{number:04d}" for number in range(1, count + 1)]
    if len(names) != count:
        refuse(f"it has {count} sentences but {len(names)} sent_ids.")
    return [_checked(name, refuse) if name else "" for name in names]


def _blank_separated(text: str, sentences: list[list[int]]) -> list[_Surface]:
    return [
        _Surface(match.start(), match.end(), [[match[0], *["_"] * (len(TOKEN_COLUMNS) - 1)]])
        for start, end in sentences
        for match in _SOLID.finditer(text, start, end)
    ]


def _surfaces(row: Row, refuse: Refuse) -> list[_Surface]:
    text, tokens = row["text"], [list(span) for span in row["tokens"]]
    columns = [row.get(name, ["_"] * len(tokens)) for name in TOKEN_COLUMNS]
    if "forms" not in row:
        columns[0] = [text[start:end] for start, end in tokens]
    for name, values in zip(TOKEN_COLUMNS, columns, strict=True):
        if len(values) != len(tokens):
            refuse(f"it has {len(tokens)} tokens but {len(values)} {name}.")
        for value in values:
            if not value or "\t" in value or "\n" in value:
                refuse(f"{name} holds {shorten(value)}, which is empty or has a tab or line break.")
    words = [list(word) for word in zip(*columns, strict=True)]
    ends = dict(row.get("multiword_tokens", []))
    surfaces = []
    first = 0
    while first < len(tokens):
        end = ends.pop(first, first + 1)
        if not first < end <= len(tokens):
            refuse(f"the multiword token [{first}, {end}) is out of range: it has {len(tokens)} tokens.")
        surface = _Surface(tokens[first][0], tokens[end - 1][1], words[first:end])
        _check_words(text, tokens[first:end], surface, refuse)
        surfaces.append(surface)
        first = end
    if ends:
        refuse(f"the multiword token at {min(ends)} overlaps another one or is out of range.")
    return surfaces


def _check_words(text: str, spans: list[list[int]], surface: _Surface, refuse: Refuse) -> None:
    shown = text[surface.start : surface.end]
    forms = [word[0] for word in surface.words]
    if shown != shown.strip(WHITE_SPACE) or not shown:
        refuse(f"the token [{surface.start}, {surface.end}) is empty or has white space around it: {shorten(shown)}.")
    if len(forms) == 1 and forms[0] != _form(shown):
        refuse(f"the form {shorten(forms[0])} is not what the text has at character {surface.start}: {shorten(shown)}.")
    if spans != word_spans(surface.start, shown, forms):
        refuse(f"the words {shorten(forms)} of the token {shorten(shown)} have other spans than their forms say.")


def _gaps(text: str, surfaces: list[_Surface], refuse: Refuse) -> list[str]:
    """Give the white space before each token and after the last one."""
    ends = [0, *(token.end for token in surfaces)]
    starts = [*(token.start for token in surfaces), len(text)]
    for end, start in zip(ends, starts, strict=True):
        if start < end:
            refuse(f"the tokens around character {start} overlap or are not sorted.")
        if text[end:start].strip(WHITE_SPACE):
            refuse(f"there is text outside of tokens between characters {end} and {start}: {shorten(text[end:start])}.")
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _form(surface: str) -> str:
    return surface.translate(_TO_BLANKS)


def _misc(text: str, token: _Surface, gaps: list[str], index: int, ends_sentence: bool) -> str:
    surface = text[token.start : token.end]
    parts = []
    if index == 0 and gaps[0]:
        parts.append(f"SpacesBefore={_escape(gaps[0])}")
    if _form(surface) != surface:
        parts.append(f"SpacesInToken={_escape(surface)}")
    after = gaps[index + 1]
    if index + 2 == len(gaps):
        parts += [f"SpacesAfter={_escape(after)}"] * bool(after)
    elif not after:
        parts.append("SpaceAfter=No")
    elif after != " " and not (ends_sentence and after == PARAGRAPH):
        parts.append(f"SpacesAfter={_escape(after)}")
    return "|".join(parts) or "_"


def _escape(value: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in value)


def _token_lines(token: _Surface, number: int, text: str, misc: str) -> Iterator[str]:
    syntax = ["_", "_", "_"]
    if len(token.words) == 1:
        yield "\t".join([str(number), *token.words[0], *syntax, misc])
        return
    surface = _form(text[token.start : token.end])
    yield "\t".join([f"{number}-{number + len(token.words) - 1}", surface, "_", "_", "_", "_", *syntax, misc])
    for offset, word in enumerate(token.words):
        yield "\t".join([str(number + offset), *word, *syntax, "_"])
