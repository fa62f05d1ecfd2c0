"""The boundary scanner and its twin see, score and cut alike, and keep what they promise for any text."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_growth
from tests.kernels.boundary_strategies import (
    DOCUMENTS,
    TEXTS,
    WORDS,
    lexicons,
    linear_model,
    sample_documents,
    tree_model,
)  # fmt: skip
from textprep_ml._kernels import _exists
from textprep_ml._kernels._pure import boundaries as pure
from textprep_ml._kernels._pure.boundary_codes import END_MARKS, Kind, Mark, Newline, Shape
from textprep_ml._kernels._pure.boundary_tokens import read_tokens
from textprep_ml._kernels.boundary_checks import FORM_SIZES, N_COLUMNS, N_KINDS
from textprep_ml._unicode_table import KINDS, kind_of
from textprep_ml.segmentation.attributes import ATTRIBUTES, COLUMN
from textprep_ml.segmentation.attributes import KINDS as CANDIDATE_KINDS
from textprep_ml.segmentation.hopeless import FORM

KERNELS = [pytest.param(pure, id="pure")]
if _exists("boundaries"):
    from textprep_ml._kernels import _boundaries

    KERNELS.append(pytest.param(_boundaries, id="compiled"))
#: The kernel that is fast where there is one.
FAST = KERNELS[-1].values[0]
each_kernel = pytest.mark.parametrize("kernel", KERNELS)

MODES = sorted(pure.NEWLINE_MODES)
KIND_SETS = st.sets(st.sampled_from(pure.KIND_NAMES))
LEXICON = (
    ["dr", "no", "e.g", "the"],
    [1, 2, 3, 4],
    [(1, 1), (0, 2), (2, 2), (0, 0)],
    [5, 1, 1, 2],
    [5, 2, 4, 1],
    [0, 1, 2],
)
#: Tokens that the compiled kernel holds at a time.
BLOCK = 32768


def make(
    kernel: ModuleType, lexicon: Any = LEXICON, seed: int | None = None, tree: bool = False, **options: Any
) -> Any:
    """Make a scanner; a seed gives it a random model and random thresholds."""
    scanner = kernel.BoundaryScanner(kernel.Lexicon(*lexicon), **options)
    if seed is not None:
        highest = pure.Lexicon(*lexicon).highest
        if tree:
            scanner.set_tree(*tree_model(seed, highest))
        else:
            scanner.set_linear(*linear_model(seed, highest))
        scanner.set_thresholds(np.random.default_rng(seed).normal(size=N_KINDS))
    return scanner


def same(expected: tuple[Any, ...], actual: tuple[Any, ...]) -> None:
    """Check that arrays agree in type, shape and value."""
    assert len(expected) == len(actual)
    for one, other in zip(expected, actual, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype == np.float32:
            np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-4)
        else:
            np.testing.assert_array_equal(other, one)


def compare(texts: list[str], lexicon: Any = LEXICON, **options: Any) -> None:
    """Check that both kernels describe, count and cut the same."""
    for method in ("describe", "score", "boundaries", "spans"):
        expected = getattr(make(pure, lexicon, seed=1, **options), method)(texts)
        same(expected, getattr(make(FAST, lexicon, seed=1, **options), method)(texts))
    words, table = pure.count_words(texts)
    other_words, other_table = FAST.count_words(texts)
    assert words == other_words
    same((table,), (other_table,))


# --- both kernels alike -----------------------------------------------------------------------------------------------


@given(DOCUMENTS, lexicons(), st.sampled_from(MODES), KIND_SETS, st.integers(0, 10**6), st.booleans())
@settings(max_examples=150)
def test_kernels_agree(texts: list[str], lexicon: Any, newline: str, kinds: set[str], seed: int, tree: bool) -> None:
    scanners = [make(kernel, lexicon, seed, tree, newline=newline, kinds=kinds) for kernel in (pure, FAST)]
    for method in ("describe", "score", "boundaries", "spans"):
        same(*(getattr(scanner, method)(texts) for scanner in scanners))


@given(DOCUMENTS)
@settings(max_examples=200)
def test_kernels_count_words_alike(texts: list[str]) -> None:
    words, table = pure.count_words(texts)
    other_words, other_table = FAST.count_words(texts)
    assert words == other_words
    same((table,), (other_table,))


@given(st.text(st.characters(exclude_categories=())))
def test_kernels_hash_alike(word: str) -> None:
    assert pure.hash_word(word) == FAST.hash_word(word)


@pytest.mark.parametrize("newline", MODES)
def test_kernels_agree_on_sample_documents(newline: str) -> None:
    compare(sample_documents(), newline=newline)


def slow_texts(n: int) -> list[str]:
    """Give the inputs on which other segmenters hang or grow faster than the text."""
    alternations = [p + q for p in "aA1" for q in (".", ",", "-", "@", "!", "?", "_", "/", "(", "[", " .", ". ")]
    return ["..[" + "417 " * n + "]", "end." + "20219" * n, *(unit * n for unit in alternations)]


@pytest.mark.parametrize("n", [1, 50, 700])
def test_kernels_agree_on_slow_texts(n: int) -> None:
    compare(slow_texts(n))


LEADS = ("", "(", "“", '"', "'", "-", "$", "[(", "#", "•")
CORES = (
    "a", "A", "9", "ab", "Ab", "aB", "ABc", "XI", "a-b", "A-b", "a-B", "a'b", "9,9", "9a", "A9", "www", "a@b", "a/b",
    "a.b", "a_b", "a(b", "é", "aé", "a\x00b", "天", "abcdefghijklmn", "abcdefghijklmno", "Abcdefghijklmnop",
    "abcdefg-ijklmno",
)  # fmt: skip
TRAILS = ("", ".", ",", "?!", ")", '."', ".)", "...", "@", "://", "’", "\x1c", "\x00", "\t", "\n", "-", "'")


def test_kernels_agree_on_short_tokens() -> None:
    # In any order and at any distance from the text's ends: the compiled kernel looks at many characters together.
    tokens = ["".join(parts) for parts in product(LEADS, CORES, TRAILS)]
    random.Random(0).shuffle(tokens)
    narrow = [token for token in tokens if max(token) < "\u0100"]
    compare([*tokens[:100], *narrow[:100], " ".join(tokens), " ".join(narrow), " ".join([*tokens, "😀"])])


def long_text(seed: int, n_tokens: int) -> str:
    """Make a text of so many tokens, with anything at all around the ends of the blocks."""
    rng = random.Random(seed)
    odd = [*WORDS, "😀", "!", ".", "Ab.", "“ij", "kl”", "((", "))", "end.A", "天。天"]
    odd = [piece for piece in odd if len(read_tokens(piece, Newline.AUTO)) == 1 and piece == piece.strip()]
    tokens = ["Ab." if i % 9 == 0 else "cd" for i in range(n_tokens)]
    for end in range(BLOCK, n_tokens + 40, BLOCK):
        for i in range(max(0, end - 40), min(end + 40, n_tokens)):
            tokens[i] = rng.choice(odd)
    text = "".join(token + rng.choice([" ", " ", " ", "  ", "\n", "\n\n"]) for token in tokens)
    assert len(read_tokens(text, Newline.AUTO)) == n_tokens
    return text


@pytest.mark.parametrize("n_tokens", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 30])
def test_blocks_of_tokens_leave_no_trace(n_tokens: int) -> None:
    texts = [long_text(n_tokens, n_tokens)]
    same(make(pure).describe(texts), make(FAST).describe(texts))
    same(pure.count_words(texts)[1:], FAST.count_words(texts)[1:])


@pytest.mark.parametrize("piece", ["(", "“", "))", "\n", "\t", " ", ".", "a", "A.", "天。", "😀", "\u0301", "\u00ad"])
@pytest.mark.parametrize("n", [254, 255, 256, 1000])
def test_counters_that_are_cut_off(piece: str, n: int) -> None:
    run = piece * n
    compare([run, run + "Word.", "Word. " + run, "Ab. (" + run + ") B.", f"a{run}b. {run}Cd"])


# --- what the scanner promises ----------------------------------------------------------------------------------------


def check_lossless(text: str, spans: np.ndarray) -> None:
    """Check that spans rise, are not empty, and leave nothing but white space between them."""
    edges = [0, *spans.ravel().tolist(), len(text)]
    assert edges == sorted(edges)
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        assert all(kind_of(char) in (Kind.SPACE, Kind.NEWLINE) for char in text[start:end])
    for start, end in spans.tolist():
        assert start < end
        assert not {kind_of(text[start]), kind_of(text[end - 1])} & {Kind.SPACE, Kind.NEWLINE}


@each_kernel
@given(texts=DOCUMENTS, newline=st.sampled_from(MODES), seed=st.integers(0, 10**6))
def test_spans_are_lossless(kernel: ModuleType, texts: list[str], newline: str, seed: int) -> None:
    offsets, spans = make(kernel, seed=seed, newline=newline).spans(texts)
    assert len(offsets) == len(texts) + 1
    for text, first, last in zip(texts, offsets[:-1], offsets[1:], strict=True):
        check_lossless(text, spans[first:last])


@each_kernel
@given(texts=DOCUMENTS, seed=st.integers(0, 10**6))
def test_sentences_are_slices_at_the_spans(kernel: ModuleType, texts: list[str], seed: int) -> None:
    scanner = make(kernel, seed=seed)
    offsets, spans = scanner.spans(texts)
    bounds = zip(texts, offsets[:-1], offsets[1:], strict=True)
    assert scanner.sentences(texts) == [
        [text[a:b] for a, b in spans[first:last].tolist()] for text, first, last in bounds
    ]


@given(st.lists(DOCUMENTS, max_size=4), st.permutations(["describe", "score", "boundaries", "spans"]))
def test_no_run_leaves_anything_to_the_next(runs: list[list[str]], methods: list[str]) -> None:
    used = make(FAST, seed=3)
    for texts, method in zip(runs, methods, strict=False):
        same(getattr(make(FAST, seed=3), method)(texts), getattr(used, method)(texts))


@each_kernel
@given(texts=DOCUMENTS)
def test_a_text_is_read_alike_alone_and_among_others(kernel: ModuleType, texts: list[str]) -> None:
    scanner = make(kernel, seed=3)
    offsets, *together = scanner.score(texts)
    for i, text in enumerate(texts):
        same(tuple(part[offsets[i] : offsets[i + 1]] for part in together), scanner.score([text])[1:])


@each_kernel
@given(texts=DOCUMENTS, kinds=KIND_SETS)
def test_kinds_left_out_are_no_candidates(kernel: ModuleType, texts: list[str], kinds: set[str]) -> None:
    _, *parts = make(kernel).describe(texts)
    wanted = [pure.KIND_NAMES.index(name) for name in {*kinds, "paragraph"}]
    keep = np.isin(parts[2], wanted)
    same(tuple(part[keep] for part in parts), make(kernel, kinds=kinds).describe(texts)[1:])


#: Codes of the form of a gap: mark and shape on the left, shape and lead on the right.
FORMS = st.tuples(*(st.sampled_from(range(size)) for size in FORM_SIZES))
#: A lower-case word before an upper-case one, a title or a number before either, and the like: what the texts have.
USUAL_FORMS = st.tuples(st.just(0), st.integers(0, 8), st.integers(1, 8), st.sampled_from([0, 0, 1, 2]))
HOPELESS = st.fixed_dictionaries(
    {
        "hopeless_words": st.lists(st.sampled_from(["the", "dr", "smith", "don't", "3.5", "e.g", "ß"]), max_size=4),
        "hopeless_forms": st.lists(st.one_of(USUAL_FORMS, FORMS), max_size=12),
    }
)


@given(DOCUMENTS, HOPELESS, st.integers(0, 10**6))
def test_kernels_agree_on_hopeless_gaps(texts: list[str], hopeless: dict[str, Any], seed: int) -> None:
    scanners = [make(kernel, seed=seed, **hopeless) for kernel in (pure, FAST)]
    for method in ("describe", "score", "boundaries", "spans"):
        same(*(getattr(scanner, method)(texts) for scanner in scanners))


@each_kernel
@given(texts=DOCUMENTS, hopeless=HOPELESS)
def test_hopeless_gaps_are_no_candidates(kernel: ModuleType, texts: list[str], hopeless: dict[str, Any]) -> None:
    _, *parts = make(kernel, (["the", "dr", "smith"], [1, 2, 3], [(0, 0)] * 3, [0] * 3, [0] * 3, [0])).describe(texts)
    rows = parts[-1]
    words = [code for code, word in enumerate(("the", "dr", "smith"), 1) if word in hopeless["hopeless_words"]]
    forms = set(hopeless["hopeless_forms"])
    form = rows[:, [COLUMN[name] for name in ("left.mark", "left.shape", "right.shape", "right.lead")]].tolist()
    after_word = (rows[:, COLUMN["left.mark"]] == Mark.NONE) & np.isin(rows[:, COLUMN["left.word"]], words)
    of_form = np.array([tuple(codes) in forms for codes in form], dtype=bool)
    keep = (parts[2] != pure.KIND_NAMES.index("gap")) | ~(after_word | of_form)
    known = {name: value for name, value in hopeless.items() if name == "hopeless_forms"}
    known["hopeless_words"] = [word for word in hopeless["hopeless_words"] if word in ("the", "dr", "smith")]
    same(tuple(part[keep, ...] for part in parts[:3]), make(kernel, **known).describe(texts)[1:4])


@each_kernel
@pytest.mark.parametrize("form", [(0, 1, 2), (0, 1, 2, 8), (14, 0, 0, 0), (0, -1, 0, 0)])
def test_forms_out_of_range_are_refused(kernel: ModuleType, form: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="four codes below"):
        make(kernel, hopeless_forms=[form])


@each_kernel
@given(texts=DOCUMENTS, seed=st.integers(0, 10**6))
def test_boundaries_are_candidates_from_the_threshold_on(kernel: ModuleType, texts: list[str], seed: int) -> None:
    scanner = make(kernel, seed=seed)
    _, ends, starts, kinds, scores = scanner.score(texts)
    thresholds = np.random.default_rng(seed).normal(size=N_KINDS).astype(np.float32)
    keep = (scores >= thresholds[kinds]) | (kinds == pure.KIND_NAMES.index("paragraph"))
    same((ends[keep], starts[keep]), scanner.boundaries(texts)[1:])


@each_kernel
@given(text=TEXTS)
def test_newlines(kernel: ModuleType, text: str) -> None:
    def gaps(newline: str) -> set[tuple[int, int]]:
        scanner = make(kernel, seed=0, newline=newline)
        scanner.set_thresholds([np.inf] * N_KINDS)
        _, ends, starts = scanner.boundaries([text])
        return set(zip(ends.tolist(), starts.tolist(), strict=True))

    tokens = read_tokens(text, Newline.AUTO)
    after = [(left.end, right.start, right.newlines) for left, right in zip(tokens, tokens[1:], strict=False)]
    paragraphs = {(end, start) for end, start, newlines in after if newlines >= 2}
    assert gaps("auto") == gaps("paragraph") == paragraphs
    assert gaps("hard") == {(end, start) for end, start, newlines in after if newlines}
    assert gaps("soft") == set()


@each_kernel
@given(words=st.lists(st.sampled_from(WORDS[:19]), max_size=20))
def test_soft_newlines_are_blanks_that_end_nothing(kernel: ModuleType, words: list[str]) -> None:
    scanner = make(kernel, newline="soft")
    _, *parts = scanner.describe([" ".join(words)])
    keep = np.isin(parts[-1][:, COLUMN["left.mark"]], list(END_MARKS))
    same(tuple(part[keep] for part in parts), scanner.describe(["\n".join(words)])[1:])


@each_kernel
@given(texts=DOCUMENTS)
def test_codes_stay_within_their_attributes(kernel: ModuleType, texts: list[str]) -> None:
    rows = make(kernel).describe(texts)[-1]
    assert rows.shape[1] == N_COLUMNS
    assert (rows <= pure.Lexicon(*LEXICON).highest).all()


def test_attributes_and_columns_belong_together() -> None:
    highest = pure.Lexicon(["w"], [7], [(0, 0)], [5], [5], [6]).highest
    assert len(ATTRIBUTES) == N_COLUMNS
    assert CANDIDATE_KINDS == pure.KIND_NAMES == FAST.KIND_NAMES
    assert pure.NEWLINE_MODES == FAST.NEWLINE_MODES
    assert tuple(kind.name for kind in Kind) == KINDS
    for attribute, code in zip(ATTRIBUTES, highest, strict=True):
        if attribute.name.endswith(".word"):
            assert code == 7
        elif attribute.name != "left.class":
            assert code == len(attribute.values) - 1, attribute.name
    assert tuple(len(ATTRIBUTES[COLUMN[name]].values) for name in FORM) == FORM_SIZES


# --- what is seen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("He left.", ["He", "left."]),
        ("left.Then", ["left.", "Then"]),
        ("left.)“Then", ["left.)", "“Then"]),
        ("left.then", ["left.then"]),
        ("e.g.A", ["e.g.A"]),
        ("what?!no", ["what?!", "no"]),
        ("it.I went", ["it.", "I", "went"]),
        ("U.S.A.", ["U.S.A."]),
        ("天安。門字", ["天安。", "門字"]),
        ("3．5", ["3．5"]),
        ("http://site.Org/a", ["http://site.Org/a"]),
        ("me@home.Org", ["me@home.Org"]),
        ("yes.😀No", ["yes.😀", "No"]),
        ("「门。」他说天", ["「门。」他说天"]),
        ("「门。」天安门", ["「门。」天安门"]),
        ("「门。」「天安门。」", ["「门。」", "「天安门。」"]),
        ("“门。”天安门", ["“门。”", "天安门"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert [text[token.start : token.end] for token in read_tokens(text, Newline.AUTO)] == tokens


@pytest.mark.parametrize(
    ("text", "shape", "mark"),
    [
        ("word", Shape.LOWER, Mark.NONE),
        ("Word.", Shape.TITLE, Mark.PERIOD),
        ("McDonald,", Shape.TITLE, Mark.COMMA),
        ("NATO?", Shape.UPPER, Mark.QUESTION),
        ("XIV.", Shape.ROMAN, Mark.PERIOD),
        ("A.", Shape.INITIAL, Mark.PERIOD),
        ("a)", Shape.SINGLE_LOWER, Mark.NONE),
        ("iPhone!", Shape.MIXED, Mark.BANG),
        ("3.5", Shape.NUMBER, Mark.NONE),
        ("B2B", Shape.ALPHANUMERIC, Mark.NONE),
        ("U.S.", Shape.DOTTED_UPPER, Mark.PERIOD),
        ("e.g.,", Shape.DOTTED_LOWER, Mark.END_THEN_COMMA),
        ("example.com", Shape.LINK, Mark.NONE),
        ("אבג", Shape.UNCASED, Mark.NONE),
        ("天安。", Shape.IDEOGRAPH, Mark.WIDE),
        ("😀", Shape.PICTOGRAPH, Mark.NONE),
        ("...", Shape.EMPTY, Mark.ELLIPSIS),
        ("so?!", Shape.LOWER, Mark.MULTIPLE),
        ("said:", Shape.LOWER, Mark.COLON),
    ],
)
def test_shapes_and_marks(text: str, shape: Shape, mark: Mark) -> None:
    (token,) = read_tokens(text, Newline.AUTO)
    assert (Shape(token.shape), Mark(token.mark)) == (shape, mark)


@each_kernel
def test_words_are_counted(kernel: ModuleType) -> None:
    words, table = kernel.count_words(["He met Dr. Who. Dr. who, and Smith.", "the Dr. said so"])
    counts = dict(zip(words, table.tolist(), strict=True))
    # In lower case, capitalised inside, with a period, before a lower-case word, without a period.
    assert counts["dr"] == [0, 2, 3, 2, 0]
    assert counts["who"] == [1, 0, 1, 0, 1]
    assert counts["smith"] == [0, 1, 1, 0, 0]
    assert list(counts) == ["he", "met", "dr", "who", "and", "smith", "the", "said", "so"]


@each_kernel
@given(texts=DOCUMENTS)
def test_counted_words_are_told_apart(kernel: ModuleType, texts: list[str]) -> None:
    words, table = kernel.count_words(texts)
    assert len(words) == len(set(words)) == len(table)
    assert (table[:, 2] + table[:, 4] >= 1).all()


@each_kernel
@pytest.mark.parametrize("text", ["ΑΣ ας", "İstanbul", "don’t", "co\u00adop", "(" * 300 + "word"])
def test_counted_words_are_found_again(kernel: ModuleType, text: str) -> None:
    words, _ = kernel.count_words([text])
    n = len(words)
    lexicon = kernel.Lexicon(words, range(1, n + 1), np.zeros((n, 2)), [0] * n, [0] * n, [0])
    rows = kernel.BoundaryScanner(lexicon).describe([f"x! {text}"])[-1]
    assert rows[0, COLUMN["right.word"]] == 1


# --- mistakes ---------------------------------------------------------------------------------------------------------


@each_kernel
def test_what_would_be_read_beyond_its_end_is_refused(kernel: ModuleType) -> None:
    scanner = make(kernel)
    offsets, columns, strides, weights = linear_model(0, pure.Lexicon(*LEXICON).highest)
    tree = tree_model(0, pure.Lexicon(*LEXICON).highest)
    with pytest.raises(ValueError, match="do not belong together"):
        scanner.set_linear(offsets, columns, strides, weights[:-1])
    with pytest.raises(ValueError, match="Columns are numbers from 0 to 42"):
        scanner.set_linear(offsets, columns + N_COLUMNS, strides, weights)
    with pytest.raises(ValueError, match="must have shape"):
        scanner.set_linear(offsets, columns[:, :3], strides[:, :3], weights)
    with pytest.raises(ValueError, match="do not belong together"):
        scanner.set_linear(offsets, columns, -strides, weights)
    with pytest.raises(ValueError, match="do not belong together"):
        scanner.set_tree(*tree[:-1], tree[-1][:20])
    with pytest.raises(ValueError, match="one length"):
        scanner.set_tree(*tree[:4], tree[4][:-1], *tree[5:])
    with pytest.raises(ValueError, match="come after it"):
        scanner.set_tree(*tree[:2], np.zeros_like(tree[2]), *tree[3:])
    with pytest.raises(ValueError, match="6 thresholds"):
        scanner.set_thresholds([0.0])
    with pytest.raises(ValueError, match="call set_linear or set_tree first"):
        scanner.spans(["A. B."])


@each_kernel
def test_lexicons_that_do_not_fit_together_are_refused(kernel: ModuleType) -> None:
    with pytest.raises(ValueError, match="2 words, but 1 ids"):
        kernel.Lexicon(["a", "b"], [1], [(0, 0), (0, 0)], [0, 0], [0, 0], [0])
    with pytest.raises(ValueError, match="class 1, but groups for the first 1"):
        kernel.Lexicon(["a"], [1], [(0, 1)], [0], [0], [0])
    with pytest.raises(ValueError, match="ids of a lexicon are numbers from 0 to 65535"):
        kernel.Lexicon(["a"], [65536], [(0, 0)], [0], [0], [0])


@each_kernel
@pytest.mark.parametrize("wrong", [None, b"bytes", 3, np.str_("text")])
def test_only_str_is_scanned(kernel: ModuleType, wrong: Any) -> None:
    for call in (make(kernel, seed=0).spans, make(kernel, seed=0).sentences, kernel.count_words):
        with pytest.raises(TypeError, match=f"expects str texts, but text 1 is {type(wrong).__name__}"):
            call(["fine", wrong])


@each_kernel
@pytest.mark.parametrize("offsets", [[0], [0, 2], [0, 1, 1], [1, 1], [0, -1]])
def test_offsets_of_other_texts_are_refused(kernel: ModuleType, offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="rising offsets"):
        kernel.join_spans(["A. B."], np.array(offsets, dtype=np.int64), np.array([2]), np.array([3]))


# --- time and threads -------------------------------------------------------------------------------------------------


def test_threads_share_a_scanner() -> None:
    scanner = make(FAST, seed=5)
    texts = sample_documents() * 3
    expected = scanner.score(texts)
    with ThreadPoolExecutor(4) as pool:
        for actual in pool.map(lambda _: scanner.score(texts), range(16)):
            same(expected, actual)


@pytest.mark.parametrize(
    "unit",
    ["a.a.a.", "((((", "    ", "\n", "word", "A.b-", "😀", "“”", '"', "'", "...", "天。", ". A", "://", "a@", "\u0301"],
)
def test_time_is_linear_in_the_text(unit: str) -> None:
    n = 400_000 if FAST is not pure else 8_000
    for call in (make(FAST, seed=0).spans, FAST.count_words):
        assert_growth(lambda size, call=call: partial(call, [unit * (size // len(unit))]), n, at_most=15)


def test_slow_texts_are_not_slow() -> None:
    scanner = make(FAST, seed=0)
    n, repeat = (2000, 20) if FAST is not pure else (200, 1)
    for number in range(len(slow_texts(1))):
        assert_growth(lambda size, number=number: partial(scanner.spans, [slow_texts(size)[number]] * repeat), n)


@each_kernel
def test_different_words_are_counted_in_linear_time(kernel: ModuleType) -> None:
    n = 500 if kernel is pure else 20_000

    assert_growth(lambda size: partial(kernel.count_words, [" ".join(f"w{i:x}." for i in range(size))]), n)
