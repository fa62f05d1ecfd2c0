"""Why a candidate is a boundary, or none: its probability and what pushed it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textprep_ml.segmentation.attributes import KINDS, NAMES, value_name
from textprep_ml.segmentation.runtime import BoundaryModel, LinearScorer, TreeScorer
from textprep_ml.segmentation.templates import column_name

_CONTEXT = 24

#: Candidates whose weights are held in memory at a time.
_BLOCK = 4096


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


def explain_candidates(
    model: BoundaryModel, text: str, scores: np.ndarray, top: int, ends: Collection[int] | None = None
) -> list[Explanation]:
    """Explain the candidates of a text.

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
    ends : collection of int, optional
        Explain only the candidates whose token ends at one of these places.

    Returns
    -------
    list of Explanation
        One per candidate.
    """
    _, places, starts, kinds, rows = model.describe([text])
    wanted = np.arange(len(places)) if ends is None else np.flatnonzero(np.isin(places, list(ends)))
    explained = []
    for first in range(0, len(wanted), _BLOCK):
        block = wanted[first : first + _BLOCK]
        columns = (places[block].tolist(), starts[block].tolist(), kinds[block].tolist(), scores[block].tolist())
        for end, start, kind, score, reasons in zip(*columns, _reasons(model, rows[block], top), strict=True):
            is_paragraph = KINDS[kind] == "paragraph"
            explained.append(
                Explanation(
                    end,
                    start,
                    KINDS[kind],
                    text[max(0, end - _CONTEXT) : end],
                    text[start : start + _CONTEXT],
                    round(float(1 / (1 + np.exp(-score))), 4),
                    is_paragraph or score >= model.thresholds[KINDS[kind]],
                    [("blank line", 100.0)] if is_paragraph else reasons,
                )
            )
    return explained


def _strongest(weights: Sequence[float], top: int) -> list[int]:
    """Find the `top` greatest and the `top` least of the weights that are not 0, the strongest first."""
    ordered = sorted((index for index, weight in enumerate(weights) if weight), key=lambda index: -abs(weights[index]))
    positive = [index for index in ordered if weights[index] > 0][:top]
    negative = [index for index in ordered if weights[index] < 0][:top]
    return sorted(positive + negative, key=lambda index: -abs(weights[index]))


def _reasons(model: BoundaryModel, rows: np.ndarray, top: int) -> list[list[tuple[str, float]]]:
    """Name what speaks for and against a boundary in each row; nothing where the classifier is not compiled."""
    if isinstance(model.scorer, LinearScorer):
        return _linear_reasons(model.scorer, rows, top, model.words.vocabulary)
    if isinstance(model.scorer, TreeScorer):
        return [_path(model.scorer, row, top, model.words.vocabulary) for row in rows]
    return [[] for _ in rows]


def _linear_reasons(
    scorer: LinearScorer, rows: np.ndarray, top: int, vocabulary: list[str]
) -> list[list[tuple[str, float]]]:
    """The weights of each row; only those that are given get a name."""
    crossed = scorer.layout.crossed
    reasons = []
    for codes, exact in zip(rows.tolist(), scorer.weights[scorer.layout.index(rows)].tolist(), strict=True):
        weights = [round(weight, 3) for weight in exact]
        reasons.append(
            [
                (column_name(crossed[index], [codes[column] for column in crossed[index]], vocabulary), weights[index])
                for index in _strongest(weights, top)
            ]
        )
    return reasons


def _path(tree: TreeScorer, row: np.ndarray, top: int, vocabulary: list[str]) -> list[tuple[str, float]]:
    """The questions from the root to the leaf, with what each changed."""
    node, columns, changes = 0, [], []
    while tree.left[node] >= 0:
        column = int(tree.columns[node])
        rank = tree.ranks[tree.rank_offsets[column] + row[column]]
        child = int(tree.left[node] if rank <= tree.thresholds[node] else tree.right[node])
        columns.append(column)
        changes.append(round(float(tree.scores[child] - tree.scores[node]), 3))
        node = child
    return [
        (f"{NAMES[columns[index]]}={value_name(columns[index], int(row[columns[index]]), vocabulary)}", changes[index])
        for index in _strongest(changes, top)
    ]
