/* Does every kernel that a GPU's limits allow get its registers: however many values are live, in
 * few rounds and little time, with the results of the code as written? */
#include <time.h>

#include "perf/ptx/regalloc/regalloc.h"
#include "tests/ptx/run.h"
#include "tests/support/growth.h"

enum { TEXT = 1 << 20, THREADS = 32 };

typedef struct text {
    char *at;
    size_t len;
} text;

static void add(text *t, const char *fmt, ...) WW_PRINTF(2, 3);
static void add(text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->len += (size_t)vsnprintf(t->at + t->len, TEXT - t->len, fmt, args);
    va_end(args);
    assert_true(t->len < TEXT);
}

static text open_kernel(unsigned registers, unsigned predicates)
{
    text t = {calloc(1, TEXT), 0};
    assert_non_null(t.at);
    add(&t,
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .b32 %%v<%u>; .reg .pred %%p<%u>; .reg .b32 %%r<9>; .reg .b64 %%rd<4>;\n"
        "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
        "add.u64 %%rd1, %%rd1, %%rd2; mov.u32 %%v0, %%r1; mov.u32 %%r2, %%r1;\n",
        registers + 1, predicates + 1);
    return t;
}

static void close_kernel(text *t)
{
    add(t, "st.global.u32 [%%rd1], %%r2; ret;\n}\n");
}

/* n values, each from the one before, read in the opposite order: all live at once. A barrier keeps
 * any order of the machine's own from shortening their lives. */
static text many_values(unsigned n)
{
    text t = open_kernel(n, 0);
    for (unsigned i = 1; i <= n; i++) {
        add(&t, "mad.lo.u32 %%v%u, %%v%u, 13, %%r1;\n", i, i - 1);
    }
    add(&t, "bar.sync 0;\n");
    for (unsigned i = n; i > 0; i--) {
        add(&t, "mad.lo.u32 %%r2, %%r2, 5, %%v%u;\n", i);
    }
    close_kernel(&t);
    return t;
}

static text many_predicates(unsigned n)
{
    text t = open_kernel(n, n);
    for (unsigned i = 1; i <= n; i++) {
        add(&t,
            "mad.lo.u32 %%v%u, %%v%u, 13, 7; and.b32 %%r3, %%v%u, 4; setp.eq.u32 %%p%u, %%r3, 0;\n",
            i, i - 1, i, i);
    }
    add(&t, "bar.sync 0;\n");
    for (unsigned i = n; i > 0; i--) {
        add(&t, "selp.b32 %%r4, %u, 3, %%p%u; mad.lo.u32 %%r2, %%r2, 5, %%r4;\n", i, i);
    }
    close_kernel(&t);
    return t;
}

/* n predicates that are read often, and n that are read once, and so spilled first; between what
 * computes them and what reads them `compute` computes again, of each pair. */
static text predicates_in_pairs(unsigned n, void (*compute)(text *t, unsigned often, unsigned once))
{
    text t = open_kernel(n, 2 * n);
    for (unsigned i = 1; i <= n; i++) {
        add(&t,
            "mad.lo.u32 %%v%u, %%v%u, 13, 7; and.b32 %%r3, %%v%u, 4; setp.eq.u32 %%p%u, %%r3, 0; "
            "setp.lt.u32 %%p%u, %%v%u, %%r1;\n",
            i, i - 1, i, i, n + i, i);
    }
    add(&t, "bar.sync 0;\n");
    for (unsigned i = 1; i <= n; i++) {
        compute(&t, i, n + i);
    }
    add(&t, "bar.sync 0;\n");
    for (unsigned i = 2 * n; i > 0; i--) {
        for (unsigned k = 0; k < (i <= n ? 7 : 1); k++) {
            add(&t, "selp.b32 %%r4, %u, 3, %%p%u; mad.lo.u32 %%r2, %%r2, 5, %%r4;\n", i + k, i);
        }
    }
    close_kernel(&t);
    return t;
}

/* The one that is read often decides whether to compute the other, and is spilled later. */
static void under_the_other(text *t, unsigned often, unsigned once)
{
    add(t, "@%%p%u setp.gt.u32 %%p%u, %%v%u, 1000000000;\n", often, once, often);
}

/* It decides whether to compute both: the other is saved under the condition as it was. */
static void under_itself(text *t, unsigned often, unsigned once)
{
    add(t, "@%s%%p%u setp.gt.u32 %%p%u|%%p%u, %%v%u, 1000000000;\n", often % 2 != 0 ? "!" : "",
        often, often, once, often);
}

/* A function whose arguments and results live long beside many values of its own. */
static text long_lived_arguments(unsigned n)
{
    text t = {calloc(1, TEXT), 0};
    assert_non_null(t.at);
    add(&t,
        ".version 7.8\n.target sm_75\n.address_size 64\n"
        ".func (.reg .b32 y, .reg .b32 z) f(.reg .b32 a, .reg .b32 b)\n{\n.reg .b32 %%v<%u>; "
        ".reg .pred p;\nmov.u32 z, a; xor.b32 %%v0, a, b; mov.u32 y, b;\n",
        n + 1);
    for (unsigned i = 1; i <= n; i++) {
        add(&t, "mad.lo.u32 %%v%u, %%v%u, 13, b;\n", i, i - 1);
    }
    add(&t, "bar.sync 0;\n");
    for (unsigned i = n; i > 0; i--) {
        add(&t, "mad.lo.u32 y, y, 5, %%v%u;\n", i);
    }
    add(&t, "setp.gt.u32 p, a, 7; @p ret; add.u32 y, y, a; sub.u32 z, y, b; ret;\n}\n"
            ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<9>; .reg .b64 %%rd<4>;\n"
            "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 4;\n"
            "add.u64 %%rd1, %%rd1, %%rd2; add.u32 %%r3, %%r1, 100; call (%%r2, %%r4), f, (%%r1, "
            "%%r3);\nxor.b32 %%r2, %%r2, %%r4;\n");
    close_kernel(&t);
    return t;
}

static ww_status execute(const char *source, unsigned limit, bool lowered, uint32_t *result,
                         ww_error *err)
{
    ptx_run r;
    run_open(&r, source);
    r.arch.sm.max_thread_registers = limit;
    uint64_t out = run_alloc(&r, THREADS * 4, NULL);
    ww_status status = run_kernel(&r, "k", lowered, 1, THREADS, &out);
    if (status == WW_OK) {
        memcpy(result, run_at(&r, out, THREADS * 4), THREADS * 4);
    }
    *err = r.err;
    run_close(&r);
    return status;
}

static void assert_same(text t, unsigned limit)
{
    uint32_t written[THREADS], spilled[THREADS];
    ww_error err = {0};
    assert_ok(execute(t.at, limit, false, written, &err), err);
    assert_ok(execute(t.at, limit, true, spilled, &err), err);
    assert_memory_equal(written, spilled, sizeof written);
    free(t.at);
}

static void any_number_of_live_values(void **state)
{
    (void)state;
    static const unsigned live[] = {60, 130, 320, 700, 1500};
    for (unsigned i = 0; i < WW_ARRAY_LEN(live); i++) {
        assert_same(many_values(live[i]), 63);
        assert_same(many_values(live[i]), 255);
    }
    assert_same(many_values(300), 16);
}

/* Predicates go to registers, and those to memory. */
static void any_number_of_live_predicates(void **state)
{
    (void)state;
    assert_same(many_predicates(60), 63);
    assert_same(many_predicates(150), 63);
    assert_same(many_predicates(700), 255);
    assert_same(predicates_in_pairs(12, under_the_other), 63);
    assert_same(predicates_in_pairs(40, under_the_other), 255);
    assert_same(predicates_in_pairs(200, under_the_other), 63);
    assert_same(predicates_in_pairs(5, under_itself), 63);
    assert_same(predicates_in_pairs(12, under_itself), 63);
    assert_same(predicates_in_pairs(60, under_itself), 255);
}

static void arguments_and_results_may_be_spilled(void **state)
{
    (void)state;
    assert_same(long_lived_arguments(20), 255);
    assert_same(long_lived_arguments(80), 63);
    assert_same(long_lived_arguments(900), 63);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void few_rounds_and_little_time(void **state)
{
    (void)state;
    enum { LIVE = 4000 };
    static const unsigned limit[] = {16, 63, 255};
    text t = many_values(LIVE);
    for (unsigned i = 0; i < WW_ARRAY_LEN(limit); i++) {
        ptx_run r;
        run_open(&r, t.at);
        r.arch.sm.max_thread_registers = limit[i];
        double start = now();
        ww_function *f = NULL;
        ww_arena arena = {0};
        ww_allocation a;
        assert_ok(ww_ptx_translate(r.module, "k", &f, &r.err), r.err);
        assert_ok(ww_lower(f, &arena, WW_CODE_LOWERED, &r.arch, &r.err), r.err);
        assert_ok(ww__allocate_classes(f, &arena, limit[i], NULL, &r.arch, &a, &r.err), r.err);
        assert_true(a.rounds <= 64 + LIVE / 8);
        assert_true(a.registers <= limit[i]);
        double spent = now() - start;
        print_message("%u registers: %u rounds, %.2f s\n", limit[i], a.rounds, spent);
        assert_true(spent < 2 * TEST_SLOWDOWN);
        ww_arena_fini(&arena);
        run_close(&r);
    }
    free(t.at);
}

static bool reads(const ww_inst *inst, ww_operand value)
{
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_REG && inst->src[k].reg == value.reg) {
            return true;
        }
    }
    return false;
}

/* 40 values that outlive 40 others: some of them are spilled for those. */
static text outlived_values(void)
{
    text t = open_kernel(80, 0);
    for (unsigned i = 1; i <= 80; i++) {
        add(&t, "mad.lo.u32 %%v%u, %%v%u, 13, %%r1;\n%s", i, i - 1, i == 40 ? "bar.sync 0;\n" : "");
    }
    add(&t, "bar.sync 0;\n");
    for (unsigned i = 80; i > 0; i--) {
        add(&t, "%smad.lo.u32 %%r2, %%r2, 5, %%v%u;\n", i == 40 ? "bar.sync 0;\n" : "", i);
    }
    close_kernel(&t);
    return t;
}

/* Spilled values are loaded ahead of what reads them where registers last: behind the last barrier
 * those of the others are there for it. */
static void loads_stand_ahead_of_their_readers(void **state)
{
    (void)state;
    text t = outlived_values();
    ptx_run r;
    run_open(&r, t.at);
    r.arch.sm.max_thread_registers = 63;
    r.arch.sm.hoist_loads = true;
    ww_kernel *kernel = NULL;
    assert_ok(ww_ptx_build_kernel(r.module, "k", WW_CODE_LOWERED, &r.arch, &kernel, &r.err), r.err);
    uint32_t loads = 0, waited_for = 0;
    for (uint32_t i = 0; i + 1 < kernel->code_count; i++) {
        const ww_inst *inst = &kernel->code[i];
        if (inst->op == WW_OP_BAR) {
            loads = waited_for = 0;
        }
        if (inst->op == WW_OP_LD && inst->space == WW_SPACE_LOCAL) {
            loads++;
            waited_for += reads(inst + 1, inst->dst[0]);
        }
    }
    assert_in_range(loads, 17, 40);
    assert_in_range(waited_for, 0, 1);
    run_close(&r);
    free(t.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_live_values),
        cmocka_unit_test(any_number_of_live_predicates),
        cmocka_unit_test(arguments_and_results_may_be_spilled),
        cmocka_unit_test(few_rounds_and_little_time),
        cmocka_unit_test(loads_stand_ahead_of_their_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
