"""WordCounter: counts, n-grams, streams, merging, bounded memory, document vectors."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from textprep_ml.counts import WordCounter, letter_words, trim_counts
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.tokenization import WordTokenizer

TEXTS = ["The cat and the dog", "the end", "", "Straße STRASSE ñandú"]
DOCUMENTS = st.lists(st.text(st.sampled_from("abAß é-"), max_size=12), max_size=6)


def test_counts_by_hand() -> None:
    counter = WordCounter().fit(TEXTS)
    assert counter.counts_["the"] == 2
    assert counter.counts_["The"] == 1
    assert (counter.n_tokens_, counter.n_documents_, counter.error_bound_) == (10, 4, 0)
    assert WordCounter(case="lower").fit(TEXTS).most_common(1) == [("the", 3)]
    assert WordCounter(case="fold").fit(TEXTS).counts_["strasse"] == 2


@pytest.mark.parametrize("case", ["keep", "lower", "fold"])
@given(documents=DOCUMENTS)
def test_the_fast_way_counts_the_words(case: str, documents: list[str]) -> None:
    folds = {"keep": str, "lower": str.lower, "fold": str.casefold}
    expected = Counter(folds[case](word) for document in documents for word in letter_words(document))
    assert WordCounter(case=case).fit(documents).counts_ == expected


def test_ngrams_equal_those_of_count_vectorizer() -> None:
    texts = ["a b c a b", "b c", "a"]
    mine = WordCounter(ngram_range=(1, 3)).fit(texts)
    theirs = CountVectorizer(ngram_range=(1, 3), token_pattern=r"\w+").fit(texts)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert (mine.transform(texts) != theirs.transform(texts)).nnz == 0


@given(documents=DOCUMENTS, cut=st.integers(0, 6))
def test_batches_and_merged_parts_give_the_counts_of_one_pass(documents: list[str], cut: int) -> None:
    whole = WordCounter().fit(documents)
    stream = WordCounter().partial_fit(documents[:cut]).partial_fit(iter(documents[cut:]))
    merged = WordCounter().fit(documents[:cut]).merge(WordCounter().fit(documents[cut:]))
    for other in (stream, merged):
        assert other.counts_ == whole.counts_
        assert other.vocabulary_ == whole.vocabulary_
        assert (other.n_tokens_, other.n_documents_) == (whole.n_tokens_, whole.n_documents_)


@given(words=st.lists(st.sampled_from("abcdefgh"), max_size=80), size=st.integers(1, 5), step=st.integers(1, 9))
def test_bounded_memory_keeps_its_promise(words: list[str], size: int, step: int) -> None:
    """Agarwal et al. 2012: never too large, too small by at most n / (size + 1); heavy words are never lost."""
    exact = Counter(words)
    counter = WordCounter(max_words=size).fit([])
    for start in range(0, len(words), step):
        counter.partial_fit([" ".join(words[start : start + step])])
    assert len(counter.counts_) <= size
    assert counter.error_bound_ <= len(words) / (size + 1)
    for word, count in exact.items():
        assert count - counter.error_bound_ <= counter.counts_.get(word, 0) <= count


def test_trimming_by_hand() -> None:
    counts = Counter({"a": 5, "b": 3, "c": 2, "d": 2})
    assert trim_counts(counts, 2) == 2  # c is the largest that has to go
    assert counts == {"a": 3, "b": 1}


def test_feature_names_and_pandas_output() -> None:
    """K08: columns in order; a data frame for dense output, a hint for sparse output."""
    texts = ["b a", "a c"]
    counter = WordCounter(sparse_output=False).fit(texts)
    assert counter.get_feature_names_out().tolist() == ["a", "b", "c"]
    frame = counter.set_output(transform="pandas").transform(texts)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["a", "b", "c"]
    assert frame.to_numpy().tolist() == [[1, 1, 0], [1, 0, 1]]
    with pytest.raises(ValueError, match="sparse_output=False"):
        WordCounter().fit(texts).set_output(transform="pandas").transform(texts)


def test_the_fitted_state_is_small() -> None:
    """K10: what the vocabulary leaves out is not kept, unless asked."""
    texts = [" ".join(letters(number) for number in range(start, start + 1000)) for start in range(0, 100_000, 1000)]
    counter = WordCounter(vocab_size=100).fit(texts)
    assert len(counter.vocabulary_) == 100
    assert counter.n_tokens_ == 100_000
    assert len(pickle.dumps(counter)) < 50_000
    with pytest.raises(ValueError, match="keep_counts=True"):
        counter.partial_fit(["more"])
    kept = WordCounter(vocab_size=100, keep_counts=True).fit(texts)
    assert len(kept.counts_) == 100_000
    assert len(kept.partial_fit(["more"]).counts_) == 100_001


def letters(number: int) -> str:
    """Write a number in letters."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


def test_short_words_and_your_own_tokenizer() -> None:
    """K09."""
    assert sorted(WordCounter().fit(["I saw a 犬"]).counts_) == ["I", "a", "saw", "犬"]
    counter = WordCounter(tokenizer=WordTokenizer(), case="lower").fit(["It's 5!"])
    assert sorted(counter.counts_) == ["!", "'s", "5", "it"]


def test_tables() -> None:
    counter = WordCounter().fit(["a a a a b b c"])
    table = counter.zipf_table()
    assert table["term"] == ["a", "b", "c"]
    assert table["rank_times_count"] == [4, 4, 3]
    assert table["share"][0] == pytest.approx(4 / 7)
    figures = counter.type_token()
    assert (figures["tokens"], figures["types"], figures["hapaxes"]) == (7, 3, 1)
    assert figures["yule_k"] == pytest.approx(1e4 * (16 + 4 + 1 - 7) / 49)
    assert figures["guiraud"] == pytest.approx(3 / np.sqrt(7))
    assert WordCounter().fit([]).type_token()["type_token_ratio"] == 0.0


def test_save_and_load(tmp_path: Path) -> None:
    counter = WordCounter(ngram_range=(1, 2), vocab_size=3).fit(TEXTS)
    counter.save(tmp_path / "counts.json")
    again = WordCounter.load(tmp_path / "counts.json")
    assert again.most_common() == counter.most_common()
    assert again.get_params() == counter.get_params()
    assert (again.transform(TEXTS) != counter.transform(TEXTS)).nnz == 0
    with pytest.raises(ValueError, match="pickle it"):
        WordCounter(tokenizer=str.split).fit(TEXTS).save(tmp_path / "x.json")
    (tmp_path / "broken.json").write_text((tmp_path / "counts.json").read_text().replace('"counts_"', '"counted"'))
    with pytest.raises(ModelFormatError, match="damaged"):
        WordCounter.load(tmp_path / "broken.json")


def test_errors() -> None:
    with pytest.raises(ValueError, match="ngram_range"):
        WordCounter(ngram_range=(2, 1)).fit([])
    with pytest.raises(ValueError, match="different case"):
        WordCounter().fit([]).merge(WordCounter(case="lower").fit([]))


def test_surrogates_are_no_letters() -> None:
    assert WordCounter().fit(["a\ud800b"]).counts_ == {"a": 1, "b": 1}
