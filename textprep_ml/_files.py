r"""Files and standard streams: compressed or not, always UTF-8, lines that end at ``\n`` only, written whole or not.

Everything that reads or writes text goes through here. The modules of compression are imported when a file asks for
them, so that a command starts fast.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO, cast

from textprep_ml.exceptions import CorpusFormatError

PathLike = str | os.PathLike[str]

#: Suffixes of compressed files, which are read and written as they are.
COMPRESSED = (".gz", ".xz", ".zst")

#: What is read at a time.
CHUNK_BYTES = 1 << 20

_BUFFER_BYTES = 1 << 16

BYTE_ORDER_MARK = "\ufeff"

#: Compressed bytes that are unpacked at a time: a small block may hold a hundred times as much.
_PACKED_BYTES = 1 << 14


def display_name(path: PathLike) -> str:
    """Name an input in messages: its path, or ``standard input`` for ``-``."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def fail(path: PathLike, line: int | None, message: str) -> NoReturn:
    """Raise the error that every reader raises: file, line, what is wrong."""
    where = display_name(path) if line is None else f"{display_name(path)}, line {line}"
    raise CorpusFormatError(f"{where}: {message}") from None


def bare_name(path: PathLike) -> str:
    """Give the file name without the suffix of compression."""
    path = Path(path)
    return path.stem if path.suffix in COMPRESSED else path.name


def stem(path: PathLike) -> str:
    """Give the file name without any suffix of format or compression."""
    return Path(bare_name(path)).stem


def printable(name: str) -> str:
    r"""Give a file name as text that every file can hold: bytes that are not UTF-8 are written ``\xe9``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def document_id(path: PathLike) -> str:
    """Name the document that a file holds: its name without suffixes."""
    return printable(stem(path))


# Reading


class DamagedFileError(CorpusFormatError):
    """A compressed file is damaged or cut short."""


class _Watched(io.FileIO):
    """A file that tells how many bytes are read from it."""

    def __init__(self, path: PathLike, watch: Callable[[int], None]) -> None:
        super().__init__(path, "rb")
        self._watch = watch

    def readinto(self, buffer: Any) -> int:
        n = super().readinto(buffer) or 0
        self._watch(n)
        return n


class _Unpacked(io.RawIOBase):
    """What a compressed file holds."""

    def __init__(self, path: PathLike, packed: BinaryIO) -> None:
        self._path, self._packed = path, packed
        self._plain, self._damage = _unpack(packed, Path(path).suffix)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return cast(int, self._plain.readinto(buffer))
        except self._damage as error:
            raise DamagedFileError(
                f"{display_name(self._path)}: the compressed file is damaged or cut short ({error})."
            ) from None

    def close(self) -> None:
        self._plain.close()
        self._packed.close()
        super().close()


class _Frames(io.RawIOBase):
    """What the frames of a Zstandard file hold; the reader of the package does not notice a frame that is cut short."""

    def __init__(self, file: BinaryIO, decompressor: Any) -> None:
        self._file, self._decompressor = file, decompressor
        self._frame: Any = None
        self._packed = self._plain = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            self._packed = self._packed or self._file.read(_PACKED_BYTES)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the last frame has no end")
                return 0
            self._frame = self._frame or self._decompressor.decompressobj()
            self._plain = self._frame.decompress(self._packed)
            self._packed = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        n = min(len(buffer), len(self._plain))
        buffer[:n] = self._plain[:n]
        self._plain = self._plain[n:]
        return n


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise ImportError(
            "Files that end in .zst need the package zstandard: pip install 'textprep_ml[zstd]'."
        ) from None
    return zstandard


def _unpack(file: BinaryIO, suffix: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Give a reader of what a compressed file holds, and the errors that it raises when the file is damaged."""
    if suffix == ".gz":
        import gzip
        import zlib

        return gzip.GzipFile(fileobj=file, mode="rb"), (EOFError, zlib.error, gzip.BadGzipFile)
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(file), (EOFError, lzma.LZMAError)
    zstandard = _zstandard()
    return _Frames(file, zstandard.ZstdDecompressor()), (EOFError, zstandard.ZstdError)


def open_binary(path: PathLike, watch: Callable[[int], None] | None = None) -> BinaryIO:
    """Open a file for reading, or standard input for ``-``; ``.gz``, ``.xz`` and ``.zst`` are unpacked.

    Parameters
    ----------
    path : str or path-like
        A file name or ``-``.
    watch : callable, optional
        Called with the number of bytes each time some were read from the file, before they are unpacked.

    Returns
    -------
    binary file
        Reading from it raises `DamagedFileError` where a compressed file is damaged.
    """
    if os.fspath(path) == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "Closed; give it a file", display_name(path))
        return sys.stdin.buffer
    raw = io.FileIO(path, "rb") if watch is None else _Watched(path, watch)
    file = cast(BinaryIO, io.BufferedReader(raw, _BUFFER_BYTES))
    if Path(path).suffix not in COMPRESSED:
        return file
    return cast(BinaryIO, io.BufferedReader(_Unpacked(path, file), _BUFFER_BYTES))


def decode(data: bytes, path: PathLike, first_line: int = 1, first_byte: int = 0) -> str:
    """Decode UTF-8 strictly.

    Parameters
    ----------
    data : bytes
        Whole lines, a whole file, or a part of one.
    path : str or path-like
        The file, for the message.
    first_line : int
        Number of the line that `data` starts in, from 1.
    first_byte : int
        Where in that line it starts.

    Returns
    -------
    str
        The text.

    Raises
    ------
    CorpusFormatError
        If the bytes are not UTF-8; the message has line and byte, the latter counted from 0 within the line.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        newline = data.rfind(b"\n", 0, error.start)
        byte = first_byte + error.start if newline < 0 else error.start - newline - 1
        raise CorpusFormatError(
            f"{display_name(path)}, line {line} byte {byte}: invalid UTF-8 (0x{data[error.start]:02x}). "
            "Convert the file to UTF-8."
        ) from None


def iter_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    r"""Stream the lines of a file, numbered from 1, without their ``\n``."""
    for number, line in iter_raw_lines(path):
        yield number, decode(line, path, number)


def iter_raw_lines(path: PathLike, watch: Callable[[int], None] | None = None) -> Iterator[tuple[int, bytes]]:
    r"""Stream the bytes of the lines of a file, numbered from 1, without their ``\n``."""
    number = 0
    try:
        with open_binary(path, watch) as file:
            for number, line in enumerate(file, start=1):
                yield number, line.removesuffix(b"\n")
    except DamagedFileError as error:
        name = display_name(path)
        raise DamagedFileError(f"{name}, line {number + 1}{str(error).removeprefix(name)}") from None


def read_lines(paths: Iterable[PathLike]) -> Iterator[str]:
    r"""Stream the lines of files without their ``\n``, and without a byte order mark; no file means standard input."""
    for path in paths or ["-"]:
        for number, line in iter_lines(path):
            yield line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line


def read_text(path: PathLike, errors: str = "strict") -> str:
    """Read a whole file; nothing in it is changed, neither line ends nor a byte order mark."""
    with open_binary(path) as file:
        data = file.read()
    return decode(data, path) if errors == "strict" else data.decode("utf-8", errors)


# Writing


@contextmanager
def replacing(path: PathLike) -> Iterator[str]:
    """Give a temporary name beside `path`; what is written there takes its place when the block ends without error.

    A link stays one: what it points to is replaced. A file keeps its mode. A pipe or device is written to.
    """
    import shutil
    import tempfile

    is_special = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    path = Path(path if is_special else os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(
            dir=None if is_special else path.parent, prefix=f".{path.name}.", suffix=".part"
        )
        os.close(handle)
    except OSError as error:
        raise _about(path, error) from None
    try:
        yield temporary
        if is_special:
            with open(temporary, "rb") as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
            os.unlink(temporary)
        else:
            os.chmod(temporary, _mode_for(path))  # mkstemp makes the file private
            os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise _about(path, error) from None
        raise


def _mode_for(path: Path) -> int:
    """The mode of the file that is there, or that of a new one."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _about(path: Path, error: OSError) -> OSError:
    """Name the file that was asked for, not the temporary one."""
    return OSError(error.errno, error.strerror, str(path))


@contextmanager
def open_atomically(path: PathLike) -> Iterator[TextIO]:
    """Open a file for writing UTF-8, compressed by its suffix; it is there when the block ends without error."""
    with (
        replacing(path) as temporary,
        open(temporary, "wb") as raw,
        _compressing(raw, Path(path).suffix) as binary,
        io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file,
    ):
        yield file


def _compressing(raw: BinaryIO, suffix: str) -> BinaryIO:
    if suffix == ".gz":
        import gzip

        # Without name and time in its head, the same rows give the same bytes.
        return cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
    if suffix == ".xz":
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(raw, "wb"))
    if suffix == ".zst":
        return cast(BinaryIO, io.BufferedWriter(_zstandard().ZstdCompressor().stream_writer(raw, closefd=False)))
    return raw
