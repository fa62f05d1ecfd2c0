"""The page of a report: one self-contained HTML file, and beside it the plain data that it shows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import textprep_ml
from textprep_ml._files import open_atomically
from textprep_ml.report.views import segmenter_view, tokenizer_view, vocabulary_view
from textprep_ml.report.wording import CANDIDATES, show_piece, verdict, visible, with_sign

if TYPE_CHECKING:
    from jinja2 import Environment

FORMAT = "textprep_ml report"
VERSION = 1

#: Subject of a report -> what makes the variables of its template.
VIEWS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "segmenter": segmenter_view,
    "tokenizer": tokenizer_view,
    "vocabulary": vocabulary_view,
}

_SURROGATE = re.compile("[\ud800-\udfff]")


def render_report(report: Mapping[str, Any], json_name: str | None = None) -> str:
    """Make the page of a report.

    Parameters
    ----------
    report : dict
        What `segmenter_report`, `tokenizer_report` or `vocabulary_report` gave, or the same read from its JSON file.
    json_name : str, optional
        Name of the file with the plain data, which the page points to.

    Returns
    -------
    str
        HTML that needs no other file and no network. The same report gives the same text.

    Raises
    ------
    ValueError
        If it is no such report.
    ImportError
        If jinja2 is not installed.
    """
    subject = report.get("subject")
    if subject not in VIEWS:
        raise ValueError(f"A report has the subject {', '.join(map(repr, VIEWS))}, not {subject!r}.")
    view = VIEWS[subject](report)
    template = _environment().get_template(f"{subject}.html.j2")
    page = template.render({**view, "report": {"made_by": _made_by(), **report}, "json_name": json_name})
    return _SURROGATE.sub("\ufffd", page)


def write_report(report: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page of a report, and its plain data as JSON beside it.

    Parameters
    ----------
    report : dict
        As `render_report` takes it.
    path : str or path-like
        Where the page goes, such as ``out.html``; the data goes to ``out.json``. Old files are replaced only when the
        new ones are complete.

    Returns
    -------
    Path
        The file with the data.

    Raises
    ------
    ValueError
        If the path has another suffix, or the data would replace a file that is no report.
    """
    data = check_report_path(path)
    document = {"format": FORMAT, "version": VERSION, "made_by": _made_by(), **report}
    page = render_report(document, data.name)
    for target, text in ((data, to_json(document)), (path, page)):
        with open_atomically(target) as file:
            file.write(text)
    return data


def check_report_path(path: str | os.PathLike[str]) -> Path:
    """Refuse early what `write_report` would refuse.

    Parameters
    ----------
    path : str or path-like
        Where the page is to go.

    Returns
    -------
    Path
        Where the data will go.

    Raises
    ------
    ValueError
        If the path has another suffix, there is no such folder, or the data would replace a file that is no report.
    ImportError
        If jinja2 is not installed.
    """
    page = Path(path)
    if page.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"A report is an HTML file: give it a name that ends in .html, not {os.fspath(path)!r}.")
    if not page.parent.is_dir():
        raise ValueError(f"There is no folder {os.fspath(page.parent)!r} to write the report to.")
    _environment()
    data = page.with_suffix(".json")
    if data.exists() and not _is_report(data):
        raise ValueError(f"The data of the report would replace {data}, which is no report: give it another name.")
    return data


def _is_report(path: Path) -> bool:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def to_json(document: Mapping[str, Any]) -> str:
    r"""Write plain values as JSON that is valid UTF-8 whatever the texts hold.

    Parameters
    ----------
    document : mapping
        Plain values.

    Returns
    -------
    str
        JSON; lone surrogates are escaped.

    Examples
    --------
    >>> print(to_json({"text": "é \ud800"}), end="")
    {
     "text": "é \ud800"
    }
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _made_by() -> str:
    return f"textprep_ml {textprep_ml.__version__}"


def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise ImportError("Reports need jinja2: pip install 'textprep_ml[report]'.") from None
    environment = Environment(
        loader=PackageLoader("textprep_ml", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": visible,
        "piece": show_piece,
        "percent": lambda share: f"{100 * share:.1f} %",
        "score": "{:.4f}".format,
        "gain": lambda number: with_sign(number, 4),
        "count": "{:,}".format,
        "interval": lambda ends: "{:.4f} to {:.4f}".format(*ends),
        "signed": lambda number: with_sign(number, 1),
        "verdict": verdict,
        "candidate": CANDIDATES.__getitem__,
    }
    return environment
