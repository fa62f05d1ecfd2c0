"""Words that workers count: the parts of files are those of a single reader, the sums those of a single counter."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import joblib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textprep_ml import BPETokenizer, WordTokenizer, make_normalizer
from textprep_ml.exceptions import CorpusFormatError
from textprep_ml.subword import counting, reading
from textprep_ml.subword.counting import Preparation, add_tables, count_table
from textprep_ml.subword.reading import Chunks, file_batches, split_file
from textprep_ml.subword.training import LongDocuments, nothing, word_table

TEXTS = st.lists(
    st.sampled_from(["a", "bc", "é", "是", "🙂", " ", "\n", "。", "1" * 7, "1" * 90, "word ", "\nline\n"]), max_size=120
).map("".join)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 64)
    monkeypatch.setattr(reading, "MAX_STRETCH", 300)
    monkeypatch.setattr(counting, "CHUNK_BYTES", 64)
    monkeypatch.setattr(counting, "_SMALLEST_TASK", 256)


def parts(path: Path, lines: bool, chunks: Chunks = reading.WHOLE) -> list[list[bytes]]:
    return [[bytes(text) for text in batch] for batch in file_batches([path], lines, "strict", chunks=chunks)]


@settings(max_examples=200)
@given(text=TEXTS, lines=st.booleans(), n_chunks=st.integers(1, 6))
def test_workers_cut_where_a_single_reader_does(
    tmp_path_factory: pytest.TempPathFactory, text: str, lines: bool, n_chunks: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CHUNK_BYTES", 64)
        patch.setattr(reading, "MAX_STRETCH", 300)
        path = tmp_path_factory.getbasetemp() / "parts.txt"
        path.write_text(text, encoding="utf-8", newline="")
        runs = split_file(path, n_chunks)
        assert [part for run in runs for part in parts(path, lines, run)] == parts(path, lines)


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    sample = Path(__file__).parent.parent.parent / "data" / "sample" / "raw"
    texts = [path.read_text(encoding="utf-8") for path in sorted(sample.glob("*.txt"))]
    paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text[:6000] + "1" * 400 + text[6000:12000], encoding="utf-8")
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress(texts[0][:3000].encode()))
    return [*paths, packed]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_document_length": 40},
        {"normalizer": make_normalizer("search")},
        {"add_prefix_space": True, "tie_break": "lexicographic"},
        {"pretokenizer": WordTokenizer()},
        {"pretokenizer": r"\w+"},
        {"byte_level": False, "pretokenizer": "blank"},
        {"sample": 0.5, "random_state": 3},
    ],
)
@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.filterwarnings("ignore:.*max_document_length")
def test_models_are_the_same_whoever_counts(
    small: None, corpus: list[Path], params: dict[str, Any], lines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state(fit: Any) -> Any:
        return fit(BPETokenizer(num_merges=60, **params))._get_state()

    texts = [line for path in corpus[:-1] for line in path.read_text(encoding="utf-8").split("\n")]
    expected = [state(lambda each: each.fit_files(corpus, lines=lines)), state(lambda each: each.fit(texts))]
    monkeypatch.setattr("textprep_ml.subword.fitting.leaves_process", lambda n_jobs: True)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = [state(lambda each: each.fit_files(corpus, lines=lines)), state(lambda each: each.fit(texts))]
    assert found == expected


def test_tables_travel_and_add_up_in_order() -> None:
    preparation = Preparation("gpt2", None, False, 20)
    batches = [[b"new words here"], [b"here are more words", b"left out because it is long"], [b"", b"here"]]
    tables = [pickle.loads(pickle.dumps(count_table(preparation, [batch]))) for batch in batches]
    skipped = LongDocuments(20)
    told: list[tuple[str, int, int]] = []
    total = add_tables(tables, skipped, lambda *call: told.append(call), 99)
    expected = {"new": 1, " words": 2, " here": 1, "here": 2, " are": 1, " more": 1}
    assert list(word_table(total).items()) == list(expected.items())
    assert [done for _, done, _ in told] == [14, 60, 64]
    with pytest.warns(UserWarning, match="1 of 5 lines or documents, 27 characters"):
        skipped.warn()


def test_a_bad_byte_is_named_by_the_place_in_the_file(small: None, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"fine words\n" * 60 + b"ab\xff\n")
    for lines in (False, True):
        with pytest.raises(CorpusFormatError, match=r"bad\.txt, line 61 byte 2: invalid UTF-8 \(0xff\)"):
            list(file_batches([path], lines, "strict", chunks=split_file(path, 3)[-1]))


def test_an_empty_corpus_gives_an_empty_table() -> None:
    table = count_table(Preparation("gpt2", None, False, None), [])
    assert len(add_tables([table], LongDocuments(None), nothing, 0)) == 0
