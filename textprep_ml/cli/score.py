"""``textprep score REFERENCE HYPOTHESIS``: word and character error rates of two files with one utterance a line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml import _files
from textprep_ml._badrows import BadRows
from textprep_ml.cli._rows import OnError, print_bad_rows
from textprep_ml.exceptions import CorpusFormatError

_ON_ERROR_HELP = (
    "What to do with an utterance of which a line is not UTF-8. raise: stop; skip: leave it out; null: leave it out of "
    "the rates, and print null for it with --rows; replace, ignore: mend the bytes. What was left out is counted."
)


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
    on_error: Annotated[OnError, typer.Option(help=_ON_ERROR_HELP)] = OnError.raise_,
) -> None:
    """Print error rates of recognized, translated or corrected text, one rate a line: its name, a tab, its value.

    Rates are those of the whole corpus: errors and lengths are summed over the utterances.
    """
    from textprep_ml.distance import error_rates

    pairs = _read_pairs(reference, hypothesis, on_error)
    numbers = [number for number, pair in enumerate(pairs, start=1) if pair is not None]
    references, hypotheses = ([pair[side] for pair in pairs if pair is not None] for side in (0, 1))
    words = error_rates(references, hypotheses, normalizer=form)
    if rows:
        found = dict(zip(numbers, words.to_rows(), strict=True))
        kept = numbers if on_error != OnError.null else range(1, len(pairs) + 1)
        sys.stdout.writelines(json.dumps(found.get(number), ensure_ascii=False) + "\n" for number in kept)
    if align:
        for index, one in zip(numbers, words.utterances, strict=True):
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


def _read_pairs(reference: Path, hypothesis: Path, on_error: OnError) -> list[tuple[str, str] | None]:
    """Read the lines that correspond; None where one of them cannot be used."""
    bad = BadRows(str(on_error) if on_error.decoding == "strict" else "raise")
    sides = [_read(path, on_error) for path in (reference, hypothesis)]
    if len(sides[0]) != len(sides[1]):
        names = _files.display_name(reference), _files.display_name(hypothesis)
        raise ValueError(
            f"{names[0]} has {len(sides[0])} lines, but {names[1]} has {len(sides[1])}; they must correspond."
        )
    pairs: list[tuple[str, str] | None] = []
    for left, right in zip(*sides, strict=True):
        bad.n_rows += 1
        faults = [str(side) for side in (left, right) if isinstance(side, ValueError)]
        if faults:
            bad.refuse(" ".join(faults))
        pairs.append(None if faults else (str(left), str(right)))
    print_bad_rows(bad)
    return pairs


def _read(path: Path, on_error: OnError) -> list[str | ValueError]:
    """Read lines; what is wrong with one stands in its place."""
    lines: list[str | ValueError] = []
    for number, line in _files.iter_raw_lines(path):
        try:
            text = line.decode("utf-8", on_error.decoding)
            lines.append(text.removeprefix(_files.BYTE_ORDER_MARK) if number == 1 else text)
        except UnicodeDecodeError as error:
            where = f"{_files.display_name(path)}, line {number} byte {error.start}"
            fault = f"invalid UTF-8 (0x{line[error.start]:02x}). Convert the file to UTF-8."
            lines.append(CorpusFormatError(f"{where}: {fault}"))
    return lines
