"""What `annotate` gives: a few columns for each layer, over all documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from textprep_ml._validation import shorten

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """The sentences, tokens or pieces of all documents, in order.

    Attributes
    ----------
    kind : {"sentences", "tokens", "pieces"}
        What they are.
    spans : ndarray of shape (n, 2)
        Half-open spans in the raw document, in code points, dtype intp.
    parents : ndarray of shape (n,)
        The item of the layer above that each was cut from; of the outermost layer, the document.
    texts : list of str
        The strings themselves, as the pipeline gives them: normalized where it normalizes.
    ids : ndarray of shape (n,) or None
        Ids of pieces, dtype int32.
    tags : list of str or None
        Tags of tokens.
    """

    kind: str
    spans: np.ndarray
    parents: np.ndarray
    texts: list[str]
    ids: np.ndarray | None = None
    tags: list[str] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"Layer({len(self)} {self.kind}: {shorten(self.texts[:8])})"

    def cut(self, first: int, last: int, shift: int) -> Layer:
        """Give a stretch of the layer.

        Parameters
        ----------
        first, last : int
            Items from `first` up to `last`.
        shift : int
            The item of the layer above that is now the first one.

        Returns
        -------
        Layer
            Views where they are arrays.
        """
        part = slice(first, last)
        return replace(
            self,
            spans=self.spans[part],
            parents=self.parents[part] - shift,
            texts=self.texts[part],
            ids=None if self.ids is None else self.ids[part],
            tags=None if self.tags is None else self.tags[part],
        )


class Annotations(Sequence["Annotations"]):
    """Documents with the layers that a pipeline found in them; `annotate` makes it.

    It has the length of the documents; ``annotations[3]`` and ``annotations[2:5]`` are the annotations of these
    documents alone.

    Parameters
    ----------
    texts : list of str
        Raw documents.
    layers : dict of str to Layer
        Layer by its name, from the outermost to the innermost: ``"sentences"``, ``"tokens"``, ``"pieces"``, as far as
        the pipeline has such steps. Where two steps make the same kind, the second is called as the step.

    Examples
    --------
    >>> from textprep_ml import annotate, make_text_pipeline
    >>> found = annotate(make_text_pipeline(segmenter="rules"), ["It rains. Stay in.", "Yes"])
    >>> found[1].tokens.texts, found.document_numbers("tokens").tolist()
    (['Yes'], [0, 0, 0, 0, 0, 0, 1])
    >>> found.to_columns()["sentences"]
    [[[0, 9], [10, 18]], [[0, 3]]]
    """

    def __init__(self, texts: list[str], layers: dict[str, Layer]) -> None:
        self.texts = texts
        self.layers = layers

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        counts = [(len(self), "documents"), *((len(layer), name) for name, layer in self.layers.items())]
        shown = [f"{n} {name.removesuffix('s') if n == 1 else name}" for n, name in counts]
        return f"Annotations({', '.join(shown)})"

    @overload
    def __getitem__(self, index: int) -> Annotations: ...
    @overload
    def __getitem__(self, index: slice) -> Annotations: ...
    def __getitem__(self, index: int | slice) -> Annotations:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step != 1:
                raise ValueError(f"Annotations are cut without a step, but got {index}.")
        else:
            first = range(len(self))[index]
            last = first + 1
        texts = self.texts[first : max(first, last)]
        layers: dict[str, Layer] = {}
        for name, layer in self.layers.items():
            start, end = np.searchsorted(layer.parents, [first, max(first, last)]).tolist()
            layers[name] = layer.cut(start, end, first)
            first, last = start, end
        return Annotations(texts, layers)

    # Layers

    def _layer(self, name: str) -> Layer:
        if name not in self.layers:
            has = ", ".join(self.layers) or "no layers"
            raise AttributeError(f"These annotations have no {name}, because the pipeline finds none; they have {has}.")
        return self.layers[name]

    @property
    def sentences(self) -> Layer:
        """The sentences; an AttributeError where the pipeline has no segmenter."""
        return self._layer("sentences")

    @property
    def tokens(self) -> Layer:
        """The tokens; an AttributeError where the pipeline has no tokenizer."""
        return self._layer("tokens")

    @property
    def pieces(self) -> Layer:
        """The pieces; an AttributeError where the pipeline has no subword tokenizer."""
        return self._layer("pieces")

    def parent_of(self, name: str) -> str:
        """Name the layer above.

        Parameters
        ----------
        name : str
            A layer.

        Returns
        -------
        str
            Another layer, or ``"documents"``.
        """
        names = ["documents", *self.layers]
        return names[names.index(name) - 1]

    def document_numbers(self, name: str) -> np.ndarray:
        """Give the document of each item of a layer.

        Parameters
        ----------
        name : str
            A layer.

        Returns
        -------
        ndarray of shape (n,)
            Indices, dtype intp.
        """
        numbers = self._layer(name).parents
        while (name := self.parent_of(name)) != "documents":
            numbers = self.layers[name].parents[numbers]
        return numbers

    def surfaces(self, name: str) -> list[str]:
        """Give what each item of a layer was made from.

        Parameters
        ----------
        name : str
            A layer.

        Returns
        -------
        list of str
            Slices of the raw documents.
        """
        spans = self._layer(name).spans.tolist()
        numbers = self.document_numbers(name).tolist()
        return [self.texts[number][start:end] for number, (start, end) in zip(numbers, spans, strict=True)]

    # Other forms

    def to_columns(self) -> dict[str, list[Any]]:
        """Give everything as lists, one item per document.

        Returns
        -------
        dict of str to list
            ``sentences``, ``tokens``, ``pieces``: spans. ``sentence_texts``, ``token_texts``, ``piece_texts``: strings.
            ``token_sentences``, ``piece_tokens``: the item of the layer above, counted within the document. ``tags``,
            ``piece_ids``. What the pipeline does not find is left out.
        """
        from textprep_ml.annotation.tables import to_columns

        return to_columns(self)

    def to_arrow(self) -> Any:
        """Give everything as an Arrow table, one row per document, for Parquet and `datasets`.

        Returns
        -------
        pyarrow.Table
            ``text`` and the columns of `to_columns`.

        Raises
        ------
        ValueError
            If a document has a lone surrogate, which Arrow cannot hold.
        """
        from textprep_ml.annotation.tables import to_arrow

        return to_arrow(self)

    def to_pandas(self, layer: str | None = None) -> pd.DataFrame:
        """Give a layer as a frame, one row per item.

        Parameters
        ----------
        layer : str, optional
            By default the innermost one.

        Returns
        -------
        pandas.DataFrame
            ``document``; the number of each layer above within the document (``sentence``, ``token``); ``start``,
            ``end``, ``surface`` (of the raw text), ``text``, and ``id`` or ``tag``.
        """
        from textprep_ml.annotation.tables import to_pandas

        return to_pandas(self, layer)

    def to_jsonl(self, path: str | os.PathLike[str]) -> None:
        """Write JSON lines, one document a line, with the keys of `to_columns`.

        Where the pipeline finds sentences, `iter_rows` reads the file, so that ``textprep train`` and
        ``textprep evaluate`` do.

        Parameters
        ----------
        path : str or path-like
            The file; an old one is replaced when the new one is complete.
        """
        from textprep_ml.annotation.tables import write_jsonl

        write_jsonl(self, path)

    def to_conllu(self, path: str | os.PathLike[str], column: str = "upos") -> None:
        """Write CoNLL-U, from which the raw text can be read again.

        Tokens that were made from the same characters are the words of one multiword token. What stands outside of
        tokens, because the tokenizer or a normalizer drops it, becomes a token without a tag.

        Parameters
        ----------
        path : str or path-like
            The file; an old one is replaced when the new one is complete.
        column : {"upos", "xpos"}, default="upos"
            Where tags go.

        Raises
        ------
        CorpusFormatError
            If a document is blank: CoNLL-U has no way to say so.
        """
        from textprep_ml.annotation.tokenlines import write_conllu

        write_conllu(self, path, column)

    def to_spacy(self, vocab: Any = None) -> list[Any]:
        """Give spaCy documents; needs the extra ``spacy``.

        ``doc.text`` is the raw text. Tokens that were made from the same characters are one token there, and what
        stands outside of tokens is one too. Pieces are in ``doc.user_data["pieces"]``.

        Parameters
        ----------
        vocab : spacy.vocab.Vocab, optional
            By default a new one.

        Returns
        -------
        list of spacy.tokens.Doc
            One per document.
        """
        from textprep_ml.annotation.spacy_docs import to_spacy

        return to_spacy(self, vocab)

    def _repr_html_(self) -> str:
        """Draw sentences, tokens and pieces under one another, for notebooks."""
        from textprep_ml.annotation.drawing import to_html

        return to_html(self)
