# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Cutting text by a unigram model.

What it does is to be read in ``_pure/unigram.py``, how it does it in ``unigram_model.h``, ``unigram_normalize.h`` and ``unigram_encode.h``.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from textprep_ml._kernels._pure.unigram import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    WORDS,
    best_paths,
    character_spans,
    joined_bytes,
    make_tables,
    no_piece,
    split_map,
)

__all__ = [
    "BYTE", "CONTROL", "NORMAL", "UNKNOWN", "UNUSED", "USER_DEFINED", "WORDS", "TextRules", "UnigramEncoder", "best_paths", "character_spans",
    "split_map",
]

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef extern from "unigram_encode.h" nogil:
    enum:
        UNI_DONE
        UNI_LARGE
        UNI_MEMORY
        UNI_UNKNOWN

    ctypedef struct uni_trie_t:
        uint64_t *units
        uint32_t size
        uint32_t root
    ctypedef struct uni_key_t:
        const uint8_t *bytes
        uint32_t length
        int32_t id
    int uni_trie_build(uni_trie_t *trie, const uni_key_t *keys, uint32_t count, uint32_t longest)
    void uni_trie_free(uni_trie_t *trie)
    bint uni_step(const uni_trie_t *trie, uint32_t *base, uint8_t byte, uint64_t *unit)
    int32_t uni_id(uint64_t unit)
    size_t uni_char_size(uint8_t lead)

    ctypedef struct uni_rules_t:
        const uint32_t *units
        size_t units_count
        const uint8_t *strings
        size_t strings_size
        uni_trie_t kept
        int remove_extra
        int escape
        int prefix
        int suffix
    void uni_find_plain(uni_rules_t *rules)
    ctypedef struct uni_text_t:
        uint8_t *bytes
        size_t count
        int64_t *begins
        int64_t *ends
        int wants_sources
    void uni_text_free(uni_text_t *text)
    int uni_normalize(const uni_rules_t *rules, const uint8_t *text, size_t length, uni_text_t *out, int prefix)

    ctypedef struct uni_model_t:
        uni_trie_t trie
        const double *scores
        const float *singles
        double unknown_score
        int32_t unknown
        uint8_t joined[8192]
        int32_t *byte_ids
        int byte_fallback
        int single
        int fuse
        int escape
    ctypedef struct uni_room_t:
        uni_text_t text
        int32_t *ids
        int64_t *begins
        size_t count
        int wants_begins
        size_t unknown_at
    int uni_room_init(uni_room_t *room)
    void uni_room_free(uni_room_t *room)
    int uni_encode_text(const uni_model_t *model, uni_room_t *room)


#: Bytes of a text below which releasing the interpreter's lock costs more than it gives.
cdef enum:
    SMALL = 4096


cdef struct View:
    const uint8_t *data
    size_t size


cdef object text_of(object text, View *view):
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
        raise TypeError(f"UnigramEncoder expects str or bytes, got {type(text).__name__}.")
    view.data = <const uint8_t *>PyBytes_AS_STRING(text)
    view.size = PyBytes_GET_SIZE(text)
    return text


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


cdef build_trie(uni_trie_t *trie, dict ids):
    """Build a trie over strings, none of them empty, with their ids."""
    cdef list strings = sorted(ids)
    cdef size_t count = len(strings), i
    cdef uint32_t longest = 0
    cdef int status
    cdef uni_key_t *keys = <uni_key_t *>malloc((count + 1) * sizeof(uni_key_t))
    if not keys:
        raise MemoryError
    for i in range(count):
        string = strings[i]
        keys[i].bytes = <const uint8_t *>PyBytes_AS_STRING(string)
        keys[i].length = PyBytes_GET_SIZE(string)
        keys[i].id = ids[string]
        longest = max(longest, keys[i].length)
    status = uni_trie_build(trie, keys, <uint32_t>count, longest)
    free(keys)
    if status == UNI_LARGE:
        raise ValueError("The pieces are too many for a trie of eight million nodes.")
    if status:
        raise MemoryError


cdef class TextRules:
    """Normalization of a text; the parameters and methods are those of the twin."""

    cdef uni_rules_t rules
    cdef object units
    cdef bytes strings

    def __cinit__(self, bytes charsmap=b"", kept=(), *, int prefix=0, bint suffix=False, bint remove_extra=False, bint escape=True):
        self.rules.prefix, self.rules.suffix = prefix, suffix
        self.rules.remove_extra, self.rules.escape = remove_extra, escape
        if charsmap:
            self.units, self.strings = split_map(charsmap)
            self.rules.units = <const uint32_t *>address(self.units)
            self.rules.units_count = len(self.units)
            self.rules.strings = <const uint8_t *>PyBytes_AS_STRING(self.strings)
            self.rules.strings_size = len(self.strings)
        strings = dict.fromkeys((string for string in kept if string), 0)
        if strings:
            build_trie(&self.rules.kept, strings)
        uni_find_plain(&self.rules)

    def __dealloc__(self):
        uni_trie_free(&self.rules.kept)

    def normalize(self, text, bint prefix=True):
        """Give the normalized text."""
        return self._normalize(text, prefix, False)

    def align(self, text, bint prefix=True):
        """Give the normalized text, and for each of its bytes where its source begins and ends."""
        return self._normalize(text, prefix, True)

    cdef object _normalize(self, object text, bint prefix, bint sources):
        cdef View view
        cdef uni_text_t out
        cdef int status
        memset(&out, 0, sizeof(uni_text_t))
        out.wants_sources = sources
        text = text_of(text, &view)
        with nogil:
            status = uni_normalize(&self.rules, view.data, view.size, &out, prefix)
        try:
            if status:
                raise MemoryError
            data = PyBytes_FromStringAndSize(<const char *>out.bytes, out.count)
            if not sources:
                return data
            places = [np.empty(out.count, dtype=np.int64) for _ in range(2)]
            if out.count:
                memcpy(address(places[0]), out.begins, out.count * sizeof(int64_t))
                memcpy(address(places[1]), out.ends, out.count * sizeof(int64_t))
            return data, places[0], places[1]
        finally:
            uni_text_free(&out)


cdef class _Room:
    """What one thread works with: its cache and its buffers."""

    cdef uni_room_t room

    def __cinit__(self, bint offsets=False):
        if uni_room_init(&self.room):
            raise MemoryError
        self.room.wants_begins = offsets
        self.room.text.wants_sources = offsets

    def __dealloc__(self):
        uni_room_free(&self.room)


cdef class UnigramEncoder:
    """Texts to ids by the best way through the lattice of pieces; the parameters and methods are those of the twin."""

    cdef uni_model_t model
    cdef TextRules rules
    cdef object scores
    cdef object singles
    cdef list surfaces
    cdef list idle
    cdef list numbers

    def __cinit__(
        self,
        pieces,
        scores,
        kinds,
        *,
        int32_t unknown=-1,
        byte_ids=None,
        bint fuse_unknown=True,
        bint single=True,
        str words="pairs",
        surfaces=None,
        bytes charsmap=b"",
        int prefix=1,
        bint suffix=False,
        bint remove_extra=False,
        bint escape=True,
    ):
        cdef size_t i
        tables = make_tables(pieces, scores, kinds, single, escape)
        self.scores = np.array(tables.scores, dtype=np.float64)
        self.surfaces = list(pieces if surfaces is None else surfaces)
        self.idle = []
        self.rules = TextRules(charsmap, tables.kept, prefix=prefix, suffix=suffix, remove_extra=remove_extra, escape=escape)
        self.model.scores = <const double *>address(self.scores) if len(self.scores) else NULL
        self.singles = self.scores.astype(np.float32)
        self.model.singles = <const float *>address(self.singles) if len(self.scores) else NULL
        self.model.unknown_score = tables.unknown_score
        self.model.unknown = unknown
        self.model.byte_fallback = byte_ids is not None
        self.model.single, self.model.escape = single, escape
        self.model.fuse = fuse_unknown and byte_ids is None
        if unknown >= len(self.scores):
            raise ValueError(f"The unknown id {unknown} is no id of the {len(self.scores)} pieces.")
        if byte_ids is not None:
            if len(byte_ids) != 256 or not 0 <= min(byte_ids) <= max(byte_ids) < len(self.scores):
                raise ValueError(f"byte_ids has one id below {len(self.scores)} for each of 256 bytes.")
            for i in range(256):
                self.model.byte_ids[i] = byte_ids[i]
        joined = np.packbits(joined_bytes(tables.keys, words), bitorder="little")
        memcpy(self.model.joined, address(joined), sizeof(self.model.joined))
        tables.keys.pop(b"", None)
        build_trie(&self.model.trie, tables.keys)

    def __dealloc__(self):
        uni_trie_free(&self.model.trie)

    # ------------------------------------------------------------------ encoding

    cdef _Room _take(self):
        """Take the room of a thread that has none; it goes back to `idle`."""
        try:
            return <_Room>self.idle.pop()
        except IndexError:
            return _Room()

    cdef int _encode(self, uni_room_t *room, View view, bint prefix) noexcept nogil:
        cdef int status = uni_normalize(&self.rules.rules, view.data, view.size, &room.text, prefix)
        return status if status else uni_encode_text(&self.model, room)

    cdef _refuse(self, int status, uni_room_t *room):
        if status == UNI_UNKNOWN:
            raise ValueError(no_piece(PyBytes_FromStringAndSize(<const char *>room.text.bytes, room.text.count), room.unknown_at))
        raise MemoryError

    cdef _run(self, _Room room, object text, bint prefix):
        """Encode one text to the room's ids."""
        cdef View view
        cdef int status
        text = text_of(text, &view)
        room.room.count = 0
        if view.size <= SMALL:
            status = self._encode(&room.room, view, prefix)
        else:
            with nogil:
                status = self._encode(&room.room, view, prefix)
        if status:
            self._refuse(status, &room.room)

    def encode(self, text, bint prefix=True):
        """Give the ids of a text."""
        cdef _Room room = self._take()
        self._run(room, text, prefix)
        ids = self._list(room.room.ids, room.room.count)
        self.idle.append(room)
        return ids

    def encode_array(self, text, size_t threads=1):
        """Give the ids of a text as an array."""
        cdef _Room room = self._take()
        self._run(room, text, True)
        ids = array_of(room.room.ids, room.room.count)
        self.idle.append(room)
        return ids

    def encode_batch(self, texts, size_t threads=1):
        """Give the ids of all texts in one array, and where those of each text begin, and the end."""
        cdef list documents = list(texts)
        cdef size_t count = len(documents)
        threads = max(min(threads, count), 1)
        if threads == 1:
            return self._batch(documents)
        bounds = self._shares(documents, threads)
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(self._batch, [documents[first:last] for first, last in pairwise(bounds)]))
        sums = np.cumsum([0] + [len(ids) for ids, _ in parts])
        offsets = np.concatenate([[0], *(part[1:] + start for (_, part), start in zip(parts, sums))]).astype(np.int64)
        return np.concatenate([ids for ids, _ in parts]), offsets

    cdef list _shares(self, list documents, size_t threads):
        """Give the numbers of the documents at which parts of about the same size begin, and the end."""
        sizes = np.cumsum([0, *map(len, documents)])
        goals = sizes.max() * np.arange(1, threads) / threads
        return [0, *np.searchsorted(sizes, goals).tolist(), len(documents)]

    def _batch(self, list documents):
        cdef size_t count = len(documents), i
        cdef int status = UNI_DONE
        cdef _Room room = self._take()
        cdef View *views = <View *>malloc((count + 1) * sizeof(View))
        if not views:
            raise MemoryError
        offsets = np.zeros(count + 1, dtype=np.int64)
        cdef int64_t *ends = <int64_t *>address(offsets)
        try:
            alive = [text_of(documents[i], views + i) for i in range(count)]
            room.room.count = 0
            with nogil:
                for i in range(count):
                    status = self._encode(&room.room, views[i], True)
                    if status:
                        break
                    ends[i + 1] = <int64_t>room.room.count
            if status:
                self._refuse(status, &room.room)
        finally:
            free(views)
        ids = array_of(room.room.ids, room.room.count)
        self.idle.append(room)
        return ids, offsets

    def encode_with_offsets(self, text, bint prefix=True):
        """Give ids, their spans in characters (a piece of one has the span of the whole) and their spans in bytes."""
        cdef _Room room = _Room(True)
        cdef size_t i, count
        cdef int64_t start, end
        cdef int64_t *spans
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        self._run(room, data, prefix)
        count = room.room.count
        byte_spans = np.empty((count, 2), dtype=np.int64)
        if count:
            spans = <int64_t *>address(byte_spans)
            end = <int64_t>room.room.text.count
            for i in range(count, 0, -1):
                start = room.room.begins[i - 1]
                if i < count and start != room.room.begins[i]:  # else both stand for bytes of one character
                    end = room.room.begins[i]
                spans[2 * i - 2] = room.room.text.begins[start]
                spans[2 * i - 1] = room.room.text.ends[end - 1]
        return array_of(room.room.ids, count), character_spans(data, byte_spans), byte_spans

    cdef list _list(self, const int32_t *ids, size_t count):
        """Make a list of ready integers."""
        cdef list result = PyList_New(count)
        cdef PyObject *number
        cdef size_t i
        with cython.critical_section(self):
            if self.numbers is None:
                self.numbers = list(range(len(self.scores)))
        for i in range(count):
            number = PyList_GET_ITEM(self.numbers, ids[i])
            Py_INCREF(<object>number)
            PyList_SET_ITEM(result, i, <object>number)
        return result

    # ------------------------------------------------------------------ decoding

    def decode(self, ids):
        """Join what the ids stand for."""
        cdef list surfaces = self.surfaces
        return b"".join([surfaces[index] for index in self._ids(ids).tolist()])

    def decode_batch(self, ids, offsets):
        """Undo `encode_batch`."""
        cdef list surfaces = self.surfaces
        numbers = self._ids(ids).tolist()
        return [b"".join([surfaces[index] for index in numbers[start:end]]) for start, end in pairwise(offsets)]

    cdef object _ids(self, object ids):
        """Give an int32 array of valid ids."""
        array = np.asarray(ids if isinstance(ids, (list, np.ndarray)) else list(ids))
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError("UnigramEncoder decodes a flat sequence of integers.")
        if array.size and not (array.min() >= 0 and array.max() < len(self.surfaces)):
            wrong = next(index for index in array.tolist() if not 0 <= index < len(self.surfaces))
            raise ValueError(f"No symbol has the id {wrong}; ids go from 0 to {len(self.surfaces) - 1}.")
        return array

    # ------------------------------------------------------------------ other ways than the best

    def normalize(self, text):
        """Give the normalized text."""
        return self.rules.normalize(text)

    def lattice(self, text):
        """Give the normalized text and all pieces in it, by where they begin and then by length."""
        cdef bytes data = self.rules.normalize(text)
        cdef _Lattice lattice = _Lattice.make(&self.model, <const uint8_t *>PyBytes_AS_STRING(data), len(data))
        cdef size_t i
        return data, [
            (lattice.edges[i].start, lattice.edges[i].end, lattice.edges[i].id, lattice.edges[i].score) for i in range(lattice.count)
        ]

    def named(self, bytes data, path):
        """Give the ids of a way through the lattice of a normalized text."""
        ids = []
        fused = False
        for start, end, index, _ in path:
            if index >= 0:
                ids.append(index)
            elif self.model.byte_fallback:
                char = data[start:end]
                ids += [self.model.byte_ids[byte] for byte in ("\u2581".encode() if char == b" " and self.model.escape else char)]
            elif self.model.unknown < 0:
                raise ValueError(no_piece(data, start))
            elif not (fused and self.model.fuse):
                ids.append(self.model.unknown)
            fused = index < 0
        return ids

    def sample(self, text, double alpha, const double[::1] uniforms):
        """Draw a way: forward sums, then backward from the end, each piece by its share."""
        cdef bytes data = self.rules.normalize(text)
        cdef size_t length = len(data), draw = 0
        cdef _Lattice lattice = _Lattice.make(&self.model, <const uint8_t *>PyBytes_AS_STRING(data), length)
        cdef int64_t at = length, edge
        cdef double reached
        if <size_t>uniforms.shape[0] < length:
            raise ValueError(f"sample needs {length} random numbers, got {uniforms.shape[0]}.")
        lattice.sum_forward(alpha)
        path = []
        while at:
            reached = 0
            edge = lattice.first_into[at]
            while True:
                reached += exp(lattice.sums[lattice.edges[edge].start] + alpha * lattice.edges[edge].score - lattice.sums[at])
                if reached > uniforms[draw] or lattice.next_into[edge] < 0:
                    break
                edge = lattice.next_into[edge]
            path.append((lattice.edges[edge].start, lattice.edges[edge].end, lattice.edges[edge].id, 0.0))
            at = lattice.edges[edge].start
            draw += 1
        return self.named(data, list(reversed(path)))

    def log_likelihood(self, text):
        """Give the logarithm of the sum of the probabilities of all ways through a text."""
        cdef bytes data = self.rules.normalize(text)
        cdef _Lattice lattice = _Lattice.make(&self.model, <const uint8_t *>PyBytes_AS_STRING(data), len(data))
        lattice.sum_forward(1.0)
        return lattice.sums[len(data)]


cdef struct Edge:
    int64_t start, end
    int32_t id
    double score


cdef inline double log_add(double a, double b) noexcept nogil:
    return a + log1p(exp(b - a)) if a > b else b + log1p(exp(a - b))


cdef class _Lattice:
    """All pieces in a normalized text, by where they begin and then by length."""

    cdef Edge *edges
    cdef size_t count, capacity, length
    cdef double *sums
    cdef int64_t *first_into  # the first edge that ends at a place
    cdef int64_t *last_into
    cdef int64_t *next_into   # the next edge with the same end, -1 for none

    def __dealloc__(self):
        free(self.edges)
        free(self.sums)
        free(self.first_into)
        free(self.last_into)
        free(self.next_into)

    @staticmethod
    cdef _Lattice make(const uni_model_t *model, const uint8_t *data, size_t length):
        cdef _Lattice lattice = _Lattice()
        cdef size_t at = 0, i, size
        cdef uint32_t base
        cdef uint64_t unit
        cdef bint alone
        lattice.length = length
        while at < length:
            base = model.trie.root
            alone = False
            size = min(uni_char_size(data[at]), length - at)
            i = at
            while i < length and uni_step(&model.trie, &base, data[i], &unit):
                i += 1
                if uni_id(unit) >= 0:
                    alone |= i == at + size
                    lattice.add(at, i, uni_id(unit), model.scores[uni_id(unit)])
            if not alone:
                lattice.add(at, at + size, -1, model.unknown_score)
            at += size
        return lattice

    cdef add(self, size_t start, size_t end, int32_t id, double score):
        cdef Edge *more
        if self.count == self.capacity:
            more = <Edge *>realloc(self.edges, (self.capacity * 2 + 256) * sizeof(Edge))
            if not more:
                raise MemoryError
            self.edges = more
            self.capacity = self.capacity * 2 + 256
        self.edges[self.count] = Edge(start, end, id, score)
        self.count += 1

    cdef sum_forward(self, double alpha):
        """Give every place the logarithm of the sum over all ways to it."""
        cdef size_t i
        cdef int64_t end
        cdef double score
        self.sums = <double *>calloc(self.length + 1, sizeof(double))
        self.first_into = <int64_t *>malloc((self.length + 1) * sizeof(int64_t))
        self.last_into = <int64_t *>malloc((self.length + 1) * sizeof(int64_t))
        self.next_into = <int64_t *>malloc((self.count + 1) * sizeof(int64_t))
        if not self.sums or not self.first_into or not self.last_into or not self.next_into:
            raise MemoryError
        for i in range(self.length + 1):
            self.first_into[i] = -1
        for i in range(self.count):
            score = self.sums[self.edges[i].start] + alpha * self.edges[i].score
            end = self.edges[i].end
            self.next_into[i] = -1
            if self.first_into[end] < 0:
                self.first_into[end] = i
                self.sums[end] = score
            else:
                self.next_into[self.last_into[end]] = i
                self.sums[end] = log_add(self.sums[end], score)
            self.last_into[end] = i
