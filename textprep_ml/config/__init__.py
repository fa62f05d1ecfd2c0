"""Experiments as files: one TOML file says what is trained, on which text, how it is measured and where it goes.

One estimator::

    [data]
    train = ["labelled.jsonl", { path = "more.conllu", weight = 0.5 }]
    dev = ["dev.jsonl"]

    [model]
    type = "SentenceSegmenter"

    [model.params]
    min_count = 2

    [model.params.estimator]
    type = "LogisticRegression"
    C = 0.2

    [output]
    model = "out/mine.json"

A pipeline has ``[[steps]]`` in the place of ``[model]``, each with a ``type`` or with ``load``, a trained model that
stays as it is; ``[search]`` tries parameters of either::

    [data]
    train = ["reviews.jsonl"]        # "text" and, for classifiers, a label
    target = "label"

    [[steps]]
    name = "segmenter"
    load = "en"

    [[steps]]
    name = "words"
    type = "WordTokenizer"

    [[steps]]
    name = "vectorizer"
    type = "TfidfVectorizer"
    params = { analyzer = { type = "LeafAnalyzer" } }

    [[steps]]
    name = "classifier"
    type = "LogisticRegression"

    [search]
    cv = 4

    [search.grid]
    words__contractions = ["split", "keep"]
    classifier__C = [0.1, 1.0, 10.0]

    [evaluate]
    metrics = ["accuracy", "f1_macro"]

    [output]
    model = "out/reviews.json"

Types come from one list, `textprep_ml.registry`: the estimators of `textprep_ml` by their public names, and some of
scikit-learn. Relative paths start at the working directory; a path that starts with ``../shared/`` is looked up in the
folder that the environment variable ``TEXTPREP_ML_SHARED`` names, where it is set.
"""

from textprep_ml.config.estimators import CLASSIFIERS, build_estimator
from textprep_ml.config.experiments import Experiment, load_config
from textprep_ml.config.files import Corpus, read_documents, read_examples, read_labelled, read_raw
from textprep_ml.config.measuring import measure_dev
from textprep_ml.config.searching import describe_search
from textprep_ml.config.training import task_of

__all__ = [
    "CLASSIFIERS",
    "Corpus",
    "Experiment",
    "build_estimator",
    "describe_search",
    "load_config",
    "measure_dev",
    "read_documents",
    "read_examples",
    "read_labelled",
    "read_raw",
    "task_of",
]
