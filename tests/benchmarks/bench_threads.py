"""What a second thread brings: one and two threads alternate, best of each, for every way to segment, tokenize, encode.

Run ``python tests/benchmarks/bench_threads.py [--text PATH] [--mb 40] [--repeat 5] [--jobs 2]``. Time is that of the
clock, so both cores must be free: the last column, CPU time over time of a run on one thread, says whether they were
(1.00 is quite free). New strings, numbers and empty lists are made under the interpreter's lock, by one thread at a
time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plain_files import plain_file

from textprep_ml import BPETokenizer, SentenceSegmenter, WordTokenizer

SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "raw" / "raw-en.txt"

#: Documents are paragraphs put together up to so many characters.
DOCUMENT = 3000


def read_documents(path: Path, n_characters: int) -> list[str]:
    text = path.read_text(encoding="utf-8")
    text = (text * (n_characters // len(text) + 1))[:n_characters]
    documents, start = [], 0
    while start < len(text):
        end = text.find("\n\n", start + DOCUMENT)
        end = len(text) if end < 0 else end
        documents.append(text[start:end])
        start = end + 2
    return documents


def tasks(documents: list[str]) -> dict[str, tuple[Any, Callable[[], Any]]]:
    segmenter, words = SentenceSegmenter.load("en"), WordTokenizer()
    pieces = BPETokenizer(vocab_size=8000).fit(documents[:500])
    return {
        "segment: spans": (segmenter, lambda: segmenter.predict(documents)),
        "segment: strings": (segmenter, lambda: segmenter.transform(documents)),
        "tokenize: spans": (words, lambda: words.spans_batch(documents)),
        "tokenize: strings": (words, lambda: words.transform(documents)),
        "encode: array": (pieces, lambda: pieces.encode_batch(documents, as_array=True)),
        "encode: lists": (pieces, lambda: pieces.encode_batch(documents)),
    }


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    clock, cpu = time.perf_counter(), time.process_time()
    result = call()
    elapsed = time.perf_counter() - clock, time.process_time() - cpu
    del result
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, default=SAMPLE)
    parser.add_argument("--mb", type=float, default=40)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    documents = read_documents(options.text, int(options.mb * 1e6))
    size = sum(map(len, documents)) / 1e6
    print(f"{len(documents)} documents, {size:.0f} million characters, {options.jobs} threads\n")
    print(f"{'':<20}{'1 thread':>12}{f'{options.jobs} threads':>12}{'gain':>8}{'free':>8}")
    for name, (estimator, call) in tasks(documents).items():
        one, many, free = [], [], []
        for _ in range(options.repeat):
            estimator.set_params(n_jobs=1)
            clock, cpu = timed(call)
            one.append(clock)
            free.append(cpu / clock)
            estimator.set_params(n_jobs=options.jobs)
            many.append(timed(call)[0])
        rates = [f"{size / min(times):.0f} M/s" for times in (one, many)]
        print(f"{name:<20}{rates[0]:>12}{rates[1]:>12}{min(one) / min(many):>8.2f}{max(free):>8.2f}")


if __name__ == "__main__":
    main()
