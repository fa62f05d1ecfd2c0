"""What subword tokenizers share: text to ids, pieces and spans, and back."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from numbers import Integral
from typing import Any, Literal, Self, overload

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from textprep_ml._kernels import load
from textprep_ml._parallel import collector_paused, count_jobs, cut_documents, leaves_process, map_chunks
from textprep_ml._validation import check_documents, map_leaves, shorten
from textprep_ml.base import TextTransformer
from textprep_ml.subword.added_tokens import AddedToken, TokenMatcher
from textprep_ml.subword.reading import read_parts
from textprep_ml.subword.runtime import Runtime

Ids = npt.NDArray[np.int32]


def to_text(data: bytes, errors: str = "replace") -> str:
    """Decode what pieces give: UTF-8 in which lone surrogates may stand in their three-byte form.

    Parameters
    ----------
    data : bytes
        The bytes of all pieces.
    errors : {"replace", "strict", "ignore", "surrogateescape", "backslashreplace"}
        What becomes of bytes that are no character.

    Returns
    -------
    str
        The text.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        parts = re.split(rb"(\xed[\xa0-\xbf][\x80-\xbf])", data)
        return "".join(part.decode("utf-8", "surrogatepass" if at % 2 else errors) for at, part in enumerate(parts))


class SubwordTokenizer(TextTransformer):
    """Base of the trained subword tokenizers.

    A subclass sets ``pieces_`` (id -> piece, None where an id is not used), ``added_tokens_`` and ``template_``, then
    ``_runtime``.
    """

    pieces_: list[str | None]
    added_tokens_: dict[str, AddedToken]
    template_: tuple[list[int], list[int]]
    _runtime: Runtime

    n_jobs: int | None
    special_tokens: Any

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that fitting is needed."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a vocabulary."""
        return "_runtime" in vars(self)

    # What subclasses fill in

    #: Whether encoding puts a blank before the text, or the last word's end decodes to one.
    _has_opening_blank = False
    _has_closing_blank = False

    def _finish_text(self, text: str) -> str:
        """Take away from a decoded text what encoding put there."""
        if self._has_opening_blank:
            text = text.removeprefix(" ")
        return text.removesuffix(" ") if self._has_closing_blank else text

    # Vocabulary

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Piece -> id, added tokens included.

        A byte that is no character by itself stands as a surrogate escape (U+DC80 to U+DCFF).
        """
        check_is_fitted(self)
        known = {piece: index for index, piece in enumerate(self.pieces_) if piece is not None}
        return known | {token: added.id for token, added in self.added_tokens_.items()}

    @property
    def special_tokens_(self) -> dict[str, int]:
        """Special token -> id."""
        check_is_fitted(self)
        return {token: added.id for token, added in self.added_tokens_.items() if added.special}

    def _piece_table(self) -> list[str | None]:
        """Give what each id is called, added tokens included."""
        ids = [added.id for added in self.added_tokens_.values()]
        table = self.pieces_ + [None] * (max([*ids, -1]) + 1 - len(self.pieces_))
        for token, added in self.added_tokens_.items():
            table[added.id] = token
        return table

    def id_to_piece(self, index: int) -> str:
        """Name a piece.

        Parameters
        ----------
        index : int
            An id.

        Returns
        -------
        str
            The piece.

        Raises
        ------
        ValueError
            If no piece has this id.
        """
        check_is_fitted(self)
        piece = self._table[index] if 0 <= index < len(self._table) else None
        if piece is None:
            raise ValueError(f"No piece has the id {index}; ids go from 0 to {len(self._table) - 1}.")
        return piece

    def piece_to_id(self, piece: str) -> int:
        """Look up a piece.

        Parameters
        ----------
        piece : str
            A piece or an added token.

        Returns
        -------
        int
            Its id.

        Raises
        ------
        ValueError
            If there is no such piece.
        """
        try:
            return self.vocabulary_[piece]
        except KeyError:
            raise ValueError(f"The vocabulary has no piece {shorten(piece)}.") from None

    def token_bytes(self, index: int) -> bytes:
        """Give the raw bytes that a piece decodes to.

        Parameters
        ----------
        index : int
            An id.

        Returns
        -------
        bytes
            Not always whole characters.
        """
        self.id_to_piece(index)
        return self._runtime.encoder.decode([index])

    # Encoding

    def encode(
        self,
        text: str,
        *,
        allowed_special: Collection[str] | Literal["all"] = (),
        on_special: Literal["text", "raise"] = "text",
        add_special_tokens: bool = False,
        as_array: bool = False,
    ) -> Any:
        """Turn a text into ids.

        Parameters
        ----------
        text : str
            One document.
        allowed_special : collection of str or "all", default=()
            Special tokens that are recognized in the text. All others are plain text, so that text from outside cannot
            hold control tokens.
        on_special : {"text", "raise"}, default="text"
            What a special token is that is not allowed: plain text or an error.
        add_special_tokens : bool, default=False
            Whether the tokens of the model's template, such as a begin token, are put around the text.
        as_array : bool, default=False
            Give an int32 array in place of a list.

        Returns
        -------
        list of int or ndarray of shape (n_pieces,)
            The ids.

        Raises
        ------
        ValueError
            If a character is unknown and there is neither an unknown token nor byte fallback, or a special token is
            found that may not be.
        """
        if (
            type(text) is str
            and self._is_plain
            and not allowed_special
            and not add_special_tokens
            and on_special == "text"
        ):
            return self._runtime.encoder.encode_array(text) if as_array else self._runtime.encoder.encode(text)
        text = self._check_text(text)
        ids = self._runtime.encode(text, self._skip(text, allowed_special, on_special))
        if add_special_tokens:
            ids = [*self.template_[0], *ids, *self.template_[1]]
        return np.array(ids, dtype=np.int32) if as_array else ids

    #: True on a fitted tokenizer whose kernel does everything by itself.
    _is_plain = False

    #: Whether the parts of a file, cut where no word is, may be encoded one by one.
    _encodes_parts = True

    def _check_text(self, text: Any) -> str:
        check_is_fitted(self)
        if not isinstance(text, str):
            raise TypeError(
                f"{type(self).__name__} encodes one str, but got {type(text).__name__}: {shorten(text)}. "
                "Use encode_batch for several."
            )
        return str(text)

    def _skip(self, text: str, allowed: Collection[str] | Literal["all"], on_special: str) -> Collection[str]:
        """Give the special tokens that are text."""
        if on_special not in ("text", "raise"):
            raise ValueError(f"on_special is {on_special!r}; expected 'text' or 'raise'.")
        specials = self._runtime.specials
        if allowed == "all":
            return frozenset()
        if isinstance(allowed, str):
            raise TypeError(
                f"allowed_special expects a collection of tokens or 'all', but got {shorten(allowed)}. "
                f"Pass {{{allowed!r}}}."
            )
        if not allowed and on_special == "text":
            return specials
        unknown = set(allowed) - specials
        if unknown:
            raise ValueError(
                f"allowed_special holds {shorten(min(unknown))}, which is no special token of this tokenizer."
            )
        skip = specials - set(allowed)
        if on_special == "raise":
            for start, end in TokenMatcher(specials).find(text):
                if text[start:end] in skip:
                    raise ValueError(
                        f"The text holds the special token {text[start:end]!r} at position {start}. "
                        "Allow it with allowed_special, or take it for text with on_special='text'."
                    )
        return skip

    @overload
    def encode_batch(
        self,
        X: Iterable[str],
        *,
        allowed_special: Collection[str] | Literal["all"] = (),
        as_array: Literal[False] = False,
        add_special_tokens: bool = False,
    ) -> list[list[int]]: ...
    @overload
    def encode_batch(
        self,
        X: Iterable[str],
        *,
        allowed_special: Collection[str] | Literal["all"] = (),
        as_array: Literal[True],
        add_special_tokens: bool = False,
    ) -> tuple[Ids, npt.NDArray[np.int64]]: ...
    def encode_batch(
        self,
        X: Iterable[str],
        *,
        allowed_special: Collection[str] | Literal["all"] = (),
        as_array: bool = False,
        add_special_tokens: bool = False,
    ) -> Any:
        """Turn many texts into ids, on `n_jobs` threads.

        Parameters
        ----------
        X : sequence of str
            Documents.
        allowed_special : collection of str or "all", default=()
            As for `encode`.
        as_array : bool, default=False
            Give two arrays, which takes a fraction of the memory of lists.
        add_special_tokens : bool, default=False
            Whether the tokens of the model's template are put around each text.

        Returns
        -------
        list of list of int, or (ids, offsets)
            The ids of each document; as arrays, those of document ``i`` are ``ids[offsets[i] : offsets[i + 1]]``.
        """
        check_is_fitted(self)
        documents = load("bpe_encode").copy_strings(X) if type(X) is list else None
        if documents is None:
            documents = check_documents(X, type(self).__name__)
        is_plain = self._is_plain and not allowed_special and not add_special_tokens
        if as_array and is_plain and not leaves_process(self.n_jobs):
            return self._runtime.encoder.encode_batch(documents, count_jobs(self.n_jobs))
        allowed = self._runtime.specials - set(self._skip("", allowed_special, "text"))
        encode = partial(self._at_call()._encode_chunk, as_array, add_special_tokens, allowed)
        cut = cut_documents(documents, self.n_jobs)
        firsts = accumulate([0, *map(len, cut[:-1])])
        with collector_paused():
            chunks = list(map_chunks(encode, list(zip(firsts, cut, strict=True)), self.n_jobs))
            return _joined(chunks) if as_array else list(chain.from_iterable(chunks))

    def _encode_chunk(
        self, as_array: bool, add_special_tokens: bool, allowed: Collection[str], chunk: tuple[int, Sequence[str]]
    ) -> Any:
        first, documents = chunk
        if (
            self._is_plain
            and not add_special_tokens
            and not any(token in text for token in allowed for text in documents)
        ):
            ids, offsets = self._runtime.encoder.encode_batch(documents)
            return (ids, offsets) if as_array else load("bpe_encode").rows(ids, offsets)
        rows = [
            self._at_row(row).encode(document, allowed_special=allowed, add_special_tokens=add_special_tokens)
            for row, document in enumerate(documents, start=first)
        ]
        if not as_array:
            return rows
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return np.array([index for row in rows for index in row], dtype=np.int32), offsets

    #: The chance of a call for many texts.
    _draw = 0

    def _at_call(self) -> Self:
        """Give the tokenizer for one call for many texts: itself, unless chance plays a part."""
        return self._with(_draw=self._runtime.draw()) if self._runtime.is_random else self

    def _at_row(self, row: int) -> Self:
        """Give the tokenizer for one of the texts of a call, so that its chance depends on no thread or process."""
        return self._with(_runtime=self._runtime.at_row(self._draw, row)) if self._runtime.is_random else self

    def _with(self, **attributes: Any) -> Self:
        tokenizer = object.__new__(type(self))
        tokenizer.__dict__.update(vars(self), **attributes)
        return tokenizer

    def encode_files(
        self, paths: Iterable[str | os.PathLike[str]], *, on_error: Literal["strict", "replace", "ignore"] = "strict"
    ) -> Iterator[Ids]:
        """Turn files into ids, one file after another.

        Parameters
        ----------
        paths : iterable of path-like
            UTF-8 files; each is one document.
        on_error : {"strict", "replace", "ignore"}, default="strict"
            What to do with bytes that are not UTF-8.

        Yields
        ------
        ndarray of shape (n_pieces,)
            Ids of one file, dtype int32.
        """
        for path in paths:
            yield np.concatenate([np.empty(0, np.int32), *self.encode_parts(path, on_error=on_error)])

    def encode_parts(
        self, path: str | os.PathLike[str], *, on_error: Literal["strict", "replace", "ignore"] = "strict"
    ) -> Iterator[Ids]:
        """Turn a file of any length into ids, a megabyte after another.

        Parameters
        ----------
        path : path-like
            A UTF-8 file, also ``.gz``, ``.xz`` or ``.zst``; or ``-`` for standard input. It is one document.
        on_error : {"strict", "replace", "ignore"}, default="strict"
            What to do with bytes that are not UTF-8.

        Yields
        ------
        ndarray of shape (n_pieces,)
            Ids of a part, dtype int32; joined they are those of the file. It is one part where added tokens, a
            normalizer or a pre-tokenizer of your own look at the whole text.
        """
        check_is_fitted(self)
        parts = read_parts(path, on_error=on_error)
        if self._is_plain and self._encodes_parts:
            threads = count_jobs(self.n_jobs)
            yield from (self._runtime.encoder.encode_array(part, threads) for part in parts)
        else:
            yield self.encode(b"".join(parts).decode("utf-8"), as_array=True)

    # Pieces and spans

    def _transform_one(self, text: str) -> list[str]:
        return [self._table[index] for index in self.encode(text)]

    def transform(self, X: Any) -> list[Any]:
        """Cut every string in `X` into pieces.

        Parameters
        ----------
        X : sequence of str, or nested lists of str
            Documents, or lists of tokens.

        Returns
        -------
        list
            The same nesting; each string replaced by the list of its pieces. Bytes that are no character by themselves
            stand as surrogate escapes (U+DC80 to U+DCFF).
        """
        check_is_fitted(self)
        return super(SubwordTokenizer, self._at_call()).transform(X)

    def _transform_chunk(self, chunk: tuple[int, Sequence[Any]]) -> list[Any]:
        if not self._runtime.is_random:
            return super()._transform_chunk(chunk)
        first, items = chunk
        name = type(self).__name__
        return [
            map_leaves(self._at_row(row)._transform_one, [item], name, row)[0]
            for row, item in enumerate(items, start=first)
        ]

    def spans(self, text: str, *, unit: Literal["characters", "bytes"] = "characters") -> npt.NDArray[np.intp]:
        """Tell where the pieces of a text come from.

        Parameters
        ----------
        text : str
            One document.
        unit : {"characters", "bytes"}, default="characters"
            What the spans count; bytes are those of UTF-8. A piece that holds a part of a character has the span of the
            whole character.

        Returns
        -------
        ndarray of shape (n_pieces, 2)
            Half-open spans into `text` as given, one per id of ``encode(text)``.
        """
        return self.encode_with_spans(text, unit=unit)[1]

    def encode_with_spans(
        self,
        text: str,
        *,
        unit: Literal["characters", "bytes"] = "characters",
        allowed_special: Collection[str] | Literal["all"] = (),
    ) -> tuple[list[int], npt.NDArray[np.intp]]:
        """Turn a text into ids and tell where they come from.

        Parameters
        ----------
        text : str
            One document.
        unit : {"characters", "bytes"}, default="characters"
            What the spans count.
        allowed_special : collection of str or "all", default=()
            As for `encode`.

        Returns
        -------
        ids : list of int
            As from `encode`.
        spans : ndarray of shape (n_pieces, 2)
            As from `spans`.
        """
        if unit not in ("characters", "bytes"):
            raise ValueError(f"unit is {unit!r}; expected 'characters' or 'bytes'.")
        text = self._check_text(text)
        encoded = self._runtime.encode_with_spans(text, self._skip(text, allowed_special, "text"))
        return encoded.ids, (encoded.characters if unit == "characters" else encoded.bytes_).astype(np.intp)

    # Decoding

    def decode_bytes(self, ids: Sequence[int] | Ids, *, skip_special_tokens: bool = False) -> bytes:
        """Join the raw bytes of pieces.

        Parameters
        ----------
        ids : sequence of int
            Ids of this vocabulary.
        skip_special_tokens : bool, default=False
            Leave special tokens out.

        Returns
        -------
        bytes
            As the pieces say, before anything that encoding added is taken away.

        Raises
        ------
        ValueError
            If an id is out of range.
        TypeError
            If something is no id.
        """
        check_is_fitted(self)
        items = self._check_ids(ids)
        specials = set(self.special_tokens_.values()) if skip_special_tokens else ()
        try:
            kept = [index for index in items if index not in specials] if specials else items
            return self._runtime.encoder.decode(kept)
        except TypeError:
            raise self._wrong_id(items) from None

    def _check_ids(self, ids: Any) -> Any:
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise TypeError(
                f"{type(self).__name__} decodes a sequence of ids, but got {type(ids).__name__}: {shorten(ids)}."
            )
        return ids if isinstance(ids, list | np.ndarray) else list(ids)

    def _wrong_id(self, ids: Any) -> TypeError | ValueError:
        """Say what is wrong with ids that the encoder refused: things that are no integers, or huge ones."""
        name = type(self).__name__
        for position, index in enumerate(ids if getattr(ids, "ndim", 1) else []):
            if isinstance(index, bool | np.bool_) or not isinstance(index, Integral):
                return TypeError(
                    f"{name} decodes one flat sequence of ids, but item {position} is {type(index).__name__}: "
                    f"{shorten(index)}. Use decode_batch for several."
                )
            if not 0 <= int(index) < 1 << 31:
                return ValueError(f"No symbol has the id {index}.")
        return TypeError(f"{name} decodes one flat sequence of ids, but got {shorten(ids)}.")

    def decode(self, ids: Sequence[int] | Ids, *, skip_special_tokens: bool = False, errors: str = "replace") -> str:
        """Turn ids back into text.

        Parameters
        ----------
        ids : sequence of int
            Ids of this vocabulary.
        skip_special_tokens : bool, default=False
            Leave special tokens out.
        errors : str, default="replace"
            What becomes of bytes that are no character, as for `bytes.decode`.

        Returns
        -------
        str
            The text.
        """
        return self._finish_text(to_text(self.decode_bytes(ids, skip_special_tokens=skip_special_tokens), errors))

    def decode_batch(
        self, rows: Iterable[Sequence[int] | Ids], *, skip_special_tokens: bool = False, errors: str = "replace"
    ) -> list[str]:
        """Turn the ids of many texts back.

        Parameters
        ----------
        rows : iterable of sequences of int
            As from `encode_batch`.
        skip_special_tokens : bool, default=False
            Leave special tokens out.
        errors : str, default="replace"
            As for `decode`.

        Returns
        -------
        list of str
            One text per row.
        """
        return [self.decode(row, skip_special_tokens=skip_special_tokens, errors=errors) for row in rows]


def _joined(chunks: Sequence[tuple[Ids, npt.NDArray[np.int64]]]) -> tuple[Ids, npt.NDArray[np.int64]]:
    counts = [np.diff(offsets) for _, offsets in chunks]
    return np.concatenate([ids for ids, _ in chunks]), np.concatenate([[0], np.cumsum(np.concatenate(counts))])
