"""From tokens back to text: exactly where the gaps are known, by typographic rules where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from textprep_ml._validation import StrOptions, check_spans, shorten
from textprep_ml.base import TextTransformer
from textprep_ml.tokenization.contractions import contraction_table

_CLOSERS = ", . ; : ! ? ) ] } % ‰ … ... .. ” » › ’’ '' 、 。 ， ！ ？ ； ： ） 」 』 】 》 ″ ′ °"
_OPENERS = "( [ { “ „ « ‹ ‘ ‚ `` ` ¿ ¡ $ £ € ¥ # @ US$ C$ A$ （ 「 『 【 《"
_JOINING = "/ — ⁄ _ \\"
_APOSTROPHES = "'’"
_QUOTE_PAIRS = {"``": '"', "''": '"', "`": "'", "’’": "”", "‘‘": "“"}


class _Marks(NamedTuple):
    """Which tokens stick to what."""

    closers: frozenset[str]
    openers: frozenset[str]
    joining: frozenset[str]
    pairs: frozenset[tuple[str, str]]  # pieces of one word that no apostrophe shows: can not, gon na, lem me


def _marks() -> _Marks:
    table = contraction_table("spacy").values()
    pieces = [value.split() for value in table if " " in value and "*" not in value]
    pairs = frozenset(pair for piece in pieces for pair in pairwise(piece))
    return _Marks(frozenset(_CLOSERS.split()), frozenset(_OPENERS.split()), frozenset(_JOINING.split()), pairs)


class _Joiner:
    """Goes through the tokens of one text and says where a blank stands; it remembers which quotes are open."""

    def __init__(self, hyphens: str, marks: _Marks) -> None:
        self.hyphens = hyphens
        self.marks = marks
        self.open: set[str] = set()
        self.sticks = True  # whether the next token stands directly behind what is there

    def blank_before(self, before: str, token: str, after: str) -> bool:
        sticks, self.sticks = self.sticks, False
        if token in ('"', "'", "’"):
            return self.quote(before, token, after) and not sticks
        if (
            token in self.marks.joining
            or (token in ("-", "‐", "‑") and self.hyphens == "join")
            or (token == "–" and before[-1:].isdigit() and after[:1].isdigit())
        ):
            self.sticks = True
            return False
        if token in self.marks.openers and not (token == "#" and not after[:1].isalnum()):
            self.sticks = True
            return not sticks
        if self.elided(token):
            self.sticks = True
            return not sticks
        if token in self.marks.closers or self.clitic(before, token):
            return False
        return not sticks

    def quote(self, before: str, token: str, after: str) -> bool:
        """An even quote opens, an odd one closes; an apostrophe after an s that nothing opened is a plural's."""
        if token in self.open:
            self.open.discard(token)
            return False
        if token != '"' and (token == "’" or not after or (before[-1:] in "sS" and before)):
            return False
        self.open.add(token)
        self.sticks = True
        return True

    def clitic(self, before: str, token: str) -> bool:
        if not before:
            return False
        if token[0] in _APOSTROPHES and len(token) > 1:
            return token[1:].lower() in ("s", "m", "re", "ve", "ll", "d", "t", "ye", "n", "all")
        return token.lower().replace("’", "'") == "n't" or (before.lower(), token.lower()) in self.marks.pairs

    def elided(self, token: str) -> bool:
        """French and Italian beginnings (l', qu') and English y', d'."""
        return len(token) > 1 and token[-1] in _APOSTROPHES and token[:-1].isalpha()


class Detokenizer(TextTransformer):
    r"""Join tokens to text.

    With the spans or the gaps of the tokens the result is the exact inverse of the tokenizer. From bare tokens it
    follows English typography: marks go to the word they belong to, both schools of contractions (``do|n't`` and
    ``don|'t``, ``can|not``) close up, and so do quotes, straight, typographic and those of the Penn Treebank.

    Parameters
    ----------
    quotes : {"keep", "straight"}, default="keep"
        Whether the Treebank's `````` and ``''`` become ``"``.
    hyphens : {"join", "space"}, default="join"
        Whether a hyphen that is a token of its own joins its neighbours or stands between blanks.

    Examples
    --------
    >>> from textprep_ml.tokenization import Detokenizer, WordTokenizer
    >>> Detokenizer().join(["``", "It", "is", "n't", "mine", ",", "''", "he", "said", "."])
    "``It isn't mine,'' he said."
    >>> Detokenizer().transform([["I", "can", "not", "pay", "$", "3.50", "!"]])
    ['I cannot pay $3.50!']
    >>> tokenizer, text = WordTokenizer(), "So  it's\tover ."
    >>> Detokenizer().join(tokenizer.tokenize(text), separators=tokenizer.separators(text)) == text
    True
    """

    _parameter_constraints = {
        "quotes": [StrOptions({"keep", "straight"})],
        "hyphens": [StrOptions({"join", "space"})],
    }

    def __init__(self, *, quotes: str = "keep", hyphens: str = "join") -> None:
        self.quotes = quotes
        self.hyphens = hyphens

    def join(self, tokens: Sequence[str], *, spans: Any = None, separators: Sequence[str] | None = None) -> str:
        """Join the tokens of one text.

        Parameters
        ----------
        tokens : sequence of str
            The tokens.
        spans : array-like of shape (n_tokens, 2), optional
            Their spans in the text: the gaps become as many blanks.
        separators : sequence of str, optional
            What stood before, between and behind them, one more than tokens: `Tokenizer.separators` gives it.

        Returns
        -------
        str
            The text.

        Raises
        ------
        ValueError
            If `spans` or `separators` don't fit the tokens.
        """
        self._validate_params()
        tokens = self._check_tokens(tokens, "the tokens")
        if separators is not None:
            if len(separators) != len(tokens) + 1:
                raise ValueError(
                    f"Detokenizer got {len(tokens)} tokens and {len(separators)} separators; "
                    "it needs one more than tokens."
                )
            return separators[0] + "".join(
                token + separator for token, separator in zip(tokens, separators[1:], strict=True)
            )
        if spans is not None:
            return _join_by_spans(tokens, spans)
        return self._join_by_rules(tokens, _marks())

    def _join_by_rules(self, tokens: list[str], marks: _Marks) -> str:
        joiner = _Joiner(self.hyphens, marks)
        parts: list[str] = []
        for index, token in enumerate(tokens):
            before = tokens[index - 1] if index else ""
            after = tokens[index + 1] if index + 1 < len(tokens) else ""
            if joiner.blank_before(before, token, after) and parts:
                parts.append(" ")
            parts.append(_QUOTE_PAIRS.get(token, token) if self.quotes == "straight" else token)
        return "".join(parts)

    def _check_tokens(self, tokens: Any, where: str) -> list[str]:
        if isinstance(tokens, str) or not isinstance(tokens, list | tuple):
            raise TypeError(
                f"Detokenizer expects a list of tokens, but {where} is {type(tokens).__name__}: {shorten(tokens)}."
            )
        for index, token in enumerate(tokens):
            if not isinstance(token, str):
                raise TypeError(
                    f"Detokenizer expects str tokens, but token {index} of {where} is {type(token).__name__}: "
                    f"{shorten(token)}."
                )
        return [token for token in tokens if token] if "" in tokens else list(tokens)

    def transform(self, X: Any) -> list[Any]:
        """Join every innermost list of tokens.

        Parameters
        ----------
        X : sequence of lists of str, or nested deeper
            What a tokenizer made of documents, or of lists of sentences.

        Returns
        -------
        list
            The same nesting; each list of tokens replaced by its text.
        """
        self._validate_params()
        if isinstance(X, str | bytes) or not hasattr(X, "__iter__"):
            raise TypeError(
                f"Detokenizer expects a sequence of lists of tokens, but got {type(X).__name__}: {shorten(X)}."
            )
        marks = _marks()
        return [self._join_item(item, f"document {index}", marks) for index, item in enumerate(X)]

    def _join_item(self, item: Any, where: str, marks: _Marks) -> Any:
        if isinstance(item, list | tuple) and item and not isinstance(item[0], str):
            return [self._join_item(inner, f"{where} > {index}", marks) for index, inner in enumerate(item)]
        return self._join_by_rules(self._check_tokens(item, where), marks)

    def _get_state(self) -> dict[str, Any]:
        return {}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Nothing is learned, nothing is restored."""


#: A wrong number among the spans must not fill the memory with blanks.
_LONGEST = 1 << 28


def _join_by_spans(tokens: list[str], spans: Any) -> str:
    spans = [(int(start), int(end)) for start, end in spans]
    if len(spans) != len(tokens):
        raise ValueError(f"Detokenizer got {len(tokens)} tokens and {len(spans)} spans.")
    length = max((end for _, end in spans), default=0)
    if length > _LONGEST:
        raise ValueError(
            f"Detokenizer got a span that ends at {length:,}: it makes no texts of more than {_LONGEST:,} characters."
        )
    check_spans(spans, length, "the tokens")
    parts, position = [], 0
    for index, (token, (start, end)) in enumerate(zip(tokens, spans, strict=True)):
        if end - start != len(token):
            raise ValueError(
                f"Detokenizer got token {index}, {shorten(token)}, with span [{start}, {end}) of another length."
            )
        parts += [" " * (start - position), token]
        position = end
    return "".join(parts)
