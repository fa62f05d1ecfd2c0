"""Round trips and errors of the formats that hold text and sentences only."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.corpora.strategies import documents, running_texts
from textprep_ml import CorpusFormatError
from textprep_ml.corpora import guess_format, iter_rows, read_corpus, write_corpus
from textprep_ml.corpora._rows import WHITE_SPACE, trim


def save(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def strings(row: dict[str, Any]) -> list[str]:
    return [row["text"][start:end] for start, end in row["sentences"]]


# ------------------------------------------------------------------------------------------------------- round trips


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.jsonl.xz", "x.ann", "x.txt.gz"])
@given(row=documents())
@settings(max_examples=150)
def test_formats_with_offsets_hold_everything(
    tmp_path_factory: pytest.TempPathFactory, name: str, row: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("holds")
    kind = "jsonl" if "jsonl" in name else "brat"
    write_corpus([row | {"id": "x"}], folder / name, kind)
    assert list(iter_rows(folder / name)) == [row | {"id": "x"}]


@pytest.mark.parametrize("join", [None, " ", "\n", ""])
@given(row=documents(tidy=True) | running_texts())
@settings(max_examples=300)
def test_sentence_lines_come_back_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, join: str | None, row: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "doc.txt"
    try:
        write_corpus([row], path, "lines", join=join)
    except CorpusFormatError:
        event("refused")
    else:
        assert list(iter_rows(path, "lines", join=join)) == [row]


@given(st.lists(running_texts(), min_size=1, max_size=3))
def test_paragraphs_as_documents(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.getbasetemp() / "docs.txt"
    single = [row | {"id": f"docs-{number:04d}"} for number, row in enumerate(rows, 1) if "\n\n" not in row["text"]]
    single = [row | {"id": f"docs-{number:04d}"} for number, row in enumerate(single, 1)]
    if single:
        write_corpus(single, path, "lines", blank_line="document")
        assert list(iter_rows(path, "lines", blank_line="document")) == single


@given(running_texts())
def test_running_text_is_what_sentence_lines_hold(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "doc.txt"
    write_corpus([row], path)
    assert list(iter_rows(path)) == [row]


@pytest.mark.parametrize("marker", ["<|sentence|>", "|", "||", "\n", "ab"])
@given(row=documents(tidy=True))
@settings(max_examples=200)
def test_marked_text_comes_back_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, marker: str, row: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "doc.marked"
    try:
        write_corpus([row], path, "marked", marker=marker)
    except CorpusFormatError:
        assert not row["sentences"] or set(marker) & set(row["text"]) or "\ufeff" in row["text"]
    else:
        assert list(iter_rows(path, "marked", marker=marker)) == [row]


@given(st.lists(documents(tidy=True).filter(lambda row: row["sentences"]), min_size=1, max_size=3))
def test_marked_documents(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> None:
    path = tmp_path_factory.getbasetemp() / "docs.marked"
    rows = [row | {"id": f"docs-{number:04d}"} for number, row in enumerate(rows, 1)]
    write_corpus(rows, path, "marked", document_marker="<doc>")
    assert list(iter_rows(path, "marked", document_marker="<doc>")) == rows


@pytest.mark.parametrize("unit", ["file", "line", "paragraph"])
@given(texts=st.lists(documents(), min_size=1, max_size=3))
def test_raw_text_comes_back_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, unit: str, texts: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "raw.txt"
    try:
        write_corpus(texts, path, "text", unit=unit)
    except CorpusFormatError:
        pass
    else:
        expected = [row["text"] for row in texts]
        if expected != [""]:
            assert [row["text"] for row in iter_rows(path, "text", unit=unit)] == expected


# ------------------------------------------------------------------------------------------------------- what is read


def test_lines_end_at_newlines_only(tmp_path: Path) -> None:
    """Case N06: `str.splitlines` would give five lines."""
    path = save(tmp_path / "x.txt", "one\u2028two\x0bthree\r\nfour\x85five\n")
    [row] = iter_rows(path, "lines")
    assert strings(row) == ["one\u2028two\x0bthree", "four\x85five"]
    assert row["text"] == "one\u2028two\x0bthree four\x85five"
    [row] = iter_rows(path, "lines", join="\n")
    assert row["text"] == "one\u2028two\x0bthree\r\nfour\x85five\n"
    assert strings(row) == ["one\u2028two\x0bthree", "four\x85five"]
    assert [row["text"] for row in iter_rows(path, "text", unit="line")] == ["one\u2028two\x0bthree\r", "four\x85five"]


@pytest.mark.parametrize("format", ["marked", "text", "brat"])
def test_text_comes_through_unchanged(tmp_path: Path, format: str) -> None:
    text = "\ufeffA.\r\nB\x00.\x0b\u2028C\x85\rD\x1c.\r\n\r\n"
    save(tmp_path / "x.ann", "")
    [row] = iter_rows(save(tmp_path / "x.txt", text), format)
    assert row["text"] == text


def test_a_byte_order_mark_belongs_to_the_text_but_to_no_sentence(tmp_path: Path) -> None:
    [row] = iter_rows(save(tmp_path / "x.txt", "\ufeffA.<|sentence|> B."))
    assert (row["text"], row["sentences"]) == ("\ufeffA. B.", [[1, 3], [4, 6]])
    [row] = iter_rows(save(tmp_path / "y.txt", "\ufeffA.\nB."))
    assert (row["text"], row["sentences"]) == ("A. B.", [[0, 2], [3, 5]])


def test_sentence_lines_join_by_script(tmp_path: Path) -> None:
    [row] = iter_rows(save(tmp_path / "x.txt", "Go.\nStay.\n\n \nHalt.\n我们走吧。\n“好！”\n7月底。\nこれ\nEnd"))
    assert row["text"] == "Go. Stay.\n\nHalt.我们走吧。“好！”7月底。これEnd"
    assert strings(row) == ["Go.", "Stay.", "Halt.", "我们走吧。", "“好！”", "7月底。", "これ", "End"]


def test_blank_lines_can_begin_documents(tmp_path: Path) -> None:
    rows = list(iter_rows(save(tmp_path / "x.txt", "\nA.\nB.\n\n\nC.\n"), blank_line="document"))
    assert [(row["id"], row["text"]) for row in rows] == [("x-0001", "A. B."), ("x-0002", "C.")]


def test_marks_may_stand_anywhere(tmp_path: Path) -> None:
    path = save(tmp_path / "x.txt", "<|sentence|> A. <|sentence|>\n<|sentence|><|sentence|>B.<|sentence|>\n")
    [row] = iter_rows(path)
    assert (row["text"], row["sentences"]) == (" A. \nB.\n", [[1, 3], [5, 7]])


def test_the_sample_of_marked_text_holds_two_documents() -> None:
    path = Path(__file__).parents[2] / "data" / "sample" / "marked.txt"
    first, second = iter_rows(path, document_marker="\n\n\n")
    assert (len(first["sentences"]), strings(second)[:2]) == (10, ["hi all!", "the room for tmrw is B.12, not B.21 😅"])


def test_raw_text_by_paragraph(tmp_path: Path) -> None:
    path = save(tmp_path / "x.txt", "a\nb\n \n\nc\r\n")
    rows = list(iter_rows(path, "text", unit="paragraph"))
    assert [(row["id"], row["text"]) for row in rows] == [("x-0001", "a\nb"), ("x-0005", "c\r")]


def test_json_lines_keep_other_columns_and_make_up_ids(tmp_path: Path) -> None:
    path = save(tmp_path / "x.jsonl", '\ufeff{"text": "A.", "sentences": [[0, 2]], "genre": "mail"}\r\n\n')
    assert list(iter_rows(path)) == [{"id": "x-0001", "text": "A.", "sentences": [[0, 2]], "genre": "mail"}]


def test_brat_reads_one_label_in_any_order_and_leaves_out_the_rest(tmp_path: Path) -> None:
    save(tmp_path / "b.txt", "Dr. No\nwent. Why?")
    annotations = "T2\tSentence 13 17\tWhy?\r\n#1\tAnnotatorNotes T2\tsure\n"
    annotations += "T1\tSentence 0 12\tDr. No went.\nT9\tName 0 3;4 6\tDr. No\n"
    save(tmp_path / "b.ann", annotations)
    save(tmp_path / "a.txt", "A.")
    save(tmp_path / "a.ann.gz", gzip.compress(b"T1\tSentence 0 2\tA.\n"))
    rows = list(iter_rows(tmp_path))
    assert [(row["id"], row["sentences"]) for row in rows] == [("a", [[0, 2]]), ("b", [[0, 12], [13, 17]])]
    assert list(iter_rows(tmp_path / "b.txt")) == list(iter_rows(tmp_path / "b.ann")) == [rows[1]]


def test_brat_folders_are_written(tmp_path: Path) -> None:
    rows = [{"id": f"d{i}", "text": "A.\nB", "sentences": [[0, 2], [3, 4]]} for i in range(3)]
    write_corpus(rows, tmp_path / "out", "brat", label="S")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"d{i}.{s}" for i in range(3) for s in ("ann", "txt")
    ]
    assert (tmp_path / "out" / "d0.ann").read_text() == "T1\tS 0 2\tA.\nT2\tS 3 4\tB\n"
    assert list(iter_rows(tmp_path / "out", label="S")) == rows


# -------------------------------------------------------------------------------------------------------------- errors


#: Without the time in its head: what names a test must be the same in every process.
CUT_SHORT = gzip.compress(b'{"text": "a", "sentences": []}\n' * 9, mtime=0)[:-9]


@pytest.mark.parametrize(
    ("name", "content", "place", "words"),
    [
        ("x.jsonl", '{"text": "A.", "sentences": [[0, 2]]}\n{"text": "B."', "line 2", "not JSON"),
        ("x.jsonl", "[1]", "line 1", r"not a JSON object: \[1\]"),
        ("x.jsonl", "[" * 100_000, "line 1", "not JSON"),
        ("x.jsonl", '{"text": "A."}', "line 1", 'no "sentences"'),
        ("x.jsonl", '{"sentences": []}', "line 1", 'no "text"'),
        ("x.jsonl", '{"text": 7, "sentences": []}', "line 1", '"text" is int'),
        ("x.jsonl", '{"text": "a", "sentences": [], "id": 7}', "line 1", '"id" is not a string: 7'),
        ("x.jsonl", '{"text": "a\\ud800", "sentences": []}', "line 1", r"lone surrogate \(U\+D800\) at character 1"),
        ("x.jsonl", '{"text": "abc", "sentences": {"0": 1}}', "line 1", "not a list of"),
        ("x.jsonl", '{"text": "abc", "sentences": [[0, 4]]}', "line 1", r"\[0, 4\), is out of range: the text has 3"),
        ("x.jsonl", '{"text": "abc", "sentences": [[-1, 2]]}', "line 1", "out of range"),
        ("x.jsonl", '{"text": "abc", "sentences": [[2, 1]]}', "line 1", "out of range"),
        ("x.jsonl", '{"text": "abc", "sentences": [[1, 1]]}', "line 1", "empty"),
        ("x.jsonl", '{"text": "abc", "sentences": [[2, 3], [0, 1]]}', "line 1", "sort the sentences"),
        ("x.jsonl", '{"text": "abc", "sentences": [[0, 2], [1, 3]]}', "line 1", "overlaps the sentence ahead of it"),
        ("x.jsonl", '{"text": "abc", "sentences": [[0, 1.5]]}', "line 1", r"not a pair of integers: \[0, 1.5\]"),
        ("x.jsonl", '{"text": "abc", "sentences": [[false, true]]}', "line 1", "not a pair of integers"),
        ("x.jsonl", '{"text": "abc", "sentences": ["01"]}', "line 1", "not a pair of integers"),
        ("x.jsonl", '{"text": "abc", "sentences": [[0, 1, 2]]}', "line 1", "not a pair of integers"),
        ("x.jsonl", b'{"text": "a", "sentences": []}\n{"text": "\xff"}', "line 2 byte 10", r"invalid UTF-8 \(0xff\)"),
        ("x.txt", b"one\ntwo \xe9t\xe9\n", "line 2 byte 4", r"invalid UTF-8 \(0xe9\)"),
        ("x.conllu", b"# newdoc\n1\t\xf0\x9f\t_", "line 2 byte 2", "invalid UTF-8"),
        ("x.jsonl.gz", CUT_SHORT, "line", "damaged or cut short"),
        ("x.jsonl.gz", b"no gzip at all", "line 1", "damaged or cut short"),
        ("x.jsonl.xz", b"no xz at all", "line 1", "damaged or cut short"),
        ("x.txt.xz", b"no xz at all", "", "damaged or cut short"),
        ("x.jsonl", "", "", "holds no documents"),
        ("x.txt", " \n\n", "", "holds no documents"),
        ("x.conllu", "\n\n", "", "holds no documents"),
        ("x.ann", "", "", "there is no x.txt beside it"),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, name: str, content: str | bytes, place: str, words: str) -> None:
    path = save(tmp_path / name, content)
    for read in (read_corpus, lambda path: list(iter_rows(path))):
        with pytest.raises(CorpusFormatError, match=f"{name}.*{place}.*{words}"):
            read(path)


@pytest.mark.parametrize(
    ("annotations", "place", "words"),
    [
        ("T1\tSentence 0 2\tA.\nnonsense\n", "line 2", "neither an annotation"),
        ("T1 Sentence 0 2 A.\n", "line 1", "neither an annotation"),
        ("T1\tSentence 0 2;3 5\tA. B.\n", "line 1", "one piece only"),
        ("T1\tSentence 0 9\tA.\n", "line 1", "out of range: the text has 5 characters"),
        ("T1\tSentence 0 2\tA.\nT2\tSentence 1 5\t. B.\n", "line 2", "overlaps"),
        ("T1\tSentence 0 2\tAx\n", "line 1", "the text says 'A.' there, the annotation says 'Ax'"),
        ("T1\tSatz 0 2\tA.\n", "", "no annotation is a 'Sentence'; the types are Satz"),
    ],
)
def test_bad_brat_files(tmp_path: Path, annotations: str, place: str, words: str) -> None:
    save(tmp_path / "x.txt", "A. B.")
    with pytest.raises(CorpusFormatError, match=f"x.ann.*{place}.*{words}"):
        list(iter_rows(save(tmp_path / "x.ann", annotations)))


@pytest.mark.parametrize(
    ("row", "format", "words"),
    [
        ({"text": "A\nB.", "sentences": [[0, 4]]}, "lines", "would be read again|not be read again"),
        (
            {"text": "A. - B.", "sentences": [[0, 2], [5, 7]]},
            "lines",
            "text outside of sentences between characters 2 and 5",
        ),
        ({"text": "A. B.", "sentences": [[0, 3], [3, 5]]}, "marked", r"\[0, 3\) starts or ends with white space"),
        ({"text": "A. B.", "sentences": []}, "marked", "it has no sentences"),
        ({"text": "a<|sentence|>b", "sentences": [[0, 14]]}, "marked", "not be read again"),
        ({"text": "A.", "sentences": [[0, 3]]}, "jsonl", "Row 0 cannot be written: .*out of range"),
        ({"text": "\udc80", "sentences": []}, "jsonl", "lone surrogate"),
        ({"sentences": []}, "jsonl", 'no "text"'),
        ({"text": "A."}, "brat", 'no "sentences"; only format="text"'),
        ({"text": "A.", "sentences": [], "id": "a/b"}, "brat", "cannot be the name of a file"),
        ({"text": "A.", "sentences": [], "x": float("nan")}, "jsonl", "cannot be written as JSON"),
        ({"text": "A.", "sentences": [], "x": {1, 2}}, "jsonl", "cannot be written as JSON"),
    ],
)
def test_rows_that_a_format_cannot_hold(tmp_path: Path, row: dict[str, Any], format: str, words: str) -> None:
    with pytest.raises(CorpusFormatError, match=words):
        write_corpus([row], tmp_path / "out", format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["lines", "marked", "text"])
def test_several_documents_need_a_separator(tmp_path: Path, format: str) -> None:
    rows = [{"id": "a", "text": "A.", "sentences": [[0, 2]]}] * 2
    save(tmp_path / "x.txt", "old")
    with pytest.raises(CorpusFormatError, match="holds one document"):
        write_corpus(rows, tmp_path / "x.txt", format)
    assert (tmp_path / "x.txt").read_text() == "old"


def test_wrong_calls(tmp_path: Path) -> None:
    path = save(tmp_path / "x.jsonl", json.dumps({"text": "A.", "sentences": [[0, 2]]}))
    with pytest.raises(ValueError, match="Unknown corpus format 'xml'; there are jsonl, conllu"):
        read_corpus(path, "xml")
    with pytest.raises(TypeError, match="'jsonl' has no option 'marker'; its options: none"):
        read_corpus(path, marker="|")
    with pytest.raises(TypeError, match="'lines' has no option 'marker'; its options: join, blank_line"):
        read_corpus(path, "lines", marker="|")
    with pytest.raises(ValueError, match="blank_line is 'x'"):
        read_corpus(path, "lines", blank_line="x")
    with pytest.raises(ValueError, match="unit is 'x'"):
        read_corpus(path, "text", unit="x")
    with pytest.raises(ValueError, match="marker is empty"):
        read_corpus(path, "marked", marker="")
    with pytest.raises(ValueError, match="no documents to write"):
        write_corpus([], tmp_path / "y.jsonl")
    with pytest.raises(ValueError, match="tells no corpus format"):
        write_corpus([{"text": "", "sentences": []}], tmp_path / "y.doc")
    with pytest.raises(ValueError, match="save_to_disk"):
        write_corpus([{"text": ""}], tmp_path / "y", "saved")
    with pytest.raises(TypeError, match="an iterable of rows"):
        write_corpus(7, tmp_path / "y.jsonl")  # type: ignore[arg-type]
    with pytest.raises(CorpusFormatError, match="Row 0 cannot be written: it is str"):
        write_corpus(["text"], tmp_path / "y.jsonl")  # type: ignore[list-item]
    with pytest.raises(FileNotFoundError, match="no such file, and no name"):
        read_corpus(tmp_path / "none.jsonl")


def test_formats_are_guessed(tmp_path: Path) -> None:
    for name, content, expected in (
        ("a.jsonl", "", "jsonl"), ("a.conllu.xz", "", "conllu"), ("a.txt", "A.", "lines"),
        ("b.txt", "A.<|sentence|>B.", "marked"),
        ("c.ann", "", "brat"), ("c.txt", "", "brat"), ("d.jsonl.gz", "", "jsonl"),
    ):  # fmt: skip
        assert guess_format(save(tmp_path / name, content)) == expected, name
    assert guess_format(tmp_path) == "brat"
    assert guess_format("ud:en_ewt") == "hub"
    # What is written takes its format from the name alone, not from what an old file holds.
    write_corpus([{"id": "b", "text": "A. B.", "sentences": [[0, 2], [3, 5]]}], tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "A.\nB.\n"


def test_writing_is_reproducible_and_files_are_readable_by_others(tmp_path: Path) -> None:
    row = {"id": "a", "text": "A.", "sentences": [[0, 2]]}
    contents = set()
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_corpus([row], tmp_path / name)
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == 1
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "a.jsonl.gz").stat().st_mode & 0o777 == 0o666 & ~mask


def test_white_space_is_that_of_unicode() -> None:
    from textprep_ml import _unicode_table

    marked = [chr(code) for code in range(0x110000) if _unicode_table.class_of(chr(code)) & _unicode_table.SPACE]
    assert "".join(marked) == WHITE_SPACE


@given(documents())
def test_trim_leaves_out_white_space_only(row: dict[str, Any]) -> None:
    text = row["text"]
    start, end = trim(text, 0, len(text))
    assert text[start:end] == text.removeprefix("\ufeff").strip(WHITE_SPACE)
