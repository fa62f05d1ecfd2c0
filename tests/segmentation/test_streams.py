"""Long texts have the sentences of the whole text, whatever the blocks; pipes those that their windows allow."""

from __future__ import annotations

import io
import os
import random
import sys
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_growth, peak_memory
from tests.kernels.boundary_strategies import sample_documents
from textprep_ml import _kernels
from textprep_ml.exceptions import CorpusFormatError
from textprep_ml.segmentation import streams
from textprep_ml.segmentation.runtime import BoundaryModel
from textprep_ml.segmentation.streams import choose_cuts, find_sentences, read_pieces
from textprep_ml.segmentation.windows import Spans, Window

COMPILED = _kernels.COMPILED

#: What could be lost between blocks, or not be cut: no blanks, no line break, quotes and brackets that stay open, wide
#: stops.
HOSTILE = [
    "x" * 20_000 + " ", "a.a.a." * 3000, "((((", "“", "「是。", "(是。", "是。" * 3000, " " * 9000, "\n" * 900,
    "A.B! Cc?Dd " * 300, "word and " * 4000, "\t \r\n", "🙂 ", "Łódź? ", "\u2028", "http://a.b?c ",
]  # fmt: skip


@cache
def model(name: str = "en") -> BoundaryModel:
    return BoundaryModel.load(name)


def long_text(seed: int, times: int = 1) -> str:
    """Join sample documents, as they are and in one line, and hostile text."""
    chance = random.Random(seed)
    documents = sample_documents()[:: 1 if COMPILED else 5]
    parts = [*documents * times, *(" ".join(text.split()) for text in documents)]
    for hostile in HOSTILE[:: 1 if COMPILED else 3]:
        place = chance.randrange(len(parts))
        parts[place : place + 1] = [parts[place], hostile if COMPILED else hostile[:500]]
    return "".join(part + chance.choice(["\n\n", "\n", " "]) for part in parts)


def gather(found: Iterable[tuple[Window, Spans]]) -> tuple[str, list[list[int]]]:
    """Join windows to the text and the spans in it."""
    texts, spans, place = [], [], 0
    for window, inside in found:
        assert window.start == place
        place += len(window.text)
        texts.append(window.text)
        spans += [[window.start + start, window.start + end] for start, end in inside]
        assert inside == sorted(inside)
    return "".join(texts), spans


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let texts count as long ones from a thousand bytes or so on."""
    monkeypatch.setattr(streams, "SHORT_BYTES", 1500)
    monkeypatch.setattr(streams, "WINDOW_CHARACTERS", 1000)


@pytest.mark.parametrize("name", ["en", "en-tree"])
@pytest.mark.parametrize("change", [str, str.lower, str.upper])
def test_blocks_leave_no_trace(shorter: None, tmp_path: Path, name: str, change: Callable[[str], str]) -> None:
    text = change(long_text(1, times=1 + 2 * COMPILED))
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    expected = model(name).spans([text])[0].tolist()
    assert len(expected) > 100
    first = list(find_sentences([path], model(name), block_bytes=1 << 16))
    assert len(first) > 10
    assert gather(first) == (text, expected)
    for size in (64, 1500, 10**7)[:: 1 if COMPILED else 2]:
        again = list(find_sentences([path], model(name), block_bytes=size))
        assert [(window.text, spans) for window, spans in again] == [(window.text, spans) for window, spans in first]


def test_text_of_megabytes(tmp_path: Path) -> None:
    """The sizes in use: two windows of each sort at least."""
    n = 1 + 2_500_000 * COMPILED // sum(map(len, sample_documents()))
    text = long_text(2, times=n)
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    assert gather(find_sentences([path], model())) == (text, model().spans([text])[0].tolist())


@given(
    st.lists(
        st.sampled_from(["One. ", "Dr. Ito ", "“Ja! ", "是。", "\n", "\n\n", "\r\n", "🙂", "(a", " ", "no"]),
        max_size=60,
    ),
    st.integers(8, 50),
    st.sampled_from([10, 40, 10**6]),
)  # fmt: skip
def test_windows_are_made_of_whole_sentences(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], size: int, most: int
) -> None:
    text = "".join(parts)
    path = tmp_path_factory.mktemp("streams") / "text.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "SHORT_BYTES", 12)
        patch.setattr(streams, "WINDOW_CHARACTERS", most)
        found = list(find_sentences([path, path], model(), block_bytes=size))
    ends = [number for number, (window, _) in enumerate(found, start=1) if window.is_last]
    assert len(ends) == 2
    expected = (text, model().spans([text])[0].tolist())
    for part in (found[: ends[0]], found[ends[0] :]):
        assert gather(part) == expected
        assert all(len(window.text) <= max(most, 12) or len(spans) < 2 for window, spans in part)


def test_a_text_without_blanks_has_windows_too(shorter: None, tmp_path: Path) -> None:
    text = "是。" * 4000
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    found = list(find_sentences([path], model()))
    assert max(len(window.text) for window, _ in found) == 1000
    assert gather(found) == (text, model().spans([text])[0].tolist())


def test_windows_end_at_the_last_sentence_within_reach() -> None:
    reach = streams.WINDOW_CHARACTERS
    starts = np.array([10, reach, reach + 1, 3 * reach, 4 * reach - 1])
    assert choose_cuts(starts, 0, None) == [1, 2, 3]
    assert choose_cuts(starts, 0, 4 * reach) == [1, 2, 3]
    assert choose_cuts(starts, 0, 4 * reach + 1) == [1, 2, 3, 4]
    assert choose_cuts(starts[:0], 0, 9 * reach) == []


# --- pieces -----------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["One. ", "是。", "\n", "🙂", "xxxxxxxxx", " ", "\u3000"]), max_size=60),
    st.integers(4, 40),
)
def test_pieces_end_after_white_space(parts: list[str], size: int) -> None:
    text = "".join(parts)
    pieces = list(read_pieces(io.BytesIO(text.encode()), "x", size))
    assert "".join(piece for piece, _ in pieces) == text
    assert [is_last for _, is_last in pieces] == [False] * (len(pieces) - 1) + [True]
    assert all(piece[-1] in " \n" for piece, is_last in pieces if not is_last)


def test_the_place_of_a_bad_byte_is_that_in_the_file(shorter: None, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"One. Two\n\n" * 1000 + "näch".encode() + b"ste " * 20 + b"\xff" + b" Three.\n" * 1000)
    for size in (16, 100, 30_000):
        with pytest.raises(CorpusFormatError, match="line 2001 byte 85"):
            list(find_sentences([path], model(), block_bytes=size))


# --- pipes and standard input -----------------------------------------------------------------------------------------


def through_pipe(monkeypatch: pytest.MonkeyPatch, data: bytes, sizes: list[int]) -> Any:
    """Find the sentences of bytes that arrive in portions."""
    receiver, sender = os.pipe()

    def send() -> None:
        place = 0
        with open(sender, "wb", buffering=0) as pipe:
            for number in range(len(data)):
                if place >= len(data):
                    return
                place += pipe.write(data[place : place + sizes[number % len(sizes)]])

    thread = threading.Thread(target=send)
    thread.start()
    with io.TextIOWrapper(open(receiver, "rb"), encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        found = list(find_sentences(["-"], model()))
    thread.join()
    return found


def test_pipes_are_decided_alike_however_they_arrive(shorter: None, monkeypatch: pytest.MonkeyPatch) -> None:
    text = long_text(3)[:60_000]
    data = text.encode()
    first = through_pipe(monkeypatch, data, [len(data)])
    assert len(first) > 5
    assert gather(first)[0] == text
    for sizes in ([1, 700, 3], [4096], [5000, 1]):
        again = through_pipe(monkeypatch, data, sizes)
        assert [(window.text, spans) for window, spans in again] == [(window.text, spans) for window, spans in first]


def test_a_pipe_is_decided_by_what_it_has_said_so_far(shorter: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences are those of the text up to the end of the window they are found in."""
    text = long_text(4)[:30_000]
    pieces = [piece for piece, _ in read_pieces(io.BytesIO(text.encode()), "x", 1500)]
    stream = model().stream()
    expected: list[int] = []
    for number, piece in enumerate(pieces, start=1):
        stream.collect(piece)
        for _, starts in stream.decide(piece, number == len(pieces)):
            expected += starts.tolist()
    found_text, spans = gather(through_pipe(monkeypatch, text.encode(), [999]))
    assert found_text == text
    assert [start for start, _ in spans[1:]] == expected


def test_standard_input_that_is_a_file_is_read_twice(
    shorter: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = long_text(5)[:40_000]
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode())
    with open(path, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert gather(find_sentences([], model())) == (text, model().spans([text])[0].tolist())


def test_compressed_files_are_read_twice(shorter: None, tmp_path: Path) -> None:
    import gzip

    text = long_text(6)[:40_000]
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert gather(find_sentences([path], model())) == (text, model().spans([text])[0].tolist())


# --- short texts, time and memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_order_of_files_is_kept(shorter: None, tmp_path: Path, n_jobs: int) -> None:
    texts = ["A b. C d.", "", long_text(7)[:9000], "We left. So did they.", "One", long_text(8)[:9000]]
    paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    found: dict[str, list[tuple[Window, Spans]]] = {}
    for window, spans in find_sentences(paths, model(), n_jobs):
        found.setdefault(window.name, []).append((window, spans))
    assert list(found) == list(map(str, paths))
    expected = [(text, spans.tolist()) for text, spans in zip(texts, model().spans(texts), strict=True)]
    assert list(map(gather, found.values())) == expected


def test_memory_does_not_grow_with_the_text(shorter: None, tmp_path: Path) -> None:
    def peak(times: int) -> int:
        path = tmp_path / f"{times}.txt"
        path.write_text("One sentence. And one more?\nNothing ends here\n\n" * times, encoding="utf-8")

        def find() -> None:
            assert sum(len(spans) for _, spans in find_sentences([path], model(), block_bytes=2000)) >= 2 * times

        return peak_memory(find)

    n = 3000 if COMPILED else 100
    model()
    peak(n)
    assert peak(10 * n) < 1.5 * peak(n)


@pytest.mark.parametrize("unit", ["a.a.a.", "((((", "a b ", "是。", " ", "\n", "A.B! "])
def test_time_is_linear(shorter: None, tmp_path: Path, unit: str) -> None:
    def prepare(n: int) -> Callable[[], object]:
        path = tmp_path / f"{n}.txt"
        path.write_text(unit * (n // len(unit)), encoding="utf-8")
        return lambda: sum(len(spans) for _, spans in find_sentences([path], model(), block_bytes=512))

    assert_growth(prepare, 200_000 if COMPILED else 5_000)
