"""Pipelines and searches in configurations: built, overridden, refused with the place and the nearest name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, StratifiedKFold

import textprep_ml
from textprep_ml import ConfigError, CorpusFormatError, LeafAnalyzer, TextPipeline
from textprep_ml.config import describe_search, load_config, measure_dev, read_documents, read_examples
from textprep_ml.config.files import Corpus

ROOT = Path(__file__).parent.parent.parent

CLASSIFY = """
[data]
train = ["data/sample/messages-train.jsonl"]
[[steps]]
name = "split"
load = "en"
params = { newline = "hard" }
[[steps]]
type = "WordTokenizer"
[[steps]]
name = "terms"
type = "CountVectorizer"
[steps.params]
analyzer = { type = "LeafAnalyzer", ngram_range = [1, 2] }
[[steps]]
name = "classifier"
type = "MultinomialNB"
[search]
cv = 2
[search.grid]
classifier__alpha = [0.1, 1.0]
[output]
model = "out/x.json"
"""

PIECES = """
[data]
train = ["data/sample/raw/raw-en.txt"]
[[steps]]
name = "normalizer"
type = "TextNormalizer"
params = { case = "lower" }
[[steps]]
type = "WordTokenizer"
[[steps]]
name = "pieces"
type = "BPETokenizer"
params = { pretokenizer = "none", num_merges = 30 }
[output]
model = "out/x.json"
"""


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def load(text: str, folder: Path, *overrides: str) -> Any:
    path = folder / "x.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, [f"output.model={folder}/x.json", *overrides])


def test_steps_become_a_pipeline(tmp_path: Path) -> None:
    search = load(CLASSIFY, tmp_path).build()
    assert isinstance(search, GridSearchCV)
    pipeline = search.estimator
    assert isinstance(pipeline, TextPipeline)
    assert list(pipeline.named_steps) == ["split", "wordtokenizer", "terms", "classifier"]
    assert isinstance(pipeline["split"], FrozenEstimator)
    assert pipeline["split"].estimator.newline == "hard"
    assert isinstance(pipeline["terms"].analyzer, LeafAnalyzer)
    assert tuple(pipeline["terms"].analyzer.ngram_range) == (1, 2)
    assert search.param_grid == {"classifier__alpha": [0.1, 1.0]}
    assert isinstance(search.cv, StratifiedKFold)
    assert (search.cv.shuffle, search.cv.random_state) == (True, 0)


def test_values_of_steps_are_overridden_by_name_or_number(tmp_path: Path) -> None:
    overrides = ["steps.wordtokenizer.params.contractions=keep", "steps.4.params.alpha=0.5", "search.cv=3"]
    experiment = load(CLASSIFY, tmp_path, *overrides)
    search = experiment.build()
    assert search.estimator["wordtokenizer"].contractions == "keep"
    assert search.estimator["classifier"].alpha == 0.5
    assert search.cv.n_splits == 3
    assert experiment.table["steps"][1]["params"] == {"contractions": "keep"}


def test_a_search_is_trained_saved_and_told(tmp_path: Path) -> None:
    experiment = load(CLASSIFY, tmp_path, 'data.dev=["data/sample/messages-dev.jsonl"]')
    search = experiment.fit()
    experiment.save(search)
    loaded = textprep_ml.load(tmp_path / "x.json")
    assert loaded["classifier"].alpha == search.best_params_["classifier__alpha"]
    kept = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["config"]
    found = describe_search(search)
    assert kept["found"] == {"score": found["score"], "params": found["params"]}
    assert [each["score"] for each in found["candidates"]] == sorted(
        (each["score"] for each in found["candidates"]), reverse=True
    )
    assert measure_dev(experiment, loaded)["data/sample/messages-dev.jsonl"]["model"].keys() == {"accuracy"}


def test_a_random_search_and_a_measure(tmp_path: Path) -> None:
    overrides = [
        "search.type=RandomizedSearchCV",
        "search.n_iter=1",
        "search.scoring=f1_macro",
        "search.random_state=5",
    ]
    search = load(CLASSIFY, tmp_path, *overrides).build()
    assert isinstance(search, RandomizedSearchCV)
    assert (search.n_iter, search.scoring, search.random_state) == (1, "f1_macro", 5)


def test_values_of_a_grid_may_be_estimators_and_pairs(tmp_path: Path) -> None:
    text = CLASSIFY.replace(
        "classifier__alpha = [0.1, 1.0]",
        'classifier = [{ type = "LogisticRegression", C = 3.0 }, { type = "BernoulliNB" }]\n'
        'terms = [{ type = "TfidfVectorizer", analyzer = { type = "LeafAnalyzer" } }]',
    )
    with pytest.raises(ConfigError, match=r"\[search\] grid terms: no estimator 'TfidfVectorizer'"):
        load(text, tmp_path).build()
    text = text.replace(
        'terms = [{ type = "TfidfVectorizer", analyzer = { type = "LeafAnalyzer" } }]', "terms__ngram_range = [[1, 1]]"
    )
    grid = load(text, tmp_path).build().param_grid
    assert [type(value).__name__ for value in grid["classifier"]] == ["LogisticRegression", "BernoulliNB"]
    assert grid["terms__ngram_range"] == [(1, 1)]


def test_a_segmenter_is_searched_too(tmp_path: Path) -> None:
    text = (
        '[data]\ntrain = ["data/sample/train.jsonl", { path = "data/sample/dev.jsonl", weight = 0.5 }]\n'
        'raw = ["data/sample/raw/raw-en.txt"]\n[model]\ntype = "SentenceSegmenter"\n'
        "params = { min_count = 2, templates = ['kind', 'kind left.mark right.shape', 'kind right.word'] }\n"
        '[search]\ncv = 2\ngrid = { threshold = [0.01, 0.5] }\n[output]\nmodel = "x"\n'
    )
    experiment = load(text, tmp_path)
    assert isinstance(experiment.build().cv, KFold)
    search = experiment.fit()
    experiment.save(search)
    assert search.best_params_ == {"threshold": 0.5}
    assert textprep_ml.load(tmp_path / "x.json").split("We met Dr. Ito. She left.")


def test_pieces_are_learned_from_texts_behind_other_steps(tmp_path: Path) -> None:
    experiment = load(PIECES, tmp_path)
    pipeline = experiment.fit()
    experiment.save(pipeline)
    assert len(pipeline["pieces"].merges_) == 30
    assert textprep_ml.load(tmp_path / "x.json").transform(["The Town"]) == pipeline.transform(["the town"])


def test_trained_models_are_put_together_without_data(tmp_path: Path) -> None:
    text = (
        '[[steps]]\nload = "en"\n[[steps]]\ntype = "WordTokenizer"\n[[steps]]\nload = "en-pos"\n[output]\nmodel = "x"\n'
    )
    experiment = load(text, tmp_path)
    experiment.save(experiment.fit())
    assert textprep_ml.load(tmp_path / "x.json").transform(["It rains."]) == [
        [[("It", "PRON"), ("rains", "VERB"), (".", "PUNCT")]]
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("[[steps]]\ntype", '[model]\ntype = "BPETokenizer"\n[[steps]]\ntype'),
            r"either \[model\].* or \[\[steps\]\]",
        ),
        (
            ('type = "WordTokenizer"', 'tpye = "WordTokenizer"'),
            r"\[\[steps\]\] 2 has no key 'tpye'; did you mean 'type'",
        ),
        (('type = "WordTokenizer"', 'type = "WordTokeniser"'), "did you mean 'WordTokenizer'"),
        (('type = "WordTokenizer"', 'type = "RandomForestClassifier"'), "no estimator 'RandomForestClassifier'"),
        (('type = "WordTokenizer"', 'name = "x"'), r"\[\[steps\]\] 2 needs either a type or load"),
        (('type = "WordTokenizer"', 'type = "WordTokenizer"\nload = "en"'), "needs either a type or load"),
        (('type = "WordTokenizer"', 'type = "WordTokenizer"\nname = "split"'), "the name 'split' is taken"),
        (('type = "WordTokenizer"', 'type = "WordTokenizer"\nname = "a__b"'), "has '__' in it"),
        (('type = "WordTokenizer"', 'type = "LogisticRegression"'), "gives no texts to the next step"),
        (('type = "WordTokenizer"', 'type = "SentenceSegmenter"'), "a segmenter has labels of its own"),
        (('type = "WordTokenizer"', "load = 3"), "load must be a string"),
        (('newline = "hard"', 'newlin = "hard"'), r"\(SentenceSegmenter\) has no key 'newlin'; did you mean 'newline'"),
        (('newline = "hard"', 'newline = "harder"'), "'newline' parameter of SentenceSegmenter"),
        (('load = "en"', 'load = "ne"'), "no shipped model"),
        (("train = [", "dev = ["), r"\[data\] train is missing"),
        (("cv = 2", "cv = 1"), r"\[search\] cv: .*at least one"),
        (("cv = 2", 'cv = "2"'), r"\[search\] cv must be"),
        (("cv = 2", 'type = "best"'), "no search 'best'; there are GridSearchCV, RandomizedSearchCV"),
        (("cv = 2", 'type = "GridSearch"'), "no search 'GridSearch'; did you mean 'GridSearchCV'"),
        (("cv = 2", 'scoring = "f1_marco"'), "no measure 'f1_marco'; did you mean 'f1_macro'"),
        (("[search.grid]\nclassifier__alpha = [0.1, 1.0]", ""), r"grid is missing"),
        (
            ("classifier__alpha", "classifier__alhpa"),
            "has no key 'classifier__alhpa'; did you mean 'classifier__alpha'",
        ),
        (("[0.1, 1.0]", "0.1"), "classifier__alpha must be a list"),
        (("[0.1, 1.0]", "[]"), "classifier__alpha has no values"),
        (("[0.1, 1.0]", "[0.1, -1.0]"), "grid classifier__alpha: The 'alpha' parameter of MultinomialNB"),
        (("[output]", '[evaluate]\nmetrics = ["acuracy"]\n[output]'), "no measure 'acuracy'; did you mean 'accuracy'"),
        (("[output]", '[evaluate]\nbaseline = "rules"\n[output]'), "baseline of a classifier is 'majority'"),
        (
            ("[output]", "[evaluate]\none_line = true\n[output]"),
            "one_line says nothing about a model that learns labels",
        ),
    ],
)
def test_what_is_refused(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    assert change[0] in CLASSIFY
    with pytest.raises((ConfigError, textprep_ml.ModelFormatError), match=message):
        load(CLASSIFY.replace(change[0], change[1], 1), tmp_path).build()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("steps.wordtokeniser.params.x=1", "there is no step 'wordtokeniser'; did you mean 'wordtokenizer'"),
        ("steps.9.params.x=1", "there is no step '9'"),
        ("steps.x=1", "'steps' is a list; name one of its items before 'x'"),
        ("steps.split.load.x=1", "'load' is no table"),
    ],
)
def test_wrong_overrides_of_steps(override: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        load(CLASSIFY, tmp_path, override)


def test_steps_are_a_list(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="steps must be a list"):
        load('[steps]\ntype = "WordTokenizer"\n[output]\nmodel = "x"\n', tmp_path)


def test_searches_need_something_to_score(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\[search\] is for what learns sentences or labels, not texts"):
        load(PIECES + "[search]\ngrid = { pieces__num_merges = [3] }\n", tmp_path).build()


def test_weights_reach_the_classifier(tmp_path: Path) -> None:
    heavy = '[{path="data/sample/messages-train.jsonl", weight=1000.0}, "data/sample/messages-dev.jsonl"]'
    text = CLASSIFY.partition("[search]")[0] + '[output]\nmodel = "x"\n'
    model = load(text, tmp_path, f"data.train={heavy}").fit()
    assert model["classifier"].class_count_.tolist() == [19007.0] * 3
    with pytest.raises(ConfigError, match=r"a classifier takes no \[data\] raw"):
        load(text, tmp_path, 'data.raw=["data/sample/raw/raw-en.txt"]').fit()


def test_examples_and_documents_are_read_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "label": 1}\n\n{"text": "b", "label": "x"}\n', encoding="utf-8")
    assert read_examples([Corpus(str(path), 0.5)], "label") == (["a", "b"], [1, "x"], [0.5, 0.5])
    assert read_documents([Corpus(str(path))]) == ["a", "b"]
    assert len(read_documents([Corpus("data/sample/raw/raw-en.txt")])) >= 1
    with pytest.raises(CorpusFormatError, match=r'x.jsonl, line 1: no label under "stars".* has label, text'):
        read_examples([Corpus(str(path))], "stars")
    for line, message in (("{", "not JSON"), ("[1]", "not a JSON object"), ('{"text": 3}', 'with a "text"')):
        path.write_text(f"\n{line}\n", encoding="utf-8")
        with pytest.raises(CorpusFormatError, match=rf"line 2: .*{message}"):
            read_examples([Corpus(str(path))], "label")
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(CorpusFormatError, match="holds no documents"):
        read_examples([Corpus(str(path))], "label")
