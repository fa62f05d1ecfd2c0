"""What a second worker of a Dask cluster brings, for files to parts and for the word counts of a tokenizer.

Run ``python tests/benchmarks/bench_dask.py [--text PATH] [--mb 95] [--files 16] [--repeat 3]``. The cluster is on this
machine, scheduler and workers in processes of their own; runs on one and two workers alternate, best of each. Both
cores must be free. Sizes are those of the text before it is packed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import joblib
import zstandard
from distributed import Client, LocalCluster
from plain_files import plain_file

from textprep_ml import BPETokenizer, WordTokenizer
from textprep_ml.bulk import transform_files

SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "raw" / "raw-en.txt"


def write_files(folder: Path, text: str, n_files: int) -> list[Path]:
    paths = []
    size = len(text) // n_files + 1
    for number in range(n_files):
        rows = text[number * size : (number + 1) * size].split("\n\n")
        data = "".join(json.dumps({"text": row}, ensure_ascii=False) + "\n" for row in rows).encode()
        paths.append(folder / f"part-{number:02}.jsonl.zst")
        paths[-1].write_bytes(zstandard.compress(data))
    return paths


def tasks(folder: Path, paths: list[Path], plain: Path) -> dict[str, Callable[[], object]]:
    pieces = folder / "pieces.json"
    BPETokenizer(vocab_size=8000).fit_files([plain]).save(pieces)
    words = folder / "words.json"
    WordTokenizer().fit([]).save(words)

    def transform(model: str | Path) -> Callable[[], object]:
        def run() -> object:
            shutil.rmtree(folder / "out", ignore_errors=True)
            return transform_files(model, paths, folder / "out", keep_text=False)

        return run

    return {
        "sentences (en)": transform("en"),
        "words": transform(words),
        "pieces (BPE 8k)": transform(pieces),
        "BPE 8k, training": lambda: BPETokenizer(vocab_size=8000).fit_files([plain]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=plain_file, default=SAMPLE)
    parser.add_argument("--mb", type=float, default=95)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    text = options.text.read_text(encoding="utf-8")
    text = (text * (int(options.mb * 1e6) // len(text) + 1))[: int(options.mb * 1e6)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_files(folder, text, options.files)
        plain = folder / "plain.txt"
        plain.write_text(text, encoding="utf-8")
        packed = sum(path.stat().st_size for path in paths) / 1e6
        print(f"{len(text) / 1e6:.0f} million characters in {len(paths)} files, {packed:.0f} MB packed\n")
        print(f"{'':<20}{'1 worker':>12}{'2 workers':>12}{'gain':>8}")
        clusters = {
            n: LocalCluster(
                n_workers=n, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
            )
            for n in (1, 2)
        }
        for task, run in tasks(folder, paths, plain).items():
            best = {n: float("inf") for n in clusters}
            for _ in range(options.repeat):
                for n, cluster in clusters.items():
                    with Client(cluster, set_as_default=False) as client, joblib.parallel_config("dask", client=client):
                        started = time.perf_counter()
                        run()
                        best[n] = min(best[n], time.perf_counter() - started)
            rates = [f"{len(text) / 1e6 / best[n]:.1f} M/s" for n in (1, 2)]
            print(f"{task:<20}{rates[0]:>12}{rates[1]:>12}{best[1] / best[2]:>8.2f}")
        for cluster in clusters.values():
            cluster.close()


if __name__ == "__main__":
    main()
