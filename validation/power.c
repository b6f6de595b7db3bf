/* power.c - `warpwatt validate power`: the kernels of LPGPU D5.5.3, Tables 1 and 7, run
 * here and compared with the published rows. Runs what the results folder lacks. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/version.h"
#include "power/power.h"
#include "run/run.h"
#include "validation/power.h"

/* ---- the map ---- */

static const char *const sources[] = {"public", "reconstruction", NULL};

/* Kernels of the paper: which of ours each is. */
static const ww_ref_column map[WW__MAP_COLUMNS] = {
    [WW__PAPER] = {"paper_kernel", .kind = WW_REF_NAME},
    [WW__WORKLOAD] = {"workload", .kind = WW_REF_NAME},
    [WW__SIZE] = {"size", .kind = WW_REF_NAME},
    [WW__KERNEL] = {"kernel", .kind = WW_REF_NAME},
    [WW__SOURCE] = {"source", .kind = WW_REF_WORD, .words = sources},
};

static const char *mapped(const ww__power_study *s, size_t line, size_t column)
{
    return ww_refs_text(s->map, line, column);
}

static size_t find_kernel(const ww_study *study, const char *name)
{
    size_t i = 0;
    while (i < study->kernel_count && strcmp(study->kernel[i], name) != 0) {
        i++;
    }
    return i;
}

/* ---- running ---- */

static void show_progress(void *user, const ww_run_progress *now)
{
    ww_progress_update_share(user, now->warp_instructions, now->done, ww_clock_s());
}

static ww_status run_workload(const ww_validation *asked, const char *workload, const char *size,
                              const char *dir, ww_error *err)
{
    ww_run_item item = {.workload = ww_workload_find(workload)};
    ww_progress progress;
    if (item.workload == NULL) {
        return ww_fail(err, WW_ENOTFOUND, "there is no workload '%s'", workload);
    }
    WW_TRY(ww_workload_size_parse(size, &item.size, err));
    ww_progress_init(&progress, workload, "warp inst", 0, ww_clock_s(),
                     asked->may_draw ? ww_progress_to_terminal : NULL, asked->output.notes);
    /* The study simulated PTX: see the comment in the GPU's description. */
    const ww_run_request request = {.gpu = WW__PAPER_GPU,
                                    .items = &item,
                                    .item_count = 1,
                                    .isa = WW_ISA_PTX,
                                    .sample_ctas = true, /* long launches in part */
                                    .sample_kernels = true,
                                    .sample_error = 0.05,
                                    .on_progress = show_progress,
                                    .user = &progress};
    ww_run *run = NULL;
    ww_status status = ww_run_execute(&request, &run, err);
    ww_progress_finish(&progress);
    if (status == WW_OK) {
        ww_result_set set = ww_run_results(run, WW_VERSION, "warpwatt validate power");
        status = ww_export_all(&set, dir, true, err);
    }
    ww_run_destroy(run);
    return status;
}

/* Powers of kernels with several launches as the paper prints them: means over the launches, each
 * counting once, while its IPC weighs them by time. The row of bfs1 shows it: 4.4 W in the register
 * file at IPC 21 and SU 9.7 would be seven times the energy per warp instruction of any other row.
 */
static ww_status average_launches(const char *dir, ww_study *study, ww_error *err)
{
    ww_arena arena = {0};
    ww_csv *csv = NULL;
    size_t workload, kernel, component, power;
    const char *path = ww_path_join(&arena, dir, "power.csv");
    ww_status status = path != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err);
    status = status == WW_OK ? ww_csv_find(csv, "workload", &workload, err) : status;
    status = status == WW_OK ? ww_csv_find(csv, "kernel", &kernel, err) : status;
    status = status == WW_OK ? ww_csv_find(csv, "component", &component, err) : status;
    status = status == WW_OK ? ww_csv_find(csv, "dynamic_power", &power, err) : status;
    for (size_t k = 0; status == WW_OK && k < study->kernel_count; k++) {
        study->dynamic_w[k] = 0;
        for (size_t c = 0; c < study->component_count; c++) {
            study->component[c].value[k] = 0;
        }
    }
    for (size_t i = 0; status == WW_OK && i < ww_csv_rows(csv); i++) {
        const char *label =
            ww_study_label(&arena, ww_csv_text(csv, i, workload), ww_csv_text(csv, i, kernel));
        double w = 0;
        size_t k = label != NULL ? find_kernel(study, label) : study->kernel_count;
        const ww_study_column *column = ww_study_component(study, ww_csv_text(csv, i, component));
        if (column == NULL || k == study->kernel_count) {
            continue; /* the total of a launch */
        }
        status = ww_csv_double(csv, i, power, &w, err);
        column->value[k] += w / study->launches[k];
        study->dynamic_w[k] += w / study->launches[k];
    }
    ww_csv_destroy(csv);
    ww_arena_fini(&arena);
    return status;
}

/* Results of a workload: those of the folder, or a run. NULL when there are none and none shall be
 * made. */
static ww_status results_of(ww__power_study *s, size_t line, const ww_validation *asked,
                            ww_study **out, ww_error *err)
{
    const char *workload = mapped(s, line, WW__WORKLOAD), *size = mapped(s, line, WW__SIZE);
    const bool may_run = asked->out != NULL;
    const char *dir = ww_path_join(&s->arena, may_run ? asked->out : asked->results, workload);
    const char *file = dir != NULL ? ww_path_join(&s->arena, dir, "kernels.csv") : NULL;
    *out = NULL;
    if (file != NULL && !ww_file_exists(file) && !may_run) { /* as a sweep names it? */
        dir = ww_arena_printf(&s->arena, "%s-%s", dir, size);
        file = dir != NULL ? ww_path_join(&s->arena, dir, "kernels.csv") : NULL;
    }
    if (file == NULL) {
        return ww_no_memory(err);
    }
    if (!ww_file_exists(file)) {
        if (!may_run) {
            return WW_OK;
        }
        WW_TRY(run_workload(asked, workload, size, dir, err));
    }
    WW_TRY(ww_study_load_results(dir, out, err));
    ww_status status = average_launches(dir, *out, err);
    if (status != WW_OK) {
        ww_study_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* Nothing was found: the folder may hold what a sweep of another size left. */
static ww_status nothing_found(ww__power_study *s, const ww_validation *asked, ww_error *err)
{
    static const char *const sizes[] = {"small", "std", "large", "default"};
    const char *of = asked->out != NULL ? asked->out : asked->results;
    for (size_t i = 0; i < ww_refs_rows(s->map); i++) {
        const char *workload = mapped(s, i, WW__WORKLOAD);
        for (size_t k = 0; k < WW_ARRAY_LEN(sizes); k++) {
            const char *file =
                ww_arena_printf(&s->arena, "%s/%s-%s/kernels.csv", of, workload, sizes[k]);
            if (file == NULL) {
                return ww_no_memory(err);
            }
            if (ww_file_exists(file)) {
                return ww_fail(err, WW_ENOTFOUND,
                               "'%s' has results of %s at %s; the comparison is at %s", of,
                               workload, sizes[k], mapped(s, i, WW__SIZE));
            }
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "'%s' has no results", of);
}

static ww_status gather(ww__power_study *s, const ww_validation *asked, ww_study **all,
                        ww_error *err)
{
    for (size_t i = 0; i < ww_refs_rows(s->map); i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++) {
            seen |= strcmp(mapped(s, k, WW__WORKLOAD), mapped(s, i, WW__WORKLOAD)) == 0;
        }
        ww_study *one = NULL;
        if (seen) {
            continue;
        }
        WW_TRY(results_of(s, i, asked, &one, err));
        if (one != NULL && *all == NULL) {
            *all = one;
        } else if (one != NULL) {
            ww_status status = ww_study_append(*all, one, err);
            ww_study_destroy(one);
            WW_TRY(status);
        }
    }
    return *all != NULL ? WW_OK : nothing_found(s, asked, err);
}

/* ---- pairing ---- */

/* Copies a kernel's row under the paper's name; columns by the reference's names. */
static ww_status copy_row(const ww_study *from, size_t row, const char *name, ww_study *to,
                          size_t at, ww_error *err)
{
    to->kernel[at] = ww_arena_strndup(&to->arena, name, strlen(name));
    for (size_t m = 0; m < to->metric_count; m++) {
        const ww_study_column *column = ww_study_metric(from, to->metric[m].name);
        to->metric[m].value[at] = column != NULL ? column->value[row] : (double)NAN;
    }
    for (size_t c = 0; c < to->component_count; c++) {
        const ww_study_column *column = ww_study_component(from, to->component[c].name);
        if (column == NULL) {
            return ww_fail(err, WW_ENOTFOUND, "'%s' has no component %s", from->name,
                           to->component[c].name);
        }
        to->component[c].value[at] = column->value[row];
    }
    to->dynamic_w[at] = from->dynamic_w[row];
    to->time_s[at] = from->time_s[row];
    return to->kernel[at] != NULL ? WW_OK : ww_no_memory(err);
}

static ww_status empty_like(const ww_study *model, size_t kernels, ww_study **out, ww_error *err)
{
    WW_TRY(ww_study_create(model->name, kernels, model->metric_count, model->component_count, out,
                           err));
    for (size_t m = 0; m < model->metric_count; m++) {
        const char *name = model->metric[m].name;
        (*out)->metric[m].name = ww_arena_strndup(&(*out)->arena, name, strlen(name));
    }
    for (size_t c = 0; c < model->component_count; c++) {
        const char *name = model->component[c].name;
        (*out)->component[c].name = ww_arena_strndup(&(*out)->arena, name, strlen(name));
    }
    return WW_OK;
}

/* The paper's active warps are per scheduler: kernels that fill an SM of 48 warps print 23 to 24.
 */
static void warps_per_scheduler(ww_study *ours, unsigned schedulers)
{
    const ww_study_column *aw = ww_study_metric(ours, "AW");
    for (size_t i = 0; aw != NULL && i < ours->kernel_count; i++) {
        aw->value[i] /= schedulers;
    }
}

static ww_status pair_up(ww__power_study *s, const ww_study *published, const ww_study *all,
                         bool counted, ww__pair *pair, ww_error *err)
{
    size_t n = 0;
    WW_TRY(empty_like(published, ww_refs_rows(s->map), &pair->reference, err));
    WW_TRY(empty_like(published, ww_refs_rows(s->map), &pair->ours, err));
    for (size_t i = 0; i < ww_refs_rows(s->map); i++) {
        const char *paper = mapped(s, i, WW__PAPER);
        const char *label =
            ww_study_label(&s->arena, mapped(s, i, WW__WORKLOAD), mapped(s, i, WW__KERNEL));
        bool is_public = ww_refs_word(s->map, i, WW__SOURCE) == 0;
        if (label == NULL) {
            return ww_no_memory(err);
        }
        if (is_public != counted) {
            continue;
        }
        size_t theirs = find_kernel(published, paper), ours = find_kernel(all, label);
        if (theirs == published->kernel_count) {
            return ww_fail(err, WW_ENOTFOUND, "the published tables have no kernel '%s'", paper);
        }
        if (ours == all->kernel_count) {
            s->missing++;
            continue;
        }
        WW_TRY(copy_row(published, theirs, paper, pair->reference, n, err));
        WW_TRY(copy_row(all, ours, paper, pair->ours, n, err));
        n++;
    }
    pair->reference->kernel_count = pair->ours->kernel_count = n;
    return WW_OK;
}

/* ---- die ---- */

static ww_status add_die(ww_rows *dies, const char *gpu, ww_error *err)
{
    ww_row row = ww_row_of(gpu, "die", "mm2");
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    WW_TRY(ww_arch_load(gpu, NULL, 0, &arch, err));
    ww_status status = ww_power_model_create(arch, NULL, &model, err);
    if (status == WW_OK) {
        row.reference = arch->chip.die_m2 * 1e6;
        row.ours = ww_power_modelled_m2(model) * 1e6;
        row.detail[0] = ww_power_static_w(model);
        status = ww_rows_add(dies, &row, err);
    }
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    return status;
}

/* ---- the command ---- */

static ww_status load_published(ww__power_study *s, ww_study **out, ww_error *err)
{
    const char *kernels, *metrics, *power, *pearson, *shares;
    WW_TRY(ww_validation_file(&s->arena, "power/kernel_map.csv", &kernels, err));
    WW_TRY(ww_refs_load(kernels, map, WW__MAP_COLUMNS, &s->map, err));
    WW_TRY(ww__shipped_bars(&s->arena, &s->bars, err));
    WW_TRY(ww_validation_file(&s->arena, "lpgpu/table1_metrics_gtx580.csv", &metrics, err));
    WW_TRY(ww_validation_file(&s->arena, "lpgpu/table7_component_power_gtx580_W.csv", &power, err));
    WW_TRY(ww_validation_file(&s->arena, "lpgpu/table8_pearson_gtx580.csv", &pearson, err));
    WW_TRY(ww_validation_file(&s->arena, "lpgpu/table10_shares_gtx580.csv", &shares, err));
    WW_TRY(ww_csv_load(pearson, &s->table8, err));
    WW_TRY(ww_csv_load(shares, &s->table10, err));
    return ww_study_load_tables(metrics, power, out, err);
}

static ww_status study_all(ww__power_study *s, const ww_validation *asked, ww_study **published,
                           ww_study **all, ww_error *err)
{
    static const char *const gpus[] = {"gtx480", "gtx580", "gtx1080ti"};
    ww_arch *arch = NULL;
    WW_TRY(load_published(s, published, err));
    WW_TRY(gather(s, asked, all, err));
    WW_TRY(ww_arch_load(WW__PAPER_GPU, NULL, 0, &arch, err));
    s->peak_ipc = ww_peak_ipc(arch->sm.count, arch->sm.schedulers);
    warps_per_scheduler(*all, arch->sm.schedulers);
    ww_arch_destroy(arch);
    WW_TRY(pair_up(s, *published, *all, true, &s->counted, err));
    WW_TRY(pair_up(s, *published, *all, false, &s->apart, err));
    for (size_t g = 0; g < WW_ARRAY_LEN(gpus); g++) {
        WW_TRY(add_die(&s->dies, gpus[g], err));
    }
    WW_TRY(ww__power_judge(s, err));
    return ww__power_print(s, &asked->output, err);
}

static ww_status verdict_of(const ww__power_study *s, ww_error *err)
{
    ww_tally tally = ww_rows_tally(&s->statistics);
    size_t failed = ww_tally_failed(&tally);
    return failed > 0 || s->missing > 0
               ? ww_fail(err, WW_EVERIFY, "%zu of %zu bars are missed, %zu kernels have no result",
                         failed, s->statistics.count, s->missing)
               : WW_OK;
}

ww_status ww_validate_power(const ww_validation *asked, ww_error *err)
{
    ww__power_study s = {.map = NULL};
    ww_study *published = NULL, *all = NULL;
    if ((asked->results == NULL) == (asked->out == NULL)) {
        return ww_fail(err, WW_EUSAGE,
                       "validate power needs --out DIR (run what DIR lacks) or "
                       "--results DIR (compare what DIR holds)");
    }
    ww_status status = study_all(&s, asked, &published, &all, err);
    status = status == WW_OK ? verdict_of(&s, err) : status;
    ww_correlation_matrix_fini(&s.published_r);
    ww_correlation_matrix_fini(&s.our_r);
    ww_categories_fini(&s.published_c);
    ww_categories_fini(&s.our_c);
    ww_csv_destroy(s.table8);
    ww_csv_destroy(s.table10);
    ww_study_destroy(s.counted.reference);
    ww_study_destroy(s.counted.ours);
    ww_study_destroy(s.apart.reference);
    ww_study_destroy(s.apart.ours);
    ww_study_destroy(published);
    ww_study_destroy(all);
    ww_rows_fini(&s.statistics);
    ww_rows_fini(&s.dies);
    ww_refs_destroy(s.map);
    ww_bars_destroy(s.bars);
    ww_arena_fini(&s.arena);
    return status;
}
