"""Raw text that one model labels for another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from textprep_ml import ConfigError, SentenceSegmenter
from textprep_ml.config import load_config
from textprep_ml.config.pseudo_labels import cut_into_documents, label_raw
from textprep_ml.config.tables import as_corpora

ROOT = Path(__file__).parent.parent.parent
RAW = ROOT / "data" / "sample" / "raw"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def corpus(**keys: Any) -> Any:
    return as_corpora([{"path": str(RAW / "raw-dialogue.txt"), "labelled_by": "en", **keys}], None, "here")[0]


def test_the_labels_are_the_models() -> None:
    texts, spans = label_raw(corpus())
    assert "".join(texts) == (RAW / "raw-dialogue.txt").read_text(encoding="utf-8")
    english = SentenceSegmenter.load("en")
    assert [[tuple(span) for span in found] for found in spans] == [english.spans(text) for text in texts]


def test_a_share_is_taken() -> None:
    whole, half = label_raw(corpus())[0], label_raw(corpus(share=0.5))[0]
    assert set(half) < set(whole)
    assert len(half) == len(whole) // 2


def test_documents_end_with_a_line() -> None:
    text = "ab\n" * 5000 + "rest"
    documents = list(cut_into_documents([text[:9000], text[9000:]]))
    assert "".join(documents) == text
    assert all(document.endswith("\n") for document in documents[:-1])


def test_a_segmenter_trains_on_them(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        f"""
        [data]
        train = [
            "data/sample/train.jsonl",
            {{ path = {str(RAW / "raw-dialogue.txt")!r}, labelled_by = "en", weight = 2 }},
        ]
        [model]
        type = "SentenceSegmenter"
        [output]
        model = {str(tmp_path / "m.json")!r}
        """,
        encoding="utf-8",
    )
    fitted = load_config(tmp_path / "x.toml").fit()
    assert fitted.split("Dr. Ito met us. It rained.") == ["Dr. Ito met us.", "It rained."]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"share": 0}, "share = 0 of .*above 0"),
        ({"share": 1.5}, "share = 1.5"),
        ({"labelled_by": 3}, "labelled_by must be"),
        ({"labelled_bi": "en"}, "labelled_by"),
    ],
)
def test_what_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        corpus(**keys)


def test_a_share_of_labelled_text_and_other_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="goes with labelled_by"):
        as_corpora([{"path": "x.jsonl", "share": 0.5}], None, "here")
    with pytest.raises(ConfigError, match="is a PosTagger, not a SentenceSegmenter"):
        label_raw(corpus(labelled_by="en-pos"))
    config = '{}\n[model]\ntype = "{}"\n[output]\nmodel = "x"\n'
    taught = '{ path = "data/sample/raw/raw-dialogue.txt", labelled_by = "en" }'
    path = tmp_path / "x.toml"
    path.write_text(config.format(f"[data]\ndev = [{taught}]", "SentenceSegmenter"), encoding="utf-8")
    with pytest.raises(ConfigError, match="dev: labelled_by is for training"):
        load_config(path)
    path.write_text(config.format(f"[data]\ntrain = [{taught}]", "BPETokenizer"), encoding="utf-8")
    with pytest.raises(ConfigError, match="labelled_by, which is for segmenters"):
        load_config(path).fit()
