/* The pieces of a unigram model as a trie, and what is known of each: read only once it is built. */
#ifndef TEXTPREP_UNIGRAM_MODEL_H
#define TEXTPREP_UNIGRAM_MODEL_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A double array whose child for byte c of a node with base b is unit b ^ c. A unit holds, from the lowest bit on: 9 bits of the byte that
 * leads to it (UNI_FREE for a unit that is not used), 23 bits of its own base, and in the upper half the id of the piece that ends there plus
 * one. No two nodes have the same base, so that the byte alone tells whose child a unit is. The first 256 units stay free: base 0 is that of
 * nodes without children. */
#define UNI_FREE 0x100u
#define UNI_BASE_BITS 23
#define UNI_MOST_UNITS ((uint32_t)1 << UNI_BASE_BITS)

enum { UNI_DONE = 0, UNI_UNKNOWN = 2, UNI_MEMORY = 3, UNI_LARGE = 4 };

typedef struct {
    uint64_t *units;
    uint32_t size;
    uint32_t root; /* its base */
} uni_trie_t;

typedef struct {
    const uint8_t *bytes;
    uint32_t length;
    int32_t id;
} uni_key_t;

static inline uint32_t uni_base(uint64_t unit) {
    return (uint32_t)unit >> 9;
}

static inline int32_t uni_id(uint64_t unit) {
    return (int32_t)(unit >> 32) - 1;
}

/* Go from a node with this base along a byte; false where there is no child. */
static inline int uni_step(const uni_trie_t *trie, uint32_t *base, uint8_t byte, uint64_t *unit) {
    *unit = trie->units[*base ^ byte];
    if (((uint32_t)*unit & 0x1FFu) != byte) return 0;
    *base = uni_base(*unit);
    return 1;
}

/* Room to build in: the free units as a ring, and which bases are taken. */
typedef struct {
    uni_trie_t *trie;
    uint32_t *next, *before;
    uint8_t *taken;
    uint32_t capacity;
    uint32_t first; /* a free unit, or 0 */
} uni_build_t;

static inline int uni_more(uni_build_t *build) {
    uint32_t old = build->trie->size, i, size = old + 256;
    if (size > UNI_MOST_UNITS) return UNI_LARGE;
    if (size > build->capacity) {
        uint32_t capacity = build->capacity ? build->capacity * 2 : 4096;
        void *units = realloc(build->trie->units, capacity * sizeof(uint64_t)), *next, *before, *taken;
        if (units) build->trie->units = (uint64_t *)units;
        next = realloc(build->next, capacity * sizeof(uint32_t));
        if (next) build->next = (uint32_t *)next;
        before = realloc(build->before, capacity * sizeof(uint32_t));
        if (before) build->before = (uint32_t *)before;
        taken = realloc(build->taken, capacity);
        if (taken) build->taken = (uint8_t *)taken;
        if (!units || !next || !before || !taken) return UNI_MEMORY;
        build->capacity = capacity;
    }
    for (i = old; i < size; i++) {
        build->trie->units[i] = UNI_FREE;
        build->taken[i] = 0;
    }
    build->trie->size = size;
    if (!old) return UNI_DONE; /* the first 256 are never given out */
    for (i = old; i < size; i++) {
        if (!build->first) {
            build->first = build->next[i] = build->before[i] = i;
            continue;
        }
        build->next[i] = build->first;
        build->before[i] = build->before[build->first];
        build->next[build->before[i]] = i;
        build->before[build->first] = i;
    }
    return UNI_DONE;
}

static inline void uni_use(uni_build_t *build, uint32_t unit) {
    uint32_t next = build->next[unit], before = build->before[unit];
    build->next[before] = next;
    build->before[next] = before;
    if (build->first == unit) build->first = next == unit ? 0 : next;
}

#define UNI_TRIES 48 /* free units that are looked at before more are made */

/* Find a base under which all these bytes are free. */
static inline int uni_find_base(uni_build_t *build, const uint8_t *bytes, uint32_t count, uint32_t *found) {
    uint32_t tries, unit, i, base;
    /* The newest units are the emptiest, so the ring is walked from its end. */
    unit = build->first ? build->before[build->first] : 0;
    for (tries = 0; unit && tries < UNI_TRIES; tries++, unit = build->before[unit]) {
        base = unit ^ bytes[0];
        if (build->taken[base]) continue;
        for (i = 1; i < count && ((uint32_t)build->trie->units[base ^ bytes[i]] & 0x1FFu) == UNI_FREE; i++) {}
        if (i == count) {
            *found = base;
            return UNI_DONE;
        }
        if (unit == build->first) break;
    }
    base = build->trie->size;
    *found = base;
    return uni_more(build);
}

typedef struct {
    uint32_t first, last, depth, unit; /* keys that share their first `depth` bytes, and the unit of that node (0 for the root) */
} uni_range_t;

/* Give a node its children, and tell the ranges of their keys. */
static inline int uni_expand(uni_build_t *build, const uni_key_t *keys, uni_range_t range, uni_range_t *ranges, uint32_t *ranges_count) {
    uint8_t bytes[256];
    uint32_t begins[257], count = 0, i, base;
    int status;
    for (i = range.first; i < range.last; i++) {
        if (keys[i].length == range.depth) continue; /* the key that ends here, the first of the range */
        if (!count || keys[i].bytes[range.depth] != bytes[count - 1]) {
            bytes[count] = keys[i].bytes[range.depth];
            begins[count++] = i;
        }
    }
    if (!count) return UNI_DONE;
    begins[count] = range.last;
    status = uni_find_base(build, bytes, count, &base);
    if (status) return status;
    build->taken[base] = 1;
    if (range.unit) build->trie->units[range.unit] |= (uint64_t)base << 9;
    else build->trie->root = base;
    for (i = 0; i < count; i++) {
        const uni_key_t *key = keys + begins[i];
        uni_range_t child = {begins[i], begins[i + 1], range.depth + 1, base ^ bytes[i]};
        uni_use(build, child.unit);
        build->trie->units[child.unit] = bytes[i] | (uint64_t)(key->length == child.depth ? key->id + 1 : 0) << 32;
        ranges[(*ranges_count)++] = child;
    }
    return UNI_DONE;
}

/* Build a trie from keys in the order of their bytes, no two of them equal and none empty. */
static inline int uni_trie_build(uni_trie_t *trie, const uni_key_t *keys, uint32_t count, uint32_t longest) {
    uni_build_t build;
    uni_range_t *ranges;
    uint32_t waiting = 0;
    int status;
    memset(trie, 0, sizeof *trie);
    memset(&build, 0, sizeof build);
    build.trie = trie;
    /* Depth first: every level keeps at most the children of one node waiting. */
    ranges = (uni_range_t *)malloc(((size_t)longest + 1) * 256 * sizeof *ranges);
    status = ranges ? uni_more(&build) : UNI_MEMORY;
    if (!status) status = uni_more(&build);
    if (!status) {
        uni_range_t all = {0, count, 0, 0};
        ranges[waiting++] = all;
    }
    while (waiting && !status) {
        uni_range_t range = ranges[--waiting];
        status = uni_expand(&build, keys, range, ranges, &waiting);
    }
    free(ranges);
    free(build.next);
    free(build.before);
    free(build.taken);
    if (!status) {
        /* A search goes to any byte behind any base. */
        void *units = realloc(trie->units, (trie->size + 256) * sizeof(uint64_t));
        if (units) trie->units = (uint64_t *)units;
    }
    return status;
}

static inline void uni_trie_free(uni_trie_t *trie) {
    free(trie->units);
}

/* All that encoding needs. */
typedef struct {
    uni_trie_t trie;
    const double *scores;  /* of each id */
    const float *singles;  /* the same in single precision */
    uint8_t joined[8192];  /* a bit for each two bytes, the left one first: no word ends between them */
    double unknown_score;
    int32_t unknown;       /* id, or -1 for an error */
    int32_t byte_ids[256];
    int byte_fallback;
    int single;            /* sums are kept in single precision and go on along the text; else every word begins with 0 */
    int fuse;              /* unknown neighbours become one */
    int escape;            /* a blank in a text stands for the marker */
} uni_model_t;

static inline int uni_is_joined(const uni_model_t *model, uint8_t left, uint8_t right) {
    return model->joined[(uint32_t)left << 5 | right >> 3] >> (right & 7) & 1;
}
#endif
