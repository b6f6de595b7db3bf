/* sweep_run.c - one run of a sweep: claim, simulate, publish. */
#include "analysis/export.h"
#include "analysis/result_store.h"
#include "run/run.h"
#include "run/sweep.h"

static ww_status simulate(const ww_sweep *sweep, const ww_sweep_run *run, const char *version,
                          const char *out, ww_error *err)
{
    if (run->item->pass != NULL) {
        return sweep->run_pass != NULL
                   ? sweep->run_pass(sweep->pass_user, sweep, run, out, err)
                   : ww_fail(err, WW_EUNSUP, "%s is a pass, and nothing here runs passes",
                             run->item->name);
    }
    ww_arena arena = {0};
    const ww_run_item item = {run->item->workload, run->item->size};
    ww_budget_share shares[WW_SWEEP_SHARES];
    const size_t share_count = ww_sweep_shares(sweep, run->item, shares);
    const ww_run_request request = {
        .gpu = run->set->gpu,
        .settings = run->settings,
        .setting_count = run->setting_count,
        .items = &item,
        .item_count = 1,
        .isa = sweep->isa,
        .interval_cycles = sweep->interval_cycles,
        .max_cycles = sweep->max_cycles,
        .max_instructions = ww_sweep_budget(sweep, run->item),
        .shares = shares,
        .share_count = share_count,
        .sample_ctas = sweep->sample_ctas,
        .sample_time = sweep->sample_time,
        .sample_kernels = sweep->sample_kernels,
        .sample_error = sweep->sample_error,
        .stop = sweep->stop,
    };
    ww_run *result = NULL;
    char *command = ww_arena_printf(&arena, "warpwatt sweep %s (%s)", sweep->name, run->id);
    ww_status status = command != NULL ? ww_run_execute(&request, &result, err) : ww_no_memory(err);
    if (status == WW_OK) {
        ww_result_set set = ww_run_results(result, version, command);
        status = ww_run_id(&request, result->arch, version, NULL, NULL, 0, &set.run_id, err);
        status = status == WW_OK ? ww_export_all(&set, out, true, err) : status;
        status = status == WW_OK ? ww_result_seal(out, set.run_id, err) : status;
    }
    ww_run_destroy(result);
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_sweep_execute(const ww_sweep *sweep, const char *dir, const ww_sweep_run *run,
                           const char *version, bool *ran, ww_error *err)
{
    ww_sweep_claim claim;
    *ran = false;
    if (run->left_out != NULL) {
        return WW_OK;
    }
    if (run->spec == NULL) {
        return ww_fail(err, WW_ENOTFOUND,
                       "%s takes a parameter from runs that are not complete; run the sweep again "
                       "when they are",
                       run->id);
    }
    WW_TRY(ww_sweep_claim_run(dir, run, &claim, err));
    if (claim.lock < 0) {
        return WW_OK;
    }
    *ran = true;
    ww_error why = {0};
    ww_status status = simulate(sweep, run, version, claim.partial, &why);
    status = status == WW_OK ? ww_sweep_publish(dir, run, &claim, &why) : status;
    if (status != WW_OK) {
        char text[4096];
        if (status != WW_EINTERRUPTED) { /* then it is to do again, and has not failed */
            /* The caller hears why, noted or not. */
            WW_DROP(
                ww_sweep_note_failure(dir, run, ww_error_format(&why, text, sizeof text), NULL));
        }
        if (err != NULL) {
            *err = why;
        }
    }
    ww_sweep_release(&claim);
    return status;
}
