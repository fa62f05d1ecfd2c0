"""Edit distance against RapidFuzz, jiwer and a plain Python table: CPU time of alternating runs, best of each.

Run ``python tests/benchmarks/bench_distance.py [--text PATH]``; the words and lines compared are those of the text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

import jiwer
import numpy as np
from plain_files import plain_file
from rapidfuzz.distance import OSA, DamerauLevenshtein, Levenshtein
from rapidfuzz.process import cdist

from textprep_ml.distance import edit_distance, error_rates, pairwise_edit_distances

SAMPLE = Path(__file__).parent.parent.parent / "data" / "sample" / "sentences.txt"


def plain_table(a: str, b: str, insertion: float, deletion: float, substitution: float) -> float:
    """The textbook algorithm in plain Python."""
    row = [j * insertion for j in range(len(b) + 1)]
    for symbol in a:
        corner, row[0] = row[0], row[0] + deletion
        for j, other in enumerate(b):
            above = row[j + 1]
            row[j + 1] = min(corner + (symbol != other) * substitution, above + deletion, row[j] + insertion)
            corner = above
    return row[-1]


def seconds(call: Callable[[], object], least: float = 0.05) -> float:
    """CPU time of one call; calls repeat until the clock can see them."""
    repeats = 1
    while True:
        start = time.process_time()
        for _ in range(repeats):
            call()
        spent = time.process_time() - start
        if spent >= least:
            return spent / repeats
        repeats *= 2


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> None:
    """Print one line: best time of both, and the ratio theirs / ours."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        best = [min(best[0], seconds(ours)), min(best[1], seconds(theirs))]
    print(f"{name:<58} {best[0] * 1e6:>12.2f} {best[1] * 1e6:>12.2f} {best[1] / best[0]:>9.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=plain_file, default=SAMPLE)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with arguments.text.open(encoding="utf-8") as file:
        lines = [line.strip() for line in file.read(4_000_000).split("\n") if line.strip()]
    rng = random.Random(0)
    words = sorted({word for line in lines for word in line.split()})
    words = rng.sample(words, min(600, len(words)))
    pairs = [(rng.choice(words), rng.choice(words)) for _ in range(500)]
    long_a, long_b = "".join(rng.choices("acgt", k=2000)), "".join(rng.choices("acgt", k=2000))
    references = rng.choices(lines, k=300)
    hypotheses = [" ".join(word for word in line.split() if rng.random() > 0.1) for line in references]

    def note(name: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
        compare(name, ours, theirs, arguments.rounds)

    print(f"{'microseconds':<58} {'ours':>12} {'theirs':>12} {'times':>9}")
    # The calls are written out: unpacking options or one more function would cost as much as the distance.
    note(
        "RapidFuzz: 500 pairs of words",
        lambda: [edit_distance(a, b) for a, b in pairs],
        lambda: [Levenshtein.distance(a, b) for a, b in pairs],
    )
    note(
        "RapidFuzz: 500 pairs, substitution 2",
        lambda: [edit_distance(a, b, 1, 1, 2) for a, b in pairs],
        lambda: [Levenshtein.distance(a, b, weights=(1, 1, 2)) for a, b in pairs],
    )
    note(
        "RapidFuzz: 500 pairs, max_distance 3",
        lambda: [edit_distance(a, b, max_distance=3) for a, b in pairs],
        lambda: [Levenshtein.distance(a, b, score_cutoff=3) for a, b in pairs],
    )
    note(
        "RapidFuzz: 500 pairs, OSA",
        lambda: [edit_distance(a, b, transposition=1, variant="osa") for a, b in pairs],
        lambda: [OSA.distance(a, b) for a, b in pairs],
    )
    note(
        "RapidFuzz: 500 pairs, Damerau",
        lambda: [edit_distance(a, b, transposition=1) for a, b in pairs],
        lambda: [DamerauLevenshtein.distance(a, b) for a, b in pairs],
    )
    note(
        "RapidFuzz: 2,000 x 2,000", lambda: edit_distance(long_a, long_b), lambda: Levenshtein.distance(long_a, long_b)
    )
    note(
        "RapidFuzz: matrix of 600 x 600 words",
        lambda: pairwise_edit_distances(words),
        lambda: cdist(words, words, scorer=Levenshtein.distance, dtype=np.int64),
    )
    note(
        "jiwer: 300 lines",
        lambda: error_rates(references, hypotheses),
        lambda: jiwer.process_words(references, hypotheses),
    )
    for length in (10, 100, 1000):
        a, b = long_a[:length], long_b[:length]
        note(
            f"plain Python table: {length} x {length}, substitution 1.5",
            lambda a=a, b=b: edit_distance(a, b, substitution=1.5),  # type: ignore[misc]
            lambda a=a, b=b: plain_table(a, b, 1, 1, 1.5),  # type: ignore[misc]
        )
    note(
        "plain Python table: matrix of 100 x 100 words",
        lambda: pairwise_edit_distances(words[:100], substitution=1.5),
        lambda: [[plain_table(a, b, 1, 1, 1.5) for b in words[:100]] for a in words[:100]],
    )


if __name__ == "__main__":
    main()
