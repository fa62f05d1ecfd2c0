"""From tables to estimators and pipelines: types by name from one list, parameters checked by name and value."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sklearn.frozen import FrozenEstimator

import textprep_ml
from textprep_ml.config.checks import check_key, check_type, suggest
from textprep_ml.exceptions import ConfigError
from textprep_ml.persistence.foreign import LEARNED
from textprep_ml.registry import CLASSIFIERS, find_foreign, find_own, own_names

__all__ = ["CLASSIFIERS", "build_estimator", "build_pipeline", "build_value", "name_of_step"]

#: The keys of a step.
STEP: dict[str, type] = {"name": str, "type": str, "load": str, "params": dict}


def build_estimator(type_name: str, params: Mapping[str, Any], where: str, others: Collection[str] = ()) -> Any:
    """Make an estimator by its name.

    Parameters
    ----------
    type_name : str
        A public estimator of `textprep_ml`, or one of `others`.
    params : mapping
        Its parameters. A table among them that has a ``type`` is an estimator itself.
    where : str
        The file and the table, for messages.
    others : collection of str
        What else may be named: estimators of scikit-learn that are in `textprep_ml.registry`.

    Returns
    -------
    estimator
        Not fitted.

    Raises
    ------
    ConfigError
        If there is no such type or parameter, or a value is not allowed.
    """
    made = _find_type(type_name, where, others)
    known = inspect.signature(made).parameters
    values = {}
    for key, value in params.items():
        check_key(key, known, f"{where} ({type_name})")
        built = build_value(value, f"{where} {key}")
        # TOML has no tuples; scikit-learn insists on them in some places.
        values[key] = tuple(built) if isinstance(known[key].default, tuple) and isinstance(built, list) else built
    try:
        estimator = made(**values)
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {error}") from None
    return estimator


def build_value(value: Any, where: str) -> Any:
    """Make what a parameter is to be: tables that have a ``type`` become estimators.

    Parameters
    ----------
    value : object
        As TOML has it.
    where : str
        The file and the key, for messages.

    Returns
    -------
    object
        A copy.
    """
    if isinstance(value, dict):
        params = copy.deepcopy(value)
        return build_estimator(params.pop("type"), params, where, CLASSIFIERS) if "type" in value else params
    if isinstance(value, list):
        return [build_value(item, where) for item in value]
    return value


def _find_type(name: Any, where: str, others: Collection[str]) -> Any:
    found = find_own(name) or (find_foreign(name) if name in others else None)
    if found is None:
        raise ConfigError(f"{where}: no estimator {name!r}{suggest(str(name), [*own_names(), *others])}")
    return found


# Pipelines


def name_of_step(step: Mapping[str, Any]) -> str:
    """Name a step: as it says, or after its type or model.

    Parameters
    ----------
    step : mapping
        A table of ``[[steps]]``.

    Returns
    -------
    str
        The name.
    """
    return str(step.get("name") or step.get("type", step.get("load", ""))).lower()


def build_pipeline(steps: Sequence[Any], where: str) -> Any:
    """Make a pipeline of its steps.

    Parameters
    ----------
    steps : sequence of dict
        Each with a ``type`` and its ``params``, or with ``load``, a trained model that stays as it is.
    where : str
        The file, for messages.

    Returns
    -------
    TextPipeline
        Not fitted.

    Raises
    ------
    ConfigError
        If there is no such type, model or parameter, or a value is not allowed.
    """
    named: list[tuple[str, Any]] = []
    for number, step in enumerate(steps, start=1):
        place = f"{where}: [[steps]] {number}"
        check_step(step, place)
        name = name_of_step(step)
        if name in dict(named) or "__" in name:
            raise ConfigError(f"{place}: the name {name!r} is taken or has '__' in it. Give it another name.")
        named.append((name, _build_step(step, place)))
    for name, step in named[:-1]:
        if not hasattr(step, "transform"):
            raise ConfigError(
                f"{where}: [[steps]] {name!r}, a {type(step).__name__}, gives no texts to the next step: put it last."
            )
    return textprep_ml.TextPipeline(named)


def check_step(step: Any, where: str) -> None:
    """Refuse unknown keys of a step, and one that says neither or both of what it is.

    Parameters
    ----------
    step : object
        A table of ``[[steps]]``.
    where : str
        The file and the step, for messages.
    """
    check_type(step, dict, where)
    for key, value in step.items():
        check_key(key, STEP, where)
        check_type(value, STEP[key], f"{where} {key}")
    if ("type" in step) == ("load" in step):
        raise ConfigError(f"{where} needs either a type or load, a trained model.")


def _build_step(step: Mapping[str, Any], where: str) -> Any:
    params = step.get("params", {})
    if "type" in step:
        return build_estimator(step["type"], params, where, LEARNED)
    loaded = textprep_ml.load(step["load"])
    for key in params:
        check_key(key, loaded.get_params(), f"{where} ({type(loaded).__name__})")
    try:
        loaded.set_params(**{key: build_value(value, f"{where} {key}") for key, value in params.items()})
        loaded._validate_params()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {error}") from None
    return FrozenEstimator(loaded)
