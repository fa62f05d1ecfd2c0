"""A real browser: headless Chromium, driven by playwright. What is here is marked `browser`: `make test-browser`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

# A loaded machine is slow, and a test that waits for what comes at once waits no longer for that.
expect.set_options(timeout=30_000)

HERE = Path(__file__).parent

#: What one browser of Debian, Ubuntu or a vendor may be called.
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder, so that `-m "not browser"`, the default of pyproject.toml, leaves it out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


def find_browser() -> str:
    """Find the browser; TEXTPREP_ML_BROWSER names another one."""
    found = os.environ.get("TEXTPREP_ML_BROWSER") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise FileNotFoundError(
            "The browser tests found no Chromium: install it (Debian: apt-get install chromium), or name one in "
            "TEXTPREP_ML_BROWSER."
        )
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for the whole session."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """An empty page in a profile of its own; more tabs of it: ``browser_page.context.new_page()``.

    The test fails when a script of a page failed, and when a page asked for anything that is not on this machine.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    faults: list[str] = []
    context.on("weberror", lambda error: faults.append(f"script error: {error.error}"))
    context.on(
        "request", lambda request: faults.append(f"asked for {request.url}") if _is_remote(request.url) else None
    )
    yield context.new_page()
    context.close()
    assert not faults, faults


def _is_remote(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme not in ("file", "data", "blob", "about") and parts.hostname not in ("127.0.0.1", "localhost")


@pytest.fixture(scope="session")
def assert_accessible() -> Callable[[Page], None]:
    """Check a page against all rules of axe for WCAG 2.2 A and AA and for good practice."""
    axe = Axe()

    def check(page: Page) -> None:
        found = axe.run(page).response["violations"]
        lines = [f"{each['id']}: {each['help']}: {node['html']}" for each in found for node in each["nodes"]]
        assert not lines, "\n".join(lines)

    return check
