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
#define NO_ENTRY 0xFFFFFFFFu /* a token whose word is not counted */

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
    while (slots[slot].used && slots[slot].hash != hash) slot = (slot + 1) & mask;
    return &slots[slot];
}

typedef struct {
    int64_t start, end;       /* span in the text */
    uint64_t hash;            /* of the lower-cased core */
    const lexeme_t *word;     /* NULL as long as nobody has asked */
    uint32_t entry;           /* index into the document's word counts */
    uint32_t lead_length;     /* characters before the core */
    uint8_t blanks;           /* white space before, without newlines, cut at 255 */
    uint8_t newlines;         /* newlines before, cut at 255 */
    uint8_t mark, closer, lead, shape;
    uint8_t length;           /* of the core, cut at 255 */
    uint8_t first;            /* scanner kind of the first core character */
    int8_t brackets;          /* opened minus closed */
    uint8_t opens_quote, closes_quote;
    uint8_t softened;         /* a line break before it was taken for a blank */
    uint8_t quiet;            /* a lower-case word between blanks that is not the first token */
} token_t;

typedef struct {
    uint64_t hash;
    uint32_t lower, upper_inside, period, period_then_lower, bare;
} entry_t;

/* Ask for what is known of a token's word; it arrives while others are looked at. */
PREFETCHING void prefetch_word(const token_t *t, const lexeme_t *slots, uint32_t mask, const entry_t *entries) {
    if (t->word == NULL) PREFETCH(&slots[(uint32_t)(t->hash >> 20) & mask]);
    if (t->entry != NO_ENTRY) PREFETCH(&entries[t->entry]);
}

/* An append-only array of entries found by an open-addressing table of their indices. */
typedef struct {
    entry_t *entries;
    uint32_t *slots;
    uint32_t n_entries, capacity, mask;
} counts_t;

static inline int counts_init(counts_t *c) {
    c->capacity = 1024;
    c->mask = 2047;
    c->n_entries = 0;
    c->entries = (entry_t *)malloc(sizeof(entry_t) * c->capacity);
    c->slots = (uint32_t *)calloc(c->mask + 1, sizeof(uint32_t));
    return c->entries != NULL && c->slots != NULL;
}

static inline void counts_free(counts_t *c) {
    free(c->entries);
    free(c->slots);
    c->entries = NULL;
    c->slots = NULL;
}

/* Keep the memory of a small table for the next document. */
static inline void counts_clear(counts_t *c) {
    if ((uint64_t)c->n_entries * 8 < c->mask) {
        for (uint32_t i = 0; i < c->n_entries; i++) {
            uint32_t slot = (uint32_t)(c->entries[i].hash >> 20) & c->mask;
            while (c->slots[slot]) {
                c->slots[slot] = 0;
                slot = (slot + 1) & c->mask;
            }
        }
    } else {
        memset(c->slots, 0, sizeof(uint32_t) * ((size_t)c->mask + 1));
    }
    c->n_entries = 0;
}

static inline int counts_grow(counts_t *c) {
    uint32_t capacity = c->capacity * 2, mask = capacity * 2 - 1;
    entry_t *entries = (entry_t *)realloc(c->entries, sizeof(entry_t) * capacity);
    if (entries == NULL) return 0;
    c->entries = entries;
    uint32_t *slots = (uint32_t *)calloc((size_t)mask + 1, sizeof(uint32_t));
    if (slots == NULL) return 0;
    for (uint32_t i = 0; i < c->n_entries; i++) {
        uint32_t slot = (uint32_t)(entries[i].hash >> 20) & mask;
        while (slots[slot]) slot = (slot + 1) & mask;
        slots[slot] = i + 1;
    }
    free(c->slots);
    c->slots = slots;
    c->capacity = capacity;
    c->mask = mask;
    return 1;
}

/* Index of the entry of `hash`, made when it is new; -1 when memory is out. */
static inline int64_t counts_find(counts_t *c, uint64_t hash) {
    uint32_t slot = (uint32_t)(hash >> 20) & c->mask;
    while (c->slots[slot]) {
        uint32_t index = c->slots[slot] - 1;
        if (c->entries[index].hash == hash) return index;
        slot = (slot + 1) & c->mask;
    }
    if (c->n_entries == c->capacity) {
        if (!counts_grow(c)) return -1;
        slot = (uint32_t)(hash >> 20) & c->mask;
        while (c->slots[slot]) slot = (slot + 1) & c->mask;
    }
    entry_t *entry = &c->entries[c->n_entries];
    memset(entry, 0, sizeof(entry_t));
    entry->hash = hash;
    c->slots[slot] = ++c->n_entries;
    return c->n_entries - 1;
}

/* Ask for the counts of words of a long text, whose table is larger than the caches. */
PREFETCHING void prefetch_counts(const token_t *first, const token_t *end, const counts_t *c) {
    if (c->n_entries < 8192) return;
    for (const token_t *t = first; t < end; t++) PREFETCH(&c->slots[(uint32_t)(t->hash >> 20) & c->mask]);
    for (const token_t *t = first; t < end; t++) {
        uint32_t slot = c->slots[(uint32_t)(t->hash >> 20) & c->mask];
        if (slot) PREFETCH(&c->entries[slot - 1]);
    }
}

/* A table of weights: the sum of the templates that look at some of its columns. */
typedef struct {
    int32_t base, strides[4];
    uint16_t columns[4];
    int32_t above, below;     /* the most and the least that the following tables can add */
} table_t;

/* Find the weights of one candidate and ask for them. The tables before `wide` have one column. */
PREFETCHING void find_weights(
    const table_t *t, const table_t *wide, const table_t *end, const int32_t *weights, const uint16_t *row, const int32_t **found
) {
    for (; t < wide; t++, found++) {
        *found = &weights[t->base + row[t->columns[0]] * t->strides[0]];
        PREFETCH(*found);
    }
    for (; t < end; t++, found++) {
        *found = &weights[t->base + row[t->columns[0]] * t->strides[0] + row[t->columns[1]] * t->strides[1]
                          + row[t->columns[2]] * t->strides[2] + row[t->columns[3]] * t->strides[3]];
        PREFETCH(*found);
    }
}

static inline int32_t sum_weights(const int32_t *const *found, int64_t n) {
    int32_t total = 0;
    for (int64_t i = 0; i < n; i++) total += *found[i];
    return total;
}

/* Whether the sum reaches the threshold, without adding up more than it takes to be sure. */
static inline int sum_reaches(const table_t *tables, const int32_t *const *found, int64_t n, int32_t threshold) {
    int32_t total = 0;
    int64_t i = 0;
    for (; i + 4 < n; i += 4) {
        total += (*found[i] + *found[i + 1]) + (*found[i + 2] + *found[i + 3]);
        if (total + tables[i + 3].above < threshold) return 0;
        if (total + tables[i + 3].below >= threshold) return 1;
    }
    for (; i < n; i++) total += *found[i];
    return total >= threshold;
}
#endif
