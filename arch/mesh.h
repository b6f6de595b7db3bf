/* mesh.h - where SMs and memory partitions lie when the interconnect is a mesh: the plan that
 * timing and power share. Tiles are numbered row by row; each has a router. The partitions, a tile
 * per channel with its slices, are spread evenly over the first and the last rows, as GPUs have
 * their memory controllers along two edges of the die (cf. Bakhoda, Kim, Aamodt,
 * "Throughput-effective on-chip networks for manycore accelerators", MICRO 2010: top-bottom
 * placement). The SMs, a tile for those that share a port (icnt.port_sms), fill the other tiles in
 * order, so that the SMs of a cluster are neighbours. Depends on: base, arch. */
#ifndef WW_ARCH_MESH_H
#define WW_ARCH_MESH_H

#include "arch/arch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_mesh_plan {
    uint32_t columns, rows;
    uint32_t *sm;    /* [SM] its tile */
    uint32_t *slice; /* [slice] its tile */
} ww_mesh_plan;

/** Tiles that hold SMs. */
uint32_t ww_mesh_sm_tiles(const ww_arch *arch);
/** The plan of an architecture (icnt.mesh_columns, 0: as square as can be), in the arena. @error
 * ENOMEM */
WW_NODISCARD ww_status ww_mesh_plan_make(const ww_arch *arch, ww_arena *arena, ww_mesh_plan *out,
                                         ww_error *err);
/** Links between the routers of two tiles, along the row and then the column. */
uint32_t ww_mesh_distance(const ww_mesh_plan *plan, uint32_t from, uint32_t to);
/** The mean of that over all pairs of an SM and a slice. */
double ww_mesh_mean_distance(const ww_mesh_plan *plan, const ww_arch *arch);

#ifdef __cplusplus
}
#endif
#endif
