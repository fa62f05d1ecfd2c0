"""Plots of a segmenter's probabilities, in the manner of scikit-learn: scores over the threshold, and calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from textprep_ml.report.candidates import Candidates, label_positions, score_candidates
from textprep_ml.report.curves import calibration_curves, threshold_curve
from textprep_ml.report.displays import _Display
from textprep_ml.report.drawings import PROBABILITIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ThresholdDisplay(_Display):
    """Precision, recall and F1 of boundaries over the threshold.

    Parameters
    ----------
    curve : dict
        What `textprep_ml.report.curves.threshold_curve` gives.
    threshold : float, default=None
        The one in use, a vertical line.
    name : str, default=None
        Name of the segmenter, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.
    lines_ : list of Line2D
        Precision, recall and F1.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from textprep_ml import SentenceSegmenter
    >>> texts, spans = ["We met Dr. Ito. She left."], [[(0, 15), (16, 25)]]
    >>> display = ThresholdDisplay.from_estimator(SentenceSegmenter.load("en"), texts, spans)
    >>> [line.get_label() for line in display.lines_], display.curve["best"]["f1"]
    (['precision', 'recall', 'F1'], 1.0)
    """

    def __init__(self, *, curve: Mapping[str, Any], threshold: float | None = None, name: str | None = None) -> None:
        self.curve = curve
        self.threshold = threshold
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the curve of a segmenter on labelled documents, from one pass over them.

        Parameters
        ----------
        estimator : SentenceSegmenter
            Fitted. What policies decide is left out; thresholds of single kinds keep their distance.
        X : sequence of str
            Documents.
        y : sequence of sequences of (int, int)
            Sentence spans of each document.
        name : str, default=None
            Name in the title; None is that of the class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ThresholdDisplay
            Drawn.
        """
        candidates = score_candidates(estimator, X, y)
        return cls._from_candidates(candidates, candidates.threshold, name or type(estimator).__name__, ax, kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        positions: Any,
        y_proba: Any,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of candidates with their probabilities.

        Parameters
        ----------
        y_true : sequence of sequences of (int, int)
            Sentence spans of each document.
        positions : sequence of array-like
            Where a sentence may end in each document; what `SentenceSegmenter.candidate_positions` gives.
        y_proba : sequence of array-like
            Probabilities of a boundary there; what `SentenceSegmenter.predict_proba` gives.
        name : str, default=None
            Name in the title.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ThresholdDisplay
            Drawn.
        """
        return cls._from_candidates(label_positions(y_true, positions, y_proba), None, name, ax, kwargs)

    @classmethod
    def _from_candidates(
        cls,
        candidates: Candidates,
        threshold: float | None,
        name: str | None,
        ax: Axes | None,
        kwargs: dict[str, Any],
    ) -> Self:
        return cls(curve=threshold_curve(candidates), threshold=threshold, name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        name : str, default=None
            Name in the title.
        **kwargs : object
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ThresholdDisplay
            Itself.
        """
        ax = self._start(ax)
        styles = (("precision", "precision", "--"), ("recall", "recall", ":"), ("f1", "F1", "-"))
        self.lines_ = [
            ax.plot(self.curve["threshold"], self.curve[column], **{"label": label, "linestyle": style, **kwargs})[0]
            for column, label, style in styles
        ]
        if self.threshold is not None:
            ax.axvline(self.threshold, color="0.5", linewidth=1, label="in use")
        ax.set_xscale("logit")
        ax.set_xticks(PROBABILITIES, labels=[f"{tick:g}" for tick in PROBABILITIES])
        ax.minorticks_off()
        ax.set(xlabel="threshold", ylabel="score", title=name or self.name)
        ax.legend()
        return self


class BoundaryCalibrationDisplay(_Display):
    """Share of boundaries over the predicted probability, a line for each kind of candidate.

    Parameters
    ----------
    curves : sequence of dict
        What `textprep_ml.report.curves.calibration_curves` gives.
    name : str, default=None
        Name of the segmenter, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.
    lines_ : list of ErrorbarContainer
        One for each kind, with its 95 % intervals.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> display = BoundaryCalibrationDisplay.from_predictions([[(0, 4), (5, 9)]], [[2, 4]], [[0.1, 0.8]])
    >>> [(row["n"], row["n_boundaries"]) for row in display.curves]
    [(2, 1)]
    """

    def __init__(self, *, curves: Sequence[Mapping[str, Any]], name: str | None = None) -> None:
        self.curves = curves
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_bins: int = 10,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the calibration of a segmenter on labelled documents.

        Parameters
        ----------
        estimator : SentenceSegmenter
            Fitted.
        X : sequence of str
            Documents.
        y : sequence of sequences of (int, int)
            Sentence spans of each document.
        n_bins : int, default=10
            Bins of equal width.
        name : str, default=None
            Name in the title; None is that of the class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.errorbar`.

        Returns
        -------
        BoundaryCalibrationDisplay
            Drawn.
        """
        curves = calibration_curves(score_candidates(estimator, X, y), n_bins)
        return cls(curves=curves, name=name or type(estimator).__name__).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        positions: Any,
        y_proba: Any,
        *,
        n_bins: int = 10,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the calibration of candidates with their probabilities, all of them as one kind.

        Parameters
        ----------
        y_true : sequence of sequences of (int, int)
            Sentence spans of each document.
        positions : sequence of array-like
            Where a sentence may end in each document.
        y_proba : sequence of array-like
            Probabilities of a boundary there.
        n_bins : int, default=10
            Bins of equal width.
        name : str, default=None
            Name in the title.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.errorbar`.

        Returns
        -------
        BoundaryCalibrationDisplay
            Drawn.
        """
        curves = calibration_curves(label_positions(y_true, positions, y_proba), n_bins)
        return cls(curves=[{**row, "kind": "candidates"} for row in curves], name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        name : str, default=None
            Name in the title.
        **kwargs : object
            For `matplotlib.axes.Axes.errorbar`.

        Returns
        -------
        BoundaryCalibrationDisplay
            Itself.
        """
        ax = self._start(ax)
        ax.plot([0, 1], [0, 1], color="0.5", linewidth=1, linestyle=":")
        self.lines_ = []
        for row in self.curves:
            bins = row["bins"]
            observed = [each["observed"] for each in bins]
            spread = (
                [each["observed"] - each["low"] for each in bins],
                [each["high"] - each["observed"] for each in bins],
            )
            style = {"label": f"{row['kind']} ({row['n']:,})", "marker": "o", "elinewidth": 1, **kwargs}
            self.lines_.append(ax.errorbar([each["predicted"] for each in bins], observed, spread, **style))
        ax.set(xlabel="predicted probability", ylabel="share of boundaries", title=name or self.name)
        ax.set_aspect("equal")
        ax.legend()
        return self
