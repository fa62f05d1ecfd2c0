# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Candidate sentence boundaries: scan a text into tokens, describe each candidate by small codes, score it by a linear model or a tree.

Works on the storage of `str` itself (one, two or four bytes per character), so offsets are code points without any conversion. One pass
collects how the words of this very text behave; a second one, over the tokens if they fit into a block, describes the candidates. Time is
linear in the text; beside the result, memory is a block of tokens and one entry per distinct word, up to two million. A `BoundaryStream` is
given the text in pieces.

Nearly all of the time is spent on three things. Tokens are read from 64 characters at a time, of which bit sets tell what they are. What
counts in a token is said in a byte, and bit sets over 64 tokens tell which of them end sentences, may open one, or are counted. Described
candidates are gathered until eight of a sort are scored side by side. What is hard to predict is written down in any case and kept if it
counts, since a branch that is taken wrongly costs as much as thirty instructions.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_Substring
from libc.math cimport NAN
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memmove, memset

import numpy as np

from textprep_ml._kernels.boundary_checks import (
    check_forms, check_linear, check_offsets, check_texts, check_thresholds, check_tree, fixed_point, highest_codes, lexicon_tables,
)
from textprep_ml._kernels.boundary_tables import integer_threshold, is_near, join_tables, merge_templates

include "boundary_declarations.pxi"
include "boundary_tokens.pxi"
include "boundary_context.pxi"


def hash_word(str word):
    """Give the 64-bit hash under which the scanner finds `word`, lower-cased."""
    cdef hash_t h
    cdef Py_UCS4 c
    hash_start(&h)
    for c in word:
        if uc_kind(c) != K_FORMAT:
            hash_add(&h, c)
    return hash_finish(&h)


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
        while size < 3 * len(words):        # so few are side by side that the first look nearly always is the last
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

    cdef inline const lexeme_t *find(self, uint64_t hash) noexcept nogil:
        """What is known of a word."""
        return lexeme_find(self.slots, self.mask, hash)


NEWLINE_MODES = {"auto": NEWLINE_AUTO, "hard": NEWLINE_HARD, "soft": NEWLINE_SOFT, "paragraph": NEWLINE_PARAGRAPH}
KIND_NAMES = ("mark", "inside", "mark_line", "line", "paragraph", "gap")

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
    cdef int[N_SORTS] near              # the first one that is near
    cdef const int32_t[::1] weights
    cdef double quantum

    def __cinit__(self, highest, offsets, columns, strides, weights):
        cdef int i, j, k, n = 0, sort
        cdef list merged
        weights, self.quantum = fixed_point(len(offsets), weights)
        found = []
        for sort in range(N_SORTS):
            merged = merge_templates(highest + 1, _FIXED[sort], offsets, columns, strides, weights)
            self.near[sort] = n + sum(not is_near(table) for _, table in merged)
            n += len(merged)
            self.first[sort + 1] = n
            found.append(merged)
        self.weights, places = join_tables(found, range(SORT_PLAIN_GAP, N_SORTS))
        self.tables = <table_t *>calloc(n + 1, sizeof(table_t))
        if self.tables == NULL:
            raise MemoryError()
        i = 0
        for merged in found:
            for axes, _ in merged:
                base, steps = places[i]
                self.tables[i].base = base
                for j in range(len(axes)):
                    self.tables[i].columns[j] = axes[j]
                    self.tables[i].strides[j] = steps[j]
                    for k in range(8):
                        self.tables[i].small_strides[j][k] = <uint16_t>self.tables[i].strides[j]
                i += 1

    def __dealloc__(self):
        free(self.tables)


cdef struct text_t:
    const void *data
    int64_t length
    int width


cdef class Workspace:
    """The memory of one run, and what it found."""
    cdef work_t w
    cdef text_t *texts
    cdef int64_t *offsets       # of what was found in each text
    cdef int64_t n_texts        # that there is room for

    def __cinit__(self):
        memset(&self.w, 0, sizeof(self.w))
        self.w.pending = <pending_t *>malloc(PENDING * sizeof(pending_t))
        if self.w.pending == NULL or not counts_init(&self.w.counts):
            raise MemoryError()

    def __dealloc__(self):
        cdef work_t *w = &self.w
        counts_free(&w.counts)
        free_tokens(w)
        free(w.found_ends); free(w.found_starts); free(w.kinds); free(w.scores); free(w.rows)
        free(w.pending); free(w.pending_rows); free(self.texts); free(self.offsets)

    cdef prepare(self, int64_t n_texts, int want):
        """Forget what was found, and make room for so many texts."""
        cdef work_t *w = &self.w
        w.n = 0
        if self.offsets == NULL or n_texts > self.n_texts:
            self.n_texts = 0
            if grow(<void **>&self.texts, (n_texts + 1) * sizeof(text_t)) < 0 or grow(<void **>&self.offsets, (n_texts + 1) * sizeof(int64_t)) < 0:
                raise MemoryError()
            self.n_texts = n_texts
        memset(self.offsets, 0, (n_texts + 1) * sizeof(int64_t))
        if want == WANT_ROWS:
            if w.pending_rows == NULL:
                w.pending_rows = <uint16_t *>malloc(PENDING * N_ATTRIBUTES * sizeof(uint16_t))
            if w.pending_rows == NULL or (w.room and grow(<void **>&w.rows, w.room * N_ATTRIBUTES * sizeof(uint16_t)) < 0):
                raise MemoryError()

    cdef bint is_small(self):
        return self.w.capacity <= SMALL_BLOCK and self.w.counts.capacity <= SMALL_BLOCK and self.w.room <= SMALL_BLOCK and self.n_texts <= SMALL_BLOCK


cdef class BoundaryScanner:
    """Finds, describes and scores the candidates of texts.

    Without `set_linear` or `set_tree` it can only `describe`. No gap between words is a candidate after one of the `hopeless_words`, lower-cased
    ones, where they have no mark, nor one of the `hopeless_forms`: codes of the mark and the shape on the left, the shape and the lead on the
    right.
    """
    cdef Lexicon lexicon
    cdef int newline
    cdef uint8_t[2][N_GAPS] gap_codes     # by what `gap_of` tells, without and with capitals in the text
    cdef uint64_t *hopeless_words           # hashes in an open-addressing table; 0 is a free slot
    cdef uint32_t hopeless_mask
    cdef uint8_t[N_MARKS][N_SHAPES][N_SHAPES] hopeless_forms     # a bit for each lead
    cdef Linear linear
    cdef list spare                         # workspaces that nobody has
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

    def __cinit__(self, Lexicon lexicon not None, str newline="auto", kinds=KIND_NAMES, hopeless_words=(), hopeless_forms=()):
        cdef uint32_t size = 64, slot
        cdef uint64_t key
        while size < 4 * len(hopeless_words):
            size *= 2
        self.hopeless_words = <uint64_t *>calloc(size, sizeof(uint64_t))
        if self.hopeless_words == NULL:
            raise MemoryError()
        self.hopeless_mask = size - 1
        for word in hopeless_words:
            key = hash_word(word)
            slot = self.hopeless_slot(key)
            self.hopeless_words[slot] = key
        memset(self.hopeless_forms, 0, sizeof(self.hopeless_forms))
        for mark, left, right, lead in check_forms(hopeless_forms):
            self.hopeless_forms[mark][left][right] |= 1 << lead

    def __dealloc__(self):
        free(self.hopeless_words)

    cdef inline uint32_t hopeless_slot(self, uint64_t key) noexcept nogil:
        """Where the hash of a word is, or would be."""
        cdef uint32_t slot = <uint32_t>(key >> 20) & self.hopeless_mask
        while self.hopeless_words[slot] != 0 and self.hopeless_words[slot] != key:
            slot = (slot + 1) & self.hopeless_mask
        return slot

    cdef inline bint is_hopeless(self, const token_t *left, const token_t *right, uint64_t word) noexcept nogil:
        """Whether no sentence ends in a gap between words, the one on the left being `word`."""
        cdef bint has_form = self.hopeless_forms[left.mark][left.shape][right.shape] >> right.lead & 1
        return has_form | (left.mark == MARK_NONE) & (self.hopeless_words[self.hopeless_slot(word)] != 0)

    def __init__(self, Lexicon lexicon not None, str newline="auto", kinds=KIND_NAMES, hopeless_words=(), hopeless_forms=()):
        self.lexicon = lexicon
        self.spare = []
        self.newline = NEWLINE_MODES[newline]
        self._fill_gap_codes({KIND_NAMES.index(kind) for kind in kinds})
        self.thresholds = np.zeros(N_KINDS, dtype=np.float32)

    cdef _fill_gap_codes(self, set kinds):
        """Write down for every sort of gap whether it is a candidate, and of which kind."""
        cdef int with_capitals, right, breaks, left, kind, code
        cdef set forced = {KIND_PARAGRAPH} | ({KIND_LINE, KIND_MARK_LINE} if self.newline == NEWLINE_HARD else set())
        for with_capitals in range(2):
            for right in range(N_RIGHTS):
                for breaks in range(N_BREAKS):
                    for left in range(N_LEFTS):
                        code = IS_CANDIDATE[left][right]
                        if not with_capitals and left == LEFT_NONE and right == RIGHT_LOWER:
                            code = YES
                        kind = KIND_OF[breaks][left >= LEFT_END]
                        if kind in forced:
                            code |= 1 << GAP_FORCED
                        elif kind not in kinds:
                            code = 0
                        self.gap_codes[with_capitals][(right * N_BREAKS + breaks) * N_LEFTS + left] = code | kind

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
        return self._found(texts, WANT_ROWS)

    def score(self, list texts):
        """Give ``(offsets, ends, starts, kinds, scores)``."""
        return self._found(texts, WANT_SCORES)

    def boundaries(self, list texts):
        """Give ``(offsets, ends, starts)`` of the boundaries alone."""
        return self._found(texts, WANT_BOUNDARIES)

    def spans(self, list texts):
        """Give ``(offsets, spans)``: the sentences of all texts, without the white space around them."""
        cdef tuple held = hold_texts(texts)
        cdef Workspace space = self._scan(held, WANT_BOUNDARIES)
        found = sentence_spans(held, space.offsets, space.w.found_ends, space.w.found_starts)
        self._keep(space)
        return found

    def sentences(self, list texts):
        """Give the sentences of each text as a list of strings."""
        cdef tuple held = hold_texts(texts)
        cdef Workspace space = self._scan(held, WANT_BOUNDARIES)
        cdef int64_t i
        cdef list found = []
        for i in range(len(held)):
            found.append(slice_text(held[i], space.offsets[i], space.offsets[i + 1], space.w.found_ends, space.w.found_starts))
        self._keep(space)
        return found

    def _found(self, list texts, int want):
        cdef tuple held = hold_texts(texts)
        cdef Workspace space = self._scan(held, want)
        cdef work_t *w = &space.w
        result = [take(space.offsets, len(held) + 1, np.int64), take(w.found_ends, w.n, np.int64), take(w.found_starts, w.n, np.int64)]
        if want == WANT_ROWS:
            result += [take(w.kinds, w.n, np.uint8), take(w.rows, w.n * N_ATTRIBUTES, np.uint16).reshape(-1, N_ATTRIBUTES)]
        elif want == WANT_SCORES:
            result += [take(w.kinds, w.n, np.uint8), take(w.scores, w.n, np.float32)]
        self._keep(space)
        return tuple(result)

    def stream(self):
        """Give a `BoundaryStream`: the boundaries of one text that comes in pieces, under the model and the thresholds of its calls."""
        return BoundaryStream(self)

    cdef Workspace _scan(self, tuple held, int want):
        """Go over texts; what was found stays in the workspace, which nobody else has until `_keep` takes it back."""
        cdef int64_t n_texts = len(held), i
        cdef int status = 0
        cdef str text
        cdef Workspace space
        cdef work_t *w
        cdef text_t *t
        cdef int64_t *offsets
        cdef Linear linear = self.linear        # stays alive if another thread sets a new one
        if want != WANT_ROWS and linear is None and not self.has_tree:
            raise ValueError("BoundaryScanner has no model: call set_linear or set_tree first.")
        try:
            space = self.spare.pop()
        except IndexError:
            space = Workspace()
        space.prepare(n_texts, want)
        w, t, offsets = &space.w, space.texts, space.offsets
        for i in range(n_texts):
            text = held[i]
            t[i].data = PyUnicode_DATA(text)
            t[i].length = PyUnicode_GET_LENGTH(text)
            t[i].width = PyUnicode_KIND(text)
        with nogil:
            for i in range(n_texts):
                w.text = i
                if i + 1 < n_texts:
                    prefetch_bytes(t[i + 1].data, <uint8_t *>t[i + 1].data + min(t[i + 1].length, AHEAD) * t[i + 1].width)
                if t[i].width == 1:
                    status = run_text(self, linear, <const uint8_t *>t[i].data, t[i].length, w, want, offsets)
                elif t[i].width == 2:
                    status = run_text(self, linear, <const uint16_t *>t[i].data, t[i].length, w, want, offsets)
                else:
                    status = run_text(self, linear, <const uint32_t *>t[i].data, t[i].length, w, want, offsets)
                if status < 0:
                    break
            if status >= 0:
                status = settle(self, linear, w, want, offsets)
            for i in range(n_texts):
                offsets[i + 1] += offsets[i]
        if status < 0:
            raise MemoryError()
        return space

    cdef _keep(self, Workspace space):
        """Leave a workspace to the next run, unless it has become large: making one takes longer than a short text."""
        if space.is_small() and len(self.spare) < MOST_SPARE:
            self.spare.append(space)

    cdef inline float walk_tree(self, const lanes_t *codes, int lane) noexcept nogil:
        cdef int node = 0, column
        while self.node_left[node] >= 0:
            column = self.node_column[node]
            node = self.node_left[node] if self.ranks[self.rank_offsets[column] + codes[column][lane]] <= self.node_threshold[node] else self.node_right[node]
        return self.node_score[node]


cdef take(const void *values, int64_t n, dtype):
    """Copy values into a new array."""
    cdef Py_buffer buffer
    out = np.empty(n, dtype=dtype)
    if n:
        PyObject_GetBuffer(out, &buffer, PyBUF_WRITABLE)
        memcpy(buffer.buf, values, buffer.len)
        PyBuffer_Release(&buffer)
    return out


cdef tuple hold_texts(list texts):
    """Hold the texts, so that another thread cannot take one away, and refuse what is no `str`."""
    cdef tuple held = tuple(texts)
    for text in held:
        if type(text) is not str:
            return check_texts(texts)
    return held


include "boundary_candidates.pxi"
include "boundary_stream.pxi"


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
    w.all_words = True
    try:
        if not counts_init(&w.counts):
            raise MemoryError()
        w.counts.most = <uint32_t>-1
        for i in range(len(held)):
            text = held[i]
            if PyUnicode_KIND(text) == 1:
                count_text(text, <const uint8_t *>PyUnicode_DATA(text), &w, words)
            elif PyUnicode_KIND(text) == 2:
                count_text(text, <const uint16_t *>PyUnicode_DATA(text), &w, words)
            else:
                count_text(text, <const uint32_t *>PyUnicode_DATA(text), &w, words)
        table = np.zeros((len(words), 5), dtype=np.int64)
        for i in range(len(words)):
            table[i, 0] = w.counts.entries[i + 1].lower
            table[i, 1] = w.counts.entries[i + 1].upper_inside
            table[i, 2] = w.counts.entries[i + 1].period
            table[i, 3] = w.counts.entries[i + 1].period_then_lower
            table[i, 4] = w.counts.entries[i + 1].bare
        return words, np.asarray(table)
    finally:
        counts_free(&w.counts)
        free_tokens(&w)


cdef int count_text(str text, const char_t *data, work_t *w, list words) except -1:
    """Add the words of one text."""
    cdef scan_t scan
    cdef int64_t n, kept = 0, j, core
    if make_tokens(w, BLOCK) < 0:
        raise MemoryError()
    w.block = BLOCK
    memset(&w.style, 0, sizeof(w.style))
    memset(&scan, 0, sizeof(scan))
    scan.length = PyUnicode_GET_LENGTH(text)
    keep_last(w, 0, 0)
    while True:
        with nogil:
            n = read_block(data, &scan, w, kept, NEWLINE_AUTO)
        if n < 0:
            raise MemoryError()
        for j in range(kept, n):
            if w.entry_of[j] > <uint32_t>len(words):
                core = w.tokens[j].start
                while not is_core(uc_kind(data[core])):
                    core += 1
                words.append(lower_word(text[core:core + w.tokens[j].length]))
        if n < w.block:
            return 0
        keep_last(w, n, 1)
        kept = 1


cdef str lower_word(str word):
    """Write a word as its hash sees it, so that `hash_word` finds it again."""
    cdef Py_UCS4 c
    return "".join([chr(lower_code(c)) for c in word if uc_kind(c) != K_FORMAT])


def join_spans(list texts, int64_t[::1] offsets, int64_t[::1] ends, int64_t[::1] starts):
    """Turn boundaries into sentence spans: give ``(offsets, spans)`` over all texts."""
    cdef tuple held = hold_texts(texts)
    check_offsets(len(held), np.asarray(offsets), np.asarray(ends), np.asarray(starts))
    # Of arrays that may be empty there is no first element.
    return sentence_spans(held, &offsets[0], &ends[0] if ends.shape[0] else NULL, &starts[0] if starts.shape[0] else NULL)


cdef tuple sentence_spans(tuple held, const int64_t *offsets, const int64_t *ends, const int64_t *starts):
    """Turn the boundaries of texts into spans."""
    cdef int64_t n_texts = len(held), i, j, n = 0, start, stop
    all_offsets = np.zeros(n_texts + 1, dtype=np.int64)
    all_spans = np.empty((offsets[n_texts] + n_texts, 2), dtype=np.int64)
    cdef int64_t[::1] span_offsets = all_offsets
    cdef int64_t[:, ::1] spans = all_spans
    for i in range(n_texts):
        start, stop = strip_bounds(held[i])
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
    return all_offsets, all_spans[:n]


cdef list slice_text(str text, int64_t first, int64_t last, const int64_t *ends, const int64_t *starts):
    """Cut a text at its boundaries."""
    cdef int64_t j, start, stop
    cdef list found
    start, stop = strip_bounds(text)
    if start == stop:
        return []
    found = [None] * (last - first + 1)
    for j in range(first, last):
        found[j - first] = PyUnicode_Substring(text, start, ends[j])
        start = starts[j]
    found[last - first] = PyUnicode_Substring(text, start, stop)
    return found


cdef (int64_t, int64_t) strip_bounds(str text):
    """The span of a text without the white space around it."""
    cdef int64_t start = 0, stop = PyUnicode_GET_LENGTH(text)
    while start < stop and K_SPACE <= uc_kind(<Py_UCS4>text[start]) <= K_NEWLINE:
        start += 1
    while stop > start and K_SPACE <= uc_kind(<Py_UCS4>text[stop - 1]) <= K_NEWLINE:
        stop -= 1
    return start, stop
