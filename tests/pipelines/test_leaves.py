"""Nested lists as terms of a vectorizer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from textprep_ml import LeafAnalyzer

NESTED = st.recursive(st.text(max_size=3), lambda inner: st.lists(inner, max_size=4), max_leaves=15)


def leaves(item: Any) -> list[str]:
    return [item] if isinstance(item, str) else [leaf for inner in item for leaf in leaves(inner)]


@given(document=NESTED)
def test_terms_are_all_strings_in_order(document: Any) -> None:
    assert LeafAnalyzer()(document) == leaves(document)
    assert LeafAnalyzer().transform([document]) == [leaves(document)]


@given(sentences=st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=4))
def test_ngrams_stay_in_sentences(sentences: list[list[str]]) -> None:
    expected = [f"{a} {b}" for sentence in sentences for a, b in zip(sentence, sentence[1:], strict=False)]
    assert LeafAnalyzer(ngram_range=(2, 2))(sentences) == expected


def test_ngrams_of_tokens_without_sentences_and_of_pieces() -> None:
    bigrams = LeafAnalyzer(ngram_range=(2, 2), separator="_")
    assert bigrams(["a", "b", "c"]) == ["a_b", "b_c"]
    assert bigrams([[["a", "b"], ["c"]], [["d"]]]) == ["a_b", "b_c"]  # pieces of tokens of sentences
    assert LeafAnalyzer(ngram_range=(1, 3))(["a", "b", "c"]) == ["a", "b", "c", "a b", "b c", "a b c"]


def test_a_tuple_is_one_term() -> None:
    assert LeafAnalyzer()([[("dog", "NOUN"), ("barks", "VERB")]]) == ["dog/NOUN", "barks/VERB"]


def test_stop_words_go_before_ngrams() -> None:
    assert LeafAnalyzer(ngram_range=(2, 2), stop_words={"the"})(["in", "the", "house"]) == ["in house"]


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_vectorizers_take_it_without_a_word(kind: Any, recwarn: pytest.WarningsRecorder) -> None:
    matrix = kind(analyzer=LeafAnalyzer()).fit_transform([[["a", "b"], ["a"]], [["b"]]])
    assert matrix.shape[0] == 2
    assert matrix[1].count_nonzero() == 1
    assert len(recwarn) == 0


def test_parameters_are_searched_by_name() -> None:
    vectorizer = CountVectorizer(analyzer=LeafAnalyzer()).set_params(analyzer__ngram_range=(2, 2))
    assert vectorizer.fit([["a", "b"]]).get_feature_names_out().tolist() == ["a b"]


def test_what_is_no_text_is_refused_with_its_place() -> None:
    with pytest.raises(TypeError, match="document 1 > 0 > 2 is int: 3"):
        LeafAnalyzer().transform([["a"], [["a", "b", 3]]])
    with pytest.raises(TypeError, match="document given is NoneType"):
        LeafAnalyzer()(None)
