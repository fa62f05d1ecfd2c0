"""The face that every segmenter shows: `predict` gives spans, everything else is a view of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from textprep_ml._parallel import map_documents
from textprep_ml._validation import check_documents, check_targets, span_array
from textprep_ml.base import TextEstimator, TextTransformerMixin
from textprep_ml.metrics import boundary_f1_score
from textprep_ml.segmentation.prediction import slice_texts

#: From some texts to the sentence spans of each.
Finder = Callable[[Sequence[str]], list[np.ndarray]]

#: From some texts to the sentences of each.
Splitter = Callable[[Sequence[str]], list[list[str]]]


class BaseSegmenter(TextTransformerMixin, TextEstimator):
    """Base of the segmenters; a subclass implements ``_finder``."""

    def _finder(self) -> Finder:
        """Give what finds the sentences of a chunk of documents, as the parameters now want it."""
        raise NotImplementedError

    def _splitter(self) -> Splitter:
        """Give what cuts a chunk of documents into sentences."""
        return partial(_split, self._finder())

    def predict(self, X: Any) -> np.ndarray:
        """Find the sentences of documents.

        Parameters
        ----------
        X : sequence of str
            Documents.

        Returns
        -------
        ndarray of shape (n_documents,)
            Dtype object; each element an ``(n_sentences, 2)`` intp array of half-open character spans without white
            space around.
        """
        return span_array(self._map(self._finder(), X))

    def _map(self, function: Callable[[Sequence[str]], list[Any]], X: Any) -> list[Any]:
        texts = check_documents(X, type(self).__name__)
        return map_documents(function, texts, getattr(self, "n_jobs", None))

    def transform(self, X: Any) -> list[list[str]]:
        """Split documents into sentences.

        Parameters
        ----------
        X : sequence of str
            Documents.

        Returns
        -------
        list of list of str
            The sentences of each document, slices of the raw text.
        """
        return self._map(self._splitter(), X)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Find the sentences of one text.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of (int, int)
            Half-open character spans.
        """
        return list(map(tuple, self._apply(self._finder(), text).tolist()))

    def split(self, text: str) -> list[str]:
        """Split one text into sentences.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            Slices of the text.
        """
        return self._apply(self._splitter(), text)

    def _apply(self, function: Callable[[Sequence[str]], list[Any]], text: str) -> Any:
        if type(text) is not str:
            text = check_documents([text], type(self).__name__)[0]
        return function([text])[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the F1 of the inner boundaries, over all documents.

        Parameters
        ----------
        X : sequence of str
            Documents.
        y : sequence of sequences of (int, int)
            Sentence spans of each document.
        sample_weight : None
            Not supported; here because scikit-learn passes it.

        Returns
        -------
        float
            Between 0 and 1.
        """
        if sample_weight is not None:
            raise ValueError(
                f"{type(self).__name__}.score takes no sample_weight: the F1 is taken over all boundaries."
            )
        texts = check_documents(X, type(self).__name__)
        return float(boundary_f1_score(check_targets(y, texts, type(self).__name__), self.predict(texts)))


def _split(find: Finder, texts: Sequence[str]) -> list[list[str]]:
    return slice_texts(texts, find(texts))
