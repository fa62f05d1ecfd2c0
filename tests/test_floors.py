"""The floors of the package: a module imports only from its own floor or below, and some floors never sideways."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "textprep_ml"

FLOORS = {
    "_kernels": 0, "_chars": 0, "_unicode_table": 0, "exceptions": 0,
    "_files": 1, "_parallel": 1, "_badrows": 1, "_modelfile": 1, "base": 1, "_validation": 1, "abbreviations": 1,
    "metrics": 2, "distance": 2, "counts": 2, "corpora": 2,
    "normalization": 3, "segmentation": 3, "tokenization": 3, "subword": 3, "tagging": 3,
    "config": 4, "persistence": 4, "registry": 4, "pipelines": 4, "batching": 4,
    "report": 5, "annotation": 5, "labelling": 5, "bulk": 5,
    "cli": 6,
}  # fmt: skip

#: A collaborator on the same floor comes in as a constructor parameter.
NO_SIDEWAYS = {3}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).as_posix() != "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("textprep_ml."))
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            head, *rest = node.module.split(".")
            if head == "textprep_ml":
                yield from (rest[:1] if rest else [alias.name for alias in node.names if alias.name in FLOORS])
        elif isinstance(node, ast.ImportFrom) and node.level:
            raise AssertionError(f"{path}: relative import; write the whole name")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_stay_on_their_floor(path: Path) -> None:
    here = part_of(path)
    for there in imported_parts(path):
        assert FLOORS[there] <= FLOORS[here], f"{here} (floor {FLOORS[here]}) imports {there} (floor {FLOORS[there]})"
        if FLOORS[here] in NO_SIDEWAYS and there != here:
            assert FLOORS[there] < FLOORS[here], f"{here} imports its neighbour {there}"


def test_only_validation_imports_scikit_learns_private_modules() -> None:
    for path in MODULES:
        if part_of(path) != "_validation":
            assert "sklearn.utils._" not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600
