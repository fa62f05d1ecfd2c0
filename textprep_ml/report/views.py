"""From the plain data of a report to what its page shows: tiles, rows of tables, bars, and a choice of the errors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from textprep_ml.report.charts import nice_axis
from textprep_ml.report.drawings import (
    calibration_charts,
    coverage_chart,
    learning_chart,
    recall_chart,
    size_chart,
    threshold_chart,
    track,
)

#: So many errors stand on a page at most; the file beside it has all of them.
SHOWN = 500


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Shorten the names of files for display.

    Parameters
    ----------
    names : iterable of str
        Paths, or names of data sets.

    Returns
    -------
    dict of str to str
        Name -> its last part without suffixes, where that tells it apart from the others; else itself.

    Examples
    --------
    >>> short_names(["dev/en.jsonl", "dev/en.jsonl, one line", "ud:en_ewt"])
    {'dev/en.jsonl': 'en', 'dev/en.jsonl, one line': 'en, one line', 'ud:en_ewt': 'ud:en_ewt'}
    >>> short_names(["a/dev.txt", "b/dev.txt"])
    {'a/dev.txt': 'a/dev.txt', 'b/dev.txt': 'b/dev.txt'}
    """
    short = {name: _stem(name) for name in names}
    kept = list(short.values())
    return {name: each if kept.count(each) == 1 else name for name, each in short.items()}


def _stem(name: str) -> str:
    path, comma, variant = name.partition(", ")
    last = PurePath(path).name.removesuffix(".gz").removesuffix(".xz")
    return (PurePath(last).stem or path) + comma + variant


def system_names(report: Mapping[str, Any]) -> dict[str, str]:
    """Shorten the names of what a report is about.

    Parameters
    ----------
    report : dict
        With "model" and "baselines".

    Returns
    -------
    dict of str to str
        Name -> what the page calls it.
    """
    return short_names([report["model"], *report["baselines"]])


def choose_errors(errors: Sequence[Mapping[str, Any]], n: int = SHOWN) -> list[dict[str, Any]]:
    """Choose the errors that a page shows: of each kind those that the model was surest of, all kinds in turn.

    Parameters
    ----------
    errors : sequence of dict
        With "kind", and "confidence" where there is one.
    n : int
        At most so many.

    Returns
    -------
    list of dict
        The surest first, those without a confidence last, each with "order", its place among all errors.

    Examples
    --------
    >>> errors = [{"kind": kind, "confidence": sure} for kind, sure in [("a", 0.9), ("a", 0.8), ("a", 0.7), ("b", 0.6)]]
    >>> [(error["kind"], error["confidence"], error["order"]) for error in choose_errors(errors, n=2)]
    [('a', 0.9, 0), ('b', 0.6, 3)]
    """

    def confidence(error: Mapping[str, Any]) -> float:
        known = error.get("confidence")
        return -1.0 if known is None else known

    ordered = sorted(({**error, "order": order} for order, error in enumerate(errors)), key=lambda e: -confidence(e))
    seen: dict[str, int] = defaultdict(int)
    turns = []
    for error in ordered:
        turns.append(seen[error["kind"]])
        seen[error["kind"]] += 1
    taken = sorted(range(len(ordered)), key=lambda index: turns[index])[:n]
    return [ordered[index] for index in sorted(taken)]


def kind_rows(errors: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """Set the errors of two systems side by side, by kind.

    Parameters
    ----------
    errors, others : sequence of dict
        With "kind", "false_positives" and "misses": of the system that the report is about, and of the baseline.

    Returns
    -------
    list of dict
        "kind", "invented", "missed", "other_invented", "other_missed", and the lengths of the bars "invented_share" and
        "missed_share", 1 for the longest.
    """
    counts = [{row["kind"]: (row["false_positives"], row["misses"]) for row in rows} for rows in (errors, others)]
    kinds = list(dict.fromkeys(row["kind"] for row in [*errors, *others]))
    longest = max([1, *(count for pair in counts[0].values() for count in pair)])
    rows = []
    for kind in kinds:
        (invented, missed), (other_invented, other_missed) = (found.get(kind, (0, 0)) for found in counts)
        rows.append(
            {
                "kind": kind,
                "invented": invented,
                "missed": missed,
                "other_invented": other_invented,
                "other_missed": other_missed,
                "invented_share": round(invented / longest, 4),
                "missed_share": round(missed / longest, 4),
            }
        )
    return rows


def segmenter_view(report: Mapping[str, Any]) -> dict[str, Any]:
    """Prepare the page of a segmenter.

    Parameters
    ----------
    report : dict
        What `textprep_ml.report.segmenter_report` gave.

    Returns
    -------
    dict
        The variables of the template.
    """
    systems = report["overall"]["systems"]
    model, baseline = systems[report["model"]], systems.get(report["baseline"])
    rows = [
        (corpus, name, scores["boundaries"], scores["intervals"], scores)
        for corpus, result in report["corpora"].items()
        for name, scores in result["systems"].items()
    ]
    view = _common_view(report, [(scores, intervals) for _, _, scores, intervals, _ in rows])
    view["rows"] = [{**_score_row(view, *row), "all": everything} for *row, everything in rows]
    view["kinds"] = kind_rows(model["errors"], baseline["errors"] if baseline else ())
    view["differences"] = [
        {"corpus": view["names"][corpus], "other": view["titles"][other], **comparison}
        for corpus, result in report["corpora"].items()
        for other, comparison in result.get("comparisons", {}).items()
    ]
    view["charts"] = charts = _charts(report)
    view["sections"] = _sections(
        "scores", "kinds", *(name for name in ("threshold", "calibration", "learning") if name in charts), "errors"
    )
    return view


def tokenizer_view(report: Mapping[str, Any]) -> dict[str, Any]:
    """Prepare the page of a word tokenizer.

    Parameters
    ----------
    report : dict
        What `textprep_ml.report.tokenizer_report` gave.

    Returns
    -------
    dict
        The variables of the template.
    """
    rows = [
        (corpus, name, scores, result["intervals"][name])
        for corpus, result in report["corpora"].items()
        for name, scores in result["scores"].items()
    ]
    view = _common_view(report, [(scores, intervals) for _, _, scores, intervals in rows])
    view["rows"] = [_score_row(view, *row) for row in rows]
    overall = report["overall"]["errors"]
    view["kinds"] = kind_rows(overall[report["model"]], overall.get(report["baseline"], ()))
    view["sections"] = _sections("scores", "kinds", "errors")
    return view


def vocabulary_view(report: Mapping[str, Any]) -> dict[str, Any]:
    """Prepare the page of a subword vocabulary.

    Parameters
    ----------
    report : dict
        What `textprep_ml.report.vocabulary_report` gave.

    Returns
    -------
    dict
        The variables of the template.
    """
    names, titles = short_names(report["corpora"]), system_names(report)
    model, tokenizers = report["model"], report["tokenizers"]
    curves = {titles[name]: each["curve"] for name, each in tokenizers.items() if each["curve"]}
    sizes = [
        size_chart(curves, titles[model], measure, label)
        for measure, label in (("bytes_per_piece", "bytes per piece"), ("fertility", "pieces per word"))
        if curves
    ]
    return {
        "report": report,
        "titles": titles,
        "rows": [
            {
                "corpus": names[corpus],
                "path": corpus,
                "system": titles[name],
                "style": "model" if name == model else "baseline",
                "scores": scores,
            }
            for corpus, measured in report["corpora"].items()
            for name, scores in measured.items()
        ],
        "curves": curves,
        "sizes": sizes,
        "coverage": coverage_chart(
            {titles[name]: each["coverage"] for name, each in tokenizers.items()}, titles[model]
        ),
        "sections": _sections("scores", *(["size"] if curves else []), "coverage", "words", "pieces"),
    }


#: Parts of a page and their names in its navigation.
_TITLES = {
    "scores": "Scores",
    "kinds": "Errors by kind",
    "threshold": "Threshold",
    "calibration": "Calibration",
    "learning": "Learning curve",
    "errors": "Errors in context",
    "size": "Size",
    "coverage": "Coverage",
    "words": "Words cut most",
    "pieces": "Pieces",
}


def _sections(*names: str) -> list[tuple[str, str]]:
    return [(name, _TITLES[name]) for name in names]


def _common_view(report: Mapping[str, Any], scores: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    errors = choose_errors(report["errors"])
    ends = [end for each, intervals in scores for end in (*(intervals["f1"] if intervals else ()), each["f1"])]
    return {
        "report": report,
        "names": short_names(report["corpora"]),
        "titles": system_names(report),
        "axis": nice_axis("F1", ends, floor=0, ceiling=1),
        "errors": errors,
        "error_kinds": [kind for kind, _ in Counter(error["kind"] for error in errors).most_common()],
        "n_errors": len(report["errors"]),
    }


def _score_row(view: Mapping[str, Any], corpus: str, name: str, scores: Any, intervals: Any) -> dict[str, Any]:
    low, high = intervals["f1"] if intervals else (scores["f1"], scores["f1"])
    return {
        "corpus": view["names"][corpus],
        "path": corpus,
        "system": view["titles"][name],
        "style": "model" if name == view["report"]["model"] else "baseline",
        "scores": scores,
        "interval": intervals and intervals["f1"],
        "places": [round(100 * view["axis"].share(value), 2) for value in (low, scores["f1"], high)],
    }


def _charts(report: Mapping[str, Any]) -> dict[str, Any]:
    baseline = report["overall"]["systems"].get(report["baseline"])
    titles = system_names(report)
    other = titles.get(report["baseline"])
    charts: dict[str, Any] = {}
    if report["threshold"]:
        threshold = threshold_chart(report["threshold"])
        recall = recall_chart(report["threshold"], baseline and baseline["boundaries"], other)
        charts |= {
            "threshold": threshold,
            "recall": recall,
            "track": track(report["threshold"], threshold, recall),
            "calibration": calibration_charts(report["calibration"]),
        }
    if report["learning"]:
        charts["learning"] = learning_chart(
            report["learning"], titles[report["model"]], baseline and baseline["boundaries"]["f1"], other
        )
    return charts
