"""The candidates of raw texts with what a segmenter thinks of them, in places of the raw text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from textprep_ml.segmentation.attributes import KINDS

#: A blank line always is a boundary: nobody is asked about it.
CERTAIN = KINDS.index("paragraph")


@dataclass(frozen=True)
class ScoredText:
    """The candidates of one text, in order.

    Attributes
    ----------
    ends, starts : ndarray of shape (n_candidates,)
        Where the token before ends and the token after starts, in characters of the raw text.
    kinds : ndarray of shape (n_candidates,)
        Indices into `textprep_ml.segmentation.attributes.KINDS`.
    margins : ndarray of shape (n_candidates,)
        Log odds of a boundary, less the threshold of the kind: 0 is where the segmenter changes its mind.
    probabilities : ndarray of shape (n_candidates,)
        Of a boundary.
    decisions : ndarray of shape (n_candidates,)
        Whether the segmenter puts a boundary there, all its policies considered.
    """

    ends: np.ndarray
    starts: np.ndarray
    kinds: np.ndarray
    margins: np.ndarray
    probabilities: np.ndarray
    decisions: np.ndarray


def check_segmenter(segmenter: Any, owner: str) -> None:
    """Refuse what cannot tell how sure it is.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        Fitted.
    owner : str
        The name that the error message opens with.

    Raises
    ------
    TypeError
        If it has no probabilities, such as the rules.
    NotFittedError
        If it has not been fitted.
    """
    if not hasattr(segmenter, "candidate_positions"):
        raise TypeError(
            f"{owner} needs a segmenter that tells how sure it is, such as SentenceSegmenter, got "
            f"{type(segmenter).__name__}."
        )
    check_is_fitted(segmenter, "model_")


def score_text(segmenter: Any, text: str) -> ScoredText:
    """Score the candidates of a text.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        Fitted.
    text : str
        Raw; an exact `str`.

    Returns
    -------
    ScoredText
        Blank lines are among the candidates.
    """
    predictor = segmenter._predictor()
    _, ends, starts, kinds, scores = predictor.candidates([text])
    if predictor.normalizer is not None:
        offsets = predictor.normalizer.align(text)[1]
        ends = offsets.to_raw(np.column_stack([ends - 1, ends]))[:, 1]
        starts = offsets.to_raw(np.column_stack([starts, starts + 1]))[:, 0]
    thresholds = np.array([predictor.model.thresholds[kind] for kind in KINDS])
    scores = scores.astype(float)
    decided = np.isin(ends, predictor.spans([text])[0][:-1, 1])
    return ScoredText(ends, starts, kinds, scores - thresholds[kinds], expit(scores), decided)
