"""``textprep explain``: why a text is split where it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from textprep_ml._files import BYTE_ORDER_MARK, read_text
from textprep_ml._modelfile import resolve


def explain(
    source: Annotated[
        str, typer.Argument(metavar="TEXT|FILE", help="A file, - for standard input, or else the text itself.")
    ] = "-",
    model: Annotated[str, typer.Option(help="A model file, or the name of a shipped model.")] = "en",
    top: Annotated[int, typer.Option(min=1, help="How many reasons to name in each direction.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each candidate.")] = False,
) -> None:
    """Show, for each place where a sentence might end, how probable that is and what speaks for and against it.

    A row has the place in characters, its kind, the probability, the text before and after it with | where it is split,
    and the reasons, the strongest first: what was seen there and the log odds that it adds.

    Parameters
    ----------
    source : str
        A file, ``-``, or the text itself.
    model : str
        A model file, or the name of a shipped model.
    top : int
        How many reasons to name in each direction.
    as_json : bool
        Print JSON.
    """
    resolve(model)  # where there is none, that is said before scikit-learn is imported
    from textprep_ml import SentenceSegmenter

    text = read_text(source).removeprefix(BYTE_ORDER_MARK) if source == "-" or _is_file(source) else source
    for row in SentenceSegmenter.load(model).explain(text, top):
        sys.stdout.write((json.dumps(row.to_dict(), ensure_ascii=False) if as_json else str(row)) + "\n")


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # too long for a file name, or with a NUL
        return False
