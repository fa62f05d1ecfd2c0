"""The trainer, its naive twin and the word counters give the same results."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import bpe_train as naive
from textprep_ml._kernels._pure import bpe_words as pure_words
from textprep_ml._kernels._pure.pretokenize import SCHEMES, pretokenize

TRAINERS = [pytest.param(naive, id="pure")]
COUNTERS = [pytest.param(pure_words, id="pure")]
if _exists("bpe_train") and _exists("bpe_words"):
    from textprep_ml._kernels import _bpe_train, _bpe_words

    TRAINERS.append(pytest.param(_bpe_train, id="compiled"))
    COUNTERS.append(pytest.param(_bpe_words, id="compiled"))

TEXT = st.text(st.one_of(st.sampled_from("ab \n'sé你🙂\ud800"), st.characters()), max_size=40)
WORD = st.lists(st.integers(-1, 3), max_size=14)
CORPUS = st.lists(st.tuples(WORD, st.sampled_from([1, 1, 2, 3, 100, 2**33 + 5])), min_size=1, max_size=10)
RULES = st.sampled_from(naive.TIE_RULES)


def arrays(corpus: list[tuple[list[int], int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ids = np.array([symbol for word, _ in corpus for symbol in word], dtype=np.int32)
    offsets = np.cumsum([0, *(len(word) for word, _ in corpus)]).astype(np.int64)
    return ids, offsets, np.array([count for _, count in corpus], dtype=np.int64)


def learner(module: ModuleType, corpus: list[tuple[list[int], int]], rule: str, **options: Any) -> Any:
    settings_ = {"min_frequency": 1, "max_length": 0, "expected": 10, "prefix_length": 0} | options
    lengths = np.ones(4, dtype=np.int32)
    return module.MergeLearner(*arrays(corpus), lengths, [b"b", b"a", b"##a", b"ab"], rule, *settings_.values())


def as_lists(result: tuple[np.ndarray, np.ndarray]) -> tuple[list[Any], list[Any]]:
    return result[0].tolist(), result[1].tolist()


@pytest.mark.parametrize("module", TRAINERS)
@given(
    corpus=CORPUS,
    rule=RULES,
    min_frequency=st.integers(1, 3),
    max_length=st.sampled_from([0, 3, 5]),
    expected=st.sampled_from([1, 7, 1000]),
    prefix_length=st.sampled_from([0, 2]),
)
@settings(max_examples=300)
def test_merges_are_those_of_the_naive_trainer(module: ModuleType, corpus: Any, rule: str, **options: Any) -> None:
    ours, textbook = learner(module, corpus, rule, **options), learner(naive, corpus, rule, **options)
    for n in (3, 40):  # going on is the same as going through
        assert as_lists(ours.run(n)) == as_lists(textbook.run(n))


@pytest.mark.parametrize("module", TRAINERS)
@pytest.mark.parametrize("n_symbols", [513, 800], ids=["table", "sketch"])
@given(corpus=CORPUS, rule=RULES, min_frequency=st.integers(1, 3))
@settings(max_examples=60)
def test_large_alphabets(module: ModuleType, n_symbols: int, corpus: Any, rule: str, min_frequency: int) -> None:
    far = [([n_symbols - 4 + symbol if symbol % 2 else symbol for symbol in word], count) for word, count in corpus]
    strings = [f"{n_symbols - index:04}".encode() for index in range(n_symbols)]
    lengths = np.ones(n_symbols, dtype=np.int32)
    ours, textbook = (
        each.MergeLearner(*arrays(far), lengths, strings, rule, min_frequency, 0, 10, 0) for each in (module, naive)
    )
    assert as_lists(ours.run(40)) == as_lists(textbook.run(40))


@pytest.mark.parametrize("module", TRAINERS)
@pytest.mark.parametrize("rule", naive.TIE_RULES)
def test_overlapping_pairs_merge_from_the_left(module: ModuleType, rule: str) -> None:
    merges, counts = learner(module, [([0] * 7, 1)], rule).run(2)
    # aaaaaaa has six overlapping pairs; AAAa that comes of it has AA twice.
    assert merges.tolist() == [[0, 0], [4, 4]]
    assert counts.tolist() == [6, 2]


@pytest.mark.parametrize("module", TRAINERS)
def test_counts_are_those_of_the_current_segmentation(module: ModuleType) -> None:
    corpus = [([0, 1, 2], 5), ([0, 1], 2), ([3, 1, 2], 4)]
    merges, counts = learner(module, corpus, "first").run(9)
    assert (merges.tolist(), counts.tolist()) == ([[1, 2], [0, 4], [3, 4], [0, 1]], [9, 5, 4, 2])


@pytest.mark.parametrize("module", COUNTERS)
@pytest.mark.parametrize("scheme", SCHEMES)
@given(texts=st.lists(TEXT, max_size=4))
@settings(max_examples=60)
def test_words_are_counted_as_the_pretokenizer_finds_them(module: ModuleType, scheme: str, texts: list[str]) -> None:
    counter = module.WordCounter(scheme)
    expected: Counter[bytes] = Counter()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        counter.count_text(data)
        expected.update(data[start:end] for start, end in pretokenize(data, SCHEMES[scheme]))
    assert list(counter.words()) == list(expected.items())


@pytest.mark.parametrize("module", COUNTERS)
@given(
    words=st.lists(
        st.binary(min_size=1, max_size=40) | st.sampled_from([b"a", b"a\0", b"\0", b"x" * 16, b"x" * 17]), max_size=60
    ),
    cut=st.integers(0, 60),
)
def test_counters_merge_exactly(module: ModuleType, words: list[bytes], cut: int) -> None:
    whole, first, second = (module.WordCounter() for _ in range(3))
    for word in words:
        whole.add(word)
    for word in words[:cut]:
        first.add(word)
    for word in words[cut:]:
        second.add(word)
    first.merge(second)
    assert first.words() == whole.words() == list(Counter(words).items())
    assert len(first) == len(whole)


@pytest.mark.parametrize("module", COUNTERS)
def test_tables_travel_between_counters(module: ModuleType) -> None:
    first, second = module.WordCounter("gpt2"), module.WordCounter("gpt2")
    first.count_text(b"a bb " + b"c" * 40 + b" bb")
    second.count_text(b"new bb a")
    total = module.WordCounter("none")
    for counter in (first, module.WordCounter("none"), second):
        total.add_table(*counter.table())
    assert list(total.words()) == [(b"a", 1), (b" bb", 3), (b" " + b"c" * 40, 1), (b"new", 1), (b" a", 1)]
    words, lengths, counts = first.table()
    for wrong in ((words[:-1], lengths, counts), (words, lengths, counts[1:]), (words, lengths - 9, counts)):
        with pytest.raises(ValueError, match="table"):
            total.add_table(*wrong)


@pytest.mark.parametrize("module", COUNTERS)
def test_parallel_counters_keep_the_order_of_the_corpus(module: ModuleType) -> None:
    first, second = module.WordCounter("blank"), module.WordCounter("blank")
    second.count_text(b"new word", 100)
    first.count_text(b"word again", 200)
    second.count_text(b"again old", 0)
    first.merge(second, parallel=True)
    assert first.words() == [(b"again", 2), (b"old", 1), (b"new", 1), (b"word", 2)]


@pytest.mark.parametrize("module", COUNTERS)
def test_tables_grow(module: ModuleType) -> None:
    counter = module.WordCounter("blank")
    words = [f"{'long' * 5 if i % 3 else ''}w{i}".encode() for i in range(6000)]
    counter.count_text(b" ".join(words * 2))
    assert counter.words() == [(word, 2) for word in words]


@pytest.mark.parametrize("module", COUNTERS)
@given(text=TEXT)
def test_symbols_spell_the_words(module: ModuleType, text: str) -> None:
    counter = module.WordCounter("blank")
    counter.count_text(text.encode("utf-8", "surrogatepass"))
    table = np.arange(255, -1, -1, dtype=np.int32)
    for threads in (1, 2):
        ids, offsets, counts = counter.byte_symbols(table, threads)
        spelled = [bytes((255 - ids[start:end]).tolist()) for start, end in zip(offsets, offsets[1:], strict=False)]
        assert list(zip(spelled, counts.tolist(), strict=True)) == counter.words()

    characters: Counter[int] = Counter()
    for word, count in counter.words():
        for char in word.decode("utf-8", "surrogatepass"):
            characters[ord(char)] += count
    assert counter.character_counts() == dict(sorted(characters.items()))


@pytest.mark.parametrize("module", COUNTERS)
def test_character_symbols_tell_places(module: ModuleType) -> None:
    counter = module.WordCounter("blank")
    counter.count_text("é aé aéa".encode())
    tables = [np.full(0x110000, -1, dtype=np.int32) for _ in range(4)]
    for place, table in enumerate(tables):
        table[ord("a")], table[ord("é")] = 10 * place, 10 * place + 1
    ids, offsets, counts = counter.character_symbols(*tables, 99)
    assert ids.tolist() == [31, 99, 0, 21, 99, 0, 11, 20, 99]
    assert offsets.tolist() == [0, 2, 5, 9]
    assert counts.tolist() == [1, 1, 1]


@pytest.mark.parametrize("module", COUNTERS)
@given(
    text=st.text(st.sampled_from("ab \n'sé你🙂ਾ1.-"), max_size=40),
    scheme=st.sampled_from(sorted(set(SCHEMES) - {"none"})),
)
@settings(max_examples=300)
def test_a_safe_cut_changes_no_word(module: ModuleType, text: str, scheme: str) -> None:
    data = text.encode()
    cut = module.safe_cut(data)
    assert cut == pure_words.safe_cut(data)
    if cut:
        words = [data[start:end] for start, end in pretokenize(data, SCHEMES[scheme])]
        parts = [
            part[start:end] for part in (data[:cut], data[cut:]) for start, end in pretokenize(part, SCHEMES[scheme])
        ]
        assert parts == words


@pytest.mark.parametrize("module", COUNTERS)
@given(
    data=st.binary(max_size=12) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")),
    before=st.sampled_from([b"", b"12345678"]),
)
@settings(max_examples=500)
def test_invalid_utf8_is_found_where_python_finds_it(module: ModuleType, data: bytes, before: bytes) -> None:
    data = before + data
    try:
        data.decode("utf-8")
        expected = -1
    except UnicodeDecodeError as error:
        expected = error.start
    assert module.invalid_at(data) == expected
