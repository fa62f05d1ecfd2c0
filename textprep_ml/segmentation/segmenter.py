"""The trainable sentence segmenter."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from textprep_ml._validation import HasMethods, Interval, StrOptions, check_documents, shorten, span_array
from textprep_ml.abbreviations import normalize_abbreviations
from textprep_ml.base import TextEstimator
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.abbreviation_learning import learn_abbreviations
from textprep_ml.segmentation.adaptation import count_evidence, fit_difference, unpack_evidence
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.augmentation import STANDARD
from textprep_ml.segmentation.base import BaseSegmenter, Finder, Splitter
from textprep_ml.segmentation.compilation import compile_scorer
from textprep_ml.segmentation.distillation import split_targets
from textprep_ml.segmentation.documents import Document
from textprep_ml.segmentation.explanation import Explanation, explain_candidates
from textprep_ml.segmentation.features import CrossedEncoder, RankedEncoder, is_linear
from textprep_ml.segmentation.hopeless import NONE_HOPELESS, HopelessGaps, find_hopeless
from textprep_ml.segmentation.policies import Policies
from textprep_ml.segmentation.prediction import Predictor, find_candidates
from textprep_ml.segmentation.runtime import NEWLINES, BoundaryModel, LinearScorer, logit
from textprep_ml.segmentation.templates import TEMPLATES
from textprep_ml.segmentation.training import (
    Examples,
    label_candidates,
    labelled_documents,
    learn_words,
    make_variants,
    widen,
)
from textprep_ml.segmentation.words import WordTable


class SentenceSegmenter(BaseSegmenter):
    """Sentence segmenter that is trained from labelled boundaries.

    A compiled scanner finds the places where a sentence may end (end marks, line breaks, and, where wanted, every
    other gap between words) and describes each by what stands around it, by an abbreviation lexicon and by how the
    same words behave elsewhere in this very text. A scikit-learn classifier decides.

    Parameters
    ----------
    estimator : classifier, default=None
        Any scikit-learn classifier with `predict_proba`; None is `LogisticRegression`. Linear models and a
        `DecisionTreeClassifier` are compiled, so they run fast and can be saved.
    candidates : sequence of {"mark", "line", "gap"}, default=("mark", "line", "gap")
        Where boundaries may be: after end marks, at line breaks, at any other gap between words. Blank lines always
        are boundaries.
    abbreviations : str, mapping, sequence or None, default="en"
        Lexicon of a language, or entries with or without their classes; see `textprep_ml.abbreviations`.
    newline : {"auto", "hard", "soft", "paragraph"}, default="auto"
        What a line break means: the classifier decides; always a boundary; a blank, even twice; a blank, but a blank
        line is a boundary.
    threshold : float, default=0.5
        Probability from which on a candidate is a boundary.
    kind_thresholds : mapping of str to float, default=None
        Log odds added to the threshold of single kinds of candidate: ``"mark"``, ``"inside"``, ``"mark_line"``,
        ``"line"``, ``"gap"``.
    normalizer : transformer, default=None
        With ``align(text) -> (normalized, offset map)``; spans always are those of the raw text. A clone is fitted
        where it has a `fit`.
    missing_blank : {"model", "split", "join"}, default="model"
        Who decides where no blank follows the mark (``end.Next``): the classifier; always a boundary, save after
        abbreviations and in links; never one.
    quotes : {"split", "keep"}, default="split"
        Whether a quotation of several sentences is cut.
    protected : sequence of str, default=()
        Strings, such as brand names with a mark, inside and after which no sentence ends.
    max_length : int, default=None
        Longest sentence in characters; longer ones are cut at a clause mark or blank.
    features : {"auto", "crossed", "ranked"}, default="auto"
        Columns for linear models (crossed values) or for trees (ranked codes); "auto" looks at the estimator.
    templates : sequence of str, default=None
        Attributes to cross; None is `textprep_ml.segmentation.templates.TEMPLATES`.
    augment : {"standard"}, mapping of str to float, or None, default=None
        Variants of the training documents (layouts, abbreviations, case): how many of each per document.
    min_count : int, default=4
        Rarer combinations get no column.
    min_word_count : int, default=10
        Rarer words are no features by themselves.
    min_weight : float, default=0.0
        Smaller weights of a linear model are dropped.
    shrinkage : float, default=0.0
        Of a decision tree: how many candidates the node above counts for in the share of boundaries of each node, so
        that small leaves are not believed alone (hierarchical shrinkage, Agarwal et al. 2022); 10 to 100 help.
    teacher : str, path or SentenceSegmenter, default=None
        A saved or shipped model whose probabilities count as much as the labels, and alone in documents that have
        none: a small classifier, such as a tree, learns more from them than from labels alone.
    warm_start_from : str, path or SentenceSegmenter, default=None
        A saved or shipped linear model to adapt: what is learned is the difference to it, by the `C` and `max_iter` of
        a `LogisticRegression`. What the old training was sure of is held fast.
    n_jobs : int, default=None
        Threads for segmenting, for counting words and for describing candidates; `joblib.parallel_config` may choose
        processes or a cluster instead.
    random_state : int, default=0
        Seed of the variants.

    Attributes
    ----------
    estimator_ : classifier
        Fitted; missing after `load`.
    model_ : BoundaryModel
        What was learned, compiled.
    normalizer_ : transformer
        Fitted; missing where there is none.
    encoder_ : CrossedEncoder or RankedEncoder
        From codes to columns, whose names ``encoder_.get_feature_names_out()`` gives; missing after `load`.
    trained_by_ : str
        The classifier that a loaded model was trained by.
    coverage_ : float
        Share of the training boundaries that are candidates: no classifier finds the others.

    See Also
    --------
    RuleSegmenter : The same face without training.

    Examples
    --------
    >>> from textprep_ml import SentenceSegmenter
    >>> texts = ["We met Dr. Ito. She left.", "It cost 3.50 in all. Was it fair?"] * 10
    >>> spans = [[(0, 15), (16, 25)], [(0, 20), (21, 33)]] * 10
    >>> segmenter = SentenceSegmenter().fit(texts, spans)
    >>> segmenter.split("We met Dr. Ito. It cost 3.50.")
    ['We met Dr. Ito.', 'It cost 3.50.']
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "candidates": ["array-like", set],
        "abbreviations": [str, Mapping, list, tuple, set, None],
        "newline": [StrOptions(set(NEWLINES))],
        "threshold": [Interval(Real, 0, 1, closed="neither")],
        "kind_thresholds": [Mapping, None],
        "normalizer": [HasMethods(["align"]), None],
        "missing_blank": [StrOptions({"model", "split", "join"})],
        "quotes": [StrOptions({"split", "keep"})],
        "protected": [list, tuple, set],
        "max_length": [Interval(Integral, 1, None, closed="left"), None],
        "features": [StrOptions({"auto", "crossed", "ranked"})],
        "templates": [list, tuple, None],
        "augment": [StrOptions({"standard"}), Mapping, None],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "min_word_count": [Interval(Integral, 1, None, closed="left")],
        "min_weight": [Interval(Real, 0, None, closed="left")],
        "shrinkage": [Interval(Real, 0, None, closed="left")],
        "teacher": [str, os.PathLike, TextEstimator, None],
        "warm_start_from": [str, os.PathLike, TextEstimator, None],
        "n_jobs": [Integral, None],
        "random_state": [Integral],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        candidates: Sequence[str] = ("mark", "line", "gap"),
        abbreviations: str | Mapping[str, str] | Sequence[str] | None = "en",
        newline: str = "auto",
        threshold: float = 0.5,
        kind_thresholds: Mapping[str, float] | None = None,
        normalizer: Any = None,
        missing_blank: str = "model",
        quotes: str = "split",
        protected: Sequence[str] = (),
        max_length: int | None = None,
        features: str = "auto",
        templates: Sequence[str] | None = None,
        augment: str | Mapping[str, float] | None = None,
        min_count: int = 4,
        min_word_count: int = 10,
        min_weight: float = 0.0,
        shrinkage: float = 0.0,
        teacher: Any = None,
        warm_start_from: Any = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.abbreviations = abbreviations
        self.newline = newline
        self.threshold = threshold
        self.kind_thresholds = kind_thresholds
        self.normalizer = normalizer
        self.missing_blank = missing_blank
        self.quotes = quotes
        self.protected = protected
        self.max_length = max_length
        self.features = features
        self.templates = templates
        self.augment = augment
        self.min_count = min_count
        self.min_word_count = min_word_count
        self.min_weight = min_weight
        self.shrinkage = shrinkage
        self.teacher = teacher
        self.warm_start_from = warm_start_from
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Training

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, raw: Iterable[str] | None = None, labelled: Any = None
    ) -> Self:
        """Learn from labelled documents.

        Parameters
        ----------
        X : sequence of str
            Documents.
        y : sequence of (sequence of (int, int) or None)
            Sentence spans of each document, in characters; None for a document without labels, of which the `teacher`
            knows.
        sample_weight : array-like of shape (n_documents,), default=None
            Weight of each document.
        raw : iterable of str, default=None
            Unlabelled text to learn from how words behave (usual case, periods); None takes the documents.
        labelled : sequence of (sequence of (int, int) or None), default=None
            Of partly labelled documents the parts, in characters, in which `y` counts; None where all of it does. A
            boundary lies where the sentence before it ends. Such documents get no variants.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If there is nothing to learn from: no document, no inner boundary, or nothing but boundaries.
        """
        self._validate_params()
        self._check_choices()
        texts, weights = self._check_documents(X, sample_weight)
        self._fit_normalizer(texts)
        normalizer, has_teacher = self._normalizer_in_use(), self.teacher is not None
        documents = labelled_documents(texts, y, type(self).__name__, normalizer, labelled, has_teacher)
        variants, sources = make_variants(documents, self.augment, self.abbreviations, self.random_state)
        words, base, hopeless = self._start(documents, raw)  # variants would count every word several times
        model = BoundaryModel(words, base, candidates=tuple(self.candidates), newline=self.newline)
        examples = label_candidates(model, variants, weights[sources], self.n_jobs, self._teacher())
        self.estimator_ = self._make_estimator()
        self.encoder_ = self._make_encoder(base)
        self._fit_estimator(examples, words.vocabulary, base)
        model.scorer = compile_scorer(self.estimator_, self.encoder_, base, self.min_weight, self.shrinkage)
        if isinstance(model.scorer, LinearScorer):
            model.scorer.evidence = count_evidence(
                model.scorer.layout, model.scorer.weights, examples.rows, examples.weights, base and base.evidence
            )
        # The classifier has learned from the hopeless gaps too: they say much of words.
        model.hopeless = find_hopeless(
            examples.rows, examples.labels, len(documents) / len(variants), words.vocabulary, hopeless
        )
        self.coverage_ = examples.coverage(model.hopeless.among(examples.rows, words.vocabulary))
        model.thresholds = self._thresholds()
        model.rebuild()
        self.model_ = model
        return self

    def _check_choices(self) -> None:
        """Check what scikit-learn's constraints cannot say."""
        if (
            isinstance(self.candidates, str)
            or not all(isinstance(name, str) for name in self.candidates)
            or not set(self.candidates) <= {"mark", "line", "gap"}
            or not len(self.candidates)
        ):
            raise ValueError(f"candidates must be some of 'mark', 'line', 'gap', got {shorten(self.candidates)}.")
        self._thresholds()
        if isinstance(self.augment, Mapping) and set(self.augment) - set(STANDARD):
            unknown = set(self.augment) - set(STANDARD)
            raise ValueError(f"Unknown variant {sorted(unknown)[0]!r} in augment; there are {', '.join(STANDARD)}.")
        for key, value in self.augment.items() if isinstance(self.augment, Mapping) else ():
            if not isinstance(value, Real) or not np.isfinite(value) or value < 0:
                raise ValueError(f"augment[{key!r}] must be a finite number, 0 or more, got {shorten(value)}.")
        self._policies()
        if self.templates is not None and "kind" not in self.templates:
            raise ValueError("templates must have 'kind' alone among them: it carries the intercept.")

    def _check_documents(self, X: Any, sample_weight: Any) -> tuple[list[str], np.ndarray]:
        name = type(self).__name__
        texts = check_documents(X, name)
        if not texts:
            raise ValueError(f"{name} got no documents to learn from.")
        try:
            weights = np.ones(len(texts)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(
                f"sample_weight must hold one number per document, got {shorten(sample_weight)}."
            ) from None
        if weights.shape != (len(texts),):
            raise ValueError(f"sample_weight has shape {weights.shape}, but there are {len(texts)} documents.")
        wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
        if len(wrong):
            raise ValueError(
                f"sample_weight of document {wrong[0]} is {weights[wrong[0]]}; weights are finite and not negative."
            )
        if not weights.any():
            raise ValueError("sample_weight is zero for every document: there is nothing to learn from.")
        return texts, weights

    def _fit_normalizer(self, texts: list[str]) -> None:
        self.__dict__.pop("normalizer_", None)
        if self.normalizer is not None:
            normalizer = clone(self.normalizer, safe=False)
            self.normalizer_ = normalizer.fit(texts) if hasattr(normalizer, "fit") else normalizer

    def _normalizer_in_use(self) -> Any:
        """The normalizer of the training, or one that was given to a model that has none."""
        return self.normalizer if self.normalizer is None else getattr(self, "normalizer_", self.normalizer)

    def _start(
        self, documents: Sequence[Document], raw: Iterable[str] | None
    ) -> tuple[WordTable, Any, HopelessGaps | None]:
        """Collect the words, on top of those of the model to start from."""
        if self.warm_start_from is None:
            return learn_words(documents, raw, self.abbreviations, self.min_word_count, self.n_jobs), None, None
        model = _model_of(self.warm_start_from)
        return *widen(model, documents, self.abbreviations, self.min_word_count), model.hopeless

    def _teacher(self) -> BoundaryModel | None:
        """The model to learn from besides the labels, over the same candidates."""
        if self.teacher is None:
            return None
        if self.warm_start_from is not None:
            raise ValueError(
                "teacher is for a model that is trained anew; warm_start_from starts with what a model knows."
            )
        model = _model_of(self.teacher)
        if model.scorer is None:
            raise ValueError("teacher needs a linear model or a single decision tree: others score no candidates here.")
        # What is hopeless to the teacher is a candidate to learn from all the same.
        return replace(model, candidates=tuple(self.candidates), newline=self.newline, hopeless=NONE_HOPELESS)

    def _fit_estimator(self, examples: Examples, vocabulary: list[str], base: LinearScorer | None) -> None:
        columns = self.encoder_.fit_transform(examples.rows, examples.labels, vocabulary)
        if not columns.shape[1]:
            raise ValueError(f"Nothing occurs min_count={self.min_count} times: lower it, or give more documents.")
        if base is not None:
            self._fit_difference(columns, examples, base)
            return
        which, labels, weights = split_targets(examples.labels, examples.weights)
        # Not every classifier takes weights; they are handed on where they say something.
        weighted = (weights != 1).any()
        self.estimator_.fit(columns[which], labels, **({"sample_weight": weights} if weighted else {}))

    def _fit_difference(self, columns: sparse.csr_matrix, examples: Examples, base: LinearScorer) -> None:
        """Set the coefficients of the classifier, which is one of the difference to the old model."""
        places = cast(CrossedEncoder, self.encoder_).places
        known = np.zeros(len(places)) if base.evidence is None else unpack_evidence(base.evidence[places])
        C, max_iter = self.estimator_.C, self.estimator_.max_iter
        found = fit_difference(columns, examples.labels, examples.weights, examples.scores, known, C, max_iter)
        self.estimator_.coef_, self.estimator_.intercept_ = found[None, :], np.zeros(1)
        self.estimator_.classes_ = np.array([False, True])

    def _make_estimator(self) -> Any:
        if self.estimator is None:
            return LogisticRegression(C=0.2, max_iter=300)
        if not is_classifier(self.estimator):
            raise ValueError(f"estimator must be a classifier, got {shorten(self.estimator)}.")
        return clone(self.estimator)

    def _make_encoder(self, base: LinearScorer | None) -> CrossedEncoder | RankedEncoder:
        if base is not None and (self.features == "ranked" or not isinstance(self.estimator_, LogisticRegression)):
            raise ValueError(
                "warm_start_from learns the difference to a linear model: it needs crossed features and a "
                f"LogisticRegression, got {shorten(self.estimator_)}."
            )
        crossed = self.features == "crossed" or (self.features == "auto" and is_linear(self.estimator_))
        if crossed:
            templates = base.layout.templates if base is not None else self.templates or TEMPLATES
            return CrossedEncoder(templates, self.min_count)
        return RankedEncoder()

    # Adding abbreviations without training

    def add_abbreviations(self, abbreviations: str | Mapping[str, str] | Iterable[str]) -> Self:
        """Add abbreviations to the fitted model; no training is needed.

        Parameters
        ----------
        abbreviations : str, mapping or iterable of str
            A language, entry -> class, or entries alone.

        Returns
        -------
        self
            The same segmenter.
        """
        check_is_fitted(self, "model_")
        self.model_.words.abbreviations.update(normalize_abbreviations(abbreviations, optional=False))
        self.model_.rebuild()
        return self

    def learn_abbreviations(self, X: Any) -> Self:
        """Learn abbreviations from raw text and add them to the fitted model.

        Parameters
        ----------
        X : sequence of str
            Unlabelled documents of the domain.

        Returns
        -------
        self
            The same segmenter.
        """
        check_is_fitted(self, "model_")
        known = {entry.lower() for entry in self.model_.words.abbreviations}
        found = learn_abbreviations(check_documents(X, type(self).__name__))
        return self.add_abbreviations({entry: "learned" for entry in found if entry not in known})

    # Use

    def _finder(self) -> Finder:
        return self._predictor().spans

    def _splitter(self) -> Splitter:
        return self._predictor().sentences

    def _predictor(self) -> Predictor:
        """What is needed of this segmenter for use, as the parameters now want it."""
        if "model_" not in vars(self):
            check_is_fitted(self, "model_")
        in_use = self.model_.in_use
        try:
            changed = in_use is None or in_use[0] != self._choices()
        except (TypeError, ValueError):  # a value that cannot be copied or compared is a wrong one
            changed = True
        if in_use is None or changed:
            self._validate_params()
            self._check_choices()
            model = self._model_in_use()
            uncompiled = (self.estimator_, self.encoder_) if model.scorer is None else ()
            predictor = Predictor(model, self._policies(), self._normalizer_in_use(), *uncompiled)
            in_use = self.model_.in_use = self._choices(), predictor
        return in_use[1]

    def _choices(self) -> tuple[Any, ...]:
        """The parameters that matter in use, copied: they are checked and compiled again only where they changed."""
        return (
            tuple(self.candidates),
            self.newline,
            self.threshold,
            dict(self.kind_thresholds or {}),
            (type(self.protected), *self.protected),
            (self.quotes, self.missing_blank, self.max_length),
            (id(self.normalizer), id(self._normalizer_in_use())),
        )

    def _policies(self) -> Policies:
        return Policies(tuple(self.protected), self.quotes, self.missing_blank, self.max_length)

    def _model_in_use(self) -> BoundaryModel:
        """The compiled model as the parameters now want it, which may have been set after fitting."""
        return self.model_.adjusted(tuple(self.candidates), self.newline, self._thresholds(logit(self.threshold)))

    def _thresholds(self, shift: float = 0.0) -> dict[str, float]:
        """Log odds from which on a candidate of each kind is a boundary, as the parameters now say."""
        given = self.kind_thresholds or {}
        unknown = sorted(set(given) - set(KINDS), key=str)
        if unknown:
            raise ValueError(f"Unknown kind {unknown[0]!r} in kind_thresholds; the kinds are {', '.join(KINDS)}.")
        for kind, value in given.items():
            if not isinstance(value, Real) or not np.isfinite(value):
                raise ValueError(f"kind_thresholds[{kind!r}] must be a finite number, got {shorten(value)}.")
        return {kind: float(given.get(kind, 0.0)) + shift for kind in KINDS}

    def candidate_positions(self, X: Any) -> np.ndarray:
        """Give the places where a sentence may end.

        Parameters
        ----------
        X : sequence of str
            Documents.

        Returns
        -------
        ndarray of shape (n_documents,)
            Dtype object; each element an ``(n_candidates, 2)`` array: where the token before ends, where the token
            after starts; in the text that the normalizer gives, where there is one.
        """
        offsets, ends, starts, _, _ = self._candidates(X)
        return span_array(
            np.column_stack([ends[a:b], starts[a:b]]) for a, b in zip(offsets[:-1], offsets[1:], strict=True)
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give the probability of each candidate, in the order of `candidate_positions`.

        Parameters
        ----------
        X : sequence of str
            Documents.

        Returns
        -------
        ndarray of shape (n_documents,)
            Dtype object; each element an ``(n_candidates, 2)`` float array: no boundary, boundary.
        """
        offsets, _, _, _, scores = self._candidates(X)
        positive = 1 / (1 + np.exp(-scores.astype(float)))
        return span_array(
            np.column_stack([1 - positive[a:b], positive[a:b]]) for a, b in zip(offsets[:-1], offsets[1:], strict=True)
        )

    def _candidates(self, X: Any) -> tuple[np.ndarray, ...]:
        return find_candidates(self._predictor(), check_documents(X, type(self).__name__), self.n_jobs)

    def explain(self, text: str, top: int = 5) -> list[Explanation]:
        """Tell, for each candidate of a text, how probable a boundary is and what speaks for and against it.

        Parameters
        ----------
        text : str
            The text.
        top : int, default=5
            How many features to name in each direction.

        Returns
        -------
        list of Explanation
            One per candidate; ``str()`` of one is a row to read.
        """
        predictor = self._predictor()
        text = check_documents([text], type(self).__name__)[0]
        scores = predictor.candidates([text])[4]
        return explain_candidates(predictor.model, predictor.normalized(text), scores, top)

    # Saving

    def _get_saved_params(self) -> dict[str, Any]:
        self._validate_params()
        self._check_choices()
        params = super()._get_saved_params()
        if self.normalizer is not None and not isinstance(self.normalizer, TextEstimator):
            raise ModelFormatError(
                f"A model file holds normalizers of textprep_ml only, not {shorten(self.normalizer)}: save with "
                "normalizer=None and set it after loading, or use pickle."
            )
        return {
            **{name: value.item() if isinstance(value, np.generic) else value for name, value in params.items()},
            "estimator": None,  # what it learned is in the state; JSON holds no foreign objects
            "abbreviations": sorted(self.abbreviations) if isinstance(self.abbreviations, set) else self.abbreviations,
            "candidates": list(self.candidates),
            "kind_thresholds": self.kind_thresholds
            and {kind: float(shift) for kind, shift in self.kind_thresholds.items()},
            "protected": list(self.protected),
            **{name: _named(params[name]) for name in ("teacher", "warm_start_from")},
        }

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "model_")
        fitted = getattr(self, "estimator_", None)
        has_normalizer = self.normalizer is not None and hasattr(self, "normalizer_")
        normalizer = {"normalizer": self.normalizer_._get_state()} if has_normalizer else {}
        return {
            **self.model_.to_state(),
            "thresholds": self._thresholds(),
            **normalizer,
            "trained_by": shorten(fitted) if fitted is not None else getattr(self, "trained_by_", ""),
            "coverage": self.coverage_,
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        self._validate_params()
        self._check_choices()
        self.model_ = BoundaryModel.from_state(state, self.candidates, self.newline)
        self.coverage_ = float(state["coverage"])
        self.trained_by_ = str(state.get("trained_by", ""))
        if "normalizer" in state:
            self.normalizer_ = clone(self.normalizer)
            self.normalizer_._set_state(state["normalizer"])


def _named(source: Any) -> str | None:
    """Give the name of a model or file; a model in memory has none."""
    return None if source is None or isinstance(source, SentenceSegmenter) else str(source)


def _model_of(source: Any) -> BoundaryModel:
    """Give the compiled model of a fitted segmenter, or of one that is named."""
    if isinstance(source, SentenceSegmenter):
        check_is_fitted(source, "model_")
        return source.model_
    return BoundaryModel.load(source, threshold=0.5)
