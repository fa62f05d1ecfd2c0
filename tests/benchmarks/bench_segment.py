"""Sentence segmentation side by side with other tools.

Run alone: ``python tests/benchmarks/bench_segment.py [--documents FILE.jsonl ...] [--text PATH]``. Documents are JSON
lines with a ``text``; tools that are not installed are left out. Tools take turns, so that a busy machine slows all of
them alike; every figure is the best of some rounds. Times are CPU times of this process, but for threads and for the
start of the command, where they are wall times. MB are millions of characters.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plain_files import plain_file

from textprep_ml import SentenceSegmenter

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TEXTPREP_ML_SHARED", ROOT.parent / "shared"))
ROUNDS = 7
#: What a tool gets in a round at least, in seconds.
TURN = 0.1
#: Seconds that a tool gets for one round; a slow one is measured on the first documents only.
SECONDS = 0.5
#: Texts that have brought segmenters to their knees, as units that are repeated.
HOSTILE = {"a.a.a.": "a.", "brackets": "(", "blanks": " ", "no blanks": "x", "newlines": "\n", "marks": "?!"}

Tool = Callable[[str], Any]


def read_documents(paths: list[Path]) -> list[str]:
    """Read the texts of JSONL files."""
    return [json.loads(line)["text"] for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def default_documents() -> list[Path]:
    """Find the English development documents, or else the sample."""
    names = ("en_ewt", "en_gum", "en_craft", "en_news")
    paths = [SHARED / "data" / "sbd" / "dev" / f"{name}.jsonl" for name in names]
    return paths if all(path.exists() for path in paths) else [ROOT / "data" / "sample" / "dev.jsonl"]


def peers() -> Iterator[tuple[str, Tool]]:
    """Make the other tools that are installed."""
    if find_spec("sentencex"):
        import sentencex

        yield "sentencex", lambda text: list(sentencex.segment("en", text))
    if find_spec("nupunkt"):
        import nupunkt

        yield "nupunkt", nupunkt.sent_tokenize
    if find_spec("blingfire"):
        import blingfire

        yield "blingfire", blingfire.text_to_sentences
    if find_spec("punkt"):
        import punkt

        yield "punkt", punkt.PunktSentenceTokenizer(punkt.load_model("english")).tokenize
    if find_spec("syntok"):
        from syntok import segmenter

        yield "syntok", lambda text: [list(part) for part in segmenter.process(text)]
    if find_spec("pysbd"):
        import pysbd

        yield "pysbd", pysbd.Segmenter(language="en", clean=False).segment
    if find_spec("spacy"):
        import spacy

        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        pipeline.max_length = 1 << 30
        yield "spacy", lambda text: list(pipeline(text).sents)


def seconds(run: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Time one call."""
    start = clock()
    run()
    return clock() - start


def each(tool: Tool, texts: list[str]) -> None:
    """Segment one text after another."""
    for text in texts:
        tool(text)


def share(tool: Tool, documents: list[str]) -> list[str]:
    """Give the first documents that a tool gets through in a round."""
    tool(documents[0])
    chosen, start = [], time.process_time()
    for text in documents:
        chosen.append(text)
        tool(text)
        if time.process_time() - start > SECONDS:
            break
    return chosen


def race(segmenter: SentenceSegmenter, documents: list[str]) -> None:
    """Segment the documents with all tools in turn; ours as arrays of spans, as strings, and as strings one by one."""
    size = sum(map(len, documents))
    runs: dict[str, tuple[Callable[[], Any], int]] = {
        "predict": (partial(segmenter.predict, documents), size),
        "transform": (partial(segmenter.transform, documents), size),
        "split": (partial(each, segmenter.split, documents), size),
    }
    ours = list(runs)
    for name, tool in peers():
        texts = share(tool, documents)
        runs[name] = (partial(each, tool, texts), sum(map(len, texts)))
    times: dict[str, list[float]] = {name: [seconds(run)] for name, (run, _) in runs.items()}
    for _ in range(ROUNDS):
        for name, (run, _) in runs.items():
            # A run of some milliseconds says little on a busy machine: all tools get about the same time.
            times[name] += [seconds(run) for _ in range(1 + int(TURN / times[name][0]))]
    speeds = {name: runs[name][1] / min(found) / 1e6 for name, found in times.items()}
    print(f"{len(documents)} documents, {size / 1e6:.2f} MB" + "".join(f"{name:>12}" for name in ours))
    for name, speed in speeds.items():
        print(f"  {name:12} {speed:9.3f} MB/s " + "".join(f"{speeds[own] / speed:12.2f}" for own in ours))


def peak_memory(reset: bool = False) -> float:
    """Give the largest memory of this process in MB, on Linux since the last reset."""
    if reset and Path("/proc/self/clear_refs").exists():
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one_text(segmenter: SentenceSegmenter, text: str) -> None:
    """Segment one long text."""
    before = peak_memory(reset=True)
    took = seconds(lambda: segmenter.predict([text]))
    print(f"one text of {len(text) / 1e6:.0f} MB: {len(text) / took / 1e6:.1f} MB/s")
    print(f"  peak memory {peak_memory():.0f} MB, {before:.0f} MB of it before, with the text")
    if find_spec("sentencex"):
        import sentencex

        compare_on_part("sentencex", lambda part: list(sentencex.segment("en", part)), text)
    if find_spec("sakurs"):
        import sakurs

        compare_on_part("sakurs", sakurs.load("en").split, text)


def compare_on_part(name: str, tool: Tool, text: str) -> None:
    """Time another tool on the beginning of a long text."""
    part = text[: 4 << 20]
    took = seconds(partial(tool, part))
    print(f"  {name} on its first {len(part) / 1e6:.0f} MB: {len(part) / took / 1e6:.1f} MB/s")


def threads(segmenter: SentenceSegmenter, documents: list[str]) -> None:
    """Compare one thread and two."""
    many = documents * max(1, 20_000_000 // sum(map(len, documents)))
    size = sum(map(len, many)) / 1e6
    times: dict[int, list[float]] = {1: [], 2: []}
    cpu: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for n_jobs in times:
            segmenter.set_params(n_jobs=n_jobs)
            start = time.process_time()
            times[n_jobs].append(seconds(partial(segmenter.predict, many), time.perf_counter))
            cpu[n_jobs].append(time.process_time() - start)
    one, two = (size / min(found) for found in times.values())
    print(f"threads, wall time: 1 {one:.1f} MB/s, 2 {two:.1f} MB/s, {two / one:.2f} times")
    print(f"  CPU time: 1 {size / min(cpu[1]):.1f} MB/s, 2 {size / min(cpu[2]):.1f} MB/s")
    segmenter.set_params(n_jobs=None)


def hostile(segmenter: SentenceSegmenter) -> None:
    """Segment 10 MB of each hostile text, and a tenth, to see whether time grows with the text."""
    for name, unit in HOSTILE.items():
        large = unit * (10_000_000 // len(unit))
        small = large[: len(large) // 10]
        short, long = (min(seconds(partial(segmenter.predict, [text])) for _ in range(3)) for text in (small, large))
        print(f"  {name:10} {len(large) / long / 1e6:8.1f} MB/s, ten times the text takes {long / short:.1f} times")


def start(model: str) -> None:
    """Time the command on a small file, from the start of the process to its end."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("Mr. Smith went home. He was tired. " * 29)
        file.flush()
        code = "import sys; from textprep_ml.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "segment", "--model", model, file.name]
        run = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
        print(f"textprep segment, 1 kB: {min(seconds(run, time.perf_counter) for _ in range(ROUNDS)):.2f} s")


def long_text(path: Path | None, documents: list[str], size: int) -> str:
    """Make a text of so many characters out of a file or the documents."""
    text = path.read_text(encoding="utf-8") if path else "\n\n".join(documents)
    return (text * (size // len(text) + 1))[:size]


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=Path, nargs="+", default=default_documents())
    parser.add_argument("--text", type=plain_file, help="a long text; by default the documents, repeated")
    parser.add_argument("--megabytes", type=int, default=100, help="characters of the long text, in millions")
    parser.add_argument("--model", default="en")
    arguments = parser.parse_args()
    segmenter = SentenceSegmenter.load(arguments.model)
    documents = read_documents(arguments.documents)
    race(segmenter, documents)
    threads(segmenter, documents)
    one_text(segmenter, long_text(arguments.text, documents, arguments.megabytes * 1_000_000))
    print("hostile texts of 10 MB")
    hostile(segmenter)
    start(arguments.model)


if __name__ == "__main__":
    main()
