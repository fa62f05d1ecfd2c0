"""What a segmenter thinks of every candidate of labelled documents: one pass, which all curves are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textprep_ml._validation import check_targets
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.runtime import logit

if TYPE_CHECKING:
    from textprep_ml.segmentation.explanation import Explanation

#: The kind of candidate that no model is asked about: a blank line always is a boundary.
CERTAIN = KINDS.index("paragraph")


@dataclass(frozen=True)
class Candidates:
    """Candidates of labelled documents with their scores.

    Attributes
    ----------
    document : ndarray of shape (n_candidates,)
        Index of the document of each.
    ends : ndarray of shape (n_candidates,)
        Where the token before it ends in the raw text, in characters.
    kinds : ndarray of shape (n_candidates,)
        Indices into `textprep_ml.segmentation.attributes.KINDS`.
    scores : ndarray of shape (n_candidates,)
        Log odds of a boundary; 100 where it is certain.
    labels : ndarray of shape (n_candidates,)
        Whether each is a boundary.
    shifts : ndarray of shape (n_candidates,)
        Log odds that are added to the threshold of its kind.
    decisions : ndarray of shape (n_candidates,)
        Whether the score of each reaches its threshold.
    threshold : float
        The common threshold in use, a probability.
    n_boundaries : int
        Boundaries in the documents, also where no candidate is.
    """

    document: NDArray[np.int64]
    ends: NDArray[np.int64]
    kinds: NDArray[np.int64]
    scores: NDArray[np.float64]
    labels: NDArray[np.bool_]
    shifts: NDArray[np.float64]
    decisions: NDArray[np.bool_]
    threshold: float
    n_boundaries: int

    def find(self, document: int, end: int) -> int | None:
        """Look a candidate up.

        Parameters
        ----------
        document : int
            Index of the document.
        end : int
            Where the token before it ends.

        Returns
        -------
        int or None
            Its index; None where there is none.
        """
        first, last = np.searchsorted(self.document, [document, document + 1])
        place = first + int(np.searchsorted(self.ends[first:last], end))
        return int(place) if place < last and self.ends[place] == end else None


def score_candidates(segmenter: Any, X: Sequence[str], y: Any) -> Candidates:
    """Score the candidates of labelled documents in one pass.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        Fitted.
    X : sequence of str
        Documents.
    y : sequence of sequences of (int, int)
        Sentence spans of each document.

    Returns
    -------
    Candidates
        In the order of the text.

    Raises
    ------
    TypeError
        If the segmenter gives no probabilities, as one by rules does not.

    Examples
    --------
    >>> from textprep_ml import SentenceSegmenter
    >>> text = "We met Dr. Ito. She left."
    >>> found = score_candidates(SentenceSegmenter.load("en"), [text], [[(0, 15), (16, 25)]])
    >>> found.ends.tolist(), found.labels.tolist(), (found.scores > 0).tolist()
    ([6, 10, 15], [False, False, True], [False, False, True])
    """
    if not gives_probabilities(segmenter):
        raise TypeError(
            f"Curves need the probabilities of a SentenceSegmenter, but {type(segmenter).__name__} gives none."
        )
    texts = list(X)
    targets = check_targets(y, texts, type(segmenter).__name__)
    offsets, ends, _, kinds, scores = segmenter._candidates(texts)
    document = np.repeat(np.arange(len(texts)), np.diff(offsets))
    raw = _raw_ends(segmenter, texts, offsets, ends)
    stride = 1 + max(map(len, texts), default=0)
    gold = [index * stride + spans[:-1, 1] for index, spans in enumerate(targets) if len(spans) > 1]
    keys = np.concatenate(gold) if gold else np.empty(0, dtype=np.int64)
    added = segmenter.kind_thresholds or {}
    shifts = np.array([float(added.get(kind, 0.0)) for kind in KINDS])[kinds]
    reached = scores.astype(np.float32) >= (shifts + logit(segmenter.threshold)).astype(np.float32)
    return Candidates(
        document,
        raw,
        kinds.astype(np.int64),
        scores.astype(np.float64),
        np.isin(document * stride + raw, keys),
        shifts,
        reached | (kinds == CERTAIN),
        float(segmenter.threshold),
        len(keys),
    )


def label_positions(y: Any, positions: Any, y_proba: Any) -> Candidates:
    """Label candidates that were scored elsewhere, by a segmenter or by anything else.

    Parameters
    ----------
    y : sequence of sequences of (int, int)
        Sentence spans of each document.
    positions : sequence of array-like of shape (n_candidates,) or (n_candidates, 2)
        Where a sentence may end in each document, in ascending order: ends, or what
        `SentenceSegmenter.candidate_positions` gives.
    y_proba : sequence of array-like of shape (n_candidates,) or (n_candidates, 2)
        Their probabilities of a boundary, or what `SentenceSegmenter.predict_proba` gives.

    Returns
    -------
    Candidates
        All of one kind and under one threshold, 0.5.

    Raises
    ------
    ValueError
        If the lengths differ, or a probability is none.

    Examples
    --------
    >>> found = label_positions([[(0, 4), (5, 9)]], [[2, 4]], [[0.1, 0.8]])
    >>> found.labels.tolist(), found.decisions.tolist()
    ([False, True], [False, True])
    """
    if not len(y) == len(positions) == len(y_proba):
        raise ValueError(f"There are {len(y)} documents, but {len(positions)} positions and {len(y_proba)} y_proba.")
    parts, labels, probabilities, n_boundaries = [], [], [], 0
    for index, (spans, places, proba) in enumerate(zip(y, positions, y_proba, strict=True)):
        ends = _column(np.asarray(places, dtype=np.int64), 0)
        scores = _column(np.asarray(proba, dtype=np.float64), -1)
        if len(ends) != len(scores):
            raise ValueError(f"Document {index} has {len(ends)} positions, but {len(scores)} probabilities.")
        if not ((scores >= 0) & (scores <= 1)).all():
            raise ValueError(f"Document {index} has a probability that is not between 0 and 1.")
        gold = [int(end) for _, end in spans][:-1]
        parts.append(ends)
        labels.append(np.isin(ends, gold))
        probabilities.append(scores)
        n_boundaries += len(gold)
    joined = np.clip(np.concatenate([np.empty(0), *probabilities]), 1e-12, 1 - 1e-12)
    return Candidates(
        np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
        np.concatenate([np.empty(0, dtype=np.int64), *parts]),
        np.full(len(joined), KINDS.index("gap")),
        np.log(joined / (1 - joined)),
        np.concatenate([np.empty(0, dtype=bool), *labels]),
        np.zeros(len(joined)),
        joined >= 0.5,
        0.5,
        n_boundaries,
    )


def _column(array: NDArray[Any], index: int) -> NDArray[Any]:
    return array[:, index] if array.ndim == 2 else array


def gives_probabilities(segmenter: Any) -> bool:
    """Tell whether a segmenter scores its candidates.

    Parameters
    ----------
    segmenter : BaseSegmenter
        Any segmenter.

    Returns
    -------
    bool
        True for a `SentenceSegmenter`.
    """
    return hasattr(segmenter, "predict_proba")


def explain_places(segmenter: Any, text: str, ends: Sequence[int], top: int = 3) -> dict[int, Explanation]:
    """Explain some candidates of a text.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        Fitted.
    text : str
        The raw text.
    ends : sequence of int
        Where the tokens before them end in the raw text.
    top : int, default=3
        How many reasons in each direction.

    Returns
    -------
    dict of int to Explanation
        End in the raw text -> explanation; places where there is no candidate are left out.
    """
    from textprep_ml.segmentation.explanation import explain_candidates

    offsets, scanned, _, _, scores = segmenter._candidates([text])
    places = dict(zip(scanned.tolist(), _raw_ends(segmenter, [text], offsets, scanned).tolist(), strict=True))
    normalizer = segmenter._normalizer_in_use()
    seen = text if normalizer is None else normalizer.align(text)[0]
    wanted = set(ends)
    chosen = [end for end, raw in places.items() if raw in wanted]
    explained = explain_candidates(segmenter._model_in_use(), seen, scores, top, chosen)
    return {places[each.end]: each for each in explained}


def _raw_ends(segmenter: Any, texts: Sequence[str], offsets: Any, ends: Any) -> NDArray[np.int64]:
    """Carry the ends of tokens from the normalized texts to the raw ones."""
    raw = ends.astype(np.int64)
    normalizer = segmenter._normalizer_in_use()
    if normalizer is not None:
        for index, text in enumerate(texts):
            part = slice(offsets[index], offsets[index + 1])
            last = raw[part]
            raw[part] = normalizer.align(text)[1].to_raw(np.column_stack([last - 1, last]))[:, 1]
    return raw
