"""The schemes as regular expressions, in the form that other libraries write into their files."""

from __future__ import annotations

_SUFFIX = "'s|'t|'re|'ve|'m|'ll|'d"
_LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_START = r"[^\r\n\p{L}\p{N}]?"


def _lines(numbers: str, tail: str = "") -> str:
    return rf"(?i:{_SUFFIX})|{_START}\p{{L}}+|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{tail}{_LINES}"


_SCRIPTS = (
    r"\p{Katakana}ーｰ",
    r"\p{Hiragana}ーｰ",
    r"\p{Han}\p{Bopomofo}",
    r"\p{Hangul}",
    r"\p{Thai}",
    r"\p{Lao}",
    r"\p{Khmer}",
    r"\p{Myanmar}",
)
_OWN = r"\p{Katakana}\p{Hiragana}\p{Han}\p{Bopomofo}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ーｰ"

#: Scheme -> its expression.
PATTERNS = {
    "gpt2": rf"{_SUFFIX}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+",
    "cl100k": _lines(r"\p{N}{1,3}", r"\s+\z|"),
    "llama3": _lines(r"\p{N}{1,3}"),
    "qwen2": _lines(r"\p{N}"),
    "o200k": (
        rf"{_START}{_UPPER}*{_LOWER}+(?i:{_SUFFIX})?|{_START}{_UPPER}+{_LOWER}*(?i:{_SUFFIX})?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_LINES}"
    ),
    "script": "|".join(
        [
            _SUFFIX,
            *(f" ?[{script}]+" for script in _SCRIPTS),
            rf" ?[[\p{{L}}\p{{M}}]&&[^{_OWN}]]+",
            rf" ?[\p{{N}}&&[^{_OWN}]]+",
            rf" ?[^\s\p{{L}}\p{{M}}\p{{N}}{_OWN}]+",
            r"\s+(?!\S)|\s+",
        ]
    ),
}

#: The same expressions as they stand in other published files.
_SPELLINGS = {
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+": (
        "llama3"
    ),
}

#: Those in which $ must stand for the end of the text alone.
_TEXT_END_SPELLINGS = {
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ): "cl100k",
}


def scheme_of_pattern(pattern: str, line_ends: bool = True) -> str | None:
    """Name the scheme that an expression stands for.

    Parameters
    ----------
    pattern : str
        From a file.
    line_ends : bool, default=True
        Whether ``$`` stands for the end of every line in the dialect of the file.

    Returns
    -------
    str or None
        A scheme of the kernels; None for any other expression.
    """
    known = {expression: scheme for scheme, expression in PATTERNS.items()} | _SPELLINGS
    return (known if line_ends else known | _TEXT_END_SPELLINGS).get(pattern)
