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
 *           Han with Bopomofo, Hiragana, Katakana (both with the long-vowel mark), Thai, Lao, Khmer, Myanmar, and all others
 *   blank   [^\s]+, the white space between words belongs to none
 *   none    the whole text is one word
 *
 * Bytes that are no UTF-8 count as one character each, of no class; so do surrogates in their three-byte form.
 * All but `blank` cover the text without gaps. Time is linear in the text.
 */
#ifndef TEXTPREP_PRETOKENIZE_H
#define TEXTPREP_PRETOKENIZE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "unicode_classes.h"

enum {
    PRETOK_NONE = 0,
    PRETOK_BLANK = 1,
    PRETOK_GPT2 = 2,
    PRETOK_CL100K = 3,
    PRETOK_LLAMA3 = 4,
    PRETOK_QWEN2 = 5,
    PRETOK_O200K = 6,
    PRETOK_SCRIPT = 7,
    PRETOK_SCHEMES = 8
};

typedef struct {
    const uint8_t *text;
    size_t length;
    size_t position; /* where the next word begins */
    int scheme;
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
    if (!(c.bits & (UC_LETTER | UC_NUMBER)) && !pretok_is_newline(text[at])) {
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

enum { KIND_OTHER, KIND_SPACE, KIND_NUMBER, KIND_LETTER, KIND_HAN, KIND_HIRAGANA, KIND_KATAKANA, KIND_THAI, KIND_LAO, KIND_KHMER, KIND_MYANMAR };

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

static inline void pretok_init(pretok_t *p, const uint8_t *text, size_t length, int scheme) {
    p->text = text;
    p->length = length;
    p->position = 0;
    p->scheme = scheme;
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
        default: return length;
    }
}

/* Write where the next words begin and end, at most `capacity` of them; give their number, 0 at the end of the text. */
static inline size_t pretok_fill(pretok_t *p, size_t *starts, size_t *ends, size_t capacity) {
    size_t n = 0, at = p->position;
    while (n < capacity) {
        if (p->scheme == PRETOK_BLANK) at = pretok_run(p->text, p->length, at, UC_SPACE, 1, PRETOK_ALL);
        if (at >= p->length) break;
        starts[n] = at;
        at = pretok_next(p->text, p->length, at, p->scheme);
        ends[n++] = at;
    }
    p->position = at;
    return n;
}
#endif
