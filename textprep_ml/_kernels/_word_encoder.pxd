# cython: language_level=3
"""The base of the encoders that go word by word: see `_word_encoder.pyx`."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "word_runs.h" nogil:
    void word_prefetch "WORD_PREFETCH"(const void *address)
    enum:
        PRETOK_NONE
        PRETOK_SCHEMES
        WORD_BATCH
        WORD_DONE
        WORD_FULL
        WORD_MEMORY
        WORD_UNKNOWN

    ctypedef struct pretok_t:
        pass
    ctypedef struct pretok_char_t:
        uint32_t bits
        uint32_t code
        size_t size
    pretok_char_t pretok_decode(const uint8_t *text, size_t length, size_t at)
    void pretok_init(pretok_t *words, const uint8_t *text, size_t length, int scheme)
    size_t pretok_fill(pretok_t *words, size_t *starts, size_t *ends, size_t capacity)

    ctypedef struct word_room_t:
        pass
    ctypedef struct word_pieces_t:
        int32_t *ids
        size_t *begins
        size_t *ends
        size_t count
        size_t unknown_at
        int after_gap
    ctypedef int (*word_encode_t)(
        const void *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces
    ) noexcept nogil
    ctypedef struct word_coder_t:
        word_encode_t encode
        const void *model
        int scheme

    ctypedef struct word_cache_t:
        word_room_t room
    int word_cache_init(word_cache_t *cache)
    void word_cache_free(word_cache_t *cache)

    ctypedef struct word_text_t:
        const uint8_t *data
        size_t size
    ctypedef struct word_run_t:
        size_t done
        int32_t *out
        size_t count
        size_t capacity
        size_t consumed
        size_t unknown_at
    void word_run_init(
        word_run_t *run, const word_text_t *texts, size_t count, int64_t *begins, int32_t *out, size_t capacity
    )
    size_t word_run_wants(const word_run_t *run)
    int word_run(word_run_t *run, const word_coder_t *coder, word_cache_t *cache)


cdef void *address(object array) except? NULL


cdef class Blob:
    cdef bytes joined
    cdef object starts
    cdef const uint8_t *data
    cdef const uint64_t *at
    cdef uint8_t *heads
    cdef size_t count


cdef class Texts:
    cdef list strings  # or `views`
    cdef PyObject *items
    cdef word_text_t *views
    cdef size_t count, next
    cdef size_t size  # bytes or characters in all, about
    cdef list alive

    @staticmethod
    cdef Texts of(list strings)
    @staticmethod
    cdef Texts cut(object text, word_text_t view, size_t parts)
    cdef size_t take(self, word_text_t *views, size_t size) noexcept nogil
    cdef int complete(self, word_text_t *views, size_t first, size_t count) except -1 nogil


cdef class Cache:
    cdef word_cache_t cache


cdef class WordEncoder:
    cdef word_coder_t coder
    cdef Blob surfaces
    cdef list idle
    cdef list numbers

    cdef prepare(self, word_encode_t encode, const void *model, int scheme, Blob surfaces)
    cdef str about_unknown(self, bytes rest, size_t at)
    cdef tuple _encode_together(self, Texts texts, size_t threads)
    cdef size_t _guess(self, Texts texts) except? 0
    cdef size_t _encode_small(self, const word_text_t *view, int32_t *out) except? -1
    cdef tuple _encode(self, const word_coder_t *coder, Texts texts)
    cdef tuple _encode_with_offsets(self, const word_coder_t *coder, text)
    cdef Cache _take(self)
    cdef _refuse(self, int status, word_text_t view, size_t at)
    cdef list _list(self, const int32_t *ids, size_t count)
    cdef object _ids(self, object ids)
    cdef bytes _decode(self, const int32_t *ids, size_t count)
