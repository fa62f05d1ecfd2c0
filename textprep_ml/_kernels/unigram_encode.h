/* The best way to cut normalized text into pieces: Viterbi's algorithm word by word, and a cache of the words met before.
 *
 * A word ends between two bytes that no piece has next to each other; so no piece reaches over its end, and words are independent but for
 * the rounding of the sum that goes along the text (uni_model_t.single). What the cache knows of a word holds as long as that sum is small
 * enough: its `limit` is the size of the sum up to which rounding cannot change any decision. Beyond, the word is done anew with the sum as
 * it is. */
#ifndef TEXTPREP_UNIGRAM_ENCODE_H
#define TEXTPREP_UNIGRAM_ENCODE_H
#include <float.h>
#include <math.h>
#include "unigram_normalize.h"
#include "word_runs.h"

#define UNI_LONGEST 96 /* bytes of a word that is cached */
#define UNI_BATCH 128  /* words whose look-ups overlap */
#define UNI_LOWEST (-100000.0) /* below this the sum begins with 0 again */

/* The best way to a place of a word. */
typedef struct {
    double score;
    uint32_t length; /* of its last piece, 0 where there is no way yet */
    int32_t id;      /* of its last piece, -1 for an unknown character */
} uni_place_t;

/* What one thread works with. */
typedef struct {
    uni_place_t *places;
    size_t places_size;
    word_cache_t cache;
    uni_text_t text;   /* normalized */
    int32_t *ids;
    size_t count, capacity;
    size_t first;      /* id of the text at work */
    double sum;        /* of the scores of its pieces so far */
    size_t unknown_at; /* the byte of the normalized text that no piece covers, when the result is UNI_UNKNOWN */
    int64_t *begins;   /* where each piece begins in the normalized text, if wanted; as many as ids */
    int wants_begins;
} uni_room_t;

static inline int uni_room_init(uni_room_t *room) {
    memset(room, 0, sizeof *room);
    return word_cache_init(&room->cache) ? UNI_MEMORY : UNI_DONE;
}

static inline void uni_room_free(uni_room_t *room) {
    free(room->places);
    word_cache_free(&room->cache);
    uni_text_free(&room->text);
    free(room->ids);
    free(room->begins);
}

static inline size_t uni_char_size(uint8_t lead) {
    return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* The larger of two ways wins, the first of equal ones. */
static inline void uni_offer(uni_place_t *place, double score, size_t length, int32_t id, int single) {
    if (single) score = (double)(float)score;
    if (place->length && score <= place->score) return;
    place->score = score;
    place->length = (uint32_t)length;
    place->id = id;
}

/* Let the sum at a place be 0, and take the same from those behind it. */
static inline void uni_begin_anew(uni_place_t *places, size_t at, size_t length) {
    double taken = places[at].score;
    size_t i;
    for (i = at; i <= length; i++)
        if (places[i].length || i == at) places[i].score = (double)(float)(places[i].score - taken);
}

/* Find the best way to every place of a word, from a sum of `start`. */
static inline void uni_search(const uni_model_t *model, const uint8_t *word, size_t length, double start, uni_place_t *places, int single) {
    const double *scores = model->scores;
    size_t at, i, size;
    memset(places, 0, (length + 1) * sizeof *places);
    places[0].score = start;
    for (at = 0; at < length; at += size) {
        uint32_t base = model->trie.root;
        uint64_t unit;
        double before;
        int alone = 0;
        if (single && places[at].score < UNI_LOWEST) uni_begin_anew(places, at, length);
        before = places[at].score;
        size = uni_char_size(word[at]);
        if (size > length - at) size = length - at;
        for (i = at; i < length && uni_step(&model->trie, &base, word[i], &unit); i++) {
            int32_t id = uni_id(unit);
            if (id < 0) continue;
            uni_offer(places + i + 1, before + scores[id], i + 1 - at, id, single);
            alone |= i + 1 - at == size;
        }
        if (!alone) uni_offer(places + at + size, before + model->unknown_score, size, -1, single);
    }
}

/* The same for a short word from 0 without rounding; give the size of the sum before the word up to which rounding changes nothing. With it every
 * way is off by less than the number of its pieces times 2^-24 of the sum at its end; a decision stands where the second best way is behind by
 * more than twice that. */
static inline double uni_search_exactly(const uni_model_t *model, const uint8_t *word, size_t length, uni_place_t *places) {
    const double *scores = model->scores;
    double seconds[UNI_LONGEST + 1];
    size_t at, i, size, count = 0;
    double margin = DBL_MAX, worst = 0, limit;
    memset(places, 0, (length + 1) * sizeof *places);
    for (i = 0; i <= length; i++) seconds[i] = -DBL_MAX;
    for (at = 0; at < length; at += size, count++) {
        uint32_t base = model->trie.root;
        uint64_t unit;
        int alone = 0;
        size = uni_char_size(word[at]);
        if (size > length - at) size = length - at;
        for (i = at;; i++) {
            int found = i < length && uni_step(&model->trie, &base, word[i], &unit);
            int32_t id = found ? uni_id(unit) : -1;
            size_t end = found ? i + 1 : at + size;
            double score, lesser;
            if (found && id < 0) continue;
            if (!found && alone) break;
            alone |= end == at + size;
            score = places[at].score + (id < 0 ? model->unknown_score : scores[id]);
            if (fabs(score) > worst) worst = fabs(score);
            lesser = places[end].length && places[end].score < score ? places[end].score : score;
            if (places[end].length && lesser > seconds[end]) seconds[end] = lesser;
            uni_offer(places + end, score, end - at, id, 0);
            if (!found) break;
        }
    }
    for (at = length; at; at -= places[at].length)
        if (places[at].score - seconds[at] < margin) margin = places[at].score - seconds[at];
    if (margin < 1e-9) return -1;
    limit = margin / (2.0 * (double)(count + 1)) * 8388608.0 - 2 * worst;
    return limit < -UNI_LOWEST - worst - 1 ? limit : -UNI_LOWEST - worst - 1; /* it does not begin with 0 inside the word */
}

static inline int uni_make_places(uni_room_t *room, size_t length) {
    if (room->places_size <= length) {
        free(room->places);
        room->places_size = length + length / 2 + 64;
        room->places = (uni_place_t *)malloc(room->places_size * sizeof *room->places);
        if (!room->places) {
            room->places_size = 0;
            return UNI_MEMORY;
        }
    }
    return UNI_DONE;
}

static inline int uni_make_ids(uni_room_t *room, size_t wanted) {
    size_t capacity = wanted + wanted / 2 + 1024;
    void *more;
    if (wanted <= room->capacity) return UNI_DONE;
    more = realloc(room->ids, capacity * sizeof(int32_t));
    if (!more) return UNI_MEMORY;
    room->ids = (int32_t *)more;
    if (room->wants_begins) {
        more = realloc(room->begins, capacity * sizeof(int64_t));
        if (!more) return UNI_MEMORY;
        room->begins = (int64_t *)more;
    }
    room->capacity = capacity;
    return UNI_DONE;
}

static const uint8_t uni_marker[3] = {0xE2, 0x96, 0x81};

/* The ids of a way through a word, from the back. Three at most for each byte. */
typedef struct {
    int32_t *ids;
    int64_t *begins;
    size_t count;
} uni_way_t;

static inline void uni_put_piece(uni_way_t *way, int32_t id, size_t begin) {
    if (way->begins) way->begins[way->count] = (int64_t)begin;
    way->ids[way->count++] = id;
}

static inline void uni_put_unknown(const uni_model_t *model, uni_way_t *way, const uint8_t *word, size_t begin, size_t end) {
    int is_marker = word[begin] == ' ' && model->escape;
    size_t size = is_marker ? 3 : end - begin;
    if (model->byte_fallback) {
        while (size-- > 0) uni_put_piece(way, model->byte_ids[is_marker ? uni_marker[size] : word[begin + size]], begin);
    } else if (model->fuse && way->count && way->ids[way->count - 1] == model->unknown) {
        if (way->begins) way->begins[way->count - 1] = (int64_t)begin;
    } else {
        uni_put_piece(way, model->unknown, begin);
    }
}

/* Write the ids of the best way through a word; give the first byte that has none. */
static inline size_t uni_walk(const uni_model_t *model, const uint8_t *word, size_t length, const uni_place_t *places, uni_way_t *way) {
    size_t at, i, unknown_at = length;
    for (at = length; at; at -= places[at].length) {
        size_t begin = at - places[at].length;
        if (places[at].id >= 0) {
            uni_put_piece(way, places[at].id, begin);
            continue;
        }
        unknown_at = begin;
        uni_put_unknown(model, way, word, begin, at);
    }
    for (i = 0; i < way->count / 2; i++) {
        size_t other = way->count - 1 - i;
        int32_t id = way->ids[i];
        way->ids[i] = way->ids[other];
        way->ids[other] = id;
        if (way->begins) {
            int64_t begin = way->begins[i];
            way->begins[i] = way->begins[other];
            way->begins[other] = begin;
        }
    }
    return unknown_at;
}

/* Whether the first of these ids goes up in the id before them, that of an unknown character too. */
static inline int uni_fuses(const uni_model_t *model, const uni_room_t *room, const int32_t *ids) {
    return model->fuse && room->count > room->first && ids[0] == model->unknown && room->ids[room->count - 1] == model->unknown;
}

/* Write the ids of a word whose places are known onto the end of the ids. */
static inline int uni_finish(const uni_model_t *model, uni_room_t *room, const uint8_t *word, size_t length) {
    uni_way_t way = {NULL, NULL, 0};
    size_t at = (size_t)(word - room->text.bytes), unknown_at, i, fused;
    if (uni_make_ids(room, room->count + 3 * length + WORD_COPY)) return UNI_MEMORY;
    way.ids = room->ids + room->count;
    if (room->wants_begins) way.begins = room->begins + room->count;
    unknown_at = uni_walk(model, word, length, room->places, &way);
    if (unknown_at < length && model->unknown < 0 && !model->byte_fallback) {
        room->unknown_at = at + unknown_at;
        return UNI_UNKNOWN;
    }
    fused = (size_t)uni_fuses(model, room, way.ids);
    if (fused) memmove(way.ids, way.ids + 1, (way.count - 1) * sizeof *way.ids);
    if (way.begins)
        for (i = fused; i < way.count; i++) way.begins[i - fused] = way.begins[i] + (int64_t)at;
    room->count += way.count - fused;
    return UNI_DONE;
}

/* Encode a word with the sum as it is. */
static inline int uni_word(const uni_model_t *model, uni_room_t *room, const uint8_t *word, size_t length) {
    if (uni_make_places(room, length)) return UNI_MEMORY;
    if (model->single) {
        uni_search(model, word, length, room->sum, room->places, 1);
        room->sum = room->places[length].score;
    } else {
        uni_search(model, word, length, 0, room->places, 0);
    }
    return uni_finish(model, room, word, length);
}

/* Encode a short word that is not in the cache, and keep it unless there is something unknown in it. */
static inline int uni_miss(const uni_model_t *model, uni_room_t *room, word_key_t key, const uint8_t *word, size_t length) {
    int32_t record[UNI_LONGEST + 1];
    uni_way_t way = {record + 1, NULL, 0};
    float limit;
    size_t at;
    if (uni_make_places(room, length)) return UNI_MEMORY;
    limit = (float)(uni_search_exactly(model, word, length, room->places) * 0.999);
    for (at = length; at; at -= room->places[at].length)
        if (room->places[at].id < 0) return uni_word(model, room, word, length);
    if (!model->single) limit = FLT_MAX;
    memcpy(record, &limit, sizeof limit);
    uni_walk(model, word, length, room->places, &way);
    word_keep(&room->cache, key, word, record, way.count + 1);
    if (fabs(room->sum) >= limit) return uni_word(model, room, word, length);
    memcpy(room->ids + room->count, record + 1, way.count * sizeof(int32_t));
    room->count += way.count;
    for (at = 0; at < way.count && model->single; at++) room->sum = (float)room->sum + model->singles[record[1 + at]];
    return UNI_DONE;
}

typedef struct {
    const uint8_t *words[UNI_BATCH];
    size_t lengths[UNI_BATCH];
    word_key_t keys[UNI_BATCH];
} uni_batch_t;

/* Encode the words of a batch, for whose ids there is room. */
static inline int uni_emit(const uni_model_t *model, uni_room_t *room, const uni_batch_t *batch, size_t ready) {
    float sum = (float)room->sum;
    int32_t *out = room->ids + room->count;
    size_t i, k;
    for (i = 0; i < ready; i++) {
        const uint8_t *word = batch->words[i];
        size_t length = batch->lengths[i];
        int is_short = length <= UNI_LONGEST && !room->wants_begins, status;
        const word_slot_t *slot = is_short ? word_find(&room->cache, batch->keys[i], word) : NULL;
        if (WORD_LIKELY(slot != NULL)) {
            const int32_t *record = word_slot_ids(&room->cache, slot);
            float limit;
            memcpy(&limit, record, sizeof limit);
            if (WORD_LIKELY(fabsf(sum) < limit)) {
                float grown = sum;
                for (k = 1; k < slot->count; k++) {
                    grown += model->singles[record[k]];
                    *out++ = record[k];
                }
                if (model->single) sum = grown;
                continue;
            }
        }
        /* Anything else goes on from what the room says. */
        room->sum = sum;
        room->count = (size_t)(out - room->ids);
        status = is_short && !slot ? uni_miss(model, room, batch->keys[i], word, length) : uni_word(model, room, word, length);
        if (status) return status;
        sum = (float)room->sum;
        out = room->ids + room->count;
    }
    room->sum = sum;
    room->count = (size_t)(out - room->ids);
    return UNI_DONE;
}

/* Where words end among the next 64 places of a text, as bits; the end of the text is one. Without a branch for each place, as it is a matter of
 * chance. */
static inline uint64_t uni_ends(const uni_model_t *model, const uint8_t *text, size_t at, size_t length) {
    size_t count = length - at < 64 ? length - at : 64, i;
    uint64_t ends = count < 64 ? (uint64_t)1 << count : 0;
    for (i = 0; i < count; i++) ends |= (uint64_t)!uni_is_joined(model, text[at + i - 1], text[at + i]) << i;
    return ends;
}

static inline int uni_emit_batch(const uni_model_t *model, uni_room_t *room, const uni_batch_t *batch, size_t *ready, size_t *bytes) {
    int status = uni_make_ids(room, room->count + 3 * *bytes + WORD_COPY);
    if (!status) status = uni_emit(model, room, batch, *ready);
    *ready = *bytes = 0;
    return status;
}

/* Encode the normalized text of the room onto the end of its ids. */
static inline int uni_encode_text(const uni_model_t *model, uni_room_t *room) {
    uni_batch_t batch;
    const uint8_t *text = room->text.bytes;
    size_t length = room->text.count, begin = 0, at, ready = 0, bytes = 0;
    room->first = room->count;
    room->sum = 0;
    for (at = 1; begin < length; at += 64) {
        uint64_t ends = uni_ends(model, text, at, length);
        for (; ends; ends &= ends - 1) {
            size_t end = at + (size_t)word_lowest_bit(ends), size = end - begin;
            batch.words[ready] = text + begin;
            batch.lengths[ready] = size;
            if (size <= UNI_LONGEST) {
                /* Behind the text there is room that can be read. */
                batch.keys[ready] = word_key(text + begin, size, room->text.capacity - begin);
                WORD_PREFETCH(room->cache.slots + (batch.keys[ready].hash >> room->cache.shift));
                bytes += size;
            }
            ready++;
            begin = end;
            if (ready == UNI_BATCH) {
                int status = uni_emit_batch(model, room, &batch, &ready, &bytes);
                if (status) return status;
            }
        }
    }
    return uni_emit_batch(model, room, &batch, &ready, &bytes);
}
#endif
