"""What a subword vocabulary looks like and how it does on a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from textprep_ml.subword.base import SubwordTokenizer


def describe(tokenizer: SubwordTokenizer, n_longest: int = 10) -> dict[str, Any]:
    """Summarize a vocabulary.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
        Fitted.
    n_longest : int, default=10
        How many of the longest pieces are listed.

    Returns
    -------
    dict
        ``type``, ``n_pieces``, ``n_special``, ``n_added``, ``mean_bytes`` of a piece, ``longest`` pieces, and for
        byte-pair models ``n_merges``, ``first_merges`` and ``last_merges``.

    Examples
    --------
    >>> from textprep_ml.subword.bpe import BPETokenizer
    >>> summary = describe(BPETokenizer(num_merges=2).fit(["low low lower"]))
    >>> summary["n_pieces"], summary["longest"][:2], summary["first_merges"]
    (258, ['low', 'lo'], [('l', 'o'), ('lo', 'w')])
    """
    plain = {piece: index for index, piece in enumerate(tokenizer.pieces_) if piece is not None}
    lengths = {piece: len(tokenizer.token_bytes(index)) for piece, index in plain.items()}
    summary: dict[str, Any] = {
        "type": type(tokenizer).__name__,
        "n_pieces": len(tokenizer.vocabulary_),
        "n_special": len(tokenizer.special_tokens_),
        "n_added": len(tokenizer.added_tokens_) - len(tokenizer.special_tokens_),
        "mean_bytes": sum(lengths.values()) / max(1, len(lengths)),
        "longest": sorted(lengths, key=lambda piece: (-lengths[piece], piece))[:n_longest],
    }
    merges = getattr(tokenizer, "merges_", None)
    if merges is not None:
        summary |= {"n_merges": len(merges), "first_merges": merges[:n_longest], "last_merges": merges[-n_longest:]}
    return summary


def measure(tokenizer: SubwordTokenizer, texts: Iterable[str]) -> dict[str, float]:
    """Measure a vocabulary on a text.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
        Fitted.
    texts : iterable of str
        The sample.

    Returns
    -------
    dict of str to float
        ``n_bytes``, ``n_tokens``, ``bytes_per_token`` (compression), ``tokens_per_word`` (words are stretches without
        white space), ``used`` (part of the vocabulary that occurs) and ``unknown`` (part of the tokens that is the
        unknown token).
    """
    counts: Counter[int] = Counter()
    n_bytes = n_words = 0
    for text in texts:
        counts.update(tokenizer.encode(text))
        n_bytes += len(text.encode("utf-8", "surrogatepass"))
        n_words += len(text.split())
    n_tokens = counts.total()
    unknown = tokenizer.special_tokens_.get(getattr(tokenizer, "unk_token", None) or "", -1)
    return {
        "n_bytes": n_bytes,
        "n_tokens": n_tokens,
        "bytes_per_token": n_bytes / max(1, n_tokens),
        "tokens_per_word": n_tokens / max(1, n_words),
        "used": len(counts) / len(tokenizer.vocabulary_),
        "unknown": counts[unknown] / max(1, n_tokens),
    }
