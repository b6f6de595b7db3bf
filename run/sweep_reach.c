/* sweep_reach.c - which of a workload's kernels its instruction budget reaches: the workload runs
 * once without time, and the budget is laid over its launches. */
#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "run/run.h"
#include "run/sweep.h"

static ww_reach *row_of(ww_reach *row, size_t *count, const char *kernel)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(row[i].kernel, kernel) == 0) {
            return &row[i];
        }
    }
    row[*count] = (ww_reach){.kernel = kernel};
    return &row[(*count)++];
}

static uint64_t by_shares(const ww_budget_share *share, size_t count, ww_reach *row, uint64_t n)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(share[i].kernel, row->kernel) == 0 && row->launches > share[i].from) {
            return ww_min_u64(n, share[i].instructions - row->timed);
        }
    }
    return 0;
}

size_t ww_reach_of(const ww_reach_launch *launch, size_t count, uint64_t budget,
                   const ww_budget_share *share, size_t share_count, ww_reach *row)
{
    size_t rows = 0;
    uint64_t left = budget;
    for (size_t i = 0; i < count; i++) {
        ww_reach *r = row_of(row, &rows, launch[i].kernel);
        const uint64_t n = launch[i].instructions;
        r->launches++;
        const uint64_t timed =
            share_count > 0 ? by_shares(share, share_count, r, n) : ww_min_u64(n, left);
        r->whole += n;
        r->timed += timed;
        r->whole_sizes += (double)n * (double)n;
        r->timed_sizes += (double)timed * (double)n;
        left -= ww_min_u64(left, timed);
    }
    return rows;
}

static void sum_up(const ww_reach *row, size_t rows, double *whole, double *timed)
{
    uint64_t all = 0, in_time = 0;
    for (size_t k = 0; k < rows; k++) {
        all += row[k].whole;
        in_time += row[k].timed;
    }
    *whole = (double)all;
    *timed = (double)in_time;
}

ww_reach_part ww_reach_part_of(const ww_reach *row, size_t rows, size_t i)
{
    double whole, timed;
    sum_up(row, rows, &whole, &timed);
    return (ww_reach_part){.whole = (double)row[i].whole / whole,
                           .timed = timed > 0 ? (double)row[i].timed / timed : 0};
}

ww_reach_launches ww_reach_launches_of(const ww_reach *row)
{
    return (ww_reach_launches){.whole = row->whole > 0 ? row->whole_sizes / (double)row->whole : 0,
                               .timed = row->timed > 0 ? row->timed_sizes / (double)row->timed : 0};
}

bool ww_reach_falls_short(const ww_reach *row, size_t rows, size_t i)
{
    const double least_share = 0.1, least_part = 0.5;
    const ww_reach_launches launches = ww_reach_launches_of(&row[i]);
    double whole, timed;
    sum_up(row, rows, &whole, &timed);
    const double share = (double)row[i].whole / whole;
    return share >= least_share && ((double)row[i].timed < least_part * share * timed ||
                                    launches.timed < least_part * launches.whole);
}

/* ---- a workload ---- */

static const ww_sweep_run *first_run(const ww_sweep *sweep, const ww_sweep_item *item)
{
    for (size_t i = 0; i < sweep->run_count; i++) {
        if (sweep->run[i].item == item && sweep->run[i].spec != NULL) {
            return &sweep->run[i];
        }
    }
    return NULL;
}

static ww_status check_shares(const ww_sweep_item *item, const ww_reach *row, size_t rows,
                              ww_error *err)
{
    for (size_t i = 0; i < item->share_count; i++) {
        bool found = false;
        for (size_t k = 0; k < rows; k++) {
            found |= strcmp(row[k].kernel, item->share[i].kernel) == 0;
        }
        if (!found) {
            return ww_fail(err, WW_ENOTFOUND, "workload %s (%s) has no kernel '%s' for a share",
                           item->label, ww_workload_size_name(item->size), item->share[i].kernel);
        }
    }
    return WW_OK;
}

static ww_status reach_of_run(ww_sweep *sweep, const ww_sweep_item *item, const ww_run *run,
                              ww_reach **out, size_t *count, ww_error *err)
{
    ww_budget_share share[WW_SWEEP_SHARES];
    const size_t n = run->launch_count;
    ww_reach *row = WW_ARENA_NEW_ARRAY(&sweep->arena, ww_reach, n + 1);
    ww_reach_launch *launch = WW_ARENA_NEW_ARRAY(&sweep->arena, ww_reach_launch, n + 1);
    if (row == NULL || launch == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const ww_launch_record *r = &run->launches[i];
        launch[i] = (ww_reach_launch){ww_arena_strndup(&sweep->arena, r->kernel, strlen(r->kernel)),
                                      ww_counter_total(r->counters, WW_C_INST_PROGRAM)};
        if (launch[i].kernel == NULL) {
            return ww_no_memory(err);
        }
    }
    const size_t share_count = ww_sweep_shares(sweep, item, share);
    const uint64_t budget = ww_sweep_budget(sweep, item);
    *count = ww_reach_of(launch, n, budget > 0 ? budget : UINT64_MAX, share, share_count, row);
    *out = row;
    return check_shares(item, row, *count, err);
}

ww_status ww_sweep_reach(ww_sweep *sweep, const ww_sweep_item *item, ww_reach **out, size_t *count,
                         ww_error *err)
{
    const ww_sweep_run *machine = first_run(sweep, item);
    if (machine == NULL) {
        return ww_fail(err, WW_ENOTFOUND, "no configuration runs workload %s", item->label);
    }
    if (item->pass != NULL) {
        return ww_fail(err, WW_EUNSUP, "%s is a pass, which has no budget", item->name);
    }
    const ww_run_item one = {item->workload, item->size};
    const ww_run_request request = {.gpu = machine->set->gpu,
                                    .settings = machine->settings,
                                    .setting_count = machine->setting_count,
                                    .items = &one,
                                    .item_count = 1,
                                    .isa = sweep->isa,
                                    .functional_only = true,
                                    .stop = sweep->stop};
    ww_run *run = NULL;
    WW_TRY(ww_run_execute(&request, &run, err));
    ww_status status = reach_of_run(sweep, item, run, out, count, err);
    ww_run_destroy(run);
    return status;
}
