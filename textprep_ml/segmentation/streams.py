"""Texts of any length through a compiled model, in bounded memory, with the sentences of the whole text.

A model learns from the text itself: how a word is written elsewhere in it, how long its lines are. So a file of more
than `SHORT_BYTES` is read twice, block by block: what it says of itself is collected, then its boundaries are decided.
Blocks end after white space and leave no trace, since the kernel goes on from one to the next; a run without white
space is read whole, however long it is. Of the words of a text the first two million different ones are counted, in one
call on the whole text as well.

A pipe can be read only once. It is read in windows of `SHORT_BYTES`, less what stands after the last white space in
them, and each is decided by what the text has said up to its end, however the bytes arrive. Its last twelve tokens wait
for the next window, since a decision looks ahead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from textprep_ml._files import BYTE_ORDER_MARK, PathLike, decode, display_name, open_binary
from textprep_ml._parallel import count_jobs, map_documents
from textprep_ml.segmentation.runtime import BoundaryModel, join_boundaries
from textprep_ml.segmentation.windows import Spans, Window, find_character_end

#: A text that is no longer is segmented in one call; a pipe is decided in windows of this size.
SHORT_BYTES = 1 << 20

#: What is read at a time of a longer file: little, since there are several copies of it on the way to the output.
BLOCK_BYTES = 1 << 16

#: A window of a longer text holds whole sentences; it has more characters only if its one sentence has.
WINDOW_CHARACTERS = 1 << 18

#: Texts of that size that are segmented together, for each thread.
_SHORT_PER_JOB = 4

_MARK = BYTE_ORDER_MARK.encode()

#: A piece of a text, and whether it is the last one.
Piece = tuple[str, bool]


def find_sentences(
    paths: Iterable[PathLike], model: BoundaryModel, n_jobs: int = 1, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[Window, Spans]]:
    """Find the sentences of files, each of which is one text.

    Parameters
    ----------
    paths : iterable of str or Path
        File names or ``-``; none means standard input.
    model : BoundaryModel
        With a scorer.
    n_jobs : int
        Threads, which share short texts; a long one needs a single thread.
    block_bytes : int
        What is read at a time of a long file. Nothing that is found depends on it.

    Yields
    ------
    window : Window
        A text, or a part of a long one: from the beginning of a sentence to that of another, `WINDOW_CHARACTERS` at
        most unless one sentence is longer.
    spans : list of (int, int)
        Its sentences, in characters of its text.

    Raises
    ------
    CorpusFormatError
        If a file is not UTF-8; the message has line and byte.
    """
    jobs = count_jobs(n_jobs)
    most = _SHORT_PER_JOB * SHORT_BYTES * jobs if jobs > 1 else 0
    short: list[Window] = []
    n_characters = 0  # of the short texts
    for path in paths or ["-"]:
        with open_binary(path) as file:
            begin = _place_of(file, path)
            pieces = read_pieces(file, path, SHORT_BYTES)
            first = next(pieces)
            text, is_last = first
            is_short = is_last and len(text) <= SHORT_BYTES  # not so if all of it is one run
            if is_short:
                short.append(Window(display_name(path), text))
                n_characters += len(text)
                if n_characters < most:
                    continue
            yield from _segment_short(short, model, n_jobs)
            short, n_characters = [], 0
            if not is_short:
                if begin is None:
                    decided = _decide_once(model.stream(), chain([first], pieces))
                else:
                    decided = _decide_after_all(model.stream(), file, path, begin, block_bytes)
                del first, text, pieces  # which hold text that may be long
                yield from cut_windows(display_name(path), decided)
    yield from _segment_short(short, model, n_jobs)


def _segment_short(windows: list[Window], model: BoundaryModel, n_jobs: int) -> Iterator[tuple[Window, Spans]]:
    found = map_documents(model.spans, [window.text for window in windows], n_jobs)
    for window, spans in zip(windows, found, strict=True):
        yield window, spans.tolist()


def _place_of(file: BinaryIO, path: PathLike) -> int | None:
    """Tell where a file begins, if it can be read again from there; standard input may be one."""
    if os.fspath(path) != "-":
        return 0 if os.path.isfile(path) else None
    try:
        return file.tell() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (OSError, AttributeError):  # something else stands in for standard input
        return None


def read_pieces(file: BinaryIO, path: PathLike, size: int) -> Iterator[Piece]:
    """Read a text in pieces that end after white space.

    Parameters
    ----------
    file : binary file
        UTF-8; a byte order mark is left out.
    path : str or Path
        The file, for messages.
    size : int
        Bytes of a piece. A run of characters without white space is never torn, even if it is longer.

    Yields
    ------
    text : str
        The piece.
    is_last : bool
        Whether the text ends with it.

    Raises
    ------
    CorpusFormatError
        If the file is not UTF-8; the message has line and byte.
    """
    rest = file.read(len(_MARK)).removeprefix(_MARK)
    run: list[str] = []
    line, byte = 1, 0
    while True:
        data = rest + file.read(max(1, size - len(rest)))
        ahead = file.read(1)  # tells whether the text goes on
        after_blank = max(data.rfind(b" "), data.rfind(b"\n")) + 1
        cut = len(data) if not ahead else after_blank or find_character_end(data)
        run.append(decode(data[:cut], path, line, byte))
        if after_blank or not ahead:
            text = "".join(run)
            run.clear()  # the text may be long
            yield text, not ahead
            del text
        if not ahead:
            return
        rest = data[cut:] + ahead
        newline = data.rfind(b"\n", 0, cut)
        line, byte = line + data.count(b"\n", 0, cut), byte + cut if newline < 0 else cut - newline - 1


#: A piece, whether it is the last one, and the ends and starts of the tokens around the boundaries found with it, some
#: at a time.
Decided = tuple[str, bool, Iterator[tuple[np.ndarray, np.ndarray]]]


def _decide_once(stream: Any, pieces: Iterable[Piece]) -> Iterator[Decided]:
    """Decide on each piece by what the text has said up to its end."""
    for text, is_last in pieces:
        stream.collect(text)
        yield text, is_last, stream.decide(text, is_last)


def _decide_after_all(stream: Any, file: BinaryIO, path: PathLike, begin: int, size: int) -> Iterator[Decided]:
    """Decide on each piece by what the whole file says."""
    for text, _ in _read_again(file, path, begin, size):
        stream.collect(text)
        del text
    for text, is_last in _read_again(file, path, begin, size):
        yield text, is_last, stream.decide(text, is_last)


def _read_again(file: BinaryIO, path: PathLike, begin: int, size: int) -> Iterator[Piece]:
    if os.fspath(path) == "-":
        file.seek(begin)
        yield from read_pieces(file, path, size)
    else:
        with open_binary(path) as again:
            yield from read_pieces(again, path, size)


def cut_windows(name: str, decided: Iterable[Decided]) -> Iterator[tuple[Window, Spans]]:
    """Put the pieces of a text together to windows of whole sentences.

    Parameters
    ----------
    name : str
        The file, as messages name it.
    decided : iterable of (str, bool, iterator of (ndarray, ndarray))
        Pieces, whether each is the last one, and the boundaries found with it, in characters of the text.

    Yields
    ------
    window : Window
        Where it ends depends on the boundaries of the text alone, not on the pieces.
    spans : list of (int, int)
        Its sentences.
    """
    start = origin = length = 0  # of the window, of the text that is held, of all that was read
    parts: list[str] = []
    ends = starts = np.empty(0, dtype=np.int64)
    for piece, is_last, found in decided:
        parts.append(piece)
        length += len(piece)
        del piece
        for more_ends, more_starts, end in _with_end(found, length if is_last else None):
            ends, starts = np.concatenate([ends, more_ends]), np.concatenate([starts, more_starts])
            first = 0
            for cut in choose_cuts(starts, start, end):
                parts, stop = ["".join(parts)], int(starts[cut])
                window = Window(name, parts[0][start - origin : stop - origin], start, is_last=False)
                yield window, _spans_of(window, ends[first:cut], starts[first:cut])
                start, first = stop, cut + 1
            ends, starts = ends[first:], starts[first:]
        if start > origin:
            parts, origin = ["".join(parts)[start - origin :]], start
    window = Window(name, "".join(parts), start)
    yield window, _spans_of(window, ends, starts)


def _with_end(
    found: Iterator[tuple[np.ndarray, np.ndarray]], end: int | None
) -> Iterator[tuple[np.ndarray, np.ndarray, int | None]]:
    """Add the end of a text to what was found in its last piece."""
    for ends, starts in found:
        yield ends, starts, None
    if end is not None:
        nothing = np.empty(0, dtype=np.int64)
        yield nothing, nothing, end


def choose_cuts(starts: np.ndarray, start: int, end: int | None) -> list[int]:
    """Choose the boundaries where windows end.

    Parameters
    ----------
    starts : ndarray
        Where sentences start, from left to right.
    start : int
        Where the first window starts.
    end : int, optional
        Where the text ends, if that is known.

    Returns
    -------
    list of int
        Indices into `starts`: of the last sentence that starts within reach, else of the first one.

    Examples
    --------
    >>> from textprep_ml.segmentation import streams
    >>> streams.WINDOW_CHARACTERS
    262144
    >>> choose_cuts(np.array([150_000, 250_000, 320_000, 900_000]), 0, 1_000_000)
    [1, 2, 3]
    >>> choose_cuts(np.array([150_000, 250_000]), 0, None)
    []
    """
    cuts: list[int] = []
    first = 0
    while True:
        n = int(np.searchsorted(starts, start + WINDOW_CHARACTERS, side="right"))
        if n == len(starts) and (end is None or end - start <= WINDOW_CHARACTERS or n == first):
            return cuts
        first = max(n, first + 1)
        cuts.append(first - 1)
        start = int(starts[first - 1])


def _spans_of(window: Window, ends: np.ndarray, starts: np.ndarray) -> Spans:
    offsets, chosen = np.array([0, len(ends)]), np.ones(len(ends), dtype=bool)
    [spans] = join_boundaries([window.text], offsets, ends - window.start, starts - window.start, chosen)
    return spans.tolist()
