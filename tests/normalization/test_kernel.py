"""The rewriting kernel and its twin against rewriting a whole text at once."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textprep_ml._kernels import _normalize
from textprep_ml._kernels._pure import normalize as pure

KERNELS = pytest.mark.parametrize("kernel", [_normalize, pure], ids=["compiled", "pure"])

#: Flags and images of a small artificial world: ^ and ~ are marks, _ is a blank, ! needs its word, - vanishes, é is
#: an expansion.
FLAGS = {"^": 1, "~": 1, "_": 2 | 8, "!": 4, "-": 1 | 2, "\u4e00": 0, "\U0001f600": 0}
IMAGES = {"A": "a", "é": "e'", "-": "", "W": "\u20ac", "\u4e00": "\U0001f601", "\u0100": "a"}


def classify(char: str) -> tuple[int, str]:
    return FLAGS.get(char, 0), IMAGES.get(char, char)


def resolve(piece: str) -> tuple[str, list[tuple[int, int, int]]]:
    """Write marks twice, blanks once, an exclamation mark's word backwards."""
    if "!" in piece:
        return piece[::-1], [(len(piece), len(piece), 1)]
    new = ""
    cells = []
    for index, char in enumerate(piece):
        image = (
            char * 2
            if char in "^~"
            else ""
            if char == "_" and piece[index - 1 : index] == "_"
            else IMAGES.get(char, char)
        )
        new += image
        cells.append((1, len(image), 1))
    return new, cells


def expand(runs: np.ndarray | None, raw_length: int) -> list[tuple[int, int, int, int]]:
    """Give each cell: raw start, new start, widths."""
    if runs is None:
        return [(place, place, 1, 1) for place in range(raw_length)]
    ends = [*runs[1:, 0].tolist(), raw_length]
    cells = []
    for (raw, new, raw_width, new_width), end in zip(runs.tolist(), ends, strict=True):
        assert (end - raw) % raw_width == 0
        cells += [
            (raw + k * raw_width, new + k * new_width, raw_width, new_width) for k in range((end - raw) // raw_width)
        ]
    return cells


WORLD = st.text(alphabet="abA^~_!-éW\u4e00\u0100\U0001f600\ud800\x00", max_size=40)


@KERNELS
@settings(max_examples=500)
@given(texts=st.lists(WORLD, min_size=1, max_size=4))
def test_pieces_cover_the_text_and_agree_with_the_twin(kernel: Any, texts: list[str]) -> None:
    rewriter = kernel.Rewriter(classify, resolve)
    for text in texts:
        new, runs = rewriter.rewrite(text)
        expected = ""
        cells = []
        for start, end in pure.cut([FLAGS.get(char, 0) for char in text]):
            piece_new, piece_cells = (
                resolve(text[start:end])
                if end - start > 1 or FLAGS.get(text[start], 0) & 5
                else (IMAGES.get(text[start], text[start]), [(1, len(IMAGES.get(text[start], "x")), 1)])
            )
            raw_place, new_place = start, len(expected)
            for raw_width, new_width, count in piece_cells:
                for _ in range(count):
                    cells.append((raw_place, new_place, raw_width, new_width))
                    raw_place += raw_width
                    new_place += new_width
            expected += piece_new
        assert new == expected
        assert new.encode("utf-32", "surrogatepass") == expected.encode("utf-32", "surrogatepass")
        assert hash(new) == hash(expected)
        assert expand(runs, len(text)) == cells
        assert rewriter.new(text) == expected


@KERNELS
def test_unchanged_text_comes_back_as_the_same_object(kernel: Any) -> None:
    rewriter = kernel.Rewriter(classify, resolve)
    for text in ("", "abc " * 1000, "a_b" * 9, "\U0001f600" * 20, "a\u4e01" * 50):
        new, runs = rewriter.rewrite(text)
        assert new is text
        assert runs is None


@KERNELS
@pytest.mark.parametrize("filler", ["", "b" * 5000, "\xe8" * 5000, "\u4e01" * 5000])
@pytest.mark.parametrize("wide", ["W", "\u4e00", "é", "\u0100", "A"])
def test_storage_grows_and_shrinks_with_the_characters(kernel: Any, filler: str, wide: str) -> None:
    text = "A" + filler + wide * 300 + filler + "A"
    new, _ = kernel.Rewriter(classify, resolve).rewrite(text)
    expected = "".join(IMAGES.get(char, char) for char in text)
    assert new == expected
    assert new.__sizeof__() == expected.__sizeof__()


@KERNELS
def test_errors_of_the_rules_reach_the_caller_and_leave_the_kernel_usable(kernel: Any) -> None:
    def refuse(char: str) -> tuple[int, str]:
        if char == "x":
            raise ZeroDivisionError
        return classify(char)

    rewriter = kernel.Rewriter(refuse, resolve)
    with pytest.raises(ZeroDivisionError):
        rewriter.rewrite("AAAx")
    assert rewriter.rewrite("AA\U0001f600")[0] == "aa\U0001f600"
    with pytest.raises(TypeError):
        rewriter.rewrite(None)


@KERNELS
def test_many_pieces_are_forgotten_and_found_again(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if kernel is pure:
        monkeypatch.setattr(pure, "MAX_PIECES", 50)
    rewriter = kernel.Rewriter(classify, resolve)
    count = 300 if kernel is pure else 140_000
    for _ in range(2):
        text = " ".join(chr(0x5000 + k % 20000) + "^" * (1 + k // 20000) for k in range(count))
        new, _ = rewriter.rewrite(text)
        assert new == text.replace("^", "^^")
    long = "~" * (5_000_000 if kernel is _normalize else 50_000)
    assert rewriter.rewrite("a^" + long)[0] == "a^^" + long + long
    assert rewriter.rewrite("a^b^")[0] == "a^^b^^"


def test_one_kernel_per_thread_runs_without_the_lock() -> None:
    text = "Aé_^W" * 200_000
    expected = _normalize.Rewriter(classify, resolve).rewrite(text)[0]
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda: results.append(_normalize.Rewriter(classify, resolve).rewrite(text)[0]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
    gc.collect()
