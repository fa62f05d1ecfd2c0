"""Decode ids as they come, never showing half a character."""

from __future__ import annotations

from collections.abc import Iterable

from textprep_ml.subword.base import SubwordTokenizer, to_text


def _incomplete_tail(data: bytes) -> int:
    """Give how many bytes at the end begin a character that is not complete."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        size = 2 if 0xC2 <= byte < 0xE0 else 3 if 0xE0 <= byte < 0xF0 else 4 if 0xF0 <= byte < 0xF5 else 1
        return back if size > back else 0
    return 0


class StreamDecoder:
    """Turns a stream of ids into text piece by piece.

    The texts given out, joined, are what `decode` makes of all ids at once.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
        Fitted.
    errors : str, default="replace"
        What becomes of bytes that are no character.
    skip_special_tokens : bool, default=False
        Leave special tokens out.

    Examples
    --------
    >>> from textprep_ml.subword.bpe import BPETokenizer
    >>> tokenizer = BPETokenizer(num_merges=0).fit(["any text"])
    >>> decoder = StreamDecoder(tokenizer)
    >>> [decoder.feed([index]) for index in tokenizer.encode("né")], decoder.finish()
    (['n', '', 'é'], '')
    """

    def __init__(
        self, tokenizer: SubwordTokenizer, *, errors: str = "replace", skip_special_tokens: bool = False
    ) -> None:
        self._tokenizer = tokenizer
        self._errors = errors
        self._skip = skip_special_tokens
        self._waiting = b""
        self._given = ""
        self._is_first = True

    def feed(self, ids: Iterable[int]) -> str:
        """Take more ids.

        Parameters
        ----------
        ids : iterable of int
            In order.

        Returns
        -------
        str
            The text that is certain by now and was not given before.
        """
        self._waiting += self._tokenizer.decode_bytes(list(ids), skip_special_tokens=self._skip)
        tail = _incomplete_tail(self._waiting)
        if self._tokenizer._has_closing_blank and self._waiting.endswith(b" "):
            tail = 1  # the last word's end shows no blank
        ready, self._waiting = self._waiting[: len(self._waiting) - tail], self._waiting[len(self._waiting) - tail :]
        return self._show(ready)

    def finish(self) -> str:
        """Give what is left after the last id.

        Returns
        -------
        str
            Mostly empty; what `errors` makes of an incomplete character otherwise.
        """
        rest, self._waiting = self._waiting, b""
        return self._show(rest[:-1] if self._tokenizer._has_closing_blank and rest.endswith(b" ") else rest)

    def _show(self, data: bytes) -> str:
        text = to_text(data, self._errors)
        if self._is_first and text:
            self._is_first = False
            if self._tokenizer._has_opening_blank:
                return text.removeprefix(" ")
        return text
