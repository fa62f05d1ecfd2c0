"""Word tokenizers side by side: CPU time of alternating runs over the same lines and the same text, best of each.

Run ``python tests/benchmarks/bench_words.py [--text PATH] [--mb 2]``. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plain_files import plain_file

from textprep_ml.tokenization import PRESETS, RegexTokenizer, TreebankTokenizer, WordTokenizer

SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "raw" / "raw-en.txt"
TOKEN_PATTERN = re.compile(r"(?u)\b\w\w+\b")  # scikit-learn's default

Tool = Callable[[list[str]], Any]


def each(tokenize: Callable[[str], Any]) -> Tool:
    """Apply a function to every line and keep all results."""
    return lambda lines: [tokenize(line) for line in lines]


def own_tools() -> dict[str, Tool]:
    words = WordTokenizer().fit([])
    ud = WordTokenizer.from_preset("ud").fit([])
    return {
        "WordTokenizer.transform": words.transform,
        "WordTokenizer call by call": each(words),
        f"WordTokenizer ({next(iter(PRESETS))}).transform": ud.transform,
        "WordTokenizer.spans call by call": each(words.spans),
        "TreebankTokenizer": TreebankTokenizer().fit([]).transform,
        "RegexTokenizer(book)": RegexTokenizer("book").fit([]).transform,
    }


def peers() -> dict[str, Tool]:
    tools: dict[str, Tool] = {"scikit-learn token_pattern": each(TOKEN_PATTERN.findall)}
    if find_spec("blingfire"):
        import blingfire

        tools["BlingFire text_to_words"] = each(lambda line: blingfire.text_to_words(line).split(" "))
    if find_spec("spacy"):
        import spacy

        tools["spaCy blank English"] = each(_spacy_words(spacy.blank("en").tokenizer))
    if find_spec("nltk"):
        from nltk.tokenize import NLTKWordTokenizer, TreebankWordTokenizer

        tools["NLTK word tokenizer"] = each(NLTKWordTokenizer().tokenize)
        tools["NLTK Treebank"] = each(TreebankWordTokenizer().tokenize)
    if find_spec("sacremoses"):
        from sacremoses import MosesTokenizer

        tools["sacremoses"] = each(MosesTokenizer(lang="en").tokenize)
    return tools


def _spacy_words(tokenizer: Any) -> Callable[[str], list[str]]:
    return lambda line: [token.text for token in tokenizer(line)]


def rate(tool: Tool, lines: list[str], megabytes: float) -> float:
    start = time.process_time()
    result = tool(lines)
    spent = time.process_time() - start
    del result
    return megabytes / spent


def best_rates(tools: dict[str, Tool], lines: list[str], rounds: int) -> dict[str, float]:
    """MB/s of each tool, the best of rounds in which all take turns; slow ones get the first tenth of the lines."""
    best = dict.fromkeys(tools, 0.0)
    short = lines[: max(1, len(lines) // 10)]
    sizes = {id(part): sum(len(line.encode()) + 1 for line in part) / 1e6 for part in (lines, short)}
    slow = {name for name, tool in tools.items() if rate(tool, short, sizes[id(short)]) < 5}
    for _ in range(rounds):
        for name, tool in tools.items():
            part = short if name in slow else lines
            best[name] = max(best[name], rate(tool, part, sizes[id(part)]))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=plain_file, default=SAMPLE)
    parser.add_argument("--mb", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with options.text.open("rb") as file:
        text = file.read(int(options.mb * 1e6)).decode("utf-8", "ignore")
    lines = text.splitlines()
    print(f"{options.text.name}: {len(text.encode()) / 1e6:.1f} MB, {len(lines)} lines")
    print("\nline by line, lists of strings (MB/s)")
    ours, theirs = own_tools(), peers()
    rates = best_rates({**ours, **theirs}, lines, options.rounds)
    for name, value in sorted(rates.items(), key=lambda item: -item[1]):
        print(f"  {name:<36} {value:>9.2f}")
    print("\nWordTokenizer.transform is faster by")
    for name in theirs:
        print(f"  {name:<36} {rates['WordTokenizer.transform'] / rates[name]:>9.1f} times")
    words = WordTokenizer().fit([])
    whole = {
        "WordTokenizer.spans": lambda lines: words.spans(text),
        "WordTokenizer.tokenize": lambda lines: words.tokenize(text),
        "scikit-learn token_pattern": lambda lines: TOKEN_PATTERN.findall(text),
    }
    print("\none text (MB/s)")
    for name, value in best_rates(whole, [text], options.rounds).items():
        print(f"  {name:<36} {value:>9.2f}")


if __name__ == "__main__":
    main()
