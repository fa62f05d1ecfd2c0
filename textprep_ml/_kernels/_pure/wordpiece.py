"""WordPiece encoding, and back: the longest piece first, from left to right, by looking up ever shorter strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels._pure.bert import CLEAN, IDEOGRAPHS, LOWER, STRIP, normalize, rewrite, split, words
from textprep_ml._kernels._pure.pretokenize import SCHEMES, characters, pretokenize

__all__ = ["CLEAN", "IDEOGRAPHS", "LOWER", "SCHEMES", "STRIP", "WordPieceEncoder", "normalize", "split", "words"]

Ids = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]

#: A piece of a text: id, start and end byte.
Piece = tuple[int, int, int]

#: A character of a word, and its start and end byte in the text.
Char = tuple[str, int, int]


def as_bytes(text: str | bytes) -> bytes:
    """Give UTF-8; a lone surrogate takes its three-byte form."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _source(chars: list[Char]) -> tuple[int, int]:
    """Give where the source of some characters starts and ends; marks may have changed places."""
    return min(start for _, start, _ in chars), max(end for _, _, end in chars)


class WordPieceEncoder:
    """Words cut into the longest pieces from left to right.

    Parameters
    ----------
    pieces : list of bytes
        What each id stands for, with the prefix.
    scheme : int
        How the text is cut into words; see `SCHEMES`.
    prefix : bytes
        What pieces inside a word begin with.
    unknown : int
        The id of what is no piece, -1 for an error.
    max_characters : int
        Longer words are unknown.
    partial : bool
        A character that no piece begins with is unknown by itself; else the whole word is.
    basic : int, optional
        Which steps of BERT's basic tokenization every word goes through; see `rewrite`. Then it is cut at white space
        and marks of punctuation.
    specials : iterable of int
        Ids that no text gives.
    surfaces : list of bytes, optional
        What `decode` writes for each id, by default the pieces.
    """

    def __init__(
        self,
        pieces: Sequence[bytes],
        *,
        scheme: int,
        prefix: bytes = b"##",
        unknown: int = -1,
        max_characters: int = 100,
        partial: bool = False,
        basic: int | None = None,
        specials: Iterable[int] = (),
        surfaces: Sequence[bytes] | None = None,
    ) -> None:
        if unknown >= len(pieces):
            raise ValueError(f"The unknown id {unknown} is no id of the {len(pieces)} pieces.")
        hidden = set(specials)
        self._ids: dict[str, int] = {}
        for index, piece in enumerate(pieces):
            if index not in hidden:
                self._ids.setdefault(piece.decode("utf-8", "surrogatepass"), index)
        self._longest_piece = max(map(len, self._ids), default=0)
        self._scheme = scheme
        self._prefix = prefix.decode("utf-8")
        self._unknown = unknown
        self._max_characters = max_characters
        self._partial = partial
        self._basic = basic
        self._surfaces = list(pieces if surfaces is None else surfaces)

    def encode(self, text: str | bytes) -> list[int]:
        """Give the ids of a text."""
        return [piece[0] for piece in self._pieces(as_bytes(text), self._scheme)]

    def encode_array(self, text: str | bytes, threads: int = 1) -> Ids:
        """Give the ids of a text as an array."""
        return np.array(self.encode(text), dtype=np.int32)

    def encode_batch(self, texts: Sequence[str], threads: int = 1) -> tuple[Ids, Offsets]:
        """Give the ids of all texts in one array, and where those of each text begin, and the end."""
        return self._batch(self.encode, texts)

    def encode_words(self, words: Sequence[bytes]) -> tuple[Ids, Offsets]:
        """Give the ids of ready words, of which an empty one has none, like `encode_batch`."""
        return self._batch(lambda word: [piece[0] for piece in self._pieces(word, SCHEMES["none"])], words)

    def encode_with_offsets(self, text: str | bytes) -> tuple[Ids, Offsets, Offsets]:
        """Give ids, their spans in characters (a piece of one has the span of the whole) and their spans in bytes."""
        data = as_bytes(text)
        pieces = list(self._pieces(data, self._scheme))
        chars = {begin: index for index, begin in enumerate(characters(data)[1])}
        return (
            np.array([piece[0] for piece in pieces], dtype=np.int32),
            np.array([(chars[start], chars[end]) for _, start, end in pieces], dtype=np.int64).reshape(-1, 2),
            np.array([piece[1:] for piece in pieces], dtype=np.int64).reshape(-1, 2),
        )

    def decode(self, ids: Iterable[int]) -> bytes:
        """Join what the ids stand for."""
        return b"".join([self._surface(index) for index in ids])

    def decode_batch(self, ids: Sequence[int], offsets: Sequence[int]) -> list[bytes]:
        """Undo `encode_batch`."""
        return [self.decode(ids[start:end]) for start, end in pairwise(offsets)]

    def _surface(self, index: int) -> bytes:
        if not 0 <= index < len(self._surfaces):
            raise ValueError(f"No symbol has the id {index}; ids go from 0 to {len(self._surfaces) - 1}.")
        return self._surfaces[index]

    def _batch(self, encode: Callable[..., list[int]], texts: Sequence[str | bytes]) -> tuple[Ids, Offsets]:
        rows = [encode(text) for text in texts]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return np.array([index for row in rows for index in row], dtype=np.int32), offsets

    def _pieces(self, data: bytes, scheme: int) -> Iterator[Piece]:
        for start, end in pretokenize(data, scheme):
            text, begins = characters(data[start:end])
            chars = [(text[at], start + begins[at], start + begins[at + 1]) for at in range(len(text))]
            for word in [chars] if self._basic is None else self._cut(chars, self._basic):
                yield from self._word(word)

    def _cut(self, chars: list[Char], flags: int) -> Iterator[list[Char]]:
        chars = rewrite(chars, flags)
        for start, end in words("".join(char for char, _, _ in chars)):
            yield chars[start:end]

    def _word(self, chars: list[Char]) -> list[Piece]:
        pieces: list[Piece] = []
        text = "".join(char for char, _, _ in chars)
        at = 0 if len(chars) <= self._max_characters else None
        while at is not None and at < len(chars):
            end, index = self._longest(text, at)
            if index is None and self._partial and self._unknown >= 0:
                end, index = at + 1, self._unknown
            if index is None:
                break
            pieces.append((index, *_source(chars[at:end])))
            at = end
        if at == len(chars):
            return pieces
        if self._unknown < 0:
            raise ValueError(
                f"No pieces spell the word {text[:40]!r} at byte {chars[0][1]}; give an unknown token or train with it."
            )
        return [(self._unknown, *_source(chars))]

    def _longest(self, text: str, at: int) -> tuple[int, int | None]:
        """Give the end of the longest piece at `at`, and its id, None where there is none."""
        for end in range(min(len(text), at + self._longest_piece), at, -1):
            index = self._ids.get((self._prefix if at else "") + text[at:end])
            if index is not None:
                return end, index
        return at, None
