/* run_request.c - see run_request.h. */
#include "cli/run_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/threads.h"
#include "base/units.h"
#include "cli/governing.h"
#include "cli/registers.h"
#include "cli/settings.h"

/* ---- NAME[:SIZE][,…] ---- */

static ww_status unknown_workload(const char *name, ww_error *err)
{
    char hint[96];
    return ww_fail(err, WW_ENOTFOUND, "there is no workload '%s'%s (see: warpwatt list workloads)",
                   name, ww_workload_suggest(name, hint, sizeof hint));
}

/* What a list of workloads is read into. */
typedef struct item_list {
    ww_run_item *item;
    size_t count, room;
    bool *of_all; /* [room] `all` named it: a GPU that lacks what it uses goes without */
    bool all;     /* some `all` is there */
} item_list;

static ww_status parse_item(char *word, item_list *list, ww_error *err)
{
    char *colon = strchr(word, ':');
    ww_workload_size size = WW_SIZE_STD;
    size_t all_count, first = 0, n = 1;
    const ww_workload *all = ww_workload_list(&all_count);
    if (colon != NULL) {
        *colon = '\0';
        WW_TRY(ww_workload_size_parse(colon + 1, &size, err));
    }
    if (strcmp(word, "all") == 0) {
        n = all_count;
        list->all = true;
    } else {
        const ww_workload *w = ww_workload_find(word);
        if (w == NULL) {
            return unknown_workload(word, err);
        }
        first = (size_t)(w - all);
    }
    if (list->count + n > list->room) {
        return ww_fail(err, WW_EUSAGE, "more than %zu workloads", list->room);
    }
    for (size_t i = 0; i < n; i++) {
        list->of_all[list->count] = n > 1;
        list->item[list->count++] = (ww_run_item){&all[first + i], size};
    }
    return WW_OK;
}

/* Of `all`, what the GPU cannot run is left out, and told. */
static ww_status leave_out(const ww_args *args, const ww_run_request *request, item_list *list,
                           ww_error *err)
{
    ww_arch *arch = NULL;
    size_t kept = 0;
    WW_TRY(ww_arch_load(request->gpu, request->settings, request->setting_count, &arch, err));
    for (size_t i = 0; i < list->count; i++) {
        const ww_workload *w = list->item[i].workload;
        if (!list->of_all[i] || ww_workload_runs_on(w, arch->chip.compute_capability)) {
            list->item[kept++] = list->item[i];
        } else if (!ww_args_has(args, "quiet")) {
            fprintf(stderr, "note: %s is left out: it needs compute capability %u.%u\n", w->name,
                    w->capability / 10, w->capability % 10);
        }
    }
    list->count = kept;
    ww_arch_destroy(arch);
    return WW_OK;
}

/* Of every --workload that was given. */
static ww_status parse_items(const ww_args *args, ww_arena *arena, ww_run_request *request,
                             ww_error *err)
{
    enum { ROOM = 1024 };
    item_list list = {.item = WW_ARENA_NEW_ARRAY(arena, ww_run_item, ROOM),
                      .of_all = WW_ARENA_NEW_ARRAY(arena, bool, ROOM),
                      .room = ROOM};
    if (list.item == NULL || list.of_all == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < ww_args_count(args, "workload"); i++) {
        const char *text = ww_args_nth(args, "workload", i);
        char *copy = ww_arena_strndup(arena, text, strlen(text)), *rest = NULL;
        if (copy == NULL) {
            return ww_no_memory(err);
        }
        for (char *word = strtok_r(copy, ",", &rest); word != NULL;
             word = strtok_r(NULL, ",", &rest)) {
            WW_TRY(parse_item(word, &list, err));
        }
    }
    if (list.all) {
        WW_TRY(leave_out(args, request, &list, err));
    }
    request->items = list.item;
    request->item_count = list.count;
    return request->item_count > 0 ? WW_OK
                                   : ww_fail(err, WW_EUSAGE, "--workload names no workload");
}

/* ---- request ---- */

static ww_status choose_isa(const ww_args *args, ww_run_request *request, ww_error *err)
{
    const char *isa = ww_args_value(args, "isa");
    if (isa == NULL) {
        request->isa = WW_ISA_DESCRIBED;
    } else if (!ww_isa_named(isa, &request->isa)) {
        return ww_fail(err, WW_EUSAGE, "--isa is lowered, gt200 or ptx, not '%s'", isa);
    }
    return WW_OK;
}

enum { MOST_THREADS = 1024 };

/* A word of the table, then perhaps :ERROR% */
static ww_status choose_sampling(const ww_args *args, ww_run_request *request, ww_error *err)
{
    static const struct {
        const char *word;
        bool ctas, time, kernels;
    } modes[] = {{"ctas", true, false, false},
                 {"time", false, true, false},
                 {"kernels", false, false, true},
                 {"auto", true, false, true},
                 {"fast", true, true, true}};
    const char *text = ww_args_value(args, "sample");
    if (text == NULL) {
        return WW_OK;
    }
    size_t n = strcspn(text, ":"), mode = 0;
    while (mode < WW_ARRAY_LEN(modes) &&
           (strlen(modes[mode].word) != n || strncmp(text, modes[mode].word, n) != 0)) {
        mode++;
    }
    const char *end = text + n;
    double percent = 0;
    bool number = *end == ':' && ww_num_scan(end + 1, &end, &percent);
    if (mode == WW_ARRAY_LEN(modes) || strcmp(end, number ? "%" : "") != 0 ||
        (number && !(percent > 0 && percent <= 50))) {
        return ww_fail(err, WW_EUSAGE,
                       "--sample is ctas, time, kernels, auto or fast, with an error such as "
                       "auto:2%%, not '%s'",
                       text);
    }
    request->sample_ctas = modes[mode].ctas;
    request->sample_time = modes[mode].time;
    request->sample_kernels = modes[mode].kernels;
    request->sample_error = percent / 100;
    if (request->interval_cycles > 0 || request->functional_only) {
        return ww_fail(err, WW_EUSAGE, "--sample does not go with %s",
                       request->functional_only ? "--no-timing" : "--interval");
    }
    return WW_OK;
}

/* Below the limit of what the simulated device can place. */
static ww_status choose_memory(const ww_args *args, ww_run_request *request, ww_error *err)
{
    static const double least = 1 << 20, most = 44.0 * (1 << 30);
    const char *text = ww_args_value(args, "memory");
    double bytes = 0;
    if (text == NULL) {
        return WW_OK;
    }
    if (ww_units_parse(text, "B", &bytes, NULL) != WW_OK || !(bytes >= least && bytes <= most)) {
        return ww_fail(err, WW_EUSAGE, "--memory needs a size from 1 MiB to 44 GiB, not '%s'",
                       text);
    }
    if (args->rest_count == 0) {
        return ww_fail(err, WW_EUSAGE, "--memory is for programs: run … -- PROGRAM");
    }
    request->device_bytes = (uint64_t)bytes;
    return WW_OK;
}

ww_status ww_run_request_make(const ww_args *args, ww_arena *arena, ww_run_request *request,
                              ww_error *err)
{
    unsigned long long interval, max_cycles, max_instructions, threads;
    request->gpu = ww_args_value(args, "gpu");
    request->ptx_path = ww_args_value(args, "ptx");
    request->launch_path = ww_args_value(args, "launch");
    const char *workloads = ww_args_value(args, "workload");
    if (request->gpu == NULL) {
        return ww_fail(err, WW_EUSAGE, "run needs --gpu NAME (see: warpwatt list gpus)");
    }
    if (args->positional_count > 0) {
        return ww_fail(err, WW_EUSAGE,
                       "run does not take the argument '%s'; a program stands behind --: "
                       "run --gpu %s -- PROGRAM",
                       args->positional[0], request->gpu);
    }
    if ((workloads != NULL) + (request->ptx_path != NULL) + (args->rest_count > 0) != 1) {
        return ww_fail(
            err, WW_EUSAGE,
            "run needs either --workload NAME, or --ptx FILE --launch FILE, or -- PROGRAM");
    }
    if ((request->ptx_path != NULL) != (request->launch_path != NULL)) {
        return ww_fail(err, WW_EUSAGE, "--ptx and --launch go together");
    }
    WW_TRY(choose_isa(args, request, err));
    WW_TRY(ww_registers_load(args, arena, request, err));
    WW_TRY(ww_args_u64(args, "interval", 1, 1ull << 40, 0, &interval, err));
    WW_TRY(ww_args_u64(args, "max-cycles", 1, 1ull << 60, 0, &max_cycles, err));
    WW_TRY(ww_args_u64(args, "max-instructions", 1, 1ull << 60, 0, &max_instructions, err));
    request->functional_only = ww_args_has(args, "no-timing");
    /* Someone waits for a run without time; simulations come in batches that fill a machine. */
    WW_TRY(ww_args_u64(args, "threads", 0, MOST_THREADS, request->functional_only ? 0 : 1, &threads,
                       err));
    request->threads = threads > 0 ? (unsigned)threads : ww_processors();
    request->interval_cycles = interval;
    request->max_cycles = max_cycles;
    request->max_instructions = max_instructions;
    if (max_instructions > 0 && args->rest_count > 0) {
        return ww_fail(err, WW_EUSAGE,
                       "--max-instructions ends workloads and PTX files, not programs");
    }
    WW_TRY(choose_memory(args, request, err));
    request->memcheck = ww_args_has(args, "memcheck");
    unsigned long long cta = 0;
    request->profile = ww_args_has(args, "profile");
    request->toggles = ww_args_has(args, "toggles");
    if (request->toggles && request->functional_only) {
        return ww_fail(err, WW_EUSAGE,
                       "--toggles changes energies: there are none with --no-timing");
    }
    request->timeline = ww_args_has(args, "timeline");
    WW_TRY(ww_args_u64(args, "timeline", 0, UINT32_MAX, 0, &cta, err));
    request->timeline_cta = (uint32_t)cta;
    if (request->timeline && ww_args_value(args, "out") == NULL) {
        return ww_fail(err, WW_EUSAGE, "--timeline writes timeline.csv: it needs --out DIR");
    }
    request->concurrent = ww_args_has(args, "concurrent");
    if (request->profile && ww_args_value(args, "out") == NULL) {
        return ww_fail(err, WW_EUSAGE, "--profile writes lines.csv: it needs --out DIR");
    }
    WW_TRY(choose_sampling(args, request, err));
    ww_setting *settings;
    WW_TRY(ww_settings_collect(args, arena, &settings, &request->setting_count, err));
    request->settings = settings;
    WW_TRY(ww_governing_take(args, arena, request, settings, err));
    return workloads != NULL ? parse_items(args, arena, request, err) : WW_OK;
}

const char *ww_run_request_line(const ww_args *args, ww_arena *arena)
{
    ww_str text = {0};
    ww_str_add(&text, "warpwatt run");
    for (size_t i = 0; i < args->given_count; i++) {
        const char *name = args->given[i].option->name;
        if (strcmp(name, "out") == 0 || strcmp(name, "threads") == 0 ||
            strcmp(name, "force") == 0) {
            continue; /* the same run gives the same bytes wherever they go, and whoever made them
                       */
        }
        ww_str_addf(&text, " --%s%s%s", args->given[i].option->name,
                    args->given[i].option->argument != NULL ? " " : "", args->given[i].value);
    }
    for (size_t i = 0; i < args->rest_count; i++) {
        ww_str_addf(&text, "%s %s", i == 0 ? " --" : "", args->rest[i]);
    }
    const char *copy = ww_arena_strndup(arena, ww_str_text(&text), text.len);
    ww_str_fini(&text);
    return copy != NULL ? copy : "";
}
