"""The files of other libraries: what they read of ours and what we read of theirs gives the same ids."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.subword.texts import evaluation_texts, training_text
from textprep_ml._kernels import COMPILED
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.bpe import BPETokenizer

tokenizers = pytest.importorskip("tokenizers")
tiktoken = pytest.importorskip("tiktoken")

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402  # noqa: E402, I001

LLAMA3 = "|".join(
    [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# The naive trainer recounts everything each round, so without compiled kernels the texts are small.
SIZE = 700 if COMPILED else 420
DOCUMENTS = training_text(120_000 if COMPILED else 6_000).split("\n\n")
TEXTS = evaluation_texts(50_000 if COMPILED else 4_000)


def assert_same(ours: Callable[[str], list[int]], theirs: Callable[[str], list[int]], texts: list[str] = TEXTS) -> None:
    for text in texts:
        assert ours(text) == theirs(text), text


def byte_level(*before: Any) -> Any:
    return pre_tokenizers.Sequence([*before, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def split(pattern: str, behavior: str = "isolated", invert: bool = False) -> Any:
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


# Ours, read by others


@pytest.mark.parametrize("scheme", ["gpt2", "cl100k", "llama3", "qwen2", "o200k", "script", "none", r"\w+|[^\w\s]+"])
def test_tokenizers_reads_what_we_write(scheme: str, tmp_path: Path) -> None:
    documents = [document[:300] for document in DOCUMENTS]
    ours = BPETokenizer(vocab_size=SIZE, pretokenizer=scheme, special_tokens=["<|end|>"], tie_break="id").fit(documents)
    path = tmp_path / "tokenizer.json"
    ours.to_tokenizers_json(path)
    theirs = Tokenizer.from_file(str(path))
    assert_same(lambda text: ours.encode(text, allowed_special="all"), lambda text: theirs.encode(text).ids)
    for text in TEXTS:
        assert theirs.decode(theirs.encode(text).ids, skip_special_tokens=False) == text
    again = BPETokenizer.from_tokenizers_json(path)
    assert again.pretokenizer == scheme
    assert_same(again.encode, ours.encode)


@pytest.mark.parametrize("scheme", ["gpt2", "cl100k", "llama3", "qwen2", "o200k", "none", r"\w+|[^\w\s]+"])
def test_tiktoken_reads_what_we_write(scheme: str, tmp_path: Path) -> None:
    documents = [document[:300] for document in DOCUMENTS]
    ours = BPETokenizer(vocab_size=SIZE, pretokenizer=scheme, special_tokens={"<|end|>": 999}).fit(documents)
    path = tmp_path / "ranks.tiktoken"
    theirs = tiktoken.Encoding("ours", **ours.to_tiktoken(path))
    assert_same(ours.encode, theirs.encode_ordinary)
    assert_same(
        lambda text: ours.encode(text, allowed_special="all"), lambda text: theirs.encode(text, allowed_special="all")
    )
    again = BPETokenizer.from_tiktoken(path, pretokenizer=scheme, special_tokens={"<|end|>": 999})
    assert again.merges_ == ours.merges_
    assert_same(again.encode, ours.encode)
    assert (
        BPETokenizer.from_tiktoken(ours.to_tiktoken()["mergeable_ranks"], pretokenizer=scheme).merges_ == ours.merges_
    )


@pytest.mark.parametrize("add_prefix_space", [True, "if-missing"])
def test_a_blank_in_front(add_prefix_space: Any, tmp_path: Path) -> None:
    ours = BPETokenizer(vocab_size=500, add_prefix_space=add_prefix_space).fit(DOCUMENTS)
    path = tmp_path / "tokenizer.json"
    ours.to_tokenizers_json(path)
    theirs = Tokenizer.from_file(str(path))
    assert_same(ours.encode, lambda text: theirs.encode(text).ids)
    again = BPETokenizer.from_tokenizers_json(path)
    assert again.add_prefix_space == add_prefix_space
    for text in TEXTS:
        assert theirs.decode(ours.encode(text)) == ours.decode(ours.encode(text))


@pytest.mark.parametrize(
    "params",
    [
        {"end_of_word": "</w>", "join_end_of_word": True, "unk_token": "[UNK]"},
        {"continuing_prefix": "##", "unk_token": "[UNK]"},
        {"byte_fallback": True},
        {"unk_token": "[UNK]", "fuse_unk": True},
    ],
)
def test_tokenizers_reads_our_character_models(params: dict[str, Any], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"byte_level": False, "pretokenizer": "blank", "alphabet_limit": 60, "vocab_size": SIZE}
    ours = BPETokenizer(**settings, **params).fit(DOCUMENTS)
    path = tmp_path / "tokenizer.json"
    ours.to_tokenizers_json(path)
    theirs = Tokenizer.from_file(str(path))
    assert_same(ours.encode, lambda text: theirs.encode(text).ids)
    assert_same(BPETokenizer.from_tokenizers_json(path).encode, ours.encode)


# Theirs, read by us

BYTE_LEVEL = {
    "gpt2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "prefix blank": pre_tokenizers.ByteLevel(add_prefix_space=True),
    "llama3": byte_level(split(LLAMA3)),
    "qwen2": byte_level(split(LLAMA3.replace("{1,3}", ""))),
    "removed inverted": byte_level(split(LLAMA3, "removed", True)),
    "deepseek": byte_level(split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK)),
    "digits": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]),
    "numbers": pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.ByteLevel(False)]
    ),
    "punctuation": byte_level(pre_tokenizers.Punctuation("contiguous")),
    "with previous": byte_level(pre_tokenizers.Split(" ", "merged_with_previous")),
    "with next": byte_level(pre_tokenizers.Split(" ", "merged_with_next")),
    "contiguous": byte_level(split(r"\d|[a-f]", "contiguous")),
    "removed": byte_level(split(r"\s+", "removed")),
    "inverted": byte_level(split(r"\w+", "merged_with_previous", True)),
}
CHARACTER = {
    "whitespace": pre_tokenizers.Whitespace(),
    "blank": pre_tokenizers.WhitespaceSplit(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "delimiter": pre_tokenizers.CharDelimiterSplit("e"),
}
NORMALIZERS = {
    "NFC": normalizers.NFC(),
    "NFKC and case": normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
    "accents": normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    "replace": normalizers.Sequence([normalizers.Replace(Regex(" {2,}"), " "), normalizers.Replace("e", "E")]),
    "strip": normalizers.Strip(),
    "prepend": normalizers.Prepend("_"),
}


def trained(pre_tokenizer: Any, model: dict[str, Any] | None = None, normalizer: Any = None, **options: Any) -> Any:
    theirs = Tokenizer(models.BPE(**(model or {})))
    theirs.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        theirs.normalizer = normalizer
    theirs.train_from_iterator(DOCUMENTS, trainers.BpeTrainer(vocab_size=SIZE, show_progress=False, **options))
    return theirs


def trained_on_bytes(pre_tokenizer: Any, **options: Any) -> Any:
    theirs = trained(pre_tokenizer, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)
    theirs.decoder = decoders.ByteLevel()
    return theirs


def check_reading(theirs: Any, tmp_path: Path, texts: list[str] = TEXTS) -> BPETokenizer:
    path = tmp_path / "tokenizer.json"
    theirs.save(str(path))
    ours = BPETokenizer.from_tokenizers_json(path)
    assert_same(
        lambda text: ours.encode(text, allowed_special="all"),
        lambda text: theirs.encode(text, add_special_tokens=False).ids,
        texts,
    )
    for text in texts[:40]:
        ids, spans = ours.encode_with_spans(text, allowed_special="all")
        assert ids == ours.encode(text, allowed_special="all")
        assert len(spans) == len(ids)
    ours.save(tmp_path / "own.json")
    assert_same(BPETokenizer.load(tmp_path / "own.json").encode, ours.encode, texts[:40])
    ours.to_tokenizers_json(path)
    again = Tokenizer.from_file(str(path))
    assert_same(lambda text: again.encode(text).ids, lambda text: theirs.encode(text).ids, texts)
    return ours


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_byte_level_models(name: str, tmp_path: Path) -> None:
    check_reading(trained_on_bytes(BYTE_LEVEL[name]), tmp_path)


@pytest.mark.parametrize("name", NORMALIZERS)
def test_normalizers(name: str, tmp_path: Path) -> None:
    check_reading(trained_on_bytes(BYTE_LEVEL["gpt2"], normalizer=NORMALIZERS[name]), tmp_path)


@pytest.mark.parametrize("name", CHARACTER)
@pytest.mark.parametrize("options", [{}, {"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}])
def test_character_models(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    model = {"unk_token": "[UNK]", "fuse_unk": name == "blank"}
    check_reading(
        trained(CHARACTER[name], model | options, special_tokens=["[UNK]"], limit_alphabet=60, **options), tmp_path
    )


def test_byte_fallback(tmp_path: Path) -> None:
    tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    options = {"special_tokens": ["[UNK]", *tokens], "limit_alphabet": 60}
    theirs = trained(CHARACTER["blank"], {"unk_token": "[UNK]", "byte_fallback": True}, **options)
    document = json.loads(theirs.to_str())
    document["added_tokens"] = document["added_tokens"][:1]
    ours = check_reading(Tokenizer.from_str(json.dumps(document)), tmp_path)
    assert ours.decode(ours.encode("你🙂")) == "你🙂"


def test_whole_words_are_taken_whatever_the_merges_say(tmp_path: Path) -> None:
    theirs = trained_on_bytes(BYTE_LEVEL["llama3"])
    document = json.loads(theirs.to_str())
    document["model"]["ignore_merges"] = True
    document["model"]["merges"] = document["model"]["merges"][:100]
    ours = check_reading(Tokenizer.from_str(json.dumps(document)), tmp_path)
    assert ours.whole_words


def test_added_tokens(tmp_path: Path) -> None:
    theirs = trained_on_bytes(BYTE_LEVEL["gpt2"], normalizer=normalizers.Lowercase())
    theirs.add_tokens(
        [
            AddedToken("<x>", lstrip=True),
            AddedToken("the", single_word=True),
            AddedToken("and", rstrip=True, normalized=False),
            AddedToken("Of", normalized=True),
        ]
    )
    theirs.add_special_tokens(["<|sp|>"])
    texts = [text.replace(" of ", " Of ").replace("\n", " <x> the other and<|sp|>") for text in TEXTS]
    check_reading(theirs, tmp_path, texts)


def test_templates(tmp_path: Path) -> None:
    theirs = trained_on_bytes(BYTE_LEVEL["gpt2"], special_tokens=["<s>", "</s>"])
    template = processors.TemplateProcessing("<s> $A </s>", "<s> $A </s> <s> $B </s>", [("<s>", 0), ("</s>", 1)])
    for processor in (
        template,
        processors.Sequence([processors.ByteLevel(), template]),
        processors.RobertaProcessing(("</s>", 1), ("<s>", 0)),
    ):
        theirs.post_processor = processor
        ours = check_reading(theirs, tmp_path, TEXTS[:60])
        assert_same(
            lambda text, ours=ours: ours.encode(text, add_special_tokens=True), lambda text: theirs.encode(text).ids
        )
        assert ours.encode_batch(["a"], add_special_tokens=True) == [[0, *ours.encode("a"), 1]]


def test_merges_are_those_of_tokenizers_one_by_one() -> None:
    theirs = trained_on_bytes(BYTE_LEVEL["gpt2"])
    document = json.loads(theirs.to_str())
    ours = BPETokenizer(vocab_size=SIZE, tie_break="id").fit(DOCUMENTS)
    style = ours._style()
    pairs = [[style.to_file(left), style.to_file(right)] for left, right in ours.merges_]
    assert pairs == [list(pair) for pair in document["model"]["merges"]]
    assert {style.to_file(piece): index for piece, index in ours.vocabulary_.items()} == document["model"]["vocab"]


# What cannot be honoured is named


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("model", {"type": "Unigram", "vocab": []}, "Unigram"),
        ("normalizer", {"type": "Precompiled", "precompiled_charsmap": ""}, "Precompiled"),
        ("pre_tokenizer", {"type": "UnicodeScripts"}, "UnicodeScripts"),
        ("post_processor", {"type": "Invented"}, "Invented"),
        ("decoder", {"type": "CTC"}, "CTC"),
        ("truncation", {"max_length": 5}, "truncation"),
        ("padding", {"length": 5}, "padding"),
    ],
)
def test_unsupported_components_are_named(key: str, value: Any, message: str, tmp_path: Path) -> None:
    document = json.loads(trained_on_bytes(BYTE_LEVEL["gpt2"]).to_str())
    document[key] = value
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelFormatError, match=message):
        BPETokenizer.from_tokenizers_json(path)
