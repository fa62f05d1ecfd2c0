"""How sure a score is, and whether one system is really better than another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textprep_ml.metrics._packed import Ints, boundary_keys, check_same_length, contains, pack, stride_of
from textprep_ml.metrics.boundaries import boundary_counts, scores_of

#: Drawn indices that are held in memory at a time.
_BLOCK = 4_000_000


def bootstrap_intervals(
    y_true: Any,
    y_pred: Any,
    *,
    include_final: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> dict[str, tuple[float, float]]:
    """Give percentile bootstrap intervals [1]_ of the boundary scores.

    Whole documents are drawn, because the errors within one document depend on each other.

    Parameters
    ----------
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document; at least two documents.
    include_final : bool
        Whether the end of the last sentence of a document counts as a boundary.
    confidence : float
        Share of the resamples that lie inside.
    n_resamples : int
        How often the documents are drawn.
    random_state : int, numpy.random.Generator or None
        Seed; by default fixed, so that a report can be made again.

    Returns
    -------
    dict of str to (float, float)
        "precision", "recall" and "f1", each with the lower and the upper end.

    Raises
    ------
    ValueError
        If there are fewer than two documents, or a parameter is out of range.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani (1993). An Introduction to the Bootstrap. Chapman & Hall.

    Examples
    --------
    >>> true = [[(0, 3), (4, 7)], [(0, 3), (4, 7)]]
    >>> bootstrap_intervals(true, true)["f1"]
    (1.0, 1.0)
    """
    counts = boundary_counts(y_true, y_pred, include_final=include_final)
    return intervals_of_counts(counts, confidence=confidence, n_resamples=n_resamples, random_state=random_state)


def intervals_of_counts(
    counts: Ints,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> dict[str, tuple[float, float]]:
    """Give percentile bootstrap intervals of precision, recall and F1 from the counts of each document.

    Parameters
    ----------
    counts : ndarray of shape (n_documents, 3)
        What was right, what was to be found, and what was found, as `boundary_counts` and `token_counts` give it.
    confidence : float
        Share of the resamples that lie inside.
    n_resamples : int
        How often the documents are drawn.
    random_state : int, numpy.random.Generator or None
        Seed; by default fixed.

    Returns
    -------
    dict of str to (float, float)
        "precision", "recall" and "f1", each with the lower and the upper end.

    Examples
    --------
    >>> intervals_of_counts(np.array([[1, 1, 1], [1, 1, 1]]))["f1"]
    (1.0, 1.0)
    """
    _check_parameters(confidence, n_resamples)
    sums = _resample(counts, n_resamples, random_state)
    intervals = {}
    for name, values in _scores_of_each(sums).items():
        low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
        intervals[name] = (float(low), float(high))
    return intervals


def paired_bootstrap(
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    *,
    include_final: bool = False,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> dict[str, float]:
    """Compare the boundary F1 of two systems on the same documents by the paired bootstrap [1]_.

    Parameters
    ----------
    y_true : sequence of sequences of (int, int)
        Sentence spans of each document; at least two documents.
    pred_a, pred_b : sequence of sequences of (int, int)
        What the two systems found.
    include_final : bool
        Whether the end of the last sentence of a document counts as a boundary.
    confidence : float
        Share of the resamples that lie inside the interval.
    n_resamples : int
        How often the documents are drawn.
    random_state : int, numpy.random.Generator or None
        Seed; by default fixed.

    Returns
    -------
    dict
        "difference", the F1 of a minus that of b; "low" and "high", its percentile interval; "p_value", two-sided:
        how often the difference of a resample is at least as far from the observed one as that is from 0.

    Raises
    ------
    ValueError
        If there are fewer than two documents, or a parameter is out of range.

    References
    ----------
    .. [1] T. Berg-Kirkpatrick, D. Burkett, D. Klein (2012). An Empirical Investigation of Statistical Significance
    in NLP.
       Proceedings of EMNLP-CoNLL, 995-1005.

    Examples
    --------
    >>> true = [[(0, 3), (4, 7)]] * 8
    >>> result = paired_bootstrap(true, true, [[(0, 7)]] * 8)
    >>> result["difference"], result["p_value"] < 0.01
    (1.0, True)
    """
    counts = [boundary_counts(y_true, pred, include_final=include_final) for pred in (pred_a, pred_b)]
    return compare_counts(*counts, confidence=confidence, n_resamples=n_resamples, random_state=random_state)


def compare_counts(
    counts_a: Ints,
    counts_b: Ints,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> dict[str, float]:
    """Compare the F1 of two systems by the paired bootstrap from the counts of each document.

    Parameters
    ----------
    counts_a, counts_b : ndarray of shape (n_documents, 3)
        What was right, what was to be found, and what was found, by each of the two.
    confidence : float
        Share of the resamples that lie inside the interval.
    n_resamples : int
        How often the documents are drawn.
    random_state : int, numpy.random.Generator or None
        Seed; by default fixed.

    Returns
    -------
    dict
        As `paired_bootstrap` gives it.

    Examples
    --------
    >>> result = compare_counts(np.array([[1, 1, 1]] * 8), np.array([[0, 1, 0]] * 8))
    >>> result["difference"], result["p_value"] < 0.01
    (1.0, True)
    """
    counts = [counts_a, counts_b]
    _check_parameters(confidence, n_resamples)
    sums = _resample(np.concatenate(counts, axis=1), n_resamples, random_state)
    differences = _scores_of_each(sums[:, :3])["f1"] - _scores_of_each(sums[:, 3:])["f1"]
    f1_a, f1_b = (float(scores_of(count.sum(axis=0))["f1"]) for count in counts)
    observed = f1_a - f1_b
    as_far = np.count_nonzero(np.abs(differences - observed) >= abs(observed) - 1e-12)
    low, high = np.quantile(differences, [(1 - confidence) / 2, (1 + confidence) / 2])
    return {
        "difference": observed,
        "low": float(low),
        "high": float(high),
        "p_value": (1 + int(as_far)) / (1 + n_resamples),
    }


def mcnemar(y_true: Any, pred_a: Any, pred_b: Any, *, include_final: bool = False) -> dict[str, float | int]:
    """Compare two systems by McNemar's test [1]_, the exact one, over the places that they decide differently.

    Every place of the text is a decision; where both systems decide alike, it does not matter to the test, so that
    no list of candidates is needed. Decisions within a document are taken as independent of each other, which
    `paired_bootstrap` does not do.

    Parameters
    ----------
    y_true : sequence of sequences of (int, int)
        Sentence spans of each document.
    pred_a, pred_b : sequence of sequences of (int, int)
        What the two systems found.
    include_final : bool
        Whether the end of the last sentence of a document counts as a boundary.

    Returns
    -------
    dict
        "only_a", places where a alone is right; "only_b"; "p_value", two-sided, 1 where the systems agree everywhere.

    References
    ----------
    .. [1] Q. McNemar (1947). Note on the Sampling Error of the Difference between Correlated Proportions or
    Percentages.
       Psychometrika 12, 153-157.

    Examples
    --------
    Three places where a alone is right: by chance this, or the reverse, comes 2 times in 8.

    >>> true = [[(0, 3), (4, 7)]] * 3
    >>> mcnemar(true, true, [[(0, 7)]] * 3)
    {'only_a': 3, 'only_b': 0, 'p_value': 0.25}
    """
    packed = [pack(y, name) for y, name in ((y_true, "y_true"), (pred_a, "pred_a"), (pred_b, "pred_b"))]
    check_same_length(packed[0].n_documents, pred_a=packed[1], pred_b=packed[2])
    stride = stride_of(*packed)
    true, a, b = (boundary_keys(spans, stride, include_final) for spans in packed)
    a_alone, b_alone = a[~contains(b, a)], b[~contains(a, b)]
    right_a, right_b = contains(true, a_alone), contains(true, b_alone)
    only_a = int(np.count_nonzero(right_a) + np.count_nonzero(~right_b))
    only_b = int(np.count_nonzero(right_b) + np.count_nonzero(~right_a))
    return {"only_a": only_a, "only_b": only_b, "p_value": _binomial_p_value(only_a, only_b)}


def _binomial_p_value(only_a: int, only_b: int) -> float:
    if not only_a + only_b:
        return 1.0
    from scipy.stats import binomtest  # scipy.stats takes long to import

    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue)


def _check_parameters(confidence: float, n_resamples: int) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; expected a share between 0 and 1, such as 0.95.")
    if not isinstance(n_resamples, int | np.integer) or n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; expected a number from 1 on.")


def _resample(counts: Ints, n_resamples: int, random_state: int | np.random.Generator | None) -> Ints:
    """Draw as many documents as there are, with replacement, and sum their counts; one row per resample."""
    n_documents = len(counts)
    if n_documents < 2:
        raise ValueError(f"A bootstrap draws documents and needs at least two, but there are {n_documents}.")
    generator = np.random.default_rng(random_state)
    sums = np.empty((n_resamples, counts.shape[1]), dtype=np.int64)
    step = max(1, _BLOCK // n_documents)
    for first in range(0, n_resamples, step):
        block = sums[first : first + step]
        drawn = generator.integers(n_documents, size=(len(block), n_documents))
        for column in range(counts.shape[1]):
            block[:, column] = counts[:, column][drawn].sum(axis=1)
    return sums


def _scores_of_each(sums: Ints) -> dict[str, NDArray[np.float64]]:
    """Do for every row what `scores_of` does for one."""
    n_correct, n_true, n_pred = sums.T
    nothing = n_true + n_pred == 0
    scores = {}
    for name, part, whole in (
        ("precision", n_correct, n_pred),
        ("recall", n_correct, n_true),
        ("f1", 2 * n_correct, n_true + n_pred),
    ):
        scores[name] = np.where(nothing, 1.0, part / np.maximum(whole, 1))
    return scores
