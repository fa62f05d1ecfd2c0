"""The word tokenizer: protected patterns, white space, punctuation, abbreviations, contractions, in this order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
import regex

from textprep_ml import _kernels
from textprep_ml._validation import StrOptions, shorten
from textprep_ml.tokenization._base import Tokenizer
from textprep_ml.tokenization._rules import PROTECTED, build_rules
from textprep_ml.tokenization.regexp import TIMEOUT, find_spans

_SCHOOLS = ("split", "keep", "ptb", "spacy", "moses")

#: Name -> parameters. ``"ud"`` follows English Universal Dependencies, ``"ptb"`` the Penn Treebank.
#: What is English about a preset, `_ENGLISH`, does not go to other languages.
PRESETS: dict[str, dict[str, Any]] = {
    "ud": {
        "contractions": "spacy",
        "hyphens": "affixes",
        "ranges": "split",
        "units": "split",
        "decades": "keep",
        "marks": "runs",
        "protect": tuple(kind for kind in PROTECTED if kind not in ("citation", "code")),
    },
    "ptb": {"contractions": "ptb", "protect": ("url", "email", "file", "number", "date", "time", "currency")},
}
_ENGLISH = ("contractions", "hyphens")


class _Built(NamedTuple):
    rules: Any
    kernel: Any
    protected: Any


def _protected_pattern(protected: Iterable[Any] | None) -> Any:
    """One pattern for all protected strings and patterns; longer strings first, words only as whole words."""
    strings = sorted((item for item in protected or () if isinstance(item, str)), key=len, reverse=True)
    parts = []
    for string in strings:
        if not string:
            raise ValueError("WordTokenizer got an empty string in protected.")
        before = r"(?<!\w)" if re.match(r"\w", string) else ""
        after = r"(?!\w)" if re.match(r"\w", string[-1]) else ""
        parts.append(before + regex.escape(string) + after)
    for item in protected or ():
        if isinstance(item, str):
            continue
        if not isinstance(getattr(item, "pattern", None), str):
            raise TypeError(
                "WordTokenizer expects strings and compiled patterns in protected, "
                f"but got {type(item).__name__}: {shorten(item)}."
            )
        parts.append(f"(?:{item.pattern})")
    return regex.compile("|".join(parts)) if parts else None


class WordTokenizer(Tokenizer):
    r"""Cut text into words and marks; tokens are slices of the text and never changed.

    An ordered cascade in one pass, linear in any text: protected patterns (URLs, e-mail addresses, file and code names,
    hashtags, handles, emoticons, emoji with their modifiers, numbers with signs, decimals and thousands, dates, times,
    currency, citations), then white space, punctuation, abbreviations and contractions. All that is not white space is
    in exactly one token.

    Parameters
    ----------
    language : str, default="en"
        Code of ISO 639. Chooses the contraction table (``en``, ``fr``, ``it``, ``de``) and, by default, the
        abbreviations (`textprep_ml.abbreviations.languages`); in others no clitic is cut.
    contractions : {"split", "keep", "ptb", "spacy", "moses"} or dict, default="split"
        ``"split"`` cuts clitics (``it|'s``, ``is|n't``, ``can|not``, ``gon|na``, ``l'|ami``), ``"keep"`` nothing,
        ``"ptb"`` the list of the Penn Treebank, ``"spacy"`` also forms without apostrophe (``do|nt``), ``"moses"`` at
        the apostrophe (``don|'t``). A dict has the notation of `textprep_ml.tokenization.contractions`.
    abbreviations : str, dict, sequence of str or None, default="auto"
        Words that keep their period: a language code, entry -> class, or entries. ``"auto"`` takes the lexicon of
        `language`, if there is one. Entries of the lexicon that are ordinary words too (*no*, *art*) keep it only where
        the sentence goes on.
    protect : "all", sequence of str or None, default="all"
        Kinds of protected patterns: url, email, file, code, hashtag, handle, emoticon, number, date, time, currency,
        citation.
    protected : sequence of str or compiled pattern, or None, default=None
        Your own strings (as whole words, case matters) and patterns (`re` or `regex`) that stay one token; they go
        before everything.
    hyphens : {"keep", "split", "affixes"}, default="keep"
        Whether ``well-known`` is one token. ``"affixes"`` splits, except behind prefixes (``e-mail``, ``pre-war``).
        Under every choice a hyphen before a contraction that opens a clause (``app-it's``) is a dash: a mark of its
        own.
    ranges : {"keep", "split"}, default="keep"
        Whether ``12-14`` is one token.
    units : {"keep", "split"}, default="keep"
        Whether ``10km`` and ``5pm`` are one token.
    decades : {"keep", "split"}, default="split"
        Whether ``80's`` is one token.
    marks : {"single", "runs"}, default="single"
        Whether ``!?!`` is three tokens or one. Ellipses, dashes and ruler lines are always one.
    unspaced : {"characters", "runs"}, default="characters"
        Scripts without blanks (Chinese, Japanese, Thai, Lao, Khmer, Burmese): characters, or runs of one script.
    n_jobs : int, optional
        Threads for `transform` and `spans_batch`; the latter gains more, since new strings are made by one at a time.

    See Also
    --------
    TreebankTokenizer : The published rules of the Penn Treebank.
    RegexTokenizer : Any pattern.

    Notes
    -----
    In scikit-learn it goes into ``CountVectorizer(tokenizer=WordTokenizer(), token_pattern=None)``, is searched as
    ``tokenizer__contractions``, and as a step of ``Pipeline(steps, memory=folder)`` it is not run again for the same
    texts and parameters. `transform` of a whole list is faster than a call for each text.

    With the preset ``"ud"`` it has a token F1 of 0.99 on the dev part of the English Web Treebank (a dev score, no
    training), by the measure of Zeman et al., "CoNLL 2018 Shared Task", Proc. CoNLL 2018.

    Examples
    --------
    >>> from textprep_ml.tokenization import WordTokenizer
    >>> WordTokenizer().tokenize("Dr. Smith paid $3.50 for the app-it's amazing!!")
    ['Dr.', 'Smith', 'paid', '$', '3.50', 'for', 'the', 'app', '-', 'it', "'s", 'amazing', '!', '!']
    >>> WordTokenizer(contractions="keep").transform(["Isn't that great?"])
    [["Isn't", 'that', 'great', '?']]
    >>> WordTokenizer(language="fr").tokenize("L'ami d'Anne")
    ["L'", 'ami', "d'", 'Anne']
    >>> WordTokenizer().spans("a  cat").tolist()
    [[0, 1], [3, 6]]
    """

    _parameter_constraints = {
        "language": [str],
        "contractions": [StrOptions(set(_SCHOOLS)), dict],
        "abbreviations": [str, dict, list, tuple, set, frozenset, None],
        "protect": [StrOptions({"all"}), list, tuple, set, frozenset, None],
        "protected": [list, tuple, set, frozenset, None],
        "hyphens": [StrOptions({"keep", "split", "affixes"})],
        "ranges": [StrOptions({"keep", "split"})],
        "units": [StrOptions({"keep", "split"})],
        "decades": [StrOptions({"keep", "split"})],
        "marks": [StrOptions({"single", "runs"})],
        "unspaced": [StrOptions({"characters", "runs"})],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        language: str = "en",
        contractions: str | Mapping[str, str] = "split",
        abbreviations: str | Mapping[str, str] | Iterable[str] | None = "auto",
        protect: str | Iterable[str] | None = "all",
        protected: Iterable[Any] | None = None,
        hyphens: str = "keep",
        ranges: str = "keep",
        units: str = "keep",
        decades: str = "split",
        marks: str = "single",
        unspaced: str = "characters",
        n_jobs: int | None = None,
    ) -> None:
        self.language = language
        self.contractions = contractions
        self.abbreviations = abbreviations
        self.protect = protect
        self.protected = protected
        self.hyphens = hyphens
        self.ranges = ranges
        self.units = units
        self.decades = decades
        self.marks = marks
        self.unspaced = unspaced
        self.n_jobs = n_jobs

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Self:
        """Make a tokenizer that follows a convention.

        Parameters
        ----------
        name : {"ud", "ptb"}
            The convention.
        **changes : object
            Parameters that differ from it.

        Returns
        -------
        WordTokenizer
            Ready to use.

        Raises
        ------
        ValueError
            If there is no such preset.

        Examples
        --------
        >>> WordTokenizer.from_preset("ud").tokenize("a well-known e-mail at 5pm?!")
        ['a', 'well', '-', 'known', 'e-mail', 'at', '5', 'pm', '?!']
        """
        if name not in PRESETS:
            raise ValueError(f"No WordTokenizer preset {name!r}; there are {', '.join(PRESETS)}.")
        english = changes.get("language", "en") == "en"
        chosen = {key: value for key, value in PRESETS[name].items() if english or key not in _ENGLISH}
        return cls(**{**chosen, **changes})

    def _build(self) -> _Built:
        kernel = _kernels.load("words")
        return _Built(build_rules(self.get_params(deep=False), kernel), kernel, _protected_pattern(self.protected))

    def _spans(self, text: str, built: _Built) -> np.ndarray:
        if built.protected is None:
            return built.kernel.spans(built.rules, text)
        parts, end = [], 0
        for start, stop in find_spans(built.protected, text, TIMEOUT, type(self).__name__):
            parts.append(built.kernel.spans(built.rules, text, end, start))
            parts.append(np.array([[start, stop]], dtype=np.intp))
            end = stop
        return np.concatenate([*parts, built.kernel.spans(built.rules, text, end, len(text))])

    def _tokenize_with(self, built: _Built) -> Callable[[str], list[str]]:
        return partial(built.kernel.tokens, built.rules) if built.protected is None else super()._tokenize_with(built)

    def _spans_of_each(self, texts: Sequence[str]) -> list[np.ndarray]:
        built = self._built()
        if built.protected is not None:
            return super()._spans_of_each(texts)
        offsets, spans = built.kernel.spans_of_each(built.rules, list(texts))
        return [spans[start:end] for start, end in pairwise(offsets.tolist())]

    def _transform_chunk(self, chunk: tuple[int, Sequence[Any]]) -> list[Any]:
        built = self._built()
        _, texts = chunk
        if built.protected is None and type(texts) is list and all(type(text) is str for text in texts):
            return built.kernel.tokens_of_each(built.rules, texts)
        return super()._transform_chunk(chunk)
