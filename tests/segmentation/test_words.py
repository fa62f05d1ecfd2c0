"""What is learned of words, by counts made by hand, and that it comes back from a model file."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from textprep_ml.abbreviations import CLASSES, languages, load_abbreviations
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import ATTRIBUTES, COLUMN
from textprep_ml.segmentation.runtime import BoundaryModel
from textprep_ml.segmentation.words import (
    WordCounts,
    WordTable,
    choose_vocabulary,
    class_codes,
    count_words,
    period_behaviour,
    usual_case,
)

TABLE = WordTable(
    vocabulary=["now", "thanks"],
    abbreviations={"Dr": "title", "No": "number", "Mr": "title", "e.g": "latin"},
    usual={"now": 1, "smith": 5, "then": 1},
    raw={"dr": 5},
)


def counts_of(**rows: tuple[int, int, int, int, int]) -> WordCounts:
    """Give counts: lower case, capitalised inside, with a period, that before lower case, without a period."""
    return WordCounts(list(rows), np.array(list(rows.values()), dtype=np.int64).reshape(-1, 5))


def cased(lower: int, upper: int) -> tuple[int, int, int, int, int]:
    return lower, upper, 0, 0, lower + upper


def with_periods(periods: int, before_lower: int, bare: int) -> tuple[int, int, int, int, int]:
    return periods + bare, 0, periods, before_lower, bare


# Saving


def test_a_state_holds_words_under_their_class_or_code() -> None:
    assert TABLE.to_state() == {
        "vocabulary": "now thanks",
        "abbreviations": {"latin": "e.g", "number": "No", "title": "Dr Mr"},
        "usual": {"1": "now then", "5": "smith"},
        "raw": {"5": "dr"},
    }


@pytest.mark.parametrize("table", [TABLE, WordTable(), WordTable(abbreviations=load_abbreviations("en"))])
def test_words_come_back(table: WordTable) -> None:
    assert WordTable.from_state(json.loads(json.dumps(table.to_state()))) == table


@pytest.mark.parametrize("language", languages())
def test_a_saved_lexicon_means_the_same(language: str) -> None:
    lexicon = load_abbreviations(language)
    again = WordTable.from_state(WordTable(abbreviations=lexicon).to_state()).abbreviations
    assert class_codes(again) == class_codes(lexicon)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"abbreviations": {"title": "Dr", "titel": "Mr"}}, "Unknown abbreviation classes in the model: titel"),
        ({"usual": {"0": "now"}}, "codes of words in a model are 1 to 5, but it has 0"),
        ({"usual": {"1": "now", "6": "then"}}, "1 to 5, but it has 1, 6"),
        ({"raw": {"12": "dr"}}, "1 to 5, but it has 12"),
        ({"raw": {"-1": "dr"}}, "1 to 5, but it has -1"),
    ],
)
def test_damaged_words_are_refused(damage: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelFormatError, match=said):
        WordTable.from_state({**TABLE.to_state(), **damage})


# Classes of abbreviations


@pytest.mark.parametrize(
    ("abbreviations", "expected"),
    [
        ({}, {}),
        ({"No": "number"}, {"no": (None, "number")}),
        ({"etc": "etc"}, {"etc": ("etc", "etc")}),
        ({"no": "general", "No": "number"}, {"no": ("general", "number")}),
        ({"No": "number", "no": "general"}, {"no": ("general", "number")}),
        ({"USA": "country", "Bros": "company"}, {"usa": (None, "country"), "bros": (None, "company")}),
        ({"No": "user"}, {"no": ("user", "user")}),
        ({"no": "user"}, {"no": ("user", "user")}),
        ({"No": "number", "no": "user"}, {"no": ("user", "user")}),
        ({"no": "general", "No": "user"}, {"no": ("user", "user")}),
    ],
)
def test_classes_in_lower_case_and_otherwise(
    abbreviations: dict[str, str], expected: dict[str, tuple[str | None, str]]
) -> None:
    names = (None, *CLASSES)
    found = {word: (names[lower], names[upper]) for word, (lower, upper) in class_codes(abbreviations).items()}
    assert found == expected


@pytest.mark.parametrize(("name", "lower"), [("number", "none"), ("user", "user")])
def test_the_scanner_sees_a_capitalised_entry_where_it_is_capitalised(name: str, lower: str) -> None:
    model = BoundaryModel(WordTable(abbreviations={"No": name}), None, candidates=("mark",))
    text = "They say no. 5 of them saw No. 5 here"
    _, ends, _, _, rows = model.describe([text])
    column = COLUMN["left.class"]
    classes = [ATTRIBUTES[column].values[code] for code in rows[:, column]]
    assert dict(zip(ends.tolist(), classes, strict=True)) == {text.index("no.") + 3: lower, text.index("No.") + 3: name}


# Counting


def test_words_are_counted_by_case_and_period() -> None:
    counts = count_words(["We saw no. 5 and No. 6. The men met", "the Smith men. the end"])
    assert dict(zip(counts.words, counts.table.tolist(), strict=True)) == {
        # lower, capitalised inside, with a period, that before a lower-case word, without a period
        "we": [0, 0, 0, 0, 1],
        "saw": [1, 0, 0, 0, 1],
        "no": [1, 1, 2, 0, 0],
        "and": [1, 0, 0, 0, 1],
        "the": [2, 0, 0, 0, 3],
        "men": [2, 0, 1, 1, 1],
        "met": [1, 0, 0, 0, 1],
        "smith": [0, 1, 0, 0, 1],
        "end": [1, 0, 0, 0, 1],
    }
    assert dict(zip(counts.words, counts.totals.tolist(), strict=True))["the"] == 3


def test_no_text_has_no_words() -> None:
    for texts in ([], ["", " ... 5 "]):
        counts = count_words(texts)
        assert counts.words == []
        assert counts.table.shape == (0, 5)
        assert choose_vocabulary(counts, 1) == []
        assert usual_case(counts, 0) == period_behaviour(counts, 1) == {}


def test_the_vocabulary_is_sorted_and_has_no_rare_word() -> None:
    counts = counts_of(the=cased(3, 0), rare=cased(1, 0), end=with_periods(1, 0, 1))
    assert choose_vocabulary(counts, 2) == ["end", "the"]
    assert choose_vocabulary(counts, 4) == []


@pytest.mark.parametrize(
    ("lower", "upper", "code"),
    [
        (100, 0, 1), (99, 0, 1), (95, 5, 2), (81, 19, 2), (80, 20, 3), (50, 50, 3), (31, 69, 3),
        (29, 71, 4), (10, 90, 4), (0, 100, 5),
        (3, 0, 2), (0, 3, 4),  # three occurrences are too few to be sure
    ],
)  # fmt: skip
def test_the_usual_case(lower: int, upper: int, code: int) -> None:
    assert usual_case(counts_of(word=cased(lower, upper)), 3) == {"word": code}


def test_the_usual_case_of_rare_words_is_unknown() -> None:
    # "third" stands at starts of sentences only, where its capital says nothing.
    counts = counts_of(first=cased(1, 1), second=cased(2, 1), third=(0, 0, 5, 0, 9))
    assert list(usual_case(counts, 3)) == ["second"]


@pytest.mark.parametrize(
    ("periods", "before_lower", "bare", "code"),
    [
        (20, 1, 80, 1),  # at ends of sentences only
        (20, 10, 80, 2),  # also before lower case
        (60, 0, 40, 3),  # more often than not with a period
        (95, 5, 5, 4),  # nearly always
        (95, 20, 5, 5),  # an abbreviation
        (20, 4, 80, 1), (20, 5, 80, 2), (50, 0, 50, 1), (51, 51, 49, 3), (90, 90, 10, 3), (91, 0, 9, 4), (10, 1, 0, 4),
    ],
)  # fmt: skip
def test_how_words_and_periods_go_together(periods: int, before_lower: int, bare: int, code: int) -> None:
    assert period_behaviour(counts_of(word=with_periods(periods, before_lower, bare)), 3) == {"word": code}


def test_words_that_rarely_have_a_period_are_unknown() -> None:
    counts = counts_of(first=with_periods(2, 0, 100), second=with_periods(3, 0, 100))
    assert period_behaviour(counts, 3) == {"second": 1}


@pytest.mark.parametrize("word", ["x" * 31, "two words", "a\u2003b"])
def test_what_a_model_file_cannot_hold_is_not_learned(word: str) -> None:
    counts = counts_of(**{word: with_periods(9, 0, 9), "x" * 29: with_periods(9, 0, 9)})
    for learned in (choose_vocabulary(counts, 1), usual_case(counts, 1), period_behaviour(counts, 1)):
        assert list(learned) == ["x" * 29]
