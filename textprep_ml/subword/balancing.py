"""Counts of several languages in proportions that a common vocabulary is to be trained on."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from textprep_ml._validation import shorten

#: Scripts that words are grouped by; kana of both kinds are one, and all that is left is "Other".
_SCRIPTS = (
    "Latin", "Cyrillic", "Greek", "Han", "Hangul", "Thai", "Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil",
    "Telugu", "Kannada", "Malayalam", "Gujarati", "Gurmukhi", "Oriya", "Sinhala", "Lao", "Khmer", "Myanmar",
    "Tibetan", "Georgian", "Armenian", "Ethiopic", "Mongolian", "Syriac", "Thaana", "Cherokee", "Bopomofo",
    "Canadian_Aboriginal", "Javanese", "Balinese", "Tifinagh", "Nko",
)  # fmt: skip
_LETTER = regex.compile(
    "|".join([*(rf"(?P<{name}>\p{{{name}}})" for name in _SCRIPTS), r"(?P<Kana>[\p{Hiragana}\p{Katakana}])"])
    + r"|(?P<Other>\p{L})"
)


#: Scripts that put no blanks between words.
_UNSPACED = frozenset({"Han", "Kana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Javanese", "Balinese"})


def balance_counts(
    counts: Mapping[str, Mapping[str, int]], *, temperature: float = 3.0, min_frequency: int = 1
) -> dict[str, int]:
    """Put the word counts of several languages into one table, where small languages count for more than they have.

    The share of a language becomes proportional to ``size ** (1 / temperature)`` [1]_, where its size is the number of
    characters in all its words. The largest language keeps its counts, all others grow, so that no word is lost.

    Parameters
    ----------
    counts : mapping of str to (mapping of str to int)
        Language -> word -> count, as ``count_words`` and ``count_files`` of a tokenizer give them.
    temperature : float, default=3.0
        1 leaves the counts as they are; with infinity all languages have the same share.
    min_frequency : int, default=1
        What the tokenizer will be trained with. Words that are rarer than this in all languages together do not grow,
        so that a pair of pieces passes the threshold only if the texts really have it so often. Words of scripts
        without blanks, such as Han and Thai, are whole clauses that hardly ever come twice: they always grow, and of
        their pairs the threshold asks less than it says.

    Returns
    -------
    dict of str to int
        Word -> count, for ``fit_counts``; words of several languages are added up.

    Raises
    ------
    TypeError
        If there is something else than mappings from words to integers.
    ValueError
        If there is no word, a count is negative, or the temperature or the frequency is below 1.

    References
    ----------
    .. [1] Arivazhagan, N. et al. (2019). Massively multilingual neural machine translation in the wild: findings and
       challenges. arXiv:1907.05019.

    Examples
    --------
    >>> counts = {"en": {"the": 60, " cat": 45}, "zh": {"猫": 40}}
    >>> balance_counts(counts, temperature=2)  # 360 and 40 characters become 3 to 1
    {'the': 60, ' cat': 45, '猫': 120}
    >>> balance_counts({"en": {"the": 120}, "fr": {"le": 19, "la": 1}}, temperature=2, min_frequency=2)
    {'the': 120, 'le': 57, 'la': 1}
    >>> from textprep_ml import BPETokenizer
    >>> tokenizer = BPETokenizer(pretokenizer="script", vocab_size=260)
    >>> texts = {"en": ["the cat, the hat"], "zh": ["猫在帽子里"]}
    >>> balanced = balance_counts({name: tokenizer.count_words(texts[name]) for name in texts})
    >>> len(tokenizer.fit_counts(balanced).vocabulary_)
    260
    """
    if not temperature >= 1:
        raise ValueError(f"balance_counts expects a temperature of at least 1, but got {temperature!r}.")
    if not min_frequency >= 1:
        raise ValueError(f"balance_counts expects a min_frequency of at least 1, but got {min_frequency!r}.")
    if not isinstance(counts, Mapping):
        raise TypeError(f"balance_counts expects a mapping from languages to their counts, but got {shorten(counts)}.")
    sizes = {name: _size(name, table) for name, table in counts.items()}
    largest = max(sizes.values(), default=0)
    if not largest:
        raise ValueError("balance_counts got no words to count.")
    real: dict[str, int] = {}
    for table in counts.values():
        for word, count in table.items():
            real[word] = real.get(word, 0) + count
    balanced = dict.fromkeys(real, 0)
    for name, table in counts.items():
        factor = (largest / max(1, sizes[name])) ** (1 - 1 / temperature)
        for word, count in table.items():
            # A pair that is too rare occurs in no word that is frequent enough: none of its words grows.
            grows = real[word] >= min_frequency or _script(word) in _UNSPACED
            balanced[word] += round(count * factor) if grows else count
    return balanced


def _size(name: str, table: Mapping[str, int]) -> int:
    if not isinstance(table, Mapping):
        raise TypeError(
            f"balance_counts expects a mapping from words to counts for {name!r}, but got {shorten(table)}."
        )
    size = 0
    for word, count in table.items():
        if not isinstance(word, str) or isinstance(count, bool) or not hasattr(count, "__index__"):
            raise TypeError(f"balance_counts: {name!r} has the count {shorten(count)} for the word {shorten(word)}.")
        if count < 0:
            raise ValueError(f"balance_counts: {name!r} has the count {count} for the word {shorten(word)}.")
        size += count * len(word)
    return int(size)


def group_by_script(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Part word counts by writing system, for texts whose languages nobody told.

    Parameters
    ----------
    counts : mapping of str to int
        Word -> count; the pre-tokenizer ``"script"`` makes words of one script.

    Returns
    -------
    dict of str to (dict of str to int)
        Script of the first letter -> word -> count; words without a letter are ``"Common"``.

    Examples
    --------
    >>> group_by_script({" cat": 2, "猫": 1, ", ": 4, " дом": 1, "ネコ": 1})
    {'Latin': {' cat': 2}, 'Han': {'猫': 1}, 'Common': {', ': 4}, 'Cyrillic': {' дом': 1}, 'Kana': {'ネコ': 1}}
    """
    groups: dict[str, dict[str, int]] = {}
    for word, count in counts.items():
        groups.setdefault(_script(word), {})[word] = count
    return groups


def _script(word: str) -> str:
    letter = _LETTER.search(word)
    return str(letter.lastgroup) if letter else "Common"
