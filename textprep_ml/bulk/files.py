"""Many input files: which of them are to be done, by whom, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from textprep_ml._badrows import BadRows
from textprep_ml._files import PathLike, document_id
from textprep_ml._parallel import count_jobs, is_remote, map_chunks
from textprep_ml.bulk.columns import columns_of
from textprep_ml.bulk.models import load_model, model_hash
from textprep_ml.bulk.parts import Job, Part, finished_rows, write_part
from textprep_ml.bulk.reading import READERS, guess_format
from textprep_ml.pipelines import stage_of

#: Called with what is being done, how many bytes of it are done, and how many there are.
Progress = Callable[[str, int, int], None]

#: Small files are done several at a time.
_TASK_BYTES = 1 << 26

#: But there are so many tasks for each worker at least, if there are enough files.
_TASKS_PER_JOB = 16


@dataclass
class Summary:
    """What came of a run.

    Attributes
    ----------
    parts : list of Part
        One for each input file, in their order.
    rows : BadRows
        Rows of all of them, and the bad ones.
    """

    parts: list[Part] = field(default_factory=list)
    rows: BadRows = field(default_factory=BadRows)

    @property
    def n_written(self) -> int:
        """Parts that this run made."""
        return sum(not part.was_finished for part in self.parts)


def transform_files(
    model: Any,
    paths: Iterable[PathLike],
    out: PathLike,
    *,
    column: str = "text",
    format: str = "auto",
    on_error: str = "raise",
    keep_text: bool = True,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run a fitted model over files: one Parquet part for each.

    Files are streamed: memory does not grow with them. A part is written under a temporary name and takes its place
    when it is complete. A second run makes only what is missing, or was made from another input, by another model or
    with other options. Several files are shared between `n_jobs` processes, a single one between threads; inside
    ``joblib.parallel_config(backend="dask")`` the workers of the cluster read and write the files, which have to be
    at the same place for all of them.

    Parameters
    ----------
    model : str, path or estimator
        A model file, the name of a shipped model, or a fitted model. Workers load a file themselves.
    paths : iterable of path-like
        Input files: ``.jsonl``, ``.txt`` (both also ``.gz``, ``.xz``, ``.zst``), ``.parquet``.
    out : path-like
        The folder for the parts; made where there is none. The part of ``a.jsonl.zst`` is ``a.parquet``.
    column : str, default="text"
        Which key or column of JSON lines and Parquet holds the text.
    format : {"auto", "jsonl", "lines", "text", "parquet"}, default="auto"
        How the files are read; by default by their names. ``"text"``: a file is one text, read in windows of 1 MB that
        tear no sentence; a row for each.
    on_error : {"raise", "skip", "null"}, default="raise"
        What to do with a row that is null, not text or not UTF-8, or that the model refuses: stop; leave it out; keep
        it without results, with the reason in the column ``error``.
    keep_text : bool, default=True
        Whether the parts hold the texts, too.
    n_jobs : int, optional
        Processes, or threads for a single file.
    progress : callable, optional
        Called with what is being done, how many bytes are done and how many there are.

    Returns
    -------
    Summary
        The parts, and how many rows there were.

    Raises
    ------
    CorpusFormatError
        If a file is damaged, or has a bad row while these are errors; the message names file and row. Parts that were
        finished before stay.
    ValueError
        If two files would have the same part, or the model gives nothing that has a column.

    Notes
    -----
    Columns: ``row``, the number of the line or row from 1; ``id``, where the input has it; ``start``, for whole texts,
    where the window starts in characters; ``text``; those of the model (`textprep_ml.bulk.columns.columns_of`); and
    ``error``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow.parquet
    >>> from textprep_ml.bulk import transform_files
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.jsonl").write_text('{"text": "It rains. Stay in."}', encoding="utf-8")
    >>> summary = transform_files("en", [folder / "a.jsonl"], folder / "out")
    >>> pyarrow.parquet.read_table(folder / "out" / "a.parquet", columns=["sentences"]).to_pylist()
    [{'sentences': [[0, 9], [10, 18]]}]
    >>> transform_files("en", [folder / "a.jsonl"], folder / "out").n_written
    0
    """
    BadRows(on_error)
    if format not in ("auto", *READERS):
        raise ValueError(f"format is {format!r}; expected auto, {', '.join(READERS)}.")
    job, loaded = _make_job(model, column, format, on_error, keep_text)
    parts = plan_parts(paths, Path(out))
    if format == "auto":
        for part in parts:
            guess_format(part.source, stage_of(loaded) == "sentences")
    Path(out).mkdir(parents=True, exist_ok=True)
    report = _Report(parts, progress)
    try:
        with closing(_run(parts, job, loaded, n_jobs, report)) as made:  # which ends the processes, whatever happens
            for part in made:
                report.finish(part)
    except BaseException:
        if not is_remote():  # workers of a cluster may still be writing
            _sweep(parts, Path(out))
        raise
    _sweep(parts, Path(out))
    return Summary(parts, _sum_rows(parts, on_error))


def _make_job(model: Any, column: str, format: str, on_error: str, keep_text: bool) -> tuple[Job, Any]:
    if isinstance(model, str | os.PathLike):
        named: Any = os.fspath(model)
        loaded, digest = load_model(named)
        named = os.path.abspath(named) if os.path.isfile(named) else named
    else:
        check_is_fitted(model)
        loaded, digest, named = model, model_hash(model), model
    columns_of(loaded)
    return Job(named, digest, column, format, on_error, keep_text), loaded


def plan_parts(paths: Iterable[PathLike], out: Path) -> list[Part]:
    """Find out what is to be made of which file.

    Parameters
    ----------
    paths : iterable of path-like
        Input files.
    out : Path
        The folder for the parts.

    Returns
    -------
    list of Part
        One for each file.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If there are none, two would have the same part, or a part would replace an input file.
    """
    if isinstance(paths, str | os.PathLike):
        raise TypeError(f"transform_files expects a sequence of paths, but got one: {os.fspath(paths)!r}. Pass [path].")
    parts: dict[Path, Part] = {}
    for source in map(Path, paths):
        target = out / f"{document_id(source)}.parquet"
        size = source.stat().st_size
        if source.is_dir():
            raise ValueError(f"{source} is a folder; name the files in it.")
        if target in parts:
            raise ValueError(
                f"{parts[target].source} and {source} would both become {target}: give each folder its own output."
            )
        parts[target] = Part(source, target, n_bytes=size)
    if not parts:
        raise ValueError("There are no input files.")
    sources = {part.source.resolve() for part in parts.values()}
    for target in parts:
        if target.resolve() in sources:
            raise ValueError(f"The part {target} would replace an input file: choose another folder.")
    return list(parts.values())


def _run(parts: list[Part], job: Job, model: Any, n_jobs: int | None, report: _Report) -> Generator[Part]:
    """Make the parts, and give each when it is done."""
    from joblib import parallel_config

    jobs = count_jobs(n_jobs)
    if is_remote() or (jobs > 1 and len(parts) > 1):
        tasks = _group(parts, jobs)
        for group, made in zip(
            tasks, map_chunks(partial(_make_parts, job), tasks, jobs, prefer="processes"), strict=True
        ):
            for part, other in zip(group, made, strict=True):
                part.was_finished, part.rows = other.was_finished, other.rows
                yield part
        return
    with parallel_config(backend="threading", n_jobs=jobs):  # which share the batches of each file
        for part in parts:
            yield _make_part(part, job, model, report.read)


def _group(parts: list[Part], jobs: int) -> list[list[Part]]:
    """Put small files together into tasks."""
    limit = min(_TASK_BYTES, sum(part.n_bytes for part in parts) // (_TASKS_PER_JOB * jobs))
    tasks: list[list[Part]] = []
    size = 0
    for part in parts:
        if not tasks or size + part.n_bytes > limit:
            tasks.append([])
            size = 0
        tasks[-1].append(part)
        size += part.n_bytes
    return tasks


def _absolute(part: Part) -> Part:
    """Name the files in a way that holds for workers in other folders."""
    return replace(part, source=part.source.absolute(), target=part.target.absolute())


def _make_parts(job: Job, parts: list[Part]) -> list[Part]:
    """Make some parts in a worker; those that another one finished before it was lost are not made again."""
    from joblib import parallel_config

    with parallel_config(backend="sequential"):  # the worker itself is what runs in parallel
        return [_make_part(part, job, job.loaded, lambda n: None) for part in parts]


def _make_part(part: Part, job: Job, model: Any, watch: Callable[[int], None]) -> Part:
    rows = finished_rows(part, job)
    if rows is not None:
        part.was_finished, part.rows = True, rows
    else:
        write_part(part, job, model, watch)
    return part


def _sweep(parts: list[Part], out: Path) -> None:
    """Remove what workers that were killed have left of finished parts."""
    names = {part.target.name for part in parts}
    for entry in out.iterdir():
        if entry.suffix == ".part" and entry.name[1:].rsplit(".", 2)[0] in names:
            entry.unlink(missing_ok=True)


def _sum_rows(parts: list[Part], on_error: str) -> BadRows:
    total = BadRows(on_error)
    for part in parts:
        total.add(part.rows)
    return total


class _Report:
    """Tells how many bytes of all files are done."""

    def __init__(self, parts: list[Part], progress: Progress | None) -> None:
        self._progress = progress
        self._whole = sum(part.n_bytes for part in parts)
        self._finished = self._reading = 0

    def read(self, n: int) -> None:
        self._reading += n
        self._tell()

    def finish(self, part: Part) -> None:
        self._finished += part.n_bytes
        self._reading = 0
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress("transforming", min(self._finished + self._reading, self._whole), self._whole)
