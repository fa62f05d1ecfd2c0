r"""Files of corpora: compressed or not, always UTF-8, lines that end at ``\n`` only, written whole or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn, TextIO, cast

from textprep_ml.exceptions import CorpusFormatError

#: Suffixes of compressed files, which are read and written as they are.
COMPRESSED = (".gz", ".xz")

_DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


def fail(path: str | os.PathLike[str], line: int | None, message: str) -> NoReturn:
    """Raise the error that every reader raises: file, line, what is wrong."""
    where = os.fspath(path) if line is None else f"{os.fspath(path)}, line {line}"
    raise CorpusFormatError(f"{where}: {message}") from None


def open_binary(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading, or standard input for ``-``; ``.gz`` and ``.xz`` are unpacked."""
    suffix = Path(path).suffix
    if os.fspath(path) == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "Closed; give it a file", "standard input")
        return sys.stdin.buffer
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if suffix == ".xz":
        return cast(BinaryIO, lzma.open(path, "rb"))
    return Path(path).open("rb")


def decode(data: bytes, path: str | os.PathLike[str], first_line: int = 1) -> str:
    """Decode whole lines as strict UTF-8; the error names the line and the byte, counted from 0 within the line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        byte = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        raise CorpusFormatError(
            f"{os.fspath(path)}, line {line} byte {byte}: invalid UTF-8 (0x{data[error.start]:02x}). "
            "Convert the file to UTF-8."
        ) from None


def iter_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    r"""Stream the lines of a file, numbered from 1, without their ``\n``."""
    number = 0
    try:
        with open_binary(path) as file:
            for number, line in enumerate(file, start=1):
                yield number, decode(line, path, number).removesuffix("\n")
    except _DAMAGED as error:
        fail(path, number + 1, f"the compressed file is damaged or cut short ({error}).")


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a whole file; nothing in it is changed, neither line ends nor a byte order mark."""
    try:
        with open_binary(path) as file:
            return decode(file.read(), path)
    except _DAMAGED as error:
        fail(path, None, f"the compressed file is damaged or cut short ({error}).")


@contextmanager
def open_atomically(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a file for writing UTF-8 under a temporary name; it takes its place when the block ends without error."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with (
            os.fdopen(handle, "wb") as raw,
            _compressing(raw, path.suffix) as binary,
            io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file,
        ):
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes the file private
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _compressing(raw: BinaryIO, suffix: str) -> BinaryIO:
    if suffix == ".gz":
        # Without name and time in its head, the same rows give the same bytes.
        return cast(BinaryIO, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
    if suffix == ".xz":
        return cast(BinaryIO, lzma.LZMAFile(raw, "wb"))
    return raw


def bare_name(path: str | os.PathLike[str]) -> str:
    """Give the file name without the suffix of compression."""
    path = Path(path)
    return path.stem if path.suffix in COMPRESSED else path.name


def stem(path: str | os.PathLike[str]) -> str:
    """Give the file name without any suffix of format or compression."""
    return Path(bare_name(path)).stem
