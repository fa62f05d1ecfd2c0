"""The pages of the site: every Python block runs, every public name is in the reference, every link leads somewhere."""

from __future__ import annotations

import doctest
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import textprep_ml
from textprep_ml.cli import COMMANDS

ROOT = Path(__file__).parent.parent
REFERENCE_FOLDER = ROOT / "docs" / "reference"
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent != REFERENCE_FOLDER]


def _load_maker() -> Any:
    spec = spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_reference = _load_maker()
REFERENCE = "\n".join(make_reference.reference_page(*page) for page in make_reference.PAGES.values())


def name_of(page: Path) -> str:
    return page.relative_to(ROOT / "docs").as_posix()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")], ids=name_of
)
def test_the_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("data", "configs", "models"):
        (tmp_path / name).symlink_to(ROOT / name)
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, page.name, str(page), 0)
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(test)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", [name for name in textprep_ml.__all__ if not name.startswith("_")])
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert re.search(rf"^::: textprep_ml\.[\w.]*\b{name}$", REFERENCE, re.MULTILINE), name


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_reference(command: str) -> None:
    assert f"## textprep {command}\n" in make_reference.command_page()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or page.parent.joinpath(target).exists(), target
