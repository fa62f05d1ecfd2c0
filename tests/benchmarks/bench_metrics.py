"""Measures of segmentation against NLTK's and against sets in plain Python: CPU time of alternating runs, best of each.

Run ``python tests/benchmarks/bench_metrics.py [--text PATH]``. The lines of the text are the sentences, documents
have 50, and the prediction is wrong at one boundary in ten. The values of both sides are compared too.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from plain_files import plain_file

from textprep_ml.metrics import bootstrap_intervals, boundary_errors, boundary_scores, pk, span_scores, window_diff

SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "raw" / "raw-en.txt"
PER_DOCUMENT = 50
WINDOW = 60
ROUNDS = 3


def make_corpus(path: Path, megabytes: int) -> tuple[list[str], list[np.ndarray], list[np.ndarray]]:
    """Give documents, their sentences, and a prediction that joins one pair of sentences in ten and cuts another."""
    with path.open(encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip() for line in file.read(megabytes << 20).split("\n") if len(line.strip()) > 2]
    generator = np.random.default_rng(0)
    texts, true, pred = [], [], []
    for first in range(0, len(lines), PER_DOCUMENT):
        part = lines[first : first + PER_DOCUMENT]
        ends = np.cumsum([len(line) + 1 for line in part]) - 1
        starts = np.append(0, ends[:-1] + 1)
        texts.append("\n".join(part))
        true.append(np.stack([starts, ends], axis=1))
        kept = np.append(ends[:-1][generator.random(len(ends) - 1) > 0.1], ends[-1])
        cut = np.unique(np.append(kept, ends[:-1][generator.random(len(ends) - 1) < 0.1] + 2))
        pred.append(np.stack([np.append(0, cut[:-1]), cut], axis=1))
    return texts, true, pred


def f1_of_sets(true: list[np.ndarray], pred: list[np.ndarray]) -> float:
    """The definition, in plain Python."""
    correct = n_true = n_pred = 0
    for gold, found in zip(true, pred, strict=True):
        gold_ends, found_ends = {end for _, end in gold[:-1].tolist()}, {end for _, end in found[:-1].tolist()}
        correct += len(gold_ends & found_ends)
        n_true += len(gold_ends)
        n_pred += len(found_ends)
    return 2 * correct / (n_true + n_pred)


def of_nltk(measure: Callable[..., float], true: list[np.ndarray], pred: list[np.ndarray]) -> float:
    """NLTK takes one string of gaps a document; the mean over the windows of all is ours."""
    total = weight = 0.0
    for gold, found in zip(true, pred, strict=True):
        size = int(max(gold[-1, 1], found[-1, 1]))
        if size - 1 < WINDOW:
            continue
        strings = []
        for spans in (gold, found):
            marks = np.zeros(size - 1, dtype=np.uint8) + ord("0")
            marks[spans[:-1, 1] - 1] = ord("1")
            strings.append(marks.tobytes().decode())
        windows = size - WINDOW
        total += measure(*strings, k=WINDOW) * windows
        weight += windows
    return total / weight


def best(functions: dict[str, Callable[[], Any]]) -> dict[str, tuple[float, Any]]:
    """Run all of them in turns and keep the shortest CPU time of each."""
    times: dict[str, tuple[float, Any]] = {}
    for _ in range(ROUNDS):
        for name, function in functions.items():
            start = time.process_time()
            value = function()
            spent = time.process_time() - start
            times[name] = (min(spent, times.get(name, (np.inf,))[0]), value)
    return times


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, default=SAMPLE)
    parser.add_argument("--megabytes", type=int, default=5)
    options = parser.parse_args()
    texts, true, pred = make_corpus(options.text, options.megabytes)
    print(
        f"{len(texts)} documents, {sum(map(len, true))} sentences, {sum(map(len, texts)) / 1e6:.1f} million characters"
    )
    functions: dict[str, Callable[[], Any]] = {
        "boundary_scores": lambda: boundary_scores(true, pred)["f1"],
        "sets in Python": lambda: f1_of_sets(true, pred),
        "span_scores": lambda: span_scores(true, pred)["f1"],
        "window_diff": lambda: window_diff(true, pred, window=WINDOW),
        "pk": lambda: pk(true, pred, window=WINDOW),
        "bootstrap_intervals": lambda: bootstrap_intervals(true, pred)["f1"],
        "boundary_errors": lambda: len(boundary_errors(texts, true, pred)),
    }
    try:
        from nltk.metrics.segmentation import pk as nltk_pk
        from nltk.metrics.segmentation import windowdiff as nltk_windowdiff
    except ImportError:
        print("NLTK is not installed and left out")
    else:
        functions["NLTK windowdiff"] = lambda: of_nltk(nltk_windowdiff, true, pred)
        functions["NLTK pk"] = lambda: of_nltk(nltk_pk, true, pred)
    for name, (seconds, value) in best(functions).items():
        print(f"{name:20} {seconds * 1000:10.1f} ms   {value}")


if __name__ == "__main__":
    main()
