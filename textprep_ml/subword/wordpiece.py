"""WordPiece as an estimator."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from textprep_ml._kernels import load
from textprep_ml._validation import HasMethods, Interval, StrOptions
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword.alphabet import more_tokens, place_specials, special_list
from textprep_ml.subword.base import SubwordTokenizer
from textprep_ml.subword.bert import basic_flags, normalizer_of, raw_scheme
from textprep_ml.subword.counting import Preparation
from textprep_ml.subword.fitting import CorpusFitting, refuse_blank
from textprep_ml.subword.formats import state as state_format
from textprep_ml.subword.learning import count_pieces
from textprep_ml.subword.model import Model, Style
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.pretokenizers import make_pretokenizer
from textprep_ml.subword.runtime import Plan, Runtime
from textprep_ml.subword.training import Progress
from textprep_ml.subword.wordpiece_interchange import WordPieceInterchange
from textprep_ml.subword.wordpiece_learning import Options, learn, start
from textprep_ml.subword.wordpiece_model import encoder_arguments

#: So many distinct words are rewritten at a time.
_WORDS_AT_ONCE = 1 << 13


class WordPieceTokenizer(WordPieceInterchange, CorpusFitting, SubwordTokenizer):
    """Subword tokenizer that cuts words into the longest pieces it knows, from left to right.

    Training joins neighbours, the best pair first, until there are enough pieces [1]_; encoding does not look at the
    joins but takes the longest piece that a word begins with, then the longest that the rest begins with, and so on,
    in linear time [2]_. Pieces inside a word begin with `continuing_prefix`. By default words are those of BERT [3]_:
    control characters are dropped, and marks and ideographs stand alone.

    Training counts every distinct word once; the result does not depend on the order of the documents, `n_jobs` or hash
    seeds.

    Parameters
    ----------
    vocab_size : int, default=30000
        Number of pieces: special tokens, alphabet and what is learned. Exactly so many are learned unless the corpus
        runs out of pairs, which is told in a `VocabularyWarning`.
    score : {"frequency", "likelihood"}, default="frequency"
        Which pair of neighbours a and b is joined: the one with the greatest count(ab), as the `tokenizers` library
        does, or the one with the greatest count(ab) / (count(a) * count(b)). Of equal ones the more frequent is, then
        the smaller pair of strings. The second joins what hardly occurs apart, and so rare words before frequent ones:
        give it a `min_frequency`. Of 8000 pieces from twenty megabytes of English, other English text takes 1.49 a word
        by frequency, and by likelihood 4.4, 3.6 with ``min_frequency=10`` and 2.4 with 100; of 30000 pieces 1.26 by
        frequency, and by likelihood 4.3, 2.3 with ``min_frequency=10`` and 1.36 with 50, where 20700 pieces are all.
    min_frequency : int, default=1
        Pairs that occur less often are not joined.
    normalizer : {"bert-cased", "bert-uncased"}, dict, transformer or None, default="bert-cased"
        Applied to every text first: BERT's cleaning, without or with lower case and no accents; a component of a
        ``tokenizer.json``, or an object with ``transform``.
    pretokenizer : str, dict, list of dict, or tokenizer, default="bert"
        How words are found: ``"bert"`` (between white space, with marks and ideographs alone), or what `BPETokenizer`
        takes. White space that is part of a word is part of its pieces.
    continuing_prefix : str, default="##"
        What every piece inside a word begins with.
    special_tokens : list of str or dict of str to int
        Control tokens, by default those of BERT. A list takes the first ids; a dict gives ids of its own behind the
        vocabulary. In texts they are plain text unless allowed.
    unk_token : str, optional
        Stands for what is unknown, by default ``"[UNK]"``. Without it, that is an error.
    unknown : {"word", "part"}, default="word"
        Whether a word that cannot be spelled is unknown as a whole, or only the characters that no piece begins with.
    template : (str, str) or None, default=("[CLS]", "[SEP]")
        Special tokens that are put before and behind a text on request; left out where there are no such tokens.
    max_word_length : int, default=100
        Words of more characters are unknown, and nothing is learned from them.
    alphabet_limit : int, optional
        At most so many characters, the most frequent ones.
    character_coverage : float, default=1.0
        So much of the corpus is covered by the alphabet.
    max_piece_length : int, optional
        Longer pieces are not made; counted in characters, without the prefix.
    max_document_length : int, optional
        Longer documents are left out of training, and a warning tells how many; by default nothing is left out.
    sample : float, default=1.0
        Train on about this part of the documents (of the two-megabyte parts of a file).
    random_state : int, optional
        Seed of the sample.
    clean_up : bool, default=False
        `decode` puts no blank before marks that close and contractions.
    n_jobs : int, optional
        Threads for counting and for encoding batches.

    Attributes
    ----------
    pieces_ : list of str or None
        Id -> piece.
    merge_ids_ : ndarray of shape (n_merges, 3)
        Left id, right id and the id of the two joined, in the order learned. Encoding does not need them; empty on
        models that were not trained here.
    merge_counts_ : ndarray of shape (n_merges,)
        How often each pair occurred when it was joined.
    added_tokens_ : dict of str to AddedToken
        Special and added tokens.

    References
    ----------
    .. [1] Schuster, M. and Nakajima, K. (2012). Japanese and Korean voice search. ICASSP.
    .. [2] Song, X., Salcianu, A., Song, Y., Dopson, D. and Zhou, D. (2021). Fast WordPiece tokenization. EMNLP.
    .. [3] Devlin, J., Chang, M.-W., Lee, K. and Toutanova, K. (2019). BERT: pre-training of deep bidirectional
    transformers for language understanding. NAACL.

    Examples
    --------
    >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> tokenizer = WordPieceTokenizer(vocab_size=19).fit_counts(counts)
    >>> tokenizer.merges_
    [('##u', '##g'), ('##u', '##n'), ('h', '##ug')]
    >>> tokenizer.transform(["A pun, hugs!"])
    [['[UNK]', 'p', '##un', '[UNK]', 'hug', '##s', '[UNK]']]
    >>> WordPieceTokenizer(vocab_size=19, score="likelihood").fit_counts(counts).merges_
    [('##g', '##s'), ('p', '##u'), ('h', '##u')]
    """

    merge_counts_: npt.NDArray[np.int64]

    _parameter_constraints = {
        "vocab_size": [Interval(Integral, 1, None, closed="left")],
        "score": [StrOptions({"likelihood", "frequency"})],
        "min_frequency": [Interval(Integral, 1, None, closed="left")],
        "normalizer": [str, dict, HasMethods("transform"), None],
        "pretokenizer": [str, dict, list, HasMethods("spans")],
        "continuing_prefix": [str],
        "special_tokens": [list, tuple, dict],
        "unk_token": [str, None],
        "unknown": [StrOptions({"word", "part"})],
        "template": [tuple, list, None],
        "max_word_length": [Interval(Integral, 1, None, closed="left")],
        "alphabet_limit": [Interval(Integral, 1, None, closed="left"), None],
        "character_coverage": [Interval(Real, 0, 1, closed="right")],
        "max_piece_length": [Interval(Integral, 1, None, closed="left"), None],
        "max_document_length": [Interval(Integral, 1, None, closed="left"), None],
        "sample": [Interval(Real, 0, 1, closed="right")],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
        "clean_up": ["boolean"],
        "n_jobs": [Integral, None],
    }

    #: What `CorpusFitting` asks for: no text gets a blank before it.
    add_prefix_space = False

    def __init__(
        self,
        *,
        vocab_size: int = 30000,
        score: Literal["likelihood", "frequency"] = "frequency",
        min_frequency: int = 1,
        normalizer: Any = "bert-cased",
        pretokenizer: Any = "bert",
        continuing_prefix: str = "##",
        special_tokens: Sequence[str] | Mapping[str, int] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        unk_token: str | None = "[UNK]",
        unknown: Literal["word", "part"] = "word",
        template: tuple[str, str] | None = ("[CLS]", "[SEP]"),
        max_word_length: int = 100,
        alphabet_limit: int | None = None,
        character_coverage: float = 1.0,
        max_piece_length: int | None = None,
        max_document_length: int | None = None,
        sample: float = 1.0,
        random_state: int | None = None,
        clean_up: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.vocab_size = vocab_size
        self.score = score
        self.min_frequency = min_frequency
        self.normalizer = normalizer
        self.pretokenizer = pretokenizer
        self.continuing_prefix = continuing_prefix
        self.special_tokens = special_tokens
        self.unk_token = unk_token
        self.unknown = unknown
        self.template = template
        self.max_word_length = max_word_length
        self.alphabet_limit = alphabet_limit
        self.character_coverage = character_coverage
        self.max_piece_length = max_piece_length
        self.max_document_length = max_document_length
        self.sample = sample
        self.random_state = random_state
        self.clean_up = clean_up
        self.n_jobs = n_jobs

    # Fitting

    def _check(self) -> None:
        self._validate_params()
        make_pretokenizer(self.pretokenizer)
        make_normalizer(normalizer_of(self.normalizer))
        special_list(self.special_tokens, self.unk_token)
        if self.unk_token == "":
            raise ValueError("unk_token must not be empty; None leaves it out.")
        if self.template is not None and [type(token) for token in self.template] != [str, str]:
            raise ValueError(f"template is {self.template!r}; expected two special tokens, or None.")

    def _preparation(self, is_cut: bool = False) -> Preparation:
        flags = basic_flags(self.normalizer, self.pretokenizer)
        if flags is None:
            return super()._preparation(is_cut)._replace(normalizer=normalizer_of(self.normalizer))
        return Preparation(raw_scheme(flags), None, False, self.max_document_length)

    def _count_documents(self, X: Iterable[Any], progress: Progress) -> Any:
        return self._cut_words(super()._count_documents(X, progress))

    def _count_files(self, *arguments: Any) -> Any:
        return self._cut_words(super()._count_files(*arguments))

    def _cut_words(self, counter: Any) -> Any:
        """Rewrite every distinct raw word once, where it was not done with the texts."""
        flags = basic_flags(self.normalizer, self.pretokenizer)
        if flags is None:
            return counter
        words, lengths, counts = counter.table()
        del counter
        ends = np.cumsum(lengths, dtype=np.int64).tolist()
        cut = load("bpe_words").WordCounter("none")
        begin = 0
        for first in range(0, len(ends), _WORDS_AT_ONCE):
            raw = []
            for end in ends[first : first + _WORDS_AT_ONCE]:
                raw.append(words[begin:end])
                begin = end
            parts, owners = load("wordpiece").split(raw, flags)
            for part, owner in zip(parts, counts[first:][owners].tolist(), strict=True):
                cut.add(part, owner)
        return cut

    def _learn(self, counter: Any, progress: Progress) -> Self:
        refuse_blank(counter, type(self).__name__)
        options = self._options()
        model, words, n_first = start(counter, options)
        del counter  # its tables are not needed while merging
        wanted = self._n_wanted(model)
        model, counts = learn(model, words, n_first, wanted, options, progress)
        model.added_tokens.update(place_specials(self.special_tokens, model.n_ids))
        size = count_pieces(model, self._outside())
        if size < self.vocab_size:
            warnings.warn(
                f"The corpus ran out of pairs that occur at least {self.min_frequency} times: the vocabulary has "
                f"{size} pieces, {self.vocab_size - size} fewer than asked for.",
                VocabularyWarning,
                stacklevel=3,
            )
        self.merge_counts_ = counts
        return self._install(replace(model, template=self._template(model)))

    def _options(self) -> Options:
        specials = special_list(self.special_tokens, self.unk_token)
        taken = sorted({*specials, *self.special_tokens})
        return Options(specials, taken, *(getattr(self, name) for name in Options._fields[2:]))

    def _outside(self) -> Collection[str]:
        """Give the special tokens that `vocab_size` does not count."""
        return self.special_tokens if isinstance(self.special_tokens, dict) else ()

    def _n_wanted(self, model: Model) -> int:
        have = count_pieces(model)
        if self.vocab_size < have:
            n_specials = len(model.added_tokens)
            raise ValueError(
                f"vocab_size={self.vocab_size} is smaller than the alphabet: {have - n_specials} symbols and "
                f"{n_specials} special tokens. Set it to at least {have}, or limit the alphabet "
                "(alphabet_limit, character_coverage)."
            )
        return self.vocab_size - have

    def _template(self, model: Model) -> tuple[list[int], list[int]]:
        tokens = [model.added_tokens.get(token) for token in self.template or ()]
        before, behind = ([token.id] if token else [] for token in tokens) if len(tokens) == 2 else ([], [])
        return before, behind

    # The fitted model

    def _style(self) -> Style:
        return Style(False, self.continuing_prefix)

    def _model(self) -> Model:
        check_is_fitted(self)
        return Model(self.pieces_, self.merge_ids_, self.added_tokens_, None, self.template_)

    def _install(self, model: Model) -> Self:
        """Take over a model and build the encoder."""
        self.pieces_ = model.pieces
        self.merge_ids_ = model.merges
        self.added_tokens_ = model.added_tokens
        self.template_ = model.template
        self._runtime = Runtime(self._plan(model))
        self._is_plain = self._runtime.is_plain
        self._table = self._piece_table()
        return self

    def _plan(self, model: Model) -> Plan:
        arguments = encoder_arguments(model, self.continuing_prefix, self.clean_up) | {
            "unknown": self._unknown_id(model),
            "partial": self.unknown == "part",
            "max_characters": self.max_word_length,
        }
        flags = basic_flags(self.normalizer, self.pretokenizer)
        pretokenizer, normalizer = self.pretokenizer, normalizer_of(self.normalizer)
        # A token that is matched in the normalized text needs that text.
        if flags is not None and not any(token.normalized for token in model.added_tokens.values()):
            arguments["basic"] = flags
            pretokenizer, normalizer = raw_scheme(flags), None
        return Plan(arguments, pretokenizer, normalizer, False, model.added_tokens, ("wordpiece", "WordPieceEncoder"))

    def _unknown_id(self, model: Model) -> int:
        if self.unk_token in model.added_tokens:
            return model.added_tokens[self.unk_token].id
        return model.pieces.index(self.unk_token) if self.unk_token in model.pieces else -1

    @property
    def _has_opening_blank(self) -> bool:  # type: ignore[override]
        return bool(self.continuing_prefix)

    @property
    def merges_(self) -> list[tuple[str, str]]:
        """The merges in the order learned, as pairs of pieces."""
        check_is_fitted(self)
        return [(self._table[left] or "", self._table[right] or "") for left, right, _ in self.merge_ids_.tolist()]

    @property
    def vocab_sizes_(self) -> tuple[int, int]:
        """The least and the greatest size that `with_vocab_size` can give: the alphabet, and all pieces."""
        model = self._model()
        size = count_pieces(model, self._outside())
        return size - len(model.merges), size

    def with_vocab_size(self, n: int) -> Self:
        """Give the tokenizer that training with a smaller `vocab_size` would have given.

        Parameters
        ----------
        n : int
            Number of pieces, at least the alphabet with the special tokens.

        Returns
        -------
        WordPieceTokenizer
            A new one; this one is unchanged.

        Raises
        ------
        TypeError
            If `n` is no integer.
        ValueError
            If `n` is smaller than the alphabet or greater than the vocabulary.
        """
        least, most = self.vocab_sizes_
        if isinstance(n, bool) or not isinstance(n, Integral):
            raise TypeError(f"with_vocab_size expects an int, but got {type(n).__name__}: {n!r}.")
        if not least <= n <= most:
            raise ValueError(f"with_vocab_size({n}): between {least} (the alphabet) and {most} is possible.")
        model = self._model()
        kept = int(n) - least
        gone = set(model.merges[kept:, 2].tolist())
        pieces = [None if index in gone else piece for index, piece in enumerate(model.pieces)]
        while pieces and pieces[-1] is None:
            pieces.pop()
        smaller = type(self)(**{**self.get_params(deep=False), "vocab_size": int(n)})
        smaller.merge_counts_ = self.merge_counts_[:kept]
        return smaller._install(replace(model, pieces=pieces, merges=model.merges[:kept].copy()))

    def add_tokens(self, tokens: Iterable[str] | Mapping[str, int], *, special: bool = False) -> Self:
        """Add tokens that are found in a text before anything else, the longest first.

        Parameters
        ----------
        tokens : iterable of str, or dict of str to int
            By default the next free ids are taken. Tokens that are known already keep theirs.
        special : bool, default=False
            Control tokens, which are plain text unless allowed.

        Returns
        -------
        self
            With more tokens.

        Raises
        ------
        ValueError
            If a token is empty or there twice, or an id is taken.
        """
        model = self._model()
        added = more_tokens(model.pieces, model.added_tokens, tokens, special)
        return self._install(replace(model, added_tokens=added))

    def _adopt(self, model: Model) -> Self:
        """Install a model that was not trained here."""
        self._check()
        self.merge_counts_ = np.empty(0, dtype=np.int64)
        return self._install(model)

    # Files

    def _get_state(self) -> dict[str, Any]:
        return state_format.write(self._model(), self._style()) | {"merge_counts": self.merge_counts_.tolist()}

    def _set_state(self, state: dict[str, Any]) -> None:
        counts = np.array(state["merge_counts"], dtype=np.int64)
        self._adopt(state_format.read(state, self._style()))
        if counts.shape != (len(self.merge_ids_),):
            raise ModelFormatError(f"There are {len(self.merge_ids_)} merges, but {len(counts)} counts of them.")
        self.merge_counts_ = counts

    def _get_saved_params(self) -> dict[str, Any]:
        params = self.get_params(deep=False)
        for name in ("pretokenizer", "normalizer"):
            if not isinstance(params[name], str | dict | list | None):
                raise ModelFormatError(
                    f"A model file cannot hold the {name} {type(params[name]).__name__}: "
                    "use a name, a pattern or a component, or pickle the estimator."
                )
        lists = {name: list(params[name]) for name in ("special_tokens", "template") if isinstance(params[name], tuple)}
        return params | lists
