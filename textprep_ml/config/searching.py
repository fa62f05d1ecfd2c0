"""``[search]``: an estimator or pipeline inside one of scikit-learn's searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, StratifiedKFold

from textprep_ml._validation import shorten
from textprep_ml.config.checks import check_key, check_type, suggest
from textprep_ml.config.estimators import build_value
from textprep_ml.exceptions import ConfigError

#: Searches that a configuration may name.
SEARCHES = {"GridSearchCV": GridSearchCV, "RandomizedSearchCV": RandomizedSearchCV}


def build_search(estimator: Any, table: Mapping[str, Any], where: str) -> Any:
    """Make a search over the parameters of an estimator.

    Parameters
    ----------
    estimator : estimator or Pipeline
        What is searched.
    table : mapping
        ``[search]``: ``type``, ``grid`` (parameter -> values), ``cv``, ``scoring``, ``n_iter``, ``n_jobs`` and
        ``random_state``. Folds are drawn with this seed, since files are often sorted.
    where : str
        The file and the table, for messages.

    Returns
    -------
    GridSearchCV or RandomizedSearchCV
        Not fitted.

    Raises
    ------
    ConfigError
        If there is no such search, parameter or measure, or a value is not allowed.
    """
    name = table.get("type", "GridSearchCV")
    if name not in SEARCHES:
        raise ConfigError(f"{where}: no search {name!r}{suggest(str(name), SEARCHES)}")
    if not hasattr(estimator, "score"):
        raise ConfigError(f"{where}: a {type(estimator).__name__} that ends so has no score to search by.")
    folds = StratifiedKFold if is_classifier(estimator) else KFold
    seed = table.get("random_state", 0)
    options = {
        "cv": _made(folds, f"{where} cv", n_splits=table.get("cv", 5), shuffle=True, random_state=seed),
        "scoring": _check_scoring(table.get("scoring"), where) or _own_score,
        "n_jobs": table.get("n_jobs"),
        "error_score": "raise",
    }
    grid = _build_grid(estimator, table.get("grid", {}), f"{where} grid")
    if name == "RandomizedSearchCV":
        return RandomizedSearchCV(estimator, grid, n_iter=table.get("n_iter", 10), random_state=seed, **options)
    return GridSearchCV(estimator, grid, **options)


def _made(kind: Any, where: str, **arguments: Any) -> Any:
    try:
        return kind(**arguments)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def _check_scoring(scoring: str | None, where: str) -> str | None:
    if scoring is not None:
        from sklearn.metrics import get_scorer_names

        if scoring not in get_scorer_names():
            raise ConfigError(f"{where}: no measure {scoring!r}{suggest(scoring, get_scorer_names())}")
    return scoring


def _own_score(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Score all documents alike: weights are for training, and scikit-learn hands them on to measures too."""
    return float(estimator.score(X, y))


def _build_grid(estimator: Any, grid: Mapping[str, Any], where: str) -> dict[str, list[Any]]:
    """Make the values of each parameter, and try each of them, before hours are spent."""
    if not grid:
        raise ConfigError(f"{where} is missing: which values of which parameters are to be tried?")
    built = {}
    for key, values in grid.items():
        check_key(key, estimator.get_params(), where)
        check_type(values, list, f"{where} {key}")
        before = estimator.get_params()[key]
        made = build_value(values, f"{where} {key}")
        built[key] = [tuple(v) if isinstance(before, tuple) and isinstance(v, list) else v for v in made]
        for value in built[key]:
            _try(estimator, key, value, f"{where} {key}")
        if not built[key]:
            raise ConfigError(f"{where} {key} has no values.")
    return built


def _try(estimator: Any, key: str, value: Any, where: str) -> None:
    try:
        changed = clone(estimator).set_params(**{key: value})
        for part in [changed, *(part for part in changed.get_params().values() if hasattr(part, "get_params"))]:
            part._validate_params()
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{where}: {error}") from None


def describe_search(search: Any) -> dict[str, Any]:
    """Tell what a fitted search found, as plain values.

    Parameters
    ----------
    search : GridSearchCV or RandomizedSearchCV
        Fitted.

    Returns
    -------
    dict
        ``score`` and ``params`` of the best candidate, and all ``candidates`` with the mean and the deviation of their
        scores, the best first.
    """
    results = search.cv_results_
    order = sorted(range(len(results["params"])), key=lambda index: (results["rank_test_score"][index], index))
    candidates = [
        {
            "score": float(results["mean_test_score"][index]),
            "deviation": float(results["std_test_score"][index]),
            "params": {key: _plain(value) for key, value in results["params"][index].items()},
        }
        for index in order
    ]
    return {"score": candidates[0]["score"], "params": candidates[0]["params"], "candidates": candidates}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else shorten(value)
