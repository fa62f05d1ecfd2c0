# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Candidate sentence boundaries: scan a text into tokens, describe each candidate by small codes, score it by a linear model or a tree.

Works on the storage of `str` itself (one, two or four bytes per character), so offsets are code points without any conversion. One pass
collects how the words of this very text behave; a second pass describes the candidates. Time is linear in the text; beside the result, memory
is a block of tokens and one entry per distinct word.
"""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.math cimport NAN
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memmove, memset

import numpy as np

from textprep_ml._kernels.boundary_checks import (
    check_linear, check_offsets, check_texts, check_thresholds, check_tree, fixed_point, highest_codes, lexicon_tables,
)
from textprep_ml._kernels.boundary_tables import bounds, integer_threshold, is_far, join_tables, merge_templates

cdef extern from "boundaries.h" nogil:
    enum: MARK_NONE, MARK_PERIOD, MARK_BANG, MARK_QUESTION, MARK_MULTIPLE, MARK_ELLIPSIS, MARK_STOP, MARK_WIDE
    enum: MARK_COMMA, MARK_COLON, MARK_SEMICOLON, MARK_DASH, MARK_OTHER, MARK_END_THEN_COMMA, N_MARKS
    enum: CLOSER_NONE, CLOSER_QUOTE_AFTER, CLOSER_BRACKET_AFTER, CLOSER_QUOTE_BEFORE, CLOSER_BRACKET_BEFORE, CLOSER_SEVERAL, N_CLOSERS
    enum: LEAD_NONE, LEAD_QUOTE, LEAD_BRACKET, LEAD_BULLET, LEAD_DASH, LEAD_HASH, LEAD_AT, LEAD_OTHER, N_LEADS
    enum: SHAPE_EMPTY, SHAPE_LOWER, SHAPE_TITLE, SHAPE_UPPER, SHAPE_INITIAL, SHAPE_SINGLE_LOWER, SHAPE_MIXED, SHAPE_NUMBER
    enum: SHAPE_ALPHANUMERIC, SHAPE_DOTTED_UPPER, SHAPE_DOTTED_LOWER, SHAPE_LINK, SHAPE_UNCASED, SHAPE_IDEOGRAPH, SHAPE_PICTOGRAPH, SHAPE_ROMAN
    enum: N_SHAPES
    enum: KIND_MARK, KIND_INSIDE, KIND_MARK_LINE, KIND_LINE, KIND_PARAGRAPH, KIND_GAP, N_KINDS
    enum: K_OTHER, K_SPACE, K_NEWLINE, K_LOWER, K_UPPER, K_DIGIT, K_LETTER, K_IDEOGRAPH, K_PERIOD, K_BANG, K_QUESTION, K_ELLIPSIS, K_STOP
    enum: K_WIDE_STOP, K_COMMA, K_COLON, K_SEMICOLON, K_DASH, K_HYPHEN, K_OPEN_BRACKET, K_CLOSE_BRACKET, K_OPEN_QUOTE, K_CLOSE_QUOTE
    enum: K_QUOTE, K_APOSTROPHE, K_BULLET, K_SLASH, K_AT, K_HASH, K_MARK, K_PICTOGRAPH, K_FORMAT
    ctypedef struct lexeme_t:
        uint64_t hash
        uint16_t id
        uint8_t[2] classes
        uint8_t usual
        uint8_t raw
        uint8_t used
    const lexeme_t *lexeme_find(const lexeme_t *slots, uint32_t mask, uint64_t hash)
    ctypedef struct table_t:
        int32_t base
        int32_t[4] strides
        uint16_t[4] columns
        int32_t above
        int32_t below
    void find_weights(
        const table_t *t, const table_t *wide, const table_t *end, const int32_t *weights, const uint16_t *row, const int32_t **found
    )
    int32_t sum_weights(const int32_t **found, int64_t n)
    bint sum_reaches(const table_t *tables, const int32_t **found, int64_t n, int32_t threshold)
    ctypedef struct token_t:
        int64_t start
        int64_t end
        uint64_t hash
        const lexeme_t *word
        uint32_t entry
        uint32_t lead_length
        uint8_t blanks
        uint8_t newlines
        uint8_t mark
        uint8_t closer
        uint8_t lead
        uint8_t shape
        uint8_t length
        uint8_t first
        int8_t brackets
        uint8_t opens_quote
        uint8_t closes_quote
        uint8_t softened
        uint8_t quiet
    ctypedef struct entry_t:
        uint64_t hash
        uint32_t lower
        uint32_t upper_inside
        uint32_t period
        uint32_t period_then_lower
        uint32_t bare
    ctypedef struct counts_t:
        entry_t *entries
        uint32_t n_entries
    void prefetch_bytes(const void *start, const void *end)
    void prefetch_word(const token_t *t, const lexeme_t *slots, uint32_t mask, const entry_t *entries)
    int counts_init(counts_t *c)
    void counts_free(counts_t *c)
    void counts_clear(counts_t *c)
    int64_t counts_find(counts_t *c, uint64_t hash)
    void prefetch_counts(const token_t *t, const token_t *end, const counts_t *c)
    const uint32_t NO_ENTRY
    uint32_t uc_kind "char_kind"(uint32_t code)
    uint32_t lower_code(uint32_t code)
    ctypedef struct hash_t:
        pass
    void hash_start(hash_t *h)
    void hash_add(hash_t *h, uint32_t code)
    uint64_t hash_finish(hash_t *h)
    ctypedef struct letters_t:
        uint64_t low
        uint64_t high
        uint32_t upper
        int length
    void read_letters_1(const uint8_t *text, letters_t *l)
    void read_letters_2(const uint16_t *text, letters_t *l)
    void read_letters_4(const uint32_t *text, letters_t *l)
    uint64_t hash_letters(const letters_t *l)
    enum: LETTERS_AT_ONCE

ctypedef fused char_t:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    LOOKBACK = 4        # tokens before a candidate that its description reads
    LOOKAHEAD = 12      # tokens after it
    BLOCK = 32768       # tokens held at a time, and of a long text
    SMALL_BLOCK = 4096
    SLICE = 128         # tokens counted at a time
    AHEAD = 1024        # characters: about a slice
    BATCH = 16          # candidates finished at a time
    FORCED = 100        # score of a boundary that no model is asked for

# The codes that describe a candidate, in the order of the columns; `segmentation/attributes.py` names them.
cdef enum:
    A_KIND, A_MARK, A_CLOSER, A_LEFT_SHAPE, A_LEFT_LENGTH, A_LEFT_WORD, A_LEFT_CLASS, A_LEFT_GROUP, A_LEFT_EVIDENCE, A_LEFT_RAW, A_LEFT_USUAL
    A_RIGHT_LEAD, A_RIGHT_SHAPE, A_RIGHT_WORD, A_RIGHT_GROUP, A_RIGHT_EVIDENCE, A_RIGHT_USUAL, A_RIGHT_MARK, A_RIGHT_LENGTH
    A_LEFT2_SHAPE, A_LEFT2_WORD, A_LEFT2_MARK, A_LEFT2_GROUP, A_LEFT2_USUAL, A_RIGHT2_SHAPE, A_RIGHT2_WORD, A_RIGHT2_LEAD, A_RIGHT2_USUAL
    A_BLANKS, A_SLACK, A_LINE_PLACE, A_LINE_REST, A_SINCE_END, A_UNTIL_END, A_QUOTE, A_BRACKET
    A_DOC_MARKS, A_DOC_LINES, A_DOC_LINE_ENDS, A_DOC_CAPS, A_LINE_START, A_LINE_LENGTH, A_NEXT_LINE
    N_ATTRIBUTES

cdef inline bint is_end_mark(int mark) noexcept nogil:
    return MARK_PERIOD <= mark <= MARK_WIDE

cdef inline bint is_core(uint32_t kind) noexcept nogil:
    return K_LOWER <= kind <= K_IDEOGRAPH or kind == K_MARK or kind == K_FORMAT

cdef inline bint is_closer(uint32_t kind) noexcept nogil:
    return kind == K_CLOSE_BRACKET or kind == K_CLOSE_QUOTE or kind == K_QUOTE or kind == K_APOSTROPHE

cdef inline bint is_opener(uint32_t kind) noexcept nogil:
    return kind == K_OPEN_BRACKET or kind == K_OPEN_QUOTE or kind == K_QUOTE or kind == K_APOSTROPHE

cdef inline bint is_end_kind(uint32_t kind) noexcept nogil:
    return K_PERIOD <= kind <= K_WIDE_STOP

def hash_word(str word):
    """Give the 64-bit hash under which the scanner finds `word`, lower-cased."""
    cdef hash_t h
    cdef Py_UCS4 c
    hash_start(&h)
    for c in word:
        if uc_kind(c) != K_FORMAT:
            hash_add(&h, c)
    return hash_finish(&h)


cdef struct scan_t:
    int64_t position        # where scanning goes on
    int64_t length          # of the text
    int64_t chunk_end       # end of the run of non-blanks that `position` is in
    bint chunk_link         # the run holds :// or @ between core characters
    int32_t blanks          # white space before the next token
    int32_t newlines


cdef inline bint skip_blanks(const char_t *text, scan_t *s) noexcept nogil:
    """Skip white space; false at the end of the text."""
    cdef int64_t i = s.position, n = s.length
    cdef uint32_t kind
    s.blanks = 0
    s.newlines = 0
    while i < n:
        kind = uc_kind(text[i])
        if kind == K_NEWLINE:
            s.newlines += s.newlines < 255
            s.blanks = 0
        elif kind == K_SPACE:
            if s.blanks < 250:
                s.blanks += 4 if text[i] == 9 else 1
        else:
            break
        i += 1
    s.position = s.chunk_end = i
    return i < n


cdef inline bint starts_with_www(const char_t *text, int64_t i, int64_t n) noexcept nogil:
    if n - i <= 4 or (text[i] | 32) != 119 or (text[i + 1] | 32) != 119 or (text[i + 2] | 32) != 119 or text[i + 3] != 46:
        return False
    return not K_SPACE <= uc_kind(text[i + 4]) <= K_NEWLINE


cdef void find_chunk(const char_t *text, scan_t *s) noexcept nogil:
    """Find the end of the run of non-blanks at `s.position`, and whether it is a link or an address."""
    cdef int64_t i = s.position, n = s.length
    cdef uint32_t kind, before = K_SPACE
    s.chunk_link = starts_with_www(text, i, n)
    while i < n:
        kind = uc_kind(text[i])
        if kind == K_SPACE or kind == K_NEWLINE:
            break
        if kind == K_AT:
            if is_core(before):
                s.chunk_link = True
        elif kind == K_SLASH and before == K_SLASH and text[i] == 47 and i - 2 >= s.position and text[i - 2] == 58:
            s.chunk_link = True
        before = kind
        i += 1
    s.chunk_end = i


cdef inline int64_t read_plain_word(const char_t *text, int64_t start, int64_t length, token_t *t) noexcept nogil:
    """Read a token of up to 15 ASCII letters and at most one mark; give its end, or -1 if it is something else, which `next_token` reads."""
    cdef letters_t letters
    cdef int64_t end
    cdef int mark = MARK_NONE
    if start + LETTERS_AT_ONCE + 2 > length:
        return -1
    if char_t is uint8_t:
        read_letters_1(text + start, &letters)
    elif char_t is uint16_t:
        read_letters_2(text + start, &letters)
    else:
        read_letters_4(text + start, &letters)
    if letters.length == 0 or letters.length == LETTERS_AT_ONCE:
        return -1
    end = start + letters.length
    if text[end] != 32 and text[end] != 10:
        if text[end] >= 64 or (text[end + 1] != 32 and text[end + 1] != 10):
            return -1
        mark = PLAIN_MARKS[text[end]]
        if mark == MARK_NONE:
            return -1
        end += 1
    t.start = start
    t.end = end
    t.hash = hash_letters(&letters)
    t.word = NULL
    t.lead_length = 0
    t.mark = mark
    t.closer = CLOSER_NONE
    t.lead = LEAD_NONE
    t.length = letters.length
    t.first = K_UPPER if letters.upper & 1 else K_LOWER
    t.quiet = ((letters.upper & 1) | mark) == 0
    t.brackets = 0
    t.opens_quote = t.closes_quote = 0
    if letters.upper == 0:
        t.shape = SHAPE_LOWER + (letters.length == 1) * (SHAPE_SINGLE_LOWER - SHAPE_LOWER)
    elif letters.upper == 1:
        t.shape = SHAPE_INITIAL if letters.length == 1 else SHAPE_TITLE
    else:
        t.shape = capital_shape(&letters)
    return end


cdef inline int64_t read_plain_words(const char_t *text, scan_t *s, token_t *tokens, int64_t n, int64_t stop) noexcept nogil:
    """Read tokens as long as they are plain words with one blank before each."""
    cdef int64_t position = s.position, end
    cdef token_t *t
    while n < stop and position < s.length and text[position] == 32:
        t = &tokens[n]
        end = read_plain_word(text, position + 1, s.length, t)
        if end < 0:
            break
        t.blanks = 1
        t.newlines = t.softened = 0
        position = end
        n += 1
    s.position = s.chunk_end = position
    return n


cdef int capital_shape(const letters_t *letters) noexcept nogil:
    """Shape of a word with capitals after its first letter."""
    cdef int i, n_upper = 0, code
    cdef bint roman = True
    for i in range(letters.length):
        n_upper += (letters.upper >> i) & 1
        code = ((letters.low if i < 8 else letters.high) >> 8 * (i & 7)) & 255
        roman = roman and (code == 105 or code == 118 or code == 120 or code == 108 or code == 99)
    if n_upper == letters.length:
        return SHAPE_ROMAN if roman else SHAPE_UPPER
    return SHAPE_TITLE if letters.upper & 1 and n_upper * 2 < letters.length else SHAPE_MIXED


cdef uint8_t[64] PLAIN_MARKS
memset(PLAIN_MARKS, MARK_NONE, sizeof(PLAIN_MARKS))
PLAIN_MARKS[46] = MARK_PERIOD
PLAIN_MARKS[33] = MARK_BANG
PLAIN_MARKS[63] = MARK_QUESTION
PLAIN_MARKS[44] = MARK_COMMA
PLAIN_MARKS[58] = MARK_COLON
PLAIN_MARKS[59] = MARK_SEMICOLON


cdef bint starts_sentence(const char_t *text, int64_t i, int64_t end, bint after_single_period) noexcept nogil:
    """Whether what stands at `i`, directly after an end mark, looks like the start of a sentence."""
    cdef uint32_t kind, following
    while i < end and is_opener(uc_kind(text[i])):
        i += 1
    if i == end:
        return False
    kind = uc_kind(text[i])
    if not after_single_period:
        return kind == K_LOWER or kind == K_UPPER or kind == K_LETTER or kind == K_IDEOGRAPH
    if kind != K_UPPER:
        return kind == K_LETTER or kind == K_IDEOGRAPH
    following = uc_kind(text[i + 1]) if i + 1 < end else K_SPACE
    return following == K_LOWER or (text[i] == 73 and not is_core(following) and following != K_PERIOD)


cdef bint is_speech_tag(const char_t *text, int64_t i, int64_t end) noexcept nogil:
    """Whether a verb of saying stands within a few characters after an East Asian quotation."""
    cdef int64_t stop = i + 5 if i + 5 < end else end
    cdef uint32_t code
    while i < stop and is_core(uc_kind(text[i])):
        code = text[i]
        # 说 說 道 问 問 喊 と
        if code == 0x8BF4 or code == 0x8AAA or code == 0x9053 or code == 0x95EE or code == 0x554F or code == 0x558A or code == 0x3068:
            return True
        i += 1
    return False


cdef int64_t inner_boundary(const char_t *text, int64_t core_start, int64_t run, int64_t run_end, int64_t chunk_end, bint link) noexcept nogil:
    """Where the token ends when the run of non-core characters [run, run_end) inside it ends a sentence, else -1."""
    cdef int64_t i, last = -1
    cdef int n_periods = 0
    cdef uint32_t kind = 0, k
    cdef bint closes_bracket = False
    for i in range(run, run_end):
        k = uc_kind(text[i])
        if is_end_kind(k):
            last = i
            if k == K_PERIOD:
                n_periods += 1
            if kind != K_WIDE_STOP:
                kind = k
    if last < 0:
        return -1
    if kind == K_WIDE_STOP:
        if run_end == run + 1 and text[run] == 0xFF0E and uc_kind(text[run - 1]) == K_DIGIT and uc_kind(text[run_end]) == K_DIGIT:
            return -1
    elif link:
        return -1
    elif kind == K_PERIOD and n_periods == 1 and run - core_start < 2 and uc_kind(text[core_start]) != K_DIGIT:
        return -1           # an initial
    i = last + 1
    while i < run_end and (is_closer(uc_kind(text[i])) or uc_kind(text[i]) == K_PICTOGRAPH):
        closes_bracket = closes_bracket or uc_kind(text[i]) == K_CLOSE_BRACKET
        i += 1
    if kind == K_WIDE_STOP:
        # East Asian text: what was in brackets, or said, goes on where no blank and no opening mark follows.
        return -1 if (closes_bracket and i == run_end) or (i > last + 1 and is_speech_tag(text, i, chunk_end)) else i
    return i if starts_sentence(text, i, chunk_end, kind == K_PERIOD and n_periods == 1) else -1


cdef void read_lead(const char_t *text, int64_t start, int64_t core, token_t *t) noexcept nogil:
    """Describe what stands before the core."""
    cdef int64_t i
    cdef uint32_t kind
    cdef int lead = LEAD_NONE
    for i in range(start, core):
        kind = uc_kind(text[i])
        if kind == K_OPEN_QUOTE or kind == K_QUOTE:
            lead = LEAD_QUOTE
            t.opens_quote = 1
        elif kind == K_OPEN_BRACKET:
            t.brackets += t.brackets < 100
            if lead != LEAD_QUOTE:
                lead = LEAD_BRACKET
        elif kind == K_CLOSE_BRACKET:
            t.brackets -= t.brackets > -100
        elif lead == LEAD_NONE:
            if kind == K_APOSTROPHE:
                lead = LEAD_QUOTE
            elif kind == K_BULLET:
                lead = LEAD_BULLET
            elif kind == K_DASH or kind == K_HYPHEN:
                lead = LEAD_DASH
            elif kind == K_HASH:
                lead = LEAD_HASH
            elif kind == K_AT:
                lead = LEAD_AT
            else:
                lead = LEAD_OTHER
    t.lead = lead


cdef void read_trail(const char_t *text, int64_t i, int64_t end, token_t *t) noexcept nogil:
    """Describe the marks and closers after the core."""
    cdef uint32_t kind
    cdef int mark = MARK_NONE, n_marks = 0, n_periods = 0, quotes_after = 0, brackets_after = 0, quotes_before = 0, brackets_before = 0
    while i < end:
        kind = uc_kind(text[i])
        if is_end_kind(kind):
            quotes_before += quotes_after
            brackets_before += brackets_after
            quotes_after = brackets_after = 0
            n_marks += 1
            if kind == K_PERIOD:
                n_periods += 1
                mark = MARK_PERIOD
            elif kind == K_BANG:
                mark = MARK_BANG
            elif kind == K_QUESTION:
                mark = MARK_QUESTION
            elif kind == K_ELLIPSIS:
                mark = MARK_ELLIPSIS
                n_periods += 3
            elif kind == K_STOP:
                mark = MARK_STOP
            else:
                mark = MARK_WIDE
        elif kind == K_CLOSE_QUOTE or kind == K_QUOTE or kind == K_APOSTROPHE:
            quotes_after += 1
            if kind != K_APOSTROPHE:
                t.closes_quote = 1
        elif kind == K_OPEN_QUOTE:
            t.opens_quote = 1
        elif kind == K_CLOSE_BRACKET:
            brackets_after += 1
            t.brackets -= t.brackets > -100
        elif kind == K_OPEN_BRACKET:
            t.brackets += t.brackets < 100
        elif kind == K_COMMA or kind == K_COLON or kind == K_SEMICOLON or kind == K_DASH or kind == K_HYPHEN:
            quotes_before += quotes_after
            brackets_before += brackets_after
            quotes_after = brackets_after = 0
            if is_end_mark(mark) or mark == MARK_END_THEN_COMMA:
                mark = MARK_END_THEN_COMMA
            elif kind == K_COMMA:
                mark = MARK_COMMA
            elif kind == K_COLON:
                mark = MARK_COLON
            elif kind == K_SEMICOLON:
                mark = MARK_SEMICOLON
            else:
                mark = MARK_DASH
        elif mark == MARK_NONE and kind != K_PICTOGRAPH and kind != K_MARK and kind != K_FORMAT:
            mark = MARK_OTHER
        i += 1
    if is_end_mark(mark) and n_marks > 1 and mark != MARK_WIDE and mark != MARK_STOP:
        mark = MARK_ELLIPSIS if n_periods >= 2 and mark != MARK_BANG and mark != MARK_QUESTION else MARK_MULTIPLE
    t.mark = mark
    if (quotes_after + quotes_before > 0) and (brackets_after + brackets_before > 0):
        t.closer = CLOSER_SEVERAL
    elif quotes_after:
        t.closer = CLOSER_QUOTE_AFTER
    elif brackets_after:
        t.closer = CLOSER_BRACKET_AFTER
    elif quotes_before:
        t.closer = CLOSER_QUOTE_BEFORE
    elif brackets_before:
        t.closer = CLOSER_BRACKET_BEFORE
    else:
        t.closer = CLOSER_NONE


cdef void next_token(const char_t *text, scan_t *s, token_t *t) noexcept nogil:
    """Read the token at `s.position`, which lies inside a chunk."""
    cdef int64_t start = s.position, end = s.chunk_end, i, core, run, run_end, cut, segment = 0, longest = 0, core_end
    cdef uint32_t kind, first = K_OTHER, code
    cdef hash_t h
    cdef int n_upper = 0, n_lower = 0, n_digit = 0, n_letter = 0, n_ideograph = 0, n_periods = 0
    cdef bint roman = True, after_first_lower = True
    hash_start(&h)
    t.start = start
    t.word = NULL
    t.quiet = 0
    t.blanks = s.blanks
    t.newlines = s.newlines
    t.brackets = 0
    t.opens_quote = t.closes_quote = 0
    s.blanks = 0
    s.newlines = 0
    core = start
    cut = -1
    while core < end:
        kind = uc_kind(text[core])
        if is_core(kind):
            break
        core += 1
    if core == end:
        finish_empty(text, start, end, t)
        s.position = end
        return
    read_lead(text, start, core, t)
    i = core
    run = end
    core_end = core
    while i < end:
        code = text[i]
        kind = uc_kind(code)
        if is_core(kind):
            if kind == K_LOWER:
                n_lower += 1
                roman = False
                segment += 1
            elif kind == K_UPPER:
                n_upper += 1
                segment += 1
                if i > core:
                    after_first_lower = False
                if roman and not (code == 73 or code == 86 or code == 88 or code == 76 or code == 67):
                    roman = False
            elif kind == K_DIGIT:
                n_digit += 1
            elif kind == K_LETTER:
                n_letter += 1
            elif kind == K_IDEOGRAPH:
                n_ideograph += 1
            if first == K_OTHER and kind != K_MARK and kind != K_FORMAT:
                first = kind
            if kind != K_FORMAT and n_ideograph < 3:
                hash_add(&h, code)
            i += 1
            core_end = i
            continue
        if segment > longest:
            longest = segment
        run = i
        while i < end and not is_core(uc_kind(text[i])):
            i += 1
        if i == end:
            break
        cut = inner_boundary(text, core, run, i, end, s.chunk_link)
        if cut >= 0:
            break
        for run_end in range(run, i):
            kind = uc_kind(text[run_end])
            if kind == K_OPEN_BRACKET:
                t.brackets += t.brackets < 100
            elif kind == K_CLOSE_BRACKET:
                t.brackets -= t.brackets > -100
            elif kind == K_OPEN_QUOTE:
                t.opens_quote = 1
            elif kind == K_CLOSE_QUOTE:
                t.closes_quote = 1
            if n_ideograph < 3:
                hash_add(&h, text[run_end])
        if i == run + 1 and text[run] == 46:
            n_periods += 1
            segment = 0
        run = end
    if segment > longest:
        longest = segment
    if cut < 0:
        cut = end
    read_trail(text, core_end, cut, t)
    t.end = cut
    t.first = first
    t.hash = hash_finish(&h)
    t.length = <uint8_t>(core_end - core) if core_end - core < 255 else 255
    t.lead_length = <uint32_t>(core - start)
    if s.chunk_link:
        t.shape = SHAPE_LINK
    elif n_ideograph:
        t.shape = SHAPE_IDEOGRAPH
    elif n_digit:
        t.shape = SHAPE_ALPHANUMERIC if n_upper + n_lower + n_letter else SHAPE_NUMBER
    elif n_upper + n_lower == 0:
        t.shape = SHAPE_UNCASED if n_letter else SHAPE_EMPTY
    elif n_periods:
        if longest > 3:
            t.shape = SHAPE_LINK if first == K_LOWER else SHAPE_MIXED
        else:
            t.shape = SHAPE_DOTTED_LOWER if first == K_LOWER else SHAPE_DOTTED_UPPER
    elif n_upper == 0:
        t.shape = SHAPE_SINGLE_LOWER if n_lower == 1 else SHAPE_LOWER
    elif n_upper == 1 and n_lower == 0:
        t.shape = SHAPE_INITIAL
    elif n_lower == 0:
        t.shape = SHAPE_ROMAN if roman else SHAPE_UPPER
    elif n_upper == 1 and first == K_UPPER:
        t.shape = SHAPE_TITLE
    elif first == K_UPPER and not after_first_lower and n_lower > n_upper:
        t.shape = SHAPE_TITLE
    else:
        t.shape = SHAPE_MIXED
    s.position = cut


cdef void finish_empty(const char_t *text, int64_t start, int64_t end, token_t *t) noexcept nogil:
    """Describe a token without letters or digits: marks, rules, emoji."""
    cdef int64_t i
    cdef bint pictograph = False
    cdef hash_t h
    hash_start(&h)
    for i in range(start, end):
        if uc_kind(text[i]) == K_PICTOGRAPH:
            pictograph = True
        if i < start + 8:
            hash_add(&h, text[i])
    read_lead(text, start, start + 1, t)
    t.opens_quote = 0
    t.brackets = 0
    read_trail(text, start, end, t)
    t.end = end
    t.first = K_OTHER
    t.hash = hash_finish(&h)
    t.lead_length = 0
    t.length = <uint8_t>(end - start) if end - start < 255 else 255
    t.shape = SHAPE_PICTOGRAPH if pictograph else SHAPE_EMPTY


cdef struct style_t:
    int64_t n_tokens, n_ends, n_lines, n_line_ends, n_inside, n_inside_upper, n_upper_words, n_lower_words, n_capitalised
    int64_t line_start
    bint has_line
    int64_t lengths[256]
    int width                       # line length that 19 of 20 lines do not pass
    int marks, lines, line_ends, caps   # codes


cdef enum:
    CODES = 256         # larger values have the code of the last one

cdef uint8_t[CODES] LENGTH_CODES, PLACE_CODES, REST_CODES, SINCE_CODES, UNTIL_CODES, LINE_CODES

cdef void fill_codes(uint8_t *codes, list limits):
    """Write, for each value, the number of rising limits that it reaches."""
    cdef int value
    for value in range(CODES):
        codes[value] = sum(value >= limit for limit in limits)

fill_codes(LENGTH_CODES, [1, 2, 3, 4, 5, 6, 9])
fill_codes(PLACE_CODES, [2, 3, 4, 6, 9, 16])
fill_codes(REST_CODES, [2, 3, 4, 6, 10])
fill_codes(SINCE_CODES, [2, 3, 4, 6, 10, 18, 30])
fill_codes(UNTIL_CODES, [2, 3, 4, 6, 9, 13])
fill_codes(LINE_CODES, [10, 20, 40, 60, 80, 120])
# Nothing within reach.
REST_CODES[0] = 5
UNTIL_CODES[0] = 6


cdef void close_line(style_t *d, token_t *last) noexcept nogil:
    """Count the line that ends with the token `last`."""
    cdef int64_t length
    if not d.has_line:
        return
    length = last.end - d.line_start
    d.n_lines += 1
    d.n_line_ends += is_end_mark(last.mark)
    d.lengths[length if length < 255 else 255] += 1
    d.has_line = False


cdef int count_tokens(token_t *tokens, int64_t first, int64_t n, style_t *d, counts_t *counts) noexcept nogil:
    """Collect from tokens [first, n) how words and lines of this text behave; tokens[first - 1] is the token before, where there is one."""
    cdef int64_t i, index
    cdef token_t *t
    cdef token_t *before
    cdef entry_t *e
    for i in range(first, n):
        t = &tokens[i]
        before = &tokens[i - 1] if i > 0 else NULL
        if t.newlines or before == NULL:
            close_line(d, before)
            d.line_start = t.start
            d.has_line = True
        if t.quiet:
            d.n_lower_words += 1
            d.n_inside += before.mark == MARK_NONE
        else:
            count_style(t, before, d)
        if t.first != K_LOWER and t.first != K_UPPER and t.first != K_LETTER:
            t.entry = NO_ENTRY
            continue
        index = counts_find(counts, t.hash)
        if index < 0:
            return -1
        t.entry = <uint32_t>index
        e = &counts.entries[index]
        if t.quiet:
            e.lower += 1
            e.bare += 1
        else:
            count_word(t, before, e)
        if t.first == K_LOWER and before != NULL and before.mark == MARK_PERIOD and before.entry != NO_ENTRY and t.newlines < 2 and t.lead == LEAD_NONE:
            counts.entries[before.entry].period_then_lower += 1
    d.n_tokens += n - first
    return 0


cdef inline bint is_inside(token_t *t, token_t *before) noexcept nogil:
    """Whether the token follows another on the same line without a mark between them."""
    return before != NULL and before.mark == MARK_NONE and t.newlines == 0


cdef inline void count_style(token_t *t, token_t *before, style_t *d) noexcept nogil:
    """Count the marks and capitals of a token."""
    d.n_ends += is_end_mark(t.mark)
    d.n_lower_words += t.first == K_LOWER
    d.n_upper_words += t.shape == SHAPE_UPPER
    d.n_capitalised += t.first == K_UPPER
    if is_inside(t, before):
        d.n_inside += 1
        d.n_inside_upper += t.first == K_UPPER


cdef inline void count_word(token_t *t, token_t *before, entry_t *e) noexcept nogil:
    """Count one occurrence of a word."""
    if t.first == K_LOWER:
        e.lower += 1
    elif t.first == K_UPPER and t.lead == LEAD_NONE and is_inside(t, before):
        e.upper_inside += 1
    if t.mark == MARK_PERIOD or t.mark == MARK_END_THEN_COMMA:
        e.period += 1
        e.period_then_lower += t.mark == MARK_END_THEN_COMMA
    else:
        e.bare += 1


cdef void finish_style(style_t *d, token_t *last) noexcept nogil:
    """Turn the sums into codes."""
    cdef int64_t seen = 0, length
    cdef double share
    close_line(d, last)
    d.width = 0
    for length in range(256):
        seen += d.lengths[length]
        if d.n_lines and seen * 20 >= d.n_lines * 19:
            d.width = <int>length
            break
    share = <double>d.n_ends / d.n_tokens if d.n_tokens else 0
    d.marks = 0 if share < 0.005 else 1 if share < 0.02 else 2 if share < 0.04 else 3 if share < 0.07 else 4
    seen = 0
    for length in range(256):
        if length * 10 >= d.width * 7:
            seen += d.lengths[length]
    if d.n_lines < 2:
        d.lines = 0
    elif d.width >= 160:
        d.lines = 1
    elif d.width >= 40 and seen * 2 >= d.n_lines:
        d.lines = 2
    else:
        d.lines = 3
    share = <double>d.n_line_ends / d.n_lines if d.n_lines else 0
    d.line_ends = 0 if d.n_lines < 2 else 1 if share < 0.25 else 2 if share < 0.6 else 3
    share = <double>d.n_inside_upper / d.n_inside if d.n_inside else 0.1
    if d.n_lower_words * 2 < d.n_upper_words:
        d.caps = 4
    elif d.n_capitalised * 50 < d.n_lower_words:
        d.caps = 0          # the whole text is in lower case
    else:
        d.caps = 1 if share < 0.08 else 2 if share < 0.2 else 3


cdef struct state_t:
    # What a candidate needs to know of the text before it, beside the last few tokens.
    int64_t line_start
    int64_t line_tokens
    int64_t since_end
    int line_code
    bint quote
    int64_t brackets


cdef inline bint is_enumerator(token_t *t) noexcept nogil:
    """Whether the token looks like the mark of a list item: ``2.``, ``(b)``, ``IV)``."""
    return (t.shape == SHAPE_NUMBER or t.shape == SHAPE_INITIAL or t.shape == SHAPE_SINGLE_LOWER or t.shape == SHAPE_ROMAN) and t.length <= 4 \
        and (t.mark == MARK_PERIOD or t.closer == CLOSER_BRACKET_AFTER)


cdef void advance(state_t *s, token_t *t) noexcept nogil:
    """Move past token `t`."""
    if t.newlines or s.line_tokens == 0:
        s.line_start = t.start
        s.line_tokens = 0
        s.since_end = 0
        if t.lead == LEAD_BULLET or t.lead == LEAD_DASH:
            s.line_code = 1
        elif is_enumerator(t):
            s.line_code = 2
        elif t.blanks >= 2:
            s.line_code = 4
        else:
            s.line_code = 0
    if t.newlines >= 2:
        s.quote = False
        s.brackets = 0
    s.line_tokens += 1
    s.since_end += 1
    if t.opens_quote:
        s.quote = True
    if t.closes_quote:
        s.quote = False
    s.brackets += t.brackets
    if s.brackets < 0:
        s.brackets = 0


cdef inline bint is_candidate(token_t *left, token_t *right, style_t *d, state_t *s) noexcept nogil:
    """Reject the gaps between words that hopelessly continue a sentence, and the gaps before marks that stand alone."""
    if right.newlines:
        return True
    if right.shape == SHAPE_EMPTY and is_end_mark(right.mark) and right.lead != LEAD_BULLET:
        return False
    if is_end_mark(left.mark):
        if left.mark == MARK_WIDE and s.brackets > 0:
            return False    # East Asian text: nothing ends inside brackets
        return right.shape != SHAPE_PICTOGRAPH
    if right.softened:
        return False        # a line break that is to mean nothing is no boundary without a mark
    if left.mark > MARK_COMMA or right.lead != LEAD_NONE or left.shape == SHAPE_PICTOGRAPH:
        return True
    if right.first == K_LOWER:
        return d.caps == 0 and left.mark == MARK_NONE
    return right.first != K_LETTER and right.first != K_IDEOGRAPH


cdef inline int kind_of(token_t *left, token_t *right) noexcept nogil:
    if right.newlines >= 2:
        return KIND_PARAGRAPH
    if right.newlines:
        return KIND_MARK_LINE if is_end_mark(left.mark) else KIND_LINE
    if right.start == left.end:
        return KIND_INSIDE
    return KIND_MARK if is_end_mark(left.mark) else KIND_GAP


cdef class Lexicon:
    """What is known of words: vocabulary number, abbreviation class, usual case, abbreviation likelihood."""
    cdef lexeme_t *slots
    cdef uint32_t mask
    cdef uint8_t[::1] groups
    cdef object highest         # highest code of each column

    def __cinit__(self, words, ids, classes, usual, raw, groups):
        cdef uint32_t size = 64, slot, index
        cdef uint64_t key
        cdef lexeme_t *lexeme
        tables = lexicon_tables(len(words), ids, classes, usual, raw, groups)
        cdef const uint16_t[::1] id_of = tables[0]
        cdef const uint8_t[:, ::1] classes_of = tables[1]
        cdef const uint8_t[::1] usual_of = tables[2]
        cdef const uint8_t[::1] raw_of = tables[3]
        self.groups = tables[4]
        self.highest = highest_codes(*tables)
        while size < 2 * len(words):
            size *= 2
        self.mask = size - 1
        self.slots = <lexeme_t *>calloc(size, sizeof(lexeme_t))
        if self.slots == NULL:
            raise MemoryError()
        for index in range(len(words)):
            key = hash_word(words[index])
            lexeme = <lexeme_t *>lexeme_find(self.slots, self.mask, key)
            lexeme.hash = key
            lexeme.id = id_of[index + 1]
            lexeme.classes[0] = classes_of[index + 1, 0]
            lexeme.classes[1] = classes_of[index + 1, 1]
            lexeme.usual = usual_of[index + 1]
            lexeme.raw = raw_of[index + 1]
            lexeme.used = 1

    def __dealloc__(self):
        free(self.slots)

    cdef inline const lexeme_t *find(self, token_t *t) noexcept nogil:
        """What is known of a token's word."""
        if t.word == NULL:
            t.word = lexeme_find(self.slots, self.mask, t.hash)
        return t.word


cdef struct candidate_t:
    # A candidate that waits until what is known of its words, and then its weights, have come from memory.
    int64_t right           # the token after it
    int kind, sort
    bint forced             # a boundary whatever the model says
    float score
    state_t state
    uint16_t[N_ATTRIBUTES] row


cdef struct work_t:
    token_t *tokens
    int64_t capacity, block     # tokens that there is room for, and how many of them are used
    counts_t counts
    style_t style
    state_t state
    int64_t line_end, sentence_end      # what `look_ahead` found
    candidate_t[BATCH] waiting
    const int32_t **found               # their weights
    # results, one after another for all documents
    int64_t *ends
    int64_t *starts
    uint8_t *kinds
    float *scores
    uint16_t *rows
    int64_t n, room


cdef int make_room(work_t *w, bint with_rows) noexcept nogil:
    """Let one more result fit."""
    cdef int64_t room
    if w.n < w.room:
        return 0
    room = w.room * 2 if w.room else 256
    if grow(<void **>&w.ends, room * sizeof(int64_t)) < 0 or grow(<void **>&w.starts, room * sizeof(int64_t)) < 0:
        return -1
    if grow(<void **>&w.kinds, room) < 0 or grow(<void **>&w.scores, room * sizeof(float)) < 0:
        return -1
    if with_rows and grow(<void **>&w.rows, room * N_ATTRIBUTES * sizeof(uint16_t)) < 0:
        return -1
    w.room = room
    return 0


cdef int grow(void **memory, size_t size) noexcept nogil:
    """Enlarge a piece of memory, or leave it as it is."""
    cdef void *larger = realloc(memory[0], size)
    if larger == NULL:
        return -1
    memory[0] = larger
    return 0


cdef enum:
    NEWLINE_AUTO, NEWLINE_HARD, NEWLINE_SOFT, NEWLINE_PARAGRAPH

cdef enum:
    WANT_ROWS, WANT_SCORES, WANT_BOUNDARIES

NEWLINE_MODES = {"auto": NEWLINE_AUTO, "hard": NEWLINE_HARD, "soft": NEWLINE_SOFT, "paragraph": NEWLINE_PARAGRAPH}
KIND_NAMES = ("mark", "inside", "mark_line", "line", "paragraph", "gap")


cdef enum:
    # The most usual candidates have weight tables of their own, as if they were kinds.
    SORT_PLAIN_GAP = N_KINDS    # before a word without opening quotes, after one without marks
    SORT_PLAIN_MARK             # the same after a period of an unknown word
    N_SORTS

# Columns with one code only in the candidates of a sort.
_NO_NEWLINE = {A_SLACK: 0, A_LINE_LENGTH: 0, A_NEXT_LINE: 0}
_PLAIN = {A_CLOSER: 0, A_LEFT_CLASS: 0, A_LEFT_GROUP: 0, A_RIGHT_LEAD: LEAD_NONE, A_BLANKS: 1, **_NO_NEWLINE}
_FIXED = {kind: {A_KIND: kind} for kind in range(N_KINDS)}
for _kind in (KIND_MARK, KIND_INSIDE, KIND_GAP):
    _FIXED[_kind] |= _NO_NEWLINE
_FIXED[SORT_PLAIN_GAP] = {A_KIND: KIND_GAP, A_MARK: MARK_NONE, A_LEFT_EVIDENCE: 0, A_LEFT_RAW: 0, **_PLAIN}
_FIXED[SORT_PLAIN_MARK] = {A_KIND: KIND_MARK, A_MARK: MARK_PERIOD, **_PLAIN}


cdef class Linear:
    """Weight tables for each sort of candidate."""
    cdef table_t *tables
    cdef int[N_SORTS + 1] first         # the first table of each sort
    cdef int[N_SORTS] wide              # the first one with more than one column
    cdef int most                       # tables of a sort
    cdef const int32_t[::1] weights
    cdef double quantum

    def __cinit__(self, highest, offsets, columns, strides, weights):
        cdef int i, j, n = 0, sort
        cdef list merged
        weights, self.quantum = fixed_point(len(offsets), weights)
        found = []
        for sort in range(N_SORTS):
            merged = merge_templates(highest + 1, _FIXED[sort], offsets, columns, strides, weights)
            self.wide[sort] = n + sum(len(axes) == 1 for axes, _ in merged)
            n += len(merged)
            self.first[sort + 1] = n
            self.most = max(self.most, len(merged))
            found.append(merged)
        self.weights, places = join_tables(found, range(SORT_PLAIN_GAP, N_SORTS))
        self.tables = <table_t *>calloc(n + 1, sizeof(table_t))
        if self.tables == NULL:
            raise MemoryError()
        i = 0
        for merged in found:
            for (axes, _), (above, below) in zip(merged, bounds(merged)):
                base, steps = places[i]
                self.tables[i].base = base
                self.tables[i].above = above
                self.tables[i].below = below
                for j in range(len(axes)):
                    self.tables[i].columns[j] = axes[j]
                    self.tables[i].strides[j] = steps[j]
                i += 1

    def __dealloc__(self):
        free(self.tables)


cdef class BoundaryScanner:
    """Finds, describes and scores the candidates of texts.

    Without `set_linear` or `set_tree` it can only `describe`.
    """
    cdef Lexicon lexicon
    cdef int newline
    cdef int enabled                 # bit set of kinds
    cdef Linear linear
    cdef bint has_tree
    cdef int32_t[::1] node_column
    cdef int32_t[::1] node_threshold
    cdef int32_t[::1] node_left
    cdef int32_t[::1] node_right
    cdef float[::1] node_score
    cdef int32_t[::1] rank_offsets
    cdef uint16_t[::1] ranks
    cdef float[::1] thresholds
    cdef int32_t[N_KINDS] int_thresholds    # of the linear model

    def __init__(self, Lexicon lexicon not None, str newline="auto", kinds=KIND_NAMES):
        self.lexicon = lexicon
        self.newline = NEWLINE_MODES[newline]
        self.enabled = sum(1 << KIND_NAMES.index(kind) for kind in set(kinds))
        self.thresholds = np.zeros(N_KINDS, dtype=np.float32)

    def set_linear(self, offsets, columns, strides, weights):
        """Score by a sum of weights, one per template.

        Template `t` reads the columns ``columns[t]`` (padded by column 0 with stride 0) and takes the weight at
        ``offsets[t] + sum(row[columns[t]] * strides[t])``.
        """
        arrays = [np.array(values, dtype=np.int32) for values in (offsets, columns, strides)] + [np.array(weights, dtype=np.float32)]
        check_linear(self.lexicon.highest, *arrays)
        self.linear = Linear(self.lexicon.highest, *arrays)
        self._scale_thresholds()
        self.has_tree = False

    def set_tree(self, column, threshold, left, right, score, rank_offsets, ranks):
        """Score by a binary tree over the ranks of the codes; a leaf has ``left == -1``."""
        arrays = [np.array(values, dtype=np.int32) for values in (column, threshold, left, right)] + [np.array(score, dtype=np.float32)]
        arrays += [np.array(rank_offsets, dtype=np.int32), np.array(ranks, dtype=np.uint16)]
        check_tree(self.lexicon.highest, *arrays)
        self.node_column, self.node_threshold, self.node_left, self.node_right, self.node_score, self.rank_offsets, self.ranks = arrays
        self.has_tree = True
        self.linear = None

    def set_thresholds(self, thresholds):
        """Set, for each kind of candidate, the score from which on it is a boundary."""
        checked = np.array(thresholds, dtype=np.float32)
        check_thresholds(checked)
        self.thresholds = checked
        self._scale_thresholds()

    def _scale_thresholds(self):
        if self.linear is not None:
            for kind in range(N_KINDS):
                self.int_thresholds[kind] = integer_threshold(np.asarray(self.thresholds)[kind], self.linear.quantum)

    def describe(self, list texts):
        """Give ``(offsets, ends, starts, kinds, rows)`` of all candidates of all texts; document i has rows ``offsets[i]:offsets[i + 1]``."""
        return self._run(texts, WANT_ROWS)

    def score(self, list texts):
        """Give ``(offsets, ends, starts, kinds, scores)``."""
        return self._run(texts, WANT_SCORES)

    def boundaries(self, list texts):
        """Give ``(offsets, ends, starts)`` of the boundaries alone."""
        return self._run(texts, WANT_BOUNDARIES)

    def spans(self, list texts):
        """Give ``(offsets, spans)``: the sentences of all texts, without the white space around them."""
        offsets, ends, starts = self._run(texts, WANT_BOUNDARIES)
        return join_spans(texts, offsets, ends, starts)

    def _run(self, list texts, int want):
        cdef tuple held = check_texts(texts)
        cdef int64_t n_texts = len(held), i
        cdef work_t w
        cdef int status = 0
        cdef int64_t[::1] offsets = np.zeros(n_texts + 1, dtype=np.int64)
        cdef void **data = NULL
        cdef int64_t *lengths = NULL
        cdef uint8_t *widths = NULL
        cdef str text
        cdef Linear linear = self.linear        # stays alive if another thread sets a new one
        if want != WANT_ROWS and linear is None and not self.has_tree:
            raise ValueError("BoundaryScanner has no model: call set_linear or set_tree first.")
        memset(&w, 0, sizeof(w))
        try:
            data = <void **>malloc((n_texts + 1) * sizeof(void *))
            lengths = <int64_t *>malloc((n_texts + 1) * sizeof(int64_t))
            widths = <uint8_t *>malloc(n_texts + 1)
            if data == NULL or lengths == NULL or widths == NULL or not counts_init(&w.counts):
                raise MemoryError()
            if linear is not None:
                w.found = <const int32_t **>malloc(BATCH * (linear.most + 1) * sizeof(int32_t *))
                if w.found == NULL:
                    raise MemoryError()
            for i in range(n_texts):
                text = held[i]
                data[i] = PyUnicode_DATA(text)
                lengths[i] = PyUnicode_GET_LENGTH(text)
                widths[i] = PyUnicode_KIND(text)
            with nogil:
                for i in range(n_texts):
                    if i + 1 < n_texts:
                        prefetch_bytes(data[i + 1], <uint8_t *>data[i + 1] + min(lengths[i + 1], AHEAD) * widths[i + 1])
                    if widths[i] == 1:
                        status = run_text(self, linear, <const uint8_t *>data[i], lengths[i], &w, want)
                    elif widths[i] == 2:
                        status = run_text(self, linear, <const uint16_t *>data[i], lengths[i], &w, want)
                    else:
                        status = run_text(self, linear, <const uint32_t *>data[i], lengths[i], &w, want)
                    if status < 0:
                        break
                    offsets[i + 1] = w.n
            if status < 0:
                raise MemoryError()
            result = [np.asarray(offsets), take_int64(w.ends, w.n), take_int64(w.starts, w.n)]
            if want == WANT_ROWS:
                result += [take_uint8(w.kinds, w.n), take_uint16(w.rows, w.n * N_ATTRIBUTES).reshape(-1, N_ATTRIBUTES)]
            elif want == WANT_SCORES:
                result += [take_uint8(w.kinds, w.n), take_float(w.scores, w.n)]
            return tuple(result)
        finally:
            counts_free(&w.counts)
            free(w.tokens); free(w.ends); free(w.starts); free(w.kinds); free(w.scores); free(w.rows)
            free(w.found); free(data); free(lengths); free(widths)

    cdef inline float walk_tree(self, const uint16_t *row) noexcept nogil:
        cdef int node = 0, column
        while self.node_left[node] >= 0:
            column = self.node_column[node]
            node = self.node_left[node] if self.ranks[self.rank_offsets[column] + row[column]] <= self.node_threshold[node] else self.node_right[node]
        return self.node_score[node]


cdef take_int64(int64_t *values, int64_t n):
    out = np.empty(n, dtype=np.int64)
    if n:
        out[:] = <int64_t[:n]>values
    return out

cdef take_uint8(uint8_t *values, int64_t n):
    out = np.empty(n, dtype=np.uint8)
    if n:
        out[:] = <uint8_t[:n]>values
    return out

cdef take_uint16(uint16_t *values, int64_t n):
    out = np.empty(n, dtype=np.uint16)
    if n:
        out[:] = <uint16_t[:n]>values
    return out

cdef take_float(float *values, int64_t n):
    out = np.empty(n, dtype=np.float32)
    if n:
        out[:] = <float[:n]>values
    return out


cdef int64_t fill_tokens(const char_t *text, scan_t *scan, work_t *w, int64_t n, int64_t stop, int newline) noexcept nogil:
    """Read tokens into the block from index `n` until there are `stop` or the text ends; give how many there are."""
    cdef token_t *t
    cdef token_t *before
    cdef bint softened
    cdef int64_t end
    while n < stop:
        softened = False
        if scan.position >= scan.chunk_end:
            if n > 0:
                n = read_plain_words(text, scan, w.tokens, n, stop)
                if n == stop:
                    break
            if not skip_blanks(text, scan):
                break
            if scan.newlines > 0 and (newline == NEWLINE_SOFT or (newline == NEWLINE_PARAGRAPH and scan.newlines == 1)):
                softened = True
                scan.blanks += scan.blanks == 0
                scan.newlines = 0
            t = &w.tokens[n]
            end = read_plain_word(text, scan.position, scan.length, t)
            if end >= 0:
                t.blanks = scan.blanks
                t.newlines = scan.newlines
                t.softened = softened
                t.quiet = 0
                scan.position = scan.chunk_end = end
                n += 1
                continue
            find_chunk(text, scan)
        t = &w.tokens[n]
        next_token(text, scan, t)
        t.softened = softened
        if n > 0 and t.newlines == 0 and is_end_mark(w.tokens[n - 1].mark):
            before = &w.tokens[n - 1]
            if t.shape == SHAPE_PICTOGRAPH and not is_end_mark(t.mark):
                t.mark = before.mark            # an emoji after an end mark goes with it
            elif t.shape == SHAPE_EMPTY and t.mark == MARK_PERIOD and before.mark != MARK_BANG and before.mark != MARK_QUESTION:
                t.mark = MARK_ELLIPSIS          # . . .
        n += 1
    return n


cdef int64_t read_block(const char_t *text, scan_t *scan, work_t *w, int64_t n, int newline) noexcept nogil:
    """Fill the block and count its tokens, some at a time while they are near; give how many there are, or -1."""
    cdef int64_t first, stop
    while n < w.block:
        first = n
        stop = min(n + SLICE, w.block)
        prefetch_bytes(text + scan.position + AHEAD, text + min(scan.position + 2 * AHEAD, scan.length))
        n = fill_tokens(text, scan, w, first, stop, newline)
        prefetch_counts(w.tokens + first, w.tokens + n, &w.counts)
        if count_tokens(w.tokens, first, n, &w.style, &w.counts) < 0:
            return -1
        if n < stop:
            break
    return n


cdef int run_text(BoundaryScanner scanner, Linear linear, const char_t *text, int64_t length, work_t *w, int want) noexcept nogil:
    """Go over one text twice: collect, then describe and decide."""
    cdef scan_t scan
    cdef int64_t n, kept = 0, i, n_full = 0, wanted, limit
    cdef bint done
    wanted = length // 2 + 16
    if wanted > BLOCK:
        # A long text is read twice anyway, best by blocks that stay in the cache.
        wanted = BLOCK if length < 8 * BLOCK else SMALL_BLOCK
    if w.capacity < wanted:
        free(w.tokens)
        w.tokens = <token_t *>malloc(wanted * sizeof(token_t))
        w.capacity = wanted if w.tokens != NULL else 0
        if w.tokens == NULL:
            return -1
    w.block = wanted
    counts_clear(&w.counts)
    memset(&w.style, 0, sizeof(w.style))
    memset(&scan, 0, sizeof(scan))
    scan.length = length
    while True:
        n = read_block(text, &scan, w, kept, scanner.newline)
        if n < 0:
            return -1
        if n < w.block:
            break
        n_full += 1
        w.tokens[0] = w.tokens[n - 1]
        kept = 1
    finish_style(&w.style, &w.tokens[n - 1])
    memset(&w.state, 0, sizeof(w.state))
    if n_full == 0:
        # the whole text is in the block already
        return decide(scanner, linear, w, 1, n, n, want)
    memset(&scan, 0, sizeof(scan))
    scan.length = length
    kept = 0
    i = 1
    while True:
        n = fill_tokens(text, &scan, w, kept, w.block, scanner.newline)
        recall(w, kept, n)
        done = n < w.block
        limit = n if done else n - LOOKAHEAD
        if decide(scanner, linear, w, i, limit, n, want) < 0:
            return -1
        if done:
            return 0
        kept = n - (limit - LOOKBACK)
        memmove(w.tokens, w.tokens + (limit - LOOKBACK), kept * sizeof(token_t))
        i = LOOKBACK


cdef void recall(work_t *w, int64_t first, int64_t n) noexcept nogil:
    """Find the word counts of tokens that the second pass reads again."""
    cdef int64_t i, stop
    cdef token_t *t
    while first < n:
        stop = min(first + SLICE, n)
        prefetch_counts(w.tokens + first, w.tokens + stop, &w.counts)
        for i in range(first, stop):
            t = &w.tokens[i]
            if t.first != K_LOWER and t.first != K_UPPER and t.first != K_LETTER:
                t.entry = NO_ENTRY
            else:
                t.entry = <uint32_t>counts_find(&w.counts, t.hash)
        first = stop


cdef int decide(BoundaryScanner scanner, Linear linear, work_t *w, int64_t first, int64_t limit, int64_t n, int want) noexcept nogil:
    """Find, describe and score the candidates before tokens [first, limit); tokens up to `n` may be looked at."""
    cdef int64_t i, j
    cdef int kind, n_waiting = 0
    cdef token_t *left
    cdef token_t *right
    cdef candidate_t *candidate
    cdef bint forced
    w.line_end = w.sentence_end = 0
    for i in range(first, limit):
        left = &w.tokens[i - 1]
        right = &w.tokens[i]
        if left.quiet and right.quiet and w.style.caps != 0:
            w.state.line_tokens += 1
            w.state.since_end += 1
            continue
        advance(&w.state, left)
        if is_candidate(left, right, &w.style, &w.state):
            kind = kind_of(left, right)
            forced = kind == KIND_PARAGRAPH or (scanner.newline == NEWLINE_HARD and right.newlines > 0)
            if forced or (scanner.enabled >> kind) & 1:
                candidate = &w.waiting[n_waiting]
                candidate.right = i
                candidate.kind = kind
                candidate.forced = forced
                candidate.state = w.state
                n_waiting += 1
                for j in range(i - 2 if i >= 2 else 0, i + 2 if i + 2 < n else n):
                    prefetch_word(&w.tokens[j], scanner.lexicon.slots, scanner.lexicon.mask, w.counts.entries)
                if n_waiting == BATCH:
                    if finish_candidates(scanner, linear, w, n_waiting, n, want) < 0:
                        return -1
                    n_waiting = 0
        if is_end_mark(left.mark):
            w.state.since_end = 0
    return finish_candidates(scanner, linear, w, n_waiting, n, want)


cdef int finish_candidates(BoundaryScanner scanner, Linear linear, work_t *w, int n_waiting, int64_t n, int want) noexcept nogil:
    """Describe and score the candidates that wait; keep the result of each, or of those that are boundaries."""
    cdef int k
    cdef candidate_t *c
    cdef bint found = linear is not None and want != WANT_ROWS
    for k in range(n_waiting):
        c = &w.waiting[k]
        if want == WANT_ROWS or not c.forced:
            describe(scanner.lexicon, w, c.right, n, c.kind, &c.state, c.row)
            if found:
                c.sort = sort_of(c.kind, c.row)
                find_weights(
                    linear.tables + linear.first[c.sort], linear.tables + linear.wide[c.sort], linear.tables + linear.first[c.sort + 1],
                    &linear.weights[0], c.row, w.found + k * linear.most
                )
    for k in range(n_waiting):
        c = &w.waiting[k]
        c.score = FORCED
        if want != WANT_ROWS and not c.forced and not judge(scanner, linear, c, w.found + k * linear.most if found else NULL, want):
            continue
        if keep(w, c, want) < 0:
            return -1
    return 0


cdef inline bint judge(BoundaryScanner scanner, Linear linear, candidate_t *c, const int32_t **found, int want) noexcept nogil:
    """Score a candidate; whether it is wanted: always, or if it is a boundary."""
    cdef int first, n
    if linear is None:
        c.score = scanner.walk_tree(c.row)
        return want == WANT_SCORES or c.score >= scanner.thresholds[c.kind]
    first = linear.first[c.sort]
    n = linear.first[c.sort + 1] - first
    if want == WANT_BOUNDARIES:
        return sum_reaches(linear.tables + first, found, n, scanner.int_thresholds[c.kind])
    c.score = <float>(linear.quantum * sum_weights(found, n))
    return True


cdef inline int sort_of(int kind, const uint16_t *row) noexcept nogil:
    """Tell the usual candidates from the others of their kind."""
    if row[A_CLOSER] or row[A_LEFT_CLASS] or row[A_LEFT_GROUP] or row[A_RIGHT_LEAD] != LEAD_NONE or row[A_BLANKS] != 1:
        return kind
    if kind == KIND_GAP and row[A_MARK] == MARK_NONE and row[A_LEFT_EVIDENCE] == 0 and row[A_LEFT_RAW] == 0:
        return SORT_PLAIN_GAP
    if kind == KIND_MARK and row[A_MARK] == MARK_PERIOD:
        return SORT_PLAIN_MARK
    return kind


cdef inline int keep(work_t *w, candidate_t *c, int want) noexcept nogil:
    """Add a candidate to the results."""
    if w.n == w.room and make_room(w, want == WANT_ROWS) < 0:
        return -1
    w.ends[w.n] = w.tokens[c.right - 1].end
    w.starts[w.n] = w.tokens[c.right].start
    w.kinds[w.n] = c.kind
    w.scores[w.n] = c.score
    if want == WANT_ROWS:
        memcpy(w.rows + w.n * N_ATTRIBUTES, c.row, sizeof(c.row))
    w.n += 1
    return 0


cdef int evidence_of_abbreviation(token_t *t, counts_t *counts) noexcept nogil:
    """Code for how the word before a period behaves elsewhere in this text."""
    cdef entry_t *e
    if t.entry == NO_ENTRY or (t.mark != MARK_PERIOD and t.mark != MARK_END_THEN_COMMA):
        return 0
    e = &counts.entries[t.entry]
    if e.period_then_lower:
        if e.bare:
            return 5
        return 3 if e.period_then_lower == 1 else 4
    if e.bare:
        return 2 if e.bare >= e.period else 1
    return 6 if e.period >= 3 else 7 if e.period == 2 else 0


cdef int evidence_of_case(token_t *t, counts_t *counts, bint self_counted) noexcept nogil:
    """Code for how often a capitalised word stands in lower case, or capitalised inside sentences, elsewhere in this text."""
    cdef entry_t *e
    cdef int upper
    if t.first != K_UPPER or t.entry == NO_ENTRY:
        return 7
    e = &counts.entries[t.entry]
    upper = e.upper_inside - self_counted
    if upper <= 0:
        return 0 if e.lower == 0 else 1 if e.lower == 1 else 2
    if e.lower == 0:
        return 3 if upper == 1 else 4
    return 5 if e.lower > upper else 6


cdef int slack_code(token_t *left, token_t *right, int width, int64_t line_start) noexcept nogil:
    """Code for how much room the next word would have had on the line before: hard-wrapped lines have none."""
    cdef int64_t room
    if width >= 160:
        return 6
    room = width - (left.end - line_start + 1 + right.end - right.start)
    return 1 if room < 0 else 2 if room < 4 else 3 if room < 13 else 4 if room < 31 else 5


cdef inline uint16_t class_of(const lexeme_t *word, token_t *t) noexcept nogil:
    return word.classes[t.first != K_LOWER]


cdef void describe(Lexicon lexicon, work_t *w, int64_t i, int64_t n, int kind, state_t *state, uint16_t *row) noexcept nogil:
    """Write the codes of the candidate before token `i`."""
    cdef token_t *left = &w.tokens[i - 1]
    cdef token_t *right = &w.tokens[i]
    cdef token_t *t
    cdef const lexeme_t *word
    cdef int64_t rest, until
    cdef bint dotted
    row[A_KIND] = kind
    row[A_MARK] = left.mark
    row[A_CLOSER] = left.closer
    row[A_LEFT_SHAPE] = left.shape
    row[A_LEFT_LENGTH] = LENGTH_CODES[left.length]
    word = lexicon.find(left)
    dotted = left.mark == MARK_PERIOD or left.mark == MARK_END_THEN_COMMA or left.shape == SHAPE_DOTTED_UPPER or left.shape == SHAPE_DOTTED_LOWER
    row[A_LEFT_WORD] = word.id
    row[A_LEFT_CLASS] = class_of(word, left) if dotted else 0
    row[A_LEFT_GROUP] = lexicon.groups[row[A_LEFT_CLASS]]
    row[A_LEFT_EVIDENCE] = evidence_of_abbreviation(left, &w.counts)
    row[A_LEFT_RAW] = word.raw if dotted else 0
    row[A_LEFT_USUAL] = word.usual
    row[A_RIGHT_LEAD] = right.lead
    row[A_RIGHT_SHAPE] = right.shape
    word = lexicon.find(right)
    row[A_RIGHT_WORD] = word.id
    row[A_RIGHT_GROUP] = lexicon.groups[class_of(word, right)] if right.mark == MARK_PERIOD else 0
    row[A_RIGHT_EVIDENCE] = evidence_of_case(right, &w.counts, left.mark == MARK_NONE and right.newlines == 0 and right.lead == LEAD_NONE)
    row[A_RIGHT_USUAL] = word.usual
    row[A_RIGHT_MARK] = right.mark
    row[A_RIGHT_LENGTH] = LENGTH_CODES[right.length]
    if i >= 2 and left.newlines < 2:
        t = &w.tokens[i - 2]
        word = lexicon.find(t)
        row[A_LEFT2_SHAPE] = t.shape + 1
        row[A_LEFT2_WORD] = word.id
        row[A_LEFT2_MARK] = t.mark
        row[A_LEFT2_USUAL] = word.usual
        row[A_LEFT2_GROUP] = lexicon.groups[class_of(word, t)] if t.mark == MARK_PERIOD else 0
    else:
        row[A_LEFT2_SHAPE] = row[A_LEFT2_WORD] = row[A_LEFT2_MARK] = row[A_LEFT2_GROUP] = row[A_LEFT2_USUAL] = 0
    if i + 1 < n and w.tokens[i + 1].newlines < 2:
        t = &w.tokens[i + 1]
        word = lexicon.find(t)
        row[A_RIGHT2_SHAPE] = t.shape + 1
        row[A_RIGHT2_WORD] = word.id
        row[A_RIGHT2_LEAD] = t.lead
        row[A_RIGHT2_USUAL] = word.usual
    else:
        row[A_RIGHT2_SHAPE] = row[A_RIGHT2_WORD] = row[A_RIGHT2_LEAD] = row[A_RIGHT2_USUAL] = 0
    look_ahead(w, i, n)
    rest = w.line_end - i if w.line_end - i < LOOKAHEAD else 0
    until = w.sentence_end + 1 - i if w.sentence_end < w.line_end and w.sentence_end - i < LOOKAHEAD else rest
    row[A_LINE_REST] = REST_CODES[rest]
    row[A_UNTIL_END] = UNTIL_CODES[until]
    row[A_LINE_PLACE] = PLACE_CODES[min(state.line_tokens, CODES - 1)]
    row[A_SINCE_END] = SINCE_CODES[min(state.since_end, CODES - 1)]
    row[A_QUOTE] = state.quote
    row[A_BRACKET] = state.brackets > 0
    row[A_DOC_MARKS] = w.style.marks
    row[A_DOC_LINES] = w.style.lines
    row[A_DOC_LINE_ENDS] = w.style.line_ends
    row[A_DOC_CAPS] = w.style.caps
    row[A_LINE_START] = 3 if state.line_code == 2 and state.line_tokens == 1 else state.line_code
    if not right.newlines:
        # Such candidates are scored by tables without these three columns.
        row[A_BLANKS] = right.blanks if right.blanks < 3 else 3
        row[A_SLACK] = row[A_LINE_LENGTH] = row[A_NEXT_LINE] = 0
        return
    row[A_BLANKS] = 4 + (right.blanks > 1)
    row[A_SLACK] = slack_code(left, right, w.style.width, state.line_start)
    row[A_LINE_LENGTH] = 1 + LINE_CODES[min(left.end - state.line_start, CODES - 1)]
    if right.lead == LEAD_BULLET or right.lead == LEAD_DASH:
        row[A_NEXT_LINE] = 2
    elif is_enumerator(right):
        row[A_NEXT_LINE] = 3
    elif right.blanks > 1:
        row[A_NEXT_LINE] = 4
    else:
        row[A_NEXT_LINE] = 1


cdef inline void look_ahead(work_t *w, int64_t i, int64_t n) noexcept nogil:
    """Find the next token after `i` that starts a line, and the next one from `i` on with an end mark, within reach."""
    cdef int64_t stop = min(i + LOOKAHEAD, n)
    if w.line_end <= i:
        w.line_end = i + 1
    while w.line_end < stop and not w.tokens[w.line_end].newlines:
        w.line_end += 1
    if w.sentence_end < i:
        w.sentence_end = i
    while w.sentence_end < stop and not is_end_mark(w.tokens[w.sentence_end].mark):
        w.sentence_end += 1


def count_words(list texts):
    """Count how the words of many texts behave.

    Gives the lower-cased words in the order of their first occurrence and an array with the columns: in lower case, capitalised inside a
    sentence, with a period, with a period before a lower-case word, without a period.
    """
    cdef work_t w
    cdef int64_t i
    cdef str text
    cdef list words = []
    cdef tuple held = check_texts(texts)
    cdef int64_t[:, ::1] table
    memset(&w, 0, sizeof(w))
    try:
        if not counts_init(&w.counts):
            raise MemoryError()
        for i in range(len(held)):
            text = held[i]
            if PyUnicode_KIND(text) == 1:
                count_text(text, <const uint8_t *>PyUnicode_DATA(text), &w, words)
            elif PyUnicode_KIND(text) == 2:
                count_text(text, <const uint16_t *>PyUnicode_DATA(text), &w, words)
            else:
                count_text(text, <const uint32_t *>PyUnicode_DATA(text), &w, words)
        table = np.zeros((len(words), 5), dtype=np.int64)
        for i in range(w.counts.n_entries):
            table[i, 0] = w.counts.entries[i].lower
            table[i, 1] = w.counts.entries[i].upper_inside
            table[i, 2] = w.counts.entries[i].period
            table[i, 3] = w.counts.entries[i].period_then_lower
            table[i, 4] = w.counts.entries[i].bare
        return words, np.asarray(table)
    finally:
        counts_free(&w.counts)
        free(w.tokens)


cdef int count_text(str text, const char_t *data, work_t *w, list words) except -1:
    """Add the words of one text."""
    cdef scan_t scan
    cdef int64_t n, kept = 0, j
    cdef token_t *t
    if w.tokens == NULL:
        w.tokens = <token_t *>malloc(BLOCK * sizeof(token_t))
        w.capacity = w.block = BLOCK
        if w.tokens == NULL:
            raise MemoryError()
    memset(&w.style, 0, sizeof(w.style))
    memset(&scan, 0, sizeof(scan))
    scan.length = PyUnicode_GET_LENGTH(text)
    while True:
        with nogil:
            n = read_block(data, &scan, w, kept, NEWLINE_AUTO)
            if n < 0:
                with gil:
                    raise MemoryError()
        for j in range(kept, n):
            t = &w.tokens[j]
            if t.entry != NO_ENTRY and t.entry >= <uint32_t>len(words):
                words.append(lower_word(text[t.start + t.lead_length:t.start + t.lead_length + t.length]))
        if n < w.block:
            return 0
        w.tokens[0] = w.tokens[n - 1]
        kept = 1


cdef str lower_word(str word):
    """Write a word as its hash sees it, so that `hash_word` finds it again."""
    cdef Py_UCS4 c
    return "".join([chr(lower_code(c)) for c in word if uc_kind(c) != K_FORMAT])


def join_spans(list texts, int64_t[::1] offsets, int64_t[::1] ends, int64_t[::1] starts):
    """Turn boundaries into sentence spans: give ``(offsets, spans)`` over all texts."""
    cdef tuple held = check_texts(texts)
    cdef int64_t n_texts = len(held), i, j, n = 0, start, stop
    check_offsets(n_texts, np.asarray(offsets), np.asarray(ends), np.asarray(starts))
    cdef int64_t[::1] span_offsets = np.zeros(n_texts + 1, dtype=np.int64)
    cdef int64_t[:, ::1] spans = np.empty((ends.shape[0] + n_texts, 2), dtype=np.int64)
    cdef str text
    for i in range(n_texts):
        text = held[i]
        start, stop = strip_bounds(text)
        if start < stop:
            for j in range(offsets[i], offsets[i + 1]):
                spans[n, 0] = start
                spans[n, 1] = ends[j]
                start = starts[j]
                n += 1
            spans[n, 0] = start
            spans[n, 1] = stop
            n += 1
        span_offsets[i + 1] = n
    return np.asarray(span_offsets), np.asarray(spans)[:n]


cdef (int64_t, int64_t) strip_bounds(str text):
    """The span of a text without the white space around it."""
    cdef int64_t start = 0, stop = PyUnicode_GET_LENGTH(text)
    while start < stop and K_SPACE <= uc_kind(<Py_UCS4>text[start]) <= K_NEWLINE:
        start += 1
    while stop > start and K_SPACE <= uc_kind(<Py_UCS4>text[stop - 1]) <= K_NEWLINE:
        stop -= 1
    return start, stop
