"""Distance matrices and the transformer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline

from textprep_ml.distance import (
    EditDistanceTransformer,
    edit_distance,
    normalized_edit_distance,
    pairwise_edit_distances,
)
from textprep_ml.exceptions import ModelFormatError

X = ["sentence", "", "segment", "tóken", "toekn"]
Y = ["sentience", "token", ""]
COSTS: list[dict[str, Any]] = [
    {},
    {"substitution": 2},
    {"insertion": 0.5, "deletion": 2.5},
    {"transposition": 1},
    {"transposition": 1, "variant": "osa"},
    {"transposition": 1.25, "variant": "osa"},
    {"cost": {("ó", "o"): 0.25}},
    {"cost": {("ó", "o"): 0.25}, "transposition": 2},
    {"substitution": math.inf},
]


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("costs", COSTS, ids=repr)
@pytest.mark.parametrize("max_distance", [None, 2, 2.5])
def test_matrix_is_made_of_single_distances(
    costs: dict[str, Any], max_distance: float | None, n_jobs: int | None
) -> None:
    distances = pairwise_edit_distances(X, Y, **costs, max_distance=max_distance, n_jobs=n_jobs)
    assert distances.tolist() == [[edit_distance(x, y, **costs, max_distance=max_distance) for y in Y] for x in X]
    tokens = pairwise_edit_distances([list(x) for x in X], [list(y) for y in Y], **costs, max_distance=max_distance)
    assert tokens.tolist() == distances.tolist()


@pytest.mark.parametrize("costs", COSTS, ids=repr)
def test_normalized_matrix(costs: dict[str, Any]) -> None:
    distances = pairwise_edit_distances(X, Y, **costs, normalized=True)
    assert distances == pytest.approx(np.array([[normalized_edit_distance(x, y, **costs) for y in Y] for x in X]))
    assert ((distances >= 0) & (distances <= 1)).all()


def test_empty_and_symmetric() -> None:
    assert pairwise_edit_distances([], Y).shape == (0, 3)
    assert pairwise_edit_distances(X, []).shape == (5, 0)
    square = pairwise_edit_distances(pd.Series(X))
    assert square.dtype == np.int64
    assert (square == square.T).all()
    assert not square.diagonal().any()


def test_scikit_learn_takes_it_as_precomputed_metric() -> None:
    words = ["sentence", "sentense", "token", "tokem"]
    square = pairwise_edit_distances(words)
    assert KNeighborsClassifier(1, metric="precomputed").fit(square, [0, 0, 1, 1]).predict(
        pairwise_edit_distances(["tokan"], words)
    ) == [1]
    assert DBSCAN(eps=1, min_samples=1, metric="precomputed").fit_predict(square).tolist() == [0, 0, 1, 1]
    neighbours = NearestNeighbors(n_neighbors=1, metric="precomputed").fit(square)
    assert neighbours.kneighbors(pairwise_edit_distances(["sentnce"], words, transposition=1))[1].tolist() == [[0]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"X": "word"}, TypeError, "X must be a sequence"),
        ({"X": ["a", None]}, TypeError, r"X\[1\]"),
        ({"Y": 3}, TypeError, "Y must be"),
        ({"insertion": -1}, ValueError, "insertion"),
        ({"insertion": math.inf, "normalized": True}, ValueError, "finite"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pairwise_edit_distances(**{"X": X, "Y": Y, **arguments})


def test_transformer_gives_named_columns() -> None:
    transformer = EditDistanceTransformer(references=["token", "type"]).set_output(transform="pandas").fit(X)
    frame = transformer.transform(["tokens", "typo"])
    assert list(frame.columns) == ["distance_to_token", "distance_to_type"]
    assert frame.to_numpy().tolist() == [[1.0, 4.0], [4.0, 1.0]]
    learned = EditDistanceTransformer().fit(["a", "b", "a"])
    assert learned.references_ == ["a", "b"]
    model = make_pipeline(EditDistanceTransformer(), LogisticRegression()).fit(
        ["cat", "car", "dog", "dot"], [0, 0, 1, 1]
    )
    assert model.predict(["cap", "dof"]).tolist() == [0, 1]


def test_transformer_refuses_references_that_repeat_and_costs_that_clash() -> None:
    with pytest.raises(ValueError, match=r"references\[2\] is 'a'"):
        EditDistanceTransformer(references=["a", "b", "a"]).fit([])
    with pytest.raises(TypeError, match="references"):
        EditDistanceTransformer(references=["a", 3]).fit([])
    with pytest.raises(ValueError, match="variant='osa'"):
        EditDistanceTransformer(transposition=0.25).fit([])


@pytest.mark.parametrize("cost", [None, {("0", "o"): 0.25}, [("0", "o", 0.25)]])
def test_transformer_saves_and_loads(cost: Any, tmp_path: Any) -> None:
    transformer = EditDistanceTransformer(references=("log", "leg"), cost=cost).fit([])
    transformer.save(tmp_path / "model.json")
    again = EditDistanceTransformer.load(tmp_path / "model.json")
    assert again.transform(["l0g"]).tolist() == transformer.transform(["l0g"]).tolist()


def test_transformer_saves_no_code(tmp_path: Any) -> None:
    with pytest.raises(ModelFormatError, match="cost function"):
        EditDistanceTransformer(cost=lambda x, y: 1.0).fit(["a"]).save(tmp_path / "model.json")
