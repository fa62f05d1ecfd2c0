"""``encode``, ``decode``, ``inspect`` and ``train`` with WordPiece models, ours and those of other libraries."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from textprep_ml.cli import main
from textprep_ml.subword import WordPieceTokenizer

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "data" / "sample" / "raw" / "raw-en.txt").read_text(encoding="utf-8")
LINES = "the town\n\nThe  door [SEP]\nxné 🙂\n"
Textprep = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def textprep(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Textprep:
    """Run the command line in this process."""

    def run(*arguments: object, stdin: str | bytes = "") -> tuple[int, bytes, str]:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "argv", ["textprep", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfdbinary.readouterr()
        return end.value.code if isinstance(end.value.code, int) else 0, out, err.decode()

    return run


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    tokenizer = WordPieceTokenizer(vocab_size=400, score="frequency", normalizer="bert-uncased").fit(TEXT.split("\n"))
    tokenizer.save(folder / "own.json")
    tokenizer.to_tokenizers_json(folder / "tokenizer.json")
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["own.json", "tokenizer.json"])
@pytest.mark.parametrize("format_", ["ids", "pieces"])
def test_encode_and_decode(textprep: Textprep, models: dict[str, Path], name: str, format_: str) -> None:
    model = ("--model", models[name], "--format", format_)
    code, encoded, error = textprep("encode", *model, "--special", stdin=LINES)
    assert (code, error) == (0, "")
    if format_ == "pieces":
        assert encoded.decode().splitlines()[2:] == ["the do ##or [SEP]", "x ##n ##e [UNK]"]
    code, decoded, error = textprep("decode", *model, "--skip-special", stdin=encoded)
    assert (code, decoded, error) == (0, b"the town\n\nthe door\nxne\n", "")


def test_arrays(textprep: Textprep, models: dict[str, Path]) -> None:
    code, encoded, _ = textprep("encode", "--model", models["own.json"], "--format", "npy", stdin=LINES)
    ids = np.load(io.BytesIO(encoded))
    assert code == 0
    assert ids.dtype == np.int32
    assert ids.tolist() == WordPieceTokenizer.load(models["own.json"]).encode(LINES)


@pytest.mark.parametrize(("name", "merges"), [("own.json", True), ("tokenizer.json", False)])
def test_inspect(textprep: Textprep, models: dict[str, Path], name: str, merges: bool) -> None:
    code, out, _ = textprep("inspect", models[name], "--sample", ROOT / "data" / "sample" / "raw" / "raw-en.txt")
    assert code == 0
    assert "WordPieceTokenizer" in out.decode()
    assert "400 (5 special, 0 added)" in out.decode()
    assert ("##" in out.decode()) == merges


@pytest.mark.parametrize("name", ["own.json", "tokenizer.json"])
def test_a_damaged_file_is_one_line(textprep: Textprep, models: dict[str, Path], tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(models[name].read_bytes().replace(b'"vocab"', b'"voc"').replace(b'"pieces"', b'"pie"'))
    code, out, error = textprep("encode", "--model", path, stdin="x\n")
    assert (code, out) == (2, b"")
    assert error.count("\n") == 1
    assert name in error


def test_the_configuration_trains(textprep: Textprep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    model = tmp_path / "wordpiece.json"
    code, _, error = textprep("train", "configs/wordpiece-en.toml", "--set", f"output.model={model}")
    assert code == 0, error
    tokenizer = WordPieceTokenizer.load(model)
    assert len(tokenizer.vocabulary_) == 500
    assert tokenizer.transform(["The Door"]) == tokenizer.transform(["the door"])
