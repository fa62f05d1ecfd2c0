"""BPE-dropout: merges left out by chance, with a seed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from textprep_ml._kernels import load
from textprep_ml._kernels._pure import bpe_encode as pure
from textprep_ml.exceptions import VocabularyWarning
from textprep_ml.subword import BPETokenizer

CORPUS = ["the newest widest lowest tower towers over the lower flowers"] * 3


def fit(**params: Any) -> BPETokenizer:
    with warnings.catch_warnings(action="ignore", category=VocabularyWarning):
        return BPETokenizer(num_merges=60, **params).fit(CORPUS)


@given(
    text=st.text(st.sampled_from("abc "), max_size=30),
    merges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8),
    dropout=st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
    seed=st.integers(0, 2**64 - 1),
    shared=st.booleans(),
)
@settings(max_examples=200)
def test_kernel_and_twin_draw_alike(
    text: str, merges: list[tuple[int, int]], dropout: float, seed: int, shared: bool
) -> None:
    symbols = [b"a", b"b", b"c", b" "]
    rows = []
    for left, right in merges:
        if left < len(symbols) and right < len(symbols):
            joined = symbols[left] + symbols[right]
            if joined not in symbols:
                symbols.append(joined)
            rows.append((left, right, symbols.index(joined)))
    rows.sort(key=lambda row: row[2])
    results = []
    for module in (load("bpe_encode"), pure):
        scheme = module.SCHEMES["gpt2"]
        encoder = module.BPEEncoder(symbols, rows, scheme=scheme, shared_ranks=shared, whole_words=True)
        *arrays, state = encoder.encode_by_chance(text, dropout, seed)
        results.append([[array.tolist() for array in arrays], state])
        assert encoder.decode(arrays[0].tolist()) == text.encode()
        plain = module.BPEEncoder(symbols, rows, scheme=scheme, shared_ranks=shared)
        if dropout == 0:
            assert arrays[0].tolist() == plain.encode(text)
        if dropout == 1:
            assert all(len(symbols[index]) == 1 for index in arrays[0].tolist())
    assert results[0] == results[1]


def test_shares_are_those_of_the_paper() -> None:
    """One possible merge is left out with the chance of the dropout; of two, both with its square."""
    encoder = load("bpe_encode").BPEEncoder([b"a", b"b", b"ab"], [(0, 1, 2)], scheme=0)
    state, counts = 7, np.zeros(3)
    for _ in range(4000):
        ids, _, _, state = encoder.encode_by_chance("abab", 0.3, state)
        counts[len(ids) - 2] += 1
    # Both stay apart when the first draw fails for both; one when the other is left after the first merge.
    assert abs(counts[2] / 4000 - 0.09) < 0.03
    assert abs(counts[1] / 4000 - 0.91 * 0.3) < 0.04


def test_the_seed_decides() -> None:
    text = "the lowest towers over newer flowers"
    one, two, three = (fit(dropout=0.3, random_state=seed) for seed in (1, 1, 2))
    rows = [one.encode(text) for _ in range(20)]
    assert rows == [two.encode(text) for _ in range(20)]
    assert rows != [three.encode(text) for _ in range(20)]
    assert len({tuple(row) for row in rows}) > 5
    assert {one.decode(row) for row in rows} == {text}
    assert fit().encode(text) == fit(dropout=0.0, random_state=1).encode(text)
    assert fit(dropout=0.5).decode(fit(dropout=0.5).encode(text)) == text


@pytest.mark.parametrize("params", [{}, {"pretokenizer": r"\w+"}, {"add_prefix_space": True}, {"byte_level": False}])
def test_spans_and_batches_go_with_it(params: dict[str, Any]) -> None:
    tokenizer = fit(dropout=0.4, random_state=0, **params)
    text = "the lowest tower"
    ids, spans = tokenizer.encode_with_spans(text)
    assert tokenizer.decode(ids) == text
    assert spans[-1, 1] == len(text)
    rows = tokenizer.encode_batch([text] * 10)
    assert {tokenizer.decode(row) for row in rows} == {text}
    ids, offsets = tokenizer.encode_batch([text] * 3, as_array=True)
    assert offsets[-1] == len(ids)


@pytest.mark.parametrize("params", [{}, {"pretokenizer": r"\w+"}])
def test_workers_do_not_change_the_chance(params: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Several chunks give the same pieces on any number of threads, and in processes."""
    monkeypatch.setattr("textprep_ml._parallel.SMALLEST_CHUNK", 100)
    texts = ["the lowest towers over newer flowers", "", "lower"] * 20
    results: list[Any] = []
    for n_jobs in (1, 2, 3):
        tokenizer = fit(dropout=0.3, random_state=5, n_jobs=n_jobs, **params)
        ids, offsets = tokenizer.encode_batch(texts, as_array=True)
        rows = tokenizer.encode_batch(texts)
        nested = tokenizer.transform([[text, text] for text in texts])
        results.append((ids.tolist(), offsets.tolist(), rows, nested, tokenizer.transform(texts)))
        assert rows[0] != rows[3]  # the same text, cut anew
        assert np.concatenate(rows).tolist() != ids.tolist()  # another call
        assert nested[0][0] != nested[0][1]
    assert results[0] == results[1] == results[2]
    with parallel_config(backend="loky", n_jobs=2):
        tokenizer = fit(dropout=0.3, random_state=5, **params)
        assert tokenizer.encode_batch(texts, as_array=True)[0].tolist() == results[0][0]
        assert tokenizer.encode_batch(texts) == results[0][2]
