"""From parameters to what the word kernel is told: flags, the table of words, endings and beginnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from textprep_ml._kernels.word_flags import Action, Flag
from textprep_ml._validation import shorten
from textprep_ml.abbreviations import languages, normalize_abbreviations
from textprep_ml.tokenization.contractions import TABLES, clause_openers, contraction_table

#: Kind of protected pattern -> flag, in the order of the cascade.
PROTECTED = {
    "url": Flag.URL,
    "email": Flag.EMAIL,
    "file": Flag.FILE,
    "code": Flag.CODE,
    "hashtag": Flag.HASHTAG,
    "handle": Flag.HANDLE,
    "emoticon": Flag.EMOTICON,
    "number": Flag.NUMBERS,
    "date": Flag.DATE,
    "time": Flag.TIME,
    "currency": Flag.CURRENCY,
    "citation": Flag.CITATION,
}

# Last labels of host names. Codes that are ordinary words (in, it, is, at, be, me, no, so, to, us, my, am) need a
# scheme, "www." or a path.
_DOMAINS = """
    com org net edu gov mil int info biz io ai app dev co uk de fr es nl pl ru jp cn br ca au nz ch se dk fi cz
    sk hu gr pt ie kr tw hk sg il za mx ar cl eu tv ly gl gle xyz online site wiki blog arpa onion localhost
"""
# Extensions that are ordinary words or letters (go, so, r) are left out.
_EXTENSIONS = """
    txt md rst tex pdf doc docx odt rtf xls xlsx ods csv tsv ppt pptx odp html htm xhtml xml json jsonl yaml yml
    toml ini cfg conf log sql db sqlite py pyx pyi ipynb c h cc cpp hpp cxx cs java kt js ts jsx tsx css scss
    php rb rs pl sh bash zsh bat ps1 jl lua swift scala vb asm dll exe bin dat bak tmp zip gz xz bz2 tgz tar rar
    iso jar whl deb rpm dmg apk jpg jpeg png gif bmp svg tif tiff webp ico psd eps mp3 mp4 wav ogg flac avi mov
    mkv wmv webm m4a ttf otf url lnk asp aspx jsp cgi env lock parquet npy npz pkl h5 onnx conllu
"""
_UNITS = """
    km m cm mm nm µm μm mi ft in yd g kg mg µg μg ng lb lbs oz t l L ml mL dl cl gal h hr hrs min mins s sec
    secs ms µs ns Hz kHz MHz GHz W kW MW GW kWh MWh V kV mV A mA J kJ N Pa kPa hPa bar K C F B KB kB MB GB TB
    bit kbps Mbps Gbps mph kph rpm am pm AM PM a.m. p.m. px pt em mol mmol k K M bn x ppm dB cal kcal ha sq
"""
_TIGHT_UNITS = """
    am pm AM PM a.m. p.m. km cm mm kg mg ml lb lbs oz ft hr hrs min mins sec secs mph kb mb gb KB MB GB kW MW
    MWh kWh GHz MHz px
"""

# What stays in one word with its neighbour where hyphens otherwise split (Bies et al., "English Web Treebank", 2012,
# and its train part).
_PREFIXES = """
    e co pre non re anti ex mid sub micro semi multi pro over intra inter post cross psycho un de counter mini
    neo ultra bi tri quasi pseudo out under up o x u a ante arch auto bio cyber eco extra hyper infra mega meta
    mis para proto super supra trans uber
"""
_SUFFIXES = """
    fold ish esque
"""

# Entries that are ordinary words, too: they keep their period only where the text after it goes on in small letters or
# with a number.
_DOUBTFUL = """
    no nos art arts pat prop ex tab tabs par pars cat mod ser so fed stat pub fig figs ch p l r n v me mass miss
    ill ind wash ore cal del id cert mem rel app apps sup super res reg pol med mag arch arb dev dis trop soc
    comm eng sun sat mon mar wed apt pt ms doc rep reps gen hon rev ven pres col cap maj ens det co cos ins mut
    sys sav cas am is us la pa ark mo tex penn ont min mil bil temp temps gr fl sq cu mi dia gal cor num mal lam
    tob rom pl ter cres pers dial in op inf ca c sens lat hab dest comb nov dil inj conc var ord bal bur fac int
    max obs spec trans perf imp prev fam corr pred pet mot br compl stip dep secs pts def ans alt obit pref sec
    ad mus exp hist infect tit ed ver cond pos add mid neg ref refs orig ext exts univ tel dir prep est sig mat
    cart form dance a f pharms sta fin cant ho job eq lev ps masc fem pass ital mort sing trig hosp inst crit
    sci lit log bio demo rec recs tot nat bot cult
"""


_CERTAIN = ("user", "title", "rank", "given", "company", "suffix", "month", "weekday", "etc")


def _variants(word: str) -> set[str]:
    """Give the written forms of a form in small letters: as it is, with a capital, in capitals."""
    capital = next((index for index, char in enumerate(word) if char.isalpha()), 0)
    return {word, word[:capital] + word[capital:].capitalize(), word.upper()}


class _Table(dict[str, tuple[int, tuple[int, ...]]]):
    """Word -> (what it may do, where it is cut)."""

    def mark(self, words: Iterable[str], action: int) -> None:
        for word in words:
            before, cuts = self.get(word, (0, ()))
            self[word] = (before | action, cuts)

    def cut(self, pieces: str) -> None:
        lengths = [len(piece) for piece in pieces.split()[:-1]]
        offsets = tuple(sum(lengths[: index + 1]) for index in range(len(lengths)))
        for word in _variants(pieces.replace(" ", "")):
            self[word] = (self.get(word, (0, ()))[0] | Action.CUT, offsets)


def _add_abbreviations(table: _Table, abbreviations: Mapping[str, str]) -> None:
    doubtful_words = frozenset(_DOUBTFUL.split())
    for entry, kind in abbreviations.items():
        forms = (
            _variants(entry) | {entry.lower()}
            if kind == "user"
            else _variants(entry)
            if entry == entry.lower()
            else {entry}
        )
        doubtful = kind not in _CERTAIN and entry.lower() in doubtful_words
        if not doubtful and len(entry) > 1:
            forms = forms | {entry.upper()}
        table.mark(forms, Action.DOUBTFUL if doubtful else Action.ABBREVIATION)


#: Parameter, the values that set a flag, the flag.
_CHOICES = (
    ("hyphens", ("split", "affixes"), Flag.SPLIT_HYPHENS),
    ("marks", ("runs",), Flag.MARK_RUNS),
    ("unspaced", ("runs",), Flag.UNSPACED_RUNS),
    ("units", ("split",), Flag.SPLIT_UNITS),
    ("decades", ("keep",), Flag.KEEP_DECADES),
    ("ranges", ("split",), Flag.SPLIT_RANGES),
)


def _flags(params: Mapping[str, Any]) -> int:
    kinds = PROTECTED if params["protect"] == "all" else params["protect"] or ()
    for kind in kinds:
        if kind not in PROTECTED:
            raise ValueError(f"WordTokenizer knows no protected pattern {kind!r}; there are {', '.join(PROTECTED)}.")
    flags = int(sum(PROTECTED[kind] for kind in set(kinds)))
    for name, values, flag in _CHOICES:
        flags |= flag if params[name] in values else 0
    return flags


def build_rules(params: Mapping[str, Any], kernel: Any) -> Any:
    """Build the `Rules` of the kernel (or of its twin) from the parameters of a `WordTokenizer`."""
    language = params["language"]
    if not re.fullmatch("[a-z]{2,3}", language):
        known = ", ".join(sorted({*TABLES, *languages()}))
        raise ValueError(
            f"language = {shorten(language)} is no code of two or three letters (ISO 639); there are contractions or "
            f"abbreviations for {known}."
        )
    abbreviations = params["abbreviations"]
    if abbreviations == "auto":
        abbreviations = language if language in languages() else None
    contractions = contraction_table(params["contractions"], language)
    table = _Table()
    _add_abbreviations(table, normalize_abbreviations(abbreviations))
    table.mark(_DOMAINS.split(), Action.DOMAIN)
    table.mark(
        (form for word in _EXTENSIONS.split() for form in {word, word.upper() if len(word) > 1 else word}),
        Action.EXTENSION,
    )
    table.mark((_TIGHT_UNITS if params["units"] == "split" else _UNITS).split(), Action.UNIT)
    if language == "en":
        for forms, action in zip(clause_openers(), (Action.PRONOUN, Action.AUXILIARY), strict=True):
            table.mark((variant for form in forms for variant in _variants(form)), action)
    if params["hyphens"] == "affixes":
        for affixes, action in ((_PREFIXES, Action.PREFIX), (_SUFFIXES, Action.SUFFIX)):
            table.mark((variant for affix in affixes.split() for variant in _variants(affix)), action)
    for form, pieces in contractions.items():
        if "*" not in form:
            table.cut(pieces)
    endings = sorted((form[1:] for form in contractions if form.startswith("*")), key=len, reverse=True)
    beginnings = sorted((form[:-1] for form in contractions if form.endswith("*")), key=len, reverse=True)
    return kernel.Rules(_flags(params), dict(table), tuple(endings), tuple(beginnings))
