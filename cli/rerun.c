/* rerun.c - the programs of a comparison with hardware: run unmodified, or as they were run. */
#include "cli/rerun.h"

#include <string.h>

#include "analysis/result_store.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/program.h"

enum { MAX_ARGUMENTS = 24 };

#define SAMPLE_ERROR 0.04 /* of the cycles, with 95 % confidence: what sampled programs aim at */

/* The program's words: its file, then the table's arguments with DATA for the folder's data. */
static ww_status words_of(const ww_rerun *from, ww_arena *arena, const char *path,
                          const char *arguments, const char **word, size_t *count, ww_error *err)
{
    ww_str text = {0};
    const char *data = ww_path_join(arena, from->programs, "data");
    for (const char *at = arguments; *at != '\0';) {
        bool named = strncmp(at, "DATA/", 5) == 0;
        ww_str_addf(&text, named ? "%s" : "%.1s", named ? data : at);
        at += named ? 4 : 1;
    }
    char *rest = ww_arena_strndup(arena, ww_str_text(&text), strlen(ww_str_text(&text)));
    ww_str_fini(&text);
    word[(*count)++] = path;
    for (char *save = NULL, *w = strtok_r(rest, " ", &save); w != NULL;
         w = strtok_r(NULL, " ", &save)) {
        if (*count == MAX_ARGUMENTS) {
            return ww_fail(err, WW_ERANGE, "%s: more than %d arguments", path, MAX_ARGUMENTS - 1);
        }
        word[(*count)++] = w;
    }
    return WW_OK;
}

static ww_status take_run(const ww_run *run, ww_arena *arena, ww_rerun_launch **out, size_t *count,
                          ww_error *err)
{
    *count = run->launch_count;
    *out = WW_ARENA_NEW_ARRAY(arena, ww_rerun_launch, *count + 1);
    if (*out == NULL) {
        return ww_no_memory_for(err, "a comparison");
    }
    for (size_t l = 0; l < *count; l++) {
        const ww_launch_record *r = &run->launches[l];
        double cycles = (double)ww_counter_total(r->counters, WW_C_CORE_CYCLES);
        (*out)[l] =
            (ww_rerun_launch){.kernel = ww_arena_strndup(arena, r->kernel, strlen(r->kernel)),
                              .cycles = cycles,
                              .time_s = cycles / r->core_hz};
    }
    return WW_OK;
}

static ww_status run_program(const ww_rerun *from, const ww_rerun_row *row, const char *path,
                             ww_arena *arena, ww_rerun_launch **out, size_t *count, ww_error *err)
{
    const char *word[MAX_ARGUMENTS];
    size_t words = 0;
    WW_TRY(words_of(from, arena, path, row->arguments, word, &words, err));
    const ww_run_request request = {.gpu = row->gpu,
                                    .isa = WW_ISA_LOWERED,
                                    .sample_ctas = strcmp(row->sample, "ctas") == 0,
                                    .sample_kernels = strcmp(row->sample, "kernels") == 0,
                                    .sample_error = SAMPLE_ERROR};
    ww_program_result result = {0};
    ww_status status = ww_program_run(&request, word, words, &result, err);
    if (status == WW_OK && result.interrupted) {
        status = ww_fail(err, WW_EINTERRUPTED, "interrupted while %s ran", path);
    }
    if (status == WW_OK && (result.fault_count > 0 || result.exit_code != 0)) {
        status = ww_fail(err, WW_EKERNEL, "%s failed", path);
    }
    if (status == WW_OK) {
        status = take_run(&result.run, arena, out, count, err);
    }
    ww_program_result_fini(&result);
    return status;
}

/* A kernel alone: PTX, and the launch file beside the table that the arguments name. */
static ww_status run_kernel(const ww_rerun *from, const ww_rerun_row *row, const char *ptx,
                            ww_arena *arena, ww_rerun_launch **out, size_t *count, ww_error *err)
{
    const ww_run_request request = {
        .gpu = row->gpu,
        .ptx_path = ptx,
        .launch_path = ww_path_join(arena, ww_path_dir(arena, from->table), row->arguments),
        .sample_ctas = strcmp(row->sample, "ctas") == 0,
        .sample_error = SAMPLE_ERROR,
        .isa = WW_ISA_LOWERED};
    ww_run *run = NULL;
    WW_TRY(ww_run_execute(&request, &run, err));
    ww_status status = take_run(run, arena, out, count, err);
    ww_run_destroy(run);
    return status;
}

static ww_status take_csv(const ww_csv *csv, ww_arena *arena, ww_rerun_launch **out, size_t *count,
                          ww_error *err)
{
    size_t kernel, cycles, time;
    WW_TRY(ww_csv_find(csv, "kernel", &kernel, err));
    WW_TRY(ww_csv_find(csv, "cycles", &cycles, err));
    bool timed = ww_csv_find(csv, "time", &time, NULL) == WW_OK;
    *count = ww_csv_rows(csv);
    *out = WW_ARENA_NEW_ARRAY(arena, ww_rerun_launch, *count + 1);
    for (size_t i = 0; *out != NULL && i < *count; i++) {
        const char *name = ww_csv_text(csv, i, kernel);
        ww_rerun_launch *l = &(*out)[i];
        l->kernel = ww_arena_strndup(arena, name, strlen(name));
        WW_TRY(ww_csv_double(csv, i, cycles, &l->cycles, err));
        WW_TRY(timed ? ww_csv_double(csv, i, time, &l->time_s, err) : WW_OK);
    }
    return *out != NULL ? WW_OK : ww_no_memory_for(err, "a comparison");
}

static ww_status read_results(const char *path, ww_arena *arena, ww_rerun_launch **out,
                              size_t *count, ww_error *err)
{
    ww_csv *csv = NULL;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = take_csv(csv, arena, out, count, err);
    ww_csv_destroy(csv);
    return status;
}

ww_status ww_rerun_launches(const ww_rerun *from, const ww_rerun_row *row, ww_arena *arena,
                            ww_rerun_launch **out, size_t *count, bool *found, ww_error *err)
{
    *found = true;
    if (from->results != NULL) {
        const char *folder = ww_path_join(arena, from->results, row->name);
        const char *path = ww_path_join(arena, folder, "kernels.csv");
        if (ww_file_exists(path)) {
            WW_TRY(ww_result_check(folder, err));
            return read_results(path, arena, out, count, err);
        }
    }
    if (from->programs != NULL) {
        const char *path = ww_path_join(arena, from->programs, row->file);
        size_t length = strlen(row->file);
        if (ww_file_exists(path)) {
            return length > 4 && strcmp(row->file + length - 4, ".ptx") == 0
                       ? run_kernel(from, row, path, arena, out, count, err)
                       : run_program(from, row, path, arena, out, count, err);
        }
    }
    *found = false;
    *count = 0;
    return WW_OK;
}
