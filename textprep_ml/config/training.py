"""How each kind of model is trained by the files of a configuration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from textprep_ml.config.checks import suggest
from textprep_ml.config.files import Progress, locate, read_documents, read_examples, read_partly_labelled, read_raw
from textprep_ml.config.unlabelled import read_unlabelled
from textprep_ml.exceptions import ConfigError

if TYPE_CHECKING:
    from textprep_ml.config.experiments import Experiment


def task_of(estimator: Any) -> str:
    """Tell what a model learns from.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Not fitted; what a search holds counts.

    Returns
    -------
    str
        ``"sentences"`` (labelled boundaries), ``"tags"`` (tagged words), ``"labels"`` (of documents), ``"files"`` (raw
        ones, which it reads itself), ``"texts"``, or ``"nothing"``.
    """
    estimator = getattr(estimator, "estimator", estimator) if hasattr(estimator, "refit") else estimator
    is_pipeline = isinstance(estimator, Pipeline)
    steps = [step for _, step in estimator.steps] if is_pipeline else [estimator]
    if not any(_learns(step) for step in steps):
        return "nothing"
    last = steps[-1]
    named = {"SentenceSegmenter": "sentences", "PosTagger": "tags"}.get(type(last).__name__)
    if named is not None:
        return named
    if is_classifier(last):
        return "labels"
    return "files" if hasattr(last, "fit_files") and not is_pipeline else "texts"


def _learns(step: Any) -> bool:
    return not isinstance(step, FrozenEstimator) and hasattr(step, "fit") and step.__sklearn_tags__().requires_fit


def train(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Fit an estimator, pipeline or search on the files of an experiment.

    Parameters
    ----------
    experiment : Experiment
        Names the files.
    estimator : estimator, Pipeline or search
        Is fitted.
    progress : callable
        Called with what is being done, how much of it is done, and how much there is.
    """
    task = task_of(estimator)
    raw = [corpus.path for corpus in experiment.train if corpus.unlabelled]
    if raw and task != "sentences":
        raise ConfigError(f"{experiment.name}: [data] train: {raw[0]} is unlabelled, which is for segmenters.")
    _check_balance(experiment, task)
    _TRAINERS[task](experiment, estimator, progress)


def _check_balance(experiment: Experiment, task: str) -> None:
    """Refuse languages and a temperature where they would do nothing."""
    has_temperature = "temperature" in experiment.table.get("data", {})
    if has_temperature and task != "files":
        raise ConfigError(f"{experiment.name}: [data] temperature balances the languages of a subword tokenizer only.")
    if has_temperature and not math.isfinite(experiment.table["data"]["temperature"]):
        raise ConfigError(f"{experiment.name}: [data] temperature is a finite number; 100.0 makes shares nearly equal.")
    named = [corpus.path for corpus in experiment.train if corpus.language or corpus.script]
    if named and not has_temperature:
        raise ConfigError(
            f"{experiment.name}: [data] train: {named[0]} has a language or script, which counts with a temperature "
            "only: set temperature, such as 3.0, or 1.0 for counts as they are."
        )


def _refuse_raw_and_weights(experiment: Experiment, estimator: Any) -> None:
    if experiment.raw or any(corpus.weight != 1.0 for corpus in experiment.train):
        kind = type(estimator).__name__
        raise ConfigError(f"{experiment.name}: {kind} takes train files only, no weights and no raw.")


class _RawText:
    """Raw files as an iterable of texts that can be walked through more than once, as a search does."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths

    def __iter__(self) -> Iterator[str]:
        return read_raw(self.paths, lambda what, done, total: None)


def _fit_segmenter(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on labelled documents."""
    gold = [corpus for corpus in experiment.train if not corpus.unlabelled]
    texts, spans, weights, labelled = read_partly_labelled(gold)
    targets: list[list[list[int]] | None] = [*spans]
    for corpus in experiment.train:
        if corpus.unlabelled:
            more = read_unlabelled(corpus)
            texts, targets = texts + more, targets + [None] * len(more)
            weights, labelled = weights + [corpus.weight] * len(more), [*labelled, *[None] * len(more)]
    keywords: dict[str, Any] = {} if set(weights) == {1.0} else {"sample_weight": weights}
    if any(parts is not None for parts in labelled):
        keywords["labelled"] = labelled
    if experiment.raw:
        is_search = hasattr(estimator, "refit")
        keywords["raw"] = _RawText(experiment.raw) if is_search else read_raw(experiment.raw, progress)
    progress(f"training on {len(texts)} documents", 0, 0)
    estimator.fit(texts, targets, **keywords)


def _fit_tagger(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on the tagged words of CoNLL-U files."""
    _refuse_raw_and_weights(experiment, estimator)
    sentences, tags = read_tags(experiment, experiment.train)
    progress(f"training on {len(sentences)} sentences", 0, 0)
    estimator.fit(sentences, tags)


def read_tags(experiment: Experiment, corpora: Any) -> tuple[list[list[str]], list[list[str]]]:
    """Read the tagged words of CoNLL-U files.

    Parameters
    ----------
    experiment : Experiment
        Says which column of tags.
    corpora : iterable of Corpus
        Files.

    Returns
    -------
    sentences, tags : list of list of str
        Tokens and their tags.
    """
    from textprep_ml.tagging import read_tagged

    column = experiment.table["data"].get("column", "upos")
    read = [read_tagged(locate(corpus.path), column) for corpus in corpora]
    return [sentence for part, _ in read for sentence in part], [tags for _, part in read for tags in part]


def _fit_classifier(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on documents with a label."""
    if experiment.raw:
        raise ConfigError(f"{experiment.name}: a classifier takes no [data] raw.")
    texts, labels, weights = read_examples(experiment.train, experiment.target)
    progress(f"training on {len(texts)} documents", 0, 0)
    pipeline = estimator.estimator if hasattr(estimator, "refit") else estimator
    keywords = {} if set(weights) == {1.0} else {f"{pipeline.steps[-1][0]}__sample_weight": weights}
    estimator.fit(texts, labels, **keywords)


def _fit_files(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on raw files, which such an estimator reads itself."""
    _refuse_raw_and_weights(experiment, estimator)
    formats = {corpus.format == "lines" for corpus in experiment.train}
    if len(formats) > 1:
        raise ConfigError(f"{experiment.name}: [data] train: either all files have the format 'lines' or none.")
    lines, temperature = formats.pop(), experiment.table["data"].get("temperature")
    if temperature is None:
        paths = [locate(corpus.path) for corpus in experiment.train]
        estimator.fit_files(paths, lines=lines, progress=progress)
    else:
        estimator.fit_counts(_balanced_counts(experiment, estimator, lines, progress), progress=progress)


def _balanced_counts(experiment: Experiment, estimator: Any, lines: bool, progress: Progress) -> dict[str, int]:
    """Count the words of each language, or of each script where no language is told, and balance them.

    Words without letters belong to no language and count as they are.
    """
    from textprep_ml.subword.balancing import balance_counts, group_by_script

    groups: dict[str, Counter[str]] = {}
    common: Counter[str] = Counter()
    for corpus in experiment.train:
        scripts = group_by_script(estimator.count_files([locate(corpus.path)], lines=lines, progress=progress))
        common.update(scripts.pop("Common", {}))
        if corpus.script is not None:
            if corpus.script not in scripts:
                raise ConfigError(
                    f"{experiment.name}: [data] train: {corpus.path} has no words in the script {corpus.script!r}"
                    f"{suggest(corpus.script, scripts)}"
                )
            scripts = {corpus.script: scripts[corpus.script]}
        for name, table in scripts.items():
            groups.setdefault(corpus.language or name, Counter()).update(table)
    try:
        # Unigram models have no such threshold.
        least = getattr(estimator, "min_frequency", 1)
        temperature = experiment.table["data"]["temperature"]
        balanced = Counter(balance_counts(groups, temperature=temperature, min_frequency=least))
    except ValueError as error:
        raise ConfigError(f"{experiment.name}: [data] temperature: {error}") from None
    balanced.update(common)
    return balanced


def _fit_texts(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Train on documents without labels."""
    _refuse_raw_and_weights(experiment, estimator)
    texts = read_documents(experiment.train)
    progress(f"training on {len(texts)} documents", 0, 0)
    estimator.fit(texts)


def _fit_nothing(experiment: Experiment, estimator: Any, progress: Progress) -> None:
    """Put together what is trained already."""
    estimator.fit(["A text."])


#: What is learned from -> how.
_TRAINERS = {
    "sentences": _fit_segmenter,
    "tags": _fit_tagger,
    "labels": _fit_classifier,
    "files": _fit_files,
    "texts": _fit_texts,
    "nothing": _fit_nothing,
}
