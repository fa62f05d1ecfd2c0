"""What ``textprep evaluate`` does with tokenizers: token scores and errors by kind against CoNLL-U."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

#: Names of the tokenizers that can be measured.
TOKENIZERS = ("words", "words:ud", "words:ptb", "treebank", "whitespace")


def make_named_tokenizer(name: str) -> Any:
    """Make a tokenizer by its name.

    Parameters
    ----------
    name : str
        One of `TOKENIZERS`.

    Returns
    -------
    Tokenizer
        Ready to use.
    """
    from textprep_ml.tokenization import TreebankTokenizer, WhitespaceTokenizer, WordTokenizer

    if name == "treebank":
        return TreebankTokenizer()
    if name == "whitespace":
        return WhitespaceTokenizer()
    _, _, preset = name.partition(":")
    return WordTokenizer.from_preset(preset) if preset else WordTokenizer()


def evaluate_tokenizers(
    names: Sequence[str], corpora: Mapping[str, str], format: str | None, as_json: bool, report: str | None = None
) -> None:
    """Print the token scores of tokenizers on corpora, and of the first one its errors by kind.

    Parameters
    ----------
    names : sequence of str
        Of `TOKENIZERS`.
    corpora : mapping of str to str
        Corpus -> the file with its tokens: CoNLL-U.
    format : str or None
        Their format.
    as_json : bool
        Print JSON.
    report : str, optional
        Where a page goes.
    """
    from textprep_ml.metrics import token_errors, token_scores
    from textprep_ml.report import tokenizer_report, write_report

    tokenizers = {name: make_named_tokenizer(name) for name in names}
    read = {corpus: _read_tokens(corpus, file, format) for corpus, file in corpora.items()}
    results: dict[str, Any] = {}
    for corpus, (texts, gold) in read.items():
        found = {name: [tokenizer.spans(text) for text in texts] for name, tokenizer in tokenizers.items()}
        results[corpus] = {
            "scores": {name: token_scores(texts, gold, spans) for name, spans in found.items()},
            "errors": token_errors(texts, gold, found[names[0]]),
        }
    if report is not None:
        write_report(tokenizer_report(tokenizers, read), report)
    sys.stdout.write(
        json.dumps(results, ensure_ascii=False, indent=1) + "\n" if as_json else _as_text(results, names[0])
    )
    if report is not None and not as_json:
        sys.stdout.write(f"\nReport: {report}\n")


def _read_tokens(corpus: str, file: str, format: str | None) -> tuple[list[str], list[Any]]:
    from textprep_ml.corpora import iter_rows

    rows = list(iter_rows(file, format))
    if any("tokens" not in row for row in rows):
        raise ValueError(f"{corpus} has no tokens; tokenizers are measured on CoNLL-U.")
    return [row["text"] for row in rows], [row["tokens"] for row in rows]


def _as_text(results: dict[str, Any], first: str) -> str:
    lines = []
    for corpus, result in results.items():
        lines.append(f"{corpus}\n{'tokenizer':<12} {'precision':>9} {'recall':>9} {'f1':>9}")
        for name, scores in result["scores"].items():
            lines.append(f"{name:<12} {scores['precision']:>9.4f} {scores['recall']:>9.4f} {scores['f1']:>9.4f}")
        lines.append(f"\nwrong cuts of {first}\n{'kind':<12} {'too many':>9} {'too few':>9}  examples")
        for row in result["errors"]:
            examples = "  ".join(example.replace("\n", "⏎") for example in row["examples"][:2])
            lines.append(f"{row['kind']:<12} {row['false_positives']:>9} {row['misses']:>9}  {examples}")
    return "\n".join(lines) + "\n"
