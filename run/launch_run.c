/* launch_run.c - carrying out a launch file: upload, launch, dump. */
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "run/launch_file.h"

enum { MOST_TOGETHER = 4096 }; /* launches of several streams without one that waits for all */

static void put_element(ww_csv_writer *csv, ww_scalar type, const unsigned char *at)
{
    uint64_t u = 0;
    float f;
    double d;
    char text[32];
    memcpy(&u, at, ww_scalar_bytes(type));
    switch (type) {
    case WW_SCALAR_F32:
        memcpy(&f, at, sizeof f);
        ww_csv_put_double(csv, (double)f);
        return;
    case WW_SCALAR_F64:
        memcpy(&d, at, sizeof d);
        ww_csv_put_double(csv, d);
        return;
    case WW_SCALAR_S8:
    case WW_SCALAR_S16:
    case WW_SCALAR_S32:
    case WW_SCALAR_S64: {
        unsigned shift = 64 - 8 * ww_scalar_bytes(type);
        snprintf(text, sizeof text, "%lld", (long long)((int64_t)(u << shift) >> shift));
        ww_csv_put_text(csv, text);
        return;
    }
    default:
        ww_csv_put_u64(csv, u);
    }
}

static ww_status write_dump(const ww_launch_plan *plan, const ww_launch_dump *dump,
                            const unsigned char *data, const char *out_dir, ww_error *err)
{
    const ww_launch_buffer *b = &plan->buffers[dump->buffer];
    unsigned size = ww_scalar_bytes(b->type);
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, out_dir, dump->file);
    ww_str text = {0};
    ww_status status = path == NULL ? ww_no_memory(err) : WW_OK;
    if (status == WW_OK && dump->binary) {
        status = ww_write_file(path, (const char *)data, dump->count * size, err);
    } else if (status == WW_OK) {
        ww_csv_writer csv;
        ww_csv_init(&csv, &text);
        ww_csv_put_header(&csv, "index", "1");
        ww_csv_put_header(&csv, b->name, NULL);
        ww_csv_end_row(&csv);
        for (uint64_t i = 0; i < dump->count; i++) {
            ww_csv_put_u64(&csv, dump->first + i);
            put_element(&csv, b->type, data + i * size);
            ww_csv_end_row(&csv);
        }
        status = ww_csv_finish(&csv, err);
        if (status == WW_OK) {
            status = ww_write_text(path, &text, err);
        }
    }
    ww_str_fini(&text);
    ww_arena_fini(&arena);
    return status;
}

static ww_status dump_all(const ww_launch_plan *plan, ww_device *device, const ww_devptr *address,
                          const char *out_dir, ww_error *err)
{
    if (plan->dump_count > 0) {
        WW_TRY(ww_make_dirs(out_dir, err));
    }
    for (uint32_t i = 0; i < plan->dump_count; i++) {
        const ww_launch_dump *dump = &plan->dumps[i];
        unsigned size = ww_scalar_bytes(plan->buffers[dump->buffer].type);
        unsigned char *data = ww_alloc_array(dump->count, size);
        if (data == NULL) {
            return ww_no_memory_for(err, "the dump of %s", plan->buffers[dump->buffer].name);
        }
        ww_status status = ww_device_read(device, data, address[dump->buffer] + dump->first * size,
                                          dump->count * size, err);
        if (status == WW_OK) {
            status = write_dump(plan, dump, data, out_dir, err);
        }
        ww_free(data);
        WW_TRY(status);
    }
    return WW_OK;
}

typedef struct runner {
    const char *file; /* the launch file */
    ww_device *device;
    ww_module *module;
    const ww_devptr *address; /* of the buffers */
} runner;

/* An argument of another width than its parameter would be taken for the bytes beside it too, or
 * leave some of them unset. */
static ww_status check_argument(const runner *r, const ww_launch_step *step, uint32_t i,
                                ww_error *err)
{
    const ww_launch_argument *a = &step->arguments[i];
    bool pointer = a->buffer != UINT32_MAX;
    size_t offset, bytes, given = pointer ? sizeof(ww_devptr) : ww_scalar_bytes(a->type);
    bool floats;
    WW_TRY(ww_device_kernel_param(r->device, r->module, step->kernel, i, &offset, &bytes, err));
    WW_TRY(ww_device_kernel_param_floats(r->device, r->module, step->kernel, i, &floats, err));
    if (bytes != given) {
        return ww_fail_at(err, WW_ESCHEMA, r->file, a->line, 0,
                          "parameter %u of %s has %zu bytes, %s %zu", i + 1, step->kernel, bytes,
                          pointer ? "the address of a buffer" : ww_scalar_name(a->type), given);
    }
    bool integer = pointer || (a->type != WW_SCALAR_F32 && a->type != WW_SCALAR_F64);
    return floats && integer
               ? ww_fail_at(err, WW_ESCHEMA, r->file, a->line, 0,
                            "parameter %u of %s is an f%zu, not %s", i + 1, step->kernel, 8 * bytes,
                            pointer ? "an address" : ww_scalar_name(a->type))
               : WW_OK;
}

static ww_status check_arguments(const runner *r, const ww_launch_step *step, ww_error *err)
{
    ww_kernel_info info;
    WW_TRY(ww_device_kernel_info(r->device, r->module, step->kernel, &info, err));
    if (info.param_count != step->argument_count) {
        return ww_fail_at(err, WW_ESCHEMA, r->file, step->line, 0,
                          "%s takes %u parameters, and %u <arg> are given", step->kernel,
                          info.param_count, step->argument_count);
    }
    for (uint32_t i = 0; i < step->argument_count; i++) {
        WW_TRY(check_argument(r, step, i, err));
    }
    return WW_OK;
}

/* The launch that a step asks for; its arguments are in the arena. */
static ww_status request_of(const runner *r, const ww_launch_step *step, ww_arena *arena,
                            ww_launch_request *out, ww_error *err)
{
    const void **args = WW_ARENA_NEW_ARRAY(arena, const void *, step->argument_count + 1);
    ww_devptr *pointers = WW_ARENA_NEW_ARRAY(arena, ww_devptr, step->argument_count + 1);
    if (args == NULL || pointers == NULL) {
        return ww_no_memory(err);
    }
    if (step->registers != 0) {
        WW_TRY(ww_device_set_registers(r->device, r->module, step->kernel,
                                       (uint32_t)step->registers, err));
    }
    WW_TRY(check_arguments(r, step, err));
    for (uint32_t i = 0; i < step->argument_count; i++) {
        const ww_launch_argument *a = &step->arguments[i];
        pointers[i] = a->buffer != UINT32_MAX ? r->address[a->buffer] : 0;
        args[i] = a->buffer != UINT32_MAX ? (const void *)&pointers[i] : a->value;
    }
    *out = (ww_launch_request){.module = r->module,
                               .kernel = step->kernel,
                               .grid = step->grid,
                               .block = step->block,
                               .dynamic_shared = step->shared_bytes,
                               .args = args,
                               .arg_count = step->argument_count};
    return WW_OK;
}

/* A request that cannot be carried out, and has no place of its own such as a line of PTX, is the
 * launch file's mistake. */
static ww_status locate(const ww_launch_plan *plan, const ww_launch_step *step, ww_status status,
                        ww_error *err)
{
    bool request = status == WW_ENOTFOUND || status == WW_ERANGE || status == WW_ESCHEMA ||
                   status == WW_EUSAGE || status == WW_EUNSUP;
    if (request && err != NULL && err->line == 0) {
        snprintf(err->file, sizeof err->file, "%s", plan->file);
        err->line = step->line;
    }
    return status;
}

static ww_status launch_step(const runner *r, const ww_launch_step *step, ww_error *err)
{
    ww_arena arena = {0};
    ww_launch_request q;
    ww_status status = request_of(r, step, &arena, &q, err);
    for (uint32_t n = 0; status == WW_OK && n < step->repeat; n++) {
        status = ww_device_launch(r->device, q.module, q.kernel, q.grid, q.block, q.dynamic_shared,
                                  q.args, q.arg_count, err);
    }
    ww_arena_fini(&arena);
    return status;
}

/* The launch before number n that is the last in the same stream; `count`: none. */
static uint32_t before_in_stream(const uint32_t *stream, uint32_t n, uint32_t count)
{
    for (uint32_t k = n; k-- > 0;) {
        if (stream[k] == stream[n]) {
            return k;
        }
    }
    return count;
}

static ww_status launch_streams(const runner *r, const ww_launch_step *steps, uint32_t step_count,
                                uint32_t count, ww_arena *arena, ww_error *err)
{
    ww_launch_request *list = WW_ARENA_NEW_ARRAY(arena, ww_launch_request, count);
    uint32_t *stream = WW_ARENA_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *before = WW_ARENA_NEW_ARRAY(arena, uint32_t, count);
    if (list == NULL || stream == NULL || before == NULL) {
        return ww_no_memory_for(err, "%u launches", count);
    }
    uint32_t n = 0;
    for (uint32_t s = 0; s < step_count; s++) {
        ww_launch_request q;
        WW_TRY(request_of(r, &steps[s], arena, &q, err));
        for (uint32_t k = 0; k < steps[s].repeat; k++, n++) {
            list[n] = q;
            stream[n] = steps[s].stream;
            before[n] = before_in_stream(stream, n, count);
            list[n].after = &before[n];
            list[n].after_count = before[n] < count;
        }
    }
    return ww_device_launch_concurrent(r->device, list, count, err);
}

/* Steps from the first on that name a stream; *count: their launches. One stream alone is no
 * reason to run launches together. */
static uint32_t streams_from(const ww_launch_step *steps, uint32_t most, uint32_t *count)
{
    uint32_t n = 0;
    bool several = false;
    *count = 0;
    for (; n < most && steps[n].stream != 0 && steps[n].repeat <= MOST_TOGETHER - *count; n++) {
        *count += steps[n].repeat;
        several = several || steps[n].stream != steps[0].stream;
    }
    return several ? n : 0;
}

static ww_status launch_steps(const ww_launch_plan *plan, const runner *r, ww_error *err)
{
    for (uint32_t i = 0; i < plan->step_count;) {
        uint32_t count, n = streams_from(&plan->steps[i], plan->step_count - i, &count);
        if (n == 0) {
            WW_TRY(locate(plan, &plan->steps[i], launch_step(r, &plan->steps[i], err), err));
            i++;
            continue;
        }
        ww_arena arena = {0};
        ww_status status = launch_streams(r, &plan->steps[i], n, count, &arena, err);
        ww_arena_fini(&arena);
        WW_TRY(locate(plan, &plan->steps[i], status, err));
        i += n;
    }
    return WW_OK;
}

ww_status ww_launch_plan_run(const ww_launch_plan *plan, ww_device *device, ww_module *module,
                             const char *out_dir, ww_error *err)
{
    ww_devptr *address = WW_NEW_ARRAY(ww_devptr, plan->buffer_count);
    if (address == NULL) {
        return ww_no_memory(err);
    }
    ww_status status = WW_OK;
    for (uint32_t i = 0; status == WW_OK && i < plan->buffer_count; i++) {
        const ww_launch_buffer *b = &plan->buffers[i];
        size_t bytes = b->count * ww_scalar_bytes(b->type);
        status = ww_device_malloc(device, bytes, &address[i], err);
        if (status == WW_OK) {
            status = b->from_host ? ww_device_write(device, address[i], b->data, bytes, err)
                                  : ww_device_memset(device, address[i], 0, bytes, err);
        }
    }
    if (status == WW_OK) {
        status = launch_steps(plan, &(runner){plan->file, device, module, address}, err);
    }
    if (status == WW_OK && out_dir != NULL) {
        status = dump_all(plan, device, address, out_dir, err);
    }
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        if (address[i] != 0) {
            WW_DROP(ww_device_free(device, address[i], NULL)); /* it goes with the device */
        }
    }
    ww_free(address);
    return status;
}
