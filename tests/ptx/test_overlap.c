/* test_overlap.c - do the counters say which engines of an SM work at the same time, and what the
 * warps that feed them wait for? Four warps multiply GROUPS groups of eight 64 x 128 x 16, 64
 * cycles each; a fifth copies 16 KiB, at four cycles a line, before, meanwhile, or not at all, or
 * evaluates powers meanwhile. */
#include <string.h>

#include "analysis/overlap.h"
#include "arch/arch.h"
#include "base/str.h"
#include "perf/api/device.h"
#include "perf/api/device_state.h"
#include "tests/support/test.h"

enum { GROUPS = 6, PRODUCTS = 8, CYCLES = 64, COPY = 16384, THREADS = 160 };

typedef enum other { NOTHING, COPIES_BEFORE, COPIES_MEANWHILE, EVALUATES } other;
typedef enum factor { SHARED, REGISTERS } factor; /* where A comes from */

typedef struct counts {
    uint64_t v[WW_COUNTER_COUNT];
    ww_overlap_shares shares;
    char producers[160], consumers[160];
} counts;

static void add_kernel(ww_str *s, other what, factor a)
{
    ww_str_addf(s, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                   ".visible .entry k(.param .u64 in)\n"
                   "{\n.shared .align 1024 .b8 s[40960]; .shared .align 1024 .b8 t[16384];\n"
                   ".shared .align 8 .b64 bar;\n"
                   ".reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%q<8>; .reg .f32 %%f<80>;\n"
                   "ld.param.u64 %%q0, [in]; mov.u32 %%r0, %%tid.x; mov.u32 %%r1, t;\n"
                   "mov.u64 %%q4, 0x4000004000010000; setp.eq.u32 %%p0, %%r0, %%r0;\n"
                   "setp.eq.u32 %%p1, %%r0, 128; setp.ge.u32 %%p2, %%r0, 128;\n"
                   "@%%p1 mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;\n");
    for (unsigned i = 0; i < 64; i++) {
        ww_str_addf(s, "mov.f32 %%f%u, 0f00000000;\n", i);
    }
    ww_str_addf(s, "bar.sync 0; @%%p2 bra OTHER;\n%s",
                what == COPIES_BEFORE
                    ? "W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra W;\n"
                    : "");
    for (unsigned k = 0; k < GROUPS; k++) {
        ww_str_addf(s, "wgmma.fence.sync.aligned;\n");
        for (unsigned p = 0; p < PRODUCTS; p++) {
            ww_str_addf(s, "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {");
            for (unsigned i = 0; i < 64; i++) {
                ww_str_addf(s, "%s%%f%u", i > 0 ? ", " : "", i);
            }
            ww_str_addf(s, "}, %s, %%q4, %%p0, 1, 1, %s0;\n",
                        a == SHARED ? "%q4" : "{%r4, %r5, %r6, %r7}", a == SHARED ? "0, " : "");
        }
        ww_str_addf(s, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    }
    ww_str_addf(s, "bra END;\nOTHER:\n");
    if (what == COPIES_BEFORE || what == COPIES_MEANWHILE) {
        ww_str_addf(s,
                    "@!%%p1 bra END; mbarrier.arrive.expect_tx.shared.b64 _, [bar], %u;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r1], "
                    "[%%q0], %u, [bar];\n"
                    "V: mbarrier.try_wait.parity.shared.b64 %%p3, [bar], 0; @!%%p3 bra V;\n",
                    COPY, COPY);
    }
    for (unsigned i = 0; what == EVALUATES && i < 32; i++) {
        ww_str_addf(s, "ex2.approx.f32 %%f%u, %%f%u;\n", i, i);
    }
    ww_str_addf(s, "END: ret;\n}\n");
}

static ww_status keep(void *user, const struct ww_launch_record *record, ww_error *err)
{
    counts *c = user;
    (void)err;
    for (int i = 0; i < WW_COUNTER_COUNT; i++) {
        c->v[i] = ww_counter_total(record->counters, (ww_counter)i);
    }
    c->shares = ww_overlap_of(record->counters);
    ww_overlap_waits(record->counters, false, c->producers, sizeof c->producers);
    ww_overlap_waits(record->counters, true, c->consumers, sizeof c->consumers);
    return WW_OK;
}

static void run(other what, factor a, counts *c)
{
    ww_str s = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr in;
    ww_error err = {0};
    memset(c, 0, sizeof *c);
    add_kernel(&s, what, a);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", NULL, 0, &arch, &err), err);
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .on_launch = keep, .user = c};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "o.ptx", s.data, s.len, &module, &err), err);
    assert_ok(ww_device_malloc(device, COPY, &in, &err), err);
    const void *args[] = {&in};
    const ww_launch_request q = {.module = module,
                                 .kernel = "k",
                                 .grid = {1, 1, 1},
                                 .block = {THREADS, 1, 1},
                                 .args = args,
                                 .arg_count = 1};
    assert_ok(ww_device_launch_request(device, &q, &err), err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    ww_str_fini(&s);
}

static uint64_t matrix_of(const counts *c)
{
    return c->v[WW_C_BUSY_MATRIX] + c->v[WW_C_BUSY_COPY_MATRIX] + c->v[WW_C_BUSY_MATRIX_SFU] +
           c->v[WW_C_BUSY_ALL];
}

static uint64_t copy_of(const counts *c)
{
    return c->v[WW_C_BUSY_COPY] + c->v[WW_C_BUSY_COPY_MATRIX] + c->v[WW_C_BUSY_COPY_SFU] +
           c->v[WW_C_BUSY_ALL];
}

/* 6 x 8 x 64 cycles of the matrix unit, for which each of four warps waits, and 43 more a group. */
static void products_alone(void **state)
{
    (void)state;
    enum { MATRIX = GROUPS * PRODUCTS * CYCLES };
    counts c;
    run(NOTHING, SHARED, &c);
    assert_int_equal(c.v[WW_C_BUSY_MATRIX], MATRIX);
    assert_int_equal(copy_of(&c), 0);
    assert_int_equal(c.v[WW_C_PRODUCER_RESIDENT], 0);
    assert_string_equal(c.producers, "");
    /* the eight are issued every 12 cycles; what is left of them then is waited for */
    assert_in_range(c.v[WW_C_CONSUMER_PRODUCTS], 4 * (MATRIX - GROUPS * 7 * 13),
                    4 * (MATRIX + GROUPS * 43));
    assert_int_equal(c.v[WW_C_CONSUMER_OBJECT], 0);
    assert_true(strncmp(c.consumers, "products 0.", 11) == 0);
}

/* The copy lies behind products, but for what is between groups of them. Its rows and those of the
 * operands share a port that gives one in a cycle, and 48 of each 64 cycles are the operands':
 * where rows come faster than in every fourth cycle, each may keep a product waiting for a cycle.
 */
static void a_copy_hides_behind_products(void **state)
{
    (void)state;
    counts alone, both;
    run(NOTHING, SHARED, &alone);
    run(COPIES_MEANWHILE, SHARED, &both);
    assert_in_range(matrix_of(&both), matrix_of(&alone), matrix_of(&alone) + COPY / 128);
    assert_true(copy_of(&both) > COPY / 128 * 4);
    /* a group's end: 43 cycles, and 22 of the next one's fence, and a few instructions */
    assert_in_range(both.v[WW_C_BUSY_COPY], 1, GROUPS * (43 + 22 + 20));
    assert_true(both.shares.copy_hidden > 0.7 && both.shares.matrix_hidden == 0);
    assert_true(strncmp(both.producers, "mbarriers 0.", 12) == 0);
}

/* With A in registers the operands are 32 rows of 64 cycles, and two flits of 32 B come in a cycle:
 * there is room for both, and products take as long as alone. */
static void a_copy_leaves_room_for_one_operand(void **state)
{
    (void)state;
    counts alone, both;
    run(NOTHING, REGISTERS, &alone);
    run(COPIES_MEANWHILE, REGISTERS, &both);
    assert_int_equal(matrix_of(&alone), GROUPS * PRODUCTS * CYCLES);
    assert_int_equal(matrix_of(&both), matrix_of(&alone));
    assert_true(both.shares.copy_hidden > 0.7);
}

static void a_copy_before_hides_nothing(void **state)
{
    (void)state;
    counts c;
    run(COPIES_BEFORE, SHARED, &c);
    assert_true(copy_of(&c) > COPY / 128 * 4);
    assert_int_equal(c.v[WW_C_BUSY_COPY_MATRIX], 0);
    assert_true(c.shares.copy_hidden == 0);
    assert_true(c.v[WW_C_CONSUMER_OBJECT] > 4 * (COPY / 128 * 4));
}

static void powers_hide_behind_products(void **state)
{
    (void)state;
    counts c;
    run(EVALUATES, SHARED, &c);
    assert_true(c.v[WW_C_BUSY_MATRIX_SFU] >= 32 * 4);
    assert_true(c.shares.sfu_hidden > 0.5 && c.shares.matrix_hidden > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_alone),
        cmocka_unit_test(a_copy_hides_behind_products),
        cmocka_unit_test(a_copy_leaves_room_for_one_operand),
        cmocka_unit_test(a_copy_before_hides_nothing),
        cmocka_unit_test(powers_hide_behind_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
