# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Count the distinct words of a text and turn them into symbols. The twin is `_pure/bpe_words.py`.

A word of at most 16 bytes is two 64-bit numbers in the table itself, so that looking it up compares two integers and touches one cache
line. Longer words have a second table and keep their bytes in an arena. Words are taken in batches: the slots of a whole batch are asked
for before the first is used. Both tables grow with the number of distinct words, which is all that the memory depends on.

Every word keeps the place where it was met first, so the order of the words does not depend on how the text was cut up for threads.
"""

from threading import Thread

import numpy as np

cimport cython

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset

cdef extern from "pretokenize.h" nogil:
    ctypedef struct pretok_t:
        pass
    void pretok_init(pretok_t *p, const uint8_t *text, size_t length, int scheme)
    size_t pretok_fill(pretok_t *p, size_t *starts, size_t *ends, size_t capacity)
    uint32_t uc_class(uint32_t code)
    enum:
        UC_LETTER
        UC_SPACE

cdef extern from "huge_pages.h":
    void *huge_zeros(size_t size, void **block) noexcept nogil

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define TP_PREFETCH(p) __builtin_prefetch(p)
    #else
    #define TP_PREFETCH(p) ((void)(p))
    #endif
    /* The low n bytes of a 64-bit load, on either byte order; n is 0 to 8. */
    static inline unsigned long long tp_low_bytes(unsigned long long value, int n) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return n == 0 ? 0 : value >> (64 - 8 * n) << (64 - 8 * n);
    #else
        return n == 8 ? value : value & ((1ULL << (8 * n)) - 1);
    #endif
    }
    """
    void TP_PREFETCH(const void *) noexcept nogil
    uint64_t tp_low_bytes(uint64_t, int) noexcept nogil

#: The pre-tokenizers of `pretokenize.h`; the position is the number.
SCHEMES = ("none", "blank", "gpt2", "cl100k", "llama3", "qwen2", "o200k", "script", "bert", "bert-joined")

cdef enum:
    BATCH = 256
    SHORT = 16
    AHEAD = 16  # slots that are asked for in advance
    DIGIT = 11  # bits that are sorted by at a time
    LENGTH_BITS = 5

cdef struct ShortWord:
    uint64_t low
    uint64_t high
    int64_t count
    uint64_t place  # where it was met first, shifted, and its length in the low bits

cdef struct LongWord:
    uint64_t hash
    int64_t count
    uint64_t place
    int64_t start
    int64_t length


cdef inline uint64_t mixed(uint64_t low, uint64_t high) noexcept nogil:
    cdef uint64_t key = (low * <uint64_t>0x9E3779B97F4A7C15) ^ ((high ^ (high >> 31)) * <uint64_t>0xD6E8FEB86659FD93)
    key ^= key >> 32
    return key * <uint64_t>0xA24BAED4963EE407


cdef uint64_t hash_bytes(const uint8_t *word, int64_t length) noexcept nogil:
    cdef uint64_t value = <uint64_t>length, chunk
    cdef int64_t at = 0
    while at + 8 <= length:
        memcpy(&chunk, word + at, 8)
        value = mixed(value ^ (value >> 29), chunk)
        at += 8
    chunk = 0
    memcpy(&chunk, word + at, length - at)
    return mixed(value ^ (value >> 29), chunk)


def safe_cut(const uint8_t[::1] data):
    """Give the last place before which the text may be cut without changing a word of any scheme, or 0.

    That is before a blank or newline that follows a letter.
    """
    cdef int64_t at, back
    cdef uint32_t code
    for at in range(data.shape[0] - 1, 0, -1):
        if data[at] != 0x20 and data[at] != 0x0A:
            continue
        back = at - 1
        code = data[back]
        if code >= 0x80:
            while back > 0 and at - back < 4 and (data[back] & 0xC0) == 0x80:
                back -= 1
            code = code_point(&data[back], at - back)
        if code < 0x110000 and uc_class(code) & UC_LETTER:
            return at
    return 0


cdef inline uint32_t code_point(const uint8_t *at, int64_t size) noexcept nogil:
    """Decode one character of `size` bytes; no code point where the lead byte asks for another size."""
    cdef uint32_t lead = at[0]
    if size == 1 and lead < 0x80:
        return lead
    if size == 2 and lead >> 5 == 6:
        return (lead & 0x1F) << 6 | (at[1] & 0x3F)
    if size == 3 and lead >> 4 == 14:
        return (lead & 0x0F) << 12 | <uint32_t>(at[1] & 0x3F) << 6 | (at[2] & 0x3F)
    if size == 4 and lead >> 3 == 30:
        return (lead & 0x07) << 18 | <uint32_t>(at[1] & 0x3F) << 12 | <uint32_t>(at[2] & 0x3F) << 6 | (at[3] & 0x3F)
    return 0xFFFFFFFF


cdef int64_t find_invalid(const uint8_t *data, int64_t length) noexcept nogil:
    cdef int64_t at = 0, size, part
    cdef uint64_t eight
    cdef uint32_t code
    while at < length:
        if at + 8 <= length:
            memcpy(&eight, data + at, 8)
            if not eight & <uint64_t>0x8080808080808080:
                at += 8
                continue
        if data[at] < 0x80:
            at += 1
            continue
        size = character_size(data[at])
        if size == 1 or at + size > length:
            return at
        for part in range(1, size):
            if (data[at + part] & 0xC0) != 0x80:
                return at
        code = code_point(data + at, size)
        if (code < (0x80 if size == 2 else 0x800 if size == 3 else 0x10000) or code > 0x10FFFF or 0xD800 <= code < 0xE000):
            return at
        at += size
    return -1


def invalid_at(const uint8_t[::1] data not None):
    """Give the place of the first byte that begins no valid UTF-8 character, or -1."""
    cdef int64_t length = data.shape[0], found
    cdef const uint8_t *start = &data[0] if length else NULL
    with nogil:
        found = find_invalid(start, length)
    return found


cdef inline int character_size(uint8_t lead) noexcept nogil:
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


cdef object sorted_by(object keys, object values):
    """Sort values by keys of at least 0, eleven bits at a time from the lowest on; both arrays are used up."""
    cdef int64_t n = keys.shape[0], index, highest = keys.max() if n else 0, place
    cdef int64_t[::1] key, value, next_key = np.empty(n, dtype=np.int64), next_value = np.empty(n, dtype=np.int64)
    cdef int64_t starts[1 << DIGIT]
    cdef int shift = 0
    key, value = keys, values
    while highest >> shift:
        with nogil:
            memset(starts, 0, sizeof(starts))
            for index in range(n):
                starts[key[index] >> shift & ((1 << DIGIT) - 1)] += 1
            place = 0
            for index in range(1 << DIGIT):
                place += starts[index]
                starts[index] = place - starts[index]
            for index in range(n):
                place = starts[key[index] >> shift & ((1 << DIGIT) - 1)]
                starts[key[index] >> shift & ((1 << DIGIT) - 1)] = place + 1
                next_key[place] = key[index]
                next_value[place] = value[index]
        key, next_key = next_key, key
        value, next_value = next_value, value
        shift += DIGIT
    return np.asarray(value)


@cython.final  # its methods are called without a table and can be put in line
cdef class WordCounter:
    """Distinct words with their counts, in the order first met.

    Parameters
    ----------
    scheme : str
        One of `SCHEMES`: how `count_text` finds words.
    """

    cdef int scheme
    cdef ShortWord *short_words
    cdef void *short_block
    cdef int64_t n_short
    cdef int short_bits
    cdef LongWord *long_words
    cdef void *long_block
    cdef int64_t n_long
    cdef int long_bits
    cdef uint8_t *arena
    cdef int64_t arena_used, arena_capacity
    cdef int64_t n_bytes  # in all distinct words
    cdef readonly int64_t clock
    cdef bint failed

    def __cinit__(self, str scheme="none"):
        self.scheme = SCHEMES.index(scheme)
        self.short_bits = 12
        self.long_bits = 8
        self.short_words = <ShortWord *>huge_zeros(sizeof(ShortWord) << self.short_bits, &self.short_block)
        self.long_words = <LongWord *>huge_zeros(sizeof(LongWord) << self.long_bits, &self.long_block)
        if self.short_words == NULL or self.long_words == NULL:
            raise MemoryError("no memory for the words")

    def __dealloc__(self):
        free(self.short_block)
        free(self.long_block)
        free(self.arena)

    def __len__(self):
        return self.n_short + self.n_long

    # Looking up and growing

    cdef inline ShortWord *_find_short(self, uint64_t low, uint64_t high, uint64_t length, uint64_t hashed) noexcept nogil:
        cdef uint64_t mask = (<uint64_t>1 << self.short_bits) - 1
        cdef uint64_t at = hashed >> (64 - self.short_bits)
        cdef ShortWord *word
        while True:
            word = self.short_words + at
            if word.count == 0 or (word.low == low and word.high == high and (word.place & 31) == length):
                return word
            at = (at + 1) & mask

    cdef bint _grow_short(self) noexcept nogil:
        cdef ShortWord *old = self.short_words
        cdef void *old_block = self.short_block
        cdef int64_t index, size = <int64_t>1 << self.short_bits
        cdef uint64_t length, hashed
        cdef void *block
        cdef ShortWord *fresh = <ShortWord *>huge_zeros(sizeof(ShortWord) * size << 1, &block)
        if fresh == NULL:
            self.failed = True
            return False
        self.short_words = fresh
        self.short_block = block
        self.short_bits += 1
        for index in range(size):
            if old[index].count:
                length = old[index].place & 31
                hashed = mixed(old[index].low, old[index].high + length)
                self._find_short(old[index].low, old[index].high, length, hashed)[0] = old[index]
        free(old_block)
        return True

    cdef inline void _add_short(self, uint64_t low, uint64_t high, uint64_t length, uint64_t hashed, int64_t count,
                                uint64_t place) noexcept nogil:
        cdef ShortWord *word = self._find_short(low, high, length, hashed)
        place = place << LENGTH_BITS | length
        if word.count:
            word.count += count
            if place < word.place:
                word.place = place
            return
        if 5 * (self.n_short + 1) > 4 * (<int64_t>1 << self.short_bits):
            if not self._grow_short():
                return
            word = self._find_short(low, high, length, hashed)
        word.low = low
        word.high = high
        word.count = count
        word.place = place
        self.n_short += 1
        self.n_bytes += length

    cdef LongWord *_find_long(self, uint64_t value, const uint8_t *bytes_, int64_t length) noexcept nogil:
        cdef uint64_t mask = (<uint64_t>1 << self.long_bits) - 1
        cdef uint64_t at = value >> (64 - self.long_bits)
        cdef LongWord *word
        while True:
            word = self.long_words + at
            if word.count == 0:
                return word
            if word.hash == value and word.length == length and memcmp(self.arena + word.start, bytes_, length) == 0:
                return word
            at = (at + 1) & mask

    cdef bint _grow_long(self) noexcept nogil:
        cdef LongWord *old = self.long_words
        cdef void *old_block = self.long_block
        cdef int64_t index, size = <int64_t>1 << self.long_bits
        cdef uint64_t at, mask = 2 * <uint64_t>size - 1
        cdef void *block
        cdef LongWord *fresh = <LongWord *>huge_zeros(sizeof(LongWord) * size << 1, &block)
        if fresh == NULL:
            self.failed = True
            return False
        self.long_bits += 1
        for index in range(size):
            if old[index].count:
                at = old[index].hash >> (64 - self.long_bits)
                while fresh[at].count:
                    at = (at + 1) & mask
                fresh[at] = old[index]
        self.long_words = fresh
        self.long_block = block
        free(old_block)
        return True

    cdef void _add_long(self, const uint8_t *bytes_, int64_t length, int64_t count, uint64_t place) noexcept nogil:
        cdef uint64_t value = hash_bytes(bytes_, length)
        cdef LongWord *word = self._find_long(value, bytes_, length)
        if word.count:
            word.count += count
            if place < word.place:
                word.place = place
            return
        if 5 * (self.n_long + 1) > 3 * (<int64_t>1 << self.long_bits):
            if not self._grow_long():
                return
            word = self._find_long(value, bytes_, length)
        if self.arena_used + length > self.arena_capacity:
            self.arena_capacity = (self.arena_used + length) * 3 // 2 + 4096
            self.arena = <uint8_t *>realloc(self.arena, self.arena_capacity)
            if self.arena == NULL:
                self.failed = True
                return
        memcpy(self.arena + self.arena_used, bytes_, length)
        word.hash = value
        word.count = count
        word.place = place
        word.start = self.arena_used
        word.length = length
        self.arena_used += length
        self.n_long += 1
        self.n_bytes += length

    cdef void _add_word(self, const uint8_t *bytes_, int64_t length, int64_t count, uint64_t place) noexcept nogil:
        cdef uint64_t low = 0, high = 0
        if length > SHORT:
            self._add_long(bytes_, length, count, place)
        elif length > 0:
            memcpy(&low, bytes_, min(length, <int64_t>8))
            if length > 8:
                memcpy(&high, bytes_ + 8, length - 8)
            self._add_short(low, high, length, mixed(low, high + length), count, place)

    # Counting

    cdef void _add_batch(self, const uint8_t *text, size_t text_length, const size_t *starts, const size_t *ends, size_t n,
                         uint64_t base) noexcept nogil:
        cdef uint64_t low[BATCH]
        cdef uint64_t high[BATCH]
        cdef uint64_t hashed[BATCH]
        cdef size_t index, start, length
        for index in range(n):
            start = starts[index]
            length = ends[index] - start
            if length <= SHORT and start + SHORT <= text_length:
                memcpy(low + index, text + start, 8)
                memcpy(high + index, text + start + 8, 8)
                low[index] = tp_low_bytes(low[index], 8 if length > 8 else <int>length)
                high[index] = tp_low_bytes(high[index], <int>length - 8 if length > 8 else 0)
                hashed[index] = mixed(low[index], high[index] + length)
                TP_PREFETCH(self.short_words + (hashed[index] >> (64 - self.short_bits)))
        for index in range(n):
            start = starts[index]
            length = ends[index] - start
            if length <= SHORT and start + SHORT <= text_length:
                self._add_short(low[index], high[index], length, hashed[index], 1, base + start)
            else:
                self._add_word(text + start, length, 1, base + start)

    cdef void _count(self, const uint8_t *text, size_t length, uint64_t base) noexcept nogil:
        cdef pretok_t words
        cdef size_t starts[BATCH]
        cdef size_t ends[BATCH]
        cdef size_t n
        pretok_init(&words, text, length, self.scheme)
        n = pretok_fill(&words, starts, ends, BATCH)
        while n and not self.failed:
            self._add_batch(text, length, starts, ends, n, base)
            n = pretok_fill(&words, starts, ends, BATCH)

    def count_text(self, const uint8_t[::1] text not None, int64_t place=-1):
        """Count the words that the scheme finds in UTF-8 text.

        Parameters
        ----------
        text : bytes or other buffer of bytes
            A document, or a part of one that was cut at a safe place.
        place : int, default=-1
            Where the part begins in the whole corpus; -1 puts it behind all that was counted before.
        """
        cdef size_t length = text.shape[0]
        cdef const uint8_t *data = &text[0] if length else NULL
        cdef uint64_t base = <uint64_t>(self.clock if place < 0 else place)
        with nogil:
            self._count(data, length, base)
        self.clock = max(self.clock, <int64_t>base + <int64_t>length)
        if self.failed:
            raise MemoryError("no memory for the words")

    def add(self, bytes word, int64_t count=1):
        """Count one word `count` more times."""
        self._add_word(word, len(word), count, self.clock)
        self.clock += 1
        if self.failed:
            raise MemoryError("no memory for the words")

    def add_table(self, const uint8_t[::1] words not None, const int32_t[::1] lengths not None, const int64_t[::1] counts not None):
        """Count all words of a `table`, which come behind all that was counted before."""
        cdef int64_t index, total = 0, n = lengths.shape[0]
        cdef const uint8_t *at = &words[0] if words.shape[0] else NULL
        for index in range(n):
            if lengths[index] < 0:
                raise ValueError(f"word {index} of the table has the length {lengths[index]}")
            total += lengths[index]
        if total != words.shape[0] or counts.shape[0] != n:
            raise ValueError("the words, lengths and counts of the table do not fit together")
        with nogil:
            for index in range(n):
                self._add_word(at, lengths[index], counts[index], <uint64_t>(self.clock + index))
                at += lengths[index]
        self.clock += n
        if self.failed:
            raise MemoryError("no memory for the words")

    def merge(self, WordCounter other, bint parallel=False):
        """Add the counts of another counter.

        Parameters
        ----------
        other : WordCounter
            Left unchanged.
        parallel : bool, default=False
            Whether both counted parts of one corpus with places given; else all of `other` comes behind all of this one.
        """
        cdef uint64_t shift = 0 if parallel else <uint64_t>self.clock
        cdef int64_t index
        cdef ShortWord *word
        cdef LongWord *long_word
        with nogil:
            for index in range(<int64_t>1 << other.short_bits):
                word = other.short_words + index
                if word.count:
                    self._add_short(word.low, word.high, word.place & 31, mixed(word.low, word.high + (word.place & 31)), word.count,
                                    (word.place >> LENGTH_BITS) + shift)
            for index in range(<int64_t>1 << other.long_bits):
                long_word = other.long_words + index
                if long_word.count:
                    self._add_long(other.arena + long_word.start, long_word.length, long_word.count, long_word.place + shift)
        self.clock = max(self.clock, other.clock + <int64_t>shift)
        if self.failed:
            raise MemoryError("no memory for the words")

    # Reading out: slots are numbered through both tables

    cdef void _word(self, int64_t slot, const uint8_t **start, int64_t *length, int64_t *count) noexcept nogil:
        cdef int64_t n_short_slots = <int64_t>1 << self.short_bits
        if slot < n_short_slots:
            start[0] = <const uint8_t *>&self.short_words[slot].low
            length[0] = <int64_t>(self.short_words[slot].place & 31)
            count[0] = self.short_words[slot].count
        else:
            start[0] = self.arena + self.long_words[slot - n_short_slots].start
            length[0] = self.long_words[slot - n_short_slots].length
            count[0] = self.long_words[slot - n_short_slots].count

    cdef inline void _ask_for(self, int64_t slot) noexcept nogil:
        if slot < <int64_t>1 << self.short_bits:
            TP_PREFETCH(self.short_words + slot)

    def _order(self):
        """List the slots in use by the place where their word was met first."""
        cdef int64_t index, n = 0, n_short_slots = <int64_t>1 << self.short_bits
        slots = np.empty(len(self), dtype=np.int64)
        places = np.empty(len(self), dtype=np.int64)
        cdef int64_t[::1] slot_view = slots
        cdef int64_t[::1] place_view = places
        with nogil:
            for index in range(n_short_slots):
                if self.short_words[index].count:
                    slot_view[n] = index
                    place_view[n] = <int64_t>(self.short_words[index].place >> LENGTH_BITS)
                    n += 1
            for index in range(<int64_t>1 << self.long_bits):
                if self.long_words[index].count:
                    slot_view[n] = n_short_slots + index
                    place_view[n] = <int64_t>self.long_words[index].place
                    n += 1
        return sorted_by(places, slots)

    def is_blank(self):
        """Tell whether there is nothing but white space in all words."""
        cdef int64_t slot, length, count, at
        cdef int size
        cdef const uint8_t *start
        cdef uint32_t code
        for slot in range((<int64_t>1 << self.short_bits) + (<int64_t>1 << self.long_bits)):
            self._word(slot, &start, &length, &count)
            at = 0
            while count and at < length:
                size = character_size(start[at])
                code = code_point(start + at, min(<int64_t>size, length - at))
                if code >= 0x110000 or not uc_class(code) & UC_SPACE:
                    return False
                at += size
        return True

    def words(self):
        """List (word, count) in the order first met."""
        cdef const int64_t[::1] order = self._order()
        cdef const uint8_t *start
        cdef int64_t length, count, index
        result = []
        for index in range(order.shape[0]):
            self._word(order[index], &start, &length, &count)
            result.append((PyBytes_FromStringAndSize(<const char *>start, length), count))
        return result

    def table(self):
        """Give the words in the order first met: their bytes, one behind another, their lengths, and their counts."""
        cdef const int64_t[::1] order = self._order()
        cdef int64_t n = order.shape[0], length, count, index, size = 0
        cdef const uint8_t *start
        lengths = np.empty(n, dtype=np.int32)
        counts = np.empty(n, dtype=np.int64)
        cdef int32_t[::1] length_view = lengths
        cdef int64_t[::1] count_view = counts
        for index in range(n):
            self._word(order[index], &start, &length, &count)
            length_view[index] = <int32_t>length
            count_view[index] = count
            size += length
        words = PyBytes_FromStringAndSize(NULL, size)
        cdef uint8_t *out = <uint8_t *>PyBytes_AS_STRING(words)
        for index in range(n):
            self._word(order[index], &start, &length, &count)
            memcpy(out, start, length)
            out += length
        return words, lengths, counts

    def byte_symbols(self, const int32_t[::1] table, int threads=1):
        """Give all words as ids, one per byte.

        Parameters
        ----------
        table : int32 array of shape (256,)
            The id of each byte.
        threads : int, default=1
            With more than one, two share the words.

        Returns
        -------
        ids, offsets, counts : arrays
            As `MergeLearner` takes them.
        """
        cdef int64_t n = len(self), middle = n // 2 if threads > 1 else n
        cdef int64_t[::1] offset_view
        order = self._order()
        offsets = np.empty(n + 1, dtype=np.int64)
        counts = np.empty(n, dtype=np.int64)
        ids = np.empty(self.n_bytes, dtype=np.int32)
        offset_view = offsets
        offset_view[n] = self.n_bytes
        symbols = table, order, offsets, counts, ids
        if middle == n:
            self._fill_symbols(*symbols, 0, n, 1)
            return ids, offsets, counts
        # The first half from its beginning, the second from its end: where the words lie between is known at the end only.
        helper = Thread(target=self._fill_symbols, args=(*symbols, n - 1, middle - 1, -1))
        helper.start()
        self._fill_symbols(*symbols, 0, middle, 1)
        helper.join()
        return ids, offsets, counts

    def _fill_symbols(self, const int32_t[::1] table, const int64_t[::1] order, int64_t[::1] offsets, int64_t[::1] counts,
                      int32_t[::1] ids, int64_t first, int64_t last, int64_t step):
        """Write ids, offset and count of the words from number `first` to before `last`."""
        cdef int64_t index = first, at, length, place = 0 if step > 0 else self.n_bytes, ahead = order.shape[0] - 1
        cdef const uint8_t *start
        with nogil:
            while index != last:
                self._ask_for(order[min(max(index + AHEAD * step, <int64_t>0), ahead)])
                self._word(order[index], &start, &length, &counts[index])
                place -= length if step < 0 else 0
                offsets[index] = place
                for at in range(length):
                    ids[place + at] = table[start[at]]
                place += length if step > 0 else 0
                index += step

    def character_counts(self):
        """Count the characters of all words: code point -> how often it occurs in the corpus."""
        sums = np.zeros(0x110000, dtype=np.int64)
        cdef int64_t[::1] sum_view = sums
        cdef const int64_t[::1] order = self._order()
        cdef int64_t index, at, length, count
        cdef int size
        cdef const uint8_t *start
        cdef uint32_t code
        with nogil:
            for index in range(order.shape[0]):
                self._word(order[index], &start, &length, &count)
                at = 0
                while at < length:
                    size = character_size(start[at])
                    code = code_point(start + at, min(<int64_t>size, length - at))
                    if code < 0x110000:
                        sum_view[code] += count
                    at += size
        codes = np.flatnonzero(sums)
        return dict(zip(codes.tolist(), sums[codes].tolist()))

    def character_symbols(self, const int32_t[::1] first, const int32_t[::1] middle, const int32_t[::1] last, const int32_t[::1] only,
                          int32_t end):
        """Give all words as ids, one per character.

        Parameters
        ----------
        first, middle, last, only : int32 arrays of shape (0x110000,)
            The id of each character at the four places in a word (`only`: a word of one character); -1 where there is none.
        end : int
            The id that closes every word, or -1.

        Returns
        -------
        ids, offsets, counts : arrays
            As `MergeLearner` takes them.
        """
        cdef const int64_t[::1] order = self._order()
        cdef int64_t n = order.shape[0], index, at, length, total, count
        cdef int size
        cdef int32_t symbol
        cdef const uint8_t *start
        cdef uint32_t code
        offsets = np.empty(n + 1, dtype=np.int64)
        counts = np.empty(n, dtype=np.int64)
        cdef int64_t[::1] offset_view = offsets
        cdef int64_t[::1] count_view = counts
        ids = np.empty(self.n_bytes + n, dtype=np.int32)  # no word has more characters than bytes
        cdef int32_t[::1] id_view = ids
        with nogil:
            total = 0
            for index in range(n):
                self._ask_for(order[min(index + AHEAD, n - 1)])
                self._word(order[index], &start, &length, &count)
                offset_view[index] = total
                count_view[index] = count
                at = 0
                while at < length:
                    size = character_size(start[at])
                    if at + size > length:
                        size = <int>(length - at)
                    code = code_point(start + at, size)
                    symbol = -1
                    if code < 0x110000:
                        if at == 0:
                            symbol = only[code] if size == length else first[code]
                        else:
                            symbol = last[code] if at + size == length else middle[code]
                    id_view[total] = symbol
                    total += 1
                    at += size
                if end >= 0:
                    id_view[total] = end
                    total += 1
            offset_view[n] = total
        return ids[:total].copy(), offsets, counts
