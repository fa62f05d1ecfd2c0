"""``textprep explain``: why a text is split where it is."""

from __future__ import annotations

import errno
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from textprep_ml._files import BYTE_ORDER_MARK, COMPRESSED, bare_name, read_text
from textprep_ml._modelfile import resolve

#: How files with text in them end.
_SUFFIXES = (".txt", ".md", ".json", ".jsonl", ".ndjson", ".conllu", ".ann", ".csv", ".tsv", ".html", *COMPRESSED)


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

    is_file = source == "-" or _is_file(source)
    if not is_file and _names_file(source):
        raise FileNotFoundError(
            errno.ENOENT, "No such file; what is no file name but text goes through standard input, which is -", source
        )
    text = read_text(source).removeprefix(BYTE_ORDER_MARK) if is_file else source
    for row in SentenceSegmenter.load(model).explain(text, top):
        sys.stdout.write((json.dumps(row.to_dict(), ensure_ascii=False) if as_json else str(row)) + "\n")


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # too long for a file name, or with a NUL
        return False


def _names_file(source: str) -> bool:
    """Tell whether this is one word that can hardly be anything but a file name, by its suffix or its folder."""
    if not source or any(map(str.isspace, source)):
        return False
    path = Path(source)
    folder = path.parent
    return Path(bare_name(path)).suffix.lower() in _SUFFIXES or (folder != Path() and _is_folder(folder))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
