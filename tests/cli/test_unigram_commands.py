"""``encode``, ``decode``, ``inspect`` and ``train`` with unigram models and the files of other libraries."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from textprep_ml.cli import main
from textprep_ml.subword import BPETokenizer, UnigramTokenizer

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "data" / "sample" / "raw" / "raw-en.txt").read_text(encoding="utf-8")
LINES = "the town\n\nné 🙂\n  two  blanks\t\n\u2028 x\n"
Textprep = Callable[..., tuple[int, str, str]]


@pytest.fixture
def textprep(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Textprep:
    """Run the command line in this process."""

    def run(*arguments: object, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textprep", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfdbinary.readouterr()
        return end.value.code if isinstance(end.value.code, int) else 0, out.decode(), err.decode()

    return run


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    unigram = UnigramTokenizer(vocab_size=500, byte_fallback=True).fit(TEXT.split("\n"))
    unigram.save(folder / "own.json")
    unigram.to_tokenizers_json(folder / "tokenizer.json")
    unigram.to_sentencepiece(folder / "unigram.model")
    bpe = BPETokenizer.for_sentencepiece(vocab_size=500, byte_fallback=True).fit(TEXT.split("\n"))
    bpe.to_sentencepiece(folder / "bpe.model")
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("format_", ["ids", "pieces"])
@pytest.mark.parametrize("name", ["own.json", "tokenizer.json", "unigram.model", "bpe.model"])
def test_decode_undoes_encode(textprep: Textprep, models: dict[str, Path], name: str, format_: str) -> None:
    code, encoded, error = textprep("encode", "--model", models[name], "--format", format_, stdin=LINES)
    assert (code, error) == (0, "")
    code, decoded, error = textprep("decode", "--model", models[name], "--format", format_, stdin=encoded)
    assert (code, error) == (0, "")
    assert decoded == LINES


def test_all_files_of_a_model_give_the_same_ids(textprep: Textprep, models: dict[str, Path]) -> None:
    names = ("own.json", "tokenizer.json", "unigram.model")
    results = [textprep("encode", "--model", models[name], stdin=LINES) for name in names]
    assert len(set(results)) == 1


KINDS = {"own.json": "Unigram", "tokenizer.json": "Unigram", "unigram.model": "Unigram", "bpe.model": "BPE"}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_inspect_names_the_kind(textprep: Textprep, models: dict[str, Path], name: str, kind: str) -> None:
    code, out, _ = textprep("inspect", models[name], "--sample", ROOT / "data" / "sample" / "raw" / "raw-en.txt")
    assert code == 0
    assert f"{kind}Tokenizer" in out
    assert "500 (" in out
    assert ("merges" in out) == (kind == "BPE")


@pytest.mark.parametrize("name", ["own.json", "tokenizer.json", "unigram.model"])
def test_a_file_cut_short_is_one_line(textprep: Textprep, models: dict[str, Path], tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    data = models[name].read_bytes()
    path.write_bytes(data[: len(data) // 2])
    code, out, error = textprep("encode", "--model", path, stdin="x\n")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert name in error


def test_the_configuration_trains(textprep: Textprep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    model = tmp_path / "unigram.json"
    code, _, error = textprep("train", "configs/unigram-en.toml", "--set", f"output.model={model}")
    assert code == 0, error
    assert len(UnigramTokenizer.load(model).vocabulary_) == 600
