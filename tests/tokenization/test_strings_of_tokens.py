"""Strings of tokens, made for many texts at once: right for every width of character, shared, and given back."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, lists, text

from tests.tokenization.texts import HOSTILE
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import words as pure
from textprep_ml.tokenization import WordTokenizer
from textprep_ml.tokenization._rules import build_rules

KERNELS: list[Any] = [pytest.param(pure, id="pure")]
if _exists("words"):
    from textprep_ml._kernels import _words

    KERNELS.append(pytest.param(_words, id="compiled"))

compiled_only = pytest.mark.skipif(not _exists("words"), reason="strings are shared by the compiled kernel")

#: Words of one, two and four bytes a character, shorter and longer than those that are shared; white space and zeros.
WIDE = text(alphabet="aZ\u00e9\u0436\u4e2d\U0001f600\0 ", max_size=40)


def rules_of(kernel: ModuleType) -> Any:
    return build_rules(WordTokenizer(contractions="keep", protect=None).get_params(deep=False), kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=50, deadline=None)
@given(texts=lists(WIDE | HOSTILE, max_size=8), n_words=integers(0, 40))
def test_strings_are_slices_of_the_texts(kernel: ModuleType, texts: list[str], n_words: int) -> None:
    rules = rules_of(kernel)
    texts = [*texts, *texts, " ".join(f"w{number}" for number in range(n_words))]
    expected = [[one[start:end] for start, end in kernel.spans(rules, one).tolist()] for one in texts]
    assert kernel.tokens_of_each(rules, texts) == expected


@pytest.mark.parametrize("kernel", KERNELS)
def test_more_distinct_words_than_are_shared(kernel: ModuleType) -> None:
    n_words = 140_000 if kernel is not pure else 700
    words = [f"w{number}" for number in range(n_words)] * 2
    texts = [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]
    rules = rules_of(kernel)
    for _ in range(2):  # the second time with words that are known from the first
        found = kernel.tokens_of_each(rules, texts)
        assert [word for row in found for word in row] == words


@compiled_only
@pytest.mark.parametrize("text", ["a" * 7 + " ", "a ", "\u4e2d"])
def test_arrays_of_many_spans_are_those_of_the_texts(text: str) -> None:
    """Large arrays begin at a large page, and are enlarged by what the texts had so far."""
    texts = [text * n for n in (1_200_000 // len(text), 0, 5, 1_500_000 // len(text))]
    rules = rules_of(_words)
    offsets, spans = _words.spans_of_each(rules, texts)
    assert spans.flags.c_contiguous
    assert offsets.tolist()[-1] == len(spans)
    for start, end, one in zip(offsets[:-1], offsets[1:], texts, strict=True):
        assert np.array_equal(spans[start:end], _words.spans(rules, one))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("texts", [[], [""], ["", " ", "\n"], ["", "a"], [" " * 300_000, "a"]])
def test_texts_without_tokens(kernel: ModuleType, texts: list[str]) -> None:
    assert kernel.tokens_of_each(rules_of(kernel), texts) == [text.split() for text in texts]


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_was_seen_in_texts_before_is_forgotten(kernel: ModuleType) -> None:
    """A scanner remembers how far it has looked for e-mail addresses and the like, for one text only."""
    rules = build_rules(WordTokenizer().get_params(deep=False), kernel)
    texts = ["a.b" * 40 + "@c.de " + "." * (300_000 if kernel is not pure else 300), "see a@b.org and c.txt now"] * 3
    assert kernel.tokens_of_each(rules, texts)[1::2] == [["see", "a@b.org", "and", "c.txt", "now"]] * 3


@compiled_only
def test_a_short_word_is_one_object_in_texts_of_every_width() -> None:
    texts = ["the cat", "the caf\u00e9", "the \u4e2d", "the \U0001f600"]
    found = _words.tokens_of_each(rules_of(_words), texts)
    assert len({id(row[0]) for row in found}) == 1


@compiled_only
def test_every_reference_is_given_back() -> None:
    rules, texts = rules_of(_words), ["some words, some words " * 50, "one word that-is-longer-than-any-shared"] * 20
    found = _words.tokens_of_each(rules, texts)
    some = found[0][0]
    here = sum(word is some for row in found for word in row)
    assert sys.getrefcount(some) == here + 2  # `some` and the argument
    assert all(gc.is_tracked(row) for row in found)
    del found
    assert sys.getrefcount(some) == 2


@compiled_only
def test_a_text_that_is_none_is_refused_and_nothing_is_kept() -> None:
    word = "surprisingly"
    with pytest.raises(TypeError, match="str"):
        _words.tokens_of_each(rules_of(_words), [word, 3])


@compiled_only
def test_threads_share_a_tokenizer() -> None:
    rules = rules_of(_words)
    texts = [" ".join(f"word{number * step}" for number in range(2000)) for step in range(1, 9)] * 4
    expected = _words.tokens_of_each(rules, texts)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(_words.tokens_of_each, [rules] * 8, [texts] * 8))
