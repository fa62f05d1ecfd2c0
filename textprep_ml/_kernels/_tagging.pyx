# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Greedy tagging with integer weights and the averaged perceptron; the readable twin is `_pure/tagging.py`.

A token comes as rows of the weight table: those of its static features, and those of its crossed features, to which the number of the tag
before is added. One more row belongs to each pair of tags before. The
first rows, one for each tag before, are those of absent features: they stay zero. All bounds are checked before a loop starts.
"""

from libc.stdint cimport int32_t, int64_t

cdef enum:
    MOST_TAGS = 1024


cdef struct Problem:
    const int32_t *rows
    const int32_t *crossed
    const int32_t *fixed
    Py_ssize_t n_rows
    Py_ssize_t n_crossed
    Py_ssize_t pair_base
    Py_ssize_t width
    int n_tags


cdef int check(
    const int32_t[:, ::1] rows, const int32_t[:, ::1] crossed, const int32_t[::1] fixed, const int32_t[::1] starts,
    Py_ssize_t pair_base, const int32_t[:, ::1] weights, int n_tags,
) except -1:
    cdef Py_ssize_t i, j, n = rows.shape[0], height = weights.shape[0]
    if not 0 < n_tags <= MOST_TAGS or weights.shape[1] < n_tags:
        raise ValueError(f"the kernel takes 1 to {MOST_TAGS} tags and as many columns of weights, got {n_tags} and {weights.shape[1]}")
    if crossed.shape[0] != n or fixed.shape[0] != n or starts.shape[0] == 0 or starts[0] != 0 or starts[starts.shape[0] - 1] != n:
        raise ValueError("rows, crossed, fixed and starts differ in length")
    if pair_base < 0 or pair_base + (n_tags + 1) * (n_tags + 1) > height:
        raise ValueError("the rows of tag pairs lie outside the weights")
    for i in range(n):
        for j in range(rows.shape[1]):
            if not 0 <= rows[i, j] < height:
                raise ValueError(f"row {rows[i, j]} of token {i} lies outside the weights")
        for j in range(crossed.shape[1]):
            if not 0 <= crossed[i, j] < height - n_tags:
                raise ValueError(f"crossed row {crossed[i, j]} of token {i} lies outside the weights")
        if not -1 <= fixed[i] < n_tags:
            raise ValueError(f"the fixed tag {fixed[i]} of token {i} is unknown")
    for i in range(1, starts.shape[0]):
        if starts[i] < starts[i - 1]:
            raise ValueError("the starts of sentences decrease")
    return 0


cdef Problem pack(
    const int32_t[:, ::1] rows, const int32_t[:, ::1] crossed, const int32_t[::1] fixed, Py_ssize_t pair_base,
    const int32_t[:, ::1] weights, int n_tags,
):
    cdef Problem problem
    problem.n_rows = rows.shape[1]
    problem.n_crossed = crossed.shape[1]
    problem.rows = &rows[0, 0] if rows.shape[0] and rows.shape[1] else NULL
    problem.crossed = &crossed[0, 0] if crossed.shape[0] and crossed.shape[1] else NULL
    problem.fixed = &fixed[0] if fixed.shape[0] else NULL
    problem.pair_base = pair_base
    problem.width = weights.shape[1]
    problem.n_tags = n_tags
    return problem


cdef inline void add_row(int32_t *scores, const int32_t *row, Py_ssize_t width) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(width):
        scores[k] += row[k]


cdef int best_tag(const Problem *problem, const int32_t *weights, Py_ssize_t token, int before, int before_that, int32_t *scores) noexcept nogil:
    """Give the tag with the highest score; the first one of several."""
    cdef Py_ssize_t j, width = problem.width
    cdef int tag, best = 0
    cdef const int32_t *rows = problem.rows + token * problem.n_rows
    cdef const int32_t *crossed = problem.crossed + token * problem.n_crossed
    cdef const int32_t *pair = weights + (problem.pair_base + before_that * (problem.n_tags + 1) + before) * width
    for j in range(width):
        scores[j] = pair[j]
    for j in range(problem.n_rows):
        add_row(scores, weights + rows[j] * width, width)
    for j in range(problem.n_crossed):
        add_row(scores, weights + (crossed[j] + before) * width, width)
    for tag in range(1, problem.n_tags):
        if scores[tag] > scores[best]:
            best = tag
    return best


cdef inline void change(int32_t *weights, int64_t *totals, Py_ssize_t row, Py_ssize_t width, int n_tags, int right, int wrong, int64_t step) noexcept nogil:
    if row <= n_tags:  # an absent feature
        return
    weights[row * width + right] += 1
    weights[row * width + wrong] -= 1
    totals[row * width + right] += step
    totals[row * width + wrong] -= step


def decode(
    const int32_t[:, ::1] rows, const int32_t[:, ::1] crossed, const int32_t[::1] fixed, const int32_t[::1] starts,
    Py_ssize_t pair_base, const int32_t[:, ::1] weights, int n_tags, int32_t[::1] out,
):
    """Tag sentences from left to right.

    `fixed` holds the tag of a token that is not to be scored, or -1; token `i` of sentence `s` lies at ``starts[s] + i``. Before a
    sentence the number `n_tags` stands for the tag.
    """
    cdef Problem problem
    cdef Py_ssize_t s, i
    cdef int before, before_that, tag
    cdef int32_t scores[MOST_TAGS + 16]
    check(rows, crossed, fixed, starts, pair_base, weights, n_tags)
    if out.shape[0] != rows.shape[0] or weights.shape[1] > MOST_TAGS + 16:
        raise ValueError("out or weights has a wrong shape")
    if rows.shape[0] == 0:
        return
    problem = pack(rows, crossed, fixed, pair_base, weights, n_tags)
    with nogil:
        for s in range(starts.shape[0] - 1):
            before = before_that = n_tags
            for i in range(starts[s], starts[s + 1]):
                tag = fixed[i]
                if tag < 0:
                    tag = best_tag(&problem, &weights[0, 0], i, before, before_that, scores)
                out[i] = tag
                before_that = before
                before = tag


def train_epoch(
    const int32_t[:, ::1] rows, const int32_t[:, ::1] crossed, const int32_t[::1] fixed, const int32_t[::1] starts,
    Py_ssize_t pair_base, const int32_t[::1] gold, const int32_t[::1] order, int32_t[:, ::1] weights, int64_t[:, ::1] totals, long long step,
    int n_tags,
):
    """Go once through the sentences in the given order and correct the weights after each wrong tag; give errors and the next step.

    The history of a token is what was predicted, as when tagging. `totals` sums each change times its step, from which the average of the
    weights over all steps follows.
    """
    cdef Problem problem
    cdef Py_ssize_t s, i, j, k
    cdef int before, before_that, tag
    cdef long long errors = 0
    cdef int32_t scores[MOST_TAGS + 16]
    check(rows, crossed, fixed, starts, pair_base, weights, n_tags)
    if gold.shape[0] != rows.shape[0] or totals.shape[0] != weights.shape[0] or totals.shape[1] != weights.shape[1] or weights.shape[1] > MOST_TAGS + 16:
        raise ValueError("gold, totals or weights has a wrong shape")
    for i in range(gold.shape[0]):
        if not 0 <= gold[i] < n_tags:
            raise ValueError(f"the tag {gold[i]} of token {i} is unknown")
    for s in range(order.shape[0]):
        if not 0 <= order[s] < starts.shape[0] - 1:
            raise ValueError(f"sentence {order[s]} does not exist")
    if rows.shape[0] == 0:
        return 0, step
    problem = pack(rows, crossed, fixed, pair_base, weights, n_tags)
    with nogil:
        for k in range(order.shape[0]):
            s = order[k]
            before = before_that = n_tags
            for i in range(starts[s], starts[s + 1]):
                tag = fixed[i]
                if tag < 0:
                    tag = best_tag(&problem, &weights[0, 0], i, before, before_that, scores)
                    if tag != gold[i]:
                        for j in range(problem.n_rows):
                            change(&weights[0, 0], &totals[0, 0], rows[i, j], problem.width, n_tags, gold[i], tag, step)
                        for j in range(problem.n_crossed):
                            change(&weights[0, 0], &totals[0, 0], crossed[i, j] + before, problem.width, n_tags, gold[i], tag, step)
                        j = pair_base + before_that * (n_tags + 1) + before
                        change(&weights[0, 0], &totals[0, 0], j, problem.width, n_tags, gold[i], tag, step)
                    step += 1
                errors += tag != gold[i]
                before_that = before
                before = tag
    return errors, step


cdef Py_ssize_t find_key(const int64_t[::1] keys, int64_t key) noexcept nogil:
    """Give the place of a key in the sorted array, or -1."""
    cdef Py_ssize_t low = 0, high = keys.shape[0], middle
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1


cdef inline Py_ssize_t neighbour(const int32_t[::1] words, Py_ssize_t first, Py_ssize_t last, Py_ssize_t place) noexcept nogil:
    return words[place] if first <= place < last else 0


cdef int check_slots(const int32_t[:, ::1] templates, Py_ssize_t n_slots) except -1:
    cdef Py_ssize_t j
    for j in range(templates.shape[0]):
        if not 0 <= templates[j, 1] < n_slots:
            raise ValueError(f"slot {templates[j, 1]} does not exist")
    return 0


def fill_rows(
    const int32_t[:, ::1] attributes, const int32_t[::1] words, const int32_t[::1] starts, const int32_t[:, ::1] static_templates,
    const int32_t[:, ::1] crossed_templates, const int32_t[:, ::1] joined, const int64_t[::1] pair_keys, int height,
    int32_t[:, ::1] static_rows, int32_t[:, ::1] crossed_rows,
):
    """Look up the rows of the features of each token.

    ``attributes[w, slot]`` is the number of a value of word `w`, 0 for none; word 0 stands beyond the ends of a sentence. A template is
    (offset, slot, first row); a joined one is (left offset, right offset, first row), for which ``pair_keys`` has the numbers of two words,
    the values of slot 0, in one integer. A crossed value has `height` rows.
    """
    cdef Py_ssize_t s, i, j, place, n = words.shape[0], n_static = static_templates.shape[0], n_joined = joined.shape[0]
    cdef int32_t value
    cdef int64_t left, right
    if static_rows.shape[0] != n or crossed_rows.shape[0] != n or static_rows.shape[1] != n_static + n_joined:
        raise ValueError("the rows have a wrong shape")
    if crossed_rows.shape[1] != crossed_templates.shape[0] or starts.shape[0] == 0 or starts[0] != 0 or starts[starts.shape[0] - 1] != n:
        raise ValueError("the rows have a wrong shape, or starts does not fit")
    for i in range(1, starts.shape[0]):
        if starts[i] < starts[i - 1]:
            raise ValueError("the starts of sentences decrease")
    for i in range(n):
        if not 0 <= words[i] < attributes.shape[0]:
            raise ValueError(f"word {words[i]} has no attributes")
    check_slots(static_templates, attributes.shape[1])
    check_slots(crossed_templates, attributes.shape[1])
    with nogil:
        for s in range(starts.shape[0] - 1):
            for i in range(starts[s], starts[s + 1]):
                for j in range(n_static):
                    place = neighbour(words, starts[s], starts[s + 1], i + static_templates[j, 0])
                    value = attributes[place, static_templates[j, 1]]
                    static_rows[i, j] = value - 1 + static_templates[j, 2] if value else 0
                for j in range(crossed_templates.shape[0]):
                    place = neighbour(words, starts[s], starts[s + 1], i + crossed_templates[j, 0])
                    value = attributes[place, crossed_templates[j, 1]]
                    crossed_rows[i, j] = (value - 1) * height + crossed_templates[j, 2] if value else 0
                for j in range(n_joined):
                    left = attributes[neighbour(words, starts[s], starts[s + 1], i + joined[j, 0]), 0]
                    right = attributes[neighbour(words, starts[s], starts[s + 1], i + joined[j, 1]), 0]
                    place = find_key(pair_keys, left << 32 | right)
                    static_rows[i, n_static + j] = place + joined[j, 2] if place >= 0 else 0
