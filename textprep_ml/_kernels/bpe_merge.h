/* Byte-pair encoding of one word.
 *
 * A word is a run of bytes. Its symbols are bytes or characters (bpe_model_t.byte_level). The pair of neighbours with the lowest rank is
 * merged, the leftmost of equal ones, until no pair has a rank. A byte or character without an id is a gap, which merges with nothing.
 * There are three ways to that: short words in an array (in registers, where SSE2 is), long ones with a heap, very long ones rank by rank.
 */
#ifndef TEXTPREP_BPE_MERGE_H
#define TEXTPREP_BPE_MERGE_H
#include "bpe_model.h"

#define BPE_SHORT 64  /* symbols of a word that is merged without a heap */
#define BPE_LONG 2048 /* bytes of a word that may be merged rank by rank */

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
    other = word_lowest_bit(right);
    ids[at] = bpe_joined(model, best >> 6);
    *alive ^= (uint64_t)1 << other;
    right &= right - 1;
    left = *alive & (((uint64_t)1 << at) - 1);
    /* Where there is no neighbour, the symbol itself stands in for it, and what is found is dropped. */
    after = right ? word_lowest_bit(right) : at;
    before = left ? word_highest_bit(left) : at;
    left_key = bpe_pair_key(ids[before], ids[at]);
    right_key = bpe_pair_key(ids[at], ids[after]);
    left_at = bpe_mix(left_key) & model->pairs_mask;
    right_at = bpe_mix(right_key) & model->pairs_mask;
    left_entry = model->pairs[left_at];
    right_entry = model->pairs[right_at];
    left_rank = bpe_entry_rank(left_entry, left_key);
    right_rank = bpe_entry_rank(right_entry, right_key);
    if (!WORD_LIKELY(!((left_entry | right_entry) & BPE_GOES_ON))) {
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
    const __m128i p0 = _mm_setr_epi32(0, 1, 2, 3), p1 = _mm_setr_epi32(4, 5, 6, 7);
    const __m128i p2 = _mm_setr_epi32(8, 9, 10, 11), p3 = _mm_setr_epi32(12, 13, 14, 15);
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
            if (i + BPE_AHEAD < count) WORD_PREFETCH(links + lists->places[i + BPE_AHEAD]);
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

static inline int bpe_put(const bpe_model_t *model, word_pieces_t *pieces, uint32_t id, size_t begin) {
    if (id == BPE_GAP) {
        pieces->unknown_at = begin;
        if (model->unknown < 0) return WORD_UNKNOWN;
        if (pieces->after_gap && model->fuse_unknown) return WORD_DONE;
        id = (uint32_t)model->unknown;
        pieces->after_gap = 1;
    } else {
        pieces->after_gap = 0;
    }
    if (pieces->begins) {
        pieces->begins[pieces->count] = begin;
        if (pieces->count) pieces->ends[pieces->count - 1] = begin;
    }
    pieces->ids[pieces->count++] = (int32_t)id;
    return WORD_DONE;
}

/* The common case: a short word of bytes. */
static inline int bpe_encode_bytes(const bpe_model_t *model, const uint8_t *word, size_t length, word_pieces_t *pieces) {
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
        int at = word_lowest_bit(alive), status = bpe_put(model, pieces, ids[at], (size_t)at);
        if (status) return status;
    }
    return WORD_DONE;
}

static inline int bpe_encode_any(const bpe_model_t *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces) {
    size_t most = length + 1, n, i;
    int by_rank = model->ordered && length > BPE_LONG && length < ((size_t)1 << 29) && length > model->merges / 16;
    size_t chunks = 3 * most / BPE_CHUNK + model->merges + 2; /* a symbol is listed once, and a merge lists two pairs */
    size_t queue = by_rank ? chunks * sizeof(bpe_chunk_t) + (3 * most + model->merges) * sizeof(uint32_t) : 2 * most * sizeof(uint64_t);
    bpe_link_t *links;
    uint32_t *begins;
    uint8_t *memory;
    int status;
    if (most >= UINT32_MAX) return WORD_MEMORY;
    memory = (uint8_t *)word_make_room(room, queue + most * (sizeof *links + sizeof *begins));
    if (!memory) return WORD_MEMORY;
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
    return WORD_DONE;
}

/* Encode one word, as word_runs.h asks for it. */
static inline int bpe_encode_word(const void *tables, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces) {
    const bpe_model_t *model = (const bpe_model_t *)tables;
    uint32_t whole = model->whole_words ? bpe_whole_id(model, word, length) : BPE_GAP;
    int status;
    pieces->count = 0;
    pieces->after_gap = 0;
    if (whole != BPE_GAP) status = bpe_put(model, pieces, whole, 0);
    else if (model->byte_level && length <= BPE_SHORT) status = bpe_encode_bytes(model, word, length, pieces);
    else status = bpe_encode_any(model, room, word, length, pieces);
    if (pieces->begins && pieces->count) pieces->ends[pieces->count - 1] = length;
    return status;
}
#endif
