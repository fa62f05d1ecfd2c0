"""Configurations: every one of the repository builds, wrong ones are refused with the place and the nearest name."""

from __future__ import annotations

import lzma
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from textprep_ml import BPETokenizer, ConfigError, CorpusFormatError, SentenceSegmenter, iter_rows
from textprep_ml.config import Corpus, load_config, read_labelled, read_raw
from textprep_ml.config.estimators import CLASSIFIERS, build_estimator
from textprep_ml.config.files import locate

ROOT = Path(__file__).parent.parent.parent
CONFIGS = sorted((ROOT / "configs").glob("*.toml"))
DEMO = ROOT / "configs" / "demo.toml"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def write(folder: Path, text: str) -> Path:
    path = folder / "x.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_builds(path: Path) -> None:
    experiment = load_config(path)
    estimator = experiment.build()
    kind = experiment.table.get("model", {"type": "TextPipeline"})["type"]
    assert type(getattr(estimator, "estimator", None) if "search" in experiment.table else estimator).__name__ == kind
    assert experiment.output.endswith(".json")
    for corpus in (*experiment.train, *experiment.dev):
        assert corpus.path.startswith(("data/", "../shared/", "ud:"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_value_is_explained(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    params = re.split(r"\n\[model|\n\[\[steps", text, maxsplit=1)[1].partition("\n[output]")[0]
    assert params.count("#") * 5 >= len(re.findall(r"^\w+ = ", params, re.MULTILINE))


def test_the_demo_as_a_whole(tmp_path: Path) -> None:
    experiment = load_config(DEMO, [f"output.model={tmp_path}/out/demo.json", "model.params.augment={dashes=1.0}"])
    steps: list[tuple[str, int, int]] = []
    segmenter = experiment.fit(lambda *step: steps.append(step))
    experiment.save(segmenter)
    assert steps == [(f"training on {len(list(iter_rows('data/sample/train.jsonl')))} documents", 0, 0)]
    assert SentenceSegmenter.load(tmp_path / "out" / "demo.json").augment == {"dashes": 1.0}


@pytest.mark.parametrize("key", ["model", "scores"])
@pytest.mark.parametrize("name", ["own.jsonl", "x.toml", "raw.txt"])
def test_outputs_do_not_replace_what_is_read(key: str, name: str, tmp_path: Path) -> None:
    for file in ("own.jsonl", "raw.txt"):
        (tmp_path / file).write_text("x", encoding="utf-8")
    path, output = tmp_path / "x.toml", {"model": "m.json", key: str(tmp_path / name)}
    path.write_text(
        f"[data]\ntrain = [{str(tmp_path / 'own.jsonl')!r}]\nraw = [{str(tmp_path / 'raw.txt')!r}]\n"
        '[model]\ntype = "SentenceSegmenter"\n[output]\n'
        + "".join(f"{key} = {value!r}\n" for key, value in output.items()),
        encoding="utf-8",
    )
    with pytest.raises(ConfigError, match=f"{key} = .* is a file that the experiment reads"):
        load_config(path)


def test_parameters_reach_the_estimators() -> None:
    segmenter = load_config(DEMO, ["model.params.estimator.C=3", "model.params.kind_thresholds={gap=1.5}"]).build()
    assert isinstance(segmenter.estimator, LogisticRegression)
    assert (segmenter.estimator.C, segmenter.kind_thresholds) == (3, {"gap": 1.5})
    tree = load_config(DEMO, ['model.params.estimator={type="DecisionTreeClassifier", max_depth=3}']).build()
    assert isinstance(tree.estimator, DecisionTreeClassifier)
    tokenizer = load_config(ROOT / "configs" / "bpe-32k.toml", ["model.params.vocab_size=300"]).build()
    assert isinstance(tokenizer, BPETokenizer)
    assert tokenizer.vocab_size == 300


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_of_the_list_exists(name: str) -> None:
    table = {"type": name, "loss": "log_loss"} if name == "SGDClassifier" else {"type": name}
    owner = "PosTagger" if name in ("LinearSVC", "Perceptron") else "SentenceSegmenter"
    assert type(build_estimator(owner, {"estimator": table}, "here").estimator).__name__ == name


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("data.tain=[]", r"\[data\] has no key 'tain'; did you mean 'train'\?"),
        ("dta.train=[]", "has no key 'dta'; did you mean 'data'"),
        ("zzz.train=[]", "has no key 'zzz'; there are data, evaluate, model, output, search, steps"),
        ("data.train=3", r"\[data\] train must be a list, but is 3"),
        ("data.train=[]", r"\[data\] train is missing"),
        ("data.train=[1]", "each item is a path or a table"),
        ('data.train=[{file="x"}]', "has no key 'file'"),
        ("data.train=[{weight=1}]", "a table has no path"),
        ('data.train=[{path="x", weight="1"}]', "weight must be a number, but is '1'"),
        ('data.train=[{path="x", weight=true}]', "weight must be a number, but is True"),
        ('data.train=[{path="x", weight=0}]', "must be above 0"),
        ("data.format=jsnl", "unknown format 'jsnl'; did you mean 'jsonl'"),
        ("evaluate.one_line=1", "one_line must be true or false, but is 1"),
        ("output.model=[]", "must be a string"),
        ('output.model=""', r"\[output\] model is missing"),
        ("model=3", "model must be a table"),
        ("model.params.min_count.x=3", "'min_count' is no table"),
        ("model.type=SentenceSegmentr", "no estimator 'SentenceSegmentr'; did you mean 'SentenceSegmenter'"),
        ("model.type=LogisticRegression", "no estimator 'LogisticRegression'"),
        ("model.type=iter_rows", "no estimator 'iter_rows'"),
        ("model.params.treshold=0.5", "no key 'treshold'; did you mean 'threshold'"),
        ("model.params.threshold=2", "'threshold' parameter of SentenceSegmenter must be a float in the range"),
        ("model.params.min_count=many", "'min_count' parameter of SentenceSegmenter must be an int"),
        ("model.params.estimator.type=os", "no estimator 'os'"),
        ("model.params.estimator.type=RuleSegmenter", "has no key 'C'"),
        ("model.params.estimator.D=1", r"\(LogisticRegression\) has no key 'D'"),
        ("model.params.estimator.C=-1", "'C' parameter of LogisticRegression"),
        ("=3", "--set takes key=value"),
        ("model..type=3", "--set takes key=value"),
        ("model.type", "--set takes key=value"),
    ],
)
def test_what_is_refused(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(DEMO, [override]).build()


def test_what_has_nothing_to_learn_is_refused(tmp_path: Path) -> None:
    text = '[data]\ntrain = ["x"]\n[model]\ntype = "RuleSegmenter"\n[output]\nmodel = "x.json"\n'
    with pytest.raises(ConfigError, match="RuleSegmenter, which has nothing to learn"):
        load_config(write(tmp_path, text)).build()


def test_no_toml(tmp_path: Path) -> None:
    for content in (b"[data\n", b"[data]\ntrain = [\xff]\n", b'{"data": 1}'):
        path = tmp_path / "x.toml"
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=re.escape(f"{path} is no TOML file")):
            load_config(path)
    with pytest.raises(FileNotFoundError):
        load_config(tmp_path / "none.toml")


def test_missing_files_are_named_before_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for key, override in (
        ("train", 'data.train=["no.jsonl"]'),
        ("dev", 'data.dev=["no.jsonl"]'),
        ("raw", 'data.raw=["no.txt"]'),
    ):
        with pytest.raises(ConfigError, match=rf"\[data\] {key}: there is no file 'no"):
            load_config(DEMO, ['data.train=["ud:en_ewt"]', 'data.dev=["ud:en_ewt"]', override]).prepare()
    monkeypatch.delenv("TEXTPREP_ML_SHARED", raising=False)
    with pytest.raises(ConfigError, match="Set TEXTPREP_ML_SHARED"):
        load_config(DEMO, ['data.train=["../shared/no.jsonl"]']).prepare()


def test_the_shared_folder_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEXTPREP_ML_SHARED", raising=False)
    assert locate("../shared/data/x.jsonl") == Path("../shared/data/x.jsonl")
    monkeypatch.setenv("TEXTPREP_ML_SHARED", "/elsewhere")
    assert locate("../shared/data/x.jsonl") == Path("/elsewhere/data/x.jsonl")
    assert locate("data/x.jsonl") == Path("data/x.jsonl")


def test_weights_become_sample_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given: dict[str, Any] = {}

    def fit(self: SentenceSegmenter, X: Any, y: Any, sample_weight: Any = None, raw: Any = None) -> SentenceSegmenter:
        given.update(n=len(X), spans=y, sample_weight=sample_weight, raw=None if raw is None else "".join(raw))
        return self

    monkeypatch.setattr(SentenceSegmenter, "fit", fit)
    sample = "data/sample/dev.jsonl"
    overrides = [f"output.model={tmp_path}/x.json", f'data.train=["{sample}", {{path="{sample}", weight=0.25}}]']
    load_config(DEMO, [*overrides, 'data.raw=["data/sample/raw/raw-en.txt"]']).fit()
    assert given["n"] == 40
    assert np.asarray(given["sample_weight"]).tolist() == [1.0] * 20 + [0.25] * 20
    assert given["spans"][0] == given["spans"][20]
    assert given["raw"] == Path("data/sample/raw/raw-en.txt").read_text(encoding="utf-8")
    load_config(DEMO, [f"output.model={tmp_path}/x.json"]).fit()
    assert (given["sample_weight"], given["raw"]) == (None, None)


def test_subword_tokenizers_train_on_files(tmp_path: Path) -> None:
    text = (
        '[data]\ntrain = ["data/sample/raw/raw-en.txt"]\n[model]\ntype = "BPETokenizer"\nparams = {vocab_size = 300}\n'
    )
    path = write(tmp_path, text + f'[output]\nmodel = "{tmp_path}/bpe.json"\n')
    stages: set[str] = set()
    experiment = load_config(path)
    tokenizer = experiment.fit(lambda stage, done, whole: stages.add(stage))
    experiment.save(tokenizer)
    assert stages == {"counting", "merging"}
    assert BPETokenizer.load(tmp_path / "bpe.json").encode("the town") == tokenizer.encode("the town")
    lines = load_config(path, ["data.format=lines"]).fit()
    assert lines.encode("the town")
    with pytest.raises(ConfigError, match="BPETokenizer takes train files only"):
        load_config(path, ['data.raw=["data/sample/raw/raw-en.txt"]']).fit()


def test_raw_text_comes_in_parts_that_end_with_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("textprep_ml.config.files._RAW_BYTES", 1000)
    text = "Größe und Länge.\n" * 500 + "no end"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (tmp_path / "b.txt.xz").write_bytes(lzma.compress(text.encode()))
    steps: list[tuple[str, int, int]] = []
    for name in ("a.txt", "b.txt.xz"):
        parts = list(read_raw([str(tmp_path / name)], lambda *step: steps.append(step)))
        assert "".join(parts) == text
        assert len(parts) > 5
        assert all(part.endswith("\n") for part in parts[:-1])
        assert steps[-1][1] == steps[-1][2] == (tmp_path / name).stat().st_size
    (tmp_path / "bad.txt").write_bytes(b"a\n" * 700 + b"\xff\n")
    with pytest.raises(CorpusFormatError, match=r"bad.txt, line 701"):
        list(read_raw([str(tmp_path / "bad.txt")], lambda *step: None))
    (tmp_path / "cut.xz").write_bytes(lzma.compress(text.encode())[:-20])
    with pytest.raises(CorpusFormatError, match="damaged or cut short"):
        list(read_raw([str(tmp_path / "cut.xz")], lambda *step: None))


def test_labelled_corpora_must_have_labels() -> None:
    with pytest.raises(CorpusFormatError, match="has no sentences"):
        read_labelled([Corpus("data/sample/raw/raw-en.txt", format="text")])
