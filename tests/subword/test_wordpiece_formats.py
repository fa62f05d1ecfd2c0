"""WordPiece in the files of other libraries: the same ids and the same spans there and here."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.subword.texts import evaluation_texts, shared, training_text
from textprep_ml._kernels import COMPILED
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword import BPETokenizer, WordPieceTokenizer

tokenizers = pytest.importorskip("tokenizers")

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402

PRESETS = ("bert-cased", "bert-uncased")
# The naive trainer recounts everything each round, so without compiled kernels the texts are small.
SIZE = 1500 if COMPILED else 420
DOCUMENTS = training_text(120_000 if COMPILED else 6_000).split("\n\n")
TEXTS = [text.replace("\ud800", "") for text in evaluation_texts(60_000 if COMPILED else 4_000)]
CHARACTERS = st.text(
    st.one_of(
        st.sampled_from("aBé中\uf900가İ \x0b\x85\u200b\u3000.,—#≠\u0301\u09cb\u166d\u2e43🙂"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


def fit(X: Any, **params: Any) -> WordPieceTokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        return WordPieceTokenizer(**{"score": "frequency", **params}).fit(X)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The tokenizer.json of a small tokenizer."""
    path = tmp_path_factory.mktemp("written") / "tokenizer.json"
    fit(DOCUMENTS[:20], vocab_size=SIZE).to_tokenizers_json(path)
    return path.read_bytes()


def same(ours: WordPieceTokenizer, theirs: Any, texts: list[str]) -> None:
    for text in texts:
        encoded = theirs.encode(text, add_special_tokens=False)
        ids, spans = ours.encode_with_spans(text, allowed_special="all")  # as there
        assert ids == encoded.ids, text
        assert spans.tolist() == [list(span) for span in encoded.offsets], text


def exported(tokenizer: WordPieceTokenizer, folder: Path) -> Any:
    tokenizer.to_tokenizers_json(folder / "tokenizer.json")
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


# Ours, read there


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_give_their_ids_and_spans(preset: str, tmp_path: Path) -> None:
    ours = fit([*DOCUMENTS, *TEXTS[::5]], vocab_size=4 * SIZE, normalizer=preset)
    theirs = exported(ours, tmp_path)
    same(ours, theirs, TEXTS)
    text = TEXTS[20]
    assert theirs.encode(text).ids == ours.encode(text, add_special_tokens=True)
    assert theirs.encode(text, "pair").type_ids[-2:] == [1, 1]
    again = WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json")
    assert (again.normalizer, again.pretokenizer) == (preset, "bert")
    assert (again.pieces_, again.added_tokens_, again.template_) == (ours.pieces_, ours.added_tokens_, ours.template_)
    assert again._is_plain


@pytest.mark.parametrize("preset", PRESETS)
def test_all_shared_dev_texts(preset: str, tmp_path: Path) -> None:
    folder = shared()
    paths = sorted((folder / "data" / "sbd" / "dev").glob("*.jsonl")) if folder else []
    texts = [json.loads(line)["text"] for path in paths for line in path.read_text(encoding="utf-8").splitlines()[:12]]
    texts = texts if texts and COMPILED else TEXTS
    ours = fit(texts[::7], vocab_size=6000, normalizer=preset)
    same(ours, exported(ours, tmp_path), texts)


PARTS = st.sampled_from(
    ["[MASK]", "[CLS]", "[UNK]", "[mask]", "[SEP", "[", "]", "a", " ", "\t", "\u0301", "\u200b", "中", "É"]
)


@given(text=st.lists(PARTS, max_size=9).map("".join))
@settings(max_examples=200)
@pytest.mark.parametrize("preset", PRESETS)
def test_special_tokens_in_a_text_are_found_there_and_here_when_allowed(preset: str, text: str) -> None:
    name = f"{preset}, trained"
    if name not in PAIRS:
        trained = fit(DOCUMENTS[:20], vocab_size=SIZE, normalizer=preset)
        PAIRS[name] = trained, exported(trained, Path(tempfile()))
    ours, theirs = PAIRS[name]
    same(ours, theirs, [text])
    expected = theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode_batch([text, "a"], allowed_special="all") == [expected, ours.encode("a")]
    ids, offsets = ours.encode_batch(["a", text], allowed_special="all", as_array=True)
    assert ids[offsets[1] :].tolist() == expected
    unknown = ours.added_tokens_["[UNK]"].id
    controls = {token.id for token in ours.added_tokens_.values()} - {unknown}
    assert not controls & set(ours.encode(text))


@given(text=CHARACTERS)
@settings(max_examples=400)
@pytest.mark.parametrize("preset", PRESETS)
def test_any_characters(preset: str, text: str) -> None:
    if preset not in PAIRS:
        codes = [*range(33, 127), *range(0xA1, 0x250), *range(0x1100, 0x11FF), 0x4E2D, 0x8C48, 0x9C7, 0x9BE]
        characters = [chr(code) for code in codes]
        pieces = ["[UNK]", *characters, *("##" + char for char in characters)]
        folder = Path(tempfile())
        (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in dict.fromkeys(pieces)), encoding="utf-8")
        ours = WordPieceTokenizer.from_vocab_txt(folder / "vocab.txt", normalizer=preset)
        PAIRS[preset] = ours, exported(ours, folder)
    ours, theirs = PAIRS[preset]
    encoded = theirs.encode(text, add_special_tokens=False)
    ids, spans = ours.encode_with_spans(text, allowed_special="all")
    assert ids == encoded.ids
    if not has_marks_out_of_order(text):  # there, marks that change places tell each other's spans
        assert spans.tolist() == [list(span) for span in encoded.offsets]


PAIRS: dict[str, tuple[WordPieceTokenizer, Any]] = {}


def tempfile() -> str:
    from tempfile import mkdtemp

    return mkdtemp()


def has_marks_out_of_order(text: str) -> bool:
    from textprep_ml._kernels._pure.bert import decompose
    from textprep_ml._kernels._pure.bert_tables import COMBINING_SHIFT, class_of

    orders = [class_of(part) >> COMBINING_SHIFT for char in text for part in decompose(char)]
    return any(before > after > 0 for before, after in zip(orders, orders[1:], strict=False))


@pytest.mark.parametrize(
    "params",
    [
        {"normalizer": None, "pretokenizer": "blank"},
        {"normalizer": {"type": "Lowercase"}, "pretokenizer": [{"type": "Whitespace"}]},
        {"normalizer": None, "pretokenizer": {"type": "BertPreTokenizer"}},
        {"continuing_prefix": "@@", "max_word_length": 9, "clean_up": True},
        {"normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": False}},
        {"normalizer": {"type": "BertNormalizer", "clean_text": False, "lowercase": False}},
        {
            "normalizer": {"type": "BertNormalizer", "handle_chinese_chars": False},
            "pretokenizer": {"type": "BertPreTokenizer"},
        },
        {"special_tokens": {"<s>": 5000, "</s>": 5001}, "template": ("<s>", "</s>")},
    ],
    ids=lambda params: ",".join(params),
)
def test_other_settings(params: dict[str, Any], tmp_path: Path) -> None:
    ours = fit(DOCUMENTS, vocab_size=SIZE, **params)
    theirs = exported(ours, tmp_path)
    same(ours, theirs, TEXTS)
    again = WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json", vocab_size=SIZE)
    assert [again.encode(text, add_special_tokens=True) for text in TEXTS[:20]] == [
        theirs.encode(text).ids for text in TEXTS[:20]
    ]
    for name in ("continuing_prefix", "max_word_length", "clean_up", "unk_token"):
        assert getattr(again, name) == getattr(ours, name)


def test_decoders_agree(tmp_path: Path) -> None:
    for clean_up in (False, True):
        ours = fit(DOCUMENTS, vocab_size=SIZE, clean_up=clean_up)
        theirs = exported(ours, tmp_path)
        for text in TEXTS[:80]:
            ids = ours.encode(text, add_special_tokens=True)
            for skip in (False, True):
                assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(ids, skip_special_tokens=skip)


def test_added_tokens_are_found_there_too(tmp_path: Path) -> None:
    ours = fit(DOCUMENTS, vocab_size=SIZE).add_tokens(["[E1]", "the last"])
    theirs = exported(ours, tmp_path)
    texts = ["mark [E1] the last [E1]", "the  last", "xthe lastx [CLS]"]
    assert [ours.encode(text, allowed_special="all") for text in texts] == [
        theirs.encode(text, add_special_tokens=False).ids for text in texts
    ]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"unknown": "part"}, "unknown='part'"),
        ({"unk_token": None, "special_tokens": ()}, "needs an unk_token"),
        ({"normalizer": None}, "'bert' only with a BertNormalizer"),
        ({"normalizer": None, "pretokenizer": BPETokenizer(), "score": "likelihood"}, "cannot hold the pre-tokenizer"),
    ],
)
def test_what_cannot_be_expressed_is_named(params: dict[str, Any], message: str, tmp_path: Path) -> None:
    if not hasattr(params.get("pretokenizer", ""), "fit"):
        ours = fit(DOCUMENTS[:20], vocab_size=SIZE, **params)
    else:
        ours = fit(DOCUMENTS[:20], vocab_size=SIZE, normalizer=None, pretokenizer="blank")
        ours.set_params(pretokenizer=params["pretokenizer"])
    with pytest.raises(ModelFormatError, match=message):
        ours.to_tokenizers_json(tmp_path / "tokenizer.json")
    assert not list(tmp_path.iterdir())


# Theirs, read here


def trained(lowercase: bool) -> Any:
    theirs = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    theirs.train_from_iterator(DOCUMENTS, trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=specials))
    return theirs


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("post", ["bert", "template", None])
def test_what_they_trained(lowercase: bool, post: str | None, tmp_path: Path) -> None:
    theirs = trained(lowercase)
    sides = ("[CLS]", theirs.token_to_id("[CLS]")), ("[SEP]", theirs.token_to_id("[SEP]"))
    if post == "bert":
        theirs.post_processor = processors.BertProcessing(sides[1], sides[0])
    if post == "template":
        theirs.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=list(sides)
        )
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json", n_jobs=2)
    same(ours, theirs, TEXTS)
    assert ours.n_jobs == 2
    assert ours.clean_up
    for text in TEXTS[:20]:
        ids = theirs.encode(text).ids
        assert ours.encode(text, add_special_tokens=True) == ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
    same(ours, exported(ours, tmp_path), TEXTS[:30])


def test_frequency_learns_what_they_learn() -> None:
    # Among pairs of one count they choose by the order of a hash table; here no two are equally frequent.
    counts = {"ab": 64, "cb": 32, "abd": 16, "cbe": 8, "eb": 4, "fa": 2}
    ours = WordPieceTokenizer(vocab_size=20, score="frequency").fit_counts(counts)
    assert ours.merge_counts_.tolist() == [80, 40, 16, 8, 4]
    theirs = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    documents = [" ".join([word] * count) for word, count in counts.items()]
    theirs.train_from_iterator(documents, trainers.WordPieceTrainer(vocab_size=20, special_tokens=specials))
    assert set(ours.vocabulary_) == set(theirs.get_vocab())


def test_other_normalizers_of_theirs(tmp_path: Path) -> None:
    theirs = trained(lowercase=True)
    theirs.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    theirs.add_tokens([AddedToken("Naïve Token", normalized=True), AddedToken("[X]", normalized=False)])
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json")
    texts = [text for text in TEXTS if text.isascii()] + ["a naive token and [X]", "Naïve Token"]
    same(ours, theirs, texts)


def test_bert_normalizer_with_tokens_that_are_matched_behind_it(tmp_path: Path) -> None:
    theirs = trained(lowercase=True)
    theirs.add_tokens([AddedToken("Naïve Token", normalized=True)])
    theirs.save(str(tmp_path / "tokenizer.json"))
    ours = WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json")
    same(ours, theirs, [*TEXTS[:60], "A naive\u200b token", "NAÏVE TOKEN."])


def change(path: Path, *keys: Any, value: Any) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("model", "type"), "Unigram", "holds the model 'Unigram', no WordPiece"),
        (("model", "vocab"), None, "damaged tokenizer.json: KeyError"),
        (("model", "vocab"), {"a": 0, "b": 0}, "the id 0 is that of 'a' and of 'b'"),
        (("model", "vocab"), {"a": -4}, "the id -4 of 'a' is none"),
        (("model", "vocab"), ["a"], "damaged tokenizer.json"),
        (("model", "max_input_chars_per_word"), "many", "damaged tokenizer.json"),
        (("added_tokens", 0, "id"), 77, r"'\[PAD\]'"),
        (("normalizer",), {"type": "Odd"}, "normalizer component 'Odd' is not supported"),
        (("pre_tokenizer",), {"type": "ByteLevel", "add_prefix_space": True}, "ByteLevel in front of WordPiece"),
        (("pre_tokenizer",), {"type": "Odd"}, "pre-tokenizer component 'Odd'"),
        (("decoder",), {"type": "ByteLevel"}, "decoder"),
        (("post_processor",), {"type": "RobertaProcessing"}, "tokenizer.json"),
        (("truncation",), {"max_length": 3}, "truncation"),
    ],
)
def test_damaged_and_foreign_files_are_refused(
    keys: Any, value: Any, message: str, written: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(written)
    change(path, *keys, value=value)
    with pytest.raises(ModelFormatError, match=message):
        WordPieceTokenizer.from_tokenizers_json(path)


def test_a_byte_pair_file_is_refused(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        BPETokenizer(num_merges=2).fit(["a a b"]).to_tokenizers_json(tmp_path / "tokenizer.json")
    with pytest.raises(ModelFormatError, match="holds the model 'BPE', no WordPiece"):
        WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelFormatError, match="is no JSON"):
        WordPieceTokenizer.from_tokenizers_json(tmp_path / "tokenizer.json")


# vocab.txt


@pytest.mark.parametrize("preset", PRESETS)
def test_vocab_txt_both_ways(preset: str, tmp_path: Path) -> None:
    ours = fit(DOCUMENTS, vocab_size=SIZE, normalizer=preset)
    ours.to_vocab_txt(tmp_path / "vocab.txt")
    lines = (tmp_path / "vocab.txt").read_text(encoding="utf-8").split("\n")
    assert lines[:6] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ours.pieces_[5]]
    again = WordPieceTokenizer.from_vocab_txt(tmp_path / "vocab.txt", normalizer=preset)
    assert again.pieces_ == ours.pieces_
    assert again.added_tokens_ == ours.added_tokens_
    theirs = tokenizers.BertWordPieceTokenizer(str(tmp_path / "vocab.txt"), lowercase=preset == "bert-uncased")
    for text in TEXTS:
        assert again.encode(text, add_special_tokens=True) == theirs.encode(text).ids


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"[UNK]\na\n\nb\n", "line 3: there is no piece"),
        (b"[UNK]\na\nb\na\n", "line 4: 'a' is on line 2 already"),
        (b"a\nb\n", r"no special token '\[UNK\]'"),
        (b"[UNK]\n\xff\n", "is no UTF-8: byte 6"),
        (b"[UNK]\na\0b\n", "line 2"),
    ],
)
def test_damaged_vocab_txt_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(content)
    with pytest.raises(ModelFormatError, match=message):
        WordPieceTokenizer.from_vocab_txt(tmp_path / "vocab.txt")


def test_what_vocab_txt_cannot_hold_is_named(tmp_path: Path) -> None:
    blank = fit(["two words"] * 3, vocab_size=60, normalizer=None, pretokenizer="none")
    with pytest.raises(ModelFormatError, match="cannot hold ' '"):
        blank.to_vocab_txt(tmp_path / "vocab.txt")
    gap = fit(["two words"] * 3, vocab_size=30, special_tokens={"[UNK]": 500})
    with pytest.raises(ModelFormatError, match="nothing has the id"):
        gap.to_vocab_txt(tmp_path / "vocab.txt")
    with pytest.raises(ModelFormatError, match="this model has '@@'"):
        fit(["two words"], vocab_size=60, continuing_prefix="@@").to_vocab_txt(tmp_path / "vocab.txt")
    assert not list(tmp_path.iterdir())


def test_vocab_txt_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("<unk>\r\nun\r\n##aff\r\n##able\r\n<s>\r\n", encoding="utf-8")
    params: dict[str, Any] = {"unk_token": "<unk>", "special_tokens": ["<s>"], "template": ("<s>", "<s>")}
    ours = WordPieceTokenizer.from_vocab_txt(tmp_path / "vocab.txt", **params)
    assert ours.encode("unaffable xx", add_special_tokens=True) == [4, 1, 2, 3, 0, 4]
    assert ours.special_tokens_ == {"<unk>": 0, "<s>": 4}
