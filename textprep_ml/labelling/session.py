"""What the labelling page works on: documents with their labels, and the model that is retrained on them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from textprep_ml.labelling.labels import Change, LabelStore
from textprep_ml.labelling.passages import count_doubtful, cut_passages, describe_passage
from textprep_ml.labelling.retraining import Curve, Progress, Row, adapt
from textprep_ml.labelling.scoring import check_segmenter
from textprep_ml.labelling.view import View, choose_places, score_documents
from textprep_ml.segmentation import SentenceSegmenter
from textprep_ml.segmentation.runtime import LinearScorer


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
    curve : Curve
        Scores on the dev documents by number of labels.
    """

    def __init__(self, documents: Sequence[Row], segmenter: Any, path: Path, dev: Sequence[Row] = ()) -> None:
        check_segmenter(segmenter, "The labelling page")
        if not isinstance(segmenter.model_.scorer, LinearScorer):
            raise ValueError("The labelling page needs a linear model, which it can adapt; this one is none.")
        if not documents:
            raise ValueError("There is no document to label.")
        self.documents = list(documents)
        self.base = segmenter
        self.files = Files(path)
        latest = SentenceSegmenter.load(self.files.model) if self.files.model.exists() else segmenter
        scored = score_documents(latest, self.documents)
        self.view = View(latest, scored, [])
        self.store = LabelStore(path, self.documents, lambda number: self.view.places(number))
        self.passages = [cut_passages(row["text"]) for row in self.documents]
        self.view = View(latest, scored, choose_places(self.documents, scored, self.store.labels))
        self.curve = Curve(self.files.curve, dev, segmenter)
        self.training = False

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
            chosen = choose_places(self.documents, self.view.scored, self.store.labels)
            self.view = replace(self.view, queue=chosen)
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
            "curve": self.curve.points,
            "file": self.files.labels.name,
            "model": self.files.model.name if self.files.model.exists() else "",
        }

    def explain(self, number: int, end: int) -> list[list[Any]]:
        """Tell what the model sees at a place.

        Parameters
        ----------
        number : int
            Of the document.
        end : int
            The place.

        Returns
        -------
        list of [str, float]
            See `View.explain`.
        """
        return self.view.explain(self.documents[number]["text"], end)

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
        return self.store.collect(self.view.boundaries)

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
            segmenter = adapt(self.base, rows())
            segmenter.save(self.files.model)
            progress("Measuring on the dev documents", 0.5)
            score = self.curve.measure(segmenter)
            scored = score_documents(
                segmenter, self.documents, lambda share: progress("Reading the documents anew", 0.6 + 0.3 * share)
            )
            progress("Choosing what to ask next", 0.9)
            view = View(segmenter, scored, choose_places(self.documents, scored, labels))
        except Exception as error:  # whatever it is, the page must say it rather than wait for ever
            done(self._give_up, " ".join(str(error).split()) or type(error).__name__)
            return
        done(lambda: self._finish(view, sum(map(len, labels)), score), "")

    def _give_up(self) -> None:
        self.training = False

    def _finish(self, view: View, n_labels: int, score: float) -> None:
        self.view = view
        self.training = False
        self.curve.add(n_labels, score)
        self.store.version += 1  # what the page shows is out of date

    def close(self) -> None:
        """Write the labels and close the files."""
        if not self.is_saved:
            self.store.save(self.view.boundaries)
        self.store.close()
