"""Variants of labelled documents that cite: whole citations as in court decisions, each a sentence, and footnote marks.

Few corpora hold them, and there are more ways to cite than anyone labels. What stands here is put together by chance
from the lexicon and a few patterns, so that a model learns the pattern and not the case.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from textprep_ml.segmentation.documents import Document, Edit, Span, apply_edits

_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_SERIES = ("", "", " 2d", " 3d", "2d", "3d", " 4th", ".2d", ".3d")
_SIGNALS = ("See ", "See ", "See also ", "See, e.g., ", "Cf. ", "But see ", "Accord ", "E.g., ", "", "", "", "")
_REMARKS = (
    "", "", "", "", " (en banc)", " (per curiam)", " (internal marks omitted)", " (same)", " (emphasis added)",
    ' ("The rule is old.")', " (holding that a lease is a sale)", ", aff'd, {case}", "; {case}", ", cert. denied",
)  # fmt: skip
_CODES = (
    "{n} U.S.C. § {m}", "{n} U. S. C. § {m}", "{n} U.S.C.A. §§ {m}, {n}", "{n} C.F.R. § {n}.{m}", "§ {m}",
    "Fed. R. Civ. P. {n}", "Fed. R. Evid. {m}", "Fed. R. Crim. P. {n}", "U.S. Const. art. {r}, § {d}",
    "{state}. Code Ann. § {n}-{m}", "{state}. Gen. Stat. § {m}", "{state}. Bus. & Prof. Code, § {m}",
    "{state}. R. App. P. {n}", "Pub. L. No. {n}-{m}, {n} Stat. {m}", "H.R. Rep. No. {n}-{m}, at {n}",
    "Restatement (Second) of Torts § {m} cmt. {a}", "U.S.S.G. § {d}G{d}.{d}", "Rule {n}",
)  # fmt: skip
_RECORDS = (
    "Compl. ¶ {n}", "Am. Compl. ¶¶ {d}-{n}", "Tr. at {m}", "Tr. {m}:{n}", "{name} Dep. at {m}", "Ex. {A} at {d}",
    "Ex. {A}", "Dkt. No. {n}", "D.I. {n} at {d}", "ECF No. {n} at {d}", "J.A. {m}", "R. at {m}", "Pl.'s Br. at {d}",
    "Def.'s Mot. {n}", "Resp. {n}", "{name} Decl. ¶ {n}", "Op. at {d}", "Order at {n}", "Doc. {n}, Ex. {A}",
)  # fmt: skip
_BACK = ("Id.", "Id.", "Id. at {m}.", "Id. at {m}.", "Id. at {d}.", "Id. § {m}.", "Id. ¶ {n}.", "Ibid.", "Id., at {m}.")
_SHORT = (
    "{name}, {volume} at {m}.",
    "{name}, supra, at {m}.",
    "Ante, at {d}.",
    "Post, at {n} ({name}, J., dissenting).",
)
_PARTIES = (
    "{name}", "{name}", "{name}", "United States", "State", "Estate of {name}", "{name} {company}.",
    "{name} & {name}, Inc.", "{name} Bros.", "{name} Cnty.", "City of {name}", "{name} Ins. Co.", "{A}.{A}.",
    "Dep't of {name}", "Bd. of Educ.", "{A}. {name}",
)  # fmt: skip
_PAGES = tuple("{volume} {m}" + rest for rest in ("", ", {m}", ", {m}-{n}", ", {m} n.{d}", ", {m} & n.{n}"))
_COURTS = ("", "{d}th Cir. ", "2d Cir. ", "{court}. ", "D. {state}. ")
_DOCKETS = ("", "", "", ", No. {n}-{m}", ", No. {n}-cv-{m}, slip op. at {d}")
_NOTES = ("", "", "[{}]", "{}", " [{}]")
_ENDS = '.?!”"'
_OPENINGS = ("The", "This", "In", "It", "He", "She", "We", "They", "There", "A", "An")


@dataclass(frozen=True)
class Citer:
    """Put citations after sentences, into them and before their final period, and footnote marks behind it.

    Attributes
    ----------
    by_class : mapping of str to sequence of str
        Abbreviations, without the final period, of each class of `textprep_ml.abbreviations.CLASSES`.
    share : float
        Share of the sentences that a citation goes to.

    Examples
    --------
    >>> cite = Citer({}, share=1.0)
    >>> cite(Document("It rains. We left.", [(0, 9), (10, 18)]), random.Random(4)).text
    'It rains. 30 U. S. C. § 1165(c)(5). We left.'
    """

    by_class: Mapping[str, Sequence[str]] = field(default_factory=dict)
    share: float = 0.3

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
            The variant, with a sentence more for each citation that is one.
        """
        text = document.text
        names = _NAME.findall(text) or ["Adler"]
        note = rng.choice(_NOTES)
        edits: list[Edit] = []
        added: dict[int, list[str]] = {}
        for index, (start, end) in enumerate(document.sentences):
            if rng.random() >= self.share:
                continue
            edits += self._opening(text, start, end, names, rng)
            if text[end - 1] not in _ENDS or text[end : end + 1].strip():
                continue
            edits += self._final(text, end, names, note, rng)
            if rng.random() < 0.6:
                added[index] = [self.citation(names, rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
                edits.append((end, end, " " + " ".join(added[index])))
        return _with_sentences(apply_edits(document, edits), added)

    def citation(self, names: Sequence[str], rng: random.Random) -> str:
        """Make a citation that is a sentence.

        Parameters
        ----------
        names : sequence of str
            Of parties and judges.
        rng : random.Random
            Source of chance.

        Returns
        -------
        str
            With its final period.

        Examples
        --------
        >>> Citer().citation(["Okafor"], random.Random(2))
        'Am. Compl. ¶¶ 2-12.'
        """
        kind = rng.random()
        if kind < 0.35:
            return f"{rng.choice(_SIGNALS)}{self._case(names, rng)}{self._fill(rng.choice(_REMARKS), names, rng)}."
        if kind < 0.55:
            return self._fill(rng.choice(_BACK), names, rng)
        if kind < 0.65:
            return self._fill(rng.choice(_SHORT), names, rng)
        if kind < 0.85:
            code = self._fill(rng.choice(_CODES), names, rng)
            part = self._fill(rng.choice(("", "({a})", "({a})({d})")), names, rng)
            return f"{rng.choice(('', '', 'See ', 'See, e.g., '))}{code}{part}."
        record = self._fill(rng.choice(_RECORDS), names, rng)
        return rng.choice((f"({record}.)", f"(See {record}.)", f"{record}.", f"See {record}.", f"({record}.)"))

    def _case(self, names: Sequence[str], rng: random.Random) -> str:
        left, right = (self._fill(rng.choice(_PARTIES), names, rng) for _ in range(2))
        title = f"In re {left}" if rng.random() < 0.25 else f"{left} v. {right}"
        docket, pages, court = (self._fill(rng.choice(part), names, rng) for part in (_DOCKETS, _PAGES, _COURTS))
        return f"{title}{docket}, {pages} ({court}{rng.randint(1880, 2024)})"

    def _opening(self, text: str, start: int, end: int, names: Sequence[str], rng: random.Random) -> list[Edit]:
        """Open a sentence with a case, where its first word is one that may lose its capital."""
        word = re.match(r"[A-Z][a-z]*(?= )", text[start:end])
        if rng.random() > 0.2 or word is None or word[0] not in _OPENINGS:
            return []
        opening = rng.choice(("In", "Under", "As in", "Since"))
        return [(start, start + len(word[0]), f"{opening} {self._case(names, rng)}, {word[0].lower()}")]

    def _final(self, text: str, end: int, names: Sequence[str], note: str, rng: random.Random) -> list[Edit]:
        """Put a case before the final mark of a sentence, a footnote mark behind it, or neither."""
        mark = final = text[end - 1]
        if mark == "." and text[end - 2].islower() and rng.random() < 0.3:
            case = self._case(names, rng)
            final = rng.choice((f", {case}.", f", see {case}.", f" at {rng.randint(2, 60)}."))
        if rng.random() < 0.5:
            final += note.format(rng.randint(1, 40))
        return [] if final == mark else [(end - 1, end, final)]

    def _pick(self, name: str, rng: random.Random) -> str:
        return rng.choice(self.by_class.get(name) or ["Ct"])

    def _fill(self, pattern: str, names: Sequence[str], rng: random.Random) -> str:
        """Put numbers, letters and names into a pattern, another one at each place."""
        fills: dict[str, Callable[[], str]] = {
            "n": lambda: str(rng.randint(2, 99)),
            "m": lambda: str(rng.randint(100, 1999)),
            "d": lambda: str(rng.randint(1, 9)),
            "a": lambda: rng.choice("abcdef"),
            "A": lambda: rng.choice("ABCDEFGHJKLMNPRSTW"),
            "r": lambda: rng.choice(("I", "II", "III", "IV")),
            "name": lambda: rng.choice(names),
            **{name: partial(self._pick, name, rng) for name in ("state", "company", "court")},
            "case": lambda: self._case(names, rng),
            "volume": lambda: f"{rng.randint(1, 999)} {self._reporter(rng)}",
        }
        return re.sub(r"{(\w+)}", lambda match: fills[match[1]](), pattern)

    def _reporter(self, rng: random.Random) -> str:
        """Name a reporter, with blanks between its parts or without, and its series."""
        name = rng.choice(
            ("U.S", "F", "F.Supp", "S.Ct", "L.Ed", self._pick("reporter", rng), self._pick("reporter", rng))
        )
        spaced = re.sub(r"\.(?=\w)", ". ", name) if rng.random() < 0.5 else re.sub(r"\.(?=[A-Z][a-z])", ". ", name)
        return f"{spaced}.{rng.choice(_SERIES)}".replace("..", ".")


def _with_sentences(document: Document, added: Mapping[int, Sequence[str]]) -> Document:
    """Count as sentences what was put after some of them, each after a blank."""
    sentences: list[Span] = []
    for index, span in enumerate(document.sentences):
        sentences.append(span)
        for sentence in added.get(index, ()):
            start = sentences[-1][1] + 1
            sentences.append((start, start + len(sentence)))
    return Document(document.text, sentences)
