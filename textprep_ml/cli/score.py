"""``textprep score REFERENCE HYPOTHESIS``: word and character error rates of two files with one utterance a line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml import _files


def score(
    reference: Annotated[Path, typer.Argument(metavar="REFERENCE", help="What is right: one utterance a line.")],
    hypothesis: Annotated[
        Path, typer.Argument(metavar="HYPOTHESIS", help="What is scored: as many lines; - is standard input.")
    ],
    wer: Annotated[
        bool, typer.Option("--wer", help="Word error rate (what is printed when no rate is named).")
    ] = False,
    cer: Annotated[bool, typer.Option("--cer", help="Character error rate.")] = False,
    mer: Annotated[bool, typer.Option("--mer", help="Match error rate.")] = False,
    wil: Annotated[bool, typer.Option("--wil", help="Word information lost.")] = False,
    form: Annotated[
        str | None, typer.Option(help="Unicode form to bring both sides to first: NFC, NFD, NFKC, NFKD.")
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Print hits, substitutions, deletions and insertions too.")
    ] = False,
    rows: Annotated[bool, typer.Option("--rows", help="Print one JSON line for each utterance first.")] = False,
    align: Annotated[
        bool, typer.Option("--align", help="Print the alignments of the utterances with errors first.")
    ] = False,
) -> None:
    """Print error rates of recognized, translated or corrected text, one rate a line: its name, a tab, its value.

    Rates are those of the whole corpus: errors and lengths are summed over the utterances.
    """
    from textprep_ml.distance import error_rates

    references = list(_files.read_lines([reference]))
    hypotheses = list(_files.read_lines([hypothesis]))
    if len(references) != len(hypotheses):
        names = _files.display_name(reference), _files.display_name(hypothesis)
        raise ValueError(
            f"{names[0]} has {len(references)} lines, but {names[1]} has {len(hypotheses)}; they must correspond."
        )
    words = error_rates(references, hypotheses, normalizer=form)
    if rows:
        sys.stdout.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in words.to_rows())
    if align:
        for index, one in enumerate(words.utterances, start=1):
            if one.errors:
                sys.stdout.write(f"line {index}\n{one.alignment}\n\n")
    values: dict[str, Any] = {}
    if wer or not (cer or mer or wil):
        values["wer"] = words.error_rate
    if cer:
        values["cer"] = error_rates(references, hypotheses, unit="character", normalizer=form).error_rate
    if mer:
        values["mer"] = words.match_error_rate
    if wil:
        values["wil"] = words.information_lost
    if counts:
        values |= {name: getattr(words, name) for name in ("hits", "substitutions", "deletions", "insertions")}
    sys.stdout.writelines(
        f"{name}\t{value:.6g}\n" if isinstance(value, float) else f"{name}\t{value}\n" for name, value in values.items()
    )
