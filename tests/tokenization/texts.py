"""Texts for the tokenizer tests: hostile strings, samples, and the shared data where it is there."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import strategies as st

from textprep_ml.corpora import iter_rows

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
SHARED = Path(os.environ.get("TEXTPREP_ML_SHARED", ROOT.parent / "shared")) / "data"

#: Pieces that meet the scanner's decisions when put together.
PIECES = (
    "a", "b", "A", "I", "e", "E", "l'", "d'", "n't", "'s", "it's", "don't", "gonna", "'tis", "cannot", "they’re",
    "rock'n'roll", ".", "..", "...", ",", ";", ":", "-", "--", "–", "—", "’", "'", "`", '"', "@", "#", "$", "%",
    "&", "*", "(", ")", "[", "]", "{", "}", "<", ">", "/", "\\", "|", "_", "__", "~", "^", "+", "=", "!", "?",
    "www.", "http://", "mailto:", "://", ".com", ".txt", "com", "U.S.", "e.g.", "Dr", "No", "12", "3", "1,000",
    "3.5", "12:30", "[3, 4]", ":)", ";D", "<3", "\n", "\t", " ", "  ", "\u00a0", "\u3000", "é", "É", "你", "か", "カ",
    "ー", "ไทย", "한", "👍", "🏽", "👨‍👩‍👧", "🇫", "🇷", "❤️", "1️⃣", "\u200d", "\u00ad", "\ud800", "\x00", "\x1c", "²",
    "½", "\u0301", "\u02eb", "e-mail", "pre-", "km/h", "AT&T", "5pm", "80's", "aujourd'hui",
)  # fmt: skip

HOSTILE = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(st.characters(), max_size=30),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(st.characters(), max_size=2)), max_size=12).map("".join),
)


def sample_lines() -> list[str]:
    """Give the lines of the project's own sample texts."""
    return [line for path in sorted(SAMPLE.rglob("*.txt")) for line in path.read_text(encoding="utf-8").splitlines()]


def english_lines(limit: int = 400_000) -> list[str]:
    """Give lines of English: the dev part of the shared treebank and news, or the samples."""
    import json

    lines: list[str] = []
    for path in sorted((SHARED / "sbd" / "dev").glob("en_*.jsonl")):
        for row in path.read_text(encoding="utf-8").splitlines()[:60]:
            lines += json.loads(row)["text"].split("\n")
    return [line for line in (lines or sample_lines()) if line.strip()][: limit // 80]


def treebank(name: str) -> tuple[list[str], list[list[list[int]]]]:
    """Give the documents of a shared CoNLL-U file, or of the sample, and their token spans."""
    path = SHARED / "conllu" / name
    rows = list(iter_rows(path if path.is_file() else SAMPLE / "tiny.conllu"))
    return [row["text"] for row in rows], [row["tokens"] for row in rows]
