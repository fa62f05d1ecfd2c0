"""The baselines: rules and the naive split."""

from __future__ import annotations

import pytest

from textprep_ml.segmentation import NaiveSegmenter, RuleSegmenter, learn_abbreviations

RULES = [
    "We met Dr. Ito. ¦It cost 3.50! ¦Was it?",
    "J. R. Hart came, e.g. by car. ¦They left.",
    "See No. 5 first. ¦“Fine.” ¦He left.",
    "我们走吧。¦好！¦「走吧。」他说。¦天黑了。",
    "他说「走吧。好。天黑了。¦天亮了。¦我们走吧。",  # a quotation that was forgotten to be closed
    "Heading\n\n¦Text here. ¦More text.",
]


@pytest.mark.parametrize("marked", RULES)
def test_rules(marked: str) -> None:
    assert RuleSegmenter().split(marked.replace("¦", "")) == [part.strip() for part in marked.split("¦")]


def test_options_of_the_rules() -> None:
    assert RuleSegmenter(abbreviations=None).split("We met Dr. Ito.") == ["We met Dr.", "Ito."]
    assert RuleSegmenter(abbreviations=["xy"]).split("See xy. Ito.") == ["See xy. Ito."]
    assert RuleSegmenter(newline="hard").split("one\ntwo") == ["one", "two"]
    assert RuleSegmenter(newline="soft").split("one\n\ntwo") == ["one\n\ntwo"]


def test_the_naive_split_knows_nothing() -> None:
    assert NaiveSegmenter().split(" We met Dr. Ito.\n3.5! ") == ["We met Dr.", "Ito.", "3.5!"]
    assert NaiveSegmenter().spans("") == NaiveSegmenter().spans(" \n") == []


def test_abbreviations_are_learned_from_raw_text() -> None:
    text = "Das ist bzw. war so. Siehe Abb. 3 und Abb. 4 bzw. Tab. 5. Die Zeile ist lang, die Zeile ist kurz. "
    found = learn_abbreviations([text] * 5)
    assert {"abb", "bzw"} <= set(found)
    assert not {"zeile", "die", "ist", "lang", "siehe"} & set(found)
    assert learn_abbreviations([]) == learn_abbreviations([""]) == []
    assert set(learn_abbreviations([text] * 5, threshold=1e9)) == set()


def test_frequent_abbreviations_may_lack_their_period_now_and_then() -> None:
    text = "We saw that Mrs. Ito has cats, dogs etc. and more of them in the old town where she and I have lived. "
    bare = "We saw that Mrs Ito has cats, dogs etc and more of them in the old town where she and I have lived. "
    assert {"mrs", "etc"} <= set(learn_abbreviations([text * 60 + bare * 8]))
    assert not {"mrs", "etc"} & set(learn_abbreviations([text * 20 + bare * 48]))


def test_long_abbreviations_are_those_that_sentences_go_on_after() -> None:
    text = "We saw approx. ten of them. It was said by experts. Others left. "
    assert learn_abbreviations([text] * 3) == ["approx"]
    assert learn_abbreviations(["It was approx. Ten of them. Some said approx. Others left."] * 3) == []


def test_chance_is_no_abbreviation() -> None:
    """Two short words in a row of sentences that happen to stand at ends only."""
    text = "We had fun. They ran on and on and we ran too. " + "We met and ran and sat and read and slept. " * 20
    assert learn_abbreviations([text, "It was fun. She ran too. She slept and read."]) == []
    assert "fun" in learn_abbreviations([text] * 4)  # no word tells it from one
