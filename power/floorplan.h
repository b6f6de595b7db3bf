/* floorplan.h - the die as tiles: what every streaming multiprocessor consists of, component by
 * component, and strips for what lies outside of them; and the energy of each tile. Depends on:
 * base, arch, counters. Pure.
 *
 * Areas are the model's own (ww_power_structure.area_m2). The die is a square of their sum, which
 * is the published die where one is known. No description says where things lie: from the bottom,
 * half of the memory controllers, half of the SMs, the L2, the networks, the other SMs, the other
 * controllers, and what is not modelled. SMs lie in rows whose tiles are as square as their number
 * lets them be; within an SM its components stand side by side. */
#ifndef WW_POWER_FLOORPLAN_H
#define WW_POWER_FLOORPLAN_H

#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rectangle of the die: left and bottom edge, and its size. */
typedef struct ww_tile {
    char name[24]; /* "sm7.rf", "l2" */
    double x_m, y_m, width_m, height_m;
    ww_component component; /* of an SM's tile */
    uint32_t sm;            /* likewise; WW_TILE_CHIP: of the chip */
    int line;               /* of the file that it was read from; 0: none */
} ww_tile;

#define WW_TILE_CHIP UINT32_MAX

typedef struct ww_floorplan {
    ww_tile *tile;
    size_t count;
    double width_m, height_m;
} ww_floorplan;

/** The model's own. Release with ww_floorplan_fini. @error ENOMEM, ERANGE (no area) */
WW_NODISCARD ww_status ww_floorplan_of(const ww_power_model *model, ww_floorplan *out,
                                       ww_error *err);
void ww_floorplan_fini(ww_floorplan *plan);

/**
 * Whether tiles have a size, none overlap, and all together cover the rectangle that they span, to
 * 1e-6 of its area: what HotSpot takes without a word.
 * @param file  for messages, with the tiles' lines; NULL: none
 * @error ERANGE, located
 */
WW_NODISCARD ww_status ww_floorplan_check(const ww_floorplan *plan, const char *file,
                                          ww_error *err);

/* A launch, or an interval of it. */
typedef struct ww_stretch {
    const ww_launch_record *launch;
    const ww_interval *interval; /* NULL: the whole launch */
    bool totals; /* the interval's counts are sums over all instances, as activity files keep them:
                    instances have the shares that they have of the launch */
} ww_stretch;

/**
 * Joules of every tile in a launch or an interval, and of what lies off the die: DRAM, and of the
 * constant power what neither leaks nor is clocked. They sum to what ww_power_evaluate charges.
 * Counts of an SM go to its tiles, of a controller's channel to that half of the controllers; what
 * has no place of its own lies where its kind does, by area.
 * @param tile_j  of plan->count tiles, of the model's own floorplan
 * @error as ww_power_evaluate
 */
WW_NODISCARD ww_status ww_floorplan_energy(const ww_power_model *model, const ww_floorplan *plan,
                                           const ww_stretch *stretch, double *tile_j,
                                           double *off_die_j, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
