/* Byte-pair encoding of texts: words in batches, and a cache of the words met before. */
#ifndef TEXTPREP_BPE_ENCODE_H
#define TEXTPREP_BPE_ENCODE_H
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include "bpe_merge.h"

#define BPE_BATCH 128 /* words whose look-ups overlap */

/* The cache. */

#define BPE_FIRST_SLOTS ((size_t)1 << 10)
#define BPE_MOST_SLOTS ((size_t)1 << 20)
#define BPE_HUGE ((size_t)1 << 22) /* bytes of a table that may have large pages */
#define BPE_PROBES 16
#define BPE_WORD 16              /* bytes of a word that is its own key */
#define BPE_LONGEST 1024         /* bytes of a word that is cached */
#define BPE_MOST_IDS ((size_t)1 << 23)
#define BPE_COPY 8                /* ids that are copied in one step, whether all are wanted or not */
#define BPE_MOST_BYTES ((size_t)1 << 24)

/* A word of at most 16 bytes is `low` and `high`; a longer one has its hash in `low`, and in `high` its place in the arena. `length` is 0 in a
 * free slot. Up to three ids stand in place; with more of them `ids` has their place in the arena and their number. */
typedef struct {
    uint64_t low, high;
    uint32_t ids[3];
    uint16_t length;
    uint16_t count;
} bpe_slot_t;

typedef struct {
    void *memory;
    bpe_slot_t *slots; /* in `memory`, at a multiple of 64 */
    size_t mask, used, turn;
    int shift; /* 64 less the bits of a slot's number */
    int32_t *ids;
    size_t ids_used, ids_size;
    uint8_t *bytes;
    size_t bytes_used, bytes_size;
    bpe_room_t room;
} bpe_cache_t;

typedef struct {
    uint64_t low, high, hash;
} bpe_key_t;

static inline int bpe_cache_slots(bpe_cache_t *cache, size_t slots) {
    void *memory = calloc(slots * sizeof(bpe_slot_t) + 64, 1);
    if (!memory) return BPE_MEMORY;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    /* Ask for large pages: a large table is read all over the place, and there are fewer of them to fetch and to look up. */
    if (slots * sizeof(bpe_slot_t) >= BPE_HUGE)
        madvise((void *)(((uintptr_t)memory + 4095) & ~(uintptr_t)4095), slots * sizeof(bpe_slot_t) - 4096, MADV_HUGEPAGE);
#endif
    cache->memory = memory;
    cache->slots = (bpe_slot_t *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    cache->mask = slots - 1;
    cache->shift = 63 - bpe_highest_bit(slots) + 1;
    cache->used = 0;
    return BPE_DONE;
}

static inline int bpe_cache_init(bpe_cache_t *cache) {
    memset(cache, 0, sizeof *cache);
    return bpe_cache_slots(cache, BPE_FIRST_SLOTS);
}

static inline void bpe_cache_free(bpe_cache_t *cache) {
    free(cache->memory);
    free(cache->ids);
    free(cache->bytes);
    free(cache->room.memory);
}

static inline void bpe_cache_clear(bpe_cache_t *cache) {
    memset(cache->slots, 0, (cache->mask + 1) * sizeof(bpe_slot_t));
    cache->used = cache->ids_used = cache->bytes_used = 0;
}

static inline uint64_t bpe_key_hash(uint64_t low, uint64_t high) {
    return bpe_finish(low * 0x9E3779B97F4A7C15u + high * 0xC2B2AE3D27D4EB4Fu);
}

/* Masks of the first 0 to 8 bytes of a little-endian number. */
static const uint64_t bpe_first_bytes[9] = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

/* The key of a word of which `left` bytes, at least its length, can be read. */
static inline bpe_key_t bpe_key(const uint8_t *word, size_t length, size_t left) {
    bpe_key_t key;
    if (BPE_LIKELY(length <= BPE_WORD)) {
        if (BPE_LITTLE_ENDIAN && BPE_LIKELY(left >= BPE_WORD)) {
            size_t low = length < 8 ? length : 8;
            key.low = bpe_load(word) & bpe_first_bytes[low];
            key.high = bpe_load(word + 8) & bpe_first_bytes[length - low];
        } else {
            uint8_t padded[BPE_WORD] = {0};
            memcpy(padded, word, length);
            key.low = bpe_load(padded);
            key.high = bpe_load(padded + 8);
        }
        key.hash = bpe_key_hash(key.low, key.high);
    } else {
        key.low = key.hash = length <= BPE_LONGEST ? bpe_hash_long(word, length) : 0;
        key.high = 0;
    }
    return key;
}

static inline int bpe_slot_is(const bpe_cache_t *cache, const bpe_slot_t *slot, bpe_key_t key, const uint8_t *word, size_t length) {
    if (slot->low != key.low || slot->length != length) return 0;
    if (BPE_LIKELY(length <= BPE_WORD)) return slot->high == key.high;
    return !memcmp(cache->bytes + slot->high, word, length);
}

/* The slot of a word, or NULL. */
static inline const bpe_slot_t *bpe_find(const bpe_cache_t *cache, bpe_key_t key, const uint8_t *word, size_t length) {
    size_t i;
    for (i = 0; i < BPE_PROBES; i++) {
        const bpe_slot_t *slot = cache->slots + (((key.hash >> cache->shift) + i) & cache->mask);
        if (BPE_LIKELY(bpe_slot_is(cache, slot, key, word, length))) return slot;
        if (!slot->length) return NULL;
    }
    return NULL;
}

static inline bpe_slot_t *bpe_free_slot(bpe_cache_t *cache, uint64_t hash) {
    size_t i;
    for (i = 0; i < BPE_PROBES; i++) {
        bpe_slot_t *slot = cache->slots + (((hash >> cache->shift) + i) & cache->mask);
        if (!slot->length) {
            cache->used++;
            return slot;
        }
    }
    return cache->slots + (((hash >> cache->shift) + cache->turn++ % BPE_PROBES) & cache->mask);
}

/* Make the table four times as large, when it is half full. Without memory it stays as it is. */
static inline void bpe_cache_grow(bpe_cache_t *cache) {
    void *memory = cache->memory;
    bpe_slot_t *old = cache->slots;
    size_t slots = cache->mask + 1, i;
    if (cache->used * 2 < slots || slots >= BPE_MOST_SLOTS || bpe_cache_slots(cache, slots * 4)) return;
    for (i = 0; i < slots; i++) {
        if (!old[i].length) continue;
        *bpe_free_slot(cache, old[i].length <= BPE_WORD ? bpe_key_hash(old[i].low, old[i].high) : old[i].low) = old[i];
    }
    free(memory);
}

static inline int bpe_arena(void **memory, size_t *size, size_t wanted, size_t each) {
    void *more;
    size_t larger = wanted * 2 + 1024;
    if (wanted <= *size) return BPE_DONE;
    more = realloc(*memory, larger * each);
    if (!more) return BPE_MEMORY;
    *memory = more;
    *size = larger;
    return BPE_DONE;
}

/* Keep the ids of a word. Failing memory only means that it is not kept. */
static inline void bpe_keep(bpe_cache_t *cache, bpe_key_t key, const uint8_t *word, size_t length, const int32_t *ids, size_t count) {
    bpe_slot_t slot = {key.low, key.high, {0, 0, 0}, (uint16_t)length, (uint16_t)count};
    if (length > BPE_LONGEST) return;
    if (cache->ids_used + count > BPE_MOST_IDS || cache->bytes_used + length > BPE_MOST_BYTES) bpe_cache_clear(cache);
    bpe_cache_grow(cache);
    if (length > BPE_WORD) {
        if (bpe_arena((void **)&cache->bytes, &cache->bytes_size, cache->bytes_used + length, 1)) return;
        memcpy(cache->bytes + cache->bytes_used, word, length);
        slot.high = cache->bytes_used;
        cache->bytes_used += length;
    }
    if (count <= 3) {
        memcpy(slot.ids, ids, count * sizeof *ids);
    } else {
        if (bpe_arena((void **)&cache->ids, &cache->ids_size, cache->ids_used + count + BPE_COPY, sizeof *ids)) return;
        memcpy(cache->ids + cache->ids_used, ids, count * sizeof *ids);
        slot.ids[0] = (uint32_t)cache->ids_used;
        cache->ids_used += count;
    }
    *bpe_free_slot(cache, key.hash) = slot;
}

/* Texts. */

typedef struct {
    const uint8_t *data;
    size_t size;
} bpe_text_t;

/* Words are gathered in batches, over the borders of short texts, so that the cache's memory arrives while other words are looked at. */
typedef struct {
    const bpe_text_t *texts;
    int64_t *begins;   /* where the ids of each text begin: written from the second on, the last is the end */
    size_t texts_count, next, done; /* texts; the next to be cut into words; those encoded */
    pretok_t scanner;
    int open;          /* the scanner is inside a text */
    const uint8_t *words[BPE_BATCH];
    size_t lengths[BPE_BATCH];
    bpe_key_t keys[BPE_BATCH];
    size_t borders[BPE_BATCH]; /* the number of words before the end of each text that ends in the batch */
    size_t ready, ended, bytes;
    size_t consumed;   /* bytes of all batches before */
    int32_t *out;
    size_t count, capacity;
    size_t unknown_at; /* the byte of text number `done` without an id, when the result is BPE_UNKNOWN */
} bpe_run_t;

static inline void bpe_run_init(bpe_run_t *run, const bpe_text_t *texts, size_t count, int64_t *begins, int32_t *out, size_t capacity) {
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
static inline size_t bpe_run_wants(const bpe_run_t *run) {
    return run->bytes + run->ready + BPE_COPY;
}

/* Gather words until the batch is full or the texts are at their end. */
static inline void bpe_gather(bpe_run_t *run, const bpe_model_t *model, const bpe_cache_t *cache) {
    size_t starts[BPE_BATCH], ends[BPE_BATCH], ready = run->ready, found, i;
    const bpe_slot_t *slots = cache->slots;
    const int shift = cache->shift;
    pretok_t *scanner = &run->scanner;
    while (ready < BPE_BATCH && run->ended < BPE_BATCH) {
        if (!run->open) {
            if (run->next == run->texts_count) break;
            pretok_init(scanner, run->texts[run->next].data, run->texts[run->next].size, model->scheme);
            run->open = 1;
            run->next++;
        }
        found = pretok_fill(scanner, starts, ends, BPE_BATCH - ready);
        for (i = 0; i < found; i++, ready++) {
            const uint8_t *word = scanner->text + starts[i];
            size_t length = ends[i] - starts[i];
            bpe_key_t key = bpe_key(word, length, scanner->length - starts[i]);
            BPE_PREFETCH(slots + (key.hash >> shift));
            run->words[ready] = word;
            run->lengths[ready] = length;
            run->keys[ready] = key;
        }
        if (found) run->bytes += ends[found - 1] - starts[0];
        if (!found || scanner->position >= scanner->length) {
            run->borders[run->ended++] = ready;
            run->open = 0;
        }
    }
    run->ready = ready;
}

static inline int bpe_miss(bpe_run_t *run, const bpe_model_t *model, bpe_cache_t *cache, size_t i) {
    bpe_pieces_t pieces = {run->out + run->count, NULL, 0, 0, 0};
    int status = bpe_encode_word(model, &cache->room, run->words[i], run->lengths[i], &pieces);
    if (status) {
        run->unknown_at = (size_t)(run->words[i] - run->texts[run->done].data) + pieces.unknown_at;
        return status;
    }
    bpe_keep(cache, run->keys[i], run->words[i], run->lengths[i], pieces.ids, pieces.count);
    run->count += pieces.count;
    return BPE_DONE;
}

/* Write the ids of words `i` to `end` of the batch. */
static inline int bpe_emit(bpe_run_t *run, const bpe_model_t *model, bpe_cache_t *cache, size_t i, size_t end) {
    int32_t *out = run->out + run->count;
    for (; i < end; i++) {
        const bpe_slot_t *slot = bpe_find(cache, run->keys[i], run->words[i], run->lengths[i]);
        if (!BPE_LIKELY(slot != NULL)) {
            int status;
            run->count = (size_t)(out - run->out);
            status = bpe_miss(run, model, cache, i);
            if (status) return status;
            out = run->out + run->count;
            continue;
        }
        /* What is copied beyond the word's ids the next word writes over. */
        if (BPE_LIKELY(slot->count <= 3))
            memcpy(out, (const uint8_t *)slot + offsetof(bpe_slot_t, ids), 16);
        else if (BPE_LIKELY(slot->count <= BPE_COPY))
            memcpy(out, cache->ids + slot->ids[0], BPE_COPY * sizeof *out);
        else
            memcpy(out, cache->ids + slot->ids[0], slot->count * sizeof *out);
        out += slot->count;
    }
    run->count = (size_t)(out - run->out);
    return BPE_DONE;
}

/* Encode until the end of the texts (BPE_DONE) or until `out` has not room for the next batch (BPE_FULL: see bpe_run_wants). */
static inline int bpe_run(bpe_run_t *run, const bpe_model_t *model, bpe_cache_t *cache) {
    for (;;) {
        size_t at = 0, k;
        int status;
        bpe_gather(run, model, cache);
        if (!run->ready && !run->ended) return BPE_DONE;
        if (run->count + bpe_run_wants(run) > run->capacity) return BPE_FULL;
        for (k = 0; k < run->ended; k++) {
            status = bpe_emit(run, model, cache, at, run->borders[k]);
            if (status) return status;
            at = run->borders[k];
            run->begins[++run->done] = (int64_t)run->count;
        }
        status = bpe_emit(run, model, cache, at, run->ready);
        if (status) return status;
        run->consumed += run->bytes;
        run->ready = run->ended = run->bytes = 0;
    }
}
#endif
