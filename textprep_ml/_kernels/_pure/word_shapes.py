"""Shapes that the word scanner's twin looks for: characters, runs, protected patterns.

Every look ahead is either bounded, or consumed, or remembered up to where it holds, so that the work is linear in the
text whatever the text is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textprep_ml._kernels.word_flags import Action, Flag
from textprep_ml._unicode_table import (
    DIGIT,
    IDEOGRAPH,
    LETTER,
    MARK,
    NUMBER,
    PICTOGRAPH,
    PUNCTUATION,
    SPACE,
    UNSPACED,
    UPPER,
    class_of,
)

LONGEST_KEY = 32
PIECES = 8
WORD = LETTER | MARK | NUMBER
NO_BLANKS = IDEOGRAPH | UNSPACED

APOSTROPHES = "'\u2019\u02bc\uff07"
HYPHENS = "-\u2010\u2011"
SIGNS = "-+\u2212\u00b1"
JOINERS = "\u00ad\u200c\u200d\u2060"
RUNS = ".-=*_~#+<>&|^/\\\u2026\u2014\u2500"
URL_STOPS = '<>"{}|\\^`\u201c\u201d\u00ab\u00bb'
URL_TRIMS = ".,;:!?'\u2019*"
OPENERS = "([{<\"'`\u2018\u201c\u00ab"


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
        self.words = {key: (action, tuple(cuts)) for key, (action, cuts) in words.items() if len(key) <= LONGEST_KEY}
        self.endings = tuple(endings)
        self.beginnings = tuple(beginnings)
        self.hyphen_endings = any(ending[0] == "-" for ending in endings)


def straight(text: str) -> str:
    for mark in APOSTROPHES[1:]:
        text = text.replace(mark, "'")
    return text


def ascii_lower(text: str) -> str:
    return "".join(char.lower() if "A" <= char <= "Z" else char for char in text)


class Shapes:
    """What stands where in ``text[:stop]``; the `_end` attributes say how far a look ahead has been settled."""

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
        return bool(kind & WORD) and not kind & NO_BLANKS

    def is_digit(self, i: int) -> bool:
        return bool(self.cls(i) & DIGIT)

    def before_is_word(self, i: int) -> bool:
        return i > 0 and bool(class_of(self.s[i - 1]) & WORD)

    def all_upper(self, i: int, j: int) -> bool:
        return all(self.cls(k) & UPPER for k in range(i, j))

    def look_up(self, i: int, j: int) -> tuple[int, tuple[int, ...]]:
        if not 0 < j - i <= LONGEST_KEY:
            return 0, ()
        return self.rules.words.get(straight(self.s[i:j]), (0, ()))

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
            elif i < self.n and self.s[i] in JOINERS and self.is_word(i + 1):
                i += 1
            else:
                return i

    def part(self, i: int) -> int:
        """End of a run with inner apostrophes."""
        i = self.run(i)
        while i < self.n and self.s[i] in APOSTROPHES and self.is_word(i + 1):
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
        while e < self.n and not self.cls(e) & (SPACE | IDEOGRAPH) and self.s[e] not in URL_STOPS:
            balance += (self.s[e] in "([") - (self.s[e] in ")]")
            e += 1
        while e > k:
            if self.s[e - 1] in ")]" and balance < 0:
                balance += 1
            elif self.s[e - 1] not in URL_TRIMS:
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
            if flags & Flag.EMAIL and self.is_word(j + 1) and j - i == 6 and ascii_lower(self.s[i:j]) == "mailto":
                return self.mail(j + 1)
            if flags & Flag.FILE and j - i == 1 and self.at(j + 1) == "\\" and self.cls(i) & LETTER:
                return self.url_backslash(j + 1)
            return 0
        goes_on = self.is_word(j + 1)
        if flags & Flag.EMAIL and (goes_on or (c == "." and self.at(j + 1) == ".")) and (e := self.mail(i)):
            return e
        if not goes_on or c == "@":
            return 0
        if flags & Flag.URL and c == "." and j - i == 3 and ascii_lower(self.s[i:j]) == "www":
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

    # --- shapes that start with a mark --------------------------------------------------------------------------------

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
        if c in "/~." and flags & Flag.FILE and (i == 0 or class_of(self.s[i - 1]) & SPACE or self.s[i - 1] in OPENERS):
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
        """End of a path from the root (at least two parts), the home, the folder (./) or the one above (../), or 0."""
        k, parts = i, 0
        if self.s[k] in "~.":
            k += 2 if self.s[k] == "." == self.at(k + 1) else 1
            parts = 1
        while self.at(k) == "/" and (self.is_word(k + 1) or (self.at(k + 1) in "._" and self.is_word(k + 2))):
            k += 1
            parts += 1
            while k < self.n and (self.is_word(k) or self.s[k] in "._-+%"):
                k += 1
        while k > i and not self.is_word(k - 1):
            k -= 1
        return k if parts >= 2 else 0

    def script(self, i: int) -> int:
        """1 Hiragana, 2 Katakana (with the long-vowel mark), 3 other ideographs, 4 Thai and its like, 0 the rest."""
        c, kind = self.at(i), self.cls(i)
        if "\u3041" <= c <= "\u309f":
            return 1
        if "\u30a0" <= c <= "\u30ff" or "\u31f0" <= c <= "\u31ff" or "\uff66" <= c <= "\uff9f":
            return 2
        return 3 if kind & IDEOGRAPH else 4 if kind & UNSPACED else 0
