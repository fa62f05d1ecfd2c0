"""Tokens as formats want them that have no gaps and no overlaps: every character that is no white space is in one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from textprep_ml.corpora._rows import WHITE_SPACE

if TYPE_CHECKING:
    from textprep_ml.annotation.result import Annotations

_SOLID = re.compile(f"[^{WHITE_SPACE}]+")


class Surface(NamedTuple):
    """A stretch of the raw text.

    Attributes
    ----------
    start, end : int
        Its span.
    tokens : list of int
        The tokens that were made from it, mostly one; none where the text stands outside of tokens.
    sentence : int
        Its sentence within the document.
    """

    start: int
    end: int
    tokens: list[int]
    sentence: int


def cover(annotations: Annotations, number: int) -> list[Surface]:
    """Give a document as surfaces in order, without overlaps; only white space stands between them.

    Parameters
    ----------
    annotations : Annotations
        With tokens.
    number : int
        The document.

    Returns
    -------
    list of Surface
        Tokens that share characters are together in one.
    """
    document = annotations[number]
    text = document.texts[0]
    starts = document.sentences.spans[:, 0] if "sentences" in document.layers else np.zeros(1, dtype=np.intp)
    covered: list[Surface] = []
    end = 0
    for surface in _join(document):
        covered += _outside(text, end, surface.start, starts)
        covered.append(surface)
        end = surface.end
    covered += _outside(text, end, len(text), starts)
    return covered


def _join(document: Annotations) -> list[Surface]:
    """Put tokens together that share characters; one that was made from nothing goes to the one before."""
    joined: list[Surface] = []
    sentences = _sentence_numbers(document).tolist()
    for token, (start, end) in enumerate(document.tokens.spans.tolist()):
        last = joined[-1] if joined else None
        if last is not None and (start < last.end or start == end):
            joined[-1] = last._replace(end=max(end, last.end), tokens=[*last.tokens, token])
        elif last is not None and last.start == last.end:
            joined[-1] = last._replace(start=start, end=end, tokens=[*last.tokens, token])
        else:
            joined.append(Surface(start, end, [token], sentences[token]))
    return joined


def _outside(text: str, start: int, end: int, sentences: np.ndarray) -> Iterator[Surface]:
    """Give what stands between tokens; what stands before all sentences goes to the first."""
    for match in _SOLID.finditer(text, start, end):
        number = int(np.searchsorted(sentences, match.start(), side="right")) - 1
        yield Surface(match.start(), match.end(), [], max(number, 0))


def _sentence_numbers(document: Annotations) -> np.ndarray:
    """Give the sentence of each token; without a segmenter the document is one."""
    name = next(key for key, layer in document.layers.items() if layer.kind == "tokens")
    numbers = np.arange(len(document.layers[name]))
    while name != "documents":
        if name == "sentences":
            return numbers
        numbers = document.layers[name].parents[numbers]
        name = document.parent_of(name)
    return numbers
