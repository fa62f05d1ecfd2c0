"""Saved models: they come back equal, need no scikit-learn, and damaged ones are refused with one kind of error."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sklearn.neighbors import KNeighborsClassifier

from tests.segmentation.samples import ROOT, changed
from textprep_ml import SentenceSegmenter, make_normalizer
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.segmentation import BoundaryModel
from textprep_ml.segmentation.hopeless import NONE_HOPELESS

Labelled = tuple[list[str], list[Any]]
BOTH = pytest.mark.parametrize("kind", ["linear", "tree"])


@pytest.fixture(scope="session")
def documents(linear: Any, tree: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the files of a linear and a tree model hold."""
    folder = tmp_path_factory.mktemp("models")
    for name, segmenter in (("linear", linear), ("tree", tree)):
        segmenter.save(folder / f"{name}.json")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.iterdir()}


@BOTH
def test_a_model_comes_back(kind: str, sample: Labelled, request: Any, tmp_path: Path) -> None:
    segmenter = changed(request.getfixturevalue(kind), newline="paragraph", threshold=0.4, protected=("Zing!",))
    segmenter.save(tmp_path / "model.json", config={"seed": 1})
    again = SentenceSegmenter.load(tmp_path / "model.json")
    assert again.transform(sample[0]) == segmenter.transform(sample[0])
    assert (again.newline, again.threshold, again.protected) == ("paragraph", 0.4, ["Zing!"])
    assert again.coverage_ == segmenter.coverage_
    again.save(tmp_path / "again.json")
    assert SentenceSegmenter.load(tmp_path / "again.json").transform(sample[0]) == again.transform(sample[0])
    bare = BoundaryModel.load(tmp_path / "model.json")
    assert [spans.tolist() for spans in bare.spans(["A b. C d. E"])] == [
        spans.tolist() for spans in changed(segmenter, protected=()).predict(["A b. C d. E"])
    ]


def test_what_cannot_be_saved_says_so(sample: Labelled, linear: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ModelFormatError, match="Only linear models and single decision trees can be saved"):
        SentenceSegmenter(KNeighborsClassifier()).fit(*sample).save(path)
    foreign = type("Foreign", (), {"align": lambda self, text: (text, None)})()
    with pytest.raises(ModelFormatError, match="normalizers of textprep_ml only"):
        changed(linear, normalizer=foreign).save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_a_normalizer_that_learned_is_saved(sample: Labelled, tmp_path: Path) -> None:
    segmenter = SentenceSegmenter(normalizer=make_normalizer("pdf"), abbreviations={"Dr", "No"}).fit(*sample)
    segmenter.save(tmp_path / "model.json")
    assert SentenceSegmenter.load(tmp_path / "model.json").transform(sample[0]) == segmenter.transform(sample[0])


def test_the_runtime_needs_no_scikit_learn(english: Any) -> None:
    program = (
        "import sys; sys.modules['sklearn'] = sys.modules['datasets'] = None\n"
        "from textprep_ml.segmentation import BoundaryModel\n"
        "print([s.tolist() for s in BoundaryModel.load('en').spans(['It rains. We left.'])])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )  # fmt: skip
    assert (done.stderr, done.stdout) == ("", f"{[english.predict(['It rains. We left.'])[0].tolist()]}\n")


def refuse(path: Path) -> None:
    for load in (SentenceSegmenter.load, BoundaryModel.load):
        with pytest.raises(ModelFormatError) as caught:
            load(path)
        assert "\n" not in str(caught.value)


@BOTH
def test_truncated_files(kind: str, documents: dict[str, Any], tmp_path: Path) -> None:
    whole = json.dumps(documents[kind]).encode()
    for length in (0, 1, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "model.json").write_bytes(whole[:length])
        refuse(tmp_path / "model.json")
    for junk in (b"\xff\xfe", b"[]", b"null", b"{}", b'"text"', b"\x00" * 50, b"[" * 100_000, whole + b"x"):
        (tmp_path / "model.json").write_bytes(junk)
        refuse(tmp_path / "model.json")


#: Where a file is damaged, and what stands there instead.
ANY = [
    (("format",), "other"), (("version",), 99), (("version",), None), (("class",), "PosTagger"), (("params",), None),
    (("state",), None), (("state",), []), (("params", "newline"), "hrad"), (("params", "candidates"), ["marks"]),
    (("params", "candidates"), 3), (("params", "threshold"), 7), (("params", "threshold"), "x"),
    (("state", "words"), None), (("state", "words", "vocabulary"), 3), (("state", "words", "usual"), {"9": "a"}),
    (("state", "words", "raw"), {"x": "a"}), (("state", "words", "abbreviations"), {"titel": "dr"}),
    (("state", "scorer"), None), (("state", "scorer", "type"), "forest"), (("state", "scorer", "type"), None),
    (("state", "thresholds"), {}), (("state", "thresholds", "gap"), "x"),
    (("state", "thresholds", "gap"), float("nan")),
]  # fmt: skip
LINEAR = [
    (("templates",), []), (("templates",), ["kind", "no.such"]), (("templates", 0), 5), (("places",), None),
    (("places", 1), [-1]), (("places", 1), [10**12]), (("places", 1, 0), 10**30), (("places", 1, 0), "x"),
    (("places", 1, 0), -5), (("weights", 1), []), (("weights", 1, 0), float("nan")), (("weights", 1, 0), float("inf")),
    (("weights", 1, 0), 1e300), (("weights", 1, 0), None), (("weights", 1, 0), [1]), (("weights",), {}),
]  # fmt: skip
TREE = [
    (("columns",), []), (("columns", 0), 10**6), (("columns", 0), -1), (("columns", 0), 10**30), (("left", 0), 0),
    (("right", 0), 0), (("left", 0), 10**6), (("right", 0), -1), (("right", 0), 10**6), (("left", 0), "x"),
    (("scores", 0), float("nan")), (("scores", 0), None), (("scores",), []), (("thresholds",), [1]), (("ranks",), []),
    (("ranks", 0), -1), (("ranks", 0), 10**9), (("rank_offsets", 1), 10**6), (("rank_offsets",), [0]),
    (("left",), None), (("columns",), [[1]]),
]  # fmt: skip
DAMAGE = [(kind, path, value) for kind in ("linear", "tree") for path, value in ANY]
DAMAGE += [("linear", ("state", "scorer", *path), value) for path, value in LINEAR]
DAMAGE += [("tree", ("state", "scorer", *path), value) for path, value in TREE]


@pytest.mark.parametrize(("kind", "place", "value"), DAMAGE)
def test_damage(kind: str, place: tuple[Any, ...], value: Any, documents: dict[str, Any], tmp_path: Path) -> None:
    document = copy.deepcopy(documents[kind])
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    refuse(tmp_path / "model.json")


@BOTH
def test_missing_keys(kind: str, documents: dict[str, Any], tmp_path: Path) -> None:
    for part in (("state",), ("state", "words"), ("state", "scorer"), ("state", "thresholds")):
        holder = documents[kind]
        for key in part:
            holder = holder[key]
        for missing in set(holder) - {"coverage", "trained_by", "evidence", "hopeless"}:
            document = copy.deepcopy(documents[kind])
            inner = document
            for key in part:
                inner = inner[key]
            del inner[missing]
            (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
            refuse(tmp_path / "model.json")


def test_a_model_that_was_saved_without_hopeless_gaps_has_none(documents: dict[str, Any], tmp_path: Path) -> None:
    document = copy.deepcopy(documents["linear"])
    del document["state"]["hopeless"]
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    assert SentenceSegmenter.load(tmp_path / "model.json").model_.hopeless == NONE_HOPELESS
