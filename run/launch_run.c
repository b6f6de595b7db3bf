/* launch_run.c - carrying out a launch file: upload, launch, dump. */
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "run/launch_file.h"

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
    ww_status status = path == NULL ? ww_fail(err, WW_ENOMEM, "out of memory") : WW_OK;
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
            status = ww_write_file(path, ww_str_text(&text), text.len, err);
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
            return ww_fail(err, WW_ENOMEM, "out of memory for the dump of %s",
                           plan->buffers[dump->buffer].name);
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

static ww_status launch_step(const ww_launch_step *step, ww_device *device, ww_module *module,
                             const ww_devptr *address, ww_error *err)
{
    const void **args = WW_NEW_ARRAY(const void *, step->argument_count);
    ww_devptr *pointers = WW_NEW_ARRAY(ww_devptr, step->argument_count);
    ww_status status =
        args == NULL || pointers == NULL ? ww_fail(err, WW_ENOMEM, "out of memory") : WW_OK;
    if (status == WW_OK && step->registers != 0) {
        status =
            ww_device_set_registers(device, module, step->kernel, (uint32_t)step->registers, err);
    }
    for (uint32_t i = 0; status == WW_OK && i < step->argument_count; i++) {
        const ww_launch_argument *a = &step->arguments[i];
        pointers[i] = a->buffer != UINT32_MAX ? address[a->buffer] : 0;
        args[i] = a->buffer != UINT32_MAX ? (const void *)&pointers[i] : a->value;
    }
    for (uint32_t n = 0; status == WW_OK && n < step->repeat; n++) {
        status = ww_device_launch(device, module, step->kernel, step->grid, step->block,
                                  step->shared_bytes, args, step->argument_count, err);
    }
    ww_free(args);
    ww_free(pointers);
    return status;
}

ww_status ww_launch_plan_run(const ww_launch_plan *plan, ww_device *device, ww_module *module,
                             const char *out_dir, ww_error *err)
{
    ww_devptr *address = WW_NEW_ARRAY(ww_devptr, plan->buffer_count);
    if (address == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
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
    for (uint32_t i = 0; status == WW_OK && i < plan->step_count; i++) {
        status = launch_step(&plan->steps[i], device, module, address, err);
    }
    if (status == WW_OK && out_dir != NULL) {
        status = dump_all(plan, device, address, out_dir, err);
    }
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        if (address[i] != 0) {
            ww_device_free(device, address[i], NULL);
        }
    }
    ww_free(address);
    return status;
}
