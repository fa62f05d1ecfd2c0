"""Input files in every format, and what is read back from parts."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

TEXTS = ["We met Dr. Ito. She left.", "", "No end here", "Él vino. Šla domů 🙂 dál!", "3.50 in all. Was it?"]

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def jsonl(texts: list[Any], **more: Any) -> bytes:
    """JSON lines with ids."""
    rows = [{"id": f"d{number}", "text": text, **more} for number, text in enumerate(texts)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def read_part(path: Path, *columns: str) -> list[Any]:
    """The rows of a part; of one column its values."""
    rows = pq.read_table(path, columns=list(columns) or None).to_pylist()
    return [row[columns[0]] for row in rows] if len(columns) == 1 else rows


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    """The same texts in every format that has rows."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for suffix, pack in PACK.items():
        (folder / f"rows{suffix[1:]}.jsonl{suffix}").write_bytes(pack(jsonl(TEXTS)))
        (folder / f"lines{suffix[1:]}.txt{suffix}").write_bytes(pack("\n".join(TEXTS).encode()))
    ids = [f"d{number}" for number in range(len(TEXTS))]
    pq.write_table(pa.table({"id": ids, "text": TEXTS}), folder / "table.parquet", row_group_size=2)
    return sorted(folder.iterdir())
