"""Run the notebooks anew, each in a kernel of its own; with ``--write`` their new outputs are kept.

``python tests/run_notebooks.py [--write] [NOTEBOOK...]``; without names, all of them. It fails if a cell raises.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent.parent / "notebooks"

#: All that is kept about where a notebook ran.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

#: Two kernels share the processors, so each of them computes with one thread. Without widgets `tqdm` has a complaint.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONWARNINGS": "ignore:IProgress not found",
}


def run(path: Path) -> Any:
    """Execute a notebook as it is started from its own folder."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # else it depends on the moment in how many parts a text is printed
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    return notebook


def run_and_tell(path: Path, write: bool) -> bool:
    """Execute a notebook, print what came of it, and tell whether that is good."""
    try:
        notebook = run(path)
    except CellExecutionError as error:
        print(f"{path.name} failed:\n{error}", file=sys.stderr, flush=True)
        return False
    if write:
        nbformat.write(notebook, path)
    print(f"{path.name} ran", flush=True)
    return True


def main() -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, default=sorted(FOLDER.glob("*.ipynb")))
    parser.add_argument("--write", action="store_true", help="keep the outputs")
    options = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    os.environ.pop("MPLBACKEND", None)  # pictures go into the notebook
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: run_and_tell(path.resolve(), options.write), options.notebooks))
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
