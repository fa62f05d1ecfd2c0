"""The ``tokenizer.json`` of the `tokenizers` library, as far as it describes byte-pair encoding."""

from __future__ import annotations

from typing import Any

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.formats.json_parts import (
    Json,
    flatten,
    join,
    piece_names,
    read_added_tokens,
    read_byte_pieces,
    read_template,
    refuse_batching,
    unsupported,
    write_document,
    write_template,
)
from textprep_ml.subword.formats.json_words import (
    PREPEND,
    check_words,
    read_scheme,
    write_normalizer,
    write_pretokenizer,
)
from textprep_ml.subword.formats.state import check
from textprep_ml.subword.model import Model, Style, merges_from_pairs

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
        Constructor parameters of `BPETokenizer`.
    model : Model
        Vocabulary, merges and added tokens.

    Raises
    ------
    ModelFormatError
        If a component cannot be honoured; the message names it.
    """
    source = document.get("model")
    if not isinstance(source, dict) or source.get("type", "BPE") != "BPE" or "merges" not in source:
        kind = source.get("type") if isinstance(source, dict) else source
        raise ModelFormatError(f"tokenizer.json holds the model {shorten(kind)}, no BPE.")
    refuse_batching(document)
    params = _read_words(document) | _read_model_params(source)
    style = Style(
        params["byte_level"], params["continuing_prefix"], params["end_of_word"] or "", params["join_end_of_word"]
    )
    _check_decoder(document.get("decoder"), style, params)
    model = read_model(source, read_added_tokens(document), style)
    model.template = read_template(document.get("post_processor"))
    params["vocab_size"] = max(1, model.n_ids)
    check(model)
    return params, model


def _read_model_params(source: Json) -> Json:
    marker = source.get("end_of_word_suffix") or None
    return {
        "unk_token": source.get("unk_token"),
        "fuse_unk": bool(source.get("fuse_unk")),
        "byte_fallback": bool(source.get("byte_fallback")),
        "whole_words": bool(source.get("ignore_merges")),
        "dropout": float(source.get("dropout") or 0),
        "continuing_prefix": source.get("continuing_subword_prefix") or "",
        "end_of_word": marker,
        "join_end_of_word": marker is not None,
    }


def _read_words(document: Json) -> Json:
    """Read normalizer and pre-tokenizer."""
    parts = list(flatten(document.get("pre_tokenizer"), "pretokenizers"))
    byte_level = [part for part in parts if part["type"] == "ByteLevel"]
    if any(part["type"] == "ByteLevel" for part in parts[:-1]):
        raise unsupported("pre-tokenizer", "ByteLevel before another component")
    prefix_space: Any = False
    if any(part.get("add_prefix_space") for part in byte_level):
        if len(parts) > 1:
            raise unsupported("pre-tokenizer", "ByteLevel with add_prefix_space behind another component")
        prefix_space = "if-missing"
    normalizer = list(flatten(document.get("normalizer"), "normalizers"))
    if normalizer and normalizer[-1] == PREPEND:
        normalizer.pop()
        prefix_space = True
    component, pretokenizer = join(normalizer, "normalizers"), read_scheme(parts)
    check_words(component, pretokenizer)
    return {
        "byte_level": bool(byte_level),
        "pretokenizer": pretokenizer,
        "normalizer": component,
        "add_prefix_space": prefix_space,
    }


def _check_decoder(decoder: Json | None, style: Style, params: Json) -> None:
    """Refuse a decoder that writes something else than ours does."""
    parts = list(flatten(decoder, "decoders"))
    for part in parts:
        kind = part["type"]
        if kind == "ByteLevel" and style.byte_level:
            continue
        if kind == "BPEDecoder" and style.marker and part.get("suffix") == style.marker:
            continue
        if kind == "Fuse" or (kind == "ByteFallback" and params["byte_fallback"]):
            continue
        if part == {"type": "Strip", "content": " ", "start": 1, "stop": 0} and params["add_prefix_space"] is True:
            continue
        raise unsupported("decoder", part)


def read_model(source: Json, added: dict[str, AddedToken], style: Style) -> Model:
    """Read vocabulary, merges and added tokens.

    Parameters
    ----------
    source : dict
        The model with ``"vocab"`` and ``"merges"``.
    added : dict of str to AddedToken
        What is found in a text before anything else.
    style : Style
        How pieces are written.

    Returns
    -------
    Model
        Without a template.

    Raises
    ------
    ModelFormatError
        If the vocabulary lacks a piece that a merge names.
    """
    vocabulary: dict[str, int] = source["vocab"]
    pairs = [_read_pair(pair) for pair in source["merges"]]
    used = {part for left, right in pairs for part in (left, right, left + right.removeprefix(style.prefix))}
    pieces: list[str | None] = [None] * (max(vocabulary.values(), default=-1) + 1)
    for text, index in vocabulary.items():
        if text in added and added[text].id == index and text not in used and len(text) > 1:
            continue
        try:
            pieces[index] = style.from_file(text)
        except ValueError as error:
            raise ModelFormatError(f"tokenizer.json: {error}") from None
    names = {text.encode("utf-8"): index for text, index in vocabulary.items()}
    plain = style._replace(byte_level=False)  # merges are pairs of the texts in the file
    try:
        merges = merges_from_pairs(
            [(left.encode("utf-8"), right.encode("utf-8")) for left, right in pairs], names, plain
        )
    except ValueError as error:
        raise ModelFormatError(f"tokenizer.json: {error}") from None
    return Model(pieces, merges, added, None if style.byte_level else read_byte_pieces(source, vocabulary))


def _read_pair(pair: Any) -> tuple[str, str]:
    parts = pair.split(" ") if isinstance(pair, str) else pair
    if len(parts) != 2:
        raise unsupported("merge", pair)
    return parts[0], parts[1]


# Writing


def write(model: Model, style: Style, params: Json) -> Json:
    """Describe a tokenizer as ``tokenizer.json``.

    Parameters
    ----------
    model : Model
        Vocabulary, merges and added tokens.
    style : Style
        How pieces are written.
    params : dict
        Constructor parameters of `BPETokenizer`.

    Returns
    -------
    dict
        Its JSON.

    Raises
    ------
    ModelFormatError
        If the format has no way to say something; the message names it.
    """
    for name in ("space_marker", "any_split"):
        if params[name]:
            raise ModelFormatError(f"tokenizer.json has no {name} for byte-pair encoding.")
    if style.marker and not style.marker_joined:
        raise ModelFormatError(
            "tokenizer.json has no end-of-word marker that is a symbol of its own: train with join_end_of_word=True."
        )
    names = piece_names(model, style)
    vocabulary = {name: index for index, name in enumerate(names) if name is not None}
    prefix_space = params["add_prefix_space"]
    return write_document(
        model.added_tokens,
        normalizer=write_normalizer(params["normalizer"], prefix_space),
        pre_tokenizer=write_pretokenizer(params["pretokenizer"], prefix_space, byte_level=style.byte_level),
        post_processor=write_template(model.template, names),
        decoder=_write_decoder(style, params),
        model={
            "type": "BPE",
            "dropout": params["dropout"] or None,
            "unk_token": params["unk_token"],
            "continuing_subword_prefix": style.prefix or None,
            "end_of_word_suffix": style.marker or None,
            "fuse_unk": params["fuse_unk"],
            "byte_fallback": model.byte_pieces is not None,
            "ignore_merges": params["whole_words"],
            "vocab": vocabulary,
            "merges": [[names[left], names[right]] for left, right, _ in model.merges.tolist()],
        },
    )


def _write_decoder(style: Style, params: Json) -> Json | None:
    parts: list[Json] = []
    if style.byte_level:
        parts.append({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True})
    elif style.marker:
        parts.append({"type": "BPEDecoder", "suffix": style.marker})
    elif params["byte_fallback"]:
        parts += [{"type": "ByteFallback"}, {"type": "Fuse"}]
    else:
        parts.append({"type": "Fuse"})
    if params["add_prefix_space"] is True:
        parts.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return join(parts, "decoders")
