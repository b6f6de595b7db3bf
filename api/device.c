/* device.c - opening a GPU, its memory, modules and launches: the public names of the device API.
 */
#include "api/device.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/version.h"

#define MOST_PTX_BYTES (256u << 20)

/* Both enumerations are one: scripts and programs may rely on the numbers. */
#define SAME(name) _Static_assert((int)WARPWATT_##name == (int)WW_##name, #name)
SAME(OK);
SAME(ENOMEM);
SAME(EIO);
SAME(EPARSE);
SAME(ESCHEMA);
SAME(ERANGE);
SAME(ENOTFOUND);
SAME(EUNSUP);
SAME(ENUMERIC);
SAME(EFAULT);
SAME(EDEADLOCK);
SAME(EKERNEL);
SAME(EVERIFY);
SAME(EUSAGE);
SAME(EINTERNAL);
SAME(EASSERT);
SAME(EBUDGET);
SAME(EINTERRUPTED);

const char *warpwatt_version(void)
{
    return WW_VERSION;
}

warpwatt_status ww__api_status(ww_status status, const ww_error *from, warpwatt_error *to)
{
    if (status != WW_OK && to != NULL) {
        to->status = (warpwatt_status)status;
        ww_error_format(from, to->message, sizeof to->message);
    }
    return (warpwatt_status)status;
}

/* ---- opening ---- */

static ww_status take_settings(const warpwatt_options *options, ww_arena *arena, ww_setting **out,
                               size_t *count, ww_error *err)
{
    *out = WW_ARENA_NEW_ARRAY(arena, ww_setting, options->setting_count + 2);
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < options->setting_count; i++) {
        const char *text = options->settings[i], *equals = text != NULL ? strchr(text, '=') : NULL;
        if (equals == NULL || equals == text) {
            return ww_fail(err, WW_EUSAGE, "a setting is KEY=VALUE, not '%s'",
                           text != NULL ? text : "");
        }
        (*out)[i].key = ww_arena_strndup(arena, text, (size_t)(equals - text));
        (*out)[i].value = equals + 1;
        if ((*out)[i].key == NULL) {
            return ww_no_memory(err);
        }
    }
    *count = options->setting_count;
    if (options->mechanisms != NULL) {
        (*out)[(*count)++] = (ww_setting){.key = WW_MECH_KEY, .value = options->mechanisms};
    }
    return WW_OK;
}

static ww_status collect(void *user, const ww_launch_record *record, ww_error *err)
{
    warpwatt_device *d = user;
    ww_launch_record sized = *record;
    sized.size = d->size;
    return ww_launch_records_append(&d->launches, &d->launch_count, &d->interval_bytes, &sized,
                                    d->label, (uint32_t)d->launch_count, err);
}

static void print(void *user, const char *text, size_t n)
{
    warpwatt_device *d = user;
    d->print(d->user, text, n);
}

static ww_status govern(void *user, const ww_governed *told, double *next_hz, ww_error *err)
{
    warpwatt_device *d = user;
    double component_j[WW_COMPONENT_COUNT];
    (void)err;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        const ww_power_share *share = &told->power.component[c];
        component_j[c] = share->event_j + share->background_j + share->leakage_j;
    }
    const warpwatt_interval interval = {
        .size = sizeof interval,
        .cycles = told->cycles,
        .warp_instructions = told->warp_instructions,
        .start_s = told->start_s,
        .seconds = told->seconds,
        .energy_j = told->power.total_j,
        .power_w = told->power.total_w,
        .component_j = component_j,
        .active_sms = told->active_sms,
        .clock_hz = told->at.core_hz,
        .voltage_v = told->at.vdd_v,
        .temperature_k = told->at.temperature_k,
        .lowest_hz = told->clocks.lowest_hz,
        .highest_hz = told->clocks.highest_hz,
        .step_hz = told->clocks.step_hz,
    };
    *next_hz = d->governor(d->user, &interval);
    return WW_OK;
}

static ww_status take_governor(warpwatt_device *d, const warpwatt_options *options, ww_error *err)
{
    const double times = options->heat_times;
    if (options->governor == NULL && !(times != 0)) {
        return WW_OK;
    }
    if (!(times >= 0 && isfinite(times)) || options->functional || options->interval_cycles == 0) {
        return ww_fail(err, WW_EUSAGE,
                       "governor and heat_times need interval_cycles, a device with time, and heat "
                       "of 0 times or more");
    }
    d->governor = options->governor;
    const ww_govern_choice choice = {.kind = d->governor != NULL ? WW_GOVERN_CALL : WW_GOVERN_HOLD,
                                     .next = govern,
                                     .user = d,
                                     .heats = times > 0,
                                     .repeat = times};
    return ww_govern_init(&d->govern, d->arch, d->model, &choice, err);
}

static ww_status open_device(warpwatt_device *d, const char *gpu, const warpwatt_options *options,
                             ww_arena *arena, ww_error *err)
{
    ww_setting *settings = NULL;
    size_t count = 0;
    WW_TRY(take_settings(options, arena, &settings, &count, err));
    WW_TRY(ww_arch_load(gpu, settings, count, &d->arch, err));
    if (d->arch->power.cap_w > 0) {
        return ww_fail(err, WW_EUNSUP,
                       "power.cap_w: a cap takes runs at several clocks (warpwatt run "
                       "--power-cap); set clock.set_hz here");
    }
    if (!options->functional) {
        WW_TRY(ww_power_model_create(d->arch, NULL, &d->model, err));
    }
    d->label = "";
    d->print = options->print;
    d->user = options->user;
    WW_TRY(take_governor(d, options, err));
    const ww_device_options inner = {
        .isa = options->ptx_stream == 2   ? WW_ISA_GT200
               : options->ptx_stream != 0 ? WW_ISA_PTX
                                          : WW_ISA_LOWERED,
        .functional_only = options->functional != 0,
        .interval_cycles = options->interval_cycles,
        .governor = d->govern.governor.next != NULL ? &d->govern.governor : NULL,
        .max_cycles = options->max_cycles,
        .max_instructions = options->max_instructions,
        .threads = options->threads,
        .memcheck = options->memcheck != 0,
        .on_launch = collect,
        .on_print = options->print != NULL ? print : NULL,
        .user = d,
        .stop = &d->interrupted,
    };
    return ww_device_create(d->arch, &inner, &d->device, err);
}

/* The caller's options, which may be of an older version and shorter. */
static ww_status read_options(const warpwatt_options *from, warpwatt_options *to, ww_error *err)
{
    *to = (warpwatt_options){0};
    if (from == NULL) {
        return WW_OK;
    }
    if (from->size < sizeof from->size || (from->size > sizeof *to)) {
        return ww_fail(err, WW_EUSAGE,
                       "options.size is %zu; it must be sizeof(warpwatt_options), %zu in this "
                       "version or less in an older one",
                       from->size, sizeof *to);
    }
    memcpy(to, from, from->size);
    return WW_OK;
}

warpwatt_status warpwatt_open(const char *gpu, const warpwatt_options *options,
                              warpwatt_device **out, warpwatt_error *err)
{
    ww_error inner = {0};
    ww_arena arena = {0};
    warpwatt_options taken;
    warpwatt_device *d = WW_NEW(warpwatt_device);
    ww_status status = d != NULL ? read_options(options, &taken, &inner) : ww_no_memory(&inner);
    if (status == WW_OK) {
        status = open_device(d, gpu, &taken, &arena, &inner);
    }
    ww_arena_fini(&arena);
    if (status != WW_OK) {
        warpwatt_close(d);
        return ww__api_status(status, &inner, err);
    }
    *out = d;
    return WARPWATT_OK;
}

void warpwatt_close(warpwatt_device *device)
{
    if (device == NULL) {
        return;
    }
    ww_device_destroy(device->device);
    ww_launch_records_destroy(device->launches, device->launch_count);
    ww_power_model_destroy(device->model);
    ww_arch_destroy(device->arch);
    ww_free(device);
}

/* ---- memory, modules, launches: as in perf/api/device.h ---- */

/* Calls a function of the device API and hands out its error. */
#define FORWARD(err, call)                                                                         \
    do {                                                                                           \
        ww_error inner = {0};                                                                      \
        ww_status status = (call);                                                                 \
        return ww__api_status(status, &inner, (err));                                              \
    } while (0)

warpwatt_status warpwatt_malloc(warpwatt_device *device, size_t bytes, warpwatt_ptr *out,
                                warpwatt_error *err)
{
    FORWARD(err, ww_device_malloc(device->device, bytes, out, &inner));
}

warpwatt_status warpwatt_free(warpwatt_device *device, warpwatt_ptr p, warpwatt_error *err)
{
    FORWARD(err, ww_device_free(device->device, p, &inner));
}

warpwatt_status warpwatt_write(warpwatt_device *device, warpwatt_ptr to, const void *from,
                               size_t bytes, warpwatt_error *err)
{
    FORWARD(err, ww_device_write(device->device, to, from, bytes, &inner));
}

warpwatt_status warpwatt_read(warpwatt_device *device, void *to, warpwatt_ptr from, size_t bytes,
                              warpwatt_error *err)
{
    FORWARD(err, ww_device_read(device->device, to, from, bytes, &inner));
}

warpwatt_status warpwatt_memset(warpwatt_device *device, warpwatt_ptr p, int value, size_t bytes,
                                warpwatt_error *err)
{
    FORWARD(err, ww_device_memset(device->device, p, value, bytes, &inner));
}

/* A warpwatt_module is a ww_module under its public name. */
static ww_module *inner_module(warpwatt_module *module)
{
    return (ww_module *)(void *)module;
}

warpwatt_status warpwatt_load(warpwatt_device *device, const char *name, const char *text,
                              size_t length, warpwatt_module **out, warpwatt_error *err)
{
    ww_error inner = {0};
    ww_module *module = NULL;
    ww_status status = ww_device_load_ptx(device->device, name, text, length, &module, &inner);
    if (status == WW_OK) {
        *out = (warpwatt_module *)(void *)module;
    }
    return ww__api_status(status, &inner, err);
}

warpwatt_status warpwatt_load_file(warpwatt_device *device, const char *path, warpwatt_module **out,
                                   warpwatt_error *err)
{
    ww_error inner = {0};
    char *text = NULL;
    size_t length = 0;
    ww_status status = ww_read_file(path, MOST_PTX_BYTES, &text, &length, &inner);
    if (status != WW_OK) {
        return ww__api_status(status, &inner, err);
    }
    warpwatt_status loaded = warpwatt_load(device, path, text, length, out, err);
    ww_free(text);
    return loaded;
}

warpwatt_status warpwatt_symbol(warpwatt_device *device, warpwatt_module *module, const char *name,
                                warpwatt_ptr *address, size_t *bytes, warpwatt_error *err)
{
    FORWARD(err,
            ww_device_symbol(device->device, inner_module(module), name, address, bytes, &inner));
}

warpwatt_status warpwatt_kernel_info(warpwatt_device *device, warpwatt_module *module,
                                     const char *kernel, warpwatt_kernel *out, warpwatt_error *err)
{
    ww_error inner = {0};
    ww_kernel_info info;
    ww_status status =
        ww_device_kernel_info(device->device, inner_module(module), kernel, &info, &inner);
    if (status == WW_OK) {
        *out = (warpwatt_kernel){info.param_count, info.registers, info.shared_bytes,
                                 info.local_bytes, info.max_threads};
    }
    return ww__api_status(status, &inner, err);
}

warpwatt_status warpwatt_kernel_param(warpwatt_device *device, warpwatt_module *module,
                                      const char *kernel, uint32_t index, size_t *bytes,
                                      warpwatt_error *err)
{
    size_t offset;
    FORWARD(err, ww_device_kernel_param(device->device, inner_module(module), kernel, index,
                                        &offset, bytes, &inner));
}

warpwatt_status warpwatt_kernel_param_floats(warpwatt_device *device, warpwatt_module *module,
                                             const char *kernel, uint32_t index, int *floats,
                                             warpwatt_error *err)
{
    ww_error inner = {0};
    bool is = false;
    ww_status status = ww_device_kernel_param_floats(device->device, inner_module(module), kernel,
                                                     index, &is, &inner);
    *floats = is;
    return ww__api_status(status, &inner, err);
}

warpwatt_status warpwatt_kernel_param_elements(warpwatt_device *device, warpwatt_module *module,
                                               const char *kernel, uint32_t index, uint32_t *bits,
                                               int *floats, warpwatt_error *err)
{
    ww_error inner = {0};
    bool is = false;
    unsigned length = 0;
    ww_status status = ww_device_kernel_param_elements(device->device, inner_module(module), kernel,
                                                       index, &length, &is, &inner);
    *bits = length;
    *floats = is;
    return ww__api_status(status, &inner, err);
}

warpwatt_status warpwatt_launch(warpwatt_device *device, warpwatt_module *module,
                                const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                                size_t dynamic_shared, const void *const *args, size_t arg_count,
                                warpwatt_error *err)
{
    ww_dim3 g = {grid[0], grid[1], grid[2]}, b = {block[0], block[1], block[2]};
    ww_error inner = {0};
    ww_status status = ww_device_launch(device->device, inner_module(module), kernel, g, b,
                                        dynamic_shared, args, arg_count, &inner);
    device->interrupted = 0;
    return ww__api_status(status, &inner, err);
}

void warpwatt_interrupt(warpwatt_device *device)
{
    device->interrupted = 1;
}

/* ---- workloads ---- */

static ww_status find_workload(const char *text, ww_arena *arena, const ww_workload **out,
                               ww_workload_size *size, ww_error *err)
{
    const char *colon = strchr(text, ':');
    size_t n = colon != NULL ? (size_t)(colon - text) : strlen(text);
    const char *name = ww_arena_strndup(arena, text, n);
    char hint[96];
    *size = WW_SIZE_STD;
    if (name == NULL) {
        return ww_no_memory(err);
    }
    if (colon != NULL) {
        WW_TRY(ww_workload_size_parse(colon + 1, size, err));
    }
    *out = ww_workload_find(name);
    return *out != NULL ? WW_OK
                        : ww_fail(err, WW_ENOTFOUND, "there is no workload '%s'%s", name,
                                  ww_workload_suggest(name, hint, sizeof hint));
}

warpwatt_status warpwatt_run_workload(warpwatt_device *device, const char *workload,
                                      warpwatt_error *err)
{
    ww_error inner = {0};
    ww_arena arena = {0};
    const ww_workload *found = NULL;
    ww_workload_size size;
    ww_status status = find_workload(workload, &arena, &found, &size, &inner);
    if (status == WW_OK) {
        status = ww_run_check_workload(found, device->arch, &inner);
    }
    if (status == WW_OK) {
        device->label = found->name;
        device->size = ww_workload_size_name(size);
        status = found->run(device->device, size, &inner);
        device->label = "";
        device->size = NULL;
        device->interrupted = 0;
    }
    ww_arena_fini(&arena);
    return ww__api_status(status, &inner, err);
}
