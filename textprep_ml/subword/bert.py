"""BERT's basic tokenization by name: what is done to a text before WordPiece, and when the kernels do it alone."""

from __future__ import annotations

from typing import Any

from textprep_ml._kernels import load

#: Name -> component of a ``tokenizer.json``.
PRESETS: dict[str, dict[str, Any]] = {
    f"bert-{name}": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": name == "uncased",
    }
    for name in ("cased", "uncased")
}

#: What ``pretokenizer="bert"`` is in a ``tokenizer.json``, behind a normalizer that sets ideographs apart.
COMPONENT = {"type": "BertPreTokenizer"}


def normalizer_of(specification: Any) -> Any:
    """Give the component that a preset stands for; anything else as it is.

    Parameters
    ----------
    specification : object
        A name in `PRESETS`, or what `make_normalizer` takes.

    Returns
    -------
    object
        What `make_normalizer` takes.

    Raises
    ------
    ValueError
        If there is no preset of the name.
    """
    if not isinstance(specification, str):
        return specification
    if specification not in PRESETS:
        raise ValueError(f"No normalizer is called {specification!r}; take {', '.join(PRESETS)}, or a component.")
    return dict(PRESETS[specification])


def preset_of(component: Any) -> Any:
    """Name the preset that a component is, or give the component.

    Parameters
    ----------
    component : object
        From a file.

    Returns
    -------
    object
        A name in `PRESETS`, or the component.
    """
    if not isinstance(component, dict) or component.get("type") != "BertNormalizer":
        return component
    flags = flags_of(component)
    return next((name for name, preset in PRESETS.items() if flags_of(preset) == flags), component)


def flags_of(component: dict[str, Any]) -> int:
    """Give the steps of a ``BertNormalizer`` as the kernels take them.

    Parameters
    ----------
    component : dict
        With the settings as in a ``tokenizer.json``; accents are stripped with the case unless it says otherwise.

    Returns
    -------
    int
        A sum of flags.
    """
    kernel = load("wordpiece")
    lowercase = component.get("lowercase", True)
    strip = component.get("strip_accents")
    steps = (
        (component.get("clean_text", True), kernel.CLEAN),
        (component.get("handle_chinese_chars", True), kernel.IDEOGRAPHS),
        (lowercase if strip is None else strip, kernel.STRIP),
        (lowercase, kernel.LOWER),
    )
    return sum(flag for wanted, flag in steps if wanted)


def basic_flags(normalizer: Any, pretokenizer: Any) -> int | None:
    """Tell whether the kernels do both by themselves.

    Parameters
    ----------
    normalizer, pretokenizer : object
        The specifications of a tokenizer.

    Returns
    -------
    int or None
        The steps; None where it is not BERT's basic tokenization.
    """
    component = PRESETS.get(normalizer) if isinstance(normalizer, str) else normalizer
    is_basic = pretokenizer in ("bert", COMPONENT) if isinstance(pretokenizer, str | dict) else False
    if not is_basic or not isinstance(component, dict) or component.get("type") != "BertNormalizer":
        return None
    return flags_of(component) | (load("wordpiece").IDEOGRAPHS if pretokenizer == "bert" else 0)


def raw_scheme(flags: int) -> str:
    """Name the scheme that cuts a raw text where words can be told apart before the steps are done.

    Parameters
    ----------
    flags : int
        The steps.

    Returns
    -------
    str
        A scheme of the kernels.
    """
    kernel = load("wordpiece")
    if not flags & kernel.CLEAN:  # control characters stay, and some of them are white space
        return "blank"
    return "bert" if flags & kernel.IDEOGRAPHS else "bert-joined"
