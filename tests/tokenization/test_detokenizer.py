"""Back from tokens to text."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tokenization.texts import HOSTILE, sample_lines
from textprep_ml.tokenization import Detokenizer, TreebankTokenizer, WordTokenizer


@given(text=HOSTILE)
def test_separators_give_the_exact_inverse(text: str) -> None:
    tokenizer = WordTokenizer()
    assert Detokenizer().join(tokenizer.tokenize(text), separators=tokenizer.separators(text)) == text


def test_spans_give_the_inverse_up_to_the_kind_of_white_space() -> None:
    tokenizer, text = WordTokenizer(), "  it's\tover , yes"
    assert Detokenizer().join(tokenizer.tokenize(text), spans=tokenizer.spans(text)) == "  it's over , yes"


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith paid $3.50 for the app-it's amazing!!",
        "Isn't that great?",
        'She said "no" (twice), then left.',
        "I can't; they're gonna win, I cannot.",
        "“Well,” he said—“why not?”",
        "It's 50% off: only €3.50!",
        "either/or and so on...",
        "L'ami qu'il vit.",
        "the dogs' bones",
        "He said 'yes' and left.",
        "我们走吧",
    ],
)
@pytest.mark.parametrize("contractions", ["split", "keep", "moses"])
def test_rules_undo_the_tokenizer(text: str, contractions: str) -> None:
    language = "fr" if text.startswith("L'") else "en"
    tokens = WordTokenizer(contractions=contractions, language=language, unspaced="runs").tokenize(text)
    assert Detokenizer().join(tokens) == text


def test_both_schools_of_quotes() -> None:
    tokens = ["``", "No", ",", "''", "she", "said", ",", "``", "is", "n't", "it", "?", "''"]
    assert Detokenizer().join(tokens) == "``No,'' she said, ``isn't it?''"
    assert Detokenizer(quotes="straight").join(tokens) == '"No," she said, "isn\'t it?"'


def test_hyphens() -> None:
    assert Detokenizer().join(["well", "-", "known"]) == "well-known"
    assert Detokenizer(hyphens="space").join(["a", "-", "b"]) == "a - b"
    assert Detokenizer().join(["1", "–", "2", "a", "–", "b"]) == "1–2 a – b"


def test_most_sample_lines_come_back() -> None:
    """Rules cannot know every blank; the share that comes back exactly must not fall."""
    lines = [" ".join(line.split()) for line in sample_lines() if line.isascii() and line.strip()]
    for tokenizer in (WordTokenizer(), TreebankTokenizer()):
        same = sum(Detokenizer().join(tokenizer.tokenize(line)) == line for line in lines)
        assert same >= 0.8 * len(lines), [
            line for line in lines if Detokenizer().join(tokenizer.tokenize(line)) != line
        ]


def test_nesting_and_errors() -> None:
    detokenizer = Detokenizer()
    assert detokenizer.transform([[["a", "."], ["b"]], []]) == [["a.", "b"], ""]
    with pytest.raises(TypeError, match="document 0 is str"):
        detokenizer.transform(["text"])
    with pytest.raises(TypeError, match="token 1 of document 0 is int"):
        detokenizer.transform([["a", 1]])
    with pytest.raises(TypeError, match="sequence of lists"):
        detokenizer.transform("text")
    with pytest.raises(ValueError, match="2 tokens and 2 separators"):
        detokenizer.join(["a", "b"], separators=["", ""])
    with pytest.raises(ValueError, match="another length"):
        detokenizer.join(["ab"], spans=[(0, 1)])
    with pytest.raises(ValueError, match="ends at 1,000,000,000,001"):
        detokenizer.join(["a"], spans=[(10**12, 10**12 + 1)])
    with pytest.raises(ValueError, match="1 spans"):
        detokenizer.join(["a", "b"], spans=[(0, 1)])
