"""From counted words to a unigram model: the alphabet, rounds of estimation and pruning, the table of pieces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels import load
from textprep_ml.subword.alphabet import choose_characters
from textprep_ml.subword.bytemap import fallback_name
from textprep_ml.subword.training import Progress
from textprep_ml.subword.unigram_model import MARKER, UnigramModel, ids_of

#: So many more pieces than wanted are left to the last step of pruning.
_SPARE = 1.1
#: Rounds of estimation on the pieces that stay.
_LAST_ROUNDS = 2
_N_CODES = 0x110000


class Options(NamedTuple):
    """What training needs to know; see the parameters of `UnigramTokenizer`.

    Attributes
    ----------
    specials : list of str
        Special tokens that take the first ids.
    user_defined : list of str
        Pieces that are always taken.
    vocab_size : int
        Pieces to reach.
    byte_fallback : bool
        Whether there are pieces for bytes.
    alphabet_limit : int or None
        At most so many characters.
    character_coverage : float
        Part of the corpus that the alphabet covers.
    max_piece_length : int
        Characters in a piece.
    seed_size : int
        Pieces to begin with.
    shrinking_factor : float
        Part of the pieces that a round of pruning leaves.
    n_sub_iterations : int
        Rounds of estimation before each pruning.
    """

    specials: list[str]
    user_defined: list[str]
    vocab_size: int
    byte_fallback: bool
    alphabet_limit: int | None
    character_coverage: float
    max_piece_length: int
    seed_size: int
    shrinking_factor: float
    n_sub_iterations: int


class Corpus(NamedTuple):
    """What is learned from.

    Attributes
    ----------
    characters : list of str
        The alphabet.
    words : list of arrays
        Symbols by their number in the alphabet from 1 on, a 0 behind each word; offsets, counts. Empty once learning
        has begun.
    """

    characters: list[str]
    words: list[npt.NDArray[Any]]


def prepare(counter: Any, options: Options) -> Corpus:
    """Choose the alphabet, and write the words in it.

    Parameters
    ----------
    counter : WordCounter
        The words; not needed any more afterwards.
    options : Options
        What to train.

    Returns
    -------
    Corpus
        For `learn`.

    Raises
    ------
    ValueError
        If the vocabulary would be smaller than the alphabet.
    """
    characters = _characters(counter, options)
    n_fixed = len(_fixed(options))
    taken = sum(name in characters for name in options.user_defined)
    if options.vocab_size - n_fixed < len(characters) - taken:
        raise ValueError(
            f"vocab_size={options.vocab_size} is smaller than the alphabet: {len(characters)} characters and "
            f"{n_fixed} special, byte and user-defined pieces. Set it to at least {n_fixed + len(characters) - taken}, "
            "or limit the alphabet (alphabet_limit, character_coverage)."
        )
    return Corpus(characters, _words(counter, characters, options.user_defined))


def learn(corpus: Corpus, options: Options, progress: Progress) -> tuple[UnigramModel, int]:
    """Learn a model.

    Parameters
    ----------
    corpus : Corpus
        As from `prepare`.
    options : Options
        What to train.
    progress : callable
        Called with ``"estimating"`` after each round of pruning.

    Returns
    -------
    model : UnigramModel
        Special tokens, bytes, user-defined pieces, then pieces from the most to the least probable.
    missing : int
        How many pieces fewer than asked for the corpus gave.
    """
    fixed = set(_fixed(options))
    wanted = options.vocab_size - len(fixed)
    goal = wanted + len(options.user_defined)  # some may be among the pieces found
    names, scores = _estimate(corpus, goal, options, progress)
    order = [number for number in np.argsort(-scores, kind="stable").tolist() if names[number] not in fixed]
    longer = [number for number in order if len(names[number]) > 1]
    dropped = set(longer[max(len(longer) - max(len(order) - wanted, 0), 0) :])
    kept = [number for number in order if number not in dropped]
    return _model([names[number] for number in kept], scores[kept], options), wanted - len(kept)


def _fixed(options: Options) -> list[str]:
    return [*options.specials, *_byte_names(options), *options.user_defined]


def _byte_names(options: Options) -> list[str]:
    return [fallback_name(byte) for byte in range(256)] if options.byte_fallback else []


def _characters(counter: Any, options: Options) -> list[str]:
    """Choose the characters; a blank and a literal marker are one, and it is always there."""
    counts = dict(counter.character_counts())
    counts[ord(MARKER)] = counts.pop(ord(" "), 0) + counts.get(ord(MARKER), 0)
    chosen = choose_characters(counts, options.alphabet_limit, options.character_coverage)
    return chosen if MARKER in chosen else sorted([MARKER, *chosen])


def _words(counter: Any, characters: list[str], apart: list[str]) -> list[npt.NDArray[Any]]:
    """Give the words in symbols; strings that are pieces already end them, as no other piece may hold such a string."""
    table = np.zeros(_N_CODES, dtype=np.int32)
    table[[ord(char) for char in characters]] = np.arange(1, len(characters) + 1)
    table[ord(" ")] = table[ord(MARKER)]
    text, offsets, counts = counter.character_symbols(table, table, table, table, 0)
    found: list[npt.NDArray[np.int64]] = []
    for string in apart:
        symbols = [int(table[ord(char)]) for char in string]
        if 0 not in symbols:
            found += [_places(text, symbols) + step for step in range(len(symbols))]
    for places in found:  # when all are found, as they may overlap
        text[places] = 0
    return [text, offsets, counts]


def _places(text: npt.NDArray[np.int32], symbols: list[int]) -> npt.NDArray[np.int64]:
    """Find where a string is; no word ends inside of it, as there is no 0 in it."""
    places = np.flatnonzero(text == symbols[0])
    for step, symbol in enumerate(symbols[1:], start=1):
        places = places[places + step < len(text)]
        places = places[text[places + step] == symbol]
    return places


def _estimate(
    corpus: Corpus, wanted: int, options: Options, progress: Progress
) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Shrink the seeds to the pieces that are wanted."""
    characters = corpus.characters
    kernel = load("unigram_train")
    kernel.give_back_memory()  # the counter's tables
    learner = kernel.UnigramLearner(*corpus.words, len(characters), options.max_piece_length)
    corpus.words.clear()  # the learner has what it needs of them
    learner.find_seeds(max(options.seed_size, wanted))
    spare, begin = int(_SPARE * wanted), learner.n_pieces
    while True:
        for _ in range(options.n_sub_iterations):
            learner.estimate(True, wanted)
        progress("estimating", begin - learner.n_pieces, begin - wanted)
        if learner.n_pieces <= spare:
            break
        learner.prune(max(spare, int(options.shrinking_factor * learner.n_pieces)))
    if learner.n_pieces > wanted:
        learner.prune(wanted)
    for _ in range(_LAST_ROUNDS):
        learner.estimate(False)
    symbols, offsets, scores = learner.result()
    del learner
    kernel.give_back_memory()
    text = "".join([characters[symbol] for symbol in symbols.tolist()])
    bounds = offsets.tolist()
    return [text[start:end] for start, end in zip(bounds[:-1], bounds[1:], strict=True)], scores


def _model(names: list[str], scores: npt.NDArray[np.float64], options: Options) -> UnigramModel:
    n_specials, byte_names = len(options.specials), _byte_names(options)
    pieces: list[str | None] = [None] * n_specials + [*byte_names, *options.user_defined, *names]
    first = n_specials + len(byte_names)
    # Scores as files have them, so that a saved model decides alike.
    rounded = scores.astype(np.float32).astype(np.float64)
    return UnigramModel(
        pieces,
        np.concatenate([np.zeros(len(pieces) - len(names)), rounded]),
        user_defined=list(range(first, first + len(options.user_defined))),
        added_tokens=ids_of(options.specials, 0),
        byte_pieces=list(range(n_specials, first)) if byte_names else None,
    )
