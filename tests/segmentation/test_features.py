"""The columns that classifiers learn from, their names and their values, on candidates made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.segmentation.candidates import random_rows, rows_of
from textprep_ml.segmentation.attributes import COLUMN, KINDS, NAMES, cardinalities
from textprep_ml.segmentation.features import CrossedEncoder, RankedEncoder

WORDS = ["now", "thanks"]
SEEN = rows_of(
    {"kind": "gap", "right.word": "thanks"},
    {"kind": "gap", "right.word": "thanks"},
    {"kind": "mark", "right.word": "now"},
    {"kind": "mark", "right.word": "thanks"},
    {"kind": "mark"},
    vocabulary=WORDS,
)
LABELS = np.zeros(len(SEEN), dtype=bool)


def crossed(min_count: int = 2) -> CrossedEncoder:
    encoder = CrossedEncoder(("kind", "kind right.word"), min_count)
    encoder.fit_transform(SEEN, LABELS, WORDS)
    return encoder


# Crossed


def test_each_frequent_combination_has_a_column() -> None:
    encoder = CrossedEncoder(("kind", "kind right.word"), 2)
    columns = encoder.fit_transform(SEEN, LABELS, WORDS)
    assert encoder.get_feature_names_out().tolist() == ["kind=mark", "kind=gap", "kind=gap & right.word=thanks"]
    assert columns.toarray().tolist() == [[0, 1, 1], [0, 1, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert columns.dtype == np.float32
    assert (encoder.transform(SEEN) != columns).nnz == 0


def test_rare_combinations_have_columns_where_asked_for() -> None:
    assert crossed(min_count=1).get_feature_names_out().tolist() == [
        "kind=mark",
        "kind=gap",
        "kind=mark & right.word=<other>",
        "kind=mark & right.word=now",
        "kind=mark & right.word=thanks",
        "kind=gap & right.word=thanks",
    ]
    assert crossed(min_count=6).get_feature_names_out().tolist() == []


def test_unseen_combinations_have_no_column() -> None:
    unseen = rows_of({"kind": "gap", "right.word": "now"}, {"kind": "line", "right.word": "thanks"}, vocabulary=WORDS)
    assert crossed().transform(unseen).toarray().tolist() == [[0, 1, 0], [0, 0, 0]]


def test_the_weight_table_scores_as_the_coefficients_do() -> None:
    encoder = crossed()
    coefficients, intercept = np.array([1.0, -2.0, 4.0]), 0.5
    table = encoder.weights(coefficients, intercept)
    rows = np.vstack([SEEN, random_rows(200, len(WORDS))])  # candidates of kinds that were never seen among them
    scores = table[encoder.layout.index(rows)].sum(axis=1)
    assert scores.tolist() == (encoder.transform(rows) @ coefficients + intercept).tolist()
    assert scores[:5].tolist() == [2.5, 2.5, 1.5, 1.5, 1.5]
    assert table.dtype == np.float32


# Ranked


def ranked(*counts: tuple[str, int, int], smoothing: float) -> dict[str, int]:
    """Give the rank of each kind, after training on so many boundaries among so many candidates of some kinds."""
    rows = rows_of(*({"kind": kind} for kind, _, total in counts for _ in range(total)))
    labels = np.array([index < boundaries for _, boundaries, total in counts for index in range(total)])
    encoder = RankedEncoder(smoothing)
    encoder.fit_transform(rows, labels, [])
    ranks = encoder.transform(rows_of(*({"kind": kind} for kind in KINDS)))[:, COLUMN["kind"]]
    return dict(zip(KINDS, ranks.astype(int).tolist(), strict=True))


def test_codes_are_ranked_by_their_share_of_boundaries() -> None:
    # The average is 3/8. With two average candidates more, the shares are gap (0 + 0.75) / (4 + 2) = 0.125,
    # line 1.75 / 4 = 0.4375, mark 2.75 / 4 = 0.6875; unseen kinds have the average, in the order of their codes.
    assert ranked(("mark", 2, 2), ("line", 1, 2), ("gap", 0, 4), smoothing=2) == {
        "gap": 0, "inside": 1, "mark_line": 2, "paragraph": 3, "line": 4, "mark": 5,
    }  # fmt: skip


@pytest.mark.parametrize(("smoothing", "first"), [(0.001, "inside"), (20, "mark")])
def test_smoothing_holds_rare_codes_near_the_average(smoothing: float, first: str) -> None:
    # 1 of 1 is 11/21 = 0.52 after smoothing with 20 average candidates, 9 of 10 is 19/30 = 0.63.
    ranks = ranked(("mark", 9, 10), ("inside", 1, 1), ("gap", 0, 9), smoothing=smoothing)
    assert ranks[first] == len(KINDS) - 1
    assert ranks["gap"] == 0


def test_unseen_words_rank_between_good_and_bad_signs() -> None:
    words = ["bad", "good", "unseen"]
    rows = rows_of({"right.word": "good"}, {"right.word": "bad"}, vocabulary=words)
    encoder = RankedEncoder()
    encoder.fit_transform(rows, np.array([True, False]), words)
    every = rows_of(*({"right.word": word} for word in ("bad", "<other>", "unseen", "good")), vocabulary=words)
    assert encoder.transform(every)[:, COLUMN["right.word"]].tolist() == [0, 1, 2, 3]


def test_ordered_codes_stay_and_others_are_permuted() -> None:
    rows = random_rows(300, len(WORDS))
    encoder = RankedEncoder()
    columns = encoder.fit_transform(rows, rows[:, 0] % 2 == 0, WORDS)
    assert columns.shape == rows.shape
    assert columns.dtype == np.float32
    assert (columns == encoder.transform(rows)).all()
    assert encoder.get_feature_names_out().tolist() == list(NAMES)
    assert (columns[:, COLUMN["left.length"]] == rows[:, COLUMN["left.length"]]).all()
    for offset, size in zip(encoder.rank_offsets, cardinalities(len(WORDS)), strict=True):
        assert sorted(encoder.ranks[offset : offset + size]) == list(range(size))
