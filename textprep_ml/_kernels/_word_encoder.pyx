# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Encoders that turn a text into ids word by word, and what they decode to: the base of several kernels.

A subclass brings a C function that encodes one word (see ``word_runs.h``); threads, batches, spans, lists and decoding are here.
"""

from itertools import pairwise
from threading import Thread

import numpy as np

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_New, PyList_SET_ITEM
from cpython.object cimport PyObject
from cpython.pythread cimport (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
    WAIT_LOCK,
)
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from textprep_ml._kernels._pure.pretokenize import SCHEMES

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_Check(PyObject *text) nogil
    bint PyUnicode_CheckExact(PyObject *text) nogil
    bint PyUnicode_IS_COMPACT_ASCII(PyObject *text) nogil
    PyObject *item_of "PyList_GET_ITEM"(PyObject *list, size_t i) nogil
    const uint8_t *PyUnicode_1BYTE_DATA(PyObject *text) nogil
    size_t PyUnicode_GET_LENGTH(PyObject *text) nogil
    bint PyBytes_Check(PyObject *text) nogil
    size_t size_of_bytes "PyBytes_GET_SIZE"(PyObject *text) nogil

cdef enum:
    SMALL = 4096  # bytes of a text below which releasing the interpreter's lock costs more than it gives
    LONGEST = 1024  # bytes of a text that an error message may need
    PART_BYTES = 1 << 16  # of texts that are encoded together
    PART_TEXTS = 1024
    LEAST_BYTES = 1 << 12
    MEASURED = 4096  # texts whose lengths tell how much text there is
    SAMPLES = 16
    SAMPLE = 512  # bytes
    AHEAD = 8  # strings lie all over the memory, which is asked for so many of them in advance


cdef inline size_t length_of(PyObject *text) noexcept nogil:
    if PyUnicode_Check(text):
        return PyUnicode_GET_LENGTH(text)
    return size_of_bytes(text) if PyBytes_Check(text) else 1


cdef inline size_t sum_of_sizes(const word_text_t *views, size_t count) noexcept nogil:
    cdef size_t i, size = 0
    for i in range(count):
        size += views[i].size
    return size


cdef object text_of(object text, word_text_t *view):
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
        raise TypeError(f"The encoder expects str or bytes, got {type(text).__name__}.")
    view.data = <const uint8_t *>PyBytes_AS_STRING(text)
    view.size = PyBytes_GET_SIZE(text)
    return text


cdef class Texts:
    """Texts that are handed out in parts; what they are in UTF-8, for strings that are not ASCII, only then."""

    def __dealloc__(self):
        free(self.views)

    @staticmethod
    cdef Texts of(list strings):
        """Take strings, in a list that nobody else changes; whether they are such is found out when they are handed out."""
        cdef size_t i, step
        cdef Texts texts = Texts()
        texts.strings = strings
        texts.items = <PyObject *>strings
        texts.count = len(strings)
        texts.alive = []
        step = 1 + texts.count // MEASURED
        for i in range(0, texts.count, step):
            texts.size += step * length_of(item_of(texts.items, i))
        return texts

    @staticmethod
    cdef Texts cut(object text, word_text_t view, size_t parts):
        """Cut a text between an ASCII letter and a blank or newline, which are never in one word."""
        cdef size_t part, at, last = 0
        cdef uint8_t byte
        cdef Texts texts = Texts()
        texts.views = <word_text_t *>malloc(parts * sizeof(word_text_t))
        if not texts.views:
            raise MemoryError
        texts.count = parts
        texts.alive = [text]
        texts.size = view.size
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

    cdef size_t take(self, word_text_t *views, size_t size) noexcept nogil:
        """Hand out the next texts, PART_TEXTS at most, of about so many bytes together; 0 when none are left.

        Those that are not ASCII have no data yet, and their size is in characters.
        """
        cdef size_t count = 0, seen = 0, last = self.count - 1
        cdef PyObject *string
        cdef bint is_ready
        while seen < size and count < PART_TEXTS and self.next < self.count:
            if self.views:
                views[count] = self.views[self.next]
            else:
                word_prefetch(item_of(self.items, min(self.next + AHEAD, last)))
                string = item_of(self.items, self.next)
                is_ready = PyUnicode_CheckExact(string) and PyUnicode_IS_COMPACT_ASCII(string)
                views[count].data = PyUnicode_1BYTE_DATA(string) if is_ready else NULL
                views[count].size = length_of(string)
            seen += views[count].size
            count += 1
            self.next += 1
        return count

    cdef int complete(self, word_text_t *views, size_t first, size_t count) except -1 nogil:
        """Give the texts from number `first` on their data."""
        cdef size_t i = 0
        while i < count and views[i].data:
            i += 1
        if i < count:
            with gil:
                for i in range(i, count):
                    if not views[i].data:
                        text = self.strings[first + i]
                        kept = text_of(text, &views[i])
                        if kept is not text:
                            self.alive.append(kept)
        return 0


cdef class Cache:
    """The words that one thread has met."""

    def __cinit__(self):
        if word_cache_init(&self.cache):
            raise MemoryError

    def __dealloc__(self):
        word_cache_free(&self.cache)


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


cdef class Blob:
    """Byte strings one after another. The first 16 bytes of each also stand in a table, so that short ones are copied in one step."""

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


cdef struct Part:
    Part *next  # the part that was taken after it, by whomever
    Part *later  # the part that its thread took after it
    size_t first, count  # texts
    int32_t *ids  # NULL when they are in their place
    size_t n_ids, capacity
    int64_t place  # of its ids among all, -1 as long as there is a part before it that is not finished
    bint is_finished


cdef class Sharing:
    """Texts that several threads encode, each of which takes a part whenever it has finished one, and the ids of all.

    The ids of a part are written to memory of the thread's own, which stays near to it, and copied to their place as soon as it is known how
    many come before them. So there is one large array only, every thread is busy until the end, and none waits for another.
    """

    cdef Texts texts
    cdef object array, offsets, error
    cdef int32_t *out
    cdef int64_t *begins
    cdef size_t capacity, part_bytes
    cdef int64_t total  # ids of all parts before `open`
    cdef Part *parts  # in the order of the texts
    cdef Part *newest
    cdef Part *open  # the first that is not finished
    cdef PyThread_type_lock lock
    cdef int status  # of the first text that cannot be encoded
    cdef size_t refused_at, unknown_at
    cdef word_text_t refused

    def __cinit__(self, Texts texts, size_t threads, size_t capacity):
        self.texts = texts
        self.lock = PyThread_allocate_lock()
        if not self.lock:
            raise MemoryError
        self.part_bytes = max(<size_t>LEAST_BYTES, min(<size_t>PART_BYTES, texts.size // (16 * threads)))
        self.capacity = capacity
        self.array = np.empty(self.capacity, dtype=np.int32)
        self.offsets = np.empty(texts.count + 1, dtype=np.int64)
        self.out = <int32_t *>address(self.array)
        self.begins = <int64_t *>address(self.offsets)
        self.begins[0] = 0

    def __dealloc__(self):
        cdef Part *part
        while self.parts:
            part = self.parts
            self.parts = part.next
            free(part.ids)
            free(part)
        if self.lock:
            PyThread_free_lock(self.lock)

    cdef int work(self, const word_coder_t *coder, word_cache_t *cache) except -1 nogil:
        """Encode parts as long as there are any."""
        cdef word_text_t views[PART_TEXTS]
        cdef Part *mine = NULL  # the first that is not in its place
        cdef Part *last = NULL
        cdef Part *part
        cdef Part *end
        cdef int32_t *spare = NULL
        cdef size_t size = 0
        while True:
            part = self.take(views)
            if not part:
                break
            part.ids, part.capacity, spare, size = spare, size, NULL, 0
            self.texts.complete(views, part.first, part.count)
            if not self.encode(part, coder, cache, views):
                break
            if mine:
                last.later = part
            else:
                mine = part
            last = part
            end = self.finish(part, mine)
            while mine != end and self.put(mine):
                free(spare)
                spare, size, mine.ids = mine.ids, mine.capacity, NULL
                mine = mine.later
        free(spare)
        return 0

    cdef Part *take(self, word_text_t *views) noexcept nogil:
        """Take the next texts; NULL when there are none, or one could not be encoded."""
        cdef Part *part = <Part *>calloc(1, sizeof(Part))
        if not part:
            self.fail(WORD_MEMORY, 0, 0, NULL)
            return NULL
        part.place = -1
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        part.first = self.texts.next
        part.count = 0 if self.status else self.texts.take(views, self.part_bytes)
        if part.count:
            if self.parts:
                self.newest.next = part
            else:
                self.parts = part
            self.newest = part
            if not self.open:
                self.open = part
        PyThread_release_lock(self.lock)
        if not part.count:
            free(part)
            return NULL
        return part

    cdef bint encode(self, Part *part, const word_coder_t *coder, word_cache_t *cache, const word_text_t *views) noexcept nogil:
        cdef word_run_t run
        cdef int status
        cdef int32_t *more
        word_run_init(&run, views, part.count, self.begins + part.first, part.ids, part.capacity)
        while True:
            status = word_run(&run, coder, cache)
            if status != WORD_FULL:
                break
            part.capacity = 2 * (run.count + word_run_wants(&run))
            more = <int32_t *>realloc(part.ids, part.capacity * sizeof(int32_t))
            if not more:
                status = WORD_MEMORY
                break
            part.ids = run.out = more
            run.capacity = part.capacity
        part.n_ids = run.count
        if status:
            self.fail(status, part.first + run.done, run.unknown_at, views + run.done)
        return not status

    cdef void fail(self, int status, size_t text, size_t unknown_at, const word_text_t *view) noexcept nogil:
        """Remember the first text that cannot be encoded."""
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        if not self.status or text < self.refused_at:
            self.status, self.refused_at, self.unknown_at = status, text, unknown_at
            if view and self.texts.views:  # a part of one text
                self.refused.data, self.refused.size = self.texts.views.data, self.texts.size
                self.unknown_at += view.data - self.refused.data
            elif view:
                self.refused = view[0]
        PyThread_release_lock(self.lock)

    cdef Part *finish(self, Part *part, Part *mine) noexcept nogil:
        """Give all parts their places that can have one by now, and the first of a thread's own that has none."""
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        part.is_finished = True
        while self.open and self.open.is_finished:
            self.open.place = self.total
            self.total += self.open.n_ids
            self.open = self.open.next
        while mine and mine.place >= 0:
            mine = mine.later
        PyThread_release_lock(self.lock)
        return mine

    cdef bint put(self, Part *part) noexcept nogil:
        """Copy the ids of a part to their place, if there is room."""
        cdef size_t i
        cdef int64_t *begins = self.begins + part.first + 1
        if part.place + part.n_ids > self.capacity:
            return False
        memcpy(self.out + part.place, part.ids, part.n_ids * sizeof(int32_t))
        for i in range(part.count):
            begins[i] += part.place
        return True

    cdef tuple result(self):
        """Give the ids and where those of each text begin, when nobody works any more."""
        cdef Part *part = self.parts
        if <size_t>self.total > self.capacity:
            larger = np.empty(self.total, dtype=np.int32)
            memcpy(address(larger), self.out, self.capacity * sizeof(int32_t))
            self.array, self.out, self.capacity = larger, <int32_t *>address(larger), self.total
        while part:
            if part.ids:
                self.put(part)
            part = part.next
        self.array.resize(self.total, refcheck=False)
        return self.array, self.offsets


cdef class WordEncoder:
    """Words to ids and back; the methods are those of the twins."""

    cdef prepare(self, word_encode_t encode, const void *model, int scheme, Blob surfaces):
        """Set what encodes a word, how words are found, and what each id decodes to."""
        if not 0 <= scheme < PRETOK_SCHEMES:
            raise ValueError(f"{type(self).__name__} knows the schemes {SCHEMES}, got {scheme}.")
        self.coder.encode = encode
        self.coder.model = model
        self.coder.scheme = scheme
        self.surfaces = surfaces
        self.idle = []

    cdef str about_unknown(self, bytes rest, size_t at):
        """Say that `rest`, at byte `at` of a text, begins with something that has no id."""
        raise NotImplementedError

    # ------------------------------------------------------------------ encoding

    def encode(self, text):
        """Give the ids of a text."""
        cdef word_text_t view
        cdef int32_t small[2 * SMALL + 16]
        text = text_of(text, &view)
        if view.size <= SMALL:
            return self._list(small, self._encode_small(&view, small))
        ids = self._encode(&self.coder, Texts.cut(text, view, 1))[0]
        return self._list(<const int32_t *>address(ids), len(ids))

    def encode_array(self, text, size_t threads=1):
        """Give the ids of a text as an array."""
        cdef word_text_t view
        cdef int32_t small[2 * SMALL + 16]
        text = text_of(text, &view)
        if view.size <= SMALL:
            return array_of(small, self._encode_small(&view, small))
        if threads <= 1 or self.coder.scheme == PRETOK_NONE:
            return self._encode(&self.coder, Texts.cut(text, view, 1))[0]
        return self._encode_together(Texts.cut(text, view, max(threads, view.size // PART_BYTES)), threads)[0]

    def encode_batch(self, texts, size_t threads=1):
        """Give the ids of all texts in one array, and where those of each text begin, and the end.

        A list is not copied: nobody else may change it meanwhile.
        """
        cdef Texts views = Texts.of(texts if type(texts) is list else list(texts))
        if threads > 1 and views.count > 1 and views.size > LEAST_BYTES:
            return self._encode_together(views, threads)
        return self._encode(&self.coder, views)

    def encode_words(self, words):
        """Give the ids of ready words, of which an empty one has none, like `encode_batch`."""
        cdef word_coder_t whole = self.coder
        whole.scheme = PRETOK_NONE
        return self._encode(&whole, Texts.of(list(words)))

    cdef tuple _encode_together(self, Texts texts, size_t threads):
        """Encode with several threads, this one among them."""
        cdef Sharing sharing = Sharing(texts, threads, self._guess(texts))
        helpers = [Thread(target=self._help, args=(sharing,)) for _ in range(threads - 1)]
        for helper in helpers:
            helper.start()
        self._help(sharing)
        for helper in helpers:
            helper.join()
        if sharing.error is not None:
            raise sharing.error
        if sharing.status:
            self._refuse(sharing.status, sharing.refused, sharing.unknown_at)
        return sharing.result()

    cdef size_t _guess(self, Texts texts) except? 0:
        """Guess by a few places in them how many ids texts will have, a little high."""
        cdef word_text_t view
        cdef int32_t ids[2 * SAMPLE + 16]
        cdef int64_t begins[2]
        cdef word_run_t run
        cdef size_t k, length, count = 0
        cdef double seen = 1
        cdef Cache cache = self._take()
        for k in range(SAMPLES):
            texts.next = k * texts.count // SAMPLES
            texts.take(&view, 1)
            length = view.size
            texts.complete(&view, texts.next - 1, 1)
            word_run_init(&run, &view, 1, begins, ids, 2 * SAMPLE + 16)
            if view.size > SAMPLE:
                seen += <double>length * SAMPLE / view.size
                view.size = SAMPLE
            else:
                seen += length
            word_run(&run, &self.coder, &cache.cache)  # what is wrong is found again
            count += run.count
        texts.next = 0
        self.idle.append(cache)
        return <size_t>(1.15 * texts.size * count / seen) + 4096

    def _help(self, Sharing sharing):
        cdef Cache cache = self._take()
        try:
            with nogil:
                sharing.work(&self.coder, &cache.cache)
        except BaseException as error:
            sharing.error = error
        self.idle.append(cache)

    cdef size_t _encode_small(self, const word_text_t *view, int32_t *out) except? -1:
        """Encode a text of at most SMALL bytes, which fits whatever comes out of it."""
        cdef word_run_t run
        cdef int64_t begins[2]
        cdef int status
        cdef Cache cache = self._take()
        word_run_init(&run, view, 1, begins, out, 2 * SMALL + 16)
        status = word_run(&run, &self.coder, &cache.cache)
        self.idle.append(cache)
        if status:
            self._refuse(status, view[0], run.unknown_at)
        return run.count

    cdef tuple _encode(self, const word_coder_t *coder, Texts texts):
        """Encode with this thread alone."""
        cdef word_run_t run
        cdef word_text_t views[PART_TEXTS]
        cdef size_t count, first, length, seen = 0, total = 0, capacity = texts.size // 32 + 1024
        cdef double done
        cdef int status = WORD_DONE
        cdef Cache cache = self._take()
        offsets = np.empty(texts.count + 1, dtype=np.int64)
        array = np.empty(capacity, dtype=np.int32)
        cdef int64_t *begins = <int64_t *>address(offsets)
        begins[0] = 0
        while status == WORD_DONE:
            first = texts.next
            count = texts.take(views, PART_BYTES)
            if not count:
                break
            length = sum_of_sizes(views, count)
            texts.complete(views, first, count)
            word_run_init(&run, views, count, begins + first, <int32_t *>address(array), capacity)
            run.count = total
            while True:
                with nogil:
                    status = word_run(&run, coder, &cache.cache)
                if status != WORD_FULL:
                    break
                # By what the texts gave so far; memory that is never written costs nothing.
                done = seen + <double>length * run.consumed / max(sum_of_sizes(views, count), <size_t>1)
                capacity = <size_t>(run.count * max(1.125, 1.1 * texts.size / (done + 1)))
                capacity = max(capacity, run.count + word_run_wants(&run)) + 1024
                larger = np.empty(capacity, dtype=np.int32)
                memcpy(address(larger), run.out, run.count * sizeof(int32_t))
                array = larger
                run.out, run.capacity = <int32_t *>address(array), capacity
            seen += length
            total = run.count
        self.idle.append(cache)
        if status:
            self._refuse(status, views[run.done], run.unknown_at)
        array.resize(total, refcheck=False)
        return array, offsets

    def encode_with_offsets(self, text):
        """Give ids, their spans in characters (a piece of one has the span of the whole) and their spans in bytes."""
        return self._encode_with_offsets(&self.coder, text)

    cdef tuple _encode_with_offsets(self, const word_coder_t *coder, text):
        cdef word_text_t view
        cdef pretok_t words
        cdef size_t starts[WORD_BATCH]
        cdef size_t ends[WORD_BATCH]
        cdef size_t ready, i, k, capacity, count = 0
        cdef word_pieces_t pieces
        cdef int32_t *ids
        cdef int64_t *spans
        cdef int status
        cdef Cache cache = self._take()
        text = text_of(text, &view)
        capacity = 2 * view.size + 16
        array = np.empty(capacity, dtype=np.int32)
        span_array = np.empty((capacity, 2), dtype=np.int64)
        place_array = np.empty((2, capacity), dtype=np.uintp)
        ids, spans = <int32_t *>address(array), <int64_t *>address(span_array)
        pieces.begins = <size_t *>address(place_array)
        pieces.ends = pieces.begins + capacity
        pretok_init(&words, view.data, view.size, coder.scheme)
        while True:
            ready = pretok_fill(&words, starts, ends, WORD_BATCH)
            if not ready:
                break
            for i in range(ready):
                pieces.ids = ids + count
                status = coder.encode(
                    coder.model, &cache.cache.room, view.data + starts[i], ends[i] - starts[i], &pieces
                )
                if status:
                    self._refuse(status, view, starts[i] + pieces.unknown_at)
                for k in range(pieces.count):
                    spans[2 * (count + k)] = starts[i] + pieces.begins[k]
                    spans[2 * (count + k) + 1] = starts[i] + pieces.ends[k]
                count += pieces.count
        self.idle.append(cache)
        byte_spans = span_array[:count].copy()
        return array[:count].copy(), char_spans(view, byte_spans), byte_spans

    cdef Cache _take(self):
        """Take a cache that no other thread uses; it goes back to `idle`."""
        try:
            return <Cache>self.idle.pop()
        except IndexError:
            return Cache()

    cdef _refuse(self, int status, word_text_t view, size_t at):
        if status == WORD_MEMORY:
            raise MemoryError
        raise ValueError(self.about_unknown(view.data[at : min(at + LONGEST, view.size)], at))

    cdef list _list(self, const int32_t *ids, size_t count):
        """Make a list of ready integers."""
        cdef list result = PyList_New(count)
        cdef PyObject *number
        cdef size_t i
        with cython.critical_section(self):
            if self.numbers is None:
                self.numbers = list(range(self.surfaces.count))
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
            raise TypeError("The encoder decodes a flat sequence of integers.")
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


cdef object char_spans(word_text_t view, object byte_spans):
    """Turn byte spans into spans of the characters that they touch; quickly where each begins no earlier than the end of the one before."""
    cdef size_t count = len(byte_spans), i, at = 0, last = 0, chars = 0
    cdef const int64_t *spans
    cdef int64_t *result
    array = np.empty((count, 2), dtype=np.int64)
    if not count:
        return array
    spans, result = <const int64_t *>address(byte_spans), <int64_t *>address(array)
    for i in range(count):
        if <size_t>spans[2 * i] < last:
            return any_char_spans(view, byte_spans)
        # `at` is where character number `chars` begins, the first that begins behind the span's first byte; `last` is where the one before begins.
        while at <= <size_t>spans[2 * i] and at < view.size:
            last = at
            at += pretok_decode(view.data, view.size, at).size
            chars += 1
        result[2 * i] = chars - (spans[2 * i] < <int64_t>view.size)
        if spans[2 * i] == spans[2 * i + 1]:
            result[2 * i + 1] = result[2 * i]
            continue
        while at < <size_t>spans[2 * i + 1]:
            last = at
            at += pretok_decode(view.data, view.size, at).size
            chars += 1
        result[2 * i + 1] = chars
    return array


cdef object any_char_spans(word_text_t view, object byte_spans):
    """Do the same for spans in any order."""
    cdef size_t at = 0, chars = 0
    begins = np.empty(view.size + 1, dtype=np.int64)
    cdef int64_t *begin = <int64_t *>address(begins)
    while at < view.size:
        begin[chars] = at
        at += pretok_decode(view.data, view.size, at).size
        chars += 1
    begins = begins[:chars]
    starts = np.searchsorted(begins, byte_spans[:, 0], side="right") - 1
    return np.column_stack([starts, np.searchsorted(begins, byte_spans[:, 1], side="left")])
