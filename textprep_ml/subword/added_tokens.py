"""Tokens that are found in the raw text before anything else: control tokens and words added after training."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

_HEAD = 3  # characters that a candidate must share with a token before its possible lengths are tried


class AddedToken(NamedTuple):
    """One token and how it is matched.

    Attributes
    ----------
    id : int
        Its id.
    special : bool
        A control token: in user text it is plain text unless allowed.
    lstrip, rstrip : bool
        The white space on that side belongs to the token.
    single_word : bool
        No match inside a longer word.
    normalized : bool
        Matched after normalization.
    """

    id: int
    special: bool = False
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


class TokenMatcher:
    """Find tokens in a text, the leftmost first and the longest of those.

    A token is looked up by its first characters, which give the lengths that are possible there; so the time depends on
    the text and hardly on the number of tokens.

    Parameters
    ----------
    tokens : iterable of str
        None is empty.

    Examples
    --------
    >>> list(TokenMatcher(["<a>", "<a><b>"]).find("x<a><b>y<a>"))
    [(1, 7), (8, 11)]
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self._tokens = frozenset(tokens)
        lengths: dict[str, set[int]] = {}
        for token in self._tokens:
            lengths.setdefault(token[:_HEAD], set()).add(len(token))
        self._lengths = {head: sorted(values, reverse=True) for head, values in lengths.items()}
        firsts = "".join(sorted({re.escape(token[0]) for token in self._tokens}))
        self._candidates = re.compile(f"[{firsts}]") if firsts else None

    def __len__(self) -> int:
        return len(self._tokens)

    def find(
        self, text: str, skip: Collection[str] = (), accept: Callable[[str, int, int], bool] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield the spans of the tokens in `text`.

        Parameters
        ----------
        text : str
            Any text.
        skip : collection of str
            Tokens that are taken for text.
        accept : callable, optional
            Asked with token, start and end; false refuses a match.

        Yields
        ------
        (int, int)
            Half-open spans, in order and without overlap.
        """
        if self._candidates is None:
            return
        at = 0
        while (match := self._candidates.search(text, at)) is not None:
            start = match.start()
            end = self._match(text, start, skip, accept)
            if end:
                yield start, end
            at = end or start + 1

    def _match(
        self, text: str, start: int, skip: Collection[str], accept: Callable[[str, int, int], bool] | None
    ) -> int:
        """Give the end of the longest token that begins at `start`, or 0."""
        for size in range(_HEAD, 0, -1):
            for length in self._lengths.get(text[start : start + size], ()):
                token = text[start : start + length]
                if len(token) == length >= size and token in self._tokens and token not in skip:
                    end = start + length
                    if accept is None or accept(token, start, end):
                        return end
        return 0


def cut(
    text: str, matcher: TokenMatcher, tokens: dict[str, AddedToken], skip: Collection[str]
) -> list[tuple[int, int, AddedToken | None]]:
    """Cut a text into added tokens and the stretches between them.

    Parameters
    ----------
    text : str
        Any text.
    matcher : TokenMatcher
        Built over the keys of `tokens`, or over some of them.
    tokens : dict of str to AddedToken
        How each is matched.
    skip : collection of str
        Tokens that are taken for text.

    Returns
    -------
    list of (int, int, AddedToken or None)
        Spans that cover the text; None stands for plain text.
    """

    def accept(token: str, start: int, end: int) -> bool:
        if not tokens[token].single_word:
            return True
        return not (_is_word_character(text[start - 1 : start]) or _is_word_character(text[end : end + 1]))

    parts: list[tuple[int, int, AddedToken | None]] = []
    at = 0
    for start, end in matcher.find(text, skip, accept):
        if start < at:  # white space on the right of the token before
            continue
        token = tokens[text[start:end]]
        if token.lstrip:
            start = at + len(text[at:start].rstrip())
        if token.rstrip:
            end = len(text) - len(text[end:].lstrip())
        if start > at:
            parts.append((at, start, None))
        parts.append((start, end, token))
        at = end
    if at < len(text):
        parts.append((at, len(text), None))
    return parts


def _is_word_character(char: str) -> bool:
    return bool(char) and (char.isalnum() or char == "_")
