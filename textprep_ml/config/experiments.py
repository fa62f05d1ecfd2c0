"""A configuration, read and checked, and what can be done with it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textprep_ml.config.checks import check_key, check_type, suggest
from textprep_ml.config.estimators import build_estimator
from textprep_ml.config.files import (
    SHARED,
    Corpus,
    Progress,
    is_known_name,
    is_shared,
    locate,
    read_partly_labelled,
    read_raw,
)
from textprep_ml.corpora import FORMATS
from textprep_ml.exceptions import ConfigError

#: The tables of a configuration: key -> what its value must be.
TABLES: dict[str, dict[str, type]] = {
    "data": {"train": list, "dev": list, "raw": list, "format": str, "column": str},
    "model": {"type": str, "params": dict},
    "evaluate": {"baseline": str, "one_line": bool},
    "output": {"model": str},
}


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

    def build(self) -> Any:
        """Make the estimator.

        Returns
        -------
        estimator
            Not fitted.

        Raises
        ------
        ConfigError
            If there is no such type or parameter, or a value is not allowed.
        """
        model = self.table["model"]
        estimator = build_estimator(model["type"], model.get("params", {}), f"{self.name}: [model]")
        if not estimator.__sklearn_tags__().requires_fit:
            raise ConfigError(f"{self.name}: [model] type is {model['type']}, which has nothing to learn.")
        return estimator

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
        estimator
            Fitted, not saved.

        Raises
        ------
        ConfigError
            If the configuration is wrong, or a file is missing.
        CorpusFormatError
            If a file is damaged.
        """
        self.prepare()
        report = progress or (lambda what, done, total: None)
        estimator = self.build()
        train = _TRAINERS.get(type(estimator).__name__) or (_fit_files if hasattr(estimator, "fit_files") else None)
        if train is None:
            raise ConfigError(
                f"{self.name}: [model] type is {type(estimator).__name__}, which is not trained by files."
            )
        train(self, estimator, report)
        return estimator

    def save(self, estimator: Any) -> None:
        """Write the model file, with the configuration in it.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        """
        estimator.save(self.output, config=self.table)


def _refuse_raw_and_weights(experiment: Experiment, estimator: Any) -> None:
    if experiment.raw or any(corpus.weight != 1.0 for corpus in experiment.train):
        kind = type(estimator).__name__
        raise ConfigError(f"{experiment.name}: {kind} takes train files only, no weights and no raw.")


def _fit_segmenter(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on labelled documents."""
    texts, spans, weights, labelled = read_partly_labelled(experiment.train)
    keywords: dict[str, Any] = {} if set(weights) == {1.0} else {"sample_weight": weights}
    if any(parts is not None for parts in labelled):
        keywords["labelled"] = labelled
    if experiment.raw:
        keywords["raw"] = read_raw(experiment.raw, progress)
    progress(f"training on {len(texts)} documents", 0, 0)
    estimator.fit(texts, spans, **keywords)


def _fit_tagger(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on the tagged words of CoNLL-U files."""
    from textprep_ml.tagging import read_tagged

    _refuse_raw_and_weights(experiment, estimator)
    column = experiment.table["data"].get("column", "upos")
    read = [read_tagged(locate(corpus.path), column) for corpus in experiment.train]
    sentences = [sentence for part, _ in read for sentence in part]
    progress(f"training on {len(sentences)} sentences", 0, 0)
    estimator.fit(sentences, [tags for _, part in read for tags in part])


def _fit_files(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on raw files, which such an estimator reads itself."""
    _refuse_raw_and_weights(experiment, estimator)
    lines = {corpus.format == "lines" for corpus in experiment.train}
    if len(lines) > 1:
        raise ConfigError(f"{experiment.name}: [data] train: either all files have the format 'lines' or none.")
    paths = [locate(corpus.path) for corpus in experiment.train]
    estimator.fit_files(paths, lines=lines.pop(), progress=progress)


#: How what cannot read its files itself is trained.
_TRAINERS: dict[str, Callable[[Experiment, Any, Progress], None]] = {
    "SentenceSegmenter": _fit_segmenter,
    "PosTagger": _fit_tagger,
}


def load_config(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Experiment:
    """Read a configuration and check its tables; estimators are made by `Experiment.build`.

    Parameters
    ----------
    path : str or path-like
        A TOML file.
    overrides : sequence of str
        Such as ``"model.params.min_count=2"``: the value as TOML has it, or a bare string.

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
    try:
        table = tomllib.loads(Path(path).read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name} is no TOML file: {error}.") from None
    for override in overrides:
        _override(table, override)
    _check_tables(table, name)
    data = table["data"]
    default = data.get("format")
    return Experiment(
        name,
        table,
        tuple(_as_corpus(item, default, f"{name}: [data] train") for item in data["train"]),
        tuple(_as_corpus(item, default, f"{name}: [data] dev") for item in data.get("dev", [])),
        tuple(_as_corpus(item, None, f"{name}: [data] raw").path for item in data.get("raw", [])),
        table["output"]["model"],
    )


def _override(table: dict[str, Any], override: str) -> None:
    key, sign, text = override.partition("=")
    *parents, last = key.strip().split(".")
    if not sign or not last or not all(parents):
        raise ConfigError(f"--set takes key=value, such as model.params.min_count=2, but got {override!r}.")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    for part in parents:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise ConfigError(f"--set {override}: {part!r} is no table.")
    table[last] = value


def _check_tables(table: Mapping[str, Any], name: str) -> None:
    for key in table:
        check_key(key, TABLES, f"{name}: the configuration")
        check_type(table[key], dict, f"{name}: {key}")
        for inner, value in table[key].items():
            check_key(inner, TABLES[key], f"{name}: [{key}]")
            check_type(value, TABLES[key][inner], f"{name}: [{key}] {inner}")
    for key, inner in (("data", "train"), ("model", "type"), ("output", "model")):
        if not table.get(key, {}).get(inner):
            raise ConfigError(f"{name}: [{key}] {inner} is missing.")


def _as_corpus(item: Any, default_format: str | None, where: str) -> Corpus:
    if isinstance(item, str):
        item = {"path": item}
    if not isinstance(item, dict):
        raise ConfigError(
            f"{where}: each item is a path or a table such as {{path = ..., weight = 0.5}}, not {item!r}."
        )
    types = {"path": str, "weight": float, "format": str}
    for key, value in item.items():
        check_key(key, types, where)
        check_type(value, types[key], f"{where}: {key}")
    if "path" not in item:
        raise ConfigError(f"{where}: a table has no path.")
    corpus = Corpus(item["path"], float(item.get("weight", 1.0)), item.get("format", default_format))
    if corpus.weight <= 0:
        raise ConfigError(f"{where}: the weight of {corpus.path} is {corpus.weight}; it must be above 0.")
    if corpus.format is not None and corpus.format not in FORMATS:
        raise ConfigError(f"{where}: unknown format {corpus.format!r}{suggest(corpus.format, FORMATS)}")
    return corpus
