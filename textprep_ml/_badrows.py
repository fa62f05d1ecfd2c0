"""Rows that cannot be used: refused with their place, or counted, so that nothing is lost silently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from textprep_ml.exceptions import CorpusFormatError

#: What to do with a row that is null, not text, not UTF-8, or that a model refuses: stop; leave it out; keep its place
#: without a result.
POLICIES = ("raise", "skip", "null")

#: So many bad rows are told one by one.
_SHOWN = 10


@dataclass
class BadRows:
    """What became of the rows of a corpus.

    Attributes
    ----------
    policy : {"raise", "skip", "null"}
        What is done with a bad row.
    n_rows : int
        Rows seen, bad ones included.
    n_bad : int
        Bad rows among them.
    messages : list of str
        Place and fault of the first of them.
    """

    policy: str = "raise"
    n_rows: int = 0
    n_bad: int = 0
    messages: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ValueError(f"on_error is {self.policy!r}; expected one of {', '.join(POLICIES)}.")

    def refuse(self, message: str) -> None:
        """Take note of a bad row.

        Parameters
        ----------
        message : str
            Its place, and what is wrong with it.

        Raises
        ------
        CorpusFormatError
            If bad rows are errors.
        """
        if self.policy == "raise":
            raise CorpusFormatError(message)
        self.n_bad += 1
        if len(self.messages) < _SHOWN:
            self.messages.append(message)

    def add(self, other: BadRows) -> None:
        """Add what was found in another part of the corpus.

        Parameters
        ----------
        other : BadRows
            Of that part.
        """
        self.n_rows += other.n_rows
        self.n_bad += other.n_bad
        self.messages += other.messages[: _SHOWN - len(self.messages)]

    def report(self) -> list[str]:
        """Tell what was left out.

        Returns
        -------
        list of str
            Lines: the count, the first bad rows, and how many more there are; none where all was well.
        """
        if not self.n_bad:
            return []
        fate = "skipped" if self.policy == "skip" else "kept without a result"
        lines = [f"{self.n_bad} of {self.n_rows} rows were bad and {fate}:", *self.messages]
        more = self.n_bad - len(self.messages)
        return [*lines, f"and {more} more."] if more else lines


def apply_to_rows(
    function: Callable[[list[str]], list[Any]], texts: list[str], refuse: Callable[[int, str], None]
) -> list[Any]:
    """Apply a function to many texts at once; where it refuses them, to each alone, to find out which ones are bad.

    Parameters
    ----------
    function : callable
        Gives one result per text.
    texts : list of str
        Texts.
    refuse : callable
        Called with the number of each bad text and what is wrong with it.

    Returns
    -------
    list
        One result per text; None for a bad one.
    """
    try:
        return function(texts)
    except (ValueError, TypeError):
        results: list[Any] = []
        for number, text in enumerate(texts):
            try:
                results += function([text])
            except (ValueError, TypeError) as error:
                refuse(number, " ".join(str(error).split()))
                results.append(None)
        return results
