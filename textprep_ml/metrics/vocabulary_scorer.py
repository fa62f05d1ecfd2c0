"""Measures of a vocabulary as scorers for the searches of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textprep_ml._validation import shorten
from textprep_ml.metrics.vocabulary import vocabulary_scores

#: Measure -> 1 if more of it is better, -1 if less.
SIGNS = {
    "fertility": -1,
    "pieces_per_character": -1,
    "bytes_per_piece": 1,
    "whole_words": 1,
    "unknown_rate": -1,
    "renyi_efficiency": 1,
    "vocabulary_use": 1,
    "morpheme_precision": 1,
    "morpheme_recall": 1,
    "morpheme_f1": 1,
}


class VocabularyScorer:
    """A measure as scikit-learn calls it; `vocabulary_scorer` makes one.

    Parameters
    ----------
    measures : str or sequence of str
        One, or several of `SIGNS`.
    options : dict
        For `vocabulary_scores`.
    """

    def __init__(self, measures: str | Sequence[str], options: dict[str, Any]) -> None:
        self._measures = measures
        self._options = options

    def __repr__(self) -> str:
        return f"vocabulary_scorer({self._measures!r})"

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float | dict[str, float]:
        """Score a fitted tokenizer, or a pipeline that ends in one.

        Parameters
        ----------
        estimator : SubwordTokenizer or Pipeline
            Fitted.
        X : sequence of str
            Documents.
        y : sequence of sequences of (int, int), optional
            Where the words are; see `words` of `vocabulary_scores`.

        Returns
        -------
        float or dict of str to float
            Greater is better.
        """
        if hasattr(estimator, "steps"):
            X, estimator = estimator[:-1].transform(X), estimator[-1]
        options = self._options if y is None else {**self._options, "words": y}
        scores = vocabulary_scores(estimator, X, **options)
        if isinstance(self._measures, str):
            return SIGNS[self._measures] * scores[self._measures]
        return {measure: SIGNS[measure] * scores[measure] for measure in self._measures}


def vocabulary_scorer(measures: str | Sequence[str], **options: Any) -> VocabularyScorer:
    """Make a scorer of tokenizers, for ``scoring=`` of `GridSearchCV` and its like.

    As everywhere in scikit-learn, greater is better: measures of which less is better (``fertility``,
    ``pieces_per_character``, ``unknown_rate``) come with their sign turned.

    Parameters
    ----------
    measures : str or sequence of str
        A measure of `vocabulary_scores`; several make a scorer of several metrics, from one pass over the documents.
    **options : object
        `words`, `morphemes` and `alpha` of `vocabulary_scores`. A `y` given to the search takes the place of `words`.

    Returns
    -------
    callable
        Called with estimator, `X` and `y`.

    Raises
    ------
    ValueError
        If there is no such measure, or one about morphemes comes without them.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from textprep_ml import BPETokenizer
    >>> texts = ["low lower lowest", "slow slower slowest", "new newer newest", "wide wider widest"]
    >>> grid = {"vocab_size": [258, 262], "pretokenizer": ["gpt2", "none"]}
    >>> search = GridSearchCV(BPETokenizer(), grid, scoring=vocabulary_scorer("fertility"), cv=2).fit(texts)
    >>> search.best_params_
    {'pretokenizer': 'gpt2', 'vocab_size': 262}
    """
    for measure in [measures] if isinstance(measures, str) else measures:
        if measure not in SIGNS:
            raise ValueError(f"There is no measure {shorten(measure)}; there are {', '.join(SIGNS)}.")
        if measure.startswith("morpheme") and options.get("morphemes") is None:
            raise ValueError(f"The measure {measure!r} needs morphemes: pass morphemes={{word: parts, ...}}.")
    unknown = set(options) - {"words", "morphemes", "alpha"}
    if unknown:
        raise TypeError(f"vocabulary_scorer takes words, morphemes and alpha, not {min(unknown)!r}.")
    return VocabularyScorer(measures if isinstance(measures, str) else tuple(measures), options)
