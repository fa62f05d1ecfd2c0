"""Pattern, Treebank, white-space and character tokenizers."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenization.texts import HOSTILE, english_lines
from textprep_ml.tokenization import (
    PATTERNS,
    CharacterTokenizer,
    RegexTokenizer,
    TreebankTokenizer,
    WhitespaceTokenizer,
)

BOOK = r"""(?x)
    (?:[A-Z]\.)+          # abbreviations
  | \w+(?:-\w+)*          # words with inner hyphens
  | \$?\d+(?:\.\d+)?%?    # currency and percentages
  | \.\.\.                # ellipsis
  | [][.,;"'?():_`-]      # single marks
"""


def test_worked_example_the_order_of_alternatives_matters() -> None:
    text = "That U.S.A. poster-print costs $12.40, or 82%..."
    # Words stand before numbers: 82 is taken as a word, the % is left out; $12.40 starts with a $, as no word does.
    expected = "That|U.S.A.|poster-print|costs|$12.40|,|or|82|..."
    assert "|".join(RegexTokenizer(BOOK).tokenize(text)) == expected
    numbers_first = RegexTokenizer("book").tokenize(text)
    assert "|".join(numbers_first) == "That|U.S.A.|poster-print|costs|$12.40|,|or|82%|..."


PARITY = [
    (r"\w+", False),
    (r"\w+|[^\w\s]+", False),
    (BOOK, False),
    (r"(\w)(\w*)", False),  # groups: tuples
    (r"\$([\d.]+)|x", False),  # one group: its text
    (r"\s+", True),
    (r"(,)\s*", True),
    (r"^.*?$", False),
]
GROUP_RESULTS = [
    (r"(\w)(\w*)", "ab c", [("a", "b"), ("c", "")]),
    (r"\$([\d.]+)|x", "$3.50 x", ["3.50", ""]),
    (r"(?:[A-Z]\.)+|\w+", "U.S. it", ["U.S.", "it"]),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), GROUP_RESULTS)
def test_groups_are_handled_as_findall_does(pattern: str, text: str, expected: list[object]) -> None:
    assert RegexTokenizer(pattern).tokenize(text) == expected == re.findall(pattern, text)


@pytest.mark.parametrize(("pattern", "gaps"), PARITY)
@pytest.mark.parametrize("discard_empty", [True, False])
def test_same_results_as_the_reference(pattern: str, gaps: bool, discard_empty: bool) -> None:
    """The reference is NLTK's `regexp_tokenize`, or, without it, what its documentation says: findall and split."""
    flags = re.UNICODE | re.MULTILINE | re.DOTALL
    tokenizer = RegexTokenizer(pattern, gaps=gaps, discard_empty=discard_empty)
    for text in [*english_lines(20_000), "", " lead", "trail ", "a,b,, c", "two\nlines"]:
        if find_spec("nltk"):
            from nltk import regexp_tokenize

            expected = regexp_tokenize(text, pattern, gaps=gaps, discard_empty=discard_empty)
        elif gaps:
            expected = [token for token in re.split(pattern, text, flags=flags) if token or not discard_empty]
        else:
            expected = re.findall(pattern, text, flags=flags)
        assert tokenizer.tokenize(text) == expected


@pytest.mark.parametrize("name", sorted(PATTERNS))
@given(text=HOSTILE)
def test_named_patterns_give_slices(name: str, text: str) -> None:
    tokenizer = RegexTokenizer(name)
    assert tokenizer.tokenize(text) == [text[start:end] for start, end in tokenizer.spans(text).tolist()]


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
@given(text=st.text())
def test_pretokenizer_patterns_cover_everything(name: str, text: str) -> None:
    assert "".join(RegexTokenizer(name).tokenize(text)) == text


def test_gaps_have_spans() -> None:
    tokenizer = RegexTokenizer(r"\s*,\s*", gaps=True)
    assert tokenizer.tokenize("a , b,,c") == ["a", "b", "c"]
    assert tokenizer.spans("a , b,,c").tolist() == [[0, 1], [4, 5], [7, 8]]


def test_a_pattern_that_backtracks_is_stopped() -> None:
    tokenizer = RegexTokenizer(r"(?:a|a)+$", timeout=0.2)
    with pytest.raises(TimeoutError, match=r"backtracks too much.*possessive"):
        tokenizer.tokenize("a" * 4999 + "!")
    with pytest.raises(TimeoutError, match="5000 characters"):
        tokenizer.spans("a" * 4999 + "!")


def test_a_broken_pattern_is_named() -> None:
    with pytest.raises(ValueError, match=r"cannot compile the pattern '\(x'"):
        RegexTokenizer("(x").fit([])


TREEBANK = [
    (
        "Good muffins cost $3.88\nin New York.  Please buy me\ntwo of them.",
        "Good muffins cost $ 3.88 in New York. Please buy me two of them .",
    ),
    ("They'll save, won't they?", "They 'll save , wo n't they ?"),
    ('He said "no" (twice).', 'He said " no " ( twice ) .'),
    ('"I cannot," she said--\'tis late...', '" I can not , " she said -- \'t is late ...'),
    ("a:b 3:4 x,y 1,2 50% #1 @x", "a : b 3:4 x , y 1,2 50 % # 1 @ x"),
    ('the dogs\' gonna [e.g.] "end."', 'the dogs \' gon na [ e.g. ] " end . "'),
]


@pytest.mark.parametrize(("text", "expected"), TREEBANK)
def test_treebank_by_hand(text: str, expected: str) -> None:
    tokenizer = TreebankTokenizer()
    assert " ".join(tokenizer.tokenize(text)) == expected
    assert [text[start:end] for start, end in tokenizer.spans(text)] == expected.split(" ")


QUOTES = ('"', "''", "``")


def same_but_for_quotes(mine: list[str], theirs: list[str]) -> bool:
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and all(a == b or (a in QUOTES and b in QUOTES) for a, b in pairs)


def test_treebank_equals_nltk_but_for_quotes() -> None:
    """The one difference on purpose: quotes stay what they were. Without NLTK only losslessness is checked."""
    tokenizer = TreebankTokenizer()
    for line in english_lines():
        tokens = tokenizer.tokenize(line)
        assert "".join(tokens) == "".join(line.split())
        if find_spec("nltk"):
            from nltk.tokenize import TreebankWordTokenizer

            assert same_but_for_quotes(tokens, TreebankWordTokenizer().tokenize(line)), line


@given(text=HOSTILE)
def test_every_tokenizer_gives_slices_and_separators(text: str) -> None:
    for tokenizer in (
        TreebankTokenizer(),
        WhitespaceTokenizer(),
        CharacterTokenizer(),
        CharacterTokenizer(unit="grapheme"),
    ):
        tokens, separators = tokenizer.tokenize(text), tokenizer.separators(text)
        assert tokens == [text[start:end] for start, end in tokenizer.spans(text).tolist()]
        assert (
            separators[0] + "".join(token + after for token, after in zip(tokens, separators[1:], strict=True)) == text
        )


def test_characters() -> None:
    text = "e\u0301 👨‍👩‍👧\r\n🇫🇷"
    assert CharacterTokenizer().tokenize(text) == list(text)
    assert CharacterTokenizer(unit="grapheme").tokenize(text) == ["e\u0301", " ", "👨‍👩‍👧", "\r\n", "🇫🇷"]
    assert CharacterTokenizer(unit="grapheme", whitespace="drop").tokenize(text) == ["e\u0301", "👨‍👩‍👧", "🇫🇷"]
    assert CharacterTokenizer(whitespace="drop").tokenize(" a\tb") == ["a", "b"]


def test_white_space() -> None:
    assert WhitespaceTokenizer().tokenize("\u00a0a\u3000b\n c ") == ["a", "b", "c"]
