/* operators.c - the units that the build embeds, and the tiles of products. */
#include "workloads/operators/operators.h"

#include <string.h>

#define WW_UNIT(id) extern const ww_operator_unit ww__operator_##id;
#include "workloads/operators/units.def"
#undef WW_UNIT

const ww_operator_unit *ww_operator_unit_find(const char *name)
{
    static const ww_operator_unit *const units[] = {
#define WW_UNIT(id) &ww__operator_##id,
#include "workloads/operators/units.def"
#undef WW_UNIT
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i]->name, name) == 0) {
            return units[i];
        }
    }
    return NULL;
}

/* Shared memory: the stages, which are more than half of the result in f32. */
#define SHARED(m, n, k, s) ((s) * ((m) + (n)) * (k))
#define TILE(m, n, k, s, wm, wn)                                                                   \
    {                                                                                              \
        m, n, k, s, wm, wn, 32 * (wm) * (wn), SHARED(m, n, k, s), 0                                \
    }

const ww_operator_tile *ww_operator_tiles(size_t *count)
{
    static const ww_operator_tile tiles[] = {
        TILE(256, 128, 128, 3, 4, 2),
        TILE(128, 128, 128, 2, 2, 2),
        TILE(128, 64, 128, 3, 2, 2),
        TILE(64, 64, 128, 4, 2, 2),
    };
    *count = sizeof tiles / sizeof tiles[0];
    return tiles;
}

/* Stages, the result, two mbarriers a stage. */
#define GROUP_TILE(n, s)                                                                           \
    {                                                                                              \
        128, n, 128, s, 8, 1, 384, SHARED(128, n, 128, s) + 2 * 128 * (n) + 16 * (s), 0            \
    }

const ww_operator_tile *ww_operator_group_tiles(size_t *count)
{
    static const ww_operator_tile tiles[] = {GROUP_TILE(256, 3), GROUP_TILE(128, 4),
                                             GROUP_TILE(64, 4)};
    *count = sizeof tiles / sizeof tiles[0];
    return tiles;
}

/* 8 x 8 results a thread; the stages are the kernel's own shared memory. */
#define LANES_TILE(m, n, wm, wn, slices)                                                           \
    {                                                                                              \
        m, n, 32 * (slices), 2, wm, wn, 32 * (wm) * (wn) * (slices), 0,                            \
            (slices) > 1 ? (slices) : 0                                                            \
    }

const ww_operator_tile *ww_operator_sgemm_tiles(size_t *count)
{
    static const ww_operator_tile tiles[] = {
        LANES_TILE(128, 128, 8, 1, 1), LANES_TILE(128, 64, 4, 1, 1), LANES_TILE(64, 64, 2, 1, 4),
        LANES_TILE(64, 64, 2, 1, 1), LANES_TILE(64, 32, 1, 1, 4)};
    *count = sizeof tiles / sizeof tiles[0];
    return tiles;
}
