"""The word tokenizer: worked examples, reported cases, and every option."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
import regex
from hypothesis import given
from sklearn.base import clone

from tests.tokenization.texts import HOSTILE, SHARED, treebank
from textprep_ml.metrics import token_scores
from textprep_ml.tokenization import PRESETS, WordTokenizer
from textprep_ml.tokenization._rules import PROTECTED

SPLIT = WordTokenizer()
KEEP = WordTokenizer(contractions="keep")
UD = WordTokenizer.from_preset("ud")


def tokens(text: str, **params: Any) -> str:
    return " | ".join(WordTokenizer(**params).tokenize(text))


def test_worked_example() -> None:
    # "Dr" is an abbreviation; $ is a mark before a number; a hyphen before a clause ("it's") is a dash; marks stand
    # alone, even in a run.
    expected = "Dr. | Smith | paid | $ | 3.50 | for | the | app | - | it | 's | amazing | ! | !"
    assert tokens("Dr. Smith paid $3.50 for the app-it's amazing!!") == expected
    assert tokens("Isn't that great?") == "Is | n't | that | great | ?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the app-it's", "the | app | - | it | 's"),
        ("the app-It’s", "the | app | - | It | ’s"),
        ("ready-they're here", "ready | - | they | 're | here"),
        ("nice-isn't it", "nice | - | is | n't | it"),
        ("wait-don't", "wait | - | do | n't"),
        ("it's-amazing", "it | 's | - | amazing"),
        ("my mother-in-law's car", "my | mother-in-law | 's | car"),
        ("a well-known trick", "a | well-known | trick"),
        ("the ex-president's", "the | ex-president | 's"),
        ("a can't-miss deal", "a | can't-miss | deal"),
    ],
)
def test_hyphen_before_a_clause_is_a_dash(text: str, expected: str) -> None:
    assert tokens(text) == expected


CASES = [
    # W01: tokens are slices of the text, quotes too.
    ({}, "Say \"yes\" or ``no'' or ''maybe\".", "Say | \" | yes | \" | or | `` | no | '' | or | '' | maybe | \" | ."),
    # W02: both policies.
    ({"contractions": "keep"}, "I cannot wait; we're gonna win.", "I | cannot | wait | ; | we're | gonna | win | ."),
    ({}, "I cannot wait; we're gonna win.", "I | can | not | wait | ; | we | 're | gon | na | win | ."),
    # W03: all white space is alike.
    ({}, "it's\tours; they're\nhere, he'd\fgone", "it | 's | ours | ; | they | 're | here | , | he | 'd | gone"),
    # W05: compounds whole, dashes apart.
    (
        {},
        "A well-known trick--or so they say—works (pp. 12-14).",
        "A | well-known | trick | -- | or | so | they | say | — | works | ( | pp. | 12-14 | ) | .",
    ),
    ({"hyphens": "split"}, "A well-known trick", "A | well | - | known | trick"),
    ({"hyphens": "affixes"}, "A well-known e-mail, twenty-fold", "A | well | - | known | e-mail | , | twenty-fold"),
    ({"ranges": "split"}, "pp. 12-14, 555-1234", "pp. | 12 | - | 14 | , | 555-1234"),
    # W11: clitics go off after the apostrophe, lexical exceptions stay.
    (
        {"language": "fr"},
        "L'ami d'Anne qu'il vit est là aujourd’hui.",
        "L' | ami | d' | Anne | qu' | il | vit | est | là | aujourd’hui | .",
    ),
    ({"language": "it"}, "Dell'anno un po' d'acqua", "Dell' | anno | un | po' | d' | acqua"),
    # K09: no word is too short.
    ({}, "I saw a 犬", "I | saw | a | 犬"),
]


@pytest.mark.parametrize(("params", "text", "expected"), CASES)
def test_reported_cases(params: dict[str, Any], text: str, expected: str) -> None:
    assert tokens(text, **params) == expected
    spans = WordTokenizer(**params).spans(text)
    assert [text[start:end] for start, end in spans] == expected.split(" | ")


def test_spans_of_repeated_short_words() -> None:
    """W10: nothing is searched afterwards, so a one-letter word is not found inside the next one."""
    text = "   a cat as a\n\na pal "
    assert SPLIT.spans(text).tolist() == [[3, 4], [5, 8], [9, 11], [12, 13], [15, 16], [17, 20]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see https://x.org/a_(b)?q=1, or", "see | https://x.org/a_(b)?q=1 | , | or"),
        ("(http://x.org/a).", "( | http://x.org/a | ) | ."),
        ("www.site.com, example.co.uk/path.", "www.site.com | , | example.co.uk/path | ."),
        ("mail jo.doe+tag@x.org.", "mail | jo.doe+tag@x.org | ."),
        ("mailto:a@b.org!", "mailto:a@b.org | !"),
        (
            "in src/main.py, /usr/bin/python3 or C:\\dir\\f.txt",
            "in | src/main.py | , | /usr/bin/python3 | or | C:\\dir\\f.txt",
        ),
        ("run ./run.sh ../x/y.py ~/.bashrc ...", "run | ./run.sh | ../x/y.py | ~/.bashrc | ..."),
        ("notes.txt. My_file.tar", "notes.txt | . | My_file.tar"),
        (
            "call foo() or os.path.join(), snake_case, __init__",
            "call | foo() | or | os.path.join() | , | snake_case | , | __init__",
        ),
        ("C++ and C# &amp; Java", "C++ | and | C# | &amp; | Java"),
        ("#tag_1 @user_x #1", "#tag_1 | @user_x | # | 1"),
        ("ok :) ;-) :( =D <3 :'( ^_^", "ok | :) | ;-) | :( | =D | <3 | :'( | ^_^"),
        ("see: (a) note:(b)", "see | : | ( | a | ) | note | : | ( | b | )"),
        ("👍🏽👨‍👩‍👧🇫🇷🇩🇪❤️1️⃣", "👍🏽 | 👨‍👩‍👧 | 🇫🇷 | 🇩🇪 | ❤️ | 1️⃣"),
        ("-5 +3.2% 1,000,000.50 .75 1.5e-10 12.", "-5 | +3.2 | % | 1,000,000.50 | .75 | 1.5e-10 | 12 | ."),
        ("on 12/05/2020, 2020-01-31 at 10:30pm", "on | 12/05/2020 | , | 2020-01-31 | at | 10:30pm"),
        ("US$5 €3.50 £2", "US$ | 5 | € | 3.50 | £ | 2"),
        ("shown [12], [3, 4] and [5-7].", "shown | [12] | , | [3, 4] | and | [5-7] | ."),
        ("AT&T, R&D, Smith&Wesson", "AT&T | , | R&D | , | Smith | & | Wesson"),
        ("90 km/h w/o and/or", "90 | km/h | w/o | and | / | or"),
        ("the '90s, 'tis, rock 'n' roll", "the | '90s | , | 't | is | , | rock | 'n' | roll"),
        ("O'Brien o'clock y'all", "O'Brien | o'clock | y' | all"),
        ("I'd've they’d don’t ISN'T", "I | 'd | 've | they | ’d | do | n’t | IS | N'T"),
        ("the dogs' bones", "the | dogs | ' | bones"),
        ("wait... and … so....", "wait | ... | and | … | so | ...."),
        ("ﬁne soft\u00adhyphen na\u00efve e\u0301te\u0301", "ﬁne | soft\u00adhyphen | naïve | e\u0301te\u0301"),
        ("end.The next", "end | . | The | next"),
        ("f**k 2*3 *bold*", "f**k | 2 | * | 3 | * | bold | *"),
        ("a<b>c", "a | < | b | > | c"),
        ("\ufefftext\u200b more", "\ufeff | text | \u200b | more"),
    ],
)
def test_protected_patterns_and_marks(text: str, expected: str) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. J. R. R. Tolkien", "Mr. | J. | R. | R. | Tolkien"),
        ("in the U.S.A. today", "in | the | U.S.A. | today"),
        ("e.g. this, i.e. that, etc.", "e.g. | this | , | i.e. | that | , | etc."),
        ("W.H.S. Koerner of D.C. took it a.c. twice", "W.H.S. | Koerner | of | D.C. | took | it | a.c. | twice"),
        ("a Ph.D. thesis", "a | Ph.D. | thesis"),
        ("No. 5, Fig. 3. No. That", "No. | 5 | , | Fig. | 3 | . | No | . | That"),
        ("you and I. He", "you | and | I | . | He"),
        ("Acme Inc. fell", "Acme | Inc. | fell"),
        ("Dr.Smith and p.5", "Dr. | Smith | and | p. | 5"),
        ("U.S.-based", "U.S.-based"),
        ("the end. Then", "the | end | . | Then"),
    ],
)
def test_abbreviations(text: str, expected: str) -> None:
    assert tokens(text) == expected


def test_your_own_abbreviations() -> None:
    text = "зразки (табл. 5.6) є. Див. рис. 2"
    own = ["табл.", "рис", "див"]  # with or without the period, any script, any case
    assert tokens(text, language="uk", abbreviations=own) == "зразки | ( | табл. | 5.6 | ) | є | . | Див. | рис. | 2"
    assert tokens("Dr. X", abbreviations=None) == "Dr | . | X"


@pytest.mark.parametrize(
    ("school", "expected"),
    [
        ("split", "do | n't | it | 's | can | not | dont | y' | all"),
        ("ptb", "do | n't | it | 's | can | not | dont | y'all"),
        ("spacy", "do | n't | it | 's | can | not | do | nt | y' | all"),
        ("moses", "don | 't | it | 's | cannot | dont | y'all"),
        ("keep", "don't | it's | cannot | dont | y'all"),
        ({"cannot": "can not", "*'s": "* 's"}, "don't | it | 's | can | not | dont | y'all"),
    ],
)
def test_schools_of_contractions(school: Any, expected: str) -> None:
    assert tokens("don't it's cannot dont y'all", contractions=school) == expected


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("我们走吧。好！", "我们走吧 | 。 | 好 | ！"),
        ("カメラをください", "カメラ | をください"),
        ("データ東京タワー", "データ | 東京 | タワー"),
        ("สวัสดีครับ hello", "สวัสดีครับ | hello"),
    ],
)
def test_scripts_without_blanks(text: str, runs: str) -> None:
    assert tokens(text, unspaced="runs") == runs
    single = WordTokenizer().tokenize(text)
    assert "".join(single) == text.replace(" ", "")
    assert len(single) > len(runs.split(" | "))


def test_korean_and_german_are_words() -> None:
    assert tokens("저는 학생입니다.") == "저는 | 학생입니다 | ."
    assert tokens("Wie geht's Dr. Müller?", language="de") == "Wie | geht | 's | Dr. | Müller | ?"


def test_protected_strings_and_patterns() -> None:
    """S39: a list of your own names is honoured, as whole words."""
    tokenizer = WordTokenizer(protected=["Zing!", "New York", re.compile(r"\d+ (?:mg|ml)")])
    text = "Zing! sells 5 mg in New York, AmaZing! New Yorkers"
    assert (
        " | ".join(tokenizer.tokenize(text)) == "Zing! | sells | 5 mg | in | New York | , | AmaZing | ! | New | Yorkers"
    )
    assert tokenizer.transform([text]) == [tokenizer.tokenize(text)]
    with pytest.raises(TypeError, match="protected"):
        WordTokenizer(protected=[5]).tokenize("x")
    with pytest.raises(ValueError, match="empty string"):
        WordTokenizer(protected=[""]).tokenize("x")
    assert WordTokenizer(protected=[regex.compile(r"\p{Lu}+ \p{Lu}+")]).tokenize("A B c") == ["A B", "c"]


def test_kinds_of_protection_are_chosen_one_by_one() -> None:
    text = "a@b.org #tag [1]"
    assert tokens(text, protect=("email",)) == "a@b.org | # | tag | [ | 1 | ]"
    assert tokens(text, protect=None) == "a | @ | b | . | org | # | tag | [ | 1 | ]"
    with pytest.raises(ValueError, match="citation"):
        tokens(text, protect=["emails"])
    assert set(PRESETS["ud"]["protect"]) < set(PROTECTED)


def test_other_options() -> None:
    assert tokens("5pm 10km", units="split") == "5 | pm | 10 | km"
    assert tokens("the 80's", decades="keep") == "the | 80's"
    assert tokens("what?!? no...", marks="runs") == "what | ?!? | no | ..."


def test_errors_say_what_and_where() -> None:
    with pytest.raises(ValueError, match="ptb"):
        WordTokenizer.from_preset("x")
    with pytest.raises(TypeError, match="NoneType"):
        SPLIT.tokenize(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"language = 'english' is no code .* for cs, de, en, .*uk\.$"):
        tokens("a", language="english", abbreviations=None)
    assert tokens("天安门 it's", language="zh") == tokens("天安门 it's", language="zh", contractions="keep")
    with pytest.raises(ValueError, match="lexicon"):
        WordTokenizer(abbreviations="xx").tokenize("a")
    with pytest.raises(ValueError, match="join to"):
        WordTokenizer(contractions={"gonna": "gon a"}).tokenize("a")
    with pytest.raises(ValueError, match="no ending"):
        WordTokenizer(contractions={"a*b": "a *b"}).tokenize("a")


def test_compiled_form_follows_the_parameters_and_stays_out_of_pickles() -> None:
    tokenizer = WordTokenizer()
    plain = pickle.dumps(tokenizer)
    assert tokenizer.tokenize("isn't") == ["is", "n't"]
    assert pickle.dumps(tokenizer) == plain
    assert tokenizer.set_params(contractions="keep").tokenize("isn't") == ["isn't"]
    tokenizer.contractions = "moses"
    assert clone(tokenizer).tokenize("isn't") == tokenizer.tokenize("isn't") == ["isn", "'t"]


def test_save_and_load(tmp_path: Any) -> None:
    UD.save(tmp_path / "words.json")
    again = WordTokenizer.load(tmp_path / "words.json")
    assert again.tokenize("a well-known e-mail") == UD.tokenize("a well-known e-mail")


def test_nested_lists_keep_their_nesting() -> None:
    assert SPLIT.transform([["a b", "c."], []]) == [[["a", "b"], ["c", "."]], []]


@given(text=HOSTILE)
def test_strings_are_slices_at_the_spans(text: str) -> None:
    for tokenizer in (SPLIT, KEEP, UD):
        assert tokenizer(text) == [text[start:end] for start, end in tokenizer.spans(text).tolist()]


@pytest.mark.parametrize(
    ("name", "language", "least"),
    [
        ("en_ewt-ud-dev.conllu", "en", 0.985),
        ("fr_gsd-ud-dev.conllu", "fr", 0.985),
        ("de_gsd-ud-dev.conllu", "de", 0.98),
    ],
)
def test_ud_preset_on_treebanks(name: str, language: str, least: float) -> None:
    """Dev scores without training: 0.990 English, 0.995 French, 0.989 German. Outside there is a small sample only."""
    texts, gold = treebank(name)
    there = (SHARED / "conllu" / name).is_file()
    tokenizer = WordTokenizer.from_preset("ud", language=language if there else "en")
    assert token_scores(texts, gold, [tokenizer.spans(text) for text in texts])["f1"] >= (least if there else 0.93)


def test_french_inversion() -> None:
    assert tokens("Y a-t-il, est-ce que donne-moi rendez-vous", language="fr") == (
        "Y | a | -t-il | , | est | -ce | que | donne | -moi | rendez-vous"
    )
