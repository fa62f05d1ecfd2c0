"""Precision, recall and F1 of boundaries and of whole spans, and the error rate over candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textprep_ml.metrics._packed import Ints, boundary_keys, check_same_length, contains, pack, stride_of


def boundary_counts(y_true: Any, y_pred: Any, *, include_final: bool = False) -> Ints:
    """Count the boundaries of each document.

    A boundary between two sentences is the end of the first one. The end of the last sentence of a document is its
    final boundary: nearly every system gets it right, and how much it weighs depends on how a corpus was cut into
    documents, so that it counts by option only.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document, sorted, without surrounding white space (else see `drop_white_space`).
    include_final : bool
        Whether final boundaries count.

    Returns
    -------
    ndarray of shape (n_documents, 3)
        Columns: boundaries found rightly, boundaries in `y_true`, boundaries in `y_pred`.

    Raises
    ------
    TypeError, ValueError
        If spans are no pairs of integers, or are empty, unsorted or overlapping, or the lengths differ.

    Examples
    --------
    >>> boundary_counts([[(0, 3), (4, 7), (8, 11)]], [[(0, 3), (4, 11)]])
    array([[1, 2, 1]])
    """
    true, pred = pack(y_true, "y_true"), pack(y_pred, "y_pred")
    check_same_length(true.n_documents, y_pred=pred)
    stride = stride_of(true, pred)
    true_keys = boundary_keys(true, stride, include_final)
    pred_keys = boundary_keys(pred, stride, include_final)
    found = pred_keys[contains(true_keys, pred_keys)]
    counts = [np.bincount(keys // stride, minlength=true.n_documents) for keys in (found, true_keys, pred_keys)]
    return np.stack(counts, axis=1)


def boundary_scores(y_true: Any, y_pred: Any, *, include_final: bool = False) -> dict[str, float | int]:
    """Score the boundaries between sentences: micro average over whole documents.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document, sorted, without surrounding white space.
    include_final : bool
        Whether the end of the last sentence of a document counts as a boundary.

    Returns
    -------
    dict
        "precision", "recall", "f1", and the counts "n_correct", "n_true", "n_pred". Where there was nothing to
        find and nothing was found, the three scores are 1; where only one of the two is so, they are 0.

    Examples
    --------
    Two inner boundaries, of which the first was found:

    >>> scores = boundary_scores([[(0, 3), (4, 7), (8, 11)]], [[(0, 3), (4, 11)]])
    >>> scores["precision"], scores["recall"], round(scores["f1"], 4)
    (1.0, 0.5, 0.6667)
    """
    return scores_of(boundary_counts(y_true, y_pred, include_final=include_final).sum(axis=0))


def boundary_f1_score(y_true: Any, y_pred: Any, *, include_final: bool = False) -> float:
    """Give the F1 of the boundaries between sentences; see `boundary_scores`.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document.
    include_final : bool
        Whether the end of the last sentence of a document counts as a boundary.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> boundary_f1_score([[(0, 3), (4, 7), (8, 11)]], [[(0, 3), (4, 11)]], include_final=True)
    0.8
    """
    return float(boundary_scores(y_true, y_pred, include_final=include_final)["f1"])


def span_scores(y_true: Any, y_pred: Any) -> dict[str, float | int]:
    """Score whole spans: one is right when both its ends are.

    With sentences this is exact-sentence F1; with tokens, counted without white space (`drop_white_space`), it is
    the token F1 of the CoNLL 2018 shared task [1]_. Equal spans of one document, such as the words of a multiword
    token, are matched one to one.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Spans of each document, in any order.

    Returns
    -------
    dict
        "precision", "recall", "f1", "n_correct", "n_true", "n_pred", as in `boundary_scores`.

    References
    ----------
    .. [1] D. Zeman et al. (2018). CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
    Dependencies. Proceedings
       of the CoNLL 2018 Shared Task, 1-21.

    Examples
    --------
    >>> scores = span_scores([[(0, 3), (4, 7), (8, 11)]], [[(0, 3), (4, 11)]])
    >>> scores["precision"], round(scores["recall"], 4), scores["f1"]
    (0.5, 0.3333, 0.4)
    """
    true, pred = pack(y_true, "y_true", ordered=False), pack(y_pred, "y_pred", ordered=False)
    check_same_length(true.n_documents, y_pred=pred)
    document, starts, ends = (np.concatenate(pair) for pair in zip(true[:3], pred[:3], strict=True))
    stride = stride_of(true, pred)
    # Number the places where spans start before the ends come in: the product of all three might not fit an integer.
    _, place = np.unique(document * stride + starts, return_inverse=True)
    _, number = np.unique(place * stride + ends, return_inverse=True)
    n_true, n_pred = len(true.ends), len(pred.ends)
    times = [np.bincount(part, minlength=n_true + n_pred) for part in (number[:n_true], number[n_true:])]
    return scores_of([int(np.minimum(*times).sum()), n_true, n_pred])


def scores_of(counts: Sequence[int] | Ints) -> dict[str, float | int]:
    """Make scores of the counts of what was right, what was to be found and what was found."""
    n_correct, n_true, n_pred = (int(count) for count in counts)
    if not n_true + n_pred:
        precision = recall = f1 = 1.0
    else:
        precision = n_correct / n_pred if n_pred else 0.0
        recall = n_correct / n_true if n_true else 0.0
        f1 = 2 * n_correct / (n_true + n_pred)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "n_correct": n_correct,
        "n_true": n_true,
        "n_pred": n_pred,
    }


def candidate_error_rate(y_true: Any, y_pred: Any, candidates: Sequence[Any]) -> float:
    """Give the share of the candidates that were decided wrongly, the figure of the literature since Palmer &
    Hearst [1]_.

    It depends on what the candidates are: with periods only, nine tenths of them are boundaries, with all gaps
    between words most are not, so that only rates over the same candidates compare. Boundaries that are no
    candidates are not seen.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document. Final boundaries count where they are candidates.
    candidates : sequence of sequences of int
        Positions in each document at which a sentence may end: counted as the ends of spans are.

    Returns
    -------
    float
        Between 0 and 1; 0 where there are no candidates.

    References
    ----------
    .. [1] D. D. Palmer, M. A. Hearst (1997). Adaptive Multilingual Sentence Boundary Disambiguation. Computational
    Linguistics
       23(2), 241-267.

    Examples
    --------
    Three candidates, one of them missed:

    >>> candidate_error_rate([[(0, 3), (4, 7), (8, 11)]], [[(0, 3), (4, 11)]], [[3, 7, 11]])
    0.3333333333333333
    """
    true, pred = pack(y_true, "y_true"), pack(y_pred, "y_pred")
    check_same_length(true.n_documents, y_pred=pred, candidates=candidates)
    arrays = [_as_positions(places, index) for index, places in enumerate(candidates)]
    places = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)
    if not len(places):
        return 0.0
    stride = max(stride_of(true, pred), int(places.max()) + 1)
    keys = np.repeat(np.arange(len(arrays)), [len(array) for array in arrays]) * stride + places
    keys = np.unique(keys)
    decided = [contains(boundary_keys(spans, stride, include_final=True), keys) for spans in (true, pred)]
    return float(np.mean(decided[0] != decided[1]))


def _as_positions(places: Any, document: int) -> Ints:
    array = np.asarray(places)
    if not array.size:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 0:
        raise TypeError(f"candidates, document {document}: expected a sequence of positions, whole numbers from 0.")
    return array.astype(np.int64, copy=False)
