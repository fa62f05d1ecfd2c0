"""``textprep label``: a page in the browser that takes labels for raw texts and retrains the model with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def label(
    files: Annotated[list[Path], typer.Argument(metavar="RAW...", help="Texts; each file is one document.")],
    out: Annotated[
        Path, typer.Option(help="Where the labels go: JSON lines, which `textprep train` reads. Goes on with old ones.")
    ],
    model: Annotated[str, typer.Option(help="The model to start from: a file, or the name of a shipped model.")] = "en",
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Labelled documents to measure with after each retraining; may be repeated."),
    ] = None,
    add: Annotated[
        list[Path] | None,
        typer.Option("--import", help="Labels of the same documents to take over: a corpus, or Label Studio's .json."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where the page is served; 0 is any that is free.")] = 0,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Label the boundaries of raw texts on a page in the browser, the most useful places first.

    The page is for this machine only, at an address with a random token. Every decision is written at once, to a
    journal beside the labels, so nothing is lost whatever ends the server; started again with the same --out it goes
    on, at the same address after a crash. Retrain adapts the model to the labels and writes it beside them. Needs the
    extra: pip install 'textprep_ml[annotate]'.

    Parameters
    ----------
    files : list of Path
        Text files.
    out : Path
        Where the labels go.
    model : str
        A model file, or the name of a shipped model.
    dev : list of str, optional
        Labelled documents to measure with.
    add : list of Path, optional
        Labels to take over.
    port : int
        Where the page is served.
    open_browser : bool
        Open the page.
    """
    from textprep_ml import SentenceSegmenter
    from textprep_ml.labelling.reading import read_documents, read_labels
    from textprep_ml.labelling.session import LabellingSession

    try:
        from textprep_ml.labelling.address import open_address, serve
    except ImportError as error:
        raise ValueError(f"{error.name} is missing: pip install 'textprep_ml[annotate]'.") from None

    imported: list[dict[str, Any]] = [row for path in add or [] for row in read_labels(path)]
    session = LabellingSession(
        read_documents(files),
        SentenceSegmenter.load(model),
        out,
        [row for name in dev or [] for row in _measured(name)],
    )
    if imported:
        sys.stdout.write(f"{session.store.add(imported)} labels are new.\n")
    with open_address(out, port) as address:
        sys.stdout.write(f"Open {address.url}\nEvery decision is saved for {out} at once. Ctrl+C ends.\n")
        sys.stdout.flush()
        if open_browser:
            import webbrowser

            webbrowser.open(address.url)
        serve(session, address)


def _measured(name: str) -> list[dict[str, Any]]:
    from textprep_ml.config import Corpus, read_labelled

    texts, spans, _ = read_labelled([Corpus(name)])
    return [{"text": text, "sentences": sentences} for text, sentences in zip(texts, spans, strict=True)]
