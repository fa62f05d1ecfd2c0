"""The report in a real browser: read in light and dark and on a phone, filtered and sorted by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.report.conftest import labelled
from tests.segmentation.samples import labelled_sample
from textprep_ml import BPETokenizer, RuleSegmenter, SentenceSegmenter, TreebankTokenizer, WordTokenizer
from textprep_ml.report import segmenter_report, tokenizer_report, vocabulary_report, write_report
from textprep_ml.report.segmenters import add_learning_curve


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """A report with every part that a page can have."""
    corpora = {"made.jsonl": labelled(), "sample.jsonl": labelled_sample("dev")}
    report = segmenter_report({"en": SentenceSegmenter.load("en"), "rules": RuleSegmenter()}, corpora)
    texts, spans = labelled_sample("train")
    add_learning_curve(report, SentenceSegmenter(min_count=2), (texts[:12], spans[:12]), corpora)
    return report


@pytest.fixture(scope="module")
def pages(data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each subject."""
    folder = tmp_path_factory.mktemp("reports")
    texts = ["It's 5pm: a well-known <b> hour. " * 5, "שלום, עולם! 😀"]
    spans = [[(0, 2), (2, 11)], [(0, 4)]]
    tokens = tokenizer_report({"words": WordTokenizer(), "treebank": TreebankTokenizer()}, {"made": (texts, spans)})
    pieces = BPETokenizer(vocab_size=280).fit(texts)
    vocabulary = vocabulary_report({"large": pieces, "small": pieces.with_vocab_size(265)}, {"made": texts})
    for name, report in (("segmenter", data), ("tokenizer", tokens), ("vocabulary", vocabulary)):
        write_report(report, folder / f"{name}.html")
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.mark.parametrize("subject", ["segmenter", "tokenizer", "vocabulary"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_everyone_can_read_it(
    browser_page: Page,
    assert_accessible: Callable[[Page], None],
    pages: dict[str, Path],
    subject: str,
    scheme: Any,
    width: int,
) -> None:
    browser_page.emulate_media(color_scheme=scheme)
    browser_page.set_viewport_size({"width": width, "height": 844})
    browser_page.goto(pages[subject].as_uri())
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= width
    paper = browser_page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert_accessible(browser_page)


def shown(page: Page) -> list[int]:
    """Give the places, among all errors, of those that are seen, from top to bottom."""
    items = page.locator("#list > li:visible").all()
    return [int(item.get_attribute("data-order") or -1) for item in items]


def test_filters_and_orders(browser_page: Page, pages: dict[str, Path], data: dict[str, Any]) -> None:
    page, errors = browser_page, data["errors"]
    page.goto(pages["segmenter"].as_uri())
    assert sorted(shown(page)) == list(range(len(errors)))
    assert page.locator("#count").inner_text() == f"{len(errors)} shown"
    sure = [errors[order]["confidence"] for order in shown(page)]
    known = [each for each in sure if each is not None]
    assert sure == sorted(known, reverse=True) + [None] * (len(sure) - len(known))

    page.get_by_label("sort").select_option("least sure first")
    assert [errors[order]["confidence"] for order in shown(page)][: len(known)] == sorted(known)
    page.get_by_label("sort").select_option("as in the text")
    assert shown(page) == list(range(len(errors)))

    page.locator("select[name=kind]").select_option("terminal mark")
    page.get_by_label("type").select_option("invented")
    page.locator("select[name=corpus]").select_option("made")
    expected = [
        order
        for order, error in enumerate(errors)
        if (error["kind"], error["type"], error["corpus"]) == ("terminal mark", "false positive", "made.jsonl")
    ]
    assert expected
    assert shown(page) == expected
    assert page.locator("#count").inner_text() == f"{len(expected)} of {len(errors)} shown"

    page.get_by_label("with the text").fill("עולם")
    assert [errors[order]["before"][:4] for order in shown(page)] == ["שלום"]
    page.get_by_label("with the text").fill("nowhere")
    assert shown(page) == []
    page.reload()
    page.get_by_label("only where rules is right").check()
    assert sorted(shown(page)) == [order for order, error in enumerate(errors) if error["baseline_is_right"]]


def test_a_kind_leads_to_its_errors(browser_page: Page, pages: dict[str, Path], data: dict[str, Any]) -> None:
    browser_page.goto(pages["segmenter"].as_uri())
    browser_page.get_by_label("type").select_option("missed")
    browser_page.get_by_role("link", name="abbreviation").click()
    assert browser_page.url.endswith("#errors")
    assert browser_page.get_by_label("type").input_value() == ""
    found = {data["errors"][order]["kind"] for order in shown(browser_page)}
    assert found == {"abbreviation"}


def test_the_keyboard_reaches_everything(browser_page: Page, pages: dict[str, Path]) -> None:
    page = browser_page
    page.goto(pages["segmenter"].as_uri())
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(e => e === document.body ? '' : e.id || e.name || e.getAttribute('aria-label') || e.textContent)"
            "(document.activeElement)"
        )
        if not name:
            break
        reached.append(name)
    assert reached[0] == "Skip to the scores"
    wanted = {
        "Scores by corpus",
        "How this is measured",
        "abbreviation",
        "at",
        "kind",
        "type",
        "corpus",
        "text",
        "sort",
    }
    assert wanted | {"baseline", "Figures of the learning curve"} <= set(reached)
    page.locator("a.skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_threshold_is_moved_by_keys(browser_page: Page, pages: dict[str, Path], data: dict[str, Any]) -> None:
    page, curve = browser_page, data["threshold"]
    page.goto(pages["segmenter"].as_uri())
    output = page.locator("#mover output")
    start = output.inner_text()
    assert start.startswith("Threshold 0.500: ")
    slider = page.get_by_label("Move the threshold")
    before = page.locator("#threshold-chart .cursor").bounding_box()
    slider.press("ArrowRight")
    assert output.inner_text() == (
        f"Threshold {curve['threshold'][71]:.3f}: precision {curve['precision'][71]:.4f}, "
        f"recall {curve['recall'][71]:.4f}, F1 {curve['f1'][71]:.4f}, {curve['n_pred'][71]:,} found"
    )
    assert slider.get_attribute("aria-valuetext") == output.inner_text()
    after = page.locator("#threshold-chart .cursor").bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] > before["x"]
    slider.press("End")
    assert output.inner_text().startswith("Threshold 0.999: ")
    slider.press("ArrowLeft")
    slider.press("Home")
    assert output.inner_text().startswith("Threshold 0.001: ")


def test_each_text_runs_in_its_direction(browser_page: Page, pages: dict[str, Path]) -> None:
    page = browser_page
    page.goto(pages["segmenter"].as_uri())
    quote = page.locator("blockquote", has_text="הל").or_(page.locator("blockquote", has_text="שלום")).first
    assert quote.evaluate("e => getComputedStyle(e).direction") == "rtl"
    mark = quote.locator("mark")
    place = mark.bounding_box()
    box = quote.bounding_box()
    assert place is not None
    assert box is not None
    assert place["x"] > box["x"] + box["width"] / 2  # the text starts at the right
    latin = page.locator("blockquote", has_text="We met Dr.").first
    assert latin.evaluate("e => getComputedStyle(e).direction") == "ltr"
    assert "<script>alert('no')</script> & more. Bye &amp; bye" in latin.inner_text()


def test_without_scripts_all_of_it_is_readable(browser: Any, pages: dict[str, Path], data: dict[str, Any]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["segmenter"].as_uri())
    assert page.locator("#list > li").count() == len(data["errors"])
    assert page.locator("#filter").is_hidden()
    assert page.locator("#mover").is_hidden()
    context.close()
