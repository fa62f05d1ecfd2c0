"""Classes of words that occur in the same company, learned from text without labels."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.cluster import MiniBatchKMeans

from textprep_ml._unicode_table import UPPER, class_of
from textprep_ml.tagging.features import normalize_word

#: After these a capital says nothing.
_OPENING = frozenset(".!?:\"“”‘'*") | {"``", "''"}
#: Shares of capitals that part small, mixed and capital.
_CASE_BOUNDS = (0.3, 0.8)


def induce_word_classes(
    sentences: Iterable[Sequence[str]],
    *,
    n_classes: int = 128,
    n_words: int = 20_000,
    n_contexts: int = 2_000,
    n_components: int = 60,
    random_state: int = 0,
) -> dict[str, str]:
    """Group the most frequent words by the words that stand beside them and by their case.

    Counts of left and right neighbours become square roots of positive pointwise mutual information with smoothed
    contexts (Levy, Goldberg and Dagan 2015), these vectors are cut to a few dimensions by singular values, set to
    length one, and grouped by k-means. For a tagger, a word that was rare or absent in the labelled text then counts
    like the known words of its class.

    Parameters
    ----------
    sentences : iterable of sequences of str
        Tokens, cut as those that will be tagged. Some million give useful classes.
    n_classes : int, default=128
        Number of groups.
    n_words : int, default=20000
        How many of the most frequent words get a class.
    n_contexts : int, default=2000
        How many of them count as neighbours.
    n_components : int, default=60
        Dimensions of the word vectors.
    random_state : int, default=0
        Seed.

    Returns
    -------
    dict
        Normalized words (`normalize_word`) to class names; for the parameter `word_classes` of `PosTagger`.

    Raises
    ------
    ValueError
        If the text has fewer different words than classes.
    """
    forms: dict[str, int] = {}
    stream = array("i")
    for sentence in sentences:
        stream.extend([forms.setdefault(form, len(forms)) for form in sentence])
        stream.append(-1)
    numbers: dict[str, int] = {}
    of_form = np.array(
        [numbers.setdefault(normalize_word(form), len(numbers)) for form in forms] + [-1], dtype=np.int32
    )
    form_ids = np.frombuffer(stream, dtype=np.int32)
    case = _case_of_words(form_ids, forms, of_form, len(numbers))
    ids = of_form[form_ids]  # the last entry serves the -1 between sentences
    counts = np.bincount(ids[ids >= 0], minlength=len(numbers))
    frequent = np.argsort(-counts, kind="stable")[:n_words]
    if len(frequent) < n_classes:
        raise ValueError(
            f"{len(frequent)} different words cannot make {n_classes} classes: pass more text or fewer classes."
        )
    ranks = np.full(len(numbers) + 1, -1, dtype=np.int32)  # the last entry serves the -1 between sentences
    ranks[frequent] = np.arange(len(frequent))
    ids = ranks[ids]
    sides = [
        _neighbours(ids[1:], ids[:-1], len(frequent), n_contexts),
        _neighbours(ids[:-1], ids[1:], len(frequent), n_contexts),
    ]
    vectors = _vectors(sparse.hstack(sides).tocsr(), n_components)
    classes = MiniBatchKMeans(n_classes, batch_size=4096, n_init=3, random_state=random_state).fit_predict(vectors)
    names = list(numbers)
    return {
        names[word]: f"{number}{case[word]}" for word, number in zip(frequent.tolist(), classes.tolist(), strict=True)
    }


def _case_of_words(form_ids: np.ndarray, forms: Mapping[str, int], of_form: np.ndarray, n_words: int) -> np.ndarray:
    """Tell how words are written inside sentences: a for small, b for mixed, c for capital first letters."""
    opening = np.array([form in _OPENING for form in forms] + [True])
    capital = np.array([bool(form) and bool(class_of(form[0]) & UPPER) for form in forms] + [False])
    inside = np.flatnonzero(~opening[form_ids[:-1]] & (form_ids[1:] >= 0)) + 1
    words, capitals = of_form[form_ids[inside]], capital[form_ids[inside]]
    share = np.bincount(words[capitals], minlength=n_words) / np.maximum(np.bincount(words, minlength=n_words), 1)
    return np.array(["a", "b", "c"])[np.searchsorted(_CASE_BOUNDS, share, side="right")]


def _neighbours(words: np.ndarray, contexts: np.ndarray, n_words: int, n_contexts: int) -> sparse.csr_matrix:
    """Count contexts and turn the counts into square roots of positive pointwise mutual information."""
    used = (words >= 0) & (contexts >= 0) & (contexts < n_contexts)
    n_contexts = min(n_contexts, n_words)
    ones = np.ones(int(used.sum()), dtype=np.float64)
    counts = sparse.coo_matrix((ones, (words[used], contexts[used])), shape=(n_words, n_contexts)).tocsr().tocoo()
    by_word = np.asarray(counts.sum(axis=1)).ravel()
    by_context = np.asarray(counts.sum(axis=0)).ravel() ** 0.75
    by_context /= by_context.sum() or 1.0
    information = np.log(counts.data / (by_word[counts.row] * by_context[counts.col]))
    return sparse.csr_matrix((np.sqrt(np.maximum(information, 0)), (counts.row, counts.col)), shape=counts.shape)


def _vectors(matrix: sparse.csr_matrix, n_components: int) -> np.ndarray:
    left, values, _ = svds(matrix, k=min(n_components, min(matrix.shape) - 1), random_state=0)
    vectors = left * np.sqrt(values)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
