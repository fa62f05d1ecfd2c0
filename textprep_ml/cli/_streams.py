"""Input of the commands: files or standard input, compressed or not, always UTF-8, errors with their place."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from textprep_ml.exceptions import CorpusFormatError

#: What is read at a time.
CHUNK_BYTES = 1 << 20


class _Unpacked(io.RawIOBase):
    """What a compressed file holds."""

    def __init__(self, path: Path, file: Any, damage: tuple[type[Exception], ...]) -> None:
        self._path, self._file, self._damage = path, file, damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return cast(int, self._file.readinto(buffer))
        except self._damage as error:
            raise CorpusFormatError(f"{self._path}: damaged or cut short ({error}).") from None

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_packed(path: Path) -> BinaryIO:
    import zlib

    file: Any
    damage: tuple[type[Exception], ...]
    if path.suffix == ".gz":
        import gzip

        file, damage = gzip.open(path, "rb"), (EOFError, zlib.error, gzip.BadGzipFile)  # noqa: SIM115
    else:
        import lzma

        file, damage = lzma.open(path, "rb"), (EOFError, lzma.LZMAError)  # noqa: SIM115
    return io.BufferedReader(_Unpacked(path, file, damage), 1 << 16)


def open_binary(path: str | Path) -> BinaryIO:
    """Open a file, or standard input for ``-``; ``.gz`` and ``.xz`` are unpacked.

    Parameters
    ----------
    path : str or Path
        A file name or ``-``.

    Returns
    -------
    binary file
        Open for reading.
    """
    if str(path) == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "Closed; give it a file", display_name(path))
        return sys.stdin.buffer
    if Path(path).suffix in (".gz", ".xz"):
        return _open_packed(Path(path))
    return Path(path).open("rb")


def decode(data: bytes, name: str, first_line: int = 1, first_byte: int = 0) -> str:
    """Decode UTF-8 strictly.

    Parameters
    ----------
    data : bytes
        Whole lines, a whole file, or a part of one.
    name : str
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
            f"{name}, line {line} byte {byte}: invalid UTF-8 (0x{data[error.start]:02x}). Convert the file to UTF-8."
        ) from None


def read_text(path: str | Path) -> str:
    """Read a whole file as UTF-8; a byte order mark at its start is left out.

    Parameters
    ----------
    path : str or Path
        A file name or ``-``.

    Returns
    -------
    str
        Its text; line ends are unchanged.
    """
    with open_binary(path) as file:
        return decode(file.read(), display_name(path)).removeprefix("\ufeff")


def read_lines(paths: Iterable[str | Path]) -> Iterator[str]:
    r"""Stream the lines of files without their newline; lines end at ``\n`` only.

    Parameters
    ----------
    paths : iterable of str or Path
        File names or ``-``; none means standard input.

    Yields
    ------
    str
        One line.
    """
    for path in paths or ["-"]:
        with open_binary(path) as file:
            for number, line in enumerate(file, start=1):
                text = decode(line, display_name(path), number)
                yield (text.removeprefix("\ufeff") if number == 1 else text).removesuffix("\n")


def display_name(path: str | Path) -> str:
    """Name an input in messages.

    Parameters
    ----------
    path : str or Path
        A file name or ``-``.

    Returns
    -------
    str
        The path, or ``standard input``.
    """
    return "standard input" if str(path) == "-" else str(path)
