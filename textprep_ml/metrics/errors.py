"""What kinds of boundary were missed or invented, with examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textprep_ml._unicode_table import DIGIT, LOWER, UPPER, class_of, kind_of
from textprep_ml._unicode_table import KINDS as CHARACTER_KINDS
from textprep_ml.abbreviations import normalize_abbreviations
from textprep_ml.metrics._packed import boundary_keys, check_same_length, contains, pack, stride_of

_TERMINALS = {"PERIOD", "BANG", "QUESTION", "ELLIPSIS", "STOP", "WIDE_STOP"}
_QUOTES = {"OPEN_QUOTE", "CLOSE_QUOTE", "QUOTE", "APOSTROPHE"}
_BRACKETS = {"OPEN_BRACKET", "CLOSE_BRACKET"}
_CLOSERS = {"CLOSE_QUOTE", "QUOTE", "APOSTROPHE", "CLOSE_BRACKET"}

#: How far the classification looks to either side.
_REACH = 100

_ADDRESS = re.compile(r"\w://|\bwww\.|\w@\w|^[\w-]+(\.[\w-]+)*\.[a-z]{2,5}\b")
_LIST_MARK = re.compile(r"[(\[]?([0-9]{1,3}(\.[0-9]{1,3})*|[^\W\d_]|[ivxIVX]{1,5})[.)\]]+")
_DOTTED = re.compile(r"([^\W\d_]\.){2,}")


def _kind(character: str) -> str:
    return CHARACTER_KINDS[kind_of(character)] if character else ""


@dataclass(frozen=True)
class _Place:
    """What the text looks like around a position."""

    #: The line up to the position, and the run of characters without white space that ends there.
    line: str
    word: str
    #: The word without closing quotes and brackets, and its last character.
    core: str
    mark: str
    #: The run of characters that goes on behind the position, the white space there, and the first character after it.
    run: str
    gap: str
    following: str
    is_terminal: bool


def _look(text: str, position: int) -> _Place:
    before, after = text[max(0, position - _REACH) : position], text[position : position + _REACH]
    line = before[before.rfind("\n") + 1 :]
    word = re.search(r"\S*$", line)[0]  # type: ignore[index]
    core = word
    while core and _kind(core[-1]) in _CLOSERS:
        core = core[:-1]
    gap = after[: len(after) - len(after.lstrip())]
    run = "" if gap else re.match(r"\S*", after)[0]  # type: ignore[index]
    return _Place(line, word, core, core[-1:], run, gap, after[len(gap) : len(gap) + 1], _kind(core[-1:]) in _TERMINALS)


def _is_address(place: _Place, _: Mapping[str, str]) -> bool:
    return bool(_ADDRESS.search(place.word + place.run)) and not _DOTTED.fullmatch(place.core)


def _is_list_mark(place: _Place, _: Mapping[str, str]) -> bool:
    starts_line = place.line.strip() == place.word
    return starts_line and (bool(_LIST_MARK.fullmatch(place.word)) or _kind(place.word[:1]) == "BULLET")


def _is_ellipsis(place: _Place, _: Mapping[str, str]) -> bool:
    return place.mark == "…" or place.core.endswith("..")


def _is_initial(place: _Place, _: Mapping[str, str]) -> bool:
    name = place.core.lstrip("(\"'“‘[")
    return len(name) == 2 and name[1] == "." and bool(class_of(name[0]) & UPPER)


def _is_abbreviation(place: _Place, abbreviations: Mapping[str, str]) -> bool:
    name = place.core.lstrip("(\"'“‘[")
    known = name[:-1] in abbreviations or name[:-1].lower() in abbreviations
    return name.endswith(".") and (known or bool(_DOTTED.fullmatch(name)))


def _is_number(place: _Place, _: Mapping[str, str]) -> bool:
    inside = place.core[-2:-1] if place.mark in ".,:" else place.mark
    return bool(inside) and bool(class_of(inside) & DIGIT) and (place.mark == "." or bool(place.run))


def _is_quote(place: _Place, _: Mapping[str, str]) -> bool:
    return _kind(place.word[-1:]) in _QUOTES or _kind(place.following) in _QUOTES


def _is_bracket(place: _Place, _: Mapping[str, str]) -> bool:
    return _kind(place.word[-1:]) in _BRACKETS or _kind(place.following) in _BRACKETS


def _is_missing_blank(place: _Place, _: Mapping[str, str]) -> bool:
    # After a wide mark, as Chinese and Japanese have them, no blank is missing.
    return place.is_terminal and _kind(place.mark) != "WIDE_STOP" and bool(place.run)


def _is_lower_case(place: _Place, _: Mapping[str, str]) -> bool:
    return place.is_terminal and bool(place.following) and bool(class_of(place.following) & LOWER)


def _is_colon(place: _Place, _: Mapping[str, str]) -> bool:
    return _kind(place.mark) in {"COLON", "SEMICOLON"}


def _is_comma(place: _Place, _: Mapping[str, str]) -> bool:
    return _kind(place.mark) in {"COMMA", "DASH", "HYPHEN"}


def _is_blank_line(place: _Place, _: Mapping[str, str]) -> bool:
    return not place.is_terminal and place.gap.count("\n") > 1


def _is_line_break(place: _Place, _: Mapping[str, str]) -> bool:
    return not place.is_terminal and "\n" in place.gap


#: The kinds with their tests; a place is of the first kind whose test it passes.
_TESTS: dict[str, Callable[[_Place, Mapping[str, str]], bool]] = {
    "URL, e-mail or file name": _is_address,
    "initial": _is_initial,
    "list mark": _is_list_mark,
    "ellipsis": _is_ellipsis,
    "abbreviation": _is_abbreviation,
    "number": _is_number,
    "quote": _is_quote,
    "bracket": _is_bracket,
    "missing blank": _is_missing_blank,
    "lower case after the mark": _is_lower_case,
    "colon or semicolon": _is_colon,
    "comma or dash": _is_comma,
    "blank line": _is_blank_line,
    "line break": _is_line_break,
    "terminal mark": lambda place, _: place.is_terminal,
    "no terminal mark": lambda place, _: True,
}

#: All kinds of error, in the order in which they are tried.
ERROR_KINDS = tuple(_TESTS)


def error_kind(text: str, position: int, abbreviations: str | Mapping[str, str] | Iterable[str] | None = "en") -> str:
    """Name the kind of a possible boundary by what stands around it.

    Parameters
    ----------
    text : str
        The document.
    position : int
        Where the sentence ends or would end.
    abbreviations : str, mapping, iterable of str or None
        A language code, or the abbreviations.

    Returns
    -------
    str
        One of `ERROR_KINDS`: the first that fits.

    Examples
    --------
    >>> error_kind("Dr. Smith", 3), error_kind("J. Smith", 2), error_kind("pi is 3.14", 8)
    ('abbreviation', 'initial', 'number')
    """
    return _kind_at(text, position, normalize_abbreviations(abbreviations))


def _kind_at(text: str, position: int, abbreviations: Mapping[str, str]) -> str:
    place = _look(text, position)
    return next(kind for kind, test in _TESTS.items() if test(place, abbreviations))


def boundary_errors(
    texts: Sequence[str],
    y_true: Any,
    y_pred: Any,
    *,
    include_final: bool = False,
    abbreviations: str | Mapping[str, str] | Iterable[str] | None = "en",
    n_examples: int = 5,
    context: int = 40,
) -> list[dict[str, Any]]:
    """Sort the errors by kind.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    y_true, y_pred : sequence of sequences of (int, int)
        Sentence spans of each document.
    include_final : bool
        Whether the end of the last sentence of a document counts as a boundary.
    abbreviations : str, mapping, iterable of str or None
        A language code, or the abbreviations that make the kind "abbreviation".
    n_examples : int
        At most so many examples for each kind and each type of error.
    context : int
        Characters to either side of an example.

    Returns
    -------
    list of dict
        One for each kind that occurs, the most frequent first: "kind", "false_positives", "misses" and "examples".
        An example has "type" (``"false positive"`` or ``"miss"``), "document" (its index), "position" (where the
        sentence ends), "before" and "after".

    Raises
    ------
    TypeError, ValueError
        If spans are wrong or go beyond their text, or the lengths differ.

    Examples
    --------
    >>> [row] = boundary_errors(["Dr. No left."], [[(0, 12)]], [[(0, 3), (4, 12)]])
    >>> row["kind"], row["false_positives"], row["misses"], row["examples"][0]["after"]
    ('abbreviation', 1, 0, ' No left.')
    """
    true, pred = pack(y_true, "y_true"), pack(y_pred, "y_pred")
    check_same_length(true.n_documents, y_pred=pred, texts=texts)
    stride = stride_of(true, pred)
    true_keys, pred_keys = (boundary_keys(spans, stride, include_final) for spans in (true, pred))
    misses = true_keys[~contains(pred_keys, true_keys)]
    inventions = pred_keys[~contains(true_keys, pred_keys)]
    known = normalize_abbreviations(abbreviations)
    rows: dict[str, dict[str, Any]] = {}
    for type_, column, keys in (("false positive", "false_positives", inventions), ("miss", "misses", misses)):
        for document, position in zip((keys // stride).tolist(), (keys % stride).tolist(), strict=True):
            text = texts[document]
            if position > len(text):
                raise ValueError(f"Document {document} has {len(text)} characters, but a sentence ends at {position}.")
            kind = _kind_at(text, position, known)
            row = rows.setdefault(kind, {"kind": kind, "false_positives": 0, "misses": 0, "examples": []})
            row[column] += 1
            if row[column] <= n_examples:
                row["examples"].append(
                    {
                        "type": type_,
                        "document": document,
                        "position": position,
                        "before": text[max(0, position - context) : position],
                        "after": text[position : position + context],
                    }
                )
    return sorted(
        rows.values(), key=lambda row: (-row["false_positives"] - row["misses"], ERROR_KINDS.index(row["kind"]))
    )
