"""What a few labelled documents of a new domain are worth.

An English model trained without biomedical text is adapted with 5, 20 and 58 CRAFT articles, and held against training
from nothing on the same articles; ``en_ewt`` shows whether anything was forgotten. Where raw text alone pays,
``study_raw_text.py`` shows. Run
``python tests/benchmarks/study_adaptation.py --shared ../shared``. All scores are boundary F1 on dev parts, in percent.
"""

from __future__ import annotations

import argparse
import copy
from pathlib import Path
from typing import Any

from sklearn.linear_model import LogisticRegression
from study_english import Corpora, print_table

from textprep_ml import SentenceSegmenter

SIZES = (5, 20, 58)
ABOUT = """\
What a few labelled documents of a new domain are worth. An English model trained without biomedical text starts from
there (`warm_start_from`) with 5, 20 and 58 CRAFT articles, and is held against training from nothing on the same
articles; `en_ewt` shows what it forgets. Boundary F1 in percent on dev parts, made by
`tests/benchmarks/study_adaptation.py`. Where raw text without labels pays, [Adapt](../how-to/adapt.md) shows."""


def fit(rows: list[dict[str, Any]], base: SentenceSegmenter | None) -> SentenceSegmenter:
    """Train on some documents, from nothing or from `base`."""
    segmenter = SentenceSegmenter(LogisticRegression(C=0.2, max_iter=200), warm_start_from=base)
    return segmenter.fit([row["text"] for row in rows], [row["sentences"] for row in rows])


def main() -> None:
    """Train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    corpora = Corpora(options.shared, options.quick)
    base = corpora.fit(leave_out="en_craft")

    def row(title: str, segmenter: SentenceSegmenter) -> list[str]:
        return [title, *(f"{100 * corpora.score(segmenter, name):.2f}" for name in ("en_craft", "en_ewt"))]

    rows = [row("English without biomedical text", base)]
    raw = copy.deepcopy(base).learn_abbreviations([document["text"] for document in corpora.train["en_craft"]])
    rows.append(row("+ abbreviations learned from unlabelled articles", raw))
    for size in SIZES:
        documents = corpora.train["en_craft"][:size]
        rows.append(row(f"adapted with {size} articles", fit(documents, base)))
        rows.append(row(f"{size} articles from nothing", fit(documents, None)))
    print("# Adapting the English model to biomedical articles\n")
    print(ABOUT + "\n")
    print_table(["model", "en_craft", "en_ewt"], rows)


if __name__ == "__main__":
    main()
