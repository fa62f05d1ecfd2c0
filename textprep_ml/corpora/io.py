"""One way in and one way out for all formats: `iter_rows`, `read_corpus`, `write_corpus`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textprep_ml._files import bare_name, fail, read_text
from textprep_ml.corpora import brat, conllu, conllu_writer, hub, jsonl, plain
from textprep_ml.corpora._rows import Row, as_row

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True)
class Format:
    """A corpus format: its reader, its writer and the suffixes of its files."""

    read: Callable[..., Iterator[Row]]
    write: Callable[..., None] | None
    suffixes: tuple[str, ...] = ()


#: Name -> format. The options of a format are the keyword parameters of its reader and writer.
FORMATS = {
    "jsonl": Format(jsonl.iter_jsonl, jsonl.write_jsonl, (".jsonl", ".ndjson")),
    "conllu": Format(conllu.iter_conllu, conllu_writer.write_conllu, (".conllu",)),
    "lines": Format(plain.iter_sentence_lines, plain.write_sentence_lines, (".txt",)),
    "marked": Format(plain.iter_marked, plain.write_marked),
    "text": Format(plain.iter_text, plain.write_text),
    "brat": Format(brat.iter_brat, brat.write_brat, (".ann",)),
    "saved": Format(hub.iter_saved, None),
    "hub": Format(hub.iter_hub, None),
}


def guess_format(path_or_name: str | os.PathLike[str]) -> str:
    """Tell the format of a corpus by its name.

    Parameters
    ----------
    path_or_name : str or path-like
        A file, a folder, or a name such as ``"ud:en_ewt"``. ``.gz`` and ``.xz`` do not count. A ``.txt`` file with
        an ``.ann`` file beside it is brat standoff, one that holds ``<|sentence|>`` is marked text, any other one
        has a sentence a line.

    Returns
    -------
    str
        A key of `FORMATS`.

    Raises
    ------
    FileNotFoundError
        If there is no such file and no such name.
    ValueError
        If the suffix tells nothing.
    """
    path = Path(path_or_name)
    if not path.exists():
        if hub.NAME.fullmatch(os.fspath(path_or_name)):
            return "hub"
        raise FileNotFoundError(
            f"There is no corpus {os.fspath(path_or_name)!r}: no such file, and no name such as 'ud:en_ewt'."
        )
    if path.is_dir():
        return "saved" if hub.is_saved(path) else "brat"
    if brat.has_partner(path):
        return "brat"
    name = _by_suffix(path)
    return "marked" if name == "lines" and plain.MARKER in read_text(path) else name


def _by_suffix(path: Path) -> str:
    suffix = Path(bare_name(path)).suffix
    for name, known in FORMATS.items():
        if suffix in known.suffixes:
            return name
    suffixes = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
    raise ValueError(
        f"The suffix of {path} tells no corpus format ({suffixes}): pass format=, one of {', '.join(FORMATS)}."
    )


def iter_rows(path_or_name: str | os.PathLike[str], format: str | None = None, **options: Any) -> Iterator[Row]:
    """Stream the documents of a corpus as plain dictionaries.

    Nothing but the standard library is needed, except for data sets of the Hub. An error in the middle of a file
    comes when the documents before it have been given: where that matters, take all of them, as `read_corpus`
    does, before the first is used.

    Parameters
    ----------
    path_or_name : str or path-like
        A file, a folder, or a name such as ``"ud:en_ewt"``.
    format : str, optional
        A key of `FORMATS`; by default what `guess_format` tells.
    **options : object
        Those of the format: ``marker``, ``document_marker`` (marked); ``join``, ``blank_line`` (lines); ``unit``
        (text); ``label`` (brat); ``split`` (data sets).

    Yields
    ------
    dict
        "id", "text", "sentences" and what else the format has.

    Raises
    ------
    CorpusFormatError
        If the corpus breaks its format, or holds no documents.
    OSError
        If it cannot be opened.
    """
    name = guess_format(path_or_name) if format is None else format
    read = _known(name).read
    _check_options(read, name, options)
    empty = True
    for row in read(path_or_name, **options):
        empty = False
        yield row
    if empty:
        fail(path_or_name, None, f"the corpus holds no documents (read as {name}).")


def _known(name: str) -> Format:
    if name not in FORMATS:
        raise ValueError(f"Unknown corpus format {name!r}; there are {', '.join(FORMATS)}.")
    return FORMATS[name]


def _check_options(function: Callable[..., Any], name: str, options: Mapping[str, Any]) -> None:
    known = [
        key for key, parameter in signature(function).parameters.items() if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    for key in options:
        if key not in known:
            raise TypeError(
                f"The corpus format {name!r} has no option {key!r}; its options: {', '.join(known) or 'none'}."
            )


def read_corpus(path_or_name: str | os.PathLike[str], format: str | None = None, **options: Any) -> Dataset:
    """Read a corpus as a whole.

    Parameters
    ----------
    path_or_name : str or path-like
        A file, a folder, or a name such as ``"ud:en_ewt"``; see `known_corpora`.
    format : str, optional
        A key of `FORMATS`; by default what `guess_format` tells.
    **options : object
        Those of the format, as in `iter_rows`.

    Returns
    -------
    datasets.Dataset
        A row per document: "id", "text", "sentences" (half-open spans in code points) and what else the format has.

    Raises
    ------
    CorpusFormatError
        If the corpus breaks its format; the message has file and line. Nothing of it is returned then.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.txt"
    >>> _ = path.write_text("It rains.\\nWe stay in.\\n\\nP. S.\\n", encoding="utf-8")
    >>> corpus = read_corpus(path)
    >>> corpus["text"][0]
    'It rains. We stay in.\\n\\nP. S.'
    >>> corpus["sentences"][0]
    [[0, 9], [10, 21], [23, 28]]
    """
    return hub.to_dataset(iter_rows(path_or_name, format, **options))


def write_corpus(
    rows: Iterable[Mapping[str, Any]], path: str | os.PathLike[str], format: str | None = None, **options: Any
) -> None:
    """Write a corpus; reading it again gives the same texts and sentences, or nothing is written.

    Parameters
    ----------
    rows : datasets.Dataset, or iterable of dict
        Documents.
    path : str or path-like
        Where the file goes, or the folder for brat standoff. An old file is replaced only when the new one is complete.
    format : str, optional
        A key of `FORMATS`; by default the suffix tells.
    **options : object
        Those of the format, as in `iter_rows`.

    Raises
    ------
    CorpusFormatError
        If a row is wrong, or holds what the format cannot.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "note.marked"
    >>> write_corpus([{"id": "note", "text": "One. Two.", "sentences": [[0, 4], [5, 9]]}], path, "marked")
    >>> path.read_text(encoding="utf-8")
    'One.<|sentence|> Two.'
    """
    name = _by_suffix(Path(path)) if format is None else format
    known = _known(name)
    if known.write is None:
        raise ValueError(f"Corpora cannot be written as {name!r}; call the `save_to_disk` of what `read_corpus` gives.")
    _check_options(known.write, name, options)
    if not isinstance(rows, Iterable):
        raise TypeError(f"write_corpus expects an iterable of rows, but got {type(rows).__name__}.")
    checked = [as_row(row, index, labelled=name != "text") for index, row in enumerate(rows)]
    if not checked:
        raise ValueError(f"There are no documents to write to {os.fspath(path)}.")
    known.write(checked, path, **options)
