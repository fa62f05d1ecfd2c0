"""WordPieceTokenizer: what training, encoding, decoding and saving promise."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.subword.texts import HARD, evaluation_texts, training_text
from textprep_ml._kernels import COMPILED
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.normalization import TextNormalizer
from textprep_ml.subword import StreamDecoder, WordPieceTokenizer, describe

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
CORPUS = ["The cat sat on the mat, the hat on the cat.", "naïve café 你好 🙂🙂 don't", "  blanks   and\nlines\n\n"]
TEXT = st.text(st.one_of(st.sampled_from("abcé \n'_9你🙂\ud800\u0301.,\x0b"), st.characters()), max_size=40)
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def quiet_fit(X: Any, method: str = "fit", **params: Any) -> WordPieceTokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        return getattr(WordPieceTokenizer(**params), method)(X)


@pytest.fixture(scope="module")
def tokenizer() -> WordPieceTokenizer:
    return quiet_fit(CORPUS, vocab_size=120)


# Training


def test_vocabulary_is_special_tokens_alphabet_and_what_is_learned() -> None:
    tokenizer = WordPieceTokenizer(vocab_size=18, score="likelihood").fit_counts(HUGS)
    assert list(tokenizer.vocabulary_)[:11] == [*"bghnpsu", "##g", "##n", "##s", "##u"]
    assert tokenizer.special_tokens_ == {token: index for index, token in enumerate(SPECIALS)}
    assert [tokenizer.id_to_piece(index) for index in (16, 17)] == ["##gs", "pu"]
    assert tokenizer.merges_ == [("##g", "##s"), ("p", "##u")]
    assert tokenizer.merge_counts_.tolist() == [5, 17]
    assert len(tokenizer.vocabulary_) == tokenizer.vocab_size


def test_the_default_cuts_other_text_into_fewer_pieces() -> None:
    words = (SAMPLE / "raw" / "raw-en.txt").read_text(encoding="utf-8").split()
    seen, held_back = words[: len(words) // 2], words[len(words) // 2 :]
    sizes = {
        score: sum(map(len, quiet_fit(seen, vocab_size=600, **params).encode_batch(held_back)))
        for score, params in {"default": {}, "likelihood": {"score": "likelihood"}}.items()
    }
    assert 1.2 * sizes["default"] < sizes["likelihood"]


def test_frequency_joins_the_most_frequent_pair() -> None:
    tokenizer = WordPieceTokenizer(vocab_size=19).fit_counts(HUGS)
    assert tokenizer.score == "frequency"
    assert tokenizer.merges_ == [("##u", "##g"), ("##u", "##n"), ("h", "##ug")]
    assert tokenizer.merge_counts_.tolist() == [20, 16, 15]


@pytest.mark.parametrize("score", ["likelihood", "frequency"])
def test_result_depends_on_nothing_but_the_words(score: Any) -> None:
    documents = training_text(60_000 if COMPILED else 4_000).split("\n")
    shuffled = random.Random(5).sample(documents, len(documents))
    tokenizers = [
        quiet_fit(texts, vocab_size=300, score=score, n_jobs=n_jobs)
        for texts, n_jobs in ((documents, 1), (shuffled, 1), (iter(shuffled), 3), (documents, 3))
    ]
    tokenizers.append(quiet_fit(tokenizers[0].count_words(documents), "fit_counts", vocab_size=300, score=score))
    assert all(tokenizer.pieces_ == tokenizers[0].pieces_ for tokenizer in tokenizers)


def test_result_does_not_depend_on_hash_seeds() -> None:
    code = (
        "from textprep_ml.subword import WordPieceTokenizer as W\n"
        "print(W(vocab_size=40).fit_counts({'cd ab'[i:j]: 2 for i in range(4) for j in range(i + 1, 6)}).pieces_)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("corpus", [["ab", "cd", "ab", "cd"], ["cd", "ab", "cd", "ab"]])
@pytest.mark.parametrize("score", ["likelihood", "frequency"])
def test_equal_pairs_in_the_order_of_their_strings(score: Any, corpus: list[str]) -> None:
    tokenizer = WordPieceTokenizer(vocab_size=13, score=score).fit(corpus)
    assert tokenizer.merges_ == [("a", "##b"), ("c", "##d")]


def test_files_and_documents_give_the_same(tmp_path: Path) -> None:
    text = training_text(100_000 if COMPILED else 4_000)
    (tmp_path / "a.txt").write_bytes(text.encode())
    params: dict[str, Any] = {"vocab_size": 250, "normalizer": "bert-uncased"}
    whole = quiet_fit([text], **params)
    assert quiet_fit([tmp_path / "a.txt"], "fit_files", **params).pieces_ == whole.pieces_
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        by_lines = WordPieceTokenizer(**params).fit_files([tmp_path / "a.txt"], lines=True)
    assert by_lines.pieces_ == whole.pieces_
    assert next(iter(whole.encode_files([tmp_path / "a.txt"]))).tolist() == whole.encode(text)


@pytest.mark.parametrize("normalizer", ["bert-cased", "bert-uncased"])
@given(texts=st.lists(TEXT, max_size=4))
@settings(max_examples=60)
def test_counted_words_are_those_of_the_normalized_text(normalizer: str, texts: list[str]) -> None:
    from textprep_ml.subword.bert import normalizer_of

    # The same two steps, but for whole texts and not by the kernels alone.
    slow = WordPieceTokenizer(normalizer=normalizer_of(normalizer), pretokenizer=[{"type": "BertPreTokenizer"}])
    assert WordPieceTokenizer(normalizer=normalizer).count_words(texts) == slow.count_words(texts)


def test_limits_of_the_alphabet_and_of_pieces() -> None:
    counts = {"aab": 5, "aac": 3, "aad": 1}
    limited = quiet_fit(counts, "fit_counts", vocab_size=50, alphabet_limit=2)
    assert {"a", "b", "##a", "##b"} < set(limited.vocabulary_)
    assert not {"c", "##c", "d"} & set(limited.vocabulary_)
    covering = quiet_fit(counts, "fit_counts", vocab_size=50, character_coverage=0.95)
    assert "##c" in covering.vocabulary_
    assert "##d" not in covering.vocabulary_
    short = quiet_fit({"abcdefgh": 5}, "fit_counts", vocab_size=100, max_piece_length=3)
    assert max(len(piece.removeprefix("##")) for piece in short.pieces_ if piece) == 3
    rare = quiet_fit(counts, "fit_counts", vocab_size=50, min_frequency=4)
    assert rare.merges_ == [("a", "##a"), ("aa", "##b")]


def test_nothing_is_learned_from_words_that_are_too_long() -> None:
    counts = {"xyxyxyxyxy": 100, "ab": 2}
    tokenizer = quiet_fit(counts, "fit_counts", vocab_size=40, max_word_length=5)
    assert tokenizer.merges_ == [("a", "##b")]
    assert tokenizer.transform(["xyxyxyxyxy ab"]) == [["[UNK]", "ab"]]


def test_a_warning_tells_when_the_corpus_runs_out() -> None:
    with pytest.warns(VocabularyWarning, match=r"at least 2 times: the vocabulary has 12 pieces, 988 fewer"):
        WordPieceTokenizer(vocab_size=1000, min_frequency=2).fit_counts({"ab": 3, "abc": 3})


@pytest.mark.parametrize(
    ("params", "corpus", "message"),
    [
        ({"vocab_size": 10}, CORPUS, r"vocab_size=10 is smaller than the alphabet: \d+ symbols and 5 special tokens"),
        ({}, [], "got an empty corpus"),
        ({}, ["", "  \n"], "got an empty corpus"),
        ({"pretokenizer": "none", "normalizer": None}, [" ", "\n"], "got a blank corpus"),
        ({"special_tokens": ["[UNK]", "[UNK]"]}, CORPUS, r"'\[UNK\]' is there twice"),
        ({"special_tokens": ["[UNK]", "T"]}, CORPUS, r"special_tokens: 'T' is spelled like a character"),
        ({"special_tokens": ["", "[UNK]"]}, CORPUS, "token 0 is empty"),
        ({"special_tokens": {"<s>": 3}}, CORPUS, "not behind the vocabulary"),
        ({"unk_token": ""}, CORPUS, "unk_token must not be empty"),
        ({"template": ("[CLS]",)}, CORPUS, "expected two special tokens"),
        ({"normalizer": "bert"}, CORPUS, "No normalizer is called 'bert'; take bert-cased, bert-uncased"),
        ({"normalizer": {"type": "Odd"}}, CORPUS, "'Odd' is not supported"),
        ({"pretokenizer": "berd"}, CORPUS, "No pre-tokenizer is called 'berd'"),
        ({"pretokenizer": "("}, CORPUS, "no regular expression"),
    ],
)
def test_what_cannot_be_trained_is_refused(params: dict[str, Any], corpus: list[str], message: str) -> None:
    tokenizer = WordPieceTokenizer(**params)
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning), pytest.raises(ValueError, match=message):
        tokenizer.fit(corpus)
    assert not tokenizer.__sklearn_is_fitted__()


def test_special_tokens_are_never_learned_nor_found_unless_allowed() -> None:
    tokenizer = quiet_fit(["[UNK] [UNK] a"] * 3, vocab_size=60, pretokenizer="blank", normalizer=None)
    assert any("UNK" in (piece or "") for piece in tokenizer.pieces_)
    assert "[UNK]" not in tokenizer.pieces_
    assert tokenizer.special_tokens_["[UNK]"] not in tokenizer.encode("[UNK] a")
    assert tokenizer.encode("a [UNK]", allowed_special={"[UNK]"})[1] == tokenizer.special_tokens_["[UNK]"]


def test_dict_of_special_tokens_gives_ids_behind_the_vocabulary() -> None:
    tokenizer = WordPieceTokenizer(vocab_size=14, special_tokens={"<s>": 20, "[UNK]": 21}).fit_counts(HUGS)
    assert tokenizer.special_tokens_ == {"<s>": 20, "[UNK]": 21}
    assert len(tokenizer.vocabulary_) == 16
    assert tokenizer.encode("bx") == [21]


# Encoding


def test_unknown_words_whole_or_in_part() -> None:
    params: dict[str, Any] = {"vocab_size": 30, "score": "frequency"}
    whole, part = (
        quiet_fit({"cat": 3, "hat": 2, "mat": 2, "at": 3}, "fit_counts", **params, unknown=unknown)
        for unknown in ("word", "part")
    )
    assert whole.transform(["zat azt cat"]) == [["[UNK]", "[UNK]", "cat"]]
    assert part.transform(["zat azt cat"]) == [["[UNK]", "##at", "a", "[UNK]", "##t", "cat"]]
    assert part.spans("azt").tolist() == [[0, 1], [1, 2], [2, 3]]
    none = quiet_fit({"cat": 3}, "fit_counts", unk_token=None, special_tokens=(), vocab_size=9)
    with pytest.raises(ValueError, match="No pieces spell the word 'cart' at byte 4"):
        none.encode("cat cart")


@pytest.mark.parametrize("normalizer", ["bert-cased", "bert-uncased", None, TextNormalizer(case="lower")])
@given(text=TEXT)
@settings(max_examples=60)
def test_spans_hold_what_became_the_pieces(normalizer: Any, text: str) -> None:
    key = str(normalizer)
    if key not in FITTED:
        FITTED[key] = quiet_fit([*CORPUS, *HARD], vocab_size=160, normalizer=normalizer, unknown="part")
    tokenizer = FITTED[key]
    ids, spans = tokenizer.encode_with_spans(text)
    assert ids == tokenizer.encode(text)
    assert tokenizer.encode(text, as_array=True).tolist() == ids
    assert all(0 <= start < end <= len(text) for start, end in spans.tolist())
    byte_spans = tokenizer.spans(text, unit="bytes")
    data = text.encode("utf-8", "surrogatepass")
    for (start, end), (first, last), index in zip(spans.tolist(), byte_spans.tolist(), ids, strict=True):
        assert data[first:last] == text[start:end].encode("utf-8", "surrogatepass")
        if normalizer is None and index != tokenizer.special_tokens_["[UNK]"]:
            assert text[start:end] == tokenizer.id_to_piece(index).removeprefix("##")


FITTED: dict[str, WordPieceTokenizer] = {}


def test_ways_to_encode_agree(tokenizer: WordPieceTokenizer, tmp_path: Path) -> None:
    texts = [*CORPUS, *HARD, *evaluation_texts(20_000)[:30]]
    rows = [tokenizer.encode(text) for text in texts]
    assert tokenizer.encode_batch(texts) == rows
    ids, offsets = tokenizer.set_params(n_jobs=2).encode_batch(texts, as_array=True)
    assert [ids[start:end].tolist() for start, end in zip(offsets, offsets[1:], strict=False)] == rows
    tokenizer.set_params(n_jobs=None)
    paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode("utf-8"))
    assert [array.tolist() for array in tokenizer.encode_files(paths)] == rows
    assert tokenizer.transform([texts]) == [[[tokenizer.id_to_piece(index) for index in row] for row in rows]]


def test_generic_way_gives_the_ids_of_the_kernels_own() -> None:
    texts = [*CORPUS, *HARD, *evaluation_texts(20_000)[:30]]
    for normalizer in ("bert-cased", "bert-uncased"):
        fast = quiet_fit(CORPUS, vocab_size=120, normalizer=normalizer)
        slow = pickle.loads(pickle.dumps(fast)).add_tokens(["zzz"])
        slow.added_tokens_["zzz"] = slow.added_tokens_["zzz"]._replace(normalized=True)
        slow._install(slow._model())  # a token that is matched after normalization: texts are normalized first
        assert slow._runtime._normalizer is not None
        for text in texts:
            ids, spans = fast.encode_with_spans(text)
            slow_ids, slow_spans = slow.encode_with_spans(text)
            assert (slow_ids, slow_spans.tolist()) == (ids, spans.tolist())
            assert slow.encode(text) == ids


def test_template_is_put_around_on_request(tokenizer: WordPieceTokenizer) -> None:
    ids = tokenizer.encode("the cat")
    before, behind = tokenizer.special_tokens_["[CLS]"], tokenizer.special_tokens_["[SEP]"]
    assert tokenizer.encode("the cat", add_special_tokens=True) == [before, *ids, behind]
    assert tokenizer.encode_batch(["the cat"], add_special_tokens=True) == [[before, *ids, behind]]
    plain = quiet_fit(CORPUS, vocab_size=120, special_tokens=["[UNK]"])
    assert plain.encode("the cat", add_special_tokens=True) == plain.encode("the cat")


# Decoding


def test_decoding_puts_blanks_between_words(tokenizer: WordPieceTokenizer) -> None:
    ids = tokenizer.encode("The hat,  the cat .\n don't", add_special_tokens=True)
    assert tokenizer.decode(ids) == "[CLS] The hat , the cat . don ' t [SEP]"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "The hat , the cat . don ' t"
    decoder = StreamDecoder(tokenizer)
    assert "".join(decoder.feed([index]) for index in ids) + decoder.finish() == tokenizer.decode(ids)
    tidy = quiet_fit(CORPUS, vocab_size=120, clean_up=True)
    assert tidy.decode(tidy.encode("The hat, the cat.")) == "The hat, the cat."
    assert tidy.decode(tidy.encode(", the cat")) == ", the cat"
    with pytest.raises(ValueError, match="No symbol has the id 5000"):
        tokenizer.decode([5000])


@given(words=st.lists(st.text(st.sampled_from("abc"), min_size=1, max_size=9), max_size=6))
def test_decoding_undoes_encoding_of_known_words(words: list[str]) -> None:
    if "known" not in FITTED:
        FITTED["known"] = quiet_fit(["abcabc bca cab a b c"], vocab_size=40)
    assert FITTED["known"].decode(FITTED["known"].encode(" ".join(words))) == " ".join(words)


# Sizes, added tokens, files


@pytest.mark.parametrize("score", ["likelihood", "frequency"])
def test_smaller_vocabularies_are_those_of_a_smaller_training(score: Any) -> None:
    large = quiet_fit(CORPUS, vocab_size=74, score=score)
    least, most = large.vocab_sizes_
    assert most == len(large.vocabulary_) == 74
    for n in (least, least + 7, most):
        small = large.with_vocab_size(n)
        trained = quiet_fit(CORPUS, vocab_size=n, score=score)
        assert small.pieces_ == trained.pieces_
        assert small.merges_ == trained.merges_
        assert small.get_params() == trained.get_params()
        assert small.encode(CORPUS[0]) == trained.encode(CORPUS[0])
    with pytest.raises(ValueError, match=rf"with_vocab_size\({least - 1}\): between {least} \(the alphabet\) and 74"):
        large.with_vocab_size(least - 1)
    with pytest.raises(TypeError, match="expects an int"):
        large.with_vocab_size(True)


def test_added_tokens(tokenizer: WordPieceTokenizer) -> None:
    more = pickle.loads(pickle.dumps(tokenizer)).add_tokens(["the cat"]).add_tokens(["<x>"], special=True)
    new = more.added_tokens_["the cat"].id
    assert new == len(tokenizer.pieces_)
    assert more.encode("on the cat")[-1] == new
    assert more.decode(more.encode("on the cat <x>", allowed_special="all")) == "on the cat <x>"
    assert more.encode_with_spans("on the cat")[1].tolist()[-1] == [3, 10]
    with pytest.raises(ValueError, match="is taken or no id"):
        more.add_tokens({"y": 0})


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"normalizer": "bert-uncased", "unknown": "part", "clean_up": True},
        {"normalizer": None, "pretokenizer": [{"type": "Whitespace"}], "special_tokens": {"<s>": 500}},
        {"unk_token": None, "special_tokens": ()},
        {"normalizer": {"type": "Lowercase"}, "pretokenizer": "gpt2", "continuing_prefix": "@@", "template": None},
    ],
    ids=lambda params: ",".join(params),
)  # fmt: skip
def test_saved_models_are_the_same(params: dict[str, Any], tmp_path: Path) -> None:
    tokenizer = quiet_fit(CORPUS, vocab_size=130, **params)
    tokenizer.save(tmp_path / "model.json")
    for again in (WordPieceTokenizer.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(tokenizer))):
        assert again.get_params() == tokenizer.get_params() | {
            name: value for name, value in again.get_params().items() if isinstance(value, list)
        }
        assert again.pieces_ == tokenizer.pieces_
        assert again.merges_ == tokenizer.merges_
        assert np.array_equal(again.merge_counts_, tokenizer.merge_counts_)
        assert again.encode_batch(CORPUS, add_special_tokens=True) == tokenizer.encode_batch(
            CORPUS, add_special_tokens=True
        )
        assert again.vocab_sizes_ == tokenizer.vocab_sizes_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("pieces"), "damaged WordPieceTokenizer model: KeyError"),
        (lambda state: state["merges"].append([0, 1, 9999]), "names ids"),
        (lambda state: state.update(merge_counts=[1]), "merges, but 1 counts"),
        (lambda state: state.update(template=[[999], []]), "template names an id"),
        (lambda state: state.update(pieces=3), "damaged WordPieceTokenizer model"),
    ],
)
def test_damaged_models_are_refused(tokenizer: WordPieceTokenizer, tmp_path: Path, change: Any, message: str) -> None:
    tokenizer.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    change(document["state"])
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFormatError, match=message):
        WordPieceTokenizer.load(tmp_path / "model.json")


def test_what_a_model_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    tokenizer = quiet_fit(CORPUS, vocab_size=120, normalizer=TextNormalizer(case="lower"))
    with pytest.raises(ModelFormatError, match="cannot hold the normalizer TextNormalizer"):
        tokenizer.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_inspection(tokenizer: WordPieceTokenizer) -> None:
    summary = describe(tokenizer)
    assert summary["n_pieces"] == len(tokenizer.vocabulary_)
    assert summary["first_merges"] == tokenizer.merges_[:10]
