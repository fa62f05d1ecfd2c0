"""Labels as other tools have them: Label Studio's JSON, brat standoff as one archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textprep_ml._files import fail, read_text
from textprep_ml.corpora import write_corpus

Row = dict[str, Any]

#: The labels of Label Studio's spans, as its labelling configuration has to name them.
SENTENCE = "Sentence"
LABELLED = "Labelled"

#: The configuration of a project of Label Studio that these files fit.
LABEL_STUDIO_CONFIG = """<View>
  <Labels name="label" toName="text"><Label value="Sentence"/><Label value="Labelled"/></Labels>
  <Text name="text" value="$text" granularity="symbol"/>
</View>
"""


def to_label_studio(rows: Iterable[Row]) -> str:
    """Write labelled documents as tasks of Label Studio.

    Parameters
    ----------
    rows : iterable of dict
        "id", "text", "sentences" and, where a document is labelled in parts only, "labelled".

    Returns
    -------
    str
        JSON: one task per document, with one annotation, whose regions are the sentences and the labelled parts.

    Examples
    --------
    >>> tasks = to_label_studio([{"id": "a", "text": "One. Two.", "sentences": [[0, 4], [5, 9]]}])
    >>> json.loads(tasks)[0]["annotations"][0]["result"][1]["value"]
    {'start': 5, 'end': 9, 'text': 'Two.', 'labels': ['Sentence']}
    """
    return json.dumps([_as_task(row) for row in rows], ensure_ascii=False, indent=1)


def _as_task(row: Row) -> dict[str, Any]:
    text = row["text"]
    spans = [(SENTENCE, *span) for span in row["sentences"]] + [(LABELLED, *span) for span in row.get("labelled") or []]
    # Label Studio counts UTF-16 units, as scripts in a browser do.
    units = _utf16_positions(text)
    result = [
        {
            "id": f"{label.lower()}-{number}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": units[start], "end": units[end], "text": text[start:end], "labels": [label]},
        }
        for number, (label, start, end) in enumerate(spans)
    ]
    return {"data": {"text": text, "id": row["id"]}, "annotations": [{"result": result}]}


def _utf16_positions(text: str) -> list[int] | range:
    """Give, for each position in characters, the position in UTF-16 units."""
    if text.isascii():
        return range(len(text) + 1)
    positions = [0]
    for character in text:
        positions.append(positions[-1] + 1 + (character > "\uffff"))
    return positions


def iter_label_studio(path: str | Path) -> Iterator[Row]:
    """Read the tasks of an export of Label Studio (JSON).

    Parameters
    ----------
    path : str or Path
        The file.

    Yields
    ------
    dict
        One labelled document: of a task the latest annotation that was not cancelled. Tasks without one are left out.
        The id is that of the task's data, else its number.

    Raises
    ------
    CorpusFormatError
        If it is no such file, or a region does not fit the text.
    """
    try:
        tasks = json.loads(read_text(path))
    except ValueError as error:
        fail(path, None, f"not JSON ({error}).")
    if not isinstance(tasks, list):
        fail(path, None, "expected a list of tasks, as Label Studio exports them as JSON.")
    for index, task in enumerate(tasks):
        try:
            row = _as_row(task, index)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            fail(path, None, f"task {index} is no task of Label Studio with text and regions ({error}).")
        if row is not None:
            yield row


def _as_row(task: dict[str, Any], index: int) -> Row | None:
    text = task["data"]["text"]
    done = [annotation for annotation in task["annotations"] if not annotation.get("was_cancelled")]
    if not done:
        return None
    characters = {unit: position for position, unit in enumerate(_utf16_positions(text))}
    spans: dict[str, list[list[int]]] = {SENTENCE: [], LABELLED: []}
    for region in done[-1]["result"]:
        if region.get("type") != "labels":
            continue
        value = region["value"]
        start, end = characters[value["start"]], characters[value["end"]]
        if value.get("text") not in (None, text[start:end]):
            raise ValueError(f"a region says {value['text']!r:.60}, the text has {text[start:end]!r:.60} there")
        for label in value["labels"]:
            spans.setdefault(label, []).append([start, end])
    labelled = {"labelled": sorted(spans[LABELLED])} if spans[LABELLED] else {}
    name = task["data"].get("id", task.get("id", index))
    return {"id": str(name), "text": text, "sentences": sorted(spans[SENTENCE]), **labelled}


def to_brat(rows: Sequence[Row]) -> bytes:
    """Write labelled documents as an archive of brat files.

    Parameters
    ----------
    rows : sequence of dict
        "id", "text", "sentences" and, where a document is labelled in parts only, "labelled".

    Returns
    -------
    bytes
        A ZIP archive with a pair of files per document.
    """
    archive = io.BytesIO()
    with TemporaryDirectory() as folder, zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        write_corpus([{**row, "id": row["id"].replace("/", "_")} for row in rows], Path(folder, "labels"), "brat")
        for file in sorted(Path(folder, "labels").iterdir()):
            packed.write(file, file.name)
    return archive.getvalue()


def to_jsonl(rows: Iterable[Row]) -> str:
    """Write labelled documents as the JSON lines that training reads.

    Parameters
    ----------
    rows : iterable of dict
        Labelled documents.

    Returns
    -------
    str
        One document a line.
    """
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


#: What the page offers: suffix of the file, media type, and what makes it.
DOWNLOADS: dict[str, tuple[str, str, Callable[[list[Row]], str | bytes]]] = {
    "jsonl": (".jsonl", "application/x-ndjson", to_jsonl),
    "label-studio": (".label-studio.json", "application/json", to_label_studio),
    "brat": (".brat.zip", "application/zip", to_brat),
}
