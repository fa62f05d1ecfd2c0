"""From tables to estimators: types by name from one list, parameters checked by name and value."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import textprep_ml
from textprep_ml.base import TextEstimator
from textprep_ml.config.checks import check_key, suggest
from textprep_ml.exceptions import ConfigError

#: Classifiers of scikit-learn that a configuration may name, and their modules.
CLASSIFIERS = {
    "BernoulliNB": "naive_bayes",
    "DecisionTreeClassifier": "tree",
    "ExtraTreesClassifier": "ensemble",
    "GradientBoostingClassifier": "ensemble",
    "HistGradientBoostingClassifier": "ensemble",
    "LogisticRegression": "linear_model",
    "MultinomialNB": "naive_bayes",
    "RandomForestClassifier": "ensemble",
    "SGDClassifier": "linear_model",
}


def build_estimator(type_name: str, params: Mapping[str, Any], where: str, inner: bool = False) -> Any:
    """Make an estimator by its name.

    Parameters
    ----------
    type_name : str
        A public estimator of `textprep_ml`; where `inner`, one of `CLASSIFIERS` too.
    params : mapping
        Its parameters. A table among them that has a ``type`` is an estimator itself.
    where : str
        The file and the table, for messages.
    inner : bool
        Whether it is the parameter of another one.

    Returns
    -------
    estimator
        Not fitted.

    Raises
    ------
    ConfigError
        If there is no such type or parameter, or a value is not allowed.
    """
    made = _find_type(type_name, where, inner)
    values = {}
    for key, value in params.items():
        check_key(key, inspect.signature(made).parameters, f"{where} ({type_name})")
        values[key] = _build_inner(value, f"{where} {key}")
    try:
        estimator = made(**values)
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {error}") from None
    return estimator


def _build_inner(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        params = copy.deepcopy(value)
        return build_estimator(params.pop("type"), params, where, inner=True) if "type" in value else params
    if isinstance(value, list):
        return [_build_inner(item, where) for item in value]
    return value


def _find_type(name: Any, where: str, inner: bool) -> Any:
    if inner and name in CLASSIFIERS:
        return getattr(import_module(f"sklearn.{CLASSIFIERS[name]}"), name)
    if name in textprep_ml.__all__ and _is_estimator(getattr(textprep_ml, name)):
        return getattr(textprep_ml, name)
    known = [each for each in textprep_ml.__all__ if _is_estimator(getattr(textprep_ml, each))]
    raise ConfigError(f"{where}: no estimator {name!r}{suggest(str(name), [*known, *(CLASSIFIERS if inner else ())])}")


def _is_estimator(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, TextEstimator)
