"""Texts longer than memory: windows join to the text, cuts stand where no sentence is torn, memory does not grow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import peak_memory
from textprep_ml.exceptions import CorpusFormatError
from textprep_ml.segmentation import NaiveSegmenter, windows
from textprep_ml.segmentation.windows import Spans, Window, find_cut, read_windows, segment_windows

TEXTS = st.lists(
    st.sampled_from(
        ["One. ", "two three ", "“Ja!” ", "是。", "\n", "\n\n", "\r\n \r\n", "🙂", "\u2028", "Łódź? ", " "]
    ),
    max_size=80,
).map("".join)

#: Each ends with a mark, and is shorter than half a window.
SENTENCES = st.lists(
    st.sampled_from(["One. ", "Two three four? ", "Łódź.\n", "End.\n\n", "Fine!\r\n \r\n", "🙂.  "]), max_size=80
).map("".join)


def naive(texts: list[str]) -> list[Spans]:
    """Segment by rules that see nothing but the marks, so that windows cannot change what they know."""
    return [spans.tolist() for spans in NaiveSegmenter().predict(texts)]


@pytest.fixture(scope="module")
def write(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | bytes], Path]:
    path = tmp_path_factory.mktemp("windows") / "text.txt"

    def call(content: str | bytes) -> Path:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return call


@given(TEXTS, st.integers(min_value=8, max_value=100))
def test_windows_join_to_the_text(write: Callable[[str | bytes], Path], text: str, size: int) -> None:
    windows = list(read_windows([write(text)], size))
    assert "".join(window.text for window in windows) == text
    starts = [0]
    for window in windows:
        assert window.start == starts[-1]
        starts.append(window.start + len(window.text))
    assert [window.is_last for window in windows] == [False] * (len(windows) - 1) + [True]
    assert all(len(window.text.encode()) <= size for window in windows)


@given(
    SENTENCES, st.integers(min_value=60, max_value=200), st.sampled_from(["auto", "soft"]), st.sampled_from([0, 150])
)
def test_windows_change_nothing(
    write: Callable[[str | bytes], Path], text: str, size: int, newline: str, batch: int
) -> None:
    found, seen = [], ""
    for window, spans in segment_windows(read_windows([write(text)], size), naive, newline, batch):
        found += [[window.start + start, window.start + end] for start, end in spans]
        seen += window.text
    assert seen == text
    assert found == naive([text])[0]


@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b"aaaaaa. bb\n\ncc dd\nee", (12, "blank line")),
        (b"aaaaaaaaaaa bb\n \t\r\ncc dd\nee", (19, "blank line")),
        (b"aa\n\nbbbb bbbb cc dd\nee", (20, "line")),
        (b"aa\n\nbbbb bbbb cc ddee", (17, "blank")),
        (b"aaaaaaaaaa", (10, "character")),
        ("aaaaaaaa是".encode()[:-1], (8, "character")),
        ("aaaaaaaa🙂".encode()[:-2], (8, "character")),
    ],
)
def test_safe_places(data: bytes, cut: tuple[int, str]) -> None:
    assert find_cut(data) == cut


def test_a_torn_sentence_opens_the_next_window() -> None:
    windows = [Window("x", "One. Two is", ends="blank", is_last=False)]
    [(window, spans)] = segment_windows(iter(windows), naive, "auto", 0)
    assert (window.text, spans, window.kept) == ("One. ", [[0, 4]], 5)
    for ends, newline in (("blank line", "auto"), ("line", "hard")):
        windows = [Window("x", "One. Two is", ends=ends, is_last=False)]
        [(window, spans)] = segment_windows(iter(windows), naive, newline, 0)
        assert (window.text, len(spans)) == ("One. Two is", 2)
    for ends, newline in (("blank line", "soft"), ("line", "auto")):
        windows = [Window("x", "One. Two is", ends=ends, is_last=False)]
        assert next(segment_windows(iter(windows), naive, newline, 0))[0].text == "One. "


def test_the_place_of_a_bad_byte_is_that_in_the_file(write: Callable[[str | bytes], Path]) -> None:
    path = write(b"One. Two\n\n" * 10 + "näch".encode() + b"ste " * 20 + b"\xff")
    for size in (10, 16, 40, 1000):
        with pytest.raises(CorpusFormatError, match="line 21 byte 85"):
            list(read_windows([path], size))


def test_memory_does_not_grow_with_the_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(windows, "WINDOW_BYTES", 1 << 14)

    def peak(times: int) -> int:
        path = tmp_path / f"{times}.txt"
        path.write_text("One sentence. And one more?\nNothing ends here\n\n" * times, encoding="utf-8")

        def find() -> None:
            assert (
                sum(len(spans) for _, spans in segment_windows(read_windows([path], 1 << 14), naive, "auto", 0))
                >= 2 * times
            )

        return peak_memory(find)

    assert peak(20_000) < 1.5 * peak(2_000)


@pytest.mark.parametrize("newline", ["auto", "soft"])
@pytest.mark.parametrize("size", [16, 30, 64])
def test_a_tolerant_reader_loses_the_bad_window_only(
    write: Callable[[str | bytes], Path], size: int, newline: str
) -> None:
    good = "One is one. Two too. "
    path = write((good * 20).encode() + b"ba\xffd. " + (good * 20).encode())
    found = list(segment_windows(read_windows([path], size, tolerant=True), naive, newline, 0))
    problems = [window.problem for window, _ in found if window.problem]
    assert len(problems) == 1
    assert "line 1 byte 422: invalid UTF-8" in problems[0]
    sentences = [window.text[start:end] for window, spans in found for start, end in spans]
    assert 80 - 2 * size // 10 <= len(sentences) <= 82
    whole = path.read_bytes().decode("utf-8", "replace")
    assert all(whole[window.start : window.start + len(window.text)] == window.text for window, _ in found)
