"""What was learned, compiled for use: needs NumPy and the kernels, not scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from textprep_ml import _kernels, _modelfile
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation.attributes import ATTRIBUTES, KINDS
from textprep_ml.segmentation.hopeless import NONE_HOPELESS, HopelessGaps
from textprep_ml.segmentation.templates import (
    TemplateLayout,
    shortest_decimals,
    weights_from_state,
    weights_to_state,
)
from textprep_ml.segmentation.words import WordTable

NEWLINES = ("auto", "hard", "soft", "paragraph")

#: Kinds of candidate behind each choice of the `candidates` parameter; blank lines always are boundaries.
CANDIDATE_KINDS = {"mark": ("mark", "inside", "mark_line"), "line": ("line",), "gap": ("gap",)}


@dataclass
class LinearScorer:
    """A sum of weights, one per template.

    Attributes
    ----------
    layout : TemplateLayout
        Where each weight lies.
    weights : ndarray of shape (layout.size,)
        The weights, float32.
    evidence : ndarray of shape (layout.size,) or None
        How much the training said about each weight, as `adaptation.count_evidence` gives it; None where that is not
        known.
    """

    layout: TemplateLayout
    weights: np.ndarray
    evidence: np.ndarray | None = None

    def install(self, scanner: Any) -> None:
        """Hand the weights to the kernel.

        Parameters
        ----------
        scanner : BoundaryScanner
            Of the kernel in use.
        """
        scanner.set_linear(self.layout.offsets, self.layout.columns, self.layout.strides, self.weights)

    def to_state(self) -> dict[str, Any]:
        """Give plain JSON values.

        Returns
        -------
        dict
            What `scorer_from_state` reads.
        """
        return {"type": "linear", **weights_to_state(self.layout, self.weights, self.evidence)}


@dataclass
class TreeScorer:
    """A binary decision tree over ranked codes.

    Attributes
    ----------
    columns, thresholds, left, right : ndarray of shape (n_nodes,)
        The attribute that a node asks about, the largest rank that goes left, and its children; a leaf has ``left ==
        -1``.
    scores : ndarray of shape (n_nodes,)
        Log odds of a boundary in each node.
    rank_offsets : ndarray of shape (n_attributes,)
        Where the ranks of each attribute begin.
    ranks : ndarray of shape (n_codes,)
        Rank of each code of each attribute.
    """

    columns: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    scores: np.ndarray
    rank_offsets: np.ndarray
    ranks: np.ndarray

    def install(self, scanner: Any) -> None:
        """Hand the tree to the kernel.

        Parameters
        ----------
        scanner : BoundaryScanner
            Of the kernel in use.
        """
        scanner.set_tree(
            self.columns, self.thresholds, self.left, self.right, self.scores, self.rank_offsets, self.ranks
        )

    def to_state(self) -> dict[str, Any]:
        """Give plain JSON values.

        Returns
        -------
        dict
            What `scorer_from_state` reads.
        """
        arrays = {name: np.asarray(value).tolist() for name, value in vars(self).items()}
        return {"type": "tree", **arrays, "scores": shortest_decimals(self.scores)}


def scorer_from_state(state: Mapping[str, Any], n_words: int) -> LinearScorer | TreeScorer:
    """Read what a scorer's `to_state` gave.

    Parameters
    ----------
    state : mapping
        Plain JSON values.
    n_words : int
        Words in the vocabulary.

    Returns
    -------
    LinearScorer or TreeScorer
        Ready to install.

    Raises
    ------
    ModelFormatError
        If the type is unknown or the numbers do not fit together.
    """
    if state["type"] == "linear":
        return LinearScorer(*weights_from_state(state, n_words))
    if state["type"] != "tree":
        raise ModelFormatError(f"Unknown type of scorer {state['type']!r}; this textprep_ml knows 'linear' and 'tree'.")
    tree = TreeScorer(
        **{
            name: np.array(state[name], dtype=np.int32)
            for name in ("columns", "thresholds", "left", "right", "rank_offsets")
        },
        scores=np.array(state["scores"], dtype=np.float32),
        ranks=np.array(state["ranks"], dtype=np.uint16),
    )
    _check_tree(tree, n_words)
    return tree


def _check_tree(tree: TreeScorer, n_words: int) -> None:
    """Refuse a tree that would send the kernel out of its arrays or around in circles."""
    n = len(tree.columns)
    nodes = np.arange(n)
    inner = tree.left >= 0
    sizes = [len(attribute.values) or n_words + 1 for attribute in ATTRIBUTES]
    if (
        n == 0
        or {len(tree.thresholds), len(tree.left), len(tree.right), len(tree.scores)} != {n}
        or not np.isfinite(tree.scores).all()
        or (tree.left[inner] <= nodes[inner]).any()
        or (tree.right[inner] <= nodes[inner]).any()
        or (np.maximum(tree.left, tree.right)[inner] >= n).any()
        or (tree.columns[inner] < 0).any()
        or (tree.columns[inner] >= len(ATTRIBUTES)).any()
        or tree.rank_offsets.tolist() != np.concatenate([[0], np.cumsum(sizes)[:-1]]).tolist()
        or len(tree.ranks) != sum(sizes)
    ):
        raise ModelFormatError("The tree of the model is damaged: its arrays do not fit together.")


@dataclass
class BoundaryModel:
    """A compiled segmenter: words, weights or tree, thresholds.

    Attributes
    ----------
    words : WordTable
        What is known of words.
    scorer : LinearScorer, TreeScorer or None
        How candidates are scored; None where the classifier could not be compiled.
    thresholds : dict of str to float
        Log odds from which on a candidate of each kind is a boundary.
    candidates : tuple of str
        ``"mark"``, ``"line"``, ``"gap"``.
    newline : str
        What line breaks mean: ``"auto"``, ``"hard"``, ``"soft"`` or ``"paragraph"``.
    params : mapping
        Parameters of the `SentenceSegmenter` that was saved, after `load`. Policies and a normalizer among them are
        not applied here.
    hopeless : HopelessGaps
        Gaps between words that are no candidates.
    """

    words: WordTable
    scorer: LinearScorer | TreeScorer | None
    thresholds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(KINDS, 0.0))
    candidates: tuple[str, ...] = ("mark", "line", "gap")
    newline: str = "auto"
    params: Mapping[str, Any] = field(default_factory=dict)
    hopeless: HopelessGaps = NONE_HOPELESS

    def __post_init__(self) -> None:
        self.rebuild()

    def rebuild(self) -> None:
        """Hand words, scorer and thresholds to the kernel anew, after one of them was changed."""
        kinds = [kind for candidates in self.candidates for kind in CANDIDATE_KINDS[candidates]]
        self._scanner = _kernels.load("boundaries").BoundaryScanner(
            self.words.build_lexicon(), self.newline, kinds, self.hopeless.words, self.hopeless.forms
        )
        self._scanner.set_thresholds([self.thresholds[kind] for kind in KINDS])
        if self.scorer is not None:
            self.scorer.install(self._scanner)
        self._adjusted: tuple[tuple[Any, ...], BoundaryModel] | None = None
        # What was made of the model for the parameters in use, and these: it takes longer than a short text.
        self.in_use: tuple[tuple[Any, ...], Any] | None = None

    def adjusted(self, candidates: tuple[str, ...], newline: str, thresholds: dict[str, float]) -> BoundaryModel:
        """Give this model under other choices; the last one is kept, since making it takes longer than a short text.

        Parameters
        ----------
        candidates : tuple of str
            Which candidates are looked at.
        newline : str
            What line breaks mean.
        thresholds : dict of str to float
            Log odds from which on a candidate of each kind is a boundary.

        Returns
        -------
        BoundaryModel
            This one where nothing differs.
        """
        choices = (candidates, newline, thresholds)
        if choices == (self.candidates, self.newline, self.thresholds):
            return self
        kept = self._adjusted
        if kept is None or kept[0] != choices:
            if newline not in NEWLINES:
                raise ValueError(f"newline must be one of {', '.join(NEWLINES)}, got {newline!r}.")
            if not set(candidates) <= set(CANDIDATE_KINDS):
                raise ValueError(f"candidates must be some of {', '.join(CANDIDATE_KINDS)}, got {candidates!r}.")
            kept = choices, replace(self, candidates=candidates, newline=newline, thresholds=thresholds)
            self._adjusted = kept
        return kept[1]

    def __getstate__(self) -> dict[str, Any]:
        """Leave the kernel's objects out of the pickle."""
        return {name: value for name, value in vars(self).items() if name not in ("_scanner", "_adjusted", "in_use")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Build the kernel's objects anew."""
        vars(self).update(state)
        self.rebuild()

    def describe(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Describe every candidate of every text.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        offsets : ndarray of shape (n_texts + 1,)
            The candidates of text i are ``offsets[i]:offsets[i + 1]``.
        ends, starts : ndarray of shape (n_candidates,)
            Where the token before ends and the token after starts, in characters.
        kinds : ndarray of shape (n_candidates,)
            Indices into `KINDS`.
        rows : ndarray of shape (n_candidates, n_attributes)
            Codes.
        """
        return self._scanner.describe(list(texts))

    def score(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Score every candidate of every text.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        offsets, ends, starts, kinds : ndarray
            As in `describe`.
        scores : ndarray of shape (n_candidates,)
            Log odds of a boundary; 100 where it is certain.
        """
        return self._scanner.score(list(texts))

    def spans(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Find the sentences of texts.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        list of ndarray
            One ``(n_sentences, 2)`` intp array per text: half-open character spans without white space around.
        """
        return _unpack(*self._scanner.spans(list(texts)))

    def sentences(self, texts: Sequence[str]) -> list[list[str]]:
        """Cut texts into sentences.

        Parameters
        ----------
        texts : sequence of str
            Exact `str`.

        Returns
        -------
        list of list of str
            The sentences of each text, slices of it.
        """
        return self._scanner.sentences(list(texts))

    def stream(self) -> Any:
        """Begin with one text that comes in pieces; the boundaries are those of the whole text.

        Returns
        -------
        BoundaryStream
            Of the kernel in use. ``collect(piece)`` takes the pieces in a first pass; ``decide(piece, is_last)`` takes
            the same text, cut anyhow, in a second one, and iterates over the ends and the starts, in characters of the
            text, of the tokens around the boundaries found so far. No piece may end inside a word. Where a text can be
            read only once, each piece goes to both in turn: then what the text says of itself counts as far as it was
            read.

        Examples
        --------
        >>> from textprep_ml.segmentation.runtime import BoundaryModel
        >>> stream = BoundaryModel.load("en").stream()
        >>> pieces = ["We met Dr. ", "Ito. She ", "left."]
        >>> for piece in pieces:
        ...     stream.collect(piece)
        >>> for piece in pieces:
        ...     for ends, starts in stream.decide(piece, piece is pieces[-1]):
        ...         print(ends.tolist(), starts.tolist())
        [] []
        [] []
        [15] [16]
        """
        return self._scanner.stream()

    def to_state(self) -> dict[str, Any]:
        """Give plain JSON values.

        Returns
        -------
        dict
            What `from_state` reads.

        Raises
        ------
        ModelFormatError
            If the classifier could not be compiled.
        """
        if self.scorer is None:
            raise ModelFormatError(
                "Only linear models and single decision trees can be saved; this classifier works in memory (and by "
                "pickle) only."
            )
        return {
            "words": self.words.to_state(),
            "hopeless": self.hopeless.to_state(),
            "scorer": self.scorer.to_state(),
            "thresholds": self.thresholds,
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], candidates: Sequence[str] = ("mark", "line", "gap"), newline: str = "auto"
    ) -> BoundaryModel:
        """Read what `to_state` gave.

        Parameters
        ----------
        state : mapping
            Plain JSON values.
        candidates : sequence of str
            Which candidates are looked at.
        newline : str
            What line breaks mean.

        Returns
        -------
        BoundaryModel
            Ready for use.
        """
        words = WordTable.from_state(state["words"])
        thresholds = {kind: float(state["thresholds"][kind]) for kind in KINDS}
        if not np.isfinite(list(thresholds.values())).all():
            raise ModelFormatError("The thresholds of the model are not finite.")
        hopeless = HopelessGaps.from_state(state["hopeless"]) if "hopeless" in state else NONE_HOPELESS
        scorer = scorer_from_state(state["scorer"], len(words.vocabulary))
        return cls(words, scorer, thresholds, tuple(candidates), newline, hopeless=hopeless)

    @classmethod
    def load(
        cls, path_or_name: str | os.PathLike[str], newline: str | None = None, threshold: float | None = None
    ) -> BoundaryModel:
        """Read the compiled part of a saved `SentenceSegmenter`, without scikit-learn.

        Parameters
        ----------
        path_or_name : str or path-like
            A file, or the name of a shipped model.
        newline : str, optional
            What line breaks mean; by default what the model was saved with.
        threshold : float, optional
            Probability from which on a candidate is a boundary; by default what the model was saved with.

        Returns
        -------
        BoundaryModel
            Ready for use.

        Raises
        ------
        ModelFormatError
            If the file is missing, damaged, foreign, or for another class.
        """
        shift = None if threshold is None else logit(threshold)
        document = _modelfile.read(path_or_name, "SentenceSegmenter")
        try:
            params = document["params"]
            model = cls.from_state(document["state"], params["candidates"], newline or params["newline"])
            model.shift_thresholds(logit(params["threshold"]) if shift is None else shift)
            model.params = params
        except ModelFormatError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            path = _modelfile.resolve(path_or_name)
            raise ModelFormatError(
                f"{path} is a damaged SentenceSegmenter model: {type(error).__name__}: {error}."
            ) from error
        return model

    def shift_thresholds(self, shift: float) -> None:
        """Make every kind of boundary rarer.

        Parameters
        ----------
        shift : float
            Log odds added to each threshold; negative for more boundaries.
        """
        self.thresholds = {kind: value + shift for kind, value in self.thresholds.items()}
        self._scanner.set_thresholds([self.thresholds[kind] for kind in KINDS])
        self._adjusted = self.in_use = None


def logit(probability: float) -> float:
    """Give the log odds of a probability.

    Parameters
    ----------
    probability : float
        Between 0 and 1, both excluded.

    Returns
    -------
    float
        Log odds.

    Raises
    ------
    ValueError
        If the probability is out of range.
    """
    if not 0 < probability < 1:
        raise ValueError(f"A threshold is a probability between 0 and 1, got {probability!r}.")
    return float(np.log(probability / (1 - probability)))


def join_candidates(parts: Iterable[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """Join the candidates of some documents and those of the next ones.

    Parameters
    ----------
    parts : iterable of tuple of ndarray
        Offsets, and columns of the candidates.

    Returns
    -------
    tuple of ndarray
        The same of all documents.
    """
    offsets, *columns = zip(*parts, strict=True)
    counts = np.concatenate([np.diff(each) for each in offsets])
    return np.concatenate([[0], np.cumsum(counts)]), *map(np.concatenate, columns)


def join_boundaries(
    texts: Sequence[str], offsets: np.ndarray, ends: np.ndarray, starts: np.ndarray, chosen: np.ndarray
) -> list[np.ndarray]:
    """Turn chosen candidates into sentences.

    Parameters
    ----------
    texts : sequence of str
        Exact `str`.
    offsets, ends, starts : ndarray
        Candidates as `BoundaryModel.describe` gives them.
    chosen : ndarray of shape (n_candidates,)
        Which of them are boundaries.

    Returns
    -------
    list of ndarray
        One ``(n_sentences, 2)`` intp array per text.
    """
    kept = np.concatenate([[0], np.cumsum(chosen)])[offsets]
    return _unpack(*_kernels.load("boundaries").join_spans(list(texts), kept, ends[chosen], starts[chosen]))


def _unpack(offsets: np.ndarray, spans: np.ndarray) -> list[np.ndarray]:
    spans = spans.astype(np.intp, copy=False)
    bounds = offsets.tolist()
    return [spans[start:end] for start, end in zip(bounds[:-1], bounds[1:], strict=True)]
