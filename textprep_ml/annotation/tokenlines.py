"""Annotations as CoNLL-U."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textprep_ml._validation import shorten
from textprep_ml.annotation.covering import cover
from textprep_ml.corpora import write_corpus
from textprep_ml.corpora._rows import WHITE_SPACE
from textprep_ml.corpora.conllu import word_spans

if TYPE_CHECKING:
    from textprep_ml.annotation.result import Annotations

_TO_BLANKS = dict.fromkeys(map(ord, WHITE_SPACE), " ")


def write_conllu(annotations: Annotations, path: str | os.PathLike[str], column: str) -> None:
    """Do what `Annotations.to_conllu` says."""
    if column not in ("upos", "xpos"):
        raise ValueError(f"column must be 'upos' or 'xpos', but got {shorten(column)}.")
    write_corpus((_row(annotations, number, column) for number in range(len(annotations))), path, "conllu")


def _row(annotations: Annotations, number: int, column: str) -> dict[str, Any]:
    """Give a document as the writer wants it: words with spans, and where several of them are one token."""
    document = annotations[number]
    text, tokens = document.texts[0], document.tokens
    row: dict[str, Any] = {"text": text, "sentences": [], "tokens": [], "forms": [], "multiword_tokens": []}
    tags: list[str] = []
    sentence = -1
    for surface in cover(annotations, number):
        shown = text[surface.start : surface.end].translate(_TO_BLANKS)
        forms = (
            [tokens.texts[token].translate(_TO_BLANKS) for token in surface.tokens]
            if len(surface.tokens) > 1
            else [shown]
        )
        if len(forms) > 1:
            row["multiword_tokens"].append([len(row["forms"]), len(row["forms"]) + len(forms)])
        row["forms"] += forms
        row["tokens"] += word_spans(surface.start, shown, forms)
        tags += (
            [tokens.tags[token] for token in surface.tokens] if tokens.tags and surface.tokens else ["_"] * len(forms)
        )
        if surface.sentence != sentence:
            sentence = surface.sentence
            row["sentences"].append([surface.start, surface.end])
        row["sentences"][-1][1] = surface.end
    return row | ({column: tags} if tokens.tags else {})
