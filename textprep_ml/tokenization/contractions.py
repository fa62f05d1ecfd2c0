"""What is cut off inside words: contractions and clitics, in several schools and languages, as one table notation.

A table maps a written form to its pieces, separated by blanks. ``*`` stands for the rest of the word: ``"*n't": "*
n't"`` cuts an ending, ``"l'*": "l' *"`` a beginning. A form without a blank is left whole and is an exception to the
endings and beginnings (``"o'clock"``). Forms are written in small letters with straight apostrophes; capitals and
typographic apostrophes match as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from textprep_ml._validation import shorten

# Subjects that, with a clitic, open a clause; "app-it's" is therefore no compound.
PRONOUNS = (
    "i you he she it we they that this these those there here who what where when why how let everyone someone y'all"
)
AUXILIARIES = "is are was were do does did have has had can could will would shall should may might must need ought"
_BEFORE_NT = [*AUXILIARIES.split(), "ai", "ca", "wo", "sha", "dare"]

_ENDINGS = "n't 's 'm 're 've 'll 'd"
_WHOLE = "o'clock ma'am rock'n'roll 'em 'til 'till 'cause 'bout 'round 'n 'n' o'er e'er ne'er 'neath 'tude ol' an'"
_PTB = "can not, d' ye, gim me, gon na, got ta, lem me, more 'n, wan na, 't is, 't was"
_SPLIT = f"{_PTB}, y' all, d' you, d' ya, c'm on, 't will, 't were, 't was n't, 't is n't, du n no"

# Without apostrophes, as in chat. Words that are also ordinary ones (ill, well, were, shell, hell, id, wed, its, lets)
# stay whole.
_BARE = (
    "ai nt, are nt, ca nt, could nt, did nt, does nt, do nt, had nt, has nt, have nt, is nt, must nt, need nt, "
    "should nt, was nt, were nt, wo nt, would nt, i m, i ve, you re, you ve, you ll, they re, they ve, they ll, "
    "we ve, he s, she s, that s, there s, who s, what s, where s, how s, that ll, it ll"
)

_FRENCH = "l d j m t s c n qu jusqu lorsqu puisqu quoiqu"
_FRENCH_WHOLE = (
    "aujourd'hui quelqu'un quelqu'une prud'homme prud'hommes prud'homie presqu'île c'est-à-dire entr'acte "
    "grand'mère grand'messe rendez-vous"
)
# Behind a verb: est-il, a-t-on, donne-moi. Words that end so by chance stay whole.
_FRENCH_ENDINGS = (
    "-t-il -t-elle -t-on -t-ils -t-elles -il -elle -on -ils -elles -ce -je -tu -nous -vous -moi -toi -le -la -les "
    "-lui -leur"
)
_ITALIAN = (
    "l un d c s v m t n gl all dall dell nell sull coll quell bell sant quest tutt mezz cent senz anch com dov cos "
    "nessun ciascun qualcun alcun buon grand pover vent trent quarant cinquant sessant settant ottant novant quant"
)
_ITALIAN_WHOLE = "po' mo' be' di' fa' va' sta' da' to' ca' 'ndrangheta"
_GERMAN_ENDINGS = "'s"


def _joined(pieces: str) -> dict[str, str]:
    return {piece.replace(" ", ""): piece for piece in pieces.split(", ")}


def _endings(endings: str) -> dict[str, str]:
    return {f"*{ending}": f"* {ending}" for ending in endings.split()}


def _beginnings(stems: str) -> dict[str, str]:
    return {f"{stem}'*": f"{stem}' *" for stem in stems.split()}


def _whole(words: str) -> dict[str, str]:
    return {word: word for word in words.split()}


def _english(*tables: Mapping[str, str]) -> dict[str, str]:
    table = {**_endings(_ENDINGS), **_whole(_WHOLE)}
    for more in tables:
        table.update(more)
    return table


#: Language -> school -> table. ``"keep"`` is the empty table in every language.
TABLES: dict[str, dict[str, dict[str, str]]] = {
    "en": {
        "split": _english(_joined(_SPLIT)),
        "ptb": _english(_joined(_PTB)),
        "spacy": _english(_joined(_SPLIT), _joined(_BARE)),
        "moses": {**_endings("'t 's 'm 're 've 'll 'd"), **_whole(_WHOLE)},
    },
    "fr": {"split": {**_beginnings(_FRENCH), **_endings(_FRENCH_ENDINGS), **_whole(_FRENCH_WHOLE)}},
    "it": {"split": {**_beginnings(_ITALIAN), **_whole(_ITALIAN_WHOLE)}},
    "de": {"split": _endings(_GERMAN_ENDINGS)},
}


def contraction_table(contractions: str | Mapping[str, str], language: str = "en") -> dict[str, str]:
    """Give the table of a school in a language, or check a table of your own.

    Parameters
    ----------
    contractions : str or mapping
        ``"split"``, ``"keep"``, ``"ptb"``, ``"spacy"`` or ``"moses"``; or a table in the notation of this module.
    language : str
        A language code. Languages without a table of their own cut nothing.

    Returns
    -------
    dict of str to str
        Form -> pieces.

    Raises
    ------
    ValueError
        If the pieces of a form don't join to it.

    Examples
    --------
    >>> contraction_table("split")["cannot"]
    'can not'
    >>> contraction_table("split", "fr")["l'*"]
    "l' *"
    >>> contraction_table({"gonna": "gon a"})
    Traceback (most recent call last):
    ...
    ValueError: The pieces of contraction 'gonna' join to 'gona'; they must join to the form itself.
    """
    if isinstance(contractions, str):
        schools = TABLES.get(language, {})
        return dict(schools.get(contractions, schools.get("split", {}))) if contractions != "keep" else {}
    table = {}
    for form, pieces in contractions.items():
        pieces = pieces if isinstance(pieces, str) else " ".join(pieces)
        if pieces.replace(" ", "") != form:
            raise ValueError(
                f"The pieces of contraction {shorten(form)} join to {pieces.replace(' ', '')!r}; "
                "they must join to the form itself."
            )
        if "*" in form:
            _check_open_form(form, pieces)
        table[form] = pieces
    return table


def _check_open_form(form: str, pieces: str) -> None:
    ending, beginning = pieces.startswith("* "), pieces.endswith(" *")
    if form.count("*") != 1 or pieces.count(" ") != 1 or not (ending or beginning):
        raise ValueError(
            f"Contraction {shorten(form)} is no ending ('*n't': '* n't') and no beginning ('l'*': 'l' *')."
        )
    if not any(mark in form for mark in "'-"):
        raise ValueError(
            f"Contraction {shorten(form)} has no apostrophe and no hyphen; write such words out one by one."
        )


def clause_openers() -> tuple[set[str], set[str]]:
    """Give the English contractions that open a clause: with a pronoun (it's), and with an auxiliary (don't)."""
    pronouns = {host + clitic for host in PRONOUNS.split() for clitic in ("'s", "'m", "'re", "'ve", "'ll", "'d")}
    return pronouns, {host + "n't" for host in _BEFORE_NT}
