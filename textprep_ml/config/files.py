"""The files that a configuration names: labelled documents, raw text, and where they are."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textprep_ml._files import decode, fail, iter_lines, open_binary
from textprep_ml._validation import shorten
from textprep_ml.corpora import guess_format, iter_rows
from textprep_ml.exceptions import CorpusFormatError

#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]

#: What paths to the data that is shared between checkouts start with.
SHARED = "../shared/"

_RAW_BYTES = 2 << 20


@dataclass(frozen=True)
class Corpus:
    """A file to train on or to measure with.

    Attributes
    ----------
    path : str
        As the configuration names it.
    weight : float
        Of each of its documents.
    format : str or None
        One of `textprep_ml.corpora.FORMATS`; None looks at the file.
    unlabelled : bool
        Whether the file is raw text, of which the teacher of a segmenter knows.
    share : float
        How much of such a text is taken.
    language : str or None
        Raw text of one language is balanced with that of others, when the configuration has a temperature.
    script : str or None
        Only the words of this writing system count, and those without letters.
    """

    path: str
    weight: float = 1.0
    format: str | None = None
    unlabelled: bool = False
    share: float = 1.0
    language: str | None = None
    script: str | None = None


def locate(path: str) -> Path:
    """Find a file that a configuration names.

    Parameters
    ----------
    path : str
        As the configuration has it.

    Returns
    -------
    Path
        Where it is looked up.
    """
    shared = os.environ.get("TEXTPREP_ML_SHARED")
    return Path(shared, path.removeprefix(SHARED)) if shared and path.startswith(SHARED) else Path(path)


def is_shared(path: Path) -> bool:
    """Whether it was to be in the shared folder, and nothing says where that is."""
    return path.as_posix().startswith(SHARED)


def is_known_name(path: Path) -> bool:
    """Whether it is the name of a data set of the Hub."""
    try:
        return guess_format(path) == "hub"
    except (OSError, ValueError):
        return False


def read_labelled(corpora: Iterable[Corpus]) -> tuple[list[str], list[list[list[int]]], list[float]]:
    """Read documents with their sentences.

    Parameters
    ----------
    corpora : iterable of Corpus
        Files.

    Returns
    -------
    texts : list of str
        Documents.
    spans : list of lists of [int, int]
        Sentences of each.
    weights : list of float
        Weight of each.

    Raises
    ------
    CorpusFormatError
        If a file is damaged or empty, or a document has no labels, or in parts only.
    """
    texts, spans, weights, labelled = read_partly_labelled(corpora)
    for index, parts in enumerate(labelled):
        if parts is not None:
            raise CorpusFormatError(
                f"Document {index}, which opens with {texts[index][:40]!r}, is labelled in parts only: it can be "
                "trained on, not measured with."
            )
    return texts, spans, weights


def read_partly_labelled(
    corpora: Iterable[Corpus],
) -> tuple[list[str], list[list[list[int]]], list[float], list[list[list[int]] | None]]:
    """Read documents with the sentences of the whole, or of the parts that have been labelled so far.

    Parameters
    ----------
    corpora : iterable of Corpus
        Files.

    Returns
    -------
    texts, spans, weights : list
        As `read_labelled` gives them.
    labelled : list of (list of [int, int] or None)
        The parts of each document in which its sentences count; None where all of it does.

    Raises
    ------
    CorpusFormatError
        If a file is damaged, empty or has no labels.
    """
    texts, spans, weights, labelled = [], [], [], []
    for corpus in corpora:
        for row in iter_rows(locate(corpus.path), corpus.format):
            if "sentences" not in row:
                raise CorpusFormatError(f"{corpus.path}: document {row['id']!r} has no sentences to learn from.")
            texts.append(row["text"])
            spans.append(row["sentences"])
            weights.append(corpus.weight)
            labelled.append(row.get("labelled"))
    return texts, spans, weights, labelled


def read_raw(paths: Iterable[str], progress: Progress) -> Iterator[str]:
    """Read unlabelled text in parts of about 2 MB that end with a line; ``.gz``, ``.xz`` and ``.zst`` are unpacked.

    Parameters
    ----------
    paths : iterable of str
        Files.
    progress : callable
        Told how many bytes of all files have been read.

    Yields
    ------
    str
        A part.

    Raises
    ------
    CorpusFormatError
        If a file is not UTF-8 or its packing is damaged.
    """
    located = [locate(path) for path in paths]
    total, done = sum(path.stat().st_size for path in located), 0

    def count(n: int) -> None:
        nonlocal done
        done += n

    for path in located:
        with open_binary(path, count) as file:
            line = 1
            while part := file.read(_RAW_BYTES):
                part += file.readline()
                yield decode(part, path, line)
                line += part.count(b"\n")
                progress("reading raw text", done, total)


def read_examples(corpora: Iterable[Corpus], target: str) -> tuple[list[str], list[Any], list[float]]:
    """Read documents with a label.

    Parameters
    ----------
    corpora : iterable of Corpus
        JSON lines with ``"text"`` and the label.
    target : str
        The key of the label.

    Returns
    -------
    texts : list of str
        Documents.
    labels : list of str, int or bool
        Label of each.
    weights : list of float
        Weight of each.

    Raises
    ------
    CorpusFormatError
        If a line is no such object, or a file is empty.
    """
    texts: list[str] = []
    labels: list[Any] = []
    weights: list[float] = []
    for corpus in corpora:
        before = len(texts)
        for number, row in _iter_objects(corpus):
            label = row.get(target)
            if not isinstance(label, str | int):
                keys = ", ".join(sorted(row))
                fail(corpus.path, number, f'no label under "{target}", which must be a string or integer; has {keys}.')
            texts.append(row["text"])
            labels.append(label)
            weights.append(corpus.weight)
        if len(texts) == before:
            fail(corpus.path, None, "the file holds no documents.")
    return texts, labels, weights


def read_documents(corpora: Iterable[Corpus]) -> list[str]:
    """Read documents, whether they have labels or not.

    Parameters
    ----------
    corpora : iterable of Corpus
        JSON lines with ``"text"``, or any format of corpora.

    Returns
    -------
    list of str
        Their texts.
    """
    texts: list[str] = []
    for corpus in corpora:
        path = locate(corpus.path)
        if (corpus.format or guess_format(path)) == "jsonl":
            texts += [row["text"] for _, row in _iter_objects(corpus)]
        else:
            texts += [row["text"] for row in iter_rows(path, corpus.format)]
    return texts


def _iter_objects(corpus: Corpus) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects of a JSON lines file that have a text, with their lines."""
    for number, line in iter_lines(locate(corpus.path)):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            fail(corpus.path, number, f"not JSON ({error}).")
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            fail(corpus.path, number, f'not a JSON object with a "text": {shorten(row)}.')
        yield number, row
