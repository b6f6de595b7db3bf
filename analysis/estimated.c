/* estimated.c - energy that rests on what another simulator does not tell. */
#include "analysis/estimated.h"

/* Of a launch whose estimated counters are 0. */
static ww_status evaluate_told(const ww_power_model *model, const ww_launch_record *launch,
                               const unsigned char *telling, double *told_j, ww_error *err)
{
    ww_counter_set told = {0};
    ww_power_result result;
    WW_TRY(ww_counter_set_init(&told, launch->counters->count[WW_SCOPE_SM],
                               launch->counters->count[WW_SCOPE_SLICE],
                               launch->counters->count[WW_SCOPE_CHANNEL], err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (telling[c] == WW_TOLD) {
            told.block[ww_counter_describe((ww_counter)c)->scope][0].v[c] =
                ww_counter_total(launch->counters, (ww_counter)c);
        }
    }
    ww_status status = ww_power_evaluate(model, &told, launch, &result, err);
    ww_counter_set_fini(&told);
    *told_j = status == WW_OK ? result.total_j : 0;
    return status;
}

ww_foreign_machine ww_foreign_machine_of(const ww_arch *arch)
{
    const ww_mem_params *mem = &arch->mem;
    const ww_cache_params *l1d = &arch->l1d;
    bool all_banks = mem->refresh == WW_REFRESH_ALL_BANK;
    double per_cycle = mem->trefi > 0 ? (double)mem->channels / mem->trefi : 0;
    bool evicts = l1d->write_policy == WW_WRITE_EVICT || l1d->write_policy == WW_WRITE_LOCAL_BACK ||
                  l1d->write_policy == WW_WRITE_NONE;
    return (ww_foreign_machine){
        .gpu = ww_arch_name(arch),
        .config_hash = arch->config_hash,
        .sms = arch->sm.count,
        .schedulers = arch->sm.schedulers,
        .slices = mem->channels * mem->slices,
        .channels = mem->channels,
        .clusters = arch->sm.clusters,
        .flits_per_byte = 1.0 / arch->icnt.flit_bytes,
        .bursts_per_byte = 8.0 / ((double)mem->bus_bits * mem->burst_length),
        .refreshes = all_banks ? per_cycle : 0,
        .bank_refreshes = all_banks ? 0 : per_cycle * mem->banks,
        .l1_keeps = l1d->bytes > 0 && !evicts,
        .l1_requests_per_sector = 32.0 / ((double)l1d->sector_bytes * arch->ldst.l1_sectors),
        .core_hz = arch->clock.core_hz,
        .icnt_hz = arch->clock.icnt_hz,
        .l2_hz = arch->clock.l2_hz,
        .dram_hz = arch->clock.dram_hz,
        .vdd_v = ww_arch_core_v(arch),
        .temperature_k = arch->chip.temperature_k,
    };
}

ww_status ww_estimated_energy(const ww_power_model *model, const ww_foreign_activity *foreign,
                              double *estimated_j, double *total_j, ww_error *err)
{
    *estimated_j = *total_j = 0;
    for (size_t i = 0; i < foreign->activity->launch_count; i++) {
        const ww_launch_record *launch = &foreign->activity->launches[i];
        ww_power_result all;
        double told_j;
        WW_TRY(ww_power_evaluate(model, launch->counters, launch, &all, err));
        WW_TRY(evaluate_told(model, launch, foreign->telling[i], &told_j, err));
        *estimated_j += all.total_j - told_j;
        *total_j += all.total_j;
    }
    return WW_OK;
}

ww_status ww_estimated_of(const ww_power_model *model, const ww_foreign_activity *foreign,
                          ww_counter counter, double *out, ww_error *err)
{
    size_t events;
    const ww_power_event *event = ww_power_events(model, &events);
    ww_counter_set one = {0};
    const uint32_t *shape = foreign->activity->launches[0].counters->count;
    WW_TRY(ww_counter_set_init(&one, shape[WW_SCOPE_SM], shape[WW_SCOPE_SLICE],
                               shape[WW_SCOPE_CHANNEL], err));
    *out = 0;
    uint64_t *value = &one.block[ww_counter_describe(counter)->scope][0].v[counter];
    for (size_t i = 0; i < foreign->activity->launch_count; i++) {
        const ww_launch_record *launch = &foreign->activity->launches[i];
        if (foreign->telling[i][counter] != WW_ESTIMATED) {
            continue;
        }
        *value = ww_counter_total(launch->counters, counter);
        for (size_t e = 0; e < events; e++) {
            for (size_t k = 0; k < event[e].terms; k++) {
                *out +=
                    event[e].counter[k] == counter ? ww_power_event_j(&event[e], &one, launch) : 0;
            }
        }
    }
    ww_counter_set_fini(&one);
    return WW_OK;
}
