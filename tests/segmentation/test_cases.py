"""Faults that users of other tools reported, with the right result, and more of each kind, for the English model.

`cases.jsonl` holds the inputs with a broken bar where a new sentence starts. S01 to S46 are those that were reported.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.growth import Task, assert_growth, cpu_seconds
from tests.segmentation.samples import assert_grows_gently, assert_lossless, changed
from textprep_ml import RuleSegmenter, SentenceSegmenter


def read_cases() -> Iterator[Any]:
    for line in (Path(__file__).parent / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        yield pytest.param(case["params"], case["text"], id=case["id"])


def parse(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Give the text and the spans of its sentences."""
    spans, position = [], 0
    for part in marked.split("¦"):
        sentence = part.strip()
        if sentence:
            start = position + part.index(sentence)
            spans.append((start, start + len(sentence)))
        position += len(part)
    return marked.replace("¦", ""), spans


@pytest.mark.parametrize(("params", "marked"), list(read_cases()))
def test_case(english: Any, params: dict[str, Any], marked: str) -> None:
    text, spans = parse(marked)
    abbreviations = params.get("abbreviations", ())
    segmenter = changed(english, **{name: value for name, value in params.items() if name != "abbreviations"})
    if abbreviations:
        segmenter = copy.deepcopy(segmenter).add_abbreviations(abbreviations)
    assert segmenter.spans(text) == spans
    assert segmenter.transform([text]) == [[text[start:end] for start, end in spans]]


def test_s44_abbreviations_at_init(sample: tuple[list[str], list[Any]]) -> None:
    text, spans = parse("Форма та ін. зразки (табл. 5.6) є в додатку. ¦Див. рис. 2. ¦Кінець.")
    ours = ["ін", "табл.", "рис", "див"]
    assert SentenceSegmenter(warm_start_from="en", abbreviations=ours).fit(*sample).spans(text) == spans
    assert RuleSegmenter(abbreviations=ours).spans(text) != RuleSegmenter(abbreviations=None).spans(text)


@pytest.mark.parametrize("entry", ["табл", "табл.", "ТАБЛ.", "Табл"])
def test_s44_dot_and_case_of_an_entry_do_not_matter(english: Any, entry: str) -> None:
    segmenter = copy.deepcopy(english).add_abbreviations([entry])
    before = english.explain("Див. табл. Форма нова.")
    after = segmenter.explain("Див. табл. Форма нова.")
    assert after[1].end == len("Див. табл.")
    assert after[1].probability < before[1].probability


def test_s27_long_runs_of_numbers(english: Any) -> None:
    for make in (lambda n: "..[" + "417 " * n + "]", lambda n: "end." + "20219" * n):
        for n in (50, 5000):
            assert_lossless(make(n), english.spans(make(n)))
            assert len(english.spans(make(n))) <= 2
        assert_grows_gently(english.spans, make, short=5000)


@pytest.mark.parametrize("mark", [".", ",", "-", "@", "!", "?", "_", "/", "(", "[", " .", ". "])
def test_s28_runs_of_two_characters(english: Any, mark: str) -> None:
    for letter in "aA1":
        assert_grows_gently(english.spans, lambda n, pair=letter + mark: pair * n)


@pytest.mark.parametrize(
    "policy", [{"quotes": "keep"}, {"missing_blank": "split"}, {"protected": ["aA"]}, {"max_length": 80}]
)
@pytest.mark.parametrize("pair", ["a.", '"A', "a.A", "a ", " ", "a@", "a.A "])
def test_s28_policies_are_linear_too(english: Any, policy: dict[str, Any], pair: str) -> None:
    assert_grows_gently(changed(english, **policy).spans, lambda n: pair * n)


@pytest.mark.parametrize(
    "text",
    [". b", "? why", "!! Stop now.", ".@kim is here.", "...", "? ! .", "!", "…", ")", '" .', "。", ".\n.", "“", "-"],
)
def test_s31_texts_that_begin_with_a_mark(english: Any, text: str) -> None:
    assert_lossless(text, english.spans(text))
    assert english.spans(text)


@pytest.mark.parametrize("fitted", ["english", "linear", "tree"])
def test_s45_pickles_and_files_give_the_same(
    fitted: str, request: pytest.FixtureRequest, sample: tuple[list[str], list[Any]], tmp_path: Path
) -> None:
    segmenter = request.getfixturevalue(fitted)
    segmenter.save(tmp_path / "model.json")
    json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    expected = segmenter.transform(sample[0])
    assert pickle.loads(pickle.dumps(segmenter)).transform(sample[0]) == expected
    assert SentenceSegmenter.load(tmp_path / "model.json").transform(sample[0]) == expected


def test_s45_a_call_costs_no_loading(english: Any) -> None:
    def calling(n: int) -> Task:
        return lambda: [english.spans("It rains. We stay in.") for _ in range(n)]

    assert cpu_seconds(calling(10)) < cpu_seconds(lambda: SentenceSegmenter.load("en"))
    assert_growth(calling, 100)


@pytest.mark.parametrize("fitted", ["english", "linear", "tree"])
def test_s46_longest_sentence(fitted: str, request: pytest.FixtureRequest) -> None:
    segmenter = request.getfixturevalue(fitted)
    text = "alpha beta, " * 40
    assert segmenter.max_length is None
    longest = max(end - start for start, end in segmenter.spans(text))
    for limit in (100, 20, 7, 1):
        spans = changed(segmenter, max_length=limit).spans(text)
        assert max(end - start for start, end in spans) <= min(limit, longest)
        assert_lossless(text, spans)
    assert all(piece.endswith(",") for piece in changed(segmenter, max_length=100).split(text))


def test_s46_cuts_at_a_clause_mark_else_at_a_blank_else_anywhere(english: Any) -> None:
    segmenter = changed(english, max_length=20)
    assert segmenter.split("one two three; four five six seven") == ["one two three;", "four five six seven"]
    assert segmenter.split("one two three four five six seven") == ["one two three four", "five six seven"]
    assert segmenter.split("x" * 45) == ["x" * 20, "x" * 20, "x" * 5]
