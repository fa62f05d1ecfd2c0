"""Adapting a linear model to new documents without forgetting what it knows.

A weight that decided much in the old training must not move for the sake of a few new documents; one that was hardly
ever asked may. How much each one was asked is its Fisher information, the evidence that the old labels gave for it.
Kept in the model, it becomes the penalty on the difference between new and old weights (Kirkpatrick et al. 2017,
Overcoming catastrophic forgetting in neural networks). The old documents are not needed.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from textprep_ml.segmentation.templates import TemplateLayout

#: How much more than its evidence says a weight is held: the templates of one candidate overlap, and move together.
_TOGETHER = 5.0

#: Log odds from which on the old model is sure.
_SURE = 2.0

#: Evidence below this is not kept for weights that are zero.
_LITTLE_EVIDENCE = 8.0

_BLOCK = 1 << 15


def count_evidence(
    layout: TemplateLayout, weights: np.ndarray, rows: np.ndarray, sample_weight: np.ndarray, before: np.ndarray | None
) -> np.ndarray:
    """Sum up, for each weight of a fitted model, how much its training candidates say about it.

    Parameters
    ----------
    layout : TemplateLayout
        Where each weight lies.
    weights : ndarray of shape (layout.size,)
        The weights.
    rows : ndarray of shape (n_candidates, n_attributes)
        Codes of the training candidates.
    sample_weight : ndarray of shape (n_candidates,)
        Weight of each.
    before : ndarray of shape (layout.size,), optional
        Evidence of the model that was adapted, in the form that is returned.

    Returns
    -------
    ndarray of shape (layout.size,)
        Evidence as binary logarithm, rounded, plus one; 0 where there is little. int8.
    """
    total = np.zeros(layout.size) if before is None else unpack_evidence(before)
    for start in range(0, len(rows), _BLOCK):
        places = layout.index(rows[start : start + _BLOCK])
        probabilities = expit(weights[places].sum(axis=1, dtype=np.float64))
        certain = probabilities * (1 - probabilities) * sample_weight[start : start + _BLOCK]
        total += np.bincount(places.ravel(), np.repeat(certain, places.shape[1]), minlength=layout.size)
    total[(weights == 0) & (total < _LITTLE_EVIDENCE)] = 0
    return (np.rint(np.log2(np.maximum(total, 0.5))) + 1).astype(np.int8)


def unpack_evidence(evidence: np.ndarray) -> np.ndarray:
    """Give evidence as numbers.

    Parameters
    ----------
    evidence : ndarray of int8
        As `count_evidence` gives it.

    Returns
    -------
    ndarray of float
        Fisher information.

    Examples
    --------
    >>> unpack_evidence(np.array([0, 1, 5], dtype=np.int8)).tolist()
    [0.0, 1.0, 16.0]
    """
    return np.where(evidence > 0, 2.0 ** (evidence.astype(float) - 1), 0.0)


def fit_difference(
    columns: sparse.csr_matrix,
    labels: np.ndarray,
    sample_weight: np.ndarray,
    scores: np.ndarray,
    evidence: np.ndarray,
    C: float,
    max_iter: int,
) -> np.ndarray:
    """Fit what is to be added to the old weights: a logistic regression on top of the old scores.

    Candidates that the old model decides rightly and surely are left out: all that they could teach is how common each
    kind of boundary is among the new documents, and the old ones would pay for that.

    Parameters
    ----------
    columns : sparse matrix of shape (n_candidates, n_columns)
        What is seen at the new candidates.
    labels : ndarray of shape (n_candidates,)
        Whether each is a boundary.
    sample_weight : ndarray of shape (n_candidates,)
        Weight of each.
    scores : ndarray of shape (n_candidates,)
        Log odds by the old model.
    evidence : ndarray of shape (n_columns,)
        What is known of each weight; numbers, not packed.
    C : float
        Inverse strength of the penalty on weights without evidence.
    max_iter : int
        Most steps of the optimizer.

    Returns
    -------
    ndarray of shape (n_columns,)
        Differences.
    """
    signs = np.where(labels, 1.0, -1.0)
    open_ = signs * scores < _SURE
    signs, scores, columns, sample_weight = signs[open_], scores[open_], columns[open_], sample_weight[open_]
    penalty = 1 / C + _TOGETHER * evidence
    transposed = columns.T.tocsr()
    scores = scores.astype(float)

    def loss(difference: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (scores + columns @ difference)
        value = (sample_weight * np.logaddexp(0, -margins)).sum() + 0.5 * (penalty * difference**2).sum()
        return float(value), penalty * difference - transposed @ (signs * sample_weight * expit(-margins))

    return minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": max_iter}).x
