"""Corpora that are known by name: where they come from and under which licence."""

from __future__ import annotations

from dataclasses import dataclass

#: The data set on the Hub that holds the Universal Dependencies treebanks, one configuration each.
UD_REPOSITORY = "universal-dependencies/universal_dependencies"
#: The branch with its Parquet files, for which no code of the data set has to be run.
UD_REVISION = "refs/convert/parquet"


@dataclass(frozen=True)
class KnownCorpus:
    """A corpus that `read_corpus` can load by name.

    Attributes
    ----------
    name : str
        What `read_corpus` takes, such as ``"ud:en_ewt"``.
    language : str
        ISO 639 code.
    title : str
        The name of the corpus.
    licence : str
        Of the annotation, as its makers state it. Texts may have terms of their own.
    content : str
        Kinds of text.
    """

    name: str
    language: str
    title: str
    licence: str
    content: str


_KNOWN = tuple(
    KnownCorpus(f"ud:{code}", code.partition("_")[0], f"UD {title}", licence, content)
    for code, title, licence, content in (
        ("ar_padt", "Arabic-PADT", "CC BY-NC-SA 3.0", "newswire"),
        ("de_gsd", "German-GSD", "CC BY-SA 4.0", "news, reviews, web; sentences out of context"),
        ("en_ewt", "English-EWT", "CC BY-SA 4.0", "weblogs, mail, newsgroups, reviews, answers"),
        ("en_gum", "English-GUM", "CC BY-NC-SA 4.0", "academic, fiction, non-fiction, news, spoken, web, wiki"),
        ("es_ancora", "Spanish-AnCora", "CC BY 4.0", "news"),
        ("fr_gsd", "French-GSD", "CC BY-SA 4.0", "news, reviews, web; sentences out of context"),
        ("hi_hdtb", "Hindi-HDTB", "CC BY-NC-SA 4.0", "news"),
        ("ja_gsd", "Japanese-GSD", "CC BY-SA 4.0", "news, blogs"),
        ("pl_pdb", "Polish-PDB", "CC BY-NC-SA 4.0", "news, fiction, non-fiction"),
        ("ru_syntagrus", "Russian-SynTagRus", "CC BY-NC-SA 4.0", "news, fiction, non-fiction"),
        ("tr_boun", "Turkish-BOUN", "CC BY-SA 4.0", "news, non-fiction"),
        ("zh_gsd", "Chinese-GSD", "CC BY-SA 4.0", "encyclopedia; sentences out of context"),
    )
)


def known_corpora(language: str | None = None) -> list[KnownCorpus]:
    """List the corpora that are known by name.

    Any other treebank of Universal Dependencies loads by its code too; those listed are the ones whose licence is on
    record here.

    Parameters
    ----------
    language : str, optional
        Only those of one language, such as ``"en"``.

    Returns
    -------
    list of KnownCorpus
        Sorted by name.

    Examples
    --------
    >>> [corpus.name for corpus in known_corpora("en")]
    ['ud:en_ewt', 'ud:en_gum']
    >>> known_corpora("de")[0].licence
    'CC BY-SA 4.0'
    """
    return [corpus for corpus in _KNOWN if language in (None, corpus.language)]
