"""Byte-pair training side by side with other trainers on the same text.

Run alone: ``python tests/benchmarks/bench_bpe_train.py --text PATH``. Every run has a process of its own, so that
memory can be told; the trainers take turns, and the best of some rounds counts. On one thread times are CPU times of
the training alone, on more they are wall times. "own" is the peak less what the process had before training. Trainers
that are not installed are left out, and slow ones with ``--skip``. Where others use the machine too, only real-time
priority (``chrt -f 10`` in front) tells how much faster two threads are than one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from plain_files import plain_file

PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
BLANK = "blank"
#: What only the named trainers can do.
ABLE = {
    "ours": {"gpt2", "cl100k", BLANK},
    "tokenizers": {"gpt2", "cl100k", BLANK},
    "rustbpe": {"gpt2", "cl100k"},
    "gigabpe": {"gpt2", BLANK},
    "bpeasy": {"gpt2", "cl100k"},
}
MODULES = {"ours": "textprep_ml"}


def documents(path: str) -> Iterator[str]:
    """Stream the text in parts that end before a blank."""
    rest = b""
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            rest += chunk
            cut = max(rest.rfind(mark) for mark in (b"e ", b"d ", b"s ")) + 1
            yield rest[:cut].decode("utf-8")
            rest = rest[cut:]
    yield rest.decode("utf-8")


def train_ours(path: str, scheme: str, size: int, threads: int) -> Any:
    from textprep_ml.subword import BPETokenizer

    params: dict[str, Any] = {"vocab_size": size, "tie_break": "id", "n_jobs": threads}
    if scheme == BLANK:
        params |= {"byte_level": False, "end_of_word": "</w>", "join_end_of_word": True}
    tokenizer = BPETokenizer(pretokenizer=scheme, **params)
    return lambda: len(tokenizer.fit_files([path]).merges_)


def train_tokenizers(path: str, scheme: str, size: int, threads: int) -> Any:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    options: dict[str, Any] = {"end_of_word_suffix": "</w>"} if scheme == BLANK else {}
    tokenizer = Tokenizer(models.BPE(**options))
    if scheme == BLANK:
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    elif scheme == "gpt2":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        split = pre_tokenizers.Split(Regex(PATTERNS[scheme]), "isolated")
        last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, last])
    if scheme != BLANK:
        options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)

    def run() -> int:
        tokenizer.train_from_iterator(documents(path), trainer)
        return len(json.loads(tokenizer.to_str())["model"]["merges"])

    return run


def train_rustbpe(path: str, scheme: str, size: int, threads: int) -> Any:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()

    def run() -> int:
        tokenizer.train_from_iterator(documents(path), size, pattern=PATTERNS[scheme])
        return len(tokenizer.get_mergeable_ranks()) - 256

    return run


def train_gigabpe(path: str, scheme: str, size: int, threads: int) -> Any:
    import gigabpe

    options = (
        {"pretokenizer": "bytelevel"}
        if scheme != BLANK
        else {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}
    )
    return lambda: len(gigabpe.train_bpe([path], size, special_tokens=[], threads=threads, **options)[1])


def train_bpeasy(path: str, scheme: str, size: int, threads: int) -> Any:
    import bpeasy

    return lambda: len(bpeasy.train_bpe(documents(path), PATTERNS[scheme], 128, size)) - 256


def child(trainer: str, path: str, scheme: str, size: int, threads: int) -> None:
    """Train once and tell CPU seconds, wall seconds, megabytes and merges."""
    run = globals()[f"train_{trainer}"](path, scheme, size, threads)
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    merges = run()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = [usage.ru_maxrss / 1024 for usage in (before, after)]
    print(
        json.dumps(
            {"cpu": cpu, "wall": wall, "peak": megabytes[1], "own": megabytes[1] - megabytes[0], "merges": merges}
        )
    )


def measure(trainer: str, arguments: argparse.Namespace, scheme: str, threads: int) -> dict[str, float]:
    limits = {"RAYON_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false"}
    command = [sys.executable, __file__, "--child", trainer, "--text", str(arguments.text), "--scheme", scheme]
    command += ["--size", str(arguments.size), "--threads", str(threads)]
    result = subprocess.run(command, env=os.environ | limits, capture_output=True, text=True, check=True)
    return json.loads(result.stdout.splitlines()[-1])


def race(arguments: argparse.Namespace, scheme: str, threads: int) -> None:
    names = [
        name
        for name in ABLE
        if scheme in ABLE[name] and find_spec(MODULES.get(name, name)) and name not in arguments.skip
    ]
    best: dict[str, dict[str, float]] = {}
    for number in range(arguments.rounds):
        for name in names:
            if number and best[name]["wall"] > 10:  # once is enough for the slow ones
                continue
            found = measure(name, arguments, scheme, threads)
            best[name] = {key: min(value, best.get(name, found)[key]) for key, value in found.items()}
    unit = "cpu" if threads == 1 else "wall"
    print(f"\n{scheme}, {arguments.size} pieces, {threads} thread{'s' * (threads > 1)}, {unit} time")
    print(f"{'trainer':<12}{'seconds':>9}{'times ours':>12}{'peak MB':>9}{'own MB':>8}{'merges':>8}")
    for name, found in best.items():
        ratio = found[unit] / best["ours"][unit]
        print(
            f"{name:<12}{found[unit]:>9.2f}{ratio:>12.1f}{found['peak']:>9.0f}{found['own']:>8.0f}{found['merges']:>8.0f}",
            flush=True,
        )


def compare_threads(arguments: argparse.Namespace, scheme: str) -> None:
    """Let one and two threads of ours take turns, by wall time."""
    one, two = zip(
        *([measure("ours", arguments, scheme, n)["wall"] for n in (1, 2)] for _ in range(arguments.rounds)), strict=True
    )
    median = statistics.median(first / second for first, second in zip(one, two, strict=True))
    print(
        f"\n{scheme}: ours takes {min(one):.2f} s on one thread, {min(two):.2f} on two, wall time: "
        f"{min(one) / min(two):.2f} times as fast ({median:.2f} in the median round)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, required=True, help="a UTF-8 text of some ten megabytes or more")
    parser.add_argument("--size", type=int, default=32000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--scheme", nargs="*", default=["gpt2", "cl100k", BLANK])
    parser.add_argument("--skip", nargs="*", default=[])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.text.is_file():
        parser.error(f"no text {arguments.text}")
    if arguments.child:
        child(arguments.child, str(arguments.text), arguments.scheme[0], arguments.size, arguments.threads[0])
        return
    for threads in arguments.threads:
        for scheme in arguments.scheme:
            race(arguments, scheme, threads)
    if {1, 2} <= set(arguments.threads):
        for scheme in arguments.scheme:
            compare_threads(arguments, scheme)


if __name__ == "__main__":
    main()
