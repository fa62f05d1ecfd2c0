"""Balanced counts of several languages: shares by hand, nothing lost, and what they do to a common vocabulary."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textprep_ml.exceptions import VocabularyWarning
from textprep_ml.metrics import vocabulary_scores
from textprep_ml.subword import BPETokenizer
from textprep_ml.subword.balancing import balance_counts, group_by_script

SAMPLES = Path(__file__).parents[2] / "data" / "sample" / "raw"
TABLES = st.dictionaries(
    st.sampled_from(["en", "zh", "ru"]),
    st.dictionaries(st.text("abc猫", min_size=1, max_size=3), st.integers(1, 10_000), min_size=1, max_size=6),
    min_size=1,
)


def size(table: dict[str, int]) -> int:
    return sum(count * len(word) for word, count in table.items())


@pytest.mark.parametrize(
    ("temperature", "small"),
    [(1, 4), (2, 40), (4, round(4 * 100**0.75)), (math.inf, 400)],
)
def test_shares_by_hand(temperature: float, small: int) -> None:
    counts = {"large": {"ab": 100, "cd": 100}, "small": {"x": 4}}
    assert balance_counts(counts, temperature=temperature) == {"ab": 100, "cd": 100, "x": small}


@given(counts=TABLES, temperature=st.floats(1, 10))
def test_nothing_is_lost_and_the_largest_stays(counts: dict[str, dict[str, int]], temperature: float) -> None:
    balanced = balance_counts(counts, temperature=temperature)
    plain = balance_counts(counts, temperature=1)
    assert list(balanced) == list(plain)
    assert all(balanced[word] >= plain[word] for word in plain)
    largest = max(counts.values(), key=size)
    assert balance_counts({"alone": largest}, temperature=temperature) == largest


@pytest.mark.parametrize("temperature", [2, math.inf])
@given(counts=TABLES, least=st.integers(1, 500))
@settings(max_examples=60)
def test_thresholds_apply_to_real_counts(temperature: float, counts: dict[str, dict[str, int]], least: int) -> None:
    """Whatever passes the threshold in balanced counts passes it in real ones, and the other way round."""
    counts = {name: {word.replace("猫", "d"): count for word, count in table.items()} for name, table in counts.items()}
    real = balance_counts(counts, temperature=1)
    balanced = balance_counts(counts, temperature=temperature, min_frequency=least)

    def frequent_pairs(table: dict[str, int]) -> set[str]:
        pairs: Counter[str] = Counter()
        for word, count in table.items():
            for start in range(len(word) - 1):
                pairs[word[start : start + 2]] += count
        return {pair for pair, count in pairs.items() if count >= least}

    assert frequent_pairs(balanced) == frequent_pairs(real)


def test_a_small_language_learns_no_rarer_pairs_than_it_has() -> None:
    counts = {"large": {"aaab" * 5: 1000}, "small": {"xy": 9, "yz": 10}}
    params: dict[str, Any] = {"min_frequency": 10, "byte_level": False, "pretokenizer": "blank"}
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        fitted = BPETokenizer(num_merges=50, **params).fit_counts(balance_counts(counts, min_frequency=10))
    assert ("y", "z") in fitted.merges_
    assert ("x", "y") not in fitted.merges_
    assert balance_counts(counts)["xy"] > 10  # what it would have learned it from


def test_clauses_without_blanks_always_grow() -> None:
    counts = {"en": {"the": 3000}, "zh": {"猫在帽子里": 1, "ok": 1}}
    assert balance_counts(counts, min_frequency=10)["猫在帽子里"] > 10
    assert balance_counts(counts, min_frequency=10)["ok"] == 1


def test_a_frequency_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="min_frequency of at least 1"):
        balance_counts({"a": {"x": 1}}, min_frequency=0)


def test_words_of_two_languages_are_added() -> None:
    assert balance_counts({"a": {"x": 3, "y": 1}, "b": {"x": 4}}, temperature=math.inf) == {"x": 7, "y": 1}


def test_scripts() -> None:
    words = {
        " Ärger": 1,
        "é": 2,
        "かな": 3,
        "カナ": 4,
        "漢字": 5,
        "한글": 6,
        "42%": 7,
        "\n": 8,
        "ไทย": 9,
        "ⴰⴱ": 1,
        "𐌰": 2,
    }
    groups = group_by_script(words)
    assert {name: list(table) for name, table in groups.items()} == {
        "Latin": [" Ärger", "é"],
        "Kana": ["かな", "カナ"],
        "Han": ["漢字"],
        "Hangul": ["한글"],
        "Common": ["42%", "\n"],
        "Thai": ["ไทย"],
        "Tifinagh": ["ⴰⴱ"],
        "Other": ["𐌰"],
    }
    assert balance_counts(groups, temperature=1) == {word: words[word] for table in groups.values() for word in table}


def test_a_small_language_gets_its_share_of_the_vocabulary() -> None:
    params: dict[str, Any] = {"vocab_size": 700, "pretokenizer": "script"}
    files = {"en": [SAMPLES / "raw-en.txt", SAMPLES / "raw-dialogue.txt"], "zh": [SAMPLES / "raw-zh.txt"]}
    counts = {name: BPETokenizer(**params).count_files(paths) for name, paths in files.items()}
    chinese = (SAMPLES / "raw-zh.txt").read_text(encoding="utf-8").splitlines()
    found = {}
    for temperature in (1, 2, math.inf):
        tokenizer = BPETokenizer(**params).fit_counts(balance_counts(counts, temperature=temperature))
        found[temperature] = vocabulary_scores(tokenizer, chinese)["fertility"]
    assert found[1] > found[2] > found[math.inf]


@pytest.mark.parametrize("lines", [False, True])
def test_files_are_counted_as_they_are_trained_on(lines: bool) -> None:
    paths = sorted(SAMPLES.glob("*.txt"))
    tokenizer = BPETokenizer(vocab_size=600, tie_break="lexicographic")
    with warnings.catch_warnings(action="error", category=VocabularyWarning):
        from_counts = BPETokenizer(**tokenizer.get_params()).fit_counts(tokenizer.count_files(paths, lines=lines))
        assert from_counts.merges_ == tokenizer.fit_files(paths, lines=lines).merges_


@pytest.mark.parametrize(
    ("counts", "options", "error", "message"),
    [
        ({"en": {"a": 1}}, {"temperature": 0.5}, ValueError, "temperature of at least 1, but got 0.5"),
        ({"en": {"a": 1}}, {"temperature": math.nan}, ValueError, "at least 1, but got nan"),
        ({}, {}, ValueError, "got no words"),
        ({"en": {}, "zh": {}}, {}, ValueError, "got no words"),
        ([{"a": 1}], {}, TypeError, "a mapping from languages to their counts, but got"),
        ({"a": 1}, {}, TypeError, "from words to counts for 'a', but got 1"),
        ({"en": {"a": 1.5}}, {}, TypeError, "'en' has the count 1.5 for the word 'a'"),
        ({"en": {"a": True}}, {}, TypeError, "'en' has the count True for the word 'a'"),
        ({"en": {b"a": 1}}, {}, TypeError, "'en' has the count 1 for the word b'a'"),
        ({"en": {"a": -1}}, {}, ValueError, "'en' has the count -1 for the word 'a'"),
    ],
)
def test_bad_input(counts: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        balance_counts(counts, **options)
