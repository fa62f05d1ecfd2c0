"""How a page words what it shows: signs, hidden characters, pieces, and what was predicted at an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ESCAPED = re.compile("[\udc80-\udcff]+")

#: What a browser would drop or change in raw text: controls are shown by their pictures, except line feed and tab.
_PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\n\t"} | {127: "\u2421"}

#: Kind of candidate -> what stands there.
CANDIDATES = {
    "mark": "end mark",
    "inside": "mark without a blank",
    "mark_line": "end mark at a line break",
    "line": "line break",
    "paragraph": "blank line",
    "gap": "gap between words",
}

#: Type of error -> what was predicted, and what is right.
_SAID = {
    "miss": ("none", "A sentence ends here."),
    "false positive": ("a boundary", "The sentence goes on here."),
}


def with_sign(number: float, digits: int) -> str:
    """Write a difference.

    Parameters
    ----------
    number : float
        The difference.
    digits : int
        Behind the point.

    Returns
    -------
    str
        With a plus or a minus sign.

    Examples
    --------
    >>> with_sign(0.0586, 4), with_sign(-1.25, 1)
    ('+0.0586', '−1.2')
    """
    return f"{number:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def visible(text: str) -> str:
    r"""Show control characters, which a browser would swallow, by their pictures.

    Parameters
    ----------
    text : str
        Raw text.

    Returns
    -------
    str
        As long.

    Examples
    --------
    >>> visible("a\r\nb\x00")
    'a␍\nb␀'
    """
    return text.translate(_PICTURES)


def show_piece(piece: str) -> str:
    """Show a piece of a vocabulary: its blanks, and the bytes that are no characters by themselves.

    Parameters
    ----------
    piece : str
        With surrogate escapes for such bytes.

    Returns
    -------
    str
        Something to read.

    Examples
    --------
    >>> show_piece(" the"), show_piece("\\udce2\\udc80"), show_piece("\\n\\t")
    ('␣the', '⟨E2 80⟩', '␊␉')
    """
    shown = visible(piece).translate({ord(" "): "␣", ord("\n"): "␊", ord("\t"): "␉"})
    return _ESCAPED.sub(lambda found: f"⟨{' '.join(f'{ord(byte) - 0xDC00:02X}' for byte in found[0])}⟩", shown)


def verdict(error: Mapping[str, Any]) -> str:
    """Say in words what was predicted at a wrong boundary, and by whom.

    Parameters
    ----------
    error : dict
        As `list_boundary_errors` gives it.

    Returns
    -------
    str
        One or two sentences.

    Examples
    --------
    >>> verdict({"type": "miss", "decided_by": "model", "candidate": "gap", "probability": 0.25})
    'Predicted none (gap between words, probability of a boundary 0.250). A sentence ends here.'
    """
    said, truth = _SAID[error["type"]]
    decided_by = error.get("decided_by")
    if decided_by is None:
        return f"Predicted {said}. {truth}"
    if decided_by == "no candidate":
        return f"The model was not asked: this is no candidate. {truth}"
    if decided_by == "blank line":
        return f"Predicted a boundary, as at every blank line. {truth}"
    rule = " by a rule among the parameters" if decided_by == "policy" else ""
    if error["candidate"] is None:
        return f"Predicted {said}{rule}. {truth}"
    probability = error["probability"]
    odds = "below 0.001" if probability < 0.001 else "above 0.999" if probability > 0.999 else f"{probability:.3f}"
    return f"Predicted {said}{rule} ({CANDIDATES[error['candidate']]}, probability of a boundary {odds}). {truth}"
