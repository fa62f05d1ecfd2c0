"""Training a `SentenceSegmenter` and using it: classifiers, weights, options, abbreviations, normalizers."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.segmentation.samples import assert_lossless, changed
from textprep_ml import RuleSegmenter, SentenceSegmenter, make_normalizer
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.metrics import boundary_f1_score
from textprep_ml.segmentation.attributes import KINDS
from textprep_ml.segmentation.runtime import BoundaryModel

Labelled = tuple[list[str], list[Any]]

COMPILED = [
    None,
    LogisticRegression(C=1.0),
    SGDClassifier(loss="log_loss", random_state=0),
    DecisionTreeClassifier(random_state=0),
]
OTHERS = [
    BernoulliNB(),
    RandomForestClassifier(5, random_state=0),
    KNeighborsClassifier(3),
]


def name_of(estimator: Any) -> str:
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", COMPILED + OTHERS, ids=name_of)
def test_any_classifier_learns_the_sample(estimator: Any, sample: Labelled) -> None:
    segmenter = SentenceSegmenter(estimator, min_count=2)
    assert segmenter.fit(*sample) is segmenter
    assert segmenter.score(*sample) > (0.7 if isinstance(estimator, BernoulliNB) else RuleSegmenter().score(*sample))
    assert segmenter.coverage_ == 1.0
    spans, proba = segmenter.predict(sample[0]), segmenter.predict_proba(sample[0])
    positions = segmenter.candidate_positions(sample[0])
    for text, found, probabilities, places in zip(sample[0], spans, proba, positions, strict=True):
        assert_lossless(text, found.tolist())
        assert probabilities.shape == places.shape == (len(places), 2)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        chosen = places[probabilities[:, 1] >= 0.5]
        assert found[:-1, 1].tolist() == chosen[:, 0].tolist()
        assert found[1:, 0].tolist() == chosen[:, 1].tolist()
    # The estimator that was given is a template: what is fitted is its clone.
    assert segmenter.estimator is estimator
    assert segmenter.estimator_ is not estimator


@pytest.mark.parametrize("estimator", COMPILED, ids=name_of)
def test_the_compiled_model_scores_as_the_classifier(estimator: Any, sample: Labelled) -> None:
    segmenter = SentenceSegmenter(estimator, min_count=2).fit(*sample)
    assert segmenter.model_.scorer is not None
    _, _, _, kinds, rows = segmenter.model_.describe(sample[0])
    undecided = kinds != KINDS.index("paragraph")
    expected = segmenter.estimator_.predict_proba(segmenter.encoder_.transform(rows[undecided]))[:, 1]
    actual = np.concatenate(list(segmenter.predict_proba(sample[0])))[undecided, 1]
    if isinstance(estimator, DecisionTreeClassifier):  # half a candidate of each class keeps a leaf from certainty
        assert ((actual >= 0.5) == (expected >= 0.5)).all()
        np.testing.assert_allclose(actual, expected, atol=0.3)
    else:
        np.testing.assert_allclose(actual, expected, atol=1e-3)


def test_a_tree_with_large_leaves_scores_as_the_classifier(sample: Labelled) -> None:
    segmenter = SentenceSegmenter(DecisionTreeClassifier(min_samples_leaf=400)).fit(*sample)
    _, _, _, kinds, rows = segmenter.model_.describe(sample[0])
    undecided = kinds != KINDS.index("paragraph")
    expected = segmenter.estimator_.predict_proba(segmenter.encoder_.transform(rows[undecided]))[:, 1]
    actual = np.concatenate(list(segmenter.predict_proba(sample[0])))[undecided, 1]
    np.testing.assert_allclose(actual, expected, atol=1e-3)


def test_views_of_the_prediction_agree(linear: Any, sample: Labelled) -> None:
    for text, spans in zip(sample[0], linear.predict(sample[0]), strict=True):
        assert spans.dtype == np.intp
        assert linear.spans(text) == [tuple(span) for span in spans.tolist()]
        assert linear.split(text) == [text[start:end] for start, end in linear.spans(text)]
        assert linear.transform([text]) == [linear.split(text)]
    assert linear.score(*sample) == boundary_f1_score(
        [np.array(spans) for spans in sample[1]], linear.predict(sample[0])
    )
    assert SentenceSegmenter().fit_transform(*sample) == SentenceSegmenter().fit(*sample).transform(sample[0])


def test_feature_names(linear: Any, tree: Any) -> None:
    for segmenter in (linear, tree):
        names = segmenter.encoder_.get_feature_names_out()
        assert len(names) == segmenter.estimator_.n_features_in_ == len(set(names))
    assert "kind=gap" in linear.encoder_.get_feature_names_out()
    assert "left.shape" in tree.encoder_.get_feature_names_out()


# --- weights ----------------------------------------------------------------------------------------------------------

ONE = ("We met Dr Bell then. He left.", [(0, 20), (21, 29)])
OTHER = ("We met Dr Bell then. He left.", [(0, 9), (10, 29)])


def test_weights_decide_between_documents_that_disagree() -> None:
    texts, spans = [ONE[0], OTHER[0]] * 10, [ONE[1], OTHER[1]] * 10
    for weights, expected in (([9, 1] * 10, ONE[1]), ([1, 9] * 10, OTHER[1])):
        segmenter = SentenceSegmenter(LogisticRegression(), min_count=1, min_word_count=1)
        assert segmenter.fit(texts, spans, sample_weight=weights).spans(ONE[0]) == expected


def test_a_weight_of_two_is_the_document_twice(sample: Labelled) -> None:
    texts, spans = sample[0][:8], sample[1][:8]
    tree = DecisionTreeClassifier(max_depth=5, random_state=0)
    weighted = SentenceSegmenter(tree, min_word_count=1000).fit(texts, spans, sample_weight=[2] * 4 + [1] * 4)
    repeated = SentenceSegmenter(tree, min_word_count=1000).fit(texts[:4] + texts, spans[:4] + spans)
    assert [s.tolist() for s in weighted.predict(texts)] == [s.tolist() for s in repeated.predict(texts)]


def test_weights_of_one_are_not_handed_on(sample: Labelled) -> None:
    weights = np.ones(len(sample[0]))
    assert SentenceSegmenter(KNeighborsClassifier()).fit(*sample, sample_weight=weights).score(*sample) > 0.5
    with pytest.raises(TypeError, match="sample_weight"):
        SentenceSegmenter(KNeighborsClassifier()).fit(*sample, sample_weight=2 * weights)


# --- options that may be set after training ---------------------------------------------------------------------------


def test_threshold_after_fit(linear: Any, sample: Labelled) -> None:
    counts = [
        sum(len(spans) for spans in changed(linear, threshold=threshold).predict(sample[0]))
        for threshold in (0.001, 0.3, 0.5, 0.8, 0.999)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2] > counts[-1]
    assert changed(linear, threshold=0.5).transform(sample[0]) == linear.transform(sample[0])
    proba = changed(linear, threshold=0.9).predict_proba(sample[0])
    for one, other in zip(proba, linear.predict_proba(sample[0]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_options_go_back_and_forth(linear: Any) -> None:
    segmenter = changed(linear)
    text = "Fever since Monday\nNo cough. See GP\n\non Friday"
    seen = {mode: segmenter.set_params(newline=mode).split(text) for mode in ("auto", "hard", "soft", "paragraph")}
    assert seen["hard"] == ["Fever since Monday", "No cough.", "See GP", "on Friday"]
    assert seen["soft"] == ["Fever since Monday\nNo cough.", "See GP\n\non Friday"]
    assert seen["paragraph"] == ["Fever since Monday\nNo cough.", "See GP", "on Friday"]
    for mode, sentences in seen.items():
        assert segmenter.set_params(newline=mode).split(text) == sentences
        assert copy.deepcopy(segmenter).split(text) == sentences


def test_candidates_after_fit(linear: Any) -> None:
    text = "Hello there\nNo cough. See GP\n\non Friday 2. 3.4 (Yes) No"
    kinds = {}
    for candidates in (["mark"], ["line"], ["gap"], ("mark", "line", "gap")):
        segmenter = changed(linear, candidates=candidates)
        kinds[tuple(candidates)] = {explanation.kind for explanation in segmenter.explain(text)}
        assert len(segmenter.predict_proba([text])[0]) == len(segmenter.explain(text))
    assert kinds["mark",] <= {"mark", "inside", "mark_line", "paragraph"}
    assert kinds["line",] == {"line", "paragraph"}
    assert kinds["gap",] == {"gap", "paragraph"}
    assert {"mark", "line", "gap", "paragraph"} <= kinds["mark", "line", "gap"]


def test_marks_alone_cannot_find_what_ends_without_one(sample: Labelled) -> None:
    segmenter = SentenceSegmenter(candidates=["mark"]).fit(*sample)
    assert 0.5 < segmenter.coverage_ < 1
    assert segmenter.split("No mark here\nor there") == ["No mark here\nor there"]


def test_kind_thresholds(sample: Labelled) -> None:
    shy = SentenceSegmenter(kind_thresholds={"line": 99.0, "gap": 99.0}).fit(*sample)
    bold = SentenceSegmenter(kind_thresholds={"line": -99.0}).fit(*sample)
    text = "A list of things\nbread\nmilk. Then home"
    assert not any(e.is_boundary for e in shy.explain(text) if e.kind in ("line", "gap"))
    assert all(e.is_boundary for e in bold.explain(text) if e.kind == "line")
    assert bold.model_.thresholds["mark"] == 0.0


def test_jobs_change_nothing(linear: Any, sample: Labelled) -> None:
    expected = linear.transform(sample[0])
    for n_jobs in (1, 2, 3, -1, 1000):
        assert changed(linear, n_jobs=n_jobs).transform(sample[0]) == expected
        assert changed(linear, n_jobs=n_jobs).transform([]) == []


def test_one_text_is_cut_as_many_are(linear: Any, sample: Labelled) -> None:
    texts = [*sample[0], "", " \n", np.str_("It rains. We left.")]
    normalized = changed(linear, normalizer=make_normalizer("pdf").fit([""]))
    for segmenter in (linear, changed(linear, quotes="keep"), normalized):
        assert [segmenter.split(text) for text in texts] == segmenter.transform(texts)
        assert [segmenter.spans(text) for text in texts] == [
            list(map(tuple, a.tolist())) for a in segmenter.predict(texts)
        ]
    with pytest.raises(TypeError, match="document 0 is NoneType"):
        linear.split(None)


def test_parameters_set_later_count_at_once(linear: Any, sample: Labelled) -> None:
    segmenter = changed(linear)
    usual = segmenter.transform(sample[0])
    for name, value in (
        ("threshold", 0.999), ("kind_thresholds", {"mark": 9.0}), ("candidates", ["line"]), ("newline", "hard"),
        ("protected", ["the"]), ("max_length", 20),
    ):  # fmt: skip
        before = getattr(segmenter, name)
        segmenter.set_params(**{name: value})
        fresh = changed(linear, **{name: value}).transform(sample[0])
        assert segmenter.transform(sample[0]) == fresh, name
        assert fresh != usual or name in ("candidates", "protected", "newline"), name
        segmenter.set_params(**{name: before})
        assert segmenter.transform(sample[0]) == usual
    segmenter.set_params(kind_thresholds={"mark": 0.0})
    segmenter.transform(sample[0])
    segmenter.kind_thresholds["mark"] = 9.0
    assert segmenter.transform(sample[0]) == changed(linear, kind_thresholds={"mark": 9.0}).transform(sample[0])


def test_seed_and_variants(sample: Labelled) -> None:
    texts, spans = sample[0][:10], sample[1][:10]
    first, second, third = (
        SentenceSegmenter(augment={"original": 1.0, "lower_case": 0.5}, random_state=seed).fit(texts, spans)
        for seed in (1, 1, 2)
    )
    assert (first.model_.scorer.weights == second.model_.scorer.weights).all()
    assert (
        first.model_.scorer.layout.size != third.model_.scorer.layout.size
        or (first.model_.scorer.weights != third.model_.scorer.weights).any()
    )
    assert SentenceSegmenter(augment="standard").fit(texts, spans).score(texts, spans) > 0.9


def test_small_weights_are_dropped(linear: Any, sample: Labelled) -> None:
    fewer = SentenceSegmenter(min_count=2, min_word_count=3, min_weight=0.1).fit(*sample)
    weights = fewer.model_.scorer.weights
    assert 0 < np.count_nonzero(weights) < np.count_nonzero(linear.model_.scorer.weights)
    assert np.abs(weights[weights != 0]).min() >= 0.1


# --- abbreviations ----------------------------------------------------------------------------------------------------


def test_abbreviations_after_training(english: Any) -> None:
    text = "Ask the Kvtr. Smith about it."
    segmenter = copy.deepcopy(english)
    assert segmenter.add_abbreviations({"kvtr": "title"}) is segmenter
    place = text.index(" Smith")

    def probability(which: Any) -> float:
        return next(e.probability for e in which.explain(text) if e.end == place)

    assert probability(segmenter) < probability(english)
    assert segmenter.split(text) == [text]
    with pytest.raises(ValueError, match="Unknown abbreviation class 'titel'"):
        segmenter.add_abbreviations({"kvtr": "titel"})
    with pytest.raises(ValueError, match="one word without blanks"):
        segmenter.add_abbreviations(["two words"])
    for nothing in (None, 7):
        with pytest.raises(TypeError, match=f"Abbreviations are .* got {type(nothing).__name__}"):
            segmenter.add_abbreviations(nothing)  # type: ignore[arg-type]


def test_abbreviations_are_kept_by_options_and_files(english: Any, tmp_path: Any) -> None:
    text = "Ask the Kvtr. Smith about it."
    segmenter = changed(copy.deepcopy(english), threshold=0.45)
    segmenter.split(text)  # the scanner for this threshold is there before the entry is
    segmenter.add_abbreviations({"Kvtr.": "title"})
    assert segmenter.split(text) == [text]
    segmenter.save(tmp_path / "more.json")
    assert SentenceSegmenter.load(tmp_path / "more.json").split(text) == [text]


def test_learning_abbreviations_from_raw_text(english: Any) -> None:
    raw = [
        "Siehe Kvt. 3 und Kvt. 4 dort. Die Zeile ist lang und die Reihe auch. "
        "Nach Kvt. 5 kommt Kvt. 6 im Text. Dort steht es, die Zeile und die Reihe."
    ] * 4
    segmenter = copy.deepcopy(english)
    assert "kvt" not in segmenter.model_.words.abbreviations
    segmenter.learn_abbreviations(raw)
    assert segmenter.model_.words.abbreviations["kvt"] == "learned"
    known = dict(english.model_.words.abbreviations)
    assert {entry: segmenter.model_.words.abbreviations[entry] for entry in known} == known


# --- normalizer -------------------------------------------------------------------------------------------------------


class Shortener:
    """Takes every asterisk out, and maps offsets by counting."""

    class Offsets:
        def __init__(self, text: str) -> None:
            self.raw = [index for index, character in enumerate(text) if character != "*"]

        def to_raw(self, spans: Any) -> np.ndarray:
            pairs = [(self.raw[start], self.raw[end - 1] + 1) for start, end in np.asarray(spans).tolist()]
            return np.array(pairs, dtype=np.intp).reshape(-1, 2)

        def to_normalized(self, spans: Any) -> np.ndarray:
            return np.searchsorted(self.raw, np.asarray(spans))

    def align(self, text: str) -> tuple[str, Shortener.Offsets]:
        return text.replace("*", ""), self.Offsets(text)


def test_a_normalizer_keeps_raw_offsets(sample: Labelled, linear: Any) -> None:
    texts, targets = [], []
    for text, spans in zip(*sample, strict=True):
        for start, _ in reversed(spans):
            text = f"{text[: start + 1]}*{text[start + 1 :]}"  # inside the first word, where it would change much
        texts.append(text)
        targets.append([(start + index, end + index + 1) for index, (start, end) in enumerate(spans)])
    segmenter = SentenceSegmenter(normalizer=Shortener(), min_count=2, min_word_count=3).fit(texts, targets)
    assert segmenter.score(texts, targets) == linear.score(*sample)
    for text, spans in zip(texts, segmenter.predict(texts), strict=True):
        assert_lossless(text, spans.tolist())


def test_the_text_normalizer_keeps_raw_offsets(sample: Labelled) -> None:
    def widen(text: str) -> str:
        return text.replace(" of ", " o\u00adf ").replace("é", "e\u0301").replace("\n\n", "\r\n\r\n")

    texts = [widen(text) for text in sample[0]]
    targets = [
        [(len(widen(text[:start])), len(widen(text[:end]))) for start, end in spans]
        for text, spans in zip(*sample, strict=True)
    ]
    normalizer = make_normalizer("segment")
    assert any(len(normalizer.align(text)[0]) < len(text) for text in texts)
    segmenter = SentenceSegmenter(normalizer=normalizer, min_count=2, min_word_count=3).fit(texts, targets)
    assert segmenter.score(texts, targets) > 0.97
    assert segmenter.split("He left, o\u00adf course. Dr. Ito e\u0301 came.") == [
        "He left, o\u00adf course.",
        "Dr. Ito e\u0301 came.",
    ]
    assert len(segmenter.predict_proba(texts[:1])[0]) == len(segmenter.explain(texts[0]))


# --- adapting a model -------------------------------------------------------------------------------------------------


def court(n: int) -> Labelled:
    """Documents whose rule no other corpus has: a sentence ends at a slash."""
    texts = [f"The court held / We agree with case {k} / It was so ordered / The appeal fails" for k in range(n)]
    return texts, [[(a, b) for a, b in pieces(text)] for text in texts]


def pieces(text: str) -> list[tuple[int, int]]:
    bounds, start = [], 0
    for part in text.split(" / "):
        end = start + len(part) + (2 if start + len(part) < len(text) else 0)
        bounds.append((start, end))
        start = end + 1
    return bounds


def test_adapting_learns_the_new_and_keeps_the_old(english: Any, sample: Labelled, tmp_path: Any) -> None:
    texts, spans = court(30)
    before = english.score(texts, spans)
    adapted = SentenceSegmenter(warm_start_from="en", kind_thresholds=english.kind_thresholds).fit(texts, spans)
    assert adapted.score(texts, spans) > max(before, 0.95)
    old = boundary_f1_score(english.predict(sample[0]), adapted.predict(sample[0]))
    assert old > 0.85
    english.save(tmp_path / "en.json")
    for source in (english, tmp_path / "en.json"):
        again = SentenceSegmenter(warm_start_from=source, kind_thresholds=english.kind_thresholds).fit(texts, spans)
        assert again.transform(sample[0]) == adapted.transform(sample[0])
        again.save(tmp_path / "adapted.json")
        assert SentenceSegmenter.load(tmp_path / "adapted.json").transform(sample[0]) == again.transform(sample[0])


def test_adapting_needs_a_linear_model_on_both_sides(tree: Any, sample: Labelled) -> None:
    with pytest.raises(ValueError, match="linear"):
        SentenceSegmenter(warm_start_from=tree).fit(*sample)
    with pytest.raises(ValueError, match="linear"):
        SentenceSegmenter(DecisionTreeClassifier(), warm_start_from="en").fit(*sample)
    with pytest.raises(ModelFormatError, match="nowhere"):
        SentenceSegmenter(warm_start_from="nowhere.json").fit(*sample)


def test_raw_text_teaches_usual_case_and_periods(sample: Labelled) -> None:
    raw = ["The Kvt. is here. See the Kvt. of it, the Kvt. again and the kvt. too. One kvt. more."] * 50
    segmenter = SentenceSegmenter().fit(*sample, raw=iter(raw))
    assert segmenter.model_.words.raw["kvt"] == 5
    assert segmenter.model_.words.usual["the"] == 1
    assert "kvt" not in SentenceSegmenter().fit(*sample).model_.words.raw


def test_columns_may_be_chosen_against_the_classifier(sample: Labelled) -> None:
    """Such a classifier works but is not compiled."""
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    for estimator, features in ((scaled, "auto"), (DecisionTreeClassifier(), "crossed")):
        segmenter = SentenceSegmenter(estimator, features=features).fit(*sample)
        assert segmenter.model_.scorer is None
        assert segmenter.score(*sample) > 0.8


def test_kind_thresholds_set_after_loading_take_effect(english: Any, tmp_path: Path) -> None:
    text = "We met at noon. She left at one. It rained."
    eager, never = changed(english), changed(english, kind_thresholds={"mark": 50.0})
    assert len(eager.spans(text)) == 3
    assert never.spans(text) == [(0, len(text))]
    never.save(tmp_path / "never.json")
    assert BoundaryModel.load(tmp_path / "never.json").spans([text])[0].tolist() == [[0, len(text)]]
    with pytest.raises(ValueError, match="Unknown kind 'marks' in kind_thresholds; the kinds are mark, inside"):
        changed(english, kind_thresholds={"marks": 1.0}).spans(text)
