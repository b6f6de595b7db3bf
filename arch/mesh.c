/* mesh.c - laying out the tiles of a mesh. */
#include "arch/mesh.h"

#include "base/arith.h"

static uint32_t least_root(uint32_t n)
{
    uint32_t root = 1;
    while (root * root < n) {
        root++;
    }
    return root;
}

uint32_t ww_mesh_sm_tiles(const ww_arch *arch)
{
    return (uint32_t)ww_ceil_div(arch->sm.count, arch->icnt.port_sms);
}

/* The k-th of n partitions that share the rows along one edge, evenly spaced over their tiles. */
static uint32_t on_edge(const ww_mesh_plan *plan, uint32_t k, uint32_t n, bool last_rows)
{
    uint32_t tiles = (uint32_t)ww_ceil_div(n, plan->columns) * plan->columns;
    uint32_t at = (2 * k + 1) * tiles / (2 * n);
    uint32_t row = at / plan->columns;
    return (last_rows ? plan->rows - 1 - row : row) * plan->columns + at % plan->columns;
}

/* The tile, or the next free one behind it. */
static uint32_t take(bool *taken, uint32_t tiles, uint32_t tile)
{
    while (taken[tile]) {
        tile = tile + 1 == tiles ? 0 : tile + 1;
    }
    taken[tile] = true;
    return tile;
}

ww_status ww_mesh_plan_make(const ww_arch *arch, ww_arena *arena, ww_mesh_plan *out, ww_error *err)
{
    uint32_t channels = arch->mem.channels, sms = arch->sm.count;
    uint32_t ports = ww_mesh_sm_tiles(arch);
    uint32_t slices = ww_arch_slices(arch), top = (uint32_t)ww_ceil_div(channels, 2);
    uint32_t columns = arch->icnt.mesh_columns;
    out->columns = columns != 0 ? columns : least_root(ports + channels);
    out->rows = (uint32_t)ww_ceil_div(ports + channels, out->columns);
    uint32_t tiles = out->columns * out->rows;
    bool *taken = WW_ARENA_NEW_ARRAY(arena, bool, tiles);
    out->sm = WW_ARENA_NEW_ARRAY(arena, uint32_t, sms);
    out->slice = WW_ARENA_NEW_ARRAY(arena, uint32_t, slices);
    if (taken == NULL || out->sm == NULL || out->slice == NULL) {
        return ww_no_memory_for(err, "the plan of the mesh");
    }
    for (uint32_t c = 0; c < channels; c++) {
        bool last = c >= top;
        uint32_t at = on_edge(out, last ? c - top : c, last ? channels - top : top, last);
        at = take(taken, tiles, at);
        for (uint32_t s = 0; s < arch->mem.slices; s++) {
            out->slice[c * arch->mem.slices + s] = at;
        }
    }
    for (uint32_t i = 0, at = 0; i < sms; i++) {
        at = i % arch->icnt.port_sms == 0 ? take(taken, tiles, 0) : at;
        out->sm[i] = at;
    }
    return WW_OK;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

uint32_t ww_mesh_distance(const ww_mesh_plan *plan, uint32_t from, uint32_t to)
{
    return apart(from % plan->columns, to % plan->columns) +
           apart(from / plan->columns, to / plan->columns);
}

double ww_mesh_mean_distance(const ww_mesh_plan *plan, const ww_arch *arch)
{
    uint64_t sum = 0;
    uint32_t slices = ww_arch_slices(arch);
    for (uint32_t i = 0; i < arch->sm.count; i++) {
        for (uint32_t s = 0; s < slices; s++) {
            sum += ww_mesh_distance(plan, plan->sm[i], plan->slice[s]);
        }
    }
    return (double)sum / ((double)arch->sm.count * slices);
}
