/* launch.h - a launch in preparation: what launch.c and concurrent.c share. Private to perf/. */
#ifndef WW_PERF_API_LAUNCH_H
#define WW_PERF_API_LAUNCH_H

#include "perf/api/device_state.h"

typedef struct ww_allowance ww_allowance;

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
/** Tells the device's owner what a launch has counted, under that name.
 * allowance: that it ran by, NULL: none was asked for, as without time.
 * @error EBUDGET: the budget is used up; also as the owner fails */
WW_NODISCARD ww_status ww__launch_report(ww_device *device, const ww_prepared *r,
                                         const char *kernel, const ww_allowance *allowance,
                                         ww_error *err);

/* ---- budget.c ---- */
/* What the budget gives a launch. */
struct ww_allowance {
    bool timed;            /* false: it is executed without time, and not reported */
    uint64_t most;         /* thread instructions of the program, then it is cut; 0: no limit */
    ww_share_state *share; /* that it spends; NULL: the whole budget, or none */
};

/** Readies the shares of a device's options. @error EUSAGE: with memcheck */
WW_NODISCARD ww_status ww__budget_create(ww_device *device, ww_error *err);
/** To be asked once for each launch, in order.
 * @error EBUDGET: nothing is left */
WW_NODISCARD ww_status ww__budget_ask(ww_device *device, const char *kernel, ww_allowance *out,
                                      ww_error *err);
/** Counts what a launch has executed in time.
 * @error EBUDGET: with that the budget is used up, and the launch cut where it was short of it */
WW_NODISCARD ww_status ww__budget_spend(ww_device *device, const ww_allowance *a,
                                        uint64_t instructions, ww_error *err);
/** Whether another share than the launch's has something left, so that its results are needed. */
bool ww__budget_goes_on(const ww_device *device, const ww_allowance *a);

/* All of device memory at a time between allocations; {0} is none. */
typedef struct ww_memory_copy {
    unsigned char *bytes; /* owned */
} ww_memory_copy;

WW_NODISCARD ww_status ww__memory_save(ww_devmem *mem, ww_memory_copy *out, ww_error *err);
/** Nothing may have been allocated or freed since; forgets the copy, none included. */
void ww__memory_restore(ww_devmem *mem, ww_memory_copy *copy);
void ww__memory_forget(ww_memory_copy *copy);

#endif
