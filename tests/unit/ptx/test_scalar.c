/* Does scalarization find what one value per warp suffices for, and nothing else? */
#include "perf/ptx/analysis/scalar.h"
#include "module.h"

typedef struct scalars {
    ww_ptx_module *module;
    const ww_function *f;
    ww_view view;
    ww_scalars s;
    ww_arena arena;
} scalars;

static scalars find(const char *text, unsigned varying)
{
    scalars x = {.module = parse(text)};
    ww_chains chains;
    ww_error err = {0};
    x.f = translate(x.module, "k");
    assert_ok(ww_view_of_function(x.f, &x.arena, &x.view, &err), err);
    assert_ok(ww_chains_build(&x.view, &x.arena, &chains, &err), err);
    assert_ok(ww_scalars_find(&x.view, &chains, varying, &x.arena, &x.s, &err), err);
    return x;
}

static void drop(scalars *x)
{
    ww_arena_fini(&x->arena);
    ww_ptx_destroy(x->module);
}

/* Whether the first result of an instruction is scalar. */
static bool scalar(const scalars *x, uint32_t inst)
{
    assert_true(inst < x->f->inst_count && x->f->inst[inst].dst_count > 0);
    return x->s.scalar[x->f->inst[inst].dst[0].reg];
}

static bool once(const scalars *x, uint32_t inst)
{
    return x->s.inst[inst / 64] >> (inst % 64) & 1;
}

/* Figure 4: if (tid.x & 1) { e = p * 2; f = e + 1; d = f; } else { d = p; } use(d) */
static void the_report_s_figure(void **state)
{
    (void)state;
    scalars x =
        find(KERNEL("ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 1;\n"
                    "setp.eq.u32 %p1, %r3, 0; @%p1 bra E;\n"
                    "mul.lo.u32 %r4, %r1, 2; add.u32 %r5, %r4, 1; mov.u32 %r6, %r5; bra J;\n"
                    "E: mov.u32 %r6, %r1; J: st.shared.u32 [0], %r6; ret;"),
             0);
    assert_true(scalar(&x, 0));
    assert_false(scalar(&x, 1) || scalar(&x, 2) || scalar(&x, 3));
    assert_true(scalar(&x, 5) && scalar(&x, 6)); /* e, f */
    assert_false(scalar(&x, 7));                 /* d */
    assert_true(once(&x, 5) && once(&x, 6) && !once(&x, 7) && !once(&x, 10));
    drop(&x);
}

/* s = p; if (tid.x & 1) { s = q; use(s); } else use(s); dead behind: the side that runs first would
 * destroy what the other reads. */
static void one_side_writes_what_the_other_reads(void **state)
{
    (void)state;
    scalars x = find(KERNEL("ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;\n"
                            "mov.u32 %r3, %r1; @%p1 bra E;\n"
                            "mov.u32 %r3, 7; st.shared.u32 [0], %r3; bra J;\n"
                            "E: st.shared.u32 [4], %r3; J: ret;"),
                     0);
    assert_false(scalar(&x, 3));
    drop(&x);
}

/* Values of the two sides that nobody reads across stay scalar, but may not share storage. */
static void sides_are_kept_apart(void **state)
{
    (void)state;
    scalars x = find(KERNEL("ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;\n"
                            "@%p1 bra E; mov.u32 %r3, 7; st.shared.u32 [0], %r3; bra J;\n"
                            "E: st.shared.u32 [4], %r1; J: ret;"),
                     0);
    uint32_t p = x.f->inst[0].dst[0].reg, s = x.f->inst[4].dst[0].reg;
    assert_true(scalar(&x, 0) && scalar(&x, 4));
    bool apart = false;
    for (uint32_t i = 0; i < x.s.clash_count; i++) {
        apart |= (x.s.clash[i].written[s / 64] >> (s % 64) & 1) != 0 &&
                 (x.s.clash[i].live[p / 64] >> (p % 64) & 1) != 0;
    }
    assert_true(apart);
    drop(&x);
}

/* for (i = 0; i < tid.x; i++): threads leave at different rounds. */
#define LOOP(behind)                                                                               \
    KERNEL("mov.u32 %r2, %tid.x; mov.u32 %r1, 0;\n"                                                \
           "H: setp.ge.u32 %p1, %r1, %r2; @%p1 bra X; add.u32 %r1, %r1, 1; bra H;\n"               \
           "X: " behind " ret;")

static void loops_that_threads_leave(void **state)
{
    (void)state;
    scalars x = find(LOOP("st.shared.u32 [0], %r1;"), 0);
    assert_false(scalar(&x, 1) || scalar(&x, 2));
    drop(&x);
    x = find(LOOP(""), 0);
    assert_true(scalar(&x, 1) && once(&x, 4)); /* those that stay agree */
    assert_false(scalar(&x, 2));               /* the exit's predicate */
    drop(&x);
}

static void rows_of_threads_in_a_warp(void **state)
{
    (void)state;
    const char *text =
        KERNEL("mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.z; ret;");
    scalars x = find(text, 0);
    assert_true(scalar(&x, 0) && scalar(&x, 1) && scalar(&x, 2));
    drop(&x);
    x = find(text, WW_VARIES_TID_Y);
    assert_true(!scalar(&x, 0) && scalar(&x, 1) && scalar(&x, 2));
    drop(&x);
    assert_int_equal(ww_scalar_varying(16, 16, 1), WW_VARIES_TID_Y);
    assert_int_equal(ww_scalar_varying(32, 8, 1), 0);
    assert_int_equal(ww_scalar_varying(100, 1, 1), 0);
    assert_int_equal(ww_scalar_varying(16, 4, 4), WW_VARIES_TID_Y);
    assert_int_equal(ww_scalar_varying(8, 3, 2), WW_VARIES_TID_Y | WW_VARIES_TID_Z);
}

static void loads_and_stores(void **state)
{
    (void)state;
    scalars x = find(KERNEL("ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1];\n"
                            "st.shared.u32 [0], %r1; ld.volatile.global.u32 %r2, [%rd1];\n"
                            "atom.global.add.u32 %r3, [%rd1], 1; mov.u32 %r4, %tid.x;\n"
                            "st.shared.u32 [4], %r4; ld.shared.u32 %r5, [%r4]; ret;"),
                     0);
    assert_true(scalar(&x, 1) && once(&x, 1) && once(&x, 2));
    assert_false(scalar(&x, 3) || scalar(&x, 4) || once(&x, 6) || scalar(&x, 7));
    drop(&x);
}

/* A register that lives under one guard alone is scalar; one that others see is not. */
static void guarded_writes(void **state)
{
    (void)state;
    scalars x = find(KERNEL("ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;\n"
                            "@%p1 add.u32 %r3, %r1, 1; @%p1 st.shared.u32 [0], %r3;\n"
                            "mov.u32 %r4, 5; @%p1 mov.u32 %r4, 6; st.shared.u32 [4], %r4; ret;"),
                     0);
    assert_true(scalar(&x, 3) && !once(&x, 3));
    assert_false(scalar(&x, 5));
    drop(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_s_figure),
        cmocka_unit_test(one_side_writes_what_the_other_reads),
        cmocka_unit_test(sides_are_kept_apart),
        cmocka_unit_test(loops_that_threads_leave),
        cmocka_unit_test(rows_of_threads_in_a_warp),
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(guarded_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
