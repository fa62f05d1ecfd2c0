"""The tables of a configuration: read, overridden, and checked for their keys and types."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from textprep_ml.config.checks import check_key, check_type, suggest
from textprep_ml.config.estimators import check_step, name_of_step
from textprep_ml.config.files import Corpus
from textprep_ml.corpora import FORMATS
from textprep_ml.exceptions import ConfigError

#: The tables of a configuration: key -> what its value must be.
TABLES: dict[str, dict[str, type]] = {
    "data": {
        "train": list, "dev": list, "raw": list, "format": str, "column": str, "target": str, "temperature": float,
    },
    "model": {"type": str, "params": dict},
    "search": {
        "type": str, "grid": dict, "cv": int, "scoring": str, "n_iter": int, "n_jobs": int, "random_state": int,
    },
    "evaluate": {"baseline": str, "one_line": bool, "metrics": list},
    "output": {"model": str, "scores": str},
}  # fmt: skip

#: All that may stand at the top; the steps are a list of tables.
KEYS = ("data", "evaluate", "model", "output", "search", "steps")


def read_tables(path: str | os.PathLike[str], overrides: Iterable[str]) -> dict[str, Any]:
    """Read a configuration, override values, and check keys and types.

    Parameters
    ----------
    path : str or path-like
        A TOML file.
    overrides : iterable of str
        Such as ``"model.params.min_count=2"`` or ``"steps.segmenter.params.threshold=0.4"``.

    Returns
    -------
    dict
        Plain values.

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
    return table


def _override(table: dict[str, Any], override: str) -> None:
    key, sign, text = override.partition("=")
    *parents, last = key.strip().split(".")
    if not sign or not last or not all(parents):
        raise ConfigError(f"--set takes key=value, such as model.params.min_count=2, but got {override!r}.")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    inner: Any = table
    for part in parents:
        inner = _step_of(inner, part, override) if isinstance(inner, list) else inner.setdefault(part, {})
        if not isinstance(inner, dict | list):
            raise ConfigError(f"--set {override}: {part!r} is no table.")
    if isinstance(inner, list):
        raise ConfigError(f"--set {override}: {parents[-1]!r} is a list; name one of its items before {last!r}.")
    inner[last] = value


def _step_of(steps: list[Any], name: str, override: str) -> Any:
    """Find a step by its name, or by its number from 1."""
    for number, step in enumerate(steps, start=1):
        if isinstance(step, dict) and name in (str(number), name_of_step(step)):
            return step
    names = [name_of_step(step) for step in steps if isinstance(step, dict)]
    raise ConfigError(f"--set {override}: there is no step {name!r}{suggest(name, names)}")


def _check_tables(table: Mapping[str, Any], name: str) -> None:
    for key in table:
        check_key(key, KEYS, f"{name}: the configuration")
        if key == "steps":
            check_type(table[key], list, f"{name}: {key}")
            for number, step in enumerate(table[key], start=1):
                check_step(step, f"{name}: [[steps]] {number}")
            continue
        check_type(table[key], dict, f"{name}: {key}")
        for inner, value in table[key].items():
            check_key(inner, TABLES[key], f"{name}: [{key}]")
            check_type(value, TABLES[key][inner], f"{name}: [{key}] {inner}")
    if ("model" in table) == bool(table.get("steps")):
        raise ConfigError(f"{name} needs either [model], one estimator, or [[steps]], a pipeline.")
    required = [("model", "type"), ("output", "model")]
    for key, inner in required[0 if "model" in table else 1 :]:
        if not table.get(key, {}).get(inner):
            raise ConfigError(f"{name}: [{key}] {inner} is missing.")


def as_corpora(items: Iterable[Any], default_format: str | None, where: str) -> tuple[Corpus, ...]:
    """Turn the items of a list of files into corpora.

    Parameters
    ----------
    items : iterable
        Paths, or tables with a ``path``, a ``weight``, a ``format``, and for raw text ``unlabelled``, ``share``,
        ``language`` and ``script``.
    default_format : str or None
        The format of those that have none.
    where : str
        The file and the key, for messages.

    Returns
    -------
    tuple of Corpus
        Checked.
    """
    return tuple(_as_corpus(item, default_format, where) for item in items)


def _as_corpus(item: Any, default_format: str | None, where: str) -> Corpus:
    if isinstance(item, str):
        item = {"path": item}
    if not isinstance(item, dict):
        raise ConfigError(
            f"{where}: each item is a path or a table such as {{path = ..., weight = 0.5}}, not {item!r}."
        )
    types = {
        "path": str, "weight": float, "format": str, "unlabelled": bool, "share": float, "language": str, "script": str,
    }  # fmt: skip
    for key, value in item.items():
        check_key(key, types, where)
        check_type(value, types[key], f"{where}: {key}")
    if "path" not in item:
        raise ConfigError(f"{where}: a table has no path.")
    corpus = Corpus(**{"format": default_format, **item})
    if corpus.weight <= 0:
        raise ConfigError(f"{where}: the weight of {corpus.path} is {corpus.weight}; it must be above 0.")
    if not 0 < corpus.share <= 1 or ("share" in item and not corpus.unlabelled):
        raise ConfigError(
            f"{where}: share = {corpus.share} of {corpus.path}: it is above 0, at most 1, and goes with unlabelled."
        )
    if corpus.format is not None and corpus.format not in FORMATS:
        raise ConfigError(f"{where}: unknown format {corpus.format!r}{suggest(corpus.format, FORMATS)}")
    return corpus
