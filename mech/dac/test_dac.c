/* test_dac.c - are kernels divided into streams as the paper's examples say, and do passes,
 * barriers and masks of the affine warp keep their order? */
#include "mech/dac/test_room.h"

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
    assert_int_equal(get(&n, WW_C_DAC_SENT), 2 * (ROUNDS - 1) + 4); /* two new lines a round */
    assert_int_equal(get(&n, WW_C_L1D_READ_MISS) - get(&n, WW_C_L1D_READ_MERGED),
                     get(&n, WW_C_DAC_SENT));
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
    run_out(&m);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* Two of four warps meet at a barrier of their own, of which the others know nothing. Long ways lie
 * before the barrier, or are the others': only what lies on its own way keeps a warp's addresses
 * back, so that the lower two have theirs at once in either case. */
static void a_barrier_concerns_those_who_meet_there(void **state)
{
    (void)state;
    enum { CHAIN = 40 };
    for (unsigned meet = 0; meet <= 1; meet++) {
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        const ww_operand all_of_two[2] = {imm(1), imm(64)};
        mov(&c, 2, sreg(WW_SREG_TID_X));
        op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
        add(&c, 3, 1, first_address());
        mov(&c, 5, sreg(WW_SREG_LANEID)); /* not affine */
        compare(&c, 0, WW_CMP_GE, reg(2), imm(64));
        branch(&c, 0, 8, 9 + CHAIN);
        ww_inst *b = put(&c, WW_OP_BAR, WW_T_NONE, 0, NULL, 2, all_of_two);
        b->sub = WW_SUB_SYNC;
        ww_inst *over = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
        over->target = over->reconv = 9 + CHAIN;
        for (uint32_t i = 0; i < CHAIN; i++) {
            add(&c, 5, 5, 1);
        }
        ww_inst *last = add(&c, 6, 5, 1);
        if (meet > 0) { /* the lower two have nothing to wait for, the upper two meet at the end */
            const ww_inst keep = *b;
            *b = *last;
            *last = keep;
        }
        load(&c, 4, 3);
        store(&c, 3, 5);
        open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
        start_cta(&m);
        until(&m, WW_C_DAC_REQUESTED, 2);
        assert_true(get(&m, WW_C_INST_ISSUED) < 2 * CHAIN); /* nobody is at its end */
        run_out(&m);
        assert_int_equal(get(&m, WW_C_DAC_REQUESTED), 4);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        assert_int_equal(get(&m, WW_C_DAC_LEFT_OVER), 0);
        assert_int_equal(get(&m, WW_C_DAC_GIVEN_UP), 0);
        machine_close(&m);
    }
}

/* Loads of a line for each lane, whose addresses are no tuples, keep the L1D's port busy. What the
 * expansion unit asks for waits for it port_share - 1 cycles at most, and has the next one. */
static void requests_have_their_share_of_the_port(void **state)
{
    (void)state;
    for (uint32_t share = 2; share <= 8; share *= 2) {
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        uint32_t most = 0;
        arch.dac.port_share = share;
        op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_LANEID), imm(128));
        add(&c, 5, 1, first_address());
        op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(4));
        add(&c, 3, 1, first_address() + 32768);
        for (uint32_t i = 0; i < 8; i++) {
            load(&c, 6 + i, 5);
        }
        load(&c, 4, 3);
        open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
        start_cta(&m);
        while (ww_sm_pulse_of(m.sm)->ctas > 0) {
            cycle(&m);
            most = seen->refused > most ? seen->refused : most;
        }
        assert_int_equal(most, share - 1);
        assert_int_equal(get(&m, WW_C_DAC_REQUESTED), 4);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* ---- section 4.5: the affine warp's own masks ---- */

/* A loop that warps of one entry for a predicate each go round TIMES times, behind a load whose
 * data they wait for. */
enum { TIMES = 6, WAITING = 4 };

static void open_rounds(machine *m, ww_dac_full full)
{
    static code c; /* the machine refers to it */
    ww_arch arch = dac_arch();
    ww_error err = {0};
    arch.dac.pwpq = arch.sm.max_warps;
    arch.dac.predicates_full = full;
    memset(&c, 0, sizeof c);
    mov(&c, 2, sreg(WW_SREG_TID_X));
    op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
    add(&c, 3, 1, first_address());
    load(&c, 4, 3);
    uint32_t loop = c.count;
    add(&c, 2, 2, 1000);
    compare(&c, 0, WW_CMP_LT, reg(2), imm(1000 * TIMES));
    branch(&c, 0, loop, c.count + 1);
    store(&c, 3, 4);
    open_dac(m, &arch, &c, (ww_dim3){WAITING * 32, 1, 1}, 1);
    assert_ok(ww_sm_launch_cta(m->sm, 0, m->now, &err), err);
    m->now++;
}

/* A round of the affine warp's loop needs the mask of every warp, not room in every warp's queue:
 * where the expansion unit alone asks for that, it makes all rounds while they wait. Of each warp
 * the first mask is made once; the others are made again when the warp has room for them. */
static void the_stack_needs_no_room_in_queues(void **state)
{
    (void)state;
    machine m;
    open_rounds(&m, WW_DAC_FULL_EXPANSION);
    until(&m, WW_C_DAC_ATQ_WRITE, 1 + TIMES + 1); /* the load, every round, the store */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_READ), 0);
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), WAITING);
    run_out(&m);
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), WAITING * TIMES);
    assert_int_equal(get(&m, WW_C_DAC_PRED_ENDS), WAITING * TIMES);
    assert_int_equal(get(&m, WW_C_DAC_PEU), 2 * WAITING * (TIMES + TIMES - 1));
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(&m, WW_C_DAC_LEFT_OVER), 0);
    machine_close(&m);
}

/* Section 4.1: an enq may not issue while a queue that it is for is full. The load and the first
 * round's predicate are all that the affine warp has sent when the first warp has its data; each
 * mask is made once. */
static void a_full_predicate_queue_stops_the_affine_warp(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        machine m;
        open_rounds(&m, k == 0 ? WW_DAC_FULL_OWN : WW_DAC_FULL_ANY);
        until(&m, WW_C_DAC_PWAQ_READ, 1);
        assert_int_equal(get(&m, WW_C_DAC_ATQ_WRITE), 1 + 1);
        assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), WAITING);
        run_out(&m);
        assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), WAITING * TIMES);
        assert_int_equal(get(&m, WW_C_DAC_PEU), 2 * WAITING * TIMES);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        assert_int_equal(get(&m, WW_C_DAC_GIVEN_UP), 0);
        assert_int_equal(get(&m, WW_C_DAC_LEFT_OVER), 0);
        machine_close(&m);
    }
}

/* ---- ceilings ---- */

/* Figure 4 with its loads in the kernel's own hands, with data that are there at once, and without
 * their lines: no instruction of an affine warp, none that waits for one, and each ceiling faster
 * than the one before, if not, with loads that nobody asks for ahead, than the mechanism. Lines
 * come in all but the last. */
static void ceilings_are_in_order(void **state)
{
    (void)state;
    uint64_t before = UINT64_MAX;
    for (unsigned k = 0; k < 4; k++) {
        static const ww_dac_oracle oracle[] = {WW_DAC_ORACLE_NONE, WW_DAC_ORACLE_FREE,
                                               WW_DAC_ORACLE_AHEAD, WW_DAC_ORACLE_PERFECT};
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        arch.dac.oracle = oracle[k];
        figure_4(&c, ROUNDS);
        open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
        const uint64_t start = m.now;
        run_linear(&m, 0);
        const uint64_t took = m.now - start;
        if (oracle[k] != WW_DAC_ORACLE_NONE) {
            assert_int_equal(get(&m, WW_C_DAC_AFFINE_INST), 0);
            assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 0);
            assert_true(get(&m, WW_C_MECH_ABSENT) > 0);
            assert_true(took < before);
            before = took;
        }
        const uint64_t fills = get(&m, WW_C_L1D_FILL);
        assert_true(oracle[k] == WW_DAC_ORACLE_PERFECT ? fills == 0 : fills > 0);
        machine_close(&m);
    }
}

/* ---- section 4.8: queues ---- */

/* 192 entries among 48 slots are 4 for each; among the 8 warps of two CTAs, 24. */
static void queues_are_divided_among_warps(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        arch.sm.max_warps = 48;
        arch.dac.partition = k == 0 ? WW_DAC_PARTITION_SLOTS : WW_DAC_PARTITION_RESIDENT;
        figure_4(&c, ROUNDS);
        open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 2);
        assert_int_equal(seen->queue_size, k == 0 ? 4 : 24);
        assert_int_equal(seen->predicate_size, k == 0 ? 4 : 24);
        run_linear(&m, 0);
        assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 4 * 2 * ROUNDS);
        machine_close(&m);
    }
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
        cmocka_unit_test(nothing_is_requested_past_a_barrier),
        cmocka_unit_test(predicates_pass_barriers),
        cmocka_unit_test(a_barrier_concerns_those_who_meet_there),
        cmocka_unit_test(requests_have_their_share_of_the_port),
        cmocka_unit_test(the_stack_needs_no_room_in_queues),
        cmocka_unit_test(a_full_predicate_queue_stops_the_affine_warp),
        cmocka_unit_test(ceilings_are_in_order),
        cmocka_unit_test(queues_are_divided_among_warps),
        cmocka_unit_test(a_pass_without_threads_ends),
        cmocka_unit_test(slots_are_used_again_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
