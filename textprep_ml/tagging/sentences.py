"""Nested lists of tokens: checked, flattened to sentences, and put back into their nesting."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from textprep_ml._validation import refuse_container, shorten
from textprep_ml.corpora import iter_rows
from textprep_ml.exceptions import CorpusFormatError

COLUMNS = ("upos", "xpos")


def flatten(X: Iterable[Any], owner: str, what: str = "document") -> tuple[list[Any], list[list[str]]]:
    """Find the sentences in nested lists.

    Parameters
    ----------
    X : iterable
        Documents. A list of strings below the top is a sentence of tokens; a string at the top is a sentence whose
        tokens are separated by white space.
    owner : str
        The name that the error message opens with.
    what : str
        What the error message calls an item of `X`.

    Returns
    -------
    items : list
        The items of `X`.
    sentences : list of list of str
        All sentences in order.

    Raises
    ------
    TypeError
        If something is neither a list nor a string; the message has its place.
    """
    refuse_container(X, owner)
    items = list(X)
    sentences: list[list[str]] = []
    for index, item in enumerate(items):
        if isinstance(item, str):
            sentences.append(str(item).split())
        else:
            _collect(item, sentences, owner, what, (index,))
    return items, sentences


def _is_sentence(item: Any) -> bool:
    return not len(item) or isinstance(item[0], str)


def _collect(item: Any, sentences: list[list[str]], owner: str, what: str, place: tuple[int, ...]) -> None:
    where = " > ".join(map(str, place))
    if not (isinstance(item, list | tuple) or getattr(item, "ndim", 0) == 1):
        raise TypeError(
            f"{owner} expects lists of str tokens, but {what} {where} is {type(item).__name__}: {shorten(item)}. "
            "Drop or convert it first."
        )
    if not _is_sentence(item):
        for index, inner in enumerate(item):
            _collect(inner, sentences, owner, what, (*place, index))
        return
    tokens = list(item)
    for index, token in enumerate(tokens):
        if not isinstance(token, str):
            raise TypeError(
                f"{owner} expects str tokens, but token {index} of {what} {where} is {type(token).__name__}: "
                f"{shorten(token)}."
            )
    sentences.append(tokens)


def restore(items: Iterable[Any], results: Iterator[Any]) -> list[Any]:
    """Put one result per sentence into the nesting of `items`.

    Parameters
    ----------
    items : iterable
        What `flatten` gave.
    results : iterator
        One result per sentence.

    Returns
    -------
    list
        The same nesting.
    """
    return [next(results) if isinstance(item, str) or _is_sentence(item) else restore(item, results) for item in items]


def read_tagged(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], column: str = "upos"
) -> tuple[list[list[str]], list[list[str]]]:
    """Read tagged sentences from CoNLL-U files.

    Parameters
    ----------
    paths : path, or iterable of paths
        Files, compressed or not.
    column : {"upos", "xpos"}, default="upos"
        The universal tags, or those of the language.

    Returns
    -------
    sentences : list of list of str
        Tokens.
    tags : list of list of str
        Their tags.

    Raises
    ------
    CorpusFormatError
        If a file breaks the format or a word has no tag.
    ValueError
        If the column is unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from textprep_ml.tagging import read_tagged
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.conllu"
    >>> lines = ["1 Dogs dog NOUN NNS _ 2 nsubj _ _", "2 bark bark VERB VBP _ 0 root _ _"]
    >>> _ = path.write_text("\\n".join(lines).replace(" ", "\\t") + "\\n\\n")
    >>> read_tagged(path), read_tagged(path, "xpos")[1]
    (([['Dogs', 'bark']], [['NOUN', 'VERB']]), [['NNS', 'VBP']])
    """
    if column not in COLUMNS:
        raise ValueError(f"column must be 'upos' or 'xpos', but got {shorten(column)}.")
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    sentences: list[list[str]] = []
    tags: list[list[str]] = []
    for path in files:
        for row in iter_rows(path, format="conllu"):
            for words, names in _split(row, column):
                if "_" in names:
                    raise CorpusFormatError(
                        f"{path}, sentence {len(sentences)}: {words[names.index('_')]!r} has no {column} tag. "
                        f"Take another column ({', '.join(COLUMNS)}) or remove the sentence."
                    )
                sentences.append(words)
                tags.append(names)
    return sentences, tags


def _split(row: dict[str, Any], column: str) -> Iterator[tuple[list[str], list[str]]]:
    """Cut the parallel lists of a document at the ends of its sentences."""
    forms, names, spans = row["forms"], row[column], row["tokens"]
    first = 0
    for _, end in row["sentences"]:
        last = first
        while last < len(spans) and spans[last][0] < end:
            last += 1
        yield forms[first:last], names[first:last]
        first = last


def check_parallel(sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], owner: str) -> None:
    """Check that every token has a tag.

    Parameters
    ----------
    sentences, tags : sequences of sequences of str
        What should run parallel.
    owner : str
        The name that the error message opens with.

    Raises
    ------
    ValueError
        If lengths differ; the message names the sentence.
    """
    if len(sentences) != len(tags):
        raise ValueError(f"{owner} got {len(sentences)} sentences in X but {len(tags)} sequences of tags in y.")
    for index, (words, names) in enumerate(zip(sentences, tags, strict=True)):
        if len(words) != len(names):
            raise ValueError(
                f"{owner}: sentence {index} has {len(words)} tokens but {len(names)} tags: "
                f"{shorten(words)}, {shorten(names)}."
            )
