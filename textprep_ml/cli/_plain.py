"""Arguments that need no parser of command lines: importing one takes longer than a small text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

#: What numbers look like to every parser.
_NUMBERS = {int: re.compile(r"-?[0-9]{1,9}"), float: re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?")}


def parse_plain(
    arguments: list[str], options: Mapping[str, Callable[[str], Any]]
) -> tuple[list[Path], dict[str, Any]] | None:
    """Read file names and options with values, if there is nothing else.

    Parameters
    ----------
    arguments : list of str
        What follows the command.
    options : mapping of str to callable
        Option -> type of its value.

    Returns
    -------
    tuple of (list of Path, dict of str to object) or None
        Files, and values by parameter name. None where there is anything unusual, wrong or asked for: then the real
        parser is to read, and to complain.

    Examples
    --------
    >>> files, values = parse_plain(["a.txt", "--n-jobs", "2"], {"--n-jobs": int})
    >>> [str(file) for file in files], values
    (['a.txt'], {'n_jobs': 2})
    >>> parse_plain(["--help"], {"--n-jobs": int})
    """
    files: list[Path] = []
    values: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-") or argument == "-":
            if not argument:
                return None
            files.append(Path(argument))
            continue
        option, assigned, value = argument.partition("=")
        text = value if assigned else next(rest, "")
        name = option.removeprefix("--").replace("-", "_")
        if option not in options or name in values or not text or text.startswith("--"):
            return None
        number = _NUMBERS.get(options[option])  # type: ignore[call-overload]
        if number and not number.fullmatch(text):
            return None
        try:
            values[name] = options[option](text)
        except ValueError:
            return None
    return files, values
