"""Byte-pair encoding as an estimator."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from textprep_ml._parallel import count_jobs
from textprep_ml._validation import HasMethods, Interval, StrOptions
from textprep_ml.exceptions import ModelFormatError, VocabularyWarning
from textprep_ml.subword.alphabet import more_tokens, place_specials, special_list
from textprep_ml.subword.base import SubwordTokenizer
from textprep_ml.subword.fitting import CorpusFitting, refuse_blank
from textprep_ml.subword.formats import state as state_format
from textprep_ml.subword.interchange import Interchange
from textprep_ml.subword.learning import Options, count_pieces, learn, resume, start
from textprep_ml.subword.model import Model, Style, encoder_arguments
from textprep_ml.subword.normalizers import make_normalizer
from textprep_ml.subword.pretokenizers import make_pretokenizer
from textprep_ml.subword.runtime import Plan, Runtime
from textprep_ml.subword.training import Progress, nothing


class BPETokenizer(Interchange, CorpusFitting, SubwordTokenizer):
    r"""Subword tokenizer that learns which neighbours to join, the most frequent pair first.

    Words are cut out by a pre-tokenizer; inside a word the most frequent pair of adjacent symbols becomes a new symbol,
    again and again [1]_. By default symbols are bytes [2]_: nothing is ever unknown and ``decode(encode(text)) ==
    text`` for every text; lone surrogates keep their three-byte form. With ``byte_level=False`` symbols are characters,
    and `unk_token` or `byte_fallback` stands for those that are not in the alphabet.

    Training counts every distinct word once; memory grows with the number of distinct words, not with the corpus, and
    the result does not depend on `n_jobs`, hash seeds or how a stream is cut into parts.

    Parameters
    ----------
    vocab_size : int, default=32000
        Number of pieces: special tokens, alphabet and merges. Exactly so many are learned unless the corpus runs out of
        pairs, which is told in a `VocabularyWarning`.
    num_merges : int, optional
        Number of merges; overrides `vocab_size`.
    byte_level : bool, default=True
        Symbols are bytes; else characters.
    pretokenizer : str, dict, list of dict, or tokenizer, default="gpt2"
        How words are found: a scheme (``"gpt2"``, ``"cl100k"``, ``"o200k"``, ``"llama3"``, ``"qwen2"``, ``"script"``
        (by writing system), ``"blank"``, ``"none"``), a regular expression (its matches and what lies between are
        words), components of a ``tokenizer.json``, or an object with ``spans(text)``. All but ``"blank"`` keep every
        character.
    end_of_word : str, optional
        In character mode, a marker that closes every word and decodes to a blank, such as ``"_"`` or ``"</w>"``.
    join_end_of_word : bool, default=False
        The last character of a word carries the marker (``"w</w>"``); else the marker is a symbol of its own.
    continuing_prefix : str, default=""
        In character mode, what every symbol inside a word begins with, such as ``"##"``.
    min_frequency : int, default=1
        Pairs that occur less often are not joined.
    tie_break : {"first", "lexicographic", "id"}, default="first"
        Which of equally frequent pairs is joined: the one met first in the corpus as it is then, the smaller pair of
        strings (independent of the order of the corpus), or the smaller pair of ids (the rule of the `tokenizers`
        library, which it reproduces exactly).
    special_tokens : list of str or dict of str to int, default=()
        Control tokens. A list takes the first ids; a dict gives ids of its own behind the vocabulary. In texts they are
        plain text unless allowed.
    unk_token : str, optional
        Stands for a character that is not in the alphabet. Without it, and without `byte_fallback`, such a character is
        an error.
    fuse_unk : bool, default=False
        Unknown neighbours become one `unk_token`.
    byte_fallback : bool, default=False
        In character mode, unknown characters become their bytes.
    alphabet_limit : int, optional
        In character mode, at most so many characters, the most frequent ones.
    character_coverage : float, default=1.0
        In character mode, so much of the corpus is covered by the alphabet.
    max_piece_length : int, optional
        Longer pieces are not made; counted in symbols: bytes or characters.
    max_document_length : int, optional
        Longer documents are left out of training, and a warning tells how many; by default nothing is left out.
    sample : float, default=1.0
        Train on about this part of the documents (of the megabytes of a file).
    random_state : int, optional
        Seed of the sample, and of `dropout`.
    add_prefix_space : bool or "if-missing", default=False
        Put a blank before every text, so that its first word is like any other; `decode` takes it away.
        ``"if-missing"`` is the rule of foreign models: only where a text does not begin with one, and kept by `decode`.
    normalizer : transformer or dict, optional
        Applied to every text first: an object with ``transform``, or a component of a ``tokenizer.json``.
    whole_words : bool, default=False
        A word that is a piece is always encoded as that piece, whatever the merges say; foreign models ask for it.
    any_split : bool, default=False
        Any two pieces that join to a piece are joined, with the rank of that piece; else only the two that it was
        learned from. Models of sentencepiece ask for it.
    space_marker : str, optional
        In character mode, how blanks are written in the names of pieces, such as ``"▁"``.
    dropout : float, default=0.0
        Leave merges out by chance when encoding (BPE-dropout [3]_): at each merge every pair is left out with this
        chance. The same text is cut anew each time, which makes models trained on the pieces more robust. With a
        `random_state` the results of a call for many texts depend on the calls before, not on `n_jobs`.
    n_jobs : int, optional
        Threads for counting and for encoding batches.

    Attributes
    ----------
    pieces_ : list of str or None
        Id -> piece. Bytes that are no character by themselves stand as surrogate escapes.
    merge_ids_ : ndarray of shape (n_merges, 3)
        Left id, right id and the id of the two joined, in the order learned.
    merge_counts_ : ndarray of shape (n_merges,)
        How often each pair occurred when it was joined; empty on models that were not trained here.
    added_tokens_ : dict of str to AddedToken
        Special and added tokens.

    References
    ----------
    .. [1] Sennrich, R., Haddow, B. and Birch, A. (2016). Neural machine translation of rare words with subword units.
    ACL.
    .. [2] Radford, A. et al. (2019). Language models are unsupervised multitask learners.
    .. [3] Provilkov, I., Emelianenko, D. and Voita, E. (2020). BPE-dropout: simple and effective subword
    regularization. ACL.

    Examples
    --------
    >>> corpus = ["low lowest newer wider new width"]
    >>> tokenizer = BPETokenizer(num_merges=6, byte_level=False, pretokenizer="blank").fit(corpus)
    >>> tokenizer.merges_
    [('l', 'o'), ('lo', 'w'), ('n', 'e'), ('ne', 'w'), ('e', 'r'), ('w', 'i')]
    >>> tokenizer.transform(["newest wider"])
    [['new', 'e', 's', 't', 'wi', 'd', 'er']]
    >>> tokenizer = BPETokenizer(vocab_size=266).fit(["the cat, the hat, the mat"])
    >>> tokenizer.decode(tokenizer.encode("naïve \U0001f642 text"))
    'naïve 🙂 text'
    """

    merge_counts_: npt.NDArray[np.int64]

    _parameter_constraints = {
        "vocab_size": [Interval(Integral, 1, None, closed="left")],
        "num_merges": [Interval(Integral, 0, None, closed="left"), None],
        "byte_level": ["boolean"],
        "pretokenizer": [str, dict, list, HasMethods("spans")],
        "end_of_word": [str, None],
        "join_end_of_word": ["boolean"],
        "continuing_prefix": [str],
        "min_frequency": [Interval(Integral, 1, None, closed="left")],
        "tie_break": [StrOptions({"first", "lexicographic", "id"})],
        "special_tokens": [list, tuple, dict],
        "unk_token": [str, None],
        "fuse_unk": ["boolean"],
        "byte_fallback": ["boolean"],
        "alphabet_limit": [Interval(Integral, 1, None, closed="left"), None],
        "character_coverage": [Interval(Real, 0, 1, closed="right")],
        "max_piece_length": [Interval(Integral, 1, None, closed="left"), None],
        "max_document_length": [Interval(Integral, 1, None, closed="left"), None],
        "sample": [Interval(Real, 0, 1, closed="right")],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
        "add_prefix_space": ["boolean", StrOptions({"if-missing"})],
        "normalizer": [dict, HasMethods("transform"), None],
        "whole_words": ["boolean"],
        "any_split": ["boolean"],
        "space_marker": [str, None],
        "dropout": [Interval(Real, 0, 1, closed="both")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        vocab_size: int = 32000,
        num_merges: int | None = None,
        byte_level: bool = True,
        pretokenizer: Any = "gpt2",
        end_of_word: str | None = None,
        join_end_of_word: bool = False,
        continuing_prefix: str = "",
        min_frequency: int = 1,
        tie_break: Literal["first", "lexicographic", "id"] = "first",
        special_tokens: Sequence[str] | Mapping[str, int] = (),
        unk_token: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        alphabet_limit: int | None = None,
        character_coverage: float = 1.0,
        max_piece_length: int | None = None,
        max_document_length: int | None = None,
        sample: float = 1.0,
        random_state: int | None = None,
        add_prefix_space: bool | Literal["if-missing"] = False,
        normalizer: Any = None,
        whole_words: bool = False,
        any_split: bool = False,
        space_marker: str | None = None,
        dropout: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.vocab_size = vocab_size
        self.num_merges = num_merges
        self.byte_level = byte_level
        self.pretokenizer = pretokenizer
        self.end_of_word = end_of_word
        self.join_end_of_word = join_end_of_word
        self.continuing_prefix = continuing_prefix
        self.min_frequency = min_frequency
        self.tie_break = tie_break
        self.special_tokens = special_tokens
        self.unk_token = unk_token
        self.fuse_unk = fuse_unk
        self.byte_fallback = byte_fallback
        self.alphabet_limit = alphabet_limit
        self.character_coverage = character_coverage
        self.max_piece_length = max_piece_length
        self.max_document_length = max_document_length
        self.sample = sample
        self.random_state = random_state
        self.add_prefix_space = add_prefix_space
        self.normalizer = normalizer
        self.whole_words = whole_words
        self.any_split = any_split
        self.space_marker = space_marker
        self.dropout = dropout
        self.n_jobs = n_jobs

    # Fitting

    def partial_fit(self, X: Iterable[Any], y: Any = None, *, progress: Progress = nothing) -> Self:
        """Go on with new text: all ids stay, new merges come behind the old ones.

        Raise `vocab_size` (or `num_merges`, which counts all merges) with ``set_params`` first. Unfitted, it is `fit`.

        Parameters
        ----------
        X : iterable of str, or of nested lists of str
            New documents; pairs are counted in these only.
        y : object
            Ignored.
        progress : callable, optional
            As for `fit`.

        Returns
        -------
        self
            Fitted.
        """
        self._check()
        old = self._model() if self.__sklearn_is_fitted__() else None
        return self._learn(self._count_documents(X, progress), progress, old)

    def _check(self) -> None:
        self._validate_params()
        make_pretokenizer(self.pretokenizer)
        make_normalizer(self.normalizer)
        special_list(self.special_tokens, self.unk_token)
        if self.byte_level and (
            self.end_of_word or self.continuing_prefix or self.byte_fallback or self.space_marker or self.any_split
        ):
            raise ValueError(
                "end_of_word, continuing_prefix, byte_fallback, space_marker and any_split belong to character mode: "
                "set byte_level=False."
            )
        if self.any_split and (self.end_of_word or self.continuing_prefix):
            raise ValueError("any_split does not go together with end_of_word and continuing_prefix.")
        if "" in (self.end_of_word, self.unk_token, self.space_marker):
            raise ValueError("end_of_word, unk_token and space_marker must not be empty; None leaves them out.")

    def _learn(self, counter: Any, progress: Progress, old: Model | None = None) -> Self:
        refuse_blank(counter, type(self).__name__)
        options, n_threads = self._options(), count_jobs(self.n_jobs)
        model, words = start(counter, options, n_threads) if old is None else resume(counter, old, options)
        del counter  # its tables are not needed while merging
        wanted = self._n_wanted(model)
        n_old = len(model.merges)
        model, counts = learn(model, words, wanted, options, progress, n_threads)
        if old is None:
            model.added_tokens.update(place_specials(self.special_tokens, model.n_ids))
        if len(model.merges) - n_old < wanted:
            warnings.warn(
                f"The corpus ran out of pairs that occur at least {self.min_frequency} times: the vocabulary has "
                f"{count_pieces(model, self._outside())} pieces and {len(model.merges)} merges, "
                f"{wanted - len(counts)} fewer than asked for.",
                VocabularyWarning,
                stacklevel=3,
            )
        self.merge_counts_ = counts if old is None else np.concatenate([self.merge_counts_, counts])
        return self._install(model)

    def _options(self) -> Options:
        return Options(
            self._style(),
            special_list(self.special_tokens, self.unk_token),
            *(getattr(self, name) for name in Options._fields[2:]),
        )

    def _outside(self) -> Collection[str]:
        """Give the special tokens that `vocab_size` does not count."""
        return self.special_tokens if isinstance(self.special_tokens, dict) else ()

    def _n_wanted(self, model: Model) -> int:
        unit, goal, have = "pieces", self.vocab_size, count_pieces(model, self._outside())
        if self.num_merges is not None:
            unit, goal, have = "merges", self.num_merges, len(model.merges)
        if goal < have:
            raise ValueError(f"The tokenizer has {have} {unit} already; ask for more than {goal}.")
        return goal - have

    # The fitted model

    def _style(self) -> Style:
        return Style(
            self.byte_level,
            self.continuing_prefix,
            self.end_of_word or "",
            self.join_end_of_word,
            self.space_marker or "",
        )

    def _model(self) -> Model:
        check_is_fitted(self)
        return Model(self.pieces_, self.merge_ids_, self.added_tokens_, self.byte_pieces_, self.template_)

    def _install(self, model: Model) -> Self:
        """Take over a model and build the encoder."""
        self.pieces_ = model.pieces
        self.merge_ids_ = model.merges
        self.added_tokens_ = model.added_tokens
        self.byte_pieces_ = model.byte_pieces
        self.template_ = model.template
        unknown = model.added_tokens[self.unk_token].id if self.unk_token in model.added_tokens else -1
        if unknown < 0 and self.unk_token in model.pieces:
            unknown = model.pieces.index(self.unk_token)
        arguments = encoder_arguments(model, self._style(), unknown, self.whole_words, self.fuse_unk, self.any_split)
        plan = Plan(arguments, self.pretokenizer, self.normalizer, self.add_prefix_space, model.added_tokens)
        if self.dropout:
            seed = self.random_state if self.random_state is not None else secrets.randbits(63)
            plan = plan._replace(dropout=float(self.dropout), seed=int(seed))
        self._runtime = Runtime(plan)
        self._is_plain = self._runtime.is_plain
        self._table = self._piece_table()
        return self

    @property
    def _has_opening_blank(self) -> bool:  # type: ignore[override]
        puts_blank = isinstance(self.normalizer, dict) and self.normalizer.get("add_dummy_prefix", False)
        return self.add_prefix_space is True or puts_blank or bool(self.continuing_prefix and not self.end_of_word)

    @property
    def _has_closing_blank(self) -> bool:  # type: ignore[override]
        return bool(self.end_of_word)

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
        BPETokenizer
            A new one; this one is unchanged.

        Raises
        ------
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
        gone = set(model.merges[kept:, 2].tolist()) - set(model.merges[:kept, 2].tolist())
        pieces = [None if index in gone else piece for index, piece in enumerate(model.pieces)]
        while pieces and pieces[-1] is None:
            pieces.pop()
        smaller = type(self)(**{**self.get_params(deep=False), "vocab_size": n, "num_merges": None})
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
        return state_format.write(self._model(), self._style())

    def _set_state(self, state: dict[str, Any]) -> None:
        self._adopt(state_format.read(state, self._style()))

    def _get_saved_params(self) -> dict[str, Any]:
        params = self.get_params(deep=False)
        for name in ("pretokenizer", "normalizer"):
            if not isinstance(params[name], str | dict | list | None):
                raise ModelFormatError(
                    f"A model file cannot hold the {name} {type(params[name]).__name__}: "
                    "use a scheme, a pattern or a component, or pickle the estimator."
                )
        return {
            **params,
            "special_tokens": params["special_tokens"]
            if isinstance(params["special_tokens"], dict)
            else list(params["special_tokens"]),
        }
