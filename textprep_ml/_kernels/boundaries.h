/* The data of the boundary scanner: tokens, per-document word counts, and the codes of what is seen at a candidate.
 *
 * A token is a run of non-blank characters, cut further where an end mark is followed by a sentence start without a blank. Everything that
 * a feature looks at is a small code of a token, so a candidate is described without touching the text again.
 */
#ifndef TEXTPREP_BOUNDARIES_H
#define TEXTPREP_BOUNDARIES_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "boundary_words.h"
#include "scanner_kinds.h"
#define NO_ENTRY 0 /* what no word has */

/* Trailing mark of a token. Codes MARK_PERIOD..MARK_WIDE are end marks. */
enum {
    MARK_NONE, MARK_PERIOD, MARK_BANG, MARK_QUESTION, MARK_MULTIPLE, MARK_ELLIPSIS, MARK_STOP, MARK_WIDE,
    MARK_COMMA, MARK_COLON, MARK_SEMICOLON, MARK_DASH, MARK_OTHER, MARK_END_THEN_COMMA, N_MARKS
};
/* Closing quotes and brackets around the mark. */
enum { CLOSER_NONE, CLOSER_QUOTE_AFTER, CLOSER_BRACKET_AFTER, CLOSER_QUOTE_BEFORE, CLOSER_BRACKET_BEFORE, CLOSER_SEVERAL, N_CLOSERS };
/* What stands before the core of a token. */
enum { LEAD_NONE, LEAD_QUOTE, LEAD_BRACKET, LEAD_BULLET, LEAD_DASH, LEAD_HASH, LEAD_AT, LEAD_OTHER, N_LEADS };
/* Form of the core. */
enum {
    SHAPE_EMPTY, SHAPE_LOWER, SHAPE_TITLE, SHAPE_UPPER, SHAPE_INITIAL, SHAPE_SINGLE_LOWER, SHAPE_MIXED, SHAPE_NUMBER, SHAPE_ALPHANUMERIC,
    SHAPE_DOTTED_UPPER, SHAPE_DOTTED_LOWER, SHAPE_LINK, SHAPE_UNCASED, SHAPE_IDEOGRAPH, SHAPE_PICTOGRAPH, SHAPE_ROMAN, N_SHAPES
};
/* Kind of a candidate. */
enum { KIND_MARK, KIND_INSIDE, KIND_MARK_LINE, KIND_LINE, KIND_PARAGRAPH, KIND_GAP, N_KINDS };

/* What a token is to the gap after it, and to the gap before it: together they tell whether the gap is a candidate. */
enum { LEFT_NONE, LEFT_COMMA, LEFT_OTHER, LEFT_END, LEFT_WIDE, N_LEFTS };
enum { RIGHT_LINE, RIGHT_NEVER, RIGHT_PICTOGRAPH, RIGHT_SOFTENED, RIGHT_OPEN, RIGHT_LOWER, RIGHT_LETTER, N_RIGHTS };

/* Functions that only prefetch look useless to GCC, which drops their calls unless it has put them in line before it judges. */
#if defined(__GNUC__)
#define PREFETCH(place) __builtin_prefetch(place)
#define PREFETCHING static inline __attribute__((always_inline))
#else
#define PREFETCH(place) ((void)(place))
#define PREFETCHING static inline
#endif

PREFETCHING void prefetch_bytes(const void *start, const void *end) {
    for (const char *p = (const char *)start; p < (const char *)end; p += 64) PREFETCH(p);
}

/* What is known of a word. The unused slot at which the search for an unknown word ends says just that: nothing. */
typedef struct {
    uint64_t hash;
    uint16_t id;
    uint8_t classes[2];       /* when it starts in lower case, and when not */
    uint8_t usual, raw, used;
} lexeme_t;

static inline const lexeme_t *lexeme_find(const lexeme_t *slots, uint32_t mask, uint64_t hash) {
    uint32_t slot = (uint32_t)(hash >> 20) & mask;
    while (slots[slot].used & (slots[slot].hash != hash)) slot = (slot + 1) & mask;
    return &slots[slot];
}

PREFETCHING void prefetch_lexeme(const lexeme_t *slots, uint32_t mask, uint64_t hash) { PREFETCH(&slots[(uint32_t)(hash >> 20) & mask]); }

typedef struct {
    int64_t start, end;       /* span in the text */
    uint8_t blanks;           /* white space before, without newlines, cut at 255 */
    uint8_t newlines;         /* newlines before, cut at 255 */
    uint8_t softened;         /* a line break before it was taken for a blank */
    uint8_t breaks;           /* line breaks before it, cut at 2; or BREAKS_GLUED if not even a blank is before it */
    uint8_t lead, closer;
    int8_t brackets;          /* opened minus closed */
    uint8_t opens_quote, closes_quote;
    uint8_t mark, shape;
    uint8_t length;           /* of the core, cut at 255 */
    uint8_t first;            /* scanner kind of the first core character */
    uint8_t as_left, as_right;
    uint8_t looks;
} token_t;

enum { BREAKS_GLUED = 3, N_BREAKS };

/* What is looked for among many tokens at once. */
enum {
    LOOK_ENDS = 1,    /* has an end mark */
    LOOK_LOWER = 2,   /* its first letter is in lower case */
    LOOK_UPPER = 4,   /* or a capital */
    LOOK_MARKED = 8,  /* has any mark */
    LOOK_LINE = 16,   /* starts a line */
    LOOK_ACTIVE = 32, /* its own counts may be asked for: it has a capital or no case, or stands before a period */
    LOOK_OPENS = 64,  /* may open a sentence whatever is before it, or turns something: starts a line, has quotes, brackets or a wide stop */
    LOOK_STOPS = 128  /* what follows may open a sentence, whatever it is */
};

/* The same of 64 tokens, a bit for each. */
typedef struct { uint64_t ends, lower, upper, marked, line, active, opens, stops; } looks_t;
#define N_LOOKS 8

static inline void gather_looks(const uint8_t *looks, looks_t *gathered) {
    uint64_t *bits = (uint64_t *)gathered;
    for (int k = 0; k < N_LOOKS; k++) bits[k] = 0;
#ifdef WORDS_SSE2
    for (int i = 0; i < 64; i += 16) {
        __m128i some = _mm_loadu_si128((const __m128i *)(looks + i));
        for (int k = N_LOOKS - 1; k >= 0; k--) {
            bits[k] |= view_bits(some, i); /* the highest bit of each byte */
            some = _mm_add_epi8(some, some);
        }
    }
#else
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < N_LOOKS; k++) bits[k] |= (uint64_t)(looks[i] >> k & 1) << i;
#endif
}

/* The bits of those of the 64 tokens of a word that are in [first, stop). */
static inline uint64_t word_span(int64_t word, int64_t first, int64_t stop) {
    uint64_t bits = ~(uint64_t)0;
    if (first > 64 * word) bits &= ~(uint64_t)0 << (first - 64 * word);
    if (stop < 64 * word + 64) bits &= ((uint64_t)1 << (stop - 64 * word)) - 1;
    return bits;
}

static inline int count_bits(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_popcountll(bits);
#else
    int n = 0;
    for (; bits; bits &= bits - 1) n++;
    return n;
#endif
}

/* How a word behaves in a text. Entry 0 is that of no word, and stays empty. */
typedef struct {
    uint64_t hash;
    uint32_t lower, upper_inside, period, period_then_lower, bare;
} entry_t;

/* So many entries, 80 MB of them, bound what a text of any length needs; English reaches them after gigabytes. */
#define MOST_WORDS (1u << 21)

/* An append-only array of entries found by an open-addressing table of their indices. */
typedef struct {
    entry_t *entries;
    uint32_t *slots;
    uint32_t n_entries, capacity, mask;
    uint32_t most; /* entries there may be */
} counts_t;

static inline int counts_init(counts_t *c) {
    c->capacity = 1024;
    c->mask = 2047;
    c->n_entries = 1;
    c->most = MOST_WORDS;
    c->entries = (entry_t *)malloc(sizeof(entry_t) * c->capacity);
    c->slots = (uint32_t *)calloc(c->mask + 1, sizeof(uint32_t));
    if (c->entries == NULL || c->slots == NULL) return 0;
    memset(c->entries, 0, sizeof(entry_t));
    return 1;
}

static inline void counts_free(counts_t *c) {
    free(c->entries);
    free(c->slots);
    c->entries = NULL;
    c->slots = NULL;
}

static inline uint32_t counts_slot(const counts_t *c, uint64_t hash) { return (uint32_t)(hash >> 20) & c->mask; }

/* Keep the memory of a small table for the next document. */
static inline void counts_clear(counts_t *c) {
    if ((uint64_t)c->n_entries * 8 < c->mask) {
        for (uint32_t i = 1; i < c->n_entries; i++) {
            uint32_t slot = counts_slot(c, c->entries[i].hash);
            while (c->slots[slot]) {
                c->slots[slot] = 0;
                slot = (slot + 1) & c->mask;
            }
        }
    } else {
        memset(c->slots, 0, sizeof(uint32_t) * ((size_t)c->mask + 1));
    }
    c->n_entries = 1;
}

static inline int counts_grow(counts_t *c) {
    uint32_t capacity = c->capacity * 2, mask = capacity * 2 - 1;
    entry_t *entries = (entry_t *)realloc(c->entries, sizeof(entry_t) * capacity);
    if (entries == NULL) return 0;
    c->entries = entries;
    uint32_t *slots = (uint32_t *)calloc((size_t)mask + 1, sizeof(uint32_t));
    if (slots == NULL) return 0;
    for (uint32_t i = 1; i < c->n_entries; i++) {
        uint32_t slot = (uint32_t)(entries[i].hash >> 20) & mask;
        while (slots[slot]) slot = (slot + 1) & mask;
        slots[slot] = i;
    }
    free(c->slots);
    c->slots = slots;
    c->capacity = capacity;
    c->mask = mask;
    return 1;
}

/* Index of the entry of `hash`, NO_ENTRY if there is none. */
static inline uint32_t counts_find(const counts_t *c, uint64_t hash) {
    uint32_t slot = counts_slot(c, hash);
    while (c->slots[slot] && c->entries[c->slots[slot]].hash != hash) slot = (slot + 1) & c->mask;
    return c->slots[slot];
}

/* Whether later words stay unknown, so that memory is bounded. */
static inline int counts_full(const counts_t *c) { return c->n_entries >= c->most; }

/* Index of the entry of `hash`, made when it is new; NO_ENTRY when there are too many or memory is out. */
static inline uint32_t counts_add(counts_t *c, uint64_t hash) {
    uint32_t slot = counts_slot(c, hash);
    while (c->slots[slot]) {
        uint32_t index = c->slots[slot];
        if (c->entries[index].hash == hash) return index;
        slot = (slot + 1) & c->mask;
    }
    if (counts_full(c)) return NO_ENTRY;
    if (c->n_entries == c->capacity) {
        if (!counts_grow(c)) return NO_ENTRY;
        slot = counts_slot(c, hash);
        while (c->slots[slot]) slot = (slot + 1) & c->mask;
    }
    entry_t *entry = &c->entries[c->n_entries];
    memset(entry, 0, sizeof(entry_t));
    entry->hash = hash;
    return c->slots[slot] = c->n_entries++;
}

/* Ask for the counts of words of a long text, whose table is larger than the caches. */
PREFETCHING void prefetch_counts(const uint64_t *hash, const uint64_t *end, const counts_t *c) {
    if (c->n_entries < 8192) return;
    for (const uint64_t *h = hash; h < end; h++) PREFETCH(&c->slots[counts_slot(c, *h)]);
    for (const uint64_t *h = hash; h < end; h++) PREFETCH(&c->entries[c->slots[counts_slot(c, *h)]]);
}

/* Sixteen bits of a sort from a token on, of which the word behind its own is readable. */
static inline uint32_t bits_from(const uint64_t *bits, int64_t token) {
    const int shift = (int)(token & 63);
    bits += N_LOOKS * (token >> 6);
    return (uint32_t)(bits[0] >> shift | bits[N_LOOKS] << 1 << (63 - shift)) & 0xFFFF;
}

/* Those before a token, which is not the first: that of the one before it is the highest. */
static inline uint64_t bits_before(const uint64_t *bits, int64_t token) {
    const int64_t word = (token - 1) >> 6;
    const int shift = (int)((token - 1) & 63);
    bits += N_LOOKS * word;
    return bits[0] << (63 - shift) | (word ? bits[-N_LOOKS] >> 1 >> shift : 0);
}

/* Codes of several candidates that are scored side by side. */
#define LANES 8
typedef uint16_t lanes_t[LANES];

/* A table of weights: the sum of the templates that look at some of its columns. */
typedef struct {
    int32_t base, strides[4];
    uint16_t columns[4];
    uint16_t small_strides[4][8]; /* eight times each, for a table that is near */
} table_t;

/* Where the weights of the candidates lie in a table of at most 65,536 entries. */
#ifdef WORDS_SSE2
static inline void find_places(const table_t *t, const lanes_t *codes, uint16_t *places) {
    __m128i strides[4];
    for (int j = 0; j < 4; j++) strides[j] = _mm_loadu_si128((const __m128i *)t->small_strides[j]);
    for (int k = 0; k < LANES; k += 8) {
        __m128i sum = _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)(codes[t->columns[0]] + k)), strides[0]);
        for (int j = 1; j < 4; j++)
            sum = _mm_add_epi16(sum, _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)(codes[t->columns[j]] + k)), strides[j]));
        _mm_storeu_si128((__m128i *)(places + k), sum);
    }
}
#else
static inline void find_places(const table_t *t, const lanes_t *codes, uint16_t *places) {
    for (int k = 0; k < LANES; k++) {
        uint32_t sum = 0;
        for (int j = 0; j < 4; j++) sum += (uint32_t)codes[t->columns[j]][k] * (uint32_t)t->strides[j];
        places[k] = (uint16_t)sum;
    }
}
#endif

/* Add up the weights of each candidate. Only the tables before `near` have more than 65,536 entries. */
static inline void sum_weights(
    const table_t *t, const table_t *near, const table_t *end, const int32_t *weights, const lanes_t *codes, int32_t *sums
) {
    memset(sums, 0, LANES * sizeof(int32_t));
    for (; t < near; t++) {
        const int32_t *table = weights + t->base;
        const uint16_t *a = codes[t->columns[0]], *b = codes[t->columns[1]], *c = codes[t->columns[2]], *d = codes[t->columns[3]];
        const size_t p = (size_t)t->strides[0], q = (size_t)t->strides[1], r = (size_t)t->strides[2], s = (size_t)t->strides[3];
        if ((q | r | s) == 0)
            for (int k = 0; k < LANES; k++) sums[k] += table[a[k] * p];
        else if ((r | s) == 0)
            for (int k = 0; k < LANES; k++) sums[k] += table[a[k] * p + b[k] * q];
        else
            for (int k = 0; k < LANES; k++) sums[k] += table[a[k] * p + b[k] * q + c[k] * r + d[k] * s];
    }
    for (; t < end; t++) {
        const int32_t *table = weights + t->base;
        uint16_t places[LANES];
        find_places(t, codes, places);
        for (int k = 0; k < LANES; k++) sums[k] += table[places[k]];
    }
}
#endif
