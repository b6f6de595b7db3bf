/* mum.c - driver of the suffix tree matching: builds the tree of a random reference (Ukkonen,
 * "On-line construction of suffix trees", Algorithmica 14, 1995) and cuts queries out of it. The
 * reference knows no tree: it tries every place where eight characters agree. */
#include "workloads/support.h"

#include <inttypes.h>

#define THREADS     256
#define QUERY       25
#define LEAST_MATCH 20
#define NODE_WIDTH  256 /* of the textures of nodes, whose numbers go down NODE_ROWS rows first */
#define NODE_ROWS   32
#define TEXT_WIDTH  4096 /* of the texture of the reference, likewise */
#define TEXT_ROWS   4
#define KEY         8 /* characters of the index of the CPU reference */
#define KEYS        (1 << 2 * KEY)

typedef struct node {
    int32_t start, end; /* of the edge that leads here */
    int32_t link;
    int32_t child[4]; /* 0: none */
} node;

typedef struct tree {
    const uint8_t *text;
    int32_t length; /* of the text */
    node *nodes;    /* 0: the root */
    int32_t count;
    int32_t unlinked; /* the node that waits for its suffix link */
} tree;

static int32_t add_node(tree *t, int32_t start, int32_t end)
{
    t->nodes[t->count] = (node){.start = start, .end = end};
    return t->count++;
}

static void link_to(tree *t, int32_t target)
{
    if (t->unlinked > 0) {
        t->nodes[t->unlinked].link = target;
    }
    t->unlinked = target;
}

/* Splits the edge to a child after length characters and hangs a leaf for text[i] there. */
static void split(tree *t, int32_t parent, int32_t child, int32_t length, int32_t i)
{
    node *nodes = t->nodes;
    const int32_t start = nodes[child].start;
    const int32_t middle = add_node(t, start, start + length);
    nodes[parent].child[t->text[start]] = middle;
    nodes[middle].child[t->text[i]] = add_node(t, i, t->length);
    nodes[child].start += length;
    nodes[middle].child[t->text[nodes[child].start]] = child;
    link_to(t, middle);
}

static void build_tree(tree *t)
{
    int32_t at = 0, edge = 0, along = 0, pending = 0; /* the active point; suffixes to add */
    add_node(t, 0, 0);
    for (int32_t i = 0; i < t->length; i++) {
        t->unlinked = 0;
        for (pending++; pending > 0; pending--) {
            int32_t child;
            for (;;) { /* down to the edge on which the active point lies */
                edge = along == 0 ? i : edge;
                child = t->nodes[at].child[t->text[edge]];
                const int32_t length = child ? t->nodes[child].end - t->nodes[child].start : 0;
                if (!child || along < length) {
                    break;
                }
                at = child;
                edge += length;
                along -= length;
            }
            if (!child) {
                t->nodes[at].child[t->text[edge]] = add_node(t, i, t->length);
                link_to(t, at);
            } else if (t->text[t->nodes[child].start + along] == t->text[i]) {
                along++;
                link_to(t, at);
                break;
            } else {
                split(t, at, child, along, i);
            }
            if (at == 0 && along > 0) {
                along--;
                edge = i - pending + 2;
            } else {
                at = t->nodes[at].link;
            }
        }
    }
}

/* Characters on the path to each node's parent. */
static ww_status find_depths(ww__bench *bench, const tree *t, int32_t **out)
{
    int32_t *depth, *stack, top = 0;
    WW_TRY(ww__host_array(bench, (size_t)t->count, sizeof *depth, &depth));
    WW_TRY(ww__host_array(bench, (size_t)t->count, sizeof *stack, &stack));
    stack[top++] = 0;
    while (top > 0) {
        const int32_t n = stack[--top];
        for (int c = 0; c < 4; c++) {
            const int32_t child = t->nodes[n].child[c];
            if (child) {
                depth[child] = depth[n] + t->nodes[n].end - t->nodes[n].start;
                stack[top++] = child;
            }
        }
    }
    *out = depth;
    return WW_OK;
}

/* Place of element i in a texture whose elements go down some rows first. */
static uint32_t place(uint32_t i, uint32_t width, uint32_t rows, uint32_t *y)
{
    *y = i / rows / width * rows + i % rows;
    return i / rows % width;
}

static uint32_t node_address(int32_t n)
{
    uint32_t y;
    const uint32_t x = place((uint32_t)n, NODE_WIDTH, NODE_ROWS, &y);
    return x | y << 16;
}

static int32_t node_at(uint32_t address)
{
    const uint32_t x = address & 0xffff;
    const uint32_t y = address >> 16;
    return (int32_t)((y / NODE_ROWS * NODE_WIDTH + x) * NODE_ROWS + y % NODE_ROWS);
}

static ww_status make_texture(ww__bench *bench, const void *data, uint32_t width, uint32_t height,
                              uint8_t channels, uint8_t bits, uint64_t *handle)
{
    const uint64_t pitch = (uint64_t)width * channels * bits / 8;
    ww_texture texture = {.width = width,
                          .height = height,
                          .pitch = pitch,
                          .channels = channels,
                          .channel_bits = bits,
                          .channel = WW_TEX_UNSIGNED,
                          .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__upload(bench, data, (size_t)pitch * height, &texture.address));
    return ww__texture(bench, &texture, handle);
}

/* Textures of nodes, children and text, in this order. */
static ww_status upload_tree(ww__bench *bench, const tree *t, uint64_t handles[3])
{
    const uint32_t height = ww__pieces((size_t)t->count, NODE_WIDTH * NODE_ROWS) * NODE_ROWS;
    const uint32_t text_height = ww__pieces((size_t)t->length, TEXT_WIDTH * TEXT_ROWS) * TEXT_ROWS;
    uint32_t(*nodes)[4], (*children)[4], y;
    uint8_t *text;
    WW_TRY(ww__host_array(bench, (size_t)height * NODE_WIDTH, sizeof *nodes, &nodes));
    WW_TRY(ww__host_array(bench, (size_t)height * NODE_WIDTH, sizeof *children, &children));
    WW_TRY(ww__host_array(bench, (size_t)text_height * TEXT_WIDTH, 1, &text));
    for (int32_t n = 0; n < t->count; n++) {
        const node *from = &t->nodes[n];
        const uint32_t x = place((uint32_t)n, NODE_WIDTH, NODE_ROWS, &y);
        uint32_t *to = nodes[y * NODE_WIDTH + x];
        bool leaf = true;
        for (int c = 0; c < 4; c++) {
            const int32_t child = from->child[c];
            children[y * NODE_WIDTH + x][c] = child ? node_address(child) : 0;
            leaf &= !child;
        }
        to[0] = (uint32_t)from->start;
        to[1] = (uint32_t)from->end;
        to[2] = node_address(from->link);
        to[3] = leaf;
    }
    for (int32_t i = 0; i < t->length; i++) {
        const uint32_t x = place((uint32_t)i, TEXT_WIDTH, TEXT_ROWS, &y);
        text[y * TEXT_WIDTH + x] = t->text[i];
    }
    WW_TRY(make_texture(bench, nodes, NODE_WIDTH, height, 4, 32, &handles[0]));
    WW_TRY(make_texture(bench, children, NODE_WIDTH, height, 4, 32, &handles[1]));
    return make_texture(bench, text, TEXT_WIDTH, text_height, 1, 8, &handles[2]);
}

static uint32_t key_of(const uint8_t *text)
{
    uint32_t key = 0;
    for (int i = 0; i < KEY; i++) {
        key = key << 2 | text[i];
    }
    return key;
}

/* Places of the text by the key that starts there: those of key k are place[first[k]] and on. */
typedef struct index {
    int32_t first[KEYS + 1];
    int32_t *place;
} index;

static ww_status make_index(ww__bench *bench, const tree *t, index *x)
{
    const int32_t places = t->length - KEY + 1;
    int32_t next[KEYS];
    WW_TRY(ww__host_array(bench, (size_t)places, sizeof *x->place, &x->place));
    for (int32_t i = 0; i < places; i++) {
        x->first[key_of(&t->text[i]) + 1]++;
    }
    for (int k = 0; k < KEYS; k++) {
        x->first[k + 1] += x->first[k];
        next[k] = x->first[k];
    }
    for (int32_t i = 0; i < places; i++) {
        x->place[next[key_of(&t->text[i])]++] = i;
    }
    return WW_OK;
}

/* Characters from which on text and query differ. */
static int32_t common(const tree *t, int32_t at, const uint8_t *query, int32_t length)
{
    int32_t n = 0;
    while (n < length && at + n < t->length && t->text[at + n] == query[n]) {
        n++;
    }
    return n;
}

static int32_t longest(const tree *t, const index *x, const uint8_t *query, int32_t length)
{
    const uint32_t key = key_of(query);
    int32_t most = 0;
    for (int32_t i = x->first[key]; i < x->first[key + 1]; i++) {
        const int32_t n = common(t, x->place[i], query, length);
        most = n > most ? n : most;
    }
    return most;
}

/* Every match must be as long as the longest that there is, and be one. */
static ww_status verify(ww__bench *bench, const tree *t, const uint8_t *queries, uint32_t count,
                        const uint32_t (*result)[2])
{
    index *x;
    int32_t *depth;
    WW_TRY(ww__host_array(bench, 1, sizeof *x, &x));
    WW_TRY(make_index(bench, t, x));
    WW_TRY(find_depths(bench, t, &depth));
    for (uint32_t i = 0; i < count * QUERY; i++) {
        const int32_t left = QUERY - (int32_t)(i % QUERY);
        const int32_t most = left < LEAST_MATCH ? 0 : longest(t, x, &queries[i], left);
        const int32_t expected = most < LEAST_MATCH ? 0 : most;
        const int32_t length = (int32_t)result[i][1];
        const int32_t n = node_at(result[i][0]);
        int32_t found = 0;
        if (length > 0 && n > 0 && n < t->count) {
            const int32_t at =
                t->nodes[n].start - depth[n]; /* the path to n is the text from there */
            found = at < 0 ? 0 : common(t, at, &queries[i], length);
        }
        if (length != expected || found != expected) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: match %" PRIu32 " of %" PRId32 " characters, %" PRId32
                           " of them right, expected %" PRId32,
                           bench->name, i, length, found, expected);
        }
    }
    return WW_OK;
}

/* Pieces of the text; one character in fifty is another. */
static ww_status make_queries(ww__bench *bench, const tree *t, uint32_t count, uint8_t **queries,
                              int32_t **offset)
{
    WW_TRY(ww__host_array(bench, (size_t)count * QUERY, 1, queries));
    WW_TRY(ww__host_array(bench, (size_t)count + 1, sizeof **offset, offset));
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t at = ww__random_below(bench, (uint32_t)(t->length - QUERY + 1));
        for (uint32_t i = 0; i < QUERY; i++) {
            const bool other = ww__random_below(bench, 50) == 0;
            const uint32_t base = t->text[at + i] + (other ? 1 + ww__random_below(bench, 3) : 0);
            (*queries)[q * QUERY + i] = (uint8_t)(base % 4);
        }
        (*offset)[q + 1] = (int32_t)((q + 1) * QUERY);
    }
    return WW_OK;
}

static ww_status make_tree(ww__bench *bench, int32_t length, tree *t)
{
    uint8_t *text;
    WW_TRY(ww__host_array(bench, (size_t)length, 1, &text));
    for (int32_t i = 0; i < length; i++) {
        text[i] = (uint8_t)ww__random_below(bench, 4);
    }
    *t = (tree){.text = text, .length = length};
    WW_TRY(ww__host_array(bench, 2 * (size_t)length, sizeof *t->nodes, &t->nodes));
    build_tree(t);
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t length;
        uint32_t queries;
    } inputs[] = {{5000, 260}, {100000, 8192}, {200000, 61440}, {1400000, 50000}};
    const uint32_t count = inputs[size].queries;
    const int32_t query_count = (int32_t)count;
    const int32_t least_match = LEAST_MATCH;
    const size_t characters = (size_t)count * QUERY;

    tree t;
    uint8_t *queries;
    int32_t *offset;
    uint64_t textures[3];
    ww_devptr device_queries, device_offset, result;
    WW_TRY(make_tree(bench, inputs[size].length, &t));
    WW_TRY(make_queries(bench, &t, count, &queries, &offset));
    WW_TRY(upload_tree(bench, &t, textures));
    WW_TRY(ww__upload(bench, queries, characters, &device_queries));
    WW_TRY(ww__upload(bench, offset, ((size_t)count + 1) * sizeof *offset, &device_offset));
    WW_TRY(ww__buffer(bench, characters * 2 * sizeof(uint32_t), &result));
    WW_TRY(
        ww_device_memset(bench->device, result, 0, characters * 2 * sizeof(uint32_t), bench->err));
    WW_TRY(WW__LAUNCH(bench, "mummergpuKernel", ww__dim(ww__pieces(count, THREADS), 1),
                      ww__dim(THREADS, 1), 0, &result, &device_queries, &device_offset,
                      &query_count, &least_match, &textures[0], &textures[1], &textures[2]));

    const uint32_t(*matches)[2];
    WW_TRY(ww__download(bench, result, characters * 2 * sizeof(uint32_t), &matches));
    return verify(bench, &t, queries, count, matches);
}

ww_status ww_mum_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "mum", &ww__ptx_mum, size, run, err);
}
