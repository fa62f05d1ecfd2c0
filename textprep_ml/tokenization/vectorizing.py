"""Helpers that put a tokenizer into scikit-learn's vectorizers without its traps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer

from textprep_ml._validation import shorten


def stop_tokens(
    stop_words: Iterable[str],
    tokenizer: Callable[[str], list[str]],
    *,
    normalizer: Any = None,
    lowercase: bool = True,
) -> list[str]:
    """Run a stop list through the steps that the texts go through, so that its words are found among the tokens.

    Parameters
    ----------
    stop_words : iterable of str
        Such as ``["isn't", "The"]``.
    tokenizer : callable
        Text -> tokens; the one of the vectorizer.
    normalizer : transformer or callable, optional
        What comes before the tokenizer: an object with `transform`, or text -> text.
    lowercase : bool, default=True
        Whether the vectorizer lowers its texts.

    Returns
    -------
    list of str
        The distinct tokens, sorted.

    Examples
    --------
    >>> from textprep_ml.tokenization import WordTokenizer
    >>> stop_tokens(["isn't", "The"], WordTokenizer())
    ['is', "n't", 'the']
    """
    if isinstance(stop_words, str):
        raise TypeError(f"stop_tokens expects a list of words, but got one str: {shorten(stop_words)}.")
    words = [word.lower() if lowercase else word for word in stop_words]
    if normalizer is not None:
        words = (
            list(normalizer.transform(words))
            if hasattr(normalizer, "transform")
            else [normalizer(word) for word in words]
        )
    return sorted({token for word in words for token in tokenizer(word)})


def make_vectorizer(
    tokenizer: Callable[[str], list[str]],
    *,
    kind: type = TfidfVectorizer,
    stop_words: Iterable[str] | None = None,
    lowercase: bool = True,
    **params: Any,
) -> Any:
    """Make a scikit-learn vectorizer that uses a tokenizer of ours and warns about nothing.

    Parameters
    ----------
    tokenizer : callable
        Text -> tokens. Searchable as ``tokenizer__...``.
    kind : type, default=TfidfVectorizer
        `TfidfVectorizer`, `CountVectorizer` or `HashingVectorizer`.
    stop_words : iterable of str, optional
        Goes through the tokenizer first, see `stop_tokens`.
    lowercase : bool, default=True
        Whether texts are lowered first.
    **params : object
        Other parameters of the vectorizer.

    Returns
    -------
    vectorizer
        Unfitted.

    Examples
    --------
    >>> from textprep_ml.tokenization import WordTokenizer
    >>> make_vectorizer(WordTokenizer(), stop_words=["the"]).fit(["The a b"]).get_feature_names_out().tolist()
    ['a', 'b']
    """
    stop = stop_tokens(stop_words, tokenizer, lowercase=lowercase) if stop_words is not None else None
    return kind(tokenizer=tokenizer, token_pattern=None, stop_words=stop, lowercase=lowercase, **params)
