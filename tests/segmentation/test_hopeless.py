"""Gaps between words that no sentence ever ends in are no candidates, and nothing else changes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from textprep_ml import SentenceSegmenter
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import ATTRIBUTES, COLUMN, KINDS
from textprep_ml.segmentation.hopeless import NONE_HOPELESS, HopelessGaps, find_hopeless

GAP, LINE = KINDS.index("gap"), KINDS.index("line")
VOCABULARY = ["of", "said"]
TITLE = ATTRIBUTES[COLUMN["left.shape"]].values.index("Title")
NUMBER = ATTRIBUTES[COLUMN["left.shape"]].values.index("number")


def rows(n: int, **codes: int) -> np.ndarray:
    """Give so many candidates with some codes; the others are 0."""
    made = np.zeros((n, len(ATTRIBUTES)), dtype=np.uint16)
    for name, code in {"kind": GAP, **codes}.items():
        made[:, COLUMN[name.replace("_", ".")]] = code
    return made


def learn(*parts: tuple[np.ndarray, int], share: float = 1.0, before: HopelessGaps | None = None) -> HopelessGaps:
    """Learn from parts of which the first candidates are boundaries."""
    labels = [np.arange(len(part)) < n_ends for part, n_ends in parts]
    return find_hopeless(np.concatenate([part for part, _ in parts]), np.concatenate(labels), share, VOCABULARY, before)


def test_words_after_which_no_sentence_ends() -> None:
    assert learn((rows(40, left_word=1), 0), (rows(400, left_word=2), 2)).words == ("of",)


def test_a_few_ends_in_a_thousand_are_next_to_none() -> None:
    assert learn((rows(1000, left_word=1), 3)).words == ("of",)
    assert learn((rows(1000, left_word=1), 4)).words == ()


def test_what_was_seen_too_rarely_stays() -> None:
    assert learn((rows(39, left_word=1), 0)) == NONE_HOPELESS
    assert learn((rows(59, left_shape=NUMBER, right_shape=TITLE), 0)) == NONE_HOPELESS


def test_variants_of_a_document_say_the_same() -> None:
    assert learn((rows(400, left_word=1), 0), share=0.09).words == ()
    assert learn((rows(400, left_word=1), 0), share=0.1).words == ("of",)


def test_unknown_words_are_no_words() -> None:
    assert learn((rows(50, left_word=0), 0)).words == ()


def test_a_word_with_a_mark_is_another_matter() -> None:
    assert learn((rows(50, left_word=1, left_mark=9), 0)).words == ()


def test_other_candidates_say_nothing_of_gaps() -> None:
    assert learn((rows(100, left_word=1, kind=LINE), 0)) == NONE_HOPELESS
    assert learn((rows(100, left_word=1), 0), (rows(100, left_word=1, kind=LINE), 100)).words == ("of",)


def test_forms_are_learned_from_the_gaps_that_words_leave() -> None:
    of_form = {"left_shape": NUMBER, "right_shape": TITLE}
    assert learn((rows(60, **of_form), 0)).forms == ((0, NUMBER, TITLE, 0),)
    assert learn((rows(200, **of_form, left_word=1), 0), (rows(20, **of_form), 1)) == HopelessGaps(("of",))


def test_probabilities_count_as_what_they_are_nearer_to() -> None:
    labels = np.full(50, 0.4)
    assert find_hopeless(rows(50, left_word=1), labels, 1.0, VOCABULARY).words == ("of",)
    assert find_hopeless(rows(50, left_word=1), labels + 0.1, 1.0, VOCABULARY).words == ()


def test_what_a_model_knew_holds_until_something_speaks_against_it() -> None:
    before = HopelessGaps(("of", "unheard"), ((0, NUMBER, TITLE, 0), (0, TITLE, NUMBER, 0)))
    found = learn((rows(1, left_shape=NUMBER, right_shape=TITLE), 1), before=before)
    assert found == HopelessGaps(("of",), ((0, TITLE, NUMBER, 0),))
    assert learn((rows(5, left_word=1), 1), before=before).words == ()


def test_an_adapted_model_gets_no_others() -> None:
    seen = (rows(100, left_word=1), 0), (rows(100, left_word=2, left_shape=NUMBER, right_shape=TITLE), 0)
    assert learn(*seen) != NONE_HOPELESS
    assert learn(*seen, before=NONE_HOPELESS) == NONE_HOPELESS


def test_among_agrees_with_what_was_learned() -> None:
    gaps = HopelessGaps(("said",), ((0, NUMBER, TITLE, 0),))
    seen = [rows(1, left_word=2), rows(1, left_word=1), rows(1, left_word=2, left_mark=9)]
    seen += [rows(1, left_shape=NUMBER, right_shape=TITLE), rows(1, left_word=2, kind=LINE)]
    assert gaps.among(np.concatenate(seen), VOCABULARY).tolist() == [True, False, False, True, False]
    assert not NONE_HOPELESS.among(np.concatenate(seen), VOCABULARY).any()


def test_the_state_is_all_of_it() -> None:
    gaps = HopelessGaps(("said", "of"), ((0, NUMBER, TITLE, 0),))
    assert HopelessGaps.from_state(gaps.to_state()) == gaps
    assert HopelessGaps.from_state(NONE_HOPELESS.to_state()) == NONE_HOPELESS


@pytest.mark.parametrize("form", [[0, 1, 2], [0, 1, 2, 99], [-1, 0, 0, 0], [0, 0, 0, 0, 0]])
def test_forms_out_of_range_are_a_damaged_model(form: list[int]) -> None:
    with pytest.raises(ModelFormatError, match="out of range"):
        HopelessGaps.from_state({"words": "", "forms": [form]})


@pytest.mark.parametrize(
    "state",
    [[], {}, {"words": ["of"], "forms": []}, {"words": ""}, {"words": "", "forms": 3}, {"words": "", "forms": [7]},
     {"words": "", "forms": [["a", 0, 0, 0]]}, {"words": "", "forms": [[None, 0, 0, 0]]}],
)  # fmt: skip
def test_other_damage_is_told_in_words_of_the_model(state: Any) -> None:
    with pytest.raises(ModelFormatError, match=r"hopeless (gaps|form)") as error:
        HopelessGaps.from_state(state)
    assert "object" not in str(error.value)


@pytest.fixture(scope="module")
def trained() -> Any:
    """A segmenter that saw the same few words often."""
    text = "We spoke of Rome and of Paris to Anna Then Bert came. It was late Nobody left"
    ends = [text.index(" Then"), text.index(" It"), text.index(" Nobody")]
    starts = [0, *(end + 1 for end in ends)]
    spans = list(zip(starts, [*ends, len(text)], strict=True))
    return SentenceSegmenter(min_word_count=1, min_count=1).fit([text] * 30, [spans] * 30)


def test_training_finds_them(trained: Any) -> None:
    assert "of" in trained.model_.hopeless.words  # twice in each document
    assert "anna" not in trained.model_.hopeless.words
    assert trained.coverage_ == 1.0


def test_hopeless_gaps_are_left_out_of_all_that_is_asked(trained: Any) -> None:
    text = "We spoke of Rome. Of Anna"
    (positions,) = trained.candidate_positions([text])
    assert text.index(" Rome") not in positions[:, 0].tolist()
    assert len(trained.predict_proba([text])[0]) == len(positions) == len(trained.explain(text))


def test_they_are_saved_with_the_model(trained: Any, tmp_path: Any) -> None:
    trained.save(tmp_path / "m.json")
    loaded = SentenceSegmenter.load(tmp_path / "m.json")
    assert loaded.model_.hopeless == trained.model_.hopeless
    assert loaded.coverage_ == trained.coverage_


def test_a_student_learns_from_gaps_that_are_hopeless_to_its_teacher(trained: Any, sample: Any) -> None:
    student = SentenceSegmenter(teacher=trained, min_word_count=3).fit(*sample)
    assert len(student.split("He came. She left.")) == 2


def test_a_model_that_is_adapted_keeps_them(trained: Any) -> None:
    text = "All of Anna Nothing of Bert. It was he"
    cut = [text.index(" Nothing"), text.index(" It")]
    spans = [(0, cut[0]), (cut[0] + 1, cut[1]), (cut[1] + 1, len(text))]
    adapted = SentenceSegmenter(warm_start_from=trained, min_word_count=1, min_count=1).fit([text], [spans])
    assert "of" in adapted.model_.hopeless.words


def test_the_shipped_model_decides_as_it_did_without(english: Any, sample: Any) -> None:
    model = english.model_
    assert len(model.hopeless.words) > 50
    every = deepcopy(model)
    every.hopeless = NONE_HOPELESS
    every.rebuild()
    assert len(every.describe(sample[0])[1]) > 1.2 * len(model.describe(sample[0])[1])
    assert [spans.tolist() for spans in model.spans(sample[0])] == [spans.tolist() for spans in every.spans(sample[0])]


def test_coverage_is_that_of_labels_alone(trained: Any, sample: Any) -> None:
    texts, spans = sample
    student = SentenceSegmenter(teacher=trained, min_word_count=3)
    both = student.fit([*texts, *texts], [*spans, *([None] * len(texts))])
    assert 0.9 < both.coverage_ <= 1.0
