"""From counted words to a byte-pair model: the alphabet, the merges, and how training goes on later."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels import load
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.alphabet import (
    Alphabet,
    byte_alphabet,
    character_alphabet,
    character_forms,
    choose_characters,
    symbol_tables,
)
from textprep_ml.subword.bytemap import BYTE_ORDER
from textprep_ml.subword.model import Model, Style, encoder_arguments
from textprep_ml.subword.training import Progress

#: So many merges are learned between two reports of progress.
STEP = 1000

#: Left and right ids of pairs, and how often each occurred.
Step = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]

#: Symbols, offsets and counts of words, as the kernel takes them.
Words = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]


class Options(NamedTuple):
    """What training needs to know; see the parameters of `BPETokenizer`.

    Attributes
    ----------
    style : Style
        How words become symbols.
    specials : list of str
        Special tokens that take the first ids.
    vocab_size : int
        Pieces to reach.
    num_merges : int or None
        Merges to reach; overrides `vocab_size`.
    min_frequency : int
        Rarer pairs are not joined.
    tie_break : str
        Which of equally frequent pairs is joined.
    max_piece_length : int or None
        Longer pieces are not made.
    byte_fallback : bool
        Whether there are pieces for bytes in character mode.
    alphabet_limit : int or None
        At most so many characters.
    character_coverage : float
        Part of the corpus that the alphabet covers.
    """

    style: Style
    specials: list[str]
    vocab_size: int
    num_merges: int | None
    min_frequency: int
    tie_break: str
    max_piece_length: int | None
    byte_fallback: bool
    alphabet_limit: int | None
    character_coverage: float


def count_pieces(model: Model, outside: Collection[str] = ()) -> int:
    """Count the pieces that `vocab_size` counts.

    Parameters
    ----------
    model : Model
        Any model.
    outside : collection of str
        Special tokens with ids of their own, which do not count.

    Returns
    -------
    int
        Pieces and special tokens; added tokens do not count.
    """
    specials = sum(added.special and token not in outside for token, added in model.added_tokens.items())
    return sum(piece is not None for piece in model.pieces) + specials


def start(counter: Any, options: Options, n_threads: int = 1) -> tuple[Model, Words]:
    """Give the alphabet of a corpus as a model without merges, and its words in symbols.

    Parameters
    ----------
    counter : WordCounter
        The corpus.
    options : Options
        What to train.
    n_threads : int
        Threads; the result does not depend on it.

    Returns
    -------
    model : Model
        Special tokens and alphabet.
    words : tuple of arrays
        Ids, offsets, counts.

    Raises
    ------
    ValueError
        If the vocabulary would be smaller than the alphabet.
    """
    style, specials = options.style, options.specials
    if style.byte_level:
        alphabet = byte_alphabet(specials, style)
        _check_size(alphabet, options)
        table = np.empty(256, dtype=np.int32)
        table[BYTE_ORDER] = np.arange(256) + alphabet.n_before
        words = counter.byte_symbols(table, n_threads)
    else:
        characters = choose_characters(counter.character_counts(), options.alphabet_limit, options.character_coverage)
        characters = [char for char in characters if char != style.space]  # a blank is called so
        alphabet = character_alphabet(specials, characters, style, options.byte_fallback)
        _check_size(alphabet, options)
        words = counter.character_symbols(*_tables(alphabet, characters, style), _marker_id(alphabet, options))
    pieces: list[str | None] = [None] * alphabet.n_before + list(alphabet.pieces[alphabet.n_before :])
    added = {token: AddedToken(index, special=True) for index, token in enumerate(specials)}
    return Model(pieces, np.empty((0, 3), np.int32), added, alphabet.byte_pieces), words


def _check_size(alphabet: Alphabet, options: Options) -> None:
    n_base = len(alphabet.pieces)
    if options.num_merges is None and options.vocab_size < n_base:
        kind, remedy = (
            ("bytes", "")
            if options.style.byte_level
            else ("symbols", ", or limit the alphabet (alphabet_limit, character_coverage)")
        )
        raise ValueError(
            f"vocab_size={options.vocab_size} is smaller than the alphabet: {n_base - alphabet.n_before} {kind} "
            f"and {alphabet.n_before} special tokens. Set it to at least {n_base}{remedy}."
        )


def _tables(alphabet: Alphabet, characters: list[str], style: Style) -> list[npt.NDArray[np.int32]]:
    # The forms of the characters come last; a form may be spelled like the marker or a special token, which come
    # before.
    first = len(alphabet.pieces) - len(character_forms(characters, style))
    ids = {piece: first + index for index, piece in enumerate(alphabet.pieces[first:])}
    return symbol_tables(ids, characters, style)


def _marker_id(alphabet: Alphabet, options: Options) -> int:
    if not options.style.marker or options.style.marker_joined:
        return -1
    return alphabet.n_before + (256 if options.byte_fallback else 0)


def resume(counter: Any, old: Model, options: Options) -> tuple[Model, Words]:
    """Give a model that knows the characters of new text, and the words of the text in its symbols.

    Parameters
    ----------
    counter : WordCounter
        The new text.
    old : Model
        Its ids stay.
    options : Options
        What to train.

    Returns
    -------
    model : Model
        With new characters behind all old ids.
    words : tuple of arrays
        Ids, offsets, counts.
    """
    model = old if options.style.byte_level else _with_new_characters(counter, old, options)
    unknown = model.n_ids
    arguments = encoder_arguments(model, options.style, unknown)
    arguments |= {name: [*arguments[name], b""] for name in ("symbols", "surfaces")}
    arguments["specials"] = [*arguments["specials"], unknown]
    kernel = load("bpe_encode")
    encoder = kernel.BPEEncoder(**arguments, scheme=kernel.SCHEMES["none"])
    words = counter.words()
    ids, offsets = encoder.encode_words([word for word, _ in words])
    # Unknown characters keep their neighbours apart; so do bytes of the fallback, which never merge.
    ids[np.isin(ids, [unknown, *(model.byte_pieces or ())])] = -1
    return model, (ids, offsets, np.array([count for _, count in words], dtype=np.int64))


def _with_new_characters(counter: Any, old: Model, options: Options) -> Model:
    if options.alphabet_limit is not None or options.character_coverage < 1:
        return old
    known = set(old.pieces)
    new = [char for char in choose_characters(counter.character_counts(), None, 1.0) if char not in known]
    if not new:
        return old
    free = [None] * (old.n_ids - len(old.pieces))
    return replace(old, pieces=[*old.pieces, *free, *character_forms(new, options.style)])


def learn(
    model: Model, words: Words, wanted: int, options: Options, progress: Progress, n_threads: int = 1
) -> tuple[Model, npt.NDArray[np.int64]]:
    """Learn merges and add them behind those of a model.

    Parameters
    ----------
    model : Model
        What to start from.
    words : tuple of arrays
        The corpus in its symbols.
    wanted : int
        Number of merges.
    options : Options
        Rules of training.
    progress : callable
        Called every thousand merges.
    n_threads : int
        With more than one, pieces get their names while the next are learned.

    Returns
    -------
    model : Model
        With at most `wanted` merges more.
    counts : int64 array
        How often each new pair occurred.
    """
    style = options.style
    strings = [style.to_bytes(piece or "") for piece in model.pieces]
    strings += [b""] * (model.n_ids - len(strings))
    learner = load("bpe_train").MergeLearner(
        *words,
        model.lengths(style),
        strings,
        options.tie_break,
        options.min_frequency,
        options.max_piece_length or 0,
        wanted,
        len(style.prefix.encode("utf-8")),
    )
    join = style.join if style.prefix else add
    first = len(strings)
    pieces = model.pieces + [None] * (first - len(model.pieces))

    def name(pairs: npt.NDArray[np.int32]) -> None:
        known = len(strings)
        for left, right in pairs.tolist():
            strings.append(join(strings[left], strings[right]))
        pieces.extend(map(style.to_piece, strings[known:]))

    done: list[Step] = [_NO_STEP]
    with ThreadPoolExecutor(1) as pool:
        named = []
        for step in _steps(learner, wanted, progress):
            done.append(step)
            if n_threads > 1:
                named.append(pool.submit(name, step[0]))
            else:
                name(step[0])
        for future in named:
            future.result()
    pairs, counts = _concatenated(done)
    made = np.arange(first, len(strings), dtype=np.int32)
    return replace(model, pieces=pieces, merges=np.concatenate([model.merges, np.column_stack([pairs, made])])), counts


_NO_STEP: Step = (np.empty((0, 2), np.int32), np.empty(0, np.int64))


def _concatenated(steps: list[Step]) -> Step:
    return np.concatenate([pairs for pairs, _ in steps]), np.concatenate([counts for _, counts in steps])


def run(learner: Any, wanted: int, progress: Progress) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Let a kernel learn step by step.

    Parameters
    ----------
    learner : object
        With ``run(n)``, which gives at most `n` more pairs and their counts.
    wanted : int
        Number of merges.
    progress : callable
        Called after each step.

    Returns
    -------
    pairs : int32 array of shape (n_learned, 2)
        Left and right ids.
    counts : int64 array of shape (n_learned,)
        How often each pair occurred.
    """
    return _concatenated([_NO_STEP, *_steps(learner, wanted, progress)])


def _steps(learner: Any, wanted: int, progress: Progress) -> Iterator[Step]:
    done = 0
    while done < wanted:
        size = min(STEP, wanted - done)
        pairs, counts = learner.run(size)
        done += len(pairs)
        progress("merging", done, wanted)
        yield pairs, counts
        if len(pairs) < size:
            break
