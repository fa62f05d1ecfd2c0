"""What ``textprep evaluate`` does with subword tokenizers: how they cut the words of texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textprep_ml._validation import shorten
from textprep_ml.cli._tokenizers import is_foreign, load_tokenizer

#: Measure -> its column.
_COLUMNS = {
    "bytes_per_piece": "bytes/piece",
    "fertility": "pieces/word",
    "pieces_per_character": "pieces/char",
    "whole_words": "whole words",
    "vocabulary_use": "used",
    "unknown_rate": "unknown",
    "renyi_efficiency": "evenness",
}
_MORPHEME_COLUMNS = {
    "morpheme_precision": "morphemes P",
    "morpheme_recall": "R",
    "morpheme_f1": "F1",
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


def sized(name: str, tokenizer: Any, sizes: Sequence[int]) -> dict[str, Any]:
    """Give the smaller vocabularies in a trained one, under its name with their sizes.

    Parameters
    ----------
    name : str
        What the tokenizer is called.
    tokenizer : SubwordTokenizer
        Fitted.
    sizes : sequence of int
        Sizes; without any, the tokenizer as it is.

    Returns
    -------
    dict of str to SubwordTokenizer
        In the order of the sizes.
    """
    if not sizes:
        return {name: tokenizer}
    if not hasattr(tokenizer, "with_vocab_size"):
        raise ValueError(f"--size: {name} is a {type(tokenizer).__name__}, which holds no smaller vocabularies.")
    return {f"{name}, {size:,} pieces": tokenizer.with_vocab_size(size) for size in sizes}


def read_morphemes(path: str) -> dict[str, list[str]]:
    """Read words with their morphemes.

    Parameters
    ----------
    path : str
        A file with a word a line, a tab, and its morphemes with blanks between them.

    Returns
    -------
    dict of str to list of str
        Word -> morphemes.
    """
    from textprep_ml._files import fail, iter_lines

    morphemes: dict[str, list[str]] = {}
    for number, line in iter_lines(path):
        word, tab, parts = line.strip().partition("\t")
        if not line.strip():
            continue
        if not tab or "".join(parts.split()) != word:
            fail(
                path, number, f"expected a word, a tab, and its morphemes, which join to it, but found {shorten(line)}."
            )
        morphemes[word] = parts.split()
    if not morphemes:
        fail(path, None, "the file holds no words.")
    return morphemes


def evaluate_vocabularies(
    tokenizers: Mapping[str, Any],
    corpora: Mapping[str, str],
    format: str | None,
    as_json: bool,
    report: str | None,
    morphemes: str | None = None,
) -> None:
    """Print the measures of subword tokenizers on texts.

    Parameters
    ----------
    tokenizers : mapping of str to SubwordTokenizer
        One or two.
    corpora : mapping of str to str
        What the corpora are called -> files with texts; labels are not needed.
    format : str or None
        Their format; by default ``.txt`` files are raw text.
    as_json : bool
        Print JSON.
    report : str or None
        Where a page goes.
    morphemes : str or None
        A file for `read_morphemes`.
    """
    from textprep_ml.metrics import morpheme_scores, vocabulary_scores
    from textprep_ml.report import vocabulary_report, write_report

    words = None if morphemes is None else read_morphemes(morphemes)
    read = {corpus: list(_read_texts(file, format)) for corpus, file in corpora.items()}
    if report is None:
        results = {
            corpus: {name: vocabulary_scores(tokenizer, texts) for name, tokenizer in tokenizers.items()}
            for corpus, texts in read.items()
        }
    else:
        made = vocabulary_report(tokenizers, read)
        write_report(made, report)
        results = made["corpora"]
    if words is not None:
        for name, tokenizer in tokenizers.items():
            found = morpheme_scores(tokenizer, words)  # of the vocabulary, whatever the texts
            for measured in results.values():
                measured[name] = {**measured[name], **found}
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

    first = next(iter(next(iter(results.values())).values()))
    columns = {**_COLUMNS, **(_MORPHEME_COLUMNS if "morpheme_f1" in first else {})}
    rows = [("corpus", "tokenizer", *columns.values())]
    rows += [
        (corpus, name, *(f"{scores[measure]:.4f}" for measure in columns))
        for corpus, measured in results.items()
        for name, scores in measured.items()
    ]
    return align_columns(rows, n_left=2)
