"""``textprep transform``: files -> one Parquet part for each, restartable, on one machine or a cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from textprep_ml.cli import terminable
from textprep_ml.cli._progress import progress_bar
from textprep_ml.cli._rows import print_bad_rows

#: Seconds that a scheduler may take to answer.
TIMEOUT = 10.0


class Format(StrEnum):
    """How the input files are read."""

    auto = "auto"
    jsonl = "jsonl"
    lines = "lines"
    text = "text"
    parquet = "parquet"


class OnError(StrEnum):
    """What to do with a row that cannot be used."""

    raise_ = "raise"
    skip = "skip"
    null = "null"


def transform(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model file, the name of a shipped model, rules, naive, or an estimator without fitting such as "
            "WordTokenizer.",
        ),
    ],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILES", help=".jsonl, .txt (both .gz, .xz, .zst too) and .parquet."),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the parts.")],
    column: Annotated[str, typer.Option(help="Which key or column of JSON lines and Parquet holds the text.")] = "text",
    format: Annotated[
        Format,
        typer.Option(
            help="How the files are read. auto: by their names; .txt is text for a segmenter, else lines. lines: a row "
            "a line; text: a file is one text, a row for each window of 1 MB, which tears no sentence."
        ),
    ] = Format.auto,
    on_error: Annotated[
        OnError,
        typer.Option(
            help="What to do with a row that is null, not text, not UTF-8, or that the model refuses. raise: stop; "
            "skip: leave it out; null: keep it without results, with the reason in the column error."
        ),
    ] = OnError.raise_,
    drop_text: Annotated[bool, typer.Option("--drop-text", help="Leave the texts out of the parts.")] = False,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786, whose workers do it."),
    ] = None,
    n_jobs: Annotated[
        int, typer.Option(help="Processes; threads for a single file; -1 is one for each processor.")
    ] = 1,
) -> None:
    """Run a fitted model over files: one Parquet part for each of them.

    A part is there when it is complete, never half-written. A second run makes only what is missing, or was made from
    another input, by another model or with other options. Memory does not grow with the files.

    Columns: row, the number of the line or row from 1; id, where the input has it; start, for whole texts, where the
    window starts in characters; text; then what the model finds. A segmenter: sentences, spans in characters. A
    tokenizer: tokens, spans, and token_texts. A subword tokenizer: piece_ids. A tagger: token_texts and tags, of
    tokens separated by white space. A normalizer: normalized. A pipeline: all that it finds, or the prediction of its
    classifier.

    With --dask the workers read and write the files, which have to be at the same place for all of them.

    Parameters
    ----------
    model : str
        A model file, or the name of a model.
    files : list of Path
        Input files.
    out : Path
        The folder for the parts.
    column : str
        Which key or column holds the text.
    format : Format
        How the files are read.
    on_error : OnError
        What to do with a bad row.
    drop_text : bool
        Leave the texts out of the parts.
    dask : str, optional
        The address of a scheduler.
    n_jobs : int
        Processes.
    """
    from textprep_ml.bulk import transform_files

    started = time.perf_counter()
    with terminable(), _cluster(dask), progress_bar() as progress:
        summary = transform_files(
            model,
            files,
            out,
            column=column,
            format=str(format),
            on_error=str(on_error),
            keep_text=not drop_text,
            n_jobs=None if dask else n_jobs,
            progress=progress,
        )
    seconds = time.perf_counter() - started
    megabytes = sum(part.n_bytes for part in summary.parts if not part.was_finished) / 1e6
    sys.stdout.write(
        f"{out}: {len(summary.parts)} parts, {summary.n_written} of them made in this run; {summary.rows.n_rows} rows, "
        f"{summary.rows.n_bad} bad; {megabytes:.1f} MB in {seconds:.1f} s\n"
    )
    print_bad_rows(summary.rows)


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Send what joblib does to a Dask cluster."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--dask needs the package distributed: pip install 'textprep_ml[dask]'.") from None
    from joblib import parallel_config

    try:
        client = Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"--dask {address}: no scheduler answers ({error}).") from None
    with client, parallel_config(backend="dask", client=client):
        yield
