/* launch.h - a launch in preparation: what launch.c and concurrent.c share. Private to perf/. */
#ifndef WW_PERF_API_LAUNCH_H
#define WW_PERF_API_LAUNCH_H

#include "perf/api/device_state.h"

typedef struct ww_prepared {
    ww_built *built;
    ww_launch launch;
    unsigned char *params; /* the owner's to free */
    ww_occupancy occupancy;
    uint32_t shared_bytes;
    ww_extrapolation sampling;
} ww_prepared;

/** Checks a launch and packs its parameters; r->params is set or NULL, also after an error. */
WW_NODISCARD ww_status ww__launch_prepare(ww_device *device, const ww_launch_request *q,
                                          uint32_t id, ww_prepared *r, ww_error *err);
/** Thread instructions of the program that are left of the device's budget; 0: it has none.
 * @error EBUDGET: nothing is left */
WW_NODISCARD ww_status ww__launch_budget(const ww_device *device, uint64_t *left, ww_error *err);
/** Tells the device's owner what a launch has counted, under that name.
 * @error EBUDGET: the budget has cut the launch; also as the owner fails */
WW_NODISCARD ww_status ww__launch_report(ww_device *device, const ww_prepared *r,
                                         const char *kernel, ww_error *err);

#endif
