# Candidates of the boundary scanner: how they are found, described and decided.

cdef enum:
    CODES = 256         # larger values have the code of the last one

cdef uint8_t[CODES] LENGTH_CODES, PLACE_CODES, REST_CODES, SINCE_CODES, UNTIL_CODES, LINE_CODES

cdef void fill_codes(uint8_t *codes, list limits):
    """Write, for each value, the number of rising limits that it reaches."""
    cdef int value
    for value in range(CODES):
        codes[value] = sum(value >= limit for limit in limits)

fill_codes(LENGTH_CODES, [1, 2, 3, 4, 5, 6, 9])
fill_codes(PLACE_CODES, [2, 3, 4, 6, 9, 16])
fill_codes(REST_CODES, [2, 3, 4, 6, 10])
fill_codes(SINCE_CODES, [2, 3, 4, 6, 10, 18, 30])
fill_codes(UNTIL_CODES, [2, 3, 4, 6, 9, 13])
fill_codes(LINE_CODES, [10, 20, 40, 60, 80, 120])


cdef inline bint is_enumerator(token_t *t) noexcept nogil:
    """Whether the token looks like the mark of a list item: ``2.``, ``(b)``, ``IV)``."""
    return (t.shape == SHAPE_NUMBER or t.shape == SHAPE_INITIAL or t.shape == SHAPE_SINGLE_LOWER or t.shape == SHAPE_ROMAN) and t.length <= 4 \
        and (t.mark == MARK_PERIOD or t.closer == CLOSER_BRACKET_AFTER)


cdef inline void advance(state_t *s, token_t *t, bint is_first) noexcept nogil:
    """Move past token `t`, which turns something."""
    if t.newlines or is_first:
        s.line_start = t.start
        if t.lead == LEAD_BULLET or t.lead == LEAD_DASH:
            s.line_code = 1
        elif is_enumerator(t):
            s.line_code = 2
        elif t.blanks >= 2:
            s.line_code = 4
        else:
            s.line_code = 0
        if t.newlines >= 2:
            s.quote = False
            s.brackets = s.stops = 0
    s.quote = (s.quote | t.opens_quote) & (1 - t.closes_quote)
    s.brackets = max(s.brackets + t.brackets, 0)
    s.stops = (s.stops + (t.mark == MARK_WIDE)) * (s.brackets > 0)
    if s.stops > STOPS_IN_BRACKETS:
        s.brackets = s.stops = 0


cdef int run_text(
    BoundaryScanner scanner, Linear linear, const char_t *text, int64_t length, work_t *w, int want, int64_t *n_of_text
) noexcept nogil:
    """Go over one text, twice if it has more tokens than a block: collect, then describe and decide."""
    cdef scan_t scan
    cdef int64_t n
    # A long text is read twice anyway, best by blocks that stay in the cache.
    if start_collecting(w, min(length // 2 + 64, BLOCK) if length < 8 * BLOCK else SMALL_BLOCK) < 0:
        return -1
    memset(&scan, 0, sizeof(scan))
    scan.length = length
    n = collect_piece(text, &scan, w, 0, scanner.newline)
    if n < 0 or count_passive(w, n, not w.overflowed) < 0:
        return -1
    if n > 0:
        finish_style(&w.style, &w.tokens[n - 1])
    start_deciding(w)
    if not w.overflowed:
        return decide(scanner, linear, w, 0, n, n, want, n_of_text)
    memset(&scan, 0, sizeof(scan))
    scan.length = length
    keep_last(w, 0, 0)
    return -1 if decide_piece(scanner, linear, text, &scan, w, 0, True, length, want, n_of_text) < 0 else 0


cdef int start_collecting(work_t *w, int64_t block) noexcept nogil:
    """Forget the text before."""
    if make_tokens(w, block) < 0:
        return -1
    w.block = block
    w.overflowed = False
    counts_clear(&w.counts)
    memset(&w.style, 0, sizeof(w.style))
    keep_last(w, 0, 0)
    return 0


cdef int64_t collect_piece(const char_t *text, scan_t *scan, work_t *w, int64_t n, int newline) noexcept nogil:
    """Collect from a text or a piece of one, where `n` tokens are in the block; give how many there are then, or -1.

    The passive words of the last block wait to be counted.
    """
    while True:
        n = read_block(text, scan, w, n, newline)
        if n < w.block:
            return n
        if count_passive(w, n, False) < 0:
            return -1
        w.overflowed = True
        keep_last(w, n, 1)
        n = 1


cdef void start_deciding(work_t *w) noexcept nogil:
    """Go to the beginning of a text that was collected from."""
    memset(&w.state, 0, sizeof(w.state))
    w.decided = 0


cdef int64_t decide_piece(
    BoundaryScanner scanner, Linear linear, const char_t *text, scan_t *scan, work_t *w, int64_t n, bint is_last, int64_t n_blocks, int want,
    int64_t *n_of_text
) noexcept nogil:
    """Decide on the candidates of a text, or of a piece of one that can be decided without the next one; give the tokens that are kept, or -1.

    After so many blocks, whose candidates may be many, it stops even if it is not finished.
    """
    cdef int64_t kept, limit
    cdef bint done
    w.finished = False
    while n_blocks > 0 and not w.finished:
        n_blocks -= 1
        kept = n
        n = fill_tokens(text, scan, w, kept, w.block, scanner.newline)
        gather(w, kept, n)
        recall(w, kept, n)
        done = n < w.block
        limit = n if done and is_last else n - LOOKAHEAD
        if (done and is_last) or limit > max(w.decided, LOOKBACK):
            if decide(scanner, linear, w, w.decided, limit, n, want, n_of_text) < 0:
                return -1
            kept = min(n - limit + LOOKBACK, n)
            keep_last(w, n, kept)
            n = kept
            w.decided = LOOKBACK
        w.finished = done
    return n


cdef void recall(work_t *w, int64_t first, int64_t n) noexcept nogil:
    """Find the word counts of tokens that the second pass reads again."""
    cdef int64_t i, stop
    while first < n:
        stop = min(first + SLICE, n)
        prefetch_counts(w.hashes + first, w.hashes + stop, &w.counts)
        for i in range(first, stop):
            if w.looks[i] & LOOK_ACTIVE:
                w.entry_of[i] = counts_find(&w.counts, w.hashes[i]) if is_word(&w.tokens[i]) else NO_ENTRY
        first = stop


cdef int decide(
    BoundaryScanner scanner, Linear linear, work_t *w, int64_t first, int64_t limit, int64_t n, int want, int64_t *n_of_text
) noexcept nogil:
    """Find and describe the candidates before tokens [first, limit); tokens up to `n` may be looked at."""
    cdef int64_t word, i
    cdef const uint8_t *codes = scanner.gap_codes[w.style.caps != 0]
    cdef uint64_t bits, stops_before = 0, all_bits = 0
    cdef int code, is_gap
    cdef token_t *right
    cdef candidate_t *c
    cdef state_t state = w.state
    if w.style.caps == 0:
        all_bits = ~all_bits
    if first == 0 and limit > 0:
        w.gathered[0].line |= 1
        advance(&state, w.tokens, True)
        first = 1
    for word in range(first >> 6, (limit + 63) >> 6):
        stops_before = w.gathered[word - 1].stops >> 63 if word else 0
        bits = (all_bits | w.gathered[word].opens | w.gathered[word].stops << 1 | stops_before) & word_span(word, first, limit)
        while bits:
            i = 64 * word + lowest_bit(bits)
            bits &= bits - 1
            right = &w.tokens[i]
            code = codes[gap_of(right - 1, right)]
            is_gap = (code & 7) == KIND_GAP
            # Written in any case, kept if it is wanted.
            c = &w.waiting[is_gap][w.n_waiting[is_gap]]
            c.state = state
            c.right = <int32_t>i
            c.place = w.n_pending
            c.kind = code & 7
            c.forced = (code >> GAP_FORCED) & 1
            if (code >> (GAP_OUTSIDE + (state.brackets > 0))) & (1 ^ (is_gap & scanner.is_hopeless(right - 1, right, w.hashes[i - 1]))):
                w.n_waiting[is_gap] += 1
                w.n_pending += 1
                if w.n_waiting[is_gap] == UNDESCRIBED or w.n_pending == PENDING:
                    describe_waiting(scanner, linear, w, n, want)
                    if w.n_pending == PENDING and settle(scanner, linear, w, want, n_of_text) < 0:
                        return -1
            if turns(right):
                advance(&state, right, False)
    w.state = state
    describe_waiting(scanner, linear, w, n, want)
    return 0


cdef void describe_waiting(BoundaryScanner scanner, Linear linear, work_t *w, int64_t n, int want) noexcept nogil:
    """Describe the candidates that are not yet; those in gaps between words after the others, which makes them easier to predict."""
    cdef int is_gap, k, j
    cdef candidate_t *c
    cdef pending_t *p
    for is_gap in range(2):
        for k in range(w.n_waiting[is_gap]):
            for j in range(-2, 2):
                prefetch_lexeme(scanner.lexicon.slots, scanner.lexicon.mask, w.hashes[max(w.waiting[is_gap][k].right + j, 0)])
    for is_gap in range(2):
        for k in range(w.n_waiting[is_gap]):
            c = &w.waiting[is_gap][k]
            p = &w.pending[c.place]
            p.end = w.tokens[c.right - 1].end
            p.start = w.tokens[c.right].start
            p.text = w.text
            p.kind = c.kind
            p.wanted = True
            p.score = FORCED
            if want == WANT_ROWS or not c.forced:
                describe(scanner, linear, w, c, n, want)
        w.n_waiting[is_gap] = 0


cdef void judge(BoundaryScanner scanner, Linear linear, work_t *w, int sort, int want) noexcept nogil:
    """Score the candidates of a sort that wait, and say whether they are wanted: always, or if they are boundaries."""
    cdef lanes_of_sort_t *lanes = &w.lanes[sort]
    cdef int32_t[LANES] sums
    cdef uint16_t *row
    cdef pending_t *p
    cdef int k, column
    if linear is not None:
        sum_weights(
            linear.tables + linear.first[sort], linear.tables + linear.near[sort], linear.tables + linear.first[sort + 1],
            &linear.weights[0], lanes.codes, sums
        )
    for k in range(lanes.n):
        p = &w.pending[lanes.places[k]]
        if want == WANT_ROWS:
            row = w.pending_rows + lanes.places[k] * N_ATTRIBUTES
            for column in range(N_ATTRIBUTES):
                row[column] = lanes.codes[column][k]
        elif linear is None:
            p.score = scanner.walk_tree(lanes.codes, k)
            p.wanted = want == WANT_SCORES or p.score >= scanner.thresholds[p.kind]
        else:
            p.score = <float>(linear.quantum * sums[k])
            p.wanted = want == WANT_SCORES or sums[k] >= scanner.int_thresholds[p.kind]
    lanes.n = 0


cdef int settle(BoundaryScanner scanner, Linear linear, work_t *w, int want, int64_t *n_of_text) noexcept nogil:
    """Turn the pending candidates that are wanted into results; `n_of_text` has those of the first text at index 1."""
    cdef int sort, k
    cdef pending_t *p
    for sort in range(N_SORTS):
        if w.lanes[sort].n:
            judge(scanner, linear, w, sort, want)
    if w.n + PENDING > w.room and make_room(w, want == WANT_ROWS) < 0:
        return -1
    for k in range(w.n_pending):
        # Written in any case, kept if it is wanted.
        p = &w.pending[k]
        w.found_ends[w.n] = p.end
        w.found_starts[w.n] = p.start
        w.kinds[w.n] = p.kind
        w.scores[w.n] = p.score
        if want == WANT_ROWS:
            memcpy(w.rows + w.n * N_ATTRIBUTES, w.pending_rows + k * N_ATTRIBUTES, N_ATTRIBUTES * sizeof(uint16_t))
        w.n += p.wanted
        n_of_text[p.text + 1] += p.wanted
    w.n_pending = 0
    return 0


cdef inline int evidence_of_abbreviation(work_t *w, int64_t i) noexcept nogil:
    """Code for how the word before a period behaves elsewhere in this text."""
    cdef entry_t *e
    if w.tokens[i].mark != MARK_PERIOD and w.tokens[i].mark != MARK_END_THEN_COMMA:
        return 0
    e = &w.counts.entries[w.entry_of[i]]
    if e.period_then_lower:
        if e.bare:
            return 5
        return 3 if e.period_then_lower == 1 else 4
    if e.bare:
        return 2 if e.bare >= e.period else 1
    return 6 if e.period >= 3 else 7 if e.period == 2 else 0


cdef inline int evidence_of_case(work_t *w, int64_t i, bint self_counted) noexcept nogil:
    """Code for how often a capitalised word stands in lower case, or capitalised inside sentences, elsewhere in this text."""
    cdef entry_t *e = &w.counts.entries[w.entry_of[i] if w.tokens[i].first == K_UPPER else NO_ENTRY]
    cdef int64_t upper = max(<int64_t>e.upper_inside - self_counted, 0)
    cdef int code = CASE_CODES[min(upper, 2)][min(e.lower, 2)][e.lower > upper]
    return code if w.tokens[i].first == K_UPPER else 7


# By occurrences capitalised inside sentences, and in lower case (two or more are alike), and whether there are more of the latter.
cdef uint8_t[3][3][2] CASE_CODES
CASE_CODES[0] = [[0, 0], [1, 1], [2, 2]]
CASE_CODES[1] = [[3, 3], [6, 5], [6, 5]]
CASE_CODES[2] = [[4, 4], [6, 5], [6, 5]]


cdef inline int slack_code(token_t *left, token_t *right, int width, int64_t line_start) noexcept nogil:
    """Code for how much room the next word would have had on the line before: hard-wrapped lines have none."""
    cdef int64_t room
    if width >= 160:
        return 6
    room = width - (left.end - line_start + 1 + right.end - right.start)
    return 1 if room < 0 else 2 if room < 4 else 3 if room < 13 else 4 if room < 31 else 5


cdef inline uint16_t class_of(const lexeme_t *word, token_t *t) noexcept nogil:
    return word.classes[t.first != K_LOWER]


cdef inline int sort_of(int kind, token_t *left, token_t *right, int code, int group, int evidence, int raw) noexcept nogil:
    """Tell the usual candidates from the others of their kind."""
    cdef bint usual = (left.closer | code | group | (right.lead ^ LEAD_NONE) | (right.blanks ^ 1)) == 0
    if kind == KIND_GAP:
        return SORT_PLAIN_GAP if usual & ((left.mark | evidence | raw) == 0) else kind
    if kind == KIND_MARK:
        return SORT_PLAIN_MARK if usual & (left.mark == MARK_PERIOD) else kind
    return kind


cdef inline void describe(BoundaryScanner scanner, Linear linear, work_t *w, candidate_t *p, int64_t n, int want) noexcept nogil:
    """Write the codes of a candidate to the lanes of its sort, and score these when they are full."""
    cdef state_t *state = &p.state
    cdef int64_t i = p.right
    cdef int kind = p.kind
    cdef token_t *left = &w.tokens[i - 1]
    cdef token_t *right = &w.tokens[i]
    cdef token_t *t
    cdef const lexeme_t *word = scanner.lexicon.find(w.hashes[i - 1])
    cdef bint dotted = left.mark == MARK_PERIOD or left.mark == MARK_END_THEN_COMMA or left.shape == SHAPE_DOTTED_UPPER or left.shape == SHAPE_DOTTED_LOWER
    cdef int code = class_of(word, left) if dotted else 0, group = scanner.lexicon.groups[code], raw = word.raw if dotted else 0
    cdef int evidence = evidence_of_abbreviation(w, i - 1)
    cdef int sort = sort_of(kind, left, right, code, group, evidence, raw), k = w.lanes[sort].n
    cdef lanes_t *c = w.lanes[sort].codes
    cdef int64_t rest, until, line_tokens, since_end
    c[A_KIND][k] = kind
    c[A_MARK][k] = left.mark
    c[A_CLOSER][k] = left.closer
    c[A_LEFT_SHAPE][k] = left.shape
    c[A_LEFT_LENGTH][k] = LENGTH_CODES[left.length]
    c[A_LEFT_WORD][k] = word.id
    c[A_LEFT_CLASS][k] = code
    c[A_LEFT_GROUP][k] = group
    c[A_LEFT_EVIDENCE][k] = evidence
    c[A_LEFT_RAW][k] = raw
    c[A_LEFT_USUAL][k] = word.usual
    word = scanner.lexicon.find(w.hashes[i])
    c[A_RIGHT_LEAD][k] = right.lead
    c[A_RIGHT_SHAPE][k] = right.shape
    c[A_RIGHT_WORD][k] = word.id
    c[A_RIGHT_GROUP][k] = scanner.lexicon.groups[class_of(word, right)] if right.mark == MARK_PERIOD else 0
    c[A_RIGHT_EVIDENCE][k] = evidence_of_case(w, i, left.mark == MARK_NONE and right.newlines == 0 and right.lead == LEAD_NONE)
    c[A_RIGHT_USUAL][k] = word.usual
    c[A_RIGHT_MARK][k] = right.mark
    c[A_RIGHT_LENGTH][k] = LENGTH_CODES[right.length]
    if i >= 2 and left.newlines < 2:
        t = left - 1
        word = scanner.lexicon.find(w.hashes[i - 2])
        c[A_LEFT2_SHAPE][k] = t.shape + 1
        c[A_LEFT2_WORD][k] = word.id
        c[A_LEFT2_MARK][k] = t.mark
        c[A_LEFT2_USUAL][k] = word.usual
        c[A_LEFT2_GROUP][k] = scanner.lexicon.groups[class_of(word, t)] if t.mark == MARK_PERIOD else 0
    else:
        c[A_LEFT2_SHAPE][k] = c[A_LEFT2_WORD][k] = c[A_LEFT2_MARK][k] = c[A_LEFT2_GROUP][k] = c[A_LEFT2_USUAL][k] = 0
    if i + 1 < n and w.tokens[i + 1].newlines < 2:
        t = right + 1
        word = scanner.lexicon.find(w.hashes[i + 1])
        c[A_RIGHT2_SHAPE][k] = t.shape + 1
        c[A_RIGHT2_WORD][k] = word.id
        c[A_RIGHT2_LEAD][k] = t.lead
        c[A_RIGHT2_USUAL][k] = word.usual
    else:
        c[A_RIGHT2_SHAPE][k] = c[A_RIGHT2_WORD][k] = c[A_RIGHT2_LEAD][k] = c[A_RIGHT2_USUAL][k] = 0
    # The next token that starts a line, or the end of the text, and the next one with an end mark, within reach.
    rest = lowest_bit(bits_from(&w.gathered[0].line, i) & ~1 | 1 << min(n - i, LOOKAHEAD))
    until = lowest_bit(bits_from(&w.gathered[0].ends, i) | 1 << LOOKAHEAD)
    until = min(until + 1, rest + (rest == LOOKAHEAD))      # so that nothing in reach differs from something at its end
    c[A_LINE_REST][k] = REST_CODES[rest]
    c[A_UNTIL_END][k] = UNTIL_CODES[until]
    # Tokens since the one that started the line, and since the one with an end mark, that before the candidate apart.
    line_tokens = 64 - highest_bit(bits_before(&w.gathered[0].line, i) | 1)
    since_end = 64 - highest_bit(bits_before(&w.gathered[0].ends, i) << 1 | 1)
    c[A_LINE_PLACE][k] = PLACE_CODES[line_tokens]
    c[A_SINCE_END][k] = SINCE_CODES[min(since_end, line_tokens)]
    c[A_QUOTE][k] = state.quote
    c[A_BRACKET][k] = state.brackets > 0
    c[A_DOC_MARKS][k] = w.style.marks
    c[A_DOC_LINES][k] = w.style.lines
    c[A_DOC_LINE_ENDS][k] = w.style.line_ends
    c[A_DOC_CAPS][k] = w.style.caps
    c[A_LINE_START][k] = 3 if state.line_code == 2 and line_tokens == 1 else state.line_code
    if right.newlines:
        c[A_BLANKS][k] = 4 + (right.blanks > 1)
        c[A_SLACK][k] = slack_code(left, right, w.style.width, state.line_start)
        c[A_LINE_LENGTH][k] = 1 + LINE_CODES[min(left.end - state.line_start, CODES - 1)]
        c[A_NEXT_LINE][k] = next_line_code(right)
    else:
        c[A_BLANKS][k] = right.blanks if right.blanks < 3 else 3
        c[A_SLACK][k] = c[A_LINE_LENGTH][k] = c[A_NEXT_LINE][k] = 0
    w.lanes[sort].places[k] = p.place
    w.lanes[sort].n += 1
    if w.lanes[sort].n == LANES:
        judge(scanner, linear, w, sort, want)


cdef int next_line_code(token_t *t) noexcept nogil:
    """Code for how a line starts."""
    if t.lead == LEAD_BULLET or t.lead == LEAD_DASH:
        return 2
    if is_enumerator(t):
        return 3
    return 4 if t.blanks > 1 else 1


cdef int make_room(work_t *w, bint with_rows) noexcept nogil:
    """Let as many more results fit as there can be pending candidates."""
    cdef int64_t room = w.room * 2 if w.room else 2 * PENDING
    if grow(<void **>&w.found_ends, room * sizeof(int64_t)) < 0 or grow(<void **>&w.found_starts, room * sizeof(int64_t)) < 0:
        return -1
    if grow(<void **>&w.kinds, room) < 0 or grow(<void **>&w.scores, room * sizeof(float)) < 0:
        return -1
    if with_rows and grow(<void **>&w.rows, room * N_ATTRIBUTES * sizeof(uint16_t)) < 0:
        return -1
    w.room = room
    return 0


cdef int grow(void **memory, size_t size) noexcept nogil:
    """Enlarge a piece of memory, or leave it as it is."""
    cdef void *larger = realloc(memory[0], size)
    if larger == NULL:
        return -1
    memory[0] = larger
    return 0
