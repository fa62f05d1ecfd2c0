"""Word and character error rates of recognized, translated or corrected text (Morris, Maier and Green 2004).

An alignment of reference and hypothesis at unit costs gives hits `H`, substitutions `S`, deletions `D` and insertions
`I`; every rate is computed from these counts. Counts of a corpus are the sums over its utterances, not averages of
their rates.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, TypeAlias, cast

from rapidfuzz.distance import Levenshtein

from textprep_ml._validation import check_documents, shorten
from textprep_ml.distance.alignment import Alignment, Edit
from textprep_ml.distance.costs import as_strings

#: A Unicode form by name, a function of one string, or an object with `transform`, such as a `TextNormalizer`.
Normalizer: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"] | Callable[[str], str] | Any

_FORMS = ("NFC", "NFD", "NFKC", "NFKD")
_OPERATIONS = {"equal": "match", "replace": "substitute", "delete": "delete", "insert": "insert"}


@dataclass(frozen=True, slots=True)
class _Counts:
    """Hits and errors, and the rates that follow from them."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def errors(self) -> int:
        """``S + D + I``."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference_length(self) -> int:
        """``H + S + D``."""
        return self.hits + self.substitutions + self.deletions

    @property
    def hypothesis_length(self) -> int:
        """``H + S + I``."""
        return self.hits + self.substitutions + self.insertions

    @property
    def error_rate(self) -> float:
        """``(S + D + I) / (H + S + D)``; it may exceed 1. Without any reference it is the number of insertions."""
        return self.errors / (self.reference_length or 1)

    @property
    def match_error_rate(self) -> float:
        """``(S + D + I) / (H + S + D + I)``; 0 where both sides are empty."""
        return self.errors / (self.hits + self.errors or 1)

    @property
    def information_preserved(self) -> float:
        """``H / (H + S + D) * H / (H + S + I)``; 1 where both sides are empty."""
        if not self.reference_length and not self.hypothesis_length:
            return 1.0
        return (self.hits / (self.reference_length or 1)) * (self.hits / (self.hypothesis_length or 1))

    @property
    def information_lost(self) -> float:
        """1 minus the information preserved."""
        return 1 - self.information_preserved


@dataclass(frozen=True, slots=True)
class Utterance(_Counts):
    """One reference with its hypothesis.

    Attributes
    ----------
    reference, hypothesis : list of str
        The words or characters that were compared.
    """

    reference: list[Hashable]
    hypothesis: list[Hashable]

    @property
    def alignment(self) -> Alignment:
        """The operations that turn the reference into the hypothesis; made when asked for."""
        edits: list[Edit] = []
        for block in Levenshtein.opcodes(*as_strings([self.reference, self.hypothesis])):
            edits += _single_edits(block, self.reference, self.hypothesis)
        return Alignment(self.reference, self.hypothesis, edits, self.errors)


@dataclass(frozen=True, slots=True)
class ErrorRates(_Counts):
    """Counts and rates of a corpus, with its utterances.

    Attributes
    ----------
    hits, substitutions, deletions, insertions : int
        Sums over the utterances.
    unit : {"word", "character"}
        What was counted.
    utterances : list of Utterance
        The single results, in the order of the input.
    """

    unit: str = "word"
    utterances: list[Utterance] = field(default_factory=list, repr=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """Give one plain dict per utterance, ready for ``pandas.DataFrame``.

        Returns
        -------
        list of dict
            Index, texts, counts and rates.
        """
        blank = " " if self.unit == "word" else ""
        return [
            {
                "utterance": index,
                "reference": blank.join(map(str, one.reference)),
                "hypothesis": blank.join(map(str, one.hypothesis)),
                "hits": one.hits,
                "substitutions": one.substitutions,
                "deletions": one.deletions,
                "insertions": one.insertions,
                "error_rate": one.error_rate,
                "match_error_rate": one.match_error_rate,
                "information_lost": one.information_lost,
            }
            for index, one in enumerate(self.utterances)
        ]

    def _repr_html_(self) -> str:
        shown = [(index, one) for index, one in enumerate(self.utterances) if one.errors][:20]
        total = (
            f"<p>{len(self.utterances)} utterances, {self.reference_length} {escape(self.unit)}s: "
            f"error rate {self.error_rate:.4f} ({self.substitutions} substitutions, {self.deletions} deletions, "
            f"{self.insertions} insertions)</p>"
        )
        return total + "".join(f"<p>utterance {index}</p>{one.alignment._repr_html_()}" for index, one in shown)


def error_rates(
    reference: str | Iterable[str],
    hypothesis: str | Iterable[str],
    *,
    unit: Literal["word", "character"] = "word",
    normalizer: Normalizer = None,
) -> ErrorRates:
    """Align hypotheses with references and count the errors.

    Parameters
    ----------
    reference, hypothesis : str or sequence of str
        One utterance, or equally many. Words are what blanks separate (`str.split`); characters are code points,
        blanks included, without the white space at both ends. Case and punctuation count as they stand.
    unit : {"word", "character"}, default="word"
        What is counted.
    normalizer : {"NFC", "NFD", "NFKC", "NFKD"}, callable or transformer, optional
        Applied to both sides first. Composed and decomposed letters differ until a Unicode form makes them one.

    Returns
    -------
    ErrorRates
        Totals, rates and utterances. The alignment is RapidFuzz's, whose ties `align` follows (it may take another one
        of equal cost where an utterance pair has more than four million cells).

    Raises
    ------
    TypeError
        If an utterance is not a string; the message has its index.
    ValueError
        If there are not equally many.

    Examples
    --------
    >>> from textprep_ml.distance import error_rates
    >>> rates = error_rates(["the cat sat", "on the mat"], ["the cat sat down", "on a mat"])
    >>> rates.substitutions, rates.deletions, rates.insertions, rates.hits
    (1, 0, 1, 5)
    >>> print(rates.utterances[1].alignment)
    on the mat
    on a   mat
       s
    """
    if unit not in ("word", "character"):
        raise ValueError(f"unit must be 'word' or 'character', but got {shorten(unit)}.")
    normalize = _as_function(normalizer)
    references = _utterances(reference, "reference", unit, normalize)
    hypotheses = _utterances(hypothesis, "hypothesis", unit, normalize)
    if len(references) != len(hypotheses):
        raise ValueError(
            f"There are {len(references)} references but {len(hypotheses)} hypotheses; each reference needs one."
        )
    rows = [_compare(one, other) for one, other in zip(references, hypotheses, strict=True)]
    return ErrorRates(
        hits=sum(row.hits for row in rows),
        substitutions=sum(row.substitutions for row in rows),
        deletions=sum(row.deletions for row in rows),
        insertions=sum(row.insertions for row in rows),
        unit=unit,
        utterances=rows,
    )


def _as_function(normalizer: Normalizer) -> Callable[[str], str]:
    if normalizer is None:
        return lambda text: text
    if isinstance(normalizer, str):
        if normalizer not in _FORMS:
            raise ValueError(
                f"normalizer must be {', '.join(_FORMS)}, a function or a transformer, but got {shorten(normalizer)}."
            )
        return lambda text: unicodedata.normalize(cast(Any, normalizer), text)
    if hasattr(normalizer, "transform"):
        return lambda text: normalizer.transform([text])[0]
    if callable(normalizer):
        return normalizer
    kind = type(normalizer).__name__
    raise TypeError(
        f"normalizer must be a Unicode form, a function or a transformer, but got {kind}: {shorten(normalizer)}."
    )


def _utterances(
    texts: str | Iterable[str], name: str, unit: str, normalize: Callable[[str], str]
) -> list[list[Hashable]]:
    documents = check_documents([texts] if isinstance(texts, str) else texts, f"The {name}")
    normalized = [normalize(text) for text in documents]
    return [list(text.split() if unit == "word" else text.strip()) for text in normalized]


def _compare(reference: list[Hashable], hypothesis: list[Hashable]) -> Utterance:
    counts = dict.fromkeys(_OPERATIONS, 0)
    for block in Levenshtein.opcodes(*as_strings([reference, hypothesis])):
        counts[block.tag] += max(block.src_end - block.src_start, block.dest_end - block.dest_start)
    return Utterance(counts["equal"], counts["replace"], counts["delete"], counts["insert"], reference, hypothesis)


def _single_edits(block: Any, a: list[Hashable], b: list[Hashable]) -> list[Edit]:
    """Take a block of equal operations apart; a step is 0 on the side where the block is empty."""
    operation = _OPERATIONS[block.tag]
    n, m = block.src_end - block.src_start, block.dest_end - block.dest_start
    step_a, step_b = int(n > 0), int(m > 0)
    edits = []
    for k in range(max(n, m)):
        i, j = block.src_start + k * step_a, block.dest_start + k * step_b
        source, target = a[i : i + step_a], b[j : j + step_b]
        edits.append(Edit(operation, i, i + step_a, j, j + step_b, source, target, int(operation != "match")))
    return edits


def wer(reference: str | Iterable[str], hypothesis: str | Iterable[str], *, normalizer: Normalizer = None) -> float:
    """Compute the word error rate ``(S + D + I) / (H + S + D)`` over all utterances.

    Parameters
    ----------
    reference, hypothesis : str or sequence of str
        As for `error_rates`.
    normalizer : {"NFC", "NFD", "NFKC", "NFKD"}, callable or transformer, optional
        As for `error_rates`.

    Returns
    -------
    float
        0 or more; it may exceed 1. Without any reference word it is the number of insertions.

    Examples
    --------
    >>> from textprep_ml.distance import wer
    >>> wer("x", "x y z w")
    3.0
    """
    return error_rates(reference, hypothesis, normalizer=normalizer).error_rate


def cer(reference: str | Iterable[str], hypothesis: str | Iterable[str], *, normalizer: Normalizer = None) -> float:
    """Compute the character error rate, the same over code points, blanks included.

    Parameters
    ----------
    reference, hypothesis : str or sequence of str
        As for `error_rates`.
    normalizer : {"NFC", "NFD", "NFKC", "NFKD"}, callable or transformer, optional
        As for `error_rates`.

    Returns
    -------
    float
        0 or more; it may exceed 1.

    Examples
    --------
    >>> from textprep_ml.distance import cer
    >>> cer("B\\u00e4r", "Ba\\u0308r"), cer("B\\u00e4r", "Ba\\u0308r", normalizer="NFC")
    (0.6666666666666666, 0.0)
    """
    return error_rates(reference, hypothesis, unit="character", normalizer=normalizer).error_rate


def mer(reference: str | Iterable[str], hypothesis: str | Iterable[str], *, normalizer: Normalizer = None) -> float:
    """Compute the match error rate ``(S + D + I) / (H + S + D + I)`` over all utterances.

    Parameters
    ----------
    reference, hypothesis : str or sequence of str
        As for `error_rates`.
    normalizer : {"NFC", "NFD", "NFKC", "NFKD"}, callable or transformer, optional
        As for `error_rates`.

    Returns
    -------
    float
        From 0 to 1; 0 where both sides are empty.

    Examples
    --------
    >>> from textprep_ml.distance import mer
    >>> mer("m n o p", "n o p q")
    0.4
    """
    return error_rates(reference, hypothesis, normalizer=normalizer).match_error_rate


def wil(reference: str | Iterable[str], hypothesis: str | Iterable[str], *, normalizer: Normalizer = None) -> float:
    """Compute the word information lost ``1 - H / (H + S + D) * H / (H + S + I)`` over all utterances.

    Parameters
    ----------
    reference, hypothesis : str or sequence of str
        As for `error_rates`.
    normalizer : {"NFC", "NFD", "NFKC", "NFKD"}, callable or transformer, optional
        As for `error_rates`.

    Returns
    -------
    float
        From 0 to 1; 0 where both sides are empty.

    Examples
    --------
    >>> from textprep_ml.distance import wil
    >>> wil("m n o p", "n o p q")
    0.4375
    """
    return error_rates(reference, hypothesis, normalizer=normalizer).information_lost


def wip(reference: str | Iterable[str], hypothesis: str | Iterable[str], *, normalizer: Normalizer = None) -> float:
    """Compute the word information preserved, ``1 - wil``.

    Parameters
    ----------
    reference, hypothesis : str or sequence of str
        As for `error_rates`.
    normalizer : {"NFC", "NFD", "NFKC", "NFKD"}, callable or transformer, optional
        As for `error_rates`.

    Returns
    -------
    float
        From 0 to 1; 1 where both sides are empty.

    Examples
    --------
    >>> from textprep_ml.distance import wip
    >>> wip("m n o p", "n o p q")
    0.5625
    """
    return error_rates(reference, hypothesis, normalizer=normalizer).information_preserved
