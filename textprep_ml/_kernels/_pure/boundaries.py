"""Sentence boundaries: the candidates of a text, scored by a linear model or a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels._pure.boundary_candidates import LOOKAHEAD, CandidateKind, Document, Lexicon
from textprep_ml._kernels._pure.boundary_codes import BLANK, Kind, Mark, Newline, hash_word
from textprep_ml._kernels._pure.boundary_context import Evidence, WordCount, count_tokens
from textprep_ml._kernels._pure.boundary_parts import Token
from textprep_ml._kernels._pure.boundary_tokens import TokenReader, read_tokens
from textprep_ml._kernels.boundary_checks import (
    N_COLUMNS,
    N_KINDS,
    check_forms,
    check_linear,
    check_offsets,
    check_texts,
    check_thresholds,
    check_tree,
    fixed_point,
)  # fmt: skip
from textprep_ml._unicode_table import kind_of, lower_of

__all__ = [
    "KIND_NAMES",
    "NEWLINE_MODES",
    "BoundaryScanner",
    "BoundaryStream",
    "Lexicon",
    "count_words",
    "hash_word",
    "join_spans",
]

NEWLINE_MODES = {mode.name.lower(): int(mode) for mode in Newline}
KIND_NAMES = ("mark", "inside", "mark_line", "line", "paragraph", "gap")

Offsets = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint16]
Integers = npt.NDArray[np.integer[Any]]
Boundaries = tuple[Offsets, Offsets, Offsets]
#: Ends, starts, kinds, rows, and which are boundaries whatever the model says.
Candidates = tuple[Offsets, Offsets, npt.NDArray[np.uint8], Rows, npt.NDArray[np.bool_]]

#: The score of a boundary that no model is asked for.
FORCED = 100.0
#: Tokens before a candidate that are kept for it, where a text comes in pieces.
LOOKBACK = 4
EMPTY: Candidates = (
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.uint8),
    np.empty((0, N_COLUMNS), dtype=np.uint16),
    np.empty(0, dtype=bool),
)

# --- the scanner ------------------------------------------------------------------------------------------------------


class BoundaryScanner:
    """Finds, describes and scores the candidates of texts.

    Without `set_linear` or `set_tree` it can only `describe`. No gap between words is a candidate after one of the
    `hopeless_words`, lower-cased ones, where they have no mark, nor one of the `hopeless_forms`: codes of the mark and
    the shape on the left, the shape and the lead on the right.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        newline: str = "auto",
        kinds: Collection[str] = KIND_NAMES,
        hopeless_words: Sequence[str] = (),
        hopeless_forms: Iterable[Sequence[int]] = (),
    ) -> None:
        self.lexicon = lexicon
        self.hopeless_words = {hash_word(word) for word in hopeless_words}
        self.hopeless_forms = set(check_forms(hopeless_forms))
        self.newline = NEWLINE_MODES[newline]
        self.enabled = {KIND_NAMES.index(kind) for kind in kinds}
        self.thresholds = np.zeros(N_KINDS, dtype=np.float32)
        self.quantum = 1.0
        self.linear: list[npt.NDArray[Any]] | None = None
        self.tree: list[npt.NDArray[Any]] | None = None

    def set_linear(
        self, offsets: npt.ArrayLike, columns: npt.ArrayLike, strides: npt.ArrayLike, weights: npt.ArrayLike
    ) -> None:
        """Score by a sum of weights, one per template.

        Template `t` reads the columns ``columns[t]`` (padded by column 0 with stride 0) and takes the weight at
        ``offsets[t] + sum(row[columns[t]] * strides[t])``.
        """
        arrays: list[npt.NDArray[Any]] = [np.array(values, dtype=np.int32) for values in (offsets, columns, strides)]
        arrays += [np.array(weights, dtype=np.float32)]
        check_linear(self.lexicon.highest, *arrays)
        arrays[3], self.quantum = fixed_point(len(arrays[0]), arrays[3])
        self.linear, self.tree = arrays, None

    def set_tree(
        self,
        column: npt.ArrayLike,
        threshold: npt.ArrayLike,
        left: npt.ArrayLike,
        right: npt.ArrayLike,
        score: npt.ArrayLike,
        rank_offsets: npt.ArrayLike,
        ranks: npt.ArrayLike,
    ) -> None:
        """Score by a binary tree over the ranks of the codes; a leaf has ``left == -1``."""
        arrays: list[npt.NDArray[Any]] = [
            np.array(values, dtype=np.int32) for values in (column, threshold, left, right)
        ]
        arrays += [
            np.array(score, dtype=np.float32),
            np.array(rank_offsets, dtype=np.int32),
            np.array(ranks, dtype=np.uint16),
        ]
        check_tree(self.lexicon.highest, *arrays)
        self.linear, self.tree = None, arrays

    def set_thresholds(self, thresholds: npt.ArrayLike) -> None:
        """Set, for each kind of candidate, the score from which on it is a boundary."""
        checked = np.array(thresholds, dtype=np.float32)
        check_thresholds(checked)
        self.thresholds = checked

    def describe(self, texts: list[str]) -> tuple[Offsets, Offsets, Offsets, npt.NDArray[np.uint8], Rows]:
        """Give ``(offsets, ends, starts, kinds, rows)``; text i has the candidates ``offsets[i]:offsets[i + 1]``."""
        offsets, ends, starts, kinds, rows, _ = self._scan(texts)
        return offsets, ends, starts, kinds, rows

    def score(
        self, texts: list[str]
    ) -> tuple[Offsets, Offsets, Offsets, npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
        """Give ``(offsets, ends, starts, kinds, scores)``."""
        offsets, ends, starts, kinds, rows, forced = self._scan(texts)
        return offsets, ends, starts, kinds, self._evaluate(rows, forced)

    def boundaries(self, texts: list[str]) -> Boundaries:
        """Give ``(offsets, ends, starts)`` of the boundaries alone."""
        offsets, ends, starts, kinds, rows, forced = self._scan(texts)
        keep = self.choose(kinds, rows, forced)
        return np.concatenate([[0], np.cumsum(keep)])[offsets], ends[keep], starts[keep]

    def spans(self, texts: list[str]) -> tuple[Offsets, Offsets]:
        """Give ``(offsets, spans)``: the sentences of all texts, without the white space around them."""
        return join_spans(texts, *self.boundaries(texts))

    def sentences(self, texts: list[str]) -> list[list[str]]:
        """Give the sentences of each text as a list of strings."""
        offsets, spans = self.spans(texts)
        bounds = zip(texts, offsets[:-1], offsets[1:], strict=True)
        return [[text[start:end] for start, end in spans[first:last]] for text, first, last in bounds]

    def stream(self) -> BoundaryStream:
        """Give a `BoundaryStream`: the boundaries of one text that comes in pieces."""
        return BoundaryStream(self)

    def _scan(self, texts: list[str]) -> tuple[Any, ...]:
        """Find and describe the candidates; the last array tells which are boundaries whatever the model says."""
        found = [self.look_at(Document.read(text, self.newline, self.lexicon)) for text in check_texts(texts)]
        offsets = np.cumsum([0, *(len(ends) for ends, *_ in found)], dtype=np.int64)
        return offsets, *(np.concatenate(column) for column in zip(EMPTY, *found, strict=True))

    def look_at(self, document: Document, limit: int | None = None) -> Candidates:
        """Find and describe the candidates of a document, or those of them before token `limit`."""
        found, rows = [], []
        for i, kind, place in document.candidates(len(document.tokens) if limit is None else limit):
            left, right = document.tokens[i - 1], document.tokens[i]
            forced = kind == CandidateKind.PARAGRAPH or (self.newline == Newline.HARD and right.newlines > 0)
            if kind == CandidateKind.GAP and self.is_hopeless(left, right):
                continue
            if forced or kind in self.enabled:
                found.append((left.end, right.start, kind, forced))
                rows.append(document.describe(i, kind, place))
        table = np.array(found, dtype=np.int64).reshape(-1, 4)
        return (
            table[:, 0].copy(),
            table[:, 1].copy(),
            table[:, 2].astype(np.uint8),
            np.array(rows, dtype=np.uint16).reshape(-1, N_COLUMNS),
            table[:, 3].astype(bool),
        )

    def is_hopeless(self, left: Token, right: Token) -> bool:
        """Tell whether no sentence ends in a gap between words."""
        if (left.mark, left.shape, right.shape, right.lead) in self.hopeless_forms:
            return True
        return left.mark == Mark.NONE and left.hash in self.hopeless_words

    def choose(self, kinds: npt.NDArray[np.uint8], rows: Rows, forced: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Tell which candidates are boundaries."""
        chosen: npt.NDArray[np.bool_] = (self._evaluate(rows, forced) >= self.thresholds[kinds]) | forced
        return chosen

    def _evaluate(self, rows: Rows, forced: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        if self.linear is not None:
            scores = (self.quantum * sum_weights(rows, *self.linear)).astype(np.float32)
        elif self.tree is not None:
            scores = walk_tree(rows, *self.tree)
        else:
            raise ValueError("BoundaryScanner has no model: call set_linear or set_tree first.")
        scores[forced] = FORCED
        return scores


class BoundaryStream:
    """Finds the boundaries of one text that comes in pieces; one thread at a time may use it.

    `collect` takes the pieces in the first pass, `decide` the same text, cut anyhow, in the second. Where a text cannot
    be read twice, each piece goes to both in turn: then it is decided by what the text had said so far.
    """

    def __init__(self, scanner: BoundaryScanner) -> None:
        self.scanner = scanner
        self.evidence = Evidence()
        self.collected = TokenReader(scanner.newline)
        self.decided = TokenReader(scanner.newline)
        self.document = Document([], self.evidence, scanner.lexicon)

    def collect(self, text: str) -> None:
        """Count how words and lines of a piece behave."""
        self.evidence.add(self.collected.read(text))

    def decide(self, text: str, is_last: bool = False) -> Iterator[tuple[Offsets, Offsets]]:
        """Iterate over ``(ends, starts)`` of the boundaries that are certain now: all but those before the last tokens.

        All of them are to be taken before the next piece comes.
        """
        document = self.document
        document.style = self.evidence.style
        document.tokens += self.decided.read(text)
        limit = len(document.tokens) if is_last else len(document.tokens) - LOOKAHEAD
        if not is_last and limit <= LOOKBACK:
            limit = 0
        ends, starts, kinds, rows, forced = self.scanner.look_at(document, limit)
        document.forget(max(document.first - LOOKBACK, 0))
        keep = self.scanner.choose(kinds, rows, forced)
        return iter([(ends[keep], starts[keep])])


def sum_weights(
    rows: Rows, offsets: Integers, columns: Integers, strides: Integers, weights: Integers
) -> npt.NDArray[np.int64]:
    """Add up the weights of the templates, one template after another."""
    total = np.zeros(len(rows), dtype=np.int64)
    for offset, column, stride in zip(offsets, columns, strides, strict=True):
        total += weights[offset + (rows[:, column].astype(np.int64) * stride).sum(axis=1)]
    return total


def walk_tree(rows: Rows, *tree: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Go from the root to a leaf with each row."""
    column, threshold, left, right, score, rank_offsets, ranks = (values.tolist() for values in tree)
    scores = []
    for row in rows.tolist():
        node = 0
        while left[node] >= 0:
            rank = ranks[rank_offsets[column[node]] + row[column[node]]]
            node = left[node] if rank <= threshold[node] else right[node]
        scores.append(score[node])
    return np.array(scores, dtype=np.float32)


# --- words and sentences ----------------------------------------------------------------------------------------------


def count_words(texts: list[str]) -> tuple[list[str], Offsets]:
    """Count how the words of many texts behave.

    Gives the lower-cased words in the order of their first occurrence and an array with the columns: in lower case,
    capitalised inside a sentence, with a period, with a period before a lower-case word, without a period.
    """
    words: dict[int, str] = {}
    counts: dict[int, WordCount] = {}
    for text in check_texts(texts):
        tokens = read_tokens(text, Newline.AUTO)
        count_tokens(tokens, counts)
        for token in tokens:
            if token.is_word and token.hash not in words:
                words[token.hash] = lower_word(text[token.core : token.core + token.length])
    table = [(c.lower, c.upper_inside, c.period, c.period_then_lower, c.bare) for c in counts.values()]
    return list(words.values()), np.array(table, dtype=np.int64).reshape(-1, 5)


def lower_word(word: str) -> str:
    """Write a word as its hash sees it, so that `hash_word` finds it again."""
    return "".join(lower_of(char) for char in word if kind_of(char) != Kind.FORMAT)


def join_spans(texts: list[str], offsets: Offsets, ends: Offsets, starts: Offsets) -> tuple[Offsets, Offsets]:
    """Turn boundaries into sentence spans: give ``(offsets, spans)`` over all texts."""
    check_offsets(len(texts), offsets, ends, starts)
    spans: list[tuple[int, int]] = []
    span_offsets = [0]
    for text, first, last in zip(check_texts(texts), offsets[:-1], offsets[1:], strict=True):
        start, stop = strip_bounds(text)
        if start < stop:
            spans += zip([start, *starts[first:last]], [*ends[first:last], stop], strict=True)
        span_offsets.append(len(spans))
    return np.array(span_offsets, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2)


def strip_bounds(text: str) -> tuple[int, int]:
    """Give the span of a text without the white space around it."""
    start, stop = 0, len(text)
    while start < stop and kind_of(text[start]) in BLANK:
        start += 1
    while stop > start and kind_of(text[stop - 1]) in BLANK:
        stop -= 1
    return start, stop
