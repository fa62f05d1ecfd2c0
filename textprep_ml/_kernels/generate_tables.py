"""Generate the character table that the kernels and their twins share.

Run ``python -m textprep_ml._kernels.generate_tables`` after a new Unicode version; commit what it writes:
``unicode_classes.h`` for the compiled kernels and ``textprep_ml/_unicode_table.py`` for Python. The classes come from
the `regex` package, whose Unicode version is newer than that of the oldest supported Python's `unicodedata`; one
table of one stated version makes results independent of the interpreter.
"""

from __future__ import annotations

import base64
import zlib
from array import array
from pathlib import Path

import regex

HERE = Path(__file__).parent

#: Name -> what it means as a regular expression. The position is the number of the bit.
CLASSES = {
    "LETTER": r"\p{L}",
    "MARK": r"\p{M}",
    "NUMBER": r"\p{N}",
    "SPACE": r"\p{White_Space}",
    "UPPER": r"\p{Lu}",
    "LOWER": r"\p{Ll}",
    "TITLE": r"\p{Lt}",
    "PUNCTUATION": r"\p{P}",
    "SYMBOL": r"\p{S}",
    "IDEOGRAPH": r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}]",
    "UNSPACED": r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]",
    "PICTOGRAPH": r"\p{Extended_Pictographic}",
    "HANGUL": r"\p{Hangul}",
    "DIGIT": r"\p{Nd}",
    "FORMAT": r"[\p{Cf}\p{Cc}]",
    "EXTEND": r"[\p{Grapheme_Extend}\p{Emoji_Modifier}\u200d]",
}
BLOCK = 256

#: What the boundary scanner tells apart, by single characters first, then by class; later lines win.
KINDS = (
    "OTHER", "SPACE", "NEWLINE", "LOWER", "UPPER", "DIGIT", "LETTER", "IDEOGRAPH",
    "PERIOD", "BANG", "QUESTION", "ELLIPSIS", "STOP", "WIDE_STOP", "COMMA", "COLON", "SEMICOLON", "DASH", "HYPHEN",
    "OPEN_BRACKET", "CLOSE_BRACKET", "OPEN_QUOTE", "CLOSE_QUOTE", "QUOTE", "APOSTROPHE",
    "BULLET", "SLASH", "AT", "HASH", "MARK", "PICTOGRAPH", "FORMAT",
)  # fmt: skip
KIND_BY_CLASS = (
    ("OPEN_BRACKET", r"\p{Ps}"),
    ("CLOSE_BRACKET", r"\p{Pe}"),
    ("DASH", r"\p{Pd}"),
    ("OPEN_QUOTE", r"\p{Pi}"),
    ("CLOSE_QUOTE", r"\p{Pf}"),
    ("STOP", r"\p{Sentence_Break=STerm}"),
    ("LETTER", r"[\p{L}\p{Nl}\p{No}]"),
    ("IDEOGRAPH", r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}]"),
    ("DIGIT", r"\p{Nd}"),
    ("LOWER", r"\p{Ll}"),
    ("UPPER", r"[\p{Lu}\p{Lt}]"),
    ("PICTOGRAPH", r"[\p{Extended_Pictographic}\p{Emoji_Modifier}--\p{ASCII}--[©®‼⁉]]"),
    ("FORMAT", r"[\p{Cf}\p{Cc}]"),
    ("MARK", r"[\p{M}\u200c\u200d]"),
    ("SPACE", r"\p{White_Space}"),
)
KIND_BY_CHARACTER = {
    "NEWLINE": "\n",
    "PERIOD": ".",
    "BANG": "!",
    "QUESTION": "?‽⁇⁈⁉‼",
    "ELLIPSIS": "…",
    "WIDE_STOP": "。！？｡．",
    "COMMA": ",،、，､︐",
    "COLON": ":：",
    "SEMICOLON": ";؛；",
    "HYPHEN": "-‐‑",
    "OPEN_QUOTE": "“‘",
    "CLOSE_QUOTE": "”",
    "QUOTE": '"«»‹›„‚‟‛`＂',
    "APOSTROPHE": "'’ʼ",
    "BULLET": "•*·‣▪▫■□●○◦►▶–>|~",
    "SLASH": "/\\_=+&%",
    "AT": "@",
    "HASH": "#",
}


def class_bits() -> list[int]:
    """Compute the bits of every code point."""
    bits = [0] * 0x110000
    # Surrogates belong to no class.
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    for position, pattern in enumerate(CLASSES.values()):
        for match in regex.finditer(pattern + "+", every):
            start, end = (index if index < 0xD800 else index + 0x800 for index in match.span())
            for code in range(start, end):
                if not 0xD800 <= code < 0xE000:
                    bits[code] |= 1 << position
    return bits


def _set(values: list[int], pattern: str, value: int) -> None:
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    for match in regex.finditer(f"(?V1){pattern}", every):
        values[ord(match[0])] = value


def scanner_kinds() -> list[int]:
    """Compute the scanner's kind of every code point."""
    kinds = [0] * 0x110000
    for name, pattern in KIND_BY_CLASS:
        _set(kinds, pattern, KINDS.index(name))
    for name, characters in KIND_BY_CHARACTER.items():
        for character in characters:
            kinds[ord(character)] = KINDS.index(name)
    return kinds


def lower_differences() -> list[int]:
    """Compute, modulo 2^16, what to add to a code point for its lower-case form; 0 where that is several characters."""
    differences = [0] * 0x110000
    for code in range(0x20000):
        lower = chr(code).lower()
        if len(lower) == 1 and abs(ord(lower) - code) < 1 << 15:
            differences[code] = (ord(lower) - code) & 0xFFFF
    # The typographic apostrophe is looked up like the straight one.
    differences[ord("’")] = (ord("'") - ord("’")) & 0xFFFF
    return differences


def two_levels(bits: list[int]) -> tuple[list[int], list[int]]:
    """Share equal blocks: give the number of each block and the blocks one after another."""
    numbers: dict[tuple[int, ...], int] = {}
    index = [
        numbers.setdefault(tuple(bits[start : start + BLOCK]), len(numbers)) for start in range(0, len(bits), BLOCK)
    ]
    return index, [value for block in numbers for value in block]


def _rows(values: list[int]) -> str:
    return ",\n".join(",".join(map(str, values[start : start + 32])) for start in range(0, len(values), 32))


def c_table(name: str, values: list[int]) -> str:
    """Write one table and its look-up function as C."""
    index, blocks = two_levels(values)
    index_type = "uint8_t" if max(index) < 256 else "uint16_t"
    block_type = "uint8_t" if max(blocks) < 256 else "uint16_t"
    return f"""
static const {index_type} {name}_index[{len(index)}] = {{
{_rows(index)}
}};
static const {block_type} {name}_blocks[{len(blocks)}] = {{
{_rows(blocks)}
}};
static inline uint32_t {name}(uint32_t code) {{
    return {name}_blocks[((uint32_t){name}_index[code >> 8] << 8) | (code & 255u)];
}}
"""


def c_header(guard: str, body: str) -> str:
    """Wrap tables into a header file."""
    return f"""/* Generated by generate_tables.py; do not edit. */
#ifndef {guard}
#define {guard}
#include <stdint.h>
{body}#endif
"""


def python_table(name: str, values: list[int]) -> str:
    """Write one table as a Python constant: the length of its index, and the packed numbers."""
    index, blocks = two_levels(values)
    packed = base64.b85encode(zlib.compress(array("H", index + blocks).tobytes(), 9)).decode("ascii")
    lines = "\n".join(f'    "{packed[start : start + 100]}"' for start in range(0, len(packed), 100))
    return f"""
{name} = _unpack(
{lines}
)
"""


PYTHON_HEAD = '''"""Classes of code points. Generated by _kernels/generate_tables.py; do not edit."""

from __future__ import annotations

import base64
import sys
import zlib
from array import array

#: Blocks of 256 code points, numbered by the first part of each table.
_BLOCKS = 0x1100


def _unpack(packed: str) -> array[int]:
    table = array("H")
    table.frombytes(zlib.decompress(base64.b85decode(packed)))
    if sys.byteorder == "big":
        table.byteswap()
    return table


def _look_up(table: array[int], code: int) -> int:
    return table[_BLOCKS + (table[code >> 8] << 8) + (code & 255)]


'''
PYTHON_TAIL = '''

def class_of(char: str) -> int:
    """Give the class bits of one character."""
    return _look_up(_CLASSES, ord(char))


def kind_of(char: str) -> int:
    """Give the boundary scanner's kind of one character."""
    return _look_up(_KINDS, ord(char))


def lower_of(char: str) -> str:
    """Give the lower-case form of one character, itself where that would be several; ’ becomes the straight one."""
    return chr(ord(char) + ((_look_up(_LOWER, ord(char)) + 0x8000 & 0xFFFF) - 0x8000))
'''


def main() -> None:
    """Write the C headers and the Python module."""
    bits, kinds, lower = class_bits(), scanner_kinds(), lower_differences()
    defines = "".join(f"#define UC_{name} {1 << position}u\n" for position, name in enumerate(CLASSES))
    kind_defines = "".join(f"#define K_{name} {number}\n" for number, name in enumerate(KINDS))
    files = {
        HERE / "unicode_classes.h": c_header("TEXTPREP_UNICODE_CLASSES_H", defines + c_table("uc_class", bits)),
        HERE / "scanner_kinds.h": c_header(
            "TEXTPREP_SCANNER_KINDS_H", kind_defines + c_table("uc_kind", kinds) + c_table("uc_lower_difference", lower)
        ),
        HERE.parent / "_unicode_table.py": PYTHON_HEAD
        + "".join(f"{name} = {1 << position}\n" for position, name in enumerate(CLASSES))
        + "\n#: Names of the scanner's kinds, in the order of their numbers.\nKINDS = (\n"
        + "".join(f'    "{name}",\n' for name in KINDS)
        + ")\n"
        + python_table("_CLASSES", bits)
        + python_table("_KINDS", kinds)
        + python_table("_LOWER", lower)
        + PYTHON_TAIL,
    }
    for path, content in files.items():
        path.write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
