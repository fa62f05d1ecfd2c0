"""From labelled documents to what a classifier is fitted on: variants, words, described and labelled candidates."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textprep_ml._parallel import cut_documents, map_chunks
from textprep_ml._validation import check_spans, check_targets
from textprep_ml.abbreviations import normalize_abbreviations
from textprep_ml.segmentation.attributes import GROUP_OF_CLASS, KINDS
from textprep_ml.segmentation.augmentation import STANDARD, Variations
from textprep_ml.segmentation.distillation import split_targets, teach
from textprep_ml.segmentation.documents import Document
from textprep_ml.segmentation.runtime import BoundaryModel, LinearScorer, join_candidates
from textprep_ml.segmentation.templates import TemplateLayout, move_weights
from textprep_ml.segmentation.words import WordTable, choose_vocabulary, count_words, period_behaviour, usual_case

#: How often a word must occur in raw text before its usual case is known: rare words of a small corpus say little, and
#: of a large one only the common words are worth their place in the model.
_ENOUGH_WITHOUT_RAW = 3
_ENOUGH_RAW = 40

#: What stands for what when abbreviations are swapped: the groups of the features, but kinds of names kept apart.
_SWAP_GROUPS = {**GROUP_OF_CLASS, "title": "title", "rank": "rank", "given": "given"}


@dataclass(frozen=True)
class Examples:
    """Candidates to learn from.

    Attributes
    ----------
    rows : ndarray of shape (n_candidates, n_attributes)
        Codes.
    labels : ndarray of shape (n_candidates,)
        Whether each is a boundary: bool, or from 0 to 1 where a teacher had a say.
    weights : ndarray of shape (n_candidates,)
        Weight of the document that each came from.
    scores : ndarray of shape (n_candidates,)
        Log odds by the model to start from; zeros where there is none.
    is_boundary : ndarray of shape (n_candidates,)
        Whether a label says so, whatever a teacher does: bool.
    n_boundaries : int
        In the documents, whether they are candidates or not.
    n_found : int
        Those of them that are candidates.
    """

    rows: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    scores: np.ndarray
    is_boundary: np.ndarray
    n_boundaries: int
    n_found: int

    def coverage(self, dropped: np.ndarray | None = None) -> float:
        """Give the share of the boundaries that are candidates.

        Parameters
        ----------
        dropped : ndarray of shape (n_candidates,), optional
            Candidates that are none any more.

        Returns
        -------
        float
            1.0 where there is no boundary.
        """
        n_lost = 0 if dropped is None else int(self.is_boundary[dropped].sum())
        return (self.n_found - n_lost) / self.n_boundaries if self.n_boundaries else 1.0


def strip_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out white space at the edges of a span.

    Parameters
    ----------
    text : str
        The text.
    start, end : int
        The span.

    Returns
    -------
    (int, int)
        The narrower span; empty where there is nothing but white space.
    """
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def labelled_documents(
    texts: Sequence[str], y: Any, owner: str, normalizer: Any, labelled: Any = None, has_teacher: bool = True
) -> list[Document]:
    """Check the labels and bring them into the normalized text.

    Parameters
    ----------
    texts : sequence of str
        Raw documents.
    y : sequence of sequences of (int, int)
        Sentence spans of each; None for a document without labels.
    owner : str
        The name that error messages open with.
    normalizer : transformer or None
        With ``align(text) -> (normalized, offset map)``.
    labelled : sequence of (sequence of (int, int) or None), optional
        The parts of each document whose labels count; None where all do.
    has_teacher : bool
        Whether there is something else to learn from where a document has no labels.

    Returns
    -------
    list of Document
        Sentences without white space at their edges.

    Raises
    ------
    ValueError
        If a document has no labels and there is no teacher.
    """
    y = y if y is None else list(y)
    targets = check_targets(y and [() if spans is None else spans for spans in y], texts, owner)
    is_labelled = [spans is not None for spans in y]
    if not (has_teacher or all(is_labelled)):
        raise ValueError(
            f"The spans of document {is_labelled.index(False)} are None: learning without labels takes a teacher."
        )
    parts = _check_parts(labelled, texts, owner)
    if normalizer is not None:
        aligned = [normalizer.align(text) for text in texts]
        texts = [text for text, _ in aligned]
        targets = [offsets.to_normalized(spans) for (_, offsets), spans in zip(aligned, targets, strict=True)]
        parts = [
            spans if spans is None else offsets.to_normalized(spans)
            for (_, offsets), spans in zip(aligned, parts, strict=True)
        ]
    return [
        Document(
            text,
            [strip_span(text, start, end) for start, end in spans.tolist()],
            None if part is None else [(start, end) for start, end in part.tolist()],
            known,
        )
        for text, spans, part, known in zip(texts, targets, parts, is_labelled, strict=True)
    ]


def _check_parts(labelled: Any, texts: Sequence[str], owner: str) -> list[np.ndarray | None]:
    if labelled is None:
        return [None] * len(texts)
    labelled = list(labelled)
    if len(labelled) != len(texts):
        raise ValueError(f"{owner} got {len(texts)} documents but {len(labelled)} items in labelled.")
    return [
        None if spans is None else check_spans(spans, len(text), f"labelled of document {index}")
        for index, (spans, text) in enumerate(zip(labelled, texts, strict=True))
    ]


def make_variants(
    documents: Sequence[Document],
    augment: str | Mapping[str, float] | None,
    abbreviations: str | Mapping[str, str] | Iterable[str] | None,
    seed: int,
) -> tuple[Sequence[Document], np.ndarray]:
    """Make the variants that are asked for.

    Parameters
    ----------
    documents : sequence of Document
        Labelled documents.
    augment : {"standard"}, mapping of str to float, or None
        The plan.
    abbreviations : str, mapping, iterable of str or None
        The lexicon.
    seed : int
        Of the choices.

    Returns
    -------
    variants : sequence of Document
        Without a plan the documents themselves. Those that are labelled in parts or not at all are taken as they are,
        once: what changes a text goes by its sentences, and theirs are not all known.
    sources : ndarray of shape (n_variants,)
        Index of the document that each came from.
    """
    if augment is None:
        return documents, np.arange(len(documents))
    plan = STANDARD if isinstance(augment, str) else augment
    vary = Variations(plan, normalize_abbreviations(abbreviations), _SWAP_GROUPS)
    is_whole = [document.is_labelled and document.labelled is None for document in documents]
    whole = [index for index, known in enumerate(is_whole) if known]
    partial = [index for index, known in enumerate(is_whole) if not known]
    variants, sources = vary([documents[index] for index in whole], random.Random(seed))
    return (
        [*variants, *(documents[index] for index in partial)],
        np.array([*(whole[source] for source in sources), *partial], dtype=np.intp),
    )


def learn_words(
    documents: Sequence[Document],
    raw: Iterable[str] | None,
    abbreviations: str | Mapping[str, str] | Iterable[str] | None,
    min_count: int,
    n_jobs: int | None = None,
) -> WordTable:
    """Collect what is to be known of words.

    Parameters
    ----------
    documents : sequence of Document
        Training documents: the vocabulary comes from those with labels, if there are any.
    raw : iterable of str or None
        Unlabelled text for usual case and periods; None takes the documents.
    abbreviations : str, mapping, iterable of str or None
        The lexicon.
    min_count : int
        Rarer words are not in the vocabulary.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    WordTable
        The words of the model to be.
    """
    labelled = [document.text for document in documents if document.is_labelled]
    counts = count_words(labelled or [document.text for document in documents], n_jobs)
    raw_counts, enough = (counts, _ENOUGH_WITHOUT_RAW) if raw is None else (count_words(raw, n_jobs), _ENOUGH_RAW)
    return WordTable(
        choose_vocabulary(counts, min_count),
        normalize_abbreviations(abbreviations),
        usual_case(raw_counts, enough),
        period_behaviour(raw_counts, max(3, enough // 8)),
    )


def widen(
    model: BoundaryModel,
    documents: Sequence[Document],
    abbreviations: str | Mapping[str, str] | Iterable[str] | None,
    min_count: int,
) -> tuple[WordTable, LinearScorer]:
    """Add the words of new documents to a fitted linear model, which keeps its decisions.

    Parameters
    ----------
    model : BoundaryModel
        With a linear scorer.
    documents : sequence of Document
        Training documents.
    abbreviations : str, mapping, iterable of str or None
        More abbreviations.
    min_count : int
        Rarer words are not added.

    Returns
    -------
    words : WordTable
        Old and new words.
    scorer : LinearScorer
        The old weights in their new places.

    Raises
    ------
    ValueError
        If the model is not linear.
    """
    if not isinstance(model.scorer, LinearScorer):
        raise ValueError("warm_start_from needs a model with a linear scorer; trees are trained anew.")
    known = set(model.words.vocabulary)
    new = choose_vocabulary(count_words(document.text for document in documents), min_count)
    words = replace(
        model.words,
        vocabulary=[*model.words.vocabulary, *(word for word in new if word not in known)],
        abbreviations={**model.words.abbreviations, **normalize_abbreviations(abbreviations)},
    )
    # New words come after the old ones: the old codes stay what they were, only the places of their weights move.
    layout = TemplateLayout(model.scorer.layout.templates, len(words.vocabulary))
    weights, evidence = model.scorer.weights, model.scorer.evidence
    if evidence is not None:
        evidence = move_weights(model.scorer.layout, evidence, layout)
    return words, LinearScorer(layout, move_weights(model.scorer.layout, weights, layout), evidence)


def covered(positions: np.ndarray, spans: Sequence[tuple[int, int]]) -> np.ndarray:
    """Tell which positions lie in one of several spans.

    Parameters
    ----------
    positions : ndarray of shape (n_positions,)
        Where the token before each candidate ends.
    spans : sequence of (int, int)
        Half-open, sorted, without overlaps.

    Returns
    -------
    ndarray of shape (n_positions,)
        Bool.

    Examples
    --------
    >>> covered(np.array([3, 5, 8]), [(0, 4), (8, 9)]).tolist()
    [True, False, True]
    """
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    before = np.searchsorted(bounds[:, 0], positions, side="right")
    ends = np.concatenate([[-1], bounds[:, 1]])
    return positions < ends[before]


def label_candidates(
    model: BoundaryModel,
    documents: Sequence[Document],
    weights: np.ndarray,
    n_jobs: int | None = None,
    teacher: BoundaryModel | None = None,
) -> Examples:
    """Describe and label the candidates of documents, without the blank lines, which need no decision.

    Of partly labelled documents only what their labels cover counts: the classifier decides each candidate by itself,
    so nothing has to be known of the others (Neubig and Mori 2010, Word-based partial annotation for efficient corpus
    construction).

    Parameters
    ----------
    model : BoundaryModel
        With or without a scorer.
    documents : sequence of Document
        Labelled documents.
    weights : ndarray of shape (n_documents,)
        Weight of each.
    n_jobs : int, optional
        Threads.
    teacher : BoundaryModel, optional
        Whose probabilities are mixed into the labels; with the same candidates.

    Returns
    -------
    Examples
        What to learn from.

    Raises
    ------
    ValueError
        If there is no labelled candidate; or, where there is no model to start from, no inner boundary, or the
        candidates are all of one class.
    """
    texts = [document.text for document in documents]
    chunks = cut_documents(texts, n_jobs)
    offsets, ends, _, kinds, rows = join_candidates(map_chunks(model.describe, chunks, n_jobs))
    labels = np.zeros(len(ends), dtype=bool)
    counted, known = np.ones(len(ends), dtype=bool), np.ones(len(ends), dtype=bool)
    n_boundaries = 0
    for index, document in enumerate(documents):
        part = slice(offsets[index], offsets[index + 1])
        gold = np.array([end for _, end in document.sentences[:-1]], dtype=np.int64)
        if document.labelled is not None:
            counted[part] = covered(ends[part], document.labelled)
            gold = gold[covered(gold, document.labelled)]
        labels[part], known[part] = np.isin(ends[part], gold), document.is_labelled
        n_boundaries += len(gold)
    if model.scorer is not None and not counted.any():
        raise ValueError("No candidate is labelled: there is nothing to learn from.")
    if not n_boundaries and model.scorer is None and teacher is None:
        raise ValueError(
            "The documents have no inner sentence boundary: some need spans of two sentences or more in y."
        )
    undecided = counted & (kinds != KINDS.index("paragraph"))
    targets = (labels if teacher is None else teach(teacher, chunks, labels, known, n_jobs))[undecided]
    if model.scorer is None:
        _check_classes(targets)
        scores = np.zeros(len(labels), dtype=np.float32)
    else:
        scores = join_candidates(map_chunks(model.score, chunks, n_jobs))[4]
    return Examples(
        rows[undecided],
        targets,
        np.repeat(weights, np.diff(offsets))[undecided],
        scores[undecided],
        labels[undecided],
        n_boundaries,
        int(labels[counted].sum()),
    )


def _check_classes(targets: np.ndarray) -> None:
    """Refuse candidates that are all boundaries, or none: no classifier tells them apart."""
    if len(np.unique(split_targets(targets, np.ones(len(targets)))[1])) < 2:
        which = "All places where a sentence may end are boundaries" if targets.any() else "No place is a boundary"
        raise ValueError(
            f"{which}: there is nothing to tell apart. Some documents need both, such as an abbreviation inside a "
            "sentence and a mark at its end."
        )
