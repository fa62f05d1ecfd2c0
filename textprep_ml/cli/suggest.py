"""``textprep suggest``: the places of raw texts whose labels would teach a model most."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from textprep_ml._modelfile import resolve


def suggest(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, or the name of a shipped model.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RAW...", help="Texts (.gz and .xz too); none or - is standard input."),
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="How many places.")] = 200,
    labels: Annotated[
        Path | None,
        typer.Option(help="Labels made so far, as `textprep label` writes them: these places are left out."),
    ] = None,
) -> None:
    """Choose the places worth labelling: doubtful, of every kind, no two alike; a JSON object a line, the best first.

    Each has the id of the document, where the token before ends and the token after starts, in characters of the file,
    the kind of place, the probability of a boundary, what the model decides, and the text around. A text of more than
    1 MB is looked at in windows of that size, so memory is bounded.

    Parameters
    ----------
    model : str
        A model file, or the name of a shipped model.
    files : list of Path, optional
        Text files; none means standard input.
    n : int
        How many places.
    labels : Path, optional
        Labels made so far.
    """
    resolve(model)  # where there is none, that is said before scikit-learn is imported
    from textprep_ml import SentenceSegmenter
    from textprep_ml.labelling.reading import labelled_places, suggest_in_files

    done = {} if labels is None else labelled_places(labels)
    for row in suggest_in_files(SentenceSegmenter.load(model), files or [Path("-")], n, done):
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
