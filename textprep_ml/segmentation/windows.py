"""Long text in windows: bounded memory for files and pipes of any length, cut where no sentence is torn.

A text of up to `WINDOW_BYTES` is one window, so that it is segmented as a whole. A longer one is cut into windows of
that size, each at the last safe place in its second half: after a blank line; else after a line break; else after a
blank; else between two characters. Behind a blank line a sentence always starts, at the other places one may go on:
there the caller gives the last, possibly torn sentence back with `Window.give_back`, and it opens the next window.

What a model learns from the text itself (how a word is written elsewhere in it) it learns from one window. A compiled
model without normalizer and policies needs no windows: `streams` finds the sentences of the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from textprep_ml._files import BYTE_ORDER_MARK, PathLike, decode, display_name, open_binary
from textprep_ml.exceptions import CorpusFormatError

#: Size of a window.
WINDOW_BYTES = 1 << 20

_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_MARK = BYTE_ORDER_MARK.encode()

#: Sentences of a text, in characters.
Spans = list[tuple[int, int]]

#: From texts to the sentences of each.
Segment = Callable[[list[str]], list[Spans]]


@dataclass
class Window:
    """A part of a text.

    Attributes
    ----------
    name : str
        The file, as messages name it.
    text : str
        The part.
    start : int
        Where it starts in the text, in characters.
    is_last : bool
        Whether the text ends with it.
    ends : {"text", "blank line", "line", "blank", "character"}
        What it was cut after.
    problem : str
        Why there is no text, where the file is damaged and `read_windows` is tolerant.
    """

    name: str
    text: str
    start: int = 0
    is_last: bool = True
    ends: str = "text"
    problem: str = ""
    kept: int = field(default=-1, init=False)

    def give_back(self, position: int) -> None:
        """End this window earlier, and let the next one start there.

        Parameters
        ----------
        position : int
            Where in `text` the next window starts; greater than 0.
        """
        self.kept = position
        self.text = self.text[:position]


def read_windows(
    paths: Iterable[PathLike],
    size: int = WINDOW_BYTES,
    *,
    tolerant: bool = False,
    watch: Callable[[int], None] | None = None,
) -> Iterator[Window]:
    """Read files in windows.

    Parameters
    ----------
    paths : iterable of str or Path
        File names or ``-``; none means standard input.
    size : int
        Bytes of a window.
    tolerant : bool, default=False
        Give a window that is not UTF-8 as one without text, whose `problem` tells what is wrong.
    watch : callable, optional
        Called with the number of bytes each time some were read from a file.

    Yields
    ------
    Window
        One after another; at least one for each file. What `Window.give_back` says counts until the next is taken.

    Raises
    ------
    CorpusFormatError
        If a file is not UTF-8; the message has line and byte.
    """
    for path in paths or ["-"]:
        with open_binary(path, watch) as file:
            yield from _windows_of(file, path, size, tolerant)


def _windows_of(file: BinaryIO, path: PathLike, size: int, tolerant: bool) -> Iterator[Window]:
    name = display_name(path)
    rest = file.read(len(_MARK)).removeprefix(_MARK)
    start, carried = 0, ""
    line, byte = 1, 0
    while True:
        data = rest + file.read(max(1, size - len(rest)))
        ahead = file.read(1)  # tells whether the text goes on
        cut, ends = find_cut(data) if ahead else (len(data), "text")
        try:
            text = carried + decode(data[:cut], path, line, byte)
            window = Window(name, text, start, not ahead, ends)
        except CorpusFormatError as error:
            if not tolerant:
                raise
            if carried:
                yield Window(name, carried, start, False)
            start, text = start + len(carried), data[:cut].decode("utf-8", "replace")
            window = Window(name, "", start, not ahead, problem=str(error))
        yield window
        if window.is_last:
            return
        rest = data[cut:] + ahead
        kept = window.kept if window.kept > 0 else len(text)
        carried = text[kept:]
        start += kept
        newline = data.rfind(b"\n", 0, cut)
        line, byte = line + data.count(b"\n", 0, cut), byte + cut if newline < 0 else cut - newline - 1


def find_cut(data: bytes) -> tuple[int, str]:
    """Find the last safe place in the second half of a block.

    Parameters
    ----------
    data : bytes
        UTF-8; what follows may belong to the last character.

    Returns
    -------
    position : int
        Where to cut, more than 0.
    ends : str
        What stands before it, as in `Window`.
    """
    half = len(data) // 2
    position = 0
    for blank_line in _BLANK_LINE.finditer(data, half):
        position = blank_line.end()
    if position:
        return position, "blank line"
    for mark, ends in ((b"\n", "line"), (b" ", "blank")):
        position = data.rfind(mark, half) + 1
        if position:
            return position, ends
    return find_character_end(data), "character"


def find_character_end(data: bytes) -> int:
    """Find where the last character that may be whole ends.

    Parameters
    ----------
    data : bytes
        UTF-8; what follows may belong to the last character.

    Returns
    -------
    int
        Where to cut, more than 0.
    """
    # Back to the first byte of a character: at most three bytes, or it is no UTF-8 and `decode` will say so.
    position = len(data)
    while position > max(1, len(data) - 3) and data[position - 1] & 0xC0 == 0x80:
        position -= 1
    return position - 1 if position > 1 and data[position - 1] >= 0xC0 else len(data)


def segment_windows(
    windows: Iterable[Window], segment: Segment, newline: str, batch_characters: int = WINDOW_BYTES
) -> Iterator[tuple[Window, Spans]]:
    """Find the sentences of texts that come in windows.

    Parameters
    ----------
    windows : iterable of Window
        Of one text after another.
    segment : callable
        Takes a list of texts, gives the spans of each.
    newline : str
        What line breaks mean.
    batch_characters : int
        So many are segmented at a time, where threads share the work.

    Yields
    ------
    window : Window
        Its text ends where the next window starts.
    spans : list of (int, int)
        Sentences, in characters of its text.
    """
    certain = {"text"} | ({"blank line"} if newline != "soft" else set()) | ({"line"} if newline == "hard" else set())
    batch: list[Window] = []
    size = 0
    for window in windows:
        batch.append(window)
        size += len(window.text)
        if window.ends in certain and size < batch_characters:
            continue
        found = segment([each.text for each in batch])
        if window.ends not in certain:
            _give_back_last(window, found[-1])
        yield from zip(batch, found, strict=True)
        batch, size = [], 0
    yield from zip(batch, segment([each.text for each in batch]), strict=True)


def _give_back_last(window: Window, spans: Spans) -> None:
    """Leave a sentence that may go on to the next window, unless it fills this one."""
    if len(spans) < 2 or len(window.text) - spans[-1][0] > WINDOW_BYTES:
        return
    position, _ = spans.pop()
    window.give_back(position)
