# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, nonecheck=False, freethreading_compatible=True
"""Word scanner over the storage of the string itself (1, 2 or 4 bytes a character), so that offsets are code points for free.

`_pure/words.py` is the same scanner function by function and says what each is for. Nothing here looks at the Python objects during the
scan: the GIL is released for it.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from "unicode_classes.h" nogil:
    uint32_t uc_class(uint32_t code)
    const uint32_t LETTER "UC_LETTER"
    const uint32_t MARK "UC_MARK"
    const uint32_t NUMBER "UC_NUMBER"
    const uint32_t SPACE "UC_SPACE"
    const uint32_t UPPER "UC_UPPER"
    const uint32_t LOWER "UC_LOWER"
    const uint32_t PUNCTUATION "UC_PUNCTUATION"
    const uint32_t IDEOGRAPH "UC_IDEOGRAPH"
    const uint32_t UNSPACED "UC_UNSPACED"
    const uint32_t PICTOGRAPH "UC_PICTOGRAPH"
    const uint32_t DIGIT "UC_DIGIT"
    const uint32_t FORMAT "UC_FORMAT"

cdef extern from "huge_pages.h":
    const Py_ssize_t HUGE_FROM
    const Py_ssize_t HUGE_PAGE

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    object PyUnicode_Substring(object text, Py_ssize_t start, Py_ssize_t end)

ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    # Flags of Rules.
    SPLIT_HYPHENS = 1
    MARK_RUNS = 2
    UNSPACED_RUNS = 4
    SPLIT_UNITS = 8
    KEEP_DECADES = 16
    SPLIT_RANGES = 32
    URL = 64
    EMAIL = 128
    FILE = 256
    CODE = 512
    HASHTAG = 1024
    HANDLE = 2048
    EMOTICON = 4096
    NUMBERS = 8192
    DATE = 16384
    TIME = 32768
    CURRENCY = 65536
    CITATION = 131072
    # What a word of the table may do.
    ABBREVIATION = 1
    DOUBTFUL = 2
    CUT = 4
    PRONOUN = 8
    AUXILIARY = 16
    PREFIX = 32
    SUFFIX = 64
    DOMAIN = 128
    EXTENSION = 256
    UNIT = 512
    # Sizes.
    LONGEST_KEY = 32
    PIECES = 8
    BATCH = 512
    CACHE = 4096

cdef struct Entry:
    uint32_t start      # of the key in the arena of code points
    uint16_t length     # 0: free slot
    uint16_t action
    uint8_t n_cuts
    int8_t cuts[PIECES - 1]

cdef struct Affix:
    uint32_t length
    uint32_t chars[LONGEST_KEY]

cdef struct State:
    Py_ssize_t n
    uint32_t flags
    uint32_t mask
    Entry* table
    uint32_t* arena
    uint32_t* filter
    Affix* endings
    Affix* beginnings
    int n_endings
    int n_beginnings
    bint hyphen_endings
    Py_ssize_t mail_end
    Py_ssize_t chain_end
    Py_ssize_t chain_valid
    Py_ssize_t path_end
    bint path_valid
    Py_ssize_t* out
    Py_ssize_t count


cdef struct Text:
    const void* data
    int kind
    Py_ssize_t length


cdef struct Shared:
    uint64_t low
    uint64_t high
    PyObject* value


cdef uint32_t hash_of(const uint32_t* key, Py_ssize_t length) noexcept nogil:
    cdef uint32_t value = 2166136261u
    cdef Py_ssize_t k
    for k in range(length):
        value = (value ^ key[k]) * 16777619u
    return value ^ (value >> 15)


cdef inline uint32_t fold_mark(uint32_t c) noexcept nogil:
    return 39 if c == 0x2019 or c == 0x2bc or c == 0xff07 else c


cdef inline uint32_t fold(uint32_t c) noexcept nogil:
    return c + 32 if 65 <= c <= 90 else fold_mark(c)


cdef class Rules:
    """What the scanner is told about words: flags, word -> (what it may do, cuts), endings and beginnings."""

    cdef Entry* table
    cdef uint32_t* arena
    cdef Affix* endings
    cdef Affix* beginnings
    cdef Shared* cache  # strings of short tokens; touched under the GIL only
    cdef list spare     # tables of strings that know the frequent words, one for each call that there was at a time
    cdef uint32_t filter[128]
    cdef uint32_t mask
    cdef int n_endings
    cdef int n_beginnings
    cdef readonly uint32_t flags

    def __cinit__(self, flags, words, endings=(), beginnings=()):
        kept = {key: value for key, value in words.items() if len(key) <= LONGEST_KEY}
        self.flags = flags
        self.spare = []
        size = 16
        while size < 2 * len(kept) + 2:
            size *= 2
        self.mask = size - 1
        self.table = <Entry*>PyMem_Malloc(size * sizeof(Entry))
        self.arena = <uint32_t*>PyMem_Malloc((sum(map(len, kept)) + 1) * sizeof(uint32_t))
        self.endings = <Affix*>PyMem_Malloc((len(endings) + 1) * sizeof(Affix))
        self.beginnings = <Affix*>PyMem_Malloc((len(beginnings) + 1) * sizeof(Affix))
        self.cache = <Shared*>PyMem_Malloc(CACHE * sizeof(Shared))
        if self.cache == NULL or self.table == NULL or self.arena == NULL or self.endings == NULL or self.beginnings == NULL:
            raise MemoryError
        memset(self.table, 0, size * sizeof(Entry))
        memset(self.cache, 0, CACHE * sizeof(Shared))
        memset(self.filter, 0, sizeof(self.filter))
        cdef uint32_t used = 0
        for key, (action, cuts) in kept.items():
            used = self.insert(key, action, cuts, used)
        self.n_endings = self.fill(self.endings, endings)
        self.n_beginnings = self.fill(self.beginnings, beginnings)

    cdef uint32_t insert(self, str key, uint32_t action, cuts, uint32_t used) except? 0:
        cdef uint32_t slot, k
        cdef Py_ssize_t length = len(key)
        if length == 0:
            return used
        for k in range(length):
            self.arena[used + k] = ord(key[k])
        slot = hash_of(self.arena + used, length) & self.mask
        while self.table[slot].length:
            slot = (slot + 1) & self.mask
        self.table[slot].start = used
        self.table[slot].length = <uint16_t>length
        self.table[slot].action = <uint16_t>action
        self.table[slot].n_cuts = <uint8_t>min(len(cuts), PIECES - 1)
        for k in range(self.table[slot].n_cuts):
            self.table[slot].cuts[k] = cuts[k]
        if action & CUT:
            self.filter[self.arena[used] & 127] |= <uint32_t>1 << min(length, 31)
        return used + <uint32_t>length

    cdef int fill(self, Affix* target, affixes) except -1:
        cdef int count = 0
        for affix in affixes:
            if 0 < len(affix) <= LONGEST_KEY:
                target[count].length = <uint32_t>len(affix)
                for k, char in enumerate(affix):
                    target[count].chars[k] = ord(char)
                count += 1
        return count

    def __dealloc__(self):
        cdef Py_ssize_t k
        if self.cache != NULL:
            for k in range(CACHE):
                Py_XDECREF(self.cache[k].value)
            PyMem_Free(self.cache)
        PyMem_Free(self.table)
        PyMem_Free(self.arena)
        PyMem_Free(self.endings)
        PyMem_Free(self.beginnings)

    cdef Strings take_strings(self, Py_ssize_t n_characters):
        """Give a table of strings for so much text: one that knows words already, if there is much to do and one is free."""
        if n_characters >= 4 * MOST_WORDS:
            try:
                return self.spare.pop()
            except IndexError:
                pass
        return Strings(n_characters)

    cdef State state(self, Py_ssize_t stop):
        cdef State st
        cdef int k
        st.n = stop
        st.flags = self.flags
        st.mask = self.mask
        st.table = self.table
        st.arena = self.arena
        st.filter = self.filter
        st.endings = self.endings
        st.beginnings = self.beginnings
        st.n_endings = self.n_endings
        st.n_beginnings = self.n_beginnings
        st.hyphen_endings = False
        for k in range(self.n_endings):
            st.hyphen_endings |= self.endings[k].chars[0] == c"-"
        st.mail_end = st.chain_end = st.chain_valid = st.path_end = -1
        st.path_valid = False
        st.out = NULL
        st.count = 0
        return st


# --- characters ---------------------------------------------------------------------------------------------------------------------

cdef inline uint32_t at(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    return s[i] if 0 <= i < st.n else 0


cdef inline uint32_t cls(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    return uc_class(s[i]) if 0 <= i < st.n else 0


cdef inline bint is_word(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef uint32_t kind = cls(s, st, i)
    return (kind & (LETTER | MARK | NUMBER)) != 0 and not kind & (IDEOGRAPH | UNSPACED)


cdef inline bint is_digit(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    return (cls(s, st, i) & DIGIT) != 0


cdef inline bint before_is_word(const Char* s, Py_ssize_t i) noexcept nogil:
    return i > 0 and (uc_class(s[i - 1]) & (LETTER | MARK | NUMBER)) != 0


cdef bint all_upper(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    while i < j:
        if not cls(s, st, i) & UPPER:
            return False
        i += 1
    return True


cdef inline bint is_apostrophe(uint32_t c) noexcept nogil:
    return c == 39 or c == 0x2019 or c == 0x2bc or c == 0xff07


cdef inline bint is_hyphen(uint32_t c) noexcept nogil:
    return c == 45 or c == 0x2010 or c == 0x2011


cdef inline bint is_joiner(uint32_t c) noexcept nogil:
    return c == 0xad or c == 0x200c or c == 0x200d or c == 0x2060


cdef inline bint is_opener(uint32_t c) noexcept nogil:
    return c in (40, 91, 123, 60, 34, 39, 96, 0x2018, 0x201c, 0xab)


cdef const Entry* find(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t length = j - i
    cdef uint32_t key[LONGEST_KEY]
    cdef uint32_t slot, k
    cdef const Entry* entry
    if length <= 0 or length > LONGEST_KEY:
        return NULL
    for k in range(length):
        key[k] = fold_mark(s[i + k])
    slot = hash_of(key, length) & st.mask
    while True:
        entry = &st.table[slot]
        if entry.length == 0:
            return NULL
        if entry.length == length:
            k = 0
            while k < length and st.arena[entry.start + k] == key[k]:
                k += 1
            if k == length:
                return entry
        slot = (slot + 1) & st.mask


cdef uint32_t look_up(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef const Entry* entry = find(s, st, i, j)
    return 0 if entry == NULL else entry.action


cdef bint matches(const Char* s, const State* st, Py_ssize_t i, const char* word, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(length):
        if fold(at(s, st, i + k)) != <uint8_t>word[k]:
            return False
    return True


# --- runs ---------------------------------------------------------------------------------------------------------------------------

cdef Py_ssize_t run(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k
    cdef uint32_t c
    while True:
        while is_word(s, st, i):
            i += 1
        c = at(s, st, i)
        if c == c"_":
            k = i
            while at(s, st, k) == c"_":
                k += 1
            if not is_word(s, st, k):
                return i
            i = k
        elif c >= 0xad and is_joiner(c) and is_word(s, st, i + 1):
            i += 1
        else:
            return i


cdef Py_ssize_t part_end(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    i = run(s, st, i)
    while is_apostrophe(at(s, st, i)) and is_word(s, st, i + 1):
        i = run(s, st, i + 1)
    return i


cdef Py_ssize_t repeat(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k = i
    while k < st.n and s[k] == s[i]:
        k += 1
    return k


cdef Py_ssize_t extend(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    while cls(s, st, i) & MARK:
        i += 1
    return i


# --- protected patterns -------------------------------------------------------------------------------------------------------------

cdef inline bint stops_url(uint32_t c) noexcept nogil:
    return c in (60, 62, 34, 123, 125, 124, 92, 94, 96, 0x201c, 0x201d, 0xab, 0xbb)


cdef inline bint trimmed_from_url(uint32_t c) noexcept nogil:
    return c in (46, 44, 59, 58, 33, 63, 39, 0x2019, 42)


cdef Py_ssize_t url_end(const Char* s, const State* st, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t e = k, balance = 0
    cdef uint32_t c
    while e < st.n and not uc_class(s[e]) & (SPACE | IDEOGRAPH) and not stops_url(s[e]):
        c = s[e]
        balance += (c == 40 or c == 91) - (c == 41 or c == 93)
        e += 1
    while e > k:
        c = s[e - 1]
        if (c == 41 or c == 93) and balance < 0:
            balance += 1
        elif not trimmed_from_url(c):
            break
        e -= 1
    return e if e > k else 0


cdef Py_ssize_t mail(const Char* s, State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k, e
    if i >= st.mail_end:
        k = i
        while is_word(s, st, k) or at(s, st, k) in (46, 95, 37, 43, 45):
            k += 1
        st.mail_end = k
    k = st.mail_end
    if at(s, st, k) != c"@" or not is_word(s, st, k + 1):
        return 0
    e = k + 1
    while is_word(s, st, e) or at(s, st, e) in (46, 45, 95):
        e += 1
    while not is_word(s, st, e - 1):
        e -= 1
    return e


cdef void settle_chain(const Char* s, State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k = i, label = i, valid = -1
    cdef bint underscore = False
    cdef uint32_t action, c
    while True:
        if not is_word(s, st, k):
            c = at(s, st, k)
            if not (c in (46, 95, 45) and k > i and (is_word(s, st, k + 1) or at(s, st, k + 1) == c"_")):
                break
            if c == c".":
                label = k + 1
            underscore |= c == c"_"
        k += 1
        c = at(s, st, k)
        if label > i and (k - label > 1 or label - i > 2) and c != c"_" and c != c"-" and not is_word(s, st, k):
            if c != c"." or not is_word(s, st, k + 1) or cls(s, st, k + 1) & UPPER:
                action = look_up(s, st, label, k)
                if (
                    (action & DOMAIN and st.flags & URL)
                    or (action & EXTENSION and st.flags & FILE)
                    or (st.flags & CODE and (underscore or (c == 40 and at(s, st, k + 1) == 41)))
                ):
                    valid = k
    st.chain_end = k
    st.chain_valid = valid


cdef Py_ssize_t chain(const Char* s, State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    if i >= st.chain_end:
        settle_chain(s, st, i)
    return st.chain_valid if st.chain_valid > j else 0


cdef Py_ssize_t path(const Char* s, State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t k = i, dot = -1, slash = -1
    cdef uint32_t c
    if i >= st.path_end:
        while k < st.n and (is_word(s, st, k) or s[k] in (46, 95, 45, 47, 126, 43, 37, 92)):
            c = s[k]
            if c == c".":
                dot = k
            elif c == 47 or c == 92:
                slash = k
            k += 1
        while k > i and not is_word(s, st, k - 1):
            k -= 1
        st.path_end = k
        st.path_valid = slash < dot and dot < k - 1 and look_up(s, st, dot + 1, k) & EXTENSION
    return st.path_end if st.path_valid and st.path_end > j else 0


cdef Py_ssize_t backslash_path(const Char* s, const State* st, Py_ssize_t k) noexcept nogil:
    while k < st.n and (is_word(s, st, k) or s[k] in (92, 46, 95, 45, 126, 36, 37, 43)):
        k += 1
    while not is_word(s, st, k - 1) and s[k - 1] != 92:
        k -= 1
    return k


cdef Py_ssize_t after_colon(const Char* s, State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef uint32_t c = at(s, st, j + 1)
    if st.flags & URL and c == 47 and at(s, st, j + 2) == 47 and cls(s, st, i) & LETTER:
        return url_end(s, st, j + 3)
    if st.flags & EMAIL and j - i == 6 and is_word(s, st, j + 1) and matches(s, st, i, b"mailto", 6):
        return mail(s, st, j + 1)
    if st.flags & FILE and j - i == 1 and c == 92 and cls(s, st, i) & LETTER:
        return backslash_path(s, st, j + 1)
    return 0


cdef Py_ssize_t protected(const Char* s, State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef uint32_t c = s[j], flags = st.flags, after
    cdef bint goes_on
    cdef Py_ssize_t e
    if c == c":":
        return after_colon(s, st, i, j)
    goes_on = is_word(s, st, j + 1)
    if flags & EMAIL and (goes_on or (c == c"." and at(s, st, j + 1) == c".")):
        e = mail(s, st, i)
        if e:
            return e
    if not goes_on or c == c"@":
        return 0
    if flags & URL and c == c"." and j - i == 3 and matches(s, st, i, b"www", 3):
        return url_end(s, st, j + 1)
    if flags & FILE and (c == c"." or c == 47 or c == 92):
        e = path(s, st, i, j)
        if e:
            return e
    if c == c"." or c == c"-" or c == c"_":
        e = chain(s, st, i, j)
        if e:
            after = at(s, st, e)
            if after == 40 and at(s, st, e + 1) == 41 and flags & CODE:
                return e + 2
            if flags & URL and after in (47, 63, 35, 58) and e + 1 < st.n and not uc_class(s[e + 1]) & (SPACE | PUNCTUATION):
                return url_end(s, st, e)
            return e
    return 0


# --- words --------------------------------------------------------------------------------------------------------------------------

cdef bint long_number(const Char* s, const State* st, Py_ssize_t part, Py_ssize_t j, Py_ssize_t q) noexcept nogil:
    cdef Py_ssize_t right = q - (j + 1)
    return (right >= 4 and j - part != right) or at(s, st, q) == c"-" or at(s, st, part - 1) == c"-"


cdef Py_ssize_t hyphen(const Char* s, const State* st, Py_ssize_t part, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t q = part_end(s, st, j + 1)
    cdef uint32_t after = look_up(s, st, j + 1, q)
    cdef uint32_t before = look_up(s, st, part, j)
    if after & (PRONOUN | AUXILIARY) and q > run(s, st, j + 1):
        return 0
    if before & PRONOUN:
        return 0
    if is_digit(s, st, j - 1) and is_digit(s, st, j + 1):
        return 0 if st.flags & SPLIT_RANGES and not long_number(s, st, part, j, q) else q
    if not st.flags & SPLIT_HYPHENS or before & PREFIX or after & SUFFIX:
        return q
    return 0


cdef Py_ssize_t acronym(const Char* s, const State* st, Py_ssize_t j) noexcept nogil:
    while at(s, st, j) == c"." and cls(s, st, j + 1) & LETTER and run(s, st, j + 1) == j + 2:
        j += 2
    return j + 1 if at(s, st, j) == c"." and at(s, st, j + 1) != c"." else j


cdef bint held_by_next(const Char* s, const State* st, Py_ssize_t part, Py_ssize_t k, bint single) noexcept nogil:
    cdef int step
    cdef uint32_t c
    for step in range(3):
        if cls(s, st, k) & SPACE and s[k] != 10:
            k += 1
    c = at(s, st, k)
    if not single:
        return (cls(s, st, k) & (LOWER | DIGIT)) != 0 or c in (44, 59, 58, 41) or (c in (35, 40, 0xa7, 0x2116) and is_digit(s, st, k + 1))
    if s[part] == c"I" and not (cls(s, st, k) & UPPER and at(s, st, k + 1) == c"."):
        return False
    return (cls(s, st, k) & UPPER) != 0


cdef Py_ssize_t dot(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t part, Py_ssize_t j) noexcept nogil:
    cdef bint single
    cdef Py_ssize_t q
    cdef uint32_t action
    if is_digit(s, st, j - 1) and is_digit(s, st, j + 1):
        return run(s, st, j + 1) if st.flags & (NUMBERS | DATE) else j
    if at(s, st, j + 1) == c".":
        return j
    single = j - part == 1 and cls(s, st, part) & LETTER
    if is_word(s, st, j + 1):
        q = run(s, st, j + 1)
        if single and q - (j + 1) == 1 and cls(s, st, j + 1) & LETTER:
            return acronym(s, st, j)
        if at(s, st, q) == c"." and look_up(s, st, part, q) & ABBREVIATION:
            return q + 1
        if cls(s, st, j + 1) & (UPPER | DIGIT) and look_up(s, st, part, j) & (ABBREVIATION | DOUBTFUL):
            return j + 1
        return j
    action = look_up(s, st, part, j)
    if i != part:
        action |= look_up(s, st, i, j)
    if action & ABBREVIATION:
        return j + 1
    if action & DOUBTFUL or (single and cls(s, st, part) & UPPER):
        return j + 1 if held_by_next(s, st, part, j + 1, single) else j
    return j


cdef Py_ssize_t short_pair(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """AT&T, w/o, km/h."""
    cdef uint32_t c = s[j]
    cdef Py_ssize_t q
    if not is_word(s, st, j + 1):
        return j
    q = run(s, st, j + 1)
    if j - i == 1 and q - j == 2 and cls(s, st, i) & LETTER and cls(s, st, j + 1) & LETTER:
        return q
    if c == c"&" and j - i <= 4 and q - j <= 5 and all_upper(s, st, i, j) and all_upper(s, st, j + 1, q):
        return q
    if c == 47 and look_up(s, st, i, j) & look_up(s, st, j + 1, q) & UNIT:
        return q
    return j


cdef Py_ssize_t joint(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef uint32_t c = s[j], flags = st.flags
    cdef Py_ssize_t k
    if is_digit(s, st, j - 1) and is_digit(s, st, j + 1):
        if (c == c"," and flags & NUMBERS) or (c == c":" and flags & TIME) or (c == 47 and flags & DATE):
            return run(s, st, j + 1)
        if c == c"+" and flags & NUMBERS:
            return j
    if c == c"+" and flags & NUMBERS and (s[j - 1] == c"e" or s[j - 1] == c"E") and is_digit(s, st, j - 2) and is_digit(s, st, j + 1):
        return run(s, st, j + 1)
    if c == c"&" or c == 47:
        return short_pair(s, st, i, j)
    if c == c"*":
        if not cls(s, st, j - 1) & LETTER:
            return j
        k = repeat(s, st, j)
        return run(s, st, k) if is_word(s, st, k) and cls(s, st, k) & LETTER else j
    if flags & CODE:
        if c == c":" and at(s, st, j + 1) == c":" and is_word(s, st, j + 2):
            return run(s, st, j + 2)
        if c == 40 and at(s, st, j + 1) == 41:
            return j + 2
        if (c == c"+" or c == 35) and j - i == 1 and cls(s, st, i) & UPPER:
            k = repeat(s, st, j)
            if k - j == (2 if c == c"+" else 1) and not is_word(s, st, k):
                return k
    return j


cdef inline bint joins(uint32_t c) noexcept nogil:
    """One of . , : / \\ - @ & * + # % ( $ and the two other hyphens."""
    return c in (46, 44, 58, 47, 92, 45, 64, 38, 42, 43, 35, 37, 40, 36, 0x2010, 0x2011)


cdef Py_ssize_t word(const Char* s, State* st, Py_ssize_t i, Py_ssize_t body) noexcept nogil:
    cdef Py_ssize_t j = run(s, st, body), part = body, e
    cdef bint joined = False
    cdef uint32_t c
    while j < st.n:
        c = s[j]
        if is_apostrophe(c):
            if not is_word(s, st, j + 1):
                if look_up(s, st, part, j + 1) & CUT:
                    j += 1
                break
            joined = True
            j = run(s, st, j + 1)
            continue
        if not joins(c):
            break
        if c in (46, 58, 47, 92, 45, 64, 43, 37):
            e = protected(s, st, i, j)
            if e > j:
                push(st, i, e)
                return e
        if is_hyphen(c):
            e = hyphen(s, st, part, j) if is_word(s, st, j + 1) else 0
            if not e:
                break
            joined |= st.hyphen_endings or e > run(s, st, j + 1)
            part = j + 1
            j = e
            continue
        if c == 36:
            if st.flags & CURRENCY and j - i <= 3 and is_digit(s, st, j + 1) and all_upper(s, st, i, j):
                j += 1
            break
        e = dot(s, st, i, part, j) if c == c"." else joint(s, st, i, j)
        if e == j:
            break
        j = e
    contract(s, st, i, j, joined)
    return j


# --- contractions and units ---------------------------------------------------------------------------------------------------------

cdef inline void push(State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    st.out[2 * st.count] = i
    st.out[2 * st.count + 1] = j
    st.count += 1


cdef Py_ssize_t beginning(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef int index
    cdef uint32_t k
    for index in range(st.n_beginnings):
        if i + st.beginnings[index].length >= j:
            continue
        k = 0
        while k < st.beginnings[index].length and fold(s[i + k]) == st.beginnings[index].chars[k]:
            k += 1
        if k == st.beginnings[index].length:
            return i + k
    return 0


cdef Py_ssize_t ending(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef int index
    cdef uint32_t k
    cdef Py_ssize_t e
    for index in range(st.n_endings):
        e = j - st.endings[index].length
        if e <= i:
            continue
        k = 0
        while k < st.endings[index].length and fold(s[e + k]) == st.endings[index].chars[k]:
            k += 1
        if k == st.endings[index].length:
            return 0 if st.flags & KEEP_DECADES and is_digit(s, st, e - 1) else e
    return 0


cdef void clitics(const Char* s, State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t right[PIECES]
    cdef int n_left = 0, n_right = 0
    cdef Py_ssize_t e, last = j
    while n_left < PIECES // 2:
        e = beginning(s, st, i, j)
        if not e:
            break
        push(st, i, e)
        i = e
        n_left += 1
    while n_right < PIECES // 2 - 1:
        e = ending(s, st, i, last)
        if not e:
            break
        right[n_right] = e
        n_right += 1
        last = e
    while n_right:
        n_right -= 1
        push(st, i, right[n_right])
        i = right[n_right]
    push(st, i, j)


cdef Py_ssize_t unit(const Char* s, const State* st, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t k = j
    while k > i and j - k < 8 and cls(s, st, k - 1) & LETTER:
        k -= 1
    return k if k > i and cls(s, st, k - 1) & DIGIT and look_up(s, st, k, j) & UNIT else 0


cdef inline void contract(const Char* s, State* st, Py_ssize_t i, Py_ssize_t j, bint joined) noexcept nogil:
    cdef const Entry* entry
    cdef Py_ssize_t length = j - i, cut
    cdef int k
    if length <= LONGEST_KEY and (st.filter[fold_mark(s[i]) & 127] >> (length if length < 31 else 31)) & 1:
        entry = find(s, st, i, j)
        if entry != NULL and entry.action & CUT:
            cut = i
            for k in range(entry.n_cuts):
                push(st, cut, i + entry.cuts[k])
                cut = i + entry.cuts[k]
            push(st, cut, j)
            return
    if st.flags & SPLIT_UNITS and is_digit(s, st, i) and not is_digit(s, st, j - 1):
        cut = unit(s, st, i, j)
        if cut:
            push(st, i, cut)
            push(st, cut, j)
            return
    if joined:
        clitics(s, st, i, j)
    else:
        push(st, i, j)


# --- marks --------------------------------------------------------------------------------------------------------------------------

cdef Py_ssize_t clitic_here(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef int index
    cdef uint32_t k
    cdef Py_ssize_t e
    for index in range(st.n_endings):
        e = i + st.endings[index].length
        if st.endings[index].chars[0] != 39 or e > st.n or is_word(s, st, e):
            continue
        k = 0
        while k < st.endings[index].length and fold(s[i + k]) == st.endings[index].chars[k]:
            k += 1
        if k == st.endings[index].length:
            return e
    return 0


cdef Py_ssize_t apostrophe(const Char* s, State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t e, q
    if at(s, st, i + 1) == s[i]:
        push(st, i, i + 2)
        return i + 2
    if i > 0 and not uc_class(s[i - 1]) & SPACE and not is_opener(s[i - 1]):
        e = clitic_here(s, st, i)
        if e:
            push(st, i, e)
            return e
    if not before_is_word(s, i) and is_word(s, st, i + 1):
        q = run(s, st, i + 1)
        if is_apostrophe(at(s, st, q)) and look_up(s, st, i, q + 1) & CUT:
            q += 1
        if (
            st.flags & DATE and is_digit(s, st, i + 1) and is_digit(s, st, i + 2)
            and (q == i + 3 or (q == i + 4 and s[i + 3] == c"s"))
        ):
            push(st, i, q)
            return q
        if look_up(s, st, i, q) & CUT:
            contract(s, st, i, q, False)
            return q
    push(st, i, i + 1)
    return i + 1


cdef inline bint is_mouth(uint32_t c) noexcept nogil:
    """One of D P p O o 3 S s."""
    return c in (68, 80, 112, 79, 111, 51, 83, 115)


cdef Py_ssize_t emoticon(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef uint32_t c = s[i], mouth
    cdef bint after_word = before_is_word(s, i)
    cdef Py_ssize_t k
    if c == 58 or c == 59 or c == 61:  # : ; =
        k = i + 1
        if at(s, st, k) == 39 or at(s, st, k) == 0x2019:
            k += 1
        if at(s, st, k) in (45, 111, 94, 42) and at(s, st, k + 1) != 0 and at(s, st, k + 1) != 32:
            k += 1
        mouth = at(s, st, k)
        if mouth in (41, 40, 93, 91) and not (k == i + 1 and after_word and is_word(s, st, k + 1)):
            return repeat(s, st, k)
        if k == i + 1 and c == 61 and mouth != 68 and mouth != 80 and mouth != 112:
            return 0
        if after_word or is_word(s, st, k + 1):
            return 0
        if is_mouth(mouth) or (mouth in (47, 92, 124) and at(s, st, k + 1) != mouth):
            return k + 1
        return 0
    if c == 40 and at(s, st, i + 1) in (58, 59) and not after_word and not is_word(s, st, i + 2):
        return i + 2
    if c == 60 and at(s, st, i + 1) == 51 and not is_word(s, st, i + 2):
        return i + 2
    if c == 62 and at(s, st, i + 1) == 58 and at(s, st, i + 2) in (40, 41):
        return i + 3
    if (c == 94 or c == 45) and at(s, st, i + 1) == 95 and at(s, st, i + 2) == c:
        return i + 3
    return 0


cdef Py_ssize_t emoji(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k
    cdef uint32_t c = at(s, st, i)
    if 0x1f1e6 <= c <= 0x1f1ff:
        c = at(s, st, i + 1)
        return i + 2 if 0x1f1e6 <= c <= 0x1f1ff else i + 1
    if not cls(s, st, i) & PICTOGRAPH:
        return 0
    k = i + 1
    while k < st.n:
        c = s[k]
        if c in (0xfe0e, 0xfe0f, 0x20e3) or 0x1f3fb <= c <= 0x1f3ff or 0xe0020 <= c <= 0xe007f:
            k += 1
        elif c == 0x200d and cls(s, st, k + 1) & PICTOGRAPH:
            k += 2
        else:
            break
    return k


cdef Py_ssize_t bracket(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k = i + 1
    while k < st.n and k - i < 32:
        if not is_digit(s, st, k):
            if k == i + 1 or s[k] not in (44, 59, 45, 0x2013, 32) or not is_digit(s, st, k + 1 + (at(s, st, k + 1) == 32)):
                break
        k += 1
    return k + 1 if k > i + 1 and at(s, st, k) == 93 and is_digit(s, st, k - 1) else 0


cdef Py_ssize_t rooted(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k = i
    cdef int parts = 0
    cdef uint32_t c
    if s[k] == c"~" or s[k] == c".":
        k += 2 if s[k] == c"." and at(s, st, k + 1) == c"." else 1
        parts = 1
    while at(s, st, k) == 47:
        c = at(s, st, k + 1)
        if not is_word(s, st, k + 1) and not ((c == c"." or c == c"_") and is_word(s, st, k + 2)):
            break
        k += 1
        parts = min(parts + 1, 2)
        while k < st.n and (is_word(s, st, k) or s[k] in (46, 95, 45, 43, 37)):
            k += 1
    while k > i and not is_word(s, st, k - 1):
        k -= 1
    return k if parts >= 2 else 0


cdef Py_ssize_t underscored(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef Py_ssize_t k = repeat(s, st, i), e, tail
    if not is_word(s, st, k) or before_is_word(s, i):
        return 0
    e = run(s, st, k)
    tail = repeat(s, st, e) - e if at(s, st, e) == c"_" else 0
    return e + tail if (tail == 0 or tail == k - i) and tail != 1 and k - i <= 2 else 0


cdef Py_ssize_t prefixed(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef uint32_t c = s[i], flags = st.flags
    cdef Py_ssize_t k, q
    if c == 35 and flags & HASHTAG and is_word(s, st, i + 1) and not before_is_word(s, i):
        q = run(s, st, i + 1)
        k = i + 1
        while k < q and not cls(s, st, k) & LETTER:
            k += 1
        return q if k < q else 0
    if c == 64 and flags & HANDLE:
        return run(s, st, i + 1) if is_word(s, st, i + 1) and not before_is_word(s, i) else 0
    if (c == 47 or c == 126 or c == 46) and flags & FILE and (i == 0 or uc_class(s[i - 1]) & SPACE or is_opener(s[i - 1])):
        return rooted(s, st, i)
    if c == 95 and flags & CODE:
        return underscored(s, st, i)
    if c == 38 and flags & CODE:
        k = i + 2 if at(s, st, i + 1) == 35 else i + 1
        q = k
        while q - k < 9 and is_word(s, st, q):
            q += 1
        return q + 1 if q > k and at(s, st, q) == 59 else 0
    return 0


cdef inline bint repeats(uint32_t c) noexcept nogil:
    """A mark whose run is one token: . - = * _ ~ # + < > & | ^ / \\ and the ellipsis, the em dash and the box line."""
    return c in (46, 45, 61, 42, 95, 126, 35, 43, 60, 62, 38, 124, 94, 47, 92, 0x2026, 0x2014, 0x2500)


cdef inline bint is_sign(uint32_t c) noexcept nogil:
    return c in (45, 43, 0x2212, 0xb1)


cdef Py_ssize_t signed_body(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    """Where the digits of a number that starts with a sign or a decimal period start, or 0."""
    cdef uint32_t c = s[i], before = at(s, st, i - 1)
    cdef Py_ssize_t body
    if before_is_word(s, i) or before in (41, 93, 37):
        return 0
    body = i + 1 + (c != 46 and at(s, st, i + 1) == 46)
    return body if is_digit(s, st, body) and (c != 46 or before != 46) else 0


cdef Py_ssize_t mark(const Char* s, State* st, Py_ssize_t i) noexcept nogil:
    cdef uint32_t c = s[i], flags = st.flags
    cdef Py_ssize_t e = 0, body
    if is_apostrophe(c) or c == 96:
        return apostrophe(s, st, i)
    if flags & EMOTICON and c in (58, 59, 61, 40, 60, 62, 94, 45):
        e = emoticon(s, st, i)
    if not e and flags & NUMBERS and (is_sign(c) or c == 46):
        body = signed_body(s, st, i)
        if body:
            return word(s, st, i, body)
    if not e and c in (35, 64, 47, 126, 95, 38, 46):
        e = prefixed(s, st, i)
    if not e and c == 91 and flags & CITATION:
        e = bracket(s, st, i)
    if not e and c > 127:
        e = emoji(s, st, i)
    if not e and flags & MARK_RUNS and c in (33, 63, 46):
        e = i
        while at(s, st, e) in (33, 63, 46):
            e += 1
    if not e and repeats(c):
        e = repeat(s, st, i)
        if ((c == 45 or c == 61) and at(s, st, e) == 62) or (c == 60 and e == i + 1 and at(s, st, e) in (45, 61)):
            e += 1
    if e <= i + 1:
        e = extend(s, st, i + 1)
    push(st, i, e)
    return e


cdef int script(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef uint32_t c = at(s, st, i), kind
    if c < 0x2b0:
        return 0
    if 0x3041 <= c <= 0x309f:
        return 1
    if 0x30a0 <= c <= 0x30ff or 0x31f0 <= c <= 0x31ff or 0xff66 <= c <= 0xff9f:
        return 2
    kind = uc_class(c)
    return 3 if kind & IDEOGRAPH else 4 if kind & UNSPACED else 0


cdef Py_ssize_t unspaced(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    cdef int group
    if not st.flags & UNSPACED_RUNS:
        return extend(s, st, i + 1)
    group = script(s, st, i)
    while i < st.n and (script(s, st, i) == group or cls(s, st, i) & MARK):
        i += 1
    return i


cdef Py_ssize_t other(const Char* s, const State* st, Py_ssize_t i) noexcept nogil:
    if not cls(s, st, i) & FORMAT:
        return extend(s, st, i + 1)
    while cls(s, st, i) & FORMAT and not cls(s, st, i) & SPACE:
        i += 1
    return i


cdef Py_ssize_t scan(const Char* s, State* st, Py_ssize_t i, Py_ssize_t limit) noexcept nogil:
    cdef uint32_t kind
    cdef Py_ssize_t e
    while i < st.n and st.count + PIECES <= limit:
        kind = uc_class(s[i])
        if kind & SPACE:
            i += 1
        elif kind & (IDEOGRAPH | UNSPACED) or script(s, st, i):
            e = unspaced(s, st, i)
            push(st, i, e)
            i = e
        elif kind & (LETTER | MARK | NUMBER):
            if kind & DIGIT and (at(s, st, i + 1) == 0x20e3 or (at(s, st, i + 1) == 0xfe0f and at(s, st, i + 2) == 0x20e3)):
                e = extend(s, st, i + 1)
                push(st, i, e)
                i = e
            else:
                i = word(s, st, i, i)
        elif kind & FORMAT or not kind:
            e = other(s, st, i)
            push(st, i, e)
            i = e
        else:
            i = mark(s, st, i)
    return i


cdef Py_ssize_t scan_any(int kind, const void* data, State* st, Py_ssize_t i, Py_ssize_t limit) noexcept nogil:
    if kind == 1:
        return scan[uint8_t](<const uint8_t*>data, st, i, limit)
    if kind == 2:
        return scan[uint16_t](<const uint16_t*>data, st, i, limit)
    return scan[uint32_t](<const uint32_t*>data, st, i, limit)


def spans(Rules rules not None, str text not None, Py_ssize_t start=0, stop=None):
    """Give the token spans of ``text[start:stop]`` as an ``(n, 2)`` intp array."""
    cdef Py_ssize_t end = len(text) if stop is None else stop
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef State st = rules.state(end)
    cdef Py_ssize_t i = start, capacity = (end - start) // 4 + 2 * PIECES
    cdef Py_ssize_t[:, ::1] view
    if not 0 <= start <= end <= len(text):
        raise ValueError(f"start {start} and stop {end} are no range of a text of {len(text)} characters.")
    array = np.empty((capacity, 2), dtype=np.intp)
    while True:
        view = array
        st.out = &view[0, 0]
        with nogil:
            i = scan_any(kind, data, &st, i, capacity)
        view = None
        if i >= end:
            break
        capacity += capacity // 2
        array.resize((capacity, 2), refcheck=False)
    array.resize((st.count, 2), refcheck=False)
    return array


def spans_of_each(Rules rules not None, list texts not None):
    """Give ``(offsets, spans)``: the token spans of all texts in one ``(n, 2)`` intp array, and where those of each begin, and the end.

    The interpreter's lock is taken only to enlarge the array, so that threads work at the same time on texts of any length.
    """
    cdef tuple held = tuple(texts)
    cdef Py_ssize_t n = len(held), k = 0, i = 0, capacity, total = 0, done = 0
    cdef Py_ssize_t[::1] offsets = np.zeros(n + 1, dtype=np.intp)
    cdef Py_ssize_t[:, ::1] view
    cdef State st = rules.state(0)
    cdef State fresh = st
    cdef str text
    cdef Text* views = <Text*>PyMem_Malloc((n + 1) * sizeof(Text))
    if views == NULL:
        raise MemoryError()
    try:
        for k in range(n):
            text = held[k]
            views[k].data = PyUnicode_DATA(text)
            views[k].kind = PyUnicode_KIND(text)
            views[k].length = len(text)
            total += views[k].length
        capacity = total // 4 + 2 * PIECES
        array = span_room(capacity)
        k = 0
        st.n = views[0].length if n else 0
        while k < n:
            view = array
            st.out = &view[0, 0]
            with nogil:
                while k < n:
                    i = scan_any(views[k].kind, views[k].data, &st, i, capacity)
                    if i < st.n:
                        break
                    k += 1
                    offsets[k] = st.count
                    done += st.n
                    if k < n:
                        start_text(&st, &fresh, views[k].length)
                        i = 0
            if k < n:
                # The rest is taken to have as many tokens as what was scanned, and some more.
                capacity = max(capacity + capacity // 2, <Py_ssize_t>(1.1 * total / max(done + i, <Py_ssize_t>1) * st.count))
                larger = span_room(capacity)
                larger[: st.count] = array[: st.count]
                array = larger
        view = None
        return np.asarray(offsets), array[: st.count]
    finally:
        PyMem_Free(views)


cdef object span_room(Py_ssize_t n):
    """Give an array for so many spans; a large one begins with a large page, of which the system gives one at once for 512 small ones."""
    cdef Py_ssize_t size = n * 2 * sizeof(Py_ssize_t)
    if size < HUGE_FROM:
        return np.empty((n, 2), dtype=np.intp)
    block = np.empty(size + HUGE_PAGE, dtype=np.uint8)
    cdef uint8_t[::1] view = block
    cdef Py_ssize_t start = -<Py_ssize_t>&view[0] & (HUGE_PAGE - 1)
    return block[start : start + size].view(np.intp).reshape(n, 2)


cdef inline void start_text(State* st, const State* fresh, Py_ssize_t length) noexcept nogil:
    """Forget the text before, but not where its tokens were written."""
    cdef Py_ssize_t* out = st.out
    cdef Py_ssize_t count = st.count
    st[0] = fresh[0]
    st.n = length
    st.out = out
    st.count = count


include "word_strings.pxi"


cdef object new_token(str text, const Text* view, Py_ssize_t i, Py_ssize_t j, Shared* cache):
    """Make the string of a token of a text of one byte a character, or take the one that was made before for the same short word."""
    cdef uint64_t low, high, mixed
    cdef Py_ssize_t length = j - i
    cdef Shared* slot
    if cache == NULL or length > KEY_BYTES or length < 2:
        return PyUnicode_Substring(text, i, j)
    bytes_key(view, i, length, &low, &high)
    high |= <uint64_t>length << 56
    mixed = (low ^ (high * <uint64_t>0x9E3779B97F4A7C15)) * <uint64_t>0xD6E8FEB86659FD93
    slot = &cache[(mixed >> 40) & (CACHE - 1)]
    if slot.value != NULL and slot.low == low and slot.high == high:
        return <object>slot.value
    token = PyUnicode_Substring(text, i, j)
    Py_XDECREF(slot.value)
    Py_INCREF(token)
    slot.value = <PyObject*>token
    slot.low = low
    slot.high = high
    return token


def tokens(Rules rules not None, str text not None):
    """Give the tokens of `text` as strings."""
    cdef Py_ssize_t i = 0, k
    cdef Text view = Text(PyUnicode_DATA(text), PyUnicode_KIND(text), len(text))
    cdef State st = rules.state(view.length)
    cdef Py_ssize_t buffer[2 * BATCH]
    cdef Shared* cache = rules.cache if view.kind == 1 else NULL
    cdef list result = []
    st.out = buffer
    while i < view.length:
        st.count = 0
        with nogil:
            i = scan_any(view.kind, view.data, &st, i, BATCH)
        with cython.critical_section(rules):        # which hold the cache
            for k in range(st.count):
                result.append(new_token(text, &view, buffer[2 * k], buffer[2 * k + 1], cache))
    return result


def tokens_of_each(Rules rules not None, list texts not None):
    """Give the tokens of every text as strings, which are one object for short tokens that are the same.

    Some texts at a time are scanned without the interpreter's lock, then their strings are made.
    """
    cdef tuple held = tuple(texts)
    cdef Py_ssize_t n = len(held), first, last = 0, k, size, total = 0
    cdef list found = []
    cdef str text
    cdef Strings strings
    cdef State fresh = rules.state(0)
    cdef Text* views = <Text*>PyMem_Malloc((n + 1) * sizeof(Text))
    cdef Py_ssize_t* ends = <Py_ssize_t*>PyMem_Malloc((n + 1) * sizeof(Py_ssize_t))
    try:
        if views == NULL or ends == NULL:
            raise MemoryError
        for k in range(n):
            text = held[k]
            views[k].data = PyUnicode_DATA(text)
            views[k].kind = PyUnicode_KIND(text)
            views[k].length = len(text)
            total += views[k].length
        strings = rules.take_strings(total)
        while last < n:
            first = last
            size = 0
            while last < n and (last == first or size < SCANNED):
                size += views[last].length
                last += 1
            with nogil:
                strings.find_tokens(views, first, last, &fresh, ends)
            strings.add_rows(held, ends, last - first, found)
        if strings.is_large():
            rules.spare.append(strings)
        return found
    finally:
        PyMem_Free(views)
        PyMem_Free(ends)
