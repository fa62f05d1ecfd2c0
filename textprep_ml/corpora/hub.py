"""Rows <-> `datasets.Dataset`: data sets on the Hub, saved ones, and the tables that `read_corpus` gives.

`datasets` takes half a second to import, so that every function here does it for itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textprep_ml._files import fail
from textprep_ml.corpora._rows import Row, check_sentences, check_text, shorten
from textprep_ml.corpora.registry import UD_REPOSITORY, UD_REVISION
from textprep_ml.exceptions import CorpusFormatError

if TYPE_CHECKING:
    from datasets import Dataset

#: Names of corpora on the Hub: ``ud:TREEBANK`` and ``hub:OWNER/NAME`` or ``hub:OWNER/NAME:CONFIGURATION``.
NAME = re.compile(r"(ud|hub):(.+)")

_SPACE_AFTER_NO = re.compile(r"SpaceAfter\W+No\b")
_SENTENCE_NUMBER = re.compile(r"[-_.:]?s?[0-9]+$")
_MARKS_OF_SAVED = ("state.json", "dataset_dict.json")


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Tell whether a folder was written by `datasets.Dataset.save_to_disk` or that of a `DatasetDict`."""
    return any((Path(path) / name).is_file() for name in _MARKS_OF_SAVED)


def iter_hub(name: str, *, split: str = "train") -> Iterator[Row]:
    """Load a data set from the Hub and stream its documents.

    Parameters
    ----------
    name : str
        ``"ud:en_ewt"`` for a treebank of Universal Dependencies, or ``"hub:OWNER/NAME"``, where
        ``":CONFIGURATION"`` may follow, for a data set with columns "text" and "sentences".
    split : str
        ``"train"``, ``"validation"``, ``"test"``, or what else `datasets.load_dataset` takes.

    Yields
    ------
    dict
        One document.

    Raises
    ------
    OSError
        If the Hub cannot be reached or has no such data set.
    CorpusFormatError
        If the data set has other columns.
    """
    import datasets

    name = os.fspath(name)
    match = NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} names no corpus; expected 'ud:TREEBANK' such as 'ud:en_ewt', or 'hub:OWNER/NAME'.")
    kind, rest = match.groups()
    if kind == "ud":
        repository, configuration, revision = UD_REPOSITORY, rest, UD_REVISION
    else:
        repository, _, configuration = rest.partition(":")
        revision = None
    try:
        dataset = datasets.load_dataset(repository, configuration or None, split=split, revision=revision)
    except (
        OSError,
        ValueError,
    ) as error:  # `datasets` has no error of its own for "no network", "no such set", "no such split"
        raise OSError(
            f"{name} (split {split!r}) could not be loaded from the Hub: {error}. "
            "Where there is no network, give the path of a downloaded .conllu file or of a saved data set instead."
        ) from error
    yield from rows_of(dataset, name)


def iter_saved(path: str | os.PathLike[str], *, split: str = "train") -> Iterator[Row]:
    """Stream the documents of a data set that was saved with `save_to_disk`.

    Parameters
    ----------
    path : str or path-like
        The folder.
    split : str
        Which one, where a `datasets.DatasetDict` was saved.

    Yields
    ------
    dict
        One document.
    """
    import datasets

    dataset = datasets.load_from_disk(os.fspath(path))
    if isinstance(dataset, datasets.DatasetDict):
        if split not in dataset:
            fail(path, None, f"there is no split {split!r}; there are {', '.join(dataset)}. Pass split=.")
        dataset = dataset[split]
    yield from rows_of(dataset, os.fspath(path))


def rows_of(dataset: Dataset, name: str) -> Iterator[Row]:
    """Stream the documents of a data set: one of ours, or one of the shape of Universal Dependencies on the Hub.

    Parameters
    ----------
    dataset : datasets.Dataset
        With columns "text" and "sentences", or "idx", "text" and "misc" with one sentence a row.
    name : str
        What errors call it.

    Yields
    ------
    dict
        One document. From the Hub's Universal Dependencies come "id", "text" and "sentences" only. Their documents
        are the runs of rows whose ids are equal but for the number at the end; where paragraphs began is not
        recorded there.

    Raises
    ------
    CorpusFormatError
        If there are other columns, or a span is wrong; the message counts rows from 1, as lines are.
    """
    columns = set(dataset.column_names)
    if {"text", "sentences"} <= columns:
        yield from _checked(dataset, name)
    elif {"idx", "text", "misc"} <= columns:
        rows = dataset.select_columns(["idx", "text", "misc"])
        for document, sentences in groupby(rows, key=lambda row: _SENTENCE_NUMBER.sub("", row["idx"])):
            yield _joined(document or name.partition(":")[2], sentences)
    else:
        fail(
            name,
            None,
            f"the columns are {', '.join(sorted(columns))}; "
            "expected text and sentences, or those of Universal Dependencies.",
        )


def _checked(dataset: Iterable[Mapping[str, Any]], name: str) -> Iterator[Row]:
    for number, value in enumerate(dataset, start=1):
        complain = partial(fail, name, number)
        row = {key: item for key, item in value.items() if item is not None}
        check_text(row.get("text"), complain)
        sentences = check_sentences(row.get("sentences"), row["text"], complain)
        yield {"id": f"{Path(name).name}-{number:04d}"} | row | {"sentences": sentences}


def _joined(name: str, rows: Iterable[Mapping[str, Any]]) -> Row:
    pieces: list[str] = []
    sentences: list[list[int]] = []
    length = 0
    gap = ""
    for row in rows:
        pieces += (gap, row["text"])
        length += len(gap)
        sentences.append([length, length + len(row["text"])])
        length += len(row["text"])
        gap = "" if row["misc"] and _SPACE_AFTER_NO.search(str(row["misc"][-1])) else " "
    return {"id": name, "text": "".join(pieces), "sentences": sentences}


def to_dataset(rows: Iterable[Row]) -> Dataset:
    """Put rows into an Arrow table.

    Parameters
    ----------
    rows : iterable of dict
        Documents; a column that is missing in some rows is empty there.

    Returns
    -------
    datasets.Dataset
        "id", "text", "sentences" (lists of two 64-bit integers) and what other columns there are.

    Raises
    ------
    CorpusFormatError
        If a column mixes types.
    """
    import datasets

    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    spans = datasets.Sequence(datasets.Sequence(datasets.Value("int64")))
    strings = datasets.Sequence(datasets.Value("string"))
    known = {
        "id": datasets.Value("string"),
        "text": datasets.Value("string"),
        "sentences": spans,
        "labelled": spans,
        "multiword_tokens": spans,
    }
    known |= dict.fromkeys(("forms", "lemmas", "upos", "xpos", "feats", "sent_ids"), strings)
    columns = {name: [row.get(name) for row in rows] for name in names}
    try:
        free = datasets.Dataset.from_dict({name: values for name, values in columns.items() if name not in known})
        features = datasets.Features({name: known.get(name) or free.features[name] for name in names})
        return datasets.Dataset.from_dict(columns, features=features)
    except (TypeError, ValueError, OverflowError) as error:  # the errors of Arrow are subclasses of these
        raise CorpusFormatError(f"The documents cannot be put into one table: {shorten(str(error))}") from error
