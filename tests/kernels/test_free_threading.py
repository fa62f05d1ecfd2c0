"""Every compiled kernel says that it needs no interpreter's lock, and keeps nothing that threads could share unseen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import textprep_ml._kernels as kernels

SOURCES = sorted(Path(kernels.__file__).parent.glob("_*.pyx"))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_kernels_are_declared(source: Path) -> None:
    lines = source.read_text(encoding="utf-8").splitlines()
    assert "freethreading_compatible=True" in lines[0]
    mutable = re.compile(r"(cdef (list|dict|set|object) )?_*[a-z]\w* = (?<!__all__ = )(\[|\{|list\(|dict\(|set\()")
    assert [line for line in lines if mutable.match(line)] == []


def test_there_are_sources() -> None:
    assert {"_words", "_bpe_encode", "_unigram", "_wordpiece"} <= {source.stem for source in SOURCES}
