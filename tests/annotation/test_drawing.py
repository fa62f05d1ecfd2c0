"""The picture in notebooks: everything is there, escaped, isolated, and in the direction of its text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from textprep_ml import BPETokenizer, NaiveSegmenter, TextPipeline, WordTokenizer, annotate, make_text_pipeline
from textprep_ml.annotation import drawing


class Boxes(HTMLParser):
    """Collects boxes of a class with their direction, and the text of all isolated elements; checks the nesting."""

    def __init__(self, picture: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.boxes: list[tuple[str, str]] = []
        self.isolated: list[str] = []
        self.feed(picture)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        given = dict(attrs)
        if given.get("class") in ("sentences", "tokens", "pieces", "row"):
            self.boxes.append((given["class"] or "", given.get("dir") or ""))
        if tag == "bdi":
            self.isolated.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "bdi" in self.open:
            self.isolated[-1] += data
        elif "style" not in self.open:
            assert data.isascii(), "text of a document outside of an isolated element"


def test_sentences_tokens_pieces_under_one_another(whole: TextPipeline) -> None:
    found = annotate(whole, ["It rains. Stay in."])
    picture = Boxes(found._repr_html_())
    assert [kind for kind, _ in picture.boxes if kind != "row"].count("sentences") == 2
    assert picture.boxes[:5] == [
        ("sentences", "ltr"), ("row", "ltr"), ("tokens", "ltr"), ("row", "ltr"), ("pieces", "ltr"),
    ]  # fmt: skip
    assert picture.isolated[:4] == ["It rains.", "It", "PRON", "I"]
    assert len([kind for kind, _ in picture.boxes if kind == "pieces"]) == len(found.pieces)


def test_markup_in_a_text_is_text() -> None:
    picture = annotate(WordTokenizer(), ["<script>alert(\"1\")</script> & <b title='x'>"])._repr_html_()
    assert "<script" not in picture
    assert "<b " not in picture
    assert "&lt;" in picture
    assert "&amp;" in picture


def test_rows_run_as_their_text_does() -> None:
    texts = ["שלום world.", "123 سلام", "123", "hello שלום"]
    picture = Boxes(annotate([NaiveSegmenter(), WordTokenizer()], texts)._repr_html_())
    assert [direction for kind, direction in picture.boxes if kind == "sentences"] == ["rtl", "rtl", "", "ltr"]
    assert [direction for kind, direction in picture.boxes if kind == "tokens"][:2] == ["rtl", "ltr"]
    assert picture.isolated[0] == "שלום world."


def test_what_cannot_be_seen_is_written_by_its_code() -> None:
    bpe = BPETokenizer(num_merges=0).fit(["any"])
    isolated = "".join(Boxes(annotate(bpe, ["a\u202eb\x00 é"])._repr_html_()).isolated)
    assert "\u202e" not in isolated
    assert "\x00" not in isolated
    assert "U+0000" in isolated
    assert "<0xC3>" in isolated
    assert "␣" in isolated
    sentence = Boxes(annotate(NaiveSegmenter(), ["evil \u202etxt.exe\u2066"])._repr_html_()).isolated[0]
    assert sentence == "evil U+202Etxt.exeU+2066"


def test_a_mark_without_its_letter_has_a_place_to_stand() -> None:
    from textprep_ml import CharacterTokenizer

    isolated = Boxes(annotate(CharacterTokenizer(), ["e\u0301"])._repr_html_()).isolated
    assert isolated == ["e", "◌\u0301"]
    whole = Boxes(annotate(CharacterTokenizer(unit="grapheme"), ["e\u0301", "👩\u200d👧"])._repr_html_()).isolated
    assert whole == ["e\u0301", "👩\u200d👧"]


def test_what_was_normalized_stands_below() -> None:
    isolated = Boxes(annotate(make_text_pipeline(normalizer="search"), ["Café"])._repr_html_()).isolated
    assert isolated == ["Café", "cafe"]


def test_much_is_counted_and_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    found = annotate(make_text_pipeline(), ["a b c"] * 14)
    picture = found._repr_html_()
    assert "and 4 more documents" in picture
    assert len([kind for kind, _ in Boxes(picture).boxes if kind == "tokens"]) == 30
    monkeypatch.setattr(drawing, "MAX_ITEMS", 2)
    picture = found[:1]._repr_html_()
    assert "and more" in picture
    assert len([kind for kind, _ in Boxes(picture).boxes if kind == "tokens"]) == 2


def test_documents_without_layers() -> None:
    assert "just &lt;text&gt;" in annotate([], ["just <text>"])._repr_html_()
