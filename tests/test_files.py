"""Files: packed and plain ones give the same, damage is named with its place, writing is whole or not."""

from __future__ import annotations

import gzip
import lzma
import os
import pickle
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard

from tests.benchmarks.plain_files import plain_file
from textprep_ml import _files
from textprep_ml.exceptions import CorpusFormatError

TEXT = "one\r\ntwo\u2028still two\n\nfünf\x0c\nlast"
LINES = [(1, "one\r"), (2, "two\u2028still two"), (3, ""), (4, "fünf\x0c"), (5, "last")]
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.fixture(params=PACK)
def suffix(request: pytest.FixtureRequest) -> str:
    return request.param


def test_packed_files_are_read_as_what_they_hold(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT.encode()))
    assert list(_files.iter_lines(path)) == LINES
    assert _files.read_text(path) == TEXT
    assert (_files.bare_name(path), _files.stem(path)) == ("a.txt", "a")


def test_several_streams_one_behind_another(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](b"one\n") + PACK[suffix](b"") + PACK[suffix](b"two\n" * 50_000))
    with _files.open_binary(path) as file:
        assert file.read() == b"one\n" + b"two\n" * 50_000


def test_what_is_written_is_read_again(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    for _ in range(2):
        with _files.open_atomically(path) as file:
            file.write(TEXT)
    assert _files.read_text(path) == TEXT
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_writing_stops_without_a_trace(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    with _files.open_atomically(path) as file:
        file.write("old")
    with pytest.raises(RuntimeError), _files.open_atomically(path) as file:  # noqa: PT012  (the block is the test)
        file.write("new")
        raise RuntimeError
    assert _files.read_text(path) == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def write(path: Path, text: str) -> None:
    with _files.open_atomically(path) as file:
        file.write(text)


def test_a_link_stays_one_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to("target")
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    hanging = tmp_path / "hanging"
    hanging.symlink_to("later")
    write(hanging, "new")
    assert (tmp_path / "later").read_text(encoding="utf-8") == "new"
    assert {entry.name for entry in tmp_path.iterdir()} == {"target", "link", "hanging", "later"}


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(path.read_text, encoding="utf-8")
        write(path, "through")
        assert read.result() == "through"
    assert path.is_fifo()
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_a_full_device_says_so_and_stays_one() -> None:
    with pytest.raises(OSError, match="/dev/full"):
        write(Path("/dev/full"), TEXT)
    assert Path("/dev/full").is_char_device()


def test_errors_of_writing_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"nowhere/a\.txt") as caught, _files.open_atomically(tmp_path / "nowhere/a.txt"):
        pass
    assert "part" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_damage_is_named_with_file_and_line(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    packed = PACK[suffix]("".join(f"{number} {number * 7919 % 10007}\n" for number in range(50_000)).encode())
    for data in (packed[: len(packed) // 2], packed[:-3], b"not packed at all"):
        path.write_bytes(data)
        with pytest.raises(
            _files.DamagedFileError, match=rf"a\.txt{suffix}, line \d+: .*damaged or cut short"
        ) as caught:
            list(_files.iter_lines(path))
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
        with pytest.raises(_files.DamagedFileError, match=rf"a\.txt{suffix}: .*damaged or cut short"):
            _files.read_text(path)


def test_bad_bytes_are_named_with_line_and_byte(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](b"fine\nab\xff\n"))
    for read in (lambda: list(_files.iter_lines(path)), lambda: _files.read_text(path)):
        with pytest.raises(CorpusFormatError, match=r"line 2 byte 2: invalid UTF-8 \(0xff\)"):
            read()


def test_whoever_watches_sees_every_byte_of_the_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT.encode() * 1000))
    seen: list[int] = []
    list(_files.iter_raw_lines(path, seen.append))
    assert sum(seen) == path.stat().st_size


def test_a_byte_order_mark_is_no_text_of_the_first_line(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("\ufefffirst\n\ufeffsecond\n", encoding="utf-8")
    assert list(_files.read_lines([tmp_path / "a", tmp_path / "b"])) == ["first", "\ufeffsecond"] * 2


def test_benchmarks_take_packed_texts(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(PACK[suffix](TEXT.encode()))
    plain = plain_file(str(path))
    assert plain.name == "a.txt"
    assert plain.read_bytes() == TEXT.encode()
    assert (plain == path) == (not suffix)
    assert plain_file(f"{path}.missing.gz").name == f"{path.name}.missing.gz"


def test_names_that_are_not_utf8_become_text() -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    assert _files.printable(name) == "caf\\xe9.txt"
    assert _files.printable("café.txt") == "café.txt"
    assert _files.document_id(f"notes/{name}.gz") == "caf\\xe9"
