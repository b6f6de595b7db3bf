/* test_dac.c - does the affine warp make the addresses and predicates that the paper's examples
 * say, with the operations, records and instructions that they count? */
#include "tests/support/test.h"

#include "mech/dac/dac.h"
#include "tests/unit/sm/kernels.h"

static ww_arch dac_arch(void)
{
    ww_arch arch = small_arch();
    arch.l1d = fixture_l1d();
    arch.ldst.l1_caches_global = true;
    arch.ldst.segment_bytes = 128;
    arch.dac = (ww_dac_params){.atq = 24,
                               .pwaq = 192,
                               .pwpq = 192,
                               .stack = 8,
                               .conditions = 8,
                               .lock_ways = arch.l1d.ways - 1,
                               .port_share = 4,
                               .patience = 8,
                               .batch = WW_DAC_BATCH_UNCOVERED,
                               .order = WW_DAC_ORDER_CTA,
                               .data_branches = WW_DAC_BRANCHES_FOLLOW,
                               .shared = true,
                               .prefetch = true,
                               .divergence = true};
    return arch;
}

/* ---- instructions of the examples ---- */

static ww_inst *op2(code *c, ww_op op, uint32_t d, ww_operand a, ww_operand b)
{
    ww_operand dst = reg(d), src[2] = {a, b};
    ww_inst *i = put(c, op, WW_T_U32, 1, &dst, 2, src);
    i->sub = op == WW_OP_MUL ? WW_SUB_LO : WW_SUB_NONE;
    return i;
}

static ww_inst *load(code *c, uint32_t d, uint32_t address)
{
    ww_operand dst = reg(d), src = reg(address);
    ww_inst *i = put(c, WW_OP_LD, WW_T_U32, 1, &dst, 1, &src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}

static ww_inst *store(code *c, uint32_t address, uint32_t v)
{
    ww_operand src[2] = {reg(address), reg(v)};
    ww_inst *i = put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}

static ww_inst *compare(code *c, uint32_t p, ww_cmp cmp, ww_operand a, ww_operand b)
{
    ww_operand dst = pred(p), src[2] = {a, b};
    ww_inst *i = put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src);
    i->cmp = (uint8_t)cmp;
    return i;
}

static ww_inst *branch(code *c, uint32_t p, uint32_t target, uint32_t reconv)
{
    ww_inst *i = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    i->guard = pred(p);
    i->target = target;
    i->reconv = reconv;
    return i;
}

/* The room, and the state of the last SM that it was attached to. */
static dac *seen;

static ww_status create_seen(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    ww_status st = ww_mech_dac.create(sm, arch, state, err);
    seen = *state;
    return st;
}

static void open_dac(machine *m, const ww_arch *arch, code *c, ww_dim3 block, uint32_t ctas)
{
    ww_error err = {0};
    uint64_t address;
    static ww_mech mech;
    mech = ww_mech_dac;
    mech.create = create_seen;
    finish(c);
    machine_open_with(m, arch, as_kernel(c, 16), block.x * block.y * block.z, &mech);
    /* the launch as the example has it, before anything runs */
    ww_sm_end(m->sm);
    ww_exec_release(&m->launch);
    m->launch.block = block;
    m->launch.grid = (ww_dim3){8, 1, 1};
    assert_ok(ww_exec_prepare(&m->launch, &err), err);
    assert_ok(ww_sm_begin(m->sm, &m->program, &m->launch, ctas, &err), err);
    assert_ok(ww_devmem_alloc(m->mem, 65536, 256, &address, &err), err);
}

static void run_linear(machine *m, uint32_t linear)
{
    ww_error err = {0};
    assert_ok(ww_sm_launch_cta(m->sm, linear, m->now, &err), err);
    m->now++;
    for (unsigned i = 0; i < 100000 && ww_sm_pulse_of(m->sm)->ctas > 0; i++) {
        cycle(m);
    }
    assert_int_equal(ww_sm_pulse_of(m->sm)->ctas, 0);
    assert_int_equal(get(m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(m, WW_C_DAC_LEFT_OVER), 0);
    assert_int_equal(get(m, WW_C_DAC_WRAPPED), 0);
}

/* ---- Figures 4 and 7 ---- */

enum { ROUNDS = 10 };

static void figure_4(code *c, uint32_t rounds)
{
    uint32_t a = (uint32_t)first_address(), b = a + 32768;
    op2(c, WW_OP_MUL, 0, sreg(WW_SREG_CTAID_X), sreg(WW_SREG_NTID_X));
    op2(c, WW_OP_ADD, 1, sreg(WW_SREG_TID_X), reg(0));
    op2(c, WW_OP_MUL, 2, reg(1), imm(4));
    op2(c, WW_OP_ADD, 3, imm(a), reg(2));
    op2(c, WW_OP_ADD, 4, imm(b), reg(2));
    mov(c, 5, imm(0));
    uint32_t loop = c->count;
    load(c, 6, 3);
    add(c, 7, 6, 1);
    store(c, 4, 7);
    add(c, 5, 5, 1);
    op2(c, WW_OP_MUL, 8, imm(64), imm(4));
    op2(c, WW_OP_ADD, 3, reg(8), reg(3));
    op2(c, WW_OP_ADD, 4, reg(8), reg(4));
    compare(c, 0, WW_CMP_NE, imm(rounds), reg(5));
    branch(c, 0, loop, c->count + 1);
}

/* Baseline: 6 + 9 D instructions a warp. Four warps, D = 10: 384. With DAC 6 + 9 D once and 4 D a
 * warp: 96 + 160 = 256, two thirds. Beside them each warp's exit, and the end of the affine warp.
 * An address takes one operation for the block index and one for each warp; a predicate one. */
static void instructions_of_figure_7(void **state)
{
    (void)state;
    code base = {0}, split = {0};
    ww_arch arch = dac_arch();
    machine m, n;
    figure_4(&base, ROUNDS);
    finish(&base);
    machine_open(&m, &arch, as_kernel(&base, 16), 128);
    allocate(&m, first_address());
    run_cta(&m);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 384 + 4);
    uint64_t program = get(&m, WW_C_INST_PROGRAM);
    machine_close(&m);

    figure_4(&split, ROUNDS);
    open_dac(&n, &arch, &split, (ww_dim3){128, 1, 1}, 1);
    run_linear(&n, 0);
    assert_int_equal(get(&n, WW_C_DAC_AFFINE_INST), 96 + 1);
    assert_int_equal(get(&n, WW_C_INST_ISSUED), 256 + 4 + 1);
    assert_int_equal(get(&n, WW_C_MECH_ABSENT), 4 * (6 + 5 * ROUNDS));
    assert_int_equal(get(&n, WW_C_DAC_STATIC), 2 * (6 + 9 + 1)); /* open_dac begins twice */
    assert_int_equal(get(&n, WW_C_DAC_STATIC_AFFINE),
                     2 * (6 + 9 - 1)); /* not what uses the loaded data */
    assert_int_equal(get(&n, WW_C_DAC_PASSES), 1);
    assert_int_equal(get(&n, WW_C_DAC_DEQUEUED), 4 * 3 * ROUNDS);
    assert_int_equal(get(&n, WW_C_DAC_PWAQ_WRITE), 4 * 2 * ROUNDS);
    assert_int_equal(get(&n, WW_C_DAC_PWPQ_WRITE), 4 * ROUNDS);
    assert_int_equal(get(&n, WW_C_DAC_AEU), 2 * ROUNDS * (1 + 4));
    assert_int_equal(get(&n, WW_C_DAC_PEU), ROUNDS);
    assert_int_equal(get(&n, WW_C_DAC_REQUESTED), 4 * ROUNDS);
    assert_int_equal(get(&n, WW_C_DAC_LOCK), get(&n, WW_C_DAC_UNLOCK) + get(&n, WW_C_DAC_LOST));
    assert_int_equal(get(&n, WW_C_INST_PROGRAM), program);
    machine_close(&n);
}

/* 48 warps do what is the same for all of them 48 times: with D = 100, 48 (6 + 9 D) = 43,488
 * instructions; one pass for three CTAs leaves 6 + 9 D + 48 x 4 D = 20,106. */
static void forty_eight_warps_in_one_pass(void **state)
{
    (void)state;
    enum { LONG = 100, WARPS = 48, CTAS = 3 };
    ww_arch arch = dac_arch();
    ww_error err = {0};
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        machine m;
        figure_4(&c, LONG);
        if (k == 0) {
            finish(&c);
            machine_open(&m, &arch, as_kernel(&c, 16), 512);
            allocate(&m, first_address());
        } else {
            open_dac(&m, &arch, &c, (ww_dim3){512, 1, 1}, CTAS);
        }
        for (uint32_t i = 0; i < CTAS; i++) {
            assert_ok(ww_sm_launch_cta(m.sm, k == 0 ? 0 : i, m.now++, &err), err);
        }
        for (uint32_t i = 0; i < 1000000 && ww_sm_pulse_of(m.sm)->ctas > 0; i++) {
            cycle(&m);
        }
        assert_int_equal(ww_sm_pulse_of(m.sm)->ctas, 0);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        assert_int_equal(get(&m, WW_C_DAC_PASSES), k);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), k == 0 ? 43488 + WARPS : 20106 + WARPS + 1);
        assert_int_equal(get(&m, WW_C_MECH_ABSENT), k * WARPS * (6 + 5 * LONG));
        machine_close(&m);
    }
}

/* ---- section 4.2: expansion of addresses ---- */

/* What a warp's queue must hold: for each of four warps `each` records, the first at `line` of the
 * array, the next ones and the next warps' `step` further, with these words. */
typedef struct records {
    uint32_t each, line, step, words, operations;
} records;

static void assert_records(const records *e)
{
    for (uint32_t w = 0, n = 0; n < 4 * e->each; n++) {
        w = n / e->each;
        const dac_record *r = &seen->queue[w].record[seen->queue[w].first + n % e->each];
        assert_int_equal(seen->queue[w].count, e->each);
        assert_int_equal(r->line, first_address() + e->line + n * e->step);
        assert_int_equal(r->words, e->words);
        assert_int_equal(r->last, n % e->each == e->each - 1);
    }
}

/* One load of A + tid.x * x + tid.y * y + ctaid.x * 512 by a CTA: records and operations. */
static void expand(ww_dim3 block, uint32_t x, uint32_t y, uint32_t linear, records expected)
{
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    ww_error err = {0};
    const uint64_t all = UINT64_C(4) * expected.each;
    op2(&c, WW_OP_MUL, 0, sreg(WW_SREG_CTAID_X), imm(512));
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(x));
    op2(&c, WW_OP_MUL, 2, sreg(WW_SREG_TID_Y), imm(y));
    add3(&c, 3, 0, 1);
    add3(&c, 3, 3, 2);
    add(&c, 3, 3, first_address());
    load(&c, 4, 3);
    store(&c, 4, 4); /* at 0 + what was read: not decoupled, and never executed */
    c.inst[c.count - 1].guard = pred(1);
    open_dac(&m, &arch, &c, block, 1);
    assert_ok(ww_sm_launch_cta(m.sm, linear, m.now, &err), err);
    m.now++;
    until(&m, WW_C_DAC_PWAQ_WRITE, all); /* long before their data come */
    assert_records(&expected);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), all);
    assert_int_equal(get(&m, WW_C_DAC_AEU), expected.operations);
    assert_int_equal(get(&m, WW_C_DAC_REQUESTED), all);
    assert_int_equal(get(&m, WW_C_DAC_LOADS_AFFINE), all);
    machine_close(&m);
}

/* {A, tx 4, bx 512}, CTA 3: from A + 0x600 a whole line for each of four warps, 1 + 4 operations.
 * Offset 8: two lines a warp, every second word. 16 x 4 threads in rows of 256 bytes: of two lines
 * a warp the first half. */
static void lines_of_an_affine_address(void **state)
{
    (void)state;
    expand((ww_dim3){128, 1, 1}, 4, 0, 3, (records){1, 0x600, 128, 0xffffffff, 1 + 4});
    expand((ww_dim3){128, 1, 1}, 8, 0, 3, (records){2, 0x600, 128, 0x55555555, 1 + 8});
    expand((ww_dim3){16, 8, 1}, 4, 256, 0, (records){2, 0, 256, 0x0000ffff, 1 + 8});
}

/* ---- section 4.3: expansion of predicates ---- */

/* tid < 70 in 128 threads: two comparisons for each of four warps, of which the third is mixed and
 * takes the lanes; the load under the branch is the first three warps', of the third in six lanes:
 * in the Warp Level Stack 11 11 10 00, and 0x3f beside it. */
static void predicate_of_figure_13(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    ww_error err = {0};
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(4));
    add(&c, 3, 1, first_address());
    mov(&c, 2, sreg(WW_SREG_TID_X));
    compare(&c, 0, WW_CMP_GE, reg(2), imm(70));
    branch(&c, 0, 7, 7);
    load(&c, 4, 3);
    store(&c, 3, 4);
    open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
    assert_ok(ww_sm_launch_cta(m.sm, 0, m.now, &err), err);
    m.now++;
    until(&m, WW_C_DAC_PWAQ_WRITE, 3); /* of the load; its data are on their way */
    for (uint32_t w = 0; w < 4; w++) {
        static const uint32_t words[] = {UINT32_MAX, UINT32_MAX, 0x3f, 0};
        const dac_queue *q = &seen->queue[w];
        assert_int_equal(q->count > 0 ? q->record[q->first].words : 0, words[w]);
    }
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_DAC_PEU), 8);
    assert_int_equal(get(&m, WW_C_DAC_LANE_COMPARE), 1);
    assert_int_equal(get(&m, WW_C_DAC_PRED_ENDS), 3);
    assert_int_equal(get(&m, WW_C_DAC_PRED_LANES), 1);
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), 4);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 2 * 3);
    machine_close(&m);
}

/* Two tuples behind an if: threads below 70 read from tid * 4, the others from tid * 8. */
static void divergent_tuples(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    compare(&c, 0, WW_CMP_GE, reg(2), imm(70));
    op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
    branch(&c, 0, 5, 6);
    put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL)->target = 6;
    op2(&c, WW_OP_MUL, 1, reg(2), imm(8));
    add(&c, 3, 1, first_address());
    load(&c, 4, 3);
    open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
    run_linear(&m, 0);
    /* warps 0, 1: a line each; 2: 256..279 and 560..760 are lines 2, 4, 5; 3: 768..1016 two */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 1 + 1 + 3 + 2);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 4 + 4);
    machine_close(&m);
}

/* max(70 - tid, 0), as compilers write it: threads below 70 read from A + (70 - tid) * 4, the
 * others from A; and ~(~tid) is tid again. */
static void a_word_masked_by_a_sign(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    ww_operand r2 = reg(2), r5 = reg(5);
    put(&c, WW_OP_NOT, WW_T_B32, 1, &r5, 1, &r2);
    put(&c, WW_OP_NOT, WW_T_B32, 1, &r2, 1, &r5);
    op2(&c, WW_OP_SUB, 5, reg(2), imm(70));
    op2(&c, WW_OP_SHR, 6, reg(5), imm(31))->type = WW_T_S32;
    op2(&c, WW_OP_SUB, 7, imm(70), reg(2));
    op2(&c, WW_OP_AND, 7, reg(6), reg(7))->type = WW_T_B32;
    op2(&c, WW_OP_MUL, 1, reg(7), imm(4));
    add(&c, 3, 1, first_address());
    load(&c, 4, 3);
    open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
    run_linear(&m, 0);
    /* bytes 280..156, 152..28, 24..0 and two warps at 0: lines 2 1; 1 0; 0; 0 */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 2 + 2 + 1 + 1);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 4);
    machine_close(&m);
}

/* tid rem 8 as lowering leaves it: a sequence that ends with a move under the comparison of the
 * divisor with 0. Four warps read the same eight words; a divisor of 0 leaves the dividend. */
static void a_lowered_remainder(void **state)
{
    (void)state;
    for (uint32_t divisor = 0; divisor <= 8; divisor += 8) {
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        mov(&c, 2, sreg(WW_SREG_TID_X));
        mov(&c, 5, imm(divisor));
        op2(&c, WW_OP_AND, 3, reg(2), imm(7)); /* what the sequence computes: not affine */
        compare(&c, 0, WW_CMP_EQ, reg(5), imm(0));
        mov(&c, 3, reg(2));
        c.inst[c.count - 1].guard = pred(0);
        c.inst[c.count - 1].mods |= WW_MOD_REMAINDER;
        op2(&c, WW_OP_MUL, 1, reg(3), imm(4));
        add(&c, 3, 1, first_address());
        load(&c, 4, 3);
        open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
        ww_error err = {0};
        assert_ok(ww_sm_launch_cta(m.sm, 0, m.now, &err), err);
        m.now++;
        until(&m, WW_C_DAC_PWAQ_WRITE, 4);
        for (uint32_t w = 0; w < 4; w++) {
            const dac_record *r = &seen->queue[w].record[seen->queue[w].first];
            assert_int_equal(r->line, first_address() + (divisor == 0 ? w * 128 : 0));
            assert_int_equal(r->words, divisor == 0 ? UINT32_MAX : 0xff);
        }
        while (ww_sm_pulse_of(m.sm)->ctas > 0) {
            cycle(&m);
        }
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        assert_int_equal(get(&m, WW_C_DAC_GIVEN_UP), 0);
        machine_close(&m);
    }
}

/* ---- section 4.2: barriers ---- */

/* A load behind a barrier is not asked for before all warps have executed it. */
static void nothing_is_requested_past_a_barrier(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(4));
    add(&c, 3, 1, first_address());
    mov(&c, 5, sreg(WW_SREG_LANEID)); /* what the kernel's warps do meanwhile */
    for (unsigned i = 0; i < 40; i++) {
        add(&c, 5, 5, 1);
    }
    bar(&c);
    load(&c, 4, 3);
    store(&c, 3, 5);
    open_dac(&m, &arch, &c, (ww_dim3){64, 1, 1}, 1);
    ww_error err = {0};
    assert_ok(ww_sm_launch_cta(m.sm, 0, m.now, &err), err);
    m.now++;
    uint64_t ahead = until(&m, WW_C_DAC_ATQ_WRITE, 2); /* the marker and the load */
    uint64_t asked = until(&m, WW_C_DAC_REQUESTED, 1);
    assert_true(asked > ahead + 200); /* 40 adds of 10 cycles */
    assert_true(get(&m, WW_C_INST_ISSUED) >= 2 * 42);
    until(&m, WW_C_DAC_DEQUEUED, 4);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* Predicates do not wait for a barrier: only the Address Expansion Unit does. */
static void predicates_pass_barriers(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    ww_error err = {0};
    mov(&c, 2, sreg(WW_SREG_TID_X));
    op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
    add(&c, 3, 1, first_address());
    load(&c, 4, 3);
    bar(&c);
    compare(&c, 0, WW_CMP_GE, reg(2), imm(32));
    branch(&c, 0, 8, 8);
    load(&c, 4, 3);
    store(&c, 3, 4);
    open_dac(&m, &arch, &c, (ww_dim3){64, 1, 1}, 1);
    assert_ok(ww_sm_launch_cta(m.sm, 0, m.now, &err), err);
    m.now++;
    until(&m, WW_C_DAC_PWPQ_WRITE, 2);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_READ),
                     0); /* both warps wait for the first load's data */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 2);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* ---- section 4.5: the affine warp's own masks ---- */

/* A round of the affine warp's loop needs the mask of every warp, not room in every warp's queue:
 * with queues of one entry, and warps that wait for their first data, it makes all rounds. Of each
 * warp the first mask is made once; the others are made again when the warp has room for them. */
static void the_stack_needs_no_room_in_queues(void **state)
{
    (void)state;
    enum { TIMES = 6, WARPS = 4 };
    code c = {0};
    ww_arch arch = dac_arch();
    arch.dac.pwpq = arch.sm.max_warps;
    machine m;
    ww_error err = {0};
    mov(&c, 2, sreg(WW_SREG_TID_X));
    op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
    add(&c, 3, 1, first_address());
    load(&c, 4, 3);
    uint32_t loop = c.count;
    add(&c, 2, 2, 1000);
    compare(&c, 0, WW_CMP_LT, reg(2), imm(1000 * TIMES));
    branch(&c, 0, loop, c.count + 1);
    store(&c, 3, 4);
    open_dac(&m, &arch, &c, (ww_dim3){WARPS * 32, 1, 1}, 1);
    assert_ok(ww_sm_launch_cta(m.sm, 0, m.now, &err), err);
    m.now++;
    until(&m, WW_C_DAC_ATQ_WRITE, 1 + TIMES + 1); /* the load, every round, the store */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_READ), 0);
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), WARPS);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), WARPS * TIMES);
    assert_int_equal(get(&m, WW_C_DAC_PRED_ENDS), WARPS * TIMES);
    assert_int_equal(get(&m, WW_C_DAC_PEU), 2 * WARPS * (TIMES + TIMES - 1));
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_DAC_LEFT_OVER), 0);
    machine_close(&m);
}

/* ---- section 4.1: batches ---- */

/* Threads leave a loop one after the other, and the warps exit while the affine warp still makes
 * the next address: the pass ends with them, and the CTA that came meanwhile gets its own. */
static void a_pass_without_threads_ends(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    ww_error err = {0};
    mov(&c, 6, sreg(WW_SREG_LANEID)); /* not affine */
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(4));
    add(&c, 3, 1, first_address());
    uint32_t loop = c.count;
    load(&c, 4, 3);
    for (uint32_t i = 0; i < 30; i++) {
        add(&c, 3, 3, 4);
    }
    add(&c, 6, 6, 1);
    compare(&c, 0, WW_CMP_LT, reg(6), imm(40));
    branch(&c, 0, loop, c.count + 1);
    open_dac(&m, &arch, &c, (ww_dim3){64, 1, 1}, 2);
    assert_ok(ww_sm_launch_cta(m.sm, 0, m.now, &err), err);
    for (uint32_t i = 0; i < 200; i++) { /* its pass has begun */
        cycle(&m);
    }
    assert_ok(ww_sm_launch_cta(m.sm, 1, m.now, &err), err);
    m.now++;
    for (uint32_t i = 0; i < 200000 && ww_sm_pulse_of(m.sm)->ctas > 0; i++) {
        cycle(&m);
    }
    assert_int_equal(ww_sm_pulse_of(m.sm)->ctas, 0);
    assert_int_equal(get(&m, WW_C_DAC_PASSES), 2);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_DAC_LEFT_OVER), 0);
    machine_close(&m);
}

/* Stores of a line for each thread, in rounds that the block's index tells: more records than a
 * queue holds, so that a warp may store, and exit, before the last of its records has come. */
static void lines_for_each_thread(code *c, uint32_t rounds)
{
    op2(c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(128));
    op2(c, WW_OP_MUL, 0, sreg(WW_SREG_CTAID_X), imm(4096));
    add3(c, 1, 1, 0);
    add(c, 3, 1, first_address());
    op2(c, WW_OP_MUL, 5, sreg(WW_SREG_CTAID_X), imm(rounds));
    const uint32_t loop = c->count;
    store(c, 3, 6);
    add(c, 3, 3, 4);
    add(c, 5, 5, (uint32_t)-1);
    compare(c, 0, WW_CMP_GT, reg(5), imm(0));
    c->inst[c->count - 1].type = WW_T_S32;
    branch(c, 0, loop, c->count + 1);
}

/* Blocks come and go: what is left of the records of a warp that has exited is not the next one's
 * in its slot. */
static void slots_are_used_again_at_once(void **state)
{
    (void)state;
    enum { BLOCKS = 24 };
    for (uint32_t k = 0; k < 8; k++) {
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        ww_error err = {0};
        uint32_t next = 0;
        arch.dac.batch = k % 2 == 0 ? WW_DAC_BATCH_UNCOVERED : WW_DAC_BATCH_CTA;
        lines_for_each_thread(&c, 1 + k / 2 % 2);
        const uint32_t most = 2 + 3 * (k / 4);
        open_dac(&m, &arch, &c, (ww_dim3){32, 1, 1}, most);
        for (uint32_t i = 0; i < 400000 && (next < BLOCKS || ww_sm_pulse_of(m.sm)->ctas > 0); i++) {
            if (next < BLOCKS && ww_sm_pulse_of(m.sm)->ctas < most) {
                assert_ok(ww_sm_launch_cta(m.sm, next++ * 5 % 8, m.now, &err), err);
            }
            cycle(&m);
        }
        assert_int_equal(ww_sm_pulse_of(m.sm)->ctas, 0);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        assert_int_equal(get(&m, WW_C_DAC_LEFT_OVER), 0);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_figure_7),
        cmocka_unit_test(forty_eight_warps_in_one_pass),
        cmocka_unit_test(lines_of_an_affine_address),
        cmocka_unit_test(predicate_of_figure_13),
        cmocka_unit_test(divergent_tuples),
        cmocka_unit_test(a_word_masked_by_a_sign),
        cmocka_unit_test(a_lowered_remainder),
        cmocka_unit_test(nothing_is_requested_past_a_barrier),
        cmocka_unit_test(predicates_pass_barriers),
        cmocka_unit_test(the_stack_needs_no_room_in_queues),
        cmocka_unit_test(a_pass_without_threads_ends),
        cmocka_unit_test(slots_are_used_again_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
