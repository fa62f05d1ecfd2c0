"""Twin of the word scanner: one pass from left to right, no decision is ever taken back.

The scanner knows shapes (a number, a URL, a word with a hyphen), not words. What words mean comes in as `Rules`: a
table from word to what it may do, the endings and beginnings that are cut off, and flags. Every look ahead is either
bounded, or consumed, or remembered in `_Scanner` up to where it holds, so that the work is linear in the text whatever
the text is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from textprep_ml._kernels.word_flags import Action, Flag
from textprep_ml._unicode_table import (
    DIGIT,
    FORMAT,
    IDEOGRAPH,
    LETTER,
    LOWER,
    MARK,
    NUMBER,
    PICTOGRAPH,
    PUNCTUATION,
    SPACE,
    UNSPACED,
    UPPER,
    class_of,
)  # fmt: skip

_LONGEST_KEY = 32
_PIECES = 8
_WORD = LETTER | MARK | NUMBER
_NO_BLANKS = IDEOGRAPH | UNSPACED

_APOSTROPHES = "'\u2019\u02bc\uff07"
_HYPHENS = "-\u2010\u2011"
_SIGNS = "-+\u2212\u00b1"
_JOINERS = "\u00ad\u200c\u200d\u2060"
_RUNS = ".-=*_~#+<>&|^/\\\u2026\u2014\u2500"
_URL_STOPS = '<>"{}|\\^`\u201c\u201d\u00ab\u00bb'
_URL_TRIMS = ".,;:!?'\u2019*"
_OPENERS = "([{<\"'`\u2018\u201c\u00ab"


class Rules:
    """What the scanner is told about words; the same arguments as the compiled one."""

    def __init__(
        self,
        flags: int,
        words: Mapping[str, tuple[int, Sequence[int]]],
        endings: Sequence[str] = (),
        beginnings: Sequence[str] = (),
    ) -> None:
        self.flags = flags
        self.words = {key: (action, tuple(cuts)) for key, (action, cuts) in words.items() if len(key) <= _LONGEST_KEY}
        self.endings = tuple(endings)
        self.beginnings = tuple(beginnings)
        self.hyphen_endings = any(ending[0] == "-" for ending in endings)


def _straight(text: str) -> str:
    for mark in _APOSTROPHES[1:]:
        text = text.replace(mark, "'")
    return text


def _ascii_lower(text: str) -> str:
    return "".join(char.lower() if "A" <= char <= "Z" else char for char in text)


class _Scanner:
    """One scan over ``text[:stop]``; `_fail` and `_known` hold how far a look ahead has been settled."""

    def __init__(self, text: str, stop: int, rules: Rules) -> None:
        self.s = text
        self.n = stop
        self.rules = rules
        self.flags = rules.flags
        self.mail_end = -1
        self.chain_end = self.chain_valid = -1
        self.path_end = -1
        self.path_valid = False

    # --- characters ---------------------------------------------------------------------------------------------------

    def at(self, i: int) -> str:
        return self.s[i] if 0 <= i < self.n else "\0"

    def cls(self, i: int) -> int:
        return class_of(self.s[i]) if 0 <= i < self.n else 0

    def is_word(self, i: int) -> bool:
        kind = self.cls(i)
        return bool(kind & _WORD) and not kind & _NO_BLANKS

    def is_digit(self, i: int) -> bool:
        return bool(self.cls(i) & DIGIT)

    def before_is_word(self, i: int) -> bool:
        return i > 0 and bool(class_of(self.s[i - 1]) & _WORD)

    def all_upper(self, i: int, j: int) -> bool:
        return all(self.cls(k) & UPPER for k in range(i, j))

    def look_up(self, i: int, j: int) -> tuple[int, tuple[int, ...]]:
        if not 0 < j - i <= _LONGEST_KEY:
            return 0, ()
        return self.rules.words.get(_straight(self.s[i:j]), (0, ()))

    # --- runs ---------------------------------------------------------------------------------------------------------

    def run(self, i: int) -> int:
        """End of the run of word characters; underscores and joiners count between two of them."""
        while True:
            while self.is_word(i):
                i += 1
            if self.at(i) == "_":
                k = i
                while self.at(k) == "_":
                    k += 1
                if not self.is_word(k):
                    return i
                i = k
            elif i < self.n and self.s[i] in _JOINERS and self.is_word(i + 1):
                i += 1
            else:
                return i

    def part(self, i: int) -> int:
        """End of a run with inner apostrophes."""
        i = self.run(i)
        while i < self.n and self.s[i] in _APOSTROPHES and self.is_word(i + 1):
            i = self.run(i + 1)
        return i

    def repeat(self, i: int) -> int:
        k = i
        while k < self.n and self.s[k] == self.s[i]:
            k += 1
        return k

    def extend(self, i: int) -> int:
        while self.cls(i) & MARK:
            i += 1
        return i

    # --- protected patterns -------------------------------------------------------------------------------------------

    def url_end(self, k: int) -> int:
        """End of a URL whose body starts at `k`, or 0; a closing bracket belongs to it only if it was opened inside."""
        e, balance = k, 0
        while e < self.n and not self.cls(e) & (SPACE | IDEOGRAPH) and self.s[e] not in _URL_STOPS:
            balance += (self.s[e] in "([") - (self.s[e] in ")]")
            e += 1
        while e > k:
            if self.s[e - 1] in ")]" and balance < 0:
                balance += 1
            elif self.s[e - 1] not in _URL_TRIMS:
                break
            e -= 1
        return e if e > k else 0

    def mail(self, i: int) -> int:
        """End of an e-mail address that starts at `i`, or 0."""
        if i >= self.mail_end:
            k = i
            while self.is_word(k) or self.at(k) in "._%+-":
                k += 1
            self.mail_end = k
        k = self.mail_end
        if self.at(k) != "@" or not self.is_word(k + 1):
            return 0
        e = k + 1
        while self.is_word(e) or self.at(e) in ".-_":
            e += 1
        while not self.is_word(e - 1):
            e -= 1
        return e

    def chain(self, i: int, j: int) -> int:
        """End of a host, file or code name made of labels and periods, or 0; `j` is the first period or hyphen."""
        if i >= self.chain_end:
            self.settle_chain(i)
        e = self.chain_valid
        return e if e > j else 0

    def settle_chain(self, i: int) -> None:
        """Find the end of the labels and the last place where they may end as a name."""
        k, label, valid, underscore = i, i, -1, False
        while self.is_word(k) or (self.at(k) in "._-" and (self.is_word(k + 1) or self.at(k + 1) == "_") and k > i):
            if self.at(k) == ".":
                label = k + 1
            underscore |= self.at(k) == "_"
            k += 1
            if label > i and (k - label > 1 or label - i > 2) and not self.is_word(k) and self.at(k) not in "_-":
                action = self.look_up(label, k)[0]
                follows = self.at(k) != "." or not self.is_word(k + 1) or bool(self.cls(k + 1) & UPPER)
                if follows and (
                    (action & Action.DOMAIN and self.flags & Flag.URL)
                    or (action & Action.EXTENSION and self.flags & Flag.FILE)
                    or (self.flags & Flag.CODE and (underscore or (self.at(k) == "(" and self.at(k + 1) == ")")))
                ):
                    valid = k
        self.chain_end, self.chain_valid = k, valid

    def path(self, i: int, j: int) -> int:
        """End of a path with slashes whose last part has a known extension, or 0."""
        if i >= self.path_end:
            k, dot, slash = i, -1, -1
            while k < self.n and (self.is_word(k) or self.s[k] in "._-/~+%\\"):
                if self.s[k] == ".":
                    dot = k
                elif self.s[k] in "/\\":
                    slash = k
                k += 1
            while k > i and not self.is_word(k - 1):
                k -= 1
            self.path_end = k
            self.path_valid = slash < dot < k - 1 and bool(self.look_up(dot + 1, k)[0] & Action.EXTENSION)
        return self.path_end if self.path_valid and self.path_end > j else 0

    def protected(self, i: int, j: int) -> int:
        """End of a URL, address, file or code name that starts at `i` and goes on at `j` with a mark, or 0."""
        c, flags = self.s[j], self.flags
        if c == ":":
            if flags & Flag.URL and self.at(j + 1) == "/" and self.at(j + 2) == "/" and self.cls(i) & LETTER:
                return self.url_end(j + 3)
            if flags & Flag.EMAIL and self.is_word(j + 1) and j - i == 6 and _ascii_lower(self.s[i:j]) == "mailto":
                return self.mail(j + 1)
            if flags & Flag.FILE and j - i == 1 and self.at(j + 1) == "\\" and self.cls(i) & LETTER:
                return self.url_backslash(j + 1)
            return 0
        goes_on = self.is_word(j + 1)
        if flags & Flag.EMAIL and (goes_on or (c == "." and self.at(j + 1) == ".")) and (e := self.mail(i)):
            return e
        if not goes_on or c == "@":
            return 0
        if flags & Flag.URL and c == "." and j - i == 3 and _ascii_lower(self.s[i:j]) == "www":
            return self.url_end(j + 1)
        if c in "./\\" and flags & Flag.FILE and (e := self.path(i, j)):
            return e
        if c in ".-_" and (e := self.chain(i, j)):
            if self.at(e) == "(" and self.at(e + 1) == ")" and flags & Flag.CODE:
                return e + 2
            host_goes_on = (
                flags & Flag.URL
                and self.at(e) in "/?#:"
                and not self.cls(e + 1) & (SPACE | PUNCTUATION)
                and e + 1 < self.n
            )
            return self.url_end(e) if host_goes_on else e
        return 0

    def url_backslash(self, k: int) -> int:
        """End of a Windows path."""
        while k < self.n and (self.is_word(k) or self.s[k] in "\\._-~$%+"):
            k += 1
        while not self.is_word(k - 1) and self.s[k - 1] != "\\":
            k -= 1
        return k

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
            if c in _APOSTROPHES:
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
            if c in _HYPHENS:
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
        while len(left) < _PIECES // 2 and (e := self.beginning(left[-1] if left else i, j)):
            left.append(e)
        start = left[-1] if left else i
        while len(right) < _PIECES // 2 - 1 and (e := self.ending(start, right[-1] if right else j)):
            right.append(e)
        return left + right[::-1]

    def beginning(self, i: int, j: int) -> int:
        for entry in self.rules.beginnings:
            e = i + len(entry)
            if e < j and _ascii_lower(_straight(self.s[i:e])) == entry:
                return e
        return 0

    def ending(self, i: int, j: int) -> int:
        for entry in self.rules.endings:
            e = j - len(entry)
            if e > i and _ascii_lower(_straight(self.s[e:j])) == entry:
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
        if i > 0 and not class_of(self.s[i - 1]) & SPACE and self.s[i - 1] not in _OPENERS:
            for entry in self.rules.endings:
                e = i + len(entry)
                if (
                    entry[0] == "'"
                    and e <= self.n
                    and _ascii_lower(_straight(self.s[i:e])) == entry
                    and not self.is_word(e)
                ):
                    out.append((i, e))
                    return e
        if not self.before_is_word(i) and self.is_word(i + 1):
            q = self.run(i + 1)
            if self.at(q) in _APOSTROPHES and self.look_up(i, q + 1)[0] & Action.CUT:
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

    def emoticon(self, i: int) -> int:
        """End of a face made of marks, or 0. Letters count as mouths only where no word goes on."""
        s, c = self.s, self.s[i]
        after_word = self.before_is_word(i)
        if c in ":;=":
            k = i + 1
            if self.at(k) in "'\u2019":
                k += 1
            if self.at(k) in "-o^*" and self.at(k + 1) not in "\0 ":
                k += 1
            mouth = self.at(k)
            if mouth in ")(][" and not (k == i + 1 and after_word and self.is_word(k + 1)):
                return self.repeat(k)
            if k == i + 1 and c == "=" and mouth not in "DPp":
                return 0
            if mouth in "DPpOo3Ss" and not after_word and not self.is_word(k + 1):
                return k + 1
            if mouth in "/\\|" and not after_word and self.at(k + 1) != mouth and not self.is_word(k + 1):
                return k + 1
            return 0
        if c == "(" and self.at(i + 1) in ":;" and not after_word and not self.is_word(i + 2):
            return i + 2
        if c == "<" and self.at(i + 1) == "3" and not self.is_word(i + 2):
            return i + 2
        if c == ">" and self.at(i + 1) == ":" and self.at(i + 2) in "()":
            return i + 3
        if c in "^-" and s[i + 1 : i + 3] in ("_^", "_-") and self.at(i + 2) == c and i + 3 <= self.n:
            return i + 3
        return 0

    def emoji(self, i: int) -> int:
        """End of the picture at `i` with its modifiers and joined pictures, or of a flag; 0 where there is none."""
        if "\U0001f1e6" <= self.at(i) <= "\U0001f1ff":
            return i + 2 if "\U0001f1e6" <= self.at(i + 1) <= "\U0001f1ff" else i + 1
        if not self.cls(i) & PICTOGRAPH:
            return 0
        k = i + 1
        while k < self.n:
            c = self.s[k]
            if c in "\ufe0e\ufe0f\u20e3" or "\U0001f3fb" <= c <= "\U0001f3ff" or "\U000e0020" <= c <= "\U000e007f":
                k += 1
            elif c == "\u200d" and self.cls(k + 1) & PICTOGRAPH:
                k += 2
            else:
                break
        return k

    def bracket(self, i: int) -> int:
        """End of a numeric citation such as [12], [3, 4] or [5-7], or 0."""
        k = i + 1
        while (
            k < self.n
            and k - i < 32
            and (
                self.is_digit(k)
                or (k > i + 1 and self.s[k] in ",;-\u2013 " and self.is_digit(k + 1 + (self.at(k + 1) == " ")))
            )
        ):
            k += 1
        return k + 1 if k > i + 1 and self.at(k) == "]" and self.is_digit(k - 1) else 0

    def prefixed(self, i: int) -> int:
        """End of a hashtag, a handle, a rooted path, an underscored name or an entity; 0 where there is none."""
        c, flags = self.s[i], self.flags
        if c == "#" and flags & Flag.HASHTAG and self.is_word(i + 1) and not self.before_is_word(i):
            q = self.run(i + 1)
            k = i + 1
            while k < q and not self.cls(k) & LETTER:
                k += 1
            return q if k < q else 0
        if (
            c == "@"
            and flags & Flag.HANDLE
            and (self.is_word(i + 1) or self.at(i + 1) == "_")
            and not self.before_is_word(i)
        ):
            return self.run(i + 1) if self.is_word(i + 1) else 0
        if c in "/~" and flags & Flag.FILE and (i == 0 or class_of(self.s[i - 1]) & SPACE or self.s[i - 1] in _OPENERS):
            return self.rooted(i)
        if c == "_" and flags & Flag.CODE:
            k = self.repeat(i)
            if not self.is_word(k) or self.before_is_word(i):
                return 0
            e = self.run(k)
            tail = self.repeat(e) - e if self.at(e) == "_" else 0
            return e + tail if tail in (0, k - i) and (tail != 1) and k - i <= 2 else 0
        if c == "&" and flags & Flag.CODE:
            k = i + 2 if self.at(i + 1) == "#" else i + 1
            e = k
            while e - k < 9 and self.is_word(e):
                e += 1
            return e + 1 if e > k and self.at(e) == ";" else 0
        return 0

    def rooted(self, i: int) -> int:
        """End of a path from the root or the home: at least two parts, or one with a known extension."""
        k, parts = i, 0
        if self.s[k] == "~":
            k += 1
            parts = 1
        while self.at(k) == "/" and (self.is_word(k + 1) or (self.at(k + 1) in "._" and self.is_word(k + 2))):
            k += 1
            parts += 1
            while k < self.n and (self.is_word(k) or self.s[k] in "._-+%"):
                k += 1
        while k > i and not self.is_word(k - 1):
            k -= 1
        return k if parts >= 2 else 0

    def mark(self, i: int, out: list[tuple[int, int]]) -> int:
        """Emit what starts with a mark at `i` and give its end."""
        c, flags = self.s[i], self.flags
        if c in _APOSTROPHES or c == "`":
            return self.apostrophe(i, out)
        e = self.emoticon(i) if flags & Flag.EMOTICON and c in ":;=(<>^-" else 0
        if not e and (c in _SIGNS or c == ".") and flags & Flag.NUMBERS and not self.before_is_word(i):
            body = i + 1 + (c != "." and self.at(i + 1) == ".")
            if self.is_digit(body) and (c != "." or self.at(i - 1) != ".") and self.at(i - 1) not in ")]%":
                return self.word(i, body, out)
        if not e and c in "#@/~_&":
            e = self.prefixed(i)
        if not e and c == "[" and flags & Flag.CITATION:
            e = self.bracket(i)
        if not e:
            e = self.emoji(i)
        if not e and flags & Flag.MARK_RUNS and c in "!?.":
            e = i
            while self.at(e) in "!?.":
                e += 1
        if not e and c in _RUNS:
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

    def script(self, i: int) -> int:
        """1 Hiragana, 2 Katakana (with the long-vowel mark), 3 other ideographs, 4 Thai and its like, 0 the rest."""
        c, kind = self.at(i), self.cls(i)
        if "\u3041" <= c <= "\u309f":
            return 1
        if "\u30a0" <= c <= "\u30ff" or "\u31f0" <= c <= "\u31ff" or "\uff66" <= c <= "\uff9f":
            return 2
        return 3 if kind & IDEOGRAPH else 4 if kind & UNSPACED else 0

    def other(self, i: int) -> int:
        """End of a run of format characters, or of one character of no class."""
        if not self.cls(i) & FORMAT:
            return self.extend(i + 1)
        while self.cls(i) & FORMAT and not self.cls(i) & SPACE:
            i += 1
        return i

    def scan(self, i: int, limit: int, out: list[tuple[int, int]]) -> int:
        """Emit tokens from `i` on until the text ends or fewer than `_PIECES` places are left; give the place."""
        while i < self.n and len(out) + _PIECES <= limit:
            kind = self.cls(i)
            if kind & SPACE:
                i += 1
            elif kind & _NO_BLANKS or self.script(i):
                e = self.unspaced(i)
                out.append((i, e))
                i = e
            elif kind & _WORD:
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
    _Scanner(text, stop, rules).scan(start, 2 * len(text) + 2 * _PIECES, out)
    return np.array(out, dtype=np.intp).reshape(-1, 2)


def tokens(rules: Rules, text: str) -> list[str]:
    """Give the tokens of `text` as strings."""
    out: list[tuple[int, int]] = []
    _Scanner(text, len(text), rules).scan(0, 2 * len(text) + 2 * _PIECES, out)
    return [text[start:end] for start, end in out]


def tokens_of_each(rules: Rules, texts: list[str]) -> list[list[str]]:
    """Give the tokens of every text."""
    return [tokens(rules, text) for text in texts]
