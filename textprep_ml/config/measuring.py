"""``[evaluate]``: what a trained model scores on the dev corpora; segmenters are measured by `textprep_ml.report`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from textprep_ml.config.checks import check_type, suggest
from textprep_ml.config.files import Corpus, read_documents, read_examples
from textprep_ml.config.training import read_tags, task_of
from textprep_ml.exceptions import ConfigError

if TYPE_CHECKING:
    from textprep_ml.config.experiments import Experiment

#: Measure -> value.
Scores = dict[str, float]

#: The baseline of classifiers: the most frequent label.
MAJORITY = "majority"


def check_measures(experiment: Experiment, estimator: Any) -> None:
    """Refuse measures and baselines that there are not, before hours are spent.

    Parameters
    ----------
    experiment : Experiment
        Names them.
    estimator : estimator, Pipeline or search
        Not fitted.

    Raises
    ------
    ConfigError
        If there is no such measure or baseline for this kind of model.
    """
    table = experiment.table.get("evaluate", {})
    where = f"{experiment.name}: [evaluate]"
    task = task_of(estimator)
    allowed = {"sentences": {"baseline", "one_line"}, "labels": {"baseline", "metrics"}}.get(task, set())
    for key in table:
        if key not in allowed:
            takes = ", ".join(sorted(allowed)) or "nothing"
            raise ConfigError(f"{where} {key} says nothing about a model that learns {task}, which takes {takes}.")
    for metric in _check_metrics(table.get("metrics", []), where):
        check_type(metric, str, f"{where} metrics")
    if task == "labels" and table.get("baseline", MAJORITY) != MAJORITY:
        raise ConfigError(f"{where} baseline of a classifier is {MAJORITY!r}, not {table['baseline']!r}.")


def _check_metrics(names: Iterable[Any], where: str) -> Iterable[str]:
    from sklearn.metrics import get_scorer_names

    known = get_scorer_names()
    for name in names:
        if name not in known:
            raise ConfigError(f"{where} metrics: no measure {name!r}{suggest(str(name), known)}")
        yield name


def measure_dev(experiment: Experiment, estimator: Any) -> dict[str, dict[str, Scores]]:
    """Measure a fitted model on the dev corpora.

    Parameters
    ----------
    experiment : Experiment
        Names them.
    estimator : estimator or Pipeline
        Fitted; no segmenter.

    Returns
    -------
    dict
        Corpus -> system -> measure -> value; nothing for models that are not measured.
    """
    measure = _MEASURES.get(task_of(estimator))
    return {} if measure is None else {corpus.path: measure(experiment, estimator, corpus) for corpus in experiment.dev}


def _measure_classifier(experiment: Experiment, model: Any, corpus: Corpus) -> Mapping[str, Scores]:
    from sklearn.dummy import DummyClassifier
    from sklearn.metrics import get_scorer

    table = experiment.table.get("evaluate", {})
    texts, labels, _ = read_examples([corpus], experiment.target)
    systems = {"model": model}
    if "baseline" in table:
        systems[MAJORITY] = DummyClassifier().fit(*read_examples(experiment.train, experiment.target)[:2])
    metrics = table.get("metrics", ["accuracy"])
    return {
        name: {metric: float(get_scorer(metric)(system, texts, labels)) for metric in metrics}
        for name, system in systems.items()
    }


def _measure_tagger(experiment: Experiment, tagger: Any, corpus: Corpus) -> Mapping[str, Scores]:
    return {"model": {"accuracy": tagger.score(*read_tags(experiment, [corpus]))}}


def _measure_pieces(experiment: Experiment, tokenizer: Any, corpus: Corpus) -> Mapping[str, Scores]:
    from textprep_ml.metrics import vocabulary_scores

    scores = vocabulary_scores(tokenizer, read_documents([corpus]))
    return {"model": {name: value for name, value in scores.items() if not name.startswith("n_")}}


_MEASURES: dict[str, Callable[[Experiment, Any, Corpus], Any]] = {
    "labels": _measure_classifier,
    "tags": _measure_tagger,
    "files": _measure_pieces,
}
