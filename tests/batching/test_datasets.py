"""Models over data sets: columns in and out, the cache, several processes, streams, Parquet."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from datasets import Dataset, IterableDataset, load_dataset
from datasets.fingerprint import Hasher
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import textprep_ml
from tests import checks
from tests.test_contract import CASES, Case
from textprep_ml import (
    BPETokenizer,
    RuleSegmenter,
    SentenceSegmenter,
    TextNormalizer,
    WordTokenizer,
    annotate,
    batch_function,
    make_text_pipeline,
)
from textprep_ml.batching import BatchFunction, printable

TEXTS = ["It rains. Stay in!", "Ünïcode — ½…", "", "naïve 😀 No."]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the files of `datasets` with the test."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture(scope="module")
def bpe() -> BPETokenizer:
    return BPETokenizer(num_merges=12).fit(["It rains. Stay in! naïve No rain"])


@pytest.fixture
def dataset() -> Dataset:
    return Dataset.from_dict({"text": TEXTS * 25, "number": list(range(100))})


# What comes out


def test_new_columns_are_called_after_what_they_hold(bpe: BPETokenizer, dataset: Dataset) -> None:
    for model, column, expected in (
        (RuleSegmenter(), "sentences", ["It rains.", "Stay in!"]),
        (WordTokenizer(), "tokens", ["It", "rains", ".", "Stay", "in", "!"]),
        (TextNormalizer(case="lower"), "text", "it rains. stay in!"),
        (bpe, "pieces", bpe.transform(TEXTS)[0]),
        (make_text_pipeline(segmenter="rules"), "tokens", [["It", "rains", "."], ["Stay", "in", "!"]]),
    ):
        mapped = dataset.map(model.as_batch_function(), batched=True, batch_size=7)
        assert mapped.column_names == list(dict.fromkeys(["text", "number", column]))
        assert mapped[0][column] == expected
        assert len(mapped) == 100


def test_any_method_and_any_column(bpe: BPETokenizer, dataset: Dataset) -> None:
    renamed = dataset.rename_column("text", "body")
    mapped = renamed.map(bpe.as_batch_function(column="body", method="encode_batch"), batched=True)
    assert mapped["ids"][:4] == [bpe.encode(text) for text in TEXTS]
    mapped = renamed.map(
        batch_function(RuleSegmenter(), column="body", method="predict", output="spans"),
        batched=True,
        remove_columns="body",
    )
    assert mapped[0] == {"number": 0, "spans": [[0, 9], [10, 18]]}


def test_annotations_are_columns(dataset: Dataset) -> None:
    pipeline = make_text_pipeline(normalizer="search", segmenter="rules")
    mapped = dataset.map(pipeline.as_batch_function(method="annotate"), batched=True, batch_size=10)
    expected = annotate(pipeline, dataset["text"]).to_columns()
    assert {name: list(mapped[name]) for name in expected} == expected
    as_arrow = dataset.with_format("arrow").map(pipeline.as_batch_function(method="annotate"), batched=True)
    assert {name: list(as_arrow.with_format(None)[name]) for name in expected} == expected


def test_labels_of_a_classifier(dataset: Dataset) -> None:
    labels = [number % 4 for number in range(100)]
    model = make_text_pipeline(classifier="bayes").fit(dataset["text"], labels)
    mapped = dataset.map(model.as_batch_function(), batched=True)
    assert mapped["predict"][:3] == model.predict(TEXTS[:3]).tolist()
    assert dataset.map(model.as_batch_function(method="predict_proba", output="p"), batched=True)[0]["p"] == (
        pytest.approx(model.predict_proba(TEXTS[:1])[0].tolist())
    )
    with pytest.raises(ValueError, match="sparse matrix"):
        batch_function(model[:-1])({"text": TEXTS})


# Arrow and frames: what comes in comes out


def test_arrow_tables_stay_arrow_tables(bpe: BPETokenizer, dataset: Dataset) -> None:
    table = dataset.with_format("arrow")[:4]
    for method in ("transform", "encode_batch"):
        function = bpe.as_batch_function(method=method, output="new")
        found = function(table)
        assert isinstance(found, pa.Table)
        assert found.column_names == ["text", "number", "new"]
        assert found["new"].to_pylist() == function({"text": TEXTS})["new"]
    assert TextNormalizer(case="lower").as_batch_function()(table)["text"].to_pylist()[0] == TEXTS[0].lower()
    mapped = dataset.with_format("arrow").map(bpe.as_batch_function(method="encode_batch"), batched=True, batch_size=9)
    assert mapped.with_format(None)["ids"][:4] == [bpe.encode(text) for text in TEXTS]


def test_frames_stay_frames(dataset: Dataset) -> None:
    found = WordTokenizer().as_batch_function()(pd.DataFrame({"text": ["a b"], "number": [1]}))
    assert found.columns.tolist() == ["text", "number", "tokens"]
    assert found["tokens"][0] == ["a", "b"]
    mapped = dataset.with_format("pandas").map(WordTokenizer().as_batch_function(), batched=True)
    assert mapped.with_format(None)[0]["tokens"] == WordTokenizer().tokenize(TEXTS[0])


def test_bytes_that_are_no_characters_get_names(bpe: BPETokenizer) -> None:
    assert bpe.as_batch_function()({"text": ["Ü"]}) == {"pieces": [["<0xC3>", "<0x9C>"]]}
    assert printable("\ud83d plain é") == "<U+D83D> plain é"


# The cache


@pytest.mark.parametrize("case", [case for case in CASES if "transform" in case.methods], ids=lambda case: case.name)
def test_use_and_saving_do_not_change_the_key(case: Case, tmp_path: Path) -> None:
    fitted = case.fit(checks.clone(case.estimator))
    before = Hasher.hash(fitted.as_batch_function())
    fitted.transform(checks.TEXTS)
    assert Hasher.hash(fitted.as_batch_function()) == before
    assert Hasher.hash(pickle.loads(pickle.dumps(fitted)).as_batch_function()) == before
    assert Hasher.hash(case.fit(checks.clone(case.estimator)).as_batch_function()) == before
    if case.name != "EditDistanceTransformer":
        textprep_ml.save(fitted, tmp_path / "x.json")
        assert Hasher.hash(textprep_ml.load(tmp_path / "x.json").as_batch_function()) == before


def test_other_models_and_other_options_have_other_keys(bpe: BPETokenizer) -> None:
    functions = [
        WordTokenizer().as_batch_function(),
        WordTokenizer(contractions="keep").as_batch_function(),
        WordTokenizer().as_batch_function(output="words"),
        WordTokenizer().as_batch_function(column="body"),
        bpe.as_batch_function(),
        bpe.as_batch_function(method="encode_batch"),
        BPETokenizer(num_merges=5).fit(["other text"]).as_batch_function(),
        make_text_pipeline().as_batch_function(),
    ]
    assert len({Hasher.hash(function) for function in functions}) == len(functions)


def test_the_key_is_the_same_in_another_process() -> None:
    code = (
        "from datasets.fingerprint import Hasher; from textprep_ml import *;"
        "p = make_text_pipeline(normalizer='search', segmenter='en', tagger='en-pos',"
        " subword=BPETokenizer(num_merges=9, pretokenizer='none').fit(['low lower lowest', 'élan']));"
        "print(Hasher.hash(p.as_batch_function(method='annotate')))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_the_second_time_nothing_is_computed(
    bpe: BPETokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Dataset.from_dict({"text": TEXTS}).to_parquet(tmp_path / "x.parquet")
    dataset = load_dataset("parquet", data_files=str(tmp_path / "x.parquet"), split="train")
    first = dataset.map(bpe.as_batch_function(), batched=True)
    bpe.save(tmp_path / "bpe.json")

    def fail(*args: Any) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(BatchFunction, "__call__", fail)
    loaded = BPETokenizer.load(tmp_path / "bpe.json")
    second = dataset.map(loaded.as_batch_function(), batched=True)
    assert second._fingerprint == first._fingerprint
    assert second.cache_files == first.cache_files
    assert second[:] == first[:]
    with pytest.raises(AssertionError, match="computed again"):
        dataset.map(bpe.as_batch_function(output="other"), batched=True)


def test_models_without_a_file_form_work_too(dataset: Dataset) -> None:
    labels = [number % 4 == 0 for number in range(100)]
    forest = RandomForestClassifier(3, random_state=0)
    model = make_text_pipeline(vectorizer="counts", classifier=forest).fit(dataset["text"], labels)
    function = pickle.loads(pickle.dumps(model.as_batch_function()))
    assert function({"text": TEXTS}) == {"predict": model.predict(TEXTS).tolist()}
    segmenter = SentenceSegmenter(RandomForestClassifier(3, random_state=0), min_count=1)
    fitted = segmenter.fit(["One. Two.", "Mr. A. No."] * 3, [[(0, 4), (5, 9)], [(0, 6), (7, 10)]] * 3)
    assert Hasher.hash(fitted.as_batch_function()) == Hasher.hash(fitted.as_batch_function())
    assert fitted.as_batch_function()({"text": ["One. Two."]}) == {"sentences": [["One.", "Two."]]}


# Processes, streams, files


@pytest.mark.parametrize("form", [None, "arrow"])
def test_several_processes(bpe: BPETokenizer, dataset: Dataset, form: str | None) -> None:
    pipeline = make_text_pipeline(normalizer="search", segmenter="rules")
    for function in (pipeline.as_batch_function(), bpe.as_batch_function(method="encode_batch")):
        alone = dataset.map(function, batched=True)
        shared = dataset.with_format(form).map(function, batched=True, batch_size=10, num_proc=2)
        assert shared.with_format(None)[:] == alone[:]


@pytest.mark.parametrize("form", [None, "arrow"])
def test_streams(bpe: BPETokenizer, dataset: Dataset, form: str | None) -> None:
    function = bpe.as_batch_function(method="encode_batch")
    stream = dataset.to_iterable_dataset().with_format(form).map(function, batched=True, batch_size=10)
    rows = list(stream.with_format(None))
    assert rows == list(dataset.map(function, batched=True))


def test_a_stream_takes_what_it_needs_and_no_more() -> None:
    taken = []

    def rows() -> Iterator[dict[str, str]]:
        for number in range(10_000):
            taken.append(number)
            yield {"text": f"Row {number} is here. And there."}

    stream = IterableDataset.from_generator(rows).map(
        make_text_pipeline(segmenter="rules").as_batch_function(), batched=True, batch_size=10
    )
    found = [row["tokens"][0][1] for row, _ in zip(stream, range(25), strict=False)]
    assert found == [str(number) for number in range(25)]
    assert len(taken) <= 40


def memory_of(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_stream_ten_times_as_long_takes_no_more_memory(bpe: BPETokenizer) -> None:
    function = make_text_pipeline(segmenter="naive", subword=bpe).as_batch_function(method="annotate")

    def read(n_rows: int) -> None:
        def rows() -> Iterator[dict[str, str]]:
            for number in range(n_rows):
                yield {"text": f"Row {number} is here. And {number * 7919 % 100003} there, {'x' * (number % 50)}."}

        for _ in IterableDataset.from_generator(rows).map(function, batched=True, batch_size=20):
            pass

    read(20)  # what is imported at first use
    small, large = (memory_of(lambda n=n: read(n)) for n in (100, 1000))
    assert large < 2 * small


def test_parquet(bpe: BPETokenizer, dataset: Dataset, tmp_path: Path) -> None:
    function = make_text_pipeline(segmenter="rules", subword=bpe).as_batch_function(method="annotate")
    mapped = dataset.with_format("arrow").map(function, batched=True).with_format(None)
    mapped.to_parquet(tmp_path / "x.parquet")
    again = load_dataset("parquet", data_files=str(tmp_path / "x.parquet"), split="train")
    assert again[:] == mapped[:]
    assert pd.read_parquet(tmp_path / "x.parquet")["piece_ids"][0].tolist() == mapped[0]["piece_ids"]


# What is refused


def test_a_null_is_told_with_its_row(dataset: Dataset) -> None:
    broken = Dataset.from_dict({"text": ["a", "b", "c", None, "e"]})
    function = WordTokenizer().as_batch_function()
    with pytest.raises(TypeError, match="'text' is null in row 1 of the batch"):
        broken.map(function, batched=True, batch_size=2)
    with pytest.raises(TypeError, match="'text' is null in row 3"):
        broken.map(function, batched=True, batch_size=2, with_indices=True)
    with pytest.raises(TypeError, match="is null in row 1"):
        function(pd.DataFrame({"text": ["a", np.nan]}))


def test_wrong_columns_methods_and_models_are_refused(dataset: Dataset) -> None:
    with pytest.raises(ValueError, match="no column 'body', only text, number"):
        WordTokenizer().as_batch_function(column="body")(dataset.with_format("arrow")[:2])
    with pytest.raises(ValueError, match="no column 'body', only text"):
        WordTokenizer().as_batch_function(column="body")({"text": ["a"]})
    with pytest.raises(ValueError, match="WordTokenizer has no method 'predict'"):
        WordTokenizer().as_batch_function(method="predict")
    with pytest.raises(ValueError, match="several columns"):
        WordTokenizer().as_batch_function(method="annotate", output="x")
    with pytest.raises(NotFittedError):
        BPETokenizer().as_batch_function()
    with pytest.raises(NotFittedError):
        batch_function(make_pipeline(WordTokenizer(), BPETokenizer()))
    assert repr(WordTokenizer().as_batch_function()) == "BatchFunction(WordTokenizer.transform: 'text' -> 'tokens')"
