"""`PosTagger`: words to tags."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from textprep_ml._parallel import map_documents
from textprep_ml._validation import HasMethods, Interval, shorten, span_array
from textprep_ml.base import TextEstimator, TextTransformerMixin
from textprep_ml.tagging.features import BOUNDARY, FeatureTable
from textprep_ml.tagging.model import LARGEST_WEIGHT, TaggerModel
from textprep_ml.tagging.sentences import check_parallel, flatten, restore
from textprep_ml.tagging.training import compile_model, find_unambiguous, number_tags, train_linear, train_perceptron


class PosTagger(TextTransformerMixin, TextEstimator):
    """Tag words with their parts of speech, greedily from left to right.

    A linear model scores the tags of each word from the word itself, its neighbours, and the two tags before it
    (`textprep_ml.tagging.features` lists the features); the best tag is taken and becomes history of the next word.
    Forms that had one tag only are looked up instead. Weights are whole numbers, so that results are the same on every
    machine.

    Parameters
    ----------
    estimator : linear classifier, optional
        Anything of scikit-learn with ``coef_`` and ``intercept_``, such as `LogisticRegression` or `LinearSVC`; it is
        cloned, and learns with the right tags as history. None takes the averaged perceptron (Collins 2002), which
        learns with its own ones.
    n_epochs : int, default=8
        Passes of the perceptron through the training sentences.
    n_runs : int, default=1
        Trainings of the perceptron in other orders of sentences, whose weights are averaged: a little more accuracy
        for that much more time.
    min_frequency : int, default=2
        Occurrences that a word, suffix or other value needs for weights of its own.
    dictionary_min_count : int, default=50
        Occurrences after which a form can be unambiguous.
    dictionary_purity : float, default=0.99
        Share of one tag that makes it so; greater than 1 for no dictionary.
    word_classes : mapping, optional
        Classes of normalized words, learned from raw text by `induce_word_classes` or given; words missing from the
        labelled text profit.
    largest_weight : int, default=1000
        Weights are scaled so that the greatest one is this, and rounded.
    smallest_weight : int, default=1
        Weights below it become 0 and take no place in the model file.
    random_state : int, default=0
        Seed of the order of sentences in each epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_tags,)
        The tags.
    model_ : TaggerModel
        Features and weights.
    estimator_ : classifier or None
        The fitted clone of `estimator`; None after loading.

    See Also
    --------
    read_tagged : Sentences and tags from CoNLL-U files.

    Examples
    --------
    >>> from textprep_ml.tagging import PosTagger
    >>> sentences = ["the dog barks", "a cat sleeps", "dogs sleep", "the old dog sleeps"]
    >>> tags = ["DET NOUN VERB", "DET NOUN VERB", "NOUN VERB", "DET ADJ NOUN VERB"]
    >>> tagger = PosTagger(min_frequency=1, n_epochs=20).fit(sentences, tags)
    >>> tagger.predict([["a", "dog", "sleeps"]])[0]
    ['DET', 'NOUN', 'VERB']
    >>> tagger.transform([["a", "dog"]])
    [[('a', 'DET'), ('dog', 'NOUN')]]
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "n_runs": [Interval(Integral, 1, None, closed="left")],
        "min_frequency": [Interval(Integral, 1, None, closed="left")],
        "dictionary_min_count": [Interval(Integral, 1, None, closed="left")],
        "dictionary_purity": [Interval(Real, 0.5, None, closed="right")],
        "word_classes": [Mapping, None],
        "largest_weight": [Interval(Integral, 1, LARGEST_WEIGHT, closed="both")],
        "smallest_weight": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
    }
    classes_: np.ndarray
    model_: TaggerModel
    estimator_: Any

    def __init__(
        self,
        *,
        estimator: Any = None,
        n_epochs: int = 8,
        n_runs: int = 1,
        min_frequency: int = 2,
        dictionary_min_count: int = 50,
        dictionary_purity: float = 0.99,
        word_classes: Mapping[str, str] | None = None,
        largest_weight: int = 1000,
        smallest_weight: int = 1,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_epochs = n_epochs
        self.n_runs = n_runs
        self.min_frequency = min_frequency
        self.dictionary_min_count = dictionary_min_count
        self.dictionary_purity = dictionary_purity
        self.word_classes = word_classes
        self.largest_weight = largest_weight
        self.smallest_weight = smallest_weight
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from tagged sentences.

        Parameters
        ----------
        X : sequence of sentences
            Each a list of tokens, or a string whose tokens are separated by white space; or documents, lists of
            sentences.
        y : sequence of tag sequences
            In the same nesting.

        Returns
        -------
        self
            The fitted tagger.

        Raises
        ------
        TypeError
            If a token or tag is not a string.
        ValueError
            If a sentence has more or fewer tags than tokens, or there are no tokens.
        """
        self._validate_params()
        sentences, tags = self._check_training(X, y)
        names = sorted({tag for sequence in tags for tag in sequence})
        if BOUNDARY in names or "" in names:
            raise ValueError(
                f"Tags must be neither empty nor {BOUNDARY!r}, which stands beyond the ends of a sentence."
            )
        dictionary = find_unambiguous(sentences, tags, self.dictionary_min_count, self.dictionary_purity)
        classes = None if self.word_classes is None else dict(self.word_classes)
        table = FeatureTable.learn(sentences, names, dictionary, classes, self.min_frequency)
        rows, gold = table.rows(sentences), number_tags(tags, {tag: number for number, tag in enumerate(names)})
        self.estimator_ = None if self.estimator is None else clone(self.estimator)
        if self.estimator_ is None:
            weights = train_perceptron(table, rows, gold, self.n_epochs, self.n_runs, self.random_state)
        else:
            weights = train_linear(table, rows, gold, self.estimator_)
        self.model_ = compile_model(table, weights, self.largest_weight, self.smallest_weight)
        self.classes_ = np.array(names, dtype=object)
        return self

    def _check_training(self, X: Any, y: Any) -> tuple[list[list[str]], list[list[str]]]:
        owner = type(self).__name__
        if y is None:
            raise ValueError(f"{owner} needs tagged sentences: pass y, one tag for each token in the nesting of X.")
        _, sentences = flatten(X, owner)
        _, tags = flatten(y, f"{owner}.y", "tags of document")
        check_parallel(sentences, tags, owner)
        if not any(sentences):
            raise ValueError(
                f"{owner} needs at least one token to learn from, but all {len(sentences)} sentences are empty."
            )
        return sentences, tags

    def predict(self, X: Any) -> np.ndarray:
        """Tag sentences.

        Parameters
        ----------
        X : sequence of sentences
            As for `fit`; any depth of nested lists whose innermost ones hold tokens, as a segmenter and a tokenizer
            leave them.

        Returns
        -------
        ndarray of shape (n_items,)
            Dtype object: for each item of `X` its tags, in the same nesting. An empty sentence has an empty list.
        """
        if not hasattr(self, "model_"):  # asking scikit-learn each time would cost more than tagging a sentence
            check_is_fitted(self, "model_")
        items, sentences = flatten(X, type(self).__name__)
        return span_array(restore(items, iter(map_documents(self.model_.tag, sentences))))

    def transform(self, X: Any) -> list[Any]:
        """Pair every token with its tag.

        Parameters
        ----------
        X : sequence of sentences
            As for `predict`.

        Returns
        -------
        list
            The same nesting; each sentence a list of (token, tag).
        """
        check_is_fitted(self, "model_")
        items, sentences = flatten(X, type(self).__name__)
        tags = map_documents(self.model_.tag, sentences)
        return restore(
            items, (list(zip(words, names, strict=True)) for words, names in zip(sentences, tags, strict=True))
        )

    def score(self, X: Any, y: Any) -> float:
        """Compute the share of tokens with the right tag.

        Parameters
        ----------
        X : sequence of sentences
            As for `predict`.
        y : sequence of tag sequences
            The right tags, in the same nesting.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        ValueError
            If lengths differ, a tag is unknown to the tagger, or there are no tokens.
        """
        check_is_fitted(self, "model_")
        sentences, tags = self._check_training(X, y)
        known = set(self.model_.table.tags)
        for index, sequence in enumerate(tags):
            for tag in sequence:
                if tag not in known:
                    raise ValueError(
                        f"Sentence {index} has the tag {shorten(tag)}, which this tagger never saw; it knows "
                        f"{', '.join(self.model_.table.tags)}. Score with tags of the set that it was trained on."
                    )
        predicted = map_documents(self.model_.tag, sentences)
        right = sum(a == b for one, other in zip(tags, predicted, strict=True) for a, b in zip(one, other, strict=True))
        return right / sum(map(len, tags))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the single output column.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        ndarray of shape (1,)
            ``["tagged"]``.
        """
        return np.array(["tagged"], dtype=object)

    def _get_saved_params(self) -> dict[str, Any]:
        # The weights are kept, not the classifier they came from; word classes are in the state.
        return {**self.get_params(deep=False), "estimator": None, "word_classes": None}

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "model_")
        return self.model_.to_state()

    def _set_state(self, state: dict[str, Any]) -> None:
        self.model_ = TaggerModel.from_state(state)
        self.classes_ = np.array(self.model_.table.tags, dtype=object)
        self.word_classes = self.model_.table.word_classes
        self.estimator_ = None
