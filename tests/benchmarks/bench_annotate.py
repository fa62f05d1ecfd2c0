"""How fast whole pipelines annotate, against their own transform and against spaCy's blank pipeline.

    python -m tests.benchmarks.bench_annotate [FILE]

CPU time, best of several, all systems in turn. spaCy's pipeline has its word tokenizer and its sentencizer, no models,
and gives documents with offsets, which is what `annotate` gives in the first row.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spacy

from textprep_ml import BPETokenizer, annotate, make_text_pipeline

REPEATS = 3


def documents(path: Path) -> list[str]:
    """Paragraphs, twenty to a document."""
    paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    return ["\n\n".join(paragraphs[first : first + 20]) for first in range(0, len(paragraphs), 20)]


def main() -> None:
    """Print a line for each pipeline."""
    warnings.simplefilter("ignore")
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "data/sample/raw/raw-en.txt")
    texts = documents(path)
    size = sum(map(len, texts)) / 1e6
    tokens = make_text_pipeline(normalizer="segment", segmenter="en")
    bpe = BPETokenizer(vocab_size=8000, pretokenizer="none").fit(tokens.transform(texts))
    pieces = make_text_pipeline(normalizer="segment", segmenter="en", subword=bpe)
    tagged = make_text_pipeline(normalizer="segment", segmenter="en", tagger="en-pos")
    blank = spacy.blank("en", config={"nlp": {"batch_size": 50}})
    blank.max_length = 1 << 30
    blank.add_pipe("sentencizer")
    systems: dict[str, Callable[[], Any]] = {
        "sentences, tokens: annotate": lambda: annotate(tokens, texts),
        "sentences, tokens: transform": lambda: tokens.transform(texts),
        "sentences, tokens: spaCy": lambda: list(blank.pipe(texts)),
        "and pieces: annotate": lambda: annotate(pieces, texts),
        "and pieces: transform": lambda: pieces.transform(texts),
        "and tags, no pieces: annotate": lambda: annotate(tagged, texts),
    }
    best = dict.fromkeys(systems, float("inf"))
    for _ in range(REPEATS):
        for name, run in systems.items():
            begin = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - begin)
    for name, seconds in best.items():
        print(f"{name:32s} {size / seconds:8.2f} million characters per second")


if __name__ == "__main__":
    main()
