/* async_bench.c - one measurement: a device, a kernel, its memory, and what the clocks say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "isa/tensor_map.h"
#include "power/power.h"
#include "validation/async.h"
#include "validation/validate.h"

#define KERNELS "cycles/async.ptx"

enum {
    MOST_REPEATS = 4096,
    IN_LOOP = 16, /* instructions of a chain's loop */
    COLD_LAUNCHES = 9,
    PASSES = 9,     /* over a group of products */
    IN_GROUP = 8,   /* products of a group */
    SM_FLOPS = 4096 /* of FP16 in a cycle and SM, what shares are of */
};

typedef struct bench {
    const ww__async_bench *asked;
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr in, out;
    ww_power_model *model; /* NULL: time alone is asked for */
    ww_power_repeated power;
    uint64_t cycles; /* of the last launch */
    uint32_t got[MOST_REPEATS];
} bench;

static ww_status keep_launch(void *user, const struct ww_launch_record *record, ww_error *err)
{
    bench *b = user;
    b->cycles = ww_counter_total(record->counters, WW_C_CORE_CYCLES);
    return b->model != NULL ? ww_power_repeat(b->model, b->arch, record, &b->power, err) : WW_OK;
}

static uint32_t ctas(const bench *b)
{
    return b->asked->ctas != 0 ? b->asked->ctas : b->arch->sm.count;
}

static ww_status launch(bench *b, uint32_t repeats, ww_error *err)
{
    const ww__async_bench *asked = b->asked;
    const void *args[] = {&b->out, &b->in, &asked->bytes, &repeats, &asked->advance};
    const ww_launch_request q = {.module = b->module,
                                 .kernel = asked->kernel,
                                 .grid = {ctas(b), 1, 1},
                                 .block = {asked->threads, 1, 1},
                                 .cluster = {asked->cluster, 1, 1},
                                 .args = args,
                                 .arg_count = WW_ARRAY_LEN(args)};
    return ww_device_launch_request(b->device, &q, err);
}

static ww_status fetch(bench *b, uint32_t count, ww_error *err)
{
    return ww_device_read(b->device, b->got, b->out, count * sizeof b->got[0], err);
}

static ww_status unknown(const bench *b, ww_error *err)
{
    return ww_fail(err, WW_ESCHEMA, "%s of %s: no such measure", b->asked->measure,
                   b->asked->kernel);
}

/* ---- by clocks that the kernel reads ---- */

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static ww_status by_passes(bench *b, double *out, ww_error *err)
{
    WW_TRY(launch(b, b->asked->repeats, err));
    WW_TRY(fetch(b, 2, err));
    *out = (double)b->got[0] / (b->asked->repeats - 1);
    return WW_OK;
}

/* The median of several launches, each of memory of its own: one may meet a refresh. */
static ww_status by_first_pass(bench *b, double *out, ww_error *err)
{
    uint32_t first[COLD_LAUNCHES];
    for (uint32_t i = 0; i < COLD_LAUNCHES; i++) {
        WW_TRY(launch(b, b->asked->repeats, err));
        WW_TRY(fetch(b, 2, err));
        first[i] = b->got[1];
        b->in += (uint64_t)(b->asked->bytes + b->asked->advance) * b->asked->repeats;
    }
    qsort(first, COLD_LAUNCHES, sizeof first[0], by_size);
    *out = first[COLD_LAUNCHES / 2];
    return WW_OK;
}

/* Of reads, each timed by itself. */
static ww_status by_read(bench *b, const char *what, double *out, ww_error *err)
{
    uint32_t n = b->asked->repeats;
    double sum = 0;
    WW_TRY(launch(b, n, err));
    WW_TRY(strcmp(what, "again") == 0 ? launch(b, n, err) : WW_OK);
    WW_TRY(fetch(b, n, err));
    for (uint32_t i = 0; i < n; i++) {
        sum += b->got[i];
    }
    qsort(b->got, n, sizeof b->got[0], by_size);
    *out = strcmp(what, "p10") == 0   ? b->got[n / 10]
           : strcmp(what, "p90") == 0 ? b->got[n - 1 - n / 10]
                                      : sum / n;
    return WW_OK;
}

/* ---- by the cycles of launches ---- */

/* Of the second half of twice as many repeats, so that what a launch takes drops out. */
static ww_status by_launch(bench *b, double *cycles, ww_error *err)
{
    WW_TRY(launch(b, b->asked->repeats, err)); /* fills caches */
    WW_TRY(launch(b, b->asked->repeats, err));
    uint64_t shorter = b->cycles;
    WW_TRY(launch(b, 2 * b->asked->repeats, err));
    *cycles = (double)(b->cycles - shorter);
    return WW_OK;
}

static ww_status by_loop(bench *b, const char *what, double *out, ww_error *err)
{
    double cycles, done = (double)IN_LOOP * b->asked->repeats;
    WW_TRY(by_launch(b, &cycles, err));
    double rate = done * b->asked->threads / cycles; /* by threads */
    *out = strcmp(what, "chain") == 0  ? cycles / done
           : strcmp(what, "each") == 0 ? rate
                                       : 100 * rate / 32 * b->asked->bytes / SM_FLOPS;
    return WW_OK;
}

static ww_status by_copies(bench *b, const char *unit, double *out, ww_error *err)
{
    double cycles, moved = (double)b->asked->bytes * b->asked->repeats * ctas(b);
    bool flood = strcmp(b->asked->kernel, "copy_flood") == 0;
    WW_TRY(by_launch(b, &cycles, err));
    double rate = moved * (flood ? 4 : 1) / cycles, hz = b->arch->clock.core_hz;
    const struct {
        const char *unit;
        double rate;
    } units[] = {
        {"byte/cycle", rate},
        {"byte/cycle/SM", rate / b->arch->sm.count},
        {"GB/s", rate * hz * 1e-9},
        {"TB/s", rate * hz * 1e-12},
        {"GiB/s", rate * hz / (1 << 30)},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(units); i++) {
        if (strcmp(unit, units[i].unit) == 0) {
            *out = units[i].rate;
            return *out > 0 ? WW_OK : unknown(b, err);
        }
    }
    return unknown(b, err);
}

/* ---- products of warp groups ---- */

static ww_status load_group(bench *b, const ww__async_product *p, uint32_t products, bool fenced,
                            bool waited, ww_error *err)
{
    ww_str text = {0};
    ww__async_add_product(&text, p, products, fenced, waited);
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        status = ww_device_load_ptx(b->device, "product.ptx", text.data, text.len, &b->module, err);
    }
    ww_str_fini(&text);
    return status;
}

/* Cycles of a group of so many products. */
static ww_status group_cycles(bench *b, const ww__async_product *p, uint32_t products, bool fenced,
                              bool waited, double *out, ww_error *err)
{
    WW_TRY(load_group(b, p, products, fenced, waited, err));
    WW_TRY(launch(b, PASSES, err));
    WW_TRY(fetch(b, 2, err));
    *out = (double)b->got[0] / (PASSES - 1);
    return WW_OK;
}

static ww_status by_product(bench *b, double *out, ww_error *err)
{
    const char *what = b->asked->measure;
    ww__async_product p;
    double all, less;
    WW_TRY(ww__async_product_of(b->asked->shape, &p, err));
    if (strcmp(what, "one") == 0 || strcmp(what, "fenced") == 0) {
        return group_cycles(b, &p, 1, strcmp(what, "fenced") == 0, true, out, err);
    }
    bool issue = strcmp(what, "issue") == 0, group = strcmp(what, "group") == 0;
    uint32_t most = issue || group ? IN_GROUP : 2 * IN_GROUP;
    WW_TRY(group_cycles(b, &p, most, group, !issue, &all, err));
    if (group) {
        *out = all / IN_GROUP;
        return WW_OK;
    }
    WW_TRY(group_cycles(b, &p, most / 2, false, !issue, &less, err));
    *out = (all - less) / (most / 2);
    if (strcmp(what, "share") == 0) {
        *out = 100 * 2 * 64.0 * p.n * p.k / *out / SM_FLOPS;
        return WW_OK;
    }
    return issue || strcmp(what, "interval") == 0 ? WW_OK : unknown(b, err);
}

/* ---- power ---- */

static ww_status launch_for_power(bench *b, uint32_t repeats, ww_power_repeated *out, ww_error *err)
{
    b->power = (ww_power_repeated){0};
    WW_TRY(launch(b, repeats, err));
    *out = b->power;
    return WW_OK;
}

/* Watts of a card that does nothing else, of the values that the kernel has, all zero: of the
 * second half of twice as many repeats, so that its start and its end drop out. */
static ww_status by_power(bench *b, ww_arena *arena, ww__async_answer *out, ww_error *err)
{
    ww_power_repeated shorter, longer;
    double watts, sigma;
    if (strcmp(b->asked->kernel, WW__ASYNC_PRODUCT) == 0) {
        ww__async_product p;
        WW_TRY(ww__async_product_of(b->asked->shape, &p, err));
        WW_TRY(load_group(b, &p, 2 * IN_GROUP, false, true, err));
    } else {
        WW_TRY(ww_validation_kernels(arena, KERNELS, b->device, &b->module, err));
    }
    WW_TRY(launch(b, 2, err)); /* fills caches */
    WW_TRY(launch_for_power(b, b->asked->repeats, &shorter, err));
    WW_TRY(launch_for_power(b, 2 * b->asked->repeats, &longer, err));
    if (!(longer.time_s > shorter.time_s) ||
        !ww_power_repeated_w(b->model, b->arch, &longer, &watts, &sigma)) {
        return ww_fail(err, WW_ERANGE, "%s of %u repeats is too short for a power",
                       b->asked->kernel, b->asked->repeats);
    }
    out->value = (longer.total_j - shorter.total_j) / (longer.time_s - shorter.time_s);
    out->sigma = out->value * sigma / watts;
    return WW_OK;
}

/* ---- boxes of a tensor ---- */

enum { SIDE = 1024, BOX_SIDES = 3, BOX_WORDS = 5 };

/* A tensor of f32 with two dimensions of SIDE and a third as long as the boxes need, and what the
 * kernel reads: its map, and the boxes' sides and numbers. */
static ww_status prepare_boxes(bench *b, ww_error *err)
{
    uint32_t side[BOX_SIDES];
    unsigned char head[WW_TENSOR_MAP_BYTES + BOX_WORDS * sizeof side[0]];
    if (sscanf(b->asked->shape, "%4ux%4ux%4u", &side[0], &side[1], &side[2]) != BOX_SIDES ||
        side[0] == 0 || side[1] == 0 || SIDE % side[0] != 0 || SIDE % side[1] != 0 ||
        (uint64_t)4 * side[0] * side[1] * side[2] != b->asked->bytes) {
        return ww_fail(err, WW_ESCHEMA, "%s: no box of that many bytes", b->asked->shape);
    }
    const uint32_t along[2] = {SIDE / side[0], SIDE / side[1]};
    const uint64_t boxes = (uint64_t)2 * b->asked->repeats * ctas(b);
    ww_tensor_map map = {
        .type = WW_TENSOR_F32,
        .rank = BOX_SIDES,
        .dim = {SIDE, SIDE, ww_ceil_div(boxes, (uint64_t)along[0] * along[1]) * side[2]},
        .stride = {4, 4 * SIDE, 4 * SIDE * SIDE},
        .box = {side[0], side[1], side[2]},
        .step = {1, 1, 1}};
    WW_TRY(ww_device_malloc(b->device, 4 * SIDE * SIDE * map.dim[2], &map.address, err));
    WW_TRY(ww_device_malloc(b->device, sizeof b->got, &b->out, err));
    WW_TRY(ww_device_malloc(b->device, sizeof head, &b->in, err));
    const char *problem = ww_tensor_map_problem(&map);
    if (problem != NULL) {
        return ww_fail(err, WW_ESCHEMA, "%s: %s", b->asked->shape, problem);
    }
    ww_tensor_map_encode(&map, head);
    memcpy(head + WW_TENSOR_MAP_BYTES, side, sizeof side);
    memcpy(head + WW_TENSOR_MAP_BYTES + sizeof side, along, sizeof along);
    return ww_device_write(b->device, b->in, head, sizeof head, err);
}

/* ---- one of them ---- */

/* Memory of what the kernel reads; `near`: the host writes it, so that the L2 has it. */
static ww_status prepare(bench *b, bool near, ww_error *err)
{
    const ww__async_bench *asked = b->asked;
    uint64_t piece = (uint64_t)asked->bytes * (strcmp(asked->kernel, "copy_flood") == 0 ? 4 : 1);
    uint64_t bytes = 2 * (piece + asked->advance) * (asked->repeats + 1) * ctas(b);
    bytes *= strcmp(asked->measure, "first") == 0 ? COLD_LAUNCHES : 1;
    WW_TRY(ww_device_malloc(b->device, sizeof b->got, &b->out, err));
    if (near) {
        bytes = asked->advance != 0 || strcmp(asked->kernel, "probe") == 0 ? bytes / 2 / ctas(b)
                                                                           : piece * ctas(b);
    }
    bytes = bytes > 0 ? bytes : 1;
    WW_TRY(ww_device_malloc(b->device, bytes, &b->in, err));
    if (!near) {
        return WW_OK;
    }
    void *zeros = ww_alloc_array(bytes, 1);
    if (zeros == NULL) {
        return ww_no_memory_for(err, "a buffer");
    }
    memset(zeros, 0, bytes);
    ww_status status = ww_device_write(b->device, b->in, zeros, bytes, err);
    ww_free(zeros);
    return status;
}

static bool asks_power(const ww__async_bench *asked)
{
    return strcmp(asked->measure, "watt") == 0;
}

static ww_status measure(bench *b, ww_arena *arena, ww__async_answer *answer, ww_error *err)
{
    double *out = &answer->value;
    const char *what = b->asked->measure, *kernel = b->asked->kernel;
    bool near = strncmp(what, "near ", 5) == 0, far = strncmp(what, "far ", 4) == 0;
    bool probe = strcmp(kernel, "probe") == 0, boxes = strcmp(kernel, "box_turn") == 0;
    WW_TRY(boxes ? prepare_boxes(b, err) : prepare(b, near || (probe && !far), err));
    what += near ? 5 : far ? 4 : 0;
    if (asks_power(b->asked)) {
        return by_power(b, arena, answer, err);
    }
    if (strcmp(kernel, WW__ASYNC_PRODUCT) == 0) {
        return by_product(b, out, err);
    }
    WW_TRY(ww_validation_kernels(arena, KERNELS, b->device, &b->module, err));
    if (probe) {
        return by_read(b, what, out, err);
    }
    if (strcmp(what, "first") == 0) {
        return by_first_pass(b, out, err);
    }
    if (strcmp(what, "later") == 0) {
        return by_passes(b, out, err);
    }
    if (strcmp(what, "chain") == 0 || strcmp(what, "peak") == 0 || strcmp(what, "each") == 0) {
        return by_loop(b, what, out, err);
    }
    return by_copies(b, what, out, err);
}

ww_status ww__async_measure(ww_arena *arena, const ww__async_bench *asked, ww__async_answer *out,
                            ww_error *err)
{
    bench *b = WW_NEW(bench);
    const bool power = asks_power(asked);
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .toggles = power, .on_launch = keep_launch, .user = b};
    if (b == NULL) {
        return ww_no_memory(err);
    }
    ww_status status =
        asked->repeats > 1 && asked->repeats <= MOST_REPEATS
            ? WW_OK
            : ww_fail(err, WW_ERANGE, "%s: 2 to %d repeats", asked->kernel, (int)MOST_REPEATS);
    char hz[32];
    snprintf(hz, sizeof hz, "%.9g", asked->core_hz);
    const ww_setting clock = {"clock.set_hz", hz};
    b->asked = asked;
    *out = (ww__async_answer){.sigma = NAN};
    status = status == WW_OK
                 ? ww_arch_load(asked->gpu, &clock, asked->core_hz > 0 ? 1 : 0, &b->arch, err)
                 : status;
    if (status == WW_OK && power) {
        status = ww_power_model_create(b->arch, NULL, &b->model, err);
    }
    status = status == WW_OK ? ww_device_create(b->arch, &options, &b->device, err) : status;
    status = status == WW_OK ? measure(b, arena, out, err) : status;
    ww_device_destroy(b->device);
    ww_power_model_destroy(b->model);
    ww_arch_destroy(b->arch);
    ww_free(b);
    return status;
}
