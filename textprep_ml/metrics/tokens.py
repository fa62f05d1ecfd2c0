"""Measures of word tokenizers: the token scores of the CoNLL 2018 shared task, and the wrong cuts by kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textprep_ml.metrics._packed import Ints
from textprep_ml.metrics.boundaries import span_scores
from textprep_ml.metrics.offsets import drop_white_space

_APOSTROPHES = "'’ʼ`"
_HYPHENS = "-‐‑–"


def token_scores(texts: Sequence[str], y_true: Any, y_pred: Any) -> dict[str, float | int]:
    """Compare tokens by their spans, white space left out.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y_true, y_pred : sequence of sequences of (int, int)
        Token spans of each document. A span that comes twice in a row, as for the words of a multiword token (*du* =
        *de* + *le*), counts once.

    Returns
    -------
    dict
        What `span_scores` gives: precision, recall, F1 and the counts, over all documents.

    References
    ----------
    Zeman et al., "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies", CoNLL 2018.

    Examples
    --------
    >>> scores = token_scores(["It's so"], [[(0, 2), (2, 4), (5, 7)]], [[(0, 4), (5, 7)]])
    >>> round(scores["f1"], 2)
    0.4
    """
    true, pred = ([_distinct(spans) for spans in y] for y in (y_true, y_pred))
    return span_scores(drop_white_space(texts, true), drop_white_space(texts, pred))


def token_counts(texts: Sequence[str], y_true: Any, y_pred: Any) -> Ints:
    """Count the tokens of each document, white space left out.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y_true, y_pred : sequence of sequences of (int, int)
        Token spans of each document, as in `token_scores`.

    Returns
    -------
    ndarray of shape (n_documents, 3)
        Columns: tokens found rightly, tokens in `y_true`, tokens in `y_pred`.

    Examples
    --------
    >>> token_counts(["It's so"], [[(0, 2), (2, 4), (5, 7)]], [[(0, 4), (5, 7)]])
    array([[1, 3, 2]])
    """
    rows = [token_scores([text], [true], [pred]) for text, true, pred in zip(texts, y_true, y_pred, strict=True)]
    counts = [[row[name] for name in ("n_correct", "n_true", "n_pred")] for row in rows]
    return np.array(counts, dtype=np.int64).reshape(-1, 3)


def _distinct(spans: Any) -> list[tuple[int, int]]:
    return list(dict.fromkeys((int(start), int(end)) for start, end in spans))


def cut_kind(text: str, position: int) -> str:
    """Say what a cut inside a run of characters without blanks is about.

    Parameters
    ----------
    text : str
        The document.
    position : int
        The cut stands before this character.

    Returns
    -------
    str
        ``"contraction"``, ``"hyphen"``, ``"period"``, ``"number"``, ``"marks"``, ``"word"`` or ``"other"``.

    Examples
    --------
    >>> cut_kind("it's", 2), cut_kind("well-known", 4), cut_kind("etc.", 3), cut_kind("5pm", 1), cut_kind("dont", 2)
    ('contraction', 'hyphen', 'period', 'number', 'word')
    """
    before, after = text[position - 1 : position], text[position : position + 1]
    if any(char in _APOSTROPHES for char in text[max(0, position - 1) : position + 2]):
        return "contraction"
    if before in _HYPHENS or after in _HYPHENS:
        return "hyphen"
    if "." in (before, after) and (before.isalnum() or after.isalnum()):
        return "period"
    if before.isdigit() or after.isdigit():
        return "number"
    if before.isalpha() and after.isalpha():
        return "word"
    return "other" if before.isalnum() or after.isalnum() else "marks"


def token_errors(
    texts: Sequence[str], y_true: Any, y_pred: Any, *, n_examples: int = 5, context: int = 20
) -> list[dict[str, Any]]:
    """Sort the wrong cuts of a tokenizer by kind.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y_true, y_pred : sequence of sequences of (int, int)
        Token spans of each document.
    n_examples : int
        At most so many examples for each kind.
    context : int
        Characters to either side of an example.

    Returns
    -------
    list of dict
        One for each kind that occurs, the most frequent first: "kind", "false_positives" (cuts too many), "misses"
        (cuts too few) and "examples", texts in which ``¦`` stands for the wrong cut.

    Examples
    --------
    >>> token_errors(["a well-known"], [[(0, 1), (2, 6), (6, 7), (7, 12)]], [[(0, 1), (2, 12)]])
    [{'kind': 'hyphen', 'false_positives': 0, 'misses': 2, 'examples': ['a well¦-known', 'a well-¦known']}]
    """
    rows: dict[str, dict[str, Any]] = {}
    for text, true, pred in zip(texts, y_true, y_pred, strict=True):
        expected, found = _edges(true), _edges(pred)
        for position in sorted(expected ^ found):
            kind = cut_kind(text, position)
            row = rows.setdefault(kind, {"kind": kind, "false_positives": 0, "misses": 0, "examples": []})
            row["misses" if position in expected else "false_positives"] += 1
            if len(row["examples"]) < n_examples:
                row["examples"].append(
                    f"{text[max(0, position - context) : position]}¦{text[position : position + context]}"
                )
    return sorted(rows.values(), key=lambda row: -row["false_positives"] - row["misses"])


def _edges(spans: Any) -> set[int]:
    return {int(edge) for span in spans for edge in span}
