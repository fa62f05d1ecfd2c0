"""Unigram training and encoding side by side with sentencepiece and tokenizers, on the same text and one core.

Run alone: ``python tests/benchmarks/bench_unigram.py --text PATH`` (UTF-8, a sentence a line). Trainers have a process
each and take turns; times are CPU times of the training alone, the best of some rounds; "own" is the peak of memory
less what the process had before training. The loss is that of lines held back, per character, over all ways to cut them
(the same program sums for both models). Encoders use one model file, that of sentencepiece, and take turns in one
process; ids go into NumPy arrays, and must be equal.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from plain_files import plain_file

TRAINERS = ("ours", "sentencepiece", "tokenizers")
COVERAGE = 0.9995


def train_ours(text: str, model: str, size: int) -> Callable[[], None]:
    from textprep_ml.subword import UnigramTokenizer

    rules = {"type": "SentencePiece", "remove_extra_whitespaces": True}
    tokenizer = UnigramTokenizer(
        vocab_size=size, character_coverage=COVERAGE, normalizer=rules, special_tokens=["<s>", "</s>"]
    )

    def run() -> None:
        with open(text, encoding="utf-8", newline="\n") as file:
            tokenizer.fit(line.removesuffix("\n") for line in file).to_sentencepiece(model)

    return run


def train_sentencepiece(text: str, model: str, size: int) -> Callable[[], None]:
    import sentencepiece

    options = {"input": text, "model_prefix": model.removesuffix(".model"), "vocab_size": size, "num_threads": 1}
    options |= {"character_coverage": COVERAGE, "normalization_rule_name": "identity", "minloglevel": 2}
    return lambda: sentencepiece.SentencePieceTrainer.train(**options, max_sentence_length=1 << 20)


def train_tokenizers(text: str, model: str, size: int) -> Callable[[], None]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    return lambda: tokenizer.train([text], trainer)


def child(trainer: str, text: str, model: str, size: int) -> None:
    """Train once and tell CPU seconds and megabytes."""
    run = globals()[f"train_{trainer}"](text, model, size)
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.process_time()
    run()
    seconds = time.process_time() - begin
    after = resource.getrusage(resource.RUSAGE_SELF)
    own = (after.ru_maxrss - before.ru_maxrss) / 1e3
    print(json.dumps({"seconds": seconds, "peak": after.ru_maxrss / 1e3, "own": own}))


def race_training(text: Path, folder: Path, size: int, trainers: list[str], rounds: int) -> None:
    """Let the trainers take turns; print the best of each."""
    results: dict[str, list[dict[str, float]]] = {trainer: [] for trainer in trainers}
    for _ in range(rounds):
        for trainer in trainers:
            command = [sys.executable, __file__, "--child", trainer, "--text", str(text)]
            command += ["--model", str(folder / f"{trainer}.model"), "--vocab-size", str(size)]
            environment = {**os.environ, "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
            results[trainer].append(json.loads(done.stdout.splitlines()[-1]))
    best = {trainer: min(row["seconds"] for row in rows) for trainer, rows in results.items()}
    for trainer, rows in results.items():
        print(
            f"training, {trainer}: {best[trainer]:.2f} s, {best[trainer] / best[trainers[0]]:.1f} times {trainers[0]}, "
            f"peak {min(row['peak'] for row in rows):.0f} MB, own {min(row['own'] for row in rows):.0f} MB",
            flush=True,
        )


def losses(folder: Path, lines: list[str]) -> None:
    """Print the negative logarithm of the likelihood per character, in nats."""
    from textprep_ml.subword import UnigramTokenizer

    found = {}
    for trainer in ("ours", "sentencepiece"):
        tokenizer = UnigramTokenizer.from_sentencepiece(folder / f"{trainer}.model")
        total = sum(tokenizer.log_likelihood(line) for line in lines)
        found[trainer] = -total / sum(map(len, lines))
    print(", ".join(f"loss, {trainer}: {loss:.4f}" for trainer, loss in found.items()), flush=True)


def seconds(task: Callable[[], Any]) -> float:
    """Time one call."""
    begin = time.process_time()
    task()
    return time.process_time() - begin


def race(title: str, size: float, tasks: dict[str, Callable[[], Any]], rounds: int) -> None:
    """Let the encoders take turns; print megabytes a second, and the median of the ratios."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    ours = np.array(times["ours"])
    cells = [f"{name} {size / min(row):.1f} ({np.median(np.array(row) / ours):.1f})" for name, row in times.items()]
    print(f"encoding, {title}, MB/s (ours is faster by): {', '.join(cells)}", flush=True)


def race_encoding(text: Path, model: Path, rounds: int) -> None:
    """Encode lines and the whole text with one model; the first pass of ours fills its cache."""
    import sentencepiece

    from textprep_ml.subword import UnigramTokenizer

    peer = sentencepiece.SentencePieceProcessor(model_file=str(model))
    whole = text.read_text(encoding="utf-8")
    lines = whole.split("\n")
    size = len(whole.encode()) / 1e6

    def fresh() -> UnigramTokenizer:
        return UnigramTokenizer.from_sentencepiece(model)

    warm = fresh()
    ids, offsets = warm.encode_batch(lines, as_array=True)
    same = all(
        np.array_equal(ids[a:b], theirs)
        for a, b, theirs in zip(offsets[:-1], offsets[1:], peer.encode_as_numpy(lines), strict=True)
    )
    print(f"the ids of all lines are {'equal' if same else 'DIFFERENT'}", flush=True)
    cold = {
        "ours": lambda: fresh().encode_batch(lines, as_array=True),
        "sentencepiece": lambda: peer.encode_as_numpy(lines),
    }
    race("lines, model loaded and cache empty", size, cold, rounds)
    tasks = {"ours": lambda: warm.encode_batch(lines, as_array=True), "sentencepiece": cold["sentencepiece"]}
    race("lines", size, tasks, rounds)
    tasks = {
        "ours": lambda: warm.encode(whole, as_array=True),
        "sentencepiece": lambda: peer.encode_as_numpy(whole),
    }
    race("one text", size, tasks, rounds)
    print(f"the ids of the text are {'equal' if np.array_equal(*[task() for task in tasks.values()]) else 'DIFFERENT'}")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, required=True)
    parser.add_argument("--vocab-size", type=int, default=32000)
    parser.add_argument("--megabytes", type=int, default=10, help="so much of the text, and a tenth of it held back")
    parser.add_argument("--trainers", nargs="*", default=list(TRAINERS[:2]), help="the first is compared with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, str(arguments.text), arguments.model, arguments.vocab_size)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with arguments.text.open("rb") as file:
            data = file.read(arguments.megabytes * 1_100_000)
        cut = data.rfind(b"\n", 0, arguments.megabytes * 1_000_000)
        part = folder / "text.txt"
        part.write_bytes(data[: cut + 1])
        race_training(part, folder, arguments.vocab_size, arguments.trainers, arguments.rounds)
        held = data[cut + 1 : data.rfind(b"\n")].decode("utf-8").split("\n")
        losses(folder, [" ".join(line.split()) for line in held if line.strip()])
        race_encoding(part, folder / "sentencepiece.model", arguments.rounds)


if __name__ == "__main__":
    main()
