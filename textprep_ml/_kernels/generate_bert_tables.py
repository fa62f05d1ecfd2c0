"""Generate the tables of BERT's basic tokenization, which the kernel and its twin share.

Run ``python -m textprep_ml._kernels.generate_bert_tables`` with a Python whose Unicode is `UNICODE`, and commit what it
writes: ``bert_tables.h`` and ``_pure/bert_tables.py``. The vocabularies in use were made, and are used by other
libraries, with categories of Unicode 8.0 and canonical forms of Unicode 9.0; only lower case is kept up to date. So the
tables stay at these versions: a mark that was added later is neither dropped nor set apart.
"""

from __future__ import annotations

import base64
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from textprep_ml._kernels.generate_tables import c_header, c_table, two_levels

HERE = Path(__file__).parent
UNICODE = "14.0.0"

#: Name -> bit. What `c_table` holds beyond these bits is the combining class.
CLASSES = {"PUNCTUATION": 1, "CONTROL": 2, "NONSPACING": 4}
CLASS_SHIFT = 8

#: Punctuation, marks and format characters that came after Unicode 8.0.
LATER = """
61D 7FD 890-891 898-89F 8CA-8E2 9FD-9FE A76 AFA-AFF B55 C04 C3C C77 C84 D00 D3B-D3C D81 EBA 180F 1885-1886 1ABF-1ACE
1B7D-1B7E 1DF6-1DFB 2E43-2E4F 2E52-2E5D A82C A8C5 A8FF A9BD 10D24-10D27 10EAB-10EAD 10F46-10F50 10F55-10F59 10F82-10F89
11070 11073-11074 110C2 110CD 111C9 111CF 1123E 1133B 11438-1143F 11442-11444 11446 1144B-1144F 1145A-1145B 1145D-1145E
11660-1166C 116B9 1182F-11837 11839-1183B 1193B-1193C 1193E 11943-11946 119D4-119D7 119DA-119DB 119E0 119E2 11A01-11A0A
11A33-11A38 11A3B-11A47 11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A9C 11A9E-11AA2 11C30-11C36 11C38-11C3D 11C3F
11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47
11D90-11D91 11D95 11D97 11EF3-11EF4 11EF7-11EF8 11FFF 12FF1-12FF2 13430-13438 16E97-16E9A 16F4F 16FE2 16FE4 1CF00-1CF2D
1CF30-1CF46 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E130-1E136 1E2AE 1E2EC-1E2EF 1E944-1E94A
1E95E-1E95F
"""
#: Categories that have changed since: what they were.
FORMER = {0x166D: "Po", 0x111C9: "Po", 0x1734: "Mn"}
#: Combining classes, and the one decomposition, that came after Unicode 9.0.
LATER_COMBINING = """
7FD 898-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1ACE 1DF6-1DFA A82C 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85
11070 1133B 1145E 11839-1183A 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 16FF0-16FF1 1E130-1E136
1E2AE 1E2EC-1E2EF
"""
LATER_DECOMPOSED = {0x11938}
#: Letters with lower case that came after `UNICODE`: the first, the last, and the lower case of the first.
LATER_LOWER = (
    (0x1C89, 0x1C89, 0x1C8A), (0xA7CB, 0xA7CB, 0x264), (0xA7CC, 0xA7CC, 0xA7CD), (0xA7CE, 0xA7CE, 0xA7CF),
    (0xA7D2, 0xA7D2, 0xA7D3), (0xA7D4, 0xA7D4, 0xA7D5), (0xA7DA, 0xA7DA, 0xA7DB), (0xA7DC, 0xA7DC, 0x19B),
    (0x10D50, 0x10D65, 0x10D70), (0x16EA0, 0x16EB8, 0x16EBB),
)  # fmt: skip

_ASCII_PUNCTUATION = frozenset(map(ord, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
_KEPT_CONTROLS = frozenset(map(ord, "\t\n\r"))
_CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]

Pairs = list[tuple[int, list[int]]]


def _ranges(text: str) -> set[int]:
    codes: set[int] = set()
    for part in text.split():
        first, _, last = part.partition("-")
        codes.update(range(int(first, 16), int(last or first, 16) + 1))
    return codes


def classes() -> list[int]:
    """Compute class bits and combining class of every code point."""
    later, later_combining = _ranges(LATER), _ranges(LATER_COMBINING)
    values = [0] * 0x110000
    for code in _CODES:
        category = FORMER.get(code) or ("" if code in later else unicodedata.category(chr(code)))
        if category.startswith("P") or code in _ASCII_PUNCTUATION:
            values[code] |= CLASSES["PUNCTUATION"]
        if (category in ("Cc", "Cf", "Co") and code not in _KEPT_CONTROLS) or code == 0xFFFD:
            values[code] |= CLASSES["CONTROL"]
        if category == "Mn":
            values[code] |= CLASSES["NONSPACING"]
        if code not in later_combining:
            values[code] |= unicodedata.combining(chr(code)) << CLASS_SHIFT
    return values


def decompositions() -> Pairs:
    """List what decomposes canonically, Hangul apart, which goes by arithmetic."""
    whole = [(code, [ord(char) for char in unicodedata.normalize("NFD", chr(code))]) for code in _CODES]
    return [
        (code, parts)
        for code, parts in whole
        if parts != [code] and not 0xAC00 <= code < 0xD7A4 and code not in LATER_DECOMPOSED
    ]


def lower_case() -> Pairs:
    """List what has another lower case, character by character: no rule for a final sigma."""
    lower = {code: [ord(char) for char in chr(code).lower()] for code in _CODES if chr(code).lower() != chr(code)}
    for first, last, new in LATER_LOWER:
        lower |= {code: [new + code - first] for code in range(first, last + 1)}
    return sorted(lower.items())


def c_pairs(name: str, pairs: Pairs) -> str:
    """Write pairs as rows: a code point, and what becomes of it, filled up with zeros."""
    width = 1 + max(len(parts) for _, parts in pairs)
    rows = [[code, *parts] + [0] * (width - 1 - len(parts)) for code, parts in pairs]
    cells = [",".join(map(str, row)) for row in rows]
    lines = [",".join(cells[start : start + 6]) for start in range(0, len(cells), 6)]
    return (
        f"\n#define {name.upper()}_ROWS {len(rows)}\n#define {name.upper()}_WIDTH {width}\n"
        f"static const uint32_t {name}[{len(rows) * width}] = {{\n" + ",\n".join(lines) + "\n};\n"
    )


def _packed(text: str, indent: int = 4) -> str:
    data = base64.b85encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")
    return "\n".join(f'{" " * indent}"{data[start : start + 100]}"' for start in range(0, len(data), 100))


def _runs(values: list[int]) -> Iterator[str]:
    """Write every stretch of equal values that are not 0: first and last code point, value."""
    for value, group in groupby(range(len(values)), key=values.__getitem__):
        if value:
            codes = list(group)
            yield f"{codes[0]:x} {codes[-1]:x} {value:x}"


def _lines(pairs: Pairs) -> Iterable[str]:
    return (" ".join(f"{number:x}" for number in [code, *parts]) for code, parts in pairs)


PYTHON = '''"""Tables of BERT's basic tokenization. Generated by _kernels/generate_bert_tables.py; do not edit."""

from __future__ import annotations

import base64
import zlib
from bisect import bisect_right
from collections.abc import Iterator

{constants}

def _rows(packed: str) -> Iterator[list[int]]:
    for line in zlib.decompress(base64.b85decode(packed)).decode("utf-8").splitlines():
        yield [int(number, 16) for number in line.split()]


def _strings(packed: str) -> dict[str, str]:
    return {{chr(code): "".join(map(chr, parts)) for code, *parts in _rows(packed)}}


# Stretches of characters with the same bits: the first, the last, and the bits.
_FIRST, _LAST, _VALUES = zip(
    *_rows(
{values}
    ),
    strict=True,
)

#: Character -> what it decomposes to; Hangul goes by arithmetic.
DECOMPOSED = _strings(
{decomposed}
)

#: Character -> its lower case.
LOWERED = _strings(
{lowered}
)


def class_of(char: str) -> int:
    """Give the class bits of a character, and its combining class above them."""
    index = bisect_right(_FIRST, ord(char)) - 1
    return _VALUES[index] if index >= 0 and ord(char) <= _LAST[index] else 0
'''


def main() -> None:
    """Write the C header and the Python module."""
    if unicodedata.unidata_version != UNICODE:
        raise SystemExit(f"needs a Python with Unicode {UNICODE}, not {unicodedata.unidata_version}")
    values, decomposed, lowered = classes(), decompositions(), lower_case()
    assert max(two_levels(values)[1]) < 1 << 16
    defines = "".join(f"#define BERT_{name} {bit}u\n" for name, bit in CLASSES.items())
    defines += f"#define BERT_COMBINING_SHIFT {CLASS_SHIFT}\n"
    body = defines + c_table("bert_class", values)
    body += c_pairs("bert_decomposed", decomposed) + c_pairs("bert_lowered", lowered)
    (HERE / "bert_tables.h").write_text(c_header("TEXTPREP_BERT_TABLES_H", body), encoding="utf-8", newline="\n")
    constants = "".join(f"{name} = {bit}\n" for name, bit in CLASSES.items()) + f"COMBINING_SHIFT = {CLASS_SHIFT}\n"
    module = PYTHON.format(
        constants=constants,
        values=_packed("\n".join(_runs(values)), 8),
        decomposed=_packed("\n".join(_lines(decomposed))),
        lowered=_packed("\n".join(_lines(lowered))),
    )
    (HERE / "_pure" / "bert_tables.py").write_text(module, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
