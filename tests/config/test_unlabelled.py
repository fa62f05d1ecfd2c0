"""Raw text of which a teacher knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from textprep_ml import ConfigError
from textprep_ml.config import load_config
from textprep_ml.config.tables import as_corpora
from textprep_ml.config.unlabelled import cut_into_documents, read_unlabelled

ROOT = Path(__file__).parent.parent.parent
RAW = ROOT / "data" / "sample" / "raw"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def corpus(**keys: Any) -> Any:
    return as_corpora([{"path": str(RAW / "raw-dialogue.txt"), "unlabelled": True, **keys}], None, "here")[0]


def test_documents_are_taken_as_they_are_and_on_one_line() -> None:
    texts = read_unlabelled(corpus())
    half = len(texts) // 2
    assert "".join(texts[:half]) == (RAW / "raw-dialogue.txt").read_text(encoding="utf-8")
    assert texts[half:] == [text.replace("\n", " ") for text in texts[:half]]


def test_a_share_is_taken() -> None:
    whole, half = read_unlabelled(corpus()), read_unlabelled(corpus(share=0.5))
    assert set(half) < set(whole)
    assert len(half) == 2 * (len(whole) // 4)


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
            {{ path = {str(RAW / "raw-dialogue.txt")!r}, unlabelled = true, weight = 2 }},
        ]
        [model]
        type = "SentenceSegmenter"
        params = {{ teacher = "en" }}
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
        ({"unlabelled": "en"}, "unlabelled must be"),
        ({"unlabeled": True}, "unlabelled"),
    ],
)
def test_what_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        corpus(**keys)


def test_unlabelled_text_in_other_places_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="goes with unlabelled"):
        as_corpora([{"path": "x.jsonl", "share": 0.5}], None, "here")
    config = '{}\n[model]\ntype = "{}"\n[output]\nmodel = "x"\n'
    taught = '{ path = "data/sample/raw/raw-dialogue.txt", unlabelled = true }'
    path = tmp_path / "x.toml"
    path.write_text(config.format(f"[data]\ndev = [{taught}]", "SentenceSegmenter"), encoding="utf-8")
    with pytest.raises(ConfigError, match="dev: unlabelled is for training"):
        load_config(path)
    path.write_text(config.format(f"[data]\ntrain = [{taught}]", "BPETokenizer"), encoding="utf-8")
    with pytest.raises(ConfigError, match="unlabelled, which is for segmenters"):
        load_config(path).fit()
