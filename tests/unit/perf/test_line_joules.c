/* test_line_joules.c - is every event charged to the line that caused it? Kernels whose events are
 * counted by hand; a counter has a price of its own, so that joules are counts. */
#include "tests/support/test.h"
#include "tests/support/totals.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/lines.h"
#include "perf/api/device.h"

/* A warp loads 128 B, computes, stores over them. */
static const char one_each[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p)\n{\n"
                               " .reg .b32 %r<6>;\n .reg .f32 %f<4>;\n .reg .b64 %rd<6>;\n"
                               " ld.param.u64 %rd1, [p];\n"
                               " mov.u32 %r1, %tid.x;\n"
                               " mul.wide.u32 %rd2, %r1, 4;\n"
                               " add.u64 %rd3, %rd1, %rd2;\n"
                               " ld.global.f32 %f1, [%rd3];\n" /* line 13 */
                               " fma.rn.f32 %f2, %f1, %f1, %f1;\n"
                               " st.global.f32 [%rd3], %f2;\n"
                               " ret;\n}\n";
enum { LOAD = 13, COMPUTE, STORE };

/* Each iteration a lane reads a line of its own, 4 KiB further on. */
static const char strided[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry k(.param .u64 p)\n{\n .reg .pred %p;\n"
                              " .reg .b32 %r<6>;\n .reg .f32 %f<4>;\n .reg .b64 %rd<6>;\n"
                              " ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;\n"
                              " mul.wide.u32 %rd2, %r1, 128; add.u64 %rd3, %rd1, %rd2;\n"
                              " mov.u32 %r2, 0;\n"
                              "LOOP:\n"
                              " ld.global.f32 %f1, [%rd3];\n" /* line 14 */
                              " add.f32 %f2, %f2, %f1;\n"
                              " add.u64 %rd3, %rd3, 4096; add.u32 %r2, %r2, 1;\n"
                              " setp.lt.u32 %p, %r2, 8;\n"
                              " @%p bra LOOP;\n"
                              " st.global.f32 [%rd1], %f2;\n"
                              " ret;\n}\n";
enum { STRIDED_LOAD = 14, ROUNDS = 8 };

/* Writes a vector; reads one. */
static const char write_read[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry write(.param .u64 p)\n{\n .reg .b32 %r<6>;\n .reg .b64 %rd<6>;\n"
    " ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    " mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;\n"
    " mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
    " st.global.u32 [%rd3], %r1;\n" /* line 11 */
    " ret;\n}\n"
    ".visible .entry read(.param .u64 p)\n{\n .reg .pred %p;\n .reg .b32 %r<6>;\n .reg .b64 "
    "%rd<6>;\n"
    " ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    " mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;\n"
    " mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
    " ld.global.u32 %r4, [%rd3];\n" /* line 22 */
    " setp.ne.u32 %p, %r4, 123456; @%p ret; st.global.u32 [%rd1], %r4;\n"
    " ret;\n}\n";
enum { WRITE_STORE = 11, READ_LOAD = 22 };

/* What is priced, a part each. */
static const ww_counter priced[] = {
    WW_C_L1D_READ_MISS, WW_C_L1D_FILL, WW_C_OP_FP32_FMA,      WW_C_ICNT_REQ_PACKETS,
    WW_C_L2_READ_MISS,  WW_C_L2_FILL,  WW_C_L2_WRITEBACK,     WW_C_DRAM_RD,
    WW_C_DRAM_WR,       WW_C_DRAM_ACT, WW_C_ICNT_REP_PACKETS,
};
_Static_assert(WW_ARRAY_LEN(priced) == WW_PART_COUNT, "a part for each");

static const ww_line_prices *prices(void)
{
    static ww_line_prices p;
    for (size_t i = 0; i < WW_ARRAY_LEN(priced); i++) {
        p.j[priced[i]][i] = 1;
    }
    return &p;
}

typedef struct bench {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr memory;
    ww_lines lines;
    totals totals;
} bench;

static void open_bench(bench *b, const char *text, const ww_setting *settings, size_t count)
{
    ww_error err = {0};
    const ww_device_options options = {
        .profile = true, .on_launch = totals_collect, .user = &b->totals};
    *b = (bench){0};
    assert_ok(
        ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", settings, count, &b->arch, &err),
        err);
    assert_ok(ww_device_create(b->arch, &options, &b->device, &err), err);
    assert_ok(ww_device_load_ptx(b->device, "k.ptx", text, strlen(text), &b->module, &err), err);
    assert_ok(ww_device_malloc(b->device, 8 << 20, &b->memory, &err), err);
}

static void launch(bench *b, const char *kernel, uint64_t offset, unsigned ctas, unsigned threads)
{
    ww_error err = {0};
    ww_devptr at = b->memory + offset;
    const void *args[] = {&at};
    assert_ok(ww_device_launch(b->device, b->module, kernel, (ww_dim3){ctas, 1, 1},
                               (ww_dim3){threads, 1, 1}, 0, args, 1, &err),
              err);
}

static void take_lines(bench *b)
{
    ww_error err = {0};
    assert_ok(ww_device_lines(b->device, "test", prices(), &b->lines, &err), err);
}

static void close_bench(bench *b)
{
    ww_lines_fini(&b->lines);
    ww_device_destroy(b->device);
    ww_arch_destroy(b->arch);
}

/* Events of a line; of pseudo-lines by their text. */
static uint64_t charged(const bench *b, uint32_t number, const char *text, ww_counter counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->lines.count; i++) {
        const ww_line *line = &b->lines.line[i];
        const bool is_it =
            number != 0 ? line->line == number : line->line == 0 && strcmp(line->text, text) == 0;
        for (size_t p = 0; is_it && p < WW_ARRAY_LEN(priced); p++) {
            sum += priced[p] == counter ? (uint64_t)(line->joules[p] + 0.5) : 0;
        }
    }
    return sum;
}

static uint64_t at_line(const bench *b, uint32_t number, ww_counter counter)
{
    return charged(b, number, NULL, counter);
}

/* A line of 128 B: one miss, request and fill of the L1; four sectors of 32 B missed and filled in
 * the L2; two bursts of 64 B from one row, which is opened for them. The fma costs 32 operations
 * and nothing of memory. The store finds its sectors in the L2 and sends one request. */
static void each_line_pays_for_its_own(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, one_each, NULL, 0);
    launch(&b, "k", 0, 1, 32);
    take_lines(&b);
    assert_int_equal(at_line(&b, LOAD, WW_C_L1D_READ_MISS), 1);
    assert_int_equal(at_line(&b, LOAD, WW_C_L1D_FILL), 1);
    assert_int_equal(at_line(&b, LOAD, WW_C_ICNT_REQ_PACKETS), 1);
    assert_int_equal(at_line(&b, LOAD, WW_C_ICNT_REP_PACKETS), 1);
    assert_int_equal(at_line(&b, LOAD, WW_C_L2_READ_MISS), 4);
    assert_int_equal(at_line(&b, LOAD, WW_C_L2_FILL), 4);
    assert_int_equal(at_line(&b, LOAD, WW_C_DRAM_RD), 2);
    assert_int_equal(at_line(&b, LOAD, WW_C_DRAM_ACT), 1);
    assert_int_equal(at_line(&b, COMPUTE, WW_C_OP_FP32_FMA), 32);
    assert_int_equal(at_line(&b, COMPUTE, WW_C_L1D_READ_MISS), 0);
    assert_int_equal(at_line(&b, STORE, WW_C_ICNT_REQ_PACKETS), 1);
    assert_int_equal(at_line(&b, STORE, WW_C_L2_READ_MISS), 0);
    assert_int_equal(at_line(&b, STORE, WW_C_DRAM_RD), 0);
    assert_int_equal(at_line(&b, STORE, WW_C_OP_FP32_FMA), 0);
    close_bench(&b);
}

/* 32 lines of 128 B a round, all of them new: 8 x 32 misses, requests, fills and replies, four
 * sectors and two bursts each. The line that adds has none of them. */
static void a_strided_loop_pays_for_every_miss(void **state)
{
    (void)state;
    enum { MISSES = ROUNDS * 32 };
    bench b;
    open_bench(&b, strided, NULL, 0);
    launch(&b, "k", 0, 1, 32);
    take_lines(&b);
    assert_int_equal(at_line(&b, STRIDED_LOAD, WW_C_L1D_READ_MISS), MISSES);
    assert_int_equal(at_line(&b, STRIDED_LOAD, WW_C_L1D_FILL), MISSES);
    assert_int_equal(at_line(&b, STRIDED_LOAD, WW_C_ICNT_REQ_PACKETS), MISSES);
    assert_int_equal(at_line(&b, STRIDED_LOAD, WW_C_ICNT_REP_PACKETS), MISSES);
    assert_int_equal(at_line(&b, STRIDED_LOAD, WW_C_L2_FILL), 4 * MISSES);
    assert_int_equal(at_line(&b, STRIDED_LOAD, WW_C_DRAM_RD), 2 * MISSES);
    assert_int_equal(at_line(&b, STRIDED_LOAD + 1, WW_C_L1D_READ_MISS), 0);
    assert_int_equal(at_line(&b, STRIDED_LOAD + 1, WW_C_L2_FILL), 0);
    close_bench(&b);
}

/* 64 KiB are written; reading 4 MiB drives them out of an L2 of 768 KiB. Their 2048 sectors are
 * written back while the second kernel runs, and are the store's of the first: 1024 bursts of 64 B.
 * The read that drives them out pays for none. */
static void a_write_back_is_the_stores(void **state)
{
    (void)state;
    enum { WRITTEN = 64 << 10, READ = 4 << 20, SECTOR = 32, BURST = 64, THREADS = 256 };
    bench b;
    open_bench(&b, write_read, NULL, 0);
    launch(&b, "write", 0, WRITTEN / 4 / THREADS, THREADS);
    assert_int_equal(b.totals.counter[WW_C_L2_WRITEBACK], 0);
    launch(&b, "read", 1 << 20, READ / 4 / THREADS, THREADS);
    assert_int_equal(b.totals.counter[WW_C_L2_WRITEBACK], WRITTEN / SECTOR);
    take_lines(&b);
    assert_int_equal(at_line(&b, WRITE_STORE, WW_C_L2_WRITEBACK), WRITTEN / SECTOR);
    assert_int_equal(at_line(&b, READ_LOAD, WW_C_L2_WRITEBACK), 0);
    assert_int_equal(at_line(&b, READ_LOAD, WW_C_DRAM_WR), 0);
    assert_int_equal(at_line(&b, WRITE_STORE, WW_C_DRAM_WR), b.totals.counter[WW_C_DRAM_WR]);
    assert_int_equal(b.totals.counter[WW_C_DRAM_WR], WRITTEN / BURST);
    assert_int_equal(at_line(&b, READ_LOAD, WW_C_DRAM_RD), READ / BURST);
    close_bench(&b);
}

/* With next-line prefetching each line of the vector is filled once: for the load, or for the
 * mechanism; what the mechanism asked for stays its own when a load joins it. */
static void a_prefetch_is_the_mechanisms(void **state)
{
    (void)state;
    enum { READ = 256 << 10, LINE = 128, THREADS = 256 };
    static const ww_setting nlp[] = {{"mech.active", "nlp"}};
    bench b;
    open_bench(&b, write_read, nlp, WW_ARRAY_LEN(nlp));
    launch(&b, "read", 0, READ / 4 / THREADS, THREADS);
    take_lines(&b);
    const uint64_t load = at_line(&b, READ_LOAD, WW_C_L1D_FILL);
    const uint64_t mech = charged(&b, 0, "(mechanisms)", WW_C_L1D_FILL);
    assert_true(mech > 0);
    assert_true(load > 0);
    assert_int_equal(load + mech, b.totals.counter[WW_C_L1D_FILL]);
    const uint64_t asked = charged(&b, 0, "(mechanisms)", WW_C_ICNT_REQ_PACKETS);
    assert_int_equal(asked, mech);
    assert_int_equal(charged(&b, 0, "(mechanisms)", WW_C_ICNT_REP_PACKETS), mech);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_pays_for_its_own),
        cmocka_unit_test(a_strided_loop_pays_for_every_miss),
        cmocka_unit_test(a_write_back_is_the_stores),
        cmocka_unit_test(a_prefetch_is_the_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
