"""Documents that are labelled in parts only: what is not labelled teaches nothing, neither right nor wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textprep_ml import SentenceSegmenter, read_corpus, write_corpus
from textprep_ml.config import Corpus, load_config, read_labelled
from textprep_ml.exceptions import CorpusFormatError
from textprep_ml.segmentation.documents import Document
from textprep_ml.segmentation.runtime import BoundaryModel
from textprep_ml.segmentation.training import covered, label_candidates, labelled_documents, make_variants
from textprep_ml.segmentation.words import WordTable

TEXT = "We met Dr. Ito. She left. It rained. We ran."
RIGHT = [(0, 15), (16, 25), (26, 36), (37, 44)]
MARKS_ONLY = BoundaryModel(WordTable(), None, candidates=("mark",))


def test_positions_are_covered_from_the_start_of_a_span_to_before_its_end() -> None:
    assert covered(np.arange(8), [(1, 3), (3, 4), (6, 7)]).tolist() == [bool(int(flag)) for flag in "01110010"]
    assert not covered(np.arange(3), []).any()


def test_only_labelled_candidates_are_examples() -> None:
    document = Document(TEXT, RIGHT, [(10, 11), (15, 16)])
    examples = label_candidates(MARKS_ONLY, [document, Document(TEXT, RIGHT)], np.array([2.0, 1.0]))
    assert examples.labels.tolist() == [False, True, False, True, True, True]
    assert examples.weights.tolist() == [2.0, 2.0, 1.0, 1.0, 1.0, 1.0]


def test_coverage_is_that_of_the_labelled_boundaries() -> None:
    # The boundary after "met" is no candidate; it counts only where it is labelled.
    document = Document(TEXT, [(0, 6), (7, 15), (16, 44)], [(10, 40)])
    assert label_candidates(MARKS_ONLY, [document], np.ones(1)).coverage() == 1.0


def test_wrong_sentences_outside_of_the_labelled_parts_change_nothing() -> None:
    wrong = [(0, 10), (11, 15), (16, 44)]  # cut after "Dr.", joined after "left." and "rained."
    labelled = [[(15, 16)]] * 30
    texts = [TEXT] * 30

    def weights(spans: list[tuple[int, int]]) -> np.ndarray:
        partial = SentenceSegmenter(min_count=1, candidates=["mark"])
        both = partial.fit([*texts, "A b. C d."], [*[spans] * 30, [(0, 9)]], labelled=[*labelled, None])
        return both.model_.scorer.weights

    assert (weights(wrong) == weights([(0, 15), (16, 44)])).all()


def test_labels_of_a_part_teach_what_they_say() -> None:
    texts = ["Cf. Ito et al. The end. A cat. We see." for _ in range(20)]
    spans = [[(0, 23), (24, 30), (31, 38)]] * 20
    parts: list[Any] = [[(0, 24)]] * 20
    segmenter = SentenceSegmenter(abbreviations=None).fit(texts, spans, labelled=parts)
    assert segmenter.split("Cf. Ito et al. The end. A cat.") == ["Cf. Ito et al. The end.", "A cat."]


def test_partly_labelled_documents_get_no_variants() -> None:
    whole, part = Document(TEXT, RIGHT), Document(TEXT, RIGHT, [(0, 20)])
    variants, sources = make_variants([part, whole, part], {"lower_case": 2.0}, "en", 0)
    assert [variant.text for variant in variants] == [TEXT.lower(), TEXT.lower(), TEXT, TEXT]
    assert sources.tolist() == [1, 1, 0, 2]


def test_labelled_parts_follow_the_text_into_its_normalized_form() -> None:
    class DropFirst:
        def align(self, text: str) -> tuple[str, Any]:
            return text[1:], self

        def to_normalized(self, spans: np.ndarray) -> np.ndarray:
            return np.maximum(spans - 1, 0)

    (document,) = labelled_documents(["*A b. C d."], [[(0, 5), (6, 10)]], "Tool", DropFirst(), [[(4, 7)]])
    assert document.labelled == [(3, 6)]


@pytest.mark.parametrize(
    ("labelled", "message"),
    [
        ([None], r"got 2 documents but 1 items in labelled"),
        ([None, [(5, 3)]], r"labelled of document 1 is \[5, 3\)"),
        ([None, [(0, 99)]], r"labelled of document 1 is \[0, 99\), empty or outside"),
        ([[(0, 4)], [(0, 4)]], r"no inner sentence boundary"),
    ],
)
def test_bad_parts_are_refused(labelled: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SentenceSegmenter().fit([TEXT, TEXT], [RIGHT, RIGHT], labelled=labelled)


# Files


def rows(n: int = 12) -> list[dict[str, Any]]:
    return [
        {"id": f"d{index}", "text": TEXT, "sentences": [[0, 15], [16, 44]], "labelled": [[0, 20]]} for index in range(n)
    ]


def test_files_keep_the_labelled_parts(tmp_path: Path) -> None:
    write_corpus([*rows(1), {"id": "whole", "text": "A.", "sentences": [[0, 2]]}], tmp_path / "labels.jsonl")
    assert read_corpus(tmp_path / "labels.jsonl")["labelled"] == [[[0, 20]], None]


def test_a_damaged_part_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({**rows(1)[0], "labelled": [[3, 99]]}) + "\n", encoding="utf-8")
    with pytest.raises(CorpusFormatError, match=r"labels.jsonl, line 1: labelled part 0, \[3, 99\), is out of range"):
        read_corpus(path)
    with pytest.raises(CorpusFormatError, match="labelled part 1 is not a pair"):
        write_corpus([{**rows(1)[0], "labelled": [[0, 3], 7]}], path)


def test_experiments_train_on_partly_labelled_files_and_refuse_to_measure_with_them(tmp_path: Path) -> None:
    write_corpus(rows(), tmp_path / "labels.jsonl")
    config = tmp_path / "experiment.toml"
    config.write_text(
        f'[data]\ntrain = ["{tmp_path}/labels.jsonl"]\n[model]\ntype = "SentenceSegmenter"\n'
        f'[output]\nmodel = "{tmp_path}/model.json"\n',
        encoding="utf-8",
    )
    assert load_config(config).fit().split("We met Dr. Ito. She left.") == ["We met Dr. Ito.", "She left."]
    with pytest.raises(CorpusFormatError, match="labelled in parts only"):
        read_labelled([Corpus(f"{tmp_path}/labels.jsonl")])
