"""One part: an input file in, a Parquet file out, whole or not at all, with what it was made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import textprep_ml
from textprep_ml._badrows import BadRows
from textprep_ml._files import replacing
from textprep_ml._parallel import count_jobs, map_chunks
from textprep_ml.bulk.columns import Columns, columns_of, pack_spans
from textprep_ml.bulk.models import file_hash, load_model
from textprep_ml.bulk.reading import READERS, Row, Watch, guess_format, row_of_window
from textprep_ml.pipelines import stage_of, thawed
from textprep_ml.segmentation.windows import WINDOW_BYTES, Spans, read_windows, segment_windows

if TYPE_CHECKING:
    import pyarrow as pa

#: Where a part keeps what it was made from.
METADATA_KEY = b"textprep_ml"

#: A row group of a part has about so many bytes in memory.
_GROUP_BYTES = 1 << 24

#: Windows of a text that are segmented together, for each thread.
_WINDOWS_PER_JOB = 4


@dataclass(frozen=True)
class Job:
    """What is done to every input file; small enough to be sent to a worker with each task.

    Attributes
    ----------
    model : str or estimator
        A model file, the name of a shipped model, or the model itself.
    model_hash : str
        What its results depend on.
    column, format, on_error : str
        As for `transform_files`.
    keep_text : bool
        Whether a part holds the texts too.
    """

    model: Any
    model_hash: str
    column: str = "text"
    format: str = "auto"
    on_error: str = "raise"
    keep_text: bool = True

    def identity(self) -> dict[str, Any]:
        """Give what a finished part must have been made with.

        Returns
        -------
        dict
            Plain JSON values.
        """
        options = {"column": self.column, "format": self.format, "on_error": self.on_error, "text": self.keep_text}
        return {"version": textprep_ml.__version__, "model": self.model_hash, **options}

    @cached_property
    def loaded(self) -> Any:
        """The model itself, fitted; a worker loads it once, however many files it gets.

        It is an error if the file is another one here than it was where the job was made.
        """
        if not isinstance(self.model, str):
            return self.model
        model, found = load_model(self.model)
        if found != self.model_hash:
            raise ValueError(
                f"The model {self.model!r} of this worker is not that of the client: copy the file to all."
            )
        return model


@dataclass
class Part:
    """An input file and what became of it.

    Attributes
    ----------
    source, target : Path
        The input file, and the Parquet file that was made from it.
    was_finished : bool
        Whether an earlier run had made it.
    n_bytes : int
        Size of the input file.
    rows : BadRows
        How many rows there were, and the bad ones among them.
    """

    source: Path
    target: Path
    was_finished: bool = False
    n_bytes: int = 0
    rows: BadRows = field(default_factory=BadRows)


def finished_rows(part: Part, job: Job) -> BadRows | None:
    """Tell whether a part was made from this input by this job.

    Parameters
    ----------
    part : Part
        The input file and where its part would be.
    job : Job
        What is to be done.

    Returns
    -------
    BadRows or None
        What was found then; None where it has to be made. A file of the same size and time is taken to be the same; one
        of the same size and another time is compared by its hash.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open(part.target, "rb") as file:  # Arrow opens no file whose name is not UTF-8
            made = json.loads((pq.read_metadata(file).metadata or {})[METADATA_KEY])
        same = made["job"] == job.identity() and made["input"]["bytes"] == part.source.stat().st_size
        if not same:
            return None
        if made["input"]["modified"] != part.source.stat().st_mtime_ns and made["input"]["sha256"] != file_hash(
            part.source
        ):
            return None
        return BadRows(job.on_error, **made["rows"])
    except (OSError, pa.ArrowInvalid, KeyError, TypeError, ValueError):
        return None  # no such part, or something else of that name


def write_part(part: Part, job: Job, model: Any, watch: Watch) -> None:
    """Make a part; `part.rows` tells what was found.

    Parameters
    ----------
    part : Part
        The input file and where its part goes.
    job : Job
        What is to be done.
    model : estimator or Pipeline
        What `Job.loaded` is.
    watch : callable
        Called with the number of bytes each time some were read.

    Raises
    ------
    CorpusFormatError
        If the file is damaged, or has a bad row and that is an error.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    before = part.source.stat()
    digest = file_hash(part.source)
    made: dict[str, Any] = {
        "job": job.identity(),
        "input": {"bytes": before.st_size, "modified": before.st_mtime_ns, "sha256": digest},
    }
    part.n_bytes = before.st_size
    part.rows = BadRows(job.on_error)
    work = _Work(part.source, job, model)
    with (
        replacing(part.target) as temporary,
        open(temporary, "wb") as file,
        pq.ParquetWriter(file, work.schema, compression="zstd") as writer,
    ):
        group: list[pa.RecordBatch] = []
        for batch, rows in work.run(watch):
            part.rows.add(rows)
            group.append(batch)
            if sum(each.nbytes for each in group) >= _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(group, work.schema))
                group = []
        if group:
            writer.write_table(pa.Table.from_batches(group, work.schema))
        counts = {"n_rows": part.rows.n_rows, "n_bad": part.rows.n_bad, "messages": part.rows.messages}
        writer.add_key_value_metadata({METADATA_KEY: json.dumps({**made, "rows": counts}).encode()})


class _Work:
    """From the batches of one input file to those of its part."""

    def __init__(self, source: Path, job: Job, model: Any) -> None:
        import pyarrow as pa

        self.source, self.job, self.model = source, job, model
        is_segmenter = stage_of(model) == "sentences"
        self.format = guess_format(source, is_segmenter) if job.format == "auto" else job.format
        self.follows_sentences = self.format == "text" and is_segmenter
        self.columns: Columns = columns_of(model)
        fields = [pa.field("row", pa.int64()), pa.field("id", pa.string())]
        fields += [pa.field("start", pa.int64())] if self.format == "text" else []
        fields += [pa.field("text", pa.string())] if job.keep_text else []
        fields += self.columns.fields
        fields += [pa.field("error", pa.string())] if job.on_error == "null" else []
        self.schema = pa.schema(fields)

    def run(self, watch: Watch) -> Iterator[tuple[pa.RecordBatch, BadRows]]:
        if self.follows_sentences:
            return self._run_windows(watch)
        return map_chunks(self.convert, READERS[self.format].batches(self.source, self.job.column, watch))

    def convert(self, raw: Any) -> tuple[pa.RecordBatch, BadRows]:
        """Make the columns of a batch; when the model refuses it, find out which rows it refuses."""
        rows = list(READERS[self.format].parse(raw, self.job.column))
        good = [row for row in rows if row.text is not None]
        try:
            arrays = self._make(good)
        except (ValueError, TypeError):
            good = [row for row in good if self._accepts(row)]
            arrays = self._make(good)
        return self._pack(rows, good, arrays)

    def _make(self, rows: list[Row]) -> list[pa.Array]:
        import pyarrow as pa

        if rows:
            return self.columns.make([row.text or "" for row in rows])
        return [pa.array([], each.type) for each in self.columns.fields]

    def _accepts(self, row: Row) -> bool:
        try:
            self._make([row])
        except (ValueError, TypeError) as error:
            row.problem = " ".join(str(error).split())
        return not row.problem

    def _run_windows(self, watch: Watch) -> Iterator[tuple[pa.RecordBatch, BadRows]]:
        """Segment a whole text: a sentence that a window would tear goes to the next one."""
        segmenter = thawed(self.model)
        windows = read_windows([self.source], tolerant=True, watch=watch)

        def segment(texts: list[str]) -> list[Spans]:
            return [spans.tolist() for spans in segmenter.predict(texts)]

        jobs = count_jobs(None)
        at_once = _WINDOWS_PER_JOB * WINDOW_BYTES * jobs if jobs > 1 else 0
        found = segment_windows(windows, segment, getattr(segmenter, "newline", "auto"), at_once)
        for number, (window, spans) in enumerate(found, start=1):
            row = row_of_window(number, window)
            yield self._pack([row], [] if row.problem else [row], [pack_spans([] if row.problem else [spans])])

    def _pack(self, rows: list[Row], good: list[Row], arrays: list[pa.Array]) -> tuple[pa.RecordBatch, BadRows]:
        """Put rows and what was found in the good ones together; bad ones as the policy wants it."""
        import pyarrow as pa

        seen = BadRows(self.job.on_error, n_rows=len(rows))
        unit = READERS[self.format].unit
        for row in rows:
            if row.problem:
                seen.refuse(f"{self.source}, {unit} {row.number}: {row.problem}")
        kept = good
        if self.job.on_error == "null" and len(good) < len(rows):
            places = iter(range(len(good)))
            order = pa.array([None if row.problem else next(places) for row in rows], pa.int64())
            kept, arrays = rows, [array.take(order) for array in arrays]
        values: dict[str, Any] = {
            "row": [row.number for row in kept],
            "id": [row.id for row in kept],
            "start": [row.start for row in kept],
            "text": [None if row.problem else row.text for row in kept],
            "error": [row.problem or None for row in kept],
        }
        values |= dict(zip((each.name for each in self.columns.fields), arrays, strict=True))
        columns = [
            pa.array(value, each.type) if isinstance(value := values[each.name], list) else value
            for each in self.schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema), seen
