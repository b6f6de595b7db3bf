/* program.c - starts a CUDA program with WarpWatt's runtime library in its path and reads what it
 * leaves. */
#define _GNU_SOURCE
#include "cli/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/configs.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/scratch.h"
#include "base/version.h"
#include "cli/ending.h"
#include "cli/guard.h"
#include "counters/journal.h"
#include "run/line_joules.h"

#define RUNTIME_LIBRARY "libcudart.so.13"

/* ---- finding the program and the library ---- */

static ww_status no_program(const char *name, int why, ww_error *err)
{
    return why == ENOENT || why == ENOTDIR
               ? ww_fail(err, WW_ENOTFOUND, "there is no program '%s'", name)
           : why == EACCES && ww_file_exists(name)
               ? ww_fail(err, WW_EIO, "%s may not be executed; if it is a program: chmod +x %s",
                         name, name)
               : ww_fail(err, WW_EIO, "%s cannot be executed: %s", name, strerror(why));
}

/* The file that execvp would run; ENOTFOUND, or EIO for one that may not be executed. */
static ww_status find_program(ww_arena *arena, const char *name, const char **out, ww_error *err)
{
    const char *path = getenv("PATH"), *refused = NULL;
    if (strchr(name, '/') != NULL || path == NULL) {
        *out = name;
        return access(name, X_OK) == 0 ? WW_OK : no_program(name, errno, err);
    }
    char *copy = ww_arena_strndup(arena, path, strlen(path)), *rest = NULL;
    for (char *dir = copy != NULL ? strtok_r(copy, ":", &rest) : NULL; dir != NULL;
         dir = strtok_r(NULL, ":", &rest)) {
        const char *file = ww_path_join(arena, dir, name);
        if (file == NULL) {
            return ww_no_memory(err);
        }
        if (!ww_dir_exists(file) && access(file, X_OK) == 0) {
            *out = file;
            return WW_OK;
        }
        refused = refused == NULL && ww_file_exists(file) ? file : refused;
    }
    return refused != NULL ? no_program(refused, EACCES, err) : no_program(name, ENOENT, err);
}

/* Beside the program's own folder, in a build tree and when installed. */
static ww_status find_runtime(ww_arena *arena, const char **out, ww_error *err)
{
    static const char *const places[] = {"../lib/warpwatt", "../" WW_LIBDIR "/warpwatt"};
    const char *chosen = getenv(WW_ENV_RUNTIME), *exe = ww_path_exe_dir(arena);
    if (chosen != NULL && *chosen != '\0') {
        *out = chosen;
        return WW_OK;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(places) && exe != NULL; i++) {
        const char *dir = ww_path_join(arena, exe, places[i]);
        const char *library = dir != NULL ? ww_path_join(arena, dir, RUNTIME_LIBRARY) : NULL;
        if (library != NULL && ww_file_exists(library)) {
            *out = ww_path_real(arena, dir);
            return *out != NULL ? WW_OK : ww_no_memory(err);
        }
    }
    return ww_fail(err, WW_ENOTFOUND,
                   "there is no " RUNTIME_LIBRARY
                   " in ../lib/warpwatt beside this program; name its folder in WARPWATT_RUNTIME");
}

/* ---- the request, as the runtime library reads it ---- */

static bool put(const char *name, const char *value)
{
    return (value != NULL ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

static bool put_number(const char *name, uint64_t value, ww_arena *arena)
{
    char *text = value > 0 ? ww_arena_printf(arena, "%llu", (unsigned long long)value) : NULL;
    return (value == 0 || text != NULL) && put(name, text);
}

/* "KERNEL=COUNT", a line each; NULL: none are given. */
static ww_status registers_text(const ww_run_request *request, ww_arena *arena, const char **out,
                                ww_error *err)
{
    ww_str text = {0};
    *out = NULL;
    for (size_t i = 0; i < request->registers_count; i++) {
        ww_str_addf(&text, "%s=%u\n", request->registers[i].kernel,
                    (unsigned)request->registers[i].registers);
    }
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK && text.len > 0) {
        *out = ww_arena_strndup(arena, ww_str_text(&text), text.len);
        status = *out != NULL ? WW_OK : ww_no_memory(err);
    }
    ww_str_fini(&text);
    return status;
}

/* Programs with NVTX tell libcuda.so.1 their ranges, unless they are to tell another tool. */
static ww_status set_ranges(const char *runtime, ww_arena *arena, ww_error *err)
{
    static const char name[] = "NVTX_INJECTION64_PATH";
    const char *folder = ww_path_real(arena, runtime);
    const char *library = folder != NULL ? ww_arena_printf(arena, "%s/libcuda.so.1", folder) : NULL;
    return getenv(name) != NULL || (library != NULL && put(name, library)) ? WW_OK
                                                                           : ww_no_memory(err);
}

static ww_status set_environment(const ww_run_request *request, const char *runtime,
                                 const char *result, ww_arena *arena, ww_error *err)
{
    const char *old = getenv("LD_LIBRARY_PATH"), *folder = NULL;
    const char *registers;
    WW_TRY(registers_text(request, arena, &registers, err));
    WW_TRY(ww_configs_dir(arena, "gpu", &folder, err));
    char *path = ww_arena_printf(arena, "%s%s%s", runtime, old != NULL && *old != '\0' ? ":" : "",
                                 old != NULL ? old : "");
    /* A description that is a file must be found from wherever the program goes. */
    const char *gpu =
        ww_file_exists(request->gpu) ? ww_path_real(arena, request->gpu) : request->gpu;
    const char *configs = ww_path_dir(arena, folder);
    char *set = ww_arena_strndup(arena, "", 0);
    for (size_t i = 0; i < request->setting_count && set != NULL; i++) {
        set = ww_arena_printf(arena, "%s%s=%s\n", set, request->settings[i].key,
                              request->settings[i].value);
    }
    /* Whoever starts programs keeps the cap (cli/program_cap.c). */
    set = set != NULL ? ww_arena_printf(arena, "%spower.cap_w=0\n", set) : NULL;
    char cta[16];
    snprintf(cta, sizeof cta, "%u", (unsigned)request->timeline_cta);
    const char *timeline = request->timeline ? cta : NULL;
    bool sampled = request->sample_ctas || request->sample_time || request->sample_kernels;
    const char *sample =
        !sampled ? NULL
                 : ww_arena_printf(arena, "%s%s%s%.17g", request->sample_ctas ? "c" : "",
                                   request->sample_time ? "t" : "",
                                   request->sample_kernels ? "k" : "", request->sample_error);
    if ((sampled && sample == NULL) || path == NULL || gpu == NULL || configs == NULL ||
        set == NULL || !put("LD_LIBRARY_PATH", path) || !put(WW_ENV_GPU, gpu) ||
        !put(WW_ENV_CONFIGS, configs) || !put(WW_ENV_SET, set) || !put(WW_ENV_RESULT, result) ||
        !put(WW_ENV_ISA, ww_isa_name(request->isa)) || !put(WW_ENV_REGISTERS, registers) ||
        !put(WW_ENV_SAMPLE, sample) || !put(WW_ENV_PROFILE, request->profile ? "1" : NULL) ||
        !put(WW_ENV_TOGGLES, request->toggles ? "1" : NULL) || !put(WW_ENV_TIMELINE, timeline) ||
        !put(WW_ENV_CONCURRENT, request->concurrent ? "1" : NULL) ||
        !put(WW_ENV_PROGRESS, request->on_progress != NULL && isatty(STDERR_FILENO) ? "1" : NULL) ||
        !put(WW_ENV_NO_TIMING, request->functional_only ? "1" : NULL) ||
        !put_number(WW_ENV_INTERVAL, request->interval_cycles, arena) ||
        !put_number(WW_ENV_MAX_CYCLES, request->max_cycles, arena) ||
        !put_number(WW_ENV_THREADS, request->threads, arena) ||
        !put_number(WW_ENV_MEMORY, request->device_bytes, arena)) {
        return ww_no_memory(err);
    }
    return set_ranges(runtime, arena, err);
}

/* Programs that load CUDA by an RPATH or its path are reached by the loader's auditing alone. */
static ww_status set_redirection(const char *runtime, ww_arena *arena, ww_error *err)
{
    const char *wish = getenv(WW_ENV_REDIRECT), *old = getenv("LD_AUDIT");
    if (wish == NULL || strcmp(wish, "1") != 0) {
        return WW_OK;
    }
    const char *folder = ww_path_real(arena, runtime);
    const char *list =
        folder == NULL
            ? NULL
            : ww_arena_printf(arena, "%s/libwarpwatt-redirect.so%s%s", folder,
                              old != NULL && *old != '\0' ? ":" : "", old != NULL ? old : "");
    return list != NULL && put("LD_AUDIT", list) ? WW_OK : ww_no_memory(err);
}

/* Programs that contain NVIDIA's runtime have its functions replaced before their constructors run.
 */
static ww_status set_hook(const char *runtime, ww_arena *arena, ww_error *err)
{
    const char *old = getenv("LD_PRELOAD"), *folder = ww_path_real(arena, runtime);
    const char *library =
        folder != NULL ? ww_arena_printf(arena, "%s/libwarpwatt-static.so", folder) : NULL;
    if (library != NULL && !ww_file_exists(library)) {
        return WW_OK; /* WARPWATT_RUNTIME names a folder of another version */
    }
    const char *list = library == NULL ? NULL
                       : old == NULL || *old == '\0'
                           ? library
                           : ww_arena_printf(arena, "%s:%s", old, library);
    return list != NULL && put("LD_PRELOAD", list) ? WW_OK : ww_no_memory(err);
}

/* ---- running ---- */

static ww_status run_child(const char *file, const char *const *argv, size_t argc,
                           ww_program_result *result, ww_error *err)
{
    ww_arena *arena = &result->arena;
    char **copy = WW_ARENA_NEW_ARRAY(arena, char *, argc + 1);
    for (size_t i = 0; i < argc && copy != NULL; i++) {
        copy[i] = ww_arena_strndup(arena, argv[i], strlen(argv[i]));
        if (copy[i] == NULL) {
            copy = NULL;
        }
    }
    if (copy == NULL) {
        return ww_no_memory(err);
    }
    /* An interrupt from the terminal is the program's to handle; its results are still read. */
    int state = 0;
    ww_ending_leave_terminal(true);
    ww_status status = ww_guard_run(file, copy, NULL, NULL, &state, err);
    ww_ending_leave_terminal(false);
    WW_TRY(status);
    result->ended_by = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    result->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return WW_OK;
}

/* ---- what it left ---- */

/* The launches of one process, which may have ended without ending its file. */
static ww_status load_activity(ww_program_result *result, const char *path, ww_error *err)
{
    ww_activity *activity = NULL;
    ww_status status = ww_journal_mend(path, NULL);
    if (status == WW_ENOTFOUND) {
        return WW_OK; /* it launched nothing */
    }
    WW_TRY(ww_activity_load(path, &activity, err));
    result->activities[result->activity_count++] = activity;
    return WW_OK;
}

static ww_status load_launches(ww_program_result *result, const char *dir, ww_error *err)
{
    const char **names;
    size_t count, launches = 0;
    WW_TRY(ww_list_dir(dir, ".xml", &result->arena, &names, &count, err));
    result->activities = WW_ARENA_NEW_ARRAY(&result->arena, ww_activity *, count + 1);
    if (result->activities == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = ww_arena_printf(&result->arena, "%s/%s.xml", dir, names[i]);
        WW_TRY(path != NULL ? load_activity(result, path, err) : ww_no_memory(err));
    }
    for (size_t i = 0; i < result->activity_count; i++) {
        launches += result->activities[i]->launch_count;
    }
    ww_run *run = &result->run;
    run->launches = WW_ARENA_NEW_ARRAY(&result->arena, ww_launch_record, launches + 1);
    if (run->launches == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < result->activity_count; i++) {
        for (size_t j = 0; j < result->activities[i]->launch_count; j++) {
            ww_launch_record *launch = &run->launches[run->launch_count++];
            *launch = result->activities[i]->launches[j];
            run->warp_instructions += ww_counter_total(launch->counters, WW_C_INST_ISSUED);
        }
    }
    return WW_OK;
}

/* A process without launches leaves none. */
static ww_status load_lines(ww_program_result *result, const char *dir, ww_error *err)
{
    const char **names;
    size_t count;
    WW_TRY(ww_list_dir(dir, ".csv", &result->arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        const char *path = ww_arena_printf(&result->arena, "%s/%s.csv", dir, names[i]);
        WW_TRY(path != NULL ? ww_lines_load(&result->run.lines, path, err) : ww_no_memory(err));
    }
    return result->run.lines.has_joules
               ? ww_lines_add_idle(&result->run.lines, result->run.model, result->run.launches,
                                   result->run.launch_count, err)
               : WW_OK;
}

/* A table of each process that has launched such kernels: their heads are the same. */
static ww_status load_timeline(ww_program_result *result, const char *dir, ww_error *err)
{
    const char **names;
    size_t count, length;
    char *text;
    ww_str *all = &result->run.timeline;
    WW_TRY(ww_list_dir(dir, ".spans", &result->arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        const char *path = ww_arena_printf(&result->arena, "%s/%s.spans", dir, names[i]);
        WW_TRY(path != NULL ? ww_read_file(path, SIZE_MAX, &text, &length, err)
                            : ww_no_memory(err));
        const char *head = strchr(text, '\n');
        ww_str_add(all, all->len == 0 || head == NULL ? text : head + 1);
        ww_free(text);
    }
    return ww_str_check(all, err);
}

/* Lines of key, tab, text, as runtime/core/report.c writes them. */
static ww_status read_notes(ww_program_result *result, char *text, ww_error *err)
{
    size_t lines = result->fault_count + result->unsupported_count + 1;
    for (const char *p = text; *p != '\0'; p++) {
        lines += *p == '\n';
    }
    const char **faults = WW_ARENA_NEW_ARRAY(&result->arena, const char *, lines);
    const char **missing = WW_ARENA_NEW_ARRAY(&result->arena, const char *, lines);
    const char **findings =
        WW_ARENA_NEW_ARRAY(&result->arena, const char *, lines + result->finding_count);
    if (faults == NULL || missing == NULL || findings == NULL) {
        return ww_no_memory(err);
    }
    memcpy(faults, result->faults, result->fault_count * sizeof *faults);
    memcpy(missing, result->unsupported, result->unsupported_count * sizeof *missing);
    memcpy(findings, result->findings, result->finding_count * sizeof *findings);
    result->faults = faults;
    result->unsupported = missing;
    result->findings = findings;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *tab = strchr(line, '\t');
        if (tab == NULL) {
            continue;
        }
        char *copy = ww_arena_strndup(&result->arena, tab + 1, strlen(tab + 1));
        if (copy == NULL) {
            return ww_no_memory(err);
        }
        if (strncmp(line, "fault\t", 6) == 0) {
            faults[result->fault_count++] = copy;
        } else if (strncmp(line, "unsupported\t", 12) == 0) {
            missing[result->unsupported_count++] = copy;
        } else if (strncmp(line, "finding\t", 8) == 0) {
            findings[result->finding_count++] = copy;
        } else if (strncmp(line, "dropped\t", 8) == 0) {
            result->run.timeline_dropped += strtoul(copy, NULL, 10);
        }
    }
    return WW_OK;
}

static ww_status load_notes(ww_program_result *result, const char *dir, ww_error *err)
{
    enum { MOST_NOTE_BYTES = 64 << 20 };
    const char **names;
    WW_TRY(ww_list_dir(dir, ".txt", &result->arena, &names, &result->process_count, err));
    result->faults = WW_ARENA_NEW_ARRAY(&result->arena, const char *, 1);
    result->unsupported = WW_ARENA_NEW_ARRAY(&result->arena, const char *, 1);
    result->findings = WW_ARENA_NEW_ARRAY(&result->arena, const char *, 1);
    for (size_t i = 0; i < result->process_count; i++) {
        char *text;
        size_t length;
        const char *path = ww_arena_printf(&result->arena, "%s/%s.txt", dir, names[i]);
        if (path == NULL || result->faults == NULL || result->unsupported == NULL ||
            result->findings == NULL) {
            return ww_no_memory(err);
        }
        WW_TRY(ww_read_file(path, MOST_NOTE_BYTES, &text, &length, err));
        ww_status status = read_notes(result, text, err);
        ww_free(text);
        WW_TRY(status);
    }
    return WW_OK;
}

static ww_status prepare(const ww_run_request *request, ww_run *run, ww_error *err)
{
    WW_TRY(ww_arch_load(request->gpu, request->settings, request->setting_count, &run->arch, err));
    return request->functional_only ? WW_OK
                                    : ww_power_model_create(run->arch, NULL, &run->model, err);
}

/* How the program is started. */
typedef struct start {
    const char *file, *runtime;
    bool hook; /* it needs the library that replaces a static runtime */
} start;

static ww_status run_with(const ww_run_request *request, const char *const *argv, size_t argc,
                          const start *how, const char *dir, ww_program_result *out, ww_error *err)
{
    WW_TRY(set_environment(request, how->runtime, dir, &out->arena, err));
    WW_TRY(set_redirection(how->runtime, &out->arena, err));
    WW_TRY(how->hook ? set_hook(how->runtime, &out->arena, err) : WW_OK);
    double begin = ww_clock_s();
    WW_TRY(run_child(how->file, argv, argc, out, err));
    out->run.host_seconds = ww_clock_since_s(begin);
    out->interrupted = ww_ending_signal() != 0;
    WW_TRY(load_notes(out, dir, err));
    WW_TRY(load_launches(out, dir, err));
    WW_TRY(load_lines(out, dir, err));
    return load_timeline(out, dir, err);
}

/* Where temporary files go: TMPDIR (POSIX) where it names a folder from the root on. */
static const char *temporary_parent(void)
{
    const char *named = getenv("TMPDIR");
    return named && named[0] == '/' ? named : "/tmp";
}

/* What the program's processes leave lies in a temporary folder meanwhile. */
static ww_status run_in_folder(const ww_run_request *request, const char *const *argv, size_t argc,
                               const start *how, ww_program_result *out, ww_error *err)
{
    static const char prefix[] = ".warpwatt-program-";
    const char *parent = temporary_parent();
    char dir[PATH_MAX];
    int lock;
    if (strlen(parent) + sizeof prefix + sizeof "/XXXXXX" > sizeof dir) {
        return ww_fail(err, WW_EIO, "TMPDIR is longer than a path may be");
    }
    snprintf(dir, sizeof dir, "%s/%sXXXXXX", parent, prefix);
    bool first = ww_ending_note();
    ww_scratch_clear_folders(parent, prefix); /* of those that were killed */
    ww_status status = ww_scratch_make(dir, &lock)
                           ? WW_OK
                           : ww_fail(err, WW_EIO, "no temporary folder can be made in %s: %s",
                                     parent, strerror(errno));
    if (status == WW_OK) {
        status = run_with(request, argv, argc, how, dir, out, err);
        ww_scratch_remove(dir, lock);
    }
    if (first) {
        ww_ending_let();
    }
    return status;
}

ww_status ww_program_run(const ww_run_request *request, const char *const *argv, size_t argc,
                         ww_program_result *out, ww_error *err)
{
    start how = {0};
    WW_TRY(find_program(&out->arena, argv[0], &how.file, err));
    WW_TRY(ww_program_check(how.file, &how.hook, &out->reads_clock, err));
    WW_TRY(find_runtime(&out->arena, &how.runtime, err));
    WW_TRY(prepare(request, &out->run,
                   err)); /* a faulty description is better reported before the program starts */
    WW_TRY(ww_run_id(request, out->run.arch, WW_VERSION, how.file, argv, argc, &out->run_id, err));
    return run_in_folder(request, argv, argc, &how, out, err);
}

void ww_program_result_fini(ww_program_result *result)
{
    for (size_t i = 0; i < result->activity_count; i++) {
        ww_activity_destroy(result->activities[i]);
    }
    ww_lines_fini(&result->run.lines);
    ww_power_model_destroy(result->run.model);
    ww_arch_destroy(result->run.arch);
    ww_arena_fini(&result->arena);
}

static void put_texts(ww_json *j, const char *key, const char **texts, size_t count)
{
    ww_json_array(j, key);
    for (size_t i = 0; i < count; i++) {
        ww_json_text(j, NULL, texts[i]);
    }
    ww_json_end(j);
}

ww_status ww_program_export(const ww_program_result *result, const char *dir, const char *command,
                            ww_error *err)
{
    ww_str text = {0};
    ww_json j;
    ww_arena arena = {0};
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_text(&j, "command", command);
    ww_json_i64(&j, "exit_code", result->exit_code);
    ww_json_u64(&j, "processes", result->process_count);
    ww_json_u64(&j, "launches", result->run.launch_count);
    put_texts(&j, "device_errors", result->faults, result->fault_count);
    put_texts(&j, "findings", result->findings, result->finding_count);
    put_texts(&j, "not_implemented", result->unsupported, result->unsupported_count);
    ww_json_end(&j);
    ww_status status = ww_json_finish(&j, err);
    const char *path = ww_path_join(&arena, dir, "program.json");
    if (status == WW_OK) {
        status = path != NULL ? ww_write_text(path, &text, err) : ww_no_memory(err);
    }
    ww_str_fini(&text);
    ww_arena_fini(&arena);
    return status;
}
