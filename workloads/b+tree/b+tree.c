/* b+tree.c - driver of the tree queries: builds a tree of random keys from its leaves upwards; the
 * reference searches the sorted keys. */
#include "workloads/support.h"

#include <limits.h>

#define ORDER   256 /* most keys of a node, and threads per CTA */
#define MISSING (-1)

/* The same as in b+tree.cu. */
typedef struct node {
    int32_t location;
    int32_t indices[ORDER + 1];
    int32_t keys[ORDER + 1];
    int32_t is_leaf;
    int32_t key_count;
} node;

typedef struct tree {
    int32_t key_count;
    int32_t *keys;    /* rising, all different; the record of key i is records[i] */
    int32_t *records; /* random values */
    node *nodes;      /* nodes[0] is the root */
    int32_t node_count;
    int32_t height; /* levels above the leaves */
} tree;

/* Children of a level's next node: three quarters of the order on average, and never one alone at
 * the end. */
static int32_t fill(ww__bench *bench, int32_t rest)
{
    const int32_t wish = ORDER / 2 + (int32_t)ww__random_below(bench, ORDER / 2);
    return rest <= ORDER - 1 ? rest : rest - wish < 2 ? rest / 2 : wish;
}

/* The first key of the subtree at place i of a level, from the least of all keys on. */
typedef struct entry {
    int32_t key, index;
} entry;

/* Packs a level's entries into nodes from *used on and leaves an entry per node in their stead. */
static int32_t pack(ww__bench *bench, tree *t, entry *level, int32_t count, bool leaves,
                    int32_t *used)
{
    int32_t made = 0;
    for (int32_t done = 0; done < count;) {
        const int32_t n = fill(bench, count - done);
        node *p = &t->nodes[*used];
        *p = (node){.location = *used, .is_leaf = leaves, .key_count = n};
        for (int32_t k = 0; k <= ORDER; k++) {
            p->keys[k] = k < n ? level[done + k].key : INT_MAX;
            p->indices[k] = k < n ? level[done + k].index : 0;
        }
        const entry up = {level[done].key, *used};
        if (!leaves && done == 0) {
            p->keys[0] = INT_MIN; /* smaller keys than all go left as well */
        }
        level[made++] = up;
        done += n;
        (*used)++;
    }
    return made;
}

/* Node 0 becomes the root: it changes places with the last made. */
static void root_first(tree *t)
{
    const int32_t last = t->node_count - 1;
    for (int32_t i = 0; i < t->node_count; i++) {
        for (int32_t k = 0; !t->nodes[i].is_leaf && k < t->nodes[i].key_count; k++) {
            int32_t *index = &t->nodes[i].indices[k];
            *index = *index == 0 ? last : *index == last ? 0 : *index;
        }
    }
    const node swap = t->nodes[0];
    t->nodes[0] = t->nodes[last];
    t->nodes[last] = swap;
}

static ww_status make_tree(ww__bench *bench, int32_t key_count, tree *t)
{
    entry *level = NULL;
    t->key_count = key_count;
    WW_TRY(ww__host_array(bench, (size_t)key_count, sizeof *t->keys, &t->keys));
    WW_TRY(ww__host_array(bench, (size_t)key_count, sizeof *t->records, &t->records));
    WW_TRY(ww__host_array(bench, (size_t)key_count, sizeof *level, &level));
    WW_TRY(ww__host_array(bench, (size_t)key_count / 64 + 8, sizeof *t->nodes, &t->nodes));
    int32_t key = 0;
    for (int32_t i = 0; i < key_count; i++) {
        key += 2 + (int32_t)ww__random_below(bench, 7); /* so that key + 1 does not exist */
        t->keys[i] = key;
        t->records[i] = (int32_t)ww__random_below(bench, 1u << 30);
        level[i] = (entry){key, i};
    }
    int32_t count = pack(bench, t, level, key_count, true, &t->node_count);
    while (count > 1) {
        count = pack(bench, t, level, count, false, &t->node_count);
        t->height++;
    }
    root_first(t);
    return WW_OK;
}

/* The first key of a random leaf: where a node's neighbours meet. */
static int32_t first_of_leaf(ww__bench *bench, const tree *t)
{
    for (;;) {
        const node *n = &t->nodes[ww__random_below(bench, (uint32_t)t->node_count)];
        if (n->is_leaf) {
            return n->keys[0];
        }
    }
}

/* Rank of a key, or MISSING; by halving. */
static int32_t rank(const tree *t, int32_t key)
{
    int32_t low = 0;
    int32_t high = t->key_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (t->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < t->key_count && t->keys[low] == key ? low : MISSING;
}

/* *out = device array of n times a value. */
static ww_status upload_filled(ww__bench *bench, size_t n, int32_t value, ww_devptr *out)
{
    int32_t *array = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *array, &array));
    for (size_t i = 0; i < n; i++) {
        array[i] = value;
    }
    return ww__upload(bench, array, n * sizeof *array, out);
}

/* Point queries, one in eight of a key that does not exist, one of the first key of a leaf. */
static ww_status find(ww__bench *bench, const tree *t, ww_devptr nodes, size_t queries)
{
    const size_t bytes = queries * sizeof(int32_t);
    int32_t *keys, *expected, *actual;
    WW_TRY(ww__host_array(bench, queries, sizeof *keys, &keys));
    WW_TRY(ww__host_array(bench, queries, sizeof *expected, &expected));
    for (size_t i = 0; i < queries; i++) {
        keys[i] = t->keys[ww__random_below(bench, (uint32_t)t->key_count)] + (i % 8 == 7);
        if (i % 8 == 3) {
            keys[i] = first_of_leaf(bench, t);
        }
        const int32_t found = rank(t, keys[i]);
        expected[i] = found == MISSING ? MISSING : t->records[found];
    }
    ww_devptr records, current, next, device_keys, answers;
    WW_TRY(ww__upload(bench, t->records, (size_t)t->key_count * sizeof *t->records, &records));
    WW_TRY(upload_filled(bench, queries, 0, &current));
    WW_TRY(upload_filled(bench, queries, 0, &next));
    WW_TRY(ww__upload(bench, keys, bytes, &device_keys));
    WW_TRY(upload_filled(bench, queries, MISSING, &answers));
    WW_TRY(WW__LAUNCH(bench, "findK", ww__dim((unsigned)queries, 1), ww__dim(ORDER, 1), 0,
                      &t->height, &nodes, &t->node_count, &records, &current, &next, &device_keys,
                      &answers));
    WW_TRY(ww__download(bench, answers, bytes, &actual));
    return ww__verify_ints(bench, "answer", actual, expected, queries);
}

/* Ranges of up to `longest` keys; the end of one in eight does not exist, one in eight is the first
 * key of a leaf alone. */
static ww_status find_ranges(ww__bench *bench, const tree *t, ww_devptr nodes, size_t queries,
                             uint32_t longest)
{
    const size_t bytes = queries * sizeof(int32_t);
    int32_t *starts, *ends, *expected_first, *expected_length, *first, *length;
    WW_TRY(ww__host_array(bench, queries, sizeof *starts, &starts));
    WW_TRY(ww__host_array(bench, queries, sizeof *ends, &ends));
    WW_TRY(ww__host_array(bench, queries, sizeof *expected_first, &expected_first));
    WW_TRY(ww__host_array(bench, queries, sizeof *expected_length, &expected_length));
    for (size_t i = 0; i < queries; i++) {
        const uint32_t n = 1 + ww__random_below(bench, longest);
        const uint32_t start = ww__random_below(bench, (uint32_t)t->key_count - n + 1);
        starts[i] = t->keys[start];
        ends[i] = t->keys[start + n - 1] + (i % 8 == 7);
        if (i % 8 == 3) {
            starts[i] = first_of_leaf(bench, t);
            ends[i] = starts[i];
        }
        expected_first[i] = rank(t, starts[i]);
        const int32_t last = rank(t, ends[i]);
        expected_length[i] = last == MISSING ? MISSING : last - expected_first[i] + 1;
    }
    ww_devptr device_starts, device_ends, firsts, lengths, descent[4];
    for (size_t k = 0; k < WW_ARRAY_LEN(descent); k++) {
        WW_TRY(upload_filled(bench, queries, 0, &descent[k]));
    }
    WW_TRY(ww__upload(bench, starts, bytes, &device_starts));
    WW_TRY(ww__upload(bench, ends, bytes, &device_ends));
    WW_TRY(upload_filled(bench, queries, MISSING, &firsts));
    WW_TRY(upload_filled(bench, queries, MISSING, &lengths));
    WW_TRY(WW__LAUNCH(bench, "findRangeK", ww__dim((unsigned)queries, 1), ww__dim(ORDER, 1), 0,
                      &t->height, &nodes, &t->node_count, &descent[0], &descent[1], &descent[2],
                      &descent[3], &device_starts, &device_ends, &firsts, &lengths));
    WW_TRY(ww__download(bench, firsts, bytes, &first));
    WW_TRY(ww__download(bench, lengths, bytes, &length));
    WW_TRY(ww__verify_ints(bench, "first record", first, expected_first, queries));
    return ww__verify_ints(bench, "length", length, expected_length, queries);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t keys;
        uint32_t points, ranges, longest;
    } inputs[] = {{4099, 16, 11, 300},
                  {65536, 400, 200, 3000},
                  {250000, 1600, 1000, 3000},
                  {1000000, 10000, 6000, 3000}};

    tree t = {0};
    ww_devptr nodes;
    WW_TRY(make_tree(bench, inputs[size].keys, &t));
    WW_TRY(ww__upload(bench, t.nodes, (size_t)t.node_count * sizeof *t.nodes, &nodes));
    WW_TRY(find(bench, &t, nodes, inputs[size].points));
    return find_ranges(bench, &t, nodes, inputs[size].ranges, inputs[size].longest);
}

ww_status ww_b_tree_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "b+tree", &ww__ptx_b_tree, size, run, err);
}
