"""The ``tokenizer.json`` of the `tokenizers` library, as far as it describes unigram models."""

from __future__ import annotations

from typing import Any

import numpy as np

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.formats.json_parts import (
    Json,
    flatten,
    join,
    read_added_tokens,
    read_byte_pieces,
    read_template,
    refuse_batching,
    unsupported,
    write_document,
    write_template,
)
from textprep_ml.subword.formats.json_words import PREPEND, check_words
from textprep_ml.subword.text_rules import TYPE, read_component
from textprep_ml.subword.unigram_model import MARKER, UnigramModel, check

#: The score of the bytes of unknown characters, so that no text is cut into their names.
_BYTE_SCORE = -10_000.0
#: Two blanks or more, and those at the ends of a text.
_RUNS = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
_ENDS = {"type": "Replace", "pattern": {"Regex": rf"\A +|[ {MARKER}]+\z"}, "content": ""}
#: Words where blanks come in runs.
_RUN_WORDS = {
    "type": "Split",
    "pattern": {"Regex": f"{MARKER}+[^{MARKER}]*|[^{MARKER}]+"},
    "behavior": "Isolated",
    "invert": False,
}
_SPACES = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}


# Reading


def read(document: Json) -> tuple[Json, UnigramModel]:
    """Understand a ``tokenizer.json``.

    Parameters
    ----------
    document : dict
        Its JSON.

    Returns
    -------
    params : dict
        Constructor parameters of `UnigramTokenizer`.
    model : UnigramModel
        Checked.

    Raises
    ------
    ModelFormatError
        If a component cannot be honoured; the message names it.
    """
    source = document.get("model")
    if not isinstance(source, dict) or source.get("type", "Unigram") != "Unigram" or "merges" in source:
        kind = source.get("type") if isinstance(source, dict) else source
        raise ModelFormatError(f"tokenizer.json holds the model {shorten(kind)}, no Unigram.")
    refuse_batching(document)
    model, unk_token = _read_model(source, read_added_tokens(document))
    model.template = read_template(document.get("post_processor"))
    check(model)
    params = _read_words(document)
    _check_decoder(document.get("decoder"), params)
    specials = [token for token, added in model.added_tokens.items() if added.special and token != unk_token]
    return {
        "vocab_size": model.n_ids,
        "unk_token": unk_token,
        "special_tokens": specials,
        "byte_fallback": model.byte_pieces is not None,
        "score_sums": "word",
        **params,
    }, model


def _read_model(source: Json, added: dict[str, AddedToken]) -> tuple[UnigramModel, str | None]:
    rows: list[Any] = source["vocab"]
    unk_id, unk_token = source.get("unk_id"), None
    if unk_id is not None:
        if not 0 <= unk_id < len(rows):
            raise ModelFormatError(f"tokenizer.json: unk_id is {unk_id}, but there are {len(rows)} pieces.")
        unk_token = rows[unk_id][0]
        added.setdefault(unk_token, AddedToken(unk_id, special=True))
    names: list[str | None] = [name for name, _ in rows]
    scores = np.array([score for _, score in rows], dtype=np.float64)
    byte_pieces = read_byte_pieces(source, {name: index for index, (name, _) in enumerate(rows)})
    for token, known in added.items():
        if known.id < len(names) and names[known.id] != token:
            raise ModelFormatError(f"tokenizer.json: the added token {token!r} has the id of {names[known.id]!r}.")
        if known.id < len(names):
            names[known.id] = None
    return UnigramModel(names, scores, added_tokens=added, byte_pieces=byte_pieces), unk_token


def _read_words(document: Json) -> Json:
    """Read normalizer and pre-tokenizer."""
    normalizers = list(flatten(document.get("normalizer"), "normalizers"))
    parts = list(flatten(document.get("pre_tokenizer"), "pretokenizers"))
    prefix_space: Any = False
    if normalizers and normalizers[-1] in (PREPEND, PREPEND | {"prepend": MARKER}):
        normalizers.pop()
        prefix_space = True
    if normalizers[-2:] == [_RUNS, _ENDS]:
        return _with_rules(normalizers[:-2], prefix_space, parts)
    normalizers = [_as_blank(part) for part in normalizers]
    if parts and parts[0]["type"] == "WhitespaceSplit":
        # Every word by itself gets its blank: as if there were single blanks between them.
        normalizers += [_SPACES, {"type": "Strip", "strip_left": True, "strip_right": True}]
        parts = parts[1:]
    if not prefix_space:
        prefix_space = _metaspace(parts)
    elif _metaspace(parts):
        raise unsupported("pre-tokenizer", "Metaspace behind the normalizer Prepend")
    component = join(normalizers, "normalizers")
    check_words(component)
    return {"normalizer": component, "add_prefix_space": prefix_space}


def _with_rules(normalizers: list[Json], prefix_space: Any, parts: list[Json]) -> Json:
    """Read what `write` made of a component of ours."""
    if len(normalizers) > 1 or any(part["type"] != "Precompiled" for part in normalizers):
        raise unsupported("normalizer", normalizers)
    _metaspace(parts)
    charsmap = {"precompiled_charsmap": normalizers[0]["precompiled_charsmap"]} if normalizers else {}
    component = {"type": TYPE, **charsmap, "remove_extra_whitespaces": True}
    read_component(component)
    return {"normalizer": component, "add_prefix_space": prefix_space}


def _as_blank(part: Json) -> Json:
    """Let a rule that writes markers write blanks, which is what a blank is until pieces are looked for."""
    if part["type"] == "Replace" and part.get("content") == MARKER:
        return part | {"content": " "}
    return part


def _metaspace(parts: list[Json]) -> Any:
    """Read the pre-tokenizer; tell whether it puts a blank before texts."""
    runs = parts[1:] == [_RUN_WORDS]
    if not parts or parts[0]["type"] != "Metaspace" or not (runs or len(parts) == 1):
        raise unsupported("pre-tokenizer", parts or None)
    part = parts[0]
    if part.get("replacement", MARKER) != MARKER:
        raise unsupported("replacement of the pre-tokenizer Metaspace", part["replacement"])
    if not part.get("split", True) and not runs:
        raise unsupported("pre-tokenizer", "Metaspace with split=false")
    scheme = part.get("prepend_scheme", "always" if part.get("add_prefix_space", True) else "never")
    if scheme not in ("always", "first", "never"):
        raise unsupported("prepend_scheme of the pre-tokenizer Metaspace", scheme)
    return False if scheme == "never" else "if-missing"


def _check_decoder(decoder: Json | None, params: Json) -> None:
    """Refuse a decoder that writes something else than ours does."""
    for part in flatten(decoder, "decoders"):
        known = part["type"] in ("ByteFallback", "Fuse", "Metaspace")
        known |= part["type"] == "Replace" and part.get("content") == " "
        known |= part == {"type": "Strip", "content": " ", "start": 1, "stop": 0} and bool(params["add_prefix_space"])
        if not known:
            raise unsupported("decoder", part)


# Writing


def write(model: UnigramModel, params: Json) -> Json:
    """Describe a tokenizer as ``tokenizer.json``.

    Parameters
    ----------
    model : UnigramModel
        Any.
    params : dict
        Constructor parameters of `UnigramTokenizer`.

    Returns
    -------
    dict
        Its JSON.

    Raises
    ------
    ModelFormatError
        If the format has no way to say something; the message names it.
    """
    for name in ("space_as_suffix", "user_defined_symbols"):
        if params[name]:
            raise ModelFormatError(f"tokenizer.json has no {name}.")
    if not params["escape_blanks"] or model.unused or model.user_defined:
        raise ModelFormatError("tokenizer.json has no unused or user-defined pieces, and no escape_blanks=False.")
    inner = next((piece for piece in model.pieces if piece and MARKER in piece.lstrip(MARKER)), None)
    if inner is not None:
        raise ModelFormatError(
            f"tokenizer.json begins a word at every blank, but the piece {shorten(inner)} goes on behind one."
        )
    unknown = model.added_tokens.get(params["unk_token"] or "")
    rows = _rows(model)
    prefix_space = params["add_prefix_space"]
    normalizers = _write_normalizer(params["normalizer"])
    if prefix_space is True:
        normalizers.append(PREPEND)
    scheme = "always" if prefix_space == "if-missing" else "never"
    runs = model.has_runs()
    words: Json = {"type": "Metaspace", "replacement": MARKER, "prepend_scheme": scheme, "split": not runs}
    if runs:
        words = {"type": "Sequence", "pretokenizers": [words, _RUN_WORDS]}
    names = [name for name, _ in rows]
    return write_document(
        model.added_tokens,
        normalizer={"type": "Sequence", "normalizers": normalizers} if normalizers else None,
        pre_tokenizer=words,
        post_processor=write_template(model.template, names),
        decoder=_write_decoder(model, bool(prefix_space)),
        model={
            "type": "Unigram",
            "unk_id": unknown.id if unknown else None,
            "vocab": [list(row) for row in rows],
            "byte_fallback": model.byte_pieces is not None,
        },
    )


def _rows(model: UnigramModel) -> list[tuple[str, float]]:
    """Give name and score of every id."""
    names = [*model.pieces, *[None] * (model.n_ids - len(model.pieces))]
    scores = [*model.scores.tolist(), *[0.0] * (model.n_ids - len(model.scores))]
    for token, added in model.added_tokens.items():
        names[added.id] = token
    for index in model.byte_pieces or ():
        scores[index] = _BYTE_SCORE
    rows = []
    for index, (name, score) in enumerate(zip(names, scores, strict=True)):
        if name is None:
            raise ModelFormatError(f"tokenizer.json has no gaps, but the id {index} has no piece.")
        rows.append((name, score))
    return rows


def _write_normalizer(normalizer: Any) -> list[Json]:
    if normalizer is None:
        return []
    if not isinstance(normalizer, dict):
        raise ModelFormatError(f"tokenizer.json cannot hold the normalizer {type(normalizer).__name__}.")
    if normalizer.get("type") != TYPE:
        return list(flatten(normalizer, "normalizers"))
    rules = read_component(normalizer)
    if rules["kept"] or rules["prefix"]:
        raise ModelFormatError("tokenizer.json cannot hold the normalizer's keep and add_dummy_prefix.")
    charsmap = normalizer.get("precompiled_charsmap")
    parts: list[Json] = [{"type": "Precompiled", "precompiled_charsmap": charsmap}] if charsmap else []
    return parts + ([_RUNS, _ENDS] if rules["remove_extra"] else [])


def _write_decoder(model: UnigramModel, opens: bool) -> Json:
    parts: list[Json] = [{"type": "Replace", "pattern": {"String": MARKER}, "content": " "}]
    if model.byte_pieces is not None:
        parts.append({"type": "ByteFallback"})
    parts.append({"type": "Fuse"})
    if opens:
        parts.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {"type": "Sequence", "decoders": parts}
