"""Checks of documents, spans and parameters; the one importer of scikit-learn's private validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sklearn.utils._param_validation import (  # noqa: F401  (what `_CONSTRAINTS` says, for type checkers)
        HasMethods,
        Hidden,
        Interval,
        InvalidParameterError,
        StrOptions,
    )

#: What estimators write their `_parameter_constraints` with. Imported on first use: checks and messages of what is no
#: estimator start without scikit-learn.
_CONSTRAINTS = ("HasMethods", "Hidden", "Interval", "InvalidParameterError", "StrOptions")

_SHOWN = 80


def __getattr__(name: str) -> Any:
    if name in _CONSTRAINTS:
        return getattr(import_module("sklearn.utils._param_validation"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def shorten(value: object) -> str:
    """Give the repr of `value` on one line, cut at 80 characters, for an error message."""
    text = repr(value[: _SHOWN + 1]) if isinstance(value, str | bytes) else repr(value).replace("\n", " ")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def refuse_container(X: Any, owner: str) -> None:
    """Refuse what is no sequence of documents.

    Parameters
    ----------
    X : object
        What was given.
    owner : str
        The name that the error message opens with.

    Raises
    ------
    TypeError
        If it is one string, a dict, or cannot be walked through.
    ValueError
        If it has more than one dimension.
    """
    if isinstance(X, str | bytes | bytearray):
        raise TypeError(
            f"{owner} expects a sequence of documents, but got one {type(X).__name__}: {shorten(X)}. "
            "Pass [text] instead of text."
        )
    if isinstance(X, dict):
        raise TypeError(
            f"{owner} expects a sequence of documents, but got a dict. Pass list(d.values()) or one of its lists."
        )
    ndim = getattr(X, "ndim", 1)
    if ndim != 1:
        raise ValueError(
            f"{owner} expects a one-dimensional sequence of documents, but got {ndim} dimensions. "
            "Pass one column, such as df['text']."
        )
    if not isinstance(X, Iterable):
        raise TypeError(f"{owner} expects a sequence of documents, but got {type(X).__name__}: {shorten(X)}.")


def check_documents(X: Any, owner: str = "This estimator") -> list[str]:
    """Return the documents of `X` as a list of exact `str`.

    Parameters
    ----------
    X : iterable of str
        A list, tuple, generator, one-dimensional object array, pandas Series, or column of a `datasets.Dataset`.
    owner : str
        The name that the error message opens with.

    Returns
    -------
    list of str
        New list; `str` subclasses such as `numpy.str_` become exact `str`, which the kernels need.

    Raises
    ------
    TypeError
        If `X` is one string, or a document is not a string; the message names its index.
    ValueError
        If `X` has more than one dimension.
    """
    refuse_container(X, owner)
    documents = list(X)
    if set(map(type, documents)) <= {str}:  # a fifth of the time of a loop
        return documents
    for index, document in enumerate(documents):
        if not isinstance(document, str):
            raise TypeError(
                f"{owner} expects str documents, but document {index} is {type(document).__name__}: "
                f"{shorten(document)}. Drop or convert it first."
            )
        documents[index] = str(document)
    return documents


def map_leaves(function: Callable[[str], Any], X: Any, owner: str = "This transformer", first: int = 0) -> list[Any]:
    """Apply `function` to every `str` leaf of the nested lists in `X`, keeping the nesting.

    Parameters
    ----------
    function : callable
        Takes an exact `str`.
    X : sequence
        Documents, or lists of sentences, or lists of lists of tokens.
    owner : str
        The name that the error message opens with.
    first : int
        The number of the first item, for messages about a part of the documents.

    Returns
    -------
    list
        The same nesting with each leaf replaced by the result.

    Raises
    ------
    TypeError
        If a leaf is not a string; the message names its position.
    """
    refuse_container(X, owner)
    return [_map_item(function, item, owner, (index,)) for index, item in enumerate(X, start=first)]


def _map_item(function: Callable[[str], Any], item: Any, owner: str, place: tuple[int, ...]) -> Any:
    if type(item) is str:
        return function(item)
    if isinstance(item, str):
        return function(str(item))
    if isinstance(item, list | tuple):
        return [_map_item(function, inner, owner, (*place, index)) for index, inner in enumerate(item)]
    where = " > ".join(map(str, place))
    raise TypeError(
        f"{owner} expects str documents, but document {where} is {type(item).__name__}: {shorten(item)}. "
        "Drop or convert it first."
    )


def check_spans(spans: Any, length: int, where: str) -> np.ndarray:
    """Return `spans` as an ``(n, 2)`` intp array after checking order and range.

    Parameters
    ----------
    spans : sequence of (int, int)
        Half-open character spans.
    length : int
        Length of the text in characters.
    where : str
        What the error message names, such as ``"document 3"``.

    Returns
    -------
    ndarray of shape (n_spans, 2)
        The spans, dtype intp.

    Raises
    ------
    ValueError
        If a value is no integer (a float or bool neither), or a span is empty, out of range, unsorted or overlaps the
        one before.
    """
    array = np.asarray(spans, dtype=object)
    if array.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"The spans of {where} are not (start, end) pairs: {shorten(spans)}.")
    if not all(issubclass(kind, Integral) and kind is not bool for kind in set(map(type, array.flat))):
        raise ValueError(f"The spans of {where} hold values that are not integers: {shorten(spans)}.")
    previous = 0
    for index, (start, end) in enumerate(array.tolist()):
        if not 0 <= start < end <= length:
            raise ValueError(
                f"Span {index} of {where} is [{start}, {end}), empty or outside the text of {length} characters."
            )
        if start < previous:
            raise ValueError(
                f"Span {index} of {where} is [{start}, {end}), but the span before ends at {previous}: "
                "sort them and remove overlaps."
            )
        previous = end
    return array.astype(np.intp)


def check_targets(y: Any, documents: Sequence[str], owner: str) -> list[np.ndarray]:
    """Check one sequence of spans per document.

    Parameters
    ----------
    y : sequence of sequences of (int, int)
        Sentence spans of each document.
    documents : sequence of str
        The documents.
    owner : str
        The name that the error message opens with.

    Returns
    -------
    list of ndarray
        One ``(n_i, 2)`` array per document.

    Raises
    ------
    ValueError
        If the lengths differ or a span is wrong.
    """
    if y is None:
        raise ValueError(f"{owner} needs labelled boundaries: pass y, one sequence of (start, end) spans per document.")
    y = list(y)
    if len(y) != len(documents):
        raise ValueError(f"{owner} got {len(documents)} documents but {len(y)} sequences of spans in y.")
    return [
        check_spans(spans, len(text), f"document {index}")
        for index, (spans, text) in enumerate(zip(y, documents, strict=True))
    ]


def span_array(items: Iterable[Any]) -> np.ndarray:
    """Pack one object per document into a one-dimensional object array.

    `numpy.array` would make a three-dimensional array of spans when all documents have equally many, and scikit-learn's
    cross-validation needs one dimension.

    Parameters
    ----------
    items : iterable
        One object per document.

    Returns
    -------
    ndarray of shape (n_documents,)
        Dtype object.
    """
    items = list(items)
    packed = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        packed[index] = item
    return packed
