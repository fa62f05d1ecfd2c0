"""What ``textprep segment`` does, without the command line's own machinery, so that it starts fast."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from textprep_ml._files import PathLike, printable
from textprep_ml._parallel import count_jobs
from textprep_ml.segmentation.runtime import BoundaryModel
from textprep_ml.segmentation.streams import find_sentences
from textprep_ml.segmentation.windows import WINDOW_BYTES, Spans, Window, read_windows, segment_windows


class Format(StrEnum):
    """What is written."""

    lines = "lines"
    jsonl = "jsonl"
    spans = "spans"


class Newline(StrEnum):
    """What a line break means."""

    auto = "auto"
    hard = "hard"
    soft = "soft"
    paragraph = "paragraph"


#: Characters that are written at a time: a sentence may be as long as the text.
_WRITTEN_AT_ONCE = 1 << 20

#: Windows that are segmented together, for each thread.
_WINDOWS_PER_JOB = 4

#: Parameters of a saved segmenter that the bare runtime leaves out, with the values for which that changes nothing.
_PLAIN: dict[str, Any] = {
    "normalizer": None,
    "missing_blank": "model",
    "quotes": "split",
    "protected": [],
    "max_length": None,
}


#: From files to their sentences, in windows.
Find = Callable[[Iterable[PathLike]], Iterator[tuple[Window, Spans]]]


def load_finder(model: str | Path, newline: str | None = None, threshold: float | None = None, n_jobs: int = 1) -> Find:
    """Load what finds the sentences of files, as lightly as the model allows.

    Parameters
    ----------
    model : str or Path
        A model file, or the name of a shipped model.
    newline : str, optional
        What line breaks mean; by default what the model was saved with.
    threshold : float, optional
        Probability from which on a candidate is a boundary; by default what the model was saved with.
    n_jobs : int
        Threads.

    Returns
    -------
    callable
        Takes file names, gives what `find_sentences` gives. Where the model has a normalizer or policies, each window
        is segmented by itself, as `segment_windows` does it.
    """
    runtime = BoundaryModel.load(model, newline, threshold)
    if all(runtime.params.get(name, value) == value for name, value in _PLAIN.items()):
        return lambda files: find_sentences(files, runtime, n_jobs)

    from textprep_ml.segmentation import SentenceSegmenter

    segmenter = SentenceSegmenter.load(model)
    given = {"newline": newline, "threshold": threshold, "n_jobs": n_jobs}
    segmenter.set_params(**{name: value for name, value in given.items() if value is not None})

    def segment(texts: list[str]) -> list[Spans]:
        return [spans.tolist() for spans in segmenter.predict(texts)]

    jobs = count_jobs(n_jobs)
    batch_characters = _WINDOWS_PER_JOB * WINDOW_BYTES * jobs if jobs > 1 else 0
    return lambda files: segment_windows(read_windows(files), segment, segmenter.newline, batch_characters)


def _in_one_line(sentence: str) -> str:
    lines = sentence.splitlines()
    return sentence if len(lines) < 2 else " ".join(stripped for line in lines if (stripped := line.strip()))


def _as_lines(window: Window, spans: Spans, is_new: bool) -> str:
    return "".join([_in_one_line(window.text[start:end]) + "\n" for start, end in spans])


def _as_spans(window: Window, spans: Spans, is_new: bool) -> str:
    rows = "".join([f"{window.start + start}\t{window.start + end}\n" for start, end in spans])
    return "\n" + rows if is_new else rows


def _as_jsonl(window: Window, spans: Spans, is_new: bool) -> str:
    if not window.text:
        return ""
    name = printable(window.name) + (f"#{window.start}" if window.start else "")
    return json.dumps({"id": name, "text": window.text, "sentences": spans}, ensure_ascii=False) + "\n"


_WRITERS: dict[str, Callable[[Window, Spans, bool], str]] = {
    Format.lines: _as_lines,
    Format.spans: _as_spans,
    Format.jsonl: _as_jsonl,
}


def write_sentences(found: Iterable[tuple[Window, Sequence[Any]]], format: str) -> None:
    """Write sentences to standard output.

    Parameters
    ----------
    found : iterable of (Window, list of (int, int))
        As `find_sentences` gives them.
    format : str
        A value of `Format`.
    """
    write = _WRITERS[format]
    is_first, was_last = True, True
    for window, spans in found:
        written = write(window, list(spans), was_last and not is_first)
        for start in range(0, len(written), _WRITTEN_AT_ONCE):  # encoding it makes a copy
            sys.stdout.write(written[start : start + _WRITTEN_AT_ONCE])
        is_first, was_last = False, window.is_last


#: Options of the command and what their values are, for `parse_plain`.
OPTIONS: dict[str, Callable[[str], Any]] = {
    "--model": str,
    "--format": Format,
    "--threshold": float,
    "--newline": Newline,
    "--n-jobs": int,
}


def segment_files(
    files: Sequence[Path],
    model: str = "en",
    format: Format = Format.lines,
    threshold: float | None = None,
    newline: Newline | None = None,
    n_jobs: int = 1,
) -> None:
    """Write the sentences of files to standard output.

    Parameters
    ----------
    files : sequence of Path
        Text files; none means standard input.
    model : str
        A model file, or the name of a shipped model.
    format : Format
        What is written.
    threshold : float, optional
        Probability from which on there is a boundary.
    newline : Newline, optional
        What a line break means.
    n_jobs : int
        Threads.
    """
    find = load_finder(model, newline and str(newline), threshold, n_jobs)
    write_sentences(find(files), format)
