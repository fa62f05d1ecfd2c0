"""Edit distance, table and alignment: worked values, parity, ties, bad input."""

from __future__ import annotations

import inspect
import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA, DamerauLevenshtein, Indel, Levenshtein

from tests.growth import Task, assert_growth
from textprep_ml.distance import (
    Alignment,
    align,
    edit_distance,
    edit_similarity,
    edit_table,
    indel_ratio,
    normalized_edit_distance,
)
from textprep_ml.distance.edit import _empty_table

WORDS = st.text(st.sampled_from("abcé\ud800😀"), max_size=9)
TEXTS = st.text(max_size=80)
WEIGHTS = st.sampled_from([1, 2, 3, 0.5, 1.5, 2.5, math.inf])


@pytest.mark.parametrize(
    ("a", "b", "substitution", "distance"),
    [
        ("intention", "execution", 1, 5),
        ("intention", "execution", 2, 8),
        ("", "abc", 1, 3),
        ("abc", "", 1, 3),
        ("", "", 1, 0),
        ("same", "same", 1, 0),
        ("kitten", "sitting", 1, 3),
        ("a", "b", 1, 1),
        ("a", "b", 2, 2),
        ("a", "a", 1, 0),
    ],
)
def test_worked_values(a: str, b: str, substitution: int, distance: int) -> None:
    for one, other in ((a, b), (list(a), list(b)), (tuple(a), b)):
        result = edit_distance(one, other, substitution=substitution)
        assert result == distance
        assert type(result) is int
        assert edit_table(one, other, substitution=substitution)[-1, -1] == distance
        assert align(one, other, substitution=substitution).distance == distance


def test_table_of_the_textbook() -> None:
    table = edit_table("intention", "execution", substitution=2)
    assert table[1].tolist() == [1, 2, 3, 4, 5, 6, 7, 6, 7, 8]
    assert table[9].tolist() == [9, 8, 9, 10, 11, 12, 11, 10, 9, 8]
    assert table.shape == np.asarray(table).shape == (10, 10)
    assert table.values.dtype == np.int64


# Costs in each direction: operations turn a into b, so a longer b needs insertions.
@pytest.mark.parametrize(
    ("a", "b", "costs", "distance"),
    [
        ("mat", "mast", {"insertion": 3}, 3),
        ("mast", "mat", {"insertion": 3}, 1),
        ("q", "z", {"substitution": math.inf}, 2),
        ("l0g", "log", {"cost": {("0", "o"): 0.2}}, 0.2),
        ("log", "l0g", {"cost": {("0", "o"): 0.2}}, 1),
        ("l0g", "log", {"cost": [("0", "o", 0.2)]}, 0.2),
        ("l0g", "log", {"cost": lambda x, y: 0.2 if {x, y} == {"0", "o"} else 1}, 0.2),
        ("rn", "m", {"cost": {("r", "m"): 0.1}}, 1.1),
        (["the", "0"], ["the", "o"], {"cost": {("0", "o"): 0.2}}, 0.2),
    ],
)
def test_costs_of_operations_and_pairs(a: Any, b: Any, costs: dict[str, Any], distance: float) -> None:
    assert edit_distance(a, b, **costs) == distance
    alignment = align(a, b, **costs)
    assert alignment.distance == distance
    assert sum(edit.cost for edit in alignment.operations) == pytest.approx(distance)


def test_ruled_out_substitution_becomes_deletion_then_insertion() -> None:
    assert [str(edit) for edit in align("q", "z", substitution=math.inf).operations] == ["delete q", "insert z"]


@pytest.mark.parametrize(
    ("a", "b", "osa", "damerau", "levenshtein"),
    [("xo", "oyx", 3, 2, 3), ("balloon", "ballloon", 1, 1, 1), ("form", "from", 1, 1, 2)],
)
def test_transpositions(a: str, b: str, osa: int, damerau: int, levenshtein: int) -> None:
    for one, other in ((a, b), (b, a), (list(a), list(b))):
        assert edit_distance(one, other, transposition=1, variant="osa") == osa
        assert edit_distance(one, other, transposition=1, variant="damerau") == damerau
        assert edit_distance(one, other) == levenshtein
        for variant, distance in (("osa", osa), ("damerau", damerau)):
            alignment = align(one, other, transposition=1, variant=variant)
            assert sum(edit.cost for edit in alignment.operations) == alignment.distance == distance


def test_a_transposition_costs_nothing_else_where_deletions_are_forbidden() -> None:
    alignment = align("ab", "ba", deletion=math.inf, transposition=1, variant="osa")
    assert [edit.cost for edit in alignment.operations] == [1]


def test_a_transposition_is_one_operation_over_all_it_spans() -> None:
    (edit,) = align("xo", "oyx", transposition=1).operations
    assert (edit.operation, edit.start_a, edit.end_a, edit.start_b, edit.end_b) == ("transpose", 0, 2, 0, 3)
    assert str(edit) == "transpose xo -> oyx"


@pytest.mark.parametrize(
    ("a", "b", "similarity", "ratio"),
    [("t", "t!", 0.5, 2 / 3), ("", "", 1.0, 1.0), ("abc", "abd", 2 / 3, 2 / 3), ("", "ab", 0.0, 0.0)],
)
def test_normalized_forms_have_their_own_names(a: str, b: str, similarity: float, ratio: float) -> None:
    assert edit_similarity(a, b) == pytest.approx(similarity)
    assert edit_similarity(list(a), list(b)) == pytest.approx(similarity)
    assert indel_ratio(a, b) == pytest.approx(ratio)
    assert normalized_edit_distance(a, b) == pytest.approx(1 - similarity)
    assert normalized_edit_distance(a, b, substitution=2) == pytest.approx(1 - ratio)


@given(a=TEXTS, b=TEXTS, weights=st.tuples(*[st.sampled_from([0, 1, 2, 3, 100])] * 3))
def test_whole_costs_agree_with_rapidfuzz(a: str, b: str, weights: tuple[int, int, int]) -> None:
    expected = Levenshtein.distance(a, b, weights=weights)
    assert edit_distance(a, b, *weights) == expected
    assert edit_distance(list(a), list(b), *weights) == expected
    assert edit_distance(a, b, *map(float, weights)) == expected
    assert edit_similarity(a, b) == Levenshtein.normalized_similarity(a, b)
    assert indel_ratio(a, b) == Indel.normalized_similarity(a, b)


@given(a=TEXTS, b=TEXTS, limit=st.integers(0, 12), substitution=st.sampled_from([1, 2, 3, 1.5]))
def test_max_distance_gives_one_more(a: str, b: str, limit: int, substitution: float) -> None:
    whole = edit_distance(a, b, substitution=substitution)
    assert edit_distance(a, b, substitution=substitution, max_distance=limit) == (
        whole if whole <= limit else limit + 1
    )
    swapped = edit_distance(a, b, transposition=1)
    assert edit_distance(a, b, transposition=1, max_distance=limit) == min(swapped, limit + 1)


@given(a=st.one_of(WORDS, TEXTS), b=st.one_of(WORDS, TEXTS), limit=st.one_of(st.none(), st.integers(0, 6)))
def test_transpositions_agree_with_rapidfuzz(a: str, b: str, limit: int | None) -> None:
    for variant, expected in (("osa", OSA), ("damerau", DamerauLevenshtein)):
        for one, other in ((a, b), (list(a), list(b))):
            distance = edit_distance(one, other, transposition=1, variant=variant, max_distance=limit)
            assert distance == expected.distance(a, b, score_cutoff=limit)


@given(a=WORDS, b=WORDS)
def test_unit_alignment_is_rapidfuzz_s(a: str, b: str) -> None:
    names = {"replace": "substitute", "insert": "insert", "delete": "delete"}
    expected = [(names[op.tag], op.src_pos, op.dest_pos) for op in Levenshtein.editops(a, b)]
    edits = [edit for edit in align(a, b).operations if edit.operation != "match"]
    assert [(edit.operation, edit.start_a, edit.start_b) for edit in edits] == expected


def check_alignment(alignment: Alignment) -> None:
    """Spans cover both sequences in order, matches match, and the symbols are those of the spans."""
    i = j = 0
    for edit in alignment.operations:
        assert (edit.start_a, edit.start_b) == (i, j)
        assert edit.source == alignment.a[i : edit.end_a]
        assert edit.target == alignment.b[j : edit.end_b]
        sizes = (edit.end_a - i, edit.end_b - j)
        expected = {"match": (1, 1), "substitute": (1, 1), "insert": (0, 1), "delete": (1, 0), "transpose": sizes}
        assert sizes == expected[edit.operation]
        assert (edit.source == edit.target) == (edit.operation == "match")
        i, j = edit.end_a, edit.end_b
    assert (i, j) == (len(alignment.a), len(alignment.b))


@given(
    a=WORDS,
    b=WORDS,
    insertion=WEIGHTS,
    deletion=WEIGHTS,
    substitution=WEIGHTS,
    swap=WEIGHTS,
    variant=st.sampled_from(["osa", "damerau"]),
)
def test_alignment_costs_the_distance(a: str, b: str, variant: str, swap: float, **costs: float) -> None:
    if variant == "damerau" and 2 * swap < costs["insertion"] + costs["deletion"]:
        swap = math.inf
    transposition = None if swap == math.inf else swap
    distance = edit_distance(a, b, transposition=transposition, variant=variant, **costs)
    if distance == math.inf:
        with pytest.raises(ValueError, match="forbid"):
            align(a, b, transposition=transposition, variant=variant, **costs)
        return
    alignment = align(a, b, transposition=transposition, variant=variant, **costs)
    check_alignment(alignment)
    assert alignment.distance == distance == pytest.approx(sum(edit.cost for edit in alignment.operations))


@given(a=WORDS, b=WORDS, c=WORDS)
def test_damerau_is_a_metric(a: str, b: str, c: str) -> None:
    def distance(x: str, y: str) -> float:
        return edit_distance(x, y, transposition=1)

    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


def test_tokens_that_share_a_hash_value_differ() -> None:
    assert edit_distance([-1], [-2]) == 1
    assert edit_distance([1, (2, 3)], [1, (2, 3)]) == 0
    assert edit_distance(np.array([1, 2, 3]), np.array([1, 3])) == 1
    assert edit_distance(np.str_("ab"), "ab") == 0
    assert edit_distance(b"abc", b"abd") == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"insertion": -1}, ValueError, "insertion must be a cost of 0 or more, but got -1"),
        ({"deletion": math.nan}, ValueError, "deletion"),
        ({"substitution": "2"}, TypeError, "substitution must be a number"),
        ({"substitution": None}, TypeError, "substitution"),
        ({"transposition": -0.5}, ValueError, "transposition"),
        ({"transposition": 0.5}, ValueError, r"2 \* transposition >= insertion \+ deletion"),
        ({"transposition": True}, TypeError, "transposition"),
        ({"variant": "restricted"}, ValueError, "'damerau' or 'osa'"),
        ({"cost": {("a", "b"): -1}}, ValueError, "cost of 'a' to 'b'"),
        ({"cost": {"ab": 1, "abc": 2}}, TypeError, "cost must be"),
        ({"cost": 3}, TypeError, "cost must be"),
        ({"cost": lambda x, y: math.nan}, ValueError, r"cost\('a', 'b'\)"),
        ({"max_distance": -1}, ValueError, "max_distance"),
        ({"a": None}, TypeError, "a must be a string or a sequence of tokens, but got NoneType"),
        ({"b": 3.5}, TypeError, "b must be"),
        ({"a": [[1]]}, TypeError, "Token 0 of a is list"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        edit_distance(**{"a": "a", "b": "b", **arguments})


def test_infinite_costs_have_defined_results() -> None:
    assert edit_distance("a", "ab", insertion=math.inf) == math.inf
    assert edit_distance("ab", "a", insertion=math.inf) == 1
    assert edit_distance("a", "ab", insertion=math.inf, max_distance=4) == 5
    with pytest.raises(ValueError, match="finite"):
        normalized_edit_distance("a", "ab", insertion=math.inf)
    assert normalized_edit_distance("a", "b", 0, 0, 0) == 0.0
    assert edit_table("a", "ab", insertion=math.inf).alignment is None


def test_the_function_is_documented_and_pickles() -> None:
    assert list(inspect.signature(edit_distance).parameters)[:3] == ["a", "b", "insertion"]
    assert "Lowrance" in (edit_distance.__doc__ or "")
    assert pickle.loads(pickle.dumps(edit_distance))("a", "b") == 1


def test_drawings_are_text_and_self_contained_html() -> None:
    alignment = align("<b> é", "<i>  é", transposition=1.5)
    html = alignment._repr_html_()
    assert "&lt;" in html
    assert "<script" not in html
    assert "␣" in html
    assert str(align("abc", "")).splitlines()[1] == "* * *"
    table = edit_table("ab<", "ba")
    assert "&lt;" in table._repr_html_()
    assert str(table).splitlines()[0].split() == ["#", "b", "a"]
    assert "first 60 rows" in edit_table("x" * 70, "y")._repr_html_()
    assert str(align(["on", "the"], ["on", "a"])).splitlines() == ["on the", "on a", "   s"]


def test_time_grows_with_the_table() -> None:
    # Three times the length, nine times the table.
    def comparing(length: int) -> Task:
        return partial(edit_distance, "ab" * (length // 2), "ba" * (length // 2), substitution=1.5)

    assert_growth(comparing, 200, times=3, floor=1e-4)


def test_a_table_that_does_not_fit_says_how_large_it_is() -> None:
    text = "a" * 2**20
    with pytest.raises(MemoryError, match=r"1,048,576 by 1,048,576 symbols takes 8,192 GB.* edit_distance"):
        edit_table(text, text)
    with pytest.raises(MemoryError, match=r"takes [\d,]{9,} GB"):  # more cells than a number for them has bits
        _empty_table(2**40, 2**40)
