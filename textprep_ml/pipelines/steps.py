"""What a step of a pipeline does to text, and the pipeline that saves itself and goes over data sets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

import textprep_ml
from textprep_ml.base import TextEstimator
from textprep_ml.exceptions import ModelFormatError

Path = str | os.PathLike[str]


def stage_of(step: Any) -> str | None:
    """Tell what a step does to text, by the methods that it has.

    Parameters
    ----------
    step : estimator
        A step of a pipeline; what `FrozenEstimator` holds counts.

    Returns
    -------
    str or None
        ``"text"`` (normalizers), ``"sentences"``, ``"tokens"``, ``"pieces"`` or ``"tags"``; None for all others.

    Examples
    --------
    >>> from textprep_ml import RuleSegmenter, TextNormalizer, WordTokenizer
    >>> [stage_of(step) for step in (TextNormalizer(), RuleSegmenter(), WordTokenizer(), print)]
    ['text', 'sentences', 'tokens', None]
    """
    step = thawed(step)
    if hasattr(step, "align") and hasattr(step, "transform"):
        return "text"
    if hasattr(step, "encode_with_spans"):
        return "pieces"
    if hasattr(step, "spans"):
        return "sentences" if hasattr(step, "predict") else "tokens"
    return "tags" if isinstance(step, TextEstimator) and hasattr(step, "predict") else None


def thawed(step: Any) -> Any:
    """Give the estimator inside a `FrozenEstimator`; anything else is given back.

    Parameters
    ----------
    step : estimator
        A step of a pipeline.

    Returns
    -------
    estimator
        Not a `FrozenEstimator`.
    """
    while isinstance(step, FrozenEstimator):
        step = step.estimator
    return step


class TextPipeline(Pipeline):
    """A `sklearn.pipeline.Pipeline` that is saved as plain data and goes over data sets.

    See Also
    --------
    make_text_pipeline : The usual ones by name.
    textprep_ml.annotate : What every step finds, with spans into the raw text.

    Examples
    --------
    >>> from textprep_ml import RuleSegmenter, TextPipeline, WordTokenizer
    >>> TextPipeline([("segmenter", RuleSegmenter()), ("tokenizer", WordTokenizer())]).transform(["It rains. Stay in."])
    [[['It', 'rains', '.'], ['Stay', 'in', '.']]]
    """

    def save(self, path: Path, config: dict[str, Any] | None = None) -> None:
        """Write the fitted pipeline as versioned JSON; see `textprep_ml.save`.

        Parameters
        ----------
        path : str or path-like
            Where the file goes.
        config : dict, optional
            How it was trained.
        """
        textprep_ml.save(self, path, config)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a pipeline that `save` wrote; no code from the file is run.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        TextPipeline
            Fitted.

        Raises
        ------
        ModelFormatError
            If the file is missing, damaged, foreign, or holds no pipeline.
        """
        loaded = textprep_ml.load(path)
        if not isinstance(loaded, cls):
            raise ModelFormatError(f"{os.fspath(path)} holds a {type(loaded).__name__}, not a pipeline.")
        return loaded

    def as_batch_function(self, **options: Any) -> Callable[..., Any]:
        """Make the function for ``Dataset.map(..., batched=True)``; see `textprep_ml.batch_function`.

        Parameters
        ----------
        **options : object
            Those of `batch_function`.

        Returns
        -------
        BatchFunction
            From a batch to its new columns.
        """
        return textprep_ml.batch_function(self, **options)
