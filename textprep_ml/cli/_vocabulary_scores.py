"""What ``textprep evaluate`` does with subword tokenizers: how they cut the words of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textprep_ml.cli._tokenizers import is_foreign, load_tokenizer

#: Measure -> its column.
_COLUMNS = {
    "bytes_per_piece": "bytes/piece",
    "fertility": "pieces/word",
    "whole_words": "whole words",
    "vocabulary_use": "used",
    "unknown_rate": "unknown",
    "renyi_efficiency": "evenness",
}


def find_vocabulary(name: str) -> Any:
    """Load a model if it is a subword tokenizer.

    Parameters
    ----------
    name : str
        A model file, a ``tokenizer.json``, or the name of a shipped model.

    Returns
    -------
    SubwordTokenizer or None
        None where it is something else, or nothing at all.
    """
    from textprep_ml import _modelfile
    from textprep_ml.exceptions import ModelFormatError

    file = Path(name)
    if file.is_file() and is_foreign(file):
        return load_tokenizer(name)
    try:
        kind = _modelfile.read(name)["class"]
    except (ModelFormatError, OSError):
        return None  # whoever loads it next tells what is wrong
    if not isinstance(kind, str) or not kind.endswith("Tokenizer"):
        return None
    import textprep_ml
    from textprep_ml.subword.base import SubwordTokenizer

    made = getattr(textprep_ml, kind, None)
    return made.load(name) if isinstance(made, type) and issubclass(made, SubwordTokenizer) else None


def evaluate_vocabularies(
    tokenizers: Mapping[str, Any], corpora: Sequence[str], format: str | None, as_json: bool, report: str | None
) -> None:
    """Print the measures of subword tokenizers on texts.

    Parameters
    ----------
    tokenizers : mapping of str to SubwordTokenizer
        One or two.
    corpora : sequence of str
        Files with texts; labels are not needed.
    format : str or None
        Their format; by default ``.txt`` files are raw text.
    as_json : bool
        Print JSON.
    report : str or None
        Where a page goes.
    """
    from textprep_ml.metrics import vocabulary_scores
    from textprep_ml.report import vocabulary_report, write_report

    read = {corpus: list(_read_texts(corpus, format)) for corpus in corpora}
    if report is None:
        results = {
            corpus: {name: vocabulary_scores(tokenizer, texts) for name, tokenizer in tokenizers.items()}
            for corpus, texts in read.items()
        }
    else:
        made = vocabulary_report(tokenizers, read)
        write_report(made, report)
        results = made["corpora"]
    if as_json:
        sys.stdout.write(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
        return
    sys.stdout.write(_as_text(results))
    if report is not None:
        sys.stdout.write(f"\nReport: {report}\n")


def _read_texts(corpus: str, format: str | None) -> Iterable[str]:
    from textprep_ml.corpora import guess_format, iter_rows

    kind = format or guess_format(corpus)
    return (row["text"] for row in iter_rows(corpus, "text" if format is None and kind == "lines" else kind))


def _as_text(results: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    from textprep_ml.report.evaluation import align_columns

    rows = [("corpus", "tokenizer", *_COLUMNS.values())]
    rows += [
        (corpus, name, *(f"{scores[measure]:.4f}" for measure in _COLUMNS))
        for corpus, measured in results.items()
        for name, scores in measured.items()
    ]
    return align_columns(rows, n_left=2)
