"""``textprep distance A B``: the edit distance of two strings."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def _costs(text: str) -> list[float]:
    """Read costs such as ``1,1,2``; whole numbers stay ints."""
    try:
        costs = [float(part) if set(part.lower()) & set(".ein") else int(part) for part in text.split(",")]
    except ValueError:
        costs = []
    if len(costs) not in (3, 4):
        raise ValueError(
            f"--costs takes insertion,deletion,substitution[,transposition], such as 1,1,2, but got {text!r}."
        )
    return costs


def distance(
    a: Annotated[str, typer.Argument(metavar="A", help="The string to turn into B.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other string.")],
    costs: Annotated[
        str, typer.Option(help="Insertion, deletion, substitution and, to allow it, transposition: numbers or inf.")
    ] = "1,1,1",
    osa: Annotated[bool, typer.Option("--osa", help="Restrict transpositions to optimal string alignment.")] = False,
    words: Annotated[bool, typer.Option("--words", help="Compare words instead of characters.")] = False,
    align: Annotated[bool, typer.Option("--align", help="Print the alignment and its operations too.")] = False,
    table: Annotated[bool, typer.Option("--table", help="Print the table of distances too.")] = False,
) -> None:
    """Print the edit distance of two strings.

    The first line of the output is the distance, an int where all costs are.
    """
    from textprep_ml.distance import edit_distance, edit_table

    insertion, deletion, substitution, *rest = _costs(costs)
    transposition = rest[0] if rest else None
    source, target = (a.split(), b.split()) if words else (a, b)
    variant = "osa" if osa else "damerau"
    if not (align or table):
        value = edit_distance(source, target, insertion, deletion, substitution, transposition, variant=variant)
        sys.stdout.write(f"{value}\n")
        return
    result = edit_table(source, target, insertion, deletion, substitution, transposition, variant=variant)
    lines = [f"{result[-1, -1].item()}"]
    if table:
        lines.append(str(result))
    if align and result.alignment is None:
        raise ValueError("There is no alignment: the infinite costs forbid every way from A to B.")
    if align and result.alignment is not None:
        lines.append(str(result.alignment))
        lines += [
            f"{edit.start_a}:{edit.end_a}\t{edit.start_b}:{edit.end_b}\t{edit.cost:g}\t{edit}"
            for edit in result.alignment.operations
        ]
    sys.stdout.write("\n".join(lines) + "\n")
