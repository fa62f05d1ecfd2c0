"""From texts to candidates, their scores and sentences: all that use needs, apart from what learned it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from textprep_ml._parallel import cut_documents, map_chunks
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.policies import Policies
from textprep_ml.segmentation.runtime import BoundaryModel, join_boundaries, join_candidates
from textprep_ml.segmentation.training import strip_span

#: Log odds of what needs no decision.
_CERTAIN = 100.0


@dataclass(frozen=True)
class Predictor:
    """What a fitted segmenter does to a chunk of documents; small enough to be sent along with each.

    Attributes
    ----------
    model : BoundaryModel
        What was learned, under the thresholds in use.
    policies : Policies
        Decisions on which users differ.
    normalizer : transformer or None
        With ``align(text) -> (normalized, offset map)``.
    classifier, encoder : object
        Where the model could not be compiled, what scores its candidates instead; else None.
    """

    model: BoundaryModel
    policies: Policies
    normalizer: Any = None
    classifier: Any = None
    encoder: Any = None

    @cached_property
    def _model_decides(self) -> bool:
        """Whether the compiled model finds the sentences alone."""
        return self.policies.is_default and self.model.scorer is not None

    def spans(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Find the sentences of raw texts.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        list of ndarray
            One ``(n_sentences, 2)`` intp array per text.
        """
        if self.normalizer is None:
            return self._spans(texts)
        aligned = [self.normalizer.align(text) for text in texts]
        found = self._spans([text for text, _ in aligned])
        return [offsets.to_raw(spans) for (_, offsets), spans in zip(aligned, found, strict=True)]

    def sentences(self, texts: Sequence[str]) -> list[list[str]]:
        """Cut raw texts into sentences.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        list of list of str
            The sentences of each text, slices of it.
        """
        if self.normalizer is None and self._model_decides:
            return self.model.sentences(texts)
        return slice_texts(texts, self.spans(texts))

    def _spans(self, texts: Sequence[str]) -> list[np.ndarray]:
        model, policies = self.model, self.policies
        if self._model_decides:
            return model.spans(texts)
        offsets, ends, starts, kinds, scores = self._scores(texts)
        thresholds = np.array([model.thresholds[kind] for kind in KINDS], dtype=np.float32)
        chosen = scores >= thresholds[kinds]
        if policies.is_default:
            return join_boundaries(texts, offsets, ends, starts, chosen)
        found = []
        for index, text in enumerate(texts):
            part = slice(offsets[index], offsets[index + 1])
            keep = policies.decide(text, ends[part], kinds[part], chosen[part], model.words.abbreviations)
            found.append(_assemble(text, ends[part][keep], starts[part][keep], policies))
        return found

    def candidates(self, texts: Sequence[str]) -> tuple[np.ndarray, ...]:
        """Find and score the candidates of raw texts.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        offsets : ndarray of shape (n_texts + 1,)
            The candidates of text i are ``offsets[i]:offsets[i + 1]``.
        ends, starts, kinds : ndarray of shape (n_candidates,)
            As `BoundaryModel.describe` gives them, in the normalized text.
        scores : ndarray of shape (n_candidates,)
            Log odds of a boundary.
        """
        return self._scores([self.normalized(text) for text in texts])

    def normalized(self, text: str) -> str:
        """Give a text as the model sees it.

        Parameters
        ----------
        text : str
            Raw.

        Returns
        -------
        str
            Normalized, where there is a normalizer.
        """
        return text if self.normalizer is None else self.normalizer.align(text)[0]

    def _scores(self, texts: Sequence[str]) -> tuple[np.ndarray, ...]:
        """Candidates and log odds, by the compiled model or by the classifier itself."""
        if self.model.scorer is not None:
            return self.model.score(texts)
        offsets, ends, starts, kinds, rows = self.model.describe(texts)
        scores = np.full(len(rows), _CERTAIN)
        undecided = kinds != KINDS.index("paragraph")
        if undecided.any():
            positive = self.classifier.predict_proba(self.encoder.transform(rows[undecided]))[:, 1]
            clipped = np.clip(positive.astype(float), 1e-9, 1 - 1e-9)
            scores[undecided] = np.log(clipped / (1 - clipped))
        return offsets, ends, starts, kinds, scores


def slice_texts(texts: Sequence[str], found: Sequence[np.ndarray]) -> list[list[str]]:
    """Cut texts at the spans of their sentences.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    found : sequence of ndarray of shape (n_sentences, 2)
        The spans of each.

    Returns
    -------
    list of list of str
        The sentences of each text.
    """
    return [[text[start:end] for start, end in spans.tolist()] for text, spans in zip(texts, found, strict=True)]


def find_candidates(predictor: Predictor, texts: Sequence[str], n_jobs: int | None) -> tuple[np.ndarray, ...]:
    """Find and score the candidates of raw texts, in chunks.

    Parameters
    ----------
    predictor : Predictor
        What to use.
    texts : sequence of str
        Exact `str`.
    n_jobs : int or None
        As for `textprep_ml._parallel.count_jobs`.

    Returns
    -------
    tuple of ndarray
        As `Predictor.candidates` gives them.
    """
    return join_candidates(map_chunks(predictor.candidates, cut_documents(texts, n_jobs), n_jobs))


def _assemble(text: str, ends: np.ndarray, starts: np.ndarray, policies: Policies) -> np.ndarray:
    """Turn boundaries into spans that cover the text."""
    first, last = strip_span(text, 0, len(text))
    if first == last:
        return np.empty((0, 2), dtype=np.intp)
    spans = list(zip([first, *starts.tolist()], [*ends.tolist(), last], strict=True))
    return np.array(policies.limit(text, spans), dtype=np.intp)
