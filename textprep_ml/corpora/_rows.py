"""What all formats share: the row, the checks of its spans, and what counts as white space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from textprep_ml.exceptions import CorpusFormatError

Row = dict[str, Any]

#: The characters with the property White_Space, whatever the interpreter's Unicode version.
WHITE_SPACE = "".join(
    map(chr, (*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000))
)

_BYTE_ORDER_MARK = "\ufeff"
_SHOWN = 80


def shorten(value: object) -> str:
    """Give the repr of `value`, cut at 80 characters."""
    text = repr(value[: _SHOWN + 1]) if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Shrink a span to leave out white space at its ends, and a byte order mark that opens the text."""
    start += start == 0 and text.startswith(_BYTE_ORDER_MARK)
    piece = text[start:end]
    end -= len(piece) - len(piece.rstrip(WHITE_SPACE))
    return min(end, start + len(piece) - len(piece.lstrip(WHITE_SPACE))), end


def check_text(text: object, complain: Callable[[str], NoReturn]) -> None:
    """Refuse what is no string, and lone surrogates, which no UTF-8 file can hold."""
    if not isinstance(text, str):
        complain(f'"text" is {type(text).__name__}, not a string: {shorten(text)}.')
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        complain(f"the text has a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start}.")


def check_sentences(
    spans: object, text: str, complain: Callable[[str], NoReturn], key: str = "sentences"
) -> list[list[int]]:
    """Give the spans as lists of two ints; complain where one is empty, unsorted, out of range or overlaps."""
    if isinstance(spans, str | Mapping) or not isinstance(spans, Iterable):
        complain(f'"{key}" is not a list of [start, end] pairs: {shorten(spans)}.')
    kind = {"sentences": "sentence", "labelled": "labelled part"}[key]
    checked: list[list[int]] = []
    previous_start = previous_end = 0
    for index, span in enumerate(spans):
        pair = _pair(span)
        if pair is None:
            complain(f"{kind} {index} is not a pair of integers: {shorten(span)}.")
        start, end = pair
        name = f"{kind} {index}, [{start}, {end}),"
        if not 0 <= start <= end <= len(text):
            complain(f"{name} is out of range: the text has {len(text)} characters.")
        if start == end:
            complain(f"{name} is empty.")
        if start < previous_start:
            complain(f"{name} starts before the {kind} ahead of it: sort the {kind}s.")
        if start < previous_end:
            complain(f"{name} overlaps the {kind} ahead of it, which ends at {previous_end}.")
        previous_start, previous_end = start, end
        checked.append([start, end])
    return checked


def _pair(span: Any) -> tuple[int, int] | None:
    try:
        start, end = span
    except (TypeError, ValueError):
        return None
    if isinstance(start, bool) or isinstance(end, bool) or isinstance(span, str):
        return None
    try:
        return start.__index__(), end.__index__()  # also the integers of NumPy
    except AttributeError:
        return None


def as_row(value: Mapping[str, Any], index: int, labelled: bool) -> Row:
    """Check a row that is to be written; columns without a value, as Arrow tables give them, are left out."""

    def complain(message: str) -> NoReturn:
        raise CorpusFormatError(f"Row {index} cannot be written: {message}") from None

    if not isinstance(value, Mapping):
        complain(f"it is {type(value).__name__}, not a mapping with id, text and sentences.")
    row = {key: item for key, item in value.items() if item is not None}
    if "text" not in row:
        complain('it has no "text".')
    check_text(row["text"], complain)
    if labelled and "sentences" not in row:
        complain('it has no "sentences"; only format="text" is without labels.')
    if "sentences" in row:
        row["sentences"] = check_sentences(row["sentences"], row["text"], complain)
    if "labelled" in row:
        row["labelled"] = check_sentences(row["labelled"], row["text"], complain, "labelled")
    return row


def refuser(row: Row, name: str) -> Callable[[str], NoReturn]:
    """Make the function that a writer complains with when its format cannot hold `row`."""

    def refuse(message: str) -> NoReturn:
        raise CorpusFormatError(f"Document {shorten(row.get('id', ''))} cannot be written as {name}: {message}")

    return refuse


def check_coverage(row: Row, refuse: Callable[[str], NoReturn]) -> None:
    """Refuse white space at the ends of sentences and text outside of them: formats without offsets cannot hold it."""
    text = row["text"]
    if not row.get("sentences"):
        refuse("it has no sentences.")
    previous = 0
    for start, end in [*row["sentences"], [len(text), len(text)]]:
        if trim(text, previous, start)[0] < trim(text, previous, start)[1]:
            refuse(
                f"there is text outside of sentences between characters {previous} and {start}: "
                f"{shorten(text[previous:start])}."
            )
        if start < end and trim(text, start, end) != (start, end):
            refuse(f"the sentence [{start}, {end}) starts or ends with white space.")
        previous = end
