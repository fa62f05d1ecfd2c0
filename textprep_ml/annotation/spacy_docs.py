"""Annotations as documents of spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from textprep_ml.annotation.covering import Surface, cover

if TYPE_CHECKING:
    from textprep_ml.annotation.result import Annotations

#: The tags of Universal Dependencies, which are `pos` in spaCy; all others are `tag`.
UPOS = frozenset((
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB", "X",
))  # fmt: skip


class _Word(NamedTuple):
    text: str
    space: bool
    tokens: list[int]
    sentence: int


def to_spacy(annotations: Annotations, vocab: Any) -> list[Any]:
    """Do what `Annotations.to_spacy` says."""
    try:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab
    except ImportError:
        raise ImportError("to_spacy needs spaCy: pip install 'textprep_ml[spacy]'.") from None
    vocab = Vocab() if vocab is None else vocab
    has_pos = annotations.tokens.tags is not None and UPOS.issuperset(annotations.tokens.tags)
    docs = []
    for number in range(len(annotations)):
        document = annotations[number]
        words = _words(document.texts[0], cover(annotations, number))
        columns: dict[str, Any] = {"words": [word.text for word in words], "spaces": [word.space for word in words]}
        if "sentences" in annotations.layers:
            columns["sent_starts"] = _starts(words)
        if document.tokens.tags is not None:
            columns["pos" if has_pos else "tags"] = [_tag(document.tokens.tags, word) for word in words]
        doc = Doc(vocab, **columns)
        if "pieces" in annotations.layers:
            doc.user_data["pieces"] = _pieces(document, words)
        docs.append(doc)
    return docs


def _words(text: str, surfaces: list[Surface]) -> list[_Word]:
    """Cover the whole text: one blank belongs to the word before, other white space is a word of its own."""
    words: list[_Word] = []
    end = 0
    for surface in [*surfaces, Surface(len(text), len(text), [], -1)]:
        gap = text[end : surface.start]
        if words and gap.startswith(" "):
            words[-1] = words[-1]._replace(space=True)
            gap = gap[1:]
        if gap:
            words.append(_Word(gap, False, [], words[-1].sentence if words else surface.sentence))
        if surface.start < surface.end:
            words.append(_Word(text[surface.start : surface.end], False, surface.tokens, surface.sentence))
        end = surface.end
    return words


def _starts(words: list[_Word]) -> list[bool]:
    before = [None, *(word.sentence for word in words)]
    return [word.sentence != sentence for word, sentence in zip(words, before, strict=False)]


def _tag(tags: list[str], word: _Word) -> str:
    return tags[word.tokens[0]] if word.tokens else ""


def _pieces(document: Annotations, words: list[_Word]) -> list[dict[str, Any]]:
    """Give the pieces as plain tables; `token` is the token of spaCy."""
    places = {token: place for place, word in enumerate(words) for token in word.tokens}
    pieces = document.pieces
    assert pieces.ids is not None
    tables = [
        {"text": text, "start": start, "end": end, "id": index}
        for text, (start, end), index in zip(pieces.texts, pieces.spans.tolist(), pieces.ids.tolist(), strict=True)
    ]
    if document.parent_of("pieces") != "tokens":
        return tables
    return [table | {"token": places[parent]} for table, parent in zip(tables, pieces.parents.tolist(), strict=True)]
