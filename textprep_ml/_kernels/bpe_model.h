/* The merges and symbols of a byte-pair encoder as tables to look up in, read only once they are built. */
#ifndef TEXTPREP_BPE_MODEL_H
#define TEXTPREP_BPE_MODEL_H
#include "word_runs.h"

#define BPE_ID_BITS 20
#define BPE_RANK_BITS 22
#define BPE_GAP 0xFFFFEu /* the id of what has none */
#define BPE_NO_RANK 0x7FFFFFFF
#define BPE_EMPTY (~(uint64_t)0)

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
    return WORD_LIKELY(rank != BPE_NO_RANK || !(entry & BPE_GOES_ON)) ? rank : bpe_rank_behind(model, key, at);
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
    return WORD_LIKELY(model->shift >= 0) ? (uint32_t)(rank + model->shift) : (uint32_t)model->joined[rank];
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

static inline uint64_t bpe_hash(const uint8_t *bytes, size_t length) {
    uint8_t padded[16] = {0};
    if (length > 8) return bpe_mix(word_hash(bytes, length));
    memcpy(padded, bytes, length);
    return bpe_mix(word_load(padded) ^ length);
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
#endif
