# One text in pieces, twice: what is found is what the whole text would give.

cdef enum:
    SOME_BLOCKS = 8        # decided at a time, where a piece is long

cdef class PieceReader:
    """One pass over the pieces: where it stands, and the tokens that it holds."""
    cdef Workspace space
    cdef scan_t scan
    cdef int64_t n              # tokens in the block
    cdef bint inside_run        # whether the piece before ended in characters that a token may go on with

    def __cinit__(self):
        self.space = Workspace()
        self.space.prepare(1, WANT_BOUNDARIES)
        memset(&self.scan, 0, sizeof(self.scan))
        if start_collecting(&self.space.w, SMALL_BLOCK) < 0:
            raise MemoryError()
        start_deciding(&self.space.w)

    cdef int open_piece(self, str text) except -1:
        """Go on with a piece, which must not tear a run of characters between white space."""
        cdef int64_t length = PyUnicode_GET_LENGTH(text)
        self.scan.goes_on = True
        if length == 0:
            return 0
        if self.inside_run and not is_blank(<Py_UCS4>text[0]):
            raise ValueError("A piece of a text must begin or the one before it must end with white space.")
        self.inside_run = not is_blank(<Py_UCS4>text[length - 1])
        self.scan.length = self.scan.position + length
        return 0


cdef inline bint is_blank(Py_UCS4 char) noexcept:
    return K_SPACE <= uc_kind(char) <= K_NEWLINE


cdef inline const char_t *place_at(const char_t *piece, int64_t position) noexcept nogil:
    """Where the text would begin if all of it before a piece were in memory, so that positions are those in the text."""
    return <const char_t *>(<uintptr_t>piece - <uintptr_t>position * sizeof(char_t))


cdef class BoundaryStream:
    """Finds the boundaries of one text that comes in pieces; one thread at a time may use it.

    `collect` takes the pieces in the first pass, `decide` the same text, cut anyhow, in the second. Where a text cannot be read twice, each
    piece goes to both in turn: then it is decided by what the text had said so far.
    """
    cdef BoundaryScanner scanner
    cdef PieceReader collector
    cdef PieceReader decider

    def __init__(self, BoundaryScanner scanner not None):
        self.scanner = scanner
        self.collector = PieceReader()
        self.decider = PieceReader()

    def collect(self, str text not None):
        """Count how words and lines of a piece behave."""
        cdef PieceReader reader = self.collector
        cdef work_t *w = &reader.space.w
        cdef const void *data = PyUnicode_DATA(text)
        cdef int width = PyUnicode_KIND(text), newline = self.scanner.newline
        cdef int64_t position = reader.scan.position
        reader.open_piece(text)
        with nogil:
            if width == 1:
                reader.n = collect_piece(place_at(<const uint8_t *>data, position), &reader.scan, w, reader.n, newline)
            elif width == 2:
                reader.n = collect_piece(place_at(<const uint16_t *>data, position), &reader.scan, w, reader.n, newline)
            else:
                reader.n = collect_piece(place_at(<const uint32_t *>data, position), &reader.scan, w, reader.n, newline)
        if reader.n < 0:
            reader.n = 0
            raise MemoryError()

    def decide(self, str text not None, bint is_last=False):
        """Iterate over ``(ends, starts)`` of the boundaries that are certain once this piece is known: all but those before its last few tokens.

        A long piece gives some at a time. All of them are to be taken before the next piece comes.
        """
        cdef int64_t position = self.decider.scan.position
        if self.scanner.linear is None and not self.scanner.has_tree:
            raise ValueError("BoundaryScanner has no model: call set_linear or set_tree first.")
        self.decider.open_piece(text)
        self.finish_evidence(&self.decider.space.w)
        return self._parts(text, position, is_last)

    def _parts(self, str text, int64_t position, bint is_last):
        self.decider.space.w.finished = False
        while not self.decider.space.w.finished:
            yield self.decide_some(text, position, is_last)

    cdef tuple decide_some(self, str text, int64_t position, bint is_last):
        """Go on with a piece that begins at a position."""
        cdef PieceReader reader = self.decider
        cdef BoundaryScanner scanner = self.scanner
        cdef Linear linear = scanner.linear
        cdef work_t *w = &reader.space.w
        cdef counts_t own = w.counts
        cdef const void *data = PyUnicode_DATA(text)
        cdef int width = PyUnicode_KIND(text), status
        cdef int64_t *offsets = reader.space.offsets
        cdef scan_t *scan = &reader.scan
        cdef int64_t n = reader.n
        w.n = 0
        w.counts = self.collector.space.w.counts
        with nogil:
            if width == 1:
                n = decide_piece(scanner, linear, place_at(<const uint8_t *>data, position), scan, w, n, is_last, SOME_BLOCKS, WANT_BOUNDARIES, offsets)
            elif width == 2:
                n = decide_piece(scanner, linear, place_at(<const uint16_t *>data, position), scan, w, n, is_last, SOME_BLOCKS, WANT_BOUNDARIES, offsets)
            else:
                n = decide_piece(scanner, linear, place_at(<const uint32_t *>data, position), scan, w, n, is_last, SOME_BLOCKS, WANT_BOUNDARIES, offsets)
            status = settle(scanner, linear, w, WANT_BOUNDARIES, offsets)
        w.counts = own
        reader.n = max(n, 0)
        if n < 0 or status < 0:
            raise MemoryError()
        return take(w.found_ends, w.n, np.int64), take(w.found_starts, w.n, np.int64)

    cdef int finish_evidence(self, work_t *w) except -1:
        """Hand over what the text has said so far."""
        cdef work_t *collected = &self.collector.space.w
        if count_passive(collected, self.collector.n, False) < 0:
            raise MemoryError()
        w.style = collected.style
        if self.collector.n > 0:
            finish_style(&w.style, &collected.tokens[self.collector.n - 1])
        return 0
