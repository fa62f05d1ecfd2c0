"""What ``textprep evaluate --report`` needs beside the measures, such as the estimator of a learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textprep_ml.cli._segmenters import BASELINES


def write_segmenter_report(
    path: str,
    systems: Mapping[str, Any],
    corpora: Mapping[str, tuple[Sequence[str], Sequence[Any]]],
    variants: Mapping[str, tuple[Sequence[str], Sequence[Any]]],
    results: Mapping[str, Any],
    learning: tuple[Any, Sequence[str]] | None,
) -> None:
    """Write the report of a segmenter.

    Parameters
    ----------
    path : str
        Where the page goes.
    systems : mapping of str to segmenter
        The model, and baselines or none.
    corpora, variants : mapping of str to (texts, spans)
        Labelled documents, and the same in another form.
    results : mapping
        What `evaluate_corpora` gave for all of them.
    learning : (estimator, list of str), optional
        What is fitted for the learning curve, and the corpora that it learns from.
    """
    from textprep_ml.cli._progress import progress_bar
    from textprep_ml.config import Corpus, read_labelled
    from textprep_ml.report import segmenter_report, write_report
    from textprep_ml.report.segmenters import add_learning_curve

    train = None if learning is None else read_labelled(map(Corpus, learning[1]))[:2]
    report = segmenter_report(systems, corpora, results=results, variants=variants)
    if learning is not None and train is not None:
        with progress_bar() as progress:
            add_learning_curve(report, learning[0], train, corpora, progress)
    write_report(report, path)


def unfitted(name: str, segmenter: Any) -> Any:
    """Give the estimator that a model was fitted from, for a learning curve.

    Parameters
    ----------
    name : str
        The model file, or the name of a shipped model.
    segmenter : SentenceSegmenter
        The same, loaded.

    Returns
    -------
    SentenceSegmenter
        Not fitted: as the configuration in the model file says; without one, with the parameters of the model and the
        default classifier.

    Raises
    ------
    ValueError
        If there is nothing to learn, or nobody knows by which classifier.
    """
    from sklearn.base import clone

    from textprep_ml import _modelfile
    from textprep_ml.config import build_estimator

    if name in BASELINES:
        raise ValueError(f"--learning-curve needs a model that learns; {name} has nothing to learn.")
    document = _modelfile.read(name, "SentenceSegmenter")
    model = document.get("config", {}).get("model")
    if model:
        return build_estimator(model["type"], model.get("params", {}), f"the configuration in {name}")
    classifier = document["state"].get("trained_by", "")
    if not classifier.startswith("LogisticRegression("):
        raise ValueError(
            f"--learning-curve fits {name} anew, but its file does not hold the classifier "
            f"({classifier or 'unknown'}): train it by a configuration, which is kept in the model file."
        )
    return clone(segmenter)
