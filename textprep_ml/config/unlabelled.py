"""Raw text to train on, of which a teacher knows where sentences end.

What a large model knows goes into a small one by its answers on plenty of text (Bucila, Caruana and Niculescu-Mizil
2006, Model compression): a single tree trained so comes close to the linear model that labelled the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle

from textprep_ml.config.files import Corpus, read_raw

#: How long documents are, in characters: short and long ones, since counts over a document differ with its length.
_LENGTHS = (1000, 3000, 8000)


def read_unlabelled(corpus: Corpus) -> list[str]:
    """Take documents out of a raw text, each as it is and once more with every line break lost.

    Parameters
    ----------
    corpus : Corpus
        With the ``share`` of the text that is taken.

    Returns
    -------
    list of str
        Documents.
    """
    parts = read_raw([corpus.path], lambda what, done, total: None)
    texts = list(take_share(cut_into_documents(parts), corpus.share))
    return texts + [text.replace("\n", " ") for text in texts]


def cut_into_documents(parts: Iterable[str]) -> Iterator[str]:
    r"""Cut a long text at line ends into documents of several lengths.

    Parameters
    ----------
    parts : iterable of str
        Parts that end with a line.

    Yields
    ------
    str
        Documents of about 1,000, 3,000 and 8,000 characters, by turns.

    Examples
    --------
    >>> [len(document) for document in cut_into_documents(["x" * 99 + "\n"] * 130)]
    [1000, 3000, 8000, 1000]
    """
    lengths = cycle(_LENGTHS)
    wanted = next(lengths)
    lines: list[str] = []
    length = 0
    for part in parts:
        for line in part.splitlines(keepends=True):
            lines.append(line)
            length += len(line)
            if length >= wanted:
                yield "".join(lines)
                wanted, lines, length = next(lengths), [], 0
    if lines:
        yield "".join(lines)


def take_share(documents: Iterable[str], share: float) -> Iterator[str]:
    """Take a share of documents, evenly.

    Parameters
    ----------
    documents : iterable of str
        All of them.
    share : float
        Above 0, at most 1.

    Yields
    ------
    str
        Those taken.

    Examples
    --------
    >>> "".join(take_share("abcdefghij", 0.3))
    'dgj'
    """
    for number, document in enumerate(documents):
        if int((number + 1) * share + 1e-9) > int(number * share + 1e-9):
            yield document
