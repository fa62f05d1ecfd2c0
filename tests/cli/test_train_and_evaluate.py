"""``textprep train``, ``evaluate`` and ``explain`` as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, SAMPLE, Run, assert_one_line_error
from textprep_ml import SentenceSegmenter, iter_rows, write_corpus

DEV = SAMPLE / "dev.jsonl"


def test_train_saves_the_model_with_its_configuration(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder" / "demo.json"
    result = run("train", "configs/demo.toml", "--set", f"output.model={output}", "--set", "model.params.min_count=3")
    assert result.returncode == 0
    assert result.stderr == ""  # no progress bar where nobody looks
    first, _, head, ours, rules, _, comparison = result.stdout.splitlines()
    assert first.startswith("Trained SentenceSegmenter in ")
    assert first.endswith(f" s: {output}")
    assert "boundary F1" in head
    assert ours.split()[:2] == ["data/sample/dev.jsonl", "demo"]
    assert rules.split()[:2] == ["data/sample/dev.jsonl", "rules"]
    assert "demo against rules" in comparison
    kept = json.loads(output.read_text(encoding="utf-8"))["config"]
    assert kept["model"]["params"]["min_count"] == 3
    assert kept["output"]["model"] == str(output)
    rows = list(iter_rows(DEV))
    score = SentenceSegmenter.load(output).score([row["text"] for row in rows], [row["sentences"] for row in rows])
    assert f"{score:.4f}" == ours.split()[2]
    assert score > float(rules.split()[2])


def test_train_shows_progress_on_a_terminal(tmp_path: Path) -> None:
    terminal, side = pty.openpty()
    command = "from textprep_ml.cli import main; main()"
    output = tmp_path / "demo.json"
    arguments = ["train", "configs/demo.toml", "--set", f"output.model={output}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(
        [sys.executable, "-c", command, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=side
    ) as process:
        os.close(side)
        shown = read_until_closed(terminal)
        printed, _ = process.communicate()
    assert process.returncode == 0
    assert printed.startswith(b"Trained SentenceSegmenter")
    assert b"training on " in shown
    assert b" documents" in shown


def read_until_closed(terminal: int) -> bytes:
    """Read what is written to a terminal until nobody holds its other side, so that the writer never waits."""
    shown = b""
    try:
        while part := os.read(terminal, 1 << 16):
            shown += part
    except OSError:  # what Linux says at the end, where others give nothing
        pass
    os.close(terminal)
    return shown


def test_wrong_configurations(run: Run, tmp_path: Path) -> None:
    def train(*overrides: str, config: object = "configs/demo.toml") -> None:
        return run("train", config, *(part for override in overrides for part in ("--set", override)))

    assert_one_line_error(train("model.params.treshold=0.4"), "no key 'treshold'; did you mean 'threshold'?")
    assert_one_line_error(train("modle.type=SentenceSegmenter"), "no key 'modle'; did you mean 'model'?")
    assert_one_line_error(train("model.params"), "--set takes key=value")
    assert_one_line_error(train(config=tmp_path / "none.toml"), "none.toml: No such file")
    assert_one_line_error(train('data.train=["none.jsonl"]'), "[data] train: there is no file 'none.jsonl'")
    (tmp_path / "empty.jsonl").touch()
    assert_one_line_error(train(f'data.train=["{tmp_path}/empty.jsonl"]'), "empty.jsonl: the corpus holds no documents")
    (tmp_path / "bad.jsonl").write_bytes(b'{"text": "\xff", "sentences": []}\n')
    assert_one_line_error(train(f'data.train=["{tmp_path}/bad.jsonl"]'), "bad.jsonl, line 1 byte 10: invalid UTF-8")
    (tmp_path / "one.jsonl").write_text('{"text": "One.", "sentences": [[0, 4]]}\n', encoding="utf-8")
    assert_one_line_error(train(f'data.train=["{tmp_path}/one.jsonl"]', f"output.model={tmp_path}/x.json"))
    assert not (tmp_path / "x.json").exists()


def test_evaluate_prints_scores_comparison_and_errors(run: Run, model: Path) -> None:
    result = run("evaluate", model, DEV, "--baseline", "rules", "--one-line")
    assert result.returncode == 0
    table, comparison, *errors = result.stdout.split("\n\n")
    assert table.splitlines()[0].split("  ")[0] == "corpus"
    assert len(table.splitlines()) == 5
    assert [line.split(": ")[0] for line in comparison.splitlines()] == [str(DEV), f"{DEV}, one line"]
    assert len(errors) == 2
    assert f"{DEV}: errors of {model}" in errors[0]
    assert "¦" in errors[0]
    assert any(line.startswith("terminal mark, missed: ") for line in errors[1].splitlines())


def test_evaluate_as_json(run: Run) -> None:
    result = json.loads(run("evaluate", "naive", DEV, "--baseline", "rules", "--json").stdout)[str(DEV)]
    assert (result["documents"], result["sentences"]) == (20, 240)
    naive, rules = result["systems"]["naive"], result["systems"]["rules"]
    assert 0 < naive["boundaries"]["f1"] < rules["boundaries"]["f1"] < 1
    low, high = rules["intervals"]["f1"]
    assert low < rules["boundaries"]["f1"] < high
    assert result["comparison"]["paired_bootstrap"]["difference"] < 0
    for key in ("error_rate", "window_diff", "pk"):
        assert 0 < rules[key] < 1
    kinds = rules["errors"]
    assert sum(row["misses"] for row in kinds) == rules["boundaries"]["n_true"] - rules["boundaries"]["n_correct"]


def test_evaluate_formats_and_a_single_document(run: Run, tmp_path: Path) -> None:
    corpus = tmp_path / "one.txt"
    corpus.write_text("It rains.\nWe stay in.\n", encoding="utf-8")
    result = run("evaluate", "rules", corpus, "--baseline", "rules")
    assert result.returncode == 0
    assert "rules (baseline)" in result.stdout
    assert f"{corpus}: rules made no errors" in result.stdout
    assert run("evaluate", "rules", SAMPLE / "tiny.conllu", SAMPLE / "marked.txt").returncode == 0


def test_evaluate_refuses(run: Run, tmp_path: Path) -> None:
    assert_one_line_error(run("evaluate", "no-such", DEV), "No model file 'no-such'")
    assert_one_line_error(run("evaluate", "rules", tmp_path / "none.jsonl"), "none.jsonl")
    (tmp_path / "empty.jsonl").touch()
    assert_one_line_error(run("evaluate", "rules", tmp_path / "empty.jsonl"), "holds no documents")
    raw = SAMPLE / "raw" / "raw-en.txt"
    assert_one_line_error(run("evaluate", "rules", raw, "--format", "text"), "has no sentences")
    assert_one_line_error(run("evaluate", "rules", DEV, "--format", "txt"), "Unknown corpus format 'txt'")
    rows = [{"id": "a", "text": "One. Two.", "sentences": [[0, 4], [5, 9]]}]
    write_corpus(rows, tmp_path / "a.jsonl")
    broken = (tmp_path / "a.jsonl").read_text(encoding="utf-8").replace("[5, 9]", "[5, 19]")
    (tmp_path / "a.jsonl").write_text(broken, encoding="utf-8")
    assert_one_line_error(run("evaluate", "rules", tmp_path / "a.jsonl"), "a.jsonl, line 1", "out of range")


def test_evaluate_against_several_baselines(run: Run, tmp_path: Path) -> None:
    options = ("data/sample/dev.jsonl", "--baseline", "rules", "--baseline", "naive")
    made = run("evaluate", "en", *options, "--json", "--report", tmp_path / "report.html")
    [result] = json.loads(made.stdout).values()
    assert list(result["systems"]) == ["en", "rules", "naive"]
    assert list(result["comparisons"]) == ["rules", "naive"]
    assert result["comparison"] == result["comparisons"]["rules"]
    alone = run("evaluate", "en", options[0], "--baseline", "naive", "--json").stdout
    assert result["comparisons"]["naive"] == next(iter(json.loads(alone).values()))["comparison"]
    assert "en against naive: F1 +" in run("evaluate", "en", *options).stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(re.findall(r"only <bdi>\w+</bdi> at \d+", page)) == 2
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["baselines"] == ["rules", "naive"]
    assert_one_line_error(run("evaluate", "en", *options, "--baseline", "rules"), "rules is given twice")


@pytest.mark.parametrize("source", ["text", "file", "-"])
def test_explain(run: Run, model: Path, tmp_path: Path, source: str) -> None:
    text = "We met Dr. Ito. She left."
    file = tmp_path / "text.txt"
    file.write_text(text, encoding="utf-8")
    given = {"text": text, "file": file, "-": "-"}[source]
    rows = run("explain", given, "--model", model, stdin=text).stdout.splitlines()
    ends = [int(row.split()[0]) for row in rows]
    assert {10, 15} <= set(ends)
    assert "|" in rows[ends.index(15)]
    assert "|" not in rows[ends.index(10)]
    decoded = [
        json.loads(row) for row in run("explain", given, "--model", model, "--json", stdin=text).stdout.splitlines()
    ]
    assert [row["end"] for row in decoded] == ends
    assert all(row["reasons"] for row in decoded)


@pytest.mark.parametrize("source", ["nofile.txt", "notes.md.gz", "data/sample/nothing", "data/sample", "./x.JSONL"])
def test_explain_does_not_take_the_name_of_a_missing_file_for_text(run: Run, source: str) -> None:
    assert_one_line_error(run("explain", source), f"{source}: No such file", "standard input")


@pytest.mark.parametrize("source", ["Hello.World", "and/or.", "Read notes.txt now.", "https://x.org/a.txt is. It.", ""])
def test_explain_takes_text_for_text(run: Run, source: str) -> None:
    assert run("explain", source).returncode == 0


def test_explain_refuses_a_wrong_model(run: Run) -> None:
    assert_one_line_error(run("explain", "A. B.", "--model", "no-such"), "No model file 'no-such'")


def test_help_lists_every_command(run: Run) -> None:
    shown = run("--help").stdout
    for name in ("segment", "train", "evaluate", "explain"):
        assert f"\n  {name} " in shown
        assert "Parameters" not in run(name, "--help").stdout


@pytest.mark.parametrize("target", ["/nowhere/m.json", "{folder}"])
def test_an_unwritable_model_is_named_as_it_was_asked_for(tmp_path: Path, target: str) -> None:
    path = target.format(folder=tmp_path)
    with pytest.raises(OSError, match=r"No such file|Is a directory") as error:
        SentenceSegmenter.load("en").save(path)
    assert error.value.filename == path


def test_train_a_pipeline_with_a_search(run: Run, tmp_path: Path) -> None:
    settings = (
        f"output.model={tmp_path}/model.json",
        f"output.scores={tmp_path}/scores.json",
        "search.cv=2",
        "search.grid={classifier__C=[0.001, 10.0]}",
    )
    result = run("train", "configs/classify-text.toml", *(part for item in settings for part in ("--set", item)))
    assert (result.returncode, result.stderr) == (0, "")
    first, _, best, head, winner, _, _, table, ours, majority = result.stdout.splitlines()
    assert first.startswith("Trained TextPipeline in ")
    assert best == "The best of 2 candidates:"
    assert head.split() == ["score", "deviation", "classifier__C"]
    assert winner.split()[-1] == "10.0"
    assert table.split() == ["corpus", "system", "accuracy", "f1_macro"]
    assert float(ours.split()[2]) > float(majority.split()[2])
    scores = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert f"{scores['dev']['data/sample/messages-dev.jsonl']['model']['accuracy']:.4f}" == ours.split()[2]
    assert len(scores["search"]["candidates"]) == 2
    wrong = run("train", "configs/classify-text.toml", "--set", "steps.word.params.contractions=keep")
    assert_one_line_error(wrong, "there is no step 'word'; did you mean 'words'?")


def test_train_measures_pieces_on_dev(run: Run, tmp_path: Path) -> None:
    settings = (
        f"output.model={tmp_path}/bpe.json",
        'data.train=["data/sample/raw/raw-en.txt"]',
        "model.params.vocab_size=400",
    )
    result = run("train", "configs/bpe-8k.toml", *(part for item in settings for part in ("--set", item)))
    head, row = result.stdout.splitlines()[-2:]
    assert head.split()[:4] == ["corpus", "system", "fertility", "pieces_per_character"]
    assert 1 < float(row.split()[head.split().index("bytes_per_piece")]) < 5


def test_train_balances_languages(run: Run, tmp_path: Path) -> None:
    train = 'data.train=[{path="data/sample/raw/raw-en.txt", language="en"}, "data/sample/raw/raw-zh.txt"]'
    bytes_ = ("model.params.byte_level=true", "model.params.byte_fallback=false", "model.params.vocab_size=700")
    fertility = {}
    for temperature in ("1.0", "100.0"):
        settings = (train, *bytes_, f"data.temperature={temperature}", f"output.model={tmp_path}/m.json")
        result = run("train", "configs/bpe-en-zh.toml", *(part for item in settings for part in ("--set", item)))
        head, *rows = (line.split() for line in result.stdout.splitlines()[-3:])
        fertility[temperature] = [float(row[head.index("fertility")]) for row in rows]
    assert fertility["1.0"][0] < fertility["100.0"][0]  # English
    assert fertility["1.0"][1] > fertility["100.0"][1]  # Chinese


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (['data.train=[{path="data/sample/raw/raw-en.txt", language="en", script="Latn"}]'],
         "data/sample/raw/raw-en.txt has no words in the script 'Latn'; did you mean 'Latin'?"),
        (["data.temperature=0.5"], "[data] temperature: balance_counts expects a temperature of at least 1"),
        (["data.temperature=inf"], "[data] temperature is a finite number"),
        (["data.temperature=hot"], "[data] temperature must be a number, but is 'hot'"),
    ],
)  # fmt: skip
def test_train_refuses_to_balance(run: Run, tmp_path: Path, settings: list[str], message: str) -> None:
    sample = 'data.train=[{path="data/sample/raw/raw-en.txt", language="en"}]'
    settings = [sample, f"output.model={tmp_path}/m.json", *settings]
    result = run("train", "configs/bpe-en-zh.toml", *(part for item in settings for part in ("--set", item)))
    assert_one_line_error(result, message)
    assert not (tmp_path / "m.json").exists()


def test_languages_go_with_a_temperature_and_with_vocabularies(run: Run) -> None:
    item = '{path="data/sample/raw/raw-en.txt", language="en"}'
    result = run("train", "configs/bpe-8k.toml", "--set", f"data.train=[{item}]")
    assert_one_line_error(result, "has a language or script, which counts with a temperature only")
    result = run("train", "configs/demo.toml", "--set", "data.temperature=2.0")
    assert_one_line_error(result, "[data] temperature balances the languages of a subword tokenizer only")
