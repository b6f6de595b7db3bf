/* toggles.h - what the values of a stream of reads cost, private to validation/. */
#ifndef WW_VALIDATION_TOGGLES_H
#define WW_VALIDATION_TOGGLES_H

#include "run/run.h"

/* Energy of events for each bit that is read from DRAM [J]. */
typedef struct ww__read_energy {
    double memory; /* devices and their I/O */
    double die;    /* everything else */
} ww__read_energy;

/**
 * Reads memory once, a vector of 16 bytes a thread and pass, on every SM of a card; bits that
 * switch are counted.
 * @param values  "zeros", "ones", "random", or "runs N": N words of 32 bits of zeros, then N of
 * ones
 * @error ESCHEMA: no such values; and those of the device and the power model
 */
WW_NODISCARD ww_status ww__read_energy_of(ww_arena *arena, const char *gpu, const char *values,
                                          ww__read_energy *out, ww_error *err);

#endif
