/* power_from.c - activity that another program counted, charged to a machine of ours. */
#include "cli/power_from.h"

#include <string.h>

static ww_foreign_machine machine_of(const ww_arch *arch)
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

ww_status ww_power_from_load(const ww_args *args, const ww_arch *arch, ww_foreign_activity *out,
                             ww_error *err)
{
    const char *paths[WW_FOREIGN_MOST_FILES];
    size_t count = 0, given = ww_args_count(args, "activity");
    ww_foreign_source source;
    *out = (ww_foreign_activity){0};
    WW_TRY(ww_foreign_find(ww_args_value(args, "from"), &source, err));
    if (given + args->positional_count == 0) {
        return ww_fail(err, WW_EUSAGE, "--from %s needs the file of its output",
                       ww_foreign_name(source));
    }
    if (given + args->positional_count > WW_FOREIGN_MOST_FILES) {
        return ww_fail(err, WW_EUSAGE, "more than %d files of one run", WW_FOREIGN_MOST_FILES);
    }
    for (size_t i = 0; i < given; i++) {
        paths[count++] = ww_args_nth(args, "activity", i);
    }
    for (size_t i = 0; i < args->positional_count; i++) {
        paths[count++] = args->positional[i];
    }
    const ww_foreign_machine machine = machine_of(arch);
    return ww_foreign_load(source, paths, count, &machine, out, err);
}

/* ---- what rests on estimates ---- */

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

ww_status ww_power_from_share(const ww_power_model *model, const ww_foreign_activity *foreign,
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

/* Joules of the launches that a counter's estimates are charged, by the events that read it. */
static ww_status estimate_j(const ww_power_model *model, const ww_foreign_activity *foreign,
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

/* How many launches know a counter in one way. */
static size_t count_telling(const ww_foreign_activity *foreign, int counter, ww_telling how)
{
    size_t n = 0;
    for (size_t i = 0; i < foreign->activity->launch_count; i++) {
        n += foreign->telling[i][counter] == how;
    }
    return n;
}

/* Every rule that may have been taken: "a * b, else c". */
static const char *rules_of(ww_table *table, int counter)
{
    size_t count;
    const ww_foreign_row *row = ww_foreign_rows(WW_FROM_COUNT, &count);
    const char *text = "";
    for (size_t i = 0; i < count && text != NULL; i++) {
        if ((int)row[i].counter == counter) {
            text = ww_arena_printf(&table->arena, "%s%s%s (%s)", text,
                                   *text != '\0' ? ", else " : "", row[i].expression, row[i].note);
        }
    }
    return text != NULL ? text : "";
}

ww_status ww_power_from_table(const ww_power_model *model, const ww_foreign_activity *foreign,
                              bool all, ww_table *table, ww_error *err)
{
    ww_table_init(table, "not_told");
    ww_table_head(table, "counter");
    ww_table_head(table, "energy_uj");
    ww_table_head(table, "rule");
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        size_t estimated = count_telling(foreign, c, WW_ESTIMATED);
        size_t unknown = count_telling(foreign, c, WW_UNTOLD);
        double joules;
        if (ww_power_consumers(model, (ww_counter)c) == 0 || estimated + unknown == 0) {
            continue;
        }
        WW_TRY(estimate_j(model, foreign, (ww_counter)c, &joules, err));
        if (!all && joules == 0 && unknown == 0) {
            continue;
        }
        ww_table_text(table, ww_counter_describe((ww_counter)c)->name);
        ww_table_number(table, joules * 1e6, 3);
        ww_table_text(table, unknown > 0 ? "unknown, not charged" : rules_of(table, c));
    }
    return WW_OK;
}
