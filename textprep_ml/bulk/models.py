"""Models by file or name, with a hash of what their results depend on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from textprep_ml import _modelfile
from textprep_ml.persistence import load, to_saved
from textprep_ml.registry import find_own

#: Segmenters that need no model file.
BASELINES = {"rules": "RuleSegmenter", "naive": "NaiveSegmenter"}

#: The model of a ``tokenizer.json`` -> our class; byte-pair encoding tells what is wrong with all others.
_FOREIGN_KINDS = {"Unigram": "UnigramTokenizer", "WordPiece": "WordPieceTokenizer"}


def load_model(path_or_name: str) -> tuple[Any, str]:
    """Load a model and tell what its results depend on.

    Parameters
    ----------
    path_or_name : str
        A model file, a ``tokenizer.json``, the name of a shipped model, ``rules``, ``naive``, or the class of an
        estimator that needs no fitting, such as ``WordTokenizer``.

    Returns
    -------
    model : estimator or Pipeline
        Fitted.
    hash : str
        Of the file, or of the estimator's parameters.

    Raises
    ------
    ModelFormatError
        If there is no such model, or it is damaged.
    """
    kind = find_own(BASELINES.get(path_or_name, path_or_name))
    if kind is not None and not Path(path_or_name).is_file():
        model = kind()
        if not model.__sklearn_tags__().requires_fit:
            return model, model_hash(model)
    path = _modelfile.resolve(path_or_name)
    return _load_file(path, path_or_name), file_hash(path)


def _load_file(path: Path, path_or_name: str) -> Any:
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        document = None  # the loader tells what is wrong
    if isinstance(document, dict) and "format" not in document and "model" in document:
        from textprep_ml import subword

        kind = document["model"].get("type") if isinstance(document["model"], dict) else None
        return getattr(subword, _FOREIGN_KINDS.get(str(kind), "BPETokenizer")).from_tokenizers_json(path)
    return load(path_or_name)


def file_hash(path: Path) -> str:
    """Hash a file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        SHA-256, hexadecimal.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_hash(model: Any) -> str:
    """Hash a model in memory; equal models have equal hashes.

    Parameters
    ----------
    model : estimator or Pipeline
        One that can be saved.

    Returns
    -------
    str
        SHA-256, hexadecimal.

    Raises
    ------
    ModelFormatError
        If it is no plain data.
    """
    return hashlib.sha256(json.dumps(to_saved(model), sort_keys=True).encode()).hexdigest()
