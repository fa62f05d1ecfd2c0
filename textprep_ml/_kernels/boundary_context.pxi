# What a candidate needs to know beyond its own tokens: blocks of tokens, and how words and lines of the text behave.

cdef int make_tokens(work_t *w, int64_t n) noexcept nogil:
    """Make room for so many tokens."""
    if w.capacity >= n:
        return 0
    free_tokens(w)
    w.tokens = <token_t *>malloc(n * sizeof(token_t))
    w.hashes = <uint64_t *>malloc(n * sizeof(uint64_t))
    w.entry_of = <uint32_t *>malloc(n * sizeof(uint32_t))
    # Lists are written to at their ends before it is known whether they grow.
    w.loud = <int32_t *>malloc((n + 1) * sizeof(int32_t))
    w.active = <int32_t *>malloc((n + 1) * sizeof(int32_t))
    w.passive = <uint64_t *>malloc((n + 1) * sizeof(uint64_t))
    w.end_bits = <uint64_t *>malloc((n // 64 + 2) * sizeof(uint64_t))
    w.line_bits = <uint64_t *>malloc((n // 64 + 2) * sizeof(uint64_t))
    if w.tokens == NULL or w.hashes == NULL or w.entry_of == NULL or w.loud == NULL or w.active == NULL:
        return -1
    if w.passive == NULL or w.end_bits == NULL or w.line_bits == NULL:
        return -1
    w.capacity = n
    return 0


cdef void free_tokens(work_t *w) noexcept nogil:
    free(w.tokens); free(w.hashes); free(w.entry_of); free(w.loud); free(w.active); free(w.passive); free(w.end_bits); free(w.line_bits)
    w.tokens = NULL
    w.hashes = w.passive = w.end_bits = w.line_bits = NULL
    w.entry_of = NULL
    w.loud = w.active = NULL
    w.capacity = 0


cdef void keep_last(work_t *w, int64_t n, int64_t kept) noexcept nogil:
    """Move the last tokens of a block to its beginning, where all of them are loud."""
    cdef int64_t i
    memmove(w.tokens, w.tokens + n - kept, kept * sizeof(token_t))
    memmove(w.hashes, w.hashes + n - kept, kept * sizeof(uint64_t))
    memmove(w.entry_of, w.entry_of + n - kept, kept * sizeof(uint32_t))
    w.n_loud = w.n_passive = 0
    for i in range(kept):
        list_token(w, i)


cdef inline void list_token(work_t *w, int64_t i) noexcept nogil:
    """Add a token that is not quiet to the lists."""
    w.loud[w.n_loud] = <int32_t>i
    w.passive[w.n_passive] = w.hashes[i]
    w.n_loud += 1
    w.n_passive += (w.tokens[i].flags & FLAG_PASSIVE) != 0


cdef int64_t fill_tokens(const char_t *text, scan_t *scan, work_t *w, int64_t n, int64_t stop, int newline) noexcept nogil:
    """Read tokens into the block from index `n` until there are `stop` or the text ends; give how many there are."""
    cdef token_t *t
    cdef int64_t read
    while n < stop:
        t = &w.tokens[n]
        if scan.position < scan.chunk_end:
            w.hashes[n] = next_token(text, scan, t)
            t.blanks = t.newlines = t.softened = 0
            t.breaks = BREAKS_GLUED
            read = n
        else:
            if not skip_blanks(text, scan):
                break
            read = read_words(text, scan, w, n, stop, n > 0 and scan.newlines == 0 and scan.blanks == 1 and (w.tokens[n - 1].flags & FLAG_CALM) != 0)
            if read > n:
                scan.chunk_end = scan.position
                if scan.newlines == 0 and scan.blanks == 1:
                    n = read
                    continue
            else:
                find_chunk(text, scan)
                w.hashes[n] = next_token(text, scan, t)
            t.softened = scan.newlines > 0 and (newline == NEWLINE_SOFT or (newline == NEWLINE_PARAGRAPH and scan.newlines == 1))
            t.blanks = 1 if t.softened and scan.blanks == 0 else scan.blanks
            t.newlines = 0 if t.softened else scan.newlines
            t.breaks = min(t.newlines, 2)
        if n > 0 and t.newlines == 0 and is_end_mark(w.tokens[n - 1].mark):
            join_mark(&w.tokens[n - 1], t)
        classify(t)
        if read > n:
            n = read
        else:
            list_token(w, n)
            n += 1
    return n


cdef void close_line(style_t *d, token_t *last) noexcept nogil:
    """Count the line that ends with the token `last`."""
    cdef int64_t length
    if not d.has_line:
        return
    length = last.end - d.line_start
    d.n_lines += 1
    d.n_line_ends += is_end_mark(last.mark)
    length = min(length, 255)
    d.lengths[length] += 1
    d.longest = max(d.longest, <int>length)
    d.has_line = False


cdef int count_tokens(work_t *w, int64_t first_loud, int64_t first, int64_t n) noexcept nogil:
    """Collect from tokens [first, n) how words and lines of this text behave; the one before them is looked at, where there is one.

    Of quiet tokens the number is all that matters. Words that are not active are counted later, by `count_passive`, unless all are wanted in
    their order.
    """
    cdef style_t *d = &w.style
    cdef int64_t x, i, n_active = 0, quiet = n - first - (w.n_loud - first_loud)
    cdef token_t *t
    cdef token_t *before
    cdef bint inside, is_lower, is_upper
    if w.all_words:
        for i in range(first, n):
            if count_word(w, i) < 0:
                return -1
    for x in range(first_loud, w.n_loud):
        w.active[n_active] = w.loud[x]
        n_active += w.tokens[w.loud[x]].flags // FLAG_ACTIVE & 1
    for x in range(n_active):
        i = w.active[x]
        t = &w.tokens[i]
        before = t - (i > 0)
        if not w.all_words and count_word(w, i) < 0:
            return -1
        inside = (before.mark == MARK_NONE) & (t.newlines == 0) & (i > 0)
        w.counts.entries[w.entry_of[i]].upper_inside += inside & (t.first == K_UPPER) & (t.lead == LEAD_NONE) & (w.entry_of[i] != NO_ENTRY)
    d.n_tokens += n - first
    d.n_lower_words += quiet
    d.n_inside += quiet
    for x in range(first_loud, w.n_loud):
        i = w.loud[x]
        t = &w.tokens[i]
        before = t - (i > 0)
        if t.newlines or i == 0:
            close_line(d, before)
            d.line_start = t.start
            d.has_line = True
        is_lower = t.first == K_LOWER
        is_upper = t.first == K_UPPER
        inside = (before.mark == MARK_NONE) & (t.newlines == 0) & (i > 0)
        d.n_ends += t.as_left >= LEFT_END
        d.n_lower_words += is_lower
        d.n_upper_words += t.shape == SHAPE_UPPER
        d.n_capitalised += is_upper
        d.n_inside += inside
        d.n_inside_upper += inside & is_upper
        if is_lower and before.mark == MARK_PERIOD and t.newlines < 2 and t.lead == LEAD_NONE and i > 0:
            w.counts.entries[w.entry_of[i - 1]].period_then_lower += w.entry_of[i - 1] != NO_ENTRY
    return 0


cdef inline bint is_word(token_t *t) noexcept nogil:
    return t.first == K_LOWER or t.first == K_UPPER or t.first == K_LETTER


cdef inline int count_word(work_t *w, int64_t i) noexcept nogil:
    """Count token `i`, if it is a word."""
    cdef token_t *t = &w.tokens[i]
    cdef entry_t *e
    cdef bint dotted = (t.mark == MARK_PERIOD) | (t.mark == MARK_END_THEN_COMMA)
    w.entry_of[i] = NO_ENTRY
    if not is_word(t):
        return 0
    w.entry_of[i] = counts_add(&w.counts, w.hashes[i])
    if w.entry_of[i] == NO_ENTRY:
        return counts_full(&w.counts) - 1
    e = &w.counts.entries[w.entry_of[i]]
    e.lower += t.first == K_LOWER
    e.period += dotted
    e.period_then_lower += t.mark == MARK_END_THEN_COMMA
    e.bare += not dotted
    return 0


cdef int count_passive(work_t *w, bint only_known) noexcept nogil:
    """Count the passive words of a block, or those of them that have counts already: the others are not asked for in this text."""
    cdef int64_t k, n = w.n_passive
    cdef uint64_t hash
    cdef uint32_t entry
    if only_known:
        n = 0
        for k in range(w.n_passive):
            # Most of the slots are empty, so that few words are left.
            hash = w.passive[k]
            w.passive[n] = hash
            n += w.counts.slots[counts_slot(&w.counts, hash)] != NO_ENTRY
    else:
        prefetch_counts(w.passive, w.passive + n, &w.counts)
    for k in range(n):
        if only_known:
            entry = counts_find(&w.counts, w.passive[k])
            if entry == NO_ENTRY:
                continue
        else:
            entry = counts_add(&w.counts, w.passive[k])
            if entry == NO_ENTRY:
                if counts_full(&w.counts):
                    continue
                return -1
        w.counts.entries[entry].lower += 1
        w.counts.entries[entry].bare += 1
    return 0


cdef void finish_style(style_t *d, token_t *last) noexcept nogil:
    """Turn the sums into codes."""
    cdef int64_t seen = 0, beyond = 0, length
    cdef double share
    close_line(d, last)
    d.width = 0
    if d.n_lines:
        # The least length with at most a twentieth of the lines beyond it.
        length = d.longest
        while length > 0 and (beyond + d.lengths[length]) * 20 <= d.n_lines:
            beyond += d.lengths[length]
            length -= 1
        d.width = <int>length
    share = <double>d.n_ends / d.n_tokens if d.n_tokens else 0
    d.marks = 0 if share < 0.005 else 1 if share < 0.02 else 2 if share < 0.04 else 3 if share < 0.07 else 4
    for length in range((d.width * 7 + 9) // 10, d.longest + 1):
        seen += d.lengths[length]
    if d.n_lines < 2:
        d.lines = 0
    elif d.width >= 160:
        d.lines = 1
    elif d.width >= 40 and seen * 2 >= d.n_lines:
        d.lines = 2
    else:
        d.lines = 3
    share = <double>d.n_line_ends / d.n_lines if d.n_lines else 0
    d.line_ends = 0 if d.n_lines < 2 else 1 if share < 0.25 else 2 if share < 0.6 else 3
    share = <double>d.n_inside_upper / d.n_inside if d.n_inside else 0.1
    if d.n_lower_words * 2 < d.n_upper_words:
        d.caps = 4
    elif d.n_capitalised * 50 < d.n_lower_words:
        d.caps = 0          # the whole text is in lower case
    else:
        d.caps = 1 if share < 0.08 else 2 if share < 0.2 else 3


cdef int64_t read_block(const char_t *text, scan_t *scan, work_t *w, int64_t n, int newline) noexcept nogil:
    """Fill the block and count its tokens, some at a time while they are near; give how many there are, or -1."""
    cdef int64_t first, stop, first_loud
    while n < w.block:
        first = n
        first_loud = w.n_loud
        stop = min(n + SLICE, w.block)
        prefetch_bytes(text + scan.position + AHEAD, text + min(scan.position + 2 * AHEAD, scan.length))
        n = fill_tokens(text, scan, w, first, stop, newline)
        if w.all_words:
            prefetch_counts(w.hashes + first, w.hashes + n, &w.counts)
        if count_tokens(w, first_loud, first, n) < 0:
            return -1
        if n < stop:
            break
    return n


cdef enum:
    # What is known of a gap, added to its kind.
    GAP_OUTSIDE = 3             # bit: it is a candidate where no bracket is open
    GAP_INSIDE = 4              # bit: it is one where a bracket is open
    GAP_FORCED = 5              # bit: it is a boundary whatever the model says
    NO = 0, OPEN = 1 << GAP_OUTSIDE, YES = 1 << GAP_OUTSIDE | 1 << GAP_INSIDE

# Which gaps are candidates: not those between words that hopelessly continue a sentence, and not those before marks that stand alone. Columns:
# a line break before the token on the right; marks that stand alone; a pictograph, which goes with the mark before it; a line break that is
# to mean nothing, so that it is no boundary without a mark; anything that may open a sentence; a word in lower case (which may, in a text
# without capitals), and one without case.
cdef uint8_t[N_LEFTS][N_RIGHTS] IS_CANDIDATE
IS_CANDIDATE[LEFT_NONE] = [YES, NO, YES, NO, YES, NO, NO]
IS_CANDIDATE[LEFT_COMMA] = [YES, NO, YES, NO, YES, NO, NO]
IS_CANDIDATE[LEFT_OTHER] = [YES, NO, YES, NO, YES, YES, YES]
IS_CANDIDATE[LEFT_END] = [YES, NO, NO, YES, YES, YES, YES]
# East Asian text: nothing ends inside brackets.
IS_CANDIDATE[LEFT_WIDE] = [YES, NO, NO, OPEN, OPEN, OPEN, OPEN]


cdef enum:
    N_GAPS = N_RIGHTS * N_BREAKS * N_LEFTS

cdef inline int gap_of(token_t *left, token_t *right) noexcept nogil:
    """Number the sorts of gaps."""
    return (right.as_right * N_BREAKS + right.breaks) * N_LEFTS + left.as_left


# The kind of a gap, by the line breaks in it and whether an end mark stands before it.
cdef uint8_t[4][2] KIND_OF
KIND_OF[0] = [KIND_GAP, KIND_MARK]
KIND_OF[1] = [KIND_LINE, KIND_MARK_LINE]
KIND_OF[2] = [KIND_PARAGRAPH, KIND_PARAGRAPH]
KIND_OF[BREAKS_GLUED] = [KIND_INSIDE, KIND_INSIDE]
