"""The ``.model`` files of sentencepiece that hold byte-pair encoding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from textprep_ml._kernels import load
from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.formats.sentencepiece_proto import make_model
from textprep_ml.subword.formats.sentencepiece_unigram import (
    BPE,
    Pieces,
    read_bytes,
    read_message,
    read_rules,
    refuse_unsaid,
    write_rules,
    write_trainer,
)
from textprep_ml.subword.formats.state import check
from textprep_ml.subword.model import Model, Style, all_splits
from textprep_ml.subword.text_rules import TYPE
from textprep_ml.subword.unigram_model import MARKER

Json = dict[str, Any]

#: Words begin at blanks: a run of them belongs to what follows.
SPACED = " *[^ ]+| +"
#: What such a tokenizer is like, whatever the file says.
PARAMS: Json = {
    "byte_level": False,
    "pretokenizer": SPACED,
    "space_marker": MARKER,
    "any_split": True,
    "fuse_unk": True,
    "unk_token": "<unk>",
}
STYLE = Style(byte_level=False, space=MARKER)


# Reading


def read(data: bytes) -> tuple[Json, Model]:
    """Understand a byte-pair model.

    Parameters
    ----------
    data : bytes
        The file.

    Returns
    -------
    params : dict
        Constructor parameters of `BPETokenizer`.
    model : Model
        Checked.

    Raises
    ------
    ModelFormatError
        If it is damaged or something cannot be done; the message names it.
    """
    kernel = load("unigram")
    message, table = read_message(data, BPE)
    if message.trainer_spec.treat_whitespace_as_suffix or not message.normalizer_spec.escape_whitespaces:
        raise ModelFormatError("treat_whitespace_as_suffix and escape_whitespaces=false are not supported here.")
    if table.of_kind(kernel.UNUSED):
        raise ModelFormatError("pieces of the type UNUSED are not supported here.")
    names = table.names
    (unknown,) = table.of_kind(kernel.UNKNOWN)
    control, user = table.of_kind(kernel.CONTROL), table.of_kind(kernel.USER_DEFINED)
    added = {names[index]: AddedToken(index, special=True) for index in (unknown, *control)}
    added |= {names[index]: AddedToken(index, normalized=True) for index in user}
    hidden = {token.id for token in added.values()}
    pieces = [None if index in hidden else name for index, name in enumerate(names)]
    model = Model(pieces, _merges(table), added, read_bytes(message, table))
    check(model)
    inner = any(MARKER in name.lstrip(MARKER) for name in names) or MARKER not in pieces
    rules = read_rules(
        message, keep=[names[index] for index in user], add_dummy_prefix=message.normalizer_spec.add_dummy_prefix
    )
    return {
        **PARAMS,
        "vocab_size": len(names),
        "pretokenizer": "none" if inner else SPACED,
        "unk_token": names[unknown],
        "special_tokens": [names[index] for index in control],
        "byte_fallback": model.byte_pieces is not None,
        "normalizer": rules or {"type": TYPE},
    }, model


def _merges(table: Pieces) -> Any:
    """Give one merge for every piece that two others join to, the best score first."""
    kernel = load("unigram")
    normal = {table.names[index]: index for index in table.of_kind(kernel.NORMAL)}
    longer = sorted((-table.scores[index], index) for name, index in normal.items() if len(name) > 1)
    rows = []
    last = None
    for score, index in longer:
        name = table.names[index]
        if not math.isfinite(score):
            raise ModelFormatError(f"the score of piece {index}, {shorten(name)}, is {-score}.")
        if score == last:
            raise ModelFormatError(f"piece {index}, {shorten(name)}, has the score of another, {-score}.")
        strange = next((char for char in name if char not in normal), None)
        if strange is not None:
            raise ModelFormatError(f"piece {index}, {shorten(name)}, holds {strange!r}, which is no piece.")
        last = score
        splits = ((name[:cut], name[cut:]) for cut in range(1, len(name)))
        split = next(((left, right) for left, right in splits if left in normal and right in normal), None)
        if split is not None:
            rows.append((normal[split[0]], normal[split[1]], index))
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


# Writing


def write(model: Model, style: Style, params: Json) -> bytes:
    """Describe a byte-pair model.

    Parameters
    ----------
    model : Model
        Any.
    style : Style
        How pieces are written.
    params : dict
        Constructor parameters of `BPETokenizer`.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    ModelFormatError
        If the format has no way to say something; the message names it.
    """
    _refuse_other_kinds(style, params)
    refuse_unsaid(model, params["unk_token"], params["add_prefix_space"])
    kernel, message = load("unigram"), make_model()
    names: list[str | None] = [*model.pieces, *[None] * (model.n_ids - len(model.pieces))]
    kinds = [kernel.NORMAL] * model.n_ids
    for index in model.byte_pieces or ():
        kinds[index] = kernel.BYTE
    for token, added in model.added_tokens.items():
        if not added.special and not added.normalized:
            raise ModelFormatError(f"A sentencepiece model cannot hold the added token {shorten(token)}.")
        names[added.id] = token
        kinds[added.id] = kernel.CONTROL if added.special else kernel.USER_DEFINED
    kinds[model.added_tokens[params["unk_token"]].id] = kernel.UNKNOWN
    scores = _scores(model, style, kinds)
    for index, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if name is None:
            raise ModelFormatError(f"A sentencepiece model has no gaps, but the id {index} has no piece.")
        message.pieces.add(piece=name, score=scores[index], type=kind)
    specials = [token for token, added in model.added_tokens.items() if added.special and token != params["unk_token"]]
    user = [token for token, added in model.added_tokens.items() if not added.special]
    write_trainer(message, BPE, [name or "" for name in names], specials, params["unk_token"])
    message.trainer_spec.user_defined_symbols.extend(user)
    message.trainer_spec.byte_fallback = model.byte_pieces is not None
    if sorted(params["normalizer"].get("keep", [])) != sorted(user):
        raise ModelFormatError("The normalizer's keep and the user-defined tokens must be the same for sentencepiece.")
    prefix = bool(params["add_prefix_space"] or params["normalizer"].get("add_dummy_prefix"))
    write_rules(message, params["normalizer"], prefix)
    return message.SerializeToString(deterministic=True)


def _refuse_other_kinds(style: Style, params: Json) -> None:
    wanted = {name: PARAMS[name] for name in ("any_split", "fuse_unk")}
    wrong = [name for name, value in wanted.items() if params[name] != value]
    wrong += [name for name, value in style._asdict().items() if value != getattr(STYLE, name)]
    if params["pretokenizer"] not in (SPACED, "none"):
        wrong.append("pretokenizer")
    normalizer = params["normalizer"]
    if not isinstance(normalizer, dict) or normalizer.get("type") != TYPE:
        wrong.append("normalizer")
    if params["whole_words"] or params["dropout"]:
        wrong.append("whole_words or dropout")
    if wrong:
        raise ModelFormatError(
            f"sentencepiece has no byte-pair encoding with this {', '.join(wrong)}: "
            "train with BPETokenizer.for_sentencepiece(...)."
        )


def _scores(model: Model, style: Style, kinds: list[int]) -> list[float]:
    """Give pieces made by merges their negative rank, and single characters what comes behind."""
    normal = load("unigram").NORMAL
    made = list(dict.fromkeys(all_splits(model, style)[:, 2].tolist()))
    ranks = {index: rank for rank, index in enumerate(made)}
    following = len(made)
    scores = [0.0] * len(kinds)
    for index, kind in enumerate(kinds):
        if kind == normal:
            scores[index] = -float(ranks.get(index, following))
            following += index not in ranks
    return scores
