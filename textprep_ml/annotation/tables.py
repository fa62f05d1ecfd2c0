"""Annotations as columns of lists, Arrow tables, frames and JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textprep_ml._files import open_atomically
from textprep_ml.batching import all_printable

if TYPE_CHECKING:
    import pandas as pd

    from textprep_ml.annotation.result import Annotations


class _Column(NamedTuple):
    """A column: its values for all items of a layer, and where those of each document start."""

    name: str
    values: Any
    edges: np.ndarray


def singular(name: str) -> str:
    """Name one item of a layer; layers that are called as their step keep its name."""
    return name[:-1] if name in ("sentences", "tokens", "pieces") else name


def _columns(annotations: Annotations) -> Iterator[_Column]:
    above = np.arange(len(annotations) + 1)
    for name, layer in annotations.layers.items():
        one = singular(name)
        numbers = annotations.document_numbers(name)
        edges = np.searchsorted(numbers, np.arange(len(annotations) + 1))
        yield _Column(name, layer.spans, edges)
        yield _Column(f"{one}_texts", all_printable(layer.texts), edges)
        parent = annotations.parent_of(name)
        if parent != "documents":
            yield _Column(f"{one}_{parent}", layer.parents - above[numbers], edges)
        if layer.ids is not None:
            yield _Column(f"{one}_ids", layer.ids, edges)
        if layer.tags is not None:
            yield _Column("tags", layer.tags, edges)
        above = edges


def to_columns(annotations: Annotations) -> dict[str, list[Any]]:
    """Do what `Annotations.to_columns` says."""
    columns = {}
    for name, values, edges in _columns(annotations):
        plain = values.tolist() if isinstance(values, np.ndarray) else values
        columns[name] = [plain[start:end] for start, end in pairwise(edges.tolist())]
    return columns


def to_arrow(annotations: Annotations) -> Any:
    """Do what `Annotations.to_arrow` says."""
    import pyarrow as pa

    _refuse_surrogates(annotations)
    columns = {"text": pa.array(annotations.texts, pa.string())}
    for name, values, edges in _columns(annotations):
        if isinstance(values, np.ndarray):
            flat = pa.array(values.astype(np.int32, copy=False).ravel())
            items = pa.FixedSizeListArray.from_arrays(flat, 2) if values.ndim == 2 else flat
        else:
            items = pa.array(values, pa.string())
        columns[name] = pa.ListArray.from_arrays(pa.array(edges, pa.int32()), items)
    return pa.table(columns)


def _refuse_surrogates(annotations: Annotations) -> None:
    for number, text in enumerate(annotations.texts):
        try:
            text.isascii() or text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(
                f"Document {number} has a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}, "
                "which is no text that can be written. Repair the document first."
            ) from None


def to_pandas(annotations: Annotations, layer: str | None) -> pd.DataFrame:
    """Do what `Annotations.to_pandas` says."""
    import pandas as pd

    if not annotations.layers:
        return pd.DataFrame({"document": np.arange(len(annotations)), "text": annotations.texts})
    name = layer or next(reversed(annotations.layers))
    chosen = annotations._layer(name)
    columns: dict[str, Any] = {"document": annotations.document_numbers(name)}
    columns |= reversed(list(_ancestors(annotations, name)))
    columns |= {"start": chosen.spans[:, 0], "end": chosen.spans[:, 1]}
    columns |= {"surface": all_printable(annotations.surfaces(name))}
    columns |= {"text": all_printable(chosen.texts)}
    if chosen.ids is not None:
        columns["id"] = chosen.ids
    if chosen.tags is not None:
        columns["tag"] = chosen.tags
    return pd.DataFrame(columns)


def _ancestors(annotations: Annotations, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """Give, for each item of a layer, the number of its ancestors within the document, the nearest first."""
    items = np.arange(len(annotations.layers[name]))
    while (parent := annotations.parent_of(name)) != "documents":
        items = annotations.layers[name].parents[items]
        numbers = annotations.document_numbers(parent)
        yield singular(parent), items - np.searchsorted(numbers, numbers[items])
        name = parent


def write_jsonl(annotations: Annotations, path: str | os.PathLike[str]) -> None:
    """Do what `Annotations.to_jsonl` says."""
    _refuse_surrogates(annotations)
    columns = {"text": annotations.texts, **to_columns(annotations)}
    with open_atomically(path) as file:
        for row in zip(*columns.values(), strict=True):
            named = dict(zip(columns, row, strict=True))
            file.write(json.dumps(named, ensure_ascii=False, separators=(",", ":")) + "\n")
