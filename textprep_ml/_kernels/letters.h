/* Which bytes of UTF-8 text belong to a word of letters, 64 at a time as bits of one integer. */
#ifndef TEXTPREP_LETTERS_H
#define TEXTPREP_LETTERS_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "unicode_classes.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline int is_ascii_letter(uint8_t c) { return (uint8_t)((c | 32u) - 'a') < 26u; }

/* Bits of the ASCII letters among 64 readable bytes; `high` gets the bits of the bytes above 127. */
static inline uint64_t ascii_letters(const uint8_t *p, uint64_t *high) {
    uint64_t bits = 0, above = 0;
#if defined(__SSE2__)
    const __m128i lower = _mm_set1_epi8(32), first = _mm_set1_epi8('a' - 1), last = _mm_set1_epi8('z' + 1);
    for (int k = 0; k < 4; k++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * k));
        __m128i w = _mm_or_si128(v, lower); /* bytes above 127 are negative and so never between a and z */
        __m128i in = _mm_and_si128(_mm_cmpgt_epi8(w, first), _mm_cmplt_epi8(w, last));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(in) << (16 * k);
        above |= (uint64_t)(uint32_t)_mm_movemask_epi8(v) << (16 * k);
    }
#else
    for (int k = 0; k < 64; k++) {
        bits |= (uint64_t)is_ascii_letter(p[k]) << k;
        above |= (uint64_t)(p[k] >> 7) << k;
    }
#endif
    *high = above;
    return bits;
}

/* Length of the well-formed UTF-8 sequence at `p` (at most `n` bytes may be read) and its code point; 0 where it is not well formed. */
static inline int decode_utf8(const uint8_t *p, ptrdiff_t n, uint32_t *code) {
    uint8_t c = p[0];
    int length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    uint32_t value;
    if (c < 0x80) { *code = c; return 1; }
    if (c < 0xC2 || c > 0xF4 || n < length) return 0;
    value = c & (0xFFu >> (length + 1));
    for (int k = 1; k < length; k++) {
        if ((p[k] & 0xC0) != 0x80) return 0;
        value = value << 6 | (p[k] & 0x3F);
    }
    if ((length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) || (length == 4 && (value < 0x10000 || value > 0x10FFFF))) return 0;
    *code = value;
    return length;
}

/* Add the bits of the letters and marks beyond ASCII to `masks`, which holds the ASCII letters of `n` bytes. */
static void add_unicode_letters(const uint8_t *p, ptrdiff_t n, uint64_t *masks, const uint64_t *highs) {
    ptrdiff_t i = 0;
    uint32_t code;
    while (i < n) {
        uint64_t rest = highs[i >> 6] >> (i & 63);
        int length;
        if (!rest) { i = (i | 63) + 1; continue; }
        while (!(rest & 1)) { rest >>= 1; i++; }
        length = decode_utf8(p + i, n - i, &code);
        if (length && uc_class(code) & (UC_LETTER | UC_MARK))
            for (int k = 0; k < length; k++) masks[(i + k) >> 6] |= (uint64_t)1 << ((i + k) & 63);
        i += length ? length : 1;
    }
}

static inline int lowest_bit(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    int k = 0;
    while (!(bits & 1)) { bits >>= 1; k++; }
    return k;
#endif
}

#define ONES(n) (((uint64_t)1 << (8 * (n))) - 1)
static const uint64_t low_bytes[17] = {
    0, ONES(1), ONES(2), ONES(3), ONES(4), ONES(5), ONES(6), ONES(7), ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0,
    ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0,
};
static const uint64_t high_bytes[17] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, ONES(1), ONES(2), ONES(3), ONES(4), ONES(5), ONES(6), ONES(7), ~(uint64_t)0,
};

/* The at most 16 bytes of a word, zeros behind its end, as two integers; `readable` says that 16 bytes may be read. */
static inline void load_word(const uint8_t *p, ptrdiff_t length, int readable, uint64_t *low, uint64_t *high) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (readable) { /* masks out of a table: the lengths of words are hard to predict */
        memcpy(low, p, 8);
        memcpy(high, p + 8, 8);
        *low &= low_bytes[length];
        *high &= high_bytes[length];
        return;
    }
#endif
    *low = *high = 0;
    memcpy(low, p, length < 8 ? length : 8);
    if (length > 8) memcpy(high, p + 8, length - 8);
}

/* A..Z to a..z in eight bytes at once; other bytes, UTF-8 included, stay. */
static inline uint64_t lower_eight(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u, low7 = word & (0x7F * ones);
    uint64_t from_a = low7 + (0x80 - 'A') * ones, above_z = low7 + (0x80 - 'Z' - 1) * ones;
    return word | (((from_a & ~above_z & ~word) & (0x80 * ones)) >> 2);
}

/* An entry to be sorted: its first eight bytes as one big-endian number decide most comparisons. */
typedef struct {
    uint64_t prefix;
    const uint8_t *word;
    uint64_t count;
    uint32_t length;
} CountedWord;

static inline uint64_t big_endian_prefix(const uint8_t *word, uint32_t length) {
    uint64_t value = 0;
    for (uint32_t k = 0; k < 8; k++) value = value << 8 | (k < length ? word[k] : 0);
    return value;
}

static int compare_words(const void *a, const void *b) {
    const CountedWord *x = (const CountedWord *)a, *y = (const CountedWord *)b;
    if (x->prefix != y->prefix) return x->prefix < y->prefix ? -1 : 1;
    {
        int order = memcmp(x->word, y->word, x->length < y->length ? x->length : y->length);
        return order ? order : (x->length > y->length) - (x->length < y->length);
    }
}

static int compare_counts(const void *a, const void *b) {
    const CountedWord *x = (const CountedWord *)a, *y = (const CountedWord *)b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return -compare_words(a, b);
}

/* Sort by word, or by count and word, both descending. By word, the first two bytes make buckets that are sorted one by one: most of the
   comparisons of a large sort are never made. */
static void sort_words(CountedWord *words, ptrdiff_t n, int by_count) {
    enum { BUCKETS = 1 << 16 };
    ptrdiff_t *ends;
    CountedWord *copy;
    if (by_count || n < 4096) {
        qsort(words, (size_t)n, sizeof *words, by_count ? compare_counts : compare_words);
        return;
    }
    ends = (ptrdiff_t *)calloc(BUCKETS + 1, sizeof *ends);
    copy = (CountedWord *)malloc((size_t)n * sizeof *copy);
    if (!ends || !copy) {
        qsort(words, (size_t)n, sizeof *words, compare_words);
    } else {
        memcpy(copy, words, (size_t)n * sizeof *copy);
        for (ptrdiff_t k = 0; k < n; k++) ends[(words[k].prefix >> 48) + 1]++;
        for (ptrdiff_t b = 0; b < BUCKETS; b++) ends[b + 1] += ends[b];
        for (ptrdiff_t k = 0; k < n; k++) words[ends[copy[k].prefix >> 48]++] = copy[k];
        for (ptrdiff_t b = 0, start = 0; b < BUCKETS; start = ends[b++])
            if (ends[b] - start > 1) qsort(words + start, (size_t)(ends[b] - start), sizeof *words, compare_words);
    }
    free(ends);
    free(copy);
}
#endif
