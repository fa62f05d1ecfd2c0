"""Retraining a model on the labels, and how good it is by number of labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textprep_ml._files import open_atomically
from textprep_ml.segmentation import SentenceSegmenter

Row = dict[str, Any]

#: Called with what is being done, and the share of all that has been done before it.
Progress = Callable[[str, float], None]


def adapt(base: Any, rows: Sequence[Row]) -> Any:
    """Adapt a model to labels: one counts at once, however rare what is seen there.

    Parameters
    ----------
    base : SentenceSegmenter
        The model to start from, linear; it is not changed.
    rows : sequence of dict
        Documents with "text" and "sentences", and "labelled" where only parts are.

    Returns
    -------
    SentenceSegmenter
        Another one.
    """
    params = base.get_params(deep=False)
    params.update(estimator=None, warm_start_from=base, min_count=1, augment=None)
    segmenter = SentenceSegmenter(**params)
    return segmenter.fit(
        [row["text"] for row in rows],
        [row["sentences"] for row in rows],
        labelled=[row.get("labelled") for row in rows],
    )


class Curve:
    """Scores on labelled documents by number of labels, kept in a file.

    Parameters
    ----------
    path : Path
        The file; it is read if it is there.
    dev : sequence of dict
        Documents with "text" and "sentences"; without any there is no curve.
    base : SentenceSegmenter
        The model before any label.

    Attributes
    ----------
    points : list of dict
        "labels" and "f1": of the first model, and after each retraining.
    """

    def __init__(self, path: Path, dev: Sequence[Row], base: Any) -> None:
        self.path = path
        self.dev = list(dev)
        self.points: list[dict[str, float]] = []
        if self.dev and path.exists():
            self.points = json.loads(path.read_text(encoding="utf-8"))
        elif self.dev:
            self.points = [{"labels": 0, "f1": self.measure(base)}]

    def measure(self, segmenter: Any) -> float:
        """Measure a model.

        Parameters
        ----------
        segmenter : SentenceSegmenter
            The model.

        Returns
        -------
        float
            F1 of the boundaries; 0 without documents to measure on.
        """
        if not self.dev:
            return 0.0
        return float(segmenter.score([row["text"] for row in self.dev], [row["sentences"] for row in self.dev]))

    def add(self, n_labels: int, score: float) -> None:
        """Add a point and write the file; without documents to measure on, do nothing.

        Parameters
        ----------
        n_labels : int
            How many labels the model was trained on.
        score : float
            What `measure` gave.
        """
        if not self.dev:
            return
        self.points = [*self.points, {"labels": n_labels, "f1": score}]
        with open_atomically(self.path) as file:
            json.dump(self.points, file)
