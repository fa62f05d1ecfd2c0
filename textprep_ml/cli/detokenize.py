"""``textprep detokenize``: lines of tokens -> lines of text."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml.cli._rows import N_JOBS_HELP, ON_ERROR_HELP, OnError, write_rows


def _join_lines(detokenizer: Any, lines: list[str]) -> list[str]:
    return [detokenizer.join(line.split()) + "\n" for line in lines]


def _join_records(detokenizer: Any, lines: list[str]) -> list[str]:
    return [_join_record(detokenizer, line) + "\n" for line in lines]


def _join_record(detokenizer: Any, line: str) -> str:
    try:
        record = json.loads(line)
        tokens, spans = record["tokens"], record.get("spans")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f'expected a JSON object with "tokens", got {line[:80]!r} ({error}).') from None
    return detokenizer.join(tokens, spans=spans)


def detokenize(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files, or - for standard input. Default: standard input.")
    ] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Lines are JSON with "tokens" and, for the exact inverse, "spans".')
    ] = False,
    quotes: Annotated[
        str, typer.Option(help="keep, or straight: the Treebank's quotes become straight ones.")
    ] = "keep",
    hyphens: Annotated[str, typer.Option(help="join or space: how a hyphen that is a token stands.")] = "join",
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
    n_jobs: Annotated[int, typer.Option(help=N_JOBS_HELP)] = 1,
) -> None:
    """Join tokens to text: one output line for each input line."""
    from textprep_ml.tokenization import Detokenizer

    detokenizer = Detokenizer(quotes=quotes, hyphens=hyphens).fit([])  # options are checked before any line is read
    function = partial(_join_records if jsonl else _join_lines, detokenizer)
    write_rows(files or [], function, on_error=on_error, n_jobs=n_jobs)
