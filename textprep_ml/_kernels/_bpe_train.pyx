# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Learn byte-pair merges from words with counts. The textbook twin is `_pure/bpe_train.py`.

All distinct words stand in one array of cells with a gap between words. A token lies in as many cells as it has initial symbols; its first
cell holds its id, and its first and last cell hold its length, so both neighbours are found without links. Every pair of adjacent tokens
has a count and the list of the places where it stood when its younger symbol was made: a pair never gains places later, so places are
checked when they are used and never removed. The best pair comes from a lazy heap: an entry is checked when popped and pushed back with
its true count, which can only be smaller.

Pairs rarer than a floor are neither listed nor put into the heap. Counts only fall, so a pair below the floor cannot be the best one while
one above it is left; when none is left, the floor is lowered and the cells are counted again, now with the merged tokens in one cell each.
"""

import numpy as np

cimport cython

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memset

cdef uint64_t EMPTY = ~<uint64_t>0

cdef extern from "huge_pages.h":
    void ask_for_huge_pages(void *start, size_t size) noexcept nogil

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define TP_PREFETCH(p) __builtin_prefetch(p)
    #else
    #define TP_PREFETCH(p) ((void)(p))
    #endif
    """
    void TP_PREFETCH(const void *) noexcept nogil

#: How equal counts are decided: the pair met first in the corpus as it is now, the smaller pair of strings, the smaller pair of ids.
TIE_RULES = ("first", "lexicographic", "id")

cdef enum:
    FIRST = 0
    LEXICOGRAPHIC = 1
    GAP = -1
    INSIDE = -2
    AHEAD = 12  # places whose cells are asked for in advance
    MAX_WEIGHT = 0x7FFFFFFF
    SKETCH_BITS = 19
    FEW_SYMBOLS = 512  # so many have a table with a cell for every pair

cdef struct Cell:
    int32_t token
    int32_t span
    int32_t weight

cdef struct Pair:
    uint64_t key
    int64_t count
    int64_t start
    int64_t n

cdef struct Entry:
    int64_t count
    uint64_t tie
    uint64_t key

cdef struct Change:
    int64_t sum
    int64_t n
    int64_t place

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


@cython.final  # its methods are called without a table and can be put in line
cdef class MergeLearner:
    """The merges of a corpus of weighted words, learned a few at a time.

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
        The symbols themselves; only the lexicographic rule looks at them.
    tie_break : str
        One of `TIE_RULES`.
    min_frequency : int
        Rarer pairs are not merged.
    max_length : int
        Longer symbols are not made; 0 sets no limit.
    expected : int
        About how many merges will be asked for; it changes the speed only.
    prefix_length : int
        So many bytes are left out of a right part when strings are joined.
    """

    cdef Cell *cells
    cdef int64_t n_cells
    cdef Pair *pairs
    cdef uint64_t pair_mask
    cdef int pair_shift
    cdef int64_t n_pairs
    cdef int32_t *places
    cdef int64_t n_places, place_capacity
    cdef Entry *heap
    cdef int64_t n_heap, heap_capacity
    cdef Change *changes_left
    cdef Change *changes_right
    cdef int64_t change_capacity
    cdef int32_t *touched
    cdef Event *events_left
    cdef Event *events_right
    cdef int32_t *events_own
    cdef int64_t event_capacity
    cdef int32_t *lengths
    cdef int64_t *string_start
    cdef unsigned char *string_bytes
    cdef int64_t string_used, string_capacity
    cdef int32_t n_symbols
    cdef int32_t symbol_capacity
    cdef int rule
    cdef int64_t min_frequency, floor, max_length, expected
    cdef int prefix_length
    cdef bint failed

    def __cinit__(self, const int32_t[::1] ids, const int64_t[::1] offsets, const int64_t[::1] counts, const int32_t[::1] lengths,
                  list strings, str tie_break, int64_t min_frequency, int64_t max_length, int64_t expected, int prefix_length=0):
        cdef int64_t total, word, place, weight, part, index, n_words = counts.shape[0], sum_of_weights = 0
        self.rule = TIE_RULES.index(tie_break)
        self.min_frequency = max(1, min_frequency)
        self.max_length = max_length if max_length > 0 else <int64_t>1 << 60
        self.expected = max(1, expected)
        self.prefix_length = prefix_length
        total = 1
        for word in range(n_words):
            total += (offsets[word + 1] - offsets[word] + 1) * (1 + (counts[word] - 1) // MAX_WEIGHT)
        if total >= MAX_WEIGHT:
            raise OverflowError(f"the distinct words have {total} symbols; at most {MAX_WEIGHT} are possible: sample the corpus")
        self.cells = <Cell *>malloc(total * sizeof(Cell))
        if self.cells == NULL:
            raise MemoryError("no memory for the words")
        ask_for_huge_pages(self.cells, total * sizeof(Cell))
        self._set_symbols(lengths, strings)
        with nogil:
            place = 0
            self._put(&place, GAP, 0)
            for word in range(n_words):
                weight = counts[word]
                sum_of_weights += weight * (offsets[word + 1] - offsets[word])
                while weight > 0:  # a count too large for a cell is spread over copies of the word
                    part = min(weight, <int64_t>MAX_WEIGHT)
                    for index in range(offsets[word], offsets[word + 1]):
                        self._put(&place, ids[index], <int32_t>part)
                    self._put(&place, GAP, 0)
                    weight -= part
            self.n_cells = place
            # A guess at the count of the last merges: the total weight over the merges wanted, with room.
            self.floor = max(self.min_frequency, sum_of_weights // (64 * self.expected))
            self._list_pairs()
        if self.failed:
            raise MemoryError("no memory for the pairs")

    def __dealloc__(self):
        free(self.cells)
        free(self.pairs)
        free(self.places)
        free(self.heap)
        free(self.changes_left)
        free(self.changes_right)
        free(self.touched)
        free(self.events_left)
        free(self.events_right)
        free(self.events_own)
        free(self.lengths)
        free(self.string_start)
        free(self.string_bytes)

    # Symbols

    cdef int _set_symbols(self, const int32_t[::1] lengths, list strings) except -1:
        cdef int32_t symbol
        cdef bytes string
        self.n_symbols = <int32_t>lengths.shape[0]
        if not self._make_room(self.n_symbols + 64):
            raise MemoryError("no memory for the symbols")
        for symbol in range(self.n_symbols):
            self.lengths[symbol] = lengths[symbol]
        if self.rule == LEXICOGRAPHIC:
            for symbol in range(self.n_symbols):
                string = strings[symbol]
                self._append_string(<const unsigned char *>string, len(string))
                self.string_start[symbol + 1] = self.string_used
        return 0

    cdef bint _make_room(self, int64_t n_symbols) noexcept nogil:
        """Let the tables indexed by symbol hold `n_symbols`."""
        cdef int64_t capacity, old = self.symbol_capacity
        if n_symbols <= old:
            return True
        capacity = max(2 * old, n_symbols + 256)
        self.lengths = <int32_t *>realloc(self.lengths, capacity * sizeof(int32_t))
        self.touched = <int32_t *>realloc(self.touched, capacity * sizeof(int32_t))
        self.changes_left = <Change *>realloc(self.changes_left, capacity * sizeof(Change))
        self.changes_right = <Change *>realloc(self.changes_right, capacity * sizeof(Change))
        self.string_start = <int64_t *>realloc(self.string_start, (capacity + 1) * sizeof(int64_t))
        if (self.lengths == NULL or self.touched == NULL or self.changes_left == NULL or self.changes_right == NULL
                or self.string_start == NULL):
            self.failed = True
            return False
        memset(self.changes_left + old, 0, (capacity - old) * sizeof(Change))
        memset(self.changes_right + old, 0, (capacity - old) * sizeof(Change))
        if old == 0:
            self.string_start[0] = 0
        self.symbol_capacity = <int32_t>capacity
        return True

    cdef void _append_string(self, const unsigned char *string, int64_t n) noexcept nogil:
        cdef int64_t index
        cdef unsigned char *grown
        if self.string_used + n > self.string_capacity:
            self.string_capacity = 2 * (self.string_used + n) + 1024
            grown = <unsigned char *>malloc(self.string_capacity)
            if grown == NULL:
                self.failed = True
                return
            for index in range(self.string_used):
                grown[index] = self.string_bytes[index]
            for index in range(n):  # `string` may lie in the old block
                grown[self.string_used + index] = string[index]
            free(self.string_bytes)
            self.string_bytes = grown
        else:
            for index in range(n):
                self.string_bytes[self.string_used + index] = string[index]
        self.string_used += n

    cdef int32_t _new_symbol(self, int32_t left, int32_t right) noexcept nogil:
        cdef int32_t made = self.n_symbols
        cdef int64_t start, n
        if not self._make_room(made + 1):
            return made
        self.lengths[made] = self.lengths[left] + self.lengths[right]
        if self.rule == LEXICOGRAPHIC:
            self._append_string(self.string_bytes + self.string_start[left], self.string_start[left + 1] - self.string_start[left])
            start = self.string_start[right] + self.prefix_length
            n = max(self.string_start[right + 1] - start, 0)
            self._append_string(self.string_bytes + start, n)
            self.string_start[made + 1] = self.string_used
        self.n_symbols = made + 1
        return made

    cdef int _compare_strings(self, int32_t one, int32_t other) noexcept nogil:
        cdef int64_t n_one, n_other
        cdef int order
        if one == other:
            return 0
        n_one = self.string_start[one + 1] - self.string_start[one]
        n_other = self.string_start[other + 1] - self.string_start[other]
        order = memcmp(self.string_bytes + self.string_start[one], self.string_bytes + self.string_start[other], min(n_one, n_other))
        return order if order else (n_one > n_other) - (n_one < n_other)

    # Cells

    cdef inline void _put(self, int64_t *place, int32_t token, int32_t weight) noexcept nogil:
        cdef Cell *cell = self.cells + place[0]
        cell.token = token if token >= 0 else <int32_t>GAP
        cell.span = 1
        cell.weight = weight
        place[0] += 1

    cdef void _compact(self) noexcept nogil:
        """Put every token into one cell and drop the words that are a single token by now."""
        cdef int64_t read = 1, write = 1, first
        cdef Cell cell
        while read < self.n_cells:
            first = write
            while True:
                cell = self.cells[read]
                if cell.token == GAP:
                    read += 1
                    break
                read += cell.span
                cell.span = 1
                self.cells[write] = cell
                write += 1
            if write - first < 2:
                write = first
            else:
                self.cells[write].token = GAP
                self.cells[write].span = 1
                self.cells[write].weight = 0
                write += 1
        self.n_cells = write

    # The pair table: open addressing, no removal

    cdef bint _new_table(self, int bits) noexcept nogil:
        free(self.pairs)
        self.pairs = <Pair *>malloc((<int64_t>1 << bits) * sizeof(Pair))
        self.pair_mask = (<uint64_t>1 << bits) - 1
        self.pair_shift = 64 - bits
        self.n_pairs = 0
        if self.pairs == NULL:
            self.failed = True
            return False
        ask_for_huge_pages(self.pairs, (<int64_t>1 << bits) * sizeof(Pair))
        memset(self.pairs, 0xFF, (<int64_t>1 << bits) * sizeof(Pair))  # every key becomes EMPTY
        return True

    cdef inline Pair *_slot(self, uint64_t key) noexcept nogil:
        """Find a pair, or the empty slot where it belongs."""
        cdef uint64_t at = mixed(key) >> self.pair_shift
        while self.pairs[at].key != key and self.pairs[at].key != EMPTY:
            at = (at + 1) & self.pair_mask
        return self.pairs + at

    cdef bint _grow_table(self) noexcept nogil:
        cdef Pair *old = self.pairs
        cdef uint64_t index, size = self.pair_mask + 1
        cdef int64_t n_pairs = self.n_pairs
        self.pairs = NULL
        if self._new_table(65 - self.pair_shift):
            for index in range(size):
                if old[index].key != EMPTY:
                    self._slot(old[index].key)[0] = old[index]
            self.n_pairs = n_pairs
        free(old)
        return not self.failed

    cdef bint _add_pair(self, uint64_t key, int64_t count, int64_t start, int64_t n) noexcept nogil:
        cdef Pair *pair
        if 2 * <uint64_t>(self.n_pairs + 1) > self.pair_mask and not self._grow_table():
            return False
        pair = self._slot(key)
        pair.key = key
        pair.count = count
        pair.start = start
        pair.n = n
        self.n_pairs += 1
        return True

    cdef bint _reserve_places(self, int64_t n) noexcept nogil:
        if self.n_places + n > self.place_capacity:
            self.place_capacity = (self.n_places + n) + (self.n_places + n) // 4 + 1024
            self.places = <int32_t *>realloc(self.places, self.place_capacity * sizeof(int32_t))
            if self.places == NULL:
                self.failed = True
            ask_for_huge_pages(self.places, self.place_capacity * sizeof(int32_t))
        return not self.failed

    cdef bint _is_allowed(self, uint64_t key, int64_t count) noexcept nogil:
        return count >= self.floor and self.lengths[left_of(key)] + <int64_t>self.lengths[right_of(key)] <= self.max_length

    cdef void _recount(self) noexcept nogil:
        """Count all pairs anew; list and queue those at the floor or above."""
        self._compact()
        self._list_pairs()

    cdef void _list_pairs(self) noexcept nogil:
        self.n_heap = 0
        self.n_places = 0
        if not self._new_table(12):
            return
        if self.n_symbols <= FEW_SYMBOLS:
            self._list_pairs_of_few()
        elif self._count_pairs() and self._allot_places():
            self._fill_places()
        if not self.failed:
            self._queue_pairs()

    cdef void _list_pairs_of_few(self) noexcept nogil:
        """Count and list the pairs of a small alphabet by a table without hashing."""
        cdef int64_t place, index, n = self.n_symbols
        cdef Cell *cell
        cdef Pair *pair
        cdef Pair *square = <Pair *>calloc(n * n, sizeof(Pair))
        if square == NULL:
            self.failed = True
            return
        for place in range(1, self.n_cells - 1):
            cell = self.cells + place
            if cell.token >= 0 and cell[1].token >= 0:
                pair = square + <int64_t>cell.token * n + cell[1].token
                pair.count += cell.weight
                pair.n += 1
        for index in range(n * n):
            pair = square + index
            if pair.n == 0:
                continue
            pair.key = pair_key(<int32_t>(index // n), <int32_t>(index % n))
            pair.start = -1
            if self._is_allowed(pair.key, pair.count):
                pair.start = self.n_places
                self.n_places += pair.n
            if not self._add_pair(pair.key, pair.count, pair.start, pair.n):
                break
        if not self.failed and self._fresh_places():
            for place in range(1, self.n_cells - 1):
                cell = self.cells + place
                if cell.token >= 0 and cell[1].token >= 0:
                    pair = square + cell.token * n + cell[1].token
                    if pair.start >= 0:
                        self.places[pair.start] = <int32_t>place
                        pair.start += 1
        free(square)

    cdef bint _count_pairs(self) noexcept nogil:
        """Count the pairs that may reach the floor.

        Where there can be many pairs, a small table of sums per hash value tells first which ones may, so that the table of pairs stays
        small.
        """
        cdef int64_t place
        cdef uint64_t key
        cdef Cell *cell
        cdef Pair *pair
        cdef int64_t *sketch = NULL
        if <int64_t>self.n_symbols * self.n_symbols > <int64_t>1 << SKETCH_BITS:
            sketch = <int64_t *>calloc(<int64_t>1 << SKETCH_BITS, sizeof(int64_t))
            if sketch == NULL:
                self.failed = True
                return False
            for place in range(1, self.n_cells - 1):
                cell = self.cells + place
                if cell.token >= 0 and cell[1].token >= 0:
                    sketch[mixed(pair_key(cell.token, cell[1].token)) >> (64 - SKETCH_BITS)] += cell.weight
        for place in range(1, self.n_cells - 1):
            cell = self.cells + place
            if cell.token < 0 or cell[1].token < 0:
                continue
            key = pair_key(cell.token, cell[1].token)
            if sketch != NULL and sketch[mixed(key) >> (64 - SKETCH_BITS)] < self.floor:
                continue
            pair = self._slot(key)
            if pair.key == key:
                pair.n += 1
                pair.count += cell.weight
            elif not self._add_pair(key, cell.weight, 0, 1):
                break
        free(sketch)
        return not self.failed

    cdef bint _allot_places(self) noexcept nogil:
        """Give every pair that may be merged its range in the list of places."""
        cdef uint64_t index
        cdef Pair *pair
        for index in range(self.pair_mask + 1):
            pair = self.pairs + index
            if pair.key == EMPTY:
                continue
            if self._is_allowed(pair.key, pair.count):
                pair.start = self.n_places
                self.n_places += pair.n
            else:
                pair.start = -1
            pair.n = 0
        return self._fresh_places()

    cdef bint _fresh_places(self) noexcept nogil:
        """Make a block for the places: growing the old one would copy places that nobody needs."""
        free(self.places)
        self.places = NULL
        self.place_capacity = 0
        return self._reserve_places(0)

    cdef void _fill_places(self) noexcept nogil:
        """List the places of each pair in the order of the corpus."""
        cdef int64_t place
        cdef Cell *cell
        cdef Pair *pair
        for place in range(1, self.n_cells - 1):
            cell = self.cells + place
            if cell.token < 0 or cell[1].token < 0:
                continue
            pair = self._slot(pair_key(cell.token, cell[1].token))
            if pair.key != EMPTY and pair.start >= 0:
                self.places[pair.start + pair.n] = <int32_t>place
                pair.n += 1

    cdef void _queue_pairs(self) noexcept nogil:
        cdef uint64_t index
        cdef Pair *pair
        for index in range(self.pair_mask + 1):
            pair = self.pairs + index
            if pair.key != EMPTY and pair.start >= 0:
                self._push(pair)

    # The heap

    cdef inline bint _before(self, const Entry *one, const Entry *other) noexcept nogil:
        cdef int order
        if one.count != other.count:
            return one.count > other.count
        if self.rule == LEXICOGRAPHIC:
            order = self._compare_strings(left_of(one.key), left_of(other.key))
            if order == 0:
                order = self._compare_strings(right_of(one.key), right_of(other.key))
            if order != 0:
                return order < 0
        return one.tie < other.tie

    cdef void _push(self, const Pair *pair) noexcept nogil:
        """Queue a pair with what is known about it now."""
        cdef Entry entry
        cdef int64_t at = self.n_heap, parent
        if at == self.heap_capacity:
            self.heap_capacity = 2 * at + 1024
            self.heap = <Entry *>realloc(self.heap, self.heap_capacity * sizeof(Entry))
            if self.heap == NULL:
                self.failed = True
                return
        entry.count = pair.count
        entry.key = pair.key
        entry.tie = <uint64_t>self.places[pair.start] if self.rule == FIRST else pair.key
        self.n_heap += 1
        while at > 0:
            parent = (at - 1) >> 1
            if not self._before(&entry, self.heap + parent):
                break
            self.heap[at] = self.heap[parent]
            at = parent
        self.heap[at] = entry

    cdef Entry _pop(self) noexcept nogil:
        cdef Entry top = self.heap[0], last
        cdef int64_t at = 0, child
        self.n_heap -= 1
        last = self.heap[self.n_heap]
        while True:
            child = 2 * at + 1
            if child >= self.n_heap:
                break
            if child + 1 < self.n_heap and self._before(self.heap + child + 1, self.heap + child):
                child += 1
            if not self._before(self.heap + child, &last):
                break
            self.heap[at] = self.heap[child]
            at = child
        self.heap[at] = last
        return top

    cdef inline bint _stands_at(self, uint64_t key, int32_t place) noexcept nogil:
        cdef Cell *cell = self.cells + place
        return cell.token == left_of(key) and cell[cell.span].token == right_of(key)

    cdef Pair *_best(self) noexcept nogil:
        """Take the pair to merge from the heap; NULL when none at the floor is left."""
        cdef Entry entry
        cdef Pair *pair
        while self.n_heap and not self.failed:
            entry = self._pop()
            pair = self._slot(entry.key)
            if self.rule == FIRST and pair.count >= self.floor:
                while not self._stands_at(pair.key, self.places[pair.start]):
                    pair.start += 1
                    pair.n -= 1
            if entry.count == pair.count and (self.rule != FIRST or entry.tie == <uint64_t>self.places[pair.start]):
                return pair
            if pair.count >= self.floor:
                self._push(pair)
        return NULL

    # Merging

    cdef bint _reserve_events(self, int64_t n) noexcept nogil:
        if n <= self.event_capacity:
            return True
        free(self.events_left)
        free(self.events_right)
        free(self.events_own)
        self.events_left = <Event *>malloc(n * sizeof(Event))
        self.events_right = <Event *>malloc(n * sizeof(Event))
        self.events_own = <int32_t *>malloc(n * sizeof(int32_t))
        self.event_capacity = n
        if self.events_left == NULL or self.events_right == NULL or self.events_own == NULL:
            self.failed = True
        return not self.failed

    cdef void _merge(self, Pair *best) noexcept nogil:
        """Merge a pair wherever it stands and bring the counts of the pairs around it up to date."""
        cdef uint64_t key = best.key
        cdef int32_t left = left_of(key), right = right_of(key), made, place, other
        cdef int64_t index, n = best.n, n_left = 0, n_right = 0, n_own = 0, own_sum = 0
        cdef const int32_t *places = self.places + best.start
        cdef Cell *cell
        cdef Cell *second
        cdef Cell *after
        cdef Cell *before
        cdef Change *change
        made = self._new_symbol(left, right)
        if self.failed or not self._reserve_events(n):
            return
        for index in range(n):
            if index + AHEAD < n:
                TP_PREFETCH(self.cells + places[index + AHEAD])
            place = places[index]
            cell = self.cells + place
            second = cell + cell.span
            if cell.token != left or second.token != right:
                continue
            cell.token = made
            second.token = INSIDE
            cell.span += second.span
            cell[cell.span - 1].span = cell.span
            before = cell - 1
            if before.token != GAP:
                before = cell - before.span
                if before.token == made:  # the same pair stood here and became the same symbol
                    self.events_own[n_own] = <int32_t>(before - self.cells)
                    n_own += 1
                    own_sum += cell.weight
                else:
                    self.events_left[n_left].token = before.token
                    self.events_left[n_left].place = <int32_t>(before - self.cells)
                    n_left += 1
                    change = self.changes_left + before.token
                    change.sum += cell.weight
                    change.n += 1
            after = cell + cell.span
            other = after.token
            # What follows may be the next place of the same pair; it will see the new symbol on its left.
            if other >= 0 and not (other == left and after[after.span].token == right):
                self.events_right[n_right].token = other
                self.events_right[n_right].place = place
                n_right += 1
                change = self.changes_right + other
                change.sum += cell.weight
                change.n += 1
        self._lose(pair_key(right, left), own_sum)
        self._apply(self.events_left, n_left, self.changes_left, left, made, True)
        self._apply(self.events_right, n_right, self.changes_right, right, made, False)
        self._add_places(pair_key(made, made), own_sum, n_own)
        self._slot(key).count = 0

    cdef inline void _lose(self, uint64_t key, int64_t count) noexcept nogil:
        cdef Pair *pair = self._slot(key)
        if pair.key != EMPTY:
            pair.count -= count

    cdef void _add_places(self, uint64_t key, int64_t count, int64_t n) noexcept nogil:
        """Add the pair of the new symbol with itself."""
        cdef int64_t index, start = self.n_places
        if n == 0 or not self._is_allowed(key, count) or not self._reserve_places(n):
            return
        for index in range(n):
            self.places[start + index] = self.events_own[index]
        self.n_places += n
        if self._add_pair(key, count, start, n):
            self._push(self._slot(key))

    cdef void _allot_change(self, Change *change, uint64_t key) noexcept nogil:
        """Give a new pair its range of places; `change.place` is one more than the next free one, -1 where the pair may not be merged."""
        change.place = -1
        if self._is_allowed(key, change.sum) and self._reserve_places(change.n) and self._add_pair(key, change.sum, self.n_places, change.n):
            change.place = self.n_places + 1
            self.n_places += change.n

    cdef void _apply(self, const Event *events, int64_t n, Change *changes, int32_t part, int32_t made, bint on_left) noexcept nogil:
        """Replace the pairs of `part` with its neighbours on one side by those of `made`; the events tell where."""
        cdef int64_t index, n_touched = 0
        cdef int32_t other
        cdef Change *change
        for index in range(n):
            other = events[index].token
            change = changes + other
            if change.place == 0:  # the first event of this neighbour
                self._lose(pair_key(other, part) if on_left else pair_key(part, other), change.sum)
                self._allot_change(change, pair_key(other, made) if on_left else pair_key(made, other))
                self.touched[n_touched] = other
                n_touched += 1
            if change.place > 0:
                self.places[change.place - 1] = events[index].place
                change.place += 1
        for index in range(n_touched):
            other = self.touched[index]
            if changes[other].place > 0:
                self._push(self._slot(pair_key(other, made) if on_left else pair_key(made, other)))
            memset(changes + other, 0, sizeof(Change))

    cdef int64_t _run(self, int64_t n, int32_t[:, ::1] merges, int64_t[::1] counts) noexcept nogil:
        cdef int64_t done = 0
        cdef Pair *best
        while done < n and not self.failed:
            best = self._best()
            if best == NULL:
                if self.failed or self.floor <= self.min_frequency:
                    break
                self.floor = max(self.min_frequency, self.floor // 8)
                self._recount()
                continue
            merges[done, 0] = left_of(best.key)
            merges[done, 1] = right_of(best.key)
            counts[done] = best.count
            self._merge(best)
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
            done = self._run(n, merge_view, count_view)
        if self.failed:
            raise MemoryError("no memory for the pairs")
        return merges[:done], counts[:done]
