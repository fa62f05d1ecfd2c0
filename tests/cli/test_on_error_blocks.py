"""``--on-error`` for what has no row a line: sentences of CoNLL-U and documents of brat standoff."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from textprep_ml import BPETokenizer, iter_rows
from textprep_ml.cli._rows import OnError
from textprep_ml.cli._sieve import sieved


def word(number: str, form: str, tag: str = "NOUN", misc: str = "_") -> bytes:
    return "\t".join([number, form, form, tag, "_", "_", "0", "dep", "_", misc]).encode()


def sentence(*comments: bytes, first: str = "Dr.") -> list[bytes]:
    words = (word(str(number), form) for number, form in enumerate((first, "Ito", "left", "."), start=1))
    return [*comments, *words, b""]


#: Sentences that cannot be used, and what is said of them; {n} is their line n.
BAD = [
    ([b"# text = caf\xe9", word("1", "x"), b""], "line {0} byte 12: invalid UTF-8 (0xe9)"),
    ([word("1", "x"), b"2\tnull", b""], "line {1}: expected 10 columns"),
    ([b"# newdoc id = late", word("1", ""), b""], "line {1}: the form is empty"),
    ([b"# text = other", word("1", "x"), b""], "line {1}: the token 'x' is not what # text has"),
    ([word("3", "x"), b""], "line {0}: 3 stands where word 1 should"),
    ([b"# a comment alone", b""], "line {0}: comments without a sentence"),
]
ROWS = 2 * len(BAD) + 1


@pytest.fixture
def treebank(tmp_path: Path) -> tuple[Path, list[str]]:
    """A file with a good sentence behind each bad one, and what should be said."""
    lines = sentence(b"# newdoc id = early")
    messages = []
    for bad, message in BAD:
        messages.append(message.format(len(lines) + 1, len(lines) + 2))
        lines += bad + sentence()
    path = tmp_path / "bad.conllu"
    path.write_bytes(b"\n".join(lines))
    return path, messages


@pytest.fixture
def folder(tmp_path: Path) -> tuple[Path, list[str]]:
    """Brat documents of which four cannot be used, and what should be said."""
    path = tmp_path / "brat"
    path.mkdir()
    for name in "abcdefg":
        (path / f"{name}.txt").write_bytes(b"Dr. Ito left. He was late.")
        (path / f"{name}.ann").write_bytes(b"T1\tSentence 0 13\tDr. Ito left.\nT2\tSentence 14 26\tHe was late.\n")
    (path / "b.txt").write_bytes(b"caf\xe9")
    (path / "c.ann").write_bytes(b"T1\tSentence 0 13\tDr. Ito left.\nT2\tSentence 14 99\tHe\n")
    (path / "d.ann").write_bytes(b"not an annotation\n")
    (path / "e.ann").unlink()
    messages = [
        f"{path}/b.txt, line 1 byte 3: invalid UTF-8",
        f"{path}/c.ann, line 2: sentence 0, [14, 99), is out of range",
        f"{path}/d.ann, line 1: neither an annotation",
        f"{path}/e.txt: there is no e.ann beside it",
    ]
    return path, messages


@pytest.mark.parametrize("choice", ["skip", "null"])
def test_sentences_of_conllu(choice: str, run: Run, treebank: tuple[Path, list[str]]) -> None:
    path, messages = treebank
    stopped = run("evaluate", "rules", path)
    assert stopped.returncode == 2
    assert f"{path}, {messages[0]}" in stopped.stderr
    found = run("evaluate", "rules", path, "--json", "--on-error", choice)
    assert found.returncode == 0, found.stderr
    assert f"{len(messages)} of {ROWS} rows were bad and skipped:" in found.stderr
    for message in messages:
        assert f"{path}, {message}" in found.stderr
    scores = json.loads(found.stdout)[str(path)]
    assert scores["documents"] == 2  # the second was opened by a sentence that is left out
    assert scores["sentences"] == ROWS - len(BAD)


def test_words_and_vocabularies_on_conllu(run: Run, treebank: tuple[Path, list[str]], tmp_path: Path) -> None:
    path, messages = treebank
    BPETokenizer(vocab_size=260).fit(["one two one"]).save(tmp_path / "bpe.json")
    for model in ("words:ud", tmp_path / "bpe.json"):
        assert run("evaluate", model, path).returncode == 2
        found = run("evaluate", model, path, "--on-error", "skip")
        assert found.returncode == 0, found.stderr
        assert f"{len(messages)} of" in found.stderr
        assert str(path) in found.stdout


def test_documents_of_brat(run: Run, folder: tuple[Path, list[str]], tmp_path: Path) -> None:
    path, messages = folder
    stopped = run("evaluate", "rules", path)
    assert stopped.returncode == 2
    assert messages[0] in stopped.stderr
    found = run("evaluate", "rules", path, "--json", "--on-error", "skip")
    assert found.returncode == 0, found.stderr
    assert "4 of 7 rows were bad and skipped:" in found.stderr
    for message in messages:
        assert message in found.stderr
    good = tmp_path / "good"
    good.mkdir()
    for name in "afg":
        for suffix in (".txt", ".ann"):
            (good / f"{name}{suffix}").write_bytes((path / f"{name}{suffix}").read_bytes())
    expected = json.loads(run("evaluate", "rules", good, "--json").stdout)
    assert json.loads(found.stdout) == {str(path): expected[str(good)]}
    assert (path / "e.txt").exists()


def test_train_on_both(
    run: Run, treebank: tuple[Path, list[str]], folder: tuple[Path, list[str]], tmp_path: Path
) -> None:
    config = tmp_path / "small.toml"
    config.write_text(
        f'[model]\ntype = "SentenceSegmenter"\n\n[data]\ntrain = ["{treebank[0]}", "{folder[0]}"]\n\n'
        f'[output]\nmodel = "{tmp_path / "out.json"}"\n',
        encoding="utf-8",
    )
    assert run("train", config).returncode == 2
    found = run("train", config, "--on-error", "skip")
    assert found.returncode == 0, found.stderr
    n_bad = len(treebank[1]) + len(folder[1])
    assert f"{n_bad} of {ROWS + 7} rows were bad and skipped:" in found.stderr
    model = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert model["config"]["data"]["train"] == [str(treebank[0]), str(folder[0])]


def test_words_without_a_tag(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tags.conllu"
    path.write_bytes(b"\n".join([*sentence(), word("1", "Hm"), word("2", "null", "_"), b"", *sentence()]))
    assert run("tag", "--score", path).returncode == 2
    found = run("tag", "--score", path, "--on-error", "skip")
    assert found.returncode == 0, found.stderr
    assert f"1 of 3 rows were bad and skipped:\ntextprep: {path}, line 7: 'null' has no upos tag." in found.stderr
    assert found.stdout.startswith(f"{path}\taccuracy")
    assert found.stdout.endswith(" of 8 tokens\n")
    config = tmp_path / "tagger.toml"
    config.write_text(
        f'[model]\ntype = "PosTagger"\n\n[data]\ntrain = ["{path}"]\n\n[output]\nmodel = "{tmp_path / "out.json"}"\n'
    )
    assert run("train", config).returncode == 2
    assert run("train", config, "--on-error", "skip").returncode == 0
    assert run("tag", "--score", path, "--on-error", "replace").returncode == 2


def test_nothing_left(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(b"1\tx\n\n2\ty\n")
    found = run("evaluate", "rules", path, "--on-error", "skip")
    assert found.returncode == 2
    assert f"{path}: none of its 2 rows can be used. {path}, line 1: expected 10 columns" in found.stderr
    assert "textprep-" not in found.stderr


def test_what_is_left(tmp_path: Path) -> None:
    """Sentences do not run into each other where one between them is left out, and documents begin where they did."""
    path = tmp_path / "glued.conllu"
    glued = [word("1", "One", misc="SpaceAfter=No"), word("2", ".", misc="SpaceAfter=No"), b""]
    opening = [b"# newdoc id = d2", b"# text = x", word("1", "y"), b""]
    nameless = [b"# newdoc id = caf\xe9", word("1", "y"), b""]
    path.write_bytes(b"\n".join([*glued, word("9", "x"), b"", *glued, *opening, *glued, *nameless, *glued]))
    with sieved([(str(path), None)], OnError.skip) as files:
        assert Path(files[str(path)]).name == path.name
        rows = list(iter_rows(files[str(path)]))
    assert [row["text"] for row in rows] == ["One.\n\nOne.", "One.", "One."]
    assert [row["id"] for row in rows] == ["glued", "d2", "glued-0003"]


def test_bad_rows_of_standard_input_are_left_out_too(run: Run) -> None:
    rows = '{"text": "A b. C d.", "sentences": [[0, 4], [5, 9]]}\nnot JSON\n'
    code, out, err = run("evaluate", "rules", "-", "--format", "jsonl", "--on-error", "skip", stdin=rows)
    assert code == 0
    assert "1.0000" in out
    assert "standard input, line 2" in err
