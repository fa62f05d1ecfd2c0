"""From a fitted scikit-learn classifier to the numbers that the runtime needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from textprep_ml.segmentation.features import CrossedEncoder, RankedEncoder
from textprep_ml.segmentation.runtime import LinearScorer, TreeScorer


def compile_scorer(
    estimator: Any,
    encoder: CrossedEncoder | RankedEncoder,
    base: LinearScorer | None,
    min_weight: float,
    shrinkage: float = 0.0,
) -> LinearScorer | TreeScorer | None:
    """Compile a fitted classifier.

    Parameters
    ----------
    estimator : classifier
        Fitted on the encoder's columns, on top of the score of `base` where there is one.
    encoder : CrossedEncoder or RankedEncoder
        Fitted.
    base : LinearScorer or None
        The model that was adapted.
    min_weight : float
        Smaller weights are dropped.
    shrinkage : float
        How many candidates the node above counts for in each node of a tree.

    Returns
    -------
    LinearScorer, TreeScorer or None
        None where the classifier is neither a linear model nor a single decision tree.
    """
    if isinstance(encoder, CrossedEncoder) and np.shape(getattr(estimator, "coef_", ()))[:1] == (1,):
        return _compile_linear(estimator, encoder, base, min_weight)
    if isinstance(encoder, RankedEncoder) and isinstance(estimator, DecisionTreeClassifier):
        return _compile_tree(estimator, encoder, shrinkage)
    return None


def _compile_linear(
    estimator: Any, encoder: CrossedEncoder, base: LinearScorer | None, min_weight: float
) -> LinearScorer:
    coefficients = np.asarray(estimator.coef_, dtype=float)[0]
    intercept = float(np.ravel(estimator.intercept_)[0])
    weights = encoder.weights(coefficients, intercept)
    if base is not None:
        weights += base.weights
    weights[np.abs(weights) < min_weight] = 0
    return LinearScorer(encoder.layout, weights)


def _compile_tree(estimator: DecisionTreeClassifier, encoder: RankedEncoder, shrinkage: float) -> TreeScorer:
    tree = estimator.tree_
    share = shrink_shares(tree, shrinkage)
    # Half a candidate of each class is added, so that a pure leaf is not certain.
    share = (share * tree.weighted_n_node_samples + 0.5) / (tree.weighted_n_node_samples + 1.0)
    return TreeScorer(
        columns=np.maximum(tree.feature, 0).astype(np.int32),
        thresholds=np.floor(np.clip(tree.threshold, -1, 1 << 20)).astype(np.int32),
        left=tree.children_left.astype(np.int32),
        right=tree.children_right.astype(np.int32),
        scores=np.log(share / (1 - share)).astype(np.float32),
        rank_offsets=encoder.rank_offsets,
        ranks=encoder.ranks,
    )


def shrink_shares(tree: Any, shrinkage: float) -> np.ndarray:
    """Draw the share of boundaries in each node to that of the node above it, the more the fewer candidates are there.

    Where a node was split on n candidates, the difference of its children to it counts n / (n + shrinkage) (Agarwal,
    Tan, Ronen, Singh and Yu 2022, Hierarchical shrinkage).

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
        Of a classifier of two classes.
    shrinkage : float
        In candidates; 0 leaves the shares as they are.

    Returns
    -------
    ndarray of shape (n_nodes,)
        The shares.
    """
    share = tree.value[:, 0, 1]
    shrunk = share.copy()
    trust = tree.weighted_n_node_samples / (tree.weighted_n_node_samples + shrinkage)
    for node in np.flatnonzero(tree.children_left >= 0):  # a node comes before those under it
        children = [tree.children_left[node], tree.children_right[node]]
        shrunk[children] = shrunk[node] + (share[children] - share[node]) * trust[node]
    return shrunk
