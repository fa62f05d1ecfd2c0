"""WordPiece training and encoding side by side with Hugging Face tokenizers on the same text.

Run alone: ``python tests/benchmarks/bench_wordpiece.py --text PATH``. Both use BERT's basic tokenization (uncased).
Training: every run has a process of its own on one thread, so that memory can be told; "peak" is that of the whole
process, "own" what was added to it. The merges by likelihood have no counterpart there. Encoding: one vocabulary,
trained by us, in both; ids as NumPy arrays; the encoders take turns. All times are CPU times, the best of some rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from plain_files import plain_file

#: Megabytes that the other encoder gets of the text.
SLICE = 2


def documents(path: str) -> Iterator[str]:
    """Stream the lines of a text."""
    with open(path, encoding="utf-8") as file:
        yield from file


def train_ours(path: str, size: int, score: str) -> Callable[[], int]:
    from textprep_ml.subword import WordPieceTokenizer

    tokenizer = WordPieceTokenizer(vocab_size=size, score=score, normalizer="bert-uncased")  # type: ignore[arg-type]
    return lambda: len(tokenizer.fit_files([path]).vocabulary_)


def train_theirs(path: str, size: int, score: str) -> Callable[[], int]:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=specials, show_progress=False)

    def run() -> int:
        tokenizer.train([path], trainer)
        return tokenizer.get_vocab_size()

    return run


def child(trainer: str, path: str, size: int, score: str) -> None:
    """Train once and tell CPU seconds, megabytes and pieces."""
    run = {"ours": train_ours, "tokenizers": train_theirs}[trainer](path, size, score)
    before = resource.getrusage(resource.RUSAGE_SELF)
    pieces = run()
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = [usage.ru_maxrss / 1024 for usage in (before, after)]
    print(json.dumps({"cpu": seconds, "peak": megabytes[1], "own": megabytes[1] - megabytes[0], "pieces": pieces}))


def measure(trainer: str, arguments: argparse.Namespace, score: str) -> dict[str, float]:
    limits = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, __file__, "--child", trainer, "--text", str(arguments.text)]
    command += ["--size", str(arguments.size), "--score", score]
    result = subprocess.run(command, env=os.environ | limits, capture_output=True, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def training(arguments: argparse.Namespace) -> None:
    """Race of the trainers."""
    runs = {
        "ours, frequency": ("ours", "frequency"),
        "ours, likelihood": ("ours", "likelihood"),
        "tokenizers": ("tokenizers", "frequency"),
    }
    best: dict[str, dict[str, float]] = {}
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            found = measure(run[0], arguments, run[1])
            best[name] = {key: min(value, best.get(name, found)[key]) for key, value in found.items()}
    print(f"training, {arguments.size} pieces, one thread")
    print(f"{'trainer':<18}{'seconds':>9}{'times ours':>12}{'peak MB':>9}{'own MB':>8}{'pieces':>8}")
    for name, found in best.items():
        ratio = found["cpu"] / best["ours, frequency"]["cpu"]
        figures = f"{found['peak']:>9.0f}{found['own']:>8.0f}{found['pieces']:>8.0f}"
        print(f"{name:<18}{found['cpu']:>9.2f}{ratio:>12.1f}{figures}")


def rate(text: str, task: Callable[[], Any]) -> float:
    """Give megabytes per second of one call."""
    begin = time.process_time()
    task()
    return len(text.encode()) / 1e6 / (time.process_time() - begin)


def encoding(arguments: argparse.Namespace) -> None:
    """Race of the encoders, and whether the ids and the offsets agree."""
    import pickle

    from tokenizers import Tokenizer

    from textprep_ml.subword import WordPieceTokenizer

    ours = WordPieceTokenizer(vocab_size=arguments.size, score="frequency", normalizer="bert-uncased")
    packed = pickle.dumps(ours.fit_files([arguments.text]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        ours.to_tokenizers_json(path)
        theirs = Tokenizer.from_file(str(path))
    text = Path(arguments.text).read_text(encoding="utf-8")
    part = text[: SLICE * 1_000_000]
    lines = part.splitlines()
    everything = text.splitlines()

    def cold() -> float:
        fresh = pickle.loads(packed)  # its cache is empty
        return rate(text, lambda: fresh.encode(text, as_array=True))

    def encode_there() -> Any:
        return [np.array(theirs.encode(line, add_special_tokens=False).ids, dtype=np.int32) for line in lines]

    tasks: dict[str, Callable[[], float]] = {
        "ours, one text, empty cache": cold,
        "ours, one text": lambda: rate(text, lambda: ours.encode(text, as_array=True)),
        "ours, lines": lambda: rate(text, lambda: ours.encode_batch(everything, as_array=True)),
        "ours, lines with spans": lambda: rate(part, lambda: [ours.encode_with_spans(line) for line in lines]),
        "tokenizers, lines": lambda: rate(part, encode_there),
    }
    values: dict[str, float] = {}
    for _ in range(arguments.rounds):
        for name, task in tasks.items():
            values[name] = max(values.get(name, 0), task())
    print("\nencoding, one thread")
    print(f"{'encoder':<30}{'MB/s':>8}{'times theirs':>14}")
    for name, value in values.items():
        print(f"{name:<30}{value:>8.1f}{value / values['tokenizers, lines']:>14.1f}")
    same = all(
        _equal(ours.encode_with_spans(line, allowed_special="all"), theirs.encode(line, add_special_tokens=False))
        for line in lines
    )
    print(f"ids and spans of {len(lines)} lines: {'equal' if same else 'DIFFERENT'}")


def _equal(ours: tuple[list[int], Any], theirs: Any) -> bool:
    return ours[0] == theirs.ids and ours[1].tolist() == [list(span) for span in theirs.offsets]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, required=True, help="a UTF-8 text of some ten megabytes or more")
    parser.add_argument("--size", type=int, default=30000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--score", default="frequency", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.text.is_file():
        parser.error(f"no text {arguments.text}")
    if arguments.child:
        child(arguments.child, str(arguments.text), arguments.size, arguments.score)
        return
    training(arguments)
    encoding(arguments)


if __name__ == "__main__":
    main()
