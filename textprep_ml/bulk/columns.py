"""What a model writes for a row: Arrow columns, by what the model does to text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textprep_ml.pipelines import stage_of, thawed

if TYPE_CHECKING:
    import pyarrow as pa


class Columns(NamedTuple):
    """The columns of a model.

    Attributes
    ----------
    fields : list of pyarrow.Field
        Their names and types.
    make : callable
        From texts to one array for each field, one value per text.
    """

    fields: list[pa.Field]
    make: Callable[[list[str]], list[pa.Array]]


def columns_of(model: Any) -> Columns:
    """Choose the columns for a model.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted.

    Returns
    -------
    Columns
        ``sentences`` of a segmenter: spans. ``tokens`` and ``token_texts`` of a tokenizer: spans and strings.
        ``piece_ids`` of a subword tokenizer. ``token_texts`` and ``tags`` of a tagger, for texts whose tokens are
        separated by white space. ``normalized`` of a normalizer. Of a pipeline what `textprep_ml.annotate` finds, or
        ``prediction`` where it ends in a classifier.

    Raises
    ------
    ValueError
        If the model gives nothing that has a column.
    """
    if hasattr(model, "steps"):
        return _annotated(model) if stage_of(model[-1]) is not None else _predicted(model)
    make = _MAKERS.get(stage_of(model) or "")
    if make is None:
        raise ValueError(
            "transform writes sentences, tokens, piece ids, tags and normalized text, but "
            f"{type(thawed(model)).__name__} gives none of them."
        )
    return make(thawed(model))


def _sentences(segmenter: Any) -> Columns:
    return Columns([_field("sentences", _spans_type())], lambda texts: [pack_spans(segmenter.predict(texts))])


def _tokens(tokenizer: Any) -> Columns:
    import pyarrow as pa

    def make(texts: list[str]) -> list[pa.Array]:
        found = tokenizer.spans_batch(texts)
        packed = pack_spans(found)
        return [packed, pa.ListArray.from_arrays(packed.offsets, pack_slices(texts, found))]

    return Columns([_field("tokens", _spans_type()), _field("token_texts", pa.list_(pa.string()))], make)


def _pieces(tokenizer: Any) -> Columns:
    import pyarrow as pa

    def make(texts: list[str]) -> list[pa.Array]:
        ids, offsets = tokenizer.encode_batch(texts, as_array=True)
        return [pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int32()))]

    return Columns([_field("piece_ids", pa.list_(pa.int32()))], make)


def _tags(tagger: Any) -> Columns:
    import pyarrow as pa

    strings = pa.list_(pa.string())

    def make(texts: list[str]) -> list[pa.Array]:
        tokens = [text.split() for text in texts]
        return [pa.array(tokens, strings), pa.array(list(tagger.predict(tokens)), strings)]

    return Columns([_field("token_texts", strings), _field("tags", strings)], make)


def _normalized(normalizer: Any) -> Columns:
    import pyarrow as pa

    return Columns(
        [_field("normalized", pa.string())], lambda texts: [pa.array(normalizer.transform(texts), pa.string())]
    )


def _annotated(pipeline: Any) -> Columns:
    import textprep_ml

    def find(texts: list[str]) -> pa.Table:
        return textprep_ml.annotate(pipeline, texts).to_arrow().drop_columns("text")

    schema = find(["A."]).schema
    return Columns(list(schema), lambda texts: [column.combine_chunks() for column in find(texts).columns])


def _predicted(pipeline: Any) -> Columns:
    import pyarrow as pa

    if not hasattr(pipeline, "predict") or not hasattr(pipeline, "classes_"):
        raise ValueError(
            f"The pipeline ends in {type(pipeline[-1]).__name__}: transform writes what is found in texts, or the "
            "predictions of a classifier."
        )
    kind = pa.array(pipeline.classes_).type
    return Columns([_field("prediction", kind)], lambda texts: [pa.array(pipeline.predict(texts), kind)])


def _field(name: str, kind: Any) -> pa.Field:
    import pyarrow as pa

    return pa.field(name, kind)


def _spans_type() -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.list_(pa.int32(), 2))


def pack_spans(found: Sequence[Any]) -> pa.Array:
    """Make a column of spans.

    Parameters
    ----------
    found : sequence of array-like of shape (n, 2)
        The spans of each text.

    Returns
    -------
    pyarrow.ListArray
        Of pairs of int32.
    """
    import pyarrow as pa

    arrays = [np.asarray(spans, dtype=np.int32).reshape(-1, 2) for spans in found]
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int32)
    flat = np.concatenate([np.empty((0, 2), np.int32), *arrays]).ravel()
    pairs = pa.FixedSizeListArray.from_arrays(pa.array(flat), 2)
    return pa.ListArray.from_arrays(pa.array(offsets), pairs)


def pack_slices(texts: Sequence[str], found: Sequence[np.ndarray]) -> pa.Array:
    """Make a column of slices of texts, without a Python string for each.

    Parameters
    ----------
    texts : sequence of str
        Texts.
    found : sequence of ndarray of shape (n, 2)
        Spans of each, in order and without overlap.

    Returns
    -------
    pyarrow.StringArray
        The slices of all texts, one behind another.
    """
    import pyarrow as pa

    data = np.frombuffer("".join(texts).encode("utf-8"), dtype=np.uint8)
    first = np.cumsum([0, *map(len, texts)])[:-1]
    spans = np.concatenate(
        [np.empty((0, 2), np.intp), *(each + start for each, start in zip(found, first, strict=True))]
    )
    if len(data) > sum(map(len, texts)):  # from characters to bytes
        spans = np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))[spans]
    edges = np.zeros(len(data) + 1, dtype=np.int8)
    solid = spans[spans[:, 0] < spans[:, 1]]
    edges[solid[:, 0]] += 1
    edges[solid[:, 1]] -= 1
    inside = data[np.cumsum(edges[:-1], dtype=np.int8).view(bool)]
    offsets = np.concatenate([[0], np.cumsum(spans[:, 1] - spans[:, 0])]).astype(np.int32)
    return pa.StringArray.from_buffers(len(spans), pa.py_buffer(offsets), pa.py_buffer(inside))


_MAKERS: dict[str, Callable[[Any], Columns]] = {
    "sentences": _sentences,
    "tokens": _tokens,
    "pieces": _pieces,
    "tags": _tags,
    "text": _normalized,
}
