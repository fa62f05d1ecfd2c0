"""Experiments as files: one TOML file says what is trained, on which text, how it is measured and where it goes.

::

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

Types come from one list: the estimators of `textprep_ml` by their public names, and the classifiers in `CLASSIFIERS`.
Relative paths start at the working directory; a path that starts with ``../shared/`` is looked up in the folder that
the environment variable ``TEXTPREP_ML_SHARED`` names, where it is set.
"""

from textprep_ml.config.estimators import CLASSIFIERS, build_estimator
from textprep_ml.config.experiments import Experiment, load_config
from textprep_ml.config.files import Corpus, read_labelled, read_raw

__all__ = [
    "CLASSIFIERS",
    "Corpus",
    "Experiment",
    "build_estimator",
    "load_config",
    "read_labelled",
    "read_raw",
]
