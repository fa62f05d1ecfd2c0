"""The README says what is true: its examples run, its commands, files and links are there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from textprep_ml.cli import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md"]


def test_the_examples_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, "README.md", "README.md", 0)
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert results.attempted > 10
    assert results.failed == 0


def test_every_command_is_named() -> None:
    named = set(re.findall(r"textprep ([a-z]+)", README)) | set(re.findall(r"`([a-z]+)`", README))
    assert set(COMMANDS) <= named
    for command in re.findall(r"^textprep ([a-z]+)", README, re.MULTILINE):
        assert command in COMMANDS


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        for target in re.findall(r"`?make ([a-z]+)", (ROOT / page).read_text(encoding="utf-8")):
            if f"`make {target}" in (ROOT / page).read_text(encoding="utf-8"):
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (ROOT / page).parent.joinpath(target).exists(), target


def test_the_parts_exist() -> None:
    for part in re.findall(r"^\| `textprep_ml\.([a-z]+)`", README, re.MULTILINE):
        assert (ROOT / "textprep_ml" / part).is_dir(), part
