/* bfs.c - driver of the breadth-first search on a random graph; the reference is a queue, and
 * exact. */
#include "workloads/support.h"

#define MAX_EDGES 11 /* per node; 6 on average */

typedef struct node {
    int32_t first, edges;
} node;

typedef struct graph {
    int32_t node_count;
    int32_t edge_count;
    node *nodes;
    int32_t *edges;
} graph;

static ww_status make_graph(ww__bench *bench, int32_t node_count, graph *g)
{
    g->node_count = node_count;
    g->edge_count = 0;
    WW_TRY(ww__host_array(bench, (size_t)node_count, sizeof *g->nodes, &g->nodes));
    for (int32_t v = 0; v < node_count; v++) {
        g->nodes[v].first = g->edge_count;
        g->nodes[v].edges = 1 + (int32_t)ww__random_below(bench, MAX_EDGES);
        g->edge_count += g->nodes[v].edges;
    }
    WW_TRY(ww__host_array(bench, (size_t)g->edge_count, sizeof *g->edges, &g->edges));
    for (int32_t e = 0; e < g->edge_count; e++) {
        g->edges[e] = (int32_t)ww__random_below(bench, (uint32_t)node_count);
    }
    return WW_OK;
}

/* Distances from node 0, -1 for nodes that cannot be reached; queue has room for every node. */
static void search(const graph *g, int32_t *cost, int32_t *queue)
{
    for (int32_t v = 0; v < g->node_count; v++) {
        cost[v] = -1;
    }
    int32_t head = 0;
    int32_t tail = 0;
    cost[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        const int32_t v = queue[head++];
        for (int32_t e = 0; e < g->nodes[v].edges; e++) {
            const int32_t neighbour = g->edges[g->nodes[v].first + e];
            if (cost[neighbour] < 0) {
                cost[neighbour] = cost[v] + 1;
                queue[tail++] = neighbour;
            }
        }
    }
}

/* Launches both kernels level by level until no node is new. */
static ww_status search_on_device(ww__bench *bench, const graph *g, unsigned threads,
                                  ww_devptr cost)
{
    const size_t n = (size_t)g->node_count;
    const ww_dim3 grid = ww__dim(ww__pieces(n, threads), 1);
    const ww_dim3 block = ww__dim(threads, 1);

    ww_devptr nodes, edges, frontier, updated, visited, more;
    WW_TRY(ww__upload(bench, g->nodes, n * sizeof *g->nodes, &nodes));
    WW_TRY(ww__upload(bench, g->edges, (size_t)g->edge_count * sizeof *g->edges, &edges));
    WW_TRY(ww__buffer(bench, n, &frontier));
    WW_TRY(ww__buffer(bench, n, &updated));
    WW_TRY(ww__buffer(bench, n, &visited));
    WW_TRY(ww__buffer(bench, 1, &more));
    WW_TRY(ww_device_memset(bench->device, frontier, 0, n, bench->err));
    WW_TRY(ww_device_memset(bench->device, updated, 0, n, bench->err));
    WW_TRY(ww_device_memset(bench->device, visited, 0, n, bench->err));
    WW_TRY(ww_device_memset(bench->device, frontier, 1, 1, bench->err)); /* node 0 */
    WW_TRY(ww_device_memset(bench->device, visited, 1, 1, bench->err));

    uint8_t again = 1;
    for (int32_t level = 0; again; level++) {
        if (level > g->node_count) {
            return ww_fail(bench->err, WW_EVERIFY, "%s: frontier not empty after %d levels",
                           bench->name, level);
        }
        WW_TRY(ww_device_memset(bench->device, more, 0, 1, bench->err));
        WW_TRY(WW__LAUNCH(bench, "Kernel", grid, block, 0, &nodes, &edges, &frontier, &updated,
                          &visited, &cost, &g->node_count));
        WW_TRY(WW__LAUNCH(bench, "Kernel2", grid, block, 0, &frontier, &updated, &visited, &more,
                          &g->node_count));
        WW_TRY(ww_device_read(bench->device, &again, more, 1, bench->err));
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t nodes[] = {1021, 28001, 131072, 1048576};
    static const unsigned threads[] = {256, 512, 512, 512};

    graph g;
    int32_t *initial, *expected, *queue, *result;
    WW_TRY(make_graph(bench, nodes[size], &g));
    const size_t n = (size_t)g.node_count;
    WW_TRY(ww__host_array(bench, n, sizeof *initial, &initial));
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, n, sizeof *queue, &queue));
    for (size_t v = 0; v < n; v++) {
        initial[v] = v == 0 ? 0 : -1;
    }

    ww_devptr cost;
    WW_TRY(ww__upload(bench, initial, n * sizeof *initial, &cost));
    WW_TRY(search_on_device(bench, &g, threads[size], cost));
    WW_TRY(ww__download(bench, cost, n * sizeof *result, &result));
    search(&g, expected, queue);
    return ww__verify_ints(bench, "cost", result, expected, n);
}

ww_status ww_bfs_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "bfs", &ww__ptx_bfs, size, run, err);
}
