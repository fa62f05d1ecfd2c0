/* Byte-pair encoding in which chance leaves merges out (Provilkov et al. 2020). */
#ifndef TEXTPREP_BPE_DROPOUT_H
#define TEXTPREP_BPE_DROPOUT_H
#include "bpe_merge.h"

typedef struct {
    const bpe_model_t *model;
    double dropout;  /* the chance of each pair, at each merge, to be left out */
    uint64_t state;  /* of the random numbers */
} bpe_chance_t;

/* A number from 0 to 1 (Steele, Lea and Flood 2014). */
static inline double bpe_uniform(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) * (1.0 / 9007199254740992.0);
}

/* Merge as bpe_merge_long does. A pair that is left out stays aside until the next merge, which draws for all pairs anew; there is none when all
 * pairs are left out. */
static inline void bpe_merge_chance(bpe_chance_t *chance, bpe_link_t *links, uint64_t *heap, uint64_t *aside, uint32_t n) {
    const bpe_model_t *model = chance->model;
    size_t size = 0, waiting = 0, i;
    for (i = 0; i < n; i++) {
        links[i].next = (uint32_t)i + 1;
        links[i].before = (uint32_t)i - 1;
        links[i].rank = BPE_NO_RANK;
    }
    for (i = 0; i + 1 < n; i++) bpe_offer(model, links, heap, &size, (uint32_t)i);
    while (size) {
        uint64_t entry = heap[0];
        uint32_t at = (uint32_t)entry, other;
        int32_t rank = (int32_t)(entry >> 32);
        size--;
        if (size) bpe_sift_down(heap, size, 0, heap[size]);
        if (links[at].rank != rank) continue; /* one of the two has been merged since */
        if (bpe_uniform(&chance->state) < chance->dropout) {
            aside[waiting++] = entry;
            continue;
        }
        other = links[at].next;
        links[at].id = bpe_joined(model, rank);
        links[at].next = links[other].next;
        links[other].rank = links[at].rank = BPE_NO_RANK;
        if (links[at].next < n) {
            links[links[at].next].before = at;
            bpe_offer(model, links, heap, &size, at);
        }
        if (at) bpe_offer(model, links, heap, &size, links[at].before);
        while (waiting) bpe_push(heap, &size, aside[--waiting]);
    }
}

/* Encode one word, as word_runs.h asks for it. */
static inline int bpe_encode_chance(const void *tables, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces) {
    bpe_chance_t *chance = (bpe_chance_t *)tables;
    size_t most = length + 1, n, i;
    bpe_link_t *links;
    uint32_t *begins;
    uint64_t *heap;
    int status = WORD_DONE;
    pieces->count = 0;
    pieces->after_gap = 0;
    if (most >= UINT32_MAX) return WORD_MEMORY;
    heap = (uint64_t *)word_make_room(room, most * (6 * sizeof *heap + sizeof *links + sizeof *begins));
    if (!heap) return WORD_MEMORY;
    links = (bpe_link_t *)(heap + 6 * most);
    begins = (uint32_t *)(links + most);
    n = bpe_symbols(chance->model, word, length, links, begins);
    bpe_merge_chance(chance, links, heap, heap + 3 * most, (uint32_t)n);
    for (i = 0; i < n && !status; i = links[i].next) status = bpe_put(chance->model, pieces, links[i].id, begins[i]);
    if (pieces->begins && pieces->count) pieces->ends[pieces->count - 1] = length;
    return status;
}
#endif
