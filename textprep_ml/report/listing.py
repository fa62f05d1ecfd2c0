"""Every error by itself: where it is, what was predicted, how sure the model was, and why."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from textprep_ml.metrics import boundary_errors
from textprep_ml.metrics.tokens import cut_kind
from textprep_ml.report.candidates import CERTAIN, Candidates, explain_places
from textprep_ml.report.curves import sigmoid
from textprep_ml.segmentation.attributes import KINDS

#: Characters of raw text to either side of a wrong boundary, and of a wrong cut.
CONTEXT = 120
_NARROW = 60


def list_boundary_errors(
    texts: Sequence[str],
    y_true: Any,
    y_pred: Any,
    *,
    baseline: Any = None,
    segmenter: Any = None,
    candidates: Candidates | None = None,
) -> list[dict[str, Any]]:
    """List the wrong boundaries of a segmenter in the order of the text.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document: the right ones, and those that were found.
    baseline : sequence of sequences of (int, int), optional
        What another system found.
    segmenter : SentenceSegmenter, optional
        The one that found `y_pred`, to ask for its reasons.
    candidates : Candidates, optional
        Its candidates, for the probabilities.

    Returns
    -------
    list of dict
        "document" (index), "position" (where the sentence ends, in characters), "type" (``"false positive"`` or
        ``"miss"``), "kind" (one of `textprep_ml.metrics.ERROR_KINDS`), "before" and "after" (raw text). With a baseline
        "baseline_is_right". With candidates "candidate" (its kind, None where there is none), "probability" (of a
        boundary), "confidence" (the probability of the wrong decision), "decided_by" (``"model"``, ``"blank line"``,
        ``"policy"`` or ``"no candidate"``) and "reasons" (pairs of a name and the log odds that it adds).

    Examples
    --------
    >>> [error] = list_boundary_errors(["Dr. No left."], [[(0, 12)]], [[(0, 3), (4, 12)]])
    >>> error["type"], error["kind"], error["before"], error["after"]
    ('false positive', 'abbreviation', 'Dr.', ' No left.')
    """
    rows = boundary_errors(texts, y_true, y_pred, n_examples=sys.maxsize, context=CONTEXT)
    errors = [{**example, "kind": row["kind"]} for row in rows for example in row["examples"]]
    errors.sort(key=lambda error: (error["document"], error["position"]))
    if baseline is not None:
        _compare(errors, baseline)
    if candidates is not None:
        _add_probabilities(errors, candidates)
        _add_reasons(errors, texts, segmenter)
    return errors


def _compare(errors: Iterable[dict[str, Any]], baseline: Any) -> None:
    ends = [{int(end) for _, end in spans[:-1]} for spans in baseline]
    for error in errors:
        says_boundary = error["position"] in ends[error["document"]]
        error["baseline_is_right"] = says_boundary == (error["type"] == "miss")


def _add_probabilities(errors: Iterable[dict[str, Any]], candidates: Candidates) -> None:
    for error in errors:
        index = candidates.find(error["document"], error["position"])
        says_boundary = error["type"] == "false positive"
        if index is None:
            decided_by = "policy" if says_boundary else "no candidate"
            error |= {"candidate": None, "probability": None, "confidence": None, "decided_by": decided_by}
            continue
        probability = float(sigmoid(candidates.scores[index]))
        error |= {
            "candidate": KINDS[candidates.kinds[index]],
            "probability": probability,
            "confidence": probability if says_boundary else 1 - probability,
            "decided_by": _decider(candidates, index, says_boundary),
        }


def _decider(candidates: Candidates, index: int, says_boundary: bool) -> str:
    if candidates.kinds[index] == CERTAIN:
        return "blank line" if says_boundary else "policy"
    return "model" if bool(candidates.decisions[index]) == says_boundary else "policy"


def _add_reasons(errors: Iterable[dict[str, Any]], texts: Sequence[str], segmenter: Any) -> None:
    by_document: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for error in errors:
        error["reasons"] = []
        if error["candidate"] is not None:
            by_document[error["document"]].append(error)
    for document, part in by_document.items():
        explained = explain_places(segmenter, texts[document], [error["position"] for error in part])
        for error in part:
            error["reasons"] = [list(reason) for reason in explained[error["position"]].reasons]


def list_token_errors(texts: Sequence[str], y_true: Any, y_pred: Any, *, baseline: Any = None) -> list[dict[str, Any]]:
    """List the wrong cuts of a tokenizer in the order of the text.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y_true, y_pred : sequence of sequences of (int, int)
        Token spans of each document: the right ones, and those that were found.
    baseline : sequence of sequences of (int, int), optional
        What another tokenizer found.

    Returns
    -------
    list of dict
        "document", "position" (the cut stands before this character), "type", "kind" (see
        `textprep_ml.metrics.tokens.cut_kind`), "before" and "after" as in `list_boundary_errors`, "expected" and
        "found" (the tokens around the cut), and with a baseline "baseline_is_right".

    Examples
    --------
    >>> [error] = list_token_errors(["It's"], [[(0, 2), (2, 4)]], [[(0, 4)]])
    >>> error["type"], error["kind"], error["expected"], error["found"]
    ('miss', 'contraction', ['It', "'s"], ["It's"])
    """
    errors = []
    for document, (text, *spans) in enumerate(zip(texts, y_true, y_pred, strict=True)):
        expected, found = (_Tokens(part) for part in spans)
        other = None if baseline is None else _Tokens(baseline[document]).edges
        for position in sorted(expected.edges ^ found.edges):
            lows, highs = zip(expected.reach(position), found.reach(position), strict=True)
            stretch = min(lows), max(highs)
            error = {
                "document": document,
                "position": position,
                "type": "miss" if position in expected.edges else "false positive",
                "kind": cut_kind(text, position),
                "before": text[max(0, position - _NARROW) : position],
                "after": text[position : position + _NARROW],
                "expected": expected.inside(text, *stretch),
                "found": found.inside(text, *stretch),
            }
            if other is not None:
                error["baseline_is_right"] = (position in other) == (position in expected.edges)
            errors.append(error)
    return errors


class _Tokens:
    """The tokens of one document, to be looked up by place."""

    def __init__(self, spans: Any) -> None:
        distinct = sorted({(int(start), int(end)) for start, end in spans})
        self.starts, self.ends = [start for start, _ in distinct], [end for _, end in distinct]
        self.edges = {*self.starts, *self.ends}

    def _slice(self, low: int, high: int) -> slice:
        return slice(bisect_right(self.ends, low), bisect_left(self.starts, high))

    def reach(self, position: int) -> tuple[int, int]:
        """Give the stretch of the tokens that meet at a place, or of the one that covers it."""
        met = self._slice(position - 1, position + 1)
        return min([position, *self.starts[met]]), max([position, *self.ends[met]])

    def inside(self, text: str, low: int, high: int) -> list[str]:
        """Give the tokens in a stretch."""
        part = self._slice(low, high)
        return [text[start:end] for start, end in zip(self.starts[part], self.ends[part], strict=True)]
