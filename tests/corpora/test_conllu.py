from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.corpora.strategies import treebanks
from textprep_ml import CorpusFormatError
from textprep_ml.corpora import iter_rows, write_corpus

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("TEXTPREP_ML_SHARED", ROOT.parent / "shared")) / "data"


def line(number: str, form: str, misc: str = "_", upos: str = "_", lemma: str = "_") -> str:
    return "\t".join([number, form, lemma, upos, "_", "_", "_", "_", "_", misc])


def read(tmp_path: Path, *lines: str, name: str = "x.conllu") -> list[dict[str, Any]]:
    (tmp_path / name).write_text("\n".join(lines), encoding="utf-8", newline="\n")
    return list(iter_rows(tmp_path / name))


def test_documents_paragraphs_and_blanks(tmp_path: Path) -> None:
    rows = read(
        tmp_path,
        "# newdoc id = d1", "# newpar", "# sent_id = s1", "# text = Hi there.",
        line("1", "Hi"), line("2", "there", "SpaceAfter=No"), line("3", "."), "",
        "# text = Go!", line("1", "Go", "SpaceAfter=No"), line("2", "!", "SpaceAfter=No"), "",
        line("1", "Now"), "",
        "# newpar id = p2", line("1", "End"), "",
        "# newdoc", line("1", "Other"), "",
    )  # fmt: skip
    # "Go!" says SpaceAfter=No, so that "Now" follows without a blank; the paragraph comes after two newlines.
    assert rows[0]["id"] == "d1"
    assert rows[0]["text"] == "Hi there. Go!Now\n\nEnd"
    assert rows[0]["sentences"] == [[0, 9], [10, 13], [13, 16], [18, 21]]
    assert rows[0]["tokens"] == [[0, 2], [3, 8], [8, 9], [10, 12], [12, 13], [13, 16], [18, 21]]
    assert rows[0]["sent_ids"] == ["s1", "", "", ""]
    assert (rows[1]["id"], rows[1]["text"]) == ("x-0002", "Other")


def test_a_file_without_newdoc_is_one_document_named_after_the_file(tmp_path: Path) -> None:
    rows = read(tmp_path, line("1", "One"), "", line("1", "Two"), "", name="de.conllu")
    assert [(row["id"], row["text"]) for row in rows] == [("de", "One Two")]


def test_multiword_tokens_and_empty_nodes(tmp_path: Path) -> None:
    [row] = read(
        tmp_path,
        "# text = I don't go zum Zoo.",
        line("1", "I", upos="PRON"),
        line("2-3", "don't"), line("2", "do", upos="AUX", lemma="do"), line("3", "n't", upos="PART", lemma="not"),
        line("3.1", "really"),
        line("4", "go", upos="VERB"),
        line("5-6", "zum"), line("5", "zu", upos="ADP"), line("6", "dem", upos="DET"),
        line("7", "Zoo", "SpaceAfter=No", upos="NOUN"), line("8", ".", upos="PUNCT"),
    )  # fmt: skip
    # do + n't make up "don't" and get spans of their own; zu + dem do not make up "zum" and share its span.
    assert row["forms"] == ["I", "do", "n't", "go", "zu", "dem", "Zoo", "."]
    assert row["tokens"] == [[0, 1], [2, 4], [4, 7], [8, 10], [11, 14], [11, 14], [15, 18], [18, 19]]
    assert row["multiword_tokens"] == [[1, 3], [4, 6]]
    assert row["upos"] == ["PRON", "AUX", "PART", "VERB", "ADP", "DET", "NOUN", "PUNCT"]
    assert row["lemmas"][1:3] == ["do", "not"]


def test_other_white_space_comes_from_misc_and_from_the_text_comment(tmp_path: Path) -> None:
    [row] = read(
        tmp_path,
        "# text = a  b c",  # two blanks after a
        line("1", "a", "SpacesBefore=\\s\\s"), line("2", "b"), line("3", "c", "SpacesAfter=\\r\\n\\t"), "",
        "# newpar",
        line("1", "d e", "SpacesInToken=d\\n\\pe|SpacesAfter=\\s\\\\s"),
    )  # fmt: skip
    # SpacesAfter wins over newpar, and its \\s is a backslash with an s.
    assert row["text"] == "  a  b c\r\n\td\n|e \\s"
    assert row["sentences"] == [[2, 8], [11, 15]]


def test_windows_line_ends_and_byte_order_mark_are_no_part_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_bytes(
        ("\ufeff# newdoc id = d\r\n" + line("1", "a\u2028\x0b\x00b") + "\r\n\r\n").encode()
    )
    [row] = iter_rows(tmp_path / "x.conllu")
    assert (row["id"], row["text"]) == ("d", "a\u2028\x0b\x00b")


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ([line("1", "a"), "2\tb\t_"], 2, "10 columns with tabs between, but found 3"),
        ([line("1", "a"), line("3", "b")], 2, "'?3'? stands where word 2 should"),
        ([line("x", "a")], 1, "'x' is no word number"),
        ([line("1", "")], 1, "the form is empty"),
        ([line("1", "a"), line("3.1", "b")], 2, "the empty node 3.1 stands after word 1"),
        ([line("1-1", "a"), line("1", "a")], 1, "the range 1-1 is empty"),
        ([line("1-3", "abc"), line("1", "a"), line("2-3", "bc")], 3, "inside another one"),
        ([line("1-2", "ab"), line("1", "a"), ""], 2, "inside a multiword token that lasts to 2"),
        (["# newdoc", "", line("1", "a")], 1, "comments without a sentence"),
        (["# text = a b", line("1", "a"), line("2", "c")], 3, "'c' is not what # text has at character 2: 'b'"),
        (["# text = ab", line("1", "a"), line("2", "b")], 2, "# text has no white space after 'a'"),
        (["# text = a b", line("1", "a", "SpaceAfter=No"), line("2", "b")], 2, "# text has white space after 'a'"),
        (["# text = a b", line("1", "a")], 1, "# text goes on after the last token: 'b'"),
        ([line("1", "a"), "# text = a"], 2, "10 columns"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, lines: list[str], place: int, words: str) -> None:
    with pytest.raises(CorpusFormatError, match=rf"x\.conllu, line {place}: .*{words}"):
        read(tmp_path, *lines)


@given(treebanks())
@settings(max_examples=300)
def test_reading_what_was_written_gives_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.conllu"
    write_corpus([row, row], path)
    assert list(iter_rows(path)) == [row, row]


def test_rows_without_tokens_are_written_with_those_between_blanks(tmp_path: Path) -> None:
    row = {"id": "d", "text": "Dr. No went.\nWhy?", "sentences": [[0, 12], [13, 17]]}
    write_corpus([row], tmp_path / "x.conllu")
    [again] = iter_rows(tmp_path / "x.conllu")
    assert {name: again[name] for name in row} == row
    assert again["forms"] == ["Dr.", "No", "went.", "Why?"]
    assert again["sent_ids"] == ["d-0001", "d-0002"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tokens": [[0, 1]]}, "1 tokens but 2 forms"),
        ({"forms": ["a", "x"]}, "form 'x' is not what the text has at character 2: 'b'"),
        ({"forms": ["a", "b\n"]}, "line break"),
        ({"tokens": [[0, 1], [0, 1]]}, "is not what the text has|overlap"),
        ({"sentences": [[0, 1]]}, "token at character 2 is in no sentence"),
        ({"sentences": [[0, 2]]}, "does not start and end with a token"),
        ({"sentences": []}, "token at character 0 is in no sentence"),
        ({"text": "a b c"}, "text outside of tokens between characters 3 and 5"),
        ({"multiword_tokens": [[0, 5]]}, "out of range"),
        ({"multiword_tokens": [[1, 2], [7, 9]]}, "overlaps another one or is out of range"),
        ({"multiword_tokens": [[0, 2]]}, "other spans than their forms say"),
        ({"sent_ids": ["1", "2"]}, "1 sentences but 2 sent_ids"),
        ({"id": "a\nb"}, "cannot be the id"),
    ],
)
def test_rows_that_contradict_themselves_are_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    row = {"id": "d", "text": "a b", "sentences": [[0, 3]], "tokens": [[0, 1], [2, 3]], "forms": ["a", "b"]} | change
    with pytest.raises(CorpusFormatError, match=words):
        write_corpus([row], tmp_path / "x.conllu")
    assert list(tmp_path.iterdir()) == []


def treebank_files() -> list[Path]:
    """The shared treebanks, or the sample where there are none."""
    return sorted((SHARED / "conllu").glob("*-dev.conllu")) or [ROOT / "data" / "sample" / "tiny.conllu"]


@pytest.mark.parametrize("path", treebank_files(), ids=lambda path: path.name)
def test_treebanks_come_through_a_round_trip(tmp_path: Path, path: Path) -> None:
    rows = list(iter_rows(path))
    write_corpus(rows, tmp_path / "again.conllu.xz")
    assert list(iter_rows(tmp_path / "again.conllu.xz")) == rows
    for row in rows:
        pieces = zip(row["forms"], row["tokens"], strict=True)
        inside = {index for first, end in row["multiword_tokens"] for index in range(first, end)}
        assert all(row["text"][start:end] == form for i, (form, (start, end)) in enumerate(pieces) if i not in inside)


def test_documents_are_put_together_as_in_the_labelled_json() -> None:
    """The treebank's documents, read from CoNLL-U, equal the JSON ones that others made of the same treebank."""
    treebank, labelled = SHARED / "conllu" / "en_ewt-ud-dev.conllu", SHARED / "sbd" / "dev" / "en_ewt.jsonl"
    if labelled.exists():
        expected = [json.loads(text) for text in labelled.read_text(encoding="utf-8").split("\n") if text]
    else:
        treebank = ROOT / "data" / "sample" / "tiny.conllu"
        expected = [{"id": "harbour"}]
    rows = {row["id"]: row for row in iter_rows(treebank)}
    for document in expected:
        assert {name: rows[document["id"]][name] for name in document} == document
