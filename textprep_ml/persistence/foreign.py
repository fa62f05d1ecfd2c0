"""Estimators of scikit-learn in model files: those whose fitted state is arrays and numbers that can be put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from textprep_ml._validation import shorten
from textprep_ml.base import TextEstimator, _decode_parameter, _encode_parameter
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.persistence.values import from_plain, to_plain
from textprep_ml.registry import find_foreign

_LINEAR = ("classes_", "coef_", "intercept_", "n_iter_", "n_features_in_")
_BAYES = ("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_", "n_features_in_")

#: Class -> what it learns. The terms of vectorizers are handled apart from these.
LEARNED: dict[str, tuple[str, ...]] = {
    "BernoulliNB": _BAYES,
    "ComplementNB": (*_BAYES, "feature_all_"),
    "CountVectorizer": (),
    "HashingVectorizer": (),
    "LinearSVC": _LINEAR,
    "LogisticRegression": _LINEAR,
    "MaxAbsScaler": ("max_abs_", "scale_", "n_samples_seen_", "n_features_in_"),
    "MultinomialNB": _BAYES,
    "Normalizer": ("n_features_in_",),
    "Perceptron": _LINEAR,
    "SGDClassifier": _LINEAR,
    "StandardScaler": ("mean_", "var_", "scale_", "n_samples_seen_", "n_features_in_"),
    "TfidfTransformer": ("idf_", "n_features_in_"),
    "TfidfVectorizer": (),
    "TruncatedSVD": (
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "singular_values_",
        "n_features_in_",
    ),
}


def to_saved(model: Any, where: str) -> dict[str, Any]:
    """Give a fitted estimator of scikit-learn as plain JSON values.

    Parameters
    ----------
    model : estimator
        One of the classes in `LEARNED`.
    where : str
        What messages call it.

    Returns
    -------
    dict
        ``class``, ``params`` and ``state``.

    Raises
    ------
    ModelFormatError
        If it is of another class, or a parameter is no plain data.
    """
    kind = type(model).__name__
    if kind not in LEARNED or find_foreign(kind) is not type(model):
        raise ModelFormatError(
            f"{where} is {shorten(model)}: a model file holds estimators of textprep_ml and, of scikit-learn, "
            f"{', '.join(sorted(LEARNED))}. Choose one of these, or use pickle for files that you trust."
        )
    params = {
        name: _encode_parameter(value)
        if isinstance(value, TextEstimator)
        else to_plain(value, f"{where} ({kind}): {name}")
        for name, value in model.get_params(deep=False).items()
    }
    return {"class": kind, "params": params, "state": _learned(model, f"{where} ({kind})")}


def _learned(model: Any, where: str) -> dict[str, Any]:
    if isinstance(model, CountVectorizer):  # TfidfVectorizer is one
        check_is_fitted(model, "vocabulary_")
        terms: dict[str, Any] = {"terms": model.get_feature_names_out().tolist()}
        return terms | ({"idf": to_plain(model.idf_, where)} if getattr(model, "use_idf", False) else {})
    names = LEARNED[type(model).__name__]
    if names:
        check_is_fitted(model)
    state = {name: getattr(model, name, None) for name in names}
    return {name: to_plain(value, f"{where}: {name}") for name, value in state.items() if value is not None}


def from_saved(kind: str, content: Mapping[str, Any]) -> Any:
    """Undo `to_saved`.

    Parameters
    ----------
    kind : str
        One of the classes in `LEARNED`.
    content : mapping
        What `to_saved` gave.

    Returns
    -------
    estimator
        Fitted.
    """
    params = {
        name: _decode_parameter(value) if _is_estimator(value) else from_plain(value)
        for name, value in content["params"].items()
    }
    model, state = find_foreign(kind)(**params), content["state"]
    if isinstance(model, CountVectorizer):
        return _with_terms(model, state)
    for name in LEARNED[kind]:
        if name in state:
            setattr(model, name, from_plain(state[name]))
    return model


def _is_estimator(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"class", "params"}


def _with_terms(model: Any, state: Mapping[str, Any]) -> Any:
    """Give a vectorizer its terms by the door that scikit-learn has for given ones."""
    given = {"vocabulary": model.vocabulary, "lowercase": model.lowercase}
    model.set_params(vocabulary=state["terms"], lowercase=False).fit([""])  # terms with capitals would be warned about
    model.set_params(**given)
    if isinstance(model, TfidfVectorizer) and "idf" in state:
        model.idf_ = from_plain(state["idf"])
    return model
