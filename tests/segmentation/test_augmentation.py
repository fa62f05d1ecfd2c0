"""Variants of labelled documents keep their sentences, up to what they add or drop."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.segmentation.samples import labelled_sample
from textprep_ml.abbreviations import load_abbreviations
from textprep_ml.segmentation.attributes import GROUP_OF_CLASS
from textprep_ml.segmentation.augmentation import (
    STANDARD,
    Document,
    Variations,
    drop_marks,
    join_at_colons,
    justify_lines,
    lose_breaks,
    lower_case,
    replace_breaks,
    space_sentences,
    verse_lines,
    wrap_lines,
)
from textprep_ml.segmentation.citations import Citer

DOCUMENTS = [Document(text, [tuple(span) for span in spans]) for text, spans in zip(*labelled_sample(), strict=True)]
BY_CLASS: dict[str, list[str]] = {}
for entry, name in load_abbreviations("en").items():
    BY_CLASS.setdefault(name, []).append(entry)
SOME = st.sampled_from(DOCUMENTS)


def sentences(document: Document) -> list[str]:
    return [document.text[start:end] for start, end in document.sentences]


def words(document: Document) -> list[list[str]]:
    return [sentence.split() for sentence in sentences(document)]


def assert_valid(document: Document) -> None:
    position = 0
    for start, end in document.sentences:
        assert position <= start < end <= len(document.text)
        assert not document.text[position:start].strip()
        assert document.text[start:end].strip()
        assert not document.text[end - 1].isspace()  # labels are read from the ends
        position = end
    assert not document.text[position:].strip()


@settings(max_examples=40)
@given(SOME, st.integers(1, 120), st.sampled_from([" ", "\n", "\n\n"]))
def test_layouts_keep_every_word(document: Document, width: int, replacement: str) -> None:
    for variant in (wrap_lines(document, width), replace_breaks(document, replacement)):
        assert_valid(variant)
        assert words(variant) == words(document)
    assert lower_case(document).text.lower() == document.text.lower()


@settings(max_examples=40)
@given(SOME, st.integers(0, 1000))
def test_sentences_that_are_joined_keep_every_word(document: Document, seed: int) -> None:
    one_line = lose_breaks(document)
    joined = join_at_colons(document, random.Random(seed), share=0.5)
    for variant in (one_line, joined):
        assert_valid(variant)
        assert len(variant.text.split()) == len(document.text.split())
    assert "\n" not in one_line.text
    assert len(document.sentences) - len(joined.sentences) == joined.text.count(":") - document.text.count(":")
    ends_with_colon = sum(sentence.endswith(":") for sentence in sentences(document)[:-1])
    assert len(document.sentences) - ends_with_colon <= len(one_line.sentences) <= len(document.sentences)


@settings(max_examples=40)
@given(SOME, st.integers(0, 1000))
def test_dropped_marks_are_final_periods(document: Document, seed: int) -> None:
    variant = drop_marks(document, random.Random(seed), share=0.5)
    assert_valid(variant)
    for before, after in zip(sentences(document), sentences(variant), strict=True):
        assert after in (before, before.removesuffix("."))


#: The variants that put documents on one line, or join sentences at colons on purpose.
_JOINING = {"one_line", "dashes", "numbered", "speech", "unmarked", "colons", "swapped", "injected", "verse"}
#: Those that add sentences.
_ADDING = {"cited"}


@pytest.mark.parametrize("name", sorted(set(STANDARD) - _ADDING))
def test_every_variant_is_valid_and_joins_sentences_at_colons_only(name: str) -> None:
    vary = Variations({name: 2.0}, load_abbreviations("en"), GROUP_OF_CLASS)
    variants, sources = vary(DOCUMENTS, random.Random(1))
    assert len(variants) == len(sources) == 2 * len(DOCUMENTS)
    for variant, source in zip(variants, sources, strict=True):
        assert_valid(variant)
        joined = len(DOCUMENTS[source].sentences) - len(variant.sentences)
        inner = sum(sentence[:-1].count(":") for sentence in sentences(variant))
        assert 0 <= joined <= (inner if name in _JOINING else 0)


@settings(max_examples=40)
@given(SOME, st.integers(0, 1000))
def test_citations_come_between_sentences_or_inside_them(document: Document, seed: int) -> None:
    cited = Citer(BY_CLASS, share=1.0)(document, random.Random(seed))
    assert_valid(cited)
    found = iter(sentences(cited))
    for sentence in sentences(document):
        # The first word may lose its capital, and the final mark may move.
        first, _, inner = sentence[:-1].partition(" ")
        for other in found:
            if other.startswith(sentence[:-1]) or (
                other.startswith(_OPENINGS) and f", {first.lower()} {inner}" in other
            ):
                break
            assert other.endswith((".", ".)"))
        else:
            raise AssertionError(sentence)
    assert all(other.endswith((".", ".)")) for other in found)


#: What opens a sentence whose first words are a citation.
_OPENINGS = ("In ", "Under ", "As ", "Since ")


@settings(max_examples=40)
@given(SOME, st.integers(10, 50), st.booleans())
def test_verse_has_short_lines_with_capitals(document: Document, width: int, capitals: bool) -> None:
    one_line = lose_breaks(document)
    verse = verse_lines(one_line, width, capitals)
    assert_valid(verse)
    assert verse.text.replace("\n", " ").lower() == one_line.text.lower()
    assert verse.sentences == one_line.sentences
    lines = verse.text.split("\n")
    assert all(line[at - 1] == ":" for line in lines for at in range(width, len(line)) if line[at] == " ")
    assert not any(line.endswith(":") for line in lines[:-1])
    if capitals:
        assert not any(line[:1].islower() and line[0].upper() != line[0] for line in lines[1:] if line[:1] != "ß")


@settings(max_examples=40)
@given(SOME, st.integers(40, 100), st.integers(0, 1000))
def test_blanks_are_added_between_words_only(document: Document, width: int, seed: int) -> None:
    typed = space_sentences(document)
    wrapped = wrap_lines(document, width)
    justified = justify_lines(wrapped, width, random.Random(seed))
    for variant in (typed, justified, lose_breaks(document, blank_each=True)):
        assert_valid(variant)
    assert words(typed) == words(document) == words(justified)
    assert not any(typed.text[end : end + 2] == " " + typed.text[end + 1].strip() for _, end in typed.sentences[:-1])
    assert len(lose_breaks(document, blank_each=True).text) == len(document.text)
    before, after = wrapped.text.split("\n"), justified.text.split("\n")
    assert all(len(new) in (len(old), width) for old, new in zip(before, after, strict=True))


def test_a_plan_is_repeatable() -> None:
    vary = Variations(STANDARD, load_abbreviations("en"), GROUP_OF_CLASS)
    first, second = (vary(DOCUMENTS, random.Random(3)) for _ in range(2))
    assert first == second
    assert first != vary(DOCUMENTS, random.Random(4))
