"""Speed of normalization against other tools, in one run: NFKC, lower case, accents off.

Run ``python tests/benchmarks/bench_normalize.py --text FILE [FILE ...]`` on a quiet machine. All figures are MB of
UTF-8 per second of CPU time: the best of several rounds in which the tools take turns. The peers see a part of the
text, for they are slow. ``unchanged`` is the same pipeline on text that has been through it. The text is taken as
lines, as documents of 20,000 characters, and whole.
"""

from __future__ import annotations

import argparse
import time
import unicodedata
from collections.abc import Callable

import ftfy
from plain_files import plain_file
from tokenizers import normalizers

from textprep_ml import _kernels
from textprep_ml.normalization import TextNormalizer, make_normalizer

DOCUMENT = 20_000
PEER_CHARACTERS = 1_000_000


def by_unicodedata(text: str) -> str:
    """Normalize as one would write it with the standard library."""
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).lower())
    return unicodedata.normalize("NFKC", "".join(char for char in decomposed if unicodedata.category(char) != "Mn"))


def documents_of(text: str, unit: str) -> list[str]:
    """Cut the text into what is normalized at a time."""
    if unit == "lines":
        return text.split("\n")
    size = DOCUMENT if unit == "documents" else max(len(text), 1)
    return [text[start : start + size] for start in range(0, len(text), size)]


def size_of(documents: list[str]) -> float:
    """Give the size in MB of UTF-8."""
    return sum(len(document.encode("utf-8", "surrogatepass")) for document in documents) / 1e6


def best_seconds(tools: dict[str, tuple[Callable[[list[str]], object], list[str]]], rounds: int) -> dict[str, float]:
    """Let the tools take turns and keep the best CPU time of each."""
    best = dict.fromkeys(tools, float("inf"))
    for _ in range(rounds):
        for name, (function, documents) in tools.items():
            start = time.process_time()
            function(documents)
            best[name] = min(best[name], time.process_time() - start)
    return best


def measure(text: str, unit: str, rounds: int) -> dict[str, float]:
    """Give MB/s of every tool on the text, cut into units."""
    normalizer = TextNormalizer(form="NFKC", case="lower", accents="strip_all").fit([])
    search = make_normalizer("search").fit([])
    peer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.NFD(), normalizers.StripAccents()]
    )
    documents = documents_of(text, unit)
    few = documents_of(text[:PEER_CHARACTERS], unit)
    assert normalizer.transform(few) == [by_unicodedata(document) for document in few]
    same = normalizer.transform(documents)
    assert all(new is old for new, old in zip(normalizer.transform(same), same, strict=True))

    def align(texts: list[str]) -> None:
        for each in texts:
            normalizer.align(each)

    def cold(texts: list[str]) -> None:
        TextNormalizer(form="NFKC", case="lower", accents="strip_all").transform(texts)

    tools: dict[str, tuple[Callable[[list[str]], object], list[str]]] = {
        "transform": (normalizer.transform, documents),
        "tokenizers": (lambda texts: [peer.normalize_str(each) for each in texts], few),
        "align": (align, documents),
        "unicodedata": (lambda texts: [by_unicodedata(each) for each in texts], few),
        "unchanged": (normalizer.transform, same),
        "ftfy": (lambda texts: [ftfy.fix_text(each, normalization="NFKC") for each in texts], few),
        "first call": (cold, documents),
        "search preset": (search.transform, documents),
    }
    seconds = best_seconds(tools, rounds)
    return {name: size_of(tools[name][1]) / max(seconds[name], 1e-9) for name in tools}


def main() -> None:
    """Print one table per text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--text", type=plain_file, nargs="+", required=True)
    parser.add_argument("--characters", type=int, default=5_000_000, help="how much of each text")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"kernels: {'compiled' if _kernels.COMPILED else 'python'}")
    for path in options.text:
        text = path.read_text(encoding="utf-8")[: options.characters]
        print(f"\n{path.name}: {len(text):,} characters, MB/s of CPU time (times HF tokenizers)")
        for unit in ("lines", "documents", "whole"):
            speed = measure(text, unit, options.rounds)
            figures = (f"{name} {value:,.0f} ({value / speed['tokenizers']:.0f}x)" for name, value in speed.items())
            print(f"  {unit}: " + ", ".join(figures))


if __name__ == "__main__":
    main()
