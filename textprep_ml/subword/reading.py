"""UTF-8 files, compressed or not, as batches of documents, or of parts that end where no word goes on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import BinaryIO, NamedTuple, NoReturn

from textprep_ml._files import COMPRESSED, PathLike, display_name, open_binary
from textprep_ml._kernels import load
from textprep_ml.exceptions import CorpusFormatError

#: So much of a file is read at a time.
CHUNK_BYTES = 1 << 20

#: A stretch of a file without any letter before a blank or newline is cut when it gets longer than this.
MAX_STRETCH = 1 << 24

#: UTF-8.
Data = bytes | memoryview

#: Documents that are counted together.
Batches = Iterable[Sequence[Data]]

#: Buffers that are filled in turn.
Ring = deque[bytearray]


def n_waiting(n_threads: int) -> int:
    """Say how many batches may wait for a thread.

    Parameters
    ----------
    n_threads : int
        Threads that count.

    Returns
    -------
    int
        None without a second thread.
    """
    return n_threads + 1 if n_threads > 1 else 0


def make_ring(n_threads: int) -> Ring:
    """Make the buffers that `count_words` on so many threads can do with.

    Fresh memory for every part of a file costs as much as reading it, and with threads several times as much.

    Parameters
    ----------
    n_threads : int
        As for `count_words`.

    Returns
    -------
    deque of bytearray
        For `file_batches`.
    """
    return deque(bytearray() for _ in range(1 + n_waiting(n_threads)))


def _read_behind(file: BinaryIO, head: bytes, ring: Ring) -> memoryview:
    """Read a chunk into the buffer that was used longest ago, behind `head`."""
    ring.rotate(-1)
    size = len(head)
    if len(ring[-1]) < size + CHUNK_BYTES:
        ring[-1] = bytearray(size + CHUNK_BYTES)
    view = memoryview(ring[-1])
    view[:size] = head
    return view[: size + file.readinto(view[size : size + CHUNK_BYTES])]  # type: ignore[attr-defined]


def _end_of_part(data: memoryview, cut: Callable[[memoryview], int]) -> int:
    end = cut(data)
    if end or len(data) <= MAX_STRETCH:
        return end
    end = len(data)
    while end > len(data) - 4 and data[end - 1] & 0xC0 == 0x80:  # not inside a character
        end -= 1
    return end - (data[end - 1] >= 0xC0)


def _cut_parts(
    file: BinaryIO, cut: Callable[[memoryview], int], ring: Ring, rest: bytes = b"", n_chunks: int | None = None
) -> Iterator[memoryview]:
    """Cut what comes behind `rest`; of so many chunks, what lies behind the last cut is left to who reads the next."""
    for _ in count() if n_chunks is None else range(n_chunks):
        data = _read_behind(file, rest, ring)
        if len(data) == len(rest):
            break
        if end := _end_of_part(data, cut):
            yield data[:end]
        else:
            ring.rotate(1)  # the same buffer goes on
        rest = bytes(data[end:])
    else:
        return
    if rest:
        yield memoryview(rest)


class Chunks(NamedTuple):
    """Neighbouring chunks of a file, from one number to before another; None is the end of the file."""

    first: int = 0
    last: int | None = None


WHOLE = Chunks()


def split_file(path: PathLike, n_chunks: int) -> list[Chunks]:
    """Cut a file into runs of chunks that different workers may read.

    Parameters
    ----------
    path : path-like
        The file. What a compressed one holds can only be read from its start.
    n_chunks : int
        Length of a run.

    Returns
    -------
    list of Chunks
        In order.
    """
    if os.fspath(path).endswith(COMPRESSED):
        return [WHOLE]
    whole = -(-os.stat(path).st_size // CHUNK_BYTES)
    firsts = range(0, max(whole, 1), n_chunks)
    return [Chunks(first, first + n_chunks if first + n_chunks < whole else None) for first in firsts]


def find_part(file: BinaryIO, cut: Callable[[memoryview], int], n_chunks: int) -> int:
    """Find where the part begins that a reader goes on with when it has read so many chunks from the start.

    Only what is near is looked at, so that workers can begin anywhere and cut where a single reader would.

    Parameters
    ----------
    file : binary file
        One that can be searched.
    cut : callable
        As for `read_parts`.
    n_chunks : int
        Chunks that were read before.

    Returns
    -------
    int
        A place in bytes.
    """
    end = n_chunks * CHUNK_BYTES
    begin = _last_cut(file, cut, end)
    while end - begin > MAX_STRETCH:  # there a reader cuts, without a letter before a blank
        whole = begin + MAX_STRETCH - (begin + MAX_STRETCH) % CHUNK_BYTES + CHUNK_BYTES
        file.seek(begin)
        begin += _end_of_part(memoryview(file.read(whole - begin)), lambda data: 0)
    return begin


def _last_cut(file: BinaryIO, cut: Callable[[memoryview], int], end: int) -> int:
    size = 1 << 12
    while True:
        begin = max(0, end - size)
        file.seek(begin)
        found = cut(memoryview(file.read(end - begin)))
        if found or not begin:
            return begin + found
        size *= 4


def _behind_last_newline(data: memoryview) -> int:
    return bytes(data).rfind(b"\n") + 1


def read_parts(
    path: PathLike,
    cut: Callable[[memoryview], int] | None = None,
    on_error: str = "strict",
    ring: Ring | None = None,
    chunks: Chunks = WHOLE,
    watch: Callable[[int], None] | None = None,
) -> Iterator[Data]:
    """Read a UTF-8 file in parts of a few megabytes.

    Parameters
    ----------
    path : path-like
        The file; ``.gz``, ``.xz`` and ``.zst`` are unpacked.
    cut : callable, optional
        Gives the place where a part may end; by default before a blank or newline that follows a letter, where no
        scheme joins.
    on_error : {"strict", "replace", "ignore"}
        What to do with bytes that are not UTF-8.
    ring : deque of bytearray, optional
        Buffers to read into; then a part stays as it is only until as many more have been read, less one. By default
        every part is new.
    chunks : Chunks
        Only the parts that end in these; by default all.
    watch : callable, optional
        Called with numbers of bytes when they were read from the file, before they are unpacked.

    Yields
    ------
    bytes or memoryview
        Valid UTF-8; a view where a `ring` is given.

    Raises
    ------
    CorpusFormatError
        If the file is not UTF-8 and `on_error` is ``"strict"``, where the message tells line and byte, or if a
        compressed file is damaged.
    """
    kernel = load("bpe_words")
    cut = cut or kernel.safe_cut
    offset, rest, n_chunks = 0, b"", None if chunks.last is None else chunks.last - chunks.first
    with open_binary(path, watch) as file:
        if chunks.first:
            offset = find_part(file, cut, chunks.first)
            file.seek(offset)
            rest = file.read(chunks.first * CHUNK_BYTES - offset)
        for part in _cut_parts(file, cut, deque([bytearray()]) if ring is None else ring, rest, n_chunks):
            bad = kernel.invalid_at(part)
            if bad >= 0 and on_error == "strict":
                _refuse(path, offset + bad, part[bad])
            offset += len(part)
            if bad >= 0:
                yield str(part, "utf-8", on_error).encode("utf-8")
            else:
                yield part if ring is not None else bytes(part)


def _refuse(path: PathLike, offset: int, byte: int) -> NoReturn:
    """Say in which line the text is not UTF-8; a pipe cannot be read again to count its lines."""
    reason = f"invalid UTF-8 (0x{byte:02x}). Convert the file to UTF-8, or pass on_error='replace'."
    if not os.path.isfile(path):
        raise CorpusFormatError(f"{display_name(path)}, byte {offset}: {reason}")
    line, at, begin = 1, 0, 0
    with open_binary(path) as file:
        while data := file.read(min(CHUNK_BYTES, offset - at)):
            line += data.count(b"\n")
            begin = max(begin, at + data.rfind(b"\n") + 1) if b"\n" in data else begin
            at += len(data)
    raise CorpusFormatError(f"{display_name(path)}, line {line} byte {offset - begin}: {reason}")


class Meter:
    """How much of some files has been read, in bytes of the files, compressed or not.

    Parameters
    ----------
    paths : sequence of path-like
        Files.

    Raises
    ------
    OSError
        If one is missing.
    """

    def __init__(self, paths: Sequence[PathLike]) -> None:
        self._done, self._whole = 0, sum(os.stat(path).st_size for path in paths)

    def add(self, n: int) -> None:
        """Count what was read.

        Parameters
        ----------
        n : int
            Bytes.
        """
        self._done += n

    def shown_by(self, progress: Callable[[str, int, int], None]) -> Callable[[str, int, int], None]:
        """Report what was read in place of what was counted.

        Parameters
        ----------
        progress : callable
            Called with a stage, how much is done, and the whole.

        Returns
        -------
        callable
            To be called in its place.
        """
        return lambda stage, done, whole: progress(stage, self._done, self._whole)


def total_bytes(paths: Sequence[PathLike]) -> int:
    """Tell how much text there is in files, for the progress.

    Parameters
    ----------
    paths : sequence of path-like
        Files.

    Returns
    -------
    int
        0 where a compressed file does not tell.

    Raises
    ------
    OSError
        If one is missing.
    """
    sizes = [os.stat(path).st_size for path in paths]
    return 0 if any(os.fspath(path).endswith(COMPRESSED) for path in paths) else sum(sizes)


def file_batches(
    paths: Iterable[PathLike],
    lines: bool,
    on_error: str,
    ring: Ring | None = None,
    chunks: Chunks = WHOLE,
    watch: Callable[[int], None] | None = None,
) -> Iterator[Sequence[Data]]:
    """Read files as batches of documents.

    Parameters
    ----------
    paths : iterable of path-like
        UTF-8 files.
    lines : bool
        Each line is a document, without its newline; else each file is one.
    on_error : {"strict", "replace", "ignore"}
        What to do with bytes that are not UTF-8.
    ring : deque of bytearray, optional
        As for `read_parts`; lines do without.
    chunks : Chunks
        As for `read_parts`.
    watch : callable, optional
        As for `read_parts`.

    Yields
    ------
    list of bytes or memoryview
        Documents or parts of one, in UTF-8.
    """
    for path in paths:
        if lines:
            for part in read_parts(path, _behind_last_newline, on_error, chunks=chunks, watch=watch):
                yield bytes(part).removesuffix(b"\n").split(b"\n")
        else:
            for part in read_parts(path, None, on_error, ring, chunks, watch):
                yield [part]
