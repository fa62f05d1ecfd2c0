"""``textprep inspect``: what is in a subword tokenizer."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from textprep_ml._files import read_lines
from textprep_ml.cli._tokenizers import load_tokenizer, show_piece


def inspect(
    model: Annotated[str, typer.Argument(help="A tokenizer of textprep train, tokenizer.json or .model.")],
    sample: Annotated[
        str | None, typer.Option(help="A text file to measure coverage and compression on; - is standard input.")
    ] = None,
    n: Annotated[int, typer.Option("-n", help="How many pieces and merges are listed.")] = 10,
) -> None:
    """Print size, longest pieces and merges of a tokenizer, and how it does on a sample."""
    if n < 0:
        raise ValueError(f"-n takes a number from 0 on, but got {n}.")
    tokenizer = load_tokenizer(model)
    from textprep_ml.metrics import vocabulary_scores
    from textprep_ml.subword.inspection import describe

    summary = describe(tokenizer, n)

    def show(piece: str) -> str:
        return show_piece(tokenizer, piece)

    def show_merges(pairs: list[tuple[str, str]]) -> str:
        return ", ".join(f"{show(left)} + {show(right)}" for left, right in pairs)

    rows = [
        ("type", summary["type"]),
        ("pieces", f"{summary['n_pieces']} ({summary['n_special']} special, {summary['n_added']} added)"),
        ("mean length", f"{summary['mean_bytes']:.2f} bytes"),
        ("longest", " ".join(map(show, summary["longest"]))),
    ]
    if "n_merges" in summary:
        rows += [
            ("merges", f"{summary['n_merges']}"),
            ("first merges", show_merges(summary["first_merges"])),
            ("last merges", show_merges(summary["last_merges"])),
        ]
    if sample is not None:
        scores = vocabulary_scores(tokenizer, read_lines([sample]))
        rows += [
            ("sample", f"{scores['n_bytes']} bytes, {scores['n_words']} words, {scores['n_pieces']} pieces"),
            ("compression", f"{scores['bytes_per_piece']:.3f} bytes per piece"),
            ("words", f"{scores['fertility']:.3f} pieces per word, {scores['whole_words']:.1%} left whole"),
            (
                "coverage",
                f"{scores['vocabulary_use']:.1%} of the vocabulary used, "
                f"{scores['unknown_rate']:.3%} of the pieces unknown",
            ),
        ]
    sys.stdout.write("".join(f"{name:<14}{value}\n" for name, value in rows))
