/* sampling.c - how far the cycles and the energy of a sampled launch can be trusted. */
#include "analysis/export.h"

/* The errors as counts: energy is linear in the counters with no negative coefficient, so
 * that their energy is what all errors together are worth if they go the same way. */
static ww_status energy_of_errors(const ww_power_model *model, const ww_launch_record *launch,
                                  double *out, ww_error *err)
{
    const uint32_t *n = launch->counters->count;
    ww_counter_set set;
    ww_power_result r;
    WW_TRY(ww_counter_set_init(&set, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE], n[WW_SCOPE_CHANNEL], err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        set.block[ww_counter_describe((ww_counter)c)->scope][0].v[c] = launch->sampling.error.v[c];
    }
    uint64_t *cycles = &set.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES];
    *cycles += *cycles == 0; /* power is undefined without time */
    ww_status status = ww_power_evaluate(model, &set, launch, &r, err);
    *out = status == WW_OK ? r.total_j : 0;
    ww_counter_set_fini(&set);
    return status;
}

ww_status ww_sampling_errors(const ww_result_set *set, const ww_launch_record *launch,
                             double *cycles, double *energy, ww_error *err)
{
    *cycles = *energy = 0;
    if (launch->sampling.error.v[WW_C_CORE_CYCLES] == 0) {
        return WW_OK;
    }
    *cycles = (double)launch->sampling.error.v[WW_C_CORE_CYCLES] /
              (double)ww_counter_total(launch->counters, WW_C_CORE_CYCLES);
    if (set->model != NULL) {
        ww_power_result whole;
        double part;
        WW_TRY(ww_power_evaluate(set->model, launch->counters, launch, &whole, err));
        WW_TRY(energy_of_errors(set->model, launch, &part, err));
        *energy = part / whole.total_j;
    }
    return WW_OK;
}
