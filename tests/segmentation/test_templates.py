"""Where the weight of each combination of values lies, and that it keeps its place when it is moved or saved."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from tests.segmentation.candidates import random_rows, rows_of
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import COLUMN
from textprep_ml.segmentation.templates import (
    TEMPLATES,
    TemplateLayout,
    check_templates,
    column_name,
    move_weights,
    shortest_decimals,
    weights_from_state,
    weights_to_state,
)

SMALL = ("kind", "kind left.mark")  # 6 places, and 6 * 14


def named_weights(layout: TemplateLayout, weights: np.ndarray, vocabulary: list[str]) -> dict[tuple[str, str], float]:
    """Give template and combination -> weight, without the zeros."""
    places = np.flatnonzero(weights)
    templates, codes = layout.split(places)
    return {
        (layout.templates[template], column_name(layout.crossed[template], values, vocabulary)): float(weights[place])
        for place, template, values in zip(places, templates, codes, strict=True)
    }


# Layout


def test_places_are_counted_with_the_last_attribute_fastest() -> None:
    layout = TemplateLayout(SMALL, 0)
    assert layout.size == 6 + 6 * 14
    rows = rows_of({"kind": "mark"}, {"kind": "gap", "left.mark": "period"}, {"kind": "inside", "left.mark": "bang"})
    assert layout.index(rows).tolist() == [[0, 6], [5, 6 + 5 * 14 + 1], [1, 6 + 1 * 14 + 2]]


@pytest.mark.parametrize("n_words", [0, 1, 7])
def test_split_undoes_index(n_words: int) -> None:
    layout = TemplateLayout(TEMPLATES, n_words)
    rows = random_rows(20, n_words)
    templates, codes = layout.split(layout.index(rows).ravel())
    assert templates.tolist() == list(range(len(TEMPLATES))) * len(rows)
    assert codes == [tuple(row[columns].tolist()) for row in rows for columns in layout.crossed]


def test_every_place_belongs_to_one_combination() -> None:
    layout = TemplateLayout((*SMALL, "left.word open.quote kind"), 2)
    templates, codes = layout.split(np.arange(layout.size))
    for place, (template, values) in enumerate(zip(templates.tolist(), codes, strict=True)):
        row = np.zeros((1, len(COLUMN)), dtype=np.uint16)
        row[0, layout.crossed[template]] = values
        assert layout.index(row)[0, template] == place


def test_a_combination_is_named_by_its_values() -> None:
    columns = [COLUMN["kind"], COLUMN["right.word"]]
    assert column_name(columns, [5, 2], ["now", "thanks"]) == "kind=gap & right.word=thanks"
    assert column_name(columns, [0, 0], []) == "kind=mark & right.word=<other>"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("kind left.colour", "Unknown attribute 'left.colour' in template 'kind left.colour'; there are kind, "),
        ("", "crosses 1 to 4 attributes, '' has 0"),
        ("kind left.mark left.shape right.shape gap.blanks", "crosses 1 to 4 attributes, .+ has 5"),
    ],
)
def test_wrong_templates_are_refused(template: str, said: str) -> None:
    for check in (check_templates, lambda templates: TemplateLayout(templates, 3)):
        with pytest.raises(ValueError, match=said):
            check(["kind", template])


def test_more_combinations_than_the_kernel_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="have 8,012,006,001 combinations; cross fewer attributes"):
        TemplateLayout(["left.word right.word left2.word"], 2000)


# Moving


def test_each_weight_moves_with_its_combination() -> None:
    templates = ("left.word", "kind", "left.word right.word", "right.word kind left2.word", "kind left.mark")
    old, new = ["a", "b"], ["a", "b", "c", "d", "e"]
    layout, wider = TemplateLayout(templates, len(old)), TemplateLayout(templates, len(new))
    weights = np.arange(1, layout.size + 1, dtype=np.float32)
    moved = move_weights(layout, weights, wider)
    assert moved.shape == (wider.size,)
    assert moved.dtype == np.float32
    before = named_weights(layout, weights, old)
    after = named_weights(wider, moved, new)
    assert before.items() <= after.items()
    for (template, name), weight in after.items():
        # A new word starts as the unknown word that it was.
        assert weight == before[template, re.sub(r"word=[cde]\b", "word=<other>", name)]


def test_nothing_moves_where_no_word_is_new() -> None:
    layout = TemplateLayout(TEMPLATES, 2)
    weights = np.arange(layout.size, dtype=np.float32)
    assert (move_weights(layout, weights, TemplateLayout(TEMPLATES, 2)) == weights).all()


# Saving


def small_table() -> tuple[TemplateLayout, np.ndarray]:
    layout = TemplateLayout(SMALL, 0)
    weights = np.zeros(layout.size, dtype=np.float32)
    weights[[3, 77]] = [-1.25, 0.5004]
    return layout, weights


def test_a_state_holds_places_within_templates_and_exact_weights() -> None:
    assert weights_to_state(*small_table()) == {
        "templates": list(SMALL),
        "places": [[3], [71]],
        "weights": [[-1.25], [0.5004]],
    }


def test_weights_come_back() -> None:
    layout = TemplateLayout(TEMPLATES, 3)
    weights = (np.random.default_rng(0).integers(-2000, 2000, layout.size) / 1000).astype(np.float32)
    weights[::2] = 0
    state = json.loads(json.dumps(weights_to_state(layout, weights)))
    again, table, evidence = weights_from_state(state, 3)
    assert evidence is None
    assert again.templates == layout.templates
    assert table.dtype == np.float32
    assert (table == weights).all()
    assert weights_to_state(again, table) == state


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"places": [[6], [71]]}, "Template 'kind' has combinations out of range"),
        ({"places": [[-1], [71]]}, "Template 'kind' has combinations out of range"),
        ({"places": [[3], [84]]}, "Template 'kind left.mark' has combinations out of range"),
        ({"places": [[3], [71, 72]]}, "The weights of template 'kind left.mark' do not fit its combinations"),
        ({"weights": [[], [0.5]]}, "The weights of template 'kind' do not fit"),
        ({"weights": [[float("nan")], [0.5]]}, "The weights of template 'kind' do not fit"),
        ({"weights": [[float("inf")], [0.5]]}, "The weights of template 'kind' do not fit"),
        ({"places": [[[3]], [71]], "weights": [[[1.0]], [0.5]]}, "The weights of template 'kind' do not fit"),
    ],
)
def test_damaged_weights_are_refused(damage: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelFormatError, match=said):
        weights_from_state({**weights_to_state(*small_table()), **damage}, 0)


@pytest.mark.parametrize("damage", [{"places": [[3]]}, {"weights": []}, {"templates": ["kind"]}, {"templates": ["x"]}])
def test_states_with_lost_parts_are_refused(damage: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (any: `load` says which file is damaged)
        weights_from_state({**weights_to_state(*small_table()), **damage}, 0)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_saved_numbers_are_exact(scale: float) -> None:
    values = (np.random.default_rng(0).normal(size=20_000) * scale).astype(np.float32)
    assert (np.array(json.loads(json.dumps(shortest_decimals(values))), dtype=np.float32) == values).all()
