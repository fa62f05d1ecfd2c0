/* BERT's basic tokenization: what characters are rewritten to, with the source of each; see _pure/bert.py for the steps. */
#ifndef TEXTPREP_BERT_BASIC_H
#define TEXTPREP_BERT_BASIC_H
#include "word_runs.h"

enum { BERT_CLEAN = 1, BERT_IDEOGRAPHS = 2, BERT_STRIP = 4, BERT_LOWER = 8 };

/* A character and the bytes that it comes from. A byte that is no UTF-8 is its value above PRETOK_INVALID. */
typedef struct {
    uint32_t code, begin, end;
} bert_char_t;

/* No character becomes more than twice as many as it has bytes: an ideograph of three bytes has a blank on each side, a letter of two bytes
 * at most two marks. */
#define BERT_GROWTH 2

static inline uint32_t bert_bits(uint32_t code) {
    return code < PRETOK_INVALID ? bert_class(code) : 0;
}

static inline int bert_is_space(uint32_t code) {
    return code < PRETOK_INVALID && (uc_class(code) & UC_SPACE);
}

static inline int bert_is_punctuation(uint32_t code) {
    return (bert_bits(code) & BERT_PUNCTUATION) != 0;
}

/* The row of a table that begins with `code`, or NULL. */
static inline const uint32_t *bert_row(const uint32_t *table, size_t rows, size_t width, uint32_t code) {
    size_t low = 0, high = rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle * width] < code) low = middle + 1;
        else high = middle;
    }
    return low < rows && table[low * width] == code ? table + low * width : NULL;
}

/* Write what a character decomposes to, itself if nothing; give the number. */
static inline size_t bert_decompose(uint32_t code, uint32_t *parts) {
    const uint32_t *row;
    size_t n = 0;
    if (code >= 0xAC00 && code < 0xD7A4) {
        uint32_t index = code - 0xAC00;
        parts[n++] = 0x1100 + index / 588;
        parts[n++] = 0x1161 + index % 588 / 28;
        if (index % 28) parts[n++] = 0x11A7 + index % 28;
        return n;
    }
    row = code < 0xC0 ? NULL : bert_row(bert_decomposed, BERT_DECOMPOSED_ROWS, BERT_DECOMPOSED_WIDTH, code);
    if (!row) parts[n++] = code;
    for (; row && n + 1 < BERT_DECOMPOSED_WIDTH && row[n + 1]; n++) parts[n] = row[n + 1];
    return n;
}

/* Write the lower case of a character; give the number. */
static inline size_t bert_lower(uint32_t code, uint32_t *parts) {
    const uint32_t *row;
    size_t n = 0;
    if (code < 0x80) {
        parts[0] = code >= 'A' && code <= 'Z' ? code + 32 : code;
        return 1;
    }
    row = bert_row(bert_lowered, BERT_LOWERED_ROWS, BERT_LOWERED_WIDTH, code);
    if (!row) parts[n++] = code;
    for (; row && n + 1 < BERT_LOWERED_WIDTH && row[n + 1]; n++) parts[n] = row[n + 1];
    return n;
}

/* Put the marks of chars[first] to chars[last - 1] in the order of their classes, equal ones as they are. */
static inline void bert_order(bert_char_t *chars, size_t first, size_t last, bert_char_t *spare) {
    size_t counts[257] = {0}, i, k;
    if (last - first < 32) {
        for (i = first + 1; i < last; i++) {
            bert_char_t mark = chars[i];
            uint32_t order = bert_class(mark.code) >> BERT_COMBINING_SHIFT;
            for (k = i; k > first && bert_class(chars[k - 1].code) >> BERT_COMBINING_SHIFT > order; k--) chars[k] = chars[k - 1];
            chars[k] = mark;
        }
        return;
    }
    for (i = first; i < last; i++) counts[(bert_class(chars[i].code) >> BERT_COMBINING_SHIFT) + 1]++;
    for (k = 0; k < 256; k++) counts[k + 1] += counts[k];
    for (i = first; i < last; i++) spare[counts[bert_class(chars[i].code) >> BERT_COMBINING_SHIFT]++] = chars[i];
    memcpy(chars + first, spare, (last - first) * sizeof *chars);
}

/* Decompose, order and drop marks; and lower what is left. `chars` is rewritten, `spare` has the same room. */
static inline size_t bert_strip(bert_char_t *chars, size_t count, int flags, bert_char_t *spare) {
    size_t n = 0, i, k, first = 0, kept = 0;
    uint32_t parts[4];
    for (i = 0; i < count; i++) {
        size_t made = bert_decompose(chars[i].code, parts);
        for (k = 0; k < made; k++, n++) {
            spare[n].code = parts[k];
            spare[n].begin = chars[i].begin;
            spare[n].end = chars[i].end;
        }
    }
    for (i = 0; i <= n; i++) {
        if (i < n && bert_bits(spare[i].code) >> BERT_COMBINING_SHIFT) continue;
        if (i > first + 1) bert_order(spare, first, i, chars); /* `chars` has been read */
        first = i + 1;
    }
    for (i = 0; i < n; i++) {
        if (bert_bits(spare[i].code) & BERT_NONSPACING) continue;
        chars[kept] = spare[i];
        /* Nothing that decomposing leaves has a lower case of two characters. */
        if (flags & BERT_LOWER) bert_lower(spare[i].code, &chars[kept].code);
        kept++;
    }
    return kept;
}

/* Rewrite a text. `chars` and `spare` have room for BERT_GROWTH times its bytes, and two. Give the number of characters. */
static inline size_t bert_rewrite(const uint8_t *text, size_t length, int flags, bert_char_t *chars, bert_char_t *spare) {
    size_t at = 0, n = 0, k;
    while (at < length) {
        pretok_char_t c = pretok_decode(text, length, at);
        bert_char_t made = {c.code, (uint32_t)at, (uint32_t)(at + c.size)};
        if (c.code == PRETOK_INVALID) made.code += text[at];
        at += c.size;
        if (flags & BERT_CLEAN) {
            if (bert_bits(made.code) & BERT_CONTROL) continue;
            if (c.bits & UC_SPACE) made.code = ' ';
        }
        if ((flags & BERT_IDEOGRAPHS) && pretok_is_ideograph(made.code)) {
            for (k = 0; k < 3; k++) {
                chars[n] = made;
                if (k != 1) chars[n].code = ' ';
                n++;
            }
        } else if ((flags & (BERT_LOWER | BERT_STRIP)) == BERT_LOWER) {
            uint32_t parts[2];
            size_t parts_n = bert_lower(made.code, parts);
            for (k = 0; k < parts_n; k++) {
                chars[n] = made;
                chars[n++].code = parts[k];
            }
        } else {
            chars[n++] = made;
        }
    }
    return flags & BERT_STRIP ? bert_strip(chars, n, flags, spare) : n;
}

/* Whether a raw word consists of ASCII letters and digits: then it stays one word, and only its case may change. */
static inline int bert_is_plain(const uint8_t *word, size_t length) {
    size_t i;
    for (i = 0; i < length; i++)
        if ((uint8_t)((word[i] | 32) - 'a') >= 26 && (uint8_t)(word[i] - '0') >= 10) return 0;
    return 1;
}

/* Rewrite such a word. */
static inline void bert_rewrite_plain(const uint8_t *word, size_t length, int flags, uint8_t *out) {
    size_t i;
    for (i = 0; i < length; i++) out[i] = flags & BERT_LOWER && word[i] >= 'A' ? word[i] | 32 : word[i];
}

/* The end of the word that begins with chars[at]. */
static inline size_t bert_word_end(const bert_char_t *chars, size_t count, size_t at) {
    if (bert_is_punctuation(chars[at].code)) return at + 1;
    while (at < count && !bert_is_space(chars[at].code) && !bert_is_punctuation(chars[at].code)) at++;
    return at;
}

/* Write a character as UTF-8, a byte that was none as it was; give the number of bytes, at most 4. */
static inline size_t bert_utf8(uint32_t code, uint8_t *out) {
    if (code < 0x80 || code >= PRETOK_INVALID) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xC0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xE0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (code & 0x3F));
    return 4;
}

/* Write characters as UTF-8, unless `out` is NULL; give the number of bytes. */
static inline size_t bert_spell(const bert_char_t *chars, size_t count, uint8_t *out) {
    uint8_t spare[4];
    size_t size = 0, i;
    for (i = 0; i < count; i++) size += bert_utf8(chars[i].code, out ? out + size : spare);
    return size;
}
#endif
