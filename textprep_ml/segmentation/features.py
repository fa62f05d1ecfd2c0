"""From the codes of candidates to the columns that a classifier learns from.

Linear models get one column per combination of values that a template crosses (``kind & left.word``); trees and
others get the attributes themselves, their codes ranked by how often a boundary follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from textprep_ml.segmentation.attributes import ATTRIBUTES, NAMES, cardinalities
from textprep_ml.segmentation.templates import TEMPLATES, TemplateLayout, column_name


def is_linear(estimator: Any) -> bool:
    """Tell whether an estimator learns one weight per column, going by the part of scikit-learn that it comes from.

    Parameters
    ----------
    estimator : classifier
        Of scikit-learn, or built on one of its classes.

    Returns
    -------
    bool
        Whether crossed columns suit it.
    """
    parts = ("linear_model", "naive_bayes", "svm")
    return any(f"sklearn.{part}." in f"{type(estimator).__module__}." for part in parts)


class CrossedEncoder:
    """One 0/1 column for each combination that occurs often enough in training.

    Parameters
    ----------
    templates : sequence of str
        What is crossed.
    min_count : int
        Rarer combinations get no column.
    """

    def __init__(self, templates: Sequence[str] = TEMPLATES, min_count: int = 4) -> None:
        self.templates = tuple(templates)
        self.min_count = min_count

    def fit_transform(self, rows: np.ndarray, y: np.ndarray, vocabulary: list[str]) -> sparse.csr_matrix:
        """Choose the columns and encode the training candidates.

        Parameters
        ----------
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.
        y : ndarray of shape (n_candidates,)
            Ignored; other encoders need it.
        vocabulary : list of str
            The model's words.

        Returns
        -------
        sparse matrix of shape (n_candidates, n_columns)
            float32.
        """
        self.vocabulary = vocabulary
        self.layout = TemplateLayout(self.templates, len(vocabulary))
        places = self.layout.index(rows)
        self.places = np.flatnonzero(np.bincount(places.ravel(), minlength=self.layout.size) >= self.min_count)
        return self._encode(places)

    def transform(self, rows: np.ndarray) -> sparse.csr_matrix:
        """Encode candidates.

        Parameters
        ----------
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.

        Returns
        -------
        sparse matrix of shape (n_candidates, n_columns)
            float32.
        """
        return self._encode(self.layout.index(rows))

    def _encode(self, places: np.ndarray) -> sparse.csr_matrix:
        column_of = np.full(self.layout.size, -1, dtype=np.int32)
        column_of[self.places] = np.arange(len(self.places), dtype=np.int32)
        columns = column_of[places]
        known = columns >= 0
        bounds = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        ones = np.ones(bounds[-1], dtype=np.float32)
        return sparse.csr_matrix((ones, columns[known], bounds), shape=(len(places), len(self.places)))

    def get_feature_names_out(self) -> np.ndarray:
        """Name every column.

        Returns
        -------
        ndarray of shape (n_columns,)
            Such as ``"kind=gap & right.word=thanks"``.
        """
        templates, codes = self.layout.split(self.places)
        names = [
            column_name(self.layout.crossed[template], values, self.vocabulary)
            for template, values in zip(templates.tolist(), codes, strict=True)
        ]
        return np.array(names, dtype=object)

    def weights(self, coefficients: np.ndarray, intercept: float) -> np.ndarray:
        """Spread a linear model's coefficients over the flat table.

        Parameters
        ----------
        coefficients : ndarray of shape (n_columns,)
            One per column.
        intercept : float
            Added to each value of the first template that has one attribute.

        Returns
        -------
        ndarray of shape (layout.size,)
            float32.
        """
        table = np.zeros(self.layout.size, dtype=np.float32)
        table[self.places] = coefficients
        bias = self.templates.index("kind")
        start = self.layout.offsets[bias]
        table[start : start + self.layout.shapes[bias][0]] += np.float32(intercept)
        return table


class RankedEncoder:
    """The attributes themselves, one column each, unordered ones ranked by the share of boundaries in training.

    For two classes the best split of a category into two groups is among the splits of that order (Breiman et al.
    1984, Classification and Regression Trees, section 4.2), so a tree can ask about words and shapes as if they were
    numbers.

    Parameters
    ----------
    smoothing : float
        How many average candidates are added to each code before its share is taken.
    """

    def __init__(self, smoothing: float = 20.0) -> None:
        self.smoothing = smoothing

    def fit_transform(self, rows: np.ndarray, y: np.ndarray, vocabulary: list[str]) -> np.ndarray:
        """Rank the codes and encode the training candidates.

        Parameters
        ----------
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.
        y : ndarray of shape (n_candidates,)
            Whether each is a boundary.
        vocabulary : list of str
            The model's words.

        Returns
        -------
        ndarray of shape (n_candidates, n_attributes)
            float32 ranks.
        """
        sizes = cardinalities(len(vocabulary))
        self.rank_offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        self.ranks = np.concatenate(
            [
                np.arange(size) if attribute.ordered else self._rank(rows[:, column], y, size)
                for column, (attribute, size) in enumerate(zip(ATTRIBUTES, sizes, strict=True))
            ]
        ).astype(np.uint16)
        return self.transform(rows)

    def _rank(self, codes: np.ndarray, y: np.ndarray, size: int) -> np.ndarray:
        total = np.bincount(codes, minlength=size)
        boundaries = np.bincount(codes, weights=y, minlength=size)
        share = (boundaries + self.smoothing * y.mean()) / (total + self.smoothing)
        ranks = np.empty(size, dtype=np.int64)
        ranks[np.argsort(share, kind="stable")] = np.arange(size)
        return ranks

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """Encode candidates.

        Parameters
        ----------
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.

        Returns
        -------
        ndarray of shape (n_candidates, n_attributes)
            float32 ranks.
        """
        return self.ranks[rows + self.rank_offsets].astype(np.float32)

    def get_feature_names_out(self) -> np.ndarray:
        """Name every column.

        Returns
        -------
        ndarray of shape (n_attributes,)
            The names of the attributes.
        """
        return np.array(NAMES, dtype=object)
