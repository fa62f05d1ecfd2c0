"""The command line: ``textprep COMMAND``.

One module per command; each command is a function that Python code can call too.

The modules here import only the standard library and typer at their top, so that a command starts as fast as what it
uses.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any, NoReturn

import typer

from textprep_ml import __version__
from textprep_ml.exceptions import TextPrepError

#: Modules of this folder; each has a function of its own name, the command. The order is that of ``textprep --help``.
COMMANDS: tuple[str, ...] = (
    "segment",
    "transform",
    "train",
    "evaluate",
    "explain",
    "suggest",
    "label",
    "normalize",
    "words",
    "tokenize",
    "detokenize",
    "tag",
    "distance",
    "score",
    "encode",
    "decode",
    "inspect",
)

#: Exit code for bad usage and bad input.
USAGE_ERROR = 2


def build_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Collect commands into one application.

    Parameters
    ----------
    names : iterable of str
        Some of `COMMANDS`.

    Returns
    -------
    typer.Typer
        The application behind ``textprep``.
    """
    app = typer.Typer(
        name="textprep",
        help="Turn raw text into sentences, words and subword pieces, and train that for your own domain.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def textprep(
        version: Annotated[
            bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
        ] = False,
    ) -> None:
        """Keep `textprep COMMAND` the form of every call, even where there is one command only."""

    for name in names:
        command = getattr(import_module(f"{__name__}.{name}"), name)
        app.command(name=name, help=_help_of(command))(_ending_quietly(command))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"textprep_ml {__version__}")
        raise typer.Exit


def _ending_quietly(command: Callable[..., None]) -> Callable[..., None]:
    """End without an error when the reader of the output has gone, before typer makes one of it."""

    @wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            _leave_quietly()

    return guarded


def _help_of(command: Callable[..., None]) -> str:
    """Give the docstring without its numpydoc sections: the options say the same."""
    return (getdoc(command) or "").partition("\n\nParameters\n")[0]


def _check_streams() -> None:
    """Refuse to work for nothing: a closed standard output is an error, a closed standard error is none."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (open until the end)
    if sys.stdout is None:
        _fail("standard output is closed. Send it to a file, or to /dev/null.")


def _use_utf8() -> None:
    """Take arguments and write as UTF-8 whatever the locale says, with bare newlines; the readers check the input."""
    sys.argv[1:] = [os.fsencode(argument).decode("utf-8", "surrogateescape") for argument in sys.argv[1:]]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")  # type: ignore[union-attr]


def _fail(message: str) -> NoReturn:
    print(f"textprep: {message}", file=sys.stderr)
    raise SystemExit(USAGE_ERROR)


def _leave_quietly() -> NoReturn:
    """End after the reader of our output has gone; the interpreter must not flush into the closed pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(0)


def main() -> None:
    """Run the command line: errors become one line on standard error and exit code 2.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    _check_streams()
    _use_utf8()
    warnings.formatwarning = lambda message, *_: f"textprep: {message}\n"
    gc.set_threshold(100_000)  # the modules and the model are many objects, none of them garbage
    try:
        try:
            # A command that is named is built alone: reading the options of all of them takes a tenth of a second.
            build_app([name for name in sys.argv[1:2] if name in COMMANDS] or COMMANDS)()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except TextPrepError as error:
        _fail(str(error))
    except OSError as error:
        # Errors of writing to the standard output name no file.
        named = error.filename or ("standard output" if error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG) else None)
        _fail(f"{named}: {error.strerror}." if named and error.strerror else str(error))
    except (ValueError, TypeError, ImportError) as error:  # the last: of an extra that is not installed
        if os.environ.get("TEXTPREP_ML_DEBUG"):
            raise
        _fail(" ".join(str(error).split()) or type(error).__name__)
