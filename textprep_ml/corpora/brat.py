"""Brat standoff: a text in ``NAME.txt``, annotations in ``NAME.ann``; those with one label are the sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from textprep_ml._files import COMPRESSED, bare_name, document_id, fail, iter_lines, open_atomically, read_text, stem
from textprep_ml.corpora._rows import Row, check_sentences, refuser, shorten

LABEL = "Sentence"

#: The type of the parts in which the sentences are known, where a document is labelled in parts only.
PART = "Labelled"

#: Other kinds of line: relations, events, attributes, modifications, normalizations, notes, equivalences.
_OTHER_KINDS = "REAMN#*"

_PLACE = re.compile(r"(\S+) ([0-9]+) ([0-9]+)")


def iter_brat(path: str | os.PathLike[str], *, label: str = LABEL) -> Iterator[Row]:
    """Stream the documents of a brat folder, or of one pair of files.

    Parameters
    ----------
    path : str or path-like
        A folder, read in the order of the names, or a ``.txt`` or ``.ann`` file whose partner lies beside it.
    label : str
        The type of the annotations that are sentences. ``Labelled`` are parts in which the sentences are known; others
        are left out.

    Yields
    ------
    dict
        One document; its id is the name of the files.

    Raises
    ------
    CorpusFormatError
        If a partner is missing, a line breaks the format, a sentence is discontinuous, overlaps or is out of
        range, or the text of an annotation is not what the document has there.
    """
    for name in iter_names(path):
        yield read_pair(name, label)


def iter_names(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give one file of each document of a brat folder.

    Parameters
    ----------
    path : str or path-like
        A folder, or a ``.txt`` or ``.ann`` file.

    Yields
    ------
    Path
        In the order of the names.
    """
    if not Path(path).is_dir():
        yield Path(path)
        return
    seen: set[str] = set()
    for entry in sorted(entry for entry in Path(path).iterdir() if Path(bare_name(entry)).suffix in (".txt", ".ann")):
        if stem(entry) not in seen:
            seen.add(stem(entry))
            yield entry


def pair_of(path: Path) -> tuple[Path, Path]:
    """Give the two files of a document.

    Parameters
    ----------
    path : Path
        One of them; each may be compressed.

    Returns
    -------
    text, annotations : Path
        The ``.txt`` and the ``.ann`` file.

    Raises
    ------
    CorpusFormatError
        If there is only one.
    """
    base = path.with_name(stem(path))
    pair = []
    for suffix in (".txt", ".ann"):
        found = [
            Path(f"{base}{suffix}{packed}") for packed in ("", *COMPRESSED) if Path(f"{base}{suffix}{packed}").is_file()
        ]
        if not found:
            fail(path, None, f"there is no {base.name}{suffix} beside it; brat standoff needs both.")
        pair.append(found[0])
    return pair[0], pair[1]


def has_partner(path: Path) -> bool:
    """Tell whether `path` is one of a pair of brat files that both exist."""
    base = path.with_name(stem(path))
    return Path(bare_name(path)).suffix in (".txt", ".ann") and any(
        Path(f"{base}.ann{packed}").is_file() for packed in ("", *COMPRESSED)
    )


def read_pair(path: Path, label: str = LABEL) -> Row:
    """Read one document.

    Parameters
    ----------
    path : Path
        One of its two files.
    label : str
        The type of the annotations that are sentences.

    Returns
    -------
    dict
        As from `iter_brat`.

    Raises
    ------
    CorpusFormatError
        If the other file is missing, or one of them breaks the format.
    """
    text_path, annotation_path = pair_of(path)
    text = read_text(text_path)
    found: list[tuple[int, int, int]] = []
    parts: list[tuple[int, int, int]] = []
    labels: set[str] = set()
    for number, line in iter_lines(annotation_path):
        line = line.rstrip("\r")
        if not line or line[0] in _OTHER_KINDS:
            continue
        name, start, end = _read_annotation(line, number, annotation_path, text, label)
        labels.add(name)
        if name in (label, PART):
            (found if name == label else parts).append((start, end, number))
    if labels - {PART} and not found:
        fail(
            annotation_path,
            None,
            f"no annotation is a {label!r}; the types are {', '.join(sorted(labels))}. Pass label=.",
        )
    for spans, key in ((found, "sentences"), (parts, "labelled")):
        spans.sort()  # annotators add sentences in any order
        for index, (start, end, number) in enumerate(spans):
            before = [spans[index - 1][:2]] if index else []
            check_sentences([*before, (start, end)], text, partial(fail, annotation_path, number), key)
    labelled = {"labelled": [[start, end] for start, end, _ in parts]} if parts else {}
    return {
        "id": document_id(text_path),
        "text": text,
        "sentences": [[start, end] for start, end, _ in found],
        **labelled,
    }


def _read_annotation(line: str, number: int, path: Path, text: str, label: str) -> tuple[str, int, int]:
    """Give type, start and end of a text-bound annotation; the offsets count only where it is a sentence."""
    complain = partial(fail, path, number)
    columns = line.split("\t", 2)
    if line[0] != "T" or len(columns) != 3:
        complain(
            f"neither an annotation (T1, TYPE START END, text; with tabs between) nor another kind of line: "
            f"{shorten(line)}."
        )
    name = columns[1].partition(" ")[0]
    if name not in (label, PART):
        return name, 0, 0
    match = _PLACE.fullmatch(columns[1])
    if match is None:
        complain(f"expected {name} START END, one piece only, but got {shorten(columns[1])}.")
    start, end = int(match[2]), int(match[3])
    check_sentences([(start, end)], text, complain)
    if columns[2] != _shown(text[start:end]):
        complain(f"the text says {shorten(_shown(text[start:end]))} there, the annotation says {shorten(columns[2])}.")
    return name, start, end


def _shown(piece: str) -> str:
    r"""Give the text of an annotation as its line has it; ``\r`` at the end looks like a Windows line end there."""
    return piece.replace("\n", " ").rstrip("\r")


def write_brat(rows: Iterable[Row], path: str | os.PathLike[str], *, label: str = LABEL) -> None:
    """Write each document as a pair of files named after its id.

    Parameters
    ----------
    rows : iterable of dict
        Documents.
    path : str or path-like
        A folder, which is made where it is missing, or the ``.txt`` or ``.ann`` file for a single document.
    label : str
        The type of the annotations.

    Raises
    ------
    CorpusFormatError
        If an id cannot be the name of a file or comes twice, or there are several documents but one pair of files.
    """
    if not label or label.split() != [label]:
        raise ValueError(f"label is {label!r}; expected a word without white space.")
    path = Path(path)
    single = Path(bare_name(path)).suffix in (".txt", ".ann")
    rows = [row | {"id": stem(path)} if single else row for row in rows]
    _check_names(rows, single)
    if not single:
        path.mkdir(exist_ok=True)
    packed = path.suffix if path.suffix in COMPRESSED else ""
    for row in rows:
        base = (path.parent if single else path) / row["id"]
        with open_atomically(f"{base}.txt{packed}") as file:
            file.write(row["text"])
        with open_atomically(f"{base}.ann{packed}") as file:
            spans = [(label, *span) for span in row.get("sentences", [])]
            spans += [(PART, *span) for span in row.get("labelled") or []]
            for number, (name, start, end) in enumerate(spans, start=1):
                file.write(f"T{number}\t{name} {start} {end}\t{_shown(row['text'][start:end])}\n")


def _check_names(rows: list[Row], single: bool) -> None:
    """Check all ids before the first file is written."""
    seen: set[str] = set()
    for row in rows:
        refuse = refuser(row, "brat standoff")
        name = row.get("id")
        if (
            not isinstance(name, str)
            or not name
            or name.startswith(".")
            or any(character in name for character in "/\\:\0\n")
        ):
            refuse("its id cannot be the name of a file.")
        if name in seen:
            refuse("a pair of files holds one document: give a folder." if single else "its id comes twice.")
        seen.add(name)
