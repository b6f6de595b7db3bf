/* Do barriers, votes, shuffles, matches and reductions across lanes and warps give what the PTX
 * manual says? */
#include "machine.h"

static ww_inst *bar(machine *m, ww_sub sub, ww_operand id)
{
    ww_inst *inst = m_add(m, WW_OP_BAR, WW_T_NONE, 0, 1, id);
    inst->sub = (uint8_t)sub;
    return inst;
}

static void exit_inst(machine *m)
{
    m_add(m, WW_OP_EXIT, WW_T_NONE, 0, 0);
}

static void barrier_of_all(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.launch.block.x = 96;
    bar(&m, WW_SUB_SYNC, I(0));
    exit_inst(&m);
    m_start(&m);
    assert_ok(m_step(&m, 0), m.err);
    assert_true(m.step.barrier && m.cta.warp[0].at_barrier);
    assert_int_equal(ww_warp_pc(&m.cta.warp[0]), 1);
    assert_ok(m_step(&m, 2), m.err);
    assert_true(m.cta.warp[0].at_barrier && m.cta.warp[2].at_barrier);
    assert_ok(m_step(&m, 1), m.err);
    for (unsigned w = 0; w < 3; w++) {
        assert_false(m.cta.warp[w].at_barrier);
    }
    m_fini(&m);
}

/* A warp that exits counts as arrived; so does one that arrives without waiting. */
static void exits_and_arrivals(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.launch.block.x = 96;
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0)->guard = P(0);
    bar(&m, WW_SUB_SYNC, I(3));
    exit_inst(&m);
    m_start(&m);
    m.cta.warp[2].preds[0] = UINT32_MAX;
    assert_ok(m_run(&m, 0), m.err);
    assert_ok(m_run(&m, 1), m.err);
    assert_true(m.cta.warp[0].at_barrier && m.cta.warp[1].at_barrier);
    assert_ok(m_run(&m, 2), m.err);
    assert_true(!m.cta.warp[0].at_barrier && !m.cta.warp[1].at_barrier);
    assert_int_equal(m.cta.live_warps, 2);
    m_fini(&m);

    m_init(&m); /* producer arrives, consumer waits: 64 threads of 96 */
    m.launch.block.x = 96;
    ww_inst *arrive = m_add(&m, WW_OP_BAR, WW_T_NONE, 0, 2, I(1), I(64));
    arrive->sub = WW_SUB_ARRIVE;
    arrive->guard = P(0);
    ww_inst *sync = m_add(&m, WW_OP_BAR, WW_T_NONE, 0, 2, I(1), I(64));
    sync->sub = WW_SUB_SYNC;
    sync->guard = NOT(P(0));
    m_add(&m, WW_OP_NOP, WW_T_NONE, 0, 0);
    exit_inst(&m);
    m_start(&m);
    m.cta.warp[0].preds[0] = UINT32_MAX;
    assert_ok(m_step(&m, 0), m.err);
    assert_true(m.step.barrier && !m.cta.warp[0].at_barrier);
    assert_ok(m_step(&m, 1), m.err); /* guarded off: no arrival */
    assert_false(m.step.barrier);
    assert_ok(m_step(&m, 1), m.err);
    assert_true(m.step.barrier && !m.cta.warp[1].at_barrier); /* opened at once */
    m_fini(&m);
}

static void barrier_reductions(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.launch.block.x = 64;
    ww_inst *popc = m_add(&m, WW_OP_BAR, WW_T_U32, 1, 2, R(0), I(0), P(0));
    popc->sub = WW_SUB_RED_POPC;
    ww_inst *all = m_add(&m, WW_OP_BAR, WW_T_PRED, 1, 2, P(1), I(0), P(0));
    all->sub = WW_SUB_RED_AND;
    ww_inst *any = m_add(&m, WW_OP_BAR, WW_T_PRED, 1, 2, P(2), I(0), P(0));
    any->sub = WW_SUB_RED_OR;
    ww_inst *none = m_add(&m, WW_OP_BAR, WW_T_PRED, 1, 2, P(3), I(0), NOT(P(4)));
    none->sub = WW_SUB_RED_AND;
    exit_inst(&m);
    m_start(&m);
    m.cta.warp[0].preds[0] = UINT32_MAX;
    m.cta.warp[1].preds[0] = 0xff;
    for (unsigned k = 0; k < 4; k++) {
        assert_ok(m_step(&m, 0), m.err);
        assert_ok(m_step(&m, 1), m.err);
    }
    for (unsigned w = 0; w < 2; w++) {
        assert_int_equal(m_reg(&m, w, 0)[31], 40);
        assert_int_equal(m.cta.warp[w].preds[1], 0);
        assert_int_equal(m.cta.warp[w].preds[2], UINT32_MAX);
        assert_int_equal(m.cta.warp[w].preds[3], UINT32_MAX);
    }
    m_fini(&m);
}

static void deadlock(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.launch.block.x = 96;
    m.launch.grid.y = 2;
    m_add(&m, WW_OP_SETP, WW_T_U32, 1, 2, P(0), S(WW_SREG_WARPID), I(1))->cmp = WW_CMP_EQ;
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0)->guard = P(0);
    m_add(&m, WW_OP_BAR, WW_T_NONE, 0, 2, S(WW_SREG_WARPID), I(64))->sub = WW_SUB_SYNC;
    exit_inst(&m);
    ww_functional_stats stats;
    assert_int_equal(ww_exec_functional(&m.launch, &stats, &m.err), WW_EDEADLOCK);
    assert_string_equal(m.err.what,
                        "kernel k: nothing can happen any more in CTA (0,0,0) (live warps 2 of 3). "
                        "What the warps wait for:\n"
                        "  line 3, bar.sync: barrier 0, 1 of 2 warps there, 1 of the CTA's 3 have "
                        "exited\n"
                        "    1 warp: CTA 0,0,0: 0\n"
                        "  line 3, bar.sync: barrier 2, 1 of 2 warps there, 1 of the CTA's 3 have "
                        "exited\n"
                        "    1 warp: CTA 0,0,0: 2");
    m_fini(&m);
}

static void no_such_barrier(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    bar(&m, WW_SUB_SYNC, I(16));
    m_start(&m);
    assert_int_equal(m_step(&m, 0), WW_EKERNEL);
    assert_string_equal(m.err.what, "kernel k: barrier 16 does not exist; a CTA has 16.");
    m_fini(&m);
}

/* Each warp adds its index into shared memory; after the barrier all see the sum. Run through the
 * functional driver. */
static void whole_launch(void **state)
{
    (void)state;
    machine m;
    uint64_t buffer;
    m_init(&m);
    m.kernel.shared_bytes = 4;
    m.launch.block.x = 128;
    m.launch.grid = (ww_dim3){3, 2, 1};
    assert_ok(ww_devmem_alloc(m.mem, 6 * 4, 256, &buffer, &m.err), m.err);
    ww_inst *red = m_add(&m, WW_OP_RED, WW_T_U32, 0, 2, I(0), S(WW_SREG_TID_X));
    red->sub = WW_SUB_ADD;
    red->space = WW_SPACE_SHARED;
    bar(&m, WW_SUB_SYNC, I(0));
    m_add(&m, WW_OP_LD, WW_T_U32, 1, 1, R(0), I(0))->space = WW_SPACE_SHARED;
    m_add(&m, WW_OP_MAD, WW_T_U32, 1, 3, R(1), S(WW_SREG_CTAID_Y), S(WW_SREG_NCTAID_X),
          S(WW_SREG_CTAID_X))
        ->sub = WW_SUB_LO;
    m_add(&m, WW_OP_MAD, WW_T_U32, 1, 3, RR(2), R(1), I(4), I(buffer))->sub = WW_SUB_WIDE;
    m_add(&m, WW_OP_ADD, WW_T_U32, 1, 2, R(0), R(0), R(1));
    m_add(&m, WW_OP_ST, WW_T_U32, 0, 2, RR(2), R(0))->space = WW_SPACE_GLOBAL;
    exit_inst(&m);
    ww_functional_stats stats;
    assert_ok(ww_exec_functional(&m.launch, &stats, &m.err), m.err);
    const uint32_t *out = ww_devmem_at(m.mem, buffer, 24);
    for (unsigned k = 0; k < 6; k++) {
        assert_int_equal(out[k], 127 * 128 / 2 + k);
    }
    assert_int_equal(stats.warp_inst, 6 * 4 * 8);
    assert_int_equal(stats.thread_inst, 6 * 128 * 8);
    assert_int_equal(stats.kind_lanes[WW_KIND_MEMORY], 6 * 128 * 3);
    assert_int_equal(stats.kind_lanes[WW_KIND_SYNC], 6 * 128);
    m_fini(&m);
}

/* Without time, a loop that waits for 400 million units of either clock does not execute as many
 * instructions. */
static void waiting_for_a_clock_is_short(void **state)
{
    (void)state;
    static const ww_sreg clocks[] = {WW_SREG_CLOCK, WW_SREG_GLOBALTIMER_LO};
    enum { WAIT = 400 * 1000 * 1000 };
    for (unsigned k = 0; k < sizeof clocks / sizeof clocks[0]; k++) {
        machine m;
        m_init(&m);
        m_add(&m, WW_OP_MOV, WW_T_U32, 1, 1, R(0), S(clocks[k]));                    /* 0 */
        m_add(&m, WW_OP_MOV, WW_T_U32, 1, 1, R(1), S(clocks[k]));                    /* 1 */
        m_add(&m, WW_OP_SUB, WW_T_U32, 1, 2, R(2), R(1), R(0));                      /* 2 */
        m_add(&m, WW_OP_SETP, WW_T_U32, 1, 2, P(0), R(2), I(WAIT))->cmp = WW_CMP_LT; /* 3 */
        ww_inst *again = m_add(&m, WW_OP_BRA, WW_T_NONE, 0, 0);                      /* 4 */
        again->guard = P(0);
        again->target = 1;
        again->reconv = 5;
        exit_inst(&m);
        ww_functional_stats stats;
        assert_ok(ww_exec_functional(&m.launch, &stats, &m.err), m.err);
        assert_in_range(stats.warp_inst, 6, WAIT / 100);
        m_fini(&m);
    }
}

static void votes(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    static const struct {
        ww_sub sub;
        uint32_t active, p, members;
        bool want;
    } t[] = {
        {WW_SUB_ALL, UINT32_MAX, 0xffff, 0xffff, true},
        {WW_SUB_ALL, UINT32_MAX, 0xffff, UINT32_MAX, false},
        {WW_SUB_ANY, UINT32_MAX, 0x1, 0xfffe, false},
        {WW_SUB_ANY, 0xff, 0x80, UINT32_MAX, true},
        {WW_SUB_UNI, 0xff, 0xff00, UINT32_MAX, true},
        {WW_SUB_UNI, 0x1ff, 0xff00, UINT32_MAX, false},
        {WW_SUB_UNI, UINT32_MAX, UINT32_MAX, 0x3, true},
    };
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        m_add(&m, WW_OP_VOTE, WW_T_PRED, 1, 2, P(1), P(0), R(0))->sub = (uint8_t)t[k].sub;
    }
    m_add(&m, WW_OP_VOTE, WW_T_B32, 1, 2, R(1), NOT(P(0)), I(0xffff))->sub = WW_SUB_BALLOT;
    m_add(&m, WW_OP_VOTE, WW_T_B32, 1, 1, R(2), P(0))->sub = WW_SUB_BALLOT;
    m_add(&m, WW_OP_ACTIVEMASK, WW_T_B32, 1, 0, R(3));
    m_start(&m);
    ww_warp *w = &m.cta.warp[0];
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        w->preds[0] = t[k].p;
        w->preds[1] = t[k].want ? 0 : UINT32_MAX;
        w->stack[0].mask = t[k].active;
        for (unsigned i = 0; i < 32; i++) {
            m_reg(&m, 0, 0)[i] = t[k].members;
        }
        assert_ok(m_step(&m, 0), m.err);
        assert_int_equal(w->preds[1] & t[k].active, t[k].want ? t[k].active : 0);
    }
    w->stack[0].mask = 0x00ffff00;
    w->preds[0] = 0x0000f000;
    for (unsigned k = 0; k < 3; k++) {
        assert_ok(m_step(&m, 0), m.err);
    }
    assert_int_equal(m_reg(&m, 0, 1)[8], 0x0f00);
    assert_int_equal(m_reg(&m, 0, 1)[0], 0);
    assert_int_equal(m_reg(&m, 0, 2)[8], 0xf000);
    assert_int_equal(m_reg(&m, 0, 3)[23], 0x00ffff00);
    m_fini(&m);
}

/* The manual's pseudo-code, lane by lane. */
static uint32_t shuffled(ww_sub mode, int lane, int b, int c, bool *valid)
{
    int segmask = c >> 8 & 31, clamp = c & 31, max = (lane & segmask) | (clamp & ~segmask),
        min = lane & segmask, j;
    switch (mode) {
    case WW_SUB_UP:
        j = lane - (b & 31);
        *valid = j >= max;
        break;
    case WW_SUB_DOWN:
        j = lane + (b & 31);
        *valid = j <= max;
        break;
    case WW_SUB_BFLY:
        j = lane ^ (b & 31);
        *valid = j <= max;
        break;
    default:
        j = min | (b & 31 & ~segmask);
        *valid = j <= max;
        break;
    }
    return (uint32_t)(*valid ? j : lane);
}

static void shuffles(void **state)
{
    (void)state;
    static const ww_sub modes[] = {WW_SUB_UP, WW_SUB_DOWN, WW_SUB_BFLY, WW_SUB_IDX};
    static const uint32_t clamps[] = {0x1f,   0x00,   0x181f,
                                      0x1c1f, 0x1800, 0x0e}; /* segments of 32, 8, 4, 8 */
    for (unsigned k = 0; k < 4 * 6 * 8; k++) {
        machine m;
        ww_sub mode = modes[k % 4];
        uint32_t c = clamps[k / 4 % 6], b = k / 24 * 5;
        m_init(&m);
        m_add(&m, WW_OP_SHFL, WW_T_B32, 2, 4, R(1), P(0), R(0), I(b), I(c), I(UINT32_MAX))->sub =
            (uint8_t)mode;
        m_start(&m);
        for (unsigned i = 0; i < 32; i++) {
            m_reg(&m, 0, 0)[i] = 100 + i;
        }
        assert_ok(m_step(&m, 0), m.err);
        for (unsigned i = 0; i < 32; i++) {
            bool valid;
            assert_int_equal(m_reg(&m, 0, 1)[i],
                             100 + shuffled(mode, (int)i, (int)b, (int)c, &valid));
            assert_int_equal(m.cta.warp[0].preds[0] >> i & 1, valid);
        }
        m_fini(&m);
    }
    /* the customary ones, by hand: shfl.down by 16 within a warp, shfl.up by 1 clamped at 0 */
    bool valid;
    assert_int_equal(shuffled(WW_SUB_DOWN, 3, 16, 0x1f, &valid), 19);
    assert_int_equal(shuffled(WW_SUB_UP, 0, 1, 0, &valid), 0);
    assert_false(valid);
}

/* The first eight lanes of a warp, added up with the strides of a whole one. */
static void a_shuffle_takes_nothing_from_lanes_outside(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    for (unsigned stride = 16; stride > 0; stride /= 2) {
        ww_inst *shfl =
            m_add(&m, WW_OP_SHFL, WW_T_B32, 2, 4, R(1), P(0), R(0), I(stride), I(0x1f), I(0xff));
        shfl->sub = WW_SUB_DOWN;
        shfl->guard = P(1);
        m_add(&m, WW_OP_ADD, WW_T_U32, 1, 2, R(0), R(0), R(1))->guard = P(1);
    }
    m_start(&m);
    m.cta.warp[0].preds[1] = 0xff;
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 0)[i] = 100 + i;
    }
    for (unsigned k = 0; k < 10; k++) {
        assert_ok(m_step(&m, 0), m.err);
    }
    assert_int_equal(m_reg(&m, 0, 0)[0], 8 * 100 + 28);
    assert_int_equal(m_reg(&m, 0, 0)[8], 108);
    m_fini(&m);
}

static void matches(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m_add(&m, WW_OP_MATCH, WW_T_B32, 1, 2, R(4), R(0), I(0x0fffffff))->sub = WW_SUB_ANY;
    m_add(&m, WW_OP_MATCH, WW_T_B64, 1, 2, R(5), RR(0), I(UINT32_MAX))->sub = WW_SUB_ANY;
    m_add(&m, WW_OP_MATCH, WW_T_B32, 2, 2, R(6), P(0), R(0), I(0x11111111))->sub = WW_SUB_ALL;
    m_add(&m, WW_OP_MATCH, WW_T_B32, 2, 2, R(7), P(1), R(0), I(UINT32_MAX))->sub = WW_SUB_ALL;
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 0)[i] = i % 4;
        m_reg(&m, 0, 1)[i] = i / 16;
    }
    for (unsigned k = 0; k < 4; k++) {
        assert_ok(m_step(&m, 0), m.err);
    }
    assert_int_equal(m_reg(&m, 0, 4)[5], 0x02222222);
    assert_int_equal(m_reg(&m, 0, 5)[5], 0x2222);
    assert_int_equal(m_reg(&m, 0, 5)[21], 0x22220000);
    assert_int_equal(m_reg(&m, 0, 6)[9], 0x11111111);
    assert_int_equal(m.cta.warp[0].preds[0], UINT32_MAX);
    assert_int_equal(m_reg(&m, 0, 7)[9], 0);
    assert_int_equal(m.cta.warp[0].preds[1], 0);
    m_fini(&m);
}

static void reductions(void **state)
{
    (void)state;
    static const struct {
        ww_sub sub;
        ww_type type;
        uint32_t want; /* over lanes 4..7, whose values are lane - 6 */
    } t[] = {
        {WW_SUB_ADD, WW_T_S32, (uint32_t)-2},
        {WW_SUB_MIN, WW_T_S32, (uint32_t)-2},
        {WW_SUB_MIN, WW_T_U32, 0},
        {WW_SUB_MAX, WW_T_S32, 1},
        {WW_SUB_MAX, WW_T_U32, UINT32_MAX},
        {WW_SUB_AND, WW_T_B32, 0},
        {WW_SUB_OR, WW_T_B32, UINT32_MAX},
        {WW_SUB_XOR, WW_T_B32, 0},
    };
    machine m;
    m_init(&m);
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        m_add(&m, WW_OP_REDUX, t[k].type, 1, 2, R(1 + k), R(0), I(0xf0))->sub = (uint8_t)t[k].sub;
    }
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 0)[i] = i - 6;
    }
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        assert_ok(m_step(&m, 0), m.err);
        assert_int_equal(m_reg(&m, 0, 1 + k)[4], t[k].want);
    }
    m_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_of_all),
        cmocka_unit_test(exits_and_arrivals),
        cmocka_unit_test(barrier_reductions),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(no_such_barrier),
        cmocka_unit_test(whole_launch),
        cmocka_unit_test(waiting_for_a_clock_is_short),
        cmocka_unit_test(votes),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(a_shuffle_takes_nothing_from_lanes_outside),
        cmocka_unit_test(matches),
        cmocka_unit_test(reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
