"""What users decide for themselves: quotations, missing blanks, protected names, length; by examples made by hand.

A bar stands for a candidate; where it is left in the result, the text is cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.policies import Policies


def decided(
    marked: str, policies: Policies, kind: str = "mark", chosen: bool = True, abbreviations: tuple[str, ...] = ()
) -> str:
    pieces = marked.split("|")
    ends = np.cumsum([len(piece) for piece in pieces])[:-1]
    kinds = np.full(len(ends), KINDS.index(kind))
    kept = policies.decide("".join(pieces), ends, kinds, np.full(len(ends), chosen), abbreviations)
    return "".join(piece + "|" * keep for piece, keep in zip(pieces, [*kept.tolist(), False], strict=True))


def limited(text: str, max_length: int | None) -> list[str]:
    return [text[start:end] for start, end in Policies(max_length=max_length).limit(text, [(0, len(text))])]


# Without policies


@pytest.mark.parametrize("kind", ["mark", "inside", "mark_line", "line", "gap"])
def test_by_default_the_model_decides(kind: str) -> None:
    marked = "He said: “It rains.| Go.”| We left.|Next"
    assert decided(marked, Policies(), kind, chosen=True) == marked
    assert decided(marked, Policies(), kind, chosen=False) == marked.replace("|", "")


@pytest.mark.parametrize("policies", [Policies(), Policies(("a b",), "keep", "join", 5)])
def test_blank_lines_are_boundaries_whatever_is_chosen(policies: Policies) -> None:
    assert decided("“a|\n\nb”", policies, "paragraph", chosen=False) == "“a|\n\nb”"


def test_the_decisions_of_the_model_are_left_alone() -> None:
    chosen = np.array([True])
    policies = Policies(quotes="keep")
    assert not policies.decide("“a. b”", np.array([3]), np.array([0]), chosen).any()
    assert chosen.tolist() == [True]


# Quotations


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("He said: “It rains.| Go.”| We left.| Bye.", "He said: “It rains. Go.”| We left.| Bye."),
        ('"It rains.| Go."| We left.', '"It rains. Go."| We left.'),
        ("«Да.| Нет.»| Он ушёл.", "«Да. Нет.»| Он ушёл."),
        ("「好。|天。」|安。", "「好。天。」|安。"),
        ("“It rains.|\n\nGo.| We left.", "“It rains.\n\nGo.| We left."),  # a blank line closes what nobody closed
        ("It's cold.| Don't go.| He's left.", "It's cold.| Don't go.| He's left."),
    ],
)
def test_quotations_are_kept_whole(marked: str, expected: str) -> None:
    assert decided(marked, Policies(quotes="keep")) == expected


# Missing blanks


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("It rains.|Next came snow!|We left.", "It rains.|Next came snow!|We left."),
        ("They said “go.”|We left.", "They said “go.”|We left."),
        ("He saw approx.|Nine, and Approx.|Ten.", "He saw approx.Nine, and Approx.Ten."),
        ("He asked about approx!|Nine left.", "He asked about approx!|Nine left."),  # no abbreviation ends in !
        ("The end.|NEXT, the end.|next", "The end.NEXT, the end.next"),
        ("U.|S. and 3.|Five", "U.S. and 3.|Five"),
        ("See www.site.|Com, http://site.|Com and me@site.|Com.", "See www.site.Com, http://site.Com and me@site.Com."),
        ("Write to jane.|Smith@site.|Com.|Bye", "Write to jane.Smith@site.Com.Bye"),
        ("It rains.|See http://site.|Com now.|Bye", "It rains.|See http://site.Com now.|Bye"),
    ],
)
def test_run_on_sentences_are_split(marked: str, expected: str) -> None:
    policies = Policies(missing_blank="split")
    assert decided(marked, policies, "inside", chosen=False, abbreviations=("approx",)) == expected


def test_what_the_model_splits_stays_split_but_not_in_links() -> None:
    marked = "NASA.|NASA at http://site.|Com."
    assert decided(marked, Policies(missing_blank="split"), "inside", chosen=True) == "NASA.|NASA at http://site.Com."


def test_run_on_sentences_are_joined_but_not_those_of_scripts_without_blanks() -> None:
    marked = "It rains.|Next came snow!”|Bye. 好。|天。"
    assert decided(marked, Policies(missing_blank="join"), "inside") == "It rains.Next came snow!”Bye. 好。|天。"


@pytest.mark.parametrize("choice", ["split", "join"])
def test_other_candidates_have_their_blank(choice: str) -> None:
    marked = "It rains.| Next came snow."
    for chosen in (True, False):
        policies = Policies(missing_blank=choice)
        assert decided(marked, policies, chosen=chosen) == decided(marked, Policies(), chosen=chosen)


# Protected names


@pytest.mark.parametrize(
    ("protected", "marked", "expected"),
    [
        (("Zing!",), "We like Zing!| a lot.| Bye.", "We like Zing! a lot.| Bye."),
        (("Zing!",), "We left.|Zing!| stayed.", "We left.|Zing! stayed."),
        (("A! B!",), "Buy A!| B!| now.", "Buy A! B! now."),
        (("A!", "A! B!"), "Buy A!| B!| now.", "Buy A! B! now."),  # the longer name wins
        (("a.b",), "It is axb.| Bye.", "It is axb.| Bye."),  # no pattern
        (("Zing!",), "We like zing!| Bye.", "We like zing!| Bye."),
    ],
)
def test_protected_names_are_not_cut(protected: tuple[str, ...], marked: str, expected: str) -> None:
    assert decided(marked, Policies(protected)) == expected


# Length


@pytest.mark.parametrize(
    ("text", "max_length", "expected"),
    [
        ("\x1f  0", 3, ["0"]),
        ("Alpha, beta gamma delta", None, ["Alpha, beta gamma delta"]),
        ("Alpha, beta gamma delta", 23, ["Alpha, beta gamma delta"]),
        ("Alpha, beta gamma delta", 12, ["Alpha,", "beta gamma", "delta"]),  # at a clause, else at a blank
        ("One, two; three, four five", 18, ["One, two; three,", "four five"]),  # at the last clause
        ("A, beta gamma", 9, ["A, beta", "gamma"]),  # a clause of less than a third is too short
        ("one two three", 7, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("ab — c d", 6, ["ab —", "c d"]),
    ],
)
def test_long_sentences_are_cut(text: str, max_length: int | None, expected: list[str]) -> None:
    assert limited(text, max_length) == expected


def test_each_sentence_is_cut_by_itself() -> None:
    assert Policies(max_length=3).limit("ab cd. ef", [(0, 6), (7, 9)]) == [(0, 2), (3, 6), (7, 9)]


@given(st.text("ab ,;—\n", max_size=60).map(str.strip), st.integers(1, 20))
def test_pieces_are_short_enough_and_leave_out_blanks_only(text: str, max_length: int) -> None:
    pieces = limited(text, max_length)
    assert all(0 < len(piece) <= max_length for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


# Parameters


def test_defaults_are_known_as_such() -> None:
    assert Policies().is_default
    others = (Policies(("a",)), Policies(quotes="keep"), Policies(missing_blank="join"), Policies(max_length=9))
    assert not any(policies.is_default for policies in others)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"quotes": "cut"}, "quotes must be 'split' or 'keep', got 'cut'"),
        ({"missing_blank": "keep"}, "missing_blank must be 'model', 'split' or 'join', got 'keep'"),
        ({"max_length": 0}, "max_length must be at least 1 character or None, got 0"),
        ({"protected": ("a", "")}, "protected must hold strings of one character or more, got ''"),
        ({"protected": (5,)}, "protected must hold strings of one character or more, got 5"),
    ],
)
def test_wrong_choices_are_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Policies(**params)
