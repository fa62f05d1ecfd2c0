"""The unigram language model of pieces as an estimator."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textprep_ml._kernels import load
from textprep_ml._validation import HasMethods, Interval, StrOptions
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword.alphabet import special_list
from textprep_ml.subword.base import SubwordTokenizer
from textprep_ml.subword.fitting import CorpusFitting, refuse_blank
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.pretokenizers import make_pretokenizer
from textprep_ml.subword.runtime import Plan, Runtime
from textprep_ml.subword.text_rules import TYPE, read_component
from textprep_ml.subword.training import Progress
from textprep_ml.subword.unigram_interchange import UnigramInterchange
from textprep_ml.subword.unigram_learning import Options, learn, prepare
from textprep_ml.subword.unigram_model import UnigramModel, encoder_arguments, read_state, write_state


class UnigramTokenizer(UnigramInterchange, CorpusFitting, SubwordTokenizer):
    r"""Subword tokenizer that takes the most probable pieces, each with a probability of its own.

    Training begins with all strings that occur often, and alternates between estimating the probabilities of the pieces
    and letting go of those that the likelihood of the corpus needs least [1]_. Encoding finds the most probable way to
    cut a text; other ways can be listed and drawn, which makes models trained on the pieces more robust.

    A blank is a part of the piece behind it, where it is written as ``"▁"`` (a literal ``"▁"`` in a text counts as a
    blank). A blank is put before every text, and taken away again by `decode`; so ``decode(encode(text)) == text`` as
    long as every character is known, or `byte_fallback` stands in. Lone surrogates become U+FFFD.

    Parameters
    ----------
    vocab_size : int, default=32000
        Number of pieces, special tokens included. Exactly so many are learned unless the corpus has no more, which is
        told in a `VocabularyWarning`.
    pretokenizer : str, dict, list of dict, or tokenizer, default="script"
        Over which places no piece may reach in training, as for `BPETokenizer`: by default from one writing system to
        another, between letters, digits and marks, and over blanks. Encoding needs none.
    special_tokens : list of str, default=()
        Control tokens; they take the first ids, behind `unk_token`. In texts they are plain text unless allowed.
    unk_token : str or None, default="<unk>"
        Stands for characters that are in no piece, neighbours together. Without it, and without `byte_fallback`, they
        are an error.
    user_defined_symbols : list of str, default=()
        Pieces that are taken wherever they occur, whatever the probabilities say; normalization leaves them alone.
    byte_fallback : bool, default=False
        Unknown characters become their bytes, for which there are 256 more pieces.
    character_coverage : float, default=1.0
        So much of the corpus is covered by the alphabet; the rarest characters are unknown.
    alphabet_limit : int, optional
        At most so many characters, the most frequent ones.
    max_piece_length : int, default=16
        Characters in a piece.
    seed_size : int, default=1000000
        Pieces that training begins with, at most.
    shrinking_factor : float, default=0.75
        The part of the pieces that a round of pruning leaves.
    n_sub_iterations : int, default=2
        Rounds of estimation before each round of pruning.
    max_document_length : int, optional
        Longer documents are left out of training, and a warning tells how many.
    sample : float, default=1.0
        Train on about this part of the documents.
    random_state : int, optional
        Seed of that sample.
    add_prefix_space : bool or "if-missing", default=True
        Put a blank before every text, so that its first word is like any other; ``"if-missing"`` only where there is
        none.
    space_as_suffix : bool, default=False
        A blank is a part of the piece before it, and is put behind every text.
    escape_blanks : bool, default=True
        Blanks are written as ``"▁"``; foreign models may have them as they are.
    normalizer : transformer or dict, optional
        Applied to every text first: an object with ``transform``, or a component of a ``tokenizer.json`` or of a
        sentencepiece model (`textprep_ml.subword.text_rules.make_component`).
    score_sums : {"text", "word"}, default="text"
        Of two arithmetics, which decide near ties: sums in single precision along the whole text, as sentencepiece
        makes them, or in double precision for each word, as `tokenizers` does. Every model says what it was made for.
    n_jobs : int, optional
        Threads for counting and for encoding batches.

    Attributes
    ----------
    pieces_ : list of str or None
        Id -> piece.
    scores_ : ndarray of shape (n_ids,)
        Logarithms of the probabilities of the pieces; 0 for control tokens.
    added_tokens_ : dict of str to AddedToken
        Special tokens.

    References
    ----------
    .. [1] Kudo, T. (2018). Subword regularization: improving neural network translation models with multiple subword
    candidates. ACL.

    Examples
    --------
    >>> corpus = ["low low lower lowest newer newest", "the newest lower lows"] * 10
    >>> tokenizer = UnigramTokenizer(vocab_size=18).fit(corpus)
    >>> tokenizer.transform(["the newest lows"])
    [['▁the', '▁newest', '▁lows']]
    >>> tokenizer.decode(tokenizer.encode("lower the news"))
    'lower the news'
    >>> tokenizer.encode_n_best("lows", 2)[0] == tokenizer.encode("lows")
    True
    """

    scores_: npt.NDArray[np.float64]
    byte_pieces_: list[int] | None
    user_defined_: list[int]
    unused_: list[int]

    _encodes_parts = False

    _parameter_constraints = {
        "vocab_size": [Interval(Integral, 1, None, closed="left")],
        "pretokenizer": [str, dict, list, HasMethods("spans")],
        "special_tokens": [list, tuple],
        "unk_token": [str, None],
        "user_defined_symbols": [list, tuple],
        "byte_fallback": ["boolean"],
        "character_coverage": [Interval(Real, 0, 1, closed="right")],
        "alphabet_limit": [Interval(Integral, 1, None, closed="left"), None],
        "max_piece_length": [Interval(Integral, 1, 255, closed="both")],
        "seed_size": [Interval(Integral, 1, None, closed="left")],
        "shrinking_factor": [Interval(Real, 0, 1, closed="neither")],
        "n_sub_iterations": [Interval(Integral, 1, None, closed="left")],
        "max_document_length": [Interval(Integral, 1, None, closed="left"), None],
        "sample": [Interval(Real, 0, 1, closed="right")],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
        "add_prefix_space": ["boolean", StrOptions({"if-missing"})],
        "space_as_suffix": ["boolean"],
        "escape_blanks": ["boolean"],
        "normalizer": [dict, HasMethods("transform"), None],
        "score_sums": [StrOptions({"text", "word"})],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        vocab_size: int = 32000,
        pretokenizer: Any = "script",
        special_tokens: Sequence[str] = (),
        unk_token: str | None = "<unk>",
        user_defined_symbols: Sequence[str] = (),
        byte_fallback: bool = False,
        character_coverage: float = 1.0,
        alphabet_limit: int | None = None,
        max_piece_length: int = 16,
        seed_size: int = 1_000_000,
        shrinking_factor: float = 0.75,
        n_sub_iterations: int = 2,
        max_document_length: int | None = None,
        sample: float = 1.0,
        random_state: int | None = None,
        add_prefix_space: bool | Literal["if-missing"] = True,
        space_as_suffix: bool = False,
        escape_blanks: bool = True,
        normalizer: Any = None,
        score_sums: Literal["text", "word"] = "text",
        n_jobs: int | None = None,
    ) -> None:
        self.vocab_size = vocab_size
        self.pretokenizer = pretokenizer
        self.special_tokens = special_tokens
        self.unk_token = unk_token
        self.user_defined_symbols = user_defined_symbols
        self.byte_fallback = byte_fallback
        self.character_coverage = character_coverage
        self.alphabet_limit = alphabet_limit
        self.max_piece_length = max_piece_length
        self.seed_size = seed_size
        self.shrinking_factor = shrinking_factor
        self.n_sub_iterations = n_sub_iterations
        self.max_document_length = max_document_length
        self.sample = sample
        self.random_state = random_state
        self.add_prefix_space = add_prefix_space
        self.space_as_suffix = space_as_suffix
        self.escape_blanks = escape_blanks
        self.normalizer = normalizer
        self.score_sums = score_sums
        self.n_jobs = n_jobs

    # Fitting

    def _check(self) -> None:
        self._validate_params()
        make_pretokenizer(self.pretokenizer)
        make_normalizer(self.normalizer)
        if self.unk_token == "":
            raise ValueError("unk_token must not be empty; None leaves it out.")
        specials = special_list(self.special_tokens, self.unk_token)
        try:
            special_list([*specials, *self.user_defined_symbols], None)
        except (TypeError, ValueError) as error:
            raise type(error)(f"special_tokens and user_defined_symbols together: {error}") from None

    def _check_training(self) -> None:
        if self.space_as_suffix or not self.escape_blanks:
            raise ValueError(
                "Training puts blanks before words and writes them as '▁': space_as_suffix and escape_blanks are for "
                "foreign models."
            )

    def _learn(self, counter: Any, progress: Progress) -> Self:
        self._check_training()
        refuse_blank(counter, type(self).__name__)
        options = self._options()
        corpus = prepare(counter, options)
        del counter  # its tables are not needed while estimating
        model, missing = learn(corpus, options, progress)
        if missing:
            warnings.warn(
                f"The corpus ran out of strings that occur twice: the vocabulary has {model.n_ids} pieces, "
                f"{missing} fewer than asked for.",
                VocabularyWarning,
                stacklevel=3,
            )
        return self._install(model)

    def _options(self) -> Options:
        specials = special_list(self.special_tokens, self.unk_token)
        names = (name for name in Options._fields[2:])
        return Options(specials, list(self.user_defined_symbols), *(getattr(self, name) for name in names))

    # The fitted model

    def _model(self) -> UnigramModel:
        check_is_fitted(self)
        return UnigramModel(
            self.pieces_,
            self.scores_,
            self.user_defined_,
            self.unused_,
            self.added_tokens_,
            self.byte_pieces_,
            self.template_,
        )

    def _install(self, model: UnigramModel) -> Self:
        """Take over a model and build the encoder."""
        self.pieces_ = model.pieces
        self.scores_ = model.scores
        self.user_defined_ = model.user_defined
        self.unused_ = model.unused
        self.added_tokens_ = model.added_tokens
        self.byte_pieces_ = model.byte_pieces
        self.template_ = model.template
        arguments = encoder_arguments(model, self.unk_token, **self._flags(model.has_runs()))
        normalizer = None if self._has_rules() else self.normalizer
        self._runtime = Runtime(
            Plan(arguments, None, normalizer, False, model.added_tokens, ("unigram", "UnigramEncoder"))
        )
        self._is_plain = self._runtime.is_plain
        self._table = self._piece_table()
        return self

    def _adopt(self, model: UnigramModel) -> Self:
        """Install a model that was not trained here."""
        self._check()
        return self._install(model)

    def _has_rules(self) -> bool:
        """Tell whether the kernel does the normalization too."""
        return isinstance(self.normalizer, dict) and self.normalizer.get("type") == TYPE

    def _flags(self, has_runs: bool) -> dict[str, Any]:
        rules = read_component(self.normalizer) if self._has_rules() else {}
        return {
            "charsmap": rules.get("charsmap", b""),
            "remove_extra": rules.get("remove_extra", False),
            "prefix": {False: 0, True: 1, "if-missing": 2}[self.add_prefix_space] if not self.space_as_suffix else 0,
            "suffix": bool(self.space_as_suffix and self.add_prefix_space),
            "escape": self.escape_blanks,
            "single": self.score_sums == "text",
            "words": "pairs" if self.score_sums == "text" else "runs" if has_runs else "blanks",
        }

    @property
    def _has_opening_blank(self) -> bool:  # type: ignore[override]
        return bool(self.add_prefix_space) and not self.space_as_suffix

    @property
    def _has_closing_blank(self) -> bool:  # type: ignore[override]
        return bool(self.add_prefix_space and self.space_as_suffix)

    # Other ways to cut a text

    def encode_n_best(self, text: str, n: int) -> list[list[int]]:
        """Give the most probable ways to cut a text.

        Parameters
        ----------
        text : str
            One document.
        n : int
            At most so many ways.

        Returns
        -------
        list of list of int
            Ids, the best way first.
        """
        return [ids for ids, _ in self.encode_n_best_with_scores(text, n)]

    def encode_n_best_with_scores(self, text: str, n: int) -> list[tuple[list[int], float]]:
        """Give the most probable ways to cut a text, and how probable they are.

        Parameters
        ----------
        text : str
            One document.
        n : int
            At most so many ways.

        Returns
        -------
        list of (ids, score)
            Scores are logarithms; those of unknown characters count too.

        Examples
        --------
        >>> tokenizer = UnigramTokenizer(vocab_size=7).fit(["aab ab aab"] * 9)
        >>> ways = tokenizer.encode_n_best_with_scores("aab", 3)
        >>> [score for _, score in ways] == sorted([score for _, score in ways], reverse=True)
        True
        """
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
            raise ValueError(f"encode_n_best expects a number from 1 on, but n is {n!r}.")
        encoder = self._other_ways(text)
        data, edges = encoder.lattice(self._runtime._normalize(text))
        ways = load("unigram").best_paths(data, edges, int(n))
        return [(encoder.named(data, path), score) for score, path in ways]

    def sample_encode(
        self, text: str, *, alpha: float = 0.1, n_best: int | None = None, random_state: Any = None
    ) -> list[int]:
        """Draw a way to cut a text (subword regularization).

        Parameters
        ----------
        text : str
            One document.
        alpha : float, default=0.1
            Ways are drawn by their probability to the power of this: 0 takes all alike, a large one the best.
        n_best : int, optional
            Draw from so many most probable ways only; by default from all.
        random_state : int, RandomState, optional
            Where chance comes from. Pass one `numpy.random.RandomState` for many texts.

        Returns
        -------
        list of int
            The ids.

        Examples
        --------
        >>> tokenizer = UnigramTokenizer(vocab_size=9).fit(["abab abba baab"] * 9)
        >>> tokenizer.sample_encode("abba", random_state=0) == tokenizer.sample_encode("abba", random_state=0)
        True
        """
        if not isinstance(alpha, Real) or not 0 <= alpha < np.inf:
            raise ValueError(f"sample_encode expects an alpha from 0 on, but got {alpha!r}.")
        encoder = self._other_ways(text)
        generator = check_random_state(random_state)
        if n_best is not None:
            ways = self.encode_n_best_with_scores(text, n_best)
            weights = alpha * np.array([score for _, score in ways])
            shares = np.exp(weights - weights.max())
            return ways[int(generator.choice(len(ways), p=shares / shares.sum()))][0]
        normalized = self._runtime._normalize(text)
        # One draw for each piece, and no piece takes less than a byte; the rules may lengthen a text.
        n_bytes = len(encoder.normalize(normalized))
        return encoder.sample(normalized, float(alpha), generator.random_sample(n_bytes))

    def sample_batch(
        self, X: Iterable[str], *, alpha: float = 0.1, n_best: int | None = None, random_state: Any = None
    ) -> list[list[int]]:
        """Draw a way to cut each of many texts.

        Parameters
        ----------
        X : sequence of str
            Documents.
        alpha, n_best, random_state
            As for `sample_encode`.

        Returns
        -------
        list of list of int
            The ids of each document.
        """
        generator = check_random_state(random_state)
        return [self.sample_encode(text, alpha=alpha, n_best=n_best, random_state=generator) for text in X]

    def log_likelihood(self, text: str) -> float:
        """Tell how probable a text is, over all ways to cut it.

        Parameters
        ----------
        text : str
            One document.

        Returns
        -------
        float
            A logarithm to the base e.
        """
        return self._other_ways(text).log_likelihood(self._runtime._normalize(text))

    def _other_ways(self, text: Any) -> Any:
        self._check_text(text)
        return self._runtime.encoder

    # Files

    def _get_state(self) -> dict[str, Any]:
        return write_state(self._model())

    def _set_state(self, state: dict[str, Any]) -> None:
        self._adopt(read_state(state))

    def _get_saved_params(self) -> dict[str, Any]:
        params = self.get_params(deep=False)
        for name in ("pretokenizer", "normalizer"):
            if not isinstance(params[name], str | dict | list | None):
                raise ModelFormatError(
                    f"A model file cannot hold the {name} {type(params[name]).__name__}: "
                    "use a scheme, a pattern or a component, or pickle the estimator."
                )
        lists = {name: list(params[name]) for name in ("special_tokens", "user_defined_symbols")}
        return params | lists
