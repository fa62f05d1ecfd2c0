"""Any model comes back from its file as it was: alone, in a pipeline, around scikit-learn's estimators."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import FunctionTransformer, Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import LinearSVC

import textprep_ml
from tests import checks
from tests.test_contract import CASES, Case
from textprep_ml import (
    BPETokenizer,
    LeafAnalyzer,
    ModelFormatError,
    RuleSegmenter,
    TextNormalizer,
    TextPipeline,
    WordTokenizer,
    make_text_pipeline,
)
from textprep_ml.persistence import foreign, from_saved, to_saved
from textprep_ml.persistence.values import from_plain, to_plain
from textprep_ml.registry import CLASSIFIERS, TRANSFORMERS, find_foreign

TEXTS = ["a good film, really good", "so bad, so long", "good and short", "bad film", "what a film?", "is it long?"] * 3
LABELS = ["+", "-", "+", "-", "?", "?"] * 3


def again(model: Any, folder: Path) -> Any:
    textprep_ml.save(model, folder / "x.json")
    return textprep_ml.load(folder / "x.json")


SAVABLE = [case for case in CASES if case.methods and case.name != "EditDistanceTransformer"]


@pytest.mark.parametrize("case", SAVABLE, ids=lambda case: case.name)
def test_every_estimator_of_ours(case: Case, tmp_path: Path) -> None:
    fitted = case.fit(checks.clone(case.estimator))
    loaded = again(fitted, tmp_path)
    assert type(loaded) is type(fitted)
    assert json.dumps(to_saved(loaded)) == json.dumps(to_saved(fitted))
    for method in case.methods:
        assert checks.run_method(loaded, method, checks.TEXTS) == checks.run_method(fitted, method, checks.TEXTS)


@pytest.mark.parametrize("name", ["en", "en-tree", "en-pos"])
def test_shipped_models_by_name(name: str) -> None:
    assert type(textprep_ml.load(name)).__name__ == ("PosTagger" if name == "en-pos" else "SentenceSegmenter")


CLASSIFYING = [
    LogisticRegression(),
    LogisticRegression(class_weight={"+": 2.0, "-": 1.0, "?": 1.0}, C=np.float64(0.5)),
    LogisticRegression(C=np.inf),
    LinearSVC(),
    SGDClassifier(loss="log_loss", random_state=0),
    Perceptron(),
    MultinomialNB(),
    MultinomialNB(alpha=1e-300, force_alpha=True),
    ComplementNB(),
    BernoulliNB(),
]


@pytest.mark.parametrize("classifier", CLASSIFYING, ids=str)
@pytest.mark.parametrize("labels", [LABELS, [len(label) for label in "ab" * 9], [i % 2 == 0 for i in range(18)]])
def test_classifiers_decide_as_before(classifier: Any, labels: list[Any], tmp_path: Path) -> None:
    if len(set(labels)) == 1:
        labels = [index % 3 for index in range(18)]
    if set(labels) != set(LABELS):
        classifier = (
            classifier.set_params(class_weight=None) if "class_weight" in classifier.get_params() else classifier
        )
    pipeline = make_pipeline(WordTokenizer(), CountVectorizer(analyzer=LeafAnalyzer()), classifier).fit(TEXTS, labels)
    loaded = again(pipeline, tmp_path)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(pipeline, method):
            before, after = getattr(pipeline, method)(TEXTS), getattr(loaded, method)(TEXTS)
            assert before.dtype == after.dtype
            assert np.array_equal(before, after)
    assert loaded.classes_.tolist() == pipeline.classes_.tolist()
    assert loaded.score(TEXTS, labels) == pipeline.score(TEXTS, labels)


VECTORIZING = [
    CountVectorizer(tokenizer=WordTokenizer(contractions="keep"), token_pattern=None, ngram_range=(1, 2)),
    CountVectorizer(vocabulary=["film", "good"], dtype=np.int32, stop_words=["film"]),
    CountVectorizer(analyzer="char_wb", ngram_range=(1, 3), max_features=20),
    TfidfVectorizer(),
    TfidfVectorizer(use_idf=False, sublinear_tf=True),
    TfidfVectorizer(norm=None, min_df=2, dtype=np.float32),
    HashingVectorizer(n_features=64),
    make_pipeline(CountVectorizer(), TfidfTransformer()),
    make_pipeline(TfidfVectorizer(), Normalizer("l1")),
    make_pipeline(CountVectorizer(), MaxAbsScaler()),
    make_pipeline(TfidfVectorizer(), StandardScaler(with_mean=False)),
    make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0), StandardScaler()),
]


def dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if sp.issparse(matrix) else matrix


@pytest.mark.parametrize("vectorizer", VECTORIZING, ids=str)
def test_vectorizers_give_the_same_matrix(vectorizer: Any, tmp_path: Path) -> None:
    fitted = vectorizer.fit(TEXTS)
    loaded = again(fitted, tmp_path)
    before, after = fitted.transform([*TEXTS, "unseen words"]), loaded.transform([*TEXTS, "unseen words"])
    assert before.dtype == after.dtype
    assert np.array_equal(dense(before), dense(after))
    if hasattr(fitted, "get_feature_names_out") and not isinstance(fitted, Pipeline):
        assert loaded.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    if hasattr(fitted, "vocabulary"):
        assert loaded.vocabulary == fitted.vocabulary


def test_pipelines_come_back_with_their_steps(tmp_path: Path) -> None:
    pipeline = make_text_pipeline(
        normalizer="search",
        segmenter="rules",
        subword=BPETokenizer(vocab_size=265, pretokenizer="none"),
        classifier="bayes",
    ).fit(TEXTS, LABELS)
    pipeline.save(tmp_path / "x.json", config={"anything": 1})
    loaded = TextPipeline.load(tmp_path / "x.json")
    assert isinstance(loaded, TextPipeline)
    assert list(loaded.named_steps) == list(pipeline.named_steps)
    assert loaded.predict(TEXTS).tolist() == pipeline.predict(TEXTS).tolist()
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["config"] == {"anything": 1}
    assert json.dumps(to_saved(loaded)) == json.dumps(to_saved(pipeline))


def test_idle_steps_and_nested_and_frozen_ones(tmp_path: Path) -> None:
    inner = Pipeline([("words", WordTokenizer()), ("nothing", "passthrough"), ("none", None)])
    pipeline = Pipeline([("split", FrozenEstimator(RuleSegmenter())), ("inner", inner)]).fit(["a"])
    loaded = again(pipeline, tmp_path)
    assert loaded.transform(["A b. C."]) == [[["A", "b", "."], ["C", "."]]]
    assert isinstance(loaded[0], FrozenEstimator)
    assert loaded[1].steps[1:] == [("nothing", "passthrough"), ("none", None)]


def test_a_search_is_saved_as_its_best_estimator(tmp_path: Path) -> None:
    pipeline = make_text_pipeline(classifier="logistic")
    search = GridSearchCV(pipeline, {"classifier__C": [0.01, 10.0]}, cv=2).fit(TEXTS, LABELS)
    loaded = again(search, tmp_path)
    assert search.best_params_["classifier__C"] == loaded[-1].C
    assert loaded.predict(TEXTS).tolist() == search.predict(TEXTS).tolist()


# What is refused


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (make_pipeline(TfidfVectorizer(), RandomForestClassifier(2)), r"Step 'randomforestclassifier' is RandomForest"),
        (
            make_pipeline(TfidfVectorizer(preprocessor=str.lower)),
            r"\(TfidfVectorizer\): preprocessor is <method 'lower'",
        ),
        (make_pipeline(FunctionTransformer(np.log1p)), "Step 'functiontransformer' is FunctionTransformer"),
        (make_pipeline(WordTokenizer(), FrozenEstimator(RandomForestClassifier())), "RandomForest"),
    ],
    ids=["forest", "function", "transformer", "frozen"],
)
def test_what_is_no_plain_data_is_refused(model: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("the old one")
    with pytest.raises(ModelFormatError, match=message):
        textprep_ml.save(model if "Forest" in message and "frozen" in message else _fit(model), tmp_path / "x.json")
    assert (tmp_path / "x.json").read_text() == "the old one"


def _fit(model: Any) -> Any:
    try:
        return model.fit(TEXTS, LABELS)
    except (TypeError, ValueError):
        return model


def test_what_is_not_fitted_is_refused(tmp_path: Path) -> None:
    for model in (
        BPETokenizer(),
        make_pipeline(WordTokenizer(), BPETokenizer()),
        make_pipeline(TfidfVectorizer()),
        LogisticRegression(),
    ):
        with pytest.raises(NotFittedError):
            textprep_ml.save(model, tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


class MyTokenizer(WordTokenizer):
    """One that no file can name."""


def test_classes_that_are_not_public_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="is a MyTokenizer, which is not one of the public estimators"):
        textprep_ml.save(MyTokenizer(), tmp_path / "x.json")


def _saved(tmp_path: Path, **changes: Any) -> Path:
    pipeline = make_text_pipeline(classifier="logistic").fit(TEXTS, LABELS)
    pipeline.save(tmp_path / "x.json")
    document = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    (tmp_path / "x.json").write_text(json.dumps(document | changes), encoding="utf-8")
    return tmp_path / "x.json"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"class": "os.system"}, "of the class 'os.system', which textprep_ml does not know"),
        ({"class": ["Pipeline"]}, "which textprep_ml does not know"),
        ({"class": "write_corpus"}, "which textprep_ml does not know"),
        ({"class": "RandomForestClassifier", "params": {}, "state": {}}, "which textprep_ml does not know"),
        ({"steps": None}, "damaged Pipeline model"),
        ({"steps": [["a", 3]]}, "of the class None"),
        ({"steps": [["a"]]}, "damaged Pipeline model"),
        ({"steps": [["a", {"class": "WordTokenizer"}]]}, "damaged WordTokenizer model: KeyError"),
        ({"steps": [["a", {"class": "LogisticRegression", "params": {"D": 1}, "state": {}}]]}, "damaged"),
        ({"steps": [["a", {"class": "CountVectorizer", "params": {}, "state": {}}]]}, "KeyError: 'terms'"),
        ({"steps": [["a", {"class": "TextNormalizer", "params": {"form": "NFX"}, "state": {"steps": {}}}]]}, "NFX"),
        ({"version": 99}, "has format version 99"),
    ],
)
def test_damaged_and_foreign_files_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=message):
        textprep_ml.load(_saved(tmp_path, **changes))


def test_no_file_runs_a_function(tmp_path: Path) -> None:
    """Only estimators are made: a function of the package with arguments of the file is not called."""
    target = tmp_path / "written.txt"
    bad = {"class": "write_corpus", "params": {"rows": [{"text": "a"}], "path": str(target), "format": "text"}}
    document = to_saved(WordTokenizer()) | {"format": "textprep_ml", "version": 1}
    document["params"]["language"] = bad
    (tmp_path / "x.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFormatError, match="'write_corpus', which is no estimator"):
        textprep_ml.load(tmp_path / "x.json")
    assert not target.exists()


def test_a_pipeline_is_not_loaded_as_an_estimator(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="holds a Pipeline, not a WordTokenizer"):
        WordTokenizer.load(_saved(tmp_path))
    with pytest.raises(ModelFormatError, match="holds a SentenceSegmenter, not a pipeline"):
        TextPipeline.load("en")
    with pytest.raises(ModelFormatError, match="holds a model of the class"):
        from_saved({}, "x.json")


def test_parameters_from_a_search_are_plain(tmp_path: Path) -> None:
    tokenizer = BPETokenizer(vocab_size=np.int64(258), special_tokens=("<s>",)).fit(TEXTS)
    assert again(tokenizer, tmp_path).vocab_size == 258
    assert again(RuleSegmenter(abbreviations={"Zz", "Aa"}), tmp_path).abbreviations == ["Aa", "Zz"]
    with pytest.raises(ModelFormatError, match=r"cannot hold this WordTokenizer: .*Pattern is not JSON"):
        textprep_ml.save(WordTokenizer(protected=[re.compile("a")]), tmp_path / "x.json")


# Values


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        0.1,
        -np.inf,
        "é\ud800",
        [1, [2.5, None]],
        (1, (2, "a")),
        {"a": (1,)},
        {1: "a", (2, 3): [4]},
        {"$": "tuple"},
        pytest.param({"b", "a"}, id="set"),
        np.float32,
        np.int64,
    ],
    ids=repr,
)
def test_values_come_back(value: Any) -> None:
    plain = json.loads(json.dumps(to_plain(value, "x"), allow_nan=False))
    assert from_plain(plain) == value
    assert type(from_plain(plain)) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.1, 1 / 3, 5e-324, -0.0]),
        np.array([[1, 2, 3]], dtype=np.int8),
        np.array([np.nan, np.inf, -np.inf]),
        np.array([0.1], dtype=np.float32),
        np.array(["a", "né"]),
        np.array(["a", None, 3], dtype=object),
        np.zeros((0, 3)),
        np.array([True, False]),
        np.array(3.5),
    ],
    ids=repr,
)
def test_arrays_come_back(array: np.ndarray) -> None:
    plain = json.loads(json.dumps(to_plain(array, "x"), allow_nan=False))
    found = from_plain(plain)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    if array.dtype.kind == "f":
        assert found.tobytes() == array.tobytes()
    else:
        assert found.tolist() == array.tolist()


@pytest.mark.parametrize("value", [print, object(), b"x", np.array([1 + 2j]), np.datetime64("2020"), int, 1j])
def test_values_that_are_no_plain_data(value: Any) -> None:
    with pytest.raises(ModelFormatError, match="x is "):
        to_plain(value, "x")
    with pytest.raises(ModelFormatError, match="unknown kind 'code'"):
        from_plain({"$": "code", "value": "print()"})


def test_the_list_of_names_holds_what_there_is() -> None:
    assert foreign.LEARNED.keys() <= CLASSIFIERS.keys() | TRANSFORMERS.keys()
    assert TRANSFORMERS.keys() <= foreign.LEARNED.keys()
    for name in CLASSIFIERS | TRANSFORMERS:
        assert find_foreign(name).__name__ == name
    assert find_foreign("Pipeline") is find_foreign(None) is find_foreign([]) is None


def test_a_text_normalizer_inside_a_pipeline_keeps_what_it_learned(tmp_path: Path) -> None:
    pipeline = make_pipeline(TextNormalizer(dehyphenation="join"), WordTokenizer()).fit(["example one", "two"])
    assert again(pipeline, tmp_path).transform(["exam-\nple"]) == pipeline.transform(["exam-\nple"]) == [["example"]]
