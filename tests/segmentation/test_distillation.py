"""Learning from a model as well as from labels, and trees whose small nodes are not believed alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from textprep_ml import SentenceSegmenter
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.compilation import shrink_shares
from textprep_ml.segmentation.distillation import split_targets, teach

Labelled = tuple[list[str], list[Any]]
TREE = DecisionTreeClassifier(min_samples_leaf=40, random_state=0)


def score_distance(one: Any, other: Any, texts: list[str]) -> float:
    """Give the mean difference of probabilities, where what is hopeless to a model has none."""
    found = [
        {
            (index, start): probability
            for index, (starts, chances) in enumerate(
                zip(model.candidate_positions(texts), model.predict_proba(texts), strict=True)
            )
            for start, probability in zip(starts[:, 1].tolist(), chances[:, 1].tolist(), strict=True)
        }
        for model in (one, other)
    ]
    return float(
        np.mean([abs(found[0].get(place, 0.0) - found[1].get(place, 0.0)) for place in {*found[0], *found[1]}])
    )


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=20))
def test_split_targets_keep_weight_and_share(pairs: list[tuple[float, float]]) -> None:
    targets, weights = map(np.array, zip(*pairs, strict=True))
    which, labels, split = split_targets(targets, weights)
    np.testing.assert_allclose(np.bincount(which, weights=split), weights)
    share = np.bincount(which, weights=split * labels, minlength=len(targets)) / weights
    np.testing.assert_allclose(share, targets, atol=0.01)
    assert len(which) <= 2 * len(targets)


def test_labels_alone_stay_what_they_are() -> None:
    labels = np.array([True, False])
    which, same, weights = split_targets(labels, np.ones(2))
    assert which == slice(None)
    assert same is labels
    assert weights.tolist() == [1, 1]


def test_targets_are_probabilities_and_the_mean_where_a_label_differs(english: Any, sample: Labelled) -> None:
    probabilities = np.concatenate(list(english.predict_proba(sample[0])))[:, 1]
    model = english._model_in_use()
    agreed = np.concatenate(
        [np.isin(ends[:, 0], [end for _, end in english.spans(text)])
         for text, ends in zip(sample[0], english.candidate_positions(sample[0]), strict=True)]
    )  # fmt: skip
    known = np.ones(len(agreed), dtype=bool)
    same, opposite = (teach(model, [sample[0]], labels, known) for labels in (agreed, ~agreed))
    unknown = teach(model, [sample[0]], ~agreed, ~known)
    assert ((same >= 0.5) == agreed).all()
    np.testing.assert_allclose(opposite, (same + ~agreed) / 2)
    assert (unknown == same).all()
    # The thresholds of the teacher are in the targets: those of marks are at even odds.
    kinds = model.score(sample[0])[3]
    marks = kinds == KINDS.index("mark")
    np.testing.assert_allclose(same[marks], probabilities[marks], atol=1e-6)


def test_a_tree_comes_closer_to_its_teacher(english: Any, sample: Labelled) -> None:
    alone = SentenceSegmenter(TREE).fit(*sample)
    taught = SentenceSegmenter(TREE, teacher=english).fit(*sample)
    assert score_distance(taught, english, sample[0]) < score_distance(alone, english, sample[0])


def test_the_teacher_may_be_a_name_or_a_file(english: Any, sample: Labelled, tmp_path: Path) -> None:
    english.save(tmp_path / "teacher.json")
    pupils = [SentenceSegmenter(TREE, teacher=teacher).fit(*sample) for teacher in ("en", tmp_path / "teacher.json")]
    assert pupils[0].transform(sample[0]) == pupils[1].transform(sample[0])
    pupils[0].save(tmp_path / "pupil.json")
    loaded = SentenceSegmenter.load(tmp_path / "pupil.json")
    assert loaded.teacher == "en"
    assert loaded.transform(sample[0]) == pupils[0].transform(sample[0])


def test_the_teacher_looks_at_the_candidates_of_the_pupil(english: Any, sample: Labelled) -> None:
    pupil = SentenceSegmenter(TREE, teacher=english, candidates=("mark",), newline="soft").fit(*sample)
    assert pupil.score(*sample) > 0.5


def test_unlabelled_documents_are_learned_from_the_teacher(english: Any, sample: Labelled) -> None:
    texts, spans = sample
    few = [*spans[:3], *[None] * (len(spans) - 3)]
    pupil = SentenceSegmenter(teacher=english, augment="standard").fit(texts, few)
    alone = SentenceSegmenter(augment="standard").fit(texts[:3], spans[:3])
    assert score_distance(pupil, english, texts) < score_distance(alone, english, texts)
    # Words are known from labelled documents only.
    assert pupil.model_.words.vocabulary == alone.model_.words.vocabulary
    with pytest.raises(ValueError, match=r"document 3 are None: .* takes a teacher"):
        SentenceSegmenter().fit(texts, few)


def test_bad_teachers(english: Any, sample: Labelled) -> None:
    with pytest.raises(ModelFormatError, match="nowhere"):
        SentenceSegmenter(teacher="nowhere.json").fit(*sample)
    with pytest.raises(ValueError, match="trained anew"):
        SentenceSegmenter(teacher=english, warm_start_from=english).fit(*sample)
    uncompiled = SentenceSegmenter(TREE, features="crossed").fit(*sample)
    with pytest.raises(ValueError, match="teacher needs a linear model or a single decision tree"):
        SentenceSegmenter(teacher=uncompiled).fit(*sample)


def test_shrinkage_draws_nodes_to_those_above_them(sample: Labelled) -> None:
    free, held, tied = (
        SentenceSegmenter(DecisionTreeClassifier(random_state=0), shrinkage=shrinkage).fit(*sample).model_.scorer
        for shrinkage in (0.0, 30.0, 1e12)
    )
    inner = np.flatnonzero(free.left >= 0)
    gaps = [
        np.abs(tree.scores[tree.left[inner]] - tree.scores[tree.right[inner]]).mean() for tree in (free, held, tied)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert (free.thresholds == held.thresholds).all()


def test_shrinkage_by_hand() -> None:
    """Two leaves under eight candidates: with a shrinkage of eight the share in each goes half of its way."""
    tree = DecisionTreeClassifier().fit(np.arange(8)[:, None], [0, 0, 0, 0, 1, 1, 1, 1]).tree_
    assert shrink_shares(tree, 8.0).tolist() == [0.5, 0.25, 0.75]
    assert shrink_shares(tree, 0.0).tolist() == [0.5, 0.0, 1.0]


def test_a_teacher_is_enough(english: Any) -> None:
    texts = ["Dr. Ito left. She came back on Monday.", "We met Mr. Fox. It rained all day."] * 20
    student = SentenceSegmenter(teacher=english).fit(texts, [None] * len(texts))
    assert student.split("Dr. Fox left. She came.") == ["Dr. Fox left.", "She came."]
    assert "she" in student.model_.words.vocabulary
    assert student.coverage_ == 1.0
