"""Which places are worth a label: those that the segmenter is unsure of, of every kind, and no two alike.

Uncertainty alone would choose one phenomenon over and over (Settles 2009, Active Learning Literature Survey, section
5.1). So what has been chosen makes what resembles it less welcome, and near duplicates are left out altogether.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textprep_ml.labelling.scoring import CERTAIN, ScoredText, check_segmenter, score_text
from textprep_ml.segmentation.attributes import KINDS

#: How many candidates of each kind are kept in memory for one that is wanted.
_POOL = 20

#: Log odds that one chosen candidate costs the next one with the same word before it, or after it, and in its document.
_SAME_WORD = 0.5
_SAME_DOCUMENT = 0.02

#: Beyond this margin a candidate is not doubtful: its kind then leaves its turns to the others.
_DOUBTFUL = 4.0

_SHOWN = 80
_NEAR = 40
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class _Candidate:
    """A place, with what it is compared by."""

    document: int
    end: int
    start: int
    kind: int
    margin: float
    probability: float
    is_boundary: bool
    left: str
    right: str

    def signature(self) -> tuple[str, ...]:
        """Give the two words on each side, without what differs between instances of one pattern."""
        left, right = _words(self.left[-_NEAR:]), _words(self.right[:_NEAR])
        return *(left[-2:] or ("",)), "|", *(right[:2] or ("",))

    def neighbours(self) -> tuple[tuple[str, str], tuple[str, str]]:
        left, right = _words(self.left[-_NEAR:]), _words(self.right[:_NEAR])
        return ("left", left[-1] if left else ""), ("right", right[0] if right else "")


#: Kind -> heap of its least sure candidates; what stands before each makes the heap give the surest away.
_Pools = dict[int, list[tuple[float, int, int, _Candidate]]]


def _words(context: str) -> list[str]:
    return _DIGITS.sub("0", context.lower()).split()


def suggest(
    segmenter: Any,
    documents: Iterable[str],
    n: int = 200,
    *,
    ids: Iterable[str] | None = None,
    labelled: Mapping[int, Collection[int]] | None = None,
) -> list[dict[str, Any]]:
    """Choose the places whose labels would teach a segmenter most.

    The kinds of candidate take turns, as long as they have doubtful ones. Of each kind the one is taken that the
    segmenter is least sure of; those that share a word or the document with what has been chosen wait, and those with
    the same two words on both sides are left out. Documents are read one after another, and the number of candidates
    kept is proportional to `n`, so memory does not grow with the amount of text.

    Parameters
    ----------
    segmenter : SentenceSegmenter
        Fitted.
    documents : iterable of str
        Raw documents.
    n : int, default=200
        How many places.
    ids : iterable of str, optional
        Names of the documents, one for each; by default their numbers, from 0.
    labelled : mapping of int to collection of int, optional
        Number of a document -> places that need no label: where the token before each of them ends.

    Returns
    -------
    list of dict
        The most useful first; less than `n` where there are no more. Each has "id" and "document" (its number), "end"
        (where the token before ends), "start" (where the token after starts), "kind", "probability", "is_boundary"
        (what the segmenter says), and "left" and "right", the text around.

    Raises
    ------
    TypeError
        If the segmenter has no probabilities, or a document is no string.
    ValueError
        If `n` is not positive.

    Examples
    --------
    >>> from textprep_ml import SentenceSegmenter
    >>> from textprep_ml.labelling import suggest
    >>> english = SentenceSegmenter.load("en")
    >>> raw = ["We met Dr. Ito at St. Mary. It rained. We saw fig. 3. It cost 3.50 approx. They left."]
    >>> places = suggest(english, raw, n=2)
    >>> sorted(places[0])
    ['document', 'end', 'id', 'is_boundary', 'kind', 'left', 'probability', 'right', 'start']
    >>> [place["kind"] for place in places]
    ['mark', 'mark']
    """
    check_segmenter(segmenter, "suggest")
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"suggest expects n to be a positive number of places, got {n!r}.")
    if isinstance(documents, str):
        raise TypeError("suggest expects a sequence of documents, but got one str. Pass [text] instead of text.")
    pools: _Pools = {}
    names: list[str] = []
    known = {} if labelled is None else labelled  # may be filled while the documents are read
    given = None if ids is None else iter(ids)
    for number, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(f"suggest expects str documents, but document {number} is {type(text).__name__}.")
        names.append(str(number) if given is None else str(next(given)))
        text = str(text)
        _collect(score_text(segmenter, text), text, number, known.get(number, ()), _POOL * n, pools)
    return [_as_row(candidate, names[candidate.document]) for candidate in _choose(pools, n)]


def suggest_scored(
    documents: Sequence[Mapping[str, Any]],
    scored: Sequence[ScoredText],
    n: int,
    labelled: Mapping[int, Collection[int]],
) -> list[dict[str, Any]]:
    """Choose as `suggest` does, where the candidates have been scored already.

    Parameters
    ----------
    documents : sequence of mapping
        With "id" and "text".
    scored : sequence of ScoredText
        The candidates of each.
    n : int
        How many places.
    labelled : mapping of int to collection of int
        As for `suggest`.

    Returns
    -------
    list of dict
        As `suggest` gives them.
    """
    pools: _Pools = {}
    for number, (row, candidates) in enumerate(zip(documents, scored, strict=True)):
        _collect(candidates, row["text"], number, labelled.get(number, ()), _POOL * n, pools)
    return [_as_row(candidate, documents[candidate.document]["id"]) for candidate in _choose(pools, n)]


def _collect(scored: ScoredText, text: str, number: int, labelled: Collection[int], limit: int, pools: _Pools) -> None:
    """Put the least sure candidates of a document into the pools of their kinds, which keep `limit` each."""
    margins = np.abs(scored.margins)
    open_ = scored.kinds != CERTAIN
    if len(labelled):
        open_ &= ~np.isin(scored.ends, np.fromiter(labelled, dtype=np.int64, count=len(labelled)))
    for kind in np.unique(scored.kinds[open_]).tolist():
        pool = pools.setdefault(kind, [])
        found = np.flatnonzero(open_ & (scored.kinds == kind))
        for index in found[np.argsort(margins[found], kind="stable")[:limit]].tolist():
            # Negative, since a heap gives its smallest item away; the place makes the order of equals certain.
            key = (-float(margins[index]), -number, -int(scored.ends[index]))
            if len(pool) == limit and key < pool[0][:3]:
                break
            end, start = int(scored.ends[index]), int(scored.starts[index])
            candidate = _Candidate(
                number,
                end,
                start,
                kind,
                float(margins[index]),
                float(scored.probabilities[index]),
                bool(scored.decisions[index]),
                text[max(0, end - _SHOWN) : end],
                text[start : start + _SHOWN],
            )
            (heapq.heappush if len(pool) < limit else heapq.heapreplace)(pool, (*key, candidate))


def _choose(pools: _Pools, n: int) -> list[_Candidate]:
    """Let the kinds take turns, first with their doubtful candidates, then with the rest."""
    seen: Counter[Any] = Counter()
    signatures: set[tuple[str, ...]] = set()
    queues = {
        kind: [(candidate.margin, candidate.document, candidate.end, candidate) for *_, candidate in pools[kind]]
        for kind in sorted(pools)
    }
    for queue in queues.values():
        heapq.heapify(queue)
    chosen: list[_Candidate] = []
    for limit in (_DOUBTFUL, np.inf):
        active = list(queues)
        while active and len(chosen) < n:
            for kind in list(active):
                candidate = _take(queues[kind], seen, signatures, limit)
                if candidate is None:
                    active.remove(kind)
                elif len(chosen) < n:
                    chosen.append(candidate)
    return chosen


def _take(
    queue: list[tuple[float, int, int, _Candidate]], seen: Counter[Any], signatures: set[tuple[str, ...]], limit: float
) -> _Candidate | None:
    """Take the best candidate, all considered; costs only grow, so one that is still the smallest is the best."""
    while queue:
        candidate = queue[0][3]
        signature = candidate.signature()
        if signature in signatures:
            heapq.heappop(queue)
            continue
        alike = sum(seen[neighbour] for neighbour in candidate.neighbours())
        cost = candidate.margin + _SAME_WORD * alike + _SAME_DOCUMENT * seen[candidate.document]
        if cost > queue[0][0]:
            heapq.heapreplace(queue, (cost, *queue[0][1:]))
            continue
        if candidate.margin > limit:
            return None
        heapq.heappop(queue)
        signatures.add(signature)
        seen.update([*candidate.neighbours(), candidate.document])
        return candidate
    return None


def _as_row(candidate: _Candidate, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "document": candidate.document,
        "end": candidate.end,
        "start": candidate.start,
        "kind": KINDS[candidate.kind],
        "probability": round(candidate.probability, 4),
        "is_boundary": candidate.is_boundary,
        "left": candidate.left,
        "right": candidate.right,
    }
