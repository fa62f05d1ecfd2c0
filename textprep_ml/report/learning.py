"""How much more labelled text would help: scores over the number of documents learned from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from textprep_ml.metrics import bootstrap_intervals, boundary_scores


def learning_curve(
    estimator: Any,
    train: tuple[Sequence[str], Sequence[Any]],
    dev: tuple[Sequence[str], Sequence[Any]],
    *,
    n_sizes: int = 6,
    random_state: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Fit on ever more documents, and measure each fit.

    Parameters
    ----------
    estimator : SentenceSegmenter
        Cloned for each fit.
    train, dev : (sequence of str, sequence of sequences of (int, int))
        Documents and their sentences: what is learned from, in an order of its own, and what is measured with.
    n_sizes : int, default=6
        Number of fits at most. Each takes twice as many documents as the one before; the last takes all.
    random_state : int, default=0
        Seed of the order.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    list of dict
        One for each fit: "documents", "sentences", "f1", "low" and "high" (95 % bootstrap interval over the documents
        of `dev`; the F1 itself where there is one document only). Fits on too little to learn from have "error", a
        text, instead of the scores.

    Raises
    ------
    ValueError
        If not even all documents are enough.

    Examples
    --------
    >>> from textprep_ml import SentenceSegmenter
    >>> texts = ["We met Dr. Ito. She left.", "It cost 3.50 in all. Was it fair?"] * 10
    >>> spans = [[(0, 15), (16, 25)], [(0, 20), (21, 33)]] * 10
    >>> points = learning_curve(SentenceSegmenter(), (texts, spans), (texts, spans), n_sizes=2)
    >>> [(point["documents"], point["sentences"], point["f1"]) for point in points]
    [(10, 20, 1.0), (20, 40, 1.0)]
    """
    texts, spans = train
    order = np.random.default_rng(random_state).permutation(len(texts)).tolist()
    sizes = sorted({max(1, len(texts) >> halvings) for halvings in range(n_sizes)})
    points = []
    for number, size in enumerate(sizes):
        if progress is not None:
            progress("fitting for the learning curve", number, len(sizes))
        part = order[:size]
        point = {"documents": size, "sentences": sum(len(spans[index]) for index in part)}
        try:
            fitted = clone(estimator).fit([texts[index] for index in part], [spans[index] for index in part])
        except ValueError as error:
            if size == sizes[-1]:
                raise
            points.append({**point, "error": str(error)})
            continue
        points.append({**point, **_score(fitted, *dev)})
    return points


def _score(segmenter: Any, texts: Sequence[str], spans: Sequence[Any]) -> dict[str, float]:
    found = segmenter.predict(texts)
    f1 = float(boundary_scores(spans, found)["f1"])
    low, high = bootstrap_intervals(spans, found)["f1"] if len(texts) > 1 else (f1, f1)
    return {"f1": f1, "low": low, "high": high}
