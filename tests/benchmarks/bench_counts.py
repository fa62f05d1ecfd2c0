"""Counting words: ``textprep words`` against ``tr | sort | uniq -c``, WordCounter against CountVectorizer.

Run ``python tests/benchmarks/bench_counts.py [--text PATH]``; needs a Unix shell for the first part. CPU time of all
processes, start of the interpreter included, best of alternating runs.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from plain_files import plain_file
from sklearn.feature_extraction.text import CountVectorizer

from textprep_ml.counts import WordCounter

SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "raw" / "raw-en.txt"
TR = r"tr -sc 'A-Za-z' '\n'"
PIPELINES = {
    ("words", "--count"): f"{TR} | sort | uniq -c",
    ("words", "--count", "--ignore-case"): f"{TR} | tr A-Z a-z | sort | uniq -c",
    ("words", "--top", "0"): f"{TR} | sort | uniq -c | sort -n -r",
    ("words",): TR,
}


def run(command: list[str], path: Path) -> tuple[float, float, bytes]:
    """CPU seconds of a command and its children, wall seconds, and what it writes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with path.open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, check=True, env={**os.environ, "LC_ALL": "C"})
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, done.stdout


def compare_commands(path: Path, rounds: int) -> None:
    print(f"{'command':<32} {'ours: CPU, wall s':>18} {'Unix: CPU, wall s':>18} {'CPU ratio':>10} {'wall ratio':>10}")
    for options, pipeline in PIPELINES.items():
        ours = theirs = (float("inf"), float("inf"))
        for _ in range(rounds):
            cpu, wall, mine = run([sys.executable, "-c", "from textprep_ml.cli import main; main()", *options], path)
            ours = (min(ours[0], cpu), min(ours[1], wall))
            cpu, wall, reference = run(["sh", "-c", pipeline], path)
            theirs = (min(theirs[0], cpu), min(theirs[1], wall))
            if mine != reference:
                raise SystemExit(f"{options}: the output differs from {pipeline}")
        print(
            f"{' '.join(options):<32} {ours[0]:>9.2f}{ours[1]:>9.2f} {theirs[0]:>9.2f}{theirs[1]:>9.2f}"
            f" {theirs[0] / ours[0]:>10.1f} {theirs[1] / ours[1]:>10.1f}"
        )


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def compare_counters(path: Path, rounds: int, megabytes: float = 10.0) -> None:
    with path.open("rb") as file:
        lines = file.read(int(megabytes * 1e6)).decode("utf-8", "ignore").splitlines()
    size = sum(len(line.encode()) + 1 for line in lines) / 1e6
    letters = re.compile(r"[^\W\d_]+")
    calls: dict[str, Callable[[], object]] = {
        "WordCounter.fit": lambda: WordCounter().fit(lines),
        "WordCounter(case='lower').fit": lambda: WordCounter(case="lower").fit(lines),
        "WordCounter(max_words=10_000).fit": lambda: WordCounter(max_words=10_000).fit(lines),
        "Counter of findall": lambda: Counter(word for line in lines for word in letters.findall(line)),
        "CountVectorizer.fit": lambda: CountVectorizer(token_pattern=r"[^\W\d_]+", lowercase=False).fit(lines),
        "WordCounter.transform": lambda: fitted.transform(lines),
        "CountVectorizer.transform": lambda: vectorizer.transform(lines),
    }
    fitted = WordCounter(vocab_size=20_000).fit(lines)
    vectorizer = CountVectorizer(token_pattern=r"[^\W\d_]+", lowercase=False, max_features=20_000).fit(lines)
    print(f"\n{len(lines)} documents, {size:.1f} MB (MB/s)")
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            best[name] = min(best[name], seconds(call))
    for name, spent in best.items():
        print(f"  {name:<36} {size / spent:>9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=plain_file, default=SAMPLE)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    compare_commands(options.text, options.rounds)
    compare_counters(options.text, options.rounds)


if __name__ == "__main__":
    main()
