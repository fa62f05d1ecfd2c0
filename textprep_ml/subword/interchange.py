"""Byte-pair models from and to the files of other libraries."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from textprep_ml import _files
from textprep_ml._modelfile import write_text_atomically
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.alphabet import place_specials, special_list
from textprep_ml.subword.bytemap import BYTE_ORDER, fallback_name
from textprep_ml.subword.formats import merges_txt, sentencepiece_bpe, tiktoken, tokenizer_json
from textprep_ml.subword.formats.files import (
    FilePath,
    naming_json,
    read_bytes,
    read_json,
    read_text,
    write_json,
)
from textprep_ml.subword.formats.json_parts import piece_names
from textprep_ml.subword.formats.patterns import scheme_of_pattern
from textprep_ml.subword.formats.state import check
from textprep_ml.subword.model import Model, Style, merges_from_pairs
from textprep_ml.subword.text_rules import make_component


class Interchange:
    """Methods that read and write the field's formats; ids stay as they are in the file.

    The estimator brings what it is annotated with here.
    """

    _model: Callable[[], Model]
    _style: Callable[[], Style]
    _adopt: Callable[[Model], Any]
    get_params: Callable[..., dict[str, Any]]

    @classmethod
    def _make(cls, params: dict[str, Any], model: Model) -> Self:
        check(model)
        tokenizer = cls(**params)
        tokenizer._adopt(model)
        return tokenizer

    @classmethod
    def from_merges(
        cls, merges: Sequence[tuple[str | bytes, str | bytes]], *, alphabet: Iterable[str] = (), **params: Any
    ) -> Self:
        r"""Make a tokenizer from merges in the order of their rank.

        Parameters
        ----------
        merges : sequence of (piece, piece)
            Pieces as in `merges_`, or their bytes.
        alphabet : iterable of str, default=()
            In character mode, symbols in addition to those in the merges.
        **params
            Constructor parameters.

        Returns
        -------
        BPETokenizer
            Ready to encode.

        Examples
        --------
        >>> from textprep_ml.subword.bpe import BPETokenizer
        >>> tokenizer = BPETokenizer.from_merges([("a", "b"), ("ab", "\n")], pretokenizer="none")
        >>> tokenizer.transform(["abab\n"])
        [['ab', 'ab\n']]
        """
        blank = cls(**params)
        style, options = blank._style(), blank.get_params(deep=False)
        pairs = [(_as_bytes(left, style), _as_bytes(right, style)) for left, right in merges]
        specials = special_list(options["special_tokens"], options["unk_token"])
        base, byte_pieces = _base_pieces(pairs, alphabet, style, options["byte_fallback"], len(specials))
        joined = dict.fromkeys([*base, *(style.join(left, right) for left, right in pairs)])
        ids = {piece: index for index, piece in enumerate(joined, start=len(specials))}
        pieces: list[str | None] = [None] * len(specials) + [style.to_piece(piece) for piece in joined]
        added = {token: AddedToken(index, special=True) for index, token in enumerate(specials)}
        added |= place_specials(options["special_tokens"], len(pieces))
        return cls._make(params, Model(pieces, merges_from_pairs(pairs, ids, style), added, byte_pieces))

    # tokenizer.json

    def to_tokenizers_json(self, path: FilePath) -> None:
        """Write a ``tokenizer.json`` for `tokenizers` and the fast tokenizers of `transformers`.

        There, special tokens are always found in a text; here only when allowed.

        Parameters
        ----------
        path : path-like
            The file; an old one is replaced when the new one is complete.

        Raises
        ------
        ModelFormatError
            If the format has no way to say something; the message names it.
        """
        document = tokenizer_json.write(self._model(), self._style(), self.get_params(deep=False))
        write_json(path, document)

    @classmethod
    def from_tokenizers_json(cls, path: FilePath, **params: Any) -> Self:
        """Read a ``tokenizer.json`` that holds byte-pair encoding.

        Parameters
        ----------
        path : path-like
            The file.
        **params
            Constructor parameters that the file does not tell, such as `n_jobs`.

        Returns
        -------
        BPETokenizer
            With the ids of the file.

        Raises
        ------
        ModelFormatError
            If the file is damaged, or a component of it cannot be honoured; the message names it.
        """
        document = read_json(path)
        with naming_json(path):
            read, model = tokenizer_json.read(document)
            return cls._make(read | params, model)

    # sentencepiece

    @classmethod
    def for_sentencepiece(cls, *, remove_extra_whitespaces: bool = False, **params: Any) -> Self:
        """Make an unfitted tokenizer that works as those of sentencepiece do, so that it can be written for it.

        Parameters
        ----------
        remove_extra_whitespaces : bool, default=False
            No blanks at the ends of texts, and single ones inside.
        **params
            Constructor parameters.

        Returns
        -------
        BPETokenizer
            Characters with markers for blanks; a blank is put before every text.

        Examples
        --------
        >>> from textprep_ml.subword.bpe import BPETokenizer
        >>> tokenizer = BPETokenizer.for_sentencepiece(vocab_size=12).fit(["low lower lowest"])
        >>> tokenizer.transform(["low low"])
        [['▁low', '▁low']]
        """
        rules = make_component(remove_extra_whitespaces=remove_extra_whitespaces, add_dummy_prefix=True)
        return cls(**{**sentencepiece_bpe.PARAMS, "normalizer": rules, **params})

    def to_sentencepiece(self, path: FilePath) -> None:
        """Write a ``.model`` for sentencepiece.

        Parameters
        ----------
        path : path-like
            The file; an old one is replaced when the new one is complete.

        Raises
        ------
        ModelFormatError
            If sentencepiece would give other ids; the message names what it has not. See `for_sentencepiece`.
        ImportError
            If the protobuf package is not installed.
        """
        data = sentencepiece_bpe.write(self._model(), self._style(), self.get_params(deep=False))
        with _files.replacing(path) as temporary:
            Path(temporary).write_bytes(data)

    @classmethod
    def from_sentencepiece(cls, path: FilePath, **params: Any) -> Self:
        """Read a ``.model`` of sentencepiece that holds byte-pair encoding.

        Parameters
        ----------
        path : path-like
            The file.
        **params
            Constructor parameters that the file does not tell, such as `n_jobs` or `dropout`.

        Returns
        -------
        BPETokenizer
            With the ids of the file.

        Raises
        ------
        ModelFormatError
            If the file is damaged, or something in it cannot be honoured; the message names it.
        ImportError
            If the protobuf package is not installed.
        """
        data = read_bytes(path)
        try:
            read, model = sentencepiece_bpe.read(data)
            return cls._make(read | params, model)
        except (ModelFormatError, ValueError) as error:
            raise ModelFormatError(f"{os.fspath(path)}: {error}") from None

    # tiktoken

    def to_tiktoken(self, path: FilePath | None = None) -> dict[str, Any]:
        """Give what ``tiktoken.Encoding`` takes; write the ranks file too.

        Parameters
        ----------
        path : path-like, optional
            Where the ranks go, one base64 token a line.

        Returns
        -------
        dict
            ``pat_str``, ``mergeable_ranks`` and ``special_tokens``, for ``tiktoken.Encoding(name, **given)``.

        Raises
        ------
        ModelFormatError
            If tiktoken would give other ids.
        """
        model, params = self._model(), self.get_params(deep=False)
        if params["normalizer"] is not None or params["add_prefix_space"]:
            raise ModelFormatError("tiktoken has no normalizer and no add_prefix_space.")
        if params["dropout"]:
            raise ModelFormatError("tiktoken has no dropout.")
        if any(not added.special for added in model.added_tokens.values()):
            raise ModelFormatError("tiktoken has special tokens only, no other added tokens.")
        ranks = tiktoken.write(model, self._style())
        given = {
            "pat_str": tiktoken.pattern_of(params["pretokenizer"]),
            "mergeable_ranks": ranks,
            "special_tokens": {token: added.id for token, added in model.added_tokens.items()},
        }
        if path is not None:
            write_text_atomically(path, tiktoken.to_lines(ranks))
        return given

    @classmethod
    def from_tiktoken(
        cls,
        ranks: FilePath | Mapping[bytes, int],
        *,
        pretokenizer: str,
        special_tokens: Mapping[str, int] | None = None,
        **params: Any,
    ) -> Self:
        """Read a ranks file, or take the ranks of a ``tiktoken.Encoding``.

        Parameters
        ----------
        ranks : path-like or dict of bytes to int
            The file, or token -> rank.
        pretokenizer : str
            The scheme or expression that belongs to the ranks; the file does not tell it.
        special_tokens : dict of str to int, optional
            Special tokens with their ids.
        **params
            Constructor parameters.

        Returns
        -------
        BPETokenizer
            With ranks as ids.

        Raises
        ------
        ModelFormatError
            If the file is damaged.
        """
        if not isinstance(ranks, Mapping):
            ranks = tiktoken.from_lines(read_bytes(ranks).splitlines(), os.fspath(ranks))
        model, whole_words = tiktoken.read(dict(ranks))
        taken = set(ranks.values())
        for token, index in (special_tokens or {}).items():
            if index in taken:
                raise ModelFormatError(f"The id {index} of the special token {token!r} is a rank already.")
            model.added_tokens[token] = AddedToken(index, special=True)
        read = {
            "vocab_size": max(1, len(ranks)),
            "pretokenizer": scheme_of_pattern(pretokenizer, line_ends=False) or pretokenizer,
            "special_tokens": dict(special_tokens or {}),
            "whole_words": whole_words,
        }
        return cls._make(read | params, model)

    # vocab.json and merges.txt

    def to_vocab_merges(self, vocab_path: FilePath, merges_path: FilePath) -> None:
        """Write ``vocab.json`` and ``merges.txt`` as GPT-2 has them.

        Parameters
        ----------
        vocab_path, merges_path : path-like
            The files.

        Raises
        ------
        ModelFormatError
            If a piece holds white space, which separates the pieces of a merge.
        """
        model, style = self._model(), self._style()
        names = piece_names(model, style)
        content = merges_txt.to_lines(
            [(names[left] or "", names[right] or "") for left, right, _ in model.merges.tolist()]
        )
        vocabulary = {name: index for index, name in enumerate(names) if name is not None}
        write_text_atomically(vocab_path, json.dumps(vocabulary, ensure_ascii=False) + "\n")
        write_text_atomically(merges_path, content)

    @classmethod
    def from_vocab_merges(
        cls, vocab_path: FilePath, merges_path: FilePath, *, special_tokens: Sequence[str] = (), **params: Any
    ) -> Self:
        """Read ``vocab.json`` and ``merges.txt``.

        Parameters
        ----------
        vocab_path, merges_path : path-like
            The files.
        special_tokens : sequence of str, default=()
            Which pieces of the vocabulary are control tokens.
        **params
            Constructor parameters; the files tell none (by default byte-level with GPT-2's words).

        Returns
        -------
        BPETokenizer
            With the ids of the vocabulary.

        Raises
        ------
        ModelFormatError
            If a file is damaged or the two do not fit together.
        """
        vocabulary = read_json(vocab_path)
        pairs, _ = merges_txt.from_lines(read_text(merges_path), os.fspath(merges_path))
        missing = [token for token in special_tokens if token not in vocabulary]
        if missing:
            raise ModelFormatError(f"{os.fspath(vocab_path)} has no special token {missing[0]!r}.")
        source = {"vocab": vocabulary, "merges": pairs, "byte_fallback": params.get("byte_fallback")}
        added = {token: AddedToken(vocabulary[token], special=True) for token in special_tokens}
        model = tokenizer_json.read_model(source, added, cls(**params)._style())
        return cls._make({"vocab_size": max(1, len(vocabulary))} | params, model)

    # subword-nmt

    def to_subword_nmt(self, path: FilePath) -> None:
        """Write the codes of subword-nmt: merges of characters with ``</w>``.

        Parameters
        ----------
        path : path-like
            The file. The codes hold merges only, no ids.

        Raises
        ------
        ModelFormatError
            If the model is of another kind.
        """
        style, specification = self._style(), self.get_params(deep=False)["pretokenizer"]
        if style.byte_level or style.marker != "</w>" or style.prefix or specification != "blank":
            raise ModelFormatError(
                "subword-nmt codes need byte_level=False, pretokenizer='blank', end_of_word='</w>', no prefix."
            )
        model = self._model()
        pairs = [(model.pieces[left] or "", model.pieces[right] or "") for left, right, _ in model.merges.tolist()]
        write_text_atomically(path, merges_txt.to_lines(pairs, "0.2" if style.marker_joined else "0.1"))

    @classmethod
    def from_subword_nmt(cls, path: FilePath, *, alphabet: Iterable[str] = (), **params: Any) -> Self:
        """Read the codes of subword-nmt; ids are given in the order of the file.

        Parameters
        ----------
        path : path-like
            The file.
        alphabet : iterable of str, default=()
            Characters in addition to those in the merges, in all forms.
        **params
            Constructor parameters, such as `unk_token` for characters that no merge has.

        Returns
        -------
        BPETokenizer
            In character mode.

        Raises
        ------
        ModelFormatError
            If the file is damaged.
        """
        pairs, version = merges_txt.from_lines(read_text(path), os.fspath(path))
        joined = version != "0.1"
        forms = [char + end for char in alphabet for end in (["", "</w>"] if joined else [""])]
        read = {"byte_level": False, "pretokenizer": "blank", "end_of_word": "</w>", "join_end_of_word": joined}
        return cls.from_merges(pairs, alphabet=forms if joined else ["</w>", *forms], **(read | params))


def _as_bytes(piece: str | bytes, style: Style) -> bytes:
    return piece if isinstance(piece, bytes) else style.to_bytes(piece)


def _base_pieces(
    pairs: Sequence[tuple[bytes, bytes]], alphabet: Iterable[str], style: Style, byte_fallback: bool, first_id: int
) -> tuple[list[bytes], list[int] | None]:
    """List the pieces that no merge makes, and the ids of the bytes where characters fall back to them."""
    if style.byte_level:
        return [bytes([byte]) for byte in BYTE_ORDER], None
    made: set[bytes] = set()
    base = {style.to_bytes(piece): None for piece in alphabet}
    for left, right in pairs:
        base.update({part: None for part in (left, right) if part not in made})
        made.add(style.join(left, right))
    if not byte_fallback:
        return list(base), None
    names = [fallback_name(byte).encode("ascii") for byte in range(256)]
    return [*names, *base], list(range(first_id, first_id + 256))
