"""Every public estimator keeps the contract of `tests/checks.py`.

One line of `CASES` per estimator: an instance, how to fit it, and the methods that take documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sklearn.utils._param_validation import InvalidParameterError, generate_invalid_param_val, make_constraint

from tests import checks
from tests.segmentation.samples import labelled_sample
from textprep_ml.counts import WordCounter
from textprep_ml.distance import EditDistanceTransformer
from textprep_ml.normalization import (
    AccentNormalizer,
    CaseNormalizer,
    ContractionNormalizer,
    ControlNormalizer,
    Dehyphenator,
    DigitNormalizer,
    PunctuationNormalizer,
    RuleNormalizer,
    TextNormalizer,
    UnicodeNormalizer,
    WhitespaceNormalizer,
    make_normalizer,
)
from textprep_ml.pipelines import LeafAnalyzer
from textprep_ml.segmentation import NaiveSegmenter, RuleSegmenter, SentenceSegmenter
from textprep_ml.subword import BPETokenizer, UnigramTokenizer, WordPieceTokenizer
from textprep_ml.tagging import PosTagger
from textprep_ml.tokenization import (
    CharacterTokenizer,
    Detokenizer,
    RegexTokenizer,
    TreebankTokenizer,
    WhitespaceTokenizer,
    WordTokenizer,
)


def fit_on_texts(estimator: Any) -> Any:
    return estimator.fit(list(checks.TEXTS))


def fit_on_tags(estimator: Any) -> Any:
    return estimator.fit(list(checks.TEXTS), [" ".join(word[:1] for word in text.split()) for text in checks.TEXTS])


def fit_on_sentences(estimator: Any) -> Any:
    return estimator.fit(*(part[:12] for part in labelled_sample()))


@dataclass(frozen=True)
class Case:
    """An estimator under contract."""

    estimator: Any
    methods: tuple[str, ...]
    fit: Callable[[Any], Any] = fit_on_texts

    @property
    def name(self) -> str:
        return type(self.estimator).__name__


CASES: list[Case] = [
    Case(BPETokenizer(num_merges=20), ("transform", "encode_batch")),
    Case(UnigramTokenizer(vocab_size=60), ("transform", "encode_batch")),
    Case(WordPieceTokenizer(vocab_size=90), ("transform", "encode_batch")),
    Case(AccentNormalizer(), ("transform",)),
    Case(CaseNormalizer(), ("transform",)),
    Case(ContractionNormalizer(), ("transform",)),
    Case(ControlNormalizer(), ("transform",)),
    Case(Dehyphenator(), ("transform",)),
    Case(DigitNormalizer(), ("transform",)),
    Case(PunctuationNormalizer(), ("transform",)),
    Case(RuleNormalizer(rules=[("a", "b")]), ("transform",)),
    Case(TextNormalizer(), ("transform",)),
    Case(UnicodeNormalizer(), ("transform",)),
    Case(WhitespaceNormalizer(), ("transform",)),
    Case(make_normalizer("search"), ("transform",)),
    Case(make_normalizer("pdf"), ("transform",)),
    Case(WordTokenizer(), ("transform",)),
    Case(RegexTokenizer(), ("transform",)),
    Case(TreebankTokenizer(), ("transform",)),
    Case(WhitespaceTokenizer(), ("transform",)),
    Case(CharacterTokenizer(), ("transform",)),
    Case(Detokenizer(), ()),
    Case(LeafAnalyzer(), ("transform",)),
    Case(WordCounter(vocab_size=5, sparse_output=False), ("transform",)),
    Case(EditDistanceTransformer(), ("transform",)),
    Case(
        SentenceSegmenter(min_count=2),
        ("predict", "transform", "predict_proba", "candidate_positions"),
        fit_on_sentences,
    ),
    Case(RuleSegmenter(), ("predict", "transform")),
    Case(NaiveSegmenter(), ("predict", "transform")),
    Case(PosTagger(), ("predict", "transform"), fit_on_tags),
]

WITH_METHOD = [pytest.param(case, method, id=f"{case.name}-{method}") for case in CASES for method in case.methods]
EACH = [pytest.param(case, id=case.name) for case in CASES]


@pytest.mark.parametrize("name", checks.DATA_FREE)
@pytest.mark.parametrize("case", EACH)
def test_data_free(case: Case, name: str) -> None:
    checks.data_free_check(name)(case.name, case.estimator)


@pytest.mark.parametrize("check", checks.TEXT_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("case", "method"), WITH_METHOD)
def test_text_contract(case: Case, method: str, check: Callable[[Any, str], None]) -> None:
    check(case.fit(checks.clone(case.estimator)), method)


@pytest.mark.parametrize(("case", "method"), WITH_METHOD)
def test_unfitted_raises(case: Case, method: str) -> None:
    if case.estimator.__sklearn_tags__().requires_fit:
        checks.check_unfitted_raises(case.estimator, method)
    else:
        assert len(getattr(checks.clone(case.estimator), method)(["one text"])) == 1


@pytest.mark.parametrize(("case", "method"), WITH_METHOD)
def test_refit_equal(case: Case, method: str) -> None:
    checks.check_refit_equal(case.fit, case.estimator, method)


@pytest.mark.parametrize("case", EACH)
def test_every_parameter_is_constrained_and_refuses_nonsense(case: Case) -> None:
    constraints = type(case.estimator)._parameter_constraints
    assert set(constraints) == set(case.estimator.get_params(deep=False))
    for parameter, allowed in constraints.items():
        bad_values: list[Any] = [type("NotAParameterValue", (), {})()]
        for constraint in allowed:
            try:
                bad_values.append(generate_invalid_param_val(make_constraint(constraint)))
            except NotImplementedError:  # scikit-learn has no invalid value for this kind of constraint
                continue
        if "no_validation" in allowed:
            continue
        for bad in bad_values:
            if any(make_constraint(constraint).is_satisfied_by(bad) for constraint in allowed):
                continue
            broken = checks.clone(case.estimator).set_params(**{parameter: bad})
            with pytest.raises(InvalidParameterError, match=parameter):
                case.fit(broken)
