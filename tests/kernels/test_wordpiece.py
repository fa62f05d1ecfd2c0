"""WordPiece encoding and BERT's basic tokenization: the kernel, its twin and plain definitions agree."""

from __future__ import annotations

import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import Task, assert_growth
from tests.subword.texts import evaluation_texts
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import bert
from textprep_ml._kernels._pure import bpe_encode as pure_schemes
from textprep_ml._kernels._pure import wordpiece as pure
from textprep_ml._kernels._pure.pretokenize import SCHEMES

MODULES = [pytest.param(pure, id="pure")]
CUTTERS = [pytest.param(pure_schemes, id="pure")]
if _exists("wordpiece") and _exists("bpe_encode"):
    from textprep_ml._kernels import _bpe_encode, _wordpiece

    MODULES.append(pytest.param(_wordpiece, id="compiled"))
    CUTTERS.append(pytest.param(_bpe_encode, id="compiled"))

CLEAN, IDEOGRAPHS, STRIP, LOWER = pure.CLEAN, pure.IDEOGRAPHS, pure.STRIP, pure.LOWER
#: Characters that the steps treat differently, marks that change places, and what decomposes into several.
HARD = (
    "abAZ09 \t\n\r\x0b\x0c\x85\x00\x1c\xa0\u3000\u2028\u200b\xad\ufffd.,#=≠'-—、〇中\uf900\U00020000각éÉǕİΐΣ"
    "\u0301\u0316\u0345\u1b44\u302e\U0001d165\U0001d160\u09cb\u0958\u166d\u2e43🙂\ud800"
)
TEXT = st.text(st.one_of(st.sampled_from(HARD), st.characters()), max_size=60)
LONG = st.lists(st.tuples(st.sampled_from(HARD), st.integers(1, 70)), max_size=8).map(
    lambda runs: "".join(char * count for char, count in runs)
)
FLAGS = st.integers(0, 15)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def listed(result: Any) -> list[Any]:
    return [part if isinstance(part, str) else list(part) for part in result]


class TestBasic:
    @pytest.mark.parametrize("module", MODULES)
    @given(text=st.one_of(TEXT, LONG), flags=FLAGS)
    @settings(max_examples=200)
    def test_rewriting_and_words(self, module: ModuleType, text: str, flags: int) -> None:
        new, starts, ends = module.normalize(text, flags)
        assert listed((new, starts, ends)) == listed(pure.normalize(text, flags))
        assert len(new) == len(starts) == len(ends)
        assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))
        assert list(module.words(new)) == pure.words(new)

    @pytest.mark.parametrize("module", MODULES[1:])
    def test_every_character(self, module: ModuleType) -> None:
        every = "".join(chr(code) for code in [*range(0xD800), *range(0xE000, 0x30000), *range(0xE0000, 0xE0200)])
        for flags in (CLEAN | IDEOGRAPHS, STRIP | LOWER):
            assert module.normalize(every, flags)[0] == pure.normalize(every, flags)[0]
        assert list(module.words(every)) == pure.words(every)

    @pytest.mark.parametrize("module", MODULES)
    @given(text=st.text(st.characters(max_codepoint=0x2FFF, exclude_categories=["Cn", "Cs"]), max_size=30))
    def test_decomposing_is_that_of_unicode(self, module: ModuleType, text: str) -> None:
        text = "".join(char for char in text if unicodedata.category(char)[0] != "M" or char in "\u0301\u0316\u0345")
        plain = [char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn"]
        assert module.normalize(text, STRIP)[0] == "".join(plain)

    @pytest.mark.parametrize("module", MODULES)
    def test_examples(self, module: ModuleType) -> None:
        assert module.normalize("a\u200b\tb\x0cc", CLEAN) == ("a bc", [0, 2, 3, 5], [1, 3, 4, 6])
        assert module.normalize("a中b", IDEOGRAPHS) == ("a 中 b", [0, 1, 1, 1, 2], [1, 2, 2, 2, 3])
        assert module.normalize("Éte\u0301", STRIP | LOWER) == ("ete", [0, 1, 2], [1, 2, 3])
        assert module.normalize("İ", LOWER) == ("i\u0307", [0, 0], [1, 1])
        assert module.words("don't a—b") == [(0, 3), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9)]
        assert module.split([b"a\xe2\x89\xa0B", b"", b"c"], STRIP | LOWER) == ([b"a", b"=", b"b", b"c"], [0, 0, 0, 2])

    @pytest.mark.parametrize("module", CUTTERS[1:])
    @pytest.mark.parametrize("scheme", ["bert", "bert-joined"])
    @given(text=st.one_of(TEXT, LONG), tail=st.binary(max_size=5))
    @settings(max_examples=200)
    def test_schemes(self, module: ModuleType, scheme: str, text: str, tail: bytes) -> None:
        data = as_bytes(text) + tail
        assert module.pretokenize(data, SCHEMES[scheme]) == pure_schemes.pretokenize(data, SCHEMES[scheme])

    @pytest.mark.parametrize("module", MODULES)
    @pytest.mark.parametrize("scheme", ["bert", "bert-joined", "blank"])
    @given(text=st.one_of(TEXT, LONG), flags=FLAGS)
    @settings(max_examples=200)
    def test_raw_words_give_the_words_of_the_whole(
        self, module: ModuleType, scheme: str, text: str, flags: int
    ) -> None:
        flags |= {"bert": CLEAN | IDEOGRAPHS, "bert-joined": CLEAN, "blank": 0}[scheme]
        flags &= ~0 if scheme == "bert" else ~IDEOGRAPHS if scheme == "bert-joined" else ~CLEAN
        data = as_bytes(text)
        raw = [data[start:end] for start, end in pure_schemes.pretokenize(data, SCHEMES[scheme])]
        new = bert.normalize(text, flags)[0]
        assert module.split(raw, flags)[0] == [as_bytes(new[start:end]) for start, end in bert.words(new)]


PIECES = st.lists(
    st.tuples(st.booleans(), st.text(st.sampled_from("abé中#"), min_size=1, max_size=6)), max_size=25
).map(lambda pieces: list(dict.fromkeys([b"[UNK]", *(b"##" * inside + piece.encode() for inside, piece in pieces)])))
OPTIONS = st.fixed_dictionaries(
    {
        "scheme": st.sampled_from([SCHEMES[name] for name in ("bert", "blank", "none")]),
        "prefix": st.sampled_from([b"##", b"#", b""]),
        "unknown": st.sampled_from([0, 0, -1]),
        "max_characters": st.sampled_from([3, 100]),
        "partial": st.booleans(),
        "basic": st.one_of(st.none(), FLAGS),
    }
)


def outcome(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except ValueError as error:
        return re.sub(" the word .* at byte", " the word at byte", str(error), flags=re.DOTALL)


@pytest.mark.parametrize("module", MODULES)
class TestEncoding:
    @given(pieces=PIECES, options=OPTIONS, text=st.one_of(TEXT, st.text(st.sampled_from("abé中# ,A"), max_size=40)))
    @settings(max_examples=500)
    def test_longest_match(self, module: ModuleType, pieces: list[bytes], options: dict[str, Any], text: str) -> None:
        encoder = module.WordPieceEncoder(pieces, specials=[0], **options)
        textbook = pure.WordPieceEncoder(pieces, specials=[0], **options)
        assert outcome(encoder.encode, text) == outcome(textbook.encode, text)
        ids = outcome(encoder.encode_with_offsets, text)
        if not isinstance(ids, str):
            assert [part.tolist() for part in ids] == [part.tolist() for part in textbook.encode_with_offsets(text)]
            assert ids[0].tolist() == encoder.encode(text)

    @given(pieces=PIECES, texts=st.lists(TEXT, max_size=5), threads=st.sampled_from([1, 3]))
    @settings(max_examples=60)
    def test_many_texts(self, module: ModuleType, pieces: list[bytes], texts: list[str], threads: int) -> None:
        encoder = module.WordPieceEncoder(pieces, specials=[0], scheme=SCHEMES["bert"], unknown=0, basic=15)
        ids, offsets = encoder.encode_batch(texts, threads)
        rows = [ids[start:end].tolist() for start, end in zip(offsets, offsets[1:], strict=False)]
        assert rows == [encoder.encode(text) for text in texts]
        words = [as_bytes(text) for text in texts if text]
        ids, offsets = encoder.encode_words(words)
        assert ids.tolist() == [index for word in words for index in encoder.encode(word)]
        assert len(offsets) == len(words) + 1

    def test_failure_links(self, module: ModuleType) -> None:
        # The example of the paper, figure 1 and table 1.
        pieces = [b"[UNK]", b"a", b"abcdx", b"##b", b"##c", b"##cdy", b"##dz"]
        encoder = module.WordPieceEncoder(pieces, scheme=SCHEMES["blank"], unknown=0)
        assert encoder.encode("abcdz") == [1, 3, 4, 6]
        assert encoder.encode("abcz abcdx abc") == [0, 2, 1, 3, 4]

    def test_unknown_in_part(self, module: ModuleType) -> None:
        pieces = [b"[UNK]", b"ab", b"##cd", b"##d"]
        whole = module.WordPieceEncoder(pieces, scheme=SCHEMES["blank"], unknown=0)
        part = module.WordPieceEncoder(pieces, scheme=SCHEMES["blank"], unknown=0, partial=True)
        assert whole.encode("abd abxcd") == [1, 3, 0]
        assert part.encode("abd abxcd é中") == [1, 3, 1, 0, 2, 0, 0]
        assert part.encode_with_offsets("xé")[1].tolist() == [[0, 1], [1, 2]]

    def test_no_unknown_token(self, module: ModuleType) -> None:
        encoder = module.WordPieceEncoder([b"a"], scheme=SCHEMES["blank"])
        with pytest.raises(ValueError, match=r"No pieces spell the word 'ab' at byte 5; give an unknown token"):
            encoder.encode("a a  ab a")
        with pytest.raises(ValueError, match="unknown id 3"):
            module.WordPieceEncoder([b"a"], scheme=0, unknown=3)

    def test_decoding(self, module: ModuleType) -> None:
        encoder = module.WordPieceEncoder([b"a", b"##b"], scheme=1, surfaces=[b" a", b"b"])
        assert encoder.decode([0, 1, 0]) == b" ab a"
        with pytest.raises(ValueError, match="id 2"):
            encoder.decode([2])

    def test_threads_share_an_encoder(self, module: ModuleType) -> None:
        texts = evaluation_texts(20_000)
        pieces = [b"[UNK]", *(prefix + bytes([code]) for code in range(33, 127) for prefix in (b"", b"##"))]
        encoder = module.WordPieceEncoder(pieces, scheme=SCHEMES["bert"], unknown=0, basic=15)
        expected = [encoder.encode(text) for text in texts]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(encoder.encode, texts)) == expected


@pytest.mark.parametrize("module", MODULES[1:])
def test_encoding_of_corpora(module: ModuleType) -> None:
    texts = evaluation_texts(40_000)
    pieces = [b"[UNK]", *(chr(code).encode() for code in range(33, 0x500))]
    pieces += [b"##" + piece for piece in pieces[1:]] + [b"the", b"##ing", b"##tion", b"of", b"and", b"##er"]
    for basic in (3, 15):
        encoder = module.WordPieceEncoder(pieces, scheme=SCHEMES["bert"], unknown=0, basic=basic)
        textbook = pure.WordPieceEncoder(pieces, scheme=SCHEMES["bert"], unknown=0, basic=basic)
        for text in texts:
            assert encoder.encode(text) == textbook.encode(text)


NESTED = [b"[UNK]", *(prefix + b"a" * size for size in (1, 2, 3, 500) for prefix in (b"", b"##")), b"##ab"]


@pytest.mark.parametrize("module", MODULES[1:])
@pytest.mark.parametrize(
    "unit", ["a", "ab", "aaab", "b", "é", "a\u0316\u0301", "\U0001d165\u1b44", "a-", "中", " a", "\x0b"]
)
@pytest.mark.parametrize("options", [{"basic": None}, {"basic": 15}, {"basic": 4, "partial": True}], ids=str)
def test_time_grows_with_the_text(module: ModuleType, unit: str, options: dict[str, Any]) -> None:
    encoder = module.WordPieceEncoder(NESTED, scheme=SCHEMES["blank"], unknown=0, max_characters=1 << 30, **options)

    assert_growth(lambda count: partial(encoder.encode_array, unit * (count // len(unit.encode()))), 60_000)


@pytest.mark.parametrize("module", MODULES[1:])
def test_time_to_build_grows_with_the_pieces(module: ModuleType) -> None:
    def building(size: int) -> Task:
        return partial(
            module.WordPieceEncoder, [b"a", b"##a", b"a" * size, b"##" + b"a" * (size // 2) + b"b"], scheme=1
        )

    # Its tables leave the cache: up to thirty times on some machines. Quadratic time would be a hundred.
    assert_growth(building, 30_000, at_most=40)
