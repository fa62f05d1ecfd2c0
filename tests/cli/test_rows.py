"""Commands that read lines: bad ones are named and counted, processes change nothing, memory is bounded."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run, assert_one_line_error
from textprep_ml import BPETokenizer
from textprep_ml._badrows import BadRows, apply_to_rows
from textprep_ml.cli import _rows, main
from textprep_ml.cli._rows import OnError, write_rows
from textprep_ml.exceptions import CorpusFormatError

BAD = b"one two\nb\xffd\n\nDr. Who!\n"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.txt"
    path.write_bytes(BAD)
    return path


@pytest.fixture(scope="module")
def bpe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "bpe.json"
    BPETokenizer(num_merges=3, byte_level=False, pretokenizer="none").fit(["one two Dr. Who! "] * 2).save(path)
    return path


COMMANDS = {
    "tokenize": ("tokenize",),
    "spans": ("tokenize", "--format", "spans"),
    "jsonl": ("tokenize", "--format", "jsonl"),
    "conllu": ("tokenize", "--format", "conllu"),
    "treebank": ("tokenize", "--scheme", "treebank"),
    "normalize": ("normalize", "--preset", "search"),
    "detokenize": ("detokenize",),
    "tag": ("tag", "--tokens"),
    "tag inline": ("tag", "--tokens", "--format", "inline"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_bad_line_stops_or_is_left_out_or_keeps_its_place(command: tuple[str, ...], run: Run, bad: Path) -> None:
    place = f"{bad}, line 2 byte 1: invalid UTF-8 (0xff)"
    good = run(*command, stdin=b"one two\n\nDr. Who!\n")
    assert good.returncode == 0
    stopped = run(*command, bad)
    assert (stopped.returncode, stopped.stderr.startswith(f"textprep: {place}")) == (2, True)
    assert good.stdout.startswith(stopped.stdout)
    assert stopped.stdout
    skipped = run(*command, bad, "--on-error", "skip")
    assert (skipped.returncode, skipped.stdout) == (0, good.stdout)
    assert skipped.stderr.splitlines()[0] == "textprep: 1 of 4 rows were bad and skipped:"
    assert skipped.stderr.splitlines()[1].startswith(f"textprep: {place}")
    kept = run(*command, bad, "--on-error", "null")
    null = {"jsonl": "null\n", "conllu": ""}.get(command[-1], "\n")
    first = run(*command, stdin=b"one two\n").stdout
    assert kept.stdout == first + null + good.stdout.removeprefix(first)
    assert "1 of 4 rows were bad and kept without a result" in kept.stderr
    mended = run(*command, bad, "--on-error", "ignore")
    assert (mended.returncode, mended.stderr) == (0, "")
    assert mended.stdout == run(*command, stdin=BAD.replace(b"\xff", b"")).stdout


@pytest.mark.parametrize(
    ("command", "data", "problem"),
    [
        (("encode",), "one\n漢\ntwo\n", "漢"),
        (("encode", "--format", "pieces"), "one\n漢\ntwo\n", "漢"),
        (("decode",), "0 1\nx\n2\n", "'x' is no id"),
        (("decode", "--format", "pieces"), "o n\nxyz\nt\n", "no piece 'xyz'"),
    ],
)
def test_what_a_model_refuses_is_a_bad_line(
    command: tuple[str, ...], data: str, problem: str, run: Run, bpe: Path
) -> None:
    options = (*command, "--model", bpe)
    stopped = run(*options, stdin=data)
    assert stopped.returncode == 2
    assert "standard input, line 2: " in stopped.stderr
    assert problem in stopped.stderr
    lines = data.splitlines(keepends=True)
    expected = run(*options, stdin=lines[0] + lines[2]).stdout.splitlines(keepends=True)
    skipped = run(*options, "--on-error", "skip", stdin=data)
    assert skipped.stdout.splitlines(keepends=True) == expected
    assert "1 of 3 rows were bad and skipped" in skipped.stderr
    assert run(*options, "--on-error", "null", stdin=data).stdout == expected[0] + "\n" + expected[1]


def test_records_that_are_none(run: Run) -> None:
    data = '{"tokens": ["a", "b"]}\nnone\n{"tokens": 5}\n'
    skipped = run("detokenize", "--jsonl", "--on-error", "skip", stdin=data)
    assert skipped.stdout == "a b\n"
    assert "2 of 3 rows" in skipped.stderr
    assert_one_line_error(run("detokenize", "--jsonl", stdin="none\n"), "line 1", "expected a JSON object")


@pytest.mark.parametrize("command", [("tokenize",), ("normalize",), ("tag", "--tokens")])
def test_processes_give_the_same_output(
    command: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_rows, "BATCH_LINES", 100)
    data = "".join(f"Line {number} of Dr. Who, isn't it?\n" for number in range(1000))
    (tmp_path / "a.txt").write_text(data)
    one = run(*command, tmp_path / "a.txt")
    two = run(*command, tmp_path / "a.txt", "--n-jobs", "2")
    assert one.stdout.count("\n") >= 1000
    assert two == one


def test_tagged_text_is_the_same_on_processes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textprep_ml.cli.tag.BATCH", 5)
    data = "We met Dr. Ito. She left. " * 20
    assert run("tag", "--n-jobs", "2", stdin=data) == run("tag", stdin=data)


def test_arrays_do_not_depend_on_how_a_text_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    tokenizer = BPETokenizer(num_merges=20).fit(["the cat sat on the mat, the hat"])
    tokenizer.save(tmp_path / "bytes.json")
    text = "the cat né 🙂 " * 500
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr("textprep_ml.subword.reading.CHUNK_BYTES", 100)
    monkeypatch.setattr("textprep_ml.cli.decode._IDS_AT_ONCE", 7)

    def call(command: str, path: Path, *options: str) -> tuple[bytes, bytes]:
        arguments = [command, "--model", str(tmp_path / "bytes.json"), "--format", "npy", str(path), *options]
        monkeypatch.setattr("sys.argv", ["textprep", *arguments])
        with pytest.raises(SystemExit):
            main()
        return capfdbinary.readouterr()

    data, _ = call("encode", tmp_path / "a.txt", "--n-jobs", "2")
    assert np.load(io.BytesIO(data)).tolist() == tokenizer.encode(text)
    (tmp_path / "a.npy").write_bytes(data)
    assert call("decode", tmp_path / "a.npy")[0].decode() == text
    (tmp_path / "a.npy").write_bytes(data[:-6])
    assert b"a.npy is cut short: " in call("decode", tmp_path / "a.npy")[1]


def test_arrays_have_no_lines_to_skip(run: Run, bpe: Path) -> None:
    result = run("encode", "--model", bpe, "--format", "npy", "--on-error", "skip", stdin="a")
    assert_one_line_error(result, "npy has no lines")


def test_memory_does_not_grow_with_the_lines(tmp_path: Path) -> None:
    def peak(times: int) -> int:
        path = tmp_path / f"{times}.txt"
        path.write_bytes(b"a line of some words\n" * times)
        tracemalloc.start()
        write_rows([path], lambda lines: [line + "\n" for line in lines], write=len)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return memory

    assert peak(100_000) < 1.5 * peak(10_000)


def test_what_is_told_of_bad_rows() -> None:
    bad = BadRows("skip", n_rows=30)
    assert bad.report() == []
    for number in range(12):
        bad.refuse(f"row {number}")
    other = BadRows("skip", 5, 1, ["another"])
    bad.add(other)
    assert (bad.n_rows, bad.n_bad) == (35, 13)
    assert bad.report() == [
        "13 of 35 rows were bad and skipped:",
        *[f"row {number}" for number in range(10)],
        "and 3 more.",
    ]
    with pytest.raises(CorpusFormatError, match="row 5"):
        BadRows().refuse("row 5")
    with pytest.raises(ValueError, match="on_error is 'drop'"):
        BadRows("drop")


def test_bad_rows_are_found_only_when_a_batch_fails() -> None:
    calls: list[int] = []

    def double(texts: list[str]) -> list[str]:
        calls.append(len(texts))
        if "bad" in texts:
            raise ValueError("cannot\n  be")
        return [text * 2 for text in texts]

    refused: list[tuple[int, str]] = []
    assert apply_to_rows(double, ["a", "b"], lambda *call: refused.append(call)) == ["aa", "bb"]
    assert (calls, refused) == ([2], [])
    assert apply_to_rows(double, ["a", "bad", "c"], lambda *call: refused.append(call)) == ["aa", None, "cc"]
    assert refused == [(1, "cannot be")]


def test_the_choices_are_those_of_the_decoder() -> None:
    assert {choice: choice.decoding for choice in OnError} == {
        OnError.raise_: "strict",
        OnError.skip: "strict",
        OnError.null: "strict",
        OnError.replace: "replace",
        OnError.ignore: "ignore",
    }


@pytest.mark.parametrize("choice", OnError)
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--contractions", "foo"), "'contractions' parameter"),
        (("--scheme", "regex", "--pattern", "("), "cannot compile the pattern '('"),
    ],
)
def test_a_wrong_option_is_no_bad_line(
    choice: OnError, option: tuple[str, ...], message: str, run: Run, bad: Path
) -> None:
    found = run("tokenize", *option, "--on-error", choice.value, bad)
    assert_one_line_error(found, message)
    assert found.stdout == ""
    assert "line 1" not in found.stderr
