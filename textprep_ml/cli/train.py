"""``textprep train``: a configuration -> a model file."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textprep_ml.cli._progress import progress_bar
from textprep_ml.cli._rows import OnError
from textprep_ml.cli._segmenters import distinct_names, evaluate_corpora, load_named, one_line_variants, print_scores
from textprep_ml.cli._sieve import ON_ERROR_HELP, refuse_mending, sieved

if TYPE_CHECKING:
    from textprep_ml.config import Experiment

#: So many candidates of a search are printed.
_SHOWN = 5


def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file; see configs/.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a value, such as model.params.min_count=2."),
    ] = None,
    on_error: Annotated[OnError, typer.Option(help=ON_ERROR_HELP)] = OnError.raise_,
) -> None:
    """Train what a configuration describes, save the model, and measure it on the dev corpora.

    Parameters
    ----------
    config : Path
        A TOML file.
    overrides : list of str, optional
        Values to override, such as ``model.params.min_count=2`` or ``steps.words.params.contractions=keep``.
    on_error : OnError
        What to do with a row that cannot be used.
    """
    from textprep_ml.config import load_config, task_of

    refuse_mending(on_error)
    experiment = load_config(config, overrides or [])
    task = task_of(experiment.build())
    column = experiment.table["data"].get("column", "upos") if task == "tags" else None
    corpora = (*experiment.train, *experiment.dev)
    named = [(corpus.path, "conllu" if task == "tags" else corpus.format) for corpus in corpora]
    named += [(path, "text") for path in experiment.raw]
    with sieved(named, on_error, labelled=task == "sentences", column=column) as files:
        _train(_reading(experiment, files), task, {file: path for path, file in files.items()})


def _reading(experiment: Experiment, files: Mapping[str, str]) -> Experiment:
    """Let an experiment read other files in the places of its own."""
    if all(path == file for path, file in files.items()):
        return experiment
    train, dev = (
        tuple(replace(corpus, path=files[corpus.path]) for corpus in corpora)
        for corpora in (experiment.train, experiment.dev)
    )
    return replace(experiment, train=train, dev=dev, raw=tuple(files[path] for path in experiment.raw))


def _train(experiment: Experiment, task: str, names: Mapping[str, str]) -> None:
    """Train, save and measure; `names` tells what the files that are read are called."""
    from textprep_ml.config import describe_search, measure_dev

    baseline = experiment.table.get("evaluate", {}).get("baseline")
    compared = load_named(baseline) if task == "sentences" and baseline and experiment.dev else None
    started = time.perf_counter()
    with progress_bar() as progress:
        fitted = experiment.fit(progress)
    experiment.save(fitted)
    model = getattr(fitted, "best_estimator_", fitted)
    seconds = time.perf_counter() - started
    sys.stdout.write(f"Trained {type(model).__name__} in {seconds:.1f} s: {experiment.output}\n")
    found = None if model is fitted else describe_search(fitted)
    if found is not None:
        _print_search(found)
    sys.stdout.flush()
    if task == "sentences":
        results: Mapping[str, Any] = _segmenter_scores(experiment, model, baseline, compared)
    else:
        results = measure_dev(experiment, model)
    for file, name in names.items():
        results = {corpus.replace(file, name): scores for corpus, scores in results.items()}
    if results:
        sys.stdout.write("\n")
        print_scores(results) if task == "sentences" else _print_measures(results, Path(experiment.output).stem)
    _write_scores(experiment, results, found)


def _segmenter_scores(experiment: Any, model: Any, baseline: str | None, compared: Any) -> dict[str, Any]:
    from textprep_ml.config import read_labelled

    names = distinct_names(Path(experiment.output).stem, [baseline] if baseline else [])
    systems = dict(zip(names, [model, compared], strict=False))
    corpora: dict[str, Any] = {corpus.path: read_labelled([corpus])[:2] for corpus in experiment.dev}
    if experiment.table.get("evaluate", {}).get("one_line", False):
        corpora = {**corpora, **one_line_variants(corpora)}
    return evaluate_corpora(corpora, systems)


def _print_search(found: Mapping[str, Any]) -> None:
    from textprep_ml.report.evaluation import align_columns

    candidates = found["candidates"]
    rows = [("", "score", "deviation", *found["params"])]
    for rank, each in enumerate(candidates[:_SHOWN], start=1):
        values = (str(value) for value in each["params"].values())
        rows.append((str(rank), f"{each['score']:.4f}", f"{each['deviation']:.4f}", *values))
    sys.stdout.write(f"\nThe best of {len(candidates)} candidates:\n" + align_columns(rows, n_left=1))


def _print_measures(results: Mapping[str, Mapping[str, Mapping[str, float]]], name: str) -> None:
    from textprep_ml.report.evaluation import align_columns

    rows: list[tuple[str, ...]] = []
    for corpus, systems in results.items():
        for system, scores in systems.items():
            if not rows:
                rows.append(("corpus", "system", *scores))
            values = (f"{value:.4f}" if isinstance(value, float) else str(value) for value in scores.values())
            rows.append((corpus, name if system == "model" else system, *values))
    sys.stdout.write(align_columns(rows, n_left=2))


def _write_scores(experiment: Any, results: Mapping[str, Any], found: Mapping[str, Any] | None) -> None:
    """Write all scores as JSON where the configuration asks for it."""
    path = experiment.table["output"].get("scores")
    if path:
        from textprep_ml._modelfile import write_text_atomically

        content = {"dev": results} | ({} if found is None else {"search": found})
        write_text_atomically(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
