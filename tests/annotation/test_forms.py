"""Annotations in the forms of others: columns, Arrow and Parquet, frames, JSON lines, CoNLL-U, spaCy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet
import pytest
from datasets import Dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.vocab import Vocab

from textprep_ml import (
    BPETokenizer,
    CorpusFormatError,
    NaiveSegmenter,
    RegexTokenizer,
    RuleNormalizer,
    TextNormalizer,
    TextPipeline,
    WordTokenizer,
    annotate,
    iter_rows,
    make_normalizer,
    make_text_pipeline,
    read_corpus,
)
from textprep_ml.annotation import Annotations

TEXTS = ["It’s  ﬁne.  Isn't it?\n", "", "Ja — ½!"]


@pytest.fixture(scope="module")
def found(whole: TextPipeline) -> Annotations:
    return annotate(whole, TEXTS)


def test_columns(found: Annotations) -> None:
    columns = found.to_columns()
    assert {name: len(values) for name, values in columns.items()} == dict.fromkeys(columns, 3)
    assert columns["sentences"] == [[[0, 10], [12, 21]], [], [[0, 7]]]
    assert columns["sentence_texts"][0] == ["It's fine.", "Isn't it?"]
    assert columns["tokens"][0] == [[0, 2], [2, 4], [6, 9], [9, 10], [12, 14], [14, 17], [18, 20], [20, 21]]
    assert columns["token_texts"][0] == ["It", "'s", "fine", ".", "Is", "n't", "it", "?"]
    assert columns["token_sentences"] == [[0, 0, 0, 0, 1, 1, 1, 1], [], [0] * len(columns["tokens"][2])]
    assert columns["tags"][0][:4] == ["PRON", "AUX", "ADJ", "PUNCT"]
    assert columns["piece_texts"][0][:6] == ["I", "t", "'s", "f", "in", "e"]
    assert columns["piece_tokens"][0][:6] == [0, 0, 1, 2, 2, 2]
    assert columns["pieces"][0][:6] == [[0, 1], [1, 2], [2, 4], [6, 7], [6, 8], [8, 9]]
    assert columns["piece_tokens"][2][0] == 0  # counted within the document
    assert all(isinstance(index, int) for index in columns["piece_ids"][0])


def test_arrow_and_parquet_hold_the_columns(found: Annotations, tmp_path: Path) -> None:
    table = found.to_arrow()
    assert table.to_pydict() == {"text": TEXTS, **found.to_columns()}
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").equals(table)
    dataset = Dataset(table)
    assert dataset[0]["token_texts"] == found.to_columns()["token_texts"][0]
    assert annotate(WordTokenizer(), []).to_arrow().num_rows == 0


def test_bytes_that_are_no_characters_have_names() -> None:
    bpe = BPETokenizer(num_merges=0).fit(["any"])
    found = annotate(bpe, ["né"])
    assert found.pieces.texts == ["n", "\udcc3", "\udca9"]
    assert found.to_arrow()["piece_texts"].to_pylist() == [["n", "<0xC3>", "<0xA9>"]]
    assert found.surfaces("pieces") == ["n", "é", "é"]
    with pytest.raises(ValueError, match=r"Document 1 has a lone surrogate \(U\+D800\) at character 1"):
        annotate(bpe, ["a", "b\ud800"]).to_arrow()


def test_frames(found: Annotations) -> None:
    tokens = found.to_pandas("tokens")
    assert tokens.columns.tolist() == ["document", "sentence", "start", "end", "surface", "text", "tag"]
    assert tokens[tokens["document"] == 0]["sentence"].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert tokens["surface"].tolist()[:3] == ["It", "’s", "ﬁne"]
    pieces = found.to_pandas()
    assert pieces.columns.tolist() == ["document", "sentence", "token", "start", "end", "surface", "text", "id"]
    joined = pieces.groupby(["document", "token"])["text"].agg("".join)
    assert joined.tolist()[:9] == found.tokens.texts[:9]
    sentences = found.to_pandas("sentences")
    assert sentences["document"].tolist() == [0, 0, 2]
    assert isinstance(annotate([], ["a"]).to_pandas(), pd.DataFrame)
    with pytest.raises(AttributeError, match="no lines"):
        found.to_pandas("lines")


def test_json_lines_are_a_corpus(found: Annotations, tmp_path: Path) -> None:
    for name in ("x.jsonl", "x.jsonl.gz"):
        found.to_jsonl(tmp_path / name)
        rows = list(iter_rows(tmp_path / name))
        assert [row["text"] for row in rows] == TEXTS
        assert [row["sentences"] for row in rows] == found.to_columns()["sentences"]
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["piece_ids"] for line in lines] == found.to_columns()["piece_ids"]
    assert read_corpus(tmp_path / "x.jsonl")["tags"][0] == found.to_columns()["tags"][0]


def test_nothing_is_left_of_a_file_that_could_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        annotate(WordTokenizer(), ["a", "\ud800"]).to_jsonl(tmp_path / "x.jsonl")
    with pytest.raises(CorpusFormatError, match="no sentences"):
        annotate(WordTokenizer(), ["a", " "]).to_conllu(tmp_path / "x.conllu")
    assert list(tmp_path.iterdir()) == []


# CoNLL-U


def conllu(found: Annotations, folder: Path, **options: Any) -> list[dict[str, Any]]:
    found.to_conllu(folder / "x.conllu", **options)
    return list(iter_rows(folder / "x.conllu"))


def test_conllu_has_tokens_tags_and_sentences(found: Annotations, tmp_path: Path) -> None:
    kept = [index for index, text in enumerate(TEXTS) if text]
    rows = conllu(annotate(make_text_pipeline(segmenter="en", tagger="en-pos"), [TEXTS[i] for i in kept]), tmp_path)
    assert [row["text"] for row in rows] == [TEXTS[index] for index in kept]
    assert rows[0]["sentences"] == [[0, 10], [12, 21]]
    assert rows[0]["forms"] == ["It", "’s", "ﬁne", ".", "Is", "n't", "it", "?"]
    assert rows[0]["upos"][:2] == ["PRON", "AUX"]
    assert rows[0]["xpos"][:3] == ["_"] * 3
    other = conllu(annotate(make_text_pipeline(tagger="en-pos"), ["It rains"]), tmp_path, column="xpos")
    assert (other[0]["xpos"], other[0]["upos"]) == (["PRON", "VERB"], ["_", "_"])
    with pytest.raises(ValueError, match="'upos' or 'xpos'"):
        found.to_conllu(tmp_path / "x", column="feats")


def test_tokens_from_the_same_characters_are_a_multiword_token(tmp_path: Path) -> None:
    steps = [RuleNormalizer(rules=[("zum", "zu dem")]), WordTokenizer(language="de")]
    row = conllu(annotate(steps, ["Er geht zum See."]), tmp_path)[0]
    assert row["forms"] == ["Er", "geht", "zu", "dem", "See", "."]
    assert row["multiword_tokens"] == [[2, 4]]
    assert row["tokens"][2:4] == [[8, 11], [8, 11]]


def test_what_no_token_has_is_a_token_in_conllu(tmp_path: Path) -> None:
    row = conllu(annotate([NaiveSegmenter(), RegexTokenizer("words")], ["\ufeffSo, it is. (Yes)"]), tmp_path)[0]
    assert row["forms"] == ["\ufeff", "So", ",", "it", "is", ".", "(", "Yes", ")"]
    assert row["text"] == "\ufeffSo, it is. (Yes)"
    assert row["sentences"] == [[0, 11], [12, 17]]


WILD = st.lists(st.text(st.sampled_from("ab .!?\n\u00a0ﬁé中e\u0301—…\u200bA😀1'"), min_size=1), min_size=1, max_size=3)


@given(texts=WILD)
@settings(max_examples=60)
def test_the_raw_text_can_be_read_from_conllu(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = [text for text in texts if text.strip().strip("\u200b")]
    found = annotate([make_normalizer("search", case="keep"), NaiveSegmenter(), WordTokenizer()], kept)
    if kept:
        rows = conllu(found, tmp_path_factory.mktemp("conllu"))
        assert [row["text"] for row in rows] == kept


# spaCy


def test_spacy_documents(found: Annotations) -> None:
    docs = found.to_spacy()
    assert [doc.text for doc in docs] == TEXTS
    first = docs[0]
    assert [token.text for token in first] == ["It", "’s", " ", "ﬁne", ".", " ", "Is", "n't", "it", "?", "\n"]
    assert [sentence.text for sentence in first.sents] == ["It’s  ﬁne.  ", "Isn't it?\n"]
    assert [token.pos_ for token in first][:5] == ["PRON", "AUX", "", "ADJ", "PUNCT"]
    assert first[3].idx == 6
    pieces = first.user_data["pieces"]
    assert [first[piece["token"]].text for piece in pieces][:4] == ["It", "It", "’s", "ﬁne"]
    assert [piece["id"] for piece in pieces] == found.to_columns()["piece_ids"][0]
    vocab = Vocab()
    assert found.to_spacy(vocab)[0].vocab is vocab


def test_spacy_without_sentences_and_with_other_tags() -> None:
    doc = annotate(make_text_pipeline(), ["a  b"]).to_spacy()[0]
    assert not doc.has_annotation("SENT_START")
    tagged = annotate(make_text_pipeline(tagger="en-pos"), ["It rains"])
    tagged.tokens.tags[:] = ["PRP", "VBZ"]  # type: ignore[index]
    assert [token.tag_ for token in tagged.to_spacy()[0]] == ["PRP", "VBZ"]


@given(texts=WILD)
@settings(max_examples=60)
def test_spacy_keeps_the_raw_text_and_the_sentences(texts: list[str]) -> None:
    found = annotate([TextNormalizer(form="NFKC", control="drop"), NaiveSegmenter(), WordTokenizer()], texts)
    for doc, text, each in zip(found.to_spacy(), texts, found, strict=True):
        assert doc.text == text
        assert len(list(doc.sents)) == max(len(set(each.tokens.parents.tolist())), 1 if text else 0)
