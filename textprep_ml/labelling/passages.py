"""Long documents in passages: what the page asks for, so that it never holds more than it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from textprep_ml.labelling.scoring import CERTAIN, ScoredText
from textprep_ml.segmentation.attributes import KINDS

#: Characters of a passage, unless a blank line ends it earlier.
LENGTH = 1500

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")

#: Between these probabilities a place is marked as doubtful.
DOUBTFUL = (0.1, 0.9)


def cut_passages(text: str, length: int = LENGTH) -> np.ndarray:
    r"""Cut a text: after blank lines where it can be, else after line breaks, else after blanks, else anywhere.

    Parameters
    ----------
    text : str
        The text.
    length : int
        Most characters of a passage.

    Returns
    -------
    ndarray of shape (n_passages + 1,)
        Where passages start, and the length of the text.

    Examples
    --------
    >>> cut_passages("One.\n\nTwo two.\nThree", 10).tolist()
    [0, 6, 15, 20]
    """
    starts = [0]
    while len(text) - starts[-1] > length:
        start = starts[-1]
        stop = start + length
        blank = None
        for blank in _BLANK_LINES.finditer(text, start, stop):  # noqa: B007  (the last one is wanted)
            pass
        cut = blank.end() if blank else 0
        for mark in "\n ":
            cut = cut if cut > start else text.rfind(mark, start + 1, stop) + 1
        starts.append(cut if cut > start else stop)
    return np.array([*starts, len(text)], dtype=np.int64)


def describe_passage(text: str, start: int, end: int, scored: ScoredText, labels: Mapping[int, bool]) -> dict[str, Any]:
    """Give what the page shows of a passage.

    Parameters
    ----------
    text : str
        The whole text.
    start, end : int
        The passage, in characters.
    scored : ScoredText
        Candidates of the whole text.
    labels : mapping of int to bool
        Labels of the whole text.

    Returns
    -------
    dict
        "start", "end", "text", and "places": where the token before each ends, the kind, the probability, what the
        model decides, and the label. Places of the passage are those whose token before ends in it.
    """
    first, last = np.searchsorted(scored.ends, [start, end], side="right")
    places = [
        [place, KINDS[kind], round(probability, 3), decision, labels.get(place)]
        for place, kind, probability, decision in zip(
            scored.ends[first:last].tolist(),
            scored.kinds[first:last].tolist(),
            scored.probabilities[first:last].tolist(),
            scored.decisions[first:last].tolist(),
            strict=True,
        )
    ]
    known = set(scored.ends[first:last].tolist())
    own = [[place, "own", 0.0, False, label] for place, label in labels.items() if start < place <= end]
    places += [place for place in own if place[0] not in known]
    return {"start": start, "end": end, "text": text[start:end], "places": sorted(places)}


def count_doubtful(scored: ScoredText, labels: Mapping[int, bool]) -> int:
    """Count the doubtful places that have no label.

    Parameters
    ----------
    scored : ScoredText
        Candidates of a text.
    labels : mapping of int to bool
        Its labels.

    Returns
    -------
    int
        How many.
    """
    low, high = DOUBTFUL
    doubtful = (scored.kinds != CERTAIN) & (scored.probabilities > low) & (scored.probabilities < high)
    return sum(end not in labels for end in scored.ends[doubtful].tolist())
