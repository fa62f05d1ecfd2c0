"""The fitted state inside the project's own JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.model import Model, Style


def write(model: Model, style: Style) -> dict[str, Any]:
    """Give a model as JSON values.

    Parameters
    ----------
    model : Model
        Vocabulary and merges.
    style : Style
        How pieces are written.

    Returns
    -------
    dict
        Pieces by id, merges as ids, added tokens with their flags.
    """
    return {
        "pieces": [style.to_file(piece) for piece in model.pieces],
        "merges": model.merges.tolist(),
        "added_tokens": {token: added._asdict() for token, added in model.added_tokens.items()},
        "byte_pieces": model.byte_pieces,
        "template": list(model.template),
    }


def read(state: dict[str, Any], style: Style) -> Model:
    """Undo `write`.

    Parameters
    ----------
    state : dict
        As `write` gave it.
    style : Style
        How pieces are written.

    Returns
    -------
    Model
        Checked.

    Raises
    ------
    ModelFormatError
        If an id is out of range.
    """
    before, behind = state["template"]
    model = Model(
        pieces=[style.from_file(piece) for piece in state["pieces"]],
        merges=np.array(state["merges"], dtype=np.int32).reshape(-1, 3),
        added_tokens={token: AddedToken(**flags) for token, flags in state["added_tokens"].items()},
        byte_pieces=state["byte_pieces"],
        template=(list(before), list(behind)),
    )
    check(model)
    return model


def check(model: Model) -> None:
    """Refuse a model whose ids do not fit together.

    Parameters
    ----------
    model : Model
        From a file.

    Raises
    ------
    ModelFormatError
        If a merge, a byte or the template names an id that no piece has, or a token has a negative one.
    """
    ids = {index for index, piece in enumerate(model.pieces) if piece is not None}
    added = {token.id for token in model.added_tokens.values()}
    for rank, row in enumerate(model.merges.tolist()):
        if not ids.issuperset(row):
            raise ModelFormatError(f"Merge {rank} names ids {row}, but there is no such piece.")
    if not ids.issuperset(model.byte_pieces or ()) or (model.byte_pieces and len(model.byte_pieces) != 256):
        raise ModelFormatError("The byte pieces are not 256 ids of pieces.")
    if any(index < 0 for index in added):
        raise ModelFormatError("An added token has a negative id.")
    if not (ids | added).issuperset([*model.template[0], *model.template[1]]):
        raise ModelFormatError("The template names an id that no piece has.")
