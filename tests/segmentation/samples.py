"""The labelled sample, text for property tests, and what holds for the spans of any segmenter."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.growth import assert_growth
from textprep_ml import iter_rows

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "data" / "sample"

#: Text as a user's machine may deliver it: every plane, lone surrogates, odd white space, marks in every arrangement.
PIECES = (
    "Dr.", "e.g.", "U.S.", "No.", "3.5", "1.", "(b)", "the", "The", "He", "left", "left.", "Smith", "don't", "XIV",
    "http://a.b/C.D", "A.b@C.d", "www.A.com", ". . .", "…", "?!", "!!!", ".", "?", "「天。」", "（安。字）", "好。",
    "है।", '"', "“", "”", "«", "»", "'", "(", ")", "[", "—", " - ", "•", "#a", "@b", "😀", "❤️", "👍🏽", "end.Next", "a,",
    "؟", " ", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\n- ", "\n1. ", "\u00a0", "\u2003", "\u3000", "\u2028", "\u0085",
    "\x0b", "\x1c", "\x00", "\u200b", "\u00ad", "\u0301", "\ufeff", "\ud800", "\udfff", "\U0010ffff", "\U000e0041",
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join),
    st.text(st.characters(exclude_categories=()), max_size=30),
)


#: White space of Unicode: that of Python without the four separators of files, groups, records and units.
BLANKS = "".join(char for char in map(chr, range(0x3001)) if char.isspace() and char not in "\x1c\x1d\x1e\x1f")


def labelled_sample(name: str = "train") -> tuple[list[str], list[list[list[int]]]]:
    """Give texts and spans of the labelled sample."""
    rows = list(iter_rows(SAMPLE / f"{name}.jsonl"))
    return [row["text"] for row in rows], [row["sentences"] for row in rows]


def changed(segmenter: Any, **params: Any) -> Any:
    """Give a fitted segmenter with other parameters, and leave the one that is given as it is."""
    return copy.copy(segmenter).set_params(**params)


def assert_lossless(text: str, spans: list[tuple[int, int]]) -> None:
    """Check that spans increase, none is blank, none has white space around it, and only white space is left out."""
    position = 0
    for start, end in spans:
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip(BLANKS)
        position = end
    assert not text[position:].strip()


def assert_grows_gently(call: Callable[[str], Any], make: Callable[[int], str], short: int = 2000) -> None:
    """Check that ten times the text takes at most twenty times as long."""
    assert_growth(lambda size: partial(call, make(size)), short)
