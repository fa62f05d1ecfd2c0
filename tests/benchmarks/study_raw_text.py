"""What abbreviations learned from raw text alone are worth, and where.

They are learned from every other document of a dev corpus, without its labels (of CRAFT: from the train part), and
measured on the documents in between. The English model robbed of its lexicon stands for text whose abbreviations nobody
listed. Run ``python tests/benchmarks/study_raw_text.py --shared ../shared``; it takes a
minute. All scores are boundary F1, in percent.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.linear_model import LogisticRegression
from study_english import print_table

from textprep_ml import RuleSegmenter, SentenceSegmenter
from textprep_ml.abbreviations import load_abbreviations
from textprep_ml.corpora import iter_rows
from textprep_ml.metrics import boundary_f1_score
from textprep_ml.segmentation import learn_abbreviations

CORPORA = (
    "en_news", "en_craft", "en_gum", "en_ewt", "cs_wmt18", "de_wmt19", "fr_wmt15", "pl_newscrawl2019", "ru_wmt18",
    "tr_wmt16",
)  # fmt: skip
#: Labelled documents of the model that is trained on few.
FEW = 5

Rows = list[dict[str, Any]]


def read_halves(shared: Path, name: str) -> tuple[Rows, Rows]:
    """Give the documents to learn from and those to measure on."""
    dev = list(iter_rows(shared / f"data/sbd/dev/{name}.jsonl"))
    train = shared / f"data/sbd/train/{name}.jsonl"
    return (list(iter_rows(train)), dev) if name == "en_craft" else (dev[::2], dev[1::2])


def score(segmenter: Any, rows: Rows) -> float:
    found = segmenter.predict([row["text"] for row in rows])
    return 100 * boundary_f1_score([row["sentences"] for row in rows], found)


def fit_few(rows: Rows, abbreviations: Mapping[str, str]) -> SentenceSegmenter:
    """Train on few documents with these abbreviations."""
    segmenter = SentenceSegmenter(LogisticRegression(C=0.2, max_iter=200), abbreviations=abbreviations)
    return segmenter.fit([row["text"] for row in rows[:FEW]], [row["sentences"] for row in rows[:FEW]])


def measure(shared: Path, name: str) -> list[str]:
    """Measure systems without what raw text teaches, and with it."""
    raw, rows = read_halves(shared, name)
    texts = [row["text"] for row in raw]
    lexicon = load_abbreviations(name[:2])
    known = {entry.lower() for entry in lexicon}
    found = learn_abbreviations(texts)
    learned = dict.fromkeys(found, "learned")
    both = {**lexicon, **dict.fromkeys((entry for entry in found if entry not in known), "learned")}
    english = SentenceSegmenter.load("en")
    bare = SentenceSegmenter.load("en")
    bare.model_.words.abbreviations.clear()
    bare.model_.rebuild()
    pairs = [
        (score(RuleSegmenter(abbreviations={}), rows), score(RuleSegmenter(abbreviations=learned), rows)),
        (score(RuleSegmenter(abbreviations=lexicon), rows), score(RuleSegmenter(abbreviations=both), rows)),
        (score(english, rows), score(english.learn_abbreviations(texts), rows)),
        (score(bare, rows), score(bare.learn_abbreviations(texts), rows)),
        (score(fit_few(raw, {}), rows), score(fit_few(raw, learned), rows)),
    ]
    kilobytes = sum(len(text.encode()) for text in texts) // 1000
    cells = [f"{before:.2f}, {after - before:+.2f}" for before, after in pairs]
    return [name, f"{kilobytes:,} kB", f"{len(found)}, {len(both) - len(lexicon)}", *cells]


def main() -> None:
    """Measure all corpora, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    options = parser.parse_args()
    head = ["corpus", "raw text", "found, not in the lexicon", "rules without a lexicon", "rules with the lexicon"]
    head += ["`en`", "`en` robbed of its lexicon", f"{FEW} documents, no lexicon"]
    print_table(head, [measure(options.shared, name) for name in CORPORA])


if __name__ == "__main__":
    main()
