"""What suggestions save: F1 over the number of labels, for suggested and for random places.

The labelling loop is simulated on CRAFT, biomedical articles that the English model was not trained on; the gold
boundaries answer the questions. From the same model, three ways of choosing what to ask:

- ``suggested``: `textprep_ml.labelling.suggest`, with retraining after every 50 answers, as on the page of
  `textprep label`;
- ``random``: any candidates;
- ``random, by kind``: random too, but with as many of each kind of candidate, a harder rival.

Run ``python tests/benchmarks/study_labelling.py --shared ../shared --out docs/studies``: it writes ``labelling.json``
and ``labelling.svg``. F1 is over boundaries of the dev part of CRAFT; that on ``en_ewt`` shows whether anything was
forgotten.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from study_english import Corpora, print_table

from textprep_ml import SentenceSegmenter
from textprep_ml.labelling import suggest
from textprep_ml.labelling.scoring import CERTAIN, score_text

DOMAIN = "en_craft"
STEP = 50
SUGGESTED = 500
RANDOM = (50, 100, 200, 500, 1000, 2000)

Place = tuple[int, int]  # document, where the token before ends


class Loop:
    """Articles whose boundaries are told place by place."""

    def __init__(self, corpora: Corpora, base: SentenceSegmenter) -> None:
        self.corpora, self.base = corpora, base
        self.rows = corpora.train[DOMAIN]
        self.texts = [row["text"] for row in self.rows]

    def measure(self, places: Sequence[Place]) -> tuple[SentenceSegmenter, dict[str, float]]:
        """Retrain on some labelled places and measure."""
        segmenter = self.base if not places else self._fit(places)
        point = {"labels": len(places)} | {name: self.corpora.score(segmenter, name) for name in (DOMAIN, "en_ewt")}
        print(point, file=sys.stderr, flush=True)
        return segmenter, point

    def _fit(self, places: Sequence[Place]) -> SentenceSegmenter:
        """Do what the page does on Retrain."""
        used = sorted({document for document, _ in places})
        parts = [sorted((end, end + 1) for document, end in places if document == number) for number in used]
        segmenter = SentenceSegmenter(warm_start_from=self.base, min_count=1)
        return segmenter.fit(
            [self.texts[number] for number in used], [self.rows[number]["sentences"] for number in used], labelled=parts
        )

    def suggested(self) -> Iterator[dict[str, float]]:
        """Ask what is suggested, retraining in between."""
        segmenter, point = self.measure([])
        yield point
        places: list[Place] = []
        while len(places) < SUGGESTED:
            done: dict[int, set[int]] = {}
            for document, end in places:
                done.setdefault(document, set()).add(end)
            places += [(row["document"], row["end"]) for row in suggest(segmenter, self.texts, STEP, labelled=done)]
            segmenter, point = self.measure(places)
            yield point

    def random(self, seed: int, by_kind: bool) -> Iterator[dict[str, float]]:
        """Ask in random order; each larger set has the smaller one in it."""
        order = self._order(np.random.default_rng(seed), by_kind)
        for n in (0, *RANDOM):
            yield self.measure(order[:n])[1]

    def _order(self, rng: np.random.Generator, by_kind: bool) -> list[Place]:
        found: dict[int, list[Place]] = {}
        for document, text in enumerate(self.texts):
            scored = score_text(self.base, text)
            for end, kind in zip(scored.ends.tolist(), scored.kinds.tolist(), strict=True):
                if kind != CERTAIN:
                    found.setdefault(kind if by_kind else 0, []).append((document, end))
        shuffled = [[places[index] for index in rng.permutation(len(places))] for places in found.values()]
        # Each place is as far on as it is within its kind, so that kinds take turns.
        turns = [(turn, kind, place) for kind, places in enumerate(shuffled) for turn, place in enumerate(places)]
        return [place for _, _, place in sorted(turns)]


def average(curves: Sequence[Sequence[dict[str, float]]]) -> list[dict[str, float]]:
    """Average curves point by point."""
    return [
        {key: float(np.mean([point[key] for point in points])) for key in points[0]}
        for points in zip(*curves, strict=True)
    ]


def draw(curves: dict[str, list[dict[str, float]]], path: Path) -> None:
    """Draw F1 on the new domain over the number of labels."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "labelling"  # the same figures give the same file
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    styles = {"suggested": ("#1a5fd0", "o-"), "random": ("#8a5a00", "s--"), "random, by kind": ("#545d68", "^:")}
    for name, points in curves.items():
        colour, style = styles[name]
        axes.plot(
            [point["labels"] for point in points], [100 * point[DOMAIN] for point in points],
            style, color=colour, label=name, markersize=4,
        )  # fmt: skip
    axes.axhline(100 * curves["random"][-1][DOMAIN], color="#8a5a00", linewidth=0.6)
    axes.set(
        xlabel="labels", ylabel="boundary F1 on CRAFT (dev), %", title="English model, new domain: biomedical articles"
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Simulate, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--out", type=Path, default=Path("docs/studies"))
    parser.add_argument("--seeds", type=int, default=2, help="how many random orders are averaged")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    corpora = Corpora(options.shared, options.quick)
    run(Loop(corpora, corpora.fit(leave_out=DOMAIN)), options.seeds, options.out)


def run(loop: Loop, n_seeds: int, out: Path) -> None:
    """Simulate the three orders, print and write the curves."""
    curves = {"suggested": list(loop.suggested())}
    for name, by_kind in (("random", False), ("random, by kind", True)):
        curves[name] = average([list(loop.random(seed, by_kind)) for seed in range(n_seeds)])
    out.mkdir(parents=True, exist_ok=True)
    (out / "labelling.json").write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")
    draw(curves, out / "labelling.svg")
    print("# F1 over the number of labels\n")
    rows = [
        [name, f"{point['labels']:.0f}", f"{100 * point[DOMAIN]:.2f}", f"{100 * point['en_ewt']:.2f}"]
        for name, points in curves.items()
        for point in points
    ]
    print_table(["order", "labels", DOMAIN, "en_ewt"], rows)
    goal = curves["random"][-1][DOMAIN]
    needed = next((point["labels"] for point in curves["suggested"] if point[DOMAIN] >= goal), None)
    print(f"Suggested places reach the F1 of {RANDOM[-1]} random ones ({100 * goal:.2f}) with {needed} labels.")


if __name__ == "__main__":
    main()
