# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Learn WordPiece merges from words with counts. The textbook twin is `_pure/wordpiece_train.py`.

Words are cells as in `_bpe_train`: a token lies in as many cells as it has initial symbols; its first cell holds its id, and its first and last
cell hold its length. Every pair of adjacent tokens has a count and the list of the places where it stood when its younger symbol was made: a
pair never gains places later, so places are checked when they are used. (A string always comes to be in the same way, since every merge is made
everywhere: so a new symbol never is an old one.)

Unlike counts, the scores of the likelihood rule also rise: a merge makes its two symbols rarer, and with them all pairs that they are in more
likely. So the heap knows where each pair is in it, every change moves the pair up or down at once, and the pairs of each symbol are linked with
one another. The heap holds the pairs whose score is not below a floor; they are the best ones, since every pair that rises above the floor enters
it. When they are used up, a lower floor is chosen among the scores of all pairs.

Scores are compared as floating-point numbers where these clearly differ, and exactly where they do not.
"""

import numpy as np

cimport cython

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

cdef extern from "exact_ratio.h" nogil:
    int compare_ratios(uint64_t n, uint64_t a, uint64_t b, uint64_t other_n, uint64_t other_a, uint64_t other_b)

cdef extern from "free_memory.h" nogil:
    void give_back_free_memory()

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define TP_PREFETCH(p) __builtin_prefetch(p)
    #else
    #define TP_PREFETCH(p) ((void)(p))
    #endif
    """
    void TP_PREFETCH(const void *) noexcept nogil

#: What the best pair is: the one with the greatest count(ab) / (count(a) * count(b)), or with the greatest count(ab).
SCORES = ("likelihood", "frequency")

cdef enum:
    LIKELIHOOD = 0
    GAP = -1
    INSIDE = -2
    NONE = -1
    AHEAD = 12  # places whose cells are asked for in advance
    MAX_WEIGHT = 0x7FFFFFFF
    LEAST_QUEUED = 16

cdef double NO_FLOOR = 1e300
cdef double CLEARLY = 1 + 1e-12  # how much two floating-point scores differ when the exact ones do for sure

cdef struct Cell:
    int32_t token
    int32_t span
    int32_t weight

cdef struct Pair:
    uint64_t key
    int64_t count  # 0 once it may not be merged any more
    int64_t start  # of its places
    int32_t n
    int32_t at  # in the heap, or NONE
    int32_t links[4]  # next and previous pair with the same left symbol, then with the same right symbol

cdef struct Symbol:
    int64_t count
    int64_t start  # of its string
    int64_t n  # bytes of its string
    uint64_t head  # the first bytes of the string, to compare
    int32_t length
    bint inside  # a word, not at its beginning
    int32_t pairs[2]  # the first pair in which it is the left one, the right one

cdef struct Entry:
    double score
    int64_t count
    int64_t left
    int64_t right
    int32_t pair

cdef struct Change:
    int64_t sum
    int64_t n
    int64_t at  # one more than where the next place of the new pair goes; 0 before the first event, -1 where there is no such pair

cdef struct Event:
    int32_t token
    int32_t place


cdef inline uint64_t pair_key(int32_t left, int32_t right) noexcept nogil:
    return (<uint64_t>left << 32) | <uint32_t>right


cdef inline int32_t left_of(uint64_t key) noexcept nogil:
    return <int32_t>(key >> 32)


cdef inline int32_t right_of(uint64_t key) noexcept nogil:
    return <int32_t>(key & 0xFFFFFFFFu)


cdef inline uint64_t mixed(uint64_t key) noexcept nogil:
    key *= <uint64_t>0x9E3779B97F4A7C15
    key ^= key >> 32
    return key * <uint64_t>0xD6E8FEB86659FD93


cdef bint grow(void **block, int64_t *capacity, int64_t wanted, size_t size) noexcept nogil:
    """Let a block hold `wanted` items of `size` bytes."""
    cdef int64_t larger
    cdef void *grown
    if wanted <= capacity[0]:
        return True
    larger = wanted + wanted // 2 + 256
    grown = realloc(block[0], larger * size)
    if grown == NULL:
        return False
    block[0] = grown
    capacity[0] = larger
    return True


cdef double nth_greatest(double *values, int64_t n, int64_t k) noexcept nogil:
    """Give the value that has number `k`, from 0 on, among `n` values from the greatest down; the values change places."""
    cdef int64_t low = 0, high = n - 1, i, j
    cdef double middle
    while low < high:
        middle = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] > middle:
                i += 1
            while values[j] < middle:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@cython.final  # its methods are called without a table and can be put in line
cdef class PieceLearner:
    """The pieces of a corpus of weighted words, learned a few at a time.

    Parameters
    ----------
    ids : int32 array
        The symbols of all words, one word after another; a negative id keeps its neighbours apart for good.
    offsets : int64 array of shape (n_words + 1,)
        Where each word starts in `ids`.
    counts : int64 array of shape (n_words,)
        How often each word occurs.
    lengths : int32 array of shape (n_symbols,)
        Length of each symbol, in the unit of `max_length`.
    strings : list of bytes
        The symbols themselves.
    score : str
        One of `SCORES`.
    min_frequency : int
        Rarer pairs are not merged.
    max_length : int
        Longer symbols are not made; 0 sets no limit.
    expected : int
        About how many merges will be asked for; it changes the speed only.
    prefix : bytes
        What symbols inside a word begin with; a right part loses it when strings are joined.
    n_first : int
        So many symbols may begin a word; the others stand inside.
    taken : sequence of bytes
        Strings that no symbol may have.
    """

    cdef Cell *cells
    cdef int64_t n_cells
    cdef Pair *pairs
    cdef int64_t n_pairs, pair_capacity
    cdef int32_t *slots  # open addressing: one more than the number of a pair
    cdef uint64_t slot_mask
    cdef int32_t *places
    cdef int64_t n_places, place_capacity
    cdef Entry *heap
    cdef int64_t n_heap, heap_capacity
    cdef double floor
    cdef Symbol *symbols
    cdef int64_t n_symbols, symbol_capacity
    cdef unsigned char *bytes_
    cdef int64_t n_bytes, byte_capacity
    cdef Symbol *taken  # strings that no symbol may have
    cdef int64_t n_taken, taken_capacity
    cdef Change *changes[2]
    cdef int64_t change_capacity[2]
    cdef Event *events[2]
    cdef int64_t event_capacity[2]
    cdef int32_t *touched
    cdef int64_t n_touched, touched_capacity
    cdef int rule
    cdef int64_t min_frequency, max_length, expected
    cdef bytes prefix
    cdef const unsigned char *prefix_bytes
    cdef int64_t prefix_length
    cdef bint has_pairs
    cdef bint failed

    def __cinit__(self, const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] counts, const int32_t[::1] lengths, strings,
                  str score, int64_t min_frequency, int64_t max_length, int64_t expected, bytes prefix=b"", int64_t n_first=0, taken=()):
        cdef int64_t total = 1, word, n_words = counts.shape[0]
        self.rule = SCORES.index(score)
        self.min_frequency = max(1, min_frequency)
        self.max_length = max_length if max_length > 0 else <int64_t>1 << 60
        self.expected = max(1, expected)
        self.floor = NO_FLOOR
        self.prefix = prefix
        self.prefix_bytes = prefix
        self.prefix_length = len(prefix)
        for word in range(n_words):
            total += (offsets[word + 1] - offsets[word] + 1) * (1 + (counts[word] - 1) // MAX_WEIGHT)
        if total >= MAX_WEIGHT:
            raise OverflowError(f"the distinct words have {total} symbols; at most {MAX_WEIGHT} are possible: sample the corpus")
        self.cells = <Cell *>malloc(total * sizeof(Cell))
        if self.cells == NULL:
            raise MemoryError("no memory for the words")
        self._set_symbols(lengths, strings, n_first, taken)
        with nogil:
            self._set_words(ids, offsets, counts)

    def __dealloc__(self):
        free(self.cells)
        free(self.pairs)
        free(self.slots)
        free(self.places)
        free(self.heap)
        free(self.symbols)
        free(self.bytes_)
        free(self.taken)
        free(self.changes[0])
        free(self.changes[1])
        free(self.events[0])
        free(self.events[1])
        free(self.touched)

    # Symbols

    cdef int _set_symbols(self, const int32_t[::1] lengths, strings, int64_t n_first, taken) except -1:
        cdef bytes string
        cdef Symbol *symbol
        cdef int64_t number
        for number, string in enumerate(strings):
            symbol = self._new_symbol(len(string))
            if symbol != NULL:
                memcpy(self.bytes_ + symbol.start, <const unsigned char *>string, symbol.n)
                symbol.length = lengths[number]
                symbol.inside = number >= n_first
                self._set_head(symbol)
        for string in taken:
            if self._reserve_bytes(len(string)) and grow(
                <void **>&self.taken, &self.taken_capacity, self.n_taken + 1, sizeof(Symbol)
            ):
                symbol = self.taken + self.n_taken
                symbol.start, symbol.n = self.n_bytes, len(string)
                memcpy(self.bytes_ + symbol.start, <const unsigned char *>string, symbol.n)
                self.n_taken += 1
                self.n_bytes += symbol.n
            else:
                self.failed = True
        if self.failed:
            raise MemoryError("no memory for the symbols")
        return 0

    cdef bint _reserve_bytes(self, int64_t n) noexcept nogil:
        if not grow(<void **>&self.bytes_, &self.byte_capacity, self.n_bytes + n + 1, 1):
            self.failed = True
        return not self.failed

    cdef Symbol *_new_symbol(self, int64_t n) noexcept nogil:
        """Make a symbol with room for its string, and for what is noted about its pairs."""
        cdef Symbol *symbol
        cdef int side
        if not self._reserve_bytes(n) or not grow(<void **>&self.symbols, &self.symbol_capacity, self.n_symbols + 1, sizeof(Symbol)):
            self.failed = True
        for side in range(2):
            if not self.failed and grow(<void **>&self.changes[side], &self.change_capacity[side], self.n_symbols + 1, sizeof(Change)):
                memset(self.changes[side] + self.n_symbols, 0, sizeof(Change))
            else:
                self.failed = True
        if self.failed:
            return NULL
        symbol = self.symbols + self.n_symbols
        symbol.count = 0
        symbol.start = self.n_bytes
        symbol.n = n
        symbol.pairs[0] = symbol.pairs[1] = NONE
        self.n_symbols += 1
        self.n_bytes += n
        return symbol

    cdef void _set_head(self, Symbol *symbol) noexcept nogil:
        cdef int64_t index
        symbol.head = 0
        for index in range(8):
            symbol.head = symbol.head << 8 | (self.bytes_[symbol.start + index] if index < symbol.n else 0)

    cdef int32_t _join(self, int32_t left, int32_t right) noexcept nogil:
        """Make the symbol of two; NONE where there may not be any."""
        cdef int64_t first = self.symbols[left].n, second = self.symbols[right].n - self.prefix_length
        cdef Symbol *made = self._new_symbol(first + second)
        if made == NULL:
            return NONE
        memcpy(self.bytes_ + made.start, self.bytes_ + self.symbols[left].start, first)
        memcpy(self.bytes_ + made.start + first, self.bytes_ + self.symbols[right].start + self.prefix_length, second)
        made.length = self.symbols[left].length + self.symbols[right].length
        made.inside = self.symbols[left].inside
        if self._is_taken(made) or (not made.inside and self._begins_with_prefix(made)):
            self.n_symbols -= 1
            self.n_bytes -= made.n
            return NONE
        self._set_head(made)
        return <int32_t>self.n_symbols - 1

    cdef bint _is_taken(self, const Symbol *made) noexcept nogil:
        cdef int64_t index
        for index in range(self.n_taken):
            if made.n == self.taken[index].n and memcmp(self.bytes_ + made.start, self.bytes_ + self.taken[index].start, made.n) == 0:
                return True
        return False

    cdef bint _begins_with_prefix(self, const Symbol *symbol) noexcept nogil:
        """Tell whether a symbol is spelled as if it stood inside a word."""
        return (self.prefix_length and symbol.n >= self.prefix_length
                and memcmp(self.bytes_ + symbol.start, self.prefix_bytes, self.prefix_length) == 0)

    cdef int _compare_strings(self, int32_t one, int32_t other) noexcept nogil:
        cdef Symbol *first = self.symbols + one
        cdef Symbol *second = self.symbols + other
        cdef int order
        if first.head != second.head:
            return -1 if first.head < second.head else 1
        order = memcmp(self.bytes_ + first.start, self.bytes_ + second.start, min(first.n, second.n))
        return order if order else (first.n > second.n) - (first.n < second.n)

    # Cells

    cdef void _set_words(self, const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] counts) noexcept nogil:
        cdef int64_t word, weight, part, index
        self._put(GAP, 0)
        for word in range(counts.shape[0]):
            weight = counts[word]
            while weight > 0:  # a count too large for a cell is spread over copies of the word
                part = min(weight, <int64_t>MAX_WEIGHT)
                for index in range(offsets[word], offsets[word + 1]):
                    self._put(ids[index], <int32_t>part)
                self._put(GAP, 0)
                weight -= part

    cdef inline void _put(self, int32_t token, int32_t weight) noexcept nogil:
        cdef Cell *cell = self.cells + self.n_cells
        cell.token = token if token >= 0 else <int32_t>GAP
        cell.span = 1
        cell.weight = weight
        if token >= 0:
            self.symbols[token].count += weight
        self.n_cells += 1

    # Pairs

    cdef inline int32_t *_slot(self, uint64_t key) noexcept nogil:
        """Find the slot of a pair, or the free one where it belongs."""
        cdef uint64_t at = mixed(key) & self.slot_mask
        while self.slots[at] and self.pairs[self.slots[at] - 1].key != key:
            at = (at + 1) & self.slot_mask
        return self.slots + at

    cdef Pair *_find(self, uint64_t key) noexcept nogil:
        """Give a pair that may still be merged, or NULL."""
        cdef int32_t number = self._slot(key)[0] - 1
        return self.pairs + number if number >= 0 and self.pairs[number].count else NULL

    cdef bint _is_short(self, uint64_t key) noexcept nogil:
        return <int64_t>self.symbols[left_of(key)].length + self.symbols[right_of(key)].length <= self.max_length

    cdef Pair *_new_pair(self, uint64_t key, int64_t count, int64_t n) noexcept nogil:
        """Put a pair into the table; NULL without memory."""
        cdef int32_t *old = self.slots
        cdef int64_t index
        cdef uint64_t size
        cdef Pair *pair
        if old == NULL or 2 * <uint64_t>self.n_pairs > self.slot_mask:
            size = 2 * (self.slot_mask + 1) if old != NULL else 1 << 12
            free(old)
            self.slots = <int32_t *>calloc(size, sizeof(int32_t))
            if self.slots == NULL:
                self.failed = True
                return NULL
            self.slot_mask = size - 1
            for index in range(self.n_pairs):
                self._slot(self.pairs[index].key)[0] = <int32_t>index + 1
        if not grow(<void **>&self.pairs, &self.pair_capacity, self.n_pairs + 1, sizeof(Pair)):
            self.failed = True
            return NULL
        pair = self.pairs + self.n_pairs
        pair.key = key
        pair.count = count
        pair.n = <int32_t>n
        pair.at = NONE
        self.n_pairs += 1
        self._slot(key)[0] = <int32_t>self.n_pairs
        return pair

    cdef void _link(self, int32_t number) noexcept nogil:
        """Put a pair among those of its symbols."""
        cdef Pair *pair = self.pairs + number
        cdef int32_t *first
        cdef int side
        for side in range(2):
            first = self.symbols[right_of(pair.key) if side else left_of(pair.key)].pairs + side
            pair.links[2 * side] = first[0]
            pair.links[2 * side + 1] = NONE
            if first[0] != NONE:
                self.pairs[first[0]].links[2 * side + 1] = number
            first[0] = number

    cdef void _drop(self, int32_t number) noexcept nogil:
        """Let go of a pair that may not be merged any more."""
        cdef Pair *pair = self.pairs + number
        cdef int32_t following, before
        cdef int side
        pair.count = 0
        if pair.at != NONE:
            self._leave(number)
        for side in range(2 if self.rule == LIKELIHOOD else 0):
            following, before = pair.links[2 * side], pair.links[2 * side + 1]
            if following != NONE:
                self.pairs[following].links[2 * side + 1] = before
            if before != NONE:
                self.pairs[before].links[2 * side] = following
            else:
                self.symbols[right_of(pair.key) if side else left_of(pair.key)].pairs[side] = following

    cdef void _list_pairs(self) noexcept nogil:
        """Count all pairs and list the places of those that may be merged, in the order of the corpus."""
        cdef int64_t place, number
        cdef uint64_t key
        cdef Cell *cell
        cdef Pair *pair
        for place in range(1, self.n_cells - 1):
            cell = self.cells + place
            if cell.token >= 0 and cell[1].token >= 0:
                key = pair_key(cell.token, cell[1].token)
                pair = self._find(key) if self.n_pairs else NULL
                if pair == NULL:
                    pair = self._new_pair(key, 0, 0)
                if pair == NULL:
                    return
                pair.count += cell.weight
                pair.n += 1
        for number in range(self.n_pairs):
            pair = self.pairs + number
            if pair.count < self.min_frequency or not self._is_short(pair.key):
                pair.count = 0
                continue
            pair.start = self.n_places
            self.n_places += pair.n
            pair.n = 0
            if self.rule == LIKELIHOOD:
                self._link(<int32_t>number)
        if not grow(<void **>&self.places, &self.place_capacity, self.n_places, sizeof(int32_t)):
            self.failed = True
            return
        for place in range(1, self.n_cells - 1):
            cell = self.cells + place
            if cell.token >= 0 and cell[1].token >= 0:
                pair = self._find(pair_key(cell.token, cell[1].token))
                if pair != NULL:
                    self.places[pair.start + pair.n] = <int32_t>place
                    pair.n += 1

    # The heap

    cdef inline double _score(self, const Pair *pair) noexcept nogil:
        if self.rule != LIKELIHOOD:
            return <double>pair.count
        return <double>pair.count / (<double>self.symbols[left_of(pair.key)].count * <double>self.symbols[right_of(pair.key)].count)

    cdef bint _before(self, const Entry *one, const Entry *other) noexcept nogil:
        """Tell whether one entry is better than the other."""
        cdef uint64_t first, second
        cdef int order
        if one.score > other.score * CLEARLY:
            return True
        if other.score > one.score * CLEARLY:
            return False
        if self.rule == LIKELIHOOD:
            order = compare_ratios(one.count, one.left, one.right, other.count, other.left, other.right)
            if order:
                return order > 0
        if one.count != other.count:
            return one.count > other.count
        first, second = self.pairs[one.pair].key, self.pairs[other.pair].key
        order = self._compare_strings(left_of(first), left_of(second))
        if order == 0:
            order = self._compare_strings(right_of(first), right_of(second))
        return order < 0

    cdef inline void _place(self, int64_t at, const Entry *entry) noexcept nogil:
        self.heap[at] = entry[0]
        self.pairs[entry.pair].at = <int32_t>at

    cdef void _sift(self, int64_t at, Entry entry) noexcept nogil:
        """Put an entry where it belongs, from a free place `at` upwards or downwards."""
        cdef int64_t parent, child
        while at > 0:
            parent = (at - 1) >> 1
            if not self._before(&entry, self.heap + parent):
                break
            self._place(at, self.heap + parent)
            at = parent
        while True:
            child = 2 * at + 1
            if child >= self.n_heap:
                break
            if child + 1 < self.n_heap and self._before(self.heap + child + 1, self.heap + child):
                child += 1
            if not self._before(self.heap + child, &entry):
                break
            self._place(at, self.heap + child)
            at = child
        self._place(at, &entry)

    cdef void _leave(self, int32_t number) noexcept nogil:
        """Take a pair out of the heap."""
        cdef int64_t at = self.pairs[number].at
        self.pairs[number].at = NONE
        self.n_heap -= 1
        if at < self.n_heap:
            self._sift(at, self.heap[self.n_heap])

    cdef void _bring_up_to_date(self, int32_t number) noexcept nogil:
        """Let the heap know what is true of a pair now."""
        cdef Pair *pair = self.pairs + number
        cdef Entry entry
        cdef int64_t at = pair.at
        entry.score = self._score(pair)
        if entry.score < self.floor / CLEARLY:
            if at != NONE:
                self._leave(number)
            return
        if at == NONE:
            if not grow(<void **>&self.heap, &self.heap_capacity, self.n_heap + 1, sizeof(Entry)):
                self.failed = True
                return
            at = self.n_heap
            self.n_heap += 1
        entry.count = pair.count
        entry.left = self.symbols[left_of(pair.key)].count
        entry.right = self.symbols[right_of(pair.key)].count
        entry.pair = number
        self._sift(at, entry)

    cdef bint _lower_floor(self) noexcept nogil:
        """Choose a floor that the best pairs reach and queue these; false where no pair may be merged."""
        cdef int64_t number, n = 0
        cdef double *scores = <double *>malloc((self.n_pairs + 1) * sizeof(double))
        if scores == NULL:
            self.failed = True
            return False
        for number in range(self.n_pairs):
            self.pairs[number].at = NONE
            if self.pairs[number].count:
                scores[n] = self._score(self.pairs + number)
                n += 1
        self.n_heap = 0
        self.floor = 0
        if n > max(self.expected, <int64_t>LEAST_QUEUED):
            self.floor = nth_greatest(scores, n, max(self.expected, <int64_t>LEAST_QUEUED))
        free(scores)
        for number in range(self.n_pairs):
            if self.pairs[number].count and not self.failed:
                self._bring_up_to_date(<int32_t>number)
        return n > 0

    cdef int32_t _best(self) noexcept nogil:
        """Give the pair to merge, NONE when there is none."""
        while not self.failed:
            # Equal scores may differ a little as floating-point numbers, so what is barely below the floor waits for the next one.
            if self.n_heap and self.heap[0].score >= self.floor:
                return self.heap[0].pair
            if self.floor == 0 or not self._lower_floor():
                break
        return NONE

    # Merging

    cdef void _note(self, int side, int64_t *n, int32_t token, int64_t place, int32_t weight) noexcept nogil:
        """Remember that a pair with a neighbour on one side changed."""
        cdef Event *event = self.events[side] + n[0]
        cdef Change *change = self.changes[side] + token
        event.token = token
        event.place = <int32_t>place
        change.sum += weight
        change.n += 1
        n[0] += 1

    cdef void _merge(self, int32_t number, int32_t made) noexcept nogil:
        """Merge a pair wherever it stands and bring the counts of the pairs around it up to date."""
        cdef uint64_t key = self.pairs[number].key
        cdef int32_t left = left_of(key), right = right_of(key)
        cdef int64_t index, n = self.pairs[number].n, n_left = 0, n_right = 0, sum_ = 0, place
        cdef const int32_t *places = self.places + self.pairs[number].start
        cdef Cell *cell
        cdef Cell *second
        cdef Cell *before
        cdef int side
        for side in range(2):
            if not grow(<void **>&self.events[side], &self.event_capacity[side], n, sizeof(Event)):
                self.failed = True
                return
        for index in range(n):
            if index + AHEAD < n:
                TP_PREFETCH(self.cells + places[index + AHEAD])
            place = places[index]
            cell = self.cells + place
            second = cell + cell.span
            if cell.token != left or second.token != right:
                continue
            sum_ += cell.weight
            second.token = INSIDE
            cell.token = made
            cell.span += second.span
            cell[cell.span - 1].span = cell.span
            before = cell - 1
            if before.token != GAP:
                self._note(0, &n_left, (cell - before.span).token, place - before.span, cell.weight)
            if cell[cell.span].token != GAP:
                self._note(1, &n_right, cell[cell.span].token, place, cell.weight)
        self.symbols[left].count -= sum_
        self.symbols[right].count -= sum_
        self.symbols[made].count += sum_
        self._drop(number)
        self._apply(1, n_right, right, made)
        self._apply(0, n_left, left, made)
        if self.rule == LIKELIHOOD:
            self._rescore(left)
            self._rescore(right)
            self._rescore(made)
            return
        for index in range(self.n_touched):
            if self.pairs[self.touched[index]].count:
                self._bring_up_to_date(self.touched[index])
        self.n_touched = 0

    cdef void _touch(self, Pair *pair) noexcept nogil:
        """Remember to bring a pair up to date; by the likelihood rule all pairs of the merged symbols are."""
        if self.rule == LIKELIHOOD:
            return
        if not grow(<void **>&self.touched, &self.touched_capacity, self.n_touched + 1, sizeof(int32_t)):
            self.failed = True
            return
        self.touched[self.n_touched] = <int32_t>(pair - self.pairs)
        self.n_touched += 1

    cdef void _lose(self, uint64_t key, int64_t count) noexcept nogil:
        cdef Pair *pair = self._find(key)
        if pair == NULL:
            return
        pair.count -= count
        if pair.count < self.min_frequency:
            self._drop(<int32_t>(pair - self.pairs))
        else:
            self._touch(pair)

    cdef void _apply(self, int side, int64_t n, int32_t part, int32_t made) noexcept nogil:
        """Replace the pairs of `part` with its neighbours on one side by those of `made`; the events tell where."""
        cdef int64_t index
        cdef int32_t other
        cdef Change *change
        for index in range(n):
            other = self.events[side][index].token
            change = self.changes[side] + other
            if change.at == 0:  # the first event of this neighbour
                self._lose(pair_key(part, other) if side else pair_key(other, part), change.sum)
                self._allot(change, pair_key(made, other) if side else pair_key(other, made))
                if self.failed:
                    return
            if change.at > 0:
                self.places[change.at - 1] = self.events[side][index].place
                change.at += 1
        for index in range(n):
            memset(self.changes[side] + self.events[side][index].token, 0, sizeof(Change))

    cdef void _allot(self, Change *change, uint64_t key) noexcept nogil:
        """Make a pair with room for its places, unless it may not be merged."""
        cdef Pair *pair
        change.at = -1
        if change.sum < self.min_frequency or not self._is_short(key):
            return
        pair = self._new_pair(key, change.sum, change.n)
        if pair == NULL or not grow(<void **>&self.places, &self.place_capacity, self.n_places + change.n, sizeof(int32_t)):
            self.failed = True
            return
        pair.start = self.n_places
        change.at = self.n_places + 1
        self.n_places += change.n
        if self.rule == LIKELIHOOD:
            self._link(<int32_t>(pair - self.pairs))
        self._touch(pair)

    cdef void _rescore(self, int32_t symbol) noexcept nogil:
        cdef int32_t number
        cdef int side
        for side in range(2):
            number = self.symbols[symbol].pairs[side]
            while number != NONE and not self.failed:
                self._bring_up_to_date(number)
                number = self.pairs[number].links[2 * side]

    cdef int64_t _run(self, int64_t n, int32_t[:, ::1] merges, int64_t[::1] counts) noexcept nogil:
        cdef int64_t done = 0
        cdef int32_t best, made
        while done < n:
            best = self._best()
            if best == NONE:
                break
            merges[done, 0] = left_of(self.pairs[best].key)
            merges[done, 1] = right_of(self.pairs[best].key)
            counts[done] = self.pairs[best].count
            made = self._join(merges[done, 0], merges[done, 1])
            if made == NONE:
                self._drop(best)
                continue
            self._merge(best, made)
            done += 1
        return done

    def run(self, int64_t n):
        """Learn up to `n` more merges.

        Returns
        -------
        merges : int32 array of shape (n_learned, 2)
            Left and right id; the new symbol's id is the next free one. Fewer than `n` where no pair is frequent enough.
        counts : int64 array of shape (n_learned,)
            How often each pair stood in the corpus.
        """
        merges = np.empty((max(n, 0), 2), dtype=np.int32)
        counts = np.empty(max(n, 0), dtype=np.int64)
        cdef int32_t[:, ::1] merge_view = merges
        cdef int64_t[::1] count_view = counts
        cdef int64_t done
        with nogil:
            if not self.has_pairs:
                # Not before somebody asks for them, when the arrays that the words came in may be gone.
                self.has_pairs = True
                self._list_pairs()
            done = self._run(n, merge_view, count_view)
        if self.failed:
            raise MemoryError("no memory for the pairs")
        return merges[:done], counts[:done]


def give_back_memory():
    """Give the system what was freed, of all that this process holds; what is large enough to matter is asked for anew sooner than reused."""
    with nogil:
        give_back_free_memory()
