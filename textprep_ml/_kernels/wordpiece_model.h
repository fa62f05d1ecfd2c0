/* The pieces of a WordPiece model as a trie with failure links (Song et al. 2021, Fast WordPiece tokenization).
 *
 * There are two roots: one for pieces at the beginning of a word, one for what follows the prefix in pieces inside a word. A node whose string
 * is a piece fails to the second root, and that piece is popped. Any other node fails to where the string ends up after its longest pieces are
 * taken away one by one, and those are popped. A node from which that is impossible has no failure link: there the word is unknown.
 */
#ifndef TEXTPREP_WORDPIECE_MODEL_H
#define TEXTPREP_WORDPIECE_MODEL_H
#include "word_runs.h"

#define WP_NONE 0xFFFFFFFFu
#define WP_FIRST 0u  /* the root for the beginning of a word */
#define WP_INSIDE 1u /* the root for what follows a prefix */
#define WP_MOST_NODES ((uint32_t)1 << 24)

typedef struct {
    uint32_t id;     /* of a piece */
    uint32_t length; /* in bytes, without the prefix */
} wp_pop_t;

typedef struct {
    uint32_t fail;        /* a node, or WP_NONE */
    uint32_t pops, n;     /* where its own pops begin, and their number; those of `before` come first */
    uint32_t before;      /* a node, or WP_NONE */
    uint32_t total;       /* the number of all its pops */
    uint32_t id, length;  /* of the piece that ends here, or WP_NONE; bytes from the root */
    uint32_t parent;
    uint8_t byte;         /* that leads here */
    uint8_t size;         /* bytes of the first character */
} wp_node_t;

typedef struct {
    wp_node_t *nodes;
    uint32_t count, room;
    uint64_t *edges; /* open addressing: node << 8 | byte in the upper half, the child in the lower one; 0 for none */
    uint64_t mask, used;
    wp_pop_t *pops;
    size_t pops_count, pops_room;
    int64_t unknown; /* id, or -1 for an error */
    size_t most;     /* characters of a word that may be known */
    int partial;     /* what no piece begins with is unknown character by character, not with its whole word */
    int basic;       /* flags of BERT's basic tokenization, or -1 where words come as they are */
} wp_model_t;

static inline uint64_t wp_place(const wp_model_t *model, uint32_t key) {
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 32) & model->mask;
}

/* The child of a node along a byte, or WP_NONE. */
static inline uint32_t wp_step(const wp_model_t *model, uint32_t node, uint8_t byte) {
    uint32_t key = node << 8 | byte;
    uint64_t at = wp_place(model, key);
    for (; model->edges[at]; at = (at + 1) & model->mask)
        if (model->edges[at] >> 32 == key) return (uint32_t)model->edges[at];
    return WP_NONE;
}

static inline void wp_free(wp_model_t *model) {
    free(model->nodes);
    free(model->edges);
    free(model->pops);
}

/* Building. */

static inline uint32_t wp_new_node(wp_model_t *model, uint32_t parent, uint8_t byte) {
    wp_node_t *node;
    if (model->count == model->room) {
        uint32_t room = model->room ? model->room * 2 : 1024;
        void *more = room > WP_MOST_NODES ? NULL : realloc(model->nodes, room * sizeof *model->nodes);
        if (!more) return WP_NONE;
        model->nodes = (wp_node_t *)more;
        model->room = room;
    }
    node = model->nodes + model->count;
    memset(node, 0, sizeof *node);
    node->fail = node->before = node->id = WP_NONE;
    node->parent = parent;
    node->byte = byte;
    if (parent != WP_NONE) {
        const wp_node_t *above = model->nodes + parent;
        node->length = above->length + 1;
        node->size = above->length ? above->size : byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    }
    return model->count++;
}

static inline int wp_grow_edges(wp_model_t *model) {
    uint64_t *old = model->edges, size = model->edges ? model->mask + 1 : 0, i;
    uint64_t fresh = size ? size * 2 : 4096;
    if (size && model->used * 2 < size) return WORD_DONE;
    model->edges = (uint64_t *)calloc(fresh, sizeof *model->edges);
    if (!model->edges) {
        model->edges = old;
        return WORD_MEMORY;
    }
    model->mask = fresh - 1;
    for (i = 0; i < size; i++) {
        uint64_t at;
        if (!old[i]) continue;
        for (at = wp_place(model, (uint32_t)(old[i] >> 32)); model->edges[at]; at = (at + 1) & model->mask) {}
        model->edges[at] = old[i];
    }
    free(old);
    return WORD_DONE;
}

static inline int wp_init(wp_model_t *model) {
    if (wp_grow_edges(model)) return WORD_MEMORY;
    return wp_new_node(model, WP_NONE, 0) == WP_FIRST && wp_new_node(model, WP_NONE, 0) == WP_INSIDE ? WORD_DONE : WORD_MEMORY;
}

/* Add a piece below a root; of equal ones the first stays. */
static inline int wp_add(wp_model_t *model, uint32_t root, const uint8_t *piece, size_t length, uint32_t id) {
    uint32_t node = root;
    size_t i;
    for (i = 0; i < length; i++) {
        uint32_t child = wp_step(model, node, piece[i]);
        if (child == WP_NONE) {
            uint32_t key = node << 8 | piece[i];
            uint64_t at;
            if (wp_grow_edges(model)) return WORD_MEMORY;
            child = wp_new_node(model, node, piece[i]);
            if (child == WP_NONE) return WORD_MEMORY;
            for (at = wp_place(model, key); model->edges[at]; at = (at + 1) & model->mask) {}
            model->edges[at] = (uint64_t)key << 32 | child;
            model->used++;
        }
        node = child;
    }
    if (length && model->nodes[node].id == WP_NONE) model->nodes[node].id = id;
    return WORD_DONE;
}

/* Make room for `n` more pops; the list may move. */
static inline int wp_reserve(wp_model_t *model, size_t n) {
    size_t wanted = model->pops_count + n, room = wanted + wanted / 2 + 1024;
    void *more;
    if (wanted <= model->pops_room) return WORD_DONE;
    more = room > UINT32_MAX ? NULL : realloc(model->pops, room * sizeof *model->pops);
    if (!more) return WORD_MEMORY;
    model->pops = (wp_pop_t *)more;
    model->pops_room = room;
    return WORD_DONE;
}

/* Let every character of a piece lead on inside a word, as something unknown unless it is a piece: see wp_link. */
static inline int wp_add_characters(wp_model_t *model, const uint8_t *piece, size_t length) {
    size_t at = 0;
    while (at < length) {
        size_t size = pretok_decode(piece, length, at).size;
        if (wp_add(model, WP_INSIDE, piece + at, size, WP_NONE)) return WORD_MEMORY;
        at += size;
    }
    return WORD_DONE;
}

/* Append the pops of a node to the list. */
static inline int wp_append(wp_model_t *model, uint32_t node) {
    size_t wanted = model->pops_count + model->nodes[node].total, at = wanted;
    if (wp_reserve(model, model->nodes[node].total)) return WORD_MEMORY;
    for (; node != WP_NONE; node = model->nodes[node].before) {
        const wp_node_t *owner = model->nodes + node;
        at -= owner->n;
        memmove(model->pops + at, model->pops + owner->pops, owner->n * sizeof *model->pops);
    }
    model->pops_count = wanted;
    return WORD_DONE;
}

/* Find where a node fails to, when that is known of all shorter strings. */
static inline int wp_link(wp_model_t *model, uint32_t at) {
    wp_node_t *node = model->nodes + at, *parent = model->nodes + node->parent;
    uint32_t from = parent->fail, to = WP_NONE;
    size_t first = model->pops_count;
    node->pops = (uint32_t)first;
    if (model->partial && model->unknown >= 0 && node->id == WP_NONE && node->length == node->size) node->id = (uint32_t)model->unknown;
    if (node->id != WP_NONE) {
        wp_pop_t pop = {node->id, node->length};
        node->fail = WP_INSIDE;
        node->n = node->total = 1;
        if (wp_reserve(model, 1)) return WORD_MEMORY;
        model->pops[model->pops_count++] = pop;
        return WORD_DONE;
    }
    while (from != WP_NONE) {
        to = wp_step(model, from, node->byte);
        if (to != WP_NONE) break;
        if (wp_append(model, from)) return WORD_MEMORY;
        from = model->nodes[from].fail;
    }
    if (to == WP_NONE) {
        model->pops_count = first;
        return WORD_DONE;
    }
    node->fail = to;
    node->n = (uint32_t)(model->pops_count - first);
    node->before = parent->n ? node->parent : parent->before;
    node->total = node->n + (node->before == WP_NONE ? 0 : model->nodes[node->before].total);
    return WORD_DONE;
}

/* Find all failure links, those of short strings first. */
static inline int wp_link_all(wp_model_t *model) {
    uint32_t *order = (uint32_t *)malloc((size_t)model->count * sizeof *order), longest = 0, i;
    size_t *firsts;
    int status = WORD_DONE;
    for (i = 0; i < model->count; i++) longest = model->nodes[i].length > longest ? model->nodes[i].length : longest;
    firsts = (size_t *)calloc((size_t)longest + 2, sizeof *firsts);
    if (!order || !firsts) status = WORD_MEMORY;
    if (!status) {
        for (i = 0; i < model->count; i++) firsts[model->nodes[i].length + 1]++;
        for (i = 0; i <= longest; i++) firsts[i + 1] += firsts[i];
        for (i = 0; i < model->count; i++) order[firsts[model->nodes[i].length]++] = i;
        for (i = 2; i < model->count && !status; i++) status = wp_link(model, order[i]); /* the roots come first */
    }
    free(order);
    free(firsts);
    return status;
}

/* Encoding. */

/* Where the pieces of a word go: ids, and the bytes of each. */
typedef struct {
    int32_t *ids;
    uint32_t *lengths;
    size_t count;
} wp_output_t;

static inline void wp_put(wp_output_t *out, uint32_t id, size_t length) {
    out->ids[out->count] = (int32_t)id;
    out->lengths[out->count++] = (uint32_t)length;
}

/* Write the pops of a node; give the bytes that they cover. */
static inline size_t wp_pop(const wp_model_t *model, uint32_t node, wp_output_t *out) {
    size_t end = out->count + model->nodes[node].total, covered = 0, i;
    out->count = end;
    for (; node != WP_NONE; node = model->nodes[node].before) {
        const wp_node_t *owner = model->nodes + node;
        const wp_pop_t *pops = model->pops + owner->pops;
        for (i = owner->n; i-- > 0;) {
            out->ids[--end] = (int32_t)pops[i].id;
            out->lengths[end] = pops[i].length;
            covered += pops[i].length;
        }
    }
    return covered;
}

static inline size_t wp_characters(const uint8_t *word, size_t length) {
    size_t count = 0, i;
    for (i = 0; i < length; i++) count += (word[i] & 0xC0) != 0x80;
    return count;
}

/* Cut a word into the longest pieces from left to right. WORD_UNKNOWN where that is impossible. */
static inline int wp_match(const wp_model_t *model, const uint8_t *word, size_t length, wp_output_t *out) {
    uint32_t node = WP_FIRST;
    size_t i = 0, at = 0; /* `at`: the first byte that no piece was found for yet */
    while (i < length || node != WP_INSIDE) {
        uint32_t next = i < length ? wp_step(model, node, word[i]) : WP_NONE;
        if (next != WP_NONE) {
            node = next;
            i++;
        } else if (model->nodes[node].fail != WP_NONE) {
            at += wp_pop(model, node, out);
            node = model->nodes[node].fail;
        } else {
            if (!model->partial || model->unknown < 0) return WORD_UNKNOWN;
            i = at + pretok_decode(word, length, at).size; /* the bytes so far are inside this character */
            wp_put(out, (uint32_t)model->unknown, i - at);
            at = i;
            node = WP_INSIDE;
        }
    }
    return WORD_DONE;
}

/* Encode one word; one that is unknown or too long becomes one id. */
static inline int wp_cut(const wp_model_t *model, const uint8_t *word, size_t length, wp_output_t *out) {
    size_t before = out->count;
    if (length <= model->most || wp_characters(word, length) <= model->most) {
        if (wp_match(model, word, length, out) == WORD_DONE) return WORD_DONE;
    }
    if (model->unknown < 0) return WORD_UNKNOWN;
    out->count = before;
    wp_put(out, (uint32_t)model->unknown, length);
    return WORD_DONE;
}
#endif
