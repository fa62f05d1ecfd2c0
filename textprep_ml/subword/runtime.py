"""The kernel's encoder behind added tokens, a normalizer and a pre-tokenizer, built once from plain data."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels import load
from textprep_ml.subword.added_tokens import AddedToken, TokenMatcher, cut
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.pretokenizers import make_pretokenizer, scheme_of

Ints = npt.NDArray[np.int64]

_BITS = (1 << 64) - 1

#: Whether a blank is put before a text: never, before every text, or before each stretch that begins with no white
#: space.
PrefixSpace = Literal[False, True, "if-missing"]


class Plan(NamedTuple):
    """All that a runtime is built from.

    Attributes
    ----------
    encoder : dict
        Arguments of the kernel's encoder, without its scheme.
    pretokenizer : object
        A specification for `make_pretokenizer`; None for a kernel that finds words by itself, and puts the blank before
        the first stretch of a text.
    normalizer : object
        A specification for `make_normalizer`.
    prefix_space : {False, True, "if-missing"}
        Whether a blank is put before the text.
    added_tokens : dict of str to AddedToken
        What is found before anything else.
    dropout : float
        The chance of each merge to be left out.
    seed : int
        Where that chance begins.
    kernel : (str, str)
        The kernel and its class that encodes. It takes ``scheme``, unless there is no pre-tokenizer (None).
    """

    encoder: dict[str, Any]
    pretokenizer: Any
    normalizer: Any
    prefix_space: PrefixSpace
    added_tokens: dict[str, AddedToken]
    kernel: tuple[str, str] = ("bpe_encode", "BPEEncoder")
    dropout: float = 0.0
    seed: int = 0


class Encoded(NamedTuple):
    """Ids and where they come from.

    Attributes
    ----------
    ids : list of int
        One per piece.
    characters, bytes_ : ndarray of shape (n_pieces, 2)
        Half-open spans in the raw text, in characters and in bytes of its UTF-8.
    """

    ids: list[int]
    characters: Ints
    bytes_: Ints


class Runtime:
    """Encodes single texts.

    Parameters
    ----------
    plan : Plan
        What to do.
    """

    def __init__(self, plan: Plan) -> None:
        scheme = scheme_of(plan.pretokenizer)
        self._plan = plan
        self.encoder = _make_encoder(plan, scheme)
        self._splitter = None if scheme or plan.pretokenizer is None else make_pretokenizer(plan.pretokenizer)
        self._normalizer = make_normalizer(plan.normalizer)
        tokens = plan.added_tokens
        late = {token for token, added in tokens.items() if added.normalized and self._normalizer is not None}
        self._early = TokenMatcher(token for token in tokens if token not in late)
        normalize_token = getattr(self._normalizer, "normalize_token", self._normalize)
        self._normalized = {normalize_token(token) or token: tokens[token] for token in late}
        self._late = TokenMatcher(self._normalized)
        self.specials = frozenset(token for token, added in tokens.items() if added.special)
        self._chance = plan.seed
        self._is_bare = self._splitter is None and self._normalizer is None and not plan.prefix_space
        self._is_bare &= not plan.dropout
        #: Whether the encoder alone does all there is to do, as long as no special token is allowed.
        self.is_plain = self._is_bare and len(self.specials) == len(tokens)

    def __reduce__(self) -> tuple[Any, ...]:
        return Runtime, (self._plan,)

    @property
    def is_random(self) -> bool:
        """Whether merges are left out by chance."""
        return bool(self._plan.dropout)

    def draw(self) -> int:
        """Give the chance of the next call for many texts.

        Returns
        -------
        int
            Another one each time.
        """
        self._chance = _mix(self._chance + 1)
        return self._chance

    def at_row(self, draw: int, row: int) -> Runtime:
        """Give this runtime with the chance of one text of many, whatever thread or process has it.

        Parameters
        ----------
        draw : int
            Of the call.
        row : int
            The number of the text.

        Returns
        -------
        Runtime
            Shares all but the chance.
        """
        runtime = object.__new__(Runtime)
        vars(runtime).update(vars(self), _chance=_mix(draw ^ _mix(row)))
        return runtime

    def _normalize(self, text: str) -> str:
        return text if self._normalizer is None else self._normalizer.normalize(text)

    # Ids

    def encode(self, text: str, skip: Collection[str]) -> list[int]:
        """Encode one text.

        Parameters
        ----------
        text : str
            Any text.
        skip : collection of str
            Special tokens that are taken for text.

        Returns
        -------
        list of int
            The ids.
        """
        if self._is_bare and len(skip) == len(self._plan.added_tokens):
            return self.encoder.encode(text)
        ids: list[int] = []
        for start, end, token in cut(text, self._early, self._plan.added_tokens, skip):
            if token is not None:
                ids.append(token.id)
            else:
                ids += self._encode_stretch(self._normalize(text[start:end]), start == 0, skip)
        return ids

    def _encode_stretch(self, text: str, is_first: bool, skip: Collection[str]) -> list[int]:
        ids: list[int] = []
        for start, end, token in cut(text, self._late, self._normalized, skip):
            if token is not None:
                ids.append(token.id)
            else:
                part, opens = text[start:end], is_first and start == 0
                if self._plan.pretokenizer is None:
                    ids += self.encoder.encode(part, opens)
                else:
                    ids += self._encode_words(" " + part if self._needs_blank(part, opens) else part)
        return ids

    def _needs_blank(self, text: str, is_first: bool) -> bool:
        if self._plan.prefix_space == "if-missing":
            return not text.startswith(" ")
        return bool(self._plan.prefix_space) and is_first

    def _encode_words(self, text: str) -> list[int]:
        if self._plan.dropout:
            return [index for word in self._locate_words(text, False) for index in word.ids]
        if self._splitter is None:
            return self.encoder.encode(text)
        words = [text[start:end].encode("utf-8", "surrogatepass") for start, end in self._splitter.spans(text)]
        return self.encoder.encode_words(words)[0].tolist()

    # Ids with spans

    def encode_with_spans(self, text: str, skip: Collection[str]) -> Encoded:
        """Encode one text and tell where each piece comes from.

        Parameters
        ----------
        text : str
            Any text.
        skip : collection of str
            Special tokens that are taken for text.

        Returns
        -------
        Encoded
            Ids and spans.
        """
        if self._is_bare and len(skip) == len(self._plan.added_tokens):
            ids, characters, byte_spans = self.encoder.encode_with_offsets(text)
            return Encoded(ids.tolist(), characters, byte_spans)
        places = _byte_places(text)
        parts = list(self._located(text, skip, places))
        return Encoded(
            [index for part in parts for index in part.ids],
            np.concatenate([np.empty((0, 2), np.int64), *(part.characters for part in parts)]),
            np.concatenate([np.empty((0, 2), np.int64), *(part.bytes_ for part in parts)]),
        )

    def _located(self, text: str, skip: Collection[str], places: Ints) -> Iterator[Encoded]:
        for start, end, token in cut(text, self._early, self._plan.added_tokens, skip):
            if token is not None:
                span = np.array([[start, end]])
                yield Encoded([token.id], span, places[span])
            elif self._normalizer is None:
                for part in self._locate_stretch(text[start:end], start == 0, skip):
                    yield Encoded(part.ids, part.characters + start, part.bytes_ + places[start])
            else:
                normalized, offsets = self._normalizer.align(text[start:end])
                for part in self._locate_stretch(normalized, start == 0, skip):
                    raw = offsets.to_raw(part.characters) + start
                    yield Encoded(part.ids, raw, places[raw])

    def _locate_stretch(self, text: str, is_first: bool, skip: Collection[str]) -> Iterator[Encoded]:
        places = _byte_places(text)
        for start, end, token in cut(text, self._late, self._normalized, skip):
            if token is not None:
                span = np.array([[start, end]])
                yield Encoded([token.id], span, places[span])
                continue
            part, opens = text[start:end], is_first and start == 0
            blank = self._needs_blank(part, opens)
            for word in self._locate_words(" " + part if blank else part, opens):
                yield Encoded(
                    word.ids,
                    np.maximum(word.characters - blank, 0) + start,
                    np.maximum(word.bytes_ - blank, 0) + places[start],
                )

    def _locate_words(self, text: str, opens: bool) -> Iterator[Encoded]:
        if self._plan.pretokenizer is None:
            ids, characters, byte_spans = self.encoder.encode_with_offsets(text, opens)
            yield Encoded(ids.tolist(), characters, byte_spans)
            return
        if self._splitter is None:
            yield self._locate_word(text)
            return
        places = _byte_places(text)
        for start, end in self._splitter.spans(text):
            word = self._locate_word(text[start:end])
            yield Encoded(word.ids, word.characters + start, word.bytes_ + places[start])

    def _locate_word(self, text: str) -> Encoded:
        if self._plan.dropout:
            *found, self._chance = self.encoder.encode_by_chance(text, self._plan.dropout, self._chance)
        else:
            found = self.encoder.encode_with_offsets(text)
        ids, characters, byte_spans = found
        return Encoded(ids.tolist(), characters, byte_spans)


def _mix(number: int) -> int:
    """Spread a number over 64 bits (the end of SplitMix64: Steele, Lea and Flood 2014)."""
    z = number * 0x9E3779B97F4A7C15 & _BITS
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _BITS
    return z ^ z >> 31


def _make_encoder(plan: Plan, scheme: str | None) -> Any:
    kernel, name = load(plan.kernel[0]), plan.kernel[1]
    if plan.pretokenizer is None:
        return getattr(kernel, name)(**plan.encoder)
    return getattr(kernel, name)(**plan.encoder, scheme=kernel.SCHEMES[scheme or "none"])


def _byte_places(text: str) -> Ints:
    """Give where each character begins in UTF-8, and the end."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    sizes = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
