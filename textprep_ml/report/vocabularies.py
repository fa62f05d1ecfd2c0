"""The report of a subword vocabulary as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textprep_ml.metrics.vocabulary import vocabulary_curve, vocabulary_scores, word_spans
from textprep_ml.subword.inspection import describe

#: How many pieces and merges of each sort, and how many words, are listed.
N_LISTED = 40
N_WORDS = 100

#: The curve is measured on the first documents, so many characters and the rest of the last document: each of its sizes
#: takes as long as the whole.
CURVE_CHARACTERS = 2_000_000


def vocabulary_report(tokenizers: Mapping[str, Any], corpora: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Measure one or two subword tokenizers on texts, and list their pieces and the words that they cut most.

    Parameters
    ----------
    tokenizers : mapping of str to SubwordTokenizer
        Name -> fitted tokenizer: the one that the report is about, and baselines or none.
    corpora : mapping of str to sequence of str
        Name -> documents.

    Returns
    -------
    dict
        Plain JSON values: "subject" (``"vocabulary"``), "model", "baseline" (the first, or None), "baselines",
        "corpora" (name -> tokenizer ->
        what `vocabulary_scores` gives), "overall" (the same for all documents together) and "tokenizers" (name ->
        what `describe` gives, with "curve": what `vocabulary_curve` gives on the first documents, or None where there
        are no smaller vocabularies; "coverage": rows of a number of pieces, and the share of the text's pieces that so
        many of the most frequent ones make up; "cut_words": the words that cost most pieces, with "word", "count" and
        "pieces").

    Examples
    --------
    >>> from textprep_ml import BPETokenizer
    >>> text = "low low lower lowest"
    >>> tokenizers = {"two": BPETokenizer(num_merges=2).fit([text]), "three": BPETokenizer(num_merges=3).fit([text])}
    >>> report = vocabulary_report(tokenizers, {"text": [text]})
    >>> report["overall"]["two"]["n_pieces"], report["overall"]["three"]["n_pieces"]
    (12, 9)
    >>> report["tokenizers"]["three"]["cut_words"][0]
    {'word': 'lowest', 'count': 1, 'pieces': [' low', 'e', 's', 't']}
    """
    model, *others = tokenizers
    texts = [text for part in corpora.values() for text in part]
    measured = {
        corpus: {name: vocabulary_scores(tokenizer, part) for name, tokenizer in tokenizers.items()}
        for corpus, part in corpora.items()
    }
    overall = (
        {name: vocabulary_scores(tokenizer, texts) for name, tokenizer in tokenizers.items()}
        if len(corpora) > 1
        else measured[next(iter(corpora))]
    )
    return {
        "subject": "vocabulary",
        "model": model,
        "baseline": others[0] if others else None,
        "baselines": others,
        "corpora": measured,
        "overall": overall,
        "tokenizers": {name: _describe(tokenizer, texts) for name, tokenizer in tokenizers.items()},
    }


def _describe(tokenizer: Any, texts: Sequence[str]) -> dict[str, Any]:
    summary = describe(tokenizer, N_LISTED)
    for key in ("first_merges", "last_merges"):
        summary[key] = [list(pair) for pair in summary.get(key, [])]
    counts: Counter[int] = Counter()
    words: dict[str, tuple[int, list[int]]] = {}
    for text in texts:
        ids, spans = tokenizer.encode_with_spans(text)
        counts.update(ids)
        _collect_cut_words(text, ids, spans, words)
    costliest = sorted(words.items(), key=lambda item: (-item[1][0] * (len(item[1][1]) - 1), item[0]))[:N_WORDS]
    return {
        **summary,
        "curve": vocabulary_curve(tokenizer, _opening(texts)) if hasattr(tokenizer, "with_vocab_size") else None,
        "coverage": _coverage(counts),
        "cut_words": [
            {"word": word, "count": count, "pieces": [tokenizer.id_to_piece(index) for index in ids]}
            for word, (count, ids) in costliest
        ],
    }


def _opening(texts: Sequence[str]) -> list[str]:
    """Give the first documents, enough for a curve."""
    lengths = np.cumsum([len(text) for text in texts])
    return list(texts[: 1 + int(np.searchsorted(lengths, CURVE_CHARACTERS))])


def _collect_cut_words(text: str, ids: Sequence[int], spans: Any, words: dict[str, tuple[int, list[int]]]) -> None:
    """Count the words that lie in more than one piece, and keep how each was cut first."""
    places = word_spans(text)
    first = np.searchsorted(spans[:, 1], places[:, 0], side="right")
    last = np.searchsorted(spans[:, 0], places[:, 1], side="left")
    cut = last - first > 1
    for (start, end), low, high in zip(places[cut].tolist(), first[cut].tolist(), last[cut].tolist(), strict=True):
        count, pieces = words.get(text[start:end]) or (0, list(ids[low:high]))
        words[text[start:end]] = count + 1, pieces


def _coverage(counts: Counter[int]) -> list[list[float]]:
    """Give the share of the most frequent pieces in all, for numbers of them in equal ratios."""
    cumulated = np.cumsum(sorted(counts.values(), reverse=True))
    ranks = sorted({int(rank) for rank in np.geomspace(1, len(cumulated), 40).round()})
    return [[rank, float(cumulated[rank - 1] / cumulated[-1])] for rank in ranks]
