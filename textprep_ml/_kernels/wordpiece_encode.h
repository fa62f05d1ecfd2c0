/* WordPiece encoding of one word, as word_runs.h asks for it: of a word as it is, or of a raw one that is rewritten and cut first. */
#ifndef TEXTPREP_WORDPIECE_ENCODE_H
#define TEXTPREP_WORDPIECE_ENCODE_H
#include "bert_basic.h"
#include "wordpiece_model.h"

/* Tell the bytes of the pieces of a word that was encoded as it is. */
static inline void wp_places(const uint32_t *lengths, word_pieces_t *pieces) {
    size_t i, at = 0;
    for (i = 0; pieces->begins && i < pieces->count; i++) {
        pieces->begins[i] = at;
        at += lengths[i];
        pieces->ends[i] = at;
    }
}

/* Tell the bytes of the raw word that the pieces from `first` on come from, of a word that is spelled by `chars`. Marks may have changed places. */
static inline void wp_sources(const uint32_t *lengths, word_pieces_t *pieces, size_t first, const bert_char_t *chars) {
    size_t i, covered;
    for (i = first; pieces->begins && i < pieces->count; i++) {
        size_t begin = chars->begin, end = chars->end;
        for (covered = 0; covered < lengths[i]; chars++) {
            covered += bert_spell(chars, 1, NULL);
            begin = chars->begin < begin ? chars->begin : begin;
            end = chars->end > end ? chars->end : end;
        }
        pieces->begins[i] = begin;
        pieces->ends[i] = end;
    }
}

static inline int wp_encode_raw(const wp_model_t *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces) {
    size_t most = BERT_GROWTH * length + 2, count, at = 0, end;
    bert_char_t *chars = (bert_char_t *)word_make_room(room, most * (2 * sizeof(bert_char_t) + 4 + sizeof(uint32_t)));
    uint32_t *lengths = (uint32_t *)(chars + 2 * most);
    uint8_t *spelled = (uint8_t *)(lengths + most);
    wp_output_t out = {pieces->ids, lengths, 0};
    if (!chars) return WORD_MEMORY;
    count = bert_rewrite(word, length, model->basic, chars, chars + most);
    for (; at < count; at = end) {
        size_t size, first = out.count;
        end = at + 1;
        if (bert_is_space(chars[at].code)) continue;
        end = bert_word_end(chars, count, at);
        size = bert_spell(chars + at, end - at, spelled);
        if (wp_cut(model, spelled, size, &out)) {
            pieces->unknown_at = chars[at].begin;
            return WORD_UNKNOWN;
        }
        pieces->count = out.count;
        wp_sources(lengths, pieces, first, chars + at);
    }
    return WORD_DONE;
}

/* Encode a word of which every byte is one of the raw word. */
static inline int wp_encode_same(const wp_model_t *model, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces) {
    uint32_t *lengths = (uint32_t *)word_make_room(room, length * (sizeof(uint32_t) + 1) + sizeof(uint32_t));
    wp_output_t out = {pieces->ids, lengths, 0};
    if (!lengths) return WORD_MEMORY;
    if (model->basic > 0) {
        uint8_t *spelled = (uint8_t *)(lengths + length + 1);
        bert_rewrite_plain(word, length, model->basic, spelled);
        word = spelled;
    }
    pieces->unknown_at = 0;
    if (wp_cut(model, word, length, &out)) return WORD_UNKNOWN;
    pieces->count = out.count;
    wp_places(lengths, pieces);
    return WORD_DONE;
}

static inline int wp_encode_word(const void *tables, word_room_t *room, const uint8_t *word, size_t length, word_pieces_t *pieces) {
    const wp_model_t *model = (const wp_model_t *)tables;
    pieces->count = 0;
    if (length > UINT32_MAX / 64) return WORD_MEMORY;
    if (model->basic < 0 || bert_is_plain(word, length)) return wp_encode_same(model, room, word, length, pieces);
    return wp_encode_raw(model, room, word, length, pieces);
}
#endif
