# What a candidate needs to know beyond its own tokens: blocks of tokens, and how words and lines of the text behave.

cdef int make_tokens(work_t *w, int64_t n) noexcept nogil:
    """Make room for so many tokens."""
    if w.capacity >= n:
        return 0
    free_tokens(w)
    w.tokens = <token_t *>malloc(n * sizeof(token_t))
    w.hashes = <uint64_t *>malloc(n * sizeof(uint64_t))
    w.entry_of = <uint32_t *>malloc(n * sizeof(uint32_t))
    w.looks = <uint8_t *>calloc(n + 64, 1)     # whole words of them are read
    w.gathered = <looks_t *>malloc((n // 64 + 2) * sizeof(looks_t))
    if w.tokens == NULL or w.hashes == NULL or w.entry_of == NULL or w.looks == NULL or w.gathered == NULL:
        return -1
    w.capacity = n
    return 0


cdef void free_tokens(work_t *w) noexcept nogil:
    free(w.tokens); free(w.hashes); free(w.entry_of); free(w.looks); free(w.gathered)
    w.tokens = NULL
    w.hashes = NULL
    w.entry_of = NULL
    w.looks = NULL
    w.gathered = NULL
    w.capacity = 0


cdef void keep_last(work_t *w, int64_t n, int64_t kept) noexcept nogil:
    """Move the last tokens of a block to its beginning."""
    memmove(w.tokens, w.tokens + n - kept, kept * sizeof(token_t))
    memmove(w.hashes, w.hashes + n - kept, kept * sizeof(uint64_t))
    memmove(w.entry_of, w.entry_of + n - kept, kept * sizeof(uint32_t))
    memmove(w.looks, w.looks + n - kept, kept)
    gather(w, 0, kept)
    w.n_counted = kept


cdef void gather(work_t *w, int64_t first, int64_t n) noexcept nogil:
    """Gather what is looked for in the tokens from `first` to the last one."""
    cdef int64_t word
    memset(w.looks + n, 0, 64)
    for word in range(first >> 6, (n >> 6) + 1):
        gather_looks(w.looks + 64 * word, &w.gathered[word])
    memset(&w.gathered[(n >> 6) + 1], 0, sizeof(looks_t))


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
            read = read_words(text, scan, w, n, stop)
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
        w.looks[n] = t.looks
        n = max(read, n + 1)
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


cdef int count_tokens(work_t *w, int64_t first, int64_t n) noexcept nogil:
    """Collect from tokens [first, n) how words and lines of this text behave; the one before them is looked at, where there is one.

    Words that are not active are counted later, by `count_passive`, unless all are wanted in their order.
    """
    cdef style_t *d = &w.style
    cdef int64_t word, i
    cdef looks_t *here
    cdef looks_t *before
    cdef looks_t nothing
    cdef uint64_t span, inside, bits
    if w.all_words:
        for i in range(first, n):
            if count_word(w, i) < 0:
                return -1
    memset(&nothing, 0, sizeof(nothing))
    nothing.marked = <uint64_t>1 << 63      # the first token is not inside of anything
    gather(w, first, n)
    for word in range(first >> 6, (n + 63) >> 6):
        here = &w.gathered[word]
        before = here - 1 if word else &nothing
        span = word_span(word, first, n)
        inside = span & ~(here.marked << 1 | before.marked >> 63 | here.line)
        d.n_ends += count_bits(here.ends & span)
        d.n_lower_words += count_bits(here.lower & span)
        d.n_capitalised += count_bits(here.upper & span)
        d.n_inside += count_bits(inside)
        d.n_inside_upper += count_bits(inside & here.upper)
        bits = here.active & span
        while bits:
            i = 64 * word + lowest_bit(bits)
            if count_active(w, i, inside >> (i & 63) & 1) < 0:
                return -1
            bits &= bits - 1
        bits = (here.line | (word == 0)) & span
        while bits:
            i = 64 * word + lowest_bit(bits)
            close_line(d, &w.tokens[i - (i > 0)])
            d.line_start = w.tokens[i].start
            d.has_line = True
            bits &= bits - 1
        bits = here.lower & (here.ends << 1 | before.ends >> 63) & span
        while bits:
            count_continued(w, 64 * word + lowest_bit(bits))
            bits &= bits - 1
    d.n_tokens += n - first
    return 0


cdef inline int count_active(work_t *w, int64_t i, bint inside) noexcept nogil:
    """Count the active token `i`."""
    cdef token_t *t = &w.tokens[i]
    if not w.all_words and count_word(w, i) < 0:
        return -1
    w.counts.entries[w.entry_of[i]].upper_inside += inside & (t.first == K_UPPER) & (t.lead == LEAD_NONE) & (w.entry_of[i] != NO_ENTRY)
    w.style.n_upper_words += t.shape == SHAPE_UPPER
    return 0


cdef inline void count_continued(work_t *w, int64_t i) noexcept nogil:
    """Count the word before the end mark before token `i`, which is in lower case, if the sentence seems to go on."""
    cdef token_t *t = &w.tokens[i]
    if (t - 1).mark == MARK_PERIOD and t.newlines < 2 and t.lead == LEAD_NONE:
        w.counts.entries[w.entry_of[i - 1]].period_then_lower += w.entry_of[i - 1] != NO_ENTRY


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


cdef int count_passive(work_t *w, int64_t n, bint only_known) noexcept nogil:
    """Count those words in lower case of a block that are not active, or those that have counts already: no others are asked for in this text."""
    cdef int64_t word, k, n_words
    cdef uint64_t bits, hash
    cdef uint64_t[64] hashes
    cdef uint32_t entry
    for word in range(w.n_counted >> 6, (n + 63) >> 6):
        bits = w.gathered[word].lower & ~w.gathered[word].active & word_span(word, w.n_counted, n)
        n_words = 0
        while bits:
            hash = w.hashes[64 * word + lowest_bit(bits)]
            hashes[n_words] = hash
            # Most of the slots are empty, so that few words are left.
            n_words += (not only_known) | (w.counts.slots[counts_slot(&w.counts, hash)] != NO_ENTRY)
            bits &= bits - 1
        if not only_known:
            prefetch_counts(hashes, hashes + n_words, &w.counts)
        for k in range(n_words):
            entry = counts_find(&w.counts, hashes[k]) if only_known else counts_add(&w.counts, hashes[k])
            if entry == NO_ENTRY:
                if only_known or counts_full(&w.counts):
                    continue
                return -1
            w.counts.entries[entry].lower += 1
            w.counts.entries[entry].bare += 1
    w.n_counted = n
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
    cdef int64_t first, stop
    while n < w.block:
        first = n
        stop = min(n + SLICE, w.block)
        prefetch_bytes(text + scan.position + AHEAD, text + min(scan.position + 2 * AHEAD, scan.length))
        n = fill_tokens(text, scan, w, first, stop, newline)
        if w.all_words:
            prefetch_counts(w.hashes + first, w.hashes + n, &w.counts)
        if count_tokens(w, first, n) < 0:
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
