"""From labelled documents to examples: variants by plan, words added to a model, labelled candidates and coverage."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from textprep_ml.segmentation.attributes import COLUMN, KINDS
from textprep_ml.segmentation.augmentation import STANDARD
from textprep_ml.segmentation.documents import Document
from textprep_ml.segmentation.runtime import BoundaryModel
from textprep_ml.segmentation.training import (
    label_candidates,
    labelled_documents,
    learn_words,
    make_variants,
    strip_span,
    widen,
)
from textprep_ml.segmentation.words import WordTable

MARKS_ONLY = BoundaryModel(WordTable(), None, candidates=("mark",))
DR_WHO = Document("Dr. Who left. We came", [(0, 13), (14, 21)])


# Documents


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(0, 8, (2, 6)), (2, 6, (2, 6)), (3, 7, (4, 6)), (6, 8, (8, 8)), (4, 4, (4, 4))]
)
def test_spans_lose_white_space_at_their_edges(start: int, end: int, expected: tuple[int, int]) -> None:
    assert strip_span("\n a b. \u3000", start, end) == expected


def test_labels_are_read_without_white_space() -> None:
    assert labelled_documents(["A b.\nC d. ", ""], [[(0, 5), (5, 10)], []], "Tool", None) == [
        Document("A b.\nC d. ", [(0, 4), (5, 9)]),
        Document("", []),
    ]


def test_labels_follow_the_text_into_its_normalized_form() -> None:
    class DropFirst:
        def align(self, text: str) -> tuple[str, Any]:
            return text[1:], self

        def to_normalized(self, spans: np.ndarray) -> np.ndarray:
            return np.maximum(spans - 1, 0)

    assert labelled_documents(["*A b. C d."], [[(0, 5), (6, 10)]], "Tool", DropFirst()) == [
        Document("A b. C d.", [(0, 4), (5, 9)])
    ]


# Variants


def test_without_a_plan_the_documents_stay() -> None:
    documents = [DR_WHO, DR_WHO]
    variants, sources = make_variants(documents, None, "en", 0)
    assert variants is documents
    assert sources.tolist() == [0, 1]


def test_whole_numbers_of_a_plan_are_kept_exactly() -> None:
    documents = [Document(f"A {index}.\nB", [(0, 4), (5, 6)]) for index in range(3)]
    variants, sources = make_variants(documents, {"original": 2.0, "one_line": 1, "uncased": 0.0}, None, 0)
    assert sources.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert [variant.text for variant in variants[:3]] == ["A 0.\nB", "A 0.\nB", "A 0. B"]


def test_fractions_of_a_plan_are_kept_on_average() -> None:
    _, sources = make_variants([DR_WHO] * 1000, {"original": 1.3}, None, 0)
    counts = Counter(sources.tolist())
    assert set(counts.values()) == {1, 2}
    assert 1240 < len(sources) < 1360  # four standard deviations


def test_the_standard_plan_goes_by_its_name() -> None:
    by_name, by_plan = (make_variants([DR_WHO] * 50, plan, "en", 3) for plan in ("standard", STANDARD))
    assert by_name[0] == by_plan[0]
    assert by_name[1].tolist() == by_plan[1].tolist()
    assert set(by_name[1].tolist()) == set(range(50))


# Words


def test_words_are_learned_from_raw_text_where_it_is_given() -> None:
    documents = [Document("We see now. We see", []), Document("We saw now", [])]
    words = learn_words(documents, None, {"Dr.": "title"}, 2)
    assert words.vocabulary == ["now", "see", "we"]
    assert words.abbreviations == {"Dr": "title"}
    assert words.usual == {}  # no word stands three times inside sentences
    words = learn_words(documents, ["They came again"] * 50, None, 2)
    assert words.vocabulary == ["now", "see", "we"]
    assert words.usual == {"came": 1, "again": 1}


def test_a_wider_model_keeps_its_decisions_on_text_without_the_new_words(linear: Any, sample: Any) -> None:
    model = linear.model_
    assert "the" in model.words.vocabulary
    words, scorer = widen(model, [Document("Zorgle blats the quux. Foo, the quux.", [])], None, 1)
    assert words.vocabulary == [*model.words.vocabulary, "blats", "foo", "quux", "zorgle"]
    wider = BoundaryModel(words, scorer, model.thresholds, model.candidates, model.newline, hopeless=model.hopeless)
    assert wider.score(sample[0])[4].tolist() == model.score(sample[0])[4].tolist()
    assert [spans.tolist() for spans in wider.spans(sample[0])] == [spans.tolist() for spans in model.spans(sample[0])]


def test_a_wider_model_knows_more_abbreviations_and_the_old_one_does_not(linear: Any) -> None:
    model = linear.model_
    before = dict(model.words.abbreviations)
    words, _ = widen(model, [Document("Zorgle blats", [])], {"blat.": "unit"}, 2)
    assert words.abbreviations == {**before, "blat": "unit"}
    assert words.vocabulary == model.words.vocabulary  # both words are rarer than 2
    assert model.words.abbreviations == before


def test_trees_are_not_widened(tree: Any) -> None:
    with pytest.raises(ValueError, match="needs a model with a linear scorer"):
        widen(tree.model_, [DR_WHO], None, 1)


# Labels


def test_candidates_are_labelled_by_the_ends_of_sentences() -> None:
    examples = label_candidates(MARKS_ONLY, [DR_WHO], np.ones(1))
    assert examples.labels.tolist() == [False, True]  # after "Dr." and after "left."
    assert examples.coverage() == 1.0
    assert examples.scores.tolist() == [0, 0]  # there is no scorer yet
    assert examples.rows.tolist() == MARKS_ONLY.describe([DR_WHO.text])[4].tolist()


@pytest.mark.parametrize(
    ("candidates", "found"),
    [(("mark",), 1), (("mark", "line"), 2), (("mark", "gap"), 2), (("mark", "line", "gap"), 3)],
)
def test_coverage_is_the_share_of_boundaries_among_the_candidates(candidates: tuple[str, ...], found: int) -> None:
    document = Document("Dr. Who left. We came\nSo did they We sat", [(0, 13), (14, 21), (22, 33), (34, 40)])
    examples = label_candidates(BoundaryModel(WordTable(), None, candidates=candidates), [document], np.ones(1))
    assert examples.labels.sum() == found
    assert examples.coverage() == found / 3


def test_blank_lines_are_covered_but_not_learned_from() -> None:
    document = Document("Dr. Who left. We came\n\nSo", [(0, 13), (14, 21), (23, 25)])
    examples = label_candidates(MARKS_ONLY, [document], np.ones(1))
    assert examples.labels.tolist() == [False, True]
    assert examples.coverage() == 1.0
    assert KINDS.index("paragraph") not in examples.rows[:, COLUMN["kind"]]


def test_candidates_weigh_as_much_as_their_documents() -> None:
    documents = [DR_WHO, Document("none", [(0, 4)]), Document("A b. C d. E", [(0, 9), (10, 11)])]
    examples = label_candidates(MARKS_ONLY, documents, np.array([1.0, 2.0, 3.0]))
    assert examples.labels.tolist() == [False, True, False, True]
    assert examples.weights.tolist() == [1, 1, 3, 3]


def test_scores_of_a_model_come_along(linear: Any) -> None:
    model = linear.model_
    examples = label_candidates(model, [DR_WHO], np.ones(1))
    assert examples.scores.tolist() == model.score([DR_WHO.text])[4].tolist()
    assert examples.scores.any()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (Document("Dr. Who left.", [(0, 13)]), "no inner sentence boundary"),
        (Document("", []), "no inner sentence boundary"),
        (Document("We left. So", [(0, 8), (9, 11)]), "All places where a sentence may end are boundaries"),
        (Document("Dr. Who came\n\nSo", [(0, 12), (14, 16)]), "No place is a boundary"),
    ],
)
def test_documents_that_teach_nothing_are_refused(document: Document, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        label_candidates(MARKS_ONLY, [document], np.ones(1))
