"""The one list of names that configurations and model files may use: our estimators and some of scikit-learn's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import textprep_ml
from textprep_ml.base import TextEstimator

#: Classifiers of scikit-learn, and their modules.
CLASSIFIERS = {
    "BernoulliNB": "naive_bayes",
    "ComplementNB": "naive_bayes",
    "DecisionTreeClassifier": "tree",
    "ExtraTreesClassifier": "ensemble",
    "GradientBoostingClassifier": "ensemble",
    "HistGradientBoostingClassifier": "ensemble",
    "LinearSVC": "svm",
    "LogisticRegression": "linear_model",
    "MultinomialNB": "naive_bayes",
    "Perceptron": "linear_model",
    "RandomForestClassifier": "ensemble",
    "SGDClassifier": "linear_model",
}

#: What may stand between text and classifier, and its modules.
TRANSFORMERS = {
    "CountVectorizer": "feature_extraction.text",
    "HashingVectorizer": "feature_extraction.text",
    "MaxAbsScaler": "preprocessing",
    "Normalizer": "preprocessing",
    "StandardScaler": "preprocessing",
    "TfidfTransformer": "feature_extraction.text",
    "TfidfVectorizer": "feature_extraction.text",
    "TruncatedSVD": "decomposition",
}


def own_names() -> list[str]:
    """List the public estimators of this package.

    Returns
    -------
    list of str
        Their names.

    Examples
    --------
    >>> "SentenceSegmenter" in own_names(), "iter_rows" in own_names()
    (True, False)
    """
    return [name for name in textprep_ml.__all__ if find_own(name) is not None]


def find_own(name: Any) -> type[TextEstimator] | None:
    """Find a public estimator of this package.

    Parameters
    ----------
    name : object
        Its name; anything else finds nothing.

    Returns
    -------
    type or None
        The class.
    """
    value = getattr(textprep_ml, name) if name in textprep_ml.__all__ else None
    return value if isinstance(value, type) and issubclass(value, TextEstimator) else None


def find_foreign(name: Any) -> Any:
    """Find a class of scikit-learn that is in `CLASSIFIERS` or `TRANSFORMERS`.

    Parameters
    ----------
    name : object
        Its name; anything else finds nothing.

    Returns
    -------
    type or None
        The class.
    """
    known = CLASSIFIERS | TRANSFORMERS
    if not isinstance(name, str) or name not in known:
        return None
    return getattr(import_module(f"sklearn.{known[name]}"), name)
