"""Files of sentencepiece, and tokenizer.json for unigram models: read and written, with the same ids there and here."""

from __future__ import annotations

import random
import re
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers

from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword import BPETokenizer, UnigramTokenizer
from textprep_ml.subword.formats.sentencepiece_proto import make_model, parse

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
CORPUS = [
    line
    for name in ("raw-en.txt", "raw-dialogue.txt", "raw-zh.txt")
    for line in (SAMPLE / "raw" / name).read_text(encoding="utf-8").split("\n")
    if line
]
Tokenizer = UnigramTokenizer | BPETokenizer

#: How sentencepiece is trained, and with which of our classes its file is read.
TRAINED: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "unigram, nfkc": (UnigramTokenizer, {"vocab_size": 600}),
    "unigram, bytes": (UnigramTokenizer, {"vocab_size": 800, "byte_fallback": True, "character_coverage": 0.98}),
    "unigram, identity": (
        UnigramTokenizer,
        {
            "vocab_size": 600,
            "normalization_rule_name": "identity",
            "remove_extra_whitespaces": False,
            "user_defined_symbols": ["<sep>", "the", "\u2581of", "你"],
            "control_symbols": ["<ctl>"],
            "allow_whitespace_only_pieces": True,
        },
    ),
    "unigram, whole": (
        UnigramTokenizer,
        {"vocab_size": 600, "split_by_whitespace": False, "add_dummy_prefix": False},
    ),
    "unigram, suffix": (UnigramTokenizer, {"vocab_size": 600, "treat_whitespace_as_suffix": True}),
    "bpe, nfkc": (BPETokenizer, {"vocab_size": 600, "model_type": "bpe"}),
    "bpe, identity": (
        BPETokenizer,
        {
            "vocab_size": 900,
            "model_type": "bpe",
            "byte_fallback": True,
            "character_coverage": 0.98,
            "normalization_rule_name": "identity",
            "remove_extra_whitespaces": False,
            "user_defined_symbols": ["<sep>"],
        },
    ),
}


def odd_lines() -> list[str]:
    """Make lines that are hard on white space, ties, unknown characters and normalization."""
    rng = random.Random(0)
    chars = "aab  \u2581!!--.é\u0301你好ﬁ①\u00a0\t\n\u200b\ufffd🙂한국어ｶﾞ"
    made = ["".join(rng.choices(chars, k=rng.randrange(50))) for _ in range(300)]
    made += [
        "the <sep>of the",
        "你<sep>",
        "!" * 77,
        "a" * 200,
        "ahaha " * 30,
        " " * 50 + "x",
        "",
        " ",
        "  x ",
        "\ufffd",
    ]
    return made


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return [*CORPUS, *odd_lines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models")
    (made / "text.txt").write_text("\n".join(CORPUS), encoding="utf-8")
    return made


def trained(folder: Path, name: str) -> Path:
    path = folder / f"{re.sub('[^a-z]', '', name)}.model"
    if not path.exists():
        options = {"input": str(folder / "text.txt"), "model_prefix": str(path.with_suffix("")), "minloglevel": 2}
        sentencepiece.SentencePieceTrainer.train(
            **options, **TRAINED[name][1], num_threads=1, hard_vocab_limit=False, max_sentence_length=100_000
        )
    return path


@pytest.mark.parametrize("name", TRAINED)
def test_ids_are_those_of_sentencepiece(folder: Path, lines: list[str], name: str) -> None:
    path = trained(folder, name)
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ours = TRAINED[name][0].from_sentencepiece(path)
    assert ours.encode_batch(lines) == peer.encode(lines)
    whole = "\n".join(lines * 3)
    assert ours.encode(whole) == peer.encode(whole)
    assert ours.transform(lines) == [[peer.id_to_piece(index) for index in row] for row in peer.encode(lines)]
    assert [ours.encode_with_spans(line)[0] for line in lines] == peer.encode(lines)


@pytest.mark.parametrize("name", TRAINED)
def test_what_is_read_can_be_written(folder: Path, lines: list[str], name: str) -> None:
    path, again, third = trained(folder, name), folder / "again.model", folder / "third.model"
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    TRAINED[name][0].from_sentencepiece(path).to_sentencepiece(again)
    written = sentencepiece.SentencePieceProcessor(model_file=str(again))
    assert written.encode(lines) == peer.encode(lines)
    assert [written.id_to_piece(i) for i in range(len(written))] == [peer.id_to_piece(i) for i in range(len(peer))]
    for kind in ("is_control", "is_unknown", "is_byte", "is_unused"):
        assert [getattr(written, kind)(i) for i in range(len(peer))] == [
            getattr(peer, kind)(i) for i in range(len(peer))
        ]
    TRAINED[name][0].from_sentencepiece(again).to_sentencepiece(third)
    assert third.read_bytes() == again.read_bytes()


def own(params: dict[str, Any]) -> Tokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        if params.pop("kind") == "bpe":
            return BPETokenizer.for_sentencepiece(**params).fit(CORPUS)
        return UnigramTokenizer(**params).fit(CORPUS)


@pytest.mark.parametrize(
    "params",
    [
        {"kind": "unigram", "vocab_size": 700},
        {"kind": "unigram", "vocab_size": 900, "byte_fallback": True, "special_tokens": ["<s>", "</s>", "<mask>"]},
        {"kind": "unigram", "vocab_size": 700, "add_prefix_space": False, "unk_token": "[UNK]"},
        {"kind": "unigram", "vocab_size": 700, "user_defined_symbols": ["the", "<sep>"]},
        {
            "kind": "unigram",
            "vocab_size": 700,
            "character_coverage": 0.98,
            "normalizer": {"type": "SentencePiece", "remove_extra_whitespaces": True},
        },
        {"kind": "bpe", "vocab_size": 700},
        {"kind": "bpe", "vocab_size": 900, "byte_fallback": True, "special_tokens": ["<s>"]},
        {"kind": "bpe", "vocab_size": 700, "remove_extra_whitespaces": True, "character_coverage": 0.98},
    ],
)
def test_own_models_give_the_same_ids_in_sentencepiece(
    tmp_path: Path, lines: list[str], params: dict[str, Any]
) -> None:
    ours = own(dict(params))
    ours.to_sentencepiece(tmp_path / "own.model")
    peer = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "own.model"))
    assert peer.encode(lines) == ours.encode_batch(lines)
    assert len(peer) == len(ours.vocabulary_)


def test_training_is_as_good_as_that_of_sentencepiece(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    train, held = CORPUS[::2], CORPUS[1::2]
    text.write_text("\n".join(train), encoding="utf-8")
    options = {"input": str(text), "model_prefix": str(tmp_path / "peer"), "minloglevel": 2, "num_threads": 1}
    options |= {"normalization_rule_name": "identity", "character_coverage": 1.0, "vocab_size": 500}
    sentencepiece.SentencePieceTrainer.train(**options)
    peer = UnigramTokenizer.from_sentencepiece(tmp_path / "peer.model")
    rules = {"type": "SentencePiece", "remove_extra_whitespaces": True}
    ours = UnigramTokenizer(vocab_size=500, normalizer=rules, special_tokens=["<s>", "</s>"]).fit(train)
    losses = [-sum(map(tokenizer.log_likelihood, held)) for tokenizer in (ours, peer)]
    assert losses[0] < 1.01 * losses[1]


# What cannot be said


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"normalizer": {"type": "NFKC"}}, "normalizer NFKC"),
        ({"add_prefix_space": "if-missing"}, "if-missing"),
        ({"unk_token": None}, "unknown piece"),
        ({"score_sums": "word"}, "score_sums='word'"),
    ],
)
def test_what_sentencepiece_cannot_say_is_named(tmp_path: Path, params: dict[str, Any], named: str) -> None:
    ours = own({"kind": "unigram", "vocab_size": 500, **params})
    with pytest.raises(ModelFormatError, match=named):
        ours.to_sentencepiece(tmp_path / "own.model")
    assert not list(tmp_path.iterdir())


def test_bpe_of_another_kind_is_named(tmp_path: Path) -> None:
    for params, named in (
        ({}, "any_split, fuse_unk, byte_level, space, pretokenizer, normalizer"),
        ({"byte_level": False, "space_marker": "\u2581", "any_split": True, "fuse_unk": True}, "pretokenizer"),
    ):
        with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
            ours = BPETokenizer(vocab_size=300, **params).fit(CORPUS[:20])
        with pytest.raises(ModelFormatError, match=named):
            ours.to_sentencepiece(tmp_path / "own.model")
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json has no space_marker"):
        ours.to_tokenizers_json(tmp_path / "own.json")


def changed(path: Path, change: Callable[[Any], Any]) -> bytes:
    message = parse(path.read_bytes())
    change(message)
    return message.SerializeToString()


def kind_of(index: int, kind: int) -> Callable[[Any], None]:
    return lambda message: setattr(message.pieces[index], "type", kind)


@pytest.mark.parametrize(
    ("name", "change", "named"),
    [
        ("unigram, nfkc", lambda m: setattr(m.trainer_spec, "model_type", 3), "model_type is word"),
        ("unigram, nfkc", lambda m: setattr(m.trainer_spec, "model_type", 2), "model_type is bpe, not unigram"),
        ("unigram, nfkc", lambda m: setattr(m.pieces[9], "score", float("nan")), "score of piece 9"),
        ("unigram, nfkc", lambda m: setattr(m.pieces[9], "score", float("-inf")), "score of piece 9"),
        ("unigram, nfkc", lambda m: setattr(m.pieces[9], "piece", ""), "piece 9 is empty"),
        ("unigram, nfkc", lambda m: setattr(m.pieces[9], "piece", m.pieces[8].piece), "there twice: ids 8 and 9"),
        ("unigram, nfkc", kind_of(9, 2), "2 pieces of the type UNKNOWN"),
        ("unigram, nfkc", kind_of(9, 7), "unknown type 7"),
        ("unigram, nfkc", kind_of(9, 6), "byte_fallback is false"),
        ("unigram, bytes", kind_of(9, 1), "no byte piece"),
        ("unigram, nfkc", lambda m: m.ClearField("pieces"), "no pieces"),
        ("unigram, nfkc", lambda m: setattr(m.normalizer_spec, "precompiled_charsmap", b"\x01\0"), "damaged"),
        (
            "unigram, nfkc",
            lambda m: setattr(m.denormalizer_spec, "precompiled_charsmap", b"x"),
            "denormalizer_spec is not supported",
        ),
        ("bpe, nfkc", lambda m: setattr(m.pieces[9], "score", m.pieces[8].score), "score of another"),
        ("bpe, nfkc", kind_of(9, 5), "UNUSED"),
        ("bpe, nfkc", lambda m: setattr(m.pieces[9], "piece", "q\u4e01"), "which is no piece"),
        ("bpe, nfkc", lambda m: setattr(m.pieces[9], "score", float("nan")), "score of piece 9"),
    ],
)
def test_damaged_and_foreign_models_are_refused(
    folder: Path, tmp_path: Path, name: str, change: Callable[[Any], Any], named: str
) -> None:
    path = tmp_path / "changed.model"
    path.write_bytes(changed(trained(folder, name), change))
    with pytest.raises(ModelFormatError, match=rf"changed\.model: .*{named}"):
        TRAINED[name][0].from_sentencepiece(path)


@pytest.mark.parametrize("data", [b"", b"no model at all", b"\x0a\x05\x0a\x03abc", b"{}", bytes(range(256))])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other.model"
    path.write_bytes(data)
    for kind in (UnigramTokenizer, BPETokenizer):
        with pytest.raises(ModelFormatError, match=r"other\.model: damaged or no sentencepiece model"):
            kind.from_sentencepiece(path)
    with pytest.raises(ModelFormatError, match="cannot be read"):
        UnigramTokenizer.from_sentencepiece(tmp_path / "missing.model")


def test_a_model_cut_short_is_refused(folder: Path, tmp_path: Path) -> None:
    data, path = trained(folder, "unigram, nfkc").read_bytes(), tmp_path / "short.model"
    for share in (0.3, 0.7, 0.99):
        path.write_bytes(data[: int(share * len(data))])
        with pytest.raises(ModelFormatError, match=r"short\.model"):
            UnigramTokenizer.from_sentencepiece(path)


def test_fields_that_are_not_ours_are_kept() -> None:
    message = make_model()
    message.pieces.add(piece="a")
    message.trainer_spec.vocab_size = 1
    extra = message.SerializeToString() + struct.pack("<BB", 4 << 3 | 2, 0)  # self_test_data, empty
    assert parse(extra).SerializeToString() == extra


# tokenizer.json


@pytest.mark.parametrize(
    "params",
    [
        {"vocab_size": 700},
        {"vocab_size": 900, "byte_fallback": True, "special_tokens": ["<s>"], "add_prefix_space": False},
        {
            "vocab_size": 700,
            "add_prefix_space": "if-missing",
            "normalizer": {"type": "NFKC"},
            "character_coverage": 0.98,
        },
        {"vocab_size": 700, "normalizer": {"type": "SentencePiece", "remove_extra_whitespaces": True}},
    ],
)
def test_tokenizers_gives_the_same_ids(tmp_path: Path, lines: list[str], params: dict[str, Any]) -> None:
    path, again = tmp_path / "own.json", tmp_path / "again.json"
    ours = own({"kind": "unigram", "score_sums": "word", **params})
    ours.to_tokenizers_json(path)
    peer = tokenizers.Tokenizer.from_file(str(path))
    for line in lines:
        assert peer.encode(line, add_special_tokens=False).ids == ours.encode(line), line
    decoded = [peer.decode(ours.encode(line), skip_special_tokens=False) for line in CORPUS]
    assert decoded == [ours.decode(ours.encode(line)) for line in CORPUS]
    loaded = UnigramTokenizer.from_tokenizers_json(path)
    assert loaded.encode_batch(lines) == ours.encode_batch(lines)
    loaded.to_tokenizers_json(again)
    assert again.read_bytes() == path.read_bytes()


def test_models_of_tokenizers_are_read(tmp_path: Path, lines: list[str]) -> None:
    peer = tokenizers.Tokenizer(tokenizers.models.Unigram())
    peer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    peer.decoder = tokenizers.decoders.Metaspace()
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=600, special_tokens=["<unk>", "<s>"], unk_token="<unk>", show_progress=False
    )
    peer.train_from_iterator(CORPUS, trainer)
    path = tmp_path / "peer.json"
    peer.save(str(path))
    ours = UnigramTokenizer.from_tokenizers_json(path)
    for line in lines:
        assert ours.encode(line) == peer.encode(line, add_special_tokens=False).ids, line


@pytest.mark.parametrize(
    ("part", "value", "named"),
    [
        ("pre_tokenizer", {"type": "Whitespace"}, "pre-tokenizer"),
        ("pre_tokenizer", {"type": "Metaspace", "replacement": "_"}, "replacement of the pre-tokenizer"),
        ("pre_tokenizer", {"type": "Metaspace", "replacement": "\u2581", "split": False}, "split=false"),
        ("normalizer", {"type": "Nmt"}, "Nmt"),
        ("decoder", {"type": "WordPiece"}, "decoder"),
        ("padding", {"strategy": "BatchLongest"}, "padding"),
        ("model", {"type": "BPE", "vocab": {}, "merges": []}, "no Unigram"),
        ("model", {"type": "Unigram", "unk_id": 99_999, "vocab": [["a", -1.0]]}, "unk_id is 99999"),
        ("model", {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", float("nan")]]}, "score of piece 1"),
        ("model", {"type": "Unigram", "unk_id": None, "vocab": [["a"]]}, "damaged"),
    ],
)
def test_components_that_cannot_be_honoured_are_named(tmp_path: Path, part: str, value: Any, named: str) -> None:
    import json

    path = tmp_path / "own.json"
    own({"kind": "unigram", "vocab_size": 500}).to_tokenizers_json(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    document[part] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFormatError, match=named):
        UnigramTokenizer.from_tokenizers_json(path)


def test_scores_survive_in_single_precision(folder: Path) -> None:
    ours = UnigramTokenizer.from_sentencepiece(trained(folder, "unigram, nfkc"))
    assert np.array_equal(ours.scores_, ours.scores_.astype(np.float32).astype(np.float64))
