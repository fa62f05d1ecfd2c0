"""Pipelines of text steps: the usual ones by name, and what brings nested lists into a vectorizer."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Self

from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import textprep_ml
from textprep_ml._validation import refuse_container, shorten
from textprep_ml.base import TextEstimator, TextTransformer
from textprep_ml.exceptions import ModelFormatError

Path = str | os.PathLike[str]


def stage_of(step: Any) -> str | None:
    """Tell what a step does to text, by the methods that it has.

    Parameters
    ----------
    step : estimator
        A step of a pipeline; what `FrozenEstimator` holds counts.

    Returns
    -------
    str or None
        ``"text"`` (normalizers), ``"sentences"``, ``"tokens"``, ``"pieces"`` or ``"tags"``; None for all others.

    Examples
    --------
    >>> from textprep_ml import RuleSegmenter, TextNormalizer, WordTokenizer
    >>> [stage_of(step) for step in (TextNormalizer(), RuleSegmenter(), WordTokenizer(), print)]
    ['text', 'sentences', 'tokens', None]
    """
    step = thawed(step)
    if hasattr(step, "align") and hasattr(step, "transform"):
        return "text"
    if hasattr(step, "encode_with_spans"):
        return "pieces"
    if hasattr(step, "spans"):
        return "sentences" if hasattr(step, "predict") else "tokens"
    return "tags" if isinstance(step, TextEstimator) and hasattr(step, "predict") else None


def thawed(step: Any) -> Any:
    """Give the estimator inside a `FrozenEstimator`; anything else is given back.

    Parameters
    ----------
    step : estimator
        A step of a pipeline.

    Returns
    -------
    estimator
        Not a `FrozenEstimator`.
    """
    while isinstance(step, FrozenEstimator):
        step = step.estimator
    return step


class TextPipeline(Pipeline):
    """A `sklearn.pipeline.Pipeline` that is saved as plain data and goes over data sets.

    See Also
    --------
    make_text_pipeline : The usual ones by name.
    textprep_ml.annotate : What every step finds, with spans into the raw text.

    Examples
    --------
    >>> from textprep_ml import RuleSegmenter, TextPipeline, WordTokenizer
    >>> TextPipeline([("segmenter", RuleSegmenter()), ("tokenizer", WordTokenizer())]).transform(["It rains. Stay in."])
    [[['It', 'rains', '.'], ['Stay', 'in', '.']]]
    """

    def save(self, path: Path, config: dict[str, Any] | None = None) -> None:
        """Write the fitted pipeline as versioned JSON; see `textprep_ml.save`.

        Parameters
        ----------
        path : str or path-like
            Where the file goes.
        config : dict, optional
            How it was trained.
        """
        textprep_ml.save(self, path, config)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a pipeline that `save` wrote; no code from the file is run.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        TextPipeline
            Fitted.

        Raises
        ------
        ModelFormatError
            If the file is missing, damaged, foreign, or holds no pipeline.
        """
        loaded = textprep_ml.load(path)
        if not isinstance(loaded, cls):
            raise ModelFormatError(f"{os.fspath(path)} holds a {type(loaded).__name__}, not a pipeline.")
        return loaded

    def as_batch_function(self, **options: Any) -> Callable[..., Any]:
        """Make the function for ``Dataset.map(..., batched=True)``; see `textprep_ml.batch_function`.

        Parameters
        ----------
        **options : object
            Those of `batch_function`.

        Returns
        -------
        BatchFunction
            From a batch to its new columns.
        """
        return textprep_ml.batch_function(self, **options)


class LeafAnalyzer(TextTransformer):
    """Make terms of nested lists: the strings in them, at any depth, and n-grams of these.

    It is the `analyzer` of a vectorizer behind steps that give sentences, tokens or pieces.

    Parameters
    ----------
    ngram_range : (int, int), default=(1, 1)
        Shortest and longest n-grams. They stay inside the items of the document: inside its sentences, where it has
        such.
    stop_words : collection of str, optional
        Terms that are left out before n-grams are made.
    separator : str, default=" "
        Stands between the terms of an n-gram.

    Notes
    -----
    A tuple is one term: a token and its tag give ``"token/tag"``.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from textprep_ml import LeafAnalyzer
    >>> LeafAnalyzer(ngram_range=(1, 2))([["it", "rains"], ["stay", "in"]])
    ['it', 'rains', 'it rains', 'stay', 'in', 'stay in']
    >>> vectorizer = CountVectorizer(analyzer=LeafAnalyzer()).fit([[["it", "rains"], ["stay", ["i", "n"]]]])
    >>> vectorizer.get_feature_names_out().tolist()
    ['i', 'it', 'n', 'rains', 'stay']
    """

    _parameter_constraints = {
        "ngram_range": [tuple, list],
        "stop_words": [list, tuple, set, frozenset, None],
        "separator": [str],
    }

    def __init__(
        self,
        *,
        ngram_range: Sequence[int] = (1, 1),
        stop_words: Collection[str] | None = None,
        separator: str = " ",
    ) -> None:
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.separator = separator

    def __call__(self, document: Any) -> list[str]:
        """Give the terms of one document.

        Parameters
        ----------
        document : str, or nested lists of str
            What the steps before made of a document.

        Returns
        -------
        list of str
            In order; the n-grams of an item behind its terms, the short ones first.
        """
        return self._terms(document, ())

    def transform(self, X: Any) -> list[list[str]]:
        """Give the terms of documents.

        Parameters
        ----------
        X : sequence of str, or nested lists of str
            What the steps before made of documents.

        Returns
        -------
        list of list of str
            Without nesting.
        """
        self._validate_params()
        refuse_container(X, type(self).__name__)
        return [self._terms(document, (index,)) for index, document in enumerate(X)]

    def _terms(self, document: Any, place: tuple[int, ...]) -> list[str]:
        shortest, longest = self.ngram_range
        stop = frozenset(self.stop_words or ())
        terms: list[str] = []
        for item in self._items(document, place):
            kept = [term for term in item if term not in stop] if stop else item
            for n in range(shortest, longest + 1):
                terms += kept if n == 1 else map(self.separator.join, zip(*(kept[i:] for i in range(n)), strict=False))
        return terms

    def _items(self, document: Any, place: tuple[int, ...]) -> Iterator[list[str]]:
        """Give the terms of each list in a document; strings beside each other are a list too."""
        if not isinstance(document, list) or not any(isinstance(item, list) for item in document):
            yield list(self._leaves(document, place))
            return
        for index, item in enumerate(document):
            yield list(self._leaves(item, (*place, index)))

    def _leaves(self, item: Any, place: tuple[int, ...]) -> Iterator[str]:
        if isinstance(item, str):
            yield str(item)
        elif isinstance(item, list):
            for index, inner in enumerate(item):
                yield from self._leaves(inner, (*place, index))
        elif isinstance(item, tuple) and all(isinstance(part, str) for part in item):
            yield "/".join(item)
        else:
            where = " > ".join(map(str, place)) or "given"
            raise TypeError(
                f"{type(self).__name__} expects nested lists of str, but document {where} is {type(item).__name__}: "
                f"{shorten(item)}. Drop or convert it first."
            )

    def _get_state(self) -> dict[str, Any]:
        return {}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Nothing is learned, nothing is restored."""

    def _get_saved_params(self) -> dict[str, Any]:
        stop = self.stop_words
        return super()._get_saved_params() | {
            "ngram_range": list(self.ngram_range),
            "stop_words": sorted(stop) if isinstance(stop, set | frozenset) else stop,
        }


# The usual pipelines


def make_text_pipeline(
    *,
    normalizer: Any = None,
    segmenter: Any = None,
    tokenizer: Any = "words",
    tagger: Any = None,
    subword: Any = None,
    vectorizer: Any = None,
    classifier: Any = None,
    memory: Any = None,
) -> TextPipeline:
    """Put the usual steps into one pipeline, in their order and by their names.

    Each step is a name, a model file, an estimator, or None, which leaves it out. What is fitted already, and what is
    loaded, stays as it is: it stands in a `FrozenEstimator`, so that `fit` trains the others only.

    Parameters
    ----------
    normalizer : str or estimator, optional
        A preset of `make_normalizer`, such as ``"search"``.
    segmenter : str, path or estimator, optional
        ``"rules"``, ``"naive"``, or a trained model such as ``"en"``.
    tokenizer : str or estimator, optional
        ``"words"``, ``"ud"``, ``"ptb"``, ``"treebank"``, ``"whitespace"`` or ``"characters"``.
    tagger : str, path or estimator, optional
        A trained model such as ``"en-pos"``.
    subword : str, path or estimator, optional
        ``"bpe"``, which learns pieces of tokens, or a trained model.
    vectorizer : str or estimator, optional
        ``"tfidf"``, ``"counts"`` or ``"hashing"``, over the leaves of what comes before (see `LeafAnalyzer`). Where
        there is a classifier, None is ``"tfidf"``.
    classifier : str or estimator, optional
        ``"logistic"``, ``"bayes"`` or any classifier.
    memory : str or joblib.Memory, optional
        Where the fitted steps and what they gave are kept; see `sklearn.pipeline.Pipeline`.

    Returns
    -------
    TextPipeline
        Steps are called as the parameters.

    Raises
    ------
    ValueError
        If there is no step, or no such name.

    Examples
    --------
    >>> from textprep_ml import make_text_pipeline
    >>> make_text_pipeline(segmenter="en").transform(["We met Dr. Ito. She left."])
    [[['We', 'met', 'Dr.', 'Ito', '.'], ['She', 'left', '.']]]
    >>> texts, labels = ["a good film", "so bad", "good!", "a bad film"], ["+", "-", "+", "-"]
    >>> pipeline = make_text_pipeline(normalizer="search", subword="bpe", classifier="logistic")
    >>> pipeline = pipeline.set_params(subword__vocab_size=260).fit(texts, labels)
    >>> pipeline.predict(["GOOD film"]).tolist()
    ['+']
    """
    given = {
        "normalizer": normalizer,
        "segmenter": segmenter,
        "tokenizer": tokenizer,
        "tagger": tagger,
        "subword": subword,
        "vectorizer": "tfidf" if vectorizer is None and classifier is not None else vectorizer,
        "classifier": classifier,
    }
    steps = [(stage, _frozen(_find_step(stage, value))) for stage, value in given.items() if value is not None]
    if not steps:
        raise ValueError("make_text_pipeline needs at least one step.")
    return TextPipeline(steps, memory=memory)


def _frozen(step: Any) -> Any:
    """Keep what is fitted from being trained again."""
    tags = getattr(step, "__sklearn_tags__", None)
    if tags is None or not tags().requires_fit or isinstance(step, FrozenEstimator):
        return step
    try:
        check_is_fitted(step)
    except (NotFittedError, TypeError):
        return step
    return FrozenEstimator(step)


def _find_step(stage: str, value: Any) -> Any:
    if not isinstance(value, str | os.PathLike):
        return value
    makers = _MAKERS[stage]
    if value in makers:
        return makers[os.fspath(value)]()
    if stage == "normalizer":
        return textprep_ml.make_normalizer(os.fspath(value))
    if stage in _TRAINED:
        return textprep_ml.load(value)
    raise ValueError(f"No {stage} {os.fspath(value)!r}; there are {', '.join(makers)}.")


def _vectorizer(name: str) -> Callable[[], Any]:
    def make() -> Any:
        from sklearn.feature_extraction import text

        return getattr(text, name)(analyzer=LeafAnalyzer())

    return make


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _bayes() -> Any:
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


#: Stages for which a name that is not listed is a trained model.
_TRAINED = ("segmenter", "tagger", "subword")

#: Stage -> name -> what makes the step.
_MAKERS: dict[str, dict[str, Callable[[], Any]]] = {
    "normalizer": {},
    "segmenter": {
        "rules": lambda: textprep_ml.RuleSegmenter(),
        "naive": lambda: textprep_ml.NaiveSegmenter(),
    },
    "tokenizer": {
        "words": lambda: textprep_ml.WordTokenizer(),
        "ud": lambda: textprep_ml.WordTokenizer.from_preset("ud"),
        "ptb": lambda: textprep_ml.WordTokenizer.from_preset("ptb"),
        "treebank": lambda: textprep_ml.TreebankTokenizer(),
        "whitespace": lambda: textprep_ml.WhitespaceTokenizer(),
        "characters": lambda: textprep_ml.CharacterTokenizer(unit="grapheme"),
    },
    "tagger": {},
    "subword": {"bpe": lambda: textprep_ml.BPETokenizer(pretokenizer="none")},
    "vectorizer": {
        "tfidf": _vectorizer("TfidfVectorizer"),
        "counts": _vectorizer("CountVectorizer"),
        "hashing": _vectorizer("HashingVectorizer"),
    },
    "classifier": {"logistic": _logistic, "bayes": _bayes},
}
