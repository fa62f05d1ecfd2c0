/* Byte-pair encoding of words: the merge table, the merging of one word, and the cache of words met before.
 *
 * A word is a run of bytes. Its symbols are bytes or characters (bpe_model_t.byte_level). The pair of neighbours with the lowest rank is
 * merged, the leftmost of equal ones, until no pair has a rank. A byte or character without an id is a gap, which merges with nothing.
 */
#ifndef TEXTPREP_BPE_ENCODE_H
#define TEXTPREP_BPE_ENCODE_H
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include "pretokenize.h"

#if defined(__GNUC__)
#define BPE_PREFETCH(address) __builtin_prefetch(address)
#define BPE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define BPE_PREFETCH(address) ((void)(address))
#define BPE_LIKELY(condition) (condition)
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BPE_LITTLE_ENDIAN 1
#else
#define BPE_LITTLE_ENDIAN 0
#endif

#define BPE_ID_BITS 20
#define BPE_RANK_BITS 22
#define BPE_GAP 0xFFFFEu        /* the id of what has none */
#define BPE_NO_RANK 0x7FFFFFFF
#define BPE_EMPTY (~(uint64_t)0)
#define BPE_SHORT 64            /* symbols of a word that is merged without a heap */
#define BPE_LONG 2048            /* bytes of a word that may be merged rank by rank */
#define BPE_BATCH 128            /* words whose look-ups overlap */

/* ------------------------------------------------------------------ the model, read only once it is built */

typedef struct {
    uint64_t *pairs;      /* open addressing: 1 when the search goes on behind the entry, left id, right id, rank */
    uint64_t pairs_mask;
    int32_t *joined;      /* rank -> id */
    size_t merges;
    uint8_t *twins;       /* rank -> whether the two are the same */
    int ordered;          /* no symbol is made by a merge that has no lower rank than one that takes it */
    int64_t shift;        /* what every id of a merge is above its rank, or -1 when they do not go in step */
    int32_t *byte_ranks;  /* rank of two bytes, by left * 256 + right */
    uint32_t byte_ids[256];
    uint64_t *chars;      /* open addressing: (code point * 4 + place in the word) << 32 | id */
    uint64_t chars_mask;
    uint64_t *wholes;     /* open addressing: ids of symbols by the hash of their bytes */
    uint64_t wholes_mask;
    const uint8_t *symbols; /* the bytes of all symbols, one after another */
    const uint64_t *symbol_at;
    int byte_level, byte_fallback, whole_words, fuse_unknown;
    int64_t unknown;      /* id, or -1 for an error */
    uint32_t marker;      /* id of the symbol at the end of every word, or BPE_GAP for none */
    int scheme;
} bpe_model_t;

static inline uint64_t bpe_mix(uint64_t key) {
    key *= 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
}

#define BPE_GOES_ON ((uint64_t)1 << 63)
#define BPE_NO_ENTRY (BPE_EMPTY >> 1) /* an id that no symbol has, twice */

static inline uint64_t bpe_pair_key(uint32_t left, uint32_t right) {
    return (uint64_t)left << BPE_ID_BITS | right;
}

/* The rank that an entry gives to a pair. Made without a branch, as it is a matter of chance. */
static inline int32_t bpe_entry_rank(uint64_t entry, uint64_t key) {
    return (entry & ~BPE_GOES_ON) >> BPE_RANK_BITS == key ? (int32_t)(entry & ((1u << BPE_RANK_BITS) - 1)) : BPE_NO_RANK;
}

/* The rank of a pair that was not in its first place. */
static inline int32_t bpe_rank_behind(const bpe_model_t *model, uint64_t key, uint64_t at) {
    int32_t rank;
    do {
        at = (at + 1) & model->pairs_mask;
        rank = bpe_entry_rank(model->pairs[at], key);
    } while (rank == BPE_NO_RANK && model->pairs[at] & BPE_GOES_ON);
    return rank;
}

static inline int32_t bpe_rank(const bpe_model_t *model, uint32_t left, uint32_t right) {
    uint64_t key = bpe_pair_key(left, right), at = bpe_mix(key) & model->pairs_mask, entry = model->pairs[at];
    int32_t rank = bpe_entry_rank(entry, key);
    return BPE_LIKELY(rank != BPE_NO_RANK || !(entry & BPE_GOES_ON)) ? rank : bpe_rank_behind(model, key, at);
}

/* Give a pair its rank, unless it has one. */
static inline void bpe_add_pair(bpe_model_t *model, uint32_t left, uint32_t right, uint32_t rank) {
    uint64_t key = bpe_pair_key(left, right), at = bpe_mix(key) & model->pairs_mask;
    if (bpe_rank(model, left, right) != BPE_NO_RANK) return;
    for (; model->pairs[at] << 1 != BPE_NO_ENTRY << 1; at = (at + 1) & model->pairs_mask) model->pairs[at] |= BPE_GOES_ON;
    model->pairs[at] = key << BPE_RANK_BITS | rank;
}

/* The id of the pair with this rank. */
static inline uint32_t bpe_joined(const bpe_model_t *model, int32_t rank) {
    return BPE_LIKELY(model->shift >= 0) ? (uint32_t)(rank + model->shift) : (uint32_t)model->joined[rank];
}

static inline uint32_t bpe_char_id(const bpe_model_t *model, uint32_t code, int place) {
    uint64_t key = (uint64_t)code << 2 | (uint64_t)place, at = bpe_mix(key) & model->chars_mask;
    for (; model->chars[at] != BPE_EMPTY; at = (at + 1) & model->chars_mask)
        if (model->chars[at] >> 32 == key) return (uint32_t)model->chars[at];
    return BPE_GAP;
}

static inline void bpe_add_char(bpe_model_t *model, uint32_t code, int place, uint32_t id) {
    uint64_t key = (uint64_t)code << 2 | (uint64_t)place, at = bpe_mix(key) & model->chars_mask;
    for (; model->chars[at] != BPE_EMPTY; at = (at + 1) & model->chars_mask)
        if (model->chars[at] >> 32 == key) return;
    model->chars[at] = key << 32 | id;
}

static inline uint64_t bpe_load(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

/* Spread all bits of `hash` over its highest ones, by which the cache finds its slots. */
static inline uint64_t bpe_finish(uint64_t hash) {
    return (hash ^ hash >> 32) * 0xBF58476D1CE4E5B9u;
}

/* A hash of more than 8 bytes. */
static inline uint64_t bpe_hash_long(const uint8_t *bytes, size_t length) {
    uint64_t hash = length;
    size_t i;
    for (i = 0; i + 8 < length; i += 8) hash = bpe_finish((hash ^ bpe_load(bytes + i)) * 0x9E3779B97F4A7C15u);
    return bpe_finish((hash ^ bpe_load(bytes + length - 8)) * 0x9E3779B97F4A7C15u);
}

static inline uint64_t bpe_hash(const uint8_t *bytes, size_t length) {
    uint8_t padded[16] = {0};
    if (length > 8) return bpe_mix(bpe_hash_long(bytes, length));
    memcpy(padded, bytes, length);
    return bpe_mix(bpe_load(padded) ^ length);
}

/* The id of the symbol with these bytes, or BPE_GAP. */
static inline uint32_t bpe_whole_id(const bpe_model_t *model, const uint8_t *bytes, size_t length) {
    uint64_t at = bpe_hash(bytes, length) & model->wholes_mask;
    for (; model->wholes[at] != BPE_EMPTY; at = (at + 1) & model->wholes_mask) {
        uint64_t id = model->wholes[at], begin = model->symbol_at[id];
        if (model->symbol_at[id + 1] - begin == length && !memcmp(model->symbols + begin, bytes, length)) return (uint32_t)id;
    }
    return BPE_GAP;
}

static inline void bpe_add_whole(bpe_model_t *model, uint32_t id) {
    const uint8_t *bytes = model->symbols + model->symbol_at[id];
    size_t length = (size_t)(model->symbol_at[id + 1] - model->symbol_at[id]);
    uint64_t at = bpe_hash(bytes, length) & model->wholes_mask;
    if (bpe_whole_id(model, bytes, length) != BPE_GAP) return;
    while (model->wholes[at] != BPE_EMPTY) at = (at + 1) & model->wholes_mask;
    model->wholes[at] = id;
}

/* ------------------------------------------------------------------ merging one word */

/* Room for the words that do not fit on the stack. */
typedef struct {
    void *memory;
    size_t size;
} bpe_room_t;

static inline void *bpe_make_room(bpe_room_t *room, size_t size) {
    if (room->size < size) {
        free(room->memory);
        room->memory = malloc(size + size / 4);
        room->size = room->memory ? size + size / 4 : 0;
    }
    return room->memory;
}

static inline int bpe_lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int i = 0;
    while (!(bits >> i & 1)) i++;
    return i;
#endif
}

static inline int bpe_highest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return 63 - __builtin_clzll(bits);
#else
    int i = 63;
    while (!(bits >> i & 1)) i--;
    return i;
#endif
}

/* The key of the pair at `at`: the smallest key is the leftmost pair of lowest rank. */
static inline int32_t bpe_place_key(int32_t rank, int at) {
    return rank == BPE_NO_RANK ? rank : rank << 6 | at;
}

/* Merge the pair at `best & 63`, and tell the new keys at its left symbol and at the symbol before. The look-ups on both sides are made together
 * and without branches, so that their memory arrives together. */
static inline void bpe_merge_one(const bpe_model_t *model, uint32_t *ids, uint64_t *alive, int32_t best, int *places, int32_t *keys) {
    int at = best & 63, other, before, after;
    uint64_t right = *alive & ~(uint64_t)1 << at, left, left_key, right_key, left_at, right_at, left_entry, right_entry;
    int32_t left_rank, right_rank;
    other = bpe_lowest_bit(right);
    ids[at] = bpe_joined(model, best >> 6);
    *alive ^= (uint64_t)1 << other;
    right &= right - 1;
    left = *alive & (((uint64_t)1 << at) - 1);
    /* Where there is no neighbour, the symbol itself stands in for it, and what is found is dropped. */
    after = right ? bpe_lowest_bit(right) : at;
    before = left ? bpe_highest_bit(left) : at;
    left_key = bpe_pair_key(ids[before], ids[at]);
    right_key = bpe_pair_key(ids[at], ids[after]);
    left_at = bpe_mix(left_key) & model->pairs_mask;
    right_at = bpe_mix(right_key) & model->pairs_mask;
    left_entry = model->pairs[left_at];
    right_entry = model->pairs[right_at];
    left_rank = bpe_entry_rank(left_entry, left_key);
    right_rank = bpe_entry_rank(right_entry, right_key);
    if (!BPE_LIKELY(!((left_entry | right_entry) & BPE_GOES_ON))) {
        if (left_rank == BPE_NO_RANK && left_entry & BPE_GOES_ON) left_rank = bpe_rank_behind(model, left_key, left_at);
        if (right_rank == BPE_NO_RANK && right_entry & BPE_GOES_ON) right_rank = bpe_rank_behind(model, right_key, right_at);
    }
    places[0] = other;
    places[1] = before;
    places[2] = at;
    keys[1] = bpe_place_key(left_rank, before);
    keys[2] = right ? bpe_place_key(right_rank, at) : BPE_NO_RANK;
}

/* Merge at most 64 symbols, whose pairs have these keys (each at its left symbol; there is room for four more). Give the bits of the symbols
 * that live. */
static inline uint64_t bpe_merge_short(const bpe_model_t *model, uint32_t *ids, int32_t *keys, int n) {
    uint64_t alive = n == 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
    int32_t new_keys[3] = {BPE_NO_RANK, 0, 0};
    int i, places[3];
    for (i = n - 1; i < n + 3; i++) keys[i] = BPE_NO_RANK;
    for (;;) {
        int best = BPE_NO_RANK;
        for (i = 0; i < n; i++) best = keys[i] < best ? keys[i] : best;
        if (best == BPE_NO_RANK) return alive;
        bpe_merge_one(model, ids, &alive, best, places, new_keys);
        for (i = 0; i < 3; i++) keys[places[i]] = new_keys[i];
    }
}

#if defined(__SSE2__)
static inline __m128i bpe_min4(__m128i a, __m128i b) {
    __m128i less = _mm_cmplt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b));
}

static inline __m128i bpe_set4(__m128i keys, __m128i places, int place, int32_t key) {
    __m128i here = _mm_cmpeq_epi32(places, _mm_set1_epi32(place));
    return _mm_or_si128(_mm_and_si128(here, _mm_set1_epi32(key)), _mm_andnot_si128(here, keys));
}

/* The same for at most 8 symbols (16 when `wide`), whose keys stay in registers. */
static inline uint64_t bpe_merge_16(const bpe_model_t *model, uint32_t *ids, int32_t *keys, int n, int wide) {
    uint64_t alive = ((uint64_t)1 << n) - 1;
    int32_t new_keys[3] = {BPE_NO_RANK, 0, 0};
    int i, places[3];
    __m128i k0, k1, k2, k3;
    const __m128i p0 = _mm_setr_epi32(0, 1, 2, 3), p1 = _mm_setr_epi32(4, 5, 6, 7), p2 = _mm_setr_epi32(8, 9, 10, 11), p3 = _mm_setr_epi32(12, 13, 14, 15);
    for (i = n - 1; i < (wide ? 16 : 8); i++) keys[i] = BPE_NO_RANK;
    k0 = _mm_loadu_si128((const __m128i *)keys);
    k1 = _mm_loadu_si128((const __m128i *)(keys + 4));
    if (wide) {
        k2 = _mm_loadu_si128((const __m128i *)(keys + 8));
        k3 = _mm_loadu_si128((const __m128i *)(keys + 12));
    } else {
        k2 = k3 = _mm_set1_epi32(BPE_NO_RANK);
    }
    for (;;) {
        int32_t best;
        __m128i least = bpe_min4(k0, k1);
        if (wide) least = bpe_min4(least, bpe_min4(k2, k3));
        least = bpe_min4(least, _mm_shuffle_epi32(least, 0x4E));
        least = bpe_min4(least, _mm_shuffle_epi32(least, 0xB1));
        best = _mm_cvtsi128_si32(least);
        if (best == BPE_NO_RANK) return alive;
        bpe_merge_one(model, ids, &alive, best, places, new_keys);
        for (i = 0; i < 3; i++) {
            k0 = bpe_set4(k0, p0, places[i], new_keys[i]);
            k1 = bpe_set4(k1, p1, places[i], new_keys[i]);
            if (wide) {
                k2 = bpe_set4(k2, p2, places[i], new_keys[i]);
                k3 = bpe_set4(k3, p3, places[i], new_keys[i]);
            }
        }
    }
}
#endif

/* A heap of (rank << 32 | place), smallest first, in which every entry has four children: half as deep as with two, and the four are neighbours. */
static inline void bpe_sift_down(uint64_t *heap, size_t size, size_t at, uint64_t entry) {
    for (;;) {
        size_t child = 4 * at + 1, end = child + 4 < size ? child + 4 : size, least = child;
        if (child >= size) break;
        for (child++; child < end; child++)
            if (heap[child] < heap[least]) least = child;
        if (heap[least] >= entry) break;
        heap[at] = heap[least];
        at = least;
    }
    heap[at] = entry;
}

static inline void bpe_push(uint64_t *heap, size_t *size, uint64_t entry) {
    size_t at = (*size)++;
    while (at && heap[(at - 1) / 4] > entry) {
        heap[at] = heap[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    heap[at] = entry;
}

/* A symbol of a long word. */
typedef struct {
    uint32_t id, next, before; /* the places of its living neighbours; the last has the number of symbols as its next */
    int32_t rank;              /* of the pair that begins here */
} bpe_link_t;

/* The rank of the pair at `at`, told to the heap. */
static inline void bpe_offer(const bpe_model_t *model, bpe_link_t *links, uint64_t *heap, size_t *size, uint32_t at) {
    int32_t rank = bpe_rank(model, links[at].id, links[links[at].next].id);
    links[at].rank = rank;
    if (rank != BPE_NO_RANK) bpe_push(heap, size, (uint64_t)rank << 32 | at);
}

/* Merge any number of symbols, of which only the ids are given. */
static inline void bpe_merge_long(const bpe_model_t *model, bpe_link_t *links, uint64_t *heap, uint32_t n) {
    size_t size = 0, i;
    for (i = 0; i < n; i++) {
        links[i].next = (uint32_t)i + 1;
        links[i].before = (uint32_t)i - 1;
        links[i].rank = i + 1 < n ? bpe_rank(model, links[i].id, links[i + 1].id) : BPE_NO_RANK;
        if (links[i].rank != BPE_NO_RANK) heap[size++] = (uint64_t)links[i].rank << 32 | i;
    }
    for (i = size / 4 + 1; i-- > 0;)
        if (i < size) bpe_sift_down(heap, size, i, heap[i]);
    while (size) {
        uint32_t at = (uint32_t)heap[0], other;
        int32_t rank = (int32_t)(heap[0] >> 32);
        size--;
        if (size) bpe_sift_down(heap, size, 0, heap[size]);
        if (links[at].rank != rank) continue; /* one of the two has been merged since */
        other = links[at].next;
        links[at].id = bpe_joined(model, rank);
        links[at].next = links[other].next;
        links[other].rank = links[at].rank = BPE_NO_RANK;
        if (links[at].next < n) {
            links[links[at].next].before = at;
            bpe_offer(model, links, heap, &size, at);
        }
        if (at) bpe_offer(model, links, heap, &size, links[at].before);
    }
}

/* Very long words are merged rank by rank. For every rank there is a list of the places where a pair has, or had, this rank. That needs merges whose
 * symbols are used only by merges of higher rank (bpe_model_t.ordered): then a list is complete when its turn comes. A heap does not need that, but
 * reads memory all over the place. */
#define BPE_CHUNK 15
#define BPE_AHEAD 12 /* how far ahead memory is asked for */

typedef struct {
    uint32_t places[BPE_CHUNK]; /* a line of memory with `next`; filled from the last on */
    uint32_t next;              /* the chunk filled before, 0 at the end */
} bpe_chunk_t;

typedef struct {
    uint32_t *heads;     /* rank -> number of the chunk to be filled * 16 + places in it, 0 for none */
    bpe_chunk_t *chunks; /* from 1 on */
    uint32_t *places;    /* one list, in a row */
    uint32_t used;
} bpe_lists_t;

static inline void bpe_list(bpe_lists_t *lists, int32_t rank, uint32_t place) {
    uint32_t head;
    if (rank == BPE_NO_RANK) return;
    head = lists->heads[rank];
    if (!head || (head & 15) == BPE_CHUNK) {
        lists->chunks[++lists->used].next = head >> 4;
        head = lists->used << 4;
    }
    lists->chunks[head >> 4].places[BPE_CHUNK - 1 - (head & 15)] = place;
    lists->heads[rank] = head + 1;
}

static inline int bpe_ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Put the places of a list in a row; in order where one merge can take away the symbol of the next, as in aaaa. */
static inline size_t bpe_row(const bpe_lists_t *lists, int32_t rank, int in_order) {
    uint32_t *places = lists->places, at = lists->heads[rank] >> 4;
    size_t count = 0, i = BPE_CHUNK - (lists->heads[rank] & 15);
    int sorted = 1;
    for (; at; at = lists->chunks[at].next, i = 0)
        for (; i < BPE_CHUNK; i++, count++) {
            places[count] = lists->chunks[at].places[i];
            sorted &= !count || places[count - 1] < places[count];
        }
    if (in_order && !sorted) qsort(places, count, sizeof *places, bpe_ascending);
    return count;
}

static inline void bpe_merge_ranks(const bpe_model_t *model, bpe_link_t *links, bpe_lists_t *lists, uint32_t n) {
    int32_t rank;
    size_t i, count;
    lists->used = 0;
    memset(lists->heads, 0, model->merges * sizeof *lists->heads);
    for (i = n; i-- > 0;) {
        links[i].next = (uint32_t)i + 1;
        links[i].before = (uint32_t)i - 1;
        links[i].rank = i + 1 < n ? bpe_rank(model, links[i].id, links[i + 1].id) : BPE_NO_RANK;
        bpe_list(lists, links[i].rank, (uint32_t)i);
    }
    for (rank = 0; rank < (int32_t)model->merges; rank++) {
        if (!lists->heads[rank]) continue;
        count = bpe_row(lists, rank, model->twins[rank]);
        for (i = 0; i < count; i++) {
            uint32_t at = lists->places[i], other, before;
            if (i + BPE_AHEAD < count) BPE_PREFETCH(links + lists->places[i + BPE_AHEAD]);
            if (links[at].rank != rank) continue; /* one of the two has been merged since */
            other = links[at].next;
            before = links[at].before;
            links[at].id = bpe_joined(model, rank);
            links[at].next = links[other].next;
            links[other].rank = links[at].rank = BPE_NO_RANK;
            if (links[at].next < n) {
                links[links[at].next].before = at;
                links[at].rank = bpe_rank(model, links[at].id, links[links[at].next].id);
                bpe_list(lists, links[at].rank, at);
            }
            if (at) {
                links[before].rank = bpe_rank(model, links[before].id, links[at].id);
                bpe_list(lists, links[before].rank, before);
            }
        }
    }
}

/* The symbols of a word and the byte at which each begins. Give their number, at most length + 1. */
static inline size_t bpe_symbols(const bpe_model_t *model, const uint8_t *word, size_t length, bpe_link_t *links, uint32_t *begins) {
    size_t n = 0, at = 0, k;
    if (model->byte_level) {
        for (; at < length; at++) {
            links[at].id = model->byte_ids[word[at]];
            begins[at] = (uint32_t)at;
        }
        return length;
    }
    while (at < length) {
        pretok_char_t c = pretok_decode(word, length, at);
        uint32_t id = bpe_char_id(model, c.code, (at > 0) | (at + c.size == length) << 1);
        int bytes = id == BPE_GAP && model->byte_fallback;
        for (k = 0; bytes && k < c.size; k++) bytes = model->byte_ids[word[at + k]] != BPE_GAP;
        for (k = 0; k < (bytes ? c.size : 1); k++) {
            links[n].id = bytes ? model->byte_ids[word[at + k]] : id;
            begins[n++] = (uint32_t)(at + k);
        }
        at += c.size;
    }
    if (model->marker != BPE_GAP) {
        links[n].id = model->marker;
        begins[n++] = (uint32_t)length;
    }
    return n;
}

enum { BPE_DONE = 0, BPE_FULL = 1, BPE_UNKNOWN = 2, BPE_MEMORY = 3 };

/* Where the ids of a word go, and (unless NULL) the bytes where their pieces begin. */
typedef struct {
    int32_t *ids;
    size_t *begins;
    size_t count;
    size_t unknown_at; /* the first byte of the word without an id, when the result is BPE_UNKNOWN */
    int after_gap;
} bpe_pieces_t;

static inline int bpe_put(const bpe_model_t *model, bpe_pieces_t *pieces, uint32_t id, size_t begin) {
    if (id == BPE_GAP) {
        pieces->unknown_at = begin;
        if (model->unknown < 0) return BPE_UNKNOWN;
        if (pieces->after_gap && model->fuse_unknown) return BPE_DONE;
        id = (uint32_t)model->unknown;
        pieces->after_gap = 1;
    } else {
        pieces->after_gap = 0;
    }
    if (pieces->begins) pieces->begins[pieces->count] = begin;
    pieces->ids[pieces->count++] = (int32_t)id;
    return BPE_DONE;
}

/* The common case: a short word of bytes. */
static inline int bpe_encode_bytes(const bpe_model_t *model, const uint8_t *word, size_t length, bpe_pieces_t *pieces) {
    uint32_t ids[BPE_SHORT];
    int32_t keys[BPE_SHORT + 4];
    uint64_t alive;
    size_t i;
    for (i = 0; i < length; i++) ids[i] = model->byte_ids[word[i]];
    for (i = 0; i + 1 < length; i++) {
        int32_t rank = model->byte_ranks[(size_t)word[i] << 8 | word[i + 1]];
        keys[i] = rank == BPE_NO_RANK ? rank : rank << 6 | (int32_t)i;
    }
#if defined(__SSE2__)
    if (length <= 8) alive = bpe_merge_16(model, ids, keys, (int)length, 0);
    else if (length <= 16) alive = bpe_merge_16(model, ids, keys, (int)length, 1);
    else
#endif
    alive = bpe_merge_short(model, ids, keys, (int)length);
    for (; alive; alive &= alive - 1) {
        int at = bpe_lowest_bit(alive), status = bpe_put(model, pieces, ids[at], (size_t)at);
        if (status) return status;
    }
    return BPE_DONE;
}

static inline int bpe_encode_any(const bpe_model_t *model, bpe_room_t *room, const uint8_t *word, size_t length, bpe_pieces_t *pieces) {
    size_t most = length + 1, n, i;
    int by_rank = model->ordered && length > BPE_LONG && length < ((size_t)1 << 29) && length > model->merges / 16;
    size_t chunks = 3 * most / BPE_CHUNK + model->merges + 2; /* a symbol is listed once, and a merge lists two pairs */
    size_t queue = by_rank ? chunks * sizeof(bpe_chunk_t) + (3 * most + model->merges) * sizeof(uint32_t) : 2 * most * sizeof(uint64_t);
    bpe_link_t *links;
    uint32_t *begins;
    uint8_t *memory;
    int status;
    if (most >= UINT32_MAX) return BPE_MEMORY;
    memory = (uint8_t *)bpe_make_room(room, queue + most * (sizeof *links + sizeof *begins));
    if (!memory) return BPE_MEMORY;
    links = (bpe_link_t *)(memory + queue);
    begins = (uint32_t *)(links + most);
    n = bpe_symbols(model, word, length, links, begins);
    if (by_rank) {
        bpe_lists_t lists;
        lists.chunks = (bpe_chunk_t *)memory;
        lists.places = (uint32_t *)(lists.chunks + chunks);
        lists.heads = lists.places + 3 * most;
        bpe_merge_ranks(model, links, &lists, (uint32_t)n);
    } else {
        bpe_merge_long(model, links, (uint64_t *)memory, (uint32_t)n);
    }
    for (i = 0; i < n; i = links[i].next) {
        status = bpe_put(model, pieces, links[i].id, begins[i]);
        if (status) return status;
    }
    return BPE_DONE;
}

/* Encode one word, which is not empty, without the cache. There is room for length + 1 ids. */
static inline int bpe_encode_word(const bpe_model_t *model, bpe_room_t *room, const uint8_t *word, size_t length, bpe_pieces_t *pieces) {
    pieces->count = 0;
    pieces->after_gap = 0;
    if (model->whole_words) {
        uint32_t id = bpe_whole_id(model, word, length);
        if (id != BPE_GAP) return bpe_put(model, pieces, id, 0);
    }
    if (model->byte_level && length <= BPE_SHORT) return bpe_encode_bytes(model, word, length, pieces);
    return bpe_encode_any(model, room, word, length, pieces);
}

/* ------------------------------------------------------------------ the cache */

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

/* ------------------------------------------------------------------ texts */

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
            run->words[ready] = word;
            run->lengths[ready] = length;
            run->keys[ready] = bpe_key(word, length, scanner->length - starts[i]);
            BPE_PREFETCH(cache->slots + (run->keys[ready].hash >> cache->shift));
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
    for (; i < end; i++) {
        const bpe_slot_t *slot = bpe_find(cache, run->keys[i], run->words[i], run->lengths[i]);
        int32_t *out = run->out + run->count;
        if (!BPE_LIKELY(slot != NULL)) {
            int status = bpe_miss(run, model, cache, i);
            if (status) return status;
            continue;
        }
        /* What is copied beyond the word's ids the next word writes over. */
        if (BPE_LIKELY(slot->count <= 3))
            memcpy(out, (const uint8_t *)slot + offsetof(bpe_slot_t, ids), 16);
        else if (BPE_LIKELY(slot->count <= BPE_COPY))
            memcpy(out, cache->ids + slot->ids[0], BPE_COPY * sizeof *out);
        else
            memcpy(out, cache->ids + slot->ids[0], slot->count * sizeof *out);
        run->count += slot->count;
    }
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
