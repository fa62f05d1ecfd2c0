"""``textprep words``, ``tokenize`` and ``detokenize``: against the Unix tools, and one line for one line."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tokenization.texts import SAMPLE
from textprep_ml.cli.app import build_app

FILES = sorted((SAMPLE / "raw").glob("*.txt"))


Run = Callable[..., bytes]


@pytest.fixture
def textprep(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command in this process; gives what it writes, or the error's message."""

    def run(*arguments: str | Path, stdin: bytes = b"", fails: bool = False) -> bytes:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        if fails:
            with pytest.raises(ValueError, match=r".") as caught:
                build_app()([*map(str, arguments)], standalone_mode=False)
            return str(caught.value).encode()
        build_app()([*map(str, arguments)], standalone_mode=False)
        return capsysbinary.readouterr().out

    return run


TR = r"tr -sc 'A-Za-z' '\n'"
PIPELINES = [
    ((), TR),
    (("--ignore-case",), f"{TR} | tr A-Z a-z"),
    (("--count",), f"{TR} | sort | uniq -c"),
    (("--count", "--ignore-case"), f"{TR} | tr A-Z a-z | sort | uniq -c"),
    (("--top", "0"), f"{TR} | sort | uniq -c | sort -n -r"),
    (("--ignore-case", "--top", "0"), f"{TR} | tr A-Z a-z | sort | uniq -c | sort -n -r"),
    (("--top", "7"), f"{TR} | sort | uniq -c | sort -n -r | head -n 7"),
]
INPUTS = {
    "letters first, no newline at the end": b"one two Two",
    "marks first": b"\n\n-- one, two; two",
    "empty": b"",
    "no letter": b"12 34\n",
    "one word": b"word",
    "bytes of all kinds": bytes(range(256)) * 3,
    "long words": b"x" * 40 + b" " + b"y" * 16 + b" " + b"x" * 40,
    "samples": b"".join(path.read_bytes() for path in FILES),
}

# What the tools gave for "marks first", for machines that don't have them.
BY_HAND = {
    (): b"\none\ntwo\ntwo",
    ("--ignore-case",): b"\none\ntwo\ntwo",
    ("--count",): b"      1 \n      1 one\n      2 two\n",
    ("--count", "--ignore-case"): b"      1 \n      1 one\n      2 two\n",
    ("--top", "0"): b"      2 two\n      1 one\n      1 \n",
    ("--ignore-case", "--top", "0"): b"      2 two\n      1 one\n      1 \n",
    ("--top", "7"): b"      2 two\n      1 one\n      1 \n",
}


@pytest.mark.parametrize(
    ("options", "pipeline"), PIPELINES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
@pytest.mark.parametrize("name", INPUTS)
def test_words_equal_the_unix_pipeline(options: tuple[str, ...], pipeline: str, name: str, textprep: Run) -> None:
    mine = textprep("words", *options, stdin=INPUTS[name])
    if name == "marks first":
        assert mine == BY_HAND[options]
    if all(map(shutil.which, ("sh", "tr", "sort", "uniq", "head"))):
        environment = {**os.environ, "LC_ALL": "C"}
        theirs = subprocess.run(
            ["sh", "-c", pipeline], input=INPUTS[name], capture_output=True, check=True, env=environment
        )
        assert mine == theirs.stdout


def test_words_of_files_are_one_stream(textprep: Run) -> None:
    whole = b"".join(path.read_bytes() for path in FILES)
    assert textprep("words", "--count", *FILES) == textprep("words", "--count", "-", stdin=whole)


def test_unicode_words(textprep: Run) -> None:
    text = "Čapek čapek naïve 犬 犬 don't".encode()
    assert textprep("words", "--count", "--unicode", "-i", stdin=text).decode().split() == [
        "1", "don", "1", "naïve", "1", "t", "2", "čapek", "2", "犬",
    ]  # fmt: skip
    assert b"--count" in textprep("words", "--unicode", stdin=text, fails=True)


def test_tokenize_keeps_lines(textprep: Run) -> None:
    text = b"Dr. Smith isn't here.\n\nTwo  lines\n"
    assert textprep("tokenize", stdin=text) == b"Dr. Smith is n't here .\n\nTwo lines\n"
    assert textprep("tokenize", "--contractions", "keep", stdin=text).startswith(b"Dr. Smith isn't here .")
    assert textprep("tokenize", "--preset", "ud", stdin=b"well-known?!") == b"well - known ?!\n"
    assert textprep("tokenize", "--format", "spans", stdin=text) == b"0:3 4:9 10:12 12:15 16:20 20:21\n\n0:3 5:10\n"
    for scheme in ("words", "treebank", "regex", "chars", "whitespace"):
        assert textprep("tokenize", "--scheme", scheme, stdin=text).count(b"\n") == 3
    assert textprep("tokenize", "--scheme", "regex", "--pattern", r"\d+", stdin=b"a1 22") == b"1 22\n"
    assert b"cannot compile" in textprep("tokenize", "--scheme", "regex", "--pattern", "(", stdin=b"x", fails=True)


def test_tokenize_as_conllu(textprep: Run) -> None:
    rows = textprep("tokenize", "--format", "conllu", stdin=b"It's me.\n\n").decode().split("\n")
    assert rows[0] == "# text = It's me."
    assert [row.split("\t")[1] for row in rows[1:5]] == ["It", "'s", "me", "."]
    assert [row.split("\t")[9] for row in rows[1:5]] == ["SpaceAfter=No", "_", "SpaceAfter=No", "_"]
    assert rows[5:] == ["", ""]


def test_evaluate_tokenizers(textprep: Run) -> None:
    corpus = SAMPLE / "tiny.conllu"
    text = textprep("evaluate", "words:ud", corpus, "--baseline", "treebank").decode()
    assert "words:ud" in text
    assert "wrong cuts of words:ud" in text
    result = json.loads(textprep("evaluate", "words:ud", corpus, "--json"))[str(corpus)]
    assert result["scores"]["words:ud"]["f1"] > 0.93
    assert b"no tokens" in textprep("evaluate", "words", SAMPLE / "dev.jsonl", fails=True)


def test_there_and_back(textprep: Run) -> None:
    text = 'She said "it isn\'t $5".\n\nYes, well-known!\n'
    assert textprep("detokenize", stdin=textprep("tokenize", stdin=text.encode())).decode() == text
    exact = "  odd   blanks  , here\n"
    records = textprep("tokenize", "--format", "jsonl", stdin=exact.encode())
    assert json.loads(records)["tokens"] == ["odd", "blanks", ",", "here"]
    assert textprep("detokenize", "--jsonl", stdin=records).decode() == exact
    assert b"line 1" in textprep("detokenize", "--jsonl", stdin=b"[1]\n", fails=True)
    wrong = textprep("detokenize", "--quotes", "foo", "--on-error", "null", stdin=b"a\n", fails=True)
    assert b"quotes" in wrong
    assert b"line" not in wrong


def test_as_a_process() -> None:
    command = [sys.executable, "-c", "from textprep_ml.cli import main; main()", "tokenize", "--contractions", "none"]
    done = subprocess.run(command, input=b"x", capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"contractions" in done.stderr
    done = subprocess.run([*command[:4], "-"], input="犬 isn't".encode(), capture_output=True, check=True)
    assert done.stdout.decode() == "犬 is n't\n"
