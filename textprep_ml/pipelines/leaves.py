"""From nested lists to the terms of a vectorizer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from textprep_ml._validation import refuse_container, shorten
from textprep_ml.base import TextTransformer


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
