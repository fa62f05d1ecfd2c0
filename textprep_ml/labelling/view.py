"""What a model makes of the documents that are being labelled, and which places are worth a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textprep_ml.labelling.scoring import CERTAIN, ScoredText, score_text
from textprep_ml.labelling.suggestions import suggest_scored

Row = dict[str, Any]

#: How many places are chosen at a time.
QUEUE = 200

#: Characters before and after a place that are looked at for the reasons of a decision.
_AROUND = 2000


@dataclass(frozen=True)
class View:
    """What a model makes of the documents; replaced as a whole after retraining.

    Attributes
    ----------
    segmenter : SentenceSegmenter
        The model.
    scored : list of ScoredText
        The candidates of each document.
    queue : list of dict
        Places worth a label, the best first.
    """

    segmenter: Any
    scored: list[ScoredText]
    queue: list[Row]

    def places(self, number: int) -> np.ndarray:
        """Give the places of a document that may get a label.

        Parameters
        ----------
        number : int
            Of the document.

        Returns
        -------
        ndarray of shape (n_places,)
            All candidates but blank lines.
        """
        scored = self.scored[number]
        return scored.ends[scored.kinds != CERTAIN]

    def boundaries(self, number: int) -> np.ndarray:
        """Give the places of a document where the model puts a boundary.

        Parameters
        ----------
        number : int
            Of the document.

        Returns
        -------
        ndarray of shape (n_boundaries,)
            Blank lines among them.
        """
        scored = self.scored[number]
        return scored.ends[scored.decisions]

    def explain(self, text: str, end: int) -> list[list[Any]]:
        """Tell what the model sees at a place; a long text is cut around it, so that the answer comes at once.

        Parameters
        ----------
        text : str
            The document.
        end : int
            The place.

        Returns
        -------
        list of [str, float]
            Names of features and log odds, the strongest first.
        """
        first = max(0, end - _AROUND)
        around = text[first : end + _AROUND]
        for reason in self.segmenter.explain(around, top=2):
            if reason.end == end - first:
                return [list(each) for each in reason.reasons]
        return []


def score_documents(
    segmenter: Any, documents: Sequence[Row], progress: Callable[[float], None] = lambda share: None
) -> list[ScoredText]:
    """Score the candidates of every document.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        The model.
    documents : sequence of dict
        With "text".
    progress : callable
        Told the share of documents that have been read, before each.

    Returns
    -------
    list of ScoredText
        One for each document.
    """
    scored = []
    for number, row in enumerate(documents):
        progress(number / len(documents))
        scored.append(score_text(segmenter, row["text"]))
    return scored


def choose_places(
    documents: Sequence[Row], scored: Sequence[ScoredText], labels: Sequence[Mapping[int, bool]]
) -> list[Row]:
    """Choose what to ask next.

    Parameters
    ----------
    documents : sequence of dict
        With "id" and "text".
    scored : sequence of ScoredText
        Their candidates.
    labels : sequence of mapping
        The labels of each document: place -> whether it is a boundary.

    Returns
    -------
    list of dict
        See `suggest_scored`.
    """
    return suggest_scored(documents, scored, QUEUE, dict(enumerate(map(set, labels))))
