# Tokens of the boundary scanner: how one is read and described.

cdef inline bint skip_blanks(const char_t *text, scan_t *s) noexcept nogil:
    """Skip white space; false at the end of the text."""
    cdef int64_t i = s.position, n = s.length
    cdef uint32_t kind
    if not s.goes_on:
        s.blanks = 0
        s.newlines = 0
    s.goes_on = False
    while i < n:
        kind = uc_kind(text[i])
        if kind == K_NEWLINE:
            s.newlines += s.newlines < 255
            s.blanks = 0
        elif kind == K_SPACE:
            if s.blanks < 250:
                s.blanks += 4 if text[i] == 9 else 1
        else:
            break
        i += 1
    s.position = s.chunk_end = i
    return i < n


cdef inline bint starts_with_www(const char_t *text, int64_t i, int64_t n) noexcept nogil:
    if n - i <= 4 or (text[i] | 32) != 119 or (text[i + 1] | 32) != 119 or (text[i + 2] | 32) != 119 or text[i + 3] != 46:
        return False
    return not K_SPACE <= uc_kind(text[i + 4]) <= K_NEWLINE


cdef void find_chunk(const char_t *text, scan_t *s) noexcept nogil:
    """Find the end of the run of non-blanks at `s.position`, and whether it is a link or an address."""
    cdef int64_t i = s.position, n = s.length
    cdef uint32_t kind, before = K_SPACE
    s.chunk_link = starts_with_www(text, i, n)
    while i < n:
        kind = uc_kind(text[i])
        if kind == K_SPACE or kind == K_NEWLINE:
            break
        if kind == K_AT:
            if is_core(before):
                s.chunk_link = True
        elif kind == K_SLASH and before == K_SLASH and text[i] == 47 and i - 2 >= s.position and text[i - 2] == 58:
            s.chunk_link = True
        before = kind
        i += 1
    s.chunk_end = i


cdef enum:
    NOT_PLAIN = 255
    LONGEST_WORD = 15       # characters of a token that is read in view

cdef int64_t read_words(const char_t *text, scan_t *s, work_t *w, int64_t n, int64_t stop) noexcept nogil:
    """Read the token at `s.position` and those that follow after one blank each, as long as they are plain or short ones.

    A plain one is ASCII letters and at most one mark. Nothing of it depends on what is hard to predict, but whether it is one.
    """
    cdef view_t v
    cdef int64_t position = s.position, first = n
    cdef int64_t start, end, length
    cdef uint64_t capitals
    cdef int mark
    cdef token_t *t = &w.tokens[n]
    cdef uint64_t *hash = &w.hashes[n]
    while n < stop:
        if char_t is uint8_t:
            look_1(text + position, s.length - position, &v)
        elif char_t is uint16_t:
            look_2(text + position, s.length - position, &v)
        else:
            look_4(text + position, s.length - position, &v)
        start = 0
        while start <= VIEW - LONGEST_WORD - 3 and n < stop:
            end = start + lowest_bit(v.blanks >> start | <uint64_t>1 << (VIEW - 1))
            length = lowest_bit(~(v.letters >> start) | <uint64_t>1 << (VIEW - 1))
            mark = PLAIN_ENDS[v.chars[start + length]]
            if (<uint64_t>(length - 1) >= LONGEST_WORD) | (end - start - length != (mark != MARK_NONE)) | (mark == NOT_PLAIN):
                if not read_short_token(text, position, <int>start, <int>(end - start), &v, t, hash):
                    # Back to the blank before it, but for the first token.
                    position += start - (n > first)
                    break
            else:
                capitals = (v.capitals >> start) & ((<uint64_t>1 << length) - 1)
                t[0] = PLAIN_TOKENS[mark][capitals & 1][length == 1]
                t.start = position + start
                t.end = position + end
                t.length = length
                hash[0] = hash_chars(v.chars + start, length)
                if capitals > 1:
                    t.shape = capital_shape(v.chars + start, <int>length, <int>capitals)
            w.looks[n] = t.looks
            n += 1
            t += 1
            hash += 1
            start = end + 1
            if v.chars[end] != 32:
                position += end
                break
        else:
            position += start
            continue
        break
    else:
        position -= 1
    s.position = position
    return n


cdef bint read_short_token(const char_t *text, int64_t position, int start, int length, view_t *v, token_t *t, uint64_t *hash) noexcept nogil:
    """Read an ASCII token of up to 15 characters that has no end mark, bracket or link inside; tell whether it is one."""
    cdef int core, core_end
    cdef uint32_t mask, letters, digits, capitals, inside
    if length > LONGEST_WORD:
        return False
    look_closer(v)
    mask = (1 << length) - 1
    letters = (v.letters >> start) & mask
    digits = (v.digits >> start) & mask
    capitals = (v.capitals >> start) & mask
    if (v.odd >> start) & mask or letters | digits == 0:
        return False
    core = lowest_bit(letters | digits)
    core_end = highest_bit(letters | digits) + 1
    inside = ~(letters | digits) & ((1 << core_end) - 1) & ~((1 << core) - 1)
    while inside:
        if not MAY_BE_INSIDE[v.chars[start + lowest_bit(inside)]]:
            return False
        inside &= inside - 1
    if digits == 0 and capitals & (capitals - 1):
        return False        # words with several capitals
    if core == 0 and starts_with_www(text, position + start, position + start + length + 1):
        return False
    t.start = position + start
    t.end = t.start + length
    t.blanks = 1
    t.newlines = t.softened = t.breaks = 0
    t.brackets = 0
    t.opens_quote = t.closes_quote = 0
    read_lead(text, t.start, t.start + core, t)
    read_trail(text, t.start + core_end, t.end, t)
    t.length = core_end - core
    t.first = K_DIGIT if (digits >> core) & 1 else K_UPPER if (capitals >> core) & 1 else K_LOWER
    if digits:
        t.shape = SHAPE_ALPHANUMERIC if letters else SHAPE_NUMBER
    elif capitals == 0:
        t.shape = SHAPE_LOWER if letters & (letters - 1) else SHAPE_SINGLE_LOWER
    elif capitals == letters:
        t.shape = SHAPE_INITIAL
    else:
        t.shape = SHAPE_TITLE if t.first == K_UPPER else SHAPE_MIXED
    classify(t)
    hash[0] = hash_chars(v.chars + start + core, t.length)
    return True


cdef int capital_shape(const uint8_t *chars, int length, int capitals) noexcept nogil:
    """Shape of a word with capitals after its first letter; `capitals` has a bit for each."""
    cdef int i, n_upper = 0, code
    cdef bint roman = True
    for i in range(length):
        n_upper += (capitals >> i) & 1
        code = chars[i] | 32
        roman = roman and (code == 105 or code == 118 or code == 120 or code == 108 or code == 99)
    if n_upper == length:
        return SHAPE_ROMAN if roman else SHAPE_UPPER
    return SHAPE_TITLE if capitals & 1 and n_upper * 2 < length else SHAPE_MIXED


# Marks that part no token where they stand between letters or digits, and that the hash takes as they are.
cdef uint8_t[128] MAY_BE_INSIDE
memset(MAY_BE_INSIDE, False, sizeof(MAY_BE_INSIDE))
for _mark in bytearray(b"'-,&+*=#%$:;"):
    MAY_BE_INSIDE[_mark] = True

# The mark that a character after a word is, if the word is plain.
cdef uint8_t[256] PLAIN_ENDS
memset(PLAIN_ENDS, NOT_PLAIN, sizeof(PLAIN_ENDS))
PLAIN_ENDS[10] = PLAIN_ENDS[32] = MARK_NONE
PLAIN_ENDS[46] = MARK_PERIOD
PLAIN_ENDS[33] = MARK_BANG
PLAIN_ENDS[63] = MARK_QUESTION
PLAIN_ENDS[44] = MARK_COMMA
PLAIN_ENDS[58] = MARK_COLON
PLAIN_ENDS[59] = MARK_SEMICOLON

# Plain words after a blank, by mark, capital, and whether they have one letter only.
cdef token_t[N_MARKS][2][2] PLAIN_TOKENS

cdef void make_plain_tokens() noexcept:
    cdef int mark, is_upper, is_single
    cdef token_t *t
    memset(PLAIN_TOKENS, 0, sizeof(PLAIN_TOKENS))
    for mark in range(N_MARKS):
        for is_upper in range(2):
            for is_single in range(2):
                t = &PLAIN_TOKENS[mark][is_upper][is_single]
                t.blanks = 1
                t.mark = mark
                t.first = K_UPPER if is_upper else K_LOWER
                t.shape = (SHAPE_INITIAL if is_upper else SHAPE_SINGLE_LOWER) if is_single else (SHAPE_TITLE if is_upper else SHAPE_LOWER)
                classify(t)


cdef bint starts_sentence(const char_t *text, int64_t i, int64_t end, bint after_single_period) noexcept nogil:
    """Whether what stands at `i`, directly after an end mark, looks like the start of a sentence."""
    cdef uint32_t kind, following
    while i < end and is_opener(uc_kind(text[i])):
        i += 1
    if i == end:
        return False
    kind = uc_kind(text[i])
    if not after_single_period:
        return kind == K_LOWER or kind == K_UPPER or kind == K_LETTER or kind == K_IDEOGRAPH
    if kind != K_UPPER:
        return kind == K_LETTER or kind == K_IDEOGRAPH
    following = uc_kind(text[i + 1]) if i + 1 < end else K_SPACE
    return following == K_LOWER or (text[i] == 73 and not is_core(following) and following != K_PERIOD)


cdef bint is_speech_tag(const char_t *text, int64_t i, int64_t end) noexcept nogil:
    """Whether a verb of saying stands within a few characters after an East Asian quotation."""
    cdef int64_t stop = i + 5 if i + 5 < end else end
    cdef uint32_t code
    while i < stop and is_core(uc_kind(text[i])):
        code = text[i]
        # 说 說 道 问 問 喊 と
        if code == 0x8BF4 or code == 0x8AAA or code == 0x9053 or code == 0x95EE or code == 0x554F or code == 0x558A or code == 0x3068:
            return True
        i += 1
    return False


cdef int64_t inner_boundary(const char_t *text, int64_t core_start, int64_t run, int64_t run_end, int64_t chunk_end, bint link) noexcept nogil:
    """Where the token ends when the run of non-core characters [run, run_end) inside it ends a sentence, else -1."""
    cdef int64_t i, last = -1
    cdef int n_periods = 0
    cdef uint32_t kind = 0, k
    cdef bint closes_bracket = False
    for i in range(run, run_end):
        k = uc_kind(text[i])
        if is_end_kind(k):
            last = i
            if k == K_PERIOD:
                n_periods += 1
            if kind != K_WIDE_STOP:
                kind = k
    if last < 0:
        return -1
    if kind == K_WIDE_STOP:
        if run_end == run + 1 and text[run] == 0xFF0E and uc_kind(text[run - 1]) == K_DIGIT and uc_kind(text[run_end]) == K_DIGIT:
            return -1
    elif link:
        return -1
    elif kind == K_PERIOD and n_periods == 1 and run - core_start < 2 and uc_kind(text[core_start]) != K_DIGIT:
        return -1           # an initial
    i = last + 1
    while i < run_end and (is_closer(uc_kind(text[i])) or uc_kind(text[i]) == K_PICTOGRAPH):
        closes_bracket = closes_bracket or uc_kind(text[i]) == K_CLOSE_BRACKET
        i += 1
    if kind == K_WIDE_STOP:
        # East Asian text: what was in brackets, or said, goes on where no blank and no opening mark follows.
        return -1 if (closes_bracket and i == run_end) or (i > last + 1 and is_speech_tag(text, i, chunk_end)) else i
    return i if starts_sentence(text, i, chunk_end, kind == K_PERIOD and n_periods == 1) else -1


cdef void read_lead(const char_t *text, int64_t start, int64_t core, token_t *t) noexcept nogil:
    """Describe what stands before the core."""
    cdef int64_t i
    cdef uint32_t kind
    cdef int lead = LEAD_NONE
    for i in range(start, core):
        kind = uc_kind(text[i])
        if kind == K_OPEN_QUOTE or kind == K_QUOTE:
            lead = LEAD_QUOTE
            t.opens_quote = 1
        elif kind == K_OPEN_BRACKET:
            t.brackets += t.brackets < 100
            if lead != LEAD_QUOTE:
                lead = LEAD_BRACKET
        elif kind == K_CLOSE_BRACKET:
            t.brackets -= t.brackets > -100
        elif lead == LEAD_NONE:
            if kind == K_APOSTROPHE:
                lead = LEAD_QUOTE
            elif kind == K_BULLET:
                lead = LEAD_BULLET
            elif kind == K_DASH or kind == K_HYPHEN:
                lead = LEAD_DASH
            elif kind == K_HASH:
                lead = LEAD_HASH
            elif kind == K_AT:
                lead = LEAD_AT
            else:
                lead = LEAD_OTHER
    t.lead = lead


cdef void read_trail(const char_t *text, int64_t i, int64_t end, token_t *t) noexcept nogil:
    """Describe the marks and closers after the core."""
    cdef uint32_t kind
    cdef int mark = MARK_NONE, n_marks = 0, n_periods = 0, quotes_after = 0, brackets_after = 0, quotes_before = 0, brackets_before = 0
    while i < end:
        kind = uc_kind(text[i])
        if is_end_kind(kind):
            quotes_before += quotes_after
            brackets_before += brackets_after
            quotes_after = brackets_after = 0
            n_marks += 1
            if kind == K_PERIOD:
                n_periods += 1
                mark = MARK_PERIOD
            elif kind == K_BANG:
                mark = MARK_BANG
            elif kind == K_QUESTION:
                mark = MARK_QUESTION
            elif kind == K_ELLIPSIS:
                mark = MARK_ELLIPSIS
                n_periods += 3
            elif kind == K_STOP:
                mark = MARK_STOP
            else:
                mark = MARK_WIDE
        elif kind == K_CLOSE_QUOTE or kind == K_QUOTE or kind == K_APOSTROPHE:
            quotes_after += 1
            if kind != K_APOSTROPHE:
                t.closes_quote = 1
        elif kind == K_OPEN_QUOTE:
            t.opens_quote = 1
        elif kind == K_CLOSE_BRACKET:
            brackets_after += 1
            t.brackets -= t.brackets > -100
        elif kind == K_OPEN_BRACKET:
            t.brackets += t.brackets < 100
        elif kind == K_COMMA or kind == K_COLON or kind == K_SEMICOLON or kind == K_DASH or kind == K_HYPHEN:
            quotes_before += quotes_after
            brackets_before += brackets_after
            quotes_after = brackets_after = 0
            if is_end_mark(mark) or mark == MARK_END_THEN_COMMA:
                mark = MARK_END_THEN_COMMA
            elif kind == K_COMMA:
                mark = MARK_COMMA
            elif kind == K_COLON:
                mark = MARK_COLON
            elif kind == K_SEMICOLON:
                mark = MARK_SEMICOLON
            else:
                mark = MARK_DASH
        elif mark == MARK_NONE and kind != K_PICTOGRAPH and kind != K_MARK and kind != K_FORMAT:
            mark = MARK_OTHER
        i += 1
    if is_end_mark(mark) and n_marks > 1 and mark != MARK_WIDE and mark != MARK_STOP:
        mark = MARK_ELLIPSIS if n_periods >= 2 and mark != MARK_BANG and mark != MARK_QUESTION else MARK_MULTIPLE
    t.mark = mark
    if (quotes_after + quotes_before > 0) and (brackets_after + brackets_before > 0):
        t.closer = CLOSER_SEVERAL
    elif quotes_after:
        t.closer = CLOSER_QUOTE_AFTER
    elif brackets_after:
        t.closer = CLOSER_BRACKET_AFTER
    elif quotes_before:
        t.closer = CLOSER_QUOTE_BEFORE
    elif brackets_before:
        t.closer = CLOSER_BRACKET_BEFORE
    else:
        t.closer = CLOSER_NONE


cdef uint64_t next_token(const char_t *text, scan_t *s, token_t *t) noexcept nogil:
    """Read the token at `s.position`, which lies inside a chunk; give its hash."""
    cdef int64_t start = s.position, end = s.chunk_end, i, core, run, run_end, cut, segment = 0, longest = 0, core_end
    cdef uint32_t kind, first = K_OTHER, code
    cdef hash_t h
    cdef int n_upper = 0, n_lower = 0, n_digit = 0, n_letter = 0, n_ideograph = 0, n_periods = 0
    cdef bint roman = True, after_first_lower = True
    hash_start(&h)
    t.start = start
    t.brackets = 0
    t.opens_quote = t.closes_quote = 0
    core = start
    cut = -1
    while core < end:
        kind = uc_kind(text[core])
        if is_core(kind):
            break
        core += 1
    if core == end:
        s.position = end
        return finish_empty(text, start, end, t)
    read_lead(text, start, core, t)
    i = core
    run = end
    core_end = core
    while i < end:
        code = text[i]
        kind = uc_kind(code)
        if is_core(kind):
            if kind == K_LOWER:
                n_lower += 1
                roman = False
                segment += 1
            elif kind == K_UPPER:
                n_upper += 1
                segment += 1
                if i > core:
                    after_first_lower = False
                if roman and not (code == 73 or code == 86 or code == 88 or code == 76 or code == 67):
                    roman = False
            elif kind == K_DIGIT:
                n_digit += 1
            elif kind == K_LETTER:
                n_letter += 1
            elif kind == K_IDEOGRAPH:
                n_ideograph += 1
            if first == K_OTHER and kind != K_MARK and kind != K_FORMAT:
                first = kind
            if kind != K_FORMAT and n_ideograph < 3:
                hash_add(&h, code)
            i += 1
            core_end = i
            continue
        if segment > longest:
            longest = segment
        run = i
        while i < end and not is_core(uc_kind(text[i])):
            i += 1
        if i == end:
            break
        cut = inner_boundary(text, core, run, i, end, s.chunk_link)
        if cut >= 0:
            break
        for run_end in range(run, i):
            kind = uc_kind(text[run_end])
            if kind == K_OPEN_BRACKET:
                t.brackets += t.brackets < 100
            elif kind == K_CLOSE_BRACKET:
                t.brackets -= t.brackets > -100
            elif kind == K_OPEN_QUOTE:
                t.opens_quote = 1
            elif kind == K_CLOSE_QUOTE:
                t.closes_quote = 1
            if n_ideograph < 3:
                hash_add(&h, text[run_end])
        if i == run + 1 and text[run] == 46:
            n_periods += 1
            segment = 0
        run = end
    if segment > longest:
        longest = segment
    if cut < 0:
        cut = end
    read_trail(text, core_end, cut, t)
    t.end = cut
    t.first = first
    t.length = <uint8_t>(core_end - core) if core_end - core < 255 else 255
    if s.chunk_link:
        t.shape = SHAPE_LINK
    elif n_ideograph:
        t.shape = SHAPE_IDEOGRAPH
    elif n_digit:
        t.shape = SHAPE_ALPHANUMERIC if n_upper + n_lower + n_letter else SHAPE_NUMBER
    elif n_upper + n_lower == 0:
        t.shape = SHAPE_UNCASED if n_letter else SHAPE_EMPTY
    elif n_periods:
        if longest > 3:
            t.shape = SHAPE_LINK if first == K_LOWER else SHAPE_MIXED
        else:
            t.shape = SHAPE_DOTTED_LOWER if first == K_LOWER else SHAPE_DOTTED_UPPER
    elif n_upper == 0:
        t.shape = SHAPE_SINGLE_LOWER if n_lower == 1 else SHAPE_LOWER
    elif n_upper == 1 and n_lower == 0:
        t.shape = SHAPE_INITIAL
    elif n_lower == 0:
        t.shape = SHAPE_ROMAN if roman else SHAPE_UPPER
    elif n_upper == 1 and first == K_UPPER:
        t.shape = SHAPE_TITLE
    elif first == K_UPPER and not after_first_lower and n_lower > n_upper:
        t.shape = SHAPE_TITLE
    else:
        t.shape = SHAPE_MIXED
    s.position = cut
    return hash_finish(&h)


cdef uint64_t finish_empty(const char_t *text, int64_t start, int64_t end, token_t *t) noexcept nogil:
    """Describe a token without letters or digits: marks, rules, emoji."""
    cdef int64_t i
    cdef bint pictograph = False
    cdef hash_t h
    hash_start(&h)
    for i in range(start, end):
        if uc_kind(text[i]) == K_PICTOGRAPH:
            pictograph = True
        if i < start + 8:
            hash_add(&h, text[i])
    read_lead(text, start, start + 1, t)
    t.opens_quote = 0
    t.brackets = 0
    read_trail(text, start, end, t)
    t.end = end
    t.first = K_OTHER
    t.length = <uint8_t>(end - start) if end - start < 255 else 255
    t.shape = SHAPE_PICTOGRAPH if pictograph else SHAPE_EMPTY
    return hash_finish(&h)


cdef void join_mark(token_t *before, token_t *t) noexcept nogil:
    """Let a token without letters go with the end mark before it."""
    if t.shape == SHAPE_PICTOGRAPH and not is_end_mark(t.mark):
        t.mark = before.mark            # an emoji
    elif t.shape == SHAPE_EMPTY and t.mark == MARK_PERIOD and before.mark != MARK_BANG and before.mark != MARK_QUESTION:
        t.mark = MARK_ELLIPSIS          # . . .


# What the mark of a token, and a pictograph, make of it to the gap after it.
cdef uint8_t[N_MARKS] AS_LEFT
memset(AS_LEFT, LEFT_OTHER, sizeof(AS_LEFT))
AS_LEFT[MARK_NONE] = LEFT_NONE
AS_LEFT[MARK_COMMA] = LEFT_COMMA
for _mark in (MARK_PERIOD, MARK_BANG, MARK_QUESTION, MARK_MULTIPLE, MARK_ELLIPSIS, MARK_STOP):
    AS_LEFT[_mark] = LEFT_END
AS_LEFT[MARK_WIDE] = LEFT_WIDE


cdef void classify(token_t *t) noexcept nogil:
    """Say what a token is to the gaps around it, and what is looked for in it."""
    cdef bint is_upper = t.first == K_UPPER, dotted = (t.mark == MARK_PERIOD) | (t.mark == MARK_END_THEN_COMMA)
    t.as_left = LEFT_OTHER if t.shape == SHAPE_PICTOGRAPH and not is_end_mark(t.mark) else AS_LEFT[t.mark]
    if t.newlines:
        t.as_right = RIGHT_LINE
    elif t.shape == SHAPE_EMPTY and is_end_mark(t.mark) and t.lead != LEAD_BULLET:
        t.as_right = RIGHT_NEVER
    elif t.shape == SHAPE_PICTOGRAPH:
        t.as_right = RIGHT_NEVER if t.softened else RIGHT_PICTOGRAPH
    elif t.softened:
        t.as_right = RIGHT_SOFTENED
    elif t.lead != LEAD_NONE:
        t.as_right = RIGHT_OPEN
    elif t.first == K_LOWER:
        t.as_right = RIGHT_LOWER
    else:
        t.as_right = RIGHT_LETTER if t.first == K_LETTER or t.first == K_IDEOGRAPH else RIGHT_OPEN
    t.looks = LOOK_ENDS * (t.as_left >= LEFT_END) | LOOK_LOWER * (t.first == K_LOWER) | LOOK_UPPER * is_upper
    t.looks |= LOOK_MARKED * (t.mark != MARK_NONE) | LOOK_LINE * (t.newlines > 0) | LOOK_ACTIVE * (is_upper | (t.first == K_LETTER) | dotted)
    t.looks |= LOOK_OPENS * (turns(t) | (t.as_right == RIGHT_OPEN) | (t.as_right == RIGHT_PICTOGRAPH)) | LOOK_STOPS * (t.as_left >= LEFT_OTHER)


cdef inline bint turns(token_t *t) noexcept nogil:
    """Whether a token changes what candidates after it need to know of the text before them, beside tokens."""
    return ((t.newlines | t.opens_quote | t.closes_quote | <uint8_t>t.brackets) != 0) | (t.mark == MARK_WIDE)


make_plain_tokens()
