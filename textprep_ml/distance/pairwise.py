"""Distances of many sequences at once, as scikit-learn's "precomputed" metrics and as features."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from rapidfuzz.process import cdist
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from textprep_ml._kernels import load
from textprep_ml._validation import Interval, StrOptions, check_documents, shorten
from textprep_ml.base import TextEstimator
from textprep_ml.distance.costs import Costs, PairCosts, as_strings, check_cost, check_sequence, classify, make_costs
from textprep_ml.distance.edit import rapid_distance
from textprep_ml.exceptions import ModelFormatError

_kernel = load("distance")


def _check_sequences(X: Any, name: str) -> list[Any]:
    if isinstance(X, str | bytes) or not isinstance(X, Iterable):
        raise TypeError(
            f"{name} must be a sequence of strings or of token sequences, but got {type(X).__name__}: {shorten(X)}."
        )
    return [check_sequence(item, f"{name}[{index}]") for index, item in enumerate(X)]


def pairwise_edit_distances(
    X: Iterable[Any],
    Y: Iterable[Any] | None = None,
    insertion: float = 1,
    deletion: float = 1,
    substitution: float = 1,
    transposition: float | None = None,
    cost: PairCosts | None = None,
    *,
    variant: str = "damerau",
    normalized: bool = False,
    max_distance: float | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Compute the edit distance of every sequence in `X` to every sequence in `Y`.

    The result goes into ``metric="precomputed"`` of scikit-learn's neighbours, clusterings and embeddings.

    Parameters
    ----------
    X : iterable of str, or of token sequences
        The rows.
    Y : iterable of str, or of token sequences, optional
        The columns; `X` itself when None.
    insertion, deletion, substitution, transposition, cost, variant
        As for `edit_distance`: the cost of turning the row into the column.
    normalized : bool, default=False
        Divide each distance as `normalized_edit_distance` does.
    max_distance : float, optional
        Greater distances (before they are normalized) are given as ``max_distance + 1``, which keeps the matrix finite.
    n_jobs : int, optional
        Number of threads; -1 for all processors.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        int64 when all costs are ints and `normalized` is false, else float64.

    Raises
    ------
    TypeError
        If `X` or `Y` is one string, or an element is no sequence; the message has its index.
    ValueError
        As for `edit_distance`.

    Examples
    --------
    The words of a lexicon that are nearest to a misspelt one:

    >>> from sklearn.neighbors import NearestNeighbors
    >>> from textprep_ml.distance import pairwise_edit_distances
    >>> lexicon = ["sentence", "segment", "cement", "token"]
    >>> neighbours = NearestNeighbors(n_neighbors=2, metric="precomputed").fit(pairwise_edit_distances(lexicon))
    >>> distances, places = neighbours.kneighbors(pairwise_edit_distances(["segmant"], lexicon))
    >>> [(lexicon[place], int(distance)) for place, distance in zip(places[0], distances[0])]
    [('segment', 1), ('cement', 3)]
    """
    costs = make_costs(insertion, deletion, substitution, transposition, cost, variant)
    limit = math.inf if max_distance is None else check_cost(max_distance, "max_distance")
    if normalized and math.inf in (costs.insertion, costs.deletion):
        raise ValueError("Normalized distances need finite insertion and deletion costs.")
    X = _check_sequences(X, "X")
    Y = X if Y is None else _check_sequences(Y, "Y")
    distances = _matrix(X, Y, costs, limit, effective_n_jobs(n_jobs))
    if not normalized:
        return distances
    worst = np.array([[costs.worst(len(x), len(y)) or 1 for y in Y] for x in X], dtype=np.float64).reshape(
        len(X), len(Y)
    )
    return distances / worst


def _matrix(X: list[Any], Y: list[Any], costs: Costs, limit: float, n_threads: int) -> np.ndarray:
    strings = as_strings([*X, *Y])
    rows, columns = strings[: len(X)], strings[len(X) :]
    if not rows or not columns:
        return np.zeros((len(rows), len(columns)), dtype=np.int64 if costs.whole else np.float64)
    rapid = rapid_distance(costs)
    if rapid is not None:
        function, options = rapid
        cutoff = None if limit == math.inf else math.floor(limit)
        distances = cdist(
            rows,
            columns,
            scorer=function,
            scorer_kwargs=options or None,
            score_cutoff=cutoff,
            dtype=np.int64,
            workers=n_threads,
        )
    else:
        distances = _kernel_matrix(rows, columns, classify(costs, X, Y), costs, limit, n_threads)
        if costs.whole and not np.isinf(distances).any():
            distances = distances.astype(np.int64)
    if limit == math.inf:
        return distances
    return np.where(
        distances > limit,
        np.asarray(limit + 1, dtype=distances.dtype if limit == math.floor(limit) else np.float64),
        distances,
    )


def _kernel_matrix(
    rows: list[str], columns: list[str], classes: Any, costs: Costs, limit: float, n_threads: int
) -> np.ndarray:
    row_classes, column_classes, pairs = classes
    distances = np.empty((len(rows), len(columns)))

    def fill(part: slice) -> None:  # the kernel releases the interpreter lock
        _kernel.distances(
            rows[part], columns, *costs.for_kernel, limit, row_classes[part], column_classes, pairs, distances[part]
        )

    Parallel(n_jobs=n_threads, prefer="threads", require="sharedmem")(
        delayed(fill)(part) for part in _slices(len(rows), 4 * n_threads)
    )
    return distances


def _slices(length: int, parts: int) -> Iterator[slice]:
    step = max(1, -(-length // parts))
    for start in range(0, length, step):
        yield slice(start, start + step)


class EditDistanceTransformer(TransformerMixin, TextEstimator):
    """Turn each document into its edit distances to reference strings.

    Parameters
    ----------
    references : sequence of str, optional
        The strings to compare with, one column each; None takes the different documents of `fit` in their order.
    insertion, deletion, substitution, transposition, cost, variant
        As for `edit_distance`: the cost of turning the document into the reference.
    normalized : bool, default=False
        Divide each distance as `normalized_edit_distance` does.
    max_distance : float, optional
        Greater distances are given as ``max_distance + 1``.
    n_jobs : int, optional
        Number of threads; -1 for all processors.

    Attributes
    ----------
    references_ : list of str
        The references, one for each column.

    Examples
    --------
    >>> from textprep_ml.distance import EditDistanceTransformer
    >>> transformer = EditDistanceTransformer(references=["color", "colour"]).fit(["any"])
    >>> transformer.transform(["colur", "color"])
    array([[1., 1.],
           [0., 1.]])
    >>> transformer.get_feature_names_out()
    array(['distance_to_color', 'distance_to_colour'], dtype=object)
    """

    _parameter_constraints = {
        "references": ["array-like", None],
        "insertion": [Interval(Real, 0, None, closed="left")],
        "deletion": [Interval(Real, 0, None, closed="left")],
        "substitution": [Interval(Real, 0, None, closed="left")],
        "transposition": [Interval(Real, 0, None, closed="left"), None],
        "cost": [callable, dict, list, None],
        "variant": [StrOptions({"damerau", "osa"})],
        "normalized": ["boolean"],
        "max_distance": [Interval(Real, 0, None, closed="left"), None],
        "n_jobs": [int, None],
    }
    references_: list[str]

    def __init__(
        self,
        *,
        references: Sequence[str] | None = None,
        insertion: float = 1,
        deletion: float = 1,
        substitution: float = 1,
        transposition: float | None = None,
        cost: Any = None,
        variant: str = "damerau",
        normalized: bool = False,
        max_distance: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.references = references
        self.insertion = insertion
        self.deletion = deletion
        self.substitution = substitution
        self.transposition = transposition
        self.cost = cost
        self.variant = variant
        self.normalized = normalized
        self.max_distance = max_distance
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the references.

        Parameters
        ----------
        X : sequence of str
            Documents; they are the references where the parameter gives none.
        y : object
            Ignored.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        ValueError
            If a reference occurs twice, or the costs don't fit together.
        """
        self._validate_params()
        make_costs(self.insertion, self.deletion, self.substitution, self.transposition, self.cost, self.variant)
        documents = check_documents(X, type(self).__name__)
        if self.references is None:
            self.references_ = list(dict.fromkeys(documents))
            return self
        references = check_documents(self.references, f"{type(self).__name__}.references")
        for index, reference in enumerate(references):
            if reference in references[:index]:
                raise ValueError(
                    f"references[{index}] is {shorten(reference)}, which occurs before: each names one column."
                )
        self.references_ = references
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Compute the distances.

        Parameters
        ----------
        X : sequence of str
            Documents.

        Returns
        -------
        ndarray of shape (n_documents, n_references)
            Dtype float64, so that the columns stand beside other features.
        """
        check_is_fitted(self, "references_")
        documents = check_documents(X, type(self).__name__)
        distances = pairwise_edit_distances(
            documents,
            self.references_,
            self.insertion,
            self.deletion,
            self.substitution,
            self.transposition,
            self.cost,
            variant=self.variant,
            normalized=self.normalized,
            max_distance=self.max_distance,
            n_jobs=self.n_jobs,
        )
        return distances.astype(np.float64, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name the columns after the references.

        Parameters
        ----------
        input_features : object
            Ignored.

        Returns
        -------
        ndarray of shape (n_references,)
            ``distance_to_REFERENCE``.
        """
        check_is_fitted(self, "references_")
        return np.array([f"distance_to_{reference}" for reference in self.references_], dtype=object)

    def _get_saved_params(self) -> dict[str, Any]:
        if callable(self.cost):
            raise ModelFormatError(
                "A cost function cannot be saved: model files hold no code. Pass cost as a mapping or as rows."
            )
        params = self.get_params(deep=False)
        if isinstance(self.cost, dict):
            params["cost"] = [[source, target, value] for (source, target), value in self.cost.items()]
        params["references"] = None if self.references is None else check_documents(self.references)
        return params

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "references_")
        return {"references": self.references_}

    def _set_state(self, state: dict[str, Any]) -> None:
        self.references_ = check_documents(state["references"], type(self).__name__)
