"""The usual pipelines, by the names of their steps."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

import textprep_ml
from textprep_ml._validation import shorten
from textprep_ml.pipelines.leaves import LeafAnalyzer
from textprep_ml.pipelines.steps import TextPipeline


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
        ``"bpe"`` or ``"unigram"``, which learn pieces of tokens, or a trained model.
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
    TypeError
        If a step is neither a name nor an estimator.

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
        if isinstance(value, type) or not hasattr(value, "fit" if stage == "classifier" else "transform"):
            raise TypeError(f"{stage} must be a name or an estimator, got {shorten(value)}.")
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
    "subword": {
        "bpe": lambda: textprep_ml.BPETokenizer(pretokenizer="none"),
        "unigram": lambda: textprep_ml.UnigramTokenizer(pretokenizer="none"),
    },
    "vectorizer": {
        "tfidf": _vectorizer("TfidfVectorizer"),
        "counts": _vectorizer("CountVectorizer"),
        "hashing": _vectorizer("HashingVectorizer"),
    },
    "classifier": {"logistic": _logistic, "bayes": _bayes},
}
