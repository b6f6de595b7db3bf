/* folders.c - a result's folder as every run leaves it. */
#include "inference/folders.h"

#include <math.h>
#include <string.h>

#include "analysis/result_store.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/version.h"
#include "inference/summary.h"

/* ---- operators.csv ---- */

static void put_head(ww_csv_writer *csv)
{
    WW_CSV_HEAD(csv, {"operator", NULL}, {"kind", NULL}, {"kernel", NULL}, {"bound", NULL},
                {"count", "1"}, {"time", "s"}, {"energy", "J"}, {"uncertainty", "J"},
                {"flops", "1"}, {"bytes", "B"}, {"simulated", "1"}, {"peak_flops", "1/s"},
                {"memory_bytes", "B/s"}, {"joules_per_flop", "J"}, {"joules_per_byte", "J/B"},
                {"idle_power", "W"}, {"units", "1"}, {"unit", NULL});
    ww_csv_end_row(csv);
}

/* All occurrences of an operator; what the machine could at best, and what that takes. */
static void put_operator(const ww_infer *f, const ww_infer_total *total, size_t i,
                         ww_csv_writer *csv)
{
    const ww_infer_operator *o = &f->operators[i];
    const double n = (double)o->op->count;
    const double value[] = {n * o->time_s,
                            n * o->energy_j,
                            n * o->sigma_j,
                            n * ww_operator_flops(o->op),
                            n * ww_operator_bytes(o->op),
                            o->simulated,
                            o->peak_flops,
                            f->memory_bytes,
                            f->flop_j,
                            f->byte_j,
                            f->idle_w,
                            total->units};
    ww_csv_put_text(csv, f->run->launches[i].kernel);
    ww_csv_put_text(csv, ww_operator_kind_name(o->op->kind));
    ww_csv_put_text(csv, o->kernel);
    ww_csv_put_text(csv, o->bound);
    ww_csv_put_u64(csv, o->op->count);
    ww_csv_put_doubles(csv, value, sizeof value / sizeof value[0]);
    ww_csv_put_text(csv, total->unit);
    ww_csv_end_row(csv);
}

static void put_gaps(const ww_infer *f, const ww_infer_total *total, ww_csv_writer *csv)
{
    const double value[] = {f->gap_s,  f->gap_j,  0,           0,
                            0,         1,         (double)NAN, f->memory_bytes,
                            f->flop_j, f->byte_j, f->idle_w,   total->units};
    ww_csv_put_text(csv, "gaps");
    ww_csv_put_text(csv, "gaps");
    ww_csv_put_text(csv, "");
    ww_csv_put_text(csv, "");
    ww_csv_put_u64(csv, f->kernels);
    ww_csv_put_doubles(csv, value, sizeof value / sizeof value[0]);
    ww_csv_put_text(csv, total->unit);
    ww_csv_end_row(csv);
}

static ww_status write_operators(const ww_infer *f, const ww_graph *graph, const char *folder,
                                 ww_error *err)
{
    ww_arena arena = {0};
    ww_str text = {0};
    ww_csv_writer csv;
    const ww_infer_total total = ww_infer_total_of(f, graph);
    const char *path = ww_path_join(&arena, folder, WW_RESULT_OPERATORS);
    ww_csv_init(&csv, &text);
    put_head(&csv);
    for (size_t i = 0; i < f->run->launch_count; i++) {
        put_operator(f, &total, i, &csv);
    }
    put_gaps(f, &total, &csv);
    ww_status status = path != NULL ? ww_write_text(path, &text, err) : ww_no_memory(err);
    ww_str_fini(&text);
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_infer_write(const ww_infer *infer, const ww_infer_request *request,
                         const char *command, const char *folder, uint64_t *run_id, ww_error *err)
{
    const ww_run *run = infer->run;
    const ww_run_request machine = {.gpu = request->gpu,
                                    .settings = request->settings,
                                    .setting_count = request->setting_count};
    ww_result_set set = ww_run_results(run, WW_VERSION, command);
    WW_TRY(ww_run_id(&machine, run->arch, WW_VERSION, NULL, NULL, 0, &set.run_id, err));
    set.run_id = ww_hash_bytes(set.run_id, command, strlen(command));
    *run_id = set.run_id;
    WW_TRY(ww_export_all(&set, folder, true, err));
    return write_operators(infer, request->graph, folder, err);
}

ww_status ww_infer_publish(const ww_infer *infer, const ww_infer_request *request,
                           const char *command, ww_result_store *store, ww_error *err)
{
    uint64_t run_id;
    WW_TRY(ww_infer_write(infer, request, command, store->aside, &run_id, err));
    return ww_result_publish(store, run_id, err);
}
