"""The pre-tokenizers of ``pretokenize.h`` as regular expressions: where the words of byte-pair encoding are."""

from __future__ import annotations

from itertools import accumulate

import regex

#: Name -> number of each scheme, as in ``pretokenize.h``.
SCHEMES = {
    "none": 0,
    "blank": 1,
    "gpt2": 2,
    "cl100k": 3,
    "llama3": 4,
    "qwen2": 5,
    "o200k": 6,
    "script": 7,
    "bert": 8,
    "bert-joined": 9,
}

_SUFFIX = r"'(?:[sdmt]|ll|ve|re)"
_ANY_SUFFIX = rf"(?i:{_SUFFIX})"
_LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_TAIL = rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_LINES}"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_START = r"[^\r\n\p{L}\p{N}]?"
_SCRIPTS = (
    r"[\p{Katakana}\u30fc\uff70]",
    r"[\p{Hiragana}\u30fc\uff70]",
    r"[\p{Han}\p{Bopomofo}]",
    r"\p{Hangul}",
    r"\p{Thai}",
    r"\p{Lao}",
    r"\p{Khmer}",
    r"\p{Myanmar}",
)
_OWN = r"\p{Katakana}\p{Hiragana}\p{Han}\p{Bopomofo}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\uff70"
_SPACED = rf"(?V1)[[\p{{L}}\p{{M}}]--[{_OWN}]]"
_DIGITS = rf"(?V1)[\p{{N}}--[{_OWN}]]"

#: All but ``bert`` and ``bert-joined``, whose classes are no properties of a regular expression.
PATTERNS = {
    "none": r"(?s:.+)",
    "blank": r"\S+",
    "gpt2": rf"{_SUFFIX}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+",
    "cl100k": rf"{_ANY_SUFFIX}|{_START}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s+\Z|{_LINES}",
    "llama3": rf"{_ANY_SUFFIX}|{_START}\p{{L}}+|\p{{N}}{{1,3}}|{_TAIL}",
    "qwen2": rf"{_ANY_SUFFIX}|{_START}\p{{L}}+|\p{{N}}|{_TAIL}",
    "o200k": (
        rf"{_START}{_UPPER}*{_LOWER}+{_ANY_SUFFIX}?|{_START}{_UPPER}+{_LOWER}*{_ANY_SUFFIX}?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_LINES}"
    ),
    "script": "|".join(
        [
            _SUFFIX,
            *(f" ?{script}+" for script in _SCRIPTS),
            rf" ?{_SPACED}+",
            rf" ?{_DIGITS}+",
            rf" ?[^\s\p{{L}}\p{{M}}\p{{N}}{_OWN}]+",
            r"\s+(?!\S)|\s+",
        ]
    ),
}


#: What ``surrogateescape`` makes of a surrogate in its three-byte form, or one character.
_CHARACTER = "\udced[\udca0-\udcbf][\udc80-\udcbf]|(?s:.)"


def _size(char: str) -> int:
    if len(char) == 3:
        return 3
    if char < "\x80" or "\udc80" <= char <= "\udcff":
        return 1
    return 2 if char < "\u0800" else 3 if char < "\U00010000" else 4


def characters(data: bytes) -> tuple[str, list[int]]:
    """Decode UTF-8, a wrong byte becoming one surrogate; give the text and where each character begins, and the end."""
    parts = regex.findall(_CHARACTER, data.decode("utf-8", "surrogateescape"))
    begins = list(accumulate(map(_size, parts), initial=0))
    return "".join(part[0] for part in parts), begins


def pretokenize(data: bytes, scheme: int) -> list[tuple[int, int]]:
    """Give the byte spans of the words of a UTF-8 text."""
    text, begins = characters(data)
    return [(begins[start], begins[end]) for start, end in _spans(text, scheme)]


def _spans(text: str, scheme: int) -> list[tuple[int, int]]:
    name = next(name for name, number in SCHEMES.items() if number == scheme)
    if name not in PATTERNS:
        from textprep_ml._kernels._pure.bert import raw_words  # its tables take time to unpack

        return raw_words(text, name == "bert")
    return [match.span() for match in regex.finditer(PATTERNS[name], text)]
