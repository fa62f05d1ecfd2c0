"""Documents that try a page: several scripts, both directions, emoji, markup, controls, and errors of every sort."""

from __future__ import annotations

from typing import Any

import pytest

from textprep_ml import RuleSegmenter, SentenceSegmenter
from textprep_ml.report import segmenter_report

#: Documents with ¦ where a sentence ends. Some of these labels are wrong on purpose, so that there are errors to show.
MARKED = (
    "We met Dr.¦ Ito. She left.¦ <script>alert('no')</script> & more.¦ Bye &amp; bye¦",
    "قال الوزير: نعم. ثم غادر!¦ هل¦ عاد؟ لا.¦",
    "שלום עולם. מה שלומך?¦ טוב 😀.¦ תודה¦ רבה!¦",
    "so late 😴 no bus.\n\nsee you 👩‍👩‍👧‍👦 tomorrow\r\nBob\x00\x1b the 2nd.¦ Fi¦ne\ud800¦",
    "One two three. Four five six.¦ Seven eight nine.¦ Ten¦",
)


def labelled(documents: tuple[str, ...] = MARKED) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """Give texts, and the spans of their sentences without white space around."""
    texts, spans = [], []
    for document in documents:
        text, found = "", []
        for sentence in document.split("¦")[:-1]:
            start = len(text) + len(sentence) - len(sentence.lstrip())
            text += sentence
            found.append((start, len(text)))
        texts.append(text)
        spans.append(found)
    return texts, spans


@pytest.fixture(scope="session")
def english() -> SentenceSegmenter:
    """The shipped model."""
    return SentenceSegmenter.load("en")


@pytest.fixture(scope="session")
def report(english: SentenceSegmenter) -> dict[str, Any]:
    """A report on two corpora, against the rules."""
    texts, spans = labelled()
    corpora = {"made/first.jsonl": (texts, spans), "made/second.jsonl": (texts[:2], spans[:2])}
    return segmenter_report({"en": english, "rules": RuleSegmenter()}, corpora)
