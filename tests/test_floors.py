"""The floors of the package: a module imports only from its own floor or below, and some floors never sideways."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
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
    "cli": 6, "__main__": 6,
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


# --- start-up: what is not imported costs nothing ---------------------------------------------------------------------

#: Beside NumPy, the standard library and the interpreter's own set-up, what `textprep segment` needs of this package.
OWN_OF_SEGMENT = {
    "", "_files", "_kernels", "_kernels._boundaries", "_kernels._pure", "_kernels.boundary_checks",
    "_kernels.boundary_tables", "_modelfile", "_parallel", "abbreviations", "cli", "cli._plain", "cli._sentences",
    "exceptions", "segmentation", "segmentation.attributes", "segmentation.hopeless", "segmentation.runtime",
    "segmentation.streams", "segmentation.templates", "segmentation.windows", "segmentation.words",
}  # fmt: skip
#: Parts of the standard library that take long, or say that something else got in.
SLOW_STANDARD = {
    "asyncio", "concurrent.futures", "gzip", "http", "lzma", "multiprocessing", "sqlite3", "ssl", "tomllib",
    "unittest", "uuid", "xml",
}  # fmt: skip


def new_modules(program: str, *arguments: str) -> set[str]:
    """Run a program in a new process and give the modules that it imported."""
    script = (
        "import sys\nbefore = set(sys.modules)\ntry:\n"
        + "".join(f"    {line}\n" for line in program.splitlines())
        + "except SystemExit:\n    pass\n"
        + "import json\njson.dump(sorted(set(sys.modules) - before), sys.stderr)\n"
    )
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))  # behind what the program said


def test_segment_starts_with_little(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Dr. Ito left. Why?\n" * 30, encoding="utf-8")
    program = "from textprep_ml.cli import main\nmain()"
    found = new_modules(program, "segment", str(text), "--format", "spans", "--n-jobs=1")
    own = {name.removeprefix("textprep_ml").removeprefix(".") for name in found if name.split(".")[0] == "textprep_ml"}
    assert {name for name in own if not name.startswith("_kernels._pure.")} <= OWN_OF_SEGMENT
    assert not found & SLOW_STANDARD
    foreign = (
        {name.split(".")[0] for name in found}
        - set(sys.stdlib_module_names)
        - {"textprep_ml", "numpy", "cython_runtime"}
    )
    assert {name for name in foreign if not name.startswith("_")} == set()


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--version"], ""),
        (["--help"], "numpy"),
        (["explain", "--help"], ""),
        (["evaluate", "--help"], "numpy"),
        (["distance", "kitten", "sitting"], "numpy rapidfuzz"),
        (["distance", "kitten", "sitting", "--align"], "numpy rapidfuzz"),
        *(([command, "absent"], "") for command in ("suggest", "inspect")),
        *(([command, "--model", "absent", "x"], "") for command in ("explain", "tag", "encode", "decode")),
        (["evaluate", "absent", "data/sample/test.jsonl"], "numpy"),
    ],
    ids=" ".join,
)
def test_what_needs_no_estimator_starts_without_scikit_learn(arguments: list[str], needed: str) -> None:
    found = {name.split(".")[0] for name in new_modules("from textprep_ml.cli import main\nmain()", *arguments)}
    assert "typer" in found
    assert not found & ({"sklearn", "scipy", "pandas", "joblib", "numpy", "rapidfuzz"} - {*needed.split()})


def test_the_package_itself_imports_nothing() -> None:
    found = new_modules("import textprep_ml, textprep_ml.cli\ndir(textprep_ml)")
    assert {name for name in found if name.startswith("textprep_ml")} == {
        "textprep_ml", "textprep_ml.cli", "textprep_ml.exceptions",
    }  # fmt: skip
    assert {name.split(".")[0] for name in found} <= {*sys.stdlib_module_names, "textprep_ml"}


@pytest.mark.parametrize("name", ["textprep_ml", "textprep_ml.segmentation"])
def test_type_checkers_see_what_is_imported_late(name: str) -> None:
    package = import_module(name)
    tree = ast.parse(Path(package.__file__ or "").read_text(encoding="utf-8"))
    seen = {
        alias.name: statement.module.removeprefix(f"{name}.")
        for node in tree.body
        if isinstance(node, ast.If)
        for statement in node.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
    }
    assert seen == package._LAZY
    assert set(package.__all__) - {"__version__"} == set(seen) <= set(dir(package))
    assert all(hasattr(package, each) for each in seen)
    with pytest.raises(AttributeError, match="has no attribute 'absent'"):
        package.absent
