"""Each step: what it promises, on texts of all planes, with both kernels."""

from __future__ import annotations

import sys
import unicodedata
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.growth import assert_growth
from textprep_ml import _kernels
from textprep_ml._kernels import _normalize
from textprep_ml._kernels._pure import normalize as pure
from textprep_ml.exceptions import ModelFormatError
from textprep_ml.normalization import (
    AccentNormalizer,
    CaseNormalizer,
    ContractionNormalizer,
    ControlNormalizer,
    Dehyphenator,
    DigitNormalizer,
    OffsetMap,
    PunctuationNormalizer,
    RuleNormalizer,
    TextNormalizer,
    UnicodeNormalizer,
    WhitespaceNormalizer,
    punctuation_table,
)
from textprep_ml.normalization._rules import joins, normalize_form

FORMS = ("NFC", "NFD", "NFKC", "NFKD")

#: What the steps care about, made likely: marks of several classes, jamo, ligatures, joiners, blanks of all kinds,
#: sigma, apostrophes.
TRICKY = (
    "aeiouAEIO\u0301\u0302\u0323\u0327\u0345\u0338\u0344éÉǖßİıΣσςΆαſŉ"
    "ﬁ½…①㎏㈱ｶﾞﾊﾟ \t\n\r\x0b\x0c\x1c\x85\xa0\u2003\u2028\u2029\u3000"
    "\x00\x07\x1b\xad\u200b\u200c\u200d\u200e\u2060\ufeff\u180e\U000e0001\U000e0062\U000e007f\U0001f3f4👩🔬❤\ufe0f\U0001f3fd"
    "한글\u1100\u1161\u11a8각क्षिक़\u093c\u094d\u09c7\u09be\u0bc6\u0bd7กำ\u0e4d\u0e33می\u0646\u064b\u0651\u05d0\u05b7\u05bc"
    "'’-–—‐“”.,!0123٣４ＡtsdT\u00b4\u00a8\ufdfa\ufb1d\u2126\u212b\u1e9b\U0001d15e\ud800\udfff\U00011131\U00011127\U0010ffff"
)
CHARS = st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=()))
TEXTS = st.text(alphabet=CHARS, max_size=30)


@pytest.fixture(autouse=True, params=["compiled", "pure"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    module = _normalize if request.param == "compiled" else pure
    monkeypatch.setattr(_kernels, "load", lambda name: module)


def both(step: Any, text: str) -> str:
    """Normalize by `transform` and by `align`; check that they and the parts of the map agree."""
    normalized, offsets = step.align(text)
    assert step.transform([text]) == [normalized]
    assert (offsets.raw_length, offsets.normalized_length) == (len(text), len(normalized))
    return normalized


hypothesis_settings = settings(max_examples=120)


@pytest.mark.parametrize("form", FORMS)
@hypothesis_settings
@given(text=TEXTS)
@example(text="\u0344\u0301")
@example(text="a\U0001d165\U0001d16e\u0301")
@example(text="\u1100\u1161\u11a8\u11a8")
def test_unicode_form_equals_unicodedata(form: str, text: str) -> None:
    expected = unicodedata.normalize(form, text)
    assert both(UnicodeNormalizer(form=form), text) == expected
    assert both(UnicodeNormalizer(form=form), expected) == expected


@pytest.mark.parametrize("form", FORMS)
def test_every_character_between_letters_and_marks(form: str) -> None:
    step = UnicodeNormalizer(form=form).fit([])
    every = map(chr, range(sys.maxunicode + 1))
    chars = [char for char in every if joins(char) or unicodedata.normalize("NFKD", char) != char][
        :: 1 if _kernels.load("") is _normalize else 9
    ]
    for template in ("{}", "a{}\u0323", "\u1112\u1161{}b", "\u0301{}"):
        text = "\x00".join(template.format(char) for char in chars)
        assert step.transform([text]) == [unicodedata.normalize(form, text)]


def test_whatever_composes_joins() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        decomposition = unicodedata.decomposition(char)
        if decomposition and not decomposition.startswith("<") and " " in decomposition:
            assert joins(chr(int(decomposition.split()[1], 16))), hex(code)
        if unicodedata.combining(unicodedata.normalize("NFKD", char)[0]):
            assert joins(char)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=120)
@given(
    text=st.text(
        alphabet="ae\u0301\u0302\u0323\u0327\u0345\u0344\u1100\u1161\u11a8\u09c7\u09be\u0f71\u0f72\u0f73ｶﾞ",
        min_size=65,
        max_size=150,
    )
)
def test_long_groups_equal_unicodedata(form: Any, text: str) -> None:
    assert normalize_form(form, text) == unicodedata.normalize(form, text)
    marks = "a" + "".join(char for char in text if unicodedata.combining(char)) * 3 + text
    assert normalize_form(form, marks) == unicodedata.normalize(form, marks)
    assert both(UnicodeNormalizer(form=form), marks) == unicodedata.normalize(form, marks)


@hypothesis_settings
@given(text=TEXTS)
@example(text="ὈΔΥΣΣΕΎΣ. Σ Σ' 'Σ AΣ\u0301 AΣ\u00adB")
def test_case_equals_the_methods_of_str(text: str) -> None:
    assert both(CaseNormalizer(case="lower"), text) == text.lower()
    assert both(CaseNormalizer(case="casefold"), text) == text.casefold()


@hypothesis_settings
@given(text=TEXTS)
def test_accents(text: str) -> None:
    stripped = both(AccentNormalizer(accents="strip_all"), text)
    assert unicodedata.normalize("NFC", stripped) == unicodedata.normalize(
        "NFC", "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn")
    )
    some = both(AccentNormalizer(), text)
    for step, once in ((AccentNormalizer(), some), (AccentNormalizer(accents="strip_all"), stripped)):
        assert both(step, once) == once
    assert not any(unicodedata.combining(char) >= 200 for char in unicodedata.normalize("NFD", some))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Café", "Cafe"),
        ("cafe\u0301", "cafe"),
        ("Việt Nam", "Viet Nam"),
        ("e\u0323\u0302", "e"),
        ("Ångström", "Angstrom"),
        ("हिन्दी ज़", "हिन्दी ज़"),
        ("ガパ", "ガパ"),
        ("ไม่กำ", "ไม่กำ"),
        ("a≠b", "a≠b"),
        ("한글", "한글"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("øłđ", "øłđ"),
        ("\u0301", ""),
        ("", ""),
    ],
)
def test_accents_that_make_another_letter_stay(raw: str, expected: str) -> None:
    assert both(AccentNormalizer(), raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\ufeffa\x00b\x1bc\u200bd\u2060e", "abcde"),
        ("a\tb\nc\r\nd\x0be\x0cf\x85g\u2028h", "a\tb\nc\r\nd\x0be\x0cf\x85g\u2028h"),
        ("co\xadoperate", "cooperate"),
        ("rep\xad\nresent, rep\xad\r\nresent", "rep-\nresent, rep-\r\nresent"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("می\u200c\u200cخواهم", "می\u200cخواهم"),
        ("خانه\u200c \u200cx", "خانه x"),
        ("क्\u200dष न\u094d\u200d", "क्\u200dष न\u094d\u200d"),
        ("র\u200d্য", "র\u200d্য"),
        ("ᠨᠠ\u180eᠠ", "ᠨᠠ\u180eᠠ"),
        ("a\u200db \u200d", "ab "),
        ("👩\u200d🔬 👩🏽\u200d🔬 ❤\ufe0f\u200d🔥", "👩\u200d🔬 👩🏽\u200d🔬 ❤\ufe0f\u200d🔥"),
        ("👩\u200dx", "👩x"),
        (
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f!",
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f!",
        ),
        ("hi\U000e0068\U000e0069", "hi"),
        ("\u0600١ \ud800 \ue000 \u0378", "\u0600١ \ud800 \ue000 \u0378"),
    ],
)
def test_control_and_format_characters(raw: str, expected: str) -> None:
    assert both(ControlNormalizer(), raw) == expected


@hypothesis_settings
@given(text=TEXTS)
def test_control_is_idempotent_and_keeps_tabs_and_newlines(text: str) -> None:
    once = both(ControlNormalizer(), text)
    assert both(ControlNormalizer(), once) == once
    assert [char for char in once if char in "\t\n"] == [char for char in text if char in "\t\n"]


@hypothesis_settings
@given(text=TEXTS)
def test_punctuation_digits_and_whitespace_on_any_text(text: str) -> None:
    table = punctuation_table() | {"•": "*"}
    assert both(PunctuationNormalizer(table={"•": "*"}), text) == "".join(table.get(char, char) for char in text)
    assert both(DigitNormalizer(mask="#"), text) == "".join(
        "#" if unicodedata.category(char) == "Nd" else char for char in text
    )
    assert both(WhitespaceNormalizer(), text) == " ".join(text.split())
    lines = both(WhitespaceNormalizer(whitespace="lines"), text)
    assert lines.split("\n") == [" ".join(line.split()) for line in text.split("\n")]
    for mode in ("lines", "paragraphs", "line_ends"):
        once = both(WhitespaceNormalizer(whitespace=mode), text)
        assert both(WhitespaceNormalizer(whitespace=mode), once) == once


def test_lines_end_at_newlines_only() -> None:
    raw = "one two\x0bthree\r\nfour\u2028five\x85six\x0cseven\n"
    assert (
        both(WhitespaceNormalizer(whitespace="line_ends"), raw) == "one two\x0bthree\nfour\u2028five\x85six\x0cseven\n"
    )
    assert both(WhitespaceNormalizer(whitespace="lines"), raw) == "one two three\nfour five six seven\n"
    assert both(WhitespaceNormalizer(whitespace="paragraphs"), "a\nb \n \n\n c\n") == "a b\n\nc"


def test_punctuation_groups_and_the_users_entries() -> None:
    text = "“a”—‘b’…！「c」"
    assert both(PunctuationNormalizer(), text) == "\"a\"-'b'...!「c」"
    assert both(PunctuationNormalizer(groups=["dashes"]), text) == "“a”-‘b’…！「c」"
    assert both(PunctuationNormalizer(groups=[], table={"「": '"', "」": '"'}), text) == '“a”—‘b’…！"c"'
    assert both(PunctuationNormalizer(table={"—": " - ", "…": "…"}), text) == "\"a\" - 'b'…!「c」"


@pytest.mark.parametrize(
    ("raw", "split", "expanded"),
    [
        ("it's", "it 's", "it is"),
        ("It’s", "It ’s", "It is"),
        ("IT'S", "IT 'S", "IT IS"),
        ("it's been", "it 's been", "it's been"),
        ("it's never been", "it 's never been", "it's never been"),
        ("won't", "wo n't", "will not"),
        ("Can't", "Ca n't", "Can not"),
        ("DON'T", "DO N'T", "DO NOT"),
        ("I'm", "I 'm", "I am"),
        ("I'd", "I 'd", "I'd"),
        ("John's", "John 's", "John's"),
        ("he's", "he 's", "he's"),
        ("let's go", "let 's go", "let us go"),
        ("the dogs' tails", "the dogs' tails", "the dogs' tails"),
        ("'tis rock'n'roll", "'tis rock'n'roll", "'tis rock'n'roll"),
        ("shouldn't've", "should n't 've", "shouldn't've"),
        ("They'll, we've; you're!", "They 'll, we 've; you 're!", "They will, we have; you are!"),
        ("l'homme", "l'homme", "l'homme"),
        ("", "", ""),
    ],
)
def test_contractions(raw: str, split: str, expanded: str) -> None:
    assert both(ContractionNormalizer(contractions="split"), raw) == split
    assert both(ContractionNormalizer(contractions="split"), split) == split
    assert both(ContractionNormalizer(contractions="expand"), raw) == expanded


def test_contraction_table_of_the_user() -> None:
    step = ContractionNormalizer(contractions="expand", table={"gonna": "going to", "it's": "it's", "y'all": "you all"})
    assert both(step, "It's gonna rain, Y'all; don't") == "It's going to rain, You all; do not"


def test_parts_of_a_contraction_map_to_their_own_characters() -> None:
    expanded, offsets = ContractionNormalizer(contractions="expand").align("He won't, it’s")
    assert expanded == "He will not, it is"
    assert offsets.to_raw(3, 7) == (3, 5)
    assert offsets.to_raw(8, 11) == (5, 8)
    assert offsets.to_raw(13, 15) == (10, 12)
    assert offsets.to_raw(16, 18) == (12, 14)
    split, offsets = ContractionNormalizer(contractions="split").align("don't")
    assert split == "do n't"
    assert offsets.to_raw([[0, 2], [3, 6], [2, 3]]).tolist() == [[0, 2], [2, 5], [2, 2]]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            "The represen-\ntatives agreed on price-\ndetermining rules.",
            "The representatives agreed on price-determining rules.",
        ),
        ("Represen- \r\n  tatives", "Representatives"),
        ("REPRESEN\u2010\nTATIVES", "REPRESENTATIVES"),
        ("un\xad\nknown", "unknown"),
        ("re-\npresen-\ntatives", "representatives"),
        ("co-\noperate", "co-operate"),
        ("pre- and post-war, pre-\nand post-\nwar", "pre- and post-war, pre-\nand post-war"),
        ("a list -\n-\nitem-\n\nnext 2019-\n2020", "a list -\n-\nitem-\n\nnext 2019-2020"),
        ("-\n", "-\n"),
    ],
)
def test_dehyphenation(raw: str, expected: str) -> None:
    step = Dehyphenator(vocabulary={"representatives", "determining", "price", "cooperate", "co-operate"})
    assert both(step, raw) == expected


def test_dehyphenation_learns_from_the_corpus() -> None:
    corpus = ["All representatives met. The well-known price.", "The represen-\ntatives of well-\nknown firms"]
    step = Dehyphenator().fit(corpus)
    assert "represen" not in step.vocabulary_
    assert step.transform(corpus)[1] == "The representatives of well-known firms"


def test_rules() -> None:
    step = RuleNormalizer(rules=[(r"https?://\S+", "URL"), (r"(\p{L}+) \1", r"\1"), ("$", "!")])
    assert both(step, "see https://a.b/c the the end") == "see URL the end!"
    assert both(step, "\ud800\x00") == "\ud800\x00!"
    _, offsets = step.align("see https://a.b/c now")
    assert offsets.to_raw(4, 7) == (4, 17)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (RuleNormalizer(rules=[("(", "")]), r"rules\[0\].*no regular expression"),
        (RuleNormalizer(rules=[("a", r"\1")]), r"rules\[0\]"),
        (RuleNormalizer(rules=["ab"]), r"rules\[0\].*pair"),
        (PunctuationNormalizer(table={"--": "-"}), "single character"),
        (PunctuationNormalizer(groups=["dots"]), "dashes"),
        (DigitNormalizer(mask=""), "one character"),
        (ContractionNormalizer(contractions="expand", table={"a": 1}), "table"),
        (Dehyphenator(vocabulary=["a", 1]), "vocabulary holds 1"),
    ],
)
def test_bad_parameters_are_named(step: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        step.fit(["x"])
    with pytest.raises(ValueError, match=message):
        step.transform(["x"])


def test_steps_are_saved_and_loaded(tmp_path: Any) -> None:
    path = tmp_path / "step.json"
    raw = "It’s CAFÉ—the re-\npeat 12"
    for step in (
        CaseNormalizer(case="casefold"),
        RuleNormalizer(rules=[("a", "b")]),
        Dehyphenator(vocabulary={"repeat"}),
        Dehyphenator(),
        PunctuationNormalizer(table={"•": "*"}),
        TextNormalizer(dehyphenation="join", case="lower"),
        TextNormalizer(form="NFD"),
        TextNormalizer(dehyphenation=Dehyphenator(), case=CaseNormalizer()),
    ):
        step.fit(["Repeat it"]).save(path)
        assert type(step).load(path).transform([raw]) == step.transform([raw])
    with pytest.raises(ModelFormatError, match="case is an object"):
        TextNormalizer(case=Foreign()).fit([]).save(path)


class Foreign:
    """A step of the user's own, no estimator."""

    def align(self, text: str) -> tuple[str, OffsetMap]:
        return text.swapcase(), OffsetMap(len(text))


def test_a_step_can_be_replaced() -> None:
    normalizer = TextNormalizer(form="NFKC", case=Foreign(), whitespace=WhitespaceNormalizer(whitespace="lines"))
    normalized, offsets = normalizer.align("ﬁne  Day")
    assert normalized == "FINE dAY"
    assert offsets.to_raw(0, 4) == (0, 3)
    assert normalizer.fit(["x"]).transform(["ﬁne  Day"]) == [normalized]


@pytest.mark.parametrize(
    "step",
    [
        UnicodeNormalizer(form="NFKC"),
        AccentNormalizer(),
        CaseNormalizer(),
        ControlNormalizer(),
        WhitespaceNormalizer(),
        TextNormalizer(form="NFC", case="casefold", accents="strip", control="drop", whitespace="collapse"),
    ],
)
@pytest.mark.parametrize(
    "unit",
    [
        "\u0301",
        "\u0301\u0323",
        "\u0323\u0301\u0327",
        "\u200d",
        "Σ'",
        " \u200d",
        "👩\u200d",
        "\x00",
        "\xad\n",
        "\u1161",
        "a\u0301",
        "\ufb01",
        "\ud800",
    ],
)
def test_time_is_linear(step: Any, unit: str) -> None:
    assert_growth(lambda size: partial(step.align, "a" + unit * (size // len(unit)) + "a"), 3_000)
