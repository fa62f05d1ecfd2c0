"""Learning from a model as well as from labels.

A label says that a sentence ends; a model that was trained on more also says how sure that is. A small classifier that
learns from both comes closer to the large one than by labels alone (Hinton, Vinyals and Dean 2015, Distilling the
knowledge in a neural network).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from textprep_ml._parallel import map_chunks
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.runtime import BoundaryModel, join_candidates

#: Closer to 0 or 1 than this, a target is as good as a label.
_CERTAIN = 0.01


def teach(
    teacher: BoundaryModel,
    chunks: Sequence[Sequence[str]],
    labels: np.ndarray,
    known: np.ndarray,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Mix labels with the probabilities of a model.

    A label that the teacher agrees with adds nothing to how sure it is; where they differ, each counts half.

    Parameters
    ----------
    teacher : BoundaryModel
        With the candidates of the model to be.
    chunks : sequence of sequence of str
        The texts.
    labels : ndarray of shape (n_candidates,)
        Whether each candidate is a boundary.
    known : ndarray of shape (n_candidates,)
        Whether each candidate has a label.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Targets from 0 to 1; 0.5 is where the teacher's threshold lies.
    """
    _, _, _, kinds, scores = join_candidates(map_chunks(teacher.score, chunks, n_jobs))
    thresholds = np.array([teacher.thresholds[kind] for kind in KINDS])
    probabilities = expit(scores - thresholds[kinds])
    differ = known & (labels != (probabilities >= 0.5))
    return np.where(differ, (labels + probabilities) / 2, probabilities)


def split_targets(targets: np.ndarray, weights: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """Turn targets into labels and weights, which any classifier takes: a doubtful candidate is one of each class.

    Parameters
    ----------
    targets : ndarray of shape (n_candidates,)
        From 0 to 1, or bool.
    weights : ndarray of shape (n_candidates,)
        Of each.

    Returns
    -------
    which : ndarray of shape (n_examples,) or slice
        The candidate that each example is.
    labels : ndarray of shape (n_examples,)
        Bool.
    weights : ndarray of shape (n_examples,)
        Of each example.

    Examples
    --------
    >>> which, labels, weights = split_targets(np.array([1.0, 0.25]), np.ones(2))
    >>> which.tolist(), labels.tolist(), weights.tolist()
    ([0, 1, 1], [True, False, True], [1.0, 0.75, 0.25])
    """
    if targets.dtype == bool:
        return slice(None), targets, weights
    labels = targets >= 0.5
    certainty = np.where(labels, targets, 1 - targets)
    doubtful = np.flatnonzero(certainty < 1 - _CERTAIN)
    certainty[certainty >= 1 - _CERTAIN] = 1.0
    return (
        np.concatenate([np.arange(len(targets)), doubtful]),
        np.concatenate([labels, ~labels[doubtful]]),
        np.concatenate([weights * certainty, (weights * (1 - certainty))[doubtful]]),
    )
