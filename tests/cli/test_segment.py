"""``textprep segment``: the cases of the field, formats, options, errors, and what it does without."""

from __future__ import annotations

import gzip
import json
import lzma
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SAMPLE, Result, Run, assert_one_line_error, damaged
from textprep_ml import SentenceSegmenter, __version__, iter_rows
from textprep_ml.segmentation import streams

RAW = SAMPLE / "raw" / "raw-en.txt"


# Case C01
def test_a_closed_pipe_ends_it_quietly(shell: Run) -> None:
    result = shell("yes 'One. Two.' | (TOOL segment -; echo $? >&2) | head -n 2")
    assert result.stdout == "One.\nTwo.\n"
    assert result.stderr in ("0\n", "141\n")
    assert shell("echo 'One. Two.' | TOOL segment - | TOOL segment | head -n 1") == (0, "One.\n", "")


# Case C02
@pytest.mark.parametrize("argument", ["-", ""])
def test_standard_input(shell: Run, argument: str) -> None:
    assert shell(f"printf 'A b. C d.' | TOOL segment {argument}") == (0, "A b.\nC d.\n", "")


# Case C03
def test_utf8_whatever_the_locale(shell: Run) -> None:
    command = "printf 'Él vino. Šla.' | LC_ALL=C PYTHONUTF8=0 PYTHONIOENCODING=ascii TOOL segment -"
    assert shell(command) == (0, "Él vino.\nŠla.\n", "")
    assert shell("printf '\\xef\\xbb\\xbfA b. C d.' | TOOL segment").stdout == "A b.\nC d.\n"
    result = shell("printf 'a\\xff' | TOOL segment -")
    assert_one_line_error(result, "standard input, line 1 byte 1: invalid UTF-8")


def test_it_starts_without_the_heavy_libraries(shell: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from textprep_ml.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print([name for name in ('sklearn', 'scipy', 'datasets', 'pandas', 'joblib') if name in sys.modules])\n",
        encoding="utf-8",
    )
    result = shell(f"echo 'Dr. Ito left. Why?' | {sys.executable} {script} segment")
    assert result == (0, "Dr. Ito left.\nWhy?\n[]\n", "")


def test_lines(run: Run) -> None:
    result = run("segment", "--newline", "paragraph", stdin="It was\n  late. We\r\nleft.\n\nGood night\n")
    assert result == (0, "It was late.\nWe left.\nGood night\n", "")
    assert run("segment", stdin="") == (0, "", "")
    assert run("segment", stdin=" \n\n ") == (0, "", "")


def test_spans_are_those_of_the_estimator(run: Run, model: Path) -> None:
    text = RAW.read_text(encoding="utf-8")
    rows = [
        tuple(map(int, row.split("\t")))
        for row in run("segment", RAW, "--model", model, "--format", "spans").stdout.splitlines()
    ]
    assert rows == SentenceSegmenter.load(model).spans(text)
    both = run("segment", RAW, RAW, "--model", model, "--format", "spans").stdout
    first, second = both.split("\n\n")
    assert first + "\n" == second


def test_a_long_file_has_the_sentences_of_the_whole_text(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(streams, "SHORT_BYTES", 1500)
    monkeypatch.setattr(streams, "WINDOW_CHARACTERS", 1000)
    text = RAW.read_text(encoding="utf-8")
    expected = SentenceSegmenter.load(model).spans(text)
    result = run("segment", RAW, "--model", model, "--format", "spans").stdout
    assert [tuple(map(int, row.split("\t"))) for row in result.splitlines()] == expected
    rows = list(map(json.loads, run("segment", RAW, "--model", model, "--format", "jsonl").stdout.splitlines()))
    assert len(rows) > 3
    assert "".join(row["text"] for row in rows) == text
    starts = [int(row["id"].partition("#")[2] or 0) for row in rows]
    found = [(start + a, start + b) for start, row in zip(starts, rows, strict=True) for a, b in row["sentences"]]
    assert found == expected


def test_jsonl_is_a_corpus(run: Run, model: Path, tmp_path: Path) -> None:
    files = sorted((SAMPLE / "raw").glob("*.txt"))
    result = run("segment", *files, "--model", model, "--format", "jsonl")
    corpus = tmp_path / "found.jsonl"
    corpus.write_text(result.stdout, encoding="utf-8")
    assert [row["text"] for row in iter_rows(corpus)] == [path.read_text(encoding="utf-8") for path in files]
    assert [row["id"] for row in iter_rows(corpus)] == list(map(str, files))
    evaluated = json.loads(run("evaluate", model, corpus, "--json").stdout)[str(corpus)]
    assert evaluated["systems"][str(model)]["boundaries"]["f1"] == 1.0


def test_options_change_what_is_found(run: Run, model: Path) -> None:
    def lines(*options: str, text: str = RAW.read_text(encoding="utf-8")) -> list[str]:
        return run("segment", "--model", model, *options, stdin=text).stdout.splitlines()

    assert len(lines("--threshold", "0.001")) > len(lines()) > len(lines("--threshold", "0.999"))
    text = "a heading\nand more of it\n\nThe end"
    assert lines("--newline", "hard", text=text) == ["a heading", "and more of it", "The end"]
    assert lines("--newline", "paragraph", text=text) == ["a heading and more of it", "The end"]
    assert lines("--n-jobs", "2") == lines()


def test_policies_of_the_model_hold(run: Run, model: Path, tmp_path: Path) -> None:
    text = "We buy from Yahoo! They sell."
    assert len(run("segment", "--model", model, "--threshold", "0.01", stdin=text).stdout.splitlines()) == 2
    segmenter = SentenceSegmenter.load(model)
    segmenter.set_params(protected=["Yahoo! They"]).save(tmp_path / "policies.json")
    result = run("segment", "--model", tmp_path / "policies.json", "--threshold", "0.01", stdin=text)
    assert result == (0, text + "\n", "")


def test_wrong_models(run: Run, model: Path, tmp_path: Path) -> None:
    def segment(path: object) -> Result:
        return run("segment", RAW, "--model", path)

    assert_one_line_error(segment("no-such"), "No model file 'no-such'", "shipped: ")
    cut = tmp_path / "cut.json"
    cut.write_bytes(model.read_bytes()[:1000])
    assert_one_line_error(segment(cut), "cut.json is damaged or no textprep_ml model")
    foreign = tmp_path / "foreign.json"
    foreign.write_text('{"version": "1.0", "model": {"type": "BPE"}}', encoding="utf-8")
    assert_one_line_error(segment(foreign), "is no textprep_ml model")
    assert_one_line_error(segment(damaged(model, tmp_path, version=9)), "format version 9", "Retrain it")
    assert_one_line_error(segment(damaged(model, tmp_path, state={})), "damaged SentenceSegmenter model")
    assert_one_line_error(segment(damaged(model, tmp_path, **{"class": "BPETokenizer"})), "holds a BPETokenizer")
    assert_one_line_error(segment(SAMPLE / "train.jsonl"), "no textprep_ml model")


def test_wrong_input(run: Run, tmp_path: Path) -> None:
    assert_one_line_error(run("segment", tmp_path / "none.txt"), "none.txt: No such file")
    assert_one_line_error(run("segment", tmp_path), "Is a directory")
    (tmp_path / "bad.txt").write_bytes("One. Zwei\nDrei ä".encode() + b"\xe4 four\n")
    assert_one_line_error(run("segment", tmp_path / "bad.txt"), "bad.txt, line 2 byte 7: invalid UTF-8 (0xe4)")
    assert_one_line_error(run("segment", "--threshold", "1.5", stdin="A."), "between 0 and 1, got 1.5")
    result = run("segment", "--format", "xml")
    assert result.returncode == 2
    assert "'xml'" in result.stderr
    assert run("segment", "--no-such-option").returncode == 2


@pytest.mark.parametrize("command", ["segment", "tokenize", "words", "normalize", "explain -", "detokenize"])
def test_closed_and_full_streams(shell: Run, command: str) -> None:
    assert_one_line_error(shell(f"TOOL {command} <&-"), "standard input: Closed")
    assert_one_line_error(shell(f"echo 'One. Two.' | TOOL {command} >&-"), "standard output is closed")
    if Path("/dev/full").exists():
        assert_one_line_error(shell(f"echo 'One. Two.' | TOOL {command} >/dev/full"), "standard output: No space left")
    assert shell(f"echo 'One. Two.' | TOOL {command} 2>&-").returncode == 0


def test_arguments_are_utf8_whatever_the_locale(shell: Run) -> None:
    assert shell("LC_ALL=C PYTHONUTF8=0 TOOL distance é e") == (0, "1\n", "")


def test_zero_threads_are_refused(run: Run) -> None:
    assert_one_line_error(run("segment", "--n-jobs", "0", stdin="A. B."), "n_jobs must be", "got 0")


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"textprep_ml {__version__}\n", "")


@pytest.mark.parametrize("command", [["segment"], ["words"], ["tokenize"], ["evaluate", "rules"]])
@pytest.mark.parametrize(("suffix", "module"), [("gz", gzip), ("xz", lzma)])
def test_damaged_packed_files(run: Run, tmp_path: Path, command: list[str], suffix: str, module: Any) -> None:
    path = tmp_path / f"text.txt.{suffix}"
    packed = module.compress(b"One. Two.\n" * 99)
    for data in (b"One. Two.\n", packed[:-9], packed[:20]):
        path.write_bytes(data)
        assert_one_line_error(run(*command, path), f"text.txt.{suffix}", "damaged or cut short")
    path.write_bytes(packed)
    assert run(*command, path).returncode == 0
