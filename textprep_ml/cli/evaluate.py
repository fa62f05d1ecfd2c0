"""``textprep evaluate``: how well a segmenter, a word tokenizer or a subword vocabulary does on documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from textprep_ml._files import printable
from textprep_ml.cli._reports import unfitted, write_segmenter_report
from textprep_ml.cli._rows import OnError
from textprep_ml.cli._segmenters import (
    distinct_names,
    evaluate_corpora,
    load_named,
    one_line_variants,
    print_scores,
)
from textprep_ml.cli._sieve import ON_ERROR_HELP, refuse_mending, sieved
from textprep_ml.cli._token_scores import TOKENIZERS, evaluate_tokenizers
from textprep_ml.cli._vocabulary_scores import evaluate_vocabularies, find_vocabulary, sized


def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model file, a shipped model such as en, or rules, or naive; words, words:ud, treebank.",
        ),
    ],
    corpora: Annotated[
        list[str], typer.Argument(metavar="CORPUS...", help="Labelled files, or names such as ud:en_ewt.")
    ],
    baseline: Annotated[
        list[str] | None,
        typer.Option(help="What to compare with: rules, naive, or another model; may be given several times."),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Format of the corpora; by default the name of each tells.")
    ] = None,
    one_line: Annotated[
        bool, typer.Option("--one-line", help="Measure again with every line break replaced by a blank.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    report: Annotated[
        str | None,
        typer.Option(metavar="OUT.html", help="Write a page with scores, curves and all errors, and its data as JSON."),
    ] = None,
    learning_curve: Annotated[
        list[str] | None,
        typer.Option(metavar="TRAIN", help="For the report: fit on ever more of these labelled files; takes its time."),
    ] = None,
    sizes: Annotated[
        list[int] | None,
        typer.Option("--size", metavar="N", help="Of a vocabulary: the first N pieces; may be given several times."),
    ] = None,
    morphemes: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a vocabulary: a word a line, a tab, and its morphemes between blanks."),
    ] = None,
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
) -> None:
    """Measure a segmenter or tokenizer on labelled documents, or a vocabulary on texts, alone or against baselines.

    Boundaries are those between sentences, the end of a document is none. Intervals are bootstrapped over documents;
    the error rate is over all end marks; WindowDiff and Pk are over characters. Errors are sorted by kind, with
    examples in which ¦ stands for the boundary. Tokenizers (words, words:ud, words:ptb, treebank, whitespace) are
    measured by the spans of their tokens, subword vocabularies by how they cut words: for them, any text will do.

    Parameters
    ----------
    model : str
        A model file, the name of a shipped model, or of a baseline.
    corpora : list of str
        Labelled files or names of data sets.
    baseline : list of str, optional
        What to compare with. The curves and errors of a report are held against the first.
    format : str, optional
        Format of the corpora.
    one_line : bool
        Measure again without line breaks.
    as_json : bool
        Print JSON.
    report : str, optional
        Where a page goes, and beside it its data.
    learning_curve : list of str, optional
        Labelled files to draw a learning curve from.
    sizes : list of int, optional
        Smaller vocabularies in a trained one.
    morphemes : str, optional
        A file of words and their morphemes.
    on_error : OnError
        What to do with a row that cannot be used.
    """
    refuse_mending(on_error)
    baselines = baseline or []
    if report is not None:
        from textprep_ml.report import check_report_path

        check_report_path(report)
    elif learning_curve:
        raise ValueError("--learning-curve draws into a report: add --report out.html.")
    if model in TOKENIZERS:
        if learning_curve:
            raise ValueError(f"--learning-curve needs a model that learns; {model} has nothing to learn.")
        distinct_names(model, baselines)  # refuses a baseline given twice
        with sieved([(name, format) for name in corpora], on_error) as files:
            evaluate_tokenizers([model, *baselines], _named_files(files), format, as_json, report)
        return
    vocabulary = find_vocabulary(model)
    if vocabulary is not None:
        if learning_curve:
            raise ValueError(f"--learning-curve fits segmenters; the report of {model} has a curve over its size.")
        if report is not None and sizes:
            raise ValueError("--size is for the table; the report has a curve over all sizes.")
        tokenizers = {**sized(printable(model), vocabulary, sizes or []), **_other_vocabularies(model, baselines)}
        with sieved([(name, format) for name in corpora], on_error) as files:
            evaluate_vocabularies(tokenizers, _named_files(files), format, as_json, report, morphemes)
        return
    if sizes or morphemes:
        raise ValueError(f"--size and --morphemes are for subword vocabularies, and {model} is none.")
    systems = {name: load_named(source) for name, source in _named(model, baselines)}
    title = next(iter(systems))
    from textprep_ml.config import Corpus, read_labelled
    from textprep_ml.report import format_errors

    learning = (unfitted(model, systems[title]), learning_curve) if learning_curve else None
    with sieved([(name, format) for name in corpora], on_error) as files:
        read = {name: read_labelled([Corpus(file, format=format)])[:2] for name, file in _named_files(files).items()}
    variants = one_line_variants(read) if one_line else {}
    results = evaluate_corpora({**read, **variants}, systems)
    if report is not None:
        write_segmenter_report(report, systems, read, variants, results, learning)
    if as_json:
        sys.stdout.write(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
        return
    print_scores(results)
    for name, result in results.items():
        sys.stdout.write("\n" + format_errors(name, title, result))
    if report is not None:
        sys.stdout.write(f"\nReport: {report}\n")


def _named_files(files: Mapping[str, str]) -> dict[str, str]:
    """Name corpora as text, whatever bytes the names of their files are: the names stand in JSON and in reports."""
    return {printable(name): file for name, file in files.items()}


def _other_vocabularies(model: str, baselines: Sequence[str]) -> dict[str, Any]:
    _, *names = distinct_names(model, baselines)
    others = {name: find_vocabulary(source) for name, source in zip(names, baselines, strict=True)}
    for name, other in others.items():
        if other is None:
            raise ValueError(f"--baseline: {name} is no subword tokenizer, with which {model} could be compared.")
    return others


def _named(model: str, baselines: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(distinct_names(model, baselines), (model, *baselines), strict=True))
