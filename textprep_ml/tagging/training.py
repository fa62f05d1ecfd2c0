"""From tagged sentences to a model: averaged perceptron, or any linear classifier of scikit-learn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from textprep_ml._kernels import load
from textprep_ml.tagging.features import FeatureTable, Rows
from textprep_ml.tagging.model import TaggerModel, empty_weights

_kernel = load("tagging")


def find_unambiguous(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], min_count: int, purity: float
) -> dict[str, str]:
    """Find the forms that have, as good as always, one tag.

    Parameters
    ----------
    sentences : sequence of sequences of str
        Tokens.
    tags : sequence of sequences of str
        Their tags.
    min_count : int
        Occurrences that a form needs.
    purity : float
        Share of its most frequent tag that it needs.

    Returns
    -------
    dict
        Forms and their tags.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for words, names in zip(sentences, tags, strict=True):
        for form, tag in zip(words, names, strict=True):
            counts[form][tag] += 1
    dictionary = {}
    for form, counter in sorted(counts.items()):
        tag, count = max(sorted(counter.items()), key=lambda item: item[1])
        total = counter.total()
        if total >= min_count and count >= purity * total:
            dictionary[form] = tag
    return dictionary


def train_perceptron(
    table: FeatureTable, rows: Rows, gold: np.ndarray, n_epochs: int, n_runs: int, seed: int
) -> np.ndarray:
    """Train the averaged perceptron (Collins 2002), several times where asked for.

    The history of a token is what was predicted, as when tagging, so that the weights learn to live with their own
    errors. Weights of several runs, which see the sentences in other orders, are averaged (parameter mixing: McDonald,
    Hall and Mann 2010).

    Parameters
    ----------
    table : FeatureTable
        The features.
    rows : Rows
        The training sentences.
    gold : ndarray of shape (n_tokens,), int32
        Their tags by number.
    n_epochs : int
        Passes through the sentences, each in another order.
    n_runs : int
        Trainings from the start.
    seed : int
        Of the orders.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        The average of the weights over all steps and runs, float64.
    """
    random = np.random.RandomState(seed)
    average = empty_weights(table, np.float64)
    for _ in range(n_runs):
        weights, totals = empty_weights(table), empty_weights(table, np.int64)
        step = 1
        for _ in range(n_epochs):
            order = random.permutation(len(rows.starts) - 1).astype(np.int32)
            _, step = _kernel.train_epoch(*rows, table.pair_base, gold, order, weights, totals, step, len(table.tags))
        average += (weights - totals / step) / n_runs
    return average


def train_linear(table: FeatureTable, rows: Rows, gold: np.ndarray, estimator: Any) -> np.ndarray:
    """Train a linear classifier; the history of a token is the right one.

    Parameters
    ----------
    table : FeatureTable
        The features.
    rows : Rows
        The training sentences.
    gold : ndarray of shape (n_tokens,), int32
        Their tags by number.
    estimator : classifier
        Unfitted; it must have ``coef_`` and ``intercept_`` after `fit`.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Its weights, float64; its intercepts are in the rows of tag pairs, of which each token has one.

    Raises
    ------
    ValueError
        If the fitted classifier is not linear.
    """
    n_tags = len(table.tags)
    before = np.concatenate(([n_tags], gold[:-1]))
    before_that = np.concatenate(([n_tags, n_tags], gold[:-2]))[: len(gold)]
    firsts = rows.starts[:-1][np.diff(rows.starts) > 0]
    before[firsts] = before_that[firsts] = n_tags
    seconds = firsts[firsts + 1 < len(gold)] + 1
    before_that[seconds] = n_tags
    pairs = table.pair_base + before_that * (n_tags + 1) + before
    active = np.concatenate((rows.static, rows.crossed + before[:, None], pairs[:, None]), axis=1)
    weights = empty_weights(table, np.float64)
    if n_tags == 1:
        return weights
    indptr = np.arange(0, active.size + 1, active.shape[1])
    matrix = sparse.csr_matrix(
        ((active > n_tags).astype(np.float64).ravel(), active.ravel(), indptr), shape=(len(active), table.n_rows)
    )
    matrix.sum_duplicates()
    estimator.fit(matrix, gold)
    for name in ("coef_", "intercept_"):
        if not hasattr(estimator, name):
            raise ValueError(f"PosTagger takes linear classifiers, but {type(estimator).__name__} has no {name}.")
    coef = np.atleast_2d(estimator.coef_.toarray() if sparse.issparse(estimator.coef_) else estimator.coef_)
    intercept = np.broadcast_to(np.ravel(estimator.intercept_), len(coef))
    if len(coef) == 1:  # two tags: one score, whose sign decides
        coef, intercept = np.concatenate((-coef, coef)), np.concatenate((-intercept, intercept))
    weights[:, :n_tags] = coef.T
    weights[table.pair_base : table.pair_base + (n_tags + 1) ** 2, :n_tags] += intercept
    return weights


def compile_model(table: FeatureTable, weights: np.ndarray, largest: int, smallest: int) -> TaggerModel:
    """Round weights to whole numbers and keep the values that have any.

    Parameters
    ----------
    table : FeatureTable
        The features.
    weights : ndarray of shape (n_rows, n_columns)
        Trained weights.
    largest : int
        What the greatest weight becomes.
    smallest : int
        Weights that are smaller after that become 0.

    Returns
    -------
    TaggerModel
        The model.
    """
    scale = np.abs(weights).max()
    whole = np.rint(weights * (largest / scale if scale else 1.0)).astype(np.int32)
    whole[np.abs(whole) < smallest] = 0
    return TaggerModel.from_state(TaggerModel(table, whole).to_state())


def number_tags(tags: Sequence[Sequence[str]], names: Mapping[str, int]) -> np.ndarray:
    """Number the tags of sentences one after the other.

    Parameters
    ----------
    tags : sequence of sequences of str
        Tags.
    names : mapping
        Tags to numbers.

    Returns
    -------
    ndarray of shape (n_tokens,), int32
        The numbers.
    """
    return np.array([names[tag] for sentence in tags for tag in sentence], dtype=np.int32)
