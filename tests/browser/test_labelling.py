"""The labelling page, as a person meets it: keys, clicks, reloads, crashes, two tabs, large and right-to-left text."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

ROOT = Path(__file__).parents[2]

NOTES = (
    "We met Dr. Ito at approx. Noon. She left. It was no. 5 of 7. We ran.\n\n"
    "He saw vol. Two of it. Then Prof. Lee came op. Cit. again. The end was near. Was it? Yes!\n"
)
MIXED = (
    "قال د. أحمد إنه وصل الساعة 3.30 مساءً. ثم غادر. هل كان ذلك صحيحا؟ نعم!\n\n"
    "פרופ. כהן הגיע אתמול. הוא דיבר על הנושא. מה דעתך?\n\n"
    "We met 👩‍👩‍👧 Dr. Ito 😀. She left 🎉 We ran. 🇩🇪🇫🇷 It rained approx. 3 hrs. Then 🙃 it stopped.\n"
)


class Server:
    """``textprep label`` in a process of its own."""

    def __init__(self, folder: Path, *files: str, options: tuple[str, ...] = ()) -> None:
        self.out = folder / "labels.jsonl"
        self.command = [
            sys.executable, "-c", "from textprep_ml.cli import main; main()",
            "label", *(str(folder / file) for file in files), "--out", str(self.out), *options,
        ]  # fmt: skip
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        assert line.startswith("Open "), self.process.communicate()[1]
        self.url = line.removeprefix("Open ").strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def labels(self) -> dict[int, bool]:
        """Give the labels of the first document, once the server has ended."""
        (row, *_) = map(json.loads, self.out.read_text(encoding="utf-8").splitlines())
        ends = {end for _, end in row["sentences"]}
        return {start: start in ends for start, _ in row["labelled"]}


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers over texts, given by their names."""
    servers: list[Server] = []

    def call(options: tuple[str, ...] = (), **texts: str) -> Server:
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        servers.append(Server(tmp_path, *(f"{name}.txt" for name in texts), options=options))
        return servers[-1]

    yield call
    for server in servers:
        server.kill()


def open_page(page: Page, server: Server) -> None:
    page.goto(server.url)
    count(page, 0)
    expect(page.locator(".mark.asked")).to_be_in_viewport()


def count(page: Page, n: int) -> None:
    """Wait until there are n labels, saved, and the next question is there."""
    expect(page.locator("#n-labels")).to_have_text(str(n))
    expect(page.locator("#saved-text")).to_have_text("Saved in labels.jsonl")
    expect(page.locator("#question")).to_have_attribute("aria-busy", "false")


def asked(page: Page) -> int:
    return int(page.locator(".mark.asked").get_attribute("data-end") or 0)


def press(page: Page, key: str, n: int) -> None:
    """Press a key and wait until there are n labels."""
    page.keyboard.press(key)
    count(page, n)


def mark(page: Page, end: int) -> Any:
    return page.locator(f'.mark[data-end="{end}"]')


# Keys and clicks


def test_keys_answer_and_every_answer_is_saved(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    first = asked(browser_page)
    press(browser_page, "y", 1)
    second = asked(browser_page)
    press(browser_page, "n", 2)
    assert second != first
    expect(mark(browser_page, first)).to_have_attribute("aria-pressed", "true")
    expect(mark(browser_page, second)).to_have_attribute("aria-pressed", "false")
    third = asked(browser_page)
    agrees = mark(browser_page, third).get_attribute("aria-pressed") == "true"
    press(browser_page, "Enter", 3)
    server.stop()
    assert server.labels() == {first: True, second: False, third: agrees}


def test_a_key_pressed_before_the_next_question_is_shown_does_not_answer_it(
    browser_page: Page, serve: Callable[..., Server]
) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    first = asked(browser_page)

    def slow(route: Route) -> None:
        browser_page.keyboard.press("n")  # the server has not confirmed the first answer yet
        route.continue_()

    browser_page.route("**/api/decide", slow, times=1)
    press(browser_page, "y", 1)
    assert asked(browser_page) != first
    press(browser_page, "y", 2)
    server.stop()
    assert set(server.labels().values()) == {True}


def test_next_back_and_undo(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    first = asked(browser_page)
    browser_page.keyboard.press("s")
    expect(mark(browser_page, first)).not_to_have_class("asked")
    expect(browser_page.locator(f'.mark.asked:not([data-end="{first}"])')).to_be_visible()
    browser_page.keyboard.press("b")
    expect(browser_page.locator(f'.mark.asked[data-end="{first}"]')).to_be_visible()
    expect(browser_page.get_by_role("button", name="Undo")).to_be_disabled()
    press(browser_page, "y", 1)
    browser_page.get_by_role("button", name="Undo").click()
    count(browser_page, 0)
    expect(browser_page.locator(f'.mark.asked[data-end="{first}"]')).to_be_visible()
    press(browser_page, "n", 1)
    browser_page.keyboard.press("Control+z")
    count(browser_page, 0)


def test_clicks_set_and_remove_boundaries(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    end = NOTES.index(" She left")
    expect(mark(browser_page, end)).to_have_attribute("aria-pressed", "true")
    mark(browser_page, end).click()
    count(browser_page, 1)
    expect(mark(browser_page, end)).to_have_attribute("aria-pressed", "false")
    mark(browser_page, end).click()
    expect(mark(browser_page, end)).to_have_attribute("aria-pressed", "true")
    count(browser_page, 1)
    server.stop()
    assert server.labels() == {end: True}


def click_text(page: Page, word: str) -> None:
    """Click right behind a word of the text."""
    x, y = page.evaluate(
        """(word) => {
            for (const span of document.querySelectorAll("[data-from]")) {
                const at = span.firstChild.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(span.firstChild, at + word.length - Array.from(word).at(-1).length);
                range.setEnd(span.firstChild, at + word.length);
                const box = range.getBoundingClientRect();
                const leftward = /[\\u0590-\\u06ff]/.test(word);
                return [leftward ? box.left + 1 : box.right - 1, box.top + box.height / 2];
            }
        }""",
        word,
    )
    page.mouse.click(x, y)


def test_a_click_between_words_sets_a_boundary_and_a_click_on_it_removes_it(
    browser_page: Page, serve: Callable[..., Server]
) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    end = NOTES.index(" came op.")
    click_text(browser_page, "Lee")
    count(browser_page, 1)
    expect(mark(browser_page, end)).to_have_attribute("aria-pressed", "true")
    mark(browser_page, end).click()
    expect(mark(browser_page, end)).to_have_count(0)
    count(browser_page, 0)
    click_text(browser_page, "near")
    count(browser_page, 1)
    server.stop()
    assert server.labels() == {NOTES.index(" Was it"): False}


def test_a_whole_paragraph_is_confirmed(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    place = asked(browser_page)
    browser_page.get_by_role("button", name="This paragraph is right").click()
    expect(browser_page.locator("#n-labels")).not_to_have_text("0")
    server.stop()
    cut = NOTES.index("\n\n")
    assert len(server.labels()) > 3
    assert all((end <= cut) == (place <= cut) for end in server.labels())


def test_single_keys_can_be_switched_off(browser_page: Page, serve: Callable[..., Server]) -> None:
    open_page(browser_page, serve(notes=NOTES))
    browser_page.get_by_label("Single keys answer").uncheck()
    browser_page.locator("#scroller").focus()
    browser_page.keyboard.press("y")
    browser_page.get_by_role("button", name="It ends here").focus()
    browser_page.keyboard.press("Enter")
    count(browser_page, 1)


# Surviving


def test_labels_survive_a_reload_and_so_does_undo(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    first = asked(browser_page)
    press(browser_page, "y", 1)
    browser_page.reload()
    count(browser_page, 1)
    expect(mark(browser_page, first)).to_have_class("mark on sure")
    press(browser_page, "u", 0)


def test_labels_survive_kill_9_and_the_open_page_goes_on(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    first = asked(browser_page)
    press(browser_page, "y", 1)
    second = asked(browser_page)
    press(browser_page, "n", 2)
    server.kill()
    expect(browser_page.get_by_role("alert")).to_contain_text("What it had confirmed is safe")
    browser_page.keyboard.press("y")
    expect(browser_page.locator("#saved-text")).to_have_text("No connection")
    old = server.url
    server.start()
    assert server.url == old
    count(browser_page, 2)
    expect(browser_page.get_by_role("alert")).to_be_hidden()
    third = asked(browser_page)
    press(browser_page, "y", 3)
    server.stop()
    assert server.labels() == {first: True, second: False, third: True}


def test_two_tabs_see_each_other_and_do_not_overwrite(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(notes=NOTES)
    open_page(browser_page, server)
    other = browser_page.context.new_page()
    open_page(other, server)
    first = asked(browser_page)
    press(browser_page, "y", 1)
    count(other, 1)
    expect(mark(other, first)).to_have_class("mark on sure asked")
    # The second tab misses an event, as one does that has just been woken up, and decides on what it sees.
    other.route("**/api/decide", lambda route: route.continue_(post_data=stale(route.request.post_data)))
    other.keyboard.press("n")
    expect(other.get_by_role("alert")).to_contain_text("labelled in another tab")
    expect(mark(other, first)).to_have_attribute("aria-pressed", "true")
    server.stop()
    assert server.labels() == {first: True}


def stale(body: str | None) -> str:
    value = json.loads(body or "")
    return json.dumps({**value, "changes": [[end, None, now] for end, _, now in value["changes"]]})


# Retraining


def test_retraining_shows_progress_a_score_and_new_questions(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(("--dev", "data/sample/dev.jsonl"), notes=NOTES)
    open_page(browser_page, server)
    for n in range(1, 5):
        press(browser_page, "yn"[n % 2], n)
    browser_page.keyboard.press("r")
    expect(browser_page.get_by_role("progressbar")).to_be_visible()
    expect(browser_page.locator("#chart circle")).to_have_count(2, timeout=120_000)
    assert "after 4 labels" in (browser_page.locator("#chart svg").get_attribute("aria-label") or "")
    expect(browser_page.locator("#model")).to_have_text("The retrained model is labels.model.json.")
    expect(browser_page.get_by_role("progressbar")).to_be_hidden()
    press(browser_page, "y", 5)


# Text of all kinds


def test_right_to_left_and_emoji(browser_page: Page, serve: Callable[..., Server]) -> None:
    server = serve(mixed=MIXED)
    open_page(browser_page, server)
    assert browser_page.locator(".text").evaluate("text => getComputedStyle(text).unicodeBidi") == "plaintext"
    right, left = browser_page.evaluate(
        """() => ["قال", "We met"].map((word) => {
            const span = [...document.querySelectorAll("[data-from]")].find((each) => each.textContent.includes(word));
            const range = document.createRange();
            const at = span.firstChild.data.indexOf(word);
            range.setStart(span.firstChild, at);
            range.setEnd(span.firstChild, at + word.length);
            const box = range.getBoundingClientRect();
            const text = document.querySelector(".text").getBoundingClientRect();
            return word === "قال" ? text.right - box.right : box.left - text.left;
        })"""
    )
    assert max(right, left) < 8  # each paragraph starts at its own side
    for n, (word, end) in enumerate(
        [
            ("وصل", MIXED.index(" الساعة")),
            ("הוא", MIXED.index(" דיבר")),
            ("left", MIXED.index(" 🎉")),
            ("Then", MIXED.index(" 🙃")),
        ],
        start=1,
    ):
        click_text(browser_page, word)
        count(browser_page, n)
        expect(mark(browser_page, end)).to_have_class("mark on sure")
    server.stop()
    row = json.loads(server.out.read_text(encoding="utf-8"))
    for word in ("وصل", "הוא", "She left", "Then"):
        assert any(row["text"][start:end].endswith(word) for start, end in row["sentences"])


@pytest.fixture(scope="module")
def large() -> str:
    """Ten megabytes with something doubtful now and then."""
    block = "".join(
        f"Line {number} of it came in at no. {number} and left. We saw vol. {number} Then it ran.\n"
        for number in range(40)
    )
    repeated = block + "\n"
    return repeated * (10_000_000 // len(repeated) + 1)


#: Whether the text in the middle of the view is there.
IN_THE_MIDDLE = """() => {
    const box = document.getElementById("scroller").getBoundingClientRect();
    const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return seen?.closest(".passage:not(.waiting)");
}"""


def test_ten_megabytes_open_without_freezing(browser_page: Page, serve: Callable[..., Server], large: str) -> None:
    assert len(large.encode()) > 10_000_000
    server = serve(large=large)
    open_page(browser_page, server)
    # The longest time for which nothing else could happen, while all of the document is scrolled through.
    browser_page.evaluate(
        """() => {
            window.longest = 0;
            let last = performance.now();
            setInterval(() => {
                window.longest = Math.max(window.longest, performance.now() - last);
                last = performance.now();
            }, 10);
        }"""
    )
    for share in (0.2, 0.9, 0.5, 1.0, 0.0):
        browser_page.locator("#position").fill(str(1000 * share))
        browser_page.wait_for_function(IN_THE_MIDDLE)
        assert browser_page.locator(".passage").count() < 20
    assert browser_page.evaluate("window.longest") < 5000  # a page that builds the whole text stops for much longer
    browser_page.locator("#position").fill("1000")
    expect(browser_page.locator("#where")).to_have_text(re.compile(rf"(99|100) % of {len(large):,}"))
    press(browser_page, "y", 1)
    expect(browser_page.locator(".mark.asked")).to_be_in_viewport()
    server.stop()
    assert len(server.labels()) == 1


# Seeing and reaching everything


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(
    browser_page: Page, serve: Callable[..., Server], assert_accessible: Callable[[Page], None], scheme: Any
) -> None:
    browser_page.emulate_media(color_scheme=scheme)
    server = serve(("--dev", "data/sample/dev.jsonl"), mixed=MIXED + NOTES, notes=NOTES)
    open_page(browser_page, server)
    press(browser_page, "y", 1)
    press(browser_page, "n", 2)
    browser_page.locator("#why summary").click()
    assert_accessible(browser_page)
    browser_page.set_viewport_size({"width": 390, "height": 844})
    assert_accessible(browser_page)
    width = browser_page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


def test_everything_can_be_reached_by_keyboard(browser_page: Page, serve: Callable[..., Server]) -> None:
    open_page(browser_page, serve(notes=NOTES))
    press(browser_page, "y", 1)
    reached = set()
    for _ in range(60):
        browser_page.keyboard.press("Tab")
        reached.add(browser_page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"document", "position", "scroller", "yes", "no", "agree", "skip", "retrain", "paragraph", "keys"} <= reached
    assert any(name.startswith("mark") for name in reached)


def test_what_it_says_when_nothing_is_left(browser_page: Page, serve: Callable[..., Server]) -> None:
    open_page(browser_page, serve(notes="We left. They came."))
    press(browser_page, "y", 1)
    expect(browser_page.locator("#context")).to_have_text("Every place has a label.")
    expect(browser_page.get_by_role("button", name="It ends here")).to_be_disabled()
