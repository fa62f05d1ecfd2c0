"""The pre-tokenizers, the byte-pair encoder, its twin and the replay of all merges in order give the same results."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import Task, assert_growth
from tests.subword.texts import evaluation_texts
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import bpe_encode as pure
from textprep_ml._kernels._pure.pretokenize import PATTERNS, SCHEMES

MODULES = [pytest.param(pure, id="pure")]
if _exists("bpe_encode"):
    from textprep_ml._kernels import _bpe_encode

    MODULES.append(pytest.param(_bpe_encode, id="compiled"))

#: Characters on which the schemes differ, and those that lie at the borders of classes.
HARD = (
    "aBsStTrReEvVlLmMdD09 \t\n\r\x0b'\"!-/._ſéжФ中国〇のカーあｰไທខမǅʰ٣²½Ⅷ"
    "\xa0\u3000\u2028\x85\u200b\x1c—“…\u0301\u0e31🙂🏽\u200d\ud800\x00"
)
TEXT = st.text(st.one_of(st.sampled_from(HARD), st.characters()), max_size=200)
RUNS = st.lists(st.tuples(st.sampled_from(HARD), st.integers(1, 70)), max_size=8).map(
    lambda runs: "".join(char * count for char, count in runs)
)
BYTES = st.one_of(st.binary(max_size=100), st.tuples(TEXT, st.binary(max_size=4), TEXT).map(
    lambda parts: b"".join(pure.as_bytes(part) for part in parts)
))  # fmt: skip


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def spans_by_pattern(text: str, scheme: str) -> list[tuple[int, int]]:
    begins = [0]
    for char in text:
        begins.append(begins[-1] + len(as_bytes(char)))
    return [(begins[m.start()], begins[m.end()]) for m in regex.finditer(PATTERNS[scheme], text)]


class TestPretokenize:
    @pytest.mark.parametrize("scheme", PATTERNS)
    @pytest.mark.parametrize("module", MODULES)
    @given(text=st.one_of(TEXT, RUNS))
    @settings(max_examples=150)
    def test_text(self, module: ModuleType, scheme: str, text: str) -> None:
        assert module.pretokenize(as_bytes(text), SCHEMES[scheme]) == spans_by_pattern(text, scheme)

    @pytest.mark.parametrize("scheme", SCHEMES)
    @pytest.mark.parametrize("module", MODULES)
    @given(data=BYTES)
    @settings(max_examples=60)
    def test_bytes(self, module: ModuleType, scheme: str, data: bytes) -> None:
        spans = module.pretokenize(data, SCHEMES[scheme])
        assert spans == pure.pretokenize(data, SCHEMES[scheme])
        if scheme in PATTERNS and scheme != "blank":
            assert b"".join(data[start:end] for start, end in spans) == data

    @pytest.mark.parametrize("scheme", PATTERNS)
    @pytest.mark.parametrize("module", MODULES)
    def test_corpora(self, module: ModuleType, scheme: str) -> None:
        text = "".join(evaluation_texts())
        assert module.pretokenize(as_bytes(text), SCHEMES[scheme]) == spans_by_pattern(text, scheme)

    @pytest.mark.parametrize("module", MODULES)
    def test_examples(self, module: ModuleType) -> None:
        def words(text: str, scheme: str) -> list[str]:
            data = text.encode()
            return [data[start:end].decode() for start, end in module.pretokenize(data, SCHEMES[scheme])]

        text = "Don't  wor'LL\t12345!!\n\n x"
        assert words(text, "gpt2") == ["Don", "'t", " ", " wor", "'", "LL", "\t", "12345", "!!", "\n\n", " x"]
        assert words(text, "llama3") == ["Don", "'t", " ", " wor", "'LL", "\t", "123", "45", "!!\n\n", " x"]
        assert words(text, "o200k") == ["Don't", " ", " wor'LL", "\t", "123", "45", "!!\n\n", " x"]
        assert words(text, "qwen2")[5:10] == ["\t", "1", "2", "3", "4"]
        assert words("a\n  ", "cl100k") == ["a", "\n  "]
        assert words("a\n  ", "llama3") == ["a", "\n", "  "]
        assert words("東京タワーはไทย", "script") == ["東京", "タワー", "は", "ไทย"]
        assert words("K팝은 서울에서 漢字를", "script") == ["K", "팝은", " 서울에서", " 漢字", "를"]
        assert words(" one  two ", "blank") == ["one", "two"]


Model = tuple[list[bytes], np.ndarray]


def byte_model(merges: list[tuple[int, int]]) -> Model:
    """Make a byte-level model; a number counts back from the newest symbol among letters and merges."""
    symbols = [bytes([byte]) for byte in range(256)]
    usable, rows = [97, 98, 99, 32, 0xC3, 0xA9], []
    for left, right in dict.fromkeys(merges):
        pair = usable[left % len(usable)], usable[right % len(usable)]
        if pair not in [row[:2] for row in rows]:
            rows.append((*pair, len(symbols)))
            usable.append(len(symbols))
            symbols.append(symbols[pair[0]] + symbols[pair[1]])
    return symbols, np.array(rows, dtype=np.int32).reshape(-1, 3)


MODELS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=30).map(byte_model)
WORDS = st.text(st.sampled_from("abcé "), max_size=150)


def replay(word: list[int], merges: np.ndarray) -> list[int]:
    """Apply every merge, in the order learned, wherever it fits."""
    for left, right, joined in merges.tolist():
        result: list[int] = []
        for symbol in word:
            if result and (result[-1], symbol) == (left, right):
                result[-1] = joined
            else:
                result.append(symbol)
        word = result
    return word


def encoder(module: ModuleType, model: Model, scheme: str = "gpt2", **options: Any) -> Any:
    return module.BPEEncoder(*model, scheme=SCHEMES[scheme], **options)


@pytest.mark.parametrize("module", MODULES)
def test_only_lists_of_strings_are_copied(module: ModuleType) -> None:
    class Name(str): ...

    strings = ["a", "\u4f60", ""] * 10
    copy = module.copy_strings(strings)
    assert copy == strings
    assert copy is not strings
    assert module.copy_strings([]) == []
    assert module.copy_strings([*strings, b"a"]) is None
    assert module.copy_strings([Name("a")]) is None


@pytest.mark.parametrize("module", MODULES)
class TestBytes:
    @given(model=MODELS, text=WORDS)
    @settings(max_examples=150)
    def test_replay(self, module: ModuleType, model: Model, text: str) -> None:
        data = as_bytes(text)
        expected = [
            index
            for start, end in pure.pretokenize(data, SCHEMES["gpt2"])
            for index in replay(list(data[start:end]), model[1])
        ]
        encode = encoder(module, model)
        assert encode.encode(text) == expected
        assert encode.encode(text) == expected, "from the cache"

    @given(model=MODELS, unit=WORDS, times=st.integers(1, 300))
    @settings(max_examples=40)
    def test_long_words(self, module: ModuleType, model: Model, unit: str, times: int) -> None:
        data = as_bytes(unit * times)
        assert encoder(module, model, "none").encode(data) == replay(list(data), model[1])

    @given(model=MODELS, texts=st.lists(st.one_of(TEXT, WORDS), max_size=8), scheme=st.sampled_from(list(SCHEMES)))
    @settings(max_examples=80)
    def test_every_way_agrees(self, module: ModuleType, model: Model, texts: list[str], scheme: str) -> None:
        encode = encoder(module, model, scheme)
        rows = [encode.encode(text) for text in texts]
        assert rows == [encoder(pure, model, scheme).encode(text) for text in texts]
        assert [encode.encode_array(text).tolist() for text in texts] == rows
        for threads in (1, 2, 3):
            ids, offsets = encode.encode_batch(texts, threads=threads)
            assert ids.dtype == np.int32
            assert [ids[a:b].tolist() for a, b in zip(offsets[:-1], offsets[1:], strict=True)] == rows
        if scheme in PATTERNS and scheme != "blank":
            assert encode.decode_batch(ids, offsets) == [as_bytes(text) for text in texts]

    @pytest.mark.parametrize("threads", [1, 2, 3])
    def test_threads_share_many_texts(self, module: ModuleType, threads: int) -> None:
        kinds = [
            "plain words, and more of them",
            "",
            "na\u00efve \u4f60\u597d \U0001f600",
            "lone \ud800 half",
            "x" * 40,
        ]
        texts: list[Any] = [kinds[number % 5] + str(number) for number in range(600)] + ["one long text " * 3000]
        texts[7] = texts[7].encode()
        encode = encoder(module, byte_model([(0, 1), (120, 120), (256, 32)]))
        ids, offsets = encode.encode_batch(texts, threads=threads)
        assert [ids[a:b].tolist() for a, b in pairwise(offsets)] == [encode.encode(text) for text in texts]

    def test_more_ids_than_a_few_texts_let_expect(self, module: ModuleType) -> None:
        texts = ["a" * 512 if number % 20 == 0 else "\u4f60\u597d" * 60 for number in range(320)]
        encode = encoder(module, byte_model([(97, 97), *((256 + k, 256 + k) for k in range(8))]))
        ids, offsets = encode.encode_batch(texts, threads=2)
        expected, bounds = encode.encode_batch(texts)
        assert ids.tolist() == expected.tolist()
        assert offsets.tolist() == bounds.tolist()

    @pytest.mark.parametrize("threads", [1, 2, 3])
    def test_the_first_unknown_is_named(self, module: ModuleType, threads: int) -> None:
        texts = [
            "a b " * 200 + ("?" if number in (47, 49) else "") + ("!" if number == 33 else "") for number in range(60)
        ]
        encode = encoder(module, ([b"a", b" ", b"b"], []))
        with pytest.raises(ValueError, match="'!' at byte 800;"):
            encode.encode_batch(texts, threads=threads)
        with pytest.raises(ValueError, match="'!' at byte 27200;"):
            encode.encode_array("".join(texts), threads)
        with pytest.raises((TypeError, AttributeError), match="int"):
            encode.encode_batch(["a b", 1], threads=threads)

    @given(model=MODELS, text=st.one_of(TEXT, WORDS), scheme=st.sampled_from(list(SCHEMES)))
    @settings(max_examples=80)
    def test_offsets(self, module: ModuleType, model: Model, text: str, scheme: str) -> None:
        encode = encoder(module, model, scheme)
        ids, chars, spans = encode.encode_with_offsets(text)
        data = as_bytes(text)
        assert ids.tolist() == encode.encode(text)
        assert [data[a:b] for a, b in spans.tolist()] == [model[0][index] for index in ids]
        begins = np.cumsum([0, *(len(as_bytes(char)) for char in text)])
        for (first, last), (start, end) in zip(chars.tolist(), spans.tolist(), strict=True):
            assert begins[first] <= start < begins[first + 1]
            assert begins[last - 1] < end <= begins[last]

    def test_a_merge_that_is_ranked_before_its_parts(self, module: ModuleType) -> None:
        symbols = [bytes([byte]) for byte in range(256)] + [b"abc", b"ab"]
        encode = encoder(module, (symbols, np.array([(257, 99, 256), (97, 98, 257)])), "none")
        assert encode.encode("abc" * 3) == [256] * 3
        assert encode.encode("abc" * 3000) == [256] * 3000

    def test_whole_words(self, module: ModuleType) -> None:
        symbols = [bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"abc"]
        merges = np.array([(98, 99, 257), (97, 98, 256)])
        assert encoder(module, (symbols, merges), "blank").encode("abc ab") == [97, 257, 256]
        assert encoder(module, (symbols, merges), "blank", whole_words=True).encode("abc ab") == [258, 256]
        hidden = encoder(module, (symbols, merges), "blank", whole_words=True, specials=[258])
        assert hidden.encode("abc") == [97, 257]

    def test_ready_words(self, module: ModuleType) -> None:
        ids, offsets = encoder(module, byte_model([(0, 1)])).encode_words([b"ab", b"", b"c ab"])
        assert ids.tolist() == [256, 99, 32, 256]
        assert offsets.tolist() == [0, 1, 1, 4]

    def test_decode(self, module: ModuleType) -> None:
        decode = encoder(
            module, ([b"a", b"", b"longer than sixteen bytes"], []), surfaces=[b"x", b"", b"y" * 30]
        ).decode
        assert decode([0, 1, 2, 0]) == b"x" + b"y" * 30 + b"x"
        assert decode(np.array([0, 0], dtype=np.uint16)) == b"xx"
        assert decode([]) == b""
        for wrong in (3, -1):
            with pytest.raises(ValueError, match=f"has the id {wrong}"):
                decode([0, wrong])

    def test_long_texts_on_threads(self, module: ModuleType) -> None:
        model = byte_model([(0, 1), (3, 0), (1, 2)])
        text = "".join(evaluation_texts(60_000)) + "ab c" * 500 + "a" * 9000
        encode = encoder(module, model, "cl100k")
        expected = encode.encode_array(text)
        assert b"".join(model[0][index] for index in expected) == as_bytes(text)
        for threads in (2, 3, 7):
            assert np.array_equal(encode.encode_array(text, threads=threads), expected)

    def test_one_encoder_in_many_threads(self, module: ModuleType) -> None:
        encode = encoder(module, byte_model([(0, 1), (3, 0), (1, 2)]))
        texts = evaluation_texts(20_000)
        expected = [encode.encode(text) for text in texts]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(encode.encode, texts * 3)) == expected * 3


CHARACTERS = [b"<unk>", b"a", b"c", b"h", b"m", b"t", b"at"]


@pytest.mark.parametrize("module", MODULES)
class TestCharacters:
    def encoder(self, module: ModuleType, symbols: list[bytes], merges: Any, **options: Any) -> Any:
        return module.BPEEncoder(symbols, merges, scheme=SCHEMES["blank"], byte_level=False, **options)

    def test_unknown_characters_stay_and_part_their_neighbours(self, module: ModuleType) -> None:
        encode = self.encoder(module, CHARACTERS, [(1, 5, 6)], unknown=0)
        assert encode.encode("zat") == [0, 6]
        assert encode.encode("azt") == [1, 0, 5]
        with pytest.raises(ValueError, match="No symbol covers 'z' at byte 5"):
            self.encoder(module, CHARACTERS, [(1, 5, 6)]).encode("at  azt")
        assert self.encoder(module, CHARACTERS, [(1, 5, 6)], unknown=0).encode("zzazz") == [0, 0, 1, 0, 0]
        assert self.encoder(module, CHARACTERS, [(1, 5, 6)], unknown=0, fuse_unknown=True).encode("zzazz") == [0, 1, 0]

    def test_byte_fallback(self, module: ModuleType) -> None:
        symbols = [b"a", *(bytes([byte]) for byte in range(256))]
        fallback = [byte + 1 for byte in range(256)]
        encode = self.encoder(module, symbols, [], byte_ids=fallback, specials=range(1, 257))
        assert encode.encode("aé") == [0, 0xC3 + 1, 0xA9 + 1]
        assert encode.encode_with_offsets("aé")[1].tolist() == [[0, 1], [1, 2], [1, 2]]
        fallback[0xA9] = -1
        assert self.encoder(module, symbols, [], byte_ids=fallback, specials=range(1, 257), unknown=0).encode("é") == [
            0
        ]

    def test_markers(self, module: ModuleType) -> None:
        own = self.encoder(module, [b"a", b"b", b"_", b"b_"], [(1, 2, 3)], marker=b"_")
        assert own.encode("ab ba") == [0, 3, 1, 0, 2]
        assert own.encode_with_offsets("ab ba")[1].tolist() == [[0, 1], [1, 2], [3, 4], [4, 5], [5, 5]]
        joined = self.encoder(module, [b"a", b"b", b"b_", b"ab_"], [(0, 2, 3)], marker=b"_", marker_joined=True)
        assert joined.encode("ab bb") == [3, 1, 2]
        with pytest.raises(ValueError, match="No symbol covers 'a' at byte 1"):
            joined.encode("ba")

    def test_prefix(self, module: ModuleType) -> None:
        symbols = [b"a", b"##b", b"##c", b"##bc", b"abc"]
        encode = self.encoder(module, symbols, [(1, 2, 3), (0, 3, 4)], prefix=b"##", unknown=0)
        assert encode.encode("abc ab abb") == [4, 0, 1, 0, 1, 1]

    @given(
        text=TEXT, joined=st.booleans(), fuse=st.booleans(), fallback=st.booleans(), scheme=st.sampled_from([1, 5, 7])
    )
    @settings(max_examples=100)
    def test_twins(self, module: ModuleType, text: str, joined: bool, fuse: bool, fallback: bool, scheme: int) -> None:
        symbols = [b"<unk>", b"_", b"a", b"##a", b"a_", b"##a_", b"##s", b"##s_", "中".encode(), "##ж".encode(), b"aa"]
        options: dict[str, Any] = {"prefix": b"##", "marker": b"_", "marker_joined": joined, "fuse_unknown": fuse}
        if fallback:
            options["byte_ids"] = [*range(len(symbols), len(symbols) + 255), -1]
            symbols += [b"<%d>" % byte for byte in range(255)]
        arguments = {"scheme": scheme, "byte_level": False, "unknown": 0, **options}
        ours, twin = (maker.BPEEncoder(symbols, [(2, 3, 10)], **arguments) for maker in (module, pure))
        assert ours.encode(text) == twin.encode(text)
        for mine, theirs in zip(ours.encode_with_offsets(text), twin.encode_with_offsets(text), strict=True):
            assert np.array_equal(mine, theirs)


def test_a_cache_that_overflows() -> None:
    generator = np.random.default_rng(0)
    module = MODULES[-1].values[0]
    size = 20_000_000 if module is not pure else 20_000
    letters = generator.choice(np.frombuffer(b"abc", dtype=np.uint8), size)
    letters[::1000] = 32
    letters[: size // 20 : 9] = 32
    text = letters.tobytes()
    encode = encoder(module, byte_model([(0, 1), (1, 2), (6, 2)]))
    first = encode.encode_array(text)
    assert np.array_equal(encode.encode_array(text), first)
    assert encode.decode(first) == text


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("unit", ["a", " ", "\n ", "-", "🙂", "\u0301", "letters"])
@pytest.mark.parametrize("scheme", ["gpt2", "cl100k", "none"])
def test_ten_times_the_text_takes_about_ten_times_as_long(module: ModuleType, unit: str, scheme: str) -> None:
    encode = encoder(module, byte_model([(0, 0), (6, 6), (7, 7), (3, 3), (10, 10), (0, 1), (1, 2)]), scheme)
    size = 3_000 if module is pure else 100_000

    def encoding(count: int) -> Task:
        repeated = unit * (count // len(unit.encode()))  # as many bytes of each unit
        letters = "".join(np.random.default_rng(1).choice(list("abcd"), count))
        text = letters if unit == "letters" else repeated
        return lambda: encode.encode_array(text)

    # Quadratic time would be a hundred. The twin's lists leave the cache and meet fresh pages on the longer text: up to
    # twenty-five times on some machines.
    assert_growth(encoding, size, at_most=35 if module is pure else 20)
