"""The charts of a report: which numbers go where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from textprep_ml.report.charts import Axis, Chart, Series, nice_axis

#: Where a number stands on the axis of a threshold.
PROBABILITIES = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
_SMALL = 230


def threshold_chart(curve: Mapping[str, Any]) -> Chart:
    """Draw precision, recall and F1 over the threshold.

    Parameters
    ----------
    curve : dict
        What `threshold_curve` gave, with "in_use".

    Returns
    -------
    Chart
        Over log odds, which keeps the ends apart.
    """
    measures = ("precision", "recall", "f1")
    best = curve["best"]
    return Chart(
        f"Precision rises and recall falls with the threshold; F1 is highest, {best['f1']:.4f}, "
        f"at {best['threshold']:.2f}.",
        Axis("threshold", curve["threshold"][0], curve["threshold"][-1], PROBABILITIES, "logit"),
        nice_axis("score", [value for name in measures for value in curve[name]], floor=0, ceiling=1),
        [
            Series(name.replace("f1", "F1"), name, list(zip(curve["threshold"], curve[name], strict=True)))
            for name in measures
        ],
        cursor=curve["in_use"],
    )


def recall_chart(curve: Mapping[str, Any], baseline: Mapping[str, Any] | None, baseline_name: str | None) -> Chart:
    """Draw precision over recall.

    Parameters
    ----------
    curve : dict
        What `threshold_curve` gave, with "in_use".
    baseline : dict, optional
        Scores of the baseline, a point.
    baseline_name : str, optional
        Its name.

    Returns
    -------
    Chart
        With a point at the threshold in use.
    """
    points = list(zip(curve["recall"], curve["precision"], strict=True))
    at = points[nearest(curve["threshold"], curve["in_use"])]
    series = [Series("", "f1", points)]
    if baseline is not None:
        place = (baseline["recall"], baseline["precision"])
        hint = f"{baseline_name}: precision {place[1]:.4f}, recall {place[0]:.4f}"
        series.append(Series(baseline_name or "", "baseline", [place], line=False, dots=True, hints=[hint]))
    series.append(Series("threshold in use", "model here", [at], line=False, dots=True))
    everything = [point for each in series for point in each.points]
    return Chart(
        f"Precision over recall; the average precision is {curve['average_precision']:.4f}.",
        nice_axis("recall", [recall for recall, _ in everything], floor=0, ceiling=1),
        nice_axis("precision", [precision for _, precision in everything], floor=0, ceiling=1),
        series,
    )


def nearest(values: Sequence[float], value: float) -> int:
    """Find the place of the number that is nearest to another.

    Parameters
    ----------
    values : sequence of float
        At least one.
    value : float
        What is looked for.

    Returns
    -------
    int
        An index.

    Examples
    --------
    >>> nearest([0.1, 0.5, 0.9], 0.6)
    1
    """
    return min(range(len(values)), key=lambda index: abs(values[index] - value))


def track(curve: Mapping[str, Any], threshold: Chart, recall: Chart) -> dict[str, Any]:
    """Give what the page needs to move the threshold: places in both charts, and the figures to tell.

    Parameters
    ----------
    curve : dict
        What `threshold_curve` gave, with "in_use".
    threshold, recall : Chart
        The drawings of it.

    Returns
    -------
    dict
        "start", the index of the threshold in use, and "rows": place in the first chart, place in the second, and the
        text that tells threshold, precision, recall and F1.
    """
    columns = (curve["threshold"], curve["precision"], curve["recall"], curve["f1"], curve["n_pred"])
    return {
        "start": nearest(curve["threshold"], curve["in_use"]),
        "rows": [
            [
                threshold.place_x(at),
                recall.place_x(found),
                recall.place_y(right),
                f"Threshold {at:.3f}: precision {right:.4f}, recall {found:.4f}, F1 {f1:.4f}, {n:,} found",
            ]
            for at, right, found, f1, n in zip(*columns, strict=True)
        ],
    }


def calibration_charts(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Draw observed frequency over predicted probability, one chart for each kind of candidate.

    Parameters
    ----------
    rows : sequence of dict
        What `calibration_curves` gave.

    Returns
    -------
    list of dict
        Each row with its "chart".
    """
    x, y = (Axis(label, 0, 1, (0, 0.25, 0.5, 0.75, 1)) for label in ("predicted probability", "share of boundaries"))
    drawn = []
    for row in rows:
        bins = row["bins"]
        dots = Series(
            row["kind"],
            "model",
            [(each["predicted"], each["observed"]) for each in bins],
            [(each["low"], each["high"]) for each in bins],
            line=False,
            dots=True,
            whiskers=True,
            hints=[f"{each['n']:,} with {each['predicted']:.3f}: {each['observed']:.3f}" for each in bins],
        )
        summary = f"Calibration of candidates of kind {row['kind']}: mean error {row['calibration_error']:.4f}."
        diagonal = Series("", "ideal", [(0, 0), (1, 1)])
        drawn.append({**row, "chart": Chart(summary, x, y, [diagonal, dots], width=_SMALL, height=_SMALL)})
    return drawn


def learning_chart(
    points: Sequence[Mapping[str, Any]], model_name: str, baseline: float | None, baseline_name: str | None
) -> Chart:
    """Draw F1 over the number of sentences learned from.

    Parameters
    ----------
    points : sequence of dict
        What `learning_curve` gave.
    model_name : str
        The name of what was fitted.
    baseline : float, optional
        F1 of the baseline, a level line.
    baseline_name : str, optional
        Its name.

    Returns
    -------
    Chart
        Over the logarithm of the size.
    """
    scored = [point for point in points if "f1" in point]
    sizes = [point["sentences"] for point in scored]
    ends = sizes if len(set(sizes)) > 1 else [sizes[0] / 2, sizes[0] * 2]
    series = []
    if baseline is not None:
        series.append(Series(baseline_name or "", "baseline", [(ends[0], baseline), (ends[-1], baseline)]))
    series.append(
        Series(
            f"{model_name}, with 95 % interval",
            "model",
            [(point["sentences"], point["f1"]) for point in scored],
            [(point["low"], point["high"]) for point in scored],
            dots=True,
            hints=[f"{point['sentences']:,} sentences: F1 {point['f1']:.4f}" for point in scored],
        )
    )
    values = [value for each in series for _, value in each.points] + [end for each in series[-1].band for end in each]
    return Chart(
        f"F1 grows from {scored[0]['f1']:.4f} with {sizes[0]:,} sentences to {scored[-1]['f1']:.4f} with "
        f"{sizes[-1]:,}.",
        Axis("sentences learned from", ends[0], ends[-1], sizes, "log", short_count),
        nice_axis("boundary F1", values, floor=0, ceiling=1),
        series,
    )


def size_chart(curves: Mapping[str, Sequence[Mapping[str, Any]]], model: str, measure: str, label: str) -> Chart:
    """Draw a measure over the size of the vocabulary.

    Parameters
    ----------
    curves : mapping of str to sequence of dict
        Tokenizer -> what `vocabulary_curve` gave.
    model : str
        The tokenizer that the report is about.
    measure : str
        A key of the rows.
    label : str
        What it is called.

    Returns
    -------
    Chart
        Over the logarithm of the size.
    """
    series = [
        Series(
            name,
            "model" if name == model else "baseline",
            [(row["vocab_size"], row[measure]) for row in rows],
            dots=True,
            hints=[f"{name}, {row['vocab_size']:,} pieces: {row[measure]:.4f}" for row in rows],
        )
        for name, rows in reversed(list(curves.items()))
    ]
    rows = curves[next(iter(curves))]
    first, last = rows[0], rows[-1]
    return Chart(
        f"{label.capitalize()} over the size of the vocabulary: {first[measure]:.3f} with {first['vocab_size']:,} "
        f"pieces, {last[measure]:.3f} with {last['vocab_size']:,}.",
        log_axis("pieces in the vocabulary", [size for each in series for size, _ in each.points]),
        nice_axis(label, [value for each in series for _, value in each.points], floor=0),
        series,
    )


def coverage_chart(curves: Mapping[str, Sequence[Sequence[float]]], model: str) -> Chart:
    """Draw which part of a text the most frequent pieces make up.

    Parameters
    ----------
    curves : mapping of str to sequence of (float, float)
        Tokenizer -> numbers of pieces and their share.
    model : str
        The tokenizer that the report is about.

    Returns
    -------
    Chart
        Over the logarithm of the number.
    """
    series = [
        Series(name, "model" if name == model else "baseline", [(rank, share) for rank, share in rows])
        for name, rows in reversed(list(curves.items()))
    ]
    half = next(rank for rank, share in curves[model] if share >= 0.5)
    return Chart(
        f"The {half:,.0f} most frequent pieces make up half of the text.",
        log_axis("most frequent pieces", [rank for each in series for rank, _ in each.points]),
        Axis("share of the text", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
        series,
    )


def log_axis(label: str, values: Sequence[float]) -> Axis:
    """Make a logarithmic axis for counts with round numbers between its ends.

    Parameters
    ----------
    label : str
        What it shows.
    values : sequence of float
        At least one, all positive.

    Returns
    -------
    Axis
        From the least to the greatest value, or around the only one.

    Examples
    --------
    >>> axis = log_axis("pieces", [256, 8192])
    >>> axis.ticks, [axis.format(tick) for tick in axis.ticks]
    ([500, 1000, 2000, 5000], ['500', '1k', '2k', '5k'])
    """
    low, high = min(values), max(values)
    if low == high:
        low, high = low / 2, high * 2
    steps = (1, 2, 5) if high / low < 200 else (1,)
    ticks = [step * 10**power for power in range(math.floor(math.log10(high)) + 1) for step in steps]
    return Axis(label, low, high, [tick for tick in ticks if low <= tick <= high], "log", short_count)


def short_count(number: float) -> str:
    """Write a count in little room.

    Parameters
    ----------
    number : float
        A count.

    Returns
    -------
    str
        Three digits at most before the letter.

    Examples
    --------
    >>> short_count(480), short_count(12_544), short_count(2_000_000)
    ('480', '13k', '2M')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.0f}{letter}" if number >= 10 * size else f"{number / size:.2g}{letter}"
    return f"{number:g}"
