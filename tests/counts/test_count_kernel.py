"""The word counter's kernel, its twin and a plain regular expression give the same counts."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_growth
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import counts as pure
from textprep_ml._unicode_table import LETTER, MARK, class_of

KERNELS: list[Any] = [pytest.param(pure, id="pure")]
if _exists("counts"):
    from textprep_ml._kernels import _counts

    KERNELS.append(pytest.param(_counts, id="compiled"))

PIECES = [
    b"a", b"B", b"zZ", b"@", b"[", b"`", b"{", b" ", b"\n", b"\x00", b"1", b"abcdefgh", b"abcdefghijklmnop",
    b"q" * 17, b"Q" * 40, b"x" * 70, b" " * 70, "é".encode(), "日本".encode(), "😀".encode(), "e\u0301".encode(),
    b"\xff", b"\xc3", b"\xe6\x97", b"\xed\xa0\x80",
]  # fmt: skip
DATA = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=40).map(b"".join)


def table_of(kernel: ModuleType, parts: list[bytes], **options: bool) -> Any:
    table = kernel.WordTable(**options)
    for part in parts:
        table.add(part)
    table.close()
    return table


@given(parts=st.lists(DATA, max_size=3), unicode=st.booleans(), fold=st.booleans())
def test_kernels_agree(parts: list[bytes], unicode: bool, fold: bool) -> None:
    data = b"".join(parts)
    expected = table_of(pure, parts, unicode=unicode, fold=fold)
    for parameter in KERNELS:
        kernel = parameter.values[0]
        table = table_of(kernel, parts, unicode=unicode, fold=fold)
        assert table.items() == expected.items()
        assert (len(table), table.total()) == (len(expected), expected.total())
        for by_count, top in ((False, -1), (True, -1), (True, 2), (False, 0)):
            assert table.lines(by_count, top) == expected.lines(by_count, top)
        assert kernel.letter_runs(data, unicode, fold) == pure.letter_runs(data, unicode, fold)
        for after_break in (False, True):
            assert kernel.letter_lines(data, fold, after_break) == pure.letter_lines(data, fold, after_break)


@pytest.mark.parametrize("kernel", KERNELS)
@given(data=DATA)
def test_ascii_words_by_definition(kernel: ModuleType, data: bytes) -> None:
    assert dict(table_of(kernel, [data]).items()) == Counter(re.findall(rb"[A-Za-z]+", data))


@pytest.mark.parametrize("kernel", KERNELS)
@given(text=st.text())
def test_unicode_words_by_definition(kernel: ModuleType, text: str) -> None:
    marked = "".join(char if class_of(char) & (LETTER | MARK) else " " for char in text)
    expected = Counter(word.encode() for word in marked.split(" ") if word)
    assert dict(table_of(kernel, [text.encode("utf-8", "replace")], unicode=True).items()) == expected


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [1, 3, 63, 64, 65, 65_536, 70_001])
def test_words_over_block_and_chunk_edges(kernel: ModuleType, size: int) -> None:
    data = ("é" * 50 + " word " + "日本語" * 30 + "\n" + "A" * 15 + "é ").encode() * 400
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    if size < 63:
        parts = parts[: 20_000 // size]
    whole = b"".join(parts)
    for unicode in (False, True):
        assert table_of(kernel, parts, unicode=unicode).items() == table_of(pure, [whole], unicode=unicode).items()


@pytest.mark.parametrize("kernel", KERNELS)
def test_many_words_grow_the_tables(kernel: ModuleType) -> None:
    words = [bytes([97 + k % 26, 97 + k // 26 % 26, 97 + k // 676 % 26]) * (1 + k % 9) for k in range(17_576)]
    table = table_of(kernel, [b" ".join(words)])
    assert table.items() == sorted(Counter(words).items())
    table.add_counts([(words[0], 5), (b"", 2), (b"z" * 300, 1)])
    counts = dict(table.items())
    assert counts[words[0]] == 6
    assert counts[b""] == 2
    assert counts[b"z" * 300] == 1


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("unit", ["a", "a ", "é", "日 ", "ab1", " "])
def test_time_is_linear(kernel: ModuleType, unit: str) -> None:
    assert_growth(lambda n: partial(table_of, kernel, [(unit * n).encode()], unicode=True), 20_000)
