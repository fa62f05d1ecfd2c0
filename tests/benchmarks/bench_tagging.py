"""PosTagger against NLTK's perceptron tagger: the same training sentences, accuracy, CPU time of alternating runs.

Run ``python tests/benchmarks/bench_tagging.py --train TRAIN.conllu.xz --test DEV.conllu``; without arguments the small
sample of the repository serves for both, which shows speed only.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nltk.tag.perceptron import PerceptronTagger

from textprep_ml.tagging import PosTagger, read_tagged

SAMPLE = Path(__file__).parent.parent.parent / "data" / "sample" / "tiny.conllu"


def seconds(call: Callable[[], Any]) -> float:
    """CPU time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def accuracy(predicted: list[list[str]], tags: list[list[str]]) -> float:
    """Share of tokens with the right tag."""
    pairs = [pair for one, other in zip(predicted, tags, strict=True) for pair in zip(one, other, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=Path, default=SAMPLE)
    parser.add_argument("--test", type=Path, default=SAMPLE)
    parser.add_argument("--text", type=Path, help="the same as --test")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    sentences, tags = read_tagged(arguments.train)
    test, right = read_tagged(arguments.text or arguments.test)
    tokens = sum(map(len, test))

    theirs = PerceptronTagger(load=False)
    pairs = [list(zip(words, names, strict=True)) for words, names in zip(sentences, tags, strict=True)]
    print(f"training: NLTK {seconds(lambda: theirs.train(pairs, nr_iter=5)):.1f} s (5 epochs)", end=", ")
    ours = PosTagger()
    print(f"PosTagger() {seconds(lambda: ours.fit(sentences, tags)):.1f} s (8 epochs)")
    shipped = PosTagger.load("en-pos")

    runs: dict[str, Callable[[], list[list[str]]]] = {
        "NLTK PerceptronTagger": lambda: [[tag for _, tag in theirs.tag(words)] for words in test],
        "PosTagger(), all sentences in one call": lambda: list(ours.predict(test)),
        "PosTagger(), a call for each sentence": lambda: [ours.predict([words])[0] for words in test],
        "en-pos, all sentences in one call": lambda: list(shipped.predict(test)),
    }
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            best[name] = min(best[name], seconds(run))
    nltk = best["NLTK PerceptronTagger"]
    print(f"{'':<42} {'accuracy':>9} {'us/token':>9} {'times':>7}")
    for name, run in runs.items():
        print(f"{name:<42} {accuracy(run(), right):>9.4f} {best[name] / tokens * 1e6:>9.2f} {nltk / best[name]:>7.1f}")


if __name__ == "__main__":
    main()
