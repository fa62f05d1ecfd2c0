"""The report of a segmenter as plain data: what `textprep_ml.report.render_report` makes a page of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textprep_ml.report.candidates import gives_probabilities, score_candidates
from textprep_ml.report.curves import calibration_curves, threshold_curve
from textprep_ml.report.evaluation import evaluate_predictions
from textprep_ml.report.learning import learning_curve
from textprep_ml.report.listing import list_boundary_errors

Labelled = tuple[Sequence[str], Sequence[Any]]


def segmenter_report(
    systems: Mapping[str, Any],
    corpora: Mapping[str, Labelled],
    *,
    results: Mapping[str, Mapping[str, Any]] | None = None,
    variants: Mapping[str, Labelled] | None = None,
) -> dict[str, Any]:
    """Measure segmenters, and list the errors of the first.

    Parameters
    ----------
    systems : mapping of str to BaseSegmenter
        Name -> segmenter: the one that the report is about, and baselines or none. Scores are those of all of them,
        curves and errors are held against the first baseline.
    corpora : mapping of str to (texts, spans)
        Name -> documents and their sentences.
    results : mapping of str to dict, optional
        What `evaluate_predictions` gave for corpora, so that they are not measured again.
    variants : mapping of str to (texts, spans), optional
        More corpora to measure and to list errors of, which are the others in another form: they take no part in
        curves and in what is said of all documents together.

    Returns
    -------
    dict
        Plain JSON values: "subject" (``"segmenter"``), "model", "baseline" (the first, or None), "baselines",
        "corpora" (name -> what
        `evaluate_predictions` gives), "overall" (the same for all documents together), "threshold" (what
        `threshold_curve` gives, with "in_use"), "calibration" (what `calibration_curves` gives) and "errors" (what
        `list_boundary_errors` gives, with "corpus"). Without probabilities "threshold" and "calibration" are None.

    Examples
    --------
    >>> from textprep_ml import RuleSegmenter, SentenceSegmenter
    >>> corpora = {"notes": (["We met Dr. Ito. She left."], [[(0, 15), (16, 25)]])}
    >>> report = segmenter_report({"en": SentenceSegmenter.load("en"), "rules": RuleSegmenter()}, corpora)
    >>> report["overall"]["systems"]["en"]["boundaries"]["f1"], report["errors"]
    (1.0, [])
    """
    model, *others = systems
    everything = {**corpora, **(variants or {})}
    found = {
        name: {system: segmenter.predict(list(texts)) for system, segmenter in systems.items()}
        for name, (texts, _) in everything.items()
    }
    measured = {
        name: (results or {}).get(name) or evaluate_predictions(texts, spans, found[name])
        for name, (texts, spans) in everything.items()
    }
    texts, spans = _joined(corpora.values())
    report: dict[str, Any] = {
        "subject": "segmenter",
        "model": model,
        "baseline": others[0] if others else None,
        "baselines": others,
        "corpora": measured,
        "overall": _overall(corpora, measured, found, list(systems)),
        "threshold": None,
        "calibration": None,
        "learning": None,
        "errors": [
            {"corpus": name, **error}
            for name, labelled in everything.items()
            for error in _errors_of(labelled, found[name], systems)
        ],
    }
    if gives_probabilities(systems[model]):
        candidates = score_candidates(systems[model], texts, spans)
        report["threshold"] = {"in_use": candidates.threshold, **threshold_curve(candidates)}
        report["calibration"] = calibration_curves(candidates)
    return report


def add_learning_curve(
    report: dict[str, Any],
    estimator: Any,
    train: Labelled,
    corpora: Mapping[str, Labelled],
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Fit a segmenter on ever more documents, and put the scores into a report.

    Parameters
    ----------
    report : dict
        What `segmenter_report` gave; its "learning" is set.
    estimator : SentenceSegmenter
        Cloned for each fit.
    train : (texts, spans)
        What is learned from.
    corpora : mapping of str to (texts, spans)
        What is measured with, all of it together.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.
    """
    report["learning"] = learning_curve(estimator, train, _joined(corpora.values()), progress=progress)


def _joined(corpora: Any) -> tuple[list[str], list[Any]]:
    pairs = list(corpora)
    return [text for texts, _ in pairs for text in texts], [each for _, spans in pairs for each in spans]


def _overall(
    corpora: Mapping[str, Labelled],
    measured: Mapping[str, Any],
    found: Mapping[str, Mapping[str, Any]],
    systems: Sequence[str],
) -> Mapping[str, Any]:
    """The scores of all documents together: those of the one corpus where there is one only."""
    if len(corpora) == 1:
        return measured[next(iter(corpora))]
    texts, spans = _joined(corpora.values())
    return evaluate_predictions(
        texts, spans, {system: [each for name in corpora for each in found[name][system]] for system in systems}
    )


def _errors_of(labelled: Labelled, found: Mapping[str, Any], systems: Mapping[str, Any]) -> list[dict[str, Any]]:
    texts, spans = labelled
    first, *others = systems
    segmenter = systems[first]
    candidates = score_candidates(segmenter, texts, spans) if gives_probabilities(segmenter) else None
    return list_boundary_errors(
        texts,
        spans,
        found[first],
        baseline=found[others[0]] if others else None,
        segmenter=segmenter,
        candidates=candidates,
    )
