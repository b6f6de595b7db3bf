/* validate_memory.c - `warpwatt validate cycles --memory`: latencies of dependent loads and
 * bandwidths of streams on the shipped GPUs, beside those that micro-benchmarks measured. The
 * kernels are tests/validation/cycles/memory.ptx; a latency is the difference of two chases by that
 * of their loads, a bandwidth the same for two streams, so that what a launch takes drops out. */
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/arith.h"
#include "base/csv.h"
#include "base/file.h"
#include "cli/validate.h"
#include "run/run.h"

#define TABLE   "cycles/memory.csv"
#define KERNELS "cycles/memory.ptx"

enum {
    LOADS = 256,                 /* of the shorter chase; the longer has twice as many */
    NEAR_CELLS = 64,             /* of a chase that fits into a cache */
    NEAR_STRIDE = 128,           /* bytes: a line each */
    FAR_CELLS = 3 * LOADS,       /* of one that does not: none is read twice */
    FAR_STRIDE = 9 * 1024 + 128, /* bytes: another row, set and channel each */
    THREADS = 256,
    MOST_TEXT = 1 << 20,
    TRIPS = 16, /* 16 B reads per thread of the shorter stream */
};

typedef struct bench {
    const ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr cells, end;
    uint64_t cycles; /* of the last launch */
} bench;

static ww_status note_launch(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    ((bench *)user)->cycles = ww_counter_total(record->counters, WW_C_CORE_CYCLES);
    return WW_OK;
}

/* ---- latency ---- */

/* Cells, each with the address of the next; the last points at the first. */
static ww_status write_chain(bench *b, uint64_t bytes, uint32_t cells, uint32_t stride,
                             ww_error *err)
{
    uint64_t *cell = ww_alloc_array(bytes / sizeof *cell, sizeof *cell);
    if (cell == NULL) {
        return ww_no_memory_for(err, "a chase");
    }
    memset(cell, 0, bytes);
    for (uint32_t i = 0; i < cells; i++) {
        uint64_t next = (i + 1) % cells;
        cell[(uint64_t)i * stride / sizeof *cell] = b->cells + next * stride;
    }
    ww_status status = ww_device_write(b->device, b->cells, cell, bytes, err);
    ww_free(cell);
    return status;
}

static ww_status chase(bench *b, const char *kernel, ww_devptr start, uint32_t loads, ww_error *err)
{
    const ww_dim3 one = {1, 1, 1};
    const void *args[] = {&start, &loads, &b->end};
    return ww_device_launch(b->device, b->module, kernel, one, one, 0, args, WW_ARRAY_LEN(args),
                            err);
}

/* Cycles per load of a chain that stays in the L1 or L2, or in shared memory. */
static ww_status near_latency(bench *b, const char *kernel, double *out, ww_error *err)
{
    WW_TRY(write_chain(b, (uint64_t)NEAR_CELLS * NEAR_STRIDE, NEAR_CELLS, NEAR_STRIDE, err));
    WW_TRY(chase(b, kernel, b->cells, LOADS, err));
    WW_TRY(chase(b, kernel, b->cells, LOADS, err));
    uint64_t shorter = b->cycles;
    WW_TRY(chase(b, kernel, b->cells, 2 * LOADS, err));
    *out = (double)(b->cycles - shorter) / LOADS;
    return WW_OK;
}

/* Of one that lies in memory: `bytes` are so many that copying them has left its beginning, where
 * the cells are, in no cache. */
static ww_status far_latency(bench *b, uint64_t bytes, double *out, ww_error *err)
{
    WW_TRY(write_chain(b, bytes, FAR_CELLS, FAR_STRIDE, err));
    WW_TRY(chase(b, "chase_l2", b->cells, LOADS, err));
    uint64_t shorter = b->cycles;
    WW_TRY(chase(b, "chase_l2", b->cells + (uint64_t)LOADS * FAR_STRIDE, 2 * LOADS, err));
    *out = (double)(b->cycles - shorter) / LOADS;
    return WW_OK;
}

/* ---- bandwidth ---- */

static ww_status stream(bench *b, uint32_t trips, uint32_t footprint, ww_error *err)
{
    const ww_sm_params *sm = &b->arch->sm;
    uint32_t ctas = sm->count * (sm->max_threads / THREADS);
    uint32_t mask = footprint - 1, step = ctas * THREADS * 16;
    const void *args[] = {&b->cells, &trips, &b->end, &mask, &step};
    const ww_dim3 grid = {ctas, 1, 1}, block = {THREADS, 1, 1};
    return ww_device_launch(b->device, b->module, "stream", grid, block, 0, args,
                            WW_ARRAY_LEN(args), err);
}

/* GB/s over a footprint that the first of three streams leaves in the L2, or that is too large. */
static ww_status bandwidth(bench *b, uint32_t footprint, double *out, ww_error *err)
{
    const ww_sm_params *sm = &b->arch->sm;
    WW_TRY(stream(b, TRIPS, footprint, err));
    WW_TRY(stream(b, TRIPS, footprint, err));
    uint64_t shorter = b->cycles;
    WW_TRY(stream(b, 2 * TRIPS, footprint, err));
    double threads = (double)sm->count * (sm->max_threads / THREADS) * THREADS;
    double time_s = (double)(b->cycles - shorter) / b->arch->clock.core_hz;
    *out = threads * 16 * TRIPS / time_s * 1e-9;
    return WW_OK;
}

/* ---- one row ---- */

static ww_status measure(bench *b, const char *quantity, double *out, ww_error *err)
{
    uint64_t l2 = (uint64_t)b->arch->l2.bytes * ww_arch_slices(b->arch);
    static const struct {
        const char *quantity, *kernel;
    } near[] = {
        {"shared_latency", "chase_shared"}, {"l1_latency", "chase_l1"}, {"l2_latency", "chase_l2"}};
    bool memory = strncmp(quantity, "dram_", 5) == 0;
    bool streams = strstr(quantity, "_bandwidth") != NULL;
    uint32_t footprint = UINT32_C(1) << ww_log2_floor(memory ? 8 * l2 : l2 / 2);
    uint64_t bytes = streams  ? footprint
                     : memory ? (uint64_t)FAR_CELLS * FAR_STRIDE + 2 * l2
                              : (uint64_t)NEAR_CELLS * NEAR_STRIDE;
    WW_TRY(ww_device_malloc(b->device, bytes, &b->cells, err));
    WW_TRY(ww_device_malloc(b->device, sizeof(uint64_t), &b->end, err));
    if (streams) {
        return bandwidth(b, footprint, out, err);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(near); i++) {
        if (strcmp(quantity, near[i].quantity) == 0) {
            return near_latency(b, near[i].kernel, out, err);
        }
    }
    if (strcmp(quantity, "dram_latency") != 0) {
        return ww_fail(err, WW_ENOTFOUND, "%s: no micro-benchmark measures this", quantity);
    }
    return far_latency(b, bytes, out, err);
}

static ww_status load_kernels(bench *b, ww_arena *arena, ww_error *err)
{
    const char *path;
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_validation_file(arena, KERNELS, &path, err));
    WW_TRY(ww_read_file(path, MOST_TEXT, &text, &length, err));
    ww_status status = ww_device_load_ptx(b->device, path, text, length, &b->module, err);
    ww_free(text);
    return status;
}

static ww_status run_row(ww_arena *arena, const char *gpu, const char *quantity, double *out,
                         ww_error *err)
{
    ww_arch *arch = NULL;
    bench b = {0};
    const ww_device_options options = {.isa = WW_ISA_LOWERED, .on_launch = note_launch, .user = &b};
    WW_TRY(ww_arch_load(gpu, NULL, 0, &arch, err));
    b.arch = arch;
    ww_status status = ww_device_create(arch, &options, &b.device, err);
    if (status == WW_OK) {
        status = load_kernels(&b, arena, err);
    }
    if (status == WW_OK) {
        status = measure(&b, quantity, out, err);
    }
    ww_device_destroy(b.device);
    ww_arch_destroy(arch);
    return status;
}

/* ---- the table ---- */

enum { GPU, QUANTITY, VALUE, UNIT, ROLE, COLUMNS };

#define BAR 0.15 /* of the measured value */

static ww_status add_row(ww_arena *arena, ww_table *t, const ww_csv *csv, size_t i,
                         const size_t *column, size_t *missed, ww_error *err)
{
    const char *gpu = ww_csv_text(csv, i, column[GPU]);
    const char *quantity = ww_csv_text(csv, i, column[QUANTITY]);
    double theirs, ours = 0;
    WW_TRY(ww_csv_double(csv, i, column[VALUE], &theirs, err));
    WW_TRY(run_row(arena, gpu, quantity, &ours, err));
    double error = ours / theirs - 1;
    const char *role = ww_csv_text(csv, i, column[ROLE]);
    bool within = fabs(error) <= BAR || strcmp(role, "other card") == 0;
    *missed += !within;
    ww_table_text(t, gpu);
    ww_table_text(t, quantity);
    ww_table_text(t, ww_csv_text(csv, i, column[UNIT]));
    ww_table_number(t, theirs, 1);
    ww_table_number(t, ours, 1);
    ww_table_number(t, 100 * error, 1);
    ww_table_text(t, role);
    ww_table_text(t, within ? "" : "MISSED");
    return WW_OK;
}

static ww_status add_rows(ww_arena *arena, ww_table *t, const char *path, size_t *missed,
                          ww_error *err)
{
    static const char *const NAME[COLUMNS] = {"gpu", "quantity", "value", "unit", "role"};
    size_t column[COLUMNS];
    ww_csv *csv = NULL;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = ww_csv_find_all(csv, NAME, COLUMNS, column, err);
    for (size_t i = 0; i < ww_csv_rows(csv) && status == WW_OK; i++) {
        status = add_row(arena, t, csv, i, column, missed, err);
    }
    ww_csv_destroy(csv);
    return status;
}

ww_status ww_validate_memory(const ww_args *args, ww_error *err)
{
    static const char *const HEAD[] = {"gpu",      "quantity",      "unit", "measured",
                                       "warpwatt", "error_percent", "role", "bar"};
    ww_arena arena;
    ww_arena_init(&arena);
    ww_table t;
    ww_table_init(&t, "memory");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    size_t missed = 0;
    const char *path = ww_args_value(args, "reference");
    ww_status status = path != NULL ? WW_OK : ww_validation_file(&arena, TABLE, &path, err);
    if (status == WW_OK) {
        status = add_rows(&arena, &t, path, &missed, err);
    }
    if (status == WW_OK) {
        status = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    ww_arena_fini(&arena);
    if (status == WW_OK && missed > 0) {
        return ww_fail(err, WW_EVERIFY, "%zu latencies or bandwidths are off by more than %.0f %%",
                       missed, 100 * BAR);
    }
    return status;
}
