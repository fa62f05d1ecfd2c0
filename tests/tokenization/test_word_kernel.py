"""The compiled word scanner and its twin agree on any text, lose nothing, and take linear time."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import lists

from tests.growth import assert_growth
from tests.tokenization.texts import HOSTILE, sample_lines
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import words as pure
from textprep_ml._unicode_table import SPACE, class_of
from textprep_ml.tokenization import PRESETS, RegexTokenizer, WordTokenizer
from textprep_ml.tokenization._rules import build_rules

KERNELS: list[Any] = [pytest.param(pure, id="pure")]
if _exists("words"):
    from textprep_ml._kernels import _words

    KERNELS.append(pytest.param(_words, id="compiled"))

CHOICES: tuple[dict[str, Any], ...] = (
    {},
    PRESETS["ud"],
    PRESETS["ptb"],
    {"language": "fr", "unspaced": "runs"},
    {"language": "it", "contractions": "moses", "hyphens": "split"},
    {"contractions": "keep", "protect": None, "abbreviations": None},
    {"contractions": {"gonna": "gon na", "*-ci": "* -ci", "l'*": "l' *"}},
)


def rules_of(kernel: ModuleType, choice: dict[str, Any]) -> Any:
    return build_rules(WordTokenizer(**choice).get_params(deep=False), kernel)


RULES = {kernel.id: [rules_of(kernel.values[0], choice) for choice in CHOICES] for kernel in KERNELS}


def check_lossless(text: str, spans: list[list[int]]) -> None:
    """All that is not white space is in exactly one token."""
    inside = [False] * len(text)
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        inside[start:end] = [True] * (end - start)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    for position, char in enumerate(text):
        assert inside[position] or class_of(char) & SPACE, (position, char)


@settings(max_examples=400)
@given(text=HOSTILE)
def test_kernels_agree_and_lose_nothing(text: str) -> None:
    for number in range(len(CHOICES)):
        expected = pure.spans(RULES["pure"][number], text).tolist()
        check_lossless(text, expected)
        assert pure.tokens(RULES["pure"][number], text) == [text[start:end] for start, end in expected]
        for kernel in KERNELS[1:]:
            rules = RULES[kernel.id][number]
            assert kernel.values[0].spans(rules, text).tolist() == expected
            assert kernel.values[0].tokens(rules, text) == [text[start:end] for start, end in expected]


@pytest.mark.parametrize("kernel", KERNELS)
def test_storage_width_does_not_matter(kernel: ModuleType) -> None:
    rules = rules_of(kernel, {})
    text = "Dr. Smith's e-mail (a@b.org) isn't at https://x.org/a?b=1, is it...?"
    expected = kernel.spans(rules, text).tolist()
    for wide in ("\u0100", "\U0001f600"):
        assert kernel.spans(rules, f"{text} {wide}").tolist() == [*expected, [len(text) + 1, len(text) + 2]]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_part_of_the_text(kernel: ModuleType) -> None:
    rules = rules_of(kernel, {})
    assert kernel.spans(rules, "one two.org three", 4, 7).tolist() == [[4, 7]]
    assert kernel.spans(rules, "").shape == (0, 2)


@pytest.mark.parametrize("kernel", KERNELS)
def test_many_tokens_grow_the_result(kernel: ModuleType) -> None:
    text = "," * 5000 + "it's " * 3000
    spans = kernel.spans(rules_of(kernel, {}), text).tolist()
    assert len(spans) == 5000 + 2 * 3000
    check_lossless(text, spans)


@pytest.mark.parametrize("kernel", KERNELS)
def test_samples_line_by_line_and_as_one_batch(kernel: ModuleType) -> None:
    rules = rules_of(kernel, {})
    lines = sample_lines()
    expected = [pure.tokens(RULES["pure"][0], line) for line in lines]
    assert kernel.tokens_of_each(rules, lines) == expected


SLOW = [
    f"{p}{q}"
    for p in "aA1"
    for q in (".", ",", "-", "@", "!", "?", "_", "/", "(", "[", " .", ". ", ":", "'", "\\", "&")
]
MORE_SLOW = [
    "://",
    "a://)",
    "a@a.",
    "www.",
    "a.b_",
    "[1,",
    "#",
    "_a",
    "~/",
    "a-it's-",
    "&#",
    "👍\u200d",
    "…-",
    "a/b.txt",
    "'s",
    "l'",
    "ー",
]


@pytest.mark.parametrize("unit", SLOW + MORE_SLOW)
@pytest.mark.parametrize("kernel", KERNELS)
def test_time_is_linear(kernel: ModuleType, unit: str) -> None:
    """Ten times the text takes at most twenty times as long (S28: dotted runs were quadratic elsewhere)."""
    n = 20_000 if kernel is not pure else 400
    rules = RULES["pure" if kernel is pure else "compiled"]
    for chosen in rules[:2]:
        assert_growth(lambda size, chosen=chosen: partial(kernel.spans, chosen, unit * size), n)


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=100)
@given(texts=lists(HOSTILE, max_size=6))
def test_many_texts_at_once_are_as_one_by_one(kernel: ModuleType, texts: list[str]) -> None:
    for rules in RULES["pure" if kernel is pure else "compiled"]:
        offsets, spans = kernel.spans_of_each(rules, texts)
        assert (offsets.dtype, spans.dtype) == (np.intp, np.intp)
        parts = [spans[start:end].tolist() for start, end in pairwise(offsets.tolist())]
        assert parts == [kernel.spans(rules, text).tolist() for text in texts]
        assert kernel.tokens_of_each(rules, texts) == [kernel.tokens(rules, text) for text in texts]


def test_batches_of_spans() -> None:
    texts = [*sample_lines(), "", "a" * 5000, "! " * 5000, "\U0001f642 ok", ""]
    for tokenizer in (WordTokenizer(), WordTokenizer(n_jobs=2), WordTokenizer(protected=["ok"]), RegexTokenizer()):
        assert [spans.tolist() for spans in tokenizer.spans_batch(texts)] == [
            tokenizer.spans(text).tolist() for text in texts
        ]
        assert tokenizer.spans_batch([]) == []
