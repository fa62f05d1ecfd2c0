r"""CoNLL-U: sentences of tokens with their tags, put back into running text.

The format is that of Universal Dependencies (https://universaldependencies.org/format.html), with the extension of
MISC by ``SpacesBefore``, ``SpacesAfter`` and ``SpacesInToken`` for white space other than one blank, where ``\s``,
``\t``, ``\r``, ``\n``, ``\p`` (a bar) and ``\\`` are escapes. How documents are put together:

- ``# newdoc`` begins a document; a file without it is one document.
- ``# newpar`` begins a paragraph, two newlines after the one before.
- Other sentences follow after a blank, or after nothing where the last token says ``SpaceAfter=No``.
- ``SpacesAfter`` wins over all of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise, takewhile

from textprep_ml._files import BYTE_ORDER_MARK, decode, document_id, fail, iter_raw_lines
from textprep_ml.corpora._rows import WHITE_SPACE, Row, shorten

#: Columns of a line.
COLUMNS = 10
#: Columns of a row that run parallel to "tokens", with their places in the line.
TOKEN_COLUMNS = {"forms": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5}

#: Stands between paragraphs.
PARAGRAPH = "\n\n"

_MARK = BYTE_ORDER_MARK.encode()

_ID = re.compile(r"([1-9][0-9]*)|([1-9][0-9]*)-([1-9][0-9]*)|([0-9]+)\.([1-9][0-9]*)")
#: How white space and bars are written in MISC.
ESCAPES = {r"\s": " ", r"\t": "\t", r"\r": "\r", r"\n": "\n", r"\p": "|", r"\\": "\\"}


@dataclass
class _Token:
    """A surface token with its words: one, or several where it is a multiword token."""

    line: int
    form: str
    surface: str
    before: str
    after: str
    explicit: bool
    words: list[list[str]] = field(default_factory=list)


@dataclass
class _Sentence:
    line: int
    sent_id: str = ""
    text: str | None = None
    newdoc: str | None = None
    newpar: bool = False
    tokens: list[_Token] = field(default_factory=list)


def iter_conllu(path: str | os.PathLike[str]) -> Iterator[Row]:
    """Stream the documents of a CoNLL-U file.

    Parameters
    ----------
    path : str or path-like
        The file.

    Yields
    ------
    dict
        "id", "text", "sentences"; "tokens", the spans of the words; parallel to them "forms", "lemmas", "upos",
        "xpos" and "feats" as they stand in the file (``_`` for nothing); "multiword_tokens", pairs ``[first,
        end)`` of indices into "tokens"; and "sent_ids". The words of a multiword token have spans of their own
        where their forms add up to it (do + n't), else they all have its span (zu + dem: zum). Empty nodes and
        syntax are left out.

    Raises
    ------
    CorpusFormatError
        If a line breaks the format, or a ``# text`` is not what the tokens say.
    """
    document: _Document | None = None
    number = 0
    for block in iter_blocks(path):
        sentence = _parse(block, path)
        if document is None or sentence.newdoc is not None:
            if document is not None:
                yield document.row()
            number += 1
            numbered = document_id(path) if sentence.newdoc is None else f"{document_id(path)}-{number:04d}"
            document = _Document(sentence.newdoc or numbered)
        document.add(sentence)
    if document is not None:
        yield document.row()


# ----------------------------------------------------------------------------------------------- lines -> sentences


Block = list[tuple[int, bytes]]


def iter_blocks(path: str | os.PathLike[str]) -> Iterator[Block]:
    """Stream the sentences of a CoNLL-U file as they stand there.

    Parameters
    ----------
    path : str or path-like
        The file.

    Yields
    ------
    list of (int, bytes)
        The lines between two empty ones, with their numbers.
    """
    block: Block = []
    for number, line in iter_raw_lines(path):
        line = line.removesuffix(b"\r")
        if number == 1:
            line = line.removeprefix(_MARK)
        if line:
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def check_block(block: Block, path: str | os.PathLike[str], column: str | None = None) -> None:
    """Refuse the lines of a sentence where they break the format.

    Parameters
    ----------
    block : list of (int, bytes)
        As `iter_blocks` gives it.
    path : str or path-like
        The file, for messages.
    column : str, optional
        A key of `TOKEN_COLUMNS` that every word has to have.

    Raises
    ------
    CorpusFormatError
        The message has file and line.
    """
    for token in _parse(block, path).tokens:
        for word in token.words if column in TOKEN_COLUMNS else ():
            if word[TOKEN_COLUMNS[str(column)]] == "_":
                fail(path, token.line, f"{shorten(word[1])} has no {column} tag.")


def opening_comments(block: Block) -> list[bytes]:
    """Give the comments that open a document or paragraph; they hold for what follows, whatever the sentence is worth.

    Parameters
    ----------
    block : list of (int, bytes)
        As `iter_blocks` gives it; may break the format.

    Returns
    -------
    list of bytes
        Lines. A document whose name is not UTF-8 has none.
    """
    found = []
    for _, line in takewhile(lambda numbered: numbered[1].startswith(b"#"), block):
        mark = _Sentence(0)
        _read_comment(mark, line.decode("utf-8", "replace"))
        if mark.newdoc is not None:
            found.append(b"# newdoc" if "\ufffd" in mark.newdoc else line)
        elif mark.newpar:
            found.append(line)
    return found


def _parse(block: Block, path: str | os.PathLike[str]) -> _Sentence:
    lines = [(number, decode(line, path, number)) for number, line in block]
    sentence = _Sentence(lines[0][0])
    comments = 0
    while comments < len(lines) and lines[comments][1].startswith("#"):
        _read_comment(sentence, lines[comments][1])
        comments += 1
    if comments == len(lines):
        fail(path, sentence.line, "comments without a sentence; comments stand right above the tokens.")
    _read_tokens(sentence, lines[comments:], path)
    if sentence.text is not None:
        _align(sentence, path)
    return sentence


def _read_comment(sentence: _Sentence, line: str) -> None:
    key, equals, value = (part.strip(" ") for part in line[1:].partition("="))
    if key == "text" and equals:
        sentence.text = value
    elif key == "sent_id":
        sentence.sent_id = value
    elif key in ("newdoc", "newdoc id"):
        sentence.newdoc = value
    elif key in ("newpar", "newpar id"):
        sentence.newpar = True


def _read_tokens(sentence: _Sentence, lines: list[tuple[int, str]], path: str | os.PathLike[str]) -> None:
    word = last_of_range = 0
    for number, line in lines:
        complain = partial(fail, path, number)
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            complain(f"expected {COLUMNS} columns with tabs between, but found {len(columns)}: {shorten(line)}.")
        match = _ID.fullmatch(columns[0])
        if match is None:
            complain(f"{shorten(columns[0])} is no word number, range (1-2) or empty node (1.1).")
        if not columns[1]:
            complain("the form is empty.")
        single, first, last, before_empty, _ = match.groups()
        if before_empty is not None:
            if int(before_empty) != word:
                complain(f"the empty node {columns[0]} stands after word {word}.")
            continue
        if int(single or first) != word + 1:
            complain(f"{columns[0]} stands where word {word + 1} should.")
        if first is not None:
            if word < last_of_range or int(last) <= int(first):
                complain(f"the range {columns[0]} is empty or inside another one.")
            last_of_range = int(last)
            sentence.tokens.append(_token(columns, number))
            continue
        word += 1
        if word > last_of_range:
            sentence.tokens.append(_token(columns, number))
        sentence.tokens[-1].words.append(columns)
    if word < last_of_range:
        fail(
            path,
            lines[-1][0],
            f"the sentence ends at word {word}, inside a multiword token that lasts to {last_of_range}.",
        )


def _token(columns: list[str], line: int) -> _Token:
    if columns[9] == "_":
        return _Token(line, columns[1], columns[1], "", " ", False)
    misc = dict(pair.partition("=")[::2] for pair in columns[9].split("|"))
    explicit = "SpacesAfter" in misc
    after = _unescape(misc["SpacesAfter"]) if explicit else "" if misc.get("SpaceAfter") == "No" else " "
    surface = _unescape(misc["SpacesInToken"]) if "SpacesInToken" in misc else columns[1]
    return _Token(line, columns[1], surface, _unescape(misc.get("SpacesBefore", "")), after, explicit)


def _unescape(value: str) -> str:
    return re.sub(r"\\[strnp\\]", lambda match: ESCAPES[match[0]], value)


def _align(sentence: _Sentence, path: str | os.PathLike[str]) -> None:
    """Walk along ``# text`` with the tokens; white space that it shows between them is taken over."""
    text = sentence.text or ""
    position = 0
    for index, token in enumerate(sentence.tokens):
        complain = partial(fail, path, token.line)
        if not text.startswith(token.form, position):
            complain(
                f"the token {shorten(token.form)} is not what # text has at character {position}: "
                f"{shorten(text[position:])}."
            )
        position += len(token.form)
        rest = text[position:]
        gap = rest[: len(rest) - len(rest.lstrip(WHITE_SPACE))]
        position += len(gap)
        if token.explicit or index == len(sentence.tokens) - 1:
            continue
        if bool(gap) != bool(token.after):
            has, says = ("no white space", "has no") if token.after else ("white space", "has")
            complain(f"# text has {has} after {shorten(token.form)}, but the token {says} SpaceAfter=No.")
        token.after = gap
    if position < len(text):
        fail(path, sentence.line, f"# text goes on after the last token: {shorten(text[position:])}.")


# ------------------------------------------------------------------------------------------- sentences -> documents


def word_spans(start: int, surface: str, forms: list[str]) -> list[list[int]]:
    """Give the spans of the words of a token: pieces of it where the forms add up to it, else the whole token."""
    if len(forms) == 1 or "".join(forms) != surface:
        return [[start, start + len(surface)] for _ in forms]
    ends = list(accumulate(map(len, forms), initial=start))
    return [list(span) for span in pairwise(ends)]


class _Document:
    """Puts the sentences of one document together."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pieces: list[str] = []
        self.length = 0
        self.after: _Token | None = None
        self.sentences: list[list[int]] = []
        self.sent_ids: list[str] = []
        self.tokens: list[list[int]] = []
        self.multiword: list[list[int]] = []
        self.columns: dict[str, list[str]] = {name: [] for name in TOKEN_COLUMNS}

    def write(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def add(self, sentence: _Sentence) -> None:
        if self.after is not None:
            self.write(PARAGRAPH if sentence.newpar and not self.after.explicit else self.after.after)
        for index, token in enumerate(sentence.tokens):
            self.write((sentence.tokens[index - 1].after if index else "") + token.before)
            if not index:
                start = self.length
            self.add_words(token)
            self.write(token.surface)
        self.after = sentence.tokens[-1]
        self.sentences.append([start, self.length])
        self.sent_ids.append(sentence.sent_id)

    def add_words(self, token: _Token) -> None:
        forms = [word[1] for word in token.words]
        if len(forms) > 1:
            self.multiword.append([len(self.tokens), len(self.tokens) + len(forms)])
        self.tokens += word_spans(self.length, token.surface, forms)
        for name, column in TOKEN_COLUMNS.items():
            self.columns[name] += [word[column] for word in token.words]

    def row(self) -> Row:
        if self.after is not None and self.after.explicit:
            self.write(self.after.after)
        return {
            "id": self.name,
            "text": "".join(self.pieces),
            "sentences": self.sentences,
            "tokens": self.tokens,
            **self.columns,
            "multiword_tokens": self.multiword,
            "sent_ids": self.sent_ids,
        }
