"""Tables and alignments as text and as HTML that needs nothing else: no script, no style sheet, no network."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from html import escape
from typing import Any

import numpy as np

#: Rows and columns drawn at most.
LARGEST = 60

_MARKS = {"match": "", "substitute": "s", "insert": "i", "delete": "d", "transpose": "t"}
_COLOURS = {
    "match": "",
    "substitute": "#e6a23c55",
    "insert": "#67c23a55",
    "delete": "#f56c6c55",
    "transpose": "#409eff55",
}
_TABLE = '<table dir="ltr" style="border-collapse:collapse;text-align:center">'


def joined(symbols: Sequence[Hashable]) -> str:
    """Write symbols in a line.

    Parameters
    ----------
    symbols : str or sequence
        Characters or tokens.

    Returns
    -------
    str
        A string as it is, tokens with blanks between.
    """
    return symbols if isinstance(symbols, str) else " ".join(map(str, symbols))


def _number(value: Any) -> str:
    return "∞" if value == math.inf else f"{value:g}"


def _shown(symbols: Sequence[Hashable]) -> str:
    """Write one cell: blanks and controls get a visible form."""
    text = joined(symbols)
    return (
        "".join("␣" if char == " " else char if char.isprintable() else f"\\u{ord(char):04x}" for char in text) or "*"
    )


def alignment_text(edits: Sequence[Any]) -> str:
    """Write an alignment as three lines: the first sequence, the second, the marks of the operations.

    Parameters
    ----------
    edits : sequence of Edit
        The operations.

    Returns
    -------
    str
        ``*`` stands for nothing; ``s``, ``i``, ``d`` and ``t`` mark what is no match.
    """
    columns = [(_shown(edit.source), _shown(edit.target), _MARKS[edit.operation]) for edit in edits]
    widths = [max(map(len, column)) for column in columns]
    return "\n".join(
        " ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*columns, strict=True)
    )


def alignment_html(edits: Sequence[Any], distance: float) -> str:
    """Draw an alignment as a table with one column for each operation.

    Parameters
    ----------
    edits : sequence of Edit
        The operations.
    distance : float
        Their total cost.

    Returns
    -------
    str
        HTML.
    """
    shown = edits[: 4 * LARGEST]
    lines = []
    for part in ("source", "target"):
        cells = "".join(
            f'<td style="padding:2px 5px;background:{_COLOURS[edit.operation]}" '
            f'title="{escape(str(edit))}, cost {_number(edit.cost)}">'
            f"<bdi>{escape(_shown(getattr(edit, part)))}</bdi></td>"
            for edit in shown
        )
        lines.append(f"<tr>{cells}</tr>")
    marks = "".join(f'<td style="padding:0 5px;opacity:.7">{_MARKS[edit.operation]}</td>' for edit in shown)
    rest = f"<p>… {len(edits) - len(shown)} more operations</p>" if len(shown) < len(edits) else ""
    table = f'<div style="overflow-x:auto">{_TABLE}{"".join(lines)}<tr>{marks}</tr></table></div>'
    return f"{table}{rest}<p>distance {_number(distance)}</p>"


def table_text(values: np.ndarray, a: Sequence[Hashable], b: Sequence[Hashable]) -> str:
    """Write the table with its symbols beside and above, starting from the empty beginning ``#``.

    Parameters
    ----------
    values : ndarray of shape (len(a) + 1, len(b) + 1)
        The table.
    a, b : str or list
        The sequences.

    Returns
    -------
    str
        One line for each row; what goes beyond 60 rows or columns is left out.
    """
    heads = ["", "#", *(_shown([symbol]) for symbol in b[:LARGEST])]
    lines = [heads]
    for name, row in zip(["#", *(_shown([symbol]) for symbol in a[:LARGEST])], values, strict=False):
        lines.append([name, *map(_number, row[: LARGEST + 1])])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        " ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def table_html(values: np.ndarray, a: Sequence[Hashable], b: Sequence[Hashable], edits: Sequence[Any]) -> str:
    """Draw the table; the cells of a cheapest path are coloured by the operation that leads there.

    Parameters
    ----------
    values : ndarray of shape (len(a) + 1, len(b) + 1)
        The table.
    a, b : str or list
        The sequences.
    edits : sequence of Edit
        The operations of the path.

    Returns
    -------
    str
        HTML; what goes beyond 60 rows or columns is left out, with a note.
    """
    path = {(edit.end_a, edit.end_b): edit for edit in edits}
    heads = "".join(
        f'<th scope="col" style="padding:2px 6px"><bdi>{escape(_shown([symbol]))}</bdi></th>' for symbol in b[:LARGEST]
    )
    lines = [f'<tr><td></td><th scope="col" style="padding:2px 6px">#</th>{heads}</tr>']
    for i, row in enumerate(values[: LARGEST + 1]):
        name = "#" if i == 0 else escape(_shown([a[i - 1]]))
        cells = "".join(
            _table_cell(value, path.get((i, j)), (i, j) == (0, 0)) for j, value in enumerate(row[: LARGEST + 1])
        )
        lines.append(f'<tr><th scope="row" style="padding:2px 6px"><bdi>{name}</bdi></th>{cells}</tr>')
    note = (
        f"<p>The first {LARGEST} rows and columns of {len(a)} and {len(b)}.</p>"
        if max(len(a), len(b)) > LARGEST
        else ""
    )
    return f'<div style="overflow-x:auto">{_TABLE}{"".join(lines)}</table></div>{note}'


def _table_cell(value: Any, edit: Any, is_start: bool) -> str:
    if edit is None:
        weight = "font-weight:bold" if is_start else ""
        return f'<td style="padding:2px 6px;{weight}">{_number(value)}</td>'
    style = f"padding:2px 6px;font-weight:bold;background:{_COLOURS[edit.operation] or '#90939955'}"
    return f'<td style="{style}" title="{escape(str(edit))}">{_number(value)}</td>'
