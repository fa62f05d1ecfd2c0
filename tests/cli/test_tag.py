"""The command ``tag`` as a user runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from textprep_ml.cli.app import build_app

TINY = Path(__file__).parent.parent.parent / "data" / "sample" / "tiny.conllu"


def tag(*arguments: Any, stdin: str = "") -> Result:
    return CliRunner().invoke(build_app(), ["tag", *map(str, arguments)], input=stdin)


def test_text_becomes_sentences_words_and_tags(tmp_path: Path) -> None:
    text = "They left. Dr. Smith isn't here!"
    assert tag(stdin=text).stdout == (
        "They\tPRON\nleft\tVERB\n.\tPUNCT\n\nDr.\tPROPN\nSmith\tPROPN\nis\tAUX\nn't\tPART\nhere\tADV\n!\tPUNCT\n\n"
    )
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert tag(tmp_path / "a.txt", "--format", "inline").stdout == (
        "They/PRON left/VERB ./PUNCT\nDr./PROPN Smith/PROPN is/AUX n't/PART here/ADV !/PUNCT\n"
    )


def test_lines_of_tokens() -> None:
    result = tag("--tokens", "--format", "inline", stdin="They left .\n\nDr. No\n")
    assert result.stdout == "They/PRON left/VERB ./PUNCT\n\nDr./PROPN No/PROPN\n"


def test_scores_of_conllu() -> None:
    name, accuracy, counts = tag(TINY, "--score").stdout.split("\t")
    assert name == str(TINY)
    assert float(accuracy.removeprefix("accuracy ")) >= 0.85
    assert counts.endswith(" tokens\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--score"], "--score needs CoNLL-U files"),
        ([TINY, "--score", "--column", "pos"], "'upos' or 'xpos'"),
        ([TINY, "--score", "--column", "xpos"], "has no xpos tag"),
        (["--model", "nope"], "no shipped model of that name"),
        (["--model", "en"], "not a PosTagger"),
    ],
)
def test_bad_input(arguments: list[Any], message: str) -> None:
    result = tag(*arguments, stdin="x")
    assert result.exit_code != 0
    assert message in str(result.exception)
