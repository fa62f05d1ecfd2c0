"""The report of a word tokenizer as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textprep_ml.metrics import compare_counts, intervals_of_counts, token_counts, token_errors, token_scores
from textprep_ml.report.listing import list_token_errors

Labelled = tuple[Sequence[str], Sequence[Any]]


def tokenizer_report(tokenizers: Mapping[str, Any], corpora: Mapping[str, Labelled]) -> dict[str, Any]:
    """Measure one or two word tokenizers, and list the wrong cuts of the first.

    Parameters
    ----------
    tokenizers : mapping of str to tokenizer
        Name -> tokenizer with ``spans(text)``: the one that the report is about, and baselines or none.
    corpora : mapping of str to (texts, spans)
        Name -> documents and their tokens.

    Returns
    -------
    dict
        Plain JSON values: "subject" (``"tokenizer"``), "model", "baseline" (the first, or None), "baselines",
        "corpora" (name -> "documents",
        "tokens", "scores" of each tokenizer, "intervals" of each (None with one document only), "errors" of each by
        kind, and "comparison" of the first two), "overall" (the same for all documents together) and "errors" (what
        `list_token_errors` gives, with "corpus").

    Examples
    --------
    >>> from textprep_ml import WhitespaceTokenizer, WordTokenizer
    >>> corpora = {"notes": (["It's so"], [[(0, 2), (2, 4), (5, 7)]])}
    >>> report = tokenizer_report({"words": WordTokenizer(), "whitespace": WhitespaceTokenizer()}, corpora)
    >>> report["overall"]["scores"]["words"]["f1"], report["overall"]["scores"]["whitespace"]["f1"], report["errors"]
    (1.0, 0.4, [])
    """
    model, *others = tokenizers
    found = {
        corpus: {name: [tokenizer.spans(text) for text in texts] for name, tokenizer in tokenizers.items()}
        for corpus, (texts, _) in corpora.items()
    }
    measured = {corpus: _measure(labelled, found[corpus]) for corpus, labelled in corpora.items()}
    errors = [
        {"corpus": corpus, **error}
        for corpus, (texts, spans) in corpora.items()
        for error in list_token_errors(
            texts, spans, found[corpus][model], baseline=found[corpus][others[0]] if others else None
        )
    ]
    return {
        "subject": "tokenizer",
        "model": model,
        "baseline": others[0] if others else None,
        "baselines": others,
        "corpora": measured,
        "overall": _overall(corpora, measured, found),
        "errors": errors,
    }


def _measure(labelled: Labelled, found: Mapping[str, Any]) -> dict[str, Any]:
    texts, spans = labelled
    counts = {name: token_counts(texts, spans, each) for name, each in found.items()}
    several = len(texts) > 1
    result: dict[str, Any] = {
        "documents": len(texts),
        "tokens": int(next(iter(counts.values()))[:, 1].sum()),
        "scores": {name: token_scores(texts, spans, each) for name, each in found.items()},
        "intervals": {name: intervals_of_counts(each) if several else None for name, each in counts.items()},
        "errors": {name: token_errors(texts, spans, each) for name, each in found.items()},
    }
    first, *others = counts.values()
    if others and several:
        result["comparison"] = compare_counts(first, others[0])
    return result


def _overall(
    corpora: Mapping[str, Labelled], measured: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The scores of all documents together: those of the one corpus where there is one only."""
    if len(corpora) == 1:
        return measured[next(iter(corpora))]
    texts = [text for texts, _ in corpora.values() for text in texts]
    spans = [each for _, part in corpora.values() for each in part]
    names = next(iter(found.values()))
    together = {name: [each for corpus in corpora for each in found[corpus][name]] for name in names}
    return _measure((texts, spans), together)
