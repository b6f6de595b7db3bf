/* workload.h - the benchmark kernels that ship with WarpWatt: PTX, host driver and CPU reference of
 * each.
 *
 * workloads/ has a folder per program and a line in workloads.def; a driver prepares inputs from a
 * fixed seed, launches through the device API and fails with EVERIFY when results differ from the
 * host's. It knows neither configurations nor energy. Depends on: base, isa (tensor maps),
 * perf/api. */
#ifndef WW_WORKLOADS_WORKLOAD_H
#define WW_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "perf/api/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_workload_size {
    WW_SIZE_SMALL,   /* seconds under sanitizers; every code path */
    WW_SIZE_STD,     /* the default: about a second of simulation */
    WW_SIZE_STUDY,   /* fills 15 SMs at least four times over where the program lets it, in 2 to 20
                        million warp instructions: for comparing machines */
    WW_SIZE_DEFAULT, /* the original benchmark's own input */
    WW_SIZES
} ww_workload_size;

typedef struct ww_workload {
    const char *name;             /* lower case, unique */
    const char *suite;            /* "CUDA SDK", "Rodinia", … */
    const char *description;      /* one sentence */
    const char *inputs[WW_SIZES]; /* human-readable input per ww_workload_size */
    bool order_independent;       /* result does not depend on how threads interleave */
    unsigned capability; /* least compute capability that has what it uses, 10 x major + minor; 0:
                            any */
    /* Allocates, launches, reads back and compares with the CPU reference.
     * WW_EVERIFY names the first differing element, value and expectation. */
    ww_status (*run)(ww_device *device, ww_workload_size size, ww_error *err);
} ww_workload;

/** All workloads, sorted by name; *count receives how many. */
const ww_workload *ww_workload_list(size_t *count);
/** The workload of that name, or NULL. */
const ww_workload *ww_workload_find(const char *name);
/** Fills hint with ", did you mean …?" or the like for a name that no workload has; returns it. */
const char *ww_workload_suggest(const char *name, char *hint, size_t size);
/** Whether a GPU of that compute capability has what the workload uses. */
static inline bool ww_workload_runs_on(const ww_workload *workload, unsigned capability)
{
    return capability >= workload->capability;
}
/** "small", "std", "study", "default". */
const char *ww_workload_size_name(ww_workload_size size);
/** Inverse of ww_workload_size_name; ENOTFOUND otherwise. */
WW_NODISCARD ww_status ww_workload_size_parse(const char *text, ww_workload_size *out,
                                              ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
