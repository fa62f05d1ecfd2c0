# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Train a unigram model: seed pieces from a suffix array, expectation and maximization, pruning. The twin is `_pure/unigram_train.py`.

The corpus is one array of symbols, each word with a 0 behind it. Suffixes are dealt into buckets by one symbol after another, from the last that a
piece may have to the first, which takes linear time and two arrays. Pieces are intervals of that order, so their occurrences are known without a
search, and intervals lie in one another as pieces begin with one another: for every place of the corpus there is the longest piece that begins
there, and for every piece the longest other one that it begins with. These chains are the lattice of all rounds of estimation, in one number for a
place; they get shorter as pieces go.
"""

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport INFINITY, exp, log, log1p
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from textprep_ml._kernels._pure.unigram_train import LEAST, digamma, keep_best

cdef extern from "free_memory.h" nogil:
    void give_back_free_memory()

cdef enum:
    MIXED = -1  # the preceding symbol of occurrences that do not all have the same
    NONE = -1   # no piece of two or more symbols
    LONGEST = 255  # symbols in a piece, at most

#: Products of probabilities stay within these, or are made anew as logarithms.
cdef double LOW = 1e-250
cdef double HIGH = 1e250


cdef void *address(object array) except? NULL:
    """Give where the items of a contiguous array are; the caller keeps the array alive."""
    cdef Py_buffer buffer
    cdef void *items
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    items = buffer.buf
    PyBuffer_Release(&buffer)
    return items


cdef object suffixes(const int32_t *text, int64_t n, int64_t n_codes, int64_t depth, int32_t *room):
    """Sort the places of a text that hold no 0 by the `depth` symbols from there on; what lies behind the end of a word is of no account.

    There must be room for `n` numbers.
    """
    cdef int64_t count = 0, i, at, step
    cdef int32_t symbol
    for i in range(n):
        count += text[i] != 0
    result, heads = np.empty(count, dtype=np.int32), np.empty(n_codes + 1, dtype=np.int64)
    cdef int64_t *head = <int64_t *>address(heads)
    cdef int32_t *order = <int32_t *>address(result) if count else NULL
    cdef int32_t *other = room
    with nogil:
        if depth % 2:
            order, other = other, order  # so that the last step leaves what it has sorted in the result
        at = 0
        for i in range(n):
            if text[i]:
                order[at] = <int32_t>i
                at += 1
        for step in range(depth - 1, -1, -1):
            memset(head, 0, (n_codes + 1) * sizeof(int64_t))
            for i in range(count):
                at = order[i] + step
                head[(text[at] if at < n else 0) + 1] += 1
            for i in range(n_codes):
                head[i + 1] += head[i]
            for i in range(count):
                at = order[i] + step
                symbol = text[at] if at < n else 0
                other[head[symbol]] = order[i]
                head[symbol] += 1
            order, other = other, order
    return result


cdef struct Interval:
    int64_t weight
    int32_t left, right  # places left to right - 1 of the order
    int32_t depth
    int32_t before  # the symbol in front of all of them, or MIXED


cdef inline void join(Interval *whole, const Interval *part) noexcept nogil:
    whole.weight += part.weight
    if whole.before != part.before:
        whole.before = MIXED


cdef class UnigramLearner:
    """Learns from words in symbols; the parameters and methods are those of the twin."""

    cdef readonly int64_t n_symbols
    cdef readonly int64_t n_pieces
    cdef int64_t longest
    cdef double scale   # added to the score of a piece for every symbol of it, so that products over words stay near 1
    # The corpus: symbols from 1 on with zeros between words; where words begin and end, and how often they occur.
    cdef object text_array, word_arrays
    cdef const int32_t *text
    cdef int64_t n_places
    cdef int32_t *begins
    cdef int32_t *ends
    cdef int64_t *weights
    cdef int64_t n_words
    # The pieces: one place where each occurs, length, score, expected count; characters first, whose place is -1.
    cdef object starts, lengths, scores, counts
    # Of two or more symbols: the longest piece that begins at each place, and the longest other one that each piece begins with, or NONE.
    cdef object chain_arrays
    cdef int32_t *deepest
    cdef int32_t *shorter
    # The intervals of the seeds, while they are made.
    cdef Interval *seeds
    cdef int64_t n_seeds

    def __init__(self, text, offsets, counts, n_symbols, max_length):
        self.n_symbols, self.longest = n_symbols, max_length
        if max_length > LONGEST:
            raise ValueError(f"A piece has at most {LONGEST} symbols, but max_length is {max_length}.")
        self.text_array = np.ascontiguousarray(text, dtype=np.int32)
        self.n_places = len(self.text_array)
        if self.n_places >= 1 << 31:
            raise ValueError("The distinct words of the corpus have more than 2^31 characters in all; train on a sample of it.")
        if self.n_places:
            self.text = <const int32_t *>address(self.text_array)
        self._find_words(offsets, counts)

    def find_seeds(self, seed_size):
        """Choose the pieces to begin with, at most so many: those whose occurrences cover most of the corpus."""
        places = np.empty(self.n_places, dtype=np.int32)
        cdef int32_t *room = <int32_t *>address(places) if self.n_places else NULL
        order = suffixes(self.text, self.n_places, self.n_symbols + 1, min(self.longest, self._longest_word()), room)
        self._find_intervals(order, room)
        self._keep_intervals(seed_size)
        self.n_pieces = self.n_symbols + self.n_seeds
        self.chain_arrays = places, np.full(self.n_pieces, NONE, dtype=np.int32)
        places.fill(NONE)
        self.deepest, self.shorter = room, <int32_t *>address(self.chain_arrays[1])
        self._link(order)
        del order  # before there are more arrays
        self._start()

    def __dealloc__(self):
        free(self.seeds)

    # Words

    cdef _find_words(self, const int64_t[::1] offsets, const int64_t[::1] counts):
        """Note where the words are; a 0 inside of one makes two of it."""
        cdef int64_t word, at, n = 0, n_given = counts.shape[0]
        cdef bint is_inside = False
        if offsets.shape[0] != n_given + 1 or offsets[0] != 0 or offsets[n_given] != self.n_places:
            raise ValueError("the symbols, offsets and counts of the words do not fit together")
        for at in range(self.n_places):
            if self.text[at] < 0 or self.text[at] > self.n_symbols:
                raise ValueError(f"there is no symbol {self.text[at]}")
            n += self.text[at] != 0 and not is_inside
            is_inside = self.text[at] != 0
        if is_inside:
            raise ValueError("the last word has no 0 behind it")
        self.word_arrays = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
        self.n_words = n
        if not n:
            return
        self.begins, self.ends = <int32_t *>address(self.word_arrays[0]), <int32_t *>address(self.word_arrays[1])
        self.weights = <int64_t *>address(self.word_arrays[2])
        n = 0
        for word in range(n_given):
            if offsets[word] > offsets[word + 1]:
                raise ValueError(f"word {word} ends before it begins")
            is_inside = False
            for at in range(offsets[word], offsets[word + 1]):
                if self.text[at] and not is_inside:
                    self.begins[n], self.weights[n] = <int32_t>at, counts[word]
                    n += 1
                elif not self.text[at] and is_inside:
                    self.ends[n - 1] = <int32_t>at
                is_inside = self.text[at] != 0
            if is_inside:
                raise ValueError(f"word {word} has no 0 behind it")

    cdef int64_t _longest_word(self) noexcept:
        cdef int64_t i, most = 0
        for i in range(self.n_words):
            most = max(most, <int64_t>(self.ends[i] - self.begins[i]))
        return most

    # Seeds

    cdef int32_t _common(self, int64_t a, int64_t b) noexcept nogil:
        """Count the symbols that two suffixes share, at most the longest piece; none behind the end of a word."""
        cdef int32_t length = 0
        while length < self.longest and self.text[a + length] and self.text[a + length] == self.text[b + length]:
            length += 1
        return length

    cdef int _find_intervals(self, object order_array, int32_t *word_at) except -1:
        """Find all strings of two or more symbols that occur and are not always followed, or preceded, by the same symbol.

        `word_at` is room for the number of the word at each place.
        """
        cdef const int32_t[::1] order = order_array
        cdef int64_t n = order.shape[0], i, place, length, capacity = 1024
        cdef int32_t depth, last = 0, top = 0
        cdef Interval stack[LONGEST + 2]
        cdef Interval *more
        cdef Interval item
        self.seeds = <Interval *>malloc(capacity * sizeof(Interval))
        cdef bint failed = self.seeds == NULL
        with nogil:
            for i in range(self.n_words):
                for place in range(self.begins[i], self.ends[i]):
                    word_at[place] = <int32_t>i
            i = 0
            while i <= n and not failed:
                # The depth that place i shares with the one before; 0 at both ends closes everything.
                depth = self._common(order[i - 1], order[i]) if 0 < i < n else 0
                if i:
                    # Place i - 1 as a leaf: only a whole word can be a piece that occurs in one place.
                    place = order[i - 1]
                    item.left, item.right, item.weight = <int32_t>(i - 1), <int32_t>i, self.weights[word_at[place]]
                    item.before = MIXED if place == 0 or self.text[place - 1] == 0 else self.text[place - 1]
                    length = 0
                    if item.weight > 1 and place == self.begins[word_at[place]]:
                        length = self.ends[word_at[place]] - place
                    item.depth = <int32_t>length
                    if self.n_seeds + self.longest + 2 > capacity:
                        capacity *= 2
                        more = <Interval *>realloc(self.seeds, capacity * sizeof(Interval))
                        if more == NULL:
                            failed = True
                            break
                        self.seeds = more
                    if length > max(last, depth, 1) and length <= self.longest:
                        self.seeds[self.n_seeds] = item
                        self.n_seeds += 1
                    # Close what is deeper than what goes on, and hand its sums to what is around it.
                    while top and stack[top - 1].depth > depth:
                        top -= 1
                        join(&stack[top], &item)
                        item = stack[top]
                        item.right = <int32_t>i
                        if item.before == MIXED and item.depth > 1:
                            self.seeds[self.n_seeds] = item
                            self.n_seeds += 1
                    if depth:
                        if top and stack[top - 1].depth == depth:
                            join(&stack[top - 1], &item)
                        else:
                            stack[top] = item
                            stack[top].depth = depth
                            top += 1
                last = depth
                i += 1
        if failed:
            raise MemoryError
        return 0

    cdef int _keep_intervals(self, int64_t size) except -1:
        """Keep so many seeds, those that cover most of the corpus."""
        cdef int64_t i
        if self.n_seeds <= size:
            return 0
        gains = np.empty(self.n_seeds, dtype=np.int64)
        cdef int64_t[::1] gain = gains
        for i in range(self.n_seeds):
            gain[i] = self.seeds[i].weight * self.seeds[i].depth
        cdef const int64_t[::1] kept = keep_best(gains, size)
        for i in range(kept.shape[0]):
            self.seeds[i] = self.seeds[kept[i]]
        self.n_seeds = kept.shape[0]
        return 0

    cdef _link(self, object order_array):
        """Link each place and each piece with the longest piece at its beginning, and note where each piece occurs first in the order."""
        cdef const int32_t[::1] order = order_array
        cdef int64_t i, k, length, n_symbols = self.n_symbols
        cdef const Interval *seed
        self.starts = np.full(self.n_pieces, -1, dtype=np.int32)
        cdef int32_t[::1] starts = self.starts
        with nogil:
            for length in range(2, self.longest + 1):  # what is longer comes over what is shorter
                for i in range(self.n_seeds):
                    seed = self.seeds + i
                    if seed.depth == length:
                        self.shorter[n_symbols + i] = self.deepest[order[seed.left]]
                        for k in range(seed.left, seed.right):
                            self.deepest[order[k]] = <int32_t>(n_symbols + i)
            for i in range(self.n_seeds):
                starts[n_symbols + i] = order[self.seeds[i].left]

    cdef _start(self):
        """Give each piece its length, and a score by how often it occurs."""
        cdef int64_t i, k
        cdef double least = LEAST
        self.lengths, self.counts = np.ones(self.n_pieces, dtype=np.int32), np.zeros(self.n_pieces)
        cdef int32_t[::1] lengths = self.lengths
        cdef double[::1] counts = self.counts
        with nogil:
            for i in range(self.n_words):
                for k in range(self.begins[i], self.ends[i]):
                    counts[self.text[k] - 1] += self.weights[i]
            for i in range(self.n_symbols):
                counts[i] = max(counts[i], least)
            for i in range(self.n_seeds):
                lengths[self.n_symbols + i] = self.seeds[i].depth
                counts[self.n_symbols + i] = self.seeds[i].weight
            free(self.seeds)
            self.seeds = NULL
        self.scores = np.log(self.counts / self.counts.sum())
        self.scale = 0

    cdef inline int32_t _edges(self, int64_t place, int32_t *edges) noexcept nogil:
        """List the pieces of two or more symbols that begin at a place, the shortest last; give how many there are."""
        cdef int32_t n = 0, id = self.deepest[place]
        while id >= 0:
            edges[n] = id
            n += 1
            id = self.shorter[id]
        return n

    # Estimation

    def estimate(self, bint bayes=True, int64_t least=0):
        """Run one round: count the pieces as the model expects them, and set their scores by these counts.

        With `bayes` rare pieces get less than their share, and those expected less than half a time go, as long as `least` remain. Gives the
        logarithm of the likelihood that the corpus had before.
        """
        cdef int64_t i, length, most = 0
        cdef double total = 0, found, symbols = 0
        counts = np.zeros(self.n_pieces)
        factors = np.exp(self.scores + self.scale * self.lengths)
        for i in range(self.n_words):
            most = max(most, self.ends[i] - self.begins[i])
            symbols += <double>(self.ends[i] - self.begins[i]) * self.weights[i]
        room = np.empty(2 * most + 2)
        cdef double *forward = <double *>address(room)
        cdef double *backward = forward + most + 1
        cdef double *expected = <double *>address(counts)
        cdef const double *weights = <const double *>address(factors)
        cdef const double *scores = <const double *>address(self.scores)
        cdef const int32_t *lengths = <const int32_t *>address(self.lengths)
        with nogil:
            for i in range(self.n_words):
                length = self.ends[i] - self.begins[i]
                found = self._count(i, weights, lengths, forward, backward, expected)
                if found == 0:
                    found = self._count_logs(i, scores, lengths, forward, backward, expected)
                else:
                    found = log(found) - self.scale * length
                total += found * self.weights[i]
        self.counts = counts
        self.scale = -total / symbols if symbols else 0
        self._maximize(bayes, least)
        return total

    cdef double _count(self, int64_t word, const double *factors, const int32_t *lengths, double *forward, double *backward,
                       double *expected) noexcept nogil:
        """Add the expected counts of one word; give the scaled sum over all ways through it, or 0 where numbers get too large or small."""
        cdef int64_t length = self.ends[word] - self.begins[word], i, k
        cdef const int32_t *text = self.text + self.begins[word]
        cdef int32_t edges[LONGEST]
        cdef int32_t id
        cdef double here, part, sum
        for i in range(1, length + 1):
            forward[i] = 0
        forward[0] = 1
        for i in range(length):
            here = forward[i]
            if here < LOW or here > HIGH:
                return 0
            forward[i + 1] += here * factors[text[i] - 1]
            for k in range(self._edges(self.begins[word] + i, edges) - 1, -1, -1):
                id = edges[k]
                forward[i + lengths[id]] += here * factors[id]
        sum = forward[length]
        if sum < LOW or sum > HIGH:
            return 0
        backward[length] = self.weights[word] / sum
        for i in range(length - 1, -1, -1):
            here = forward[i]
            id = text[i] - 1
            backward[i] = factors[id] * backward[i + 1]
            expected[id] += here * backward[i]
            for k in range(self._edges(self.begins[word] + i, edges) - 1, -1, -1):
                id = edges[k]
                part = factors[id] * backward[i + lengths[id]]
                expected[id] += here * part
                backward[i] += part
        return sum

    cdef double _count_logs(self, int64_t word, const double *scores, const int32_t *lengths, double *forward, double *backward,
                            double *expected) noexcept nogil:
        """The same with logarithms; give that of the sum."""
        cdef int64_t length = self.ends[word] - self.begins[word], i, k
        cdef const int32_t *text = self.text + self.begins[word]
        cdef int32_t edges[LONGEST]
        cdef int32_t id
        cdef double sum
        for i in range(length + 1):
            forward[i] = backward[i] = -INFINITY
        forward[0] = backward[length] = 0
        for i in range(length):
            forward[i + 1] = log_add(forward[i + 1], forward[i] + scores[text[i] - 1])
            for k in range(self._edges(self.begins[word] + i, edges) - 1, -1, -1):
                id = edges[k]
                forward[i + lengths[id]] = log_add(forward[i + lengths[id]], forward[i] + scores[id])
        sum = forward[length]
        for i in range(length - 1, -1, -1):
            id = text[i] - 1
            backward[i] = scores[id] + backward[i + 1]
            expected[id] += self.weights[word] * exp(forward[i] + backward[i] - sum)
            for k in range(self._edges(self.begins[word] + i, edges) - 1, -1, -1):
                id = edges[k]
                expected[id] += self.weights[word] * exp(forward[i] + scores[id] + backward[i + lengths[id]] - sum)
                backward[i] = log_add(backward[i], scores[id] + backward[i + lengths[id]])
        return sum

    cdef _maximize(self, bint bayes, int64_t least):
        is_symbol = np.arange(self.n_pieces) < self.n_symbols
        if bayes:
            kept = is_symbol | (self.counts >= LEAST)
            if kept.sum() >= least:
                self._keep(kept)
        counts = np.maximum(self.counts, LEAST)
        self.counts = counts
        self.scores = digamma(counts) - digamma(counts.sum(keepdims=True)) if bayes else np.log(counts / counts.sum())

    cdef _keep(self, object kept):
        """Let go of all other pieces; chains skip them."""
        cdef int64_t i
        cdef int32_t n = 0
        cdef const unsigned char *stays = <const unsigned char *>address(kept)
        numbers = np.where(kept, np.cumsum(kept, dtype=np.int32) - np.int32(1), np.int32(NONE))
        chains = np.empty(np.count_nonzero(kept), dtype=np.int32)
        cdef const int32_t *new_id = <const int32_t *>address(numbers)
        cdef int32_t *shorter = <int32_t *>address(chains)
        with nogil:
            for i in range(self.n_places):
                self.deepest[i] = self._first_kept(self.deepest[i], new_id)
            for i in range(self.n_pieces):
                if stays[i]:
                    shorter[n] = self._first_kept(self.shorter[i], new_id)
                    n += 1
        self.chain_arrays = self.chain_arrays[0], chains
        self.shorter = shorter
        self.starts, self.lengths, self.counts, self.scores = (
            array[kept] for array in (self.starts, self.lengths, self.counts, self.scores)
        )
        self.n_pieces = len(self.starts)

    cdef inline int32_t _first_kept(self, int32_t id, const int32_t *new_id) noexcept nogil:
        """Give the new number of a piece, or of the longest one at its beginning that stays."""
        while id >= 0 and new_id[id] < 0:
            id = self.shorter[id]
        return new_id[id] if id >= 0 else <int32_t>NONE

    # Pruning

    def prune(self, int64_t goal):
        """Let go of the pieces that the likelihood of the corpus loses least by, until `goal` remain; characters stay."""
        losses = self._losses()
        losses[: self.n_symbols] = np.inf
        kept = np.zeros(self.n_pieces, dtype=bool)
        kept[keep_best(losses, max(goal, self.n_symbols))] = True
        self._keep(kept)

    cdef object _losses(self):
        """Tell for each piece what the logarithm of the likelihood loses when its occurrences are cut the second best way."""
        cdef int64_t piece, start, length, i, k, end, parts
        cdef int32_t id
        cdef int32_t edges[LONGEST]
        cdef double total = self.counts.sum(), more, alternative, score
        cdef double *best = <double *>malloc((self.longest + 1) * sizeof(double))
        cdef int32_t *last = <int32_t *>malloc((self.longest + 1) * sizeof(int32_t))
        cdef const double *scores = <const double *>address(self.scores)
        cdef const double *counts = <const double *>address(self.counts)
        cdef const int32_t *lengths = <const int32_t *>address(self.lengths)
        cdef const int32_t *starts = <const int32_t *>address(self.starts)
        result = np.zeros(self.n_pieces)
        cdef double *losses = <double *>address(result)
        if best == NULL or last == NULL:
            free(best)
            free(last)
            raise MemoryError
        with nogil:
            for piece in range(self.n_symbols, self.n_pieces):
                start, length = starts[piece], lengths[piece]
                for i in range(1, length + 1):
                    best[i] = -INFINITY
                best[0] = 0
                for i in range(length):
                    id = self.text[start + i] - 1
                    if best[i] + scores[id] > best[i + 1]:
                        best[i + 1] = best[i] + scores[id]
                        last[i + 1] = id
                    for k in range(self._edges(start + i, edges) - 1, -1, -1):
                        id = edges[k]
                        end = i + lengths[id]
                        if end > length:
                            break
                        score = best[i] + scores[id]
                        if id != piece and score > best[end]:
                            best[end] = score
                            last[end] = id
                # Its occurrences go over to those parts, whose counts grow by as much.
                parts, alternative, i = 0, 0, length
                while i:
                    id = last[i]
                    alternative += log(counts[id] + counts[piece])
                    parts += 1
                    i -= lengths[id]
                more = log(total + counts[piece] * (parts - 1))
                losses[piece] = counts[piece] * (log(counts[piece]) - log(total) - alternative + parts * more)
        free(best)
        free(last)
        return result

    # Results

    def result(self):
        """Give the symbols of all pieces one after another, where those of each begin and the end, and the scores."""
        offsets = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        symbols = np.empty(self.lengths.sum(), dtype=np.int32)
        cdef const int32_t[::1] starts = self.starts
        cdef const int32_t[::1] lengths = self.lengths
        cdef int32_t[::1] view = symbols
        cdef int64_t piece, k, n = self.n_symbols
        for piece in range(self.n_symbols):
            view[piece] = <int32_t>piece
        for piece in range(self.n_symbols, self.n_pieces):
            for k in range(starts[piece], starts[piece] + lengths[piece]):
                view[n] = self.text[k] - 1
                n += 1
        return symbols, offsets, self.scores


def give_back_memory():
    """Give the system what was freed, of all that this process holds; what is large enough to matter is asked for anew sooner than reused."""
    with nogil:
        give_back_free_memory()


cdef inline double log_add(double a, double b) noexcept nogil:
    if a == -INFINITY:
        return b
    return a + log1p(exp(b - a)) if a > b else b + log1p(exp(a - b))
