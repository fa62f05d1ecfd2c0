"""The tokenizers inside scikit-learn: vectorizers, searches, caches, stop lists."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from textprep_ml.tokenization import RegexTokenizer, WordTokenizer, make_vectorizer, stop_tokens

TEXTS = [
    "I can't wait",
    "it isn't good",
    "so good",
    "we can wait",
    "don't go",
    "good it is",
    "cannot wait",
    "go on",
] * 2
LABELS = [0, 1] * 8


def test_no_warning_in_a_vectorizer() -> None:
    """K04."""
    with warnings.catch_warnings(action="error"):
        TfidfVectorizer(tokenizer=WordTokenizer(), token_pattern=None).fit(["a b"])
        make_vectorizer(WordTokenizer(), stop_words=["isn't", "The"]).fit(["The cat isn't a dog"])


def test_stop_list_goes_through_the_tokenizer() -> None:
    """K05."""
    assert stop_tokens(["isn't", "The"], WordTokenizer(contractions="split"), lowercase=True) == ["is", "n't", "the"]
    vectorizer = make_vectorizer(WordTokenizer(), kind=CountVectorizer, stop_words=["isn't", "The"])
    assert vectorizer.fit(["The cat isn't"]).get_feature_names_out().tolist() == ["cat"]
    assert stop_tokens(["X"], WordTokenizer(), normalizer=str.lower, lowercase=False) == ["x"]
    with pytest.raises(TypeError, match="one str"):
        stop_tokens("the", WordTokenizer())


def test_short_words_stay() -> None:
    """K09."""
    vectorizer = CountVectorizer(tokenizer=WordTokenizer(), token_pattern=None, lowercase=False)
    assert sorted(vectorizer.fit(["I saw a 犬"]).vocabulary_) == ["I", "a", "saw", "犬"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search_over_the_tokenizer(n_jobs: int) -> None:
    pipeline = Pipeline(
        [("vect", CountVectorizer(tokenizer=WordTokenizer(), token_pattern=None)), ("clf", LogisticRegression())]
    )
    grid = {"vect__tokenizer__contractions": ["split", "keep"], "vect__tokenizer": [WordTokenizer(), RegexTokenizer()]}
    search = GridSearchCV(
        pipeline, {"vect__tokenizer__contractions": grid["vect__tokenizer__contractions"]}, cv=2, n_jobs=n_jobs
    )
    search.fit(TEXTS, LABELS)
    assert set(search.cv_results_["param_vect__tokenizer__contractions"]) == {"split", "keep"}
    GridSearchCV(pipeline, {"vect__tokenizer": grid["vect__tokenizer"]}, cv=2).fit(TEXTS, LABELS)


class CountingTokenizer(WordTokenizer):
    """Notes in a file that it was called, so that processes and caches can be looked through."""

    log: Path

    def transform(self, X: Any) -> list[Any]:
        """Tokenize, and note it."""
        with self.log.open("a") as file:
            file.write("x")
        return super().transform(X)


def first_tokens(X: list[list[str]]) -> list[str]:
    return [" ".join(tokens) for tokens in X]


def test_pipeline_memory_skips_the_tokenizer(tmp_path: Path) -> None:
    """K11: the hash of a tokenizer depends on its parameters only, before and after use."""
    from sklearn.preprocessing import FunctionTransformer

    CountingTokenizer.log = tmp_path / "calls"
    tokenizer = CountingTokenizer()
    for _ in range(2):
        steps = [("tokens", tokenizer), ("join", FunctionTransformer(first_tokens)), ("vect", CountVectorizer())]
        Pipeline([*steps, ("clf", LogisticRegression())], memory=str(tmp_path / "cache")).fit(TEXTS, LABELS)
        tokenizer.tokenize("used between the fits")
    assert CountingTokenizer.log.read_text() == "x"
