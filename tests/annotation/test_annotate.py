"""`annotate` finds what the pipeline gives, with spans that lead back, for any pipeline and any text."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline

from tests.growth import assert_growth
from textprep_ml import (
    BPETokenizer,
    CharacterTokenizer,
    LeafAnalyzer,
    NaiveSegmenter,
    PosTagger,
    RegexTokenizer,
    RuleNormalizer,
    SentenceSegmenter,
    TextNormalizer,
    TextPipeline,
    WhitespaceTokenizer,
    WordTokenizer,
    annotate,
    make_normalizer,
    make_text_pipeline,
)
from textprep_ml.annotation import Annotations

#: Text in which normalizers find something to do.
TEXTS = st.lists(
    st.text(st.sampled_from("ab .!?\n\u00a0ﬁéЖ中e\u0301—…’ﷺ\u200b\u202eA😀ا1'\ud800"), max_size=40), max_size=4
)

PIPELINES = {
    "all": lambda: [make_normalizer("search", case="keep"), NaiveSegmenter(), WordTokenizer(), BPE],
    "no normalizer": lambda: [NaiveSegmenter(), WordTokenizer(), BPE],
    "normalizer in the middle": lambda: [NaiveSegmenter(), make_normalizer("search"), WordTokenizer(), BPE],
    "two normalizers": lambda: [
        TextNormalizer(form="NFKC"),
        NaiveSegmenter(),
        TextNormalizer(form="NFD"),
        WordTokenizer(),
    ],
    "normalized tokens": lambda: [WordTokenizer(), make_normalizer("search"), BPE],
    "pieces of documents": lambda: [make_normalizer("search"), BPE],
    "pieces of sentences": lambda: [NaiveSegmenter(), BPE],
    "characters of words": lambda: [RegexTokenizer(r"\S+"), CharacterTokenizer(unit="grapheme")],
    "sentences alone": lambda: [NaiveSegmenter()],
}
BPE = FrozenEstimator(BPETokenizer(num_merges=12).fit(["aé ba, the fine Ж中"] * 3))


def nested(found: Annotations) -> list[Any]:
    """What the pipeline's transform gives, put together from the columns."""
    names = ["documents", *found.layers]
    items: list[Any] = list(found.layers[names[-1]].texts)
    for name, above in zip(names[:0:-1], names[-2::-1], strict=True):
        size = len(found) if above == "documents" else len(found.layers[above])
        edges = np.searchsorted(found.layers[name].parents, np.arange(size + 1)).tolist()
        items = [items[first:last] for first, last in zip(edges[:-1], edges[1:], strict=True)]
    return items


@pytest.mark.parametrize("name", PIPELINES)
@given(texts=TEXTS)
@settings(max_examples=20)
def test_equals_transform(name: str, texts: list[str]) -> None:
    pipeline = make_pipeline(*PIPELINES[name]()).fit(["a"])
    assert nested(annotate(pipeline, texts)) == pipeline.transform(texts)


@pytest.mark.parametrize("name", PIPELINES)
@given(texts=TEXTS)
@settings(max_examples=20)
def test_spans_lie_in_their_parents(name: str, texts: list[str]) -> None:
    found = annotate(PIPELINES[name](), texts)
    above = np.array([[0, len(text)] for text in texts], dtype=np.intp).reshape(-1, 2)
    for key, layer in found.layers.items():
        assert layer.spans.shape == (len(layer), 2)
        assert layer.spans.dtype == layer.parents.dtype == np.intp
        assert (np.diff(layer.parents) >= 0).all()
        outer = above[layer.parents]
        assert ((outer[:, 0] <= layer.spans[:, 0]) & (layer.spans[:, 1] <= outer[:, 1])).all()
        numbers = found.document_numbers(key)
        assert (np.diff(layer.spans[:, 0])[np.diff(numbers) == 0] >= 0).all()
        above = layer.spans


@given(texts=TEXTS)
@settings(max_examples=30)
def test_without_normalizer_texts_are_slices(texts: list[str]) -> None:
    found = annotate([NaiveSegmenter(), WordTokenizer(), CharacterTokenizer()], texts)
    for name, layer in found.layers.items():
        assert layer.texts == found.surfaces(name)


@given(texts=TEXTS)
@settings(max_examples=20)
def test_documents_alone_equal_documents_together(texts: list[str]) -> None:
    pipeline = PIPELINES["all"]()
    together = annotate(pipeline, texts)
    assert len(together) == len(texts)
    for index, text in enumerate(texts):
        alone, cut = annotate(pipeline, [text]), together[index]
        assert cut.texts == [text]
        for name, layer in alone.layers.items():
            assert layer.texts == cut.layers[name].texts
            assert np.array_equal(layer.spans, cut.layers[name].spans)
            assert np.array_equal(layer.parents, cut.layers[name].parents)
            assert np.array_equal(layer.ids, cut.layers[name].ids)  # type: ignore[arg-type]


def test_parts_are_cut_like_lists() -> None:
    found = annotate(make_text_pipeline(), ["a b", "", "c", "d e f"])
    assert found[1:].texts == ["", "c", "d e f"]
    assert found[1:3].tokens.texts == ["c"]
    assert found[1:].tokens.parents.tolist() == [1, 2, 2, 2]
    assert found[-1].tokens.texts == ["d", "e", "f"]
    assert found[2:1].tokens.texts == found[2:1].texts == []
    assert [each.tokens.texts for each in found] == [["a", "b"], [], ["c"], ["d", "e", "f"]]
    with pytest.raises(IndexError):
        found[4]
    with pytest.raises(ValueError, match="without a step"):
        found[::2]


def test_a_normalizer_that_changes_lengths_leads_back() -> None:
    found = annotate([TextNormalizer(form="NFKC", whitespace="collapse"), WordTokenizer()], ["  ﬁne   ½ cup…"])
    assert found.tokens.texts == ["fine", "1", "⁄", "2", "cup", "..."]
    assert found.surfaces("tokens") == ["ﬁne", "½", "½", "½", "cup", "…"]


def test_shared_characters_belong_to_both() -> None:
    found = annotate([RuleNormalizer(rules=[("can't", "can not")]), WordTokenizer()], ["We can't."])
    assert found.tokens.texts == ["We", "can", "not", "."]
    assert found.surfaces("tokens") == ["We", "can't", "can't", "."]


def test_tags_stand_beside_the_tokens() -> None:
    pipeline = make_text_pipeline(segmenter="en", tagger="en-pos")
    texts = ["Dogs bark. Cats sleep.", "", "Yes"]
    found = annotate(pipeline, texts)
    tagged = pipeline.transform(texts)
    flat = [pair for document in tagged for sentence in document for pair in sentence]
    assert list(zip(found.tokens.texts, found.tokens.tags or [], strict=True)) == flat
    alone = annotate(make_text_pipeline(tagger="en-pos"), texts)
    assert [tag for tags in PosTagger.load("en-pos").predict([t.split() for t in texts[1:]]) for tag in tags] == (
        alone[1:].tokens.tags
    )


def test_what_holds_steps_is_opened() -> None:
    steps = [("split", NaiveSegmenter()), ("words", WhitespaceTokenizer())]
    expected = annotate(steps, ["a b. c"]).tokens.spans.tolist()
    for pipeline in (
        Pipeline(steps),
        Pipeline([("frozen", FrozenEstimator(NaiveSegmenter())), ("inner", Pipeline(steps[1:]))]),
        FrozenEstimator(Pipeline(steps)),
        [NaiveSegmenter(), WhitespaceTokenizer()],
        Pipeline([steps[0], ("nothing", "passthrough"), ("none", None), steps[1]]),
    ):
        assert annotate(pipeline, ["a b. c"]).tokens.spans.tolist() == expected
    assert annotate(WordTokenizer(), ["a b"]).tokens.texts == ["a", "b"]
    assert annotate([], ["a b"]).layers == {}


def test_a_fitted_search_is_its_best_pipeline() -> None:
    segmenter = SentenceSegmenter(min_count=1)
    texts, spans = ["One. Two.", "Mr. A. No."] * 6, [[(0, 4), (5, 9)], [(0, 6), (7, 10)]] * 6
    search = GridSearchCV(segmenter, {"threshold": [0.4, 0.5]}, cv=2).fit(texts, spans)
    assert annotate(search, ["One. Two."]).sentences.texts == ["One.", "Two."]


class ShoutingNormalizer:
    """One of somebody else: known by its methods."""

    def align(self, text: str) -> tuple[str, ShoutingNormalizer]:
        return "!" + text, self

    def transform(self, X: list[str]) -> list[str]:
        return ["!" + text for text in X]

    def to_raw(self, spans: Any) -> Any:
        return np.maximum(np.asarray(spans) - 1, 0)


def test_steps_of_others_are_told_by_their_methods() -> None:
    found = annotate([ShoutingNormalizer(), WordTokenizer()], ["so it is"])
    assert found.tokens.texts == ["!", "so", "it", "is"]
    assert found.tokens.spans.tolist() == [[0, 0], [0, 2], [3, 5], [6, 8]]


def test_the_second_of_a_kind_is_called_as_its_step() -> None:
    found = annotate(make_pipeline(WordTokenizer(), CharacterTokenizer()), ["ab c"])
    assert list(found.layers) == ["tokens", "charactertokenizer"]
    assert found.layers["charactertokenizer"].parents.tolist() == [0, 0, 1]
    assert found.parent_of("charactertokenizer") == "tokens"


@pytest.mark.parametrize(
    ("steps", "error", "message"),
    [
        ([WordTokenizer(), LogisticRegression()], TypeError, "step 'logisticregression' is LogisticRegression"),
        ([WordTokenizer(), LeafAnalyzer()], TypeError, "Annotate the steps before it"),
        ([WordTokenizer(), NaiveSegmenter()], ValueError, "segmenter 'naivesegmenter' comes after tokens"),
        ([BPE, WordTokenizer()], ValueError, "'wordtokenizer' comes after pieces"),
        ([PosTagger.load("en-pos")], ValueError, "'postagger' needs tokens"),
    ],
)
def test_what_makes_no_sense_is_refused(steps: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        annotate(steps, ["a text"])


def test_bad_input_is_refused() -> None:
    with pytest.raises(TypeError, match="annotate expects str documents, but document 1 is NoneType"):
        annotate(WordTokenizer(), ["a", None])
    with pytest.raises(TypeError, match=r"Pass \[text\]"):
        annotate(WordTokenizer(), "one text")
    with pytest.raises(AttributeError, match="no sentences, because the pipeline finds none; they have tokens"):
        annotate(WordTokenizer(), ["a"]).sentences


def test_no_documents_and_blank_ones(whole: TextPipeline) -> None:
    assert [len(layer) for layer in annotate(whole, []).layers.values()] == [0, 0, 0]
    found = annotate(whole, ["", " \n"])
    assert repr(found) == "Annotations(2 documents, 0 sentences, 0 tokens, 0 pieces)"


def test_plain_data_can_be_pickled(whole: TextPipeline) -> None:
    found = annotate(whole, ["It rains. Stay in."])
    again = pickle.loads(pickle.dumps(found))
    assert again.to_columns() == found.to_columns()
    assert repr(again.tokens) == "Layer(6 tokens: ['It', 'rains', '.', 'Stay', 'in', '.'])"


@pytest.mark.parametrize("form", ["one long document", "many documents"])
def test_ten_times_the_text_takes_ten_times_as_long(form: str) -> None:
    pipeline = [make_normalizer("search", case="keep"), NaiveSegmenter(), WordTokenizer(), BPE]

    def texts(times: int) -> list[str]:
        parts = [f"Sentence {number} isn’t so  long… Or is it?" for number in range(100 * times)]
        return [" ".join(parts)] if form == "one long document" else parts

    forms = (lambda found: found.to_arrow(), lambda found: found.to_columns(), lambda found: found.to_pandas())

    def run(documents: list[str]) -> None:
        found = annotate(pipeline, documents)
        for form_of in forms:
            form_of(found)

    assert_growth(lambda times: partial(run, texts(times)), 1)
