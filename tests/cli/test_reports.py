"""``textprep evaluate --report``: the page and its data, of segmenters and of tokenizers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.cli.conftest import SAMPLE, Run, assert_one_line_error
from tests.report.pages import Page
from textprep_ml import BPETokenizer, SentenceSegmenter, iter_rows
from textprep_ml.metrics import vocabulary_scores

DEV = SAMPLE / "dev.jsonl"
TRAIN = SAMPLE / "train.jsonl"


def test_report_of_a_segmenter(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    result = run("evaluate", "en", DEV, "--baseline", "rules", "--one-line", "--report", out)
    assert result.returncode == 0
    assert result.stdout.endswith(f"\nReport: {out}\n")
    data = json.loads((tmp_path / "out.json").read_bytes())
    assert (data["model"], data["baseline"]) == ("en", "rules")
    assert list(data["corpora"]) == [str(DEV), f"{DEV}, one line"]
    assert data["overall"] == data["corpora"][str(DEV)]
    assert {error["corpus"] for error in data["errors"]} == set(data["corpora"])
    page = Page(out.read_text(encoding="utf-8"))
    figures = result.stdout.splitlines()[1].split()
    assert any(figures[2] in text for text in page.texts["dd"])
    assert [text.split() for text in page.texts["option"] if "one line" in text] == [["dev,", "one", "line"]]
    again = run(
        "evaluate", "en", DEV, "--baseline", "rules", "--one-line", "--report", tmp_path / "again.html", "--json"
    )
    assert json.loads(again.stdout) == data["corpora"]
    assert json.loads((tmp_path / "again.json").read_bytes()) == data


def test_learning_curve_fits_as_the_configuration_says(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    settings = [f"output.model={model}", 'model.params={min_count=2, estimator={type="DecisionTreeClassifier"}}']
    arguments = [part for setting in settings for part in ("--set", setting)]
    assert run("train", "configs/demo.toml", *arguments).returncode == 0
    out = tmp_path / "out.html"
    assert run("evaluate", model, DEV, "--report", out, "--learning-curve", TRAIN).returncode == 0
    points = json.loads((tmp_path / "out.json").read_bytes())["learning"]
    n = sum(1 for _ in iter_rows(TRAIN))
    assert [point["documents"] for point in points] == [n >> halvings for halvings in (5, 4, 3, 2, 1, 0)]
    trained = SentenceSegmenter.load(model)
    rows = list(iter_rows(DEV))
    # The order of the documents differs, on which a tree depends a little.
    assert points[-1]["f1"] == pytest.approx(
        trained.score([row["text"] for row in rows], [row["sentences"] for row in rows]), abs=0.03
    )


def test_learning_curve_without_a_configuration(run: Run, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    assert run("evaluate", model, DEV, "--report", out, "--learning-curve", TRAIN).returncode == 0
    assert json.loads((tmp_path / "out.json").read_bytes())["learning"][-1]["f1"] > 0.85
    rows = list(iter_rows(TRAIN))[:20]
    tree = SentenceSegmenter(DecisionTreeClassifier()).fit(
        [row["text"] for row in rows], [row["sentences"] for row in rows]
    )
    tree.save(tmp_path / "tree.json")
    refused = run("evaluate", tmp_path / "tree.json", DEV, "--report", out, "--learning-curve", TRAIN)
    assert_one_line_error(refused, "does not hold the classifier (DecisionTreeClassifier())")


def test_report_of_a_tokenizer(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    result = run("evaluate", "treebank", SAMPLE / "tiny.conllu", "--baseline", "whitespace", "--report", out)
    assert result.returncode == 0
    assert result.stdout.endswith(f"\nReport: {out}\n")
    data = json.loads((tmp_path / "out.json").read_bytes())
    scores = data["overall"]["scores"]["treebank"]
    assert f"{scores['f1']:.4f}" in result.stdout
    assert len(data["errors"]) == sum(
        row["false_positives"] + row["misses"] for row in data["overall"]["errors"]["treebank"]
    )
    assert "treebank" in Page(out.read_text(encoding="utf-8")).texts["h1"]


def test_report_of_a_vocabulary(run: Run, tmp_path: Path) -> None:
    texts = [row["text"] for row in iter_rows(TRAIN)]
    for size in (300, 400):
        BPETokenizer(vocab_size=size).fit(texts).save(tmp_path / f"bpe-{size}.json")
    (tmp_path / "raw.txt").write_text("One two.\n\n  Three\n", encoding="utf-8")
    large, small = tmp_path / "bpe-400.json", tmp_path / "bpe-300.json"
    arguments = ("evaluate", large, DEV, tmp_path / "raw.txt", "--baseline", small)
    result = run(*arguments, "--report", tmp_path / "out.html")
    assert result.returncode == 0
    assert result.stdout.splitlines()[0].split()[:4] == ["corpus", "tokenizer", "bytes/piece", "pieces/word"]
    data = json.loads((tmp_path / "out.json").read_bytes())
    assert data["subject"] == "vocabulary"
    assert data["corpora"][str(tmp_path / "raw.txt")][str(large)]["n_characters"] == 18  # as it is
    assert Page((tmp_path / "out.html").read_text(encoding="utf-8")).texts["h1"] == ["bpe-400"]
    assert json.loads(run(*arguments, "--json").stdout) == data["corpora"]
    assert_one_line_error(run("evaluate", large, DEV, "--baseline", "en"), "en is no subword tokenizer")
    refused = run(*arguments, "--report", tmp_path / "out.html", "--learning-curve", TRAIN)
    assert_one_line_error(refused, "--learning-curve fits segmenters")
    BPETokenizer(vocab_size=300).fit(texts).to_tokenizers_json(tmp_path / "tokenizer.json")
    foreign = run("evaluate", tmp_path / "tokenizer.json", DEV, "--json")
    ours = run("evaluate", small, DEV, "--json")
    assert list(json.loads(foreign.stdout)[str(DEV)].values()) == list(json.loads(ours.stdout)[str(DEV)].values())


def test_table_of_a_vocabulary(run: Run, tmp_path: Path) -> None:
    tokenizer = BPETokenizer(vocab_size=400).fit([row["text"] for row in iter_rows(TRAIN)])
    tokenizer.save(tmp_path / "m.json")
    (tmp_path / "morphemes.tsv").write_text("lower\tlow er\n\nwalks\twalk s\n", encoding="utf-8")
    sizes = ("--size", "300", "--size", "400", "--morphemes", tmp_path / "morphemes.tsv")
    result = run("evaluate", tmp_path / "m.json", DEV, *sizes)
    head, *rows = (line.split() for line in result.stdout.splitlines())
    assert head[-3:] == ["P", "R", "F1"]
    texts, words = [row["text"] for row in iter_rows(DEV)], {"lower": ["low", "er"], "walks": ["walk", "s"]}
    for row, size in zip(rows, (300, 400), strict=True):
        scores = vocabulary_scores(tokenizer.with_vocab_size(size), texts, morphemes=words)
        assert " ".join(row).startswith(f"{DEV} {tmp_path}/m.json, {size} pieces {scores['bytes_per_piece']:.4f} ")
        assert row[-1] == f"{scores['morpheme_f1']:.4f}"
    (tmp_path / "bad.tsv").write_text("lower\tlow er\nwalks\twal s\n", encoding="utf-8")
    bad = run("evaluate", tmp_path / "m.json", DEV, "--morphemes", tmp_path / "bad.tsv")
    assert_one_line_error(
        bad, "bad.tsv, line 2: expected a word, a tab, and its morphemes, which join to it, but found"
    )
    (tmp_path / "empty.tsv").write_text("\n", encoding="utf-8")
    assert_one_line_error(run("evaluate", tmp_path / "m.json", DEV, "--morphemes", tmp_path / "empty.tsv"), "no words")
    assert_one_line_error(run("evaluate", tmp_path / "m.json", DEV, "--size", "9"), "with_vocab_size(9): between 256")
    assert_one_line_error(run("evaluate", "en", DEV, "--size", "9"), "--size and --morphemes are for subword")
    refused = run("evaluate", tmp_path / "m.json", DEV, "--size", "300", "--report", tmp_path / "out.html")
    assert_one_line_error(refused, "--size is for the table")


def test_wrong_reports_are_refused_before_the_work(run: Run, tmp_path: Path) -> None:
    report = ("--report", tmp_path / "out.html")
    assert_one_line_error(run("evaluate", "none", DEV, "--report", "out.txt"), "ends in .html, not 'out.txt'")
    assert_one_line_error(run("evaluate", "none", DEV, "--report", "/nowhere/out.html"), "no folder '/nowhere'")
    (tmp_path / "out.json").write_text("{}", encoding="utf-8")
    assert_one_line_error(run("evaluate", "none", DEV, *report), "out.json, which is no report")
    (tmp_path / "out.json").unlink()
    assert_one_line_error(run("evaluate", "en", DEV, "--learning-curve", TRAIN), "add --report out.html")
    assert_one_line_error(
        run("evaluate", "rules", DEV, *report, "--learning-curve", TRAIN), "rules has nothing to learn"
    )
    assert_one_line_error(
        run("evaluate", "words", DEV, *report, "--learning-curve", TRAIN), "words has nothing to learn"
    )
    assert_one_line_error(
        run("evaluate", "en", DEV, *report, "--learning-curve", tmp_path / "none.jsonl"), "none.jsonl"
    )
    assert not list(tmp_path.iterdir())
