"""Why a candidate is a boundary, or none: its probability and what pushed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from textprep_ml.segmentation.attributes import KINDS, NAMES, value_name
from textprep_ml.segmentation.runtime import BoundaryModel, LinearScorer, TreeScorer
from textprep_ml.segmentation.templates import column_name

_CONTEXT = 24


@dataclass(frozen=True)
class Explanation:
    """One candidate, explained.

    Attributes
    ----------
    end, start : int
        Where the token before ends and the token after starts, in characters.
    kind : str
        Kind of candidate.
    left, right : str
        The text around it.
    probability : float
        Of a boundary.
    is_boundary : bool
        What was decided.
    reasons : list of (str, float)
        What spoke for (positive) and against a boundary, strongest first: weights of a linear model; for a tree the
        questions on the way to the leaf, with the change of the log odds that each brought.
    """

    end: int
    start: int
    kind: str
    left: str
    right: str
    probability: float
    is_boundary: bool
    reasons: list[tuple[str, float]]

    def __str__(self) -> str:
        """Give one row to read."""
        mark = "|" if self.is_boundary else " "
        reasons = "; ".join(f"{weight:+.1f} {name}" for name, weight in self.reasons)
        left, right = (" ".join(part.split("\n")) for part in (self.left, self.right))
        around = f"{left:>{_CONTEXT}} {mark} {right:<{_CONTEXT}}"
        return f"{self.end:>7} {self.kind:<9} {self.probability:6.3f} {around} {reasons}"

    def to_dict(self) -> dict[str, Any]:
        """Give plain values.

        Returns
        -------
        dict
            The attributes.
        """
        return {**vars(self), "reasons": [list(reason) for reason in self.reasons]}


def explain_candidates(model: BoundaryModel, text: str, scores: np.ndarray, top: int) -> list[Explanation]:
    """Explain every candidate of a text.

    Parameters
    ----------
    model : BoundaryModel
        The compiled model.
    text : str
        The text.
    scores : ndarray of shape (n_candidates,)
        Log odds.
    top : int
        How many reasons in each direction.

    Returns
    -------
    list of Explanation
        One per candidate.
    """
    _, ends, starts, kinds, rows = model.describe([text])
    explained = []
    for end, start, kind, row, score in zip(
        ends.tolist(), starts.tolist(), kinds.tolist(), rows, scores.tolist(), strict=True
    ):
        reasons = [("blank line", 100.0)] if KINDS[kind] == "paragraph" else _reasons(model, row)
        explained.append(
            Explanation(
                end,
                start,
                KINDS[kind],
                text[max(0, end - _CONTEXT) : end],
                text[start : start + _CONTEXT],
                round(float(1 / (1 + np.exp(-score))), 4),
                score >= model.thresholds[KINDS[kind]] or KINDS[kind] == "paragraph",
                _strongest(reasons, top),
            )
        )
    return explained


def _strongest(reasons: list[tuple[str, float]], top: int) -> list[tuple[str, float]]:
    ordered = sorted(((name, weight) for name, weight in reasons if weight), key=lambda reason: -abs(reason[1]))
    chosen = [reason for reason in ordered if reason[1] > 0][:top] + [reason for reason in ordered if reason[1] < 0][
        :top
    ]
    return sorted(chosen, key=lambda reason: -abs(reason[1]))


def _reasons(model: BoundaryModel, row: np.ndarray) -> list[tuple[str, float]]:
    vocabulary = model.words.vocabulary
    if isinstance(model.scorer, LinearScorer):
        layout = model.scorer.layout
        weights = model.scorer.weights[layout.index(row[None, :])[0]].tolist()
        return [
            (column_name(columns, [int(row[column]) for column in columns], vocabulary), round(weight, 3))
            for columns, weight in zip(layout.crossed, weights, strict=True)
        ]
    if isinstance(model.scorer, TreeScorer):
        return _path(model.scorer, row, vocabulary)
    return [(f"{name}={value_name(column, int(row[column]), vocabulary)}", 0.0) for column, name in enumerate(NAMES)]


def _path(tree: TreeScorer, row: np.ndarray, vocabulary: list[str]) -> list[tuple[str, float]]:
    """The questions from the root to the leaf, with what each changed."""
    node, reasons = 0, []
    while tree.left[node] >= 0:
        column = int(tree.columns[node])
        rank = tree.ranks[tree.rank_offsets[column] + row[column]]
        child = int(tree.left[node] if rank <= tree.thresholds[node] else tree.right[node])
        change = float(tree.scores[child] - tree.scores[node])
        reasons.append((f"{NAMES[column]}={value_name(column, int(row[column]), vocabulary)}", round(change, 3)))
        node = child
    return reasons
