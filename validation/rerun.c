/* rerun.c - the programs of a comparison with hardware: run unmodified, or as they were run. */
#include "validation/rerun.h"

#include <string.h>

#include "analysis/result_store.h"
#include "base/file.h"
#include "base/str.h"

enum { MAX_ARGUMENTS = 24 };

#define SAMPLE_ERROR 0.04 /* of the cycles, with 95 % confidence: what sampled programs aim at */

/* The program's words: its file, then the table's arguments with DATA for the folder's data. */
static ww_status words_of(const char *programs, ww_arena *arena, const char *path,
                          const char *arguments, const char **word, size_t *count, ww_error *err)
{
    ww_str text = {0};
    const char *data = ww_path_join(arena, programs, "data");
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

/* Launches of a run, to be taken by whoever has it. */
typedef struct taker {
    ww_arena *arena;
    ww_rerun_launch *launch;
    size_t count;
} taker;

static ww_status take_run(void *user, const ww_run *run, ww_error *err)
{
    taker *t = user;
    t->count = run->launch_count;
    t->launch = WW_ARENA_NEW_ARRAY(t->arena, ww_rerun_launch, t->count + 1);
    for (size_t l = 0; t->launch != NULL && l < t->count; l++) {
        const ww_launch_record *r = &run->launches[l];
        double cycles = (double)ww_counter_total(r->counters, WW_C_CORE_CYCLES);
        const char *kernel = ww_arena_strndup(t->arena, r->kernel, strlen(r->kernel));
        t->launch[l] = (ww_rerun_launch){kernel, cycles, cycles / r->core_hz};
        if (kernel == NULL) {
            return ww_no_memory_for(err, "a comparison");
        }
    }
    return t->launch != NULL ? WW_OK : ww_no_memory_for(err, "a comparison");
}

static ww_status run_program(const ww_validation *asked, const ww_rerun_row *row, const char *path,
                             taker *to, ww_error *err)
{
    const char *word[MAX_ARGUMENTS];
    size_t words = 0;
    WW_TRY(words_of(asked->programs, to->arena, path, row->arguments, word, &words, err));
    const ww_run_request request = {.gpu = row->gpu,
                                    .isa = WW_ISA_LOWERED,
                                    .sample_ctas = strcmp(row->sample, "ctas") == 0,
                                    .sample_kernels = strcmp(row->sample, "kernels") == 0,
                                    .sample_error = SAMPLE_ERROR};
    return asked->run_program(&request, word, words, take_run, to, err);
}

/* A kernel alone: PTX, and the launch file beside the table that the arguments name. */
static ww_status run_kernel(const char *table, const ww_rerun_row *row, const char *ptx, taker *to,
                            ww_error *err)
{
    const ww_run_request request = {
        .gpu = row->gpu,
        .ptx_path = ptx,
        .launch_path = ww_path_join(to->arena, ww_path_dir(to->arena, table), row->arguments),
        .sample_ctas = strcmp(row->sample, "ctas") == 0,
        .sample_error = SAMPLE_ERROR,
        .isa = WW_ISA_LOWERED};
    ww_run *run = NULL;
    WW_TRY(ww_run_execute(&request, &run, err));
    ww_status status = take_run(to, run, err);
    ww_run_destroy(run);
    return status;
}

enum { KERNEL, CYCLES, TIME, COLUMNS };

static ww_status read_results(const char *path, taker *to, ww_error *err)
{
    static const ww_ref_column columns[COLUMNS] = {
        [KERNEL] = {"kernel", .kind = WW_REF_TEXT},
        [CYCLES] = {"cycles", .kind = WW_REF_NUMBER},
        [TIME] = {"time", .kind = WW_REF_OPTIONAL, .may_lack = true},
    };
    ww_refs *csv = NULL;
    WW_TRY(ww_refs_load(path, columns, COLUMNS, &csv, err));
    to->count = ww_refs_rows(csv);
    to->launch = WW_ARENA_NEW_ARRAY(to->arena, ww_rerun_launch, to->count + 1);
    for (size_t i = 0; to->launch != NULL && i < to->count; i++) {
        const char *name = ww_refs_text(csv, i, KERNEL);
        to->launch[i] =
            (ww_rerun_launch){ww_arena_strndup(to->arena, name, strlen(name)),
                              ww_refs_number(csv, i, CYCLES), ww_refs_number(csv, i, TIME)};
    }
    ww_refs_destroy(csv);
    return to->launch != NULL ? WW_OK : ww_no_memory_for(err, "a comparison");
}

static bool is_kernel(const char *file)
{
    size_t length = strlen(file);
    return length > 4 && strcmp(file + length - 4, ".ptx") == 0;
}

ww_status ww__rerun_launches(const ww__comparing *c, const ww_rerun_row *row, ww_arena *arena,
                             ww_rerun_launch **out, size_t *count, bool *found, ww_error *err)
{
    const ww_validation *asked = c->asked;
    taker to = {.arena = arena};
    const char *path = NULL;
    ww_status status = WW_OK;
    *found = true;
    if (asked->results != NULL) {
        const char *folder = ww_path_join(arena, asked->results, row->name);
        path = ww_path_join(arena, folder, "kernels.csv");
        WW_TRY(ww_file_exists(path) ? ww_result_check(folder, err) : WW_OK);
    }
    if (path != NULL && ww_file_exists(path)) {
        status = read_results(path, &to, err);
    } else {
        path = asked->programs != NULL ? ww_path_join(arena, asked->programs, row->file) : NULL;
        *found = path != NULL && ww_file_exists(path);
        status = !*found                ? WW_OK
                 : is_kernel(row->file) ? run_kernel(ww_refs_path(c->refs), row, path, &to, err)
                                        : run_program(asked, row, path, &to, err);
    }
    *out = to.launch;
    *count = to.count;
    return status;
}
