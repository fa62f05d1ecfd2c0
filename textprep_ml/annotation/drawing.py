"""A picture of annotations for notebooks: sentences, tokens and pieces under one another."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from textprep_ml.batching import printable

if TYPE_CHECKING:
    from textprep_ml.annotation.result import Annotations, Layer

#: So much is drawn; the rest is counted.
MAX_DOCUMENTS = 10
MAX_ITEMS = 1500

_STYLE = """
.textprep-annotations { line-height: 1.5; }
.textprep-annotations .document { margin: 0 0 1em; padding: 0.5em; border: 1px solid rgba(128, 128, 128, 0.4); }
.textprep-annotations .sentences { padding-block: 0.5em; border-top: 1px solid rgba(128, 128, 128, 0.4); }
.textprep-annotations .surface { white-space: pre-wrap; }
.textprep-annotations .row { display: flex; flex-wrap: wrap; gap: 0.35em; align-items: flex-start; }
.textprep-annotations .tokens, .textprep-annotations .pieces { display: inline-flex; flex-direction: column;
  align-items: center; padding: 0.1em 0.3em; border-radius: 0.25em; background: rgba(90, 130, 220, 0.16); }
.textprep-annotations .pieces { background: rgba(230, 160, 60, 0.25); font-size: 0.85em; }
.textprep-annotations .note { opacity: 0.75; font-size: 0.75em; }
.textprep-annotations .code { opacity: 0.75; font-family: monospace; font-size: 0.85em; }
"""

#: White space that must be seen.
_SHOWN = {" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥", "\u00a0": "⍽"}

#: Where a mark that has lost its letter stands.
_DOTTED_CIRCLE = "◌"


def to_html(annotations: Annotations) -> str:
    """Draw documents.

    Every text stands in an element of its own that the direction of its neighbours cannot reach, rows run as the text
    above them does, and what cannot be seen is written by its code.

    Parameters
    ----------
    annotations : Annotations
        Any.

    Returns
    -------
    str
        HTML with its style.

    Examples
    --------
    >>> from textprep_ml import annotate, make_text_pipeline
    >>> picture = to_html(annotate(make_text_pipeline(), ["<b> שלום"]))
    >>> '<bdi class="surface">&lt;</bdi>' in picture, '<bdi class="surface">שלום</bdi>' in picture
    (True, True)
    """
    shown = annotations[:MAX_DOCUMENTS]
    parts = [_Picture(shown[number]).document(number) for number in range(len(shown))]
    more = len(annotations) - len(shown)
    if more:
        parts.append(f'<p class="note">and {more} more document{"s" if more > 1 else ""}</p>')
    return f'<div class="textprep-annotations"><style>{_STYLE}</style>{"".join(parts)}</div>'


class _Picture:
    """Draws one document.

    Parameters
    ----------
    annotations : Annotations
        Of one document.
    """

    def __init__(self, annotations: Annotations) -> None:
        self._text = annotations.texts[0]
        self._layers: list[tuple[str, Layer]] = list(annotations.layers.items())
        sizes = [1, *(len(layer) for _, layer in self._layers)]
        #: For each layer, where the children of each item of the layer above start.
        self._edges = [
            np.searchsorted(layer.parents, np.arange(size + 1)).tolist()
            for (_, layer), size in zip(self._layers, sizes, strict=False)
        ]
        self._left = MAX_ITEMS

    def document(self, number: int) -> str:
        """Draw everything.

        Parameters
        ----------
        number : int
            The document's, for its heading.

        Returns
        -------
        str
            HTML.
        """
        head = f'<div class="note">document {number}</div>'
        inner = self._children(0, 0, self._text) if self._layers else f'<div dir="auto">{_text(self._text)}</div>'
        left = '<p class="note">and more</p>' if self._left < 0 else ""
        return f'<div class="document">{head}{inner}{left}</div>'

    def _children(self, depth: int, parent: int, text: str) -> str:
        """Draw what an item was cut into."""
        if depth == len(self._layers):
            return ""
        layer = self._layers[depth][1]
        first, last = self._edges[depth][parent : parent + 2]
        boxes = "".join(self._boxes(depth, first, last))
        return boxes if layer.kind == "sentences" else f'<div class="row"{_direction(text)}>{boxes}</div>'

    def _boxes(self, depth: int, first: int, last: int) -> Iterator[str]:
        name, layer = self._layers[depth]
        for item in range(first, last):
            self._left -= 1
            if self._left < 0:
                return
            start, end = layer.spans[item].tolist()
            raw = self._text[start:end]
            shown = (
                _text(raw)
                if layer.kind == "sentences"
                else _visible(layer.texts[item] if layer.kind == "pieces" else raw)
            )
            title = f"{name[:-1] if name == layer.kind else name} {item}: [{start}, {end})"
            notes = [] if layer.ids is None else [str(layer.ids[item])]
            title += f", id {notes[0]}" if notes else ""
            if layer.kind == "tokens" and layer.texts[item] != raw:
                notes.append(_visible(layer.texts[item]))
            if layer.tags is not None:
                notes.append(html.escape(layer.tags[item]))
            below = "".join(f'<bdi class="note">{note}</bdi>' for note in notes)
            yield (
                f'<div class="{layer.kind}" title="{html.escape(title)}"{_direction(raw)}>'
                f'<bdi class="surface">{shown}</bdi>{below}{self._children(depth + 1, item, raw)}</div>'
            )


def _direction(text: str) -> str:
    """Give the attribute for the direction of a text: that of its first strong character; none where it has none.

    ``dir="auto"`` would not do for a row of boxes, since it does not look into isolated texts.
    """
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return ' dir="rtl"'
        if kind == "L":
            return ' dir="ltr"'
    return ""


def _text(text: str) -> str:
    """Write running text: white space stays what it is."""
    return "".join(character if character in " \n\t" else _character(character) for character in printable(text))


def _visible(text: str) -> str:
    """Write a token or piece: its white space is shown, and a mark without its letter gets a place to stand."""
    text = printable(text)
    lost = _DOTTED_CIRCLE if text and unicodedata.category(text[0])[0] == "M" else ""
    return lost + "".join(
        f'<span class="code">{_SHOWN[character]}</span>' if character in _SHOWN else _character(character)
        for character in text
    )


def _character(character: str) -> str:
    """Escape a character; write one that steers the display, or shows nothing, by its code."""
    # The two joiners change how the letters beside them look; they are part of words and emoji.
    if unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp") and character not in "\u200c\u200d":
        return f'<span class="code">U+{ord(character):04X}</span>'
    return html.escape(character)
