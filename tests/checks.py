"""The contract that every public estimator keeps: scikit-learn's data-free checks and our own checks of text input."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks

DATA_FREE = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
)

TEXTS = [
    "Dr. Smith paid $3.50. It was not much! Was it?",
    "No mark here\nnor here\n\nA new paragraph. Yes.",
    "",
    "   ",
    "Él vino. Šla domů — brzy… 我们走吧。好！ 🙂🙂 done",
    "one two three. four five six.",
]


def plain(value: Any) -> Any:
    """Turn arrays inside nested results into lists, so that == compares them."""
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()] if value.dtype == object else value.tolist()
    if hasattr(value, "toarray"):
        return value.toarray().tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def data_free_check(name: str) -> Callable[[str, Any], None]:
    return getattr(estimator_checks, name)


def run_method(estimator: Any, method: str, X: Any) -> Any:
    return plain(getattr(estimator, method)(X))


def check_containers_agree(fitted: Any, method: str) -> None:
    expected = run_method(fitted, method, list(TEXTS))
    for X in (tuple(TEXTS), np.array(TEXTS, dtype=object), pd.Series(TEXTS), [np.str_(text) for text in TEXTS]):
        assert run_method(fitted, method, X) == expected, type(X)


def check_bad_input_refused(fitted: Any, method: str) -> None:
    call = getattr(fitted, method)
    with pytest.raises(TypeError, match=r"\[text\]"):
        call("one bare string")
    with pytest.raises(TypeError, match="bytes"):
        call(b"bytes")
    with pytest.raises(TypeError, match="document 1"):
        call(["fine", None])
    with pytest.raises(TypeError, match="document 2"):
        call(["fine", "fine", b"bytes"])
    with pytest.raises(TypeError, match="document 1"):
        call(["fine", float("nan")])
    with pytest.raises((TypeError, ValueError)):
        call(pd.DataFrame({"text": ["fine"]}))
    with pytest.raises((TypeError, ValueError)):
        call(np.array([["fine"], ["fine"]], dtype=object))


def check_unfitted_raises(estimator: Any, method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(clone(estimator), method)(list(TEXTS))


def check_input_not_mutated(fitted: Any, method: str) -> None:
    X = list(TEXTS)
    before = copy.deepcopy(X)
    getattr(fitted, method)(X)
    assert before == X


def check_pickle_round_trip(fitted: Any, method: str) -> None:
    again = pickle.loads(pickle.dumps(fitted))
    assert run_method(again, method, TEXTS) == run_method(fitted, method, TEXTS)


def check_order_and_subset(fitted: Any, method: str) -> None:
    expected = run_method(fitted, method, TEXTS)
    assert run_method(fitted, method, TEXTS[::-1]) == expected[::-1]
    assert run_method(fitted, method, TEXTS[1:3]) == expected[1:3]


def check_state_unchanged(fitted: Any, method: str) -> None:
    before = {key: pickle.dumps(value) for key, value in vars(fitted).items()}
    getattr(fitted, method)(list(TEXTS))
    assert {key: pickle.dumps(value) for key, value in vars(fitted).items()} == before


def check_empty_list(fitted: Any, method: str) -> None:
    assert len(getattr(fitted, method)([])) == 0


def check_refit_equal(fit: Callable[[Any], Any], estimator: Any, method: str) -> None:
    once = fit(clone(estimator))
    twice = fit(fit(clone(estimator)))
    assert run_method(once, method, TEXTS) == run_method(twice, method, TEXTS)


TEXT_CHECKS = (
    check_containers_agree,
    check_bad_input_refused,
    check_input_not_mutated,
    check_pickle_round_trip,
    check_order_and_subset,
    check_state_unchanged,
    check_empty_list,
)
