"""The ``.model`` files of sentencepiece: what all of them hold, and unigram models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from textprep_ml._kernels import load
from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bytemap import fallback_name
from textprep_ml.subword.formats.sentencepiece_proto import make_model, parse
from textprep_ml.subword.text_rules import TYPE, make_component, read_component
from textprep_ml.subword.unigram_model import UnigramModel, check

Json = dict[str, Any]

#: The numbers of model types.
UNIGRAM, BPE = 1, 2
_TYPE_NAMES = {UNIGRAM: "unigram", BPE: "bpe", 3: "word", 4: "char"}


class Pieces(NamedTuple):
    """The pieces of a file, read once: every look at one in the message makes an object.

    Attributes
    ----------
    names : list of str
        What they are called.
    kinds : list of int
        The kernel's numbers.
    scores : list of float
        As the file says.
    """

    names: list[str]
    kinds: list[int]
    scores: list[float]

    def of_kind(self, kind: int) -> list[int]:
        """Give the ids of all pieces of a kind.

        Parameters
        ----------
        kind : int
            One of the kernel's numbers.

        Returns
        -------
        list of int
            In order.
        """
        return [index for index, found in enumerate(self.kinds) if found == kind] if kind in self.kinds else []


def read_message(data: bytes, model_type: int) -> tuple[Any, Pieces]:
    """Read a file of one type.

    Parameters
    ----------
    data : bytes
        The file.
    model_type : int
        `UNIGRAM` or `BPE`.

    Returns
    -------
    message : Message
        The whole model.
    pieces : Pieces
        Its pieces.

    Raises
    ------
    ModelFormatError
        If it is damaged, of another type, or asks for something that cannot be done; the message names it.
    """
    try:
        message = parse(data)
    except ValueError as error:
        raise ModelFormatError(f"{error}.") from None
    found = message.trainer_spec.model_type
    if found != model_type:
        raise ModelFormatError(f"the model_type is {_TYPE_NAMES.get(found, found)}, not {_TYPE_NAMES[model_type]}.")
    if message.denormalizer_spec.precompiled_charsmap:
        raise ModelFormatError("the denormalizer_spec is not supported.")
    rows = [(piece.piece, piece.type, piece.score) for piece in message.pieces]
    pieces = Pieces(*map(list, zip(*rows, strict=True))) if rows else Pieces([], [], [])
    unknown = pieces.of_kind(load("unigram").UNKNOWN)
    if len(unknown) != 1:
        raise ModelFormatError(f"it has {len(unknown)} pieces of the type UNKNOWN; expected one.")
    if "" in pieces.names:
        raise ModelFormatError(f"piece {pieces.names.index('')} is empty.")
    for kind in set(pieces.kinds):
        if not 1 <= kind <= 6:
            index = pieces.kinds.index(kind)
            raise ModelFormatError(f"piece {index}, {shorten(pieces.names[index])}, has the unknown type {kind}.")
    return message, pieces


def read_bytes(message: Any, pieces: Pieces) -> list[int] | None:
    """Give the ids of the pieces that stand for bytes.

    Parameters
    ----------
    message : Message
        The whole model.
    pieces : Pieces
        Its pieces.

    Returns
    -------
    list of int or None
        256 ids; None where characters do not fall back to bytes.

    Raises
    ------
    ModelFormatError
        If some are missing, or there are some without the flag.
    """
    found = {pieces.names[index]: index for index in pieces.of_kind(load("unigram").BYTE)}
    if not message.trainer_spec.byte_fallback:
        if found:
            raise ModelFormatError(f"there is the byte piece {min(found)!r}, but byte_fallback is false.")
        return None
    names = [fallback_name(byte) for byte in range(256)]
    missing = [name for name in names if name not in found]
    if missing:
        raise ModelFormatError(f"byte_fallback is true, but there is no byte piece {missing[0]!r}.")
    return [found[name] for name in names]


def read_rules(message: Any, **options: Any) -> Json | None:
    """Give the normalizer that a model asks for.

    Parameters
    ----------
    message : Message
        The whole model.
    **options
        More, as for `make_component`.

    Returns
    -------
    dict or None
        A component.

    Raises
    ------
    ModelFormatError
        If the compiled map is damaged.
    """
    spec = message.normalizer_spec
    component = make_component(
        spec.precompiled_charsmap, remove_extra_whitespaces=spec.remove_extra_whitespaces, **options
    )
    try:
        read_component(component)
    except ValueError as error:
        raise ModelFormatError(f"normalizer_spec: {error}") from None
    return component if len(component) > 1 else None


def read(data: bytes) -> tuple[Json, UnigramModel]:
    """Understand a unigram model.

    Parameters
    ----------
    data : bytes
        The file.

    Returns
    -------
    params : dict
        Constructor parameters of `UnigramTokenizer`.
    model : UnigramModel
        Checked.

    Raises
    ------
    ModelFormatError
        If it is damaged or something cannot be done; the message names it.
    """
    kernel = load("unigram")
    message, pieces = read_message(data, UNIGRAM)
    trainer, normalizer, names = message.trainer_spec, message.normalizer_spec, pieces.names
    (unknown,) = pieces.of_kind(kernel.UNKNOWN)
    control = pieces.of_kind(kernel.CONTROL)
    hidden = {unknown, *control}
    model = UnigramModel(
        pieces=[None if index in hidden else name for index, name in enumerate(names)],
        scores=np.array(pieces.scores, dtype=np.float64),
        user_defined=pieces.of_kind(kernel.USER_DEFINED),
        unused=pieces.of_kind(kernel.UNUSED),
        added_tokens={names[index]: AddedToken(index, special=True) for index in (unknown, *control)},
        byte_pieces=read_bytes(message, pieces),
    )
    if len(model.added_tokens) <= len(control):
        raise ModelFormatError("two control or unknown pieces have the same name.")
    check(model)
    return {
        "vocab_size": len(names),
        "unk_token": names[unknown],
        "special_tokens": [names[index] for index in control],
        "user_defined_symbols": [names[index] for index in model.user_defined],
        "byte_fallback": model.byte_pieces is not None,
        "add_prefix_space": normalizer.add_dummy_prefix,
        "space_as_suffix": trainer.treat_whitespace_as_suffix,
        "escape_blanks": normalizer.escape_whitespaces,
        "normalizer": read_rules(message),
    }, model


def write_trainer(message: Any, model_type: int, names: Sequence[str], specials: Sequence[str], unk_token: str) -> None:
    """Write what a model says of its special pieces.

    Parameters
    ----------
    message : Message
        The whole model.
    model_type : int
        `UNIGRAM` or `BPE`.
    names : sequence of str
        All pieces.
    specials : sequence of str
        The control symbols.
    unk_token : str
        The unknown piece.
    """
    trainer = message.trainer_spec
    trainer.model_type, trainer.vocab_size = model_type, len(names)
    trainer.unk_id, trainer.unk_piece = list(names).index(unk_token), unk_token
    roles = {"bos": "<s>", "eos": "</s>", "pad": "<pad>"}
    for role, name in roles.items():
        setattr(trainer, f"{role}_id", list(names).index(name) if name in specials else -1)
    trainer.control_symbols.extend(name for name in specials if name not in roles.values())


def write_rules(message: Any, normalizer: Any, add_dummy_prefix: bool, escape: bool = True) -> None:
    """Write the normalization of a model.

    Parameters
    ----------
    message : Message
        The whole model.
    normalizer : object
        That of the tokenizer.
    add_dummy_prefix, escape : bool
        Whether a blank is put before (or behind) a text, and blanks are written as markers.

    Raises
    ------
    ModelFormatError
        If the format has no such normalizer.
    """
    if normalizer is not None and not (isinstance(normalizer, dict) and normalizer.get("type") == TYPE):
        kind = normalizer.get("type") if isinstance(normalizer, dict) else type(normalizer).__name__
        raise ModelFormatError(f"A sentencepiece model cannot hold the normalizer {kind}.")
    rules = read_component(normalizer or make_component())
    spec = message.normalizer_spec
    spec.name = "user_defined" if rules["charsmap"] else "identity"
    spec.precompiled_charsmap = rules["charsmap"]
    spec.add_dummy_prefix, spec.escape_whitespaces = add_dummy_prefix, escape
    spec.remove_extra_whitespaces = rules["remove_extra"]


def refuse_unsaid(model: Any, unk_token: str | None, prefix_space: Any) -> None:
    """Refuse what no model of sentencepiece can say.

    Parameters
    ----------
    model : UnigramModel or Model
        Any.
    unk_token : str or None
        The unknown token.
    prefix_space : bool or "if-missing"
        Whether a blank is put before texts.

    Raises
    ------
    ModelFormatError
        The message names it.
    """
    if unk_token not in model.added_tokens:
        raise ModelFormatError("A sentencepiece model needs an unknown piece: train with unk_token='<unk>'.")
    if prefix_space == "if-missing":
        raise ModelFormatError("A sentencepiece model has no add_prefix_space='if-missing'.")
    if model.template[0] or model.template[1]:
        raise ModelFormatError("A sentencepiece model has no template of tokens around a text.")


def write(model: UnigramModel, params: Json) -> bytes:
    """Describe a unigram model.

    Parameters
    ----------
    model : UnigramModel
        Any.
    params : dict
        Constructor parameters of `UnigramTokenizer`.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    ModelFormatError
        If the format has no way to say something; the message names it.
    """
    refuse_unsaid(model, params["unk_token"], params["add_prefix_space"])
    if params["score_sums"] != "text":
        raise ModelFormatError(
            "sentencepiece sums scores along the text, this tokenizer word by word (score_sums='word'), so that near "
            "ties would come out otherwise."
        )
    kernel, message = load("unigram"), make_model()
    names, kinds = list(model.pieces), model.kinds()
    names += [None] * (model.n_ids - len(names))
    for token, added in model.added_tokens.items():
        if not added.special:
            raise ModelFormatError(f"A sentencepiece model cannot hold the added token {shorten(token)}.")
        names[added.id] = token
    unk_token = params["unk_token"]
    kinds[model.added_tokens[unk_token].id] = kernel.UNKNOWN
    for index, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if name is None:
            raise ModelFormatError(f"A sentencepiece model has no gaps, but the id {index} has no piece.")
        score = float(model.scores[index]) if kind in (kernel.NORMAL, kernel.UNUSED) else 0.0
        message.pieces.add(piece=name, score=score, type=kind)
    specials = [token for token in model.added_tokens if token != unk_token]
    write_trainer(message, UNIGRAM, [name or "" for name in names], specials, unk_token)
    trainer = message.trainer_spec
    trainer.user_defined_symbols.extend(names[index] or "" for index in model.user_defined)
    trainer.byte_fallback = model.byte_pieces is not None
    trainer.treat_whitespace_as_suffix = params["space_as_suffix"]
    write_rules(message, params["normalizer"], bool(params["add_prefix_space"]), params["escape_blanks"])
    return message.SerializeToString(deterministic=True)
