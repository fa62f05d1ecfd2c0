"""Documents, a model and a session to label with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textprep_ml import SentenceSegmenter
from textprep_ml.labelling.labels import LabelStore
from textprep_ml.labelling.session import LabellingSession

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "a", "text": "We met Dr. Ito at approx. Noon. She left. It was no. 5 of 7. We ran."},
    {"id": "b", "text": "He saw vol. Two. Then 🙃 it rained. 👩‍👩‍👧 came. ثم غادر. هل كان؟"},
]


@pytest.fixture(scope="session")
def english() -> SentenceSegmenter:
    return SentenceSegmenter.load("en")


@pytest.fixture
def places() -> Callable[[int], np.ndarray]:
    """Candidates made by hand: every place before a blank after a period."""
    found = [[10, 25, 31, 41, 52, 60], [11, 16]]
    return lambda number: np.array(found[number])


@pytest.fixture
def open_store(tmp_path: Path, places: Callable[[int], np.ndarray]) -> Callable[..., LabelStore]:
    """Open the labels of the documents, as often as wanted: a store that was not closed is one that was killed."""
    opened: list[LabelStore] = []

    def call(documents: list[dict[str, Any]] = DOCUMENTS) -> LabelStore:
        for store in opened:
            store._journal.close()  # what the system does for a killed process; nothing is written here
        opened.append(LabelStore(tmp_path / "labels.jsonl", documents, places))
        return opened[-1]

    return call


@pytest.fixture
def session(tmp_path: Path, english: SentenceSegmenter) -> LabellingSession:
    return LabellingSession(DOCUMENTS, english, tmp_path / "labels.jsonl")
