/* Pre-tokenizers over UTF-8: where the words of byte-pair encoding begin and end.
 *
 * The schemes give exactly the matches of these regular expressions (the classes are those of unicode_classes.h):
 *
 *   gpt2    '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *   llama3  (?i:'(?:[sdmt]|ll|ve|re))|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *   qwen2   llama3 with \p{N} in place of \p{N}{1,3}
 *   cl100k  llama3, but white space at the end of the text is one token (\s+\Z before \s*[\r\n]+)
 *   o200k   [^\r\n\p{L}\p{N}]?U*W+C?|[^\r\n\p{L}\p{N}]?U+W*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *           with U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], W = [\p{Ll}\p{Lm}\p{Lo}\p{M}], C = (?i:'(?:[sdmt]|ll|ve|re))
 *   script  gpt2 with marks counted to letters, where in place of one kind of letters there are several:
 *           Han with Bopomofo, Hiragana, Katakana (both with the long-vowel mark), Hangul, Thai, Lao, Khmer, Myanmar, and all others
 *   blank   [^\s]+, the white space between words belongs to none
 *   bert    B|[^\sB]+, where B is a mark of punctuation or an ideograph; control characters, which BERT drops, are no white space (\v, \f, U+0085),
 *           and the classes are those of bert_tables.h
 *   bert-joined  the same with ideographs inside words
 *   none    the whole text is one word
 *
 * Bytes that are no UTF-8 count as one character each, of no class; so do surrogates in their three-byte form.
 * All but `blank`, `bert` and `bert-joined` cover the text without gaps. Time is linear in the text.
 *
 * There are two ways to the same words. The plain scanner goes from character to character. Where SSE2 is, the block scanner turns 64 bytes
 * at a time into bit masks, one bit per byte, and finds all beginnings of words in them by shifts, ands and ors (gpt2, cl100k, llama3, qwen2, bert).
 */
#ifndef TEXTPREP_PRETOKENIZE_H
#define TEXTPREP_PRETOKENIZE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "bert_tables.h"
#include "unicode_classes.h"
#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#define PRETOK_BLOCKS 1
#else
#define PRETOK_BLOCKS 0
#endif

enum {
    PRETOK_NONE = 0,
    PRETOK_BLANK = 1,
    PRETOK_GPT2 = 2,
    PRETOK_CL100K = 3,
    PRETOK_LLAMA3 = 4,
    PRETOK_QWEN2 = 5,
    PRETOK_O200K = 6,
    PRETOK_SCRIPT = 7,
    PRETOK_BERT = 8,
    PRETOK_BERT_JOINED = 9,
    PRETOK_SCHEMES = 10
};

/* What the block scanner hands on from one block to the next. A mask here has at most its lowest bit set, unless said otherwise. */
typedef struct {
    uint64_t letter, number, space, blank, newline, other; /* the class of the last byte */
    uint64_t lone;       /* the last byte ends a character that may be the first of a word of letters */
    uint64_t eaten;      /* the last byte is a newline that belongs to the marks before it */
    uint64_t set, clear; /* beginnings of words in the next block that a contraction makes and unmakes: any of the lowest bits */
    size_t digits;       /* characters of the open number since its last cut */
    size_t rest;         /* bytes of the next block that belong to the last character */
    uint32_t bits;       /* and its class */
} pretok_carry_t;

typedef struct {
    const uint8_t *text;
    size_t length;
    size_t position; /* where the next word begins */
    int scheme;
    size_t block;     /* where the block last looked at begins */
    uint64_t pending; /* where words have gaps between them, their beginnings in it that are not yet told */
    uint64_t closing; /* and their ends */
    int open;         /* the beginning of a word was told and its end was not */
    pretok_carry_t carry;
} pretok_t;

/* A character: its class bits, its code point and its number of bytes. */
typedef struct {
    uint32_t bits;
    uint32_t code;
    size_t size;
} pretok_char_t;

#define PRETOK_INVALID 0x110000u

/* Decode the character at `at`, which is inside the text. */
static inline pretok_char_t pretok_decode(const uint8_t *text, size_t length, size_t at) {
    const uint8_t *p = text + at;
    size_t left = length - at;
    pretok_char_t invalid = {0, PRETOK_INVALID, 1};
    pretok_char_t c;
    uint32_t lead = p[0];
    if (lead < 0x80) {
        c.code = lead;
        c.size = 1;
    } else if (lead < 0xC2) {
        return invalid;
    } else if (lead < 0xE0) {
        if (left < 2 || (p[1] & 0xC0) != 0x80) return invalid;
        c.code = (lead & 0x1F) << 6 | (p[1] & 0x3F);
        c.size = 2;
    } else if (lead < 0xF0) {
        if (left < 3 || (p[1] & 0xC0) != 0x80 || (p[2] & 0xC0) != 0x80) return invalid;
        c.code = (lead & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        c.size = 3;
        if (c.code < 0x800) return invalid;
    } else {
        if (lead > 0xF4 || left < 4 || (p[1] & 0xC0) != 0x80 || (p[2] & 0xC0) != 0x80 || (p[3] & 0xC0) != 0x80)
            return invalid;
        c.code = (lead & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
        c.size = 4;
        if (c.code < 0x10000 || c.code > 0x10FFFF) return invalid;
    }
    c.bits = uc_class(c.code);
    return c;
}

/* The end of the longest run of characters from `at` with (bits & mask) != 0, or == 0 when `want` is 0; at most `limit` characters. */
static inline size_t pretok_run(const uint8_t *text, size_t length, size_t at, uint32_t mask, int want, size_t limit) {
    while (at < length && limit--) {
        pretok_char_t c = pretok_decode(text, length, at);
        if (((c.bits & mask) != 0) != want) break;
        at += c.size;
    }
    return at;
}

#define PRETOK_ALL ((size_t)-1)

/* The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at `at`, or 0; `fold` ignores case, for the long s (U+017F) too. */
static inline size_t pretok_contraction(const uint8_t *text, size_t length, size_t at, int fold) {
    size_t left = length - at;
    uint8_t lower = fold ? 0x20 : 0, first, second;
    if (left < 2 || text[at] != '\'') return 0;
    if (fold && left > 2 && text[at + 1] == 0xC5 && text[at + 2] == 0xBF) return 3;
    first = text[at + 1];
    if (first >= 0x80) return 0;
    first |= lower;
    if (first == 's' || first == 'd' || first == 'm' || first == 't') return 2;
    if (left < 3) return 0;
    second = text[at + 2];
    if (second >= 0x80) return 0;
    second |= lower;
    if ((first == 'l' && second == 'l') || (first == 'v' && second == 'e') || (first == 'r' && second == 'e')) return 3;
    return 0;
}

static inline int pretok_is_newline(uint8_t byte) {
    return byte == '\n' || byte == '\r';
}

/* White space from `at` on, where `first` is its first character: \s*[\r\n]+ (when `lines`), \s+(?!\S), \s+. */
static inline size_t pretok_spaces(const uint8_t *text, size_t length, size_t at, int lines, int last_whole) {
    size_t end = at, last = at, newline = 0;
    while (end < length) {
        pretok_char_t c = pretok_decode(text, length, end);
        if (!(c.bits & UC_SPACE)) break;
        last = end;
        end += c.size;
        if (pretok_is_newline(text[last])) newline = end;
    }
    if (end == length && (last_whole || !lines)) return end;
    if (lines && newline) return newline;
    if (end == length || last == at) return end;
    return last;
}

#define PRETOK_WORDLIKE (UC_LETTER | UC_NUMBER | UC_SPACE)

static inline size_t pretok_next_gpt2(const uint8_t *text, size_t length, size_t at) {
    pretok_char_t c = pretok_decode(text, length, at);
    size_t end = at;
    if (c.code == '\'') {
        size_t size = pretok_contraction(text, length, at, 0);
        if (size) return at + size;
    }
    if (c.code == ' ' && at + 1 < length) {
        end = at + 1;
        c = pretok_decode(text, length, end);
    }
    if (c.bits & UC_LETTER) return pretok_run(text, length, end, UC_LETTER, 1, PRETOK_ALL);
    if (c.bits & UC_NUMBER) return pretok_run(text, length, end, UC_NUMBER, 1, PRETOK_ALL);
    if (!(c.bits & UC_SPACE)) return pretok_run(text, length, end, PRETOK_WORDLIKE, 0, PRETOK_ALL);
    return pretok_spaces(text, length, at, 0, 0);
}

static inline size_t pretok_next_cl100k(const uint8_t *text, size_t length, size_t at, size_t digits, int last_whole) {
    pretok_char_t c = pretok_decode(text, length, at), next = {0, PRETOK_INVALID, 0};
    size_t end = at + c.size;
    if (c.code == '\'') {
        size_t size = pretok_contraction(text, length, at, 1);
        if (size) return at + size;
    }
    if (c.bits & UC_LETTER) return pretok_run(text, length, end, UC_LETTER, 1, PRETOK_ALL);
    if (c.bits & UC_NUMBER) return pretok_run(text, length, end, UC_NUMBER, 1, digits - 1);
    if (end < length) next = pretok_decode(text, length, end);
    if ((next.bits & UC_LETTER) && !pretok_is_newline(text[at])) return pretok_run(text, length, end, UC_LETTER, 1, PRETOK_ALL);
    if (!(c.bits & UC_SPACE) || (c.code == ' ' && next.size && !(next.bits & PRETOK_WORDLIKE))) {
        end = pretok_run(text, length, end, PRETOK_WORDLIKE, 0, PRETOK_ALL);
        while (end < length && pretok_is_newline(text[end])) end++;
        return end;
    }
    return pretok_spaces(text, length, at, 1, last_whole);
}

/* The end of U*W+C?|U+W*C? from `at`, or `at`. Marks and letters without case belong to U and to W. */
static inline size_t pretok_cased(const uint8_t *text, size_t length, size_t at) {
    size_t end = at, both = at;
    while (end < length) {
        pretok_char_t c = pretok_decode(text, length, end);
        if (!(c.bits & (UC_LETTER | UC_MARK)) || (c.bits & UC_LOWER)) break;
        end += c.size;
        if (!(c.bits & (UC_UPPER | UC_TITLE))) both = end;
    }
    if (end < length && (pretok_decode(text, length, end).bits & UC_LOWER)) {
        while (end < length) {
            pretok_char_t c = pretok_decode(text, length, end);
            if (!(c.bits & (UC_LETTER | UC_MARK)) || (c.bits & (UC_UPPER | UC_TITLE))) break;
            end += c.size;
        }
    } else if (both > at) {
        end = both;
    }
    if (end > at && end < length) end += pretok_contraction(text, length, end, 1);
    return end;
}

static inline size_t pretok_next_o200k(const uint8_t *text, size_t length, size_t at) {
    pretok_char_t c = pretok_decode(text, length, at), next = {0, PRETOK_INVALID, 0};
    size_t first = at + c.size, end;
    if (!(c.bits & (UC_LETTER | UC_NUMBER | UC_MARK)) && !pretok_is_newline(text[at])) {
        end = pretok_cased(text, length, first);
        if (end > first) return end;
    }
    end = pretok_cased(text, length, at);
    if (end > at) return end;
    if (c.bits & UC_NUMBER) return pretok_run(text, length, at, UC_NUMBER, 1, 3);
    if (first < length) next = pretok_decode(text, length, first);
    if (!(c.bits & UC_SPACE) || (c.code == ' ' && next.size && !(next.bits & PRETOK_WORDLIKE))) {
        end = pretok_run(text, length, first, PRETOK_WORDLIKE, 0, PRETOK_ALL);
        while (end < length && (pretok_is_newline(text[end]) || text[end] == '/')) end++;
        return end;
    }
    return pretok_spaces(text, length, at, 1, 0);
}

enum {
    KIND_OTHER, KIND_SPACE, KIND_NUMBER, KIND_LETTER, KIND_HAN, KIND_HIRAGANA, KIND_KATAKANA, KIND_HANGUL, KIND_THAI, KIND_LAO, KIND_KHMER,
    KIND_MYANMAR
};

static inline int pretok_kana(uint32_t code) {
    if (code == 0x30FC || code == 0xFF70) return KIND_KATAKANA;
    if ((code >= 0x3041 && code <= 0x309F) || (code >= 0x1B001 && code <= 0x1B11F) || code == 0x1B132 ||
        (code >= 0x1B150 && code <= 0x1B152) || code == 0x1F200)
        return KIND_HIRAGANA;
    if ((code >= 0x30A1 && code <= 0x31FF && !(code >= 0x3100 && code < 0x31F0)) || (code >= 0x32D0 && code <= 0x3357) ||
        (code >= 0xFF66 && code <= 0xFF9D) || (code >= 0x1AFF0 && code <= 0x1B16F))
        return KIND_KATAKANA;
    return KIND_HAN;
}

static inline int pretok_kind(pretok_char_t c) {
    if (c.code == 0x30FC || c.code == 0xFF70) return KIND_KATAKANA;
    if (c.bits & UC_IDEOGRAPH) return pretok_kana(c.code);
    if (c.bits & UC_UNSPACED) {
        if (c.code < 0x0E80) return KIND_THAI;
        if (c.code < 0x0F00) return KIND_LAO;
        return (c.code >= 0x1780 && c.code < 0x1A00) ? KIND_KHMER : KIND_MYANMAR;
    }
    if (c.bits & UC_HANGUL) return KIND_HANGUL;
    if (c.bits & (UC_LETTER | UC_MARK)) return KIND_LETTER;
    if (c.bits & UC_NUMBER) return KIND_NUMBER;
    return c.bits & UC_SPACE ? KIND_SPACE : KIND_OTHER;
}

static inline size_t pretok_next_script(const uint8_t *text, size_t length, size_t at) {
    pretok_char_t c = pretok_decode(text, length, at);
    size_t end = at;
    int kind;
    if (c.code == '\'') {
        size_t size = pretok_contraction(text, length, at, 0);
        if (size) return at + size;
    }
    if (c.code == ' ' && at + 1 < length) {
        end = at + 1;
        c = pretok_decode(text, length, end);
    }
    kind = pretok_kind(c);
    if (kind == KIND_SPACE) return pretok_spaces(text, length, at, 0, 0);
    for (end += c.size; end < length; end += c.size) {
        c = pretok_decode(text, length, end);
        if (pretok_kind(c) != kind && !(kind == KIND_HIRAGANA && (c.code == 0x30FC || c.code == 0xFF70))) break;
    }
    return end;
}

/* The ideographs that BERT sets apart. */
static inline int pretok_is_ideograph(uint32_t code) {
    return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) || (code >= 0x20000 && code <= 0x2A6DF) ||
           (code >= 0x2A700 && code <= 0x2B81F) || (code >= 0x2B920 && code <= 0x2CEAF) || (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0x2F800 && code <= 0x2FA1F);
}

enum { BERT_SPACE, BERT_ALONE, BERT_WORD };

static inline int pretok_bert_kind(pretok_char_t c, int scheme) {
    uint32_t bits = c.code < PRETOK_INVALID ? bert_class(c.code) : 0;
    if ((c.bits & UC_SPACE) && !(bits & BERT_CONTROL)) return BERT_SPACE;
    return (bits & BERT_PUNCTUATION) || (scheme == PRETOK_BERT && pretok_is_ideograph(c.code)) ? BERT_ALONE : BERT_WORD;
}

/* The end of the longest run of characters of one kind from `at`, of which the first is given. */
static inline size_t pretok_bert_run(const uint8_t *text, size_t length, size_t at, int kind, int scheme) {
    while (at < length) {
        pretok_char_t c = pretok_decode(text, length, at);
        if (pretok_bert_kind(c, scheme) != kind) break;
        at += c.size;
    }
    return at;
}

static inline size_t pretok_next_bert(const uint8_t *text, size_t length, size_t at, int scheme) {
    pretok_char_t c = pretok_decode(text, length, at);
    if (pretok_bert_kind(c, scheme) == BERT_ALONE) return at + c.size;
    return pretok_bert_run(text, length, at, BERT_WORD, scheme);
}

/* Skip white space that belongs to no word. */
static inline size_t pretok_skip(const uint8_t *text, size_t length, size_t at, int scheme) {
    if (scheme == PRETOK_BLANK) return pretok_run(text, length, at, UC_SPACE, 1, PRETOK_ALL);
    return scheme >= PRETOK_BERT ? pretok_bert_run(text, length, at, BERT_SPACE, scheme) : at;
}

/* The end of the word that begins at `at`, inside the text. */
static inline size_t pretok_next(const uint8_t *text, size_t length, size_t at, int scheme) {
    switch (scheme) {
        case PRETOK_BLANK: return pretok_run(text, length, at, UC_SPACE, 0, PRETOK_ALL);
        case PRETOK_GPT2: return pretok_next_gpt2(text, length, at);
        case PRETOK_CL100K: return pretok_next_cl100k(text, length, at, 3, 1);
        case PRETOK_LLAMA3: return pretok_next_cl100k(text, length, at, 3, 0);
        case PRETOK_QWEN2: return pretok_next_cl100k(text, length, at, 1, 0);
        case PRETOK_O200K: return pretok_next_o200k(text, length, at);
        case PRETOK_SCRIPT: return pretok_next_script(text, length, at);
        case PRETOK_BERT:
        case PRETOK_BERT_JOINED: return pretok_next_bert(text, length, at, scheme);
        default: return length;
    }
}

static inline void pretok_init(pretok_t *p, const uint8_t *text, size_t length, int scheme) {
    memset(p, 0, sizeof *p);
    p->text = text;
    p->length = length;
    p->scheme = scheme;
    p->block = (size_t)-64;
}

#if PRETOK_BLOCKS
/* One bit per byte of a block. The bytes of a character all carry its class. */
typedef struct {
    uint64_t letter, number, space, blank, newline, quote;
    uint64_t wide;       /* not ASCII */
    uint64_t inner;      /* bytes of a character after its first */
    uint64_t last_space; /* first bytes of wide white space that is followed by something else */
} pretok_masks_t;

/* Which of 16 bytes are in [low, low + count). */
static inline __m128i pretok_range(__m128i bytes, int low, int count) {
    return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8((char)(128 - low))), _mm_set1_epi8((char)(count - 128)));
}

/* The 16 bytes of a text from `at` on; behind its end there are zeros. */
static inline __m128i pretok_load(const uint8_t *text, size_t length, size_t at) {
    uint8_t padded[32] = {0};
    if (length - at >= 16) return _mm_loadu_si128((const __m128i *)(text + at));
    if (length < 16) {
        memcpy(padded, text + at, length - at);
        return _mm_loadu_si128((const __m128i *)padded);
    }
    /* The last 16 bytes, from which those before `at` are taken away. */
    _mm_storeu_si128((__m128i *)padded, _mm_loadu_si128((const __m128i *)(text + length - 16)));
    return _mm_loadu_si128((const __m128i *)(padded + 16 - (length - at)));
}

static inline void pretok_classify_16(__m128i v, int i, pretok_masks_t *m) {
    __m128i blank = _mm_cmpeq_epi8(v, _mm_set1_epi8(' '));
    __m128i newline = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
    m->letter |= (uint64_t)_mm_movemask_epi8(pretok_range(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26)) << i;
    m->number |= (uint64_t)_mm_movemask_epi8(pretok_range(v, '0', 10)) << i;
    m->space |= (uint64_t)_mm_movemask_epi8(_mm_or_si128(blank, pretok_range(v, '\t', 5))) << i;
    m->blank |= (uint64_t)_mm_movemask_epi8(blank) << i;
    m->newline |= (uint64_t)_mm_movemask_epi8(newline) << i;
    m->quote |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\''))) << i;
    m->wide |= (uint64_t)_mm_movemask_epi8(v) << i;
}

/* The masks of the block at `base`; behind the end of the text all are 0. */
static inline void pretok_classify(const uint8_t *text, size_t length, size_t base, pretok_masks_t *m) {
    int i;
    memset(m, 0, sizeof *m);
    if (length - base >= 64) {
        for (i = 0; i < 64; i += 16) pretok_classify_16(_mm_loadu_si128((const __m128i *)(text + base + i)), i, m);
    } else {
        for (i = 0; base + (size_t)i < length; i += 16) pretok_classify_16(pretok_load(text, length, base + (size_t)i), i, m);
    }
}

static inline void pretok_mark(pretok_masks_t *m, uint64_t span, uint32_t bits) {
    if (bits & UC_LETTER) m->letter |= span;
    if (bits & UC_NUMBER) m->number |= span;
    if (bits & UC_SPACE) m->space |= span;
}

static inline int pretok_is_space(const uint8_t *text, size_t length, size_t at) {
    return at >= length || (pretok_decode(text, length, at).bits & UC_SPACE);
}

/* Look up the characters of the block at `base` that are not ASCII. */
static inline void pretok_classify_wide(pretok_t *p, size_t base, pretok_masks_t *m) {
    pretok_carry_t *carry = &p->carry;
    uint64_t todo = m->wide;
    if (carry->rest) {
        uint64_t span = ((uint64_t)1 << carry->rest) - 1;
        pretok_mark(m, span, carry->bits);
        m->inner |= span;
        todo &= ~span;
        carry->rest = 0;
    }
    while (todo) {
        size_t i = (size_t)__builtin_ctzll(todo);
        pretok_char_t c = pretok_decode(p->text, p->length, base + i);
        uint64_t first = (uint64_t)1 << i, span = (((uint64_t)1 << c.size) - 1) << i;
        pretok_mark(m, span, c.bits);
        m->inner |= span & ~first;
        if ((c.bits & UC_SPACE) && !pretok_is_space(p->text, p->length, base + i + c.size)) m->last_space |= first;
        todo &= ~span;
        if (i + c.size > 64) {
            carry->rest = i + c.size - 64;
            carry->bits = c.bits;
        }
    }
}

/* First bytes of white space that is followed by something else. */
static inline uint64_t pretok_last_spaces(const pretok_t *p, size_t base, const pretok_masks_t *m, uint64_t beyond) {
    uint64_t next = (m->space | beyond) >> 1;
    if (m->space >> 63 && pretok_is_space(p->text, p->length, base + 64)) next |= (uint64_t)1 << 63;
    return (m->space & ~m->wide & ~next) | m->last_space;
}

/* Contractions among the words that begin in the block: the letters behind the quote go with it, and those after them begin a word. */
static inline uint64_t pretok_contract(pretok_t *p, size_t base, uint64_t quotes, uint64_t starts, int fold) {
    pretok_carry_t *carry = &p->carry;
    starts = (starts & ~carry->clear) | carry->set;
    carry->clear = carry->set = 0;
    for (quotes &= starts; quotes; quotes &= quotes - 1) {
        size_t i = (size_t)__builtin_ctzll(quotes), size = pretok_contraction(p->text, p->length, base + i, fold);
        if (!size) continue;
        if (i + 1 < 64) starts &= ~((uint64_t)1 << (i + 1)); else carry->clear = 1;
        if (base + i + size >= p->length) continue;
        if (i + size < 64) starts |= (uint64_t)1 << (i + size); else carry->set |= (uint64_t)1 << (i + size - 64);
    }
    return starts;
}

static inline uint64_t pretok_starts_gpt2(pretok_t *p, size_t base, const pretok_masks_t *m, uint64_t valid) {
    pretok_carry_t *carry = &p->carry;
    uint64_t other = valid & ~(m->letter | m->number | m->space);
    uint64_t change = (m->letter & ~(m->letter << 1 | carry->letter)) | (m->number & ~(m->number << 1 | carry->number)) |
                      (other & ~(other << 1 | carry->other));
    uint64_t starts = change & ~(m->blank << 1 | carry->blank);
    if (m->space & ~m->blank || m->space & m->space << 1 || carry->space)
        starts |= (m->space & ~(m->space << 1 | carry->space)) | pretok_last_spaces(p, base, m, ~valid);
    else
        starts |= m->space;
    starts = pretok_contract(p, base, m->quote, starts, 0);
    carry->other = other >> 63;
    return starts;
}

/* Cut numbers every three characters; `first` has their first bytes. */
static inline uint64_t pretok_cut_numbers(pretok_carry_t *carry, const pretok_masks_t *m, uint64_t first) {
    uint64_t leads = m->number & ~m->inner, starts = first, cut;
    size_t digits = carry->digits;
    if (m->number & m->wide) {
        for (starts = 0; leads; leads &= leads - 1) {
            uint64_t bit = leads & -leads;
            if (bit & first || digits == 3) digits = 0;
            if (digits++ == 0) starts |= bit;
        }
        carry->digits = digits;
        return starts;
    }
    if (carry->number & m->number) {
        uint64_t until = ((uint64_t)2 << (3 - digits)) - 1;
        if ((m->number & until) == until) starts |= (uint64_t)1 << (3 - digits);
    }
    cut = m->number & m->number << 1 & m->number << 2;
    cut &= cut << 1 | (uint64_t)(carry->number ? 7 : 0);
    while (1) {
        uint64_t more = starts << 3 & cut & ~starts;
        if (!more) break;
        starts |= more;
    }
    if (m->number >> 63) carry->digits = starts ? (size_t)__builtin_clzll(starts) + 1 : digits + 64;
    return starts;
}

/* Whether white space without newlines from byte `i` of the block on is followed by a newline, or (when `whole`) by the end. */
static inline int pretok_line_goes_on(const pretok_t *p, size_t at, int whole) {
    while (at < p->length) {
        pretok_char_t c = pretok_decode(p->text, p->length, at);
        if (!(c.bits & UC_SPACE)) return 0;
        if (pretok_is_newline(p->text[at])) return 1;
        at += c.size;
    }
    return whole;
}

static inline uint64_t pretok_starts_lines(pretok_t *p, size_t base, const pretok_masks_t *m, uint64_t valid, uint64_t other) {
    pretok_carry_t *carry = &p->carry;
    uint64_t newline = m->newline, inline_space = m->space & ~newline;
    uint64_t eaten = newline & ((other << 1 | carry->other) | carry->eaten), sum = newline + eaten;
    uint64_t after = (sum & ~newline) | (carry->eaten & ~newline);
    uint64_t starts = (m->space & ~(m->space << 1 | carry->space) & ~eaten) | (after & inline_space);
    uint64_t turns = inline_space & (newline << 1 | carry->newline) & ~starts;
    starts |= pretok_last_spaces(p, base, m, ~valid) & ~newline;
    for (; turns; turns &= turns - 1)
        if (!pretok_line_goes_on(p, base + (size_t)__builtin_ctzll(turns), p->scheme == PRETOK_CL100K)) starts |= turns & -turns;
    carry->eaten = sum < newline;
    return starts;
}

static inline uint64_t pretok_starts_cl100k(pretok_t *p, size_t base, const pretok_masks_t *m, uint64_t valid) {
    pretok_carry_t *carry = &p->carry;
    uint64_t other = valid & ~(m->letter | m->number | m->space), prev_blank = m->blank << 1 | carry->blank;
    uint64_t marks = other & ~(other << 1 | carry->other) & ~prev_blank;
    uint64_t lone = marks | (carry->lone & m->inner), joins, starts;
    if (m->inner) {
        lone |= lone << 1 & m->inner;
        lone |= lone << 1 & m->inner;
        lone |= lone << 1 & m->inner;
    }
    lone |= m->space & ~m->newline;
    joins = lone << 1 | carry->lone;
    starts = marks | (m->letter & ~(m->letter << 1 | carry->letter) & ~joins);
    if (m->number) {
        uint64_t first = m->number & ~(m->number << 1 | carry->number);
        starts |= p->scheme == PRETOK_QWEN2 ? m->number & ~m->inner : pretok_cut_numbers(carry, m, first);
    }
    if (m->space & ~m->blank || m->space & m->space << 1 || carry->space || carry->eaten)
        starts |= pretok_starts_lines(p, base, m, valid, other);
    else
        starts |= m->space;
    starts = pretok_contract(p, base, m->quote, starts, 1);
    carry->other = other >> 63;
    carry->lone = lone >> 63;
    carry->newline = m->newline >> 63;
    return starts;
}

/* The beginnings of words in the next block. */
static inline uint64_t pretok_block(pretok_t *p, size_t base) {
    pretok_masks_t m;
    pretok_carry_t *carry = &p->carry;
    size_t left = p->length - base;
    uint64_t valid = left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1, starts;
    pretok_classify(p->text, p->length, base, &m);
    if (m.wide) pretok_classify_wide(p, base, &m);
    starts = p->scheme == PRETOK_GPT2 ? pretok_starts_gpt2(p, base, &m, valid) : pretok_starts_cl100k(p, base, &m, valid);
    carry->letter = m.letter >> 63;
    carry->number = m.number >> 63;
    carry->space = m.space >> 63;
    carry->blank = m.blank >> 63;
    return starts;
}

/* Write where the next words end, the first of which begins at the scanner's position, and none has a gap before it. */
static inline size_t pretok_fill_blocks(pretok_t *p, size_t *ends, size_t capacity) {
    size_t n = 0, base = p->block;
    if (p->position >= p->length) return 0;
    while (n + 64 < capacity) {
        uint64_t found;
        if (base + 64 >= p->length && base + 64 != 0) {
            ends[n++] = p->length;
            break;
        }
        base += 64;
        found = pretok_block(p, base);
        if (base == 0) found &= ~(uint64_t)1; /* the first word is open from the beginning */
        for (; found; found &= found - 1) ends[n++] = base + (size_t)__builtin_ctzll(found);
    }
    p->block = base;
    if (n) p->position = ends[n - 1];
    return n;
}

/* One bit per byte of a block; the bytes of a character all carry its kind. */
typedef struct {
    uint64_t word, alone;
    uint64_t wide, inner; /* as above */
} pretok_bert_t;

static inline void pretok_bert_classify(const uint8_t *bytes, pretok_bert_t *m) {
    uint64_t space = 0;
    int i;
    memset(m, 0, sizeof *m);
    for (i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(bytes + i));
        __m128i marks = _mm_or_si128(_mm_or_si128(pretok_range(v, '!', 15), pretok_range(v, ':', 7)),
                                     _mm_or_si128(pretok_range(v, '[', 6), pretok_range(v, '{', 4)));
        __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')),
                                     _mm_or_si128(pretok_range(v, '\t', 2), _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'))));
        m->alone |= (uint64_t)_mm_movemask_epi8(marks) << i;
        space |= (uint64_t)_mm_movemask_epi8(blank) << i;
        m->wide |= (uint64_t)_mm_movemask_epi8(v) << i;
    }
    m->word = ~(space | m->alone | m->wide);
}

static inline void pretok_bert_mark(pretok_bert_t *m, uint64_t span, int kind) {
    if (kind == BERT_WORD) m->word |= span;
    if (kind == BERT_ALONE) m->alone |= span;
}

/* Look up the characters of the block at `base` that are not ASCII. */
static inline void pretok_bert_wide(pretok_t *p, size_t base, pretok_bert_t *m) {
    pretok_carry_t *carry = &p->carry;
    uint64_t todo = m->wide;
    if (carry->rest) {
        uint64_t span = ((uint64_t)1 << carry->rest) - 1;
        pretok_bert_mark(m, span, (int)carry->bits);
        m->inner |= span;
        todo &= ~span;
        carry->rest = 0;
    }
    while (todo) {
        size_t i = (size_t)__builtin_ctzll(todo);
        pretok_char_t c = pretok_decode(p->text, p->length, base + i);
        uint64_t first = (uint64_t)1 << i, span = (((uint64_t)1 << c.size) - 1) << i;
        int kind = pretok_bert_kind(c, p->scheme);
        pretok_bert_mark(m, span, kind);
        m->inner |= span & ~first;
        todo &= ~span;
        if (i + c.size > 64) {
            carry->rest = i + c.size - 64;
            carry->bits = (uint32_t)kind;
        }
    }
}

/* The beginnings and the ends of words in the next block. */
static inline void pretok_bert_block(pretok_t *p, size_t base) {
    pretok_carry_t *carry = &p->carry;
    size_t left = p->length - base;
    uint64_t after_word, after_alone;
    pretok_bert_t m;
    if (left >= 64) {
        pretok_bert_classify(p->text + base, &m);
    } else {
        uint8_t padded[64];
        memset(padded, ' ', sizeof padded);
        memcpy(padded, p->text + base, left);
        pretok_bert_classify(padded, &m);
    }
    if (m.wide) pretok_bert_wide(p, base, &m);
    after_word = m.word << 1 | carry->letter;
    after_alone = m.alone << 1 | carry->other;
    p->pending = (m.word & ~after_word) | (m.alone & ~m.inner);
    p->closing = (after_word & ~m.word) | (after_alone & ~m.inner);
    carry->letter = m.word >> 63;
    carry->other = m.alone >> 63;
}

/* The same as below where words have gaps between them. */
static inline size_t pretok_fill_gaps(pretok_t *p, size_t *starts, size_t *ends, size_t capacity) {
    size_t n = 0;
    uint64_t pending = p->pending, closing = p->closing;
    while (n < capacity) {
        if (p->open) {
            if (closing) {
                p->position = p->block + (size_t)__builtin_ctzll(closing);
                closing &= closing - 1;
                ends[n++] = p->position;
                p->open = 0;
                continue;
            }
        } else if (pending) {
            starts[n] = p->position = p->block + (size_t)__builtin_ctzll(pending);
            pending &= pending - 1;
            p->open = 1;
            continue;
        }
        if (p->block + 64 >= p->length && p->block + 64 != 0) {
            p->position = p->length;
            if (p->open) ends[n++] = p->length;
            p->open = 0;
            break;
        }
        p->block += 64;
        pretok_bert_block(p, p->block);
        pending = p->pending;
        closing = p->closing;
    }
    p->pending = pending;
    p->closing = closing;
    return n;
}
#endif

static inline size_t pretok_fill_plain(pretok_t *p, size_t *starts, size_t *ends, size_t capacity) {
    size_t n = 0, at = p->position;
    while (n < capacity) {
        at = pretok_skip(p->text, p->length, at, p->scheme);
        if (at >= p->length) break;
        starts[n] = at;
        at = pretok_next(p->text, p->length, at, p->scheme);
        ends[n++] = at;
    }
    p->position = at;
    return n;
}

#define PRETOK_LEAST 65 /* words for which there must be room */

/* Write where the next words begin and end, at most `capacity` of them (PRETOK_LEAST or more); give their number, 0 at the end of the text. */
static inline size_t pretok_fill(pretok_t *p, size_t *starts, size_t *ends, size_t capacity) {
#if PRETOK_BLOCKS
    if (p->scheme >= PRETOK_GPT2 && p->scheme <= PRETOK_QWEN2) {
        size_t first = p->position, n = pretok_fill_blocks(p, ends, capacity);
        if (n) {
            starts[0] = first;
            memcpy(starts + 1, ends, (n - 1) * sizeof *ends);
        }
        return n;
    }
    if (p->scheme >= PRETOK_BERT) return pretok_fill_gaps(p, starts, ends, capacity);
#endif
    return pretok_fill_plain(p, starts, ends, capacity);
}
#endif
