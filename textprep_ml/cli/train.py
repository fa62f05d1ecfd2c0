"""``textprep train``: a configuration -> a model file."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from textprep_ml.cli._progress import progress_bar
from textprep_ml.cli._segmenters import distinct_names, evaluate_corpora, load_named, one_line_variants, print_scores


def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file; see configs/.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a value, such as model.params.min_count=2."),
    ] = None,
) -> None:
    """Train what a configuration describes, save the model, and measure it on the dev corpora.

    Parameters
    ----------
    config : Path
        A TOML file.
    overrides : list of str, optional
        Values to override, such as ``model.params.min_count=2``.
    """
    from textprep_ml.config import load_config
    from textprep_ml.segmentation.base import BaseSegmenter

    experiment = load_config(config, overrides or [])
    baseline = experiment.table.get("evaluate", {}).get("baseline")
    compared = load_named(baseline) if baseline and experiment.dev else None
    started = time.perf_counter()
    with progress_bar() as progress:
        estimator = experiment.fit(progress)
    experiment.save(estimator)
    seconds = time.perf_counter() - started
    sys.stdout.write(f"Trained {type(estimator).__name__} in {seconds:.1f} s: {experiment.output}\n")
    if experiment.dev and isinstance(estimator, BaseSegmenter):
        sys.stdout.write("\n")
        sys.stdout.flush()
        _print_dev_scores(experiment, estimator, baseline, compared)


def _print_dev_scores(experiment: Any, estimator: Any, baseline: str | None, compared: Any) -> None:
    from textprep_ml.config import read_labelled

    names = distinct_names(Path(experiment.output).stem, baseline)
    systems = dict(zip(names, [estimator, compared], strict=False))
    corpora: dict[str, Any] = {corpus.path: read_labelled([corpus])[:2] for corpus in experiment.dev}
    if experiment.table.get("evaluate", {}).get("one_line", False):
        corpora = {**corpora, **one_line_variants(corpora)}
    print_scores(evaluate_corpora(corpora, systems))
