"""The breakdown of errors by kind."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpora.strategies import documents
from textprep_ml.metrics import ERROR_KINDS, boundary_errors, boundary_scores, error_kind


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # The bar is where the sentence ends.
        ("By Dr.| Smith", "abbreviation"),
        ("in the U.S.| and", "abbreviation"),
        ("at 5 p.m.| sharp", "abbreviation"),
        ("by (cf.| above)", "abbreviation"),
        ("by J.| Smith", "initial"),
        ("J.| Smith", "initial"),
        ("\u201cÉ.| Zola", "initial"),
        ("costs 3.|14 at", "number"),
        ("in 1999.| Then", "number"),
        ("10:|30", "number"),
        ("in 1999| Then", "no terminal mark"),
        ("Well...| maybe", "ellipsis"),
        ("Well…| maybe", "ellipsis"),
        ('"Go!"| he said', "quote"),
        ('He left.| "Go!"', "quote"),
        ("(He left.)| Then", "bracket"),
        ("He left.| (Then", "bracket"),
        ("at www.|example.org", "URL, e-mail or file name"),
        ("see example.|com for", "URL, e-mail or file name"),
        ("mail a.b@c.org| Thanks", "URL, e-mail or file name"),
        ("at http://x.org/a?| Yes", "URL, e-mail or file name"),
        ("open notes.|txt now", "URL, e-mail or file name"),
        ("He left.|Then", "missing blank"),
        ("Yahoo!| and", "lower case after the mark"),
        ("As follows:| one", "colon or semicolon"),
        ("Thanks,| Ann", "comma or dash"),
        ("Thanks —| Ann", "comma or dash"),
        ("Dear Ann|\n\nThanks", "blank line"),
        ("Best|\nAnn", "line break"),
        ("Best| Ann", "no terminal mark"),
        ("He left.| Then", "terminal mark"),
        ("He left.|\n\nThen", "terminal mark"),
        ("好。|我", "terminal mark"),
        ("चला।| वह", "terminal mark"),
        ("list\n1.| One", "list mark"),
        ("(a)| one", "list mark"),
        ("  •| one", "list mark"),
        ("2.1.| One", "list mark"),
        ("|", "no terminal mark"),
    ],
)
def test_kinds(marked: str, expected: str) -> None:
    position = marked.index("|")
    assert error_kind(marked.replace("|", ""), position) == expected


def test_abbreviations_are_the_users() -> None:
    assert error_kind("siehe Abs. 3", 10, None) == "terminal mark"
    assert error_kind("siehe Abs. 3", 10, ["Abs."]) == "abbreviation"
    assert error_kind("siehe Abs. 3", 10, {"Abs": "citation"}) == "abbreviation"


def test_errors_are_counted_and_shown() -> None:
    texts = ["Dr. No left. He ran", "By Dr. Who."]
    true = [[(0, 12), (13, 19)], [(0, 11)]]
    pred = [[(0, 3), (4, 19)], [(0, 6), (7, 11)]]
    abbreviation, terminal = boundary_errors(texts, true, pred, context=3)
    assert (abbreviation["kind"], abbreviation["false_positives"], abbreviation["misses"]) == ("abbreviation", 2, 0)
    assert (terminal["kind"], terminal["false_positives"], terminal["misses"]) == ("terminal mark", 0, 1)
    assert abbreviation["examples"] == [
        {"type": "false positive", "document": 0, "position": 3, "before": "Dr.", "after": " No"},
        {"type": "false positive", "document": 1, "position": 6, "before": "Dr.", "after": " Wh"},
    ]
    assert terminal["examples"] == [{"type": "miss", "document": 0, "position": 12, "before": "ft.", "after": " He"}]
    assert [len(row["examples"]) for row in boundary_errors(texts, true, pred, n_examples=1)] == [1, 1]


def test_final_boundaries_are_errors_by_option() -> None:
    assert boundary_errors(["One two"], [[(0, 7)]], [[(0, 3)]]) == []
    assert len(boundary_errors(["One two"], [[(0, 7)]], [[(0, 3)]], include_final=True)) == 1


@given(st.lists(st.tuples(documents(tidy=True), documents(tidy=True)), max_size=3))
def test_every_error_has_a_kind(pairs: list[tuple[dict, dict]]) -> None:
    texts = [first["text"] + second["text"] for first, second in pairs]
    true = [first["sentences"] for first, _ in pairs]
    pred = [second["sentences"] for _, second in pairs]
    rows = boundary_errors(texts, true, pred, include_final=True)
    scores = boundary_scores(true, pred, include_final=True)
    assert sum(row["misses"] for row in rows) == scores["n_true"] - scores["n_correct"]
    assert sum(row["false_positives"] for row in rows) == scores["n_pred"] - scores["n_correct"]
    assert Counter(row["kind"] for row in rows).keys() <= set(ERROR_KINDS)


def test_spans_beyond_the_text_are_refused() -> None:
    with pytest.raises(ValueError, match="Document 0 has 2 characters, but a sentence ends at 5"):
        boundary_errors(["ab"], [[(0, 1), (1, 2)]], [[(0, 5), (5, 7)]])
    with pytest.raises(ValueError, match="texts has 2"):
        boundary_errors(["ab", "c"], [[]], [[]])
