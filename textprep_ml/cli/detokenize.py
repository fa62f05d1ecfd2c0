"""``textprep detokenize``: lines of tokens -> lines of text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml._files import read_lines
from textprep_ml.exceptions import CorpusFormatError


def _join_record(detokenizer: Any, line: str, number: int) -> str:
    try:
        record = json.loads(line)
        tokens, spans = record["tokens"], record.get("spans")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusFormatError(
            f'line {number}: expected a JSON object with "tokens", got {line[:80]!r} ({error}).'
        ) from None
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
) -> None:
    """Join tokens to text: one output line for each input line."""
    from textprep_ml.tokenization import Detokenizer

    detokenizer = Detokenizer(quotes=quotes, hyphens=hyphens)
    for number, line in enumerate(read_lines(files or []), start=1):
        text = _join_record(detokenizer, line, number) if jsonl else detokenizer.join(line.split())
        sys.stdout.write(text + "\n")
