"""Tables, saved data sets and the Hub, of which a local copy of the same shape stands in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest

from textprep_ml import CorpusFormatError
from textprep_ml.corpora import iter_rows, known_corpora, read_corpus, write_corpus
from textprep_ml.corpora.registry import UD_REPOSITORY, UD_REVISION

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


def universal_dependencies() -> datasets.Dataset:
    """Two documents in the shape of the Hub's treebanks: one sentence a row, MISC as the text of a dictionary."""
    tags = datasets.ClassLabel(names=["NOUN", "PUNCT", "_"])
    strings = datasets.Sequence(datasets.Value("string"))
    sentences = [
        ("weblog-a_1-0001", "Hi there.", ["Hi", "there", "."], ["None", "{'SpaceAfter': 'No'}", "None"]),
        ("weblog-a_1-0002", "Go!", ["Go", "!"], ["{'SpaceAfter': 'No'}", "{'SpaceAfter': 'No'}"]),
        ("weblog-a_1-0003", "Now", ["Now"], ["None"]),
        ("email-b-0001", "End", ["End"], ["SpaceAfter=No"]),
    ]
    rows = [
        {"idx": idx, "text": text, "tokens": tokens, "lemmas": tokens, "upos": ["NOUN"] * len(tokens), "xpos": tokens,
         "feats": tokens, "head": tokens, "deprel": tokens, "deps": tokens, "misc": misc}
        for idx, text, tokens, misc in sentences
    ]  # fmt: skip
    features = {"idx": datasets.Value("string"), "text": datasets.Value("string")}
    features |= dict.fromkeys(("tokens", "lemmas", "xpos", "feats", "head", "deprel", "deps", "misc"), strings)
    return datasets.Dataset.from_list(rows, features=datasets.Features(features | {"upos": datasets.Sequence(tags)}))


EXPECTED = [
    {"id": "weblog-a_1", "text": "Hi there. Go!Now", "sentences": [[0, 9], [10, 13], [13, 16]]},
    {"id": "email-b", "text": "End", "sentences": [[0, 3]]},
]


def test_universal_dependencies_load_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []

    def load_dataset(path: str, name: str | None, *, split: str, revision: str | None) -> datasets.Dataset:
        calls.append((path, name, split, revision))
        return universal_dependencies()

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert list(iter_rows("ud:en_ewt")) == EXPECTED
    assert read_corpus("ud:de_gsd", split="validation")["id"] == ["weblog-a_1", "email-b"]
    assert list(iter_rows(Path("ud:en_ewt"))) == EXPECTED  # as the command line names it
    assert calls == [
        (UD_REPOSITORY, "en_ewt", "train", UD_REVISION),
        (UD_REPOSITORY, "de_gsd", "validation", UD_REVISION),
        (UD_REPOSITORY, "en_ewt", "train", UD_REVISION),
    ]


def test_other_data_sets_load_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []

    def load_dataset(path: str, name: str | None, **_: Any) -> datasets.Dataset:
        calls.append((path, name))
        return datasets.Dataset.from_list([{"text": "A.", "sentences": [[0, 2]]}])

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert list(iter_rows("hub:owner/set:part")) == [{"id": "set:part-0001", "text": "A.", "sentences": [[0, 2]]}]
    assert list(iter_rows("hub:owner/set"))
    assert calls == [("owner/set", "part"), ("owner/set", None)]


@pytest.mark.parametrize(
    "error", [ConnectionError("no network"), FileNotFoundError("no such set"), ValueError("no such split")]
)
def test_an_unreachable_hub_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def load_dataset(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    with pytest.raises(OSError, match=rf"ud:en_ewt \(split 'train'\) could not be loaded from the Hub: {error}"):
        read_corpus("ud:en_ewt")


def test_saved_data_sets(tmp_path: Path) -> None:
    universal_dependencies().save_to_disk(tmp_path / "ud")
    assert list(iter_rows(tmp_path / "ud")) == EXPECTED
    corpus = read_corpus(SAMPLE / "tiny.conllu")
    datasets.DatasetDict({"train": corpus, "dev": corpus.select([0])}).save_to_disk(tmp_path / "dict")
    assert list(iter_rows(tmp_path / "dict")) == list(iter_rows(SAMPLE / "tiny.conllu"))
    assert len(read_corpus(tmp_path / "dict", split="dev")) == 1
    with pytest.raises(CorpusFormatError, match="there is no split 'test'; there are train, dev"):
        read_corpus(tmp_path / "dict", split="test")
    datasets.Dataset.from_list([{"words": 1}]).save_to_disk(tmp_path / "other")
    with pytest.raises(CorpusFormatError, match="the columns are words; expected text and sentences"):
        read_corpus(tmp_path / "other")
    datasets.Dataset.from_list([{"text": "A.", "sentences": [[0, 3]]}]).save_to_disk(tmp_path / "wrong")
    with pytest.raises(CorpusFormatError, match=r"wrong, line 1: .*out of range"):
        read_corpus(tmp_path / "wrong")


def test_tables_have_fixed_types_and_can_be_written(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "", "sentences": []}, {"id": "b", "text": "B.", "sentences": [[0, 2]], "genre": "mail"}]
    write_corpus(rows, tmp_path / "x.jsonl")
    corpus = read_corpus(tmp_path / "x.jsonl")
    assert corpus.features["sentences"].feature.feature.dtype == "int64"
    assert corpus[1] == rows[1]
    assert read_corpus(tmp_path / "x.jsonl").select([0]).features == corpus.features
    write_corpus(corpus, tmp_path / "y.jsonl")
    assert (tmp_path / "y.jsonl").read_bytes() == (tmp_path / "x.jsonl").read_bytes()


def test_arrays_of_spans_can_be_written(tmp_path: Path) -> None:
    write_corpus([{"id": "a", "text": "A. B.", "sentences": np.array([[0, 2], [3, 5]])}], tmp_path / "x.jsonl")
    assert list(iter_rows(tmp_path / "x.jsonl")) == [{"id": "a", "text": "A. B.", "sentences": [[0, 2], [3, 5]]}]


def test_columns_of_mixed_types_are_refused(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "A", "sentences": [], "x": value} for value in (1, "one")]
    write_corpus(rows, tmp_path / "x.jsonl")
    assert [row["x"] for row in iter_rows(tmp_path / "x.jsonl")] == [1, "one"]
    with pytest.raises(CorpusFormatError, match="cannot be put into one table"):
        read_corpus(tmp_path / "x.jsonl")


def test_known_corpora_have_a_licence() -> None:
    names = [corpus.name for corpus in known_corpora()]
    assert names == sorted(set(names))
    assert all(corpus.licence and corpus.name.startswith(f"ud:{corpus.language}_") for corpus in known_corpora())


def test_reading_a_file_imports_neither_datasets_nor_numpy_nor_scikit_learn() -> None:
    code = (
        "import sys; from textprep_ml.corpora import iter_rows; "
        f"list(iter_rows({str(SAMPLE / 'tiny.conllu')!r})); print(*{{'datasets', 'sklearn', 'numpy'}} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
