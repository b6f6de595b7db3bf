/* scale.c - counters of parts into counters of the whole. */
#include "inference/scale.h"

#include "base/mem.h"

ww_status ww__scaled_add(ww__scaled *sum, const ww_counter_set *set, double weight, ww_error *err)
{
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        if (sum->v[scope] == NULL) {
            sum->count[scope] = set->count[scope];
            sum->v[scope] = WW_NEW_ARRAY(double, (size_t)set->count[scope] * WW_COUNTER_COUNT);
            if (sum->v[scope] == NULL) {
                return ww_no_memory(err);
            }
        }
        if (sum->count[scope] != set->count[scope]) {
            return ww_fail(err, WW_EINTERNAL, "parts of an operator ran on different slices");
        }
        for (size_t i = 0; i < set->count[scope]; i++) {
            for (size_t c = 0; c < WW_COUNTER_COUNT; c++) {
                sum->v[scope][i * WW_COUNTER_COUNT + c] +=
                    weight * (double)set->block[scope][i].v[c];
            }
        }
    }
    return WW_OK;
}

void ww__scaled_fini(ww__scaled *sum)
{
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        ww_free(sum->v[scope]);
    }
    *sum = (ww__scaled){0};
}

double ww__scaled_cycles(const ww__scaled *sum)
{
    double cycles = sum->v[WW_SCOPE_CHIP][WW_C_CORE_CYCLES];
    return cycles < 1 ? 1 : cycles;
}

/* Extrapolation may take a small counter below 0. */
static uint64_t whole_number(double x)
{
    return x > 0 ? (uint64_t)(x + 0.5) : 0;
}

ww_status ww__scaled_whole(const ww__scaled *sum, const ww_arch *whole, uint64_t occurrences,
                           ww_counter_set *out, ww_error *err)
{
    const double times = (double)occurrences;
    WW_TRY(ww_counter_set_init(out, whole->sm.count, whole->mem.channels * whole->mem.slices,
                               whole->mem.channels, err));
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        for (size_t i = 0; i < out->count[scope]; i++) {
            const double *from = sum->v[scope] + i % sum->count[scope] * WW_COUNTER_COUNT;
            for (size_t c = 0; c < WW_COUNTER_COUNT; c++) {
                out->block[scope][i].v[c] = whole_number(times * from[c]);
            }
        }
    }
    uint64_t *chip = out->block[WW_SCOPE_CHIP][0].v;
    chip[WW_C_CORE_CYCLES] = whole_number(times * ww__scaled_cycles(sum));
    chip[WW_C_CLUSTER_ACTIVE] *= whole->sm.clusters; /* the slice is one cluster */
    chip[WW_C_LAUNCHES] = occurrences;
    return WW_OK;
}
