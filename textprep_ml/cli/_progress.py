"""A progress bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show on standard error what is being done, its rate and the time left, if that is a terminal.

    Yields
    ------
    callable
        To be called with what is being done, how much of it is done, and how much there is; 0 where nobody knows.
    """
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as RemainingColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.speed or 0
            return Text(f"{speed / 1e6:.1f} M/s" if speed >= 1e6 else f"{speed:,.0f}/s" if speed else "")

    columns = (TextColumn("{task.description}"), BarColumn(), RateColumn(), TimeElapsedColumn(), RemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total or None)
            bar.update(tasks[what], completed=done, total=total or None)

        yield show
