/* support.h - what the workload drivers share: inputs, device buffers, launches and comparison.
 * Private to workloads/. A driver is a function on a ww__bench; ww__bench_run wraps it. */
#ifndef WW_WORKLOADS_SUPPORT_H
#define WW_WORKLOADS_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"
#include "perf/api/device.h"
#include "workloads/workload.h"

/* PTX text that the build embeds (embed.cmake makes one of these from every .ptx file). */
typedef struct ww__ptx {
    const char *name; /* "workloads/NAME/NAME.ptx", for messages */
    const char *text; /* terminated */
    size_t length;    /* without the terminator */
} ww__ptx;

/* One run of a workload: owns its host arrays and device buffers until ww__bench_run returns. */
typedef struct ww__bench {
    ww_device *device;
    ww_module *module;
    const char *name;      /* of the workload */
    ww_arena host;         /* host arrays; hand out with ww__host_array */
    ww_devptr buffers[24]; /* device buffers in the order of their allocation */
    unsigned buffer_count;
    uint64_t textures[4]; /* texture objects */
    unsigned texture_count;
    uint64_t random; /* generator state, the same at the start of every run */
    ww_error *err;
} ww__bench;

/** Loads the PTX, calls body, then frees what body allocated, in reverse order, whatever body
 * returned. */
WW_NODISCARD ww_status ww__bench_run(ww_device *device, const char *name, const ww__ptx *ptx,
                                     ww_workload_size size,
                                     ww_status (*body)(ww__bench *bench, ww_workload_size size),
                                     ww_error *err);

/** *out = zeroed host array of n objects of size bytes. */
WW_NODISCARD ww_status ww__host_array(ww__bench *bench, size_t n, size_t size, void *out);
/** *out = new device buffer of that many bytes; a kernel that counts on zeros needs a
 * ww_device_memset. */
WW_NODISCARD ww_status ww__buffer(ww__bench *bench, size_t bytes, ww_devptr *out);
/** *out = new device buffer holding a copy of bytes at data. */
WW_NODISCARD ww_status ww__upload(ww__bench *bench, const void *data, size_t bytes, ww_devptr *out);
/** Copies bytes from one device buffer to another by way of the host. */
WW_NODISCARD ww_status ww__copy(ww__bench *bench, ww_devptr dst, ww_devptr src, size_t bytes);
/** Fills a module variable with exactly its size of bytes, or the start of it. */
WW_NODISCARD ww_status ww__upload_symbol(ww__bench *bench, const char *symbol, const void *data,
                                         size_t bytes);
/** *out = new host array with the bytes at p. */
WW_NODISCARD ww_status ww__download(ww__bench *bench, ww_devptr p, size_t bytes, void *out);

/** *out = handle of a new texture object, a kernel argument of eight bytes; lives as long as the
 * buffers. */
WW_NODISCARD ww_status ww__texture(ww__bench *bench, const ww_texture *texture, uint64_t *out);

/** Launches a kernel; see WW__LAUNCH. */
WW_NODISCARD ww_status ww__launch(ww__bench *bench, const char *kernel, ww_dim3 grid, ww_dim3 block,
                                  size_t dynamic_shared, const void *const *args, size_t arg_count);

/* WW__LAUNCH(bench, "kernel", grid, block, dynamic_shared, &arg0, &arg1, ...) */
#define WW__LAUNCH(bench, kernel, grid, block, dynamic_shared, ...)                                \
    ww__launch((bench), (kernel), (grid), (block), (dynamic_shared),                               \
               (const void *const[]){__VA_ARGS__},                                                 \
               sizeof((const void *const[]){__VA_ARGS__}) / sizeof(const void *))

/** Grid or block of x by y. */
static inline ww_dim3 ww__dim(unsigned x, unsigned y)
{
    return (ww_dim3){x, y, 1};
}

/** Number of pieces of that size that cover n. */
static inline unsigned ww__pieces(size_t n, size_t size)
{
    return (unsigned)((n + size - 1) / size);
}

/* Deterministic inputs: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014), the high bits of each output. */

/** The next 32 random bits. */
uint32_t ww__random_bits(ww__bench *bench);
/** Uniform in 0 .. n-1 (n > 0; the bias of 2^-32 n does not matter here). */
uint32_t ww__random_below(ww__bench *bench, uint32_t n);
/** Uniform in [low, high), on a grid of 2^-24 of the interval before rounding. */
float ww__random_float(ww__bench *bench, float low, float high);
/** *out = new host array of n uniform floats. */
WW_NODISCARD ww_status ww__random_floats(ww__bench *bench, size_t n, float low, float high,
                                         float **out);

/** Fails with EVERIFY unless every |actual - expected| <= absolute + relative * |expected|. */
WW_NODISCARD ww_status ww__verify_floats(ww__bench *bench, const char *what, const float *actual,
                                         const double *expected, size_t n, double relative,
                                         double absolute);
/** The same of doubles. */
WW_NODISCARD ww_status ww__verify_doubles(ww__bench *bench, const char *what, const double *actual,
                                          const double *expected, size_t n, double relative,
                                          double absolute);
/** Fails with EVERIFY unless all are equal. */
WW_NODISCARD ww_status ww__verify_ints(ww__bench *bench, const char *what, const int32_t *actual,
                                       const int32_t *expected, size_t n);

/* What every driver defines and the build embeds. */
#define WW_WORKLOAD(id, ...)                                                                       \
    extern const ww__ptx ww__ptx_##id;                                                             \
    WW_NODISCARD ww_status ww_##id##_run(ww_device *device, ww_workload_size size, ww_error *err);
#include "workloads/workloads.def"
#undef WW_WORKLOAD

#endif
