"""What a subword vocabulary looks like; how it does on a text `textprep_ml.metrics.vocabulary_scores` tells."""

from __future__ import annotations

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
