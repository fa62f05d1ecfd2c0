"""The browser fixture itself: it would see what it is there to see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

_PAGE = """<!doctype html><html lang="en"><head><title>A page</title></head>
<body><main><h1>A page</h1>{}</main></body></html>"""


def test_a_clean_page_passes(browser_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    browser_page.set_content(_PAGE.format("<button>Say it</button>"))
    assert browser_page.get_by_role("button", name="Say it").is_visible()
    assert_accessible(browser_page)


def test_a_button_without_a_name_is_found(browser_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    browser_page.set_content(_PAGE.format("<button></button>"))
    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(browser_page)
