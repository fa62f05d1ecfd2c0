"""Which attributes of a candidate are crossed, and where the weight of each combination of values lies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import COLUMN, NAMES, cardinalities, value_name

#: Attributes whose values are crossed. Each kind of candidate gets weights of its own in nearly all of them: the word
#: before a mark says other things than the word before a line break.
TEMPLATES = (
    "kind",
    "kind left.mark left.closer",
    "kind left.mark left.shape",
    "kind left.mark left.length left.shape",
    "left.mark left.length left.shape right.shape",
    "left2.group left.mark left.shape right.shape",
    "kind left.mark right.shape",
    "kind left.mark right.lead right.shape",
    "kind left.mark right.shape right2.shape",
    "kind left.mark right.usual",
    "kind left.mark right.lead right.usual",
    "kind left.mark document.marks document.lines",
    "kind left.shape right.shape",
    "kind left.closer right.shape left.mark",
    "kind left.word",
    "kind right.word",
    "kind left2.word",
    "kind right2.word",
    "kind left.mark left.word",
    "left.mark left.word",
    "right.word",
    "left.closer right.word",
    "left.closer right2.word",
    "kind left.class right.shape",
    "kind left.group right.shape left.shape",
    "kind left.group right.evidence",
    "kind left.group right.usual",
    "kind left.group right.word",
    "kind left.evidence right.shape",
    "kind left.evidence left.group",
    "kind left.evidence left.length left.shape",
    "kind left.raw right.shape",
    "kind left.usual left.mark",
    "kind left.usual right.usual",
    "kind right.evidence",
    "kind right.evidence left.shape",
    "kind right.usual left.shape",
    "kind right.usual right.evidence",
    "kind right2.usual right.usual",
    "kind left2.shape left.shape",
    "kind left2.shape left.shape right.shape",
    "kind left2.shape left.shape right.usual",
    "kind left2.usual left.shape right.usual",
    "left2.mark left.mark left.shape left.length",
    "left2.group left2.mark left.shape left.length",
    "kind left2.group left.group",
    "kind left2.group left.shape right.shape",
    "kind left2.mark left.mark",
    "kind right.group",
    "kind right.mark right.shape",
    "kind right.length right.shape",
    "kind right2.shape right.shape",
    "kind right2.lead",
    "kind gap.blanks",
    "kind gap.blanks right.shape",
    "kind gap.blanks document.lines",
    "kind line.slack document.lines",
    "kind line.slack right.shape",
    "kind line.place document.lines",
    "kind line.place left.mark",
    "kind line.rest",
    "kind line.rest right.shape",
    "kind since.end",
    "kind since.end right.shape",
    "kind until.end",
    "kind until.end since.end",
    "kind open.quote left.closer",
    "kind open.quote right.lead",
    "kind open.bracket left.mark",
    "kind open.bracket left.closer",
    "kind document.marks",
    "kind document.marks right.shape",
    "kind document.marks since.end",
    "kind document.lines document.line_ends",
    "kind document.capitals right.shape",
    "kind document.capitals document.marks",
    "kind line.start",
    "kind line.start left.shape left.mark",
    "kind line.length document.lines",
    "kind next_line.start",
    "kind next_line.start left.mark",
)

#: How many attributes a template may cross: what the kernel reads.
MAX_CROSSED = 4


def check_templates(templates: Sequence[str]) -> None:
    """Check that templates name attributes.

    Parameters
    ----------
    templates : sequence of str
        Names of attributes, separated by blanks.

    Raises
    ------
    ValueError
        If a name is unknown, or a template crosses no attribute or more than four.
    """
    for template in templates:
        names = template.split()
        unknown = [name for name in names if name not in COLUMN]
        if unknown:
            raise ValueError(
                f"Unknown attribute {unknown[0]!r} in template {template!r}; there are {', '.join(NAMES)}."
            )
        if not 1 <= len(names) <= MAX_CROSSED:
            raise ValueError(f"A template crosses 1 to {MAX_CROSSED} attributes, {template!r} has {len(names)}.")


class TemplateLayout:
    """Where the weight of each combination lies in one flat table.

    Parameters
    ----------
    templates : sequence of str
        Names of attributes, separated by blanks.
    n_words : int
        Words in the vocabulary.
    """

    def __init__(self, templates: Sequence[str], n_words: int) -> None:
        check_templates(templates)
        sizes = cardinalities(n_words)
        self.templates = tuple(templates)
        self.crossed = [[COLUMN[name] for name in template.split()] for template in templates]
        self.shapes = [tuple(sizes[column] for column in columns) for columns in self.crossed]
        lengths = [int(np.prod(shape, dtype=np.int64)) for shape in self.shapes]
        if sum(lengths) >= 1 << 31:
            raise ValueError(
                f"The templates have {sum(lengths):,} combinations; cross fewer attributes or raise min_word_count."
            )
        self.offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
        self.size = sum(lengths)
        self.columns = np.zeros((len(templates), MAX_CROSSED), dtype=np.int32)
        self.strides = np.zeros((len(templates), MAX_CROSSED), dtype=np.int32)
        for row, (columns, shape) in enumerate(zip(self.crossed, self.shapes, strict=True)):
            self.columns[row, : len(columns)] = columns
            self.strides[row, : len(columns)] = np.append(np.cumprod(shape[:0:-1], dtype=np.int64)[::-1], 1)

    def index(self, rows: np.ndarray) -> np.ndarray:
        """Find the place of each candidate's combinations.

        Parameters
        ----------
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.

        Returns
        -------
        ndarray of shape (n_candidates, n_templates)
            Places in the flat table, int32.
        """
        found = np.empty((len(rows), len(self.templates)), dtype=np.int32)
        codes = np.asfortranarray(rows, dtype=np.int32)
        for template, columns in enumerate(self.crossed):
            place = np.full(len(rows), self.offsets[template], dtype=np.int32)
            for column, stride in zip(columns, self.strides[template].tolist(), strict=False):
                place += codes[:, column] * stride
            found[:, template] = place
        return found

    def split(self, places: np.ndarray) -> tuple[np.ndarray, list[tuple[int, ...]]]:
        """Tell template and codes of places in the flat table.

        Parameters
        ----------
        places : ndarray of shape (n,)
            Places.

        Returns
        -------
        templates : ndarray of shape (n,)
            Index of the template.
        codes : list of tuple of int
            One code per crossed attribute.
        """
        templates = np.searchsorted(self.offsets, places, side="right") - 1
        codes = [
            tuple(
                int(code) for code in np.unravel_index(int(place) - int(self.offsets[template]), self.shapes[template])
            )
            for place, template in zip(places, templates, strict=True)
        ]
        return templates, codes


def column_name(columns: Sequence[int], codes: Sequence[int], vocabulary: list[str]) -> str:
    """Name one combination of values.

    Parameters
    ----------
    columns : sequence of int
        Indices into `ATTRIBUTES`.
    codes : sequence of int
        One code each.
    vocabulary : list of str
        The model's words.

    Returns
    -------
    str
        Such as ``"kind=gap & right.word=thanks"``.
    """
    return " & ".join(
        f"{NAMES[column]}={value_name(column, code, vocabulary)}" for column, code in zip(columns, codes, strict=True)
    )


def move_weights(layout: TemplateLayout, weights: np.ndarray, wider: TemplateLayout) -> np.ndarray:
    """Carry a weight table, or one of their evidence, over to a layout with more words.

    Parameters
    ----------
    layout, wider : TemplateLayout
        The same templates; the wider one has new words after the old ones.
    weights : ndarray of shape (layout.size,)
        The table.

    Returns
    -------
    ndarray of shape (wider.size,)
        The old values in their new places; a new word starts with those of the unknown word that it was.
    """
    moved = np.zeros(wider.size, dtype=weights.dtype)
    for shape, offset, wide_shape, wide_offset in zip(
        layout.shapes, layout.offsets.tolist(), wider.shapes, wider.offsets.tolist(), strict=True
    ):
        old = weights[offset : offset + math.prod(shape)].reshape(shape)
        codes = [
            np.where(np.arange(wide) < size, np.arange(wide), 0) for wide, size in zip(wide_shape, shape, strict=True)
        ]
        moved[wide_offset : wide_offset + math.prod(wide_shape)] = old[np.ix_(*codes)].ravel()
    return moved


def shortest_decimals(values: np.ndarray) -> list[float]:
    """Give the shortest decimal numbers that stand for float32 values, so that a loaded model is the saved one exactly.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Numbers, dtype float32.

    Returns
    -------
    list of float
        Each becomes the same float32 again.

    Examples
    --------
    >>> shortest_decimals(np.array([0.1, 1.0], dtype=np.float32))
    [0.1, 1.0]
    """
    return [float(str(value)) for value in np.asarray(values, dtype=np.float32)]


def weights_to_state(layout: TemplateLayout, weights: np.ndarray, evidence: np.ndarray | None = None) -> dict[str, Any]:
    """Give a weight table as plain JSON values, without the zeros.

    Parameters
    ----------
    layout : TemplateLayout
        Where each weight lies.
    weights : ndarray of shape (layout.size,)
        The table.
    evidence : ndarray of shape (layout.size,), optional
        What is known of each weight.

    Returns
    -------
    dict
        The templates; for each one the places of its combinations, counted within the template with the last attribute
        running fastest; their weights, and their evidence where it is known.
    """
    kept = weights != 0 if evidence is None else (weights != 0) | (evidence > 0)
    bounds = [*layout.offsets.tolist(), layout.size]
    slices = [slice(start, end) for start, end in zip(bounds[:-1], bounds[1:], strict=True)]
    places = [np.flatnonzero(kept[part]) for part in slices]
    known = (
        {}
        if evidence is None
        else {"evidence": [evidence[part][found].tolist() for part, found in zip(slices, places, strict=True)]}
    )
    return {
        "templates": list(layout.templates),
        "places": [found.tolist() for found in places],
        "weights": [shortest_decimals(weights[part][found]) for part, found in zip(slices, places, strict=True)],
        **known,
    }


def weights_from_state(state: Mapping[str, Any], n_words: int) -> tuple[TemplateLayout, np.ndarray, np.ndarray | None]:
    """Read what `weights_to_state` gave.

    Parameters
    ----------
    state : mapping
        Plain JSON values.
    n_words : int
        Words in the vocabulary.

    Returns
    -------
    layout : TemplateLayout
        Where each weight lies.
    weights : ndarray of shape (layout.size,)
        The table, float32.
    evidence : ndarray of shape (layout.size,) or None
        What is known of each weight, int8.

    Raises
    ------
    ModelFormatError
        If places and weights do not fit together or the templates.
    """
    layout = TemplateLayout(state["templates"], n_words)
    table = np.zeros(layout.size, dtype=np.float32)
    evidence = np.zeros(layout.size, dtype=np.int8) if "evidence" in state else None
    for template, shape, offset, found, values, known in zip(
        layout.templates,
        layout.shapes,
        layout.offsets.tolist(),
        state["places"],
        state["weights"],
        state.get("evidence", [0] * len(layout.templates)),
        strict=True,
    ):
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused below
            places, weights = np.array(found, dtype=np.int64), np.array(values, dtype=np.float32)
        if places.shape != weights.shape or places.ndim != 1 or not np.isfinite(weights).all():
            raise ModelFormatError(f"The weights of template {template!r} do not fit its combinations.")
        if len(places) and not 0 <= places.min() <= places.max() < np.prod(shape, dtype=np.int64):
            raise ModelFormatError(f"Template {template!r} has combinations out of range.")
        table[offset + places] = weights
        if evidence is not None:
            evidence[offset + places] = np.clip(known, 0, 100)
    return layout, table, evidence
