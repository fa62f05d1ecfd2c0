"""The committed notebooks can be read where they lie: run in order, with outputs, small, from no particular machine.

That they run is not tested here; `.ci/run` runs them by ``tests/run_notebooks.py``.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests import run_notebooks

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SUBJECTS = (
    "quickstart", "segmenter", "word-tokenizers", "byte-pair-encoding", "vocabulary", "pipelines", "labelling"
)  # fmt: skip

MAX_BYTES = 400_000
MAX_PICTURE_BYTES = 60_000

# A path from the root of a machine, on any system, or the address of something that runs there.
MACHINE = re.compile(
    r"(?<![\w.:/])/(?:home|root|tmp|usr|work|var|opt|mnt|Users|private)/|\b[A-Z]:\\\\|localhost|127\.0\.0\.1"
)

of_each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def outputs_of(path: Path) -> list[Any]:
    return [output for cell in read(path).cells if cell.cell_type == "code" for output in cell.outputs]


def test_every_subject_has_one() -> None:
    names = " ".join(path.stem for path in NOTEBOOKS)
    assert [subject for subject in SUBJECTS if subject not in names] == []


@of_each
def test_it_is_valid(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    first = notebook.cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")


@of_each
def test_it_was_run_once_in_order(path: Path) -> None:
    counts = [cell.execution_count for cell in read(path).cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@of_each
def test_it_has_outputs_without_errors_and_warnings(path: Path) -> None:
    outputs = outputs_of(path)
    assert len(outputs) > 5
    assert [output.ename for output in outputs if output.output_type == "error"] == []
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


@of_each
def test_it_tells_nothing_of_the_machine(path: Path) -> None:
    assert MACHINE.findall(path.read_text(encoding="utf-8")) == []
    notebook = read(path)
    assert notebook.metadata == run_notebooks.METADATA
    assert all(not cell.metadata for cell in notebook.cells)


@pytest.mark.parametrize("text", ["in /home/a/b.py", '"/tmp/x"', r"C:\\Users", "http://localhost:8888"])
def test_a_machine_is_noticed(text: str) -> None:
    assert MACHINE.search(text)


@of_each
def test_it_is_small(path: Path) -> None:
    assert path.stat().st_size < MAX_BYTES
    pictures = [output.data["image/png"] for output in outputs_of(path) if "image/png" in output.get("data", {})]
    assert all(len(base64.b64decode(picture)) < MAX_PICTURE_BYTES for picture in pictures)


@of_each
def test_it_reads_only_what_is_in_the_repository(path: Path) -> None:
    sources = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    assert "shared" not in sources
    assert re.search(r"https?://|urllib|requests", sources) is None
    for name in re.findall(r"\.\./[\w./-]+", sources):
        assert (path.parent / name).exists() or (path.parent / name).parent.is_dir(), name


@of_each
def test_links_lead_somewhere(path: Path) -> None:
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        assert target.startswith("https://") or (path.parent / target).exists(), target


@of_each
def test_the_readme_names_it(path: Path) -> None:
    assert f"notebooks/{path.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_running_fails_where_a_cell_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.ipynb", tmp_path / "bad.ipynb"
    for path, source in ((good, "print(6 * 7)"), (bad, "1 / 0")):
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    before = bad.read_bytes()
    monkeypatch.setattr(sys, "argv", ["run_notebooks", "--write", str(good), str(bad)])
    for name in run_notebooks.ENVIRONMENT:
        monkeypatch.setenv(name, "")
    assert run_notebooks.main() == 1
    printed = capsys.readouterr()
    assert "good.ipynb ran" in printed.out
    assert "ZeroDivisionError" in printed.err
    assert json.loads(good.read_text(encoding="utf-8"))["cells"][0]["outputs"][0]["text"] == ["42\n"]
    assert bad.read_bytes() == before
