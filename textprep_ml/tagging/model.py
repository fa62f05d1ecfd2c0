"""A fitted tagger: the table of features with integer weights, as arrays for use and as plain JSON values to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from textprep_ml._kernels import load
from textprep_ml._validation import shorten
from textprep_ml.tagging.features import BOUNDARY, CROSSED, PAIRS, SLOTS, TEMPLATES, FeatureTable

_kernel = load("tagging")

#: A sum of about thirty weights must stay inside 32 bits.
LARGEST_WEIGHT = 1_000_000

_LANES = 4  # columns are padded to a multiple of this, so that compilers add whole vectors


def empty_weights(table: FeatureTable, dtype: Any = np.int32) -> np.ndarray:
    """Make a table of weights.

    Parameters
    ----------
    table : FeatureTable
        Gives the rows and the tags.
    dtype : dtype, default=int32
        Of the weights.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Zeros; the columns beyond the tags stay zero.
    """
    return np.zeros((table.n_rows, -(-len(table.tags) // _LANES) * _LANES), dtype=dtype)


@dataclass
class TaggerModel:
    """A table of features and its weights.

    Attributes
    ----------
    table : FeatureTable
        The features.
    weights : ndarray of shape (n_rows, n_columns), int32
        One column per tag, in the order of ``table.tags``, and padding.
    """

    table: FeatureTable
    weights: np.ndarray

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Tag sentences greedily from left to right.

        Parameters
        ----------
        sentences : sequence of sequences of str
            Tokens.

        Returns
        -------
        list of list of str
            One tag per token.
        """
        rows = self.table.rows(sentences)
        out = np.empty(len(rows.fixed), dtype=np.int32)
        _kernel.decode(*rows, self.table.pair_base, self.weights, len(self.table.tags), out)
        names = [*map(self.table.tags.__getitem__, out.tolist())]
        starts = rows.starts.tolist()
        return [names[first:last] for first, last in zip(starts[:-1], starts[1:], strict=True)]

    def to_state(self) -> dict[str, Any]:
        """Give plain JSON values.

        Returns
        -------
        dict
            "tags"; "dictionary", forms by their one tag; "word_classes", words by class; and "features": for each
            template the values with their weights, as ``[tag number, weight, ...]`` without the zeros.
        """
        table = self.table
        classes: dict[str, list[str]] | None = None if table.word_classes is None else {}
        for word, name in (table.word_classes or {}).items():
            classes.setdefault(name, []).append(word)  # type: ignore[union-attr]
        forms: dict[str, list[str]] = {}
        for form, tag in table.dictionary.items():
            forms.setdefault(tag, []).append(form)
        features = {name: group for name, group in self._groups() if group}
        return {"tags": table.tags, "dictionary": forms, "word_classes": classes, "features": features}

    def _groups(self) -> Iterator[tuple[str, dict[str, Any]]]:
        table, histories = self.table, [*self.table.tags, BOUNDARY]
        for (slot, offset), base in table.bases.items():
            yield f"{slot}[{offset}]", self._sparse(base, list(table.values[slot]))
        for (slot, offset), base in table.crossed_bases.items():
            yield f"{slot}[{offset}] tag[-1]", self._nested(base, list(table.values[slot]), histories)
        words = list(table.values["word"])
        for (left, right), base in zip(PAIRS, table.joined_bases, strict=True):
            joined: dict[str, Any] = {}
            for number, (first, second) in enumerate(table.pairs):
                if group := self._sparse(base + number, [words[second - 1]]):
                    joined.setdefault(words[first - 1], {}).update(group)
            yield f"word[{left}] word[{right}]", joined
        yield "tag[-2] tag[-1]", self._nested(table.pair_base, histories, histories)

    def _nested(self, base: int, values: Sequence[str], histories: Sequence[str]) -> dict[str, Any]:
        nested = {}
        for number, value in enumerate(values):
            if group := self._sparse(base + number * len(histories), histories):
                nested[value] = group
        return nested

    def _sparse(self, base: int, values: Sequence[str]) -> dict[str, list[int]]:
        """Give the weights of consecutive rows without the zeros."""
        block = self.weights[base : base + len(values)]
        found = {}
        for number in np.flatnonzero(block.any(axis=1)).tolist():
            tags = np.flatnonzero(block[number])
            found[values[number]] = np.stack((tags, block[number, tags]), axis=1).ravel().tolist()
        return found

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Rebuild a model from what `to_state` gave; values without any weight get no row.

        Parameters
        ----------
        state : mapping
            Plain JSON values.

        Returns
        -------
        TaggerModel
            The model.

        Raises
        ------
        ValueError
            If tags or weights are out of range.
        """
        tags, features = list(state["tags"]), state["features"]
        if not tags or len(set(tags)) < len(tags) or not all(isinstance(tag, str) for tag in tags):
            raise ValueError(f"the tags are not different strings: {shorten(tags)}")
        dictionary = {form: tag for tag, forms in state["dictionary"].items() for form in forms}
        if not set(dictionary.values()) <= set(tags):
            raise ValueError("the dictionary has unknown tags")
        classes = state["word_classes"]
        word_classes = None if classes is None else {word: name for name, words in classes.items() for word in words}
        table = _table_of(features, tags, dictionary, word_classes)
        model = cls(table, empty_weights(table))
        for name, group in features.items():
            model._read(name, group)
        return model

    def _read(self, name: str, group: Mapping[str, Any]) -> None:
        table = self.table
        for (slot, offset), base in table.bases.items():
            if name == f"{slot}[{offset}]":
                for value, weights in group.items():
                    self._set(base + table.values[slot][value] - 1, weights)
                return
        for (slot, offset), base in table.crossed_bases.items():
            if name == f"{slot}[{offset}] tag[-1]":
                self._read_nested(base, {value: number - 1 for value, number in table.values[slot].items()}, group)
                return
        places = {pair: number for number, pair in enumerate(table.pairs)}
        for (left, right), base in zip(PAIRS, table.joined_bases, strict=True):
            if name == f"word[{left}] word[{right}]":
                for first, by_word in group.items():
                    for second, weights in by_word.items():
                        pair = table.values["word"][first], table.values["word"][second]
                        self._set(base + places[pair], weights)
                return
        if name != "tag[-2] tag[-1]":
            raise ValueError(f"the template {shorten(name)} is unknown")
        self._read_nested(table.pair_base, self._histories(), group)

    def _histories(self) -> dict[str, int]:
        return {tag: number for number, tag in enumerate([*self.table.tags, BOUNDARY])}

    def _read_nested(self, base: int, places: Mapping[str, int], group: Mapping[str, Any]) -> None:
        histories = self._histories()
        for value, by_tag in group.items():
            for tag, weights in by_tag.items():
                self._set(base + places[value] * len(histories) + histories[tag], weights)

    def _set(self, row: int, weights: Sequence[int]) -> None:
        tags, values = weights[0::2], weights[1::2]
        if len(tags) != len(values) or not all(type(tag) is int and 0 <= tag < len(self.table.tags) for tag in tags):
            raise ValueError(f"{shorten(weights)} are no pairs of a tag number and a weight")
        if not all(type(value) is int and abs(value) <= LARGEST_WEIGHT for value in values):
            raise ValueError(f"{shorten(weights)} has a weight that is no whole number up to {LARGEST_WEIGHT}")
        self.weights[row, tags] = values


def _table_of(
    features: Mapping[str, Any], tags: list[str], dictionary: dict[str, str], word_classes: dict[str, str] | None
) -> FeatureTable:
    """Collect the values that have weights."""
    values: dict[str, dict[str, None]] = {slot: {} for slot in SLOTS}
    values["word"][BOUNDARY] = None
    names = [(f"{slot}[{offset}]", slot) for slot, offset in TEMPLATES]
    names += [(f"{slot}[{offset}] tag[-1]", slot) for slot, offset in CROSSED]
    for name, slot in names:
        values[slot].update(dict.fromkeys(features.get(name, ())))
    joined = [features.get(f"word[{left}] word[{right}]", {}) for left, right in PAIRS]
    pairs = dict.fromkeys((first, second) for group in joined for first, words in group.items() for second in words)
    for pair in pairs:
        values["word"].update(dict.fromkeys(pair))
    numbered = {slot: {value: number for number, value in enumerate(known, start=1)} for slot, known in values.items()}
    words = numbered["word"]
    numbers = sorted((words[first], words[second]) for first, second in pairs)
    return FeatureTable(tags, dictionary, numbered, numbers, word_classes)
