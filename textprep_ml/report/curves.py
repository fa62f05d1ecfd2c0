"""Curves over the candidates of labelled documents: precision and recall over the threshold, and calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textprep_ml.report.candidates import CERTAIN, Candidates
from textprep_ml.segmentation.attributes import KINDS

#: The thresholds of a curve: evenly spaced log odds, 0.5 in the middle.
LOG_ODDS = np.linspace(-7, 7, 141)

#: Standard normal quantile of a 95 % interval.
_Z = 1.96


def sigmoid(log_odds: Any) -> NDArray[np.float64]:
    """Turn log odds into probabilities.

    Parameters
    ----------
    log_odds : array-like
        Any numbers.

    Returns
    -------
    ndarray
        Between 0 and 1.

    Examples
    --------
    >>> sigmoid([-100.0, 0.0, 100.0]).round(3).tolist()
    [0.0, 0.5, 1.0]
    """
    return 1 / (1 + np.exp(-np.clip(np.asarray(log_odds, dtype=np.float64), -500, 500)))


def threshold_curve(candidates: Candidates) -> dict[str, Any]:
    """Give precision, recall and F1 of the boundaries over the threshold.

    The thresholds of single kinds keep their distance to the common one. Recall counts boundaries that are no
    candidates as missed, so that it may stay below 1.

    Parameters
    ----------
    candidates : Candidates
        Scored and labelled.

    Returns
    -------
    dict
        "threshold", "precision", "recall", "f1" and "n_pred", lists of equal length; "best", the row with the highest
        F1, of several the one nearest to 0.5; "coverage", the highest recall that can be reached; "average_precision".

    Examples
    --------
    >>> from textprep_ml import SentenceSegmenter
    >>> from textprep_ml.report.candidates import score_candidates
    >>> text = "We met Dr. Ito. She left."
    >>> found = score_candidates(SentenceSegmenter.load("en"), [text], [[(0, 15), (16, 25)]])
    >>> curve = threshold_curve(found)
    >>> curve["best"]["f1"], curve["best"]["threshold"], curve["coverage"]
    (1.0, 0.5, 1.0)
    """
    scores = candidates.scores - candidates.shifts
    scores[candidates.kinds == CERTAIN] = np.finfo(np.float64).max
    n_pred = _count_from(scores, LOG_ODDS)
    n_correct = _count_from(scores[candidates.labels], LOG_ODDS)
    nothing = candidates.n_boundaries + n_pred == 0
    precision = np.where(nothing, 1.0, n_correct / np.maximum(n_pred, 1))
    recall = np.where(nothing, 1.0, n_correct / max(candidates.n_boundaries, 1))
    f1 = np.where(nothing, 1.0, 2 * n_correct / np.maximum(candidates.n_boundaries + n_pred, 1))
    columns = {"threshold": sigmoid(LOG_ODDS), "precision": precision, "recall": recall, "f1": f1, "n_pred": n_pred}
    best = min(np.flatnonzero(f1 == f1.max()).tolist(), key=lambda index: abs(LOG_ODDS[index]))
    return {
        **{name: values.tolist() for name, values in columns.items()},
        "best": {name: values[best].item() for name, values in columns.items()},
        "coverage": float(candidates.labels.sum() / max(candidates.n_boundaries, 1)),
        "average_precision": _average_precision(scores, candidates.labels, candidates.n_boundaries),
    }


def _count_from(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the scores that reach each threshold."""
    return len(scores) - np.searchsorted(np.sort(scores), thresholds, side="left")


def _average_precision(scores: NDArray[np.float64], labels: NDArray[np.bool_], n_boundaries: int) -> float:
    """The area under precision over recall as a step function; boundaries that are no candidates are never reached."""
    if not n_boundaries:
        return 1.0
    order = np.argsort(-scores, kind="stable")
    correct = np.cumsum(labels[order])
    last_of_ties = np.append(np.diff(scores[order]) != 0, True) if len(order) else np.empty(0, dtype=bool)
    reached = correct[last_of_ties]
    precision = reached / (np.flatnonzero(last_of_ties) + 1)
    return float(np.sum(precision * np.diff(reached, prepend=0)) / n_boundaries)


def calibration_curves(candidates: Candidates, n_bins: int = 10) -> list[dict[str, Any]]:
    """Compare probabilities with what came true, for each kind of candidate that a model is asked about.

    Parameters
    ----------
    candidates : Candidates
        Scored and labelled.
    n_bins : int, default=10
        Bins of equal width.

    Returns
    -------
    list of dict
        One for each kind that occurs: "kind", "n", "n_boundaries", "brier" (mean squared error of the probability),
        "calibration_error" (mean distance of probability and frequency, weighted by the candidates in the bins) and
        "bins", the ones with candidates: "n", "predicted" (mean probability), "observed" (share of boundaries), "low"
        and "high" (its 95 % Wilson interval).

    Examples
    --------
    >>> from textprep_ml import SentenceSegmenter
    >>> from textprep_ml.report.candidates import score_candidates
    >>> text = "We met Dr. Ito. She left."
    >>> found = score_candidates(SentenceSegmenter.load("en"), [text], [[(0, 15), (16, 25)]])
    >>> [(row["kind"], row["n"], row["n_boundaries"]) for row in calibration_curves(found)]
    [('mark', 2, 1), ('gap', 1, 0)]
    """
    probabilities = sigmoid(candidates.scores)
    rows = []
    for code, kind in enumerate(KINDS):
        chosen = candidates.kinds == code
        if code != CERTAIN and chosen.any():
            rows.append({"kind": kind, **_calibration(probabilities[chosen], candidates.labels[chosen], n_bins)})
    return rows


def _calibration(probabilities: NDArray[np.float64], labels: NDArray[np.bool_], n_bins: int) -> dict[str, Any]:
    bins = np.minimum((probabilities * n_bins).astype(int), n_bins - 1)
    rows = []
    for number in np.unique(bins):
        inside = bins == number
        n, observed = int(inside.sum()), float(labels[inside].mean())
        low, high = wilson_interval(observed, n)
        predicted = float(probabilities[inside].mean())
        rows.append({"n": n, "predicted": predicted, "observed": observed, "low": low, "high": high})
    return {
        "n": len(labels),
        "n_boundaries": int(labels.sum()),
        "brier": float(np.mean((probabilities - labels) ** 2)),
        "calibration_error": sum(row["n"] * abs(row["predicted"] - row["observed"]) for row in rows) / len(labels),
        "bins": rows,
    }


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Give the 95 % score interval of a share [1]_.

    Parameters
    ----------
    share : float
        What was observed, between 0 and 1.
    n : int
        Of how many; at least 1.

    Returns
    -------
    (float, float)
        Lower and upper end.

    References
    ----------
    .. [1] E. B. Wilson (1927). Probable Inference, the Law of Succession, and Statistical Inference. Journal of the
       American Statistical Association 22(158), 209-212.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(0.5, 10)]
    [0.237, 0.763]
    """
    spread = _Z**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # By rounding, an end could lie on the other side of the share.
    return min(max(0.0, float(middle - half)), share), max(min(1.0, float(middle + half)), share)
