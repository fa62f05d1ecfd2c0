"""What is suggested for labelling: doubtful, diverse, of every kind, and never more in memory than is wanted."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from textprep_ml import RuleSegmenter, SentenceSegmenter, TextNormalizer, iter_rows
from textprep_ml.labelling import suggest
from textprep_ml.labelling.scoring import score_text

SAMPLE = [row["text"] for row in iter_rows("data/sample/train.jsonl")]


@pytest.fixture(scope="module")
def english() -> SentenceSegmenter:
    return SentenceSegmenter.load("en")


def margin(row: dict[str, Any]) -> float:
    return abs(row["probability"] - 0.5)


def test_rows_say_where_they_are(english: SentenceSegmenter) -> None:
    for row in suggest(english, SAMPLE, n=40):
        text = SAMPLE[row["document"]]
        assert text[: row["end"]].endswith(row["left"])
        assert text[row["start"] :].startswith(row["right"])
        assert not text[row["end"] : row["start"]].strip()
        assert row["kind"] != "paragraph"


def test_decisions_and_probabilities_are_those_of_the_segmenter(english: SentenceSegmenter) -> None:
    for row in suggest(english, SAMPLE, n=40):
        text = SAMPLE[row["document"]]
        positions, probabilities = english.candidate_positions([text])[0], english.predict_proba([text])[0]
        place = positions[:, 0].tolist().index(row["end"])
        assert row["probability"] == pytest.approx(probabilities[place, 1], abs=1e-4)
        assert row["is_boundary"] == (row["end"] in [end for _, end in english.spans(text)[:-1]])


def test_the_doubtful_come_first(english: SentenceSegmenter) -> None:
    rows = suggest(english, SAMPLE, n=20)
    everything = np.concatenate([score_text(english, text).margins for text in SAMPLE])
    chosen = [margin(row) for row in rows]
    assert np.mean(chosen) < 0.35 < 0.4 < np.mean(np.abs(1 / (1 + np.exp(-everything)) - 0.5))
    for kind in {row["kind"] for row in rows}:
        found = [margin(row) for row in rows if row["kind"] == kind]
        assert found[0] < found[-1]


def test_kinds_take_turns(english: SentenceSegmenter) -> None:
    kinds = [row["kind"] for row in suggest(english, SAMPLE, n=15)]
    counts = Counter(kinds)
    assert len(counts) >= 4
    assert max(counts.values()) <= 5


def test_near_duplicates_are_left_out(english: SentenceSegmenter) -> None:
    texts = [f"The vol. {number} came. See also approx. {number} Kg. of it." for number in range(50)]
    rows = suggest(english, texts, n=50)
    assert 0 < len(rows) <= 8
    assert len(suggest(english, [texts[0]], n=50)) == len(rows)


def test_what_resembles_the_chosen_waits(english: SentenceSegmenter) -> None:
    words = ["Ant", "Bee", "Cat", "Dog", "Elk", "Fox"]
    texts = [f"We know the approx. {word} here." for word in words] + ["It is est. Bee now."]
    words_before = [row["left"].split()[-1] for row in suggest(english, texts, n=7)]
    assert words_before[0] == "approx."
    # Surer by itself than most of the others, but they have a word in common with the first.
    assert "est." in words_before[1:5]


def test_labelled_places_are_left_out(english: SentenceSegmenter) -> None:
    first = suggest(english, SAMPLE, n=30)
    labelled: dict[int, list[int]] = {}
    for row in first:
        labelled.setdefault(row["document"], []).append(row["end"])
    second = suggest(english, SAMPLE, n=30, labelled=labelled)
    places = {(row["document"], row["end"]) for row in first}
    assert len(second) == 30
    assert not places & {(row["document"], row["end"]) for row in second}


def test_ids_are_kept_and_the_choice_is_the_same_each_time(english: SentenceSegmenter) -> None:
    ids = [f"d{number}" for number in range(len(SAMPLE))]
    rows = suggest(english, iter(SAMPLE), n=25, ids=iter(ids))
    assert rows == suggest(english, SAMPLE, n=25, ids=ids)
    assert all(row["id"] == f"d{row['document']}" for row in rows)


def test_there_may_be_fewer(english: SentenceSegmenter) -> None:
    assert suggest(english, [], n=5) == []
    assert suggest(english, ["", " ", "Word"], n=5) == []
    assert len(suggest(english, ["One. Two."], n=5)) == 1


def test_places_are_those_of_the_raw_text(english: SentenceSegmenter) -> None:
    text = "Ｗｅ ｍｅｔ\u00a0Ｄｒ． Ｉｔｏ． Ｓｈｅ ｌｅｆｔ．"
    segmenter = SentenceSegmenter(normalizer=TextNormalizer(form="NFKC"), min_count=1)
    segmenter.fit(["We met Dr. Ito. She left. It rained."] * 9, [[(0, 15), (16, 25), (26, 36)]] * 9)
    rows = suggest(segmenter, [text], n=9)
    assert rows
    for row in rows:
        assert text[row["end"] : row["start"]].strip() == ""
    assert {text[row["start"]] for row in rows if row["kind"] == "mark"} == {"Ｉ", "Ｓ"}


def test_memory_does_not_grow_with_the_text(english: SentenceSegmenter) -> None:
    block = " ".join(SAMPLE[:20])

    def texts(n: int) -> Iterator[str]:
        for number in range(n):
            yield block.replace(" the ", f" the{number} ")

    def peak(n: int) -> int:
        tracemalloc.start()
        suggest(english, texts(n), n=3)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(1)
    assert peak(40) < 1.5 * peak(4)


@pytest.mark.parametrize(
    ("documents", "n", "error", "message"),
    [
        ("One. Two.", 3, TypeError, "one str"),
        (["One.", None], 3, TypeError, "document 1 is NoneType"),
        (["One."], 0, ValueError, "positive number of places, got 0"),
        (["One."], 2.5, ValueError, r"got 2\.5"),
        (["One."], True, ValueError, "got True"),
    ],
)
def test_bad_arguments_are_refused(
    english: SentenceSegmenter, documents: Any, n: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        suggest(english, documents, n=n)


def test_rules_cannot_tell_how_sure_they_are() -> None:
    with pytest.raises(TypeError, match="tells how sure it is, such as SentenceSegmenter, got RuleSegmenter"):
        suggest(RuleSegmenter(), ["One."], n=3)
