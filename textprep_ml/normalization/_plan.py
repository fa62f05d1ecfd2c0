"""From rules to a plan: neighbouring local rules become one pass over the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Any, Protocol

from textprep_ml import _kernels
from textprep_ml._kernels._pure.normalize import BLANK, CONTEXT, JOINS, SPACE, Cell
from textprep_ml._unicode_table import EXTEND, class_of
from textprep_ml.normalization._rules import LocalRule, WhitespaceRule
from textprep_ml.normalization.offsets import Edit, Layer, OffsetMap, apply_edits, layer_from_edits


class WholeRule(Protocol):
    """A rule that needs the whole text."""

    def edits(self, text: str) -> Iterator[Edit]:
        """Give the replacements that make the new text."""


class Stage(Protocol):
    """One way over texts."""

    def align(self, text: str) -> tuple[str, Sequence[Layer]]:
        """Give the new text and its map."""

    def rewriting(self) -> AbstractContextManager[Callable[[str], str]]:
        """Give a function that rewrites texts as long as the context lasts."""


class Pass:
    """All its rules in one way over the text.

    What a character or a piece becomes is found by the rules once and remembered by the kernel. A kernel serves one
    thread at a time; each caller takes an idle one or makes its own.
    """

    def __init__(self, rules: Sequence[LocalRule]) -> None:
        self.rules = tuple(rules)
        self._trimmed = "".join(rule.trimmed for rule in rules if isinstance(rule, WhitespaceRule))
        self._idle: list[Any] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return Pass, (self.rules,)

    def _take_kernel(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return _kernels.load("normalize").Rewriter(self.classify, self.resolve)

    @contextmanager
    def rewriting(self) -> Iterator[Callable[[str], str]]:
        """Give a function that rewrites texts as long as the context lasts."""
        rewriter = self._take_kernel()
        # A text has no white space at its ends most of the time; then strip gives it back as it is.
        yield (lambda text: rewriter.new(text).strip(self._trimmed)) if self._trimmed else rewriter.new
        self._idle.append(rewriter)

    def align(self, text: str) -> tuple[str, Sequence[Layer]]:
        """Give the new text and its map."""
        rewriter = self._take_kernel()
        new, runs = rewriter.rewrite(text)
        self._idle.append(rewriter)
        layers = [] if runs is None else [Layer(runs, len(text), len(new))]
        if self._trimmed and new and (new[0] in self._trimmed or new[-1] in self._trimmed):
            new, trimmed = trim(new, self._trimmed)
            layers += trimmed
        return new, layers

    def classify(self, char: str) -> tuple[int, str]:
        """Give the flags of a character, and what it becomes alone."""
        flags = SPACE if char.isspace() else 0
        new = char
        for rule in self.rules:
            reaches = [rule.reach(each) for each in new]
            if reaches:
                # What happens inside an expansion is the business of this character; its ends meet the neighbours.
                flags |= (reaches[0] & JOINS) | ((reaches[0] | reaches[-1]) & BLANK)
                flags |= CONTEXT if any(reach & CONTEXT for reach in reaches) else 0
            new = rule.rewrite(new)
        return (flags if new else flags | JOINS | BLANK), new

    def resolve(self, piece: str) -> tuple[str, Sequence[Cell]]:
        """Give what a piece becomes and its cells."""
        new = piece
        spans = [(index, index + 1) for index in range(len(piece))]
        for rule in self.rules:
            edits = list(rule.edits(new))
            if edits:
                spans = _edit_spans(spans, edits)
                new = apply_edits(new, edits)
        return new, ((1, 1, len(piece)),) if new == piece else _cells(piece, spans)


def _edit_spans(spans: list[tuple[int, int]], edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Carry the raw span of each character through edits."""
    carried: list[tuple[int, int]] = []
    position = 0
    for start, end, new in edits:
        carried += spans[position:start]
        carried += [(spans[start][0], spans[end - 1][1])] * len(new)
        position = end
    return carried + spans[position:]


def _cells(piece: str, spans: Sequence[tuple[int, int]]) -> list[Cell]:
    """Group characters with equal or overlapping raw spans, and what was dropped between them."""
    cells: list[tuple[int, int]] = []
    position = 0
    for start, end in spans:
        if start < position and cells and cells[-1][1]:
            width, new_width = cells[-1]
            cells[-1] = (width + max(end - position, 0), new_width + 1)
        else:
            if start > position:
                cells.append((start - position, 0))
            cells.append((end - start, 1))
        position = max(position, end)
    if position < len(piece):
        cells.append((len(piece) - position, 0))
    return [(*widths, len(list(same))) for widths, same in groupby(_with_marks(piece, cells))]


def _with_marks(piece: str, cells: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join a cell that starts with a mark to the one before it, unless both stayed what they were."""
    position = 0
    held: tuple[int, int] | None = None
    for cell in cells:
        if held and class_of(piece[position]) & EXTEND and (held != (1, 1) or cell != (1, 1)):
            held = (held[0] + cell[0], held[1] + cell[1])
        else:
            if held:
                yield held
            held = cell
        position += cell[0]
    if held:
        yield held


def trim(text: str, chars: str) -> tuple[str, Sequence[Layer]]:
    """Take characters off both ends."""
    stripped = text.strip(chars)
    start = len(text) - len(text.lstrip(chars))
    end = start + len(stripped)
    layer = layer_from_edits(
        text, [(first, last, "") for first, last in ((0, start), (end, len(text))) if first < last]
    )
    return stripped, () if layer is None else (layer,)


@dataclass(frozen=True)
class WholeStage:
    """A rule that needs the whole text."""

    rule: WholeRule

    def align(self, text: str) -> tuple[str, Sequence[Layer]]:
        """Give the new text and its map."""
        edits = list(self.rule.edits(text))
        layer = layer_from_edits(text, edits)
        return apply_edits(text, edits), () if layer is None else (layer,)

    def rewriting(self) -> AbstractContextManager[Callable[[str], str]]:
        """Give a function that rewrites texts."""
        return nullcontext(lambda text: apply_edits(text, self.rule.edits(text)))


@dataclass(frozen=True)
class AlignerStage:
    """An object of the user's own with the method ``align``."""

    aligner: Any

    def align(self, text: str) -> tuple[str, Sequence[Layer]]:
        """Give the new text and its map."""
        new, offsets = self.aligner.align(text)
        return new, offsets.layers

    def rewriting(self) -> AbstractContextManager[Callable[[str], str]]:
        """Give a function that rewrites texts."""
        return nullcontext(lambda text: self.aligner.align(text)[0])


class Plan:
    """What a normalizer does to a text.

    Parameters
    ----------
    rules : sequence
        Rules, in order; or objects with the method ``align``.
    """

    def __init__(self, rules: Sequence[Any]) -> None:
        self.rules = tuple(rules)
        self._stages: list[Stage] = []
        for local, group in groupby(self.rules, key=lambda rule: hasattr(rule, "reach")):
            members = list(group)
            self._stages += [Pass(members)] if local else [_stage(rule) for rule in members]

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (self.rules,)

    @contextmanager
    def rewriting(self) -> Iterator[Callable[[str], str]]:
        """Give a function that rewrites texts as long as the context lasts."""
        with ExitStack() as stack:
            functions = [stack.enter_context(stage.rewriting()) for stage in self._stages]
            if len(functions) == 1:
                yield functions[0]
            else:
                yield lambda text: reduce(lambda new, function: function(new), functions, text)

    def align(self, text: str) -> tuple[str, OffsetMap]:
        """Give the new text and its map."""
        layers: list[Layer] = []
        raw_length = len(text)
        for stage in self._stages:
            text, more = stage.align(text)
            layers += more
        return text, OffsetMap(raw_length, layers)


def _stage(rule: Any) -> Stage:
    return AlignerStage(rule) if hasattr(rule, "align") else WholeStage(rule)
