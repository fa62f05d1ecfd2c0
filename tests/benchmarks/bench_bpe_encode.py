"""Byte-pair encoding and decoding side by side with other encoders that have the same vocabulary.

Run alone: ``python tests/benchmarks/bench_bpe_encode.py --text PATH``. The vocabulary is trained on the text by
Hugging Face tokenizers (GPT-2 split, byte-level), or read from ``--model``, a tokenizer.json. Encoders that are not
installed are left out. Every figure is the best of some rounds, in which the encoders take turns; times are CPU times,
but for threads, where they are wall times.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from plain_files import plain_file

from textprep_ml._kernels import load

SENTENCE = "The quick brown fox jumps over the lazy dog, okay?"
ROUNDS = 4
#: Megabytes that a slow encoder gets of the large text.
SLICE = 4


def train(text: Path, size: int) -> Path:
    """Train a vocabulary with Hugging Face tokenizers."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train([str(text)], trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False))
    path = Path(tempfile.mkdtemp()) / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def printable_bytes() -> dict[str, int]:
    """Give the byte that each character of a byte-level tokenizer.json stands for."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


def read_model(path: Path) -> tuple[list[bytes], np.ndarray]:
    """Read symbols and merges from a byte-level tokenizer.json."""
    model = json.loads(path.read_text(encoding="utf-8"))["model"]
    table, vocab = printable_bytes(), model["vocab"]
    symbols = [bytes(table[char] for char in symbol) for symbol in sorted(vocab, key=vocab.__getitem__)]
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    return symbols, np.array([(vocab[a], vocab[b], vocab[a + b]) for a, b in pairs], dtype=np.int32)


class Ours:
    """The kernel of this package."""

    fast = True

    def __init__(self, path: Path) -> None:
        kernel = load("bpe_encode")
        symbols, merges = read_model(path)
        self._make = lambda: kernel.BPEEncoder(symbols, merges, scheme=kernel.SCHEMES["gpt2"])
        self.fresh()

    def fresh(self) -> None:
        """Begin with an empty cache."""
        self._encoder = self._make()
        self.array = self._encoder.encode_array
        self.list = self._encoder.encode
        self.lines = self._encoder.encode_batch
        self.decode = self._encoder.decode

    def threads(self, texts: list[str], count: int) -> Any:
        """Encode lines with several threads."""
        return self._encoder.encode_batch(texts, threads=count)


class GigaToken:
    """The encoder of gigatoken."""

    fast = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fresh()

    def fresh(self) -> None:
        """Begin with an empty cache."""
        import gigatoken

        encoder = gigatoken.Tokenizer(str(self._path))
        self.array = encoder.encode
        self.list = lambda text: encoder.encode(text).tolist()
        self.lines = lambda texts: encoder.encode_batch(texts, parallel=False)
        self.decode = encoder.decode


class Tokie:
    """The encoder of tokie."""

    fast = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fresh()

    def fresh(self) -> None:
        """Begin with an empty cache."""
        import tokie

        encoder = tokie.Tokenizer.from_json(str(self._path))
        self.array = lambda text: encoder.encode_bytes(text.encode())
        self.list = self.array
        self.lines = lambda texts: encoder.encode_batch_flat(texts, add_special_tokens=False)
        self.decode = encoder.decode_bytes


class Fastokens:
    """The encoder of fastokens."""

    fast = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fresh()

    def fresh(self) -> None:
        """Begin with an empty cache."""
        import fastokens

        encoder = fastokens.Tokenizer.from_file(str(self._path))
        self.array = lambda text: encoder.encode(text).ids
        self.list = self.array
        self.lines = encoder.encode_batch
        self.decode = encoder.decode


class TikToken:
    """The encoder of tiktoken."""

    fast = False

    def __init__(self, path: Path) -> None:
        import tiktoken

        symbols, _ = read_model(path)
        # It takes the ranks for the order of merging; in a vocabulary whose bytes come first they are the ids.
        pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        ranks = {symbol: index for index, symbol in enumerate(symbols)}
        encoder = tiktoken.Encoding("bench", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        self.array = encoder.encode_ordinary
        self.list = self.array
        self.lines = lambda texts: [encoder.encode_ordinary(text) for text in texts]
        self.decode = encoder.decode_bytes

    def fresh(self) -> None:
        """Do nothing: there is no cache."""


class HuggingFace:
    """The encoder of tokenizers."""

    fast = False

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        encoder = Tokenizer.from_file(str(path))
        self.array = lambda text: encoder.encode(text).ids
        self.list = self.array
        self.lines = lambda texts: [encoding.ids for encoding in encoder.encode_batch(texts)]
        self.decode = encoder.decode

    def fresh(self) -> None:
        """Do nothing: its cache is small."""


PEERS = {
    "gigatoken": GigaToken,
    "fastokens": Fastokens,
    "tokie": Tokie,
    "tiktoken": TikToken,
    "tokenizers": HuggingFace,
}


def seconds(task: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Time one call."""
    begin = clock()
    task()
    return clock() - begin


def race(title: str, tasks: dict[str, Callable[[], float]], unit: str, rounds: int = ROUNDS) -> None:
    """Let the encoders take turns; `tasks` give a rate, or a time when the unit is one.

    Prints the best of each, and by how much ours was better in the median round.
    """
    if len(tasks) < 2:
        return
    values: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            values[name].append(task())
    is_time = unit == "ns"
    cells = []
    for name, row in values.items():
        ratio = np.median(np.array(row) / np.array(values["ours"]))
        better = ratio if is_time else 1 / ratio
        cells.append(f"{name} {min(row) if is_time else max(row):,.1f} ({better:.2f})")
    print(f"{title}, {unit} (ours is better by): " + ", ".join(cells), flush=True)


def large_text(encoders: dict[str, Any], text: str) -> None:
    """Race over one large text, with an empty cache and with a full one."""
    size = len(text.encode()) / 1e6

    def cold(encoder: Any) -> float:
        encoder.fresh()
        return warm(encoder)

    def warm(encoder: Any) -> float:
        part = text if encoder.fast else text[: SLICE * 1_000_000]
        return (size if encoder.fast else len(part.encode()) / 1e6) / seconds(lambda: encoder.array(part))

    fast = {name: encoder for name, encoder in encoders.items() if encoder.fast}
    slow = {name: encoder for name, encoder in encoders.items() if not encoder.fast or name == "ours"}
    race("one text, empty cache", {n: lambda e=e: cold(e) for n, e in fast.items()}, "MB/s", 3)
    race("one text, full cache", {n: lambda e=e: warm(e) for n, e in fast.items()}, "MB/s", 6)
    race("one text, full cache", {n: lambda e=e: warm(e) for n, e in slow.items()}, "MB/s", 2)


def many_lines(encoders: dict[str, Any], lines: list[str]) -> None:
    """Race over 100,000 lines."""
    size = sum(len(line.encode()) for line in lines) / 1e6
    for encoder in encoders.values():
        encoder.fresh()
    tasks = {n: lambda e=e: size / seconds(lambda: e.lines(lines)) for n, e in encoders.items()}
    race("lines", tasks, "MB/s", 3)
    race("lines", {n: task for n, task in tasks.items() if n in ("ours", "gigatoken")}, "MB/s", 12)
    ours = encoders["ours"]
    wall = {
        "ours": lambda: size / seconds(lambda: ours.threads(lines, 2), time.perf_counter),
        "ours, one thread": lambda: size / seconds(lambda: ours.threads(lines, 1), time.perf_counter),
    }
    race("lines, two threads, wall", wall, "MB/s", 12)


def one_sentence(encoders: dict[str, Any], repeat: int = 5000) -> None:
    """Race over one sentence, to a list and to an array."""

    def each(encode: Callable[[str], Any]) -> float:
        return seconds(lambda: [encode(SENTENCE) for _ in range(repeat)]) / repeat * 1e9

    race("50 characters to a list", {n: lambda e=e: each(e.list) for n, e in encoders.items()}, "ns")
    arrays = {n: e for n, e in encoders.items() if n in ("ours", "gigatoken")}
    race("50 characters to an array", {n: lambda e=e: each(e.array) for n, e in arrays.items()}, "ns")


def decoding(encoders: dict[str, Any], text: str) -> None:
    """Race over the ids of a large text."""
    part = text[: 5 * SLICE * 1_000_000]
    size = len(part.encode()) / 1e6
    ids = {name: encoder.array(part) for name, encoder in encoders.items()}
    race(
        "decoding", {n: lambda e=e, n=n: size / seconds(lambda: e.decode(ids[n])) for n, e in encoders.items()}, "MB/s"
    )


def check(encoders: dict[str, Any], text: str) -> None:
    """Tell whether all encoders give the same ids, as far as each goes through the text."""
    for name, encoder in encoders.items():
        part = text if encoder.fast or name == "tokenizers" else text[: 5 * SLICE * 1_000_000]
        ours, theirs = np.asarray(encoders["ours"].array(part)), np.asarray(encoder.array(part))
        print(
            f"the ids of {name} on {len(part):,} characters: {'equal' if np.array_equal(ours, theirs) else 'DIFFERENT'}"
        )


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, required=True)
    parser.add_argument("--model", type=Path, help="a byte-level tokenizer.json")
    parser.add_argument("--vocab-size", type=int, default=32000)
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--check", action="store_true", help="compare the ids too; with tokenizers that takes minutes")
    arguments = parser.parse_args()
    model = arguments.model or train(arguments.text, arguments.vocab_size)
    text = arguments.text.read_bytes().decode("utf-8")
    encoders = {"ours": Ours(model)} | {name: PEERS[name](model) for name in arguments.peers if find_spec(name)}
    if arguments.check:
        check(encoders, text)
    one_sentence(encoders)
    many_lines(encoders, text.splitlines(keepends=True)[:100_000])
    decoding(encoders, text)
    large_text(encoders, text)


if __name__ == "__main__":
    main()
