"""What the English model owes to what: ablations, leave-one-domain-out, error kinds, calibration.

Run ``python tests/benchmarks/study_english.py --shared ../shared > docs/studies/english.md``; it trains twenty models,
about a minute of processor time each. ``--quick`` takes a third of the documents. All scores are boundary F1 on
dev parts, in percent.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from textprep_ml import RuleSegmenter, SentenceSegmenter
from textprep_ml.corpora import iter_rows
from textprep_ml.metrics import boundary_errors, boundary_f1_score
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.augmentation import STANDARD
from textprep_ml.segmentation.templates import TEMPLATES

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
DOMAINS = {"en_ewt": 1.0, "en_gum": 1.0, "en_craft": 0.4}
DEV = ("en_ewt", "en_gum", "en_craft", "en_news")

#: Groups of features: a template falls out with a group when it names one of the group's attributes.
GROUPS = {
    "abbreviation lexicon": ("left.class", "left.group", "right.group", "left2.group"),
    "evidence from this very text": ("left.evidence", "right.evidence"),
    "usual case and periods in raw text": ("left.usual", "right.usual", "left2.usual", "right2.usual", "left.raw"),
    "identity of words": ("left.word", "right.word", "left2.word", "right2.word"),
    "form of words": ("left.shape", "right.shape", "left2.shape", "right2.shape", "left.length", "right.length"),
    "line geometry": ("line.slack", "line.place", "line.rest", "line.start", "line.length", "next_line.start"),
    "style of the document": ("document.marks", "document.lines", "document.line_ends", "document.capitals"),
    "distance between marks": ("since.end", "until.end"),
    "open quotes and brackets": ("open.quote", "open.bracket"),
}  # fmt: skip
LAYOUTS = {
    "documents as they are": ("original",),
    "+ one line": ("original", "one_line"),
    "+ wrapped lines": ("original", "one_line", "wrapped", "line_breaks", "wrapped_line_breaks"),
    "+ swapped and injected abbreviations": (
        "original", "one_line", "wrapped", "line_breaks", "wrapped_line_breaks", "swapped", "injected",
    ),
    "+ citations and verse": (
        "original", "one_line", "wrapped", "line_breaks", "wrapped_line_breaks", "swapped", "injected", "cited",
        "verse",
    ),
    "all": tuple(STANDARD),
}  # fmt: skip


class Corpora:
    """The shared corpora, read once."""

    def __init__(self, shared: Path, quick: bool) -> None:
        self.shared = shared
        step = 3 if quick else 1
        self.train = {name: self._read(shared / f"data/sbd/train/{name}.jsonl")[::step] for name in DOMAINS}
        self.train["sample"] = self._read(SAMPLE / "train.jsonl")
        self.train["genres"] = self._read(SAMPLE / "genres.jsonl")
        self.dev = {name: self._read(shared / f"data/sbd/dev/{name}.jsonl") for name in DEV}
        one_line = [{**row, "text": row["text"].replace("\n", " ")} for row in self.dev["en_ewt"]]
        self.dev["en_ewt, one line"] = one_line
        self.raw = list(self._blocks(shared / "data/text/en_90mb.txt.xz", 2_000_000, 6_000_000 if quick else None))

    @staticmethod
    def _read(path: Path) -> list[dict[str, Any]]:
        return list(iter_rows(path))

    @staticmethod
    def _blocks(path: Path, size: int, limit: int | None) -> Iterator[str]:
        with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
            text = file.read(limit)
        for start in range(0, len(text), size):
            yield text[start : start + size]

    def fit(
        self, leave_out: str = "", templates: Sequence[str] = TEMPLATES, plan: Any = "standard"
    ) -> SentenceSegmenter:
        parts = {name: rows for name, rows in self.train.items() if name != leave_out}
        rows = [row for part in parts.values() for row in part]
        weights = np.repeat([DOMAINS.get(name, 3.0) for name in parts], [len(part) for part in parts.values()])
        segmenter = SentenceSegmenter(
            LogisticRegression(C=0.15, tol=1e-5, max_iter=1000),
            templates=list(templates),
            augment=plan,
            min_word_count=12,
            min_weight=0.05,
        )
        return segmenter.fit([row["text"] for row in rows], [row["sentences"] for row in rows], weights, raw=self.raw)

    def scores(self, segmenter: Any) -> list[str]:
        return [f"{100 * self.score(segmenter, name):.2f}" for name in self.dev]

    def score(self, segmenter: Any, name: str) -> float:
        rows = self.dev[name]
        predicted = segmenter.predict([row["text"] for row in rows])
        return boundary_f1_score([row["sentences"] for row in rows], predicted)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    print("|", " | ".join(head), "|")
    print("|", " | ".join(["---"] * len(head)), "|")
    for row in rows:
        print("|", " | ".join(row), "|", flush=True)
    print()


def print_ablations(corpora: Corpora, full: SentenceSegmenter) -> None:
    """Leave out one group of features at a time, then add the variants step by step."""
    print("## Groups of features\n\nEach row leaves one group out.\n")
    rows = [["everything", *corpora.scores(full)]]
    for group, attributes in GROUPS.items():
        kept = [template for template in TEMPLATES if not set(template.split()) & set(attributes)]
        rows.append([f"without {group}", *corpora.scores(corpora.fit(templates=kept))])
    print_table(["features", *corpora.dev], rows)
    print("## Variants of the training documents\n")
    rows = []
    for title, names in LAYOUTS.items():
        rows.append([title, *corpora.scores(corpora.fit(plan={name: STANDARD[name] for name in names}))])
    print_table(["variants", *corpora.dev], rows)


def print_domains(corpora: Corpora, full: SentenceSegmenter) -> None:
    """Train without a domain, test on it."""
    print("## Leaving whole domains out\n\nThe figure to trust for text of a kind that no training part has.\n")
    rows = []
    for domain in DOMAINS:
        without = corpora.fit(leave_out=domain)
        rows.append([domain, f"{100 * corpora.score(full, domain):.2f}", f"{100 * corpora.score(without, domain):.2f}"])
    print_table(["domain", "trained with it", "trained without it"], rows)


def print_errors(corpora: Corpora, full: SentenceSegmenter) -> None:
    """Count errors by kind, by rules and by the model."""
    print("## Kinds of error\n\nOver all dev parts, by the rules (before) and by the model (after).\n")
    rows = [row for name in DEV for row in corpora.dev[name]]
    texts, gold = [row["text"] for row in rows], [row["sentences"] for row in rows]
    before, after = (
        {row["kind"]: row["false_positives"] + row["misses"] for row in boundary_errors(texts, gold, predicted)}
        for predicted in (RuleSegmenter().predict(texts), full.predict(texts))
    )
    kinds = sorted(set(before) | set(after), key=lambda kind: -before.get(kind, 0))
    print_table(
        ["kind", "before", "after"], [[kind, str(before.get(kind, 0)), str(after.get(kind, 0))] for kind in kinds]
    )


def print_calibration(corpora: Corpora, full: SentenceSegmenter) -> None:
    """Compare predicted probabilities with what was true, for each kind of candidate."""
    print(
        "## Calibration\n\nShare of boundaries among the candidates of each band of predicted probability (how many).\n"
    )
    rows = [row for name in DEV for row in corpora.dev[name]]
    offsets, ends, _, kinds, scores = full.model_.score([row["text"] for row in rows])
    labels = np.concatenate(
        [
            np.isin(ends[start:end], [span[1] for span in row["sentences"][:-1]])
            for row, start, end in zip(rows, offsets[:-1], offsets[1:], strict=True)
        ]
    )
    probabilities = 1 / (1 + np.exp(-scores.astype(float)))
    bands = [0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0]
    table = []
    for kind, name in enumerate(KINDS):
        if name == "paragraph" or not (kinds == kind).any():
            continue
        cells = []
        for low, high in zip(bands[:-1], bands[1:], strict=True):
            chosen = (kinds == kind) & (probabilities > low) & (probabilities <= high)
            cells.append(f"{labels[chosen].mean():.2f} ({chosen.sum()})" if chosen.any() else "-")
        table.append([name, *cells])
    print_table(["kind", *(f"{low}-{high}" for low, high in zip(bands[:-1], bands[1:], strict=True))], table)


def main() -> None:
    """Train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    corpora = Corpora(options.shared, options.quick)
    print(
        "# A study of the English model\n\n"
        "What the shipped model owes to what. Boundary F1 in percent on dev parts, made by "
        "`tests/benchmarks/study_english.py`. Each\n"
        "figure is one training with the standard variants, half as many as the shipped model has; two seeds differ "
        "by up to two\ntenths, so smaller differences say nothing.\n"
    )
    full = corpora.fit()
    print_domains(corpora, full)
    print_errors(corpora, full)
    print_calibration(corpora, full)
    print_ablations(corpora, full)


if __name__ == "__main__":
    main()
