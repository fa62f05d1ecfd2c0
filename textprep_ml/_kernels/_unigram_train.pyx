# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Train a unigram model: seed pieces from a suffix array, expectation and maximization, pruning. The twin is `_pure/unigram_train.py`.

The corpus is one array of symbols, words one after another with a 0 between them. Suffixes are sorted by as many symbols as a piece may have, by
doubling: in each round they are dealt into the buckets of the round before in the order of what follows, which takes linear time. Pieces are
intervals of that order, so their occurrences are known without a search: for every place of the corpus there is a list of the pieces that begin
there. These lists are the lattice of all rounds of estimation; they shrink as pieces go.
"""

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport INFINITY, exp, log, log1p
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc

from textprep_ml._kernels._pure.unigram_train import LEAST, digamma, keep_best, split_words

cdef enum:
    MIXED = -1  # the preceding symbol of occurrences that do not all have the same

#: Products of probabilities stay within these, or are made anew as logarithms.
cdef double LOW = 1e-250
cdef double HIGH = 1e250


cdef inline int32_t following(const int32_t *rank, int64_t place, int64_t n) noexcept nogil:
    return rank[place] if place < n else -1


cdef void *address(object array) except? NULL:
    """Give where the items of a contiguous array are; the caller keeps the array alive."""
    cdef Py_buffer buffer
    cdef void *items
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    items = buffer.buf
    PyBuffer_Release(&buffer)
    return items


cdef object suffixes(object text_array, int64_t n_codes, int64_t depth):
    """Sort the places of a text by their next `depth` symbols; the text ends with `depth` zeros that are no places."""
    cdef int64_t n = len(text_array) - depth, width = 1, i, first, buckets = 0
    cdef int32_t place, before
    arrays = [np.zeros(size, dtype=np.int32) for size in (n, n, n, max(n, n_codes) + 1)]
    cdef const int32_t *text = <const int32_t *>address(text_array)
    cdef int32_t *order = <int32_t *>address(arrays[0])
    cdef int32_t *other = <int32_t *>address(arrays[1])
    cdef int32_t *rank = <int32_t *>address(arrays[2])
    cdef int32_t *head = <int32_t *>address(arrays[3])
    with nogil:
        # By the first symbol. The rank of a place is where its bucket begins.
        for i in range(n):
            head[text[i] + 1] += 1
        for i in range(n_codes):
            head[i + 1] += head[i]
        for i in range(n):
            rank[i] = head[text[i]]
        for i in range(n):
            head[rank[i]] = rank[i]
        for i in range(n):
            order[head[rank[i]]] = <int32_t>i
            head[rank[i]] += 1
    while width < depth and buckets < n:
        with nogil:
            for i in range(n):
                head[rank[order[i]]] = rank[order[i]]
            # Places behind which the text ends come first, then the others in the order of what follows.
            for i in range(max(n - width, <int64_t>0), n):
                other[head[rank[i]]] = <int32_t>i
                head[rank[i]] += 1
            for i in range(n):
                place = order[i] - <int32_t>width
                if place >= 0:
                    other[head[rank[place]]] = place
                    head[rank[place]] += 1
            # A bucket splits where what follows differs. `order` is free to hold the new ranks.
            first, buckets = 0, 1
            for i in range(1, n):
                place, before = other[i], other[i - 1]
                if rank[place] != rank[before] or following(rank, place + width, n) != following(rank, before + width, n):
                    first = i
                    buckets += 1
                order[place] = <int32_t>first
            if n:
                order[other[0]] = 0
            for i in range(n):
                rank[i] = order[i]
            order, other = other, order
        arrays[0], arrays[1] = arrays[1], arrays[0]
        width *= 2
    return arrays[0]


cdef struct Interval:
    int64_t left, right  # places left to right - 1 of the order
    int64_t weight
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
    cdef const int64_t *begins
    cdef const int64_t *ends
    cdef const int64_t *weights
    cdef int64_t n_words
    # The pieces: one place where each occurs, length, score, expected count; characters first, whose place is -1.
    cdef object starts, lengths, scores, counts
    # The pieces of two or more symbols that begin at each place: those of place i are edges[edge_at[i] : edge_at[i + 1]].
    cdef object edge_arrays
    cdef int32_t *edges
    cdef int64_t *edge_at

    def __init__(self, ids, offsets, counts, n_symbols, max_length, seed_size):
        self.n_symbols, self.longest = n_symbols, max_length
        self.text_array, *self.word_arrays = split_words(ids, offsets, counts, max_length)
        if len(self.text_array) >= 1 << 31:
            raise ValueError("The distinct words of the corpus have more than 2^31 characters in all; train on a sample of it.")
        self.text = <const int32_t *>address(self.text_array)
        self.n_words = len(self.word_arrays[0])
        self.begins, self.ends, self.weights = NULL, NULL, NULL
        if self.n_words:
            self.begins = <const int64_t *>address(self.word_arrays[0])
            self.ends = <const int64_t *>address(self.word_arrays[1])
            self.weights = <const int64_t *>address(self.word_arrays[2])
        order = suffixes(self.text_array, self.n_symbols + 1, self.longest)
        weights = self._weight_of_places()
        symbols = np.bincount(self.text_array, weights=weights, minlength=self.n_symbols + 1)[1:]
        left, right, depth, gain = self._intervals(order, weights)
        del weights
        kept = keep_best(gain, seed_size)
        self._start(order, left[kept], right[kept], depth[kept], gain[kept], symbols)

    # Seeds

    cdef int32_t _common(self, int64_t a, int64_t b) noexcept nogil:
        """Count the symbols that two suffixes share, at most the longest piece; none behind the end of a word."""
        cdef int32_t length = 0
        while length < self.longest and self.text[a + length] and self.text[a + length] == self.text[b + length]:
            length += 1
        return length

    cdef object _weight_of_places(self):
        """Give every place the weight of its word."""
        cdef int64_t i, at
        array = np.zeros(len(self.text_array), dtype=np.int64)
        cdef int64_t[::1] weights = array
        with nogil:
            for i in range(self.n_words):
                for at in range(self.begins[i], self.ends[i]):
                    weights[at] = self.weights[i]
        return array

    cdef object _intervals(self, object order_array, const int64_t[::1] weights):
        """Find all strings of two or more symbols that occur and are not always followed, or preceded, by the same symbol."""
        cdef const int32_t[::1] order = order_array
        cdef int64_t n = order.shape[0], i, place, length, count = 0, capacity = 1024
        cdef int32_t depth, last = 0, top = 0
        cdef Interval *stack = <Interval *>malloc((self.longest + 2) * sizeof(Interval))
        cdef Interval *found = <Interval *>malloc(capacity * sizeof(Interval))
        cdef Interval *more
        cdef Interval item
        cdef bint failed = stack == NULL or found == NULL
        with nogil:
            i = 0
            while i <= n and not failed:
                # The depth that place i shares with the one before; 0 at both ends closes everything.
                depth = self._common(order[i - 1], order[i]) if 0 < i < n else 0
                if i:
                    # Place i - 1 as a leaf: only a whole word can be a piece that occurs in one place.
                    place = order[i - 1]
                    item.left, item.right, item.weight = i - 1, i, weights[place]
                    item.before = MIXED if place == 0 else self.text[place - 1]
                    if item.before == 0:
                        item.before = MIXED
                    length = 0
                    if item.weight > 1 and (place == 0 or self.text[place - 1] == 0):
                        while length <= self.longest and self.text[place + length]:
                            length += 1
                    item.depth = <int32_t>length
                    if count + self.longest + 2 > capacity:
                        capacity *= 2
                        more = <Interval *>realloc(found, capacity * sizeof(Interval))
                        if more == NULL:
                            failed = True
                            break
                        found = more
                    if length > max(last, depth, 1) and length <= self.longest:
                        found[count] = item
                        count += 1
                    # Close what is deeper than what goes on, and hand its sums to what is around it.
                    while top and stack[top - 1].depth > depth:
                        top -= 1
                        join(&stack[top], &item)
                        item = stack[top]
                        item.right = i
                        if item.before == MIXED and item.depth > 1:
                            found[count] = item
                            count += 1
                    if depth:
                        if top and stack[top - 1].depth == depth:
                            join(&stack[top - 1], &item)
                        else:
                            stack[top] = item
                            stack[top].depth = depth
                            top += 1
                last = depth
                i += 1
        free(stack)
        arrays = [np.empty(count, dtype=np.int64) for _ in range(4)]
        cdef int64_t[::1] lefts = arrays[0]
        cdef int64_t[::1] rights = arrays[1]
        cdef int64_t[::1] depths = arrays[2]
        cdef int64_t[::1] gains = arrays[3]
        if not failed:
            for i in range(count):
                lefts[i], rights[i], depths[i] = found[i].left, found[i].right, found[i].depth
                gains[i] = found[i].weight * found[i].depth
        free(found)
        if failed:
            raise MemoryError
        return arrays

    cdef _start(self, object order_array, object lefts, object rights, object depths, object gains, object symbols):
        """Take intervals as pieces: list for every place those that begin there, the shortest first."""
        cdef const int32_t[::1] order = order_array
        cdef const int64_t[::1] left = lefts
        cdef const int64_t[::1] right = rights
        cdef const int64_t[::1] by_length = np.argsort(depths, kind="stable")
        cdef int64_t n_seeds = len(lefts), n = len(self.text_array), i, k, id
        self.n_pieces = self.n_symbols + n_seeds
        self.starts = np.concatenate([np.full(self.n_symbols, -1), np.asarray(order_array)[lefts]]).astype(np.int64)
        self.lengths = np.concatenate([np.ones(self.n_symbols), depths]).astype(np.int32)
        self.counts = np.concatenate([np.maximum(symbols, LEAST), gains / np.maximum(depths, 1)])
        self.scores = np.log(self.counts / self.counts.sum())
        self.scale = 0
        edge_at_array = np.zeros(n + 1, dtype=np.int64)
        cdef int64_t *at = <int64_t *>address(edge_at_array)
        with nogil:
            for i in range(n_seeds):
                for k in range(left[i], right[i]):
                    at[order[k]] += 1
            for i in range(n):
                at[i + 1] += at[i]
        edges_array = np.empty(max(at[n], 1), dtype=np.int32)
        cdef int32_t *edges = <int32_t *>address(edges_array)
        with nogil:
            # From the longest on, and from the end of each list.
            for k in range(n_seeds - 1, -1, -1):
                id = by_length[k]
                for i in range(left[id], right[id]):
                    at[order[i]] -= 1
                    edges[at[order[i]]] = <int32_t>(self.n_symbols + id)
        self.edge_arrays = edges_array, edge_at_array
        self.edges, self.edge_at = edges, at

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
        cdef const int64_t *edge_at = self.edge_at + self.begins[word]
        cdef const int32_t *edges = self.edges
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
            for k in range(edge_at[i], edge_at[i + 1]):
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
            for k in range(edge_at[i], edge_at[i + 1]):
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
        cdef const int64_t *edge_at = self.edge_at + self.begins[word]
        cdef const int32_t *edges = self.edges
        cdef int32_t id
        cdef double sum
        for i in range(length + 1):
            forward[i] = backward[i] = -INFINITY
        forward[0] = backward[length] = 0
        for i in range(length):
            forward[i + 1] = log_add(forward[i + 1], forward[i] + scores[text[i] - 1])
            for k in range(edge_at[i], edge_at[i + 1]):
                id = edges[k]
                forward[i + lengths[id]] = log_add(forward[i + lengths[id]], forward[i] + scores[id])
        sum = forward[length]
        for i in range(length - 1, -1, -1):
            id = text[i] - 1
            backward[i] = scores[id] + backward[i + 1]
            expected[id] += self.weights[word] * exp(forward[i] + backward[i] - sum)
            for k in range(edge_at[i], edge_at[i + 1]):
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
        """Let go of all other pieces."""
        cdef int64_t n = len(self.text_array), i, k, end, made = 0
        self.starts, self.lengths, self.counts, self.scores = (
            array[kept] for array in (self.starts, self.lengths, self.counts, self.scores)
        )
        numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        cdef const int32_t *new_id = <const int32_t *>address(numbers)
        self.n_pieces = len(self.starts)
        with nogil:
            k = 0
            for i in range(n):
                end = self.edge_at[i + 1]
                while k < end:
                    if new_id[self.edges[k]] >= 0:
                        self.edges[made] = new_id[self.edges[k]]
                        made += 1
                    k += 1
                self.edge_at[i + 1] = made

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
        cdef double total = self.counts.sum(), more, alternative, score
        cdef double *best = <double *>malloc((self.longest + 1) * sizeof(double))
        cdef int32_t *last = <int32_t *>malloc((self.longest + 1) * sizeof(int32_t))
        cdef const double *scores = <const double *>address(self.scores)
        cdef const double *counts = <const double *>address(self.counts)
        cdef const int32_t *lengths = <const int32_t *>address(self.lengths)
        cdef const int64_t *starts = <const int64_t *>address(self.starts)
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
                    for k in range(self.edge_at[start + i], self.edge_at[start + i + 1]):
                        id = self.edges[k]
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
        text = np.asarray(self.text_array)
        spans = [text[start : start + length] - 1 for start, length in zip(self.starts[self.n_symbols :].tolist(), self.lengths[self.n_symbols :].tolist())]
        symbols = np.concatenate([np.arange(self.n_symbols, dtype=np.int32), *spans]).astype(np.int32)
        return symbols, np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64), self.scores


cdef inline double log_add(double a, double b) noexcept nogil:
    if a == -INFINITY:
        return b
    return a + log1p(exp(b - a)) if a > b else b + log1p(exp(a - b))
