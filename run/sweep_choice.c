/* sweep_choice.c - runs that wait for others: for each workload the best of a configuration that
 * varies, and what follows from it. */
#include <string.h>

#include "analysis/result_store.h"
#include "base/csv.h"
#include "base/file.h"
#include "run/sweep_parser.h"

/* Program instructions per cycle over the launches of a result folder. */
static ww_status read_rate(const char *folder, double *rate, ww_error *err)
{
    static const char *const names[] = {"program_instructions", "cycles"};
    ww_arena arena = {0};
    ww_csv *csv = NULL;
    size_t column[2];
    double sum[2] = {0, 0};
    char *path = ww_path_join(&arena, folder, "kernels.csv");
    ww_status status = path != NULL ? ww_result_check(folder, err) : ww__sweep_no_memory(err);
    status = status == WW_OK ? ww_csv_load(path, &csv, err) : status;
    status = status == WW_OK ? ww_csv_find_all(csv, names, 2, column, err) : status;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        for (size_t c = 0; status == WW_OK && c < 2; c++) {
            double value;
            status = ww_csv_double(csv, row, column[c], &value, err);
            sum[c] += status == WW_OK ? value : 0;
        }
    }
    *rate = sum[1] > 0 ? sum[0] / sum[1] : 0;
    ww_csv_destroy(csv);
    ww_arena_fini(&arena);
    return status;
}

/* The better of *best and a candidate's run; *missing: it has no result. */
static ww_status try_candidate(const char *dir, const ww_sweep_run *run, const ww_sweep_set **best,
                               double *most, bool *missing, ww_error *err)
{
    ww_arena arena = {0};
    ww_sweep_state state = WW_SWEEP_TODO;
    double rate = 0;
    char *folder = ww_path_join(&arena, dir, run->id);
    ww_status status =
        folder != NULL ? ww_sweep_run_state(dir, run, &state, err) : ww__sweep_no_memory(err);
    *missing = state != WW_SWEEP_DONE;
    if (status == WW_OK && !*missing) {
        status = read_rate(folder, &rate, err);
    }
    if (status == WW_OK && !*missing && (*best == NULL || rate > *most)) {
        *best = run->set;
        *most = rate;
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_sweep_choose(const ww_sweep *sweep, const char *dir, const ww_sweep_choice *choice,
                          const ww_sweep_item *item, const ww_sweep_set **out, ww_error *err)
{
    const ww_sweep_set *best = NULL;
    double most = 0;
    *out = NULL;
    for (size_t i = 0; i < sweep->run_count; i++) {
        const ww_sweep_run *run = &sweep->run[i];
        bool missing = false;
        if (run->item != item || strcmp(run->set->configuration, choice->of) != 0) {
            continue;
        }
        WW_TRY(try_candidate(dir, run, &best, &most, &missing, err));
        if (missing) {
            return WW_OK;
        }
    }
    *out = best;
    return WW_OK;
}

static const char *value_in(const ww_sweep_set *set, const char *key)
{
    for (size_t i = 0; i < set->setting_count; i++) {
        if (strcmp(set->settings[i].key, key) == 0) {
            return set->settings[i].value;
        }
    }
    return NULL;
}

static ww_status resolve(ww_sweep *sweep, const char *dir, ww_sweep_run *run, const char *version,
                         ww_arch_family *family, ww_error *err)
{
    ww_setting chosen[WW__SWEEP_SETTINGS];
    for (size_t i = 0; i < run->set->chosen_count; i++) {
        const ww_sweep_chosen *c = &run->set->chosen[i];
        const ww_sweep_set *from = NULL;
        WW_TRY(ww_sweep_choose(sweep, dir, &sweep->choice[c->choice], run->item, &from, err));
        if (from == NULL) {
            return WW_OK;
        }
        chosen[i] = (ww_setting){c->key, value_in(from, c->key)};
    }
    return ww__sweep_define(sweep, run, chosen, version, family, err);
}

ww_status ww_sweep_resolve(ww_sweep *sweep, const char *dir, const char *version, ww_error *err)
{
    ww_arch_family family = {0};
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < sweep->run_count; i++) {
        if (sweep->run[i].spec == NULL && sweep->run[i].left_out == NULL) {
            status = resolve(sweep, dir, &sweep->run[i], version, &family, err);
        }
    }
    ww_arch_family_fini(&family);
    return status;
}
