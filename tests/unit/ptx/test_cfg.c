/* Are blocks, immediate post-dominators and live registers right on graphs small enough to work out
 * by hand? */
#include "module.h"

typedef struct graph {
    ww_ptx_module *module;
    const ww_function *f;
    ww_cfg cfg;
    ww_arena arena;
} graph;

static graph build(const char *text)
{
    graph g = {.module = parse(text)};
    ww_error err = {0};
    g.f = translate(g.module, "k");
    assert_ok(ww_cfg_build(g.f, &g.arena, &g.cfg, &err), err);
    return g;
}

static void drop(graph *g)
{
    ww_arena_fini(&g->arena);
    ww_ptx_destroy(g->module);
}

/* Immediate post-dominators by block; -1: the exit. */
static void assert_ipdoms(const char *text, const int *expected, uint32_t count)
{
    graph g = build(text);
    assert_int_equal(g.cfg.block_count, count);
    for (uint32_t b = 0; b < count; b++) {
        int ipdom = g.cfg.block[b].ipdom == WW_NO_TARGET ? -1 : (int)g.cfg.block[b].ipdom;
        if (ipdom != expected[b]) {
            fail_msg("block %u: immediate post-dominator %d, expected %d", b, ipdom, expected[b]);
        }
    }
    drop(&g);
}

#define IPDOMS(text, ...)                                                                          \
    do {                                                                                           \
        static const int expected_[] = {__VA_ARGS__};                                              \
        assert_ipdoms(KERNEL(text), expected_, WW_ARRAY_LEN(expected_));                           \
    } while (0)

static void straight_line(void **state)
{
    (void)state;
    IPDOMS("mov.u32 %r1, 1; ret;", -1);
}

static void diamond(void **state)
{
    (void)state;
    IPDOMS("@%p1 bra A; mov.u32 %r1, 1; bra J; A: mov.u32 %r1, 2; J: ret;", 3, 3, 3, -1);
}

static void one_arm_leaves(void **state)
{
    (void)state;
    IPDOMS("@%p1 bra A; mov.u32 %r1, 1; ret; A: mov.u32 %r1, 2; ret;", -1, -1, -1);
}

static void loop_with_break(void **state)
{
    (void)state;
    /* 0 entry, 1 head, 2 body with break, 3 latch, 4 after */
    IPDOMS("mov.u32 %r1, 0; H: @%p1 bra X; @%p2 bra X; add.u32 %r1, %r1, 1; bra H; X: ret;", 1, 4,
           4, 1, -1);
}

static void nested_loops(void **state)
{
    (void)state;
    /* 0 entry, 1 outer head, 2 inner body, 3 outer latch, 4 after */
    IPDOMS(
        "mov.u32 %r1, 0; O: mov.u32 %r2, 0; I: add.u32 %r2, %r2, 1; @%p1 bra I; @%p2 bra O; ret;",
        1, 2, 3, 4, -1);
}

static void switch_with_fall_through(void **state)
{
    (void)state;
    /* 0 brx, 1 case A (falls into B), 2 case B, 3 case C, 4 join */
    IPDOMS("t: .branchtargets A, B, C; brx.idx %r1, t; A: mov.u32 %r1, 1; B: mov.u32 %r1, 2; bra "
           "J; C: mov.u32 %r1, 3; J: ret;",
           4, 2, 4, 4, -1);
}

static void infinite_loop(void **state)
{
    (void)state;
    /* 0 entry, 1 head, 2 arm, 3 latch; the diamond inside still joins at its latch */
    IPDOMS("@%p1 bra E; H: @%p2 bra L; mov.u32 %r1, 1; L: add.u32 %r2, %r2, 1; bra H; E: ret;", -1,
           3, 3, -1, -1);
}

static void unreachable_code(void **state)
{
    (void)state;
    IPDOMS("bra E; mov.u32 %r1, 1; @%p1 bra E; mov.u32 %r1, 2; E: ret;", 3, 3, 3, -1);
}

static void reconvergence(void **state)
{
    (void)state;
    graph g = build(KERNEL(
        "@%p1 bra A; mov.u32 %r1, 1; bra J; A: mov.u32 %r1, 2; J: @%p2 bra Z; ret; Z: ret;"));
    ww_error err = {0};
    assert_ok(ww_cfg_set_reconvergence((ww_function *)(uintptr_t)g.f, &g.arena, &err), err);
    assert_int_equal(g.f->inst[0].reconv, 4);
    assert_int_equal(g.f->inst[2].reconv, 4);
    assert_int_equal(g.f->inst[4].reconv, WW_NO_TARGET);
    drop(&g);
}

/* A register as test text names it: virtual registers are numbered by first use. */
static bool live_in(const ww_liveness *l, uint32_t block, uint32_t reg)
{
    return l->live_in[(size_t)block * l->words + reg / 64] >> (reg % 64) & 1;
}

static void liveness(void **state)
{
    (void)state;
    /* v0 = n, v1 = i, v2 = sum, v3 = p */
    graph g = build(KERNEL("ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                           "H: setp.ge.u32 %p1, %r2, %r1; @%p1 bra X;\n"
                           "add.u32 %r3, %r3, %r2; add.u32 %r2, %r2, 1; bra H;\n"
                           "X: st.shared.u32 [0], %r3; ret;"));
    ww_liveness l;
    ww_error err = {0};
    assert_ok(ww_liveness_build(g.f, &g.cfg, &g.arena, &l, &err), err);
    assert_int_equal(g.cfg.block_count, 4);
    assert_false(live_in(&l, 0, 0) || live_in(&l, 0, 1) || live_in(&l, 0, 2));
    assert_true(live_in(&l, 1, 0) && live_in(&l, 1, 1) && live_in(&l, 1, 2) && !live_in(&l, 1, 3));
    assert_true(live_in(&l, 2, 0) && live_in(&l, 2, 1) && live_in(&l, 2, 2));
    assert_true(!live_in(&l, 3, 0) && !live_in(&l, 3, 1) && live_in(&l, 3, 2));
    drop(&g);
}

/* A definition under a guard leaves the other lanes' value in place. */
static void guarded_definition_does_not_kill(void **state)
{
    (void)state;
    graph g = build(
        KERNEL("mov.u32 %r1, 1; @%p2 bra A; A: @%p1 mov.u32 %r1, 2; st.shared.u32 [0], %r1; ret;"));
    ww_liveness l;
    ww_error err = {0};
    assert_ok(ww_liveness_build(g.f, &g.cfg, &g.arena, &l, &err), err);
    assert_true(live_in(&l, 1, 0));
    drop(&g);
}

static void results_live_at_guarded_return(void **state)
{
    (void)state;
    graph g = {.module = parse(
                   HEAD ".func (.reg .u32 v) k(.reg .u32 a) { .reg .pred p; setp.eq.u32 p, a, 0;\n"
                        "mov.u32 v, 1; @p ret; mov.u32 v, 2; ret; }")};
    ww_error err = {0};
    ww_liveness l;
    g.f = translate(g.module, "k");
    assert_ok(ww_cfg_build(g.f, &g.arena, &g.cfg, &err), err);
    assert_ok(ww_liveness_build(g.f, &g.cfg, &g.arena, &l, &err), err);
    uint32_t v = g.f->formal_out[0].reg;
    assert_true(l.live_out[v / 64] >> (v % 64) & 1);
    drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line),
        cmocka_unit_test(diamond),
        cmocka_unit_test(one_arm_leaves),
        cmocka_unit_test(loop_with_break),
        cmocka_unit_test(nested_loops),
        cmocka_unit_test(switch_with_fall_through),
        cmocka_unit_test(infinite_loop),
        cmocka_unit_test(unreachable_code),
        cmocka_unit_test(reconvergence),
        cmocka_unit_test(liveness),
        cmocka_unit_test(guarded_definition_does_not_kill),
        cmocka_unit_test(results_live_at_guarded_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
