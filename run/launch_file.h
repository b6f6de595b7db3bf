/* launch_file.h - the XML file that tells how to run a user's own kernel: buffers, arguments,
 * geometry, what to keep. Format: docs/launch-file.md; launch_parse.c checks it. */
#ifndef WW_RUN_LAUNCH_FILE_H
#define WW_RUN_LAUNCH_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"
#include "perf/api/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_scalar {
    WW_SCALAR_U8,
    WW_SCALAR_S8,
    WW_SCALAR_U16,
    WW_SCALAR_S16,
    WW_SCALAR_U32,
    WW_SCALAR_S32,
    WW_SCALAR_U64,
    WW_SCALAR_S64,
    WW_SCALAR_F32,
    WW_SCALAR_F64,
    WW_SCALAR_COUNT
} ww_scalar;

/** Size in bytes. */
unsigned ww_scalar_bytes(ww_scalar type);
/** "f32" and so on. */
const char *ww_scalar_name(ww_scalar type);

typedef struct ww_launch_buffer {
    const char *name;
    ww_scalar type;
    uint64_t count;      /* elements, >= 1 */
    unsigned char *data; /* initial contents, count * size bytes */
    bool from_host;      /* the host copies the contents; else the device sets them to zero */
} ww_launch_buffer;

typedef struct ww_launch_argument {
    uint32_t buffer;        /* index of the buffer whose address is passed; UINT32_MAX: the value */
    unsigned char value[8]; /* little-endian */
    ww_scalar type;         /* of the value */
    int line;
} ww_launch_argument;

typedef struct ww_launch_dump {
    uint32_t buffer;
    const char *file;      /* in the result folder */
    bool binary;           /* raw bytes instead of CSV */
    uint64_t first, count; /* elements */
} ww_launch_dump;

typedef struct ww_launch_step {
    const char *kernel;
    ww_dim3 grid, block;
    uint64_t shared_bytes;
    uint64_t registers; /* per thread; 0: as the register allocator finds */
    uint32_t repeat;
    uint32_t stream; /* 0: none, it runs alone */
    ww_launch_argument *arguments;
    uint32_t argument_count;
    int line;
} ww_launch_step;

typedef struct ww_launch_plan {
    ww_arena arena;
    const char *file;
    ww_launch_buffer *buffers;
    uint32_t buffer_count;
    ww_launch_step *steps;
    uint32_t step_count;
    ww_launch_dump *dumps;
    uint32_t dump_count;
} ww_launch_plan;

/** Reads and checks a launch file; every error names file and line. Buffers hold at most 4 GiB
 * together. */
WW_NODISCARD ww_status ww_launch_plan_load(const char *path, ww_launch_plan **out, ww_error *err);
/** The same from memory; name is used in messages and to find files that the text names. */
WW_NODISCARD ww_status ww_launch_plan_parse(const char *name, const char *text, size_t length,
                                            ww_launch_plan **out, ww_error *err);
void ww_launch_plan_destroy(ww_launch_plan *plan);

/** Uploads the buffers, runs the steps in order, writes the dumps into out_dir (created when
 * missing; NULL: no dumps). */
WW_NODISCARD ww_status ww_launch_plan_run(const ww_launch_plan *plan, ww_device *device,
                                          ww_module *module, const char *out_dir, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
