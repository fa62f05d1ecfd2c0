# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, nonecheck=False, freethreading_compatible=True
"""Word counting over UTF-8 bytes: letters as bit masks, short words as two integers, one open-addressing table.

A word of at most 16 bytes, nearly all are, is its own key: hash and equality are those of two integers. Longer words have a second table,
their bytes stand in an arena. `_pure/counts.py` is the readable twin.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy

cdef extern from "letters.h" nogil:
    bint is_ascii_letter(uint8_t c)
    uint64_t ascii_letters(const uint8_t* p, uint64_t* high)
    void add_unicode_letters(const uint8_t* p, Py_ssize_t n, uint64_t* masks, const uint64_t* highs)
    int lowest_bit(uint64_t bits)
    void load_word(const uint8_t* p, Py_ssize_t length, bint readable, uint64_t* low, uint64_t* high)
    uint64_t lower_eight(uint64_t word)
    uint64_t big_endian_prefix(const uint8_t* word, uint32_t length)
    void sort_words(CountedWord* words, Py_ssize_t n, bint by_count)
    ctypedef struct CountedWord:
        uint64_t prefix
        const uint8_t* word
        uint64_t count
        uint32_t length

cdef enum:
    BLOCKS = 1024          # of 64 bytes: what is masked at a time
    QUEUE = 32             # words whose table slots are fetched together

cdef struct Short:
    uint64_t low
    uint64_t high
    uint64_t count         # 0: free slot

cdef struct Long:
    uint64_t hash
    uint64_t count
    Py_ssize_t start       # in the arena
    Py_ssize_t length

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define TEXTPREP_PREFETCH(p) __builtin_prefetch(p)
    #else
    #define TEXTPREP_PREFETCH(p) ((void)0)
    #endif
    """
    void TEXTPREP_PREFETCH(const void* p) nogil


cdef inline uint64_t mix(uint64_t low, uint64_t high) noexcept nogil:
    cdef uint64_t value = (low ^ (high * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u
    return (value ^ (value >> 32)) * 0xD6E8FEB86659FD93u


cdef uint64_t hash_bytes(const uint8_t* word, Py_ssize_t length) noexcept nogil:
    cdef uint64_t value = 14695981039346656037u, eight
    while length >= 8:
        memcpy(&eight, word, 8)
        value = (value ^ eight) * 0xD6E8FEB86659FD93u
        value ^= value >> 29
        word += 8
        length -= 8
    while length:
        value = (value ^ word[0]) * 1099511628211u
        word += 1
        length -= 1
    return value ^ (value >> 31)


cdef Py_ssize_t short_length(const Short* slot) noexcept nogil:
    cdef const uint8_t* word = <const uint8_t*>slot
    cdef Py_ssize_t length = 0
    while length < 16 and word[length]:
        length += 1
    return length


cdef Py_ssize_t fill_masks(const uint8_t* p, Py_ssize_t n, bint unicode, uint64_t* masks, uint64_t* highs) noexcept nogil:
    """Masks of `n` bytes, at most BLOCKS * 64; gives the number of blocks."""
    cdef Py_ssize_t block = 0, n_blocks = (n + 63) // 64, rest
    cdef uint8_t tail[64]
    cdef bint any_high = False
    while block < n // 64:
        masks[block] = ascii_letters(p + 64 * block, &highs[block])
        any_high |= highs[block] != 0
        block += 1
    rest = n - 64 * block
    if rest:
        memcpy(tail, p + 64 * block, rest)
        for k in range(rest, 64):
            tail[k] = 0
        masks[block] = ascii_letters(tail, &highs[block])
        any_high |= highs[block] != 0
    if unicode and any_high:
        add_unicode_letters(p, n, masks, highs)
    return n_blocks


cdef Py_ssize_t safe_end(const uint8_t* p, Py_ssize_t n, bint unicode) noexcept nogil:
    """Where no word can go on: behind the last byte that is no part of any word."""
    while n and (is_ascii_letter(p[n - 1]) or (unicode and p[n - 1] > 127)):
        n -= 1
    return n


cdef class WordTable:
    """Counts of words; a word may go on from one `add` to the next until `close`."""

    cdef readonly bint unicode
    cdef readonly bint fold
    cdef Short* short_table
    cdef uint64_t short_mask
    cdef uint64_t short_used
    cdef Long* long_table
    cdef uint64_t long_mask
    cdef uint64_t long_used
    cdef uint8_t* arena
    cdef Py_ssize_t arena_used
    cdef Py_ssize_t arena_size
    cdef uint64_t n_empty
    cdef list rest  # the parts of the word that is still open
    cdef uint64_t masks[BLOCKS]
    cdef uint64_t highs[BLOCKS]

    def __cinit__(self, unicode=False, fold=False):
        self.unicode = bool(unicode)
        self.fold = bool(fold)
        self.rest = []
        self.short_mask = 4095
        self.long_mask = 255
        self.short_table = <Short*>calloc(self.short_mask + 1, sizeof(Short))
        self.long_table = <Long*>calloc(self.long_mask + 1, sizeof(Long))
        if self.short_table == NULL or self.long_table == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.short_table)
        free(self.long_table)
        free(self.arena)

    def __len__(self):
        return self.short_used + self.long_used + (self.n_empty > 0)

    def total(self):
        """Number of words counted."""
        cdef uint64_t result = self.n_empty, k
        for k in range(self.short_mask + 1):
            result += self.short_table[k].count
        for k in range(self.long_mask + 1):
            result += self.long_table[k].count
        return result

    cdef bint grow_short(self) noexcept nogil:
        cdef uint64_t size = 2 * (self.short_mask + 1), k, slot
        cdef Short* table = <Short*>calloc(size, sizeof(Short))
        if table == NULL:
            return False
        for k in range(self.short_mask + 1):
            if self.short_table[k].count:
                slot = mix(self.short_table[k].low, self.short_table[k].high) & (size - 1)
                while table[slot].count:
                    slot = (slot + 1) & (size - 1)
                table[slot] = self.short_table[k]
        free(self.short_table)
        self.short_table = table
        self.short_mask = size - 1
        return True

    cdef bint grow_long(self) noexcept nogil:
        cdef uint64_t size = 2 * (self.long_mask + 1), k, slot
        cdef Long* table = <Long*>calloc(size, sizeof(Long))
        if table == NULL:
            return False
        for k in range(self.long_mask + 1):
            if self.long_table[k].count:
                slot = self.long_table[k].hash & (size - 1)
                while table[slot].count:
                    slot = (slot + 1) & (size - 1)
                table[slot] = self.long_table[k]
        free(self.long_table)
        self.long_table = table
        self.long_mask = size - 1
        return True

    cdef inline bint count_short(self, uint64_t low, uint64_t high, uint64_t hash, uint64_t times) noexcept nogil:
        cdef uint64_t slot = hash & self.short_mask
        cdef Short* place
        while True:
            place = &self.short_table[slot]
            if place.low == low and place.high == high and place.count:
                place.count += times
                return True
            if not place.count:
                place.low = low
                place.high = high
                place.count = times
                self.short_used += 1
                return self.grow_short() if 3 * self.short_used > 2 * self.short_mask else True
            slot = (slot + 1) & self.short_mask

    cdef bint count_long(self, const uint8_t* word, Py_ssize_t length, uint64_t times) noexcept nogil:
        cdef Py_ssize_t k
        cdef uint64_t hash, slot
        cdef Long* place
        cdef uint8_t* moved
        cdef uint8_t* copy
        if self.arena_used + length > self.arena_size:
            self.arena_size = 2 * self.arena_size + length + 4096
            moved = <uint8_t*>realloc(self.arena, self.arena_size)
            if moved == NULL:
                return False
            self.arena = moved
        copy = self.arena + self.arena_used
        memcpy(copy, word, length)
        if self.fold:
            for k in range(length):
                if 65 <= copy[k] <= 90:
                    copy[k] += 32
        hash = hash_bytes(copy, length)
        slot = hash & self.long_mask
        while True:
            place = &self.long_table[slot]
            if not place.count:
                place.hash = hash
                place.start = self.arena_used
                place.length = length
                place.count = times
                self.arena_used += length
                self.long_used += 1
                return self.grow_long() if 2 * self.long_used > self.long_mask else True
            if place.hash == hash and place.length == length and memcmp(self.arena + place.start, copy, length) == 0:
                place.count += times
                return True
            slot = (slot + 1) & self.long_mask

    cdef bint flush(self, const uint64_t* lows, const uint64_t* highs, const uint64_t* hashes, int n) noexcept nogil:
        cdef int k
        for k in range(n):
            if not self.count_short(lows[k], highs[k], hashes[k], 1):
                return False
        return True

    cdef bint count_all(self, const uint8_t* p, Py_ssize_t n) noexcept nogil:
        """Count the words of whole text: `p[n]` ends a word."""
        cdef Py_ssize_t offset = 0, size, block, n_blocks, start = -1, position
        cdef uint64_t change, last, low, high
        cdef uint64_t lows[QUEUE]
        cdef uint64_t highs[QUEUE]
        cdef uint64_t hashes[QUEUE]
        cdef int queued = 0
        while offset < n:
            size = min(n - offset, <Py_ssize_t>(64 * BLOCKS))
            if size < n - offset and self.unicode:  # cut before the first byte of a character
                while size > 64 * BLOCKS - 4 and (p[offset + size] & 0xC0) == 0x80:
                    size -= 1
            n_blocks = fill_masks(p + offset, size, self.unicode, self.masks, self.highs)
            last = 0 if start < 0 else 1
            for block in range(n_blocks):
                # A bit where a word starts, and a bit where it ends: they take turns.
                change = self.masks[block] ^ (self.masks[block] << 1 | last)
                last = self.masks[block] >> 63
                while change:
                    position = offset + 64 * block + lowest_bit(change)
                    change &= change - 1
                    if start < 0:
                        start = position
                        continue
                    if position == offset + size and position < n:
                        continue  # the mask ends here, the word need not
                    if position - start > 16:
                        if not self.count_long(p + start, position - start, 1):
                            return False
                    else:
                        load_word(p + start, position - start, start + 16 <= n, &low, &high)
                        if self.fold:
                            low = lower_eight(low)
                            high = lower_eight(high)
                        lows[queued] = low
                        highs[queued] = high
                        hashes[queued] = mix(low, high)
                        TEXTPREP_PREFETCH(&self.short_table[hashes[queued] & self.short_mask])
                        queued += 1
                        if queued == QUEUE:
                            if not self.flush(lows, highs, hashes, queued):
                                return False
                            queued = 0
                    start = -1
            offset += size
        if start >= 0:  # the text ends inside a word
            if n - start > 16:
                if not self.count_long(p + start, n - start, 1):
                    return False
            else:
                load_word(p + start, n - start, False, &low, &high)
                if self.fold:
                    low = lower_eight(low)
                    high = lower_eight(high)
                if not self.count_short(low, high, mix(low, high), 1):
                    return False
        return self.flush(lows, highs, hashes, queued)

    def add(self, const uint8_t[::1] data not None):
        """Count the words of `data`; the last bytes wait where they may be part of a longer word."""
        cdef Py_ssize_t n = data.shape[0], cut
        cdef const uint8_t* p = &data[0] if n else NULL
        cdef Py_ssize_t first = 0
        cdef bint done
        if n == 0:
            return
        if self.rest:  # complete the open word first
            while first < n and (is_ascii_letter(p[first]) or (self.unicode and p[first] > 127)):
                first += 1
            self.rest.append(PyBytes_FromStringAndSize(<const char*>p, first))
            if first == n:
                return
            self.close()
        cut = safe_end(p, n, self.unicode)
        if cut > first:
            with nogil:
                done = self.count_all(p + first, cut - first)
            if not done:
                raise MemoryError
        else:
            cut = first
        if cut < n:
            self.rest.append(PyBytes_FromStringAndSize(<const char*>p + cut, n - cut))

    def close(self):
        """End the word that `add` left open."""
        cdef bytes rest = b"".join(self.rest)
        cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(rest)
        self.rest = []
        if not self.count_all(p, len(rest)):
            raise MemoryError

    def add_counts(self, items):
        """Add counts made elsewhere."""
        cdef uint64_t low, high, times
        cdef bytes key
        cdef bint done, fold = self.fold
        for word, count in items:
            key, times = word, count
            if not times:
                continue
            if not key:
                self.n_empty += times
                continue
            if len(key) > 16 or b"\0" in key:
                self.fold = False
                done = self.count_long(<const uint8_t*>PyBytes_AS_STRING(key), len(key), times)
                self.fold = fold
            else:
                load_word(<const uint8_t*>PyBytes_AS_STRING(key), len(key), False, &low, &high)
                done = self.count_short(low, high, mix(low, high), times)
            if not done:
                raise MemoryError

    cdef CountedWord* sorted_words(self, bint by_count) except NULL:
        """All words in an array that the caller frees."""
        cdef Py_ssize_t n = 0, k
        cdef CountedWord* words = <CountedWord*>malloc((self.short_used + self.long_used + 2) * sizeof(CountedWord))
        if words == NULL:
            raise MemoryError
        with nogil:
            if self.n_empty:
                words[n] = CountedWord(0, <const uint8_t*>"", self.n_empty, 0)
                n += 1
            for k in range(<Py_ssize_t>self.short_mask + 1):
                if self.short_table[k].count:
                    words[n].word = <const uint8_t*>&self.short_table[k]
                    words[n].length = <uint32_t>short_length(&self.short_table[k])
                    words[n].count = self.short_table[k].count
                    words[n].prefix = big_endian_prefix(words[n].word, words[n].length)
                    n += 1
            for k in range(<Py_ssize_t>self.long_mask + 1):
                if self.long_table[k].count:
                    words[n].word = self.arena + self.long_table[k].start
                    words[n].length = <uint32_t>self.long_table[k].length
                    words[n].count = self.long_table[k].count
                    words[n].prefix = big_endian_prefix(words[n].word, words[n].length)
                    n += 1
            sort_words(words, n, by_count)
        return words

    def items(self):
        """Words and counts in byte order."""
        cdef CountedWord* words = self.sorted_words(False)
        cdef Py_ssize_t k
        try:
            return [
                (PyBytes_FromStringAndSize(<const char*>words[k].word, words[k].length), words[k].count) for k in range(len(self))
            ]
        finally:
            free(words)

    def lines(self, bint by_count=False, Py_ssize_t top=-1):
        """Give ``uniq -c`` lines: in byte order, or by count, both descending; at most `top` lines unless it is negative."""
        cdef Py_ssize_t n = len(self), k, size = 0
        cdef CountedWord* words = self.sorted_words(by_count)
        cdef uint8_t* out
        cdef bytes result
        try:
            if 0 <= top < n:
                n = top
            for k in range(n):
                size += words[k].length + 22
            result = PyBytes_FromStringAndSize(NULL, size)
            out = <uint8_t*>PyBytes_AS_STRING(result)
            for k in range(n):
                out = write_line(out, &words[k])
            return result[: out - <uint8_t*>PyBytes_AS_STRING(result)]
        finally:
            free(words)


cdef uint8_t* write_line(uint8_t* out, const CountedWord* word) noexcept nogil:
    """One line as ``uniq -c`` writes it: the count right-justified in seven columns, a blank, the word."""
    cdef uint8_t digits[20]
    cdef int n = 0, k
    cdef uint64_t count = word.count
    while True:
        digits[n] = 48 + count % 10
        n += 1
        count //= 10
        if not count:
            break
    for k in range(n, 7):
        out[0] = 32
        out += 1
    while n:
        n -= 1
        out[0] = digits[n]
        out += 1
    out[0] = 32
    memcpy(out + 1, word.word, word.length)
    out[word.length + 1] = 10
    return out + word.length + 2


def letter_runs(bytes data not None, bint unicode=False, bint fold=False):
    """Give the runs of letters in `data`; `fold` lowers A to Z."""
    cdef bytes text = data.lower() if fold else data
    cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(text)
    cdef uint64_t masks[BLOCKS]
    cdef uint64_t highs[BLOCKS]
    cdef Py_ssize_t n = len(text), offset = 0, size, k, start = -1
    cdef list runs = []
    while offset < n:
        size = min(n - offset, <Py_ssize_t>(64 * BLOCKS))
        if size < n - offset and unicode:
            while size > 64 * BLOCKS - 4 and (p[offset + size] & 0xC0) == 0x80:
                size -= 1
        fill_masks(p + offset, size, unicode, masks, highs)
        for k in range(size):
            if masks[k >> 6] >> (k & 63) & 1:
                if start < 0:
                    start = offset + k
            elif start >= 0:
                runs.append(PyBytes_FromStringAndSize(<const char*>p + start, offset + k - start))
                start = -1
        offset += size
    if start >= 0:
        runs.append(PyBytes_FromStringAndSize(<const char*>p + start, n - start))
    return runs


cdef Py_ssize_t copy_lines(const uint8_t* p, Py_ssize_t n, uint8_t* out, bint* at_break) noexcept nogil:
    """Write the words of `p` with newlines between them; gives the length. `out` has 16 bytes more than needed."""
    cdef uint64_t masks[BLOCKS]
    cdef uint64_t highs[BLOCKS]
    cdef uint64_t change, last = 0
    cdef Py_ssize_t offset = 0, size, block, start = -1, length = 0, position, run
    if n and not at_break[0] and not is_ascii_letter(p[0]):
        out[0] = 10
        length = 1
    while offset < n:
        size = min(n - offset, <Py_ssize_t>(64 * BLOCKS))
        for block in range(fill_masks(p + offset, size, False, masks, highs)):
            change = masks[block] ^ (masks[block] << 1 | last)
            last = masks[block] >> 63
            while change:
                position = offset + 64 * block + lowest_bit(change)
                change &= change - 1
                if start < 0:
                    start = position
                    continue
                run = position - start
                memcpy(out + length, p + start, 16 if run <= 16 and start + 16 <= n else run)
                length += run
                out[length] = 10
                length += position < n
                start = -1
        offset += size
    if start >= 0:  # the last word ends with the last block
        memcpy(out + length, p + start, n - start)
        length += n - start
    if n:
        at_break[0] = not is_ascii_letter(p[n - 1])
    return length


def letter_lines(const uint8_t[::1] data not None, bint fold, bint after_break):
    """Give the ASCII letters of `data`, each run of other bytes replaced by one newline; none at the start if `after_break`."""
    cdef Py_ssize_t n = data.shape[0], k, length
    cdef bytes result = PyBytes_FromStringAndSize(NULL, n + 32)
    cdef uint8_t* out = <uint8_t*>PyBytes_AS_STRING(result)
    if n == 0:
        return b""
    with nogil:
        length = copy_lines(&data[0], n, out, &after_break)
        if fold:
            for k in range(length):
                out[k] += 32 * (65 <= out[k] <= 90)
    return result[:length]
