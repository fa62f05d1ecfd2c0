"""WordPiece models from and to the files of other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Self

from textprep_ml._modelfile import write_text_atomically
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.formats import vocab_txt, wordpiece_json
from textprep_ml.subword.formats.files import FilePath, naming_json, read_json, read_text, write_json
from textprep_ml.subword.formats.json_parts import piece_names
from textprep_ml.subword.formats.state import check
from textprep_ml.subword.model import Model, Style

#: The special tokens of BERT's vocabularies.
BERT_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


class WordPieceInterchange:
    """Methods that read and write the field's formats; ids stay as they are in the file.

    The estimator brings what it is annotated with here.
    """

    _model: Callable[[], Model]
    _style: Callable[[], Style]
    _adopt: Callable[[Model], Any]
    _template: Callable[[Model], tuple[list[int], list[int]]]
    get_params: Callable[..., dict[str, Any]]

    @classmethod
    def _make(cls, params: dict[str, Any], model: Model) -> Self:
        check(model)
        tokenizer = cls(**params)
        tokenizer._adopt(model)
        return tokenizer

    # tokenizer.json

    def to_tokenizers_json(self, path: FilePath) -> None:
        """Write a ``tokenizer.json`` for `tokenizers` and the fast tokenizers of `transformers`.

        There, special tokens are always found in a text; here only when allowed: ``allowed_special="all"`` gives the
        same ids for every text.

        Parameters
        ----------
        path : path-like
            The file; an old one is replaced when the new one is complete.

        Raises
        ------
        ModelFormatError
            If the format has no way to say something; the message names it.
        """
        document = wordpiece_json.write(self._model(), self._style(), self.get_params(deep=False))
        write_json(path, document)

    @classmethod
    def from_tokenizers_json(cls, path: FilePath, **params: Any) -> Self:
        """Read a ``tokenizer.json`` that holds WordPiece.

        Parameters
        ----------
        path : path-like
            The file.
        **params
            Constructor parameters that the file does not tell, such as `n_jobs`.

        Returns
        -------
        WordPieceTokenizer
            With the ids of the file.

        Raises
        ------
        ModelFormatError
            If the file is damaged, or a component of it cannot be honoured; the message names it.
        """
        document = read_json(path)
        with naming_json(path):
            read, model = wordpiece_json.read(document)
            return cls._make(read | params, model)

    # vocab.txt

    def to_vocab_txt(self, path: FilePath) -> None:
        """Write the ``vocab.txt`` of BERT: one piece a line, in the order of their ids.

        The file holds the vocabulary only: normalizer and words have to be told to `from_vocab_txt` again.

        Parameters
        ----------
        path : path-like
            The file; an old one is replaced when the new one is complete.

        Raises
        ------
        ModelFormatError
            If an id has no piece, or a piece holds a line break or white space at its ends; the message names it.
        """
        if self._style().prefix != "##":
            raise ModelFormatError(f"vocab.txt has the prefix '##', but this model has {self._style().prefix!r}.")
        write_text_atomically(path, vocab_txt.to_lines(piece_names(self._model(), self._style())))

    @classmethod
    def from_vocab_txt(cls, path: FilePath, *, special_tokens: Iterable[str] | None = None, **params: Any) -> Self:
        """Read a ``vocab.txt``.

        Parameters
        ----------
        path : path-like
            The file.
        special_tokens : iterable of str, optional
            Which pieces are control tokens, by default those of BERT that are there. An `unk_token` is one too.
        **params
            Constructor parameters; the file tells none. An uncased vocabulary needs ``normalizer="bert-uncased"``.

        Returns
        -------
        WordPieceTokenizer
            With the line numbers, from 0 on, as ids.

        Raises
        ------
        ModelFormatError
            If the file is damaged, or lacks a special token.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from textprep_ml.subword.wordpiece import WordPieceTokenizer
        >>> path = pathlib.Path(tempfile.mkdtemp(), "vocab.txt")
        >>> _ = path.write_text("[UNK]\\nun\\n##aff\\n##able\\n")
        >>> WordPieceTokenizer.from_vocab_txt(path).encode("unaffable")
        [1, 2, 3]
        """
        name = os.fspath(path)
        pieces = vocab_txt.from_lines(read_text(path), name)
        ids = {piece: index for index, piece in enumerate(pieces)}
        unknown = params.get("unk_token", "[UNK]")
        wanted = [token for token in BERT_TOKENS if token in ids] if special_tokens is None else list(special_tokens)
        wanted += [unknown] if unknown is not None and unknown not in wanted else []
        for token in wanted:
            if token not in ids:
                raise ModelFormatError(f"{name} has no special token {token!r}: pass special_tokens and unk_token.")
        vocabulary = wordpiece_json.read_model(ids, {token: AddedToken(ids[token], special=True) for token in wanted})
        read = {"vocab_size": len(pieces), "special_tokens": sorted(wanted, key=ids.__getitem__)}
        blank = cls(**(read | params))
        vocabulary.template = blank._template(vocabulary)
        return cls._make(read | params, vocabulary)
