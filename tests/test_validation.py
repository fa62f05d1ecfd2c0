"""Checks of documents, nested lists and spans: what they let through, and what their errors say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from textprep_ml._validation import check_documents, check_spans, check_targets, map_leaves, shorten, span_array

# shorten


def test_a_short_repr_stays_whole() -> None:
    assert shorten([1, "a"]) == "[1, 'a']"
    assert shorten("a" * 78) == repr("a" * 78)


@pytest.mark.parametrize("value", ["a" * 79, b"a" * 1_000_000, list(range(1000))])
def test_a_long_repr_is_cut_at_80_characters(value: object) -> None:
    shown = shorten(value)
    assert len(shown) == 80
    assert shown[:79] == repr(value)[:79]
    assert shown[79] == "…"


# check_documents


@pytest.mark.parametrize(
    "X",
    [
        ["a", "b"],
        ("a", "b"),
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        pd.Series(["a", "b"]),
        iter("ab"),
    ],
)
def test_documents_become_a_list_of_exact_str(X: Any) -> None:
    documents = check_documents(X)
    assert documents == ["a", "b"]
    assert {type(document) for document in documents} == {str}


def test_documents_are_a_new_list() -> None:
    X = ["a"]
    assert check_documents(X) is not X
    assert check_documents([]) == []


@pytest.mark.parametrize(
    ("X", "error", "said"),
    [
        ("a text", TypeError, "Tool expects a sequence of documents, but got one str: 'a text'. Pass [text]"),
        (b"a text", TypeError, "but got one bytes"),
        ({"a": 1}, TypeError, "but got a dict. Pass list(d.values())"),
        (5, TypeError, "but got int: 5."),
        (pd.DataFrame({"text": ["a"]}), ValueError, "but got 2 dimensions. Pass one column, such as df['text']."),
        (np.array("a"), ValueError, "but got 0 dimensions"),
        (["a", None], TypeError, "Tool expects str documents, but document 1 is NoneType: None. Drop or convert"),
        (["a", b"b"], TypeError, "document 1 is bytes"),
        (["a", ["b"]], TypeError, "document 1 is list"),
    ],
)
def test_what_is_no_sequence_of_documents_is_refused(X: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        check_documents(X, "Tool")
    assert said in str(caught.value)


# map_leaves


def test_leaves_are_mapped_and_the_nesting_stays() -> None:
    nested = ["a", ["b", ("c", [])], [[["d"]]]]
    assert map_leaves(str.upper, nested) == ["A", ["B", ["C", []]], [[["D"]]]]
    assert nested == ["a", ["b", ("c", [])], [[["d"]]]]


def test_leaves_reach_the_function_as_exact_str() -> None:
    assert map_leaves(type, [np.str_("a"), [np.str_("b")]]) == [str, [str]]


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ("text", "but got one str"),
        (["a", ["b", ["c", 7]]], "Tool expects str documents, but document 1 > 1 > 1 is int: 7."),
        ([None], "document 0 is NoneType"),
    ],
)
def test_a_leaf_that_is_no_string_is_named_by_its_place(X: Any, said: str) -> None:
    with pytest.raises(TypeError) as caught:
        map_leaves(str.upper, X, "Tool")
    assert said in str(caught.value)


# check_spans


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 2), (2, 5)],
        ([0, 2], [2, 5]),
        np.array([[0, 2], [2, 5]], dtype=np.uint8),
        [(np.int8(0), np.int64(2)), (2, np.uint64(5))],
        np.array([[0, 2], [2, 5]], dtype=object),
    ],
)
def test_spans_become_an_array_of_intp(spans: Any) -> None:
    array = check_spans(spans, 5, "document 3")
    assert array.tolist() == [[0, 2], [2, 5]]
    assert array.dtype == np.intp


@pytest.mark.parametrize("spans", [[], (), np.empty((0, 2)), np.empty(0, dtype=int)])
def test_no_spans_have_two_columns_too(spans: Any) -> None:
    array = check_spans(spans, 0, "document 3")
    assert array.shape == (0, 2)
    assert array.dtype == np.intp


@pytest.mark.parametrize(
    "spans",
    [
        [(0.5, 2)], [(0, 2.0)], np.array([[0.0, 2.0]]), [(0, float("nan"))], [(0, 2), (2, np.float32(5))],
        [(False, 2)], [(0, True)], np.array([[False, True]]), [("0", "2")], [(None, 2)],
    ],
)  # fmt: skip
def test_values_that_are_no_integers_are_refused(spans: Any) -> None:
    with pytest.raises(ValueError, match=r"The spans of document 3 hold values that are not integers: .+\."):
        check_spans(spans, 5, "document 3")


@pytest.mark.parametrize("spans", [[0, 2], [(0, 1, 2)], [(0, 1), (2,)], 7, "ab"])
def test_what_is_no_list_of_pairs_is_refused(spans: Any) -> None:
    with pytest.raises(ValueError, match=r"The spans of document 3 are not \(start, end\) pairs: "):
        check_spans(spans, 5, "document 3")


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([(0, 6)], r"Span 0 of document 3 is \[0, 6\), empty or outside the text of 5 characters"),
        ([(0, 1), (-1, 2)], r"Span 1 of document 3 is \[-1, 2\), empty or outside"),
        ([(2, 2)], r"\[2, 2\), empty or outside"),
        ([(3, 2)], r"\[3, 2\), empty or outside"),
        ([(0, 1 << 70)], r"\[0, 1180591620717411303424\), empty or outside"),
        ([(0, 3), (2, 5)], r"Span 1 of document 3 is \[2, 5\), but the span before ends at 3: sort them"),
        ([(3, 5), (0, 2)], r"Span 1 of document 3 is \[0, 2\), but the span before ends at 5"),
    ],
)
def test_spans_out_of_range_or_order_are_refused(spans: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_spans(spans, 5, "document 3")


# check_targets


def test_targets_are_one_array_per_document() -> None:
    targets = check_targets(iter([[(0, 2)], []]), ["ab", ""], "Tool")
    assert [target.tolist() for target in targets] == [[[0, 2]], []]


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (None, "Tool needs labelled boundaries: pass y"),
        ([[(0, 2)]], "Tool got 2 documents but 1 sequences of spans in y."),
        ([[(0, 2)], [(0, 2)]], r"Span 0 of document 1 is \[0, 2\), empty or outside the text of 1 characters"),
        ([[(0, 2)], [(0, 0.9)]], "The spans of document 1 hold values that are not integers"),
    ],
)
def test_targets_that_do_not_fit_are_refused(y: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_targets(y, ["ab", "c"], "Tool")


# span_array


def test_equally_long_items_stay_items() -> None:
    items = [np.array([[0, 1], [1, 2]]), np.array([[0, 3], [3, 4]])]
    packed = span_array(iter(items))
    assert packed.shape == (2,)
    assert packed.dtype == object
    assert all(found is item for found, item in zip(packed, items, strict=True))
    assert span_array([]).shape == (0,)
