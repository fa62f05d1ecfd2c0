# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Byte-pair encoding of text with learned merges, and back.

What it does is to be read in ``_pure/bpe_encode.py``, how it does it in ``bpe_model.h``, ``bpe_merge.h`` and ``bpe_dropout.h``.
"""

import numpy as np

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from textprep_ml._kernels._word_encoder cimport (
    Blob,
    WordEncoder,
    WORD_BATCH,
    address,
    pretok_decode,
    pretok_fill,
    pretok_init,
    pretok_t,
    word_coder_t,
    word_pieces_t,
    word_prefetch,
    word_room_t,
)

from textprep_ml._kernels._pure.pretokenize import SCHEMES

cdef extern from "Python.h":
    bint PyUnicode_CheckExact(PyObject *text)

cdef enum:
    AHEAD = 8  # strings lie all over the memory, which is asked for so many of them in advance

cdef extern from "shared_objects.h":
    void add_references(PyObject *object, Py_ssize_t count)
    object hidden_list(Py_ssize_t count)
    void show_list(object list)
    PyObject **items_of_row(PyObject *rows, Py_ssize_t k) nogil

cdef extern from "bpe_dropout.h" nogil:
    const uint64_t BPE_NO_ENTRY
    enum:
        BPE_GAP
        BPE_ID_BITS
        BPE_RANK_BITS

    ctypedef struct bpe_model_t:
        uint64_t *pairs
        uint64_t pairs_mask
        int32_t *joined
        size_t merges
        uint8_t *twins
        int ordered
        int64_t shift
        int32_t *byte_ranks
        uint32_t *byte_ids
        uint64_t *chars
        uint64_t chars_mask
        uint64_t *wholes
        uint64_t wholes_mask
        const uint8_t *symbols
        const uint64_t *symbol_at
        int byte_level
        int byte_fallback
        int whole_words
        int fuse_unknown
        int64_t unknown
        uint32_t marker
    int32_t bpe_rank(const bpe_model_t *model, uint32_t left, uint32_t right)
    void bpe_add_pair(bpe_model_t *model, uint32_t left, uint32_t right, uint32_t rank)
    void bpe_add_char(bpe_model_t *model, uint32_t code, int place, uint32_t id)
    void bpe_add_whole(bpe_model_t *model, uint32_t id)
    int bpe_encode_word(
        const void *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces
    ) noexcept

    ctypedef struct bpe_chance_t:
        const bpe_model_t *model
        double dropout
        uint64_t state
    int bpe_encode_chance(
        const void *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces
    ) noexcept


def copy_strings(list items):
    """Copy a list, if all that is in it is exact `str`; else give None."""
    cdef Py_ssize_t count, i
    cdef list result
    with cython.critical_section(items):
        count = len(items)
        result = PyList_New(count)
        for i in range(count):
            word_prefetch(PyList_GET_ITEM(items, min(i + AHEAD, count - 1)))
            if not PyUnicode_CheckExact(PyList_GET_ITEM(items, i)):
                return None
            Py_INCREF(<object>PyList_GET_ITEM(items, i))
            PyList_SET_ITEM(result, i, <object>PyList_GET_ITEM(items, i))
    return result


def rows(const int32_t[::1] ids, const int64_t[::1] offsets):
    """Give the ids of each text as a list; the offsets are those of `encode_batch`."""
    cdef size_t texts = max(offsets.shape[0] - 1, 0), i
    cdef int64_t count = ids.shape[0], k, first, bad = -1
    cdef int32_t most = -1
    cdef Numbers numbers
    cdef list result = []
    with nogil:
        for k in range(count):
            if ids[k] < 0 and bad < 0:
                bad = k
            most = max(most, ids[k])
    if bad >= 0:
        raise ValueError(f"Ids are 0 or more; got {ids[bad]}.")
    for i in range(texts):
        if not 0 <= offsets[i] <= offsets[i + 1] <= count:
            raise ValueError(
                f"Offsets go up from 0 to the number of ids, {count}; got {offsets[i]} and {offsets[i + 1]}."
            )
    if not texts:
        return result
    first = offsets[0]
    if offsets[texts] - first < most:
        # An int for every id would be more work than the ids of a few short texts.
        for i in range(texts):
            result.append([ids[k] for k in range(offsets[i], offsets[i + 1])])
        return result
    for i in range(texts):
        result.append(hidden_list(offsets[i + 1] - offsets[i]))
    numbers = Numbers(most + 1)
    with nogil:
        for k in range(first, offsets[texts]):
            numbers.counts[ids[k]] += 1
    numbers.share()
    with nogil:
        for i in range(texts):
            fill(items_of_row(<PyObject *>result, i), &ids[0] + offsets[i], offsets[i + 1] - offsets[i], numbers.values)
    for row in result:
        show_list(row)
    return result


cdef class Numbers:
    """One integer object for each id, and how many lists will hold it."""

    cdef uint32_t *counts
    cdef PyObject **values
    cdef size_t size

    def __cinit__(self, size_t size):
        self.size = size
        self.counts = <uint32_t *>calloc(size, sizeof(uint32_t))
        self.values = <PyObject **>calloc(size, sizeof(PyObject *))
        if not self.counts or not self.values:
            raise MemoryError

    def __dealloc__(self):
        cdef size_t i
        if self.values:
            for i in range(self.size):
                Py_XDECREF(self.values[i])
        free(self.counts)
        free(self.values)

    cdef int share(self) except -1:
        """Make the numbers that are counted, with a reference for each time."""
        cdef size_t i
        for i in range(self.size):
            if self.counts[i]:
                number = <object>i
                Py_INCREF(number)
                self.values[i] = <PyObject *>number
        for i in range(self.size):
            if self.counts[i]:
                add_references(self.values[i], self.counts[i])
        return 0


cdef void fill(PyObject **items, const int32_t *ids, size_t count, PyObject *const *values) noexcept nogil:
    cdef size_t k
    for k in range(count):
        items[k] = values[ids[k]]


def pretokenize(bytes data, int scheme):
    """Give the byte spans of the words of a UTF-8 text."""
    cdef pretok_t words
    cdef size_t starts[WORD_BATCH]
    cdef size_t ends[WORD_BATCH]
    cdef size_t ready, i
    spans = []
    pretok_init(&words, <const uint8_t *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), scheme)
    while True:
        ready = pretok_fill(&words, starts, ends, WORD_BATCH)
        if not ready:
            return spans
        for i in range(ready):
            spans.append((starts[i], ends[i]))


cdef uint64_t *open_table(size_t entries, uint64_t *mask) except NULL:
    """Make an empty open-addressing table that `entries` fill to one half at most."""
    cdef size_t size = 16
    while size < 2 * entries:
        size *= 2
    table = <uint64_t *>malloc(size * sizeof(uint64_t))
    if not table:
        raise MemoryError
    memset(table, 0xFF, size * sizeof(uint64_t))
    mask[0] = size - 1
    return table


cdef bint is_ordered(object rows, size_t symbols):
    """Tell whether every symbol is made by merges of lower rank only than those that take it."""
    made = np.full(symbols, -1)
    taken = np.full(symbols, len(rows))
    ranks = np.arange(len(rows))
    np.maximum.at(made, rows[:, 2], ranks)
    np.minimum.at(taken, rows[:, 0], ranks)
    np.minimum.at(taken, rows[:, 1], ranks)
    return bool((made < taken).all())


cdef class BPEEncoder(WordEncoder):
    """Merges applied to the words of a text; the parameters and methods are those of the twin."""

    cdef bpe_model_t model
    cdef Blob symbols
    cdef bytes marker

    def __cinit__(
        self,
        symbols,
        merges,
        *,
        int scheme,
        bint byte_level=True,
        byte_ids=None,
        int64_t unknown=-1,
        bint fuse_unknown=False,
        bytes prefix=b"",
        bytes marker=b"",
        bint marker_joined=False,
        specials=(),
        bint whole_words=False,
        bint shared_ranks=False,
        surfaces=None,
    ):
        hidden = set(specials)
        self.symbols = Blob(list(symbols))
        self.prepare(
            bpe_encode_word, &self.model, scheme, self.symbols if surfaces is None else Blob(list(surfaces))
        )
        self.marker = marker
        self._check(unknown)
        self.model.byte_level = byte_level
        self.model.fuse_unknown = fuse_unknown
        self.model.unknown = unknown
        self.model.symbols = self.symbols.data
        self.model.symbol_at = self.symbols.at
        self._set_pairs(np.ascontiguousarray(merges, dtype=np.int64).reshape(-1, 3), shared_ranks)
        self._set_bytes(symbols, hidden, byte_ids)
        self._set_characters(symbols, hidden, prefix, marker, marker_joined)
        self._set_wholes(whole_words, hidden)

    def __dealloc__(self):
        free(self.model.pairs)
        free(self.model.joined)
        free(self.model.twins)
        free(self.model.byte_ranks)
        free(self.model.chars)
        free(self.model.wholes)

    cdef _check(self, int64_t unknown):
        if self.symbols.count >= BPE_GAP:
            raise ValueError(f"BPEEncoder takes fewer than {BPE_GAP} symbols, got {self.symbols.count}.")
        if unknown >= <int64_t>self.symbols.count:
            raise ValueError(f"The unknown id {unknown} is no id of the {self.symbols.count} symbols.")

    cdef _set_pairs(self, object rows, bint shared_ranks):
        """Rows get ranks in their order; neighbours that make the same symbol share one, if so wanted."""
        cdef const int64_t *row = <const int64_t *>address(rows) if len(rows) else NULL
        cdef size_t count = len(rows), number, at
        cdef int64_t rank = -1
        cdef bint shares
        if count >= 1 << BPE_RANK_BITS:
            raise ValueError(f"BPEEncoder takes fewer than {1 << BPE_RANK_BITS} merges, got {count}.")
        if count and not (rows.min() >= 0 and rows.max() < self.symbols.count):
            raise ValueError(f"The merges name ids outside 0 to {self.symbols.count - 1}.")
        self.model.pairs = open_table(count, &self.model.pairs_mask)
        for at in range(self.model.pairs_mask + 1):
            self.model.pairs[at] = BPE_NO_ENTRY
        self.model.joined = <int32_t *>malloc((count + 1) * sizeof(int32_t))
        self.model.twins = <uint8_t *>malloc(count + 1)
        if not self.model.joined or not self.model.twins:
            raise MemoryError
        self.model.ordered = is_ordered(rows, self.symbols.count)
        self.model.shift = row[2] if count else -1
        for number in range(count):
            shares = shared_ranks and number and row[3 * number + 2] == row[3 * number - 1]
            rank += not shares
            bpe_add_pair(&self.model, <uint32_t>row[3 * number], <uint32_t>row[3 * number + 1], <uint32_t>rank)
            self.model.joined[rank] = <int32_t>row[3 * number + 2]
            # Places of a rank are taken from left to right where one merge can take away the symbol of the next.
            self.model.twins[rank] = shares or row[3 * number] == row[3 * number + 1]
            if row[3 * number + 2] != row[2] + rank:
                self.model.shift = -1
        self.model.merges = rank + 1

    cdef _set_bytes(self, object symbols, set hidden, object byte_ids):
        cdef size_t left, right
        self.model.byte_fallback = byte_ids is not None
        ids = [-1] * 256 if byte_ids is None else list(byte_ids)
        if byte_ids is None and self.model.byte_level:
            for index, symbol in enumerate(symbols):
                if len(symbol) == 1 and index not in hidden and ids[symbol[0]] < 0:
                    ids[symbol[0]] = index
        if len(ids) != 256 or max(ids) >= <object>self.symbols.count:
            raise ValueError(f"byte_ids has one id below {self.symbols.count}, or -1, for each of 256 bytes.")
        self.model.byte_ranks = <int32_t *>malloc(65536 * sizeof(int32_t))
        if not self.model.byte_ranks:
            raise MemoryError
        for left in range(256):
            self.model.byte_ids[left] = BPE_GAP if ids[left] < 0 else <uint32_t>ids[left]
        for left in range(256):
            for right in range(256):
                self.model.byte_ranks[left << 8 | right] = bpe_rank(
                    &self.model, self.model.byte_ids[left], self.model.byte_ids[right]
                )

    cdef _set_characters(self, object symbols, set hidden, bytes prefix, bytes marker, bint joined):
        """Find the symbols that are a character at the beginning, inside, at the end of a word, or all of it."""
        self.model.marker = BPE_GAP
        if self.model.byte_level:
            return
        self.model.chars = open_table(4 * self.symbols.count, &self.model.chars_mask)
        for index, symbol in enumerate(symbols):
            if index in hidden:
                continue
            if marker and not joined and symbol == marker and self.model.marker == BPE_GAP:
                self.model.marker = index
            for place in range(4):
                before, after = prefix if place & 1 else b"", marker if joined and place & 2 else b""
                if symbol.startswith(before) and symbol.endswith(after):
                    char = symbol[len(before) : len(symbol) - len(after)].decode("utf-8", "replace")
                    if len(char) == 1 and char.encode("utf-8") == symbol[len(before) : len(symbol) - len(after)]:
                        bpe_add_char(&self.model, ord(char), place, index)
        if marker and not joined and self.model.marker == BPE_GAP:
            raise ValueError(f"The end-of-word marker {marker!r} is no symbol.")

    cdef _set_wholes(self, bint whole_words, set hidden):
        cdef uint32_t index
        self.model.whole_words = whole_words
        if not whole_words:
            return
        self.model.wholes = open_table(self.symbols.count, &self.model.wholes_mask)
        for index in range(self.symbols.count):
            if index not in hidden and self.symbols.at[index] < self.symbols.at[index + 1]:
                bpe_add_whole(&self.model, index)

    def encode_by_chance(self, text, double dropout, uint64_t state):
        """Encode with merges left out by chance; give ids and spans as `encode_with_offsets` does, and the state of the random numbers."""
        cdef bpe_chance_t chance
        cdef word_coder_t coder = self.coder
        chance.model, chance.dropout, chance.state = &self.model, dropout, state
        coder.encode, coder.model = bpe_encode_chance, &chance
        ids, spans, byte_spans = self._encode_with_offsets(&coder, text)
        return ids, spans, byte_spans, chance.state

    cdef str about_unknown(self, bytes rest, size_t at):
        cdef size_t size = 1
        if rest and not self.model.byte_level:
            size = pretok_decode(<const uint8_t *>PyBytes_AS_STRING(rest), PyBytes_GET_SIZE(rest), 0).size
        char = (rest[:size] or self.marker).decode("utf-8", "backslashreplace")
        return (
            f"No symbol covers {char!r} at byte {at}; give an unknown token, turn on byte fallback, or train with it."
        )
