"""What models of all kinds share in a ``tokenizer.json``: components, added tokens, bytes, templates, piece names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from textprep_ml._validation import shorten
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.subword.added_tokens import AddedToken
from textprep_ml.subword.bytemap import fallback_name
from textprep_ml.subword.model import Model, Style

Json = dict[str, Any]

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def unsupported(part: str, value: Any) -> ModelFormatError:
    """Say that a part of a file cannot be honoured.

    Parameters
    ----------
    part : str
        What it is.
    value : object
        What it holds.

    Returns
    -------
    ModelFormatError
        To be raised.
    """
    return ModelFormatError(f"tokenizer.json: the {part} {shorten(value)} is not supported.")


def refuse_batching(document: Json) -> None:
    """Refuse what changes encodings to the length of others.

    Parameters
    ----------
    document : dict
        A ``tokenizer.json``.

    Raises
    ------
    ModelFormatError
        If it asks for truncation or padding.
    """
    for part in ("truncation", "padding"):
        if document.get(part) is not None:
            raise unsupported(part, document[part])


# Components


def flatten(component: Json | None, key: str) -> Iterator[Json]:
    """Give the components of a sequence, of those inside it too.

    Parameters
    ----------
    component : dict or None
        One component, or a sequence of them.
    key : str
        Where a sequence keeps its components.

    Yields
    ------
    dict
        A component that is no sequence.
    """
    if component is None:
        return
    if component.get("type") == "Sequence":
        for inner in component[key]:
            yield from flatten(inner, key)
    else:
        yield component


def join(components: Sequence[Json], key: str) -> Json | None:
    """Undo `flatten`.

    Parameters
    ----------
    components : sequence of dict
        One after the other.
    key : str
        Where a sequence keeps its components.

    Returns
    -------
    dict or None
        The only component as it is; None if there is none.
    """
    if len(components) > 1:
        return {"type": "Sequence", key: list(components)}
    return components[0] if components else None


# Added tokens, bytes, names


def read_added_tokens(document: Json) -> dict[str, AddedToken]:
    """Read the added tokens.

    Parameters
    ----------
    document : dict
        With or without ``"added_tokens"``, each with content, id and flags.

    Returns
    -------
    dict of str to AddedToken
        In the order of the file.
    """
    return {
        token["content"]: AddedToken(token["id"], **{flag: bool(token.get(flag)) for flag in _FLAGS})
        for token in document.get("added_tokens") or []
    }


def write_document(added_tokens: Mapping[str, AddedToken], **parts: Any) -> Json:
    """Put the parts of a file into their order.

    Parameters
    ----------
    added_tokens : mapping of str to AddedToken
        In any order.
    **parts : dict or None
        Normalizer, pre-tokenizer, post-processor, decoder and model.

    Returns
    -------
    dict
        A whole ``tokenizer.json``.
    """
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": added.id, "content": token, **{flag: getattr(added, flag) for flag in _FLAGS}}
            for token, added in sorted(added_tokens.items(), key=lambda item: item[1].id)
        ],
        **parts,
    }


def read_byte_pieces(source: Json, vocabulary: Mapping[str, int]) -> list[int] | None:
    """Look up the pieces that stand for the bytes of unknown characters.

    Parameters
    ----------
    source : dict
        The model.
    vocabulary : mapping of str to int
        Piece -> id.

    Returns
    -------
    list of int or None
        Their 256 ids; None if the model asks for none.

    Raises
    ------
    ModelFormatError
        If the vocabulary lacks one of them.
    """
    if not source.get("byte_fallback"):
        return None
    names = [fallback_name(byte) for byte in range(256)]
    missing = [name for name in names if name not in vocabulary]
    if missing:
        raise ModelFormatError(f"tokenizer.json asks for byte_fallback, but its vocabulary has no {missing[0]}.")
    return [vocabulary[name] for name in names]


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


# Templates


def read_template(processor: Json | None) -> tuple[list[int], list[int]]:
    """Read what is put around a text on request.

    Parameters
    ----------
    processor : dict or None
        The post-processor.

    Returns
    -------
    before, behind : list of int
        Ids.

    Raises
    ------
    ModelFormatError
        If the post-processor does something else.
    """
    template: tuple[list[int], list[int]] = ([], [])
    for part in flatten(processor, "processors"):
        kind = part["type"]
        if kind == "TemplateProcessing":
            template = _read_sides(part)
        elif kind in ("BertProcessing", "RobertaProcessing"):
            template = ([part["cls"][1]], [part["sep"][1]])
        elif kind != "ByteLevel":  # that one trims offsets, which never changes ids
            raise unsupported("post-processor", kind)
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


def write_template(template: tuple[list[int], list[int]], names: Sequence[str | None]) -> Json | None:
    """Describe what is put around a text on request.

    Parameters
    ----------
    template : (list of int, list of int)
        Ids before and behind.
    names : sequence of str or None
        Texts by id.

    Returns
    -------
    dict or None
        The post-processor; None if nothing is put there.
    """
    before, behind = template
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
