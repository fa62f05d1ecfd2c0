"""``textprep normalize``: text -> normalized text, line by line."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml._files import BYTE_ORDER_MARK, read_lines, read_text
from textprep_ml.cli._rows import N_JOBS_HELP, ON_ERROR_HELP, OnError, write_rows


def _normalize_lines(normalizer: Any, lines: list[str]) -> list[str]:
    # With its newline, so that a line end of two characters is seen as one.
    found = normalizer.transform([line + "\n" for line in lines])
    return [line if line.endswith("\n") else line + "\n" for line in found]


def _normalize_files(normalizer: Any, files: list[Path]) -> None:
    """Normalize whole texts; all of them are held only where words are to be learned from all of them."""
    texts = (read_text(path).removeprefix(BYTE_ORDER_MARK) for path in files or [Path("-")])
    learned = list(texts) if normalizer.__sklearn_tags__().requires_fit else None
    normalizer.fit(learned or [])
    for text in learned or texts:
        for new in normalizer.transform([text]):
            sys.stdout.write(new if new.endswith("\n") or not new else new + "\n")


def normalize(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Text files (.gz and .xz too); none or - is standard input.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="search, mt, lm, segment, pdf, counts; none switches every step off.")
    ] = "lm",
    form: Annotated[str | None, typer.Option(help="Unicode form: keep, NFC, NFD, NFKC, NFKD.")] = None,
    case: Annotated[str | None, typer.Option(help="keep, lower, casefold.")] = None,
    accents: Annotated[str | None, typer.Option(help="keep, strip, strip_all.")] = None,
    whitespace: Annotated[str | None, typer.Option(help="keep, collapse, lines, paragraphs, line_ends.")] = None,
    control: Annotated[str | None, typer.Option(help="Control and format characters: keep, drop.")] = None,
    punctuation: Annotated[str | None, typer.Option(help="keep, plain.")] = None,
    contractions: Annotated[str | None, typer.Option(help="keep, split, expand.")] = None,
    dehyphenation: Annotated[str | None, typer.Option(help="keep, join; needs --whole.")] = None,
    digits: Annotated[str | None, typer.Option(help="keep, mask.")] = None,
    vocabulary: Annotated[
        Path | None, typer.Option(help="Known words, one a line, for joining broken words; else they are collected.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Take each file as one text instead of each line.")] = False,
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
    n_jobs: Annotated[int, typer.Option(help=N_JOBS_HELP)] = 1,
) -> None:
    """Normalize text: a preset, and steps that differ from it.

    Parameters
    ----------
    files : list of Path, optional
        Text files; none means standard input.
    preset : str
        A preset of `make_normalizer`, or ``none``.
    form, case, accents, whitespace, control, punctuation, contractions, dehyphenation, digits : str, optional
        Steps that differ from the preset.
    vocabulary : Path, optional
        Known words, one a line.
    whole : bool
        Take each file as one text instead of each line.
    on_error : OnError
        What to do with a bad line.
    n_jobs : int
        Processes.
    """
    from textprep_ml.normalization import TextNormalizer, make_normalizer

    steps = {
        "form": form,
        "case": case,
        "accents": accents,
        "whitespace": whitespace,
        "control": control,
        "punctuation": punctuation,
        "contractions": contractions,
        "dehyphenation": dehyphenation,
        "digits": digits,
    }
    given: dict[str, Any] = {name: value for name, value in steps.items() if value is not None}
    if vocabulary is not None:
        given["vocabulary"] = list(read_lines([vocabulary]))
    normalizer = TextNormalizer(**given) if preset == "none" else make_normalizer(preset, **given)
    if normalizer.dehyphenation == "join" and not whole:
        raise ValueError(
            "normalize joins words that are broken at line ends only in whole texts: add --whole, or "
            "--dehyphenation keep."
        )
    if whole:
        _normalize_files(normalizer, files or [])
    else:
        write_rows(files or [], partial(_normalize_lines, normalizer.fit([])), on_error=on_error, n_jobs=n_jobs)
