"""``textprep tag``: text -> sentences -> words -> part-of-speech tags."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml._files import display_name
from textprep_ml._modelfile import resolve
from textprep_ml._parallel import map_chunks
from textprep_ml.cli._rows import N_JOBS_HELP, ON_ERROR_HELP, OnError, write_rows

#: Sentences that are tagged at a time.
BATCH = 10_000


class Format(StrEnum):
    """What is written."""

    columns = "columns"
    inline = "inline"


def _from_text(files: Iterable[Path], segmenter: str) -> Iterator[list[str]]:
    from textprep_ml.cli._sentences import load_finder
    from textprep_ml.tokenization import WordTokenizer

    find = load_finder(segmenter)
    tokenizer = WordTokenizer()
    for window, spans in find(files):
        for start, end in spans:
            yield tokenizer.tokenize(window.text[start:end])


def _tag_lines(tagger: Any, format: Format, lines: list[str]) -> list[str]:
    return _tag(tagger, format, [line.split() for line in lines])


def _tag(tagger: Any, format: Format, sentences: list[list[str]]) -> list[str]:
    tagged = tagger.transform(sentences)
    if format == Format.columns:
        return ["".join([f"{token}\t{name}\n" for token, name in sentence]) + "\n" for sentence in tagged]
    return [" ".join([f"{token}/{name}" for token, name in sentence]) + "\n" for sentence in tagged]


def _print_scores(files: Mapping[str, str], model: str, column: str) -> None:
    """Print tokens, right tags and accuracy of CoNLL-U files."""
    from textprep_ml.tagging import PosTagger, read_tagged

    tagger = PosTagger.load(model)
    for path, file in files.items():
        sentences, tags = read_tagged(file, column)
        accuracy = tagger.score(sentences, tags)
        tokens = sum(map(len, sentences))
        sys.stdout.write(
            f"{display_name(path)}\taccuracy {accuracy:.4f}\t{round(accuracy * tokens)} of {tokens} tokens\n"
        )


def tag(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILES", help="Texts (.gz and .xz too); none or - is standard input."),
    ] = None,
    model: Annotated[str, typer.Option(help="A tagger: a model file, or the name of a shipped model.")] = "en-pos",
    segmenter: Annotated[str, typer.Option(help="What finds the sentences: a model file, or a shipped model.")] = "en",
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Each line is a sentence whose tokens are separated by white space.")
    ] = False,
    format: Annotated[
        Format,
        typer.Option(
            help="columns: a token, a tab and its tag in each line, a blank line after each sentence; inline: "
            "a sentence a line, TOKEN/TAG with blanks between."
        ),
    ] = Format.columns,
    score: Annotated[
        bool, typer.Option("--score", help="FILES are CoNLL-U with right tags: print the accuracy on their tokens.")
    ] = False,
    column: Annotated[str, typer.Option(help="Which tags of CoNLL-U: upos or xpos.")] = "upos",
    on_error: Annotated[
        OnError,
        typer.Option(
            help=f"With --tokens; with --score for each sentence: raise, skip or null, as skip. {ON_ERROR_HELP}"
        ),
    ] = OnError.raise_,
    n_jobs: Annotated[int, typer.Option(help=N_JOBS_HELP)] = 1,
) -> None:
    """Tag the words of texts with their parts of speech.

    Texts are cut into sentences by a trained segmenter and into words by the word tokenizer before.
    """
    if score:
        if not files:
            raise ValueError("--score needs CoNLL-U files with tags.")
        from textprep_ml.cli._sieve import refuse_mending, sieved

        refuse_mending(on_error)
        with sieved([(str(path), "conllu") for path in files], on_error, column=column) as sound:
            _print_scores(sound, model, column)
        return
    resolve(model)  # where there is none, that is said before scikit-learn is imported
    from textprep_ml.tagging import PosTagger

    tagger = PosTagger.load(model)
    if tokens:
        write_rows(files or [], partial(_tag_lines, tagger, format), on_error=on_error, n_jobs=n_jobs)
        return
    sentences = _from_text(files or [], segmenter)
    batches = iter(lambda: list(islice(sentences, BATCH)), [])
    for written in map_chunks(partial(_tag, tagger, format), batches, n_jobs, prefer="processes"):
        sys.stdout.write("".join(written))
