"""Variants of labelled documents: other layouts, other abbreviations, marks that the corpus lacks.

A segmenter that saw one layout only takes the layout for the language. Each variant changes the text and carries the
sentence spans along; none needs to know the domain.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from textprep_ml.segmentation.citations import Citer
from textprep_ml.segmentation.documents import Document
from textprep_ml.segmentation.injection import AbbreviationInjector, substitutes, swap_abbreviations
from textprep_ml.segmentation.layouts import (
    add_dashes,
    add_numbers,
    add_speech,
    drop_marks,
    join_at_colons,
    justify_lines,
    list_lines,
    lose_breaks,
    lower_case,
    remove_case,
    replace_breaks,
    space_sentences,
    verse_lines,
    wrap_lines,
)

#: The variants, and how many of each a document gets on average where the caller does not say.
STANDARD = {
    "original": 1.0,
    "one_line": 0.5,
    "wrapped": 0.5,
    "line_breaks": 0.2,
    "wrapped_line_breaks": 0.3,
    "dashes": 0.2,
    "numbered": 0.1,
    "listed": 0.1,
    "speech": 0.3,
    "unmarked": 0.2,
    "colons": 0.2,
    "swapped": 0.4,
    "injected": 0.4,
    "cited": 0.2,
    "verse": 0.05,
    "lower_case": 0.1,
    "uncased": 0.03,
}


@dataclass(frozen=True)
class Variations:
    """Makes the variants of training documents that a plan asks for.

    Attributes
    ----------
    plan : mapping of str to float
        Name of a variant, out of `STANDARD` -> how many of it a document gets on average.
    abbreviations : mapping of str to str
        Entry -> class.
    group_of : mapping of str to object
        Class -> group.
    """

    plan: Mapping[str, float]
    abbreviations: Mapping[str, str]
    group_of: Mapping[str, object]

    def __call__(self, documents: Sequence[Document], rng: random.Random) -> tuple[list[Document], list[int]]:
        """Make the variants.

        Parameters
        ----------
        documents : sequence of Document
            The training documents.
        rng : random.Random
            Source of chance.

        Returns
        -------
        variants : list of Document
            In the order of the documents.
        sources : list of int
            Index of the document that each variant came from.
        """
        swaps = substitutes(self.abbreviations, self.group_of)
        by_class: dict[str, list[str]] = {}
        for entry, name in self.abbreviations.items():
            by_class.setdefault(name, []).append(entry)
        made = [
            (_MAKERS[name](document, rng, swaps, by_class), source)
            for source, document in enumerate(documents)
            for name, probability in self.plan.items()
            for _ in range(int(probability) + (rng.random() < probability % 1))
        ]
        return [variant for variant, _ in made], [source for _, source in made]


def _sometimes_one_line(document: Document, rng: random.Random, share: float) -> Document:
    return _one_line(document, rng) if rng.random() < share else document


def _one_line(document: Document, rng: random.Random) -> Document:
    return lose_breaks(document, blank_each=rng.random() < 0.35)


def _sometimes_wrapped(document: Document, rng: random.Random, share: float) -> Document:
    return _wrapped(document, rng) if rng.random() < share else document


def _wrapped(document: Document, rng: random.Random) -> Document:
    width, style = rng.randint(60, 100), rng.random()
    if style < 0.2:
        return wrap_lines(space_sentences(document), width)
    wrapped = wrap_lines(document, width)
    return justify_lines(wrapped, width, rng) if style < 0.35 else wrapped


_MAKERS: dict[
    str, Callable[[Document, random.Random, Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]], Document]
] = {
    "original": lambda document, rng, swaps, by_class: document,
    "one_line": lambda document, rng, swaps, by_class: _one_line(document, rng),
    "wrapped": lambda document, rng, swaps, by_class: _wrapped(document, rng),
    "line_breaks": lambda document, rng, swaps, by_class: replace_breaks(document, "\n"),
    "wrapped_line_breaks": lambda document, rng, swaps, by_class: _wrapped(replace_breaks(document, "\n"), rng),
    "dashes": lambda document, rng, swaps, by_class: add_dashes(
        lose_breaks(document), rng.choice(("-", "-", "--", "—", "–")), rng, rng.choice((0.3, 0.6, 0.9))
    ),
    "numbered": lambda document, rng, swaps, by_class: add_numbers(
        _sometimes_one_line(document, rng, 0.7), rng, rng.choice((0.3, 0.8))
    ),
    "listed": lambda document, rng, swaps, by_class: list_lines(document, rng, rng.choice((0.2, 0.5))),
    "speech": lambda document, rng, swaps, by_class: add_speech(
        _sometimes_one_line(document, rng, 0.5), rng, rng.choice((0.1, 0.3))
    ),
    "unmarked": lambda document, rng, swaps, by_class: drop_marks(_one_line(document, rng), rng),
    "colons": lambda document, rng, swaps, by_class: join_at_colons(
        _sometimes_one_line(document, rng, 0.5), rng, rng.choice((0.1, 0.3))
    ),
    "swapped": lambda document, rng, swaps, by_class: _sometimes_one_line(
        swap_abbreviations(document, swaps, rng), rng, 0.5
    ),
    "injected": lambda document, rng, swaps, by_class: _sometimes_one_line(
        AbbreviationInjector(by_class, rng.choice((0.08, 0.24)))(document, rng), rng, 0.4
    ),
    "cited": lambda document, rng, swaps, by_class: _sometimes_wrapped(
        _sometimes_one_line(Citer(by_class, rng.choice((0.15, 0.5)))(document, rng), rng, 0.4), rng, 0.3
    ),
    "verse": lambda document, rng, swaps, by_class: verse_lines(
        lose_breaks(document), rng.randint(18, 45), rng.random() < 0.8
    ),
    "lower_case": lambda document, rng, swaps, by_class: lower_case(document),
    "uncased": lambda document, rng, swaps, by_class: remove_case(document),
}
