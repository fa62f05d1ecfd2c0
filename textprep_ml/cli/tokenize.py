"""``textprep tokenize``: lines of text -> lines of tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml.cli._rows import N_JOBS_HELP, ON_ERROR_HELP, OnError, write_rows


class Scheme(StrEnum):
    """Which tokenizer."""

    words = "words"
    treebank = "treebank"
    regex = "regex"
    chars = "chars"
    whitespace = "whitespace"


class Format(StrEnum):
    """What is written for a line."""

    lines = "lines"
    jsonl = "jsonl"
    spans = "spans"
    conllu = "conllu"


def make_tokenizer(scheme: str, pattern: str, language: str, contractions: str, preset: str | None) -> Any:
    """Make the tokenizer that the options name.

    Parameters
    ----------
    scheme : str
        One of the values of `Scheme`.
    pattern : str
        For ``regex``.
    language, contractions : str
        For ``words``.
    preset : str or None
        For ``words``.

    Returns
    -------
    Tokenizer
        Ready to use.
    """
    from textprep_ml import tokenization

    if scheme == Scheme.words:
        given: dict[str, Any] = {"language": language, **({"contractions": contractions} if contractions else {})}
        return (
            tokenization.WordTokenizer.from_preset(preset, **given) if preset else tokenization.WordTokenizer(**given)
        )
    if scheme == Scheme.treebank:
        return tokenization.TreebankTokenizer()
    if scheme == Scheme.regex:
        return tokenization.RegexTokenizer(pattern)
    if scheme == Scheme.chars:
        return tokenization.CharacterTokenizer(unit="grapheme", whitespace="drop")
    return tokenization.WhitespaceTokenizer()


def _as_lines(tokenizer: Any, lines: list[str]) -> list[str]:
    return [" ".join(tokens) + "\n" for tokens in tokenizer.transform(lines)]


def _as_spans(tokenizer: Any, lines: list[str]) -> list[str]:
    return [
        " ".join([f"{start}:{end}" for start, end in spans.tolist()]) + "\n" for spans in tokenizer.spans_batch(lines)
    ]


def _as_json(tokenizer: Any, lines: list[str]) -> list[str]:
    records = []
    for line, found in zip(lines, tokenizer.spans_batch(lines), strict=True):
        spans = found.tolist()
        record = {"text": line, "tokens": [line[start:end] for start, end in spans], "spans": spans}
        records.append(json.dumps(record, ensure_ascii=False) + "\n")
    return records


def _as_conllu(tokenizer: Any, lines: list[str]) -> list[str]:
    """One sentence a line; an empty line gives nothing, CoNLL-U has no empty sentences."""
    found = tokenizer.spans_batch(lines)
    return [_sentence(line, spans.tolist()) for line, spans in zip(lines, found, strict=True)]


def _sentence(line: str, spans: list[list[int]]) -> str:
    if not spans:
        return ""
    starts = [start for start, _ in spans[1:]] + [-1]
    rows = [
        f"{number}\t{line[start:end]}" + "\t_" * 7 + ("\tSpaceAfter=No\n" if end == after else "\t_\n")
        for number, ((start, end), after) in enumerate(zip(spans, starts, strict=True), start=1)
    ]
    return f"# text = {line}\n{''.join(rows)}\n"


_WRITERS: dict[str, Callable[[Any, list[str]], list[str]]] = {
    Format.lines: _as_lines,
    Format.spans: _as_spans,
    Format.jsonl: _as_json,
    Format.conllu: _as_conllu,
}

#: What stands for a line that could not be used.
_NULLS = {Format.jsonl: "null\n", Format.conllu: ""}


def tokenize(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files, or - for standard input. Default: standard input.")
    ] = None,
    scheme: Annotated[Scheme, typer.Option(help="Which tokenizer.")] = Scheme.words,
    format: Annotated[
        Format, typer.Option(help="lines: tokens and blanks; spans: start:end; jsonl; conllu.")
    ] = Format.lines,
    pattern: Annotated[
        str, typer.Option(help="For --scheme regex: a name such as book or gpt2, or a regular expression.")
    ] = "book",
    language: Annotated[
        str, typer.Option(help="For --scheme words: en, fr, it, de, or another code of ISO 639.")
    ] = "en",
    contractions: Annotated[str, typer.Option(help="For --scheme words: split, keep, ptb, spacy, moses.")] = "",
    preset: Annotated[str | None, typer.Option(help="For --scheme words: ud or ptb.")] = None,
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
    n_jobs: Annotated[int, typer.Option(help=N_JOBS_HELP)] = 1,
) -> None:
    """Cut text into tokens: one output line for each input line (but CoNLL-U: one row a token)."""
    # Fitted before the first line is read: an option that is wrong is no fault of the lines.
    tokenizer = make_tokenizer(scheme, pattern, language, contractions, preset).fit([])
    function = partial(_WRITERS[format], tokenizer)
    write_rows(files or [], function, on_error=on_error, null=_NULLS.get(format, "\n"), n_jobs=n_jobs)
