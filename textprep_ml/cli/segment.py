"""``textprep segment``: text -> sentences, with a trained model, without scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textprep_ml.cli._sentences import Format, Newline, segment_files


def segment(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILES", help="Texts (.gz and .xz too); none or - is standard input."),
    ] = None,
    model: Annotated[str, typer.Option(help="A model file, or the name of a shipped model.")] = "en",
    format: Annotated[
        Format,
        typer.Option(
            help="lines: a sentence a line, its line breaks as blanks; jsonl: a document a line with id, text and "
            "sentences, which train and evaluate read; spans: start, tab, end, in characters of the file."
        ),
    ] = Format.lines,
    threshold: Annotated[
        float | None, typer.Option(help="Probability from which on there is a boundary. Default: the model's.")
    ] = None,
    newline: Annotated[
        Newline | None,
        typer.Option(
            help="What a line break means. auto: the model decides; hard: a boundary; soft: a blank, blank lines too; "
            "paragraph: a blank, but a blank line is a boundary. Default: the model's."
        ),
    ] = None,
    n_jobs: Annotated[int, typer.Option(help="Threads; -1 is one for each processor.")] = 1,
) -> None:
    """Split texts into sentences.

    Each file is one text. A file of more than 1 MB is read twice, in blocks: first for what the text says of itself,
    which the model looks at, then for its sentences. They are those of the whole text, and memory is bounded by the
    longest sentence, the longest run without white space and the first two million different words. What can be read
    only once, as a pipe, is decided in windows of 1 MB that end after white space, each by what the text has said up to
    the end of its window. A model with a normalizer or policies sees each window by itself, cut after a blank line,
    else after a line break, else after a blank; a sentence that would be torn is left to the next one. White space
    between sentences is not written. With --format spans, texts are parted by an empty line; with jsonl, a text of more
    than 1 MB has a row for each part of at most 262,144 characters (more if a sentence is longer), its id that of the
    file and where it starts.

    Parameters
    ----------
    files : list of Path, optional
        Text files; none means standard input.
    model : str
        A model file, or the name of a shipped model.
    format : Format
        What is written.
    threshold : float, optional
        Probability from which on there is a boundary.
    newline : Newline, optional
        What a line break means.
    n_jobs : int
        Threads.
    """
    segment_files(files or [], model, format, threshold, newline, n_jobs)
