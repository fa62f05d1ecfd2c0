"""`TextNormalizer`, its presets and its maps, with both kernels."""

from __future__ import annotations

import json
import os
import pickle
import unicodedata
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from tests.growth import assert_growth
from tests.normalization.test_steps import TEXTS, TRICKY, both, kernel  # noqa: F401  (the fixture runs every test with both kernels)
from textprep_ml.normalization import OffsetMap, TextNormalizer, make_normalizer
from textprep_ml.normalization.normalizer import PRESETS
from textprep_ml.normalization.offsets import layer_from_edits

SHARED = Path(os.environ.get("TEXTPREP_ML_SHARED", Path(__file__).resolve().parents[3] / "shared"))

SWITCHES: dict[str, list[str]] = {
    "form": ["keep", "NFC", "NFD", "NFKC", "NFKD"],
    "case": ["keep", "lower", "casefold"],
    "accents": ["keep", "strip", "strip_all"],
    "whitespace": ["keep", "collapse", "lines", "paragraphs", "line_ends"],
    "control": ["keep", "drop"],
    "punctuation": ["keep", "plain"],
    "contractions": ["keep", "split", "expand"],
    "digits": ["keep", "mask"],
}
OPTIONS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in SWITCHES.items()})


def one_by_one(text: str, options: dict[str, str]) -> str:
    """Apply the steps one after the other, each to the whole text."""
    for name in ("control", "form", "case", "accents", "form", "punctuation", "contractions", "whitespace", "digits"):
        text = TextNormalizer(**{name: options[name]}).transform([text])[0]
    return text


@settings(max_examples=120)
@given(text=TEXTS, options=OPTIONS)
@example(
    text=" \u00b4 \u200b \u0301",
    options={name: values[-1] for name, values in SWITCHES.items()} | {"whitespace": "collapse"},
)
def test_steps_together_equal_steps_one_by_one(text: str, options: dict[str, str]) -> None:
    assert both(TextNormalizer(**options), text) == one_by_one(text, options)


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"pdf"}))
@settings(max_examples=120)
@given(text=TEXTS)
def test_presets_are_idempotent(preset: str, text: str) -> None:
    normalizer = make_normalizer(preset)
    once = normalizer.transform([text])[0]
    assert normalizer.transform([once]) == [once]


def is_monotone(spans: np.ndarray) -> bool:
    """Starts never go back, nor do the ends of spans that hold something."""
    full = spans[spans[:, 0] < spans[:, 1]]
    return bool((np.diff(spans[:, 0]) >= 0).all() and (np.diff(full, axis=0) >= 0).all())


@settings(max_examples=120)
@given(text=TEXTS, options=OPTIONS)
def test_maps_are_monotone_and_cover(text: str, options: dict[str, str]) -> None:
    normalized, offsets = TextNormalizer(**options).align(text)
    spans = offsets.character_spans()
    assert spans.shape == (len(normalized), 2)
    assert (spans[:, 0] <= spans[:, 1]).all()
    assert is_monotone(spans)
    assert not len(spans) or (spans.min() >= 0 and spans.max() <= len(text))
    every = np.array(
        [(start, end) for start in range(len(normalized)) for end in range(start + 1, len(normalized) + 1)],
        dtype=np.intp,
    ).reshape(-1, 2)
    union = np.column_stack([spans[every[:, 0], 0], spans[every[:, 1] - 1, 1]])
    carried = offsets.to_raw(every)
    assert (carried[:, 0] == union[:, 0]).all()
    full = spans[every[:, 1] - 1, 0] < union[:, 1]
    assert (carried[full] == union[full]).all()
    raw = np.array([(start, start + 1) for start in range(len(text))], dtype=np.intp).reshape(-1, 2)
    there = offsets.to_normalized(raw)
    assert is_monotone(there)
    # Back and there again gives at least what one started from.
    filled = (spans[:, 0] < spans[:, 1]).nonzero()[0]
    again = offsets.to_normalized(spans[filled])
    assert (again[:, 0] <= filled).all()
    assert (again[:, 1] >= filled + 1).all()


@settings(max_examples=120)
@given(text=TEXTS, options=OPTIONS)
def test_unchanged_text_has_the_identity(text: str, options: dict[str, str]) -> None:
    normalizer = TextNormalizer(**options)
    once = normalizer.transform([text])[0]
    assume(normalizer.transform([once])[0] == once)
    normalized, offsets = normalizer.align(once)
    assert normalized == once
    spans = np.column_stack([np.arange(len(once)), np.arange(len(once)) + 1]).reshape(-1, 2)
    assert (offsets.to_raw(spans) == spans).all()


def grapheme_ends(text: str) -> set[int]:
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}


# No conjuncts: without its virama one grapheme becomes two, and each has its own part of the raw text.
GRAPHEMES = st.lists(
    st.sampled_from(
        [
            *"aéß½ﬁ …Ǖ한각",
            "e\u0301",
            "e\u0323\u0302",
            "\u1100\u1161\u11a8",
            "क\u093f",
            "क\u094d\u200d!",
            "กำ",
            "👩\u200d🔬",
            "👍🏽",
            "\r\n",
            "a\u200d",
            "İ\u0301",
            "x\ufe0f",
            "\u200b",
            "\xad",
            "it's",
            "\u00b4",
        ]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=120)
@given(text=GRAPHEMES, options=OPTIONS)
def test_whole_graphemes_map_to_whole_graphemes(text: str, options: dict[str, str]) -> None:
    normalized, offsets = TextNormalizer(**options).align(text)
    ends = sorted(grapheme_ends(normalized))
    spans = offsets.to_raw(np.array(list(zip(ends, ends[1:], strict=False)), dtype=np.intp).reshape(-1, 2))
    assert set(spans.ravel().tolist()) <= grapheme_ends(text)


CASES = [
    (
        "N01",
        {"form": "NFKC"},
        "ﬁne ½ cup… ㎏",
        "fine 1⁄2 cup... kg",
        [
            [0, 1],
            [0, 1],
            [1, 2],
            [2, 3],
            [3, 4],
            [4, 5],
            [4, 5],
            [4, 5],
            [5, 6],
            [6, 7],
            [7, 8],
            [8, 9],
            [9, 10],
            [9, 10],
            [9, 10],
            [10, 11],
            [11, 12],
            [11, 12],
        ],
        {"fine": [0, 3], "...": [9, 10], "kg": [11, 12]},
    ),
    (
        "N02",
        {"form": "NFC"},
        "cafe\u0301 noir",
        "café noir",
        [[0, 1], [1, 2], [2, 3], [3, 5], [5, 6], [6, 7], [7, 8], [8, 9], [9, 10]],
        {"café": [0, 5], "noir": [6, 10]},
    ),
    ("N03", {"case": "lower"}, "İzmir DOCS", "i\u0307zmir docs", None, {"docs": [6, 10]}),
    (
        "N07",
        {"dehyphenation": "join", "vocabulary": ["representatives", "determining", "price"], "whitespace": "collapse"},
        "The represen-\ntatives agreed on price-\ndetermining rules.",
        "The representatives agreed on price-determining rules.",
        None,
        {"representatives": [4, 21]},
    ),
    ("hangul", {"form": "NFC"}, "\u1112\u1161\u11ab\u1100\u1173\u11af", "한글", [[0, 3], [3, 6]], {"글": [3, 6]}),
    ("decomposed", {"form": "NFD"}, "éa", "e\u0301a", [[0, 1], [0, 1], [1, 2]], {"e\u0301": [0, 1]}),
    ("ordered", {"form": "NFD"}, "a\u0301\u0323b", "a\u0323\u0301b", [[0, 3], [0, 3], [0, 3], [3, 4]], {"b": [3, 4]}),
    ("folded", {"case": "casefold"}, "Straße", "strasse", None, {"ss": [4, 5], "se": [4, 6]}),
    (
        "dropped",
        {"control": "drop"},
        "co\xadop\u200b",
        "coop",
        [[0, 1], [1, 2], [3, 4], [4, 5]],
        {"oo": [1, 4], "op": [3, 5]},
    ),
    ("blanks", {"whitespace": "collapse"}, " a \t b ", "a b", [[1, 2], [2, 5], [5, 6]], {"a": [1, 2], "b": [5, 6]}),
]


@pytest.mark.parametrize(
    ("options", "raw", "normalized", "characters", "spans"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_golden_maps(
    options: dict[str, Any], raw: str, normalized: str, characters: list[list[int]] | None, spans: dict[str, list[int]]
) -> None:
    new, offsets = TextNormalizer(**options).align(raw)
    assert new == normalized
    if characters is not None:
        assert offsets.character_spans().tolist() == characters
    for part, span in spans.items():
        start = normalized.index(part)
        assert list(offsets.to_raw(start, start + len(part))) == span


def test_shared_cases() -> None:
    path = SHARED / "cases" / "cases.jsonl"
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n") if path.exists() else []
    options: dict[str, dict[str, Any]] = {case[0]: case[1] for case in CASES if case[0].startswith("N0")}  # type: ignore[misc]
    seen = set()
    for case in map(json.loads, lines):
        if case["id"] not in options:
            continue
        seen.add(case["id"])
        new, offsets = TextNormalizer(**options[case["id"]]).align(case["input"])
        assert new == case["expected"]["normalized"]
        assert offsets.character_spans().tolist() == case["expected"].get(
            "char_map", offsets.character_spans().tolist()
        )
        for part, span in case["expected"]["span_back"].items():
            assert list(offsets.to_raw(new.index(part), new.index(part) + len(part))) == span
    assert seen == (set(options) if lines else set())


def test_line_ends_by_option() -> None:
    raw = "one\u2028two\x0bthree\r\nfour\x85five\n"
    new, offsets = make_normalizer("lm").align(raw)
    assert new == "one\u2028two\x0bthree\nfour\x85five\n"
    assert new.count("\n") == raw.count("\n")
    assert offsets.to_raw(13, 14) == (13, 15)


def test_worked_example_of_the_pipeline() -> None:
    raw = "Dr. Smith paid $3.50 for the app—it's amazing!! Isn't that great?"
    assert make_normalizer("segment").transform([raw]) == [
        "Dr. Smith paid $3.50 for the app-it's amazing!! Isn't that great?"
    ]


def test_worked_example_of_search() -> None:
    variants = ["Café", "café", "CAFÉ"]
    variants += [unicodedata.normalize("NFD", word) for word in variants]
    assert set(make_normalizer("search").transform(variants)) == {"cafe"}
    assert len(set(make_normalizer("search", case="keep", accents="keep").transform(variants))) == 3
    assert len(set(TextNormalizer().transform(variants))) == 6


def test_a_segmenter_carries_its_spans_back() -> None:
    raw = "  ﬁrst\u200b one.  Second… "
    normalized, offsets = make_normalizer("segment", form="NFKC").align(raw)
    assert normalized == "first one. Second..."
    spans = np.array([[0, 10], [11, 20]], dtype=np.intp)
    carried = offsets.to_raw(spans)
    assert carried.dtype == np.intp
    assert [raw[start:end] for start, end in carried] == ["ﬁrst\u200b one.", "Second…"]
    assert offsets.to_normalized(carried).tolist() == spans.tolist()
    assert offsets.to_raw(np.empty((0, 2), dtype=np.intp)).shape == (0, 2)


def test_empty_spans_and_ends() -> None:
    _, offsets = TextNormalizer(form="NFKC", control="drop").align("\ufeffﬁ\u200b")
    assert offsets.to_raw([[0, 0], [2, 2], [0, 2]]).tolist() == [[1, 1], [3, 3], [1, 2]]
    assert offsets.to_normalized([[0, 1], [2, 3], [0, 3], [3, 3]]).tolist() == [[0, 0], [2, 2], [0, 2], [2, 2]]
    _, offsets = TextNormalizer(control="drop").align("\u200b")
    assert offsets.to_raw(0, 0) == (1, 1)
    assert offsets.to_normalized(0, 1) == (0, 0)


@pytest.mark.parametrize("spans", [[[0, 5]], [[2, 1]], [[-1, 1]]])
def test_spans_outside_are_refused(spans: list[list[int]]) -> None:
    _, offsets = TextNormalizer(form="NFKC").align("ﬁne")
    with pytest.raises(ValueError, match=r"Span 0 .* not inside the normalized text of 4 characters"):
        offsets.to_raw(spans)
    with pytest.raises(ValueError, match="raw text of 3 characters"):
        offsets.to_normalized(spans)
    with pytest.raises(ValueError, match="shape"):
        offsets.to_raw([0, 1])
    with pytest.raises(ValueError, match="float64"):
        offsets.to_raw([[0.0, 1.0]])


def test_maps_are_chained() -> None:
    first, one = TextNormalizer(form="NFKC").align("ﬁ ½")
    second, two = TextNormalizer(rules=[("1.2", "half")]).align(first)
    both_maps = one.then(two)
    assert second == "fi half"
    assert both_maps.to_raw(3, 7) == (2, 3)
    assert pickle.loads(pickle.dumps(both_maps)).character_spans().tolist() == both_maps.character_spans().tolist()
    with pytest.raises(ValueError, match="do not meet"):
        two.then(one)


@settings(max_examples=120)
@given(text=st.text(alphabet="ab\u0301\u200d", max_size=12), data=st.data())
def test_layers_of_edits(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    edits = [
        (start, end, data.draw(st.text(alphabet="xy", max_size=3)))
        for start, end in zip(places[::2], places[1::2], strict=False)
    ]
    new_length = len(text) + sum(len(new) - (end - start) for start, end, new in edits)
    layer = layer_from_edits(text, edits)
    if layer is None:
        assert new_length == len(text)
        return
    assert (layer.raw_length, layer.new_length) == (len(text), new_length)
    spans = OffsetMap(len(text), [layer]).character_spans()
    assert (np.diff(spans, axis=0) >= 0).all()
    shift = 0
    for start, end, new in edits:
        assert all(low <= start and high >= end for low, high in spans[start + shift : start + shift + len(new)])
        shift += len(new) - (end - start)


@pytest.mark.parametrize(
    ("text", "bytes_per_character"),
    [
        ("plain text " * 5000, 0),
        ("한글 " * 5000, 12),
        ("e\u0301" * 5000, 0.1),
        ("½ﬁx" * 5000, 12),
        ("mostly plain, now and then ½ and more plain text. " * 1000, 1),
    ],
)
def test_maps_are_small(text: str, bytes_per_character: float) -> None:
    for form in ("NFC", "NFKD"):
        _, offsets = TextNormalizer(form=form).align(text)
        assert offsets.nbytes <= bytes_per_character * len(text) + 64


def test_parameters_set_after_fit_count() -> None:
    normalizer = make_normalizer("search").fit([])
    assert normalizer.transform(["É"]) == ["e"]
    normalizer.set_params(accents="keep")
    assert normalizer.transform(["É"]) == ["é"]
    assert clone(normalizer).transform(["É"]) == ["é"]


def test_pipelines_and_nested_lists() -> None:
    pipeline = make_pipeline(TextNormalizer(form="NFKC"), TextNormalizer(case="lower"))
    assert pipeline.fit_transform([["ﬁNE", "A"], [["½"]]]) == [["fine", "a"], [["1⁄2"]]]
    with pytest.raises(TypeError, match=r"TextNormalizer\.align expects one str"):
        TextNormalizer().align(["a"])


@pytest.mark.parametrize("preset", ["search", "counts", "pdf"])
@pytest.mark.parametrize(
    "unit",
    [
        "\u0301",
        "\u0323\u0301",
        "\u200d",
        "Σ'",
        " \u200d",
        "-\n",
        "a-\n",
        "'s",
        "n't",
        "a'",
        " \u00b4",
        "\ud800\x00",
        "\U000e0020",
        "\ufdfa",
        "  \n",
    ],
)
def test_presets_are_linear(preset: str, unit: str) -> None:
    normalizer = make_normalizer(preset, **({"vocabulary": ["aa"]} if preset == "pdf" else {}))

    assert_growth(lambda size: partial(normalizer.align, "a" + unit * (size // len(unit)) + "a"), 2_000)


def test_surrogates_nul_and_unassigned_survive() -> None:
    text = "\ud800 \udfff \x00 \u0378 \U0010ffff"
    assert TextNormalizer(form="NFKC", case="casefold", accents="strip", whitespace="collapse").transform([text]) == [
        text
    ]


def test_no_preset_of_that_name() -> None:
    with pytest.raises(ValueError, match="there are search, mt"):
        make_normalizer("serch")


def test_tricky_characters_one_by_one() -> None:
    """Every pair of characters that the steps care about, in every preset."""
    for preset in sorted(set(PRESETS) - {"pdf"}):
        normalizer = make_normalizer(preset).fit([])
        pairs = [left + right for left in TRICKY[::5] for right in TRICKY]
        options = dict.fromkeys(SWITCHES, "keep") | PRESETS[preset]
        singles = {name: TextNormalizer(**{name: value}).fit([]) for name, value in options.items()}
        expected = pairs
        for name in (
            "control",
            "form",
            "case",
            "accents",
            "form",
            "punctuation",
            "contractions",
            "whitespace",
            "digits",
        ):
            expected = singles[name].transform(expected)
        assert normalizer.transform(pairs) == expected
        assert normalizer.transform(expected) == expected
