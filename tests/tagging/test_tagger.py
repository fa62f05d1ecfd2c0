"""PosTagger: learning, nesting, saving, bad input, and how well it does on real text."""

from __future__ import annotations

import json
import os
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from tests.growth import assert_growth
from textprep_ml.exceptions import CorpusFormatError, ModelFormatError
from textprep_ml.tagging import PosTagger, induce_word_classes, read_tagged
from textprep_ml.tagging.features import SLOTS, FeatureTable, normalize_word, shape_of, word_attributes

ROOT = Path(__file__).parent.parent.parent
SHARED = Path(os.environ.get("TEXTPREP_ML_SHARED", ROOT.parent / "shared")) / "data" / "conllu" / "en_ewt-ud-dev.conllu"
TINY = ROOT / "data" / "sample" / "tiny.conllu"

X = ["the dog barks", "a cat sleeps", "dogs sleep", "the old dog sleeps .", "old cats bark ."]
Y = ["DET NOUN VERB", "DET NOUN VERB", "NOUN VERB", "DET ADJ NOUN VERB PUNCT", "ADJ NOUN VERB PUNCT"]


@pytest.fixture(scope="module")
def tagger() -> PosTagger:
    return PosTagger(min_frequency=1, n_epochs=20).fit(X, Y)


def test_learns_its_training_sentences(tagger: PosTagger) -> None:
    assert tagger.score(X, Y) == 1.0
    assert tagger.classes_.tolist() == ["ADJ", "DET", "NOUN", "PUNCT", "VERB"]
    assert tagger.predict(["an old dog sleeps ."])[0][1:] == ["ADJ", "NOUN", "VERB", "PUNCT"]


def test_nesting_is_kept(tagger: PosTagger) -> None:
    documents = [[["the", "dog", "barks"], ["dogs", "sleep"]], [], [["a", "cat"]]]
    flat = tagger.predict([sentence for document in documents for sentence in document])
    assert tagger.predict(documents).tolist() == [[flat[0], flat[1]], [], [flat[2]]]
    assert tagger.transform(documents)[0][1] == [("dogs", "NOUN"), ("sleep", "VERB")]
    assert tagger.transform([documents])[0] == tagger.transform(documents)
    for sentences in (
        np.array([["the", "dog"]] * 2, dtype=object)[:1].tolist(),
        (("the", "dog"),),
        pd.Series(["the dog"]),
    ):
        assert tagger.predict(sentences)[0] == ["DET", "NOUN"]
    fitted = PosTagger(min_frequency=1, n_epochs=20).fit([[x.split() for x in X]], [[y.split() for y in Y]])
    assert fitted.predict(X).tolist() == tagger.predict(X).tolist()


def test_empty_sentences_have_no_tags(tagger: PosTagger) -> None:
    assert tagger.predict(["", [], "the dog"]).tolist() == [[], [], ["DET", "NOUN"]]
    assert tagger.transform([[]]) == [[]]
    assert len(tagger.predict([])) == 0
    assert len(tagger.predict([["", "\ud800", "a\tb"]])[0]) == 3


def test_features_by_hand() -> None:
    attributes = dict(zip(SLOTS, word_attributes("Isn't", {"isn't": "7"}), strict=True))
    assert attributes == {
        "word": "isn't", "form": "Isn't", "shape": "Xx'x", "length": "5", "class": "7",
        "suffix1": "t", "suffix2": "'t", "suffix3": "n't", "suffix4": "sn't", "suffix5": "*",
        "prefix1": "i", "prefix2": "is", "prefix3": "isn", "prefix4": "isn'",
    }  # fmt: skip
    assert normalize_word("B52-Ä٣") == "b00-ä0"
    assert [shape_of(word) for word in ("The", "3.50", "USA", "e-mail", "", "...")] == [
        "Xx",
        "d.d",
        "X",
        "x-x",
        "",
        ".",
    ]


def test_unambiguous_forms_come_from_the_dictionary() -> None:
    sentences, tags = [["a", "b"]] * 30 + [["b", "a"]], [["X", "Y"]] * 30 + [["Z", "X"]]
    tagger = PosTagger(dictionary_min_count=30).fit(sentences, tags)
    assert tagger.model_.table.dictionary == {"a": "X"}
    assert PosTagger(dictionary_min_count=30, dictionary_purity=0.9).fit(sentences, tags).model_.table.dictionary == {
        "a": "X",
        "b": "Y",
    }
    assert PosTagger(dictionary_purity=1.5).fit(sentences, tags).model_.table.dictionary == {}


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), LinearSVC(), SGDClassifier(random_state=0), Perceptron(), RidgeClassifier()],
    ids=lambda e: type(e).__name__,
)
def test_any_linear_classifier(estimator: Any) -> None:
    tagger = PosTagger(estimator=estimator, min_frequency=1).fit(X, Y)
    assert tagger.score(X, Y) == 1.0
    assert tagger.estimator_ is not estimator
    two = PosTagger(estimator=estimator, min_frequency=1).fit(["a b", "b a a"], ["L R", "R L L"])
    assert two.predict(["a b", "b a a"]).tolist() == [["L", "R"], ["R", "L", "L"]]
    assert PosTagger(estimator=estimator).fit(["a b"], ["L L"]).predict(["c"]).tolist() == [["L"]]


def test_a_classifier_learns_real_sentences() -> None:
    sentences, tags = read_tagged(SHARED if SHARED.exists() else TINY)
    sentences, tags = sentences[:200], tags[:200]
    fitted = PosTagger(estimator=LinearSVC(), dictionary_purity=1.5, largest_weight=1_000_000).fit(sentences, tags)
    assert fitted.score(sentences, tags) >= 0.97


def test_classifiers_without_weights_are_refused() -> None:
    class Crowd(LogisticRegression):
        def fit(self, X: Any, y: Any) -> Crowd:
            self.classes_ = np.unique(y)
            return self

    with pytest.raises(ValueError, match="Crowd has no coef_"):
        PosTagger(estimator=Crowd()).fit(X, Y)
    with pytest.raises(ValueError, match="estimator"):
        PosTagger(estimator=GaussianNB()).fit(X, Y)


def test_scikit_learn_s_tools_take_it() -> None:
    sentences, tags = [x.split() for x in X * 3], [y.split() for y in Y * 3]
    assert cross_val_score(PosTagger(min_frequency=1), sentences, tags, cv=3).shape == (3,)
    assert len(cross_val_predict(PosTagger(min_frequency=1), sentences, tags, cv=3)) == 15
    search = GridSearchCV(PosTagger(min_frequency=1), {"n_epochs": [1, 5]}, cv=3).fit(sentences, tags)
    assert search.best_params_["n_epochs"] in (1, 5)


@pytest.mark.parametrize("word_classes", [None, {"dog": "animal", "cat": "animal", "cow": "animal"}])
def test_saves_and_loads(word_classes: Any, tmp_path: Path) -> None:
    tagger = PosTagger(min_frequency=1, word_classes=word_classes, dictionary_min_count=2).fit(X, Y)
    tagger.save(tmp_path / "tagger.json")
    again = PosTagger.load(tmp_path / "tagger.json")
    sentences = [*X, "the cow sleeps and 3 dogs bark"]
    assert again.predict(sentences).tolist() == tagger.predict(sentences).tolist()
    assert again.model_.to_state() == tagger.model_.to_state()
    assert clone(again).fit(X, Y).model_.to_state() == tagger.model_.to_state()
    assert pickle.loads(pickle.dumps(again)).predict(sentences).tolist() == tagger.predict(sentences).tolist()


@pytest.mark.parametrize(
    "damage",
    [
        {"tags": []},
        {"tags": ["A", "A"]},
        {"dictionary": {"NOPE": ["x"]}},
        {"features": {"word[9]": {}}},
        {"features": {"word[0]": {"dog": [99, 1]}}},
        {"features": {"word[0]": {"dog": [0]}}},
        {"features": {"word[0]": {"dog": [0, 1.5]}}},
        {"features": {"word[0]": {"dog": [0, 1e400]}}},
        {"features": {"word[0]": {"dog": [0, 10**12]}}},
        {"features": {"tag[-2] tag[-1]": {"NOPE": {"NOUN": [0, 1]}}}},
        {"features": [1]},
        {"word_classes": {"c": 3}},
    ],
    ids=repr,
)
def test_damaged_models_are_refused(tagger: PosTagger, damage: dict[str, Any], tmp_path: Path) -> None:
    tagger.save(tmp_path / "tagger.json")
    document = json.loads((tmp_path / "tagger.json").read_text(encoding="utf-8"))
    document["state"].update(damage)
    (tmp_path / "tagger.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFormatError, match=r"tagger\.json is a damaged PosTagger model"):
        PosTagger.load(tmp_path / "tagger.json")


@pytest.mark.parametrize(
    ("sentences", "tags", "error", "message"),
    [
        (X, Y[:-1], ValueError, "5 sentences in X but 4"),
        (["a b"], ["X"], ValueError, "sentence 0 has 2 tokens but 1 tags"),
        ([], [], ValueError, "at least one token"),
        (["", []], ["", []], ValueError, "all 2 sentences are empty"),
        (X, None, ValueError, "pass y"),
        ([["a", 3]], [["X", "X"]], TypeError, "token 1 of document 0 is int"),
        ([["a"], None], [["X"], []], TypeError, "document 1 is NoneType"),
        ([[["a"], 3]], [[["X"], []]], TypeError, "document 0 > 1 is int"),
        ([["a"]], [[7]], TypeError, "tags of document 0"),
        ([["a"]], [[""]], ValueError, "Tags must be"),
        ([["a"]], [["</s>"]], ValueError, "Tags must be"),
        ("a b", ["X X"], TypeError, r"\[text\]"),
    ],
)
def test_bad_training_data(sentences: Any, tags: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PosTagger().fit(sentences, tags)


def test_scores_need_known_tags(tagger: PosTagger) -> None:
    with pytest.raises(ValueError, match="Sentence 1 has the tag 'NN', which this tagger never saw; it knows ADJ"):
        tagger.score(["the", "dog"], ["DET", "NN"])
    with pytest.raises(ValueError, match="empty"):
        tagger.score([""], [""])
    with pytest.raises(NotFittedError):
        PosTagger().score(X, Y)


def test_reading_tagged_sentences(tmp_path: Path) -> None:
    sentences, tags = read_tagged(TINY)
    assert sentences[0] == ["The", "ferry", "left", "at", "7", "a.m."]
    assert tags[0] == ["DET", "NOUN", "VERB", "ADP", "NUM", "NOUN"]
    assert [len(words) for words in sentences] == [len(names) for names in tags]
    twice, _ = read_tagged([TINY, TINY])
    assert len(twice) == 2 * len(sentences)
    with pytest.raises(ValueError, match="'upos' or 'xpos', but got 'pos'"):
        read_tagged(TINY, "pos")
    with pytest.raises(CorpusFormatError, match="sentence 0: 'The' has no xpos tag"):
        read_tagged(TINY, "xpos")


def test_word_classes_group_words_of_the_same_company() -> None:
    animals, fruits = ["dog", "cat", "cow"], ["apple", "pear", "plum"]
    text = [f"the {animal} barks at 7" for animal in animals * 20] + [
        f"an {fruit} tastes sweet" for fruit in fruits * 20
    ]
    classes = induce_word_classes([line.split() for line in text], n_classes=4, n_components=4)
    assert len({classes[word] for word in animals}) == len({classes[word] for word in fruits}) == 1
    assert classes["dog"] != classes["apple"]
    assert "0" in classes
    names = [f"we met {name} at noon" for name in ("Ann", "Bob")] + ["we met friends at noon", "Noon came"]
    cased = induce_word_classes([line.split() for line in names * 5], n_classes=1, n_components=2)
    assert {word: name[-1] for word, name in cased.items()} == {
        "we": "a", "met": "a", "ann": "c", "bob": "c", "friends": "a", "at": "a", "noon": "a", "came": "a",
    }  # fmt: skip
    with pytest.raises(ValueError, match="2 different words"):
        induce_word_classes([["a", "b"]], n_classes=4)


def test_known_words_are_remembered_but_not_saved(tagger: PosTagger) -> None:
    table: FeatureTable = tagger.model_.table
    before = pickle.dumps(table)
    tagger.predict([[f"word{number}" for number in range(1000)]])
    assert pickle.dumps(table) == before


def test_time_grows_with_the_text(tagger: PosTagger) -> None:
    assert_growth(lambda size: partial(tagger.predict, [[f"w{number % 50}" for number in range(size)]]), 4_000)


def test_the_shipped_tagger_on_gold_tokens() -> None:
    """UD English EWT, dev part; without it a small sample, where one error weighs more."""
    sentences, tags = read_tagged(SHARED if SHARED.exists() else TINY)
    assert PosTagger.load("en-pos").score(sentences, tags) >= (0.95 if SHARED.exists() else 0.85)


def test_documents_to_sentences_to_words_to_tags() -> None:
    from sklearn.pipeline import make_pipeline

    from textprep_ml.segmentation import SentenceSegmenter
    from textprep_ml.tokenization import WordTokenizer

    pipeline = make_pipeline(SentenceSegmenter.load("en"), WordTokenizer(), PosTagger.load("en-pos"))
    documents = ["Dr. Smith paid $3.50 for the app. Isn't that great?", "", "They left."]
    tagged = pipeline.transform(documents)
    assert [len(document) for document in tagged] == [2, 0, 1]
    assert tagged[2] == [[("They", "PRON"), ("left", "VERB"), (".", "PUNCT")]]
    assert [token for token, _ in tagged[0][1]] == ["Is", "n't", "that", "great", "?"]
    assert pipeline.predict(documents)[2] == [["PRON", "VERB", "PUNCT"]]
