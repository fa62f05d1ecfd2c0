"""A configuration, read and checked, and what can be done with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import textprep_ml
from textprep_ml.config.estimators import build_estimator, build_pipeline
from textprep_ml.config.files import SHARED, Corpus, Progress, is_known_name, is_shared, locate
from textprep_ml.config.measuring import check_measures
from textprep_ml.config.searching import build_search, describe_search
from textprep_ml.config.tables import as_corpora, read_tables
from textprep_ml.config.training import task_of, train
from textprep_ml.exceptions import ConfigError


@dataclass(frozen=True)
class Experiment:
    """A configuration, checked.

    Attributes
    ----------
    name : str
        The file that it was read from.
    table : dict
        The configuration as plain values, with what was overridden; it is kept in the model file.
    train, dev : tuple of Corpus
        What is trained on and measured with.
    raw : tuple of str
        Unlabelled text files for the statistics of words.
    output : str
        Where the model goes.
    """

    name: str
    table: dict[str, Any]
    train: tuple[Corpus, ...]
    dev: tuple[Corpus, ...]
    raw: tuple[str, ...]
    output: str

    @property
    def target(self) -> str:
        """The key of a document's label, for classifiers."""
        return str(self.table.get("data", {}).get("target", "label"))

    def build(self) -> Any:
        """Make the estimator or pipeline, inside a search where there is one.

        Returns
        -------
        estimator, TextPipeline or search
            Not fitted.

        Raises
        ------
        ConfigError
            If there is no such type or parameter, or a value is not allowed.
        """
        if "steps" in self.table:
            estimator = build_pipeline(self.table["steps"], self.name)
            self._check_order(estimator)
        else:
            model = self.table["model"]
            estimator = build_estimator(model["type"], model.get("params", {}), f"{self.name}: [model]")
            if not estimator.__sklearn_tags__().requires_fit:
                raise ConfigError(f"{self.name}: [model] type is {model['type']}, which has nothing to learn.")
        task = task_of(estimator)
        if task == "texts" and "steps" not in self.table:
            kind = type(estimator).__name__
            raise ConfigError(f"{self.name}: [model] type is {kind}, which is not trained by files.")
        if not self.train and task != "nothing":
            raise ConfigError(f"{self.name}: [data] train is missing.")
        if "search" in self.table:
            if task not in ("sentences", "labels"):
                raise ConfigError(f"{self.name}: [search] is for what learns sentences or labels, not {task}.")
            estimator = build_search(estimator, self.table["search"], f"{self.name}: [search]")
        check_measures(self, estimator)
        return estimator

    def _check_order(self, pipeline: Any) -> None:
        """Refuse what would be trained with the labels of something else, or beside the raw text of its labels."""
        trained = {"SentenceSegmenter": "segmenter", "PosTagger": "tagger"}
        for name, step in pipeline.steps:
            if type(step).__name__ in trained and len(pipeline.steps) > 1:
                kind = trained[type(step).__name__]
                raise ConfigError(
                    f"{self.name}: [[steps]] {name!r}: a {kind} has labels of its own, with places in the raw text. "
                    f"Train it alone, by [model] (a normalizer goes into its parameter of this name), and put the "
                    "trained one here, by load."
                )

    def prepare(self) -> None:
        """Make sure that every file is there, and make the folder that the model goes to, before hours are spent.

        Raises
        ------
        ConfigError
            If one is missing.
        """
        for key, paths in (("train", self.train), ("dev", self.dev), ("raw", self.raw)):
            for item in paths:
                path = locate(item.path if isinstance(item, Corpus) else item)
                if not path.exists() and not (isinstance(item, Corpus) and is_known_name(path)):
                    hint = f" Set TEXTPREP_ML_SHARED to the folder that holds {SHARED}." if is_shared(path) else ""
                    raise ConfigError(f"{self.name}: [data] {key}: there is no file {os.fspath(path)!r}.{hint}")
        Path(self.output).parent.mkdir(parents=True, exist_ok=True)

    def fit(self, progress: Progress | None = None) -> Any:
        """Train.

        Parameters
        ----------
        progress : callable, optional
            Called with what is being done, how much of it is done, and how much there is.

        Returns
        -------
        estimator, TextPipeline or search
            Fitted, not saved.

        Raises
        ------
        ConfigError
            If the configuration is wrong, or a file is missing.
        CorpusFormatError
            If a file is damaged.
        """
        self.prepare()
        estimator = self.build()
        train(self, estimator, progress or (lambda what, done, total: None))
        return estimator

    def save(self, estimator: Any) -> None:
        """Write the model file, with the configuration in it; of a search its best estimator, with what was found.

        Parameters
        ----------
        estimator : estimator, TextPipeline or search
            Fitted.
        """
        config = self.table
        if hasattr(estimator, "best_estimator_"):
            found = describe_search(estimator)
            config = {**config, "found": {"score": found["score"], "params": found["params"]}}
        textprep_ml.save(estimator, self.output, config=config)


def load_config(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Experiment:
    """Read a configuration and check its tables; estimators are made by `Experiment.build`.

    Parameters
    ----------
    path : str or path-like
        A TOML file.
    overrides : sequence of str
        Such as ``"model.params.min_count=2"``: the value as TOML has it, or a bare string. A step of ``[[steps]]`` is
        found by its name: ``"steps.segmenter.params.threshold=0.4"``.

    Returns
    -------
    Experiment
        Checked.

    Raises
    ------
    ConfigError
        If it is no TOML, has an unknown key, or a value of a wrong type.
    OSError
        If it cannot be opened.
    """
    name = os.fspath(path)
    table = read_tables(path, overrides)
    data = table.get("data", {})
    default = data.get("format")
    dev = as_corpora(data.get("dev", []), default, f"{name}: [data] dev")
    if any(corpus.unlabelled for corpus in dev):
        raise ConfigError(f"{name}: [data] dev: unlabelled is for training; measuring takes labels.")
    experiment = Experiment(
        name,
        table,
        as_corpora(data.get("train", []), default, f"{name}: [data] train"),
        dev,
        tuple(corpus.path for corpus in as_corpora(data.get("raw", []), None, f"{name}: [data] raw")),
        table["output"]["model"],
    )
    _refuse_overwriting(experiment)
    return experiment


def _refuse_overwriting(experiment: Experiment) -> None:
    """Refuse outputs that would replace what the experiment reads."""
    read = [Path(experiment.name), *(locate(corpus.path) for corpus in (*experiment.train, *experiment.dev))]
    read += [locate(path) for path in experiment.raw]
    for key in ("model", "scores"):
        output = experiment.table["output"].get(key)
        if output and os.path.isfile(output) and any(path.exists() and path.samefile(output) for path in read):
            raise ConfigError(
                f"{experiment.name}: [output] {key} = {output!r} is a file that the experiment reads: name another one."
            )
