"""The kernel that cuts text by a unigram model, against its twin and against all ways there are."""

from __future__ import annotations

import itertools
import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textprep_ml._kernels import load
from textprep_ml._kernels._pure import unigram as pure

MARKER = "\u2581"
CHARS = st.one_of(st.sampled_from("aabb  \u2581!é你🙂\ud800\ufb01"), st.characters())
TEXT = st.text(CHARS, max_size=40)
PIECE = st.text(st.sampled_from("aab\u2581é!"), min_size=1, max_size=4)
FLAGS = st.fixed_dictionaries(
    {
        "prefix": st.sampled_from([0, 1, 2]),
        "suffix": st.booleans(),
        "remove_extra": st.booleans(),
        "escape": st.booleans(),
        "single": st.booleans(),
        "words": st.sampled_from(["pairs", "runs"]),
        "fuse_unknown": st.booleans(),
    }
)


def unit(offset: int, label: int, *, leaf: bool = False) -> int:
    return offset << 10 | leaf << 8 | label


def charsmap() -> bytes:
    """A map by hand: a ligature to two letters, a tab to a blank, and three letters to one."""
    rules = {"\ufb01".encode(): b"fi", b"\t": b" ", b"ab!": b"x"}
    strings = b""
    units = {0: unit(1, 0)}
    places: dict[bytes, int] = {b"": 0}
    free = 256
    base = {b"": 1}
    children: dict[bytes, set[int]] = {}
    for key in rules:
        for end in range(len(key)):
            children.setdefault(key[:end], set()).add(key[end])
    for prefix in sorted(children, key=len):
        if prefix:
            base[prefix] = free
            free += 256
    units[0] = unit(base[b""], 0)
    for prefix, labels in children.items():
        for label in labels:
            places[prefix + bytes([label])] = base[prefix] ^ label
    for key, place in places.items():
        if not key:
            continue
        own = base.get(key, free)
        if key not in base:
            free += 256
        units[place] = unit(own ^ place, key[-1], leaf=key in rules)
        if key in rules:
            units[own] = 1 << 31 | len(strings)
            strings += rules[key] + b"\0"
    size = max(units) + 1
    array = np.zeros(size, dtype="<u4")
    for place, value in units.items():
        array[place] = value
    return struct.pack("<I", 4 * size) + array.tobytes() + strings


def test_a_map_by_hand_is_applied() -> None:
    for module in (load("unigram"), pure):
        rules = module.TextRules(charsmap())
        assert rules.normalize("\ufb01ab!ab\té\ufb01") == "fixab éfi".encode()
        data, begins, ends = rules.align("a\ufb01b")
        assert data == b"afib"
        assert begins.tolist() == [0, 1, 1, 4]
        assert ends.tolist() == [1, 4, 4, 5]


@pytest.mark.parametrize("blob", [b"", b"\x04", b"\x08\0\0\0abcd", charsmap()[:-1], struct.pack("<I", 6) + b"0" * 20])
def test_a_damaged_map_is_refused(blob: bytes) -> None:
    for module in (load("unigram"), pure):
        with pytest.raises(ValueError, match="damaged"):
            module.split_map(blob)


@given(
    pieces=st.lists(PIECE, min_size=1, max_size=12, unique=True),
    scores=st.lists(st.floats(-20, 0, width=32), min_size=12, max_size=12),
    kinds=st.lists(st.sampled_from([1, 1, 1, 4, 5]), min_size=12, max_size=12),
    fallback=st.booleans(),
    mapped=st.booleans(),
    flags=FLAGS,
    text=TEXT,
)
@settings(max_examples=300)
def test_kernel_and_twin_agree(
    pieces: list[str], scores: list[float], kinds: list[int], fallback: bool, mapped: bool, flags: Any, text: str
) -> None:
    names = [piece.encode() for piece in pieces]
    kinds = [2, *kinds[: len(names)]]
    arguments: dict[str, Any] = {
        "pieces": [b"<unk>", *names],
        "scores": [0.0, *scores[: len(names)]],
        "kinds": kinds,
        "unknown": 0,
        "charsmap": charsmap() if mapped else b"",
        **flags,
    }
    if fallback:
        first = len(kinds)
        arguments["pieces"] += [b"<%02X>" % byte for byte in range(256)]
        arguments["scores"] += [0.0] * 256
        arguments["kinds"] = [*kinds, *[6] * 256]
        arguments["byte_ids"] = list(range(first, first + 256))
    fast, slow = load("unigram").UnigramEncoder(**arguments), pure.UnigramEncoder(**arguments)
    ids = slow.encode(text)
    assert fast.encode(text) == ids
    assert fast.encode(text) == ids  # from the cache
    assert fast.encode(text, False) == slow.encode(text, False)
    assert fast.encode_array(text).tolist() == ids
    assert fast.normalize(text) == slow.normalize(text)
    for ours, theirs in zip(fast.encode_with_offsets(text), slow.encode_with_offsets(text), strict=True):
        assert ours.tolist() == theirs.tolist()
    assert fast.decode(ids) == slow.decode(ids)
    ways = [module.best_paths(*encoder.lattice(text), 5) for module, encoder in ((load("unigram"), fast), (pure, slow))]
    assert [fast.named(fast.normalize(text), path) for _, path in ways[0]] == [
        slow.named(slow.normalize(text), path) for _, path in ways[1]
    ]
    uniforms = np.random.default_rng(0).random(4 * len(text) + 50)
    assert fast.sample(text, 0.3, uniforms) == slow.sample(text, 0.3, uniforms)
    assert math.isclose(fast.log_likelihood(text), slow.log_likelihood(text), rel_tol=1e-9, abs_tol=1e-9)


def all_ways(text: str, scores: dict[str, float]) -> list[tuple[float, list[str]]]:
    """List every way to cut a text, the best first."""
    ways = []
    for cuts in itertools.product([False, True], repeat=max(len(text) - 1, 0)):
        bounds = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), len(text)]
        parts = [text[a:b] for a, b in itertools.pairwise(bounds)]
        if all(part in scores for part in parts):
            ways.append((sum(scores[part] for part in parts), parts))
    return sorted(ways, key=lambda way: -way[0])


@given(text=st.text("ab", min_size=1, max_size=8), seed=st.integers(0, 1000))
@settings(max_examples=100)
def test_the_best_ways_are_the_best_of_all(text: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = ["a", "b", "ab", "ba", "aa", "aab", "bab"]
    scores = dict(zip(names, (-rng.random(7) * 5 - 1).astype(np.float32).tolist(), strict=True))
    arguments = {"pieces": [name.encode() for name in names], "scores": list(scores.values()), "kinds": [1] * 7}
    for module in (load("unigram"), pure):
        encoder = module.UnigramEncoder(**arguments, prefix=0)
        ways = all_ways(text, scores)
        best = module.best_paths(*encoder.lattice(text), len(ways) + 3)
        assert np.allclose([score for score, _ in best], [score for score, _ in ways])
        assert len({tuple(edge[2] for edge in path) for _, path in best}) == len(ways)
        assert [names[index] for index in encoder.encode(text)] in [
            parts for score, parts in ways if math.isclose(score, ways[0][0], abs_tol=1e-5)
        ]
        total = math.log(sum(math.exp(score) for score, _ in ways))
        assert math.isclose(encoder.log_likelihood(text), total, rel_tol=1e-9)


def test_samples_come_as_often_as_they_should() -> None:
    scores = {"a": -1.0, "aa": -1.5, "aaa": -3.0}
    arguments = {"pieces": [name.encode() for name in scores], "scores": list(scores.values()), "kinds": [1] * 3}
    encoder = load("unigram").UnigramEncoder(**arguments, prefix=0)
    ways = all_ways("aaa", scores)
    shares = np.exp(0.5 * np.array([score for score, _ in ways]))
    shares /= shares.sum()
    rng = np.random.default_rng(0)
    drawn = [tuple(encoder.sample("aaa", 0.5, rng.random(3))) for _ in range(4000)]
    names = list(scores)
    for share, (_, parts) in zip(shares, ways, strict=True):
        count = drawn.count(tuple(names.index(part) for part in parts))
        assert abs(count / 4000 - share) < 0.05


def test_a_long_sum_begins_anew_alike() -> None:
    """Sums that get below the limit, near ties and exact ones: the cache must not matter."""
    names = ["a", "aa", "b", " ".replace(" ", MARKER), MARKER + "b", "!", "!!", "!!!!!"]
    scores = [-5.7842931747, -7.927848339, -3.1, -2.5, -4.0, -6.1, -9.2999, -22.7]
    arguments: dict[str, Any] = {
        "pieces": [name.encode() for name in names],
        "scores": np.array(scores, dtype=np.float32).tolist(),
        "kinds": [1] * len(names),
    }
    text = "aaa!!!b b aa!!!!!!! " * 1500
    fast, slow = load("unigram").UnigramEncoder(**arguments), pure.UnigramEncoder(**arguments)
    once = fast.encode(text)
    assert once == slow.encode(text)
    assert fast.encode(text) == once


def test_what_no_piece_covers_is_named() -> None:
    for module in (load("unigram"), pure):
        encoder = module.UnigramEncoder([b"a"], [-1.0], [1], prefix=0)
        with pytest.raises(ValueError, match="covers 'é' at byte 2"):
            encoder.encode("aaé")
        with pytest.raises(ValueError, match="No symbol has the id 7"):
            encoder.decode([7])


def test_threads_give_the_same() -> None:
    encoder = load("unigram").UnigramEncoder([b"a", b"b", b"ab", MARKER.encode()], [-1.0, -2.0, -2.5, -1.0], [1] * 4)
    texts = ["ab " * (i % 7) + "ba" for i in range(200)]
    ids, offsets = encoder.encode_batch(texts)
    more, others = encoder.encode_batch(texts, 3)
    assert ids.tolist() == more.tolist()
    assert offsets.tolist() == others.tolist()
    rows = [ids[a:b].tolist() for a, b in itertools.pairwise(offsets.tolist())]
    assert rows == [encoder.encode(text) for text in texts]
