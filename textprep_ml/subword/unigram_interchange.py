"""Unigram models from and to the files of other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from textprep_ml import _files
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.formats import sentencepiece_unigram, unigram_json
from textprep_ml.subword.formats.files import FilePath, naming_json, read_bytes, read_json, write_json
from textprep_ml.subword.unigram_model import UnigramModel


class UnigramInterchange:
    """Methods that read and write the field's formats; ids stay as they are in the file.

    The estimator brings what it is annotated with here.
    """

    _model: Callable[[], UnigramModel]
    _adopt: Callable[[UnigramModel], Any]
    get_params: Callable[..., dict[str, Any]]

    @classmethod
    def _make(cls, params: dict[str, Any], model: UnigramModel) -> Self:
        tokenizer = cls(**params)
        tokenizer._adopt(model)
        return tokenizer

    def to_sentencepiece(self, path: FilePath) -> None:
        """Write a ``.model`` for sentencepiece.

        Parameters
        ----------
        path : path-like
            The file; an old one is replaced when the new one is complete.

        Raises
        ------
        ModelFormatError
            If the format has no way to say something; the message names it.
        ImportError
            If the protobuf package is not installed.
        """
        data = sentencepiece_unigram.write(self._model(), self.get_params(deep=False))
        with _files.replacing(path) as temporary:
            Path(temporary).write_bytes(data)

    @classmethod
    def from_sentencepiece(cls, path: FilePath, **params: Any) -> Self:
        """Read a ``.model`` of sentencepiece that holds a unigram model.

        Parameters
        ----------
        path : path-like
            The file.
        **params
            Constructor parameters that the file does not tell, such as `n_jobs`.

        Returns
        -------
        UnigramTokenizer
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
            read, model = sentencepiece_unigram.read(data)
            return cls._make(read | params, model)
        except (ModelFormatError, ValueError) as error:
            raise ModelFormatError(f"{os.fspath(path)}: {error}") from None

    def to_tokenizers_json(self, path: FilePath) -> None:
        """Write a ``tokenizer.json`` for `tokenizers` and the fast tokenizers of `transformers`.

        There, special tokens are always found in a text; here only when allowed. Scores are summed in double precision
        there: with ``score_sums="text"`` ways of the same probability, such as ``"aa" + "a"`` and ``"a" + "aa"``, may
        come out otherwise.

        Parameters
        ----------
        path : path-like
            The file; an old one is replaced when the new one is complete.

        Raises
        ------
        ModelFormatError
            If the format has no way to say something; the message names it.
        """
        document = unigram_json.write(self._model(), self.get_params(deep=False))
        write_json(path, document)

    @classmethod
    def from_tokenizers_json(cls, path: FilePath, **params: Any) -> Self:
        """Read a ``tokenizer.json`` that holds a unigram model.

        Parameters
        ----------
        path : path-like
            The file.
        **params
            Constructor parameters that the file does not tell, such as `n_jobs`.

        Returns
        -------
        UnigramTokenizer
            With the ids of the file.

        Raises
        ------
        ModelFormatError
            If the file is damaged, or a component of it cannot be honoured; the message names it.
        """
        document = read_json(path)
        with naming_json(path):
            read, model = unigram_json.read(document)
            return cls._make(read | params, model)
