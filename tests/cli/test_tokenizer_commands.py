"""The commands ``encode``, ``decode`` and ``inspect`` as a user runs them."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from textprep_ml.cli import main
from textprep_ml.subword import BPETokenizer

LINES = "the cat\n\nné 🙂 <|end|>\n  two  blanks\t\n\\u0020 \u2028 x\n"


class Result(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: str


Textprep = Callable[..., Result]


@pytest.fixture
def textprep(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Textprep:
    """Run the command line in this process; a new one for each call would take seconds."""

    def run(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "argv", ["textprep", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfdbinary.readouterr()
        return Result(end.value.code if isinstance(end.value.code, int) else 0, out, err.decode())

    return run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "bytes.json"
    BPETokenizer(vocab_size=270, special_tokens=["<|end|>"]).fit(["the cat sat on the mat, the hat"]).save(path)
    return path


@pytest.fixture(scope="module")
def character_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "characters.json"
    BPETokenizer(num_merges=5, byte_level=False, pretokenizer="none", unk_token="<unk>").fit([LINES] * 2).save(path)
    return path


@pytest.mark.parametrize("format_", ["ids", "pieces"])
@pytest.mark.parametrize("kind", ["model", "character_model"])
def test_a_line_in_is_a_line_out(kind: str, format_: str, textprep: Textprep, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(kind)
    encoded = textprep("encode", "--model", path, "--format", format_, stdin=LINES.encode())
    assert encoded.returncode == 0, encoded.stderr
    assert encoded.stdout.count(b"\n") == LINES.count("\n")
    decoded = textprep("decode", "--model", path, "--format", format_, stdin=encoded.stdout)
    assert decoded.stdout.decode() == LINES


def test_the_ids_are_those_of_the_library(model: Path, textprep: Textprep, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("the cat\nmat<|end|>\n", encoding="utf-8")
    tokenizer = BPETokenizer.load(model)
    expected = [tokenizer.encode("the cat"), tokenizer.encode("mat<|end|>")]
    lines = textprep("encode", "--model", model, file).stdout.decode().splitlines()
    assert [list(map(int, line.split())) for line in lines] == expected
    special = textprep("encode", "--model", model, "--special", file).stdout.decode().splitlines()
    assert special[1].split()[-1] == "0"
    assert textprep("decode", "--model", model, "--skip-special", stdin=b"0 0\n").stdout == b"\n"


def test_an_array_holds_the_whole_input(model: Path, textprep: Textprep) -> None:
    encoded = textprep("encode", "--model", model, "--format", "npy", stdin=LINES.encode())
    ids = np.load(io.BytesIO(encoded.stdout))
    assert ids.dtype == np.int32
    assert ids.tolist() == BPETokenizer.load(model).encode(LINES)
    assert textprep("decode", "--model", model, "--format", "npy", stdin=encoded.stdout).stdout.decode() == LINES
    broken = textprep("decode", "--model", model, "--format", "npy", stdin=b"no array")
    assert (broken.returncode, broken.stderr) == (2, "textprep: standard input is no .npy file.\n")


def test_inspect(model: Path, textprep: Textprep, tmp_path: Path) -> None:
    result = textprep("inspect", model, "--sample", "-", stdin=b"the cat on the mat\n")
    rows = dict(line.split(maxsplit=1) for line in result.stdout.decode().splitlines())
    assert rows["pieces"] == "270 (1 special, 0 added)"
    assert rows["merges"] == "13"
    assert rows["longest"].startswith("Ġcat ")
    assert rows["compression"].endswith("bytes per piece")
    assert rows["sample"] == "18 bytes, 5 words, 5 pieces"
    assert rows["words"] == "1.000 pieces per word, 100.0% left whole"
    path = tmp_path / "tokenizer.json"
    BPETokenizer.load(model).to_tokenizers_json(path)
    assert textprep("inspect", path).stdout == textprep("inspect", model).stdout


def test_errors_are_one_line(model: Path, character_model: Path, textprep: Textprep, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"format": "textprep_ml", "ver', encoding="utf-8")
    cases = [
        (("decode", "--model", model), b"1\n1 x\n", "standard input, line 2: 'x' is no id."),
        (("decode", "--model", model), b"999999\n", "line 1: No symbol has the id 999999"),
        (("decode", "--model", model), b"-1\n", "'-1' is no id"),
        (("decode", "--model", model, "--format", "pieces"), b"nope\n", "line 1: The vocabulary has no piece 'nope'"),
        (("encode", "--model", model), b"fine\nb\xffd\n", "standard input, line 2 byte 1: invalid UTF-8 (0xff)"),
        (("encode", "--model", tmp_path / "none.json"), b"", "none.json"),
        (("encode", "--model", damaged), b"", "damaged"),
        (("inspect", model, "-n", "-3"), b"", "-n takes a number"),
    ]
    for arguments, stdin, message in cases:
        result = textprep(*arguments, stdin=stdin)
        assert result.returncode == 2
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    replaced = textprep("encode", "--model", model, "--on-error", "replace", stdin=b"b\xffd\n")
    assert BPETokenizer.load(model).decode(list(map(int, replaced.stdout.split()))) == "b\ufffdd"


def test_a_closed_pipe_ends_quietly(model: Path) -> None:
    command = f"yes 'the cat' | {sys.executable} -m textprep_ml.cli encode --model {model} | head -2"
    if not (Path(sys.modules["textprep_ml.cli"].__file__ or "").parent / "__main__.py").exists():
        command = command.replace("-m textprep_ml.cli", '-c "from textprep_ml.cli import main; main()"')
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stdout.count("\n") == 2
    assert result.stderr == ""
