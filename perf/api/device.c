/* device.c - the device API: creation, modules and memory. Launches are in launch.c. */
#include "perf/api/device.h"

#include <string.h>

#include "base/mem.h"
#include "perf/api/launch.h"

#define DEFAULT_HEAP_BYTES (8ull << 20) /* CUDA's cudaLimitMallocHeapSize */

/* Without time everything is booked on SM 0; a program may launch some 10^5 kernels, each of which
 * keeps its counters. */
static ww_status count_on_one_sm(ww_counter_set *counters, ww_error *err)
{
    ww_counter_set_fini(counters);
    return ww_counter_set_init(counters, 1, 0, 0, err);
}

/* Where an instruction budget ends a run must be a place in time that was simulated. */
static ww_status check_options(const ww_device_options *o, ww_error *err)
{
    bool sampled = o->sample_ctas || o->sample_time || o->sample_kernels;
    if ((o->max_instructions > 0 || o->share_count > 0) && (o->functional_only || sampled)) {
        return ww_fail(err, WW_EUSAGE, "an instruction budget does not go with %s",
                       sampled ? "sampling" : "runs without time");
    }
    if (o->governor != NULL && (o->functional_only || sampled || o->interval_cycles == 0)) {
        return ww_fail(err, WW_EUSAGE, "a governor needs %s",
                       o->interval_cycles == 0 ? "intervals" : "time, and no sampling");
    }
    return WW_OK;
}

/* For what follows data through the memory system. */
static const void *bytes_at(void *user, uint64_t address, uint32_t bytes)
{
    return ww_devmem_at(user, address, bytes);
}

ww_status ww_device_create(const ww_arch *arch, const ww_device_options *options, ww_device **out,
                           ww_error *err)
{
    if (options != NULL) {
        WW_TRY(check_options(options, err));
    }
    ww_device *device = WW_NEW(ww_device);
    if (device == NULL) {
        return ww_no_memory_for(err, "a device");
    }
    device->arch = arch;
    if (options != NULL) {
        device->options = *options;
    }
    device->owners = 1;
    device->options.isa = ww_isa_resolve(arch, device->options.isa);
    uint64_t heap_bytes =
        device->options.heap_bytes > 0 ? device->options.heap_bytes : DEFAULT_HEAP_BYTES;
    ww_status st = ww_devmem_create(&device->mem, err);
    if (st == WW_OK) {
        st = ww_heap_create(device->mem, heap_bytes, &device->heap, err);
    }
    if (st == WW_OK) {
        st = ww_textures_create(&device->textures, err);
    }
    if (st == WW_OK) {
        st = ww_output_create(&device->output, err);
    }
    if (st == WW_OK) {
        st = ww_children_create(device->mem, &device->children, err);
    }
    if (st == WW_OK) {
        st = ww__budget_create(device, err);
    }
    if (st == WW_OK && device->options.memcheck) {
        device->options.threads = 1;
        st = ww_memcheck_create(&device->memcheck, err);
    }
    if (st == WW_OK) {
        st = ww_gpu_create(arch, &device->gpu, err);
    }
    if (st == WW_OK && device->options.functional_only) {
        st = count_on_one_sm(&device->gpu->counters, err);
    }
    if (st == WW_OK && device->options.profile) {
        st = ww_gpu_set_profiling(device->gpu, true, err);
    }
    if (st == WW_OK && device->options.toggles && !device->options.functional_only) {
        st = ww_gpu_count_values(device->gpu, (ww_data){bytes_at, device->mem}, err);
    }
    if (st == WW_OK && device->options.timeline) {
        device->timeline.cta = device->options.timeline_cta;
        ww_gpu_set_timeline(device->gpu, &device->timeline);
    }
    if (st == WW_OK) {
        st = ww_gpu_set_threads(device->gpu, device->options.threads, err);
    }
    if (st != WW_OK) {
        ww_device_destroy(device);
        return st;
    }
    *out = device;
    return WW_OK;
}

const ww_timeline *ww_device_timeline(const ww_device *device)
{
    return &device->timeline;
}

void ww_device_destroy(ww_device *device)
{
    if (device == NULL) {
        return;
    }
    while (device->modules != NULL) {
        ww_module *next = device->modules->next;
        ww_module_destroy(device->modules, device->mem);
        device->modules = next;
    }
    ww_kernel_sampler_destroy(device->kernel_samplers);
    ww_gpu_destroy(device->gpu);
    ww_timeline_fini(&device->timeline);
    ww_sampling_fini(&device->sampling);
    ww_output_destroy(device->output);
    ww_textures_destroy(device->textures);
    ww_children_destroy(device->children);
    ww_heap_destroy(device->heap);
    ww_memcheck_destroy(device->memcheck);
    ww_free(device->shares);
    ww_devmem_destroy(device->mem);
    ww_free(device->charged);
    ww_free(device);
}

ww_status ww_device_load_ptx(ww_device *device, const char *name, const char *text, size_t length,
                             ww_module **out, ww_error *err)
{
    return ww_device_load_units(device, name, &text, &length, 1, out, err);
}

ww_status ww_device_load_units(ww_device *device, const char *name, const char *const *texts,
                               const size_t *lengths, size_t count, ww_module **out, ww_error *err)
{
    ww_module *module;
    WW_TRY(ww_module_create(device, name, texts, lengths, count, &module, err));
    module->next = device->modules;
    device->modules = module;
    *out = module;
    return WW_OK;
}

ww_status ww_device_malloc(ww_device *device, size_t bytes, ww_devptr *out, ww_error *err)
{
    enum { USER_ALIGN = 256 };
    if (bytes == 0) {
        return ww_fail(err, WW_ERANGE, "An allocation of 0 bytes.");
    }
    WW_TRY(ww_devmem_alloc(device->mem, bytes, USER_ALIGN, out, err));
    if (device->memcheck != NULL) {
        ww_memcheck_forget(device->memcheck, *out, bytes);
    }
    return WW_OK;
}

ww_status ww_device_free(ww_device *device, ww_devptr p, ww_error *err)
{
    const ww_symbol *s = ww_module_variable_at(device, p);
    if (s != NULL) {
        return ww_fail(err, WW_ENOTFOUND, "0x%llx is the module variable %s, not an allocation.",
                       (unsigned long long)p, s->name);
    }
    return ww_devmem_free(device->mem, p, err);
}

void ww_device_divide(ww_device *device, ww_devptr first, ww_devptr end, const ww_spans *blocks)
{
    ww_devmem_divide(device->mem, first, end, blocks);
}

/* Host view of a range, or a message that says where it lies. */
static ww_status range(ww_device *device, ww_devptr p, size_t bytes, const char *what, void **out,
                       ww_error *err)
{
    *out = ww_devmem_at(device->mem, p, bytes);
    if (*out != NULL) {
        return WW_OK;
    }
    char where[256];
    return ww_fail(err, WW_ERANGE, "%s of %zu bytes at 0x%llx leaves its allocation: %s.", what,
                   bytes, (unsigned long long)p,
                   ww_devmem_explain(device->mem, p, where, sizeof where));
}

void ww_device_copied(ww_device *device, ww_devptr p, size_t bytes, ww_way way)
{
    const ww_mem_params *mem = &device->arch->mem;
    device->host_bytes += way == WW_FROM_HOST ? bytes : 0;
    bool fills = way == WW_FROM_HOST || (way == WW_TO_HOST && mem->host_reads_fill_l2) ||
                 (way == WW_ON_DEVICE && mem->device_copies_fill_l2);
    if (device->gpu != NULL && fills &&
        (mem->variable_copies_fill_l2 || !ww_module_has(device, p))) {
        ww_memsys_host_copy(device->gpu->memory, p, bytes);
    }
}

void ww_device_left(ww_device *device, ww_devptr p, size_t bytes, bool stored)
{
    enum { LINE = 128 };
    for (size_t at = 0; device->gpu != NULL && at < bytes; at += LINE) {
        const size_t left = bytes - at;
        ww_memsys_touch(device->gpu->memory, p + at, (uint32_t)(left < LINE ? left : LINE), stored);
    }
}

ww_status ww_device_write(ww_device *device, ww_devptr dst, const void *src, size_t bytes,
                          ww_error *err)
{
    void *at;
    if (bytes == 0) {
        return WW_OK;
    }
    WW_TRY(range(device, dst, bytes, "A copy to the device", &at, err));
    memcpy(at, src, bytes);
    ww_device_written(device, dst, bytes);
    ww_device_copied(device, dst, bytes, WW_FROM_HOST);
    return WW_OK;
}

ww_status ww_device_read(ww_device *device, void *dst, ww_devptr src, size_t bytes, ww_error *err)
{
    void *at;
    if (bytes == 0) {
        return WW_OK;
    }
    WW_TRY(range(device, src, bytes, "A copy from the device", &at, err));
    memcpy(dst, at, bytes);
    ww_device_copied(device, src, bytes, WW_TO_HOST);
    return WW_OK;
}

ww_status ww_device_memset(ww_device *device, ww_devptr dst, int value, size_t bytes, ww_error *err)
{
    void *at;
    if (bytes == 0) {
        return WW_OK;
    }
    WW_TRY(range(device, dst, bytes, "A fill", &at, err));
    memset(at, value, bytes);
    ww_device_written(device, dst, bytes);
    ww_device_copied(device, dst, bytes, WW_ON_DEVICE);
    return WW_OK;
}

ww_status ww_device_symbol(ww_device *device, ww_module *module, const char *name,
                           ww_devptr *address, size_t *bytes, ww_error *err)
{
    (void)device;
    for (uint32_t i = 0; i < module->ptx->symbol_count; i++) {
        const ww_symbol *s = &module->ptx->symbol[i];
        if (strcmp(s->name, name) == 0 && s->address != 0 && s->space != WW_SPACE_TEX) {
            *address = s->address;
            *bytes = s->bytes;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "Module %s has no variable %s.", module->ptx->file, name);
}

ww_device_shape ww_device_shape_of(const ww_device *device)
{
    const ww_arch *arch = device->arch;
    return (ww_device_shape){.sms = arch->sm.count, .l2_bytes = ww_arch_l2_bytes(arch)};
}

bool ww_device_bounds(const ww_device *device, ww_devptr p, ww_devptr *first, size_t *bytes)
{
    uint64_t end;
    if (!ww_devmem_bounds(device->mem, p, first, &end)) {
        return false;
    }
    *bytes = (size_t)(end - *first);
    return true;
}

void *ww_device_host(ww_device *device, ww_devptr p, size_t bytes)
{
    return ww_devmem_at(device->mem, p, bytes);
}

const ww_finding *ww_device_findings(const ww_device *device, size_t *count, uint64_t *more)
{
    *count = 0;
    *more = 0;
    return device->memcheck != NULL ? ww_memcheck_findings(device->memcheck, count, more) : NULL;
}

void ww_device_written(ww_device *device, ww_devptr p, size_t bytes)
{
    if (device->memcheck != NULL) {
        ww_memcheck_written(device->memcheck, p, bytes);
    }
}

ww_gpu *ww_device_gpu(ww_device *device)
{
    return device->gpu;
}
