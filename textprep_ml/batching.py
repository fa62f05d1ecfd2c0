"""Models over data sets: the function that ``Dataset.map(..., batched=True)`` of `datasets` calls."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import textprep_ml
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.persistence import from_saved, to_saved
from textprep_ml.pipelines import stage_of

_SURROGATES = re.compile("[\ud800-\udfff]")


def batch_function(
    model: Any, *, column: str = "text", method: str | None = None, output: str | None = None
) -> BatchFunction:
    """Make the function with which ``Dataset.map(..., batched=True)`` runs a fitted model over a column.

    Batches may be dicts of lists, Arrow tables (``dataset.with_format("arrow")``, the fastest) or pandas frames; the
    function gives back what it got. It keeps nothing between batches, so that a stream takes no more memory than a
    batch. For the cache of `datasets` it is its model and its options: a model with equal parameters and equal learned
    values finds what was computed before, in another process and after saving and loading, too.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted.
    column : str, default="text"
        The column with the documents.
    method : str, optional
        A method of the model that takes documents, such as ``"transform"``, ``"predict"`` or ``"encode_batch"``; or
        ``"annotate"``, for the columns of `textprep_ml.annotate`. By default ``"transform"``, or ``"predict"`` where
        there is no such method.
    output : str, optional
        The new column. By default it is called after what it holds: ``"sentences"``, ``"tokens"``, ``"pieces"``,
        ``"tags"``, ``"ids"``; normalizers replace their column; after other methods it is called as the method.

    Returns
    -------
    BatchFunction
        From a batch to its new columns.

    Raises
    ------
    ValueError
        If the model has no such method.
    NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> from textprep_ml import batch_function, make_text_pipeline
    >>> split = batch_function(make_text_pipeline(segmenter="rules"))
    >>> split({"text": ["It rains. Stay in.", "Yes"]})
    {'tokens': [[['It', 'rains', '.'], ['Stay', 'in', '.']], [['Yes']]]}
    """
    if method is None:
        method = "transform" if hasattr(model, "transform") else "predict"
    if method != "annotate" and not callable(getattr(model, method, None)):
        raise ValueError(f"batch_function: {type(model).__name__} has no method {method!r}.")
    if method == "annotate" and output is not None:
        raise ValueError("batch_function: annotate gives several columns, whose names are fixed: leave output out.")
    check_is_fitted(model)
    return BatchFunction(model, column, method, output or _default_output(model, column, method))


def _default_output(model: Any, column: str, method: str) -> str:
    if method == "encode_batch":
        return "ids"
    stage = stage_of(model[-1] if hasattr(model, "steps") else model)
    if method != "transform" or stage is None:
        return method
    return column if stage == "text" else stage


class BatchFunction:
    """Runs a model over a column of batches; `batch_function` makes it.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted.
    column, method, output : str
        As for `batch_function`.
    """

    def __init__(self, model: Any, column: str, method: str, output: str) -> None:
        self.model = model
        self.column = column
        self.method = method
        self.output = output

    def __repr__(self) -> str:
        return f"BatchFunction({type(self.model).__name__}.{self.method}: {self.column!r} -> {self.output!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the model as the plain data of its file, if it has such: `datasets` takes the pickle for its key.

        A pickle of the objects themselves also tells which of them are one and the same, and so differs between equal
        models.
        """
        try:
            saved: Any = json.dumps(to_saved(self.model), ensure_ascii=True, separators=(",", ":"))
        except (ModelFormatError, TypeError):
            saved = self.model
        return _restore, (textprep_ml.__version__, saved, self.column, self.method, self.output)

    def __call__(self, batch: Any, indices: Sequence[int] | None = None) -> Any:
        """Run the model over a batch.

        Parameters
        ----------
        batch : mapping of str to list, pyarrow.Table or pandas.DataFrame
            Columns of equal length.
        indices : sequence of int, optional
            The numbers of the rows, for messages; ``Dataset.map(..., with_indices=True)`` gives them.

        Returns
        -------
        dict, pyarrow.Table or pandas.DataFrame
            The new columns as dict; a table or frame comes back with the new columns in it.

        Raises
        ------
        ValueError
            If there is no such column.
        TypeError
            If a row is null.
        """
        texts = self._texts(batch, indices)
        if isinstance(batch, Mapping):
            return self._columns(texts)
        if hasattr(batch, "set_column"):
            return _extended_table(batch, self._arrow_columns(texts))
        return batch.assign(**self._columns(texts))

    def _texts(self, batch: Any, indices: Sequence[int] | None) -> list[Any]:
        try:
            values = batch[self.column]
        except KeyError:
            names = getattr(batch, "column_names", None) or list(batch)
            raise ValueError(
                f"The data set has no column {self.column!r}, only {', '.join(map(str, names))}. Pass column=."
            ) from None
        texts = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
        for place, text in enumerate(texts):
            if text is None or isinstance(text, float):  # NaN is how pandas has nulls
                row = f"row {place} of the batch" if indices is None else f"row {indices[place]}"
                raise TypeError(f"The column {self.column!r} is null in {row}. Drop or fill such rows first.")
        return texts

    def _columns(self, texts: list[Any]) -> dict[str, Any]:
        if self.method == "annotate":
            return textprep_ml.annotate(self.model, texts).to_columns()
        return {self.output: _plain(getattr(self.model, self.method)(texts), self.method)}

    def _arrow_columns(self, texts: list[Any]) -> dict[str, Any]:
        import pyarrow as pa

        if self.method == "annotate":
            table = textprep_ml.annotate(self.model, texts).to_arrow()
            return {name: table[name] for name in table.column_names if name != "text"}
        if self.method == "encode_batch":
            # Ids of many documents stay in one array from the kernel to the file.
            ids, offsets = self.model.encode_batch(texts, as_array=True)
            return {self.output: pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(ids))}
        return {name: pa.array(values) for name, values in self._columns(texts).items()}


def _restore(version: str, saved: Any, column: str, method: str, output: str) -> BatchFunction:
    """Undo `BatchFunction.__reduce__`; the version is there for the cache only."""
    model = from_saved(json.loads(saved), "The batch function") if isinstance(saved, str) else saved
    return BatchFunction(model, column, method, output)


def _extended_table(table: Any, columns: Mapping[str, Any]) -> Any:
    for name, values in columns.items():
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, values)
        else:
            table = table.append_column(name, values)
    return table


def _plain(values: Any, method: str) -> list[Any]:
    """Give what a method gave as lists that Arrow can hold."""
    if hasattr(values, "tocsr"):
        raise ValueError(f"{method} gives a sparse matrix, which is no column of lists: take predict, or fewer steps.")
    rows = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [_plain_item(row) for row in rows]


def _plain_item(item: Any) -> Any:
    if isinstance(item, str):
        return printable(item)
    if isinstance(item, np.ndarray):
        return item.tolist()
    if isinstance(item, list | tuple):
        return [_plain_item(inner) for inner in item]
    return item


def printable(text: str) -> str:
    """Write what no file can hold: a byte that is no character becomes ``<0xE2>``, a lone surrogate ``<U+D83D>``.

    Parameters
    ----------
    text : str
        A piece, or any text.

    Returns
    -------
    str
        Valid Unicode.

    Examples
    --------
    >>> printable("caf\\udcc3")
    'caf<0xC3>'
    """
    if text.isascii():
        return text
    return _SURROGATES.sub(_surrogate_name, text)


def all_printable(texts: list[str]) -> list[str]:
    """Do what `printable` does to each of many texts; the same list where there is nothing to do.

    Parameters
    ----------
    texts : list of str
        Pieces, or any texts.

    Returns
    -------
    list of str
        Valid Unicode.
    """
    if _SURROGATES.search("".join(texts)) is None:
        return texts
    return [printable(text) for text in texts]


def _surrogate_name(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"<0x{code - 0xDC00:02X}>" if 0xDC80 <= code <= 0xDCFF else f"<U+{code:04X}>"
