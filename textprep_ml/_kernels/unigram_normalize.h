/* What is done to a text before it is cut into pieces: rules of a compiled map, white space, and the marker that stands for a blank.
 *
 * In the result the marker (U+2581) is written as one blank: a text in which every blank became a marker has no other blanks. */
#ifndef TEXTPREP_UNIGRAM_NORMALIZE_H
#define TEXTPREP_UNIGRAM_NORMALIZE_H
#include "unigram_model.h"

typedef struct {
    const uint32_t *units;  /* the double array of the map (Darts-clone's layout), NULL for none */
    size_t units_count;
    const uint8_t *strings; /* what its values point into, each ended by 0 */
    size_t strings_size;
    uni_trie_t kept;        /* strings that no rule changes; no units for none */
    uint8_t plain[256];     /* 1 for an ASCII byte that stays as it is where no other byte than ASCII follows; 2 for such a blank */
    int remove_extra;       /* no blanks at the ends, and single ones inside */
    int escape;
    int prefix, suffix;     /* put a blank before the text (2: unless it begins with one) or behind it */
} uni_rules_t;

/* A growing text; for each byte where its source begins and ends, if wanted. */
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
    int64_t *begins, *ends;
    int wants_sources;
} uni_text_t;

static inline void uni_text_free(uni_text_t *text) {
    free(text->bytes);
    free(text->begins);
    free(text->ends);
}

static inline int uni_reserve(uni_text_t *text, size_t wanted) {
    size_t capacity;
    void *more;
    if (wanted <= text->capacity) return UNI_DONE;
    capacity = wanted + wanted / 2 + 256;
    more = realloc(text->bytes, capacity);
    if (!more) return UNI_MEMORY;
    text->bytes = (uint8_t *)more;
    if (text->wants_sources) {
        more = realloc(text->begins, capacity * sizeof(int64_t));
        if (!more) return UNI_MEMORY;
        text->begins = (int64_t *)more;
        more = realloc(text->ends, capacity * sizeof(int64_t));
        if (!more) return UNI_MEMORY;
        text->ends = (int64_t *)more;
    }
    text->capacity = capacity;
    return UNI_DONE;
}

static inline void uni_put_byte(uni_text_t *out, uint8_t byte, size_t begin, size_t end) {
    if (out->wants_sources) {
        out->begins[out->count] = (int64_t)begin;
        out->ends[out->count] = (int64_t)end;
    }
    out->bytes[out->count++] = byte;
}

static inline int uni_is_marker(const uint8_t *bytes, size_t left) {
    return left >= 3 && bytes[0] == 0xE2 && bytes[1] == 0x96 && bytes[2] == 0x81;
}

/* The bytes of a valid character of UTF-8, 0 where there is none. Surrogates are none. */
static inline size_t uni_valid(const uint8_t *text, size_t left) {
    uint8_t a = text[0];
    if (a < 0x80) return 1;
#define UNI_TAIL(i) ((text[i] & 0xC0) == 0x80)
    if (a >= 0xC2 && a < 0xE0) return left >= 2 && UNI_TAIL(1) ? 2 : 0;
    if (a >= 0xE0 && a < 0xF0) {
        if (left < 3 || !UNI_TAIL(1) || !UNI_TAIL(2)) return 0;
        if (a == 0xE0 && text[1] < 0xA0) return 0;
        return a == 0xED && text[1] >= 0xA0 ? 0 : 3;
    }
    if (a >= 0xF0 && a < 0xF5) {
        if (left < 4 || !UNI_TAIL(1) || !UNI_TAIL(2) || !UNI_TAIL(3)) return 0;
        if (a == 0xF0 && text[1] < 0x90) return 0;
        return a == 0xF4 && text[1] >= 0x90 ? 0 : 4;
    }
#undef UNI_TAIL
    return 0;
}

static inline uint32_t uni_map_offset(uint32_t unit) {
    return unit >> 10 << ((unit & (1u << 9)) >> 6);
}

static inline uint32_t uni_map_label(uint32_t unit) {
    return unit & (1u << 31 | 0xFFu);
}

/* The longest rule that a text begins with: its length, or 0, and where its replacement is. */
static inline size_t uni_map_match(const uni_rules_t *rules, const uint8_t *text, size_t left, size_t *value) {
    size_t at = 0, longest = 0, i;
    uint32_t unit = rules->units[0];
    at ^= uni_map_offset(unit);
    for (i = 0; i < left; i++) {
        at ^= text[i];
        if (at >= rules->units_count) break;
        unit = rules->units[at];
        if (uni_map_label(unit) != text[i]) break;
        at ^= uni_map_offset(unit);
        if (at >= rules->units_count) break;
        if (unit >> 8 & 1) {
            size_t found = rules->units[at] & 0x7FFFFFFFu;
            if (found < rules->strings_size) {
                longest = i + 1;
                *value = found;
            }
        }
    }
    return longest;
}

static inline size_t uni_kept_match(const uni_trie_t *trie, const uint8_t *text, size_t left) {
    uint32_t base = trie->root;
    uint64_t unit;
    size_t longest = 0, i;
    for (i = 0; i < left && uni_step(trie, &base, text[i], &unit); i++)
        if (uni_id(unit) >= 0) longest = i + 1;
    return longest;
}

typedef struct {
    const uint8_t *bytes; /* the replacement */
    size_t length;
    size_t consumed;      /* bytes of the text that it replaces */
} uni_part_t;

static const uint8_t uni_replacement[3] = {0xEF, 0xBF, 0xBD};

/* What the beginning of a text becomes. */
static inline uni_part_t uni_first_part(const uni_rules_t *rules, const uint8_t *text, size_t left) {
    uni_part_t part;
    size_t value = 0;
    if (rules->kept.units) {
        part.length = part.consumed = uni_kept_match(&rules->kept, text, left);
        part.bytes = text;
        if (part.length) return part;
    }
    part.consumed = rules->units ? uni_map_match(rules, text, left, &value) : 0;
    if (part.consumed) {
        part.bytes = rules->strings + value;
        part.length = strlen((const char *)part.bytes);
        return part;
    }
    part.consumed = uni_valid(text, left);
    part.bytes = part.consumed ? text : uni_replacement;
    part.length = part.consumed ? part.consumed : 3;
    if (!part.consumed) part.consumed = 1;
    return part;
}

/* Find the bytes that can be copied without a look at the rules. */
static inline void uni_find_plain(uni_rules_t *rules) {
    uint32_t byte, next;
    for (byte = 0; byte < 256; byte++) {
        uint8_t text[2] = {(uint8_t)byte, 0};
        size_t value;
        uint32_t base = rules->kept.units ? rules->kept.root : 0;
        uint64_t unit;
        rules->plain[byte] = byte < 0x80 ? byte == ' ' && rules->remove_extra ? 2 : 1 : 0;
        if (rules->kept.units && uni_step(&rules->kept, &base, (uint8_t)byte, &unit)) rules->plain[byte] = 0;
        if (!rules->units || !rules->plain[byte]) continue;
        if (uni_map_match(rules, text, 1, &value)) rules->plain[byte] = 0;
        /* A rule for this byte and more ASCII ones. */
        for (next = 1; next < 0x80; next++) {
            size_t at = uni_map_offset(rules->units[0]) ^ byte;
            if (at >= rules->units_count || uni_map_label(rules->units[at]) != byte) break;
            at ^= uni_map_offset(rules->units[at]) ^ next;
            if (at < rules->units_count && uni_map_label(rules->units[at]) == next) rules->plain[byte] = 0;
        }
    }
}

/* Copy bytes that need no look at the rules, and single blanks behind them, as long as there is room. Give where it stopped. */
static inline size_t uni_copy_plain(const uni_rules_t *rules, const uint8_t *text, size_t at, size_t stop, size_t length, uni_text_t *out, int *after_blank) {
    size_t begin = at, i;
    int kind, before = *after_blank ? 2 : 1;
    for (; at < stop; at++) {
        kind = rules->plain[text[at]];
        if ((kind == 0) | (kind & before & 2)) break; /* one rare branch, as where words end cannot be foreseen */
        before = kind;
    }
    if (at > begin && at < length && text[at] >= 0x80) at--; /* may be a part of what comes */
    if (at == begin) return at;
    memcpy(out->bytes + out->count, text + begin, at - begin);
    if (out->wants_sources) {
        for (i = begin; i < at; i++) {
            out->begins[out->count + i - begin] = (int64_t)i;
            out->ends[out->count + i - begin] = (int64_t)i + 1;
        }
    }
    out->count += at - begin;
    *after_blank = rules->plain[text[at - 1]] == 2;
    return at;
}

/* Write one part; blanks at its beginning are left out after a blank. Tell whether it ended with one. */
static inline int uni_put_part(const uni_rules_t *rules, uni_text_t *out, uni_part_t part, size_t at, int after_blank) {
    size_t i = 0;
    if (after_blank)
        while (i < part.length && part.bytes[i] == ' ') i++;
    if (i == part.length) return after_blank;
    while (i < part.length) {
        if (rules->escape && uni_is_marker(part.bytes + i, part.length - i)) {
            uni_put_byte(out, ' ', at, at + part.consumed);
            i += 3;
        } else {
            uni_put_byte(out, part.bytes[i++], at, at + part.consumed);
        }
    }
    return part.bytes[part.length - 1] == ' ';
}

/* Normalize a text onto the end of `out`, which is empty before. `prefix`: whether a blank is put before the text if the rules say so. */
static inline int uni_normalize(const uni_rules_t *rules, const uint8_t *text, size_t length, uni_text_t *out, int prefix) {
    size_t at = 0, end = length;
    int after_blank = rules->remove_extra;
    out->count = 0;
    if (rules->remove_extra) {
        while (at < length) {
            uni_part_t part = uni_first_part(rules, text + at, length - at);
            if (part.length != 1 || part.bytes[0] != ' ') break;
            at += part.consumed;
        }
    }
    if (at == length) return UNI_DONE;
    if (uni_reserve(out, length + 64)) return UNI_MEMORY;
    if (rules->prefix && prefix) uni_put_byte(out, ' ', at, at);
    while (at < length) {
        uni_part_t part;
        size_t room = out->capacity - out->count;
        at = uni_copy_plain(rules, text, at, length - at < room ? length : at + room, length, out, &after_blank);
        if (at == length) break;
        part = uni_first_part(rules, text + at, length - at);
        if (uni_reserve(out, out->count + part.length + 64)) return UNI_MEMORY;
        after_blank = uni_put_part(rules, out, part, at, after_blank) && rules->remove_extra;
        at += part.consumed;
    }
    if (rules->remove_extra) {
        while (out->count && out->bytes[out->count - 1] == ' ') {
            out->count--;
            if (out->wants_sources) end = (size_t)out->begins[out->count];
        }
    }
    if (rules->prefix == 2 && prefix && out->count > 1 && out->bytes[1] == ' ') {
        out->count--;
        memmove(out->bytes, out->bytes + 1, out->count);
        if (out->wants_sources) {
            memmove(out->begins, out->begins + 1, out->count * sizeof *out->begins);
            memmove(out->ends, out->ends + 1, out->count * sizeof *out->ends);
        }
    }
    if (rules->suffix && prefix) {
        if (uni_reserve(out, out->count + 1)) return UNI_MEMORY;
        uni_put_byte(out, ' ', end, end);
    }
    return UNI_DONE;
}
#endif
