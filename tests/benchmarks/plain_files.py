"""Texts for benchmarks, packed or not: what is measured reads plain files, so a packed one is unpacked first."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from textprep_ml._files import COMPRESSED, bare_name, open_binary


def plain_file(name: str) -> Path:
    """Give the file of that name, or of a packed one what it holds, in a file that lasts as long as the process.

    Made for the ``type`` of an option, which takes no folder to write to.
    """
    path = Path(name)
    if path.suffix not in COMPRESSED or not path.is_file():
        return path
    folder = tempfile.mkdtemp(prefix="textprep-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    plain = Path(folder, bare_name(path))
    with open_binary(path) as packed, plain.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return plain
