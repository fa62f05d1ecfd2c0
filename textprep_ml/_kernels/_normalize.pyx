# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Rewrite a text piece by piece with remembered results, and record which raw characters became which new ones.

The kernel knows no rule of normalization. It cuts a text at places that the rules can not reach across, and looks every piece up: a
character that stands alone in a table of entries, a longer piece in a hash table. What it has not met yet it asks of two Python functions,
once. Text in which nothing changes is only read and comes back as the same object. Time is linear: no character belongs to two pieces.
"""

from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

import numpy as np

cdef extern from "Python.h":
    PyObject *PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar) except NULL
    int PyUnicode_Resize(PyObject **unicode, Py_ssize_t length) except -1
    Py_ssize_t PyUnicode_CopyCharacters(PyObject *to, Py_ssize_t to_start, PyObject *source, Py_ssize_t start, Py_ssize_t length) except -1
    object PyUnicode_FromKindAndData(int kind, const void *buffer, Py_ssize_t size)
    Py_UCS4 PyUnicode_MAX_CHAR_VALUE(object text)

cdef extern from "huge_pages.h":
    void ask_for_huge_pages(void *start, size_t size)

#: What `classify` may say of a character. JOINS: it never starts a piece. BLANK: it makes one piece with a BLANK neighbour.
#: CONTEXT: it must be seen together with its whole word. SPACE: it ends a word.
JOINS, BLANK, CONTEXT, SPACE = 1, 2, 4, 8

# An entry holds the new code point in its low 21 bits and the flags above.
cdef enum:
    PAYLOAD = 0x1FFFFF
    E_JOINS = 1 << 21
    E_BLANK = 1 << 22
    E_CONTEXT = 1 << 23
    E_SPACE = 1 << 24
    E_SEVERAL = 1 << 25   # becomes another number of characters than one
    E_UNKNOWN = 1 << 26
    SPECIAL = E_JOINS | E_CONTEXT | E_SEVERAL | E_UNKNOWN

cdef enum:
    DONE, NEED_CHARACTER, NEED_PIECE, START, GROW, WIDEN, NO_MEMORY

cdef enum:
    MAX_SLOTS = 1 << 17    # remembered pieces, and
    MAX_DATA = 1 << 22     # the characters they may take together; beyond, all are forgotten

ctypedef fused raw_t:
    uint8_t
    uint16_t
    uint32_t

ctypedef fused new_t:
    uint8_t
    uint16_t
    uint32_t

# From here to the next run every `raw_width` raw characters became `new_width` new ones.
cdef struct run_t:
    int64_t raw
    int64_t new
    int64_t raw_width
    int64_t new_width

# A remembered piece; at `data` stand its characters, its new characters, its cells (raw width, new width, count).
cdef struct slot_t:
    uint64_t hash
    int64_t data
    int32_t length        # 0: free
    int32_t new_length
    int32_t n_cells
    uint32_t bits         # all new characters or-ed
    bint unchanged

cdef struct state_t:
    uint16_t index[0x1100]  # number of the block of 256 entries; block 0 knows nothing
    uint32_t *entries
    int32_t n_blocks
    slot_t *slots
    int64_t slot_mask
    int64_t n_slots
    uint32_t *data
    int64_t n_data
    int64_t data_room
    run_t *runs
    int64_t n_runs
    int64_t run_room
    int64_t end_raw       # where the last run, never one of equals, ends
    int64_t end_new
    int64_t i             # raw characters read
    int64_t o             # new characters written
    int64_t n
    int64_t room          # new characters that there is place for
    uint32_t over         # payload bits that the output can not hold
    uint32_t previous
    bint writing
    int64_t need          # what the caller must provide: the character here, or the piece from here
    int64_t need_end      # to here, or so much room, or so many bits


cdef inline uint32_t entry_at(state_t *s, raw_t *text, int64_t i) noexcept nogil:
    cdef uint32_t code = text[i]
    return s.entries[(<uint32_t>s.index[code >> 8] << 8) | (code & 255)]


cdef inline bint close_join(uint32_t left, uint32_t right) noexcept nogil:
    return (right & E_JOINS) != 0 or (left & right & E_BLANK) != 0


cdef inline bint word_join(uint32_t left, uint32_t right) noexcept nogil:
    return close_join(left, right) or not ((left | right) & E_SPACE)


cdef bint push_run(state_t *s, int64_t raw, int64_t new, int64_t raw_width, int64_t new_width) noexcept nogil:
    cdef run_t *grown
    if s.n_runs == s.run_room:
        grown = <run_t *>realloc(s.runs, (2 * s.run_room + 64) * sizeof(run_t))
        if grown == NULL:
            return False
        s.runs = grown
        s.run_room = 2 * s.run_room + 64
    s.runs[s.n_runs] = run_t(raw, new, raw_width, new_width)
    s.n_runs += 1
    return True


cdef bint push_cells(state_t *s, int64_t raw, int64_t new, int64_t raw_width, int64_t new_width, int64_t count) noexcept nogil:
    """Note that `count` cells follow; cells of one character to one are noted when the next other cell comes."""
    cdef run_t *last
    if raw_width == 1 and new_width == 1:
        return True
    if s.n_runs:
        last = &s.runs[s.n_runs - 1]
        if s.end_raw == raw and last.raw_width == raw_width and last.new_width == new_width:
            s.end_raw += raw_width * count
            s.end_new += new_width * count
            return True
    if s.end_raw < raw and not push_run(s, s.end_raw, s.end_new, 1, 1):
        return False
    s.end_raw = raw + raw_width * count
    s.end_new = new + new_width * count
    return push_run(s, raw, new, raw_width, new_width)


cdef int64_t roll_back(state_t *s, int64_t raw) noexcept nogil:
    """Forget the runs from `raw` on, which is an end of a cell; give the new position that belongs to it."""
    cdef run_t *last
    while s.n_runs and s.runs[s.n_runs - 1].raw >= raw:
        s.n_runs -= 1
        s.end_raw = s.runs[s.n_runs].raw
        s.end_new = s.runs[s.n_runs].new
    if s.n_runs and s.runs[s.n_runs - 1].raw_width == 1 and s.runs[s.n_runs - 1].new_width == 1:
        s.n_runs -= 1
        s.end_raw = s.runs[s.n_runs].raw
        s.end_new = s.runs[s.n_runs].new
    if s.n_runs and s.end_raw > raw:
        last = &s.runs[s.n_runs - 1]
        s.end_new = last.new + (raw - last.raw) // last.raw_width * last.new_width
        s.end_raw = raw
    return s.end_new + raw - s.end_raw


cdef inline uint64_t hash_piece(raw_t *text, int64_t start, int64_t end) noexcept nogil:
    cdef uint64_t value = end - start
    cdef int64_t k
    for k in range(start, end):
        value = (value ^ text[k]) * <uint64_t>0x9E3779B97F4A7C15
        value ^= value >> 29
    return value


cdef slot_t *find_piece(state_t *s, raw_t *text, int64_t start, int64_t end) noexcept nogil:
    """Give the slot of a piece, or the free one where it belongs."""
    cdef uint64_t value = hash_piece(text, start, end)
    cdef int64_t place = value & s.slot_mask
    cdef int64_t k
    cdef slot_t *slot
    while True:
        slot = &s.slots[place]
        if slot.length == 0:
            slot.hash = value
            return slot
        if slot.hash == value and slot.length == end - start:
            k = 0
            while k < slot.length and s.data[slot.data + k] == text[start + k]:
                k += 1
            if k == slot.length:
                return slot
        place = (place + 1) & s.slot_mask


cdef int write_piece(state_t *s, new_t *out, slot_t *slot, int64_t start, int64_t position) noexcept nogil:
    """Write the new characters of a piece that starts at `start` and goes to `position`; note its cells."""
    cdef uint32_t *new = s.data + slot.data + slot.length
    cdef uint32_t *cells = new + slot.new_length
    cdef int64_t raw = start
    cdef int64_t at = position
    cdef int64_t k
    for k in range(slot.new_length):
        out[position + k] = <new_t>new[k]
    for k in range(slot.n_cells):
        if not push_cells(s, raw, at, cells[3 * k], cells[3 * k + 1], cells[3 * k + 2]):
            return NO_MEMORY
        raw += <int64_t>cells[3 * k] * cells[3 * k + 2]
        at += <int64_t>cells[3 * k + 1] * cells[3 * k + 2]
    s.i = start + slot.length
    s.o = position + slot.new_length
    return DONE


cdef int read_piece(state_t *s, raw_t *text, new_t *out) noexcept nogil:
    """Handle the special character at `s.i` together with all that belongs to its piece."""
    cdef int64_t start = s.i
    cdef int64_t end = s.i + 1
    cdef int64_t position
    cdef uint32_t entry = entry_at(s, text, s.i)
    cdef uint32_t left
    cdef bint context = entry & E_CONTEXT
    cdef slot_t *slot
    # The character before the first JOINS or the second BLANK has been taken as one that stands alone.
    if start and close_join(s.previous, entry):
        start -= 1
    left = entry
    while end < s.n:
        entry = entry_at(s, text, end)
        if entry & E_UNKNOWN:
            s.need = end
            return NEED_CHARACTER
        if not (word_join(left, entry) if context else close_join(left, entry)):
            break
        context |= (entry & E_CONTEXT) != 0
        left = entry
        end += 1
    if context:
        while start and word_join(entry_at(s, text, start - 1), entry_at(s, text, start)):
            start -= 1
        position = roll_back(s, start) if s.writing else start
    else:
        position = s.o - (s.i - start)
    # What was written of the piece is given up: if something is missing, reading goes on from its start.
    s.i = start
    s.o = position
    s.previous = 0
    slot = find_piece(s, text, start, end)
    if slot.length == 0:
        s.need = start
        s.need_end = end
        return NEED_PIECE
    if not s.writing:
        if not slot.unchanged:
            return START
        s.i = s.o = end
        return DONE
    if slot.bits & s.over:
        s.need_end = slot.bits
        return WIDEN
    if position + slot.new_length > s.room:
        s.need_end = position + slot.new_length
        return GROW
    return write_piece(s, out, slot, start, position)


cdef int read_unchanged(state_t *s, raw_t *text) noexcept nogil:
    """Go on while every character stands alone and stays what it is."""
    cdef int64_t i = s.i
    cdef uint32_t previous = s.previous
    cdef uint32_t code, entry
    cdef uint32_t special = 0
    cdef uint32_t changes, pairs
    cdef int k
    # Eight characters at a time, without a branch; the loop after it finds the place inside the eight that stops.
    while i + 8 <= s.n:
        changes = pairs = 0
        for k in range(8):
            code = text[i + k]
            entry = s.entries[(<uint32_t>s.index[code >> 8] << 8) | (code & 255)]
            changes |= entry ^ code
            pairs |= entry & previous
            previous = entry
        if (changes & (SPECIAL | PAYLOAD)) | (pairs & E_BLANK):
            previous = entry_at(s, text, i - 1) if i > s.i else s.previous
            break
        i += 8
    while i < s.n:
        code = text[i]
        entry = s.entries[(<uint32_t>s.index[code >> 8] << 8) | (code & 255)]
        special = (entry & SPECIAL) | (entry & previous & E_BLANK)
        if special | ((entry ^ code) & PAYLOAD):
            break
        previous = entry
        i += 1
    s.i = s.o = i
    s.previous = previous
    return DONE if i == s.n or special else START


cdef int write_alone(state_t *s, raw_t *text, new_t *out) noexcept nogil:
    """Go on while every character stands alone and becomes one character."""
    cdef int64_t i = s.i
    cdef int64_t shift = s.o - s.i
    cdef int64_t limit = min(s.n, i + s.room - s.o)
    cdef uint32_t previous = s.previous
    cdef uint32_t stop = SPECIAL | s.over
    cdef uint32_t code
    cdef uint32_t entry = 0
    cdef uint32_t flags, pairs
    cdef int k
    while i + 8 <= limit:
        flags = pairs = 0
        for k in range(8):
            code = text[i + k]
            entry = s.entries[(<uint32_t>s.index[code >> 8] << 8) | (code & 255)]
            out[i + shift + k] = <new_t>(entry & PAYLOAD)
            flags |= entry
            pairs |= entry & previous
            previous = entry
        if (flags & stop) | (pairs & E_BLANK):
            previous = entry_at(s, text, i - 1) if i > s.i else s.previous
            break
        i += 8
    while i < limit:
        code = text[i]
        entry = s.entries[(<uint32_t>s.index[code >> 8] << 8) | (code & 255)]
        if (entry & stop) | (entry & previous & E_BLANK):
            break
        out[i + shift] = <new_t>(entry & PAYLOAD)
        previous = entry
        i += 1
    s.i = i
    s.o = i + shift
    if i < s.n and i == limit:
        s.need_end = s.o + 1
        return GROW
    if i < s.n and not (entry & SPECIAL) and not (entry & previous & E_BLANK):
        s.need_end = entry & PAYLOAD
        s.previous = previous
        return WIDEN
    s.previous = previous
    return DONE


cdef int scan(state_t *s, raw_t *text, new_t *out) noexcept nogil:
    cdef int status
    while True:
        status = write_alone(s, text, out) if s.writing else read_unchanged(s, text)
        if status != DONE or s.i == s.n:
            return status
        if entry_at(s, text, s.i) & E_UNKNOWN:
            s.need = s.i
            return NEED_CHARACTER
        status = read_piece(s, text, out)
        if status != DONE:
            return status


cdef int scan_kinds(state_t *s, int kind, const void *text, int new_kind, void *out) noexcept nogil:
    """Choose `scan` by the bytes per character; the output never has fewer than the input."""
    if kind == 1:
        if new_kind == 1:
            return scan(s, <uint8_t *>text, <uint8_t *>out)
        if new_kind == 2:
            return scan(s, <uint8_t *>text, <uint16_t *>out)
        return scan(s, <uint8_t *>text, <uint32_t *>out)
    if kind == 2:
        if new_kind == 2:
            return scan(s, <uint16_t *>text, <uint16_t *>out)
        return scan(s, <uint16_t *>text, <uint32_t *>out)
    return scan(s, <uint32_t *>text, <uint32_t *>out)


cdef bint exceeds(new_t *text, int64_t n, uint32_t limit) noexcept nogil:
    cdef int64_t k
    for k in range(n):
        if text[k] > limit:
            return True
    return False


cdef bint needs(int kind, const void *text, int64_t n, uint32_t limit) noexcept nogil:
    """Tell whether any character is greater than `limit`."""
    if kind == 1:
        return exceeds(<uint8_t *>text, n, limit)
    if kind == 2:
        return exceeds(<uint16_t *>text, n, limit)
    return exceeds(<uint32_t *>text, n, limit)


cdef Py_UCS4 ceiling(uint32_t bits) noexcept:
    """Give the greatest character of the storage that holds `bits`."""
    bits &= PAYLOAD
    return 0x7F if bits < 0x80 else 0xFF if bits < 0x100 else 0xFFFF if bits < 0x10000 else 0x10FFFF


cdef class Rewriter:
    """Rewrite texts; what was learned about characters and pieces is kept from text to text.

    Parameters
    ----------
    classify : callable
        Given one character, returns its flags and what it becomes alone.
    resolve : callable
        Given a piece, returns what it becomes and its cells, triples (raw width, new width, count).
    """

    cdef state_t s
    cdef object classify
    cdef object resolve
    cdef PyObject *out

    def __cinit__(self, classify, resolve):
        memset(&self.s, 0, sizeof(state_t))
        self.out = NULL
        self.classify = classify
        self.resolve = resolve
        self.s.entries = <uint32_t *>malloc(256 * sizeof(uint32_t))
        self.s.slot_mask = 255
        self.s.slots = <slot_t *>calloc(256, sizeof(slot_t))
        if self.s.entries == NULL or self.s.slots == NULL:
            raise MemoryError
        self._clear_block(0)
        self.s.n_blocks = 1

    def __dealloc__(self):
        Py_XDECREF(self.out)
        free(self.s.entries)
        free(self.s.slots)
        free(self.s.data)
        free(self.s.runs)

    cdef void _clear_block(self, int32_t block):
        cdef int32_t k
        for k in range(256):
            self.s.entries[block * 256 + k] = E_UNKNOWN

    def rewrite(self, str text not None):
        """Give the new text and its runs.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        new : str
            The same object when nothing changes.
        runs : ndarray of shape (n_runs, 4) or None
            Raw start, new start, raw width, new width; None where all cells are of one character to one.
        """
        new = self._rewrite(text)
        return new, self._runs()

    def new(self, str text not None):
        """Give the new text alone.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        str
            The same object when nothing changes.
        """
        return self._rewrite(text)

    cdef str _rewrite(self, str text):
        cdef state_t *s = &self.s
        cdef int status
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *data = PyUnicode_DATA(text)
        cdef int new_kind = kind
        cdef void *out = NULL
        s.n = PyUnicode_GET_LENGTH(text)
        s.i = s.o = s.room = s.n_runs = s.end_raw = s.end_new = 0
        s.previous = s.over = 0
        s.writing = False
        self._drop_output()
        while True:
            if s.n < 4096:
                status = scan_kinds(s, kind, data, new_kind, out)
            else:
                with nogil:
                    status = scan_kinds(s, kind, data, new_kind, out)
            if status == DONE:
                break
            self._serve(status, text)
            if self.out != NULL:
                out = PyUnicode_DATA(<object>self.out)
                new_kind = PyUnicode_KIND(<object>self.out)
        return self._finish() if s.writing else text

    cdef _serve(self, int status, str text):
        """Provide what the scan can not go on without."""
        cdef state_t *s = &self.s
        if status == NEED_CHARACTER:
            self._learn_character(text[s.need])
        elif status == NEED_PIECE:
            self._learn_piece(text[s.need:s.need_end])
        elif status == START:
            self._allocate(PyUnicode_MAX_CHAR_VALUE(text), s.n + s.n // 32 + 64)
            PyUnicode_CopyCharacters(self.out, 0, <PyObject *>text, 0, s.o)
            s.writing = True
        elif status == GROW:
            # For the rest one character each, and some for what else grows.
            self._move(PyUnicode_MAX_CHAR_VALUE(<object>self.out), s.need_end + (s.n - s.i) + s.need_end // 4 + 64)
        elif status == WIDEN:
            self._move(ceiling(<uint32_t>s.need_end | <uint32_t>PyUnicode_MAX_CHAR_VALUE(<object>self.out)), s.room)
        else:
            raise MemoryError

    cdef _allocate(self, Py_UCS4 greatest, int64_t room):
        cdef PyObject *fresh = PyUnicode_New(room, greatest)
        ask_for_huge_pages(fresh, room * PyUnicode_KIND(<object>fresh))
        Py_XDECREF(self.out)
        self.out = fresh
        self.s.room = room
        self.s.over = PAYLOAD & ~(0x1FFFFF if greatest > 0xFFFF else <uint32_t>greatest)

    cdef _move(self, Py_UCS4 greatest, int64_t room):
        """Go on in another place, for greater characters or more of them."""
        cdef PyObject *old = self.out
        self.out = NULL
        try:
            self._allocate(greatest, room)
            PyUnicode_CopyCharacters(self.out, 0, old, 0, self.s.o)
        finally:
            Py_XDECREF(old)

    cdef str _finish(self):
        """Give the output as a str, whose storage must be the narrowest that holds its characters."""
        cdef object text
        cdef int kind = PyUnicode_KIND(<object>self.out)
        cdef const void *data = PyUnicode_DATA(<object>self.out)
        cdef Py_UCS4 greatest = PyUnicode_MAX_CHAR_VALUE(<object>self.out)
        if greatest == 0x7F or needs(kind, data, self.s.o, 0x7F if greatest == 0xFF else 0xFF if greatest == 0xFFFF else 0xFFFF):
            PyUnicode_Resize(&self.out, self.s.o)
            text = <object>self.out
        else:
            text = PyUnicode_FromKindAndData(kind, data, self.s.o)
        self._drop_output()
        return text

    cdef void _drop_output(self):
        Py_XDECREF(self.out)
        self.out = NULL

    cdef _runs(self):
        cdef state_t *s = &self.s
        if s.n_runs == 0:
            return None
        if s.end_raw < s.n and not push_run(s, s.end_raw, s.end_new, 1, 1):
            raise MemoryError
        runs = np.empty((s.n_runs, 4), dtype=np.int64)
        cdef int64_t[:, ::1] view = runs
        cdef int64_t k
        for k in range(s.n_runs):
            view[k, 0] = s.runs[k].raw
            view[k, 1] = s.runs[k].new
            view[k, 2] = s.runs[k].raw_width
            view[k, 3] = s.runs[k].new_width
        if s.run_room > 1 << 16:
            free(s.runs)
            s.runs = NULL
            s.run_room = 0
        return runs

    cdef _learn_character(self, str char):
        cdef state_t *s = &self.s
        cdef uint32_t code = ord(char)
        cdef uint32_t *grown
        flags, new = self.classify(char)
        cdef uint32_t entry = <uint32_t>flags << 21
        if s.index[code >> 8] == 0:
            grown = <uint32_t *>realloc(s.entries, (s.n_blocks + 1) * 256 * sizeof(uint32_t))
            if grown == NULL:
                raise MemoryError
            s.entries = grown
            self._clear_block(s.n_blocks)
            s.index[code >> 8] = s.n_blocks
            s.n_blocks += 1
        entry |= <uint32_t>ord(new) if len(new) == 1 else <uint32_t>E_SEVERAL
        s.entries[(<uint32_t>s.index[code >> 8] << 8) | (code & 255)] = entry

    cdef _learn_piece(self, str piece):
        cdef state_t *s = &self.s
        new, cells = self.resolve(piece)
        cdef int64_t length = len(piece)
        cdef int64_t size = length + len(new) + 3 * len(cells)
        if s.n_data + size > MAX_DATA or s.n_slots >= MAX_SLOTS:
            self._forget_pieces()
        self._reserve(size)
        cdef uint32_t *data = s.data + s.n_data
        cdef int64_t k = 0
        cdef uint32_t bits = 0
        cdef Py_UCS4 char
        for char in piece:
            data[k] = <uint32_t>char
            k += 1
        cdef slot_t *slot = find_piece(s, data, 0, length)
        for char in <str>new:
            data[k] = <uint32_t>char
            bits |= <uint32_t>char
            k += 1
        for raw_width, new_width, count in cells:
            data[k] = raw_width
            data[k + 1] = new_width
            data[k + 2] = count
            k += 3
        slot.data = s.n_data
        slot.length = length
        slot.new_length = len(new)
        slot.n_cells = len(cells)
        slot.bits = bits
        slot.unchanged = new == piece and all(widths[:2] == (1, 1) for widths in cells)
        s.n_data += size
        s.n_slots += 1

    cdef void _forget_pieces(self):
        memset(self.s.slots, 0, (self.s.slot_mask + 1) * sizeof(slot_t))
        self.s.n_slots = self.s.n_data = 0
        if self.s.data_room > 4 * MAX_DATA:
            free(self.s.data)
            self.s.data = NULL
            self.s.data_room = 0

    cdef _reserve(self, int64_t size):
        """Make room for one more piece of `size` and keep the table at most half full."""
        cdef state_t *s = &self.s
        cdef int64_t room = 2 * s.data_room + size + 1024
        cdef uint32_t *grown
        cdef slot_t *old = s.slots
        cdef int64_t old_mask = s.slot_mask
        cdef int64_t k
        if s.n_data + size > s.data_room:
            grown = <uint32_t *>realloc(s.data, room * sizeof(uint32_t))
            if grown == NULL:
                raise MemoryError
            s.data = grown
            s.data_room = room
        if 2 * s.n_slots <= old_mask:
            return
        s.slots = <slot_t *>calloc(2 * (old_mask + 1), sizeof(slot_t))
        if s.slots == NULL:
            s.slots = old
            raise MemoryError
        s.slot_mask = 2 * old_mask + 1
        for k in range(old_mask + 1):
            if old[k].length:
                find_piece(s, s.data + old[k].data, 0, old[k].length)[0] = old[k]
        free(old)
