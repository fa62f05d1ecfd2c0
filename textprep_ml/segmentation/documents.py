"""Labelled documents, and edits of their text that carry the sentence spans along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int]
Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Document:
    """A text, its sentences, and the parts whose labels count; None where all do.

    Of a text without labels no sentences are known: a teacher tells what to learn.
    """

    text: str
    sentences: Sequence[Span]
    labelled: Sequence[Span] | None = field(default=None, repr=False)
    is_labelled: bool = field(default=True, repr=False)


def apply_edits(document: Document, edits: Iterable[Edit]) -> Document:
    """Replace parts of a text and move the sentence spans along.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    edits : iterable of (start, end, replacement)
        Sorted, not overlapping. What is inserted at the start of a sentence belongs to it.

    Returns
    -------
    Document
        The changed text and the same sentences in it.

    Examples
    --------
    >>> apply_edits(Document("a b. c.", [(0, 4), (5, 7)]), [(0, 1, "xyz"), (4, 5, "")])
    Document(text='xyz b.c.', sentences=[(0, 6), (6, 8)])
    """
    parts: list[str] = []
    # (position in the old text, position in the new text, length of what replaces it there)
    anchors: list[tuple[int, int, int]] = []
    position = length = 0
    for start, end, replacement in edits:
        parts += (document.text[position:start], replacement)
        length += start - position
        anchors.append((start, end, length))
        length += len(replacement)
        position = end
    parts.append(document.text[position:])
    moved = _Mover(anchors, [len(part) for part in parts[1::2]])
    return Document("".join(parts), [(moved.move(start), moved.move(end)) for start, end in document.sentences])


class _Mover:
    """Carry positions over edits; positions must come in increasing order."""

    def __init__(self, anchors: list[tuple[int, int, int]], lengths: list[int]) -> None:
        self.anchors = anchors
        self.lengths = lengths
        self.next = 0
        self.shift = 0

    def move(self, position: int) -> int:
        while self.next < len(self.anchors):
            start, end, new = self.anchors[self.next]
            if end > position or start == end == position:
                break
            self.shift = new + self.lengths[self.next] - end
            self.next += 1
        return position + self.shift
