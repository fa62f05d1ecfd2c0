/* Words of the boundary scanner: their hash, and a short cut for most of them.
 *
 * Most tokens are a few ASCII characters. Sixty-four characters are looked at together, whatever the width of the text's storage, and the
 * eight bytes of a step of the hash are what was loaded.
 */
#ifndef TEXTPREP_BOUNDARY_WORDS_H
#define TEXTPREP_BOUNDARY_WORDS_H
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && defined(__x86_64__)
#include <emmintrin.h>
#define WORDS_SSE2
#endif
#include "scanner_kinds.h"

/* The first block of the tables is Latin-1, which is nearly all text: one look-up instead of two. */
static inline uint32_t char_kind(uint32_t code) { return code < 256 ? uc_kind_blocks[code] : uc_kind(code); }

static inline uint32_t lower_code(uint32_t code) {
    uint32_t difference = code < 256 ? uc_lower_difference_blocks[code] : uc_lower_difference(code);
    return (code + (uint32_t)(int32_t)(int16_t)difference) & 0x1FFFFF;
}

/* A hash takes sixteen characters at a time: their low bytes as two numbers, then, where there are any, their high bytes as two others. Two
   numbers are multiplied, and the halves of the product laid over each other. */
typedef struct {
    uint64_t value, low[2], high[2];
    uint32_t n;
} hash_t;

#define HASH_SEED 0xCBF29CE484222325ull
#define HASH_PRIME 0x9E3779B97F4A7C15ull

static inline uint64_t hash_fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), carry = a0 * b1 + (uint32_t)middle;
    return a * b ^ (a1 * b1 + (middle >> 32) + (carry >> 32));
#endif
}

static inline void hash_start(hash_t *h) {
    memset(h, 0, sizeof(hash_t));
    h->value = HASH_SEED;
}

static inline void hash_group(hash_t *h) {
    h->value = hash_fold(h->low[0] ^ h->value, h->low[1] ^ HASH_PRIME);
    if (h->high[0] | h->high[1]) h->value = hash_fold(h->high[0] ^ ~h->value, h->high[1] ^ HASH_PRIME);
    memset(h->low, 0, sizeof h->low);
    memset(h->high, 0, sizeof h->high);
}

static inline void hash_add(hash_t *h, uint32_t code) {
    const uint32_t half = h->n >> 3 & 1, shift = 8 * (h->n & 7);
    code = lower_code(code);
    h->low[half] |= (uint64_t)(code & 255) << shift;
    h->high[half] ^= (uint64_t)(code >> 8) << shift;
    if ((++h->n & 15) == 0) hash_group(h);
}

static inline uint64_t hash_finish(hash_t *h) {
    if (h->n & 15 || h->n == 0) hash_group(h);
    return h->value;
}

/* What lies ahead: so many characters, and what they are, one bit each. `chars` has them as bytes, 255 or 0 for any beyond Latin-1, and then
   so many more that 16 can be read from anywhere; beyond the end of the text it has newlines. */
#define VIEW 64
#define VIEW_READABLE (VIEW + 16)

typedef struct {
    const uint8_t *chars;
    uint64_t letters, capitals;           /* of ASCII */
    uint64_t blanks;                      /* blank and newline */
    uint64_t digits;                      /* these and the next by `look_closer` */
    uint64_t odd;                         /* beyond ASCII, other controls, and what makes a link */
    int is_close;                         /* whether it has been asked */
    uint8_t buffer[VIEW_READABLE];
} view_t;

#ifdef WORDS_SSE2
static inline uint64_t view_bits(__m128i matches, int i) { return (uint64_t)(uint32_t)_mm_movemask_epi8(matches) << i; }

static inline void view_masks(view_t *v) {
    v->letters = v->capitals = v->blanks = 0;
    v->is_close = 0;
    for (int i = 0; i < VIEW; i += 16) {
        const __m128i chars = _mm_loadu_si128((const __m128i *)(v->chars + i)), lower = _mm_or_si128(chars, _mm_set1_epi8(0x20));
        const __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)), _mm_cmpgt_epi8(_mm_set1_epi8('z' + 1), lower));
        const __m128i blanks = _mm_or_si128(_mm_cmpeq_epi8(chars, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(chars, _mm_set1_epi8(' ')));
        v->letters |= view_bits(letters, i);
        v->capitals |= view_bits(_mm_andnot_si128(_mm_slli_epi16(chars, 2), letters), i);     /* bit 5 tells the case, bit 7 is taken */
        v->blanks |= view_bits(blanks, i);
    }
}

/* Some words are not plain. */
static inline void look_closer(view_t *v) {
    if (v->is_close) return;
    v->is_close = 1;
    v->digits = v->odd = 0;
    for (int i = 0; i < VIEW; i += 16) {
        const __m128i chars = _mm_loadu_si128((const __m128i *)(v->chars + i));
        const __m128i digits = _mm_and_si128(_mm_cmpgt_epi8(chars, _mm_set1_epi8('0' - 1)), _mm_cmpgt_epi8(_mm_set1_epi8('9' + 1), chars));
        const __m128i controls = _mm_cmpgt_epi8(_mm_set1_epi8(' '), chars);      /* and 128 to 255, which are negative */
        const __m128i links = _mm_or_si128(_mm_cmpeq_epi8(chars, _mm_set1_epi8('@')), _mm_cmpeq_epi8(chars, _mm_set1_epi8('/')));
        v->digits |= view_bits(digits, i);
        v->odd |= view_bits(_mm_or_si128(controls, links), i);
    }
    v->odd &= ~v->blanks;
}

/* Wider characters are narrowed with saturation. */
static inline void narrow_2(const uint16_t *text, uint8_t *bytes) {
    for (int i = 0; i < VIEW_READABLE; i += 16) {
        const __m128i *p = (const __m128i *)(text + i);
        _mm_storeu_si128((__m128i *)(bytes + i), _mm_packus_epi16(_mm_loadu_si128(p), _mm_loadu_si128(p + 1)));
    }
}

static inline void narrow_4(const uint32_t *text, uint8_t *bytes) {
    for (int i = 0; i < VIEW_READABLE; i += 16) {
        const __m128i *p = (const __m128i *)(text + i);
        __m128i first = _mm_packs_epi32(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
        __m128i second = _mm_packs_epi32(_mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3));
        _mm_storeu_si128((__m128i *)(bytes + i), _mm_packus_epi16(first, second));
    }
}
#else
static inline void view_masks(view_t *v) {
    v->letters = v->capitals = v->blanks = v->digits = v->odd = 0;
    for (int i = 0; i < VIEW; i++) {
        const uint8_t c = v->chars[i], lower = c | 0x20;
        const uint64_t bit = (uint64_t)1 << i;
        if (lower >= 'a' && lower <= 'z') {
            v->letters |= bit;
            if (c != lower) v->capitals |= bit;
        } else if (c >= '0' && c <= '9') {
            v->digits |= bit;
        } else if (c == ' ' || c == '\n') {
            v->blanks |= bit;
        } else if (c < ' ' || c > 127 || c == '@' || c == '/') {
            v->odd |= bit;
        }
    }
}

static inline void look_closer(view_t *v) { (void)v; }

static inline void narrow_2(const uint16_t *text, uint8_t *bytes) {
    for (int i = 0; i < VIEW_READABLE; i++) bytes[i] = text[i] < 255 ? (uint8_t)text[i] : 255;
}

static inline void narrow_4(const uint32_t *text, uint8_t *bytes) {
    for (int i = 0; i < VIEW_READABLE; i++) bytes[i] = text[i] < 255 ? (uint8_t)text[i] : 255;
}
#endif

/* Look at the next `n` characters of a text; the few last ones of a text are copied. */
static inline void look_1(const uint8_t *text, int64_t n, view_t *v) {
    v->chars = text;
    if (n < VIEW_READABLE) {
        memset(v->buffer, '\n', VIEW_READABLE);
        memcpy(v->buffer, text, (size_t)n);
        v->chars = v->buffer;
    }
    view_masks(v);
}

#define LOOK(NAME, TYPE, NARROW)                                    \
    static inline void NAME(const TYPE *text, int64_t n, view_t *v) {   \
        TYPE last[VIEW_READABLE];                                   \
        if (n < VIEW_READABLE) {                                    \
            for (int i = 0; i < VIEW_READABLE; i++) last[i] = i < n ? text[i] : '\n'; \
            text = last;                                            \
        }                                                           \
        NARROW(text, v->buffer);                                    \
        v->chars = v->buffer;                                       \
        view_masks(v);                                              \
    }
LOOK(look_2, uint16_t, narrow_2)
LOOK(look_4, uint32_t, narrow_4)

static inline int lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int n = 0;
    while (!(bits & 1)) { bits >>= 1; n++; }
    return n;
#endif
}

/* Place of the highest of some bits. */
static inline int highest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return 63 - __builtin_clzll(bits);
#else
    int n = 0;
    while (bits >>= 1) n++;
    return n;
#endif
}

#define FIRST_BYTES(n) (((uint64_t)1 << 8 * (n)) - 1)
/* Masks of the first n of eight bytes at index 8 + n, for n from -8 to 16: the lengths of words are hard to predict. */
static const uint64_t first_bytes[25] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, FIRST_BYTES(1), FIRST_BYTES(2), FIRST_BYTES(3), FIRST_BYTES(4), FIRST_BYTES(5), FIRST_BYTES(6), FIRST_BYTES(7),
    ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0
};

/* Eight characters in lower case as a number; letters, digits and the usual marks inside words, where bit 5 tells the case or is set. */
static inline uint64_t lower_bytes(const uint8_t *chars) {
    uint64_t value;
    memcpy(&value, chars, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value | 0x2020202020202020ull;
}

/* The hash of at most 16 such characters. */
static inline uint64_t hash_chars(const uint8_t *chars, int64_t n) {
    return hash_fold((lower_bytes(chars) & first_bytes[8 + n]) ^ HASH_SEED, (lower_bytes(chars + 8) & first_bytes[n]) ^ HASH_PRIME);
}
#endif
