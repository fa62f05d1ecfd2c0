"""Twin of the word scanner: one pass from left to right, no decision is ever taken back.

The scanner knows shapes (a number, a URL, a word with a hyphen), not words. What words mean comes in as `Rules`: a
table from word to what it may do, the endings and beginnings that are cut off, and flags.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from textprep_ml._kernels._pure.word_shapes import (
    APOSTROPHES,
    HYPHENS,
    NO_BLANKS,
    OPENERS,
    PIECES,
    RUNS,
    SIGNS,
    WORD,
    Rules,
    Shapes,
    ascii_lower,
    straight,
)
from textprep_ml._kernels.word_flags import Action, Flag
from textprep_ml._unicode_table import DIGIT, FORMAT, LETTER, LOWER, MARK, SPACE, UPPER, class_of

__all__ = ["Rules", "spans", "tokens", "tokens_of_each"]


class _Scanner(Shapes):
    """One scan: decides where a word ends, and emits its pieces."""

    # --- words --------------------------------------------------------------------------------------------------------

    def hyphen(self, part: int, j: int) -> int:
        """End of the part behind the hyphen at `j` where it joins, else 0.

        A contraction that opens a clause (it's, they're, don't) is no part of a compound: there the hyphen stands for a
        dash. A noun with 's (mother-in-law's) is one.
        """
        q = self.part(j + 1)
        after = self.look_up(j + 1, q)[0]
        if q > self.run(j + 1) and after & (Action.PRONOUN | Action.AUXILIARY):
            return 0
        before = self.look_up(part, j)[0]
        if before & Action.PRONOUN:
            return 0
        if self.is_digit(j - 1) and self.is_digit(j + 1):
            return 0 if self.flags & Flag.SPLIT_RANGES and not self.long_number(part, j, q) else q
        if not self.flags & Flag.SPLIT_HYPHENS or before & Action.PREFIX or after & Action.SUFFIX:
            return q
        return 0

    def long_number(self, part: int, j: int, q: int) -> bool:
        """Whether digits with hyphens are a telephone number, a code or a date, not a range."""
        return (q - (j + 1) >= 4 and j - part != q - (j + 1)) or self.at(q) == "-" or self.at(part - 1) == "-"

    def dot(self, i: int, part: int, j: int) -> int:
        """How far the word goes on at the period at `j`: `j` itself where the period is a mark of its own."""
        if self.is_digit(j - 1) and self.is_digit(j + 1):
            return self.run(j + 1) if self.flags & (Flag.NUMBERS | Flag.DATE) else j
        if self.at(j + 1) == ".":
            return j
        single = j - part == 1 and bool(self.cls(part) & LETTER)
        if self.is_word(j + 1):
            q = self.run(j + 1)
            if single and q - (j + 1) == 1 and self.cls(j + 1) & LETTER:
                return self.acronym(j)
            if self.at(q) == "." and self.look_up(part, q)[0] & Action.ABBREVIATION:
                return q + 1
            next_kind = self.cls(j + 1)
            if next_kind & (UPPER | DIGIT) and self.look_up(part, j)[0] & (Action.ABBREVIATION | Action.DOUBTFUL):
                return j + 1
            return j
        action = self.look_up(part, j)[0] | self.look_up(i, j)[0]
        if action & Action.ABBREVIATION:
            return j + 1
        if action & Action.DOUBTFUL or (single and self.cls(part) & UPPER):
            return j + 1 if self.held_by_next(part, j + 1, single) else j
        return j

    def acronym(self, j: int) -> int:
        """End of single letters with periods between them; the last period belongs to it."""
        while self.at(j) == "." and self.cls(j + 1) & LETTER and self.run(j + 1) == j + 2:
            j += 2
        return j + 1 if self.at(j) == "." and self.at(j + 1) != "." else j

    def held_by_next(self, part: int, k: int, single: bool) -> bool:
        """Whether the text after the period shows an abbreviation: it goes on, or a name follows an initial."""
        for _ in range(3):
            if self.cls(k) & SPACE and self.s[k] != "\n":
                k += 1
        if not single:
            return (
                bool(self.cls(k) & (LOWER | DIGIT))
                or self.at(k) in ",;:)"
                or (self.at(k) in "#(\u00a7\u2116" and self.is_digit(k + 1))
            )
        if self.s[part] == "I" and not (self.cls(k) & UPPER and self.at(k + 1) == "."):
            return False
        return bool(self.cls(k) & UPPER)

    def joint(self, i: int, j: int) -> int:
        """How far the word goes on at another mark: in numbers, names with ``&`` or ``/``, masked and code words."""
        c, flags = self.s[j], self.flags
        if self.is_digit(j - 1) and self.is_digit(j + 1):
            if (
                (c == "," and flags & Flag.NUMBERS)
                or (c == ":" and flags & Flag.TIME)
                or (c == "/" and flags & Flag.DATE)
            ):
                return self.run(j + 1)
            if c == "+" and flags & Flag.NUMBERS:
                return j
        if (
            c == "+"
            and flags & Flag.NUMBERS
            and self.s[j - 1] in "eE"
            and self.is_digit(j - 2)
            and self.is_digit(j + 1)
        ):
            return self.run(j + 1)
        if c in "&/" and self.is_word(j + 1):
            q = self.run(j + 1)
            if j - i == 1 and q - j == 2 and self.cls(i) & LETTER and self.cls(j + 1) & LETTER:
                return q
            if c == "&" and j - i <= 4 and q - j <= 5 and self.all_upper(i, j) and self.all_upper(j + 1, q):
                return q
            if c == "/" and self.look_up(i, j)[0] & self.look_up(j + 1, q)[0] & Action.UNIT:
                return q
            return j
        if c == "*":
            k = self.repeat(j)
            return self.run(k) if self.cls(j - 1) & LETTER and self.is_word(k) and self.cls(k) & LETTER else j
        if flags & Flag.CODE:
            if c == ":" and self.at(j + 1) == ":" and self.is_word(j + 2):
                return self.run(j + 2)
            if c == "(" and self.at(j + 1) == ")":
                return j + 2
            if c in "+#" and j - i == 1 and self.cls(i) & UPPER:
                k = self.repeat(j)
                if k - j == (2 if c == "+" else 1) and not self.is_word(k):
                    return k
        return j

    def word(self, i: int, body: int, out: list[tuple[int, int]]) -> int:
        """Emit the word that starts at `i` (its first word character is at `body`, after a sign) and give its end."""
        j = self.run(body)
        part, joined = body, False
        while j < self.n:
            c = self.s[j]
            if c in APOSTROPHES:
                if not self.is_word(j + 1):
                    if self.look_up(part, j + 1)[0] & Action.CUT:
                        j += 1
                    break
                joined = True
                j = self.run(j + 1)
                continue
            if c not in ".,:/\\-\u2010\u2011@&*+#%($":
                break
            if c in ".:/\\-@+%" and (e := self.protected(i, j)) > j:
                out.append((i, e))
                return e
            if c in HYPHENS:
                e = self.hyphen(part, j) if self.is_word(j + 1) else 0
                if not e:
                    break
                joined |= e > self.run(j + 1) or self.rules.hyphen_endings
                part, j = j + 1, e
                continue
            if c == "$":
                if self.flags & Flag.CURRENCY and j - i <= 3 and self.is_digit(j + 1) and self.all_upper(i, j):
                    j += 1
                break
            e = self.dot(i, part, j) if c == "." else self.joint(i, j)
            if e == j:
                break
            j = e
        self.contract(i, j, joined, out)
        return j

    # --- contractions and units ---------------------------------------------------------------------------------------

    def contract(self, i: int, j: int, joined: bool, out: list[tuple[int, int]]) -> None:
        """Emit ``text[i:j]``, cut as the table, the endings and the beginnings say."""
        action, cuts = self.look_up(i, j)
        if action & Action.CUT:
            self.emit(i, j, [i + cut for cut in cuts], out)
        elif (
            self.flags & Flag.SPLIT_UNITS and self.is_digit(i) and not self.is_digit(j - 1) and (cut := self.unit(i, j))
        ):
            self.emit(i, j, [cut], out)
        elif joined:
            self.emit(i, j, self.clitics(i, j), out)
        else:
            out.append((i, j))

    def emit(self, i: int, j: int, cuts: Sequence[int], out: list[tuple[int, int]]) -> None:
        for cut in cuts:
            out.append((i, cut))
            i = cut
        out.append((i, j))

    def clitics(self, i: int, j: int) -> list[int]:
        """Where beginnings (l', d') and endings ('s, n't) are cut off, from left to right."""
        left: list[int] = []
        right: list[int] = []
        while len(left) < PIECES // 2 and (e := self.beginning(left[-1] if left else i, j)):
            left.append(e)
        start = left[-1] if left else i
        while len(right) < PIECES // 2 - 1 and (e := self.ending(start, right[-1] if right else j)):
            right.append(e)
        return left + right[::-1]

    def beginning(self, i: int, j: int) -> int:
        for entry in self.rules.beginnings:
            e = i + len(entry)
            if e < j and ascii_lower(straight(self.s[i:e])) == entry:
                return e
        return 0

    def ending(self, i: int, j: int) -> int:
        for entry in self.rules.endings:
            e = j - len(entry)
            if e > i and ascii_lower(straight(self.s[e:j])) == entry:
                if self.flags & Flag.KEEP_DECADES and self.is_digit(e - 1):
                    return 0
                return e
        return 0

    def unit(self, i: int, j: int) -> int:
        k = j
        while k > i and j - k < 8 and self.cls(k - 1) & LETTER:
            k -= 1
        return k if k > i and self.cls(k - 1) & DIGIT and self.look_up(k, j)[0] & Action.UNIT else 0

    # --- marks --------------------------------------------------------------------------------------------------------

    def apostrophe(self, i: int, out: list[tuple[int, int]]) -> int:
        """A quote pair, a clitic after a quote, a word with a leading apostrophe, a decade ('90s), or one mark."""
        if self.at(i + 1) == self.s[i]:
            out.append((i, i + 2))
            return i + 2
        if i > 0 and not class_of(self.s[i - 1]) & SPACE and self.s[i - 1] not in OPENERS:
            for entry in self.rules.endings:
                e = i + len(entry)
                if (
                    entry[0] == "'"
                    and e <= self.n
                    and ascii_lower(straight(self.s[i:e])) == entry
                    and not self.is_word(e)
                ):
                    out.append((i, e))
                    return e
        if not self.before_is_word(i) and self.is_word(i + 1):
            q = self.run(i + 1)
            if self.at(q) in APOSTROPHES and self.look_up(i, q + 1)[0] & Action.CUT:
                q += 1
            decade = (
                self.is_digit(i + 1) and self.is_digit(i + 2) and (q == i + 3 or (q == i + 4 and self.s[i + 3] == "s"))
            )
            if decade and self.flags & Flag.DATE:
                out.append((i, q))
                return q
            if self.look_up(i, q)[0] & Action.CUT:
                self.contract(i, q, False, out)
                return q
        out.append((i, i + 1))
        return i + 1

    def mark(self, i: int, out: list[tuple[int, int]]) -> int:
        """Emit what starts with a mark at `i` and give its end."""
        c, flags = self.s[i], self.flags
        if c in APOSTROPHES or c == "`":
            return self.apostrophe(i, out)
        e = self.emoticon(i) if flags & Flag.EMOTICON and c in ":;=(<>^-" else 0
        if not e and (c in SIGNS or c == ".") and flags & Flag.NUMBERS and not self.before_is_word(i):
            body = i + 1 + (c != "." and self.at(i + 1) == ".")
            if self.is_digit(body) and (c != "." or self.at(i - 1) != ".") and self.at(i - 1) not in ")]%":
                return self.word(i, body, out)
        if not e and c in "#@/~_&.":
            e = self.prefixed(i)
        if not e and c == "[" and flags & Flag.CITATION:
            e = self.bracket(i)
        if not e:
            e = self.emoji(i)
        if not e and flags & Flag.MARK_RUNS and c in "!?.":
            e = i
            while self.at(e) in "!?.":
                e += 1
        if not e and c in RUNS:
            e = self.repeat(i)
            if (c in "-=" and self.at(e) == ">") or (c == "<" and e == i + 1 and self.at(e) in "-="):
                e += 1
        if e <= i + 1:
            e = self.extend(i + 1)
        out.append((i, e))
        return e

    def unspaced(self, i: int) -> int:
        """End of a character with its marks, or of a run of one script."""
        if not self.flags & Flag.UNSPACED_RUNS:
            return self.extend(i + 1)
        group = self.script(i)
        while i < self.n and (self.script(i) == group or self.cls(i) & MARK):
            i += 1
        return i

    def other(self, i: int) -> int:
        """End of a run of format characters, or of one character of no class."""
        if not self.cls(i) & FORMAT:
            return self.extend(i + 1)
        while self.cls(i) & FORMAT and not self.cls(i) & SPACE:
            i += 1
        return i

    def scan(self, i: int, limit: int, out: list[tuple[int, int]]) -> int:
        """Emit tokens from `i` on until the text ends or fewer than `PIECES` places are left; give the place."""
        while i < self.n and len(out) + PIECES <= limit:
            kind = self.cls(i)
            if kind & SPACE:
                i += 1
            elif kind & NO_BLANKS or self.script(i):
                e = self.unspaced(i)
                out.append((i, e))
                i = e
            elif kind & WORD:
                if (
                    kind & DIGIT
                    and (self.at(i + 1) == "\u20e3" or self.s[i + 1 : i + 3] == "\ufe0f\u20e3")
                    and i + 2 <= self.n
                ):
                    e = self.extend(i + 1)
                    out.append((i, e))
                    i = e
                else:
                    i = self.word(i, i, out)
            elif kind & FORMAT or not kind:
                e = self.other(i)
                out.append((i, e))
                i = e
            else:
                i = self.mark(i, out)
        return i


def spans(rules: Rules, text: str, start: int = 0, stop: int | None = None) -> np.ndarray:
    """Give the token spans of ``text[start:stop]`` as an ``(n, 2)`` intp array."""
    out: list[tuple[int, int]] = []
    stop = len(text) if stop is None else stop
    _Scanner(text, stop, rules).scan(start, 2 * len(text) + 2 * PIECES, out)
    return np.array(out, dtype=np.intp).reshape(-1, 2)


def spans_of_each(rules: Rules, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Give ``(offsets, spans)``: the spans of all texts in one array, and where those of each begin, and the end."""
    found = [spans(rules, text) for text in texts]
    offsets = np.cumsum([0, *map(len, found)], dtype=np.intp)
    return offsets, np.concatenate([np.empty((0, 2), dtype=np.intp), *found])


def tokens(rules: Rules, text: str) -> list[str]:
    """Give the tokens of `text` as strings."""
    out: list[tuple[int, int]] = []
    _Scanner(text, len(text), rules).scan(0, 2 * len(text) + 2 * PIECES, out)
    return [text[start:end] for start, end in out]


def tokens_of_each(rules: Rules, texts: list[str]) -> list[list[str]]:
    """Give the tokens of every text."""
    return [tokens(rules, text) for text in texts]
