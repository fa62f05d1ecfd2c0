"""Plots for notebooks in the manner of scikit-learn: `from_estimator`, `from_predictions`, `plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from textprep_ml.metrics import boundary_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Display:
    """What the displays share.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.
    """

    ax_: Any
    figure_: Any

    def _start(self, ax: Axes | None) -> Any:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError(f"{type(self).__name__} needs matplotlib: pip install 'textprep_ml[report]'.") from None
        if ax is None:
            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class BoundaryErrorDisplay(_Display):
    """Wrong boundaries by kind: to the left those that were invented, to the right those that were missed.

    Parameters
    ----------
    errors : sequence of dict
        Rows with "kind", "false_positives" and "misses", as `textprep_ml.metrics.boundary_errors` gives them.
    name : str, default=None
        Name of the segmenter, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.
    bars_ : tuple of BarContainer
        The bars of what was invented, and of what was missed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> texts, spans = ["We met Dr. Ito. She left."], [[(0, 15), (16, 25)]]
    >>> display = BoundaryErrorDisplay.from_predictions(texts, spans, [[(0, 10), (11, 25)]])
    >>> [tick.get_text() for tick in display.ax_.get_yticklabels()]
    ['terminal mark', 'abbreviation']
    """

    def __init__(self, *, errors: Sequence[Mapping[str, Any]], name: str | None = None) -> None:
        self.errors = errors
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the errors of a segmenter on labelled documents.

        Parameters
        ----------
        estimator : BaseSegmenter
            Fitted.
        X : sequence of str
            Documents.
        y : sequence of sequences of (int, int)
            Sentence spans of each document.
        name : str, default=None
            Name in the title; None is that of the class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.barh`.

        Returns
        -------
        BoundaryErrorDisplay
            Drawn.
        """
        return cls.from_predictions(X, y, estimator.predict(X), name=name or type(estimator).__name__, ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls, X: Any, y_true: Any, y_pred: Any, *, name: str | None = None, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the errors among sentences that were found.

        Parameters
        ----------
        X : sequence of str
            Documents.
        y_true, y_pred : sequence of sequences of (int, int)
            Sentence spans of each document: the right ones, and those that were found.
        name : str, default=None
            Name in the title.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.barh`.

        Returns
        -------
        BoundaryErrorDisplay
            Drawn.
        """
        return cls(errors=boundary_errors(X, y_true, y_pred, n_examples=0), name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        name : str, default=None
            Name in the title.
        **kwargs : object
            For `matplotlib.axes.Axes.barh`.

        Returns
        -------
        BoundaryErrorDisplay
            Itself.
        """
        ax = self._start(ax)
        rows = list(reversed(self.errors))
        kinds = [row["kind"] for row in rows]
        invented = ax.barh(kinds, [-row["false_positives"] for row in rows], label="invented", **kwargs)
        missed = ax.barh(kinds, [row["misses"] for row in rows], label="missed", **kwargs)
        for bars, column in ((invented, "false_positives"), (missed, "misses")):
            ax.bar_label(bars, [row[column] or "" for row in rows], padding=3)
        ax.axvline(0, color="0.3", linewidth=0.8)
        ax.margins(x=0.12)
        ax.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        ax.set(xlabel="boundaries", title=name or self.name)
        ax.legend()
        self.bars_ = (invented, missed)
        return self
