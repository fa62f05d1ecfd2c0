"""The application that typer makes of the commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any

import typer

from textprep_ml import __version__
from textprep_ml.cli import COMMANDS, end_interrupted, leave_quietly


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
        command = getattr(import_module(f"textprep_ml.cli.{name}"), name)
        app.command(name=name, help=_help_of(command))(_ending_quietly(command))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"textprep_ml {__version__}")
        raise typer.Exit


def _ending_quietly(command: Callable[..., None]) -> Callable[..., None]:
    """End without an error when the reader of the output has gone, and in one line after Ctrl-C, before typer does."""

    @wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            leave_quietly()
        except KeyboardInterrupt:
            end_interrupted()

    return guarded


def _help_of(command: Callable[..., None]) -> str:
    """Give the docstring without its numpydoc sections: the options say the same."""
    return (getdoc(command) or "").partition("\n\nParameters\n")[0]
