/* cmd_sweep.c - `warpwatt sweep`: configurations x workloads, resumable, here or under SLURM. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/table.h"
#include "base/configs.h"
#include "base/file.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/operator_memory.h"
#include "inference/sweeping.h"
#include "run/sweep.h"
#include "validation/paper.h"

enum { MOST_JOBS = 4096, MOST_TASKS = 1000 /* SLURM's MaxArraySize is 1001 unless configured */ };

/* ---- where it stands ---- */

typedef struct tally {
    size_t count[WW_SWEEP_STATES];
} tally;

static ww_status count_states(const ww_sweep *sweep, const char *dir, tally *per_set, tally *all,
                              ww_error *err)
{
    for (size_t i = 0; i < sweep->run_count; i++) {
        ww_sweep_state state;
        WW_TRY(ww_sweep_run_state(dir, &sweep->run[i], &state, err));
        per_set[sweep->run[i].set - sweep->set].count[state]++;
        all->count[state]++;
    }
    return WW_OK;
}

static size_t sum(const tally *t)
{
    size_t n = 0;
    for (int s = 0; s < WW_SWEEP_STATES; s++) {
        n += t->count[s];
    }
    return n;
}

static ww_status print_states(const ww_sweep *sweep, const tally *per_set, bool json, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "sweep");
    ww_table_head(&t, "configuration");
    ww_table_head(&t, "runs");
    ww_table_head(&t, "done");
    ww_table_head(&t, "running");
    ww_table_head(&t, "failed");
    ww_table_head(&t, "to_do");
    for (size_t i = 0; i < sweep->set_count; i++) {
        ww_table_text(&t, sweep->set[i].name);
        ww_table_count(&t, sum(&per_set[i]));
        ww_table_count(&t, per_set[i].count[WW_SWEEP_DONE]);
        ww_table_count(&t, per_set[i].count[WW_SWEEP_RUNNING]);
        ww_table_count(&t, per_set[i].count[WW_SWEEP_FAILED]);
        ww_table_count(&t, per_set[i].count[WW_SWEEP_TODO]);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

/* Names every failed run with the place that says why. */
static ww_status name_failures(const ww_sweep *sweep, const char *dir, const tally *all,
                               ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = WW_OK;
    size_t left_out = 0;
    for (size_t i = 0; status == WW_OK && i < sweep->run_count; i++) {
        ww_sweep_state state;
        left_out += sweep->run[i].left_out != NULL;
        status = ww_sweep_run_state(dir, &sweep->run[i], &state, err);
        if (status == WW_OK && state == WW_SWEEP_FAILED) {
            const char *log = ww_sweep_log(&arena, dir, &sweep->run[i]);
            fprintf(stderr, "failed: %s (see %s)\n", WW_VISIBLE(sweep->run[i].id),
                    log != NULL ? WW_VISIBLE(log) : "logs");
        }
    }
    ww_arena_fini(&arena);
    return status != WW_OK
               ? status
               : ww_fail(err, WW_EKERNEL,
                         "%zu of %zu runs failed, %zu are complete, %zu are running, %zu were not "
                         "started, %zu are left out",
                         all->count[WW_SWEEP_FAILED], sweep->run_count, all->count[WW_SWEEP_DONE],
                         all->count[WW_SWEEP_RUNNING], all->count[WW_SWEEP_TODO] - left_out,
                         left_out);
}

/* Says once for each reason what is left out; how many runs are. */
static size_t name_left_out(const ww_sweep *sweep)
{
    const char *last = "";
    size_t count = 0;
    for (size_t i = 0; i < sweep->run_count; i++) {
        const ww_sweep_run *run = &sweep->run[i];
        count += run->left_out != NULL;
        if (run->left_out != NULL && strcmp(run->left_out, last) != 0) {
            fprintf(stderr, "left out: %s\n", WW_VISIBLE(run->left_out));
            last = run->left_out;
        }
    }
    return count;
}

/* What to type next: a page about all of it, and a table of configurations beside the first. One
 * that is left out as a whole has nothing to compare. */
static void point_to_comparison(const ww_sweep *sweep, const tally *per_set, const char *dir)
{
    enum { NAMED = 4 }; /* a line that can still be read */
    size_t compared = 0;
    for (size_t i = 0; i < sweep->set_count; i++) {
        compared += per_set[i].count[WW_SWEEP_DONE] > 0;
    }
    printf("\nresults: one folder per configuration in %s; all of them in figures:\n"
           "  warpwatt report %s --out compared.html\n",
           WW_VISIBLE(dir), WW_VISIBLE(dir));
    if (compared < 2) {
        return;
    }
    printf("beside the first, kernel by kernel:\n  warpwatt analyze compare");
    for (size_t i = 0, named = 0; i < sweep->set_count && named < NAMED; i++) {
        if (per_set[i].count[WW_SWEEP_DONE] > 0) {
            printf(" %s/%s", WW_VISIBLE(dir), WW_VISIBLE(sweep->set[i].name));
            named++;
        }
    }
    printf("%s\n", compared > NAMED ? " ..." : "");
}

static ww_status show(const ww_args *args, const ww_sweep *sweep, const char *dir, ww_error *err)
{
    tally all = {0}, *per_set = WW_NEW_ARRAY(tally, sweep->set_count);
    if (per_set == NULL) {
        return ww_no_memory(err);
    }
    size_t left_out = 0;
    ww_status status = count_states(sweep, dir, per_set, &all, err);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = print_states(sweep, per_set, ww_args_has(args, "json"), err);
        left_out = name_left_out(sweep);
    }
    if (status == WW_OK && all.count[WW_SWEEP_FAILED] > 0) {
        status = name_failures(sweep, dir, &all, err);
    }
    if (status == WW_OK && all.count[WW_SWEEP_DONE] + left_out == sweep->run_count &&
        !ww_args_has(args, "quiet") && !ww_args_has(args, "json")) {
        point_to_comparison(sweep, per_set, dir);
    }
    ww_free(per_set);
    return status;
}

/* ---- what budgets reach ---- */

/* A line for each kernel of a tenth or more; how many of them fall short. */
static ww_status add_reach(ww_table *t, ww_sweep *sweep, const ww_sweep_item *item,
                           size_t *short_ones, ww_error *err)
{
    ww_reach *row;
    size_t rows;
    WW_TRY(ww_sweep_reach(sweep, item, &row, &rows, err));
    for (size_t i = 0; i < rows; i++) {
        const ww_reach_part part = ww_reach_part_of(row, rows, i);
        const ww_reach_launches launches = ww_reach_launches_of(&row[i]);
        const bool falls_short = ww_reach_falls_short(row, rows, i);
        *short_ones += falls_short;
        ww_table_text(t, item->label);
        ww_table_text(t, row[i].kernel);
        ww_table_count(t, row[i].launches);
        ww_table_number(t, part.whole, 3);
        ww_table_number(t, part.timed, 3);
        ww_table_number(t, launches.whole, 0);
        ww_table_number(t, launches.timed, 0);
        ww_table_text(t, falls_short ? "SHORT" : "");
    }
    return WW_OK;
}

static ww_status show_reach(const ww_args *args, ww_sweep *sweep, ww_error *err)
{
    ww_table t;
    size_t short_ones = 0;
    ww_status status = WW_OK;
    ww_table_init(&t, "reach");
    static const char *const head[] = {"workload",         "kernel",
                                       "launches",         "of_the_whole",
                                       "of_the_simulated", "launch_of_the_whole",
                                       "simulated_launch", "verdict"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_table_head(&t, head[i]);
    }
    for (size_t i = 0; status == WW_OK && i < sweep->item_count; i++) {
        status = add_reach(&t, sweep, &sweep->item[i], &short_ones, err);
    }
    status = status == WW_OK ? ww_table_print(&t, ww_args_has(args, "json"), stdout, err) : status;
    ww_table_fini(&t);
    return status != WW_OK || short_ones == 0
               ? status
               : ww_fail(err, WW_EVERIFY,
                         "the budget falls short of %zu kernels that have a tenth or more of a "
                         "whole run's instructions",
                         short_ones);
}

/* ---- here ---- */

static void show_progress(void *user, const ww_sweep_progress *p)
{
    char left[48] = "", line[160];
    (void)user;
    if (p->left_s > 0) {
        snprintf(left, sizeof left,
                 p->left_s < 120 ? ", about %.0f s left" : ", about %.0f min left",
                 p->left_s < 120 ? p->left_s : p->left_s / 60);
    }
    snprintf(line, sizeof line, "sweep: %zu of %zu runs done, %zu running, %zu failed%s", p->done,
             p->total, p->running, p->failed, left);
    ww_progress_to_terminal(stderr, line);
}

static ww_status run_here(const ww_args *args, ww_sweep *sweep, const char *dir, ww_error *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned long long jobs;
    ww_sweep_progress end;
    bool terminal = !ww_args_has(args, "quiet") && isatty(STDERR_FILENO);
    WW_TRY(ww_args_u64(args, "jobs", 1, MOST_JOBS, cores > 0 ? (unsigned long long)cores : 1, &jobs,
                       err));
    WW_TRY(ww_sweep_pool(sweep, dir, WW_VERSION, (unsigned)jobs, terminal ? show_progress : NULL,
                         NULL, &end, err));
    if (terminal) {
        ww_progress_to_terminal(stderr, "");
    }
    return show(args, sweep, dir, err);
}

/* ---- as a task of a job array ---- */

static ww_status parse_task(const char *text, uint64_t *task, uint64_t *tasks, ww_error *err)
{
    char first[24];
    const char *slash = strchr(text, '/');
    size_t length = slash != NULL ? (size_t)(slash - text) : sizeof first;
    if (length < sizeof first) {
        memcpy(first, text, length);
        first[length] = '\0';
        if (ww_num_parse_u64(first, task, NULL) == WW_OK &&
            ww_num_parse_u64(slash + 1, tasks, NULL) == WW_OK && *task < *tasks) {
            return WW_OK;
        }
    }
    return ww_fail(err, WW_EUSAGE, "--task is I/N with I from 0 to N-1, not '%s'", text);
}

/* One run failing leaves the others of the task to be done. */
static ww_status run_task(const ww_args *args, const ww_sweep *sweep, const char *dir,
                          ww_error *err)
{
    uint64_t task, tasks;
    size_t failed = 0;
    WW_TRY(parse_task(ww_args_value(args, "task"), &task, &tasks, err));
    for (uint64_t i = task; i < sweep->run_count; i += tasks) {
        const ww_sweep_run *run = &sweep->run[i];
        ww_error why = {0};
        bool ran = false;
        double start = ww_clock_s();
        char text[4096];
        ww_status status = ww_sweep_execute(sweep, dir, run, WW_VERSION, &ran, &why);
        if (status == WW_EINTERRUPTED) {
            return ww_fail(err, status, "interrupted in %s; the same command does the rest",
                           run->id);
        }
        if (status != WW_OK) {
            fprintf(stderr, "%s: %s\n", WW_VISIBLE(run->id),
                    ww_error_format(&why, text, sizeof text));
            failed++;
        } else {
            printf("%s: %s (%.2f s)\n", WW_VISIBLE(run->id),
                   ran ? "done" : "done before, or somebody else's", ww_clock_since_s(start));
        }
    }
    return failed == 0 ? WW_OK : ww_fail(err, WW_EKERNEL, "%zu runs failed", failed);
}

/* ---- SLURM ---- */

/* Runs `sbatch --parsable SCRIPT` and gives what it prints: the job's number. */
static ww_status submit(const char *script, char *job, size_t size, ww_error *err)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return ww_fail(err, WW_EIO, "no pipe: %s", strerror(errno));
    }
    pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("sbatch", "sbatch", "--parsable", script, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n = 1; process > 0 && n > 0 && length + 1 < size;
         length += n > 0 ? (size_t)n : 0) {
        n = read(ends[0], job + length, size - 1 - length);
    }
    close(ends[0]);
    job[length] = '\0';
    job[strcspn(job, "\n;")] = '\0';
    int status = -1;
    if (process < 0 || waitpid(process, &status, 0) != process || status != 0) {
        bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
        return ww_fail(err, WW_EIO, "%s",
                       missing ? "there is no sbatch here: is SLURM installed?"
                               : "sbatch did not take the job; its own message is above");
    }
    return WW_OK;
}

static ww_status write_script(const ww_args *args, const ww_sweep *sweep, const char *dir,
                              unsigned tasks, const char *script, ww_error *err)
{
    ww_arena arena = {0};
    const char *options[64];
    size_t count = ww_args_count(args, "sbatch");
    ww_str text = {0};
    char *bin = ww_path_exe_dir(&arena), *file = ww_path_real(&arena, sweep->file);
    char *program = bin != NULL ? ww_path_join(&arena, bin, "warpwatt") : NULL;
    ww_status status = program != NULL && file != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK && count > WW_ARRAY_LEN(options)) {
        status = ww_fail(err, WW_EUSAGE, "more than %zu options for sbatch", WW_ARRAY_LEN(options));
    }
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        options[i] = ww_args_nth(args, "sbatch", i);
    }
    if (status == WW_OK) {
        status =
            ww_sweep_slurm_script(sweep, file, dir, program, tasks, options, count, &text, err);
    }
    status = status == WW_OK ? ww_write_text(script, &text, err) : status;
    ww_str_fini(&text);
    ww_arena_fini(&arena);
    return status;
}

static ww_status run_slurm(const ww_args *args, const ww_sweep *sweep, const char *dir,
                           ww_error *err)
{
    ww_arena arena = {0};
    tally all = {0}, *per_set = WW_NEW_ARRAY(tally, sweep->set_count);
    char *full = ww_path_real(&arena, dir);
    char *script = full != NULL ? ww_path_join(&arena, full, "slurm.sh") : NULL, job[64] = "";
    unsigned long long tasks = 0;
    ww_status status = per_set != NULL && script != NULL ? WW_OK : ww_no_memory(err);
    status = status == WW_OK ? count_states(sweep, dir, per_set, &all, err) : status;
    size_t rest = sweep->run_count - all.count[WW_SWEEP_DONE];
    ww_free(per_set);
    if (status == WW_OK) {
        unsigned long long most = rest > 0 && rest < MOST_TASKS ? rest : MOST_TASKS;
        status = ww_args_u64(args, "jobs", 1, 1000000, most, &tasks, err);
        tasks = tasks > sweep->run_count ? sweep->run_count : tasks; /* others would be empty */
    }
    if (status == WW_OK && rest > 0) {
        status = write_script(args, sweep, full, (unsigned)tasks, script, err);
        status = status == WW_OK ? submit(script, job, sizeof job, err) : status;
    }
    if (status == WW_OK && !ww_args_has(args, "quiet") && rest == 0) {
        printf("all %zu runs are done\n", sweep->run_count);
    } else if (status == WW_OK && !ww_args_has(args, "quiet")) {
        printf(
            "submitted job %s: %zu runs in %llu tasks; see warpwatt sweep %s --out %s --status\n",
            WW_VISIBLE(job), rest, tasks, WW_VISIBLE(sweep->file), WW_VISIBLE(dir));
    }
    ww_arena_fini(&arena);
    return status;
}

/* ---- command ---- */

static ww_status choose(const ww_args *args, ww_sweep *sweep, const char *dir, ww_error *err)
{
    const char *launcher = ww_args_value(args, "launcher");
    bool slurm = launcher != NULL && strcmp(launcher, "slurm") == 0;
    if (launcher != NULL && !slurm && strcmp(launcher, "local") != 0) {
        return ww_fail(err, WW_EUSAGE, "--launcher is local or slurm, not '%s'", launcher);
    }
    if (!slurm && ww_args_has(args, "sbatch")) {
        return ww_fail(err, WW_EUSAGE, "--sbatch needs --launcher slurm");
    }
    WW_TRY(ww_sweep_resolve(sweep, dir, WW_VERSION, err));
    if (ww_args_has(args, "status")) {
        return show(args, sweep, dir, err);
    }
    WW_TRY(ww_sweep_prepare(sweep, dir, err));
    (void)ww_ending_note(); /* runs under way leave nothing */
    sweep->stop = ww_ending_flag();
    if (ww_args_has(args, "task")) {
        return run_task(args, sweep, dir, err);
    }
    return slurm ? run_slurm(args, sweep, dir, err) : run_here(args, sweep, dir, err);
}

/* A file, or the name of one that ships with WarpWatt. */
static ww_status find_file(const char *name, ww_arena *arena, const char **out, ww_error *err)
{
    const char *folder;
    static const char paper[] = "paper-";
    *out = name;
    if (strncmp(name, paper, sizeof paper - 1) == 0 && !ww_file_exists(name)) {
        WW_TRY(ww_paper_folder(name + sizeof paper - 1, arena, &folder, err));
        *out = ww_path_join(arena, folder, "sweep.xml");
        return *out != NULL ? WW_OK : ww_no_memory(err);
    }
    if (ww_file_exists(name) || strchr(name, '/') != NULL || strstr(name, ".xml") != NULL) {
        return WW_OK;
    }
    WW_TRY(ww_configs_dir(arena, "sweep", &folder, err));
    *out = ww_arena_printf(arena, "%s/%s.xml", folder, name);
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(*out)
               ? WW_OK
               : ww_fail(err, WW_ENOTFOUND,
                         "there is no file '%s', and no sweep of that name in %s (see: warpwatt "
                         "list sweeps)",
                         name, folder);
}

static ww_status run(const ww_args *args, ww_error *err)
{
    const char *dir = ww_args_value(args, "out");
    ww_sweep *sweep = NULL;
    if (args->positional_count != 1 || args->rest_count > 0) {
        return ww_fail(err, WW_EUSAGE, "sweep needs one sweep file");
    }
    const bool reach = ww_args_has(args, "reach");
    if (dir == NULL && !reach) {
        return ww_fail(err, WW_EUSAGE, "sweep needs --out DIR");
    }
    ww_arena arena = {0};
    const char *file = NULL;
    ww_status status = find_file(args->positional[0], &arena, &file, err);
    status = status == WW_OK ? ww_sweep_load(file, WW_VERSION, &sweep, err) : status;
    const ww_sweep_sharing sharing = {.memory = ww_operator_memory(NULL, &arena),
                                      .warn = ww_operator_memory_warn};
    status = status == WW_OK ? ww_infer_sweep_passes(sweep, &sharing, err) : status;
    if (status == WW_OK) {
        status = reach ? show_reach(args, sweep, err) : choose(args, sweep, dir, err);
    }
    ww_sweep_destroy(sweep);
    ww_arena_fini(&arena);
    return status;
}

static const ww_option options[] = {
    {"out", "DIR", "Folder of the sweep; runs that are complete there are not repeated."},
    {"jobs", "N", "Runs at a time (default: one per core); with SLURM, tasks of the job array."},
    {"launcher", "local|slurm", "Processes here (default), or a SLURM job array."},
    {"sbatch", "OPTION", "An option for sbatch, e.g. --partition=long; may be repeated."},
    {"reach", NULL,
     "Run every workload once without time, and print which of its kernels the instruction budget "
     "reaches; nothing is kept."},
    {"status", NULL, "Print where the sweep stands and do nothing."},
    {"task", "I/N",
     "Do the runs I, I+N, I+2N, …, I from 0 to N-1, one after the other, as a task of a job array "
     "does."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt sweep d553-cta-limit --out cta-limit",
     "All runs of the file, one per core; again after an interruption: the rest."},
    {"warpwatt sweep paper-caps --out caps",
     "What a paper compares; then 'warpwatt validate paper'."},
    {"warpwatt analyze compare cta-limit/base cta-limit/config2",
     "One configuration against another."},
    {"warpwatt sweep study.xml --out study --launcher slurm --sbatch=--partition=long",
     "The same as a SLURM job array."},
    {NULL, NULL},
};
const ww_command ww_cmd_sweep = {
    .name = "sweep",
    .summary = "simulate many configurations and workloads, resumable",
    .synopsis = "FILE.xml|NAME --out DIR [options]",
    .description =
        "Runs every workload and every pass of a model of a sweep file on every configuration "
        "of it (docs/sweeps.md). Each run leaves a result folder\n"
        "DIR/CONFIGURATION/WORKLOAD-SIZE that appears when it is complete, so that a "
        "sweep may be stopped at any moment and\n"
        "resumed by the same command. DIR/CONFIGURATION serves analyze and report as "
        "one set of results.",
    .options = options,
    .examples = examples,
    .run = run,
};
