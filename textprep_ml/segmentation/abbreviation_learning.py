"""Abbreviations from raw text, without labels.

After Kiss & Strunk (2006), "Unsupervised Multilingual Sentence Boundary Detection", Computational Linguistics 32(4),
with three changes. Their penalty counts the occurrences without a period, so that in much text no frequent abbreviation
is left (*etc.*, 46 of 57); here it goes by their rate. A word that goes on in lower case after its period is taken
however long it is. And a word without any such sign has to come three times: most of those that come twice ended two
sentences by chance.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from textprep_ml.segmentation.words import MAX_WORD_LENGTH, WordCounts, count_words

#: Where the paper draws the line.
THRESHOLD = 0.3

#: Occurrences up to which the penalty is that of the paper; of more, it counts those without a period among so many.
_PENALIZED = 20

#: A word is an abbreviation where it has a period so often, and goes on in lower case after so many of its periods.
_LOWER_AFTER = ((0.9, 0.1), (0.6, 0.2))


def _log_likelihood(k: np.ndarray, n: np.ndarray, p: np.ndarray | float) -> np.ndarray:
    return k * np.log(p) + (n - k) * np.log1p(-np.asarray(p))


def abbreviation_scores(counts: WordCounts) -> np.ndarray:
    """Score how likely each word is an abbreviation.

    The log-likelihood ratio of "a period follows nearly always" against "periods follow by chance" is scaled by the
    word's length (abbreviations are short), by its inner periods, and by a penalty for occurrences without a period, of
    which those among twenty count. A word that often goes on in lower case after its period has at least `THRESHOLD`.

    Parameters
    ----------
    counts : WordCounts
        Of raw text.

    Returns
    -------
    ndarray of shape (n_words,)
        From `THRESHOLD` on a word is taken for an abbreviation.
    """
    with_period = counts.table[:, 2].astype(float)
    total = counts.totals.astype(float)
    chance = min(max(with_period.sum() / max(total.sum(), 1.0), 1e-9), 0.98)
    ratio = 2 * (_log_likelihood(with_period, total, 0.99) - _log_likelihood(with_period, total, chance))
    inner = np.array([word.count(".") for word in counts.words], dtype=float)
    length = np.array([len(word) for word in counts.words], dtype=float) - inner
    without = (total - with_period) * np.minimum(1.0, _PENALIZED / np.maximum(total, 1.0))
    penalty = np.exp(-without * np.log(np.maximum(length, 1.0)))
    scores = ratio * np.exp(-length) * (inner + 1) * penalty
    return np.where(_goes_on(counts), np.maximum(scores, THRESHOLD), scores)


def learn_abbreviations(texts: Iterable[str], *, threshold: float = THRESHOLD, min_count: int = 2) -> list[str]:
    """Find the abbreviations of raw text.

    Parameters
    ----------
    texts : iterable of str
        Unlabelled text of the domain.
    threshold : float
        Smallest score.
    min_count : int
        Smallest number of occurrences with a period; one more where a word has no period inside and seldom goes on in
        lower case.

    Returns
    -------
    list of str
        Lower-cased, without the final period, best first.

    Examples
    --------
    >>> learn_abbreviations(["See Abb. 3 and Abb. 4. The line ends here. Here the line is long."] * 5)
    ['abb']
    """
    counts = count_words(texts)
    if not counts.words:
        return []
    scores = abbreviation_scores(counts)
    has_sign = _goes_on(counts) | np.array(["." in word for word in counts.words])
    return [
        counts.words[index]
        for index in np.argsort(-scores, kind="stable")
        if scores[index] >= threshold
        and counts.table[index, 2] >= min_count + (not has_sign[index])
        and len(counts.words[index]) < MAX_WORD_LENGTH
        and len(counts.words[index].split()) == 1
        and len(counts.words[index]) > 1  # single letters are initials, which have a shape of their own
    ]


def _goes_on(counts: WordCounts) -> np.ndarray:
    """Tell which words go on in lower case after their periods, as no sentence does."""
    with_period, before_lower = counts.table[:, 2], counts.table[:, 3]
    return (before_lower >= 2) & np.any(
        [
            (with_period >= share * counts.totals) & (before_lower > lower_share * with_period)
            for share, lower_share in _LOWER_AFTER
        ],
        axis=0,
    )
