"""Variants of labelled documents with other abbreviations: swapped within their group, or put where they belong."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textprep_ml.segmentation.documents import Document, Edit, apply_edits

_ABBREVIATION = re.compile(r"(?<![\w.])([A-Za-z][A-Za-z.]*)\.(?=[\s,;:)])")


def swap_abbreviations(document: Document, groups: Mapping[str, Sequence[str]], rng: random.Random) -> Document:
    """Replace known abbreviations by others that behave alike, so that a model learns the group and not the word.

    Parameters
    ----------
    document : Document
        The text and its sentences.
    groups : mapping of str to sequence of str
        Lower-cased abbreviation -> those that may take its place, without the final period.
    rng : random.Random
        Source of chance.

    Returns
    -------
    Document
        The variant.

    Examples
    --------
    >>> swap_abbreviations(Document("Mr. Bo left.", [(0, 12)]), {"mr": ["Dr"]}, random.Random(0)).text
    'Dr. Bo left.'
    """
    edits = []
    for match in _ABBREVIATION.finditer(document.text):
        others = groups.get(match[1].lower())
        if others:
            edits.append((match.start(1), match.end(1), rng.choice(others)))
    return apply_edits(document, edits)


def substitutes(abbreviations: Mapping[str, str], group_of: Mapping[str, object]) -> dict[str, list[str]]:
    """List, for each abbreviation, those of its group.

    Parameters
    ----------
    abbreviations : mapping of str to str
        Entry -> class.
    group_of : mapping of str to object
        Class -> group; classes that map to one group may stand for each other.

    Returns
    -------
    dict of str to list of str
        Lower-cased entry -> entries of the same group.
    """
    members: dict[object, list[str]] = {}
    for entry, name in abbreviations.items():
        members.setdefault(group_of[name], []).append(entry)
    return {entry.lower(): members[group_of[name]] for entry, name in abbreviations.items()}


@dataclass(frozen=True)
class AbbreviationInjector:
    """Put abbreviations where they belong: titles before names, companies after them, units after numbers.

    Corpora of one domain hold few of the abbreviations of another. The places are found by the case and the digits of
    the words alone, so the sentences make little sense but look right to a model that sees words by their class and
    form.

    Attributes
    ----------
    by_class : mapping of str to sequence of str
        Abbreviations, without the final period, of each class of `textprep_ml.abbreviations.CLASSES`.
    share : float
        Share of the possible places that get one.
    """

    by_class: Mapping[str, Sequence[str]]
    share: float = 0.2

    def __call__(self, document: Document, rng: random.Random) -> Document:
        """Make the variant.

        Parameters
        ----------
        document : Document
            The text and its sentences.
        rng : random.Random
            Source of chance.

        Returns
        -------
        Document
            The variant.
        """
        edits: list[Edit] = []
        names = re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", document.text) or ["Adler"]
        final: list[Edit] = []
        for start, end in document.sentences:
            words = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\S+", document.text[start:end])]
            # An initial at the end of a sentence and a name at the start of the next would look like one name.
            if words and not (final and final[0][2][1:] in _INITIALS):
                edits += self._opening(start, words[0][2], names, rng)
            final = []
            for (_, _, before), (at, to, word), (_, _, after) in zip(words, words[1:], words[2:], strict=False):
                if rng.random() < self.share:
                    edits += self._inside(start + at, start + to, before, word, after, rng)
            # There is one last word in a sentence, but many places inside: without this the model would hardly end one.
            if words and rng.random() < 2 * self.share:
                final = self._final(start + words[-1][0], words[-1][2], names, rng)
                edits += final
        return apply_edits(document, edits)

    def _pick(self, rng: random.Random, *classes: str) -> str:
        choices = [name for name in classes if self.by_class.get(name)]
        return rng.choice(self.by_class[rng.choice(choices)]) if choices else "No"

    def _opening(self, start: int, word: str, names: Sequence[str], rng: random.Random) -> list[Edit]:
        """Edits of the first word of a sentence: what follows an abbreviation must not always be a pronoun."""
        if word in _PRONOUNS and rng.random() < self.share / 2:
            return [(start, start + len(word), rng.choice(names))]
        if word in _DETERMINERS and rng.random() < self.share:
            return [(start, start + len(word), rng.choice((str(rng.randint(2, 99)), f"{rng.randint(2, 40)} of the")))]
        if _is_name(word) and rng.random() < self.share / 8:
            initials = rng.choice((f"{rng.choice(_INITIALS)}. {rng.choice(_INITIALS)}.", rng.choice(_INITIALS)))
            return [(start, start, f"{initials} ")]
        return []

    def _inside(self, at: int, to: int, before: str, word: str, after: str, rng: random.Random) -> list[Edit]:
        """Edits around `word`, which stands at [at, to) inside a sentence."""
        if word.strip(",") in _DAYS and rng.random() < 0.5:
            return [(at, at, f"{rng.randint(1, 12)} {rng.choice(('a.m', 'p.m', 'p.m'))}. ")]
        if _is_name(word) and _is_name(after):
            kind = rng.random()
            if kind < 0.6:
                title = f"{self._pick(rng, 'title', 'rank')}. " if kind < 0.2 else ""
                return [(at, at, title), (to, to, f" {rng.choice(_INITIALS)}.")]
            if kind < 0.75:
                return [(to, to, rng.choice((" v.", " v.", " vs.")))]
            if kind < 0.85:
                return [(to, to, f" {self._pick(rng, 'company', 'state', 'country')}.")]
            return [(at, at, f"{self._pick(rng, 'title', 'rank', 'given')}. ")]
        if _is_name(word) and after[:1].islower():
            if rng.random() < 0.4:
                initials = f"{rng.choice(_INITIALS)}.{rng.choice(('', ' '))}{rng.choice(_INITIALS)}"
                return [(at, at, f"{rng.choice((self._pick(rng, 'title', 'rank'), initials))}. ")]
            comma = rng.choice(("", ","))
            return [(to, to, f"{comma} {self._pick(rng, 'company', 'suffix', 'state')}.{comma}")]
        if after[:1].islower() and rng.random() < _label_share(word, after):
            label = rng.choice((f"{rng.randint(2, 9)}.", f"{rng.randint(2, 9)})", f"({rng.choice('abcdef')})"))
            return [(to, to, f" {label}")]
        if word.isdecimal() and before[-1:].isalpha():
            if rng.random() < 0.1:
                return [(at, to, f"{self._pick(rng, 'number')}. ??")]
            if rng.random() < 0.6:
                return [(at, at, f"{self._pick(rng, 'number', 'number', 'month', 'court')}. ")]
            if after[:1].islower():
                return [(to, to, f" {self._pick(rng, 'unit', 'time')}.")]
        return []

    def _final(self, at: int, word: str, names: Sequence[str], rng: random.Random) -> list[Edit]:
        """Edits that put an abbreviation before the final period of a sentence whose last word stands at `at`."""
        stem = word[:-1]
        if not word.endswith(".") or not stem.isalpha() or not stem.islower():
            return []
        end = at + len(stem)
        ends = (
            f" {rng.choice(names)} {self._pick(rng, 'company')}",
            f" {rng.choice(names)} {self._pick(rng, 'company', 'suffix')}",
            f" {rng.choice(names)}, {self._pick(rng, 'state', 'country')}",
            f" {rng.choice(_INITIALS)}",
            f" {rng.choice('abcdknxyz')}",
            f" {rng.randint(1, 12)} {self._pick(rng, 'time', 'unit')}",
            f" {rng.randint(1, 12)} {rng.choice(('a.m', 'p.m'))}. {rng.choice(_DAYS)}",
            f" {self._pick(rng, 'month')}. {rng.randint(1, 28)}",
            f" {self._pick(rng, 'number')}. {rng.randint(1, rng.choice((9, 99)))}",
            f" {self._pick(rng, 'general')}. {rng.randint(1, rng.choice((9, 99)))}",
            f" {rng.choice(_BEFORE_NUMBER)} {rng.randint(1, rng.choice((9, 9, 99)))}",
            f" {rng.choice(_BEFORE_NUMBER)} {rng.randint(1, rng.choice((9, 9, 99)))}",
            f" {rng.choice(_BEFORE_AMOUNT)} {rng.choice('$$€£')}{rng.randint(1, rng.choice((9, 99)))}",
            " etc",
        )
        return [(end, end, rng.choice(ends))]


_INITIALS = "ABCDEFGHJKLMNPRSTW"
_PRONOUNS = ("He", "She", "It", "They", "We", "This")
_DETERMINERS = ("The", "Some", "Many", "Most", "These", "All", "Two", "Three")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_BEFORE_NUMBER = (
    "at",
    "to",
    "by",
    "of",
    "page",
    "room",
    "part",
    "Part",
    "step",
    "chapter",
    "gate",
    "only",
    "size",
    "Table",
)
_BEFORE_AMOUNT = ("for", "of", "to", "cost", "paid", "only", "by", "about")
_CONJUNCTIONS = ("and", "or")


def _label_share(word: str, after: str) -> float:
    """How often a label (``2.``, ``(b)``) goes between two words; conjunctions are frequent, articles a good place."""
    if after in ("a", "an", "the"):
        return 0.8 if word[-1] in ",:" or word in _CONJUNCTIONS else 0.0
    return 0.3 if word[-1] in ",:" else 0.06 if word in _CONJUNCTIONS else 0.0


def _is_name(word: str) -> bool:
    return len(word) > 2 and word.isalpha() and word[0].isupper() and word[1:].islower()
