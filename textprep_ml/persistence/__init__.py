"""Saving and loading whole models: our estimators, pipelines of them, and what scikit-learn adds that is plain numbers.

A model is a tree of plain JSON: each estimator is a table with its class, its parameters and what it learned. Classes
come from one list, `textprep_ml.registry`; no code of the file is run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

import textprep_ml
from textprep_ml import _modelfile
from textprep_ml._validation import shorten
from textprep_ml.base import TextEstimator
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.registry import find_own

__all__ = ["from_saved", "load", "save", "to_saved"]

#: Steps that do nothing.
_IDLE = (None, "passthrough")


def save(model: Any, path: str | os.PathLike[str], config: dict[str, Any] | None = None) -> None:
    """Write a fitted model as versioned JSON: an estimator of ours, or a pipeline.

    Parameters
    ----------
    model : estimator or Pipeline
        Steps are estimators of this package, vectorizers, scalers and linear or naive Bayes classifiers of
        scikit-learn, and `FrozenEstimator` around them. Of a fitted search its best estimator is saved.
    path : str or path-like
        Where the file goes. An old file is replaced only when the new one is complete.
    config : dict, optional
        How it was trained, for whoever opens the file: plain JSON values; `load` does not look at them.

    Raises
    ------
    ModelFormatError
        If something is no plain data: a function as parameter, an ensemble of trees.
    NotFittedError
        If a step is not fitted.

    See Also
    --------
    load : The way back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> import textprep_ml
    >>> from textprep_ml import WordTokenizer, make_normalizer
    >>> from textprep_ml.tokenization import make_vectorizer
    >>> pipeline = make_pipeline(make_normalizer("search"), make_vectorizer(WordTokenizer()), LogisticRegression())
    >>> pipeline = pipeline.fit(["Good café", "Bad bar", "good bar", "bad café"], ["+", "-", "+", "-"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "stars.json"
    >>> textprep_ml.save(pipeline, path)
    >>> textprep_ml.load(path).predict(["GOOD!"]).tolist()
    ['+']
    """
    content = to_saved(model)
    class_name = content.pop("class")
    _modelfile.write(path, class_name, content if config is None else {"config": config, **content})


def load(path_or_name: str | os.PathLike[str]) -> Any:
    """Read any model that `save`, or the `save` of an estimator, wrote.

    Parameters
    ----------
    path_or_name : str or path-like
        A file, or the name of a shipped model.

    Returns
    -------
    estimator or Pipeline
        Fitted.

    Raises
    ------
    ModelFormatError
        If the file is missing, damaged, foreign or from a newer version.

    Examples
    --------
    >>> import textprep_ml
    >>> textprep_ml.load("en").split("We met Dr. Ito. She left.")
    ['We met Dr. Ito.', 'She left.']
    """
    return from_saved(_modelfile.read(path_or_name), str(_modelfile.resolve(path_or_name)))


def to_saved(model: Any, where: str = "The model") -> dict[str, Any]:
    """Give a fitted model as plain JSON values; models that are equal give equal values.

    Parameters
    ----------
    model : estimator or Pipeline
        As for `save`.
    where : str
        What messages call it.

    Returns
    -------
    dict
        ``class`` and what belongs to it.

    Raises
    ------
    ModelFormatError
        If something is no plain data.
    """
    if isinstance(model, TextEstimator):
        kind = type(model).__name__
        if find_own(kind) is not type(model):
            raise ModelFormatError(
                f"{where} is a {kind}, which is not one of the public estimators of textprep_ml: a model file cannot "
                "name it. Use pickle for files that you trust."
            )
        return {"class": kind, **model._to_saved()}
    if isinstance(model, Pipeline):
        steps = [[name, step if step in _IDLE else to_saved(step, f"Step {name!r}")] for name, step in model.steps]
        return {"class": "Pipeline", "steps": steps}
    if isinstance(model, FrozenEstimator):
        return {"class": "FrozenEstimator", "estimator": to_saved(model.estimator, where)}
    if hasattr(model, "best_estimator_"):
        return to_saved(model.best_estimator_, where)
    # A second of imports that a model of our estimators alone does not need.
    from textprep_ml.persistence import foreign

    return foreign.to_saved(model, where)


def from_saved(content: Mapping[str, Any], where: str) -> Any:
    """Undo `to_saved`.

    Parameters
    ----------
    content : mapping
        What `to_saved` gave.
    where : str
        The file, for messages.

    Returns
    -------
    estimator or Pipeline
        Fitted.

    Raises
    ------
    ModelFormatError
        If it is damaged, or names a class that is not in the list.
    """
    kind = content.get("class") if isinstance(content, Mapping) else None
    own = find_own(kind)
    if own is not None:
        return own._from_saved(dict(content), where)
    try:
        if kind == "Pipeline":
            return _pipeline_from_saved(content, where)
        if kind == "FrozenEstimator":
            return FrozenEstimator(from_saved(content["estimator"], where))
        from textprep_ml.persistence import foreign

        if isinstance(kind, str) and kind in foreign.LEARNED:
            return foreign.from_saved(kind, content)
    except ModelFormatError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise ModelFormatError(f"{where} is a damaged {kind} model: {type(error).__name__}: {error}.") from error
    raise ModelFormatError(f"{where} holds a model of the class {shorten(kind)}, which textprep_ml does not know.")


def _pipeline_from_saved(content: Mapping[str, Any], where: str) -> Pipeline:
    steps = [(name, step if step in _IDLE else from_saved(step, where)) for name, step in content["steps"]]
    return textprep_ml.TextPipeline(steps)
