/* test_matrixmul.c - how much of a matrix product is redundant in the two forms of its inner step?
 * In machine code since Fermi both factors are loaded from shared memory: of two loads and a
 * multiply-add the load of B, whose address depends on tid.x alone, is redundant: a third. In the
 * paper's code (figure 6, compute capability 1.x) a multiply-add names a factor in shared memory:
 * move of B, addition of its address, multiply-add: two thirds. Here the second form has A in
 * registers, loaded in vectors of four, which adds a quarter of an instruction to a step. */
#include "tests/support/test.h"

#include "arch/arch.h"
#include "base/str.h"
#include "perf/api/device_state.h"
#include "counters/counters.h"

enum { EDGE = 32, ROUNDS = 8 };

static void write_steps(ww_str *t, bool paper)
{
    for (unsigned k = 0; k < EDGE; k++) {
        if (paper) {
            ww_str_addf(t, "ld.shared.f32 %%b, [%%rb];\nadd.u32 %%rb, %%rb, 128;\n");
        } else {
            ww_str_addf(t, "ld.shared.f32 %%b, [%%rb+%u];\n", 128 * k);
            ww_str_addf(t, "ld.shared.f32 %%a%u, [%%ra+%u];\n", k, 4 * k);
        }
        ww_str_addf(t, "fma.rn.f32 %%acc, %%a%u, %%b, %%acc;\n", k);
    }
}

static void write_kernel(ww_str *t, bool paper)
{
    ww_str_addf(
        t, "%s",
        ".version 6.0\n.target sm_61\n.address_size 64\n"
        ".visible .entry mm(.param .u64 pc, .param .u64 pa, .param .u64 pb)\n{\n"
        ".reg .f32 %a<32>;\n.reg .f32 %b, %acc;\n.reg .u32 %r<8>;\n.reg .u32 %ra, %rb, %n;\n"
        ".reg .u64 %d<12>;\n.reg .pred %p;\n"
        ".shared .align 16 .b8 at[4096];\n.shared .align 16 .b8 bt[4096];\n"
        "ld.param.u64 %d0, [pc];\nld.param.u64 %d1, [pa];\nld.param.u64 %d2, [pb];\n"
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nmad.lo.u32 %r2, %r1, 32, %r0;\n"
        "mul.wide.u32 %d3, %r2, 4;\nadd.u64 %d4, %d1, %d3;\nadd.u64 %d5, %d2, %d3;\n"
        "add.u64 %d6, %d0, %d3;\nshl.b32 %r3, %r2, 2;\nmov.u32 %r4, at;\nmov.u32 %r5, bt;\n"
        "ld.global.f32 %a0, [%d4];\nld.global.f32 %a1, [%d5];\nadd.u32 %ra, %r4, %r3;\n"
        "add.u32 %rb, %r5, %r3;\nst.shared.f32 [%ra], %a0;\nst.shared.f32 [%rb], %a1;\n"
        "bar.sync 0;\nmad.lo.u32 %ra, %r1, 128, %r4;\nmov.f32 %acc, 0f00000000;\n"
        "mov.u32 %n, 0;\n"
        "again:\nmad.lo.u32 %rb, %r0, 4, %r5;\n");
    for (unsigned k = 0; paper && k < EDGE; k += 4) {
        ww_str_addf(t, "ld.shared.v4.f32 {%%a%u, %%a%u, %%a%u, %%a%u}, [%%ra+%u];\n", k, k + 1,
                    k + 2, k + 3, 4 * k);
    }
    write_steps(t, paper);
    ww_str_addf(t, "add.u32 %%n, %%n, 1;\nsetp.lt.u32 %%p, %%n, %d;\n@%%p bra again;\n", ROUNDS);
    ww_str_addf(t, "%s", "st.global.f32 [%d6], %acc;\nret;\n}\n");
}

typedef struct seen {
    uint64_t issued, skipped, mismatch, cycles;
} seen;

static ww_status collect(void *user, const ww_launch_record *record, ww_error *err)
{
    seen *s = user;
    (void)err;
    s->issued += ww_counter_total(record->counters, WW_C_INST_ISSUED);
    s->skipped += ww_counter_total(record->counters, WW_C_MECH_SKIPPED);
    s->mismatch += ww_counter_total(record->counters, WW_C_MECH_MISMATCH);
    s->cycles += ww_counter_total(record->counters, WW_C_SM_ACTIVE);
    return WW_OK;
}

static void check_product(const float *a, const float *b, const float *c)
{
    for (unsigned i = 0; i < EDGE; i++) {
        for (unsigned j = 0; j < EDGE; j++) {
            double sum = 0;
            for (unsigned k = 0; k < EDGE; k++) {
                sum += (double)a[i * EDGE + k] * (double)b[k * EDGE + j];
            }
            assert_near((double)c[i * EDGE + j], ROUNDS * sum, 1e-5, 1e-6);
        }
    }
}

static seen run(bool paper, const char *mech)
{
    const ww_setting settings[] = {{WW_MECH_KEY, mech}, {"sm.count", "1"}, {"sm.clusters", "1"}};
    float a[EDGE * EDGE], b[EDGE * EDGE], c[EDGE * EDGE] = {0};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr pa, pb, pc;
    ww_error err = {0};
    ww_str text = {0};
    seen s = {0};
    const ww_device_options options = {.on_launch = collect, .user = &s};
    for (unsigned i = 0; i < EDGE * EDGE; i++) {
        a[i] = (float)(i % 7) / 4;
        b[i] = (float)(i % 5) / 8;
    }
    write_kernel(&text, paper);
    assert_ok(ww_arch_load("gtx1080ti-darsie", settings, 3, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "mm.ptx", ww_str_text(&text), text.len, &module, &err),
              err);
    assert_ok(ww_device_malloc(device, sizeof a, &pa, &err), err);
    assert_ok(ww_device_malloc(device, sizeof b, &pb, &err), err);
    assert_ok(ww_device_malloc(device, sizeof c, &pc, &err), err);
    assert_ok(ww_device_write(device, pa, a, sizeof a, &err), err);
    assert_ok(ww_device_write(device, pb, b, sizeof b, &err), err);
    const void *args[] = {&pc, &pa, &pb};
    assert_ok(ww_device_launch(device, module, "mm", (ww_dim3){4, 1, 1}, (ww_dim3){EDGE, EDGE, 1},
                               0, args, 3, &err),
              err);
    assert_ok(ww_device_read(device, c, pc, sizeof c, &err), err);
    check_product(a, b, c);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    ww_str_fini(&text);
    return s;
}

static double executed(seen s)
{
    return (double)s.issued / (double)(s.issued + s.skipped);
}

/* What should execute: of 32 warps one executes what is redundant in a round; a round's branch and
 * what comes before and behind the rounds, nearly all of which depends on tid.y, is executed by
 * every warp. */
static double expected(seen base, unsigned redundant, unsigned others)
{
    const double per_warp = (double)base.issued / (4 * 32), round = redundant + others;
    return (ROUNDS * (others + redundant / 32.0) + per_warp - ROUNDS * round) / per_warp;
}

static void two_thirds_or_one_third_execute(void **state)
{
    (void)state;
    const seen today = run(false, "darsie"), paper = run(true, "darsie");
    const seen today_base = run(false, "none"), paper_base = run(true, "none");
    print_message("executed %.3f and %.3f, speed-up %.3f and %.3f\n", executed(today),
                  executed(paper), (double)today_base.cycles / (double)today.cycles,
                  (double)paper_base.cycles / (double)paper.cycles);
    assert_int_equal(today.mismatch + paper.mismatch, 0);
    /* 32 steps of one and two instructions in three; the address of B, the counter and its
     * comparison; the branch */
    assert_near(executed(today), expected(today_base, 32 + 3, 2 * 32 + 1), 0, 0.02);
    assert_near(executed(paper), expected(paper_base, 2 * 32 + 3, 32 + 32 / 4 + 1), 0, 0.02);
    /* did warps that wait for a leader take turns of fetch to learn it, it would be slower */
    assert_true((double)paper_base.cycles > 1.05 * (double)paper.cycles);
    assert_int_equal(today_base.issued, today.issued + today.skipped);
    assert_int_equal(paper_base.issued, paper.issued + paper.skipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_thirds_or_one_third_execute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
