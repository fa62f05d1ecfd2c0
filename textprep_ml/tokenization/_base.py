"""What every tokenizer shares: spans first, strings as slices of the text, callable for scikit-learn's vectorizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from textprep_ml._parallel import map_documents
from textprep_ml._validation import check_documents, shorten
from textprep_ml.base import TextTransformer


class _Compiled:
    """What was built from the parameters, and the function text -> tokens; never pickled."""

    def __init__(self, built: Any = None, tokenize: Any = None) -> None:
        self.built = built
        self.tokenize = tokenize

    def __reduce__(self) -> tuple[Any, ...]:
        return _Compiled, ()


class Tokenizer(TextTransformer):
    """Base of the tokenizers.

    A subclass gives ``_build()``, what it compiles from its parameters, and ``_spans(text, built)``. The compiled form
    is made at first use, made again after a parameter was set, and left out of pickles and hashes.
    """

    _names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._names = tuple(cls._parameter_constraints)

    def _build(self) -> Any:
        return None

    def _spans(self, text: str, built: Any) -> np.ndarray:
        raise NotImplementedError

    def _tokens(self, text: str, built: Any) -> list[Any]:
        return [text[start:end] for start, end in self._spans(text, built).tolist()]

    def __setattr__(self, name: str, value: Any) -> None:
        """Forget the compiled form when a parameter is set."""
        if name in self._names:
            self.__dict__.pop("_compiled", None)
        super().__setattr__(name, value)

    def _compile(self) -> _Compiled:
        """Give what is built from the parameters, from now on and for one that never changes."""
        compiled: _Compiled | None = self.__dict__.get("_compiled")
        if compiled is None:
            self._validate_params()
            built = self._build()
            compiled = self._compiled = _Compiled(built, self._tokenize_with(built))
        return compiled

    def _built(self) -> Any:
        return self._compile().built

    def _tokenize_with(self, built: Any) -> Callable[[str], list[Any]]:
        """Give the function text -> tokens; tokenizers with a faster way override it."""
        return partial(self._tokens, built=built)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the compiled form out: pickles and the hashes of `Pipeline(memory=...)` see parameters only."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_compiled"}

    def _check(self, text: Any) -> str:
        if type(text) is str:
            return text
        if isinstance(text, str):
            return str(text)
        raise TypeError(
            f"{type(self).__name__} expects one str, but got {type(text).__name__}: {shorten(text)}. "
            "Use transform for many texts."
        )

    def fit(self, X: Any, y: Any = None) -> Any:
        """Check and compile the parameters; there is nothing to learn.

        Parameters
        ----------
        X : sequence of str
            Ignored.
        y : object
            Ignored.

        Returns
        -------
        self
            The tokenizer.
        """
        self._built()
        return self

    def spans(self, text: str) -> np.ndarray:
        """Find the tokens of a text.

        Parameters
        ----------
        text : str
            Any string.

        Returns
        -------
        ndarray of shape (n_tokens, 2)
            Half-open spans in code points, dtype intp, in order.
        """
        return self._spans(self._check(text), self._built())

    def spans_batch(self, X: Any) -> list[np.ndarray]:
        """Find the tokens of many texts, without making strings of them.

        This is the fastest way, and the one that threads share well: new strings are made by one thread at a time.

        Parameters
        ----------
        X : sequence of str
            Documents.

        Returns
        -------
        list of ndarray
            For each text what `spans` gives.

        Examples
        --------
        >>> from textprep_ml.tokenization import WordTokenizer
        >>> [spans.tolist() for spans in WordTokenizer().spans_batch(["Go!", "", "a cat"])]
        [[[0, 2], [2, 3]], [], [[0, 1], [2, 5]]]
        """
        self._built()
        return map_documents(
            self._spans_of_each, check_documents(X, type(self).__name__), getattr(self, "n_jobs", None)
        )

    def _spans_of_each(self, texts: Sequence[str]) -> list[np.ndarray]:
        built = self._built()
        return [self._spans(text, built) for text in texts]

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into its tokens.

        Parameters
        ----------
        text : str
            Any string.

        Returns
        -------
        list of str
            Slices of the text, in order.
        """
        return self(text)

    def __call__(self, text: str) -> list[str]:
        """Do what `tokenize` does: the object goes into ``CountVectorizer(tokenizer=..., token_pattern=None)``."""
        compiled = self.__dict__.get("_compiled") or self._compile()
        return compiled.tokenize(text if type(text) is str else self._check(text))

    def separators(self, text: str) -> list[str]:
        """Give what stands before, between and behind the tokens.

        Parameters
        ----------
        text : str
            Any string.

        Returns
        -------
        list of str
            One more than there are tokens. ``Detokenizer().join(tokens, separators=...)`` with them is the text.
        """
        edges = [0, *self.spans(text).ravel().tolist(), len(text)]
        return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]

    def _transform_one(self, text: str) -> list[str]:
        return self(text)

    def _get_state(self) -> dict[str, Any]:
        return {}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Nothing is learned, nothing is restored."""
