"""Files of any format become parts: their columns, their rows, their bad rows, and nothing half-written."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import joblib
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import textprep_ml
from tests.bulk.conftest import TEXTS, jsonl, read_part
from textprep_ml import (
    BPETokenizer,
    PosTagger,
    RegexTokenizer,
    SentenceSegmenter,
    UnigramTokenizer,
    WordCounter,
    WordPieceTokenizer,
    WordTokenizer,
    make_normalizer,
)
from textprep_ml.bulk import reading, transform_files
from textprep_ml.bulk.columns import pack_slices
from textprep_ml.exceptions import CorpusFormatError, ModelFormatError
from textprep_ml.segmentation import RuleSegmenter, windows

BPE = BPETokenizer(num_merges=20, byte_level=False).fit(TEXTS)
TAGGER = PosTagger(min_frequency=1).fit(["a cat sleeps", "dogs sleep"], ["DET NOUN VERB", "NOUN VERB"])


@pytest.fixture
def one(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_bytes(jsonl(TEXTS))
    return path


# What is written


def test_every_format_gives_the_same_rows(corpus: list[Path], tmp_path: Path) -> None:
    summary = transform_files("en", corpus, tmp_path / "out", format="auto", keep_text=True)
    expected = [spans.tolist() for spans in SentenceSegmenter.load("en").predict(TEXTS)]
    assert len(summary.parts) == len(corpus) == 9
    for part in summary.parts:
        if part.source.name.startswith("lines"):
            continue  # a whole text for a segmenter
        assert read_part(part.target, "sentences") == expected, part.source
        assert read_part(part.target, "row", "id", "text") == [
            {"row": number, "id": f"d{number - 1}", "text": text} for number, text in enumerate(TEXTS, start=1)
        ]
    tokenized = transform_files(WordTokenizer(), corpus, tmp_path / "tokens")
    tokens = WordTokenizer().transform(TEXTS)
    assert [read_part(part.target, "token_texts") for part in tokenized.parts] == [tokens] * 9
    assert (tokenized.rows.n_rows, tokenized.rows.n_bad) == (9 * len(TEXTS), 0)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("rules", {"sentences": [spans.tolist() for spans in RuleSegmenter().predict(TEXTS)]}),
        (
            "WordTokenizer",
            {
                "tokens": [WordTokenizer().spans(text).tolist() for text in TEXTS],
                "token_texts": WordTokenizer().transform(TEXTS),
            },
        ),
        (make_normalizer("search"), {"normalized": make_normalizer("search").transform(TEXTS)}),
        (TAGGER, {"token_texts": [text.split() for text in TEXTS], "tags": list(TAGGER.predict(TEXTS))}),
    ],
    ids=["segmenter", "tokenizer", "normalizer", "tagger"],
)
def test_columns_follow_the_model(model: Any, expected: dict[str, Any], one: Path, tmp_path: Path) -> None:
    [part] = transform_files(model, [one], tmp_path / "out", keep_text=False).parts
    assert pq.read_schema(part.target).names == ["row", "id", *expected]
    for name, values in expected.items():
        assert read_part(part.target, name) == values


def test_subword_tokenizers_give_ids(one: Path, tmp_path: Path) -> None:
    tokenizer = BPETokenizer(num_merges=20).fit(TEXTS)
    tokenizer.save(tmp_path / "bpe.json")
    [part] = transform_files(tmp_path / "bpe.json", [one], tmp_path / "out").parts
    assert read_part(part.target, "piece_ids") == tokenizer.encode_batch(TEXTS)


@pytest.mark.parametrize("make", [BPETokenizer, WordPieceTokenizer, UnigramTokenizer])
@pytest.mark.filterwarnings("ignore::textprep_ml.exceptions.VocabularyWarning")
def test_foreign_tokenizers_are_models_too(make: Any, one: Path, tmp_path: Path) -> None:
    tokenizer = make(vocab_size=330).fit(TEXTS)
    tokenizer.to_tokenizers_json(tmp_path / "tokenizer.json")
    [part] = transform_files(tmp_path / "tokenizer.json", [one], tmp_path / "out").parts
    assert read_part(part.target, "piece_ids") == make.from_tokenizers_json(tmp_path / "tokenizer.json").encode_batch(
        TEXTS
    )


def test_pipelines_give_all_that_they_find(one: Path, tmp_path: Path) -> None:
    pipeline = textprep_ml.make_text_pipeline(normalizer=make_normalizer("mt"), segmenter="rules")
    [part] = transform_files(pipeline, [one], tmp_path / "out").parts
    expected = textprep_ml.annotate(pipeline, TEXTS).to_columns()
    assert {"sentences", "tokens"} <= set(expected)
    for name, values in expected.items():
        assert read_part(part.target, name) == values


def test_classifiers_give_their_prediction(one: Path, tmp_path: Path) -> None:
    classes = ["yes", "no", "no", "yes", "no"]
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, classes)
    [part] = transform_files(pipeline, [one], tmp_path / "out").parts
    assert read_part(part.target, "prediction") == pipeline.predict(TEXTS).tolist()


@pytest.mark.parametrize("model", [WordCounter().fit(TEXTS), make_pipeline(CountVectorizer()).fit(TEXTS)])
def test_models_without_columns_are_refused(model: Any, one: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="transform writes"):
        transform_files(model, [one], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_unknown_and_unfitted_models_are_refused(one: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="No model file 'nothing'"):
        transform_files("nothing", [one], tmp_path / "out")
    with pytest.raises(ValueError, match="not fitted"):
        transform_files(SentenceSegmenter(), [one], tmp_path / "out")


@settings(max_examples=200)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=5))
def test_slices_are_those_of_the_texts(texts: list[str]) -> None:
    for tokenizer in (WordTokenizer(), RegexTokenizer(r"\W", gaps=True, discard_empty=False)):
        found = tokenizer.spans_batch(texts)
        expected = [text[a:b] for text, spans in zip(texts, found, strict=True) for a, b in spans.tolist()]
        assert pack_slices(texts, found).to_pylist() == expected


# Whole texts


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_whole_text_is_cut_where_no_sentence_is_torn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, n_jobs: int
) -> None:
    text = "".join(f"Sentence number {number} ends here. And so does this!\n" for number in range(300))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr(windows, "WINDOW_BYTES", 1000)
    monkeypatch.setattr(windows.read_windows, "__defaults__", (1000,))
    [part] = transform_files("naive", [tmp_path / "a.txt"], tmp_path / "out", n_jobs=n_jobs).parts
    rows = read_part(part.target)
    assert len(rows) > 10
    assert "".join(row["text"] for row in rows) == text
    found = [text[row["start"] + start : row["start"] + end] for row in rows for start, end in row["sentences"]]
    assert found == textprep_ml.NaiveSegmenter().split(text)


# Bad rows

BAD = [
    ("null", b'{"text": null}', '"text" is null.'),
    ("a number", b'{"text": 5}', '"text" is int, not text: 5.'),
    ("a list", b'{"text": ["a"]}', "\"text\" is list, not text: ['a']."),
    ("no text", b'{"body": "a"}', "no \"text\" among the keys ['body']."),
    ("no object", b"[1]", "not a JSON object: [1]."),
    ("no JSON", b'{"text": "a"', "not JSON ("),
    ("bad bytes", b'{"text": "a\xff"}', "invalid UTF-8 at byte 11 (0xff)."),
    ("a surrogate", b'{"text": "a\\ud800"}', '"text" has a lone surrogate (U+D800 at character 1)'),
]


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.jsonl"
    lines = [b'{"id": "good", "text": "One. Two."}', *(line for _, line, _ in BAD), b"", b'{"text": "Last."}']
    path.write_bytes(b"\n".join(lines))
    return path


def test_a_bad_row_is_an_error_that_names_it(bad: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusFormatError, match=r'bad\.jsonl, line 2: "text" is null\.'):
        transform_files("rules", [bad], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_bad_rows_are_left_out_and_counted(bad: Path, tmp_path: Path) -> None:
    summary = transform_files("rules", [bad], tmp_path / "out", on_error="skip")
    assert read_part(summary.parts[0].target, "row") == [1, len(BAD) + 3]
    assert (summary.rows.n_rows, summary.rows.n_bad) == (len(BAD) + 2, len(BAD))
    for number, (message, (_, _, problem)) in enumerate(zip(summary.rows.messages, BAD, strict=True), start=2):
        assert message.startswith(f"{bad}, line {number}: {problem}")
    again = transform_files("rules", [bad], tmp_path / "out", on_error="skip")
    assert (again.n_written, again.rows) == (0, summary.rows)


def test_bad_rows_keep_their_place(bad: Path, tmp_path: Path) -> None:
    summary = transform_files("rules", [bad], tmp_path / "out", on_error="null")
    rows = read_part(summary.parts[0].target)
    assert [row["row"] for row in rows] == [*range(1, len(BAD) + 2), len(BAD) + 3]
    assert [row["sentences"] for row in rows] == [[[0, 4], [5, 9]], *[None] * len(BAD), [[0, 5]]]
    assert [row["text"] is None for row in rows] == [False, *[True] * len(BAD), False]
    assert rows[0]["error"] is None
    assert all(row["error"].startswith(problem) for row, (_, _, problem) in zip(rows[1:-1], BAD, strict=True))


@pytest.mark.parametrize(("policy", "kept"), [("skip", [1, 3]), ("null", [1, 2, 3])])
def test_what_the_model_refuses_is_a_bad_row(policy: str, kept: list[int], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("No end\n漢字\nhere\n", encoding="utf-8")
    summary = transform_files(BPE, [tmp_path / "a.txt"], tmp_path / "out", on_error=policy)
    assert read_part(summary.parts[0].target, "row") == kept
    assert summary.rows.n_bad == 1
    assert "a.txt, line 2: " in summary.rows.messages[0]
    assert "漢" in summary.rows.messages[0]


@pytest.mark.parametrize(
    ("array", "problems"),
    [
        (pa.array(["a", None, "b"]), {2: "is null"}),
        (pa.array([1, 2]), {1: "is int, not text: 1", 2: "is int, not text: 2"}),
        (pa.array([b"a", b"\xff"]), {2: "invalid UTF-8 at byte 0 (0xff)"}),
        (pa.array([b"a", b"\xff\xfe"]).view(pa.string()), {2: "invalid UTF-8 at byte 0 (0xff)"}),
        (pa.array(["a", "b", "a"]).dictionary_encode(), {}),
        (pa.array([None, None]), {1: "is null", 2: "is null"}),
        (pa.array(["a", "b"], pa.large_string()), {}),
    ],
    ids=["null", "numbers", "bytes", "damaged strings", "dictionary", "nothing", "large"],
)
def test_bad_rows_of_parquet(array: pa.Array, problems: dict[int, str], tmp_path: Path) -> None:
    pq.write_table(pa.table({"body": array}), tmp_path / "a.parquet")
    summary = transform_files(
        "rules", [tmp_path / "a.parquet"], tmp_path / "out", column="body", on_error="null", keep_text=False
    )
    errors = read_part(summary.parts[0].target, "error")
    assert {number for number, error in enumerate(errors, start=1) if error} == set(problems)
    for number, problem in problems.items():
        assert problem in errors[number - 1]
        assert any(f"a.parquet, row {number}: " in message for message in summary.rows.messages)


def test_a_bad_window_of_a_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(windows.read_windows, "__defaults__", (100,))
    (tmp_path / "a.txt").write_bytes(b"One is one.\n\n" * 20 + b"\xff.\n\n" + b"Two is two.\n\n" * 20)
    with pytest.raises(CorpusFormatError, match=r"a\.txt, window \d+: line 41 byte 0: invalid UTF-8"):
        transform_files("naive", [tmp_path / "a.txt"], tmp_path / "out")
    summary = transform_files("naive", [tmp_path / "a.txt"], tmp_path / "out", on_error="null")
    sentences = read_part(summary.parts[0].target, "sentences")
    assert summary.rows.n_bad == sentences.count(None) == 1
    assert 28 <= sum(len(row) for row in sentences if row) < 40


# Restarting


def test_a_second_run_makes_only_what_is_missing(corpus: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = transform_files("rules", corpus, out)
    times = {part.target: part.target.stat().st_mtime_ns for part in first.parts}
    assert transform_files("rules", corpus, out).n_written == 0
    first.parts[3].target.unlink()
    second = transform_files("rules", corpus, out)
    assert [part.was_finished for part in second.parts] == [index != 3 for index in range(9)]
    assert second.rows == first.rows
    assert all(path.stat().st_mtime_ns == time for path, time in times.items() if path != first.parts[3].target)


def test_a_part_is_made_again_when_it_would_be_another(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def made(model: Any = "rules", **options: Any) -> bool:
        return bool(transform_files(model, [one], out, **options).n_written)

    assert made()
    assert not made()
    for changes in ({"model": "naive"}, {"on_error": "skip"}, {"keep_text": False}, {"format": "lines"}):
        assert made(**changes)
        assert not made(**changes)
    assert made()
    content = one.read_bytes()
    one.write_bytes(content)  # a new time, the same content
    assert not made()
    one.write_bytes(content.replace(b"Ito", b"Otto"))
    assert made()
    one.write_bytes(content.replace(b"Ito", b"Ute"))
    assert made()
    for damage in (b"", b"no Parquet", next(out.iterdir()).read_bytes()[:-9]):
        next(out.iterdir()).write_bytes(damage)
        assert made()
    pq.write_table(pa.table({"row": [1]}), next(out.iterdir()))
    assert made()


def test_an_error_leaves_what_was_there_and_nothing_else(one: Path, bad: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    transform_files("rules", [one], out)
    old = (out / "one.parquet").read_bytes()
    one.write_bytes(one.read_bytes() + b'{"text": null}\n')
    with pytest.raises(CorpusFormatError, match=r"one\.jsonl, line 6"):
        transform_files("rules", [one, bad], out)
    assert [path.name for path in out.iterdir()] == ["one.parquet"]
    assert (out / "one.parquet").read_bytes() == old


def test_what_killed_workers_left_is_swept_up(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in (".one.parquet.abc123.part", ".other.parquet.abc123.part"):
        (out / name).write_bytes(b"half")
    transform_files("rules", [one], out)
    assert sorted(path.name for path in out.iterdir()) == [".other.parquet.abc123.part", "one.parquet"]


def test_a_damaged_file_is_an_error_whatever_the_policy(one: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(one.read_bytes())[:-9])
    with pytest.raises(CorpusFormatError, match=r"cut\.jsonl\.gz, line \d+: .*cut short"):
        transform_files("rules", [path], tmp_path / "out", on_error="skip")
    (tmp_path / "a.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(CorpusFormatError, match=r"a\.parquet: no Parquet file"):
        transform_files("rules", [tmp_path / "a.parquet"], tmp_path / "out", on_error="skip")
    assert list((tmp_path / "out").iterdir()) == []


# What is asked for


def test_plans_that_cannot_be_carried_out(one: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "one.txt").write_text("a")
    (tmp_path / "a.csv").write_text("a")
    with pytest.raises(ValueError, match="would both become"):
        transform_files("rules", [one, tmp_path / "two" / "one.txt"], out)
    with pytest.raises(ValueError, match="no input files"):
        transform_files("rules", [], out)
    with pytest.raises(TypeError, match=r"Pass \[path\]"):
        transform_files("rules", str(one), out)
    with pytest.raises(ValueError, match="two is a folder"):
        transform_files("rules", [tmp_path / "two"], out)
    with pytest.raises(FileNotFoundError):
        transform_files("rules", [one, tmp_path / "none.jsonl"], out)
    with pytest.raises(ValueError, match=r"suffix of .*a\.csv tells no format"):
        transform_files("rules", [tmp_path / "a.csv"], out)
    with pytest.raises(ValueError, match="format is 'csv'"):
        transform_files("rules", [one], out, format="csv")
    with pytest.raises(ValueError, match="on_error is 'ignore'"):
        transform_files("rules", [one], out, on_error="ignore")
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "in.parquet")
    with pytest.raises(ValueError, match="would replace an input file"):
        transform_files("rules", [tmp_path / "in.parquet"], tmp_path)
    with pytest.raises(CorpusFormatError, match=r'in\.parquet: no column "body", only text'):
        transform_files("rules", [tmp_path / "in.parquet"], out, column="body")


def test_progress_ends_with_all_bytes(corpus: list[Path], tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    transform_files("rules", corpus, tmp_path / "out", progress=lambda *call: told.append(call))
    whole = sum(path.stat().st_size for path in corpus)
    assert told[-1] == ("transforming", whole, whole)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_an_empty_file_has_an_empty_part(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\n\n")
    [part] = transform_files("rules", [tmp_path / "a.jsonl"], tmp_path / "out").parts
    assert read_part(part.target) == []
    assert pq.read_schema(part.target).names == ["row", "id", "text", "sentences"]


def test_parts_do_not_depend_on_the_number_of_workers(corpus: list[Path], tmp_path: Path) -> None:
    transform_files("en", corpus, tmp_path / "one")
    transform_files("en", corpus, tmp_path / "threads", n_jobs=2)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        transform_files("en", corpus, tmp_path / "config")
    for path in (tmp_path / "one").iterdir():
        assert (tmp_path / "threads" / path.name).read_bytes() == path.read_bytes()
        assert (tmp_path / "config" / path.name).read_bytes() == path.read_bytes()


def test_memory_does_not_grow_with_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reading, "BATCH_BYTES", 1 << 13)
    monkeypatch.setattr("textprep_ml.bulk.parts._GROUP_BYTES", 1 << 14)

    def peak(times: int) -> int:
        path = tmp_path / f"{times}.jsonl"
        path.write_bytes(jsonl(TEXTS * times))
        tracemalloc.start()
        transform_files("naive", [path], tmp_path / "out")
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return memory

    peak(20)
    assert peak(2000) < 1.5 * peak(200)
