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

typedef struct {
    int64_t start, end;       /* span in the text */
    uint64_t hash;            /* of the lower-cased core */
    uint32_t entry;           /* index into the document's word counts */
    uint32_t lead_length;     /* characters before the core */
    int32_t blanks;           /* white space before, without newlines, cut at 255 */
    uint8_t newlines;         /* newlines before, cut at 255 */
    uint8_t mark, closer, lead, shape;
    uint8_t length;           /* of the core, cut at 255 */
    uint8_t first;            /* scanner kind of the first core character */
    int8_t brackets;          /* opened minus closed */
    uint8_t opens_quote, closes_quote;
    uint8_t softened;         /* a line break before it was taken for a blank */
} token_t;

typedef struct {
    uint64_t hash;
    uint32_t lower, upper_inside, period, period_then_lower, bare;
} entry_t;

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

static inline uint64_t mix_hash(uint64_t h) {
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15ull;
    return h ^ (h >> 29);
}
#endif
