"""Counting words and n-grams over streams of documents: exact or in bounded memory, in parts that merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textprep_ml import _kernels
from textprep_ml._parallel import cut_documents, map_chunks, map_documents
from textprep_ml._validation import Interval, StrOptions, check_documents
from textprep_ml.base import TextEstimator

_FOLDS: dict[str, Callable[[str], str]] = {"keep": str, "lower": str.lower, "fold": str.casefold}


def letter_words(text: str) -> list[str]:
    """Give the runs of letters and combining marks of a text, in order.

    Parameters
    ----------
    text : str
        Any string.

    Returns
    -------
    list of str
        Words without digits, apostrophes and hyphens.

    Examples
    --------
    >>> letter_words("Čapek's 2 robots")
    ['Čapek', 's', 'robots']
    """
    runs = _kernels.load("counts").letter_runs(text.encode("utf-8", "replace"), True)
    return [run.decode("utf-8") for run in runs]


def trim_counts(counts: Counter[str], size: int) -> int:
    """Bring a table of counts down to `size` entries by subtracting the largest count that has to go from all of them.

    Parameters
    ----------
    counts : Counter
        Changed in place.
    size : int
        How many entries may stay.

    Returns
    -------
    int
        What was subtracted: no count is too small by more than that.

    Notes
    -----
    This is the merge step of the Misra-Gries summary, Agarwal et al., "Mergeable summaries", PODS 2012: after any
    number of merges every count is too small by at most ``n / (size + 1)`` of `n` counted items, never too large.
    """
    if len(counts) <= size:
        return 0
    values = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    cut = int(np.partition(values, len(values) - size - 1)[len(values) - size - 1])
    kept = [(word, count - cut) for word, count in counts.items() if count > cut]
    counts.clear()
    counts.update(dict(kept))
    return cut


class _Terms(NamedTuple):
    """How documents become terms: what the workers need to know of a `WordCounter`."""

    tokenizer: Callable[[str], list[str]] | None
    case: str
    ngram_range: tuple[int, int]

    def count_in(self, documents: Iterable[str]) -> Counter[str]:
        """Count the terms of documents."""
        if self.tokenizer is None and self.ngram_range == (1, 1):
            return self._count_letters(documents)
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(self.of(document))
        return counts

    def _count_letters(self, documents: Iterable[str]) -> Counter[str]:
        """The fast way: the kernel counts raw words, folding sees each distinct word once."""
        table = _kernels.load("counts").WordTable(unicode=True)
        for document in documents:
            table.add(document.encode("utf-8", "replace"))
            table.close()
        counts: Counter[str] = Counter()
        for word, count in table.items():
            counts[_FOLDS[self.case](word.decode("utf-8"))] += count
        return counts

    def of(self, document: str) -> list[str]:
        """Give the words of a document and their n-grams."""
        folded = _FOLDS[self.case](document)
        words = letter_words(folded) if self.tokenizer is None else list(self.tokenizer(folded))
        low, high = self.ngram_range
        if high == 1:
            return words
        return [
            " ".join(words[start : start + size])
            for size in range(low, high + 1)
            for start in range(len(words) - size + 1)
        ]


def _count_known(terms: _Terms, vocabulary: Mapping[str, int], documents: Iterable[str]) -> list[Counter[int]]:
    """Count, for each document, the columns of its terms that are in the vocabulary."""
    return [
        Counter(column for term in terms.of(document) if (column := vocabulary.get(term)) is not None)
        for document in documents
    ]


class WordCounter(TransformerMixin, TextEstimator):
    """Count words or n-grams of words; the counts make a vocabulary and document vectors.

    Documents may come in batches (`partial_fit`) and counters made in parallel may be added (`merge`): the result is
    the same as that of one pass. With `max_words` memory is bounded and counts are lower bounds, see `error_bound_`.

    Parameters
    ----------
    tokenizer : callable, optional
        Text -> tokens, such as a `WordTokenizer`. By default words are runs of letters and combining marks of any
        script; no word is dropped for being short.
    case : {"keep", "lower", "fold"}, default="keep"
        ``"fold"`` is Unicode case folding (``ß`` equals ``ss``).
    ngram_range : (int, int), default=(1, 1)
        Shortest and longest n-grams of words, joined by a blank. They don't cross documents.
    vocab_size : int, optional
        How many terms `transform` uses: the most frequent, equal counts in the order of the words.
    max_words : int, optional
        How many counts are kept while counting; without it counting is exact.
    keep_counts : bool, default=False
        Whether `fit` keeps the counts of terms that `vocab_size` leaves out. `partial_fit` always keeps them.
    sparse_output : bool, default=True
        Whether `transform` gives a sparse matrix.

    Attributes
    ----------
    counts_ : dict of str to int
        Term -> count.
    vocabulary_ : dict of str to int
        Term -> column; columns are in the order of the terms.
    n_tokens_ : int
        How many terms were counted, left out ones included.
    n_documents_ : int
        How many documents were counted.
    error_bound_ : int
        A count may be too small by this much, and a term with at most this count may be missing; 0 when exact.

    See Also
    --------
    sklearn.feature_extraction.text.CountVectorizer : Document vectors alone.

    Examples
    --------
    >>> from textprep_ml.counts import WordCounter
    >>> counter = WordCounter(case="lower").fit(["The cat and the dog", "the end"])
    >>> counter.most_common(2)
    [('the', 3), ('and', 1)]
    >>> counter.transform(["the the cat"]).toarray()
    array([[0, 1, 0, 0, 2]])
    >>> counter.get_feature_names_out().tolist()
    ['and', 'cat', 'dog', 'end', 'the']
    """

    counts_: dict[str, int]
    vocabulary_: dict[str, int]
    n_tokens_: int
    n_documents_: int
    error_bound_: int
    _n_types: int
    _cut: bool

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "tokenizer": [callable, None],
        "case": [StrOptions(set(_FOLDS))],
        "ngram_range": [tuple],
        "vocab_size": [Interval(Integral, 1, None, closed="left"), None],
        "max_words": [Interval(Integral, 1, None, closed="left"), None],
        "keep_counts": ["boolean"],
        "sparse_output": ["boolean"],
    }

    def __init__(
        self,
        *,
        tokenizer: Callable[[str], list[str]] | None = None,
        case: str = "keep",
        ngram_range: tuple[int, int] = (1, 1),
        vocab_size: int | None = None,
        max_words: int | None = None,
        keep_counts: bool = False,
        sparse_output: bool = True,
    ) -> None:
        self.tokenizer = tokenizer
        self.case = case
        self.ngram_range = ngram_range
        self.vocab_size = vocab_size
        self.max_words = max_words
        self.keep_counts = keep_counts
        self.sparse_output = sparse_output

    # --- counting -----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the documents of `X` from zero.

        Parameters
        ----------
        X : iterable of str
            Documents.
        y : object
            Ignored.

        Returns
        -------
        self
            Fitted.
        """
        self._check_params()
        self._reset()
        self._count(check_documents(X, type(self).__name__))
        self._choose_vocabulary()
        if self.vocab_size is not None and not self.keep_counts:
            self.counts_ = {word: self.counts_[word] for word in self.vocabulary_}
            self._cut = len(self.counts_) < self._n_types
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Count the documents of `X` on top of what was counted before.

        Parameters
        ----------
        X : iterable of str
            Documents; an iterator is fine.
        y : object
            Ignored.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If `fit` has cut the counts to `vocab_size`.
        """
        self._check_params()
        if not hasattr(self, "counts_"):
            self._reset()
        self._check_whole()
        self._count(check_documents(X, type(self).__name__))
        self._choose_vocabulary()
        return self

    def merge(self, other: WordCounter) -> Self:
        """Add the counts of another counter.

        Parameters
        ----------
        other : WordCounter
            Fitted with the same parameters on other documents.

        Returns
        -------
        self
            With the sums.

        Raises
        ------
        ValueError
            If the parameters differ, or one of the two was cut to `vocab_size`.
        """
        check_is_fitted(self)
        check_is_fitted(other)
        for name in ("case", "ngram_range", "max_words"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"WordCounter cannot merge counters with different {name}: "
                    f"{getattr(self, name)!r} and {getattr(other, name)!r}."
                )
        self._check_whole()
        other._check_whole()
        self.n_documents_ += other.n_documents_
        self._add(Counter(other.counts_), other.n_tokens_, other.error_bound_)
        self._choose_vocabulary()
        return self

    def _check_params(self) -> None:
        self._validate_params()
        low, high = self.ngram_range if len(self.ngram_range) == 2 else (0, 0)
        if not (isinstance(low, Integral) and isinstance(high, Integral) and 1 <= low <= high):
            raise ValueError(
                f"WordCounter expects ngram_range=(shortest, longest) with 1 <= shortest <= longest, "
                f"but got {self.ngram_range!r}."
            )

    def _check_whole(self) -> None:
        if self._cut:
            raise ValueError(
                "WordCounter was fitted with vocab_size and kept no other counts; "
                "use keep_counts=True to go on counting."
            )

    def _reset(self) -> None:
        self.counts_ = {}
        self.n_tokens_ = 0
        self.n_documents_ = 0
        self.error_bound_ = 0
        self._cut = False
        self._n_types = 0

    def _count(self, documents: Sequence[str]) -> None:
        self.n_documents_ += len(documents)
        counts: Counter[str] = Counter()
        for part in map_chunks(self._terms().count_in, cut_documents(documents, None)):
            counts.update(part)
        self._add(counts, counts.total())

    def _terms(self) -> _Terms:
        return _Terms(self.tokenizer, self.case, self.ngram_range)

    def _add(self, counts: Counter[str], n_tokens: int, error: int = 0) -> None:
        total = Counter(self.counts_)
        total.update(counts)
        self.n_tokens_ += n_tokens
        self.error_bound_ += error
        if self.max_words is not None:
            self.error_bound_ += trim_counts(total, self.max_words)
        self.counts_ = dict(total)
        self._n_types = len(total)

    def _choose_vocabulary(self) -> None:
        terms = self.counts_ if self.vocab_size is None else [word for word, _ in self.most_common(self.vocab_size)]
        self.vocabulary_ = {word: column for column, word in enumerate(sorted(terms))}

    # --- results ------------------------------------------------------------------------------------------------------

    def most_common(self, n: int | None = None) -> list[tuple[str, int]]:
        """Give the most frequent terms.

        Parameters
        ----------
        n : int, optional
            How many; all by default.

        Returns
        -------
        list of (str, int)
            Terms and counts; equal counts in the order of the terms.
        """
        check_is_fitted(self)
        ranked = sorted(self.counts_.items(), key=lambda item: (-item[1], item[0]))
        return ranked if n is None else ranked[:n]

    def zipf_table(self, n: int | None = None) -> dict[str, list[Any]]:
        """Give rank, count and share of the most frequent terms, ready for a data frame or a log-log plot.

        Parameters
        ----------
        n : int, optional
            How many ranks; all by default.

        Returns
        -------
        dict of str to list
            ``term``, ``rank`` (from 1), ``count``, ``share`` (of all counted terms), ``rank_times_count`` (about
            constant under Zipf's law).
        """
        ranked = self.most_common(n)
        counts = [count for _, count in ranked]
        return {
            "term": [term for term, _ in ranked],
            "rank": list(range(1, len(ranked) + 1)),
            "count": counts,
            "share": [count / self.n_tokens_ for count in counts],
            "rank_times_count": [rank * count for rank, count in enumerate(counts, start=1)],
        }

    def type_token(self) -> dict[str, float]:
        """Measure how rich the vocabulary is.

        Returns
        -------
        dict of str to float
            ``tokens``, ``types``, ``type_token_ratio``, ``guiraud`` (types / sqrt(tokens)), ``herdan`` (log types / log
            tokens), ``yule_k`` (10^4 (sum of count^2 - tokens) / tokens^2), ``hapaxes`` (terms counted once) and
            ``hapax_share`` (of the types).

        Notes
        -----
        The measures and their dependence on text length: Tweedie and Baayen, "How variable may a constant be?",
        Computers and the Humanities 32, 1998.
        """
        check_is_fitted(self)
        counts = np.fromiter(self.counts_.values(), dtype=np.float64, count=len(self.counts_))
        tokens, types, hapaxes = self.n_tokens_, len(counts), int((counts == 1).sum())
        return {
            "tokens": tokens,
            "types": types,
            "type_token_ratio": types / tokens if tokens else 0.0,
            "guiraud": types / tokens**0.5 if tokens else 0.0,
            "herdan": float(np.log(types) / np.log(tokens)) if tokens > 1 else 0.0,
            "yule_k": 1e4 * float((counts**2).sum() - tokens) / tokens**2 if tokens else 0.0,
            "hapaxes": hapaxes,
            "hapax_share": hapaxes / types if types else 0.0,
        }

    def transform(self, X: Any) -> Any:
        """Count the vocabulary's terms in every document.

        Parameters
        ----------
        X : iterable of str
            Documents.

        Returns
        -------
        csr_matrix or ndarray of shape (n_documents, n_terms)
            Counts, dtype int64.

        Raises
        ------
        ValueError
            If pandas or polars output is set while the output is sparse.
        """
        check_is_fitted(self)
        documents = check_documents(X, type(self).__name__)
        if self.sparse_output and getattr(self, "_sklearn_output_config", {}).get("transform", "default") != "default":
            raise ValueError(
                "WordCounter has sparse output, which no data frame holds. "
                "Set sparse_output=False, or set_output(transform='default')."
            )
        columns: list[int] = []
        values: list[int] = []
        ends = [0]
        for found in map_documents(partial(_count_known, self._terms(), self.vocabulary_), documents):
            columns += found.keys()
            values += found.values()
            ends.append(len(columns))
        shape = (len(documents), len(self.vocabulary_))
        matrix = csr_matrix(
            (np.array(values, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(ends)), shape=shape
        )
        matrix.sort_indices()
        return matrix if self.sparse_output else matrix.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the columns of `transform`.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        ndarray of shape (n_terms,)
            The terms, in the order of the columns.
        """
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def _get_saved_params(self) -> dict[str, Any]:
        if self.tokenizer is not None:
            raise ValueError(
                "WordCounter can be saved without a tokenizer of its own only; "
                "pickle it, or count with the default words."
            )
        return {**self.get_params(deep=False), "ngram_range": list(self.ngram_range)}

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self)
        names = ("n_tokens_", "n_documents_", "error_bound_", "_cut", "_n_types")
        # In an order that does not tell in which parts the words were counted.
        return {"counts_": dict(self.most_common()), **{name: getattr(self, name) for name in names}}

    def _set_state(self, state: dict[str, Any]) -> None:
        self.ngram_range = tuple(self.ngram_range)  # type: ignore[assignment]
        self._reset()
        self.counts_ = {str(word): int(count) for word, count in state["counts_"].items()}
        self.n_tokens_, self.n_documents_ = int(state["n_tokens_"]), int(state["n_documents_"])
        self.error_bound_ = int(state["error_bound_"])
        self._cut, self._n_types = bool(state["_cut"]), int(state["_n_types"])
        self._choose_vocabulary()
