"""The picture of annotations as a browser lays it out: right-to-left text runs from right to left, nothing leaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from textprep_ml import BPETokenizer, RuleSegmenter, WordTokenizer, annotate

_PAGE = """<!doctype html><html lang="en"><head><title>A picture</title></head>
<body><main><h1>A picture</h1>{}</main></body></html>"""

TEXTS = ["It rains here. Stay in.", "שלום עולם טוב.", "كيف الحال اليوم؟", "evil \u202etxt.exe here", "e\u0301 tude"]


@pytest.fixture
def picture(browser_page: Page) -> Page:
    bpe = BPETokenizer(num_merges=30, byte_level=False, pretokenizer="none").fit(TEXTS)
    found = annotate([RuleSegmenter(), WordTokenizer(), bpe], TEXTS)
    browser_page.set_content(_PAGE.format(found._repr_html_()))
    return browser_page


def places(picture: Page, document: int, selector: str) -> list[float]:
    """Where the boxes of a document start, from the left, in the order of the text."""
    boxes = picture.locator(".document").nth(document).locator(selector)
    found = [boxes.nth(index).bounding_box() for index in range(boxes.count())]
    return [box["x"] for box in found if box is not None]


def test_boxes_run_as_the_text_does(picture: Page) -> None:
    first = places(picture, 0, ".sentences:first-of-type > .row > .tokens")
    assert first == sorted(first)
    for document in (1, 2):
        tokens = places(picture, document, ".tokens")
        assert len(tokens) > 3
        assert tokens == sorted(tokens, reverse=True)
        pieces = places(picture, document, ".tokens:first-of-type .pieces")
        assert pieces == sorted(pieces, reverse=True)


def test_an_override_in_the_text_turns_nothing_around(picture: Page) -> None:
    tokens = places(picture, 3, ".tokens")
    assert tokens == sorted(tokens)
    assert "U+202E" in picture.locator(".document").nth(3).inner_text()


def test_a_letter_and_its_mark_are_drawn_as_one(picture: Page) -> None:
    assert picture.locator(".document").nth(4).locator(".tokens .surface").first.inner_text() == "e\u0301"


def test_nothing_sticks_out(picture: Page) -> None:
    assert picture.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_it_is_accessible(picture: Page, assert_accessible: Callable[[Page], None]) -> None:
    assert_accessible(picture)
