# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""WordPiece encoding of text in linear time, with BERT's basic tokenization before it on request.

What it does is to be read in ``_pure/wordpiece.py`` and ``_pure/bert.py``, how it does it in ``wordpiece_model.h``, ``wordpiece_encode.h`` and
``bert_basic.h``.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from textprep_ml._kernels._word_encoder cimport Blob, WordEncoder, address, word_pieces_t, word_room_t

from textprep_ml._kernels._pure.pretokenize import SCHEMES

cdef extern from "Python.h":
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t size)

cdef extern from "wordpiece_encode.h" nogil:
    enum:
        BERT_CLEAN
        BERT_GROWTH
        BERT_IDEOGRAPHS
        BERT_LOWER
        BERT_STRIP
        WP_FIRST
        WP_INSIDE

    ctypedef struct bert_char_t:
        uint32_t code
        uint32_t begin
        uint32_t end
    size_t bert_rewrite(const uint8_t *text, size_t length, int flags, bert_char_t *chars, bert_char_t *spare)
    bint bert_is_plain(const uint8_t *word, size_t length)
    void bert_rewrite_plain(const uint8_t *word, size_t length, int flags, uint8_t *out)
    size_t bert_word_end(const bert_char_t *chars, size_t count, size_t at)
    int bert_is_space(uint32_t code)
    size_t bert_spell(const bert_char_t *chars, size_t count, uint8_t *out)

    ctypedef struct wp_model_t:
        int64_t unknown
        size_t most
        int partial
        int basic
    int wp_init(wp_model_t *model)
    int wp_add(wp_model_t *model, uint32_t root, const uint8_t *piece, size_t length, uint32_t id)
    int wp_add_characters(wp_model_t *model, const uint8_t *piece, size_t length)
    int wp_link_all(wp_model_t *model)
    void wp_free(wp_model_t *model)
    int wp_encode_word(
        const void *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces
    ) noexcept

#: What is done to a text, in this order; see the twin.
CLEAN, IDEOGRAPHS, STRIP, LOWER = BERT_CLEAN, BERT_IDEOGRAPHS, BERT_STRIP, BERT_LOWER


cdef class _Rewritten:
    """The characters of a rewritten text."""

    cdef bert_char_t *chars
    cdef size_t count

    def __dealloc__(self):
        free(self.chars)

    @staticmethod
    cdef _Rewritten make(bytes text, int flags):
        cdef _Rewritten made = _Rewritten()
        cdef size_t length = PyBytes_GET_SIZE(text), most = BERT_GROWTH * length + 2
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(text)
        if length >> 32:
            raise OverflowError(f"A text has at most {1 << 32} bytes, got {length}.")
        made.chars = <bert_char_t *>malloc(2 * most * sizeof(bert_char_t))
        if not made.chars:
            raise MemoryError
        with nogil:
            made.count = bert_rewrite(data, length, flags, made.chars, made.chars + most)
        return made


def normalize(str text, int flags):
    """Give the rewritten text, and where the source of each of its characters starts and ends."""
    cdef bytes data = text.encode("utf-8", "surrogatepass")
    cdef _Rewritten made = _Rewritten.make(data, flags)
    cdef size_t i
    codes = np.empty(made.count, dtype=np.uint32)
    sources = np.empty((2, made.count), dtype=np.int64)
    cdef uint32_t[::1] code_view = codes
    cdef int64_t[:, ::1] source_view = sources
    for i in range(made.count):
        code_view[i] = made.chars[i].code
        source_view[0, i] = made.chars[i].begin
        source_view[1, i] = made.chars[i].end
    if len(data) != len(text):
        # A byte belongs to as many characters as have begun before its end.
        begun = np.cumsum((np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80)
        sources[0] = begun[sources[0]] - 1
        sources[1] = begun[sources[1] - 1]
    return PyUnicode_FromKindAndData(4, address(codes) if made.count else NULL, made.count), *sources.tolist()


def words(str text):
    """Give the spans of the words of a rewritten text: between white space, every mark of punctuation alone."""
    cdef _Rewritten made = _Rewritten.make(text.encode("utf-8", "surrogatepass"), 0)
    cdef size_t at = 0, end
    spans = []
    while at < made.count:
        if bert_is_space(made.chars[at].code):
            at += 1
            continue
        end = bert_word_end(made.chars, made.count, at)
        spans.append((at, end))
        at = end
    return spans


def split(list raw, int flags):
    """Rewrite raw words and cut them; give all parts, and which word each comes from."""
    cdef _Rewritten made
    cdef size_t at, end
    cdef bytes word, part
    parts, owners = [], []
    for number, word in enumerate(raw):
        if word and bert_is_plain(<const uint8_t *>PyBytes_AS_STRING(word), PyBytes_GET_SIZE(word)):
            part = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(word))
            bert_rewrite_plain(
                <const uint8_t *>PyBytes_AS_STRING(word), PyBytes_GET_SIZE(word), flags, <uint8_t *>PyBytes_AS_STRING(part)
            )
            parts.append(part)
            owners.append(number)
            continue
        made = _Rewritten.make(word, flags)
        at = 0
        while at < made.count:
            if bert_is_space(made.chars[at].code):
                at += 1
                continue
            end = bert_word_end(made.chars, made.count, at)
            part = PyBytes_FromStringAndSize(NULL, bert_spell(made.chars + at, end - at, NULL))
            bert_spell(made.chars + at, end - at, <uint8_t *>PyBytes_AS_STRING(part))
            parts.append(part)
            owners.append(number)
            at = end
    return parts, owners


cdef class WordPieceEncoder(WordEncoder):
    """Words cut into the longest pieces from left to right; the parameters and methods are those of the twin."""

    cdef wp_model_t model

    def __cinit__(
        self,
        pieces,
        *,
        int scheme,
        bytes prefix=b"##",
        int64_t unknown=-1,
        size_t max_characters=100,
        bint partial=False,
        basic=None,
        specials=(),
        surfaces=None,
    ):
        cdef size_t skip = len(prefix)
        cdef bytes piece
        cdef const uint8_t *data
        cdef int64_t index
        if unknown >= <int64_t>len(pieces):
            raise ValueError(f"The unknown id {unknown} is no id of the {len(pieces)} pieces.")
        self.prepare(wp_encode_word, &self.model, scheme, Blob(list(pieces if surfaces is None else surfaces)))
        self.model.unknown = unknown
        self.model.most = max_characters
        self.model.partial = partial
        self.model.basic = -1 if basic is None else basic
        if wp_init(&self.model):
            raise MemoryError
        hidden = set(specials)
        for index, piece in enumerate(pieces):
            if index in hidden:
                continue
            data = <const uint8_t *>PyBytes_AS_STRING(piece)
            # A word that is spelled like a piece with its prefix is this piece, too.
            if wp_add(&self.model, WP_FIRST, data, len(piece), <uint32_t>index):
                raise MemoryError
            if piece.startswith(prefix) and wp_add(&self.model, WP_INSIDE, data + skip, len(piece) - skip, <uint32_t>index):
                raise MemoryError
            if partial and wp_add_characters(&self.model, data, len(piece)):
                raise MemoryError
        if wp_link_all(&self.model):
            raise MemoryError

    def __dealloc__(self):
        wp_free(&self.model)

    cdef str about_unknown(self, bytes rest, size_t at):
        word = (rest.split(None, 1) or [b""])[0].decode("utf-8", "backslashreplace")
        return f"No pieces spell the word {word[:40]!r} at byte {at}; give an unknown token or train with it."
