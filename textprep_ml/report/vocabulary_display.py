"""A plot for choosing the size of a vocabulary, in the manner of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from textprep_ml.metrics import vocabulary_curve
from textprep_ml.metrics.vocabulary_scorer import SIGNS
from textprep_ml.report.displays import _Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Measure -> what stands at the axis.
_LABELS = {
    "fertility": "pieces per word (fertility)",
    "pieces_per_character": "pieces per character",
    "bytes_per_piece": "bytes per piece (compression)",
    "whole_words": "share of words left whole",
    "unknown_rate": "share of unknown pieces",
    "renyi_efficiency": "Rényi efficiency",
    "vocabulary_use": "share of the vocabulary in use",
    "morpheme_precision": "cuts at morpheme boundaries, precision",
    "morpheme_recall": "cuts at morpheme boundaries, recall",
    "morpheme_f1": "cuts at morpheme boundaries, F1",
}


class VocabularySizeDisplay(_Display):
    """A measure over the size of the vocabulary, a line for each text or language.

    Parameters
    ----------
    curves : mapping of str to sequence of dict
        Name -> rows with "vocab_size" and measures, as `textprep_ml.metrics.vocabulary_curve` gives them.
    measure : str, default="fertility"
        A measure of `textprep_ml.metrics.vocabulary_scores`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.
    lines_ : list of Line2D
        One for each name.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from textprep_ml import BPETokenizer
    >>> texts = {"stems": ["low slow"], "forms": ["lower slower slowest"]}
    >>> tokenizer = BPETokenizer(num_merges=6).fit(["low lower lowest slow slower slowest"])
    >>> display = VocabularySizeDisplay.from_estimator(tokenizer, texts, sizes=[256, 259, 262])
    >>> [(line.get_label(), [round(float(y), 2) for y in line.get_ydata()]) for line in display.lines_]
    [('stems', [3.5, 1.5, 1.5]), ('forms', [6.0, 3.0, 2.67])]
    """

    def __init__(self, *, curves: Mapping[str, Sequence[Mapping[str, float]]], measure: str = "fertility") -> None:
        self.curves = curves
        self.measure = measure

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        sizes: Iterable[int] | None = None,
        measure: str = "fertility",
        options: Mapping[str, Any] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what the smaller vocabularies in a trained one would do on texts.

        Parameters
        ----------
        estimator : BPETokenizer
            Fitted to the greatest size of interest.
        X : sequence of str, or mapping of str to sequence of str
            Documents, or documents by language.
        sizes : iterable of int, default=None
            As for `vocabulary_curve`.
        measure : str, default="fertility"
            What is drawn.
        options : mapping, default=None
            `words`, `morphemes` and `alpha` of `vocabulary_scores`.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        VocabularySizeDisplay
            Drawn.
        """
        texts = X if isinstance(X, Mapping) else {type(estimator).__name__: X}
        sizes = None if sizes is None else list(sizes)
        curves = {name: vocabulary_curve(estimator, part, sizes, **(options or {})) for name, part in texts.items()}
        return cls(curves=curves, measure=measure).plot(ax, **kwargs)

    @classmethod
    def from_search(cls, search: Any, *, measure: str, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw what a search over ``vocab_size`` found, a line for each setting of its other parameters.

        Parameters
        ----------
        search : GridSearchCV or RandomizedSearchCV
            Fitted, with a `vocabulary_scorer` and sizes in its grid.
        measure : str
            What it was scored by.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **kwargs : object
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        VocabularySizeDisplay
            Drawn.
        """
        found = search.cv_results_
        column = f"mean_test_{measure}" if f"mean_test_{measure}" in found else "mean_test_score"
        curves: dict[str, list[dict[str, float]]] = {}
        for params, score in zip(found["params"], found[column], strict=True):
            size = [value for name, value in params.items() if name.endswith("vocab_size")]
            if len(size) != 1:
                raise ValueError(f"VocabularySizeDisplay needs a search over one vocab_size, but it tried {params!r}.")
            others = [f"{name}={value}" for name, value in params.items() if not name.endswith("vocab_size")]
            row = {"vocab_size": size[0], measure: SIGNS[measure] * float(score)}
            curves.setdefault(", ".join(others) or "search", []).append(row)
        for rows in curves.values():
            rows.sort(key=lambda row: row["vocab_size"])
        return cls(curves=curves, measure=measure).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        name : str, default=None
            The title.
        **kwargs : object
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        VocabularySizeDisplay
            Itself.

        Raises
        ------
        ValueError
            If the curves have no such measure.
        """
        for label, rows in self.curves.items():
            if not rows or self.measure not in rows[0]:
                raise ValueError(f"VocabularySizeDisplay: the curve {label!r} has no measure {self.measure!r}.")
        ax = self._start(ax)
        self.lines_ = [
            ax.plot(
                [row["vocab_size"] for row in rows],
                [row[self.measure] for row in rows],
                **{"label": label, "marker": "o", **kwargs},
            )[0]
            for label, rows in self.curves.items()
        ]
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        ax.set(xlabel="pieces in the vocabulary", ylabel=_LABELS.get(self.measure, self.measure), title=name)
        if len(self.lines_) > 1:
            ax.legend()
        return self
