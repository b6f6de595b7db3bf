/* cap.h - the clock at which a power cap is kept: a card that would draw more lowers its clock,
 * and its voltage with it, step by step, until its mean power fits.
 *
 * Power over the clock is not known without simulating: DRAM's clock stays, so that a kernel takes
 * fewer core cycles at a lower one. A rescaled power (what is static as it is, the rest with f V^2)
 * therefore only proposes a clock; each proposal is simulated, and the answer is the clock whose
 * simulated power fits while that of the next step up does not. */
#ifndef WW_RUN_CAP_H
#define WW_RUN_CAP_H

#include "arch/arch.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a search ended. */
typedef struct ww_cap {
    double core_hz, watts; /* the highest clock found whose mean power is within the cap */
    double next_hz;        /* the next clock up; 0: core_hz is the clock that was asked for */
    double next_w;         /* its mean power, above the cap */
    size_t runs;           /* simulations */
    uint64_t config_hash;  /* of the machine at the clock asked for */
} ww_cap;

/** Simulates at a core clock; *watts is the mean power. */
typedef ww_status (*ww_cap_run)(void *user, double core_hz, double *watts, ww_error *err);

/**
 * Finds the clock: arch->clock.core_hz where it fits, else a lower step of the card (1 MHz where
 * its steps are not known).
 * @param arch    the machine at the clock asked for, power.cap_w > 0
 * @param idle_w  power of the idle card there: the first proposal rests on it
 * @error ERANGE (more than the cap at the lowest clock); what run returns
 */
WW_NODISCARD ww_status ww_cap_search(const ww_arch *arch, double idle_w, ww_cap_run run, void *user,
                                     ww_cap *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
