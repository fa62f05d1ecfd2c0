"""Whatever the text, the model and the policy: spans increase, none is blank, and only white space is left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.segmentation.samples import TEXTS, assert_lossless, changed
from textprep_ml import NaiveSegmenter, RuleSegmenter

OPTIONS = st.fixed_dictionaries(
    {
        "newline": st.sampled_from(["auto", "hard", "soft", "paragraph"]),
        "candidates": st.sampled_from([("mark",), ("line", "gap"), ("mark", "line", "gap")]),
        "threshold": st.sampled_from([0.01, 0.5, 0.99]),
        "missing_blank": st.sampled_from(["model", "split", "join"]),
        "quotes": st.sampled_from(["split", "keep"]),
        "protected": st.sampled_from([(), ("end.", "Dr. Smith", "!")]),
        "max_length": st.sampled_from([None, 1, 3, 20]),
    }
)


@pytest.mark.parametrize("fitted", ["linear", "tree", "english"])
def test_every_model_and_policy(fitted: str, request: pytest.FixtureRequest) -> None:
    segmenter = request.getfixturevalue(fitted)

    @settings(max_examples=60)
    @given(TEXTS, OPTIONS)
    def check(text: str, options: dict[str, Any]) -> None:
        spans = changed(segmenter, **options).spans(text)
        assert_lossless(text, spans)
        if options["max_length"]:
            assert all(end - start <= options["max_length"] for start, end in spans)

    check()


@settings(max_examples=150)
@given(TEXTS)
def test_default_options(english: Any, text: str) -> None:
    assert_lossless(text, english.spans(text))
    assert english.spans(text) or not text.strip()


@settings(max_examples=60)
@given(TEXTS, st.sampled_from(["auto", "hard", "soft", "paragraph"]))
def test_baselines(text: str, newline: str) -> None:
    assert_lossless(text, NaiveSegmenter().spans(text))
    assert_lossless(text, RuleSegmenter(newline=newline).spans(text))
