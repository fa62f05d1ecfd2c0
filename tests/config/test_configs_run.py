"""Every file in configs/ runs: on small samples, with what takes long made small, from the file to the saved model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import textprep_ml
from textprep_ml import TextPipeline, iter_rows
from textprep_ml.config import Experiment, load_config, measure_dev, task_of

ROOT = Path(__file__).parent.parent.parent
CONFIGS = sorted((ROOT / "configs").glob("*.toml"))

#: What a model learns -> data for it.
SAMPLES = {
    "sentences": {"train": ["data/sample/train.jsonl"], "dev": ["data/sample/dev.jsonl"]},
    "tags": {"train": ["data/sample/tiny.conllu"], "dev": ["data/sample/tiny.conllu"]},
    "files": {"train": ["data/sample/raw/raw-en.txt"], "dev": ["data/sample/dev.jsonl"]},
    "labels": {"train": ["data/sample/messages-train.jsonl"], "dev": ["data/sample/messages-dev.jsonl"]},
}


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def made_small(path: Path, folder: Path) -> Experiment:
    """The experiment on the samples; the values themselves stay, save the size of a vocabulary."""
    experiment = load_config(path)
    sample = SAMPLES[task_of(experiment.build())]
    overrides = [f"data.{key}={json.dumps(value)}" for key, value in sample.items()]
    if experiment.raw:
        overrides.append('data.raw=["data/sample/raw/raw-dialogue.txt"]')
    if "vocab_size" in experiment.table.get("model", {}).get("params", {}):
        overrides.append("model.params.vocab_size=400")
    if "search" in experiment.table:
        overrides += ["search.type=RandomizedSearchCV", "search.n_iter=2", "search.cv=2"]
    return load_config(path, [*overrides, f"output.model={folder}/model.json"])


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_runs(path: Path, tmp_path: Path) -> None:
    experiment = made_small(path, tmp_path)
    fitted = experiment.fit()
    experiment.save(fitted)
    loaded = textprep_ml.load(tmp_path / "model.json")
    model = getattr(fitted, "best_estimator_", fitted)
    assert type(loaded) is type(model)
    texts = [row["text"] for row in iter_rows("data/sample/dev.jsonl")]
    assert plain(use(loaded, texts)) == plain(use(model, texts))
    kept = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["config"]
    assert {key: value for key, value in kept.items() if key != "found"} == experiment.table
    assert ("found" in kept) == ("search" in experiment.table)
    for systems in measure_dev(experiment, loaded).values():
        assert all(value >= 0 for value in systems["model"].values())


def use(model: Any, texts: list[str]) -> Any:
    return model.predict(texts) if hasattr(model, "predict") else model.transform(texts)


def plain(values: Any) -> list[Any]:
    return [value.tolist() if hasattr(value, "tolist") else value for value in values]


def test_the_sample_configurations_are_there() -> None:
    """One for each kind of experiment, so that there is something to start from."""
    tasks = {path.stem: task_of(load_config(path).build()) for path in CONFIGS}
    assert {"sentences", "files", "labels"} <= set(tasks.values())
    assert {
        "segment-en", "segment-en-tree", "segment-biomedical", "segment-search", "bpe-8k", "bpe-32k", "classify-text",
    } <= tasks.keys()  # fmt: skip


def test_the_classifier_beats_the_majority(tmp_path: Path) -> None:
    path = ROOT / "configs" / "classify-text.toml"
    experiment = load_config(path, ["search.grid={classifier__C=[10.0]}", f"output.model={tmp_path}/model.json"])
    fitted = experiment.fit()
    experiment.save(fitted)
    model = TextPipeline.load(tmp_path / "model.json")
    scores = measure_dev(experiment, model)["data/sample/messages-dev.jsonl"]
    assert scores["model"]["accuracy"] > scores["majority"]["accuracy"] + 0.2
    assert scores["majority"]["accuracy"] == pytest.approx(1 / 3)
    assert model.predict(["Where can I park? And when do you close?"]).tolist() == ["question"]
