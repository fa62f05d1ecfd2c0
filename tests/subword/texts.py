"""Texts for the subword tests: the shared ones where they are, else the sample in the repository."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"

HARD = [
    "Hello  world",
    " x",
    "é🙂\n",
    "1234 ab12",
    "don't <|end|>",
    "",
    "   ",
    "\tx\r\n",
    "e\u0301 ﬁ ½ \u2028\u3000",
    "ni\u0303o'LL we'Re ſ'ſ 12345",
    "你好，世界 ひらがなカタカナー ไทย",
]


def shared() -> Path | None:
    """Give the folder of shared data, or None."""
    for place in (os.environ.get("TEXTPREP_ML_SHARED"), ROOT.parent / "shared"):
        if place and (Path(place) / "data" / "text").is_dir():
            return Path(place)
    return None


def _head(path: Path, n: int) -> str:
    with lzma.open(path, "rb") as file:
        return file.read(n).decode("utf-8", "ignore")


def training_text(n: int = 300_000) -> str:
    """Give English text."""
    folder = shared()
    if folder is not None:
        return _head(folder / "data" / "text" / "en_90mb.txt.xz", n)
    return "\n\n".join(path.read_text(encoding="utf-8") for path in sorted(SAMPLE.rglob("*.txt")))[:n]


def evaluation_texts(n: int = 300_000, size: int = 700) -> list[str]:
    """Give short texts in many languages, and hard ones."""
    folder = shared()
    if folder is None:
        text = training_text()
    else:
        text = "".join(_head(folder / "data" / "text" / f"{name}.txt.xz", n) for name in ("multi_50mb", "en_90mb"))
    return [*HARD, *(text[start : start + size] for start in range(0, len(text), size))]
