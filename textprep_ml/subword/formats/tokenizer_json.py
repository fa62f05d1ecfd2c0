"""The ``tokenizer.json`` of the `tokenizers` library, as far as it describes byte-pair encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bytemap import fallback_name
from textprep_ml.subword.formats.patterns import PATTERNS, scheme_of_pattern
from textprep_ml.subword.formats.state import check
from textprep_ml.subword.model import Model, Style, merges_from_pairs
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.pretokenizers import BERT_SCHEMES, SCHEMES, make_pretokenizer

Json = dict[str, Any]

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def _refuse(part: str, value: Any) -> ModelFormatError:
    return ModelFormatError(f"tokenizer.json: the {part} {shorten(value)} is not supported.")


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
    for part in ("truncation", "padding"):
        if document.get(part) is not None:
            raise _refuse(part, document[part])
    params = _read_words(document) | _read_model_params(source)
    style = Style(
        params["byte_level"], params["continuing_prefix"], params["end_of_word"] or "", params["join_end_of_word"]
    )
    _check_decoder(document.get("decoder"), style, params)
    model = read_model(source, document.get("added_tokens") or [], style)
    model.template = _read_template(document.get("post_processor"), model)
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


def _flatten(component: Json | None, key: str) -> Iterator[Json]:
    if component is None:
        return
    if component.get("type") == "Sequence":
        for inner in component[key]:
            yield from _flatten(inner, key)
    else:
        yield component


def _read_words(document: Json) -> Json:
    """Read normalizer and pre-tokenizer."""
    parts = list(_flatten(document.get("pre_tokenizer"), "pretokenizers"))
    byte_level = [part for part in parts if part["type"] == "ByteLevel"]
    if any(part["type"] == "ByteLevel" for part in parts[:-1]):
        raise _refuse("pre-tokenizer", "ByteLevel before another component")
    prefix_space: Any = False
    if any(part.get("add_prefix_space") for part in byte_level):
        if len(parts) > 1:
            raise _refuse("pre-tokenizer", "ByteLevel with add_prefix_space behind another component")
        prefix_space = "if-missing"
    normalizer = list(_flatten(document.get("normalizer"), "normalizers"))
    if normalizer and normalizer[-1] == {"type": "Prepend", "prepend": " "}:
        normalizer.pop()
        prefix_space = True
    component = {"type": "Sequence", "normalizers": normalizer} if len(normalizer) > 1 else next(iter(normalizer), None)
    pretokenizer = _scheme(parts)
    try:
        make_normalizer(component)
        make_pretokenizer(pretokenizer)
    except (KeyError, ValueError) as error:
        raise ModelFormatError(f"tokenizer.json: {error}") from None
    return {
        "byte_level": bool(byte_level),
        "pretokenizer": pretokenizer,
        "normalizer": component,
        "add_prefix_space": prefix_space,
    }


def _scheme(parts: list[Json]) -> Any:
    """Name the scheme that components stand for, or keep the components."""
    parts = [part for part in parts if part["type"] != "ByteLevel" or part.get("use_regex", True)]
    if not parts:
        return "none"
    if len(parts) > 1:
        return parts
    part = parts[0]
    if part["type"] == "ByteLevel":
        return "gpt2"
    if part["type"] == "WhitespaceSplit":
        return "blank"
    if part["type"] == "Split" and "Regex" in part["pattern"]:
        keeps_all = (part["behavior"], bool(part.get("invert"))) in (("Isolated", False), ("Removed", True))
        scheme = scheme_of_pattern(part["pattern"]["Regex"])
        if scheme and keeps_all:
            return scheme
        if part["behavior"] == "Isolated" and _is_plain_pattern(part["pattern"]["Regex"]):
            return part["pattern"]["Regex"]
    return [part]


def _is_plain_pattern(pattern: str) -> bool:
    """Tell whether an expression means the same to us: no line ends, no nested sets, and not the name of a scheme."""
    return not pattern.isidentifier() and not re.search(r"\$|(?<!\[)\^|\[.*\[|&&", pattern)


def _check_decoder(decoder: Json | None, style: Style, params: Json) -> None:
    """Refuse a decoder that writes something else than ours does."""
    parts = list(_flatten(decoder, "decoders"))
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
        raise _refuse("decoder", part)


def read_model(source: Json, added_tokens: list[Json], style: Style) -> Model:
    """Read vocabulary, merges and added tokens.

    Parameters
    ----------
    source : dict
        The model with ``"vocab"`` and ``"merges"``.
    added_tokens : list of dict
        Each with content, id and flags.
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
    added = {
        token["content"]: AddedToken(token["id"], **{flag: bool(token.get(flag)) for flag in _FLAGS})
        for token in added_tokens
    }
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
    return Model(pieces, merges, added, _read_byte_pieces(source, vocabulary, style))


def _read_pair(pair: Any) -> tuple[str, str]:
    parts = pair.split(" ") if isinstance(pair, str) else pair
    if len(parts) != 2:
        raise _refuse("merge", pair)
    return parts[0], parts[1]


def _read_byte_pieces(source: Json, vocabulary: dict[str, int], style: Style) -> list[int] | None:
    if style.byte_level or not source.get("byte_fallback"):
        return None
    names = [fallback_name(byte) for byte in range(256)]
    missing = [name for name in names if name not in vocabulary]
    if missing:
        raise ModelFormatError(f"tokenizer.json asks for byte_fallback, but its vocabulary has no {missing[0]}.")
    return [vocabulary[name] for name in names]


def _read_template(processor: Json | None, model: Model) -> tuple[list[int], list[int]]:
    template: tuple[list[int], list[int]] = ([], [])
    for part in _flatten(processor, "processors"):
        kind = part["type"]
        if kind == "TemplateProcessing":
            template = _read_sides(part)
        elif kind in ("BertProcessing", "RobertaProcessing"):
            template = ([part["cls"][1]], [part["sep"][1]])
        elif kind != "ByteLevel":  # that one trims offsets, which never changes ids
            raise _refuse("post-processor", kind)
    return template


def _read_sides(part: Json) -> tuple[list[int], list[int]]:
    before: list[int] = []
    behind: list[int] = []
    side = before
    for item in part["single"]:
        if "Sequence" in item:
            side = behind
        else:
            side += part["special_tokens"][item["SpecialToken"]["id"]]["ids"]
    return before, behind


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
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": added.id, "content": token, **{flag: getattr(added, flag) for flag in _FLAGS}}
            for token, added in sorted(model.added_tokens.items(), key=lambda item: item[1].id)
        ],
        "normalizer": _write_normalizer(params),
        "pre_tokenizer": _write_pretokenizer(params["pretokenizer"], style, params["add_prefix_space"]),
        "post_processor": _write_template(model, names),
        "decoder": _write_decoder(style, params),
        "model": {
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
    }


def piece_names(model: Model, style: Style) -> list[str | None]:
    """Give the text of each id in files that tell pieces by their text.

    Parameters
    ----------
    model : Model
        Vocabulary and added tokens.
    style : Style
        How pieces are written.

    Returns
    -------
    list of str or None
        None where there is no piece.

    Raises
    ------
    ModelFormatError
        If two ids have the same text.
    """
    names = [style.to_file(piece) for piece in model.pieces] + [None] * (model.n_ids - len(model.pieces))
    for token, added in model.added_tokens.items():
        if added.id >= len(model.pieces) or model.pieces[added.id] is None:
            names[added.id] = token
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        if name is not None and seen.setdefault(name, index) != index:
            raise ModelFormatError(
                f"The ids {seen[name]} and {index} are both called {name!r}; the format tells pieces by their text."
            )
    return names


def _write_normalizer(params: Json) -> Json | None:
    normalizer = params["normalizer"]
    if normalizer is not None and not isinstance(normalizer, dict):
        raise ModelFormatError(f"tokenizer.json cannot hold the normalizer {type(normalizer).__name__}.")
    if params["add_prefix_space"] is not True:
        return normalizer
    prepend = {"type": "Prepend", "prepend": " "}
    return prepend if normalizer is None else {"type": "Sequence", "normalizers": [normalizer, prepend]}


def _write_pretokenizer(specification: Any, style: Style, prefix_space: Any) -> Json | None:
    missing = prefix_space == "if-missing"
    if specification in ("gpt2", "none") and style.byte_level:
        return _byte_level(missing, specification == "gpt2")
    if missing:
        raise ModelFormatError(
            "tokenizer.json has add_prefix_space='if-missing' only with byte_level and the schemes 'gpt2' and 'none'."
        )
    if isinstance(specification, str):
        parts = _scheme_parts(specification)
    elif isinstance(specification, dict | list):
        parts = [specification] if isinstance(specification, dict) else list(specification)
    else:
        raise ModelFormatError(f"tokenizer.json cannot hold the pre-tokenizer {type(specification).__name__}.")
    if style.byte_level and not any(part["type"] == "ByteLevel" for part in parts):
        parts = [*parts, _byte_level(False, False)]
    return {"type": "Sequence", "pretokenizers": parts} if len(parts) > 1 else next(iter(parts), None)


def _byte_level(prefix_space: bool, use_regex: bool) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True, "use_regex": use_regex}


def _scheme_parts(specification: str) -> list[Json]:
    if specification == "none":
        return []
    if specification == "blank":
        return [{"type": "WhitespaceSplit"}]
    if specification in BERT_SCHEMES:
        raise ModelFormatError(f"tokenizer.json has the pre-tokenizer {specification!r} only with a BertNormalizer.")
    pattern = PATTERNS[specification] if specification in SCHEMES else specification
    return [{"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}]


def _write_template(model: Model, names: list[str | None]) -> Json | None:
    before, behind = model.template
    if not before and not behind:
        return None

    def item(index: int) -> Json:
        return {"SpecialToken": {"id": names[index], "type_id": 0}}

    def side(letter: str) -> Json:
        return {"Sequence": {"id": letter, "type_id": 0}}

    specials = {
        names[index]: {"id": names[index], "ids": [index], "tokens": [names[index]]}
        for index in np.unique([*before, *behind]).tolist()
    }
    first, last = list(map(item, before)), list(map(item, behind))
    return {
        "type": "TemplateProcessing",
        "single": [*first, side("A"), *last],
        "pair": [*first, side("A"), *last, *first, side("B"), *last],
        "special_tokens": specials,
    }


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
    return {"type": "Sequence", "decoders": parts} if len(parts) > 1 else parts[0]
