"""Compiled cores and their pure Python twins.

Every kernel exists twice: ``_kernels/_NAME.pyx`` (Cython, fast) and ``_kernels/_pure/NAME.py`` (the textbook
algorithm, the oracle of the tests and the fallback where no compiler was there at install time). `load` gives the one
in use. The environment variable ``TEXTPREP_ML_KERNELS`` set to ``python`` or ``compiled`` chooses; unset, the
compiled kernel is taken where it exists.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

NAMES = (
    "boundaries",
    "words",
    "counts",
    "distance",
    "normalize",
    "bpe_train",
    "bpe_words",
    "bpe_encode",
    "unigram",
    "unigram_train",
    "wordpiece",
    "wordpiece_train",
    "tagging",
)


def _choice() -> str:
    choice = os.environ.get("TEXTPREP_ML_KERNELS", "")
    if choice not in ("", "python", "compiled"):
        raise ValueError(f"TEXTPREP_ML_KERNELS is {choice!r}; expected 'python', 'compiled' or nothing.")
    return choice


def _exists(name: str) -> bool:
    return find_spec(f"{__name__}._{name}") is not None


def load(name: str) -> ModuleType:
    """Import the kernel called `name`, compiled where chosen or possible, else its pure twin."""
    choice = _choice()
    if choice == "compiled" or (choice == "" and _exists(name)):
        return import_module(f"{__name__}._{name}")
    return import_module(f"{__name__}._pure.{name}")


#: True when every kernel in use is compiled.
COMPILED = _choice() != "python" and all(_exists(name) for name in NAMES)
