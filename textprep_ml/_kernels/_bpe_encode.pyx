# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Byte-pair encoding of text with learned merges, and back.

What it does is to be read in ``_pure/bpe_encode.py``, how it does it in ``bpe_model.h``, ``bpe_merge.h`` and ``bpe_encode.h``.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise, repeat

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from textprep_ml._kernels._pure.pretokenize import SCHEMES

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_CheckExact(object text)
    bint PyUnicode_IS_COMPACT_ASCII(object text)

cdef extern from "bpe_encode.h" nogil:
    const uint64_t BPE_NO_ENTRY
    void bpe_prefetch "BPE_PREFETCH"(const void *address)
    enum:
        BPE_BATCH
        BPE_DONE
        BPE_FULL
        BPE_GAP
        BPE_ID_BITS
        BPE_MEMORY
        BPE_RANK_BITS
        BPE_UNKNOWN
        PRETOK_NONE
        PRETOK_SCHEMES

    ctypedef struct pretok_t:
        pass
    ctypedef struct pretok_char_t:
        uint32_t bits
        uint32_t code
        size_t size
    pretok_char_t pretok_decode(const uint8_t *text, size_t length, size_t at)
    void pretok_init(pretok_t *words, const uint8_t *text, size_t length, int scheme)
    size_t pretok_fill(pretok_t *words, size_t *starts, size_t *ends, size_t capacity)

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
        int scheme
    int32_t bpe_rank(const bpe_model_t *model, uint32_t left, uint32_t right)
    void bpe_add_pair(bpe_model_t *model, uint32_t left, uint32_t right, uint32_t rank)
    void bpe_add_char(bpe_model_t *model, uint32_t code, int place, uint32_t id)
    void bpe_add_whole(bpe_model_t *model, uint32_t id)

    ctypedef struct bpe_room_t:
        pass
    ctypedef struct bpe_pieces_t:
        int32_t *ids
        size_t *begins
        size_t count
        size_t unknown_at
        int after_gap
    int bpe_encode_word(const bpe_model_t *model, bpe_room_t *room, const uint8_t *word, size_t length, bpe_pieces_t *pieces)

    ctypedef struct bpe_cache_t:
        bpe_room_t room
    int bpe_cache_init(bpe_cache_t *cache)
    void bpe_cache_free(bpe_cache_t *cache)

    ctypedef struct bpe_text_t:
        const uint8_t *data
        size_t size
    ctypedef struct bpe_run_t:
        size_t done
        int32_t *out
        size_t count
        size_t capacity
        size_t consumed
        size_t unknown_at
    void bpe_run_init(
        bpe_run_t *run, const bpe_text_t *texts, size_t count, int64_t *begins, int32_t *out, size_t capacity
    )
    size_t bpe_run_wants(const bpe_run_t *run)
    int bpe_run(bpe_run_t *run, const bpe_model_t *model, bpe_cache_t *cache)


#: Bytes of a text below which releasing the interpreter's lock costs more than it gives.
cdef enum:
    SMALL = 4096


cdef object text_of(object text, bpe_text_t *view):
    """Point to the UTF-8 of a text; give the object that must live as long."""
    cdef Py_ssize_t size
    if isinstance(text, str):
        try:
            view.data = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &size)
            view.size = size
            return text
        except UnicodeEncodeError:
            text = text.encode("utf-8", "surrogatepass")
    elif not isinstance(text, bytes):
        raise TypeError(f"BPEEncoder expects str or bytes, got {type(text).__name__}.")
    view.data = <const uint8_t *>PyBytes_AS_STRING(text)
    view.size = PyBytes_GET_SIZE(text)
    return text


def pretokenize(bytes data, int scheme):
    """Give the byte spans of the words of a UTF-8 text."""
    cdef pretok_t words
    cdef size_t starts[BPE_BATCH]
    cdef size_t ends[BPE_BATCH]
    cdef size_t ready, i
    spans = []
    pretok_init(&words, <const uint8_t *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), scheme)
    while True:
        ready = pretok_fill(&words, starts, ends, BPE_BATCH)
        if not ready:
            return spans
        for i in range(ready):
            spans.append((starts[i], ends[i]))


cdef class _Texts:
    """The UTF-8 of many texts, and what keeps it alive."""

    cdef bpe_text_t *views
    cdef size_t count
    cdef list alive

    def __dealloc__(self):
        free(self.views)

    @staticmethod
    cdef _Texts make(size_t count, list alive):
        cdef _Texts texts = _Texts()
        texts.views = <bpe_text_t *>malloc((count + 1) * sizeof(bpe_text_t))
        if not texts.views:
            raise MemoryError
        texts.count = count
        texts.alive = alive
        return texts

    @staticmethod
    cdef _Texts collect(list strings):
        cdef size_t i
        cdef Py_ssize_t size
        cdef PyObject *string
        cdef _Texts texts = _Texts.make(len(strings), strings)
        for i in range(texts.count):
            # Strings lie all over the memory.
            bpe_prefetch(PyList_GET_ITEM(strings, min(i + 8, texts.count - 1)))
            string = PyList_GET_ITEM(strings, i)
            if PyUnicode_CheckExact(<object>string) and PyUnicode_IS_COMPACT_ASCII(<object>string):
                texts.views[i].data = <const uint8_t *>PyUnicode_AsUTF8AndSize(<object>string, &size)
                texts.views[i].size = size
                continue
            kept = text_of(strings[i], &texts.views[i])
            if kept is not strings[i]:
                texts.alive = [*texts.alive, kept] if texts.alive is strings else texts.alive
                texts.alive.append(kept)
        return texts

    @staticmethod
    cdef _Texts cut(object text, bpe_text_t view, size_t parts):
        """Cut a text between an ASCII letter and a blank or newline, which are never in one word."""
        cdef size_t part, at, last = 0
        cdef uint8_t byte
        cdef _Texts texts = _Texts.make(parts, [text])
        for part in range(parts):
            at = max(view.size // parts * (part + 1), last)
            while at < view.size and part + 1 < parts:
                byte = view.data[at]
                if at and (byte == 32 or byte == 10) and 97 <= (view.data[at - 1] | 32) <= 122:
                    break
                at += 1
            if part + 1 == parts:
                at = view.size
            texts.views[part].data = view.data + last
            texts.views[part].size = at - last
            last = at
        return texts

    cdef list shares(self, size_t parts):
        """Give the numbers of the texts at which parts of about the same size begin, and the end."""
        cdef size_t i, total = 0, seen = 0, made = 1
        for i in range(self.count):
            total += self.views[i].size
        bounds = [0]
        for i in range(self.count):
            if made < parts and i and seen >= total // parts * made:
                bounds.append(i)
                made += 1
            seen += self.views[i].size
        return [*bounds, self.count]


cdef class _Cache:
    """The words that one thread has met."""

    cdef bpe_cache_t cache

    def __cinit__(self):
        if bpe_cache_init(&self.cache):
            raise MemoryError

    def __dealloc__(self):
        bpe_cache_free(&self.cache)


cdef void *address(object array) except? NULL:
    """Give where the items of a contiguous array are; the caller keeps the array alive."""
    cdef Py_buffer buffer
    cdef void *items
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    items = buffer.buf
    PyBuffer_Release(&buffer)
    return items


cdef object array_of(const int32_t *ids, size_t count):
    array = np.empty(count, dtype=np.int32)
    if count:
        memcpy(address(array), ids, count * sizeof(int32_t))
    return array


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


cdef class _Blob:
    """Byte strings one after another. The first 16 bytes of each also stand in a table, so that short ones are copied in one step."""

    cdef bytes joined
    cdef object starts
    cdef const uint8_t *data
    cdef const uint64_t *at
    cdef uint8_t *heads
    cdef size_t count

    def __cinit__(self, list strings):
        cdef size_t i
        self.count = len(strings)
        self.joined = b"".join(strings)
        self.starts = np.zeros(self.count + 1, dtype=np.uint64)
        np.cumsum([len(string) for string in strings], out=self.starts[1:], dtype=np.uint64)
        self.data = <const uint8_t *>PyBytes_AS_STRING(self.joined)
        self.at = <const uint64_t *>address(self.starts)
        self.heads = <uint8_t *>calloc(self.count + 1, 16)
        if not self.heads:
            raise MemoryError
        for i in range(self.count):
            memcpy(self.heads + 16 * i, self.data + self.at[i], min(<uint64_t>16, self.at[i + 1] - self.at[i]))

    def __dealloc__(self):
        free(self.heads)


cdef class BPEEncoder:
    """Merges applied to the words of a text; the parameters and methods are those of the twin."""

    cdef bpe_model_t model
    cdef bpe_model_t word_model
    cdef _Blob symbols
    cdef _Blob surfaces
    cdef bytes marker
    cdef list idle
    cdef list numbers

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
        surfaces=None,
    ):
        hidden = set(specials)
        self.symbols = _Blob(list(symbols))
        self.surfaces = self.symbols if surfaces is None else _Blob(list(surfaces))
        self.marker = marker
        self.idle = []
        self.numbers = None
        self._check(unknown, scheme)
        self.model.scheme = scheme
        self.model.byte_level = byte_level
        self.model.fuse_unknown = fuse_unknown
        self.model.unknown = unknown
        self.model.symbols = self.symbols.data
        self.model.symbol_at = self.symbols.at
        self._set_pairs(np.ascontiguousarray(merges, dtype=np.int64).reshape(-1, 3))
        self._set_bytes(symbols, hidden, byte_ids)
        self._set_characters(symbols, hidden, prefix, marker, marker_joined)
        self._set_wholes(whole_words, hidden)
        self.word_model = self.model
        self.word_model.scheme = PRETOK_NONE

    def __dealloc__(self):
        free(self.model.pairs)
        free(self.model.joined)
        free(self.model.twins)
        free(self.model.byte_ranks)
        free(self.model.chars)
        free(self.model.wholes)

    cdef _check(self, int64_t unknown, int scheme):
        if self.symbols.count >= BPE_GAP:
            raise ValueError(f"BPEEncoder takes fewer than {BPE_GAP} symbols, got {self.symbols.count}.")
        if unknown >= <int64_t>self.symbols.count:
            raise ValueError(f"The unknown id {unknown} is no id of the {self.symbols.count} symbols.")
        if not 0 <= scheme < PRETOK_SCHEMES:
            raise ValueError(f"BPEEncoder knows the schemes {SCHEMES}, got {scheme}.")

    cdef _set_pairs(self, object rows):
        cdef const int64_t *row = <const int64_t *>address(rows) if len(rows) else NULL
        cdef size_t count = len(rows), rank, at
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
        self.model.merges = count
        self.model.ordered = is_ordered(rows, self.symbols.count)
        self.model.shift = row[2] if count else -1
        for rank in range(count):
            bpe_add_pair(&self.model, <uint32_t>row[3 * rank], <uint32_t>row[3 * rank + 1], <uint32_t>rank)
            self.model.joined[rank] = <int32_t>row[3 * rank + 2]
            self.model.twins[rank] = row[3 * rank] == row[3 * rank + 1]
            if row[3 * rank + 2] != row[2] + <int64_t>rank:
                self.model.shift = -1

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

    # ------------------------------------------------------------------ encoding

    def encode(self, text):
        """Give the ids of a text."""
        cdef bpe_text_t view
        cdef int32_t small[2 * SMALL + 16]
        text = text_of(text, &view)
        if view.size <= SMALL:
            return self._list(small, self._encode_small(&view, small))
        ids = self._encode(&self.model, &view, 1, None)
        return self._list(<const int32_t *>address(ids), len(ids))

    def encode_array(self, text, size_t threads=1):
        """Give the ids of a text as an array."""
        cdef bpe_text_t view
        cdef int32_t small[2 * SMALL + 16]
        text = text_of(text, &view)
        if view.size <= SMALL:
            return array_of(small, self._encode_small(&view, small))
        if threads <= 1 or self.model.scheme == PRETOK_NONE:
            return self._encode(&self.model, &view, 1, None)
        return self._encode_parts(_Texts.cut(text, view, threads), threads)[0]

    def encode_batch(self, texts, size_t threads=1):
        """Give the ids of all texts in one array, and where those of each text begin, and the end."""
        cdef _Texts views = _Texts.collect(list(texts))
        if threads > 1 and views.count > 1:
            return self._encode_parts(views, threads)
        offsets = np.zeros(views.count + 1, dtype=np.int64)
        return self._encode(&self.model, views.views, views.count, offsets), offsets

    def encode_words(self, words):
        """Give the ids of ready words, of which an empty one has none, like `encode_batch`."""
        cdef _Texts views = _Texts.collect(list(words))
        offsets = np.zeros(views.count + 1, dtype=np.int64)
        return self._encode(&self.word_model, views.views, views.count, offsets), offsets

    cdef object _encode_parts(self, _Texts texts, size_t threads):
        """Encode with several threads; each has neighbouring texts of about the same size."""
        bounds = texts.shares(threads)
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(self._encode_part, repeat(texts), bounds, islice(bounds, 1, None)))
            offsets = np.zeros(texts.count + 1, dtype=np.int64)
            for (_, part), first, last in zip(parts, bounds, islice(bounds, 1, None)):
                np.add(part, offsets[first], out=offsets[first : last + 1])
            ids = np.empty(offsets.max(), dtype=np.int32)
            places = [ids[start:end] for start, end in pairwise(offsets[bounds].tolist())]
            list(pool.map(np.copyto, places, [part for part, _ in parts]))
        return ids, offsets

    def _encode_part(self, _Texts texts, size_t first, size_t last):
        offsets = np.zeros(last - first + 1, dtype=np.int64)
        return self._encode(&self.model, texts.views + first, last - first, offsets), offsets

    cdef size_t _encode_small(self, const bpe_text_t *view, int32_t *out) except? -1:
        """Encode a text of at most SMALL bytes, which fits whatever comes out of it."""
        cdef bpe_run_t run
        cdef int64_t begins[2]
        cdef int status
        cdef _Cache cache = self._take()
        bpe_run_init(&run, view, 1, begins, out, 2 * SMALL + 16)
        status = bpe_run(&run, &self.model, &cache.cache)
        self.idle.append(cache)
        if status:
            self._refuse(status, view[0], run.unknown_at)
        return run.count

    cdef object _encode(self, const bpe_model_t *model, const bpe_text_t *texts, size_t count, object offsets):
        """Encode texts to one array; write to `offsets`, unless None, where the ids of each end."""
        cdef bpe_run_t run
        cdef int64_t single[2]
        cdef int64_t *begins = &single[0] if offsets is None else <int64_t *>address(offsets)
        cdef size_t total = 0, i, capacity
        cdef double rest
        cdef int status
        cdef _Cache cache = self._take()
        for i in range(count):
            total += texts[i].size
        capacity = total // 32 + 1024
        array = np.empty(capacity, dtype=np.int32)
        bpe_run_init(&run, texts, count, begins, <int32_t *>address(array), capacity)
        while True:
            with nogil:
                status = bpe_run(&run, model, &cache.cache)
            if status != BPE_FULL:
                break
            # By what the text gave so far; memory that is never written costs nothing.
            rest = (total - run.consumed) * (run.count / (run.consumed + 1.0)) * 1.1
            run.capacity = run.count + <size_t>rest + bpe_run_wants(&run)
            larger = np.empty(run.capacity, dtype=np.int32)
            memcpy(address(larger), run.out, run.count * sizeof(int32_t))
            array = larger
            run.out = <int32_t *>address(array)
        self.idle.append(cache)
        if status:
            self._refuse(status, texts[run.done], run.unknown_at)
        array.resize(run.count, refcheck=False)
        return array

    def encode_with_offsets(self, text):
        """Give ids, their spans in characters (a piece of one has the span of the whole) and their spans in bytes."""
        cdef bpe_text_t view
        cdef pretok_t words
        cdef size_t starts[BPE_BATCH]
        cdef size_t ends[BPE_BATCH]
        cdef size_t ready, i, k, length, capacity, count = 0, base
        cdef bpe_pieces_t pieces
        cdef int32_t *ids
        cdef int64_t *spans
        cdef size_t *begins
        cdef int status
        cdef _Cache cache = self._take()
        text = text_of(text, &view)
        capacity = 2 * view.size + 16
        array = np.empty(capacity, dtype=np.int32)
        span_array = np.empty((capacity, 2), dtype=np.int64)
        begin_array = np.empty(capacity, dtype=np.uintp)
        ids, spans, begins = <int32_t *>address(array), <int64_t *>address(span_array), <size_t *>address(begin_array)
        pretok_init(&words, view.data, view.size, self.model.scheme)
        while True:
            ready = pretok_fill(&words, starts, ends, BPE_BATCH)
            if not ready:
                break
            for i in range(ready):
                pieces.ids = ids + count
                pieces.begins = begins
                base, length = starts[i], ends[i] - starts[i]
                status = bpe_encode_word(&self.model, &cache.cache.room, view.data + base, length, &pieces)
                if status:
                    self._refuse(status, view, base + pieces.unknown_at)
                begins[pieces.count] = length
                for k in range(pieces.count):
                    spans[2 * (count + k)] = base + begins[k]
                    spans[2 * (count + k) + 1] = base + begins[k + 1]
                count += pieces.count
        self.idle.append(cache)
        byte_spans = span_array[:count].copy()
        return array[:count].copy(), char_spans(view, byte_spans), byte_spans

    cdef _Cache _take(self):
        """Take a cache that no other thread uses; it goes back to `idle`."""
        try:
            return <_Cache>self.idle.pop()
        except IndexError:
            return _Cache()

    cdef _refuse(self, int status, bpe_text_t view, size_t at):
        cdef size_t size
        if status == BPE_MEMORY:
            raise MemoryError
        if at >= view.size:
            size = 0
        else:
            size = 1 if self.model.byte_level else pretok_decode(view.data, view.size, at).size
        char = (view.data[at : at + size] or self.marker).decode("utf-8", "backslashreplace")
        raise ValueError(
            f"No symbol covers {char!r} at byte {at}; give an unknown token, turn on byte fallback, or train with it."
        )

    cdef list _list(self, const int32_t *ids, size_t count):
        """Make a list of ready integers."""
        cdef list result = PyList_New(count)
        cdef PyObject *number
        cdef size_t i
        if self.numbers is None:
            self.numbers = list(range(self.symbols.count))
        for i in range(count):
            number = PyList_GET_ITEM(self.numbers, ids[i])
            Py_INCREF(<object>number)
            PyList_SET_ITEM(result, i, <object>number)
        return result

    # ------------------------------------------------------------------ decoding

    def decode(self, ids):
        """Join what the ids stand for."""
        cdef size_t count
        cdef const int32_t *items
        ids = self._ids(ids)
        count = len(ids)
        items = <const int32_t *>address(ids) if count else NULL
        return self._decode(items, count)

    def decode_batch(self, ids, offsets):
        """Undo `encode_batch`."""
        cdef const int32_t *items
        cdef size_t start, end, count
        ids = self._ids(ids)
        count = len(ids)
        items = <const int32_t *>address(ids) if count else NULL
        texts = []
        for start, end in pairwise(int(bound) for bound in offsets):
            if not start <= end <= count:
                raise ValueError(f"Offsets go up from 0 to the number of ids, {count}; got {start} and {end}.")
            texts.append(self._decode(items + start, end - start))
        return texts

    cdef object _ids(self, object ids):
        """Give an int32 array of valid ids."""
        array = np.asarray(ids if isinstance(ids, (list, np.ndarray)) else list(ids))
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError("BPEEncoder decodes a flat sequence of integers.")
        if array.size and not (array.min() >= 0 and array.max() < self.surfaces.count):
            wrong = next(index for index in array.tolist() if not 0 <= index < self.surfaces.count)
            raise ValueError(f"No symbol has the id {wrong}; ids go from 0 to {self.surfaces.count - 1}.")
        return np.ascontiguousarray(array, dtype=np.int32)

    cdef bytes _decode(self, const int32_t *ids, size_t count):
        cdef const uint64_t *at = self.surfaces.at
        cdef const uint8_t *heads = self.surfaces.heads
        cdef const uint8_t *data = self.surfaces.data
        cdef size_t total = 0, i, size
        cdef uint8_t *out
        cdef uint8_t *end
        for i in range(count):
            total += at[ids[i] + 1] - at[ids[i]]
        text = PyBytes_FromStringAndSize(NULL, total)
        out = <uint8_t *>PyBytes_AS_STRING(text)
        end = out + total
        with nogil:
            for i in range(count):
                size = at[ids[i] + 1] - at[ids[i]]
                if size <= 16 and end - out >= 16:
                    memcpy(out, heads + 16 * ids[i], 16)
                else:
                    memcpy(out, data + at[ids[i]], size)
                out += size
        return text


cdef object char_spans(bpe_text_t view, object byte_spans):
    """Turn ascending byte spans into spans of the characters that they touch."""
    cdef size_t count = len(byte_spans), i, at = 0, chars = 0
    cdef const int64_t *spans
    cdef int64_t *result
    array = np.empty((count, 2), dtype=np.int64)
    if not count:
        return array
    spans, result = <const int64_t *>address(byte_spans), <int64_t *>address(array)
    for i in range(count):
        # `at` is where character number `chars` begins, the first that begins behind the span's first byte.
        while at <= <size_t>spans[2 * i] and at < view.size:
            at += pretok_decode(view.data, view.size, at).size
            chars += 1
        result[2 * i] = chars - (spans[2 * i] < <int64_t>view.size)
        if spans[2 * i] == spans[2 * i + 1]:
            result[2 * i + 1] = result[2 * i]
            continue
        while at < <size_t>spans[2 * i + 1]:
            at += pretok_decode(view.data, view.size, at).size
            chars += 1
        result[2 * i + 1] = chars
    return array
