# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""Weighted edit distance by dynamic programming; the readable twin is `_pure/distance.py`.

Costs are doubles, so that one loop serves whole, broken and infinite costs; whole ones stay exact up to 2**53. Sequences arrive as `str`:
callers number the tokens of other sequences and pass ``chr(number)``.
"""

from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from cpython.unicode cimport PyUnicode_CheckExact, PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, PyUnicode_READ_CHAR
from functools import wraps

from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef enum:
    SHORT = 64  # symbols of a short string: bits of a machine word
    SMALL_TABLE = 256  # cells
    LARGEST_COST = 10000  # sums stay far inside an int

cdef struct Symbols:
    Py_ssize_t length
    int *codes    # one allocation for all three; codes tell which symbols are equal
    int *classes  # row or column of each symbol in the table of pair costs, NULL without one
    int *first    # where each symbol occurs first, NULL where transpositions don't need it

cdef struct Costs:
    double insertion
    double deletion
    double substitution
    double transposition  # infinite: there are none
    bint unrestricted
    const double *pairs
    Py_ssize_t n_columns


cdef inline double smaller(double a, double b) noexcept nogil:
    return a if a < b else b


cdef inline double substitute(const Symbols *a, const Symbols *b, const Costs *costs, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    if a.codes[i] == b.codes[j]:
        return 0.0
    if costs.pairs == NULL:
        return costs.substitution
    return costs.pairs[a.classes[i] * costs.n_columns + b.classes[j]]


cdef inline bint is_swap(const Symbols *a, const Symbols *b, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return i > 0 and j > 0 and a.codes[i] == b.codes[j - 1] and a.codes[i - 1] == b.codes[j]


cdef void fill_restricted(const Symbols *a, const Symbols *b, const Costs *costs, double *table) noexcept nogil:
    """Fill the whole table; a transposition exchanges two neighbours that no other edit touches."""
    cdef Py_ssize_t i, j, width = b.length + 1
    cdef bint swaps = costs.transposition < INFINITY
    cdef double best
    cdef double *row
    cdef double *above
    table[0] = 0.0
    for j in range(b.length):
        table[j + 1] = table[j] + costs.insertion
    for i in range(a.length):
        above = table + i * width
        row = above + width
        row[0] = above[0] + costs.deletion
        for j in range(b.length):
            best = smaller(above[j] + substitute(a, b, costs, i, j), above[j + 1] + costs.deletion)
            best = smaller(best, row[j] + costs.insertion)
            if swaps and is_swap(a, b, i, j):
                best = smaller(best, above[j - 1 - width] + costs.transposition)
            row[j + 1] = best


cdef void fill_unrestricted(const Symbols *a, const Symbols *b, const Costs *costs, double *table, Py_ssize_t *last) noexcept nogil:
    """Fill the whole table after Lowrance and Wagner: symbols between the two that change places may be deleted or inserted.

    `last` holds, for the first place of every symbol of `b`, the last row of `a` (counted from 1) with that symbol.
    """
    cdef Py_ssize_t i, j, k, match, here, width = b.length + 1
    cdef double best, swapped
    cdef double *row
    cdef double *above
    memset(last, 0, (b.length + 1) * sizeof(Py_ssize_t))
    table[0] = 0.0
    for j in range(b.length):
        table[j + 1] = table[j] + costs.insertion
    for i in range(a.length):
        above = table + i * width
        row = above + width
        row[0] = above[0] + costs.deletion
        match = 0  # the last column, counted from 1, whose symbol is that of this row
        here = -1
        for j in range(b.length):
            best = smaller(above[j] + substitute(a, b, costs, i, j), above[j + 1] + costs.deletion)
            best = smaller(best, row[j] + costs.insertion)
            k = last[b.first[j]]
            if k > 0 and match > 0:
                swapped = table[(k - 1) * width + match - 1] + (i - k) * costs.deletion + costs.transposition + (j - match) * costs.insertion
                best = smaller(best, swapped)
            row[j + 1] = best
            if a.codes[i] == b.codes[j]:
                match = j + 1
                here = b.first[j]
        if here >= 0:
            last[here] = i + 1


cdef double last_cell(const Symbols *a, const Symbols *b, const Costs *costs, double limit, double *rows) noexcept nogil:
    """Compute the last cell of the restricted table in three rolling rows; infinite as soon as the limit cannot be kept."""
    cdef Py_ssize_t i, j, width = b.length + 1
    cdef bint swaps = costs.transposition < INFINITY
    cdef double best, least, least_before = 0.0
    cdef double *two_above = rows
    cdef double *above = rows + width
    cdef double *row = rows + 2 * width
    cdef double *spare
    above[0] = 0.0
    for j in range(b.length):
        above[j + 1] = above[j] + costs.insertion
    for i in range(a.length):
        row[0] = least = above[0] + costs.deletion
        for j in range(b.length):
            best = smaller(above[j] + substitute(a, b, costs, i, j), above[j + 1] + costs.deletion)
            best = smaller(best, row[j] + costs.insertion)
            if swaps and is_swap(a, b, i, j):
                best = smaller(best, two_above[j - 1] + costs.transposition)
            row[j + 1] = best
            least = smaller(least, best)
        if least > limit and least_before > limit:  # a transposition steps over one row, never over two
            return INFINITY
        least_before = least
        spare = two_above
        two_above = above
        above = row
        row = spare
    return above[b.length] if above[b.length] <= limit else INFINITY


cdef int load_symbols(Symbols *symbols, object text, object classes, bint with_first) except -1:
    cdef Py_ssize_t i, n
    cdef dict places
    if not PyUnicode_CheckExact(text):
        raise TypeError(f"the kernel takes exact str, got {type(text).__name__}")
    n = PyUnicode_GET_LENGTH(text)
    symbols.length = n
    symbols.codes = <int *> malloc((3 * n + 1) * sizeof(int))
    if symbols.codes == NULL:
        raise MemoryError()
    symbols.classes = NULL if classes is None else symbols.codes + n
    symbols.first = symbols.codes + 2 * n if with_first else NULL
    for i in range(n):
        symbols.codes[i] = <int> PyUnicode_READ_CHAR(text, i)
    if classes is not None:
        for i in range(n):
            symbols.classes[i] = <int> PyUnicode_READ_CHAR(classes, i)
    if with_first:
        places = {}
        for i in range(n):
            symbols.first[i] = places.setdefault(symbols.codes[i], i)
    return 0


cdef Costs pack_costs(double insertion, double deletion, double substitution, double transposition, bint unrestricted, const double[:, ::1] pairs):
    cdef Costs costs
    costs.insertion = insertion
    costs.deletion = deletion
    costs.substitution = substitution
    costs.transposition = transposition
    costs.unrestricted = unrestricted and transposition < INFINITY
    costs.pairs = NULL
    costs.n_columns = 0
    if pairs is not None and pairs.shape[0] and pairs.shape[1]:
        costs.pairs = &pairs[0, 0]
        costs.n_columns = pairs.shape[1]
    return costs


cdef double pair_distance(const Symbols *a, const Symbols *b, const Costs *costs, double limit, int *failed) noexcept nogil:
    cdef double distance
    cdef Py_ssize_t width = b.length + 1
    cdef Py_ssize_t cells = (a.length + 1) * width if costs.unrestricted else 3 * width
    cdef double *table = <double *> malloc(cells * sizeof(double) + width * sizeof(Py_ssize_t))
    if table == NULL:
        failed[0] = 1
        return 0.0
    if costs.unrestricted:
        fill_unrestricted(a, b, costs, table, <Py_ssize_t *> (table + cells))
        distance = table[cells - 1]
        if distance > limit:
            distance = INFINITY
    else:
        distance = last_cell(a, b, costs, limit, table)
    free(table)
    return distance


def distances(
    list X,
    list Y,
    double insertion,
    double deletion,
    double substitution,
    double transposition,
    bint unrestricted,
    double limit,
    list rows,
    list columns,
    const double[:, ::1] pairs,
    double[:, ::1] out,
):
    """Write the distance of every string of `X` to every string of `Y`; infinite beyond `limit`.

    `transposition` is infinite where there is none. With `pairs`, ``rows[i]`` and ``columns[j]`` are strings whose characters number the
    row and the column of each symbol in it; without (None), both lists are empty.
    """
    cdef Py_ssize_t i, j, n = len(X), m = len(Y)
    cdef int failed = 0
    cdef Costs costs = pack_costs(insertion, deletion, substitution, transposition, unrestricted, pairs)
    cdef Symbols *a = NULL
    cdef Symbols *b = NULL
    if out.shape[0] != n or out.shape[1] != m:
        raise ValueError("out has another shape than X and Y")
    if pairs is not None and (len(rows) != n or len(columns) != m):
        raise ValueError("rows and columns must be as long as X and Y")
    try:
        a = <Symbols *> malloc((n + m + 1) * sizeof(Symbols))
        if a == NULL:
            raise MemoryError()
        memset(a, 0, (n + m + 1) * sizeof(Symbols))
        b = a + n
        for i in range(n):
            load_symbols(a + i, X[i], None if pairs is None else rows[i], False)
        for j in range(m):
            load_symbols(b + j, Y[j], None if pairs is None else columns[j], costs.unrestricted)
        with nogil:
            for i in range(n):
                for j in range(m):
                    out[i, j] = pair_distance(a + i, b + j, &costs, limit, &failed)
        if failed:
            raise MemoryError()
    finally:
        if a != NULL:
            for i in range(n + m):
                free(a[i].codes)
            free(a)


def distance(
    str a, str b, double insertion, double deletion, double substitution, double transposition, bint unrestricted, double limit,
    str rows, str columns, const double[:, ::1] pairs,
):
    """Give the distance of two strings; infinite beyond `limit`. The parameters are those of `distances`."""
    cdef Costs costs = pack_costs(insertion, deletion, substitution, transposition, unrestricted, pairs)
    cdef Symbols source, target
    cdef double result
    cdef int failed = 0
    source.codes = target.codes = NULL
    try:
        load_symbols(&source, a, None if pairs is None else rows, False)
        load_symbols(&target, b, None if pairs is None else columns, costs.unrestricted)
        with nogil:
            result = pair_distance(&source, &target, &costs, limit, &failed)
        if failed:
            raise MemoryError()
        return result
    finally:
        free(source.codes)
        free(target.codes)


def table(
    str a, str b, double insertion, double deletion, double substitution, double transposition, bint unrestricted,
    str rows, str columns, const double[:, ::1] pairs, double[:, ::1] out,
):
    """Write the whole table: ``out[i, j]`` is the distance of the first `i` symbols of `a` to the first `j` of `b`."""
    cdef Costs costs = pack_costs(insertion, deletion, substitution, transposition, unrestricted, pairs)
    cdef Symbols source, target
    cdef Py_ssize_t *last = NULL
    source.codes = target.codes = NULL
    if out.shape[0] != len(a) + 1 or out.shape[1] != len(b) + 1:
        raise ValueError("out has another shape than the table")
    try:
        load_symbols(&source, a, None if pairs is None else rows, False)
        load_symbols(&target, b, None if pairs is None else columns, costs.unrestricted)
        last = <Py_ssize_t *> malloc((target.length + 1) * sizeof(Py_ssize_t))
        if last == NULL:
            raise MemoryError()
        with nogil:
            if costs.unrestricted:
                fill_unrestricted(&source, &target, &costs, &out[0, 0], last)
            else:
                fill_restricted(&source, &target, &costs, &out[0, 0])
    finally:
        free(last)
        free(source.codes)
        free(target.codes)


cdef void copy_codes(object text, int n, uint32_t *codes) noexcept:
    cdef int i, kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    if kind == 1:
        for i in range(n):
            codes[i] = (<const uint8_t *> data)[i]
    elif kind == 2:
        for i in range(n):
            codes[i] = (<const uint16_t *> data)[i]
    else:
        for i in range(n):
            codes[i] = (<const uint32_t *> data)[i]


cdef void mark_places(const uint32_t *a, const uint32_t *b, int n, int m, uint64_t *places) noexcept nogil:
    """Set a bit for each place in `a` of a Latin-1 symbol; only the entries of symbols that occur are touched."""
    cdef int i
    for i in range(m):
        places[b[i] & 255] = 0
    for i in range(n):
        places[a[i] & 255] = 0
    for i in range(n):
        if a[i] < 256:
            places[a[i]] |= <uint64_t> 1 << i


cdef inline uint64_t places_of(uint32_t code, const uint32_t *a, int n, const uint64_t *places) noexcept nogil:
    cdef uint64_t equal = 0
    cdef int i
    if code < 256:
        return places[code]
    for i in range(n):
        equal |= <uint64_t> (a[i] == code) << i
    return equal


cdef int unit_distance(const uint32_t *a, const uint32_t *b, int n, int m, bint swaps) noexcept nogil:
    """Unit-cost distance, one machine word per column (Myers 1999; Hyyro 2003, who adds restricted transpositions); `a` is not empty."""
    cdef uint64_t places[256]
    cdef uint64_t equal, equal_before = 0, swapped = 0
    cdef uint64_t vertical_plus = ~<uint64_t> 0, vertical_minus = 0, diagonal = 0, horizontal_plus, horizontal_minus
    cdef int j, score = n, last = n - 1
    mark_places(a, b, n, m, places)
    for j in range(m):
        equal = places_of(b[j], a, n, places)
        if swaps:
            swapped = ((~diagonal & equal) << 1) & equal_before
            equal_before = equal
        diagonal = (((equal & vertical_plus) + vertical_plus) ^ vertical_plus) | equal | vertical_minus | swapped
        horizontal_plus = vertical_minus | ~(diagonal | vertical_plus)
        horizontal_minus = vertical_plus & diagonal
        score += <int> ((horizontal_plus >> last) & 1) - <int> ((horizontal_minus >> last) & 1)
        horizontal_plus = (horizontal_plus << 1) | 1
        horizontal_minus <<= 1
        vertical_plus = horizontal_minus | ~(diagonal | horizontal_plus)
        vertical_minus = horizontal_plus & diagonal
    return score


cdef int common_subsequence(const uint32_t *a, const uint32_t *b, int n, int m) noexcept nogil:
    """Length of the longest common subsequence, one machine word per column (Hyyro 2004)."""
    cdef uint64_t places[256]
    cdef uint64_t open_places = ~<uint64_t> 0, hit
    cdef int i, length = 0
    mark_places(a, b, n, m, places)
    for i in range(m):
        hit = open_places & places_of(b[i], a, n, places)
        open_places = (open_places + hit) | (open_places - hit)
    for i in range(n):
        length += <int> (~open_places >> i & 1)
    return length


cdef int small_table(const uint32_t *a, const uint32_t *b, int n, int m, int insertion, int deletion, int substitution) noexcept nogil:
    """Distance with small whole costs in one row of ints on the stack."""
    cdef int row[SHORT + 1]
    cdef int i, j, corner, best, above
    row[0] = 0
    for j in range(m):
        row[j + 1] = row[j] + insertion
    for i in range(n):
        corner = row[0]
        best = row[0] = corner + deletion
        for j in range(m):
            above = row[j + 1]
            if b[j] != a[i]:
                corner += substitution
            if above + deletion < corner:
                corner = above + deletion
            best += insertion
            if corner < best:
                best = corner
            corner = above
            row[j + 1] = best
    return row[m]


cdef int small_unrestricted(const uint32_t *a, const uint32_t *b, int n, int m) noexcept nogil:
    """Unit-cost unrestricted Damerau-Levenshtein distance (as `fill_unrestricted`) in a small table of ints on the stack."""
    cdef int table[SMALL_TABLE + 2 * SHORT + 1]
    cdef int first[SHORT]
    cdef int last[SHORT]
    cdef int i, j, k, match, here, best, width = m + 1
    cdef int *row = table
    cdef int *above
    for j in range(width):
        row[j] = j
    for j in range(m):
        k = 0
        while b[k] != b[j]:
            k += 1
        first[j] = k
        last[j] = 0
    for i in range(n):
        above = row
        row += width
        row[0] = i + 1
        match = 0
        here = -1
        for j in range(m):
            best = above[j] + (a[i] != b[j])
            if above[j + 1] + 1 < best:
                best = above[j + 1] + 1
            if row[j] + 1 < best:
                best = row[j] + 1
            k = last[first[j]]
            if k and match and table[(k - 1) * width + match - 1] + i - k + 1 + j - match < best:
                best = table[(k - 1) * width + match - 1] + i - k + 1 + j - match
            row[j + 1] = best
            if a[i] == b[j]:
                match = j + 1
                here = first[j]
        if here >= 0:
            last[here] = i + 1
    return row[m]


cdef inline int small_cost(object cost):
    """Read a small whole cost; -1 for whatever else comes."""
    cdef int overflow = 0
    cdef long value
    if not PyLong_CheckExact(cost):
        return -1
    value = PyLong_AsLongAndOverflow(cost, &overflow)
    return <int> value if not overflow and 0 <= value <= LARGEST_COST else -1


cdef inline double plain_cost(object cost):
    """Read a small whole cost or a float of 0 or more; -1 for whatever else comes."""
    if PyFloat_CheckExact(cost):
        return cost if cost >= 0.0 else -1.0  # not a number compares false
    return small_cost(cost)


cdef int short_distance(object a, object b, int insertion, int deletion, int substitution, int swaps) noexcept:
    """Distance of two short strings, -1 where RapidFuzz is the faster way.

    With restricted (1) or unrestricted (2) swaps all costs must be 1.
    """
    cdef uint32_t left[SHORT]
    cdef uint32_t right[SHORT]
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(a), m = PyUnicode_GET_LENGTH(b)
    cdef int common
    if n > SHORT or m > SHORT:
        return -1
    copy_codes(a, n, left)
    copy_codes(b, m, right)
    while n and m and left[n - 1] == right[m - 1]:
        n -= 1
        m -= 1
    if swaps == 2:
        return small_unrestricted(left, right, n, m) if n * m <= SMALL_TABLE else -1
    if n and insertion == 1 and deletion == 1 and substitution == 1:
        return unit_distance(left, right, n, m, swaps)
    if substitution >= insertion + deletion:  # no substitution is needed: what is not common is deleted and inserted
        common = common_subsequence(left, right, n, m)
        return (n - common) * deletion + (m - common) * insertion
    return small_table(left, right, n, m, insertion, deletion, substitution) if n * m <= SMALL_TABLE else -1


cdef object float_distance(object a, object b, object insertion, object deletion, object substitution):
    """Distance where one of the costs is a float and the others are plain; None for whatever else comes."""
    cdef double costs[3]
    costs[0] = plain_cost(insertion)
    costs[1] = plain_cost(deletion)
    costs[2] = plain_cost(substitution)
    if costs[0] < 0 or costs[1] < 0 or costs[2] < 0:
        return None
    return distance(a, b, costs[0], costs[1], costs[2], INFINITY, False, INFINITY, "", "", None)


cdef object common_distance(
    object a, object b, object insertion, object deletion, object substitution, object transposition, object variant, object max_distance,
    object levenshtein, object osa, object damerau,
):
    """Answer a common call; None for whatever else comes."""
    cdef int ins, dele, sub, swap, limit = -1, score
    cdef bint restricted
    if not (PyUnicode_CheckExact(a) and PyUnicode_CheckExact(b)):
        return None
    restricted = variant == "osa"
    if not restricted and variant != "damerau":
        return None
    ins, dele, sub = small_cost(insertion), small_cost(deletion), small_cost(substitution)
    if ins < 0 or dele < 0 or sub < 0:
        return float_distance(a, b, insertion, deletion, substitution) if transposition is None and max_distance is None else None
    if max_distance is not None:
        limit = small_cost(max_distance)
        if limit < 0:
            return None
    if transposition is None:
        score = short_distance(a, b, ins, dele, sub, 0)
    else:
        swap = small_cost(transposition)
        if not (ins == 1 and dele == 1 and sub == 1 and swap == 1):
            return None
        score = short_distance(a, b, 1, 1, 1, 1 if restricted else 2)
    if score >= 0:
        return score if limit < 0 or score <= limit else limit + 1
    if transposition is None:
        return levenshtein(a, b, weights=(insertion, deletion, substitution), score_cutoff=max_distance)
    if max_distance is None:
        return osa(a, b) if restricted else damerau(a, b)
    return osa(a, b, score_cutoff=max_distance) if restricted else damerau(a, b, score_cutoff=max_distance)


def common_first(general, levenshtein, osa, damerau):
    """Wrap the general edit distance so that the common calls skip its parameter checks, which would cost more than the distance.

    Common: two strings and plain numbers as costs. Short strings are answered here, others by RapidFuzz's functions, which are passed in.
    """

    @wraps(general)
    def edit_distance(a, b, insertion=1, deletion=1, substitution=1, transposition=None, cost=None, *, variant="damerau", max_distance=None):
        cdef object answer = None
        if cost is None:
            answer = common_distance(
                a, b, insertion, deletion, substitution, transposition, variant, max_distance, levenshtein, osa, damerau
            )
        if answer is not None:
            return answer
        return general(a, b, insertion, deletion, substitution, transposition, cost, variant=variant, max_distance=max_distance)

    return edit_distance
