/* cmd_run.c - `warpwatt run`: simulate, estimate energy, print the breakdown. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/hotspot.h"
#include "analysis/result_store.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/breakdown.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/governing.h"
#include "cli/program_cap.h"
#include "cli/run_request.h"
#include "cli/settings.h"

/* Progress on the terminal, and what each workload came to. */
typedef struct screen {
    bool quiet, json;
    bool many;
    size_t findings;   /* places, of --memcheck */
    const char *label; /* of what runs; NULL: nothing */
    uint32_t launch;
    char title[160]; /* of the line */
    ww_progress progress;
} screen;

/* A line per launch: its number is known, how many there will be is not. */
static void begin_launch(screen *s, const ww_run_progress *now)
{
    int n = snprintf(s->title, sizeof s->title, "%s launch %u", WW_VISIBLE(now->label),
                     now->launch + 1);
    if (now->items > 1) {
        snprintf(s->title + n, sizeof s->title - (size_t)n, " (workload %zu of %zu)", now->item + 1,
                 now->items);
    }
    s->launch = now->launch;
    if (s->label == now->label) {
        ww_progress_restart(&s->progress, ww_clock_s());
        return;
    }
    s->label = now->label;
    bool terminal = !s->quiet && isatty(STDERR_FILENO);
    ww_progress_finish(&s->progress);
    ww_progress_init(&s->progress, s->title, "warp inst", 0, ww_clock_s(),
                     terminal ? ww_progress_to_terminal : NULL, stderr);
}

static void show_progress(void *user, const ww_run_progress *now)
{
    screen *s = user;
    if (s->label != now->label || s->launch != now->launch) {
        begin_launch(s, now);
    }
    ww_progress_update_share(&s->progress, now->warp_instructions, now->done, ww_clock_s());
}

static void show_workload(void *user, const char *workload, ww_run_end end, double seconds)
{
    static const char *const text[] = {
        [WW_RUN_PASSED] = "results match the CPU reference",
        [WW_RUN_FAILED] = "FAILED",
        [WW_RUN_CUT] = "ended by its instruction budget, results not checked",
    };
    screen *s = user;
    ww_progress_finish(&s->progress);
    s->label = NULL;
    if (!s->quiet && (s->many || end == WW_RUN_CUT)) {
        fprintf(stderr, "%-22s %s  %.2f s\n", workload, text[end], seconds);
    }
}

/* With --json, stdout holds one document. */
static void show_print(void *user, const char *text, size_t n)
{
    screen *s = user;
    ww_progress_finish(&s->progress);
    s->label = NULL;
    (void)fwrite(text, 1, n, s->json ? stderr : stdout);
}

static void show_finding(void *user, const char *text, uint64_t accesses)
{
    screen *s = user;
    ww_progress_finish(&s->progress);
    s->label = NULL;
    s->findings++;
    if (text == NULL) {
        fprintf(stderr, "memcheck: and at further places (%llu accesses)\n",
                (unsigned long long)accesses);
    } else {
        fprintf(stderr, "memcheck: %s (%llu access%s)\n", WW_VISIBLE(text),
                (unsigned long long)accesses, accesses == 1 ? "" : "es");
    }
}

/* A run with findings has failed, whatever its results. */
static ww_status judge_findings(size_t findings, ww_error *err)
{
    return findings == 0 ? WW_OK
                         : ww_fail(err, WW_EFAULT,
                                   "memcheck: uninitialized reads, races or lanes that cannot come "
                                   "at %zu place%s",
                                   findings, findings == 1 ? "" : "s");
}

static ww_status write_lines(const ww_run *run, const ww_args *args, const char *dir, ww_error *err)
{
    if (!ww_args_has(args, "profile")) {
        return WW_OK;
    }
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, dir, WW_LINES_FILE);
    ww_status status = path != NULL ? ww_lines_write(&run->lines, path, err) : ww_no_memory(err);
    ww_arena_fini(&arena);
    return status;
}

static ww_status write_timeline(const ww_run *run, const ww_args *args, const char *dir,
                                ww_error *err)
{
    if (!ww_args_has(args, "timeline")) {
        return WW_OK;
    }
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, dir, WW_TIMELINE_FILE);
    ww_status status =
        path != NULL ? ww_write_file(path, ww_str_text(&run->timeline), run->timeline.len, err)
                     : ww_no_memory(err);
    ww_arena_fini(&arena);
    if (run->timeline_dropped > 0) {
        fprintf(stderr, "note: the timeline lacks %zu spans beyond the first %d\n",
                run->timeline_dropped, WW_TIMELINE_MOST);
    }
    return status;
}

/* Of a variant that may be wrong; any other would have failed. */
static void show_mismatches(const ww_run *run)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < run->launch_count; i++) {
        wrong += ww_counter_total(run->launches[i].counters, WW_C_MECH_MISMATCH);
    }
    if (wrong > 0) {
        fprintf(stderr,
                "note: with %s, hardware would have had %" PRIu64 " wrong result%s "
                "(sm.mech.mismatch); those shown are of plain execution\n",
                ww_mech_unsound(run->arch), wrong, wrong == 1 ? "" : "s");
    }
}

/* Says when memory bounded the intervals: rows of the trace are longer than was asked for. */
static void show_merging(const ww_args *args, const ww_run *run)
{
    unsigned long long asked = 0;
    uint64_t longest = ww_launch_records_longest(run->launches, run->launch_count);
    if (ww_args_u64(args, "interval", 1, 1ull << 40, 0, &asked, NULL) == WW_OK && asked > 0 &&
        longest >= 2 * asked) {
        fprintf(stderr,
                "note: neighbouring intervals were merged to bound memory and the size of "
                "activity.xml; the longest has %" PRIu64 " cycles instead of %llu\n",
                longest, asked);
    }
}

/* The clock, where it is not the description's own, and how it came about. */
static void show_clock(const ww_run *run)
{
    const ww_arch *arch = run->arch;
    double sigma = ww_arch_voltage_sigma(arch, arch->clock.core_hz);
    if (arch->clock.core_v > 0) {
        fprintf(stderr, "note: core clock %.4g MHz at %.4g V +- %.2g %% (%s)\n",
                arch->clock.core_hz / 1e6, arch->clock.core_v, 100 * sigma,
                ww_arch_source(arch, "clock.voltage"));
    }
    if (run->cap.runs == 0) {
        return;
    }
    fprintf(stderr, "note: power cap of %.4g W: %.4g W at %.4g MHz", arch->power.cap_w,
            run->cap.watts, run->cap.core_hz / 1e6);
    if (run->cap.next_hz > 0) {
        fprintf(stderr, ", %.4g W at the next clock, %.4g MHz (%zu simulations)", run->cap.next_w,
                run->cap.next_hz / 1e6, run->cap.runs);
    }
    fprintf(stderr, "\n");
}

/* What was asked for beyond what there is; in a file that stays with the result. */
static ww_status mark_incomplete(const char *dir, const char *text, ww_error *err)
{
    ww_arena arena = {0};
    const char *path = ww_path_join(&arena, dir, WW_RESULT_INCOMPLETE);
    ww_status status =
        path != NULL ? ww_write_file(path, text, strlen(text), err) : ww_no_memory(err);
    ww_arena_fini(&arena);
    return status;
}

static ww_status write_results(const ww_args *args, const ww_run *run, const ww_result_set *set,
                               const char *dir, ww_error *err)
{
    WW_TRY(ww_export_all(set, dir, run->model != NULL, err));
    WW_TRY(write_timeline(run, args, dir, err));
    return write_lines(run, args, dir, err);
}

static ww_status print_results(const ww_args *args, const ww_run *run, const ww_result_set *set,
                               ww_error *err)
{
    const char *out = ww_args_value(args, "out");
    if (ww_args_has(args, "quiet")) {
        return WW_OK;
    }
    show_merging(args, run);
    show_mismatches(run);
    show_clock(run);
    bool json = ww_args_has(args, "json");
    if (run->model == NULL) {
        WW_TRY(ww_print_metrics(set, 1, json, err));
    } else {
        WW_TRY(ww_print_breakdown(set, json, err));
    }
    if (!json && run->host_seconds > 0) {
        printf("\n%s on %s: %llu warp instructions in %.2f s, %.0f thousand per second%s%s\n",
               run->model == NULL ? "executed" : "simulated", WW_VISIBLE(ww_arch_name(run->arch)),
               (unsigned long long)run->warp_instructions, run->host_seconds,
               ww_run_host_rate(run) / 1e3, out != NULL ? "; results in " : "",
               out != NULL ? WW_VISIBLE(out) : "");
    }
    return WW_OK;
}

/* Power by place, with its own floorplan or one that was drawn. A program's launches come with sums
 * of their intervals. */
static ww_status write_hotspot(const ww_args *args, const ww_result_set *set, bool totals,
                               ww_error *err)
{
    const char *dir = ww_args_value(args, "hotspot");
    return dir == NULL || set->launch_count == 0
               ? WW_OK
               : ww_hotspot_write(set, dir, ww_args_value(args, "floorplan"), totals, err);
}

static ww_status check_hotspot(const ww_args *args, ww_error *err)
{
    if (ww_args_has(args, "floorplan") && !ww_args_has(args, "hotspot")) {
        return ww_fail(err, WW_EUSAGE, "--floorplan goes with --hotspot DIR: the trace for it");
    }
    return ww_args_has(args, "hotspot") && ww_args_has(args, "no-timing")
               ? ww_fail(err, WW_EUSAGE, "--hotspot needs time: --no-timing has no power")
               : WW_OK;
}

/* ---- -- PROGRAM ARGS… ---- */

static void show_notes(const ww_program_result *result)
{
    if (result->process_count == 0) {
        fprintf(stderr, "note: the program did not use the CUDA runtime\n");
    } else if (result->run.launch_count == 0) {
        bool unfinished = result->fault_count > 0 || result->interrupted || result->ended_by != 0;
        fprintf(stderr, "note: the program %s\n",
                unfinished ? "finished no kernel" : "launched no kernel");
    }
    if (result->unsupported_count > 0) { /* each was named when it was called */
        fprintf(stderr, "note: %zu thing%s that the program asked for %s not there: %s%s\n",
                result->unsupported_count, result->unsupported_count == 1 ? "" : "s",
                result->unsupported_count == 1 ? "is" : "are", WW_VISIBLE(result->unsupported[0]),
                result->unsupported_count > 1 ? " and others, listed above" : "");
    }
    if (result->reads_clock) {
        fprintf(stderr, "note: the program can read the host's clock; times that it prints from it "
                        "are those of the simulation, not of the GPU\n");
    }
}

static ww_status write_program(const ww_args *args, const ww_program_result *result,
                               const ww_result_set *set, const char *command,
                               ww_result_store *store, ww_error *err)
{
    if (store->aside[0] == '\0') {
        return WW_OK;
    }
    if (result->run.launch_count > 0) {
        WW_TRY(write_results(args, &result->run, set, store->aside, err));
    }
    if (result->interrupted) {
        WW_TRY(mark_incomplete(store->aside, "The program was interrupted.\n", err));
    }
    WW_TRY(ww_program_export(result, store->aside, command, err));
    return ww_result_publish(store, result->run_id, err);
}

static ww_status finish_program(const ww_args *args, const ww_program_result *result,
                                const char *command, ww_result_store *store, ww_error *err)
{
    ww_result_set set = ww_run_results(&result->run, WW_VERSION, command);
    set.run_id = result->run_id;
    WW_TRY(write_program(args, result, &set, command, store, err));
    WW_TRY(write_hotspot(args, &set, true, err));
    if (result->run.launch_count > 0) {
        WW_TRY(print_results(args, &result->run, &set, err));
    }
    for (size_t i = 0; i < result->finding_count; i++) {
        fprintf(stderr, "memcheck: %s\n", WW_VISIBLE(result->findings[i]));
    }
    if (!ww_args_has(args, "quiet")) {
        show_notes(result);
    }
    if (result->ended_by != 0) {
        fprintf(stderr, "error: the program was ended by signal %d (%s)\n", result->ended_by,
                strsignal(result->ended_by));
    }
    if (result->interrupted) {
        return ww_fail(err, WW_EINTERRUPTED, "the program was interrupted%s",
                       ww_args_has(args, "out") ? "; its results are marked incomplete" : "");
    }
    if (result->fault_count > 0 && result->exit_code == 0) {
        return ww_fail(err, WW_EKERNEL,
                       "the program ended normally, but the device reported errors: %s",
                       result->faults[0]);
    }
    return judge_findings(result->finding_count, err);
}

static ww_status run_program(const ww_args *args, const ww_run_request *request,
                             const char *command, ww_result_store *store, ww_error *err)
{
    ww_program_result result = {0};
    if (ww_args_has(args, "memcheck") && setenv(WW_ENV_MEMCHECK, "1", 1) != 0) {
        return ww_no_memory(err);
    }
    ww_status status = ww_program_run_capped(request, args->rest, args->rest_count, &result, err);
    if (status == WW_OK) {
        status = finish_program(args, &result, command, store, err);
    }
    int code = result.exit_code;
    ww_program_result_fini(&result);
    if (status == WW_OK && code != 0) {
        ww_result_drop(store);
        exit(code); /* the program's own exit code is what a script around it waits for */
    }
    return status;
}

/* ---- workloads and PTX ---- */

static ww_status write_run(const ww_args *args, const ww_run_request *request, const ww_run *run,
                           ww_result_set *set, ww_result_store *store, ww_error *err)
{
    if (store->aside[0] == '\0') {
        return WW_OK;
    }
    WW_TRY(ww_run_id(request, run->arch, WW_VERSION, NULL, NULL, 0, &set->run_id, err));
    WW_TRY(write_results(args, run, set, store->aside, err));
    if (run->interrupted) {
        char text[128];
        snprintf(text, sizeof text, "Interrupted: %zu of %zu workloads are here.\n", run->finished,
                 request->item_count);
        WW_TRY(mark_incomplete(store->aside, text, err));
    }
    return ww_result_publish(store, set->run_id, err);
}

static ww_status judge_interrupt(const ww_args *args, const ww_run_request *request,
                                 const ww_run *run, ww_error *err)
{
    return !run->interrupted
               ? WW_OK
               : ww_fail(err, WW_EINTERRUPTED, "interrupted: %zu of %zu workloads had finished%s",
                         run->finished, request->item_count,
                         ww_args_has(args, "out") ? "; their results are marked incomplete" : "");
}

static ww_status run_request(const ww_args *args, ww_run_request *request, const char *command,
                             ww_result_store *store, ww_error *err)
{
    screen *s = request->user;
    ww_run *run = NULL;
    s->many = request->item_count > 1;
    request->stop = ww_ending_flag();
    ww_status status = ww_run_execute(request, &run, err);
    ww_progress_finish(&s->progress);
    if (status == WW_OK) {
        ww_result_set set = ww_run_results(run, WW_VERSION, command);
        status = write_run(args, request, run, &set, store, err);
        status = status == WW_OK ? write_hotspot(args, &set, false, err) : status;
        status = status == WW_OK ? print_results(args, run, &set, err) : status;
        status = status == WW_OK ? judge_interrupt(args, request, run, err) : status;
    }
    ww_run_destroy(run);
    return status == WW_OK ? judge_findings(s->findings, err) : status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    screen s = {.quiet = ww_args_has(args, "quiet"), .json = ww_args_has(args, "json")};
    ww_run_request request = {.on_progress = s.quiet ? NULL : show_progress,
                              .on_workload = show_workload,
                              .on_print = show_print,
                              .on_finding = show_finding,
                              .user = &s};
    ww_result_store store = {.aside = ""};
    const char *out = ww_args_value(args, "out");
    WW_TRY(check_hotspot(args, err));
    ww_status status = ww_run_request_make(args, &arena, &request, err);
    (void)ww_ending_note(); /* finished workloads are kept */
    if (status == WW_OK && out != NULL) {
        status = ww_result_begin(&store, out, ww_args_has(args, "force"), err);
        request.dump_dir = store.aside;
    }
    if (status == WW_OK) {
        const char *command = ww_run_request_line(args, &arena);
        status = args->rest_count > 0 ? run_program(args, &request, command, &store, err)
                                      : run_request(args, &request, command, &store, err);
    }
    ww_result_drop(&store);
    ww_arena_fini(&arena);
    return status;
}

static const ww_option options[] = {
    {"gpu", "NAME|FILE", "GPU description: a name from 'warpwatt list gpus' or an XML file."},
    {"workload", "NAME[:SIZE],…",
     "Workloads to run; SIZE is small, std (when omitted), study or default; all:small runs every "
     "one; may be repeated."},
    {"ptx", "FILE", "A PTX file of your own."},
    {"launch", "FILE",
     "How to launch it: buffers, arguments, grid, block, what to dump (docs/launch-file.md)."},
    {"set", "KEY=VALUE", "Override a GPU parameter, e.g. sm.schedulers=4; may be repeated."},
    WW_OPTION_CLOCK,
    WW_OPTION_POWER_CAP,
    {"mech", "NAME,…", "Switch on published mechanisms (warpwatt list mechs); none when omitted."},
    {"isa", "lowered|gt200|ptx",
     "Machine-like instructions on allocated registers, the same with the operand forms of compute "
     "capability 1.3, or PTX as written; when omitted, what the "
     "GPU's description says (sm.isa): lowered but for machines of PTX-level simulators."},
    {"registers", "FILE",
     "Registers of kernels, instead of those that are allocated here: columns kernel and "
     "registers, or what 'ptxas -v' or 'cuobjdump --dump-resource-usage' prints."},
    {"interval", "CYCLES", "Also write power over time, one row per so many core cycles."},
    WW_OPTION_GOVERNOR,
    WW_OPTION_HEAT,
    {"max-cycles", "CYCLES",
     "Stop a launch that takes longer, with a report of what every warp waits for."},
    {"max-instructions", "N",
     "End each workload once its program has executed N thread instructions, whoever executed, "
     "skipped or reused them: two machines stop at the same place (docs/guide.md)."},
    {"threads", "N",
     "Simulate SMs, or without time run CTAs, on N threads (0: one per processor). When omitted, "
     "1, and with --no-timing 0; the results are the same."},
    {"sample", "ctas|time|kernels|auto|fast[:ERROR%]",
     "Simulate only part in time and extrapolate: of launches of many CTAs (ctas), of long ones of "
     "few (time), of repeated ones (kernels), ctas and kernels (auto), or all three (fast); ERROR "
     "is how far the cycles may be off, with 95 % confidence, 5% when omitted; "
     "what cannot be known so well runs in full (docs/sampling.md)."},
    {"profile", NULL,
     "Also count issue slots and what they were lost to by PTX and source line: lines.csv, read by "
     "'warpwatt analyze stalls DIR --lines'; needs --out."},
    {"toggles", NULL,
     "Also count the bits that operands, results and data in memory switch, and charge energies "
     "for "
     "those instead of for half of all bits (docs/guide.md)."},
    {"timeline", "CTA",
     "Also write what the warps of that CTA (its linear number) and the asynchronous engines for "
     "it "
     "do over time, of each launch: timeline.csv, drawn by 'warpwatt report'; needs --out."},
    {"hotspot", "DIR",
     "Also write the power of every SM and block over time for HotSpot into DIR: floorplan.flp, "
     "power.ptrace (a line per --interval) and hotspot.config (docs/guide.md)."},
    {"floorplan", "FILE",
     "With --hotspot: the blocks' places, in the format of floorplan.flp, instead of our own; "
     "blocks that overlap, leave gaps or are missing are refused."},
    {"concurrent", NULL,
     "Let a program's kernels of different streams run at the same time (docs/cuda-programs.md)."},
    {"memory", "SIZE",
     "Device memory that a program finds and may hold at a time; 4GiB when omitted, whatever the "
     "GPU."},
    {"no-timing", NULL, "Execute only: results and instruction mix, no cycles and no power."},
    {"memcheck", NULL,
     "Also look for reads of memory that nothing has written and for races in shared memory; a "
     "program stops at an access "
     "outside its allocation, even where a GPU would let it pass (docs/guide.md)."},
    {"out", "DIR",
     "Write the result files into DIR, all or none; a folder that holds a result is refused."},
    {"force", NULL, "Replace the result that --out's folder holds, as a whole."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt run --gpu gtx580 --workload backprop --out result",
     "One workload, its breakdown, and all files in result/."},
    {"warpwatt run --gpu gtx480 --workload all:small",
     "Every workload at its smallest size, checked against the CPU."},
    {"warpwatt run --gpu gtx580 --workload hotspot --set sm.max_ctas=16",
     "The same machine with one parameter changed."},
    {"warpwatt run --gpu gtx480 --workload lavamd:default --threads 4", "The same bytes, sooner."},
    {"warpwatt run --gpu gtx580 --workload lavamd:default --sample auto --out result",
     "A long run, sampled; kernels.csv states the error."},
    {"warpwatt run --gpu gtx480 --workload spmv --profile --out result",
     "Which lines the kernels wait at: then 'warpwatt analyze stalls result --lines'."},
    {"warpwatt run --gpu gtx580 --ptx saxpy.ptx --launch saxpy.xml --out result",
     "Your own kernel."},
    {"warpwatt run --gpu gtx480 --workload bfs --mech nlp --set nlp.degree=2 --out result",
     "With next-line prefetching, two lines ahead."},
    {"warpwatt run --gpu gtx580 --out result -- ./app 1024",
     "A CUDA program as it is, built with nvcc -cudart shared."},
    {NULL, NULL},
};
const ww_command ww_cmd_run = {
    .name = "run",
    .summary = "simulate kernels and print where the energy went",
    .synopsis = "--gpu GPU --workload NAME[:SIZE][,…] [options]\n--gpu GPU --ptx FILE --launch "
                "FILE [options]\n--gpu GPU [options] -- PROGRAM ARGS…",
    .description = "Simulates kernels cycle by cycle on a GPU, estimates energy from their "
                   "activity and prints the breakdown.",
    .options = options,
    .examples = examples,
    .run = run,
};
