"""The page: well-formed, self-contained, safe with any text, the same for the same data; written whole or not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import textprep_ml
from tests.report.conftest import labelled
from tests.report.pages import Page
from textprep_ml import RuleSegmenter, SentenceSegmenter, TreebankTokenizer, WordTokenizer, iter_rows
from textprep_ml.report import check_report_path, render_report, segmenter_report, tokenizer_report, write_report
from textprep_ml.report.html import to_json
from textprep_ml.report.segmenters import add_learning_curve
from textprep_ml.report.views import SHOWN
from textprep_ml.report.wording import verdict, visible

SAMPLE = Path(__file__).parent.parent.parent / "data" / "sample"


@pytest.fixture(scope="module")
def tokens() -> dict[str, Any]:
    rows = list(iter_rows(SAMPLE / "tiny.conllu"))
    texts = ["<b>it's</b> 5pm & 😀", *(row["text"] for row in rows)]
    spans = [[(0, 2), (2, 11)], *(row["tokens"] for row in rows)]
    return tokenizer_report({"words": WordTokenizer(), "treebank": TreebankTokenizer()}, {"tiny": (texts, spans)})


@pytest.fixture(params=["report", "tokens"])
def any_report(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One report of each subject."""
    return request.getfixturevalue(request.param)


def test_the_page_is_well_formed_and_has_its_parts(any_report: dict[str, Any]) -> None:
    page = Page(render_report(any_report))
    assert page.all("html") == [{"lang": "en"}]
    assert [text.strip() for text in page.texts["h1"]] == [any_report["model"]]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    targets = {attributes["href"] for attributes in page.all("a")}
    assert targets <= {f"#{name}" for name in ids}
    assert {"#scores", "#kinds", "#errors"} <= targets
    labels = [value for _, attributes in page.elements if (value := attributes.get("aria-labelledby"))]
    assert set(labels) <= set(ids)
    assert all(attributes.get("aria-label") or attributes.get("aria-hidden") for attributes in page.all("svg"))
    assert page.all("main")
    assert page.all("meta")[1]["name"] == "viewport"


def test_nothing_comes_from_elsewhere(any_report: dict[str, Any]) -> None:
    html = render_report(any_report)
    page = Page(html)
    assert not page.all("link")
    assert not page.all("img")
    loading = {"src", "srcset", "xlink:href", "action", "poster", "background", "data"}
    assert not any(loading & set(attributes) for _, attributes in page.elements)
    assert all(attributes["href"].startswith("#") for attributes in page.all("a"))  # type: ignore[union-attr]
    for text in page.texts["style"] + page.texts["script"]:
        assert not re.search(r"https?:|//\w|url\(|@import|fetch|XMLHttpRequest", text)
    policy = next(each["content"] for each in page.all("meta") if "http-equiv" in each)
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_the_same_data_make_the_same_page(any_report: dict[str, Any]) -> None:
    html = render_report(any_report)
    assert render_report(any_report) == html
    assert render_report(json.loads(to_json(any_report))) == html


def test_another_process_makes_the_same_page(tmp_path: Path, report: dict[str, Any]) -> None:
    data = write_report(report, tmp_path / "a.html")
    code = (
        "import json, sys; from textprep_ml.report import render_report; "
        "sys.stdout.buffer.write(render_report(json.loads(open(sys.argv[1], 'rb').read()), 'a.json').encode())"
    )
    made = subprocess.run([sys.executable, "-c", code, data], capture_output=True, check=True).stdout
    assert made == (tmp_path / "a.html").read_bytes()


def test_texts_are_shown_as_they_are(report: dict[str, Any]) -> None:
    html = render_report(report)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(&#39;no&#39;)&lt;/script&gt; &amp; more. Bye &amp;amp; bye" in html
    page = Page(html)
    assert all(attributes["dir"] == "auto" for attributes in page.all("blockquote"))
    shown = page.texts["blockquote"]
    for error in report["errors"]:
        before, after = (visible(error[side]).replace("\ud800", "\ufffd") for side in ("before", "after"))
        assert any(text.startswith(before) and text.endswith(after) for text in shown)
    assert any("😴" in text and "␀␛" in text and "␍\n" in text and "�" in text for text in shown)
    assert any("قال الوزير" in text for text in shown)


def test_names_cannot_break_the_page() -> None:
    name = "\"><script>x()</script>' onmouseover='x()"
    texts, spans = labelled()
    html = render_report(segmenter_report({name: RuleSegmenter()}, {name: (texts, spans), "b": (texts, spans)}))
    page = Page(html)
    assert len(page.all("script")) == 1  # the page's own; without probabilities there is no data of a slider
    assert page.all("h1")[0]["title"] == name
    assert not any("onmouseover" in attributes for _, attributes in page.elements)


def test_every_error_is_there_with_what_was_predicted(report: dict[str, Any]) -> None:
    page = Page(render_report(report))
    items = [attributes for attributes in page.all("li") if attributes.get("class") == "error"]
    assert len(items) == len(report["errors"])
    assert sorted(int(each["data-order"] or -1) for each in items) == list(range(len(items)))
    by_order = {int(each["data-order"] or -1): each for each in items}
    for order, error in enumerate(report["errors"]):
        assert by_order[order]["data-kind"] == error["kind"]
        assert by_order[order]["data-type"] == error["type"]
    sure = [float(each["data-sure"] or -1) for each in items]
    assert sure == sorted(sure, reverse=True)
    assert len(page.all("polyline")) >= 4


def test_many_errors_are_capped_and_the_page_says_so(tmp_path: Path, report: dict[str, Any]) -> None:
    many = {**report, "errors": report["errors"] * 60}
    data = write_report(many, tmp_path / "out.html")
    page = Page((tmp_path / "out.html").read_text(encoding="utf-8"))
    items = [attributes for attributes in page.all("li") if attributes.get("class") == "error"]
    assert len(items) == SHOWN < len(many["errors"])
    told = (
        f"{SHOWN} of {len(many['errors'])} errors, the surest of each kind in turn; all of them are in the JSON file."
    )
    assert any(told in text for text in page.texts["p"])
    assert len(json.loads(data.read_bytes())["errors"]) == len(many["errors"])


def test_a_segmenter_without_errors_and_one_document() -> None:
    for texts, spans in (["One."], [[(0, 4)]]), ([""], [[]]):
        made = segmenter_report({"en": SentenceSegmenter.load("en"), "rules": RuleSegmenter()}, {"a": (texts, spans)})
        page = Page(render_report(made))
        assert "No errors." in page.texts["p"]
        assert not page.all("ol")


def test_the_learning_curve_is_drawn(report: dict[str, Any]) -> None:
    rows = list(iter_rows(SAMPLE / "train.jsonl"))[:8]
    train = [row["text"] for row in rows], [row["sentences"] for row in rows]
    with_curve = dict(report)
    add_learning_curve(with_curve, SentenceSegmenter(min_count=1), train, {"made": labelled()})
    assert [point["documents"] for point in with_curve["learning"]] == [1, 2, 4, 8]
    before, after = Page(render_report(report)), Page(render_report(with_curve))
    assert "#learning" in {each["href"] for each in after.all("a")} - {each["href"] for each in before.all("a")}
    assert any(each.get("class", "").startswith("band") for each in after.all("polygon"))  # type: ignore[union-attr]


def test_files_are_written_whole_and_replace_only_reports(tmp_path: Path, report: dict[str, Any]) -> None:
    data = write_report(report, tmp_path / "out.html")
    assert data == tmp_path / "out.json"
    document = json.loads(data.read_bytes())
    assert (document["format"], document["version"]) == ("textprep_ml report", 1)
    assert document["made_by"] == f"textprep_ml {textprep_ml.__version__}"
    assert json.loads(to_json({**document, "errors": []}))["overall"] == json.loads(to_json(report))["overall"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "out.json"]
    first = (tmp_path / "out.html").read_bytes()
    write_report(report, tmp_path / "out.html")
    assert (tmp_path / "out.html").read_bytes() == first
    with pytest.raises(ValueError, match="subject"):
        write_report({**report, "subject": "cats"}, tmp_path / "out.html")
    assert (tmp_path / "out.html").read_bytes() == first

    model = tmp_path / "model.json"
    model.write_text('{"format": "textprep_ml"}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"model\.json, which is no report"):
        write_report(report, tmp_path / "model.html")
    assert model.read_text(encoding="utf-8") == '{"format": "textprep_ml"}'
    with pytest.raises(ValueError, match=r"ends in \.html"):
        write_report(report, tmp_path / "out.pdf")
    with pytest.raises(ValueError, match="no folder"):
        write_report(report, tmp_path / "none" / "out.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "out.html", "out.json"]


def test_without_jinja2_it_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'textprep_ml\[report\]'"):
        check_report_path(tmp_path / "out.html")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ({"type": "miss"}, "Predicted none. A sentence ends here."),
        ({"type": "miss", "decided_by": "no candidate"}, "The model was not asked: this is no candidate."),
        ({"type": "false positive", "decided_by": "blank line"}, "as at every blank line. The sentence goes on here."),
        ({"type": "false positive", "decided_by": "policy", "candidate": None}, "a boundary by a rule among"),
        (
            {"type": "miss", "decided_by": "policy", "candidate": "mark", "probability": 0.9999},
            "none by a rule among the parameters (end mark, probability of a boundary above 0.999).",
        ),
        (
            {"type": "miss", "decided_by": "model", "candidate": "line", "probability": 1e-9},
            "(line break, probability of a boundary below 0.001)",
        ),
    ],
)
def test_verdicts(error: dict[str, Any], text: str) -> None:
    assert text in verdict(error)


def test_json_holds_any_text() -> None:
    text = "".join(map(chr, [*range(0x100), 0xDFFF, 0x2028, 0xD800, 0xFFFF, 0x1F600]))
    assert json.loads(to_json({"text": text}).encode("utf-8")) == {"text": text}
    with pytest.raises(ValueError, match="nan"):
        to_json({"score": float("nan")})
