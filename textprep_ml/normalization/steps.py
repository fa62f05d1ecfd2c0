"""The steps of normalization, each a transformer of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from textprep_ml._validation import StrOptions, map_leaves, shorten
from textprep_ml.base import TextTransformer
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.normalization._checks import check_mask, check_rules, check_table, check_vocabulary, collect_leaves
from textprep_ml.normalization._plan import Plan
from textprep_ml.normalization._rules import (
    AccentRule,
    CaseRule,
    ControlRule,
    DigitRule,
    FormRule,
    TableRule,
    WhitespaceRule,
)
from textprep_ml.normalization._word_rules import (
    ExpandRule,
    HyphenRule,
    SplitRule,
    english_contractions,
    learn_words,
)
from textprep_ml.normalization.offsets import OffsetMap
from textprep_ml.normalization.tables import punctuation_table


class NormalizationStep(TextTransformer):
    """Base of the steps: a text goes in, a text and its map come out.

    A subclass says in ``_rules`` what it does, as plain data. `fit` prepares a plan that remembers what characters
    become; without `fit` each call starts afresh, with the same result.
    """

    def _rules(self) -> list[Any]:
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not name.endswith("_"):
            # The plan was made for the parameters as they were.
            self.__dict__.pop("plan_", None)

    def _get_plan(self) -> Plan:
        if "plan_" in vars(self):
            return self.plan_
        self._validate_params()
        return Plan(self._rules())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters and prepare the plan.

        Parameters
        ----------
        X : sequence of str
            Ignored by steps that learn nothing.
        y : object
            Ignored.

        Returns
        -------
        self
            The transformer.
        """
        self._validate_params()
        self.plan_ = Plan(self._rules())
        return self

    def transform(self, X: Any) -> list[Any]:
        """Normalize every string in `X`.

        Parameters
        ----------
        X : sequence of str, or nested lists of str
            Documents, or what an earlier step made of them.

        Returns
        -------
        list
            The same nesting; each string replaced by its normalized form, the same object where nothing changed.
        """
        return self._transform_in_chunks(X)

    def _transform_chunk(self, chunk: tuple[int, Sequence[Any]]) -> list[Any]:
        first, items = chunk
        with self._get_plan().rewriting() as rewrite:
            return map_leaves(rewrite, items, type(self).__name__, first)

    def align(self, text: str) -> tuple[str, OffsetMap]:
        """Normalize one text and keep the way back.

        Parameters
        ----------
        text : str
            A document.

        Returns
        -------
        normalized : str
            What `transform` gives for it.
        offsets : OffsetMap
            Carries spans of the normalized text to the raw text and back.

        Raises
        ------
        TypeError
            If `text` is not a string.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"{type(self).__name__}.align expects one str, but got {type(text).__name__}: {shorten(text)}."
            )
        return self._get_plan().align(str(text))

    def _get_saved_params(self) -> dict[str, Any]:
        params = super()._get_saved_params()
        for name, value in params.items():
            if hasattr(value, "align"):
                raise ModelFormatError(
                    f"{type(self).__name__} can not be saved: {name} is an object of another package, "
                    f"{shorten(value)}. "
                    "Use a named option or a step of textprep_ml."
                )
        return {name: sorted(value) if isinstance(value, set | frozenset) else value for name, value in params.items()}

    def _get_state(self) -> dict[str, Any]:
        return {}

    def _set_state(self, state: dict[str, Any]) -> None:
        self.plan_ = Plan(self._rules())


class UnicodeNormalizer(NormalizationStep):
    """Bring text into a Unicode normalization form.

    Parameters
    ----------
    form : {"NFC", "NFD", "NFKC", "NFKD"}
        The form. The result equals ``unicodedata.normalize(form, text)`` of the running Python, in linear time for
        any text.

    References
    ----------
    Unicode Standard Annex #15, Unicode Normalization Forms.

    Examples
    --------
    >>> UnicodeNormalizer(form="NFKC").transform(["ﬁne ½"])
    ['fine 1⁄2']
    """

    _parameter_constraints: ClassVar = {"form": [StrOptions({"NFC", "NFD", "NFKC", "NFKD"})]}

    def __init__(self, *, form: str = "NFC") -> None:
        self.form = form

    def _rules(self) -> list[Any]:
        return [FormRule(self.form)]  # type: ignore[arg-type]


class CaseNormalizer(NormalizationStep):
    """Lower-case or case-fold text.

    Parameters
    ----------
    case : {"lower", "casefold"}
        The result equals ``str.lower`` (with the final sigma of Greek) or ``str.casefold`` (also ß -> ss, for
        comparing).

    Examples
    --------
    >>> lowered, offsets = CaseNormalizer(case="lower").align("İzmir DOCS")
    >>> lowered[7:], offsets.to_raw(7, 11)
    ('docs', (6, 10))
    """

    _parameter_constraints: ClassVar = {"case": [StrOptions({"lower", "casefold"})]}

    def __init__(self, *, case: str = "lower") -> None:
        self.case = case

    def _rules(self) -> list[Any]:
        return [CaseRule(self.case)]  # type: ignore[arg-type]


class AccentNormalizer(NormalizationStep):
    """Take the accents off letters.

    Parameters
    ----------
    accents : {"strip", "strip_all"}
        ``strip`` takes away marks that are attached, above or below, and the points of Hebrew and Arabic; it keeps
        those that make another letter or symbol: the vowel signs, nukta and virama of Indic scripts, kana voicing,
        the stroke of ≠. ``strip_all`` takes away every nonspacing mark (general category Mn), as many tools do.

    Examples
    --------
    >>> AccentNormalizer().transform(["Café", "cafe\\u0301", "हिन्दी", "ガ"])
    ['Cafe', 'cafe', 'हिन्दी', 'ガ']
    """

    _parameter_constraints: ClassVar = {"accents": [StrOptions({"strip", "strip_all"})]}

    def __init__(self, *, accents: str = "strip") -> None:
        self.accents = accents

    def _rules(self) -> list[Any]:
        return [AccentRule(self.accents)]  # type: ignore[arg-type]


class ControlNormalizer(NormalizationStep):
    """Drop control and format characters that show nothing.

    White space (tab and newline first of all) always stays. Byte order marks, zero-width spaces, soft hyphens and
    direction marks go. Joiners stay where they are needed: after a virama, inside words of scripts whose letters join
    or stack, inside emoji sequences; so do the tags of flag emoji. A soft hyphen at the end of a line shows, and
    becomes a hyphen.

    Examples
    --------
    >>> ControlNormalizer().transform(["\\ufeffco\\u00adop\\u200b"])
    ['coop']
    >>> ControlNormalizer().transform(["👩\\u200d🔬"]) == ["👩\\u200d🔬"]
    True
    """

    def _rules(self) -> list[Any]:
        return [ControlRule()]


class PunctuationNormalizer(NormalizationStep):
    """Replace typographic punctuation by plain characters.

    Parameters
    ----------
    groups : sequence of {"dashes", "quotes", "ellipses", "fullwidth"}
        The tables to use.
    table : dict of str to str, optional
        Further entries, single character -> replacement; they win over those of the groups. An entry that maps a
        character to itself protects it.

    Examples
    --------
    >>> PunctuationNormalizer(table={"•": "*"}).transform(["• “the app”—it’s…"])
    ['* "the app"-it\\'s...']
    """

    _parameter_constraints: ClassVar = {"groups": [list, tuple], "table": [Mapping, None]}

    def __init__(
        self,
        *,
        groups: Sequence[str] = ("dashes", "quotes", "ellipses", "fullwidth"),
        table: Mapping[str, str] | None = None,
    ) -> None:
        self.groups = groups
        self.table = table

    def _rules(self) -> list[Any]:
        table = punctuation_table(*self.groups) if self.groups else {}
        return [TableRule(table | check_table(self.table, "table", single=True))]


class ContractionNormalizer(NormalizationStep):
    """Split or expand English contractions.

    Parameters
    ----------
    contractions : {"split", "expand"}
        ``split`` puts a blank before the clitic, as the Penn Treebank does: do n't, it 's. ``expand`` writes out
        those contractions that have one expansion only (it's -> it is, but not before "been"; won't -> will not) and
        leaves the others (John's, he'd).
    table : dict of str to str, optional
        Further entries for ``expand``, lower-case word -> expansion; they win over the built-in ones. An entry that
        maps a word to itself protects it.

    Examples
    --------
    >>> ContractionNormalizer(contractions="expand").transform(["It's John's; he won't."])
    ["It is John's; he will not."]
    >>> ContractionNormalizer(contractions="split").transform(["It's John's; he won't."])
    ["It 's John 's; he wo n't."]
    """

    _parameter_constraints: ClassVar = {"contractions": [StrOptions({"split", "expand"})], "table": [Mapping, None]}

    def __init__(self, *, contractions: str = "split", table: Mapping[str, str] | None = None) -> None:
        self.contractions = contractions
        self.table = table

    def _rules(self) -> list[Any]:
        table = check_table(self.table, "table")
        if self.contractions == "split":
            return [SplitRule()]
        return [
            ExpandRule(english_contractions() | {key.lower().replace("’", "'"): value for key, value in table.items()})
        ]


class Dehyphenator(NormalizationStep):
    """Join words that were broken at the end of a line.

    The hyphen goes when the joined word is in the vocabulary and the hyphenated one is not; otherwise the hyphen
    stays and only the line end goes. A suspended hyphen (pre- and post-war) is left alone. A soft hyphen always goes.

    Parameters
    ----------
    vocabulary : collection of str, optional
        Known words, in lower case or as they are written. None: `fit` collects the words of the corpus.

    Attributes
    ----------
    vocabulary_ : frozenset of str
        The words in use.

    Examples
    --------
    >>> joiner = Dehyphenator(vocabulary=["representatives", "price", "determining"])
    >>> joiner.transform(["The represen-\\ntatives agreed on price-\\ndetermining rules."])
    ['The representatives agreed on price-determining rules.']
    """

    _parameter_constraints: ClassVar = {"vocabulary": [list, tuple, set, frozenset, None]}

    def __init__(self, *, vocabulary: Collection[str] | None = None) -> None:
        self.vocabulary = vocabulary

    def __sklearn_tags__(self) -> Any:
        """Tell that a corpus is needed only when no vocabulary is given."""
        tags = super().__sklearn_tags__()
        tags.requires_fit = self.vocabulary is None
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Collect the words of the corpus, unless a vocabulary was given.

        Parameters
        ----------
        X : sequence of str
            Documents.
        y : object
            Ignored.

        Returns
        -------
        self
            The fitted transformer.
        """
        self._validate_params()
        documents = collect_leaves(X, type(self).__name__)
        self.vocabulary_ = (
            frozenset(learn_words(documents)) if self.vocabulary is None else check_vocabulary(self.vocabulary)
        )
        return super().fit(documents)

    def _rules(self) -> list[Any]:
        if self.vocabulary is not None:
            return [HyphenRule(check_vocabulary(self.vocabulary))]
        check_is_fitted(self, "vocabulary_")
        return [HyphenRule(self.vocabulary_)]

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "vocabulary_")
        return {"vocabulary": sorted(self.vocabulary_)}

    def _set_state(self, state: dict[str, Any]) -> None:
        self.vocabulary_ = check_vocabulary(state["vocabulary"])
        self.plan_ = Plan(self._rules())


class WhitespaceNormalizer(NormalizationStep):
    r"""Collapse runs of white space.

    Lines end at ``\n`` only; vertical tabs, form feeds, U+0085, U+2028 and the like are blanks, so that no text gets
    more lines than it had.

    Parameters
    ----------
    whitespace : {"collapse", "lines", "paragraphs", "line_ends"}
        ``collapse``: every run becomes one blank, and none is left at the ends of the text. ``lines``: the same
        within each line; every newline stays, so line n stays line n. ``paragraphs``: a single newline is a blank,
        more are one empty line, and the ends of the text are cleared. ``line_ends``: ``\r\n`` becomes ``\n``, all
        else stays.

    Examples
    --------
    >>> WhitespaceNormalizer(whitespace="lines").transform(["  one \t two \r\n\r\n\r\n three\n"])
    ['one two\n\n\nthree\n']
    """

    _parameter_constraints: ClassVar = {"whitespace": [StrOptions({"collapse", "lines", "paragraphs", "line_ends"})]}

    def __init__(self, *, whitespace: str = "collapse") -> None:
        self.whitespace = whitespace

    def _rules(self) -> list[Any]:
        return [WhitespaceRule(self.whitespace)]  # type: ignore[arg-type]


class DigitNormalizer(NormalizationStep):
    """Put one character in the place of every decimal digit of any script.

    Parameters
    ----------
    mask : str
        One character.

    Examples
    --------
    >>> DigitNormalizer().transform(["on 12.5.1999, ٣"])
    ['on 00.0.0000, 0']
    """

    _parameter_constraints: ClassVar = {"mask": [str]}

    def __init__(self, *, mask: str = "0") -> None:
        self.mask = mask

    def _rules(self) -> list[Any]:
        return [DigitRule(check_mask(self.mask, "mask"))]


class RuleNormalizer(NormalizationStep):
    r"""Replace the matches of regular expressions, one rule after the other.

    Parameters
    ----------
    rules : sequence of (str, str)
        Pattern and replacement, in the syntax of the `regex` package; the replacement may name groups as ``\1``.

    Examples
    --------
    >>> RuleNormalizer(rules=[(r"https?://\S+", "URL"), (r"(\d),(\d)", r"\1.\2")]).transform(["see http://a.b now 3,5"])
    ['see URL now 3.5']
    """

    _parameter_constraints: ClassVar = {"rules": [list, tuple]}

    def __init__(self, *, rules: Sequence[tuple[str, str]] = ()) -> None:
        self.rules = rules

    def _rules(self) -> list[Any]:
        return check_rules(self.rules)
