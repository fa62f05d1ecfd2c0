"""The steps of a pipeline, one after another over all documents, with the way back to the raw text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from textprep_ml._validation import check_documents, shorten
from textprep_ml.annotation.result import Annotations, Layer
from textprep_ml.pipelines import stage_of, thawed


def annotate(pipeline: Any, X: Any) -> Annotations:
    """Run a pipeline over texts and keep what every step finds.

    Parameters
    ----------
    pipeline : Pipeline, estimator, or sequence of these
        Fitted normalizers, segmenters, word tokenizers, taggers and subword tokenizers, in any order that makes sense.
        They are told by their methods (``align``, ``predict`` and ``spans``, ``spans``, ``predict``,
        ``encode_with_spans``), so that yours may be among them.
    X : sequence of str
        Raw documents.

    Returns
    -------
    Annotations
        Sentences, tokens and pieces as columns, with spans in the raw documents.

    Raises
    ------
    TypeError
        If a step is something else, such as a vectorizer, or a document is no string.
    ValueError
        If the steps come in an order that makes no sense.

    Notes
    -----
    What is found equals what ``pipeline.transform(X)`` gives; each step sees the strings that the step before left. A
    span in the raw text is the smallest one that holds all that the string was made from, see `OffsetMap`.

    Examples
    --------
    >>> from textprep_ml import annotate, make_normalizer, make_text_pipeline
    >>> pipeline = make_text_pipeline(normalizer=make_normalizer("search", case="keep"), segmenter="rules")
    >>> found = annotate(pipeline, ["The  ﬁrst “Café”. Was it good?"])
    >>> found.tokens.texts
    ['The', 'first', '"', 'Cafe', '"', '.', 'Was', 'it', 'good', '?']
    >>> found.surfaces("tokens")[:4], found.tokens.spans[:4].tolist()
    (['The', 'ﬁrst', '“', 'Café'], [[0, 3], [5, 9], [10, 11], [11, 15]])
    >>> found.tokens.parents.tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    >>> found
    Annotations(1 document, 2 sentences, 10 tokens)
    """
    texts = check_documents(X, "annotate")
    walk = _Walk(texts)
    for name, step in _named_steps(pipeline):
        walk.take(name, step)
    return Annotations(texts, walk.layers)


def _named_steps(pipeline: Any) -> Iterator[tuple[str, Any]]:
    """Give the steps of nested pipelines with their names."""
    pipeline = thawed(getattr(pipeline, "best_estimator_", pipeline))
    steps = getattr(pipeline, "steps", pipeline)
    if not isinstance(steps, list | tuple):
        yield type(pipeline).__name__.lower(), pipeline
        return
    for item in steps:
        is_named = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
        name, step = item if is_named else (type(item).__name__.lower(), item)
        if step is None or step == "passthrough":
            continue
        if hasattr(thawed(step), "steps"):
            yield from _named_steps(step)
        else:
            yield name, thawed(step)


class _Frame(NamedTuple):
    """A text that a normalizer gave, and the way back: through its map to `shift` in the text of the frame around."""

    offsets: Any
    around: _Frame | None
    shift: int

    def to_raw(self, spans: np.ndarray) -> np.ndarray:
        spans = np.asarray(self.offsets.to_raw(spans), dtype=np.intp).reshape(-1, 2) + self.shift
        return spans if self.around is None else self.around.to_raw(spans)


class _Walk:
    """The strings as the last step left them, where each stands in its frame, and the layers found so far.

    Parameters
    ----------
    texts : list of str
        Raw documents.
    """

    def __init__(self, texts: list[str]) -> None:
        self.layers: dict[str, Layer] = {}
        self._texts = texts
        self._starts = np.zeros(len(texts), dtype=np.intp)
        self._frames: list[_Frame | None] = [None]  # the first is that of raw documents
        self._frame_of = np.zeros(len(texts), dtype=np.intp)

    def take(self, name: str, step: Any) -> None:
        """Run a step."""
        stage = stage_of(step)
        if stage is None:
            raise TypeError(
                "annotate knows normalizers, segmenters, tokenizers, taggers and subword tokenizers, but step "
                f"{name!r} is {shorten(step)}. Annotate the steps before it: pipeline[:n]."
            )
        innermost = next(reversed(self.layers.values()), None)
        if innermost is not None and innermost.kind == "pieces":
            raise ValueError(f"Step {name!r} comes after pieces, which no step can cut further: put it before them.")
        getattr(self, f"_take_{stage}")(name, step)

    def _take_text(self, name: str, step: Any) -> None:
        """Normalize every string; what stays as it is stays in its frame, and needs no map."""
        texts, starts, frame_of = list(step.transform(self._texts)), self._starts.copy(), self._frame_of.copy()
        for index, (before, after) in enumerate(zip(self._texts, texts, strict=True)):
            if before != after:
                texts[index], offsets = step.align(before)
                self._frames.append(_Frame(offsets, self._frames[frame_of[index]], int(starts[index])))
                frame_of[index], starts[index] = len(self._frames) - 1, 0
        self._texts, self._starts, self._frame_of = texts, starts, frame_of

    def _take_sentences(self, name: str, step: Any) -> None:
        if self.layers:
            raise ValueError(f"The segmenter {name!r} comes after {next(reversed(self.layers))}: put it before them.")
        self._split("sentences", name, list(step.predict(self._texts)))

    def _take_tokens(self, name: str, step: Any) -> None:
        found = step.spans_batch(self._texts) if hasattr(step, "spans_batch") else map(step.spans, self._texts)
        self._split("tokens", name, list(found))

    def _split(self, kind: str, name: str, found: Sequence[Any]) -> None:
        """Cut every string at the spans found in it."""
        local = [np.asarray(spans, dtype=np.intp).reshape(-1, 2) for spans in found]
        texts = [
            text[start:end] for text, spans in zip(self._texts, local, strict=True) for start, end in spans.tolist()
        ]
        self._add(kind, name, np.array([len(spans) for spans in local], dtype=np.intp), _joined(local), texts)

    def _take_pieces(self, name: str, step: Any) -> None:
        """Encode every distinct string once: most tokens come again and again."""
        numbers: dict[str, int] = {}
        which = np.array([numbers.setdefault(text, len(numbers)) for text in self._texts], dtype=np.intp)
        encoded = [step.encode_with_spans(text) for text in numbers]
        sizes = np.array([len(ids) for ids, _ in encoded], dtype=np.intp)
        counts = sizes[which]
        # Where the pieces of each string stand among those of the distinct ones, string after string.
        place = np.repeat(np.cumsum(sizes)[which] - np.cumsum(counts), counts) + np.arange(counts.sum())
        ids = np.array([index for found, _ in encoded for index in found], dtype=np.int32)[place]
        pieces = {index: step.id_to_piece(index) for index in set(ids.tolist())}
        texts = [pieces[index] for index in ids.tolist()]
        self._add("pieces", name, counts, _joined([spans for _, spans in encoded])[place], texts, ids)

    def _take_tags(self, name: str, step: Any) -> None:
        where, tokens = next(reversed(self.layers.items()), ("", None))
        if tokens is None or tokens.kind != "tokens":
            raise ValueError(f"The tagger {name!r} needs tokens: put a word tokenizer before it.")
        # A sentence is what the tokens were cut from; one without tokens has no tags.
        parents_and_texts = zip(tokens.parents.tolist(), tokens.texts, strict=True)
        sentences = [[text for _, text in group] for _, group in groupby(parents_and_texts, itemgetter(0))]
        tags = [tag for sentence in step.predict(sentences) for tag in sentence]
        self.layers[where] = replace(tokens, tags=tags)

    def _add(
        self,
        kind: str,
        name: str,
        counts: np.ndarray,
        spans: np.ndarray,
        texts: list[str],
        ids: np.ndarray | None = None,
    ) -> None:
        """Add a layer: spans of each string become spans of the raw documents."""
        parents = np.repeat(np.arange(len(counts), dtype=np.intp), counts)
        framed = spans + self._starts[parents][:, None]
        self._frame_of = self._frame_of[parents]
        raw = self._to_raw(framed)
        self._texts, self._starts = texts, framed[:, 0].copy()
        self.layers[kind if kind not in self.layers else name] = Layer(kind, raw, parents, texts, ids)

    def _to_raw(self, framed: np.ndarray) -> np.ndarray:
        """Carry spans back, all those of a frame at once."""
        raw = framed.copy()
        edges = np.flatnonzero(np.diff(self._frame_of, prepend=-1, append=-1))
        for first, last in pairwise(edges.tolist()):
            frame = self._frames[self._frame_of[first]]
            if frame is not None:
                raw[first:last] = frame.to_raw(framed[first:last])
        return raw


def _joined(spans: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty((0, 2), dtype=np.intp), *spans]).astype(np.intp, copy=False)
