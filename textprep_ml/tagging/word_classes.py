"""Classes of words that occur in the same company, learned from text without labels."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.cluster import MiniBatchKMeans

from textprep_ml.tagging.features import normalize_word


def induce_word_classes(
    sentences: Iterable[Sequence[str]],
    *,
    n_classes: int = 128,
    n_words: int = 20_000,
    n_contexts: int = 2_000,
    n_components: int = 60,
    random_state: int = 0,
) -> dict[str, str]:
    """Group the most frequent words by the words that stand beside them.

    Counts of left and right neighbours become square roots of positive pointwise mutual information with smoothed
    contexts (Levy, Goldberg and Dagan 2015), these vectors are cut to a few dimensions by singular values, set to
    length one, and grouped by k-means. For a tagger, a word that was rare or absent in the labelled text then counts
    like the known words of its class.

    Parameters
    ----------
    sentences : iterable of sequences of str
        Tokens, cut as those that will be tagged. Some million give useful classes.
    n_classes : int, default=128
        Number of classes.
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
    numbers: dict[str, int] = {}
    forms: dict[str, int] = {}
    stream = array("i")
    for sentence in sentences:
        for form in sentence:
            number = forms.get(form)
            if number is None:
                number = forms[form] = numbers.setdefault(normalize_word(form), len(numbers))
            stream.append(number)
        stream.append(-1)
    ids = np.frombuffer(stream, dtype=np.int32)
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
    return {names[word]: str(number) for word, number in zip(frequent.tolist(), classes.tolist(), strict=True)}


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
