"""The report of a vocabulary: what it lists can be found again in the texts, and the page shows any piece."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.report.pages import Page
from textprep_ml import BPETokenizer
from textprep_ml.metrics import vocabulary_curve, vocabulary_scores
from textprep_ml.metrics.vocabulary import word_spans
from textprep_ml.report import render_report, vocabulary_report
from textprep_ml.report.drawings import log_axis
from textprep_ml.report.html import to_json
from textprep_ml.report.vocabularies import CURVE_CHARACTERS
from textprep_ml.report.wording import show_piece

TEXTS = ["low lower lowest <b>low</b> & slow\n\tslower 😀 שלום שלום", "newer newest, wider widest: it's 天地"] * 4


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, BPETokenizer]:
    options: dict[str, Any] = {"special_tokens": ["<|end|>"], "min_frequency": 2}
    return {f"bpe-{size}": BPETokenizer(vocab_size=size, **options).fit(TEXTS) for size in (300, 265)}


@pytest.fixture(scope="module")
def made(tokenizers: dict[str, BPETokenizer]) -> dict[str, Any]:
    return vocabulary_report(tokenizers, {"x/first.txt": TEXTS, "x/second.txt": TEXTS[:1]})


def test_scores_are_those_of_the_texts(made: dict[str, Any], tokenizers: dict[str, BPETokenizer]) -> None:
    assert (made["subject"], made["model"], made["baseline"]) == ("vocabulary", "bpe-300", "bpe-265")
    for name, tokenizer in tokenizers.items():
        assert made["corpora"]["x/second.txt"][name] == vocabulary_scores(tokenizer, TEXTS[:1])
        assert made["overall"][name] == vocabulary_scores(tokenizer, [*TEXTS, *TEXTS[:1]])
        assert made["tokenizers"][name]["curve"] == vocabulary_curve(tokenizer, [*TEXTS, *TEXTS[:1]])


def test_words_that_are_cut_and_their_pieces(made: dict[str, Any], tokenizers: dict[str, BPETokenizer]) -> None:
    tokenizer = tokenizers["bpe-265"]
    words = Counter(text[start:end] for text in [*TEXTS, *TEXTS[:1]] for start, end in word_spans(text))
    rows = made["tokenizers"]["bpe-265"]["cut_words"]
    assert rows
    for row in rows:
        assert len(row["pieces"]) > 1
        assert 0 < row["count"] <= words[row["word"]]
        joined = tokenizer.decode([tokenizer.piece_to_id(piece) for piece in row["pieces"]])
        assert row["word"] in joined
    costs = [row["count"] * (len(row["pieces"]) - 1) for row in rows]
    assert costs == sorted(costs, reverse=True)
    whole = {row["word"] for row in rows}.isdisjoint
    assert whole({"low"}) == (tokenizer.transform(["low"]) == [["low"]])


def test_coverage_rises_to_all_of_the_text(made: dict[str, Any], tokenizers: dict[str, BPETokenizer]) -> None:
    counts = Counter(index for text in [*TEXTS, *TEXTS[:1]] for index in tokenizers["bpe-300"].encode(text))
    rows = made["tokenizers"]["bpe-300"]["coverage"]
    assert rows[0] == [1, pytest.approx(counts.most_common(1)[0][1] / counts.total())]
    assert rows[-1] == [len(counts), 1.0]
    assert rows == sorted(rows)


def test_the_page(made: dict[str, Any]) -> None:
    html = render_report(made)
    assert html == render_report(json.loads(to_json(made)))
    page = Page(html)
    assert page.texts["h1"] == ["bpe-300"]
    assert {"#scores", "#size", "#coverage", "#words", "#pieces"} <= {each["href"] for each in page.all("a")}
    assert len(page.all("svg")) == 3
    shown = page.texts["kbd"]
    for piece in made["tokenizers"]["bpe-300"]["longest"]:
        assert show_piece(piece) in shown
    assert "⟨F0 9F 98⟩" in shown or "😀" in "".join(shown)
    assert f"{made['overall']['bpe-300']['bytes_per_piece']:.3f}" in page.texts["dd"]


def test_a_tokenizer_without_smaller_ones_has_no_curve(tokenizers: dict[str, BPETokenizer]) -> None:
    class Fixed:
        """As a tokenizer, but of one size."""

        def __init__(self, tokenizer: BPETokenizer) -> None:
            self._tokenizer = tokenizer

        def __getattr__(self, name: str) -> Any:
            if name in ("with_vocab_size", "merges_"):
                raise AttributeError(name)
            return getattr(self._tokenizer, name)

    made = vocabulary_report({"fixed": Fixed(tokenizers["bpe-300"])}, {"a": TEXTS})
    assert made["tokenizers"]["fixed"]["curve"] is None
    page = Page(render_report(made))
    assert "#size" not in {each["href"] for each in page.all("a")}
    assert "First merges" not in page.texts["h3"]


def test_the_curve_needs_the_first_documents_only(tokenizers: dict[str, BPETokenizer]) -> None:
    long = "low lower lowest " * (CURVE_CHARACTERS // 17 + 1)
    made = vocabulary_report({"bpe": tokenizers["bpe-265"]}, {"a": [long, "newest"]})
    assert made["tokenizers"]["bpe"]["curve"][0]["n_documents"] == 1
    assert made["overall"]["bpe"]["n_documents"] == 2


def test_text_without_pieces_is_refused(tokenizers: dict[str, BPETokenizer]) -> None:
    with pytest.raises(ValueError, match="needs text to measure on"):
        vocabulary_report(tokenizers, {"a": [""]})


@pytest.mark.parametrize(
    ("piece", "shown"), [(" low", "␣low"), ("a\udce2\udc80b", "a⟨E2 80⟩b"), ("\n\t\x00", "␊␉␀"), ("😀", "😀")]
)
def test_pieces_are_shown_so_that_nothing_is_hidden(piece: str, shown: str) -> None:
    assert show_piece(piece) == shown


@pytest.mark.parametrize("ends", [(1, 7), (256, 50_000), (3, 3), (1, 10**7)])
def test_axes_of_counts_have_round_numbers_between_their_ends(ends: tuple[int, int]) -> None:
    axis = log_axis("pieces", ends)
    assert axis.low <= ends[0] <= ends[1] <= axis.high
    assert 1 <= len(axis.ticks) <= 9
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
