/* Words of texts to ids: a cache of the words met before, and words in batches, so that their look-ups overlap. */
#ifndef TEXTPREP_WORD_RUNS_H
#define TEXTPREP_WORD_RUNS_H
#include <stdlib.h>
#include "huge_pages.h"
#include "pretokenize.h"

#if defined(__GNUC__)
#define WORD_PREFETCH(address) __builtin_prefetch(address)
#define WORD_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define WORD_PREFETCH(address) ((void)(address))
#define WORD_LIKELY(condition) (condition)
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WORD_LITTLE_ENDIAN 1
#else
#define WORD_LITTLE_ENDIAN 0
#endif

static inline int word_lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int i = 0;
    while (!(bits >> i & 1)) i++;
    return i;
#endif
}

static inline int word_highest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return 63 - __builtin_clzll(bits);
#else
    int i = 63;
    while (!(bits >> i & 1)) i--;
    return i;
#endif
}

static inline uint64_t word_load(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

/* Spread all bits of `hash` over its highest ones, by which the cache finds its slots. */
static inline uint64_t word_finish(uint64_t hash) {
    return (hash ^ hash >> 32) * 0xBF58476D1CE4E5B9u;
}

/* A hash of more than 8 bytes. */
static inline uint64_t word_hash(const uint8_t *bytes, size_t length) {
    uint64_t hash = length;
    size_t i;
    for (i = 0; i + 8 < length; i += 8) hash = word_finish((hash ^ word_load(bytes + i)) * 0x9E3779B97F4A7C15u);
    return word_finish((hash ^ word_load(bytes + length - 8)) * 0x9E3779B97F4A7C15u);
}

/* Room for the words that do not fit on the stack. */
typedef struct {
    void *memory;
    size_t size;
} word_room_t;

static inline void *word_make_room(word_room_t *room, size_t size) {
    if (room->size < size) {
        free(room->memory);
        room->memory = malloc(size + size / 4);
        room->size = room->memory ? size + size / 4 : 0;
    }
    return room->memory;
}

enum { WORD_DONE = 0, WORD_FULL = 1, WORD_UNKNOWN = 2, WORD_MEMORY = 3 };

/* Where the ids of a word go, and (unless NULL) the bytes of the word where their pieces begin and end. */
typedef struct {
    int32_t *ids;
    size_t *begins, *ends;
    size_t count;
    size_t unknown_at; /* the first byte of the word without an id, when the result is WORD_UNKNOWN */
    int after_gap;     /* the last id stands for something unknown */
} word_pieces_t;

/* How words become ids: `encode` writes those of one word, which is not empty, at most length + 1 of them. It is asked for words that are not in
 * the cache. */
typedef int (*word_encode_t)(const void *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces);

typedef struct {
    word_encode_t encode;
    const void *model;
    int scheme;
} word_coder_t;

/* The cache. */

#define WORD_FIRST_SLOTS ((size_t)1 << 10)
#define WORD_MOST_SLOTS ((size_t)1 << 20)
#define WORD_PROBES 16
#define WORD_SHORT 15            /* bytes of a word that is its own key */
#define WORD_LONGEST 1024        /* bytes of a word that is cached */
#define WORD_MOST_IDS ((size_t)1 << 23)
#define WORD_INSIDE 3            /* ids that stand in a slot */
#define WORD_COPY 8              /* ids that are copied in one step, whether all are wanted or not */
#define WORD_LONG ((uint64_t)0xFF << 56)

/* What tells words apart: the bytes of a short one, behind them zeros, and in the last byte its length; of a longer one a hash, and its length
 * under WORD_LONG: then the bytes have to be compared too. A free slot has a `high` of 0. */
typedef struct {
    uint64_t low, high;
    uint64_t hash; /* its highest bits are the number of the slot */
} word_key_t;

/* `inside` is the number of ids if they stand in place, else more than WORD_INSIDE. Then ids[0] is their place in the arena, where the bytes of a
 * long word follow them. */
typedef struct {
    uint64_t low, high;
    uint32_t ids[WORD_INSIDE];
    uint16_t inside, count;
} word_slot_t;

typedef struct {
    void *memory;
    word_slot_t *slots; /* in `memory`, at a multiple of 64 */
    size_t mask, used, turn;
    int shift; /* 64 less the bits of a slot's number */
    int32_t *ids;
    size_t ids_used, ids_size;
    word_room_t room;
} word_cache_t;

static inline int word_cache_slots(word_cache_t *cache, size_t slots) {
    void *memory, *start = huge_zeros(slots * sizeof(word_slot_t) + 64, &memory);
    if (!start) return WORD_MEMORY;
    cache->memory = memory;
    cache->slots = (word_slot_t *)(((uintptr_t)start + 63) & ~(uintptr_t)63);
    cache->mask = slots - 1;
    cache->shift = 63 - word_highest_bit(slots) + 1;
    cache->used = 0;
    return WORD_DONE;
}

static inline int word_cache_init(word_cache_t *cache) {
    memset(cache, 0, sizeof *cache);
    return word_cache_slots(cache, WORD_FIRST_SLOTS);
}

static inline void word_cache_free(word_cache_t *cache) {
    free(cache->memory);
    free(cache->ids);
    free(cache->room.memory);
}

static inline void word_cache_clear(word_cache_t *cache) {
    memset(cache->slots, 0, (cache->mask + 1) * sizeof(word_slot_t));
    cache->used = cache->ids_used = 0;
}

static inline uint64_t word_key_hash(uint64_t low, uint64_t high) {
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)(low ^ 0x9E3779B97F4A7C15u) * (high ^ 0xC2B2AE3D27D4EB4Fu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    return word_finish(low * 0x9E3779B97F4A7C15u + high * 0xC2B2AE3D27D4EB4Fu);
#endif
}

/* For each length of a short word, which of its 16 bytes are its own. */
static const uint64_t word_own_bytes[WORD_SHORT + 1][2] = {
#define WORD_BYTES(n) (((uint64_t)1 << 8 * (n)) - 1)
    {0, 0}, {WORD_BYTES(1), 0}, {WORD_BYTES(2), 0}, {WORD_BYTES(3), 0}, {WORD_BYTES(4), 0}, {WORD_BYTES(5), 0}, {WORD_BYTES(6), 0},
    {WORD_BYTES(7), 0}, {~(uint64_t)0, 0}, {~(uint64_t)0, WORD_BYTES(1)}, {~(uint64_t)0, WORD_BYTES(2)}, {~(uint64_t)0, WORD_BYTES(3)},
    {~(uint64_t)0, WORD_BYTES(4)}, {~(uint64_t)0, WORD_BYTES(5)}, {~(uint64_t)0, WORD_BYTES(6)}, {~(uint64_t)0, WORD_BYTES(7)}
#undef WORD_BYTES
};

/* The key of a short word whose bytes, and others behind them, were loaded. */
static inline word_key_t word_short_key(uint64_t low, uint64_t high, size_t length) {
    word_key_t key;
    key.low = low & word_own_bytes[length][0];
    key.high = (high & word_own_bytes[length][1]) | (uint64_t)length << 56;
    key.hash = word_key_hash(key.low, key.high);
    return key;
}

static inline word_key_t word_long_key(const uint8_t *word, size_t length) {
    word_key_t key;
    key.low = key.hash = length <= WORD_LONGEST ? word_hash(word, length) : 0;
    key.high = WORD_LONG | length;
    return key;
}

/* The key of a short word that ends 16 bytes that can be read. */
static inline word_key_t word_key_before(const uint8_t *word, size_t length) {
    uint64_t low = word_load(word + length - 16), high = word_load(word + length - 8);
    size_t bits = 8 * (16 - length);
    if (bits >= 64) return word_short_key(high >> (bits - 64), 0, length);
    return word_short_key(low >> bits | high << (64 - bits), high >> bits, length);
}

/* The key of a word of which `left` bytes, at least its length, can be read. */
static inline word_key_t word_key(const uint8_t *word, size_t length, size_t left) {
    uint8_t padded[16] = {0};
    if (length > WORD_SHORT) return word_long_key(word, length);
    if (WORD_LITTLE_ENDIAN && left >= 16) return word_short_key(word_load(word), word_load(word + 8), length);
    memcpy(padded, word, length);
    return word_short_key(word_load(padded), word_load(padded + 8), length);
}

static inline size_t word_key_length(word_key_t key) {
    return key.high >= WORD_LONG ? (size_t)(key.high ^ WORD_LONG) : (size_t)(key.high >> 56);
}

static inline const int32_t *word_slot_ids(const word_cache_t *cache, const word_slot_t *slot) {
    return slot->inside <= WORD_INSIDE ? (const int32_t *)slot->ids : cache->ids + slot->ids[0];
}

static inline int word_slot_is(const word_cache_t *cache, const word_slot_t *slot, word_key_t key, const uint8_t *word) {
    if (slot->low != key.low || slot->high != key.high) return 0;
    return key.high < WORD_LONG || !memcmp(cache->ids + slot->ids[0] + slot->count, word, word_key_length(key));
}

/* The slot of a word, or NULL. */
static inline const word_slot_t *word_find(const word_cache_t *cache, word_key_t key, const uint8_t *word) {
    size_t i;
    for (i = 0; i < WORD_PROBES; i++) {
        const word_slot_t *slot = cache->slots + (((key.hash >> cache->shift) + i) & cache->mask);
        if (WORD_LIKELY(word_slot_is(cache, slot, key, word))) return slot;
        if (!slot->high) return NULL;
    }
    return NULL;
}

static inline word_slot_t *word_free_slot(word_cache_t *cache, uint64_t hash) {
    size_t i;
    for (i = 0; i < WORD_PROBES; i++) {
        word_slot_t *slot = cache->slots + (((hash >> cache->shift) + i) & cache->mask);
        if (!slot->high) {
            cache->used++;
            return slot;
        }
    }
    return cache->slots + (((hash >> cache->shift) + cache->turn++ % WORD_PROBES) & cache->mask);
}

/* Make the table four times as large, when it is half full. Without memory it stays as it is. */
static inline void word_cache_grow(word_cache_t *cache) {
    void *memory = cache->memory;
    word_slot_t *old = cache->slots;
    size_t slots = cache->mask + 1, i;
    if (cache->used * 2 < slots || slots >= WORD_MOST_SLOTS || word_cache_slots(cache, slots * 4)) return;
    for (i = 0; i < slots; i++) {
        if (!old[i].high) continue;
        *word_free_slot(cache, old[i].high < WORD_LONG ? word_key_hash(old[i].low, old[i].high) : old[i].low) = old[i];
    }
    free(memory);
}

static inline int word_arena(word_cache_t *cache, size_t wanted) {
    int32_t *more;
    size_t larger = wanted * 2 + 1024;
    if (wanted <= cache->ids_size) return WORD_DONE;
    more = (int32_t *)realloc(cache->ids, larger * sizeof *more);
    if (!more) return WORD_MEMORY;
    cache->ids = more;
    cache->ids_size = larger;
    return WORD_DONE;
}

/* Keep the ids of a word. Failing memory only means that it is not kept. */
static inline void word_keep(word_cache_t *cache, word_key_t key, const uint8_t *word, const int32_t *ids, size_t count) {
    word_slot_t slot = {key.low, key.high, {0, 0, 0}, (uint16_t)count, (uint16_t)count};
    size_t length = word_key_length(key), more = count;
    if (length > WORD_LONGEST) return;
    if (length > WORD_SHORT) more += (length + sizeof *ids - 1) / sizeof *ids;
    if (cache->ids_used + more > WORD_MOST_IDS) word_cache_clear(cache);
    word_cache_grow(cache);
    if (count <= WORD_INSIDE && length <= WORD_SHORT) {
        memcpy(slot.ids, ids, count * sizeof *ids);
    } else {
        if (word_arena(cache, cache->ids_used + more + WORD_COPY)) return;
        memcpy(cache->ids + cache->ids_used, ids, count * sizeof *ids);
        if (length > WORD_SHORT) memcpy(cache->ids + cache->ids_used + count, word, length);
        slot.inside = WORD_INSIDE + 1;
        slot.ids[0] = (uint32_t)cache->ids_used;
        cache->ids_used += more;
    }
    *word_free_slot(cache, key.hash) = slot;
}

/* Texts. */

#define WORD_BATCH 192 /* words whose look-ups overlap, at most */

typedef struct {
    const uint8_t *data;
    size_t size;
} word_text_t;

typedef struct {
    word_key_t key;
    const uint8_t *word;
} word_met_t;

/* Words are gathered in batches, over the borders of short texts, so that the cache's memory arrives while other words are looked at. */
typedef struct {
    const word_text_t *texts;
    int64_t *begins;   /* where the ids of each text begin: written from the second on, the last is the end */
    size_t texts_count, next, done; /* texts; the next to be cut into words; those encoded */
    pretok_t scanner;
    int open;          /* the scanner is inside a text */
    word_met_t words[WORD_BATCH];
    size_t borders[WORD_BATCH]; /* the number of words before the end of each text that ends in the batch */
    size_t ready, ended, bytes;
    size_t consumed;   /* bytes of all batches before */
    int32_t *out;
    size_t count, capacity;
    size_t unknown_at; /* the byte of text number `done` without an id, when the result is WORD_UNKNOWN */
} word_run_t;

static inline void word_run_init(word_run_t *run, const word_text_t *texts, size_t count, int64_t *begins, int32_t *out, size_t capacity) {
    run->texts = texts;
    run->begins = begins;
    run->texts_count = count;
    run->next = run->done = 0;
    run->open = 0;
    run->ready = run->ended = run->bytes = run->consumed = 0;
    run->out = out;
    run->count = 0;
    run->capacity = capacity;
}

/* The number of ids that may come out of the batch, and the room for what is copied beyond the last. */
static inline size_t word_run_wants(const word_run_t *run) {
    return run->bytes + run->ready + WORD_COPY;
}

/* Give the words of a text their keys, and ask for the memory of their slots. */
static inline void word_meet(word_met_t *met, const pretok_t *scanner, const size_t *starts, const size_t *ends, size_t count, const word_cache_t *cache) {
    const uint8_t *text = scanner->text;
    const word_slot_t *slots = cache->slots;
    const int shift = cache->shift;
    size_t inner = WORD_LITTLE_ENDIAN ? count : 0, i;
    while (inner && starts[inner - 1] + 16 > scanner->length) inner--;
    for (i = 0; i < inner; i++) {
        const uint8_t *word = text + starts[i];
        size_t length = ends[i] - starts[i];
        met[i].key = WORD_LIKELY(length <= WORD_SHORT) ? word_short_key(word_load(word), word_load(word + 8), length) : word_long_key(word, length);
        met[i].word = word;
        WORD_PREFETCH(slots + (met[i].key.hash >> shift));
    }
    for (; i < count; i++) {
        size_t length = ends[i] - starts[i];
        int is_behind = WORD_LITTLE_ENDIAN && ends[i] >= 16 && length <= WORD_SHORT;
        met[i].key = is_behind ? word_key_before(text + starts[i], length) : word_key(text + starts[i], length, scanner->length - starts[i]);
        met[i].word = text + starts[i];
        WORD_PREFETCH(slots + (met[i].key.hash >> shift));
    }
}

/* Gather words until the batch is full or the texts are at their end. */
static inline void word_gather(word_run_t *run, const word_coder_t *coder, const word_cache_t *cache) {
    size_t starts[WORD_BATCH], ends[WORD_BATCH], found;
    pretok_t *scanner = &run->scanner;
    while (run->ready + PRETOK_LEAST <= WORD_BATCH && run->ended < WORD_BATCH) {
        if (!run->open) {
            if (run->next == run->texts_count) break;
            pretok_init(scanner, run->texts[run->next].data, run->texts[run->next].size, coder->scheme);
            run->open = 1;
            run->next++;
        }
        found = pretok_fill(scanner, starts, ends, WORD_BATCH - run->ready);
        if (found) {
            word_meet(run->words + run->ready, scanner, starts, ends, found, cache);
            run->bytes += ends[found - 1] - starts[0];
            run->ready += found;
        }
        if (!found || scanner->position >= scanner->length) {
            run->borders[run->ended++] = run->ready;
            run->open = 0;
        }
    }
}

static inline int word_miss(word_run_t *run, const word_coder_t *coder, word_cache_t *cache, const word_met_t *met) {
    word_pieces_t pieces = {run->out + run->count, NULL, NULL, 0, 0, 0};
    int status = coder->encode(coder->model, &cache->room, met->word, word_key_length(met->key), &pieces);
    if (status) {
        run->unknown_at = (size_t)(met->word - run->texts[run->done].data) + pieces.unknown_at;
        return status;
    }
    word_keep(cache, met->key, met->word, pieces.ids, pieces.count);
    run->count += pieces.count;
    return WORD_DONE;
}

/* Write the ids of words `i` to `end` of the batch. */
static inline int word_emit(word_run_t *run, const word_coder_t *coder, word_cache_t *cache, size_t i, size_t end) {
    int32_t *out = run->out + run->count;
    for (; i < end; i++) {
        const word_met_t *met = run->words + i;
        const word_slot_t *slot = cache->slots + (met->key.hash >> cache->shift);
        /* What is copied beyond the word's ids the next word writes over. */
        if (WORD_LIKELY(slot->low == met->key.low && slot->high == met->key.high && slot->inside <= WORD_INSIDE)) {
            memcpy(out, (const uint8_t *)slot + offsetof(word_slot_t, ids), 16);
            out += slot->inside;
            continue;
        }
        slot = word_find(cache, met->key, met->word);
        if (!WORD_LIKELY(slot != NULL)) {
            int status;
            run->count = (size_t)(out - run->out);
            status = word_miss(run, coder, cache, met);
            if (status) return status;
            out = run->out + run->count;
            continue;
        }
        if (WORD_LIKELY(slot->count <= WORD_COPY && slot->inside > WORD_INSIDE))
            memcpy(out, cache->ids + slot->ids[0], WORD_COPY * sizeof *out);
        else
            memcpy(out, word_slot_ids(cache, slot), slot->count * sizeof *out);
        out += slot->count;
    }
    run->count = (size_t)(out - run->out);
    return WORD_DONE;
}

/* Encode until the end of the texts (WORD_DONE) or until `out` has not room for the next batch (WORD_FULL: see word_run_wants). */
static inline int word_run(word_run_t *run, const word_coder_t *coder, word_cache_t *cache) {
    for (;;) {
        size_t at = 0, k;
        int status;
        word_gather(run, coder, cache);
        if (!run->ready && !run->ended) return WORD_DONE;
        if (run->count + word_run_wants(run) > run->capacity) return WORD_FULL;
        for (k = 0; k < run->ended; k++) {
            status = word_emit(run, coder, cache, at, run->borders[k]);
            if (status) return status;
            at = run->borders[k];
            run->begins[++run->done] = (int64_t)run->count;
        }
        status = word_emit(run, coder, cache, at, run->ready);
        if (status) return status;
        run->consumed += run->bytes;
        run->ready = run->ended = run->bytes = 0;
    }
}
#endif
