/* context.c - the process's context: opening the device as the environment says, locking, errors.
 */
#define _GNU_SOURCE
#include "runtime/core/context.h"
#include "runtime/core/limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "run/run.h"

/* The permitted global: a program has one CUDA context, and its calls carry none. */
static rt_context context;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local cudaError_t last_error;

const char *rt_program_name(void)
{
    return program_invocation_short_name;
}

void rt_say(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    rt_progress_end(&context);
    fputs("warpwatt: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

/* Without timing a launch takes as long as its instructions would if every scheduler issued one in
 * every cycle: programs that choose how much to do by how long a first launch took then choose
 * about what they would on the GPU. A microsecond at least, so that no program divides by zero. */
static double time_without_timing(const ww_arch *arch, const ww_launch_record *record)
{
    double issued = (double)ww_counter_total(record->counters, WW_C_INST_ISSUED);
    double time = issued / (arch->sm.count * arch->sm.schedulers * record->core_hz);
    return time > 1e-6 ? time : 1e-6;
}

/* ---- progress ---- */

static bool is_set(const char *variable, const char *value)
{
    const char *text = getenv(variable);
    return text != NULL && strcmp(text, value) == 0;
}

void rt_progress_end(rt_context *c)
{
    ww_progress_finish(&c->progress);
    c->progress.show = NULL;
}

/* Lines replace each other on the program's terminal while a launch runs; the host code, which
 * waits for it, finds the terminal as it was. */
static void on_progress(void *user, uint64_t cycles, uint64_t warp_instructions, double done)
{
    (void)cycles;
    rt_context *c = user;
    if (c->progress.show == NULL) {
        snprintf(c->progress_title, sizeof c->progress_title, "%.40s launch %u", rt_program_name(),
                 c->launches_ended + 1);
        ww_progress_init(&c->progress, c->progress_title, "warp inst", 0, ww_clock_s(),
                         ww_progress_to_terminal, stderr);
    }
    ww_progress_update_share(&c->progress, warp_instructions, done, ww_clock_s());
}

static bool shows_progress(void)
{
    return is_set(WW_ENV_PROGRESS, "1") && isatty(STDERR_FILENO);
}

static ww_status on_launch(void *user, const ww_launch_record *record, ww_error *err)
{
    rt_context *c = user;
    rt_progress_end(c);
    c->launches_ended++;
    WW_TRY(rt_report_launch(c, record, err));
    uint64_t cycles = ww_counter_total(record->counters, WW_C_CORE_CYCLES);
    c->time_s += c->functional_only ? time_without_timing(c->arch, record)
                                    : (double)cycles / record->core_hz;
    return WW_OK;
}

/* Through the program's own stdio, so that device and host output keep their order. */
static void on_print(void *user, const char *text, size_t n)
{
    rt_progress_end(user);
    (void)fwrite(text, 1, n, stdout);
}

/* ---- opening ---- */

/* "key=value" lines, as `warpwatt run --set` passes them on. text is cut up. */
static ww_status parse_settings(char *text, ww_arena *arena, ww_setting **out, size_t *count,
                                ww_error *err)
{
    size_t room = 1;
    for (const char *p = text; *p != '\0'; p++) {
        room += *p == '\n';
    }
    ww_setting *settings = WW_ARENA_NEW_ARRAY(arena, ww_setting, room);
    if (settings == NULL) {
        return ww_no_memory(err);
    }
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strchr(line, '=');
        if (equals == NULL) {
            return ww_fail(err, WW_EUSAGE, WW_ENV_SET ": '%s' is not of the form KEY=VALUE", line);
        }
        *equals = '\0';
        settings[(*count)++] = (ww_setting){line, equals + 1};
    }
    *out = settings;
    return WW_OK;
}

static ww_status load_arch(rt_context *c, ww_error *err)
{
    const char *gpu = getenv(WW_ENV_GPU);
    const char *set = getenv(WW_ENV_SET);
    if (gpu == NULL || *gpu == '\0') {
        return ww_fail(
            err, WW_EUSAGE,
            "this is WarpWatt's CUDA runtime, but no GPU is chosen: start the program as "
            "warpwatt run --gpu NAME -- PROGRAM, or set WARPWATT_GPU");
    }
    ww_arena arena = {0};
    ww_setting *settings = NULL;
    size_t count = 0;
    char *text = ww_arena_strndup(&arena, set != NULL ? set : "", set != NULL ? strlen(set) : 0);
    ww_status status =
        text == NULL ? ww_no_memory(err) : parse_settings(text, &arena, &settings, &count, err);
    if (status == WW_OK) {
        status = ww_arch_load(gpu, settings, count, &c->arch, err);
    }
    if (status == WW_OK && c->arch->power.cap_w > 0) {
        status = ww_fail(err, WW_EUNSUP,
                         "power.cap_w: a cap takes runs at several clocks: start the program as "
                         "warpwatt run --gpu NAME --power-cap WATTS -- PROGRAM");
    }
    ww_arena_fini(&arena);
    return status;
}

static uint64_t number_from(const char *variable)
{
    const char *text = getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* Do host and device see an allocation at the same address? */
static bool has_unified_addresses(ww_device *device)
{
    ww_devptr p;
    if (ww_device_malloc(device, 1, &p, NULL) != WW_OK) {
        return false;
    }
    bool same = (uintptr_t)ww_device_host(device, p, 1) == (uintptr_t)p;
    WW_CERTAIN(ww_device_free(device, p, NULL)); /* allocated above */
    return same;
}

/* WARPWATT_SAMPLE: 'c' for CTAs, 't' for time, 'k' for kernels, then the error aimed at. */
static void read_sampling(ww_device_options *options)
{
    const char *text = getenv(WW_ENV_SAMPLE);
    if (text != NULL) {
        options->sample_ctas = *text == 'c';
        text += *text == 'c';
        options->sample_time = *text == 't';
        text += *text == 't';
        options->sample_kernels = *text == 'k';
        text += *text == 'k';
        options->sample_error = strtod(text, NULL);
    }
}

/* WARPWATT_REGISTERS: KERNEL=COUNT, a line each. */
static ww_status read_registers(rt_context *c, ww_device_options *options, ww_error *err)
{
    const char *text = getenv(WW_ENV_REGISTERS);
    size_t lines = 0;
    if (text == NULL) {
        return WW_OK;
    }
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    char *copy = ww_arena_strndup(&c->registers, text, strlen(text)), *rest = NULL;
    ww_kernel_registers *known = WW_ARENA_NEW_ARRAY(&c->registers, ww_kernel_registers, lines + 1);
    if (copy == NULL || known == NULL) {
        return ww_no_memory(err);
    }
    options->registers = known;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strrchr(line, '=');
        if (equals != NULL) {
            *equals = '\0';
            known[options->registers_count++] =
                (ww_kernel_registers){line, (uint32_t)strtoul(equals + 1, NULL, 10)};
        }
    }
    return WW_OK;
}

static ww_isa_mode isa_from(const char *name)
{
    ww_isa_mode isa = WW_ISA_DESCRIBED;
    return name != NULL && ww_isa_named(name, &isa) ? isa : WW_ISA_DESCRIBED;
}

static ww_status open_device(rt_context *c, ww_error *err)
{
    WW_TRY(load_arch(c, err));
    c->functional_only = is_set(WW_ENV_NO_TIMING, "1");
    const bool checks = is_set(WW_ENV_MEMCHECK, "1");
    ww_device_options options = {
        .isa = isa_from(getenv(WW_ENV_ISA)),
        .functional_only = c->functional_only,
        .interval_cycles = number_from(WW_ENV_INTERVAL),
        .max_cycles = number_from(WW_ENV_MAX_CYCLES),
        .threads = (unsigned)number_from(WW_ENV_THREADS),
        .memcheck = checks,
        .profile = is_set(WW_ENV_PROFILE, "1"),
        .toggles = is_set(WW_ENV_TOGGLES, "1"),
        .timeline = getenv(WW_ENV_TIMELINE) != NULL,
        .timeline_cta = (uint32_t)number_from(WW_ENV_TIMELINE),
        .on_launch = on_launch,
        .on_progress = shows_progress() ? on_progress : NULL,
        .on_print = on_print,
        .user = c,
    };
    read_sampling(&options);
    WW_TRY(read_registers(c, &options, err));
    c->merges = options.interval_cycles > 0;
    rt_report_begin(c);
    WW_TRY(ww_device_create(c->arch, &options, &c->device, err));
    c->unified = has_unified_addresses(c->device);
    const bool looks = checks && rt_takes_clusters(c); /* launches may begin early there */
    if (looks || (is_set(WW_ENV_CONCURRENT, "1") && !c->functional_only)) {
        WW_TRY(rt_deferred_open(c, looks, err));
    }
    return rt_pool_open(&c->pool, c->device, checks, err);
}

static void forget_parent(void)
{
    context.finished = true; /* a child's simulation would report its parent's launches again */
}

static void open_context(rt_context *c)
{
    ww_error err = {0};
    c->opened = true;
    c->pid = (int)getpid();
    c->device_bytes = number_from(WW_ENV_MEMORY);
    c->device_bytes = c->device_bytes > 0 ? c->device_bytes : RT_DEVICE_BYTES;
    c->limits[cudaLimitStackSize] = 1024;
    c->limits[cudaLimitPrintfFifoSize] = 1 << 20;
    c->limits[cudaLimitMallocHeapSize] = 8 << 20;
    (void)pthread_atfork(NULL, NULL, forget_parent);
    ww_status status = open_device(c, &err);
    if (status != WW_OK) {
        (void)rt_failed(c, status, &err);
        c->failure = cudaErrorInitializationError;
    }
}

/* ---- entering ---- */

rt_context *rt_lock(void)
{
    pthread_mutex_lock(&lock);
    return &context;
}

void rt_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

rt_context *rt_enter_beside(void)
{
    rt_context *c = rt_lock();
    if (!c->opened) {
        open_context(c);
    }
    return c;
}

rt_context *rt_enter(void)
{
    rt_context *c = rt_enter_beside();
    rt_deferred_run(c);
    return c;
}

cudaError_t rt_leave(rt_context *c, cudaError_t code)
{
    cudaUserObject_t dead = c->dead_objects;
    c->dead_objects = NULL;
    rt_unlock();
    rt_user_objects_end(dead);
    if (code != cudaSuccess && code != cudaErrorNotReady) {
        last_error = code;
    }
    return code;
}

cudaError_t rt_last_error(bool reset)
{
    cudaError_t code = last_error;
    if (reset) {
        last_error = cudaSuccess;
    }
    return code;
}

/* ---- errors ---- */

static cudaError_t code_of(ww_status status)
{
    switch (status) {
    case WW_OK:
        return cudaSuccess;
    case WW_ENOMEM:
        return cudaErrorMemoryAllocation;
    case WW_EFAULT:
        return cudaErrorIllegalAddress;
    case WW_EALIGN:
        return cudaErrorMisalignedAddress;
    case WW_EDEADLOCK:
        return cudaErrorLaunchTimeout;
    case WW_EKERNEL:
        return cudaErrorLaunchFailure;
    case WW_EASSERT:
        return cudaErrorAssert;
    case WW_EUNSUP:
        return cudaErrorNotSupported;
    case WW_EPARSE:
        return cudaErrorInvalidPtx;
    case WW_ERANGE:
    case WW_ENOTFOUND:
        return cudaErrorInvalidValue;
    default:
        return cudaErrorUnknown;
    }
}

/* Requests that the program got wrong, and may expect to; everything else spoils its results. */
static bool is_refusal(ww_status status)
{
    return status == WW_ERANGE || status == WW_ENOTFOUND || status == WW_ENOMEM;
}

cudaError_t rt_failed(rt_context *c, ww_status status, const ww_error *err)
{
    if (status == WW_OK || is_refusal(status)) {
        return code_of(status);
    }
    char text[4096];
    bool added = false;
    ww_error_format(err, text, sizeof text);
    /* An assertion that fails is what the program asked for; it learns of it as of a fault. */
    if (status == WW_EASSERT) {
        rt_say("%s", text);
    } else if (ww_map_add(&c->faults, text, &added) != NULL && added) {
        rt_say("%s", text);
        rt_report_notes(c);
    }
    if (status == WW_EFAULT || status == WW_EALIGN || status == WW_EDEADLOCK ||
        status == WW_EKERNEL || status == WW_EASSERT) {
        c->failure = code_of(status);
        rt_report(c); /* programs tend to end in abort() from here */
    }
    return code_of(status);
}

cudaError_t rt_lacking(rt_context *c, const char *what)
{
    bool added = false;
    ww_map_entry *entry = ww_map_add(&c->unsupported, what, &added);
    if (entry != NULL) {
        entry->num++;
    }
    if (added) {
        rt_say("%s is not implemented; it returns cudaErrorNotSupported", what);
        rt_report_notes(c);
    }
    return cudaErrorNotSupported;
}

void warpwatt_note_missing(const char *name, const char *text)
{
    rt_context *c = rt_lock();
    bool added = false;
    if (ww_map_add(&c->unsupported, name, &added) != NULL && added) {
        rt_say("%s", text);
        rt_report_notes(c);
    }
    rt_unlock();
}

cudaError_t rt_unsupported(const char *name)
{
    rt_context *c = rt_lock();
    return rt_leave(c, rt_lacking(c, name));
}

__attribute__((destructor)) static void finish(void)
{
    rt_context *c = rt_lock();
    if (!c->finished) {
        rt_deferred_run(c);
        rt_report_end(c);
        c->finished = true;
        rt_deferred_close(c);
        rt_pool_close(&c->pool);
        ww_device_destroy(c->device);
        ww_arch_destroy(c->arch);
        ww_arena_fini(&c->registers);
        c->device = NULL;
        c->failure = 4; /* cudaErrorCudartUnloading */
    }
    rt_unlock();
}
