"""What a segmenter knows of words: vocabulary, abbreviations and their classes, usual case, periods after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from textprep_ml import _kernels
from textprep_ml._parallel import batch_stream, cut_documents, map_chunks
from textprep_ml.abbreviations import CLASSES
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import GROUP_OF_CLASS

#: Words longer than this are neither learned nor stored.
MAX_WORD_LENGTH = 30


@dataclass
class WordTable:
    """The words of a model, as plain data.

    Attributes
    ----------
    vocabulary : list of str
        Lower-cased words that are features by themselves; their codes start at 1.
    abbreviations : dict of str to str
        Entry without its final period -> class. A capitalised entry holds for that form only.
    usual : dict of str to int
        Lower-cased word -> code of its usual case.
    raw : dict of str to int
        Lower-cased word -> code of how often a period follows it in raw text.
    """

    vocabulary: list[str] = field(default_factory=list)
    abbreviations: dict[str, str] = field(default_factory=dict)
    usual: dict[str, int] = field(default_factory=dict)
    raw: dict[str, int] = field(default_factory=dict)

    def build_lexicon(self) -> Any:
        """Make the kernel's look-up table.

        Returns
        -------
        Lexicon
            Of the kernel in use.
        """
        classes = class_codes(self.abbreviations)
        words = list(dict.fromkeys([*self.vocabulary, *classes, *self.usual, *self.raw]))
        row_of = dict(zip(words, range(len(words)), strict=True))

        def column(values: Mapping[str, Any], dtype: Any, *shape: int) -> np.ndarray:
            filled = np.zeros((len(words), *shape), dtype=dtype)
            if values:
                filled[[row_of[word] for word in values]] = list(values.values())
            return filled

        numbers = dict(zip(self.vocabulary, range(1, len(self.vocabulary) + 1), strict=True))
        groups = [0, *(GROUP_OF_CLASS[name] for name in CLASSES)]
        return _kernels.load("boundaries").Lexicon(
            words,
            column(numbers, np.uint16),
            column(classes, np.uint8, 2),
            column(self.usual, np.uint8),
            column(self.raw, np.uint8),
            groups,
        )

    def to_state(self) -> dict[str, Any]:
        """Give plain JSON values.

        Returns
        -------
        dict
            What `from_state` reads: words joined by blanks, under their class or code.
        """
        return {
            "vocabulary": " ".join(self.vocabulary),
            "abbreviations": _grouped(self.abbreviations),
            "usual": _grouped(self.usual),
            "raw": _grouped(self.raw),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> WordTable:
        """Read what `to_state` gave.

        Parameters
        ----------
        state : mapping
            Plain JSON values.

        Returns
        -------
        WordTable
            The table.

        Raises
        ------
        ModelFormatError
            If a class is unknown or a code out of range.
        """
        abbreviations = {entry: name for name, entries in state["abbreviations"].items() for entry in entries.split()}
        unknown = set(abbreviations.values()) - set(CLASSES)
        if unknown:
            raise ModelFormatError(f"Unknown abbreviation classes in the model: {', '.join(sorted(unknown))}.")
        return cls(state["vocabulary"].split(), abbreviations, _ungrouped(state["usual"]), _ungrouped(state["raw"]))


def _grouped(values: Mapping[str, Any]) -> dict[str, str]:
    groups: dict[str, list[str]] = {}
    for word, value in values.items():
        groups.setdefault(str(value), []).append(word)
    return {value: " ".join(groups[value]) for value in sorted(groups)}


def _ungrouped(groups: Mapping[str, str]) -> dict[str, int]:
    if not set(groups) <= set("12345"):
        raise ModelFormatError(f"The codes of words in a model are 1 to 5, but it has {', '.join(sorted(groups))}.")
    return {word: int(code) for code, words in groups.items() for word in words.split()}


def class_codes(abbreviations: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Give the class of each lower-cased abbreviation when it is written in lower case, and otherwise.

    Parameters
    ----------
    abbreviations : mapping of str to str
        Entry -> class.

    Returns
    -------
    dict of str to (int, int)
        Codes from 1 in the order of `textprep_ml.abbreviations.CLASSES`; 0 for none. A capitalised entry says nothing
        of its lower-case form (``No`` and ``no``); a user's entry, and a lower-case one, holds for both.
    """
    codes: dict[str, tuple[int, int]] = {}
    for entry, name in abbreviations.items():
        code = CLASSES.index(name) + 1
        lower, upper = codes.get(entry.lower(), (0, 0))
        if name == "user":
            lower = upper = code
        elif entry == entry.lower():
            lower, upper = code, upper or code
        else:
            upper = code
        codes[entry.lower()] = (lower, upper)
    return codes


@dataclass(frozen=True)
class WordCounts:
    """How the words of raw text behave.

    Attributes
    ----------
    words : list of str
        Lower-cased, in the order of their first occurrence.
    table : ndarray of shape (n_words, 5)
        In lower case; capitalised inside a sentence; with a period; with a period before a lower-case word; without a
        period.
    """

    words: list[str]
    table: np.ndarray

    @property
    def totals(self) -> np.ndarray:
        """Occurrences of each word, shape (n_words,)."""
        return self.table[:, 2] + self.table[:, 4]


def count_words(texts: Iterable[str], n_jobs: int | None = None) -> WordCounts:
    """Count how the words of texts behave.

    Parameters
    ----------
    texts : iterable of str
        Raw text; no labels are needed. A stream is taken in chunks, so that memory grows with the words only.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    WordCounts
        One row per distinct word.

    Examples
    --------
    >>> counts = count_words(["He met Dr. Who. Dr. who?"])
    >>> dict(zip(counts.words, counts.table[:, 2].tolist()))["dr"]
    2
    """
    chunks = cut_documents(texts, n_jobs) if isinstance(texts, list) else batch_stream(texts)
    return merge_counts(map_chunks(_count_chunk, chunks, n_jobs))


def _count_chunk(texts: Sequence[str]) -> WordCounts:
    return WordCounts(*_kernels.load("boundaries").count_words(list(texts)))


def merge_counts(parts: Iterable[WordCounts]) -> WordCounts:
    """Add up the counts of parts of a corpus.

    Parameters
    ----------
    parts : iterable of WordCounts
        In the order of the corpus.

    Returns
    -------
    WordCounts
        The words in the order of their first occurrence.
    """
    rows: dict[str, int] = {}
    total = np.zeros((0, 5), dtype=np.int64)
    for part in parts:
        places = [rows.setdefault(word, len(rows)) for word in part.words]
        if len(rows) > len(total):  # room for as many again, so that few merges copy the table
            total = np.concatenate([total, np.zeros((2 * len(rows) - len(total), 5), dtype=np.int64)])
        total[places] += part.table
    return WordCounts(list(rows), total[: len(rows)])


def choose_vocabulary(counts: WordCounts, min_count: int) -> list[str]:
    """Choose the words that become features.

    Parameters
    ----------
    counts : WordCounts
        Of the training documents.
    min_count : int
        Rarer words are left out.

    Returns
    -------
    list of str
        Sorted.
    """
    keep = np.flatnonzero(counts.totals >= min_count)
    return sorted(counts.words[index] for index in keep if _storable(counts.words[index]))


def usual_case(counts: WordCounts, min_count: int) -> dict[str, int]:
    """Learn in which case words usually stand inside sentences.

    Parameters
    ----------
    counts : WordCounts
        Of raw text.
    min_count : int
        Rarer words stay unknown.

    Returns
    -------
    dict of str to int
        1 lower (98 % or more), 2 mostly lower (80 %), 3 mixed (30 %), 4 mostly upper (3 %), 5 upper.
    """
    cased = counts.table[:, 0] + counts.table[:, 1]
    share = (counts.table[:, 0] + 0.5) / (cased + 1)
    codes = 1 + (share <= 0.98).astype(int) + (share <= 0.8) + (share <= 0.3) + (share <= 0.03)
    keep = np.flatnonzero(cased >= min_count)
    return {counts.words[index]: int(codes[index]) for index in keep if _storable(counts.words[index])}


def period_behaviour(counts: WordCounts, min_count: int) -> dict[str, int]:
    """Learn how words and periods go together.

    Parameters
    ----------
    counts : WordCounts
        Of raw text.
    min_count : int
        Words that stand before a period more rarely stay unknown.

    Returns
    -------
    dict of str to int
        1 with a period at ends only, 2 also before lower case, 3 more often than not with a period, 4 nearly always,
        5 nearly always and before lower case: an abbreviation.
    """
    periods = counts.table[:, 2]
    keep = np.flatnonzero(periods >= min_count)
    codes = {}
    for index in keep:
        word = counts.words[index]
        if not _storable(word):
            continue
        always = periods[index] / counts.totals[index]
        inside = counts.table[index, 3] / periods[index]
        codes[word] = (5 if inside > 0.1 else 4) if always > 0.9 else 3 if always > 0.5 else 2 if inside > 0.2 else 1
    return codes


def _storable(word: str) -> bool:
    return len(word) < MAX_WORD_LENGTH and len(word.split()) == 1
