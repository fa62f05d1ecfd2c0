# What the parts of the boundary scanner share: constants and data.

cdef extern from "boundaries.h" nogil:
    enum: MARK_NONE, MARK_PERIOD, MARK_BANG, MARK_QUESTION, MARK_MULTIPLE, MARK_ELLIPSIS, MARK_STOP, MARK_WIDE
    enum: MARK_COMMA, MARK_COLON, MARK_SEMICOLON, MARK_DASH, MARK_OTHER, MARK_END_THEN_COMMA, N_MARKS
    enum: CLOSER_NONE, CLOSER_QUOTE_AFTER, CLOSER_BRACKET_AFTER, CLOSER_QUOTE_BEFORE, CLOSER_BRACKET_BEFORE, CLOSER_SEVERAL, N_CLOSERS
    enum: LEAD_NONE, LEAD_QUOTE, LEAD_BRACKET, LEAD_BULLET, LEAD_DASH, LEAD_HASH, LEAD_AT, LEAD_OTHER, N_LEADS
    enum: SHAPE_EMPTY, SHAPE_LOWER, SHAPE_TITLE, SHAPE_UPPER, SHAPE_INITIAL, SHAPE_SINGLE_LOWER, SHAPE_MIXED, SHAPE_NUMBER
    enum: SHAPE_ALPHANUMERIC, SHAPE_DOTTED_UPPER, SHAPE_DOTTED_LOWER, SHAPE_LINK, SHAPE_UNCASED, SHAPE_IDEOGRAPH, SHAPE_PICTOGRAPH, SHAPE_ROMAN
    enum: N_SHAPES
    enum: KIND_MARK, KIND_INSIDE, KIND_MARK_LINE, KIND_LINE, KIND_PARAGRAPH, KIND_GAP, N_KINDS
    enum: K_OTHER, K_SPACE, K_NEWLINE, K_LOWER, K_UPPER, K_DIGIT, K_LETTER, K_IDEOGRAPH, K_PERIOD, K_BANG, K_QUESTION, K_ELLIPSIS, K_STOP
    enum: K_WIDE_STOP, K_COMMA, K_COLON, K_SEMICOLON, K_DASH, K_HYPHEN, K_OPEN_BRACKET, K_CLOSE_BRACKET, K_OPEN_QUOTE, K_CLOSE_QUOTE
    enum: K_QUOTE, K_APOSTROPHE, K_BULLET, K_SLASH, K_AT, K_HASH, K_MARK, K_PICTOGRAPH, K_FORMAT
    ctypedef struct lexeme_t:
        uint64_t hash
        uint16_t id
        uint8_t[2] classes
        uint8_t usual
        uint8_t raw
        uint8_t used
    const lexeme_t *lexeme_find(const lexeme_t *slots, uint32_t mask, uint64_t hash)
    enum: LANES
    ctypedef uint16_t lanes_t[LANES]
    ctypedef struct table_t:
        int32_t base
        int32_t[4] strides
        uint16_t[4] columns
        uint16_t[4][8] small_strides
    void sum_weights(
        const table_t *t, const table_t *near, const table_t *end, const int32_t *weights, const lanes_t *codes, int32_t *sums
    )
    enum: LEFT_NONE, LEFT_COMMA, LEFT_OTHER, LEFT_END, LEFT_WIDE, N_LEFTS
    enum: RIGHT_LINE, RIGHT_NEVER, RIGHT_PICTOGRAPH, RIGHT_SOFTENED, RIGHT_OPEN, RIGHT_LOWER, RIGHT_LETTER, N_RIGHTS
    ctypedef struct token_t:
        int64_t start
        int64_t end
        uint8_t blanks
        uint8_t newlines
        uint8_t softened
        uint8_t breaks
        uint8_t lead
        uint8_t closer
        int8_t brackets
        uint8_t opens_quote
        uint8_t closes_quote
        uint8_t mark
        uint8_t shape
        uint8_t length
        uint8_t first
        uint8_t as_left
        uint8_t as_right
        uint8_t looks
    enum: LOOK_ENDS, LOOK_LOWER, LOOK_UPPER, LOOK_MARKED, LOOK_LINE, LOOK_ACTIVE, LOOK_OPENS, LOOK_STOPS
    ctypedef struct looks_t:
        uint64_t ends, lower, upper, marked, line, active, opens, stops
    void gather_looks(const uint8_t *looks, looks_t *gathered)
    uint64_t word_span(int64_t word, int64_t first, int64_t stop)
    int count_bits(uint64_t bits)
    enum: BREAKS_GLUED, N_BREAKS
    ctypedef struct entry_t:
        uint64_t hash
        uint32_t lower
        uint32_t upper_inside
        uint32_t period
        uint32_t period_then_lower
        uint32_t bare
    ctypedef struct counts_t:
        entry_t *entries
        uint32_t *slots
        uint32_t n_entries
        uint32_t capacity
        uint32_t most
    void prefetch_bytes(const void *start, const void *end)
    void prefetch_lexeme(const lexeme_t *slots, uint32_t mask, uint64_t hash)
    int counts_init(counts_t *c)
    void counts_free(counts_t *c)
    void counts_clear(counts_t *c)
    bint counts_full(const counts_t *c)
    uint32_t counts_slot(const counts_t *c, uint64_t hash)
    uint32_t counts_find(const counts_t *c, uint64_t hash)
    uint32_t counts_add(counts_t *c, uint64_t hash)
    void prefetch_counts(const uint64_t *hash, const uint64_t *end, const counts_t *c)
    enum: NO_ENTRY
    uint32_t bits_from(const uint64_t *bits, int64_t token)
    uint64_t bits_before(const uint64_t *bits, int64_t token)
    uint32_t uc_kind "char_kind"(uint32_t code)
    uint32_t lower_code(uint32_t code)
    ctypedef struct hash_t:
        pass
    void hash_start(hash_t *h)
    void hash_add(hash_t *h, uint32_t code)
    uint64_t hash_finish(hash_t *h)
    ctypedef struct view_t:
        const uint8_t *chars
        uint64_t letters
        uint64_t capitals
        uint64_t digits
        uint64_t blanks
        uint64_t odd
    void look_1(const uint8_t *text, int64_t n, view_t *v)
    void look_2(const uint16_t *text, int64_t n, view_t *v)
    void look_4(const uint32_t *text, int64_t n, view_t *v)
    void look_closer(view_t *v)
    uint64_t hash_chars(const uint8_t *chars, int64_t n)
    int lowest_bit(uint64_t bits)
    int highest_bit(uint64_t bits)
    enum: VIEW

ctypedef fused char_t:
    uint8_t
    uint16_t
    uint32_t

cdef enum:
    LOOKBACK = 32       # tokens before a candidate that its description reads
    LOOKAHEAD = 12      # tokens after it
    BLOCK = 32768       # tokens held at a time, and of a long text
    SMALL_BLOCK = 4096
    SLICE = 128         # tokens counted at a time
    AHEAD = 1024        # characters: about a slice
    PENDING = 256       # candidates decided at a time
    UNDESCRIBED = 24    # and described: what is known of their words is fetched beforehand
    MOST_SPARE = 8      # workspaces kept for runs to come
    FORCED = 100        # score of a boundary that no model is asked for

# The codes that describe a candidate, in the order of the columns; `segmentation/attributes.py` names them.
cdef enum:
    A_KIND, A_MARK, A_CLOSER, A_LEFT_SHAPE, A_LEFT_LENGTH, A_LEFT_WORD, A_LEFT_CLASS, A_LEFT_GROUP, A_LEFT_EVIDENCE, A_LEFT_RAW, A_LEFT_USUAL
    A_RIGHT_LEAD, A_RIGHT_SHAPE, A_RIGHT_WORD, A_RIGHT_GROUP, A_RIGHT_EVIDENCE, A_RIGHT_USUAL, A_RIGHT_MARK, A_RIGHT_LENGTH
    A_LEFT2_SHAPE, A_LEFT2_WORD, A_LEFT2_MARK, A_LEFT2_GROUP, A_LEFT2_USUAL, A_RIGHT2_SHAPE, A_RIGHT2_WORD, A_RIGHT2_LEAD, A_RIGHT2_USUAL
    A_BLANKS, A_SLACK, A_LINE_PLACE, A_LINE_REST, A_SINCE_END, A_UNTIL_END, A_QUOTE, A_BRACKET
    A_DOC_MARKS, A_DOC_LINES, A_DOC_LINE_ENDS, A_DOC_CAPS, A_LINE_START, A_LINE_LENGTH, A_NEXT_LINE
    N_ATTRIBUTES

cdef inline bint is_end_mark(int mark) noexcept nogil:
    return MARK_PERIOD <= mark <= MARK_WIDE

cdef inline bint is_core(uint32_t kind) noexcept nogil:
    return K_LOWER <= kind <= K_IDEOGRAPH or kind == K_MARK or kind == K_FORMAT

cdef inline bint is_closer(uint32_t kind) noexcept nogil:
    return kind == K_CLOSE_BRACKET or kind == K_CLOSE_QUOTE or kind == K_QUOTE or kind == K_APOSTROPHE

cdef inline bint is_opener(uint32_t kind) noexcept nogil:
    return kind == K_OPEN_BRACKET or kind == K_OPEN_QUOTE or kind == K_QUOTE or kind == K_APOSTROPHE

cdef inline bint is_end_kind(uint32_t kind) noexcept nogil:
    return K_PERIOD <= kind <= K_WIDE_STOP


cdef enum:
    NEWLINE_AUTO, NEWLINE_HARD, NEWLINE_SOFT, NEWLINE_PARAGRAPH

cdef enum:
    WANT_ROWS, WANT_SCORES, WANT_BOUNDARIES


cdef struct scan_t:
    int64_t position        # where scanning goes on
    int64_t length          # of the text
    int64_t chunk_end       # end of the run of non-blanks that `position` is in
    bint chunk_link         # the run holds :// or @ between core characters
    int32_t blanks          # white space before the next token
    int32_t newlines
    bint goes_on            # the piece of text before ended in it


cdef struct style_t:
    int64_t n_tokens, n_ends, n_lines, n_line_ends, n_inside, n_inside_upper, n_upper_words, n_lower_words, n_capitalised
    int64_t line_start
    bint has_line
    int64_t lengths[256]
    int longest
    int width                       # line length that 19 of 20 lines do not pass
    int marks, lines, line_ends, caps   # codes


cdef enum:
    # Brackets with more wide stops inside were forgotten to be closed.
    STOPS_IN_BRACKETS = 2


cdef struct state_t:
    # What a candidate needs to know of the text before it, beside the last few tokens.
    int64_t line_start
    int32_t brackets
    int32_t stops                   # wide ones inside the brackets
    uint8_t line_code
    uint8_t quote


cdef enum:
    # The most usual candidates have weight tables of their own, as if they were kinds.
    SORT_PLAIN_GAP = N_KINDS    # before a word without opening quotes, after one without marks
    SORT_PLAIN_MARK             # the same after a period of an unknown word
    N_SORTS


cdef struct lanes_of_sort_t:
    # Described candidates of one sort that wait until there are enough to be scored side by side.
    lanes_t[N_ATTRIBUTES] codes
    int32_t[LANES] places       # among the pending candidates
    int n


cdef struct candidate_t:
    # A candidate that is not described yet.
    state_t state
    int32_t right                   # the token after it
    int32_t place                   # among the pending ones
    uint8_t kind
    bint forced                     # a boundary whatever the model says


cdef struct pending_t:
    # A candidate whose score is not known yet.
    int64_t end, start              # of the tokens around it
    int64_t text
    int32_t kind
    bint wanted                     # whether it becomes a result
    float score


cdef struct work_t:
    # tokens of a block
    token_t *tokens
    uint64_t *hashes            # of their words, lower-cased
    uint32_t *entry_of          # their word counts; only those of active words are known
    int64_t capacity, block     # tokens that there is room for, and how many of them are used
    uint8_t *looks              # what is looked for among them
    looks_t *gathered           # the same by words of bits, and a word of none
    int64_t n_counted           # tokens whose passive words are counted
    # the text
    int64_t text
    bint all_words              # whether the counts of all words are wanted, in their order
    bint overflowed             # whether there were more tokens than the block holds
    int64_t decided             # tokens of the block before which the candidates are decided
    bint finished               # whether the piece of text was read to its end
    counts_t counts
    style_t style
    state_t state
    # candidates
    candidate_t[2][UNDESCRIBED + 1] waiting     # those in gaps between words apart from the others
    int[2] n_waiting
    lanes_of_sort_t[N_SORTS] lanes
    pending_t *pending
    uint16_t *pending_rows      # where rows are wanted
    int n_pending
    # results, one after another for all documents
    int64_t *found_ends
    int64_t *found_starts
    uint8_t *kinds
    float *scores
    uint16_t *rows
    int64_t n, room
