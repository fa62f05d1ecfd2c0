"""Spans counted without white space, so that segmentations which treat it differently can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from textprep_ml.metrics._packed import Ints, check_same_length, pack

#: The code points with the property White_Space.
_WHITE_SPACE = np.array(
    [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)


def drop_white_space(texts: Sequence[str], y: Any) -> list[Ints]:
    """Count spans in the text without its white space, as the CoNLL 2018 shared task does.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y : sequence of sequences of (int, int)
        Spans of each document. Those of white space only are left out.

    Returns
    -------
    list of ndarray of shape (n_spans, 2)
        The spans; white space at their ends no longer makes a difference.

    Raises
    ------
    ValueError
        If the lengths differ, or a span goes beyond its text.

    Examples
    --------
    >>> drop_white_space(["It is."], [[(0, 3), (3, 6)]])[0].tolist()
    [[0, 2], [2, 5]]
    """
    packed = pack(y, "y", ordered=False)
    check_same_length(packed.n_documents, texts=texts)
    limits = np.searchsorted(packed.document, np.arange(packed.n_documents + 1))
    counted = []
    for index, text in enumerate(texts):
        spans = np.stack([packed.starts, packed.ends], axis=1)[limits[index] : limits[index + 1]]
        if len(spans) and spans.max() > len(text):
            raise ValueError(
                f"y, document {index}: a span ends at {spans.max()}, but the text has {len(text)} characters."
            )
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        before = np.concatenate([[0], np.cumsum(~np.isin(codes, _WHITE_SPACE))])
        spans = before[spans].astype(np.int64)
        counted.append(spans[spans[:, 0] < spans[:, 1]])
    return counted


def token_spans(tokens: Iterable[str]) -> Ints:
    """Give the spans of tokens in the text without its white space, for tokenizers that give strings only.

    Parameters
    ----------
    tokens : iterable of str
        The tokens of one document. Together they must be its characters except white space, else all that follows
        is shifted.

    Returns
    -------
    ndarray of shape (n_tokens, 2)
        Spans, to be compared with those of `drop_white_space`.

    Examples
    --------
    >>> token_spans(["New York", "is", "n't"]).tolist()
    [[0, 7], [7, 9], [9, 12]]
    """
    lengths = [len("".join(token.split())) for token in tokens]
    ends = np.cumsum(np.array(lengths, dtype=np.int64))
    spans = np.stack([ends - lengths, ends], axis=1)
    return spans[spans[:, 0] < spans[:, 1]]
