/* Does the SIMT stack run the right lanes in the order traced by hand, for branches, loops, calls,
 * indexed branches and exits? */
#include "machine.h"

static ww_inst *branch(machine *m, ww_operand guard, uint32_t target, uint32_t reconv)
{
    ww_inst *bra = m_add(m, WW_OP_BRA, WW_T_NONE, 0, 0);
    bra->guard = guard;
    bra->target = target;
    bra->reconv = reconv;
    return bra;
}

/* r0 = r0 * 16 + digit: the digits tell the order in which a lane passed the marks. */
static void mark(machine *m, unsigned digit)
{
    m_add(m, WW_OP_MAD, WW_T_U32, 1, 3, R(0), R(0), I(16), I(digit))->sub = WW_SUB_LO;
}

/* Expected pc and mask of each step of warp 0. */
typedef struct expected {
    uint32_t pc, active;
} expected;

static void trace(machine *m, const expected *e, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        assert_ok(m_step(m, 0), m->err);
        if (m->step.pc != e[k].pc || m->step.active != e[k].active) {
            fail_msg("step %u: pc %u mask %08x, expected pc %u mask %08x", k, m->step.pc,
                     m->step.active, e[k].pc, e[k].active);
        }
    }
}

/* if (p0) then else, each lane noting its way in register 0. */
static void start_if_else(machine *m)
{
    m_init(m);
    branch(m, P(0), 3, 4);              /* 0 */
    mark(m, 1);                         /* 1: else */
    branch(m, NONE(), 4, WW_NO_TARGET); /* 2 */
    mark(m, 2);                         /* 3: then */
    mark(m, 3);                         /* 4 */
    m_add(m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(m);
}

static void finish_if_else(machine *m, uint32_t p)
{
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(m_reg(m, 0, 0)[i], (p >> i & 1) != 0 ? 0x23 : 0x13);
    }
    m_fini(m);
}

static void if_else(void **state)
{
    (void)state;
    machine m;
    start_if_else(&m);
    const uint32_t p = 0x0000ff0f;
    m.cta.warp[0].preds[0] = p;
    assert_ok(m_step(&m, 0), m.err);
    assert_true(m.step.divergent && m.step.taken && m.step.pushed == 2 && m.step.exec == p);
    trace(&m, (expected[]){{1, ~p}, {2, ~p}}, 2);
    assert_int_equal(m.step.popped, 1);
    trace(&m, (expected[]){{3, p}, {4, UINT32_MAX}, {5, UINT32_MAX}}, 3);
    assert_true(m.step.exited);
    assert_int_equal(ww_warp_pc(&m.cta.warp[0]), WW_NO_TARGET);
    assert_int_equal(m.cta.live_warps, 0);
    finish_if_else(&m, p);
}

/* The same with the taken path first. */
static void taken_path_first(void **state)
{
    (void)state;
    machine m;
    start_if_else(&m);
    m.launch.taken_path_first = true;
    const uint32_t p = 0x0000ff0f;
    m.cta.warp[0].preds[0] = p;
    assert_ok(m_step(&m, 0), m.err);
    trace(&m, (expected[]){{3, p}, {1, ~p}, {2, ~p}, {4, UINT32_MAX}, {5, UINT32_MAX}}, 5);
    finish_if_else(&m, p);
}

static void uniform_branches(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    branch(&m, P(0), 2, 2);      /* 0: nobody: falls through */
    branch(&m, NOT(P(0)), 3, 3); /* 1: everybody */
    mark(&m, 1);
    branch(&m, P(1), 4, 4); /* 3: divergent to the next instruction: no path of its own */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(&m);
    m.cta.warp[0].preds[1] = 0xff;
    trace(&m, (expected[]){{0, UINT32_MAX}}, 1);
    assert_false(m.step.taken || m.step.divergent);
    trace(&m, (expected[]){{1, UINT32_MAX}}, 1);
    assert_true(m.step.taken && !m.step.divergent);
    trace(&m, (expected[]){{3, UINT32_MAX}, {4, UINT32_MAX}}, 2);
    m_fini(&m);
}

/* Lanes leave a loop one by one: the stack must not grow with the trips. */
static void loop(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m_add(&m, WW_OP_ADD, WW_T_U32, 1, 2, R(1), R(1), I(1));                   /* 0 */
    m_add(&m, WW_OP_SETP, WW_T_U32, 1, 2, P(0), R(1), R(2))->cmp = WW_CMP_LT; /* 1 */
    branch(&m, P(0), 0, 3);                                                   /* 2 */
    mark(&m, 7);                                                              /* 3 */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 2)[i] = i + 1; /* lane i makes i + 1 trips */
    }
    ww_warp *w = &m.cta.warp[0];
    for (unsigned n = 0; w->depth > 0; n++) {
        assert_true(n < 200);
        assert_ok(m_step(&m, 0), m.err);
        assert_true(w->depth <= 2);
        if (m.step.pc == 3) {
            assert_int_equal(m.step.active, UINT32_MAX);
            assert_int_equal(n, 32 * 3);
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(m_reg(&m, 0, 1)[i], i + 1);
        assert_int_equal(m_reg(&m, 0, 0)[i], 7);
    }
    m_fini(&m);
}

/* An inner if inside a divergent then, reconverging where the outer one does. */
static void nested(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    branch(&m, P(0), 2, 5);              /* 0 */
    branch(&m, NONE(), 5, WW_NO_TARGET); /* 1: the others leave */
    branch(&m, P(1), 4, 5);              /* 2: reconverges at the outer point */
    branch(&m, NONE(), 5, WW_NO_TARGET); /* 3 */
    mark(&m, 4);                         /* 4 */
    mark(&m, 5);                         /* 5 */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(&m);
    m.cta.warp[0].preds[0] = 0xf0;
    m.cta.warp[0].preds[1] = 0x30;
    trace(&m,
          (expected[]){{0, UINT32_MAX},
                       {1, 0xffffff0f},
                       {2, 0xf0},
                       {3, 0xc0},
                       {4, 0x30},
                       {5, UINT32_MAX},
                       {6, UINT32_MAX}},
          7);
    assert_int_equal(m_reg(&m, 0, 0)[4], 0x45);
    assert_int_equal(m_reg(&m, 0, 0)[6], 0x5);
    m_fini(&m);
}

/* Exits of some lanes inside divergent code: the rest reconverge without them. */
static void partial_exit(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    branch(&m, P(0), 3, 5);                               /* 0 */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0)->guard = P(1); /* 1: some of the fall-through lanes */
    branch(&m, NONE(), 5, WW_NO_TARGET);                  /* 2 */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);               /* 3: all taken lanes */
    mark(&m, 9);                                          /* 4: never */
    mark(&m, 5);                                          /* 5 */
    m_add(&m, WW_OP_RET, WW_T_NONE, 0, 0);                /* 6: at kernel level an exit */
    m_start(&m);
    m.cta.warp[0].preds[0] = 0xffff0000;
    m.cta.warp[0].preds[1] = 0x000000ff;
    trace(&m, (expected[]){{0, UINT32_MAX}, {1, 0xffff}}, 2);
    assert_int_equal(m.cta.warp[0].live, 0xffffff00);
    assert_false(m.step.exited);
    trace(&m, (expected[]){{2, 0xff00}, {3, 0xffff0000}, {5, 0xff00}, {6, 0xff00}}, 4);
    assert_true(m.step.exited);
    assert_int_equal(m.cta.warp[0].live, 0);
    m_fini(&m);
}

/* A divergent branch whose paths only meet at the function's end, in a called function, with
 * returns at different times. */
static void calls(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    ww_inst *call = m_add(&m, WW_OP_CALL, WW_T_NONE, 0, 0); /* 0 */
    call->guard = P(1);
    call->target = 4;
    mark(&m, 1);                                         /* 1 */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);              /* 2 */
    mark(&m, 15);                                        /* 3: never */
    mark(&m, 2);                                         /* 4: callee */
    branch(&m, P(0), 8, WW_NO_TARGET);                   /* 5 */
    mark(&m, 3);                                         /* 6 */
    m_add(&m, WW_OP_RET, WW_T_NONE, 0, 0);               /* 7 */
    mark(&m, 4);                                         /* 8 */
    m_add(&m, WW_OP_RET, WW_T_NONE, 0, 0)->guard = P(2); /* 9: some return here */
    mark(&m, 5);                                         /* 10 */
    m_add(&m, WW_OP_RET, WW_T_NONE, 0, 0);               /* 11 */
    m_start(&m);
    uint32_t *p = m.cta.warp[0].preds;
    p[0] = 0x0ff0;
    p[1] = 0xffff;
    p[2] = 0x00f0;
    trace(&m,
          (expected[]){{0, UINT32_MAX},
                       {4, 0xffff},
                       {5, 0xffff},
                       {6, 0xf00f},
                       {7, 0xf00f},
                       {8, 0x0ff0},
                       {9, 0x0ff0},
                       {10, 0x0f00},
                       {11, 0x0f00},
                       {1, UINT32_MAX},
                       {2, UINT32_MAX}},
          11);
    assert_int_equal(m_reg(&m, 0, 0)[0], 0x231);
    assert_int_equal(m_reg(&m, 0, 0)[4], 0x241);
    assert_int_equal(m_reg(&m, 0, 0)[8], 0x2451);
    assert_int_equal(m_reg(&m, 0, 0)[20], 0x1);
    m_fini(&m);
}

/* Recursion deeper than the initial stack; and without end: an error, not a crash. */
static void recursion(void **state)
{
    (void)state;
    for (unsigned endless = 0; endless < 2; endless++) {
        machine m;
        m_init(&m);
        m_add(&m, WW_OP_CALL, WW_T_NONE, 0, 0)->target = 2;     /* 0 */
        m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);                 /* 1 */
        m_add(&m, WW_OP_ADD, WW_T_U32, 1, 2, R(0), R(0), I(1)); /* 2 */
        m_add(&m, WW_OP_SETP, WW_T_U32, 1, 2, P(0), R(0), I(endless ? UINT32_MAX : 500))->cmp =
            WW_CMP_LT;
        ww_inst *call = m_add(&m, WW_OP_CALL, WW_T_NONE, 0, 0); /* 4 */
        call->target = 2;
        call->guard = P(0);
        m_add(&m, WW_OP_RET, WW_T_NONE, 0, 0);
        m_start(&m);
        ww_status status = m_run(&m, 0);
        if (endless) {
            assert_int_equal(status, WW_EKERNEL);
            assert_string_equal(m.err.what, "kernel k: calls or branches nest deeper than 4096.");
            assert_int_equal(m.err.line, 5);
        } else {
            assert_int_equal(status, WW_OK);
            assert_int_equal(m_reg(&m, 0, 0)[13], 500);
        }
        m_fini(&m);
    }
}

static void indexed_branch(void **state)
{
    (void)state;
    static const uint32_t table[] = {2, 4, 6, 2};
    machine m;
    m_init(&m);
    ww_inst *brx = m_add(&m, WW_OP_BRX, WW_T_NONE, 0, 1, R(1)); /* 0 */
    brx->table = table;
    brx->table_count = 4;
    brx->reconv = 7;
    mark(&m, 15);
    mark(&m, 2);                         /* 2 */
    branch(&m, NONE(), 7, WW_NO_TARGET); /* 3 */
    mark(&m, 4);                         /* 4 */
    branch(&m, NONE(), 7, WW_NO_TARGET); /* 5 */
    mark(&m, 6);                         /* 6 */
    mark(&m, 7);                         /* 7 */
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 1)[i] = (i + 1) % 4; /* lane 0 wants entry 1: it goes first */
    }
    const uint32_t one = 0x11111111u;
    trace(&m,
          (expected[]){{0, UINT32_MAX},
                       {4, one},
                       {5, one},
                       {6, one << 1},
                       {2, one << 2 | one << 3},
                       {3, one << 2 | one << 3},
                       {7, UINT32_MAX}},
          7);
    m_fini(&m);
    m_init(&m);
    m_add(&m, WW_OP_BRX, WW_T_NONE, 0, 1, I(9))->table = table;
    m.code[0].table_count = 1;
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(&m);
    assert_int_equal(m_step(&m, 0), WW_EKERNEL);
    assert_string_equal(m.err.what,
                        "kernel k: brx.idx index 9 of lane 0 is outside its table of 1 targets.");
    m_fini(&m);
}

static void ends_badly(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.launch.block = (ww_dim3){4, 4, 4};
    m_add(&m, WW_OP_NOP, WW_T_NONE, 0, 0);
    m_add(&m, WW_OP_TRAP, WW_T_NONE, 0, 0)->guard = P(0);
    m_start(&m);
    m.cta.warp[1].preds[0] = 1u << 6;
    assert_int_equal(m_run(&m, 1), WW_EKERNEL);
    assert_string_equal(m.err.what, "kernel k: trap by thread (2,1,2) of CTA (0,0,0).");
    assert_int_equal(m.err.line, 2);
    assert_int_equal(m_run(&m, 0), WW_EKERNEL);
    assert_string_equal(m.err.what, "kernel k: ran past its last instruction.");
    m_fini(&m);
}

static void special_registers(void **state)
{
    (void)state;
    machine m;
    static const ww_sreg regs[] = {
        WW_SREG_TID_X,   WW_SREG_TID_Y,       WW_SREG_TID_Z,       WW_SREG_NTID_Y,
        WW_SREG_CTAID_X, WW_SREG_CTAID_Z,     WW_SREG_NCTAID_Y,    WW_SREG_LANEID,
        WW_SREG_WARPID,  WW_SREG_LANEMASK_LT, WW_SREG_LANEMASK_GE, WW_SREG_CLOCK,
        WW_SREG_SMID,    WW_SREG_NWARPID,     WW_SREG_LANEMASK_GT, WW_SREG_GLOBALTIMER_HI};
    m_init(&m);
    m.launch.grid = (ww_dim3){3, 5, 2};
    m.launch.block = (ww_dim3){6, 7, 2};
    for (unsigned k = 0; k < sizeof regs / sizeof regs[0]; k++) {
        m_add(&m, WW_OP_MOV, WW_T_U32, 1, 1, R(k), S(regs[k]));
    }
    ww_operand clock = S(WW_SREG_CLOCK64);
    clock.words = 2;
    m_add(&m, WW_OP_MOV, WW_T_U64, 1, 1, RR(20), clock);
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    assert_ok(ww_exec_prepare(&m.launch, &m.err), m.err);
    assert_ok(ww_cta_init(&m.cta, &m.launch, 29, NULL, &m.err), m.err);
    m.env.cycle = 0x1122334455ull;
    const ww_time time = {.nanoseconds = 7ull << 32};
    m.env.time = &time;
    m.cta.warp[1].smid = 11;
    m.cta.warp[1].slot = 13;
    assert_int_equal(m.cta.warp_count, 3);
    assert_int_equal(m.cta.warp[2].live, 0xfffff); /* 84 threads */
    assert_ok(m_run(&m, 1), m.err);
    for (unsigned i = 0; i < 32; i++) {
        unsigned t = 32 + i;
        const uint32_t want[] = {t % 6,
                                 t / 6 % 7,
                                 t / 42,
                                 7,
                                 2,
                                 1,
                                 5,
                                 i,
                                 13,
                                 (1u << i) - 1,
                                 ~((1u << i) - 1),
                                 0x22334455,
                                 11,
                                 3,
                                 ~((2u << i) - 1),
                                 7};
        for (unsigned k = 0; k < sizeof want / sizeof want[0]; k++) {
            assert_int_equal(m_reg(&m, 1, k)[i], want[k]);
        }
        assert_int_equal(m_reg(&m, 1, 21)[i], 0x11);
    }
    m_fini(&m);
}

static void operand_flags(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    ww_operand a = R(1), b = R(2), c = RR(4), n = R(6), imm = I(5);
    a.flags = WW_OPD_NEG;
    b.flags = WW_OPD_ABS | WW_OPD_NEG;
    c.flags = WW_OPD_NEG;
    n.flags = WW_OPD_NOT;
    imm.flags = WW_OPD_NEG;
    m_add(&m, WW_OP_FMA, WW_T_F32, 1, 3, R(10), a, I(0x40000000), b); /* -x*2 - |y| */
    m_add(&m, WW_OP_ADD, WW_T_S64, 1, 2, RR(12), c, I(1));            /* 1 - z */
    m_add(&m, WW_OP_AND, WW_T_B32, 1, 2, R(14), n, I(0xff));          /* ~n & 255 */
    m_add(&m, WW_OP_ADD, WW_T_S32, 1, 2, R(15), R(6), imm);           /* n - 5 */
    m_add(&m, WW_OP_ADD, WW_T_F64, 1, 2, RR(16), c, I(0));            /* -z as a double */
    m_add(&m, WW_OP_SETP, WW_T_F32, 1, 2, P(0), a, I(0))->cmp = WW_CMP_LT;
    m_add(&m, WW_OP_SELP, WW_T_B32, 1, 3, R(18), I(1), I(2), NOT(P(0)));
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 1)[i] = 0x3f800000; /* 1 */
        m_reg(&m, 0, 2)[i] = 0xc0400000; /* -3 */
        m_reg(&m, 0, 5)[i] = 0x40000000; /* 2.0 as a double, 2^62 as an integer */
        m_reg(&m, 0, 6)[i] = 3;
    }
    for (unsigned k = 0; k < 7; k++) {
        assert_ok(m_step(&m, 0), m.err);
    }
    assert_int_equal(m_reg(&m, 0, 10)[7], 0xc0a00000); /* -5 */
    assert_int_equal(m_reg(&m, 0, 12)[7], 1);
    assert_int_equal(m_reg(&m, 0, 13)[7], 0xc0000000);
    assert_int_equal(m_reg(&m, 0, 14)[7], 0xfc);
    assert_int_equal(m_reg(&m, 0, 15)[7], (uint32_t)-2);
    assert_int_equal(m_reg(&m, 0, 17)[7], 0xc0000000);
    assert_int_equal(m_reg(&m, 0, 18)[7], 2);
    m_fini(&m);
}

static void predicates_and_moves(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    ww_inst *setp =
        m_add(&m, WW_OP_SETP, WW_T_U32, 2, 3, P(0), P(1), S(WW_SREG_LANEID), I(8), P(2));
    setp->cmp = WW_CMP_LT;
    setp->bool_op = WW_BOOL_AND;
    m_add(&m, WW_OP_XOR, WW_T_PRED, 1, 2, P(3), P(0), NOT(P(1)));
    m_add(&m, WW_OP_MOV, WW_T_PRED, 1, 1, P(4), NOT(P(2)));
    m_add(&m, WW_OP_NOT, WW_T_PRED, 1, 1, P(5), P(4));
    ww_inst *set = m_add(&m, WW_OP_SET, WW_T_F32, 1, 2, R(0), S(WW_SREG_LANEID), I(8));
    set->cmp = WW_CMP_GE;
    set->type2 = WW_T_S32;
    m_add(&m, WW_OP_MOV, WW_T_B64, 2, 1, R(2), R(1), RR(4)); /* unpack, halves swapped below */
    m_add(&m, WW_OP_MOV, WW_T_B64, 1, 2, RR(6), R(2), R(1)); /* pack */
    m_add(&m, WW_OP_MOV, WW_T_B32, 2, 1, R(8), R(9), R(4));  /* 16-bit halves */
    m_add(&m, WW_OP_MOV, WW_T_B32, 1, 4, R(10), I(0x11), I(0x22), I(0x33), I(0x1ff)); /* bytes */
    m_add(&m, WW_OP_MOV, WW_T_U32, 2, 2, R(4), R(5), R(5), R(4));                     /* exchange */
    m_add(&m, WW_OP_SETP, WW_T_U32, 1, 3, P(6), I(1), I(1), I(0));
    m.code[10].bool_op = WW_BOOL_AND; /* with a constant predicate */
    m_start(&m);
    m.cta.warp[0].preds[2] = 0x0000fff0;
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 4)[i] = 0xaaaabbbb;
        m_reg(&m, 0, 5)[i] = 0xccccdddd;
    }
    for (unsigned k = 0; k < 11; k++) {
        assert_ok(m_step(&m, 0), m.err);
    }
    const uint32_t *p = m.cta.warp[0].preds;
    assert_int_equal(p[0], 0xf0);
    assert_int_equal(p[1], 0xff00);
    assert_int_equal(p[3], 0xf0 ^ ~0xff00u);
    assert_int_equal(p[4], 0xffff000f);
    assert_int_equal(p[5], 0x0000fff0);
    assert_int_equal(p[6], 0);
    assert_int_equal(m_reg(&m, 0, 0)[7], 0);
    assert_int_equal(m_reg(&m, 0, 0)[8], 0x3f800000);
    assert_int_equal(m_reg(&m, 0, 6)[0], 0xaaaabbbb);
    assert_int_equal(m_reg(&m, 0, 7)[0], 0xccccdddd);
    assert_int_equal(m_reg(&m, 0, 8)[0], 0xbbbb);
    assert_int_equal(m_reg(&m, 0, 9)[0], 0xaaaa);
    assert_int_equal(m_reg(&m, 0, 10)[0], 0xff332211);
    assert_int_equal(m_reg(&m, 0, 4)[0], 0xccccdddd);
    assert_int_equal(m_reg(&m, 0, 5)[0], 0xaaaabbbb);
    m_fini(&m);
}

static void malformed_code(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m_add(&m, WW_OP_TEX, WW_T_F32, 1, 1, R(0), R(1));
    assert_int_equal(ww_exec_prepare(&m.launch, &m.err), WW_EUNSUP);
    assert_string_equal(m.err.what, "kernel k: the executor does not support tex.f32.");
    assert_null(m.launch.code);
    m.code[0].op = WW_OP_ADD; /* one source only */
    assert_int_equal(ww_exec_prepare(&m.launch, &m.err), WW_EINTERNAL);
    m.operand_count = m.kernel.code_count = 0;
    m_add(&m, WW_OP_ADD, WW_T_F32, 1, 2, R(MACHINE_REGS), R(1), R(2));
    assert_int_equal(ww_exec_prepare(&m.launch, &m.err), WW_EINTERNAL);
    m.operand_count = m.kernel.code_count = 0;
    m_add(&m, WW_OP_ADD, WW_T_F64, 1, 2, RR(0), R(2), RR(4)); /* half a double */
    assert_int_equal(ww_exec_prepare(&m.launch, &m.err), WW_EINTERNAL);
    m.operand_count = m.kernel.code_count = 0;
    branch(&m, P(MACHINE_PREDS), 0, WW_NO_TARGET);
    assert_int_equal(ww_exec_prepare(&m.launch, &m.err), WW_EINTERNAL);
    m.launch.block.x = 4096;
    assert_int_equal(ww_exec_prepare(&m.launch, &m.err), WW_ERANGE);
    m_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_else),
        cmocka_unit_test(taken_path_first),
        cmocka_unit_test(uniform_branches),
        cmocka_unit_test(loop),
        cmocka_unit_test(nested),
        cmocka_unit_test(partial_exit),
        cmocka_unit_test(calls),
        cmocka_unit_test(recursion),
        cmocka_unit_test(indexed_branch),
        cmocka_unit_test(ends_badly),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(operand_flags),
        cmocka_unit_test(predicates_and_moves),
        cmocka_unit_test(malformed_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
