"""What the tagger sees of a token, and how that becomes rows of a table of weights.

Each word has *attributes*, which depend on the word alone:

======== ==================================================================================================
word     lower case, digits as 0
form     as written
suffix1… the last 1 to 5 characters of `word`, where it is longer
prefix1… the first 1 to 4 characters of `word`, where it is longer
shape    X for a capital, x for other letters, d for a digit, marks as they are; runs shortened to one; cut at 6
class    the word's class in `word_classes`, where there are such
======== ==================================================================================================

A *template* is an attribute of the token (offset 0) or of a neighbour (-2 to +2); its values, such as "the word before
is *to*", are the features. *Crossed* templates join a value with the tag before; two more features are the words on
either side joined with the token's own; and one is the pair of the two tags before. Beyond the ends of a sentence
stands a word of its own. A value too rare for weights of its own says nothing: it has the empty rows at the start of
the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from textprep_ml._kernels import load
from textprep_ml._unicode_table import DIGIT, LETTER, UPPER, class_of

_kernel = load("tagging")

#: The value of an attribute that has no weights.
OTHER = "*"
#: The word beyond both ends of a sentence.
BOUNDARY = "</s>"

_SUFFIXES = (1, 2, 3, 4, 5)
_PREFIXES = (1, 2, 3, 4)
_LONGEST_SHAPE = 6
_LONGEST_LENGTH = 8

#: Words whose attributes a table remembers; then it starts anew.
_REMEMBERED = 1 << 16

SLOTS = (
    "word",
    "form",
    *(f"suffix{n}" for n in _SUFFIXES),
    *(f"prefix{n}" for n in _PREFIXES),
    "shape",
    "length",
    "class",
)

#: (attribute, offset) of the features that do not look at tags.
TEMPLATES = (
    *((slot, 0) for slot in SLOTS),
    *((slot, offset) for offset in (-1, 1) for slot in ("word", "suffix3", "shape", "class")),
    *((slot, offset) for offset in (-2, 2) for slot in ("word", "class")),
)
#: (attribute, offset) of the features that are joined with the tag before.
CROSSED = (("word", 0), ("word", 1), ("shape", 0))
#: Offsets of the two words that are joined.
PAIRS = ((-1, 0), (0, 1))


def normalize_word(word: str) -> str:
    """Give a word in lower case with its digits as 0.

    Parameters
    ----------
    word : str
        A token.

    Returns
    -------
    str
        What word features and `word_classes` know it by.
    """
    return "".join(["0" if class_of(char) & DIGIT else char for char in word.lower()])


def shape_of(word: str) -> str:
    """Describe how a word is written.

    Parameters
    ----------
    word : str
        A token.

    Returns
    -------
    str
        Such as ``Xx`` for *The*, ``d.d`` for *3.50*.
    """
    shape = ""
    for char in word:
        bits = class_of(char)
        kind = "X" if bits & UPPER else "x" if bits & LETTER else "d" if bits & DIGIT else char
        if not shape.endswith(kind):
            shape += kind
            if len(shape) == _LONGEST_SHAPE:
                break
    return shape


def word_attributes(form: str, word_classes: Mapping[str, str] | None = None) -> list[str]:
    """Give the attributes of a word in the order of `SLOTS`.

    Parameters
    ----------
    form : str
        A token as written.
    word_classes : mapping, optional
        Normalized words to the names of their classes.

    Returns
    -------
    list of str
        One value per slot; ``*`` where it has none.
    """
    word = normalize_word(form)
    suffixes = [word[-n:] if len(word) > n else OTHER for n in _SUFFIXES]
    prefixes = [word[:n] if len(word) > n else OTHER for n in _PREFIXES]
    word_class = OTHER if word_classes is None else word_classes.get(word, OTHER)
    length = str(min(len(word), _LONGEST_LENGTH))
    return [word, form, *suffixes, *prefixes, shape_of(form), length, word_class]


class Rows(NamedTuple):
    """The features of tokens as rows of the table of weights.

    Attributes
    ----------
    static : ndarray of shape (n_tokens, n_static), int32
        Rows of the features without tags.
    crossed : ndarray of shape (n_tokens, n_crossed), int32
        Rows of the crossed features, to which the number of the tag before is added.
    fixed : ndarray of shape (n_tokens,), int32
        Tags from the dictionary, -1 where a token has to be scored.
    starts : ndarray of shape (n_sentences + 1,), int32
        Where the sentences begin, and the number of tokens.
    """

    static: np.ndarray
    crossed: np.ndarray
    fixed: np.ndarray
    starts: np.ndarray


def _columns(bases: Mapping[tuple[str, int], int]) -> np.ndarray:
    """Give templates to the kernel: offset, slot and first row of each."""
    return np.array([(offset, SLOTS.index(slot), base) for (slot, offset), base in bases.items()], dtype=np.int32)


class _Words(dict[str, int]):
    """Remembers the attributes of words that have been met; 0 is the word beyond the ends of a sentence."""

    def __init__(self, table: FeatureTable) -> None:
        super().__init__()
        self._table = table
        self._lock = Lock()
        self.attributes = np.zeros((256, len(SLOTS)), dtype=np.int32)
        self.fixed = np.full(256, -1, dtype=np.int32)
        self.attributes[0, 0] = table.values["word"][BOUNDARY]

    def __missing__(self, form: str) -> int:
        with self._lock:
            number = self.get(form)
            if number is not None:  # another thread was faster
                return number
            number = len(self) + 1
            if number == len(self.fixed):
                self.attributes = np.concatenate((self.attributes, np.zeros_like(self.attributes)))
                self.fixed = np.concatenate((self.fixed, np.full_like(self.fixed, -1)))
            self.attributes[number] = self._table.attribute_numbers(form)
            tag = self._table.dictionary.get(form)
            self.fixed[number] = -1 if tag is None else self._table.tag_numbers[tag]
            self[form] = number
            return number


@dataclass
class FeatureTable:
    """Numbers the values of all templates; a value's number in a template is a row of the table of weights.

    Attributes
    ----------
    tags : list of str
        The tags, in the order of the columns of the table.
    dictionary : dict
        Forms that have one tag only, which is not scored.
    values : dict of str to dict
        For each slot its values and their numbers, from 1.
    pairs : list
        Joined words by their numbers, sorted.
    word_classes : dict or None
        Normalized words to the names of their classes.
    """

    tags: list[str]
    dictionary: dict[str, str]
    values: dict[str, dict[str, int]]
    pairs: list[tuple[int, int]]
    word_classes: dict[str, str] | None
    bases: dict[tuple[str, int], int] = field(init=False)
    crossed_bases: dict[tuple[str, int], int] = field(init=False)
    joined_bases: list[int] = field(init=False)
    pair_base: int = field(init=False)
    n_rows: int = field(init=False)

    def __post_init__(self) -> None:
        end = len(self.tags) + 1  # the empty rows, one for each tag before
        self.bases, self.crossed_bases, self.joined_bases = {}, {}, []
        for slot, offset in TEMPLATES:
            self.bases[slot, offset] = end
            end += len(self.values[slot])
        for slot, offset in CROSSED:
            self.crossed_bases[slot, offset] = end
            end += len(self.values[slot]) * (len(self.tags) + 1)
        for _ in PAIRS:
            self.joined_bases.append(end)
            end += len(self.pairs)
        self.pair_base = end
        self.n_rows = end + (len(self.tags) + 1) ** 2
        self.tag_numbers = {tag: number for number, tag in enumerate(self.tags)}
        self._templates = _columns(self.bases), _columns(self.crossed_bases)
        self._joined = np.array(
            [(*offsets, base) for offsets, base in zip(PAIRS, self.joined_bases, strict=True)], dtype=np.int32
        )
        self._pair_keys = np.array([left << 32 | right for left, right in self.pairs], dtype=np.int64)
        self._words = _Words(self)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_words"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._words = _Words(self)

    @classmethod
    def learn(
        cls,
        sentences: Sequence[Sequence[str]],
        tags: list[str],
        dictionary: dict[str, str],
        word_classes: dict[str, str] | None,
        min_frequency: int,
    ) -> FeatureTable:
        """Collect the values and pairs that occur often enough.

        Parameters
        ----------
        sentences : sequence of sequences of str
            The tokens to learn from.
        tags : list of str
            All tags.
        dictionary : dict
            Forms that have one tag only.
        word_classes : dict or None
            Normalized words to the names of their classes.
        min_frequency : int
            Occurrences that a value or pair needs.

        Returns
        -------
        FeatureTable
            The table.
        """
        forms = Counter(form for sentence in sentences for form in sentence)
        counts: list[Counter[str]] = [Counter() for _ in SLOTS]
        words = {}
        for form, count in forms.items():
            attributes = word_attributes(form, word_classes)
            words[form] = attributes[0]
            for counter, value in zip(counts, attributes, strict=True):
                counter[value] += count
        values = {}
        for slot, counter in zip(SLOTS, counts, strict=True):
            frequent = sorted(value for value, count in counter.items() if count >= min_frequency and value != OTHER)
            if slot == "word":
                frequent = [BOUNDARY, *(value for value in frequent if value != BOUNDARY)]
            values[slot] = {value: number for number, value in enumerate(frequent, start=1)}
        numbers = values["word"]
        joined: Counter[tuple[int, int]] = Counter()
        for sentence in sentences:
            known = [numbers.get(words[form], 0) for form in sentence]
            joined.update(pair for pair in zip(known[:-1], known[1:], strict=True) if all(pair))
        pairs = sorted(pair for pair, count in joined.items() if count >= min_frequency)
        return cls(tags, dictionary, values, pairs, word_classes)

    def attribute_numbers(self, form: str) -> list[int]:
        """Give the numbers of a word's attributes.

        Parameters
        ----------
        form : str
            A token as written.

        Returns
        -------
        list of int
            One per slot; 0 where a value is unknown.
        """
        attributes = word_attributes(form, self.word_classes)
        return [self.values[slot].get(value, 0) for slot, value in zip(SLOTS, attributes, strict=True)]

    def rows(self, sentences: Sequence[Sequence[str]]) -> Rows:
        """Turn sentences into rows.

        Parameters
        ----------
        sentences : sequence of sequences of str
            Tokens.

        Returns
        -------
        Rows
            The features.
        """
        if len(self._words) > _REMEMBERED:
            self._words = _Words(self)
        words = self._words  # other threads may exchange it
        numbers = np.array([words[form] for sentence in sentences for form in sentence], dtype=np.int32)
        starts = np.array([0, *accumulate(map(len, sentences))], dtype=np.int32)
        static, crossed = self._templates
        rows = Rows(
            np.empty((len(numbers), len(static) + len(self._joined)), dtype=np.int32),
            np.empty((len(numbers), len(crossed)), dtype=np.int32),
            words.fixed[numbers],
            starts,
        )
        _kernel.fill_rows(
            words.attributes,
            numbers,
            starts,
            static,
            crossed,
            self._joined,
            self._pair_keys,
            len(self.tags) + 1,
            rows.static,
            rows.crossed,
        )
        return rows
