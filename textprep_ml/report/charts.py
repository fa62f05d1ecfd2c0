"""The geometry of line charts: from numbers to places in a drawing, which a template writes as SVG.

Colours and line styles are left to the style sheet of the page, so that one drawing serves light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

#: Size of the drawing in its own units, which are about pixels on a phone, and its margins.
WIDTH, HEIGHT = 400, 260
LEFT, RIGHT, TOP, BOTTOM = 40, 14, 24, 40

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """A scale from numbers to places.

    Attributes
    ----------
    label : str
        What it shows.
    low, high : float
        Ends of the scale.
    ticks : sequence of float
        Where a number stands.
    scale : {"linear", "log", "logit"}
        How numbers are spread.
    format : callable
        Writes the number at a tick.
    """

    label: str
    low: float
    high: float
    ticks: Sequence[float]
    scale: str = "linear"
    format: Callable[[float], str] = "{:g}".format

    def share(self, value: float) -> float:
        """Place a number on the axis.

        Parameters
        ----------
        value : float
            The number; beyond an end it is placed at that end.

        Returns
        -------
        float
            0 at the lower end, 1 at the upper one.

        Examples
        --------
        >>> Axis("size", 1, 100, [1, 10, 100], scale="log").share(10)
        0.5
        """
        spread = _SCALES[self.scale]
        low, high = spread(self.low), spread(self.high)
        return (spread(min(max(value, self.low), self.high)) - low) / (high - low)


_SCALES: dict[str, Callable[[float], float]] = {
    "linear": float,
    "log": math.log,
    "logit": lambda value: math.log(value / (1 - value)),
}


def nice_axis(label: str, values: Iterable[float], floor: float = -math.inf, ceiling: float = math.inf) -> Axis:
    """Make a linear axis with round numbers that holds all values.

    Parameters
    ----------
    label : str
        What it shows.
    values : iterable of float
        At least one.
    floor, ceiling : float
        The axis goes no farther.

    Returns
    -------
    Axis
        With three to seven ticks.

    Examples
    --------
    >>> axis = nice_axis("F1", [0.913, 0.984], ceiling=1)
    >>> axis.low, axis.high, [round(tick, 2) for tick in axis.ticks]
    (0.9, 1.0, [0.9, 0.92, 0.94, 0.96, 0.98, 1.0])
    """
    numbers = list(values)
    low, high = max(min(numbers), floor), min(max(numbers), ceiling)
    span = max(high - low, abs(high) * 0.01, 1e-6)
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= 5)
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    if last * step > ceiling + 1e-9:
        first, last = first - 1, last - 1
    ticks = [round(number * step, 12) for number in range(first, last + 1)]
    return Axis(label, ticks[0], ticks[-1], ticks)


@dataclass(frozen=True)
class Series:
    """Points as a line, as dots, or both, and a band around them.

    Attributes
    ----------
    name : str
        What the legend says; lines without a name are not in it.
    style : str
        Class of the style sheet.
    points : sequence of (float, float)
        In order.
    band : sequence of (float, float)
        Lower and upper end at each point; may be empty.
    line, dots : bool
        Whether the points are joined, and whether they are marked.
    whiskers : bool
        Whether the band is drawn as a bar at each point.
    hints : sequence of str
        What pointing at each dot tells; may be empty.
    """

    name: str
    style: str
    points: Sequence[Point]
    band: Sequence[Point] = ()
    line: bool = True
    dots: bool = False
    whiskers: bool = False
    hints: Sequence[str] = ()


@dataclass(frozen=True)
class Chart:
    """Lines over two axes, ready for the template.

    Attributes
    ----------
    summary : str
        What the drawing shows, for those who cannot see it.
    x, y : Axis
        The axes.
    series : sequence of Series
        The lines, the first one lowest.
    cursor : float or None
        Where a vertical line stands.
    width, height : int
        Size of the drawing.
    """

    summary: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    cursor: float | None = None
    width: int = WIDTH
    height: int = HEIGHT
    frame: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        frame = {"left": LEFT, "right": self.width - RIGHT, "top": TOP, "bottom": self.height - BOTTOM}
        object.__setattr__(self, "frame", frame)

    def place_x(self, value: float) -> float:
        """Give the place of a number from the left, to a tenth of a unit.

        Parameters
        ----------
        value : float
            On the x axis.

        Returns
        -------
        float
            Units of the drawing.
        """
        left, right = self.frame["left"], self.frame["right"]
        return round(left + self.x.share(value) * (right - left), 1)

    def place_y(self, value: float) -> float:
        """Give the place of a number from the top, to a tenth of a unit.

        Parameters
        ----------
        value : float
            On the y axis.

        Returns
        -------
        float
            Units of the drawing.
        """
        top, bottom = self.frame["top"], self.frame["bottom"]
        return round(bottom - self.y.share(value) * (bottom - top), 1)

    def line(self, points: Iterable[Point]) -> str:
        """Write a line as the `points` of an SVG polyline.

        Parameters
        ----------
        points : iterable of (float, float)
            In order.

        Returns
        -------
        str
            Such as ``"46,210 388,10"``; points that fall on the one before are left out.
        """
        placed = [f"{self.place_x(x):g},{self.place_y(y):g}" for x, y in points]
        return " ".join(place for place, before in zip(placed, [None, *placed], strict=False) if place != before)

    def outline(self, series: Series) -> str:
        """Write the band of a line as the `points` of an SVG polygon.

        Parameters
        ----------
        series : Series
            With a band.

        Returns
        -------
        str
            There along the upper ends, back along the lower ones.
        """
        upper = [(x, high) for (x, _), (_, high) in zip(series.points, series.band, strict=True)]
        lower = [(x, low) for (x, _), (low, _) in zip(series.points, series.band, strict=True)]
        return self.line([*upper, *reversed(lower)])
