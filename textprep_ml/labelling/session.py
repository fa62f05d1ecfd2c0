"""What the labelling page works on: documents, labels, the model, the queue of places, and retraining."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from textprep_ml._files import open_atomically
from textprep_ml.labelling.labels import Change, LabelStore
from textprep_ml.labelling.passages import count_doubtful, cut_passages, describe_passage
from textprep_ml.labelling.scoring import CERTAIN, ScoredText, check_segmenter, score_text
from textprep_ml.labelling.suggestions import suggest_scored
from textprep_ml.segmentation import SentenceSegmenter
from textprep_ml.segmentation.runtime import LinearScorer

Row = dict[str, Any]

#: How many places are chosen at a time.
QUEUE = 200

#: Characters before and after a place that are looked at for the reasons of a decision.
_AROUND = 2000

#: Called with what is being done, and the share of all that has been done before it.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class View:
    """What a model makes of the documents; replaced as a whole after retraining.

    Attributes
    ----------
    segmenter : SentenceSegmenter
        The model.
    scored : list of ScoredText
        The candidates of each document.
    queue : list of dict
        Places worth a label, the best first.
    """

    segmenter: Any
    scored: list[ScoredText]
    queue: list[Row]


@dataclass(frozen=True)
class Files:
    """Where a session keeps what it makes.

    Attributes
    ----------
    labels : Path
        The file of labels, given by the user.
    model : Path
        The retrained model.
    curve : Path
        Scores on the dev documents by number of labels.
    """

    labels: Path
    model: Path = field(init=False)
    curve: Path = field(init=False)

    def __post_init__(self) -> None:
        base = self.labels.name.removesuffix(".jsonl")
        object.__setattr__(self, "model", self.labels.with_name(f"{base}.model.json"))
        object.__setattr__(self, "curve", self.labels.with_name(f"{base}.curve.json"))


class LabellingSession:
    """Documents that are being labelled.

    All methods but `retrain` are for one thread; `retrain` does its work in another one and hands the result back.

    Parameters
    ----------
    documents : sequence of dict
        With "id" and "text".
    segmenter : SentenceSegmenter
        The model to start from, linear; it is not changed.
    path : Path
        The file of labels.
    dev : sequence of dict
        Labelled documents to measure with.

    Attributes
    ----------
    store : LabelStore
        The labels.
    view : View
        What the latest model makes of the documents.
    curve : list of dict
        "labels" and "f1" on the dev documents: of the first model, and after each retraining.
    """

    def __init__(self, documents: Sequence[Row], segmenter: Any, path: Path, dev: Sequence[Row] = ()) -> None:
        check_segmenter(segmenter, "The labelling page")
        if not isinstance(segmenter.model_.scorer, LinearScorer):
            raise ValueError("The labelling page needs a linear model, which it can adapt; this one is none.")
        if not documents:
            raise ValueError("There is no document to label.")
        self.documents = list(documents)
        self.base = segmenter
        self.dev = list(dev)
        self.files = Files(path)
        latest = SentenceSegmenter.load(self.files.model) if self.files.model.exists() else segmenter
        scored = [score_text(latest, row["text"]) for row in self.documents]
        self.view = View(latest, scored, [])
        self.store = LabelStore(path, self.documents, self._places)
        self.passages = [cut_passages(row["text"]) for row in self.documents]
        self.view = View(latest, scored, self._queue(scored))
        self.curve = self._read_curve()
        self.training = False

    def _places(self, number: int) -> np.ndarray:
        scored = self.view.scored[number]
        return scored.ends[scored.kinds != CERTAIN]

    def _boundaries(self, number: int) -> np.ndarray:
        scored = self.view.scored[number]
        return scored.ends[scored.decisions]

    def _queue(self, scored: Sequence[ScoredText], labels: Sequence[dict[int, bool]] | None = None) -> list[Row]:
        known = dict(enumerate(map(set, self.store.labels if labels is None else labels)))
        return suggest_scored(self.documents, scored, QUEUE, known)

    def _read_curve(self) -> list[dict[str, float]]:
        if not self.dev:
            return []
        if self.files.curve.exists():
            return json.loads(self.files.curve.read_text(encoding="utf-8"))
        return [{"labels": 0, "f1": self._measure(self.base)}]

    def _measure(self, segmenter: Any) -> float:
        return float(segmenter.score([row["text"] for row in self.dev], [row["sentences"] for row in self.dev]))

    # What is shown

    def passage(self, number: int, index: int) -> dict[str, Any]:
        """Give a passage of a document.

        Parameters
        ----------
        number : int
            Of the document.
        index : int
            Of the passage.

        Returns
        -------
        dict
            See `describe_passage`; with the "version" of the labels.
        """
        start, end = self.passages[number][index : index + 2].tolist()
        labels = self.store.labels[number]
        passage = describe_passage(self.documents[number]["text"], start, end, self.view.scored[number], labels)
        return {**passage, "document": number, "index": index, "version": self.store.version}

    def queue(self, n: int) -> list[Row]:
        """Give the next places worth a label.

        Parameters
        ----------
        n : int
            How many at most.

        Returns
        -------
        list of dict
            As `suggest` gives them, with the index of the "passage".
        """
        rows = self._unlabelled()
        if not rows:
            self.view = View(self.view.segmenter, self.view.scored, self._queue(self.view.scored))
            rows = self._unlabelled()
        return [{**row, "passage": self.passage_of(row["document"], row["end"])} for row in rows[:n]]

    def _unlabelled(self) -> list[Row]:
        return [row for row in self.view.queue if row["end"] not in self.store.labels[row["document"]]]

    def passage_of(self, number: int, end: int) -> int:
        """Tell which passage a place is in.

        Parameters
        ----------
        number : int
            Of the document.
        end : int
            The place.

        Returns
        -------
        int
            Index of the passage.
        """
        return max(0, int(np.searchsorted(self.passages[number], end, side="left")) - 1)

    def overview(self) -> dict[str, Any]:
        """Give what the page shows of the session as a whole.

        Returns
        -------
        dict
            Plain values.
        """
        documents = [
            {
                "id": row["id"],
                "length": len(row["text"]),
                "passages": self.passages[number].tolist(),
                "labels": len(self.store.labels[number]),
                "doubtful": self.n_doubtful(number),
            }
            for number, row in enumerate(self.documents)
        ]
        return {"documents": documents, **self.status()}

    def n_doubtful(self, number: int) -> int:
        """Count the doubtful places of a document that have no label.

        Parameters
        ----------
        number : int
            Of the document.

        Returns
        -------
        int
            How many.
        """
        return count_doubtful(self.view.scored[number], self.store.labels[number])

    def status(self) -> dict[str, Any]:
        """Give what changes with every decision.

        Returns
        -------
        dict
            Plain values.
        """
        return {
            "version": self.store.version,
            "labels": self.store.n_labels,
            "training": self.training,
            "curve": self.curve,
            "file": self.files.labels.name,
            "model": self.files.model.name if self.files.model.exists() else "",
        }

    def explain(self, number: int, end: int) -> list[list[Any]]:
        """Tell what the model sees at a place; a long text is cut around it, so that the answer comes at once.

        Parameters
        ----------
        number : int
            Of the document.
        end : int
            The place.

        Returns
        -------
        list of [str, float]
            Names of features and log odds, the strongest first.
        """
        text = self.documents[number]["text"]
        first = max(0, end - _AROUND)
        around = text[first : end + _AROUND]
        for reason in self.view.segmenter.explain(around, top=2):
            if reason.end == end - first:
                return [list(each) for each in reason.reasons]
        return []

    # What is decided

    def decide(self, number: int, changes: Sequence[Change]) -> None:
        """Change labels; see `LabelStore.decide`.

        Parameters
        ----------
        number : int
            Of the document.
        changes : sequence of Change
            What changes.
        """
        self.store.decide(number, changes)

    def collect(self) -> Callable[[], list[Row]]:
        """Take a picture of the labelled documents.

        Returns
        -------
        callable
            See `LabelStore.collect`.
        """
        return self.store.collect(self._boundaries)

    @property
    def is_saved(self) -> bool:
        """Whether the file of labels has all of them, so that the journal is empty."""
        return not self.store.journal_path.stat().st_size

    def save(self) -> tuple[Callable[[], None], Callable[[], None]]:
        """Prepare writing the file of labels.

        Returns
        -------
        write : callable
            Writes it; may be called in another thread.
        finish : callable
            To be called in the thread of the session afterwards.
        """
        collect, version = self.collect(), self.store.version
        return lambda: self.store.write(collect()), lambda: self.store.written(version)

    # Retraining

    def retrain(self, progress: Progress, done: Callable[[Callable[[], None], str], None]) -> None:
        """Fit the first model to all labels, measure, and choose anew what is worth a label, in a thread of its own.

        Parameters
        ----------
        progress : callable
            Told how far it is; called in that thread.
        done : callable
            Called in that thread at the end, with a function that puts the new model in its place, to be called in
            the thread of the session, and with what went wrong, or "".

        Raises
        ------
        ValueError
            If there is no label, or training is under way.
        """
        if self.training:
            raise ValueError("Training is under way.")
        if not self.store.n_labels:
            raise ValueError("There is no label to train on.")
        self.training = True
        labels = [dict(known) for known in self.store.labels]
        rows = self.collect()
        thread = threading.Thread(target=self._retrain, args=(rows, labels, progress, done), daemon=True)
        thread.start()

    def _retrain(
        self,
        rows: Callable[[], list[Row]],
        labels: list[dict[int, bool]],
        progress: Progress,
        done: Callable[[Callable[[], None], str], None],
    ) -> None:
        try:
            progress("Fitting the model", 0.05)
            segmenter = self._fit(rows())
            segmenter.save(self.files.model)
            progress("Measuring on the dev documents", 0.5)
            score = self._measure(segmenter) if self.dev else None
            scored = []
            for number, row in enumerate(self.documents):
                progress("Reading the documents anew", 0.6 + 0.3 * number / len(self.documents))
                scored.append(score_text(segmenter, row["text"]))
            progress("Choosing what to ask next", 0.9)
            view = View(segmenter, scored, self._queue(scored, labels))
        except Exception as error:  # whatever it is, the page must say it rather than wait for ever
            done(self._give_up, " ".join(str(error).split()) or type(error).__name__)
            return
        done(lambda: self._finish(view, sum(map(len, labels)), score), "")

    def _fit(self, rows: list[Row]) -> Any:
        """Adapt the first model: a label counts at once, however rare what is seen there."""
        params = self.base.get_params(deep=False)
        params.update(estimator=None, warm_start_from=self.base, min_count=1, augment=None)
        segmenter = SentenceSegmenter(**params)
        return segmenter.fit(
            [row["text"] for row in rows],
            [row["sentences"] for row in rows],
            labelled=[row.get("labelled") for row in rows],
        )

    def _give_up(self) -> None:
        self.training = False

    def _finish(self, view: View, n_labels: int, score: float | None) -> None:
        self.view = view
        self.training = False
        if score is not None:
            self.curve = [*self.curve, {"labels": n_labels, "f1": score}]
            with open_atomically(self.files.curve) as file:
                json.dump(self.curve, file)
        self.store.version += 1  # what the page shows is out of date

    def close(self) -> None:
        """Write the labels and close the files."""
        if not self.is_saved:
            self.store.save(self._boundaries)
        self.store.close()
