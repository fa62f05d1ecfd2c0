"""How well segmenters do on labelled documents: scores, intervals, comparison and errors, as plain data and as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from textprep_ml.metrics import (
    bootstrap_intervals,
    boundary_errors,
    boundary_scores,
    candidate_error_rate,
    mcnemar,
    paired_bootstrap,
    pk,
    span_scores,
    window_diff,
)

_LINE_BREAKS = str.maketrans(dict.fromkeys("\n\r\v\f\x85\u2028\u2029", " "))


def without_line_breaks(text: str) -> str:
    """Replace every line break by a blank; offsets stay.

    Parameters
    ----------
    text : str
        A document.

    Returns
    -------
    str
        As long, on one line.

    Examples
    --------
    >>> without_line_breaks("Dear all,\\n\\nthanks!")
    'Dear all,  thanks!'
    """
    return text.translate(_LINE_BREAKS)


def mark_candidates(texts: Sequence[str]) -> list[Any]:
    """Give the places where an end mark stands, over which the literature takes its error rate.

    Parameters
    ----------
    texts : sequence of str
        Documents.

    Returns
    -------
    list of ndarray
        The ends of the tokens with a mark, in characters.

    Examples
    --------
    >>> mark_candidates(["Dr. Ito left. Why? 3.50"])[0].tolist()
    [3, 13, 18]
    """
    from textprep_ml.segmentation.runtime import BoundaryModel
    from textprep_ml.segmentation.words import WordTable

    offsets, ends, *_ = BoundaryModel(WordTable(), None, candidates=("mark",)).describe(list(texts))
    return [ends[start:end] for start, end in zip(offsets[:-1], offsets[1:], strict=True)]


def evaluate_predictions(
    texts: Sequence[str], y_true: Any, predictions: Mapping[str, Any], n_examples: int = 5
) -> dict[str, Any]:
    """Measure what systems found.

    Parameters
    ----------
    texts : sequence of str
        Documents.
    y_true : sequence of sequences of (int, int)
        Sentence spans of each document.
    predictions : mapping of str to sequence of sequences of (int, int)
        System -> what it found. The first is compared with each of the others.
    n_examples : int
        Examples for each kind and type of error.

    Returns
    -------
    dict
        Plain values: "documents", "sentences", "systems" (name -> "boundaries", "intervals", "sentences",
        "error_rate", "window_diff", "pk", "errors"), and for several systems "comparisons" (name of another system ->
        "paired_bootstrap", "mcnemar") and "comparison", that with the second one. Intervals need two documents; with
        one they are None.
    """
    candidates = mark_candidates(texts)
    several = len(texts) > 1
    result: dict[str, Any] = {
        "documents": len(texts),
        "sentences": sum(len(spans) for spans in y_true),
        "systems": {
            name: {
                "boundaries": boundary_scores(y_true, found),
                "intervals": bootstrap_intervals(y_true, found) if several else None,
                "sentences": span_scores(y_true, found),
                "error_rate": candidate_error_rate(y_true, found, candidates),
                "window_diff": window_diff(y_true, found),
                "pk": pk(y_true, found),
                "errors": boundary_errors(texts, y_true, found, n_examples=n_examples),
            }
            for name, found in predictions.items()
        },
    }
    first, *others = predictions
    if others:
        pairs = {other: (predictions[first], predictions[other]) for other in others}
        result["comparisons"] = {
            other: {
                "paired_bootstrap": paired_bootstrap(y_true, *pair) if several else None,
                "mcnemar": mcnemar(y_true, *pair),
            }
            for other, pair in pairs.items()
        }
        result["comparison"] = result["comparisons"][others[0]]
    return result


def format_scores(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Write the scores of corpora as a table.

    Parameters
    ----------
    results : mapping of str to dict
        Corpus -> what `evaluate_predictions` gave.

    Returns
    -------
    str
        One line for each corpus and system.
    """
    head = ("corpus", "system", "boundary F1", "95 % interval", "precision", "recall")
    rows = [(*head, "sentence F1", "error rate", "WindowDiff", "Pk")]
    for corpus, result in results.items():
        for system, scores in result["systems"].items():
            boundaries = scores["boundaries"]
            figures = (
                boundaries["precision"],
                boundaries["recall"],
                scores["sentences"]["f1"],
                scores["error_rate"],
                scores["window_diff"],
                scores["pk"],
            )
            interval = scores["intervals"] and "{:.4f} - {:.4f}".format(*scores["intervals"]["f1"])
            rows.append((corpus, system, f"{boundaries['f1']:.4f}", interval or "", *map("{:.4f}".format, figures)))
    return align_columns(rows, n_left=2)


def format_comparison(corpus: str, result: Mapping[str, Any]) -> str:
    """Say in a line for each of the other systems whether the first one is better.

    Parameters
    ----------
    corpus : str
        Name.
    result : dict
        What `evaluate_predictions` gave for several systems.

    Returns
    -------
    str
        Lines.
    """
    first = next(iter(result["systems"]))
    return "".join(
        f"{corpus}: {first} against {other}: {_describe(first, other, comparison)}\n"
        for other, comparison in result["comparisons"].items()
    )


def _describe(first: str, second: str, comparison: Mapping[str, Any]) -> str:
    bootstrap, test = comparison["paired_bootstrap"], comparison["mcnemar"]
    parts = []
    if bootstrap:
        interval = f"[{bootstrap['low']:+.4f}, {bootstrap['high']:+.4f}]"
        parts.append(f"F1 {bootstrap['difference']:+.4f} {interval}, p = {bootstrap['p_value']:.3g} (paired bootstrap)")
    parts.append(
        f"only {first} right at {test['only_a']} places, only {second} at {test['only_b']}, "
        f"p = {test['p_value']:.3g} (McNemar)"
    )
    return "; ".join(parts)


def format_errors(corpus: str, system: str, result: Mapping[str, Any]) -> str:
    """Write the errors of a system by kind, with examples.

    Parameters
    ----------
    corpus, system : str
        Names.
    result : dict
        What `evaluate_predictions` gave.

    Returns
    -------
    str
        A table, then the examples; ``¦`` stands where the boundary was invented or missed.
    """
    errors = result["systems"][system]["errors"]
    if not errors:
        return f"{corpus}: {system} made no errors\n"
    rows = [(f"{corpus}: errors of {system}", "invented", "missed")]
    rows += [(error["kind"], str(error["false_positives"]), str(error["misses"])) for error in errors]
    lines = [align_columns(rows, n_left=1)]
    for error in errors:
        for example in error["examples"]:
            what = "invented" if example["type"] == "false positive" else "missed"
            before, after = (" ".join(example[side].splitlines()) for side in ("before", "after"))
            lines.append(f"{error['kind']}, {what}: {before.lstrip()}¦{after.rstrip()}\n")
    return "".join(lines)


def align_columns(rows: Iterable[Sequence[str]], n_left: int) -> str:
    """Write rows of cells in columns of equal width.

    Parameters
    ----------
    rows : iterable of sequences of str
        All of the same length.
    n_left : int
        So many columns start at the left; the others are numbers and end at the right.

    Returns
    -------
    str
        One line for each row.

    Examples
    --------
    >>> print(align_columns([("a", "1"), ("long", "22")], n_left=1), end="")
    a      1
    long  22
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if index < n_left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)
