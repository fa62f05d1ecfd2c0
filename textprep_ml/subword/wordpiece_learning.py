"""From counted words to a WordPiece vocabulary: the alphabet, then the pieces that are learned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels import load
from textprep_ml._validation import shorten
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.alphabet import choose_characters, symbol_tables
from textprep_ml.subword.learning import Words, run
from textprep_ml.subword.model import Model, Style
from textprep_ml.subword.training import Progress

#: So many symbols are renumbered at a time.
_PART = 1 << 16


class Options(NamedTuple):
    """What training needs to know; see the parameters of `WordPieceTokenizer`.

    Attributes
    ----------
    specials : list of str
        Special tokens that take the first ids.
    taken : list of str
        All special tokens: no piece may be spelled like one.
    continuing_prefix : str
        What pieces inside a word begin with.
    score : str
        Which pair is joined.
    min_frequency : int
        Rarer pairs are not joined.
    max_piece_length : int or None
        Longer pieces are not made.
    max_word_length : int
        Longer words are not learned from.
    alphabet_limit : int or None
        At most so many characters.
    character_coverage : float
        Part of the corpus that the alphabet covers.
    """

    specials: list[str]
    taken: list[str]
    continuing_prefix: str
    score: str
    min_frequency: int
    max_piece_length: int | None
    max_word_length: int
    alphabet_limit: int | None
    character_coverage: float


def start(counter: Any, options: Options) -> tuple[Model, list[npt.NDArray[Any]], int]:
    """Give the alphabet of a corpus as a model without merges, and its words in symbols.

    Every character is a piece at the beginning of a word; inside a word those are that occur there.

    Parameters
    ----------
    counter : WordCounter
        The corpus.
    options : Options
        What to train.

    Returns
    -------
    model : Model
        Special tokens and alphabet.
    words : list of arrays
        Ids, offsets, counts.
    n_first : int
        So many ids come before the pieces inside a word.

    Raises
    ------
    ValueError
        If a special token is spelled like a piece of the alphabet.
    """
    characters = choose_characters(counter.character_counts(), options.alphabet_limit, options.character_coverage)
    first, n = len(options.specials), len(characters)
    inside = [options.continuing_prefix + char for char in characters] if options.continuing_prefix else []
    table = {piece: first + index for index, piece in enumerate([*characters, *inside])}
    words = counter.character_symbols(*symbol_tables(table, characters, Style(False, options.continuing_prefix)), -1)
    ids, offsets, counts = _without_long_words(words, options.max_word_length)
    used = _close_ranks(ids, first + n, len(inside))
    alphabet = characters + [inside[index] for index in used]
    for token in sorted(set(options.taken) & set(alphabet)):
        raise ValueError(
            f"special_tokens: {shorten(token)} is spelled like a character of the corpus; call it something else."
        )
    pieces: list[str | None] = [None] * first + [*alphabet]
    added = {token: AddedToken(index, special=True) for index, token in enumerate(options.specials)}
    return Model(pieces, np.empty((0, 3), np.int32), added), [ids, offsets, counts], first + n


def _close_ranks(ids: npt.NDArray[np.int32], begin: int, n: int) -> list[int]:
    """Number those of the `n` symbols from `begin` on that occur, without gaps; give which they are, counted from 0."""
    occurs = np.zeros(begin + n + 1, dtype=bool)  # the last is for -1
    parts = [ids[start : start + _PART] for start in range(0, len(ids), _PART)]
    for part in parts:
        occurs[part] = True
    numbers = np.arange(begin + n + 1, dtype=np.int32)
    numbers[begin:] = begin - 1 + np.cumsum(occurs[begin:])
    numbers[-1] = -1
    for part in parts:
        part[:] = numbers[part]
    return np.flatnonzero(occurs[begin:-1]).tolist()


def _without_long_words(words: Words, longest: int) -> Words:
    """Leave words out that are encoded as unknown, however they are made up."""
    ids, offsets, counts = words
    sizes = np.diff(offsets)
    kept = sizes <= longest
    if kept.all():
        return words
    return ids[np.repeat(kept, sizes)], np.concatenate([[0], np.cumsum(sizes[kept])]), counts[kept]


def learn(
    model: Model, words: list[npt.NDArray[Any]], n_first: int, wanted: int, options: Options, progress: Progress
) -> tuple[Model, npt.NDArray[np.int64]]:
    """Learn pieces and add them behind those of a model.

    Parameters
    ----------
    model : Model
        Special tokens and alphabet.
    words : list of arrays
        The corpus in its symbols; empty once learning has begun.
    n_first : int
        As from `start`.
    wanted : int
        Number of pieces.
    options : Options
        Rules of training.
    progress : callable
        Called every thousand pieces.

    Returns
    -------
    model : Model
        With at most `wanted` pieces more.
    counts : int64 array
        How often each pair occurred when it was joined.
    """
    prefix = options.continuing_prefix.encode("utf-8")
    strings = [(piece or "").encode("utf-8", "surrogatepass") for piece in model.pieces]
    kernel = load("wordpiece_train")
    kernel.give_back_memory()  # the counter's tables
    learner = kernel.PieceLearner(
        *words,
        np.ones(len(strings), dtype=np.int32),
        strings,
        options.score,
        options.min_frequency,
        options.max_piece_length or 0,
        wanted,
        prefix,
        n_first,
        [token.encode("utf-8", "surrogatepass") for token in options.taken],
    )
    words.clear()  # the learner has what it needs of them
    merges, counts = run(learner, wanted, progress)
    del learner
    kernel.give_back_memory()
    for left, right in merges.tolist():
        strings.append(strings[left] + strings[right][len(prefix) :])
    made = np.arange(len(model.pieces), len(strings), dtype=np.int32)
    pieces = model.pieces + [string.decode("utf-8", "surrogatepass") for string in strings[len(model.pieces) :]]
    return replace(model, pieces=pieces, merges=np.column_stack([merges, made])), counts
