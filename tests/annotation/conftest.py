"""Pipelines that several tests of annotations share."""

from __future__ import annotations

import pytest

from textprep_ml import BPETokenizer, TextPipeline, make_normalizer, make_text_pipeline

#: The common words are whole after these; a rare one falls apart.
MERGES = [
    ("t", "h"), ("th", "e"), ("th", "a"), ("tha", "t"), ("a", "p"), ("ap", "p"), ("i", "t"), ("i", "n"), ("in", "g"),
    ("f", "o"), ("fo", "r"), ("D", "r"), ("Dr", "."), ("I", "s"), ("n", "'"), ("n'", "t"), ("'", "s"), ("r", "e"),
]  # fmt: skip


@pytest.fixture(scope="session")
def bpe() -> BPETokenizer:
    return BPETokenizer.from_merges(MERGES, pretokenizer="none")


@pytest.fixture(scope="session")
def whole(bpe: BPETokenizer) -> TextPipeline:
    """Every stage: normalizer, segmenter, tokenizer, tagger, pieces."""
    return make_text_pipeline(
        normalizer=make_normalizer("search", case="keep", accents="keep"), segmenter="en", tagger="en-pos", subword=bpe
    )
