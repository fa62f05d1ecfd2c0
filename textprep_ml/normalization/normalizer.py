"""All steps of normalization in one transformer, and presets of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from textprep_ml._validation import HasMethods, StrOptions
from textprep_ml.normalization import steps
from textprep_ml.normalization._checks import check_rules, check_vocabulary, collect_leaves
from textprep_ml.normalization._plan import Plan
from textprep_ml.normalization._rules import FormRule

_OBJECT = HasMethods(["align"])

#: Steps that may be replaced by an object with the method ``align``, in the order in which they run.
_STEPS = ("control", "form", "case", "accents", "punctuation", "contractions", "dehyphenation", "whitespace", "digits")


class TextNormalizer(steps.NormalizationStep):
    r"""Normalize text by steps that can be switched one by one, and keep the way back to the raw text.

    Every step is off unless it is asked for. They run in this order, in which each can rely on those before it:
    control characters go first, so that nothing invisible keeps a letter from its accent; then the Unicode form, case
    and accents (and the form once more, since folded letters may compose again), punctuation, contractions, words
    broken at line ends, white space, digits, rules of the user. Neighbouring steps share one pass over the text,
    which remembers what characters and letter groups become.

    Parameters
    ----------
    form : {"keep", "NFC", "NFD", "NFKC", "NFKD"} or object
        Unicode normalization form. Here and in the other steps, an object with the method ``align``, such as one of
        the steps of this module or your own, replaces the step.
    case : {"keep", "lower", "casefold"} or object
        See `CaseNormalizer`.
    accents : {"keep", "strip", "strip_all"} or object
        See `AccentNormalizer`.
    whitespace : {"keep", "collapse", "lines", "paragraphs", "line_ends"} or object
        See `WhitespaceNormalizer`.
    control : {"keep", "drop"} or object
        See `ControlNormalizer`.
    punctuation : {"keep", "plain"} or object
        See `PunctuationNormalizer`.
    punctuation_table : dict of str to str, optional
        Further entries, single character -> replacement.
    contractions : {"keep", "split", "expand"} or object
        See `ContractionNormalizer`.
    contraction_table : dict of str to str, optional
        Further entries, lower-case word -> expansion.
    dehyphenation : {"keep", "join"} or object
        See `Dehyphenator`.
    vocabulary : collection of str, optional
        Known words for the dehyphenation. None: `fit` collects them from the corpus, after the steps before.
    digits : {"keep", "mask"} or object
        See `DigitNormalizer`.
    digit_mask : str
        What stands for a digit.
    rules : sequence of (str, str)
        Regular expressions and replacements; see `RuleNormalizer`.

    Attributes
    ----------
    vocabulary_ : frozenset of str
        Words that the dehyphenation knows; only with ``dehyphenation="join"``.
    steps_ : dict of str to object
        Fitted clones of the objects that replace steps.

    See Also
    --------
    make_normalizer : Documented presets.

    Examples
    --------
    >>> normalizer = TextNormalizer(form="NFKC", case="casefold", accents="strip")
    >>> normalizer.transform(["Café", "cafe\u0301", "CAFÉ"])
    ['cafe', 'cafe', 'cafe']
    >>> normalized, offsets = normalizer.align("CAFE\u0301 noir")
    >>> offsets.to_raw(0, 4)
    (0, 5)
    """

    _parameter_constraints: ClassVar = {
        "form": [StrOptions({"keep", "NFC", "NFD", "NFKC", "NFKD"}), _OBJECT],
        "case": [StrOptions({"keep", "lower", "casefold"}), _OBJECT],
        "accents": [StrOptions({"keep", "strip", "strip_all"}), _OBJECT],
        "whitespace": [StrOptions({"keep", "collapse", "lines", "paragraphs", "line_ends"}), _OBJECT],
        "control": [StrOptions({"keep", "drop"}), _OBJECT],
        "punctuation": [StrOptions({"keep", "plain"}), _OBJECT],
        "punctuation_table": [Mapping, None],
        "contractions": [StrOptions({"keep", "split", "expand"}), _OBJECT],
        "contraction_table": [Mapping, None],
        "dehyphenation": [StrOptions({"keep", "join"}), _OBJECT],
        "vocabulary": [list, tuple, set, frozenset, None],
        "digits": [StrOptions({"keep", "mask"}), _OBJECT],
        "digit_mask": [str],
        "rules": [list, tuple],
    }

    def __init__(
        self,
        *,
        form: Any = "keep",
        case: Any = "keep",
        accents: Any = "keep",
        whitespace: Any = "keep",
        control: Any = "keep",
        punctuation: Any = "keep",
        punctuation_table: Mapping[str, str] | None = None,
        contractions: Any = "keep",
        contraction_table: Mapping[str, str] | None = None,
        dehyphenation: Any = "keep",
        vocabulary: Collection[str] | None = None,
        digits: Any = "keep",
        digit_mask: str = "0",
        rules: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.form = form
        self.case = case
        self.accents = accents
        self.whitespace = whitespace
        self.control = control
        self.punctuation = punctuation
        self.punctuation_table = punctuation_table
        self.contractions = contractions
        self.contraction_table = contraction_table
        self.dehyphenation = dehyphenation
        self.vocabulary = vocabulary
        self.digits = digits
        self.digit_mask = digit_mask
        self.rules = rules

    def __sklearn_tags__(self) -> Any:
        """Tell that a corpus is needed when words are to be learned, or a replaced step needs one."""
        tags = super().__sklearn_tags__()
        learns = isinstance(self.dehyphenation, str) and self.dehyphenation == "join" and self.vocabulary is None
        tags.requires_fit = learns or any(_requires_fit(getattr(self, name)) for name in _STEPS)
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters, fit what learns from the corpus, prepare the plan.

        Parameters
        ----------
        X : sequence of str
            Documents; each learning step sees them as the steps before leave them.
        y : object
            Ignored.

        Returns
        -------
        self
            The fitted transformer.
        """
        self._validate_params()
        documents = collect_leaves(X, type(self).__name__)
        self.steps_: dict[str, Any] = {}
        for name in _STEPS:
            step = getattr(self, name)
            if hasattr(step, "fit"):
                self.steps_[name] = clone(step).fit(self._before(name, documents))
        if self._joins_lines():
            self._learn_vocabulary(documents)
        self.plan_ = Plan(self._rules())
        return self

    def _joins_lines(self) -> bool:
        return isinstance(self.dehyphenation, str) and self.dehyphenation == "join"

    def _before(self, name: str, texts: Collection[str]) -> list[str]:
        """Give texts as they reach the step called `name`."""
        with Plan(self._rules_of(_STEPS[: _STEPS.index(name)])).rewriting() as rewrite:
            return [rewrite(text) for text in texts]

    def _learn_vocabulary(self, documents: list[str]) -> None:
        """Bring given words to the form in which the step sees the text, or collect the words from there."""
        if self.vocabulary is not None:
            self.vocabulary_ = frozenset(self._before("dehyphenation", check_vocabulary(self.vocabulary)))
        else:
            self.vocabulary_ = steps.Dehyphenator().fit(self._before("dehyphenation", documents)).vocabulary_

    def _rules(self) -> list[Any]:
        return self._rules_of(_STEPS) + check_rules(self.rules)

    def _rules_of(self, names: Sequence[str]) -> list[Any]:
        rules: list[Any] = []
        for name in names:
            step = self._step(name)
            if step is None:
                continue
            rules += step._rules() if isinstance(step, steps.NormalizationStep) else [step]
            folded = name == "accents" or (name == "case" and self._step("accents") is None)
            if folded and isinstance(self.form, str) and self.form != "keep":
                rules.append(FormRule(self.form))  # type: ignore[arg-type]
        return rules

    def _step(self, name: str) -> Any:
        """Give the transformer of a step, None where it is off."""
        value = getattr(self, name)
        if not isinstance(value, str):
            return vars(self).get("steps_", {}).get(name, value)
        if value == "keep":
            return None
        make = {
            "control": steps.ControlNormalizer,
            "form": lambda: steps.UnicodeNormalizer(form=value),
            "case": lambda: steps.CaseNormalizer(case=value),
            "accents": lambda: steps.AccentNormalizer(accents=value),
            "punctuation": lambda: steps.PunctuationNormalizer(table=self.punctuation_table),
            "contractions": lambda: steps.ContractionNormalizer(contractions=value, table=self.contraction_table),
            "dehyphenation": self._dehyphenator,
            "whitespace": lambda: steps.WhitespaceNormalizer(whitespace=value),
            "digits": lambda: steps.DigitNormalizer(mask=self.digit_mask),
        }
        return make[name]()

    def _dehyphenator(self) -> steps.Dehyphenator:
        if self.vocabulary is None or hasattr(self, "vocabulary_"):
            check_is_fitted(self, "vocabulary_")
            return steps.Dehyphenator(vocabulary=self.vocabulary_)
        return steps.Dehyphenator(vocabulary=self._before("dehyphenation", check_vocabulary(self.vocabulary)))

    def _get_state(self) -> dict[str, Any]:
        if not hasattr(self, "steps_") and not self.__sklearn_tags__().requires_fit:
            return clone(self).fit([])._get_state()
        check_is_fitted(self, "steps_")
        state: dict[str, Any] = {"steps": {name: step._get_state() for name, step in self.steps_.items()}}
        return state | ({"vocabulary": sorted(self.vocabulary_)} if self._joins_lines() else {})

    def _set_state(self, state: dict[str, Any]) -> None:
        self.steps_ = {name: clone(getattr(self, name)) for name in state["steps"]}
        for name, step in self.steps_.items():
            step._set_state(state["steps"][name])
        if self._joins_lines():
            self.vocabulary_ = check_vocabulary(state["vocabulary"])
        self.plan_ = Plan(self._rules())


def _requires_fit(step: Any) -> bool:
    return hasattr(step, "__sklearn_tags__") and step.__sklearn_tags__().requires_fit and hasattr(step, "fit")


#: Preset -> parameters of `TextNormalizer`.
PRESETS: dict[str, dict[str, Any]] = {
    "search": {
        "control": "drop",
        "form": "NFKC",
        "case": "casefold",
        "accents": "strip",
        "punctuation": "plain",
        "whitespace": "collapse",
    },
    "mt": {"control": "drop", "form": "NFC", "punctuation": "plain", "whitespace": "lines"},
    "lm": {"control": "drop", "form": "NFC", "whitespace": "line_ends"},
    "segment": {"control": "drop", "form": "NFC", "punctuation": "plain", "whitespace": "lines"},
    "pdf": {"control": "drop", "form": "NFKC", "dehyphenation": "join", "whitespace": "paragraphs"},
    "counts": {
        "control": "drop",
        "form": "NFKC",
        "case": "lower",
        "punctuation": "plain",
        "contractions": "split",
        "whitespace": "collapse",
        "digits": "mask",
    },
}


def make_normalizer(preset: str = "search", **overrides: Any) -> TextNormalizer:
    """Build a normalizer for a purpose.

    Parameters
    ----------
    preset : str
        ``search``: variants become one term (NFKC, case folded, accents off, plain punctuation, one blank between
        words). ``mt``: parallel text (NFC, plain punctuation, blanks collapsed, lines kept, so that line n stays line
        n). ``lm``: text for language models, changed as little as is safe (NFC, invisible characters off, line ends).
        ``segment``: before a sentence segmenter; now the same as ``mt``. ``pdf``: text from pages (NFKC undoes
        ligatures, broken words are joined, paragraphs kept); learns its words from the corpus, or give it a
        `vocabulary`. ``counts``: before counting words (NFKC, lower case, clitics split, digits masked).
    **overrides : object
        Parameters of `TextNormalizer` that differ from the preset.

    Returns
    -------
    TextNormalizer
        Not fitted.

    Raises
    ------
    ValueError
        If there is no such preset.

    Examples
    --------
    >>> make_normalizer("search").transform(["  Ｃafé—“NOIR” "])
    ['cafe-"noir"']
    >>> make_normalizer("search", accents="keep").transform(["CAFÉ"])
    ['café']
    """
    if preset not in PRESETS:
        raise ValueError(f"No normalizer preset {preset!r}; there are {', '.join(PRESETS)}.")
    return TextNormalizer(**(PRESETS[preset] | overrides))
