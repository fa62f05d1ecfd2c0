"""The worked example, exact at each stage: normalized, sentences, words, tags, pieces, and all their spans."""

from __future__ import annotations

import numpy as np
import pytest

from textprep_ml import BPETokenizer, RuleSegmenter, SentenceSegmenter, TextPipeline, annotate, make_text_pipeline

RAW = "Dr. Smith paid $3.50 for the app—it's amazing!! Isn't that great?"
NORMALIZED = "Dr. Smith paid $3.50 for the app-it's amazing!! Isn't that great?"
SENTENCES = ["Dr. Smith paid $3.50 for the app-it's amazing!!", "Isn't that great?"]
WORDS = ["Dr. Smith paid $ 3.50 for the app - it 's amazing ! !", "Is n't that great ?"]

#: By the merges of the conftest: ``Dr.``, ``for``, ``the``, ``app``, ``it``, ``Is``, ``n't`` and ``that`` are whole,
#: ``amazing`` and ``great`` fall apart into known pieces.
PIECES = [
    ["Dr."], ["S", "m", "i", "th"], list("paid"), ["$"], list("3.50"), ["for"], ["the"], ["app"], ["-"],
    ["it"], ["'s"], ["a", "m", "a", "z", "ing"], ["!"], ["!"],
    ["Is"], ["n't"], ["that"], ["g", "re", "a", "t"], ["?"],
]  # fmt: skip


def test_normalized(whole: TextPipeline) -> None:
    assert whole[:1].transform([RAW]) == [NORMALIZED]
    _, offsets = whole[0].align(RAW)
    assert offsets.is_identity  # a dash for a dash: every character stays at its place


@pytest.mark.parametrize("segmenter", ["en", "rules"])
def test_sentences(segmenter: str) -> None:
    pipeline = make_text_pipeline(normalizer="segment", segmenter=segmenter, tokenizer=None)
    found = annotate(pipeline, [RAW])
    assert found.sentences.texts == SENTENCES
    assert found.surfaces("sentences") == [RAW[:47], RAW[48:]]


@pytest.mark.parametrize("segmenter", [SentenceSegmenter.load("en"), RuleSegmenter()], ids=lambda s: type(s).__name__)
def test_the_decision_at_each_mark(segmenter: SentenceSegmenter | RuleSegmenter) -> None:
    ends = {end for _, end in segmenter.spans(NORMALIZED)}
    marks = {
        "after Dr": (NORMALIZED.index("Dr.") + 3, False),
        "inside 3.50": (NORMALIZED.index("3.") + 2, False),
        "after the first !": (NORMALIZED.index("!") + 1, False),
        "after the second !": (NORMALIZED.index("!!") + 2, True),
        "after ?": (len(NORMALIZED), True),
    }
    assert {name: place in ends for name, (place, _) in marks.items()} == {
        name: expected for name, (_, expected) in marks.items()
    }


def test_words(whole: TextPipeline) -> None:
    found = annotate(whole[:3], [RAW])
    assert " ".join(found.tokens.texts) == " ".join(WORDS)
    assert found.tokens.parents.tolist() == [0] * 14 + [1] * 5
    assert found.surfaces("tokens") == [word.replace("-", "—") for word in found.tokens.texts]
    assert whole[:3].transform([RAW]) == [[words.split() for words in WORDS]]


def test_tags(whole: TextPipeline) -> None:
    tags = "PROPN PROPN VERB SYM NUM ADP DET NOUN PUNCT PRON AUX ADJ PUNCT PUNCT AUX PART"
    assert annotate(whole, [RAW]).tokens.tags is not None
    assert annotate(whole, [RAW]).tokens.tags[:16] == tags.split()


def test_pieces(whole: TextPipeline, bpe: BPETokenizer) -> None:
    found = annotate(whole, [RAW])
    assert found.pieces.texts == [piece for pieces in PIECES for piece in pieces]
    assert found.pieces.parents.tolist() == [word for word, pieces in enumerate(PIECES) for _ in pieces]
    assert found.pieces.ids is not None
    assert [bpe.id_to_piece(index) for index in found.pieces.ids.tolist()] == found.pieces.texts
    assert "".join(found.pieces.texts) == NORMALIZED.replace(" ", "")
    assert "".join(found.surfaces("pieces")) == RAW.replace(" ", "")


def test_every_span_slices_the_raw_text(whole: TextPipeline) -> None:
    found = annotate(whole, [RAW])
    for layer in found.layers.values():
        for (start, end), text in zip(layer.spans.tolist(), layer.texts, strict=True):
            assert RAW[start:end].replace("—", "-") == text
    ends = found.tokens.spans[:, 1][found.pieces.parents]
    assert (found.pieces.spans[:, 1] <= ends).all()
    assert (found.pieces.spans[:, 0] >= found.tokens.spans[:, 0][found.pieces.parents]).all()


def test_pieces_that_were_trained() -> None:
    """Common words stay whole, rare ones fall apart, and the vocabulary is as large as was asked for."""
    corpus = ["the app is great, the app is that great. it is the app!"] * 20 + [RAW]
    bpe = BPETokenizer(vocab_size=275, pretokenizer="none")
    pipeline = make_text_pipeline(normalizer="segment", segmenter="en", subword=bpe).fit(corpus)
    found = annotate(pipeline, [RAW])
    pieces = np.array(found.pieces.texts, dtype=object)
    words = {word: pieces[found.pieces.parents == index].tolist() for index, word in enumerate(found.tokens.texts)}
    assert all(words[word] == [word] for word in ("the", "app", "that", "great", "it"))
    assert len(words["amazing"]) > 3
    assert len(pipeline[-1].vocabulary_) == 275
    assert set(found.pieces.texts) <= set(pipeline[-1].vocabulary_)
    assert "".join(found.pieces.texts) == NORMALIZED.replace(" ", "")


def test_a_text_that_moves_under_the_normalizer(whole: TextPipeline) -> None:
    """The same with more that the normalizer changes: spans still slice the raw text."""
    raw = "Dr.\u00a0 Smith paid ＄3.50 for the\u200b app…\r\n\r\n“Isn’t that great?”"
    found = annotate(whole, [raw])
    assert found.surfaces("sentences") == ["Dr.\u00a0 Smith paid ＄3.50 for the\u200b app…", "“Isn’t that great?”"]
    assert " ".join(found.tokens.texts) == 'Dr. Smith paid $ 3.50 for the app ... " Is n\'t that great ? "'
    assert " ".join(found.surfaces("tokens")) == "Dr. Smith paid ＄ 3.50 for the app … “ Is n’t that great ? ”"
