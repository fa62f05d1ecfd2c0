"""Labelled documents, and segmenters that are trained or loaded once."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.segmentation.samples import labelled_sample
from textprep_ml import SentenceSegmenter


@pytest.fixture(scope="session")
def sample() -> tuple[list[str], list[list[list[int]]]]:
    """Texts and spans of the labelled sample."""
    return labelled_sample()


@pytest.fixture(scope="session")
def english() -> Any:
    """The shipped English model; change copies of it only."""
    return SentenceSegmenter.load("en")


@pytest.fixture(scope="session")
def linear(sample: tuple[list[str], list[Any]]) -> Any:
    """A linear segmenter, trained on the sample; change copies of it only."""
    return SentenceSegmenter(min_count=2, min_word_count=3).fit(*sample)


@pytest.fixture(scope="session")
def tree(sample: tuple[list[str], list[Any]]) -> Any:
    """A segmenter with a decision tree, trained on the sample; change copies of it only."""
    return SentenceSegmenter(DecisionTreeClassifier(min_samples_leaf=5, random_state=0)).fit(*sample)
