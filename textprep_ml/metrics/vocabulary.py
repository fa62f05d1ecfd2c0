"""Measures of a subword vocabulary: how it cuts the words of a text, and how evenly its pieces are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import regex

from textprep_ml._validation import check_documents, check_spans, shorten

Spans = npt.NDArray[np.intp]

# A letter of a script without blanks, with its marks, is a word by itself: where longer words end nobody wrote down.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"(?V1)[[\p{{L}}\p{{N}}]&&[{_UNSPACED}]]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d]--[[\p{{L}}\p{{N}}]&&[{_UNSPACED}]]]+"
)


class Subwords(Protocol):
    """What is asked of a subword tokenizer."""

    vocabulary_: Mapping[str, int]
    special_tokens_: Mapping[str, int]

    def encode_with_spans(self, text: str) -> tuple[Sequence[int], Spans]:
        """Give the ids of a text, and from which characters they come."""


def word_spans(text: str) -> Spans:
    """Find the words that a vocabulary is measured by: runs of letters, marks and digits.

    In scripts without blanks (Han, kana, Thai, Lao, Khmer, Myanmar) every letter with its marks counts as a word.

    Parameters
    ----------
    text : str
        A document.

    Returns
    -------
    ndarray of shape (n_words, 2)
        Half-open spans.

    Examples
    --------
    >>> [text[a:b] for text in ["It's 你好, ok"] for a, b in word_spans(text)]
    ['It', 's', '你', '好', 'ok']
    """
    return np.array([match.span() for match in _WORD.finditer(text)], dtype=np.intp).reshape(-1, 2)


def vocabulary_scores(
    tokenizer: Subwords, X: Iterable[str], *, words: Any = None, morphemes: Any = None, alpha: float = 2.5
) -> dict[str, float]:
    """Measure a fitted subword tokenizer on texts.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
        Fitted; any object with ``encode_with_spans``, ``vocabulary_`` and ``special_tokens_`` will do.
    X : sequence of str
        Documents.
    words : tokenizer or sequence of sequences of (int, int), optional
        Where the words are: an object with ``spans(text)``, or their spans in each document. By default those of
        `word_spans`.
    morphemes : mapping of str to sequence of str, optional
        Words and their morphemes; adds what `morpheme_scores` gives.
    alpha : float, default=2.5
        Order of the Rényi entropy, above 0; the default agreed best with translation quality [2]_.

    Returns
    -------
    dict of str to float
        Counts: ``n_documents``, ``n_bytes`` (of UTF-8), ``n_characters``, ``n_words``, ``n_pieces``. Measures:

        - ``fertility``: pieces that a word lies in, on average [1]_;
        - ``pieces_per_character``;
        - ``bytes_per_piece``: compression;
        - ``whole_words``: share of the words that lie in one piece, which is not the unknown token;
        - ``unknown_rate``: share of the pieces that are the unknown token;
        - ``renyi_efficiency``: Rényi entropy of the pieces over its greatest possible value, the logarithm of the
          vocabulary size [2]_; 1 if all pieces are equally frequent;
        - ``vocabulary_use``: share of the vocabulary, without special tokens, that occurs;
        - with `morphemes`, ``morpheme_precision``, ``morpheme_recall`` and ``morpheme_f1``.

    Raises
    ------
    ValueError
        If there is no text to measure on, the words do not fit the documents, or morphemes do not join to their word.

    References
    ----------
    .. [1] Rust, P. et al. (2021). How good is your tokenizer? On the monolingual performance of multilingual language
       models. ACL.
    .. [2] Zouhar, V. et al. (2023). Tokenization and the noiseless channel. ACL.

    Examples
    --------
    >>> from textprep_ml import BPETokenizer
    >>> tokenizer = BPETokenizer(num_merges=3).fit(["low low lower lowest"])
    >>> scores = vocabulary_scores(tokenizer, ["low lower"])
    >>> tokenizer.transform(["low lower"]), scores["fertility"], scores["whole_words"]
    ([['low', ' low', 'e', 'r']], 2.0, 0.5)
    >>> round(scores["bytes_per_piece"], 2), round(scores["renyi_efficiency"], 2)
    (2.25, 0.25)
    """
    if not alpha > 0:
        raise ValueError(f"alpha is the order of an entropy, above 0, but is {alpha!r}.")
    documents = check_documents(X, "vocabulary_scores")
    tally = _Tally(tokenizer)
    for text, found in zip(documents, _words_of(documents, words), strict=True):
        tally.add(text, found)
    scores = tally.scores(len(documents), alpha)
    return scores if morphemes is None else {**scores, **morpheme_scores(tokenizer, morphemes)}


def _words_of(documents: Sequence[str], words: Any) -> Iterator[Spans]:
    if words is None or hasattr(words, "spans"):
        find = word_spans if words is None else words.spans
        return (np.asarray(find(text), dtype=np.intp).reshape(-1, 2) for text in documents)
    words = list(words)
    if len(words) != len(documents):
        raise ValueError(f"vocabulary_scores got {len(documents)} documents, but words of {len(words)}.")
    return (
        check_spans(spans, len(text), f"words, document {index}")
        for index, (text, spans) in enumerate(zip(documents, words, strict=True))
    )


class _Tally:
    """What is counted over the documents."""

    def __init__(self, tokenizer: Subwords) -> None:
        self._encode = tokenizer.encode_with_spans
        special = set(tokenizer.special_tokens_.values())
        vocabulary = tokenizer.vocabulary_
        self._pieces = np.array(sorted(set(vocabulary.values()) - special), dtype=np.intp)
        self._unknown = vocabulary.get(getattr(tokenizer, "unk_token", None) or "", -1)
        self._n_entries = len(self._pieces) + (self._unknown in special)
        self._counts = np.zeros(max(vocabulary.values(), default=-1) + 1, dtype=np.int64)
        self._n_bytes = self._n_characters = self._n_words = self._n_word_pieces = self._n_whole = 0

    def add(self, text: str, words: Spans) -> None:
        ids, spans = self._encode(text)
        found = np.asarray(ids, dtype=np.intp)
        self._counts += np.bincount(found, minlength=len(self._counts))
        self._n_bytes += len(text.encode("utf-8", "surrogatepass"))
        self._n_characters += len(text)
        first, last = _touched(spans, words)
        is_one = last - first == 1
        self._n_words += len(words)
        self._n_word_pieces += int((last - first).sum())
        self._n_whole += int((found[first[is_one]] != self._unknown).sum())

    def scores(self, n_documents: int, alpha: float) -> dict[str, float]:
        n_pieces = int(self._counts.sum())
        if not n_pieces:
            raise ValueError(f"vocabulary_scores needs text to measure on, but {n_documents} documents have no pieces.")
        unknown = int(self._counts[self._unknown]) if self._unknown >= 0 else 0
        n_words = max(1, self._n_words)
        return {
            "n_documents": n_documents,
            "n_bytes": self._n_bytes,
            "n_characters": self._n_characters,
            "n_words": self._n_words,
            "n_pieces": n_pieces,
            "fertility": self._n_word_pieces / n_words,
            "pieces_per_character": n_pieces / max(1, self._n_characters),
            "bytes_per_piece": self._n_bytes / n_pieces,
            "whole_words": self._n_whole / n_words,
            "unknown_rate": unknown / n_pieces,
            "renyi_efficiency": renyi_efficiency(self._counts, self._n_entries, alpha=alpha),
            "vocabulary_use": int((self._counts[self._pieces] > 0).sum()) / max(1, len(self._pieces)),
        }


def _touched(spans: Spans, words: Spans) -> tuple[Spans, Spans]:
    """Give the first piece that each word lies in, and the first one behind it."""
    starts, ends = spans[:, 0], spans[:, 1]
    # A marker of the end of a word covers nothing; it belongs to what it closes.
    starts = starts - (starts == ends)
    first = np.searchsorted(ends, words[:, 0], side="right")
    return first, np.maximum(np.searchsorted(starts, words[:, 1], side="left"), first)


def renyi_efficiency(counts: Any, n_pieces: int | None = None, *, alpha: float = 2.5) -> float:
    """Tell how evenly pieces are used: their Rényi entropy over that of equally frequent ones.

    Parameters
    ----------
    counts : array-like of int
        How often each piece occurs.
    n_pieces : int, optional
        Size of the vocabulary, at least the pieces that occur; by default the number of counts.
    alpha : float, default=2.5
        Order of the entropy; 1 is Shannon's, infinity looks at the most frequent piece only.

    Returns
    -------
    float
        From 0 to 1; 0 where nothing is counted or there is one piece only.

    Raises
    ------
    ValueError
        If more pieces occur than there are, or a count is below 0.

    References
    ----------
    Zouhar, V. et al. (2023). Tokenization and the noiseless channel. ACL.

    Examples
    --------
    >>> renyi_efficiency([5, 5, 5, 5]), renyi_efficiency([9, 0, 0, 0])
    (1.0, 0.0)
    >>> round(renyi_efficiency([4, 2, 1, 1], alpha=1), 3)
    0.875
    """
    counts = np.asarray(counts, dtype=np.float64)
    size = len(counts) if n_pieces is None else n_pieces
    total = counts.sum()
    if np.count_nonzero(counts) > size or (counts < 0).any():
        raise ValueError(f"renyi_efficiency expects counts of at most {size} pieces, none below 0.")
    if total <= 0 or size < 2:
        return 0.0
    shares = counts[counts > 0] / total
    if alpha == 1:
        entropy = -(shares * np.log(shares)).sum()
    elif np.isinf(alpha):
        entropy = -np.log(shares.max())
    else:
        # Relative to the largest share, no power of a small number is lost.
        top = shares.max()
        entropy = (alpha * np.log(top) + np.log(((shares / top) ** alpha).sum())) / (1 - alpha)
    return min(1.0, max(0.0, float(entropy / np.log(size))))


def morpheme_scores(tokenizer: Subwords, morphemes: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Compare where a tokenizer cuts words with where their morphemes meet.

    Parameters
    ----------
    tokenizer : SubwordTokenizer
        Fitted.
    morphemes : mapping of str to sequence of str
        Words, each with its morphemes, which join to it. A word is cut as it is behind a blank.

    Returns
    -------
    dict of str to float
        ``morpheme_precision``: share of the cuts that are right; ``morpheme_recall``: share of the boundaries that are
        cut; ``morpheme_f1``. Over all words; 0 where there is nothing to divide by.

    Raises
    ------
    ValueError
        If there is no word, or morphemes do not join to their word.

    Examples
    --------
    >>> from textprep_ml import BPETokenizer
    >>> tokenizer = BPETokenizer(num_merges=3).fit(["low low lower lowest"])
    >>> tokenizer.transform(["low lower"])
    [['low', ' low', 'e', 'r']]
    >>> scores = morpheme_scores(tokenizer, {"lower": ["low", "er"]})
    >>> scores["morpheme_precision"], scores["morpheme_recall"]
    (0.5, 1.0)
    """
    if not isinstance(morphemes, Mapping):
        raise TypeError(f"morphemes is a mapping from words to their parts, but got {shorten(morphemes)}.")
    if not morphemes:
        raise ValueError("morphemes is empty: there is no word to compare.")
    n_right = n_cuts = n_true = 0
    for word, parts in morphemes.items():
        if isinstance(parts, str) or "".join(parts) != word or not all(parts):
            raise ValueError(f"morphemes: the parts of {shorten(word)} do not join to it: {shorten(parts)}.")
        true = set(np.cumsum([len(part) for part in parts])[:-1].tolist())
        spans = tokenizer.encode_with_spans(" " + word)[1] - 1
        cuts = {start for start in spans[:, 0].tolist() if 0 < start < len(word)}
        n_right, n_cuts, n_true = n_right + len(true & cuts), n_cuts + len(cuts), n_true + len(true)
    return {
        "morpheme_precision": n_right / max(1, n_cuts),
        "morpheme_recall": n_right / max(1, n_true),
        "morpheme_f1": 2 * n_right / max(1, n_cuts + n_true),
    }


def vocabulary_curve(
    tokenizer: Any, X: Iterable[str], sizes: Iterable[int] | None = None, **options: Any
) -> list[dict[str, float]]:
    """Measure the smaller vocabularies that are in a trained one: a prefix of the merges is the tokenizer of that size.

    Parameters
    ----------
    tokenizer : BPETokenizer
        Fitted; any with ``with_vocab_size(n)``.
    X : sequence of str
        Documents.
    sizes : iterable of int, optional
        Vocabulary sizes. By default eight in equal ratios, from the alphabet to the whole.
    **options : object
        For `vocabulary_scores`.

    Returns
    -------
    list of dict
        One row for each size, in their order: ``vocab_size`` and what `vocabulary_scores` gives.

    Raises
    ------
    TypeError
        If the tokenizer holds no smaller one.
    ValueError
        If it has no such size.

    Examples
    --------
    >>> from textprep_ml import BPETokenizer
    >>> text = "low lower lowest slow slower slowest " * 3
    >>> tokenizer = BPETokenizer(vocab_size=264).fit([text])
    >>> [(row["vocab_size"], row["n_pieces"]) for row in vocabulary_curve(tokenizer, [text], [256, 260, 264])]
    [(256, 111), (260, 54), (264, 33)]
    """
    if not hasattr(tokenizer, "with_vocab_size"):
        raise TypeError(
            f"{type(tokenizer).__name__} holds no smaller vocabularies: fit one for each size, and measure each with "
            "vocabulary_scores."
        )
    documents = check_documents(X, "vocabulary_curve")
    if sizes is None:
        least, most = tokenizer.vocab_sizes_
        sizes = sorted({int(size) for size in np.geomspace(least, most, 8).round()})
    return [
        {"vocab_size": size, **vocabulary_scores(tokenizer.with_vocab_size(size), documents, **options)}
        for size in sizes
    ]
