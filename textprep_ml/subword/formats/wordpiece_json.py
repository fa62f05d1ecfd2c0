"""The ``tokenizer.json`` of the `tokenizers` library, as far as it describes WordPiece."""

from __future__ import annotations

from typing import Any

import numpy as np

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bert import COMPONENT, PRESETS, basic_flags, flags_of, normalizer_of, preset_of
from textprep_ml.subword.formats.json_parts import (
    Json,
    flatten,
    join,
    piece_names,
    read_added_tokens,
    read_template,
    refuse_batching,
    unsupported,
    write_document,
    write_template,
)
from textprep_ml.subword.formats.json_words import check_words, read_scheme, write_normalizer, write_pretokenizer
from textprep_ml.subword.formats.state import check
from textprep_ml.subword.model import Model, Style

# Reading


def read(document: Json) -> tuple[Json, Model]:
    """Understand a ``tokenizer.json``.

    Parameters
    ----------
    document : dict
        Its JSON.

    Returns
    -------
    params : dict
        Constructor parameters of `WordPieceTokenizer`.
    model : Model
        Vocabulary and added tokens.

    Raises
    ------
    ModelFormatError
        If a component cannot be honoured; the message names it.
    """
    source = document.get("model")
    if not isinstance(source, dict) or source.get("type") != "WordPiece":
        kind = source.get("type") if isinstance(source, dict) else source
        raise ModelFormatError(f"tokenizer.json holds the model {shorten(kind)}, no WordPiece.")
    refuse_batching(document)
    params = _read_words(document) | {
        "unk_token": source["unk_token"],
        "continuing_prefix": source["continuing_subword_prefix"],
        "max_word_length": source["max_input_chars_per_word"],
        "special_tokens": [],
    }
    model = read_model(source["vocab"], read_added_tokens(document))
    params["clean_up"] = _read_decoder(document.get("decoder"), params["continuing_prefix"])
    model.template = _read_post_processor(document.get("post_processor"), model)
    params["template"] = template_names(model)
    params["vocab_size"] = max(1, model.n_ids)
    specials = sorted((added.id, token) for token, added in model.added_tokens.items() if added.special)
    params["special_tokens"] = [token for _, token in specials]
    check(model)
    return params, model


def read_model(vocabulary: dict[str, int], added: dict[str, AddedToken]) -> Model:
    """Read a vocabulary.

    Parameters
    ----------
    vocabulary : dict of str to int
        Piece -> id.
    added : dict of str to AddedToken
        What is found in a text before anything else; those of the vocabulary too.

    Returns
    -------
    Model
        Without a template.

    Raises
    ------
    ModelFormatError
        If two pieces have one id, or an added token has an id that another piece has.
    """
    owners: dict[int, str] = {}
    for text, index in [*vocabulary.items(), *((token, entry.id) for token, entry in added.items())]:
        if not isinstance(index, int) or index < 0:
            raise ModelFormatError(f"tokenizer.json: the id {shorten(index)} of {shorten(text)} is none.")
        if owners.setdefault(index, text) != text:
            raise ModelFormatError(
                f"tokenizer.json: the id {index} is that of {shorten(owners[index])} and of {shorten(text)}."
            )
        if text in vocabulary and vocabulary[text] != index:
            raise ModelFormatError(f"tokenizer.json: {shorten(text)} has the ids {vocabulary[text]} and {index}.")
    pieces: list[str | None] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for text, index in vocabulary.items():
        if text not in added:
            pieces[index] = text
    return Model(pieces, np.empty((0, 3), np.int32), added)


def template_names(model: Model) -> list[str] | None:
    """Name the tokens of a template that has one on each side.

    Parameters
    ----------
    model : Model
        With a template.

    Returns
    -------
    list of str or None
        None for any other template.
    """
    names = {added.id: token for token, added in model.added_tokens.items()}
    sides = [[names.get(index) for index in side] for side in model.template]
    before, behind = ([side[0]] if len(side) == 1 and side[0] else [] for side in sides)
    return [*before, *behind] if before and behind else None


def _read_words(document: Json) -> Json:
    """Read normalizer and pre-tokenizer."""
    normalizer: Any = join(list(flatten(document.get("normalizer"), "normalizers")), "normalizers")
    parts = list(flatten(document.get("pre_tokenizer"), "pretokenizers"))
    if any(part.get("type") == "ByteLevel" for part in parts):
        raise unsupported("pre-tokenizer", "ByteLevel in front of WordPiece")
    pretokenizer = COMPONENT if parts == [COMPONENT] else read_scheme(parts)
    check_words(normalizer, pretokenizer)
    flags = basic_flags(normalizer, pretokenizer)
    if flags is not None and flags == basic_flags(normalizer, "bert"):
        pretokenizer = "bert"
    return {"normalizer": preset_of(normalizer), "pretokenizer": pretokenizer}


def _read_decoder(decoder: Json | None, prefix: str) -> bool:
    """Tell whether decoding cleans up; refuse what writes something else."""
    if decoder is None:
        return False
    if decoder.get("type") != "WordPiece" or decoder.get("prefix", "##") != prefix:
        raise unsupported("decoder", decoder)
    return bool(decoder.get("cleanup", True))


def _read_post_processor(part: Json | None, model: Model) -> tuple[list[int], list[int]]:
    if part is None or part.get("type") != "BertProcessing":
        return read_template(part)
    for token, index in (part["cls"], part["sep"]):
        known = model.added_tokens.get(token)
        if known is None or known.id != index:
            raise unsupported("post_processor", part)
    return [part["cls"][1]], [part["sep"][1]]


# Writing


def write(model: Model, style: Style, params: Json) -> Json:
    """Describe a tokenizer as ``tokenizer.json``.

    Parameters
    ----------
    model : Model
        Vocabulary and added tokens.
    style : Style
        With the prefix.
    params : dict
        Constructor parameters of `WordPieceTokenizer`.

    Returns
    -------
    dict
        Its JSON.

    Raises
    ------
    ModelFormatError
        If the format has no way to say something; the message names it.
    """
    if params["unknown"] != "word":
        raise ModelFormatError("tokenizer.json has no unknown='part': there, a word is unknown as a whole.")
    names = piece_names(model, style)
    if params["unk_token"] not in names:
        raise ModelFormatError(
            f"tokenizer.json needs an unk_token that is in the vocabulary, but it is {params['unk_token']!r}."
        )
    normalizer, pretokenizer = _write_words(params)
    return write_document(
        model.added_tokens,
        normalizer=normalizer,
        pre_tokenizer=pretokenizer,
        post_processor=_write_post_processor(model, names),
        decoder={"type": "WordPiece", "prefix": style.prefix, "cleanup": params["clean_up"]},
        model={
            "type": "WordPiece",
            "unk_token": params["unk_token"],
            "continuing_subword_prefix": style.prefix,
            "max_input_chars_per_word": params["max_word_length"],
            "vocab": {name: index for index, name in enumerate(names) if name is not None},
        },
    )


def _write_words(params: Json) -> tuple[Json | None, Json | None]:
    normalizer, pretokenizer = normalizer_of(params["normalizer"]), params["pretokenizer"]
    flags = basic_flags(normalizer, pretokenizer)
    if flags is not None:
        complete = PRESETS["bert-uncased"] | normalizer  # the format wants every setting
        if flags != flags_of(normalizer):  # "bert" sets ideographs apart in any case
            complete |= {"handle_chinese_chars": True}
        return complete, COMPONENT
    return write_normalizer(normalizer, prefix_space=False), write_pretokenizer(pretokenizer)


def _write_post_processor(model: Model, names: list[str | None]) -> Json | None:
    """Write the template; of a pair of texts the second has a type of its own, and no token before it."""
    template = write_template(model.template, names)
    if template is None or template_names(model) is None:
        return template
    before, behind = template["single"][0], template["single"][-1]
    second = [{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": behind["SpecialToken"] | {"type_id": 1}}]
    return template | {"pair": [before, template["single"][1], behind, *second]}
