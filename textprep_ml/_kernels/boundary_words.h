/* Words of the boundary scanner: their hash, and a short cut for the plain ones.
 *
 * Most tokens are up to 15 ASCII letters. Sixteen characters are looked at together, whatever the width of the text's storage, and the eight
 * bytes of a step of the hash are what was loaded.
 */
#ifndef TEXTPREP_BOUNDARY_WORDS_H
#define TEXTPREP_BOUNDARY_WORDS_H
#include <stdint.h>
#if defined(__SSE2__) && defined(__x86_64__)
#include <emmintrin.h>
#define WORDS_SSE2
#endif
#include "scanner_kinds.h"
#define LETTERS_AT_ONCE 16

/* The first block of the tables is Latin-1, which is nearly all text: one look-up instead of two. */
static inline uint32_t char_kind(uint32_t code) { return code < 256 ? uc_kind_blocks[code] : uc_kind(code); }

static inline uint32_t lower_code(uint32_t code) {
    uint32_t difference = code < 256 ? uc_lower_difference_blocks[code] : uc_lower_difference(code);
    return (code + (uint32_t)(int32_t)(int16_t)difference) & 0x1FFFFF;
}

/* A hash takes eight characters at a time: their low bytes as one number, then, where there are any, their high bytes as another. */
typedef struct {
    uint64_t value, low, high;
    int shift;
} hash_t;

static inline uint64_t hash_step(uint64_t value, uint64_t part) {
    value = (value ^ part) * 0x9E3779B97F4A7C15ull;
    return value ^ (value >> 32);
}

static inline void hash_start(hash_t *h) {
    h->value = 0xCBF29CE484222325ull;
    h->low = h->high = 0;
    h->shift = 0;
}

static inline void hash_group(hash_t *h) {
    h->value = hash_step(h->value, h->low);
    if (h->high) h->value = hash_step(~h->value, h->high);
    h->low = h->high = 0;
    h->shift = 0;
}

static inline void hash_add(hash_t *h, uint32_t code) {
    code = lower_code(code);
    h->low |= (uint64_t)(code & 255) << h->shift;
    h->high ^= (uint64_t)(code >> 8) << h->shift;
    h->shift += 8;
    if (h->shift == 64) hash_group(h);
}

static inline uint64_t hash_mix(uint64_t value) {
    value = hash_step(value, 0);
    return value ^ (value >> 29);
}

static inline uint64_t hash_finish(hash_t *h) {
    if (h->shift) hash_group(h);
    return hash_mix(h->value);
}

/* The ASCII letters at one place. */
typedef struct {
    uint64_t low, high;   /* in lower case, one byte each */
    uint32_t upper;       /* a bit for each capital */
    int length;           /* 16 if there may be more */
} letters_t;

#ifdef WORDS_SSE2
static inline void letters_of(__m128i chars, letters_t *l) {
    __m128i lower = _mm_or_si128(chars, _mm_set1_epi8(0x20));
    __m128i is_letter = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(lower, _mm_set1_epi8('z' + 1)));
    uint32_t others = ~(uint32_t)_mm_movemask_epi8(is_letter);
    l->length = __builtin_ctz(others);
    /* Bit 5 tells the case; bit 7 is what movemask takes. */
    l->upper = ~(uint32_t)_mm_movemask_epi8(_mm_slli_epi16(chars, 2)) & ((1u << l->length) - 1);
    uint64_t low = (uint64_t)_mm_cvtsi128_si64(lower), high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(lower, lower));
    l->low = l->length < 8 ? low & (((uint64_t)1 << 8 * l->length) - 1) : low;
    l->high = l->length <= 8 ? 0 : l->length < 16 ? high & (((uint64_t)1 << 8 * (l->length - 8)) - 1) : high;
}

static inline void read_letters_1(const uint8_t *text, letters_t *l) { letters_of(_mm_loadu_si128((const __m128i *)text), l); }

/* Wider characters are narrowed with saturation: what is beyond 255 becomes 0 or 255, which are no letters. */
static inline void read_letters_2(const uint16_t *text, letters_t *l) {
    const __m128i *p = (const __m128i *)text;
    letters_of(_mm_packus_epi16(_mm_loadu_si128(p), _mm_loadu_si128(p + 1)), l);
}

static inline void read_letters_4(const uint32_t *text, letters_t *l) {
    const __m128i *p = (const __m128i *)text;
    __m128i first = _mm_packs_epi32(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
    __m128i second = _mm_packs_epi32(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));
    letters_of(_mm_packus_epi16(first, second), l);
}
#else
#define READ_LETTERS(NAME, TYPE)                                                  \
    static inline void NAME(const TYPE *text, letters_t *l) {                     \
        int i;                                                                    \
        l->low = l->high = 0;                                                     \
        l->upper = 0;                                                             \
        for (i = 0; i < LETTERS_AT_ONCE; i++) {                                   \
            uint32_t code = text[i], lower = code | 0x20;                         \
            if (lower < 'a' || lower > 'z') break;                                \
            if (code != lower) l->upper |= 1u << i;                               \
            if (i < 8) l->low |= (uint64_t)lower << 8 * i;                        \
            else l->high |= (uint64_t)lower << 8 * (i - 8);                       \
        }                                                                         \
        l->length = i;                                                            \
    }
READ_LETTERS(read_letters_1, uint8_t)
READ_LETTERS(read_letters_2, uint16_t)
READ_LETTERS(read_letters_4, uint32_t)
#endif

/* The same hash as that of the letters one by one. */
static inline uint64_t hash_letters(const letters_t *l) {
    uint64_t value = hash_step(0xCBF29CE484222325ull, l->low);
    if (l->length > 8) value = hash_step(value, l->high);
    return hash_mix(value);
}
#endif
