/* memory.c - `warpwatt validate cycles --memory`: latencies of dependent loads and operations,
 * bandwidths of streams and rates of operations on the shipped GPUs, beside those that
 * micro-benchmarks measured or makers publish. The kernels are tests/validation/cycles/memory.ptx;
 * a latency is the difference of two chains by that of their links, a bandwidth or rate the same
 * for two streams, so that what a launch takes drops out. */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "run/run.h"
#include "validation/memory.h"

#include "validation/compare.h"

#define KERNELS "cycles/memory.ptx"

enum {
    LOADS = 256,                 /* of the shorter chase; the longer has twice as many */
    NEAR_CELLS = 64,             /* of a chase that fits into a cache */
    NEAR_STRIDE = 128,           /* bytes: a line each */
    FAR_CELLS = 3 * LOADS,       /* of one that does not: none is read twice */
    FAR_STRIDE = 9 * 1024 + 128, /* bytes: another row, set and channel each */
    THREADS = 256,
    TRIPS = 16,   /* 16 B reads per thread of the shorter stream */
    CHAINED = 64, /* operations of the shorter chain, and of a thread of the shorter rate */
    WARP = 32,
    BUSY = 1024, /* threads of an SM that is kept busy */
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

static uint32_t threads_of(const bench *b)
{
    return b->arch->sm.count * (b->arch->sm.max_threads / THREADS) * THREADS;
}

static ww_status stream(bench *b, const char *kernel, uint32_t trips, uint32_t footprint,
                        ww_error *err)
{
    uint32_t ctas = threads_of(b) / THREADS;
    uint32_t mask = footprint - 1, step = ctas * THREADS * 16;
    const void *args[] = {&b->cells, &trips, &b->end, &mask, &step};
    const ww_dim3 grid = {ctas, 1, 1}, block = {THREADS, 1, 1};
    return ww_device_launch(b->device, b->module, kernel, grid, block, 0, args, WW_ARRAY_LEN(args),
                            err);
}

static ww_status copy(bench *b, uint32_t trips, ww_error *err)
{
    const ww_devptr to = b->cells + (uint64_t)threads_of(b) * sizeof(uint32_t);
    const void *args[] = {&b->cells, &trips, &to};
    const ww_dim3 grid = {threads_of(b) / THREADS, 1, 1}, block = {THREADS, 1, 1};
    return ww_device_launch(b->device, b->module, "copy", grid, block, 0, args, WW_ARRAY_LEN(args),
                            err);
}

/* GB/s, read and written together, of words that lie in the L2. */
static ww_status copied(bench *b, double *out, ww_error *err)
{
    WW_TRY(copy(b, CHAINED, err)); /* brings them there */
    WW_TRY(copy(b, CHAINED, err));
    uint64_t shorter = b->cycles;
    WW_TRY(copy(b, 2 * CHAINED, err));
    double time_s = (double)(b->cycles - shorter) / b->arch->clock.core_hz;
    *out = 2.0 * sizeof(uint32_t) * threads_of(b) * CHAINED / time_s * 1e-9;
    return WW_OK;
}

/* GB/s over a footprint that the first of three streams leaves in the L2, or that is too large:
 * what is written then leaves the L2 as fast as it comes. */
static ww_status bandwidth(bench *b, const char *kernel, uint32_t footprint, double *out,
                           ww_error *err)
{
    WW_TRY(stream(b, kernel, TRIPS, footprint, err));
    WW_TRY(stream(b, kernel, TRIPS, footprint, err));
    uint64_t shorter = b->cycles;
    WW_TRY(stream(b, kernel, 2 * TRIPS, footprint, err));
    double time_s = (double)(b->cycles - shorter) / b->arch->clock.core_hz;
    *out = (double)threads_of(b) * 16 * TRIPS / time_s * 1e-9;
    return WW_OK;
}

/* ---- operations ---- */

static ww_status operate(bench *b, const char *kernel, uint32_t threads, uint32_t operations,
                         ww_error *err)
{
    const void *args[] = {&b->cells, &operations, &b->end};
    const ww_dim3 one = {1, 1, 1}, block = {threads, 1, 1};
    return ww_device_launch(b->device, b->module, kernel, one, block, 0, args, WW_ARRAY_LEN(args),
                            err);
}

/* Cycles that CHAINED more operations of every thread of one CTA take. */
static ww_status operation_cycles(bench *b, const char *kernel, uint32_t threads, double *out,
                                  ww_error *err)
{
    WW_TRY(operate(b, kernel, threads, CHAINED, err)); /* fetches the code */
    WW_TRY(operate(b, kernel, threads, CHAINED, err));
    uint64_t shorter = b->cycles;
    WW_TRY(operate(b, kernel, threads, 2 * CHAINED, err));
    *out = (double)(b->cycles - shorter);
    return WW_OK;
}

/* A latency in cycles of a chain, or results per cycle of an SM. *found: the quantity is either. */
static ww_status operation(bench *b, const char *quantity, bool *found, double *out, ww_error *err)
{
    static const struct {
        const char *quantity, *kernel;
        uint32_t threads;
    } all[] = {
        {"shuffle_latency", "chain_shuffle", WARP},
        {"convert_latency", "chain_convert", WARP},
        {"fma_rate", "rate_fma", BUSY},
        {"fp64_rate", "rate_double", BUSY},
        {"multiply_rate", "rate_multiply", BUSY},
        {"special_rate", "rate_special", BUSY},
        {"convert_rate", "rate_convert", BUSY},
        {"shuffle_rate", "rate_shuffle", BUSY},
    };
    *found = false;
    for (size_t i = 0; i < WW_ARRAY_LEN(all) && !*found; i++) {
        if (strcmp(quantity, all[i].quantity) == 0) {
            double cycles;
            WW_TRY(operation_cycles(b, all[i].kernel, all[i].threads, &cycles, err));
            *out = all[i].threads == WARP ? cycles / CHAINED
                                          : (double)all[i].threads * CHAINED / cycles;
            *found = true;
        }
    }
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
    bool copies = strcmp(quantity, "l2_copy") == 0;
    uint64_t bytes = streams  ? footprint
                     : copies ? (uint64_t)threads_of(b) * 2 * sizeof(uint32_t)
                     : memory ? (uint64_t)FAR_CELLS * FAR_STRIDE + 2 * l2
                              : (uint64_t)NEAR_CELLS * NEAR_STRIDE;
    WW_TRY(ww_device_malloc(b->device, bytes, &b->cells, err));
    WW_TRY(ww_device_malloc(b->device, sizeof(uint64_t), &b->end, err));
    if (streams) {
        const bool writes = strstr(quantity, "_write_") != NULL;
        return bandwidth(b, writes ? "stream_out" : "stream", footprint, out, err);
    }
    if (copies) {
        return copied(b, out, err);
    }
    bool found;
    WW_TRY(operation(b, quantity, &found, out, err));
    if (found) {
        return WW_OK;
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

ww_status ww__memory_measure(ww_arena *arena, const char *gpu, const char *quantity, double *out,
                             ww_error *err)
{
    ww_arch *arch = NULL;
    bench b = {0};
    const ww_device_options options = {.isa = WW_ISA_LOWERED, .on_launch = note_launch, .user = &b};
    WW_TRY(ww_arch_load(gpu, NULL, 0, &arch, err));
    b.arch = arch;
    ww_status status = ww_device_create(arch, &options, &b.device, err);
    if (status == WW_OK) {
        status = ww_validation_kernels(arena, KERNELS, b.device, &b.module, err);
    }
    if (status == WW_OK) {
        status = measure(&b, quantity, out, err);
    }
    ww_device_destroy(b.device);
    ww_arch_destroy(arch);
    return status;
}

/* ---- the comparison ---- */

enum { GPU, QUANTITY, VALUE, UNIT, ROLE, COLUMNS };

static const char *const roles[] = {"set", "free", "other card", NULL};
static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [QUANTITY] = {"quantity", .kind = WW_REF_NAME},
    [VALUE] = {"value", .kind = WW_REF_POSITIVE},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},
    [ROLE] = {"role", .kind = WW_REF_WORD, .words = roles}, /* of another card: shown, not judged */
};

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    const ww_bar *bar;
    ww_row row = ww_row_of(ww_refs_text(c->refs, line, GPU), ww_refs_text(c->refs, line, QUANTITY),
                           ww_refs_text(c->refs, line, UNIT));
    row.reference = ww_refs_number(c->refs, line, VALUE);
    row.note = ww_refs_text(c->refs, line, ROLE);
    bool same_card = strcmp(row.note, "other card") != 0;
    WW_TRY(ww_bars_find(c->bars, "memory", "absolute error", &bar, err));
    WW_TRY(ww__memory_measure(&c->arena, row.subject, row.what, &row.ours, err));
    ww_judge(&row, same_card ? bar : NULL, fabs(ww_row_error(&row)));
    return ww_rows_add(&c->rows, &row, err);
}

ww_status ww_validate_memory(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"quantity", .field = WW_SHOW_WHAT},
        {"unit", .field = WW_SHOW_UNIT},
        {"measured", .field = WW_SHOW_REFERENCE, .digits = 1},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 1},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 1},
        {"role", .field = WW_SHOW_NOTE},
        {"bar", .field = WW_SHOW_TEXT, .text = ww_show_missed},
    };
    static const ww__comparison description = {.title = "memory",
                                               .table = "cycles/memory.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take};
    return ww__compare(&description, asked, NULL, err);
}
