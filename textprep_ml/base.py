"""Bases of the estimators: tags, parameter checks, leaf-wise mapping over nested lists, saving and loading."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

import textprep_ml
from textprep_ml import _modelfile
from textprep_ml._parallel import collector_paused, cut_documents, map_chunks
from textprep_ml._validation import map_leaves, refuse_container
from textprep_ml.exceptions import ModelFormatError


class TextTransformerMixin(TransformerMixin):
    """`fit_transform` without scikit-learn's wrapping of outputs.

    A pandas output configuration would wrap the texts into a frame and feed its column names to the next step.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Switch the wrapping off; scikit-learn does not inherit it."""
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Take the call that pipelines make of all their steps: text stays text, whatever the container.

        Parameters
        ----------
        transform : str, optional
            Ignored.

        Returns
        -------
        self
            Unchanged.
        """
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the single output column.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        ndarray of shape (1,)
            ``["text"]``.
        """
        return np.array(["text"], dtype=object)


class TextEstimator(BaseEstimator):
    """Base of every estimator whose `X` is a sequence of strings.

    Subclasses list what their parameters may be in ``_parameter_constraints`` and call ``self._validate_params()``
    first in `fit`. A subclass that can be saved implements ``_get_state`` and ``_set_state``.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that the input is a sequence of strings."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def _get_state(self) -> dict[str, Any]:
        """Give the fitted state as plain JSON values; what needs no fitting has none."""
        if self.__sklearn_tags__().requires_fit:
            raise ModelFormatError(f"{type(self).__name__} has a fitted state that no file can hold. Use pickle.")
        return {}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Restore what `_get_state` gave."""
        if self.__sklearn_tags__().requires_fit:
            raise ModelFormatError(f"{type(self).__name__} has no fitted state to load.")

    def _get_saved_params(self) -> dict[str, Any]:
        """Give the parameters that the model file keeps, as plain JSON values."""
        return {name: _encode_parameter(value) for name, value in self.get_params(deep=False).items()}

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

    def save(self, path: str | os.PathLike[str], config: dict[str, Any] | None = None) -> None:
        """Write the fitted estimator as versioned JSON.

        Parameters
        ----------
        path : str or path-like
            Where the file goes. An old file is replaced only when the new one is complete.
        config : dict, optional
            How it was trained, for whoever opens the file: plain JSON values; `load` does not look at them.
        """
        content = self._to_saved()
        _modelfile.write(path, type(self).__name__, content if config is None else {"config": config, **content})

    def _to_saved(self) -> dict[str, Any]:
        """Give what the model file keeps: parameters and fitted state."""
        params = {name: _encode_parameter(value) for name, value in self._get_saved_params().items()}
        return {"params": params, "state": self._get_state()}

    @classmethod
    def load(cls, path_or_name: str | os.PathLike[str]) -> Self:
        """Read an estimator that `save` wrote; no code from the file is run.

        Parameters
        ----------
        path_or_name : str or path-like
            A file, or the name of a shipped model.

        Returns
        -------
        estimator
            Fitted.

        Raises
        ------
        ModelFormatError
            If the file is missing, damaged, foreign, or for another class.
        """
        with collector_paused():
            content = _modelfile.read(path_or_name, cls.__name__)
            return cls._from_saved(content, str(_modelfile.resolve(path_or_name)))

    @classmethod
    def _from_saved(cls, content: dict[str, Any], where: str) -> Self:
        """Undo `_to_saved`; `where` is the file, for messages."""
        try:
            estimator = cls(**{name: _decode_parameter(value) for name, value in content["params"].items()})
            estimator._set_state(content["state"])
            estimator._validate_params()
        except ModelFormatError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            raise ModelFormatError(
                f"{where} is a damaged {cls.__name__} model: {type(error).__name__}: {error}."
            ) from error
        return estimator


def _encode_parameter(value: Any) -> Any:
    """Give a parameter as a JSON value; one of our own estimators becomes its name and parameters."""
    if isinstance(value, TextEstimator):
        return {"class": type(value).__name__, "params": value._get_saved_params()}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return value.item() if isinstance(value, np.generic) else value


def _decode_parameter(value: Any) -> Any:
    """Undo `_encode_parameter`; only public estimators of this package are made, by name."""
    if isinstance(value, dict) and set(value) == {"class", "params"}:
        made = getattr(textprep_ml, value["class"]) if value["class"] in textprep_ml.__all__ else None
        if not (isinstance(made, type) and issubclass(made, TextEstimator)):
            raise ModelFormatError(f"The model names {value['class']!r}, which is no estimator of textprep_ml.")
        return made(**{name: _decode_parameter(inner) for name, inner in value["params"].items()})
    return value


class TextTransformer(TextTransformerMixin, TextEstimator):
    """Base of the text -> text (or text -> list) steps.

    A subclass implements ``_transform_one(text)``; `transform` maps it over the `str` leaves of nested lists:
    documents -> sentences -> tokens -> pieces is list nesting, nothing else.
    """

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that no fitting is needed."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def _transform_one(self, text: str) -> Any:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : sequence of str
            Ignored.
        y : object
            Ignored.

        Returns
        -------
        self
            The transformer.
        """
        self._validate_params()
        return self

    def transform(self, X: Any) -> list[Any]:
        """Apply the step to every string in `X`.

        Parameters
        ----------
        X : sequence of str, or nested lists of str
            Documents, or what an earlier step made of them.

        Returns
        -------
        list
            The same nesting; each string replaced by its result.
        """
        self._validate_params()
        return self._transform_in_chunks(X)

    def _transform_in_chunks(self, X: Any) -> list[Any]:
        refuse_container(X, type(self).__name__)
        items = X if isinstance(X, list) else list(X)
        n_jobs = getattr(self, "n_jobs", None)
        chunks = cut_documents(items, n_jobs)
        firsts = accumulate([0, *map(len, chunks[:-1])])
        with collector_paused():
            found = map_chunks(self._transform_chunk, list(zip(firsts, chunks, strict=True)), n_jobs)
            return list(chain.from_iterable(found))

    def _transform_chunk(self, chunk: tuple[int, Sequence[Any]]) -> list[Any]:
        """Transform some of the documents; the number of the first is for messages."""
        first, items = chunk
        return map_leaves(self._transform_one, items, type(self).__name__, first)
