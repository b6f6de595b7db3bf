/* support.c - inputs, device buffers, launches and comparison for the workload drivers. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static ww_status no_memory(ww__bench *bench, size_t bytes)
{
    return ww_fail(bench->err, WW_ENOMEM, "%s: no memory for a host array of %zu bytes",
                   bench->name, bytes);
}

/* Frees textures and buffers, in reverse order; the first failure of the run is the one to report.
 */
static ww_status release(ww__bench *bench, ww_status status)
{
    while (bench->texture_count + bench->buffer_count > 0) {
        ww_error *err = status == WW_OK ? bench->err : NULL;
        ww_status freed;
        if (bench->texture_count > 0) {
            bench->texture_count--;
            freed = ww_device_texture_destroy(bench->device, bench->textures[bench->texture_count],
                                              err);
        } else {
            bench->buffer_count--;
            freed = ww_device_free(bench->device, bench->buffers[bench->buffer_count], err);
        }
        if (status == WW_OK) {
            status = freed;
        }
    }
    return status;
}

ww_status ww__bench_run(ww_device *device, const char *name, const ww__ptx *ptx,
                        ww_workload_size size,
                        ww_status (*body)(ww__bench *bench, ww_workload_size size), ww_error *err)
{
    ww__bench bench = {.device = device, .name = name, .random = 0x57617257617474u, .err = err};
    ww_arena_init(&bench.host);
    ww_status status =
        ww_device_load_ptx(device, ptx->name, ptx->text, ptx->length, &bench.module, err);
    if (status == WW_OK) {
        status = body(&bench, size);
    }
    status = release(&bench, status);
    ww_arena_fini(&bench.host);
    return status;
}

ww_status ww__host_array(ww__bench *bench, size_t n, size_t size, void *out)
{
    void *array = ww_arena_alloc(&bench->host, n, size);
    if (!array) {
        return no_memory(bench, n * size);
    }
    memcpy(out, &array, sizeof array); /* out is a pointer to a pointer of any type */
    return WW_OK;
}

ww_status ww__buffer(ww__bench *bench, size_t bytes, ww_devptr *out)
{
    if (bench->buffer_count == WW_ARRAY_LEN(bench->buffers)) {
        return ww_fail(bench->err, WW_EINTERNAL, "%s: more than %zu device buffers", bench->name,
                       WW_ARRAY_LEN(bench->buffers));
    }
    ww_devptr p = 0;
    WW_TRY(ww_device_malloc(bench->device, bytes, &p, bench->err));
    bench->buffers[bench->buffer_count++] = p;
    *out = p;
    return WW_OK;
}

ww_status ww__upload(ww__bench *bench, const void *data, size_t bytes, ww_devptr *out)
{
    WW_TRY(ww__buffer(bench, bytes, out));
    return ww_device_write(bench->device, *out, data, bytes, bench->err);
}

ww_status ww__upload_symbol(ww__bench *bench, const char *symbol, const void *data, size_t bytes)
{
    ww_devptr p = 0;
    size_t size = 0;
    WW_TRY(ww_device_symbol(bench->device, bench->module, symbol, &p, &size, bench->err));
    if (bytes > size) {
        return ww_fail(bench->err, WW_EINTERNAL, "%s: %zu bytes do not fit %s, which has %zu",
                       bench->name, bytes, symbol, size);
    }
    return ww_device_write(bench->device, p, data, bytes, bench->err);
}

ww_status ww__download(ww__bench *bench, ww_devptr p, size_t bytes, void *out)
{
    void *array = NULL;
    WW_TRY(ww__host_array(bench, bytes, 1, &array));
    WW_TRY(ww_device_read(bench->device, array, p, bytes, bench->err));
    memcpy(out, &array, sizeof array);
    return WW_OK;
}

ww_status ww__copy(ww__bench *bench, ww_devptr dst, ww_devptr src, size_t bytes)
{
    void *data = NULL;
    WW_TRY(ww__download(bench, src, bytes, &data));
    return ww_device_write(bench->device, dst, data, bytes, bench->err);
}

ww_status ww__texture(ww__bench *bench, const ww_texture *texture, uint64_t *out)
{
    if (bench->texture_count == WW_ARRAY_LEN(bench->textures)) {
        return ww_fail(bench->err, WW_EINTERNAL, "%s: more than %zu textures", bench->name,
                       WW_ARRAY_LEN(bench->textures));
    }
    uint64_t handle = 0;
    WW_TRY(ww_device_texture_create(bench->device, texture, &handle, bench->err));
    bench->textures[bench->texture_count++] = handle;
    *out = handle;
    return WW_OK;
}

ww_status ww__launch(ww__bench *bench, const char *kernel, ww_dim3 grid, ww_dim3 block,
                     size_t dynamic_shared, const void *const *args, size_t arg_count)
{
    return ww_device_launch(bench->device, bench->module, kernel, grid, block, dynamic_shared, args,
                            arg_count, bench->err);
}

uint32_t ww__random_bits(ww__bench *bench)
{
    bench->random += 0x9e3779b97f4a7c15u;
    uint64_t z = bench->random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (uint32_t)(z >> 32);
}

uint32_t ww__random_below(ww__bench *bench, uint32_t n)
{
    return (uint32_t)(((uint64_t)ww__random_bits(bench) * n) >> 32);
}

float ww__random_float(ww__bench *bench, float low, float high)
{
    float unit = (float)(ww__random_bits(bench) >> 8) * 0x1p-24f;
    return low + (high - low) * unit;
}

ww_status ww__random_floats(ww__bench *bench, size_t n, float low, float high, float **out)
{
    float *array = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *array, &array));
    for (size_t i = 0; i < n; i++) {
        array[i] = ww__random_float(bench, low, high);
    }
    *out = array;
    return WW_OK;
}

static ww_status verify_value(ww__bench *bench, const char *what, size_t i, double actual,
                              double expected, double relative, double absolute)
{
    const double tolerance = absolute + relative * fabs(expected);
    if (!(fabs(actual - expected) <= tolerance)) { /* so that NaN fails */
        return ww_fail(bench->err, WW_EVERIFY, "%s: %s[%zu] = %.9g, expected %.9g within %.3g",
                       bench->name, what, i, actual, expected, tolerance);
    }
    return WW_OK;
}

ww_status ww__verify_floats(ww__bench *bench, const char *what, const float *actual,
                            const double *expected, size_t n, double relative, double absolute)
{
    for (size_t i = 0; i < n; i++) {
        WW_TRY(verify_value(bench, what, i, (double)actual[i], expected[i], relative, absolute));
    }
    return WW_OK;
}

ww_status ww__verify_doubles(ww__bench *bench, const char *what, const double *actual,
                             const double *expected, size_t n, double relative, double absolute)
{
    for (size_t i = 0; i < n; i++) {
        WW_TRY(verify_value(bench, what, i, actual[i], expected[i], relative, absolute));
    }
    return WW_OK;
}

ww_status ww__verify_ints(ww__bench *bench, const char *what, const int32_t *actual,
                          const int32_t *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (actual[i] != expected[i]) {
            return ww_fail(bench->err, WW_EVERIFY, "%s: %s[%zu] = %" PRId32 ", expected %" PRId32,
                           bench->name, what, i, actual[i], expected[i]);
        }
    }
    return WW_OK;
}
