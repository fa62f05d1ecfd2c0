"""The plain data of a unigram model, and what the kernel's encoder needs to know about it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from textprep_ml._kernels import load
from textprep_ml._kernels._pure.unigram_tables import replace_each
from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken

#: What stands for a blank in the names of pieces.
MARKER = "\u2581"


@dataclass
class UnigramModel:
    """What training finds out or a file holds.

    Attributes
    ----------
    pieces : list of str or None
        Id -> piece, with markers for blanks; None where an id belongs to an added token or to nothing.
    scores : float64 array of shape (n_ids,)
        Logarithms of probabilities; 0 where there is no piece.
    user_defined : list of int
        Ids of pieces that are always taken, before normalization.
    unused : list of int
        Ids of pieces that are never taken.
    added_tokens : dict of str to AddedToken
        The unknown token and control tokens.
    byte_pieces : list of int, optional
        The ids of the 256 bytes that stand for unknown characters.
    template : (list of int, list of int)
        Ids put before and behind a text on request.
    """

    pieces: list[str | None]
    scores: npt.NDArray[np.float64]
    user_defined: list[int] = field(default_factory=list)
    unused: list[int] = field(default_factory=list)
    added_tokens: dict[str, AddedToken] = field(default_factory=dict)
    byte_pieces: list[int] | None = None
    template: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))

    def has_runs(self) -> bool:
        """Tell whether a piece has two blanks one after another.

        Returns
        -------
        bool
            Then words begin at runs of blanks.
        """
        return any(piece is not None and 2 * MARKER in piece for piece in self.pieces)

    @property
    def n_ids(self) -> int:
        """One more than the greatest id."""
        return max([len(self.pieces), *(added.id + 1 for added in self.added_tokens.values())])

    def kinds(self) -> list[int]:
        """Give the kind of each id, by the numbers of the kernel.

        Returns
        -------
        list of int
            Added tokens are control symbols.
        """
        kernel = load("unigram")
        normal, control = kernel.NORMAL, kernel.CONTROL
        kinds = [control if piece is None else normal for piece in self.pieces]
        kinds += [kernel.CONTROL] * (self.n_ids - len(kinds))
        for ids, kind in (
            (self.user_defined, kernel.USER_DEFINED),
            (self.unused, kernel.UNUSED),
            (self.byte_pieces or (), kernel.BYTE),
        ):
            for index in ids:
                kinds[index] = kind
        return kinds


def encoder_arguments(model: UnigramModel, unk_token: str | None, **flags: Any) -> dict[str, Any]:
    """Give the arguments of the kernel's encoder.

    Parameters
    ----------
    model : UnigramModel
        Any.
    unk_token : str or None
        The added token that stands for unknown characters.
    **flags
        How texts are normalized and sums are made.

    Returns
    -------
    dict
        Plain data.
    """
    names = _encode_each([piece or "" for piece in model.pieces])
    names += [b""] * (model.n_ids - len(names))
    surfaces = replace_each(names, MARKER.encode(), b" ") if flags.get("escape", True) else list(names)
    for byte, index in enumerate(model.byte_pieces or ()):
        surfaces[index] = bytes([byte])
    for token, added in model.added_tokens.items():
        surfaces[added.id] = token.encode("utf-8", "surrogatepass")
    unknown = model.added_tokens[unk_token].id if unk_token in model.added_tokens else -1
    return {
        "pieces": names,
        "scores": np.concatenate([model.scores, np.zeros(model.n_ids - len(model.scores))]).tolist(),
        "kinds": model.kinds(),
        "unknown": unknown,
        "byte_ids": model.byte_pieces,
        "surfaces": surfaces,
        **flags,
    }


def _encode_each(texts: list[str]) -> list[bytes]:
    """Encode each text: all of them at once, unless one has the character that stands between them."""
    joined = "\0".join(texts)
    if joined.count("\0") != len(texts) - 1:
        return [text.encode("utf-8", "surrogatepass") for text in texts]
    return joined.encode("utf-8", "surrogatepass").split(b"\0")


def check(model: UnigramModel) -> None:
    """Refuse a model whose parts do not fit together.

    Parameters
    ----------
    model : UnigramModel
        From a file.

    Raises
    ------
    ModelFormatError
        If a score is no finite number, a piece is empty or there twice, or an id is out of range; the message names it.
    """
    if len(model.scores) != len(model.pieces):
        raise ModelFormatError(f"The model has {len(model.pieces)} pieces, but {len(model.scores)} scores.")
    pieces = [piece for piece in model.pieces if piece is not None]
    distinct = set(pieces)
    if len(distinct) < len(pieces) or "" in distinct or not np.isfinite(model.scores).all():
        _refuse_piece(model)
    _check_ids(model)
    special = set(model.user_defined) | set(model.unused) | set(model.byte_pieces or ())
    if len(pieces) <= len(special):
        raise ModelFormatError("The model has no piece that a text could be cut into.")


def _refuse_piece(model: UnigramModel) -> None:
    """Name the first piece that may not be; the score of an id without a piece is nothing."""
    seen: dict[str, int] = {}
    for index, piece in enumerate(model.pieces):
        if piece is None:
            continue
        if not piece:
            raise ModelFormatError(f"Piece {index} is empty.")
        if not math.isfinite(model.scores[index]):
            raise ModelFormatError(f"The score of piece {index}, {shorten(piece)}, is {model.scores[index]}.")
        if seen.setdefault(piece, index) != index:
            raise ModelFormatError(f"The piece {shorten(piece)} is there twice: ids {seen[piece]} and {index}.")


def _check_ids(model: UnigramModel) -> None:
    pieces, added = model.pieces, [token.id for token in model.added_tokens.values()]

    def are_pieces(ids: Iterable[int]) -> bool:
        return all(0 <= index < len(pieces) and pieces[index] is not None for index in ids)

    if len(set(added)) < len(added) or min(added, default=0) < 0 or any(are_pieces([index]) for index in added):
        raise ModelFormatError("An added token has an id that is negative or taken.")
    if not are_pieces([*model.user_defined, *model.unused]):
        raise ModelFormatError("A user-defined or unused piece has an id without a piece.")
    if model.byte_pieces is not None and (len(model.byte_pieces) != 256 or not are_pieces(model.byte_pieces)):
        raise ModelFormatError("The byte pieces are not 256 ids of pieces.")
    if not are_pieces(index for index in (*model.template[0], *model.template[1]) if index not in added):
        raise ModelFormatError("The template names an id that no piece has.")


def write_state(model: UnigramModel) -> dict[str, Any]:
    """Give a model as JSON values.

    Parameters
    ----------
    model : UnigramModel
        Any.

    Returns
    -------
    dict
        For the project's own model file.
    """
    return {
        "pieces": list(model.pieces),
        "scores": model.scores.tolist(),
        "user_defined": model.user_defined,
        "unused": model.unused,
        "added_tokens": {token: added._asdict() for token, added in model.added_tokens.items()},
        "byte_pieces": model.byte_pieces,
        "template": list(model.template),
    }


def read_state(state: dict[str, Any]) -> UnigramModel:
    """Undo `write_state`.

    Parameters
    ----------
    state : dict
        From the project's own model file.

    Returns
    -------
    UnigramModel
        Checked.

    Raises
    ------
    ModelFormatError
        If something does not fit.
    """
    before, behind = state["template"]
    model = UnigramModel(
        pieces=list(state["pieces"]),
        scores=np.array(state["scores"], dtype=np.float64),
        user_defined=list(state["user_defined"]),
        unused=list(state["unused"]),
        added_tokens={token: AddedToken(**flags) for token, flags in state["added_tokens"].items()},
        byte_pieces=state["byte_pieces"],
        template=(list(before), list(behind)),
    )
    check(model)
    return model


def ids_of(tokens: Sequence[str], first: int) -> dict[str, AddedToken]:
    """Number control tokens.

    Parameters
    ----------
    tokens : sequence of str
        In the order of their ids.
    first : int
        The id of the first.

    Returns
    -------
    dict of str to AddedToken
        Special ones.
    """
    return {token: AddedToken(index, special=True) for index, token in enumerate(tokens, start=first)}
