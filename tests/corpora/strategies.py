"""Documents with spans out of difficult characters, for the round trips of all formats."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from textprep_ml.corpora._rows import trim

#: Letters of several planes and scripts, marks of the formats, and all that `str.splitlines` splits at.
CHARACTERS = "aZ1é中か🙂\U0010fffd.!?\"'|\\<>#_=-;,\t \n\r" + "\x0b\x0c\x1c\x85\u2028\u2029\xa0\u3000\ufeff\x00\u200b"


@st.composite
def documents(draw: st.DrawFn, tidy: bool = False) -> dict[str, Any]:
    """A text with sentences: anything valid, or, where `tidy`, trimmed ones that cover all but white space."""
    text = draw(st.text(st.sampled_from(CHARACTERS), max_size=30))
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    if tidy:
        bounds = [0, *cuts, len(text)]
        spans = [trim(text, start, end) for start, end in pairwise(bounds)]
    else:
        spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    return {"id": "doc", "text": text, "sentences": [list(span) for span in spans if span[0] < span[1]]}


@st.composite
def running_texts(draw: st.DrawFn) -> dict[str, Any]:
    """What one sentence a line is made for: sentences with a blank between them, paragraphs with two newlines."""
    words = st.text(st.sampled_from("aZé1.|\x0b\u2028\ufeff\x00 "), min_size=1, max_size=8).map(lambda s: "x" + s + "y")
    text, sentences = "", []
    for index, sentence in enumerate(draw(st.lists(words, min_size=1, max_size=6))):
        text += draw(st.sampled_from([" ", "\n\n"])) if index else ""
        sentences.append([len(text), len(text) + len(sentence)])
        text += sentence
    return {"id": "doc", "text": text, "sentences": sentences}


@st.composite
def treebanks(draw: st.DrawFn) -> dict[str, Any]:
    """A document with all the columns of CoNLL-U, multiword tokens of both kinds among them."""
    forms = st.text(st.sampled_from("aZé中1.|\\_#=\x00"), min_size=1, max_size=4)
    gaps = st.sampled_from(["", " ", "\n\n", "  ", "\n", "\t|", "\r\n", "\u2028"]).map(lambda gap: gap.replace("|", ""))
    row: dict[str, Any] = {
        "id": draw(st.sampled_from(["doc", "a = b", "#"])),
        "text": draw(st.sampled_from(["", " ", "\n", "\ufeff"[:0]])),
        "sentences": [], "tokens": [], "forms": [], "lemmas": [], "upos": [], "xpos": [], "feats": [],
        "multiword_tokens": [], "sent_ids": [],
    }  # fmt: skip
    for index in range(draw(st.integers(1, 4))):
        if index:
            row["text"] += draw(gaps)
        start = len(row["text"])
        for place in range(draw(st.integers(1, 3))):
            if place:
                row["text"] += draw(gaps)
            _add_token(draw, row, draw(st.lists(forms, min_size=1, max_size=3)))
        row["sentences"].append([start, len(row["text"])])
        row["sent_ids"].append(draw(st.sampled_from(["", "s1", "x-2"])))
    row["text"] += draw(gaps)
    return row


def _add_token(draw: st.DrawFn, row: dict[str, Any], forms: list[str]) -> None:
    first, start = len(row["tokens"]), len(row["text"])
    surface = "".join(forms)
    whole = len(forms) == 1
    if len(forms) > 1:
        row["multiword_tokens"].append([first, first + len(forms)])
        if draw(st.booleans()):
            surface, whole = surface + "'", True
    row["text"] += surface
    for form in forms:
        row["tokens"].append([start, len(row["text"])] if whole else [start, start + len(form)])
        start += 0 if whole else len(form)
        row["forms"].append(form)
        for name in ("lemmas", "upos", "xpos", "feats"):
            row[name].append(draw(st.sampled_from(["_", "NOUN", "a=b|c=d", " "])))
