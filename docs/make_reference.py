"""Makes the reference pages of the site, from what the package exports and what the commands say of themselves.

`mkdocs` calls `on_pre_build`; by hand: ``python docs/make_reference.py``.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from textprep_ml.cli import COMMANDS

FOLDER = Path(__file__).parent / "reference"

#: File -> title, and the modules whose public names it lists.
PAGES = {
    "segmentation": ("Sentences", ["segmentation"]),
    "tokenization": ("Words, characters, counts", ["tokenization", "counts"]),
    "subword": ("Subword pieces", ["subword"]),
    "normalization": ("Normalization", ["normalization"]),
    "tagging": ("Tags", ["tagging"]),
    "pipelines": ("Pipelines, files, models", ["pipelines", "annotation", "batching", "bulk", "persistence", "config"]),
    "metrics": ("Measures", ["metrics"]),
    "distance": ("Distances", ["distance"]),
    "corpora": ("Corpora", ["corpora"]),
    "report": ("Reports and displays", ["report"]),
    "labelling": ("Labelling", ["labelling"]),
    "exceptions": ("Errors and warnings", ["exceptions"]),
}


def public_objects(module_name: str) -> list[str]:
    """Give the paths, in their source files, of the public classes and functions of a module."""
    module = import_module(f"textprep_ml.{module_name}")
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    objects = [getattr(module, name) for name in names if not name.startswith("_")]
    return [
        f"{item.__module__}.{item.__name__}" for item in objects if inspect.isclass(item) or inspect.isroutine(item)
    ]


def reference_page(title: str, modules: list[str]) -> str:
    """Give a page that lists the public names of modules."""
    paths = [path for module in modules for path in public_objects(module)]
    return "\n".join([f"# {title}", "", *(f"::: {path}\n" for path in paths)])


def command_page() -> str:
    """Give the page of the command line: each command's help and arguments."""
    parts = [
        "# Command line\n",
        "Input is UTF-8 whatever the locale; `-` is standard input; `.gz`, `.xz` and `.zst` are unpacked. An error is "
        "one line on standard error, with exit code 2.\n",
    ]
    for name in COMMANDS:
        function = getattr(import_module(f"textprep_ml.cli.{name}"), name)
        app = typer.Typer(add_completion=False)
        app.command()(function)
        rows = [_row(param) for param in typer.main.get_command(app).params if param.name != "help"]
        help_text = inspect.cleandoc(function.__doc__ or "").split("\nParameters\n")[0].strip()
        parts += [f"## textprep {name}\n", f"{help_text}\n", "| argument | what it does |\n| --- | --- |", *rows, ""]
    return "\n".join(parts)


def _row(param: Any) -> str:
    option = param.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in param.opts) if option else f"`{param.name.upper()}`"
    text = " ".join((getattr(param, "help", None) or "").split()).replace("|", r"\|")
    return f"| {names} | {text} |"


def on_pre_build(config: Any) -> None:
    """Write the pages, before the site is built."""
    FOLDER.mkdir(exist_ok=True)
    for name, (title, modules) in PAGES.items():
        (FOLDER / f"{name}.md").write_text(reference_page(title, modules), encoding="utf-8")
    (FOLDER / "command-line.md").write_text(command_page(), encoding="utf-8")


if __name__ == "__main__":
    on_pre_build(None)
