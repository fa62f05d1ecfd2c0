"""Segmenters by name, and what `train` and `evaluate` print of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from textprep_ml._files import printable
from textprep_ml._modelfile import resolve

#: Baselines that need no model file.
BASELINES = {"rules": "RuleSegmenter", "naive": "NaiveSegmenter"}


def load_named(name: str) -> Any:
    """Load a segmenter.

    Parameters
    ----------
    name : str
        A model file, the name of a shipped model, or one of `BASELINES`.

    Returns
    -------
    BaseSegmenter
        Ready to predict.
    """
    import textprep_ml

    if name in BASELINES:
        return getattr(textprep_ml, BASELINES[name])()
    resolve(name)  # where there is none, that is said before scikit-learn is imported
    return textprep_ml.SentenceSegmenter.load(name)


def one_line_variants(
    corpora: Mapping[str, tuple[Sequence[str], Sequence[Any]]],
) -> dict[str, tuple[Sequence[str], Sequence[Any]]]:
    """Replace every line break of corpora by a blank.

    Parameters
    ----------
    corpora : mapping of str to (texts, spans)
        Name -> documents and their sentences.

    Returns
    -------
    dict
        The same with ``, one line`` behind each name.
    """
    from textprep_ml.report import without_line_breaks

    return {
        f"{name}, one line": ([without_line_breaks(text) for text in texts], spans)
        for name, (texts, spans) in corpora.items()
    }


def evaluate_corpora(
    corpora: Mapping[str, tuple[Sequence[str], Sequence[Any]]], systems: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Measure systems on corpora.

    Parameters
    ----------
    corpora : mapping of str to (texts, spans)
        Name -> documents and their sentences.
    systems : mapping of str to segmenter
        Name -> system.

    Returns
    -------
    dict
        Corpus -> what `textprep_ml.report.evaluate_predictions` gives.
    """
    from textprep_ml.report import evaluate_predictions

    results = {}
    for name, (texts, spans) in corpora.items():
        found = {system: segmenter.predict(texts) for system, segmenter in systems.items()}
        results[name] = evaluate_predictions(texts, spans, found)
    return results


def print_scores(results: Mapping[str, Any]) -> None:
    """Write the scores and, of several systems, the comparisons to standard output.

    Parameters
    ----------
    results : mapping
        As `evaluate_corpora` gives it.
    """
    from textprep_ml.report import format_comparison, format_scores

    sys.stdout.write(format_scores(results))
    compared = [format_comparison(name, result) for name, result in results.items() if "comparison" in result]
    if compared:
        sys.stdout.write("\n" + "".join(compared))


def distinct_names(first: str, others: Sequence[str]) -> list[str]:
    """Name systems so that no name comes twice.

    Parameters
    ----------
    first : str
        The model.
    others : sequence of str
        The baselines.

    Returns
    -------
    list of str
        As many names.

    Raises
    ------
    ValueError
        If a baseline is given twice.
    """
    model, *names = (printable(name) for name in (first, *others))
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"--baseline: {twice[0]} is given twice.")
    return [model, *(f"{name} (baseline)" if name == model else name for name in names)]
